"""Logarithms replaced by their tangents at 1: entropies and divergences.

``f = Σ A_i log U_i + R`` with coefficients of one sign is a sum of |A_i| (u - 1 - log u) >= 0, u = U_i where
A_i is negative and 1/U_i where it is positive, and of a rest without logarithms.  Which logarithms belong
together is open: they are taken as they stand, or all that have the same coefficient are made one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.expressions import attempt, length
from verify.provers.goals import Goal, Node
from verify.provers.proof.state import ProofSearch, algebra, loose, tame
from verify.provers.ranges import range_of

_LONGEST = 100  # operations of a goal
_LOGS = 6  # logarithms in it

Linear = tuple[list[tuple[Any, Any]], Any]  # coefficients and arguments of logarithms, and the rest


def by_tangents(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A sum of gaps between logarithms and their tangents, and of what remains."""
    e = sympy.sympify(goal.expression)
    logs = [a for a in e.atoms(sympy.log) if not a.is_number]
    if depth < 1 or goal.strict or not 0 < len(logs) <= _LOGS or length(e) > _LONGEST:
        return None
    if len(goal.variables) < 2 or not _rational(e):
        return None  # of one variable there are better ways
    for linear in search.once(_ways, e):
        node = _summed(search, goal, linear, depth)
        if node is not None:
            return node
    return None


def _rational(e: Any) -> bool:
    """Whether there is nothing but logarithms in it that is no quotient of polynomials."""
    logs = e.atoms(sympy.log)
    plain = e.xreplace({log: sympy.Dummy() for log in logs})
    return bool(plain.is_rational_function(*plain.free_symbols))


def _ways(e: Any) -> list[Linear]:
    return [way for way in (_linear(e), *_joined(e)) if way is not None]


def _linear(e: Any) -> Linear | None:
    """The logarithms as they stand, if the expression is linear in them."""
    logs = sorted((a for a in e.atoms(sympy.log) if not a.is_number), key=text_of)
    marks = [sympy.Dummy(f"log{k}") for k in range(len(logs))]
    line = attempt(sympy.Poly, e.xreplace(dict(zip(logs, marks, strict=True))), *marks)
    if line is None or line.total_degree() != 1:
        return None
    zero = (0,) * len(marks)
    coefficients = {m: c for m, c in line.terms() if m != zero}
    rest = line.coeff_monomial(zero)
    if any(c.has(sympy.log, *marks) for c in coefficients.values()):
        return None
    return [(c, logs[m.index(1)].args[0]) for m, c in coefficients.items()], rest


def _joined(e: Any) -> Iterator[Linear | None]:
    """One logarithm for all that have the same coefficient, up to a number."""
    plain = algebra(sympy.expand, e)
    apart = None if plain is None else algebra(sympy.expand_log, plain)
    linear = None if apart is None else _linear(apart)
    if linear is None:
        return
    groups: dict[Any, Any] = {}
    for coefficient, u in linear[0]:
        for term in sympy.Add.make_args(sympy.expand(coefficient)):
            number, monomial = term.as_coeff_Mul()
            groups[monomial] = groups.get(monomial, sympy.Integer(1)) * u**number
    yield [(m, u) for m, u in groups.items() if u != 1], linear[1]


def _summed(search: ProofSearch, goal: Goal, linear: Linear, depth: int) -> Node | None:
    logs, rest = linear
    terms: list[Node] = []
    for coefficient, argument in logs:
        i = range_of(coefficient, goal.ranges)
        if i is None or not (i.positive(strict=False) or (-i).positive(strict=False)):
            return None
        side = 1 if i.positive(strict=False) else -1
        u = argument if side < 0 else 1 / argument
        values = range_of(u, goal.ranges)
        if values is None or not values.positive(strict=True):
            return None
        size, gap = side * coefficient, u - 1 - sympy.log(u)
        if not (loose(goal) or tame(goal, size, gap)):
            return None
        terms.append(_term(size, gap, u))
        rest = rest - size * (u - 1)
    rest = algebra(sympy.factor, rest)
    if rest is None or not (loose(goal) or tame(goal, rest)):
        return None
    proof = search.prove(goal.about(rest), depth - 1)
    if proof is None:
        return None
    return {"by": "sum", "terms": [*terms, {"expression": text_of(rest), "proof": proof}]}


def _term(size: Any, gap: Any, u: Any) -> Node:
    known: Node = {"by": "known", "of": f"log({text_of(u)})"}
    product = {
        "by": "multiply",
        "factor": text_of(size),
        "positive": {"by": "range"},
        "quotient": text_of(gap),
    }
    return {"expression": text_of(size * gap), "proof": known if size == 1 else {**product, "proof": known}}
