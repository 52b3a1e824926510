"""What is bounded, and what is known when: the side conditions of integrals and means, seen from the form.

*Tame* is a term that stays bounded while the moving things (real variables, the outcome) stay in a bounded
set; *known at n* is one that the first decisions up to n decide.  Both are sufficient conditions: what is not
seen is not claimed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from verify.kernel.levels import level_of
from verify.kernel.terms import NAT, REAL, ZERO, Term, num, opened, polynomial, sub, substitute

Bounds = Mapping[Term, Term]  # variables of sums around, and the numbers below which they stay


def at_most(m: Term, n: Term, bounds: Bounds | None = None) -> bool:
    """Whether m <= n is seen: n - m has no negative coefficient, bound variables at their worst."""
    for i, b in reversed(list((bounds or {}).items())):
        inside = [(mono, c) for mono, c in polynomial(m).items() if any(i in f.free for f, _ in mono)]
        signs = {c > 0 for _, c in inside}
        if len(signs) > 1 or any(f is not i and i in f.free for mono, _ in inside for f, _ in mono):
            return False  # of a function of i nobody knows where it is largest
        m = substitute(m, {i: sub(b, num(1)) if True in signs else ZERO})
    return all(c >= 0 and all(f.sort == NAT for f, _ in mono) for mono, c in polynomial(sub(n, m)).items())


def known(t: Term, n: Term | None, bounds: Bounds | None = None) -> bool:
    """Whether the decisions up to n decide the term; with n = None, whether it is deterministic."""
    if not t.random:
        return True
    if n is None or n.random:
        return False
    around = dict(bounds or {})
    if t.tag == "app" and t.parts[0].random:
        level = level_of(t)
        if level is None or level.random or not at_most(level, n, around):
            return False
        return all(known(a, n, around) for a in t.parts[1:])
    if t.tag == "E":
        return at_most(t.parts[1], n, around) or known(t.parts[0], n, around)
    if t.tag in ("Sum", "SumOver", "MaxOver", "Int", "Sup", "All"):
        x, body = opened(t)
        inside = {**around, x: t.parts[1]} if t.tag == "Sum" else around
        return all(known(r, n, around) for r in t.parts[1:-1]) and known(body, n, inside)
    return all(known(c, n, around) for c in t.children)


def tame(t: Term, moving: frozenset[Term], omega: bool) -> bool:
    """Whether it is bounded while these variables (and the outcome) move within bounds."""
    if not (t.free & moving) and not (omega and t.random):
        return True
    match t.tag:
        case "var" | "Ind":
            return True
        case "app":
            return all(tame(a, moving, omega) for a in t.parts[1:])
        case "poly" | "exp" | "sqrt" | "Abs" | "Max" | "Min":
            return all(tame(c, moving, omega) for c in t.children)
        case "Sum" | "SumOver" | "MaxOver":
            return all(tame(r, moving, omega) for r in t.parts[1:])
        case "Int":
            x, body = opened(t)
            return tame(t.parts[1], moving, omega) and tame(body, moving | {x}, omega)
        case "E":
            return tame(t.parts[0], moving, True)
        case "inv":
            divisor = t.parts[0]
            if not really_moves(divisor, moving, omega):
                return True
            low = floor(divisor)
            return tame(divisor, moving, omega) and low is not None and low > 0
    return not really_moves(t, moving, omega)


def really_moves(t: Term, moving: frozenset[Term], omega: bool) -> bool:
    """Whether it may take infinitely many values while these move: then a quotient may be unbounded."""
    if any(x.sort == REAL for x in t.free & moving):
        return True
    if not omega or not t.random:
        return False
    if t.tag in ("E", "Int", "Sup") or (t.tag == "app" and t.parts[0].random and t.sort == REAL):
        return True  # the least upper bound and the integral of whole numbers may be any number
    return any(really_moves(c, moving, omega) for c in t.children)


@cache
def floor(t: Term) -> Fraction | None:
    """A rational lower bound, seen from the form."""
    if t.tag == "num":
        low: Fraction = t.parts[0]
        return low
    if t.tag == "poly":
        return _floor_of_sum(t)
    lows = [floor(c) for c in t.children]
    if t.tag == "Max":
        seen = [low for low in lows if low is not None]
        if seen:
            return max(seen)
    if t.tag == "Min" and all(low is not None for low in lows):
        return min(low for low in lows if low is not None)
    if t.tag == "sqrt" and lows[0] is not None and lows[0] > 0:
        return min(Fraction(1), lows[0])
    if t.sort == NAT or t.tag in ("exp", "Abs", "sqrt", "Ind"):
        return Fraction(0)
    if t.tag in ("Sum", "SumOver", "Int", "E"):
        low_of_body = floor(t.parts[0] if t.tag == "E" else t.parts[-1])
        return Fraction(0) if low_of_body is not None and low_of_body >= 0 else None
    return None


def _floor_of_sum(t: Term) -> Fraction | None:
    total = Fraction(0)
    for monomial, c in t.parts:
        low = Fraction(1)
        for factor, e in monomial:
            one = floor(factor)
            if one is None or one < 0:
                if e % 2:
                    return None
                one = Fraction(0)
            low *= one**e
        if c < 0 and monomial:
            return None
        total += c * low
    return total
