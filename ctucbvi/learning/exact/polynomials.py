r"""Polynomials over balls on :math:`[0,h]`: how large, how low, and where first negative.

With :math:`t = uh` a polynomial is :math:`\sum_j b_j \binom dj u^j(1-u)^{d-j}` on :math:`0 \le u \le 1`, a
mean of its Bernstein coefficients :math:`b_j`, of which the first and the last are its values at the ends.
So the least of them is a lower bound; on halves, whose coefficients are means of these, it is better.  All
three changes of basis are matrices of balls, made once for each degree and precision.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import comb

from flint import arb, arb_mat, arb_poly, ctx, fmpq

_DEEP = 12  # halvings after which a zero is looked for by bisection, whatever the coefficients say
_PIECES = 400  # that the search for a lower bound may look at


def size(poly: arb_poly, h: arb) -> arb:
    r"""A bound of the absolute value on :math:`[0,h]`: :math:`\sum_k |c_k| h^k`."""
    total, power = arb(0), arb(1)
    for c in poly.coeffs():
        total += c.abs_upper() * power
        power *= h
    return total.abs_upper()


def least(poly: arb_poly, h: arb) -> arb:
    r"""A lower bound on :math:`[0,h]`."""
    return _least(bernstein(poly, h))


def lowest(poly: arb_poly, h: arb, small: arb) -> arb:
    r"""A lower bound on :math:`[0,h]`, 0 at most; it need not be sharper than ``small``."""
    span = arb(0).union(h)
    if poly(span) >= 0:
        return arb(0)
    least, pieces = arb(0), [bernstein(poly, h)]
    for k in range(_PIECES):
        if not pieces:
            return least
        row = pieces.pop()
        bound = _least(row)
        ends = row[0, 0].lower().min(row[row.nrows() - 1, 0].lower())
        if bound >= least.min(-small) or bound >= ends - small:
            least = least.min(bound)
        elif not bound.is_finite() or k + len(pieces) + 2 >= _PIECES:
            return least.min(bound).min(_lowest_of(pieces))
        else:
            pieces += _halves(row)
    return least.min(_lowest_of(pieces))


def first_negative(poly: arb_poly, h: arb, noise: arb) -> fmpq | None:
    r"""About the first :math:`u` in [0, 1] from which on the polynomial is below ``-noise`` at :math:`uh`.

    This is a guess, which the residual judges afterwards; None: there is none that anything shows.
    """
    if poly(arb(0).union(h)) >= -noise:
        return None
    stack = [(bernstein(poly, h), fmpq(0), 0)]
    while stack:
        row, start, depth = stack.pop()
        if _least(row) >= -noise:
            continue
        if row[0, 0] < -noise:
            return start
        ends_low = bool(row[row.nrows() - 1, 0] < -noise)
        if ends_low and (depth >= _DEEP or _changes_once(row, noise)):
            return _bisected(poly, h, noise, start, start + fmpq(1, 2**depth))
        if depth < _DEEP:
            left, right = _halves(row)
            stack += [(right, start + fmpq(1, 2 ** (depth + 1)), depth + 1), (left, start, depth + 1)]
    return None


def bernstein(poly: arb_poly, h: arb) -> arb_mat:
    r"""The Bernstein coefficients on :math:`[0,h]`, as a column."""
    column, power = [], arb(1)
    for c in poly.coeffs() or [arb(0)]:
        column.append(c * power)
        power *= h
    return _basis(len(column) - 1, ctx.prec) * arb_mat(len(column), 1, column)


def _halves(row: arb_mat) -> list[arb_mat]:
    degree = row.nrows() - 1
    return [_half(degree, ctx.prec, left=True) * row, _half(degree, ctx.prec, left=False) * row]


def _least(row: arb_mat) -> arb:
    found = arb(0).pos_inf()
    for b in row.entries():
        found = found.min(b.lower())
    return found.lower()


def _lowest_of(pieces: list[arb_mat]) -> arb:
    found = arb(0)
    for row in pieces:
        found = found.min(_least(row))
    return found


def _changes_once(row: arb_mat, noise: arb) -> bool:
    """Whether the coefficients go from above to below ``-noise`` once, and certainly: one zero."""
    signs = [-1 if b < -noise else 1 for b in row.entries()]
    return sum(a != b for a, b in pairwise(signs)) == 1


def _bisected(poly: arb_poly, h: arb, noise: arb, low: fmpq, high: fmpq) -> fmpq:
    for _ in range(ctx.prec):
        middle = (low + high) / 2
        if poly(h * middle) < -noise:
            high = middle
        else:
            low = middle
    return low


@lru_cache(maxsize=256)
def _basis(degree: int, _bits: int) -> arb_mat:
    entries = [
        arb(fmpq(comb(j, k), comb(degree, k))) if k <= j else arb(0)
        for j in range(degree + 1)
        for k in range(degree + 1)
    ]
    return arb_mat(degree + 1, degree + 1, entries)


@lru_cache(maxsize=256)
def _half(degree: int, _bits: int, *, left: bool) -> arb_mat:
    def weight(j: int, k: int) -> fmpq:
        if left:
            return fmpq(comb(j, k), 2**j) if k <= j else fmpq(0)
        return fmpq(comb(degree - j, k - j), 2 ** (degree - j)) if k >= j else fmpq(0)

    entries = [arb(weight(j, k)) for j in range(degree + 1) for k in range(degree + 1)]
    return arb_mat(degree + 1, degree + 1, entries)
