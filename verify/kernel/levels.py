"""From which decision on a random symbol is known: a term in the symbol's arguments, read once."""

from __future__ import annotations

import ast
from functools import cache

from verify.kernel.reading import tree_of
from verify.kernel.terms import NAT, KernelError, Symbol, Term, add, mul, num, substitute, var


@cache
def _template(symbol: Symbol) -> Term | None:
    """The level in the variables _1, _2, ...; None if nothing is promised."""
    if symbol.known is None or symbol.known == "any":
        return None
    return _read(tree_of(symbol.known), symbol)


def _read(node: ast.expr, symbol: Symbol) -> Term:
    match node:
        case ast.Constant(value=int() as n) if n >= 0 and not isinstance(n, bool):
            return num(n)
        case ast.Name(id=name) if name[0] == "_" and name[1:].isdecimal():
            place = int(name[1:])
            if 1 <= place <= len(symbol.args) and symbol.args[place - 1] == NAT:
                return var(name, NAT)
        case ast.BinOp(op=ast.Add() | ast.Mult() as op, left=left, right=right):
            return (add if isinstance(op, ast.Add) else mul)(_read(left, symbol), _read(right, symbol))
    raise KernelError(f"symbol {symbol.name}: known {symbol.known!r} is no sum of its whole arguments")


def level_of(t: Term) -> Term | None:
    """The level of an applied random symbol, its arguments put in; None if nothing is promised."""
    symbol, *args = t.parts
    level = _template(symbol)
    if level is None:
        return None
    return substitute(level, {v: args[int(v.parts[0][1:]) - 1] for v in level.free})
