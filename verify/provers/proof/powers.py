"""Two expressions that are not negative are compared by their squares.

f = A - B with A, B >= 0 is >= 0 where A² - B² is.  As a proof: with p for A and q for B (``compose``), p² -
q² >= 0 is a fact, and p - q = (p²)^(1/2) - (q²)^(1/2) is not negative by the rule ``increasing``.  Nothing
is divided by, so A + B may vanish.  A is what intervals show to be >= 0; where the sign of B is not known,
both are tried (``signs``).

Square roots become variables y >= 0 with y² = u first.  Squares that equations know, these and those of the
domain like x² = c, are replaced: f = q (x² - c) + rest (``given``).  So roots vanish one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import Hypothesis, Range, text_of
from verify.provers.expressions import attempt, length, longest, paid, written_out
from verify.provers.goals import Goal, Node
from verify.provers.proof import algebra, combining, squares
from verify.provers.proof.changes import in_orthants
from verify.provers.proof.differences import RANGE, by_differences, said
from verify.provers.proof.leaves import Work
from verify.provers.proof.state import ProofSearch, fat, proper
from verify.provers.ranges import range_of

_ROOTS, _VARIABLES = 6, 5
_GOALS, _LONGEST = 30, 300  # of a search
_DEPTH = 3  # comparisons one after the other
_FEW, _SHORT = 4, 60  # variables and operations of a sum of squares
_BITS = 24  # of the longest number
_TERMS = 300  # of a square that is written out
_HALF = sympy.Rational(1, 2)


def compared(goal: Goal) -> Node | None:
    """By squares, in the variables of the goal or in the gaps of its hypotheses."""
    goal = goal.trimmed()
    if longest(goal.expression) > _BITS:  # it is squared again and again, and floating point looks at it
        return None
    node = _compared(goal)
    if node is not None or not (goal.known and _roots_of(goal)):
        return node
    for change in in_orthants(ProofSearch((), 0, 0, Work(0)), goal):
        node = _compared(change.goal)
        if node is not None:
            return change.around(node)
    return None


def _compared(goal: Goal) -> Node | None:
    """With variables for the roots."""
    if len(goal.ranges) > _VARIABLES or not (_roots_of(goal) or any(_known_squares(goal))):
        return None
    rules = (algebra.by_range, by_known_squares, by_product, by_differences, by_sum_of_squares, by_comparison)
    search = ProofSearch(rules, _GOALS, _LONGEST, Work(0))
    if not search.plausible(goal):
        return None
    without = attempt(_without_roots, goal)
    if without is None:
        return None
    new, node = without
    proof = search.prove(new, _DEPTH)
    return proof and ({**node, "proof": proof} if node else proof)


# ---------------------------------------------------------------- roots


def _roots_of(goal: Goal) -> list[Any]:
    """The square roots, in a fixed order."""
    e = sympy.sympify(goal.expression)
    found = {p.base for p in e.atoms(sympy.Pow) if p.exp.is_Rational and p.exp.q == 2}
    return sorted(found, key=text_of)


def _without_roots(goal: Goal) -> tuple[Goal, Node | None] | None:
    """The goal with variables for its roots, and the node that puts them in but for the proof."""
    bases = _roots_of(goal)
    if not bases:
        return goal, None
    if len(bases) > _ROOTS or not fat(goal):
        return None
    names, new, ranges, equations = list[str](), list[Node](), dict(goal.ranges), list[Any]()
    for k, base in enumerate(bases):
        i = range_of(base, goal.ranges, finite=True)
        if i is None or not i.positive(strict=False) or not base.is_polynomial(*base.free_symbols):
            return None
        names.append(_fresh(goal, f"y{k + 1}"))
        ranges[names[-1]] = Range(Fraction(0), None, i.positive(strict=True), True)
        sign = ">" if i.positive(strict=True) else ">="
        inner = text_of(sympy.sqrt(base))
        new.append({"variable": names[-1], "inner": inner, "range": [f"{names[-1]} {sign} 0"]})
        equations.append(sympy.Symbol(names[-1], real=True) ** 2 - base)
    symbols = {n: sympy.Symbol(n, real=True) for n in names}
    by_base = dict(zip(bases, symbols.values(), strict=True))
    e = sympy.sympify(goal.expression).replace(
        lambda p: p.is_Pow and p.exp.is_Rational and p.exp.q == 2, lambda p: by_base[p.base] ** (2 * p.exp)
    )
    if not e.is_rational_function(*e.free_symbols):
        return None
    given = (*goal.given, *(Hypothesis(sympy.Integer(0), "==", zero) for zero in equations))
    node: Node = {
        "by": "compose",
        "variables": new,
        "expression": text_of(e),
        "facts": [{"expression": text_of(zero), "relation": "=="} for zero in equations],
    }
    return Goal(e, goal.strict, ranges, given, {**goal.symbols, **symbols}), node


def _fresh(goal: Goal, name: str) -> str:
    while name in goal.symbols or name in goal.ranges:
        name += "_"
    return name


# ---------------------------------------------------------------- squares that are known


def _known_squares(goal: Goal) -> Iterator[tuple[int, Any, Any]]:
    """Hypotheses that say what the square of a variable is: which, the variable, and the square."""
    order = {x: (_sign(x, goal) < 1, -k) for k, x in enumerate(goal.symbols.values())}
    for index, h in enumerate(goal.given):
        if h is None or h.relation != "==":
            continue
        gap = sympy.expand(h.right - h.left)
        for x in sorted(gap.free_symbols, key=lambda x: order[x]):  # what stands for a root comes first
            p = attempt(sympy.Poly, gap, x)
            if p is not None and p.degree() == 2 and p.coeff_monomial(x) == 0 and p.LC().is_Rational:
                yield index, x, sympy.expand(x**2 - gap / p.LC())
                break


def by_known_squares(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Even powers of a variable whose square is known; the equation is dropped with the variable."""
    e = sympy.sympify(goal.expression)
    for index, x, square in _known_squares(goal):
        p = attempt(sympy.Poly, e, x) if e.is_polynomial(*e.free_symbols) else None
        if p is None:
            continue
        if p.degree() < 2:
            if not e.has(x) and not any(h is not goal.given[index] and _has(h, x) for h in goal.known):
                return search.prove(goal.dropping(index), depth)
            continue
        rest = sympy.expand(sum(c * square ** (n // 2) * x ** (n % 2) for (n,), c in p.terms()))
        h = goal.given[index]
        assert h is not None
        multiplier = attempt(sympy.cancel, (e - rest) / (h.right - h.left))
        if multiplier is None or not proper(multiplier) or not multiplier.is_polynomial(*e.free_symbols):
            continue
        proof = search.prove(goal.about(rest), depth)
        if proof is not None:
            node = {"by": "given", "hypothesis": index, "multiplier": text_of(multiplier)}
            return {**node, "rest": text_of(rest), "proof": proof}
        return None
    return None


def _has(h: Hypothesis, x: Any) -> bool:
    return bool((h.right - h.left).has(x))


def by_product(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Without the factors whose sign is known, or a combination of hypotheses."""
    return algebra.by_multiply(search, goal, depth) or combining.by_combining(search, goal, depth)


def by_sum_of_squares(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """After a comparison, where the roots are gone: a small polynomial."""
    small = depth < _DEPTH and len(goal.ranges) <= _FEW and length(goal.expression) <= _SHORT
    return squares.by_squares(search, goal, depth) if small else None


# ---------------------------------------------------------------- the comparison


def by_comparison(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A - B by A² - B²."""
    e = sympy.expand(goal.expression) if written_out(goal.expression) <= _TERMS else goal.expression
    terms = sympy.Add.make_args(e)
    if depth < 1 or len(terms) < 2 or not e.is_polynomial(*e.free_symbols):
        return None
    signs = [_sign(t, goal) for t in terms]
    large = sympy.Add(*(t for t, s in zip(terms, signs, strict=True) if s > 0))
    small = -sympy.Add(*(t for t, s in zip(terms, signs, strict=True) if s <= 0))
    if large == 0 or small == 0:
        return None
    if all(signs):
        node = _by_squares(search, goal, depth, large, small, RANGE)
        return node and _rewritten(goal, e, node)
    if goal.strict:
        return None
    where = replace(goal, given=(*goal.given, Hypothesis(sympy.Integer(0), "<=", small)))
    index = len(goal.given)
    node = _by_squares(search, where, depth, large, small, said(index))
    parts = [node, said(index, text_of(large))]
    return node and _rewritten(goal, e, {"by": "signs", "expression": text_of(small), "parts": parts})


def _rewritten(goal: Goal, e: Any, node: Node) -> Node:
    return node if e == goal.expression else {"by": "rewrite", "expression": text_of(e), "proof": node}


def _sign(t: Any, goal: Goal) -> int:
    i = range_of(t, goal.ranges)
    if i is None or i.singular:
        return 0
    return 1 if i.positive(strict=False) else -1 if (-i).positive(strict=False) else 0


def _by_squares(
    search: ProofSearch, goal: Goal, depth: int, large: Any, small: Any, lower: Node
) -> Node | None:
    """The larger one and the smaller one, each >= 0, as variables."""
    gap = large**2 - small**2
    if written_out(gap) > _TERMS or not paid(1 + written_out(gap) // 4, ("squares", gap)):
        return None
    gap = sympy.expand(gap)
    proof = search.prove(goal.about(gap), depth - 1)
    if proof is None:
        return None
    p, q = _fresh(goal, "p"), _fresh(goal, "q")
    variables = [
        {"variable": p, "inner": text_of(large), "range": [f"{p} >= 0"]},
        {"variable": q, "inner": text_of(small), "range": [f"{q} >= 0"], "lower": lower},
    ]
    relation = "<" if goal.strict else "<="
    fact = {"expression": f"{p}**2 - {q}**2", "relation": relation, "proof": _as(gap, proof)}
    power = {
        "by": "increasing",
        "function": "power",
        "exponent": "1/2",
        "larger": f"{p}**2",
        "smaller": f"{q}**2",
    }
    return {
        "by": "compose",
        "variables": variables,
        "expression": f"{p} - {q}",
        "facts": [fact],
        "proof": {
            **power,
            "proof": _strictly_said(len(goal.given)) if goal.strict else said(len(goal.given)),
        },
    }


def _strictly_said(index: int) -> Node:
    """What a hypothesis says, if it is strict."""
    return {"by": "combine", "blocks": [{"factors": [f"hypothesis {index}"], "gram": [["1"]]}]}


def _as(gap: Any, proof: Node) -> Node:
    return {"by": "rewrite", "expression": text_of(gap), "proof": proof}
