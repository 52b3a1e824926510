r"""One march from 0 to the horizon: the room for its pieces, and what becomes of them.

Either all pieces are kept, and their room grows; or they are handed over part by part to whoever takes them
(:class:`Taker`: notes of what is asked for, a proof), and the room is used again.  The march is the same one:
a step depends on where the last one ended, on how long it was, and on how many there were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, lgamma, log
from typing import Any, Protocol

import numpy as np

from ctucbvi.errors import UndecidedError
from ctucbvi.model import CTMDP
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.bending import MOST_KINKS, Bends, march_over, most_bends
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.desk import LANES, MarchAim, Room
from ctucbvi.numeric.kinks import POWERS, Kinks
from ctucbvi.numeric.marching import march
from ctucbvi.numeric.solution import NumericSolution, Pieces, Wanted
from ctucbvi.numeric.words import DEGREE_OF_SMALL, SMALL
from ctucbvi.policy import Policy

_DEGREE, _LOW_DEGREE = 15, 7  # orders come in eights; the low one is for steps that switches cut short
_FIRST_ROOM = 24  # pieces to make room for at first
_TRIALS = (3, 1.4), (6, 1.0)  # pieces after which the degree is thought over, and what another has to save
_BESIDE = 4  # what a piece costs besides its orders, in orders
_TOGETHER = 1 << 26  # numbers that are computed between two looks at the clock
_AT_ONCE, _LEAST = 1 << 20, 3  # numbers in a room that is used again, for caches, and its least pieces
TIE = 1e-15  # relative: values closer than this are compared by their slopes
NOBODY = np.empty(0, np.int64)  # no policy is given


@dataclass(frozen=True)
class Care:
    """How careful a march is, beyond its tolerance: what a certificate that is too large can ask for."""

    reach: float = inf  # the longest step, in mean holding times of the fastest pair
    tie: float = TIE
    bends: bool | None = (
        None  # whether pieces run over switches (:mod:`ctucbvi.numeric.kinks`); None: if it pays
    )


_USUAL = Care()
_INSTEAD = "ask for the values at some remaining times only (at=), which are kept in little memory"


class Taker(Protocol):
    """Somebody who takes the pieces of a march, part by part."""

    def begin(self) -> None:
        """The march begins, perhaps again; what was taken does not count."""

    def take(self, part: Pieces) -> None:
        """The next pieces; their arrays are used again afterwards."""


class March:
    """The arrays of one march.  Without takers all pieces are kept.

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
        takers: Sequence[Taker] = (),
    ) -> None:
        self.takers = takers
        self.unit, self.whole = arrays.unit_of_time, arrays.horizon
        if self.unit != 1:
            with np.errstate(over="ignore", under="ignore"):
                rate, terminal = arrays.rate * self.unit, arrays.terminal / self.unit
            horizon, lambda_max = arrays.horizon / self.unit, arrays.lambda_max * self.unit
            arrays = arrays._replace(rate=rate, terminal=terminal, horizon=horizon, lambda_max=lambda_max)
            if not (horizon < inf and np.isfinite(terminal).all()):
                raise UndecidedError("the numbers are too far apart for double precision; use --engine exact")
        self.arrays, self.care, self.budget = arrays, care or _USUAL, budget or NO_HURRY
        longest = self.care.reach / arrays.lambda_max if arrays.lambda_max > 0 else inf
        degree = DEGREE_OF_SMALL if len(arrays.rate) <= SMALL else _DEGREE
        self.aim = MarchAim(committed, truncate, 0.5 * tolerance / self.whole, longest, self.care.tie, degree)
        pays = len(arrays.rate) > SMALL and _few_are_bent(arrays)
        allowed = committed and not truncate
        self.bent = allowed and self.care.bends is True
        self.may_bend = allowed and pays and self.care.bends is not False
        if not takers:
            numbers = expected_pieces(arrays, self.aim.allowed, degree) * _piece(arrays, degree)
            self.budget.foresee(f"to keep all of the march of {len(arrays.rate)} pairs", numbers, _INSTEAD)
        self._begin(degree)

    def _begin(self, degree: int) -> None:
        """An empty march."""
        a, self.pieces, self.aim = self.arrays, 0, self.aim._replace(degree=degree)
        self.gone = 0  # pieces that are no longer in the room
        self.handed = 0  # pieces in the room that were handed over: at most its first one
        states, pairs = a.states, len(a.rate)
        piece = _piece(a, degree)
        first = max(_LEAST, _AT_ONCE // piece) if self.takers else int(self.budget.gigabytes * 2**27 / piece)
        first = max(1, min(first, _FIRST_ROOM))
        self.budget.check(lambda: f"the march of {pairs} pairs", first * piece)
        self.room = Room(
            times=np.zeros(first + 1),
            value=np.empty((first, states, degree + 1)),
            score=np.empty((first, pairs, degree + 1)),
            best=np.zeros((first, states), np.int64),
            cap=np.zeros((first, states), np.int64),
            carried=a.terminal.copy() if self.aim.committed else a.start(truncate=self.aim.truncate),
            space=np.zeros((states + pairs) * (degree + LANES) if self.takers else 0),
        )
        for taker in self.takers:
            taker.begin()
        self.bends = None
        if self.bent:
            kinks, bends = 2 * MOST_KINKS, 8 * most_bends(pairs)  # pages that nobody touches cost nothing
            self.bends = Bends(
                row=np.zeros(first + 1, np.int64),
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
            if self.budget.progress:
                self.budget.progress(self.reached / self.whole)
            if self.pieces == len(self.room.best):
                self._make_room()
            together = max(1, _TOGETHER // ((self.aim.degree + 2) * (len(a.target) + len(a.rate) + 1)))
            trials = [t for t in _TRIALS if self.gone + self.pieces < t[0]]
            on_trial = bool(trials) and self.aim.degree == _DEGREE and not forced.size
            stop = min(len(self.room.best), self.pieces + together)
            stop = min(stop, trials[0][0] - self.gone) if on_trial else stop
            began, room = self.pieces, tuple(self.room)
            if self.bends is not None and not forced.size:
                self._make_room_for_bends()
                where = tuple(self.bends)
                self.pieces = march_over(tuple(a), tuple(self.aim), room, where, end, self.gone, began, stop)
            else:
                self.pieces = march(tuple(a), tuple(self.aim), room, end, began, stop, forced)
            if self.pieces == began and self.room.times[began] < end:
                raise UndecidedError(
                    f"{self._reached()} is beyond double precision; use --engine exact or other units"
                )
            if on_trial and self.gone + self.pieces == trials[0][0] and self._cut_short(trials[0][1]):
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
            self._afford((POWERS + 1) * 2 * more)
            bends = bends._replace(bent=_longer(bends.bent, more), bend=_longer(bends.bend, more))
        self.bends = bends._replace(row=_longer(bends.row, len(self.room.best) + 1 - len(bends.row)))

    def _cut_short(self, saved: float) -> bool:
        """Whether switches come so close that more pieces of a low degree cost ``saved`` times less."""
        k, times, low = self.pieces - 1, self.room.times, _LOW_DEGREE
        source = self.room.score if self.aim.committed else self.room.value
        first_left_out = np.abs(source[k, :, low + 1]).max() / (times[k + 1] - times[k]) ** (low + 1)
        pieces = (self.gone + self.pieces) / times[self.pieces]  # per unit of time
        more = pieces + (first_left_out / self.aim.allowed) ** (1 / low)
        return bool(saved * (low + 1 + _BESIDE) * more < (self.aim.degree + 1 + _BESIDE) * pieces)

    @property
    def reached(self) -> float:
        """The remaining time that the march has come to."""
        return float(self.room.times[self.pieces] * self.unit)

    def _reached(self) -> str:
        """How far the march has come, as the beginning of a message."""
        return f"remaining time {self.reached:.3g} of {self.whole:.3g} is reached, and the rest"

    def _afford(self, numbers: int) -> None:
        """Raise if so many doubles have no room, or will have none in the end."""
        instead = "take a shorter horizon or smaller rates"
        if not self.takers:
            instead = _INSTEAD
        self.budget.check(self._reached, numbers, self.reached / self.whole, instead)

    def _make_room(self) -> None:
        """The room is full."""
        if self.takers:
            self._hand_over()
        else:
            self._grow()

    def _grow(self) -> None:
        """Make room for twice as many pieces at least, or for as many as it seems to take."""
        room, part = self.room, self.reached / self.whole
        arrays = {"value": room.value, "score": room.score, "best": room.best, "cap": room.cap}
        numbers = sum(array.size for array in arrays.values())
        self._afford(2 * numbers)
        fit = int(self.budget.gigabytes * 2**27 / numbers * self.pieces)
        guess = int(1.2 * self.pieces / part)
        more = max(self.pieces, guess - self.pieces) if guess <= fit else self.pieces
        grown = {name: _longer(array, more) for name, array in arrays.items()}
        self.room = room._replace(times=_longer(room.times, more), **grown)

    def _hand_over(self, *, last: bool = False) -> None:
        """Give the takers what is in the room and use it again; the last piece stays, as the first one."""
        part, k, room = Pieces(*self._filled(), self.kinks(), self.handed, last), self.pieces - 1, self.room
        for taker in self.takers:
            taker.take(part)
        room.times[:2] = room.times[k : k + 2]
        for array in (room.value, room.score, room.best, room.cap):
            array[0] = array[k]
        if self.bends is not None:
            _only_last(self.bends, k)
        self.gone, self.pieces, self.handed = self.gone + k, 1, 1

    def finish(self) -> None:
        """Hand over what is left."""
        if self.takers:
            self._hand_over(last=True)

    def _filled(self) -> tuple[Floats, Floats, Floats, Integers, Integers]:
        """Times, values, scores, best pairs and caps of the pieces in the room, as in :class:`Room`."""
        k, unit, room = self.pieces, self.unit, self.room
        times, value, score = room.times[: k + 1], room.value[:k], room.score[:k]
        if unit != 1:
            with np.errstate(over="ignore", under="ignore"):
                times, value = times * unit, value * unit
                score = score * unit if self.aim.committed else score
            times[-1] = self.whole if room.times[k] >= self.whole / unit else times[-1]
        return times, value, score, room.best[:k], room.cap[:k]

    def solution(self, model: CTMDP, problem: Wanted, policy: Policy | None = None) -> NumericSolution:
        """All pieces, which are those in the room, as a solution for ``model``."""
        times, value, score, best, cap = self._filled()
        value, score = value.transpose(0, 2, 1), score.transpose(0, 2, 1)
        return NumericSolution(model, *problem, times, value, score, best, cap, policy, self.kinks())

    def kinks(self) -> Kinks | None:
        """The kinks of the pieces in the room; None where pieces do not run over switches."""
        if self.bends is None:
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


def _piece(arrays: Arrays, degree: int) -> int:
    """The numbers of one piece."""
    return (degree + 1) * (arrays.states + len(arrays.rate)) + 2 * arrays.states


def expected_pieces(arrays: Arrays, allowed: float, degree: int) -> float:
    r"""About how many pieces a march has; more, where many switches cut them short.

    No slope is larger than at remaining time 0, where it is at most :math:`M = \max|r| + \lambda(\max g -
    \min g)`.  Coefficients of the size :math:`Mh(\lambda h)^{j-1}/j!` leave the residual
    :math:`M(\lambda h)^d/d!` behind, of which so much is ``allowed``.
    """
    slope = np.abs(arrays.reward).max() + arrays.lambda_max * np.ptp(arrays.terminal)
    load = arrays.lambda_max * arrays.horizon
    if not (0 < load < inf and 0 < slope < inf and allowed > 0):
        return 1.0
    longest = (log(allowed) + lgamma(degree + 1) - log(slope)) / degree  # λh, its logarithm
    return max(1.0, load * exp(min(-longest, 600.0)))


def _few_are_bent(arrays: Arrays) -> bool:
    """Whether a switch bends few pairs: those that lead to the state, and those that lead there in turn."""
    pairs, states = len(arrays.rate), arrays.states
    into = len(arrays.target) / states  # pairs that lead to a state
    return into * (1 + into * states / pairs) < pairs / 16


def _longer(array: Any, more: int) -> Any:
    """The array with room for ``more`` entries at its end."""
    longer = np.empty((len(array) + more, *array.shape[1:]), array.dtype)  # pages that nobody has touched yet
    longer[: len(array)] = array
    return longer


def _only_last(bends: Bends, piece: int) -> None:
    """Move the kinks of this piece, the last one, to the front."""
    low, high = int(bends.row[piece]), int(bends.row[piece + 1])
    begin, end = int(bends.bent_row[low]), int(bends.bent_row[high])
    bends.row[1] = high - low
    for array in (bends.place, bends.pair):
        array[: high - low] = array[low:high].copy()
    bends.bent_row[: high - low + 1] = bends.bent_row[low : high + 1] - begin
    for array in (bends.bent, bends.bend):
        array[: end - begin] = array[begin:end].copy()
