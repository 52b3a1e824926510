"""Monotone functions: which slopes must have a sign.

A function that is continuous on the range and differentiable inside it does not decrease if its slope
is not negative.  A kink (Max, Min, |.|) has no slope, but a sum, a maximum and a minimum of functions
that do not decrease do not decrease either, and so does a positive multiple; the function is taken apart
that far.  Hypotheses that mention the variable need not hold between two points and are left behind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from verify.claims import Monotone
from verify.provers.expressions import attempt, unwieldy
from verify.provers.goals import Goal
from verify.provers.proof.state import fat, proper, smooth


def slopes(says: Monotone, box: Goal) -> list[Goal] | None:
    """Goals that together prove the claim on the box; ``None`` if there are none."""
    goal = replace(box.leaving(says.variable), expression=says.function, strict=True)
    if not fat(goal, [says.variable]) or unwieldy(says.function):
        return None
    symbol = goal.symbols[says.variable]
    parts = _parts(says.function, symbol, goal, says.variable, 1 if says.increasing else -1)
    return None if parts is None else [goal.about(part, strict=False) for part in parts]


def _parts(e: Any, symbol: Any, goal: Goal, name: str, sign: int) -> list[Any] | None:
    if not e.has(symbol):
        return []
    slope = attempt(sympy.diff, e, symbol)
    if slope is not None and proper(slope) and smooth(e, goal, name) and smooth(slope, goal, name):
        return [sign * slope]
    if e.is_Mul:
        number, rest = e.as_coeff_Mul()
        if number == 1 or not number.is_Rational:
            return None
        return _parts(rest, symbol, goal, name, sign if number > 0 else -sign)
    if not (e.is_Add or isinstance(e, sympy.Max | sympy.Min)):
        return None
    found: list[Any] = []
    for argument in e.args:
        part = _parts(argument, symbol, goal, name, sign)
        if part is None:
            return None
        found += part
    return found
