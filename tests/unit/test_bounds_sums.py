"""Sums over episodes and the largest of many Poisson variables, for few and for very many episodes."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from ctucbvi.bounds import Parameters, expected_maximum, power_sum
from ctucbvi.bounds.poisson_tails import root_sum
from ctucbvi.bounds.sums import accuracy_sum
from ctucbvi.exact.precision import precision


def holds(ball: arb, number: mpmath.mpf, digits: int) -> bool:
    """Whether the ball contains a number of that many digits, and is as sharp."""
    text = mpmath.nstr(number, digits + 12, strip_zeros=False)
    slack = arb(abs(Fraction(text)).numerator) / abs(Fraction(text)).denominator * arb(10) ** (-digits - 8)
    return bool(ball.overlaps(arb(text) + arb(0, slack.upper()))) and ball.rel_accuracy_bits() > 3 * digits


@pytest.mark.parametrize("exponent", ["1/2", "1", "2/3", "1/1000", "3/2", "7", "1000001/1000000"])
@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 400])
def test_sums_of_few_powers_are_added_up(exponent, count):
    power = Fraction(exponent)
    with mpmath.workdps(60):
        terms = [
            mpmath.mpf(k) ** (-mpmath.mpf(power.numerator) / power.denominator) for k in range(1, count + 1)
        ]
        total = mpmath.fsum(terms)
        with precision(128):
            found = power_sum(power, count)
            assert holds(found, total, 30)
            assert not holds(found, total * (1 + mpmath.mpf(10) ** -25), 30)  # a mutant


@pytest.mark.parametrize("exponent", ["1/2", "1", "2/3", "1/10", "3/2", "5", "1000001/1000000"])
@pytest.mark.parametrize("count", [10**6, 10**15, 10**40])
def test_sums_of_many_powers(exponent, count):
    power = Fraction(exponent)
    with mpmath.workdps(90):
        a = mpmath.mpf(power.numerator) / power.denominator
        # Euler and Maclaurin from 50 on, with a remainder far below the digits compared
        total = mpmath.fsum(mpmath.mpf(k) ** -a for k in range(1, 50))
        n = mpmath.mpf(count)
        total += mpmath.log(n / 50) if power == 1 else (n ** (1 - a) - mpmath.mpf(50) ** (1 - a)) / (1 - a)
        total += (mpmath.mpf(50) ** -a + n**-a) / 2
        for j in range(1, 25):
            rising = mpmath.rf(a, 2 * j - 1)
            step = mpmath.mpf(50) ** (-a - 2 * j + 1) - n ** (-a - 2 * j + 1)
            total += mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) * rising * step
        with precision(128):
            assert holds(power_sum(power, count), total, 30)


def test_the_corollary_s_accuracies_carry_their_factor():
    p = Parameters.of(
        states=2, actions=2, horizon=1, episodes=4, lambda_max=7, epsilon="k^-1*exp(-lambda_max*H)"
    )
    with precision(100):
        assert accuracy_sum(p).overlaps(arb(fmpq(25, 12)) * arb(-7).exp())


@pytest.mark.parametrize("mean", ["1/100", "1", "7", "40"])
@pytest.mark.parametrize("count", [1, 2, 17, 10**7, 10**15, 10**80])
def test_the_largest_of_many_poisson_variables(mean, count):
    with mpmath.workdps(140):
        v = mpmath.mpf(Fraction(mean).numerator) / Fraction(mean).denominator
        total, m = mpmath.mpf(0), 0
        weight = below = mpmath.exp(-v)
        while m < 2 * v + 20 or count * (1 - below) > mpmath.mpf(10) ** -40:
            total += 1 - below**count
            m += 1
            weight *= v / m
            below += weight
    with precision(128):
        found = expected_maximum(Fraction(mean), count)
        with mpmath.workdps(50):
            assert holds(found, total, 25)
            assert not holds(found, total * (1 + mpmath.mpf(10) ** -20), 25)  # a mutant


@pytest.mark.parametrize("mean", ["1/10000", "1/100", "1", "7", "40", "1000"])
def test_the_sum_of_the_roots_of_tails(mean):
    with mpmath.workdps(140):
        v = mpmath.mpf(Fraction(mean).numerator) / Fraction(mean).denominator
        total, m = mpmath.mpf(0), 0
        weight = below = mpmath.exp(-v)
        while m < v or 1 - below > mpmath.mpf(10) ** -90:
            total += mpmath.sqrt(1 - below)
            m += 1
            weight *= v / m
            below += weight
    with precision(128):
        found = root_sum(Fraction(mean))
        with mpmath.workdps(50):
            assert holds(found, total, 25)
            assert not holds(found, total * (1 + mpmath.mpf(10) ** -20), 25)  # a mutant


@pytest.mark.parametrize("mean", ["1/1000000000", "1000000"])
def test_the_sum_of_roots_is_between_its_bounds(mean):
    with precision(100):
        v = arb(fmpq(Fraction(mean).numerator, Fraction(mean).denominator))
        found = root_sum(Fraction(mean))
        assert v < found
        assert found < v + 2 * v.sqrt() + arb(1) / 4
        assert found.rel_accuracy_bits() > 80


def test_one_variable_has_its_mean():
    with precision(100):
        assert expected_maximum(Fraction(123456), 1).overlaps(arb(123456))
        assert expected_maximum(Fraction(123456), 1).rel_accuracy_bits() > 90


def test_simulated_maxima_agree():
    draws = np.random.default_rng(5).poisson(3.5, size=(20000, 50)).max(axis=1)
    with precision(64):
        found = float(expected_maximum(Fraction(7, 2), 50).mid())
    assert abs(draws.mean() - found) < 5 * draws.std() / len(draws) ** 0.5
    assert (
        abs(draws.mean() - float(expected_maximum(Fraction(7, 2), 60).mid())) > 5 * draws.std() / 20000**0.5
    )
