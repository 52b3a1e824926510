"""Random finite worlds, in which texts of the language of derivations are evaluated as they are written.

Ω is a tree of some depth: ω is a sequence of branches, F(n) its first n + 1, P_n(· | beginning) a product of
random rational probabilities (some are 0).  A random symbol is a random table that looks at ω up to its level
only; a function of real arguments is a random polynomial with a step.  Numbers are exact rationals; ``exp``,
``log`` and roots are balls, and what a ball cannot decide is ``Undecided``, which is never counted as true.

``Int`` is a quadrature with positive weights on cells between whole numbers: exact for polynomials of the
degree of its nodes on each cell, and for every integrand a measure, so linearity, order and Tonelli hold.

Truth has three values.  ``All`` over infinitely many values is ``False`` if a sample is, otherwise ``None``:
it can refute a conclusion, and is never a true hypothesis.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise, product
from random import Random
from types import CodeType
from typing import Any

from flint import fmpq

from tests.kernel.numbers import (
    Undecided,
    Value,
    absolute,
    conjunction,
    equal,
    exact,
    exponential,
    inverse,
    larger,
    less,
    logarithm,
    negate,
    rational,
    root,
    smaller,
    sure,
)
from verify.kernel.terms import Symbol

Outcome = tuple[int, ...]
Env = dict[str, Value]
Code = Callable[[Env, Outcome], Value]

MOST_SUMMANDS = 12
CAP = 4  # symbols do not change beyond this whole argument
FAR = 10**6
MOST_WORK = 2_000  # bodies evaluated for one value
SAMPLES = {"Nat": [fmpq(k) for k in (0, 1, 2, 3, 5)], "Real": [fmpq(k, 2) for k in (-2, -1, 0, 1, 2, 5)]}
LINEAR = ((fmpq(1, 3), fmpq(1, 2)), (fmpq(2, 3), fmpq(1, 2)))


def quadrature(nodes: list[Fraction]) -> tuple[tuple[fmpq, fmpq], ...]:
    """Nodes in (0, 1) with the weights that make all polynomials below their number exact."""
    size = len(nodes)
    rows = [[x**k for x in nodes] + [Fraction(1, k + 1)] for k in range(size)]
    for i in range(size):
        pivot = next(r for r in range(i, size) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(size):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    weights = [row[-1] for row in rows]
    assert all(w > 0 for w in weights)
    return tuple((rational(x), rational(w)) for x, w in zip(nodes, weights, strict=True))


EXACT = quadrature([Fraction(1, 20), Fraction(3, 13), Fraction(1, 2), Fraction(10, 13), Fraction(19, 20)])


# --- worlds -------------------------------------------------------------------------------------


@dataclass
class World:
    """An interpretation of the symbols."""

    rng: Random
    symbols: Mapping[str, Symbol]
    variables: Mapping[str, str]
    sizes: Mapping[str, int]
    depth: int = 3
    nodes: tuple[tuple[fmpq, fmpq], ...] = LINEAR
    branches: dict[Outcome, list[fmpq]] = field(default_factory=dict)
    tables: dict[Any, Value] = field(default_factory=dict)
    code: dict[str, Code] = field(default_factory=dict)
    work: int = 0

    def __post_init__(self) -> None:
        layer: list[Outcome] = [()]
        for _ in range(self.depth):
            for beginning in layer:
                self.branches[beginning] = self._probabilities(self.rng.choice([1, 2, 2, 2, 3]))
            layer = [(*b, k) for b in layer for k in range(len(self.branches[b]))]
        self.outcomes = layer

    def _probabilities(self, size: int) -> list[fmpq]:
        counts = [self.rng.choice([0, 1, 1, 2, 3]) for _ in range(size)]
        if not sum(counts):
            counts[self.rng.randrange(size)] = 1
        return [fmpq(c, sum(counts)) for c in counts]

    def after(self, beginning: Outcome) -> list[tuple[Outcome, fmpq]]:
        """The outcomes that begin so, with their probabilities."""
        found = [(beginning, fmpq(1))]
        for _ in range(len(beginning), self.depth):
            found = [((*b, k), w * p) for b, w in found for k, p in enumerate(self.branches[b]) if p != 0]
        return found

    def elements(self, sort: str) -> list[Value]:
        """All elements of a finite sort."""
        return list(range(self.sizes[sort]))

    def draw(self, sort: str) -> Value:
        """A random value."""
        if sort == "Real":
            return fmpq(self.rng.randint(-4, 6), self.rng.choice([1, 2, 3]))
        return fmpq(self.rng.randint(0, 3)) if sort == "Nat" else self.rng.randrange(self.sizes[sort])

    def sort_of(self, name: str) -> str:
        """The sort of a variable, also of one like Nat_3."""
        return self.variables[name] if name in self.variables else name.rpartition("_")[0]

    # --- symbols ---

    def apply(self, symbol: Symbol, args: list[Value], outcome: Outcome) -> Value:
        """The value of a symbol."""
        plain, reals = [], []
        for a, sort in zip(args, symbol.args, strict=True):
            if sort == "Real":
                reals.append(a)
            else:
                plain.append(min(int(a.p), CAP) if sort == "Nat" else a)
        seen = outcome[: self._level(symbol, args) + 1] if symbol.random else ()
        key = (symbol.name, tuple(plain), seen)
        if not reals:
            if key not in self.tables:
                self.tables[key] = self.draw(symbol.value)
            return self.tables[key]
        return self._function(key, symbol.value, reals)

    def _level(self, symbol: Symbol, args: list[Value]) -> int:
        if symbol.known == "any":
            return self.depth
        # A level rises in its arguments, so the value at the cap looks at no more than it may.
        whole = {f"_{k + 1}": min(int(a.p), CAP) for k, a in enumerate(args) if symbol.args[k] == "Nat"}
        return int(eval(_level_code(symbol.known or "0"), {"__builtins__": {}}, whole))

    def _function(self, key: Any, sort: str, reals: list[Value]) -> Value:
        """A polynomial with a step at a whole number; of another sort, two steps."""
        if key not in self.tables:
            draws = [self.draw(sort) for _ in range(2 + 2 * len(reals))]
            self.tables[key] = (self.rng.randint(-1, 2), draws)
        step, (low, high, *slopes) = self.tables[key]
        up = [sure(negate(less(x, fmpq(step)))) for x in reals]
        value = high if all(up) else low
        if sort != "Real":
            return value
        for k, x in enumerate(reals):
            value = value + slopes[2 * k] * x + (slopes[2 * k + 1] * x * x if k == 0 else 0)
        return value

    # --- texts ---

    def value(self, text: str, env: Env, outcome: Outcome) -> Value:
        """The value of a term, or the truth of a formula."""
        if text not in self.code:
            self.code[text] = self.compile(ast.parse(text, mode="eval").body)
        self.work = MOST_WORK
        return self.code[text](env, outcome)

    def _spend(self, cases: int) -> None:
        self.work -= cases
        if self.work < 0:
            raise Undecided

    def compile(self, node: ast.expr) -> Code:
        """A function of the values of variables and the outcome."""
        match node:
            case ast.Constant(value=int() | float() as n):
                q = rational(Fraction(str(n)))
                return lambda env, w: q
            case ast.Name(id=name):
                if name in self.symbols:
                    symbol = self.symbols[name]
                    return lambda env, w: self.apply(symbol, [], w)
                return lambda env, w: env[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.compile(operand)
                return lambda env, w: -inner(env, w)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, self.compile(left), right)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _comparison(op, self.compile(left), self.compile(right))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, args)
        raise AssertionError(ast.unparse(node))

    def _operation(self, op: ast.operator, a: Code, right: ast.expr) -> Code:
        b = self.compile(right)
        match op:
            case ast.Add():
                return lambda env, w: a(env, w) + b(env, w)
            case ast.Sub():
                return lambda env, w: a(env, w) - b(env, w)
            case ast.Mult():
                return lambda env, w: a(env, w) * b(env, w)
            case ast.Div():
                return lambda env, w: a(env, w) * inverse(b(env, w))
        k = b({}, ())
        if k.q != 1:
            return lambda env, w: exponential(k * logarithm(a(env, w)))
        whole = int(k.p)
        return lambda env, w: _power(a(env, w), whole)

    def _call(self, name: str, args: list[ast.expr]) -> Code:
        if name in self.symbols:
            symbol, values = self.symbols[name], [self.compile(a) for a in args]
            return lambda env, w: self.apply(symbol, [v(env, w) for v in values], w)
        if name in ("Sum", "SumOver", "MaxOver", "Int", "Sup", "All"):
            assert isinstance(args[0], ast.Name)
            parts = [self.compile(a) for a in args[1:]]
            return self._binder(name, args[0].id, parts[0], parts[-1])
        values = [self.compile(a) for a in args]
        if name == "E":
            return self._mean(values[0], values[1] if len(values) == 2 else None)
        if name == "Sure":
            return lambda env, w: conjunction([values[0](env, v) for v in self.outcomes])
        made = _FUNCTIONS[name]
        return lambda env, w: made(*(v(env, w) for v in values))

    def _mean(self, body: Code, level: Code | None) -> Code:
        def run(env: Env, w: Outcome) -> Value:
            n = -1 if level is None else int(level(env, w).p)
            cases = self.after(w[: n + 1])
            self._spend(len(cases))
            return _total([p * body(env, v) for v, p in cases])

        return run

    def _binder(self, tag: str, name: str, limit: Code, body: Code) -> Code:
        sort = self.sort_of(name)

        def values(points: list[Value], env: Env, w: Outcome) -> list[Value]:
            self._spend(len(points))
            return [body({**env, name: x}, w) for x in points]

        match tag:
            case "Sum":
                return lambda env, w: _total(values(_below(limit(env, w)), env, w))
            case "SumOver":
                return lambda env, w: _total(values(self.elements(sort), env, w))
            case "MaxOver":
                return lambda env, w: reduce(larger, values(self.elements(sort), env, w))
            case "Sup":
                return lambda env, w: self._supremum(values(self._suprema(), env, w))
            case "Int":

                def integral(env: Env, w: Outcome) -> Value:
                    points = self._points(limit(env, w))
                    found = values([x for x, _ in points], env, w)
                    return self._integrated([(p, v) for (_, p), v in zip(points, found, strict=True)])

                return integral
        if sort in SAMPLES:
            return lambda env, w: False if False in values(SAMPLES[sort], env, w) else None
        return lambda env, w: conjunction(values(self.elements(sort), env, w))

    def _integrated(self, values: list[tuple[fmpq, Value]]) -> Value:
        return _total([p * v for p, v in values])

    def _points(self, end: Value) -> list[tuple[fmpq, fmpq]]:
        """Nodes and weights for [0, end]."""
        if not exact(end) or end > MOST_SUMMANDS:
            raise Undecided
        points, low = [], fmpq(0)
        while low < end:
            width = min(fmpq(1), end - low)
            points += [(low + width * x, width * p) for x, p in self.nodes]
            low += width
        return points

    def _suprema(self) -> list[fmpq]:
        """Where a sequence is looked at, the last far out."""
        return [fmpq(k) for k in (*range(3 * CAP), FAR)]

    def _supremum(self, values: list[Value]) -> Value:
        """Of a sequence (the last value is a far one) that settles, falls, or grows like a polynomial."""
        *near, far = values
        if not all(map(exact, values)):
            raise Undecided
        steps = [b - a for a, b in zip(near[-5:], near[-4:], strict=False)]
        if all(d <= 0 for d in steps) and far <= near[-1]:
            return max(near)
        bends = [b - a for a, b in pairwise(steps)]
        more = fmpq(FAR - len(near) + 1)
        grown = near[-1] + steps[-1] * more + bends[0] * more * (more + 1) / 2
        if steps[0] > 0 and bends[0] >= 0 and all(b == bends[0] for b in bends) and far == grown:
            return fmpq(0)  # there is no bound
        raise Undecided


@cache
def _level_code(text: str) -> CodeType:
    return compile(text, "level", "eval")


def _total(values: list[Value]) -> Value:
    total: Value = fmpq(0)
    for v in values:
        total = total + v
    return total


def _below(n: Value) -> list[Value]:
    if n > MOST_SUMMANDS:
        raise Undecided
    return [fmpq(k) for k in range(int(n.p))]


def _power(x: Value, k: int) -> Value:
    result: Value = fmpq(1)
    for _ in range(abs(k)):
        result = result * x
    return inverse(result) if k < 0 else result


def _comparison(op: ast.cmpop, a: Code, b: Code) -> Code:
    match op:
        case ast.LtE():
            return lambda env, w: negate(less(b(env, w), a(env, w)))
        case ast.Lt():
            return lambda env, w: less(a(env, w), b(env, w))
        case ast.GtE():
            return lambda env, w: negate(less(a(env, w), b(env, w)))
        case ast.Gt():
            return lambda env, w: less(b(env, w), a(env, w))
    return lambda env, w: equal(a(env, w), b(env, w))


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "exp": exponential,
    "log": logarithm,
    "sqrt": root,
    "Abs": absolute,
    "Max": lambda *v: reduce(larger, v),
    "Min": lambda *v: reduce(smaller, v),
    "Ind": lambda a: fmpq(int(sure(a))),
    "And": lambda *v: conjunction(list(v)),
    "Or": lambda *v: negate(conjunction([negate(a) for a in v])),
    "Not": negate,
    "Imp": lambda a, b: negate(conjunction([a, negate(b)])),
}


def assignments(world: World, names: list[str], number: int) -> list[Env]:
    """Values for free variables: all of finite sorts if they are few, samples of numbers."""
    choices = []
    for name in names:
        sort = world.sort_of(name)
        choices.append(SAMPLES.get(sort) or world.elements(sort))
    total = 1
    for c in choices:
        total *= len(c)
    if total <= number:
        return [dict(zip(names, values, strict=True)) for values in product(*choices)]
    return [{n: world.rng.choice(c) for n, c in zip(names, choices, strict=True)} for _ in range(number)]
