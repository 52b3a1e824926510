"""The strategies themselves: valid, bounded, complete in the corners, and shrinking to the simple."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from ctucbvi import strategies
from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP
from ctucbvi.policy import Policy
from ctucbvi.strategies import (
    LONGEST_HORIZON,
    SHORTEST_HORIZON,
    corner_models,
    horizons,
    models,
    policies,
    probability_rows,
    rates,
    reward_rates,
    times,
)

steady = settings(derandomize=True, database=None, deadline=None, max_examples=60)
hunt = settings(steady, max_examples=400, phases=[Phase.generate])
NANO = Fraction(1, 10**9)


def positive_rates(model: CTMDP) -> list[Fraction]:
    return [t.rate for t in model.transitions if t.rate > 0]


def near_pairs(model: CTMDP) -> bool:
    found = positive_rates(model)
    return any(0 < abs(a / b - 1) <= 10 * NANO for a in found for b in found)


def loops(model: CTMDP) -> list[Fraction]:
    return [p for t in model.transitions if t.rate > 0 for y, p in t.to if y == t.state]


def tied(model: CTMDP) -> bool:
    rows = [(t.state, t.rate, t.reward, t.to) for t in model.transitions]
    return any(t.rate > 0 for t in model.transitions) and len(set(rows)) < len(rows)


def spread(model: CTMDP) -> Fraction:
    found = positive_rates(model)
    return max(found) / min(found) if found else Fraction(1)


def several(model: CTMDP) -> bool:
    return len(model.transitions) >= 3


CORNERS = {
    "one state": lambda m: len(m.states) == 1,
    "four states": lambda m: len(m.states) == 4,
    "rates 10^6 apart": lambda m: spread(m) >= 10**6,
    "nearly equal rates": near_pairs,
    "equal rates": lambda m: several(m) and m.max_rate > 0 and len({t.rate for t in m.transitions}) == 1,
    "a rate of zero": lambda m: m.max_rate > 0 and any(t.rate == 0 for t in m.transitions),
    "a rate of zero with a row": lambda m: any(t.rate == 0 and t.to for t in m.transitions),
    "all rates zero": lambda m: several(m) and m.max_rate == 0,
    "a sure self-loop": lambda m: len(m.states) > 1 and 1 in loops(m),
    "a partial self-loop": lambda m: any(0 < p < 1 for p in loops(m)),
    "no self-loop": lambda m: several(m) and m.max_rate > 0 and not loops(m),
    "an exact tie": tied,
    "equal rewards": lambda m: several(m) and len({t.reward for t in m.transitions}) == 1,
    "no rewards but terminal ones": lambda m: any(m.terminal) and not any(t.reward for t in m.transitions),
    "negative rewards": lambda m: any(t.reward < 0 for t in m.transitions),
    "terminal rewards": lambda m: any(m.terminal),
    "no terminal rewards": lambda m: not any(m.terminal),
    "state-dependent actions": lambda m: len({m.actions_of(x) for x in m.states}) > 1,
    "shortest horizon": lambda m: m.horizon == SHORTEST_HORIZON,
    "long horizon": lambda m: m.horizon >= 500,
    "the whole load": lambda m: m.max_rate * m.horizon == 10,
    "a later initial state": lambda m: m.initial != m.states[0],
}


@pytest.mark.parametrize("corner", CORNERS)
def test_every_corner_is_reached(corner: str) -> None:
    assert CORNERS[corner](find(models(), CORNERS[corner], settings=hunt))


# Knobs that take a corner away: the hunt must then come back empty.
WITHOUT = {
    "four states": models(max_states=3),
    "an exact tie": models(max_actions=1),
    "negative rewards": models(rewards="nonnegative"),
    "terminal rewards": models(terminal=False),
    "shortest horizon": models().map(lambda m: m.with_horizon(1)),
}


@pytest.mark.parametrize("corner", WITHOUT)
def test_the_hunt_can_fail(corner: str) -> None:
    with pytest.raises(NoSuchExample):
        find(WITHOUT[corner], CORNERS[corner], settings=settings(hunt, max_examples=150))


def test_nothing_is_filtered() -> None:
    source = inspect.getsource(strategies)
    assert ".filter(" not in source
    assert "assume(" not in source
    assert "unique" not in source  # Hypothesis rejects draws to keep elements unique


@given(
    bounds=st.tuples(st.integers(1, 5), st.integers(1, 4), st.sampled_from(["1/10", "1", "7/2", "30"])),
    data=st.data(),
)
def test_bounds_are_kept(bounds: tuple[int, int, str], data: st.DataObject) -> None:
    size, width, load = bounds
    strategy = models(max_states=size, max_actions=width, max_load=Fraction(load), rewards="unit")
    model = data.draw(strategy)
    assert len(model.states) <= size
    assert len(model.actions) <= width
    assert model.max_rate * model.horizon <= Fraction(load)
    assert SHORTEST_HORIZON <= model.horizon <= LONGEST_HORIZON
    assert all(0 <= t.reward <= 1 for t in model.transitions)
    assert all(0 <= g <= 1 for g in model.terminal)
    # Valid: building it again from its parts, through the front door, gives the same model.
    again = CTMDP.of(
        model.name,
        horizon=model.horizon,
        transitions=model.transitions,
        initial=model.initial,
        states=model.states,
        actions=model.actions,
        terminal=dict(zip(model.states, model.terminal, strict=True)),
    )
    assert again == model


@pytest.mark.parametrize("load", ["1/10", "2"])
def test_the_corners_survive_a_small_load(load: str) -> None:
    strategy = models(max_load=Fraction(load))
    for corner in ("rates 10^6 apart", "nearly equal rates"):
        find(strategy, CORNERS[corner], settings=hunt)


def test_the_simplest_model() -> None:
    model = find(models(max_states=3, max_actions=2), lambda _: True, settings=steady)
    assert (model.states, model.actions, model.horizon) == (("s0",), ("a0",), 1)
    (row,) = model.transitions
    assert (row.rate, row.reward, row.to) == (1, 0, (("s0", 1),))
    assert model.terminal == (0,)


def test_shrinking_ends_at_the_smallest_model_with_the_property() -> None:
    strategy = models(max_states=2, max_actions=2)
    model = find(strategy, lambda m: len(m.states) > 1 and m.max_rate * m.horizon > 1, settings=steady)
    assert (len(model.states), len(model.actions), model.horizon) == (2, 1, 1)
    assert sorted(t.rate for t in model.transitions) == [1, 2]
    assert {t.reward for t in model.transitions} == {0}


@given(st.integers(1, 6).flatmap(probability_rows))
def test_probability_rows_sum_to_one(row: tuple[Fraction, ...]) -> None:
    assert sum(row) == 1
    assert all(0 <= p <= 1 for p in row)


def test_the_row_check_catches_doubles() -> None:
    """The mutant: the same row in floating point."""
    broken = find(probability_rows(6), lambda row: sum(map(Fraction, map(float, row))) != 1, settings=hunt)
    assert sum(broken) == 1


def test_probability_rows_reach_points_and_mixtures() -> None:
    assert find(probability_rows(3), lambda _: True, settings=steady) == (1, 0, 0)
    for condition in (lambda row: row[2] == 1, lambda row: all(row), lambda row: len(set(row)) == 1):
        find(probability_rows(3), condition, settings=hunt)


@given(horizon=horizons(), rate=rates(3), reward=reward_rates("nonnegative"))
def test_scalars_are_in_their_ranges(horizon: Fraction, rate: Fraction, reward: Fraction) -> None:
    assert SHORTEST_HORIZON <= horizon <= LONGEST_HORIZON
    assert 0 <= rate <= 3
    assert reward >= 0


def test_scalars_shrink_to_the_simple() -> None:
    assert find(horizons(), lambda _: True, settings=steady) == 1
    assert find(rates(), lambda _: True, settings=steady) == 1
    assert find(reward_rates(), lambda _: True, settings=steady) == 0


@given(st.data())
def test_policies_and_times_fit_their_model(data: st.DataObject) -> None:
    model = data.draw(models())
    policy = data.draw(policies(model))
    assert isinstance(policy, Policy)
    assert all(0 < t < model.horizon for t in policy.breakpoints)
    t = data.draw(times(model))
    assert 0 <= t <= model.horizon
    for state in model.states:
        assert policy.action(state, t) in model.actions_of(state)


def test_policies_and_times_reach_their_corners() -> None:
    model = corner_models()["huge-horizon"]
    for count in range(4):
        find(policies(model), lambda p, n=count: len(p.breakpoints) == n, settings=hunt)
    assert find(policies(model), lambda _: True, settings=steady) == Policy.of(model, {"x": "a", "y": "a"})
    for t in (Fraction(0), model.horizon):
        find(times(model), lambda drawn, t=t: drawn == t, settings=hunt)
    find(times(model), lambda t: 0 < t < 500, settings=hunt)
    with pytest.raises(NoSuchExample):
        find(policies(model, max_pieces=1), lambda p: p.breakpoints, settings=hunt)


def test_corner_models_are_what_they_say() -> None:
    corners = corner_models()
    assert all(name == model.name for name, model in corners.items())
    assert len(corners) >= 11
    assert len(corners["one-state"].states) == 1
    assert len(corners["one-action"].actions) == 1
    assert corners["all-rates-zero"].max_rate == 0
    assert tied(corners["equal-actions"])
    assert near_pairs(corners["nearly-equal-rates"])
    assert spread(corners["rates-far-apart"]) == 10**6
    assert set(loops(corners["self-loop-only"])) == {1}
    first, second, _ = corners["touching-at-zero"].transitions
    assert (first.reward, first.to) == (second.reward, second.to)
    assert first.rate != second.rate
    assert corners["huge-horizon"].horizon == LONGEST_HORIZON
    assert corners["tiny-horizon"].horizon == SHORTEST_HORIZON
    assert all(0 < p < 1 for p in loops(corners["partial-self-loops"]))
    assert corners["state-dependent-actions"].actions_of("y") == ("b",)
    assert all(model.max_rate * model.horizon <= 20 for model in corners.values())


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (lambda: rates(0), "rates: the largest is 0; write a number above 0"),
        (lambda: reward_rates("some"), "rewards: 'some' is unknown; write 'any', 'nonnegative' or 'unit'"),
        (lambda: probability_rows(0), "probability_rows: size is 0; write at least 1"),
        (lambda: models(max_states=0), "models: 0 states and 3 actions; write at least 1 of each"),
        (lambda: policies(corner_models()["one-state"], max_pieces=0), "policies: max_pieces is 0; write"),
    ],
)
def test_bad_knobs_are_refused(strategy, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(strategy(), lambda _: True, settings=steady)
