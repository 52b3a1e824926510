r"""One plan of the optimistic learner, compiled: its sets, and the best model in them on the grid.

The equation :math:`Q' = F(Q)` of :mod:`ctucbvi.learning.exact.equation` is marched by the third-order method
of Shu and Osher,

.. math:: \Phi(Q) = \tfrac13Q + \tfrac23E\bigl(\tfrac34Q + \tfrac14E(E(Q))\bigr), \qquad
          E(Q) = Q + \Delta F(Q) .

:math:`F_k = r + \max\tilde\lambda(m_k(V) - Q_k)` with :math:`V = \max_a Q`, so that for
:math:`\Delta\lambda_{\max} \le 1` (a cell is cut into parts where it is too long for that) :math:`E` is
monotone and does not increase differences; nor does :math:`\Phi`, which is made of means of such steps.

**Frozen means.** The largest mean over an l1 set (:mod:`ctucbvi.learning.fast.largest_means`) is attained at
the same target :math:`j` as long as the targets of a row keep their order, ties included, and one state stays
the best.  So the search for it is not repeated at every stage: a mean is *frozen* as

.. math:: m = \rho\,(V_b - V_j) + p_1V_{y_1} + p_2V_{y_2} ,

where :math:`y` is a target, or :math:`j` for one that is not better, until a comparison comes out
differently.  Longer rows keep :math:`j`, and only kl sets around several targets are searched each time.  No
bit depends on it: each mean is the same sum of the same products.
"""

from __future__ import annotations

from math import expm1, sqrt
from math import log as logarithm
from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, TICKS, Scene, Words
from ctucbvi.learning.fast.largest_means import divergence_mean, threshold
from ctucbvi.learning.fast.sweeps import NO_NAN
from ctucbvi.numeric.arrays import Floats, Integers

# Places in `MarchRoom.terms`: the rates, r, and the factors of a frozen mean; each pair has TERMS of them.
LOW, HIGH, REWARD, MOVED, ONE, TWO, TERMS = 0, 1, 2, 3, 4, 5, 8
_NEXT = np.uint64(1)
SPOTS = 4  # of each pair in `MarchRoom.spots`: j, y_1, y_2 and room


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
    values: Floats  # (states + 1,) V at a stage, and 0
    stages: Floats  # (3 pairs,) Q of stages, one after the other
    dual: Floats  # (pairs,) where the search of the last kl maximum ended, relative to the largest gap
    first: Words  # (states + 1,) that of the scene
    terms: Floats  # (TERMS pairs,)
    spots: Words  # (SPOTS pairs,) states, or the place of the 0
    slow: Integers  # (pairs,) those whose mean has not three terms
    order: Words  # (4 non-zeros,) states that are compared, the worse one first
    tied: Integers  # (2 non-zeros,) whether they are equal


def make_march_room(scene: Scene) -> MarchRoom:
    """Room for the plans of ``scene``."""
    pairs, states, places, points = (
        len(scene.reward), len(scene.first) - 1, len(scene.target), len(scene.times),
    )  # fmt: skip
    return MarchRoom(
        table=np.zeros((pairs, points)),
        values=np.zeros(states + 1),
        stages=np.zeros(3 * pairs),
        dual=np.zeros(pairs),
        first=scene.first.astype(np.uint64),
        terms=np.zeros(TERMS * pairs),
        spots=np.zeros(SPOTS * pairs, np.uint64),
        slow=np.zeros(pairs, np.int64),
        order=np.zeros(4 * places, np.uint64),
        tied=np.zeros(2 * places, np.int64),
    )


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


# --- the march --------------------------------------------------------------------------------


@compiled()
def compare(begin: int, end: int, target: Integers, values: Floats, room: MarchRoom, compared: int) -> int:
    """Write down the order of the targets of a row; returns how many comparisons there are."""
    order, tied = room.order, room.tied
    for e in range(begin + 1, end):
        # The next worse one of all targets before it, and the next better one.
        y, below, above = target[e], -1, -1
        for d in range(begin, e):
            z = target[d]
            if values[z] <= values[y] and (below < 0 or values[z] > values[below]):
                below = z
            if values[z] > values[y] and (above < 0 or values[z] < values[above]):
                above = z
        for lower, upper in ((below, y), (y, above)):
            if lower >= 0 and upper >= 0:
                last = 2 * compared - 2
                if compared > 0 and order[last] == lower and order[last + 1] == upper:
                    continue  # the row before has the same targets
                order[last + 2], order[last + 3] = lower, upper
                tied[compared] = values[lower] == values[upper]
                compared += 1
    return compared


@compiled()
def freeze(best: int, scene: Scene, sets: GridSets, room: MarchRoom) -> tuple[int, int]:
    """Means for the present order of the values; returns how many comparisons, and slow pairs, there are."""
    row, target, shift, chance = scene.row, scene.target, sets.shift, sets.chance
    values, terms, spots, nothing = room.values, room.terms, room.spots, room.values.size - 1
    compared = slow = 0
    for k in range(shift.size):
        begin, end, t, s = row[k], row[k + 1], TERMS * k, SPOTS * k
        terms[t + LOW], terms[t + HIGH], terms[t + REWARD] = sets.low[k], sets.high[k], scene.reward[k]
        terms[t + MOVED], terms[t + ONE], terms[t + TWO] = 1.0, 0.0, 0.0  # the best value, V_b − 0
        spots[s] = spots[s + 1] = spots[s + 2] = nothing
        if shift[k] < 0.0 or begin == end:
            continue
        if sets.several[k] or end - begin > 2:
            room.slow[slow] = k
            slow += 1
        if sets.several[k]:
            continue
        place = begin
        if end - begin > 1:
            place, _ = threshold(begin, end, target, chance, values, best, shift[k])
            compared = compare(begin, end, target, values, room, compared)
        if place < 0:
            continue
        worst = target[place]
        terms[t + MOVED], spots[s] = shift[k], worst
        for e in range(begin, min(end, begin + 2)):
            y = target[e]
            terms[t + ONE + e - begin] = chance[e] if end - begin > 1 else 1.0
            spots[s + 1 + e - begin] = y if values[y] > values[worst] else worst
    return compared, slow


@compiled(forceinline=True)
def frozen_mean(
    begin: int,
    end: int,
    target: Integers,
    chance: Floats,
    values: Floats,
    top: float,
    shift: float,
    worst: int,
) -> float:
    """The largest mean over an l1 set of which a part of ``worst`` is left; of nothing, the best value."""
    if worst == values.size - 1:
        return top
    least = values[worst]
    mean = shift * (top - least)
    for e in range(begin, end):
        mean += chance[e] * max(values[target[e]], least)
    return float(mean)


@compiled(fastmath=NO_NAN)
def march(scene: Scene, constants: SetConstants, sets: GridSets, room: MarchRoom) -> None:
    """Fill the table."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loops.
    row, target, chance, reach, several = scene.row, scene.target, sets.chance, sets.reach, sets.several
    table, values, stages, dual, first, terms, spots, slow, order, tied = room
    delta, pairs, states = constants.delta, several.size, first.size - 1
    values[:], stages[:], dual[:] = 0.0, 0.0, 0.0
    best, compared, slowly = -1, 0, 0
    for i in range(1, table.shape[1]):
        for n in range(3 * constants.parts):
            a, b = (0, pairs) if n % 3 == 0 else (pairs, 2 * pairs)
            same, top = best >= 0, values[best]
            for x in range(best):
                same &= values[x] < top
            for x in range(best + 1, states):
                same &= values[x] <= top
            for j in range(compared):
                lower, upper = values[order[2 * j]], values[order[2 * j + 1]]
                same &= (lower <= upper) & ((lower == upper) == (tied[j] != 0))
            if not same:
                best = 0
                for x in range(states):
                    best = x if values[x] > values[best] else best
                top = values[best]
                compared, slowly = freeze(best, scene, sets, room)
            for k in range(pairs):
                t, s = TERMS * k, SPOTS * k
                mean = terms[t + MOVED] * (top - values[spots[s]])
                mean += terms[t + ONE] * values[spots[s + 1]]
                ahead = mean + terms[t + TWO] * values[spots[s + 2]] - stages[a + k]
                slow_part, fast_part = terms[t + LOW] * ahead, terms[t + HIGH] * ahead
                gain = fast_part if fast_part > slow_part else slow_part
                stages[b + k] = stages[a + k] + delta * (terms[t + REWARD] + gain)
            for j in range(slowly):
                k = slow[j]
                begin, end, t = row[k], row[k + 1], TERMS * k
                if several[k]:
                    mean = divergence_mean(begin, end, target, chance, values, top, reach[k], k, dual)
                else:
                    moved, worst = terms[t + MOVED], spots[SPOTS * k]
                    mean = frozen_mean(begin, end, target, chance, values, top, moved, worst)
                ahead = mean - stages[a + k]
                gain = max(terms[t + LOW] * ahead, terms[t + HIGH] * ahead)
                stages[b + k] = stages[a + k] + delta * (terms[t + REWARD] + gain)
            last = np.uint64(pairs)
            if n % 3 == 1:
                for k in range(pairs):
                    stages[pairs + k] = (3.0 * stages[k] + stages[2 * pairs + k]) / 4.0
            elif n % 3 == 2:
                last = np.uint64(0)
                for k in range(pairs):
                    stages[k] = (stages[k] + 2.0 * stages[2 * pairs + k]) / 3.0
            for x in range(states):
                value = stages[last + first[x]]
                for k in range(first[x] + _NEXT, first[x + 1]):
                    value = stages[last + k] if stages[last + k] > value else value
                values[x] = value
        for k in range(pairs):
            table[k, i] = stages[k]
