"""How an answer shows itself: in one line, in a notebook, as a picture, as a table."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from math import inf, nextafter
from typing import Any

from ctucbvi.drawing import draw_answers
from ctucbvi.enclosure import Enclosure
from ctucbvi.figures import Picture
from ctucbvi.frames import frame
from ctucbvi.model import Number
from ctucbvi.solutions import Answer, Switch, beginning, mean_value

_DIGITS = 12  # of a value, at most
_TIME_DIGITS = 6
_MOST_ROWS = 30  # of a table in a notebook
_POINTS = 101  # remaining times of a table, unless told otherwise


class Viewed:
    """What all answers have besides values, segments and switches."""

    @property
    def optimal(self) -> bool:
        """Whether the values are the optimal ones, and not those of a given policy."""
        return True

    def switches_of(self: Answer, state: str) -> Sequence[Switch]:
        """The switches of ``state``, in increasing remaining time."""
        return [switch for switch in self.switches if switch.state == state]

    def __repr__(self: Answer) -> str:
        model = self.model
        value = mean_value(self).decimals(_DIGITS)[0]
        found = f"V({beginning(model)}, {model.horizon}) = {value}"
        found += f", {_counted(len(self.switches), 'switch', 'es')}"
        doubts = f", {_counted(len(self.undecided), 'doubt')}" if self.undecided else ""
        return f"{type(self).__name__}({model.name!r}, {self.semantics}: {found}{doubts})"

    def mean(self: Answer, t: Number | None = None) -> Any:
        """The expected value where an episode begins, of the kind that ``value`` has."""
        return mean_value(self, t)

    def _repr_html_(self: Answer) -> str:
        states = self.model.states[:_MOST_ROWS]
        cells = [(escape(x), self.value(x).decimals(_DIGITS)[0], _policy(self, x)) for x in states]
        rows = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in cells)
        more = len(self.model.states) - len(states)
        action = "best action" if self.optimal else "action"
        head = f"<tr><th>state</th><th>value</th><th>{action} by remaining time</th></tr>"
        rest = f"<p>and {more} more states</p>" if more else ""
        title = f"{self.model.name}: {self.semantics}, remaining time {self.model.horizon}"
        return f"<table><caption>{escape(title)}</caption>{head}{rows}</table>{rest}"

    def plot(self: Answer) -> Picture:
        """Values and policy over remaining time; a notebook shows the picture, ``.save(file)`` writes it."""
        return draw_answers([self])

    def to_frame(self: Answer, times: int | Iterable[Number] = _POINTS) -> Any:
        """A pandas table: state, t, value, lower, upper, action; ``times`` are points, or how many."""
        return frame(_rows(self, times))


class ViewedDoubles(Viewed):
    """The same for an answer in doubles, whose values nothing encloses."""

    def mean(self, t: Number | None = None) -> Any:
        """The expected value where an episode begins."""
        return float(mean_value(_Points(self), t).mid)

    def _repr_html_(self) -> str:
        shown = Viewed._repr_html_(_Points(self))
        return f"{shown}<p>in double precision; <code>certify</code> proves how accurate it is</p>"

    def plot(self) -> Picture:
        """Values and policy over remaining time; a notebook shows the picture, ``.save(file)`` writes it."""
        return Viewed.plot(_Points(self))

    def to_frame(self, times: int | Iterable[Number] = _POINTS) -> Any:
        """A pandas table: state, t, value, action; ``times`` are points, or how many."""
        rows = _rows(_Points(self), times)
        return frame({key: row[key] for key in ("state", "t", "value", "action")} for row in rows)


class _Points:
    """An answer whose values are doubles, with each taken for the single point that it is."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answer, name)

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        number = Fraction(self._answer.value(state, t))
        return Enclosure(number, number)


def _rows(answer: Answer, times: int | Iterable[Number]) -> Iterator[dict[str, Any]]:
    horizon = answer.model.horizon
    if isinstance(times, int):
        last = max(1, times - 1)
        points = [horizon * i / last for i in range(last + 1)]
    else:
        points = [answer.model.remaining(t) for t in times]
    for state in answer.model.states:
        segments = answer.segments(state)
        starts = [segment.start.mid for segment in segments]
        for t in points:
            found, best = answer.value(state, t), segments[max(0, bisect_right(starts, t) - 1)]
            yield {
                "state": state,
                "t": float(t),
                "value": float(found.mid),
                "lower": nextafter(float(found.lower), -inf),
                "upper": nextafter(float(found.upper), inf),
                "action": " = ".join(best.actions),
            }


def _policy(answer: Answer, state: str) -> str:
    """The best actions of a state in a line: ``fast until 0.625316, then slow``."""
    parts = [escape(" = ".join(segment.actions)) for segment in answer.segments(state)]
    ends = [segment.end.decimals(_TIME_DIGITS)[0] for segment in answer.segments(state)[:-1]]
    return ", then ".join(
        [*(f"{part} until {end}" for part, end in zip(parts, ends, strict=False)), parts[-1]]
    )


def _counted(number: int, what: str, ending: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else ending}"
