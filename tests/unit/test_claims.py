"""Claims, domains and formulas as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import (
    ClaimError,
    ClaimSet,
    ContradictionError,
    Domain,
    Finding,
    Range,
    Relation,
    Remark,
    Verdict,
    claim,
    combined,
    decreasing,
    expression,
    increasing,
    limit,
    text_of,
    weakest,
)


@dataclass(frozen=True)
class Says:
    """A check that finds what it is told."""

    verdict: Verdict
    name: str = "says"
    random: bool = False
    of_formula: bool = False

    def run(self, claim, effort):
        return Finding(self.name, self.verdict)


def simple(label, *uses):
    return claim(label, label, checks=Says(Verdict.PROVED), uses=uses)


# --- formulas --------------------------------------------------------------------------------


def test_a_decimal_means_its_decimal_value():
    assert expression("0.1 + 1e-3", {}) == sympy.Rational(101, 1000)


@pytest.mark.parametrize(
    "text",
    [
        "exp(-rate*x)*(1 + x)**(3/2)",
        "Max(x, 1/rate) + Abs(x - 1)",
        "sqrt(x)/pi - E**x",
        "loggamma(x + 1)",
        "2**x",
    ],
)
def test_a_formula_survives_being_written(text):
    symbols = Domain.of("x >= 0", "rate > 0").symbols
    formula = expression(text, symbols)
    assert expression(text_of(formula), symbols) == formula


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x +", "cannot be read"),
        ("lambda*x", "another name"),
        ("y + 1", "not a variable"),
        ("open(x)", "is unknown"),
        ("x.real", "not arithmetic"),
        ("__import__('os')", "unknown"),
        ("x if x else 1", "not arithmetic"),
        ("1/0", "divides by zero"),
        ("True + x", "not arithmetic"),
    ],
)
def test_what_is_not_a_formula_is_told_in_one_line(text, complaint):
    with pytest.raises(ClaimError, match=complaint) as error:
        expression(text, {"x": sympy.Symbol("x")})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "10**10**9",
        "2**(10**12)",
        "(1/3)**(10**9)",
        "(2*x)**(10**9)",
        "sqrt(2)**(10**9)",
        "2**(x + 10**9)",
        "factorial(10**8)",
        "gamma(10**8 + 1/2)",
        "loggamma(10**8)",
        "exp(10**10*log(10))",
        "exp(x + 10**10*log(10))",
        "2**(10**10*log(3)/log(2))",
        "1e999999999",
        "1e-99999999",
        "10**3000*10**3000",
        "sqrt(10**4000 + 1)",
        "log(10**4000 + 1)",
        "sin(10**100000)",
        "Max(x, exp(exp(exp(100))))",
        "pi**pi**pi**pi**pi**pi",
    ],
)
def test_numbers_too_long_to_write_are_refused_before_they_are_computed(text):
    with pytest.raises(ClaimError, match=r"^[^\n]+$"):
        expression(text, Domain.of("0 <= x <= 1").symbols)


@pytest.mark.parametrize(
    "text",
    [
        "(1 - 1/1000)**1000",
        "(1 + x/2)**10000",
        "(1 + x)**(10**9)",
        "exp(-10**9*x)",
        "exp(exp(-10**5))",
        "exp(exp(100))",
        "exp(-n*log(2))",
        "1e-1000",
        "sqrt(10**100 + 1)",
        "loggamma(300)",
        "factorial(500)",
        "(-1)**n",
    ],
)
def test_large_numbers_of_a_readable_size_are_kept(text):
    symbols = Domain.of("0 <= x <= 1", "n >= 0", integers="n").symbols
    formula = expression(text, symbols)
    assert expression(text_of(formula), symbols) == formula


def test_a_power_that_is_written_out_unseen_would_be_noticed(monkeypatch):
    monkeypatch.setattr("verify.claims.formulas.too_large", lambda function, parts: False)
    with pytest.raises(ClaimError, match="more than 14000 bits"):
        expression("2**20000", {})


@pytest.mark.parametrize(
    "text", ["exp(log(x))", "log(x - 1) - log(x - 1)", "sqrt(x - 1)**2", "(x - 1)**(1/3)"]
)
def test_what_is_defined_nowhere_is_refused_before_it_cancels(text):
    with pytest.raises(ClaimError, match="not a real number"):
        expression(text, Domain.of("x <= 0").symbols)
    expression(text, Domain.of("x >= 0").symbols)


@pytest.mark.parametrize(
    "text", ["log(x - 2) - log(x - 2)", "exp(log(x - y))", "sqrt(x - 3/2)**2", "ln(1 - y)"]
)
def test_so_is_what_the_ranges_leave_nowhere_defined(text):
    with pytest.raises(ClaimError, match="anywhere on the domain"):
        Relation.of(f"{text} <= 1", Domain.of("0 <= x <= 1", "1 <= y <= 3"))
    Relation.of(f"{text} <= 1", Domain.of("0 <= x <= 3", "0 <= y <= 3"))


@pytest.mark.parametrize("text", [" 0.125*x", "\t\n0.125*x  ", "0.125*x"])
def test_spaces_around_a_formula_mean_nothing(text):
    symbols = Domain.of("x >= 0").symbols
    assert expression(text, symbols) == symbols["x"] / 8


@pytest.mark.parametrize("text", ["(" * 3000 + "x" + ")" * 3000, "x" + "+x" * 30000, "x\0"])
def test_what_cannot_be_parsed_is_told_in_one_line(text):
    with pytest.raises(ClaimError, match=r"^[^\n]+$") as error:
        expression(text, {"x": sympy.Symbol("x")})
    assert len(str(error.value)) < 300


def test_a_relation_is_turned_so_that_the_gap_must_not_be_negative():
    relation = Relation.of("x > log(x)", Domain.of("x > 0"))
    assert (relation.relation, relation.strict) == ("<", True)
    assert text_of(relation.gap) == "x - log(x)"


def test_a_claim_is_told_in_the_words_of_its_author():
    """SymPy reads u/1 + 0*v == u as u == u; the checker is to read what was written."""
    area = Domain.of("u >= 0", "v*1 <= 2*u", reals="v")
    assert Relation.of(" u/1 + 0*v  == u", area).text() == "u/1 + 0*v == u"
    assert area.texts() == ["0 <= u", "v*1 <= 2*u"]
    assert increasing("u + u", "u", area).text() == "u + u is non-decreasing in u"
    assert limit("u/1", "u", "oo", "1/1", area).text() == "u/1 -> 1/1 as u -> oo"


@pytest.mark.parametrize("text", ["x", "0 <= x <= 1", "x != 1"])
def test_a_claim_makes_one_comparison(text):
    with pytest.raises(ClaimError, match="one comparison"):
        Relation.of(text, Domain.of("x > 0"))


# --- domains ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparison", "empty"),
    [
        ("0 < n < 1", True),
        ("1/3 <= n <= 2/3", True),
        ("-2 < n <= -1", False),
        ("0 <= n < 1", False),
        ("0 < n < 3/2", False),
    ],
)
def test_an_integer_range_without_integers_is_empty(comparison, empty):
    if empty:
        with pytest.raises(ClaimError, match="nothing satisfies"):
            Domain.of(comparison, integers="n")
    else:
        assert not Domain.of(comparison, integers="n").ranges["n"].empty
    assert not Domain.of(comparison).ranges["n"].empty


@pytest.mark.parametrize("comparison", ["pi >= 1", "1 <= 0", "0 <= 1 <= x"])
def test_a_domain_compares_variables(comparison):
    with pytest.raises(ClaimError, match="compares numbers"):
        Domain.of(comparison)
    with pytest.raises(ClaimError, match="constant"):
        Domain.of("x >= 0", reals="pi")


def test_comparisons_with_numbers_are_ranges_and_others_hypotheses():
    domain = Domain.of("0 <= x < 3", "rate > 1/2", "x <= rate", "n >= 1", integers="n")
    assert domain.ranges["x"] == Range(Fraction(0), Fraction(3), False, True)
    assert domain.ranges["rate"] == Range(Fraction(1, 2), None, True, True)
    assert domain.ranges["n"].integer
    assert [h.text() for h in domain.given] == ["x <= rate"]
    assert domain.symbols["rate"].is_positive
    assert domain.symbols["x"].is_nonnegative
    assert not domain.symbols["x"].is_positive


def test_a_domain_can_be_read_back():
    domain = Domain.of("0 <= x < 3", "2 > y", "x >= y", "n >= 1", integers="n")
    again = Domain.of(*domain.texts(), integers=domain.integers)
    assert again.ranges == domain.ranges
    assert [h.text() for h in again.given] == [h.text() for h in domain.given]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("x", "comparison"), ("1 < x < 0", "nothing satisfies"), ("x < x < 1", ""), ("x in y", "compare with")],
)
def test_bad_domains_are_told(text, complaint):
    if not complaint:
        assert Domain.of(text).given  # x < x is a hypothesis, if a silly one
        return
    with pytest.raises(ClaimError, match=complaint):
        Domain.of(text)


ends = st.one_of(st.none(), st.fractions(-3, 3, max_denominator=4))


@st.composite
def ranges(draw):
    low, high = draw(ends), draw(ends)
    return Range(
        low,
        high,
        low is None or draw(st.booleans()),
        high is None or draw(st.booleans()),
        draw(st.booleans()),
    )


def inside_by_points(inner, outer):
    """The definition, on a fine net of points."""
    net = [Fraction(i, 16) for i in range(-64, 65)]
    return all(point in outer for point in net if point in inner)


@given(ranges(), ranges())
def test_a_range_within_another_has_only_points_of_it(inner, outer):
    if inner.within(outer):
        assert inside_by_points(inner, outer)


def test_the_check_of_within_can_fail():
    closed, half_open = (
        Range(Fraction(0), Fraction(1), False, False),
        Range(Fraction(0), Fraction(1), False, True),
    )
    assert not closed.within(half_open)
    assert not inside_by_points(closed, half_open)


@given(ranges(), st.sampled_from(["<=", "<", ">=", ">", "=="]), st.fractions(-3, 3, max_denominator=4))
def test_narrowing_keeps_exactly_the_points_that_satisfy_the_comparison(r, relation, bound):
    holds = {
        "<=": lambda p: p <= bound,
        "<": lambda p: p < bound,
        ">=": lambda p: p >= bound,
        ">": lambda p: p > bound,
        "==": lambda p: p == bound,
    }[relation]
    for point in (Fraction(i, 12) for i in range(-48, 49)):
        assert (point in r.narrowed(relation, bound)) == (point in r and holds(point))


# --- assertions ------------------------------------------------------------------------------


def test_what_is_said_is_also_there_as_data():
    domain = Domain.of("x >= 0", "a > 0", "a <= x**2", reals="y", integers="n")
    falling = decreasing("exp( -a*x)", "x", domain)
    assert falling.data() == {"monotone": "exp( -a*x)", "in": "x", "increasing": False}
    assert increasing("x", "x", domain).data()["increasing"] is True
    assert Relation.of("x  >= a", domain).data() == {"relation": "x >= a"}
    tends = limit("exp(-x)", "x", "oo", "0", domain)
    assert tends.data() == {"limit": "exp(-x)", "to": "0", "in": "x", "towards": "oo"}
    conditions = ["0 < a", "0 <= x", "a <= x**2"]
    assert domain.data() == {"conditions": conditions, "integers": ["n"], "reals": ["y"]}


def test_monotonicity_is_in_a_real_variable():
    domain = Domain.of("x >= 0", "a > 0")
    with pytest.raises(ClaimError, match="not a real variable"):
        increasing("x", "y", domain)


def test_a_limit_is_taken_at_an_end_of_the_range():
    domain = Domain.of("x > 0")
    assert limit("(1 - exp(-x))/x", "x", "0", "1", domain).value == 1
    assert limit("exp(-x)", "x", "oo", "0", domain).towards == sympy.oo
    with pytest.raises(ClaimError, match="not an end"):
        limit("exp(-x)", "x", "1", "0", domain)


# --- claims ----------------------------------------------------------------------------------


def test_a_claim_needs_something_to_check():
    with pytest.raises(ClaimError, match="nothing to check"):
        claim("empty", "nothing")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"kind": "rumour"}, "kind"),
        ({"expected": "maybe"}, "expected"),
        ({"expected": {"slow": "proved"}}, "profile"),
        ({"says": "x <= "}, "claim bad"),
    ],
)
def test_bad_claims_name_themselves(options, complaint):
    with pytest.raises(ClaimError, match=complaint):
        claim("bad", "bad", domain="x > 0", **({"checks": Says(Verdict.PROVED)} | options))


def test_labels_are_words():
    with pytest.raises(ClaimError, match="without spaces"):
        claim("two words", "", checks=Says(Verdict.PROVED))


def test_duplicates_are_an_error_at_load():
    with pytest.raises(ClaimError, match="used twice"):
        ClaimSet([simple("a"), simple("a")])


def test_unresolved_labels_are_an_error_at_load():
    with pytest.raises(ClaimError, match="no claim"):
        ClaimSet([simple("a", "b")])
    with pytest.raises(ClaimError, match="claim a: repair 'z' is no claim"):
        ClaimSet([replace(simple("a"), finding=Remark("proof", "it is wrong", repair="z"))])


@pytest.mark.parametrize("pairs", [[("a", "a")], [("a", "b"), ("b", "c"), ("c", "a")]])
def test_cycles_are_an_error_at_load(pairs):
    with pytest.raises(ClaimError, match=r"rests on itself \(.*->"):
        ClaimSet([simple(label, used) for label, used in pairs])


def test_a_diamond_is_not_a_cycle():
    claims = ClaimSet(
        [simple("top", "left", "right"), simple("left", "low"), simple("right", "low"), simple("low")]
    )
    assert claims.order == ["low", "left", "right", "top"]
    assert claims.closure(["left"]) == ["low", "left"]


# --- verdicts --------------------------------------------------------------------------------


def test_a_chain_is_as_strong_as_its_weakest_link():
    assert weakest([Verdict.PROVED, Verdict.TESTED, Verdict.PROVED_ON_BOX]) is Verdict.TESTED
    assert weakest([Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED]) is Verdict.REFUTED


def test_the_strongest_finding_decides_and_a_refutation_always():
    found = {v: Finding(v, v) for v in Verdict}
    assert combined([found[Verdict.TESTED], found[Verdict.PROVED]]).verdict is Verdict.PROVED
    assert combined([found[Verdict.TESTED], found[Verdict.REFUTED]]).verdict is Verdict.REFUTED
    assert combined([found[Verdict.PROVED_ON_BOX], found[Verdict.REFUTED]]).verdict is Verdict.REFUTED


def test_a_proof_beside_a_refutation_is_loud():
    with pytest.raises(ContradictionError):
        combined([Finding("one", Verdict.PROVED), Finding("other", Verdict.REFUTED)])


def test_a_formula_read_over_another_domain_is_refused():
    original = claim("a", "a", says="sqrt(x**2) <= x", domain="x >= 0", checks=Says(Verdict.PROVED))
    with pytest.raises(ClaimError, match="another domain"):
        replace(original, domain=Domain.of("x >= -1"))
