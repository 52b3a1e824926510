"""Commutative ring arithmetic over the rationals, in *atoms*: trees that are no sums, products or powers.

A monomial is atoms with exponents in the order of their texts.  Two identities live in the product:
``exp(u)*exp(v) = exp(u + v)``, so that there is at most one exponential, and ``Ind(A)**2 = Ind(A)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm

from verify.recheck.derivations.trees import Nameless, Number, make, num
from verify.recheck.intervals import UnknownError

Monomial = tuple[tuple[Nameless, int], ...]
Poly = dict[Monomial, Number]  # whole coefficients are mostly ints, which are quicker
_PRODUCT = 20_000  # pairs of monomials in one product
ONE: Monomial = ()


def constant_poly(x: Number) -> Poly:
    """A number."""
    return {ONE: x.numerator if x.denominator == 1 else x} if x else {}


def atom(t: Nameless) -> Poly:
    """One atom."""
    return {((t, 1),): 1}


def total(parts: Iterable[Poly]) -> Poly:
    """The sum."""
    found: Poly = {}
    for p in parts:
        for m, c in p.items():
            found[m] = found[m] + c if m in found else c
    return {m: c for m, c in found.items() if c}


def scaled(p: Poly, c: Number) -> Poly:
    """A rational multiple."""
    return {m: c * x for m, x in p.items()} if c else {}


def difference(p: Poly, q: Poly) -> Poly:
    """The difference."""
    return total([p, scaled(q, -1)])


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for t, k in b:
        powers[t] = powers[t] + k if t in powers else k
    return monomial(powers)


def monomial(powers: dict[Nameless, int]) -> Monomial:
    """In order, with one exponential and indicators to the first power."""
    exponentials = [(t, k) for t, k in powers.items() if t.op == "exp"]
    if len(exponentials) > 1 or any(k != 1 for _, k in exponentials):
        exponent = total(scaled(ring(t.args[0]), k) for t, k in exponentials)
        powers = {t: k for t, k in powers.items() if t.op != "exp"}
        if exponent:
            powers[make("exp", tree(exponent))] = 1
    items = [(t, 1 if t.op == "Ind" else k) for t, k in powers.items() if k]
    return tuple(sorted(items, key=lambda item: item[0].text))


def product(p: Poly, q: Poly) -> Poly:
    """Multiplied out."""
    if len(p) * len(q) > _PRODUCT:
        raise UnknownError("a product is too long to be multiplied out")
    found: Poly = {}
    for a, x in p.items():
        for b, y in q.items():
            m = times(a, b)
            found[m] = found[m] + x * y if m in found else x * y
    return {m: c for m, c in found.items() if c}


def power(p: Poly, k: int) -> Poly:
    """p**k for a whole k >= 0."""
    if len(p) == 1:
        ((m, c),) = p.items()
        size = max(c.numerator.bit_length(), c.denominator.bit_length())
        if size * k > 1 << 15:
            raise UnknownError("a number is too long")
        return {monomial({t: n * k for t, n in m}) if k else ONE: c**k}
    found = constant_poly(1)
    for _ in range(k if p or not k else 1):
        found = product(found, p)
    return found


def tree(p: Poly) -> Nameless:
    """The canonical term of a polynomial."""
    if not p:
        return num(0)
    if len(p) == 1:
        ((m, c),) = p.items()
        return _monomial_tree(m, c)
    order = sorted(p.items(), key=lambda item: [(t.text, k) for t, k in item[0]])
    return make("+", *(_monomial_tree(m, c) for m, c in order))


def _monomial_tree(m: Monomial, c: Number) -> Nameless:
    parts = [t if k == 1 else make("^", t, value=k) for t, k in m]
    if c != 1 or not parts:
        parts.insert(0, num(c))
    return make("*", *parts) if len(parts) > 1 else parts[0]


def ring(t: Nameless) -> Poly:
    """Sums, products and powers taken apart; what is below them is in normal form, or stays as it is."""
    match t.op:
        case "num":
            return constant_poly(t.number or 0)
        case "+":
            return total(map(ring, t.args))
        case "*":
            found = constant_poly(1)
            for a in t.args:
                found = product(found, ring(a))
            return found
        case "^" if isinstance(t.value, int):
            return power(ring(t.args[0]), t.value)
    return atom(t)


def value_of(p: Poly) -> Number | None:
    """The number that it is."""
    return p.get(ONE, 0) if not any(p) else None


def primitive_part(p: Poly) -> tuple[Fraction, Poly]:
    """The c > 0 and q with p = c q and whole coefficients of q without a common factor; p is not 0."""
    above = gcd(*(c.numerator for c in p.values()))
    below = lcm(*(c.denominator for c in p.values()))
    c = Fraction(above, below)
    return c, scaled(p, 1 / c)


def signed_part(p: Poly) -> tuple[Fraction, Poly]:
    """Likewise, with the sign of c such that p and -p have the same q."""
    c, q = primitive_part(p)
    first = min(q, key=lambda m: [(t.text, k) for t, k in m])
    return (c, q) if q[first] > 0 else (-c, scaled(q, -1))


def natural(p: Poly) -> bool:
    """Whether it is seen to be a natural number: natural atoms, whole coefficients, and not negative.

    Only indicators may be subtracted (``1 - Ind(A)`` is what becomes of ``Ind(Not(A))``): they are at most 1.
    """
    if any(c.denominator != 1 or any(t.sort != "Nat" for t, _ in m) for m, c in p.items()):
        return False
    subtracted = {m: c for m, c in p.items() if c < 0}
    indicators = all(t.op == "Ind" for m in subtracted for t, _ in m)
    constant = p.get(ONE, 0) if ONE not in subtracted else 0
    least = sum(subtracted.values(), constant)
    return indicators and least >= 0
