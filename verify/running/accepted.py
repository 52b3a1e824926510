"""What is printed as proved: what a fresh process accepts of the written document, and nothing else.

The checks of a claim, the provers and the author's file run here and may say what they like.  The document
is written line by line to a new interpreter, which reads it with the code of :mod:`verify.recheck` alone.  A
claim that it refuses is undecided, and the complaint is shown.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import mpmath

import verify
from verify.claims import Verdict
from verify.errors import UserError
from verify.recheck.accepting import Acceptances, checker, keys
from verify.recheck.documents import Found, tally
from verify.running.results import Result

_PROVED = ("formula", "rests")  # evidence that says that a part is proved, and on what a proof rests
_LIMITS = {"quick": 5_000_000, "thorough": 500_000_000}  # units of work of the checker, for one claim
_PLACES = "import sys; sys.path[:] = [{0!r}, *sys.path, {1!r}]; "  # this package, and where mpmath is
_BEGIN = _PLACES + "from verify.recheck.accepting import main; main({2})"


class CheckerError(UserError):
    """The fresh process did not answer."""


@dataclass(frozen=True)
class Accepted:
    """What the fresh process said of a run."""

    results: Mapping[str, Result]
    tally: str = ""  # how many claims are proved by what
    kept: int = 0  # claims that were accepted before


def accepted(
    data: Mapping[str, Any],
    results: Mapping[str, Result],
    *,
    folder: Path | None,
    kept: bool,
    workers: int,
    tell: Callable[[int, int], None],
) -> Accepted:
    """The results of a written run, as far as they are accepted; ``folder``: where acceptances are kept.

    ``kept``: earlier ones count.  ``tell`` hears how many claims of how many were looked at.
    """
    rows = {row["label"]: row for row in data["claims"]}
    asked = [label for label, row in rows.items() if claiming(row)]
    if not asked:
        return Accepted(results)
    before = known(rows, data["settings"], asked, folder) if kept and folder is not None else {}
    rest = [label for label in asked if label not in before]
    if not rest:
        return Accepted(results, tally(Found(how, ()) for how in before.values()), len(before))
    lines = {label: json.dumps(row) for label, row in rows.items()}
    header = {
        "count": len(rows),
        "checker": checker(),
        "document": {key: value for key, value in data.items() if key != "claims"},
        "check": sorted(rest, key=lambda label: -len(lines[label])),  # the longest first
        "kept": before,
        "folder": None if folder is None else str(folder),
        "limit": _LIMITS[data["profile"]],
        "workers": workers,
    }
    said = _asked(header, list(lines.values()), lambda done: tell(done, len(rest)))
    complaints = {label: [said["refused"]] for label in rest} if "refused" in said else said["complaints"]
    final = {
        label: _refused(one, complaints[label]) if label in complaints else one
        for label, one in results.items()
    }
    return Accepted(final, said.get("tally", ""), len(before))


def claiming(row: Mapping[str, Any]) -> bool:
    """Whether a claim is said to be what only the checker can say."""
    part = row["proof"] or row["evidence"].get("formula") == str(Verdict.PROVED)
    return bool(part) or row["verdict"] in (Verdict.PROVED, Verdict.PROVED_ON_BOX, Verdict.REFUTED)


def known(
    rows: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], labels: list[str], folder: Path
) -> dict[str, str]:
    """How those of the claims that were accepted before are proved."""
    names, kept = keys(rows, settings), Acceptances(folder)
    found = {label: kept.get(names[label]) for label in labels if label in names}
    return {label: how for label, how in found.items() if how is not None}


def _refused(result: Result, complaints: list[str]) -> Result:
    """What is claimed and not accepted decides nothing."""
    shown = {} if result.witness is None else {"point": result.witness.get("point")}
    told = {key: value for key, value in result.evidence.items() if key not in _PROVED}
    evidence = {**told, "rejected": complaints[:3], "claimed": str(result.verdict), **shown}
    return replace(result, verdict=Verdict.UNDECIDED, evidence=evidence, witness=None, slack=None)


def _asked(header: Mapping[str, Any], lines: list[str], tell: Callable[[int], None]) -> dict[str, Any]:
    """What a fresh process answers in the end."""
    ours, theirs = (str(Path(str(module.__file__)).parents[1]) for module in (verify, mpmath))
    command = [sys.executable, "-I", "-c", _BEGIN.format(ours, theirs, os.getpid())]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        tell(0)
        with contextlib.suppress(BrokenPipeError):  # it has died, which its silence tells
            _write(process.stdin, [json.dumps(header), *lines])
        for done, line in enumerate(process.stdout, start=1):
            said: dict[str, Any] = json.loads(line)
            if "complaints" in said or "refused" in said:
                return said
            tell(done)
    finally:
        _end(process)
    status = process.returncode
    raise CheckerError(f"the process that checks the proofs ended without an answer (exit status {status})")


def _write(stream: IO[str], lines: list[str]) -> None:
    stream.writelines(f"{line}\n" for line in lines)
    stream.close()


def _end(process: subprocess.Popen[str]) -> None:
    """It and all that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
