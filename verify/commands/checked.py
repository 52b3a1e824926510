"""Running claims for somebody who waits: the progress line, the messages, and what an interruption leaves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from verify.clusters import GoneError
from verify.console import refuse
from verify.progress import ProgressLine, rest
from verify.running.parallel import Underway
from verify.running.runs import Run, run_claims
from verify.running.written import unexpected
from verify.source import Source

_KEPT = "what is finished is kept; the same command goes on from there"


def say(source: Source, message: str) -> None:
    """A line on stderr."""
    print(f"{source.command}: {message}", file=sys.stderr)


def checked(source: Source, labels: Iterable[str], options: argparse.Namespace) -> Run:
    """The claims of the source, checked as the options of a run say."""
    if options.cluster is not None:
        refuse(options, "the work is done by the cluster", "--workers")
    known: list[int] = []  # how many claims were finished when the run began

    def progress(finished: int, total: int, current: Sequence[Underway]) -> None:
        known.extend([finished] if not known else [])
        part = (finished - known[0] + sum(one.part for one in current)) / max(1, total - known[0])
        left = max([rest(part, line.seconds), *(one.left for one in current)])
        names = [f"{one.label} ({one.part:.0%})" if one.part else one.label for one in current]
        line.tell(f"{finished} of {total} claims", f"; now {', '.join(names)}" if names else "", left)

    began: list[float] = []

    def checking(finished: int, total: int) -> None:
        began.extend([line.seconds] if not began else [])
        left = rest(finished / max(1, total), line.seconds - began[0])
        line.tell(f"{finished} of {total} proofs and witnesses read by a fresh process", "", left)

    try:
        with ProgressLine("verify") as line:
            return run_claims(
                source,
                labels,
                profile=options.profile,
                seed=options.seed,
                workers=options.workers,
                cluster=options.cluster,
                fresh=options.fresh,
                recheck=options.recheck,
                progress=progress,
                checking=checking,
                warn=lambda message: say(source, message),
            )
    except KeyboardInterrupt:
        say(source, _KEPT)
        raise
    except GoneError as error:
        say(source, f"{error}; {_KEPT}")
        raise SystemExit(1) from None


def status(source: Source, run: Run) -> int:
    """1 if a verdict is not the expected one, and a line for each that is not."""
    wrong = unexpected(run)
    for label, message in wrong.items():
        say(source, f"{label}: {message}")
    return 1 if wrong else 0
