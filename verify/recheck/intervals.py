"""Intervals with rational ends, open or closed, possibly infinite.

An interval stands for a set of real numbers; an *open* end is not in it, an infinite end is always open.
Ends are exact while the operations are rational and the numbers short; a long end is rounded outward to
:func:`bits` significant bits, which opens it.  0 times a real number is 0, however large that may be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

_BITS = [256]  # significant bits of an end that is not exact; the last one counts
_WRITTEN = 1 << 17  # bits of a power that is computed exactly before it is rounded
HUGE = 1 << 13  # beyond 2^±HUGE an end becomes infinite, or zero

End = Any  # a Fraction, or ±math.inf
INF = math.inf
ZERO, ONE = Fraction(0), Fraction(1)


class UnknownError(Exception):
    """Cannot be decided or is wrong: a reason to complain, never to accept."""


def bits() -> int:
    """The precision in force."""
    return _BITS[-1]


@contextmanager
def precision(number: int) -> Iterator[None]:
    """Another precision for a while."""
    _BITS.append(number)
    try:
        yield
    finally:
        _BITS.pop()


def dyadic(x: Fraction, length: int, up: bool) -> Fraction:
    """The nearest number below (above) with this many significant bits."""
    n, d = x.numerator, x.denominator
    if d & (d - 1) == 0 and n.bit_length() <= length:
        return x
    scale = Fraction(2) ** (n.bit_length() - d.bit_length() - length)
    return (math.ceil(x / scale) if up else math.floor(x / scale)) * scale


def short(x: End, up: bool) -> End:
    """A long end rounded outward; an extreme one becomes infinite or zero."""
    if isinstance(x, float) or max(x.numerator.bit_length(), x.denominator.bit_length()) <= 2 * bits():
        return x
    size = x.numerator.bit_length() - x.denominator.bit_length()
    if abs(size) <= HUGE:
        return dyadic(x, bits(), up)
    limit, outward = Fraction(2) ** (HUGE if size > 0 else -HUGE), up == (x > 0)
    bound = (INF if size > 0 else limit) if outward else (limit if size > 0 else ZERO)
    return bound if x > 0 else -bound


@dataclass(frozen=True)
class Interval:
    """The real numbers between two ends; an infinite end is open."""

    low: End
    high: End
    low_open: bool = False
    high_open: bool = False

    @staticmethod
    def of(low: tuple[End, bool], high: tuple[End, bool]) -> Interval:
        """From ends and whether they are open; rounding outward opens an end."""
        a, b = short(low[0], False), short(high[0], True)
        return Interval(a, b, low[1] or a != low[0] or a == -INF, high[1] or b != high[0] or b == INF)

    @property
    def single(self) -> bool:
        """Whether it is one point."""
        return bool(self.low == self.high)

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return bool(self.low > -INF and self.high < INF)

    def positive(self, strict: bool) -> bool:
        """Whether everything in it is >= 0 (> 0)."""
        return bool(self.low > 0 or (self.low == 0 and (self.low_open or not strict)))

    def __contains__(self, x: End) -> bool:
        above = self.low < x or (self.low == x and not self.low_open)
        return bool(above and (x < self.high or (self.high == x and not self.high_open)))

    def within(self, other: Interval) -> bool:
        """Whether every point of it is in the other."""
        low = self.low > other.low or (self.low == other.low and self.low_open >= other.low_open)
        high = self.high < other.high or (self.high == other.high and self.high_open >= other.high_open)
        return bool(low and high)

    def inner(self) -> Interval:
        """Without its ends (a single point stays)."""
        return self if self.single else Interval(self.low, self.high, True, True)

    def hull(self, *others: Interval) -> Interval:
        """The smallest interval that contains all of them."""
        every = (self, *others)
        low = min(x.low for x in every)
        high = max(x.high for x in every)
        return Interval(
            low,
            high,
            all(x.low_open for x in every if x.low == low),
            all(x.high_open for x in every if x.high == high),
        )

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low, self.high_open, self.low_open)

    def __add__(self, other: Interval) -> Interval:
        low = -INF if -INF in (self.low, other.low) else self.low + other.low
        high = INF if INF in (self.high, other.high) else self.high + other.high
        return Interval.of((low, self.low_open or other.low_open), (high, self.high_open or other.high_open))

    def __mul__(self, other: Interval) -> Interval:
        ends = [_times(x, y) for x in self._ends() for y in other._ends()]
        low, high = min(e for e, _ in ends), max(e for e, _ in ends)
        return Interval.of(
            (low, all(o for e, o in ends if e == low)), (high, all(o for e, o in ends if e == high))
        )

    def _ends(self) -> list[tuple[End, bool]]:
        return [(self.low, self.low_open), (self.high, self.high_open)]

    def inverse(self) -> Interval:
        """1/x; zero may be an open end, nothing else."""
        if self.positive(True):
            low = ZERO if self.high == INF else 1 / self.high
            return Interval.of((low, self.high_open), (1 / self.low if self.low else INF, self.low_open))
        if (-self).positive(True):
            return -(-self).inverse()
        raise UnknownError("a divisor may be 0")

    def size(self) -> Interval:
        """The absolute value."""
        if self.positive(False):
            return self
        if (-self).positive(False):
            return -self
        return Interval(ZERO, ZERO).hull(
            Interval(ZERO, self.high, False, self.high_open), Interval(ZERO, -self.low, False, self.low_open)
        )

    def power(self, n: int) -> Interval:
        """x**n."""
        if abs(n) > 10000:
            raise UnknownError(f"the power {n} is too large")
        if n < 0:
            return self.inverse().power(-n)
        base = self.size() if n % 2 == 0 else self
        low, high = _power(base.low, n, False), _power(base.high, n, True)
        return Interval.of((low, base.low_open), (high, base.high_open)) if n else point(ONE)


def _times(x: tuple[End, bool], y: tuple[End, bool]) -> tuple[End, bool]:
    """A corner of a product; 0 times a real number is 0, and is reached where the zero is."""
    if x[0] == 0 or y[0] == 0:
        return ZERO, not any(e == 0 and not is_open for e, is_open in (x, y))
    if isinstance(x[0], float) or isinstance(y[0], float):
        return (INF if (x[0] > 0) == (y[0] > 0) else -INF), True
    return x[0] * y[0], x[1] or y[1]


def _power(x: End, n: int, up: bool) -> End:
    """x**n for n >= 0; rounded outward on the way where it would be long."""
    if isinstance(x, float):
        return x if x > 0 or n % 2 else -x
    if n * max(x.numerator.bit_length(), x.denominator.bit_length()) <= _WRITTEN:
        return x**n
    sign, larger = (-1, not up) if x < 0 and n % 2 else (1, up)
    result, square = ONE, short(abs(x), larger)
    while n:
        if n % 2:
            result = _product(result, square, larger)
        square, n = _product(square, square, larger), n // 2
    return sign * result


def _product(x: End, y: End, up: bool) -> End:
    """Of ends >= 0, rounded."""
    return INF if isinstance(x, float) or isinstance(y, float) else short(x * y, up)


def point(x: Any) -> Interval:
    """One number."""
    return Interval(Fraction(x), Fraction(x))
