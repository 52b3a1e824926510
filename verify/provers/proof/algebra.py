"""Rules without derivatives: signs, factors, logarithms, hypotheses; see ``docs/proofs.md``.

A rule looks at a goal and returns a finished node of the proof, or ``None``.  A rule that makes the
goal simpler keeps the depth; one that may lead anywhere uses it up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy

from verify.claims import Hypothesis, text_of
from verify.provers.expressions import attempt, largest_exponent, length, paid, steep
from verify.provers.goals import Goal, Node
from verify.provers.proof.leaves import impossible, in_range
from verify.provers.proof.state import (
    ProofSearch,
    algebra,
    differentiated,
    fat,
    loose,
    manageable,
    price_of,
    proper,
    tame,
)
from verify.provers.ranges import range_of
from verify.provers.sturm import sturm

_HIGH = 16  # exponent above which powers are compared by their logarithms
_BIG = 160  # operations; beyond it the computer algebra is not asked to factor
_DEAR = 4000  # the price of a factorisation that is not asked for


def by_range(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The interval of the expression has the sign."""
    del search, depth
    return in_range(goal)


def by_empty(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A hypothesis that fails on the whole box."""
    del search, depth
    return impossible(goal)


def by_zero(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The expression is identically zero."""
    del depth
    if goal.strict or not search.vanishes(goal.expression, goal):
        return None
    return {"by": "rewrite", "expression": "0", "proof": {"by": "range"}}


def by_sturm(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in one variable: count its roots of odd multiplicity inside the range."""
    del search, depth
    return attempt(sturm, goal)


def by_multiply(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Take out the factors whose sign is known; clear denominators."""
    for factors in factorisations(goal.expression):
        known, rest = [], sympy.Integer(1)
        for factor in factors:
            i = range_of(factor, goal.ranges)
            if i is not None and i.positive(strict=goal.strict) and factor != 1:
                known.append(factor)
            elif i is not None and (-i).positive(strict=goal.strict):
                known.append(-factor)
                rest = -rest
            else:
                rest = rest * factor
        node = times(search, goal, depth, sympy.Mul(*known), rest) if known else None
        if node is not None:
            return node
    return None


def factorisations(e: Any) -> list[list[Any]]:
    """The factors of an expression over a common denominator, and those of its terms."""
    price = price_of(sympy.factor, e) if length(e) <= _BIG and manageable(e) else _DEAR + 1
    return _factorisations(e) if price <= _DEAR and paid(price, (sympy.factor, e)) else []


@lru_cache(maxsize=4096)
def _factorisations(e: Any) -> list[list[Any]]:
    found = []
    together = attempt(sympy.together, e)
    dear = together is None or not manageable(together) or steep(e)
    factored = None if dear else attempt(sympy.factor, together)
    if (factored is not None and factored.is_Mul) or isinstance(factored, sympy.Pow):
        found.append(list(sympy.Mul.make_args(factored)))
    terms = attempt(sympy.factor_terms, e)
    if terms is not None and terms != factored and terms.is_Mul:
        found.append(list(sympy.Mul.make_args(terms)))
    return found


def by_isolating(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Divide by the coefficient of a logarithm or exponential, so that a derivative removes it."""
    return isolated(search, goal, depth, (sympy.log, sympy.exp, sympy.atan), _quotient)


def _quotient(above: Any, below: Any) -> Any:
    return algebra(sympy.factor, above / below)


def isolated(
    search: ProofSearch, goal: Goal, depth: int, kinds: tuple[Any, ...], divide: Callable[[Any, Any], Any]
) -> Node | None:
    """The same for functions of these kinds; ``divide`` makes the quotient by the coefficient."""
    e = goal.expression
    atoms = sorted(e.atoms(*kinds), key=text_of)
    if depth < 1 or length(e) > _BIG // 2 or len(atoms) > 3 or not manageable(e):
        return None
    for atom, coefficient, remainder in search.once(_isolated, e, tuple(atoms)):
        i = range_of(coefficient, goal.ranges)
        positive = i is not None and i.positive(strict=True)
        if i is None or not (positive or (-i).positive(strict=True)):
            continue
        factor = coefficient if positive else -coefficient
        rest = divide(remainder, factor)
        if rest is None:
            continue
        quotient = (atom if positive else -atom) + rest
        node = times(search, goal, depth - 1, factor, quotient)
        if node is not None:
            return node
    return None


def _isolated(e: Any, atoms: tuple[Any, ...]) -> list[tuple[Any, Any, Any]]:
    """Those of the atoms in which the expression is linear, with its coefficient and the remainder."""
    found = []
    one = sympy.Integer(1)
    expanded = attempt(sympy.expand, e)
    for atom in atoms if expanded is not None else ():
        collected = attempt(sympy.collect, expanded, atom, evaluate=False)
        if collected is None or set(collected) - {atom, one} or atom not in collected:
            continue
        coefficient = attempt(sympy.factor, collected[atom])
        if coefficient is None:
            continue
        if not coefficient.is_number and not coefficient.has(sympy.log, sympy.exp, sympy.atan):
            found.append((atom, coefficient, collected.get(one, sympy.Integer(0))))
    return found


def times(search: ProofSearch, goal: Goal, depth: int, factor: Any, quotient: Any) -> Node | None:
    """The node ``multiply``, if the quotient can be proved."""
    i = range_of(factor, goal.ranges)
    if factor == 1 or i is None or not i.positive(strict=goal.strict):
        return None
    if not tame(goal, factor, quotient):
        # At a pole the goal is a limit of goals next to it, which must be in the box and in no need of
        # the hypotheses: these may hold at the pole alone.
        if goal.strict or not fat(goal) or factor.has(sympy.Max, sympy.Min):
            return None
        goal = replace(goal, given=())
    if not search.agree(factor * quotient, goal.expression, goal):
        return None
    proof = search.prove(goal.about(quotient), depth)
    if proof is None:
        return None
    return {
        "by": "multiply",
        "factor": text_of(factor),
        "positive": {"by": "range"},
        "quotient": text_of(quotient),
        "proof": proof,
    }


def by_logarithm(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The difference of two positive expressions, by the difference of their logarithms."""
    if depth < 1 or length(goal.expression) > _BIG:
        return None
    larger = smaller = sympy.Integer(0)
    for term in sympy.Add.make_args(goal.expression):
        i = range_of(term, goal.ranges)
        if i is not None and i.positive(strict=False):
            larger += term
        elif i is not None and (-i).positive(strict=False):
            smaller -= term
        else:
            return None
    if larger.is_Add and smaller.is_Add:
        return None
    high = largest_exponent(goal.expression) > _HIGH
    if not (high or any(part.has(sympy.exp) or _powers(part) for part in (larger, smaller))):
        return None
    for part in (larger, smaller):
        i = range_of(part, goal.ranges)
        if i is None or i.singular or not i.positive(strict=True):
            return None
    difference = algebra(sympy.expand_log, sympy.log(larger) - sympy.log(smaller))
    if difference is None or not search.agree(difference, sympy.log(larger) - sympy.log(smaller), goal):
        return None
    proof = search.prove(goal.about(difference), depth - 1)
    if proof is None:
        return None
    return {
        "by": "logarithm",
        "larger": text_of(larger),
        "smaller": text_of(smaller),
        "expression": text_of(difference),
        "proof": proof,
    }


def _powers(e: Any) -> bool:
    return any(not p.exp.is_Integer for p in e.atoms(sympy.Pow))


def by_given(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Use a hypothesis: as a factor, or by the tangent at the points where it holds with equality."""
    for index, h in enumerate(goal.given):
        if h is None:
            continue
        gap = h.right - h.left
        quotient = algebra(sympy.cancel, goal.expression / gap) if length(goal.expression) <= _BIG else None
        for multiplier in (quotient, *_tangents(goal, gap)):
            if multiplier is None or not proper(multiplier):
                continue
            rest = algebra(sympy.expand, goal.expression - multiplier * gap)
            node = None if rest is None else _used(search, goal, depth, (index, h), multiplier, rest)
            if node is not None:
                return node
    return None


def _tangents(goal: Goal, gap: Any) -> Iterator[Any]:
    """Multipliers with which the rest has a horizontal tangent where the hypothesis is an equality."""
    for name in goal.variables:
        symbol = goal.symbols[name]
        steep = differentiated(gap, symbol)
        if steep is None or steep == 0 or steep.has(symbol):
            continue
        at = algebra(sympy.expand, symbol - gap / steep)
        slope = differentiated(goal.expression, symbol)
        if at is not None and slope is not None and not at.has(symbol):
            yield algebra(sympy.factor, slope.xreplace({symbol: at}) / steep)
    yield sympy.Integer(1)


def _used(
    search: ProofSearch, goal: Goal, depth: int, given: tuple[int, Hypothesis], multiplier: Any, rest: Any
) -> Node | None:
    index, h = given
    if not (loose(goal) or tame(goal, multiplier, rest)):
        return None
    if not search.agree(multiplier * (h.right - h.left) + rest, goal.expression, goal):
        return None
    bare = goal.dropping(index)
    node: Node = {"by": "given", "hypothesis": index, "multiplier": text_of(multiplier)}
    if h.relation != "==":
        positive = search.prove(bare.about(multiplier, strict=False), depth)
        if positive is None:
            return None
        node["positive"] = positive
    proof = search.prove(bare.about(rest), depth)
    return None if proof is None else {**node, "rest": text_of(rest), "proof": proof}


def by_rewriting(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Another form of the same expression: expanded, hyperbolic functions as exponentials, simplified."""
    e = goal.expression
    if depth < 1 or length(e) > _BIG // 2 or not manageable(e):
        return None
    for form in search.once(_rewritten, e):
        if not proper(form) or not search.agree(form, e, goal):
            continue
        proof = search.prove(goal.about(form), depth - 1)
        if proof is not None:
            return {"by": "rewrite", "expression": text_of(form), "proof": proof}
    return None


def _rewritten(e: Any) -> list[Any]:
    expanded = algebra(sympy.expand, e)
    forms = [expanded, None if expanded is None else algebra(sympy.expand_log, expanded)]
    if e.has(sympy.tanh, sympy.sinh, sympy.cosh):
        forms.append(attempt(lambda: e.rewrite(sympy.exp)))
    forms.append(algebra(sympy.powsimp, e))
    return [form for form in dict.fromkeys(forms) if form is not None and form != e]


def by_sum(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Leave out a term that is not negative, and prove what remains."""
    terms = sympy.Add.make_args(goal.expression)
    if depth < 1 or len(terms) < 2:
        return None
    for term in terms:
        i = range_of(term, goal.ranges)
        rest = goal.expression - term
        if i is None or not i.positive(strict=False) or not search.plausible(goal.about(rest)):
            continue
        if not (loose(goal) or tame(goal, term, rest)):
            continue
        proof = search.prove(goal.about(rest), depth - 1)
        if proof is not None:
            parts = [
                {"expression": text_of(term), "proof": {"by": "range"}},
                {"expression": text_of(rest), "proof": proof},
            ]
            return {"by": "sum", "terms": parts, **({"strict_term": 1} if goal.strict else {})}
    return None
