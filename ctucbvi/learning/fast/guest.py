r"""A learner of the protocol in the place of a compiled one: same draws, same grid.

Whoever plays run ``run`` of a study meets the same random numbers: the generator, the ticks and the order of
draws are those of :mod:`ctucbvi.learning.fast.episodes`, so that a guest that takes CT-UCBVI's actions sees
CT-UCBVI's episodes, bit for bit.

**A policy** that ``begin`` answers (:mod:`ctucbvi.learning.protocol`) is asked at the grid points :math:`t_1,
\dots, t_N`; at :math:`t_0` it is taken to be what it is at :math:`t_1`, and a remaining time has the action
of the nearest point: this policy is played and evaluated, as those of the compiled learners are.

**A learner with** ``act`` is asked when a state is entered, with the remaining time as it is.  It may
remember and draw, so that there is no policy to be evaluated: it is judged by what it earns.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.compiled import PlayedEpisodes
from ctucbvi.learning.fast.learner import GridLearner
from ctucbvi.learning.protocol import LearningTask, chooser
from ctucbvi.learning.statistics import Visit

if TYPE_CHECKING:
    from ctucbvi.learning import Settings
    from ctucbvi.model import CTMDP


class GuestLearner(GridLearner):
    """Plays what ``make`` makes of a task; ``guard`` is around all that is not ours.

    ``keep`` and ``fetch`` turn the guest into bytes and back.
    """

    def __init__(
        self,
        model: CTMDP,
        settings: Settings,
        *,
        make: Callable[[LearningTask], Any],
        guard: Callable[[], AbstractContextManager[None]],
        keep: Callable[[Any], bytes],
        fetch: Callable[[bytes], Any],
        **given: Any,
    ) -> None:
        super().__init__(model, settings, record=False, **given)
        self._guard, self._keep, self._fetch = guard, keep, fetch
        own = np.random.SeedSequence(self.seed, spawn_key=(self.run, 1)).generate_state(1, np.uint64)
        with guard():
            self.guest = make(LearningTask.of(model, settings, int(own[0]), self.steps))
        self._asked, self._earned = hasattr(self.guest, "act"), list[Fraction]()
        self._before: at.Choices = np.zeros((0, 0), np.int32)  # the policy of the episode before
        self._pair = {(row.state, row.action): k for k, row in enumerate(model.transitions)}

    def advance(self, episodes: int) -> PlayedEpisodes:
        """Play this many further episodes."""
        self._earned = []
        played = super().advance(episodes)
        return replace(played, earned=tuple(self._earned))

    def _play(self, log: at.Log, count: int) -> int:
        memory, scene, states = self._memory, self.scene, self.model.states
        for done in range(count):
            if at.full(log):
                return done
            episode = int(memory.clock[at.EPISODE]) + 1
            with self._guard():
                choose = chooser(self.model, self.guest, self.guest.begin(episode))
                if not self._asked:
                    table = self._table(choose)
                    if log.used[at.STARTS] == 0 or not np.array_equal(table, self._before):
                        at.note(log, table, episode)
                    self._before = table
                    choose = self._nearest(table)
                x = scene.opening[at.pick(memory.random, scene.opening_share, 0, scene.opening.size)]
                earned = self._episode(states[x], choose)
            if self._asked:
                self._earned.append(earned)
            memory.clock[at.EPISODE] = episode
            memory.clock[at.PLANNED] += 1
        return count

    def _table(self, choose: Callable[[str, Fraction], str]) -> at.Choices:
        """The policy at the grid points."""
        states, points = self.model.states, range(1, self.steps + 1)
        times = [self.model.horizon * i / self.steps for i in points]
        rows = [[self._pair[x, choose(x, t)] for t in times] for x in states]
        return np.array([[row[0], *row] for row in rows], np.int32)

    def _nearest(self, table: at.Choices) -> Callable[[str, Fraction], str]:
        """The policy that has the action of the nearest grid point."""
        rows, reach, horizon, tick = self.model.transitions, self.scene.reach, self.model.horizon, self._tick

        def choose(state: str, remaining: Fraction) -> str:
            i = at.cell_of(reach, int((horizon - remaining) / tick))
            return rows[int(table[self.model.state_index(state), i])].action

        return choose

    def _episode(self, state: str, choose: Callable[[str, Fraction], str]) -> Fraction:
        """One episode, drawn as ``episodes.play`` does, told to the guest; returns what was earned."""
        scene, (counts, jumps, _, random, clock) = self.scene, self._memory
        tick, elapsed, earned, last = self._tick, 0, Fraction(0), int(self.scene.reach[0])
        while True:
            remaining = self.model.horizon - elapsed * tick
            action = choose(state, remaining)
            k = self._pair[state, action]
            reward = self.model.transitions[k].reward
            held, left = -log(at.uniform(random)) * float(scene.mean_ticks[k]), last - elapsed
            if not held <= left:  # also where it is infinite
                counts[at.TICKS, k] += left
                counts[at.CUT, k] += 1
                self.guest.observe(Visit(state, action, remaining, None))
                return earned + reward * remaining
            ticks = ceil(held)
            e = at.pick(random, scene.share, scene.row[k], scene.row[k + 1])
            counts[at.TICKS, k] += ticks
            counts[at.N_PLUS, k] += 1
            jumps[e] += 1
            clock[at.JUMPS] += 1
            target = self.model.states[scene.target[e]]
            self.guest.observe(Visit(state, action, ticks * tick, target))
            earned += reward * ticks * tick
            elapsed, state = elapsed + ticks, target

    def _state(self) -> dict[str, Any]:
        return self._named(memory=self._memory)

    def snapshot(self) -> bytes:
        """Everything that is needed to go on; that of the guest follows our own."""
        ours = super().snapshot()
        with self._guard():
            return len(ours).to_bytes(8, "big") + ours + self._keep(self.guest)

    def restore(self, snapshot: bytes) -> None:
        """Go on from where ``snapshot`` was taken."""
        end = 8 + int.from_bytes(snapshot[:8], "big")
        super().restore(snapshot[8:end])
        with self._guard():
            self.guest = self._fetch(snapshot[end:])
