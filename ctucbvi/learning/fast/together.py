r"""Runs of the optimistic learner in lockstep: each plays its own episodes, their plans are one march.

A run does here what it does alone, bit for bit: its draws, sets, boxes and proofs are its own.  In every
episode the runs whose plan cannot be left out hand in their sets, these are marched abreast
(:mod:`ctucbvi.learning.fast.march_abreast`), and each run takes its policy.  Where fewer than :data:`FEW` ask
for a plan, each is marched alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from ctucbvi.abreast import WIDTH
from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.compiled import CompiledLearner, PlayedEpisodes
from ctucbvi.learning.fast.episodes import Choices, Log, Memory, Scene, choose
from ctucbvi.learning.fast.march_abreast import (
    MOST_TARGETS,
    AbreastRoom,
    make_abreast_room,
    march_abreast,
    take_policy,
    take_sets,
)
from ctucbvi.learning.fast.optimistic import OptimisticLearner
from ctucbvi.learning.fast.optimistic_loop import play_episode, renew_sets, weigh_plan
from ctucbvi.learning.fast.optimistic_march import MarchRoom, make_march_room, march
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants
from ctucbvi.learning.fast.preparation import make_log
from ctucbvi.learning.fast.set_box import SetTrust
from ctucbvi.learning.fast.set_tangents import SetMargins
from ctucbvi.numeric.arrays import Floats, Integers

FEW = 3  # plans that take as long alone as eight abreast
_POLICIES = 256  # that a log has room for at first
_Arrays = TypeVar("_Arrays", bound=tuple[Any, ...])


class Runs(NamedTuple):
    """The arrays of all runs: those of each, with its number before all other indices."""

    memory: Memory
    sets: GridSets
    policy: Choices
    trust: SetTrust
    table: Floats  # (runs, pairs, steps + 1) the last plan, where it was made alone
    asks: Integers  # (runs,) whether a plan is needed
    left_box: Integers  # (runs,) whether the sets have left the box
    abreast: Integers  # (runs,) whether the last plan was made abreast


# --- a run of several -------------------------------------------------------------------------


@compiled(forceinline=True)
def memory_of(r: int, every: Memory) -> Memory:
    """What run ``r`` remembers."""
    counts, jumps, visited, random, clock = every
    return Memory(counts[r], jumps[r], visited[r], random[r], clock[r])


@compiled(forceinline=True)
def sets_of(r: int, every: GridSets) -> GridSets:
    """Its sets."""
    low, high, reach, shift, chance, several = every
    return GridSets(low[r], high[r], reach[r], shift[r], chance[r], several[r])


@compiled(forceinline=True)
def trust_of(r: int, every: SetTrust) -> SetTrust:
    """What it remembers of its last planned episode."""
    (
        low, high, shift, chance, twin, glued, seen, limits, used, lanes,
        of, of_chance, width, delta, leads, slopes,
    ) = every  # fmt: skip
    return SetTrust(
        low[r], high[r], shift[r], chance[r], twin[r], glued[r], seen[r], limits[r], used[r], lanes[r],
        of[r], of_chance[r], width[r], delta[r], leads[r], slopes[r],
    )  # fmt: skip


@compiled(forceinline=True)
def log_of(r: int, every: Log) -> Log:
    """What its episodes leave behind."""
    starts, which, distinct, table, visits, used = every
    return Log(starts[r], which[r], distinct[r], table[r], visits[r], used[r])


# --- all of them ------------------------------------------------------------------------------


@compiled()
def keep_table(table: Floats, kept: Floats) -> None:
    """Copy a plan."""
    for k in range(table.shape[0]):
        for i in range(table.shape[1]):
            kept[k, i] = table[k, i]


@compiled()
def any_full(logs: Log) -> bool:
    """Whether there is no room for another policy of some run."""
    starts, distinct = logs.starts.shape[1], logs.distinct.shape[1]
    found = False
    for r in range(logs.used.shape[0]):
        found |= logs.used[r, at.STARTS] == starts or logs.used[r, at.DISTINCT] == distinct
    return found


@compiled()
def run_together(
    scene: Scene,
    constants: SetConstants,
    runs: Runs,
    room: AbreastRoom,
    alone: MarchRoom,
    margins: SetMargins,
    logs: Log,
    count: int,
    skip: bool,
) -> int:
    """Up to ``count`` episodes of each run, fewer when a log is full; returns how many."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loop.
    every_memory, every_sets, every_policy, every_trust, tables, asks, left_box, abreast = runs
    row, terms, leads, moved = scene.row, room.terms, room.leads, room.moved
    for done in range(count):
        if any_full(logs):
            return done
        asked = 0
        for r in range(asks.size):
            memory, sets, trust = memory_of(r, every_memory), sets_of(r, every_sets), trust_of(r, every_trust)
            asks[r], left_box[r] = renew_sets(scene, constants, memory, sets, trust, skip)
            asked += asks[r]
        if asked >= FEW:
            for r in range(asks.size):
                if asks[r]:
                    take_sets(r, row, sets_of(r, every_sets), terms)
            march_abreast(scene, constants, room)
        for r in range(asks.size):
            memory, policy, changed = memory_of(r, every_memory), every_policy[r], False
            if not asks[r]:
                memory.clock[at.SPARED] += 1
            else:
                sets = sets_of(r, every_sets)
                if asked < FEW:
                    march(scene, constants, sets, alone)
                    changed = choose(scene.first, alone.table, policy)
                    keep_table(alone.table, tables[r])
                elif moved[0, r] or not abreast[r]:  # else the leads are those of its policy
                    changed = take_policy(r, leads, policy)
                abreast[r] = asked >= FEW
                memory.clock[at.PLANNED] += 1
                if skip:
                    trust = trust_of(r, every_trust)
                    weigh_plan(changed, left_box[r], scene, constants, memory, sets, policy, trust, margins)
            play_episode(scene, memory, policy, log_of(r, logs), changed)
    return count


class Together:
    """Learners that play in lockstep from now on: their arrays become parts of common ones."""

    def __init__(self, learners: Sequence[CompiledLearner]) -> None:
        """Of learners that :meth:`suits` is true of."""
        self._learners = cast(Sequence[OptimisticLearner], learners)
        one, number, learners = self._learners[0], len(learners), self._learners
        self._runs = runs = Runs(
            memory=_joined([each._memory for each in learners]),
            sets=_joined([each.sets for each in learners]),
            policy=np.stack([each.policy for each in learners]),
            trust=_joined([each._trust for each in learners]),
            table=np.stack([each.room.table for each in learners]),
            asks=np.zeros(number, np.int64),
            left_box=np.zeros(number, np.int64),
            abreast=np.zeros(number, np.int64),
        )
        for r, each in enumerate(learners):
            memory, sets, trust = _part(runs.memory, r), _part(runs.sets, r), _part(runs.trust, r)
            each.move(memory, sets, runs.policy[r], trust, runs.table[r])
        self._rooms = make_abreast_room(one.scene), make_march_room(one.scene, one.constants), one._margins

    @staticmethod
    def suits(learners: Sequence[CompiledLearner]) -> bool:
        """Whether they can: optimistic learners of one study that plan eagerly, and whose rows are short."""
        every = [each for each in learners if type(each) is OptimisticLearner and not each.record]
        if not FEW <= len(learners) <= WIDTH or len(every) < len(learners):
            return False
        one = every[0]
        told = [(each.model, each.settings, each.steps, each.skip, each.initial) for each in every]
        most = 1 if one.constants.divergence else MOST_TARGETS  # kl sets around several targets are searched
        short = int(np.diff(one.scene.row).max()) <= most
        return short and not one.settings.replan and all(mine == told[0] for mine in told)

    def advance(self, episodes: int) -> list[PlayedEpisodes]:
        """Play this many further episodes of each."""
        for each in self._learners:
            each._check(episodes)
        one, runs, left = self._learners[0], self._runs, episodes
        logs = _joined([make_log(len(one.model.states), one.steps, policies=_POLICIES)] * len(self._learners))
        before, runs.abreast[:] = runs.memory.clock.copy(), 0
        while left := left - run_together(one.scene, one.constants, runs, *self._rooms, logs, left, one.skip):
            logs = _larger(logs)
        tables = self._rooms[0].table.reshape(one.steps + 1, -1, WIDTH)
        for r in np.flatnonzero(runs.abreast):
            runs.table[r] = tables[:, :, r].T
        return [each._since(before[r], _part(logs, r)) for r, each in enumerate(self._learners)]


def _joined(parts: Sequence[_Arrays]) -> _Arrays:
    """Named arrays of the same shapes, one after the other."""
    return type(parts[0])(*(np.stack(arrays) for arrays in zip(*parts, strict=True)))


def _part(arrays: _Arrays, r: int) -> _Arrays:
    """Number ``r`` of what was joined."""
    return type(arrays)(*(array[r] for array in arrays))


def _larger(logs: Log) -> Log:
    """The same logs, each with twice the room where one of them is full."""
    starts, distinct, _ = logs.used.max(axis=0)
    if starts == logs.starts.shape[1]:
        logs = logs._replace(starts=_doubled(logs.starts), which=_doubled(logs.which))
    if distinct == logs.distinct.shape[1]:
        tables = np.full((len(logs.table), 2 * logs.table.shape[1]), -1, np.int32)
        logs = logs._replace(distinct=_doubled(logs.distinct), table=tables)
        for distinct, table, used in zip(logs.distinct, tables, logs.used, strict=True):
            at.rehash(distinct, table, int(used[at.DISTINCT]))
    return logs


def _doubled(arrays: Any) -> Any:
    return np.concatenate([arrays, np.zeros_like(arrays)], axis=1)
