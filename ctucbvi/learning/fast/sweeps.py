r"""The sweeps of modified value iteration, with weights that change from plan to plan.

The recursion is that of :mod:`ctucbvi.numeric.grid` (linear rule, no terminal reward),

.. math:: \mathcal T^a V(t_i) = e\,\mathcal T^a V(t_{i-1}) + \bigl(g + \alpha u(t_{i-1}) + \beta u(t_i)\bigr),
          \qquad u = \sum_y p(y) V(y),

arranged for speed: first the bracket at all times of a pair, which can be vectorised, then the
recursion for four pairs side by side, each of which has to wait for itself only.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Desk, Scene
from ctucbvi.numeric.arrays import Floats, Integers

TOGETHER = 4  # pairs whose recursions run side by side
NO_NAN = {"nnan", "nsz"}  # lets maxima be vectorised; sums and products stay what they are


@compiled(fastmath=NO_NAN)
def gather(
    row: Integers,
    target: Integers,
    chance: Floats,
    weights: Floats,
    values: Floats,
    inflow: Floats,
    out: Floats,
) -> None:
    """The bracket, ``(pairs, steps + 1)``, from ``values``, ``(states, steps + 1)``; u goes to ``inflow``."""
    for k in range(row.size - 1):
        inflow[:] = 0.0
        for e in range(row[k], row[k + 1]):
            p, ahead = chance[e], values[target[e]]
            for i in range(inflow.size):
                inflow[i] += p * ahead[i]
        gain, alpha, beta, mine = weights[1, k], weights[2, k], weights[3, k], out[k]
        for i in range(1, inflow.size):
            mine[i] = gain + alpha * inflow[i - 1] + beta * inflow[i]


@compiled(fastmath=NO_NAN)
def accumulate(weights: Floats, out: Floats) -> None:
    """The recursion, in place, from 0 at the first grid point."""
    for k in range(0, out.shape[0], TOGETHER):
        d0, d1, d2, d3 = weights[0, k], weights[0, k + 1], weights[0, k + 2], weights[0, k + 3]
        r0, r1, r2, r3 = out[k], out[k + 1], out[k + 2], out[k + 3]
        q0 = q1 = q2 = q3 = 0.0
        for i in range(1, out.shape[1]):
            q0, q1 = d0 * q0 + r0[i], d1 * q1 + r1[i]
            q2, q3 = d2 * q2 + r2[i], d3 * q3 + r3[i]
            r0[i], r1[i], r2[i], r3[i] = q0, q1, q2, q3


@compiled(fastmath=NO_NAN)
def improve(first: Integers, times: Floats, action_values: Floats, old: Floats, new: Floats) -> float:
    """Fill ``new`` with min{t, max_a T^a V}; returns max |new − old|, where new is at least old."""
    distance = 0.0
    for x in range(first.size - 1):
        out, was, mine = new[x], old[x], action_values[first[x]]
        for i in range(1, times.size):
            out[i] = mine[i]
        for k in range(first[x] + 1, first[x + 1]):
            other = action_values[k]
            for i in range(1, times.size):
                out[i] = other[i] if other[i] > out[i] else out[i]
        for i in range(1, times.size):
            out[i] = times[i] if times[i] < out[i] else out[i]
            step = out[i] - was[i]
            distance = step if step > distance else distance
    return distance


@compiled()
def slot(n: int, depth: int) -> int:
    """Where iterate ``n`` is kept: by turns in the last two places when there are no more."""
    return n if n < depth else depth - 2 + (n - depth) % 2


@compiled()
def iterate(scene: Scene, desk: Desk, epsilon: float) -> int:
    """Modified value iteration (``alg:VI``) and one more T^a; returns n_k.

    Once a sweep changes nothing no further one does, so that is the end whatever ε is, 0 by underflow too.
    """
    first, row, target, times = scene.first, scene.row, scene.target, scene.times
    chance, weights, inflow = desk.chance, desk.weights, desk.inflow
    values, action_values = desk.values, desk.action_values
    depth, n, distance = values.shape[0], 0, np.inf
    values[0] = 0.0
    while True:
        old, new = slot(n, depth), slot(n + 1, depth)
        gather(row, target, chance, weights, values[old], inflow, action_values[new])
        accumulate(weights, action_values[new])
        if distance < epsilon or distance == 0.0:
            return n
        n += 1
        distance = improve(first, times, action_values[new], values[old], values[new])
