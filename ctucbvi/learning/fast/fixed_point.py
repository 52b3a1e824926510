r"""The fixed point of modified value iteration on the grid, in one march: planning with ``epsilon`` 0.

The sweeps of :mod:`ctucbvi.learning.fast.sweeps` increase to the solution of

.. math:: Q(t_i) = c_i + \beta\sum_y p(y)V(y,t_i), \qquad V = \min\{t, \max_a Q\}, \qquad
          c_i = eQ(t_{i-1}) + g + \alpha\sum_y p(y)V(y,t_{i-1}) .

**States that lie in order.** A state whose jumps all lead to states that are settled, none at first, is
settled by one sweep, as :math:`u` is known at all times: the absorbing ones, then what leads to them only,
and so on, level by level; on a tree, all.  The others are found in a march over the grid
(:mod:`ctucbvi.learning.fast.word_march`).

**What stays.** An episode visits few pairs.  A row :math:`Q` of a settled state is what the estimates of its
pair and the values of its targets make of it; where neither has another bit than at the last plan, nor has
the row, and it is kept.  So what is computed is what plans from nothing would be, bit for bit.  Where a
snapshot is restored nothing is known of the policy, and all is computed (:func:`forget`).

**The march.** When it comes to :math:`t_i`, :math:`c_i` is known (with all that comes from settled states),
and :math:`V(t_i)` is the fixed point of a map :math:`\Phi_i` of one number per state, which contracts the sup
norm by :math:`\max\beta < 1`.

**A guess** is right as long as no action and no cut-off changes: if V follows the rows :math:`\pi`, then
:math:`V = Xc_\pi` with :math:`X = (I - \beta_\pi P_\pi)^{-1}`; in a state that is cut off the row of
:math:`P_\pi` is empty, and :math:`c = t_i`.  Where another row takes over, :math:`X` changes by a matrix of
rank 1 (Sherman and Morrison).  For more than ``MOST_STATES`` states there is no :math:`X`, and
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
    estimate,
    estimate_all,
    full,
    note,
    pick,
    play,
)
from ctucbvi.learning.fast.replanning import GrowthRule, LastPlan, due
from ctucbvi.learning.fast.sweeps import NO_NAN, TOGETHER
from ctucbvi.learning.fast.word_march import WordRoom, hand_out, make_word_room, march_words, prepare
from ctucbvi.numeric.arrays import Floats, Integers

TOLERANCE = 2.0**-44


class CellRoom(NamedTuple):
    """How a model falls into settled states and others, their tables at the last plan, and room."""

    level: Integers  # (levels + 1,) where each level begins in `settled`
    settled: Integers  # states
    weights: Floats  # (4, pairs) those of `Desk` that rows of `table` are of; nan: none was made
    chance: Floats  # (non-zeros,) and p̂
    table: Floats  # (pairs, steps + 1) Q of settled states
    values: Floats  # (states, steps + 1) V of settled states
    moved: Integers  # (states,) whether these are others than at the plan before
    lanes: Integers  # (pairs + TOGETHER,) room for those whose rows are to be made
    best: Floats  # (steps + 1,) room
    leads: Choices  # (steps + 1,) room


def _levels(scene: Scene) -> list[list[int]]:
    """The states that can be settled, level by level."""
    states, found = range(len(scene.first) - 1), set[int]()
    ahead = [set(scene.target[scene.row[scene.first[x]] : scene.row[scene.first[x + 1]]]) for x in states]
    levels = []
    while level := [x for x in states if x not in found and ahead[x] <= found]:
        levels.append(level)
        found.update(level)
    return levels


def make_cell_room(scene: Scene) -> tuple[CellRoom, WordRoom]:
    """The order of the states of ``scene``, and room for planning: of settled ones, and of others."""
    pairs, states, points, levels = len(scene.reward), len(scene.first) - 1, len(scene.times), _levels(scene)
    settled = [x for level in levels for x in level]
    room = CellRoom(
        level=np.cumsum([0, *map(len, levels)]),
        settled=np.array(settled, np.int64),
        weights=np.zeros((4, pairs)),
        chance=np.zeros(len(scene.target)),
        table=np.zeros((pairs, points)),
        values=np.zeros((states, points)),
        moved=np.zeros(states, np.int64),
        lanes=np.zeros(pairs + TOGETHER, np.int64),
        best=np.zeros(points),
        leads=np.zeros(points, np.int32),
    )
    words = make_word_room(scene, settled)
    forget(room, words)
    return room, words


def forget(room: CellRoom, words: WordRoom) -> None:
    """Let the next plan keep nothing of the last one."""
    room.weights[:], words.leads[:] = np.nan, -1.0


# --- settled states ---------------------------------------------------------------------------


@compiled()
def ask(
    begin: int,
    end: int,
    settled: Integers,
    first: Integers,
    row: Integers,
    target: Integers,
    now: Floats,
    chance: Floats,
    then: Floats,
    chance_then: Floats,
    moved: Integers,
    lanes: Integers,
) -> int:
    """The pairs of a level whose rows have to be made, into ``lanes``, by fours; returns how many."""
    used = 0
    for n in range(begin, end):
        x = settled[n]
        moved[x] = 0
        for k in range(first[x], first[x + 1]):
            other = False
            for j in range(4):
                other |= then[j, k] != now[j, k]
                then[j, k] = now[j, k]
            for e in range(row[k], row[k + 1]):
                other |= chance_then[e] != chance[e] or moved[target[e]] > 0
                chance_then[e] = chance[e]
            if other:
                lanes[used], moved[x] = k, 1
                used += 1
    while used % TOGETHER:
        lanes[used] = lanes[used - 1]
        used += 1
    return used


@compiled(fastmath=NO_NAN)
def bring(
    used: int,
    lanes: Integers,
    row: Integers,
    target: Integers,
    chance: Floats,
    weights: Floats,
    values: Floats,
    inflow: Floats,
    table: Floats,
) -> None:
    """What pairs earn in each cell, and what comes in, into their rows of ``table``."""
    for n in range(used):
        k = lanes[n]
        gain, alpha, beta = weights[1, k], weights[2, k], weights[3, k]
        for e in range(row[k], row[k + 1]):
            p, y = chance[e], target[e]
            if e == row[k]:
                for i in range(inflow.size):
                    inflow[i] = p * values[y, i]
            else:
                for i in range(inflow.size):
                    inflow[i] += p * values[y, i]
        if row[k] == row[k + 1]:
            for i in range(inflow.size):
                table[k, i] = gain
        else:
            for i in range(1, inflow.size):
                table[k, i] = gain + alpha * inflow[i - 1] + beta * inflow[i]


@compiled(fastmath=NO_NAN)
def accumulate_lanes(used: int, lanes: Integers, weights: Floats, table: Floats) -> None:
    """The recursion along the grid, in place, for pairs side by side."""
    for j in range(0, used, TOGETHER):
        a, b, c, d = lanes[j], lanes[j + 1], lanes[j + 2], lanes[j + 3]
        d0, d1, d2, d3 = weights[0, a], weights[0, b], weights[0, c], weights[0, d]
        r0, r1, r2, r3 = table[a], table[b], table[c], table[d]
        q0 = q1 = q2 = q3 = 0.0
        for i in range(1, table.shape[1]):
            q0, q1 = d0 * q0 + r0[i], d1 * q1 + r1[i]
            q2, q3 = d2 * q2 + r2[i], d3 * q3 + r3[i]
            r0[i], r1[i], r2[i], r3[i] = q0, q1, q2, q3


@compiled(fastmath=NO_NAN)
def decide(
    x: int,
    first: Integers,
    times: Floats,
    table: Floats,
    values: Floats,
    policy: Choices,
    best: Floats,
    leads: Choices,
    moved: Integers,
) -> bool:
    """V and the first best pairs of state ``x``; whether these are others anywhere."""
    a, b, others, steps = first[x], first[x + 1], 0, 0
    for i in range(1, times.size):
        best[i], leads[i] = table[a, i], a
    for k in range(a + 1, b):
        for i in range(1, times.size):
            leads[i] = k if table[k, i] > best[i] else leads[i]
            best[i] = max(best[i], table[k, i])
    for i in range(1, times.size):
        value = min(best[i], times[i])
        steps += values[x, i] != value
        values[x, i] = value
    for i in range(1, times.size):
        others += policy[x, i] != leads[i]
        policy[x, i] = leads[i]
    policy[x, 0] = policy[x, 1]  # at t_0 all are worth 0, which tells nothing
    moved[x] = steps
    return others > 0


# --- plans ------------------------------------------------------------------------------------


@compiled(forceinline=True)
def march_cells(scene: Scene, desk: Desk, room: CellRoom, words: WordRoom) -> bool:
    """Fill the tables and the policy; whether that is another."""
    first, row, target, times, policy, changed = (
        scene.first, scene.row, scene.target, scene.times, desk.policy, False,
    )  # fmt: skip
    level, settled, then, chance_then, table, values, moved, lanes, best, leads = room
    weights, chance = desk.weights, desk.chance
    for n in range(level.size - 1):
        begin, end = level[n], level[n + 1]
        used = ask(
            begin, end, settled, first, row, target, weights, chance, then, chance_then, moved, lanes
        )  # fmt: skip
        bring(used, lanes, row, target, chance, weights, values, best, table)
        accumulate_lanes(used, lanes, weights, table)
        for j in range(begin, end):
            if moved[settled[j]]:
                changed |= decide(settled[j], first, times, table, values, policy, best, leads, moved)
    if words.states.size > 0:
        prepare(desk, words)
        if march_words(times, values, TOLERANCE * scene.numbers.horizon, words):
            changed |= hand_out(first, words, policy)
    return changed


@compiled()
def plan_to_the_end(scene: Scene, memory: Memory, desk: Desk, room: CellRoom, words: WordRoom) -> bool:
    """The fixed point and its policy from the present data; whether the policy is another."""
    estimate_all(scene, memory.counts, memory.jumps, desk)
    memory.clock[at.PLANNED] += 1
    return bool(march_cells(scene, desk, room, words))


@compiled()
def run_to_the_end(
    scene: Scene,
    memory: Memory,
    desk: Desk,
    room: CellRoom,
    words: WordRoom,
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
        episode, again = clock[at.EPISODE] + 1, True
        if lazily:
            again = due(episode, numbers, memory, last, growth)
            if again:
                estimate_all(scene, counts, jumps, desk)
        else:
            for n in range(clock[at.VISITED]):
                k = visited[n]
                counts[at.NEW, k] = 0
                estimate(k, scene, counts, jumps, desk)
            clock[at.VISITED] = 0
        clock[at.PLANNED] += again
        changed = again and march_cells(scene, desk, room, words)
        if changed or used[at.STARTS] == 0:
            note(log, policy, episode)
        play(scene, memory, policy, log, opening[pick(random, opening_share, 0, opening.size)])
        clock[at.EPISODE] = episode
    return count
