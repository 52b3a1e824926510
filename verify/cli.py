"""The command ``ctucbvi``.

Results go to stdout, progress and messages to stderr.  Exit status 0: done; 1: a check
failed, or digits that were asked for are missing; 2: bad input, one line on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from verify.commands import (
    certify,
    claims,
    constants,
    crosscheck,
    learn,
    losses,
    models,
    plan,
    regret,
    verify,
)

_COMMANDS = (verify, claims, plan, crosscheck, certify, learn, regret, constants, losses, models)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="ctucbvi",
        description="Finite-horizon continuous-time Markov decision processes with guaranteed digits.",
        epilog="example: ctucbvi plan machine-repair --digits 40",
    )
    parser.add_argument("--version", action="version", version=f"ctucbvi {version('ctucbvi')}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = build_parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except ValueError as error:
        # Whatever a user can get wrong is a ValueError whose text is one line (InputError); a
        # ValueError from anywhere else is a defect, and hiding it would hide the defect.
        if type(error).__name__ not in ("InputError", "ModelError", "PolicyError", "ClaimError"):
            raise
        print(f"ctucbvi: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader went away (ctucbvi ... | head): not an error, and nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("ctucbvi: interrupted", file=sys.stderr)
        return 130
