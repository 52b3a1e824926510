r"""Plans of the optimistic learner for eight runs at a time, of models whose rows have two targets at most.

What :mod:`ctucbvi.learning.fast.optimistic_march` does for one run, and the same bits: the steps of a plan
wait for each other, each is of a few operations, and a machine does those of eight runs in little more time.
Nothing is frozen here, as runs differ in the order of their values; a largest mean over an l1 set around
:math:`y` and :math:`z` is a choice among its cases (:mod:`ctucbvi.learning.fast.largest_means`), made without
branches.  Let :math:`w` be the worse one, :math:`y` if both are equal, and :math:`o` the other.  Of the
targets that are not the best state, those are emptied that :math:`\rho` is enough for, so that a part is left
of

* :math:`w` if :math:`\rho \le p_w`, else :math:`o` if :math:`\rho - p_w \le p_o`, else of none;
* :math:`z` if :math:`y` is the best state and :math:`\rho \le p_z`, or the other way round; else of none.
  Then :math:`z` is the worse one, or both have the same value, so that only "none" is another question.

A run that does not plan in an episode leaves its sets in ``terms`` as they were at its last plan, so that
its table is that plan's again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH, every, load, store, where
from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Choices, Scene
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants
from ctucbvi.numeric.arrays import Floats, Integers

MOST_TARGETS = 2
# Rows of a pair in `AbreastRoom.terms`: the rates, ρ (negative: all probability vectors), p̂.
LOW, HIGH, SHIFT, ONE, OTHER, TERMS = range(6)


class AbreastRoom(NamedTuple):
    """The tables of the plans of several runs, and room for their steps; words have one number for each."""

    targets: Integers  # (pairs, 2) the states that a pair leads to, -1 for none
    terms: Floats  # (TERMS pairs, WIDTH) the sets of each run at its last plan
    values: Floats  # (states, WIDTH) V at a stage
    stages: Floats  # (3 pairs, WIDTH) Q of stages
    table: Floats  # ((steps + 1) pairs, WIDTH) Q̂, a grid point after the other
    leads: Floats  # (states (steps + 1), WIDTH) the first best pairs, a state after the other
    moved: Floats  # (1, WIDTH) whether that march changed them: 1, else 0


def make_abreast_room(scene: Scene) -> AbreastRoom:
    """Room for the plans of ``scene``, whose rows must be short."""
    pairs, states, points = len(scene.reward), len(scene.first) - 1, len(scene.times)
    targets = np.full((pairs, MOST_TARGETS), -1, np.int64)
    for k in range(pairs):
        mine = scene.target[scene.row[k] : scene.row[k + 1]]
        targets[k, : len(mine)] = mine
    return AbreastRoom(
        targets=targets,
        terms=np.zeros((TERMS * pairs, WIDTH)),
        values=np.zeros((states, WIDTH)),
        stages=np.zeros((3 * pairs, WIDTH)),
        table=np.zeros((points * pairs, WIDTH)),
        leads=np.zeros((states * points, WIDTH)),
        moved=np.zeros((1, WIDTH)),
    )


@compiled()
def take_sets(r: int, row: Integers, sets: GridSets, terms: Floats) -> None:
    """Let run ``r`` plan with ``sets``."""
    for k in range(row.size - 1):
        t, begin = TERMS * k, row[k]
        terms[t + LOW, r], terms[t + HIGH, r], terms[t + SHIFT, r] = sets.low[k], sets.high[k], sets.shift[k]
        for e in range(begin, row[k + 1]):
            terms[t + ONE + e - begin, r] = sets.chance[e]


@compiled()
def take_policy(r: int, leads: Floats, policy: Choices) -> bool:
    """Let ``policy`` be that of run ``r``; returns whether that changed anything."""
    states, points = policy.shape
    changed = False
    for x in range(states):
        for i in range(1, points):
            lead = np.int32(leads[x * points + i, r])
            changed |= policy[x, i] != lead
            policy[x, i] = lead
        policy[x, 0] = policy[x, 1]  # at t_0 all are worth 0, which tells nothing
    return changed


@compiled()
def step_abreast(
    a: int,
    b: int,
    delta: float,
    reward: Floats,
    targets: Integers,
    terms: Floats,
    values: Floats,
    stages: Floats,
) -> None:
    """From stage ``a`` to E of it, at ``b``; V of stage ``a`` is known."""
    pairs, zero, step = reward.size, every(0.0), every(delta)
    top, best = load(values, 0), zero
    for x in range(1, values.shape[0]):
        value = load(values, x)
        best = where(value > top, every(x), best)
        top = where(value > top, value, top)
    for k in range(pairs):
        y, z, t = targets[k, 0], targets[k, 1], TERMS * k
        mean, own = top, load(stages, a * pairs + k)
        if y >= 0:
            one, shift = load(values, y), load(terms, t + SHIFT)
            if z < 0:
                mean, none = shift * (top - one) + one, zero > shift
            else:
                other, p, q = load(values, z), load(terms, t + ONE), load(terms, t + OTHER)
                worse = one <= other
                first, second = where(worse, p, q), where(worse, q, p)
                left = where(shift <= first, where(worse, one, other), where(worse, other, one))
                none = (shift > first) & (shift - first > second)
                is_one, is_other = best == every(y), best == every(z)
                none = where(is_one, shift > q, where(is_other, shift > p, none)) | (zero > shift)
                mean = shift * (top - left) + p * where(one > left, one, left)
                mean = mean + q * where(other > left, other, left)
            mean = where(none, top, mean)
        ahead = mean - own
        slow, fast = load(terms, t + LOW) * ahead, load(terms, t + HIGH) * ahead
        gain = where(fast > slow, fast, slow)
        store(stages, b * pairs + k, own + step * (every(reward[k]) + gain))


@compiled()
def values_abreast(a: int, first: Integers, stages: Floats, values: Floats) -> None:
    """V of stage ``a``."""
    pairs = stages.shape[0] // 3
    for x in range(values.shape[0]):
        value = load(stages, a * pairs + first[x])
        for k in range(first[x] + 1, first[x + 1]):
            mine = load(stages, a * pairs + k)
            value = where(mine > value, mine, value)
        store(values, x, value)


@compiled()
def keep_cell(i: int, first: Integers, stages: Floats, table: Floats, leads: Floats, changed: Floats) -> None:
    """Write stage 0 into the table at grid point ``i``, and the first best pairs."""
    pairs, states, moved = stages.shape[0] // 3, first.size - 1, load(changed, 0)
    points = leads.shape[0] // states
    for k in range(pairs):
        store(table, i * pairs + k, load(stages, k))
    for x in range(states):
        value, lead = load(stages, first[x]), every(first[x])
        for k in range(first[x] + 1, first[x + 1]):
            mine = load(stages, k)
            lead = where(mine > value, every(k), lead)
            value = where(mine > value, mine, value)
        moved = where(lead == load(leads, x * points + i), moved, every(1.0))
        store(leads, x * points + i, lead)
    store(changed, 0, moved)


@compiled()
def march_abreast(scene: Scene, constants: SetConstants, room: AbreastRoom) -> None:
    """Fill the tables and the leads of all runs, each from its sets in ``terms``."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loops.
    first, reward, delta = scene.first, scene.reward, constants.delta
    targets, terms, values, stages, table, leads, moved = room
    pairs, two, three, four = reward.size, every(2.0), every(3.0), every(4.0)
    stages[:], values[:], moved[:] = 0.0, 0.0, 0.0
    for i in range(1, scene.times.size):
        for _ in range(constants.parts):
            step_abreast(0, 1, delta, reward, targets, terms, values, stages)
            values_abreast(1, first, stages, values)
            step_abreast(1, 2, delta, reward, targets, terms, values, stages)
            for k in range(pairs):
                store(stages, pairs + k, (three * load(stages, k) + load(stages, 2 * pairs + k)) / four)
            values_abreast(1, first, stages, values)
            step_abreast(1, 2, delta, reward, targets, terms, values, stages)
            for k in range(pairs):
                store(stages, k, (load(stages, k) + two * load(stages, 2 * pairs + k)) / three)
            values_abreast(0, first, stages, values)
        keep_cell(i, first, stages, table, leads, moved)
