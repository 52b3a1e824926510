"""The box prover on typical claims: verdicts, budgets, certificates and what it says when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Claim, ClaimError, Domain, Effort, Finding, Relation, claim, increasing
from verify.provers.box import Box, part_of, prove_box
from verify.provers.box.leaves import Work, look
from verify.provers.goals import Goal
from verify.provers.ranges import range_of


def stated(says: str, *domain: str, integers: str = "", reals: str = "", check: Box | None = None) -> Claim:
    area = Domain.of(*domain, integers=integers, reals=reals)
    return claim("c", "c", says=says, domain=area, checks=[check or Box()])


def found(says: str, *domain: str, **more: Any) -> Finding:
    one = stated(says, *domain, **more)
    return one.checks[0].run(one, Effort())


def goal_of(says: str, *domain: str) -> Goal:
    area = Domain.of(*domain)
    return Goal.of(Relation.of(says, area), area)


def rules(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "by" in node:
            yield node["by"]
        for child in node.values():
            yield from rules(child)
    elif isinstance(node, list):
        for child in node:
            yield from rules(child)


TRUE = [
    ("log(1 + x) <= x - x**2/2 + x**3/3", ["0.01 <= x <= 3"]),
    ("x/(1 - exp(-rate*x)) <= x + 1/rate", ["x >= 0", "rate > 0"]),
    ("exp(-a*x)*(1 + a*x + a**2*x**2/2) <= 1", ["0 <= a <= 5", "0 <= x <= 5"]),
    ("x - 1 - log(x) >= 0", ["x > 0"]),
    ("(1 + u)*log(1 + u) - u >= u**2/(2 + 2*u/3)", ["u >= 0"]),
    ("p*log(p/q) + (1 - p)*log((1 - p)/(1 - q)) >= 2*(p - q)**2", ["0 < p < 1", "0 < q < 1"]),
    ("exp(-x) >= 1 - x", ["x >= -50"]),
    ("Max(a, b) <= a + b", ["a >= 0", "b >= 0"]),
    ("x/(1 - exp(-x)) <= x + 1.01", ["0 <= x <= 5"]),
    ("exp(y) >= exp(x)", ["0 <= x <= 3", "0 <= y <= 3", "x <= y"]),
    ("1 - cos(x)*cos(y) >= 0", ["-1 <= x <= 1", "-1 <= y <= 1"]),
    ("x**x >= 0.69", ["0 < x <= 1"]),
    ("log(x) < x - 1", ["1 < x <= 5"]),
    ("x/(exp(x) - 1) < 1", ["x > 0"]),
    ("x*y <= 1/4", ["0 <= x <= 1", "0 <= y <= 1", "x + y == 1"]),
    ("sqrt(x + y) <= sqrt(x) + sqrt(y)", ["0 <= x <= 4", "0 <= y <= 4"]),
    ("sin(x)/x <= 1", ["0 <= x <= 3"]),
    ("exp(1000*x) >= 1 + 1000*x", ["0 <= x <= 1"]),
]


@pytest.mark.parametrize(("says", "domain"), TRUE, ids=[says for says, _ in TRUE])
def test_true_claims_are_proved_with_a_tree_of_plain_data(says: str, domain: list[str]) -> None:
    finding = found(says, *domain)
    assert finding.verdict == "proved"
    certificate = finding.evidence["certificate"]
    assert json.loads(json.dumps(certificate)) == certificate
    assert certificate["domain"] == Domain.of(*domain).texts()


def test_integers_are_enumerated_and_their_tail_is_proved() -> None:
    tree = found("2**n >= n**2", "n >= 4", integers="n").evidence["certificate"]["proof"]
    assert tree["by"] == "cases"
    assert tree["tail"] is not None
    every = found("n**2 - 7*n + 12 >= 0", "0 <= n < 9", integers="n")  # negative between 3 and 4
    assert every.verdict == "proved"
    assert found("1 - (1 - x)**n <= n*x", "0 <= x <= 1", "n >= 1", integers="n").verdict == "proved"


def test_second_order_needs_few_boxes_and_order_zero_many() -> None:
    goal = goal_of("log(1 + x) <= x - x**2/2 + x**3/3", "0.01 <= x <= 3")
    counts = {}
    for orders in ((0,), (0, 1), (0, 1, 2)):
        node, statistics = prove_box(goal, budget=3000, orders=orders, tactics=False)
        counts[orders] = statistics["boxes"]
        assert (node is None) == (orders == (0,))
    assert counts[(0, 1, 2)] < 150 < counts[(0, 1)] < 1000 < counts[(0,)]


def test_a_part_of_the_domain_is_named_in_the_verdict() -> None:
    finding = found("exp(x)*(1 - x) <= 1", reals="x", check=Box(on=("-3 <= x", "x <= 2")))
    assert finding.verdict == "proved-on-box"
    assert finding.evidence["box"] == ["-3 <= x <= 2"]
    assert finding.evidence["certificate"]["box"] == ["-3 <= x <= 2"]


@pytest.mark.parametrize("on", ["y <= 1", "x <= -1", "x <= x**2"])
def test_a_box_that_is_not_one_is_an_error_of_one_line(on: str) -> None:
    with pytest.raises(ClaimError, match=r"^(box|domain)") as error:
        part_of(Domain.of("x >= 0"), (on,))
    assert "\n" not in str(error.value)


def test_undecided_shows_the_box_that_is_left() -> None:
    finding = found("Max(x, 1 - x) >= 1/2", "0 <= x <= 1", check=Box(boxes=(90, 90)))  # equality at a kink
    assert finding.verdict == "undecided"
    assert finding.evidence["boxes"] <= 90
    assert finding.evidence["worst"][0].endswith("<= x <= 1/2")


def test_a_monotone_function_is_proved_by_its_slope_and_a_pole_is_seen() -> None:
    area = Domain.of("0 <= x <= 3")
    one = claim("c", "c", says=increasing("x - exp(-x)", "x", area), domain=area, checks=[Box()])
    assert one.checks[0].run(one, Effort()).verdict == "proved"
    area = Domain.of("-1 <= x <= 1")
    pole = claim("c", "c", says=increasing("-1/x", "x", area), domain=area, checks=[Box()])
    assert pole.checks[0].run(pole, Effort()).verdict == "undecided"


def test_the_same_claim_gives_the_same_finding() -> None:
    first, second = (found("1 - cos(x)*cos(y) >= 0", "-1 <= x <= 1", "-1 <= y <= 1") for _ in range(2))
    assert first == second


@given(
    low=st.fractions(min_value=-3, max_value=3, max_denominator=50),
    width=st.fractions(min_value=0, max_value=2, max_denominator=50),
    bound=st.fractions(min_value=-3, max_value=12, max_denominator=50),
)
def test_a_closed_box_has_no_counterexample_on_a_grid(
    low: Fraction, width: Fraction, bound: Fraction
) -> None:
    goal = goal_of(f"x**2 - x*sin(x) >= {bound} - 3", f"{low} <= x <= {low + width}")
    node = look(goal, Work(1)).node
    for k in range(9):
        point = range_of(
            goal.expression, {"x": goal.ranges["x"].narrowed("==", low + width * Fraction(k, 8))}
        )
        assert point is not None
        if node is not None:
            assert point.high >= 0


def test_degenerate_ranges_are_points() -> None:
    assert found("x*y <= 2", "1 <= x <= 1", "0 <= y <= 2").verdict == "proved"
    assert found("exp(x) <= 2.718", "1 <= x <= 1").verdict == "refuted"
