"""The contestants of a study by name: CT-UCBVI and the baselines it is compared with.

``ct-ucbvi``
    the paper's algorithm (:mod:`ctucbvi.numeric.learner`).
``sharp``
    the same with the smallest bonus that is proved (:mod:`ctucbvi.learning.sharp`).
``greedy``
    the same without the exploration bonus.
``ucbvi@N``
    discrete-time UCBVI on the model discretised upfront into N steps (:mod:`ctucbvi.numeric.baselines`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from ctucbvi.errors import InputError
from ctucbvi.numbers import count
from ctucbvi.numeric.baselines import DiscreteLearner
from ctucbvi.numeric.learner import FastLearner
from ctucbvi.study.plan import Contestant, Learner, Place

_STEPS = 100  # cells of the grid; see ctucbvi.study.cells for how many are enough
BY_BONUS = {"paper": "ct-ucbvi", "sharp": "sharp", "none": "greedy"}


def contestant(name: str, steps: int = _STEPS) -> Contestant:
    """The contestant called ``name``; ``steps`` are the cells of its grid."""
    count(steps, "steps", 1, 10**6)
    if name == "ct-ucbvi":
        return Contestant(name, make_ct_ucbvi, steps)
    if name == "sharp":
        return Contestant(name, make_sharp, steps)
    if name == "greedy":
        return Contestant(name, make_greedy, steps)
    if name.startswith("ucbvi@"):
        cells = name.removeprefix("ucbvi@")
        if not (cells.isascii() and cells.isdigit() and 1 <= int(cells) <= 10**4):
            raise InputError(f"learner {name!r}: write ucbvi@N with N steps from 1 to 10000, like ucbvi@10")
        return Contestant(name, make_discrete, int(cells), sampled=True)
    raise InputError(f"learner {name!r} is unknown; write ct-ucbvi, sharp, greedy or ucbvi@N (N steps)")


def make_ct_ucbvi(place: Place, steps: int, snapshot: bytes | None) -> Learner:
    """CT-UCBVI with the bonus of the paper, new or resumed."""
    return _with_bonus("paper", place, steps, snapshot)


def make_sharp(place: Place, steps: int, snapshot: bytes | None) -> Learner:
    """CT-UCBVI with the sharp bonus, new or resumed."""
    return _with_bonus("sharp", place, steps, snapshot)


def make_greedy(place: Place, steps: int, snapshot: bytes | None) -> Learner:
    """The greedy learner, new or resumed."""
    return _with_bonus("none", place, steps, snapshot)


def _with_bonus(bonus: str, place: Place, steps: int, snapshot: bytes | None) -> Learner:
    """What a learner is called says which bonus it has, whatever the settings of the study say."""
    own = replace(place, settings=replace(place.settings, bonus=bonus))
    return _made(FastLearner, own, steps, snapshot)


def make_discrete(place: Place, steps: int, snapshot: bytes | None) -> Learner:
    """UCBVI in discrete time, new or resumed."""
    return _made(DiscreteLearner, place, steps, snapshot)


def _made(kind: Any, place: Place, steps: int, snapshot: bytes | None) -> Learner:
    options = {"seed": place.seed, "run": place.run, "steps": steps, "initial": dict(place.initial)}
    if snapshot is None:
        return cast(Learner, kind(place.model, place.settings, **options))
    return cast(Learner, kind.resume(place.model, place.settings, snapshot=snapshot, **options))
