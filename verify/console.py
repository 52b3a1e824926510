"""A command line: one parser, commands that are imported when they are given, errors of one line.

A command is a module with ``run(options)``, named by its parser, so that ``--help`` loads nothing that
computes.  Results go to stdout, progress and messages to stderr.  Exit status 0: done; 1: a check failed, or
digits that were asked for are missing; 2: bad input, or an output that cannot be written, one line on stderr.
"""

from __future__ import annotations

import argparse
import atexit
import difflib
import gc
import importlib
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from time import monotonic
from types import FrameType
from typing import Any, NoReturn, TypeAlias

from verify.errors import UserError
from verify.streams import writing

_LONGEST = 30  # digits of a whole number
_LONG = 1e6  # seconds that nobody waits for
# New objects between two searches for cycles: most of what is made here is kept, or has none.
SELDOM, RARELY = 50_000, 2_000_000  # for a command, and for a process that does nothing but check claims

Commands: TypeAlias = "argparse._SubParsersAction[Any]"  # of a parser, to add to


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and say what may have been meant.

    An option is written in full: a beginning that is enough today is ambiguous when an option is added.
    """

    def __init__(self, *names: Any, **more: Any) -> None:
        super().__init__(*names, **{"allow_abbrev": False, **more})

    def error(self, message: str) -> NoReturn:
        """Print it and leave."""
        end = "" if message.endswith("?") else f"; see {self.prog} --help"
        self.exit(2, f"{self.prog}: {message}{end}\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options; one that is unknown is told by the command that does not know it."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self._told(options).refuse(unknown)
        return options

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Leave because of arguments that mean nothing here."""
        first = next((word for word in unknown if word.startswith("-")), unknown[0])
        known = [name for name in self._option_string_actions if name.startswith("--")]
        hint = did_you_mean(first.partition("=")[0], known) if first.startswith("--") else ""
        self.error(f"unrecognized argument {first}{hint}")

    def _told(self, options: argparse.Namespace) -> Parser:
        """The parser of the command that was given."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                found = action.choices.get(getattr(options, action.dest, ""))
                return found if isinstance(found, Parser) else self
        return self

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            hint = did_you_mean(str(value), names) or f" (choose from {', '.join(names)})"
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What may have been meant, as the end of a message; empty if nothing is near."""
    names = list(known)
    begun = [name for name in names if len(word) > 2 and name.startswith(word)]  # --sem
    near = begun[:2] or difflib.get_close_matches(word, names, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def refuse(options: argparse.Namespace, why: str, *names: str) -> None:
    """Refuse options (``--plot``) that were given and would change nothing."""
    values = {name: getattr(options, name.removeprefix("--").replace("-", "_")) for name in names}
    given = [
        name for name, value in values.items() if value is not None and value is not False and value != []
    ]
    if given:
        raise UserError(f"{', '.join(given)}: {why}; leave {'it' if len(given) == 1 else 'them'} out")


def whole(text: str) -> int:
    """A whole number as people write it: 1000, 1e3."""
    try:
        number = Decimal(text)
        if number.is_finite() and number.adjusted() <= _LONGEST and number == int(number):
            return int(number)
    except (InvalidOperation, ValueError):
        pass
    raise argparse.ArgumentTypeError(f"invalid int value: {text!r} (write 1000 or 1e3)")


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
        more.update(action=_InSpan, type=whole)
    elif isinstance(more.get("default"), int | float):
        more["type"] = type(more["default"])
    if more.get("type") is int:
        more["type"] = whole
    parser.add_argument(name, help=text, **more)


def dispatch(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run one command and return the exit status; where none are given, the process is ours."""
    if arguments is None:
        gc.set_threshold(SELDOM)
        atexit.register(gc.freeze)  # nothing is searched once more at the end
    with writing(parser.prog):
        return _run(parser, arguments)


def _run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    try:
        options = parser.parse_args(arguments)
        status: int = importlib.import_module(options.module).run(options)
        return status
    except UserError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except TerminatedError:
        print(f"{parser.prog}: terminated", file=sys.stderr)
        return 143
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted", file=sys.stderr)
        return 130


class TerminatedError(KeyboardInterrupt):
    """Somebody has asked the process to end (SIGTERM), and it goes the way of Ctrl-C."""


class OutOfTimeError(KeyboardInterrupt):
    """The time that somebody gave is over; it goes the way of Ctrl-C, whatever is being done."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Around work that nothing else stops: after so many seconds it ends, by :class:`OutOfTimeError`.

    Where there is no such signal, or it could not come here, work ends when it is done, and then by it.
    """
    end = monotonic() + seconds
    known = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def stop(*_: Any) -> NoReturn:
        raise OutOfTimeError

    if not known or not 0 < seconds < _LONG:
        yield
    else:
        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    if monotonic() > end:
        raise OutOfTimeError


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Around work that has something to tidy up: SIGTERM raises, once; the next one ends the process."""
    if threading.current_thread() is not threading.main_thread():  # which alone is told of signals
        yield
        return

    def end(number: int, _: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise TerminatedError

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
