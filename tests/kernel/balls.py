"""Arrays of numbers with radii, and truths: what is known of a value is |value - m| <= r.

Truths are arrays of 1 (true), 0 (not decided), -1 (false).  ``within`` says what a relation is
whose two sides overlap: not decided, or true within the error if that is below ``TOLERANCE`` of
the sides (of 1/4, if they are smaller).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
TOLERANCE = 0.02
_ROUNDING = 4e-16


@dataclass(frozen=True, eq=False)
class Ball:
    """Numbers m, each known up to r."""

    m: Array
    r: Array

    @staticmethod
    def of(value: Any, radius: Any = 0.0) -> Ball:
        """A ball, of a number exactly."""
        m = np.asarray(value, dtype=float)
        return Ball(m, np.broadcast_to(np.asarray(radius, dtype=float), m.shape))

    def __add__(self, o: Ball) -> Ball:
        return rounded(self.m + o.m, self.r + o.r)

    def __neg__(self) -> Ball:
        return Ball(-self.m, self.r)

    def __sub__(self, o: Ball) -> Ball:
        return self + -o

    def __mul__(self, o: Ball) -> Ball:
        with np.errstate(invalid="ignore"):  # times a number of which nothing is known
            r = np.abs(self.m) * o.r + np.abs(o.m) * self.r + self.r * o.r
        zero = ((self.m == 0) & (self.r == 0)) | ((o.m == 0) & (o.r == 0))
        return rounded(self.m * o.m, np.where(zero, 0.0, np.where(np.isnan(r), np.inf, r)))

    @property
    def low(self) -> Array:
        """The least that it can be."""
        return self.m - self.r

    @property
    def high(self) -> Array:
        """The most that it can be."""
        return self.m + self.r

    def deeper(self) -> Ball:
        """With one more axis, the last."""
        return Ball(self.m[..., None], self.r[..., None])


def between(low: Array, high: Array) -> Ball:
    """All that is known is that it lies there."""
    return Ball((low + high) / 2, (high - low) / 2)


def rounded(m: Array, r: Array) -> Ball:
    """With what rounding adds; whole numbers that are exact stay so."""
    whole = (r == 0) & (m == np.rint(m)) & (np.abs(m) < 2**40)
    return Ball(m, np.where(whole, 0.0, r + _ROUNDING * np.abs(m)))


def monotone(f: Callable[[Array], Array], x: Ball, low: float = -np.inf) -> Ball:
    """A rising function, where what is below ``low`` counts as ``low``."""
    if not np.any(x.r):
        return rounded(f(np.maximum(x.m, low)), np.zeros(x.m.shape))
    a, b = f(np.maximum(x.low, low)), f(np.maximum(x.high, low))
    return rounded((a + b) / 2, np.abs(b - a) / 2)


def exponential(x: Ball) -> Ball:
    return monotone(np.exp, x)


def root(x: Ball) -> Ball:
    return monotone(np.sqrt, x, 0.0)


def logarithm(x: Ball) -> Ball:
    """0 for x <= 0; near 0 nothing is known."""
    near = (x.low <= 0) & (x.high > 0) & (x.r > 0)
    got = monotone(np.log, Ball(np.where(x.low > 0, x.m, 1.0), np.where(x.low > 0, x.r, 0.0)))
    return Ball(got.m, np.where(near, np.inf, got.r))


def inverse(x: Ball) -> Ball:
    """1/x, 0 at 0."""
    zero, near = (x.m == 0) & (x.r == 0), (np.abs(x.m) <= x.r) & (x.r > 0)
    safe = ~(zero | near)
    m = np.where(safe, 1 / np.where(safe, x.m, 1.0), 0.0)
    r = np.where(safe, x.r / np.where(safe, np.abs(x.m) * (np.abs(x.m) - x.r), 1.0), 0.0)
    return Ball(m, np.where(near, np.inf, r + _ROUNDING * np.abs(m)))


def absolute(x: Ball) -> Ball:
    return Ball(np.abs(x.m), x.r)


def larger(a: Ball, b: Ball) -> Ball:
    high, low = np.maximum(a.high, b.high), np.maximum(a.low, b.low)
    exact, hull = (a.r == 0) & (b.r == 0), between(low, high)
    return Ball(np.where(exact, np.maximum(a.m, b.m), hull.m), np.where(exact, 0, hull.r))


def smaller(a: Ball, b: Ball) -> Ball:
    return -larger(-a, -b)


def power(x: Ball, k: int) -> Ball:
    got = Ball.of(np.ones(x.m.shape))
    for _ in range(abs(k)):
        got = got * x
    return inverse(got) if k < 0 else got


def compared(op: str, a: Ball, b: Ball, within: bool) -> Array:
    """Whether a op b, for <=, < and ==; ``within``: an overlap below the tolerance is true."""
    with np.errstate(invalid="ignore"):
        gap, r = b.m - a.m, a.r + b.r
        r = np.where(r > 0, r + 1e-14, 0.0)
        bad = ~np.isfinite(gap) | ~np.isfinite(r)
        small = r <= TOLERANCE * np.maximum(0.25, np.maximum(np.abs(a.m), np.abs(b.m)))
        near = np.where(within & small, 1, 0)
        match op:
            case "==":
                got = np.where(np.abs(gap) > r, -1, np.where(r == 0, 1, near))
            case "<=":
                got = np.where(gap >= r, 1, np.where(gap < -r, -1, near))
            case _:
                got = np.where(gap > r, 1, np.where((gap < -r) | ((gap <= 0) & (r == 0)), -1, near))
    return np.where(bad, 0, got)
