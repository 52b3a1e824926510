"""The rules ``combine``, ``increasing`` and ``known``: several hypotheses used together.

*Combine.*  What is known to be >= 0 at a point (x - a and b - x for a range, right - left for a hypothesis,
facts with a proof of their own) may be multiplied, with sums of squares and with each other, and added:

    s f = Σ_k (g_k1 g_k2 ...) · m_kᵀ Q_k m_k,    Q_k symmetric, rational, positive semidefinite

where m_k is a list of expressions.  So f >= 0 where s > 0, and f > 0 where s >= 0 and the right side is
positive; s is 1, or a sum of the same kind.  A product is positive if its factors are strict, Q is positive
definite and m contains a number other than 0.  A hypothesis with == is 0, whatever it is multiplied by.

*Where s may vanish.*  Let no hypothesis and no fact be used, and s be a polynomial other than 0.  Then s is 0
on no open set, so f >= 0 on a dense part of the box, and by continuity all over it.

Everything must be defined on all of the box: then the sides, equal inside it, are equal at its ends too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

from verify.recheck.algebra import Algebra, Sum, constant, plus
from verify.recheck.goals import Child, Node, Obligation, field
from verify.recheck.identities import require_same, shown
from verify.recheck.intervals import INF, Interval, UnknownError, point
from verify.recheck.putting import divides, samples
from verify.recheck.reading import rational, read
from verify.recheck.series import Box, range_of
from verify.recheck.terms import Term, call, number, power, put, variable

_BLOCKS = 1000  # products in one sum
_FACTORS = 16  # in one product
_SIZE, _BITS = 80, 600  # of a matrix, and of a number in it
_LENGTH = 20_000  # rows of a matrix times bits of its entries over one denominator
_ENTRIES = 12_000  # of all matrices together
_WRITTEN = 1_000_000  # products of two monomials on one side

Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class Fact:
    """A term that is >= 0 at every point that counts: > 0 if strict, 0 if it vanishes."""

    term: Term
    strict: bool
    vanishes: bool = False
    everywhere: bool = False  # in the whole box, hypotheses or not


@dataclass(frozen=True)
class _Block:
    """One product: its factors, and a quadratic form in some expressions."""

    factors: tuple[Fact, ...]
    basis: tuple[Term, ...]
    gram: Matrix

    @property
    def vanishes(self) -> bool:
        return any(fact.vanishes for fact in self.factors)

    def strict(self) -> bool:
        """Whether it is > 0; complains if it is not even seen to be >= 0."""
        if self.vanishes:
            return False
        definite = positive(self.gram)
        return definite and all(fact.strict for fact in self.factors) and any(b.value for b in self.basis)

    def value(self, of: Callable[[Term], Any], times: Callable[[Any, Any], Any], one: Any) -> list[Any]:
        """Its summands, in any arithmetic: numbers as terms, terms, and their products."""
        front = reduce(times, (of(fact.term) for fact in self.factors), one)
        parts = [of(b) for b in self.basis]
        found = []
        for i, row in enumerate(self.gram):
            for j, c in enumerate(row):
                if c:
                    both = times(parts[i], parts[j])
                    found.append(times(times(of(number(c if i == j else 2 * c)), front), both))
        return found


def positive(gram: Matrix) -> bool:
    """Whether a symmetric matrix is positive definite; complains if it is not positive semidefinite.

    Its lower half is given.  Elimination without fractions: pivots are minors, positive or in a row of zeros.
    """
    scale = lcm(*(c.denominator for row in gram for c in row))
    n = len(gram)
    m = [[int(gram[max(i, j)][min(i, j)] * scale) for j in range(n)] for i in range(n)]
    if n * max((c.bit_length() for row in m for c in row), default=0) > _LENGTH:
        raise UnknownError("the numbers of a matrix are too long to be eliminated")
    before, definite = 1, True
    for k in range(n):
        pivot = m[k][k]
        if pivot < 0 or (pivot == 0 and any(m[k][k:])):
            raise UnknownError("a matrix is not positive semidefinite")
        if pivot == 0:
            definite = False
            continue
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                m[i][j] = m[j][i] = (pivot * m[i][j] - m[i][k] * m[k][j]) // before
        before = pivot
    return definite


def _length(c: Fraction) -> int:
    return max(c.numerator.bit_length(), c.denominator.bit_length())


class _Reading:
    """What the words of a node stand for."""

    def __init__(self, goal: Obligation, node: Node) -> None:
        self.points = {name: number(x.low) for name, x in goal.box.items() if x.single}
        self.names = set(goal.box)
        self.box: Box = {name: x for name, x in goal.box.items() if not x.single}
        self.given = goal.given
        texts = node.get("facts", [])
        self.facts = [(self.term(field(t, "expression")), t.get("strict") is True) for t in texts]
        self.entries = 0

    def term(self, text: Any) -> Term:
        """A formula, defined all over the box."""
        return self.defined(read(text, self.names))

    def defined(self, f: Term) -> Term:
        """With the variables that are numbers put in; a complaint where it may be undefined."""
        if not divides(f, self.points, self.box):
            raise UnknownError(f"{f} may be undefined")
        f = put(f, self.points)
        range_of(f, self.box)
        return f

    def fact(self, text: Any) -> Fact:
        """One factor, by its name."""
        kind, _, name = text.partition(" ") if isinstance(text, str) else ("", "", "")
        if kind in ("lower", "upper") and name in self.box:
            x, lower = self.box[name], kind == "lower"
            end, is_open = (x.low, x.low_open) if lower else (x.high, x.high_open)
            if abs(end) < INF:
                gap = variable(name) - end if lower else end - variable(name)
                return Fact(gap, is_open, everywhere=True)
        index = int(name) if name.isdigit() and len(name) < 6 else -1
        h = self.given[index] if kind == "hypothesis" and 0 <= index < len(self.given) else None
        if h is not None:
            return Fact(self.defined(h[0]), h[1] == "<", h[1] == "==")
        if kind == "fact" and 0 <= index < len(self.facts):
            return Fact(*self.facts[index])
        raise UnknownError(f"{text!r} is nothing that is known here")

    def block(self, data: Mapping[str, Any]) -> _Block:
        """One product."""
        names, texts, rows = data.get("factors", []), data.get("basis", ["1"]), field(data, "gram")
        if len(names) > _FACTORS or len(texts) > _SIZE or len(texts) != len(rows):
            raise UnknownError("a product is too large, or its matrix does not fit")
        self.entries += len(rows) ** 2 + len(names)
        if self.entries > _ENTRIES or any(len(row) != i + 1 for i, row in enumerate(rows)):
            raise UnknownError("the matrices are too large, or not the lower half")
        gram = [[rational(c) for c in row] for row in rows]
        if any(
            max(c.numerator.bit_length(), c.denominator.bit_length()) > _BITS for row in gram for c in row
        ):
            raise UnknownError("a matrix has too long numbers")
        return _Block(tuple(map(self.fact, names)), tuple(map(self.term, texts)), gram)

    def blocks(self, data: Any) -> list[_Block]:
        """A sum of products."""
        if not isinstance(data, list) or not 0 < len(data) <= _BLOCKS:
            raise UnknownError(f"not a list of at most {_BLOCKS} products")
        return [self.block(one) for one in data]


ONE = _Block((), (number(1),), [[Fraction(1)]])


def by_combine(node: Node, goal: Obligation) -> list[Child]:
    """The goal, times something positive, is a sum of products of what is known."""
    reading = _Reading(goal, node)
    right = reading.blocks(field(node, "blocks"))
    left = reading.blocks(node["multiplier"]) if "multiplier" in node else [ONE]
    f = reading.defined(goal.f)
    _require_equal(f, left, right, reading.box)
    strict, sure = ([block.strict() for block in side] for side in (right, left))
    if goal.strict and not any(strict):
        raise UnknownError("nothing makes the sum positive")
    if not goal.strict and not any(sure):
        _require_dense(left, right, reading.box)
    texts, beside = node.get("facts", []), goal.beside()
    return [
        (f"facts[{k}]", field(t, "proof"), beside.about(read(t["expression"], goal.box), reading.facts[k][1]))
        for k, t in enumerate(texts)
    ]


def _require_equal(f: Term, left: list[_Block], right: list[_Block], box: Box) -> None:
    """Complain unless f times the left sum is the right one, identically; and at some points once more."""
    algebra = Algebra(box)
    s, r = (_sum(side, algebra) for side in (left, right))
    if not algebra.vanishes(plus(algebra.times(algebra.of(f), s), r, -1)):
        raise UnknownError(f"{f} is not seen to be the combination")
    compared = 0
    for at in samples(box):
        try:
            x, s_at, r_at = range_of(f, at), _range(left, at), _range(right, at)
        except UnknownError:
            continue
        compared += 1
        if (x * s_at).high < r_at.low or r_at.high < (x * s_at).low:
            raise UnknownError(f"{f} is not the combination at {shown(at)}")
    if not compared:
        raise UnknownError(f"{f} could not be compared with the combination at any point")


def _sum(blocks: list[_Block], algebra: Algebra) -> Sum:
    found: Sum = {}
    left = _WRITTEN

    def times(a: Sum, b: Sum) -> Sum:
        nonlocal left
        left -= len(a) * len(b)
        if left < 0:
            raise UnknownError("the products are too long to be written out")
        return algebra.times(a, b)

    for block in blocks:
        total: dict[Any, Fraction] = {}
        for part in block.value(algebra.of, times, constant(1)):
            for m, c in part.items():
                total[m] = total.get(m, Fraction(0)) + c
        found = plus(found, {m: c for m, c in total.items() if c})
    return found


def _range(blocks: list[_Block], at: Box) -> Interval:
    def of(t: Term) -> Interval:
        return range_of(t, at)

    parts = [part for block in blocks for part in block.value(of, Interval.__mul__, point(1))]
    return reduce(Interval.__add__, parts, point(0))


def _require_dense(left: list[_Block], right: list[_Block], box: Box) -> None:
    """Complain unless the multiplier vanishes on no open set, and the box alone is used."""
    if not all(fact.everywhere for block in (*left, *right) for fact in block.factors):
        raise UnknownError("the multiplier may vanish where the hypotheses hold")
    algebra = Algebra(box)
    s = _sum(left, algebra)
    variables = all(algebra.atoms[a].term.name and q.denominator == 1 and q > 0 for m in s for a, q in m)
    if not s or not variables:
        raise UnknownError("the multiplier is no polynomial other than 0")


# ---------------------------------------------------------------- functions

_INCREASING = ("exp", "log", "atan", "sinh", "tanh", "erf")


def by_increasing(node: Node, goal: Obligation) -> list[Child]:
    """F(v) - F(u) for an increasing function F, from v - u; ``power`` is x^q on the numbers >= 0."""
    name = field(node, "function")
    v, u = (read(field(node, key), goal.box) for key in ("larger", "smaller"))
    if name == "power":
        q = rational(field(node, "exponent"))
        odd = q.denominator == 1 and q.numerator % 2 == 1
        if q <= 0 or not (odd or range_of(u, goal.box).positive(False)):
            raise UnknownError(f"the power {q} is not seen to increase from {u} on")
        above, below = power(v, number(q)), power(u, number(q))
    elif name in _INCREASING:
        above, below = call(name, v), call(name, u)
    else:
        raise UnknownError(f"{name!r} is not a function that is known to increase")
    for t in (v, u, above, below):
        range_of(t, goal.box)
    require_same(goal.f, above - below, goal.box, "the difference")
    return [("proof", field(node, "proof"), goal.beside().about(v - u))]


def by_known(node: Node, goal: Obligation) -> list[Child]:
    """A fact about one function: it is above its tangent, or above what it is the largest of."""
    t = read(field(node, "of"), goal.box)
    range_of(t, goal.box)
    if t.op in ("exp", "log"):  # e^u >= 1 + u, log u <= u - 1, with equality at one u only
        u = t.args[0]
        facts = [t - 1 - u] if t.op == "exp" else [u - 1 - t]
    elif t.op == "Abs":
        facts = [t - t.args[0], t + t.args[0]]
    elif t.op in ("Max", "Min"):
        facts = [t - a if t.op == "Max" else a - t for a in t.args]
    else:
        raise UnknownError(f"nothing is known about {t}")
    if goal.strict or not any(goal.f == fact for fact in facts):
        raise UnknownError(f"{goal.f} is not what is known about {t}")
    return []
