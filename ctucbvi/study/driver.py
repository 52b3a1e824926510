"""Running a study: hand out blocks, save what comes back, go on.

Each run is a chain of blocks, since a learner cannot play an episode before the one before it.
Chains are independent.  As many are under way as there are workers; when a block comes back its
run's file is replaced and the next block of the same run is handed out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.numbers import count
from ctucbvi.study.blocks import Block, Done, Observer, work
from ctucbvi.study.plan import Study, made_by
from ctucbvi.study.pools import pool
from ctucbvi.study.shards import Folder, RunState
from verify.clusters import GoneError

BLOCK = 250_000  # episodes: some seconds of work
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


def run_study(
    study: Study,
    runs: int,
    *,
    workers: int = 1,
    cluster: str | None = None,
    folder: Path | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
    observer: type[Observer] | None = None,
) -> StudyRuns:
    """Run every contestant ``runs`` times, or what is left of that.

    With a ``folder``, finished blocks are kept there and the same call goes on from them.  An ``observer``
    is given the episodes of every run, a new one for each block.
    """
    for what, number in (("runs", runs), ("workers", workers), ("block", block)):
        count(number, what)
    with Folder(study, folder, "regret" if observer is None else observer.kind) as files:
        chains = _Chains(study, runs, files, block, progress, observer)
        if tasks := chains.waiting():
            try:
                with pool(min(workers, len(tasks)), cluster) as (executor, width):
                    _play(chains, deque(tasks), executor, width or len(tasks))
            except GoneError as error:
                raise LostWorkerError(f"{error}{_kept(folder)}") from None
        return chains.outcome()


def _kept(folder: Path | None) -> str:
    if folder is None:
        return ", and nothing is kept without --out DIR: start again"
    return f"; what was finished is in {folder}, and the same command goes on from there"


def _play(chains: _Chains, tasks: deque[Block], executor: Executor, width: int) -> None:
    """Keep ``width`` blocks under way until none is left."""
    running: set[Future[Done]] = set()
    while tasks or running:
        while tasks and len(running) < width:
            running.add(executor.submit(work, tasks.popleft()))
        finished, running = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            following = chains.accept(_checked(future.result()))
            if following is not None:
                tasks.appendleft(following)  # a run that has begun goes on first


class _Chains:
    """Where all runs are."""

    def __init__(
        self,
        study: Study,
        runs: int,
        files: Folder,
        block: int,
        progress: Progress | None,
        observer: type[Observer] | None,
    ) -> None:
        self._study, self._files, self._block, self._progress = study, files, block, progress
        self._count, self._observer = runs, observer
        self._states = {
            (c.name, run): files.load(c.name, run) for c in study.contestants for run in range(runs)
        }
        self._wanted = study.settings.episodes * len(self._states)
        self._found = self._done = sum(state.episode for state in self._states.values())

    def waiting(self) -> list[Block]:
        """The next block of every run that is not complete."""
        self._report()
        tasks = (self._next(key) for key in self._states)
        return [task for task in tasks if task is not None]

    def accept(self, result: Done) -> Block | None:
        """Save what a block has come to; the next block of the same run, if there is one."""
        key = result.name, result.run
        self._done += result.state.episode - self._states[key].episode
        self._states[key] = result.state
        self._files.save(*key, result.state)
        self._report()
        return self._next(key)

    def outcome(self) -> StudyRuns:
        """The complete study."""
        runs = {
            c.name: tuple(self._states[c.name, run] for run in range(self._count))
            for c in self._study.contestants
        }
        return StudyRuns(self._study, runs, self._found)

    def _next(self, key: tuple[str, int]) -> Block | None:
        name, run = key
        state, last = self._states[key], self._study.settings.episodes
        if state.episode == last:
            return None
        until = min(state.episode + self._block, last)
        return Block(self._study, name, run, state, until, self._observer)

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self._found, self._done, self._wanted)


def _checked(result: Done) -> Done:
    here, there = dict(made_by()), dict(result.made_by)
    if here != there:
        raise InputError(
            f"a worker has other versions or other code ({there}) than this machine ({here}); make them the "
            "same, or the result would depend on who computed what"
        )
    return result
