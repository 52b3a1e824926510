"""The sets of the optimistic learner (:mod:`ctucbvi.learning.sets`), compiled, in doubles."""

from __future__ import annotations

from math import expm1, sqrt
from math import log as logarithm
from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, TICKS, Scalars, Scene
from ctucbvi.numeric.arrays import Floats, Integers


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


@compiled(forceinline=True)
def rate_interval(
    numbers: Scalars, tilts: Floats, log_rates: float, n_plus: int, time: float
) -> tuple[float, float]:
    """The least and the largest rate after ``n_plus`` jumps in ``time``."""
    least, most = numbers.lambda_min, numbers.lambda_max
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


@compiled(forceinline=True)
def jump_reach(states: int, log_jumps: float, divergence: bool, n_plus: int) -> float:
    """α/2 of an l1 set, c of a kl set; -1 where every probability vector is in it."""
    if n_plus == 0:
        return -1.0
    n = float(n_plus)
    if not divergence:
        radius = sqrt(2.0 * ((log_jumps + logarithm(n * (n + 1.0))) / n))
        return radius / 2.0 if radius < 2.0 else -1.0
    bracket = log_jumps
    for j in range(1, states):
        bracket += logarithm((n + j) / j)
    return bracket / n


@compiled()
def renew(
    pairs: Integers, scene: Scene, constants: SetConstants, counts: Integers, jumps: Integers, sets: GridSets
) -> None:
    """The sets of ``pairs`` from their statistics."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loop.
    row, states, numbers = scene.row, scene.first.size - 1, scene.numbers
    tilts, log_rates, log_jumps, divergence, _, _ = constants
    low, high, reach, shift, chance, several = sets
    for n in range(pairs.size):
        k, seen = pairs[n], 0
        n_plus, time = counts[N_PLUS, k], counts[TICKS, k] * numbers.tick + counts[CUT, k] * numbers.rest
        low[k], high[k] = rate_interval(numbers, tilts, log_rates, n_plus, time)
        reach[k] = shift[k] = jump_reach(states, log_jumps, divergence, n_plus)
        for e in range(row[k], row[k + 1]):
            chance[e] = jumps[e] / max(1, n_plus)
            seen += jumps[e] > 0
        if divergence and n_plus > 0:
            several[k] = seen > 1
            shift[k] = -expm1(-reach[k])
