"""Slack: a ratio that occurs, and where the search went."""

from __future__ import annotations

import json
from fractions import Fraction as Q

import pytest

from verify.claims import Domain, Effort, Relation, increasing
from verify.provers import slack as slack_module
from verify.provers.balls import evaluate
from verify.provers.slack import slack_of


def slack(says: str, *domain: str, integers: str = "", **effort) -> dict:
    area = Domain.of(*domain, integers=integers)
    return slack_of(Relation.of(says, area), area, Effort(**effort))


def test_the_tightest_ratio_and_its_place():
    found = slack("50*x*exp(-x) <= 1000", "x >= 0")
    assert found == {"ratio": "0.0183939720585721", "difference": "981.606027941428", "at": {"x": "1"}}


def test_a_ratio_that_is_attained_is_exactly_one():
    assert slack("2**n >= n**2", "n >= 4", integers="n") == {
        "ratio": "1",
        "difference": "0",
        "at": {"n": "4"},
    }


@pytest.mark.parametrize(
    ("says", "domain", "towards"),
    [
        ("x/(1+x) <= 1", ("x >= 0",), {"x": "oo"}),
        ("log(1+x) <= x", ("x > 0",), {"x": "0"}),
        ("log(x) <= x - 1", ("x > 0",), {"x": "1"}),
        ("1 - x**2 <= 1", ("0 < x <= 1",), {"x": "0"}),
        ("-1 - 1/x**2 <= -1", ("x <= -1",), {"x": "-oo"}),
    ],
)
def test_a_ratio_that_is_not_attained_says_where_it_is_approached(says, domain, towards):
    found = slack(says, *domain)
    assert found["towards"] == towards
    assert Q(found["ratio"]) > Q(999999, 10**6)


def test_an_interior_maximum_far_out_is_no_limit():
    found = slack("log(x) <= 10*x**(1/10)", "x > 0")  # 1/e at x = e^10
    assert "towards" not in found
    assert found["ratio"].startswith("0.36787944")
    assert abs(int(Q(found["at"]["x"])) - 22026) < 30


def test_a_side_that_is_zero_or_of_another_sign_leaves_the_difference():
    assert slack("0 <= (x-1)**2 + 2", "x >= 0") == {"difference": "2", "at": {"x": "1"}}
    assert slack("-1 <= x**2", "0 <= x <= 1") == {"difference": "1", "at": {"x": "0"}}


def test_negative_sides_are_compared_by_size():
    found = slack("-x - 1 <= -x", "1 <= x <= 3")
    assert found == {"ratio": "0.750000000000000", "difference": "1", "at": {"x": "3"}}


def test_the_numbers_are_those_of_the_point():
    found = slack("p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 2*(p-q)**2", "0.1 <= p <= 0.9", "0.2 <= q <= 0.8")
    point = {name: Q(value) for name, value in found["at"].items()}
    area = Domain.of("0 < p < 1", "0 < q < 1")
    sides = Relation.of("2*(p-q)**2 <= p*log(p/q) + (1-p)*log((1-p)/(1-q))", area)
    ratio = evaluate(sides.left, point, 300) / evaluate(sides.right, point, 300)
    assert float(ratio) == pytest.approx(float(found["ratio"]), rel=1e-14)
    assert 0 < float(ratio) <= 1


def test_hypotheses_are_respected():
    found = slack("x <= y", "0 < x", "y <= 4", "2*x <= y")
    assert found["ratio"] == "0.500000000000000"


def test_equations_are_respected():
    found = slack("x*y*z <= 1/27", "x >= 0", "y >= 0", "z >= 0", "x + y + z == 1")
    assert found["at"] == {"x": "1/3", "y": "1/3", "z": "1/3"}


def test_only_inequalities_have_slack():
    area = Domain.of("x >= 0")
    assert slack_of(Relation.of("x == x", area), area, Effort()) is None
    assert slack_of(increasing("x", "x", area), area, Effort()) is None
    assert slack_of(None, area, Effort()) is None
    assert slack("log(y - x) <= 1", "x >= 0", "y >= 0", "y <= x - 1") is None  # nowhere defined


def test_the_same_effort_gives_the_same_data():
    first, second = (slack("exp(-x*y) + x <= 3 + x**2", "x >= 0", "y >= 0", seed=4) for _ in range(2))
    assert first == second
    assert json.loads(json.dumps(first)) == first


def test_a_search_that_does_not_descend_is_caught(monkeypatch):
    monkeypatch.setattr(slack_module, "descended", lambda slack, start, domain, rounds: None)
    monkeypatch.setattr(slack_module, "simpler", lambda point, *rest: point)
    with pytest.raises(AssertionError):
        test_an_interior_maximum_far_out_is_no_limit()
