"""The contestants of a study by name: CT-UCBVI and the baselines it is compared with.

``ct-ucbvi``
    the paper's algorithm (:mod:`ctucbvi.learning.fast.learner`).
``sharp``
    the same with the smallest bonus that is proved (:mod:`ctucbvi.learning.sharp`).
``greedy``
    the same without the exploration bonus.
``optimistic``, ``optimistic-poisson``, ``optimistic-kl``, ``optimistic-poisson-kl``
    the best model in confidence sets, no bonus (:mod:`ctucbvi.learning.fast.optimistic`): the paper's
    intervals of rates or those from Poisson tails, jump probabilities within a distance in l1 or a
    Kullback-Leibler divergence.
``ucbvi@N``
    discrete-time UCBVI on the model discretised upfront into N steps (:mod:`ctucbvi.learning.fast.discrete`).

If the settings of the study say ``replan``, all but ``ucbvi@N`` plan lazily.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from ctucbvi.errors import InputError
from ctucbvi.learning.fast.compiled import CompiledLearner
from ctucbvi.learning.fast.discrete import DiscreteLearner
from ctucbvi.learning.fast.optimistic import compiled_learner
from ctucbvi.learning.settings import JUMPS, RATES, Settings
from ctucbvi.numbers import count
from ctucbvi.study.plan import Contestant, RunPlace

_STEPS = 100  # cells of the grid; see ctucbvi.study.cells for how many are enough
# Bonus and sets of the learners by name; a name says what is not the default.
_BONUSES = {"ct-ucbvi": ("paper", None, None), "sharp": ("sharp", None, None), "greedy": ("none", None, None)}
_SETS = {
    "-".join(["optimistic", *(part for part in (rates, jumps) if part not in ("paper", "l1"))]): (
        "optimistic",
        rates,
        jumps,
    )
    for rates in RATES
    for jumps in JUMPS
}
_NAMES = {**_BONUSES, **_SETS}


@dataclass(frozen=True)
class LearnerMaker:
    """Makes the learner of a name, or resumes one; other processes can be sent it."""

    name: str

    def __call__(self, place: RunPlace, steps: int, snapshot: bytes | None) -> CompiledLearner:
        """A new learner, or the one that ``snapshot`` was taken of."""
        settings = settings_of(self.name, place.settings)
        make: type[CompiledLearner] | Callable[..., CompiledLearner] = (
            compiled_learner if self.name in _NAMES else DiscreteLearner
        )
        learner = make(
            place.model, settings, seed=place.seed, run=place.run, steps=steps, initial=dict(place.initial)
        )
        if snapshot is not None:
            learner.restore(snapshot)
        return learner


def settings_of(name: str, settings: Settings) -> Settings:
    """What the learner called ``name`` is told, whatever bonus the settings of the study say."""
    if name in _NAMES:
        return settings.with_bonus(*_NAMES[name])
    told = settings.with_bonus("paper" if settings.bonus == "optimistic" else str(settings.bonus))
    return replace(told, replan=Fraction(0))  # it has no lazy variant


def name_of(settings: Settings) -> str:
    """The name of the learner that the settings are for."""
    return next(name for name in _NAMES if settings_of(name, settings) == settings)


def contestant(name: str, steps: int = _STEPS) -> Contestant:
    """The contestant called ``name``; ``steps`` are the cells of its grid."""
    count(steps, "steps", 1, 10**6)
    if name in _NAMES:
        return Contestant(name, LearnerMaker(name), steps)
    if name.startswith("ucbvi@"):
        cells = name.removeprefix("ucbvi@")
        if not (cells.isascii() and cells.isdigit() and 1 <= int(cells) <= 10**4):
            raise InputError(f"learner {name!r}: write ucbvi@N with N steps from 1 to 10000, like ucbvi@10")
        return Contestant(name, LearnerMaker(name), int(cells), sampled=True)
    raise InputError(f"learner {name!r} is unknown; write {', '.join(_NAMES)} or ucbvi@N (N steps)")
