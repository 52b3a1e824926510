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
        (({"st": 1}, 0.0, False, False, {"holding_time": 0.7}), "{'st': 1} is no state; answer one of"),
    ],
)
def test_what_is_no_step_is_refused(answer, message):
    environment = Factory(1)
    environment.step = lambda action: answer
    with pytest.raises(InputError, match=message):
        OutsideWorld(environment, KNOWN).episode(lambda state, remaining: "slow")


def test_the_horizon_cuts_and_so_does_the_end():
    environment = Factory(1)
    for answer in ((2.0, "repair"), (1.0, None), (inf, "repair"), (None, None), [np.float32(2), "repair"]):
        environment.step = lambda action, answer=answer: answer
        (visit,) = OutsideWorld(environment, KNOWN).episode(lambda state, remaining: "slow").visits
        assert (visit.holding, visit.to) == (Fraction(1), None)


# --- ends ---------------------------------------------------------------------------------------

STATE = {"state": 1}
TWO = known_parts("two", REWARDS, 2)  # a horizon of 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((STATE, 0.0, True, False, {"holding_time": 0.25}), "terminated after 0.25"),
        ((STATE, 0.0, True, False, {"holding_time": 0.25, "jumped": True}), "terminated after 0.25"),
        ((STATE, 0.0, np.True_, False, {"holding_time": 0.25, "jumped": False}), "terminated after 0.25"),
        ((STATE, 0.0, True, True, {"holding_time": np.float64(0.25)}), "terminated after 0.25"),
        ((STATE, 0.0, False, True, {"holding_time": 0.25}), "was truncated after 0.25"),
        ((STATE, 0.0, False, True, {"holding_time": 0.25, "jumped": True}), "was truncated after 0.25"),
        ((STATE, 0.0, False, False, {"holding_time": 0.25, "jumped": False}), "did not jump after 0.25"),
        ((0.25, None), "has no next state after 0.25"),
        ([Fraction(1, 4), None], "has no next state after 0.25"),
    ],
)
def test_an_end_before_the_horizon_is_refused(answer, words):
    environment = Factory(1)
    environment.step = lambda action: answer
    said = (
        f"step: it {words}, with 1.75 of the horizon left; .* a state of rewards 0, .* infinite holding time"
    )
    with pytest.raises(InputError, match=said) as found:
        OutsideWorld(environment, TWO).episode(lambda state, remaining: "slow")
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((STATE, 0.0, True, False, {}), "holding time: a number is needed"),
        ((STATE, 0.0, 1, False, {"holding_time": 2}), "step: terminated is 1; answer true or false"),
        ((STATE, 0.0, False, "no", {"holding_time": 2}), "step: truncated is 'no'; answer true or false"),
        ((STATE, 0.0, np.array([True, True]), False, {"holding_time": 2}), "terminated is array"),
        (
            (STATE, 0.0, True, False, {"holding_time": 2, "jumped": "no"}),
            "jumped is 'no'; answer",
        ),
    ],
)
def test_an_end_that_says_nothing_is_refused(answer, message):
    environment = Factory(1)
    environment.step = lambda action: answer
    with pytest.raises(InputError, match=message):
        OutsideWorld(environment, TWO).episode(lambda state, remaining: "slow")


@pytest.mark.parametrize("ended", [(True, False), (False, True), (True, True), (False, False)])
@pytest.mark.parametrize("said", [{}, {"jumped": False}])
def test_an_end_at_the_horizon_is_one_also_if_doubles_are_a_little_off(ended, said):
    if ended == (False, False) and not said:
        return  # that is a jump
    environment = Factory(1)
    for holding in (2.0, 2 - 1e-15, np.float32(2), 2 - 1e-7, 3.0, inf):
        environment.step = lambda action, t=holding: (STATE, 0.0, *ended, {"holding_time": t, **said})
        (visit,) = OutsideWorld(environment, TWO).episode(lambda state, remaining: "slow").visits
        assert (visit.holding, visit.to) == (Fraction(2), None)


class Ending(Factory):
    """As Gymnasium would; in some episodes it says before the horizon that all is over."""

    action_space = "of indexes"

    def __init__(self, seed):
        super().__init__(seed)
        self.left, self.early = 0.0, False

    def reset(self):
        self.left, self.early = 1.0, False
        return MACHINE.states.index(super().reset()), {}

    def step(self, action):
        assert not self.early, "stepped on after the end"
        holding, state = super().step(MACHINE.actions[action])
        holding, jumped = min(holding, self.left), holding < self.left
        self.left -= holding
        self.early = self.left > 1e-6 and self.random.random() < 0.1
        ended = self.early or not jumped
        cut = ended and self.random.random() < 0.3
        info = {"holding_time": holding, **({"jumped": jumped} if self.random.random() < 0.5 else {})}
        return MACHINE.states.index(state), 0.0, ended and not cut, cut, info


def misled(seeds, world):
    """Episodes that the environment ended early and ``world`` took for whole ones."""
    wrong = refused = 0
    for seed in seeds:
        environment = Ending(seed)
        said = ""
        try:
            visits = world(environment, KNOWN).episode(lambda state, remaining: "slow").visits
        except InputError as error:
            said = str(error)
        assert not said or ("of the horizon left" in said and environment.early)
        assert said or sum(visit.holding for visit in visits) == 1
        refused, wrong = refused + bool(said), wrong + (environment.early and not said)
    assert refused > 0 or world is not OutsideWorld
    return wrong


def test_no_episode_that_was_ended_early_is_learned_from():
    assert misled(range(3000), OutsideWorld) == 0


def test_who_does_not_look_at_the_end_is_caught():
    class Blind(OutsideWorld):
        def _check_end(self, *given):
            pass

    assert misled(range(50), Blind) > 0


def test_a_world_that_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(outside, "_MOST_STAYS", 100)
    environment = Factory(1)
    environment.step = lambda action: (0, "repair")
    with pytest.raises(
        InputError, match="100 stays before the horizon of 1; answer holding times in its unit"
    ):
        OutsideWorld(environment, KNOWN).episode(lambda state, remaining: "slow")
