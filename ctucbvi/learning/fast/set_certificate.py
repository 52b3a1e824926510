r"""A proved bound on the error of a table of the optimistic learner, from the table alone.

Between two grid points, :math:`h` apart, let :math:`q` be the cubic with the values of the table and the
slopes :math:`F(q)` at both ends.  The equation is non-expansive
(:mod:`ctucbvi.learning.exact.equation`), so that :math:`\|q - Q\|(t) \le \int_0^t\|q' - F(q)\|`.  The
residual is bounded by the control points :math:`c_0,\dots,c_3` of :math:`q = \sum_j B_jc_j`, where
:math:`B_j \ge 0` and :math:`\sum_jB_j = 1`: each :math:`F_k` is a largest of linear functions
:math:`L` of :math:`q`, one for every action, rate and row, so it is convex, and

.. math:: L(c_j) \text{ in the mean} \;=\; L(q) \le F_k(q) \le \sum_j B_jF_k(c_j),
          \qquad\text{so}\qquad
          \min_j\bigl(d_j - F_k(c_j)\bigr) \le q_k' - F_k(q) \le \max_j\bigl(d_j - L(c_j)\bigr)

with the control points :math:`d_j` of :math:`q'`, for any one :math:`L`: the one that is largest in the
middle of the cell.  For a kl set the largest mean at :math:`c_j` is bounded by its dual, and the row of
:math:`L` is one that is in the set.

**Rounding.** :math:`d_j` is rounded by at most :math:`24uH/h`, :math:`F` and :math:`L` by
:math:`(4s+16)u(1+2\lambda_{\max}H)` (rows of :math:`s` targets); twice that is added.  The dual of a kl
maximum is a difference of numbers as large as :math:`z = (\nu-V_b)/H`, rounded by
:math:`8u(1+z)\ln(2+z)H`.
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Scene
from ctucbvi.learning.fast.largest_means import (
    best_values,
    divergence_mean,
    divergence_slack,
    log_mean,
    mean_within,
    threshold,
)
from ctucbvi.learning.fast.optimistic_sets import GridSets
from ctucbvi.numbers import UNIT
from ctucbvi.numeric.arrays import Floats


@compiled()
def right_side(scene: Scene, sets: GridSets, q: Floats, values: Floats, dual: Floats, out: Floats) -> None:
    """F(q)."""
    row, target, chance = scene.row, scene.target, sets.chance
    best = best_values(scene.first, q, values)
    for k in range(q.size):
        begin, end, shift = row[k], row[k + 1], sets.shift[k]
        if shift < 0.0:
            mean = values[best]
        elif sets.several[k]:
            mean = divergence_mean(begin, end, target, chance, values, values[best], sets.reach[k], k, dual)
        else:
            mean = mean_within(begin, end, target, chance, values, best, shift)
        ahead = mean - q[k]
        out[k] = scene.reward[k] + max(sets.low[k] * ahead, sets.high[k] * ahead)


@compiled()
def best_row(
    k: int, scene: Scene, sets: GridSets, values: Floats, best: int, dual: Floats, row: Floats
) -> None:
    """Fill ``row``, one weight per state, with jumps from the set of pair ``k`` that make the mean large."""
    begin, end, target, chance, shift = (
        scene.row[k], scene.row[k + 1], scene.target, sets.chance, sets.shift[k],
    )  # fmt: skip
    row[:] = 0.0
    if shift < 0.0:
        row[best] = 1.0
        return
    if sets.several[k]:
        divergence_row(k, scene, sets, values, best, dual, row)
        return
    place, kept = threshold(begin, end, target, chance, values, best, shift)
    if place < 0:
        row[best] = 1.0
        return
    worst = values[target[place]]
    row[best] = shift
    for e in range(begin, end):
        y = target[e]
        if e == place:
            row[y] += kept
        elif y == best or values[y] > worst or (values[y] == worst and e > place):
            row[y] += chance[e]


@compiled()
def divergence_row(
    k: int, scene: Scene, sets: GridSets, values: Floats, best: int, dual: Floats, row: Floats
) -> None:
    """A row of a kl set: the maximiser for ν of the last search, mixed with p̂ where that is outside."""
    begin, end, target, chance = scene.row[k], scene.row[k + 1], scene.target, sets.chance
    top, radius, widest = values[best], sets.reach[k], 0.0
    divergence_mean(begin, end, target, chance, values, top, radius, k, dual)
    edge = True
    for e in range(begin, end):
        if chance[e] > 0.0:
            widest = max(widest, top - values[target[e]])
            edge = edge and top > values[target[e]]
    if widest == 0.0:
        row[best] = 1.0
        return
    if edge:
        level, _ = divergence_slack(begin, end, target, chance, values, top, 0.0, widest)
        edge = level <= radius
    z = 0.0 if edge else dual[k]
    level, _ = divergence_slack(begin, end, target, chance, values, top, z, widest)
    scale = exp(log_mean(begin, end, target, chance, values, top, z, widest) - radius)
    part = 1.0
    if level > radius:  # too far from p̂, by the divergence `level`: go as far as the set does
        scale, part = scale * exp(radius - level), radius / level * (1.0 - 2.0**-40)
    total = 0.0
    for e in range(begin, end):
        if chance[e] > 0.0:
            x = z + (top - values[target[e]]) / widest
            mass = part * scale * chance[e] / x + (1.0 - part) * chance[e]
            row[target[e]] += mass
            total += mass
    row[best] += max(0.0, 1.0 - total)


@compiled()
def error_of_table(scene: Scene, sets: GridSets, table: Floats) -> float:
    """A bound on |table − Q| at all grid points."""
    pairs, points = table.shape
    states, h = scene.first.size - 1, scene.numbers.horizon / (points - 1)
    values, dual, row = np.zeros(states), np.zeros(pairs), np.zeros(states)
    slope, control, right = np.zeros((2, pairs)), np.zeros((4, pairs)), np.zeros((4, pairs))
    middle, follows, linear = np.zeros(pairs), np.zeros(states, np.int64), np.zeros(4)
    blur, error = _blur(scene, h), 0.0
    for i in range(1, points):
        right_side(scene, sets, table[:, i - 1].copy(), values, dual, slope[0])
        right_side(scene, sets, table[:, i].copy(), values, dual, slope[1])
        for k in range(pairs):
            control[0, k], control[3, k] = table[k, i - 1], table[k, i]
            control[1, k] = table[k, i - 1] + h / 3.0 * slope[0, k]
            control[2, k] = table[k, i] - h / 3.0 * slope[1, k]
            middle[k] = (control[0, k] + 3.0 * (control[1, k] + control[2, k]) + control[3, k]) / 8.0
        for j in range(4):
            right_side(scene, sets, control[j], values, dual, right[j])
        best = best_values(scene.first, middle, values)
        for x in range(states):
            follows[x] = scene.first[x]
            for k in range(scene.first[x], scene.first[x + 1]):
                if middle[k] > middle[follows[x]]:
                    follows[x] = k
        residual = 0.0
        for k in range(pairs):
            best_row(k, scene, sets, values, best, dual, row)
            ahead = -middle[k]
            for x in range(states):
                ahead += row[x] * middle[follows[x]]
            rate = sets.high[k] if ahead > 0.0 else sets.low[k]
            for j in range(4):
                linear[j] = -control[j, k]
                for x in range(states):
                    linear[j] += row[x] * control[j, follows[x]]
                linear[j] = scene.reward[k] + rate * linear[j]
            one = 3.0 * (control[1, k] - control[0, k]) / h
            two = 3.0 * (control[2, k] - control[1, k]) / h
            three = 3.0 * (control[3, k] - control[2, k]) / h
            for j in range(4):
                rise = (one, (one + 2.0 * two) / 3.0, (2.0 * two + three) / 3.0, three)[j]
                residual = max(residual, right[j, k] - rise, rise - linear[j])
        z = max(dual)
        search = 8.0 * UNIT * (1.0 + z) * log(2.0 + z) * scene.numbers.lambda_max * scene.numbers.horizon
        error += h * (residual + blur + search)
    return error * (1.0 + 2.0**-20)


@compiled()
def _blur(scene: Scene, h: float) -> float:
    """What rounding may add to a residual."""
    numbers, longest = scene.numbers, 0
    for k in range(scene.row.size - 1):
        longest = max(longest, scene.row[k + 1] - scene.row[k])
    load = numbers.lambda_max * numbers.horizon
    return 2.0 * UNIT * (24.0 * numbers.horizon / h + (4.0 * longest + 16.0) * (1.0 + 2.0 * load))
