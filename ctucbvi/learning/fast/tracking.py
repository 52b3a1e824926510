"""Grid points where the box does not settle the best action: found after planning, decided per episode.

The proof is in :mod:`ctucbvi.learning.fast.skipping`.
"""

from __future__ import annotations

from numba import njit

from ctucbvi.learning.fast.boxes import (
    BEST,
    LANES_USED,
    LAST,
    LEAD,
    LEAST,
    NOISE,
    POINT,
    REST,
    SECOND,
    SLACK,
    SPOTS_USED,
    STATE,
    TRACKED,
    Choices,
    Trust,
)
from ctucbvi.numeric.arrays import Floats, Integers

PLAN, SAME, OTHER = range(3)  # what `decide` says: plan; the policy stays; it changes at a tracked point


@njit(cache=True)
def find_spots(first: Integers, times: Floats, action_values: Floats, policy: Choices, trust: Trust) -> bool:
    """Find all rivals that may overtake somewhere, point by point; False if they are too many."""
    linear, remainder, twin, used = trust.linear, trust.remainder, trust.twin, trust.used
    noise = trust.limits[NOISE]
    used[SPOTS_USED] = 0
    for x in range(first.size - 1):
        for i in range(1, times.size):
            best = policy[x, i]
            for k in range(first[x], first[x + 1]):
                if twin[k] != k or k == twin[best]:
                    continue
                lead = action_values[best, i] - action_values[k, i]
                rest = (remainder[best, i] + remainder[k, i]) * SLACK + noise
                if lead > (linear[best, i] + linear[k, i]) * SLACK + rest:
                    continue  # a first check without the derivative of the difference
                if lead > lead_in_box(trust, best, k, i) * SLACK + rest:
                    continue
                if used[SPOTS_USED] == TRACKED:
                    return False
                add_spot(trust, x, i, best, k, lead, rest)
    return True


@njit(cache=True)
def lead_in_box(trust: Trust, best: int, rival: int, i: int) -> float:
    r""":math:`|G_D|\cdot\text{box}`: how far a lead can move, but for its remainder."""
    found = 0.0
    for lane in range(trust.used[LANES_USED]):
        found += trust.width[lane] * abs(trust.tangents[lane, best, i] - trust.tangents[lane, rival, i])
    return found


@njit(cache=True)
def add_spot(trust: Trust, x: int, i: int, best: int, rival: int, lead: float, rest: float) -> None:
    """Track a point."""
    j = trust.used[SPOTS_USED]
    trust.used[SPOTS_USED] = j + 1
    trust.spots[j, STATE], trust.spots[j, POINT] = x, i
    trust.spots[j, BEST], trust.spots[j, SECOND] = best, rival
    trust.leads[j, LEAD], trust.leads[j, REST] = lead, rest
    for lane in range(trust.used[LANES_USED]):
        trust.slopes[j, lane] = trust.tangents[lane, best, i] - trust.tangents[lane, rival, i]


@njit(cache=True)
def decide(
    epsilon: float,
    limits: Floats,
    used: Integers,
    spots: Integers,
    leads: Floats,
    slopes: Floats,
    delta: Floats,
    policy: Choices,
) -> int:
    """Whether the policy is known, the estimates being in the box; if so it is in ``policy``."""
    if not (limits[LEAST] >= epsilon and limits[LAST] < epsilon):
        return PLAN
    overtaken = -1
    for j in range(used[SPOTS_USED]):
        lead = shifted(j, used[LANES_USED], leads, slopes, delta)
        if not abs(lead) > leads[j, REST]:
            return PLAN
        if lead < 0.0:
            if (
                overtaken >= 0
                and spots[j, STATE] == spots[overtaken, STATE]
                and spots[j, POINT] == spots[overtaken, POINT]
            ):
                return PLAN  # by two rivals
            overtaken = j
    return int(settle(used, spots, leads, slopes, delta, policy))


@njit(cache=True)
def settle(
    used: Integers, spots: Integers, leads: Floats, slopes: Floats, delta: Floats, policy: Choices
) -> int:
    """Put the best actions of the tracked points into ``policy``; at most one rival overtakes at a point."""
    answer, j = SAME, 0
    while j < used[SPOTS_USED]:
        x, i, choice = spots[j, STATE], spots[j, POINT], spots[j, BEST]
        while j < used[SPOTS_USED] and spots[j, STATE] == x and spots[j, POINT] == i:
            if shifted(j, used[LANES_USED], leads, slopes, delta) < 0.0:
                choice = spots[j, SECOND]
            j += 1
        if policy[x, i] != choice:
            policy[x, i] = choice
            answer = OTHER
            if i == 1:  # t_0 takes the action of t_1
                policy[x, 0] = choice
    return answer


@njit(cache=True)
def shifted(j: int, lanes: int, leads: Floats, slopes: Floats, delta: Floats) -> float:
    r""":math:`D + G_D \cdot \Delta` of a tracked point."""
    lead = leads[j, LEAD]
    for lane in range(lanes):
        lead += slopes[j, lane] * delta[lane]
    return float(lead)
