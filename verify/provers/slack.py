"""How loose an inequality that holds is: the tightest ratio found between its sides, and where.

For ``left <= right`` with both sides positive the ratio ``left/right`` is at most 1, and its largest value
says what the inequality loses: a ratio that stays below 1/50 everywhere is a constant thrown away.  (For
negative sides it is ``right/left``.)  Where the signs differ, or a side is 0, only the difference means
something, and its smallest value is reported.

The point is exact and the numbers at it are enclosed in balls; only the search for it is a search, so the
ratio is one that *occurs*, and the best one may be closer to 1.  A tightest point at infinity, at an end
that is not reached, or where both sides vanish, has no place: ``towards`` then says where the search went.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import arb

from verify.claims import Assertion, Domain, Effort, Relation
from verify.provers import comparison
from verify.provers.balls import precision
from verify.provers.examples import seed_of
from verify.provers.gauge import Gauge, descended
from verify.provers.meter import metered
from verify.provers.simplest import complexity, simpler, simplest_between
from verify.provers.witness import Point, admissible, decimal

_POINTS = (300, 3000)  # quick, thorough
_COST = (1_000_000, 10_000_000)  # what looking may cost, likewise
_SIMPLER = 500_000  # and making a point simple
_STARTS, _ROUNDS = 5, 60
_TIGHT = 1e-12  # slacks below this count as equal: the simplest such point is shown
_SHARE = 1e-9  # of the slack, that a simpler point may cost
_DIGITS, _BITS = 15, 512
_NEAR = Fraction(1, 100)


def point_text(point: Point) -> dict[str, str]:
    """A point as data."""
    return {name: str(value) for name, value in point.items()}


def slack_of(says: Assertion | None, domain: Domain, effort: Effort) -> dict[str, Any] | None:
    """The tightest ratio (or difference) found; ``None`` if this is no inequality, or nowhere defined."""
    if not isinstance(says, Relation) or says.relation == "==":
        return None
    claimed = Gauge(says.left, says.right, says.relation, domain)
    for gauge in (claimed, replace(claimed, absolute=True)):
        found = _tightest(gauge, effort) if gauge.absolute or gauge.scaled else None
        if found is not None:
            return _report(gauge, found)
    return None


def _tightest(gauge: Gauge, effort: Effort) -> dict[str, Fraction] | None:
    """The best point of a seeded search, made simple; ``None`` if no point has a slack that compares."""
    generator = random.Random(seed_of(effort.seed, str(gauge.left), str(gauge.right), *gauge.domain.texts()))
    sampler = gauge.sampler()
    seen: list[tuple[float, dict[str, Fraction]]] = []

    def note(point: Point) -> float:
        slack = _compared(gauge, point)
        seen.append((slack, dict(point)))
        return slack

    with metered(effort.scaled(*_COST)):
        for _ in range(effort.scaled(*_POINTS)):
            note(sampler.point(generator.randrange))
        last = sorted(slack for slack, _ in seen)[:_STARTS][-1]
        for _, start in sorted((entry for entry in seen if entry[0] <= last), key=_simple_first)[:_STARTS]:
            descended(note, start, gauge.domain, _ROUNDS)
    least = max(min((slack for slack, _ in seen), default=math.inf), _TIGHT)
    if not least < math.inf:
        return None
    close = [entry for entry in seen if entry[0] <= least]
    best, point = min(close, key=lambda entry: _simple_first((_TIGHT, entry[1])))
    enough = max(best + abs(best) * _SHARE, _TIGHT)
    with metered(_SIMPLER):
        return simpler(point, gauge.domain, lambda p: _compared(gauge, p) <= enough, sampler.fitted)
    return point  # as it is


def _simple_first(entry: tuple[float, Point]) -> tuple[float, list[tuple[int, int, int]]]:
    """The order of points: the tightest first, and among equals the simplest."""
    slack, point = entry
    return slack, [complexity(value) for value in point.values()]


def _compared(gauge: Gauge, point: Point) -> float:
    """The slack where it compares the sides: in the domain, both of one sign (for a ratio); else inf."""
    if not admissible(gauge.domain, point):
        return math.inf
    if not gauge.absolute and not any(_one_sign(*gauge.balls(point, bits)) for bits in (64, _BITS)):
        return math.inf
    slack = gauge.slack(point)
    return math.inf if math.isnan(slack) else slack


def _one_sign(left: arb, right: arb) -> bool:
    return bool(left > 0 and right > 0) or bool(left < 0 and right < 0)


def _report(gauge: Gauge, point: dict[str, Fraction]) -> dict[str, Any]:
    report = _numbers(*gauge.balls(point, _BITS), ratio=not gauge.absolute)
    report["difference"] = decimal(gauge.right - gauge.left, point, _DIGITS)
    if report["difference"] == "0" and "ratio" in report:  # attained, which balls cannot see
        report["ratio"] = "1"
    towards = {name: goal for name in point if (goal := _towards(gauge, point, name)) is not None}
    return {**report, "at": point_text(point), **({"towards": towards} if towards else {})}


def _numbers(left: arb, right: arb, *, ratio: bool) -> dict[str, Any]:
    with precision(_BITS):
        difference = right - left
        share = right / left if left < 0 else left / right
    report = {"ratio": str(share.str(_DIGITS, radius=False))} if ratio else {}
    return {**report, "difference": str(difference.str(_DIGITS, radius=False))}


def _towards(gauge: Gauge, point: Point, name: str) -> str | None:
    """Where a coordinate was heading, if not to its value: closer to it the slack is smaller still."""
    value, r = point[name], gauge.domain.ranges[name]
    near = _NEAR * max(Fraction(1), abs(value))
    goals: list[Fraction | None] = [end for end in (r.lower, r.upper) if end is not None]
    goals += [simplest_between(value - near, value + near)]
    goals += [None] if (r.upper if value > 0 else r.lower) is None else []
    for goal in goals:
        if goal is None:
            closer = 1000 * value
            far = abs(value) < 1 / _NEAR
        else:
            closer = goal + (value - goal) / 1000
            far = goal == value or abs(value - goal) > near
        slacks = [_compared(gauge, {**point, name: x}) for x in (closer, value)]
        if not far and slacks[0] < slacks[1]:
            return str(goal) if goal is not None else "oo" if value > 0 else "-oo"
    return None


@dataclass
class Tightest:
    """The tightest of several comparisons that hold."""

    best: float = math.inf
    entry: dict[str, Any] | None = field(default=None)

    def see(self, left: Any, relation: str, right: Any, where: Mapping[str, str]) -> None:
        """Take note of one comparison."""
        if relation == "==":
            return
        if relation in (">=", ">"):
            left, right = right, left
        slack = comparison.relative_gap(left, right)
        if slack < self.best:
            self.best = slack
            with precision(_BITS):
                low, high = comparison.enclosing(left), comparison.enclosing(right)
            self.entry = {**_numbers(low, high, ratio=_one_sign(low, high)), "at": dict(where)}

    def report(self) -> dict[str, Any] | None:
        """The tightest one, as data."""
        return self.entry
