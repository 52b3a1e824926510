"""Bounds on polynomials: above every value, and close to the largest where two actions nearly touch."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np

from ctucbvi.numeric.polynomials import bernstein, highest
from ctucbvi.numeric.residuals import excess


def drawn(draw: Random) -> np.ndarray:
    """A polynomial, often one that comes near 0 from below somewhere inside, or just passes it."""
    n = draw.randint(2, 18)
    d = np.array([draw.uniform(-1, 1) / (k + 1) for k in range(n + 1)])
    if draw.random() < 0.7:
        touch, d = draw.random(), np.zeros(n + 1)
        d[:3] = [-(touch**2), 2 * touch, -1.0]
        d[0] += draw.choice((-1, 1)) * 10.0 ** -draw.randint(2, 14)
    return d


def largest(d: np.ndarray) -> Fraction:
    """The largest value at many points, exactly."""
    found = Fraction(0)
    inside = [-d[1] / (2 * d[2])] if d[2] and 0 < -d[1] / (2 * d[2]) < 1 else []
    for u in (*(k / 64 for k in range(65)), *inside):
        value = Fraction(0)
        for c in reversed(d.tolist()):
            value = value * Fraction(u) + Fraction(c)
        found = max(found, value)
    return found


def test_nothing_exceeds_the_bound_and_near_touches_cost_little():
    draw, mutant, loose = Random(1), 0, 0
    for _ in range(1500):
        d = drawn(draw)
        n, work, b = len(d) - 1, np.empty(len(d)), np.empty(len(d))
        bound, most = excess(d, n, 0.0, work), largest(d)
        assert bound >= most
        assert bound <= float(most) + 0.02 * np.abs(d).sum()
        bernstein(d, n, b)
        loose += b.max() > 100 * bound
        mutant += max(b[0], b[n], 0.0) + 1e-13 < most  # what is attained at the ends is not enough
        assert float(most) <= highest(b, n, 0.0) + 1e-13 or most == 0
    assert loose > 100
    assert mutant > 100
