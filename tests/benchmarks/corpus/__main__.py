"""``python -m tests.benchmarks.corpus [--family F] [--label L] [--seconds N] [--no-peers] [--list]``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.benchmarks.corpus.entries import Entry, chosen, families
from tests.benchmarks.corpus.peers import coq_answer, coq_ground, z3_answer, z3_ground
from tests.benchmarks.corpus.report import open_entries, summary, totals
from tests.benchmarks.corpus.running import Kept, Outcome, ours, run, source_digest
from verify.console import Parser
from verify.errors import UserError
from verify.streams import writing

_SECONDS = 20.0  # of CPU time for one entry: what the quick profile is to take at most
_SLOW = 10.0  # seconds from which on an entry is listed as slow
_PEER_SECONDS = 20.0


def _parser() -> Parser:
    parser = Parser(prog="python -m tests.benchmarks.corpus", description="Inequalities from the literature.")
    parser.add_argument("--family", choices=list(families()), help="only this family")
    parser.add_argument("--label", help="only entries whose label contains this")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="of CPU time for one entry")
    parser.add_argument("--peers", action="store_true", default=True, help="ask z3 and Coq's interval too")
    parser.add_argument("--no-peers", action="store_false", dest="peers", help="ask our prover only")
    parser.add_argument("--list", action="store_true", help="also list what is wrong, open or slow")
    parser.add_argument(
        "--results", type=Path, default=Path("build/corpus.jsonl"), help="where results are kept"
    )
    return parser


def _peers(entries: Sequence[Entry], kept: Kept) -> dict[str, Mapping[str, Outcome]]:
    """The answers of z3 and Coq, as far as they are installed."""
    grounds = {"z3": ("z3", z3_answer, z3_ground()), "coq": ("Coq interval", coq_answer, coq_ground())}
    found: dict[str, Mapping[str, Outcome]] = {}
    for name, (title, prover, ground) in grounds.items():
        if ground:
            found[title] = run(entries, name, prover, _PEER_SECONDS, kept, ground)
        else:
            print(f"{title}: not installed", file=sys.stderr)
    return found


@writing("python -m tests.benchmarks.corpus")
def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the status is 1 if something is wrong, 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        entries = chosen(options.family, options.label)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    kept = Kept(options.results)
    found = run(entries, "ours", ours, options.seconds, kept, source_digest())
    peers = _peers(entries, kept) if options.peers else {}
    if options.list:
        print("\n".join([*open_entries(entries, found, _SLOW), ""]))
    print(summary(entries, found, peers))
    return int(totals(entries, found)["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
