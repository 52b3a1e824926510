"""Running studies: hand out blocks, save what comes back, go on.

Each run is a chain of blocks, since a learner cannot play an episode before the one before it.  Chains are
independent, those of one study and of many.  When a block comes back its run's file is replaced and the next
block of the same run waits to be handed out.

**Which block is next**: that of the run with the most work ahead, by the seconds per episode of its study so
far; a study of which nothing is known comes first, the one with most episodes times pairs before others.  No
chain can be shortened by more workers, so that the
longest must not be begun last: with fewer workers than chains this ends when all of them are nearly done.

**How long a block is** makes no difference to any result.  Unless told otherwise it ends after some seconds:
who hands out the blocks and saves what comes back can do only so many of them per second.  Whoever plays it
looks at the clock, so that nothing has to be known of a study before its first block is long enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush, heapreplace
from math import inf
from pathlib import Path

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.numbers import count
from ctucbvi.study.blocks import Block, Done, Observer, work
from ctucbvi.study.plan import Study, made_by
from ctucbvi.study.pools import Submit, pool
from ctucbvi.study.shards import Folder, RunState, locked
from verify.clusters import GoneError

SECONDS = 10.0  # of work of a block: seldom enough to save and to hand out, often enough to lose
_SAVERS = 16  # threads that wait for the disk
_UNKNOWN = 1e9  # seconds: no run is known to take that long
Progress = Callable[[int, int, int], None]  # (episodes found on disk, done, wanted)


class LostWorkerError(UndecidedError):
    """Who did the work is gone; the message says who, and what is kept."""


@dataclass(frozen=True)
class StudyRuns:
    """All runs of a study, complete."""

    study: Study
    runs: dict[str, tuple[RunState, ...]]  # by contestant, then run
    resumed: int  # episodes that were found on disk

    def __repr__(self) -> str:
        count = max((len(runs) for runs in self.runs.values()), default=0)
        found = f"{', '.join(self.runs)}; {count} runs of {self.study.settings.episodes} episodes"
        return f"StudyRuns({self.study.model.name!r}: {found})"


@dataclass(frozen=True)
class Assignment:
    """A study, how many runs of it, and where its files are kept."""

    study: Study
    runs: int
    folder: Path | None = None


@dataclass(frozen=True)
class Standing:
    """How far the runs of some studies are."""

    found: int  # episodes that were on disk
    done: int  # episodes that are done now
    wanted: int
    spent: float  # seconds of work since the beginning, of all workers together
    ahead: float  # seconds of work left, at the speed of each study so far

    @property
    def part(self) -> float:
        """The part of the work since the beginning that is done; 0 where nothing is known."""
        return self.spent / (self.spent + self.ahead) if self.spent and self.ahead < inf else 0.0


def run_study(
    study: Study,
    runs: int,
    *,
    workers: int = 1,
    cluster: str | None = None,
    folder: Path | None = None,
    block: int | None = None,
    progress: Progress | None = None,
    observer: type[Observer] | None = None,
) -> StudyRuns:
    """Run every contestant ``runs`` times, or what is left of that.

    With a ``folder``, finished blocks are kept there and the same call goes on from them.  An ``observer``
    is given the episodes of every run, a new one for each block.  Blocks have ``block`` episodes, or as many
    as take some seconds.
    """

    def watch(now: Standing) -> None:
        if progress is not None:
            progress(now.found, now.done, now.wanted)

    (outcome,) = run_studies(
        [Assignment(study, runs, folder)],
        workers=workers,
        cluster=cluster,
        folder=folder,
        block=block,
        watch=watch,
        observer=observer,
    )
    return outcome


def run_studies(
    asked: Sequence[Assignment],
    *,
    workers: int = 1,
    cluster: str | None = None,
    folder: Path | None = None,
    block: int | None = None,
    watch: Callable[[Standing], None] | None = None,
    observer: type[Observer] | None = None,
) -> list[StudyRuns]:
    """Run all that is asked for, or what is left of that, with one queue for all of it.

    The ``folder`` is locked meanwhile; those of the assignments are it, or in it.
    """
    count(workers, "workers")
    if block is not None:
        count(block, "block")
    for one in asked:
        count(one.runs, "runs")
    lock = None if folder is None else locked(folder)
    try:
        every = [_Chains(one, block, observer) for one in asked]
        _run(every, workers, cluster, watch or (lambda _: None))
    except GoneError as error:
        raise LostWorkerError(f"{error}{_kept(folder)}") from None
    finally:
        if lock is not None:
            lock.close()
    return [chains.outcome() for chains in every]


def _kept(folder: Path | None) -> str:
    if folder is None:
        return ", and nothing is kept without --out DIR: start again"
    return f"; what was finished is in {folder}, and the same command goes on from there"


def _run(
    every: Sequence[_Chains], workers: int, cluster: str | None, watch: Callable[[Standing], None]
) -> None:
    """Keep all workers busy until nothing is left."""
    queue = _Queue((chains, key) for chains in every for key in chains.open())
    watch(_standing(every))
    if not queue:
        return
    with _Saver() as saver, pool(min(workers, len(queue)), cluster) as (submit, width):
        running: dict[Future[Done], _Chains] = {}
        while queue or running:
            while queue and (width is None or len(running) < width):
                future, chains = queue.submit(submit)
                running[future] = chains
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                chains = running.pop(future)
                key = chains.accept(_checked(future.result()), saver)
                if not chains.complete(key):
                    queue.add(chains, key)
                watch(_standing(every))


class _Saver:
    """Saves in threads, since a save waits for the disk; when it is left, all of them are done."""

    def __enter__(self) -> _Saver:
        self._threads = ThreadPoolExecutor(_SAVERS)
        self._last: dict[object, Future[None]] = {}
        self._wrong: list[BaseException] = []
        return self

    def save(self, what: object, save: Callable[[], None]) -> None:
        """Save something, after what was saved of it before; what went wrong with any is raised."""
        if (before := self._last.get(what)) is not None:
            wait([before])
        self._complain()
        self._last[what] = self._threads.submit(save)
        self._last[what].add_done_callback(self._done)

    def __exit__(self, kind: object, *_: object) -> None:
        self._threads.shutdown()
        if kind is None:
            self._complain()

    def _done(self, future: Future[None]) -> None:
        if (error := future.exception()) is not None:
            self._wrong.append(error)

    def _complain(self) -> None:
        if self._wrong:
            raise self._wrong[0]


def _standing(every: Sequence[_Chains]) -> Standing:
    known = [chains.pace for chains in every if chains.pace is not None]
    pace = sum(known) / len(known) if known else inf  # of those that are not known
    ahead = 0.0
    for chains in every:
        if left := chains.wanted - chains.done:
            ahead += left * (pace if chains.pace is None else chains.pace)
    return Standing(
        found=sum(chains.found for chains in every),
        done=sum(chains.done for chains in every),
        wanted=sum(chains.wanted for chains in every),
        spent=sum(chains.spent for chains in every),
        ahead=ahead,
    )


Key = tuple[str, int]  # of a chain: contestant and run


class _Queue:
    """Chains that wait, the one with the most work ahead first; of equals, the first that came."""

    def __init__(self, waiting: Iterable[tuple[_Chains, Key]]) -> None:
        self._heap = [(-chains.ahead(key), i, chains, key) for i, (chains, key) in enumerate(waiting)]
        self._added = len(self._heap)
        heapify(self._heap)

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, chains: _Chains, key: Key) -> None:
        """A chain that waits again."""
        heappush(self._heap, (-chains.ahead(key), self._added, chains, key))
        self._added += 1

    def submit(self, submit: Submit) -> tuple[Future[Done], _Chains]:
        """Hand out the next block."""
        while True:
            place, number, chains, key = self._heap[0]
            if (now := -chains.ahead(key)) <= place:
                break
            heapreplace(self._heap, (now, number, chains, key))  # its study is known by now
        heappop(self._heap)
        return submit(work, chains.next(key), -place), chains


class _Chains:
    """Where all runs of one study are."""

    def __init__(self, asked: Assignment, block: int | None, observer: type[Observer] | None) -> None:
        study = self._study = asked.study
        self._files = Folder(study, asked.folder, "regret" if observer is None else observer.kind).open()
        self._block, self._count, self._observer = block, asked.runs, observer
        self._states = {
            (c.name, run): self._files.load(c.name, run)
            for c in study.contestants
            for run in range(asked.runs)
        }
        self._last = study.settings.episodes
        self.wanted = self._last * len(self._states)
        self.found = self.done = sum(state.episode for state in self._states.values())
        self._before = self._seconds = sum(state.seconds for state in self._states.values())

    @property
    def spent(self) -> float:
        """Seconds of work since the beginning."""
        return self._seconds - self._before

    @property
    def pace(self) -> float | None:
        """Seconds per episode so far, if there are any."""
        return self._seconds / self.done if self.done else None

    def open(self) -> list[Key]:
        """The runs that are not complete."""
        return [key for key in self._states if not self.complete(key)]

    def complete(self, key: Key) -> bool:
        """Whether a run is."""
        return self._states[key].episode == self._last

    def ahead(self, key: Key) -> float:
        """Seconds of work left of a run; as long as nothing is known, more, and in the order of a guess."""
        left = self._last - self._states[key].episode
        if self.pace is None:
            return _UNKNOWN * (1 + left * len(self._study.model.transitions))
        return left * self.pace

    def next(self, key: Key) -> Block:
        """The next block of a run that is not complete."""
        name, run = key
        state = self._states[key]
        # Nobody's first run is on disk without that, and so no complete study is.
        check = self._study.contestant(name).foreign and run == 0 and state.episode == 0
        if self._block is None:
            return Block(self._study, name, run, state, self._last, self._observer, SECONDS, check)
        until = min(state.episode + self._block, self._last)
        return Block(self._study, name, run, state, until, self._observer, check=check)

    def accept(self, result: Done, saver: _Saver) -> Key:
        """Save what a block has come to; the run that it was of."""
        key = result.name, result.run
        played = result.state.episode - self._states[key].episode
        seconds = result.state.seconds - self._states[key].seconds
        self.done, self._seconds = self.done + played, self._seconds + seconds
        self._states[key] = result.state
        saver.save((id(self), *key), partial(self._files.save, *key, result.state))
        return key

    def outcome(self) -> StudyRuns:
        """The complete study."""
        runs = {
            c.name: tuple(self._states[c.name, run] for run in range(self._count))
            for c in self._study.contestants
        }
        return StudyRuns(self._study, runs, self.found)


def _checked(result: Done) -> Done:
    here, there = dict(made_by()), dict(result.made_by)
    if here != there:
        raise InputError(
            f"a worker has other versions or other code ({there}) than this machine ({here}); make them the "
            "same, or the result would depend on who computed what"
        )
    return result
