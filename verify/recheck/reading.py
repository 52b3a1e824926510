"""Reading formulas, domains and relations: Python's syntax, a list of what is allowed, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy

from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.series import CONSTANTS, FUNCTIONS, symbol_of
from verify.recheck.sizes import applied, decimal, power

_RELATIONS: Mapping[type[ast.cmpop], str] = {
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.Eq: "==",
}
_MIRROR = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "=="}

Comparison = tuple[ast.expr, str, ast.expr]
Hypothesis = tuple[Any, str]  # right - left, and <=, < or ==


def tree_of(text: Any) -> ast.expr:
    """The syntax of one formula."""
    if not isinstance(text, str):
        raise UnknownError(f"{text!r} is not the text of a formula")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UnknownError(f"{text!r} is not a formula") from None


def names_in(tree: ast.expr) -> set[str]:
    """Its variables."""
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called} - set(CONSTANTS)


def read(text: Any, names: Iterable[str]) -> Any:
    """A formula in these variables."""
    return _real(_read(tree_of(text), set(names), text.strip()), text)


def _real(value: Any, text: str) -> Any:
    if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I):
        raise UnknownError(f"{text!r} is not a real formula")
    return value


def _read(node: ast.expr, names: set[str], text: str) -> Any:
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return sympy.Integer(number)
        case ast.Constant(value=float()):
            return decimal(ast.get_source_segment(text, node) or "")
        case ast.Name(id=name) if name in names:
            return symbol_of(name)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand, names, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _read(operand, names, text)
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(op, _read(left, names, text), _read(right, names, text))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            values = [_read(a, names, text) for a in arguments]
            try:
                return applied(FUNCTIONS[name], values)
            except (TypeError, ValueError) as error:
                raise UnknownError(f"{text!r}: {name}: {error}") from None
    raise UnknownError(f"{text!r}: {ast.unparse(node)!r} is not in the language")


def _operation(op: ast.operator, a: Any, b: Any) -> Any:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return a / b
        case ast.Pow():
            return power(a, b)
    raise UnknownError(f"the operation {type(op).__name__} is not in the language")


def rational(text: Any) -> Fraction:
    """A rational number written as text, or an integer."""
    with sympy.evaluate(True):  # a quotient is one number, also where nothing else may be evaluated
        value = read(str(text) if type(text) is int else text, ())
    if not value.is_Rational:
        raise UnknownError(f"{text!r} is not a rational number")
    return Fraction(int(value.p), int(value.q))


def comparisons(text: Any) -> list[tuple[Comparison, str]]:
    """The single comparisons of a chain."""
    tree = tree_of(text)
    if not isinstance(tree, ast.Compare) or any(type(op) not in _RELATIONS for op in tree.ops):
        raise UnknownError(f"{text!r} is not a comparison")
    sides = pairwise([tree.left, *tree.comparators])
    return [((a, _RELATIONS[type(op)], b), text) for op, (a, b) in zip(tree.ops, sides, strict=True)]


def relation_of(text: Any, names: Iterable[str]) -> tuple[Any, str, Any]:
    """left, one of <=, < and ==, right."""
    found = comparisons(text)
    if len(found) != 1:
        raise UnknownError(f"{text!r} is not one comparison")
    return _ordered(*found[0], set(names))


def _ordered(comparison: Comparison, text: str, names: set[str]) -> tuple[Any, str, Any]:
    left, relation, right = comparison
    if relation in (">=", ">"):
        left, relation, right = right, _MIRROR[relation], left
    sides = [_real(_read(side, names, text.strip()), text) for side in (left, right)]
    return sides[0], relation, sides[1]


def domain_of(
    texts: Iterable[Any], names: Iterable[str]
) -> tuple[dict[str, Interval], tuple[Hypothesis, ...]]:
    """Ranges by name, and the hypotheses in their order; a bare name is a variable without bounds."""
    known = set(names)
    ranges = dict.fromkeys(sorted(known), Interval(-INF, INF, True, True))
    given: list[Hypothesis] = []
    for text in texts:
        for (left, relation, right), whole in (
            [] if isinstance(tree_of(text), ast.Name) else comparisons(text)
        ):
            number = None
            if isinstance(left, ast.Name) and not names_in(right):
                name, number = left.id, right
            elif isinstance(right, ast.Name) and not names_in(left):
                name, number, relation = right.id, left, _MIRROR[relation]
            if number is None or name not in known:
                sides = _ordered((left, relation, right), whole, known)
                given.append((sides[2] - sides[0], sides[1]))
            else:
                bound = rational(ast.get_source_segment(whole.strip(), number))
                ranges[name] = _narrowed(ranges[name], relation, bound)
    for name, x in ranges.items():
        if x.low > x.high or (x.single and (x.low_open or x.high_open)):
            raise UnknownError(f"the range of {name} is empty")
    return ranges, tuple(given)


def _narrowed(x: Interval, relation: str, bound: Fraction) -> Interval:
    strict = relation in ("<", ">")
    if relation in (">=", ">", "==") and (bound, strict) > (x.low, x.low_open):
        x = replace(x, low=bound, low_open=strict)
    if relation in ("<=", "<", "==") and (-bound, strict) > (-x.high, x.high_open):
        x = replace(x, high=bound, high_open=strict)
    return x
