r"""CT-UCBVI in doubles with located switches: ``alg:VI`` without a grid.

The iterates :math:`V_1, \dots, V_m` are the levels of one layered model
(:mod:`ctucbvi.learning.estimated`), which the fast planner solves in one pass: piecewise polynomials in the
remaining time whose pieces end where an action or the truncation takes over.  Then

* :math:`\|V_n - V_{n-1}\|_\infty` is the largest value of finitely many polynomials, found between two bounds
  by halving intervals (Bernstein coefficients), and :math:`n_k` is the first :math:`n` at which it is below
  :math:`\epsilon_k`;
* the best action of level :math:`n_k + 1` is the policy of ``eq:pi-k``, at every remaining time.

If none of the distances is small enough, the layers are doubled.  Where a distance cannot be told from 0,
:math:`\epsilon_k` is below what doubles resolve (it may underflow), and the iteration ends there.

Estimates are doubles: holding times are rounded and added up as they come.  With :math:`m` additions a
relative error of :math:`(1+u)^{m+1} - 1`, :math:`u = 2^{-53}`, is the most that :math:`T` can have, all
terms being positive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.learning import DOUBLES, Episode, Settings, Statistics, constants
from ctucbvi.learning.estimated import estimated_model, layer, layered
from ctucbvi.learning.replanning import unknown_time
from ctucbvi.learning.sharp import bonus_of
from ctucbvi.numbers import UNIT
from ctucbvi.numeric.planner import smallest_tolerance, solve_numeric
from ctucbvi.numeric.solution import NumericSolution

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP
    from ctucbvi.numeric.arrays import Floats

_HALVINGS = 40
_MOST_LEVELS = 4096


@dataclass(frozen=True)
class LocatedPlan:
    """What the learner computes at the start of an episode, in doubles."""

    model: CTMDP  # the true one: its names
    estimated: CTMDP  # with the doubles λ̂ and r + b
    rates: tuple[float, ...]  # λ̂, one per pair
    bonus: tuple[float, ...]  # b, one per pair
    epsilon: float
    levels: int
    solution: NumericSolution  # of the layered model
    iterations: int  # n_k
    distances: tuple[tuple[float, float], ...]  # bounds of ‖V_n − V_{n−1}‖ as computed, n = 1, ..., n_k

    def value(self, state: str, t: Fraction | None = None) -> float:
        """V̂(state, t); ``t`` is the remaining time (default: the horizon)."""
        return self.solution.value(self._name(state, self.iterations), t)

    def action(self, state: str, t: Fraction) -> str:
        """The action of ``eq:pi-k``; with no time left all are equal, and the first is taken."""
        if t == 0:
            return self.model.actions_of(state)[0]
        return self.solution.action(self._name(state, self.iterations + 1), t)

    def _name(self, state: str, level: int) -> str:
        place: int = layer(self.estimated, self.levels, level).start + self.model.state_index(state)
        return self.solution.model.states[place]


class LocatedLearner:
    """CT-UCBVI in doubles, planning with located switches."""

    def __init__(self, model: CTMDP, settings: Settings, *, tolerance: float = 1e-10) -> None:
        settings.check(model)
        settings.require_bonus()
        settings.require_end()
        self.model, self.settings, self.tolerance = model, settings, tolerance
        self.radii = constants(model, settings, DOUBLES)
        pairs = len(model.transitions)
        self.episodes = 0
        self.time = [0.0] * pairs  # T
        self.additions = [0] * pairs  # how many holding times T adds up
        self.n_plus = [0] * pairs  # N⁺
        self.jumps = [[0] * len(model.states) for _ in range(pairs)]  # N
        self._row = {(r.state, r.action): i for i, r in enumerate(model.transitions)}
        self._plan: LocatedPlan | None = None
        self._known = (0, tuple(self.n_plus), tuple(self.time))  # episodes, N⁺ and T of the last plan
        self._open = True  # whether it is still to be decided if the episode that is due is planned
        self._guess = 3  # levels that will probably do

    def due(self) -> tuple[bool, float]:
        """Whether the episode is to be planned, and how close a call it was: a relative difference."""
        factor, (episodes, n_plus, time) = 1 + self.settings.replan, self._known
        floor = unknown_time(self.model, self.settings, DOUBLES)
        gaps = [now / (float(factor) * max(old, floor)) - 1 for old, now in zip(time, self.time, strict=True)]
        counted = self.episodes + 1 > factor * (episodes + 1) or any(
            now > factor * max(1, old) for old, now in zip(n_plus, self.n_plus, strict=True)
        )
        again = self._plan is None or self.settings.replan == 0 or counted
        return again or max(gaps) > 0, math.inf if again else min(map(abs, gaps))

    def plan(self, again: bool | None = None) -> LocatedPlan:
        """The plan of the episode that is due; ``again`` decides in the learner's place whether it is new."""
        if self._plan is None or (self._open and (self.due()[0] if again is None else again)):
            rates = tuple(self.rate(k) for k in range(len(self.n_plus)))
            bonus = tuple(self.bonus(k) for k in range(len(self.n_plus)))
            product = self.settings.lambda_max * self.model.horizon
            epsilon = self.settings.epsilon.at(self.episodes + 1, product, DOUBLES)
            epsilon /= float(self.settings.tightening(self.model.horizon))
            self._known = (self.episodes, tuple(self.n_plus), tuple(self.time))
            self._plan = self._iterated(rates, bonus, epsilon)
            self._guess = self._plan.iterations + 1
        self._open = False
        return self._plan

    def rate(self, pair: int) -> float:
        r""":math:`\hat\lambda` (``eq:rate-est``)."""
        lambda_max, n_plus, time = float(self.settings.lambda_max), self.n_plus[pair], self.time[pair]
        found = min(n_plus / time, lambda_max) if n_plus and time else lambda_max if n_plus else 0.0
        return found if self.settings.lambda_min is None else max(found, float(self.settings.lambda_min))

    def bonus(self, pair: int) -> float:
        """``eq:bonus-k``, or the sharp one."""
        return bonus_of(
            self.settings,
            self.radii,
            rate=self.rate(pair),
            reward=float(self.model.transitions[pair].reward),
            time=self.time[pair],
            n_plus=float(self.n_plus[pair]),
            numbers=DOUBLES,
        )

    def choose(self, state: str, remaining: Fraction) -> str:
        """The action of the policy of the episode that is due."""
        return self.plan().action(state, remaining)

    def observe(self, episode: Episode) -> None:
        """Take an episode into account."""
        column = self.model.states.index
        for visit in episode.visits:
            pair = self._row[visit.state, visit.action]
            self.time[pair] += float(visit.holding)
            self.additions[pair] += 1
            if visit.to is not None:
                self.n_plus[pair] += 1
                self.jumps[pair][column(visit.to)] += 1
        self.episodes += 1
        self._open = True

    def time_error(self, pair: int) -> Fraction:
        """A proved bound on the relative error of T."""
        return (1 + Fraction(UNIT)) ** (self.additions[pair] + 1) - 1

    def _iterated(self, rates: tuple[float, ...], bonus: tuple[float, ...], epsilon: float) -> LocatedPlan:
        seen = Statistics(
            self.model,
            self.episodes,
            tuple(map(Fraction, self.time)),
            tuple(map(tuple, self.jumps)),
            tuple(self.n_plus),
        )
        estimated = estimated_model(seen, self.settings, [*map(Fraction, bonus)], [*map(Fraction, rates)])
        levels = self._guess
        while levels <= _MOST_LEVELS:
            model = layered(estimated, levels)
            tolerance = max(self.tolerance, 4 * smallest_tolerance(model))
            solution = solve_numeric(model, tolerance=tolerance, truncate=True)
            distances: list[tuple[float, float]] = []
            for n in range(1, levels):
                distances.append(distance(solution, estimated, levels, n, epsilon))
                if sum(distances[-1]) / 2 < epsilon or distances[-1][0] == 0.0:
                    found = tuple(distances)
                    return LocatedPlan(
                        self.model, estimated, rates, bonus, epsilon, levels, solution, n, found
                    )  # fmt: skip
            levels *= 2
        raise InputError(
            f"episode {self.episodes + 1}: no end within {_MOST_LEVELS} iterations; choose a larger epsilon"
        )


def distance(
    solution: NumericSolution, estimated: CTMDP, levels: int, n: int, goal: float = math.nan
) -> tuple[float, float]:
    """Bounds of ``sup |V_n - V_{n-1}|`` for the polynomials in ``solution``, rounding included.

    They are narrowed until ``goal`` lies outside, or as far as doubles go.
    """
    values = solution.coefficients
    difference = values[:, :, layer(estimated, levels, n)]
    if n > 1:
        difference = difference - values[:, :, layer(estimated, levels, n - 1)]
    rows = np.ascontiguousarray(np.moveaxis(difference, 1, 2)).reshape(-1, values.shape[1])
    lower, upper = supremum(rows, goal)
    # Subtraction, change of basis and at most _HALVINGS averages, each of as many terms as a row has: each
    # rounds by UNIT of the sum of the absolute values, and by less than twice that to all orders.
    blur = 2 * (_HALVINGS + 6) * rows.shape[1] * UNIT * float(np.abs(rows).sum(axis=1).max())
    return max(lower - blur, 0.0), upper + blur


def supremum(rows: Floats, goal: float) -> tuple[float, float]:
    """Bounds of the largest ``|Σ d_k u^k|`` on [0, 1] over all rows ``d``, up to rounding."""
    n = rows.shape[1] - 1
    basis = np.array([[math.comb(j, k) / math.comb(n, k) for k in range(n + 1)] for j in range(n + 1)])
    b = rows @ basis.T
    lower = upper = 0.0
    for _ in range(_HALVINGS):
        tops = np.abs(b).max(axis=1)
        lower = max(lower, float(np.abs(b[:, [0, -1]]).max()))
        upper = max(lower, float(tops.max()))
        if upper - lower <= 4 * UNIT * upper or upper < goal or lower >= goal:
            break
        b = _halves(b[tops > lower])
    return lower, upper


def _halves(b: Floats) -> Floats:
    """Bernstein coefficients on both halves of the interval (de Casteljau)."""
    left, right, n = np.empty_like(b), np.empty_like(b), b.shape[1] - 1
    work = b.copy()
    for k in range(n + 1):
        left[:, k], right[:, n - k] = work[:, 0], work[:, n - k]
        work[:, : n - k] = 0.5 * (work[:, : n - k] + work[:, 1 : n - k + 1])
    return np.concatenate([left, right])
