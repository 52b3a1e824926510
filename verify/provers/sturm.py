"""The rule ``sturm``: a polynomial in one variable with rational coefficients that does not change sign.

Its square-free parts are looked at one by one.  A part of odd multiplicity may have no root inside the
range; for a strict goal no part may have a root in the range at all, its closed ends included.  The sign
is then that at any inner point that is no root.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import Range
from verify.provers.expressions import largest_exponent, length
from verify.provers.goals import Goal, Node

_HIGHEST = 60  # degree
_LONGEST = 400  # operations


def sturm(goal: Goal) -> Node | None:
    """The rule, if it applies and shows the goal."""
    names = goal.variables
    if len(names) != 1 or goal.ranges[names[0]].lower == goal.ranges[names[0]].upper is not None:
        return None
    e, r, symbol = sympy.sympify(goal.expression), goal.ranges[names[0]], goal.symbols[names[0]]
    if not e.is_polynomial(symbol) or length(e) > _LONGEST or largest_exponent(e) > _HIGHEST:
        return None
    polynomial = sympy.Poly(e, symbol)
    rational = all(c.is_Rational for c in polynomial.all_coeffs())
    if not rational or polynomial.is_ground or polynomial.degree() > _HIGHEST:
        return None
    if any(_in_the_way(part, m, r, strict=goal.strict) for part, m in polynomial.sqf_list()[1]):
        return None
    values = (polynomial.eval(sympy.Rational(x)) for x in inner_points(r))
    return {"by": "sturm"} if next(value for value in values if value != 0) > 0 else None


def _in_the_way(part: Any, multiplicity: int, r: Range, *, strict: bool) -> bool:
    """Whether a square-free part has roots that matter."""
    low = None if r.lower is None else sympy.Rational(r.lower)
    high = None if r.upper is None else sympy.Rational(r.upper)
    ends = ((low, r.lower_open), (high, r.upper_open))
    at_ends = [is_open for end, is_open in ends if end is not None and part.eval(end) == 0]
    inside = part.count_roots(low, high) > len(at_ends)
    return (inside and (strict or multiplicity % 2 == 1)) or (strict and not all(at_ends))


def inner_points(r: Range) -> Iterator[Fraction]:
    """Points inside a range, without end."""
    k = 2
    while True:
        if r.lower is not None and r.upper is not None:
            yield r.lower + (r.upper - r.lower) / k
        elif r.lower is not None:
            yield r.lower + Fraction(1, k)
        else:
            yield (r.upper or Fraction(0)) - Fraction(1, k)
        k += 1
