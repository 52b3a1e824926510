"""What a planner returns: certified values, a time-dependent policy, and its switches."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb, fmpq

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.exact.lumping import Quotient
from ctucbvi.exact.precision import enclosure, precision, to_fmpq, to_fraction
from ctucbvi.exact.trajectory import Piece
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.numbers import exact
from ctucbvi.policy import Policy


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of remaining time on which a fixed set of actions is optimal."""

    start: Enclosure
    end: Enclosure
    actions: tuple[str, ...]  # more than one: tied
    proved: bool  # False: the actions listed could not be told apart; others are excluded


@dataclass(frozen=True, slots=True)
class Switch:
    """The optimal actions of ``state`` change from ``before`` to ``after`` inside ``time``."""

    state: str
    time: Enclosure
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class _Stretch:
    """Part of a state's time line: the pairs that may be optimal, and whether all of them are."""

    lower: fmpq
    upper: fmpq
    pairs: frozenset[int]
    definite: bool


@dataclass(frozen=True)
class Values:
    """Certified values of ``model`` under ``semantics`` at every remaining time in ``[0, H]``."""

    model: CTMDP
    semantics: Semantics
    digits: int  # the digits that were asked for
    bits: int  # the working precision that was needed
    quotient: Quotient
    pieces: list[Piece]
    undecided: tuple[str, ...]  # what could not be settled within the budget, in words

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """The value of ``state`` with remaining time ``t`` (default: the horizon)."""
        x = self.quotient.class_of[self.model.state_index(state)]
        piece, position = self._locate(t)
        with precision(self.bits):
            ball = piece.step.value(x)(position)
            found = enclosure(ball + arb(0, (piece.error + piece.slack[x]).upper()))
        # What is known beforehand helps where the budget was short.
        scale = self.model.value_scale
        return Enclosure(max(found.lower, -scale), min(found.upper, scale))

    def commitment_value(self, state: str, action: str, t: Number | None = None) -> Enclosure:
        """The value of entering ``state``, committing to ``action``, and going on as the policy says."""
        if self.semantics is not Semantics.COMMITTED:
            raise InputError(
                "commitment values belong to the committed semantics; these values are adjustable"
            )
        pair = self._pair(state, action)
        piece, position = self._locate(t)
        with precision(self.bits):
            ball = piece.step.commitment(pair)(position)
            return enclosure(ball + arb(0, piece.error))

    def _pair(self, state: str, action: str) -> int:
        x = self.model.state_index(state)
        for (y, pair), twins in self.quotient.twins.items():
            if x == y and action in (self.model.actions[a] for a in twins):
                return pair
        offered = ", ".join(self.model.actions_of(state))
        raise InputError(f"state {state!r} does not offer {action!r}; choose from: {offered}")

    def _locate(self, t: Number | None) -> tuple[Piece, arb]:
        time = self.model.horizon if t is None else exact(t, "remaining time")
        if not 0 <= time <= self.model.horizon:
            raise InputError(f"remaining time {time} is outside [0, {self.model.horizon}]")
        piece = self.pieces[bisect_right(self._starts, time) - 1]
        with precision(self.bits):
            return piece, piece.position(to_fmpq(time))

    @cached_property
    def _starts(self) -> list[Fraction]:
        return [to_fraction(piece.start) for piece in self.pieces]


@dataclass(frozen=True)
class Solution(Values):
    """V* and the optimal policy."""

    truncate: bool  # whether values are capped at the remaining time

    def segments(self, state: str) -> list[Segment]:
        """The optimal policy of ``state``, in increasing remaining time."""
        return self._schedule[self.model.state_index(state)][0]

    @cached_property
    def switches(self) -> list[Switch]:
        """All switches of the policy, in increasing remaining time."""
        found = [switch for _, switches in self._schedule for switch in switches]
        return sorted(found, key=lambda switch: switch.time.mid)

    @cached_property
    def _schedule(self) -> list[tuple[list[Segment], list[Switch]]]:
        lines = [self._time_line(x) for x in range(self.quotient.size)]
        return [self._read(i, lines[c]) for i, c in enumerate(self.quotient.class_of)]

    def _time_line(self, x: int) -> list[_Stretch]:
        """The consecutive stretches of class ``x``, over all pieces."""
        line: list[_Stretch] = []
        for piece in self.pieces:
            doubts = {
                rival: spans
                for (state, rival), spans in piece.unresolved.items()
                if state == x and rival is not None
            }
            tied = {rival for state, rival in piece.ties if state == x and rival is not None}
            certain = frozenset({piece.step.regime.best[x], *tied})
            cuts = {piece.start, piece.end, *(t for spans in doubts.values() for s in spans for t in s)}
            for lower, upper in pairwise(sorted(cuts)):
                maybe = frozenset(
                    rival for rival, spans in doubts.items() if any(a <= lower < b for a, b in spans)
                )
                stretch = _Stretch(lower, upper, certain | maybe, not maybe)
                _append(line, stretch)
        return line

    def _read(self, state: int, line: list[_Stretch]) -> tuple[list[Segment], list[Switch]]:
        """Turn a time line into segments and switches: doubts between two policies are brackets."""
        segments: list[Segment] = []
        switches: list[Switch] = []
        zero, name = to_fraction(line[0].lower), self.model.states[state]
        start, before = Enclosure(zero, zero), None
        runs = _runs(line)
        for index, run in enumerate(runs):
            span = Enclosure(to_fraction(run[0].lower), to_fraction(run[-1].upper))
            after = self._actions(state, runs[index + 1][0].pairs) if index + 1 < len(runs) else None
            if run[0].definite:
                before = self._actions(state, run[0].pairs)
                last = Enclosure(span.upper, span.upper)
                end = (
                    self._span(runs[index + 1])
                    if after is not None and not runs[index + 1][0].definite
                    else last
                )
                segments.append(Segment(start, end, before, True))
                if after is not None and runs[index + 1][0].definite:
                    switches.append(Switch(name, last, before, after))
                start = end
                continue
            if before is not None and after is not None and before != after:
                switches.append(Switch(name, span, before, after))
            if before is None or after is None or before == after or not self._narrow(span):
                segments += self._doubtful(state, run)
                start = Enclosure(span.upper, span.upper)
        return segments, switches

    def _doubtful(self, state: int, run: list[_Stretch]) -> list[Segment]:
        ends = [to_fraction(s.lower) for s in run] + [to_fraction(run[-1].upper)]
        return [
            Segment(Enclosure(a, a), Enclosure(b, b), self._actions(state, s.pairs), False)
            for s, (a, b) in zip(run, pairwise(ends), strict=True)
        ]

    @staticmethod
    def _span(run: list[_Stretch]) -> Enclosure:
        return Enclosure(to_fraction(run[0].lower), to_fraction(run[-1].upper))

    def _narrow(self, span: Enclosure) -> bool:
        """Whether a bracket has the digits that were asked for."""
        return span.width <= span.upper * Fraction(1, 10**self.digits)

    def _actions(self, state: int, pairs: frozenset[int]) -> tuple[str, ...]:
        indices = sorted(a for pair in pairs for a in self.quotient.twins[state, pair])
        return tuple(self.model.actions[a] for a in indices)

    @cached_property
    def doubts(self) -> list[tuple[str, Segment]]:
        """Segments on which actions could not be told apart, and switches with too few digits."""
        found = []
        for state in self.model.states:
            found += [(state, s) for s in self.segments(state) if not s.proved]
        return found

    def policy(self) -> Policy:
        """An optimal policy: the first listed action, switching at the centre of each bracket.

        Its value differs from V* by no more than the widths of the brackets allow, which is
        of second order in them.
        """
        rules: dict[str, list[tuple[Number, str]]] = {}
        for state in self.model.states:
            pieces: list[tuple[Number, str]] = []
            for segment in self.segments(state):
                begin = segment.start.mid if pieces else Fraction(0)
                keep = pieces[-1][1] if pieces and pieces[-1][1] in segment.actions else segment.actions[0]
                if begin < self.model.horizon:
                    pieces.append((begin, keep))
            rules[state] = pieces
        return Policy.of(self.model, rules)


def _append(line: list[_Stretch], stretch: _Stretch) -> None:
    last = line[-1] if line else None
    if last and last.pairs == stretch.pairs and last.definite == stretch.definite:
        line[-1] = _Stretch(last.lower, stretch.upper, last.pairs, last.definite)
    else:
        line.append(stretch)


def _runs(line: list[_Stretch]) -> list[list[_Stretch]]:
    """Definite stretches on their own; neighbouring doubtful ones together."""
    runs: list[list[_Stretch]] = []
    for stretch in line:
        if runs and not stretch.definite and not runs[-1][0].definite:
            runs[-1].append(stretch)
        else:
            runs.append([stretch])
    return runs
