"""Claims on a worker of a cluster: each is checked by a *deputy*, a process of the worker's own.

A worker is anybody's Python with several threads and random hashing.  A deputy is a new interpreter with
fixed hashing and one thread for linear algebra, like the workers of :mod:`verify.running.parallel`; it has
loaded the claims of one run, is told a label, and answers.  Between two claims of a run it is kept, for a
while.  It ends when its worker ends, and is ended when nobody waits for its claim any more.

A deputy checks nothing before it has compared versions and sources with those of who asks: what was found
by other code would be the result of other claims.  Files of the user's are sent along with the work.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from verify.claims import ClaimSet
from verify.console import RARELY
from verify.errors import UserError
from verify.progress import listening
from verify.running.fingerprints import Fingerprints, versions
from verify.running.loading import load_claims
from verify.running.parallel import ENVIRONMENT, TICK, Job, Task
from verify.running.results import Result
from verify.source import Source

_REST = 60.0  # seconds for which a deputy without work is kept
_BEGIN = "import sys; sys.path[:] = sys.argv[2:]; from {0} import serve; serve(int(sys.argv[1]))"


@dataclass(frozen=True)
class Errand:
    """What a deputy must have to check claims of one run."""

    run: str  # a name that no other run has
    job: Job
    versions: Mapping[str, str]  # with which the results are to be made
    files: Mapping[str, bytes]  # the user's, by their places in the folder of the source


@dataclass(frozen=True)
class Reply:
    """What was found; ``same``: the sources were the right ones afterwards, too."""

    result: Mapping[str, Any]
    same: bool


@dataclass(frozen=True)
class Stranger:
    """Not checked: the versions or the sources here are others."""

    versions: Mapping[str, str]
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Unable:
    """Not checked: the claims cannot be loaded here."""

    why: str


Answer = Reply | Stranger | Unable


# --- in the worker ---------------------------------------------------------------------------

_resting: dict[str, list[_Deputy]] = {}  # by run
_lock = threading.Lock()


def check(errand: Errand, task: Task) -> tuple[str, Answer | None]:
    """The worker's address, and what its deputy answers; nothing if nobody waits for it any more."""
    worker = import_module("distributed").get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        known = worker.state.tasks.get(key)
        return known is not None and known.state == "executing"

    def tell(part: float) -> None:
        worker.log_event(errand.run, [task.label, part])

    tell(0.0)
    deputy = _hired(errand)
    answer = deputy.answer(task, tell, wanted)
    if deputy.process.poll() is None:
        deputy.rest()
    return str(worker.address), answer


def _hired(errand: Errand) -> _Deputy:
    """A deputy of this run that is free, or a new one."""
    with _lock:
        while resting := _resting.get(errand.run):
            deputy = resting.pop()
            if deputy.process.poll() is None:
                return deputy
    return _Deputy(errand)


class _Deputy:
    """A process, and this end of the pipe to it."""

    def __init__(self, errand: Errand) -> None:
        self._run = errand.run
        self._connection, theirs = Pipe()
        handle = theirs.fileno()
        command = [sys.executable, "-c", _BEGIN.format(__name__), str(handle), *sys.path]
        self.process = subprocess.Popen(
            command,
            env={**os.environ, **ENVIRONMENT},
            pass_fds=[handle],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()  # so that the end of the deputy is the end of the pipe
        with contextlib.suppress(OSError):  # one that has just died is noticed by its answer
            self._connection.send(errand)

    def answer(self, task: Task, tell: Callable[[float], None], wanted: Callable[[], bool]) -> Answer | None:
        """What it found, or how it died; nothing, and no deputy, if it is not ``wanted`` any more."""
        try:
            self._connection.send(task)
            while True:
                while not self._connection.poll(TICK):
                    if not wanted():
                        self.dismiss()
                        return None
                said = self._connection.recv()
                if not isinstance(said, float):
                    return said  # type: ignore[no-any-return]
                tell(said)
        except (EOFError, OSError):
            how = f"its process died (exit status {self.process.wait()})"
            return Reply(Result.failed(task.label, "worker", how).to_json(), False)

    def rest(self) -> None:
        """Wait for the next claim of the run, but not for ever."""
        with _lock:
            _resting.setdefault(self._run, []).append(self)
        timer = threading.Timer(_REST, self._retire, [])
        timer.daemon = True
        timer.start()

    def _retire(self) -> None:
        with _lock:
            resting = _resting.get(self._run, [])
            if self not in resting:
                return
            resting.remove(self)
            if not resting:
                del _resting[self._run]
        self.dismiss()

    def dismiss(self) -> None:
        """No more claims: it has nothing to put away."""
        self._connection.close()
        self.process.kill()
        self.process.wait()


# --- in the deputy ---------------------------------------------------------------------------


def serve(handle: int) -> None:
    """The life of a deputy."""
    os.dup2(2, 1)  # a check that prints must not disturb anybody
    gc.set_threshold(RARELY)
    connection: Connection[Any, Any] = Connection(handle)
    tasks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_hear, args=(connection, tasks), daemon=True).start()
    errand: Errand = tasks.get()
    with TemporaryDirectory(prefix="claims-") as folder, listening(connection.send):
        job = replace(errand.job, source=_unpacked(errand, Path(folder)))
        claims: ClaimSet | Answer | None = None
        while True:
            task: Task = tasks.get()
            if not isinstance(claims, ClaimSet):
                claims = _loaded(errand, job)
            found = claims if not isinstance(claims, ClaimSet) else _checked(job, task, claims)
            connection.send(_as_there(found, folder, errand.job.source))


def _hear(connection: Connection[Any, Any], tasks: SimpleQueue[Any]) -> None:
    """Pass on what the worker says; when it is gone there is no more to do."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            tasks.put(connection.recv())
    os._exit(1)


def _unpacked(errand: Errand, folder: Path) -> Source:
    """The source, with the user's files where they are now."""
    for name, content in errand.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    source = errand.job.source

    def place(path: str) -> str:
        name = Path(path).name
        return str(folder / name) if name in errand.files else path

    return replace(source, file=place(source.file), subject=source.subject and place(source.subject))


def _loaded(errand: Errand, job: Job) -> ClaimSet | Answer:
    if versions() != errand.versions:
        return Stranger(versions(), {})
    try:
        return load_claims(job.source, job.places)
    except UserError as error:
        return Unable(str(error))


def _checked(job: Job, task: Task, claims: ClaimSet) -> Answer:
    prints = Fingerprints(job.source)
    if task.label not in claims:
        return Unable(f"there is no claim {task.label}")
    if prints.ground(claims[task.label]) != task.ground:
        return Stranger(versions(), prints.sources_of(claims[task.label]))
    result, same = job.check(task, claims)
    return Reply(result.to_json(), same)


def _as_there(found: Answer, folder: str, source: Source) -> Answer:
    """The same with the user's folder in the place of this one, wherever a text names it."""
    if not isinstance(found, Reply) or source.folder is None:
        return found
    here, there = (json.dumps(str(path))[1:-1] for path in (folder, source.folder))
    return replace(found, result=json.loads(json.dumps(found.result).replace(here, there)))
