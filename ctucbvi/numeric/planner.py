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
from ctucbvi.numeric.bending import MOST_KINKS, Bends, march_over, most_bends
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.kinks import POWERS, Kinks
from ctucbvi.numeric.marching import MarchAim, Room, march
from ctucbvi.policy import Policy
from ctucbvi.solutions import Segment, Switch, computed_segments, switches_of
from ctucbvi.views import ViewedDoubles

_DEGREE, _LOW_DEGREE = 15, 7  # orders come in eights; the low one is for steps that switches cut short
_DEGREE_OF_SMALL, _SMALL = 18, 64  # small: so many pairs that calls, not sums, cost time
_FIRST_ROOM = 24  # pieces to make room for at first
_TRIAL = 6  # pieces after which the degree is thought over
_BESIDE = 4  # what a piece costs besides its orders, in orders
_TOGETHER = 1 << 26  # numbers that are computed between two looks at the clock
TIE = 1e-15  # relative: values closer than this are compared by their slopes
_NOBODY = np.empty(0, np.int64)  # no policy is given


@dataclass(frozen=True)
class Care:
    """How careful a march is, beyond its tolerance: what a certificate that is too large can ask for."""

    reach: float = inf  # the longest step, in mean holding times of the fastest pair
    tie: float = TIE
    bends: bool | None = (
        None  # whether pieces run over switches (:mod:`ctucbvi.numeric.kinks`); None: if it pays
    )


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
    kinks: Kinks | None = None  # switches inside pieces, and what they bend

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
        coefficients, bends = self.parts(k, u, self.model.state_index(state))
        found = 0.0
        for c in reversed(coefficients):
            found = found * u + c
        for place, bend in bends:
            found += sum(c * (u - place) ** m for m, c in enumerate(bend, 2) if u > place)
        return self.model.objective.turned(found)

    def parts(
        self, piece: int, u: float | Fraction, x: int
    ) -> tuple[list[float], list[tuple[float, list[float]]]]:
        """What V is at position ``u`` of a piece: a polynomial, and bends that begin at their places."""
        if self.kinks is None:
            return self.coefficients[piece, :, x].tolist(), []
        pair = self.kinks.turned(piece, u, x, Arrays.of(self.model).owner)
        if pair < 0:
            return self.coefficients[piece, :, x].tolist(), self.kinks.bends(piece, int(self.best[piece, x]))
        return self.scores[piece, :, pair].tolist(), self.kinks.bends(piece, pair)

    def action(self, state: str, t: Number | None = None) -> str:
        """The best action; at a switch, the one that is best just after it."""
        k, u = self._locate(t)
        x = self.model.state_index(state)
        turned = -1 if self.kinks is None else self.kinks.turned(k, u, x, Arrays.of(self.model).owner)
        return self.model.transitions[int(self.best[k, x]) if turned < 0 else turned].action

    def _locate(self, t: Number | None) -> tuple[int, float]:
        time = self.model.remaining(t)
        k = min(int(np.searchsorted(self.times, float(time), "right")) - 1, len(self.best) - 1)
        return k, (float(time) - self.times[k]) / (self.times[k + 1] - self.times[k])

    def segments(self, state: str) -> list[Segment]:
        """The best actions of ``state`` in increasing remaining time, as computed: nothing certifies them."""
        x, rows = self.model.state_index(state), self.model.transitions
        times, best = self.times[:-1], self.best[:, x]
        if self.kinks is not None:
            when, pair, piece, owner = self._turns
            turns = np.flatnonzero(owner == x)
            order = np.argsort(np.concatenate([np.arange(len(best)), piece[turns]]), kind="stable")
            times = np.concatenate([times, when[turns]])[order]
            best = np.concatenate([best, pair[turns]])[order]
            last = np.append(np.diff(times) > 0, True)  # of several at the same time
            times, best = times[last], best[last]
        starts = (0, *(np.flatnonzero(np.diff(best)) + 1).tolist())
        actions = [(Fraction(times[k]), rows[best[k]].action) for k in starts]
        return computed_segments(actions, Fraction(self.times[-1]))

    @cached_property
    def _turns(self) -> tuple[Floats, Integers, Integers, Integers]:
        """Time, pair, piece and state of all kinks."""
        assert self.kinks is not None
        piece = np.repeat(np.arange(len(self.best)), np.diff(self.kinks.row))
        when = self.times[piece] + self.kinks.place * (self.times[piece + 1] - self.times[piece])
        when = np.minimum(when, self.times[piece + 1])
        return when, self.kinks.pair, piece, Arrays.of(self.model).owner[self.kinks.pair]

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
    run = _March(Arrays.in_order(model), semantics is Semantics.COMMITTED, truncate, tolerance, care, budget)
    try:
        run.go(run.whole, _NOBODY)
    except UndecidedError as error:
        if not 0 < run.reached < inf:
            raise
        run.whole = run.reached
        part = replace(model, horizon=Fraction(run.reached))
        known = NumericSolution(part, semantics, truncate, tolerance, *run.result(), kinks=run.kinks())
        raise UndecidedError(str(error), known) from None
    return NumericSolution(model, semantics, truncate, tolerance, *run.result(), kinks=run.kinks())


def evaluate_numeric(
    policy: Policy, semantics: Semantics | str = Semantics.COMMITTED, *, tolerance: float = 1e-9
) -> NumericSolution:
    """The value of ``policy`` with an error of about ``tolerance``; ``certify`` proves how much it is.

    A policy's breakpoints are rounded to doubles; a policy whose breakpoints are doubles is
    evaluated as it is, and certificates are given for such policies only.
    """
    semantics, model = Semantics(semantics), policy.model
    _check_tolerance(tolerance, model)
    run = _March(Arrays.in_order(model), semantics is Semantics.COMMITTED, False, tolerance)
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
        longest = self.care.reach / arrays.lambda_max if arrays.lambda_max > 0 else inf
        degree = _DEGREE_OF_SMALL if len(arrays.rate) <= _SMALL else _DEGREE
        self.aim = MarchAim(committed, truncate, 0.5 * tolerance / self.whole, longest, self.care.tie, degree)
        pays = len(arrays.rate) > _SMALL and _few_are_bent(arrays)
        allowed = committed and not truncate
        self.bent = allowed and self.care.bends is True
        self.may_bend = allowed and pays and self.care.bends is not False
        self._begin(degree)

    def _begin(self, degree: int) -> None:
        """An empty march."""
        a, self.pieces, self.aim = self.arrays, 0, self.aim._replace(degree=degree)
        states, pairs, g = len(a.terminal), len(a.rate), a.terminal
        start = np.minimum(g, 0.0) if self.aim.truncate else g.copy()
        self.room = Room(
            times=np.zeros(_FIRST_ROOM + 1),
            value=np.empty((_FIRST_ROOM, states, degree + 1)),
            score=np.empty((_FIRST_ROOM, pairs, degree + 1)),
            best=np.zeros((_FIRST_ROOM, states), np.int64),
            cap=np.zeros((_FIRST_ROOM, states), np.int64),
            carried=g[a.owner] if self.aim.committed else start,
        )
        self.bends = None
        if self.bent:
            kinks, bends = 2 * MOST_KINKS, 8 * most_bends(pairs)  # pages that nobody touches cost nothing
            self.bends = Bends(
                row=np.zeros(_FIRST_ROOM + 1, np.int64),
                place=np.empty(kinks),
                pair=np.empty(kinks, np.int64),
                bent_row=np.zeros(kinks + 1, np.int64),
                bent=np.empty(bends, np.int64),
                bend=np.empty((bends, POWERS)),
            )

    def go(self, end: float, forced: Integers) -> None:
        """March to ``end``, making room as needed, with the best actions or with those ``forced``."""
        a, end = self.arrays, end / self.unit
        while self.room.times[self.pieces] < end:
            self.budget.check(self._reached)
            if self.pieces == len(self.room.best):
                self._grow()
            together = max(1, _TOGETHER // ((self.aim.degree + 2) * (len(a.target) + len(a.rate) + 1)))
            on_trial = self.pieces < _TRIAL and self.aim.degree == _DEGREE and not forced.size
            stop = min(_TRIAL if on_trial else len(self.room.best), self.pieces + together)
            began = self.pieces
            if self.bends is not None and not forced.size:
                self._make_room_for_bends()
                to = tuple(self.bends)
                self.pieces = march_over(tuple(a), tuple(self.aim), tuple(self.room), to, end, began, stop)
            else:
                self.pieces = march(tuple(a), tuple(self.aim), tuple(self.room), end, began, stop, forced)
            if self.pieces == began and self.room.times[began] < end:
                raise UndecidedError(
                    f"{self._reached()} is beyond double precision; use --engine exact or other units"
                )
            if on_trial and self.pieces == _TRIAL and self._cut_short():
                self.bent = self.bent or self.may_bend
                self._begin(_LOW_DEGREE)

    def _make_room_for_bends(self) -> None:
        """At least for one more piece, and for the rows of all."""
        bends, most = self.bends, most_bends(len(self.arrays.rate))
        assert bends is not None
        kinks = int(bends.row[self.pieces])
        if len(bends.place) - kinks <= MOST_KINKS:
            more = len(bends.place)
            bends = bends._replace(
                place=_longer(bends.place, more),
                pair=_longer(bends.pair, more),
                bent_row=_longer(bends.bent_row, more),
            )
        if len(bends.bent) - bends.bent_row[kinks] < most:
            more = len(bends.bent)
            self.budget.check(self._reached, (POWERS + 1) * 2 * more, self.reached / self.whole)
            bends = bends._replace(bent=_longer(bends.bent, more), bend=_longer(bends.bend, more))
        self.bends = bends._replace(row=_longer(bends.row, len(self.room.best) + 1 - len(bends.row)))

    def _cut_short(self) -> bool:
        """Whether switches come so close together that more pieces of a low degree cost less."""
        k, times, low = self.pieces - 1, self.room.times, _LOW_DEGREE
        source = self.room.score if self.aim.committed else self.room.value
        first_left_out = np.abs(source[k, :, low + 1]).max() / (times[k + 1] - times[k]) ** (low + 1)
        pieces = self.pieces / times[self.pieces]  # per unit of time
        more = pieces + (first_left_out / self.aim.allowed) ** (1 / low)
        return bool((low + 1 + _BESIDE) * more < (self.aim.degree + 1 + _BESIDE) * pieces)

    @property
    def reached(self) -> float:
        """The remaining time that the march has come to."""
        return float(self.room.times[self.pieces] * self.unit)

    def _reached(self) -> str:
        """How far the march has come, as the beginning of a message."""
        return f"remaining time {self.reached:.3g} of {self.whole:.3g} is reached, and the rest"

    def _grow(self) -> None:
        """Make room for twice as many pieces at least, or for as many as it seems to take."""
        room, part = self.room, self.reached / self.whole
        arrays = {"value": room.value, "score": room.score, "best": room.best, "cap": room.cap}
        numbers = sum(array.size for array in arrays.values())
        self.budget.check(self._reached, 2 * numbers, part)
        fit = int(self.budget.gigabytes * 2**27 / numbers * self.pieces)
        guess = int(1.2 * self.pieces / part)
        more = max(self.pieces, guess - self.pieces) if guess <= fit else self.pieces
        grown = {name: _longer(array, more) for name, array in arrays.items()}
        self.room = room._replace(times=_longer(room.times, more), **grown)

    def result(self) -> tuple[Floats, Floats, Floats, Integers, Integers]:
        """Times, values, scores, best pairs and caps of the pieces that were filled."""
        k, unit, room = self.pieces, self.unit, self.room
        times, value, score = (
            room.times[: k + 1],
            room.value[:k].transpose(0, 2, 1),
            room.score[:k].transpose(0, 2, 1),
        )
        if unit != 1:
            with np.errstate(over="ignore", under="ignore"):
                times, value = times * unit, value * unit
                score = score * unit if self.aim.committed else score
            times[-1] = self.whole
        return times, value, score, room.best[:k], room.cap[:k]

    def kinks(self) -> Kinks | None:
        """The kinks of the pieces that were filled; None where there are none."""
        if self.bends is None or not self.bends.row[self.pieces]:
            return None
        row, place, pair, bent_row, bent, bend = self.bends
        kinks = int(row[self.pieces])
        bends = int(bent_row[kinks])
        return Kinks(
            row[: self.pieces + 1],
            place[:kinks],
            pair[:kinks],
            bent_row[: kinks + 1],
            bent[:bends],
            bend[:bends] * self.unit if self.unit != 1 else bend[:bends],
        )


def _few_are_bent(arrays: Arrays) -> bool:
    """Whether a switch bends few pairs: those that lead to the state, and those that lead there in turn."""
    pairs, states = len(arrays.rate), len(arrays.terminal)
    into = len(arrays.target) / states  # pairs that lead to a state
    return into * (1 + into * states / pairs) < pairs / 16


def _longer(array: Any, more: int) -> Any:
    """The array with room for ``more`` entries at its end."""
    longer = np.empty((len(array) + more, *array.shape[1:]), array.dtype)  # pages that nobody has touched yet
    longer[: len(array)] = array
    return longer
