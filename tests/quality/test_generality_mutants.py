"""The rules ``signs`` and ``compose``: what the checker accepts, what it must not, and mutated certificates.

Beside each condition a certificate that only this condition keeps out: without it, it is accepted.
"""

from __future__ import annotations

import copy
import random

import pytest

from tests.quality.hostile.forging import failure, mutated
from tests.quality.hostile.fuzzing import accepted, statement
from tests.unit.test_recheck import RANGE, certificate
from verify.recheck import certificates, generality, recheck

MUTATIONS = (500, pytest.param(20_000, marks=[pytest.mark.thorough, pytest.mark.timeout(1800)]))


def signs(expression: str, *parts: dict) -> dict:
    return {"by": "signs", "expression": expression, "parts": list(parts)}


def compose(inner: str, expression: str, proof: dict, **more: object) -> dict:
    return {
        "by": "compose",
        "variable": "w",
        "inner": inner,
        "expression": expression,
        "proof": proof,
        **more,
    }


def given(multiplier: str, rest: str, index: int = 0) -> dict:
    return {
        "by": "given",
        "hypothesis": index,
        "multiplier": multiplier,
        "positive": RANGE,
        "rest": rest,
        "proof": RANGE,
    }


def contact(order: int, variable: str = "w") -> dict:
    return {"by": "contact", "variable": variable, "at": "0", "order": order, "proof": RANGE}


def empty(index: int, proof: dict = RANGE) -> dict:
    return {"by": "empty", "hypothesis": index, "proof": proof}


def bounded(gap: str, shown: dict, rest: str, proof: dict) -> dict:
    """A function replaced by its bound: the gap is not negative, and neither is the rest."""
    return {
        "by": "sum",
        "terms": [{"expression": gap, "proof": shown}, {"expression": rest, "proof": proof}],
    }


SQUARE = ["-1 <= x <= 1", "-1 <= y <= 1"]
SINE = compose("x + y", "sin(w) - w + w**3/6", contact(3), range=["w >= 0"])
ACCEPTED = {
    "signs": certificate(
        "x + y <= Max(2*x, 2*y)", SQUARE, signs("2*x - 2*y", given("1/2", "0"), given("1/2", "0"))
    ),
    "signs of Min": certificate(
        "Min(2*x, 2*y) <= x + y", SQUARE, signs("2*x - 2*y", given("1/2", "0"), given("1/2", "0"))
    ),
    "signs of Abs": certificate("x - y <= Abs(x - y)", SQUARE, signs("x - y", RANGE, given("2", "0"))),
    "signs beside a hypothesis": certificate(
        "Abs(x - y) <= 1 + x - y", [*SQUARE, "y <= x"], signs("x - y", RANGE, given("2", "1", 0))
    ),
    "signs of what is never negative": certificate(
        "Abs(exp(x) - y) <= exp(x) + 1", SQUARE, signs("exp(x) - y", RANGE, RANGE)
    ),
    "compose": certificate("1 + x*y <= exp(x*y)", SQUARE, compose("x*y", "exp(w) - 1 - w", contact(2))),
    "compose in a larger range": certificate(
        "(x + y) - (x + y)**3/6 <= sin(x + y)", ["x >= 1", "y >= 0"], SINE
    ),
    "compose with proved ends": certificate(
        "x/y <= exp(x/y - 1)",
        ["x >= 1", "y >= 1", "y <= x"],
        compose(
            "x/y",
            "exp(w - 1) - w",
            {"by": "contact", "variable": "w", "at": "1", "order": 2, "proof": RANGE},
            range=["w >= 1"],
            lower={
                "by": "multiply",
                "factor": "1/y",
                "positive": RANGE,
                "quotient": "x - y",
                "proof": given("1", "0"),
            },
        ),
    ),
    "compose, strict": certificate("0 < exp(-x*y)", SQUARE, compose("x*y", "exp(-w)", RANGE)),
    "a bound": certificate(
        "x**2 - x**6/6 <= sin(x**2)",
        ["0 <= x <= 1"],
        bounded(
            "sin(x**2) - x**2 + x**6/6",
            compose("x**2", "sin(w) - w + w**3/6", contact(3), range=["w >= 0"]),
            "0",
            RANGE,
        ),
    ),
}

# Each is a false statement, or a true one that this proof does not show.
REJECTED = {
    "signs, one part": certificate("x <= Abs(x)", SQUARE[:1], signs("x", RANGE)),
    "signs, three parts": certificate("x <= Abs(x)", SQUARE[:1], signs("x", RANGE, RANGE, RANGE)),
    "signs, parts exchanged": certificate(
        "x + y <= Min(2*x, 2*y)", SQUARE, signs("2*x - 2*y", given("1/2", "0"), given("1/2", "0"))
    ),
    "signs, a larger multiple": certificate(
        "x + y + 1/10**20 <= Max(2*x, 2*y)", SQUARE, signs("2*x - 2*y", given("1/2", "0"), given("1/2", "0"))
    ),
    "signs, strict at the zero": certificate(
        "x + y < Max(2*x, 2*y)", SQUARE, signs("2*x - 2*y", given("1/2", "0"), given("1/2", "0"))
    ),
    "signs of another expression": certificate("Abs(x) <= x", ["-1 <= x <= 1"], signs("x + 1", RANGE, RANGE)),
    "signs, Abs without its sign": certificate("Abs(x) <= x", ["-1 <= x <= 1"], signs("x", RANGE, RANGE)),
    "signs of what is undefined at a point": certificate(
        "1 <= Abs(1/x)", ["-2 <= x <= 2"], signs("1/x", RANGE, RANGE)
    ),
    "signs, a hypothesis that holds on one side only": certificate(
        "0 <= x", ["-1 <= x <= 1"], signs("x", given("1", "0"), given("1", "0"))
    ),
    "signs, an empty side that is not": certificate(
        "1 <= 0", ["-1 <= x <= 1"], signs("x", empty(0), empty(0))
    ),
    "signs, an index that is none": certificate(
        "x + y <= Max(2*x, 2*y)", SQUARE, signs("2*x - 2*y", given("1/2", "0", 1), given("1/2", "0", 1))
    ),
    "signs of an unknown variable": certificate("0 <= 1", ["x"], signs("z", RANGE, RANGE)),
    "compose, not the same": certificate(
        "1 + 2*x*y <= exp(x*y)", SQUARE, compose("x*y", "exp(w) - 1 - w", contact(2))
    ),
    "compose, a variable of the box": certificate(
        "0 <= x", ["-1 <= x <= 1"], compose("x**2", "x", RANGE) | {"variable": "x"}
    ),
    "compose, a number for a variable": certificate(
        "0 <= x", ["-1 <= x <= 1"], compose("x", "pi", RANGE) | {"variable": "pi"}
    ),
    "compose, a range that is too small": certificate("(x + y) - (x + y)**3/6 <= sin(x + y)", SQUARE, SINE),
    "compose, an end without proof": certificate(
        "x/y <= exp(x/y - 1)", ["x >= 1", "y >= 1"], compose("x/y", "exp(w - 1) - w", RANGE, range=["w >= 1"])
    ),
    "compose, an end with a wrong proof": certificate(
        "1 <= x/y",
        ["x >= 1", "y >= 1"],
        compose("x/y", "w - 1", RANGE, range=["w >= 1"], lower=RANGE),
    ),
    "compose, a range with a hypothesis": certificate(
        "0 <= x*y", SQUARE, compose("x*y", "w", RANGE, range=["w >= 0", "2*w >= 0"])
    ),
    "compose, an empty range": certificate(
        "1 <= 0", ["0 <= x <= 1"], compose("x", "-1", RANGE, range=["w > 1", "w < 1"])
    ),
    "compose, undefined": certificate("0 <= 1", ["-1 <= x <= 1"], compose("1/x", "1", RANGE)),
    "compose, a strict goal at a limit": certificate(
        "0 < x**2/x", ["0 <= x <= 1"], compose("x**2", "w/x", RANGE, range=["0 < w <= 1"], lower=RANGE)
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name):
    assert recheck(ACCEPTED[name]) == []


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name):
    assert recheck(REJECTED[name]) != []


def test_without_the_right_replacement_a_false_claim_passes(monkeypatch):
    monkeypatch.setattr(generality, "decided", lambda f, g: generality.number(0))
    assert recheck(REJECTED["signs, Abs without its sign"]) == []


def test_without_the_test_of_definedness_a_pole_passes(monkeypatch):
    wrong = certificate("1/x <= Abs(1/x) - 1", ["-2 <= x <= 2"], signs("1/x", empty(0), empty(0)))
    assert recheck(wrong) != []
    monkeypatch.setattr(generality, "range_of", lambda f, box: None)
    monkeypatch.setattr(certificates, "RULES", {**certificates.RULES, "empty": lambda node, goal: []})
    assert recheck(wrong) == []


def test_without_the_ends_a_false_range_passes(monkeypatch):
    monkeypatch.setattr(generality, "_ends", lambda *a: iter(()))
    assert recheck(REJECTED["compose, an end with a wrong proof"]) == []


def test_without_the_comparison_another_goal_passes(monkeypatch):
    monkeypatch.setattr(generality, "require_same", lambda *a: None)
    assert recheck(REJECTED["compose, not the same"]) == []


def made_false(rng: random.Random, data: dict) -> dict:
    """The same proof for a relation that fails, by little."""
    wrong = copy.deepcopy(data)
    left, sign, right = wrong["relation"].partition(" < " if " < " in wrong["relation"] else " <= ")
    wrong["relation"] = f"{left} + {rng.choice(('3', '1'))}/10**{rng.choice((1, 6, 20, 40))}{sign}{right}"
    return wrong


@pytest.mark.parametrize("count", MUTATIONS)
def test_mutations_of_them_prove_nothing_false(count):
    """Of true statements, and of statements made false by 10^-k."""
    pool, rng = list(ACCEPTED.values()), random.Random(count)
    known = {statement(data) for data in pool}
    false = [w for data in pool for _ in range(3) if failure(w := made_false(rng, data), rng)]
    assert len(false) >= len(pool)
    for _ in range(count):
        _, data = mutated(rng, [rng.choice(false)] if rng.random() < 1 / 2 else [rng.choice(pool)])
        if accepted(data) and "relation" in data and statement(data) not in known:
            known.add(statement(data))
            assert failure(data, rng) is None, data


@pytest.mark.parametrize(("count", "good"), [(60, True), (3000, False)])
def test_a_deep_nest_of_them_ends(count, good):
    """What is nested too deeply for Python is a complaint."""
    proof: dict = RANGE
    for _ in range(count):
        proof = signs("x", proof, RANGE)
    assert (recheck(certificate("0 <= x + 2", ["-1 <= x <= 1"], proof)) == []) == good
    chain: dict = RANGE
    for k in reversed(range(count)):
        chain = compose(f"w{k - 1}" if k else "x", f"w{k} + 2", chain) | {"variable": f"w{k}"}
    assert (recheck(certificate("0 <= x + 2", ["-1 <= x <= 1"], chain)) == []) == good
