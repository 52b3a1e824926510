r"""What a regret study consists of.

Learners (the *contestants*) play the same model for :math:`K` episodes, in independent runs.  After
:math:`k` episodes the regret of a run is

.. math:: \sum_{j \le k} \bigl(V^*(x_0, H) - V^{\pi_j}(x_0, H)\bigr),

where both values belong to the committed problem and are computed, never averaged from rewards.
It is recorded at about 200 checkpoints that are evenly spaced in :math:`\log k`.

A study is determined by model, settings, seed and contestants, and so is its result: how the work is
cut into blocks, who does it and how often it is interrupted makes no difference to any bit of it.
Runs are numbered from 0; more runs of the same study can be added later.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from importlib.metadata import version
from typing import Any

from ctucbvi.errors import InputError
from ctucbvi.learning.fast.compiled import CompiledLearner
from ctucbvi.learning.settings import Settings
from ctucbvi.model import CTMDP
from ctucbvi.modelfile import dump_model
from ctucbvi.numbers import count
from ctucbvi.sources import digest

CHECKPOINTS = 200


@dataclass(frozen=True)
class RunPlace:
    """Where a learner plays: what it is given besides its own options."""

    model: CTMDP
    settings: Settings
    seed: int
    run: int
    initial: tuple[tuple[str, Fraction], ...]


Maker = Callable[[RunPlace, int, bytes | None], CompiledLearner]  # (place, steps, snapshot) -> learner


@dataclass(frozen=True)
class Contestant:
    """A learner by name, and how to make or resume one.

    ``make`` must be a function that other processes can import by its name.
    """

    name: str
    make: Maker
    steps: int  # cells of the grid on which its policies live
    sampled: bool = False  # whether it acts at grid points only (discrete time), not when a state is entered
    options: tuple[tuple[str, str], ...] = ()  # what else tells it from others, for the record
    asked: bool = False  # whether it is asked for actions and has no policy: what it earns is all there is
    foreign: bool = False  # whether its code is not ours, and may not be reproducible


@dataclass(frozen=True)
class Study:
    """A regret study; see the module's text."""

    model: CTMDP
    settings: Settings
    seed: int
    contestants: tuple[Contestant, ...]
    initial: tuple[tuple[str, Fraction], ...] = ()  # of the initial state; empty: the model's own

    def __post_init__(self) -> None:
        count(self.seed, "seed", 0)
        names = [c.name for c in self.contestants]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise InputError(f"learner {name!r} is listed twice; name it once")
        if not names:
            raise InputError("learners: none given; name at least one")
        if not self.initial:
            object.__setattr__(self, "initial", self.model.start)

    @cached_property
    def checkpoints(self) -> tuple[int, ...]:
        """The episodes after which the regret is recorded; the last is K."""
        return checkpoints(self.settings.episodes)

    def contestant(self, name: str) -> Contestant:
        """The contestant of that name."""
        return next(c for c in self.contestants if c.name == name)

    def identity(self, contestant: Contestant) -> dict[str, Any]:
        """Everything that the results of a contestant depend on, as a JSON object."""
        return {
            "model": self.model.name,
            "model_sha256": _digest(self.model),
            "settings": self.settings.to_json(),
            "seed": self.seed,
            "initial": {x: str(p) for x, p in self.initial},
            "learner": contestant.name,
            "steps": contestant.steps,
            "sampled": contestant.sampled,
            **dict(contestant.options),
            "versions": dict(versions()),
            "code": digest(),
        }


def _digest(model: CTMDP) -> str:
    """A short name for the model's numbers; who wrote it down and what for does not matter."""
    text = dump_model(replace(model, source="", shows=""), format="json")
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """The versions of what computes the results, by name."""
    ours = ((name, version(name)) for name in ("ctucbvi", "numba", "numpy"))
    return (("python", platform.python_version()), *ours)


def made_by() -> tuple[tuple[str, str], ...]:
    """All that results depend on besides the study: versions, and the digest of the sources."""
    return (*versions(), ("code", digest()))


def checkpoints(episodes: int, count: int = CHECKPOINTS) -> tuple[int, ...]:
    """About ``count`` whole numbers from 1 to ``episodes``, evenly spaced in their logarithms.

    The powers of ten are added, for tables.
    """
    if episodes <= count:
        return tuple(range(1, episodes + 1))
    found = {round(episodes ** (i / (count - 1))) for i in range(count)} | {episodes}
    found |= {10**i for i in range(len(str(episodes)))}
    return tuple(sorted(found))


def described(identity: dict[str, Any]) -> str:
    """An identity as the text of a file."""
    return json.dumps(identity, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
