"""Goal-directed search for a proof tree: the state of one search, and what its rules share.

A goal is first tried at exact points, in intervals: one that certainly fails at a point is dropped at
once.  This prunes the search, and it is the guard against a wrong answer of the computer algebra: every
goal that any rule sets up goes through it, and every identity a rule uses is evaluated at the same
points, where both sides must overlap.

Two conventions of the claims matter for soundness.  A removable singularity is read as its limit, so a
goal that is not strict and has no hypotheses holds on a box with inner points as soon as it holds inside
it; with hypotheses, or strict, the whole box is needed.  A rule that moves a point along one variable
leaves the hypotheses that mention this variable behind, since they need not hold on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

import sympy
from flint import arb

from verify.claims import Hypothesis, Range
from verify.provers import balls
from verify.provers.goals import Goal, Node
from verify.provers.intervals import Interval
from verify.provers.ranges import UnknownError, evaluate, opened

Point = dict[str, Fraction]
Rule = Callable[["Search", Goal, int], "Node | None"]

POINTS = 32  # exact points a goal is tried at
_FAR = [Fraction(1, 1024), Fraction(1, 16), Fraction(1, 3), *map(Fraction, (1, 2, 5, 17, 100, 4096))]
_INNER = [Fraction(*p) for p in ((1, 2), (1, 3), (2, 3), (1, 7), (6, 7), (1, 64), (63, 64))]
_SMALL = Fraction(1, 2**20)
_DEGREE = 64


def attempt(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What the computer algebra answers, or ``None`` where it gives up."""
    try:
        return call(*arguments, **options)
    except Exception:  # SymPy gives up in many unrelated ways; no answer is always a safe answer
        return None


@lru_cache(maxsize=4096)
def manageable(expression: Any) -> bool:
    """Whether its exponents are of moderate size: exp(2000*x) is a polynomial of degree 2000 in exp(x)."""
    exponents = [p.exp for p in expression.atoms(sympy.Pow)]
    exponents += [p.args[0] for p in expression.atoms(sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh)]
    return all(max(abs(n.p), n.q) <= _DEGREE for e in exponents for n in e.atoms(sympy.Rational))


def algebra(call: Callable[..., Any], expression: Any, *arguments: Any, **options: Any) -> Any:
    """Like :func:`attempt`, for what may take for ever with large exponents."""
    return attempt(call, expression, *arguments, **options) if manageable(expression) else None


def proper(expression: Any) -> bool:
    """Whether it is a real formula of the claims' language, as far as the atoms tell."""
    strange = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I)
    kinds = (
        sympy.sign,
        sympy.Heaviside,
        sympy.DiracDelta,
        sympy.Derivative,
        sympy.Subs,
        sympy.Limit,
        sympy.Piecewise,
        sympy.AccumBounds,
        sympy.polygamma,
        sympy.re,
        sympy.im,
        sympy.arg,
    )
    return isinstance(expression, sympy.Expr) and not expression.has(*strange, *kinds)


def at_point(expression: Any, point: Point, bits: int = 128) -> arb | None:
    """The value at an exact point as a ball, or ``None`` where it cannot be told."""
    value = attempt(balls.evaluate, expression, point, bits)
    return value if value is not None and value.is_finite() else None


def slope_at(expression: Any, point: Point, name: str, bits: int = 128) -> arb | None:
    """The derivative in one variable at an exact point, by power series in balls."""
    with balls.precision(bits):
        exact = {n: balls.ball(x) for n, x in point.items()}
        found = attempt(lambda: balls.program(expression).coefficients(exact, name, 2)[1])
    return found if found is not None and found.is_finite() else None


def samples(r: Range) -> list[Fraction]:
    """Exact points of a range: ends, next to ends, inside, far out."""
    if r.lower is not None and r.upper is not None:
        width = r.upper - r.lower
        found = [r.lower, r.upper, r.lower + _SMALL * width, r.upper - _SMALL * width]
        found += [r.lower + t * width for t in _INNER]
    elif r.lower is not None:
        found = [r.lower, *(r.lower + t for t in _FAR)]
    elif r.upper is not None:
        found = [r.upper, *(r.upper - t for t in _FAR)]
    else:
        found = [Fraction(0), *_FAR, *(-t for t in _FAR)]
    return [x for x in (map(_floor, found) if r.integer else found) if x in r]


def _floor(x: Fraction) -> Fraction:
    return Fraction(x.numerator // x.denominator)


def holds_at(h: Hypothesis, point: Point) -> bool:
    """Whether a hypothesis certainly holds at a point."""
    gap = at_point(h.right - h.left, point)
    if gap is None:
        return False
    return bool(gap == 0 if h.relation == "==" else gap > 0 if h.relation == "<" else gap >= 0)


def points(ranges: dict[str, Range], given: tuple[Hypothesis, ...]) -> list[Point]:
    """Exact points of a box that satisfy the hypotheses; the same ones every time."""
    names = sorted(ranges)
    values = {name: samples(ranges[name]) for name in names}
    if any(not v for v in values.values()):
        return []
    if len(names) == 1 and not given:
        return [{names[0]: x} for x in values[names[0]]]
    rng = Random(len(names))
    found: list[Point] = []
    for trial in range(POINTS if not given else 8 * POINTS):
        point = {name: rng.choice(values[name]) for name in names}
        if trial % 4 == 0 and names:  # also where variables agree: many inequalities are tight there
            shared = point[names[0]]
            point = {name: shared if shared in ranges[name] else point[name] for name in names}
        if point not in found and all(holds_at(h, point) for h in given):
            found.append(point)
        if len(found) == POINTS:
            break
    return found


@dataclass
class Search:
    """One search: its budget, what failed already, and what is being tried."""

    rules: tuple[Rule, ...]
    given: tuple[Hypothesis, ...] = ()  # as the domain numbers them
    budget: int = 400  # goals that may be tried
    size: int = 400  # operations in the largest expression that is looked at
    failed: dict[Any, int] = field(default_factory=dict)  # goal -> the depth it failed at
    proved: dict[Any, Node] = field(default_factory=dict)
    open: set[Any] = field(default_factory=set)
    _points: dict[Any, list[Point]] = field(default_factory=dict)
    _plausible: dict[Any, bool] = field(default_factory=dict)

    def prove(self, goal: Goal, depth: int) -> Node | None:
        """A proof of the goal, or ``None``."""
        goal = trimmed(goal)
        key = key_of(goal)
        if key in self.proved:
            return self.proved[key]
        if depth < 0 or key in self.open or self.failed.get(key, -1) >= depth or not self.plausible(goal):
            return None
        if self.budget <= 0 or goal.expression.count_ops() > self.size:
            return None
        self.budget -= 1
        self.open.add(key)
        node = next((found for rule in self.rules if (found := rule(self, goal, depth)) is not None), None)
        self.open.discard(key)
        if node is None:
            self.failed[key] = max(depth, self.failed.get(key, -1))
        else:
            self.proved[key] = node
        return node

    def points(self, goal: Goal) -> list[Point]:
        """The exact points goals on this box are tried at."""
        key = (tuple(sorted(goal.ranges.items())), goal.given)
        if key not in self._points:
            self._points[key] = points(dict(goal.ranges), goal.given)
        return self._points[key]

    def plausible(self, goal: Goal) -> bool:
        """False if the goal certainly fails at one of the points, or is no real formula."""
        key = key_of(goal)
        if key not in self._plausible:
            self._plausible[key] = proper(goal.expression) and not any(
                value is not None and (value < 0 or (goal.strict and value <= 0))
                for value in (at_point(goal.expression, p) for p in self.points(goal))
            )
        return self._plausible[key]

    def agree(self, one: Any, other: Any, goal: Goal) -> bool:
        """Whether two expressions overlap at every point of the box where both can be told, and at some."""
        compared = 0
        for point in self.points(replace(goal, given=())):
            gap = at_point(one - other, point)
            if gap is not None:
                if not gap.contains(0):
                    return False
                compared += 1
        return compared > 0

    def derivative(self, expression: Any, goal: Goal, name: str) -> Any:
        """SymPy's derivative, if it overlaps the one of power series at exact points; else ``None``."""
        found = attempt(sympy.diff, expression, goal.symbols[name])
        if found is None or not proper(found):
            return None
        for point in self.points(replace(goal, given=()))[:4]:
            value, series = at_point(found, point), slope_at(expression, point, name)
            if value is not None and series is not None and not value.overlaps(series):
                return None
        return found

    def vanishes(self, expression: Any, goal: Goal) -> bool:
        """Whether the expression is identically zero: by SymPy, and at the points."""
        if expression == 0:
            return True
        if not proper(expression) or not self.agree(expression, sympy.Integer(0), goal):
            return False
        for simpler in (sympy.expand, sympy.expand_log, sympy.cancel, sympy.simplify):
            if expression.count_ops() > 80:
                return False
            expression = algebra(simpler, expression)
            if expression is None or expression == 0:
                return expression is not None
        return False


def key_of(goal: Goal) -> Any:
    """What tells two goals apart."""
    return goal.expression, goal.strict, tuple(sorted(goal.ranges.items())), goal.given


def trimmed(goal: Goal) -> Goal:
    """Without the variables that neither the expression nor a hypothesis mentions."""
    used = set(goal.variables)
    for h in goal.given:
        used |= {s.name for s in (h.left - h.right).free_symbols}
    return replace(goal, ranges={n: r for n, r in goal.ranges.items() if n in used})


def mentions(h: Hypothesis, name: str) -> bool:
    """Whether a hypothesis is about the variable."""
    return name in {s.name for s in (h.left - h.right).free_symbols}


def leaving(goal: Goal, name: str) -> Goal:
    """Without the hypotheses that mention the variable (see the module's first lines)."""
    return replace(goal, given=tuple(h for h in goal.given if not mentions(h, name)))


def fat(goal: Goal, names: Iterable[str] | None = None) -> bool:
    """Whether the ranges have inner points."""
    chosen = goal.ranges.values() if names is None else [goal.ranges[n] for n in names]
    return all(r.lower is None or r.upper is None or r.lower < r.upper for r in chosen)


def box_of(goal: Goal, inside: Iterable[str] = ()) -> dict[str, Interval]:
    """The box in intervals; ``inside`` names variables of which only inner points count."""
    inner = set(inside)
    return {n: Interval.of(opened(r) if n in inner else r) for n, r in goal.ranges.items()}


def loose(goal: Goal) -> bool:
    """Whether inner points of the box suffice; the ends are then limits of them."""
    return not goal.strict and not goal.given and fat(goal)


def tame(goal: Goal, *expressions: Any) -> bool:
    """Whether no pole of these expressions is in the box, its ends included."""
    try:
        for e in expressions:
            evaluate(e, box_of(goal), finite=True)
    except UnknownError:
        return False
    return True


def inner_names(goal: Goal, variable: str) -> list[str]:
    """The variables whose ends may be left to a limit when the goal is followed along ``variable``."""
    return sorted(goal.ranges) if loose(goal) else [variable]


def smooth(expression: Any, goal: Goal, variable: str, *, ends: bool = False) -> bool:
    """Whether it is differentiable along the variable's inner points (or with its ends)."""
    inside = [n for n in inner_names(goal, variable) if n != variable or not ends]
    try:
        evaluate(expression, box_of(goal, inside), smooth=True)
    except UnknownError:
        return False
    return True


def inside(at: Any, goal: Goal, variable: str, *, strictly: bool) -> bool:
    """Whether the values of an expression are in the closed (open) range of a variable."""
    r = goal.ranges[variable]
    try:
        i = evaluate(at, box_of(goal, [n for n in inner_names(goal, variable) if n != variable]))
    except UnknownError:
        return False
    low = r.lower is None or i.low > r.lower or (i.low == r.lower and (i.low_open or not strictly))
    return low and (
        r.upper is None or i.high < r.upper or (i.high == r.upper and (i.high_open or not strictly))
    )


def end_value(search: Search, goal: Goal, variable: str, lower: bool) -> Any:
    """The value or limit of the goal's expression at an end of the variable's range, or ``None``."""
    r = goal.ranges[variable]
    end = r.lower if lower else r.upper
    symbol = goal.symbols[variable]
    if end is not None:
        value = attempt(goal.expression.xreplace, {symbol: sympy.Rational(end)})
        others = [n for n in inner_names(goal, variable) if n != variable]
        box = {**box_of(goal, others), variable: Interval.at(end)}
        if value is not None and proper(value):
            try:
                evaluate(goal.expression, box, finite=True)
                return value
            except UnknownError:
                pass
    return _limit(search, goal, variable, end, lower)


def _limit(search: Search, goal: Goal, variable: str, end: Fraction | None, lower: bool) -> Any:
    e, symbol = goal.expression, goal.symbols[variable]
    signed = all(
        s.is_nonnegative or s.is_nonpositive or s.is_positive or s.is_negative
        for s in e.free_symbols - {symbol}
    )
    if not signed or e.count_ops() > 60 or len(e.atoms(sympy.exp, sympy.log, sympy.Pow)) > 12:
        return None
    target = (-sympy.oo if lower else sympy.oo) if end is None else sympy.Rational(end)
    value = algebra(sympy.limit, e, symbol, target, "+" if lower else "-")
    if value is None or not proper(value) or value.has(symbol):
        return None
    return value if approaches(e, value, goal, variable, end, lower, search.points(goal)) else None


def approaches(
    e: Any, value: Any, goal: Goal, variable: str, end: Fraction | None, lower: bool, at: list[Point]
) -> bool:
    """Whether the values come near the supposed limit, at points that come near the end."""
    r = goal.ranges[variable]
    sign = 1 if lower else -1
    for point in at[:4] or [{}]:
        gaps = []
        for k in (6, 12, 24, 40):
            step = Fraction(2) ** (-k)
            x = -sign / step if end is None else end + sign * step
            if x in replace(r, integer=False):
                gap = at_point((e - value) / (1 + sympy.Abs(value)), {**point, variable: x}, 512)
                gaps += [gap] if gap is not None else []
        if len(gaps) < 2:
            return False
        first, last = abs(gaps[0]), abs(gaps[-1])
        if not last < arb(1) / 1000 or last > first:
            return False
    return True
