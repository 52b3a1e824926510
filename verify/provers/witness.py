"""Counterexamples that are certain: one rational point where a relation fails.

A point refutes ``left <= right`` when it lies in the domain, satisfies every hypothesis, and
``right - left < 0`` there, all of it *certainly*: first exactly, where both sides are rational numbers
or SymPy reduces their difference to one (this settles equalities, as in ``exp(-x) < 1`` at 0, which no
enclosure can), then in balls whose precision is doubled until they are apart.  What stays open (an
equality that is not seen, a side that is not defined) is no refutation.

A function that fails to be monotone fails at two points ``x < x'``; :func:`as_relation` writes that as a
relation over one more variable, so that one kind of witness serves all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from verify.claims import Domain, Hypothesis, Monotone, Relation
from verify.claims.sizes import BITS, out_of_reach
from verify.provers.balls import ball, evaluate, precision

LINE = "python -m verify.recheck FILE"

_FIRST_BITS, _LAST_BITS = 64, 1 << 14
_DIGITS = 30  # of the printed sides
_POWER_BITS = 1 << 16  # no exact power or factorial larger than this is written out
_ROOT_BITS = 256  # of a number whose root SymPy may look for: it factors it
_LARGE = 1000  # likewise for the argument of a factorial
_EXPAND_OPERATIONS, _EXPAND_POWER = 200, 20
_NO_NUMBERS = (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan, sympy.AccumBounds)

Point = Mapping[str, Fraction]


def confirmed(relation: Relation, domain: Domain, point: Point) -> dict[str, Any] | None:
    """The witness, if the relation certainly fails at this point of the domain; else ``None``."""
    exact = {name: Fraction(point[name]) for name in domain.ranges}
    if not violated(relation, domain, exact):
        return None
    return {
        "relation": relation.text(),
        "domain": domain.texts(),
        "integers": domain.integers,
        "point": {name: str(value) for name, value in exact.items()},
        "left": decimal(relation.left, exact),
        "right": decimal(relation.right, exact),
        "gap": decimal(relation.gap, exact),
        "line": LINE,
    }


def violated(relation: Relation, domain: Domain, point: Point) -> bool:
    """Whether the relation certainly fails at this point, which is certainly in the domain."""
    return admissible(domain, point) and _certain(
        relation.left, relation.right, point, _FAILS[relation.relation], _near(point)
    )


def admissible(domain: Domain, point: Point) -> bool:
    """Whether the point certainly lies in the domain and satisfies its hypotheses, and can be written."""
    return (
        all(max(abs(x.numerator), x.denominator).bit_length() <= BITS for x in point.values())
        and domain.contains(point)
        and _all_hold(domain.given, point)
    )


def _all_hold(given: Iterable[Hypothesis], point: Point) -> bool:
    if not given:
        return True
    near = _near(point)
    return all(_certain(h.left, h.right, point, _HOLDS[h.relation], near) for h in given)


def as_relation(monotone: Monotone, domain: Domain) -> tuple[Relation, Domain]:
    """``f(x) <= f(x')`` where ``x < x'`` (or the reverse): the same claim, about two points."""
    name = monotone.variable
    other = f"{name}_2"
    while other in domain.ranges:
        other += "_2"
    wide = Domain({**domain.ranges, other: domain.ranges[name]})
    first, second = wide.symbols[name], wide.symbols[other]
    moved = [Hypothesis(h.left.subs(first, second), h.relation, h.right.subs(first, second))
             for h in domain.given if first in (h.left - h.right).free_symbols]  # fmt: skip
    wide = replace(wide, given=(*domain.given, *moved, Hypothesis(first, "<", second)))
    low, high = monotone.function, monotone.function.subs(first, second)
    return Relation(*((low, "<=", high) if monotone.increasing else (high, "<=", low))), wide


def rational_value(expression: Any, point: Point) -> Fraction | None:
    """The value of what is made of sums, products and whole powers; ``None`` of anything else, and of 1/0.

    What :func:`exact_value` finds there too, at a tenth of the price.
    """
    expression = sympy.sympify(expression)
    if expression.is_Symbol:
        return point[expression.name]
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if not (expression.is_Add or expression.is_Mul or expression.is_Pow):
        return None
    if expression.is_Pow:
        base, power = rational_value(expression.base, point), expression.exp
        if base is None or not power.is_Integer or (power < 0 and not base):
            return None
        size = max(abs(base.numerator), base.denominator).bit_length()
        return base ** int(power) if size * abs(power) <= _POWER_BITS else None
    value = Fraction(int(expression.is_Mul))
    for part in expression.args:
        number = rational_value(part, point)
        if number is None:
            return None
        value = value * number if expression.is_Mul else value + number
    return value


def exact_value(expression: Any, point: Point) -> Any | None:
    """The expression with the point put in, as SymPy simplifies it by itself; ``None`` if too large."""
    expression = sympy.sympify(expression)
    if expression.is_Symbol:
        value = point[expression.name]
        return sympy.Rational(value.numerator, value.denominator)
    if not expression.args:
        return expression
    parts = [exact_value(part, point) for part in expression.args]
    if any(part is None for part in parts) or _too_large(expression.func, parts):
        return None
    try:
        value = expression.func(*parts)
    except (TypeError, ValueError, ArithmeticError):  # Max of a complex number, and the like
        return None
    # A value that passes through infinity or the complex plane is not one the formula has by itself.
    return None if value.is_real is False or value.has(*_NO_NUMBERS) else value


def _too_large(function: Any, parts: list[Any]) -> bool:
    """Whether writing the value out would take more than a page or a second."""
    if out_of_reach(function, parts):  # a tower of exponentials
        return True
    if function is sympy.Pow:
        base, power = parts
        if not power.is_Rational:
            return False
        if not base.is_Rational:  # a root raised to a power is a power again
            return bool(abs(power) > _LARGE)
        size = max(abs(base.p).bit_length(), base.q.bit_length())
        if not power.is_Integer and size > _ROOT_BITS:  # SymPy would look for factors
            return True
        return bool(size > 1 and size * abs(power) > _POWER_BITS)
    if function is sympy.exp and not parts[0].has(sympy.log):  # e^{n log 2} would be written out as 2^n
        return False
    growing = (sympy.gamma, sympy.loggamma, sympy.factorial, sympy.sin, sympy.cos, sympy.exp)
    numbers = [number for part in parts for number in part.atoms(sympy.Rational)]
    return function in growing and any(abs(number) > _LARGE for number in numbers)


_Sign = Callable[[Any], bool]  # of right - left: a rational number or a ball; True only when certain

_FAILS: Mapping[str, _Sign] = {
    "<=": lambda gap: bool(gap < 0),
    "<": lambda gap: bool(gap <= 0),
    "==": lambda gap: bool(gap < 0) or bool(gap > 0),
}
_HOLDS: Mapping[str, _Sign] = {
    "<=": lambda gap: bool(gap >= 0),
    "<": lambda gap: bool(gap > 0),
    "==": lambda gap: bool(gap >= 0) and bool(gap <= 0),
}


def _near(point: Point) -> Mapping[str, arb]:
    """The point in balls of few bits."""
    with precision(_FIRST_BITS):
        return {name: ball(value) for name, value in point.items()}


def _certain(left: Any, right: Any, point: Point, sign: _Sign, near: Mapping[str, arb]) -> bool:
    """Whether ``right - left`` certainly has the sign at a point, which is also given in balls."""
    low, high = evaluate(left, near, _FIRST_BITS), evaluate(right, near, _FIRST_BITS)
    if sound(low) and sound(high) and (low < high or low > high):  # what balls decide needs no algebra
        return sign(high - low)
    gap = _exact_gap(left, right, point)
    if isinstance(gap, Fraction):
        return sign(gap)
    sides = [(left, right)] if gap is None else [(left, right), (sympy.Integer(0), gap)]  # the root of 0 is 0
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        for smaller, larger in sides:
            low, high = evaluate(smaller, point, bits), evaluate(larger, point, bits)
            if sound(low) and sound(high) and sign(high - low):
                return True
        bits *= 2
    return False


def sound(value: arb) -> bool:
    """Whether a ball says anything: it is finite and a number."""
    return bool(value.is_finite())


def _exact_gap(left: Any, right: Any, point: Point) -> Any | None:
    """``right - left``: a fraction if SymPy sees that it is one, else what it makes of it, if anything."""
    sides = rational_value(left, point), rational_value(right, point)
    if sides[0] is not None and sides[1] is not None:
        return sides[1] - sides[0]
    low, high = exact_value(left, point), exact_value(right, point)
    if low is None or high is None:
        return None
    gap = high - low
    if not gap.is_Rational and _short(gap):
        gap = sympy.expand(gap)
    return Fraction(int(gap.p), int(gap.q)) if gap.is_Rational else gap


def _short(expression: Any) -> bool:
    """Whether expanding it is quick."""
    powers = (abs(power.exp) for power in expression.atoms(sympy.Pow) if power.exp.is_Rational)
    return expression.count_ops() <= _EXPAND_OPERATIONS and all(p <= _EXPAND_POWER for p in powers)


def decimal(expression: Any, point: Point, digits: int = _DIGITS) -> str:
    """The value in decimal digits, all of them certain (the last within one unit)."""
    value = exact_value(expression, point)
    if value is not None and value.is_Integer and abs(value) < 10**digits:
        return str(value)
    bits = 4 * digits + 64
    enclosed = evaluate(expression, point, bits)
    if value is not None and not sound(enclosed):  # the root of 0, among balls
        expression = value
        enclosed = evaluate(expression, point, bits)
    while enclosed.rel_accuracy_bits() < 4 * digits and bits < _LAST_BITS:
        bits *= 2
        enclosed = evaluate(expression, point, bits)
    return str(enclosed.str(digits, radius=False)) if sound(enclosed) else "undefined"
