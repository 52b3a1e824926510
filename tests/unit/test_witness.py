"""Witnesses: certain or none."""

from __future__ import annotations

from fractions import Fraction as Q

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Domain, Relation, decreasing, increasing
from verify.provers import witness
from verify.provers.simplest import complexity
from verify.provers.witness import admissible, as_relation, confirmed, exact_value, rational_value

POSITIVE = Domain.of("x >= 0")


def at(says: str, domain: Domain, **point) -> dict | None:
    return confirmed(Relation.of(says, domain), domain, {name: Q(value) for name, value in point.items()})


def test_a_violation_is_confirmed_with_all_that_is_needed_to_check_it_again():
    found = at("exp(x) <= 1 + x", POSITIVE, x="1/2")
    assert found == {
        "relation": "exp(x) <= 1 + x",
        "domain": ["0 <= x"],
        "integers": [],
        "point": {"x": "1/2"},
        "left": "1.64872127070012814684865078781",
        "right": "1.50000000000000000000000000000",
        "gap": "-0.148721270700128146848650787814",
        "line": "python -m verify.recheck FILE",
    }


def test_the_words_of_a_witness_read_back_as_the_claim():
    found = at("2**n >= n**2", Domain.of("n >= 1", integers="n"), n=3)
    domain = Domain.of(*found["domain"], integers=found["integers"])
    relation = Relation.of(found["relation"], domain)
    assert confirmed(relation, domain, {"n": Q(found["point"]["n"])}) == found


def test_a_point_where_the_relation_holds_is_none():
    assert at("exp(x) >= 1 + x", POSITIVE, x=1) is None


def test_a_point_outside_the_range_is_none():
    assert at("x >= 1", POSITIVE, x=-1) is None


def test_a_fraction_is_no_integer():
    assert at("n >= 1", Domain.of("n >= 0", integers="n"), n="1/2") is None


def test_a_point_against_a_hypothesis_is_none():
    domain = Domain.of("x >= 0", "y >= 0", "x <= y")
    assert at("x >= y", domain, x=2, y=1) is None
    assert at("x >= y", domain, x=1, y=2) is not None


def test_a_hypothesis_that_cannot_be_decided_is_not_satisfied():
    # An equality that neither balls nor putting in the number can see.
    domain = Domain.of("x >= 0", "cos(x)**2 + sin(x)**2 >= 1")
    assert at("x <= 0", domain, x=1) is None


@pytest.mark.parametrize(
    ("says", "x"), [("exp(-x) < 1", "0"), ("sqrt(x)*sqrt(x+1) < sqrt(6)", "2"), ("3*x < 1", "1/3")]
)
def test_equality_refutes_a_strict_relation_and_no_other(says, x):
    assert at(says, POSITIVE, x=x)["gap"] == "0"
    assert at(says.replace("<", "<="), POSITIVE, x=x) is None


def test_an_identity_fails_where_the_sides_differ_by_very_little():
    assert at("x + 1 == 1", POSITIVE, x=Q(1, 10**1000))["right"] == "1"
    assert at("log(exp(x)) == x", POSITIVE, x="1/3") is None


def test_cancellation_is_no_obstacle():
    found = at("log(1+x) <= x - x**2/2", POSITIVE, x=Q(1, 10**300))
    assert found["gap"].startswith("-3.33333333333333333333333333333e-901")


def test_huge_numbers_are_no_obstacle():
    assert at("exp(10*x) <= exp(x)", POSITIVE, x=10**300) is not None
    assert at("2**x <= x**100", POSITIVE, x=10**12) is not None
    assert at("factorial(x) <= x**2", POSITIVE, x=10**20) is not None
    assert at("exp(x*log(2)) <= x", POSITIVE, x=10**300) is not None
    assert at("(1 + sqrt(2))**x <= x", POSITIVE, x=900) is not None
    assert at("sqrt(2)**x <= x", POSITIVE, x=10**300) is not None


@pytest.mark.parametrize("says", ["log(x - 1) <= 5", "1/x <= 5", "x/(1-exp(-x)) <= 1/2", "sqrt(x-1) >= 2"])
def test_what_is_not_defined_refutes_nothing(says):
    assert at(says, POSITIVE, x=0) is None


def test_values_through_infinity_are_not_taken():
    domain = Domain.of("-1 <= x <= 1")
    assert exact_value(1 / (1 + 1 / domain.symbols["x"]), {"x": Q(0)}) is None
    assert exact_value(sympy.sqrt(domain.symbols["x"]), {"x": Q(-1)}) is None


@given(st.fractions(min_value=0, max_value=3), st.fractions(min_value=0, max_value=3))
def test_a_confirmed_point_violates_in_exact_arithmetic(x, y):
    domain = Domain.of("0 <= x <= 3", "0 <= y <= 3", "x <= y")
    relation = Relation.of("x*(3 - y) <= x**2/2 + 1/7", domain)
    fails = x <= y and x * (3 - y) > x**2 / 2 + Q(1, 7)
    assert (confirmed(relation, domain, {"x": x, "y": y}) is not None) == fails


def test_a_witness_that_skips_the_hypotheses_is_caught(monkeypatch):
    domain = Domain.of("x >= 0", "y >= 0", "x <= y")
    monkeypatch.setattr(witness, "admissible", lambda domain, point: domain.contains(point))
    with pytest.raises(AssertionError):
        assert at("x <= y", domain, x=2, y=1) is None


def test_monotonicity_is_a_relation_between_two_points():
    domain = Domain.of("x >= 0", "x <= y", "0 < y < 9")
    relation, wide = as_relation(increasing("x*exp(-x)*y", "x", domain), domain)
    assert relation.text() == "x*y*exp(-x) <= x_2*y*exp(-x_2)"
    assert wide.texts() == ["0 <= x", "0 < y < 9", "0 <= x_2", "x <= y", "x_2 <= y", "x < x_2"]
    assert confirmed(relation, wide, {"x": Q(1), "x_2": Q(2), "y": Q(3)}) is not None
    assert confirmed(relation, wide, {"x": Q(2), "x_2": Q(1), "y": Q(3)}) is None
    other, _ = as_relation(decreasing("exp(-x)", "x", domain), domain)
    assert other.text() == "exp(-x_2) <= exp(-x)"


def test_a_new_variable_takes_no_name_that_is_taken():
    domain = Domain.of("x >= 0", "x_2 >= 0")
    _, wide = as_relation(increasing("x", "x", domain), domain)
    assert sorted(wide.ranges) == ["x", "x_2", "x_2_2"]
    assert admissible(wide, {"x": Q(0), "x_2": Q(0), "x_2_2": Q(1)})


def test_a_tower_of_exponentials_is_not_evaluated():
    area = Domain.of("0 <= x <= 1")
    tower = Relation.of("exp(" * 12 + "-x" + ")" * 12 + " >= 0.2", area)
    assert exact_value(tower.gap, {"x": Q(1, 2)}) is None
    low = Relation.of("exp(exp(exp(-x))) <= 3", area)
    assert exact_value(low.left, {"x": Q(0)}) == sympy.exp(sympy.E)


def test_a_point_too_long_to_write_is_no_witness():
    area = Domain.of("x >= 0")
    says = Relation.of("x <= 1", area)
    assert confirmed(says, area, {"x": Q(10**4000)}) is not None
    assert confirmed(says, area, {"x": Q(10**5000)}) is None
    assert confirmed(says, area, {"x": 2 + Q(1, 10**5000)}) is None


@pytest.mark.parametrize("digits", [1, 5, 999, 1001, 4000, 4301, 20000])
def test_how_much_there_is_to_read_is_counted_without_writing_it(digits):
    below, at = Q(10**digits - 1), Q(10**digits)
    assert complexity(below)[1] == digits
    assert complexity(at)[1] == digits + 1
    assert complexity(1 / at)[1] == digits + 3
    assert complexity(-at)[1] == digits + 2


X, Y = sympy.symbols("x y")
RATIONAL = st.recursive(
    st.sampled_from((X, Y)) | st.fractions(-3, 3, max_denominator=4).map(lambda q: sympy.Rational(q)),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(sum),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.integers(-3, 3)).map(lambda pair: pair[0] ** pair[1]),
    ),
    max_leaves=8,
)


@given(RATIONAL, *[st.fractions(-2, 2, max_denominator=3)] * 2)
def test_rational_values_are_those_of_the_algebra(expression, x, y):
    point = {"x": x, "y": y}
    exact, quick = exact_value(expression, point), rational_value(expression, point)
    if quick is None:
        assert exact is None or not exact.is_finite
    else:
        assert exact == sympy.Rational(quick.numerator, quick.denominator)


@pytest.mark.parametrize("text", ["exp(x)", "x**y", "sqrt(x)", "pi*x", "x**(10**9)", "1/(x - 1/2)"])
def test_what_is_not_plainly_rational_has_no_rational_value(text):
    point = {"x": Q(1, 2), "y": Q(1, 3)}
    assert rational_value(sympy.sympify(text, rational=True), point) is None
