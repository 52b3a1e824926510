"""Bounds on polynomials: above every value, and close to the largest where two actions nearly touch."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, inf, lcm
from random import Random
from typing import Any

import numpy as np
import pytest

from ctucbvi.numeric import polynomials, residuals
from ctucbvi.numeric.polynomials import FEW_ORDERS, bernstein, first_zero, highest
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
    """The largest value at many points, exactly: in whole numbers, over one denominator for each point."""
    exact, found = [Fraction(c) for c in d.tolist()], Fraction(0)
    common = lcm(*(c.denominator for c in exact))
    whole = [int(c * common) for c in reversed(exact)]
    inside = [-d[1] / (2 * d[2])] if d[2] and 0 < -d[1] / (2 * d[2]) < 1 else []
    for u in (*(k / 64 for k in range(65)), *inside):
        (top, bottom), value, power = float(u).as_integer_ratio(), 0, 1
        for c in whole:
            value, power = value * top + c * power, power * bottom
        found = max(found, Fraction(value * bottom, common * power))
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


# ---------------------------------------------------------------- compared by the first orders


def near(draw: Random) -> list[float]:
    """A polynomial that is about as high as its start at the other end, all along, or nowhere.

    Seven Bernstein coefficients are far below the first one, or off by a part of 1e-6 to 1e-17, above or
    below; higher orders of both signs are added, and mostly taken off the seventh again, as exactly as
    doubles go.  All of that at any scale, and now and then each order at one of its own.
    """
    n, start = draw.randint(FEW_ORDERS + 1, 24), draw.choice((0.0, 0.0, 1.0, -1.0, 1e-12, -1e-9))
    aim = [start]
    for _ in range(FEW_ORDERS):
        off = draw.choice((0.0, 1.0, -1.0, -1.0)) * 10.0 ** -draw.randint(6, 17)
        aim.append(start + (off if draw.random() < 0.5 else -draw.random()))
    d = [
        float(
            sum((-1) ** (k - j) * comb(k, j) * Fraction(aim[j]) for j in range(k + 1)) * comb(FEW_ORDERS, k)
        )
        for k in range(FEW_ORDERS + 1)
    ]
    more = [draw.uniform(-1, 1) * draw.choice((0.0, 1.0, 0.1**k, 1e-17)) for k in range(n - FEW_ORDERS)]
    if draw.random() < 0.7:
        d[FEW_ORDERS] -= draw.choice((1.0, 1.0, 1.0 - 1e-15, 1.0 - 1e-9)) * sum(max(a, 0.0) for a in more)
    scale, wild = 10.0 ** draw.choice((0, 0, draw.randint(-323, 299))), draw.random() < 0.1
    return [a * scale * (10.0 ** draw.randint(-300, 0) if wild else 1.0) for a in (*d, *more)]


def rises_above(d: list[float], level: Fraction) -> bool:
    """Whether ``Σ d_k u^k`` is above ``level`` on [0, 1]: Bernstein coefficients of halves, whole numbers."""
    n, exact = len(d) - 1, [Fraction(d[0]) - level, *map(Fraction, d[1:])]
    common, binomials = lcm(*(a.denominator for a in exact)), [comb(n, k) for k in range(n + 1)]
    b = [int(a * common) * (lcm(*binomials) // c) for a, c in zip(exact, binomials, strict=True)]
    for first in range(1, n + 1):
        for k in range(n, first - 1, -1):
            b[k] += b[k - 1]
    parts = [b]
    for _ in range(1000):
        if not parts:
            return False
        b, left, right = parts.pop(), list[int](), list[int]()
        if b[0] > 0 or b[n] > 0:
            return True
        if max(b) > 0:
            for k in range(n + 1):
                left.append(b[0] << (n - k))
                right.append(b[-1] << (n - k))
                b = [one + other for one, other in pairwise(b)]
            parts += [right[::-1], left]
    raise AssertionError(f"undecided: {d}")


def rounding(d: list[float], halves: int) -> Fraction:
    """So many halves of a unit of what is added up, and what that loses to underflow."""
    return halves * Fraction(2) ** -53 * sum(abs(Fraction(a)) for a in d) + Fraction(2) ** -1068


def look_at_short_cuts(cases: int, seed: int, bound: Callable[..., float] = excess) -> None:
    """What the first orders say is so in rational numbers, up to the rounding that their words allow for."""
    draw, said = Random(seed), [0, 0, 0, 0]
    for _ in range(cases):
        d = near(draw)
        n, a, work = len(d) - 1, np.array(d), np.empty(3 * len(d))
        if n > 2 * FEW_ORDERS:
            most = bound(a, n, 0.0, work[: n + 1])
            assert most == inf or not rises_above(d, Fraction(most))
            falls = polynomials.falls.py_func(a, n, work[: n + 1])
            assert not falls or not rises_above(d, Fraction(d[0]) + rounding(d, n + 2))
            said[bool(falls)] += 1
        d = [-c for c in d]
        d[0] += draw.choice((0.0, 1e-15, 1e-9)) * max(map(abs, d))
        stays = polynomials._stays_above.py_func(np.array(d), n, work, work[n + 1 :])
        assert not stays or not rises_above([-c for c in d], rounding(d, n + 2))
        assert not stays or d[0] <= 0.0 or first_zero(np.array(d), n, work) == 2.0
        said[2 + bool(stays)] += 1
    assert min(said) > cases // 20, said


def test_what_the_first_orders_say_is_true():
    look_at_short_cuts(1000, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 22))
def test_what_the_first_orders_say_is_true_of_many(seed):
    look_at_short_cuts(2000, seed)


def without_the_last(short_cut: Any) -> Any:
    return lambda d, n, *work: short_cut(d, FEW_ORDERS, *work)


def the_other_sign(short_cut: Any) -> Any:
    return lambda d, n, *work: short_cut(np.array([*d[: FEW_ORDERS + 1], *-d[FEW_ORDERS + 1 :]]), n, *work)


FALLS, STAYS = polynomials.falls.py_func, polynomials._stays_above.py_func
MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "higher orders are left out": (residuals, "falls", without_the_last(FALLS)),
    "those that are negative are added": (residuals, "falls", the_other_sign(FALLS)),
    "everything falls": (residuals, "falls", lambda *_: True),
    "nothing is allowed for rounding": (residuals, "ROUNDING", 0.0),
    "above without higher orders": (polynomials._stays_above, "py_func", without_the_last(STAYS)),
    "above without what is negative": (polynomials._stays_above, "py_func", the_other_sign(STAYS)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_short_cut_that_believes_too_much_is_caught(name, monkeypatch):
    look_at_short_cuts(100, 1, excess.py_func)
    monkeypatch.setattr(*MUTANTS[name])
    with pytest.raises(AssertionError, match="rises_above"):
        look_at_short_cuts(1000, 1, excess.py_func)


@pytest.mark.parametrize("place", [0, 3, 6, 9, 13])
@pytest.mark.parametrize("odd", [inf, -inf, float("nan"), 1e301, -1e301])
def test_what_is_no_number_below_the_largest_has_no_bound(place, odd):
    d = np.zeros(14)
    d[0], d[1], d[place] = 1.0, -2.0, odd
    assert excess(d, 13, 0.0, np.empty(14)) == inf


@pytest.mark.parametrize("n", [0, 1, FEW_ORDERS, 2 * FEW_ORDERS, 2 * FEW_ORDERS + 1])
def test_few_orders_have_a_bound_in_little_room(n):
    """The work is as long as the polynomial, and nothing is written behind it."""
    for start in (0.0, 1.0, -1.0):
        d, work = np.zeros(n + 1), np.full(n + 3, 7.0)
        d[0], d[n] = start, d[n] + (start if n == 0 else -1.0)
        assert start <= excess(d, n, 0.0, work[: n + 1]) <= max(start, 0.0) + 1e-11
        assert first_zero(np.array([1.0, *np.zeros(n)]), n, np.empty(3 * (n + 1))) == 2.0
        assert (work[n + 1 :] == 7.0).all()
