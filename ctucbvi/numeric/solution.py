r"""What the fast planner answers: values and a policy in double precision.

A *solution* has all its pieces and is readable at any remaining time; it can be saved, and proved accurate by
anybody.  An *excerpt* has the pieces at the remaining times that were asked for, and the whole policy as a
list of :mod:`turns <ctucbvi.numeric.turns>`: a model with many states needs hundreds of times less
memory for it, since pieces are read, proved and forgotten one after the other (:class:`Pieces`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.kinks import Kinks
from ctucbvi.numeric.turns import TurnList, Turns
from ctucbvi.policy import Policy
from ctucbvi.solutions import Segment, Switch, beginning, switches_of
from ctucbvi.views import ViewedDoubles

_ORDERS = 16  # of a piece, usually


class Wanted(NamedTuple):
    """What is solved, and how accurately."""

    semantics: Semantics
    truncate: bool
    tolerance: float


class Pieces(NamedTuple):
    """Pieces that follow each other; the first ``begin`` of them, at most one, belong to the part before."""

    times: Floats  # (pieces + 1,)
    value: Floats  # (pieces, states, orders)
    score: Floats  # (pieces, pairs, orders)
    best: Integers  # (pieces, states)
    capped: Integers  # (pieces, states)
    kinks: Kinks | None
    begin: int
    last: bool  # whether no others follow


@dataclass(frozen=True, repr=False)
class NumericAnswer(ViewedDoubles):
    """V and the best actions over remaining time, as computed.

    Inside, the numbers are those of the model's :meth:`~ctucbvi.model.CTMDP.plain` form; ``value`` is the
    model's own.
    """

    model: CTMDP
    semantics: Semantics
    truncate: bool
    tolerance: float  # on the true error of every value
    times: Floats  # (pieces + 1,) from 0 to H
    kind: ClassVar[str] = "NumericSolution"

    def __repr__(self) -> str:
        x, h = beginning(self.model), self.model.horizon
        found = f"V({x}, {h}) ≈ {self.mean():.9g}, {len(self.times) - 1} pieces"
        return f"{self.kind}({self.model.name!r}, {self.semantics}: {found})"

    def parts(
        self, piece: int, u: float | Fraction, x: int
    ) -> tuple[list[float], list[tuple[float, list[float]]]]:
        """What V is at position ``u`` of a piece: a polynomial, and bends that begin at their places."""
        raise NotImplementedError

    @property
    def turns(self) -> Turns:
        """When each state turns to which pair."""
        raise NotImplementedError

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

    def _locate(self, t: Number | None) -> tuple[int, float]:
        time = float(self.model.remaining(t))
        k = min(int(np.searchsorted(self.times, time, "right")) - 1, len(self.times) - 2)
        return k, (time - self.times[k]) / (self.times[k + 1] - self.times[k])

    def action(self, state: str, t: Number | None = None) -> str:
        """The best action; at a switch, the one that is best just after it."""
        time = float(self.model.remaining(t))
        return self.model.action_of(self.turns.at(self.model.state_index(state), time))

    def segments(self, state: str) -> list[Segment]:
        """The best actions of ``state`` in increasing remaining time, as computed: nothing certifies them."""
        return list(self._lines[self.model.state_index(state)])

    @cached_property
    def switches(self) -> list[Switch]:
        """Where they change, in increasing remaining time."""
        return switches_of(zip(self.model.states, self._lines, strict=True))

    @cached_property
    def _lines(self) -> list[list[Segment]]:
        """The segments of all states."""
        return self.turns.segments(self.model, float(self.times[-1]))


@dataclass(frozen=True, repr=False)
class NumericSolution(NumericAnswer):
    """V and the best action as piecewise polynomials, all of them."""

    coefficients: Floats  # (pieces, degree + 1, states) in u = position within the piece
    scores: Floats  # (pieces, degree + 1, pairs): q (committed) or h (adjustable)
    best: Integers  # (pieces, states) the pair that is best in each state
    capped: Integers  # (pieces, states) whether V = t
    policy: Policy | None = None  # the policy that was evaluated; None: the optimal one
    kinks: Kinks | None = None  # switches inside pieces, and what they bend

    @property
    def optimal(self) -> bool:
        """Whether the values are the optimal ones, and not those of a given policy."""
        return self.policy is None

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
        k, u = self._locate(t)  # a learner asks once, and a list of all turns would take it longer
        x = self.model.state_index(state)
        turned = -1 if self.kinks is None else self.kinks.turned(k, u, x, Arrays.of(self.model).owner)
        return self.model.action_of(int(self.best[k, x]) if turned < 0 else turned)

    @cached_property
    def turns(self) -> Turns:
        """When each state turns to which pair."""
        found = TurnList(Arrays.of(self.model).owner)
        found.add(self.times, self.best, self.kinks, 0)
        return found.turns()


@dataclass(frozen=True, repr=False)
class Excerpt(NumericAnswer):
    """V at some remaining times, and the best action at all of them."""

    turned: Turns
    held: Mapping[int, NumericSolution]  # the pieces that were asked for, each as a solution by itself
    kind: ClassVar[str] = "Excerpt"

    @property
    def turns(self) -> Turns:
        """When each state turns to which pair."""
        return self.turned

    def parts(
        self, piece: int, u: float | Fraction, x: int
    ) -> tuple[list[float], list[tuple[float, list[float]]]]:
        """What V is at position ``u`` of a piece that was asked for."""
        if piece not in self.held:
            low, high = self.times[piece : piece + 2]
            raise InputError(
                f"{self.model.name}: values at remaining times from {low:.6g} to {high:.6g} were not kept; "
                "name one in at=, or leave at= out to keep all"
            )
        return self.held[piece].parts(0, u, x)


class ExcerptNotes:
    """An excerpt while the march goes on."""

    def __init__(
        self, model: CTMDP, problem: Wanted, at: Iterable[Number], budget: NumericBudget | None
    ) -> None:
        self.model, self._problem = model, problem
        self._asked = np.unique([float(model.remaining(t)) for t in at])
        most = len(self._asked) * len(model.states) * _ORDERS
        what = f"to keep the values at {len(self._asked)} remaining times"
        (budget or NO_HURRY).check(lambda: what, most, instead="ask for fewer")
        self.begin()

    def begin(self) -> None:
        """Nothing is noted yet."""
        self._turns, self._times = TurnList(Arrays.of(self.model).owner), [np.zeros(1)]
        self._held: dict[int, NumericSolution] = {}

    def take(self, part: Pieces) -> None:
        """Note what is asked for in the next pieces."""
        self._turns.add(part.times, part.best, part.kinks, part.begin)
        before = sum(map(len, self._times)) - 1 - part.begin
        self._times.append(part.times[part.begin + 1 :].copy())
        for k in range(part.begin, len(part.best)):
            low, high = np.searchsorted(self._asked, part.times[k : k + 2])
            if low < high or (high < len(self._asked) and self._asked[high] == part.times[k + 1]):
                self._held[before + k] = self._piece(part, k)
        if part.last:  # the horizon is asked for always, and so is the time that was reached
            self._held[before + len(part.best) - 1] = self._piece(part, len(part.best) - 1)

    def _piece(self, part: Pieces, k: int) -> NumericSolution:
        kinks = None if part.kinks is None else part.kinks.only(k)
        score = part.score[k : k + 1, : None if kinks else 0].transpose(0, 2, 1).copy()  # a turn shows scores
        return NumericSolution(
            self.model,
            *self._problem,
            part.times[k : k + 2].copy(),
            part.value[k : k + 1].transpose(0, 2, 1).copy(),
            score,
            part.best[k : k + 1].copy(),
            part.capped[k : k + 1].copy(),
            kinks=kinks,
        )

    def excerpt(self, model: CTMDP) -> Excerpt:
        """What was noted, as an excerpt for ``model``: the same, or one whose horizon was reached."""
        return Excerpt(model, *self._problem, np.concatenate(self._times), self._turns.turns(), self._held)
