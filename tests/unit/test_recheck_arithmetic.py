"""The arithmetic and the reader of the independent checker, against mpmath."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.recheck.derivatives import derivative
from verify.recheck.functions import polygamma
from verify.recheck.intervals import INF, Interval, UnknownError, point, precision
from verify.recheck.reading import domain_of, rational, read
from verify.recheck.roots import sturm
from verify.recheck.series import Series, range_of

# ---------------------------------------------------------------- arithmetic

SAMPLES = {
    "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos,
    "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh, "erf": mpmath.erf,
    "gamma": mpmath.gamma, "loggamma": lambda x: mpmath.loggamma(x).real, "factorial": mpmath.factorial,
    "expm1r": lambda x: mpmath.expm1(x) / x if x else mpmath.mpf(1),
    "log1pr": lambda x: mpmath.log1p(x) / x if x else mpmath.mpf(1),
}  # fmt: skip
TINY = Fraction(1, 10**50)  # what the symbolic derivative of expm1r loses by cancellation
fractions = st.fractions(min_value=-20, max_value=20, max_denominator=1000)


def exactly(x: mpmath.mpf) -> Fraction:
    sign, mantissa, exponent, _ = x._mpf_
    return (-1) ** sign * Fraction(mantissa) * Fraction(2) ** exponent


def inside(x: Interval, y: Fraction) -> bool:
    """In the interval, up to the rounding of the point sample (600 bits)."""
    slack = abs(y) / 2**500
    return x.low - slack <= y <= x.high + slack if x.bounded else x.low <= y <= x.high


@pytest.mark.parametrize("name", SAMPLES)
@given(a=fractions, b=fractions, share=st.fractions(min_value=0, max_value=1, max_denominator=50))
def test_functions_enclose_their_values(name, a, b, share):
    low, high = sorted((a, b))
    if name in ("log", "sqrt", "gamma", "loggamma", "log1pr", "factorial"):
        low, high = sorted((abs(a) + Fraction(1, 1000), abs(b) + Fraction(1, 1000)))
    x = low + share * (high - low)
    with mpmath.workprec(600):
        value = exactly(mpmath.mpf(SAMPLES[name](mpmath.mpf(x.numerator) / x.denominator)))
    f = read(f"{name}(x)", ["x"])
    assert inside(range_of(f, {"x": Interval(low, high)}), value)
    assert inside(range_of(f, {"x": point(x)}), value)


FORMULAS = [
    "exp(x)*sin(x)", "log(2 + x**2)", "sqrt(3 + x)", "atan(x**2)", "tanh(x)/(2 + cos(x))", "erf(x)*x**3",
    "(2 + x**2)**x", "expm1r(x)", "log1pr(x**2)", "gamma(x + 4)", "loggamma(x + 4)", "cosh(x)**(1/3)",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_coefficients_enclose_the_derivatives(text):
    """Against a symbolic derivative, evaluated over the same points by order 0 only."""
    f = read(text, ["x"])
    box = {"x": Interval(Fraction(-3, 2), Fraction(1, 3))}
    series = Series(box, "x", 3).of(f)
    for k in range(4):
        for x in (Fraction(-3, 2), Fraction(-1, 7), Fraction(1, 3)):
            value = range_of(f / math.factorial(k), {"x": point(x)})
            assert series[k].low - TINY <= value.low
            assert value.high <= series[k].high + TINY
        f = derivative(f, "x")


@given(a=fractions, b=fractions, c=fractions, d=fractions, s=st.booleans(), t=st.booleans())
def test_products_and_sums_contain_their_corners_with_the_right_ends(a, b, c, d, s, t):
    x = Interval(*sorted((a, b)), s and a != b, t and a != b)
    y = Interval(*sorted((c, d)), t and c != d, s and c != d)
    for p in (x.low, x.high, (x.low + x.high) / 2):
        for q in (y.low, y.high, (y.low + y.high) / 2):
            if p in x and q in y:
                assert p * q in x * y
                assert p + q in x + y
                assert p**2 in x.power(2)
                assert abs(p) in x.size()


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("1/(1 - exp(-x))", Interval(Fraction(0), INF, True, True), (1, INF, True, True)),
        ("exp(-x)", Interval(Fraction(0), INF, False, True), (0, 1, True, False)),
        ("x**2", Interval(Fraction(-1), Fraction(2), True, False), (0, 4, False, False)),
        ("x*exp(-x)", Interval(Fraction(0), INF, False, True), (0, INF, False, True)),
        ("sqrt(x)", Interval(Fraction(0), Fraction(4), False, True), (0, 2, False, True)),
        ("Max(x, 0)", Interval(Fraction(-1), Fraction(1), False, True), (0, 1, False, True)),
        ("x**2 - x + 1", Interval(Fraction(0), INF, False, True), (0, INF, True, True)),
    ],
)
def test_ends_are_exact_and_open_or_closed(text, x, expected):
    found = range_of(read(text, ["x"]), {"x": x})
    assert (found.low, found.high, found.low_open, found.high_open) == expected


@pytest.mark.parametrize(
    "text",
    ["1/x", "log(x)", "x/(1 - exp(-x))", "x**x", "sqrt(x - 1)", "gamma(x)", "log1pr(-1 - x)", "log(-x)"],
)
def test_what_is_not_defined_everywhere_is_unknown(text):
    with pytest.raises(UnknownError):
        range_of(read(text, ["x"]), {"x": Interval(Fraction(0), Fraction(1, 2))})


@pytest.mark.parametrize("text", ["Abs(x)", "Max(x, 0)", "sqrt(x**2)", "sqrt(x + 1)", "Min(x, x**2)"])
def test_a_kink_has_no_derivative(text):
    with pytest.raises(UnknownError):
        Series({"x": Interval(Fraction(-1), Fraction(1))}, "x", 1).of(read(text, ["x"]))


def test_huge_and_tiny_values_become_ends_of_the_right_kind():
    huge = range_of(read("exp(x)", ["x"]), {"x": point(10**9)})
    assert huge.high == INF
    assert huge.low > 10**1000
    tiny = range_of(read("exp(x)", ["x"]), {"x": point(-(10**9))})
    assert tiny.low == 0
    assert tiny.low_open
    assert 0 < tiny.high < Fraction(1, 10**1000)


def test_the_precision_is_restored():
    f = read("exp(1)", ())
    wide = range_of(f, {})
    with precision(2048):
        narrow = range_of(f, {})
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2**1000
    assert range_of(f, {}) == wide


def test_sturm_counts_roots_at_the_ends():
    f = read("x*(1 - x)", ["x"])
    closed, opened = Interval(Fraction(0), Fraction(1)), Interval(Fraction(0), Fraction(1), True, True)
    assert sturm(f, "x", closed, False)
    assert not sturm(f, "x", closed, True)
    assert sturm(f, "x", opened, True)
    assert not sturm(f, "x", Interval(Fraction(0), Fraction(2)), False)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "x.real", "[x]", "x if x else 1", "f(x)", "y", "2**10**10", "1/0", "'x'", "x <= 1"],
)
def test_only_the_language_is_read(text):
    with pytest.raises(UnknownError):
        read(text, ["x"])


def test_a_decimal_means_its_decimal_value():
    assert rational("0.1") == Fraction(1, 10)


def test_domains():
    ranges, given = domain_of(["0 < x <= 1/3", "y >= x", "n", "2 >= y"], ["x", "y", "n"])
    assert ranges["x"] == Interval(Fraction(0), Fraction(1, 3), True, False)
    assert ranges["n"] == Interval(-INF, INF, True, True)
    assert ranges["y"].high == 2
    assert [relation for _, relation in given] == ["<="]


def test_digamma_next_to_its_zero():
    """It was off by 2^-175 of itself there, and its ends were moved outward by 2^-256 only."""
    exact = mpmath.mp.clone()
    exact.prec = 1500
    zero = exact.findroot(lambda t: exact.psi(0, t), exact.mpf("1.4616321449683623"))
    for k in range(-3, 4):
        a = Fraction(int(exact.floor(exact.ldexp(zero, 200))) + k, 2**200)
        x, true = polygamma(0, point(a)), exact.psi(0, exact.mpf(a.numerator) / a.denominator)
        low, high = (exact.mpf(end.numerator) / end.denominator for end in (x.low, x.high))
        assert low < true < high
