"""``python -m verify.coq DIR``: compile what ``verify --coq DIR`` wrote; exit 1 if a file is rejected."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from verify.coq.judging import coqc, judge, lines
from verify.errors import UserError
from verify.progress import ProgressLine, rest
from verify.streams import writing

_SECONDS = 600  # per file


@writing("python -m verify.coq")
def main(arguments: list[str] | None = None) -> int:
    """Verdicts on stdout, progress on stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m verify.coq",
        description="Let Coq judge what verify --coq DIR wrote: accepted, rejected or not exported. "
        "What was accepted and has not changed is not compiled again.",
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, nargs="?", help="without it: only whether coqc is there"
    )
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="per file (default %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="default: one per core")
    options = parser.parse_args(arguments)
    try:
        if options.folder is None:
            print(coqc())
            return 0
        with ProgressLine("coq") as line:

            def tell(done: int, total: int, name: str) -> None:
                line.tell(f"{done} of {total} files", f"; last {name}", rest(done / total, line.seconds))

            verdicts = judge(options.folder, options.seconds, max(1, options.workers), tell)
        for text in lines(verdicts, options.folder):
            print(text)
    except UserError as error:
        print(f"python -m verify.coq: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "python -m verify.coq: what is accepted is kept; the same command goes on from there",
            file=sys.stderr,
        )
        return 130
    return 0 if all(one.accepted for one in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
