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


class ClaimError(ValueError):
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
_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def tree_of(text: str) -> ast.expr:
    """The syntax tree of one expression or chain of comparisons."""
    if not isinstance(text, str):
        raise ClaimError(f"formula {text!r}: write it as text, for example 'exp(-x) <= 1'")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        hint = next((w for w in keyword.kwlist if w in text.split()), "lambda" if "lambda" in text else None)
        more = f" ({hint!r} is a word of Python: choose another name)" if hint else ""
        raise ClaimError(f"formula {text!r}: cannot be read near column {error.offset}{more}") from None


def names_in(node: ast.expr) -> set[str]:
    """The variables of a syntax tree."""
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called}
    return found - set(CONSTANTS)


def expression(text: str | ast.expr, symbols: Mapping[str, Any], source: str | None = None) -> Any:
    """The SymPy expression of ``text`` over ``symbols``."""
    whole = text if isinstance(text, str) else (source or "")
    return _read(tree_of(text) if isinstance(text, str) else text, symbols, whole)


def _read(node: ast.expr, symbols: Mapping[str, Any], source: str) -> Any:
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return sympy.Integer(number)
        case ast.Constant(value=float()):
            return sympy.Rational(ast.get_source_segment(source, node) or repr(node.value))
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
            value = _OPERATIONS[type(op)](_read(left, symbols, source), _read(right, symbols, source))
            if value.has(sympy.zoo, sympy.nan):
                raise ClaimError(f"formula {source!r}: divides by zero")
            return value
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_read(a, symbols, source) for a in arguments))
        case ast.Call(func=ast.Name(id=name)):
            raise ClaimError(f"formula {source!r}: {name!r} is unknown; known are {', '.join(FUNCTIONS)}")
    raise ClaimError(f"formula {source!r}: {ast.unparse(node)!r} is not arithmetic over the variables")


def text_of(formula: Any) -> str:
    """The text of a SymPy expression, in the same language."""
    return str(sympy.sstr(formula, full_prec=False))
