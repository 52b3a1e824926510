"""Grid points where the box does not settle the best action: found after planning, decided per episode.

The proof is in :mod:`ctucbvi.learning.fast.skipping`.
"""

from __future__ import annotations

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Choices, Scene
from ctucbvi.learning.fast.estimate_box import (
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
    Margins,
    Trust,
)
from ctucbvi.numeric.arrays import Floats

PLAN, SAME, OTHER = range(3)  # what `decide` says: plan; the policy stays; it changes at a tracked point


@compiled()
def find_spots(scene: Scene, action_values: Floats, policy: Choices, trust: Trust, margins: Margins) -> bool:
    """Find all rivals that may overtake somewhere, point by point; False if they are too many."""
    first, linear, remainder = scene.first, margins.linear, margins.remainder
    twin, used, noise = trust.twin, trust.used, trust.limits[NOISE]
    used[SPOTS_USED] = 0
    for x in range(first.size - 1):
        for i in range(1, scene.times.size):
            best = policy[x, i]
            for k in range(first[x], first[x + 1]):
                if twin[k] != k or k == twin[best]:
                    continue
                lead = action_values[best, i] - action_values[k, i]
                rest = (remainder[best, i] + remainder[k, i]) * SLACK + noise
                if lead > (linear[best, i] + linear[k, i]) * SLACK + rest:
                    continue  # a first check without the derivative of the difference
                if lead > lead_in_box(trust, margins, best, k, i) * SLACK + rest:
                    continue
                if used[SPOTS_USED] == TRACKED:
                    return False
                j = used[SPOTS_USED]
                trust.spots[j, STATE], trust.spots[j, POINT] = x, i
                trust.spots[j, BEST], trust.spots[j, SECOND] = best, k
                trust.leads[j, LEAD], trust.leads[j, REST] = lead, rest
                for lane in range(used[LANES_USED]):
                    trust.slopes[j, lane] = margins.tangents[lane, best, i] - margins.tangents[lane, k, i]
                used[SPOTS_USED] = j + 1
    return True


@compiled()
def lead_in_box(trust: Trust, margins: Margins, best: int, rival: int, i: int) -> float:
    r""":math:`|G_D|\cdot\text{box}`: how far a lead can move, but for its remainder."""
    found, tangents = 0.0, margins.tangents
    for lane in range(trust.used[LANES_USED]):
        found += trust.width[lane] * abs(tangents[lane, best, i] - tangents[lane, rival, i])
    return found


@compiled(forceinline=True)
def decide(epsilon: float, trust: Trust, policy: Choices) -> int:
    """Whether the policy is known, the estimates being in the box; if so it is in ``policy``."""
    limits, spots = trust.limits, trust.spots
    if not (limits[LEAST] >= epsilon and limits[LAST] < epsilon):
        return PLAN
    overtaken = -1
    for j in range(trust.used[SPOTS_USED]):
        lead = shifted(j, trust)
        if not abs(lead) > trust.leads[j, REST]:
            return PLAN
        if lead < 0.0:
            if (
                overtaken >= 0
                and spots[j, STATE] == spots[overtaken, STATE]
                and spots[j, POINT] == spots[overtaken, POINT]
            ):
                return PLAN  # by two rivals
            overtaken = j
    return int(settle(trust, policy))


@compiled(forceinline=True)
def settle(trust: Trust, policy: Choices) -> int:
    """Put the best actions of the tracked points into ``policy``; at most one rival overtakes at a point."""
    used, spots = trust.used, trust.spots
    answer, j = SAME, 0
    while j < used[SPOTS_USED]:
        x, i, choice = spots[j, STATE], spots[j, POINT], spots[j, BEST]
        while j < used[SPOTS_USED] and spots[j, STATE] == x and spots[j, POINT] == i:
            if shifted(j, trust) < 0.0:
                choice = spots[j, SECOND]
            j += 1
        if policy[x, i] != choice:
            policy[x, i] = choice
            answer = OTHER
            if i == 1:  # t_0 takes the action of t_1
                policy[x, 0] = choice
    return answer


@compiled(forceinline=True)
def shifted(j: int, trust: Trust) -> float:
    r""":math:`D + G_D \cdot \Delta` of a tracked point."""
    slopes, delta = trust.slopes, trust.delta
    lead = trust.leads[j, LEAD]
    for lane in range(trust.used[LANES_USED]):
        lead += slopes[j, lane] * delta[lane]
    return float(lead)
