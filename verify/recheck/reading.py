"""Reading formulas, domains and relations: Python's syntax, a list of what is allowed, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.letters import foreign, normal
from verify.recheck.terms import HALF, ONE, PI, Term, add, call, mul, number, power, raw, variable

_RELATIONS: Mapping[type[ast.cmpop], str] = {
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.Eq: "==",
}
_MIRROR = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "=="}

_ONE_ARGUMENT = (
    *("exp", "log", "sqrt", "Abs", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf"),
    *("gamma", "loggamma", "factorial", "expm1r", "log1pr"),
)
_ALIASES = {"ln": "log", "abs": "Abs", "max": "Max", "min": "Min"}
_CONSTANTS = ("pi", "E")
_EXPONENT = 10_000  # of a decimal
_SHORT = 1000  # characters of texts whose trees are kept

Comparison = tuple[ast.expr, str, ast.expr]
Hypothesis = tuple[Term, str]  # right - left, and <=, < or ==


def tree_of(text: Any) -> ast.expr:
    """The syntax of one formula."""
    if not isinstance(text, str):
        raise UnknownError(f"{text!r} is not the text of a formula")
    if not normal(text):
        raise UnknownError(f"{text!r}: {foreign(text)}")
    try:
        short = len(text) <= _SHORT
        return _parsed(text.strip()) if short else _parsed.__wrapped__(text.strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UnknownError(f"{text!r} is not a formula") from None


@lru_cache(maxsize=2048)
def _parsed(text: str) -> ast.expr:
    """Derivations repeat their texts, and what is common to them; nobody changes a tree."""
    return ast.parse(text, mode="eval").body


def names_in(tree: ast.expr) -> set[str]:
    """Its variables."""
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called} - set(_CONSTANTS)


def read(text: Any, names: Iterable[str], *, fold: bool = True) -> Term:
    """A formula in these variables; folded, or as it stands."""
    return _read(tree_of(text), set(names), text.strip(), fold)


def _read(node: ast.expr, names: set[str], text: str, fold: bool) -> Term:
    match node:
        case ast.Constant(value=int() as n) if not isinstance(n, bool):
            return number(n)
        case ast.Constant(value=float()):
            return number(_decimal(ast.get_source_segment(text, node) or ""))
        case ast.Name(id=name) if name in names:
            return variable(name)
        case ast.Name(id=name) if name in _CONSTANTS:
            return PI if name == "pi" else call("exp", ONE)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _built("*", (number(-1), _read(operand, names, text, fold)), fold)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _read(operand, names, text, fold)
        case ast.BinOp(op=ast.Add() | ast.Sub()) if fold:  # a long sum is made once, not term by term
            return add(*_summands(node, names, text))
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _read(left, names, text, fold), _read(right, names, text, fold)
            if isinstance(op, ast.Pow) and not b.names:  # (-1)**(-2) is defined because -2 is whole
                b = _read(right, names, text, fold=True)
            return _operation(op, a, b, fold)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            name = _ALIASES.get(name, name)
            values = tuple(_read(a, names, text, fold) for a in arguments)
            if name in ("Max", "Min") and values:
                return _built(name, values, fold)
            if name in _ONE_ARGUMENT and len(values) == 1:
                return _function(name, values[0], fold)
    raise UnknownError(f"{text!r}: {ast.unparse(node)!r} is not in the language")


def _summands(node: ast.expr, names: set[str], text: str) -> Iterator[Term]:
    """What is added and subtracted, the last first."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        part = _read(node.right, names, text, fold=True)
        yield part if isinstance(node.op, ast.Add) else -part
        node = node.left
    yield _read(node, names, text, fold=True)


def _built(op: str, args: tuple[Term, ...], fold: bool) -> Term:
    if not fold:
        return raw(op, *args)
    match op:
        case "+":
            return add(*args)
        case "*":
            return mul(*args)
        case "**":
            return power(*args)
    return call(op, *args)


def _function(name: str, u: Term, fold: bool) -> Term:
    if name == "sqrt":
        return _built("**", (u, number(HALF)), fold)
    if name == "factorial":
        return _built("gamma", (_built("+", (u, ONE), fold),), fold)
    return _built(name, (u,), fold)


def _operation(op: ast.operator, a: Term, b: Term, fold: bool) -> Term:
    match op:
        case ast.Add():
            return _built("+", (a, b), fold)
        case ast.Sub():
            return _built("+", (a, _built("*", (number(-1), b), fold)), fold)
        case ast.Mult():
            return _built("*", (a, b), fold)
        case ast.Div():
            return _built("*", (a, _built("**", (b, number(-1)), fold)), fold)
        case ast.Pow():
            return _built("**", (a, b), fold)
    raise UnknownError(f"the operation {type(op).__name__} is not in the language")


def _decimal(text: str) -> Fraction:
    """A decimal number as written."""
    _, _, exponent = text.lower().partition("e")
    if len(exponent) > 6 or abs(int(exponent or 0)) > _EXPONENT:
        raise UnknownError(f"{text!r} is too long a number")
    return Fraction(text)


def rational(text: Any) -> Fraction:
    """A rational number written as text, or an integer."""
    value = read(str(text) if type(text) is int else text, ()).value
    if value is None:
        raise UnknownError(f"{text!r} is not a rational number")
    return value


def comparisons(text: Any) -> list[tuple[Comparison, str]]:
    """The single comparisons of a chain."""
    tree = tree_of(text)
    if not isinstance(tree, ast.Compare) or any(type(op) not in _RELATIONS for op in tree.ops):
        raise UnknownError(f"{text!r} is not a comparison")
    sides = pairwise([tree.left, *tree.comparators])
    return [((a, _RELATIONS[type(op)], b), text) for op, (a, b) in zip(tree.ops, sides, strict=True)]


def relation_of(text: Any, names: Iterable[str], *, fold: bool = True) -> tuple[Term, str, Term]:
    """left, one of <=, < and ==, right."""
    found = comparisons(text)
    if len(found) != 1:
        raise UnknownError(f"{text!r} is not one comparison")
    return _ordered(*found[0], set(names), fold)


def _ordered(comparison: Comparison, text: str, names: set[str], fold: bool) -> tuple[Term, str, Term]:
    left, relation, right = comparison
    if relation in (">=", ">"):
        left, relation, right = right, _MIRROR[relation], left
    sides = [_read(side, names, text.strip(), fold) for side in (left, right)]
    return sides[0], relation, sides[1]


def domain_of(
    texts: Iterable[Any], names: Iterable[str], *, fold: bool = True
) -> tuple[dict[str, Interval], tuple[Hypothesis, ...]]:
    """Ranges by name, and the hypotheses in their order; a bare name is a variable without bounds."""
    known = set(names)
    if constants := sorted(known.intersection(_CONSTANTS)):
        raise UnknownError(f"{constants[0]} is a number, not a variable")
    ranges = dict.fromkeys(sorted(known), Interval(-INF, INF, True, True))
    given: list[Hypothesis] = []
    for text in texts:
        for (left, relation, right), whole in (
            [] if isinstance(tree_of(text), ast.Name) else comparisons(text)
        ):
            side = None
            if isinstance(left, ast.Name) and not names_in(right):
                name, side = left.id, right
            elif isinstance(right, ast.Name) and not names_in(left):
                name, side, relation = right.id, left, _MIRROR[relation]
            if side is None or name not in known:
                low, kind, high = _ordered((left, relation, right), whole, known, fold)
                given.append((_operation(ast.Sub(), high, low, fold), kind))
            else:
                bound = rational(ast.get_source_segment(whole.strip(), side))
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
