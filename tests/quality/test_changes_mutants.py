"""Several new variables with facts about them, the rule ``concave``, the addition theorems: what is kept out.

Beside each condition a certificate that only this condition keeps out: without it, it is accepted.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tests.quality.hostile.forging import failure, mutated
from tests.quality.hostile.fuzzing import accepted, statement
from tests.quality.test_generality_mutants import made_false
from tests.unit.test_recheck import RANGE, certificate
from verify.recheck import generality, identities, recheck, rules, waves
from verify.recheck.intervals import point
from verify.recheck.reading import read
from verify.recheck.series import range_of
from verify.recheck.waves import written_out

MUTATIONS = (400, pytest.param(20_000, marks=[pytest.mark.thorough, pytest.mark.timeout(1800)]))


def new(name: str, inner: str, *ranges: str, **ends: dict) -> dict:
    return {"variable": name, "inner": inner, **({"range": list(ranges)} if ranges else {}), **ends}


def compose(expression: str, variables: list[dict], facts: list[dict], proof: dict) -> dict:
    node = {"by": "compose", "variables": variables, "expression": expression, "proof": proof}
    return {**node, "facts": facts} if facts else node


def fact(expression: str, relation: str, proof: dict | None = None) -> dict:
    return {"expression": expression, "relation": relation, **({} if proof is None else {"proof": proof})}


def known(*factors: str, basis: str = "1", c: str = "1") -> dict:
    """The goal is one product of what is known."""
    return {"by": "combine", "blocks": [{"factors": list(factors), "basis": [basis], "gram": [[c]]}]}


def concave(
    variable: str, lower: dict = RANGE, upper: dict = RANGE, curve: dict = RANGE, **more: str
) -> dict:
    return {"by": "concave", "variable": variable, "lower": lower, "upper": upper, "curve": curve, **more}


TRIANGLE = ["a > 0", "b > 0", "c > 0", "a < b + c", "b < a + c", "c < a + b"]
RAVI = [
    new("u", "b + c - a", "u > 0", lower=known("hypothesis 0")),
    new("v", "a + c - b", "v > 0", lower=known("hypothesis 1")),
    new("w", "a + b - c", "w > 0", lower=known("hypothesis 2")),
]
CIRCLE = [new("s", "sin(x)"), new("c", "cos(x)")]
ONE = fact("s**2 + c**2 - 1", "==")
SQUARES = {
    "by": "combine",
    "blocks": [
        {"basis": ["s", "c"], "gram": [["1/2"], ["-1/2", "1/2"]]},
        {"factors": ["hypothesis 0"], "gram": [["-1/2"]]},
    ],
}

ACCEPTED = {
    "several variables": certificate(
        "0 < (b + c - a)*(a + c - b)*(a + b - c)", TRIANGLE, compose("u*v*w", RAVI, [], RANGE)
    ),
    "an equation between them": certificate(
        "sin(x)*cos(x) <= 1/2", ["-9 <= x <= 9"], compose("1/2 - s*c", CIRCLE, [ONE], SQUARES)
    ),
    "a right angle": certificate(
        "0 < cos(x)",
        ["0 <= x <= 3/2"],
        {"by": "compose", "variable": "w", "inner": "pi/2 - x", "expression": "sin(w)", "proof": RANGE},
    ),
    "a multiple angle": certificate(
        "sin(2*x) <= 1",
        ["-9 <= x <= 9"],
        compose(
            "1 - 2*s*c",
            CIRCLE,
            [ONE],
            {
                **SQUARES,
                "blocks": [
                    {"basis": ["s", "c"], "gram": [["1"], ["-1", "1"]]},
                    {"factors": ["hypothesis 0"], "gram": [["-1"]]},
                ],
            },
        ),
    ),
    "a fact with a proof": certificate(
        "0 <= x - y",
        ["0 <= y", "y <= x"],
        compose(
            "u - y", [new("u", "x")], [fact("u - y", "<=", known("hypothesis 0"))], known("hypothesis 1")
        ),
    ),
    "a strict fact": certificate(
        "0 < x - y",
        ["0 <= y", "y < x"],
        compose("u - y", [new("u", "x")], [fact("u - y", "<", known("hypothesis 0"))], known("hypothesis 1")),
    ),
    "facts alone": certificate(
        "0 <= x*y",
        ["1 <= x <= 2", "0 <= y <= 1"],
        compose("x*y", [], [fact("x*y", "<=", RANGE)], known("hypothesis 0")),
    ),
    "concave": certificate("x**2 <= x", ["0 <= x <= 1"], concave("x")),
    "concave, with another variable": certificate(
        "x**2*y <= x*y", ["0 <= x <= 1", "0 <= y <= 7"], concave("x")
    ),
    "concave at irrational values": certificate("x <= sin(pi*x/2)", ["0 <= x <= 1"], concave("x")),
    "concave, strict by the curve": certificate("x**2 < x", ["0 < x < 1"], concave("x", strict_by="curve")),
    "concave, strict at one end": certificate("x**2 < x + 1", ["0 <= x <= 1"], concave("x", strict_by="end")),
}

REJECTED = {
    "a fact without proof": certificate(
        "0 <= x - y",
        ["0 <= x <= 1", "0 <= y <= 1"],
        compose("u - y", [new("u", "x")], [fact("u - y", "<=")], known("hypothesis 0")),
    ),
    "a false fact": certificate(
        "0 <= x - y",
        ["0 <= x <= 1", "0 <= y <= 1"],
        compose("u - y", [new("u", "x")], [fact("u - y", "<=", RANGE)], known("hypothesis 0")),
    ),
    "a fact that is strict for no reason": certificate(
        "0 < x - y",
        ["0 <= y", "y <= x"],
        compose("u - y", [new("u", "x")], [fact("u - y", "<", known("hypothesis 0"))], known("hypothesis 1")),
    ),
    "an equation that is none": certificate(
        "sin(x)*cos(x) <= 1/4",
        ["-9 <= x <= 9"],
        compose("1/4 - s*c", CIRCLE, [fact("s**2 + c**2 - 1/2", "==")], SQUARES),
    ),
    "an equation where a divisor is 0": certificate(
        "1 <= 0",
        ["0 <= x <= 1"],
        compose(
            "-1",
            [new("u", "x"), new("v", "x")],
            [fact("(u - v)/(u - v) - 1", "==")],
            {"by": "combine", "blocks": [{"factors": ["hypothesis 0"], "gram": [["1"]]}]},
        ),
    ),
    "an unknown relation": certificate(
        "0 <= x", ["0 <= x <= 1"], compose("u", [new("u", "x")], [fact("u", ">=", RANGE)], RANGE)
    ),
    "one name for two": certificate(
        "x <= y", ["0 <= x <= 1", "0 <= y <= 1"], compose("w - w", [new("w", "x"), new("w", "y")], [], RANGE)
    ),
    "a variable that is no object": certificate("0 <= x", ["0 <= x <= 1"], compose("x", ["x"], [], RANGE)),
    "variables that are no list": certificate(
        "0 <= x", ["0 <= x <= 1"], {"by": "compose", "variables": {}, "expression": "x", "proof": RANGE}
    ),
    "facts that are no list": certificate(
        "0 <= x", ["0 <= x <= 1"], {**compose("x", [], [], RANGE), "facts": {"expression": "x"}}
    ),
    "too many facts": certificate(
        "0 <= x", ["0 <= x <= 1"], compose("x", [], [fact("x", "<=", RANGE)] * 99, RANGE)
    ),
    "an end of one of several": certificate(
        "0 <= x + y",
        ["-1 <= x <= 1", "0 <= y <= 1"],
        compose("u + v", [new("u", "x", "u >= 0", lower=RANGE), new("v", "y")], [], RANGE),
    ),
    "convex": certificate("0 <= x**2 - x", ["0 <= x <= 1"], concave("x")),
    "concave, a negative end": certificate("x**2 <= x - 1/100", ["0 <= x <= 1"], concave("x")),
    "concave, a half-line": certificate("0 <= 1 - x", ["x >= 0"], concave("x")),
    "concave, a pole inside": certificate("0 <= -1/x**2 + 2", ["-1 <= x <= 1"], concave("x")),
    "concave, a pole at an end": certificate("0 <= 1/x", ["-1 <= x <= 0"], concave("x")),
    "concave, a kink": certificate("1/2 <= Abs(x)", ["-1 <= x <= 1"], concave("x")),
    "concave, strict at a closed end": certificate(
        "x**2 < x", ["0 <= x <= 1"], concave("x", strict_by="curve")
    ),
    "concave, strict on a line": certificate("0 < 0*x", ["0 < x < 1"], concave("x", strict_by="curve")),
    "concave, strict by nothing": certificate("x**2 < x", ["0 < x < 1"], concave("x")),
    "concave, a hypothesis on the way": certificate(
        "0 <= 4*x**2 - 4*x + 3/4",
        ["0 <= x <= 1", "y <= 8", "8*x <= y"],
        concave("x", curve=known("hypothesis 0")),
    ),
    "concave, no variable": certificate("0 <= 1", ["0 <= x <= 1"], concave("y")),
    "addition theorems, wrong": certificate(
        "sin(2*x) <= 1/2", ["-9 <= x <= 9"], compose("1/2 - s*c", CIRCLE, [ONE], SQUARES)
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name):
    assert recheck(ACCEPTED[name]) == []


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name):
    complaints = recheck(REJECTED[name])
    assert complaints
    assert "Error" not in complaints[0]


def test_without_the_proofs_of_facts_a_false_one_passes(monkeypatch):
    monkeypatch.setattr(generality, "_fact", lambda *a: iter(()))
    for name in ("a fact without proof", "a false fact", "an equation that is none"):
        assert recheck(REJECTED[name]) == []


def test_without_the_test_of_equations_a_false_one_passes(monkeypatch):
    monkeypatch.setattr(generality, "require_same", lambda *a: None)
    assert recheck(REJECTED["an equation that is none"]) == []


def test_without_the_sign_of_the_curve_a_valley_passes(monkeypatch):
    monkeypatch.setattr(rules, "slope_of", lambda f, name: read("-1", {"x"}))
    assert recheck(REJECTED["convex"]) == []


def test_without_continuity_a_pole_passes(monkeypatch):
    monkeypatch.setattr(rules, "_evaluable", lambda *a: True)
    assert recheck(REJECTED["concave, a pole inside"]) == []


def test_without_the_addition_theorems_a_multiple_angle_is_not_known(monkeypatch):
    monkeypatch.setattr(identities, "has_waves", lambda f: False)
    assert recheck(ACCEPTED["a multiple angle"]) != []


def test_what_is_written_out_has_the_same_values():
    """At some points."""
    rng = random.Random(5)
    for _ in range(60):
        a, b, c = (rng.randint(-3, 3) for _ in range(3))
        f = read(f"{rng.choice(('sin', 'cos'))}({a}*x + {b}*y + {c}) + sin({b}*x)*cos({c}*y)", {"x", "y"})
        assert _agree(f, written_out(f), rng)


def _agree(f, g, rng: random.Random) -> bool:
    """At two points."""
    for _ in range(2):
        at = {n: point(Fraction(rng.randint(-99, 99), rng.randint(1, 99))) for n in ("x", "y")}
        one, other = range_of(f, at), range_of(g, at)
        if max(one.low, other.low) > min(one.high, other.high):
            return False
    return True


def _turned(rng: random.Random) -> bool:
    """Whether a wave that is turned by right angles has the values of what is written out, without pi."""
    a, k = rng.choice(("-2", "-1", "1", "2", "1/2", "-3/2")), rng.randint(-9, 9)
    f = read(f"{rng.choice(('sin', 'cos'))}({a}*x + {k}*pi/2 - y)", {"x", "y"})
    g = written_out(f)
    return "pi" not in str(g) and _agree(f, g, rng)


def test_right_angles_are_turned_by():
    assert all(_turned(random.Random(seed)) for seed in range(20))


def test_a_wrong_turn_is_seen(monkeypatch):
    monkeypatch.setattr(waves, "_RIGHT", waves._RIGHT[::-1])
    assert not all(_turned(random.Random(seed)) for seed in range(20))


def test_waves_inside_waves_are_not_written_out_for_ever():
    deep = "x"
    for _ in range(12):
        deep = f"sin(8*{deep})"
    assert written_out(read(deep, {"x"})).size < 10_000
    many = " + ".join(f"sin({k % 7 + 2}*x)*cos({k % 5 + 2}*x)/{k + 1}" for k in range(60))
    assert recheck(
        certificate(f"{many} <= 0", ["0 <= x <= 1"], {"by": "rewrite", "expression": "0", "proof": RANGE})
    )


@pytest.mark.parametrize("count", MUTATIONS)
def test_mutations_of_them_prove_nothing_false(count):
    """Of true statements, and of statements made false by 10^-k."""
    pool, rng = list(ACCEPTED.values()), random.Random(count)
    proved = {statement(data) for data in pool}
    false = [w for data in pool for _ in range(3) if failure(w := made_false(rng, data), rng)]
    assert len(false) >= len(pool)
    for _ in range(count):
        _, data = mutated(rng, [rng.choice(false)] if rng.random() < 1 / 2 else [rng.choice(pool)])
        if accepted(data) and "relation" in data and statement(data) not in proved:
            proved.add(statement(data))
            assert failure(data, rng) is None, data
