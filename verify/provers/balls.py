"""Formulas in ball arithmetic: values, and Taylor coefficients in one variable.

A ball [m ± r] stands for every real number in it.  An operation on balls returns a ball that contains
the result for *every* choice of numbers from its operands, rounding included; where the operation is
not defined for some of them (log of a ball that touches 0, division by one that contains 0, a kink for
a derivative) the result is not finite.  So a finite ball is a proof and anything else says nothing.

An expression is compiled once into a straight-line program: its distinct subexpressions in an order
in which operands come first.  Run with balls the program encloses the value on a box; run with power
series ``X + t`` in one variable it encloses the Taylor coefficients ``f^{(k)}(s)/k!`` for all s in X,
the other variables ranging over their balls.

Two functions have a removable singularity at 0 that balls alone cannot cross.  Both are integrals whose
derivatives have one sign and are monotone, so two evaluations at the ends of a ball enclose them:
``expm1r(z) = (e^z - 1)/z = ∫ e^{sz} ds`` and ``log1pr(z) = log(1 + z)/z = ∫ ds/(1 + sz)``, over [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from math import factorial
from operator import add, mul
from typing import Any

import sympy
from flint import arb, arb_series, ctx, fmpq

from verify.provers.meter import spend

Number = Any  # a ball or a power series of balls

BITS = 64


class expm1r(sympy.Function):  # type: ignore[misc] # noqa: N801 - the name of the function in formulas
    """(e^z - 1)/z, continuous at 0."""

    nargs = 1

    def _eval_is_positive(self) -> bool | None:
        return True if self.args[0].is_extended_real else None


class log1pr(sympy.Function):  # type: ignore[misc] # noqa: N801 - likewise
    """log(1 + z)/z, continuous at 0."""

    nargs = 1


class UnknownFunctionError(ValueError):
    """An expression that has no enclosure here."""


class Working:
    """What :func:`precision` sets; a generator would take longer than what it guards."""

    __slots__ = ("_before", "_wanted")

    def __init__(self, bits: int, length: int) -> None:
        self._wanted = bits, length

    def __enter__(self) -> None:
        self._before = ctx.prec, ctx.cap
        ctx.prec, ctx.cap = self._wanted

    def __exit__(self, *_: object) -> None:
        ctx.prec, ctx.cap = self._before


def precision(bits: int, length: int = 1) -> Working:
    """Work with this many bits, and series of this many coefficients; restored afterwards."""
    return Working(bits, length)


def rational(number: Fraction) -> fmpq:
    """The same number for python-flint."""
    return fmpq(*number.as_integer_ratio())


def ball(lower: Fraction, upper: Fraction | None = None) -> arb:
    """A ball that contains [lower, upper], rounded outward; tight for a single number."""
    low = arb(rational(lower))
    return low if upper is None or upper == lower else low.union(arb(rational(upper)))


def around_zero(radius: Fraction) -> arb:
    """A ball that contains [-radius, radius]."""
    return arb(0, arb(rational(radius)).upper())


def fraction_near(x: arb, bits: int = 256) -> Fraction:
    """A fraction next to the middle of a finite ball, with so many digits."""
    mantissa, exponent = map(int, x.mid().man_exp())
    spare = max(mantissa.bit_length() - bits, 0)
    return Fraction(mantissa >> spare) * Fraction(2) ** (exponent + spare)


# Operations, for balls and for series alike.  A function that is not smooth at every number of its
# argument gives no derivative: the series is unknown.


def _unknown(like: Number) -> Number:
    return arb.nan() if isinstance(like, arb) else arb_series([arb.nan()] * ctx.cap, ctx.cap)


def _constant(x: Number) -> arb:
    return x if isinstance(x, arb) else x[0]


def _inverse(x: Number) -> Number:
    if isinstance(x, arb):
        return 1 / x
    return 1 / x if x[0] > 0 or x[0] < 0 else _unknown(x)


def integer_power(x: Number, n: int) -> Number:
    """An integer power by repeated multiplication: python-flint's own is nan on balls around 0."""
    if n < 0:
        return _inverse(integer_power(x, -n))
    if isinstance(x, arb) and n % 2 == 0 and n and not x.is_exact():
        # An even power grows with |x|: multiplied out, a ball around 0 would give negative numbers.
        ends = (x.abs_lower(), x.abs_upper()) if x.is_finite() else (arb.nan(), arb(0))
        low, high = (end if end.is_nan() else integer_power(end, n) for end in ends)
        return low.union(high)
    result, square = None, x
    while n:
        if n & 1:
            result = square if result is None else result * square
        n >>= 1
        square = square * square if n else square
    return arb(1) if result is None else result


def _root_power(x: Number, exponent: Fraction) -> Number:
    if exponent.denominator == 2:
        whole, root = divmod(exponent.numerator, 2)
        assert root == 1
        return x.sqrt() * integer_power(x, whole) if whole else x.sqrt()
    return (x.log() * arb(rational(exponent))).exp()


def _abs(x: Number) -> Number:
    if isinstance(x, arb):
        return abs(x)
    return x if x[0] > 0 else -x if x[0] < 0 else _unknown(x)


def _larger(x: Number, y: Number) -> Number:
    if isinstance(x, arb) and isinstance(y, arb):
        return x.max(y)
    gap = _constant(x) - _constant(y)
    return x if gap > 0 else y if gap < 0 else _unknown(arb_series([0]))


def _smaller(x: Number, y: Number) -> Number:
    return -_larger(-x, -y)


def _sinh(x: Number) -> Number:
    return x.sinh() if isinstance(x, arb) else (x.exp() - (-x).exp()) / 2


def _cosh(x: Number) -> Number:
    return x.cosh() if isinstance(x, arb) else (x.exp() + (-x).exp()) / 2


def _tanh(x: Number) -> Number:
    return x.tanh() if isinstance(x, arb) else 1 - 2 * _inverse((2 * x).exp() + 1)


def _positive_only(function: Callable[[Number], Number]) -> Callable[[Number], Number]:
    """Γ and its like are used right of their poles only."""
    return lambda x: function(x) if _constant(x) > 0 else _unknown(x)


def _polygamma(order: Number, x: Number) -> Number:
    n = order.unique_fmpz() if isinstance(order, arb) else None
    if n is None or not isinstance(x, arb) or not x > 0 or n > 3:
        return _unknown(x)
    ends = [_polygamma_at(int(n), end) for end in (x.lower(), x.upper())]  # monotone on (0, oo)
    return ends[0].union(ends[1])


def _polygamma_at(n: int, x: arb) -> arb:
    if n == 0:
        return x.digamma()
    size: arb = factorial(n) * arb(n + 1).zeta(x)
    return size if n % 2 else -size


def _composed(coefficients: Callable[[arb, int], arb], x: Number) -> Number:
    """F(x) from the Taylor coefficients of F, each enclosed on a ball."""
    if isinstance(x, arb):
        return coefficients(x, 0)
    step = arb_series([0, *x.coeffs()[1:]], ctx.cap)  # x without its constant term, which cancels
    terms = [coefficients(x[0], k) for k in range(ctx.cap)]
    result = arb_series([terms[-1]], ctx.cap)
    for term in reversed(terms[:-1]):
        result = result * step + term
    return result


def _expm1r_coefficient(z: arb, k: int) -> arb:
    """∫ s^k e^{sz} ds / k!, increasing in z."""
    if not z.is_finite():
        return arb.nan()
    ends = [end.hypgeom_1f1(k + 1, k + 2) for end in (z.lower(), z.upper())]
    return ends[0].union(ends[1]) / factorial(k + 1)


def _log1pr_coefficient(z: arb, k: int) -> arb:
    """(-1)^k ∫ s^k (1 + sz)^{-k-1} ds; without its sign decreasing in z."""
    if not (z.is_finite() and z > -1):
        return arb.nan()
    ends = [(-end).hypgeom_2f1(k + 1, k + 1, k + 2) for end in (z.lower(), z.upper())]
    size = ends[0].union(ends[1]) / (k + 1)
    return -size if k % 2 else size


FUNCTIONS: Mapping[Any, Callable[..., Number]] = {
    sympy.exp: lambda x: x.exp(),
    sympy.log: lambda x: x.log(),
    sympy.Abs: _abs,
    sympy.Max: lambda *x: reduce(_larger, x),
    sympy.Min: lambda *x: reduce(_smaller, x),
    sympy.sin: lambda x: x.sin(),
    sympy.cos: lambda x: x.cos(),
    sympy.atan: lambda x: x.atan(),
    sympy.sinh: _sinh,
    sympy.cosh: _cosh,
    sympy.tanh: _tanh,
    sympy.erf: lambda x: x.erf(),
    sympy.gamma: _positive_only(lambda x: x.gamma()),
    sympy.loggamma: _positive_only(lambda x: x.lgamma()),
    sympy.factorial: _positive_only(lambda x: x.gamma()),  # of the argument + 1, see _compile
    sympy.polygamma: _polygamma,
    expm1r: lambda x: _composed(_expm1r_coefficient, x),
    log1pr: lambda x: _composed(_log1pr_coefficient, x),
}
_CONSTANTS: Mapping[Any, Callable[[], arb]] = {sympy.pi: arb.pi, sympy.E: arb.const_e}


def _sum(*terms: Number) -> Number:
    return reduce(add, terms)


def _product(*terms: Number) -> Number:
    return reduce(mul, terms)


@dataclass(frozen=True)
class Program:
    """A straight-line program: step k applies an operation to the results of earlier steps."""

    steps: tuple[tuple[Callable[..., Number], tuple[int, ...]], ...]
    inputs: tuple[tuple[int, str], ...]  # the steps that are variables
    constants: tuple[tuple[int, Callable[[], arb]], ...]  # and those that are numbers

    @property
    def price(self) -> int:
        """What a run costs, in the precision of the moment."""
        return 5 + len(self.steps) * (1 + int(ctx.prec) // 1024)

    @cached_property
    def _work(self) -> list[tuple[int, Callable[..., Number], tuple[int, ...]]]:
        """The steps that compute something."""
        return [(k, how, operands) for k, (how, operands) in enumerate(self.steps) if operands]

    def run(self, point: Mapping[str, Number]) -> Number:
        """The value, in whatever the variables are given as; precision is the caller's."""
        spend(self.price)
        values: list[Number] = [None] * len(self.steps)
        for k, name in self.inputs:
            values[k] = point[name]
        for k, number in self.constants:
            values[k] = number()
        for k, operation, operands in self._work:
            if len(operands) == 1:
                values[k] = operation(values[operands[0]])
            else:
                values[k] = operation(*[values[i] for i in operands])
        return values[-1]

    def coefficients(self, point: Mapping[str, arb], name: str, length: int) -> Sequence[arb]:
        """Taylor coefficients 0..length-1 in one variable, over all of its ball."""
        return self.along(point, {name: 1}, length)

    def along(self, point: Mapping[str, arb], way: Mapping[str, int], length: int) -> Sequence[arb]:
        """Taylor coefficients 0..length-1 of the values at ``point + t way`` in t."""
        moving = [name for _, name in self.inputs if way.get(name)]
        if not moving:
            return [self.run(point)] + [arb(0)] * (length - 1)
        spend(length * len(self.steps) // 2)
        before, ctx.cap = ctx.cap, length
        try:
            series = self.run({**point, **{n: arb_series([point[n], way[n]], length) for n in moving}})
        finally:
            ctx.cap = before
        if isinstance(series, arb):
            return [series] + [arb(0)] * (length - 1)
        return [series[k] for k in range(length)] if series.prec >= length else [arb.nan()] * length


def _number(value: Any) -> Callable[[], arb]:
    """A number of SymPy's, in the precision of the moment it is asked for."""
    return partial(arb, fmpq(int(value.p), int(value.q))) if value.is_Rational else _CONSTANTS[value]


@lru_cache(maxsize=4096)
def program(expression: Any) -> Program:
    """Compile; raises UnknownFunctionError for what the language of claims does not have."""
    return _Compiler().compiled(sympy.sympify(expression))


class _Compiler:
    def __init__(self) -> None:
        self.place: dict[Any, int] = {}
        self.steps: list[tuple[Callable[..., Number], tuple[int, ...]]] = []
        self.inputs: list[tuple[int, str]] = []
        self.constants: list[tuple[int, Callable[[], arb]]] = []

    def compiled(self, expression: Any) -> Program:
        last = self.add(expression)
        if last != len(self.steps) - 1:  # the whole is a subexpression met before
            self.step(lambda x: x, last)
        return Program(tuple(self.steps), tuple(self.inputs), tuple(self.constants))

    def step(self, operation: Callable[..., Number], *operands: int) -> int:
        self.steps.append((operation, operands))
        return len(self.steps) - 1

    def add(self, e: Any) -> int:
        if e not in self.place:
            self.place[e] = self._new(e)
        return self.place[e]

    def _new(self, e: Any) -> int:
        if e.is_Symbol:
            self.inputs.append((len(self.steps), e.name))
            return self.step(_sum)
        if e.is_Rational or e in _CONSTANTS:
            self.constants.append((len(self.steps), _number(e)))
            return self.step(_sum)
        if e.is_Pow:
            return self._new_power(e.base, e.exp)
        if e.func is sympy.factorial:
            return self.step(FUNCTIONS[e.func], self.add(e.args[0] + 1))
        if len(e.args) == 2 and (e.is_Add or e.is_Mul):
            return self.step(add if e.is_Add else mul, *[self.add(a) for a in e.args])
        operation = _sum if e.is_Add else _product if e.is_Mul else FUNCTIONS.get(e.func)
        if operation is None:
            raise UnknownFunctionError(f"{e.func} has no enclosure")
        return self.step(operation, *[self.add(a) for a in e.args])

    def _new_power(self, base: Any, exponent: Any) -> int:
        if exponent.is_Integer:
            n = int(exponent)
            return self.step(lambda x: integer_power(x, n), self.add(base))
        if exponent.is_Rational:
            power = Fraction(int(exponent.p), int(exponent.q))
            return self.step(lambda x: _root_power(x, power), self.add(base))
        if base is sympy.E:
            return self.step(FUNCTIONS[sympy.exp], self.add(exponent))
        return self.step(lambda b, x: (x * b.log()).exp(), self.add(base), self.add(exponent))


def evaluate(expression: Any, point: Mapping[str, Fraction | arb], bits: int = BITS) -> arb:
    """The value at a point or on a box of balls; not finite where it is not known."""
    with precision(bits):
        exact = {name: v if isinstance(v, arb) else ball(v) for name, v in point.items()}
        try:
            value = program(expression).run(exact)
        except UnknownFunctionError:
            return arb.nan()
        return value if isinstance(value, arb) else arb.nan()
