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

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import sympy
from flint import arb

from verify.claims import Range
from verify.provers.balls import (
    FUNCTIONS,
    UnknownFunctionError,
    ball,
    expm1r,
    integer_power,
    log1pr,
    precision,
    program,
)
from verify.provers.intervals import End, Ended, Span, ends_of, hull
from verify.provers.meter import spend

BITS = 128
_NODE = 30  # what the interval of one operation costs
_LARGE = 1 << 14  # a ball beyond 2^±_LARGE counts as infinite or as next to zero
_LONG = 768  # a rational with more bits than this is rounded outward


class NoRangeError(Exception):
    """The expression cannot be evaluated over this box (it may not be real, or the function is unknown)."""


def _bits(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _rounded(i: Span) -> Span:
    """With shorter ends, outward."""
    low, high = i.low, i.high
    if isinstance(low, Fraction) and _bits(low) > _LONG:
        low = _of_ball(ball(low), i.low_open).low
    if isinstance(high, Fraction) and _bits(high) > _LONG:
        high = _of_ball(ball(high), i.high_open).high
    return Span(low, high, i.low_open, i.high_open)


def _fraction(x: arb) -> tuple[Fraction | None, int]:
    """An exact ball as a rational, and its sign; ``None`` for the rational if its exponent is extreme."""
    mantissa, exponent = (int(part) for part in x.man_exp())
    size = mantissa.bit_length() + exponent
    if mantissa and abs(size) > _LARGE:
        return None, (1 if mantissa > 0 else -1) * (1 if size > 0 else 0)
    return Fraction(mantissa) * Fraction(2) ** exponent, 0


def _of_ball(value: arb, is_open: bool = False) -> Span:
    """The interval of a ball; an extreme end becomes an open infinity or a zero (open, if it is not one)."""
    if not value.is_finite():
        raise NoRangeError("not finite")
    low, low_sign = _fraction(value.lower())
    high, high_sign = _fraction(value.upper())
    large = Fraction(2) ** _LARGE
    if low is None:
        low = large if low_sign > 0 else Fraction(0) if low_sign == 0 and value > 0 else None
    if high is None:
        high = -large if high_sign < 0 else Fraction(0) if high_sign == 0 and value < 0 else None
    tiny = 1 / large
    bottom: End = low if low is not None else (-tiny if low_sign == 0 else -inf)
    top: End = high if high is not None else (tiny if high_sign == 0 else inf)
    return Span(
        bottom,
        top,
        is_open or bottom == -inf or (bottom == 0 and bool(value > 0)),
        is_open or top == inf or (top == 0 and bool(value < 0)),
    )


# Increasing functions on all reals, with their limits at -oo and oo (rounded outward).
_INCREASING: Mapping[Any, tuple[End, End]] = {
    sympy.exp: (Fraction(0), inf),
    sympy.atan: (Fraction(-16, 10), Fraction(16, 10)),
    sympy.sinh: (-inf, inf),
    sympy.tanh: (Fraction(-1), Fraction(1)),
    sympy.erf: (Fraction(-1), Fraction(1)),
    expm1r: (Fraction(0), inf),
}


def _end(function: Any, end: Ended, limit: End, side: int) -> Ended:
    """A function at an end of its argument, as the lower (0) or upper (1) end of its values."""
    at, is_open = end
    if not isinstance(at, Fraction):
        return limit, is_open
    return ends_of(_of_ball(FUNCTIONS[function](ball(at)), is_open))[side]


def _increasing(function: Any, i: Span, at_low: End, at_high: End) -> Span:
    """An increasing function, with its limits at the infinite ends."""
    low, high = ends_of(i)
    return _between(_end(function, low, at_low, 0), _end(function, high, at_high, 1))


def _between(low: Ended, high: Ended) -> Span:
    return Span(low[0], high[0], low[1], high[1])


def _logarithm(i: Span) -> Span:
    if i.low < 0:
        raise NoRangeError("log of what may be negative")
    if i.high == 0:
        raise NoRangeError("log of zero")
    if i.low > 0:
        return _increasing(sympy.log, i, inf, inf)
    return _between((-inf, i.low_open), _end(sympy.log, ends_of(i)[1], inf, 1))


def _wave(function: Any, i: Span) -> Span:
    """Sine and cosine: monotone on the pieces that matter, else by balls, between -1 and 1."""
    everything = Span(Fraction(-1), Fraction(1))
    if not (isinstance(i.low, Fraction) and isinstance(i.high, Fraction)):
        return everything
    half, whole = Fraction(157, 100), Fraction(314, 100)  # less than pi/2 and pi
    if function is sympy.sin and -half <= i.low and i.high <= half:
        return _increasing(function, i, -inf, inf)
    low, high = (_of_ball(FUNCTIONS[function](ball(Fraction(e))), o) for e, o in ends_of(i))
    ends, top = [*ends_of(low), *ends_of(high)], (Fraction(1), False)
    if function is sympy.sin and i.low >= 0 and i.high <= whole:
        return hull([*ends, top])
    if function is sympy.cos and -whole <= i.low and i.high <= whole:
        return hull([*ends, top] if i.low < 0 < i.high else ends)
    return _of_ball(FUNCTIONS[function](ball(i.low, i.high))).within(everything)


def _gamma(function: Any, i: Span) -> Span:
    if i.low >= 2:
        return _increasing(function, i, inf, inf)
    if not (i.low > 0 or (i.low == 0 and i.low_open)):
        raise NoRangeError("gamma of what may not be positive")
    # The minimum, at 1.4616..., is 0.8856...
    valley = Span(Fraction(885, 1000) if function is sympy.gamma else Fraction(-122, 1000), inf, True, True)
    if i.low > 0 and isinstance(i.high, Fraction):
        value = FUNCTIONS[function](ball(Fraction(i.low), i.high))
        return _of_ball(value).within(valley) if value.is_finite() else valley
    return valley


def _log1pr(i: Span) -> Span:
    """Decreasing, from oo at -1 to 0."""
    if i.low < -1:
        raise NoRangeError("log of what may be negative")
    low, high = ends_of(i)
    top = (inf, i.low_open) if i.low == -1 else _end(log1pr, low, inf, 1)
    return _between(_end(log1pr, high, Fraction(0), 0), top)


def _function(function: Any, i: Span) -> Span:
    """A function of one argument."""
    if function in _INCREASING:
        return _increasing(function, i, *_INCREASING[function])
    if function is sympy.log:
        return _logarithm(i)
    if function is sympy.Abs:
        return i.magnitude()
    if function in (sympy.sin, sympy.cos):
        return _wave(function, i)
    if function is sympy.cosh:
        return _increasing(function, i.magnitude(), inf, inf)
    if function in (sympy.gamma, sympy.loggamma):
        return _gamma(function, i)
    if function is sympy.factorial:
        return _gamma(sympy.gamma, i + Span.at(Fraction(1)))
    if function is log1pr:
        return _log1pr(i)
    raise NoRangeError(f"no interval rule for {function}")


def _in_balls(e: Any, parts: list[Span]) -> Span:
    """A function of several bounded arguments."""
    dummies = [sympy.Dummy(f"d{k}") for k in range(len(parts))]
    point = {}
    for dummy, i in zip(dummies, parts, strict=True):
        if not (isinstance(i.low, Fraction) and isinstance(i.high, Fraction)):
            raise NoRangeError(f"no interval rule for {e}")
        point[dummy.name] = ball(i.low, i.high)
    return _of_ball(program(e.func(*dummies)).run(point))


def _natural_power(i: Span, n: int) -> Span:
    """Powers are monotone where they are taken, so the ends go to the ends."""

    def raised(end: Ended, side: int) -> Ended:
        at, is_open = end
        if not isinstance(at, Fraction):
            return (inf if n % 2 == 0 or at > 0 else -inf), is_open
        if n * _bits(at) <= 4 * _LONG:
            return at**n, is_open
        return ends_of(_of_ball(integer_power(ball(at), n), is_open))[side]

    low, high = ends_of(i.magnitude() if n % 2 == 0 else i)
    return _between(raised(low, 0), raised(high, 1))


def _root_power(i: Span, exponent: Fraction) -> Span:
    """A positive, broken power of what is not negative."""
    if i.low < 0:
        raise NoRangeError("a broken power of what may be negative")

    def raised(end: Ended, side: int) -> Ended:
        at, is_open = end
        if not isinstance(at, Fraction) or at == 0:
            return at, is_open
        n = exponent.denominator
        (p, p_exact), (q, q_exact) = (sympy.integer_nthroot(k, n) for k in (at.numerator, at.denominator))
        if p_exact and q_exact and exponent.numerator * _bits(Fraction(int(p), int(q))) <= 4 * _LONG:
            return Fraction(int(p), int(q)) ** exponent.numerator, is_open
        return ends_of(_of_ball(ball(at) ** ball(exponent), is_open))[side]

    low, high = ends_of(i)
    return _between(raised(low, 0), raised(high, 1))


class _Evaluation:
    """One pass over an expression; subexpressions are evaluated once."""

    def __init__(self, box: Mapping[str, Span], finite: bool, smooth: bool) -> None:
        self.box, self.finite, self.smooth = box, finite or smooth, smooth
        self.known: dict[Any, Span] = {}

    def of(self, e: Any) -> Span:
        if e not in self.known:
            spend(_NODE)
            found = _rounded(self._of(e))
            if self.finite and found.singular:
                raise NoRangeError(f"{e} may be infinite")
            self.known[e] = found
        return self.known[e]

    def _of(self, e: Any) -> Span:
        if e.is_Symbol:
            return self.box[e.name]
        if e.is_Rational:
            return Span.at(Fraction(int(e.p), int(e.q)))
        if e is sympy.pi or e is sympy.E:
            return _of_ball(arb.pi() if e is sympy.pi else arb.const_e())
        if e.is_Add or e.is_Mul:
            return self._folded(e)
        if e.is_Pow:
            return self._power(e)
        if isinstance(e, sympy.Max | sympy.Min):
            return self._extreme(e)
        if self.smooth and isinstance(e, sympy.Abs) and 0 in self.of(e.args[0]):
            raise NoRangeError("a kink")
        parts = [self.of(a) for a in e.args]
        if not parts or isinstance(e, sympy.AccumBounds):
            raise NoRangeError(f"no interval rule for {e}")
        return _function(e.func, parts[0]) if len(parts) == 1 else _in_balls(e, parts)

    def _folded(self, e: Any) -> Span:
        parts = [self.of(a) for a in e.args]
        total = parts[0]
        for part in parts[1:]:
            total = total + part if e.is_Add else total * part
        return total

    def _extreme(self, e: Any) -> Span:
        if self.smooth:
            raise NoRangeError("a kink")
        parts = [self.of(a) for a in e.args]
        pick = max if isinstance(e, sympy.Max) else min
        low, high = pick(p.low for p in parts), pick(p.high for p in parts)
        # An end of a maximum is reached if one part can reach it (the lower end: if all that tie can).
        every, some = (all, any) if pick is min else (any, all)
        return Span(
            low,
            high,
            every(p.low_open for p in parts if p.low == low),
            some(p.high_open for p in parts if p.high == high),
        )

    def _power(self, e: Any) -> Span:
        base, exponent = e.args
        i = self.of(base)
        if not exponent.is_Rational:
            product = self.of(exponent) * _logarithm(i)
            if self.finite and product.singular:
                raise NoRangeError("a power of zero")
            return _function(sympy.exp, product)
        size = abs(Fraction(int(exponent.p), int(exponent.q)))
        if size.denominator != 1 and self.smooth and 0 in i:
            raise NoRangeError("a root of zero")
        found = _natural_power(i, int(size)) if size.denominator == 1 else _root_power(i, size)
        return found.inverse() if exponent.is_negative else found


def evaluate(expression: Any, box: Mapping[str, Span], *, finite: bool = False, smooth: bool = False) -> Span:
    """The interval of an expression over a box; raises :class:`NoRangeError`."""
    with precision(BITS):
        try:
            return _Evaluation(box, finite, smooth).of(sympy.sympify(expression))
        except (OverflowError, ZeroDivisionError, KeyError, UnknownFunctionError) as error:
            raise NoRangeError(str(error)) from None


def range_of(
    expression: Any, box: Mapping[str, Range | Span], *, finite: bool = False, smooth: bool = False
) -> Span | None:
    """The same, or ``None`` where there is none."""
    spans = {name: r if isinstance(r, Span) else Span.of(r) for name, r in box.items()}
    try:
        return evaluate(expression, spans, finite=finite, smooth=smooth)
    except NoRangeError:
        return None


def opened(r: Range) -> Range:
    """The inner points of a range."""
    return replace(r, lower_open=True, upper_open=True)
