"""Claims on all cores, with the results of one core.

A worker process loads those claims that take part, is told a label, and sends back the result; it keeps
the result on disk before it answers, so that nothing established is lost if the run is killed.  Workers
are started afresh (not forked) with fixed hashing and one thread for linear algebra: what a check
finds depends neither on the number of workers nor on the order in which they work.

A worker that dies (out of memory, a crash in compiled code) is a failed check of the claim it had.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic

from verify.claims import ClaimSet, Effort
from verify.console import RARELY
from verify.progress import listening, rest
from verify.running.cache import Cache
from verify.running.engine import run_claim
from verify.running.fingerprints import Fingerprints
from verify.running.inputs import watching
from verify.running.loading import load_claims, read_at_load
from verify.running.results import Result
from verify.source import Source
from verify.workers import end_with_parent, no_interrupt

ENVIRONMENT = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
TICK = 0.5  # seconds between two looks at the clock


@dataclass(frozen=True)
class Task:
    """One claim to check, the key to keep its result under, and what the key was made from."""

    label: str
    key: str
    ground: str


@dataclass(frozen=True)
class Job:
    """What all tasks of a run have in common."""

    source: Source
    effort: Effort
    cache: Cache | None  # None: nothing can be kept
    places: Mapping[str, str] | None = None  # the claims that take part, and their modules; None: all
    _read: list[Fingerprints] = field(default_factory=list, compare=False, repr=False)  # by this process
    _inputs: list[str] = field(default_factory=list, compare=False, repr=False)

    def check(self, task: Task, claims: ClaimSet) -> tuple[Result, bool]:
        """Check one claim; and whether the result may be kept under its key.

        A file that was edited in the meantime makes it unclear which text the result belongs to, and what it
        has read besides code is in no key.
        """
        with watching(self.source) as seen:
            result = run_claim(claims[task.label], self.effort)
        if self._read and not self._read[-1].current:
            self._read.clear()
        if not self._read:
            self._read.append(Fingerprints(self.source))
        same = self._read[-1].ground(claims[task.label]) == task.ground
        before, known = read_at_load() if self.source.file else None, self._read[-1].files
        self._inputs.extend([*seen.names(known), *(before.names(known) if before else ())])
        read = sorted(set(self._inputs))  # of other checks too: one may find what another has put somewhere
        return replace(result, read=tuple(read)), same and not read

    def finish(self, task: Task, claims: ClaimSet) -> Result:
        """Check one claim and keep the result, if it is clear what it is of."""
        result, same = self.check(task, claims)
        if self.cache is not None and same:
            self.cache.put(task.key, result)
        return result


@dataclass
class Underway:
    """A claim that is being checked, and how far it is as far as its checks say so."""

    label: str
    part: float = 0.0
    began: float = field(default_factory=monotonic)

    @property
    def left(self) -> float:
        """The seconds that are left; 0 where nothing is known."""
        return rest(self.part, monotonic() - self.began)


Watch = Callable[[Sequence[Underway]], None]  # is told, now and then, what is being checked
Stream = Generator[Result, None, None]


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_this_process(job: Job, tasks: Sequence[Task], claims: ClaimSet, watch: Watch) -> Stream:
    """One after the other, here; for debuggers and small runs."""
    for task in tasks:
        now = Underway(task.label)

        def heard(part: float, now: Underway = now) -> None:
            now.part = part
            watch([now])

        watch([now])
        with listening(heard):
            result = job.finish(task, claims)
        yield result


def in_processes(job: Job, tasks: Iterable[Task], workers: int, watch: Watch) -> Stream:
    """By worker processes, in whatever order they finish."""
    given = iter(tasks)
    pool: dict[Connection, _Worker] = {}
    free = deque(range(workers))  # the stretches of the list that nobody is at

    def start(task: Task, stretch: int) -> None:
        worker = _Worker(job, task, stretch)
        pool[worker.connection] = worker

    try:
        for task in islice(given, workers):
            start(task, free.popleft())
        waiting = _Waiting(given, workers)  # made while the workers load their claims
        while waiting or pool:
            while waiting and len(pool) < workers:
                stretch = free.popleft()
                start(waiting.next(stretch), stretch)
            watch([worker.now for worker in pool.values()])
            for connection in wait(list(pool), timeout=TICK):
                worker = pool[connection]  # type: ignore[index]  # wait() is typed for sockets too
                if (result := worker.answer()) is None:
                    continue
                yield result
                if waiting and worker.process.is_alive():
                    worker.give(waiting.next(worker.stretch))
                else:
                    pool.pop(worker.connection).dismiss()
                    free.append(worker.stretch)
    finally:
        for worker in pool.values():
            worker.dismiss()


class _Waiting:
    """The tasks that nobody has, in one stretch of the list for each worker, who helps others at its end.

    Claims that stand together use the same lemmas and settings, which a process proves and reads once.
    """

    def __init__(self, tasks: Iterable[Task], workers: int) -> None:
        every = list(tasks)
        ends = [len(every) * k // workers for k in range(workers + 1)]
        self._stretches = [deque(every[a:b]) for a, b in pairwise(ends)]

    def __bool__(self) -> bool:
        return any(self._stretches)

    def next(self, stretch: int) -> Task:
        """The next one of this stretch, or the last one of the longest."""
        own = self._stretches[stretch]
        return own.popleft() if own else max(self._stretches, key=len).pop()


class _Worker:
    """A process, the parent's end of its pipe, the claim it is at, and its stretch of the list."""

    process: BaseProcess

    def __init__(self, job: Job, task: Task, stretch: int) -> None:
        self.stretch = stretch
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, job), daemon=True)
        with environment(ENVIRONMENT), no_interrupt():
            self.process.start()
        theirs.close()  # so that the end of the worker is the end of the pipe
        self.give(task)

    def give(self, task: Task) -> None:
        """The next claim."""
        self.now = Underway(task.label)
        with contextlib.suppress(OSError):  # a worker that has just died is noticed by its answer
            self.connection.send(task)

    def answer(self) -> Result | None:
        """What the worker found, or how it died; nothing if it only says how far it is."""
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            how = f"its process died (exit status {self.process.exitcode})"
            return Result.failed(self.now.label, "worker", how)
        if isinstance(said, float):
            self.now.part = said
            return None
        return Result.from_json(said)

    def dismiss(self) -> None:
        """No more claims: the worker ends; what it found is kept, and it has nothing to put away."""
        self.connection.close()
        self.process.kill()
        self.process.join()


def _serve(connection: Connection, job: Job) -> None:
    """The life of a worker."""
    os.dup2(2, 1)  # a check that prints must not disturb the document on stdout
    gc.set_threshold(RARELY)
    end_with_parent()
    claims = load_claims(job.source, job.places)
    gc.freeze()  # claims and modules are there to the end
    with contextlib.suppress(EOFError, OSError), listening(connection.send):
        while True:
            connection.send(job.finish(connection.recv(), claims).to_json())


@contextlib.contextmanager
def environment(changes: Mapping[str, str]) -> Iterator[None]:
    """These variables for processes started inside; hashing is fixed when an interpreter starts."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
