"""What the provers ask about an expression before and after the computer algebra: size, variables, zero.

Factoring or simplifying can take for ever: exp(2000*x) is a polynomial of degree 2000 in exp(x).  So the
number of operations and the size of the exponents are looked at first; both are counts, never seconds.
What all of it together may cost is counted, too: each computation has a price by the size of what it is
given, and a claim has so much to spend (:func:`spending`).  So a hopeless claim ends after a while, and on
every machine at the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from math import comb, prod
from typing import Any, ParamSpec, TypeVar

import sympy
from sympy.core import exprtools
from sympy.core.random import seed
from sympy.functions.elementary.miscellaneous import MinMaxBase

from verify.claims.sizes import too_large
from verify.provers.meter import SpentError, spend

P = ParamSpec("P")
R = TypeVar("R")

_WRITTEN_OUT = 256
_SIGNED, _BITS = 6, 32  # terms and degree, and bits, of polynomials whose sign SymPy may tell
_DRAWING = (sympy.factor, sympy.simplify)  # which draw numbers where they factor in several variables
_STEEP = 24  # exponent above which polynomials in two or three variables are not factored
_WIDE = 256  # and bits of a number in them: a prime is looked for that is longer than any coefficient
_COMPARED = 40  # operations of two arguments of a maximum that are compared
_USUAL = 300  # units of the meter for a small price
_PURSES: list[tuple[list[int], set[Any]]] = [([10**9], set())]  # what may be spent, and for what it was


@contextmanager
def spending(units: int) -> Iterator[None]:
    """What the computer algebra may cost in a while."""
    _PURSES.append(([units], set()))
    try:
        yield
    finally:
        _PURSES.pop()


@contextmanager
def modest_signs() -> Iterator[None]:
    """For a while SymPy does not isolate roots to tell the sign of a long polynomial: it does not know it.

    It asks itself for signs whenever it builds a derivative, a root or a maximum, and the roots of one
    polynomial of degree 16 with ten-digit coefficients take minutes.  To build a maximum it also compares its
    arguments two by two, and factors their differences for it: that is drawn on the meter, and long ones are
    not compared.
    """
    before, connected = exprtools._monotonic_sign, MinMaxBase.__dict__["_is_connected"]

    def told(e: Any) -> Any:
        long = e.is_Add and (len(e.args) > _SIGNED or longest(e) > _BITS or largest_exponent(e) > _SIGNED)
        return None if long else before(e)

    def compared(cls: Any, x: Any, y: Any) -> Any:
        size = length(x) + length(y)
        spend(20 + 60 * size)
        return connected.__func__(cls, x, y) if size <= _COMPARED else x == y

    exprtools._monotonic_sign, MinMaxBase._is_connected = told, classmethod(compared)
    try:
        yield
    finally:
        exprtools._monotonic_sign, MinMaxBase._is_connected = before, connected


def paid(price: int, what: Any) -> bool:
    """Whether there is enough left for a computation of this price, which is then spent; the same is free."""
    left, known = _PURSES[-1]
    if what in known:
        return True
    if price > left[0]:
        return False
    left[0] -= price
    known.add(what)
    spend(price * min(_USUAL + price, 1000))  # a price is the worst case, which only dear ones come near
    return True


def attempt(call: Callable[P, R], *arguments: P.args, **options: P.kwargs) -> R | None:
    """What the computer algebra answers, or ``None`` where it gives up."""
    if call in _DRAWING:
        seed(0)  # so that the answer, and how long it takes, does not depend on what was asked before
    try:
        return call(*arguments, **options)
    except SpentError:
        raise
    except Exception:  # SymPy gives up in many unrelated ways; no answer is always a safe answer
        return None


def put(expression: Any, values: Mapping[Any, Any]) -> Any:
    """The expression with values for symbols, or ``None``: not finite there, or too long a number."""
    found = attempt(_put, sympy.sympify(expression), values)
    strange = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.AccumBounds)
    return None if found is None or found.has(*strange) else found


def _put(e: Any, values: Mapping[Any, Any]) -> Any:
    if e in values:
        return values[e]
    if e.is_Atom or not any(s in e.free_symbols for s in values):
        return e
    parts = [_put(a, values) for a in e.args]
    if too_large(e.func, parts):
        raise OverflowError(f"{e.func} of a large number")
    return e.func(*parts)


@lru_cache(maxsize=8192)
def variables_of(expression: Any) -> tuple[str, ...]:
    """The variables of an expression in alphabetical order."""
    return tuple(sorted(symbol.name for symbol in sympy.sympify(expression).free_symbols))


@lru_cache(maxsize=8192)
def length(expression: Any) -> int:
    """The number of operations of an expression."""
    return int(sympy.count_ops(expression))


@lru_cache(maxsize=8192)
def largest_exponent(expression: Any) -> int:
    """The largest numerator or denominator in an exponent: about the degree of what it would become."""
    exponents = [p.exp for p in expression.atoms(sympy.Pow)]
    exponents += [p.args[0] for p in expression.atoms(sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh)]
    numbers = [n for e in exponents for n in e.atoms(sympy.Rational)]
    return max((max(abs(int(n.p)), int(n.q)) for n in numbers), default=0)


@lru_cache(maxsize=8192)
def monomials(expression: Any) -> int:
    """At most so many terms has the expression when it is written out."""
    parts = [monomials(a) for a in expression.args]
    if expression.is_Add:
        return sum(parts)
    if expression.is_Mul:
        return prod(parts)
    if expression.is_Pow and expression.exp.is_Integer and parts[0] > 1:
        return comb(abs(int(expression.exp)) + parts[0] - 1, parts[0] - 1)
    return 1


@lru_cache(maxsize=8192)
def longest(expression: Any) -> int:
    """The bits of the longest number in it."""
    numbers = sympy.sympify(expression).atoms(sympy.Rational)
    return max((max(int(n.p).bit_length(), int(n.q).bit_length()) for n in numbers), default=0)


@lru_cache(maxsize=8192)
def unwieldy(expression: Any) -> bool:
    """Whether it has a high power of a sum, which SymPy writes out as soon as it is asked for a sign."""
    return any(
        p.exp.is_Integer and abs(int(p.exp)) > _WRITTEN_OUT and p.base.is_Add
        for p in expression.atoms(sympy.Pow)
    )


_MOST = 10**6  # a count that large is not told from a larger one


@lru_cache(maxsize=8192)
def written_out(expression: Any) -> int:
    """About the number of terms of the numerator of an expression over one denominator, multiplied out."""
    return _written(sympy.sympify(expression))[0]


@lru_cache(maxsize=8192)
def written_within(expression: Any) -> int:
    """About the size of what SymPy's ``expand`` makes of it: terms repeat what is in roots and functions."""
    e = sympy.sympify(expression)
    inner = {a for f in e.atoms(sympy.Function) for a in f.args}
    inner |= {p.base for p in e.atoms(sympy.Pow) if not p.exp.is_Integer}
    return min(written_out(e) * (1 + sum(written_out(a) for a in inner if not a.is_Atom)), _MOST)


Powers = dict[Any, int]  # of the parts of a denominator


def _written(e: Any) -> tuple[int, Powers]:
    """The terms of the numerator, and the denominator."""
    if e.is_Add:
        parts = [_written(a) for a in e.args]
        common: Powers = {}
        for _, below in parts:
            common.update({b: n for b, n in below.items() if n > common.get(b, 0)})
        missing = [{b: n - below.get(b, 0) for b, n in common.items()} for _, below in parts]
        return min(sum(a * _terms(more) for (a, _), more in zip(parts, missing, strict=True)), _MOST), common
    if e.is_Mul:
        above, under = 1, dict[Any, int]()
        for a, below in map(_written, e.args):
            above = min(above * a, _MOST)
            under.update({b: n + under.get(b, 0) for b, n in below.items()})
        return above, under
    if e.is_Pow and e.exp.is_Integer:
        above, below = _written(e.base)
        n = abs(int(e.exp))
        if e.exp > 0:
            return _raised(above, n), {b: n * k for b, k in below.items()}
        return _terms({b: n * k for b, k in below.items()}), {e.base: n} if above > 1 else {}
    return 1, {}


def _terms(powers: Powers) -> int:
    """Of the product of the powers."""
    total = 1
    for base, n in powers.items():
        total = min(total * _raised(_written(base)[0], n), _MOST)
    return total


def _raised(terms: int, n: int) -> int:
    """Of a power of a sum."""
    return min(comb(terms + n - 1, n), _MOST) if terms > 1 and n <= _WRITTEN_OUT else 1 if n == 0 else terms


def steep(expression: Any) -> bool:
    """Whether factoring it may not end: many variables, and a high degree or long numbers."""
    exponent, variables = largest_exponent(expression), kernels(expression)
    far = exponent > _STEEP or longest(expression) > _WIDE
    return (variables > 1 and far) or (variables > 3 and exponent > _STEEP // 3)


@lru_cache(maxsize=8192)
def kernels(expression: Any) -> int:
    """What a polynomial would have for variables: symbols, functions, roots, exponentials."""
    e = sympy.sympify(expression)
    roots = {p for p in e.atoms(sympy.Pow) if not p.exp.is_Integer}
    return len(e.free_symbols | e.atoms(sympy.Function) | roots)


def simpler_forms(expression: Any) -> Iterator[Callable[[Any], Any]]:
    """Simplifications from cheap to dear, for whoever wants to see whether something is 0."""
    yield sympy.expand
    if expression.has(sympy.log):
        yield sympy.expand_log
    yield sympy.cancel
    yield sympy.simplify
