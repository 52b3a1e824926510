"""Identities: a chain of rewritings from ``left - right`` to 0, and a second look at exact points.

Each step of the chain is an identity of the computer algebra, under the signs that the domain gives its
variables.  A step counts only if old and new expression overlap, as balls, at exact points of the
domain, and the whole chain only if it ends in 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from verify.claims import Domain, text_of
from verify.provers.expressions import attempt, length
from verify.provers.points import Point, at_point, points
from verify.provers.proof.state import algebra, proper

_LONG, _SHORT = 300, 120  # operations: beyond them a step (or the costly last one) is left out
_WAVES = (sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh)

Step = dict[str, str]


def _exponentials(e: Any) -> Any:
    return sympy.expand(e.rewrite(sympy.exp)) if e.has(*_WAVES) else e


def _absolute(e: Any) -> Any:
    """2 Max(x, y) = x + y + Abs(x - y), and Min(x, y) likewise."""
    return sympy.expand(e.rewrite(sympy.Abs)) if e.has(sympy.Max, sympy.Min) else e


_STEPS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("expand", sympy.expand),
    ("expand powers", lambda e: sympy.powdenest(sympy.expand_power_base(sympy.expand_power_exp(e)))),
    ("expand logarithms", sympy.expand_log),
    ("cancel", lambda e: sympy.cancel(sympy.together(e))),
    ("collect powers", sympy.powsimp),
    ("collect logarithms", sympy.logcombine),
    ("exponentials", _exponentials),
    ("absolute values", _absolute),
    ("gamma", lambda e: sympy.gammasimp(e) if e.has(sympy.gamma, sympy.factorial) else e),
    ("simplify", sympy.simplify),
)


def derivation(difference: Any, domain: Domain) -> list[Step] | None:
    """The chain from ``difference`` to 0, or ``None``."""
    tried = points(dict(domain.ranges), domain.given)
    chain: list[Step] = [{"by": "difference", "expression": text_of(difference)}]
    e = difference
    for name, step in (*_substitutions(domain), *_STEPS):
        if e == 0:
            break
        if length(e) > (_SHORT if name == "simplify" else _LONG):
            continue
        new = algebra(step, e)
        if new is None or new == e or not proper(new):
            continue
        if not _overlap(e - new, tried):
            return None
        e = new
        chain.append({"by": name, "expression": text_of(e)})
    return chain if e == 0 and (difference == 0 or _overlap(difference, tried)) else None


def _substitutions(domain: Domain) -> list[tuple[str, Callable[[Any], Any]]]:
    """Equations among the hypotheses that are linear in a variable, its coefficient a number, solved for it.

    Any other equation may have more solutions than one: x**2 == y does not say that x is the root of y.
    """
    found: list[tuple[str, Callable[[Any], Any]]] = []
    for h in domain.given:
        if h.relation == "==":
            gap = h.left - h.right
            for symbol in sorted(gap.free_symbols, key=str):
                value = _solved(gap, symbol)
                if value is not None and proper(value):
                    found.append((f"given {h.text()}", _put(symbol, value)))
                    break
    return found


def _solved(gap: Any, symbol: Any) -> Any:
    steep = attempt(sympy.diff, gap, symbol)
    if steep is None or not steep.is_Rational or steep == 0:
        return None
    value = attempt(sympy.expand, symbol - gap / steep)
    return None if value is None or value.has(symbol) else value


def _put(symbol: Any, value: Any) -> Callable[[Any], Any]:
    return lambda e: e.subs(symbol, value)


def _overlap(difference: Any, tried: list[Point]) -> bool:
    """Whether the difference may be zero at every point where it can be told, and there is such a point."""
    values = [value for point in tried if (value := at_point(difference, point)) is not None]
    return bool(values) and all(value.contains(0) for value in values)
