"""What is tried on one box without search: enclosures of several orders.

On a box with midpoint c and with the variables in alphabetical order,
``f(x) = f(c) + Σ_i [g_i(x_i) - g_i(c_i)]``, ``g_i(s) = f(x_1..x_{i-1}, s, c_{i+1}..c_n)``: one variable after
another from the midpoint to x.  A difference is enclosed by a Taylor polynomial with Lagrange remainder of
order 1 or 2; the natural evaluation is order 0.  The best of the three is taken: far from where f vanishes
order 0 is enough, near it order 2 wins because its error falls with the square of the width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import sympy
from flint import arb

from verify.claims import Range
from verify.provers.balls import (
    BITS,
    Program,
    UnknownFunctionError,
    around_zero,
    ball,
    precision,
    program,
)
from verify.provers.expressions import variables_of
from verify.provers.goals import Goal, Node
from verify.provers.points import holds_at
from verify.provers.ranges import range_of

MOST_BITS = 512
ORDERS = (0, 1, 2)


@dataclass
class Work:
    """The budget, and what was done with it."""

    budget: int
    boxes: int = 0
    worst: Mapping[str, Range] | None = None
    suspects: list[dict[str, Fraction]] = field(default_factory=list)  # points where a goal fails
    parts: list[Work] = field(default_factory=list)  # with budgets of their own

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.boxes >= self.budget

    @property
    def looked_at(self) -> int:
        """The boxes of all parts."""
        return self.boxes + sum(part.looked_at for part in self.parts)

    def part(self, budget: int) -> Work:
        """Work with a budget of its own."""
        self.parts.append(Work(budget))
        return self.parts[-1]


@dataclass(frozen=True)
class Shown:
    """What one box showed: a proof, a failure, or where the width comes from."""

    node: Node | None = None
    fails: bool = False
    defined: bool = False  # whether the natural evaluation is finite
    widths: Mapping[str, arb] = field(default_factory=dict)


def shows(value: arb, *, strict: bool) -> bool:
    """Whether every number of the ball is >= 0 (> 0); a ball that is not finite shows nothing."""
    return bool(value.is_finite() and (value > 0 if strict else value >= 0))


def ends(r: Range) -> tuple[Fraction, Fraction]:
    """Of a bounded range."""
    if r.lower is None or r.upper is None:
        raise ValueError(f"the range {r.text('x')} is not bounded; split off its tail first")
    return r.lower, r.upper


def midpoint(r: Range) -> Fraction:
    """Of a bounded range."""
    lower, upper = ends(r)
    return (lower + upper) / 2


def radius(r: Range) -> Fraction:
    """Of a bounded range."""
    lower, upper = ends(r)
    return (upper - lower) / 2


@dataclass(frozen=True)
class Enclosures:
    """Enclosures of one expression on one box, by order; ``centre`` at the midpoint."""

    centre: arb
    by_order: Mapping[int, arb]
    widths: Mapping[str, arb]


def enclosures(f: Program, names: Sequence[str], ranges: Mapping[str, Range]) -> Enclosures:
    """All orders, on a bounded box; the precision is the caller's."""
    whole = {name: ball(*ends(ranges[name])) for name in names}
    at = {name: ball(midpoint(ranges[name])) for name in names}
    centre = first = second = f.run(at)
    widths: dict[str, arb] = {}
    for name in names:
        half = radius(ranges[name])
        if half == 0:
            continue
        step, square = around_zero(half), ball(Fraction(0), half**2)  # of x - c and of (x - c)²
        middle = f.coefficients(at, name, 2)[1]
        at[name] = whole[name]
        value, slope, bend = f.coefficients(at, name, 3)
        if not value.is_finite():  # not defined on all of the box
            slope = bend = arb.nan()
        widths[name] = (slope * step).abs_upper()
        first = first + slope * step
        second = second + middle * step + bend * square
    return Enclosures(centre, {0: f.run(whole), 1: first, 2: second}, widths)


def look(goal: Goal) -> Shown:
    """Try the enclosures on a bounded box."""
    try:
        f = program(goal.expression)
    except UnknownFunctionError:
        return Shown()
    names, bits = variables_of(goal.expression), BITS
    while True:
        with precision(bits):
            found = enclosures(f, names, goal.ranges)
        for order in ORDERS:
            if shows(found.by_order[order], strict=goal.strict):
                return Shown({"by": "taylor", "order": order, "bits": bits} if order else {"by": "range"})
        # An exact point whose sign is not visible needs more bits, not smaller boxes.
        if bits >= MOST_BITS or not found.centre.is_finite() or not found.centre.contains(0):
            break
        if found.centre.is_exact() or all(radius(goal.ranges[n]) > Fraction(1, 2**12) for n in names):
            break
        bits *= 2
    return Shown(None, _violated(goal, found.centre), bool(found.by_order[0].is_finite()), found.widths)


def _violated(goal: Goal, centre: arb) -> bool:
    if not (centre.is_finite() and (centre <= 0 if goal.strict else centre < 0)):
        return False
    point = {name: midpoint(r) for name, r in goal.ranges.items() if r.bounded}
    return all(holds_at(h, point) for h in goal.known)


def in_range(goal: Goal) -> Node | None:
    """The rule ``range``: extended intervals, for any box."""
    found = range_of(goal.expression, goal.ranges)
    return {"by": "range"} if found is not None and found.positive(strict=goal.strict) else None


def closed(goal: Goal) -> Node | None:
    """A goal that one enclosure shows."""
    seen = look(goal) if goal.bounded else Shown()
    return None if seen.fails else seen.node or in_range(goal)


def impossible(goal: Goal) -> Node | None:
    """The rule ``empty``: a hypothesis fails on all of the box."""
    for index, h in enumerate(goal.given):
        if h is None:
            continue
        gap = sympy.sympify(h.left - h.right)
        for side in ("+", "-") if h.relation == "==" else ("",):
            child = replace(goal, expression=-gap if side == "-" else gap, strict=h.relation != "<", given=())
            node = closed(child)
            if node is not None:
                return {"by": "empty", "hypothesis": index, **({"side": side} if side else {}), "proof": node}
    return None
