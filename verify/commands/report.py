"""``report``: all claims checked, and one page about what was found, with the errata beside it."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, datetime
from pathlib import Path

from verify.claims import ClaimError
from verify.commands.checked import checked, say, status
from verify.progress import note_if_slow
from verify.report import page, supplement_of
from verify.report.facts import Reported, facts
from verify.running.errata import errata_tex
from verify.running.loading import load_commentary
from verify.running.written import graph_of
from verify.source import Source

PAGE, ERRATA = "index.html", "errata.tex"


def run(options: argparse.Namespace) -> int:
    """Check, write, and compare; status 1 if anything is unexpected."""
    source: Source = options.source.at(options.claims)
    folder = _folder(options.folder)
    said = load_commentary(source)  # before the run, so that a mistake in it is not found after it
    done = checked(source, (), options)
    errata = errata_tex(done, said.defects, said.paper) if said.defects else ""
    with note_if_slow("writing the page"):
        supplement = supplement_of(source, graph_of(done))
        subject = Reported(source, done, said, supplement, _today(), errata)
        files = {PAGE: page(facts(subject), supplement.panels), **({ERRATA: errata} if errata else {})}
    for name, text in files.items():
        try:
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise ClaimError(f"{folder / name}: cannot be written: {error.strerror}") from None
    say(source, f"wrote {' and '.join(str(folder / name) for name in files)}")
    return status(source, done)


def _folder(name: str) -> Path:
    """The folder, made if need be: that it cannot be written is known before anything is run."""
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClaimError(f"{name}: no folder can be made there: {error.strerror}; name another") from None
    if not os.access(folder, os.W_OK):
        raise ClaimError(f"{name}: cannot be written to; name another folder")
    return folder


def _today() -> str:
    """The date, or the one that reproducible builds are told."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(told), UTC) if told.isdigit() else datetime.now(UTC)
    return f"{now.day} {now:%B %Y}"
