"""What a planner answers, in one shape: values, segments, switches, and what is undecided.

The exact planner, the fast one (its certificate) and the second opinion share no mathematics, but their
answers are read in the same way: as an :class:`Answer`.  These are data and how they are written down;
nothing here computes a value or looks for a switch.

A *segment* is a span of remaining time on which a state's best actions stay what they are, a *switch* the
place between two of them.  What a planner could not settle is a :class:`Doubt`: a kind, a state, actions and
times for programs, and the sentence that these make for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

from ctucbvi.enclosure import Enclosure, exact_string
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.model.rows import different
from ctucbvi.numbers import shown

Value = tuple[str, Fraction, Enclosure]  # of a state, with a remaining time
_UNPROVED_DIGITS = 6  # of a time that nothing proves
_NO_ENDS = {"lower": None, "upper": None}


@dataclass(frozen=True, slots=True)
class Segment:
    """A span of remaining time on which a fixed set of actions is optimal."""

    start: Enclosure  # a single point where the planner does not prove its times
    end: Enclosure
    actions: tuple[str, ...]  # more than one: tied
    proved: bool  # False: the actions listed could not be told apart, or nothing is proved about them


@dataclass(frozen=True, slots=True)
class Switch:
    """The optimal actions of ``state`` change from ``before`` to ``after`` inside ``time``."""

    state: str
    time: Enclosure
    before: tuple[str, ...]
    after: tuple[str, ...]


class About(StrEnum):
    """What a doubt is about."""

    VALUE = "value"  # a value has fewer digits than were asked for
    ACTIONS = "actions"  # actions could not be told apart
    SWITCH = "switch"  # a switching time has fewer digits than were asked for
    BUDGET = "budget"  # the computation was stopped


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that is not settled: what, where, and why."""

    what: About
    why: str
    state: str | None = None  # None: all of them
    actions: tuple[str, ...] = ()
    between: Enclosure | None = None  # remaining times

    def __str__(self) -> str:
        if self.state is None or self.between is None:
            return self.why
        low, high = (Enclosure(t, t).decimals(6)[0] for t in (self.between.lower, self.between.upper))
        match self.what:
            case About.VALUE:
                return f"V({self.state}, {shown(self.between.lower)}) {self.why}"
            case About.SWITCH:
                return f"{self.state}: the switch near t = {self.between.decimals(6)[0]} {self.why}"
            case _:
                apart = f"cannot be told apart for t in [{low}, {high}]"
                return f"{self.state}: {', '.join(self.actions)} {apart} {self.why}"


class Answer(Protocol):
    """V and the optimal policy of a model, as one planner knows them."""

    @property
    def model(self) -> CTMDP:
        """The model; its horizon is shorter than what was asked for if time was out."""

    @property
    def semantics(self) -> Semantics:
        """Which of its two problems is solved."""

    @property
    def bound(self) -> float | None:
        """One proved bound on the error of all values at all times, if there is one."""

    @property
    def times_proved(self) -> bool:
        """Whether the times of segments and switches are enclosed, or only computed."""

    @property
    def optimal(self) -> bool:
        """Whether the values are the optimal ones, and not those of a given policy."""

    @property
    def undecided(self) -> tuple[Doubt, ...]:
        """What could not be settled."""

    @property
    def switches(self) -> Sequence[Switch]:
        """All switches of the policy, in increasing remaining time."""

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """The value of ``state`` with remaining time ``t`` (default: the horizon)."""

    def segments(self, state: str) -> Sequence[Segment]:
        """The optimal policy of ``state``, in increasing remaining time."""

    def switches_of(self, state: str) -> Sequence[Switch]:
        """The switches of ``state``, in increasing remaining time."""


def values_at(answer: Answer, points: Iterable[tuple[str, Fraction]]) -> list[Value]:
    """The values of an answer at some states and remaining times."""
    return [(state, t, answer.value(state, t)) for state, t in points]


def mean_value(answer: Answer, t: Number | None = None) -> Enclosure:
    """What an episode is worth that begins where the model does, with remaining time ``t``."""
    parts = [(p, answer.value(x, t)) for x, p in answer.model.start]
    lower, upper = (sum((p * getattr(v, end) for p, v in parts), Fraction(0)) for end in ("lower", "upper"))
    return Enclosure(lower, upper)


def beginning(model: CTMDP) -> str:
    """Where an episode begins, for one line."""
    return model.initial if isinstance(model.initial, str) else "initial"


def computed_segments(starts: Sequence[tuple[Fraction, str]], end: Fraction) -> list[Segment]:
    """Segments that nothing proves: each action from its start to the next one's, the last to ``end``."""
    points = [Enclosure(t, t) for t in (*(t for t, _ in starts), end)]
    return [
        Segment(a, b, (action,), False) for (_, action), (a, b) in zip(starts, pairwise(points), strict=True)
    ]


def switches_of(segments: Iterable[tuple[str, Sequence[Segment]]]) -> list[Switch]:
    """The switches between neighbouring segments of each state, in increasing remaining time."""
    found = [
        Switch(state, after.start, before.actions, after.actions)
        for state, line in segments
        for before, after in pairwise(line)
    ]
    return sorted(found, key=lambda switch: switch.time.mid)


# --- as JSON -------------------------------------------------------------------------------


def document(
    answer: Answer,
    found: Sequence[Value],
    *,
    engine: str,
    digits: int,
    seconds: float,
    enclosures: bool = True,
    states: Iterable[str] | None = None,
) -> dict[str, Any]:
    """The JSON document of an answer, with the values that were found; the same fields for every planner.

    The policy is that of some ``states``, or of all.
    """
    some = answer.model.states if states is None else tuple(dict.fromkeys(states))

    def moment(time: Enclosure) -> str:
        if answer.times_proved:
            return time.place(digits)
        return f"{float(time.mid):.{_UNPROVED_DIGITS}g}"

    values: list[dict[str, Any]] = []
    times = {id(t): exact_string(t) for t in different([t for _, t, _ in found])}
    for state, t, enclosed in found:
        value, lower, upper = enclosed.decimals(digits)
        ends = {"lower": lower, "upper": upper} if enclosures else _NO_ENDS
        values.append({"state": state, "t": times[id(t)], "value": value, **ends})
    policy = {
        state: [
            {"from": moment(s.start), "to": moment(s.end), "action": _names(s.actions), "proved": s.proved}
            for s in answer.segments(state)
        ]
        for state in some
    }
    each = [switch for x in some for switch in answer.switches_of(x)] if states is not None else []
    moves = answer.switches if states is None else sorted(each, key=lambda switch: switch.time.mid)
    switches = [
        switch_document(s, digits) if answer.times_proved else _switch(s, {"t": moment(s.time), **_NO_ENDS})
        for s in moves
    ]
    begin = {} if isinstance(answer.model.initial, str) else _mean_document(answer, digits, enclosures)
    return {
        "model": answer.model.name,
        "semantics": str(answer.semantics),
        "objective": str(answer.model.objective),
        "engine": engine,
        "digits": digits,
        "values": values,
        **begin,
        "policy": policy,
        "switches": switches,
        "times": "certified" if answer.times_proved else "not certified",
        "seconds": round(seconds, 6),
        "bound": answer.bound if enclosures else None,
        **doubts_document(answer.undecided, digits),
    }


def _mean_document(answer: Answer, digits: int, enclosures: bool) -> dict[str, Any]:
    """The probabilities with which an episode begins, and what it is worth."""
    value, lower, upper = mean_value(answer).decimals(digits)
    ends = {"lower": lower, "upper": upper} if enclosures else _NO_ENDS
    mean = {"t": exact_string(answer.model.horizon), "value": value, **ends}
    return {"initial": {x: str(p) for x, p in answer.model.start}, "mean": mean}


def switch_document(switch: Switch, digits: int) -> dict[str, Any]:
    """A switch whose time is enclosed."""
    return _switch(switch, dict(zip(("t", "lower", "upper"), switch.time.decimals(digits), strict=True)))


def _switch(switch: Switch, place: dict[str, Any]) -> dict[str, Any]:
    return {"state": switch.state, **place, "before": _names(switch.before), "after": _names(switch.after)}


def doubts_document(doubts: Sequence[Doubt], digits: int) -> dict[str, list[Any]]:
    """Doubts for people and for programs."""
    return {
        "undecided": [str(doubt) for doubt in doubts],
        "doubts": [_doubt(doubt, digits) for doubt in doubts],
    }


def _doubt(doubt: Doubt, digits: int) -> dict[str, Any]:
    low, high = (doubt.between.lower, doubt.between.upper) if doubt.between else (None, None)
    times = {
        end: None if t is None else Enclosure(t, t).place(digits) for end, t in (("from", low), ("to", high))
    }
    about = {"what": str(doubt.what), "state": doubt.state, "actions": list(doubt.actions)}
    return about | times | {"why": doubt.why}


def _names(actions: tuple[str, ...]) -> str | list[str]:
    return actions[0] if len(actions) == 1 else list(actions)
