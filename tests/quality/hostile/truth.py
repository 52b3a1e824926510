"""Whether a formula holds at a point, by arithmetic that the engine has no part in.

A formula is read with Python's own parser and evaluated in exact fractions as long as the operations
allow it (arithmetic, whole powers, perfect roots, exp(0), log(1), ...), and otherwise in pairs of mpmath
numbers ``low <= value <= high``: each operation is done at the ends and the result made wider by a few
units of the last place. A difference ``right - left`` has a sign when it is a fraction or its pair
excludes 0; precisions rise until that is so or the last one is passed, and then nothing is said. An
operation that is undefined at the point (a pole, a logarithm of 0) makes the whole undefined: nothing is
claimed there.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from typing import Any

import mpmath

Point = Mapping[str, Fraction]

DIGITS = (30, 120, 480, 1920)
_EXACT_BITS = 40_000  # of a fraction; longer ones become pairs
_LARGEST = 1_400  # bits of the magnitude of an argument of exp, sin, ...
_RELATIONS = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=="}
_CONTEXTS: dict[int, Any] = {}


class UndefinedError(ArithmeticError):
    """The formula has no value at the point, or none that can be computed here."""


class BlurredError(ArithmeticError):
    """More digits are needed to say whether it has a value."""


@dataclass(frozen=True)
class Pair:
    """A number between two others."""

    low: Any
    high: Any


Value = Fraction | Pair
Evaluator = Callable[[Any, Point], Value]  # (mpmath context, point) -> value


def _context(digits: int) -> Any:
    if digits not in _CONTEXTS:
        _CONTEXTS[digits] = mpmath.MPContext()
        _CONTEXTS[digits].dps = digits
    return _CONTEXTS[digits]


def _wider(ctx: Any, low: Any, high: Any) -> Pair:
    """Each end moved outward by eight units of the last place: no operation of mpmath errs by more."""
    unit = ctx.ldexp(ctx.mpf(8), -ctx.prec)
    return Pair(low - abs(low) * unit, high + abs(high) * unit)


def _pair(ctx: Any, x: Value) -> Pair:
    if isinstance(x, Pair):
        return x
    middle = ctx.mpf(x.numerator) / x.denominator
    return _wider(ctx, middle, middle)


def _signed(x: Value) -> int:
    """The sign, if it is certain."""
    if isinstance(x, Fraction):
        return (x > 0) - (x < 0)
    if x.low > 0 or x.high < 0:
        return 1 if x.low > 0 else -1
    raise BlurredError("of no certain sign")


def _bits(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


def _arithmetic(of: Callable[[Any, Any], Any]) -> Callable[[Any, Value, Value], Value]:
    def applied(ctx: Any, a: Value, b: Value) -> Value:
        if of is operator.truediv and not _signed(b):
            raise UndefinedError("division by zero")
        if isinstance(a, Fraction) and isinstance(b, Fraction) and _bits(a) + _bits(b) < _EXACT_BITS:
            return of(a, b)
        if of is operator.mul and 0 in (a, b):
            return Fraction(0)
        one, other = _pair(ctx, a), _pair(ctx, b)
        ends = [of(p, q) for p, q in product((one.low, one.high), (other.low, other.high))]
        return _wider(ctx, min(ends), max(ends))

    return applied


_times = _arithmetic(operator.mul)


def _power(ctx: Any, a: Value, b: Value) -> Value:
    """a**b for real numbers; 0**0 is 1, as in the language of claims."""
    if b == 0:
        return Fraction(1)
    whole = int(b) if isinstance(b, Fraction) and b.denominator == 1 else None
    if a == 0:
        if _signed(b) < 0:
            raise UndefinedError("division by zero")
        return Fraction(0)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        if whole is not None and _bits(a) * abs(whole) < _EXACT_BITS:
            return a**whole
        root = _root(a, b.denominator) if whole is None and a > 0 and abs(b.numerator) < 50 else None
        if root is not None:
            return root**b.numerator
    if whole is not None and 0 < whole <= 60:
        return _whole_power(ctx, _pair(ctx, a), whole)
    negative = _signed(a) < 0
    if negative and whole is None:
        raise UndefinedError("a power of a negative number")
    size = _exp(ctx, _times(ctx, b, _log(ctx, _negated(a) if negative else a)))
    return _negated(size) if negative and whole is not None and whole % 2 else size


def _whole_power(ctx: Any, a: Pair, k: int) -> Value:
    ends = sorted((a.low**k, a.high**k))
    return _wider(ctx, 0 * a.low if k % 2 == 0 and a.low <= 0 <= a.high else ends[0], ends[1])


def _root(a: Fraction, k: int) -> Fraction | None:
    """The exact root, if there is one and it is small."""
    if k > 12 or _bits(a) > 2000:
        return None
    top, bottom = (_whole_root(n, k) for n in (a.numerator, a.denominator))
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_root(n: int, k: int) -> int | None:
    low, high = 0, 1 << (n.bit_length() // k + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**k <= n else (low, middle - 1)
    return low if low**k == n else None


def _negated(x: Value) -> Value:
    return -x if isinstance(x, Fraction) else Pair(-x.high, -x.low)


def _checked(ctx: Any, x: Pair) -> Pair:
    if any(not ctx.isfinite(end) or (end != 0 and ctx.mag(end) > _LARGEST) for end in (x.low, x.high)):
        raise UndefinedError("too large")
    return x


def _log(ctx: Any, x: Value) -> Value:
    if _signed(x) <= 0:
        raise UndefinedError("a logarithm of no positive number")
    ends = _pair(ctx, x)
    return Fraction(0) if x == 1 else _wider(ctx, ctx.log(ends.low), ctx.log(ends.high))


def _sqrt(ctx: Any, x: Value) -> Value:
    if x != 0 and _signed(x) < 0:
        raise UndefinedError("a root of a negative number")
    return _power(ctx, x, Fraction(1, 2))


def _growing(name: str, at_zero: int) -> Callable[[Any, Value], Value]:
    """An increasing function of mpmath, with its exact value at 0."""

    def applied(ctx: Any, x: Value) -> Value:
        if x == 0:
            return Fraction(at_zero)
        ends = _checked(ctx, _pair(ctx, x))
        return _wider(ctx, getattr(ctx, name)(ends.low), getattr(ctx, name)(ends.high))

    return applied


_exp = _growing("exp", 1)


def _wave(name: str, at_zero: int) -> Callable[[Any, Value], Value]:
    """sin and cos: no steeper than 1."""

    def applied(ctx: Any, x: Value) -> Value:
        if x == 0:
            return Fraction(at_zero)
        ends = _checked(ctx, _pair(ctx, x))
        found, radius = getattr(ctx, name)(ends.low), (ends.high - ends.low) * 2
        return _wider(ctx, found - radius, found + radius)

    return applied


def _cosh(ctx: Any, x: Value) -> Value:
    ends = _exp(ctx, x), _exp(ctx, _negated(x))
    return _times(ctx, Fraction(1, 2), _arithmetic(operator.add)(ctx, *ends))


def _gamma(name: str, shift: int) -> Callable[[Any, Value], Value]:
    """Where it grows, and at whole numbers."""

    def applied(ctx: Any, x: Value) -> Value:
        x = _arithmetic(operator.add)(ctx, x, Fraction(shift))
        if isinstance(x, Fraction) and x.denominator == 1 and 0 < x < 400:
            found = Fraction(math.factorial(int(x) - 1))
            return found if name == "gamma" else _log(ctx, found)
        ends = _pair(ctx, x)
        if not Fraction(3, 2) < ends.low <= ends.high < 10**7:
            raise UndefinedError("gamma where it is not looked at")
        return _wider(ctx, getattr(ctx, name)(ends.low), getattr(ctx, name)(ends.high))

    return applied


def _quotient(name: str) -> Callable[[Any, Value], Value]:
    """expm1r(z) = (e^z - 1)/z and log1pr(z) = log(1 + z)/z, both 1 at 0."""

    def applied(ctx: Any, z: Value) -> Value:
        if z == 0:
            return Fraction(1)
        plus = _arithmetic(operator.add)
        top = (
            plus(ctx, _exp(ctx, z), Fraction(-1))
            if name == "expm1r"
            else _log(ctx, plus(ctx, z, Fraction(1)))
        )
        return _arithmetic(operator.truediv)(ctx, top, z)

    return applied


def _extreme(of: Callable[..., Any]) -> Callable[..., Value]:
    def applied(ctx: Any, *xs: Value) -> Value:
        if all(isinstance(x, Fraction) for x in xs):
            return of(xs)
        pairs = [_pair(ctx, x) for x in xs]
        return Pair(of(p.low for p in pairs), of(p.high for p in pairs))

    return applied


def _absolute(ctx: Any, x: Value) -> Value:
    return abs(x) if isinstance(x, Fraction) else _extreme(max)(ctx, x, _negated(x))


_OPERATIONS: dict[type[ast.operator], Callable[[Any, Value, Value], Value]] = {
    ast.Add: _arithmetic(operator.add),
    ast.Sub: _arithmetic(operator.sub),
    ast.Mult: _times,
    ast.Div: _arithmetic(operator.truediv),
    ast.Pow: _power,
}
FUNCTIONS: dict[str, Callable[..., Value]] = {
    "exp": _exp,
    "log": _log,
    "ln": _log,
    "sqrt": _sqrt,
    "Abs": _absolute,
    "abs": _absolute,
    "Max": _extreme(max),
    "max": _extreme(max),
    "Min": _extreme(min),
    "min": _extreme(min),
    **{name: _growing(name, 0) for name in ("atan", "sinh", "tanh", "erf")},
    "sin": _wave("sin", 0),
    "cos": _wave("cos", 1),
    "cosh": _cosh,
    "gamma": _gamma("gamma", 0),
    "loggamma": _gamma("loggamma", 0),
    "factorial": _gamma("gamma", 1),
    "expm1r": _quotient("expm1r"),
    "log1pr": _quotient("log1pr"),
}
CONSTANTS = ("pi", "E")


@lru_cache(maxsize=20_000)
def tree_of(text: str) -> ast.expr:
    """The syntax tree."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UndefinedError(f"{text!r} is no formula") from error


def names_in(text: str) -> set[str]:
    """Its variables."""
    tree = tree_of(text)
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called} - set(CONSTANTS)


def _compiled(node: ast.expr, text: str) -> Evaluator:
    match node:
        case ast.Constant(value=bool()):
            raise UndefinedError(f"{text!r} is no formula")
        case ast.Constant(value=int() as number):
            return lambda ctx, at, n=Fraction(number): n
        case ast.Constant(value=float()):
            number = Fraction((ast.get_source_segment(text.strip(), node) or "").replace("_", ""))
            return lambda ctx, at, n=number: n
        case ast.Name(id="pi" | "E" as name):
            return lambda ctx, at: _wider(ctx, *[+(ctx.pi if name == "pi" else ctx.e)] * 2)
        case ast.Name(id=name):
            return lambda ctx, at: at[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
            inner = _compiled(operand, text)
            return inner if isinstance(op, ast.UAdd) else lambda ctx, at: _negated(inner(ctx, at))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            a, b, of = _compiled(left, text), _compiled(right, text), _OPERATIONS[type(op)]
            return lambda ctx, at: of(ctx, a(ctx, at), b(ctx, at))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS and arguments:
            parts, function = [_compiled(part, text) for part in arguments], FUNCTIONS[name]
            return lambda ctx, at: function(ctx, *(part(ctx, at) for part in parts))
    raise UndefinedError(f"{text!r}: {ast.unparse(node)!r} is not in the language")


@lru_cache(maxsize=20_000)
def compiled(text: str) -> Evaluator:
    """The function of a formula."""
    return _compiled(tree_of(text), text)


def value(text: str, at: Point, digits: int = DIGITS[0]) -> Value:
    """Its value, a Fraction if it is one for certain."""
    try:
        return compiled(text)(_context(digits), at)
    except (KeyError, OverflowError, ZeroDivisionError, TypeError, ValueError) as error:
        raise UndefinedError(str(error)) from error


def sign(left: str, right: str, at: Point) -> int | None:
    """The sign of ``right - left``; None if it is undefined or not decided."""
    for digits in DIGITS:
        try:
            return _signed(
                _OPERATIONS[ast.Sub](_context(digits), value(right, at, digits), value(left, at, digits))
            )
        except BlurredError:
            continue
        except UndefinedError:
            return None
    return None


@lru_cache(maxsize=20_000)
def comparisons(text: str) -> tuple[tuple[str, str, str], ...]:
    """The single comparisons of a chain: left, relation, right."""
    tree = tree_of(text)
    if not isinstance(tree, ast.Compare) or any(type(op) not in _RELATIONS for op in tree.ops):
        raise UndefinedError(f"{text!r} is no comparison")
    sides = [ast.get_source_segment(text.strip(), side) or "" for side in (tree.left, *tree.comparators)]
    return tuple((a, _RELATIONS[type(op)], b) for op, (a, b) in zip(tree.ops, pairwise(sides), strict=True))


def holds(text: str, at: Point) -> bool | None:
    """Whether a comparison (or chain of them) holds at a point; None if that is not decided."""
    answer: bool | None = True
    for left, relation, right in comparisons(text):
        found = sign(left, right, at)
        if found is None:
            answer = None
            continue
        good = {"<=": found >= 0, "<": found > 0, ">=": found <= 0, ">": found < 0, "==": found == 0}[
            relation
        ]
        if not good:
            return False
    return answer


def inside(domain: Iterable[str], integers: Iterable[str], at: Point) -> bool:
    """Whether the point is in the domain, for certain."""
    if any(at[name].denominator != 1 for name in integers if name in at):
        return False
    return all(text.isidentifier() or holds(text, at) is True for text in domain)
