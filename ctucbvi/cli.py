"""The command ``ctucbvi``: planning, learning, the paper's constants, and the claims about it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import version

from ctucbvi import usage
from proofs_checks import SOURCE
from verify import usage as claims
from verify.console import Parser, dispatch


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = Parser(
        prog="ctucbvi",
        description="Finite-horizon continuous-time Markov decision processes with guaranteed digits.",
        epilog="example: ctucbvi plan machine-repair --digits 40",
    )
    parser.add_argument("--version", action="version", version=f"ctucbvi {version('ctucbvi')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    claims.add(commands, SOURCE)
    usage.add(commands)
    claims.add_completion(commands, parser, offers)
    return parser


def offers() -> dict[str, Sequence[str]]:
    """What the arguments of the commands may be, as a shell completes them."""
    from ctucbvi import library  # not for every command

    return {"MODEL": library.BUNDLED, "LABEL": SOURCE.offers}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return dispatch(build_parser(), arguments)
