"""How large the numbers of a formula are, told before they are written out.

SymPy writes ``10**10**9`` and ``factorial(10**8)`` out digit by digit, merges ``exp(k*log(10))`` into
``10**k``, looks for factors of what stands below a root or in a logarithm, and evaluates a tower of
exponentials to as many bits as its argument has before the point.  So a formula is measured first:
numbers have at most :data:`BITS` bits (Python writes no more than 4300 digits anyway), which leaves room
for ``(1 - 1/1000)**1000`` but not for what would take hours.
"""

from __future__ import annotations

import math
from typing import Any

import sympy

BITS = 14_000  # of a numerator or denominator, and before the point of an exponential's argument
_ROOT_BITS = 4_000  # where SymPy looks for factors
_SPLITTING = (sympy.log, sympy.sqrt)
_FACTORIALS = (sympy.gamma, sympy.loggamma, sympy.factorial)
_EXPONENTIALS = (sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh)
_BOUNDED = (sympy.sin, sympy.cos, sympy.tanh, sympy.atan, sympy.erf)


def bits(value: Any) -> int:
    """The length of the longest integer in the expression (0 if there is nothing but 0 and ±1)."""
    lengths = [max(abs(r.p), r.q).bit_length() for r in value.atoms(sympy.Rational)]
    return max((length for length in lengths if length > 1), default=0)


def too_large(function: Any, parts: list[Any]) -> bool:
    """Whether ``function(*parts)`` would be written out, or evaluated, at too great a length."""
    first = parts[0] if parts else sympy.Integer(0)
    if function is sympy.Pow:
        return _large_power(*parts)
    if function in _SPLITTING and _written_bits(first) > _ROOT_BITS:
        return True
    longest = _ROOT_BITS if function is sympy.loggamma else BITS  # which is read as a logarithm
    if function in _FACTORIALS and first.is_Rational and abs(first) * bits(first) > longest:
        return True
    return out_of_reach(function, parts) or (function in _EXPONENTIALS and _large_exponential(first))


def out_of_reach(function: Any, parts: list[Any]) -> bool:
    """Whether evaluating it needs the bits of a number that is itself of exponential length."""
    if function not in (*_EXPONENTIALS, *_FACTORIALS, sympy.Pow, sympy.sin, sympy.cos):
        return False
    return any(magnitude(part) > BITS for part in parts if not part.free_symbols)


def _large_power(base: Any, power: Any) -> bool:
    written = _written_bits(base)
    if power.is_Rational and not power.is_Integer and written > _ROOT_BITS:
        return True
    largest = max((abs(r) for r in power.atoms(sympy.Rational)), default=0)
    return bool(written * largest > BITS) or _large_exponential(power) or out_of_reach(sympy.Pow, [power])


def _written_bits(base: Any) -> int:
    """The length of those numbers in a base that a power of it writes out: its factors, not its terms."""
    factors = sympy.Mul.make_args(base)
    return max(
        bits(f) if not f.free_symbols else _written_bits(f.base) if f.is_Pow and f.base != base else 0
        for f in factors
    )


def _large_exponential(power: Any) -> bool:
    """Whether e to this power is a long number, by its logarithms of numbers."""
    for term in sympy.Add.make_args(power):
        largest = max((abs(r) for r in term.atoms(sympy.Rational)), default=0)
        if any(_written_bits(log.args[0]) * largest > BITS for log in term.atoms(sympy.log)):
            return True
    return False


def magnitude(value: Any) -> float:
    """At most log2(1 + absolute value), about, of an expression without variables: a guard, not a bound."""
    if value.is_Rational:
        return float(max(abs(value.p).bit_length() - value.q.bit_length() + 1, 0) + 1)
    sizes = [magnitude(part) for part in value.args]
    largest = max(sizes, default=3.0)  # pi and E have no parts
    if not sizes or value.func in _BOUNDED:
        return min(largest, 3.0)
    if value.is_Add:
        return largest + math.log2(len(sizes))
    if value.is_Mul:
        return sum(sizes)
    if value.func is sympy.log:
        return math.log2(2 + largest)
    if value.func is sympy.exp:
        return 1.0 if _negative(value.args[0]) else 1.5 * _power_of_two(largest)
    if value.is_Pow:
        power = value.args[1]
        return sizes[0] * (float(min(abs(power), 2**1000)) if power.is_Rational else _power_of_two(sizes[1]))
    if value.func in (*_EXPONENTIALS, *_FACTORIALS):
        return largest * _power_of_two(largest)
    return largest


def _negative(power: Any) -> bool:
    """Whether the exponent is plainly negative, so that e to it is below 1."""
    coefficient, rest = power.as_coeff_Mul()
    positive = rest == 1 or rest.func is sympy.exp or isinstance(rest, sympy.NumberSymbol)
    return bool(coefficient < 0) and positive


def _power_of_two(exponent: float) -> float:
    return 2.0**exponent if exponent < 1000 else math.inf
