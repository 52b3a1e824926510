"""Sums, maxima, integrals and means in normal form.

Sums and means are linear, so a body is taken apart into products, and what does not depend on the operator
comes out; integrals and means are taken apart only where every part is bounded (``measure.tame``).  Sums
stand outside, means inside; a mean of a conditional mean is a mean.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

from verify.kernel.measure import at_most, known, tame
from verify.kernel.terms import (
    NAT,
    NUMBERS,
    ONE,
    REAL,
    ZERO,
    CaptureError,
    KernelError,
    Monomial,
    Term,
    add,
    bound,
    forall,
    mean,
    mul,
    num,
    number,
    opened,
    polynomial,
    power,
    require_sort,
    sub,
    substitute,
)

MOST_STEPS = 64  # of a sum that is written out


def binder(tag: str, x: Term, ranges: list[Term], body: Term) -> Term:
    """The binder of that name, in normal form."""
    if tag == "All":
        return forall(x, body)
    require_sort(body, REAL, f"the body of {tag}")
    for r in ranges:
        if x in r.free:
            raise KernelError(f"the range of {tag} mentions its variable")
    if tag in ("SumOver", "MaxOver") and x.sort in NUMBERS:
        raise KernelError(f"{tag} runs over a finite sort, not over {x.sort}")
    if tag in ("Sum", "Sup"):
        require_sort(x, NAT, f"the variable of {tag}")
    elif tag == "Int" and x.sort != REAL:
        raise KernelError("the variable of Int is of sort Real")
    match tag:
        case "Sum":
            require_sort(ranges[0], NAT, "the number of summands")
            return _linear(x, body, lambda piece: _sum(x, ranges[0], piece))
        case "SumOver":
            return _linear(x, body, lambda piece: _sum_over(x, piece))
        case "MaxOver":
            return bound("MaxOver", x, body, sort=body.sort) if x in body.free else body
        case "Int":
            require_sort(ranges[0], REAL, "the end of an integral")
            return _integral(x, ranges[0], body)
        case "Sup":
            return bound("Sup", x, body)
    raise KernelError(f"there is no operator {tag}")


def _term(monomial: Monomial) -> Term:
    return number({monomial: Fraction(1)})


def _linear(x: Term, body: Term, of_piece: Callable[[Term], Term]) -> Term:
    """A sum taken apart: factors without the variable come out."""
    result = []
    for monomial, c in polynomial(body).items():
        outside = tuple(f for f in monomial if x not in f[0].free)
        inside = tuple(f for f in monomial if x in f[0].free)
        result.append(mul(num(c), _term(outside), of_piece(_term(inside))))
    return add(*result)


def _sum(x: Term, n: Term, piece: Term) -> Term:
    if piece is ONE:
        return n
    steps = polynomial(n).get((), Fraction(0))
    if steps > MOST_STEPS:
        raise KernelError(f"a sum of {steps} written terms; at most {MOST_STEPS}")
    start = sub(n, num(steps))
    try:
        written = [substitute(piece, {x: add(start, num(j))}) for j in range(int(steps))]
    except CaptureError:
        return bound("Sum", x, n, piece, sort=piece.sort)
    if start is ZERO:
        return add(*written)
    return add(bound("Sum", x, start, piece, sort=piece.sort), *written)


def _sum_over(y: Term, piece: Term) -> Term:
    """One summand if an indicator picks it."""
    for monomial in polynomial(piece):
        for factor, _ in monomial:
            if factor.tag == "Ind" and factor.parts[0].tag == "==" and y in factor.parts[0].parts:
                (other,) = [t for t in factor.parts[0].parts if t is not y] or [y]
                if y in other.free:
                    continue
                rest = tuple(f for f in monomial if f[0] is not factor)
                with suppress(CaptureError):
                    return substitute(_term(rest), {y: other})
    return bound("SumOver", y, piece, sort=piece.sort)


def _integral(s: Term, t: Term, body: Term) -> Term:
    moving = frozenset([s])
    pieces = polynomial(body)
    if not all(tame(_term(m), moving, omega=False) for m in pieces):
        return bound("Int", s, t, body)

    def piece_of(piece: Term) -> Term:
        inner = _sum_inside(piece, lambda n: n is None or s not in n.free)
        if inner is None:
            return bound("Int", s, t, piece)
        i, n, rest = inner
        return _summed(i, n, binder("Int", s, [t], rest))

    return _linear(s, body, piece_of)


def _sum_inside(piece: Term, allowed: Callable[[Term | None], bool]) -> tuple[Term, Term | None, Term] | None:
    """A sum that is a factor of the piece: its variable, its range, and the product under the sum."""
    for monomial in polynomial(piece):
        for factor, e in monomial:
            if factor.tag in ("Sum", "SumOver") and e == 1:
                n = factor.parts[1] if factor.tag == "Sum" else None
                if allowed(n):
                    i, inner = opened(factor)
                    rest = tuple(f for f in monomial if f[0] is not factor)
                    return i, n, mul(inner, _term(rest))
    return None


def _summed(i: Term, n: Term | None, body: Term) -> Term:
    return binder("SumOver", i, [], body) if n is None else binder("Sum", i, [n], body)


def expectation(body: Term, level: Term | None) -> Term:
    """E(body) or E(body, level)."""
    require_sort(body, REAL, "the body of E")
    if level is not None:
        require_sort(level, NAT, "the level of E")
        if level.random:
            raise KernelError("the level of E is random")
    pieces = polynomial(body)
    if not all(tame(_term(m), frozenset(), omega=True) for m in pieces):
        return mean(body, level)
    result = []
    for monomial, c in pieces.items():
        outside = tuple(f for f in monomial if known(f[0], level))
        inside = _term(tuple(f for f in monomial if not known(f[0], level)))
        result.append(mul(num(c), _term(outside), _mean_of_product(inside, level)))
    return add(*result)


def _mean_of_product(piece: Term, level: Term | None) -> Term:
    """The mean of a product of factors none of which is known."""
    if piece is ONE:
        return ONE
    tower = _tower(piece, level)
    if tower is not None:
        return expectation(tower, level)
    inner = _sum_inside(piece, lambda n: n is None or known(n, level))
    if inner is None:
        return mean(piece, level)
    i, n, rest = inner
    return _summed(i, n, expectation(rest, level))


def _tower(piece: Term, level: Term | None) -> Term | None:
    """V E(u, m) as v u, if v is known at m and m is not before the level."""
    for monomial in polynomial(piece):
        for factor, e in monomial:
            if factor.tag != "E" or factor.parts[1] is None:
                continue
            u, m = factor.parts
            rest = mul(_term(tuple(f for f in monomial if f[0] is not factor)), power(factor, e - 1))
            if (level is None or at_most(level, m)) and known(rest, m) and tame(u, frozenset(), omega=True):
                return mul(rest, u)
    return None
