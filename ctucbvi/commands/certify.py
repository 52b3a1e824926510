"""``ctucbvi certify``: check a certificate that came from elsewhere."""

from __future__ import annotations

import argparse
import json
from decimal import ROUND_CEILING, Context, Decimal
from math import inf

from ctucbvi import InputError, find_model
from ctucbvi.model import Objective
from ctucbvi.numeric import NumericSolution, certify
from ctucbvi.numeric.files import load_certificate, said_model
from verify.progress import note_if_slow

_HELD = {
    "committed": "committed problem (an action is held until the next jump)",
    "adjustable": "adjustable problem (an action may change at any moment)",
}


def run(options: argparse.Namespace) -> int:
    """Check and print; status 1 if the file claims more than can be proved, or nothing can be."""
    with note_if_slow(f"ctucbvi: reading {options.model}"):
        model = find_model(options.model)
    said = said_model(options.file)
    other = f"the file says that it is about model {said!r}" if said not in (None, model.name) else ""
    try:
        solution, claimed = load_certificate(options.file, model)
        bound = certify(solution).bound
    except InputError as error:
        if not other:
            raise
        raise InputError(f"{options.file}: does not fit model {model.name!r}: {other}") from error
    _check_problem(solution, options)
    holds = bound < inf and (claimed is None or bound <= claimed)
    if options.json:
        facts = {
            "model": model.name,
            "semantics": str(solution.semantics),
            "truncate": solution.truncate,
            "objective": str(model.objective),
            "bound": bound if bound < inf else None,
            "claimed": claimed,
            "holds": holds,
        }
        print(json.dumps(facts, indent=2))
        return 0 if holds else 1
    capped = f"values {'' if solution.truncate else 'not '}capped at the remaining time"
    if model.objective is Objective.MIN:
        capped = "costs minimised"
    print(f"{model.name}: {_HELD[solution.semantics]}, {capped}, {len(solution.best)} pieces")
    if bound < inf:
        print(
            f"proved: every value is within {rounded_up(bound)} of the optimal one of this problem, "
            "at every remaining time"
        )
    else:
        print("nothing is proved: the numbers in it are too large")
    if bound < inf and not holds:
        print(f"the file claims {claimed:.3g}, which is not proved by it")
    if other and not holds:
        print(other)
    return 0 if holds else 1


def _check_problem(solution: NumericSolution, options: argparse.Namespace) -> None:
    """Refuse a certificate that is about another problem than the one asked for."""
    if options.semantics not in (None, str(solution.semantics)):
        raise InputError(
            f"{options.file}: is about the {solution.semantics} problem, not the {options.semantics}"
        )
    if options.truncate not in (None, solution.truncate):
        raise InputError(
            f"{options.file}: is about values that are {'' if solution.truncate else 'not '}truncated; "
            f"{'leave out --truncate' if options.truncate else 'write --truncate'}, or another file"
        )


def rounded_up(bound: float) -> str:
    """Three digits that are not below ``bound``."""
    return f"{Context(prec=3, rounding=ROUND_CEILING).plus(Decimal(bound)):.3g}"
