"""The loop over episodes of the optimistic learner, compiled: renew the sets, plan or prove, note, play."""

from __future__ import annotations

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episode_loop import PATIENCE, learn_from
from ctucbvi.learning.fast.episodes import Choices, Log, Memory, Scene, choose, full, note, pick, play
from ctucbvi.learning.fast.estimate_box import LANES_USED, NOISE, VALID
from ctucbvi.learning.fast.optimistic_march import GridSets, MarchRoom, SetConstants, march, renew
from ctucbvi.learning.fast.set_box import (
    SetMargins,
    SetTrust,
    enclose_sets,
    mark_equal_sets,
    measure_sets,
    remember_sets,
    set_noise,
    sets_moved_too_far,
)
from ctucbvi.learning.fast.tracking import PLAN, SAME, decide_leads


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
        if known[VALID] and not left_box:
            answer = decide_leads(trust, policy)
        if answer == PLAN:
            march(scene, constants, sets, room)
            clock[at.PLANNED] += 1
            answer = SAME + choose(first, room.table, policy)
            if skip and known[VALID] and not left_box and clock[at.MISSED] < PATIENCE:
                clock[at.MISSED] += 1  # the box is still good for the next episode
            elif skip:
                learn_from(clock, known, left_box)
                look_around_sets(scene, constants, memory, sets, policy, trust, margins)
        else:
            clock[at.SPARED] += 1
        if answer != SAME or log.used[at.STARTS] == 0:
            note(log, policy, episode)
        play(scene, memory, policy, log, opening[pick(random, opening_share, 0, opening.size)])
        clock[at.EPISODE] = episode
    return count
