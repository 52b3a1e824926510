r"""One plan of the optimistic learner, compiled: its sets, and the best model in them on the grid.

The equation :math:`Q' = F(Q)` of :mod:`ctucbvi.learning.exact.equation` is marched by the third-order method
of Shu and Osher,

.. math:: \Phi(Q) = \tfrac13Q + \tfrac23E\bigl(\tfrac34Q + \tfrac14E(E(Q))\bigr), \qquad
          E(Q) = Q + \Delta F(Q) .

:math:`F_k = r + \max\tilde\lambda(m_k(V) - Q_k)` with :math:`V = \max_a Q`, so that for
:math:`\Delta\lambda_{\max} \le 1` (a cell is cut into parts where it is too long for that) :math:`E` is
monotone and does not increase differences; nor does :math:`\Phi`, which is made of means of such steps.

**Largest means.** Of an l1 set, with :math:`\rho = \alpha/2` and :math:`b` the best state,

.. math:: m = \min_c\Bigl\{\rho\,(V_b - c) + \sum_y \hat p_y\max(V_y, c)\Bigr\} ,

attained at the value :math:`c = V_j` of the target :math:`j` of which a part is left when :math:`\rho` has
been taken from the worst ones, or at :math:`c = V_b` if nothing is left.  A kl set around one target acts
like an l1 set with :math:`\rho = 1 - e^{-c}`; around several, the dual of
:mod:`ctucbvi.learning.exact.divergence` is solved, by Newton's method in the logarithm of :math:`\nu - V_b`.
"""

from __future__ import annotations

from math import exp, expm1, sqrt
from math import log as logarithm
from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, TICKS, Scene
from ctucbvi.numeric.arrays import Floats, Integers

_NEWTON = 60  # steps of a search, at most
_TINY = 1e-100  # of ν − V_b in units of the widest gap: smaller ones make no difference


class SetConstants(NamedTuple):
    """What the data do not change in the sets of :mod:`ctucbvi.learning.sets`, and the steps of the march."""

    tilts: Floats  # (J, 3) ζ, e^ζ − 1, 1 − e^{−ζ}; none for the paper's rates
    log_rates: float  # L(δ) of the paper's rates, or ℓ
    log_jumps: float  # ln(2^S SA/δ) for l1, ln(SA/δ) for kl
    divergence: bool  # whether jumps are a kl set
    parts: int  # steps of the march in a cell
    delta: float  # their length Δ


class GridSets(NamedTuple):
    """The sets of all pairs at the start of an episode."""

    low: Floats  # (pairs,) the least rate
    high: Floats  # (pairs,) the largest rate
    reach: Floats  # (pairs,) α/2 of an l1 set, c of a kl set; negative: all probability vectors
    shift: Floats  # (pairs,) ρ, the mass that may be moved; negative: all probability vectors
    chance: Floats  # (non-zeros,) p̂
    several: Integers  # (pairs,) whether a kl set has several targets


class MarchRoom(NamedTuple):
    """The table of a plan, and room for its steps."""

    table: Floats  # (pairs, steps + 1) Q̂ at the grid points
    values: Floats  # (states,) V at a stage
    stages: Floats  # (3, pairs) Q of stages
    dual: Floats  # (pairs,) where the search of the last kl maximum ended, relative to the largest gap


# --- sets -------------------------------------------------------------------------------------


@compiled()
def rate_interval(scene: Scene, constants: SetConstants, n_plus: int, time: float) -> tuple[float, float]:
    """The least and the largest rate after ``n_plus`` jumps in ``time``."""
    least, most = scene.numbers.lambda_min, scene.numbers.lambda_max
    log_rates, tilts = constants.log_rates, constants.tilts
    low, high = least, most
    if tilts.shape[0] == 0:
        if time >= log_rates / most:
            rate = max(min(n_plus / time, most), least) if n_plus > 0 else least
            radius = sqrt(most * log_rates / time)
            low, high = rate - radius, rate + radius
    elif time > 0.0:
        low, high = -np.inf, np.inf
        for j in range(tilts.shape[0]):
            low = max(low, (tilts[j, 0] * n_plus - log_rates) / tilts[j, 1] / time)
            high = min(high, (tilts[j, 0] * n_plus + log_rates) / tilts[j, 2] / time)
    low, high = min(max(low, least), most), min(max(high, least), most)
    return low, max(low, high)


@compiled()
def jump_reach(scene: Scene, constants: SetConstants, n_plus: int) -> float:
    """α/2 of an l1 set, c of a kl set; -1 where every probability vector is in it."""
    if n_plus == 0:
        return -1.0
    n = float(n_plus)
    if not constants.divergence:
        radius = sqrt(2.0 * ((constants.log_jumps + logarithm(n * (n + 1.0))) / n))
        return radius / 2.0 if radius < 2.0 else -1.0
    bracket = constants.log_jumps
    for j in range(1, scene.first.size - 1):
        bracket += logarithm((n + j) / j)
    return bracket / n


@compiled()
def renew(
    k: int, scene: Scene, constants: SetConstants, counts: Integers, jumps: Integers, sets: GridSets
) -> None:
    """The set of pair ``k`` from its statistics."""
    time = counts[TICKS, k] * scene.numbers.tick + counts[CUT, k] * scene.numbers.rest
    set_of(k, scene, constants, counts[N_PLUS, k], time, jumps, sets)


@compiled()
def set_of(
    k: int, scene: Scene, constants: SetConstants, n_plus: int, time: float, jumps: Integers, sets: GridSets
) -> None:
    """The set of pair ``k`` after ``n_plus`` jumps in ``time``."""
    row = scene.row
    sets.low[k], sets.high[k] = rate_interval(scene, constants, n_plus, time)
    sets.reach[k] = sets.shift[k] = jump_reach(scene, constants, n_plus)
    seen = 0
    for e in range(row[k], row[k + 1]):
        sets.chance[e] = jumps[e] / max(1, n_plus)
        seen += jumps[e] > 0
    if constants.divergence and n_plus > 0:
        sets.several[k] = seen > 1
        sets.shift[k] = -expm1(-sets.reach[k])


# --- the equation -----------------------------------------------------------------------------


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


# --- the march --------------------------------------------------------------------------------


@compiled()
def march(scene: Scene, constants: SetConstants, sets: GridSets, room: MarchRoom) -> None:
    """Fill the table."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loops.
    first, row, target, reward = scene.first, scene.row, scene.target, scene.reward
    low, high, reach, shift, chance, several = sets
    table, values, stages, dual = room
    delta, pairs = constants.delta, reward.size
    stages[0], dual[:] = 0.0, 0.0
    for i in range(1, table.shape[1]):
        for n in range(3 * constants.parts):
            a, b = (0, 1) if n % 3 == 0 else (1, 2)
            q, out = stages[a], stages[b]
            best = best_values(first, q, values)
            top = values[best]
            for k in range(pairs):
                begin, end, moved = row[k], row[k + 1], shift[k]
                if moved < 0.0:
                    ahead = top - q[k]
                elif end - begin == 1:
                    mine = values[target[begin]]
                    ahead = mine + moved * (top - mine) - q[k]
                elif several[k]:
                    mean = divergence_mean(begin, end, target, chance, values, top, reach[k], k, dual)
                    ahead = mean - q[k]
                else:
                    ahead = mean_within(begin, end, target, chance, values, best, moved) - q[k]
                out[k] = q[k] + delta * (reward[k] + max(low[k] * ahead, high[k] * ahead))
            if n % 3 == 1:
                for k in range(pairs):
                    stages[1, k] = (3.0 * stages[0, k] + stages[2, k]) / 4.0
            elif n % 3 == 2:
                for k in range(pairs):
                    stages[0, k] = (stages[0, k] + 2.0 * stages[2, k]) / 3.0
        for k in range(pairs):
            table[k, i] = stages[0, k]
