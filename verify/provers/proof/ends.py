"""The limit of an expression at an end, for every value of its parameters.

A limit that computer algebra finds is one for general parameters: (a - 1)**2*x/((a - 1)**2*x + 1) tends to 1
as x -> oo, but not at a = 1.  Here every step holds at each point of the box of the parameters, which
intervals decide.  The variable is written with u > 0, u -> 0: x = end ± u, or x = ±1/u.

* *Continuity*: the expression can be evaluated, finite, at u = 0 and next to it; the limit is its value.
* *Quotients*: N/D, both analytic at u = 0 and with derivatives N_k, D_m there as the first ones that are
  not identically zero, tends to 0 (k > m), N_k/D_m (k = m) or ±oo (k < m), provided that D_m, and N_k if
  k < m, have one sign for all parameters.
* *Sums, products, functions* of what has a limit already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from verify.provers.expressions import attempt, length, simpler_forms
from verify.provers.goals import Goal
from verify.provers.intervals import Span
from verify.provers.proof.state import algebra, proper
from verify.provers.ranges import range_of

_LONGEST = 80  # operations of what is looked at
_ORDERS = 4  # derivatives of a numerator or denominator
_STEPS = (4, 12, 40)  # neighbourhoods of u = 0: up to 2^-k
_DEEPEST = 6


def limit_at(goal: Goal, variable: str, lower: bool) -> Any:
    """The limit at an end, for every value of the other variables, ±oo, or ``None`` if this does not tell."""
    if length(goal.expression) > _LONGEST:
        return None
    r, u = goal.ranges[variable], sympy.Symbol(variable, positive=True)
    end, sign = (r.lower, 1) if lower else (r.upper, -1)
    x = -sign / u if end is None else sympy.Rational(end) + sign * u
    near = attempt(goal.expression.subs, goal.symbols[variable], x)
    if near is None or not proper(near):
        return None
    width = Fraction(1)
    if r.lower is not None and r.upper is not None:
        width = min(width, r.upper - r.lower)
    others = {n: Span.of(other) for n, other in goal.ranges.items() if n != variable}
    return _Towards(u, others, width).limit(near, _DEEPEST) if width > 0 else None


@dataclass(frozen=True)
class _Towards:
    """u -> 0 from above, over a box of parameters; the range reaches to u = width."""

    u: Any
    others: Mapping[str, Span]
    width: Fraction

    def limit(self, e: Any, depth: int) -> Any:
        """The limit, ±oo, or None."""
        if not e.has(self.u):
            return e if self._finite(e, Span.at(Fraction(0))) else None
        value = self._value(e)
        if value is not None or depth == 0 or length(e) > _LONGEST:
            return value
        if e.is_Pow and not e.exp.is_Rational:
            return self.limit(sympy.exp(e.exp * sympy.log(e.base), evaluate=False), depth - 1)
        if e.is_Add or e.is_Mul:
            found = self._quotient(e)
            return self._combined(e, depth) if found is None else found
        found = self._quotient(e) if e.is_Pow else None
        return self._composed(e, depth) if found is None else found

    def _finite(self, e: Any, at: Span, *, smooth: bool = False) -> Span | None:
        return range_of(e, {**self.others, self.u.name: at}, finite=True, smooth=smooth)

    def _value(self, e: Any) -> Any:
        """By continuity."""
        zero = Span.at(Fraction(0))
        if self._finite(e, zero) is None:
            return None
        beside = (Span(Fraction(0), self.width / 2**k) for k in _STEPS)
        if self._finite(e, zero, smooth=True) is None and not any(self._finite(e, i) for i in beside):
            return None  # the root of -u is 0 at u = 0 and nothing next to it
        value = attempt(e.subs, self.u, 0)
        return value if value is not None and proper(value) else None

    def _combined(self, e: Any, depth: int) -> Any:
        """A sum or a product of finite limits."""
        parts = [self.limit(part, depth - 1) for part in e.args]
        if any(part is None or part.is_infinite for part in parts):
            return None
        return e.func(*parts)

    def _composed(self, e: Any, depth: int) -> Any:
        """A function that is continuous, and finite, at the limit of its argument."""
        inner, *more = [a for a in e.args if a.has(self.u)]
        value = None if more else self.limit(inner, depth - 1)
        if value is None:
            return None
        if value.is_infinite:
            return sympy.Integer(0) if isinstance(e, sympy.exp) and value == -sympy.oo else None
        if e.is_Pow and not e.exp.is_Integer and self._sign(value) != 1:
            return None  # at 0 a root needs its argument to come from above, and SymPy writes 0 for it
        outer = attempt(e.func, *[value if a == inner else a for a in e.args])
        smooth = outer is not None and proper(outer)
        return outer if smooth and self._finite(outer, Span.at(Fraction(0)), smooth=True) else None

    def _quotient(self, e: Any) -> Any:
        together = algebra(sympy.together, e)
        if together is None:
            return None
        numerator, denominator = sympy.fraction(together)
        above, below = self._first(numerator), self._first(denominator)
        if above is None or below is None:
            return None
        (k, n), (m, d) = above, below
        bottom = self._sign(d)
        if bottom == 0:
            return None
        if k >= m:
            return n / d if k == m else sympy.Integer(0)
        return {1: sympy.oo, -1: -sympy.oo}.get(self._sign(n) * bottom)

    def _first(self, e: Any) -> tuple[int, Any] | None:
        """The order and the value at u = 0 of the first derivative that is not identically zero there."""
        for order in range(_ORDERS + 1):
            if length(e) > 4 * _LONGEST or not self._finite(e, Span.at(Fraction(0)), smooth=True):
                return None
            value = attempt(e.subs, self.u, 0)
            if value is None or not proper(value):
                return None
            if not _zero(value):
                return order, value
            e = attempt(sympy.diff, e, self.u)
            if e is None or not proper(e):
                return None
        return None

    def _sign(self, e: Any) -> int:
        """The sign that an expression has for all parameters, 0 if that is not seen."""
        found = self._finite(e, Span.at(Fraction(0)))
        if found is None:
            return 0
        return 1 if found.positive(strict=True) else -1 if (-found).positive(strict=True) else 0


def _zero(e: Any) -> bool:
    """Whether it is identically zero, as far as SymPy tells."""
    return e == 0 or any(algebra(simpler, e) == 0 for simpler in simpler_forms(e))
