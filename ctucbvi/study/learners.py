"""The contestants of a study by name: CT-UCBVI and the baselines it is compared with.

``ct-ucbvi``
    the paper's algorithm (:mod:`ctucbvi.learning.fast.learner`).
``sharp``
    the same with the smallest bonus that is proved (:mod:`ctucbvi.learning.sharp`).
``greedy``
    the same without the exploration bonus.
``ucbvi@N``
    discrete-time UCBVI on the model discretised upfront into N steps (:mod:`ctucbvi.learning.fast.discrete`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ctucbvi.errors import InputError
from ctucbvi.learning.fast.compiled import CompiledLearner
from ctucbvi.learning.fast.discrete import DiscreteLearner
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.numbers import count
from ctucbvi.study.plan import Contestant, RunPlace

_STEPS = 100  # cells of the grid; see ctucbvi.study.cells for how many are enough
BY_BONUS = {"paper": "ct-ucbvi", "sharp": "sharp", "none": "greedy"}


@dataclass(frozen=True)
class LearnerMaker:
    """Makes a learner of a kind, or resumes one; other processes can be sent it."""

    kind: type[CompiledLearner]
    bonus: str | None = None  # by the learner's name, whatever the settings of the study say

    def __call__(self, place: RunPlace, steps: int, snapshot: bytes | None) -> CompiledLearner:
        """A new learner, or the one that ``snapshot`` was taken of."""
        model, settings = place.model, place.settings
        if self.bonus is not None:
            settings = replace(settings, bonus=self.bonus)
        learner = self.kind(
            model, settings, seed=place.seed, run=place.run, steps=steps, initial=dict(place.initial)
        )
        if snapshot is not None:
            learner.restore(snapshot)
        return learner


_MAKERS = {name: LearnerMaker(FastLearner, bonus) for bonus, name in BY_BONUS.items()}


def contestant(name: str, steps: int = _STEPS) -> Contestant:
    """The contestant called ``name``; ``steps`` are the cells of its grid."""
    count(steps, "steps", 1, 10**6)
    if name in _MAKERS:
        return Contestant(name, _MAKERS[name], steps)
    if name.startswith("ucbvi@"):
        cells = name.removeprefix("ucbvi@")
        if not (cells.isascii() and cells.isdigit() and 1 <= int(cells) <= 10**4):
            raise InputError(f"learner {name!r}: write ucbvi@N with N steps from 1 to 10000, like ucbvi@10")
        return Contestant(name, LearnerMaker(DiscreteLearner), int(cells), sampled=True)
    raise InputError(f"learner {name!r} is unknown; write ct-ucbvi, sharp, greedy or ucbvi@N (N steps)")
