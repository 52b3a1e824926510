"""Formulas: read from text into SymPy, and evaluated over a box as power series of intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy

from verify.recheck.functions import CURVES, coefficients, compose, pi, polygamma, product, root
from verify.recheck.intervals import INF, ONE, ZERO, Interval, UnknownError, point
from verify.recheck.sizes import degree


class expm1r(sympy.Function):  # type: ignore[misc]  # noqa: N801 -- the name of the language
    """(e^z - 1)/z, and 1 at 0."""

    @classmethod
    def eval(cls, z: Any) -> Any:
        """Its value where SymPy may put it in."""
        return sympy.Integer(1) if z == 0 else None

    def fdiff(self, argindex: int = 1) -> Any:
        """Its derivative away from 0."""
        z = self.args[argindex - 1]
        return (sympy.exp(z) - self) / z


class log1pr(sympy.Function):  # type: ignore[misc]  # noqa: N801 -- the name of the language
    """log(1 + z)/z, and 1 at 0."""

    @classmethod
    def eval(cls, z: Any) -> Any:
        """Its value where SymPy may put it in."""
        return sympy.Integer(1) if z == 0 else None

    def fdiff(self, argindex: int = 1) -> Any:
        """Its derivative away from 0."""
        z = self.args[argindex - 1]
        return (1 / (1 + z) - self) / z


_NAMES = (
    *("exp", "log", "sqrt", "Abs", "Max", "Min", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf"),
    *("gamma", "loggamma", "factorial", "polygamma"),
)
FUNCTIONS: dict[str, Any] = {name: getattr(sympy, name) for name in _NAMES} | {
    "ln": sympy.log,
    "abs": sympy.Abs,
    "max": sympy.Max,
    "min": sympy.Min,
    "expm1r": expm1r,
    "log1pr": log1pr,
}
HIGHEST = 60  # degree of a polynomial whose roots are counted
CONSTANTS = {"pi": sympy.pi, "E": sympy.E}
Box = Mapping[str, Interval]


class Series:
    """Evaluates expressions over a box; see the first lines of the module."""

    def __init__(self, box: Box, variable: str = "", order: int = 0) -> None:
        self.box, self.variable, self.order = box, variable, order
        self.known: dict[Any, list[Interval]] = {}

    def of(self, f: Any) -> list[Interval]:
        """The coefficients up to the order."""
        if f not in self.known:
            self.known[f] = self._new(f)
        return self.known[f]

    def _constant(self, c: Interval) -> list[Interval]:
        return [c] + [point(0)] * self.order

    def _new(self, f: Any) -> list[Interval]:
        if f.is_Symbol:
            if f.name not in self.box:
                raise UnknownError(f"{f.name} is not a variable here")
            tail = [point(f.name == self.variable and k == 1) for k in range(1, self.order + 1)]
            return [self.box[f.name], *tail]
        if f.is_Rational:
            return self._constant(point(Fraction(int(f.p), int(f.q))))
        if f in (sympy.pi, sympy.E):
            return self._constant(pi() if f == sympy.pi else CURVES["exp"].of(point(1)))
        if f.is_Add:
            parts = [reduce(Interval.__add__, column) for column in zip(*map(self.of, f.args), strict=True)]
            return [self._sharper(f, parts[0]), *parts[1:]]
        if f.is_Mul:
            return reduce(product, map(self.of, f.args))
        if f.is_Pow:
            return self._power(*f.args)
        if isinstance(f, sympy.Max | sympy.Min):
            return self._largest(f)
        if isinstance(f, sympy.Abs | sympy.sign | sympy.Heaviside):
            return self._kink(f)
        if isinstance(f, sympy.factorial):
            return self.of(sympy.gamma(f.args[0] + 1, evaluate=False))
        if isinstance(f, sympy.polygamma) and f.args[0].is_Integer:
            u, n = self.of(f.args[1]), int(f.args[0])
            outer = [
                polygamma(n + k, u[0]) * point(Fraction(1, math.factorial(k))) for k in range(self.order + 1)
            ]
            return compose(outer, u)
        if len(f.args) != 1:
            raise UnknownError(f"{f} is not a real formula")
        u = self.of(f.args[0])
        return compose(coefficients(type(f).__name__, u[0], self.order), u)

    def _sharper(self, f: Any, x: Interval) -> Interval:
        """The sign of a polynomial in one variable is exact, where intervals lose it."""
        names = [s.name for s in f.free_symbols]
        if self.order or len(names) != 1 or x.low >= 0 or x.high <= 0 or not f.is_polynomial():
            return x
        if degree(f) > HIGHEST:
            return x
        for sign in (1, -1):
            for strict in (True, False):
                if not self.box[names[0]].single and sturm(sign * f, names[0], self.box[names[0]], strict):
                    cut = Interval(
                        ZERO, x.high if sign > 0 else -x.low, strict, x.high_open if sign > 0 else x.low_open
                    )
                    return cut if sign > 0 else -cut
        return x

    def _power(self, base: Any, exponent: Any) -> list[Interval]:
        u = self.of(base)
        if exponent.is_Rational:
            r, outer, factor = Fraction(int(exponent.p), int(exponent.q)), [], ONE
            for k in range(self.order + 1):
                lowered = r - k
                value = (
                    point(0)
                    if not factor
                    else (u[0].power(int(lowered)) if lowered.denominator == 1 else root(u[0], lowered))
                )
                outer.append(point(factor) * value)
                factor = factor * (r - k) / (k + 1)
            return compose(outer, u)
        e = self.of(exponent)
        zero = self.order == 0 and u[0].low == 0 and not u[0].low_open and e[0].positive(True)
        if zero and u[0].single:
            return [point(0)]
        u = [replace(u[0], low_open=True)] if zero else u
        power = product(e, compose(coefficients("log", u[0], self.order), u))
        power = compose(coefficients("exp", power[0], self.order), power)
        return [power[0].hull(point(0))] if zero else power

    def _largest(self, f: Any) -> list[Interval]:
        sign = 1 if isinstance(f, sympy.Max) else -1
        best = f.args[0]
        series = self.of(best)
        for other in f.args[1:]:
            gap, rival = self.of(sign * (best - other))[0], self.of(other)
            if gap.positive(False):
                continue
            if (-gap).positive(False):
                best, series = other, rival
            elif self.order == 0:
                a, b = (series[0], rival[0]) if sign > 0 else (-series[0], -rival[0])
                both = a.hull(b)
                low, is_open = max((a.low, a.low_open), (b.low, b.low_open))
                both = Interval(low, both.high, is_open, both.high_open)
                best, series = type(f)(best, other), [both if sign > 0 else -both]
            else:
                raise UnknownError("which argument of Max or Min counts is not decided")
        return series

    def _kink(self, f: Any) -> list[Interval]:
        u = self.of(f.args[0])
        if isinstance(f, sympy.Abs):
            if u[0].positive(False) or (-u[0]).positive(False):
                return u if u[0].positive(False) else [-c for c in u]
            if self.order == 0:
                return [u[0].size()]
            raise UnknownError("the sign inside Abs is not decided")
        below = -1 if isinstance(f, sympy.sign) else 0
        if u[0].positive(True) or (-u[0]).positive(True):
            return self._constant(point(1 if u[0].positive(True) else below))
        if self.order == 0:
            return [Interval(Fraction(below), ONE)]
        raise UnknownError("the sign inside a derivative is not decided")


def symbol_of(name: str) -> Any:
    """The symbol of a variable: real, and nothing more; signs are added where they are needed."""
    return sympy.Symbol(name, real=True)


def range_of(f: Any, box: Box) -> Interval:
    """Where the values of an expression lie on a box."""
    return Series(box).of(f)[0]


def sturm(f: Any, name: str, x: Interval, strict: bool) -> bool:
    """Whether a polynomial with rational coefficients is >= 0 (> 0) on a range, by counting roots."""
    symbol = symbol_of(name)
    if degree(f) > HIGHEST:
        raise UnknownError(f"the degree of the polynomial in {name} is larger than {HIGHEST}")
    try:
        poly = sympy.Poly(f, symbol, domain="QQ")
    except (sympy.PolynomialError, sympy.CoercionFailed):
        raise UnknownError(f"{f} is no polynomial in {name} with rational coefficients") from None
    ends = [None if isinstance(e, float) else sympy.Rational(e) for e in (x.low, x.high)]
    for part, multiplicity in poly.sqf_list()[1]:
        at_ends = {e for e in ends if e is not None and part.eval(e) == 0}
        if part.count_roots(*ends) > len(at_ends) and (strict or multiplicity % 2):
            return False
        if strict and any(Fraction(int(e.p), int(e.q)) in x for e in at_ends):
            return False
    values = [poly.eval(sympy.Rational(q)) for q in inside(x, 2 * poly.degree() + 3)]
    return not any(v < 0 for v in values) and (any(v > 0 for v in values) or not (strict or any(values)))


def inside(x: Interval, count: int) -> list[Fraction]:
    """Some points of a range, not at its ends unless it is one point."""
    if x.single:
        return [x.low]
    shares = [Fraction(k, count + 1) for k in range(1, count + 1)]
    if x.bounded:
        return [x.low + t * (x.high - x.low) for t in shares]
    spread = [t / (1 - t) for t in shares]
    if x.low > -INF:
        return [x.low + t for t in spread]
    return [x.high - t for t in spread] if x.high < INF else [(2 * t - 1) / (t * (1 - t)) for t in shares]
