"""Learners as users write them, right and wrong: what the check must tell apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ctucbvi.learning import Episode, WholeEpisodes
from ctucbvi.learning.fast.located import LocatedLearner


class Reporting(WholeEpisodes):
    """The located learner, saying all that it has computed."""

    learner: LocatedLearner

    def report(self) -> dict[str, Any]:
        mine = self.learner
        plan, model = mine.plan(), mine.model
        pairs = [
            {
                "state": row.state,
                "action": row.action,
                "time": mine.time[k],
                "n_plus": mine.n_plus[k],
                "jumps": dict(zip(model.states, mine.jumps[k], strict=True)),
                "rate": plan.rates[k],
                "bonus": plan.bonus[k],
                "probability": {
                    y: n / max(1, mine.n_plus[k]) for y, n in zip(model.states, mine.jumps[k], strict=True)
                },
            }
            for k, row in enumerate(model.transitions)
        ]
        values = [[x, t, float(plan.value(x, t))] for x in model.states for t in (0.25, float(model.horizon))]
        return {"planned": True, "iterations": plan.iterations, "pairs": pairs, "values": values}


class RadiusHalved(LocatedLearner):
    def bonus(self, pair: int) -> float:
        return super().bonus(pair) / 2


class WorstAction(LocatedLearner):
    """argmin for argmax; right where there are two actions."""

    def choose(self, state: str, remaining: Fraction) -> str:
        best = super().choose(state, remaining)
        return next(a for a in self.model.actions_of(state) if a != best)


class StaleCounts(LocatedLearner):
    """An episode is counted when the next one is over."""

    late: Episode | None = None

    def observe(self, episode: Episode) -> None:
        if self.late is not None:
            super().observe(self.late)
        else:
            self._open = True
        self.late = episode
