"""``python -m verify.recheck FILE.json [LABEL ...]``: exit 0 if all re-checks, 1 if not, 2 if unreadable."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from verify.recheck.documents import examined
from verify.streams import writing

_EXAMPLE = """
example:
  python -m verify verify --claims mine.py --json > run.json
  python -m verify.recheck run.json                 # every certificate and witness
  python -m verify.recheck run.json lem:rateUCB     # those of one claim
"""


@writing("python -m verify.recheck")
def main(arguments: list[str] | None = None) -> int:
    """Re-check a file; complaints go to stdout, what is being done to stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m verify.recheck",
        description="Re-check proofs and counterexamples from their JSON alone, without the provers. "
        "A witness without a formula is code, which is run after it is shown.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="a certificate, a derivation, a witness, or a run's JSON; - is stdin")
    parser.add_argument("labels", nargs="*", metavar="LABEL", help="only these claims of a document")
    options = parser.parse_args(arguments)
    try:
        text = sys.stdin.read() if options.file == "-" else Path(options.file).read_text(encoding="utf-8")
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_number)
    except OSError as error:
        print(f"{options.file}: cannot be read: {error.strerror}", file=sys.stderr)
        return 2
    except (ValueError, RecursionError):
        print(f"{options.file}: is not JSON; give a file written by verify --json", file=sys.stderr)
        return 2
    done: list[str] = []

    def say(text: str) -> None:
        done.append(text)
        print(text, file=sys.stderr)

    complaints, tally = examined(document, options.labels, say)
    for complaint in complaints:
        print(complaint)
    print(f"{len(done)} proofs and witnesses re-checked, {len(complaints)} complaints")
    if tally:
        print(tally)
    return 1 if complaints else 0


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; what stands there twice would be read one way by people and another way by programs."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands there twice")
    return found


def _number(word: str) -> float:
    raise ValueError(f"{word} is no number")


if __name__ == "__main__":
    sys.exit(main())
