"""The rules for functions: the checker accepts what they prove, and they prove nothing that is false."""

from __future__ import annotations

import json

import pytest

from verify.claims import Domain, Relation
from verify.provers.expressions import modest_signs, spending
from verify.provers.goals import Goal, certificate
from verify.provers.proof.later import of_functions, proved_later
from verify.provers.proof.leaves import Work
from verify.recheck import recheck

# relation, domain, a rule that the proof must use
PROVED = [
    ("cosh(x) <= (sinh(x)/x)**3", ["x > 0"], "monotone"),
    ("x*exp(x) + x + 2 <= 2*exp(x) + x**3*exp(x)/6", ["x >= 0"], "monotone"),
    (
        "p*log(p/q) + (1 - p)*log((1 - p)/(1 - q)) <= (p - q)**2/(q*(1 - q))",
        ["0 < p < 1", "0 < q < 1"],
        "known",
    ),
    (
        "(a + b)*log((a + b)/(c + d)) <= a*log(a/c) + b*log(b/d)",
        ["a > 0", "b > 0", "c > 0", "d > 0"],
        "known",
    ),
    ("4*x*(1 - x)*log(2) <= -x*log(x) - (1 - x)*log(1 - x)", ["0 < x < 1"], "split"),
    ("1 - erf(x) <= exp(-x**2)", ["x >= 0"], "monotone"),
    ("(sin(x)/x)**2 + sin(x)/(x*cos(x)) > 2", ["x > 0", "2*x < pi"], "compose"),
    ("x**2*exp(-x**2) <= exp(-1)", ["-9 <= x <= 9"], "split"),
    ("max(x, y) <= log(exp(x) + exp(y))", ["-9 <= x <= 9", "-9 <= y <= 9"], "signs"),
]
# The same, and more of it, by a little too much.
FALSE = [
    ("(1 + 1/10**9)*cosh(x) <= (sinh(x)/x)**3", ["x > 0"]),
    ("cosh(x) <= (sinh(x)/x)**3 - x**4/15 - x**6/80", ["x > 0"]),
    ("p*log(p/q) + (1 - p)*log((1 - p)/(1 - q)) <= (p - q)**2/(2*q*(1 - q))", ["0 < p < 1", "0 < q < 1"]),
    (
        "(a + b)*log((a + b)/(c + d)) + a/10**6 <= a*log(a/c) + b*log(b/d)",
        ["a > 0", "b > 0", "c > 0", "d > 0"],
    ),
    ("(4 + 1/10**12)*x*(1 - x)*log(2) <= -x*log(x) - (1 - x)*log(1 - x)", ["0 < x < 1"]),
    ("1 - erf(x) <= exp(-x**2*(1 + 1/10**3))", ["x >= 0"]),
    ("x**2*exp(-x**2) <= exp(-1) - 1/10**15", ["-9 <= x <= 9"]),
]


def goal_of(relation: str, domain: list[str]) -> tuple[Goal, Relation, Domain]:
    where = Domain.of(*domain)
    says = Relation.of(relation, where)
    return Goal.of(says, where), says, where


def proof_of(goal: Goal) -> dict | None:
    with spending(6000), modest_signs():
        return proved_later(goal, 80, Work(300))


def rules_in(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["by"]} if "by" in node else set()
        return own.union(*(rules_in(part) for part in node.values()))
    return set().union(*(rules_in(part) for part in node)) if isinstance(node, list) else set()


@pytest.mark.parametrize(("relation", "domain", "rule"), PROVED)
def test_proved_and_accepted(relation, domain, rule):
    goal, says, where = goal_of(relation, domain)
    node = proof_of(goal)
    assert node is not None
    assert rule in rules_in(node)
    data = certificate("example", says, where, where.ranges, node)
    assert recheck(json.loads(json.dumps(data))) == []


@pytest.mark.parametrize(("relation", "domain"), FALSE)
def test_what_is_false_is_not_proved(relation, domain):
    assert proof_of(goal_of(relation, domain)[0]) is None


def test_polynomials_are_left_to_others():
    assert not of_functions(goal_of("Max(x, 1)**2 <= x**4 + 9", ["0 <= x <= 2"])[0])
    assert of_functions(goal_of("Max(x, 1) <= exp(x)", ["1 <= x <= 2"])[0])
