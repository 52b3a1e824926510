r"""The largest means over the sets of jumps, in doubles.

Of an l1 set, with :math:`\rho = \alpha/2` and :math:`b` the best state,

.. math:: m = \min_c\Bigl\{\rho\,(V_b - c) + \sum_y \hat p_y\max(V_y, c)\Bigr\} ,

attained at the value :math:`c = V_j` of the target :math:`j` of which a part is left when :math:`\rho` has
been taken from the worst ones, or at :math:`c = V_b` if nothing is left.  A kl set around one target acts
like an l1 set with :math:`\rho = 1 - e^{-c}`; around several, the dual of
:mod:`ctucbvi.learning.exact.divergence` is solved, by Newton's method in the logarithm of :math:`\nu - V_b`.
"""

from __future__ import annotations

from math import exp
from math import log as logarithm

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats, Integers

_NEWTON = 60  # steps of a search, at most
_TINY = 1e-100  # of ν − V_b in units of the widest gap: smaller ones make no difference


@compiled(forceinline=True)
def best_values(first: Integers, q: Floats, values: Floats) -> int:
    """Fill ``values`` with V; returns the first best state."""
    best = 0
    for x in range(first.size - 1):
        value = q[first[x]]
        for k in range(first[x] + 1, first[x + 1]):
            value = q[k] if q[k] > value else value
        values[x] = value
        best = x if value > values[best] else best
    return best


@compiled(forceinline=True)
def threshold(
    begin: int, end: int, target: Integers, chance: Floats, values: Floats, best: int, shift: float
) -> tuple[int, float]:
    """The target of which a part is left, by its place, and how much; -1 if no mass is left.

    Targets are emptied in the order of their values, the first of equal ones first.
    """
    left, last = shift, -1
    while True:
        place = -1
        for e in range(begin, end):
            if target[e] == best:
                continue
            mine = values[target[e]]
            if last >= 0 and (mine < values[target[last]] or (mine == values[target[last]] and e <= last)):
                continue
            if place < 0 or mine < values[target[place]]:
                place = e
        if place < 0:
            return -1, 0.0
        if left <= chance[place]:
            return place, chance[place] - left
        left -= chance[place]
        last = place


@compiled(forceinline=True)
def mean_within(
    begin: int, end: int, target: Integers, chance: Floats, values: Floats, best: int, shift: float
) -> float:
    """The largest mean over an l1 set around several targets."""
    place, _ = threshold(begin, end, target, chance, values, best, shift)
    if place < 0:
        return float(values[best])
    worst = values[target[place]]
    mean = shift * (values[best] - worst)
    for e in range(begin, end):
        mean += chance[e] * max(values[target[e]], worst)
    return float(mean)


@compiled()
def divergence_mean(
    begin: int,
    end: int,
    target: Integers,
    chance: Floats,
    values: Floats,
    top: float,
    radius: float,
    k: int,
    dual: Floats,
) -> float:
    """The largest mean over a kl set; the search begins where the last one of the pair ended."""
    widest, seen = 0.0, False
    for e in range(begin, end):
        if chance[e] > 0.0:
            gap = top - values[target[e]]
            widest = max(widest, gap)
            seen = seen or gap == 0.0
    if widest == 0.0:
        return top
    if not seen:
        level, _ = divergence_slack(begin, end, target, chance, values, top, 0.0, widest)
        if level <= radius:  # the edge: ν is the best value
            return top - widest * exp(log_mean(begin, end, target, chance, values, top, 0.0, widest) - radius)
    low, high = 0.0, np.inf  # of z/widest
    z = max(dual[k], _TINY) if dual[k] > 0.0 else 1.0
    for _ in range(_NEWTON):
        level, slope = divergence_slack(begin, end, target, chance, values, top, z, widest)
        if level > radius:
            low = z
        else:
            high = z
        # In s = ln z the level falls; near 0 it is almost linear in s, far out like e^{−2s}.
        step = (level - radius) / max(-slope * z, 1e-300)
        following = z * exp(min(max(step, -2.0), 2.0))
        if not low < following < high:
            following = 0.5 * (low + high) if high < np.inf else 4.0 * z
            if low == 0.0:
                following = min(following, 0.25 * high)
        if abs(following - z) <= 1e-15 * z or following < _TINY:
            break
        z = following
    dual[k] = z
    return top + widest * (z - exp(log_mean(begin, end, target, chance, values, top, z, widest) - radius))


@compiled()
def log_mean(
    begin: int,
    end: int,
    target: Integers,
    chance: Floats,
    values: Floats,
    top: float,
    z: float,
    widest: float,
) -> float:
    """Ln G of the gaps in units of the widest, each enlarged by ``z``."""
    total = 0.0
    for e in range(begin, end):
        if chance[e] > 0.0:
            total += chance[e] * logarithm(z + (top - values[target[e]]) / widest)
    return total


@compiled()
def divergence_slack(
    begin: int,
    end: int,
    target: Integers,
    chance: Floats,
    values: Floats,
    top: float,
    z: float,
    widest: float,
) -> tuple[float, float]:
    """Ln G − ln H at ``z``, and its derivative."""
    logs, inverse, square = 0.0, 0.0, 0.0
    for e in range(begin, end):
        if chance[e] > 0.0:
            x = z + (top - values[target[e]]) / widest
            logs += chance[e] * logarithm(x)
            inverse += chance[e] / x
            square += chance[e] / (x * x)
    return logs + logarithm(inverse), inverse - square / inverse
