"""The arguments of ``verify`` and ``claims``, for anybody's claims.

A *tenant* is a command that brings claims of its own: it says which package holds them, which other packages
their checks run, and which property suites there are.  Without a tenant the claims are named with ``--claims``.
"""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction
from dataclasses import dataclass


@dataclass(frozen=True)
class Tenant:
    """What the engine is told about claims that come with a command."""

    command: str  # as a user writes it
    package: str = ""  # holds the claims; none: they are named
    code: tuple[str, ...] = ()  # packages whose sources count, besides those of the claims and of the engine
    whose: str = ""  # "the paper's"
    suites: tuple[str, ...] = ()



_VERIFY = """\
Check claims (all of them, or those named and what they use) and print the verdicts: own,
transitive (never stronger than the weakest claim used) and expected.  Status 1 if a verdict
is not the expected one.  Results are kept; an interrupted run goes on where it was.

Instead of claims, name property suites: contraction, optimism, lipschitz, coverage.  They run on
random models, or on your own with --model.
"""

_VERIFY_EXAMPLES = """examples:
  ctucbvi verify
  ctucbvi verify 'lem:*' --profile thorough
  ctucbvi verify contraction optimism --model mine.toml --examples 500 --seed 7
  ctucbvi verify --claims mine.py --json
  ctucbvi verify --certificates proofs && python -m verify.recheck proofs/LABEL.json

Results are kept in $CTUCBVI_CACHE (default: ctucbvi in your cache folder) and used again while
the claim, the code it imports and the versions are the same.  That code is looked for in this
package, beside the file of claims and where Python imports from, but not in installed packages
(their versions count, if they compute).  Data files that a check reads and modules imported by a
computed name are not looked at: use --fresh when they change.
"""

_CLAIMS = """\
List the claims, or print one in full.  --graph writes what rests on what, coloured by the
verdicts that ctucbvi verify has found; claims it has not checked yet are shown as such.
"""

_CLAIMS_EXAMPLES = """examples:
  ctucbvi claims
  ctucbvi claims lem:poisson
  ctucbvi claims --graph graph.svg
  ctucbvi claims --claims mine.py --graph -
"""


def _add_verify(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "verify",
        help="check the claims and print the verdicts",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "labels", nargs="*", metavar="LABEL", help="a claim, a pattern like 'lem:*', or a property suite"
    )
    parser.add_argument("--profile", choices=("quick", "thorough"), default="quick", help="default quick")
    parser.add_argument("--claims", metavar="FILE.py", help="claims of your own, instead of the paper's")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the random checks (default 0)")
    parser.add_argument("--model", metavar="MODEL", help="run the suites on this model, bundled or a file")
    parser.add_argument("--examples", type=int, metavar="N", help="per check of the suites")
    parser.add_argument(
        "--workers",
        type=int,
        metavar="W",
        help="processes (default: one per core; 0: none, all in this one, to debug a check)",
    )
    parser.add_argument("--fresh", action="store_true", help="do not use the results of earlier runs")
    parser.add_argument("--certificates", metavar="DIR", help="write every proof to DIR/LABEL.json")
    parser.add_argument(
        "--ledger", metavar="FILE.md", help="write findings, repairs and all verdicts to a page"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def _add_claims(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "claims",
        help="list the claims, print one in full, or draw what rests on what",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "label",
        nargs="?",
        metavar="LABEL",
        help="print this claim in full, or list the matching ones ('lem:*')",
    )
    parser.add_argument(
        "--graph",
        metavar="FILE",
        help="write the graph, of LABEL or of all: .svg, .dot, .txt, or - for a tree",
    )
    parser.add_argument("--claims", metavar="FILE.py", help="claims of your own, instead of the paper's")
    parser.add_argument(
        "--profile", choices=("quick", "thorough"), default="quick", help="of the verdicts (default quick)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the verdicts (default 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)
