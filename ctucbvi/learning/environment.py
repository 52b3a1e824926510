r"""The world a learner acts in: initial states, holding times and jumps, drawn from the true model.

A holding time is the double :math:`-\ln(1-U)/\lambda` (computed with ``log1p``) and counts as exactly
that rational; a holding time beyond the remaining time is cut off.  The next state is the one whose
cumulative probability first exceeds an exact uniform rational.  Every draw costs one call of the
generator, so the same seed and the same actions give the same episode.

The initial state is the model's, or drawn from a distribution over states (the paper's footnote): the
model's own, or another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import log1p
from random import Random
from typing import TYPE_CHECKING

from ctucbvi.errors import InputError
from ctucbvi.learning.statistics import Episode, Visit
from ctucbvi.numbers import exact, shown

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP, Number, Transition

Chooser = Callable[[str, Fraction], str]  # (state, remaining time) -> action


def initial_distribution(model: CTMDP, given: Mapping[str, Number] | None) -> dict[str, Fraction]:
    """The distribution of the initial state, checked; the model's own if none is given."""
    if given is None:
        return dict(model.start)
    weights = {x: exact(p, f"initial probability of {x!r}") for x, p in given.items()}
    for x, p in weights.items():
        model.state_index(x)
        if p < 0:
            raise InputError(f"initial probability of {x!r} is {shown(p)}; write a number from 0 to 1")
    total = sum(weights.values(), Fraction(0))
    if total != 1:
        raise InputError(
            f"initial probabilities add up to {shown(total)}, not exactly 1; correct one of them"
        )
    return {x: p for x, p in weights.items() if p > 0}


class Environment:
    """Draws episodes of ``model``; the actions are somebody else's."""

    def __init__(self, model: CTMDP, *, seed: int, initial: Mapping[str, Number] | None = None) -> None:
        self.model, self.seed = model, seed
        self.initial = initial_distribution(model, initial)
        self._row = {(row.state, row.action): row for row in model.transitions}
        self._random = Random(seed)

    def episode(self, choose: Chooser, watch: Callable[[Visit], None] | None = None) -> Episode:
        """One episode under ``choose``, asked on entering a state; ``watch`` is told of each stay."""
        remaining, state = self.model.horizon, self._pick(self.initial)
        visits: list[Visit] = []
        while True:
            action = choose(state, remaining)
            row = self._row[state, action]
            holding = self._holding(row)
            if holding is None or holding > remaining:
                visits.append(Visit(state, action, remaining, None))
            else:
                visits.append(Visit(state, action, holding, self._pick(dict(row.to))))
            if watch is not None:
                watch(visits[-1])
            if (target := visits[-1].to) is None:
                return Episode(tuple(visits))
            remaining, state = remaining - visits[-1].holding, target

    def _holding(self, row: Transition) -> Fraction | None:
        uniform = self._random.random()
        return Fraction(-log1p(-uniform) / float(row.rate)) if row.rate else None

    def _pick(self, weights: Mapping[str, Fraction]) -> str:
        left = Fraction(self._random.random())
        for state, p in weights.items():
            left -= p
            if left < 0:
                return state
        raise AssertionError("unreachable: the weights add up to 1 and a uniform number is below 1")
