"""The arguments of ``ctucbvi plan``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction

_EPILOG = """examples:
  ctucbvi plan machine-repair --digits 40
  ctucbvi plan my-model.toml --semantics both --at operating@1/2 --plot values.svg
  ctucbvi plan machine-repair --symbolic 2
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "plan",
        help="optimal value, time-dependent policy and switching times, with guaranteed digits",
        description="Solve a model: optimal value, time-dependent policy and switching times. "
        "Times are remaining times.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="a TOML or JSON file, or the name of a bundled model")
    parser.add_argument(
        "--semantics",
        choices=("committed", "adjustable", "both"),
        default="committed",
        help="committed: the action is held until the next jump (default); adjustable: it may change at "
        "any time; both: side by side, with the gap",
    )
    parser.add_argument(
        "--engine",
        choices=("exact", "certified", "numeric"),
        default="exact",
        help="exact: values and policy, precision raised until actions are told apart or proved tied "
        "(default); certified: stop as soon as the values have their digits; numeric: fast, in double "
        "precision, with enclosures from a certificate",
    )
    parser.add_argument(
        "--digits", type=int, metavar="D", help="guaranteed digits (default 15; with --engine numeric 9)"
    )
    parser.add_argument("--truncate", action="store_true", help="cap values at the remaining time: min{t, .}")
    parser.add_argument(
        "--at", action="append", default=[], metavar="STATE@T", help="value at this state and remaining time"
    )
    parser.add_argument(
        "--seconds", type=float, default=600.0, metavar="S", help="time to spend at most (default 600)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw values and policy (.svg, .png or .pdf)")
    parser.add_argument(
        "--symbolic", type=int, metavar="N", help="print the N-th iterate of value iteration in closed form"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="with --engine numeric: write what proves the enclosures"
    )
    parser.add_argument(
        "--no-certificate", action="store_true", help="with --engine numeric: print values without enclosures"
    )
    parser.add_argument("--latex", action="store_true", help="with --symbolic: print LaTeX")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.plan")
