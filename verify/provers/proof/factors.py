"""Parts of a goal that are goals of their own: factors whose sign needs a proof, and inner functions."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import sympy

from verify.claims import Range, text_of
from verify.provers.expressions import length, variables_of
from verify.provers.goals import Goal, Node
from verify.provers.points import at_point
from verify.provers.proof.algebra import factorisations
from verify.provers.proof.state import ProofSearch, loose, tame
from verify.provers.ranges import range_of

_LONGEST = 60  # operations of a goal in one combination of its variables


def by_signed_factors(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Take out a factor that has one sign at all points met, and prove that it has."""
    for factors in factorisations(goal.expression) if depth >= 1 else ():
        for factor in factors if len(factors) > 1 else ():
            sign = _sign(search, goal, factor)
            if sign == 0 or factor.is_number:
                continue
            rest = sign * sympy.Mul(*(f for f in factors if f is not factor))
            size = sign * factor
            if not (loose(goal) or tame(goal, size, rest)):
                continue
            if not search.agree(size * rest, goal.expression, goal):
                continue
            positive = search.prove(goal.about(size), depth - 1)
            proof = None if positive is None else search.prove(goal.about(rest), depth)
            if proof is not None:
                node = {"by": "multiply", "factor": text_of(size), "positive": positive}
                return {**node, "quotient": text_of(rest), "proof": proof}
    return None


def _sign(search: ProofSearch, goal: Goal, factor: Any) -> int:
    """Of a factor at the points of the goal, unless intervals show it anyway."""
    i = range_of(factor, goal.ranges)
    if i is not None and (i.positive(strict=goal.strict) or (-i).positive(strict=goal.strict)):
        return 0
    values = [v for p in search.points(goal) if (v := at_point(factor, p)) is not None]
    if not values:
        return 0
    return 1 if all(v >= 0 for v in values) else -1 if all(v <= 0 for v in values) else 0


def by_one_inner(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A function of one linear combination of the variables: that is the variable of the next goal."""
    e = sympy.sympify(goal.expression)
    if len(goal.variables) < 2 or goal.known or length(e) > _LONGEST:
        return None
    arguments = {a.args[0] for a in e.atoms(sympy.Function) if len(a.args) == 1}
    for inner in sorted((u for u in arguments if len(u.free_symbols) > 1), key=text_of):
        w = sympy.Symbol(_name(goal), real=True)
        turns = sympy.pi if inner.has(sympy.pi) else sympy.Integer(1)  # an angle, in multiples of pi
        g = sympy.expand(inner / turns)
        outer = e.xreplace({inner: turns * w})
        values = range_of(g, goal.ranges, finite=True)
        if values is None or variables_of(outer) != (w.name,) or inf in (-values.low, values.high):
            continue
        r = Range(Fraction(values.low), Fraction(values.high), values.low_open, values.high_open)
        proof = search.prove(Goal(outer, goal.strict, {w.name: r}, (), {w.name: w}), depth)
        if proof is not None:
            node = {"by": "compose", "variable": w.name, "inner": text_of(g), "range": [r.text(w.name)]}
            return {**node, "expression": text_of(outer), "proof": proof}
    return None


def _name(goal: Goal) -> str:
    return next(n for n in ("w", *(f"w{k}" for k in range(100))) if n not in goal.ranges)
