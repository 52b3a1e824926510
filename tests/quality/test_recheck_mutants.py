"""Certificates and witnesses that are wrong on purpose: the checker must complain about every one.

And the other way round: a checker with one of its conditions taken out accepts at least one of them, so
each condition is seen to be needed.
"""

from __future__ import annotations

import copy

import pytest

from tests.unit.test_recheck import (
    ACCEPTED,
    CUBIC,
    GIVEN,
    POWERS,
    RANGE,
    TAYLOR,
    UNIT,
    WITNESS,
    certificate,
    contact,
    monotone,
    multiply,
)
from verify.recheck import certificates, goals, recheck, rules
from verify.recheck.intervals import Interval

SQUARE = ["-1 <= x <= 1", "-1 <= y <= 1"]
HALF_LINES = ["x >= 0", "y >= 0", "x <= y"]


def changed(name: str, *path: str | int, to: object) -> dict:
    """An accepted certificate with one entry replaced."""
    wrong = copy.deepcopy(ACCEPTED[name])
    place = wrong
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return wrong


def split(at: str, *parts: dict) -> dict:
    return {"by": "split", "variable": "x", "at": at, "parts": list(parts)}


def given(multiplier: str, rest: str, index: int = 0) -> dict:
    return GIVEN | {"hypothesis": index, "multiplier": multiplier, "rest": rest}


def reciprocal(expression: str, power: int = 0, proof: dict = RANGE) -> dict:
    return {"by": "reciprocal", "variable": "x", "expression": expression, "power": power, "proof": proof}


def hessian(x: str = "0", y: str = "0") -> dict:
    return {"by": "hessian", "at": {"x": x, "y": y}, "bits": 64}


def added(*terms: str, **more: int) -> dict:
    return {"by": "sum", "terms": [{"expression": t, "proof": RANGE} for t in terms], **more}


def cases(parts: int, tail: dict | None) -> dict:
    return {"by": "cases", "variable": "n", "parts": [RANGE] * parts, "tail": tail}


def empty(side: str = "+") -> dict:
    return {"by": "empty", "hypothesis": 0, "side": side, "proof": RANGE}


# Each is a false statement, or a true one that this proof does not show.
REJECTED = {
    # the frame
    "another format": ACCEPTED["range"] | {"format": "ctucbvi-proof-2"},
    "a larger box than the domain": certificate("x <= 1", UNIT, RANGE, box=["0 <= x <= 2"]),
    "a closed box in an open domain": certificate("0 <= x", ["0 < x"], RANGE, box=["0 <= x"]),
    "a box for another variable": certificate("0 <= x", ["x >= 0"], RANGE, box=["y >= 0"]),
    "an empty range": certificate("1 <= 0", ["0 < x < 0"], RANGE),
    "a hypothesis in the box": certificate("0 <= 1", HALF_LINES, RANGE, box=HALF_LINES),
    "an unknown rule": certificate("0 <= 1", ["x"], {"by": "authority"}),
    "no proof": certificate("0 <= 1", ["x"], None),
    "a power that jumps": certificate("x**y <= 1/2", ["0 <= x <= 1/4", "y >= 0"], RANGE),
    "a false identity": certificate("sinh(x)**2 == cosh(x)**2", ["x"], {}),
    "an identity with a wrong step": certificate("x - x**2 == x*(1 - x)", ["x"], {"chain": ["x"]}),
    "an identity of square roots": certificate("sqrt(x**2) == x", ["x"], {}),
    # range
    "range, reversed": changed("range", "relation", to="exp(-x) >= 1"),
    "range, strict at a closed end": changed("range", "relation", to="exp(-x) < 1"),
    "range, strict at a limit": certificate("0 < -x*log(x)", ["0 <= x < 1"], RANGE),
    "range across a pole": certificate("-1 <= 1/x", ["-1 <= x <= 1"], RANGE),
    "range of a logarithm across 0": certificate("log(x) <= 1", ["-1 <= x <= 1"], RANGE),
    "range, a little too tight": certificate("sin(x) <= 84147098/100000000", UNIT, RANGE),
    "range of a removable singularity, strict": certificate("0 < x/sin(x) - 1", UNIT, RANGE),
    "range, Max for Min": certificate("Max(x, 1) <= 1", ["0 <= x <= 2"], RANGE),
    "range of an unknown variable": certificate("x <= 1", UNIT, RANGE, box=["0 <= x <= 1"])
    | {"relation": "x <= y"},
    # taylor
    "taylor, constant a little too small": certificate(
        "log(1 + x) <= 99*x/100 - x**2/2 + x**3/3", ["1/100 <= x <= 1"], TAYLOR
    ),
    "taylor, equality made strict": certificate("2*x < x**2 + 1", ["1/2 <= x <= 2"], TAYLOR),
    "taylor of order 3": changed("taylor", "proof", "order", to=3),
    "taylor on an unbounded box": certificate(CUBIC, ["x >= 1"], TAYLOR),
    "taylor across a kink": certificate("Abs(x) >= 1/1000", ["-1 <= x <= 1"], TAYLOR),
    "taylor across a pole": certificate("-1/x**2 <= 1 - x**(-4)", ["-1 <= x <= 1"], TAYLOR),
    # sturm
    "sturm, two roots": certificate("2*x <= x**2 + 99/100", ["x"], {"by": "sturm"}),
    "sturm, strict with a double root": changed("sturm", "relation", to="2*x < x**2 + 1"),
    "sturm, strict with a root at a closed end": certificate("0 < x", UNIT, {"by": "sturm"}),
    "sturm, no polynomial": certificate("1 <= exp(x)", ["x >= 0"], {"by": "sturm"}),
    "sturm, two variables": certificate("0 <= x**2 + y**2", ["x", "y"], {"by": "sturm"}),
    "sturm, negative": certificate("0 <= -x**2 - 1", ["x"], {"by": "sturm"}),
    # split
    "split outside the range": changed("split", "proof", "at", to="3"),
    "split with a part missing": changed("split", "proof", "parts", to=[TAYLOR]),
    "split with a wrong part": certificate("x <= 1/2", UNIT, split("1/2", RANGE, RANGE)),
    "split at a point that is no number": changed("split", "proof", "at", to="pi"),
    # hypotheses
    "empty, but not": certificate("1 <= 0", [*UNIT, "0 <= y <= 3", "y <= x"], empty()),
    "empty up to a point": certificate("1 <= 0", [*UNIT, "1 <= y <= 3", "y <= x"], empty()),
    "empty on the wrong side": certificate("1 <= 0", [*UNIT, "2 <= y <= 3", "y == x"], empty("-")),
    "empty without a hypothesis": certificate("1 <= 0", [*UNIT, "2 <= y <= 3"], empty()),
    "given, wrong rest": certificate("x <= y + 1", HALF_LINES, given("1", "2")),
    "given, negative multiplier": certificate("y <= x + 1", HALF_LINES, given("-1", "1")),
    "given, wrong index": certificate("x <= y + 1", HALF_LINES, given("1", "1", 1)),
    "given, negative index": certificate("x <= y + 1", HALF_LINES, given("1", "1", -1)),
    "given, strict from an equality": certificate("x < y", HALF_LINES, given("1", "0")),
    "given, infinite multiplier at the only point": certificate(
        "0 <= -1", [*UNIT, "-1 <= y <= 0", "x <= y"], given("1/x", "-y/x")
    ),
    "given, an infinite factor at the only point": certificate(
        "0 <= -1", [*UNIT, "x**2 <= 0"], multiply("1/x**2", "-x**2", given("1", "0")), box=UNIT
    ),
    "given, an equation times infinity": certificate(
        "0 <= -1", [*UNIT, "x == 0*y"], given("1/x", "0"), box=UNIT
    ),
    "given, an infinite hypothesis": certificate(
        "0 <= -1", ["x >= 0", "0 <= 1/x"], given("x", "-2"), box=["x >= 0"]
    ),
    # monotone
    "monotone, wrong value": certificate("1 + x <= exp(x)", ["x >= 0"], monotone("1")),
    "monotone, from the wrong end": certificate(
        "1 + x <= exp(x)", UNIT, monotone("exp(1) - 2", **{"from": "upper"})
    ),
    "monotone, wrong slope": certificate("exp(x) <= 1 + x", ["x >= 0"], monotone("0")),
    "monotone, strict at a closed end": certificate(
        "1 + x < exp(x)", ["x >= 0"], monotone("0", strict_by="slope")
    ),
    "monotone, strict by nothing": certificate("1 + x < exp(x)", ["x > 0"], monotone("0", strict_by="end")),
    "monotone across a pole": certificate("0 <= -1/x", ["-1 <= x <= 1"], monotone("1")),
    "monotone across a jump": certificate(
        "0 <= -pi/4 - atan(1/x)",
        ["-1 <= x <= 1"],
        monotone("0", slope={"by": "rewrite", "expression": "1/(1 + x**2)", "proof": RANGE}),
    ),
    "monotone across a jump of a sign": certificate(
        "0 <= Abs(x)/x + 1",
        ["-1 <= x <= 1"],
        monotone("0", slope={"by": "rewrite", "expression": "0", "proof": RANGE}) | {"from": "lower"},
    ),
    "monotone, value depends on the variable": certificate("1 + x <= exp(x)", ["x >= 0"], monotone("0*x")),
    "monotone, wrong limit": certificate(
        "atan(x) <= 3/2", ["x >= 0"], monotone("0", **{"from": "upper"})
    ),
    "monotone, infinite limit": certificate("x <= 1", ["x >= 0"], monotone("-oo", **{"from": "upper"})),
    "monotone, limit that depends on a sign": certificate(
        "y/2 <= exp(-x*y)", ["x >= 0", "-1 <= y <= 1"], monotone("-y/2", **{"from": "upper"})
    ),
    "monotone, hypothesis that fails on the way": certificate(
        "1/4 <= (x - 1)**2",
        ["0 <= x <= 2", "0 <= y <= 1", "y + 1 <= x"],
        monotone("3/4", slope=given("2", "2*y")),
    ),
    "monotone, hypothesis that fails at the end": certificate(
        "0 <= x/2 + y - 1", [*UNIT, "0 <= y <= 1", "1 <= x + y"], monotone("y - 1", end=given("1", "0"))
    ),
    "monotone through a kink": certificate("Abs(x) <= 1", ["-1 <= x <= 2"], monotone("0")),
    # contact
    "contact, no contact": certificate("1/2 + x <= exp(x)", ["x"], contact("0", 2)),
    "contact, slope does not vanish": certificate("1 <= exp(x)", ["x"], contact("0", 2)),
    "contact, odd inside": certificate("0 <= x", ["-1 <= x <= 1"], contact("0", 1)),
    "contact, odd at the upper end": certificate("0 <= x", ["-1 <= x <= 0"], contact("0", 1)),
    "contact outside the range": certificate("1 + x <= exp(x)", ["x >= 1"], contact("0", 2)),
    "contact, expression outside the range": certificate(
        "2*x*y <= x**2 + y**2", [*UNIT, "0 <= y <= 2"], contact("y", 2)
    ),
    "contact, strict": certificate("1 + x < exp(x)", ["x"], contact("0", 2)),
    "contact, strict at a closed end": certificate("sin(x) < x", ["0 <= x <= 3"], contact("0", 1)),
    "contact, wrong sign": certificate("exp(x) <= 1 + x", ["x"], contact("0", 2)),
    "contact across a kink": certificate(
        "0 <= x**2 - x*Abs(x)/2 - Abs(x)**3", ["-1 <= x <= 1"], contact("0", 2)
    ),
    "contact across a pole": certificate("0 <= x**2*(1 - x)**(-1)", ["-1 <= x <= 2"], contact("0", 2)),
    "contact of order 0": certificate("0 <= x**2", ["x"], contact("0", 0)),
    # hessian
    "hessian, indefinite": certificate("0 <= x**2 + y**2 + 3*x*y", SQUARE, hessian()),
    "hessian, no contact": certificate("0 <= x**2 + y**2 - 1/2", SQUARE, hessian()),
    "hessian, gradient does not vanish": certificate("0 <= x**2 + y**2 + x", SQUARE, hessian()),
    "hessian, strict": certificate("0 < x**2 + y**2", SQUARE, hessian()),
    "hessian, point outside": certificate("0 <= (x - 2)**2 + y**2 - x", SQUARE, hessian("2")),
    "hessian, unbounded": certificate("0 <= x**2 + y**2", ["x", "y"], hessian()),
    "hessian, kink": certificate("0 <= x**2 + y**2 - 3*Abs(x)**3", SQUARE, hessian()),
    # other forms
    "multiply, wrong quotient": changed("multiply", "proof", "quotient", to="x - 2"),
    "multiply, negative factor": certificate("x**2 <= x", ["1 <= x <= 5"], multiply("-x", "x - 1")),
    "multiply, strict with a zero": certificate("x < x**2", ["1 <= x <= 5"], multiply("x", "x - 1")),
    "multiply, factor that may vanish": certificate("0 < x*exp(x)", ["x >= 0"], multiply("x", "exp(x)")),
    "multiply, strict at a pole": certificate("0 < x", UNIT, multiply("1/x", "x**2")),
    "sum, a term missing": certificate("x <= x**2", ["x"], added("x**2")),
    "sum, a negative term": certificate("0 <= exp(x) - 1", ["x"], added("exp(x)", "-1")),
    "sum, strict without a strict term": certificate("0 < x**2 + exp(x)", ["x"], added("x**2", "exp(x)")),
    "sum, strict with the wrong term": certificate(
        "0 < x**2 + exp(x)", ["x"], added("x**2", "exp(x)", strict_term=0)
    ),
    "rewrite to something else": changed("rewrite", "proof", "expression", to="1/expm1r(x) - 1"),
    "rewrite, almost equal": certificate(
        "0 <= x", ["x"], {"by": "rewrite", "expression": "x + 10**(-40) - x + Abs(x)", "proof": RANGE}
    ),
    "rewrite, equal for positive numbers only": certificate(
        "0 <= x", ["x"], {"by": "rewrite", "expression": "sqrt(x**2)", "proof": RANGE}
    ),
    "rewrite, kinks": certificate(
        "0 <= x - Abs(x)", ["x"], {"by": "rewrite", "expression": "Max(x, -x) - Abs(x)", "proof": RANGE}
    ),
    "rewrite, kinks that differ in one corner": certificate(
        "Max(x, y, -1) - Max(x, y) <= 0",
        ["x", "y"],
        {"by": "rewrite", "expression": "0", "proof": RANGE},
    ),
    "reciprocal, range across 0": certificate("1/x <= 2", ["-1 <= x <= 1"], reciprocal("2 - x")),
    "reciprocal, wrong range": certificate("x <= 1", ["x >= 1"], reciprocal("1 - 1/x")),
    "reciprocal, wrong power": certificate("x <= x**2 + 1", ["x > 0"], reciprocal("x**2 - x + 1", 1)),
    "logarithm, wrong way": certificate(
        "exp(5*x) <= x**5",
        ["x >= 1"],
        ACCEPTED["logarithm"]["proof"] | {"larger": "x**5", "smaller": "exp(5*x)"},
    ),
    "logarithm, wrong difference": changed("logarithm", "proof", "expression", to="5*x - 4*log(x)"),
    "logarithm of negative numbers": certificate(
        "-x <= -x**2",
        ["2 <= x <= 3"],
        {"by": "logarithm", "larger": "-x**2", "smaller": "-x", "expression": "log(x)", "proof": RANGE},
    ),
    # cases
    "cases of a real variable": ACCEPTED["cases"] | {"integers": []},
    "cases from the wrong value": ACCEPTED["cases"] | {"domain": ["n >= 3"], "box": ["n >= 3"]},
    "cases without a tail": changed("cases", "proof", "tail", to=None),
    "cases beyond the range": certificate("n <= 5", ["4 <= n <= 5"], cases(3, None), integers=["n"]),
    "cases with a gap": certificate("n <= 5", ["4 <= n <= 6"], cases(2, None), integers=["n"]),
    "cases, false for one": certificate("n**2 < 2**n", ["n >= 4"], POWERS, integers=["n"]),
    "cases, a factor infinite at one": certificate(
        "0 <= n - 1", ["0 <= n <= 1"], multiply("1/n", "n*(n - 1)", cases(2, None)), integers=["n"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_complains(name):
    complaints = recheck(REJECTED[name])
    assert complaints
    assert all("\n" not in complaint for complaint in complaints)


WRONG_WITNESSES = {
    "outside the domain": {"point": {"x": "3", "y": "1"}, "left": "20.0855369", "right": "8.5"},
    "a hypothesis fails": {"point": {"x": "1", "y": "1/2"}},
    "the relation holds": {"relation": "exp(x) <= 3", "right": "3"},
    "equality is no violation": {"relation": "exp(x - y) <= 1", "left": "1", "right": "1"},
    "equality is no inequality": {"relation": "exp(x - y) == 1", "left": "1", "right": "1"},
    "a variable is missing": {"point": {"x": "1"}},
    "no number": {"point": {"x": "pi/3", "y": "2"}},
    "a wrong left side": {"left": "2.5"},
    "a wrong right side": {"right": "2"},
    "not an integer": {"integers": ["x"], "point": {"x": "1/2", "y": "1"}, "relation": "exp(x) <= 1"},
    "undefined": {"relation": "log(x - 2) - log(x - 2) <= -1", "left": "0", "right": "-1"},
    "no relation": {"relation": "exp(x)"},
}


@pytest.mark.parametrize("name", WRONG_WITNESSES)
def test_complains_about_a_witness(name):
    assert recheck({**WITNESS, **WRONG_WITNESSES[name]})


# ---------------------------------------------------------------- checkers that are wrong on purpose


def nothing(*arguments: object) -> None:
    return None


MUTANTS = {
    "identities are believed": (rules, "require_same", nothing, "contact, no contact"),
    "limits are believed": (rules, "_require_limit", nothing, "monotone, wrong limit"),
    "continuity is believed": (rules, "_evaluable", lambda *_: True, "monotone across a jump"),
    "hypotheses hold on every way": (
        rules,
        "_left_of",
        lambda given, *_: (given, given),
        "monotone, hypothesis that fails on the way",
    ),
    "isolated points are limits": (
        goals.Obligation,
        "thin",
        property(lambda goal: False),
        "given, infinite multiplier at the only point",
    ),
    "parts of a goal are not held": (
        goals.Obligation,
        "beside",
        lambda goal: goal,
        "given, an infinite factor at the only point",
    ),
    "ends are always open": (
        Interval,
        "positive",
        lambda x, strict: x.low >= 0,
        "range, strict at a closed end",
    ),
    "a strict goal passes to the limit": (
        goals.Obligation,
        "boxes",
        lambda goal: iter([({n: x.inner() for n, x in goal.box.items()}, False)]),
        "range, strict at a limit",
    ),
    "boxes are believed": (Interval, "within", lambda x, other: True, "a closed box in an open domain"),
    "roots are not counted": (goals, "sturm", lambda *_: True, "sturm, two roots"),
    "matrices are believed": (goals, "_positive_pivots", lambda matrix: True, "hessian, indefinite"),
    "held parts are relaxed": (
        certificates,
        "_relaxed",
        lambda goal, kinds: goal if kinds & {"cases"} else goals.Obligation(goal.f, goal.strict, goal.box),
        "cases, a factor infinite at one",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_examples_catch_a_wrong_checker(name, monkeypatch):
    place, attribute, mutant, example = MUTANTS[name]
    monkeypatch.setattr(place, attribute, mutant)
    assert recheck(REJECTED[example]) == []
