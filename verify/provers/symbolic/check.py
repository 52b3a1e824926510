"""The symbolic prover: proofs for the whole domain, found by a goal-directed search.

An inequality ``left <= right`` becomes the goal ``right - left >= 0``; a rule of the proof language
(``docs/proofs.md``) reduces it to simpler goals: take out factors whose sign is known, start at an end
and follow the sign of the slope, touch zero at a minimum, compare logarithms, use a hypothesis.  The
search deepens step by step, so the shortest proofs come first, and counts the goals it tries.

Integer variables are first taken as real ones (which proves more than is asked); failing that, their
first values are proved one by one and the rest as a real tail.  An identity is derived by a chain of
rewritings, a monotonicity by the sign of the slope, a limit as its module says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import (
    Claim,
    Domain,
    Effort,
    Finding,
    Hypothesis,
    LimitOf,
    Monotone,
    Relation,
    Verdict,
)
from verify.provers import witness
from verify.provers.box.check import NOTHING, nothing_in
from verify.provers.expressions import length, put, unwieldy
from verify.provers.goals import Goal, Node, certificate
from verify.provers.points import points
from verify.provers.symbolic.algebra import (
    by_given,
    by_isolating,
    by_logarithm,
    by_multiply,
    by_range,
    by_rewriting,
    by_sturm,
    by_sum,
)
from verify.provers.symbolic.calculus import by_contact, by_minimum, by_monotone, by_split
from verify.provers.symbolic.derivation import derivation_lines, first_integer
from verify.provers.symbolic.identities import derivation
from verify.provers.symbolic.limits import proved_limit, refuted_limit
from verify.provers.symbolic.monotone import slopes
from verify.provers.symbolic.search import Search, proper

GOALS = 120  # goals one search may try
RULES = (
    by_range,
    by_sturm,
    by_given,
    by_multiply,
    by_contact,
    by_monotone,
    by_minimum,
    by_split,
    by_logarithm,
    by_isolating,
    by_sum,
    by_rewriting,
)
_SIGNS = ("positive", "nonnegative", "negative", "nonpositive")
_FIRST_VALUES = (1, 2, 4, 8, 16)  # of an integer variable, before its tail
_MOST_VALUES = 200  # if its range is not larger, all of them are tried


def prove(goal: Goal, depth: int = 6, budget: int = GOALS) -> Node | None:
    """A proof tree of the goal, or ``None``; the same one every time."""
    if not proper(goal.expression):
        return None
    node = _searched(_as_real(goal), depth, budget)
    if node is None:
        for name in goal.variables:
            if goal.ranges[name].integer and goal.ranges[name].lower is not None:
                node = node or _by_cases(goal, name, depth, budget)
    return node


def _searched(goal: Goal, depth: int, budget: int) -> Node | None:
    rules = (by_range,) if unwieldy(goal.expression) else RULES
    search = Search(rules, goal.given, budget=budget, size=60 + 4 * int(length(goal.expression)))
    return next((n for d in range(1, depth + 1) if (n := search.prove(goal, d)) is not None), None)


def _as_real(goal: Goal) -> Goal:
    """The same goal with its integer variables as real ones: their symbols forget that they are whole."""
    symbols = {}
    for name, symbol in goal.symbols.items():
        facts = {k: True for k in _SIGNS if getattr(symbol, f"is_{k}")}
        symbols[name] = sympy.Symbol(name, real=True, **facts) if symbol.is_integer else symbol
    swap = {goal.symbols[name]: symbols[name] for name in symbols}
    return Goal(
        goal.expression.xreplace(swap),
        goal.strict,
        {name: replace(r, integer=False) for name, r in goal.ranges.items()},
        tuple(Hypothesis(h.left.xreplace(swap), h.relation, h.right.xreplace(swap)) for h in goal.given),
        symbols,
    )


def _by_cases(goal: Goal, name: str, depth: int, budget: int) -> Node | None:
    """The first values of an integer variable one by one, the rest as a real tail."""
    r = goal.ranges[name]
    first = first_integer(r)
    parts: list[Node] = []
    size = 0 if r.upper is None else int(r.upper - first) + 1
    for count in (*_FIRST_VALUES, *((size,) if size <= _MOST_VALUES else ())):
        while len(parts) < count and Fraction(first + len(parts)) in r:
            part = _at_value(goal, name, first + len(parts), depth, budget)
            if part is None:
                return None
            parts.append(part)
        start = Fraction(first + len(parts))
        if start not in r:
            return {"by": "cases", "variable": name, "parts": parts, "tail": None}
        rest = replace(r, lower=start, lower_open=False)
        tail = _searched(_as_real(goal.on(name, rest)), depth, budget // 4)
        if tail is not None:
            return {"by": "cases", "variable": name, "parts": parts, "tail": tail}
    return None


def _at_value(goal: Goal, name: str, value: int, depth: int, budget: int) -> Node | None:
    at = {goal.symbols[name]: sympy.Integer(value)}
    expression = put(goal.expression, at)
    sides = [(put(h.left, at), h.relation, put(h.right, at)) for h in goal.given]
    if expression is None or any(left is None or right is None for left, _, right in sides):
        return None
    given = tuple(Hypothesis(*parts) for parts in sides)
    rest = {n: r for n, r in goal.ranges.items() if n != name}
    return prove(replace(goal, expression=expression, ranges=rest, given=given), depth, budget)


@dataclass(frozen=True)
class Symbolic:
    """The check: a proof for the whole domain, a confirmed counterexample, or undecided."""

    depth: int = 6  # differentiations and the like on one branch of a proof
    goals: int = GOALS  # goals one search may try; twice as many in a thorough run

    @property
    def name(self) -> str:
        """For reports."""
        return "symbolic"

    @property
    def random(self) -> bool:
        """It cannot be wrong by bad luck."""
        return False

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return True

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Decide the claim's formula."""
        says, domain = claim.says, claim.domain
        if says is not None and nothing_in(domain):
            return self._finding(Verdict.UNDECIDED, {"why": NOTHING})
        check = replace(self, goals=effort.scaled(self.goals, 2 * self.goals))
        if isinstance(says, Relation):
            return check._relation(claim.label, says, domain)
        if isinstance(says, Monotone):
            return check._monotone(claim.label, says, domain)
        if isinstance(says, LimitOf):
            return check._limit(claim.label, says, domain)
        return self._finding(Verdict.UNDECIDED, {"why": "the claim has no formula"})

    def _finding(
        self, verdict: Verdict, evidence: dict[str, Any], found: dict[str, Any] | None = None
    ) -> Finding:
        return Finding(self.name, verdict, {"method": "symbolic", **evidence}, found)

    def _prove(self, goal: Goal) -> Node | None:
        return prove(goal, self.depth, self.goals)

    def _relation(self, label: str, says: Relation, domain: Domain) -> Finding:
        found = counterexample(says, domain)
        if found is not None:
            return self._finding(Verdict.REFUTED, {"why": "fails at an exact point"}, found)
        if says.relation == "==":
            chain = derivation(says.left - says.right, domain)
            if chain is None:
                return self._finding(
                    Verdict.UNDECIDED, {"why": "no chain of rewritings from the difference to 0"}
                )
            lines = [f"{step['by']}: {step['expression']}" for step in chain]
            return self._finding(Verdict.PROVED, {"derivation": lines, "chain": chain})
        goal = Goal.of(says, domain)
        node = self._prove(goal)
        if node is None:
            return self._finding(Verdict.UNDECIDED, {"why": f"no proof within {self.goals} goals"})
        if not points(dict(domain.ranges), domain.given) and self._prove(goal.about(sympy.Integer(-1))):
            return self._finding(Verdict.UNDECIDED, {"why": NOTHING})
        return self._finding(
            Verdict.PROVED,
            {
                "derivation": derivation_lines(node, goal),
                "certificate": certificate(label, says, domain, domain, node),
            },
        )

    def _monotone(self, label: str, says: Monotone, domain: Domain) -> Finding:
        relation, wide = witness.as_relation(says, domain)
        found = counterexample(relation, wide)
        if found is not None:
            return self._finding(Verdict.REFUTED, {"why": "fails at two exact points"}, found)
        parts = slopes(says, domain)
        if parts is None:
            return self._finding(Verdict.UNDECIDED, {"why": "the function may have a kink or a pole"})
        lines, certificates = [], []
        for slope, area in parts:
            goal = Goal.of(slope, area)
            node = self._prove(goal)
            if node is None:
                return self._finding(Verdict.UNDECIDED, {"why": f"no proof of {slope.text()}"})
            lines += derivation_lines(node, goal)
            certificates.append(certificate(label, slope, area, area, node))
        reason = "the slope has one sign, and the function is differentiable inside the range"
        if len(parts) != 1:
            reason = "a sum, maximum or minimum of parts, and each has a slope of one sign"
        return self._finding(
            Verdict.PROVED,
            {
                "reason": reason,
                "derivation": lines,
                **({"certificate": certificates[0]} if len(parts) == 1 else {"certificates": certificates}),
            },
        )

    def _limit(self, label: str, says: LimitOf, domain: Domain) -> Finding:
        evidence = proved_limit(says, domain)
        if evidence is not None:
            return self._finding(Verdict.PROVED, evidence)
        found = refuted_limit(says, domain, label, self._prove)
        if found is not None:
            return self._finding(Verdict.REFUTED, {"why": "stays away from the value next to the end"}, found)
        return self._finding(Verdict.UNDECIDED, {"why": "no argument for this limit, nor against it"})


def counterexample(relation: Relation, domain: Domain) -> dict[str, Any] | None:
    """A confirmed witness among the exact points that goals are tried at, or ``None``."""
    for point in points(dict(domain.ranges), domain.given):
        found = witness.confirmed(relation, domain, point)
        if found is not None:
            return found
    return None
