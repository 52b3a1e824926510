"""Rules for boxes on which f vanishes, where no enclosure can show f >= 0.

f is compared with its zero set: if f and its derivatives in one variable below order m vanish at a place and
the m-th has the right sign, so has f (``contact``); if f is monotone in a variable, the end decides
(``monotone``); at a single point a positive definite matrix of second derivatives decides (``hessian``, in
``search``).

These arguments integrate along a line, so they need f smooth inside the box: 1/x falls on either side of 0
and yet is not above its value at 1.  ``smooth`` proves that from the expression: denominators, logarithms
and roots are kept away from 0, kinks from their switching place.  And they may not use a hypothesis that
mentions the variable, since the line may leave the set where it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy

from verify.claims import Hypothesis, Range, text_of
from verify.provers.balls import BITS, UnknownFunctionError, evaluate, expm1r, log1pr, program
from verify.provers.box.leaves import Work, look
from verify.provers.expressions import attempt, largest_exponent, length, put, variables_of
from verify.provers.goals import Goal, Node, mentions
from verify.provers.ranges import range_of

HIGHEST = 16  # power of anything that it is asked to write out
LONGEST = 200  # operations of an expression that SymPy is asked to rearrange


@dataclass(frozen=True)
class Contact:
    """A place ``variable = at`` where the expression and its derivatives below ``order`` vanish."""

    variable: str
    at: Any  # SymPy, in the other variables
    order: int
    derivative: Any  # the derivative of that order


Prove = Callable[[Goal], Node | None]

# Smoothness and derivatives.

_SMOOTH = {sympy.exp, sympy.sin, sympy.cos, sympy.atan, sympy.sinh, sympy.cosh, sympy.tanh, sympy.erf}
_RIGHT_OF_ZERO = {sympy.log, sympy.gamma, sympy.loggamma}


def smooth(goal: Goal) -> bool:
    """Whether the expression has all derivatives at every interior point of the box; certain if True."""
    return all(_smooth_here(e, goal) for e in sympy.preorder_traversal(sympy.sympify(goal.expression)))


def _smooth_here(e: Any, goal: Goal) -> bool:
    if e.is_Atom or e.is_Add or e.is_Mul or e.func in _SMOOTH or not e.free_symbols:
        return True
    if e.is_Pow:
        natural = e.exp.is_Integer and e.exp > 0
        return natural or signed(e.base, goal, either=bool(e.exp.is_Integer))
    if e.func in _RIGHT_OF_ZERO:
        return signed(e.args[0], goal)
    if e.func is sympy.factorial:
        return signed(e.args[0] + 1, goal)
    if e.func is sympy.Abs:
        return signed(e.args[0], goal, either=True)
    return e.func is expm1r or (e.func is log1pr and signed(e.args[0] + 1, goal))


def signed(e: Any, goal: Goal, *, either: bool = False) -> bool:
    """Whether the expression is positive (or of either one sign) inside the box."""
    if not e.free_symbols:
        value = evaluate(e, {}, BITS)
        return bool(value > 0 or (either and value < 0))
    for way in (e, -e) if either else (e,):
        inside = range_of(way, goal.ranges, interior=True)
        if inside is not None and inside.positive(strict=True):
            return True
        child = replace(goal, expression=way, strict=True, given=())
        if (
            all(goal.ranges[n].bounded for n in variables_of(child.expression))
            and look(child, Work(1)).node is not None
        ):
            return True
    return False


@lru_cache(maxsize=4096)
def derivative(e: Any, symbol: Any) -> Any | None:
    """The derivative, or None where it has no enclosure (or the language no word for it)."""
    if e.has(expm1r, log1pr):
        return None
    found = sympy.diff(e, symbol)
    try:
        program(found)
    except UnknownFunctionError:
        return None
    return found


_NOTHING = Hypothesis(sympy.Integer(0), "<=", sympy.Integer(1))


def without(goal: Goal, name: str) -> Goal:
    """The goal with the hypotheses that mention a variable made void (their numbering is kept)."""
    return replace(goal, given=tuple(_NOTHING if mentions(h, name) else h for h in goal.given))


def rearrangeable(e: Any) -> bool:
    """Whether SymPy may be asked to factor or simplify: short, and without high powers to write out."""
    return length(e) <= LONGEST and largest_exponent(e) <= HIGHEST


@lru_cache(maxsize=4096)
def neat(e: Any) -> Any:
    """The shortest of some equal forms; long expressions are left as they are."""
    if not rearrangeable(e) or e.has(sympy.Max, sympy.Min, sympy.Abs):
        return e
    forms = [e, attempt(sympy.expand, e)]
    if length(e) <= LONGEST // 2:
        forms.append(attempt(sympy.factor, e))
    return min((form for form in forms if form is not None), key=length)


def rewritten(goal: Goal, prove: Prove) -> Node | None:
    """Prove the neat form of a goal."""
    form = neat(sympy.sympify(goal.expression))
    proof = prove(goal.about(form))
    if proof is None or form == goal.expression:
        return proof
    return {"by": "rewrite", "expression": text_of(form), "proof": proof}


def by_contact(goal: Goal, contact: Contact, prove: Prove) -> Node | None:
    """The rule ``contact``, if it applies to this box and ``prove`` shows the sign of the derivative."""
    r = goal.ranges[contact.variable]
    sign = _contact_sign(goal, contact, r)
    if sign == 0:
        return None
    proof = rewritten(without(goal, contact.variable).about(sign * contact.derivative), prove)
    if proof is None or not smooth(goal):
        return None
    at = text_of(contact.at)
    return {"by": "contact", "variable": contact.variable, "at": at, "order": contact.order, "proof": proof}


def _contact_sign(goal: Goal, contact: Contact, r: Range) -> int:
    """σ of the rule, or 0 if it does not apply to the box."""
    if not contact.at.is_Rational:
        fits = _always_inside(contact.at, goal.ranges, r)
        return 1 if fits and contact.order % 2 == 0 and not goal.strict else 0
    at = Fraction(int(contact.at.p), int(contact.at.q))
    lower, upper = at == r.lower, at == r.upper
    inside = (r.lower is None or r.lower <= at) and (r.upper is None or at <= r.upper)
    excluded = (lower and r.lower_open) or (upper and r.upper_open)
    if not inside or r.lower == r.upper or (goal.strict and not excluded):
        return 0
    if contact.order % 2 == 0:
        return 1
    return 1 if lower else -1 if upper else 0


def _always_inside(at: Any, ranges: Mapping[str, Range], r: Range) -> bool:
    """Whether a place that depends on other variables lies in the closed range for all of them."""
    above = r.lower is None or _not_negative(at - r.lower, ranges)
    return above and (r.upper is None or _not_negative(r.upper - at, ranges))


def _not_negative(e: Any, ranges: Mapping[str, Range]) -> bool:
    found = range_of(e, ranges)
    return found is not None and not found.singular and found.positive(strict=False)


def by_slope(
    goal: Goal, name: str, prove: Prove, prove_end: Prove, sides: Sequence[str] = ("lower", "upper")
) -> Node | None:
    """The rule ``monotone`` towards a finite end at which the expression can be evaluated."""
    r = goal.ranges[name]
    slope = derivative(goal.expression, goal.symbols[name])
    if slope is None or r.lower == r.upper:
        return None
    for side, end, is_open in (("lower", r.lower, r.lower_open), ("upper", r.upper, r.upper_open)):
        if end is None or side not in sides:
            continue
        by = "slope" if goal.strict and is_open else "end"
        way = slope if side == "lower" else -slope
        wanted = without(goal, name).about(way, strict=goal.strict and by == "slope")
        proof = rewritten(wanted, prove)
        below = None if proof is None else at_end(goal, name, end, strict=goal.strict and by == "end")
        ended = None if below is None or not smooth(goal) else rewritten(below, prove_end)
        if below is not None and ended is not None:
            node = {"by": "monotone", "variable": name, "from": side, "value": text_of(below.expression)}
            return {**node, "end": ended, "slope": proof, **({"strict_by": by} if goal.strict else {})}
    return None


def at_end(goal: Goal, name: str, end: Fraction, *, strict: bool) -> Goal | None:
    """The goal on a face of the box, where the expression can be evaluated there."""
    value = put(goal.expression, {goal.symbols[name]: sympy.Rational(end.numerator, end.denominator)})
    if value is None:
        return None
    rest = {other: part for other, part in goal.ranges.items() if other != name}
    return replace(without(goal, name), expression=value, strict=strict, ranges=rest)
