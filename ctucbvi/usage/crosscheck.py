"""The arguments of ``ctucbvi crosscheck``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction

_DESCRIPTION = """\
Solve models with the exact planner (ball arithmetic), the fast planner (doubles, with a
proved bound) and the second opinion (Taylor series in mpmath), and compare values and
switching times.  Without MODEL: the bundled models, corner cases and random models.
Status 1 if anything is outside its claim.
"""

_EPILOG = """examples:
  ctucbvi crosscheck
  ctucbvi crosscheck machine-repair my-model.toml --digits 30
  ctucbvi crosscheck --random 100 --seed 7
  ctucbvi crosscheck machine-repair --values mine.csv --tolerance 1e-6

A table of values is CSV with the header state,t,value or state,t,value,action (t is the
remaining time), or a JSON list of objects with these names.
"""

RANDOM = 8  # random models, where no model is named and no number is given


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "crosscheck",
        help="solve models by three routes and compare; check a table of values",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("--random", type=int, metavar="N", help=f"random models to add (default {RANDOM}; "
                        "0 with MODEL)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the random models (default 0)")
    parser.add_argument("--digits", type=int, default=20, metavar="D", help="digits to compare (default 20)")
    parser.add_argument(
        "--tolerance",
        default="1e-9",
        metavar="T",
        help="claimed by the fast planner, or allowed to the table of values (default 1e-9)",
    )
    parser.add_argument(
        "--semantics",
        choices=("committed", "adjustable", "both"),
        help="default both; with --values committed",
    )
    parser.add_argument("--values", metavar="FILE", help="check these values of one MODEL (.csv or .json)")
    parser.add_argument(
        "--failing",
        default="crosscheck-failure.toml",
        metavar="FILE",
        help="where to write the smallest failing model found (default crosscheck-failure.toml)",
    )
    parser.add_argument(
        "--peers", action="store_true", help="ask Storm and QuantEcon too, where they apply (extra 'peers')"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.crosscheck")
