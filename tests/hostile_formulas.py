"""Random formulas of the language of claims, and their values by mpmath alone.

The truth about a formula comes from its text, read by Python and evaluated here with many digits; a point at
which any part has no real value raises :class:`UndefinedError`.  A :class:`~verify.recheck.terms.Term` is
evaluated by the same arithmetic, so that what the checker makes of a text can be compared with the text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import mpmath

from verify.recheck.terms import Term

DIGITS = 60
MP = mpmath.mp.clone()
MP.dps = DIGITS
_LARGEST = 10**5  # argument of a function

Point = Mapping[str, Fraction]


class UndefinedError(Exception):
    """A formula has no real value at the point, or one that is not looked at."""


def mpf(x: Fraction | int) -> Any:
    """A number with all digits."""
    return MP.mpf(Fraction(x).numerator) / Fraction(x).denominator


def _whole(x: Any) -> bool:
    return bool(MP.isint(x))


def raised(b: Any, e: Any) -> Any:
    """b**e over the reals; 0**0 is refused."""
    if abs(e) > _LARGEST:
        raise UndefinedError
    if b == 0:
        if e <= 0:
            raise UndefinedError
        return MP.mpf(0)
    if b < 0 and not _whole(e):
        raise UndefinedError
    return MP.power(b, int(e)) if _whole(e) else MP.power(b, e)


def _positive(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        if x <= 0:
            raise UndefinedError
        return f(x)

    return value


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "exp": MP.exp, "log": _positive(MP.log), "sqrt": lambda x: raised(x, MP.mpf(1) / 2), "Abs": abs,
    "sin": MP.sin, "cos": MP.cos, "atan": MP.atan, "sinh": MP.sinh, "cosh": MP.cosh, "tanh": MP.tanh,
    "erf": MP.erf, "gamma": _positive(MP.gamma), "loggamma": _positive(lambda x: MP.loggamma(x).real),
    "factorial": lambda x: _positive(MP.gamma)(x + 1), "Max": max, "Min": min,
    "expm1r": lambda x: MP.expm1(x) / x if x else MP.mpf(1),
    "log1pr": lambda x: _positive(lambda y: MP.log(y) / x if x else MP.mpf(1))(1 + x),
}  # fmt: skip


def called(name: str, *args: Any) -> Any:
    """A function of numbers."""
    if name == "polygamma":
        return _positive(lambda x: MP.psi(int(args[0]), x))(args[1])
    if any(abs(a) > _LARGEST for a in args):
        raise UndefinedError
    return FUNCTIONS[name](*args)


def value(text: str, at: Point) -> Any:
    """The value of a text at a point."""
    return _value(ast.parse(text, mode="eval").body, {n: mpf(x) for n, x in at.items()})


def _value(node: ast.expr, at: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=n):
            return MP.mpf(n)
        case ast.Name(id=name):
            return at[name] if name in at else MP.pi + 0 if name == "pi" else MP.e + 0
        case ast.UnaryOp(operand=operand):
            return -_value(operand, at)
        case ast.Call(func=ast.Name(id=name), args=args):
            return called(name, *(_value(a, at) for a in args))
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left, at), _value(right, at)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    if b == 0:
                        raise UndefinedError
                    return a / b
            return raised(a, b)
    raise UndefinedError


def value_of_term(t: Term, at: Point) -> Any:
    """The value of a term at a point."""
    if t.value is not None:
        return mpf(t.value)
    if t.name:
        return mpf(at[t.name])
    args = [value_of_term(a, at) for a in t.args]
    match t.op:
        case "pi":
            return MP.pi + 0
        case "+":
            return MP.fsum(args)
        case "*":
            return MP.fprod(args)
        case "**":
            return MP.mpf(1) if args[1] == 0 else raised(*args)
    return called(t.op, *args)


def close(a: Any, b: Any) -> bool:
    """Equal up to what cancellation may cost."""
    return bool(abs(a - b) <= MP.mpf(10) ** (-DIGITS // 2) * (1 + abs(a) + abs(b)))


# ---------------------------------------------------------------- random ones

NAMES = ("x", "y", "n")
_SMALL = ("0", "1", "2", "3", "1/2", "-1", "-2", "2/3", "3/2", "1/3", "4")
_EXPONENTS = tuple(
    ["2", "3", "-1", "-2", "1/2", "-1/2", "3/2", "2/3", "n", "-n", "n/2", "1/n", "2*n", "y", "0", "4"]
)
_SINGLE = tuple(
    ["exp", "log", "sqrt", "Abs", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf", "expm1r", "log1pr"]
)
_GAMMAS = ("gamma", "loggamma", "factorial")


def formula(random: Random, depth: int = 3, gammas: bool = True) -> str:
    """A text in x, y and n."""
    if depth == 0 or random.random() < 0.12:
        return random.choice(
            (*NAMES, "x", "x", f"({random.choice(_SMALL)})", f"({random.choice(_SMALL)})", "pi")
        )
    part = lambda: formula(random, depth - 1, gammas)  # noqa: E731 -- a fresh one each time
    kind = random.random()
    if kind < 0.2:
        return f"({part()} {random.choice('+-')} {part()})"
    if kind < 0.4:
        return f"({part()} {random.choice('**/')} {part()})"
    if kind < 0.62:
        return f"({part()})**({random.choice(_EXPONENTS)})"
    if kind < 0.7:
        return f"{random.choice(('Max', 'Min'))}({part()}, {part()})"
    if kind < 0.74 and gammas:
        return f"{random.choice(_GAMMAS)}({part()})"
    return f"{random.choice(_SINGLE)}({part()})"


def somewhere(
    random: Random, low: Fraction = Fraction(-3), high: Fraction = Fraction(3)
) -> dict[str, Fraction]:
    """A point with x and y between two numbers, and n whole or a simple fraction."""
    inner = lambda: low + (high - low) * Fraction(random.randint(1, 999), 1000)  # noqa: E731
    whole = Fraction(random.choice((-2, -1, 1, 2, 3, 4)), random.choice((1, 1, 1, 2)))
    return {"x": inner(), "y": inner(), "n": whole}
