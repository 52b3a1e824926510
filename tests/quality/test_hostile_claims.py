"""False claims in thousands, none proved; true ones, none refuted; and the measure itself can fail."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import pytest

from tests.quality.hostile.claims import Hostile, NotFalseError, candidates
from tests.quality.hostile.found import FOUND
from tests.quality.hostile.making import FALSE, TRUE, hostile
from tests.quality.hostile.running import PROVERS, Ran, falsely_proved, ran
from tests.quality.hostile.sharp import SHARP
from tests.quality.hostile.truth import holds, inside, sign

QUICK, MORE, THOROUGH = 60, 300, 5000  # false claims
TRUE_QUICK, TRUE_MORE = 20, 40
CHUNK = 20
SEED = 1


def chunks(quick: int, more: int) -> list[object]:
    """Where parts begin; those after the quick ones are for ``make test-thorough``."""
    late = [pytest.param(start, marks=pytest.mark.thorough) for start in range(quick, more, CHUNK)]
    return [*range(0, quick, CHUNK), *late]


@lru_cache(maxsize=2)
def made(false: bool, seed: int, count: int) -> list[Hostile]:
    return list(islice(hostile(FALSE if false else TRUE, seed), count))


def proved_ones(claims: list[Hostile], seconds: float) -> list[str]:
    return [of.text() for of in claims if falsely_proved(of, ran(of, PROVERS, seconds))]


@pytest.mark.parametrize("start", chunks(QUICK, MORE))
def test_no_false_claim_is_proved(start):
    assert proved_ones(made(True, SEED, MORE)[start : start + CHUNK], 0.5) == []


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("start", range(0, THOROUGH, 100))
def test_no_false_claim_is_proved_with_more_patience(start):
    assert proved_ones(made(True, SEED + 1, THOROUGH)[start : start + 100], 10) == []


@pytest.mark.parametrize("seconds", [5, pytest.param(20, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("of", FOUND, ids=lambda of: of.family)
def test_what_was_once_proved_is_not_proved_again(of, seconds):
    assert not falsely_proved(of.require_false(), ran(of, PROVERS, seconds))


@pytest.mark.thorough
@pytest.mark.parametrize("of", FOUND, ids=lambda of: of.family)
def test_what_was_once_proved_is_not_proved_by_the_standard_checks(of):
    assert not falsely_proved(of, ran(of, None, 20))


@pytest.mark.parametrize("start", chunks(TRUE_QUICK, TRUE_MORE))
def test_no_true_claim_is_refuted(start):
    claims = made(False, SEED, TRUE_MORE)[start : start + CHUNK]
    assert [of.text() for of in claims if ran(of, None, 0.5).verdict == "refuted"] == []


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("start", range(0, 1000, 50))
def test_no_true_claim_is_refuted_with_more_patience(start):
    claims = made(False, SEED + 1, 1000)[start : start + 50]
    assert [of.text() for of in claims if ran(of, None, 10).verdict == "refuted"] == []


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_most_true_claims_are_proved():
    found = [ran(of, PROVERS, 4).verdict for of in made(False, SEED, 100)]
    assert found.count("proved") >= 60


# ---------------------------------------------------------------- the measure


def test_the_claims_are_many_and_the_same_every_time():
    first = made(True, SEED, MORE)
    assert len({of.text() for of in first}) == MORE
    assert {of.family.partition(",")[0] for of in first[:QUICK]} == {
        "sharp", "growth", "corner", "monotone", "limit", "grown",
    }  # fmt: skip
    assert [of.text() for of in islice(hostile(FALSE, SEED), 50)] == [of.text() for of in first[:50]]


def test_the_sharp_inequalities_are_true_at_every_special_point():
    for base in SHARP:
        of, rng = base.hostile("sharp", false=False), random.Random(0)
        area = of.domain or tuple(of.reals.split())
        assert not [
            at for at in candidates(rng, area, of.integers.split(), 60) if holds(of.says, at) is False
        ]


def test_a_true_claim_cannot_pass_for_a_false_one():
    true = Hostile("none", "1 + x <= exp(x)", ("x >= 0",), ({"x": Fraction(0)},))
    outside = Hostile("none", "exp(x) <= 1", ("x >= 0", "x <= 0"), ({"x": Fraction(1)},))
    rising = Hostile("none", "x", ("x >= 0",), ({"x": Fraction(0)}, {"x": Fraction(1)}), kind="increasing")
    for of in (true, outside, rising):
        with pytest.raises(NotFalseError):
            of.require_false()


def test_a_proof_of_a_false_claim_is_noticed():
    of = Hostile("none", "x <= 1", ("x >= 0",), ({"x": Fraction(2)},)).require_false()
    box = {"certificate": {"box": ["0 <= x <= 3"]}}
    assert falsely_proved(of, Ran("proved", {}))
    assert falsely_proved(of, Ran("proved-on-box", box))
    assert not falsely_proved(of, Ran("proved-on-box", {"certificate": {"box": ["0 <= x <= 1"]}}))
    assert not falsely_proved(of, Ran("undecided", {}))


@pytest.mark.parametrize(
    ("left", "right", "x", "expected"),
    [
        ("exp(0)", "1", 0, 0),
        ("2*x/(2 + x)", "log(1 + x)", Fraction(1, 10**300), 1),  # 1 + x rounds to 1
        ("log(1 + exp(-1000))", "exp(-1000)/2", 0, -1),
        ("exp(10**90)", "exp(10**90 + 1)", 0, 1),
        ("1", "1 + 1/10**1000", 0, 1),
        ("sqrt(2)**2", "2", 0, None),  # equal, but not seen
        ("1/x", "1", 0, None),
        ("log(x)", "1", -1, None),
        ("0**x", "1", 0, 0),
        ("(-8)**(1/3)", "0", 0, None),
        ("8**(2/3)", "4", 0, 0),
        ("Max(pi, 22/7)", "22/7", 0, None),  # equal, but through a pair
        ("sin(10**30)", "2", 0, 1),
        ("cosh(x)", "1", 0, 0),
        ("0.1", "1/10", 0, 0),
        ("factorial(5)", "120", 0, 0),
        ("expm1r(x)", "1", 0, 0),
    ],
)
def test_the_sign_of_a_difference(left, right, x, expected):
    assert sign(left, right, {"x": Fraction(x)}) == expected


def test_a_point_is_in_a_domain_only_for_certain():
    at = {"x": Fraction(1, 2), "n": Fraction(3)}
    assert inside(("0 <= x <= 1", "x", "exp(x) <= n"), ("n",), at)
    assert not inside(("0 < x < 1/2",), (), at)
    assert not inside((), ("x",), at)
    assert not inside(("1/(2*x - 1) <= 1",), (), at)
