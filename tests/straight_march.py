"""The march of the optimistic learner, straight from its definition: every mean is searched at every stage.

The judge of :func:`ctucbvi.learning.fast.optimistic_march.march`, bit for bit; and a learner that plans so
before every episode, the rival in benchmarks.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.episodes import Choices, Log, Memory, Scene, choose, full, note, pick, play
from ctucbvi.learning.fast.largest_means import best_values, divergence_mean, mean_within
from ctucbvi.learning.fast.optimistic import OptimisticLearner
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants, renew
from ctucbvi.numeric.arrays import Floats

Room = tuple[Floats, Floats, Floats, Floats]


def straight_room(scene: Scene) -> Room:
    """The table and room for it."""
    pairs = len(scene.reward)
    states, points = len(scene.first) - 1, len(scene.times)
    return np.zeros((pairs, points)), np.zeros(states), np.zeros((3, pairs)), np.zeros(pairs)


def straight_table(scene: Scene, constants: SetConstants, sets: GridSets) -> Floats:
    """Q̂ at the grid points."""
    room = straight_room(scene)
    straight_march(scene, constants, sets, *room)
    return room[0]


@compiled()
def straight_march(
    scene: Scene,
    constants: SetConstants,
    sets: GridSets,
    table: Floats,
    values: Floats,
    stages: Floats,
    dual: Floats,
) -> None:
    """Fill ``table``; ``values`` of all states, ``stages`` (3, pairs) and ``dual`` are room."""
    first, row, target, reward = scene.first, scene.row, scene.target, scene.reward
    low, high, reach, shift, chance, several = sets
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


@compiled()
def run_straight(
    scene: Scene,
    constants: SetConstants,
    memory: Memory,
    sets: GridSets,
    room: Room,
    policy: Choices,
    log: Log,
    count: int,
) -> int:
    """Up to ``count`` episodes, each of them planned."""
    table, values, stages, dual = room
    counts, jumps, visited, random, clock = memory
    for done in range(count):
        if full(log):
            return done
        for n in range(clock[at.VISITED]):
            counts[at.NEW, visited[n]] = 0
            renew(visited[n : n + 1], scene, constants, counts, jumps, sets)
        clock[at.VISITED] = 0
        straight_march(scene, constants, sets, table, values, stages, dual)
        clock[at.PLANNED] += 1
        changed = choose(scene.first, table, policy)
        clock[at.EPISODE] += 1
        if changed or log.used[at.STARTS] == 0:
            note(log, policy, clock[at.EPISODE])
        start = scene.opening[pick(random, scene.opening_share, 0, scene.opening.size)]
        play(scene, memory, policy, log, start)
    return count


class StraightLearner(OptimisticLearner):
    """The optimistic learner, every mean of every plan searched."""

    def _play(self, log: Log, count: int) -> int:
        parts = self.scene, self.constants, self._memory, self.sets
        return int(run_straight(*parts, straight_room(self.scene), self.policy, log, count))
