"""Formulas evaluated over a box, as power series of intervals in one of the variables.

An evaluation that succeeds also shows that the formula is defined, and smooth to the order, on the box.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from verify.recheck.functions import coefficients, compose, pi, polygamma, product, root
from verify.recheck.intervals import INF, ONE, ZERO, Interval, UnknownError, point
from verify.recheck.roots import polynomial, sturm
from verify.recheck.terms import Term, call
from verify.recheck.work import work

Box = Mapping[str, Interval]


class Series:
    """Evaluates expressions over a box; see the first lines of the module."""

    def __init__(self, box: Box, variable: str = "", order: int = 0) -> None:
        self.box, self.variable, self.order = box, variable, order
        self.known: dict[Term, list[Interval]] = {}

    def of(self, f: Term) -> list[Interval]:
        """The coefficients up to the order."""
        if f not in self.known:
            self.known[f] = self._new(f)
        return self.known[f]

    def _constant(self, c: Interval) -> list[Interval]:
        return [c] + [point(0)] * self.order

    def _new(self, f: Term) -> list[Interval]:
        work(10 * (1 + len(f.args)) * (1 + self.order))
        if f.value is not None:
            return self._constant(point(f.value))
        if f.name:
            if f.name not in self.box:
                raise UnknownError(f"{f.name} is not a variable here")
            tail = [point(f.name == self.variable and k == 1) for k in range(1, self.order + 1)]
            return [self.box[f.name], *tail]
        if f.op == "pi":
            return self._constant(pi())
        if f.is_sum:
            parts = [reduce(Interval.__add__, column) for column in zip(*map(self.of, f.args), strict=True)]
            return [self._sharper(f, parts[0]), *parts[1:]]
        if f.is_product:
            return reduce(product, map(self.of, f.args))
        if f.is_power:
            return self._power(*f.args)
        if f.op in ("Max", "Min"):
            return self._largest(f)
        if f.op == "Abs":
            return self._size(f)
        u = self.of(f.args[-1])
        if f.op == "polygamma":
            n = f.args[0].whole
            if n is None:
                raise UnknownError(f"{f} is not known")
            outer = [
                polygamma(n + k, u[0]) * point(Fraction(1, math.factorial(k))) for k in range(self.order + 1)
            ]
            return compose(outer, u)
        return compose(coefficients(f.op, u[0], self.order), u)

    def _sharper(self, f: Term, x: Interval) -> Interval:
        """The sign of a polynomial in one variable is exact, where intervals lose it."""
        if self.order or len(f.names) != 1 or x.low >= 0 or x.high <= 0:
            return x
        (name,) = f.names
        if name not in self.box or self.box[name].single or polynomial(f, name) is None:
            return x
        for sign in (1, -1):
            for strict in (True, False):
                if sturm(f if sign > 0 else -f, name, self.box[name], strict):
                    cut = Interval(
                        ZERO, x.high if sign > 0 else -x.low, strict, x.high_open if sign > 0 else x.low_open
                    )
                    return cut if sign > 0 else -cut
        return x

    def _power(self, base: Term, exponent: Term) -> list[Interval]:
        u = self.of(base)
        if exponent.value is not None:
            r, outer, factor = exponent.value, [], ONE
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

    def _largest(self, f: Term) -> list[Interval]:
        sign = 1 if f.op == "Max" else -1
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
                best, series = call(f.op, best, other), [both if sign > 0 else -both]
            else:
                raise UnknownError("which argument of Max or Min counts is not decided")
        return series

    def _size(self, f: Term) -> list[Interval]:
        u = self.of(f.args[0])
        if u[0].positive(False) or (-u[0]).positive(False):
            return u if u[0].positive(False) else [-c for c in u]
        if self.order == 0:
            return [u[0].size()]
        raise UnknownError("the sign inside Abs is not decided")


def range_of(f: Term, box: Box) -> Interval:
    """Where the values of an expression lie on a box."""
    return Series(box).of(f)[0]


def require_no_jump(formulas: Iterable[Term], box: Box) -> None:
    """Complain about a power that may be 0**0 in the box: it is 1 there, and no limit of its neighbours."""
    for f in formulas:
        for power in f.walk():
            if power.is_power and power.args[1].value is None and not any(_clear(a, box) for a in power.args):
                raise UnknownError(f"{power} may be 0**0 in the box, where it jumps")


def _clear(f: Term, box: Box) -> bool:
    try:
        return range_of(f, box).positive(True)
    except UnknownError:
        return False


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
