"""Running claims for somebody who waits: the progress line, the messages, and what an interruption leaves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from verify.progress import ProgressLine
from verify.running.report import unexpected
from verify.running.runs import Run, run_claims
from verify.source import Source


def say(source: Source, message: str) -> None:
    """A line on stderr."""
    print(f"{source.command}: {message}", file=sys.stderr)


def checked(source: Source, labels: Iterable[str], options: argparse.Namespace) -> Run:
    """The claims of the source, checked as ``--profile``, ``--seed``, ``--workers`` and ``--fresh`` say."""

    def progress(finished: int, total: int, current: Sequence[str]) -> None:
        line.tell(f"{finished} of {total} claims", f"; now {', '.join(current)}" if current else "")

    try:
        with ProgressLine("verify") as line:
            return run_claims(
                source,
                labels,
                profile=options.profile,
                seed=options.seed,
                workers=options.workers,
                fresh=options.fresh,
                progress=progress,
                warn=lambda message: say(source, message),
            )
    except KeyboardInterrupt:
        say(source, "what is finished is kept; the same command goes on from there")
        raise


def status(source: Source, run: Run) -> int:
    """1 if a verdict is not the expected one, and a line for each that is not."""
    wrong = unexpected(run)
    for label, message in wrong.items():
        say(source, f"{label}: {message}")
    return 1 if wrong else 0
