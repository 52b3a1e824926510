"""What is remembered of a plan, and the box of estimates that it is asked about.

The proof is in :mod:`ctucbvi.learning.fast.skipping`.  A *lane* is an estimate that may change: ρ or λ of a
pair or one of its jump probabilities.  The box gives every lane a width.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import N_PLUS, TICKS, Desk, Memory, Scene
from ctucbvi.numbers import UNIT
from ctucbvi.numeric.arrays import Floats, Integers

TRACKED = 64  # rivals at grid points that can be tracked
LANES = 64  # estimates whose derivatives can be followed
SLACK = 1.0 + 2.0**-20  # by which bounds are enlarged
GAIN, SPEED, CHANCE = range(3)  # kinds of lanes: ρ, λ and p(y) of a pair
# Places in `Trust.lanes` and in `Trust.spots`.
KIND, PAIR, PLACE, LANE = range(4)
STATE, POINT, BEST, SECOND, SPOT = range(5)
# Places in `Trust.limits`: LEAST is below ‖V_n − V_{n−1}‖ for n < n_k, LAST above that for n_k; NOISE is ν.
LEAST, LAST, NOISE, LIMITS = range(4)
LEAD, REST = range(2)  # in `Trust.leads`: D and R_D
LANES_USED, SPOTS_USED, VALID, ROUNDS_KNOWN, USED = range(5)  # in `Trust.used`; the last is n_k


class Trust(NamedTuple):
    """What is remembered of the last planned episode; lanes are the estimates that may change."""

    rate: Floats  # (pairs,) λ
    gain: Floats  # (pairs,) ρ
    chance: Floats  # (non-zeros,) p
    twin: Integers  # (pairs,) the first pair of the state that provably has the same doubles; itself if alone
    glued: Integers  # (pairs,) whether there is another one with the same doubles
    seen: Integers  # (2, pairs) ticks and N⁺ when the last box was laid out
    limits: Floats  # (LIMITS,) see LEAST and the others
    used: Integers  # (USED,) see LANES_USED and the others
    lanes: Integers  # (LANES, LANE) kind, pair, place of the target
    lane_of: Integers  # (2, pairs) the lanes of ρ and λ, -1 for none
    lane_of_chance: Integers  # (non-zeros,)
    width: Floats  # (LANES,) the box
    delta: Floats  # (LANES,) Δ
    spots: Integers  # (TRACKED, SPOT) state, place in time, best pair and a rival, point by point
    leads: Floats  # (TRACKED, 2) D and R_D
    slopes: Floats  # (TRACKED, LANES) G_D


class Margins(NamedTuple):
    """Room for finding out, sweep by sweep, what the estimates of the box can change."""

    tangents: Floats  # (LANES, pairs padded, steps + 1) G of Q
    value_tangents: Floats  # (LANES, states, steps + 1) G of V of the sweep before
    linear: Floats  # (pairs padded, steps + 1) |G|·box of Q
    remainder: Floats  # (pairs padded, steps + 1) R of Q
    value_bound: Floats  # (states, steps + 1) B of V of the sweep before
    value_remainder: Floats  # (states, steps + 1) R of V of the sweep before
    value_spread: Floats  # (states, steps + 1) how far V_n − V_{n−1} can move
    follows: Floats  # (pairs padded, steps + 1) 1 where V follows this pair, else 0
    calm: Floats  # (4, pairs padded) the weights without gain, and e + ℓh for e
    inflow: Floats  # (2, steps + 1) room


@compiled()
def enclose(aim: int, since: int, scene: Scene, memory: Memory, trust: Trust) -> None:
    """Lay out the box: as far as the estimates may go in ``aim`` episodes, going by the last ``since``.

    The sharp bonus depends on the estimated rate, and moves with it.  How large the box is has no bearing on
    what is proved.  An estimate without a lane must not change: one of a pair that was not visited of late,
    or of one that has a twin.
    """
    row, ticks, n_plus = scene.row, memory.counts[TICKS], memory.counts[N_PLUS]
    tick, horizon, sharp = scene.numbers.tick, scene.numbers.horizon, scene.numbers.sharp
    lane_of, lane_of_chance, seen = trust.lane_of, trust.lane_of_chance, trust.seen
    lane_of[:], lane_of_chance[:] = -1, -1
    trust.used[LANES_USED] = 0
    for k in range(row.size - 1):
        stay, jumps = float(ticks[k] - seen[0, k]), float(n_plus[k] - seen[1, k])
        seen[0, k], seen[1, k] = ticks[k], n_plus[k]
        if stay > 0.0 and trust.glued[k] == 0:
            time, count = ticks[k] * tick, max(1.0, float(n_plus[k]))
            stay, jumps = stay * tick * aim / since + horizon, min(n_plus[k], 2) + jumps * aim / since
            bonus, spread = trust.gain[k] - scene.reward[k], 3.0 * np.sqrt(1.0 + jumps)
            if bonus > 0.0:
                change = stay / time + jumps / count + sharp * 2.0 * spread / count
                lane_of[GAIN, k] = add_lane(trust, GAIN, k, -1, min(1.0, bonus * change))
            if n_plus[k] > 0:
                lane_of[SPEED, k] = add_lane(trust, SPEED, k, -1, min(1.0 / horizon, spread / time))
                if row[k + 1] - row[k] > 1:
                    for e in range(row[k], row[k + 1]):
                        lane_of_chance[e] = add_lane(trust, CHANCE, k, e, min(1.0, spread / count))


@compiled()
def add_lane(trust: Trust, kind: int, pair: int, place: int, width: float) -> int:
    """A further lane; beyond the room for lanes they are only counted."""
    lane = trust.used[LANES_USED]
    trust.used[LANES_USED] = lane + 1
    if lane >= trust.width.size:
        return -1
    trust.lanes[lane, KIND], trust.lanes[lane, PAIR], trust.lanes[lane, PLACE] = kind, pair, place
    trust.width[lane], trust.delta[lane] = width, 0.0
    return int(lane)


@compiled()
def mark_twins(scene: Scene, desk: Desk, trust: Trust) -> None:
    """Find the pairs with the same doubles."""
    first, twin, glued = scene.first, trust.twin, trust.glued
    for x in range(first.size - 1):
        for k in range(first[x], first[x + 1]):
            twin[k], glued[k] = k, 0
            for other in range(first[x], k):
                if glued[k] == 0 and alike(scene.row, desk.chance, desk.weights, k, other):
                    twin[k] = twin[other]
                    glued[k] = glued[other] = 1


@compiled()
def alike(row: Integers, chance: Floats, weights: Floats, k: int, other: int) -> bool:
    """Whether two pairs have the same weights and no estimated jumps."""
    for j in range(4):
        if weights[j, k] != weights[j, other]:
            return False
    for pair in (k, other):
        for e in range(row[pair], row[pair + 1]):
            if chance[e] != 0.0:
                return False
    return True


@compiled()
def noise(rounds: int, scene: Scene, desk: Desk) -> float:
    """ν: what rounding can do to a lead or a distance; in the box ρ may grow by 1 if the bonus is sharp.

    γ counts roundings by UNIT each, to first order; the 64 is more than the rest takes.
    """
    row, numbers, steps = scene.row, scene.numbers, scene.times.size - 1
    longest, most = 0, 1.0
    for k in range(row.size - 1):
        longest, most = max(longest, row[k + 1] - row[k]), max(most, desk.gain[k] + numbers.sharp)
    gamma = (rounds + 2) * (32 * steps + 4 * longest + 64) * UNIT
    return float(64.0 * gamma * numbers.horizon * most * (1.0 + numbers.lambda_max * numbers.horizon))


@compiled()
def remember(desk: Desk, trust: Trust) -> None:
    """Keep the estimates of the plan."""
    for k in range(desk.rate.size):
        trust.rate[k], trust.gain[k] = desk.rate[k], desk.gain[k]
    for e in range(desk.chance.size):
        trust.chance[e] = desk.chance[e]


@compiled(forceinline=True)
def moved_too_far(k: int, row: Integers, desk: Desk, trust: Trust) -> bool:
    """Write down where the estimates of pair ``k`` are now; True if one has left the box."""
    if outside(trust.lane_of[GAIN, k], desk.gain[k] - trust.gain[k], trust):
        return True
    if outside(trust.lane_of[SPEED, k], desk.rate[k] - trust.rate[k], trust):
        return True
    for e in range(row[k], row[k + 1]):
        if outside(trust.lane_of_chance[e], desk.chance[e] - trust.chance[e], trust):
            return True
    return False


@compiled(forceinline=True)
def outside(lane: int, change: float, trust: Trust) -> bool:
    """Whether ``change`` is more than the box allows; an estimate without a lane must not change at all."""
    if lane < 0:
        return change != 0.0
    trust.delta[lane] = change
    return not abs(change) <= trust.width[lane]
