"""The loop over episodes, compiled: renew the estimates, plan or prove, write the policy down, play."""

from __future__ import annotations

import numpy as np
from numba import njit

from ctucbvi.learning.fast.boxes import (
    LANES,
    LANES_USED,
    NOISE,
    ROUNDS_KNOWN,
    VALID,
    Trust,
    enclose,
    mark_twins,
    moved_too_far,
    noise,
)
from ctucbvi.learning.fast.episodes import (
    AIM,
    BOXED,
    CELL,
    DISTINCT,
    EPISODE,
    FASTEST,
    HORIZON,
    LEFT,
    MISSED,
    NEW,
    PLANNED,
    ROUNDS,
    SHARP,
    SIDE,
    SPARED,
    STARTS,
    TICK,
    TICKS,
    VISITED,
    WAIT,
    WAITED,
    Desk,
    Log,
    Memory,
    Scene,
    accuracy,
    choose,
    estimate,
    note,
    pick,
    play,
)
from ctucbvi.learning.fast.skipping import measure
from ctucbvi.learning.fast.sweeps import accumulate, gather, improve
from ctucbvi.learning.fast.tracking import PLAN, SAME, decide
from ctucbvi.numeric.arrays import Floats, Integers

_LONGEST = 1024  # plans in a row without a measurement
_FARTHEST = 1 << 20  # episodes that a box is made for
_PATIENCE = 16  # episodes in the box that had to be planned nevertheless, before another box is made
_FEW = 8  # a box is too large if more than one in this many episodes had to be planned


@njit(cache=True)
def slot(n: int, depth: int) -> int:
    """Where iterate ``n`` is kept: by turns in the last two places when there are no more."""
    return n if n < depth else depth - 2 + (n - depth) % 2


@njit(cache=True)
def iterate(
    first: Integers,
    row: Integers,
    target: Integers,
    times: Floats,
    chance: Floats,
    weights: Floats,
    epsilon: float,
    values: Floats,
    action_values: Floats,
    inflow: Floats,
) -> int:
    """Modified value iteration (``alg:VI``) and one more T^a; returns n_k.

    Once a sweep changes nothing no further one does, so that is the end whatever ε is, 0 by underflow too.
    """
    depth, n, distance = values.shape[0], 0, np.inf
    values[0] = 0.0
    while True:
        old, new = slot(n, depth), slot(n + 1, depth)
        gather(row, target, chance, weights, values[old], inflow, action_values[new])
        accumulate(weights, action_values[new])
        if distance < epsilon or distance == 0.0:
            return n
        n += 1
        distance = improve(first, times, action_values[new], values[old], values[new])


@njit(cache=True)
def study(world: Scene, memory: Memory, desk: Desk, trust: Trust) -> None:
    """Find out how far the plan just made can be trusted; unless that was of little use of late."""
    clock, used, rounds = memory.clock, trust.used, memory.clock[ROUNDS]
    used[VALID], used[ROUNDS_KNOWN] = 0, rounds
    clock[WAIT] -= 1
    if clock[WAIT] >= 0 or rounds + 1 >= desk.values.shape[0]:
        return
    remember(
        desk.rate, desk.gain, desk.chance, desk.weights, trust.rate, trust.gain, trust.chance, trust.calm
    )
    mark_twins(world.first, world.row, desk.chance, desk.weights, trust.twin, trust.glued)
    since = max(1, clock[EPISODE] - clock[BOXED])
    clock[BOXED] = clock[EPISODE]
    enclose(
        clock[AIM], since, world.numbers[TICK], world.numbers[HORIZON], world.row, memory.counts[TICKS],
        memory.counts[LEFT], world.reward, world.numbers[SHARP], trust,
    )  # fmt: skip
    trust.limits[NOISE] = noise(
        rounds, world.times.size - 1, world.row, desk.gain, world.numbers[HORIZON], world.numbers[FASTEST],
        world.numbers[SHARP],
    )  # fmt: skip
    if used[LANES_USED] <= LANES:
        used[VALID] = measure(
            world.numbers[CELL], world.first, world.row, world.target, world.times, desk.chance, desk.weights,
            desk.values, desk.action_values, rounds, desk.policy, trust,
        )  # fmt: skip
    clock[SPARED], clock[MISSED] = 0, 0


@njit(cache=True)
def remember(
    rate: Floats,
    gain: Floats,
    chance: Floats,
    weights: Floats,
    old_rate: Floats,
    old_gain: Floats,
    old_chance: Floats,
    calm: Floats,
) -> None:
    """Keep the estimates of the plan; ``calm`` gets the weights without gain."""
    for k in range(rate.size):
        old_rate[k], old_gain[k], calm[1, k] = rate[k], gain[k], 0.0
        calm[2, k], calm[3, k] = weights[2, k], weights[3, k]
    for e in range(chance.size):
        old_chance[e] = chance[e]


@njit(cache=True)
def learn_from(clock: Integers, used: Integers, left_box: bool) -> None:
    """Choose the size of the next box, and whether to make one, by how the last one ended."""
    if clock[WAIT] >= 0:
        return
    if not left_box:
        clock[AIM] = max(clock[AIM] // 2, 1)
    elif _FEW * clock[MISSED] <= clock[SPARED]:
        clock[AIM] = min(2 * clock[AIM], _FARTHEST)
    worth = clock[SPARED] >= used[LANES_USED]
    clock[WAITED] = 0 if worth else min(2 * clock[WAITED] + 1, _LONGEST)
    clock[WAIT] = clock[WAITED]


@njit(cache=True)
def run(world: Scene, memory: Memory, desk: Desk, trust: Trust, log: Log, count: int, skip: bool) -> int:
    """Up to ``count`` episodes, fewer when the log is full; returns how many."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loop.
    first, row, target, share, stretch, reward, opening, opening_share, reach, times, numbers = world
    counts, jumps, visited, random, clock = memory
    rate, gain, chance, weights, values, action_values, inflow, policy = desk
    starts, which, distinct, table, visits, used = log
    old_rate, old_gain, old_chance, limits = (
        trust.rate,
        trust.gain,
        trust.chance,
        trust.limits,
    )
    lane_of, lane_of_chance, width, delta = trust.lane_of, trust.lane_of_chance, trust.width, trust.delta
    known, spots, leads, slopes = trust.used, trust.spots, trust.leads, trust.slopes
    for done in range(count):
        if used[STARTS] == starts.size or used[DISTINCT] == distinct.shape[0]:
            return done
        episode = clock[EPISODE] + 1
        left_box = False
        for n in range(clock[VISITED]):
            k = visited[n]
            counts[NEW, k] = 0
            estimate(k, numbers, reward, row, counts, jumps, rate, gain, chance, weights)
            if known[VALID]:
                left_box |= moved_too_far(
                    k,
                    row,
                    rate,
                    gain,
                    chance,
                    old_rate,
                    old_gain,
                    old_chance,
                    lane_of,
                    lane_of_chance,
                    width,
                    delta,
                )
        clock[VISITED] = 0
        epsilon = accuracy(numbers, episode)
        answer = PLAN
        if known[VALID] and not left_box:
            answer = decide(epsilon, limits, known, spots, leads, slopes, delta, policy)
        if answer == PLAN:
            n = iterate(first, row, target, times, chance, weights, epsilon, values, action_values, inflow)
            clock[ROUNDS], clock[SIDE] = n, slot(n, values.shape[0])
            clock[PLANNED] += 1
            answer = SAME + choose(first, action_values[slot(n + 1, values.shape[0])], policy)
            if skip and known[VALID] and not left_box and clock[MISSED] < _PATIENCE:
                clock[MISSED] += 1  # the box is still good for the next episode
            elif skip:
                learn_from(clock, known, left_box)
                study(world, memory, desk, trust)
        else:
            clock[SPARED] += 1
            clock[ROUNDS] = known[ROUNDS_KNOWN]
        if answer != SAME or used[STARTS] == 0:
            note(starts, which, distinct, table, used, policy, episode)
        x = opening[pick(random, opening_share, 0, opening.size)]
        play(
            policy, stretch, row, target, share, reach, x, counts, jumps, visited, random, clock, visits, used
        )
        clock[EPISODE] = episode
    return count
