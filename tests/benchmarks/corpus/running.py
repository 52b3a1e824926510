"""One entry, one prover, one process with a limit on its time.

A worker process is asked one entry after the other.  Its limit is CPU time, counted by the kernel and
enforced by a signal that nothing handles, so that also a hang in compiled code ends; a new worker then takes
the next entry.  A wall-clock limit, much longer, stands behind it.  What was found is kept, a line of JSON
each, under a key made of the entry, of the limit and of everything else that the answer depends on: a run
that was interrupted goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from tests.benchmarks.corpus.entries import Entry
from verify.progress import ProgressLine, clock
from verify.running.parallel import ENVIRONMENT, environment

_WALL = 8  # times the limit, for a machine that does other things too
_VERIFY = Path(__file__).parents[3] / "verify"

Answer = tuple[str, str]  # proved, refuted, open, crashed, rejected, not expressible; and why
Prover = Callable[[Entry, float], Answer]


@dataclass(frozen=True)
class Outcome:
    """What a prover said about an entry."""

    label: str
    prover: str
    answer: str
    why: str
    seconds: float  # of CPU time

    def wrong(self, truth: bool) -> bool:
        """Whether it is known to be otherwise; a certificate that is rejected is as bad."""
        return self.answer == ("refuted" if truth else "proved") or self.answer == "rejected"

    def right(self, truth: bool) -> bool:
        """Whether it is decided as it is known to be."""
        return self.answer == ("proved" if truth else "refuted")


def ours(entry: Entry, seconds: float) -> Answer:
    """Our prover in the quick profile, and the independent checker on what it wrote down."""
    from verify.claims import ClaimSet, Effort
    from verify.recheck import recheck
    from verify.running.engine import run_claim
    from verify.running.runs import Run
    from verify.running.written import document

    claim = entry.claim()
    result = run_claim(claim, Effort())
    if result.error is not None:
        return "crashed", result.error
    verdict = str(result.verdict)
    if verdict not in ("proved", "refuted"):
        return "open", f"{verdict}: {result.evidence.get('why', '')}"
    run = Run(ClaimSet([claim]), Effort(), {claim.label: result}, 0)
    complaints = recheck(json.loads(json.dumps(document(run))))
    if complaints:
        return "rejected", complaints[0]
    return verdict, str(result.evidence.get("check", ""))


def source_digest(folder: Path = _VERIFY) -> str:
    """What the answers of our prover depend on."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return total.hexdigest()[:16]


class Kept:
    """What was found before, in a file of lines."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, dict[str, Any]] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            with contextlib.suppress(ValueError, KeyError):  # the last line of a run that was killed
                data = json.loads(line)
                self._known[data.pop("key")] = data

    def get(self, key: str) -> Outcome | None:
        """The outcome under this key."""
        data = self._known.get(key)
        return None if data is None else Outcome(**data)

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep it."""
        self._known[key] = asdict(outcome)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": key, **asdict(outcome)}) + "\n")


def key_of(entry: Entry, prover: str, seconds: float, ground: str) -> str:
    """Under which an answer is kept; the truth that we hold is no part of it."""
    parts = [entry.label, entry.says, *entry.domain, entry.reals, prover, f"{seconds:g}", ground]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def run(
    entries: Sequence[Entry], name: str, prover: Prover, seconds: float, kept: Kept, ground: str
) -> dict[str, Outcome]:
    """What the prover says about each entry, with progress on stderr."""
    found = {e.label: kept.get(key_of(e, name, seconds, ground)) for e in entries}
    waiting = [e for e in entries if found[e.label] is None]
    begun, worker = monotonic(), _Worker(prover)
    with ProgressLine(name) as line, contextlib.closing(worker):
        for number, entry in enumerate(waiting):
            left = (monotonic() - begun) / number * (len(waiting) - number) if number else 0.0
            line.tell(f"{len(found) - len(waiting) + number} of {len(found)}", f", at {entry.label}", left)
            outcome = worker.ask(entry, name, seconds)
            kept.put(key_of(entry, name, seconds, ground), outcome)
            found[entry.label] = outcome
    return {label: outcome for label, outcome in found.items() if outcome is not None}


class _Worker:
    """A process that answers; started when it is needed, and again after it was ended."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._process: Any = None
        self._pipe: Any = None

    def ask(self, entry: Entry, name: str, seconds: float) -> Outcome:
        """The prover's answer, or that it took too long or died."""
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self._prover), daemon=True)
            with environment(ENVIRONMENT):  # so that the prover finds the same as in a run, in the same time
                self._process.start()
            theirs.close()
        with contextlib.suppress(OSError):
            self._pipe.send((entry, seconds))
        try:
            if not self._pipe.poll(_WALL * seconds + 60):
                self.close()
                return Outcome(entry.label, name, "open", f"stopped after {clock(_WALL * seconds)}", seconds)
            answer, why, taken = self._pipe.recv()
            return Outcome(entry.label, name, answer, why, taken)
        except (EOFError, OSError):
            self._process.join()
            status = self._process.exitcode
            self.close()
            if status == -signal.SIGPROF:
                return Outcome(entry.label, name, "open", f"stopped after {seconds:g} s of CPU time", seconds)
            return Outcome(entry.label, name, "crashed", f"its process died (exit status {status})", 0.0)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = None


def _serve(pipe: Connection, prover: Prover) -> None:
    """The life of a worker."""
    os.dup2(2, 1)  # what a prover prints is no answer
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            entry, seconds = pipe.recv()
            began = _cpu()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                answer, why = prover(entry, seconds)
            except Exception as error:  # a crash of one entry is an answer
                answer, why = "crashed", " ".join(f"{type(error).__name__}: {error}".split())
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send((answer, why, round(_cpu() - began, 3)))


def _cpu() -> float:
    """CPU time of this process and of the children that it waited for."""
    times = os.times()
    return process_time() + times.children_user + times.children_system
