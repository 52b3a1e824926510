"""The search: what it finds is certain and simple, what it does not find it counts."""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
from contextlib import nullcontext
from fractions import Fraction as Q
from math import ceil, floor
from pathlib import Path

import hypothesis
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from verify.claims import Claim, ClaimError, Domain, Effort, Relation, Verdict, decreasing, increasing, limit
from verify.provers import examples
from verify.provers.examples import Found, run_examples
from verify.provers.gauge import Gauge, descended
from verify.provers.sampling import Sampler
from verify.provers.search import Search
from verify.provers.simplest import complexity, simpler, simplest_between
from verify.provers.witness import admissible, confirmed

FAST = Search(examples=(120, 120))


def formula(says, *domain: str, integers: str = "", label: str = "claim") -> Claim:
    area = Domain.of(*domain, integers=integers)
    return Claim(label, "a claim", says=Relation.of(says, area), domain=area)


def search(says, *domain: str, integers: str = "", check: Search = FAST):
    return check.run(formula(says, *domain, integers=integers), Effort())


# Formulas


@pytest.mark.parametrize(
    ("says", "domain", "point"),
    [
        ("exp(x) <= 1 + x", ("x >= 0",), {"x": "1"}),
        ("x*(1 - x) <= 0.2499999", ("0 <= x <= 1",), {"x": "1/2"}),
        ("x + y < 2", ("0 <= x <= 1", "0 <= y <= 1"), {"x": "1", "y": "1"}),
        ("x*y*z <= 1/28", ("x >= 0", "y >= 0", "z >= 0", "x+y+z == 1"), {"x": "1/3", "y": "1/3", "z": "1/3"}),
        ("a < b", ("0 <= a <= 1", "0 <= b <= 1", "a <= b"), {"a": "0", "b": "0"}),
        ("x/(1 + x) <= 0.999999", ("x >= 0",), {"x": "1000000"}),
        ("1 - sin(x) >= 1e-14", ("0 <= x <= 3",), {"x": "355/226"}),
    ],
)
def test_a_counterexample_is_found_and_made_simple(says, domain, point):
    found = search(says, *domain)
    assert found.verdict is Verdict.REFUTED
    assert found.witness["point"] == point


def test_a_single_integer_is_found():
    found = search("(n - 37)**2 >= 1", "n >= 1", integers="n")
    assert found.witness["point"] == {"n": "37"}


def test_a_claim_that_holds_is_tested_with_its_tightest_point():
    found = search("x*exp(-x) <= 0.3678794412", "x >= 0")
    assert found.verdict is Verdict.TESTED
    assert found.evidence["examples"] > 200
    assert found.evidence["smallest slack"]["at"] == {"x": "1"}
    assert 0 < found.evidence["smallest slack"]["value"] < 1e-10
    assert json.loads(json.dumps(found.evidence)) == found.evidence


def test_a_witness_is_confirmed_again_from_its_data():
    witness = json.loads(json.dumps(search("sin(x) <= x - x**3/6", "x >= 0").witness))
    domain = Domain.of(*witness["domain"], integers=witness["integers"])
    point = {name: Q(value) for name, value in witness["point"].items()}
    assert confirmed(Relation.of(witness["relation"], domain), domain, point) == witness


def test_functions_that_are_not_monotone_are_refuted_by_two_points():
    area = Domain.of("x >= 0")
    for says in (increasing("x*exp(-x)", "x", area), decreasing("exp(-x) + 1e-6*x", "x", area)):
        found = FAST.run(Claim("m", "monotone", says=says, domain=area), Effort())
        assert found.verdict is Verdict.REFUTED
        assert Q(found.witness["point"]["x"]) < Q(found.witness["point"]["x_2"])
    says = increasing("x/(1 + x)", "x", area)
    assert FAST.run(Claim("m", "monotone", says=says, domain=area), Effort()).verdict is Verdict.TESTED


def test_what_no_point_can_decide_stays_undecided():
    area = Domain.of("x > 0")
    says = limit("1/x", "x", "oo", "0", area)
    assert FAST.run(Claim("l", "limit", says=says, domain=area), Effort()).verdict is Verdict.UNDECIDED
    assert search("log(y - x) <= 1", "x >= 0", "y >= 0", "y <= x - 1").verdict is Verdict.UNDECIDED
    assert FAST.run(Claim("n", "nothing"), Effort()).verdict is Verdict.UNDECIDED


def test_a_true_identity_is_not_refuted_by_rounding():
    assert search("exp(x)*exp(-x) == 1", "x >= 0").verdict is Verdict.TESTED
    assert search("sqrt(x**2) == x", "-1 <= x <= 1").witness["point"] == {"x": "-1"}


# The same everywhere, and nothing left behind

SCRIPT = """
import json, sys
from fractions import Fraction
from verify.claims import Claim, Domain, Effort, Relation
from verify.provers.search import Search
area = Domain.of("x >= 0", "y >= 0", "x <= y")
claim = Claim("claim", "a claim", says=Relation.of("x*exp(-y) <= 1/2 + x**2", area), domain=area)
found = Search(examples=(120, 120)).run(claim, Effort())
print(json.dumps(found.evidence))
"""


def test_another_process_with_other_modules_finds_the_same_and_leaves_nothing(tmp_path: Path):
    (tmp_path / "constants_of_mine.py").write_text("A = [123456789, 987654321, 555555]\n")
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(tmp_path)}
    script = "import constants_of_mine\n" + SCRIPT
    there = subprocess.run([sys.executable, "-W", "error", "-c", script], cwd=tmp_path, env=environment,
                           capture_output=True, text=True)  # fmt: skip
    assert there.stderr == ""
    here = FAST.run(formula("x*exp(-y) <= 1/2 + x**2", "x >= 0", "y >= 0", "x <= y"), Effort())
    assert json.loads(there.stdout) == here.evidence
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "__pycache__") == ["constants_of_mine.py"]


def test_seed_and_label_change_the_examples():
    claim = formula("x*exp(-y) <= 1/2 + x**2", "x >= 0", "y >= 0")
    other = formula("x*exp(-y) <= 1/2 + x**2", "x >= 0", "y >= 0", label="other")
    check = Search(examples=(40, 40))
    runs = [check.run(claim, Effort()), check.run(claim, Effort(seed=1)), check.run(other, Effort())]
    assert len({(run.evidence["seed"], run.evidence["examples"]) for run in runs}) == 3


# Examples made by a strategy

LISTS = st.lists(st.integers(0, 1000), max_size=5)


def by_code(**fields):
    return Search(examples=(200, 200), given=LISTS, **fields).run(Claim("code", "code"), Effort())


def test_code_computes_both_sides_and_the_example_is_shrunk():
    found = by_code(sides=lambda xs: (sum(xs), Q(2001, 2)))
    assert found.verdict is Verdict.REFUTED
    assert sum(eval(found.witness["example"])) == 1001
    assert found.witness["left"] == "1001"
    printed = subprocess.run([sys.executable, "-c", found.witness["line"]], capture_output=True, text=True)
    assert printed.stdout == "True\n"


def test_a_line_of_ones_own_tells_how_to_check_again():
    found = by_code(holds=lambda xs: len(xs) < 3, line=lambda xs: f"print(len({xs!r}) >= 3)")
    assert found.witness == {"example": "[0, 0, 0]", "line": "print(len([0, 0, 0]) >= 3)"}


def test_code_that_holds_is_tested_and_counted():
    found = by_code(sides=lambda xs: (max(xs, default=0), sum(xs)))
    assert found.verdict is Verdict.TESTED
    assert found.evidence["examples"] == 200


def test_undecided_examples_are_counted_and_never_false():
    found = by_code(sides=lambda xs: (len(xs), len(xs) + arb(0, 1) if len(xs) == 2 else 9))
    assert found.verdict is Verdict.TESTED
    assert found.evidence["undecided"]["count"] > 0
    assert found.evidence["examples"] + found.evidence["undecided"]["count"] == 200
    assert by_code(holds=lambda xs: None, line=repr).verdict is Verdict.UNDECIDED


def of_cases(cases, examples=200, **more):
    check = Search(examples=(examples, examples), given=cases, **more)
    return check.run(Claim("code", "by code"), Effort())


def test_where_there_are_few_cases_each_is_looked_at_once():
    looked: list[int] = []

    def sides(n: int) -> tuple[int, int]:
        looked.append(n)
        return n, 9

    found = of_cases([1, 2, 3], sides=sides)
    assert (found.verdict, looked) == (Verdict.TESTED, [1, 2, 3])
    assert (found.evidence["examples"], found.evidence["cases"]) == (3, 3)
    assert found.slack["ratio"]
    assert of_cases([1, 2, 3], examples=2, sides=sides).evidence["examples"] == 2


def test_the_first_case_that_fails_is_the_witness():
    found = of_cases([1, 2, 3, 4], sides=lambda n: (n, 2))
    assert (found.verdict, found.witness["example"]) == (Verdict.REFUTED, "3")
    assert of_cases([], sides=lambda n: (n, 2)).verdict is Verdict.UNDECIDED


def test_wrong_use_is_an_error():
    with pytest.raises(ClaimError, match="search: give a strategy"):
        Search(given=LISTS)
    with pytest.raises(ClaimError, match="search: give a strategy"):
        Search(holds=lambda xs: True)
    with pytest.raises(ClaimError, match="not both"):
        Search(given=LISTS, holds=lambda xs: True, sides=lambda xs: (0, 0))
    with pytest.raises(ClaimError, match="needs line"):
        Search(given=LISTS, holds=lambda xs: True)
    with pytest.raises(ClaimError, match="claim code: holds"):
        by_code(holds=lambda xs: "yes", line=repr)
    with pytest.raises(ClaimError, match="not exact"):
        by_code(sides=lambda xs: (0.5, 1))


def test_an_error_of_the_users_code_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        by_code(holds=lambda xs: 1 // len(xs) >= 0, line=repr)


def test_examples_end_when_something_is_found():
    seen = []

    def body(value: int) -> None:
        seen.append(value)
        if value >= 17:
            raise Found

    assert run_examples(st.integers(0, 100), body, seed=1, examples=200, shrink=True)
    assert seen[-1] == 17
    assert not run_examples(st.integers(0, 16), body, seed=1, examples=50)
    assert not run_examples(st.nothing(), body, seed=1, examples=50)


def drawn() -> list[int]:
    """The examples of one run."""
    found: list[int] = []
    run_examples(st.integers(), found.append, seed=1, examples=300)
    return found


def test_examples_do_not_depend_on_what_is_loaded(monkeypatch, tmp_path):
    before = drawn()
    numbers = [10**9 + 7 * k for k in range(200)]
    (tmp_path / "odd_numbers.py").write_text(f"NUMBERS = {numbers}\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("odd_numbers")
    assert drawn() == before
    # The mutant: what Hypothesis does by itself.
    monkeypatch.setattr(examples, "_no_local_constants", nullcontext)
    assert set(drawn()) & set(numbers)


def test_a_hypothesis_that_cannot_be_told_is_refused(monkeypatch):
    monkeypatch.delattr(providers, "_get_local_constants")
    monkeypatch.setattr(hypothesis, "__version_info__", (6, 100, 0))
    with examples._no_local_constants():
        pass  # an old one
    monkeypatch.setattr(hypothesis, "__version_info__", (6, 171, 0))
    with pytest.raises(RuntimeError, match="may depend on what is loaded"):
        drawn()


# Points, slack, simple fractions


@pytest.mark.parametrize(
    "domain",
    [
        Domain.of("x >= 0", "rate > 0", "x <= 3*rate"),
        Domain.of("x > 0", "y > 0", "x*y <= 1"),
        Domain.of("n >= 4", "m <= n", integers="n m"),
        Domain.of("0 < x < 1/1000", "y < -5"),
        Domain.of("x == 2*y", "0 <= y <= 1"),
        Domain.of(reals="x"),
    ],
)
def test_points_are_built_not_filtered(domain):
    generator = random.Random(1)
    sampler = Sampler.of(domain)
    points = [sampler.point(generator.randrange) for _ in range(200)]
    assert sum(admissible(domain, point) for point in points) >= 198
    assert len({tuple(point.values()) for point in points}) > 80


def test_points_lie_on_the_boundary_at_the_ends_and_far_out():
    generator = random.Random(1)
    sampler = Sampler.of(Domain.of("x >= 0", "y >= 0", "x <= y"))
    points = [sampler.point(generator.randrange) for _ in range(400)]
    assert sum(point["x"] == point["y"] for point in points) > 20
    assert any(point["x"] == 0 for point in points)
    assert any(0 < point["x"] < Q(1, 10**100) for point in points)
    assert any(point["y"] > 10**100 for point in points)


def test_the_slack_has_the_sign_of_the_gap_even_where_doubles_fail():
    area = Domain.of("0 <= x <= 1")
    gauge = Gauge.of(Relation.of("1 - cos(x) <= x**2/2", area), area)
    tiny = {"x": Q(1, 10**9)}
    assert gauge.slack(tiny) > 0
    assert Gauge.of(Relation.of("1 - cos(x) >= x**2/2", area), area).slack(tiny) < 0
    assert gauge.slack({"x": Q(0)}) == 0
    poles = Gauge.of(Relation.of("log(x) <= 1", area), area)
    assert poles.slack({"x": Q(0)}) != poles.slack({"x": Q(0)})  # nan


def test_a_zero_side_takes_the_negative_terms_of_the_other():
    area = Domain.of("x >= 0")
    gauge = Gauge.of(Relation.of("0 <= x**2 - x + 1", area), area)
    assert (str(gauge.left), str(gauge.right)) == ("x", "x**2 + 1")


def test_the_descent_follows_a_valley_that_runs_askew():
    area = Domain.of("0 <= x <= 9", "0 <= y <= 9")
    gauge = Gauge.of(Relation.of("1/10**9 <= (x - y)**2 + (x + y - 3)**2/50", area), area)
    point, _ = descended(gauge.slack, {"x": Q(8), "y": Q(1)}, area, 200)
    assert abs(point["x"] - Q(3, 2)) + abs(point["y"] - Q(3, 2)) < Q(1, 100)


@given(st.fractions(-30, 30, max_denominator=50), st.fractions(0, 1, max_denominator=200))
def test_the_simplest_fraction_has_the_smallest_denominator(low, width):
    assert_simplest(simplest_between, low, low + width)


def assert_simplest(function, low: Q, high: Q) -> None:
    found = function(low, high)
    smallest = next(q for q in range(1, 10**6) if ceil(low * q) <= floor(high * q))
    assert low <= found <= high
    assert found.denominator == smallest


def test_a_fraction_that_is_merely_inside_is_caught():
    with pytest.raises(AssertionError):
        assert_simplest(lambda low, high: (low + high) / 2, Q(1, 3), Q(3, 5))


def test_simplifying_keeps_the_property_and_the_range():
    area = Domain.of("x > 0", "y > 0", "x == y")
    point = simpler({"x": Q(0.123456789), "y": Q(0.123456789)}, area, lambda p: p["x"] == p["y"] < Q(1, 8))
    assert point == {"x": Q(1, 9), "y": Q(1, 9)}
    tiny = simpler({"x": Q(123, 10**300)}, Domain.of("x > 0"), lambda p: 0 < p["x"] < Q(1, 10**297))
    assert complexity(tiny["x"])[0] == 5  # 1 and 5000...: a digit and 297 zeros


def test_a_round_number_is_simpler_than_a_long_one():
    assert complexity(Q(10**300)) < complexity(Q(12345))
    assert complexity(Q(1, 2)) < complexity(Q(-1, 2)) < complexity(Q(17, 31))
