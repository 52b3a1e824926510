"""The sign of a formula at a point, where its value is too large or too small to be written out.

A real number other than 0 is its sign and the logarithm of its size, an interval.  Products add logarithms,
powers multiply them, and for L = log a, M = log b with M < L

    log(a + b) = L + log(1 + e^(M - L)),    log(a - b) = L + log(1 - e^(M - L)),

so that e^(10^5), or 10^(-10^6) beside it, are numbers of moderate size.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.recheck.functions import CURVES
from verify.recheck.intervals import Interval, UnknownError, point
from verify.recheck.series import Box, range_of
from verify.recheck.terms import Term


@dataclass(frozen=True)
class Magnitude:
    """The sign, and the logarithm of the size (of anything, if the sign is 0)."""

    sign: int
    log: Interval = point(0)  # noqa: RUF009 -- an interval is frozen

    def __neg__(self) -> Magnitude:
        return Magnitude(-self.sign, self.log)

    def __mul__(self, other: Magnitude) -> Magnitude:
        return Magnitude(self.sign * other.sign, self.log + other.log)

    def __add__(self, other: Magnitude) -> Magnitude:
        if self.sign == 0 or other.sign == 0:
            return self if other.sign == 0 else other
        step = other.log + -self.log
        if step.low > 0 or (self.sign == other.sign and step.high > 0 and step.low + step.high > 0):
            return other + self
        if self.sign != other.sign and not step.high < 0:
            raise UnknownError("which of two numbers is larger is not seen")
        share = CURVES["exp"].of(step)
        rest = point(1) + (share if self.sign == other.sign else -share)
        return Magnitude(self.sign, self.log + CURVES["log"].of(rest))


def _of_interval(x: Interval) -> Magnitude:
    if x.single and x.low == 0:
        return Magnitude(0)
    if x.positive(True):
        return Magnitude(1, CURVES["log"].of(x))
    if (-x).positive(True):
        return Magnitude(-1, CURVES["log"].of(-x))
    raise UnknownError("the sign of a number is not seen")


def magnitude(t: Term, at: Box) -> Magnitude:
    """Of a formula at a point; raises where it is not defined or not seen."""
    if t.is_sum or t.is_product:
        parts = [magnitude(a, at) for a in t.args]
        found = parts[0]
        for part in parts[1:]:
            found = found + part if t.is_sum else found * part
        return found
    if t.is_power:
        base, e = magnitude(t.args[0], at), range_of(t.args[1], at)
        n = t.args[1].whole
        if base.sign == 0 and e.positive(True):
            return base
        if base.sign == 0 or (base.sign < 0 and n is None) or not e.bounded:
            raise UnknownError("a power is not defined")
        return Magnitude(base.sign if n is not None and n % 2 else 1, base.log * e)
    if t.op == "exp":
        u = range_of(t.args[0], at)
        if not u.bounded:
            raise UnknownError("an exponent is too large")
        return Magnitude(1, u)
    if t.op == "log":
        inside = magnitude(t.args[0], at)
        if inside.sign <= 0:
            raise UnknownError("a logarithm is not defined")
        return _of_interval(inside.log)
    if t.op in ("Max", "Min", "Abs"):
        return _kink(t, at)
    return _of_interval(range_of(t, at))


def _kink(t: Term, at: Box) -> Magnitude:
    parts = [magnitude(a, at) for a in t.args]
    if t.op == "Abs":
        return Magnitude(abs(parts[0].sign), parts[0].log)
    best = parts[0]
    for part in parts[1:]:
        gap = part + -best
        best = part if gap.sign == (1 if t.op == "Max" else -1) else best
    return best
