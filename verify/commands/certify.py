"""``ctucbvi certify``: check a certificate that came from elsewhere."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "certify",
        help="check a certificate and say what it proves",
        description="Prove a bound on the error of the polynomials in FILE, from them and the model alone.",
        epilog="example: ctucbvi plan queue --engine numeric --certificate queue.json && "
        "ctucbvi certify queue queue.json",
    )
    parser.add_argument("model", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("file", metavar="FILE", help="a certificate, written by plan --certificate")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check and print; status 1 if the file claims more than can be proved."""
    from ctucbvi import find_model
    from ctucbvi.numeric import certify
    from ctucbvi.numeric.files import load_certificate

    model = find_model(options.model)
    solution, claimed = load_certificate(options.file, model)
    bound = certify(solution).bound
    holds = claimed is None or bound <= claimed
    if options.json:
        facts = {
            "model": model.name,
            "semantics": str(solution.semantics),
            "truncate": solution.truncate,
            "bound": bound,
            "claimed": claimed,
            "holds": holds,
        }
        print(json.dumps(facts, indent=2))
        return 0 if holds else 1
    capped = ", truncated at the remaining time" if solution.truncate else ""
    print(f"{model.name}: {solution.semantics}{capped}, {len(solution.best)} pieces")
    print(f"proved: every value is within {bound:.3g} of the optimal one, at every remaining time")
    if not holds:
        print(f"the file claims {claimed:.3g}, which is not proved by it")
    return 0 if holds else 1
