"""One block of one run: a pure function, so that it may be done anywhere, and done again.

The learner is resumed from its snapshot, plays the block in pieces small enough that memory does
not grow with the block, and the value of each new policy is added up, in whole numbers, for as many
episodes as it was in force.  An :class:`Observer` may look on: it is given the visits of all episodes, and
what it has made of them is kept with the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import ClassVar, Protocol, cast

import numpy as np

from ctucbvi.learning.fast.compiled import PlayedEpisodes
from ctucbvi.learning.fast.learner import GridLearner
from ctucbvi.numeric.arrays import Floats, Integers
from ctucbvi.study.evaluation import UNITS, Evaluator, exact_units
from ctucbvi.study.plan import Contestant, RunPlace, Study, made_by
from ctucbvi.study.reproducible import check_reproducible
from ctucbvi.study.shards import RunState

_ENTRIES = 4_000_000  # of the policies of one piece, all different in the worst case
_LONGEST = 16_384  # episodes of a piece


class Observer(Protocol):
    """Looks on while a learner plays, and adds up what it likes; other processes must find it by its name."""

    kind: ClassVar[str]  # what it adds up: runs that were looked on are kept apart from others

    def __init__(self, study: Study, contestant: Contestant, kept: bytes | None) -> None:
        """Go on from what was ``kept``; None: the run begins."""

    def see(self, visits: Integers) -> None:
        """Take whole episodes into account, as ``GridLearner.recorded`` returns them."""

    def keep(self) -> bytes:
        """All that is needed to go on, here or elsewhere."""


@dataclass(frozen=True)
class Block:
    """Go on with a run of one contestant until ``until`` episodes are done, or ``seconds`` have passed."""

    study: Study
    name: str
    run: int
    state: RunState
    until: int
    observer: type[Observer] | None = None
    seconds: float = inf  # where it ends by time, at least one piece is played
    check: bool = False  # whether to look first that the learner plays the same again


@dataclass(frozen=True)
class Done:
    """What became of a task, and what computed it."""

    name: str
    run: int
    state: RunState
    made_by: tuple[tuple[str, str], ...]


def work(task: Block) -> Done:
    """Play one block."""
    began = perf_counter()
    study, state = task.study, task.state
    contestant = study.contestant(task.name)
    if task.check:
        check_reproducible(study, contestant)
    place = RunPlace(study.model, study.settings, study.seed, task.run, study.initial)
    learner = contestant.make(place, contestant.steps, state.snapshot)
    observer = None if task.observer is None else task.observer(study, contestant, state.extra)
    account = Account(study, contestant, state)
    piece = piece_of(study, contestant)
    while account.episode < task.until:
        count = min(piece, task.until - account.episode)
        if observer is None:
            account.add(learner.advance(count))
        else:
            played, visits = cast(GridLearner, learner).recorded(count)
            account.add(played)
            observer.see(visits)
        if perf_counter() - began >= task.seconds:
            break
    result = RunState(
        account.episode,
        account.earned,
        tuple(account.curve),
        account.planned,
        state.seconds + perf_counter() - began,
        learner.snapshot(),
        None if observer is None else observer.keep(),
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

    def add(self, played: PlayedEpisodes) -> None:
        """Add episodes that follow those added before."""
        starts: list[int] = played.starts.tolist()
        which: list[int] = played.which.tolist()
        if played.earned:
            units = [round(earned / UNITS) for earned in played.earned]
            starts, which = list(range(played.first, played.last + 1)), list(range(len(units)))
        else:
            units = exact_units(self._mixed(self._evaluator.values(played.distinct)))
        if played.first != self.episode + 1 or starts[0] != played.first:
            raise ValueError(f"a stretch from episode {played.first} does not follow {self.episode}")
        ends = [*starts[1:], played.last + 1]
        for start, end, policy in zip(starts, ends, which, strict=True):
            unit = units[policy]
            self._pass_checkpoints(start, end, unit)
            self.earned += unit * (end - start)
        self.episode = played.last
        self.planned += played.planned

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
