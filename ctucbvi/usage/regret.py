"""The arguments of ``ctucbvi regret``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction

from ctucbvi.usage.learning import add_study

_DESCRIPTION = """\
Play CT-UCBVI on MODEL, in independent runs, and report its expected regret after k
episodes: the mean over runs, its standard error, a band that holds at all k together, and
the bound of the paper's theorem.  The values of the optimal policy and of every policy
played are computed with a proved error, not averaged from rewards.

Finished parts are kept in --out DIR: the same command goes on from them after Ctrl-C, a
crash or a kill.  The result depends on the settings only, bit for bit.
"""

_EPILOG = """examples:
  ctucbvi regret machine-repair --episodes 100000 --runs 10 --figure regret.svg
  ctucbvi regret machine-repair --episodes 10000000 --runs 30 --out study \\
      --result regret.json --figure regret.svg
  ctucbvi regret machine-repair --episodes 20000 --runs 10 --baselines sharp greedy ucbvi@5 ucbvi@20
  ctucbvi regret my-model.toml --episodes 1000000 --runs 30 --out study --cluster tcp://host:8786
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "regret",
        help="the expected regret of CT-UCBVI, with its bound",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_study(parser, runs=30, block=250_000)
    parser.add_argument(
        "--baselines",
        nargs="+",
        default=[],
        metavar="NAME",
        help="to compare with: sharp (the smallest bonus that is proved), greedy (no bonus), ucbvi@N "
        "(discrete time, N steps)",
    )
    parser.add_argument("--confidence", default="0.95", metavar="P", help="of the bands (default 0.95)")
    parser.add_argument("--result", metavar="FILE", help="write the result there (JSON)")
    parser.add_argument("--figure", metavar="FILE", help="draw the curves there (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.regret")
