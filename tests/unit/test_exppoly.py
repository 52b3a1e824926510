"""Exponential polynomials: ring laws, calculus, convolution, exact zeros, roots, extremes."""

from dataclasses import replace
from fractions import Fraction
from math import isclose

import mpmath
import pytest
import sympy
from flint import arb, arb_poly, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.exact import exppoly
from ctucbvi.exact.exppoly import ExpNumber, ExpPoly
from ctucbvi.exact.piecewise import signs
from ctucbvi.exact.precision import enclosure, precision, to_fraction

ONE = ExpPoly.constant(1)
EXP = ExpPoly.monomial(1, 0, 1)  # e^{-t}
T = ExpPoly.monomial(1, 1)  # t
LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)

numbers = st.fractions(min_value=-3, max_value=3, max_denominator=6)
rates = st.sampled_from([Fraction(r) for r in ("0", "1", "1/2", "3", "1000000001/1000000000")])
functions = st.dictionaries(rates, st.lists(numbers, min_size=1, max_size=3), max_size=3).map(ExpPoly.of)
times = st.fractions(min_value=0, max_value=2, max_denominator=8)


def over_balls(f: ExpPoly) -> ExpPoly:
    """The same function with its coefficients rounded to balls."""
    return ExpPoly(tuple((mu, arb_poly(p)) for mu, p in f.terms))


def encloses(rounded: ExpPoly, exact: ExpPoly) -> bool:
    """Every coefficient of the exact function lies in the ball that belongs to it."""
    # arb.contains would round its argument to a ball first; the enclosure has exact ends.
    balls = {(mu, j): enclosure(arb(c)) for mu, j, c in rounded.coefficients()}
    terms = {(mu, j): to_fraction(c) for mu, j, c in exact.coefficients()}
    zero = Enclosure(Fraction(0), Fraction(0))
    return all(balls.get(key, zero).contains(terms.get(key, 0)) for key in balls.keys() | terms.keys())


def same(f: ExpPoly, g: ExpPoly) -> bool:
    """Equality of exact functions; for balls, that they may be equal."""
    if f.is_exact and g.is_exact:
        return f == g
    return encloses(f - g, ExpPoly.zero())


def ring_laws(f: ExpPoly, g: ExpPoly, h: ExpPoly) -> bool:
    return (
        same(f + g, g + f)
        and same((f + g) + h, f + (g + h))
        and same(f * g, g * f)
        and same((f * g) * h, f * (g * h))
        and same(f * (g + h), f * g + f * h)
        and same(f - f, ExpPoly.zero())
        and same(f * ONE, f)
        and same(f * 3, f + f + f)
    )


def calculus_laws(f: ExpPoly, g: ExpPoly) -> bool:
    return (
        same(f.integral().derivative(), f)
        and same((f * g).derivative(), f.derivative() * g + f * g.derivative())
        and same((f + g).derivative(), f.derivative() + g.derivative())
    )


def convolution_law(f: ExpPoly, rate: Fraction) -> bool:
    """``y = f * λe^{-λ·}`` is the solution of ``y' = λ(f - y)``, ``y(0) = 0``."""
    y = f.convolve(rate)
    at_zero = sum((c for _, j, c in y.coefficients() if j == 0), fmpq(0))
    starts = at_zero.contains(0) if isinstance(at_zero, arb) else at_zero == 0
    return starts and same(y.derivative(), (f - y) * rate)


@LAWS
@given(functions, functions, functions)
def test_ring_laws_for_both_kinds_of_coefficients(f: ExpPoly, g: ExpPoly, h: ExpPoly) -> None:
    assert ring_laws(f, g, h)
    assert ring_laws(over_balls(f), over_balls(g), over_balls(h))


@LAWS
@given(functions, functions, rates)
def test_balls_contain_the_exact_result(f: ExpPoly, g: ExpPoly, rate: Fraction) -> None:
    a, b = over_balls(f), over_balls(g)
    assert encloses(a, f)
    assert encloses(a + b, f + g)
    assert encloses(a * b, f * g)
    assert encloses(a * b - b, f * g - g)
    assert encloses(a.derivative(), f.derivative())
    assert encloses(a.integral(), f.integral())
    assert encloses(a.convolve(rate), f.convolve(rate))


def test_containment_notices_a_wrong_coefficient() -> None:
    f = ExpPoly.of({1: [Fraction(1, 3), 2]})
    assert encloses(over_balls(f), f)
    assert not encloses(over_balls(f), f + T * Fraction(1, 10**12))
    assert not encloses(over_balls(f) * Fraction(10**12 + 1, 10**12), f)


@LAWS
@given(functions, functions, rates)
def test_calculus_and_convolution_laws(f: ExpPoly, g: ExpPoly, rate: Fraction) -> None:
    assert calculus_laws(f, g)
    assert convolution_law(f, rate)
    assert convolution_law(over_balls(f), rate)


def _wrong_sign(p, delta):  # R' + δR = P solved as if it were -R' + δR = P
    right = _PRIMITIVE(p, delta)
    return right if delta == 0 else _PRIMITIVE(p, -delta) * -1


def _degree_kept(p, delta):  # ∫P taken to be P, so that the degree does not rise
    return _PRIMITIVE(p, delta) if delta != 0 else p


_PRIMITIVE = exppoly._primitive


@pytest.mark.parametrize(
    ("mutant", "rate"), [(_wrong_sign, Fraction(3)), (_degree_kept, Fraction(1))], ids=["sign", "degree"]
)
def test_the_convolution_law_catches_mutants(monkeypatch, mutant, rate) -> None:
    f = ExpPoly.of({1: [1, 2]})
    assert convolution_law(f, rate)
    monkeypatch.setattr(exppoly, "_primitive", mutant)
    assert not convolution_law(f, rate)
    assert not same(f.convolve(rate).derivative(), (f - f.convolve(rate)) * rate)


def test_the_ring_laws_catch_a_mutant(monkeypatch) -> None:
    f, g = ExpPoly.of({1: [1, 2]}), ExpPoly.of({0: [1], 2: [0, 1]})
    assert ring_laws(f, g, f)
    collect = exppoly._collect
    monkeypatch.setattr(
        exppoly, "_collect", lambda terms: collect(dict(terms).items())
    )  # loses equal exponents
    assert not ring_laws(f, g, f)


@pytest.mark.parametrize("rate", [0, 1, 3, Fraction(1, 2)])
def test_convolution_against_quadrature(rate) -> None:
    f = ExpPoly.of({0: [1, -1], 1: [2, 1], Fraction(1, 2): [0, 0, 1]})
    y, lam = f.convolve(rate), mpmath.mpf(Fraction(rate).numerator) / Fraction(rate).denominator

    def value(t):
        return (1 - t) + (2 + t) * mpmath.exp(-t) + t * t * mpmath.exp(-t / 2)

    for t in (0.25, 1, 2.5):
        reference = mpmath.quad(lambda s, t=t: lam * mpmath.exp(-lam * s) * value(t - s), [0, t])
        assert isclose(float(y(Fraction(t))), float(reference), rel_tol=1e-13, abs_tol=1e-13)


@LAWS
@given(functions, times, times, times)
def test_shifts_compose_and_evaluate(f: ExpPoly, a: Fraction, b: Fraction, t: Fraction) -> None:
    assert same(f.shift(a).shift(b), f.shift(a + b))
    assert same(f.shift(a).shift(-a), f)
    assert f.shift(a)(t).overlaps(f(t + a))
    assert over_balls(f)(t).overlaps(f(t))
    assert f.at(t).ball().overlaps(f(t))


def test_waiting_time_and_constructors() -> None:
    assert ExpPoly.waiting(0) == T
    assert ExpPoly.waiting(3) == (ONE - ExpPoly.monomial(1, 0, 3)) * Fraction(1, 3)
    assert ExpPoly.zero().is_zero
    assert ExpPoly.zero().degree == -1
    assert EXP.convolve(0).is_zero
    assert EXP.convolve(1) == ExpPoly.monomial(1, 1, 1)
    assert str(ExpPoly.zero()) == "0"
    assert str(T * EXP - ONE) == "(-1) + (1) t exp(-(1) t)"
    with pytest.raises(TypeError, match="balls"):
        _ = over_balls(EXP) == EXP


@LAWS
@given(functions, times)
def test_sympy_agrees(f: ExpPoly, t: Fraction) -> None:
    symbol = sympy.Symbol("t")
    expression = f.to_sympy(symbol)
    derivative = sympy.diff(expression, symbol) - f.derivative().to_sympy(symbol)
    assert sympy.expand(derivative) == 0
    number = ExpPoly.of({kappa: [c] for kappa, c in f.at(t).terms}).to_sympy(1)
    there = expression.subs(symbol, sympy.Rational(t.numerator, t.denominator))
    assert sympy.expand(number - there) == 0


def test_zero_is_decided_exactly() -> None:
    half = Fraction(1, 2)
    f = (T - ExpPoly.constant(half)) * EXP
    assert f.is_zero_at(half)
    assert not (f + EXP * Fraction(1, 10**200)).is_zero_at(half)
    assert (EXP - ONE).is_zero_at(0)
    assert not (EXP - ONE).is_zero_at(Fraction(1, 10**50))
    assert (EXP - ONE + T).vanishing_order_at(0) == 2
    assert (T * T * T).vanishing_order_at(0) == 3
    assert ExpPoly.zero().vanishing_order_at(0) is None
    assert (f * f).vanishing_order_at(half) == 2
    with pytest.raises(InputError, match="rational"):
        over_balls(EXP).is_zero_at(1)


def test_the_sign_of_an_exact_number_is_found_however_small() -> None:
    with precision(600):
        inner = to_fraction(exppoly.point(arb(-1).exp().lower()))  # below e^-1 by less than 2^-590
    number = (EXP - ExpPoly.constant(inner)).at(1)
    assert number.sign() == 1
    assert (EXP * -1 + ExpPoly.constant(inner)).at(1).sign() == -1
    assert 0 < number.enclosure(30).lower <= number.enclosure(30).upper < Fraction(1, 2**580)
    assert ExpNumber.of([(fmpq(1), fmpq(2)), (fmpq(1), fmpq(-2))]).sign() == 0


def signs_of(f: ExpPoly, order: int = 0) -> list[int]:
    return [region.sign for region in signs(f.terms, fmpq(0), fmpq(2), order=order)]


def test_signs_of_known_functions() -> None:
    half, ln2, near = ExpPoly.constant(Fraction(1, 2)), Fraction("0.6931471805599453"), Fraction(1, 10**12)
    _, around, _ = signs((EXP - half).terms, fmpq(0), fmpq(2))
    assert to_fraction(around.lower) - near <= ln2 <= to_fraction(around.upper) + near
    assert signs_of(EXP - half) == [1, 0, -1]
    assert signs_of(EXP + half) == [1]
    assert signs_of(T * (EXP - half), order=1) == [1, 0, -1]
    assert signs_of((EXP - half) * (EXP - half)) == [1, 0, 1]


def test_close_changes_of_sign_are_told_apart() -> None:
    a, b = Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**6)
    with precision(128):
        regions = signs(((EXP - ExpPoly.constant(a)) * (EXP - ExpPoly.constant(b))).terms, fmpq(0), fmpq(2))
    assert [region.sign for region in regions] == [1, 0, -1, 0, 1]
    assert 1.9e-6 < float(to_fraction(regions[3].lower) - to_fraction(regions[1].upper)) < 2.1e-6


def test_an_interval_is_refused_upside_down() -> None:
    with pytest.raises(InputError, match="exceeds"):
        ONE.sup_norm(1, 0)


def test_extremes() -> None:
    f = T * EXP - ExpPoly.constant(Fraction(1, 10))  # from -0.1 up to 1/e - 0.1 at t = 1
    top = f.sup_norm(0, 4)
    assert top.lower <= Fraction("0.2678794411714424") <= top.upper
    assert top.width < Fraction(1, 10**8)
    span = f.enclosure(0, 4)
    assert span.lower <= Fraction(-1, 10)
    assert span.upper >= Fraction("0.2678794411714423")
    assert span.width < Fraction("0.36788")
    assert ExpPoly.zero().sup_norm(0, 1).upper == 0
    assert (EXP * -5).sup_norm(0, 1).contains(5)


@LAWS
@given(functions, times, st.fractions(min_value=Fraction(1, 64), max_value=2, max_denominator=64), times)
def test_expansions_contain_the_function(f: ExpPoly, a, width, u) -> None:
    lower, upper = fmpq(a.numerator, a.denominator), fmpq(*(a + width).as_integer_ratio())
    inside = lower + (upper - lower) * fmpq(*(u / 2).as_integer_ratio())
    chart = f.expand(lower, upper)
    wide = arb(lower).union(arb(upper))
    first = f.derivative()
    exact = (f(inside), first(inside), first.derivative()(inside))
    jets = [(chart(x), chart.slope(x), chart.curvature(x)) for x in (arb(inside), wide)]
    for jet in jets:
        assert all(mine.overlaps(theirs) for mine, theirs in zip(jet, exact, strict=True))
    outside = chart(arb(upper + 1 + (upper - lower)))  # beyond its range it claims nothing
    assert not outside.is_finite() or all(mu == 0 for mu, _ in f.terms)


def test_the_remainder_of_an_expansion_matters() -> None:
    """Without its remainder a short expansion misses the function; with it, it does not."""
    lower, upper, x = fmpq(0), fmpq(1), arb(1)
    full = EXP.expand(lower, upper)
    short = replace(full, polys=(full.polys[0].truncate(5), *full.polys[1:]), length=5)
    assert short(x).overlaps(arb(-1).exp())
    assert not short.polys[0](x - short.centre).overlaps(arb(-1).exp())


def test_cancellation_does_not_spoil_exact_functions() -> None:
    f = ONE
    for _ in range(12):
        f = f.convolve(1).convolve(Fraction(1000001, 1000000))  # huge coefficients, tiny differences
    chart = f.expand(fmpq(0), fmpq(1))
    assert chart.blur < chart.magnitude * arb(2) ** -40
    assert f(1).rad() < arb(10) ** -25  # of a value of about 10^-24
    assert f(1) > 0
