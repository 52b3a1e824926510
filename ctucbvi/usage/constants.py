"""The arguments of ``ctucbvi constants``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction

_DESCRIPTION = """\
Compute every constant of the paper with guaranteed digits, for a MODEL or for sizes and
rates: the radii and the bonus, the propositions, the bound of thm:CT-UCB in its factors (as
printed, repaired, with the sharpest constants proved, and for the learners with half of the bonus
and with a lump sum in its place), the number of episodes from which on it says more than the
trivial bound K H, and the lower bounds.  A bound outside its domain has no value; the condition
that fails is named.

The theorem is about the learner with delta = 1/(2KH), and so are its bounds here, whatever --delta
says.  With --delta the radii are those for this delta, and the versions "delta" and
"sharp-delta" are what the same proof gives for it.
"""

_EPILOG = """examples:
  ctucbvi constants machine-repair --K 1e7 --delta 1/20
  ctucbvi constants --S 9 --A 2 --H 3 --K 1e15 --lambda-max 4 --lambda-min 1/2 --digits 30 --json
  ctucbvi constants machine-repair --plot bounds.svg --study docs/study/machine-repair.json
  ctucbvi constants machine-repair --K 1e9 --sweep H=1/10..10:100 --json
"""

RANGE = "K=1..1e14"  # of a picture, unless told otherwise


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "constants",
        help="every constant and bound of the paper, with guaranteed digits",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", nargs="?", help="bundled name or TOML/JSON file")
    sizes = parser.add_argument_group("parameters (exact: 7, 0.05, 1/20, 1e7)")
    for name, text in (("S", "states"), ("A", "actions"), ("H", "horizon"), ("K", "episodes")):
        sizes.add_argument(f"--{name}", metavar=name, help=text)
    sizes.add_argument("--lambda-max", metavar="L", help="bound on all rates (default: the model's largest)")
    sizes.add_argument("--lambda-min", metavar="L", help="lower bound (default: the model's smallest rate)")
    sizes.add_argument("--delta", metavar="D", help="of the radii and the learner (default 1/(2KH))")
    sizes.add_argument("--epsilon", metavar="E", default="1/sqrt(k)",
                       help="accuracies: 1/sqrt(k) (default), k^-A or 'k^-A*exp(-lambda_max*H)'")  # fmt: skip
    sizes.add_argument("--time", metavar="T", default="0", help="spent at the pair of beta and b (default 0)")
    sizes.add_argument("--jumps", metavar="N", default="0", help="from the pair of alpha and b (default 0)")
    parser.add_argument("--digits", type=int, default=10, metavar="D", help="significant digits (default 10)")
    parser.add_argument("--sweep", metavar="P=A..B[:N]", help="bounds over a parameter (default N: 200)")
    parser.add_argument(
        "--plot", metavar="FILE", help=f"draw the sweep there (.svg, .png or .pdf); default sweep: {RANGE}"
    )
    parser.add_argument(
        "--study", metavar="FILE", help="a result of ctucbvi regret, to draw beside the bounds"
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--latex", action="store_true", help="print the table of constants for a paper")
    kinds.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.constants")
