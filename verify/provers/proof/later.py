"""Goals with exponentials, logarithms, sines: by rules that are for functions, not for polynomials.

Exponential polynomials from an end of the range, tangents of logarithms, pieces on which a function is
monotone (from infinity, too), factors whose sign needs a proof.  The goals are the one that is asked for and
what changes of variables make of it, each without its kinks.  What a few steps of calculus prove has been
tried before, so that it keeps its short proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from verify.provers.expressions import attempt, length
from verify.provers.goals import Goal, Node
from verify.provers.proof import algebra, bernstein, calculus, changes, implied, signs
from verify.provers.proof.exponentials import by_exponentials
from verify.provers.proof.factors import by_one_inner, by_signed_factors
from verify.provers.proof.leaves import Work
from verify.provers.proof.pieces import by_end_contact, by_few_boxes, by_pieces
from verify.provers.proof.poles import by_pole
from verify.provers.proof.rewriting import KINKS
from verify.provers.proof.state import ProofSearch, Rule
from verify.provers.proof.state import algebra as algebra_of
from verify.provers.proof.tangents import by_tangents

_DEPTH = 5
_SHARE = 6  # eighths of the goals that may be tried for one form of the goal


def by_isolating_erf(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Divide by the coefficient of an error function, so that a derivative removes it."""
    return algebra.isolated(search, goal, depth, (sympy.erf,), _divided)


def by_logarithm(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The same rule as everywhere; but the logarithm of an error function leads nowhere."""
    return None if goal.expression.has(sympy.erf) else algebra.by_logarithm(search, goal, depth)


def _divided(above: Any, below: Any) -> Any:
    """The quotient, one function after the other: so its parts have short derivatives and limits."""
    functions = sorted(above.atoms(sympy.Function), key=str)
    parts = attempt(sympy.collect, sympy.expand(above), functions, evaluate=False)
    if parts is None:
        return None
    quotients = [(f, algebra_of(sympy.cancel, c / below)) for f, c in parts.items()]
    return None if any(q is None for _, q in quotients) else sympy.Add(*(f * q for f, q in quotients))


def _of_several(rule: Rule) -> Rule:
    """The rule, for goals in more than one variable."""

    def limited(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
        return rule(search, goal, depth) if len(goal.variables) > 1 else None

    return limited


RULES: tuple[Rule, ...] = (
    algebra.by_range,
    algebra.by_zero,
    algebra.by_sturm,
    by_exponentials,
    bernstein.by_bernstein,
    by_tangents,
    by_logarithm,
    by_isolating_erf,
    algebra.by_multiply,
    calculus.by_contact,
    by_one_inner,
    by_end_contact,
    _of_several(calculus.by_monotone),
    calculus.by_concave,
    by_pieces,
    by_few_boxes,
    by_signed_factors,
    algebra.by_isolating,
    algebra.by_rewriting,
)


def of_functions(goal: Goal) -> bool:
    """Whether these rules are for the goal: a function, other than a maximum and the like, is in it."""
    found = sympy.sympify(goal.expression).atoms(sympy.Function)
    return any(not isinstance(f, KINKS) and f.free_symbols for f in found)


def proved_later(goal: Goal, goals: int, work: Work) -> Node | None:
    """A proof by these rules, or ``None``; the goal has real variables only."""
    search, left = ProofSearch((), 0, 0, Work(0)), [goals]

    def case(part: Goal) -> Node | None:
        given = min(left[0], _SHARE * goals // 8)
        inner = ProofSearch(RULES, given, 60 + 4 * length(part.expression), work)
        node = next((n for d in range(1, _DEPTH + 1) if (n := inner.prove(part, d)) is not None), None)
        if node is None:
            left[0] -= given - inner.budget
        return node

    node = by_pole(goal, case) if search.plausible(goal) else None
    if node is not None:
        return node
    for form, change in _forms(search, goal):
        node = signs.by_signs(search, form, case)
        if node is not None:
            return node if change is None else change.around(node)
    return None


def _forms(search: ProofSearch, goal: Goal) -> Iterator[tuple[Goal, changes.Changed | None]]:
    """The goal, and what it is in other variables: first of all in fewer of them."""
    count = len(goal.variables)
    if count == 1:
        yield goal, None
    others = changes.changes(search, goal, implied.KINDS)
    yield from ((new.goal, new) for new in others if len(new.goal.variables) < count)
    if count > 1:
        yield goal, None
    yield from ((new.goal, new) for new in others if len(new.goal.variables) >= count)
