"""The arguments of ``ctucbvi learn``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction

from ctucbvi.usage.learning import add_settings

_EPILOG = """examples:
  ctucbvi learn machine-repair --episodes 300 --seed 1 --lockstep
  ctucbvi learn machine-repair --episodes 50 --save history.jsonl
  ctucbvi learn machine-repair --episodes 50 --bonus sharp
  ctucbvi learn --replay history.jsonl --lockstep --json
  ctucbvi learn machine-repair --episodes 100 --lockstep --compiled 100
  ctucbvi learn queue --episodes 20 --rescale=1/14,4/7 --epsilon "k^-1/2*exp(-lambda_max*H)"
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "learn",
        help="learn a model episode by episode with CT-UCBVI, certified",
        description="Run CT-UCBVI with exact estimates, certified values and certified switching times. "
        "With --lockstep the fast learner runs beside it on the same draws, and every difference is listed.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "model", metavar="MODEL", nargs="?", help="a TOML or JSON file, or the name of a bundled model"
    )
    parser.add_argument("--episodes", type=int, metavar="N", help="how many episodes (default 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draws (default 1)")
    add_settings(parser)
    parser.add_argument("--no-bonus", action="store_const", const="none", dest="bonus", help="--bonus none")
    parser.add_argument("--lockstep", action="store_true", help="compare with the fast learner at each step")
    parser.add_argument(
        "--compiled",
        type=int,
        metavar="CELLS",
        help="with --lockstep: the compiled learner of the studies leads, on a grid of CELLS",
    )
    parser.add_argument("--save", metavar="FILE", help="write the history as it comes, one line per episode")
    parser.add_argument("--replay", metavar="FILE", help="follow a saved history instead of drawing one")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.learn")
