"""Independent runs with everything tallied: a regret study, and a tally that observes it.

The episodes are those that a regret study of the same seed plays, bit for bit, and their blocks are handed
out, kept and resumed as its blocks are (:mod:`ctucbvi.study.driver`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ctucbvi.losses.optimistic_tally import OptimisticSums, OptimisticTally
from ctucbvi.losses.packing import unpacked
from ctucbvi.losses.tally import Sums, Tally
from ctucbvi.study.blocks import Observer
from ctucbvi.study.driver import run_study
from ctucbvi.study.plan import Study
from ctucbvi.study.shards import RunState

BLOCK = 100_000  # episodes: some seconds of work
S = TypeVar("S")


@dataclass(frozen=True)
class TalliedRun(Generic[S]):
    """One run: what it earned, and what was added up along its episodes."""

    number: int
    state: RunState
    sums: S


def tally_of(study: Study) -> tuple[type[Observer], type[Any]]:
    """Who adds up for the proof about the learner of ``study``, and what it makes."""
    if study.settings.bonus == "optimistic":
        return OptimisticTally, OptimisticSums
    return Tally, Sums


def tally_runs(study: Study, runs: int, *, block: int = BLOCK, **options: Any) -> tuple[TalliedRun[Any], ...]:
    """Play ``runs`` runs of the only contestant of ``study``, CT-UCBVI or optimistic, and tally them.

    The ``options`` are those of :func:`~ctucbvi.study.driver.run_study`.
    """
    observer, sums = tally_of(study)
    (states,) = run_study(study, runs, block=block, observer=observer, **options).runs.values()
    found = []
    for number, state in enumerate(states):
        assert state.extra is not None, "every block is tallied"
        found.append(TalliedRun(number, state, unpacked(sums, state.extra)))
    return tuple(found)
