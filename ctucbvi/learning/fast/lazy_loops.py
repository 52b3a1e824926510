"""The loops over episodes of learners that plan lazily, compiled: plan again if it is due, note, play.

A plan renews the estimates of all pairs; until the next one is due nothing is renewed, and an episode costs
what its simulation costs.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episodes import (
    Choices,
    Desk,
    Log,
    Memory,
    Scene,
    accuracy,
    choose,
    estimate_all,
    full,
    note,
    pick,
    play,
)
from ctucbvi.learning.fast.optimistic_march import MarchRoom, march
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants, renew
from ctucbvi.learning.fast.replanning import GrowthRule, LastPlan, due
from ctucbvi.learning.fast.sweeps import iterate, slot


@compiled()
def plan_again(scene: Scene, memory: Memory, desk: Desk, episode: int) -> bool:
    """Estimates, modified value iteration and policy from the present data; whether the policy is another."""
    clock, depth = memory.clock, desk.values.shape[0]
    estimate_all(scene, memory.counts, memory.jumps, desk)
    n = iterate(scene, desk, accuracy(scene.numbers, episode))
    clock[at.ROUNDS], clock[at.SIDE] = n, slot(n, depth)
    clock[at.PLANNED] += 1
    return bool(choose(scene.first, desk.action_values[slot(n + 1, depth)], desk.policy))


@compiled()
def run_lazily(
    scene: Scene, memory: Memory, desk: Desk, last: LastPlan, growth: GrowthRule, log: Log, count: int
) -> int:
    """Up to ``count`` episodes of a learner with a bonus, fewer when the log is full; returns how many."""
    numbers, opening, opening_share = scene.numbers, scene.opening, scene.opening_share
    random, clock, policy, used = memory.random, memory.clock, desk.policy, log.used
    for done in range(count):
        if full(log):
            return done
        episode = clock[at.EPISODE] + 1
        changed = due(episode, numbers, memory, last, growth) and plan_again(scene, memory, desk, episode)
        if changed or used[at.STARTS] == 0:
            note(log, policy, episode)
        play(scene, memory, policy, log, opening[pick(random, opening_share, 0, opening.size)])
        clock[at.EPISODE] = episode
    return count


@compiled()
def plan_sets_again(
    scene: Scene, constants: SetConstants, memory: Memory, sets: GridSets, room: MarchRoom, policy: Choices
) -> bool:
    """Sets, the best model in them and its policy from the present data; whether the policy is another."""
    renew(np.arange(scene.reward.size), scene, constants, memory.counts, memory.jumps, sets)
    march(scene, constants, sets, room)
    memory.clock[at.PLANNED] += 1
    return bool(choose(scene.first, room.table, policy))


@compiled()
def run_optimistic_lazily(
    scene: Scene,
    constants: SetConstants,
    memory: Memory,
    sets: GridSets,
    room: MarchRoom,
    policy: Choices,
    last: LastPlan,
    growth: GrowthRule,
    log: Log,
    count: int,
) -> int:
    """Up to ``count`` episodes of the optimistic learner, fewer when the log is full; returns how many."""
    numbers, opening, opening_share = scene.numbers, scene.opening, scene.opening_share
    random, clock, used = memory.random, memory.clock, log.used
    for done in range(count):
        if full(log):
            return done
        episode, changed = clock[at.EPISODE] + 1, False
        if due(episode, numbers, memory, last, growth):
            changed = plan_sets_again(scene, constants, memory, sets, room, policy)
        if changed or used[at.STARTS] == 0:
            note(log, policy, episode)
        play(scene, memory, policy, log, opening[pick(random, opening_share, 0, opening.size)])
        clock[at.EPISODE] = episode
    return count
