"""``ctucbvi plan --symbolic N``: an iterate of value iteration in closed form."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import sympy

from ctucbvi import CTMDP, InputError, UndecidedError, ValueIteration
from ctucbvi.enclosure import Enclosure
from ctucbvi.exact.iteration_bounds import contraction_bound, erlang_bound


def print_iterate(model: CTMDP, options: argparse.Namespace) -> int:
    """Print V_N of every state, piece by piece."""
    if options.semantics != "committed":
        raise InputError("--symbolic: value iteration belongs to the committed semantics")
    bits = 32 + 4 * options.digits
    try:
        iterate = ValueIteration(model, truncate=options.truncate, bits=bits)[options.symbolic]
    except UndecidedError as error:
        print(f"ctucbvi: undecided: {error}", file=sys.stderr)
        return 1
    pieces = {state: _pieces(iterate, state, options) for state in model.states}
    bounds = _bounds(model, options.symbolic)
    if options.json:
        document = {"model": model.name, "n": options.symbolic, "iterate": pieces, **bounds}
        print(json.dumps(document, indent=2))
        return 0
    print(f"{model.name}: V_{options.symbolic}(x, t), t the remaining time")
    for state, parts in pieces.items():
        print(f"\n{state}")
        for part in parts:
            exactly = "" if part["exact"] else "   (coefficients to the digits shown)"
            print(f"  {part['from']} <= t <= {part['to']}  {part['branch']}{exactly}")
            print(f"    {part['expression']}")
    print(f"\n|V* - V_{options.symbolic}| <= {bounds['erlang_bound']} (Erlang)")
    print(f"|V* - V_{options.symbolic}| <= {bounds['contraction_bound']} (contraction, the paper's)")
    return 0


def _pieces(iterate: Any, state: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    t = sympy.Symbol("t", nonnegative=True)
    found: list[dict[str, Any]] = []
    for piece in iterate.pieces(state):
        expression = iterate.expression(piece, t, digits=options.digits)
        text = sympy.latex(expression) if options.latex else str(expression)
        end = Enclosure(piece.upper, piece.upper).place(options.digits)
        if found and (found[-1]["expression"], found[-1]["branch"]) == (text, piece.branch or ""):
            found[-1]["to"] = end  # the joint belongs to another state
            continue
        found.append(
            {
                "from": Enclosure(piece.lower, piece.lower).place(options.digits),
                "to": end,
                "branch": piece.branch or "",
                "exact": bool(piece.function.is_exact and piece.lower == 0),
                "expression": text,
            }
        )
    return found


def _bounds(model: CTMDP, n: int) -> dict[str, str]:
    erlang = erlang_bound(model, n, model.horizon).upper
    contraction = contraction_bound(model, n)
    return {
        "erlang_bound": Enclosure(erlang, erlang).decimals(6)[2],
        "contraction_bound": Enclosure(contraction, contraction).decimals(6)[2],
    }
