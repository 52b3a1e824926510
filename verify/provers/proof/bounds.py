"""Functions replaced by polynomials that bound them, in the manner of MetiTarski.

Where the goal is ``A h(u) + R`` with A >= 0 and h one of the functions, a polynomial p <= h on the values of
u leads to ``A p(u) + R``; from above where A <= 0.  At a point c with rational Taylor coefficients,

    p(w) = Σ_{k<n} h^(k)(c) (w - c)^k/k! + m (w - c)^n/n!,      m <= h^(n) on the values of u (and on c),

for even n, or odd n with all values on one side of c, is such a bound: h - p touches 0 at c to order n.  The
best m is h^(n)(c), where intervals show that it is extreme; else it is an end of the interval.  Numbers like
π or sqrt(2) are replaced by fractions.  What remains is a polynomial, or a quotient of two.

Nothing of this has to be believed: the proof is a ``sum`` of A (h(u) - p(u)), where ``compose`` puts a
variable for u and ``contact`` shows the bound, and of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial, inf
from typing import Any

import sympy

from verify.claims import Range, text_of
from verify.provers.expressions import attempt, kernels, length, longest, paid, written_out
from verify.provers.goals import Goal, Node
from verify.provers.intervals import Span
from verify.provers.meter import spend
from verify.provers.points import at_point
from verify.provers.proof.state import ProofSearch, loose, tame
from verify.provers.ranges import range_of

ORDERS = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
_CENTRES: dict[Any, int] = {
    **dict.fromkeys((sympy.sin, sympy.cos, sympy.exp, sympy.atan, sympy.tanh, sympy.sinh, sympy.cosh), 0),
    **dict.fromkeys((sympy.log, sympy.Pow), 1),
}
_ATOMS = 6  # functions of a goal that are replaced
_LONGEST = 120  # operations of such a goal
_TERMS = 300  # of it, written out
_BITS = 2000  # of a number of a bound: nobody wants to read, or multiply, longer ones
_OPERATION = 200  # what it costs to take an atom out of a formula, for each operation of it
_DIGITS = 40  # bits of a number that stands for an end of an interval


@dataclass(frozen=True)
class PolynomialBound:
    """``side * (h(w) - polynomial) >= 0`` on the range, by a contact of this order at the centre."""

    outer: Any  # h(w)
    polynomial: Any
    range: Range
    centre: int
    order: int
    side: int


def by_bounds(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """All functions replaced, by polynomials of higher and higher order."""
    e = sympy.sympify(goal.expression)
    if depth < 1 or length(e) > _LONGEST or not 0 < len(_atoms(e)) <= _ATOMS:
        return None
    for order in ORDERS:
        steps = search.once(_replaced, goal, order, key=(goal.key, order))
        if steps is None:
            continue
        last = goal.about(steps[-1].rest)
        deep = 0 if len(last.variables) == 1 else min(depth - 1, 1)  # roots of one variable are counted
        tried = [goal.about(step.gap, strict=False) for step in steps]
        proof = search.prove(last, deep) if all(map(search.plausible, [last, *tried])) else None
        if proof is not None:
            return _assembled(steps, proof, goal.strict)
    return None


@dataclass(frozen=True)
class Replacement:
    """``before = factor * gap + rest``: the gap is not negative by ``shown``."""

    factor: Any
    gap: Any
    rest: Any
    shown: Node


def _assembled(steps: list[Replacement], proof: Node, strict: bool) -> Node:
    """The sums one inside the other, the last one first."""
    for step in reversed(steps):
        product = {
            "by": "multiply",
            "factor": text_of(step.factor),
            "positive": {"by": "range"},
            "quotient": text_of(step.gap),
            "proof": step.shown,
        }
        terms = [
            {
                "expression": text_of(step.factor * step.gap),
                "proof": step.shown if step.factor == 1 else product,
            },
            {"expression": text_of(step.rest), "proof": proof},
        ]
        proof = {"by": "sum", "terms": terms, **({"strict_term": 1} if strict else {})}
    return proof


def _atoms(e: Any) -> list[Any]:
    """The functions and irrational numbers in it, the outermost first."""
    found = [a for a in e.atoms(*_functions()) if _bounded(a)]
    found += [sympy.pi] if e.has(sympy.pi) else []
    found += [sympy.E] if any(a is sympy.E for a in e.atoms()) else []
    return sorted(set(found), key=lambda a: (-length(a), text_of(a)))


def _functions() -> tuple[Any, ...]:
    return (*_CENTRES, sympy.exp)


def _bounded(a: Any) -> bool:
    return not a.is_Pow or (a.exp.is_Rational and not a.exp.is_Integer)


def _replaced(goal: Goal, order: int) -> list[Replacement] | None:
    """One atom after the other."""
    e, steps = sympy.sympify(goal.expression), list[Replacement]()
    while atoms := _atoms(e):
        if len(steps) > 2 * _ATOMS:
            return None
        step = _step(goal.about(e), atoms[0], order)
        if step is None:
            return None
        steps.append(step)
        e = step.rest
    return steps if steps and length(e) <= 4 * _LONGEST else None


def _step(goal: Goal, atom: Any, order: int) -> Replacement | None:
    e = goal.expression
    spend(_OPERATION * length(e))
    mark = sympy.Dummy("atom", real=True)
    linear = attempt(lambda: sympy.Poly(e.xreplace({atom: mark}), mark)) if _affordable(e) else None
    if linear is None or linear.degree() != 1:
        return None
    factor, other = linear.all_coeffs()
    if factor.has(atom) or other.has(atom):
        return None
    i = range_of(factor, goal.ranges)
    side = (
        0
        if i is None or i.singular
        else 1
        if i.positive(strict=False)
        else -1
        if (-i).positive(strict=False)
        else 0
    )
    if side == 0:
        return None
    if atom.is_number:
        bounded = _number(atom, side, order)
        shown: Node = {"by": "range"}
    else:
        bound = bound_of(atom, goal, order, side)
        if bound is None or longest(bound.polynomial) > _BITS:
            return None
        inner = _argument(atom)
        bounded = bound.polynomial.xreplace({_W: inner})
        shown = _shown(bound, inner, goal)
    gap = side * (atom - bounded)
    rest = factor * bounded + other
    rest = attempt(sympy.expand, rest) if _affordable(rest) else None
    if rest is None or not (loose(goal) or tame(goal, factor, gap, rest)):
        return None
    return Replacement(side * factor, gap, rest, shown)


def _affordable(e: Any) -> bool:
    """Whether it may be written out."""
    return written_out(e) <= _TERMS and paid(1 + written_out(e) * kernels(e) // 8, ("bounds", e))


_W = sympy.Symbol("w", real=True)


def _name(goal: Goal) -> str:
    return next(n for n in ("w", *(f"w{k}" for k in range(100))) if n not in goal.ranges)


def _argument(atom: Any) -> Any:
    return atom.base if atom.is_Pow else atom.args[0]


def _number(value: Any, side: int, order: int) -> Any:
    """A fraction below (above) an irrational number, closer for higher orders."""
    ball = at_point(value, {}, 64 + 8 * order)
    if ball is None:
        return None
    end = ball.lower() if side > 0 else ball.upper()
    return sympy.Rational(*_rounded(_fraction(end), side < 0, 8 + 4 * order))


def _fraction(x: Any) -> Fraction:
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _rounded(x: Fraction, up: bool, bits: int) -> tuple[int, int]:
    """With so many bits, upward or downward."""
    scale = Fraction(2) ** (bits - x.numerator.bit_length() + x.denominator.bit_length())
    if x == 0 or max(x.numerator.bit_length(), x.denominator.bit_length()) <= bits:
        return x.numerator, x.denominator
    y = Fraction(-((-x * scale).__floor__()) if up else (x * scale).__floor__()) / scale
    return y.numerator, y.denominator


def bound_of(atom: Any, goal: Goal, order: int, side: int) -> PolynomialBound | None:
    """A polynomial below (side 1) or above (-1) a function, on the values of its argument."""
    values = range_of(_argument(atom), goal.ranges)
    if values is None or values.singular:
        return None
    centre = _CENTRES[atom.func] if not isinstance(atom, sympy.exp) else 0
    outer = _W**atom.exp if atom.is_Pow else atom.func(_W)
    low, high = min(values.low, Fraction(centre)), max(values.high, Fraction(centre))
    at_end = centre in (low, high)
    if order % 2 and not at_end:
        return None
    return _taylor(outer, Span(low, high, low == -inf, high == inf), centre, order, side)


def _taylor(outer: Any, values: Span, centre: int, order: int, side: int) -> PolynomialBound | None:
    coefficients, h = [], outer
    for k in range(order):
        c = attempt(h.subs, _W, centre)
        if c is None or not c.is_Rational:
            return None
        coefficients.append(c / factorial(k))
        h = sympy.diff(h, _W)
        if length(h) > _LONGEST:
            return None
    # the sign of (w - c)^n times what is added must be that of the side
    turned = order % 2 == 1 and values.high == centre
    below = (side > 0) != turned
    m = _extreme(h, values, centre, below)
    if m is None:
        return None
    p = sum(c * (_W - centre) ** k for k, c in enumerate(coefficients)) + m * (
        _W - centre
    ) ** order / factorial(order)
    r = Range(
        None if values.low == -inf else Fraction(values.low),
        None if values.high == inf else Fraction(values.high),
        values.low == -inf,
        values.high == inf,
    )
    return PolynomialBound(outer, sympy.expand(p), r, centre, order, side)


def _extreme(h: Any, values: Span, centre: int, below: bool) -> Any:
    """A number below (above) the values of h: the one at the centre, or an end of the interval."""
    own = attempt(h.subs, _W, centre)
    if own is not None and own.is_Rational:
        i = range_of(h - own, {"w": values})
        if i is not None and (i if below else -i).positive(strict=False):
            return own
    i = range_of(h, {"w": values})
    if i is None or i.singular:
        return None
    end = i.low if below else i.high
    return None if end in (inf, -inf) else sympy.Rational(*_rounded(Fraction(end), not below, _DIGITS))


def _shown(bound: PolynomialBound, inner: Any, goal: Goal) -> Node:
    """The bound for the argument: a contact, with a variable for the argument where it is not one already."""
    name = _name(goal)
    contact = {
        "by": "contact",
        "variable": name,
        "at": str(bound.centre),
        "order": bound.order,
        "proof": {"by": "range"},
    }
    if inner.is_Symbol and _reaches(goal.ranges[inner.name], bound.range):
        return {**contact, "variable": inner.name}
    gap = bound.side * (bound.outer - bound.polynomial)
    return {
        "by": "compose",
        "variable": name,
        "inner": text_of(inner),
        "expression": text_of(gap.xreplace({_W: sympy.Symbol(name, real=True)})),
        "range": [bound.range.text(name)],
        "proof": contact,
    }


def _reaches(own: Range, wanted: Range) -> bool:
    """Whether the variable's own range contains the centre, so that no other variable is needed."""
    return own.lower == wanted.lower and own.upper == wanted.upper
