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
from typing import Any

import sympy
from flint import arb

from verify.provers.expressions import (
    attempt,
    kernels,
    largest_exponent,
    length,
    longest,
    monomials,
    paid,
    put,
    simpler_forms,
    steep,
    written_out,
)
from verify.provers.goals import Goal, Node
from verify.provers.intervals import Span
from verify.provers.meter import spend
from verify.provers.points import Point, at_point, points, slope_at
from verify.provers.proof.leaves import Work
from verify.provers.ranges import opened, range_of

Rule = Callable[["ProofSearch", Goal, int], "Node | None"]
Prove = Callable[[Goal], Node | None]

_DEGREE, _TERMS = 64, 3000
_GOAL, _LENGTH = 2000, 100  # what a goal costs, and each of its operations, besides what its rules count
_BITS = 48  # of the longest number
_DEAREST = 4000  # of a single computation
_LONGEST = 1500  # operations of what is differentiated
_STRANGE = (
    *(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I, sympy.re, sympy.im, sympy.arg, sympy.sign),
    *(sympy.Heaviside, sympy.DiracDelta, sympy.Derivative, sympy.Subs, sympy.Limit),
    *(sympy.Piecewise, sympy.AccumBounds, sympy.polygamma),
)


def manageable(expression: Any) -> bool:
    """Whether its exponents are of moderate size, and it is not too long when it is written out."""
    return largest_exponent(expression) <= _DEGREE and monomials(sympy.sympify(expression)) <= _TERMS


def price_of(call: Callable[..., Any], expression: Any) -> int:
    """About the milliseconds of a computation, at worst: by the size of what it is given."""
    size, terms = length(expression), written_out(expression)
    if call in (sympy.simplify, sympy.expand_log, sympy.powsimp, sympy.limit) and longest(expression) > _BITS:
        return _DEAREST + 1  # they factor numbers, and raise them to powers
    if call is sympy.limit:
        return 16 * size * kernels(expression)
    if call is sympy.simplify:
        return 10 * size
    if call is sympy.factor and steep(expression):
        return _DEAREST + 1
    if call in (sympy.factor, sympy.cancel):
        return size + terms * kernels(expression) * max(64, largest_exponent(expression) ** 2) // 1024
    return (size + terms) // 4


def algebra(call: Callable[..., Any], expression: Any, *arguments: Any, **options: Any) -> Any:
    """Like :func:`attempt`, for what may take for ever with large exponents, or costs too much."""
    price = price_of(call, expression) if manageable(expression) else _DEAREST + 1
    if price > _DEAREST or not paid(price, (call, expression, arguments)):
        return None
    return attempt(call, expression, *arguments, **options)


def proper(expression: Any) -> bool:
    """Whether it is a real formula of the claims' language, as far as the atoms tell."""
    return isinstance(expression, sympy.Expr) and not expression.has(*_STRANGE)


def differentiated(expression: Any, symbol: Any) -> Any:
    """SymPy's derivative, where there is one: not of Abs, Max or Min, which it would take long to refuse."""
    size = length(expression)
    kinked = any(kink.has(symbol) for kink in expression.atoms(sympy.Abs, sympy.Max, sympy.Min))
    if kinked or size > _LONGEST or not paid(1 + size**2 // 500, (sympy.diff, expression, symbol)):
        return None
    found = attempt(sympy.diff, expression, symbol)
    return found if found is not None and proper(found) else None


@dataclass
class ProofSearch:
    """One search: its budgets, what failed already, and what is being tried."""

    rules: tuple[Rule, ...]
    budget: int  # goals that may be tried
    size: int  # operations in the largest expression that is looked at
    work: Work  # boxes that may be looked at
    failed: dict[Any, int] = field(default_factory=dict)  # goal -> the depth it failed at
    proved: dict[Any, Node] = field(default_factory=dict)
    open: set[Any] = field(default_factory=set)
    refuted: set[Any] = field(default_factory=set)  # a rule met a point where the goal certainly fails
    _points: dict[Any, list[Point]] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict)

    def once(self, call: Callable[..., Any], *arguments: Any, key: Any = None) -> Any:
        """The answer of a call, asked for once in a search; ``key`` if the arguments are not hashable."""
        place = (call.__qualname__, arguments if key is None else key)
        if place not in self._known:
            self._known[place] = call(*arguments)
        return self._known[place]

    def prove(self, goal: Goal, depth: int) -> Node | None:
        """A proof of the goal, or ``None``."""
        goal = goal.trimmed()
        key = goal.key
        if key in self.proved:
            return self.proved[key]
        if depth < 0 or key in self.open or self.failed.get(key, -1) >= depth or not self.plausible(goal):
            return None
        if self.budget <= 0 or length(goal.expression) > self.size:
            return None
        self.budget -= 1
        spend(_GOAL + _LENGTH * length(goal.expression))
        self.open.add(key)
        node = None
        for rule in self.rules:
            node = rule(self, goal, depth)
            if node is not None or key in self.refuted:
                break
        self.open.discard(key)
        if node is None:
            self.failed[key] = max(depth, self.failed.get(key, -1))
        else:
            node = self.proved[key] = {**node, "goal": goal}
        return node

    def points(self, goal: Goal) -> list[Point]:
        """The exact points goals on this box are tried at."""
        key = (tuple(sorted(goal.ranges.items())), goal.given)
        if key not in self._points:
            self._points[key] = points(dict(goal.ranges), goal.known)
        return self._points[key]

    def plausible(self, goal: Goal) -> bool:
        """False if the goal certainly fails at one of the points, or is no real formula."""
        if self.refuted and goal.trimmed().key in self.refuted:
            return False
        return bool(self.once(self._tried, goal, key=goal.key))

    def _tried(self, goal: Goal) -> bool:
        return proper(goal.expression) and not any(
            value is not None and (value < 0 or (goal.strict and value <= 0))
            for value in (at_point(goal.expression, p) for p in self.points(goal))
        )

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
        key = (expression, name, goal.about(0).key)
        return self.once(self._derivative, expression, goal, name, key=key)

    def _derivative(self, expression: Any, goal: Goal, name: str) -> Any:
        found = differentiated(expression, goal.symbols[name])
        if found is None:
            return None
        for point in self.points(replace(goal, given=()))[:4]:
            value, series = at_point(found, point), slope_at(expression, point, name)
            if value is not None and series is not None and not value.overlaps(series):
                return None
        return found

    def vanishes(self, expression: Any, goal: Goal) -> bool:
        """Whether the expression is identically zero: by SymPy, and at the points."""
        return bool(self.once(self._vanishes, expression, goal, key=(expression, goal.about(0).key)))

    def _vanishes(self, expression: Any, goal: Goal) -> bool:
        if expression == 0:
            return True
        if not proper(expression) or not self.agree(expression, sympy.Integer(0), goal):
            return False
        for simpler in simpler_forms(expression):
            if length(expression) > 80:
                return False
            expression = algebra(simpler, expression)
            if expression is None or expression == 0:
                return expression is not None
        return False


def fat(goal: Goal, names: Iterable[str] | None = None) -> bool:
    """Whether the ranges have inner points."""
    chosen = goal.ranges.values() if names is None else [goal.ranges[n] for n in names]
    return all(r.lower is None or r.upper is None or r.lower < r.upper for r in chosen)


def box_of(goal: Goal, inside: Iterable[str] = ()) -> dict[str, Span]:
    """The box in intervals; ``inside`` names variables of which only inner points count."""
    inner = set(inside)
    return {n: Span.of(opened(r) if n in inner else r) for n, r in goal.ranges.items()}


def loose(goal: Goal) -> bool:
    """Whether inner points of the box suffice; the ends are then limits of them."""
    return not goal.strict and not goal.known and fat(goal)


def tame(goal: Goal, *expressions: Any) -> bool:
    """Whether no pole of these expressions is in the box, its ends included."""
    return all(range_of(e, box_of(goal), finite=True) is not None for e in expressions)


def inner_names(goal: Goal, variable: str) -> list[str]:
    """The variables whose ends may be left to a limit when the goal is followed along ``variable``."""
    return sorted(goal.ranges) if loose(goal) else [variable]


def smooth(expression: Any, goal: Goal, variable: str, *, ends: bool = False) -> bool:
    """Whether it is differentiable along the variable's inner points (or with its ends)."""
    inside = [n for n in inner_names(goal, variable) if n != variable or not ends]
    return range_of(expression, box_of(goal, inside), smooth=True) is not None


def inside(at: Any, goal: Goal, variable: str, *, strictly: bool) -> bool:
    """Whether the values of an expression are in the closed (open) range of a variable."""
    r = goal.ranges[variable]
    i = range_of(at, box_of(goal, [n for n in inner_names(goal, variable) if n != variable]), finite=True)
    if i is None:
        return False
    low = r.lower is None or i.low > r.lower or (i.low == r.lower and (i.low_open or not strictly))
    return low and (
        r.upper is None or i.high < r.upper or (i.high == r.upper and (i.high_open or not strictly))
    )


def value_at(goal: Goal, variable: str, lower: bool) -> Any:
    """The expression at a finite end of the variable's range, where it can be evaluated; else ``None``."""
    r = goal.ranges[variable]
    end = r.lower if lower else r.upper
    value = None if end is None else put(goal.expression, {goal.symbols[variable]: sympy.Rational(end)})
    if end is None or value is None or not proper(value):
        return None
    others = [n for n in inner_names(goal, variable) if n != variable]
    box = {**box_of(goal, others), variable: Span.at(end)}
    return value if range_of(goal.expression, box, finite=True) is not None else None


def limit_of(search: ProofSearch, goal: Goal, variable: str, lower: bool) -> Any:
    """The limit of an expression at an end, looked for once; see :func:`_limit_of`."""
    key = (goal.expression, goal.about(0).key, variable, lower)
    return search.once(_limit_of, search, goal, variable, lower, key=key)


def _limit_of(search: ProofSearch, goal: Goal, variable: str, lower: bool) -> Any:
    """The limit of the expression at an end, for general values of the other variables; or ``None``.

    Whoever uses it has to show the slope for all of them, hypotheses or not: the expression is then above
    the limit at general values, and at the others by continuity.
    """
    e, symbol, r = goal.expression, goal.symbols[variable], goal.ranges[variable]
    end = r.lower if lower else r.upper
    signed = all(
        s.is_nonnegative or s.is_nonpositive or s.is_positive or s.is_negative
        for s in e.free_symbols - {symbol}
    )
    if not signed or not fat(goal) or length(e) > 60 or len(e.atoms(sympy.exp, sympy.log, sympy.Pow)) > 12:
        return None
    if search.vanishes(e, goal):
        return sympy.Integer(0)  # SymPy would look for its first term for ever
    target = (-sympy.oo if lower else sympy.oo) if end is None else sympy.Rational(end)
    value = algebra(sympy.limit, e, symbol, target, "+" if lower else "-")
    if value is None or not proper(value) or value.has(symbol):
        return None
    return value if approaches(goal, value, variable, lower, search.points(goal)) else None


def approaches(goal: Goal, value: Any, variable: str, lower: bool, at: list[Point]) -> bool:
    """Whether the values come near the supposed limit, at points that come near the end."""
    r = goal.ranges[variable]
    end, sign = (r.lower, 1) if lower else (r.upper, -1)
    error = (goal.expression - value) / (1 + sympy.Abs(value))
    for point in at[:4] or [{}]:
        gaps = []
        for k in (6, 12, 24, 40):
            step = Fraction(2) ** (-k)
            x = -sign / step if end is None else end + sign * step
            if x in replace(r, integer=False):
                gap = at_point(error, {**point, variable: x}, 512)
                gaps += [gap] if gap is not None else []
        if len(gaps) < 2:
            return False
        first, last = abs(gaps[0]), abs(gaps[-1])
        if not last < arb(1) / 1000 or last > first:
            return False
    return True
