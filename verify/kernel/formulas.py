"""Formulas, and their indicators, in normal form.

A comparison of numbers keeps its two sides as a formula; in an indicator only their difference counts.
"""

from __future__ import annotations

from fractions import Fraction

from verify.kernel.numbers import (
    NAT,
    NUMBERS,
    ONE,
    REAL,
    TRUTH,
    ZERO,
    KernelError,
    Term,
    add,
    mul,
    node,
    order,
    polynomial,
    require_sort,
    scale,
    sub,
)


def relation(op: str, a: Term, b: Term) -> Term:
    """``a <= b``, ``a < b`` or ``a == b``."""
    if op == "==" and a.sort not in (*NUMBERS, TRUTH):
        require_sort(b, a.sort, "the right side of ==")
        a, b = sorted((a, b), key=lambda t: t.rank)
    else:
        for t in (a, b):
            require_sort(t, REAL, f"a side of {op}")
    return node(op, a, b, sort=TRUTH)


def negation(a: Term) -> Term:
    """Not."""
    require_sort(a, TRUTH, "what Not denies")
    if a.tag == "Not":
        inner: Term = a.parts[0]
        return inner
    if a.tag in ("<=", "<"):
        return relation("<" if a.tag == "<=" else "<=", a.parts[1], a.parts[0])
    return node("Not", a, sort=TRUTH)


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
    return node(tag, *sorted(flat, key=lambda t: t.rank), sort=TRUTH)


def implication(a: Term, b: Term) -> Term:
    """Imp."""
    for t in (a, b):
        require_sort(t, TRUTH, "a part of Imp")
    return node("Imp", a, b, sort=TRUTH)


def sure(a: Term) -> Term:
    """The formula at every outcome."""
    require_sort(a, TRUTH, "the body of Sure")
    return node("Sure", a, sort=TRUTH) if a.random else a


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
            return node("Ind", a, sort=NAT)
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
        return node("Ind", a, sort=NAT)
    difference = sub(right, left)
    if difference.tag == "num":
        value = difference.parts[0]
        return ONE if (value >= 0 if a.tag == "<=" else value == 0) else ZERO
    if a.tag == "<=" and difference.sort == NAT:
        return ONE
    p = polynomial(difference)
    lead = Fraction(p[min((m for m in p if m), key=order)])
    factor = 1 / lead if a.tag == "==" else 1 / abs(lead)
    return node("Ind", relation(a.tag, ZERO, scale(difference, factor)), sort=NAT)
