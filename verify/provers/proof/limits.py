"""Limits at an end of a range.

Two arguments prove one.  *Steps that hold for every parameter*: continuity, and quotients, sums and functions
of what has a limit (``ends``).  *Gruntz's algorithm*, as SymPy implements it for functions made of exp, log
and powers, of one variable only: with parameters it finds the limit for general ones.  Both are
cross-checked: at points that come closer and closer to the end the values, as balls, come closer and closer
to the limit.

A limit is refuted by a proof, in the proof language, that the function keeps a positive distance from
the claimed value on a whole neighbourhood of the end, at one exact point of the parameters.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from verify.claims import Domain, LimitOf, Range, Relation, text_of
from verify.provers.expressions import length
from verify.provers.goals import Goal, certificate
from verify.provers.points import Point, at_point, points
from verify.provers.proof.ends import limit_at
from verify.provers.proof.identities import derivation
from verify.provers.proof.state import Prove, algebra, approaches, proper
from verify.provers.witness import LINE

_KNOWN = (sympy.exp, sympy.log, sympy.sinh, sympy.cosh, sympy.tanh)  # the functions Gruntz's algorithm is for


def proved_limit(says: LimitOf, domain: Domain) -> dict[str, Any] | None:
    """Evidence that the limit is what is claimed, or ``None``."""
    goal = Goal(says.function, False, domain.ranges, (), domain.symbols)
    tried = points(dict(domain.ranges), domain.given)
    lower = _is_lower(says, domain)
    method = "continuity, and the first terms of quotients, for every parameter"
    value = limit_at(goal, says.variable, lower)
    if value is None or not proper(value):
        method, value = "Gruntz's algorithm (SymPy)", _by_gruntz(says, goal, lower, tried)
    if value is None or not approaches(goal, value, says.variable, lower, tried):  # the second look
        return None
    others = Domain({n: r for n, r in domain.ranges.items() if n != says.variable})
    chain = derivation(value - says.value, others)
    if chain is None:
        return None
    return {
        "method": f"{method}, cross-checked in balls at points that approach the end",
        "limit": text_of(value),
        "derivation": [step["expression"] for step in chain],
    }


def _by_gruntz(says: LimitOf, goal: Goal, lower: bool, tried: list[Point]) -> Any:
    e, symbol = goal.expression, goal.symbols[says.variable]
    if length(e) > 80 or any(not isinstance(f, _KNOWN) for f in e.atoms(sympy.Function)):
        return None
    if e.free_symbols != {symbol}:
        return None
    values = [at_point(e, point) for point in tried]
    if all(value is None or value.contains(0) for value in values):
        return None  # of what is identically zero SymPy would look for the first term for ever
    value = algebra(sympy.limit, e, symbol, says.towards, "+" if lower else "-")
    return None if value is None or not proper(value) or value.has(symbol) else value


def _is_lower(says: LimitOf, domain: Domain) -> bool:
    """Whether it goes to the lower end of its range."""
    lower = domain.ranges[says.variable].lower
    return bool(says.towards == (-sympy.oo if lower is None else sympy.Rational(lower)))


def refuted_limit(says: LimitOf, domain: Domain, label: str, prove: Prove) -> dict[str, Any] | None:
    """A witness that the function stays away from the claimed value, or ``None``."""
    lower = _is_lower(says, domain)
    for point in points(dict(domain.ranges), domain.given)[:3]:
        fixed = {n: x for n, x in point.items() if n != says.variable}
        gap = says.function - says.value
        gap = gap.subs({domain.symbols[n]: sympy.Rational(x) for n, x in fixed.items()})
        for k in (2, 6, 16):
            near = Domain({says.variable: _near(domain.ranges[says.variable], lower, Fraction(2) ** k)})
            found = _apart(gap, says.variable, near, lower, label, prove)
            if found is not None:
                parameters = {n: str(x) for n, x in fixed.items()}
                return {"limit": says.text(), "parameters": parameters, **found}
    return None


def _near(r: Range, lower: bool, size: Fraction) -> Range:
    """A neighbourhood of the end, inside the range."""
    if lower:
        inner = -size if r.lower is None else r.lower + 1 / size
        limit = inner if r.upper is None else r.upper - 1 if r.lower is None else (r.lower + r.upper) / 2
        return Range(r.lower, min(inner, limit), True, False)
    inner = size if r.upper is None else r.upper - 1 / size
    limit = inner if r.lower is None else r.lower + 1 if r.upper is None else (r.upper + r.lower) / 2
    return Range(max(inner, limit), r.upper, False, True)


def _apart(gap: Any, name: str, near: Domain, lower: bool, label: str, prove: Prove) -> dict[str, Any] | None:
    gap = gap.xreplace({s: near.symbols[s.name] for s in gap.free_symbols if s.name in near.symbols})
    value, farther = (_probe(gap, name, near.ranges[name], lower, Fraction(2) ** k) for k in (24, 32))
    if value is None or farther is None or value.contains(0) or not 2 * abs(farther) > abs(value):
        return None
    distance = sympy.Rational(1, 2 ** max(0, -_exponent(value) + 2))
    left, right = (distance, gap) if value > 0 else (gap, -distance)
    relation = Relation(left, "<=", right)
    node = prove(Goal.of(relation, near)) if proper(gap) else None
    if node is None:
        return None
    return {
        "relation": relation.text(),
        "domain": near.texts(),
        "line": LINE,
        "certificate": certificate(label, relation, near, near.ranges, node),
    }


def _probe(gap: Any, name: str, near: Range, lower: bool, far: Fraction) -> arb | None:
    """The difference from the claimed value close to the end."""
    end, sign = (near.lower, 1) if lower else (near.upper, -1)
    x = -sign * far if end is None else end + sign / far
    return at_point(gap, {name: x}, 512) if x in near else None


def _exponent(value: arb) -> int:
    """The power of two below the size of a ball that is not zero."""
    mantissa, exponent = (int(part) for part in abs(value).lower().man_exp())
    return int(mantissa).bit_length() + exponent
