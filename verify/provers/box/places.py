"""Where an expression may vanish: at other variables, roots of its slope, and simple numbers near a box.

These are guesses.  Whether the expression does vanish there is decided by whoever uses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

import sympy

from verify.claims import Range
from verify.provers.box.leaves import midpoint, radius
from verify.provers.box.rules import derivative, rearrangeable
from verify.provers.expressions import attempt, length, variables_of
from verify.provers.goals import Goal


def places(goal: Goal, name: str, worst: Mapping[str, Range] | None) -> list[Any]:
    """Where an expression may vanish inside the range of one variable."""
    symbol, e = goal.symbols[name], sympy.sympify(goal.expression)
    found: list[Any] = [goal.symbols[n] for n in variables_of(goal.expression) if n != name]
    found += [sympy.Integer(k) for k in (0, 1) if Fraction(k) in replace(goal.ranges[name], integer=False)]
    if worst is not None and name in worst and worst[name].bounded:
        found += [sympy.Rational(q.numerator, q.denominator) for q in simple_numbers(worst[name])]
    found += _level(e, symbol)
    r = goal.ranges[name]
    ends = [sympy.Rational(x.numerator, x.denominator) for x in (r.lower, r.upper) if x is not None]
    return [at for at in dict.fromkeys(found) if at not in ends and at.has(symbol) is False]


@lru_cache(maxsize=4096)
def _level(e: Any, symbol: Any) -> list[Any]:
    """Where the slope vanishes, if that is a quadratic equation."""
    slope = derivative(e, symbol)
    if slope is None or length(slope) > 40 or not rearrangeable(slope):
        return []
    numerator = attempt(lambda: sympy.numer(sympy.together(slope)))
    if (
        numerator is None
        or not numerator.is_polynomial(symbol)
        or not 1 <= sympy.degree(numerator, symbol) <= 2
    ):
        return []
    return [at for at in (attempt(sympy.roots, numerator, symbol) or ()) if at.is_extended_real]


def simple_numbers(r: Range) -> list[Fraction]:
    """The simplest rational in or next to a narrow range, if it is simple at all."""
    middle = midpoint(r)
    tried = [middle.limit_denominator(n) for n in (1, 4, 16, 64)]
    near = [q for q in tried if abs(q - middle) <= 4 * radius(r)]
    return list(dict.fromkeys(near))


def simple_points(goal: Goal, worst: Mapping[str, Range] | None) -> list[dict[str, Fraction]]:
    """Points with simple coordinates near a box."""
    if worst is None or not all(n in worst and worst[n].bounded for n in variables_of(goal.expression)):
        return []
    choices = [simple_numbers(worst[n]) for n in variables_of(goal.expression)]
    points = [
        dict(zip(variables_of(goal.expression), chosen, strict=True))
        for chosen in islice(product(*choices), 16)
    ]
    return [p for p in points if len(p) > 1 and all(_inside(goal.ranges[n], q) for n, q in p.items())]


def _inside(r: Range, q: Fraction) -> bool:
    return (r.lower is None or r.lower <= q) and (r.upper is None or q <= r.upper)
