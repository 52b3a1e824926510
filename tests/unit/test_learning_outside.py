"""Learning from environments that are not ours."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random

import numpy as np
import pytest

from ctucbvi import InputError, bundled_model, solve
from ctucbvi.learning import (
    Environment,
    OutsideWorld,
    Settings,
    WholeEpisodes,
    known_parts,
    learn,
    outside,
)
from ctucbvi.learning.exact.learner import ExactLearner

MACHINE = bundled_model("machine-repair")
REWARDS = {(row.state, row.action): row.reward for row in MACHINE.transitions}
KNOWN = known_parts("mine", REWARDS, 1)
SETTINGS = Settings.for_model(KNOWN, episodes=50, lambda_max=7)


class Factory:
    """The machine, as somebody would simulate it."""

    def __init__(self, seed):
        self.random, self.rows = Random(seed), {(r.state, r.action): r for r in MACHINE.transitions}

    def reset(self):
        self.state = "operating"
        return self.state

    def step(self, action):
        row = self.rows[self.state, action]
        holding = self.random.expovariate(float(row.rate))
        self.state = self.random.choices([y for y, _ in row.to], [float(p) for _, p in row.to])[0]
        return holding, self.state


class Recorded:
    """Steps through the episodes of our own environment, as Gymnasium would."""

    action_space = "of indexes"

    def __init__(self, episodes):
        self.visits = iter([visit for episode in episodes for visit in episode.visits])
        self.actions = []

    def reset(self):
        return {"state": 0, "remaining": 1.0}, {}

    def step(self, action):
        visit = next(self.visits)
        self.actions.append(MACHINE.actions[action])
        jumped = visit.to is not None
        place = MACHINE.states.index(visit.to if jumped else visit.state)
        info = {"holding_time": visit.holding, "jumped": jumped}
        return {"state": place, "remaining": 0.0}, 0.0, not jumped, False, info


def test_a_model_is_not_needed_to_learn():
    learner = ExactLearner(KNOWN, SETTINGS)
    found = learn(WholeEpisodes(learner), OutsideWorld(Factory(1), KNOWN), KNOWN, 6)
    assert learner.episode == 7
    assert sum(learner.statistics.time) == 6 * KNOWN.horizon
    assert sum(learner.statistics.n_plus) == sum(len(e.visits) - 1 for e in found.episodes) > 6
    optimum = solve(MACHINE).value("operating")
    regret = found.regret(optimum)
    assert regret.lower <= 6 * optimum.mid - sum(found.earned) <= regret.upper
    assert all(0 <= earned <= 1 for earned in found.earned)
    assert found.earned[0] == sum(REWARDS[v.state, v.action] * v.holding for v in found.episodes[0].visits)


def test_it_learns_as_with_the_model():
    """Rates are not looked at: what is learned from the same episodes is the same."""
    told = Settings.for_model(MACHINE, episodes=50)
    ours = learn(WholeEpisodes(ExactLearner(MACHINE, told)), Environment(MACHINE, seed=2), MACHINE, 4)
    environment = Recorded(ours.episodes)
    theirs = learn(WholeEpisodes(ExactLearner(KNOWN, SETTINGS)), OutsideWorld(environment, KNOWN), KNOWN, 4)
    assert theirs == ours
    assert environment.actions == [v.action for e in ours.episodes for v in e.visits]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (3, "answer \\(holding time, next state\\)"),
        ((1, 2, 3), "answer \\(holding time, next state\\)"),
        ((-0.5, "repair"), "answer 0 or more"),
        ((float("nan"), "repair"), "not finite"),
        (("soon", "repair"), "not a number"),
        ((0.5, "moon"), "'moon' is no state"),
        ((0.5, 2), "2 is no state"),
        ((0.5, True), "True is no state"),
        (({"state": 1}, 0.0, False, False, {}), "a number is needed"),
        (({"state": 1}, 0.0, False, False, None), "info is None"),
    ],
)
def test_what_is_no_step_is_refused(answer, message):
    environment = Factory(1)
    environment.step = lambda action: answer
    with pytest.raises(InputError, match=message):
        OutsideWorld(environment, KNOWN).episode(lambda state, remaining: "slow")


def test_the_horizon_cuts_and_so_does_the_end():
    environment = Factory(1)
    for answer in ((2.0, "repair"), (0.25, None), (inf, "repair"), (None, None), [np.float32(2), "repair"]):
        environment.step = lambda action, answer=answer: answer
        (visit,) = OutsideWorld(environment, KNOWN).episode(lambda state, remaining: "slow").visits
        assert (visit.holding, visit.to) == (Fraction(1), None)


def test_a_world_that_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(outside, "_MOST_STAYS", 100)
    environment = Factory(1)
    environment.step = lambda action: (0, "repair")
    with pytest.raises(
        InputError, match="100 stays before the horizon of 1; answer holding times in its unit"
    ):
        OutsideWorld(environment, KNOWN).episode(lambda state, remaining: "slow")
