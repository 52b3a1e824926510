"""``verify``: run the checks of the claims and compare the verdicts with the expected ones."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from verify.claims import ClaimError
from verify.claims.texts import describe
from verify.commands.checked import checked, say, status
from verify.coq.folders import write_folder
from verify.running.ledger import ledger, summary_lines
from verify.running.loading import Commentary, load_commentary, suite_names
from verify.running.report import (
    mutants_report,
    text_report,
    told_apart,
    write_certificates,
)
from verify.running.runs import Run
from verify.running.written import document
from verify.source import Source


def run(options: argparse.Namespace) -> int:
    """Check, print, and compare; status 1 if anything is unexpected."""
    if options.ledger is not None and not Path(options.ledger).parent.is_dir():
        raise ClaimError(f"--ledger {options.ledger}: no folder {Path(options.ledger).parent}; make it first")
    source, labels = _asked(options)
    others = options.json or options.ledger or options.certificates or options.coq
    if options.mutants and (source.suites or others):
        raise ClaimError("--mutants is for claims, and prints a table only; leave the other option out")
    source = replace(source, mutants=options.mutants)
    said = load_commentary(source)  # before the run, so that a mistake in it is not found after it
    done = checked(source, labels, options)
    if options.mutants:
        print(mutants_report(done))
        return 0 if all(told_apart(done).values()) else 1
    if options.certificates is not None:
        write_certificates(done, options.certificates)
    if options.ledger is not None:
        _write_ledger(done, said, options)
    if options.coq is not None:
        _write_coq(done, options)
    if options.json:
        print(json.dumps(document(done), indent=2))
    else:
        found = summary_lines(done, said)
        report = text_report(done, said.paper, examples=bool(source.suites))
        print("\n".join([*found, "", report] if found else [report]))
    sys.stdout.flush()
    return status(source, done)


def _write_coq(done: Run, options: argparse.Namespace) -> None:
    """The proved inequalities as theorems for Coq; on stderr how many, and which are not there and why."""
    claims = (
        {**describe(done.claims[label]), "verdict": str(result.verdict), "evidence": result.evidence}
        for label, result in done.results.items()
    )
    try:
        index = write_folder(claims, Path(options.coq))
    except OSError as error:
        raise ClaimError(f"--coq {options.coq}: cannot be written: {error.strerror}") from None
    for label, why in index["not exported"].items():
        say(options.source, f"--coq: {label} is not exported: {why}")
    count, derived, beyond = (len(index[k]) for k in ("written", "derivations", "derivations not exported"))
    files = f"{count} inequalit{'y' if count == 1 else 'ies'} and {derived} derivation{'s' * (derived != 1)}"
    if beyond:
        say(options.source, f"--coq: {beyond} derivations are not exported; python -m verify.coq says why")
    say(
        options.source,
        f"--coq: {files} in {options.coq}; let Coq judge them: python -m verify.coq {options.coq}",
    )


def _asked(options: argparse.Namespace) -> tuple[Source, list[str]]:
    """Where the claims come from, and which: those that are named, or all of the suites that are."""
    source: Source = options.source.at(options.claims)
    known = suite_names(source)
    suites = [name for name in options.labels if name in known]
    if not suites:
        for option, value in (("--model", options.model), ("--examples", options.examples)):
            if value is not None:
                raise ClaimError(f"{option} is for the property suites; name one of {', '.join(known)}")
        return source, options.labels
    if others := [label for label in options.labels if label not in suites]:
        raise ClaimError(f"{suites[0]} is a property suite and {others[0]} is not; run them one by one")
    return replace(source, suites=tuple(suites), subject=options.model, examples=options.examples), []


def _write_ledger(done: Run, said: Commentary, options: argparse.Namespace) -> None:
    words = [
        options.source.command,
        "verify",
        *options.labels,
        *(["--claims", options.claims] if options.claims else []),
    ]
    command = " ".join([*words, "--profile", options.profile, "--ledger", options.ledger])
    try:
        Path(options.ledger).write_text(ledger(done, said, command), encoding="utf-8")
    except OSError as error:
        raise ClaimError(f"--ledger {options.ledger}: cannot be written: {error.strerror}") from None
