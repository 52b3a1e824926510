"""For tests of learners: whole histories at once, and what was played in them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import numpy as np

from ctucbvi.learning import Episode, History, HistoryWriter, Statistics
from ctucbvi.learning.fast import episodes
from ctucbvi.learning.fast.compiled import PlayedEpisodes
from ctucbvi.learning.fast.learner import FastLearner, GridLearner
from ctucbvi.model import CTMDP


def statistics_of(model: CTMDP, episodes: Iterable[Episode]) -> Statistics:
    """The statistics of a whole history."""
    return reduce(Statistics.after, episodes, Statistics.empty(model))


def save_history(path: Path, history: History) -> None:
    """Write a whole history."""
    with HistoryWriter(path, history.model, history.settings, history.drawn) as out:
        for episode in history.episodes:
            out.write(episode)


def policies_of(played: PlayedEpisodes) -> np.ndarray:
    """One policy per start, ``(changes, states, steps + 1)``."""
    return played.distinct[played.which]


def lengths_of(played: PlayedEpisodes) -> np.ndarray:
    """How many episodes each start covers."""
    return np.diff(np.append(played.starts, played.last + 1))


def rounds_of(learner: GridLearner) -> int:
    """n_k of the last episode."""
    return int(learner._clock[episodes.ROUNDS])


def values_of(learner: FastLearner) -> np.ndarray:
    """V̂ of n_k at the grid points, of the last planned episode."""
    return learner.desk.values[learner._clock[episodes.SIDE]].copy()
