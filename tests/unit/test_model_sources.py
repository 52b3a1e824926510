"""Models from generators and from frames: what they say, exactly, and one line where they say nothing."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from ctucbvi import CTMDP, InputError, ModelError
from ctucbvi.library import bundled_models
from ctucbvi.strategies import models

Q = {"slow": [[-3.0, 3.0], [2.0, -2.0]], "fast": [[-5.0, 5.0], [7.0, -7.0]]}
REWARDS = [[0.85, 1.0], [0.4, 0.0]]


# --- generators ----------------------------------------------------------------------------


def test_a_generator_is_the_model_that_it_describes():
    model = CTMDP.from_generator(Q, REWARDS, horizon=1, states=("operating", "repair"), name="machine-repair")
    assert model == bundled_models()["machine-repair"]
    stacked = CTMDP.from_generator(list(Q.values()), REWARDS, horizon=1, actions=tuple(Q))
    assert stacked.transitions[0].action == "slow"
    assert stacked.states == ("s0", "s1")


@given(models(max_states=4))
def test_the_generator_of_a_model_without_jumps_back_gives_it_back(model):
    rows = [row for row in model.transitions if all(y != row.state for y, _ in row.to)]
    if len({row.state for row in rows}) < len(model.states):
        return
    size, width = len(model.states), len(model.actions)
    flows = np.full((width, size, size), Fraction(0), object)
    rewards = np.full((size, width), Fraction(0), object)
    available = np.zeros((size, width), bool)
    for row in rows:
        i, a = model.state_index(row.state), model.actions.index(row.action)
        available[i, a], rewards[i, a] = True, row.reward
        for y, p in row.to:
            flows[a, i, model.state_index(y)] = row.rate * p
        flows[a, i, i] = -row.rate
    found = CTMDP.from_generator(
        flows, rewards, horizon=model.horizon, available=available, states=model.states, actions=model.actions
    )
    for one, other in zip(found.transitions, rows, strict=True):
        assert (one.rate, one.reward) == (other.rate, other.reward)
        assert dict(one.to) == (dict(other.to) if other.rate else {})


def test_rates_of_doubles_need_no_exact_diagonal():
    model = CTMDP.from_generator(
        [[[-(0.1 + 0.2), 0.1, 0.2], [0.5, -0.5, 0], [0, 0, 0]]], [[1], [0], [0]], horizon=1
    )
    assert model.transitions[0].rate == Fraction(3, 10)
    assert dict(model.transitions[0].to) == {"s1": Fraction(1, 3), "s2": Fraction(2, 3)}
    thirds = CTMDP.from_generator(
        [[[-2 / 3, 1 / 3, 1 / 3], [0, 0, 0], [0, 0, 0]]], [[0]] * 3, horizon=1, rationalize=1e-12
    )
    assert thirds.transitions[0].rate == Fraction(2, 3)


def test_a_row_of_nan_is_not_on_offer():
    nan = float("nan")
    model = CTMDP.from_generator({**Q, "rest": [[nan, nan], [0, 0]]}, [[1, 1, 9], [0, 0, 3]], horizon=1)
    assert model.actions_of("s0") == ("slow", "fast")
    assert model.actions_of("s1") == ("slow", "fast", "rest")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ([[-3, 2], [2, -2]], "^state 's0', action 'slow': the diagonal is -3, but .* sum to 2; write -2"),
        ([[-3.0, 2.999999], [2, -2]], "^state 's0', action 'slow': the diagonal is -3, but"),
        ([[3, -3], [2, -2]], "^state 's0', action 'slow': the rate to 's1' is -3, negative; write 0 or more"),
        (
            [[-3, 3], [float("nan"), -2]],
            "^rate from 's1' to 's0' at state 's1', action 'slow': nan is not finite",
        ),
        ([[-3, 3, 0], [2, -2, 0]], r"^generators: Q .*need \(A, S, S\), \(S, A\)"),
        ([[float("nan")] * 2] * 2, "^state"),
    ],
)
def test_what_is_no_generator_is_one_line(change, message):
    with pytest.raises(ModelError, match=message) as caught:
        CTMDP.from_generator({"slow": change}, [[1], [0]], horizon=1)
    assert "\n" not in str(caught.value)


def test_lumps_come_with_arrays_and_generators():
    lumps = [[[9, 1], [9, 1]], [[2, 0], [2, 0]]]
    model = CTMDP.from_generator(Q, REWARDS, horizon=1, lumps=lumps)
    assert model.transitions[0].lump == (("s1", Fraction(1)),)  # where it jumps, and nowhere else
    assert model.transitions[2].gain == Fraction("0.4") + 2 * 2
    same = CTMDP.from_arrays([[3]], [[1]], [[[1]]], horizon=1, lumps=[[0.5]])
    assert same.transitions[0].gain == Fraction(5, 2)
    with pytest.raises(ModelError, match=r"lumps \(3,\); need \(1, 1\) or \(1, 1, 1\)"):
        CTMDP.from_arrays([[3]], [[1]], [[[1]]], horizon=1, lumps=[1, 2, 3])


def test_unknown_options_are_one_line():
    with pytest.raises(ModelError, match="option 'horizons' is unknown"):
        CTMDP.from_arrays([[1]], [[1]], [[[1]]], horizon=1, horizons=2)
    with pytest.raises(ModelError, match="objective: 'least' is unknown; write 'max' or 'min'"):
        CTMDP.from_arrays([[1]], [[1]], [[[1]]], horizon=1, objective="least")


# --- frames --------------------------------------------------------------------------------


@given(models(max_states=4, lumps=True, objectives=("max", "min")))
def test_a_frame_gives_the_model_back(model):
    pytest.importorskip("pandas")
    told = {"states": model.states, "actions": model.actions, "initial": model.initial, "name": model.name}
    ends = dict(zip(model.states, model.terminal, strict=True))
    frame = model.to_frame()
    assert list(frame.columns) == [
        "state",
        "action",
        "rate",
        "reward",
        "to",
        "probability",
        "lump",
        "choice",
        "terminal",
    ]
    back = CTMDP.from_frame(frame, horizon=model.horizon, terminal=ends, objective=model.objective, **told)
    assert back == model


@pytest.mark.parametrize("name", sorted(bundled_models()))
def test_a_frame_of_doubles_gives_bundled_models_back(name):
    pytest.importorskip("pandas")
    model = bundled_models()[name]
    frame = model.to_frame().astype({"rate": float, "reward": float, "probability": float, "lump": float})
    told = {"states": model.states, "actions": model.actions, "initial": model.initial, "name": model.name}
    ends = dict(zip(model.states, model.terminal, strict=True))
    shuffled = frame.sample(frac=1, random_state=1)
    back = CTMDP.from_frame(shuffled, horizon=model.horizon, terminal=ends, rationalize=1e-12, **told)
    for one, other in zip(back.transitions, model.transitions, strict=True):
        assert (one.rate, one.reward, dict(one.to)) == (other.rate, other.reward, dict(other.to))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="rate"), "^table: no column 'rate'; the columns are state, action"),
        (lambda f: f.assign(colour=1), "^table: unknown column 'colour'; the columns are"),
        (
            lambda f: f.assign(rate=[1, 2, 3, 3]),
            r"^table: row 2 \(state 'x', action 'a'\): rate 2 is not that of row 1",
        ),
        (lambda f: f.assign(to=["y", "y", "x", "y"]), r"^table: row 2 .*: jumps to 'y' twice; add the"),
        (lambda f: f.assign(to=["y", None, "x", "y"]), r"^table: row 2 .*: no target, beside rows with one"),
        (lambda f: f.assign(probability=[0.5, None, 1, 1]), r"^table: row 2 .*: no probability of 'x'"),
        (lambda f: f.assign(probability=[0.5, 0.4, 1, 1]), "probabilities sum to 9/10, not exactly 1"),
        (lambda f: f.assign(to=["y", "z", "x", "y"]), "jumps to 'z', which is not a state"),
        (
            lambda f: f.assign(reward="much"),
            "^table: reward of state 'x', action 'a': 'much' is not a number",
        ),
        (lambda f: f.iloc[:0], "^states: none given"),
        (lambda f: [1, 2], "^frame: list is not a pandas frame"),
    ],
)
def test_what_is_no_table_is_one_line(change, message):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "state": ["x", "x", "y", "x"],
            "action": ["a", "a", "a", "b"],
            "rate": [1, 1, 3, 3],
            "reward": [0.5, 0.5, 0, 0],
            "to": ["y", "x", "x", "y"],
            "probability": [0.5, 0.5, 1, 1],
        },
        dtype=object,
    )
    assert CTMDP.from_frame(frame, horizon=1).actions_of("x") == ("a", "b")
    with pytest.raises(ModelError, match=message) as caught:
        CTMDP.from_frame(change(frame), horizon=1)
    assert "\n" not in str(caught.value)


def test_without_pandas_it_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pandas is not installed; write pip install pandas"):
        bundled_models()["queue"].to_frame()
