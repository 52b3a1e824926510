"""Extended interval evaluation of a formula over a box, with open and closed, finite and infinite ends.

Read at a point p of the box, an expression has a *cluster set*: the limits, in [-oo, oo], of its values
at points of the box that tend to p.  Where it is continuous this is its value; where it has a removable
singularity it is the limit the claim means.  The evaluation keeps one invariant: the interval of a
subexpression contains its cluster set at every point of the box, and an end is *open* only if no cluster
set reaches it.  So an infinite end is closed exactly where a pole or a limit may be met, exp(-1/x) on
[0, 1] gets the closed end 0, and 0*oo of a closed zero and a closed infinity is everything between.
A variable on [0, oo) is itself finite: its infinite end is open, and 0 times it is 0.

Ends are exact rationals where the functions allow it and else rounded outward, by balls.  ``finite``
asks in addition that no subexpression have a pole in the box, ``smooth`` also that none have a kink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import inf
from typing import Any

import sympy
from flint import arb, ctx, fmpq

from verify.provers.symbolic_intervals import End, Ended, Interval, ends_of, hull

BITS = 128
_LARGE = 1 << 14  # a ball beyond 2^±_LARGE counts as infinite or as next to zero
_LONG = 768  # a rational with more bits than this is rounded outward


class UnknownError(Exception):
    """The expression cannot be evaluated over this box (it may not be real, or the function is unknown)."""


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def _rounded(i: Interval) -> Interval:
    """With shorter ends, outward."""
    low, high = i.low, i.high
    if isinstance(low, Fraction) and max(low.numerator.bit_length(), low.denominator.bit_length()) > _LONG:
        low = _of_ball(arb(fmpq(low.numerator, low.denominator)), i.low_open).low
    if isinstance(high, Fraction) and max(high.numerator.bit_length(), high.denominator.bit_length()) > _LONG:
        high = _of_ball(arb(fmpq(high.numerator, high.denominator)), i.high_open).high
    return Interval(low, high, i.low_open, i.high_open)


def _fraction(x: arb) -> tuple[Fraction | None, int]:
    """An exact ball as a rational, and its sign; ``None`` for the rational if its exponent is extreme."""
    mantissa, exponent = (int(part) for part in x.man_exp())
    size = mantissa.bit_length() + exponent
    if mantissa and abs(size) > _LARGE:
        return None, (1 if mantissa > 0 else -1) * (1 if size > 0 else 0)
    return Fraction(mantissa) * Fraction(2) ** exponent, 0


def _of_ball(ball: arb, is_open: bool) -> Interval:
    """The interval of a ball; an extreme end becomes an open infinity or a zero (open, if it is not one)."""
    if not ball.is_finite():
        raise UnknownError("not finite")
    low, low_sign = _fraction(ball.lower())
    high, high_sign = _fraction(ball.upper())
    large = Fraction(2) ** _LARGE
    if low is None:
        low = large if low_sign > 0 else Fraction(0) if low_sign == 0 and ball > 0 else None
    if high is None:
        high = -large if high_sign < 0 else Fraction(0) if high_sign == 0 and ball < 0 else None
    tiny = 1 / large
    bottom: End = low if low is not None else (-tiny if low_sign == 0 else -inf)
    top: End = high if high is not None else (tiny if high_sign == 0 else inf)
    return Interval(
        bottom,
        top,
        is_open or bottom == -inf or (bottom == 0 and bool(ball > 0)),
        is_open or top == inf or (top == 0 and bool(ball < 0)),
    )


def ball_of(end: Fraction) -> arb:
    """The ball of a rational."""
    return arb(fmpq(end.numerator, end.denominator))


_BALLS: Mapping[str, Callable[[arb], arb]] = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "atan": lambda x: x.atan(),
    "sinh": lambda x: x.sinh(),
    "cosh": lambda x: x.cosh(),
    "tanh": lambda x: x.tanh(),
    "erf": lambda x: x.erf(),
    "gamma": lambda x: x.gamma(),
    "loggamma": lambda x: x.lgamma(),
    "expm1r": lambda x: arb(1) if x == 0 else x.expm1() / x,
    "log1pr": lambda x: arb(1) if x == 0 else x.log1p() / x,
}
# Increasing functions on all reals, with their limits at -oo and oo (rounded outward).
_INCREASING: Mapping[str, tuple[End, End]] = {
    "exp": (Fraction(0), inf),
    "atan": (Fraction(-16, 10), Fraction(16, 10)),
    "sinh": (-inf, inf),
    "tanh": (Fraction(-1), Fraction(1)),
    "erf": (Fraction(-1), Fraction(1)),
    "expm1r": (Fraction(0), inf),
}


def _value(name: str, end: Fraction, is_open: bool) -> Interval:
    return _of_ball(_BALLS[name](ball_of(end)), is_open)


def _increasing(name: str, i: Interval, at_low: End, at_high: End) -> Interval:
    """An increasing function, with its limits at the infinite ends."""
    low, low_open = at_low, i.low_open
    if isinstance(i.low, Fraction):
        low, low_open = ends_of(_value(name, i.low, i.low_open))[0]
    high, high_open = at_high, i.high_open
    if isinstance(i.high, Fraction):
        high, high_open = ends_of(_value(name, i.high, i.high_open))[1]
    return Interval(low, high, low_open, high_open)


def _logarithm(i: Interval) -> Interval:
    if i.low < 0:
        raise UnknownError("log of what may be negative")
    if i.low > 0:
        return _increasing("log", i, inf, inf)
    if i.high == 0:
        raise UnknownError("log of zero")
    high, high_open = ends_of(i)[1]
    if isinstance(high, Fraction):
        high, high_open = ends_of(_value("log", high, high_open))[1]
    return Interval(-inf, high, i.low_open, high_open)


def _wave(name: str, i: Interval) -> Interval:
    """Sine and cosine: monotone on the pieces that matter, else [-1, 1]."""
    if isinstance(i.low, Fraction) and isinstance(i.high, Fraction):
        if i.low == i.high:
            return _value(name, i.low, False)
        half, whole = Fraction(157, 100), Fraction(314, 100)  # less than pi/2 and pi
        if name == "sin" and -half <= i.low and i.high <= half:
            return _increasing(name, i, -inf, inf)
        if name == "sin" and i.low >= 0 and i.high <= whole:
            ends = [*ends_of(_value(name, i.low, i.low_open)), *ends_of(_value(name, i.high, i.high_open))]
            return hull([*ends, (Fraction(1), False)])
        if name == "cos" and -whole <= i.low and i.high <= whole:
            ends = [*ends_of(_value(name, i.low, i.low_open)), *ends_of(_value(name, i.high, i.high_open))]
            return hull([*ends, (Fraction(1), False)]) if i.low < 0 < i.high else hull(ends)
    return Interval(Fraction(-1), Fraction(1))


def _gamma(name: str, i: Interval) -> Interval:
    if isinstance(i.low, Fraction) and i.low == i.high and i.low > 0:
        return _value(name, i.low, False)
    if i.low >= 2:
        return _increasing(name, i, inf, inf)
    if i.low > 0 or (i.low == 0 and i.low_open):  # the minimum, at 1.4616..., is 0.8856...
        return Interval(Fraction(885, 1000) if name == "gamma" else Fraction(-122, 1000), inf, True, True)
    raise UnknownError("gamma of what may not be positive")


def _function(name: str, i: Interval) -> Interval:
    if name in _INCREASING:
        return _increasing(name, i, *_INCREASING[name])
    match name:
        case "log":
            return _logarithm(i)
        case "Abs":
            return i.magnitude()
        case "sin" | "cos":
            return _wave(name, i)
        case "cosh":
            return _increasing(name, i.magnitude(), inf, inf)
        case "gamma" | "loggamma":
            return _gamma(name, i)
        case "factorial":
            return _gamma("gamma", i + Interval.at(Fraction(1)))
        case "log1pr" if i.low > -1 or (i.low == -1 and i.low_open):  # decreasing, from oo to 0
            high = (inf, True) if i.low == -1 else ends_of(_value(name, Fraction(i.low), i.low_open))[1]
            low = (Fraction(0), i.high_open)
            if isinstance(i.high, Fraction):
                low = ends_of(_value(name, i.high, i.high_open))[0]  # type: ignore[assignment]
            return Interval(low[0], high[0], low[1], high[1])
    raise UnknownError(f"no interval rule for {name}")


def _natural_power(i: Interval, n: int) -> Interval:
    def raised(end: Ended) -> Ended:
        return (end[0] ** n if abs(end[0]) != inf else (inf if n % 2 == 0 or end[0] > 0 else -inf)), end[1]

    base = i.magnitude() if n % 2 == 0 else i
    (low, low_open), (high, high_open) = (raised(end) for end in ends_of(base))
    return Interval(low, high, low_open, high_open)


def _root_power(i: Interval, exponent: Fraction) -> Interval:
    """A positive, broken power of what is not negative."""
    if i.low < 0:
        raise UnknownError("a broken power of what may be negative")

    def raised(end: End, is_open: bool) -> Interval:
        if not isinstance(end, Fraction):
            return Interval(inf, inf, is_open, is_open)
        if end == 0:
            return Interval(Fraction(0), Fraction(0), is_open, is_open)
        exact = sympy.Rational(end.numerator, end.denominator) ** sympy.Rational(exponent)
        if exact.is_Rational:
            value = Fraction(int(exact.p), int(exact.q))
            return Interval(value, value, is_open, is_open)
        power = ball_of(end) ** arb(fmpq(exponent.numerator, exponent.denominator))
        return _of_ball(power, is_open)

    low, high = raised(i.low, i.low_open), raised(i.high, i.high_open)
    return Interval(low.low, high.high, low.low_open, high.high_open)


class _Evaluation:
    """One pass over an expression; subexpressions are evaluated once."""

    def __init__(self, box: Mapping[str, Interval], finite: bool, smooth: bool) -> None:
        self.box, self.finite, self.smooth = box, finite or smooth, smooth
        self.known: dict[Any, Interval] = {}

    def of(self, e: Any) -> Interval:
        if e not in self.known:
            found = _rounded(self._of(e))
            if self.finite and found.singular:
                raise UnknownError(f"{e} may be infinite")
            self.known[e] = found
        return self.known[e]

    def _of(self, e: Any) -> Interval:
        if e.is_Symbol:
            return self.box[e.name]
        if e.is_Rational:
            return Interval.at(Fraction(int(e.p), int(e.q)))
        if e is sympy.pi or e is sympy.E:
            return _of_ball(arb.pi() if e is sympy.pi else arb(1).exp(), False)
        if e.is_Add or e.is_Mul:
            return self._folded(e)
        if e.is_Pow:
            return self._power(e)
        if isinstance(e, sympy.Max | sympy.Min):
            return self._extreme(e)
        if len(e.args) == 1 and e.is_Function:
            if self.smooth and isinstance(e, sympy.Abs) and 0 in self.of(e.args[0]):
                raise UnknownError("a kink")
            return _function(e.func.__name__, self.of(e.args[0]))
        raise UnknownError(f"no interval rule for {e}")

    def _folded(self, e: Any) -> Interval:
        parts = [self.of(a) for a in e.args]
        total = parts[0]
        for part in parts[1:]:
            total = total + part if e.is_Add else total * part
        return total

    def _extreme(self, e: Any) -> Interval:
        if self.smooth:
            raise UnknownError("a kink")
        parts = [self.of(a) for a in e.args]
        pick = max if isinstance(e, sympy.Max) else min
        low, high = pick(p.low for p in parts), pick(p.high for p in parts)
        # An end of a maximum is reached if one part can reach it (the lower end: if all that tie can).
        every, some = (all, any) if pick is min else (any, all)
        return Interval(
            low,
            high,
            every(p.low_open for p in parts if p.low == low),
            some(p.high_open for p in parts if p.high == high),
        )

    def _power(self, e: Any) -> Interval:
        base, exponent = e.args
        i = self.of(base)
        if not exponent.is_Rational:
            product = self.of(exponent) * _logarithm(i)
            if self.finite and product.singular:
                raise UnknownError("a power of zero")
            return _function("exp", product)
        size = abs(Fraction(int(exponent.p), int(exponent.q)))
        if size.denominator != 1 and self.smooth and 0 in i:
            raise UnknownError("a root of zero")
        found = _natural_power(i, int(size)) if size.denominator == 1 else _root_power(i, size)
        return found.inverse() if exponent.is_negative else found


def evaluate(
    expression: Any, box: Mapping[str, Interval], *, finite: bool = False, smooth: bool = False
) -> Interval:
    """The interval of an expression over a box; raises :class:`UnknownError`."""
    with _precision(BITS):
        try:
            return _Evaluation(box, finite, smooth).of(sympy.sympify(expression))
        except (OverflowError, ZeroDivisionError, KeyError) as error:
            raise UnknownError(str(error)) from None
