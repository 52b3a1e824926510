"""Functions of one real variable over an interval, and their Taylor coefficients.

A monotone function needs its values at the two ends only.  These come from mpmath with 64 bits more than
are kept, and are moved outward by far more than the error of its last bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath

from verify.recheck.intervals import (
    HUGE,
    INF,
    ONE,
    ZERO,
    End,
    Interval,
    UnknownError,
    bits,
    dyadic,
    point,
    short,
)
from verify.recheck.terms import integer_root
from verify.recheck.work import work

_GUARD = 64  # the last bits of mpmath, which are not trusted
_MP = mpmath.mp.clone()


def _padded(y: Any, up: bool, slack: Fraction = ZERO) -> End:
    """A number of mpmath, moved outward by more than its error."""
    if not _MP.isfinite(y):
        raise UnknownError("a function is too large or undefined")
    sign, mantissa, exponent, length = y._mpf_
    if mantissa == 0:
        return slack if up else -slack
    if abs(exponent + length) > HUGE:  # too long to write out: any number of that size will do
        exponent = (HUGE + 2 * bits() if exponent + length > 0 else -HUGE - 2 * bits()) - length
        return short(Fraction(2) ** exponent * (-mantissa if sign else mantissa), up)
    x = Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent
    error = abs(x) / 2 ** bits() + slack
    return dyadic(x + error if up else x - error, bits() + 8, up)


def _bracket(function: Callable[[Any], Any], x: Fraction, lipschitz: bool = False) -> tuple[End, End]:
    """Around function(x), for one that is monotone near x, or has |slope| <= 1 (lipschitz)."""
    work(100 + bits() // 2)
    near = [dyadic(x, bits() + _GUARD - 1, up) for up in (False, True)]  # mpmath would round a longer one
    with _MP.workprec(bits() + _GUARD):
        values = [function(_MP.ldexp(_MP.mpf(q.numerator), 1 - q.denominator.bit_length())) for q in near]
    slack = near[1] - near[0] if lipschitz else ZERO
    return _padded(min(values), False, slack), _padded(max(values), True, slack)


def pi() -> Interval:
    """Around pi."""
    return Interval(*_bracket(lambda _: _MP.pi + 0, ONE), True, True)


@dataclass(frozen=True)
class _Curve:
    """A strictly monotone function on (start, oo), with its limits at both ends and exact values."""

    function: Callable[[Any], Any]
    at_start: End
    at_end: End
    start: End = -INF
    exact: Callable[[Fraction], End | None] = lambda _: None

    def of(self, x: Interval) -> Interval:
        """Its range over an interval."""
        if x.low < self.start or (x.low == self.start and not x.low_open):
            raise UnknownError("a function may be undefined")
        a, b = self._value(x.low), self._value(x.high)
        if self.at_start < self.at_end:
            return Interval.of((a[0], x.low_open or a[0] != a[1]), (b[1], x.high_open or b[0] != b[1]))
        return Interval.of((b[0], x.high_open or b[0] != b[1]), (a[1], x.low_open or a[0] != a[1]))

    def _value(self, x: End) -> tuple[End, End]:
        if x in (self.start, INF):
            limit = self.at_start if x == self.start else self.at_end
            return limit, limit
        known = self.exact(x)
        if known is not None:
            return known, known
        low, high = _bracket(self.function, x)
        least, most = sorted((self.at_start, self.at_end))
        return max(low, least), min(high, most)


def _at(**values: int) -> Callable[[Fraction], End | None]:
    table = {Fraction(key[1:]): Fraction(value) for key, value in values.items()}
    return table.get


def _expm1r_derivative(k: int) -> Callable[[Any], Any]:
    """The k-th derivative of (e^z - 1)/z is the moment ∫ t^k e^(tz) dt over [0, 1], increasing in z."""

    def moment(z: Any) -> Any:
        with _MP.workprec(2 * _MP.prec):
            if abs(z) < 64:
                return _MP.hyp1f1(k + 1, k + 2, z) / (k + 1)
            value = _MP.expm1(z) / z
            for j in range(1, k + 1):
                value = (_MP.exp(z) - j * value) / z
            return value

    return moment


def _log1pr_derivative(k: int) -> Callable[[Any], Any]:
    """(-1)^k times the k-th derivative of log(1 + z)/z: k! ∫ t^k (1 + tz)^(-k-1) dt, decreasing in z."""

    def moment(z: Any) -> Any:
        with _MP.workprec(2 * _MP.prec):
            if abs(z) < 0.5:
                return _MP.factorial(k) * _MP.hyp2f1(k + 1, k + 1, k + 2, -z) / (k + 1)
            value = _MP.log1p(z) / z
            for j in range(1, k + 1):
                value = (j * value - _MP.factorial(j - 1) / (1 + z) ** j) / z
            return value

    return moment


_HALF_PI = pi().high / 2
CURVES: Mapping[str, _Curve] = {
    "exp": _Curve(_MP.exp, ZERO, INF, exact=_at(_0=1)),
    "log": _Curve(_MP.log, -INF, INF, start=ZERO, exact=_at(_1=0)),
    "atan": _Curve(_MP.atan, -_HALF_PI, _HALF_PI, exact=_at(_0=0)),
    "sinh": _Curve(_MP.sinh, -INF, INF, exact=_at(_0=0)),
    "tanh": _Curve(_MP.tanh, -ONE, ONE, exact=_at(_0=0)),
    "erf": _Curve(_MP.erf, -ONE, ONE, exact=_at(_0=0)),
    "expm1r": _Curve(_expm1r_derivative(0), ZERO, INF, exact=_at(_0=1)),
    "log1pr": _Curve(_log1pr_derivative(0), INF, ZERO, start=-ONE, exact=_at(_0=1)),
    "cosh": _Curve(_MP.cosh, -INF, INF, exact=_at(_0=1)),  # of the absolute value
}


def root(x: Interval, r: Fraction) -> Interval:
    """x**r for a rational r that is no integer: x > 0, or x >= 0 if r > 0."""
    if r > 0 and x.low == 0 and not x.low_open:
        rest = [] if x.single else [root(replace(x, low_open=True), r)]
        return point(0).hull(*rest)

    def exact(q: Fraction) -> End | None:
        top, bottom = (integer_root(part, r.denominator) for part in (q.numerator, q.denominator))
        if top is None or bottom is None or abs(r.numerator) >= 1000:
            return None
        return Fraction(top, bottom) ** r.numerator

    first, last = (ZERO, INF) if r > 0 else (INF, ZERO)
    return _Curve(lambda t: _MP.power(t, _MP.mpf(r.numerator) / r.denominator), first, last, ZERO, exact).of(
        x
    )


def _wave(x: Interval, name: str) -> Interval:
    """The range of sin or cos: monotone between neighbouring extrema, which alternate between 1 and -1."""
    if not x.bounded:
        return Interval(-ONE, ONE)
    half = ONE / 2 if name == "sin" else ZERO
    turns = [{math.floor(end / p - half) for p in (pi().low, pi().high)} for end in (x.low, x.high)]
    first, last = min(turns[0]), max(turns[1])
    if any(len(found) > 1 for found in turns) or last > first + 1:
        return Interval(-ONE, ONE)
    ends = []
    for end, is_open in ((x.low, x.low_open), (x.high, x.high_open)):
        exact = (Fraction(name == "cos"), Fraction(name == "cos")) if end == 0 else None
        low, high = exact or _bracket(_MP.sin if name == "sin" else _MP.cos, end, lipschitz=True)
        ends.append(Interval(low, high, is_open or not exact, is_open or not exact))
    both = ends[0].hull(ends[1], *([point((-1) ** last)] if last > first else []))
    low, high = max(both.low, -ONE), min(both.high, ONE)
    return Interval(low, high, both.low_open and low == both.low, both.high_open and high == both.high)


_VALLEY = (Fraction("1.46163214496"), Fraction("1.46163214497"))  # gamma falls before, rises after


def _gamma(x: Interval, name: str) -> Interval:
    """The range of gamma or loggamma on (0, oo): a valley."""
    function = _MP.gamma if name == "gamma" else lambda t: _MP.loggamma(t).real
    bottom = Fraction("0.885603194") if name == "gamma" else Fraction("-0.1214862906")
    one = Fraction(1) if name == "gamma" else Fraction(0)
    known = {Fraction(1): one, Fraction(2): one}
    if x.low >= _VALLEY[1]:
        return _Curve(function, bottom, INF, start=ONE, exact=known.get).of(x)
    if x.high <= _VALLEY[0]:
        return _Curve(function, INF, -INF, start=ZERO, exact=known.get).of(x)
    if not x.positive(True):
        raise UnknownError("gamma may be undefined")
    ends = min(x.low, _VALLEY[0]), max(x.high, _VALLEY[1])
    high = max(INF if end in (0, INF) else _gamma(point(end), name).high for end in ends)
    return Interval(bottom, high, True, high == INF)


def polygamma(n: int, x: Interval) -> Interval:
    """On (0, oo): digamma rises from -oo to oo, the others go from ±oo to 0."""
    if not 0 <= n <= 40:
        raise UnknownError(f"polygamma({n}, ...) is not known")
    first, last = (-INF, INF) if n == 0 else (INF, ZERO) if n % 2 else (-INF, ZERO)

    def psi(t: Any) -> Any:
        with _MP.workprec(2 * _MP.prec):  # next to its zero digamma loses as many bits as t is close to it
            return _MP.psi(n, t)

    return _Curve(psi, first, last, ZERO).of(x)


def coefficients(name: str, x: Interval, m: int) -> list[Interval]:
    """The Taylor coefficients of a function at every point of x, up to order m."""
    share = [point(Fraction(1, math.factorial(k))) for k in range(m + 1)]
    if name in ("sin", "cos", "sinh", "cosh"):
        odd, even = ("sin", "cos") if name in ("sin", "cos") else ("sinh", "cosh")
        s, c = (
            (_wave(x, odd), _wave(x, even))
            if odd == "sin"
            else (CURVES[odd].of(x), CURVES[even].of(x.size()))
        )
        cycle = [s, c, -s, -c] if odd == "sin" else [s, c, s, c]
        start = int(name == even)
        return [cycle[(start + k) % 4] * share[k] for k in range(m + 1)]
    if name == "exp":
        return [CURVES["exp"].of(x) * one for one in share]
    if name == "log":
        return [CURVES["log"].of(x)] + [
            x.power(-k) * point(Fraction(-((-1) ** k), k)) for k in range(1, m + 1)
        ]
    if name == "expm1r":
        more = [_Curve(_expm1r_derivative(k), ZERO, INF).of(x) for k in range(1, m + 1)]
        return [c * one for c, one in zip([CURVES[name].of(x), *more], share, strict=True)]
    if name == "log1pr":
        more = [
            _Curve(_log1pr_derivative(k), INF, ZERO, -ONE).of(x) * point((-1) ** k) for k in range(1, m + 1)
        ]
        return [c * one for c, one in zip([CURVES[name].of(x), *more], share, strict=True)]
    if name == "loggamma":
        return [_gamma(x, name)] + [polygamma(k - 1, x) * share[k] for k in range(1, m + 1)]
    if name == "gamma":
        logarithm = coefficients("loggamma", x, m)
        return [_gamma(x, name), *compose(coefficients("exp", logarithm[0], m), logarithm)[1:]]
    return _by_equation(name, x, m)


def _by_equation(name: str, x: Interval, m: int) -> list[Interval]:
    """atan, tanh and erf, whose derivatives satisfy a simple recurrence."""
    two, one = point(2), point(1)
    if name == "tanh":
        y = [CURVES[name].of(x)]
        for k in range(m):
            total = (
                y[0].power(2) if k == 0 else reduce(Interval.__add__, (y[i] * y[k - i] for i in range(k + 1)))
            )
            y.append((-total + one if k == 0 else -total) * point(Fraction(1, k + 1)))
        return y
    if name not in ("atan", "erf"):
        raise UnknownError(f"{name} is not known")
    start = one + x.power(2)
    slope = [
        start.inverse()
        if name == "atan"
        else CURVES["exp"].of(-x.power(2)) * two * root(pi(), Fraction(-1, 2))
    ]
    for k in range(1, m):
        before = slope[-2] if k > 1 else point(0)
        if name == "atan":
            slope.append(-(two * x * slope[-1] + before) * start.inverse())
        else:
            slope.append(-(x * slope[-1] + before) * two * point(Fraction(1, k)))
    return [CURVES[name].of(x), *(c * point(Fraction(1, k + 1)) for k, c in enumerate(slope[:m]))]


def product(a: list[Interval], b: list[Interval]) -> list[Interval]:
    """The product of two series of the same length."""
    return [reduce(Interval.__add__, (a[i] * b[k - i] for i in range(k + 1))) for k in range(len(a))]


def compose(outer: list[Interval], inner: list[Interval]) -> list[Interval]:
    """The series of a function of a series."""
    step = [point(0), *inner[1:]]
    result = [outer[-1]] + [point(0)] * (len(inner) - 1)
    for c in reversed(outer[:-1]):
        result = product(result, step)
        result[0] = result[0] + c
    return result
