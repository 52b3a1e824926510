"""The loop over episodes of the optimistic learner, compiled: renew the sets, plan or prove, note, play."""

from __future__ import annotations

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episode_loop import FARTHEST, LONGEST
from ctucbvi.learning.fast.episodes import Choices, Log, Memory, Scene, choose, full, note, pick, play
from ctucbvi.learning.fast.estimate_box import LANES_USED, NOISE, VALID
from ctucbvi.learning.fast.optimistic_march import GridSets, MarchRoom, SetConstants, march, renew
from ctucbvi.learning.fast.set_box import (
    SetTrust,
    enclose_sets,
    mark_equal_sets,
    remember_sets,
    sets_moved_too_far,
)
from ctucbvi.learning.fast.set_tangents import SetMargins, guards_hold, measure_sets, set_noise
from ctucbvi.learning.fast.tracking import PLAN, SAME
from ctucbvi.numeric.arrays import Integers

_COST = 16  # plans: what a measurement costs, beside one for every lane
_PATIENCE = 4  # episodes in the box that had to be planned nevertheless, before another box is made


@compiled()
def learn_from_sets(clock: Integers, used: Integers, left_box: bool) -> None:
    """Choose the size of the next box, and whether to make one, by how the last one ended."""
    if clock[at.WAIT] >= 0:
        return
    if left_box:
        clock[at.AIM] = min(2 * clock[at.AIM], FARTHEST)
    elif 4 * clock[at.SPARED] < clock[at.AIM]:  # a guard failed, or there were too many to be kept
        clock[at.AIM] = max(clock[at.AIM] // 2, 1)
    worth = clock[at.SPARED] >= used[LANES_USED] + _COST
    clock[at.WAITED] = 0 if worth else min(2 * clock[at.WAITED] + 1, LONGEST)
    clock[at.WAIT] = clock[at.WAITED]


@compiled()
def look_around_sets(
    scene: Scene,
    constants: SetConstants,
    memory: Memory,
    sets: GridSets,
    policy: Choices,
    trust: SetTrust,
    margins: SetMargins,
) -> None:
    """Find out how far the plan just made can be trusted; unless that was of little use of late."""
    clock, used = memory.clock, trust.used
    used[VALID] = 0
    clock[at.WAIT] -= 1
    if clock[at.WAIT] >= 0:
        return
    remember_sets(sets, trust)
    mark_equal_sets(scene, sets, trust)
    since = max(1, clock[at.EPISODE] - clock[at.BOXED])
    clock[at.BOXED] = clock[at.EPISODE]
    enclose_sets(clock[at.AIM], since, scene, memory, trust)
    trust.limits[NOISE] = set_noise(scene, constants)
    if used[LANES_USED] <= trust.width.size:
        used[VALID] = measure_sets(scene, constants, sets, policy, trust, margins)
    clock[at.SPARED], clock[at.MISSED] = 0, 0


@compiled()
def run_optimistic(
    scene: Scene,
    constants: SetConstants,
    memory: Memory,
    sets: GridSets,
    room: MarchRoom,
    policy: Choices,
    trust: SetTrust,
    margins: SetMargins,
    log: Log,
    count: int,
    skip: bool,
) -> int:
    """Up to ``count`` episodes, fewer when the log is full; returns how many."""
    first, row, opening, opening_share = scene.first, scene.row, scene.opening, scene.opening_share
    counts, jumps, visited, random, clock = memory
    known = trust.used
    for done in range(count):
        if full(log):
            return done
        episode, left_box = clock[at.EPISODE] + 1, False
        for n in range(clock[at.VISITED]):
            k = visited[n]
            counts[at.NEW, k] = 0
            renew(k, scene, constants, counts, jumps, sets)
            if known[VALID]:
                left_box |= sets_moved_too_far(k, row, sets, trust)
        clock[at.VISITED] = 0
        answer = PLAN
        if skip and known[VALID] and not left_box:
            answer = SAME if guards_hold(trust) else PLAN
        if answer == PLAN:
            march(scene, constants, sets, room)
            clock[at.PLANNED] += 1
            answer = SAME + choose(first, room.table, policy)
            if skip and known[VALID] and not left_box and answer == SAME and clock[at.MISSED] < _PATIENCE:
                clock[at.MISSED] += 1  # the box is still good: its guards speak of this policy
            elif skip:
                learn_from_sets(clock, known, left_box)
                look_around_sets(scene, constants, memory, sets, policy, trust, margins)
        else:
            clock[at.SPARED] += 1
        if answer != SAME or log.used[at.STARTS] == 0:
            note(log, policy, episode)
        play(scene, memory, policy, log, opening[pick(random, opening_share, 0, opening.size)])
        clock[at.EPISODE] = episode
    return count
