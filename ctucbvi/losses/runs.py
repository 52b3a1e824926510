"""Independent runs of CT-UCBVI with everything tallied: a regret study, and a tally that observes it.

The episodes are those that a regret study of the same seed plays, bit for bit, and their blocks are handed
out, kept and resumed as its blocks are (:mod:`ctucbvi.study.driver`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctucbvi.losses.tally import Sums, Tally
from ctucbvi.study.driver import run_study
from ctucbvi.study.plan import Study
from ctucbvi.study.shards import RunState

BLOCK = 100_000  # episodes: some seconds of work


@dataclass(frozen=True)
class TalliedRun:
    """One run: what it earned, and what was added up along its episodes."""

    number: int
    state: RunState
    sums: Sums


def tally_runs(study: Study, runs: int, *, block: int = BLOCK, **options: Any) -> tuple[TalliedRun, ...]:
    """Play ``runs`` runs of the only contestant of ``study``, which is CT-UCBVI, and tally them.

    The ``options`` are those of :func:`~ctucbvi.study.driver.run_study`.
    """
    (states,) = run_study(study, runs, block=block, observer=Tally, **options).runs.values()
    found = []
    for number, state in enumerate(states):
        assert state.extra is not None, "every block is tallied"
        found.append(TalliedRun(number, state, Sums.unpacked(state.extra)))
    return tuple(found)
