"""Numbers that would take for ever to write out are refused before SymPy is asked for them.

SymPy evaluates a power of numbers, a factorial or a root (which it tries to factor) as soon as it is made.
What is too long is a reason to complain, never to accept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from verify.recheck.intervals import UnknownError

_BITS = 1 << 17  # of a number
_ROOT_BITS = 1 << 9  # of a number of which a root is taken: SymPy looks for its factors
_LARGEST = 10_000  # exponents and arguments of fast growing functions
_GROWING = (sympy.exp, sympy.gamma, sympy.loggamma, sympy.factorial)


def decimal(text: str) -> Any:
    """A decimal number as written."""
    exponent = re.search(r"[eE]([+-]?[0-9_]+)$", text)
    if exponent and (len(exponent[1]) > 6 or abs(int(exponent[1])) > _LARGEST):
        raise UnknownError(f"{text!r} is too long a number")
    return sympy.Rational(text)


def power(base: Any, exponent: Any) -> Any:
    """base**exponent, if it is not too long; that of a variable is not written out."""
    if exponent.is_Rational and base.is_number:
        size = Fraction(int(abs(exponent.p)), int(exponent.q))
        if (size > _LARGEST and base not in (0, 1, -1)) or _bits(base) * size > _BITS:
            raise UnknownError(f"so large a power ({exponent}) is not in the language")
        if not exponent.is_Integer and _bits(base) > _ROOT_BITS:
            raise UnknownError("the root of so long a number is not in the language")
    if base.is_Rational and exponent.is_number and exponent.has(sympy.log):  # 2**(log(9)*n/log(2)) = 9**n
        _require_small(exponent)
    return base**exponent


def applied(function: Any, values: list[Any]) -> Any:
    """The function of the values, if it is not too long."""
    if function in _GROWING:
        for value in values:
            if function is not sympy.exp or value.has(sympy.log):  # e^(n log 2) would be written out as 2^n
                _require_small(value)
    elif function is sympy.sqrt:
        for value in values:
            power(value, sympy.Rational(1, 2))
    return function(*values)


def put(f: Any, table: Mapping[Any, Any]) -> Any:
    """The expression with rational numbers put in for variables, if nothing in it becomes too long."""
    _evaluated(f, table)
    return f.subs(table)


def _evaluated(f: Any, table: Mapping[Any, Any]) -> Any:
    if f in table or not f.args:
        return table.get(f, f)
    values = [_evaluated(part, table) for part in f.args]
    return power(*values) if f.is_Pow else applied(f.func, values)


def _require_small(value: Any) -> None:
    if value.is_number and any(abs(int(q.p)) > _LARGEST * int(q.q) for q in value.atoms(sympy.Rational)):
        raise UnknownError("a fast growing function of so large a number is not in the language")


def _bits(value: Any) -> int:
    """The length of the numbers in an expression."""
    numbers = [(abs(int(q.p)), int(q.q)) for q in value.atoms(sympy.Rational)]
    return sum(max(p.bit_length(), q.bit_length()) for p, q in numbers if max(p, q) > 1)


def degree(f: Any) -> int:
    """At least the degree of a polynomial, without writing it out."""
    if f.is_Add:
        return max(map(degree, f.args))
    if f.is_Mul:
        return sum(map(degree, f.args))
    if f.is_Pow and f.exp.is_Integer:
        return degree(f.base) * abs(int(f.exp))
    return int(bool(f.free_symbols))
