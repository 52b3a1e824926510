"""Learners as users write them, right and wrong: what the check must tell apart."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from ctucbvi.learning import Episode, WholeEpisodes
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast.located import LocatedLearner
from tests.plain_optimistic import jump_radius, rate_interval, solve_plainly


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


class ReportingSets(WholeEpisodes):
    """The optimistic learner, saying its sets and, if asked to, values by their formulas in doubles."""

    learner: ExactLearner
    valued = True

    def interval(self, pair: int) -> tuple[float, float]:
        return rate_interval(self.learner.statistics, self.learner.settings, pair)

    def radius(self, pair: int) -> float:
        return jump_radius(self.learner.statistics, self.learner.settings, pair)

    def values(self) -> list[list[Any]]:
        model = self.learner.model
        q = solve_plainly(self.learner.statistics, self.learner.settings)
        rows = list(zip(model.transitions, q, strict=True))
        return [[x, model.horizon, max(float(v) for row, v in rows if row.state == x)] for x in model.states]

    def report(self) -> dict[str, Any]:
        pairs = []
        for k, row in enumerate(self.learner.model.transitions):
            (low, high), radius = self.interval(k), self.radius(k)
            said = {"low": low, "high": high, "radius": None if radius == inf else radius}
            pairs.append({"state": row.state, "action": row.action, **said})
        return {"pairs": pairs, "values": self.values() if self.valued else []}


class LogarithmHalved(ReportingSets):
    """2 ln for 4 ln in eq:beta-k."""

    valued = False

    def interval(self, pair: int) -> tuple[float, float]:
        low, high = super().interval(pair)
        seen, known = self.learner.statistics, self.learner.settings
        rate = float(seen.rate(pair, known))
        return rate + (low - rate) / 2**0.5, rate + (high - rate) / 2**0.5


class RadiusNotDoubled(ReportingSets):
    valued = False

    def radius(self, pair: int) -> float:
        return super().radius(pair) / 2**0.5


class ValuesTruncatedTwice(ReportingSets):
    def values(self) -> list[list[Any]]:
        return [[x, t, min(value, float(t) * 0.5)] for x, t, value in super().values()]
