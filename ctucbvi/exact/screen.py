r"""Margins that certainly stay positive, seen in doubles: most of them, on most steps.

Of the many margins of a step few come near zero, and the others need not be known to many bits.
Here all rivals are computed at once in doubles, next to a bound :math:`\delta` on what rounding can have
done, and a margin is *clear* if the bound leaves no doubt; what is not clear is decided in balls
(:mod:`ctucbvi.exact.survey`), as if this module did not exist.

**Rounding.**  Let :math:`\sigma` bound the coefficients of all values of the step.  A coefficient of a pair
is a sum of products of numbers that are each right to a few units :math:`u = 2^{-53}`; with :math:`d` targets
and :math:`n` coefficients less than :math:`2n(d+8)` roundings of sizes below :math:`2\sigma` enter it, since
its recursion is stochastic.  What the balls of the states are wide is added; the radius of the sum of a
sequence bounds all of its radii.

**Positive.**  Let :math:`b_j` be the coefficients of the margin, divided by :math:`x^m` if it vanishes to the
order m at the beginning, computed and made smaller by :math:`2\delta` (once for themselves, once for the
division), so that :math:`f/x^m \ge \sum_j b_j w_j(x) -` tail with :math:`w_j(x) = e^{-x} x^j/j!`.  Then
:math:`f/x^m` exceeds half of a *level*, eight times the tail or more, for all x up to the reach R, if

* :math:`b_0 >` level, :math:`b_j -` level change sign at most once, and
  :math:`\sum_j b_j w_j(R) > 2\cdot` level, by Descartes' rule (:mod:`ctucbvi.exact.poisson`); or
* :math:`b_0 w_0(R) + \sum_{j>0} \min(b_j, 0)\, w_j(R) >` level, since :math:`e^x \sum_j b_j w_j(x)` is for
  no x smaller than :math:`e^R` times the left-hand side.

**Noise.**  The margin that is meant differs from f by at most ``sensitivity`` times the error of the carried
values; from the point e on at which there is such an error, half of the level times :math:`e^m` must not be
smaller.  That is asked afterwards (:meth:`Screen.covers`), when the error is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from math import factorial, inf, perm

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from ctucbvi.exact.poisson import Growth, poisson_tail
from ctucbvi.exact.problem import MarginKey, Problem
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.start import Opening

Doubles = NDArray[np.float64]

OPENING = fmpq(1, 16)  # part of the first step in which margins are divided by a power of x
_UNIT = 2.0**-52  # twice what rounding does to a double, relatively
_LEVEL = 2.0**-44  # of the size of a margin: smaller ones are not clear
_LARGE, _SMALL = 1e200, 1e-200  # beyond these sizes doubles might overflow or lose digits
_ORDERS, _LONG = 8, 1e25  # orders, and lengths of the beginning, beyond which powers are not formed
_DENSE = 1 << 14  # entries up to which a matrix is quicker than lists
_HALVINGS = 48  # of the rest of a step, to look for the next fall


class Outline:
    """The numbers of a problem in doubles, each right to a few units in the last place."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        pairs, clock = problem.quotient.pairs, _double(problem.clock)
        self.state = np.array(problem.states, dtype=np.intp)
        self.rate = np.array([_double(rate) for rate in problem.rates])
        self.reward = np.array([_double(reward) for reward in problem.rewards])
        self.unit = clock if problem.committed else 1.0
        sizes = max(self.rate.max(), np.abs(self.reward).max(), clock)
        self.usable = not problem.truncate and bool(clock > _SMALL and sizes < _LARGE)
        if not self.usable:
            return
        self.keep = (1 - self.rate / clock)[:, None]
        lengths = [len(p.to) for p in pairs]
        self.targets = max(lengths) + 2
        entries = [(y, q.numerator / q.denominator) for p in pairs for y, q in p.to]
        rows = np.repeat(np.arange(len(pairs)), lengths)
        target = np.array([y for y, _ in entries], dtype=np.intp)
        weight = np.array([q for _, q in entries]) * (self.rate / self.unit)[rows]
        self._matrix: Doubles | None = None
        if len(pairs) * len(problem.menu) <= _DENSE:
            self._matrix = np.zeros((len(pairs), len(problem.menu)))
            np.add.at(self._matrix, (rows, target), weight)
        else:
            self._target, self._weight = target, weight[:, None]
            self._jumping = np.flatnonzero(lengths)
            self._first = np.searchsorted(rows, self._jumping)

    def inflow(self, values: Doubles) -> Doubles:
        """What jumps and rewards bring to every pair, given the sequences of all states."""
        if self._matrix is not None:
            found = self._matrix @ values
        else:
            found = np.zeros((len(self.rate), values.shape[1]))
            found[self._jumping] = np.add.reduceat(self._weight * values[self._target], self._first)
        return np.asarray(found + (self.reward / self.unit)[:, None])


class Screen:
    """Which margins of a step are certainly no matter; here, where they are few, seen in their balls.

    A margin all of whose coefficients are above the level is clear.
    """

    def __init__(self, step: RegimeStep, first: Opening | None = None) -> None:
        self._step = step
        self._end = _double(step.basis.reach * OPENING)
        self._order = max(first.order.values(), default=0) if first else 0
        self._size = float(self._largest(step.growth)) * (1 + _UNIT)
        self.clear: frozenset[MarginKey] = frozenset()
        self.noise = 0.0  # up to which error of the carried values the clear margins are clear
        if self._usable and not (first and first.open):
            self.clear = self._cleared(first) - (first.ties if first else frozenset())
            self.noise = self._size * _LEVEL / 2

    def _largest(self, growth: Growth) -> arb:
        """A bound for all coefficients of a series."""
        return (growth.start + (self._step.basis.terms + 1) * growth.rate).upper()

    @cached_property
    def _usable(self) -> bool:
        return not self._step.problem.truncate and _SMALL < self._size < _LARGE

    def _level(self, order: int) -> float:
        """The level of a margin of size 1 that vanishes to ``order``; infinite if the tail is in the way."""
        basis = self._step.basis
        if order and (order > _ORDERS or not 1 / _LONG < self._end < _LONG or basis.terms < order + 4):
            return inf
        power = self._end**-order if order else 1.0
        tail = poisson_tail(basis.reach, basis.terms - order - 2)
        return _LEVEL * power if tail < min(power, 1.0) / 2**50 else inf

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
        late = 1.0 if not self._order or _double(end) >= self._end else inf
        if late == inf and end > 0:
            late = (self._end / _double(end) * (1 + 1e-12)) ** self._order
        return bool(noise * late < self.noise)

    def outlook(self, cut: fmpq, best: Sequence[int]) -> fmpq | None:  # noqa: ARG002 -- steps cost little
        """A guess how long after the cut, with ``best`` from there on, another margin falls; None: never."""
        return None

    def may_vanish(self, small: arb) -> list[MarginKey]:  # noqa: ARG002 -- of all that can be asked
        """The rivals all of whose coefficients may be below ``small`` times the sensitivity of the margin."""
        return self._step.keys


class ManyScreen(Screen):
    """The same for many margins, which are computed in doubles, all at once."""

    def __init__(self, step: RegimeStep, outline: Outline, first: Opening | None = None) -> None:
        self._outline = outline
        super().__init__(step, first)

    @cached_property
    def _usable(self) -> bool:
        usable = self._outline.usable and _SMALL < self._size < _LARGE
        if usable:
            with np.errstate(all="ignore"):
                self._compute(self._size, self._step.basis.terms + 1)
        return usable

    def _compute(self, size: float, terms: int) -> None:
        """The margins, and how far each of their coefficients may be from the true one."""
        step, outline = self._step, self._outline
        best = np.array(step.regime.best, dtype=np.intp)
        rival = np.ones(len(outline.rate), dtype=bool)
        rival[best] = False
        self._rivals = np.flatnonzero(rival)
        self._states = outline.state[self._rivals]
        self.keys: list[MarginKey] = list(zip(self._states.tolist(), self._rivals.tolist(), strict=True))
        values = np.fromiter(map(float, chain.from_iterable(step.states)), float, len(best) * terms)
        values = values.reshape(len(best), terms)
        brought = outline.inflow(values)
        if step.problem.committed:
            own = brought[self._rivals]
            own[:, 1:] = own[:, :-1].copy()
            own[:, 0] = [float(step.carried[i]) for i in self._rivals.tolist()]
            self.margins = values[self._states] - _recursion(outline.keep[self._rivals], own)
            sensitivity, spread = np.full(len(own), 2.0), 0.0
        else:
            slopes = brought - outline.rate[:, None] * values[outline.state]
            leader = best[self._states]
            self.margins = slopes[leader] - slopes[self._rivals]
            sensitivity = 2 * (outline.rate[leader] + outline.rate[self._rivals])
            spread = np.abs(outline.reward[leader]) + np.abs(outline.reward[self._rivals])
        self._sensitivity = sensitivity
        self._sizes = sensitivity * size + spread
        width = sum(float(sum(sequence, arb(0)).rad()) for sequence in step.states)
        rounding = 2 * terms * (outline.targets + 8) * _UNIT
        self._doubt = self._sizes * rounding + 2 * sensitivity * width + 1e-290

    def _cleared(self, first: Opening | None) -> frozenset[MarginKey]:
        with np.errstate(all="ignore"):
            orders: dict[int, list[int]] = {}
            for n, key in enumerate(self.keys):
                orders.setdefault(first.order.get(key, 0) if first else 0, []).append(n)
            weights = np.array([float(w) for w in self._step.basis.weights(self._step.basis.reach)])
            found: list[MarginKey] = []
            for order, places in orders.items():
                good = self._positive(np.array(places, dtype=np.intp), order, weights)
                found += [self.keys[n] for n in np.array(places, dtype=np.intp)[good].tolist()]
        return frozenset(found)

    def _positive(self, places: NDArray[np.intp], order: int, weights: Doubles) -> NDArray[np.bool_]:
        """Which of the margins at ``places``, which vanish to ``order``, are clear."""
        limit = self._level(order)
        sizes = self._sizes[places, None]
        below = self.margins[places, order:] - 2 * self._doubt[places, None]
        if order:
            j = np.arange(1.0, below.shape[1])
            below *= np.cumprod(np.append(1 / factorial(order), j / (j + order)))  # j!/(j + order)!
        weights, level = weights[: below.shape[1]], sizes * limit
        above = below > level
        enough = 2 * level[:, 0] + sizes[:, 0] * (4 * len(weights) * _UNIT)
        once = (above[:, 1:] != above[:, :-1]).sum(axis=1) <= 1
        descartes = above[:, 0] & once & (below @ weights > enough)
        low = np.minimum(below, 0.0)
        low[:, 0] = below[:, 0]
        return np.asarray(descartes | (low @ weights > enough))

    def outlook(self, cut: fmpq, best: Sequence[int]) -> fmpq | None:
        """A guess how long after the cut, with ``best`` from there on, another margin falls; None: never."""
        if not self._usable:
            return None
        rest, terms = self._step.basis.reach - cut, self.margins.shape[1]
        margins, at = self.margins.copy(), dict(zip(self.keys, range(len(self.keys)), strict=True))
        for x, rival in enumerate(best):
            if (place := at.get((x, rival))) is not None:
                row = margins[place].copy()
                margins[self._states == x] -= row  # the rival is the leader now,
                margins[place] = -row  # and the leader a rival
        points = _double(cut) + _double(rest) * 2.0 ** -np.arange(_HALVINGS)
        k = np.arange(terms)[:, None]
        with np.errstate(all="ignore"):
            factorials = np.cumsum(np.log(np.maximum(k, 1)), axis=0)
            fallen = margins @ np.exp(k * np.log(points) - points - factorials) < -self._doubt[:, None]
        found = np.flatnonzero(fallen.any(axis=0))
        return rest / (1 << int(found[-1])) if len(found) else None

    def may_vanish(self, small: arb) -> list[MarginKey]:
        """The rivals all of whose coefficients may be below ``small`` times the sensitivity of the margin."""
        if not self._usable:
            return self._step.keys
        limit = self._doubt + self._sensitivity * (2 * float(small.upper()))
        return [self.keys[n] for n in np.flatnonzero(~(np.abs(self.margins).max(axis=1) > limit)).tolist()]


def _recursion(keep: Doubles, rows: Doubles) -> Doubles:
    """``q_k = keep q_(k-1) + rows_k`` for every row, by doubling."""
    shift = 1
    while shift < rows.shape[1]:
        rows[:, shift:] += keep * rows[:, :-shift]
        keep, shift = keep * keep, 2 * shift
    return rows


def _double(number: fmpq) -> float:
    """The nearest double; infinity where there is none."""
    try:
        return int(number.p) / int(number.q)
    except OverflowError:
        return inf
