"""The loop over episodes, compiled: renew the estimates, plan or prove, write the policy down, play."""

from __future__ import annotations

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episodes import (
    Desk,
    Log,
    Memory,
    Scene,
    accuracy,
    choose,
    estimate,
    full,
    note,
    pick,
    play,
)
from ctucbvi.learning.fast.estimate_box import (
    LANES,
    LANES_USED,
    NOISE,
    ROUNDS_KNOWN,
    VALID,
    Margins,
    Trust,
    enclose,
    mark_twins,
    moved_too_far,
    noise,
    remember,
)
from ctucbvi.learning.fast.skipping import measure
from ctucbvi.learning.fast.sweeps import iterate, slot
from ctucbvi.learning.fast.tracking import PLAN, SAME, decide
from ctucbvi.numeric.arrays import Integers

LONGEST = 1024  # plans in a row without a measurement
FARTHEST = 1 << 20  # episodes that a box is made for
_PATIENCE = 16  # episodes in the box that had to be planned nevertheless, before another box is made
_FEW = 8  # a box is too large if more than one in this many episodes had to be planned


@compiled()
def look_around(scene: Scene, memory: Memory, desk: Desk, trust: Trust, margins: Margins) -> None:
    """Find out how far the plan just made can be trusted; unless that was of little use of late."""
    clock, used, rounds = memory.clock, trust.used, memory.clock[at.ROUNDS]
    used[VALID], used[ROUNDS_KNOWN] = 0, rounds
    clock[at.WAIT] -= 1
    if clock[at.WAIT] >= 0 or rounds + 1 >= desk.values.shape[0]:
        return
    remember(desk, trust)
    mark_twins(scene, desk, trust)
    since = max(1, clock[at.EPISODE] - clock[at.BOXED])
    clock[at.BOXED] = clock[at.EPISODE]
    enclose(clock[at.AIM], since, scene, memory, trust)
    trust.limits[NOISE] = noise(rounds, scene, desk)
    if used[LANES_USED] <= LANES:
        used[VALID] = measure(scene, desk, rounds, trust, margins)
    clock[at.SPARED], clock[at.MISSED] = 0, 0


@compiled()
def learn_from(clock: Integers, used: Integers, left_box: bool) -> None:
    """Choose the size of the next box, and whether to make one, by how the last one ended."""
    if clock[at.WAIT] >= 0:
        return
    if not left_box:
        clock[at.AIM] = max(clock[at.AIM] // 2, 1)
    elif _FEW * clock[at.MISSED] <= clock[at.SPARED]:
        clock[at.AIM] = min(2 * clock[at.AIM], FARTHEST)
    worth = clock[at.SPARED] >= used[LANES_USED]
    clock[at.WAITED] = 0 if worth else min(2 * clock[at.WAITED] + 1, LONGEST)
    clock[at.WAIT] = clock[at.WAITED]


@compiled()
def run(
    scene: Scene, memory: Memory, desk: Desk, trust: Trust, margins: Margins, log: Log, count: int, skip: bool
) -> int:
    """Up to ``count`` episodes, fewer when the log is full; returns how many."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loop.
    first, row, opening, opening_share = scene.first, scene.row, scene.opening, scene.opening_share
    numbers, used, known, depth = scene.numbers, log.used, trust.used, desk.values.shape[0]
    counts, jumps, visited, random, clock = memory
    policy, action_values = desk.policy, desk.action_values
    for done in range(count):
        if full(log):
            return done
        episode = clock[at.EPISODE] + 1
        left_box = False
        for n in range(clock[at.VISITED]):
            k = visited[n]
            counts[at.NEW, k] = 0
            estimate(k, scene, counts, jumps, desk)
            if known[VALID]:
                left_box |= moved_too_far(k, row, desk, trust)
        clock[at.VISITED] = 0
        epsilon = accuracy(numbers, episode)
        answer = PLAN
        if known[VALID] and not left_box:
            answer = decide(epsilon, trust, policy)
        if answer == PLAN:
            n = iterate(scene, desk, epsilon)
            clock[at.ROUNDS], clock[at.SIDE] = n, slot(n, depth)
            clock[at.PLANNED] += 1
            answer = SAME + choose(first, action_values[slot(n + 1, depth)], policy)
            proved = n == known[ROUNDS_KNOWN]  # then points that are not tracked have the box's actions
            if skip and known[VALID] and not left_box and proved and clock[at.MISSED] < _PATIENCE:
                clock[at.MISSED] += 1  # the box is still good for the next episode
            elif skip:
                learn_from(clock, known, left_box)
                look_around(scene, memory, desk, trust, margins)
        else:
            clock[at.SPARED] += 1
            clock[at.ROUNDS] = known[ROUNDS_KNOWN]
        if answer != SAME or used[at.STARTS] == 0:
            note(log, policy, episode)
        x = opening[pick(random, opening_share, 0, opening.size)]
        play(scene, memory, policy, log, x)
        clock[at.EPISODE] = episode
    return count
