"""Exponential polynomials in one variable: one differentiation after the other, from an end of the range.

``f = Σ p_i(x) e^(a_i x)`` with polynomials p_i has the sign of e^(-a x) f, a the smallest a_i.  There the
exponential is gone from the first polynomial, and each derivative lowers its degree; after deg + 1 of them it
is gone itself.  If f and what it becomes are not negative at the lower end, and the last one, a polynomial
times an exponential, is not negative anywhere, f is not negative: the rule ``monotone``, again and again.
Hyperbolic functions are exponentials, and quotients are multiplied out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.expressions import attempt, length, put
from verify.provers.goals import Goal, Node
from verify.provers.proof.calculus import as_written
from verify.provers.proof.leaves import in_range
from verify.provers.proof.polynomials import fraction
from verify.provers.proof.state import ProofSearch, algebra, fat, loose, tame
from verify.provers.ranges import range_of
from verify.provers.sturm import sturm

_LONGEST = 120  # operations of what is looked at
_STEPS = 24  # differentiations
_KINDS = (sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh)

Terms = Mapping[Fraction, Any]  # polynomials by rate, as SymPy's Poly


def by_exponentials(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The goal over one denominator, as an exponential polynomial."""
    del depth
    e = sympy.sympify(goal.expression)
    names = goal.variables
    if len(names) != 1 or goal.known or length(e) > _LONGEST or not e.has(*_KINDS):
        return None
    lower = goal.ranges[names[0]].lower
    if lower is None or not fat(goal) or any(not isinstance(a, _KINDS) for a in e.atoms(sympy.Function)):
        return None
    parts = search.once(_over_one, e)
    if parts is None:
        return None
    above, below = parts
    i = range_of(1 / below, goal.ranges)
    seen = i is not None and i.positive(strict=True) and (loose(goal) or tame(goal, below))
    if below != 1 and not seen:
        return None
    terms = _terms(above, goal.symbols[names[0]])
    if terms is None:
        return None
    proof = _descended(goal.about(above), terms, names[0], _STEPS)
    if proof is None or below == 1:
        return proof and {"by": "rewrite", "expression": text_of(above), "proof": proof}
    return {
        "by": "multiply",
        "factor": text_of(1 / below),
        "positive": {"by": "range"},
        "quotient": text_of(above),
        "proof": proof,
    }


def _over_one(e: Any) -> tuple[Any, Any] | None:
    """The numerator, written out, and the denominator."""
    plain = attempt(lambda: e.rewrite(sympy.exp))
    together = None if plain is None else algebra(sympy.together, plain)
    if together is None:
        return None
    above, below = sympy.fraction(together)
    above = algebra(sympy.expand, above)
    above = None if above is None else attempt(sympy.powsimp, above)
    return None if above is None else (sympy.expand(above), below)


def _terms(e: Any, symbol: Any) -> Terms | None:
    """The polynomials by rate."""
    found: dict[Fraction, Any] = {}
    for term in sympy.Add.make_args(e):
        rate, rest = sympy.Integer(0), sympy.Integer(1)
        for factor in sympy.Mul.make_args(term):
            if isinstance(factor, sympy.exp):
                rate += factor.args[0]
            else:
                rest *= factor
        a = sympy.expand(rate / symbol)
        if not a.is_Rational or not rest.is_polynomial(symbol):
            return None
        found[fraction(a)] = found.get(fraction(a), 0) + rest
    polys = {a: sympy.Poly(p, symbol) for a, p in found.items()}
    if not all(c.is_Rational for p in polys.values() for c in p.coeffs()):
        return None
    return {a: p for a, p in polys.items() if not p.is_zero}


def _expression(terms: Terms, symbol: Any) -> Any:
    return sum(
        (p.as_expr() * sympy.exp(sympy.Rational(a) * symbol) for a, p in terms.items()), sympy.Integer(0)
    )


def _descended(goal: Goal, terms: Terms, name: str, left: int) -> Node | None:
    """The smallest rate taken out, then a derivative."""
    if not terms:
        return None if goal.strict else {"by": "range"}
    if (node := in_range(goal)) is not None:
        return node
    symbol, r = goal.symbols[name], goal.ranges[name]
    first = min(terms)
    if first != 0:
        shifted = {a - first: p for a, p in terms.items()}
        quotient = _expression(shifted, symbol)
        proof = _descended(goal.about(quotient), shifted, name, left)
        return proof and {
            "by": "multiply",
            "factor": text_of(sympy.exp(sympy.Rational(first) * symbol)),
            "positive": {"by": "range"},
            "quotient": text_of(quotient),
            "proof": proof,
        }
    if len(terms) == 1:
        return attempt(sturm, goal)
    value = put(goal.expression, {symbol: sympy.Rational(r.lower)})
    i = None if value is None or left <= 0 else range_of(value, {})
    if i is None or not i.positive(strict=False):
        return None
    by_end = goal.strict and i.positive(strict=True)
    if goal.strict and not (by_end or r.lower_open):
        return None
    slopes = {a: sympy.Rational(a) * p + p.diff(symbol) for a, p in terms.items()}
    slopes = {a: p for a, p in slopes.items() if not p.is_zero}
    way = goal.about(_expression(slopes, symbol), strict=goal.strict and not by_end)
    slope = as_written(way, _descended(way, slopes, name, left - 1))
    if slope is None:
        return None
    strict = {"strict_by": "end" if by_end else "slope"} if goal.strict else {}
    step: Node = {"by": "monotone", "variable": name, "from": "lower", "value": text_of(value)}
    return {**step, "end": {"by": "range"}, "slope": slope, **strict}
