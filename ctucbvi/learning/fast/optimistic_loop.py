"""The loop over episodes of the optimistic learner, compiled: renew the sets, plan or prove, note, play."""

from __future__ import annotations

from ctucbvi.borrowing import borrowed
from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episode_loop import FARTHEST, LONGEST
from ctucbvi.learning.fast.episodes import Choices, Log, Memory, Scene, full, note, pick, play
from ctucbvi.learning.fast.estimate_box import LANES_USED, NOISE, VALID
from ctucbvi.learning.fast.optimistic_march import MarchRoom, hand_out, march_words, write_table
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants, renew
from ctucbvi.learning.fast.set_box import (
    SetTrust,
    enclose_sets,
    mark_equal_sets,
    remember_sets,
    sets_moved_too_far,
)
from ctucbvi.learning.fast.set_tangents import SetMargins, guards_hold, measure_sets, set_noise
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
def renew_sets(
    scene: Scene, constants: SetConstants, memory: Memory, sets: GridSets, trust: SetTrust, skip: bool
) -> tuple[bool, bool]:
    """The sets before an episode; whether it has to be planned, and whether they have left the box."""
    counts, jumps, visited, clock, row = (
        memory.counts, memory.jumps, memory.visited, memory.clock, scene.row,
    )  # fmt: skip
    valid, left_box = trust.used[VALID], False
    renew(visited[: clock[at.VISITED]], scene, constants, counts, jumps, sets)
    for n in range(clock[at.VISITED]):
        k = visited[n]
        counts[at.NEW, k] = 0
        if valid:
            left_box |= sets_moved_too_far(k, row, sets, trust)
    clock[at.VISITED] = 0
    return not (skip and valid and not left_box and guards_hold(trust)), left_box


@compiled()
def weigh_plan(
    changed: bool,
    left_box: bool,
    scene: Scene,
    constants: SetConstants,
    memory: Memory,
    sets: GridSets,
    policy: Choices,
    trust: SetTrust,
    margins: SetMargins,
) -> None:
    """After a plan: go on with the box of before, or make another."""
    clock = memory.clock
    if trust.used[VALID] and not left_box and not changed and clock[at.MISSED] < _PATIENCE:
        clock[at.MISSED] += 1  # the box is still good: its guards speak of this policy
    else:
        learn_from_sets(clock, trust.used, left_box)
        look_around_sets(scene, constants, memory, sets, policy, trust, margins)


@compiled()
def play_episode(scene: Scene, memory: Memory, policy: Choices, log: Log, changed: bool) -> None:
    """Note the policy where it is another one, and play."""
    episode, opening = memory.clock[at.EPISODE] + 1, scene.opening
    if changed or log.used[at.STARTS] == 0:
        note(log, policy, episode)
    play(scene, memory, policy, log, opening[pick(memory.random, scene.opening_share, 0, opening.size)])
    memory.clock[at.EPISODE] = episode


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
    scene, constants, memory, sets, room, trust, margins, log = borrowed(
        (scene, constants, memory, sets, room, trust, margins, log)
    )
    clock, done, known = memory.clock, 0, False  # whether the leads are those of the policy
    while done < count and not full(log):
        plan, left_box = renew_sets(scene, constants, memory, sets, trust, skip)
        changed = False
        if plan:
            moved = march_words(scene, constants, sets, room)
            clock[at.PLANNED] += 1
            if moved or not known:
                changed, known = hand_out(scene.first, room, policy), True
            if skip:
                weigh_plan(changed, left_box, scene, constants, memory, sets, policy, trust, margins)
        else:
            clock[at.SPARED] += 1
        play_episode(scene, memory, policy, log, changed)
        done += 1
    if known:
        write_table(room)
    return done
