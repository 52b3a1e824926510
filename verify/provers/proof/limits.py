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
from verify.provers.points import at_point, points
from verify.provers.proof.ends import End, limit_at
from verify.provers.proof.identities import derivation
from verify.provers.proof.state import Prove, algebra, approaches, proper

_KNOWN = (sympy.exp, sympy.log, sympy.sinh, sympy.cosh, sympy.tanh)  # the functions Gruntz's algorithm is for


def proved_limit(says: LimitOf, domain: Domain) -> dict[str, Any] | None:
    """Evidence that the limit is what is claimed, or ``None``."""
    others = Domain({n: r for n, r in domain.ranges.items() if n != says.variable})
    found = _for_all(says, domain) or _by_gruntz(says, domain)
    if found is None:
        return None
    method, value = found
    if not _seen(says, value, domain):
        return None
    chain = derivation(value - says.value, others)
    if chain is None:
        return None
    return {
        "method": f"{method}, cross-checked in balls at points that approach the end",
        "limit": text_of(value),
        "derivation": [step["expression"] for step in chain],
    }


def _for_all(says: LimitOf, domain: Domain) -> tuple[str, Any] | None:
    lower, at = _side(says, domain)
    end = End(says.variable, lower, at)
    value = limit_at(says.function, end, domain.ranges, domain.symbols[says.variable])
    if value is None or not proper(value):
        return None
    return "continuity, and the first terms of quotients, for every parameter", value


def _by_gruntz(says: LimitOf, domain: Domain) -> tuple[str, Any] | None:
    e, symbol = says.function, domain.symbols[says.variable]
    if length(e) > 80 or any(not isinstance(f, _KNOWN) for f in e.atoms(sympy.Function)):
        return None
    if e.free_symbols != {symbol}:
        return None
    values = [at_point(e, point) for point in points(dict(domain.ranges), domain.given)]
    if all(value is None or value.contains(0) for value in values):
        return None  # of what is identically zero SymPy would look for the first term for ever
    lower, _ = _side(says, domain)
    value = algebra(sympy.limit, e, symbol, says.towards, "+" if lower else "-")
    if value is None or not proper(value) or value.has(symbol):
        return None
    return "Gruntz's algorithm (SymPy)", value


def _seen(says: LimitOf, value: Any, domain: Domain) -> bool:
    """The second look: values at points that approach the end."""
    lower, _ = _side(says, domain)
    tried = points(dict(domain.ranges), domain.given)
    goal = Goal(says.function, False, domain.ranges, (), domain.symbols)
    return approaches(goal, value, says.variable, lower, tried)


def _side(says: LimitOf, domain: Domain) -> tuple[bool, Fraction | None]:
    """Whether it is the lower end, and the end if it is finite."""
    if not says.towards.is_Rational:
        return says.towards == -sympy.oo, None
    end = Fraction(int(says.towards.p), int(says.towards.q))
    return domain.ranges[says.variable].lower == end, end


def refuted_limit(says: LimitOf, domain: Domain, label: str, prove: Prove) -> dict[str, Any] | None:
    """A witness that the function stays away from the claimed value, or ``None``."""
    lower, end = _side(says, domain)
    for point in points(dict(domain.ranges), domain.given)[:3]:
        put = {domain.symbols[n]: sympy.Rational(x) for n, x in point.items() if n != says.variable}
        gap = (says.function - says.value).subs(put)
        for k in (2, 6, 16):
            near = _near(domain.ranges[says.variable], end, lower, Fraction(2) ** k)
            found = _apart(gap, says, near, lower, end, label, prove)
            if found is not None:
                fixed = {n: str(x) for n, x in point.items() if n != says.variable}
                return {"limit": says.text(), "parameters": fixed, **found}
    return None


def _near(r: Range, end: Fraction | None, lower: bool, size: Fraction) -> Range:
    """A neighbourhood of the end, inside the range."""
    if lower:
        inner = -size if end is None else end + 1 / size
        limit = inner if r.upper is None else r.upper - 1 if end is None else (end + r.upper) / 2
        return Range(r.lower, min(inner, limit), True, False)
    inner = size if end is None else end - 1 / size
    limit = inner if r.lower is None else r.lower + 1 if end is None else (end + r.lower) / 2
    return Range(max(inner, limit), r.upper, False, True)


def _apart(
    gap: Any, says: LimitOf, near: Range, lower: bool, end: Fraction | None, label: str, prove: Prove
) -> dict[str, Any] | None:
    domain = Domain({says.variable: near})
    gap = gap.xreplace({s: domain.symbols[s.name] for s in gap.free_symbols if s.name in domain.symbols})
    value, farther = (_probe(gap, says.variable, near, lower, end, Fraction(2) ** k) for k in (24, 32))
    if value is None or farther is None or value.contains(0) or not 2 * abs(farther) > abs(value):
        return None
    distance = sympy.Rational(1, 2 ** max(0, -_exponent(value) + 2))
    left, right = (distance, gap) if value > 0 else (gap, -distance)
    relation = Relation(left, "<=", right)
    node = prove(Goal.of(relation, domain)) if proper(gap) else None
    if node is None:
        return None
    return {
        "relation": relation.text(),
        "domain": domain.texts(),
        "line": "python -m verify.recheck FILE",
        "certificate": certificate(label, relation, domain, domain.ranges, node),
    }


def _probe(gap: Any, name: str, near: Range, lower: bool, end: Fraction | None, far: Fraction) -> arb | None:
    """The difference from the claimed value close to the end."""
    x = (-far if lower else far) if end is None else end + (1 if lower else -1) / far
    return at_point(gap, {name: x}, 512) if x in near else None


def _exponent(value: arb) -> int:
    """The power of two below the size of a ball that is not zero."""
    mantissa, exponent = (int(part) for part in abs(value).lower().man_exp())
    return int(mantissa).bit_length() + exponent
