"""``ctucbvi verify``: run the checks of the claims and compare the verdicts with the expected ones."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from verify.claims import Remark
    from verify.running.loading import Source
    from verify.running.runs import Run

_DESCRIPTION = """\
Check claims (all of them, or those named and what they use) and print the verdicts: own,
transitive (never stronger than the weakest claim used) and expected.  Status 1 if a verdict
is not the expected one.  Results are kept; an interrupted run goes on where it was.

Instead of claims, name property suites: contraction, optimism, lipschitz, coverage.  They run on
random models, or on your own with --model.
"""

_EPILOG = """examples:
  ctucbvi verify
  ctucbvi verify 'lem:*' --profile thorough
  ctucbvi verify contraction optimism --model mine.toml --examples 500 --seed 7
  ctucbvi verify --claims mine.py --json
  ctucbvi verify --claims mine.py --mutants
  ctucbvi verify --certificates proofs && python -m verify.recheck proofs/LABEL.json

Results are kept in $CTUCBVI_CACHE (default: ctucbvi in your cache folder) and used again while
the claim, the code it imports and the versions are the same.  That code is looked for in this
package, beside the file of claims and where Python imports from, but not in installed packages
(their versions count, if they compute).  Data files that a check reads and modules imported by a
computed name are not looked at: use --fresh when they change.
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "verify",
        help="check the claims and print the verdicts",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "labels", nargs="*", metavar="LABEL", help="a claim, a pattern like 'lem:*', or a property suite"
    )
    parser.add_argument("--profile", choices=("quick", "thorough"), default="quick", help="default quick")
    parser.add_argument("--claims", metavar="FILE.py", help="claims of your own, instead of the paper's")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the random checks (default 0)")
    parser.add_argument("--model", metavar="MODEL", help="run the suites on this model, bundled or a file")
    parser.add_argument("--examples", type=int, metavar="N", help="per check of the suites")
    parser.add_argument(
        "--workers",
        type=int,
        metavar="W",
        help="processes (default: one per core; 0: none, all in this one, to debug a check)",
    )
    parser.add_argument("--fresh", action="store_true", help="do not use the results of earlier runs")
    parser.add_argument(
        "--mutants",
        action="store_true",
        help="run the mutants of the claims: each must be told from its claim",
    )
    parser.add_argument("--certificates", metavar="DIR", help="write every proof to DIR/LABEL.json")
    parser.add_argument(
        "--ledger", metavar="FILE.md", help="write findings, repairs and all verdicts to a page"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check, print, and compare; status 1 if anything is unexpected."""
    from verify.claims import ClaimError
    from verify.running.ledger import summary_lines
    from verify.running.live import RunProgress
    from verify.running.loading import load_remarks
    from verify.running.report import (
        document,
        mutants_report,
        text_report,
        told_apart,
        unexpected,
        write_certificates,
    )
    from verify.running.runs import run_claims

    if options.workers is not None and not 0 <= options.workers <= 1024:
        raise ClaimError(f"--workers {options.workers}: write a number from 0 to 1024")
    if options.seed < 0:
        raise ClaimError(f"--seed {options.seed}: write a number from 0")
    if options.ledger is not None and not Path(options.ledger).parent.is_dir():
        raise ClaimError(f"--ledger {options.ledger}: no folder {Path(options.ledger).parent}; make it first")
    source, labels = _asked(options)
    if options.mutants and (source.suites or options.json or options.ledger or options.certificates):
        raise ClaimError("--mutants is for claims, and prints a table only; leave the other option out")
    source = replace(source, mutants=options.mutants)
    remarks = load_remarks(source)  # before the run, so that a mistake in them is not found after it
    try:
        with RunProgress() as progress:
            done = run_claims(
                source,
                labels,
                profile=options.profile,
                seed=options.seed,
                workers=options.workers,
                fresh=options.fresh,
                progress=progress,
                warn=_say,
            )
    except KeyboardInterrupt:
        _say("what is finished is kept; the same command goes on from there")
        raise
    if options.mutants:
        print(mutants_report(done))
        return 0 if all(told_apart(done).values()) else 1
    files = {} if options.certificates is None else write_certificates(done, options.certificates)
    if options.ledger is not None:
        _write_ledger(done, remarks, options)
    if options.json:
        print(json.dumps(document(done, files), indent=2))
    else:
        found = summary_lines(done, remarks)
        print("\n".join([*found, "", text_report(done)] if found else [text_report(done)]))
    sys.stdout.flush()
    wrong = unexpected(done)
    for label, message in wrong.items():
        _say(f"{label}: {message}")
    return 1 if wrong else 0


def _asked(options: argparse.Namespace) -> tuple[Source, list[str]]:
    """Where the claims come from, and which: those that are named, or all of the suites that are."""
    from verify.claims import ClaimError
    from verify.running.loading import Source, suite_names

    source = Source.of(options.claims)
    known = suite_names(source)
    suites = [name for name in options.labels if name in known]
    if not suites:
        for option, value in (("--model", options.model), ("--examples", options.examples)):
            if value is not None:
                raise ClaimError(f"{option} is for the property suites; name one of {', '.join(known)}")
        return source, options.labels
    if others := [label for label in options.labels if label not in suites]:
        raise ClaimError(f"{suites[0]} is a property suite and {others[0]} is not; run them one by one")
    if options.examples is not None and not 1 <= options.examples <= 10**7:
        raise ClaimError(f"--examples {options.examples}: write a number from 1 to 10000000")
    return replace(source, suites=tuple(suites), subject=options.model, examples=options.examples), []


def _write_ledger(done: Run, remarks: dict[str, Remark], options: argparse.Namespace) -> None:
    from verify.claims import ClaimError
    from verify.running.ledger import ledger

    words = ["ctucbvi verify", *options.labels, *(["--claims", options.claims] if options.claims else [])]
    command = " ".join([*words, "--profile", options.profile, "--ledger", options.ledger])
    try:
        Path(options.ledger).write_text(ledger(done, remarks, command), encoding="utf-8")
    except OSError as error:
        raise ClaimError(f"--ledger {options.ledger}: cannot be written: {error.strerror}") from None


def _say(message: str) -> None:
    print(f"ctucbvi: {message}", file=sys.stderr)
