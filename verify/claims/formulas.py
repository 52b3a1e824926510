"""Formulas as text: read into SymPy, written back, never evaluated as Python.

The language is Python's arithmetic over named real variables: ``+ - * / **``, rational and decimal
numbers (a decimal means its decimal value), ``pi``, ``E``, and the functions in :data:`FUNCTIONS`.
Where an expression has a removable singularity it means its limit, so ``x/(1 - exp(-x))`` is 1 at 0.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping
from typing import Any

import sympy

from verify.claims.sizes import BITS, bits, too_large
from verify.errors import UserError
from verify.recheck.letters import foreign, normal


class ClaimError(UserError):
    """A claim, a domain or a formula that cannot be read; the text is one line for the user."""


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "exp": sympy.exp,
    "log": sympy.log,
    "ln": sympy.log,
    "sqrt": sympy.sqrt,
    "Abs": sympy.Abs,
    "abs": sympy.Abs,
    "Max": sympy.Max,
    "max": sympy.Max,
    "Min": sympy.Min,
    "min": sympy.Min,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "atan": sympy.atan,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "erf": sympy.erf,
    "gamma": sympy.gamma,
    "loggamma": sympy.loggamma,
    "factorial": sympy.factorial,
}
CONSTANTS: Mapping[str, Any] = {"pi": sympy.pi, "E": sympy.E}
RELATIONS: Mapping[type[ast.cmpop], str] = {
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.Eq: "==",
}
_SEVERAL = ("Max", "max", "Min", "min")  # the functions of more than one argument
_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: sympy.Add,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: sympy.Mul,
    ast.Div: lambda a, b: a / b,
    ast.Pow: sympy.Pow,
}
# Made of parts none of which is certainly not real, these are not either, and need not be asked (it is slow).
_HARMLESS = (sympy.Add, _OPERATIONS[ast.Sub], sympy.Mul, _OPERATIONS[ast.Div], sympy.exp, sympy.Abs)
_NO_NUMBERS = (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan, sympy.I, sympy.AccumBounds)
_DIGITS = 4000  # of a decimal


def brief(text: str) -> str:
    """The text, or its beginning if it is too long for a message."""
    return text if len(text) <= 120 else f"{text[:117]}..."


def tree_of(text: str) -> ast.expr:
    """The syntax tree of one expression or chain of comparisons; decimals keep their text (as ``kind``)."""
    if not isinstance(text, str):
        raise ClaimError(f"formula {text!r}: write it as text, for example 'exp(-x) <= 1'")
    if not normal(text):
        raise ClaimError(f"formula {brief(text)!r}: {foreign(text)}")
    text = text.strip()
    try:
        tree = ast.parse(text, mode="eval").body
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, float):
                node.kind = ast.get_source_segment(text, node)
        return tree
    except (ValueError, MemoryError, RecursionError):  # a zero byte, thousands of brackets
        raise ClaimError(f"formula {brief(text)!r}: cannot be read; write a shorter one") from None
    except SyntaxError as error:
        hint = next((w for w in keyword.kwlist if w in text.split()), "lambda" if "lambda" in text else None)
        more = f" ({hint!r} is a word of Python: choose another name)" if hint else ""
        raise ClaimError(
            f"formula {brief(text)!r}: cannot be read near column {error.offset}{more}"
        ) from None


def names_in(node: ast.expr) -> set[str]:
    """The variables of a syntax tree."""
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called}
    return found - set(CONSTANTS)


def expression(text: str | ast.expr, symbols: Mapping[str, Any], source: str | None = None) -> Any:
    """The SymPy expression of ``text`` over ``symbols``; ``source`` is what a message quotes."""
    tree = tree_of(text) if isinstance(text, str) else text
    whole = source or (text if isinstance(text, str) else ast.unparse(text))
    try:
        return _read(tree, symbols, brief(whole.strip()))
    except RecursionError:
        raise ClaimError(f"formula {brief(whole)!r}: is nested too deeply; write a shorter one") from None


def _read(node: ast.expr, symbols: Mapping[str, Any], source: str) -> Any:
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return sympy.Integer(number)
        case ast.Constant(value=float() as number, kind=text):
            return _decimal(text or repr(number), source)
        case ast.Name(id=name) if name in symbols:
            return symbols[name]
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.Name(id=name):
            raise ClaimError(f"formula {source!r}: {name!r} is not a variable of the domain; add it there")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand, symbols, source)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _read(operand, symbols, source)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            parts = [_read(left, symbols, source), _read(right, symbols, source)]
            if isinstance(op, ast.Div) and parts[1] == 0:
                raise ClaimError(f"formula {source!r}: divides by zero")
            return _applied(_OPERATIONS[type(op)], parts, node, source)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            if not arguments or (len(arguments) > 1 and name not in _SEVERAL):
                some = "one argument" + " or more" * (name in _SEVERAL)
                raise ClaimError(f"formula {source!r}: {name} takes {some}, not {len(arguments)}")
            return _applied(FUNCTIONS[name], [_read(a, symbols, source) for a in arguments], node, source)
        case ast.Call(func=ast.Name(id=name)):
            raise ClaimError(f"formula {source!r}: {name!r} is unknown; known are {', '.join(FUNCTIONS)}")
    raise ClaimError(f"formula {source!r}: {ast.unparse(node)!r} is not arithmetic over the variables")


def _decimal(text: str, source: str) -> Any:
    """The value of a decimal, exactly."""
    digits, _, exponent = text.lower().partition("e")
    if len(exponent) > 6 or abs(int(exponent or 0)) + len(digits) > _DIGITS:
        raise ClaimError(f"formula {source!r}: {text} has more than {_DIGITS} digits; write a smaller power")
    return sympy.Rational(text)


def _applied(function: Callable[..., Any], parts: list[Any], node: ast.expr, source: str) -> Any:
    """One operation or function, if its value is a real number of a readable size."""
    where = f"formula {source!r}: {brief(ast.unparse(node))!r}"
    if too_large(function, parts):
        raise ClaimError(f"{where} is too large to be written out; take logarithms or name it by a variable")
    try:
        value = function(*parts)
    except (TypeError, ValueError, ArithmeticError):
        raise ClaimError(f"{where} is not a real number") from None
    if value.has(*_NO_NUMBERS) or _undefined(function, parts, value):
        raise ClaimError(f"{where} is not a real number (anywhere on the domain)")
    if bits(value) > BITS:
        raise ClaimError(f"{where} holds a number of more than {BITS} bits; name it by a variable")
    return value


def _undefined(function: Callable[..., Any], parts: list[Any], value: Any) -> bool:
    """Whether the value certainly exists nowhere, by the signs of the variables.

    It is asked at every step, since SymPy reads ``exp(log(x))`` as x for x <= 0 too.
    """
    first = parts[0]
    if function in _HARMLESS:
        return False
    if function is sympy.log:
        return bool(first.is_nonpositive)
    if function is sympy.sqrt:
        return bool(first.is_negative)
    if function is sympy.Pow:
        fractional = parts[1].is_Rational and not parts[1].is_Integer
        return bool(fractional and first.is_negative) or value.is_real is False
    return value.is_real is False


def text_of(formula: Any) -> str:
    """The text of a SymPy expression, in the same language."""
    return str(sympy.sstr(formula, full_prec=False))
