"""Numbers and truths of the worlds: rationals, balls where these are not exact, three truth values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

Value = Any  # fmpq, arb, an element of a finite sort (int), or a truth (True, False, None)


class Undecided(Exception):  # noqa: N818 - an answer, not a mistake
    """The value, or whether it holds, is not known."""


def rational(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def exact(x: Value) -> bool:
    """Whether it is a rational number."""
    return isinstance(x, fmpq)


def ball(x: Value) -> arb:
    return arb(x) if isinstance(x, fmpq) else x


def less(a: Value, b: Value) -> bool | None:
    """Whether a < b."""
    if exact(a) and exact(b):
        return bool(a < b)
    a, b = ball(a), ball(b)
    return True if a < b else False if a >= b else None


def equal(a: Value, b: Value) -> bool | None:
    """Whether a == b."""
    if isinstance(a, arb) or isinstance(b, arb):
        return None if ball(a).overlaps(ball(b)) else False
    return bool(a == b)


def negate(a: bool | None) -> bool | None:
    """Not."""
    return None if a is None else not a


def conjunction(parts: list[bool | None]) -> bool | None:
    """And."""
    return False if False in parts else None if None in parts else True


def sure(a: bool | None) -> bool:
    """A truth that is needed."""
    if a is None:
        raise Undecided
    return a


def inverse(x: Value) -> Value:
    """1/x, 0 at 0."""
    if exact(x):
        return fmpq(0) if x == 0 else 1 / x
    if x.contains(0):
        raise Undecided
    return 1 / x


def exponential(x: Value) -> Value:
    return fmpq(1) if exact(x) and x == 0 else ball(x).exp()


def logarithm(x: Value) -> Value:
    if exact(x) and (x <= 0 or x == 1):
        return fmpq(0)
    if not ball(x) > 0:
        if ball(x) <= 0:
            return fmpq(0)
        raise Undecided
    return ball(x).log()


def root(x: Value) -> Value:
    if exact(x):
        if x <= 0:
            return fmpq(0)
        root = Fraction(int(int(x.p) ** 0.5 + 0.5), int(int(x.q) ** 0.5 + 0.5))
        if root * root == Fraction(int(x.p), int(x.q)):
            return rational(root)
    if not ball(x) > 0:
        raise Undecided
    return ball(x).sqrt()


def larger(a: Value, b: Value) -> Value:
    if exact(a) and exact(b):
        return max(a, b)
    return ball(a).max(ball(b))


def smaller(a: Value, b: Value) -> Value:
    return -larger(-a, -b)


def absolute(a: Value) -> Value:
    return abs(a)
