"""A model as an environment of Gymnasium: its interface, and what it pays on the average."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, InputError, Policy, Transition
from ctucbvi.learning import OutsideWorld

pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env

from ctucbvi.environments import Episodes

MODEL = CTMDP.of(
    "lumps",
    horizon=2,
    transitions=[
        Transition.of("x", "a", rate=2, reward="1/2", to={"x": "1/4", "y": "3/4"}, lump={"x": -1, "y": 2}),
        Transition.of("x", "b", rate=1, reward=1, to={"y": 1}, lump="1/3"),
        Transition.of("y", "a", rate="3/2", reward=-1, to={"x": 1}),
    ],
    terminal={"x": "1/2", "y": -1},
)
POLICY = {"x": [(0, "b"), ("3/4", "a")], "y": "a"}


def mean_reward(model: CTMDP, episodes: int, seed: int) -> tuple[float, float]:
    """Mean and standard error of what episodes earn under the policy."""
    env, policy = Episodes(model), Policy.of(model, POLICY)
    env.reset(seed=seed)
    found = []
    for _ in range(episodes):
        seen, total, over = env.reset()[0], 0.0, False
        while not over:
            action = policy.action(model.states[seen["state"]], float(seen["remaining"][0]))
            seen, reward, over, cut, info = env.step(model.actions.index(action))
            assert not cut
            assert info["holding_time"] > 0
            assert info["jumped"] is not over
            total += reward
        found.append(total)
    return float(np.mean(found)), float(np.std(found) / np.sqrt(episodes))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_accepts_it():
    check_env(Episodes(replace(MODEL, transitions=tuple(t for t in MODEL.transitions if t.action == "a"),
                               actions=("a",))), skip_render_check=True)  # fmt: skip


@pytest.mark.parametrize("objective", ["max", "min"])
def test_episodes_earn_the_value_of_their_policy(objective):
    model = replace(MODEL, objective=objective)
    value = ctucbvi.evaluate(Policy.of(model, POLICY), digits=12).value("x")
    sign = 1 if objective == "max" else -1
    mean, error = mean_reward(model, 20_000, seed=3)
    assert abs(sign * float(value.mid) - mean) < 4 * error
    # The mutants: lumps forgotten, or the same for both targets, or costs not negated, are noticed.
    plain = replace(model, transitions=tuple(replace(t, lump=()) for t in model.transitions))
    first = model.transitions[0]
    alike = replace(first, lump=tuple((y, Fraction(2)) for y, _ in first.to))
    same = replace(model, transitions=(alike, *model.transitions[1:]))
    for wrong in (plain, same):
        other = ctucbvi.evaluate(Policy.of(wrong, POLICY), digits=12).value("x")
        assert abs(sign * float(other.mid) - mean) > 8 * error
    assert abs(-sign * float(value.mid) - mean) > 8 * error


def test_its_ends_are_those_that_learners_are_told_of():
    """However many stays are added up in doubles, an end is never taken for an early one."""
    model = MODEL.with_horizon("200/3")
    env = Episodes(model)
    env.reset(seed=5)
    for _ in range(30):
        visits = OutsideWorld(env, model).episode(lambda state, remaining: "a").visits
        assert sum(visit.holding for visit in visits) == model.horizon
        assert len(visits) > 50


def test_what_cannot_be_played_is_one_line():
    env = Episodes(MODEL)
    with pytest.raises(InputError, match="the episode is over; call reset"):
        env.step(0)
    seen, info = env.reset(seed=1, options={"state": "y", "remaining": "1/2"})
    assert (seen["state"], float(seen["remaining"][0])) == (1, 0.5)
    assert info["action_mask"].tolist() == [1, 0]
    for bad in (1, 7, -1):
        with pytest.raises(InputError, match=f"state 'y' does not offer action {bad}; choose from: a"):
            env.step(bad)
    with pytest.raises(InputError, match="state 'z' is not in model"):
        env.reset(options={"state": "z"})


def test_without_gymnasium_it_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "ctucbvi.environments")
    with pytest.raises(InputError, match=r"gymnasium is not installed; pip install 'ctucbvi\[gymnasium\]'"):
        __import__("ctucbvi.environments")
