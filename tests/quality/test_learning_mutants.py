"""Fast learners that are wrong on purpose: lockstep finds each of them, and says where."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import DOUBLES, Environment, Episode, Settings
from ctucbvi.learning.fast.located import LocatedLearner, LocatedPlan
from ctucbvi.learning.lockstep import Lockstep
from ctucbvi.numeric.planner import solve_numeric

MACHINE = bundled_model("machine-repair")


class RadiusOff(LocatedLearner):
    """The jump radius for one visit more."""

    def bonus(self, pair: int) -> float:
        return self.radii.bonus(self.time[pair], self.n_plus[pair] + 1.0, DOUBLES)


class RadiusOffByAMillionth(LocatedLearner):
    def bonus(self, pair: int) -> float:
        return super().bonus(pair) * 1.000001


class CountsTheTruncatedVisit(LocatedLearner):
    def observe(self, episode: Episode) -> None:
        super().observe(episode)
        last = episode.visits[-1]
        self.n_plus[self._row[last.state, last.action]] += 1


class ForgetsTheTruncatedTime(LocatedLearner):
    def observe(self, episode: Episode) -> None:
        super().observe(episode)
        last = episode.visits[-1]
        self.time[self._row[last.state, last.action]] -= float(last.holding)


class ForgetsToCapTheRate(LocatedLearner):
    def rate(self, pair: int) -> float:
        return self.n_plus[pair] / self.time[pair] if self.time[pair] else 0.0


class OneCellOff(LocatedLearner):
    """The action of the piece before."""

    def choose(self, state: str, remaining: Fraction) -> str:
        plan = self.plan()
        piece, _ = plan.solution._locate(remaining)
        place = plan.solution.model.state_index(plan._name(state, plan.iterations + 1))
        row = int(plan.solution.best[max(piece - 1, 0), place])
        return plan.solution.model.transitions[row].action


class PolicyOfTheIterationBefore(LocatedLearner):
    """The argmax that produced V_n, not the one of eq:pi-k."""

    def choose(self, state: str, remaining: Fraction) -> str:
        plan = self.plan()
        return replace(plan, iterations=plan.iterations - 1).action(state, remaining)


class NoTruncation(LocatedLearner):
    def _iterated(self, *given: object) -> LocatedPlan:
        plan = super()._iterated(*given)
        free = solve_numeric(plan.solution.model, tolerance=1e-9, truncate=False)
        return replace(plan, solution=replace(free, truncate=True))


class StopsEarly(LocatedLearner):
    def _iterated(self, rates: object, bonus: object, epsilon: float) -> LocatedPlan:
        return super()._iterated(rates, bonus, 3 * epsilon)


def findings(fast: type[LocatedLearner], episodes: int, *, seed: int = 2, **settings: object) -> set[str]:
    """The kinds of unexplained difference, until the first episode that has one."""
    both = Lockstep(MACHINE, Settings.for_model(MACHINE, episodes=100, **settings), fast=fast)
    for step in both.run(Environment(MACHINE, seed=seed), episodes):
        if step.unexplained:
            return {d.kind for d in step.unexplained}
    return set()


@pytest.mark.parametrize(
    ("mutant", "kind", "settings"),
    [
        (RadiusOff, "bonus", {}),
        (RadiusOffByAMillionth, "bonus", {}),
        (CountsTheTruncatedVisit, "estimate", {}),
        (ForgetsTheTruncatedTime, "estimate", {}),
        (ForgetsToCapTheRate, "estimate", {"seed": 1}),
        (OneCellOff, "action", {}),
        (PolicyOfTheIterationBefore, "action", {"bonus": False, "epsilon": "k^-1/4"}),
        (NoTruncation, "error", {}),
        (StopsEarly, "iterations", {"bonus": False}),
    ],
)
def test_lockstep_catches(mutant, kind, settings):
    assert kind in findings(mutant, 40, **settings)


@pytest.mark.parametrize("settings", [{}, {"bonus": False}])
def test_the_right_learner_passes_where_mutants_fail(settings):
    assert findings(LocatedLearner, 25, **settings) == set()
