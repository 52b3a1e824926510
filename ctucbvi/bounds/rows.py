r"""What the rows of the optimistic learner cost: a at the mean number of jumps, and a₁ after the first.

The radius of a set after n jumps is :math:`\sqrt{g(n)/n}`, and with :math:`M = 1 + Kv/(SA)` the theorems have

* ``UNIFORM`` (``lem:CI-p/uniform``): :math:`g(n) = 2S\ln2 + 2\ln(SA\,n(n+1)/\delta)`, :math:`a^2 = g(M)`;
* ``KL`` (``lem:CI-p/kl``): :math:`g(n) = 2\ln(SA/\delta) + 2\ln\binom{n+S-1}{S-1}`, :math:`a^2 = g(M)`;
* ``TILTS`` (``lem:CI-p/tilts``): :math:`g(n) = \frac94(l + 4n/4^J)`, :math:`l = S\ln2 + \ln(SAJ/\delta)` and
  :math:`a^2 = \frac94(l+\frac14)`, for :math:`4^J \ge 16K(1+v)`;

and :math:`a_1^2 = g(1)`.  A learner's J is a whole number, at most :math:`n = 3 + \frac12\log_2(K(1+v))`,
which stands here in its place, and :math:`4/4^J \le 1/(4K(1+v))`.

**Growth** of a and :math:`a_1` with :math:`k = \ln K`; c is 1 for :math:`\delta = 1/(2K)`, 0 for a fixed one.
That of :math:`a_1` is :math:`c/a_1^2`, and that of ``UNIFORM`` at most :math:`(2+c)/a^2`.  For ``KL``, as the
derivative of :math:`\ln(1+M/j)` is :math:`(M-1)/(M+j)`, below 1 and below :math:`\ln(1+M/j)`, it is at most
:math:`(S-1+c)/a^2`, and at most :math:`\frac12 - (\ln(SA/\delta)-c)/a^2`: once one of them is below
:math:`\frac12` it stays there.  For ``TILTS`` the derivative of l is at most :math:`\frac14+c`, as
:math:`n \ge 3`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ctucbvi.bounds.arithmetics import Numbers
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.learning.radii import N

_ONE = Fraction(1)


@dataclass(frozen=True)
class Rows:
    """A kind of sets."""

    square: Callable[[Parameters, Numbers[Any]], Any]  # a²
    first: Callable[[Parameters, Numbers[Any]], Any]  # a₁²
    growth: Callable[[Parameters, Numbers[Any], int], Any]  # of a, at most; the last argument is c
    first_growth: Callable[[Parameters, Numbers[Any], int], Any]  # of a₁


def tilts(p: Parameters, numbers: Numbers[N]) -> N:
    """The number of tilts, at most."""
    found: N = numbers.log_of(p.episodes * (1 + p.load)) / numbers.log_of(_ONE * 2) / 2 + 3
    return found


def _mean(p: Parameters) -> Fraction:
    return 1 + p.episodes * p.load / (p.states * p.actions)


def _pairs(p: Parameters) -> Fraction:
    """SA/δ."""
    assert p.delta is not None  # given, or the proof's
    return p.states * p.actions / p.delta


def _uniform(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = numbers.log_of(_pairs(p) * _mean(p) * (_mean(p) + 1), p.states) * 2
    return found


def _uniform_first(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = numbers.log_of(2 * _pairs(p), p.states) * 2
    return found


def _uniform_growth(p: Parameters, numbers: Numbers[N], moving: int) -> N:
    found: N = numbers.number(_ONE * (2 + moving)) / _uniform(p, numbers)
    return found


def _kl(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = (numbers.log_of(_pairs(p)) + numbers.log_binomial(_mean(p), p.states)) * 2
    return found


def _kl_first(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = numbers.log_of(p.states * _pairs(p)) * 2
    return found


def _kl_growth(p: Parameters, numbers: Numbers[N], moving: int) -> N:
    square = _kl(p, numbers)
    few = numbers.number(_ONE * (p.states - 1 + moving)) / square
    rest = (numbers.log_of(_pairs(p)) - numbers.number(_ONE * moving)) / square
    return numbers.minimum(few, numbers.number(_ONE / 2) - rest)


def _level(p: Parameters, numbers: Numbers[N]) -> N:
    """The level l of the tilts of rows."""
    found: N = numbers.log_of(_pairs(p), p.states) + numbers.log(tilts(p, numbers))
    return found


def _tilts(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = (_level(p, numbers) + numbers.number(_ONE / 4)) * 9 / 4
    return found


def _tilts_first(p: Parameters, numbers: Numbers[N]) -> N:
    small = numbers.number(_ONE / (4 * p.episodes * (1 + p.load)))
    found: N = (_level(p, numbers) + small) * 9 / 4
    return found


def _tilts_growth(p: Parameters, numbers: Numbers[N], moving: int) -> N:
    found: N = numbers.number(_ONE / 8 + _ONE / 2 * moving) / _level(p, numbers)
    return found


def _over(first: Callable[[Parameters, Numbers[N]], N]) -> Callable[[Parameters, Numbers[N], int], N]:
    """``c/a₁²``."""

    def growth(p: Parameters, numbers: Numbers[N], moving: int) -> N:
        found: N = numbers.number(_ONE * moving) / first(p, numbers)
        return found

    return growth


UNIFORM = Rows(_uniform, _uniform_first, _uniform_growth, _over(_uniform_first))
KL = Rows(_kl, _kl_first, _kl_growth, _over(_kl_first))
TILTS = Rows(_tilts, _tilts_first, _tilts_growth, _tilts_growth)
