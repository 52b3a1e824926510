r"""Two sums over the tails of a Poisson variable: the largest of many of them, and what replaces it.

With :math:`q_m = P(Z > m)` for :math:`Z` Poisson of mean :math:`v`, the mean of the largest of :math:`K`
independent ones (``eq:term1-3``), and the sum that takes its place (``eq:JM-eq/sharp``), are

.. math:: E\max_{k\le K} Z_k = \sum_{m\ge0} \bigl(1 - (1-q_m)^K\bigr), \qquad D = \sum_{m\ge0}\sqrt{q_m} .

**From the far end.**  Let :math:`M > v` and :math:`r = v/(M+2) < 1`.  Since :math:`P(Z = j+1) = \frac v{j+1}
P(Z = j)`, the tails beyond :math:`M` fall at least as fast as :math:`r^i`, so

.. math:: q_M \in P(Z = M+1)\,\Bigl[1, \frac1{1-r}\Bigr], \qquad
          0 \le \sum_{m\ge M}\bigl(1-(1-q_m)^K\bigr) \le \frac{K q_M}{1-r}, \qquad
          0 \le \sum_{m\ge M}\sqrt{q_m} \le \frac{\sqrt{q_M}}{1-\sqrt r} .

From there :math:`q_{m-1} = q_m + P(Z = m)` goes down to smaller :math:`m`: only positive numbers are
added, nothing cancels.

**The near end.**  The terms increase towards 1 as :math:`m` falls.  As soon as a term is almost 1, each of
the :math:`m` terms that are left lies between it and 1.  What is summed in between has a width of order
:math:`\sqrt v`, whatever :math:`K` is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from flint import arb, ctx

from ctucbvi.exact.precision import precision, to_fmpq

LARGEST_MEAN = 10**8  # beyond it the sums have too many terms
_STEP = 128  # sums of roots are remembered for multiples of so many bits


def expected_maximum(mean: Fraction, count: int) -> arb:
    """``E max`` of ``count >= 1`` independent Poisson variables of the given ``mean > 0``."""
    return _expected_maximum(mean, count, ctx.prec)


def root_sum(mean: Fraction) -> arb:
    """``D``, the sum of the roots of the tails, for the given ``mean > 0``."""
    return _root_sum(mean, -(-ctx.prec // _STEP) * _STEP)


@lru_cache(maxsize=4096)
def _expected_maximum(mean: Fraction, count: int, bits: int) -> arb:
    with precision(_work(mean, bits) + count.bit_length()):
        v, small = arb(to_fmpq(mean)), arb(2) ** (-bits - 10)
        far = _far(mean, bits + count.bit_length())
        walk = _tails(v, far)
        total = (count * next(walk)[1] / (1 - v / (far + 2))).union(arb(0))
        for m, tail in walk:
            power = (count * (-tail).log1p()).exp() if tail < 1 else arb(0).union((1 - tail).upper())
            total += 1 - power
            if power < small and m * power < small:
                return total + m - (m * power).union(arb(0))
        return total


@lru_cache(maxsize=4096)
def _root_sum(mean: Fraction, bits: int) -> arb:
    with precision(_work(mean, bits)):
        v, small = arb(to_fmpq(mean)), arb(2) ** (-bits - 10)
        far = _far(mean, 2 * bits)  # the root of a tail is negligible
        walk = _tails(v, far)
        total = (next(walk)[1].sqrt() / (1 - (v / (far + 2)).sqrt())).union(arb(0))
        for m, tail in walk:
            root = tail.sqrt()
            total += root
            missing = 1 - root
            if missing < small and m * missing < small:
                return total + m - (m * missing).union(arb(0))
        return total


def _tails(v: arb, m: int) -> Iterator[tuple[int, arb]]:
    """``(m, q_m)`` for m, m - 1, ..., 0; m is beyond the mean v."""
    weight = ((m + 1) * v.log() - v - arb(m + 2).lgamma()).exp()  # P(Z = m + 1)
    tail = weight * (1 / (1 - v / (m + 2))).union(arb(1))
    yield m, tail
    while m > 0:
        weight *= (m + 1) / v
        tail += weight
        m -= 1
        yield m, tail


def _work(mean: Fraction, bits: int) -> int:
    """The precision for sums that are to have so many bits."""
    return bits + 40 + 2 * int(mean + 2).bit_length()


def _far(mean: Fraction, bits: int) -> int:
    """An M beyond which the tails are below ``2^-bits``, by Chernoff's bound; any M > mean is valid."""
    logarithm = bits + 20 + int(mean + 2).bit_length()
    # P(Z >= v + x) <= exp(-x²/(2v + x)); x = L + √(2vL) gives x²/(2v + x) >= L.
    return int(mean) + 1 + logarithm + isqrt(2 * (int(mean) + 1) * logarithm) + 1
