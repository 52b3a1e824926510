"""A variable up to an irrational end, like 2*x < pi: the end is moved to 0, where intervals are sharp.

On the far half of its range the new variable is the distance z from the end, and cos(pi/2 - z) is sin(z): it
has the sign of z, which no enclosure of cos next to pi/2 shows.  On the near half the hypothesis is not
needed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from verify.claims import Hypothesis
from verify.provers.expressions import attempt
from verify.provers.goals import Goal, Node, halved
from verify.provers.points import at_point
from verify.provers.proof.changes import Change, changed, symbol_of
from verify.provers.proof.state import Prove


def by_pole(goal: Goal, prove: Prove) -> Node | None:
    """The goal in two halves, the second one in the distance from the end."""
    if len(goal.ranges) != 1 or len(goal.known) != 1:
        return None
    (name,), (h,) = goal.ranges, goal.known
    r, end = goal.ranges[name], attempt(_end, h, goal.symbols[name])
    value = None if end is None else at_point(end, {})
    if r.lower is None or r.upper is not None or value is None or not value > 0:
        return None
    cut = ((r.lower + Fraction(float(value))) / 2).limit_denominator(8)
    if cut not in r or not value > float(cut):
        return None
    near, far = (goal.on(name, half) for half in halved(r, cut))
    index = goal.given.index(h)
    left = prove(near.dropping(index))
    if left is None:
        return None
    z = symbol_of(f"{name}_")
    turned = changed(far, Change({z.name: end - goal.symbols[name]}, {goal.symbols[name]: end - z}))
    proof = None if turned is None else prove(turned.goal)
    if turned is None or proof is None:
        return None
    return {"by": "split", "variable": name, "at": str(cut), "parts": [left, turned.around(proof)]}


def _end(h: Hypothesis, symbol: Any) -> Any:
    """The multiple of pi that a linear hypothesis keeps the variable below, or ``None``."""
    line = sympy.Poly(h.right - h.left, symbol)
    if h.relation == "==" or line.degree() != 1:
        return None
    a, b = line.all_coeffs()
    found = b / -a
    return found if a.is_Rational and a < 0 and (found / sympy.pi).is_Rational else None
