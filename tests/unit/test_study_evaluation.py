from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import CTMDP, InputError, Policy, Semantics, Transition
from ctucbvi.library import machine_repair
from ctucbvi.numeric import evaluate_numeric
from ctucbvi.strategies import models
from ctucbvi.study import Evaluator
from ctucbvi.study.evaluation import UNITS, exact_units
from tests.simulated_policies import Sample, grid_policy, simulate

BUDGET = 1e-6  # probability with which a correct program may fail the statistical tests of this file
EPISODES = 10**6


def random_policies(model: CTMDP, steps: int, seed: int, count: int = 1) -> np.ndarray:
    """Policies with a few switches."""
    draw = np.random.default_rng(seed)
    first = ctucbvi.numeric.arrays.Arrays.of(model).first
    found = np.empty((count, len(model.states), steps + 1), np.int64)
    for j in range(count):
        for x in range(len(model.states)):
            cuts = draw.integers(0, steps, draw.integers(1, 4))
            for cut in [0, *sorted(cuts)]:
                found[j, x, cut:] = draw.integers(first[x], first[x + 1])
    return found


def as_policy(model: CTMDP, policy: np.ndarray) -> Policy:
    """The same in the words of the exact side."""
    steps = policy.shape[1] - 1
    starts = [max(model.horizon * (2 * i - 1) / (2 * steps), Fraction(0)) for i in range(steps + 1)]
    return Policy.of(
        model,
        {
            state: [(t, model.transitions[policy[x, i]].action) for i, t in enumerate(starts)]
            for x, state in enumerate(model.states)
        },
    )


def agrees(model: CTMDP, policies: np.ndarray, semantics: Semantics = Semantics.COMMITTED) -> bool:
    """Whether every value is within the proved bound of the exact one."""
    evaluator = Evaluator(model, policies.shape[2] - 1)
    for policy, values in zip(policies, evaluator.values(policies), strict=True):
        exact = ctucbvi.evaluate(as_policy(model, policy), semantics, digits=18)
        for state, value in zip(model.states, values, strict=True):
            true = exact.value(state)
            if abs(Fraction(float(value)) - true.mid) > Fraction(evaluator.bound) + true.radius:
                return False
    return True


@given(model=models(max_states=3, max_load=10), steps=st.integers(1, 12), seed=st.integers(0, 10**6))
def test_the_proved_bound_holds(model, steps, seed):
    assert agrees(model, random_policies(model, steps, seed))
    assert Evaluator(model, steps).bound <= 1e-10 * max(1, float(model.value_scale)) * max(
        1, float(model.max_rate * model.horizon)
    )


def test_a_policy_that_switches_in_every_cell():
    model, draw = machine_repair(), np.random.default_rng(1)
    policies = np.stack([draw.integers(0, 2, (3, 51)), draw.integers(2, 4, (3, 51))], axis=1)
    assert agrees(model, policies)


def test_a_bound_that_forgets_rounding_is_caught(monkeypatch):
    monkeypatch.setattr("ctucbvi.study.evaluation._bound", lambda *given: 1e-18)
    assert not agrees(machine_repair(), random_policies(machine_repair(), 20, 0, 3))


def test_wrong_semantics_are_caught():
    model = machine_repair()
    policies = random_policies(model, 10, 2, 3)
    assert agrees(model, policies)
    assert not agrees(model, policies, Semantics.ADJUSTABLE)


def test_a_policy_shifted_by_one_cell_is_caught(monkeypatch):
    model, values = machine_repair(), Evaluator.values
    policies = random_policies(model, 10, 2, 3)
    monkeypatch.setattr(Evaluator, "values", lambda self, given: values(self, np.roll(given, 1, axis=2)))
    assert not agrees(model, policies)


def test_the_action_at_the_horizon_is_that_of_the_last_grid_point():
    # The same policy up to H, one cell more of horizon, read at H, where the later piece counts.
    model = machine_repair()
    policy = grid_policy(model, 4, {"operating": {0: "fast", 2: "slow", 4: "fast"}, "repair": {0: "slow"}})
    longer = model.with_horizon(Fraction(5, 4))
    exact = ctucbvi.evaluate(
        Policy.of(longer, {"operating": [(0, "fast"), ("3/8", "slow"), ("7/8", "fast")], "repair": "slow"}),
        digits=18,
    )
    evaluator = Evaluator(model, 4)
    for state, value in zip(model.states, evaluator.values(policy[None])[0], strict=True):
        assert abs(value - float(exact.value(state, 1).mid)) <= evaluator.bound + 1e-16


def test_long_horizons_and_coarse_grids():
    model = machine_repair().with_horizon(40)
    assert agrees(model, random_policies(model, 3, 4, 2))


def test_a_model_that_is_never_left():
    row = [Transition.of("x", a, rate=0, reward=r) for a, r in (("stay", "1/3"), ("wait", "1/4"))]
    model = CTMDP.of("still", horizon=2, transitions=row)
    policy = grid_policy(model, 2, {"x": {0: "stay"}})
    assert Evaluator(model, 2).values(policy[None])[0, 0] == pytest.approx(2 / 3, abs=1e-14)


def test_policies_that_do_not_fit_are_refused():
    model = machine_repair()
    evaluator = Evaluator(model, 4)
    with pytest.raises(InputError, match="shape"):
        evaluator.values(np.zeros((1, 2, 4), np.int64))
    with pytest.raises(InputError, match="not on offer"):
        evaluator.values(np.zeros((1, 2, 5), np.int64))


def test_numbers_out_of_range_are_refused():
    with pytest.raises(InputError, match="beyond"):
        Evaluator(machine_repair().with_rewards("1e-250"), 4)


def test_values_become_whole_numbers_without_loss():
    values = np.array([0.641, 1e-3, 7.0, 0.0])
    for value, units in zip(values, exact_units(values), strict=True):
        assert abs(Fraction(float(value)) - units * UNITS) <= UNITS / 2


# --- against simulation ----------------------------------------------------------------------


def inside(sample: Sample, value: float) -> bool:
    return abs(value - sample.mean) <= sample.radius(BUDGET / 20)


def test_twenty_policies_against_a_million_episodes_each():
    model = machine_repair()
    policies = random_policies(model, 16, 3, 20)
    values = Evaluator(model, 16).values(policies)[:, 0]
    samples = [simulate(model, policy, episodes=EPISODES, seed=j) for j, policy in enumerate(policies)]
    assert all(inside(sample, value) for sample, value in zip(samples, values, strict=True))
    # An evaluation with the wrong semantics: the action may change between jumps.
    wrong = [
        evaluate_numeric(as_policy(model, policy), Semantics.ADJUSTABLE).value(model.initial)
        for policy in policies
    ]
    outside = [not inside(sample, value) for sample, value in zip(samples, wrong, strict=True)]
    assert sum(outside) >= 10


def test_the_simulation_of_a_single_stay_has_its_closed_form():
    rows = [
        Transition.of("x", "a", rate=2, reward=1, to={"y": "1/4", "z": "3/4"}),
        Transition.of("y", "a", rate=0, reward=0),
        Transition.of("z", "a", rate=0, reward=1),
    ]
    model = CTMDP.of("stay", horizon=1, transitions=rows)
    policy = grid_policy(model, 1, {x: {0: "a"} for x in model.states})
    sample = simulate(model, policy, episodes=EPISODES, seed=7)
    stay = (1 - np.exp(-2)) / 2
    assert inside(sample, stay + 0.75 * (1 - stay))
    assert not inside(sample, stay + 0.25 * (1 - stay))
    assert inside(Sample(2, sample.mean, 1.0, 0.0, 1.0), 0.0)  # two episodes tell nothing


def test_a_sample_of_one_is_refused():
    model = machine_repair()
    policy = random_policies(model, 4, 0)[0]
    with pytest.raises(InputError, match="at least 2"):
        simulate(model, policy, episodes=1, seed=0)


# --- sampled policies: a learner in discrete time ---------------------------------------------


def sampled_value(model: CTMDP, policy: np.ndarray) -> list[Fraction]:
    """Cell by cell on the exact side: one action in all states, and the values so far as terminal rewards."""
    steps = policy.shape[1] - 1
    worth = dict(zip(model.states, model.terminal, strict=True))
    for i in range(1, steps + 1):
        held = {}
        for action in model.actions:
            rows = [t for t in model.transitions if t.action == action]
            cell = CTMDP.of(
                "cell", horizon=model.horizon / steps, transitions=rows, states=model.states, terminal=worth
            )
            held[action] = ctucbvi.solve(cell, digits=25)
        worth = {
            x: held[model.transitions[policy[j, i]].action].value(x).mid for j, x in enumerate(model.states)
        }
    return list(worth.values())


def test_sampled_policies_are_those_of_the_exact_side():
    model, draw = machine_repair(), np.random.default_rng(5)
    policies = np.stack([draw.integers(0, 2, (4, 6)), draw.integers(2, 4, (4, 6))], axis=1)
    sampled, committed = Evaluator(model, 5, sampled=True), Evaluator(model, 5)
    exact = [sampled_value(model, policy) for policy in policies]

    def right(evaluator: Evaluator) -> bool:
        return all(
            abs(Fraction(float(v)) - w) <= Fraction(evaluator.bound) + Fraction(1, 10**20)
            for found, wanted in zip(evaluator.values(policies), exact, strict=True)
            for v, w in zip(found, wanted, strict=True)
        )

    assert right(sampled)
    assert not right(committed)


def test_a_sampled_policy_can_beat_every_committed_one_and_no_adjustable_one():
    model = machine_repair()
    best = {s: ctucbvi.solve(model, s).value("operating") for s in Semantics}
    policy = grid_policy(
        model, 100, {"operating": {0: "fast", 30: "slow"}, "repair": {0: "slow", 38: "fast"}}
    )
    value = Fraction(float(Evaluator(model, 100, sampled=True).values(policy[None])[0, 0]))
    assert best[Semantics.COMMITTED].upper < value < best[Semantics.ADJUSTABLE].lower


def test_an_action_that_is_not_everywhere_cannot_be_held():
    rows = [
        Transition.of("x", "a", rate=1, reward=1, to={"y": 1}),
        Transition.of("y", "b", rate=1, reward=0, to={"x": 1}),
    ]
    model = CTMDP.of("apart", horizon=1, transitions=rows)
    with pytest.raises(InputError, match="state 'y' does not offer 'a'"):
        Evaluator(model, 4, sampled=True)
