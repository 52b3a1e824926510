r"""The fast planner: values and policies in double precision, readable at any remaining time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import frexp, inf
from typing import Any

import numpy as np

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.marching import MarchAim, Room, march
from ctucbvi.policy import Policy
from ctucbvi.solutions import Segment, Switch, computed_segments, switches_of
from ctucbvi.views import ViewedDoubles

_DEGREE, _DEGREE_OF_SMALL, _SMALL = 14, 18, 64  # small: so many pairs that calls, not sums, cost time
_FIRST_ROOM = 24  # pieces to make room for at first
_TOGETHER = 1 << 23  # numbers that are computed between two looks at the clock
TIE = 1e-15  # relative: values closer than this are compared by their slopes
_NOBODY = np.empty(0, np.int64)  # no policy is given


@dataclass(frozen=True)
class Care:
    """How careful a march is, beyond its tolerance: what a certificate that is too large can ask for."""

    reach: float = inf  # the longest step, in mean holding times of the fastest pair
    tie: float = TIE


_USUAL = Care()


@dataclass(frozen=True)
class NumericSolution(ViewedDoubles):
    """V and the best action as piecewise polynomials over remaining time.

    The polynomials are of the model's :meth:`~ctucbvi.model.CTMDP.plain` form; ``value`` is the model's own.
    """

    model: CTMDP
    semantics: Semantics
    truncate: bool
    tolerance: float  # on the true error of every value
    times: Floats  # (pieces + 1,) from 0 to H
    coefficients: Floats  # (pieces, degree + 1, states) in u = position within the piece
    scores: Floats  # (pieces, degree + 1, pairs): q (committed) or h (adjustable)
    best: Integers  # (pieces, states) the pair that is best in each state
    capped: Integers  # (pieces, states) whether V = t
    policy: Policy | None = None  # the policy that was evaluated; None: the optimal one

    def __repr__(self) -> str:
        x, h = self.model.initial, self.model.horizon
        found = f"V({x}, {h}) ≈ {self.value(x):.9g}, {len(self.best)} pieces"
        return f"NumericSolution({self.model.name!r}, {self.semantics}: {found})"

    @property
    def optimal(self) -> bool:
        """Whether the values are the optimal ones, and not those of a given policy."""
        return self.policy is None

    def value(self, state: str, t: Number | None = None) -> float:
        """V(state, t), with ``t`` the remaining time (default: the horizon)."""
        k, u = self._locate(t)
        found = float(np.polyval(self.coefficients[k, ::-1, self.model.state_index(state)], u))
        return self.model.objective.turned(found)

    def action(self, state: str, t: Number | None = None) -> str:
        """The best action; at a switch, the one that is best just after it."""
        k, _ = self._locate(t)
        return self.model.transitions[int(self.best[k, self.model.state_index(state)])].action

    def _locate(self, t: Number | None) -> tuple[int, float]:
        time = self.model.remaining(t)
        k = min(int(np.searchsorted(self.times, float(time), "right")) - 1, len(self.best) - 1)
        return k, (float(time) - self.times[k]) / (self.times[k + 1] - self.times[k])

    def segments(self, state: str) -> list[Segment]:
        """The best actions of ``state`` in increasing remaining time, as computed: nothing certifies them."""
        best, rows = self.best[:, self.model.state_index(state)], self.model.transitions
        starts = (0, *(np.flatnonzero(np.diff(best)) + 1).tolist())
        actions = [(Fraction(self.times[k]), rows[best[k]].action) for k in starts]
        return computed_segments(actions, Fraction(self.times[-1]))

    @cached_property
    def switches(self) -> list[Switch]:
        """Where they change, in increasing remaining time."""
        return switches_of((state, self.segments(state)) for state in self.model.states)


def solve_numeric(
    model: CTMDP,
    semantics: Semantics | str = Semantics.COMMITTED,
    *,
    tolerance: float = 1e-9,
    truncate: bool = False,
    care: Care | None = None,
    budget: NumericBudget | None = None,
) -> NumericSolution:
    """Solve ``model`` with an error of about ``tolerance`` in every value.

    How large it is ``certify`` proves; ``solve_certified`` takes more ``care`` until it is small enough.
    When the budget is out, what is ``known`` is the solution for the remaining time that was reached.
    """
    _check_tolerance(tolerance, model)
    model.plain(truncate=truncate)  # refuses what cannot be truncated
    semantics = Semantics(semantics)
    run = _March(Arrays.of(model), semantics is Semantics.COMMITTED, truncate, tolerance, care, budget)
    try:
        run.go(run.whole, _NOBODY)
    except UndecidedError as error:
        if not 0 < run.reached < inf:
            raise
        run.whole = run.reached
        part = replace(model, horizon=Fraction(run.reached))
        known = NumericSolution(part, semantics, truncate, tolerance, *run.result())
        raise UndecidedError(str(error), known) from None
    return NumericSolution(model, semantics, truncate, tolerance, *run.result())


def evaluate_numeric(
    policy: Policy, semantics: Semantics | str = Semantics.COMMITTED, *, tolerance: float = 1e-9
) -> NumericSolution:
    """The value of ``policy`` with an error of about ``tolerance``; ``certify`` proves how much it is.

    A policy's breakpoints are rounded to doubles; a policy whose breakpoints are doubles is
    evaluated as it is, and certificates are given for such policies only.
    """
    semantics, model = Semantics(semantics), policy.model
    _check_tolerance(tolerance, model)
    run = _March(Arrays.of(model), semantics is Semantics.COMMITTED, False, tolerance)
    pair = {(row.state, row.action): i for i, row in enumerate(model.transitions)}
    starts = (Fraction(0), *policy.breakpoints)
    ends = [*(float(t) for t in starts[1:]), run.whole]
    for start, end in zip(starts, ends, strict=True):
        actions = [pair[x, policy.action(x, start)] for x in model.states]
        run.go(end, np.array(actions, np.int64))
    return NumericSolution(model, semantics, False, tolerance, *run.result(), policy)


def smallest_tolerance(model: CTMDP) -> float:
    """What doubles can give: some rounding errors of the largest value that the model may have."""
    return max(1e-280, 1e-14 * Arrays.of(model).scale)


def _check_tolerance(tolerance: float, model: CTMDP) -> None:
    least = smallest_tolerance(model)
    most = max(1.0, 1e14 * least)  # as large as the values themselves
    if not least <= tolerance < most:
        raise InputError(
            f"tolerance: {tolerance} is out of reach of double precision for values of this size; "
            f"ask for at least {least:.1e} and less than {most:.0e}"
        )


def _unit_of_time(arrays: Arrays) -> float:
    """A power of two near the shortest mean holding time where that is extreme, else 1.

    Taylor coefficients in time are of size λ^j, up to j = 20, and would leave the range of doubles.
    """
    lambda_max = arrays.lambda_max or 1.0 / arrays.horizon
    if not 0 < lambda_max < inf or 1e-12 < lambda_max < 1e12:
        return 1.0
    return 2.0 ** max(min(-frexp(lambda_max)[1], 1000), -1000)


class _March:
    """The arrays of one march, and their growth.

    With another unit of time τ the rates become λτ, rewards stay as they are, and V and g count in τ as well,
    so that V = t remains V = t.
    """

    def __init__(
        self,
        arrays: Arrays,
        committed: bool,
        truncate: bool,
        tolerance: float,
        care: Care | None = None,
        budget: NumericBudget | None = None,
    ) -> None:
        self.unit, self.whole = _unit_of_time(arrays), arrays.horizon
        if self.unit != 1:
            with np.errstate(over="ignore", under="ignore"):
                rate, terminal = arrays.rate * self.unit, arrays.terminal / self.unit
            horizon, lambda_max = arrays.horizon / self.unit, arrays.lambda_max * self.unit
            arrays = arrays._replace(rate=rate, terminal=terminal, horizon=horizon, lambda_max=lambda_max)
            if not (horizon < inf and np.isfinite(terminal).all()):
                raise UndecidedError("the numbers are too far apart for double precision; use --engine exact")
        self.arrays, self.care, self.budget = arrays, care or _USUAL, budget or NO_HURRY
        states, pairs = len(arrays.terminal), len(arrays.rate)
        degree = _DEGREE_OF_SMALL if pairs <= _SMALL else _DEGREE
        longest = self.care.reach / arrays.lambda_max if arrays.lambda_max > 0 else inf
        self.aim = MarchAim(committed, truncate, 0.5 * tolerance / self.whole, longest, self.care.tie, degree)
        g, self.pieces = arrays.terminal, 0
        self.room = Room(
            times=np.zeros(_FIRST_ROOM + 1),
            value=np.empty((_FIRST_ROOM, degree + 2, states)),
            score=np.empty((_FIRST_ROOM, degree + 2, pairs)),
            best=np.zeros((_FIRST_ROOM, states), np.int64),
            cap=np.zeros((_FIRST_ROOM, states), np.int64),
            carried=g[arrays.owner] if committed else np.minimum(g, 0.0) if truncate else g.copy(),
        )

    def go(self, end: float, forced: Integers) -> None:
        """March to ``end``, making room as needed, with the best actions or with those ``forced``."""
        a, end = self.arrays, end / self.unit
        together = max(1, _TOGETHER // ((self.aim.degree + 2) * (len(a.target) + len(a.rate) + 1)))
        while self.room.times[self.pieces] < end:
            self.budget.check(self._reached)
            if self.pieces == len(self.room.best):
                self._grow()
            stop = min(len(self.room.best), self.pieces + together)
            self.pieces = march(tuple(a), tuple(self.aim), tuple(self.room), end, self.pieces, stop, forced)
            if self.pieces < stop and self.room.times[self.pieces] < end:
                raise UndecidedError(
                    f"{self._reached()} is beyond double precision; use --engine exact or other units"
                )

    @property
    def reached(self) -> float:
        """The remaining time that the march has come to."""
        return float(self.room.times[self.pieces] * self.unit)

    def _reached(self) -> str:
        """How far the march has come, as the beginning of a message."""
        return f"remaining time {self.reached:.3g} of {self.whole:.3g} is reached, and the rest"

    def _grow(self) -> None:
        """Make room for twice as many pieces."""
        room = self.room
        arrays = {"value": room.value, "score": room.score, "best": room.best, "cap": room.cap}
        part = self.reached / self.whole
        self.budget.check(self._reached, 2 * sum(array.size for array in arrays.values()), part)
        grown = {name: _doubled(array, len(array)) for name, array in arrays.items()}
        self.room = room._replace(times=_doubled(room.times, len(room.best)), **grown)

    def result(self) -> tuple[Floats, Floats, Floats, Integers, Integers]:
        """Times, values, scores, best pairs and caps of the pieces that were filled."""
        k, d, unit, room = self.pieces, self.aim.degree + 1, self.unit, self.room
        times, value, score = room.times[: k + 1], room.value[:k, :d], room.score[:k, :d]
        if unit != 1:
            with np.errstate(over="ignore", under="ignore"):
                times, value = times * unit, value * unit
                score = score * unit if self.aim.committed else score
            times[-1] = self.whole
        return times, value, score, room.best[:k], room.cap[:k]


def _doubled(array: Any, more: int) -> Any:
    """The array with ``more`` entries of 0 at its end."""
    longer = np.zeros((len(array) + more, *array.shape[1:]), array.dtype)  # pages that nobody has touched yet
    longer[: len(array)] = array
    return longer
