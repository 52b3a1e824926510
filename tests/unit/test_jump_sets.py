"""Largest means over sets of probability vectors, against linear programs and search."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest
from flint import arb, arb_poly

from ctucbvi.exact.precision import precision
from ctucbvi.learning.exact.divergence import MeanCurve
from ctucbvi.learning.exact.dual_series import DualSeries
from ctucbvi.learning.exact.jump_sets import AllVectors, WithinDistance, WithinDivergence
from tests.plain_optimistic import largest_mean_kl, largest_mean_l1, mean_kl, mean_l1

NOISE = arb(2) ** -80


def vector(draw, states, *, sparse=True):
    counts = [draw.choice((0, 1, 4, 60)) if sparse else draw.randint(1, 9) for _ in range(states)]
    counts[draw.randrange(states)] += 1
    return tuple(Fraction(n, sum(counts)) for n in counts)


def order_of(values):
    return tuple(sorted(range(len(values)), key=lambda y: values[y]))


def mean_of(weights, values):
    return sum(float(p) * values[y] for y, p in weights.items())


@pytest.mark.parametrize("seed", range(80))
def test_distance_against_a_linear_program(seed):
    draw = Random(seed)
    states = draw.randint(1, 5)
    centre, values = vector(draw, states), [draw.choice((0.0, 0.3, draw.random())) for _ in range(states)]
    radius = draw.choice((0.0, 0.1, 0.7, 1.9, 2.0, 3.0))
    with precision(100):
        weights = WithinDistance(centre, arb(radius)).weights(order_of(values))
    assert sum(float(p) for p in weights.values()) == pytest.approx(1)
    assert not any(p < 0 for p in weights.values())
    moved = sum(abs(float(weights.get(y, 0)) - float(p)) for y, p in enumerate(centre))
    assert moved <= radius + 1e-12
    plain = largest_mean_l1([float(p) for p in centre], radius, values)
    assert mean_of(weights, values) == pytest.approx(plain, abs=1e-9)
    assert mean_l1([float(p) for p in centre], radius, values) == pytest.approx(plain, abs=1e-9)


def test_all_vectors_take_the_best_state():
    assert AllVectors().weights((2, 0, 1)) == {1: arb(1)}


@pytest.mark.parametrize("seed", range(40))
def test_divergence_at_a_point_against_brute_force_and_the_dual(seed):
    draw = Random(seed)
    states = draw.choice((2, 3, 3, 4))
    centre, values = vector(draw, states), [draw.random() for _ in range(states)]
    radius, order = draw.choice((1e-4, 0.03, 0.5, 3.0)), order_of(values)
    with precision(100):
        jumps = WithinDivergence(centre, arb(radius))
        weights = jumps.weights(order)
        if weights is None:
            curve = MeanCurve(jumps, order[-1], NOISE)
            found = float(curve.coefficient([[arb(v)] for v in values]))
        else:
            found = mean_of(weights, values)
    plain = [float(p) for p in centre]
    if states == 3:
        assert found == pytest.approx(largest_mean_kl(plain, radius, values), abs=1e-5)
    assert found == pytest.approx(mean_kl(plain, radius, values), abs=1e-11)


@pytest.mark.parametrize("share", ["1/2", "1/1000", "999/1000", "1"])
@pytest.mark.parametrize("radius", ["1/1000000", "1/10", "5"])
def test_two_states_have_one_maximiser(share, radius):
    s, c = Fraction(share), Fraction(radius)
    with precision(120):
        ball = arb(c.numerator) / c.denominator
        kept = WithinDivergence((1 - s, s), ball).weights((1, 0))[1]
        x = kept.mid()
        other = (arb(float(1 - s)) * 0 + (1 - arb(s.numerator) / s.denominator)) if s < 1 else arb(0)
        left = arb(s.numerator) / s.denominator
        divergence = left * (left / x).log() + (other * (other / (1 - x)).log() if s < 1 else 0)
        assert kept.rad() < kept * arb(2) ** -70
        assert abs(divergence - ball) < arb(2) ** -60
        assert x < left


def polynomials(draw, states, *, tied):
    """Values that all vanish at the start if ``tied``, and are smooth."""
    rows = []
    for _ in range(states):
        start = 0.0 if tied else draw.random()
        rows.append(
            [arb(start), arb(draw.uniform(-1, 1)), arb(draw.uniform(-1, 1)), arb(draw.uniform(-1, 1))]
        )
    return rows


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_the_maximum_along_a_piece(seed, tied):
    """Enclosed by what is proved, at every point of the piece, and with a gap of high order."""
    draw, h = Random(seed), 0.001
    states = draw.randint(3, 4)
    with precision(100):
        centre, rows = vector(draw, states, sparse=draw.random() < 0.5), polynomials(draw, states, tied=tied)
        radius = draw.choice((0.01, 0.3, 2.0))
        polys = [arb_poly(row) for row in rows]
        best = max(range(states), key=lambda y: float(polys[y](arb(h / 8))))
        if (
            max(range(states), key=lambda y: float(polys[y](arb(h)))) != best
            or sum(p > 0 for p in centre) < 2
        ):
            pytest.skip("another state becomes the best one, or nothing varies")
        curve = MeanCurve(WithinDivergence(centre, arb(radius)), best, NOISE)
        padded = [[*row, *[arb(0)] * 12] for row in rows]
        taylor = arb_poly([curve.coefficient([row[: k + 1] for row in padded]) for k in range(16)])
        found = curve.enclosed(polys, arb(h))
        for part in (0.01, 0.3, 0.7, 1.0):
            t = arb(h * part)
            values = [float(poly(t)) for poly in polys]
            plain = mean_kl([float(p) for p in centre], radius, values)
            assert float(found.poly(t)) == pytest.approx(plain, abs=1e-9 + float(found.gap))
            assert float(taylor(t)) == pytest.approx(plain, abs=1e-9)
        assert found.gap < 1e-9


def test_a_wrong_nu_has_a_gap_and_no_false_enclosure():
    centre, radius, h = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), arb(0.2), arb(0.05)
    with precision(100):
        polys = [arb_poly([0.1, 1.0]), arb_poly([0.5, -1.0]), arb_poly([0.9, 0.5])]
        curve = MeanCurve(WithinDivergence(centre, radius), 2, NOISE)
        rows = [[*poly.coeffs(), *[arb(0)] * 14] for poly in polys]
        for k in range(16):
            curve.coefficient([row[: k + 1] for row in rows])
        guess = curve._guess
        assert isinstance(guess, DualSeries)
        right = curve.enclosed(polys, h)
        guess.nu[0] *= arb(1.01).mid()
        wrong = curve.enclosed(polys, h)
    assert right.gap < 1e-8
    for part in (0.0, 0.5, 1.0):
        t = arb(0.05 * part)
        plain = mean_kl([float(p) for p in centre], 0.2, [float(poly(t)) for poly in polys])
        assert abs(float(wrong.poly(t)) - plain) <= float(wrong.gap)
    assert wrong.gap > 1e-4
    assert math.isfinite(float(wrong.gap))
