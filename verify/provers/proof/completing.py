"""Squares completed one after the other: f = c (m + r/(2c m))² + rest, until no term of the rest needs one.

A term is *free* if it is a square with a positive coefficient; the others have to be taken up by a square.
For a free term c m² the terms m·n among the others make one, (m + Σ c_n n/(2c))².  What is left has to be a
sum of squares again; which m comes first is tried in turn.  In contrast to a program in floating point it
does not matter that many Gram matrices are singular, or that only one of them is positive semidefinite.

A term that alone is largest in some direction decides the sign far out, and a sum of squares has none there
that is not free.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verify.provers.meter import spend
from verify.provers.proof.polynomials import Powers
from verify.provers.proof.rounding import Exponents, times

WORK = 300_000  # steps that a search may take
_VARIABLES = 6

Square = tuple[Fraction, Powers]


def completed(f: Powers, left: list[int]) -> list[Square] | None:
    """Numbers c > 0 and polynomials p with f = Σ c p², or ``None``; ``left`` is what it may cost."""
    n = len(next(iter(f)))
    if n > _VARIABLES:
        return None
    return _completed(f, [d for d in product((-1, 0, 1), repeat=n) if any(d)], left)


def _completed(f: Powers, directions: list[Exponents], left: list[int]) -> list[Square] | None:
    bound = [m for m, c in f.items() if c < 0 or any(a % 2 for a in m)]
    free = sorted((m for m in f if m not in bound), key=lambda m: (-sum(m), m))
    if not bound:
        return [(f[m], {tuple(a // 2 for a in m): Fraction(1)}) for m in free]
    price = len(directions) * (len(f) + len(free) * len(bound))
    left[0] -= price
    if left[0] < 0:
        return None
    spend(price)
    tops = [(d, max(_along(m, d) for m in f)) for d in directions]
    if any(_alone(f, bound, *top) for top in tops):
        return None
    for double in free:
        square = _square(f, double, bound, tops)
        if square is None:
            continue
        rest = dict(f)
        for m, c in times(square[1], square[1]).items():
            rest[m] = rest.get(m, Fraction(0)) - square[0] * c
        found = _completed({m: c for m, c in rest.items() if c}, directions, left)
        if found is not None:
            return [square, *found]
    return None


def _alone(f: Powers, bound: list[Exponents], direction: Exponents, top: int) -> bool:
    """Whether a term that is not free is alone the largest in a direction."""
    largest = [m for m in f if _along(m, direction) == top]
    return len(largest) == 1 and largest[0] in bound


def _square(
    f: Powers, double: Exponents, bound: list[Exponents], tops: list[tuple[Exponents, int]]
) -> Square | None:
    """A free term with all the terms that it can take up: not those whose own square is out of reach."""
    root = tuple(a // 2 for a in double)
    sides: dict[Exponents, Fraction] = {}
    for m in bound:
        other = tuple(a - b for a, b in zip(m, root, strict=True))
        if min(other) >= 0 and all(2 * _along(other, d) <= top for d, top in tops):
            sides[other] = f[m] / (2 * f[double])
    return (f[double], {root: Fraction(1), **sides}) if sides else None


def _along(m: Exponents, direction: Exponents) -> int:
    return sum(a * d for a, d in zip(m, direction, strict=True))
