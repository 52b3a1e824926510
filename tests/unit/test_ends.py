"""Limits that hold for every parameter, and inputs at which the provers must give up, not break."""

from __future__ import annotations

import pytest
import sympy

from verify.claims import Claim, Domain, Effort, Relation, Verdict, expression, limit
from verify.provers.expressions import put, unwieldy
from verify.provers.goals import Goal
from verify.provers.proof import Proof, ends
from verify.provers.proof.ends import limit_at


def at_end(text: str, towards: str, *comparisons: str):
    """The limit in x."""
    area = Domain.of(*comparisons)
    says = limit(text, "x", towards, "0", area)
    lower = says.towards == (-sympy.oo if area.ranges["x"].lower is None else area.ranges["x"].lower)
    return limit_at(Goal(says.function, False, area.ranges, (), area.symbols), "x", lower), area


@pytest.mark.parametrize(
    ("text", "towards", "value", "comparisons"),
    [
        ("x/(1 - exp(-a*x))", "0", "1/a", ["x > 0", "a > 0"]),
        ("(1 - exp(-a*x))/x", "0", "a", ["x > 0", "a >= 0"]),
        ("a*x/(a*x + 1)", "oo", "1", ["x >= 0", "a > 0"]),
        ("(1 + a/x)**x", "oo", "exp(a)", ["x >= 1", "a >= 0"]),
        ("b*exp(-a*x) + c", "oo", "c", ["x >= 0", "a > 0", "b > 0", "c > 0"]),
        ("sqrt(x**2)/x", "0", "-1", ["-1 <= x < 0"]),
        ("sqrt(x)", "0", "0", ["0 <= x <= 1"]),
        ("(exp(x) - 1 - x)/x**2", "0", "1/2", ["-1 <= x < 0"]),
        ("exp(a*x)", "-oo", "0", ["x <= 0", "a > 0"]),
    ],
)
def test_limits_for_every_parameter(text, towards, value, comparisons):
    found, area = at_end(text, towards, *comparisons)
    assert sympy.simplify(found - expression(value, area.symbols)) == 0


GENERAL = [
    ("(a - 1)**2*x/((a - 1)**2*x + 1)", "oo", ["x >= 0", "a > 0"]),
    ("(exp(a) - 2)**2/((exp(a) - 2)**2 + x)", "0", ["0 < x <= 1", "0 < a <= 2"]),
    ("a*x/(a*x + 1)", "oo", ["x >= 0", "a >= 0"]),
    ("exp(-a*x)", "oo", ["x >= 0", "a >= 0"]),
]


@pytest.mark.parametrize(("text", "towards", "comparisons"), GENERAL, ids=[text for text, *_ in GENERAL])
def test_a_limit_for_general_parameters_is_none(text, towards, comparisons):
    assert at_end(text, towards, *comparisons)[0] is None


@pytest.mark.parametrize(("text", "towards", "comparisons"), GENERAL, ids=[text for text, *_ in GENERAL])
def test_without_the_signs_it_would_be_one(monkeypatch, text, towards, comparisons):
    sign = ends._Towards._sign
    monkeypatch.setattr(ends._Towards, "_sign", lambda self, e: sign(self, e) or _at_two(e))
    assert at_end(text, towards, *comparisons)[0] is not None


def _at_two(e) -> int:
    return int(sympy.sign(e.subs(dict.fromkeys(e.free_symbols, 2))))


def test_a_function_that_is_defined_nowhere_on_the_way_has_no_limit():
    assert at_end("sqrt(x)", "0", "-1 <= x <= 0")[0] is None
    assert at_end("sqrt(x**2 - x)", "0", "0 <= x <= 1")[0] is None


def test_without_the_neighbourhood_it_would_have_one(monkeypatch):
    finite = ends._Towards._finite
    monkeypatch.setattr(ends._Towards, "_finite", lambda self, e, at, smooth=False: finite(self, e, at))
    assert at_end("sqrt(x**2 - x)", "0", "0 <= x <= 1")[0] == 0


@pytest.mark.parametrize(
    ("says", "comparisons"),
    [
        ("atan(x) < 1.5707963267948", ["x >= 0"]),
        ("N/Max(1, N) <= 1", ["N >= 0"]),
        ("(1 + x)**(10**9) >= 1 + x", ["0 <= x <= 1"]),
        ("-m*(log(m/u) - 1) - u <= -m", ["u >= 1/100", "m >= 8*u"]),
    ],
)
def test_what_cannot_be_told_is_undecided(says, comparisons):
    area = Domain.of(*comparisons)
    claim = Claim(label="t", statement=says, says=Relation.of(says, area), domain=area)
    check = Proof(goals=20, boxes=(100, 100))
    assert check.run(claim, Effort()).verdict in (Verdict.UNDECIDED, Verdict.PROVED)


@pytest.mark.parametrize("comparisons", [["x >= 1", "x**2 <= 0"], ["x >= 0", "x <= y", "y <= -1"]])
def test_a_claim_about_nothing_is_undecided_and_says_so(comparisons):
    area = Domain.of(*comparisons)
    claim = Claim(label="t", statement="t", says=Relation.of("x <= -5", area), domain=area)
    finding = Proof().run(claim, Effort())
    assert finding.verdict is Verdict.UNDECIDED
    assert "no point of the domain" in str(finding.evidence)


def test_values_are_put_in_where_that_gives_a_number_of_moderate_length():
    x = sympy.Symbol("x", real=True)
    assert put((1 + x) ** 3, {x: sympy.Integer(1)}) == 8
    assert put((1 + x) ** (10**9), {x: sympy.Integer(1)}) is None
    assert put(1 / x, {x: sympy.Integer(0)}) is None
    assert put(sympy.atan(1 / x), {x: sympy.Integer(0)}) is None
    assert unwieldy((1 + x) ** 1000)
    assert not unwieldy((1 + x) ** 100 + x**1000)
