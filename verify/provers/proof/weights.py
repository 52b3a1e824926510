"""How an expression scales: the k with f(s x) = s^k f(x), or with f(x + s) = e^(k s) f(x).

A few points tell k, or that there is none.  They do not tell that it is so: a bump of 10^-25 at one place is
seen at no other.  So it is read off the formula as well, part by part: a sum, a maximum or a minimum scales
as its parts do, if all of them scale alike; exponents add up in a product; a function of what does not change
does not change.  A logarithm of what scales with d changes by d log s, a maximum of parts that change alike
does as they do, and these changes have to cancel, but for those inside an exponential, which then scales.
With x = log X a shift of x is a scaling of X.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, log
from typing import Any

import sympy

from verify.provers.expressions import attempt, put
from verify.provers.goals import Goal
from verify.provers.points import at_point
from verify.provers.proof.state import ProofSearch

_PARTS = 12  # a degree is a multiple of 1/12
_CLOSE = 1e-9
_CHANGE = sympy.Dummy("change", real=True)  # log s


def degree_of(search: ProofSearch, goal: Goal, *, shifted: bool = False) -> Fraction | None:
    """The k of a goal's expression, if there is one."""
    found = set()
    for point in search.points(goal):
        moved = [{n: x + s - 1 if shifted else x * s for n, x in point.items()} for s in (1, 2, 3)]
        values = [at_point(goal.expression, at) for at in moved if all(at.values())]
        if len(values) < 3 or any(v is None or v.contains(0) for v in values):
            continue
        first, *others = (v for v in values if v is not None)
        for s, value in enumerate(others, start=2):
            if not value / first > 0:
                return None
            k = float((value / first).log().mid()) / (s - 1 if shifted else log(s))
            found.add(Fraction(k).limit_denominator(_PARTS))
            if len(found) > 1 or abs(k - float(min(found))) > _CLOSE:
                return None
    return min(found) if found and weight_of(goal.expression, shifted=shifted) == min(found) else None


def weight_of(e: Any, *, shifted: bool = False) -> Fraction | None:
    """The k that the formula shows."""
    if shifted:
        e = put(e, {x: sympy.log(sympy.Symbol(x.name, positive=True)) for x in e.free_symbols})

    def together(kink: Any) -> Callable[..., Any]:
        """The larger or smaller of what changes alike changes likewise."""

        def pulled(*parts: Any) -> Any:
            before = [a.xreplace({_CHANGE: sympy.Integer(0)}) for a in parts]
            changes = {sympy.expand(a - b) for a, b in zip(parts, before, strict=True)}
            return kink(*before) + changes.pop() if len(changes) == 1 else kink(*parts)

        return pulled

    def changed() -> Any:
        found = e.replace(sympy.log, _moved)
        found = found.replace(sympy.exp, _held)
        for kink in (sympy.Max, sympy.Min):
            found = found.replace(kink, together(kink))
        return found

    after = attempt(changed)
    slope = None if after is None else attempt(lambda: sympy.expand(sympy.diff(after, _CHANGE)))
    k = _weight(e) if slope == 0 else None
    return k if isinstance(k, Fraction) else None


def _moved(u: Any) -> Any:
    """A logarithm after the change."""
    d = _weight(u)
    return sympy.log(u, evaluate=False) + (sympy.Rational(d) * _CHANGE if isinstance(d, Fraction) else 0)


def _held(u: Any) -> Any:
    """An exponential of what changes by c log s scales with c, and is no matter of logarithms any more."""
    before = u.xreplace({_CHANGE: sympy.Integer(0)})
    return sympy.exp(u if _drift(before) is None else before)


def _drift(u: Any) -> Fraction | None:
    """The c of an expression that changes by c log s."""
    if _weight(u) != 0:
        return None
    c = attempt(lambda: sympy.cancel((u.replace(sympy.log, _moved) - u) / _CHANGE))
    return Fraction(int(c.p), int(c.q)) if c is not None and c.is_Rational else None


def _weight(e: Any) -> Fraction | float | None:
    """The same, of logarithms 0; anything (infinite) for 0, which is s^k times itself for every k."""
    if e.is_zero:
        return inf
    if e.is_Symbol or not e.free_symbols:
        return Fraction(int(e.is_Symbol))
    if e.func is sympy.exp:
        return _drift(e.args[0])
    parts = [part for a in e.args if (part := _weight(a)) is not None]
    if e.func is sympy.log:
        return Fraction(0)
    if len(parts) < len(e.args):
        return None
    if e.is_Mul:
        return sum(parts, Fraction(0))
    if e.is_Add or e.func in (sympy.Max, sympy.Min, sympy.Abs):
        different = set(parts) - {inf}
        return different.pop() if len(different) == 1 else None
    if e.is_Pow and e.exp.is_Rational:
        return Fraction(int(e.exp.p), int(e.exp.q)) * parts[0]
    return None if any(parts) else Fraction(0)
