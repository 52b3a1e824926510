r"""Margins that certainly stay positive, seen in doubles: most of them, on most steps.

Of the many margins of a step few come near zero, and the others need not be known to many bits.
Here all rivals are computed at once in doubles, next to a bound :math:`\delta` on what rounding can have
done (:mod:`ctucbvi.exact.outlook`), and a margin is *clear* if the bound leaves no doubt; what is not
clear is decided in balls (:mod:`ctucbvi.exact.survey`), as if this module did not exist.

**Positive.**  Let :math:`b_j` be the coefficients of the margin, divided by :math:`x^m` if it vanishes to the
order m at the beginning, computed and made smaller by :math:`2\delta` (once for themselves, once for the
division), so that :math:`f/x^m \ge \sum_j b_j w_j(x) -` tail with :math:`w_j(x) = e^{-x} x^j/j!`.  Then
:math:`f/x^m` exceeds half of a *level*, eight times the tail or more, for all x up to the reach R, if

* :math:`b_0 >` level, :math:`b_j -` level change sign at most once, and
  :math:`\sum_j b_j w_j(R) > 2\cdot` level, by Descartes' rule (:mod:`ctucbvi.exact.poisson`); or
* :math:`b_0 w_0(R) + \sum_{j>0} \min(b_j, 0)\, w_j(R) >` level, since :math:`e^x \sum_j b_j w_j(x)` is for
  no x smaller than :math:`e^R` times the left-hand side.

Each sum of n products is right to :math:`4nu` of the sum of their sizes, which is asked for besides.

**Noise.**  The margin that is meant differs from f by at most ``sensitivity`` times the error of the carried
values; from the point e on at which there is such an error, half of the level times :math:`e^m` must not be
smaller.  That is asked afterwards (:meth:`Screen.covers`), when the error is known.  Of many margins the
level is in proportion to the reach, over which what doubles do not know of slopes adds up, but well above the
error that is to be expected.
"""

from __future__ import annotations

from functools import cached_property
from math import factorial, inf, perm

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from ctucbvi.exact.outlook import LARGE, SMALL, Doubles, Outlook, double
from ctucbvi.exact.poisson import Growth, poisson_tail
from ctucbvi.exact.problem import MarginKey
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.start import Opening
from ctucbvi.numbers import ROUNDING

OPENING = fmpq(1, 16)  # part of the first step in which margins are divided by a power of x
_LEVEL = 2.0**-44  # of the size of a margin: smaller ones are not clear
_ORDERS, _LONG = 8, 1e25  # orders, and lengths of the beginning, beyond which powers are not formed
_ROOM = 16.0  # times the noise to be expected is the least level
_ROUND = 2.0**-40  # more than rounding does to a level
_FINEST = 2.0**-256  # which is small, and far from what underflow may do


class Screen:
    """Which margins of a step are certainly no matter; here, where they are few, seen in their balls.

    A margin all of whose coefficients are above the level is clear.
    """

    def __init__(self, step: RegimeStep, first: Opening | None = None) -> None:
        self._step = step
        self._end = double(step.basis.reach * OPENING)
        self._order = max(first.order.values(), default=0) if first else 0
        self._size = float(self._largest(step.growth)) * (1 + ROUNDING)
        self.clear: frozenset[MarginKey] = frozenset()
        self.noise = 0.0  # up to which error of the carried values the clear margins are clear
        if self._usable and not (first and first.open):
            self.clear = self._cleared(first) - (first.ties if first else frozenset())
            self.noise = self._size * self._base / 2

    @property
    def _base(self) -> float:
        """The level of a margin of size 1."""
        return _LEVEL

    def _largest(self, growth: Growth) -> arb:
        """A bound for all coefficients of a series."""
        return (growth.start + (self._step.basis.terms + 1) * growth.rate).upper()

    @cached_property
    def _usable(self) -> bool:
        return not self._step.problem.truncate and SMALL < self._size < LARGE

    def _level(self, order: int) -> float:
        """The level of a margin of size 1 that vanishes to ``order``; infinite if the tail is in the way."""
        basis = self._step.basis
        if order and (order > _ORDERS or not 1 / _LONG < self._end < _LONG or basis.terms < order + 4):
            return inf
        power = self._end**-order if order else 1.0
        tail = poisson_tail(basis.reach, basis.terms - order - 2)
        return self._base * power if tail < min(self._base, 1.0) * min(power, 1.0) / 2**6 else inf

    def _cleared(self, first: Opening | None) -> frozenset[MarginKey]:
        found, terms, levels = [], self._step.basis.terms, dict[int, float]()
        for key in self._step.keys:
            order = first.order.get(key, 0) if first else 0
            if order not in levels:
                levels[order] = self._level(order) * perm(terms, order)
            series = self._step.margin(key).series
            limit = self._largest(series.growth) * levels[order]
            if all(a > limit for a in series.sequence[order:]):
                found.append(key)
        return frozenset(found)

    def covers(self, noise: arb, end: fmpq) -> bool:
        """Whether the clear margins are clear with this error of the values, from ``end`` on."""
        if not self.clear:
            return True
        late = arb(1)
        if self._order and (ahead := fmpq(*self._end.as_integer_ratio())) > end:
            late = (arb(ahead) / end * arb(1 + _ROUND)) ** self._order if end > 0 else arb(inf)
        return bool(noise * late < self.noise)

    def may_vanish(self, small: arb) -> list[MarginKey]:  # noqa: ARG002 -- of all that can be asked
        """The rivals all of whose coefficients may be below ``small`` times the sensitivity of the margin."""
        return self._step.keys


class ManyScreen(Screen):
    """The same for many margins, which are computed in doubles, all at once."""

    def __init__(self, step: RegimeStep, outlook: Outlook, error: arb, first: Opening | None = None) -> None:
        self._outlook, self._error = outlook, error
        super().__init__(step, first)

    @cached_property
    def _usable(self) -> bool:
        return self._outlook.usable and SMALL < self._size < LARGE

    @cached_property
    def _base(self) -> float:
        """As small as doubles can tell, and the noise to be expected allows."""
        step = self._step
        noise = self._error + (1 + step.growth.start) / 2**step.basis.bits
        return max(_LEVEL * min(double(step.basis.reach), 1.0), float(noise) / self._size * _ROOM, _FINEST)

    def _cleared(self, first: Opening | None) -> frozenset[MarginKey]:
        keys = self._outlook.keys
        orders: dict[int, list[int]] = {}
        for n, key in enumerate(keys):
            orders.setdefault(first.order.get(key, 0) if first else 0, []).append(n)
        weights = np.array([float(w) for w in self._step.basis.weights(self._step.basis.reach)])
        found: list[MarginKey] = []
        with np.errstate(all="ignore"):
            for order, places in orders.items():
                good = self._positive(np.array(places, dtype=np.intp), order, weights)
                found += [keys[n] for n in np.array(places, dtype=np.intp)[good].tolist()]
        return frozenset(found)

    def _positive(self, places: NDArray[np.intp], order: int, weights: Doubles) -> NDArray[np.bool_]:
        """Which of the margins at ``places``, which vanish to ``order``, are clear."""
        terms = len(weights)
        start, more = self._outlook.doubts(terms)
        k = np.arange(order, terms)[:, None]
        below = self._outlook.margins(terms)[order:, places] - 2 * (start[places] + k * more[places])
        if order:
            j = k[1:] - order
            ratios = np.cumprod(np.vstack(([[1 / factorial(order)]], j / (j + order))), axis=0)
            below *= ratios  # j!/(j + order)!
        weights, level = weights[: len(below)], self._outlook.sizes(terms)[places] * self._level(order)
        above = below > level
        once = (above[1:] != above[:-1]).sum(axis=0) <= 1
        enough = 2 * level + weights @ np.abs(below) * (4 * terms * ROUNDING)
        descartes = above[0] & once & (weights @ below > enough)
        low = np.minimum(below, 0.0)
        low[0] = below[0]
        return np.asarray(descartes | (weights @ low > enough))

    def may_vanish(self, small: arb) -> list[MarginKey]:
        """The rivals all of whose coefficients may be below ``small`` times the sensitivity of the margin."""
        outlook, terms = self._outlook, self._step.basis.terms + 1
        if not self._usable:
            return self._step.keys
        with np.errstate(all="ignore"):
            start, more = outlook.doubts(terms)
            limit = start + np.arange(terms)[:, None] * more
            limit += outlook.sensitivity * (2 * float(small.upper()))
            clear = (np.abs(outlook.margins(terms)) > limit).any(axis=0)
        return [outlook.keys[n] for n in np.flatnonzero(~clear).tolist()]
