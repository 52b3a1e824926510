"""Texts of the language of derivations, evaluated in numbers with radii on arrays.

A world says what the symbols are; every binder adds an axis.  ``Int`` is Simpson's rule on cells between 0
and t, with half the sum of second differences (and of the first and last step) as radius: more than the
error for smooth integrands, kinks and jumps that the cells see.
``Sup`` looks at some numbers, and adds what
the world says could still be gained; ``All`` over numbers looks at samples, and so can only refute.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache, reduce
from typing import Any, Protocol

import numpy as np

from tests.kernel import balls
from tests.kernel.balls import Array, Ball
from verify.kernel.terms import Symbol

Value = Any  # Ball, an array of elements of a finite sort, or an array of truths
Env = dict[str, Value]

CELLS = 64
OUTCOME = "ω"
BINDERS = ("Sum", "SumOver", "MaxOver", "Int", "Sup", "All")
_FUNCTIONS = {
    "exp": balls.exponential,
    "log": balls.logarithm,
    "sqrt": balls.root,
    "Abs": balls.absolute,
}
_RELATIONS = {ast.LtE: ("<=", False), ast.Lt: ("<", False), ast.GtE: ("<=", True), ast.Gt: ("<", True)}


class Interpretation(Protocol):
    """What the evaluator asks of a world."""

    symbols: Mapping[str, Symbol]

    def sort_of(self, name: str) -> str: ...
    def elements(self, sort: str, body: ast.expr) -> Array: ...
    def outcomes(self, env: Env) -> Array: ...
    def supremum(self, got: Ball, body: ast.expr) -> Ball: ...
    def apply(self, symbol: Symbol, args: list[Value], env: Env) -> Value: ...
    def mean(self, body: ast.expr, level: ast.expr | None, env: Env, evaluator: Evaluator) -> Ball: ...


@cache
def parsed(text: str) -> ast.expr:
    """The tree of a text."""
    return ast.parse(text.strip(), mode="eval").body


def deeper(env: Env) -> Env:
    """Every value with one more axis."""
    return {k: v.deeper() if isinstance(v, Ball) else v[..., None] for k, v in env.items()}


def contracted(got: Ball, contraction: float) -> Ball:
    """The supremum of a rising sequence whose steps shrink by a factor, of which these are the first."""
    last = np.abs(got.m[..., -1] - got.m[..., -2]) / (1 - contraction)
    return balls.between(got.low.max(-1), got.high.max(-1) + last)


class Evaluator:
    """Values of texts in one world; ``within``: equations may hold up to the error."""

    def __init__(self, world: Interpretation, within: bool = True) -> None:
        self.world, self.within = world, within

    def strict(self) -> Evaluator:
        """The same, where an overlap is not decided."""
        return Evaluator(self.world, False)

    def of(self, node: ast.expr, env: Env) -> Value:
        """The value."""
        match node:
            case ast.Constant(value=int() | float() as n):
                return Ball.of(n)
            case ast.Name(id=name):
                if name in self.world.symbols:
                    return self.world.apply(self.world.symbols[name], [], env)
                return env[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.of(operand, env)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, left, right, env)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._relation(op, self.of(left, env), self.of(right, env))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, args, env)
        raise AssertionError(ast.unparse(node))

    def _operation(self, op: ast.operator, left: ast.expr, right: ast.expr, env: Env) -> Ball:
        a, b = self.of(left, env), self.of(right, env)
        match op:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
            case ast.Div():
                return a * balls.inverse(b)
        if isinstance(right, ast.Constant):
            return balls.power(a, right.value)
        return balls.exponential(b * balls.logarithm(a))

    def _relation(self, op: ast.cmpop, a: Value, b: Value) -> Array:
        if not isinstance(a, Ball):
            return np.where(a == b, 1, -1)
        name, swapped = _RELATIONS.get(type(op), ("==", False))
        return balls.compared(name, b, a, self.within) if swapped else balls.compared(name, a, b, self.within)

    def _call(self, name: str, args: list[ast.expr], env: Env) -> Value:
        if name in self.world.symbols:
            return self.world.apply(self.world.symbols[name], [self.of(a, env) for a in args], env)
        if name in BINDERS:
            assert isinstance(args[0], ast.Name)
            return self._binder(name, args[0].id, args[1:-1], args[-1], env)
        match name:
            case "E":
                return self.world.mean(args[0], args[1] if len(args) == 2 else None, env, self)
            case "Ind":
                truth = self.strict().of(args[0], env)
                return Ball((truth + 1) / 2, np.where(truth == 0, 0.5, 0.0))
            case "Not":
                return -self.strict().of(args[0], env)
            case "Sure":
                return self.of(args[0], {**deeper(env), OUTCOME: self.world.outcomes(env)}).min(-1)
        values = [self.of(a, env) for a in args]
        match name:
            case "Max":
                return reduce(balls.larger, values)
            case "Min":
                return reduce(balls.smaller, values)
            case "And":
                return reduce(np.minimum, values)
            case "Or":
                return reduce(np.maximum, values)
            case "Imp":
                return np.maximum(-values[0], values[1])
        return _FUNCTIONS[name](values[0])

    def _binder(self, tag: str, name: str, limit: list[ast.expr], body: ast.expr, env: Env) -> Value:
        end = self.of(limit[0], env) if limit else None
        sort, inside = self.world.sort_of(name), deeper(env)
        if tag == "Int":
            return self._integral(end, body, inside, name)
        if tag == "Sum":
            size = int(end.m.max(initial=0))
            index = np.arange(max(size, 1), dtype=float)
            got = self.of(body, {**inside, name: Ball.of(index)})
            use = index < end.m[..., None]
            return balls.rounded(np.where(use, got.m, 0).sum(-1), np.where(use, got.r, 0).sum(-1))
        elements = self.world.elements(sort, body)
        got = self.of(body, {**inside, name: Ball.of(elements) if sort in ("Real", "Nat") else elements})
        if isinstance(got, Ball) and got.m.shape[-1:] != elements.shape:  # the body does not mention it
            got = Ball(*(np.broadcast_to(v, (*v.shape[:-1], elements.size)) for v in (got.m, got.r)))
        match tag:
            case "SumOver":
                return balls.rounded(got.m.sum(-1), got.r.sum(-1))
            case "MaxOver":
                return reduce(
                    balls.larger, [Ball(got.m[..., k], got.r[..., k]) for k in range(elements.size)]
                )
            case "Sup":
                return self.world.supremum(got, body)
        return got.min(-1)

    def _integral(self, end: Ball, body: ast.expr, inside: Env, name: str) -> Ball:
        share = np.linspace(0, 1, CELLS + 1)
        top = np.maximum(end.m, 0)
        got = self.of(body, {**inside, name: Ball.of(top[..., None] * share)})
        m = np.broadcast_to(got.m, (*np.broadcast_shapes(got.m.shape[:-1], top.shape), CELLS + 1))
        step = top / CELLS
        weights = np.full(CELLS + 1, 2 / 3)
        weights[1::2] = 4 / 3
        weights[[0, -1]] = 1 / 3
        steps = np.abs(np.diff(m, axis=-1))
        bends = (np.abs(np.diff(m, 2, axis=-1)).sum(-1) + steps[..., 0] + steps[..., -1]) / 2
        size = np.abs(m).max(-1)
        radius = step * ((got.r * weights).sum(-1) + bends) + size * end.r
        return Ball(step * (m * weights).sum(-1), radius)
