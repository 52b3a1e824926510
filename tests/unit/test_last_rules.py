"""The last rules of the prover: signs, hypotheses as ranges, bounds; and what a search may cost."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import sympy

from verify.claims import Claim, Domain, Effort, Relation, Verdict
from verify.provers.expressions import kernels, paid, spending, written_out
from verify.provers.goals import Goal, certificate
from verify.provers.points import at_point
from verify.provers.proof import Proof, bounds, nearby, signs
from verify.provers.proof.leaves import Work
from verify.provers.proof.rules import RULES, _last
from verify.provers.proof.state import ProofSearch, algebra
from verify.recheck import recheck

FEW = Proof(goals=40, boxes=(200, 200))

# relation, domain, a rule that the proof must use
PROVED = [
    ("Max(x, y)**2 <= x**2 + y**2", ["-5 <= x <= 5", "-5 <= y <= 5"], "signs"),
    ("Abs(x) - x**2/4 <= 1", ["-9 <= x <= 9"], "split"),
    ("Abs(exp(x) - 1) <= exp(Abs(x)) - 1", ["-50 <= x <= 50"], "split"),
    ("sin(x)/2 <= 9/20", ["Abs(x) <= 1"], "empty"),
    ("Abs(x - x**3/6 - sin(x)) <= Abs(x)**5/120", ["-3 <= x <= 3"], "signs"),
    ("1 - x**2*y**2/2 <= cos(x*y)", ["-2 <= x <= 2", "-2 <= y <= 2"], "contact"),
    ("Abs(exp(x**2) - 1 - x**2) <= 3*x**4/4", ["-1/2 <= x <= 1/2"], "contact"),
]
# The same by a little too much.
FALSE = [
    ("x + y + 1/10**9 <= Max(2*x, 2*y)", ["-5 <= x <= 5", "-5 <= y <= 5"]),
    ("Max(x, y)**2 + 1/10**15 <= x**2 + y**2", ["-5 <= x <= 5", "-5 <= y <= 5"]),
    ("Abs(x) - x**2/4 <= 1 - 1/10**12", ["-9 <= x <= 9"]),
    ("Abs(x - x**3/6 - sin(x)) <= Abs(x)**5/121", ["-3 <= x <= 3"]),
    ("(1 + 1/10**20)*(exp(x) - 1) <= exp(Abs(x)) - 1", ["-50 <= x <= 50"]),
]


def run(relation: str, domain: list[str], check: Proof = FEW):
    where = Domain.of(*domain)
    claim = Claim("c", "statement", says=Relation.of(relation, where), domain=where, checks=(check,))
    return check.run(claim, Effort())


def goal_of(relation: str, *domain: str) -> Goal:
    where = Domain.of(*domain)
    return Goal.of(Relation.of(relation, where), where)


@pytest.mark.parametrize(("relation", "domain", "rule"), PROVED)
def test_proved_and_accepted(relation, domain, rule):
    finding = run(relation, domain)
    assert finding.verdict is Verdict.PROVED
    assert rule in finding.evidence["rules"]
    assert recheck(json.loads(json.dumps(finding.evidence["certificate"]))) == []


@pytest.mark.parametrize(("relation", "domain"), FALSE)
def test_false_ones_are_refuted(relation, domain):
    assert run(relation, domain).verdict is Verdict.REFUTED


# False by very little, next to a contact at 0, at an end, at an irrational place.
NEARLY = [
    ("1 + x*(1 + 1/10**20) <= exp(x)", ["-1 <= x <= 1"]),
    ("x*(1 + 1/10**40) <= sinh(x)", ["0 <= x <= 1"]),
    ("2 - 2*log(2) + 1/10**25 <= exp(x) - 2*x", ["-5 <= x <= 5"]),
    ("exp(x**2*exp(2 + 2*x/7)/49 + exp(-((x/7) + 1)**2)/10**25) <= exp(1)", ["x <= 0"]),
    ("2*sqrt(2)*x + 1/10**30 <= x**2 + 2", ["-5 <= x <= 5"]),
    ("x*y + 1/10**22 <= x**3/3 + 2*y**(3/2)/3", ["1/2 <= x <= 3", "1/2 <= y <= 3"]),
    # contacts along a curve, with a bump at one point of it
    ("y*(1 + log(2*x/(3*y))) + Max(0, 1/10**25 - Abs(y - 2)) <= 2*x/3", ["0 < x", "0 < y"]),
    (
        "x*(10**50*y + 5) + exp(-(10**54*y + 40000)**2)/10**25 <= x**3/3 + 2*(10**50*y + 5)**(3/2)/3",
        ["0 <= x <= 4", "-4/10**50 <= y <= 4/10**50"],
    ),
]


@pytest.mark.parametrize(("relation", "domain"), NEARLY)
def test_false_by_very_little(relation, domain):
    goal = goal_of(relation, *domain)
    point = next(iter(nearby.below_zero(goal, (), {})))
    assert at_point(goal.expression, point, 2000) < 0
    assert run(relation, domain, Proof(goals=5, boxes=(20, 20))).verdict is Verdict.REFUTED


def test_without_the_neighbourhood_they_stay_open(monkeypatch):
    monkeypatch.setattr("verify.provers.proof.check.below_zero", lambda *a: iter(()))
    assert run(*NEARLY[0], Proof(goals=5, boxes=(20, 20))).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", ["sin", "cos", "exp", "atan", "tanh", "sinh", "cosh", "log", "sqrt"])
@pytest.mark.parametrize("order", [2, 3, 6])
def test_bounds_are_bounds(name, side, order):
    """At exact points of several ranges, of one sign and of both."""
    x = sympy.Symbol("x", real=True)
    for low, high in (("1/2", "2"), ("0", "3"), ("-1", "2"), ("-2", "0")):
        if name in ("log", "sqrt") and low != "1/2":
            continue
        atom = getattr(sympy, name)(x)
        goal = goal_of("0 <= x + 9", f"{low} <= x <= {high}")
        found = bounds.bound_of(atom, goal, order, side)
        if found is None:
            continue
        w = next(iter(found.polynomial.free_symbols), x)
        for k in range(41):
            at = Fraction(low) + (Fraction(high) - Fraction(low)) * k / 40
            gap = at_point(side * (atom - found.polynomial.xreplace({w: x})), {"x": at})
            assert not gap < 0


@pytest.mark.parametrize("blind", [False, True])
def test_a_wrong_bound_is_no_proof(monkeypatch, blind):
    """A polynomial that is no bound fails at points; unseen, it makes a proof that the checker refuses."""
    goal = goal_of("exp(x**2) <= 1 + x**2 + x**4", "0 <= x <= 1/2")
    monkeypatch.setattr(bounds, "_extreme", lambda *a: sympy.Integer(0))
    if blind:
        monkeypatch.setattr(ProofSearch, "plausible", lambda *a: True)
    node = bounds.by_bounds(ProofSearch(RULES[:3], 40, 200, Work(0)), goal, 2)
    assert (node is not None) == blind
    if blind:
        where = Domain.of("0 <= x <= 1/2")
        says = Relation.of("exp(x**2) <= 1 + x**2 + x**4", where)
        data = certificate("c", says, where, where.ranges, node)
        assert recheck(json.loads(json.dumps(data))) != []


def test_hypotheses_are_cut_off_where_they_fail():
    goal = goal_of("x <= 2", "Abs(x) < 1")
    (above, _, _), (below, _, _) = signs._cuts(goal, goal.given[0], "x")
    assert (above, below) == (1, -1)  # exactly: the hypothesis is strict
    goal = goal_of("x <= 2", "x**2 <= 2", "0 <= x <= 5")
    ((cut, up, _),) = signs._cuts(goal, goal.given[0], "x")
    assert up
    assert 2 < cut**2 < Fraction(20001, 10000)


def test_what_is_spent_is_gone_and_the_same_is_free():
    with spending(10):
        assert [paid(6, "a"), paid(6, "a"), paid(6, "b"), paid(4, "c"), paid(1, "d")] == [1, 1, 0, 1, 0]
    assert paid(10**6, "outside")


def test_prices_are_by_size():
    x, y = sympy.symbols("x y", positive=True)
    assert written_out((x + y + 1) ** 3) == 10
    assert written_out(1 / (x + 1) + 1 / (y + 1)) == 4
    assert written_out((x + y) ** 1000 * (x + 1) ** 60) == 2 * 61
    assert kernels(sympy.exp(x) + sympy.sqrt(x + 1) + y) == 4
    assert algebra(sympy.expand, (x + y + 1) ** 60 * (x + 2 * y) ** 60) is None  # too dear by itself
    with spending(0):
        assert algebra(sympy.expand, x * (x + 1) ** 9) is None


def test_a_search_without_means_ends_without_a_proof():
    """What cannot be paid for is not asked: still no exception, and no proof of what is false."""
    goal = goal_of("exp(x) <= 1 + x + x**2", "-1 <= x <= 2")
    with spending(0):
        search = ProofSearch(RULES, 30, 200, Work(0))
        assert search.prove(goal, 3) is None
        assert _last(goal, 10, Work(20)) is None
