r"""Sums over the episodes, enclosed for any number of them.

The accuracies :math:`\epsilon_k = k^{-a}` add up to

.. math:: \sum_{k=1}^K k^{-a} = \zeta(a) - \zeta(a, K+1) \quad (a \ne 1), \qquad
          \sum_{k=1}^K \frac1k = \psi(K+1) + \gamma,

with Hurwitz's :math:`\zeta` and the digamma function :math:`\psi`, which cost no more for :math:`K = 10^{15}`
than for :math:`K = 100`.  Where the two zetas cancel (:math:`a` close to 1) the precision is raised
until the digits that were asked for are there; a few terms are simply added.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from ctucbvi.bounds.parameters import Parameters
from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import BALLS, precision, to_fmpq

_FEW = 32  # terms that are added one by one
_MOST_BITS = 1 << 16


def power_sum(exponent: Fraction, count: int) -> arb:
    """``Σ_{k <= count} k^-exponent``, nearly as sharp as the precision of the moment allows."""
    return _power_sum(exponent, count, ctx.prec)


def accuracy_sum(p: Parameters) -> arb:
    """``Σ_{k <= K} ε_k``."""
    total = power_sum(p.epsilon.exponent, p.episodes)
    return total * p.epsilon.scale(p.load, BALLS)


@lru_cache(maxsize=4096)
def _power_sum(exponent: Fraction, count: int, bits: int) -> arb:
    work = bits + 32
    while work <= _MOST_BITS:
        with precision(work):
            found = _added(exponent, count) if count <= _FEW else _difference(exponent, count)
        if found.is_finite() and found.rel_accuracy_bits() >= bits:
            return found
        work *= 2
    raise UndecidedError(f"the sum of k^-{exponent} up to {count} is not resolved with {_MOST_BITS} bits")


def _added(exponent: Fraction, count: int) -> arb:
    power = arb(to_fmpq(-exponent))
    return sum((arb(k) ** power for k in range(1, count + 1)), arb(0))


def _difference(exponent: Fraction, count: int) -> arb:
    if exponent == 1:
        return (arb(count) + 1).digamma() + arb.const_euler()
    a = arb(to_fmpq(exponent))
    return a.zeta() - a.zeta(arb(count) + 1)
