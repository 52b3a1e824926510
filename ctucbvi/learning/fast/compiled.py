"""What all compiled learners share: advancing, what that leaves behind, stopping and going on."""

from __future__ import annotations

import io
import json
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.learning import Episode, Settings, initial_distribution
from ctucbvi.learning.fast import episodes as kernels
from ctucbvi.learning.fast.preparation import larger, make_log
from ctucbvi.numbers import count
from ctucbvi.numeric.arrays import Integers

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP, Number


@dataclass(frozen=True)
class PlayedEpisodes:
    """Consecutive episodes and the policies that were played in them.

    Episode ``starts[j]`` to the one before ``starts[j + 1]`` (to ``last`` for the last ``j``) played
    ``distinct[which[j]]``.
    """

    first: int  # number of the first episode, counted from 1
    last: int  # of the last one
    starts: Integers  # (changes,) where another policy begins; starts[0] == first
    which: kernels.Choices  # (changes,) places in `distinct`
    distinct: kernels.Choices  # (different policies, states, steps + 1) rows of model.transitions
    planned: int  # episodes that were planned; the policies of the others were proved
    jumps: int  # jumps seen
    history: tuple[Episode, ...] = ()  # the episodes, if they are recorded
    earned: tuple[Fraction, ...] = ()  # by each episode, where there are no policies that could be evaluated


class CompiledLearner(ABC):
    """Run number ``run`` of a learner on a model, on a grid of ``steps``; a subclass says what an episode is.

    The initial state is drawn from ``initial``; None: it is the model's.
    """

    _clock: Integers  # where it stands: that of `episodes.Memory`

    def __init__(
        self,
        model: CTMDP,
        settings: Settings,
        *,
        seed: int,
        run: int = 0,
        steps: int,
        initial: Mapping[str, Number] | None = None,
    ) -> None:
        settings.check(model)
        for what, number, least in (("seed", seed, 0), ("run", run, 0), ("steps", steps, 1)):
            count(number, what, least)
        self.model, self.settings, self.seed, self.run, self.steps = model, settings, seed, run, steps
        self.initial: dict[str, Fraction] = initial_distribution(model, initial)
        opening = {x: str(p) for x, p in self.initial.items()}
        told = [type(self).__name__, settings.to_json(), model.digest, seed, run, steps, opening]
        self._identity = sha256(json.dumps(told).encode()).hexdigest()

    @abstractmethod
    def _play(self, log: kernels.Log, count: int) -> int:
        """Up to ``count`` episodes, fewer if the log is full; returns how many."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """All arrays that change."""

    @property
    def episodes(self) -> int:
        """How many episodes have been played."""
        return int(self._clock[kernels.EPISODE])

    def advance(self, episodes: int) -> PlayedEpisodes:
        """Play this many further episodes."""
        self._check(episodes)
        return self._advance(episodes, make_log(len(self.model.states), self.steps))[0]

    def _check(self, episodes: int) -> None:
        count(episodes, "episodes")
        if self.episodes + episodes > self.settings.episodes:
            raise InputError(
                f"episodes: {self.episodes} and {episodes} more are beyond the K = {self.settings.episodes} "
                "for which the settings are; choose a larger K"
            )

    def _advance(self, count: int, log: kernels.Log) -> tuple[PlayedEpisodes, kernels.Log]:
        clock = self._clock
        began, planned, jumps = self.episodes, int(clock[kernels.PLANNED]), int(clock[kernels.JUMPS])
        while self.episodes < began + count:
            left = began + count - self.episodes
            if self._play(log, left) < left:
                log = larger(log)
        starts, distinct, _ = (int(n) for n in log.used)
        played = PlayedEpisodes(
            first=began + 1,
            last=began + count,
            starts=log.starts[:starts].copy(),
            which=log.which[:starts].copy(),
            distinct=log.distinct[:distinct].copy(),
            planned=int(clock[kernels.PLANNED]) - planned,
            jumps=int(clock[kernels.JUMPS]) - jumps,
        )
        return played, log

    def snapshot(self) -> bytes:
        """Everything that is needed to go on, here or elsewhere."""
        file = io.BytesIO()
        np.savez_compressed(file, identity=np.array(self._identity), **self._state())
        return file.getvalue()

    def restore(self, snapshot: bytes) -> None:
        """Go on from where ``snapshot`` was taken, of a learner that was given the same."""
        try:
            stored = np.load(io.BytesIO(snapshot), allow_pickle=False)
            identity = str(stored["identity"])
            state = {name: stored[name] for name in self._state()} if identity == self._identity else {}
        except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile):
            raise InputError("snapshot: it cannot be read; give what a learner's snapshot returned") from None
        if identity != self._identity:
            raise InputError(
                "snapshot: it is of another learner, model, settings, grid, seed or run; give the same ones"
            )
        for name, array in self._state().items():
            array[...] = state[name]
