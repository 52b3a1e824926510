"""Balls: every enclosure contains the exact value, and what is not defined is not finite."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Domain, expression
from verify.provers import balls
from verify.provers.balls import around_zero, ball, evaluate, expm1r, log1pr, precision, program

X, Y = sympy.symbols("x y", real=True)
FORMULAS = [
    "exp(-x)*(1 + x + x**2/2)",
    "log(1 + x) - x/sqrt(1 + x)",
    "x**3/7 - 2**x + 1/(3 + x)",
    "sin(x)*cos(x) + atan(x)",
    "sinh(x) - cosh(x)*tanh(x)",
    "erf(x) + x**(2/3)",
    "Max(x, 1 - x) - Min(x, 1/2) + abs(x - 2/3)",
    "gamma(1 + x) + loggamma(2 + x)",
    "(1 + x)**x",
]
# The Taylor coefficients at 0, whose radius of convergence is at least 1.
EXPM1R = [1 / mpmath.factorial(n + 1) for n in range(60)]
LOG1PR = [mpmath.mpf((-1) ** n) / (n + 1) for n in range(120)]
fractions = st.fractions(min_value=0, max_value=2, max_denominator=97)


def read(text: str) -> Any:
    return expression(text, Domain.of("0 < x").symbols)


def exact(e: Any, at: Fraction) -> arb:
    """The value by another library, to 40 digits."""
    symbol = next(iter(e.free_symbols), X)
    with mpmath.workdps(40):
        value = sympy.lambdify(symbol, e, "mpmath")(mpmath.mpf(at.numerator) / at.denominator)
        text = mpmath.nstr(mpmath.mpf(value), 40)
    with precision(128):
        return arb(text) + around_zero(Fraction(1, 10**30))


def holds(enclosure: arb, value: arb) -> bool:
    return bool(enclosure.is_finite()) and bool(enclosure.overlaps(value))


@pytest.mark.parametrize("text", FORMULAS)
@given(low=fractions, width=fractions, share=st.fractions(min_value=0, max_value=1, max_denominator=20))
def test_the_value_at_a_point_is_in_the_ball_of_a_box_around_it(
    text: str, low: Fraction, width: Fraction, share: Fraction
) -> None:
    e, low = read(text), low + Fraction(1, 10)
    at = low + width / 8 * share
    with precision(64):
        enclosure = program(e).run({"x": ball(low, low + width / 8)})
    assert holds(enclosure, exact(e, at))


@pytest.mark.parametrize("text", FORMULAS[:6])
@given(low=fractions, share=st.fractions(min_value=0, max_value=1, max_denominator=20))
def test_taylor_coefficients_contain_the_derivatives(text: str, low: Fraction, share: Fraction) -> None:
    e, low = read(text), low + Fraction(1, 10)
    at = low + share / 16
    with precision(64):
        found = program(e).coefficients({"x": ball(low, low + Fraction(1, 16))}, "x", 3)
    symbol = next(iter(e.free_symbols))
    for k in range(3):
        assert holds(found[k], exact(e.diff(symbol, k) / sympy.factorial(k), at))


@pytest.mark.parametrize(("function", "series"), [(expm1r, EXPM1R), (log1pr, LOG1PR)])
@given(low=fractions, share=st.fractions(min_value=0, max_value=1, max_denominator=20))
def test_removable_singularities_are_crossed(
    function: Any, series: list[Any], low: Fraction, share: Fraction
) -> None:
    low = low / 4 - Fraction(1, 4)
    at = low + share / 2
    with precision(64):
        found = program(function(X)).coefficients({"x": ball(low, low + Fraction(1, 2))}, "x", 3)
    with mpmath.workdps(40):
        z = mpmath.mpf(at.numerator) / at.denominator
        for k in range(3):
            value = mpmath.fsum(
                c * mpmath.binomial(n, k) * z ** (n - k) for n, c in enumerate(series) if n >= k
            )
            assert found[k].is_finite()
            assert found[k].overlaps(arb(mpmath.nstr(value, 20)) + around_zero(Fraction(1, 10**15)))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("log(x)", -1, 1), ("1/x", -1, 1), ("sqrt(x)", -1, 1), ("1/(x - 1)", 0, 2), ("gamma(x)", -1, 1)],
)
def test_what_is_not_defined_everywhere_is_not_finite(text: str, low: int, high: int) -> None:
    e = expression(text, {"x": X})
    with precision(64):
        box = {"x": ball(Fraction(low), Fraction(high))}
        assert not program(e).run(box).is_finite()
        assert not any(c.is_finite() for c in program(e).coefficients(box, "x", 3))


@pytest.mark.parametrize("e", [sympy.Abs(X), sympy.Max(X, Y), sympy.Min(X, Y)])
def test_no_derivative_is_claimed_across_a_kink(e: Any) -> None:
    with precision(64):
        box = {"x": ball(Fraction(-1), Fraction(1)), "y": arb(0)}
        assert program(e).run(box).is_finite()
        assert not program(e).coefficients(box, "x", 2)[1].is_finite()


def test_an_even_power_is_not_negative_and_a_ball_contains_its_ends() -> None:
    with precision(64):
        square = program(X**2).run({"x": ball(Fraction(-1), Fraction(1))})
        assert square.is_finite()
        assert square > arb(-1) / 1000
        third = ball(Fraction(1, 3), Fraction(2, 3))
        assert third.lower() <= arb(1) / 3
        assert third.upper() >= arb(2) / 3


def test_precision_is_restored_even_after_an_error() -> None:
    before = ctx.prec, ctx.cap

    def fail() -> None:
        with precision(200, 7):
            assert ctx.prec == 200
            raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    assert (ctx.prec, ctx.cap) == before


def test_an_unknown_function_gives_no_value() -> None:
    assert not evaluate(sympy.zeta(X), {"x": Fraction(3)}).is_finite()


def test_rationals_are_exact_not_doubles() -> None:
    assert evaluate(10 * X - 1, {"x": Fraction(1, 10)}, 64).contains(0)
    assert not evaluate(10 * X - 1, {"x": Fraction(0.1)}, 128).contains(0)


# A mutant: the same check must catch an enclosure that is a little too small.


def _narrow(run: Callable[..., arb]) -> Callable[..., arb]:
    def narrowed(self: Any, point: Any) -> arb:
        value = run(self, point)
        return value.mid() if isinstance(value, arb) else value

    return narrowed


def test_the_check_catches_an_evaluation_without_its_radius(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balls.Program, "run", _narrow(balls.Program.run))
    with precision(64):
        enclosure = program(read(FORMULAS[0])).run({"x": ball(Fraction(1), Fraction(2))})
    assert not holds(enclosure, exact(read(FORMULAS[0]), Fraction(1)))
