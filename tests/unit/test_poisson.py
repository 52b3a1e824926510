from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from ctucbvi.exact.poisson import Basis, Growth, PoissonSeries, poisson_tail, terms_needed
from ctucbvi.exact.precision import precision

BITS = 128


def series(coefficients: list[int], reach: int = 10) -> PoissonSeries:
    """A finite sequence, continued by zeros."""
    with precision(BITS):
        basis = Basis(fmpq(reach), BITS)
        sequence = [arb(c) for c in coefficients] + [arb(0)] * (basis.terms + 1 - len(coefficients))
        size = max(map(abs, coefficients), default=0)
        return PoissonSeries(sequence, Growth(arb(size), arb(0)), basis)


def truth(coefficients: list[int], x: mp.mpf, order: int = 0) -> mp.mpf:
    """Σ a_k e^-x x^k/k! and its derivatives by mpmath."""
    return mp.diff(
        lambda s: mp.exp(-s) * mp.fsum(a * s**k / mp.factorial(k) for k, a in enumerate(coefficients)),
        x,
        order,
    )


small = st.lists(st.integers(-5, 5), min_size=1, max_size=8)
points = st.fractions(0, 10, max_denominator=40)


@given(small, points)
def test_value_slope_and_curvature_contain_the_truth(coefficients, x):
    f = series(coefficients)
    with precision(BITS), mp.workdps(40):
        at = arb(fmpq(x.numerator, x.denominator))
        for order, ball in enumerate((f(at), f.slope(at), f.curvature(at))):
            exact = truth(coefficients, mp.mpf(x.numerator) / x.denominator, order)
            assert abs(float(ball.mid()) - float(exact)) < 1e-9
            assert ball.rad() < 1e-20


@given(small, st.fractions(0, 8, max_denominator=20), st.sampled_from([Fraction(1, 100), Fraction(2)]))
def test_a_ball_of_arguments_gives_a_ball_of_values(coefficients, x, width):
    f = series(coefficients)
    with precision(BITS):
        low, high = (fmpq(v.numerator, v.denominator) for v in (x, x + width))
        wide = arb(low).union(arb(high))
        for k in range(5):
            inside = arb(low + (high - low) * fmpq(k, 4))
            assert f(wide).contains(f(inside).mid())
            assert f.slope(wide).contains(f.slope(inside).mid())
            assert f.curvature(wide).contains(f.curvature(inside).mid())


@given(small)
def test_what_the_coefficients_say_about_signs_is_true(coefficients):
    f = series(coefficients)
    with precision(BITS):
        grid = [f(arb(fmpq(k, 8))) for k in range(81)]
        if f.is_above(arb(0)):
            assert all(value > 0 for value in grid)
        if f.stays_above(arb(0)):
            high = [k for k, value in enumerate(grid) if value > 2 * f.level(arb(0))]
            assert all(grid[k] > 0 for k in range(high[0], high[-1] + 1)) if high else True


def test_signs_that_come_back_are_not_missed():
    # Positive, negative, positive: f(0) > 0 and f(40) > 0 but f < 0 in between.
    f = series([1, 0, -30, 0, 0, 100], reach=40)
    with precision(BITS):
        assert f(arb(0)) > 0
        assert f(arb(1)) < 0
        assert f(arb(5)) > 0
        assert not f.stays_above(arb(0))


@pytest.mark.parametrize("mean", [1, 5, 40])
def test_the_tail_bound_is_above_the_tail_and_close(mean):
    for first in (mean + 1, 2 * mean, 4 * mean + 10):
        with precision(BITS), mp.workdps(30):
            exact = mp.nsum(lambda k: mp.exp(-mean) * mp.mpf(mean) ** k / mp.factorial(k), [first, mp.inf])
            bound = float(poisson_tail(fmpq(mean), first))
            assert float(exact) <= bound <= max(1.0, 20 * float(exact)) * 1.0001


@given(st.integers(1, 2000), st.sampled_from([60, 200, 1000]))
def test_enough_terms_are_taken(mean, bits):
    with precision(bits):
        assert poisson_tail(fmpq(mean), terms_needed(float(mean), bits)) < arb(2) ** (8 - bits)


@given(small, st.integers(1, 3), points)
def test_division_by_a_power_of_x(coefficients, m, x):
    shifted = [0] * m + coefficients
    f = series(shifted)
    with precision(BITS):
        at = arb(fmpq(x.numerator, x.denominator))
        quotient = f.divided_by_power(m)
        assert (quotient(at) * at**m).overlaps(f(at))
        assert quotient(at).rad() < 1e-15
