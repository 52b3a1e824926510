"""The arguments of ``ctucbvi losses``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction

from ctucbvi.usage.learning import add_study

_DESCRIPTION = """\
Where is the bound of the paper's theorem lost?  Play CT-UCBVI on MODEL and compute every
sum of the proof along the episodes played: each inequality from the measured regret to the
final bound then has a factor, and their product is the bound over the regret.

The theorem speaks about the learner with delta = 1/(2KH): that is the default here.
Finished parts are kept in --out DIR, as in a regret study: the same command goes on.
"""

_EPILOG = """examples:
  ctucbvi losses machine-repair --episodes 1000000 --runs 4 --figure losses.svg
  ctucbvi losses my-model.toml --episodes 100000 --runs 10 --out parts --json
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "losses",
        help="where the bound of the theorem is lost, inequality by inequality",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_study(parser, runs=4, block=100_000, delta="1/(2KH)")
    parser.add_argument("--figure", metavar="FILE", help="draw the waterfall there (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.losses")
