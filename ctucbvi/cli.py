"""The command ``ctucbvi``: planning, learning, the paper's constants, and the claims about it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import version

from ctucbvi.usage import certify, constants, crosscheck, learn, losses, models, plan, regret
from verify import usage as claims
from verify.console import Parser, dispatch

# The claims of the paper are a tenant of the engine: this is what it is told about them.
PAPER = claims.Tenant(
    command="ctucbvi",
    package="proofs_checks",
    code=("ctucbvi",),
    whose="the paper's",
    suites=("contraction", "optimism", "lipschitz", "coverage"),
)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = Parser(
        prog="ctucbvi",
        description="Finite-horizon continuous-time Markov decision processes with guaranteed digits.",
        epilog="example: ctucbvi plan machine-repair --digits 40",
    )
    parser.add_argument("--version", action="version", version=f"ctucbvi {version('ctucbvi')}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    claims.add(subparsers, PAPER)
    for command in (plan, crosscheck, certify, learn, regret, constants, losses, models):
        command.add(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return dispatch(build_parser(), arguments)
