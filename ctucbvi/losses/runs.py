"""Independent runs of CT-UCBVI with everything tallied, in blocks that any process may compute.

A block goes on from where the one before ended: the learner from its snapshot, the sums from their values.
The episodes are those that a regret study of the same seed plays, bit for bit, and the blocks are handed out,
kept and resumed as those of a regret study are (:mod:`ctucbvi.study.driver`).
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ctucbvi.losses.tally import Sums, Tally
from ctucbvi.study.driver import Progress, run_study
from ctucbvi.study.shards import RunState
from ctucbvi.study.work import Done, Task, played

if TYPE_CHECKING:
    from ctucbvi.numeric.learner import FastLearner
    from ctucbvi.study.plan import Learner, Stretch, Study

BLOCK = 100_000  # episodes: some seconds of work


@dataclass(frozen=True)
class Run:
    """One run: what it earned, and what was added up along its episodes."""

    number: int
    state: RunState
    sums: Sums


def tally_runs(
    study: Study,
    runs: int,
    *,
    workers: int = 1,
    cluster: str | None = None,
    folder: Path | None = None,
    block: int = BLOCK,
    progress: Progress | None = None,
) -> tuple[Run, ...]:
    """Play ``runs`` runs of the only contestant of ``study``, which is CT-UCBVI, and tally them."""
    outcome = run_study(
        study, runs, workers=workers, cluster=cluster, folder=folder, block=block, progress=progress,
        play=play, kind="losses",
    )  # fmt: skip
    (states,) = outcome.runs.values()
    return tuple(Run(number, state, _unpacked(state.extra)) for number, state in enumerate(states))


def play(task: Task) -> Done:
    """Play and tally one block."""
    study = task.study
    tally = Tally(
        study.model,
        study.settings,
        steps=study.contestant(task.name).steps,
        initial=dict(study.initial),
        sums=None if task.state.extra is None else _unpacked(task.state.extra),
    )

    def advance(learner: Learner, count: int) -> Stretch:
        stretch, visits = cast("FastLearner", learner).recorded(count)
        tally.add(visits)
        return stretch

    return played(task, advance, lambda: _packed(tally.sums))


def _packed(sums: Sums) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **sums._asdict())
    return file.getvalue()


def _unpacked(data: bytes | None) -> Sums:
    assert data is not None, "every block tallies"
    stored = np.load(io.BytesIO(data), allow_pickle=False)
    return Sums(*(stored[name] for name in Sums._fields))
