"""The independent checker: evidence has to be for what the claim says, and numbers must not be too long."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.unit.test_recheck import GIVEN, RANGE, UNIT, certificate
from tests.written_documents import by_certificates, document, rises, row, tends
from verify.recheck import recheck
from verify.recheck.intervals import point

SLOPES = [certificate(text, ["0 <= x <= 1", "0 <= y <= 1"], RANGE) for text in ("0 <= 1", "0 <= exp(x)")]
SQUARE = ["0 <= x <= 1", "0 <= y <= 1"]
GROWS = row(rises("exp(x) + Max(x, y)"), SQUARE, point={"x": "0", "y": "0"}, proof=by_certificates(*SLOPES))


def grows(says: dict, domain: list[str] = SQUARE, integers=()) -> dict:
    return row(says, domain, integers, point=GROWS["point"], proof=GROWS["proof"])


@pytest.mark.parametrize(
    "other",
    [
        grows(rises("exp(x) + Max(x, y)", increasing=False)),
        grows(rises("exp(x) + Max(1 - x, y)")),
        grows(rises("exp(x) + Max(x, y)", "z")),
        grows(rises("exp(x) + Max(x, y)/(y - 1/2)")),
        grows(rises("exp(x) + atan(1/(1/2 - x))")),
        grows(tends("exp(x) + Max(x, y)", "1", "x", "0")),
        grows(rises("exp(x) + Max(x, y)"), ["0 <= x <= 2", "0 <= y <= 1"]),
        grows(rises("exp(x) + Max(x, y)"), integers=["x"]),
        GROWS | {"proof": by_certificates(*SLOPES[:1])},
        GROWS | {"proof": by_certificates()},
        GROWS | {"proof": {"formula": {"by": "identity"}}},
        GROWS | {"proof": {}},
        GROWS | {"proof": None},
        GROWS | {"point": None},
        GROWS | {"point": {"x": "2", "y": "0"}},
    ],
)
def test_slopes_show_one_monotone_claim_only(other):
    assert recheck(document(GROWS)) == []
    assert recheck(document(other)) != []


def test_no_hypothesis_about_the_variable_is_used_along_it():
    area = ["-1 <= x <= 1", "0 <= x**3"]
    proof = GIVEN | {"hypothesis": 0, "multiplier": "1", "rest": "0"}
    slope = certificate("0 <= x**3", area, proof, box=area[:1])
    assert recheck(slope) == []
    claimed = row(rises("x**4/4"), area, point={"x": "1"}, proof=by_certificates(slope))
    assert recheck(document(claimed)) != []


def refuted(says: dict, domain: list[str], witness: dict) -> list[str]:
    return recheck(document(row(says, domain, verdict="refuted", witness=witness)))


TWO_POINTS = {
    "relation": "x**2 <= z**2",
    "domain": ["-1 <= x <= 1", "-1 <= z <= 1", "x < z"],
    "integers": [],
    "point": {"x": "-1", "z": "0"},
}


@pytest.mark.parametrize(
    "change", [{"relation": "x**2 <= z**3"}, {"domain": ["-1 <= x <= 1", "-2 <= z <= 1", "x < z"]}]
)
def test_two_points_refute_one_monotone_claim_only(change):
    says = rises("x**2")
    assert refuted(says, ["-1 <= x <= 1"], TWO_POINTS) == []
    assert refuted(says, ["-1 <= x <= 1"], TWO_POINTS | change) != []
    assert refuted(rises("x"), ["-1 <= x <= 1"], TWO_POINTS) != []


def away(relation: str = "1/2 <= 1 - exp(-k)", domain: str = "4 <= k") -> dict:
    return {"relation": relation, "domain": [domain], "certificate": certificate(relation, [domain], RANGE)}


@pytest.mark.parametrize(
    ("says", "witness"),
    [
        (tends("1 - exp(-k)", "1", "k", "oo"), away()),
        (tends("1 - exp(-k)", "0", "k", "0"), away()),
        (tends("2 - exp(-k)", "0", "k", "oo"), away()),
        (tends("1 - exp(-k)", "0", "k", "oo"), away("0 <= 1 - exp(-k)")),
        (tends("1 - exp(-k)", "0", "k", "oo"), away(domain="4 <= k <= 5")),
        (tends("1 - exp(-k)", "0", "k", "oo"), away() | {"relation": "1/4 <= 1 - exp(-k)"}),
        (tends("1 - exp(-k)", "0", "k", "oo"), away() | {"certificate": None}),
    ],
)
def test_a_function_that_stays_away_refutes_one_limit_only(says, witness):
    assert refuted(tends("1 - exp(-k)", "0", "k", "oo"), ["0 < k"], away()) == []
    assert refuted(says, ["0 < k"], witness) != []


@pytest.mark.parametrize(
    "relation",
    [
        *("x <= 10**10**9", "x <= (9999**9999)**9999", "x <= 1e999999999", "x <= 1e-99999999"),
        "x <= exp(10**10*log(10))",
        *("x <= sin(10**100000)", "x <= (1/3)**(10**9)"),
    ],
)
def test_numbers_that_are_too_long_are_complaints(relation):
    assert len(recheck(certificate(relation, UNIT, RANGE))) == 1


def test_a_root_count_of_a_high_degree_is_a_complaint():
    assert recheck(certificate("0 <= (1 + x)**9999", UNIT, {"by": "sturm"})) != []


@pytest.mark.parametrize(
    "base", [Fraction(10**40 + 1, 10**40), Fraction(10**40 - 1, 10**40), Fraction(-3, 7**50)]
)
@pytest.mark.parametrize("n", [9998, 9999])
def test_long_powers_are_rounded_outward(base, n):
    found, exact = point(base).power(n), base**n
    assert found.low <= exact <= found.high
    assert found.low < found.high
