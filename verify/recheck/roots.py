"""Polynomials in one variable over the rationals, and how many roots they have in a range (Sturm).

A polynomial is the list of its coefficients from the constant one up, without zeros at the end.  With
p_0 = p, p_1 = p' and p_{k+1} the negative remainder of p_{k-1} by p_k, the number of sign changes of the
sequence at a minus that at b is the number of different roots in (a, b], for p without multiple roots.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd, inf, lcm

from verify.recheck.intervals import Interval, UnknownError
from verify.recheck.terms import Term

HIGHEST = 60  # degree of a polynomial whose roots are counted

Poly = list[Fraction]


def _trimmed(p: Poly) -> Poly:
    while p and p[-1] == 0:
        p.pop()
    return p


def plus(p: Poly, q: Poly) -> Poly:
    """Their sum."""
    n = max(len(p), len(q))
    return _trimmed([(p[k] if k < len(p) else 0) + (q[k] if k < len(q) else Fraction(0)) for k in range(n)])


def times(p: Poly, q: Poly) -> Poly:
    """Their product."""
    found = [Fraction(0)] * (len(p) + len(q) - 1 if p and q else 0)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            found[i + j] += a * b
    return _trimmed(found)


def degree(t: Term) -> int:
    """At least the degree of a polynomial, without writing it out."""
    if t.is_sum:
        return max(map(degree, t.args))
    if t.is_product:
        return sum(map(degree, t.args))
    if t.is_power and t.args[1].whole is not None:
        return degree(t.args[0]) * abs(t.args[1].whole)
    return int(bool(t.names))


def polynomial(t: Term, name: str) -> Poly | None:
    """The coefficients, or ``None`` if it is no polynomial in this variable with rational coefficients."""
    if degree(t) > HIGHEST:
        return None
    if t.value is not None:
        return _trimmed([t.value])
    if t.name:
        return [Fraction(0), Fraction(1)] if t.name == name else None
    n = t.args[1].whole if t.is_power else None
    if not (t.is_sum or t.is_product or (n is not None and n > 0)):
        return None
    parts = [polynomial(a, name) for a in (t.args[:1] if t.is_power else t.args)]
    found: Poly = [] if t.is_sum else [Fraction(1)]
    for p in parts * (n or 1):
        if p is None:
            return None
        found = plus(found, p) if t.is_sum else times(found, p)
    return found


def value(p: Poly, x: Fraction) -> Fraction:
    """At a point."""
    found = Fraction(0)
    for c in reversed(p):
        found = found * x + c
    return found


def _slope(p: Poly) -> Poly:
    return [k * c for k, c in enumerate(p)][1:]


def _divided(p: Poly, q: Poly) -> tuple[Poly, Poly]:
    """Quotient and remainder."""
    rest, found = list(p), [Fraction(0)] * max(len(p) - len(q) + 1, 0)
    while len(rest) >= len(q):
        shift, c = len(rest) - len(q), rest[-1] / q[-1]
        found[shift] = c
        for k, b in enumerate(q):
            rest[k + shift] -= c * b
        _trimmed(rest)
    return found, rest


def _primitive(p: Poly) -> Poly:
    """Divided by a positive number, so that the coefficients stay short."""
    if not p:
        return p
    scale = Fraction(lcm(*(c.denominator for c in p)), gcd(*(c.numerator for c in p)) or 1)
    return [c * scale for c in p]


def _common(p: Poly, q: Poly) -> Poly:
    """The greatest common divisor, up to a number."""
    while q:
        p, q = q, _primitive(_divided(p, q)[1])
    return p


def _parts(p: Poly) -> list[tuple[Poly, int]]:
    """Factors without multiple roots, and how often each divides p (Yun)."""
    found, k = [], 1
    shared = _common(p, _slope(p))
    rest, slope = _divided(p, shared)[0], _divided(_slope(p), shared)[0]
    while len(rest) > 1:
        slope = plus(slope, [-c for c in _slope(rest)])
        part = _common(rest, slope)
        if len(part) > 1:
            found.append((part, k))
        rest, slope, k = _divided(rest, part)[0], _divided(slope, part)[0], k + 1
    return found


def _changes(signs: list[int]) -> int:
    kept = [s for s in signs if s]
    return sum(a != b for a, b in pairwise(kept))


def _sign(p: Poly, x: Fraction | float) -> int:
    far = p[-1] if x > 0 or len(p) % 2 else -p[-1]
    y = far if isinstance(x, float) else value(p, x)
    return (y > 0) - (y < 0)


def _roots_inside(p: Poly, low: Fraction | float, high: Fraction | float) -> int:
    """The number of roots in (low, high) of a polynomial without multiple roots."""
    chain = [_primitive(p), _primitive(_slope(p))]
    while len(chain[-1]) > 1:
        chain.append([-c for c in _primitive(_divided(chain[-2], chain[-1])[1])])
    count = _changes([_sign(q, low) for q in chain]) - _changes([_sign(q, high) for q in chain])
    return count - (not isinstance(high, float) and _sign(p, high) == 0)


def sturm(t: Term, name: str, x: Interval, strict: bool) -> bool:
    """Whether a polynomial is >= 0 (> 0) on a range, by counting roots."""
    p = polynomial(t, name)
    if p is None:
        raise UnknownError(f"{t} is no polynomial in {name} of degree at most {HIGHEST}")
    if x.single:
        y = value(p, x.low)
        return y > 0 if strict else y >= 0
    if len(p) < 2:
        return bool(p and p[0] > 0) or (not p and not strict)
    for part, multiplicity in _parts(p):
        if (strict or multiplicity % 2) and _roots_inside(part, x.low, x.high):
            return False
        if strict and any(abs(e) < inf and e in x and value(part, e) == 0 for e in (x.low, x.high)):
            return False
    inner = _inner(x)
    while value(p, inner) == 0:  # a root of even multiplicity
        inner = (inner + (x.high if x.high < inf else inner + 1)) / 2
    return value(p, inner) > 0


def _inner(x: Interval) -> Fraction:
    if x.bounded:
        return Fraction((x.low + x.high) / 2)
    if x.low > -inf:
        return Fraction(x.low + 1)
    return Fraction(x.high - 1) if x.high < inf else Fraction(0)
