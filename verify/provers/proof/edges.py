"""The edges of hypotheses: where ``g >= 0`` is an equation, it gives one variable, and the goal has one less.

An inequality that needs a hypothesis is often sharp on its edge ``g = 0``, and one that is false by very
little fails nowhere else: next to no point of a grid, and at no minimum along one variable, since along each
of them the expression falls until the edge.  On the edge, as a function of the variables that are left, it
has a minimum like any other.  g is solved for a variable that it is affine in, or that occurs in it once,
below sums, products, powers, exponentials and logarithms only; what is found is a suggestion, and looked at
as a point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import sympy

from verify.claims import Hypothesis
from verify.provers.balls import fraction_near
from verify.provers.expressions import attempt, length, put
from verify.provers.goals import Goal, mentions
from verify.provers.points import Point, at_point
from verify.provers.witness import rational_value

_BITS = 512
_SHORT = 60  # operations of a hypothesis that is solved
_EDGES = 8  # that are looked at
_CORNERS = 2  # how many edges may meet


class Edge(NamedTuple):
    """A goal in the variables that are left, and what the others are, one found after the other."""

    goal: Goal
    solved: tuple[tuple[str, Any], ...]

    def lifted(self, point: Point) -> Point | None:
        """The point of the edge above a point of the variables that are left."""
        whole = dict(point)
        for name, what in self.solved:
            value = rational_value(what, whole)
            if value is None:
                near = at_point(what, whole, _BITS)
                if near is None:
                    return None
                value = fraction_near(near)
            whole[name] = value
        return whole


def edges(goal: Goal) -> Iterator[Edge]:
    """Those of single hypotheses, then those where two of them meet."""
    now = [Edge(goal, ())]
    for _ in range(_CORNERS):
        now = [further for edge in now for further in _edges(edge)][:_EDGES]
        yield from now


def _edges(edge: Edge) -> Iterator[Edge]:
    goal = edge.goal
    for k, h in enumerate(goal.given):
        if h is None or length(h.right - h.left) > _SHORT:
            continue
        for name in [n for n, r in goal.ranges.items() if mentions(h, n) and not r.integer]:
            for what in solved_for(sympy.sympify(h.right - h.left), goal.symbols[name]):
                if (lower := _without(goal.dropping(k), name, what)) is not None:
                    yield Edge(lower, ((name, what), *edge.solved))


def _without(goal: Goal, name: str, what: Any) -> Goal | None:
    """The goal with an expression in the place of a variable, whose range becomes two hypotheses."""
    r = goal.ranges[name]
    within = [Hypothesis(sympy.Rational(r.lower), "<=", what)] if r.lower is not None else []
    within += [Hypothesis(what, "<=", sympy.Rational(r.upper))] if r.upper is not None else []
    lower = goal.put(name, what)
    return lower and replace(lower, given=(*lower.given, *within))


def solved_for(gap: Any, v: Any) -> list[Any]:
    """What v is where the gap is 0, as far as that is simple."""
    slope = attempt(lambda: sympy.expand(sympy.diff(gap, v)))
    if slope is not None and slope != 0 and not slope.has(v, sympy.Derivative):
        rest = put(gap, {v: sympy.Integer(0)})
        return [] if rest is None else [-rest / slope]
    return attempt(_unwound, gap, v) or []


def _unwound(e: Any, v: Any) -> list[Any]:
    """``e = 0`` for a v that occurs once in e: one operation after the other is taken back."""
    sides = [sympy.Integer(0)]
    while e != v:
        inner = [a for a in e.args if a.has(v)]
        if len(inner) != 1:
            return []
        rest = e.func(*[a for a in e.args if not a.has(v)]) if e.is_Add or e.is_Mul else None
        if e.is_Add:
            sides = [s - rest for s in sides]
        elif e.is_Mul:
            sides = [s / rest for s in sides]
        elif e.is_Pow and e.exp.is_Rational:
            both = e.exp.p % 2 == 0
            sides = [t for s in sides for r in [s ** (1 / e.exp)] for t in ([r, -r] if both else [r])]
        elif e.func is sympy.exp:
            sides = [sympy.log(s) for s in sides]
        elif e.func is sympy.log:
            sides = [sympy.exp(s) for s in sides]
        else:
            return []
        e = inner[0]
    return sides
