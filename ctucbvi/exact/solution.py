"""What the exact planner returns: certified values, a time-dependent policy, and its switches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Self

from flint import arb, fmpq

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.exact.certain import certain_values
from ctucbvi.exact.lumping import Quotient
from ctucbvi.exact.precision import enclosure, precision, to_fmpq, to_fraction
from ctucbvi.exact.trajectory import OpenSign, PassPiece
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.policy import Policy
from ctucbvi.solutions import About, Doubt, Segment, Switch
from ctucbvi.views import Viewed


@dataclass(frozen=True)
class _Era:
    """Part of a state's time line: the pairs that may be optimal, and whether all of them are."""

    lower: fmpq
    upper: fmpq
    pairs: frozenset[int]
    definite: bool
    loser: int | None = None  # in a doubt between two pairs: the one that falls behind, if that is proved


@dataclass(frozen=True, repr=False)
class Values:
    """Certified values of ``model`` under ``semantics`` at every remaining time in ``[0, H]``.

    The pieces are of its :meth:`~ctucbvi.model.CTMDP.plain` form; what is handed out is the model's own.
    """

    model: CTMDP
    semantics: Semantics
    digits: int  # the digits that were asked for
    bits: int  # the working precision that was needed
    quotient: Quotient
    pieces: list[PassPiece]
    undecided: tuple[Doubt, ...]  # what could not be settled within the budget
    bound: ClassVar[None] = None  # every enclosure has its own

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """The value of ``state`` with remaining time ``t`` (default: the horizon)."""
        x, time = self.quotient.class_of[self.model.state_index(state)], self.model.remaining(t)
        if (known := self.certain.get(x)) is not None:
            return self.model.objective.turned(Enclosure(known, known))
        if time > self.reached:
            found = self._ahead(time)
        else:
            piece, position = self._locate(time)
            with precision(self.bits):
                ball = piece.step.value_at(x, position)
                found = enclosure(ball + arb(0, (piece.error + piece.slack[x]).upper()))
        # What is known beforehand helps where the budget was short.
        scale = self.model.value_scale
        return self.model.objective.turned(Enclosure(max(found.lower, -scale), min(found.upper, scale)))

    @cached_property
    def certain(self) -> dict[int, Fraction]:
        """The classes whose value the graph alone tells, with that value, in the plain form."""
        raise NotImplementedError

    @cached_property
    def reached(self) -> Fraction:
        """Up to here there are values; beyond, where the budget was out, only bounds."""
        return to_fraction(self.pieces[-1].end) if self.pieces else Fraction(-1)

    def _ahead(self, time: Fraction) -> Enclosure:
        """What the rewards alone say of all values at a time that was not reached.

        From the end of the last piece on, no value leaves the range of those at that end (of all
        that is carried, and the cap, which is not below them) faster than the largest reward.
        """
        known = self._frontier
        drift = (time - max(self.reached, Fraction(0))) * self.model.max_reward
        return Enclosure(known.lower - drift, known.upper + drift)

    @cached_property
    def _frontier(self) -> Enclosure:
        """The range of everything that is carried at the end of the last piece."""
        if not self.pieces:
            known = (*(pair.start for pair in self.quotient.pairs), Fraction(0))
            return Enclosure(min(known), max(known))
        last = self.pieces[-1]
        with precision(self.bits):
            balls = last.step.carried_at((last.end - last.start) * last.step.problem.clock)
            low, high = min(ball.lower() for ball in balls), max(ball.upper() for ball in balls)  # points
            ends = enclosure((low - last.error).lower().union((high + last.error).upper()))
        return Enclosure(min(self.reached, ends.lower), ends.upper) if last.step.problem.truncate else ends

    def with_doubts(self, doubts: Iterable[Doubt]) -> Self:
        """The same with other doubts; what has been found out about it is not forgotten."""
        found = replace(self, undecided=tuple(doubts))
        found.__dict__.update(self.__dict__ | {"undecided": found.undecided})
        return found

    def missing_digits(self, points: Iterable[tuple[str, Number]]) -> dict[tuple[str, Fraction], Doubt]:
        """The points at which there are fewer digits than were asked for."""
        found = {}
        with precision(self.bits):
            open_points = [(state, t) for state, t in points if not self._surely(state, t)]
        beyond: dict[Fraction, Doubt | None] = {}  # where the pass did not come all states are told the same
        for state, t in open_points:
            time, x = self.model.remaining(t), self.quotient.class_of[self.model.state_index(state)]
            if x in self.certain or time <= self.reached:
                doubt = self._short_of(state, time)
            else:
                if time not in beyond:
                    beyond[time] = self._short_of(state, time)
                known = beyond[time]
                doubt = known and Doubt(known.what, known.why, state, between=known.between)
            if doubt:
                found[state, time] = doubt
        return found

    def _short_of(self, state: str, time: Fraction) -> Doubt | None:
        """What is said of a value that has fewer digits than were asked for."""
        value = self.value(state, time)
        if value.has_digits(self.digits):
            return None
        short = f"has fewer than {self.digits} digits at {self.bits} bits"
        zero = f": not told from 0, at most {value.bound()} in size" if value.straddles_zero else ""
        return Doubt(About.VALUE, short + zero, state, between=Enclosure(time, time))

    def _surely(self, state: str, t: Number) -> bool:
        """Whether the digits are there for certain, without making fractions; no says nothing."""
        x = self.quotient.class_of[self.model.state_index(state)]
        if not self._whole:
            return False
        piece, position = self._end if t is self.model.horizon else self._locate(self.model.remaining(t))
        ball = piece.step.value_at(x, position)
        error = ball.rad() + piece.error + piece.slack[x]
        return bool(error * (4 * 10**self.digits) < abs(ball))

    @cached_property
    def _whole(self) -> bool:
        """Whether there are values up to the horizon."""
        return bool(self.pieces) and bool(self.pieces[-1].end == self.pieces[-1].step.problem.horizon)

    @cached_property
    def _end(self) -> tuple[PassPiece, fmpq]:
        """Where the horizon is."""
        last = self.pieces[-1]
        return last, last.position(last.end)

    def perhaps_zero(self, state: str, t: Number) -> bool:
        """Whether a value is 0 for all that is known, and everything else about it is known."""
        value = self.value(state, t)
        return value.straddles_zero and value.width * 10**self.digits <= self.model.value_scale

    @property
    def imprecise(self) -> tuple[Doubt, ...]:
        """The values at the horizon with too few digits, but for those that may be 0 and are tiny.

        For comparisons, in which an error counts against the scale of the model.
        """
        missing = self.missing_digits((state, self.model.horizon) for state in self.model.states)
        return tuple(doubt for place, doubt in missing.items() if not self.perhaps_zero(*place))

    def commitment_value(self, state: str, action: str, t: Number | None = None) -> Enclosure:
        """The value of entering ``state``, committing to ``action``, and going on as the policy says."""
        if self.semantics is not Semantics.COMMITTED:
            raise InputError(
                "commitment values belong to the committed semantics; these values are adjustable"
            )
        pair, time = self._pair(state, action), self.model.remaining(t)
        if time > self.reached:
            return self.model.objective.turned(self._ahead(time))
        piece, position = self._locate(time)
        with precision(self.bits):
            ball = piece.step.commitment(pair)(arb(position))
            return self.model.objective.turned(enclosure(ball + arb(0, piece.error)))

    def _pair(self, state: str, action: str) -> int:
        pair = self._pairs.get((self.model.state_index(state), action))
        if pair is not None:
            return pair
        offered = ", ".join(self.model.actions_of(state))
        raise InputError(f"state {state!r} does not offer {action!r}; choose from: {offered}")

    def _locate(self, time: Fraction) -> tuple[PassPiece, fmpq]:
        piece = self.pieces[bisect_right(self._starts, time) - 1]
        return piece, piece.position(to_fmpq(time))

    @cached_property
    def _pairs(self) -> dict[tuple[int, str], int]:
        actions = self.model.actions
        return {(x, actions[a]): pair for (x, pair), twins in self.quotient.twins.items() for a in twins}

    @cached_property
    def _starts(self) -> list[Fraction]:
        return [to_fraction(piece.start) for piece in self.pieces]


@dataclass(frozen=True, repr=False)
class Solution(Viewed, Values):
    """V* and the optimal policy."""

    truncate: bool  # whether values are capped at the remaining time
    times_proved: ClassVar[bool] = True

    @cached_property
    def certain(self) -> dict[int, Fraction]:
        """The classes whose value the graph alone tells, with that value, in the plain form."""
        return certain_values(self.quotient, self.semantics, truncate=self.truncate)

    def segments(self, state: str) -> list[Segment]:
        """The optimal policy of ``state``, in increasing remaining time."""
        return self._read_once(state)[0]

    def switches_of(self, state: str) -> list[Switch]:
        """The switches of ``state``, in increasing remaining time."""
        return self._read_once(state)[1]

    @cached_property
    def switches(self) -> list[Switch]:
        """All switches of the policy, in increasing remaining time."""
        found = [switch for state in self.model.states for switch in self.switches_of(state)]
        return sorted(found, key=lambda switch: switch.time.mid)

    def _read_once(self, state: str) -> tuple[list[Segment], list[Switch]]:
        """The segments and switches of a state."""
        i = self.model.state_index(state)
        if i not in self._schedule:
            self._schedule[i] = self._read(i, self._time_lines[self.quotient.class_of[i]])
        return self._schedule[i]

    @cached_property
    def _schedule(self) -> dict[int, tuple[list[Segment], list[Switch]]]:
        return {}

    @cached_property
    def _time_lines(self) -> list[list[_Era]]:
        """For each class its consecutive stretches, over all pieces."""
        lines: list[list[_Era]] = [[] for _ in range(self.quotient.size)]
        for piece in self.pieces:
            doubts: dict[int, dict[int, list[OpenSign]]] = {}
            for (x, rival), found in piece.unresolved.items():
                if rival is not None:
                    doubts.setdefault(x, {})[rival] = found
            ties: dict[int, set[int]] = {}
            for x, rival in piece.ties:
                if rival is not None:
                    ties.setdefault(x, set()).add(rival)
            for x, (line, best) in enumerate(zip(lines, piece.step.regime.best, strict=True)):
                certain = frozenset({best, *ties.get(x, ())})
                for stretch in _stretches(piece, certain, doubts.get(x, {})):
                    _append(line, stretch)
        if self.reached < self.model.horizon:
            start, end = to_fmpq(max(self.reached, Fraction(0))), to_fmpq(self.model.horizon)
            for x, menu in enumerate(self._menu):
                _append(lines[x], _Era(start, end, menu, len(menu) == 1))
        return lines

    @property
    def _menu(self) -> list[frozenset[int]]:
        """The pairs of each class."""
        menu: list[set[int]] = [set() for _ in range(self.quotient.size)]
        for i, pair in enumerate(self.quotient.pairs):
            menu[pair.state].add(i)
        return [frozenset(pairs) for pairs in menu]

    def _read(self, state: int, line: list[_Era]) -> tuple[list[Segment], list[Switch]]:
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
            proved = self._narrow(span) and self._once(runs, index)
            if before is None or after is None or before == after or not proved:
                segments += self._doubtful(state, run)
                start = Enclosure(span.upper, span.upper)
        return segments, switches

    def _doubtful(self, state: int, run: list[_Era]) -> list[Segment]:
        ends = [to_fraction(s.lower) for s in run] + [to_fraction(run[-1].upper)]
        return [
            Segment(Enclosure(a, a), Enclosure(b, b), self._actions(state, s.pairs), False)
            for s, (a, b) in zip(run, pairwise(ends), strict=True)
        ]

    @staticmethod
    def _span(run: list[_Era]) -> Enclosure:
        return Enclosure(to_fraction(run[0].lower), to_fraction(run[-1].upper))

    @staticmethod
    def _once(runs: list[list[_Era]], index: int) -> bool:
        """Whether the doubt between two policies is proved to be a single change, or the end of a tie."""
        before, (first, *more) = runs[index - 1][0].pairs, runs[index]
        return (not more and first.loser is not None) or all(s.pairs <= before for s in runs[index])

    def _narrow(self, span: Enclosure) -> bool:
        """Whether a bracket has the digits that were asked for."""
        return span.width <= span.upper * Fraction(1, 10**self.digits)

    def _actions(self, state: int, pairs: frozenset[int]) -> tuple[str, ...]:
        indices = sorted(a for pair in pairs for a in self.quotient.twins[state, pair])
        return tuple(self.model.actions[a] for a in indices)

    @property
    def policy_doubts(self) -> tuple[Doubt, ...]:
        """Segments on which actions could not be told apart, and switches with too few digits."""
        if self._whole and all(map(self._plain_end, self.pieces, [*self.pieces[1:], None])):
            return ()
        return self.doubts_about(self.model.states)

    def doubts_about(self, states: Iterable[str]) -> tuple[Doubt, ...]:
        """The same for some states."""
        some = tuple(dict.fromkeys(states))
        bits, few = f"at {self.bits} bits", f"has fewer than {self.digits} digits"
        apart = [
            Doubt(About.ACTIONS, bits, state, s.actions, Enclosure(s.start.lower, s.end.upper))
            for state in some
            for s in self.segments(state)
            if not s.proved
        ]
        moves = sorted((s for x in some for s in self.switches_of(x)), key=lambda switch: switch.time.mid)
        vague = [s for s in moves if not self._narrow(s.time)]
        return (*apart, *(Doubt(About.SWITCH, few, s.state, (*s.before, *s.after), s.time) for s in vague))

    def _plain_end(self, piece: PassPiece, following: PassPiece | None) -> bool:
        """Whether a piece has no doubts but narrow ones at its end, in which one action gives way to another.

        As in most solutions; such doubts are switches, and no time line needs to be read to know that.
        """
        doubtful = [x for x, rival in piece.unresolved if rival is not None]
        if not doubtful:
            return True
        if following is None or len(set(doubtful)) < len(doubtful):
            return False
        other = {x for x, _ in (*piece.ties, *following.ties)}
        other |= {x for (x, _), found in following.unresolved.items() if found[0].lower <= following.start}
        for (x, rival), found in piece.unresolved.items():
            lower, upper, trend = found[0]
            if rival is None:
                continue
            if x in other or len(found) > 1 or trend != -1 or following.step.regime.best[x] != rival:
                return False
            if not piece.start < lower or upper != piece.end or (upper - lower) * 10**self.digits > upper:
                return False
        return True

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


def _stretches(piece: PassPiece, certain: frozenset[int], doubts: dict[int, list[OpenSign]]) -> list[_Era]:
    """The part of one class's time line that belongs to ``piece``; ``doubts`` by rival."""
    if not doubts:
        return [_Era(piece.start, piece.end, certain, definite=True)]
    cuts = {piece.start, piece.end, *(t for found in doubts.values() for d in found for t in d[:2])}
    line = []
    for lower, upper in pairwise(sorted(cuts)):
        maybe = [(rival, d) for rival, found in doubts.items() for d in found if d.lower <= lower < d.upper]
        pairs = certain | {rival for rival, _ in maybe}
        loser = None
        if len(certain) == 1 and len(maybe) == 1:
            ((rival, doubt),) = maybe
            loser = {-1: min(certain), 1: rival}.get(doubt.trend)
        line.append(_Era(lower, upper, pairs, not maybe, loser))
    return line


def _append(line: list[_Era], stretch: _Era) -> None:
    last = line[-1] if line else None
    if last and last.pairs == stretch.pairs and last.definite == stretch.definite:
        loser = last.loser if last.loser == stretch.loser else None
        line[-1] = _Era(last.lower, stretch.upper, last.pairs, last.definite, loser)
    else:
        line.append(stretch)


def _runs(line: list[_Era]) -> list[list[_Era]]:
    """Definite stretches on their own; neighbouring doubtful ones together."""
    runs: list[list[_Era]] = []
    for stretch in line:
        if runs and not stretch.definite and not runs[-1][0].definite:
            runs[-1].append(stretch)
        else:
            runs.append([stretch])
    return runs
