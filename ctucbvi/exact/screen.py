r"""Margins that certainly stay positive, seen in doubles: most of them, on most steps.

Of the many margins of a step few come near zero, and the others need not be known to many bits.
Here all rivals are computed at once in doubles, next to a bound :math:`\delta` on what rounding can have
done, and a margin is *clear* if the bound leaves no doubt; what is not clear is decided in balls
(:mod:`ctucbvi.exact.survey`), as if this module did not exist.

**Rounding.**  Let :math:`\sigma` bound the coefficients of all values of the step.  A coefficient of a pair is a
sum of products of numbers that are each right to a few units :math:`u = 2^{-53}`; with :math:`d` targets and
:math:`n` coefficients less than :math:`2n(d+8)` roundings of sizes below :math:`\sigma` enter it, since its
recursion is stochastic.  What the balls of the states are wide is added; the radius of the sum of a sequence bounds
all of its radii.

**Positive.**  Let :math:`b_j` be the coefficients of the margin, divided by :math:`x^m` if it vanishes to the order
m at the beginning, computed and made smaller by :math:`\delta`, so that
:math:`f/x^m \ge \sum_j b_j w_j(x) -` tail, :math:`w_j(x) = e^{-x} x^j/j!`.  Then :math:`f/x^m` exceeds half of a
*level* that is at least four times the tail, for all x up to the reach R, if

* :math:`b_0 > ` level, :math:`b_j -` level change sign at most once, and
  :math:`\sum_j b_j w_j(R) > 2\cdot` level, by Descartes' rule (:mod:`ctucbvi.exact.poisson`); or
* :math:`b_0 w_0(R) + \sum_{j>0} \min(b_j, 0)\, w_j(R) >` level: :math:`e^x f/x^m` is not smaller than what this is
  :math:`e^{-R}` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import factorial, inf

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from ctucbvi.exact.poisson import poisson_tail
from ctucbvi.exact.regimes import MarginKey, Problem, RegimeStep
from ctucbvi.exact.start import Opening

Doubles = NDArray[np.float64]

OPENING = fmpq(1, 16)  # part of the first step in which margins are divided by a power of x
_UNIT = 2.0**-52  # twice what rounding does to a double, relatively
_LEVEL = 2.0**-44  # of the size of a margin: smaller ones are not clear
_LARGE, _SMALL = 1e200, 1e-200  # beyond these sizes doubles might overflow or lose digits
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
        self.usable = not problem.truncate and bool(_SMALL < clock and sizes < _LARGE)
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
    """The rivals of one step in doubles, and which of them are certainly no matter."""

    def __init__(self, step: RegimeStep, outline: Outline, first: Opening | None = None) -> None:
        self._step, self._outline = step, outline
        self._end = _double(step.basis.reach * OPENING)
        self._order = max(first.order.values(), default=0) if first else 0
        self.clear: frozenset[MarginKey] = frozenset()
        self.noise = 0.0  # up to which error of the carried values the clear margins are clear
        growth, terms = step.growth, step.basis.terms + 1
        size = float((growth.start + terms * growth.rate).upper()) * (1 + _UNIT)
        self._usable = outline.usable and _SMALL < size < _LARGE
        if not self._usable:
            return
        with np.errstate(all="ignore"):
            self._compute(size, terms)
            if not (first and first.open):
                self.clear = self._cleared(first)
                self.noise = size * _LEVEL / 2

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
        orders: dict[int, list[int]] = {}
        for n, key in enumerate(self.keys):
            orders.setdefault(first.order.get(key, 0) if first else 0, []).append(n)
        tied = first.ties if first else frozenset()
        weights = np.array([float(w) for w in self._step.basis.weights(self._step.basis.reach)])
        found: list[MarginKey] = []
        for order, places in orders.items():
            good = self._positive(np.array(places, dtype=np.intp), order, weights)
            found += [self.keys[n] for n in np.array(places, dtype=np.intp)[good].tolist()]
        return frozenset(found) - tied

    def _positive(self, places: NDArray[np.intp], order: int, weights: Doubles) -> NDArray[np.bool_]:
        """Which of the margins at ``places``, which vanish to ``order``, are clear."""
        basis = self._step.basis
        power = self._end**-order if order else 1.0
        if (
            len(weights) - order < 4
            or not poisson_tail(basis.reach, basis.terms - order - 2) < min(power, 1.0) / 2**50
        ):
            return np.zeros(len(places), dtype=bool)
        sizes = self._sizes[places, None]
        below = self.margins[places, order:] - 2 * self._doubt[places, None]
        if order:
            j = np.arange(1.0, below.shape[1])
            below *= np.cumprod(np.append(1 / factorial(order), j / (j + order)))  # j!/(j + order)!
        weights, level = weights[: below.shape[1]], sizes * (_LEVEL * power)
        above = below > level
        enough = 2 * level[:, 0] + sizes[:, 0] * (4 * len(weights) * _UNIT)
        once = (above[:, 1:] != above[:, :-1]).sum(axis=1) <= 1
        descartes = above[:, 0] & once & (below @ weights > enough)
        low = np.minimum(below, 0.0)
        low[:, 0] = below[:, 0]
        return np.asarray(descartes | (low @ weights > enough))

    def covers(self, noise: arb, end: fmpq) -> bool:
        """Whether the clear margins are clear with this error of the values, from ``end`` on."""
        if not self.clear:
            return True
        late = 1.0 if not self._order or _double(end) >= self._end else inf
        if late == inf and end > 0:
            late = (self._end / _double(end) * (1 + 1e-12)) ** self._order
        return bool(noise * late < self.noise)

    def outlook(self, cut: fmpq, best: Sequence[int]) -> fmpq | None:
        """A guess how long after the cut, with ``best`` from there on, another margin falls; None for never."""
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
