"""``ctucbvi plan --engine numeric``: the fast planner, with enclosures from its certificate."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctucbvi import CTMDP
    from ctucbvi.numeric import Certificate

_MOST_DIGITS = 12
PATIENCE = 2.0  # seconds


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say what the first use compiles, if that takes a while."""
    text = f"ctucbvi: compiling {what}; this is done once"
    patience = threading.Timer(PATIENCE, print, [text], {"file": sys.stderr})
    patience.start()
    try:
        yield
    finally:
        patience.cancel()


def tolerance_of(model: CTMDP, digits: int) -> float:
    """The error that ``digits`` digits of the model's scale allow."""
    from ctucbvi import InputError

    if not 1 <= digits <= _MOST_DIGITS:
        raise InputError(
            f"--digits {digits}: the numeric engine has 1 to {_MOST_DIGITS}; use --engine exact for more"
        )
    return min(max(0.5 * 10.0**-digits * float(model.value_scale), 1e-14), 0.5)


def plan(
    model: CTMDP, semantics: str, points: list[tuple[str, Any]], options: argparse.Namespace
) -> tuple[dict[str, Any], Certificate]:
    """Solve, certify unless that was declined, and describe the result."""
    tolerance = tolerance_of(model, options.digits)
    with compiling("the fast planner"):
        from ctucbvi.numeric import certify, solve_numeric

        began = perf_counter()
        solution = solve_numeric(model, semantics, tolerance=tolerance, truncate=options.truncate)
        certificate = certify(solution)
        seconds = perf_counter() - began
    asked = points or [(state, model.horizon) for state in model.states]
    return {
        "model": model.name,
        "semantics": semantics,
        "engine": "numeric",
        "digits": options.digits,
        "values": [_value(certificate, state, t, options) for state, t in asked],
        "policy": {state: _segments(solution, state) for state in model.states},
        "switches": [
            {"state": x, "t": repr(t), "lower": None, "upper": None, "before": a, "after": b}
            for x, t, a, b in solution.switches
        ],
        "seconds": round(seconds, 6),
        "bound": None if options.no_certificate else certificate.bound,
        "undecided": [],
    }, certificate


def _value(certificate: Certificate, state: str, t: Any, options: argparse.Namespace) -> dict[str, Any]:
    from verify.commands.plan import time_string

    value, lower, upper = certificate.value(state, t).decimals(options.digits)
    ends = {"lower": None, "upper": None} if options.no_certificate else {"lower": lower, "upper": upper}
    return {"state": state, "t": time_string(t), "value": value, **ends}


def _segments(solution: Any, state: str) -> list[dict[str, str]]:
    """The policy of ``state``; boundaries are numeric, not certified."""
    x = solution.model.state_index(state)
    rows = solution.model.transitions
    found: list[dict[str, str]] = []
    for k in range(len(solution.best)):
        action = rows[int(solution.best[k, x])].action
        if not found or found[-1]["action"] != action:
            found.append({"from": f"{solution.times[k]:.12g}", "to": "", "action": action})
        found[-1]["to"] = f"{solution.times[k + 1]:.12g}"
    return found
