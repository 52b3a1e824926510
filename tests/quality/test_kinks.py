"""Kinks: what the prover writes of them is accepted, and what the checker takes for the same is the same."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from tests.quality.hostile.kinks import compared, kinked
from verify.claims import Domain, Effort, Relation, Verdict, claim
from verify.provers.proof import Proof, weights
from verify.recheck import identities
from verify.recheck.intervals import UnknownError, point
from verify.recheck.reading import domain_of, read
from verify.recheck.series import range_of
from verify.running import engine

AREA = ["-1 <= x <= 2", "y >= 0"]
BRIEF = Proof(goals=6, boxes=(20, 20))


def rejected(seed: int) -> list[str]:
    says, domain = kinked(seed)
    made = claim("kinked", "", says=says, domain=Domain.of(*domain), checks=(BRIEF,))
    result = engine.run_claim(made, Effort())
    assert result.error is None
    return [f"{seed}: {says} on {domain}"] if "rejected" in result.evidence else []


@pytest.mark.parametrize("seed", [11, 15, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(40))])
def test_no_proof_is_rejected(seed):
    assert rejected(seed) == []


def wrongly_equal(seed: int) -> str:
    """Two formulas that are taken for the same, and have different values somewhere."""
    left, right = compared(seed)
    box, _ = domain_of(AREA, {"x", "y"})
    f = read(left, ["x", "y"]) - read(right, ["x", "y"])
    if not identities.vanishes(f, box):
        return ""
    rng = Random(seed)
    for _ in range(40):
        at = {"x": point(Fraction(rng.randint(-20, 40), 20)), "y": point(Fraction(rng.randint(0, 80), 20))}
        try:
            value = range_of(f, at)
        except UnknownError:
            continue
        if value.low > 0 or value.high < 0:
            return f"{left} and {right} at {at}"
    return ""


@pytest.mark.parametrize("count", [40, pytest.param(300, marks=pytest.mark.thorough)])
def test_what_is_taken_for_the_same_is_the_same(count):
    assert not any(wrongly_equal(seed) for seed in range(count))


def test_that_is_seen_of_many():
    def same(seed: int) -> bool:
        left, right = (read(text, ["x", "y"]) for text in compared(seed))
        return identities.same(left, right, domain_of(AREA, {"x", "y"})[0])

    assert sum(same(seed) for seed in range(20)) >= 4


def _turned(m, algebra):
    """Bounds of a monomial, taken the wrong way round."""
    return [{n: -c for n, c in bound.items()} for bound in BOUNDS(m, algebra)]


BOUNDS = identities._bounds
MUTANTS = {
    "every case is excluded": ("_possible", lambda facts, algebra: len(list(facts)) < 2),
    "bounds the wrong way round": ("_bounds", _turned),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_checker_that_leaves_cases_out_is_found(name, monkeypatch):
    monkeypatch.setattr(identities, *MUTANTS[name])
    assert any(wrongly_equal(seed) for seed in range(300))


# ---------------------------------------------------------------- what scales

HAT = "x*y + y*z + z*x + Max(0, 1/10**25 - Abs(z - 1271/1009)) <= x**2 + y**2 + z**2"  # false at the hat


@pytest.mark.parametrize(
    ("formula", "k"),
    [
        ("x**2 - x*y + y**2", 2),
        ("Max(x, y, 0) - Abs(x - y)", 1),
        ("x*log(x) - x*log(y) - x + y", 1),
        ("log(x + y) - log(x)", 0),
        ("x*exp(x/y) - sqrt(x*y)", 1),
        ("x - exp(-1 + (x*log(x) - y*log(y))/(x - y))", 1),  # a mean: it scales inside the exponential
        ("x - exp(-1 + (x*log(x) - y*log(y))/(x + y))", None),
        ("x - exp(log(x)**2/log(y))", None),
        ("Max(log(x), log(y)) - log(x + y)", 0),  # what the kink compares changes alike
        ("Min(log(x), Max(log(y), log(x*y)/2)) - log(x + y)", 0),
        ("Max(log(x), 2*log(y)) - log(x + y)", None),
        ("Max(log(x), log(y)) - 2*log(x + y)", None),
        ("Max(log(x), 0) - log(x)", None),
        ("Abs(log(x)) - log(x)", None),
        ("x - Max(0, 1/10**25 - Abs(y - 1))", None),
        ("x*log(x) - y*log(y)", None),
        ("x - exp(-(y - 1)**2)/10**25", None),
    ],
)
def test_how_a_formula_scales(formula, k):
    area = Domain.of("x > 0", "y > 0")
    assert weights.weight_of(Relation.of(f"0 <= {formula}", area).gap) == k


def lost() -> Verdict:
    """What the prover says when no point next to the hat is looked at."""
    area = Domain.of("0 <= x <= 3", "0 <= y <= 3", "0 <= z <= 3")
    return Proof(goals=3, boxes=(10, 10)).run(claim("hat", "", says=HAT, domain=area), Effort()).verdict


def test_a_hat_is_not_lost(monkeypatch):
    for name in ("at_turns", "below_zero"):
        monkeypatch.setattr(f"verify.provers.proof.check.{name}", lambda *a: iter(()))
    assert lost() is Verdict.UNDECIDED
    monkeypatch.setattr(weights, "weight_of", lambda e, shifted=False: Fraction(2))  # points alone
    assert lost() is Verdict.PROVED  # a certificate that the checker rejects
