"""What the provers ask about an expression before and after the computer algebra: size, variables, zero.

Factoring or simplifying can take for ever: exp(2000*x) is a polynomial of degree 2000 in exp(x).  So the
number of operations and the size of the exponents are looked at first; both are counts, never seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import comb, prod
from typing import Any, ParamSpec, TypeVar

import sympy

from verify.claims.sizes import too_large

P = ParamSpec("P")
R = TypeVar("R")

_WRITTEN_OUT = 256


def attempt(call: Callable[P, R], *arguments: P.args, **options: P.kwargs) -> R | None:
    """What the computer algebra answers, or ``None`` where it gives up."""
    try:
        return call(*arguments, **options)
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
def unwieldy(expression: Any) -> bool:
    """Whether it has a high power of a sum, which SymPy writes out as soon as it is asked for a sign."""
    return any(
        p.exp.is_Integer and abs(int(p.exp)) > _WRITTEN_OUT and p.base.is_Add
        for p in expression.atoms(sympy.Pow)
    )


def simpler_forms(expression: Any) -> Iterator[Callable[[Any], Any]]:
    """Simplifications from cheap to dear, for whoever wants to see whether something is 0."""
    yield sympy.expand
    if expression.has(sympy.log):
        yield sympy.expand_log
    yield sympy.cancel
    yield sympy.simplify
