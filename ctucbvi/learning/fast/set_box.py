r"""The box of sets for which a plan of the optimistic learner is trusted: laid out, and left.

Its *lanes* are what may change in a set: the ends :math:`\underline\lambda, \bar\lambda` of the rates of a
pair, its :math:`\rho`, its :math:`\hat p`.  What the sets in a box can do to the plan is found in
:mod:`ctucbvi.learning.fast.set_tangents`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, TICKS, Memory, Scene
from ctucbvi.learning.fast.estimate_box import LANES_USED, SPOTS_USED, add_lane, outside
from ctucbvi.learning.fast.optimistic_sets import GridSets
from ctucbvi.numeric.arrays import Floats, Integers

LOW, HIGH, SHIFT, CHANCE = range(4)  # kinds of lanes
GUARDS = 512  # room for guards
GUARDS_USED = SPOTS_USED  # its place in `SetTrust.used`
_RARE = 0.25  # visits expected while a box lasts


class SetTrust(NamedTuple):
    """What is remembered of the last planned episode; names as in :class:`estimate_box.Trust`."""

    low: Floats  # (pairs,)
    high: Floats  # (pairs,)
    shift: Floats  # (pairs,) ρ
    chance: Floats  # (non-zeros,)
    twin: Integers  # (pairs,) the first pair of the state that provably has the same doubles; itself if alone
    glued: Integers  # (pairs,) whether there is another one with the same doubles
    seen: Integers  # (3, pairs) ticks, N⁺ and visits that were cut off when the last box was laid out
    limits: Floats  # (LIMITS,) ν at NOISE
    used: Integers  # (USED,)
    lanes: Integers  # (room, LANE)
    lane_of: Integers  # (3, pairs) the lanes of both ends and of ρ, -1 for none
    lane_of_chance: Integers  # (non-zeros,)
    width: Floats  # (room,) the box
    delta: Floats  # (room,) Δ
    leads: Floats  # (GUARDS, 2) D and R_D of the guards
    slopes: Floats  # (GUARDS, room) G_D


@compiled()
def enclose_sets(aim: int, since: int, scene: Scene, memory: Memory, trust: SetTrust) -> None:
    """Lay out the box: as far as the sets may go in ``aim`` episodes, going by the last ``since``.

    A pair that will hardly be visited has no lanes: should it be, the box is left.  With lanes, one visit
    to a pair of which little is known would make the box too large for all others.
    """
    row, ticks, n_plus, cut = scene.row, memory.counts[TICKS], memory.counts[N_PLUS], memory.counts[CUT]
    tick, horizon, ahead = scene.numbers.tick, scene.numbers.horizon, aim / since
    lane_of, lane_of_chance, seen = trust.lane_of, trust.lane_of_chance, trust.seen
    lane_of[:], lane_of_chance[:] = -1, -1
    trust.used[LANES_USED] = 0
    for k in range(row.size - 1):
        stay, jumps = float(ticks[k] - seen[0, k]), float(n_plus[k] - seen[1, k])
        visits = jumps + cut[k] - seen[2, k]
        seen[0, k], seen[1, k], seen[2, k] = ticks[k], n_plus[k], cut[k]
        if visits * ahead > _RARE and trust.glued[k] == 0:
            time, count = ticks[k] * tick, max(1.0, float(n_plus[k]))
            stay, jumps = stay * tick * ahead + horizon, min(n_plus[k], 2) + jumps * ahead
            spread = 3.0 * np.sqrt(1.0 + jumps)
            drift = (trust.high[k] - trust.low[k]) * stay / time
            width = min(1.0 / horizon, drift + spread / time)
            lane_of[LOW, k] = add_lane(trust, LOW, k, -1, width)
            lane_of[HIGH, k] = add_lane(trust, HIGH, k, -1, width)
            if n_plus[k] > 0:
                if trust.shift[k] >= 0.0:
                    width = min(1.0, trust.shift[k] * jumps / count)
                    lane_of[SHIFT, k] = add_lane(trust, SHIFT, k, -1, width)
                if row[k + 1] - row[k] > 1:
                    for e in range(row[k], row[k + 1]):
                        lane_of_chance[e] = add_lane(trust, CHANCE, k, e, min(1.0, spread / count))


@compiled()
def remember_sets(sets: GridSets, trust: SetTrust) -> None:
    """Keep the sets of the plan."""
    for k in range(sets.low.size):
        trust.low[k], trust.high[k], trust.shift[k] = sets.low[k], sets.high[k], sets.shift[k]
    for e in range(sets.chance.size):
        trust.chance[e] = sets.chance[e]


@compiled(forceinline=True)
def sets_moved_too_far(k: int, row: Integers, sets: GridSets, trust: SetTrust) -> bool:
    """Write down where the set of pair ``k`` is now; True if it has left the box."""
    lane_of = trust.lane_of
    if sets.several[k]:
        return True  # another formula
    if outside(lane_of[LOW, k], sets.low[k] - trust.low[k], trust):
        return True
    if outside(lane_of[HIGH, k], sets.high[k] - trust.high[k], trust):
        return True
    if outside(lane_of[SHIFT, k], sets.shift[k] - trust.shift[k], trust):
        return True
    for e in range(row[k], row[k + 1]):
        if outside(trust.lane_of_chance[e], sets.chance[e] - trust.chance[e], trust):
            return True
    return False


@compiled()
def mark_equal_sets(scene: Scene, sets: GridSets, trust: SetTrust) -> None:
    """Find the pairs of which nothing is known but the same rates: they have the same doubles."""
    first, twin, glued, reward = scene.first, trust.twin, trust.glued, scene.reward
    for x in range(first.size - 1):
        for k in range(first[x], first[x + 1]):
            twin[k], glued[k] = k, 0
            for j in range(first[x], k):
                same = sets.low[k] == sets.low[j] and sets.high[k] == sets.high[j] and reward[k] == reward[j]
                if glued[k] == 0 and same and sets.shift[k] < 0.0 and sets.shift[j] < 0.0:
                    twin[k] = twin[j]
                    glued[k] = glued[j] = 1
