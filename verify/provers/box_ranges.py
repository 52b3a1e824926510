"""Extended interval arithmetic: ends open or closed, exact or rounded outward, possibly infinite.

An interval stands for a set of values that an expression takes on a box.  An end that is *open* is not
taken; a *closed* infinite end stands for a value that is infinite as a limit (1/x at 0 when 0 belongs to the
range).  Ends are rationals while the operations are, so ``x - 1/3`` on x >= 1/3 is exactly >= 0, and
otherwise numbers rounded outward.  This settles what balls cannot: a strict sign at an open end, an
unbounded range, a box that ends at a singularity.  ``None`` means: not defined everywhere, or not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from verify.claims import Range
from verify.provers.balls import BITS, UnknownFunctionError, expm1r, log1pr, precision, program, rational

End = Any  # Fraction, or an exact arb (an infinite one included)

_LARGEST = 400  # bits of a rational end that is kept exact


@dataclass(frozen=True)
class Interval:
    """All numbers between the ends."""

    low: End
    high: End
    low_open: bool = False
    high_open: bool = False

    @staticmethod
    def of(r: Range) -> Interval:
        """The range of a variable."""
        low = -arb.pos_inf() if r.lower is None else r.lower
        high = arb.pos_inf() if r.upper is None else r.upper
        return Interval(low, high, r.lower is None or r.lower_open, r.upper is None or r.upper_open)

    def shows(self, *, strict: bool) -> bool:
        """Whether every number in it is >= 0 (> 0)."""
        return _sign(self.low) > 0 or (_sign(self.low) == 0 and (self.low_open or not strict))

    @property
    def finite(self) -> bool:
        """Whether no infinite value is taken."""
        return (self.low_open or _finite(self.low)) and (self.high_open or _finite(self.high))


def _finite(end: End) -> bool:
    return isinstance(end, Fraction) or bool(end.is_finite())


def _sign(end: End) -> int:
    return int(end > 0) - int(end < 0)


def _ball(end: End) -> arb:
    return arb(rational(end)) if isinstance(end, Fraction) else end


def _down(end: End) -> End:
    return _rounded(end, arb.lower)


def _up(end: End) -> End:
    return _rounded(end, arb.upper)


def _rounded(end: End, way: Callable[[arb], arb]) -> End:
    if isinstance(end, Fraction):
        if max(end.numerator.bit_length(), end.denominator.bit_length()) <= _LARGEST:
            return end
        end = _ball(end)
    if end.is_nan():
        return way(arb(0, arb.pos_inf()))
    return end if not end.is_finite() and end.is_exact() else _dyadic(way(end))


def _dyadic(end: arb) -> End:
    """Small integers are kept as rationals, so that exact zeros and ones stay exact in what follows."""
    whole = end.unique_fmpz() if abs(end) < 1000 and end.is_integer() else None
    return end if whole is None else Fraction(int(whole))


def _extreme(ends: Iterable[tuple[End, bool]], sign: int) -> tuple[End, bool]:
    """The smallest (sign 1) or largest (-1) of some ends already rounded outward; closed wins a tie."""
    best: tuple[End, bool] | None = None
    for end, is_open in ends:
        if best is None or _order(end, best[0]) * sign < 0:
            best = end, is_open
        elif _order(end, best[0]) == 0:
            best = (best[0], best[1] and is_open)
    assert best is not None
    return best


def _order(a: End, b: End) -> int:
    """The sign of a - b; ends are exact numbers, so it is always known."""
    if isinstance(a, Fraction) == isinstance(b, Fraction):
        return int(a > b) - int(a < b)
    low, high = _ball(a), _ball(b)
    if low > high or low < high:
        return int(low > high) - int(low < high)
    return _sign(_exact(a) - _exact(b))


def _exact(end: End) -> Fraction:
    if isinstance(end, Fraction):
        return end
    mantissa, exponent = end.man_exp()
    m, e = int(mantissa), int(exponent)
    if abs(e) > 10**4:  # astronomically large or small: too long as a rational
        raise OverflowError
    return Fraction(m * 2**e) if e >= 0 else Fraction(m, 2**-e)


def _plus(a: End, b: End) -> End:
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else _ball(a) + _ball(b)


def add(x: Interval, y: Interval) -> Interval:
    """Sums."""
    return Interval(
        _down(_plus(x.low, y.low)),
        _up(_plus(x.high, y.high)),
        (x.low_open or y.low_open) and not _taken_infinite(x.low, x.low_open, y.low, y.low_open),
        (x.high_open or y.high_open) and not _taken_infinite(x.high, x.high_open, y.high, y.high_open),
    )


def _taken_infinite(a: End, a_open: bool, b: End, b_open: bool) -> bool:
    """Infinity plus anything is infinity, so one closed infinite end is enough."""
    return (not a_open and not _finite(a)) or (not b_open and not _finite(b))


def multiply(x: Interval, y: Interval) -> Interval:
    """Products."""
    pairs = [
        _times(a, a_open, b, b_open)
        for a, a_open in ((x.low, x.low_open), (x.high, x.high_open))
        for b, b_open in ((y.low, y.low_open), (y.high, y.high_open))
    ]
    low, low_open = _extreme([(_down(p), o) for p, o in pairs], 1)
    high, high_open = _extreme([(_up(p), o) for p, o in pairs], -1)
    return Interval(low, high, low_open, high_open)


def _times(a: End, a_open: bool, b: End, b_open: bool) -> tuple[End, bool]:
    if _sign(a) == 0 or _sign(b) == 0:  # 0 times anything is 0, and is taken as soon as the 0 is
        taken = (_sign(a) == 0 and not a_open) or (_sign(b) == 0 and not b_open)
        return Fraction(0), not taken
    if not _finite(a) or not _finite(b):
        infinite = arb.pos_inf() if _sign(a) * _sign(b) > 0 else -arb.pos_inf()
        return infinite, not _taken_infinite(a, a_open, b, b_open)
    product = a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else _ball(a) * _ball(b)
    return product, a_open or b_open


def negate(x: Interval) -> Interval:
    """The mirror image."""
    return Interval(-x.high, -x.low, x.high_open, x.low_open)


def inverse(x: Interval) -> Interval | None:
    """Reciprocals; 0 may be an end, never inside."""
    if _sign(x.high) <= 0 and _sign(x.low) < 0:
        mirrored = inverse(negate(x))
        return None if mirrored is None else negate(mirrored)
    if _sign(x.low) < 0 or _sign(x.high) <= 0:
        return None
    high = arb.pos_inf() if _sign(x.low) == 0 else _up(_reciprocal(x.low))
    return Interval(_down(_reciprocal(x.high)), high, x.high_open, x.low_open)


def _reciprocal(end: End) -> End:
    if not _finite(end):
        return Fraction(0)
    return 1 / end


def whole_power(x: Interval, n: int) -> Interval | None:
    """Integer powers."""
    if n < 0:
        positive = whole_power(x, -n)
        return None if positive is None else inverse(positive)
    if n == 0:
        return Interval(Fraction(1), Fraction(1))
    if n % 2 == 0:
        x = absolute(x)
    return Interval(_down(_end_power(x.low, n)), _up(_end_power(x.high, n)), x.low_open, x.high_open)


def _end_power(end: End, n: int) -> End:
    """The power of one end: powers are monotone here, so the ends are those of the result."""
    if isinstance(end, Fraction):
        small = n * max(end.numerator.bit_length(), end.denominator.bit_length()) <= 4 * _LARGEST
        return end**n if small else _ball_power(_ball(end), n)
    if not end.is_finite():
        return end if end > 0 or n % 2 else -end
    return _ball_power(end, n)


def _ball_power(value: arb, n: int) -> arb:
    result = arb(1)
    for bit in bin(n)[2:]:
        result = result * result
        if bit == "1":
            result = result * value
    return result


def absolute(x: Interval) -> Interval:
    """Absolute values."""
    if _sign(x.low) >= 0:
        return x
    if _sign(x.high) <= 0:
        return negate(x)
    mirrored = negate(x)
    high, high_open = _extreme([(x.high, x.high_open), (mirrored.high, mirrored.high_open)], -1)
    return Interval(Fraction(0), high, False, high_open)


def larger(x: Interval, y: Interval) -> Interval:
    """The larger of two."""
    lows = [(x.low, not x.low_open), (y.low, not y.low_open)]  # the larger end; on a tie open only if both
    low, closed = _extreme(lows, -1)
    tie = _order(x.low, y.low) == 0
    high, high_open = _extreme([(x.high, x.high_open), (y.high, y.high_open)], -1)
    return Interval(low, high, (x.low_open or y.low_open) if tie else not closed, high_open)


# Monotone functions: the function itself at a finite end (in balls), its limits at the ends of where it
# is defined, and that place.
@dataclass(frozen=True)
class Curve:
    """An increasing (decreasing) function on (start, oo)."""

    at: Callable[[arb], arb]
    at_start: End  # the limit at the start, and at infinity
    at_infinity: End
    start: End = None  # None: defined everywhere
    increasing: bool = True

    def over(self, x: Interval) -> Interval | None:
        """Its values on an interval."""
        if self.start is not None and _order(x.low, self.start) < 0:
            return None
        left = Interval(self._end(x.low), Fraction(0), x.low_open)
        right = Interval(Fraction(0), self._end(x.high), high_open=x.high_open)
        if self.increasing:
            return Interval(_down(left.low), _up(right.high), left.low_open, right.high_open)
        return Interval(_down(right.high), _up(left.low), right.high_open, left.low_open)

    def _end(self, end: End) -> End:
        if not _finite(end):
            return self.at_infinity if _sign(end) > 0 else self.at_start
        if self.start is not None and _order(end, self.start) == 0:
            return self.at_start
        if _sign(end) == 0 or end == 1:
            return _dyadic(self.at(arb(int(end))))
        return self.at(_ball(end))


_ZERO, _ONE, _INF = Fraction(0), Fraction(1), arb.pos_inf()
_CURVES: Mapping[Any, Curve] = {
    sympy.exp: Curve(arb.exp, _ZERO, _INF),
    sympy.log: Curve(arb.log, -_INF, _INF, _ZERO),
    sympy.sqrt: Curve(arb.sqrt, _ZERO, _INF, _ZERO),
    sympy.sinh: Curve(arb.sinh, -_INF, _INF),
    sympy.tanh: Curve(arb.tanh, -_ONE, _ONE),
    sympy.erf: Curve(arb.erf, -_ONE, _ONE),
    sympy.gamma: Curve(arb.gamma, _ONE, _INF, Fraction(2)),  # increasing from 3/2 on
    sympy.loggamma: Curve(arb.lgamma, _ZERO, _INF, Fraction(2)),
    expm1r: Curve(lambda z: z.hypgeom_1f1(1, 2), _ZERO, _INF),
    log1pr: Curve(lambda z: (-z).hypgeom_2f1(1, 1, 2), _INF, _ZERO, -_ONE, increasing=False),
}


class _UnknownError(Exception):
    """There is no enclosure."""


def range_of(
    expression: Any, ranges: Mapping[str, Range], *, interior: bool = False, bits: int = BITS
) -> Interval | None:
    """All values on the box, or None.

    ``interior``: every end of a range counts as open, and a value that is infinite somewhere inside
    gives None, so that anything else says that the expression is continuous there.
    """
    table: dict[Any, Interval] = {}
    with precision(bits):
        try:
            return _value(sympy.sympify(expression), ranges, interior, table)
        except (_UnknownError, OverflowError, UnknownFunctionError):
            return None


def _value(e: Any, ranges: Mapping[str, Range], interior: bool, table: dict[Any, Interval]) -> Interval:
    if e not in table:
        value = _compute(e, ranges, interior, table)
        if value is None or (interior and not value.finite):
            raise _UnknownError
        table[e] = value
    return table[e]


def _compute(
    e: Any, ranges: Mapping[str, Range], interior: bool, table: dict[Any, Interval]
) -> Interval | None:
    if e.is_Symbol:
        whole = Interval.of(ranges[e.name])
        single = ranges[e.name].lower == ranges[e.name].upper and ranges[e.name].lower is not None
        return replace(whole, low_open=True, high_open=True) if interior and not single else whole
    if e.is_Rational:
        return Interval(Fraction(int(e.p), int(e.q)), Fraction(int(e.p), int(e.q)))
    parts = [_value(a, ranges, interior, table) for a in e.args]
    if e.is_Add or e.is_Mul:
        total = parts[0]
        for part in parts[1:]:
            total = add(total, part) if e.is_Add else multiply(total, part)
        return total
    if e.is_Pow:
        return _general_power(e, *parts)
    if e.func is sympy.Abs:
        return absolute(parts[0])
    if e.func in (sympy.Max, sympy.Min):
        return _largest(parts) if e.func is sympy.Max else negate(_largest([negate(p) for p in parts]))
    return _function(e, parts)


def _largest(parts: list[Interval]) -> Interval:
    total = parts[0]
    for part in parts[1:]:
        total = larger(total, part)
    return total


def _general_power(e: Any, base: Interval, exponent: Interval) -> Interval | None:
    if e.exp.is_Integer:
        return whole_power(base, int(e.exp))
    if e.exp.is_Rational and int(e.exp.q) == 2:
        root = _CURVES[sympy.sqrt].over(base)
        return None if root is None else whole_power(root, int(e.exp.p))
    logarithm = _CURVES[sympy.log].over(base)
    return None if logarithm is None else _CURVES[sympy.exp].over(multiply(exponent, logarithm))


def _function(e: Any, parts: list[Interval]) -> Interval | None:
    curve = _CURVES.get(e.func)
    if curve is not None:
        found = curve.over(parts[0])
        if found is not None:
            return found
    return _in_balls(e, parts)


def _in_balls(e: Any, parts: list[Interval]) -> Interval | None:
    """Any other function of bounded arguments; sine and cosine are bounded anyway."""
    if all(_finite(p.low) and _finite(p.high) for p in parts):
        dummies = [sympy.Dummy(f"d{i}") for i in range(len(parts))]
        compiled = program(e.func(*dummies) if parts else e)
        names = {d.name: _ball(p.low).union(_ball(p.high)) for d, p in zip(dummies, parts, strict=True)}
        value = compiled.run(names)
        if value.is_finite():
            return Interval(_down(value), _up(value))
    if e.func in (sympy.sin, sympy.cos):
        return Interval(Fraction(-1), Fraction(1))
    return None
