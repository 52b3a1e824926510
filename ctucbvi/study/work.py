"""One block of one run: a pure function, so that it may be done anywhere, and done again.

The learner is resumed from its snapshot, plays the block in pieces small enough that memory does
not grow with the block, and the value of each new policy is added up, in whole numbers, for as many
episodes as it was in force.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ctucbvi.numeric.arrays import Floats
from ctucbvi.study.evaluation import Evaluator, exact_units
from ctucbvi.study.plan import Contestant, Learner, Place, Stretch, Study, made_by
from ctucbvi.study.shards import RunState

_ENTRIES = 4_000_000  # of the policies of one piece, all different in the worst case
_LONGEST = 16_384  # episodes of a piece


@dataclass(frozen=True)
class Task:
    """Go on with a run of one contestant until ``until`` episodes are done."""

    study: Study
    name: str
    run: int
    state: RunState
    until: int


@dataclass(frozen=True)
class Done:
    """What became of a task, and what computed it."""

    name: str
    run: int
    state: RunState
    made_by: tuple[tuple[str, str], ...]


def work(task: Task) -> Done:
    """Play one block."""
    return played(task, lambda learner, count: learner.advance(count))


def played(
    task: Task,
    advance: Callable[[Learner, int], Stretch],
    extra: Callable[[], bytes | None] = lambda: None,
) -> Done:
    """Play one block: ``advance`` goes on by so many episodes, ``extra`` is what it added up besides."""
    began = perf_counter()
    study, state = task.study, task.state
    contestant = study.contestant(task.name)
    place = Place(study.model, study.settings, study.seed, task.run, study.initial)
    learner = contestant.make(place, contestant.steps, state.snapshot)
    account = Account(study, contestant, state)
    piece = piece_of(study, contestant)
    while account.episode < task.until:
        account.add(advance(learner, min(piece, task.until - account.episode)))
    seconds = state.seconds + perf_counter() - began
    result = RunState(
        account.episode,
        account.earned,
        tuple(account.curve),
        account.planned,
        seconds,
        learner.snapshot(),
        extra(),
    )
    return Done(task.name, task.run, result, made_by())


def piece_of(study: Study, contestant: Contestant) -> int:
    """How many episodes are played at a time, so that their policies fit into memory."""
    return max(1, min(_LONGEST, _ENTRIES // (len(study.model.states) * (contestant.steps + 1))))


class Account:
    """The running sum of V^π over the episodes of one run."""

    def __init__(self, study: Study, contestant: Contestant, state: RunState) -> None:
        self._evaluator = Evaluator(study.model, contestant.steps, sampled=contestant.sampled)
        self._initial = [(study.model.state_index(x), float(p)) for x, p in study.initial]
        self._checkpoints = study.checkpoints
        self.episode, self.earned, self.curve = state.episode, state.earned, list(state.curve)
        self.planned = state.planned

    def add(self, stretch: Stretch) -> None:
        """Add the episodes of a stretch that follows those added before."""
        if stretch.first != self.episode + 1 or int(stretch.starts[0]) != stretch.first:
            raise ValueError(f"a stretch from episode {stretch.first} does not follow {self.episode}")
        units = exact_units(self._mixed(self._evaluator.values(stretch.distinct)))
        starts: list[int] = stretch.starts.tolist()
        ends = [*starts[1:], stretch.last + 1]
        for start, end, policy in zip(starts, ends, stretch.which.tolist(), strict=True):
            unit = units[policy]
            self._pass_checkpoints(start, end, unit)
            self.earned += unit * (end - start)
        self.episode = stretch.last
        self.planned += stretch.planned

    def _mixed(self, values: Floats) -> Floats:
        """The values averaged over the initial states, in this order, however many policies there are."""
        total = np.zeros(len(values))
        for x, p in self._initial:
            total += p * values[:, x]
        return total

    def _pass_checkpoints(self, start: int, end: int, unit: int) -> None:
        """Record the sums at the checkpoints in ``[start, end)``, where each episode earns ``unit``."""
        while (at := len(self.curve)) < len(self._checkpoints) and self._checkpoints[at] < end:
            self.curve.append(self.earned + unit * (self._checkpoints[at] - start + 1))
