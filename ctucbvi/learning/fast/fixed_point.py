r"""The fixed point of modified value iteration on the grid, in one march: planning with ``epsilon`` 0.

The sweeps of :mod:`ctucbvi.learning.fast.sweeps` increase to the solution of

.. math:: Q(t_i) = c_i + \beta\sum_y p(y)V(y,t_i), \qquad V = \min\{t, \max_a Q\}, \qquad
          c_i = eQ(t_{i-1}) + g + \alpha\sum_y p(y)V(y,t_{i-1}) .

When a march comes to :math:`t_i`, :math:`c_i` is known, and :math:`V(t_i)` is the fixed point of a map
:math:`\Phi_i` of one number per state, which contracts the sup norm by :math:`\max\beta < 1`.

**A guess** is right as long as no action and no cut-off changes: if V follows the rows :math:`\pi`, then
:math:`V = Xc_\pi` with :math:`X = (I - \beta_\pi P_\pi)^{-1}`; in a state that is cut off the row of
:math:`P_\pi` is empty, and :math:`c = t_i`.  Where another row takes over, :math:`X` changes by a matrix of
rank 1 (Sherman and Morrison).  For more than :data:`MOST_STATES` states there is no :math:`X`, and
:math:`\Phi_i` is iterated.

**What is accepted** does not depend on the guess: a :math:`V` that :math:`\Phi_i` moves by at most
:math:`\delta`, which is :data:`TOLERANCE` of the horizon.  Then the table is within
:math:`2\delta(1 + \lambda_{\max}H)` of the fixed point.  *Proof.* Let :math:`\mathcal T` be a sweep and
:math:`W` the values found.  Sums :math:`\sum_y p(y)V(y)` are of values before or after the last move, so that
:math:`|\mathcal TW - W| \le \delta + \delta(1 - e^{-\lambda t}) \le 2\delta`.  A sweep is monotone, and
raising :math:`W` by a constant raises it by that times the chance of a jump of the grid's process, which
jumps in a cell with the chance :math:`\alpha + \beta = 1 - e^{-z} \le z`.  So :math:`|\mathcal T^nW - W|` is
at most :math:`2\delta` times the sum of the chances of :math:`0, 1, \dots, n - 1` jumps or more: one, and the
mean number of jumps, which is below :math:`\lambda_{\max}H`.  And :math:`\mathcal T^nW` tends to the fixed
point.  ∎

A plan that is iterated down to :math:`\epsilon_k > 0` is farther away from it; the two have the same action
where its lead is more than what the iteration is short by (``eq:error-vi``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episodes import Desk, Log, Memory, Scene, estimate, full, note, pick, play
from ctucbvi.learning.fast.replanning import GrowthRule, LastPlan, due
from ctucbvi.numeric.arrays import Floats, Integers

TOLERANCE = 2.0**-44
MOST_STATES = 48
_CHANGES = 8  # times that rows take over at one grid point, before it is left to the contraction
_NO_NAN = {"nnan", "nsz"}  # lets maxima be chosen without branches; sums and products stay what they are


class CellRoom(NamedTuple):
    """Room for the march."""

    source: Floats  # (pairs,) c, and then Q
    inflow: Floats  # (pairs,) Σ p V at the grid point before, and then at this one
    values: Floats  # (states,) V
    inverse: Floats  # (states, states) X; empty where there is none
    change: Floats  # (states,) room, also for changing X
    follows: Integers  # (states,) the row π that X is of; -1: cut off
    leads: Integers  # (states,) the first best pair


def make_cell_room(scene: Scene) -> CellRoom:
    """Room for the model of ``scene``."""
    pairs, states = len(scene.reward), len(scene.first) - 1
    kept = states if states <= MOST_STATES else 0
    rows = np.zeros(states, np.int64), np.zeros(states, np.int64)
    return CellRoom(
        np.zeros(pairs), np.zeros(pairs), np.zeros(states), np.zeros((kept, kept)), np.zeros(states), *rows
    )


@compiled(forceinline=True)
def guess(
    source: Floats, follows: Integers, inverse: Floats, t: float, known: Floats, values: Floats
) -> None:
    """V for the rows that it is taken to follow; their c goes to ``known``."""
    for x in range(values.size):
        known[x] = t if follows[x] < 0 else source[follows[x]]
    for x in range(values.size):
        found = 0.0
        for y in range(values.size):
            found += inverse[x, y] * known[y]
        values[x] = found


@compiled()
def take_over(x: int, lead: int, scene: Scene, desk: Desk, room: CellRoom) -> None:
    """Let V follow ``lead`` in state ``x``, or be cut off for -1: change X."""
    row, target, chance, beta = scene.row, scene.target, desk.chance, desk.weights[3]
    inverse, change, states = room.inverse, room.change, room.follows.size
    change[:] = 0.0
    for sign, k in ((-1.0, lead), (1.0, room.follows[x])):
        if k >= 0:
            for e in range(row[k], row[k + 1]):
                pull, y = sign * beta[k] * chance[e], target[e]
                for z in range(states):
                    change[z] += pull * inverse[y, z]
    scale = 1.0 / (1.0 + change[x])
    for y in range(states):
        factor = inverse[y, x] * scale
        for z in range(states):
            inverse[y, z] -= factor * change[z]
    room.follows[x] = lead


@compiled(fastmath=_NO_NAN)
def march_cells(scene: Scene, desk: Desk, room: CellRoom) -> bool:
    """Fill the first places of ``values`` and ``action_values``, and the policy; whether that is another."""
    first, row, target, times = scene.first, scene.row, scene.target, scene.times
    chance, weights, policy = desk.chance, desk.weights, desk.policy
    source, inflow, values, inverse, change, follows, leads = room
    table, every, tolerance = desk.action_values[0], desk.values[0], TOLERANCE * scene.numbers.horizon
    source[:], inflow[:], values[:], inverse[:], follows[:] = 0.0, 0.0, 0.0, 0.0, -1
    for x in range(inverse.shape[0]):
        inverse[x, x] = 1.0
    changed = False
    for i in range(1, times.size):
        t, changes = times[i], 0 if inverse.size else _CHANGES
        for k in range(source.size):
            source[k] = weights[0, k] * source[k] + (weights[1, k] + weights[2, k] * inflow[k])
        while True:
            if changes < _CHANGES:
                guess(source, follows, inverse, t, change, values)
            # Φ, state by state.
            moved = 0.0
            for x in range(values.size):
                best, lead = -1.0, first[x]
                for k in range(first[x], first[x + 1]):
                    ahead = 0.0
                    for e in range(row[k], row[k + 1]):
                        ahead += chance[e] * values[target[e]]
                    inflow[k] = ahead
                    found = source[k] + weights[3, k] * ahead
                    lead = k if found > best else lead
                    best = found if found > best else best
                best = t if t < best else best
                step = abs(best - values[x])
                moved = step if step > moved else moved
                values[x], leads[x] = best, lead
            if moved <= tolerance:
                break
            for x in range(values.size):
                lead = leads[x] if values[x] < t else -1
                if changes < _CHANGES and follows[x] != lead:
                    take_over(x, lead, scene, desk, room)
            changes += changes < _CHANGES
        for k in range(source.size):
            source[k] += weights[3, k] * inflow[k]
            table[k, i] = source[k]
        for x in range(values.size):
            every[x, i] = values[x]
            changed |= policy[x, i] != leads[x]
            policy[x, i] = leads[x]
    for x in range(values.size):
        policy[x, 0] = policy[x, 1]  # at t_0 all are worth 0, which tells nothing
    return changed


@compiled()
def plan_to_the_end(scene: Scene, memory: Memory, desk: Desk, room: CellRoom) -> bool:
    """The fixed point and its policy from the present data; whether the policy is another."""
    for k in range(scene.reward.size):
        estimate(k, scene, memory.counts, memory.jumps, desk)
    memory.clock[at.PLANNED] += 1
    return bool(march_cells(scene, desk, room))


@compiled()
def run_to_the_end(
    scene: Scene,
    memory: Memory,
    desk: Desk,
    room: CellRoom,
    last: LastPlan,
    growth: GrowthRule,
    log: Log,
    count: int,
    lazily: bool,
) -> int:
    """Up to ``count`` episodes, fewer when the log is full; returns how many."""
    numbers, opening, opening_share = scene.numbers, scene.opening, scene.opening_share
    counts, jumps, visited, random, clock = memory
    policy, used = desk.policy, log.used
    for done in range(count):
        if full(log):
            return done
        episode, changed = clock[at.EPISODE] + 1, False
        if lazily:
            again = due(episode, numbers, memory, last, growth)
            changed = again and plan_to_the_end(scene, memory, desk, room)
        else:
            for n in range(clock[at.VISITED]):
                k = visited[n]
                counts[at.NEW, k] = 0
                estimate(k, scene, counts, jumps, desk)
            clock[at.VISITED] = 0
            clock[at.PLANNED] += 1
            changed = march_cells(scene, desk, room)
        if changed or used[at.STARTS] == 0:
            note(log, policy, episode)
        play(scene, memory, policy, log, opening[pick(random, opening_share, 0, opening.size)])
        clock[at.EPISODE] = episode
    return count
