r"""The fixed point of modified value iteration on the grid, in one march: planning with ``epsilon`` 0.

The sweeps of :mod:`ctucbvi.learning.fast.sweeps` increase to the solution of

.. math:: Q(t_i) = c_i + \beta\sum_y p(y)V(y,t_i), \qquad V = \min\{t, \max_a Q\}, \qquad
          c_i = eQ(t_{i-1}) + g + \alpha\sum_y p(y)V(y,t_{i-1}) .

**States that lie in order.** A state whose jumps all lead to states that are settled, none at first, is
settled by one sweep, as :math:`u` is known at all times: the absorbing ones, then what leads to them only,
and so on, level by level; on a tree, all.  The others are found in a march over the grid.

**The march.** When it comes to :math:`t_i`, :math:`c_i` is known (with all that comes from settled states),
and :math:`V(t_i)` is the fixed point of a map :math:`\Phi_i` of one number per state, which contracts the sup
norm by :math:`\max\beta < 1`.

**A guess** is right as long as no action and no cut-off changes: if V follows the rows :math:`\pi`, then
:math:`V = Xc_\pi` with :math:`X = (I - \beta_\pi P_\pi)^{-1}`; in a state that is cut off the row of
:math:`P_\pi` is empty, and :math:`c = t_i`.  Where another row takes over, :math:`X` changes by a matrix of
rank 1 (Sherman and Morrison).  For more than :data:`MOST_STATES` states there is no :math:`X`, and
:math:`\Phi_i` is iterated.

**What is accepted** does not depend on the guess: a :math:`V` that :math:`\Phi_i` moves by at most
:math:`\delta`, which is :data:`TOLERANCE` of the horizon.  Then the table is within
:math:`2\delta(1 + \lambda_{\max}H)` of the fixed point.  *Proof.* Let :math:`\mathcal T` be a sweep and
:math:`W` the values found.  Sums :math:`\sum_y p(y)V(y)` are of the values before the last move, so that
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
from ctucbvi.learning.fast.episodes import (
    Choices,
    Desk,
    Log,
    Memory,
    Scene,
    Words,
    estimate,
    full,
    note,
    pick,
    play,
)
from ctucbvi.learning.fast.replanning import GrowthRule, LastPlan, due
from ctucbvi.learning.fast.sweeps import NO_NAN, TOGETHER
from ctucbvi.numeric.arrays import Floats, Integers

TOLERANCE = 2.0**-44
MOST_STATES = 48
_ONE, _TWO = np.uint64(1), np.uint64(2)
_CHANGES = 8  # times that rows take over at one grid point, before it is left to the contraction


class CellRoom(NamedTuple):
    """How a model falls into settled states and others, and room for planning; numbers here are of others."""

    level: Integers  # (levels + 1, 2) where each level begins in `lanes` and in `settled`
    lanes: Integers  # pairs of settled states; a level is filled up to a multiple of TOGETHER by its last one
    settled: Integers  # states
    known: Integers  # (non-zeros,) whether the target is settled
    states: Integers  # the other states
    first: Words  # (others + 1,) the pairs of each; unsigned, as these are no places counted from the end
    pairs: Words  # (pairs of others,) which they are
    row: Words  # (pairs of others + 1,) their targets among the others, two or more of each
    place: Words  # where these are in `Scene.target`; beyond its end for those that only fill up a row
    target: Words
    chance: Floats  # of these
    weights: Floats  # (3, pairs of others) e^{-z}, α, β
    source: Floats  # (pairs of others,) c
    q: Floats  # (pairs of others,) Q
    inflow: Floats  # (pairs of others,) Σ p V at the grid point before, and then at this one
    values: Floats  # (others,) V
    inverse: Floats  # (others, others) X; empty where there is none
    change: Floats  # (others,) room, also for changing X
    follows: Integers  # (others,) the row π that X is of; -1: cut off
    leads: Choices  # (steps + 1,) room for deciding


def _levels(scene: Scene) -> list[list[int]]:
    """The states that can be settled, level by level."""
    states, found = range(len(scene.first) - 1), set[int]()
    ahead = [set(scene.target[scene.row[scene.first[x]] : scene.row[scene.first[x + 1]]]) for x in states]
    levels = []
    while level := [x for x in states if x not in found and ahead[x] <= found]:
        levels.append(level)
        found.update(level)
    return levels


def make_cell_room(scene: Scene) -> CellRoom:
    """The order of the states of ``scene``, and room for planning."""
    first, row, levels = scene.first, scene.row, _levels(scene)
    level, lanes = [(0, 0)], list[int]()
    for found in levels:
        mine = [k for x in found for k in range(first[x], first[x + 1])]
        lanes += mine + mine[-1:] * (-len(mine) % TOGETHER)
        level.append((len(lanes), level[-1][1] + len(found)))
    settled = [x for found in levels for x in found]
    states = [x for x in range(len(first) - 1) if x not in set(settled)]
    pairs = [k for x in states for k in range(first[x], first[x + 1])]
    known = np.isin(scene.target, settled)
    places = [[e for e in range(row[k], row[k + 1]) if not known[e]] for k in pairs]
    places = [mine + [len(known)] * (2 - len(mine)) for mine in places]
    place = np.array([e for mine in places for e in mine], np.int64)
    targets = np.searchsorted(states, np.append(scene.target, states[:1])[place])
    kept = len(states) if len(states) <= MOST_STATES else 0
    return CellRoom(
        level=np.array(level, np.int64),
        lanes=np.array(lanes, np.int64),
        settled=np.array(settled, np.int64),
        known=known.astype(np.int64),
        states=np.array(states, np.int64),
        first=np.cumsum([0, *(first[x + 1] - first[x] for x in states)]).astype(np.uint64),
        pairs=np.array(pairs, np.uint64),
        row=np.cumsum([0, *(len(mine) for mine in places)]).astype(np.uint64),
        place=place.astype(np.uint64),
        target=targets.astype(np.uint64),
        chance=np.zeros(len(place)),
        weights=np.zeros((3, len(pairs))),
        source=np.zeros(len(pairs)),
        q=np.zeros(len(pairs)),
        inflow=np.zeros(len(pairs)),
        values=np.zeros(len(states)),
        inverse=np.zeros((kept, kept)),
        change=np.zeros(len(states)),
        follows=np.zeros(len(states), np.int64),
        leads=np.zeros(len(scene.times), np.int32),
    )


# --- settled states ---------------------------------------------------------------------------


@compiled(fastmath=NO_NAN)
def bring(
    pairs: Integers | Words,
    row: Integers,
    target: Integers,
    known: Integers,
    chance: Floats,
    weights: Floats,
    every: Floats,
    inflow: Floats,
    table: Floats,
) -> None:
    """What ``pairs`` earn in each cell, and what comes from settled states, into their rows of ``table``."""
    for k in pairs:
        inflow[:] = 0.0
        for e in range(row[k], row[k + 1]):
            if known[e]:
                p, y = chance[e], target[e]
                for i in range(inflow.size):
                    inflow[i] += p * every[y, i]
        gain, alpha, beta = weights[1, k], weights[2, k], weights[3, k]
        for i in range(1, inflow.size):
            table[k, i] = gain + alpha * inflow[i - 1] + beta * inflow[i]


@compiled(fastmath=NO_NAN)
def accumulate_lanes(lanes: Integers, decay: Floats, table: Floats) -> None:
    """The recursion along the grid, in place, for pairs side by side."""
    for j in range(0, lanes.size, TOGETHER):
        a, b, c, d = lanes[j], lanes[j + 1], lanes[j + 2], lanes[j + 3]
        d0, d1, d2, d3 = decay[a], decay[b], decay[c], decay[d]
        r0, r1, r2, r3 = table[a], table[b], table[c], table[d]
        q0 = q1 = q2 = q3 = 0.0
        for i in range(1, table.shape[1]):
            q0, q1 = d0 * q0 + r0[i], d1 * q1 + r1[i]
            q2, q3 = d2 * q2 + r2[i], d3 * q3 + r3[i]
            r0[i], r1[i], r2[i], r3[i] = q0, q1, q2, q3


@compiled(fastmath=NO_NAN)
def decide(
    states: Integers,
    first: Integers,
    times: Floats,
    table: Floats,
    every: Floats,
    policy: Choices,
    leads: Choices,
) -> bool:
    """V and the first best pairs of ``states``; whether these are others anywhere."""
    others = 0
    for x in states:
        a, b = first[x], first[x + 1]
        for i in range(1, times.size):
            every[x, i], leads[i] = table[a, i], a
        for k in range(a + 1, b):
            for i in range(1, times.size):
                leads[i] = k if table[k, i] > every[x, i] else leads[i]
                every[x, i] = max(every[x, i], table[k, i])
        for i in range(1, times.size):
            every[x, i] = min(every[x, i], times[i])
            others += policy[x, i] != leads[i]
            policy[x, i] = leads[i]
        policy[x, 0] = policy[x, 1]  # at t_0 all are worth 0, which tells nothing
    return others > 0


# --- the march --------------------------------------------------------------------------------


@compiled()
def take_over(
    t: float,
    first: Words,
    row: Words,
    target: Words,
    chance: Floats,
    beta: Floats,
    q: Floats,
    values: Floats,
    inverse: Floats,
    change: Floats,
    follows: Integers,
) -> None:
    """Let V follow the first best pair of each state, or be cut off: change X where it did not."""
    for x in range(values.size):
        best, lead = -1.0, np.int64(-1)
        for k in range(first[x], first[x + 1]):
            if q[k] > best:
                best, lead = q[k], np.int64(k)
        lead = lead if values[x] < t else np.int64(-1)
        if follows[x] == lead:
            continue
        change[:] = 0.0
        for sign, j in ((-1.0, lead), (1.0, follows[x])):
            if j >= 0:
                for e in range(row[j], row[j + 1]):
                    pull, y = sign * beta[j] * chance[e], target[e]
                    for z in range(values.size):
                        change[z] += pull * inverse[y, z]
        scale = 1.0 / (1.0 + change[x])
        for y in range(values.size):
            factor = inverse[y, x] * scale
            for z in range(values.size):
                inverse[y, z] -= factor * change[z]
        follows[x] = lead


@compiled()
def prepare(desk: Desk, room: CellRoom) -> None:
    """Estimates of the other states' pairs, side by side; and the march at its beginning."""
    for j in range(room.source.size):
        k = room.pairs[j]
        room.weights[0, j], room.weights[1, j] = desk.weights[0, k], desk.weights[2, k]
        room.weights[2, j] = desk.weights[3, k]
    for e in range(room.place.size):
        place = room.place[e]
        room.chance[e] = desk.chance[place] if place < desk.chance.size else 0.0
    room.q[:], room.inflow[:], room.values[:] = 0.0, 0.0, 0.0
    room.inverse[:], room.follows[:] = 0.0, -1
    for x in range(room.inverse.shape[0]):
        room.inverse[x, x] = 1.0


@compiled(fastmath=NO_NAN)
def march_others(times: Floats, tolerance: float, room: CellRoom, table: Floats) -> None:
    """Fill the rows of ``table`` of the other states, where what comes from settled ones is."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loops.
    first, pairs, row, target, chance = room.first, room.pairs, room.row, room.target, room.chance
    source, q, inflow, values = room.source, room.q, room.inflow, room.values
    change, follows = room.change, room.follows
    inverse, decay, alpha, beta = room.inverse, room.weights[0], room.weights[1], room.weights[2]
    for i in range(1, times.size):
        t, changes = times[i], 0 if inverse.size else _CHANGES
        for k in range(source.size):
            source[k] = decay[k] * q[k] + (table[pairs[k], i] + alpha[k] * inflow[k])
        while True:
            if changes < _CHANGES:
                for x in range(values.size):
                    change[x] = t if follows[x] < 0 else source[follows[x]]
                for x in range(values.size):
                    found = 0.0
                    for y in range(values.size):
                        found += inverse[x, y] * change[y]
                    values[x] = found
            # Φ: not in place, so that no state has to wait for another.
            for x in range(values.size):
                best = -1.0
                for k in range(first[x], first[x + 1]):
                    one = row[k]
                    ahead = (
                        chance[one] * values[target[one]] + chance[one + _ONE] * values[target[one + _ONE]]
                    )
                    for e in range(one + _TWO, row[k + _ONE]):
                        ahead += chance[e] * values[target[e]]
                    inflow[k] = ahead
                    found = source[k] + beta[k] * ahead
                    q[k] = found
                    best = found if found > best else best
                change[x] = t if t < best else best
            moved = 0.0
            for x in range(values.size):
                step = abs(change[x] - values[x])
                moved = step if step > moved else moved
                values[x] = change[x]
            if moved <= tolerance:
                break
            if changes < _CHANGES:
                take_over(t, first, row, target, chance, beta, q, values, inverse, change, follows)
                changes += 1
        for k in range(source.size):
            table[pairs[k], i] = q[k]


@compiled()
def march_cells(scene: Scene, desk: Desk, room: CellRoom) -> bool:
    """Fill the first places of ``values`` and ``action_values``, and the policy; whether that is another."""
    table, every, weights, policy, leads = (
        desk.action_values[0], desk.values[0], desk.weights, desk.policy, room.leads,
    )  # fmt: skip
    row, target, first, times, known = scene.row, scene.target, scene.first, scene.times, room.known
    level, changed = room.level, False
    for n in range(level.shape[0] - 1):
        lanes = room.lanes[level[n, 0] : level[n + 1, 0]]
        bring(lanes, row, target, known, desk.chance, weights, every, desk.inflow, table)
        accumulate_lanes(lanes, weights[0], table)
        states = room.settled[level[n, 1] : level[n + 1, 1]]
        changed |= decide(states, first, times, table, every, policy, leads)
    if room.states.size > 0:
        bring(room.pairs, row, target, known, desk.chance, weights, every, desk.inflow, table)
        prepare(desk, room)
        march_others(times, TOLERANCE * scene.numbers.horizon, room, table)
        changed |= decide(room.states, first, times, table, every, policy, leads)
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
