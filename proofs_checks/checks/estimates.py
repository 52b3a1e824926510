"""Estimates without data, and visits that the end of the horizon cuts off."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import Any

from hypothesis import strategies as st

from ctucbvi.learning import Environment, Settings, Statistics
from ctucbvi.strategies import models
from verify.provers.search import Search


def _histories() -> Any:
    """Statistics after up to four episodes of a random model, drawn from a seed, all actions in turn."""

    @st.composite
    def histories(draw: Any) -> Statistics:
        model = draw(models())
        world = Environment(model, seed=draw(st.integers(0, 2**16)))
        found = Statistics.empty(model)
        offered: dict[str, list[str]] = {
            x: [r.action for r in model.transitions if r.state == x] for x in model.states
        }
        turns = count()

        def rotating(state: str, remaining: Fraction) -> str:
            del remaining
            return offered[state][next(turns) % len(offered[state])]

        for _ in range(draw(st.integers(0, 4))):
            found = found.after(world.episode(rotating))
        return found

    return histories()


def _unseen(offset: int = 0) -> Any:
    """λ̂ and all p̂ of pairs without observed jumps, added up, against ``offset``."""

    def sides(found: Statistics) -> tuple[Fraction, Fraction]:
        settings = Settings(1, max(found.model.max_rate, Fraction(1)))
        total = Fraction(0)
        for pair, left in enumerate(found.n_plus):
            if left == 0:
                total += found.rate(pair, settings) + sum(found.probability(pair))
        return total, Fraction(offset)

    return sides


def unseen(offset: int = 0) -> Search:
    """The exact learner's estimates of pairs that were never seen, or seen and never left."""
    return Search(given=_histories(), sides=_unseen(offset), relation="==", examples=(100, 2000))
