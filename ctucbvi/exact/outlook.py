r"""The margins of many pairs in doubles, from where a regime begins, and where the next one falls.

Switches of states that do nearly the same come nearly together: a margin may begin at :math:`10^{-25}` and
fall at once.  Doubles see that if the beginning is not computed in them.  With coefficients :math:`a_k`
(:mod:`ctucbvi.exact.poisson`) a margin is

.. math:: f(x) = a_0 + \sum_{k\ge1} (m_0 + \dots + m_{k-1})\, w_k(x), \qquad m_k = a_{k+1} - a_k ,

where :math:`a_0` is read off the carried values, in balls if it is small, and the :math:`m_k` are
differences of what belongs to the derivatives: of a committed pair :math:`e_0 = (r - \lambda q + \lambda
\sum_y p(y)\, v_y)/\Lambda` and :math:`e_{k+1} = (1-\lambda/\Lambda)\, e_k + (\lambda/\Lambda) \sum_y p(y)\,
d_{y,k}`, where :math:`d_y` is the :math:`e` of the best pair of y.  In the adjustable problem :math:`d` is
carried by the states, and :math:`\lambda(\sum_y p(y)\, d_y - d_x)` belongs to a pair.

**Rounding.**  Let :math:`\sigma` bound the coefficients of all values and :math:`E` all :math:`|e_0|`, let
a pair have :math:`d` targets at most, and :math:`u = 2^{-53}`; numbers of the model are right to a few
units. Then :math:`e_0` is wrong by :math:`4(d+8)u\sigma` at most, and since the recursion is stochastic
every further step adds no more than :math:`2(d+8)uE`.  So :math:`m_0, \dots, m_{n-1}` and what rounding
adds when they are summed are right to :math:`\varepsilon = 8s(d+8)u(\sigma + nE)`, where :math:`s` is the
sensitivity of the margin; hence :math:`a_k` to :math:`\delta_0 + k\varepsilon`, and :math:`f(x)` to
:math:`\delta_0 + x\varepsilon`, since :math:`\sum_k k w_k(x) = x`.  Here :math:`\delta_0` is a unit of
:math:`a_0` and what its ball is wide, or like :math:`\varepsilon` if there is no ball.  (In the adjustable
problem :math:`a_0` has rewards too, of sizes that are added to :math:`s\sigma`.)

**Underflow** loses :math:`10^{-323}`, which is nothing beside :math:`u\sigma` in a value (smaller
:math:`\sigma` are not looked at), or where it is added to a margin.  So nothing that underflows may be
divided by the clock later: :math:`(r - \lambda q + \dots)/\Lambda` is made of :math:`r/\Lambda` and
:math:`\lambda/\Lambda`.  (In the adjustable problem what is divided is multiplied by a rate again, at most
:math:`\Lambda`.)
"""

from __future__ import annotations

from math import inf, lgamma

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from ctucbvi.exact.poisson import terms_needed
from ctucbvi.exact.problem import MarginKey, Problem
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.numbers import ROUNDING

Doubles = NDArray[np.float64]

LARGE, SMALL = 1e200, 1e-200  # beyond these sizes doubles might overflow or lose digits
_LEAST = 1e-290  # more than underflow can do
_NEAR = 2.0**-20  # of the size of a margin: smaller ones begin in balls
_DENSE = 1 << 14  # entries up to which a matrix is quicker than lists
_DENSITY = 8  # above, lists are quicker if fewer than one entry in so many is not 0
_FIRST, _FARTHER = 2.0**-10, 32.0  # how far is looked first, and how much farther next
_HALVINGS, _FEW_HALVINGS = 256, 6  # of how far is looked, to find the first fall; if it is farther than first
_BITS, _MORE = 128, 4  # to which a series is summed; further terms, so that a screen mostly needs no others


class Outline:
    """The numbers of a problem in doubles, each right to a few units in the last place.

    Rates and rewards are those per tick of the clock, 1/Λ, if the problem is committed.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        pairs, self.clock = problem.quotient.pairs, double(problem.clock)
        tick = problem.clock if problem.committed else fmpq(1)
        self.state = np.array(problem.states, dtype=np.intp)
        self.rate = np.array([double(rate / tick) for rate in problem.rates])
        self.reward = np.array([double(reward / tick) for reward in problem.rewards])
        sizes = max(self.rate.max(), np.abs(self.reward).max(), self.clock)
        self.usable = not problem.truncate and bool(self.clock > SMALL and sizes < LARGE)
        if not self.usable:
            return
        lengths = [len(p.to) for p in pairs]
        self.targets = max(lengths) + 2
        entries = [(y, q.numerator / q.denominator) for p in pairs for y, q in p.to]
        rows = np.repeat(np.arange(len(pairs)), lengths)
        target = np.array([y for y, _ in entries], dtype=np.intp)
        weight = np.array([q for _, q in entries]) * self.rate[rows]
        self._matrix: Doubles | None = None
        if len(pairs) * len(problem.menu) <= max(_DENSE, _DENSITY * len(entries)):
            self._matrix = np.zeros((len(pairs), len(problem.menu)))
            np.add.at(self._matrix, (rows, target), weight)
        else:
            self._target, self._weight = target, weight
            self._jumping = np.flatnonzero(lengths)
            self._begin = np.searchsorted(rows, self._jumping)

    def slopes(self, values: Doubles, own: Doubles) -> Doubles:
        """What jumps bring to every pair, λ(Σ p v - own), given the values of all states."""
        if self._matrix is not None:
            found = self._matrix @ values
        else:
            found = np.zeros(len(self.rate))
            found[self._jumping] = np.add.reduceat(self._weight * values[self._target], self._begin)
        return np.asarray(found - self.rate * own)


class Outlook:
    """The margins of the regime of ``step``, a column for each, from the start of the step on."""

    def __init__(self, outline: Outline, step: RegimeStep) -> None:
        self._outline, self._step = outline, step
        self._best = np.array(step.regime.best, dtype=np.intp)
        rival = np.ones(len(outline.rate), dtype=bool)
        rival[self._best] = False
        self._rivals = np.flatnonzero(rival)
        states = outline.state[self._rivals]
        self._leaders = self._best[states]
        self.keys: list[MarginKey] = list(zip(states.tolist(), self._rivals.tolist(), strict=True))
        self.usable = outline.usable and self.size(0) < LARGE
        if self.usable:
            with np.errstate(all="ignore"):
                self._begin()

    def size(self, terms: int) -> float:
        """A bound for the coefficients of all values, ``terms`` of them."""
        growth = self._step.growth
        return float((growth.start + (terms + 1) * growth.rate).upper()) * (1 + ROUNDING)

    def sizes(self, terms: int) -> Doubles:
        """The same for the margins."""
        return np.asarray(self.sensitivity * self.size(terms) + self._spread)

    def _begin(self) -> None:
        """The margins and the slopes at the start."""
        outline, leaders, rivals = self._outline, self._leaders, self._rivals
        carried = np.array([float(c) for c in self._step.carried])
        if outline.problem.committed:
            self._slopes = outline.slopes(carried[self._best], carried) + outline.reward
            first = carried[leaders] - carried[rivals]
            self.sensitivity, self._spread = np.full(len(rivals), 2.0), np.zeros(len(rivals))
        else:
            slopes = outline.slopes(carried, carried[outline.state]) + outline.reward
            self._slopes = slopes[self._best] / outline.clock
            first = slopes[leaders] - slopes[rivals]
            self.sensitivity = 2 * (outline.rate[leaders] + outline.rate[rivals])
            self._spread = np.abs(outline.reward[leaders]) + np.abs(outline.reward[rivals])
        self._steepest = float(np.abs(self._slopes).max())
        sizes = self.sizes(0)
        self._vague = sizes * (4 * (outline.targets + 8) * ROUNDING) + _LEAST
        for n in np.flatnonzero(~(np.abs(first) > _NEAR * sizes)).tolist():
            ball = self._step.lead(self.keys[n])
            first[n] = float(ball)
            self._vague[n] = abs(first[n]) * ROUNDING + float(ball.rad()) * (1 + ROUNDING) + _LEAST
        self._margins = first[None, :]

    def margins(self, terms: int) -> Doubles:
        """The first ``terms`` coefficients of all margins."""
        if terms > len(self._margins):
            with np.errstate(all="ignore"):
                changes = self._changes(terms - 1)
                first = self._margins[0]
                self._margins = np.empty((terms, len(first)))
                self._margins[0] = first
                behind = changes[:, self._leaders] - changes[:, self._rivals]
                self._margins[1:] = np.cumsum(behind, axis=0) + first
        return np.asarray(self._margins[:terms])

    def _changes(self, number: int) -> Doubles:
        """From one coefficient to the next, so many times, of what the pairs of a margin are compared by."""
        outline, best, now = self._outline, self._best, self._slopes
        found = np.empty((number, len(outline.rate)))
        for k in range(number):
            if outline.problem.committed:
                found[k] = now
                now = now + outline.slopes(now[best], now)
            else:
                found[k] = outline.slopes(now, now[outline.state])
                now = now + found[k, best] / outline.clock
        return found

    def doubts(self, terms: int) -> tuple[Doubles, Doubles]:
        """How far the first of so many coefficients may be from the true one, and how much each next adds."""
        per_term = self.sizes(terms) + self.sensitivity * (max(terms, len(self._margins)) * self._steepest)
        return self._vague, per_term * (4 * (self._outline.targets + 8) * ROUNDING) + _LEAST

    def fall(self, reach: fmpq, fog: arb) -> fmpq | None:
        """A guess of a point soon after a margin is below ``fog`` times 1 + sensitivity; None: never."""
        if not (self.usable and self.keys):
            return None
        far, mist, everything = double(reach), float(fog), np.arange(len(self.keys))
        look, halvings = min(_FIRST, far), _HALVINGS
        with np.errstate(all="ignore"):
            while not len(fallen := np.flatnonzero(self._below(mist, look, 1, everything))) and look < far:
                look, halvings = min(look * _FARTHER, far), _FEW_HALVINGS
            seen = np.flatnonzero(self._below(mist, look, halvings, fallen).any(axis=0))
        if not len(seen):
            return None
        return min(fmpq(*(look / (1 << int(seen[-1]))).as_integer_ratio()), reach)

    def _below(self, fog: float, look: float, points: int, which: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which margins are below the fog at ``look`` and where it is halved."""
        terms = terms_needed(look, min(self._step.basis.bits, _BITS)) + _MORE
        x = look * 2.0 ** -np.arange(points)
        k, logarithms = np.arange(terms)[:, None], np.array([[lgamma(n + 1)] for n in range(terms)])
        weights = np.exp(k * np.log(x) - x - logarithms)
        start, more = self.doubts(terms)
        limit = start[which, None] + more[which, None] * x + fog * (1 + self.sensitivity[which, None])
        return np.asarray(self.margins(terms)[:, which].T @ weights < -limit)


def double(number: fmpq) -> float:
    """The nearest double; infinity where there is none."""
    try:
        return int(number.p) / int(number.q)
    except OverflowError:
        return inf
