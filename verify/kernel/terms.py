"""Sorts, symbols, terms and formulas, always in normal form.

A term is interned: two terms that are the same in the sense of docs/derivations.md are one object, as far as
the normal form sees it.  Numbers are sums of monomials, a *monomial* is a tuple of (factor, whole power); a
factor is any term that is not a sum.  Bound variables are called ``#h``, h the number of binders that
may be nested in the body, so that names never matter and nothing is ever captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
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

    @property
    def random(self) -> bool:
        """Whether it depends on the outcome."""
        return self.known is not None


Monomial = tuple[tuple["Term", int], ...]
Polynomial = dict[Monomial, Fraction]


class Term:
    """A term or a formula; made by the functions of this module and of ``operators`` only."""

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


def _made(tag: str, *parts: Any, sort: str = REAL) -> Term:
    key = (tag, *parts)
    found = Term._all.get(key)
    if found is not None:
        return found
    t = Term.__new__(Term)
    t.tag, t.parts, t.sort, t.rank = tag, parts, sort, _rank(key)
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
    text = b"".join(map(_rank, part)) if isinstance(part, tuple) else repr(part).encode()
    return blake2b(text, digest_size=16).digest()


def _order(m: Monomial) -> list[tuple[bytes, int]]:
    """The place of a product in a sum."""
    return [(f.rank, e) for f, e in m]


# --- numbers ------------------------------------------------------------------------------------


def num(q: Fraction | int) -> Term:
    """A rational number."""
    q = Fraction(q)
    return _made("num", q, sort=NAT if q >= 0 and q.denominator == 1 else REAL)


ZERO, ONE = num(0), num(1)


def var(name: str, sort: str) -> Term:
    """A variable."""
    return _made("var", name, sort, sort=sort)


_fresh = count()


def fresh(sort: str) -> Term:
    """A variable that nobody has."""
    return var(f"%{next(_fresh)}", sort)


def polynomial(t: Term) -> Polynomial:
    """A number as a sum of monomials."""
    if t.sort not in NUMBERS:
        raise KernelError(f"{t!r} is no number")
    if t.tag == "num":
        return {(): t.parts[0]} if t.parts[0] else {}
    return dict(t.parts) if t.tag == "poly" else {((t, 1),): Fraction(1)}


def number(p: Mapping[Monomial, Fraction]) -> Term:
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
    items = sorted(kept.items(), key=lambda item: _order(item[0]))
    natural = all(c > 0 and c.denominator == 1 and all(f.sort == NAT for f, _ in m) for m, c in items)
    return _made("poly", *items, sort=NAT if natural else REAL)


def add(*terms: Term) -> Term:
    """Their sum."""
    total: Polynomial = {}
    for t in terms:
        for m, c in polynomial(t).items():
            total[m] = total.get(m, Fraction(0)) + c
    return number(total)


def mul(*terms: Term) -> Term:
    """Their product, multiplied out."""
    total: Polynomial = {(): Fraction(1)}
    for t in terms:
        new: Polynomial = {}
        other = polynomial(t)
        if len(total) * len(other) > MOST_MONOMIALS:
            raise KernelError(f"a product of {len(total)} and {len(other)} summands is too long")
        for m, c in total.items():
            for n, d in other.items():
                joined = _joined(m, n)
                new[joined] = new.get(joined, Fraction(0)) + c * d
        total = new
    return number(total)


def _joined(m: Monomial, n: Monomial) -> Monomial:
    """The product of two monomials: exponentials become one, indicators keep the power 1."""
    powers: dict[Term, int] = {}
    exponent = ZERO
    for factor, e in (*m, *n):
        if factor.tag == "exp":
            exponent = add(exponent, scale(factor.parts[0], e))
        else:
            powers[factor] = 1 if factor.tag == "Ind" else powers.get(factor, 0) + e
    if exponent is not ZERO:
        powers[_made("exp", exponent)] = 1
    return tuple(sorted(powers.items(), key=lambda item: item[0].rank))


def scale(t: Term, c: Fraction | int) -> Term:
    """A multiple."""
    return number({m: d * c for m, d in polynomial(t).items()})


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
        return scale(_made("inv", scale(t, 1 / content)), 1 / content)
    result = ONE if p else ZERO
    for monomial, c in p.items():
        result = scale(result, 1 / c)
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
    return _made("inv", t)


def polynomial_of_one(t: Term) -> Term:
    """The term itself, if it is a number."""
    return number(polynomial(t))


def exp(t: Term) -> Term:
    """The exponential."""
    polynomial(t)
    return ONE if t is ZERO else _made("exp", t)


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
    return _made(name, *terms, sort=NAT if natural else REAL)


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
    return _made("app", symbol, *args, sort=symbol.value)


def require_sort(t: Term, sort: str, what: str) -> None:
    """A natural number is a real one; no other sort is another."""
    if t.sort != sort and not (sort == REAL and t.sort == NAT):
        raise KernelError(f"{what} is of sort {t.sort}, not {sort}")


# --- binders ------------------------------------------------------------------------------------


def bound(tag: str, variable: Term, *parts: Term, sort: str = REAL) -> Term:
    """A binder; the last part is its body, in which the variable becomes nameless."""
    *ranges, body = parts
    hidden = var(f"#{body.height}", variable.sort)
    return _made(tag, hidden, *ranges, renamed(body, variable, hidden), sort=sort)


def opened(t: Term, variable: Term | None = None) -> tuple[Term, Term]:
    """A variable nobody has (or the given one) and the body with it."""
    x = fresh(t.parts[0].sort) if variable is None else variable
    return x, renamed(t.parts[-1], t.parts[0], x)


def mean(body: Term, level: Term | None) -> Term:
    """The bare node of E; see ``operators.expectation``."""
    return _made("E", body, level)


# --- formulas -----------------------------------------------------------------------------------


def relation(op: str, a: Term, b: Term) -> Term:
    """``a <= b``, ``a < b`` or ``a == b``."""
    if op == "==" and a.sort not in (*NUMBERS, TRUTH):
        require_sort(b, a.sort, "the right side of ==")
        a, b = sorted((a, b), key=lambda t: t.rank)
    else:
        for t in (a, b):
            require_sort(t, REAL, f"a side of {op}")
    return _made(op, a, b, sort=TRUTH)


def negation(a: Term) -> Term:
    """Not."""
    require_sort(a, TRUTH, "what Not denies")
    if a.tag == "Not":
        inner: Term = a.parts[0]
        return inner
    if a.tag in ("<=", "<"):
        return relation("<" if a.tag == "<=" else "<=", a.parts[1], a.parts[0])
    return _made("Not", a, sort=TRUTH)


def junction(tag: str, *parts: Term) -> Term:
    """And, Or: flattened, unordered, without repetitions."""
    flat: set[Term] = set()
    for t in parts:
        require_sort(t, TRUTH, f"a part of {tag}")
        flat |= set(t.parts) if t.tag == tag else {t}
    if len(flat) == 1:
        return flat.pop()
    if not flat:
        raise KernelError(f"{tag} of nothing")
    return _made(tag, *sorted(flat, key=lambda t: t.rank), sort=TRUTH)


def implication(a: Term, b: Term) -> Term:
    """Imp."""
    for t in (a, b):
        require_sort(t, TRUTH, "a part of Imp")
    return _made("Imp", a, b, sort=TRUTH)


def sure(a: Term) -> Term:
    """The formula at every outcome."""
    require_sort(a, TRUTH, "the body of Sure")
    return _made("Sure", a, sort=TRUTH) if a.random else a


def forall(x: Term, a: Term) -> Term:
    """All."""
    require_sort(a, TRUTH, "the body of All")
    return bound("All", x, a, sort=TRUTH)


def indicator(a: Term) -> Term:
    """1 where the formula holds, else 0."""
    require_sort(a, TRUTH, "the condition of Ind")
    match a.tag:
        case "And":
            return mul(*(indicator(t) for t in a.parts))
        case "Or":
            return sub(ONE, mul(*(sub(ONE, indicator(t)) for t in a.parts)))
        case "Not":
            return sub(ONE, indicator(a.parts[0]))
        case "Imp":
            p, q = (indicator(t) for t in a.parts)
            return add(ONE, scale(p, -1), mul(p, q))
        case "<":
            return sub(ONE, indicator(negation(a)))
        case "Sure":
            raise KernelError("Ind of Sure: no event of finitely many decisions")
        case "All":
            _countable(a)
            return _made("Ind", a, sort=NAT)
    return _comparison(a)


def _countable(a: Term) -> None:
    """An event may not range over uncountably many reals."""
    if a.tag == "Sure" or (a.tag == "All" and a.parts[0].sort == REAL):
        raise KernelError("Ind of a formula with Sure, or with All over a real variable")
    if a.sort == TRUTH:
        for t in a.children:
            if t.sort == TRUTH:
                _countable(t)


def _comparison(a: Term) -> Term:
    """Ind of <= or ==: only the difference of the sides counts, up to a factor."""
    left, right = a.parts
    if left is right:
        return ONE
    if left.sort not in NUMBERS:
        return _made("Ind", a, sort=NAT)
    difference = sub(right, left)
    if difference.tag == "num":
        value = difference.parts[0]
        return ONE if (value >= 0 if a.tag == "<=" else value == 0) else ZERO
    if a.tag == "<=" and difference.sort == NAT:
        return ONE
    p = polynomial(difference)
    lead = p[min((m for m in p if m), key=_order)]
    factor = 1 / lead if a.tag == "==" else 1 / abs(lead)
    return _made("Ind", relation(a.tag, ZERO, scale(difference, factor)), sort=NAT)


# --- substitution -------------------------------------------------------------------------------

Change = Callable[[Term], Term | None]


def substitute(t: Term, values: Mapping[Term, Term]) -> Term:
    """The free variables replaced.

    A mean runs over all outcomes, so a random value must not move under it: ``E(X(m))`` is a function of
    m, and putting N for m does not make it ``E(X(N))``; unless N is known at the level of the mean.
    """
    names = frozenset(values)
    _not_captured(t, {x: v for x, v in values.items() if v.random})
    return changed(t, values.get, lambda u: not (u.free & names))


def _not_captured(t: Term, values: Mapping[Term, Term]) -> None:
    if not values or not (t.free & values.keys()):
        return
    if t.tag in ("E", "Sure"):
        from verify.kernel.measure import known  # the two are one notion of what is random

        body, level = t.parts if t.tag == "E" else (*t.parts, None)
        if any(not known(values[x], level) for x in body.free & values.keys()):
            raise CaptureError("a random term cannot be put under a mean at whose level it is not known")
        if level is not None and level.free & values.keys():
            raise CaptureError("a random term cannot be put into the level of a mean")
    for child in t.children:
        _not_captured(child, values)


def changed(t: Term, change: Change, untouched: Callable[[Term], bool]) -> Term:
    """The term with ``change`` made wherever it gives something, and normalised again."""
    memo: dict[Term, Term] = {}

    def go(u: Term) -> Term:
        if untouched(u):
            return u
        if u not in memo:
            new = change(u)
            memo[u] = rebuilt(u, go) if new is None else new
        return memo[u]

    return go(t)


def renamed(t: Term, x: Term, y: Term) -> Term:
    """A variable replaced by one that occurs nowhere in it, free or bound.

    What is in normal form stays so, but for the order of things: no binder has to be taken apart.
    """
    memo: dict[Term, Term] = {x: y}

    def go(u: Term) -> Term:
        if x not in u.free:
            return u
        if u not in memo:
            memo[u] = again(u)
        return memo[u]

    def again(u: Term) -> Term:
        if u.tag in BINDERS:
            return _made(u.tag, u.parts[0], *map(go, u.parts[1:]), sort=u.sort)
        if u.tag == "E":
            return mean(go(u.parts[0]), None if u.parts[1] is None else go(u.parts[1]))
        return rebuilt(u, go)

    return go(t)


def rebuilt(t: Term, go: Callable[[Term], Term]) -> Term:
    """The term made again from changed parts."""
    from verify.kernel import operators  # the two are one normal form; a binder's is next door

    parts = t.parts
    match t.tag:
        case "num" | "var":
            return t
        case "poly":
            return add(*(mul(num(c), *(power(go(f), e) for f, e in m)) for m, c in parts))
        case "inv":
            return inverse(go(parts[0]))
        case "exp":
            return exp(go(parts[0]))
        case "log" | "sqrt" | "Abs" | "Max" | "Min":
            return function(t.tag, *map(go, parts))
        case "app":
            return app(parts[0], *map(go, parts[1:]))
        case "Ind":
            return indicator(go(parts[0]))
        case "<=" | "<" | "==":
            return relation(t.tag, *map(go, parts))
        case "And" | "Or":
            return junction(t.tag, *map(go, parts))
        case "Not":
            return negation(go(parts[0]))
        case "Imp":
            return implication(*map(go, parts))
        case "Sure":
            return sure(go(parts[0]))
        case "E":
            return operators.expectation(go(parts[0]), None if parts[1] is None else go(parts[1]))
    x, body = opened(t)
    return operators.binder(t.tag, x, [go(r) for r in parts[1:-1]], go(body))


def instantiated(t: Term, symbol: Symbol, params: Iterable[Term], body: Term) -> Term:
    """A generic symbol replaced by a function of its arguments."""
    names = list(params)

    def go(u: Term) -> Term:
        return changed(u, change, lambda v: symbol not in v.symbols)

    def change(u: Term) -> Term | None:
        if u.tag != "app" or u.parts[0] != symbol:
            return None
        return substitute(body, dict(zip(names, map(go, u.parts[1:]), strict=True)))

    return go(t)
