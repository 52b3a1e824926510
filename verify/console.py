"""A command line: one parser, commands that are imported when they are given, errors of one line.

A command is a module with ``run(options)``, named by its parser, so that ``--help`` loads nothing that
computes.  Results go to stdout, progress and messages to stderr.  Exit status 0: done; 1: a check failed, or
digits that were asked for are missing; 2: bad input, one line on stderr.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

from verify.errors import UserError

Commands: TypeAlias = "argparse._SubParsersAction[Any]"  # of a parser, to add to


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print it and leave."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def add_command(
    commands: Commands, module: str, summary: str, description: str, epilog: str
) -> argparse.ArgumentParser:
    """A command that ``module`` runs, called like it; a text of several lines is printed as it is."""
    several = "\n" in description + epilog
    parser: argparse.ArgumentParser = commands.add_parser(
        module.rpartition(".")[2],
        help=summary,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter if several else argparse.HelpFormatter,
    )
    parser.set_defaults(module=module)
    return parser


class _InSpan(argparse.Action):
    """A whole number between two ends, the upper one perhaps missing."""

    def __init__(self, *names: Any, span: tuple[int, int | None], **more: Any) -> None:
        super().__init__(*names, **more)
        self._least, self._most = span

    def __call__(self, _: Any, namespace: Any, value: Any, option: str | None = None) -> None:
        if not self._least <= value <= (value if self._most is None else self._most):
            end = "" if self._most is None else f" to {self._most}"
            raise UserError(f"{option} {value}: write a number from {self._least}{end}")
        setattr(namespace, self.dest, value)


def take(parser: argparse._ActionsContainer, written: str, text: str, **more: Any) -> None:
    """Describe an argument: ``--digits D`` with what it takes, ``--json`` alone, ``model MODEL`` by place.

    A whole number may have a ``span``; one that is outside is refused.
    """
    name, _, more["metavar"] = written.partition(" ")
    if not more["metavar"]:
        del more["metavar"]
        if not more.keys() & {"action", "choices"}:
            more["action"] = "store_true"
    if "span" in more:
        more.update(action=_InSpan, type=int)
    elif isinstance(more.get("default"), int | float):
        more["type"] = type(more["default"])
    parser.add_argument(name, help=text, **more)


def dispatch(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run one command and return the exit status."""
    try:
        options = parser.parse_args(arguments)
        status: int = importlib.import_module(options.module).run(options)
        sys.stdout.flush()
        return status
    except UserError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader went away (... | head): not an error, and nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted", file=sys.stderr)
        return 130
