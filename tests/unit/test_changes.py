"""Changes of variables, chords, sums of squares modulo equations: what they prove, and what they must not."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from tests.unit.test_last_rules import goal_of, run
from verify.claims import Verdict
from verify.provers.proof.changes import changes
from verify.provers.proof.leaves import Work
from verify.provers.proof.quotients import Modulo, monomials_up_to
from verify.provers.proof.rounding import times
from verify.provers.proof.state import ProofSearch
from verify.recheck import recheck

# relation, domain, a rule that the proof must use
PROVED = [
    ("2*(x - y) <= (x + y)*(log(x) - log(y))", ["0 < y", "y < x"], "compose"),  # ratios
    ("sqrt(x*y)*(log(x) - log(y)) <= x - y", ["0 < y", "y < x"], "compose"),  # a cone, ratios, a root
    ("exp(y) - exp(x) <= (y - x)*(exp(x) + exp(y))/2", ["x < y"], "compose"),  # differences
    ("sin(x)*cos(x) <= 1/2", ["-90 <= x <= 90"], "compose"),  # a point of a circle
    ("cos(x) + cos(y) - cos(x + y) <= 3/2", ["-90 <= x <= 90", "-90 <= y <= 90"], "combine"),
    ("2*x/pi <= sin(x)", ["x >= 0", "2*x <= pi"], "concave"),  # right angles
    ("x + y <= x**2 + y**2", ["x >= 0", "y >= 0", "x*y == 1"], "combine"),
    ("(x + y + z)**2 <= 3", ["x**2 + y**2 + z**2 == 1"], "combine"),
]
# The same by a little too much.
FALSE = [
    ("2.0001*(x - y) <= (x + y)*(log(x) - log(y))", ["0 < y", "y < x"]),
    ("sin(x)*cos(x) <= 0.4999", ["-90 <= x <= 90"]),
    ("x + y <= 1", ["x**2 + y**2 == 1", "0 <= x <= 1", "0 <= y <= 1"]),
]


@pytest.mark.parametrize(("relation", "domain", "rule"), PROVED)
def test_proved_and_accepted(relation, domain, rule):
    finding = run(relation, domain)
    assert finding.verdict is Verdict.PROVED
    assert rule in finding.evidence["rules"]
    assert recheck(json.loads(json.dumps(finding.evidence["certificate"]))) == []


@pytest.mark.parametrize(("relation", "domain"), FALSE)
def test_what_is_false_is_not_proved(relation, domain):
    assert run(relation, domain).verdict is not Verdict.PROVED


def changed(relation: str, *domain: str) -> list:
    return changes(ProofSearch((), 10, 1000, Work(0)), goal_of(relation, *domain))


def test_what_does_not_scale_is_left_alone():
    """Neither x + y**2 nor a hypothesis that has an end: the range of the ratio would be wrong."""
    assert changed("x*y <= x + y**2 + 1", "x > 0", "y > 0") == []
    ratio = changed("x*y <= x**2 + y**2", "1 <= x <= 2", "1 <= y <= 2")
    assert all(r.lower == Fraction(1, 2) and r.upper == 2 for c in ratio for r in c.goal.ranges.values())


def test_hypotheses_become_ranges_and_facts():
    new = changed("x*y <= x**2 + y**2", "x > 0", "y > 0", "x < 3*y")
    assert any(r.upper == 3 and r.upper_open for c in new for r in c.goal.ranges.values())


def polynomial(rng: random.Random, n: int, degree: int) -> dict:
    every = monomials_up_to(degree, n)
    chosen = rng.sample(every, rng.randint(1, min(4, len(every))))
    return {m: Fraction(rng.choice((-3, -2, -1, 1, 2, 5)), rng.randint(1, 3)) for m in chosen}


def test_normal_forms_add_up():
    """The normal form, and the multiples of the equations that were subtracted, are the polynomial."""
    rng = random.Random(7)
    for _ in range(300):
        n = rng.randint(1, 3)
        equations = [polynomial(rng, n, 2) for _ in range(rng.randint(1, 2))]
        modulo = Modulo(equations, 4)
        for _ in range(4):
            p = polynomial(rng, n, 4)
            total, used = modulo.of(p)
            assert not any(modulo.leads(m) for m in total)
            total = dict(total)
            for (k, m), c in used.items():
                for at, a in times({m: c}, equations[k]).items():
                    total[at] = total.get(at, Fraction(0)) + a
            assert {m: c for m, c in total.items() if c} == p


def test_multiples_of_an_equation_are_nothing():
    rng = random.Random(8)
    for _ in range(300):
        h, m = polynomial(rng, 2, 2), polynomial(rng, 2, 2)
        p = times(h, m)
        assert not p or Modulo([h], 4).of(p)[0] == {}
