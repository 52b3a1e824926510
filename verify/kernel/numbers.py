"""Sorts, symbols, and the numbers among the terms, always in normal form.

A term is interned: two terms that are the same in the sense of docs/derivations.md are one object, as far as
the normal form sees it.  Numbers are sums of monomials, a *monomial* is a tuple of (factor, whole power); a
factor is any term that is not a sum.  Whole coefficients are mostly ints, which are quicker than fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import count
from math import gcd, isqrt, lcm
from typing import Any, ClassVar

from verify.errors import UserError

REAL, NAT, TRUTH = "Real", "Nat", "truth"
NUMBERS = (REAL, NAT)
BINDERS = ("Sum", "SumOver", "MaxOver", "Int", "Sup", "All")
MOST_MONOMIALS = 4_000  # of one sum: more is a mistake or an attack
MOST_POWER = 64


class KernelError(UserError):
    """A rule that does not apply, or a term that is none; the message says which and why."""


class CaptureError(KernelError):
    """A random term that would move under a mean."""


@dataclass(frozen=True)
class Symbol:
    """A function: deterministic, or random and known from some decision on."""

    name: str
    args: tuple[str, ...]
    value: str
    known: str | None = None  # None: deterministic; "any"; or a term in _1, _2, ...
    generic: bool = False

    def __hash__(self) -> int:
        return hash(self.name)  # quick: every term that it stands in asks for it

    @property
    def random(self) -> bool:
        """Whether it depends on the outcome."""
        return self.known is not None


Number = int | Fraction
Monomial = tuple[tuple["Term", int], ...]
Polynomial = dict[Monomial, Number]


class Term:
    """A term or a formula; made by the functions of the kernel only."""

    __slots__ = ("free", "height", "parts", "random", "rank", "sort", "symbols", "tag")
    _all: ClassVar[dict[tuple[Any, ...], Term]] = {}

    tag: str
    parts: tuple[Any, ...]
    sort: str
    free: frozenset[Term]  # variables
    symbols: frozenset[Symbol]  # generic ones
    height: int
    rank: bytes  # sums and products are written in this order, whatever was made before
    random: bool

    def __repr__(self) -> str:
        return f"{self.tag}{self.parts}"

    @property
    def children(self) -> Iterator[Term]:
        """The terms that it is made of."""
        if self.tag == "poly":
            for monomial, _ in self.parts:
                for factor, _ in monomial:
                    yield factor
        else:
            for part in self.parts:
                if isinstance(part, Term):
                    yield part


def node(tag: str, *parts: Any, sort: str = REAL) -> Term:
    """The one term of these parts: for the modules of the normal form, and nobody else."""
    key = (tag, *parts)
    found = Term._all.get(key)
    if found is not None:
        return found
    t = Term.__new__(Term)
    t.tag, t.parts, t.sort = tag, parts, sort
    ranks = map(_rank, key) if tag != "poly" else (_rank(tag), *(_rank_of_summand(*part) for part in parts))
    t.rank = _digest(b"".join(ranks))
    children = list(t.children)
    t.free = frozenset().union(*(c.free for c in children)) if children else frozenset()
    t.symbols = frozenset().union(*(c.symbols for c in children)) if children else frozenset()
    t.height = max((c.height for c in children), default=0)
    t.random = any(c.random for c in children)
    if tag == "var":
        t.free = frozenset([t])
    elif tag == "app":
        symbol = parts[0]
        t.random = t.random or symbol.random
        t.symbols |= {symbol} if symbol.generic else set()
    elif tag in BINDERS:
        t.free -= {parts[0]}
        t.height += 1
    elif tag == "E":
        t.random = parts[1] is not None and parts[0].random
    elif tag == "Sure":
        t.random = False
    Term._all[key] = t
    return t


def _rank(part: Any) -> bytes:
    """A digest of what a term is made of."""
    if isinstance(part, Term):
        return part.rank
    return _digest(b"".join(map(_rank, part))) if isinstance(part, tuple) else _rank_of_word(part)


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()


@lru_cache(maxsize=None, typed=True)  # Fraction(1) is another word than 1
def _rank_of_word(word: str | int | Symbol | Fraction | None) -> bytes:
    return _digest(repr(word).encode())


def _rank_of_summand(m: Monomial, c: Number) -> bytes:
    return _digest(_rank_of_monomial(m) + _rank_of_fraction(c.numerator, c.denominator))


@cache
def _rank_of_monomial(m: Monomial) -> bytes:
    return _rank(m)


@cache
def _rank_of_fraction(above: int, below: int) -> bytes:
    return _rank_of_word(Fraction(above, below))


@cache
def order(m: Monomial) -> list[tuple[bytes, int]]:
    """The place of a product in a sum."""
    return [(f.rank, e) for f, e in m]


# --- numbers ------------------------------------------------------------------------------------


def num(q: Number) -> Term:
    """A rational number."""
    return _numeral(q.numerator, q.denominator)


@cache
def _numeral(above: int, below: int) -> Term:
    return node("num", Fraction(above, below), sort=NAT if above >= 0 and below == 1 else REAL)


ZERO, ONE = num(0), num(1)


def var(name: str, sort: str) -> Term:
    """A variable."""
    return node("var", name, sort, sort=sort)


_fresh = count()


def fresh(sort: str) -> Term:
    """A variable that nobody has."""
    return var(f"%{next(_fresh)}", sort)


def polynomial(t: Term) -> Polynomial:
    """A number as a sum of monomials."""
    return dict(_summands(t))


def _summands(t: Term) -> tuple[tuple[Monomial, Number], ...]:
    """The products that add up to a number, and their coefficients."""
    if t.sort not in NUMBERS:
        raise KernelError(f"{t!r} is no number")
    if t.tag == "num":
        q = t.parts[0]
        return (((), q.numerator if q.denominator == 1 else q),) if q else ()
    return t.parts if t.tag == "poly" else ((((t, 1),), 1),)


def number(p: Mapping[Monomial, Number]) -> Term:
    """The term of a sum of monomials."""
    kept = {m: c for m, c in p.items() if c}
    if len(kept) > MOST_MONOMIALS:
        raise KernelError(f"a sum of {len(kept)} products; at most {MOST_MONOMIALS}")
    if not kept:
        return ZERO
    if len(kept) == 1:
        ((monomial, c),) = kept.items()
        if not monomial:
            return num(c)
        if c == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return _sum(sorted(kept.items(), key=lambda item: order(item[0])))


def _sum(items: Iterable[tuple[Monomial, Number]]) -> Term:
    """The term of a sum in its order that is neither a number nor a factor alone."""
    items = tuple(items)
    for m, c in items:
        if c.denominator != 1 or c < 0 or any(f.sort != NAT for f, _ in m):
            return node("poly", *items)
    return node("poly", *items, sort=NAT)


def add(*terms: Term) -> Term:
    """Their sum."""
    total: Polynomial = {}
    for t in terms:
        for m, c in _summands(t):
            total[m] = total[m] + c if m in total else c
    return number(total)


def mul(*terms: Term) -> Term:
    """Their product, multiplied out."""
    total: Polynomial = polynomial(terms[0]) if terms else {(): 1}
    for t in terms[1:]:
        new: Polynomial = {}
        other = _summands(t)
        if len(total) * len(other) > MOST_MONOMIALS:
            raise KernelError(f"a product of {len(total)} and {len(other)} summands is too long")
        for m, c in total.items():
            for n, d in other:
                joined = _joined(m, n)
                new[joined] = new[joined] + c * d if joined in new else c * d
        total = new
    return number(total)


def _joined(m: Monomial, n: Monomial) -> Monomial:
    """The product of two monomials: exponentials become one, indicators keep the power 1."""
    if not m or not n:
        return m or n
    powers: dict[Term, int] = {}
    exponent = ZERO
    for factor, e in (*m, *n):
        if factor.tag == "exp":
            exponent = add(exponent, scale(factor.parts[0], e))
        else:
            powers[factor] = 1 if factor.tag == "Ind" else powers.get(factor, 0) + e
    if exponent is not ZERO:
        powers[node("exp", exponent)] = 1
    return tuple(sorted(powers.items(), key=lambda item: item[0].rank))


def scale(t: Term, c: Number) -> Term:
    """A multiple."""
    if t.tag == "poly" and len(t.parts) > 1 and c:
        return _sum((m, d * c) for m, d in t.parts)  # in the same order
    return number({m: d * c for m, d in _summands(t)})


def sub(a: Term, b: Term) -> Term:
    """The difference."""
    return add(a, scale(b, -1))


def power(t: Term, k: int) -> Term:
    """A whole power."""
    if abs(k) > MOST_POWER:
        raise KernelError(f"a power {k}; at most {MOST_POWER}")
    return inverse(power(t, -k)) if k < 0 else mul(*[t] * k)


def inverse(t: Term) -> Term:
    """1/t, which is 0 where t is."""
    p = polynomial(t)
    if len(p) > 1:
        content = _content(p)
        return scale(node("inv", scale(t, 1 / content)), 1 / content)
    result = ONE if p else ZERO
    for monomial, c in p.items():
        result = scale(result, 1 / Fraction(c))
        for factor, e in monomial:
            result = mul(result, *[_inverse_of_factor(factor)] * e)
    return result


def _content(p: Polynomial) -> Fraction:
    """The common factor of the coefficients, with the sign of most of them: names do not matter."""
    numerators, denominators = (
        [getattr(c, part) for c in p.values()] for part in ("numerator", "denominator")
    )
    sign = -1 if 2 * sum(c < 0 for c in p.values()) > len(p) else 1
    return Fraction(sign * gcd(*numerators), lcm(*denominators))


def _inverse_of_factor(t: Term) -> Term:
    if t.tag == "exp":
        return exp(scale(t.parts[0], -1))
    if t.tag == "inv":
        return polynomial_of_one(t.parts[0])
    return node("inv", t)


def polynomial_of_one(t: Term) -> Term:
    """The term itself, if it is a number."""
    return number(polynomial(t))


def exp(t: Term) -> Term:
    """The exponential."""
    polynomial(t)
    return ONE if t is ZERO else node("exp", t)


def function(name: str, *terms: Term) -> Term:
    """log, sqrt, Abs, Max, Min: of numbers the value, if it is rational."""
    for t in terms:
        polynomial(t)
    if all(t.tag == "num" for t in terms):
        values = [t.parts[0] for t in terms]
        folded = _FOLDED[name](*values)
        if folded is not None:
            return num(folded)
    natural = name in ("Max", "Min") and all(t.sort == NAT for t in terms)
    return node(name, *terms, sort=NAT if natural else REAL)


def _root(q: Fraction) -> Fraction | None:
    a, b = isqrt(max(q.numerator, 0)), isqrt(q.denominator)
    return Fraction(a, b) if q < 0 or Fraction(a * a, b * b) == q else None


_FOLDED: dict[str, Callable[..., Fraction | None]] = {
    "log": lambda q: Fraction(0) if q <= 0 or q == 1 else None,
    "sqrt": _root,
    "Abs": abs,
    "Max": max,
    "Min": min,
}


def app(symbol: Symbol, *args: Term) -> Term:
    """A symbol applied to arguments of the sorts that it asks for."""
    if len(args) != len(symbol.args):
        raise KernelError(f"{symbol.name} takes {len(symbol.args)} arguments, not {len(args)}")
    for t, sort in zip(args, symbol.args, strict=True):
        require_sort(t, sort, f"an argument of {symbol.name}")
    return node("app", symbol, *args, sort=symbol.value)


def require_sort(t: Term, sort: str, what: str) -> None:
    """A natural number is a real one; no other sort is another."""
    if t.sort != sort and not (sort == REAL and t.sort == NAT):
        raise KernelError(f"{what} is of sort {t.sort}, not {sort}")
