"""Random formulas of the language of claims, and their values by mpmath alone.

The truth about a formula comes from its text, read by Python and evaluated here with many digits; a point at
which any part has no real value raises :class:`UndefinedError`.  A :class:`~verify.recheck.terms.Term` is
evaluated by the same arithmetic, so that what the checker makes of a text can be compared with the text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from random import Random
from typing import Any

import mpmath

from verify.recheck.terms import Term

DIGITS = 60
MP = mpmath.mp.clone()
MP.dps = DIGITS
_STEEP = ("exp", "sinh", "cosh", "gamma", "loggamma", "factorial", "expm1r", "sin", "cos", "tanh", "erf")
_LARGEST = [10**5]  # argument of one of these, or exponent; the last one counts

Point = Mapping[str, Fraction]


class UndefinedError(Exception):
    """A formula has no real value at the point, or one that is not looked at."""


class OutsideError(UndefinedError):
    """A root or a logarithm of a negative number."""


@contextmanager
def arguments_up_to(largest: int) -> Iterator[None]:
    """Larger arguments of functions for a while."""
    _LARGEST.append(largest)
    try:
        yield
    finally:
        _LARGEST.pop()


def mpf(x: Fraction | int) -> Any:
    """A number with all digits."""
    return MP.mpf(Fraction(x).numerator) / Fraction(x).denominator


def _whole(x: Any) -> bool:
    return bool(MP.isint(x))


def raised(b: Any, e: Any) -> Any:
    """b**e over the reals; 0**0 is refused."""
    if abs(e) > _LARGEST[-1]:
        raise UndefinedError
    if b == 0:
        if e <= 0:
            raise UndefinedError
        return MP.mpf(0)
    if b < 0 and not _whole(e):
        raise OutsideError
    return MP.power(b, int(e)) if _whole(e) else MP.power(b, e)


def _positive(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        if x <= 0:
            raise OutsideError if x else UndefinedError
        return f(x)

    return value


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "exp": MP.exp, "log": _positive(MP.log), "sqrt": lambda x: raised(x, MP.mpf(1) / 2), "Abs": abs,
    "sin": MP.sin, "cos": MP.cos, "atan": MP.atan, "sinh": MP.sinh, "cosh": MP.cosh, "tanh": MP.tanh,
    "erf": MP.erf, "gamma": _positive(MP.gamma), "loggamma": _positive(lambda x: MP.loggamma(x).real),
    "factorial": lambda x: _positive(MP.gamma)(x + 1), "Max": max, "Min": min,
    "expm1r": lambda x: MP.expm1(x) / x if x else MP.mpf(1),
    "log1pr": lambda x: _positive(lambda y: MP.log1p(x) / x if x else MP.mpf(1))(1 + x),
}  # fmt: skip


def called(name: str, *args: Any) -> Any:
    """A function of numbers."""
    if name == "polygamma":
        return _positive(lambda x: MP.psi(int(args[0]), x))(args[1])
    if name in _STEEP and abs(args[0]) > _LARGEST[-1]:
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
_EXPONENTS = (
    *("2", "3", "4", "0", "-1", "-2", "1/2", "-1/2", "3/2", "2/3"),
    *("n", "-n", "n/2", "1/n", "2*n", "y"),
)
_SINGLE = (
    *("exp", "log", "sqrt", "Abs", "sin", "cos", "atan"),
    *("sinh", "cosh", "tanh", "erf", "expm1r", "log1pr"),
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
    inner = lambda: low + (high - low) * Fraction(random.randint(1, 999), 1000)  # noqa: E731 -- likewise
    whole = Fraction(random.choice((-2, -1, 1, 2, 3, 4)), random.choice((1, 1, 1, 2)))
    return {"x": inner(), "y": inner(), "n": whole}


_LOOK_EQUAL = (
    ("sqrt(U**2)", "U"), ("sqrt(U**2)", "Abs(U)"), ("(U**n)**Q", "U**(n*Q)"), ("(U**2)**Q", "U**(2*Q)"),
    ("log(U*V)", "log(U) + log(V)"), ("log(U**2)", "2*log(U)"), ("log(U**n)/n", "log(U)"),
    ("exp(log(U) + V)", "U*exp(V)"), ("(U*V)**Q", "U**Q*V**Q"), ("U**Q*U**K", "U**(Q + K)"),
    ("Max(U, V)", "(U + V + Abs(U - V))/2"), ("Min(U, V)", "-Max(-U, -V)"), ("Max(U, V)", "U"),
    ("Max(U, Min(U, V))", "U"), ("Abs(U)*Abs(V)", "Abs(U*V)"), ("Abs(U) + Abs(V)", "Abs(U + V)"),
    ("Abs(U**2 - V**2)", "(U - V)*(U + V)"), ("gamma(U + K)", "gamma(U + J)*(U + J)"),
    ("loggamma(U + 1)", "loggamma(U) + log(U)"), ("sin(U)**2 + cos(U)**2", "1"), ("sin(-U)", "-sin(U)"),
    ("cosh(U)**2 - sinh(U)**2", "1"), ("tanh(U)", "1 - 2/(exp(2*U) + 1)"), ("1/U + 1/V", "(U + V)/(U*V)"),
    ("sqrt(U + 1)/(U + 1)", "1/sqrt(U + 1)"), ("(U + V)**K", "U**K + V**K"), ("(U**3)**(1/3)", "U"),
    ("sqrt((U + V)**2 - 4*U*V)", "U - V"), ("expm1r(U)*U", "exp(U) - 1"), ("log(8*U**3)", "3*log(2*U)"),
    ("sqrt(U**2*V)", "U*sqrt(V)"), ("sqrt(U**2 + U**2*V**2)", "U*sqrt(1 + V**2)"),
    ("(U**2*V**2)**(3/2)", "U**3*V**3"), ("sqrt(U*V)", "sqrt(-U)*sqrt(-V)"), ("sqrt(U**4*V**2)", "U**2*V"),
    ("exp(Q*log(U))", "U**Q"), ("exp(V + Q*log(U))", "U**Q*exp(V)"),
    ("sqrt(8*U)", "2*sqrt(2)*sqrt(U)"), ("U**n*V**n", "(U*V)**n"),
)  # fmt: skip


def rewritten(random: Random, depth: int = 2) -> tuple[str, str]:
    """Two texts that look equal: some are so everywhere, some for one sign only, some nearly, some never."""
    u, v = formula(random, depth, gammas=False), formula(random, depth - 1, gammas=False)
    q, k = random.choice(("1/2", "1/3", "2", "-1", "3/2", "n", "y")), random.choice((1, 2, 3))
    tiny = random.choice(("0", "0", "1/10**90", "1/10**200", f"sqrt(2 + ({u})**2)/10**90"))
    patterns = random.choice(_LOOK_EQUAL)
    left, right = (p.replace("U", f"({u})").replace("V", f"({v})").replace("Q", f"({q})") for p in patterns)
    left, right = (p.replace("K", str(k)).replace("J", str(k - 1)) for p in (left, right))
    zero = random.choice((f"Abs(({u} + 1)**2 - ({u})**2 - 2*({u}) - 1)", "0", "0"))
    around = random.choice(("{}", "{}", "({})*x", "exp({})", "({})**2", "Abs({})", "Max({}, y)"))
    return around.format(left), f"{around.format(right)} + {tiny} + {zero}"


def any_text(random: Random) -> str:
    """One of either kind."""
    return formula(random, random.choice((2, 3, 3))) if random.random() < 0.7 else rewritten(random)[0]
