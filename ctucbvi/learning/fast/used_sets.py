r"""The confidence sets that the compiled learners use, as their own code makes them.

Nothing here knows a radius.  For a learner with a bonus the sets are :math:`\hat\lambda\pm\beta` and
:math:`\|\tilde p-\hat p\|_1 \le \alpha` with the numbers on its desk, where ``episodes.estimate`` leaves
them; for the optimistic one they are what ``optimistic_sets.renew`` makes.  An adversary's data are laid
into the same arrays, many runs side by side: each pair of each run is a pair of its own there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ctucbvi.learning import Settings
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, TICKS, Desk, Scene, estimate_all
from ctucbvi.learning.fast.optimistic import OptimisticLearner, compiled_learner
from ctucbvi.learning.fast.optimistic_sets import GridSets, renew
from ctucbvi.model import CTMDP

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_STEPS = 10  # of the grid that is planned on


@dataclass(frozen=True)
class UsedSets:
    """The sets of all pairs, of one run or of several; the last axis are the pairs, or their targets."""

    low: Floats  # the rates are from here
    high: Floats  # to here
    chance: Floats  # p̂ of every target
    reach: Floats  # α, or the largest divergence; infinite: all probability vectors
    divergence: bool

    @classmethod
    def on_desk(cls, desk: Desk) -> UsedSets:
        """Those of a learner with a bonus."""
        low, high = desk.rate - desk.rate_radius, desk.rate + desk.rate_radius
        return cls(low, high, desk.chance.copy(), desk.jump_radius.copy(), False)

    @classmethod
    def of_grid(cls, sets: GridSets, divergence: bool) -> UsedSets:
        """Those of the optimistic learner."""
        reach = np.where(sets.reach < 0, np.inf, sets.reach * (1 if divergence else 2))
        return cls(sets.low.copy(), sets.high.copy(), sets.chance.copy(), reach, divergence)

    def rows(self, runs: int) -> UsedSets:
        """The same, one row per run."""
        low, high, chance, reach = (
            a.reshape(runs, -1) for a in (self.low, self.high, self.chance, self.reach)
        )
        return UsedSets(low, high, chance, reach, self.divergence)


class Player:
    """A learner, and the sets of its last episode."""

    def __init__(self, model: CTMDP, settings: Settings, seed: int = 0) -> None:
        self.learner = compiled_learner(model, settings, seed=seed, steps=_STEPS)

    @property
    def used(self) -> UsedSets:
        """The sets of the episode that was played last."""
        if isinstance(self.learner, OptimisticLearner):
            return UsedSets.of_grid(self.learner.sets, self.learner.constants.divergence)
        return UsedSets.on_desk(self.learner.desk)

    @property
    def data(self) -> tuple[Floats, Floats]:
        """N⁺ and T after it."""
        return self.learner.n_plus.astype(float), np.array([float(t) for t in self.learner.time])


class SideBySide:
    """The data of several runs, and the sets that the learner's code makes of them."""

    def __init__(self, model: CTMDP, settings: Settings, runs: int) -> None:
        self._learner = Player(model, settings).learner  # does not play, and lends its constants
        one = self._learner.scene
        self.runs, self._pairs, places = runs, len(one.reward), len(one.target)
        self.tick, self.rest = one.numbers.tick, one.numbers.rest
        self.ticks = int(model.horizon // Fraction(self.tick))  # of a horizon; what is left is the rest
        self._counts = np.zeros((4, runs * self._pairs), np.int64)
        self._jumps = np.zeros(runs * places, np.int64)
        self._scene = _repeated(one, runs)

    def add(self, pair: Integers, ticks: Integers, cut: Integers, seen: Integers) -> None:
        """To every run: time at one pair, whether it was cut off, and the jumps to each target."""
        at = np.arange(self.runs) * self._pairs + pair
        self._counts[TICKS, at] += ticks
        self._counts[CUT, at] += cut
        self._counts[N_PLUS, at] += seen.sum(axis=1)
        self._jumps += seen.reshape(-1)

    @property
    def data(self) -> tuple[Floats, Floats]:
        """N⁺ and T, one row per run."""
        time = self._counts[TICKS] * self.tick + self._counts[CUT] * self.rest
        return self._counts[N_PLUS].reshape(self.runs, -1).astype(float), time.reshape(self.runs, -1)

    @property
    def used(self) -> UsedSets:
        """What the learner's code makes of the data, one row per run."""
        scene, pairs = self._scene, len(self._scene.reward)
        one, two, three, four = np.zeros((4, pairs))
        chance = np.zeros(len(scene.target))
        if isinstance(self._learner, OptimisticLearner):
            constants = self._learner.constants
            sets = GridSets(one, two, three, four, chance, np.zeros(pairs, np.int64))
            renew(np.arange(pairs), scene, constants, self._counts, self._jumps, sets)
            return UsedSets.of_grid(sets, constants.divergence).rows(self.runs)
        desk = self._learner.desk._replace(
            rate=one,
            rate_radius=two,
            jump_radius=three,
            gain=four,
            chance=chance,
            weights=np.zeros((4, pairs)),
        )
        estimate_all(scene, self._counts, self._jumps, desk)
        return UsedSets.on_desk(desk).rows(self.runs)


def _repeated(one: Scene, runs: int) -> Scene:
    """A scene with the pairs of so many runs; states and constants are those of one."""
    places = len(one.target)
    starts = (np.arange(runs)[:, None] * places + one.row[:-1]).reshape(-1)
    return one._replace(
        row=np.append(starts, runs * places),
        target=np.tile(one.target, runs),
        reward=np.tile(one.reward, runs),
    )
