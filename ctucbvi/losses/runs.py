"""Independent runs of CT-UCBVI with everything tallied, in blocks that any process may compute.

A block goes on from where the one before ended: the learner from its snapshot, the sums from their values.
The episodes are those that a regret study of the same seed plays, bit for bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ctucbvi.errors import InputError
from ctucbvi.losses.tally import Sums, Tally
from ctucbvi.study.driver import LostWorkerError
from ctucbvi.study.plan import Place, Study
from ctucbvi.study.pools import pool
from ctucbvi.study.shards import RunState
from ctucbvi.study.work import Account, piece_of

if TYPE_CHECKING:
    from ctucbvi.numeric.learner import FastLearner

BLOCK = 100_000  # episodes: some seconds of work
Progress = Callable[[int, int], None]  # (episodes done, wanted)


@dataclass(frozen=True)
class Run:
    """Where one run is: what it earned, and what was added up along its episodes."""

    number: int
    state: RunState = field(default_factory=RunState)
    sums: Sums | None = None  # None: not begun


def tally_runs(
    study: Study, runs: int, *, workers: int = 1, block: int = BLOCK, progress: Progress | None = None
) -> tuple[Run, ...]:
    """Play ``runs`` runs of the first contestant of ``study``, which is CT-UCBVI, and tally them."""
    for what, number in (("runs", runs), ("workers", workers), ("block", block)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError(f"{what}: {number!r} is not a whole number of at least 1; write one")
    found = {number: Run(number) for number in range(runs)}
    wanted = study.settings.episodes * runs

    def report(run: Run) -> None:
        found[run.number] = run
        if progress is not None:
            progress(sum(each.state.episode for each in found.values()), wanted)

    with pool(min(workers, runs), None) as (executor, width):
        _play(study, deque(found.values()), block, executor, width or runs, report)
    return tuple(found[number] for number in range(runs))


def _play(
    study: Study,
    waiting: deque[Run],
    block: int,
    executor: Executor,
    width: int,
    report: Callable[[Run], None],
) -> None:
    """Keep ``width`` blocks under way until all runs are complete."""
    running: set[Future[Run]] = set()
    while waiting or running:
        while waiting and len(running) < width:
            run = waiting.popleft()
            until = min(run.state.episode + block, study.settings.episodes)
            running.add(executor.submit(advance, study, run, until))
        finished, running = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            try:
                run = future.result()
            except BrokenProcessPool:
                raise LostWorkerError("a worker process died; start again, with fewer --workers") from None
            report(run)
            if run.state.episode < study.settings.episodes:
                waiting.appendleft(run)


def advance(study: Study, run: Run, until: int) -> Run:
    """Play and tally up to episode ``until``."""
    contestant = study.contestants[0]
    place = Place(study.model, study.settings, study.seed, run.number, study.initial)
    learner = cast("FastLearner", contestant.make(place, contestant.steps, run.state.snapshot))
    account = Account(study, contestant, run.state)
    tally = Tally(
        study.model, study.settings, steps=contestant.steps, initial=dict(study.initial), sums=run.sums
    )
    piece = piece_of(study, contestant)
    while account.episode < until:
        stretch, visits = learner.recorded(min(piece, until - account.episode))
        account.add(stretch)
        tally.add(visits)
    state = RunState(
        account.episode, account.earned, tuple(account.curve), account.planned, 0.0, learner.snapshot()
    )
    return Run(run.number, state, tally.sums)
