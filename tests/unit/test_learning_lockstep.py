"""Exact and fast learners in lockstep: no difference without an explanation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi import CTMDP, bundled_model
from ctucbvi.learning import Environment, Settings, rescaling
from ctucbvi.learning.fast.located import LocatedLearner, supremum
from ctucbvi.learning.lockstep import Lockstep, LockstepEpisode
from ctucbvi.learning.lockstep.located import LocatedRound

MACHINE = bundled_model("machine-repair")
OTHERS = ("queue", "maintenance", "lower-bound-tree")


def scaled(name: str) -> CTMDP:
    model = bundled_model(name)
    return model.with_rewards(*rescaling(model))


def steps(model: CTMDP, episodes: int, *, seed: int = 1, initial=None, **settings) -> list[LockstepEpisode]:
    wanted = Settings.for_model(model, **{"episodes": episodes, **settings})
    both = Lockstep(model, wanted)
    found = list(both.run(Environment(model, seed=seed, initial=initial), episodes))
    assert both.exact.undecided == {}
    return found


def check(found: list[LockstepEpisode]) -> None:
    assert [d for step in found for d in step.unexplained] == []
    assert all(step.error < 1e-8 for step in found)
    assert all(step.confident is not None and step.optimistic is not None for step in found)
    # lem:optimism: in the event the value is optimistic
    assert all(step.optimistic for step in found if step.confident)


@pytest.mark.parametrize("episodes", [100, pytest.param(300, marks=pytest.mark.thorough)])
def test_machine_repair(episodes):
    found = steps(MACHINE, episodes)
    check(found)
    assert len(found) == episodes
    assert len({a for step in found for v in step.drawn.visits for a in [(v.state, v.action)]}) == 4


@pytest.mark.parametrize("name", OTHERS)
def test_other_models(name):
    check(steps(scaled(name), 6, seed=2))


@pytest.mark.thorough
@pytest.mark.parametrize("name", OTHERS)
def test_other_models_for_100_episodes(name):
    check(steps(scaled(name), 100))


@pytest.mark.thorough
def test_the_greedy_learner_for_100_episodes():
    check(steps(MACHINE, 100, bonus=False))


@pytest.mark.parametrize(
    "settings",
    [
        {"bonus": False},  # many iterations, values below the truncation
        {"lambda_min": 2, "bonus": False},
        {"epsilon": "k^-2/3*exp(-lambda_max*H)"},
        {"delta": "1/1000", "lambda_max": 9},
        {"initial": {"operating": "1/3", "repair": "2/3"}},
    ],
)
def test_other_settings(settings):
    check(steps(MACHINE, 15, seed=5, **settings))


def pair_of_learners(episodes: int, **settings) -> Lockstep:
    """Both learners after some episodes."""
    both = Lockstep(MACHINE, Settings.for_model(MACHINE, episodes=100, **settings))
    check(list(both.run(Environment(MACHINE, seed=1), episodes)))
    return both


def test_a_choice_between_the_two_located_switches_is_listed_and_explained():
    both = pair_of_learners(12)
    change = both.exact.plan().switches[-1]
    quick = both.fast.plan()
    level = f".{quick.iterations + 1}"
    place = MACHINE.state_index(change.state)
    near = [s.time.mid for s in quick.solution.switches if s.state == f"{place}{level}"]
    fast = min(near, key=lambda t: abs(t - change.lower))
    assert abs(fast - change.lower) < Fraction(1, 10**9)
    middle = (fast + (change.lower if fast > change.upper else change.upper)) / 2
    comparison = LocatedRound(both.exact, both.fast)
    comparison.choose(change.state, middle)
    (difference,) = comparison.differences.found
    assert (difference.kind, difference.explained) == ("action", True)
    assert difference.gap <= difference.allowed < 1e-8


@pytest.mark.parametrize(("shift", "explained"), [(0.0, True), (1e-3, False)])
def test_iterations_may_differ_only_near_epsilon(shift, explained):
    both = pair_of_learners(8, bonus=False)
    quick = both.fast.plan()
    n = quick.iterations
    at = quick.epsilon + shift
    both.fast._plan = replace(quick, iterations=n + 1, distances=(*quick.distances[: n - 1], (at, at)))
    found = LocatedRound(both.exact, both.fast).differences.found
    (difference, *_) = [d for d in found if d.kind == "iterations"]
    assert difference.explained is explained


def test_a_replayed_history_is_followed():
    settings = Settings.for_model(MACHINE, episodes=10)
    ran = list(Lockstep(MACHINE, settings).run(Environment(MACHINE, seed=3), 10))
    again = list(Lockstep(MACHINE, settings).replay(step.drawn for step in ran))
    check(again)
    assert [s.departures for s in again] == [0] * 10
    other = Environment(MACHINE, seed=3)
    strange = [other.episode(lambda x, t: "slow") for _ in range(5)]
    found = list(Lockstep(MACHINE, settings).replay(strange))
    departed = [d for step in found for d in step.unexplained]
    assert len(departed) == sum(s.departures for s in found) > 0
    assert {(d.kind, d.fast, d.exact) for d in departed} == {("departure", "slow", "fast")}
    assert all(d.gap > 1e-3 for d in departed)


@given(st.lists(st.lists(st.integers(-9, 9), min_size=5, max_size=5), min_size=1, max_size=4))
def test_the_supremum_of_polynomials(rows):
    array = np.array(rows, float)
    lower, upper = supremum(array, float("nan"))
    fine = np.abs(np.polynomial.polynomial.polyval(np.linspace(0, 1, 2001), array.T)).max()
    assert lower - 1e-12 <= upper
    assert fine <= upper + 1e-9
    assert lower <= fine + 1e-3  # the grid misses a maximum by its curvature times the square of its step


def test_the_located_learner_doubles_its_layers():
    tight = Settings.for_model(MACHINE, episodes=100, bonus=False, epsilon="k^-1/2*exp(-lambda_max*H)")
    learner = LocatedLearner(MACHINE, tight)
    world = Environment(MACHINE, seed=1)
    for _ in range(6):
        learner.observe(world.episode(lambda x, t: MACHINE.actions[int(t * 1000) % 2]))
    assert learner.plan().iterations > 4
    assert learner.plan().levels > learner.plan().iterations
