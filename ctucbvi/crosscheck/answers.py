"""A planner of one's own, or a table of values, against the exact answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, isfinite, nextafter
from sys import float_info
from typing import Any

from ctucbvi.crosscheck.comparison import comparison_times
from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.exact import Solution, solve
from ctucbvi.frames import frame
from ctucbvi.model import CTMDP, Number, Semantics, Transition
from ctucbvi.numbers import exact, positive


@dataclass(frozen=True)
class RowCheck:
    """One value, and perhaps an action, against the exact answer."""

    state: str
    t: Fraction
    value: Fraction | None  # None: not a finite number
    action: str | None
    expected: Enclosure
    error: float  # |value - centre of expected|; infinite if the value is not finite
    loss: float | None  # what the action loses; None: no action given
    within: bool


@dataclass(frozen=True)
class PlannerCheck:
    """A planner's answers for one model."""

    model: CTMDP
    semantics: Semantics
    tolerance: Fraction
    rows: tuple[RowCheck, ...]

    def __repr__(self) -> str:
        good, verdict = sum(row.within for row in self.rows), "within" if self.within else "NOT within"
        where = f"worst {self.worst.error:.1e} at {self.worst.state}, t = {float(self.worst.t):.6g}"
        rows = f"{good} of {len(self.rows)} rows within {float(self.tolerance):g}"
        return f"PlannerCheck({self.model.name!r}, {self.semantics}: {verdict}; {rows}, {where})"

    def to_frame(self) -> Any:
        """A pandas table of the rows: state, t, value, expected, error, action, loss, within."""
        return frame(
            {
                "state": row.state,
                "t": float(row.t),
                "value": None if row.value is None else float(row.value),
                "expected": float(row.expected.mid),
                "error": row.error,
                "action": row.action,
                "loss": row.loss,
                "within": row.within,
            }
            for row in self.rows
        )

    @property
    def worst(self) -> RowCheck:
        """The row with the largest error; among those that fail, if there are any."""
        return max(self.rows, key=lambda row: (not row.within, row.error))

    @property
    def within(self) -> bool:
        """Whether every row is within the tolerance."""
        return all(row.within for row in self.rows)


def crosscheck(
    planner: Callable[[CTMDP], Any],
    models: Iterable[CTMDP],
    *,
    semantics: Semantics | str = Semantics.COMMITTED,
    tolerance: Number = 1e-9,
    action_tolerance: Number = 1e-6,
    times: int = 33,
) -> list[PlannerCheck]:
    """Compare ``planner`` with the exact answer on each of ``models``.

    ``planner(model)`` returns a function ``value(state, t)``, or an object that has it as a
    method; ``t`` is a float.  If there is a method ``action(state, t)``, actions are checked too.
    """
    if not callable(planner):
        raise InputError(f"crosscheck: {_kind(planner)} is no planner; pass a function of the model")
    if isinstance(models, CTMDP | str) or not isinstance(models, Iterable):
        raise InputError(f"crosscheck: {_kind(models)} is no list of models; write [model]")
    if not isinstance(times, int):
        raise InputError(f"crosscheck: times: {times!r} is not a whole number; write how many")
    checks = []
    for model in models:
        solution = _reference(model, semantics, tolerance)
        answer = planner(model)
        value = getattr(answer, "value", answer)
        action = getattr(answer, "action", None)
        if not callable(value) or not (action is None or callable(action)):
            wanted = "return a function value(state, t), or an object with methods value and action"
            raise InputError(f"crosscheck: the planner gave {_kind(answer)} for {model.name!r}; {wanted}")
        rows = []
        for state, time in product(model.states, comparison_times(solution, times)):
            t = _double(time, model.horizon)
            rows.append((state, Fraction(t), value(state, t), action(state, t) if action else None))
        checks.append(_check(solution, rows, tolerance, action_tolerance))
    return checks


def check_values(
    model: CTMDP,
    rows: Iterable[tuple[str, Number, Number, str | None]],
    *,
    semantics: Semantics | str = Semantics.COMMITTED,
    tolerance: Number = 1e-9,
    action_tolerance: Number = 1e-6,
) -> PlannerCheck:
    """Compare rows ``(state, t, value, action or None)`` with the exact answer."""
    try:
        given = [(state, t, value, action) for state, t, value, action in rows]
    except (TypeError, ValueError):
        raise InputError("values: write rows (state, t, value, action), the action None or a name") from None
    listed = [(state, exact(t, "time"), value, action) for state, t, value, action in given]
    if not listed:
        raise InputError("values: there are no rows; give at least one")
    solution = _reference(model, semantics, tolerance)
    return _check(solution, listed, tolerance, action_tolerance)


def _kind(thing: object) -> str:
    return "None" if thing is None else f"something of type {type(thing).__name__}"


def _reference(model: CTMDP, semantics: Semantics | str, tolerance: Number) -> Solution:
    """The exact answer, with so many digits that its radius does not matter."""
    if not isinstance(model, CTMDP):
        raise InputError(f"crosscheck: {_kind(model)} is no CTMDP; load it with find_model or load_model")
    digits, allowed = 20, positive(tolerance, "tolerance")
    while model.value_scale > allowed * 10 ** (digits - 4):
        digits += 5
    solution = solve(model, semantics, digits=digits)
    for reason in solution.imprecise:  # a value with too few digits would let wrong answers pass
        raise UndecidedError(f"undecided: {reason}")
    return solution


def _check(
    solution: Solution,
    rows: Iterable[tuple[str, Fraction, Any, str | None]],
    tolerance: Number,
    action_tolerance: Number,
) -> PlannerCheck:
    allowed, loses = positive(tolerance, "tolerance"), positive(action_tolerance, "action_tolerance")
    checked = []
    for state, t, given, action in rows:
        expected = solution.value(state, t)
        # A double that was computed is the number that it is; 0.1 in a table is a tenth.
        value = _finite(given)
        off = None if value is None else abs(value - expected.mid)
        loss = None if action is None else _loss(solution, state, action, t)
        within = off is not None and off <= allowed + expected.radius
        within &= loss is None or loss <= loses
        size = inf if off is None else _double_or_largest(off)
        lost = None if loss is None else _double_or_largest(loss)
        checked.append(RowCheck(state, t, value, action, expected, size, lost, within))
    return PlannerCheck(solution.model, solution.semantics, allowed, tuple(checked))


def _finite(number: Any) -> Fraction | None:
    if isinstance(number, str | Fraction | int):
        return exact(number, "value")
    try:
        return Fraction(float(number)) if isfinite(number) else None
    except TypeError:
        raise InputError(f"value: {_kind(number)} is no number; return a float") from None


def _double_or_largest(size: Fraction) -> float:
    return float(min(size, Fraction(float_info.max)))


def _loss(solution: Solution, state: str, action: str, t: Fraction) -> Fraction:
    """A lower bound on what ``action`` loses; see the module's text."""
    model, turned = solution.model, solution.model.objective.turned  # a cost is worth minus itself
    if action not in model.actions_of(state):
        offered = ", ".join(model.actions_of(state))
        raise InputError(f"state {state!r} does not offer {action!r}; choose from: {offered}")
    if t == 0:
        return Fraction(0)  # no time is left in which the action could matter

    def worth(row: Transition) -> Enclosure:
        if solution.semantics is Semantics.COMMITTED:
            return turned(solution.commitment_value(state, row.action, t))
        values = [(p, solution.value(y, t)) for y, p in row.to] + [(Fraction(-1), solution.value(state, t))]
        centre = turned(row.gain + row.rate * sum(p * v.mid for p, v in values))
        radius = row.rate * sum(abs(p) * v.radius for p, v in values)
        return Enclosure((centre - radius) * model.horizon, (centre + radius) * model.horizon)

    worths = {row.action: worth(row) for row in model.transitions if row.state == state}
    return max(Fraction(0), max(w.lower for w in worths.values()) - worths[action].upper)


def _double(t: Fraction, horizon: Fraction) -> float:
    """The double nearest to ``t`` that no way of reading it takes beyond the horizon."""
    found = float(t)
    while max(Fraction(found), exact(found, "time")) > horizon:
        found = nextafter(found, 0.0)
    return found
