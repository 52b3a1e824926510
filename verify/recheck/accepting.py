"""What a run may print as proved: the fresh process that reads the written claims, and what it accepted.

Whoever ran the checks writes one line of JSON for each claim; this process knows nothing else.  It answers
with one line for each claim that it has looked at, and one at the end.  What it accepts it keeps, under the
digest of the claim's line, of its setting, of the claims that it names and of the text of this package:
where one of these is another one, nothing is kept.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import platform
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import lru_cache
from graphlib import TopologicalSorter
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TextIO

import mpmath

from verify.recheck.documents import HOWS, Document, Found, settled, tally
from verify.recheck.intervals import UnknownError
from verify.recheck.witnesses import FAILURES, reason
from verify.recheck.work import TooLongError, limited

_LOOK = 0.5  # seconds between two looks at who waits
_VOLATILE = ("seconds", "slack")  # of a claim: nothing that a proof depends on


@lru_cache(maxsize=1)
def checker() -> str:
    """The digest of this package, and of what it computes with."""
    here = Path(__file__).parent
    files = {str(file.relative_to(here)): file.read_bytes() for file in sorted(here.rglob("*.py"))}
    parts = [platform.python_version(), mpmath.__version__, *(f"{k} {_digest(v)}" for k, v in files.items())]
    return _digest("\n".join(parts).encode())


def keys(claims: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any]) -> dict[str, str]:
    """By label, the digest of all that the acceptance of a claim depends on; of those with all they use."""
    written = {name: _digest(json.dumps(setting).encode()) for name, setting in settings.items()}
    found: dict[str, str] = {}
    for label in TopologicalSorter({k: claim["uses"] for k, claim in claims.items()}).static_order():
        if (claim := claims.get(label)) is not None and all(used in found for used in claim["uses"]):
            text = json.dumps({k: v for k, v in claim.items() if k not in _VOLATILE})
            below = [found[used] for used in claim["uses"]]
            parts = [checker(), written.get(claim["setting"], ""), *below, text]
            found[label] = _digest("\n".join(parts).encode())
    return found


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


class Acceptances:
    """What was accepted, one small file each; losing them loses time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "accepted"

    def get(self, key: str) -> str | None:
        """How the claim of this key was proved, if it was accepted."""
        try:
            kept = json.loads((self._folder / key).read_text(encoding="utf-8"))
            how = kept["how"]
            return str(how) if how in HOWS and kept["sha256"] == _digest(f"{key} {how}".encode()) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, key: str, how: str) -> None:
        """Keep it, at once and as a whole."""
        temporary = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self._folder, suffix=".tmp", delete=False) as file:
                temporary = file.name
                json.dump({"how": how, "sha256": _digest(f"{key} {how}".encode())}, file)
            os.replace(temporary, self._folder / key)
        except OSError:  # a full disk, say: it is checked again next time
            if temporary is not None:
                with suppress(OSError):
                    os.unlink(temporary)


_document: list[Document] = []  # of this process, and of those that it forks
_limit: list[int] = []


def _own(label: str) -> Found:
    """One claim by itself; what takes too long is not accepted."""
    try:
        with limited(_limit[0]):
            return _document[0].own(label, run=False)
    except TooLongError as error:
        return Found("nothing", (f"{label}: {error}",))
    except (*FAILURES, MemoryError) as error:
        return Found("nothing", (f"{label}: {reason(error)}",))


def _each(labels: Sequence[str], workers: int) -> Iterator[tuple[str, Found]]:
    """All of them, in whatever order they are finished."""
    if workers < 2 or len(labels) < 2 or not hasattr(os, "fork"):
        for label in labels:
            yield label, _own(label)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        tasks = {pool.submit(_own, label): label for label in labels}
        for task in as_completed(tasks):
            try:
                yield tasks[task], task.result()
            except BrokenProcessPool:
                yield tasks[task], Found("nothing", (f"{tasks[task]}: the process that checked it died",))


def serve(lines: TextIO, say: TextIO) -> None:
    """Read a run, check what is asked for, and answer."""

    def tell(**what: Any) -> None:
        say.write(json.dumps(what) + "\n")
        say.flush()

    header = json.loads(lines.readline())
    try:
        if header["checker"] != checker():
            raise UnknownError(f"another copy of the checker is in {Path(__file__).parent}; install one only")
        rows = [json.loads(lines.readline()) for _ in range(header["count"])]
        document = Document({**header["document"], "claims": rows})
    except (*FAILURES, MemoryError) as error:
        tell(refused=reason(error))
        return
    gc.freeze()
    _document[:], _limit[:] = [document], [header["limit"]]
    found = {label: Found(how, ()) for label, how in header["kept"].items()}
    for label, one in _each(header["check"], header["workers"]):
        found[label] = one
        tell(label=label)
    final = settled(document, found)
    if header["folder"] is not None:
        names, kept = keys(document.claims, document.settings), Acceptances(Path(header["folder"]))
        for label in header["check"]:
            if not final[label].complaints:
                kept.put(names[label], final[label].how)
    complaints = {label: list(one.complaints) for label, one in final.items() if one.complaints}
    tell(complaints=complaints, tally=tally(final.values()))


def _end_with(parent: int) -> None:
    """End this process, and those that it has forked, when nobody waits for them any more."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main(parent: int) -> None:
    """The life of the fresh process, for as long as its parent lives."""
    threading.Thread(target=_end_with, args=[parent], daemon=True).start()
    serve(sys.stdin, sys.stdout)
