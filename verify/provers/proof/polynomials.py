"""Expressions as sums of monomials in atoms, for the rules that look for linear relations between them.

An atom is a variable or a function that is not taken apart (exp(x), Max(x, y)); a monomial is a product of
rational powers of atoms.  Powers of e are gathered: e^(c t) is the atom e^t to the power c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.expressions import attempt, largest_exponent, length, monomials
from verify.provers.goals import Goal
from verify.provers.meter import spend

_LONGEST = 300  # operations of an expression that is expanded
_HIGHEST = 40  # exponent in it
_TERMS = 2000  # monomials of an expression that is written out

Monomial = tuple[tuple[int, Fraction], ...]  # atom and exponent, by atom
Sum = Mapping[Monomial, Fraction]
UNIT: Monomial = ()
Powers = Mapping[tuple[int, ...], Fraction]  # of a polynomial: coefficients by exponents


def fraction(number: Any) -> Fraction:
    """Of a rational number of SymPy."""
    return Fraction(int(number.p), int(number.q))


def _moderate(e: Any) -> bool:
    return length(e) <= _LONGEST and largest_exponent(e) <= _HIGHEST and monomials(e) <= _TERMS


def is_polynomial(goal: Goal) -> bool:
    """Whether the goal is about a polynomial of moderate size with rational coefficients."""
    e = sympy.sympify(goal.expression)
    if not _moderate(e) or not e.is_polynomial(*e.free_symbols):
        return False
    return all(n.is_Rational for n in e.atoms(sympy.Number, sympy.NumberSymbol))


def powers_of(expression: Any, symbols: Sequence[Any]) -> Powers | None:
    """The coefficients of a polynomial in these symbols over the rationals; else ``None``."""
    e = sympy.sympify(expression)
    if not _moderate(e) or not e.is_polynomial(*symbols):
        return None
    found = attempt(sympy.Poly, e, *symbols)
    if found is None or not all(c.is_Rational for c in found.coeffs()):
        return None
    return {m: fraction(c) for m, c in found.terms() if c}


def written_powers(expression: Any, symbols: Sequence[Any]) -> Powers | None:
    """The same for products and powers of sums, which may have many terms before they are collected."""
    e = sympy.sympify(expression)
    if length(e) > _LONGEST or not e.is_polynomial(*symbols):
        return None
    top = highest_degree(e)
    if top > _HIGHEST or comb(top + len(symbols), len(symbols)) > _TERMS:
        return None
    found = attempt(sympy.Poly, e, *symbols)
    if found is None or not all(c.is_Rational for c in found.coeffs()):
        return None
    return {m: fraction(c) for m, c in found.terms() if c}


def highest_degree(e: Any) -> int:
    """At most so high is the degree of a polynomial, by its form."""
    if e.is_Add:
        return max(map(highest_degree, e.args))
    if e.is_Mul:
        return sum(map(highest_degree, e.args))
    if e.is_Pow and e.exp.is_Integer:
        return abs(int(e.exp)) * highest_degree(e.base)
    return int(e.is_Symbol)


class Atoms:
    """The atoms of some expressions, numbered as they are met."""

    def __init__(self) -> None:
        self.terms: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def _number(self, atom: Any) -> int:
        if atom not in self._numbers:
            self._numbers[atom] = len(self.terms)
            self.terms.append(atom)
        return self._numbers[atom]

    def of(self, expression: Any) -> Sum | None:
        """The sum of monomials that an expression is; ``None`` if it is too large."""
        e = sympy.sympify(expression)
        if not _moderate(e):
            return None
        e = attempt(sympy.expand, e)
        found: dict[Monomial, Fraction] = {}
        for term in sympy.Add.make_args(e) if e is not None else ():
            c, powers = Fraction(1), dict[int, Fraction]()
            for factor in sympy.Mul.make_args(term):
                if factor.is_Rational:
                    c *= fraction(factor)
                    continue
                atom, q, content = self._factor(factor)
                c *= content
                powers[atom] = powers.get(atom, Fraction(0)) + q
            m = tuple(sorted((a, q) for a, q in powers.items() if q))
            found[m] = found.get(m, Fraction(0)) + c
        return None if e is None or len(found) > _TERMS else {m: c for m, c in found.items() if c}

    def _factor(self, factor: Any) -> tuple[int, Fraction, Fraction]:
        """Atom, exponent and a number: 1/(2 x + 2) is 1/(x + 1), halved."""
        if isinstance(factor, sympy.exp):
            c, rest = factor.args[0].as_coeff_Mul()
            if c.is_Rational and rest != 1:
                return self._number(sympy.exp(rest)), fraction(c), Fraction(1)
        if factor.is_Pow and factor.exp.is_Rational and not isinstance(factor, sympy.exp):
            base, q, content = factor.base, fraction(factor.exp), Fraction(1)
            if base.is_Add and q.denominator == 1:
                number, base = base.primitive()
                content = fraction(number) ** q.numerator
            return self._number(base), q, content
        return self._number(factor), Fraction(1), Fraction(1)

    def expression(self, m: Monomial) -> Any:
        """The monomial as an expression."""
        return sympy.Mul(*(self.terms[a] ** sympy.Rational(q) for a, q in m))

    def text(self, a: Sum) -> str:
        """The text of a sum."""
        return text_of(sympy.Add(*(sympy.Rational(c) * self.expression(m) for m, c in a.items())))


def times(a: Sum, b: Sum) -> Sum:
    """Their product."""
    spend(10 * len(a) * len(b))
    found: dict[Monomial, Fraction] = {}
    for m, c in a.items():
        for n, d in b.items():
            powers = dict(m)
            for atom, q in n:
                powers[atom] = powers.get(atom, Fraction(0)) + q
            joined = tuple(sorted((atom, q) for atom, q in powers.items() if q))
            found[joined] = found.get(joined, Fraction(0)) + c * d
    return {m: c for m, c in found.items() if c}


def degree(a: Sum) -> Fraction:
    """The largest sum of exponents."""
    return max((sum((abs(q) for _, q in m), Fraction(0)) for m in a), default=Fraction(0))


def product_of(parts: Iterable[Sum]) -> Sum:
    """The product of all of them."""
    found: Sum = {UNIT: Fraction(1)}
    for part in parts:
        found = times(found, part)
    return found
