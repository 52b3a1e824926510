"""Polynomials modulo equations, in exact fractions.

The multiples h·m of the equations h = 0 by monomials m, up to a degree, span a space; its echelon form, the
largest monomial of each row first, takes every polynomial to a normal form.  What was subtracted on the way
is kept: f = normal form + Σ p_k h_k, which is how a certificate shows that the equations were used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TypeVar

from verify.provers.proof.polynomials import Powers

Exponents = tuple[int, ...]
Used = dict[tuple[int, Exponents], Fraction]  # by equation and monomial: how often it was subtracted

K = TypeVar("K")

_ROWS = 400  # multiples of equations


def monomials_up_to(degree: int, n: int) -> list[Exponents]:
    """All monomials in n variables up to a degree, the lower ones first."""
    found = []
    for d in range(degree + 1):
        for chosen in combinations_with_replacement(range(n), d):
            found.append(tuple(chosen.count(k) for k in range(n)))
    return found


def _order(m: Exponents) -> tuple[int, Exponents]:
    return sum(m), m


class Modulo:
    """The normal form of polynomials modulo some equations, whose multiples have at most this degree."""

    def __init__(self, equations: Sequence[Powers], degree: int) -> None:
        self.equations = equations
        self._rows: dict[Exponents, tuple[Powers, Used]] = {}
        self._normal: dict[Exponents, tuple[dict[Exponents, Fraction], Used]] = {}
        multiples = [
            (k, m)
            for k, h in enumerate(equations)
            for m in monomials_up_to(degree - max(map(sum, h)), len(next(iter(h))))
        ]
        for k, m in multiples[:_ROWS]:
            row = {tuple(a + b for a, b in zip(m, at, strict=True)): c for at, c in equations[k].items()}
            rest, used = self._reduced(row)
            if rest:
                top = max(rest, key=_order)
                used = {at: -c / rest[top] for at, c in used.items()}
                used[k, m] = used.get((k, m), Fraction(0)) + 1 / rest[top]
                self._rows[top] = {at: c / rest[top] for at, c in rest.items()}, used

    def leads(self, m: Exponents) -> bool:
        """Whether the normal form of a monomial is another one."""
        return m in self._rows

    def _reduced(self, p: Powers) -> tuple[dict[Exponents, Fraction], Used]:
        """The polynomial without any of the leading monomials, and what was subtracted."""
        left, done, used = dict(p), dict[Exponents, Fraction](), Used()
        while left:
            m = max(left, key=_order)
            c = left.pop(m)
            if m not in self._rows:
                done[m] = c
                continue
            row, by = self._rows[m]
            for at, a in row.items():
                if at != m:
                    left[at] = left.get(at, Fraction(0)) - c * a
                    if not left[at]:
                        del left[at]
            for place, a in by.items():
                used[place] = used.get(place, Fraction(0)) + c * a
        return done, used

    def of(self, p: Powers) -> tuple[dict[Exponents, Fraction], Used]:
        """Normal form and multiples: p is the one plus the sum of the others."""
        done, used = dict[Exponents, Fraction](), Used()
        for m, c in p.items():
            if m not in self._normal:
                self._normal[m] = self._reduced({m: Fraction(1)})
            rest, by = self._normal[m]
            _add(done, rest, c)
            _add(used, by, c)
        return done, used


def _add(total: dict[K, Fraction], more: Mapping[K, Fraction], factor: Fraction) -> None:
    for key, c in more.items():
        total[key] = total.get(key, Fraction(0)) + factor * c
        if not total[key]:
            del total[key]
