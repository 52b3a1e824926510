"""Polynomials in one variable over the rationals: the factors that are there more than once.

p = c p_1 p_2^2 p_3^3 ... with p_i square-free and without common roots (Yun): an even power has a sign.
"""

from __future__ import annotations

from fractions import Fraction

from verify.recheck.algebra import UNIT, Algebra
from verify.recheck.intervals import UnknownError
from verify.recheck.terms import Term, add, mul, number, power, variable

Coefficients = list[Fraction]  # of 1, x, x^2, ...; the last is not 0
_MOST = 1000  # of them; more are not written out


def squarefree(f: Term) -> Term | None:
    """The product of powers; ``None`` where f is no polynomial in one variable or has no square in it."""
    if len(f.names) != 1:
        return None
    (name,) = f.names
    p = _coefficients(f, name)
    if p is None or len(p) < 3:
        return None
    factors = _yun(p)
    if all(k == 1 for _, k in factors):
        return None
    x = variable(name)
    parts = [
        power(add(*(number(c) * x ** number(i) for i, c in enumerate(q))), number(k)) for q, k in factors
    ]
    return mul(number(p[-1]), *parts)


def shifted(f: Term, name: str, a: Fraction) -> Term | None:
    """The polynomial in x - a, if it has no negative coefficient there: then it is >= 0 for x >= a."""
    p = _coefficients(f, name)
    if p is None:
        return None
    found: Coefficients = []
    while p:
        p, remainder = _divided(p, [-a, Fraction(1)])
        found.append(remainder[0] if remainder else Fraction(0))
    if any(c < 0 for c in found):
        return None
    x = variable(name) - number(a)
    return add(*(number(c) * x ** number(k) for k, c in enumerate(found)))


def _coefficients(f: Term, name: str) -> Coefficients | None:
    algebra = Algebra({})
    try:
        found = algebra.of(f)
    except UnknownError:
        return None
    degrees: dict[int, Fraction] = {}
    for monomial, c in found.items():
        if monomial == UNIT:
            degrees[0] = c
            continue
        ((atom, e),) = monomial if len(monomial) == 1 else ((-1, Fraction(0)),)
        if atom < 0 or algebra.atoms[atom].term.name != name or e.denominator != 1 or e < 0:
            return None
        degrees[int(e)] = c
    if max(degrees, default=0) >= _MOST:
        return None
    return [degrees.get(k, Fraction(0)) for k in range(max(degrees, default=0) + 1)]


def _trim(p: Coefficients) -> Coefficients:
    while p and not p[-1]:
        p = p[:-1]
    return p


def _divided(p: Coefficients, q: Coefficients) -> tuple[Coefficients, Coefficients]:
    """Quotient and rest."""
    quotient = [Fraction(0)] * max(0, len(p) - len(q) + 1)
    while len(p) >= len(q):
        c, shift = p[-1] / q[-1], len(p) - len(q)
        quotient[shift] = c
        p = _trim([a - c * q[k - shift] if k >= shift else a for k, a in enumerate(p[:-1])])
    return quotient, p


def _monic(p: Coefficients) -> Coefficients:
    return [c / p[-1] for c in p]


def _common(p: Coefficients, q: Coefficients) -> Coefficients:
    while q:
        p, q = q, _divided(p, q)[1]
    return _monic(p)


def _slope(p: Coefficients) -> Coefficients:
    return _trim([k * c for k, c in enumerate(p)][1:])


def _yun(p: Coefficients) -> list[tuple[Coefficients, int]]:
    """Square-free factors, without the constant ones, and how often each is there."""
    p = _monic(p)
    repeated = _common(p, _slope(p))
    rest, k, found = _divided(p, repeated)[0], 1, []
    while len(rest) > 1:
        shared = _common(rest, repeated) if len(repeated) > 1 else [Fraction(1)]
        once = _divided(rest, shared)[0]
        if len(once) > 1:
            found.append((_monic(once), k))
        repeated, rest, k = _divided(repeated, shared)[0], shared, k + 1
    return found
