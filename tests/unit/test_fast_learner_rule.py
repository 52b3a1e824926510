"""What a learner plays between grid points: no order of actions in it, and planning left out or not."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from ctucbvi import InputError, bundled_model, evaluate, solve
from ctucbvi.learning import Settings
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.model import CTMDP
from tests.histories import lengths_of, policies_of, rounds_of, values_of
from tests.random_learners import random_model, random_settings, reordered

MACHINE = bundled_model("machine-repair")


def played(model: CTMDP, given: Settings, count: int, steps: int, **options) -> list[tuple]:
    """Every policy in names of actions, with how long it was in force."""
    stretch = FastLearner(model, given, seed=3, steps=steps, **options).advance(count)
    names = np.array([row.action for row in model.transitions])
    return [
        (int(n), tuple(map(tuple, names[p])))
        for n, p in zip(lengths_of(stretch), policies_of(stretch), strict=True)
    ]


@pytest.mark.parametrize("bonus", ["paper", "sharp", "none"])
def test_the_order_of_actions_does_not_matter(bonus: str) -> None:
    given = Settings.for_model(MACHINE, episodes=10**6, bonus=bonus)
    other = CTMDP.of(
        "machine-repair",
        horizon=1,
        transitions=[MACHINE.transitions[k] for k in (1, 0, 3, 2)],
        states=MACHINE.states,
    )
    found = [played(model, given, 20_000, 40) for model in (MACHINE, other)]
    assert found[0] == found[1]
    assert len(found[0]) > 1


def order_matters(seed: int, count: int = 1500) -> bool:
    """Whether a random model without ties is played otherwise when its actions are listed otherwise."""
    draw = Random(seed)
    model = random_model(draw, distinct=True)
    given = Settings.for_model(model, episodes=count, bonus=draw.choice(("paper", "sharp", "none")))
    steps = draw.choice((1, 2, 7, 30))
    return played(model, given, count, steps) != played(reordered(model, draw), given, count, steps)


def test_nor_does_it_in_random_models_without_ties() -> None:
    assert [seed for seed in range(60) if order_matters(seed)] == []


@pytest.mark.thorough
def test_nor_does_it_in_many() -> None:
    assert [seed for seed in range(60, 2000) if order_matters(seed)] == []


def test_an_action_taken_because_it_is_listed_first_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from ctucbvi.learning.fast import learner as learner_module
    from tests.fast_learners import plain_kernels

    changed = ("        policy[x, 0] = policy[x, 1]\n", "        policy[x, 0] = first[x]\n")
    with plain_kernels(episodes=changed) as kernels, np.errstate(over="ignore"):
        monkeypatch.setattr(learner_module, "run_episodes", kernels.episode_loop.run)
        assert any(order_matters(seed, 60) for seed in range(6))


def test_near_the_end_the_better_action_is_played() -> None:
    # With hardly any time left only the reward counts, and the action listed first earns nothing.
    late = CTMDP.of(
        "late",
        horizon=1,
        transitions=[
            *(row for row in MACHINE.transitions if row.action == "slow"),
            *(row for row in MACHINE.transitions if row.action == "fast"),
        ],
        states=MACHINE.states,
    )
    learner = FastLearner(late, Settings.for_model(late, episodes=100), seed=1, steps=10)
    learner.advance(1)
    best = solve(late, digits=10).policy()
    for x, state in enumerate(late.states):
        for i in (0, 1):
            assert late.transitions[learner.desk.policy[x, i]].action == best.action(state, Fraction(1, 100))
    assert evaluate(best).value("operating").lower > 0


# --- planning left out ------------------------------------------------------------------------


def departs(seed: int, count: int) -> bool:
    """Whether leaving out planning makes any difference in a random setting."""
    draw = Random(seed)
    model = random_model(draw, distinct=draw.random() < 0.3)
    given = random_settings(draw, model, count)
    steps, begin = draw.choice((1, 2, 5, 11, 30)), draw.randrange(10**6)
    learners = [FastLearner(model, given, seed=begin, steps=steps, skip=skip) for skip in (False, True)]
    one, other = (learner.advance(count) for learner in learners)
    return not (
        np.array_equal(one.starts, other.starts)
        and np.array_equal(policies_of(one), policies_of(other))
        and learners[0].time == learners[1].time
        and rounds_of(learners[0]) == rounds_of(learners[1])
    )


def test_leaving_out_planning_makes_no_difference_in_random_settings() -> None:
    assert [seed for seed in range(80) if departs(seed, 2500)] == []


@pytest.mark.thorough
def test_nor_in_thousands() -> None:
    assert [seed for seed in range(80, 3000) if departs(seed, 6000)] == []
    # Later the bonus no longer decides, and actions are held level by estimates that move.
    assert [seed for seed in range(3000, 3200) if departs(seed, 60_000)] == []


def test_a_first_cell_that_is_not_followed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # Policies that change at a tracked t_1 must change at t_0, too.
    from ctucbvi.learning.fast import learner as learner_module
    from tests.fast_learners import plain_kernels

    changed = ("            if i == 1:  # t_0 takes the action of t_1\n", "            if False:\n")
    with plain_kernels(tracking=changed) as kernels, np.errstate(over="ignore"):
        real = learner_module.run_episodes

        def either(*arguments):
            return (kernels.episode_loop.run if arguments[-1] else real)(*arguments)

        monkeypatch.setattr(learner_module, "run_episodes", either)
        assert any(departs(seed, 300) for seed in range(40))


# --- accuracies beyond doubles ----------------------------------------------------------------


@pytest.mark.parametrize("bonus", ["paper", "sharp", "none"])
@pytest.mark.parametrize("epsilon", ["k^-1/2*exp(-lambda_max*H)", "k^-1000"])
def test_an_accuracy_that_underflows_is_that_of_the_last_sweep_that_changes_anything(bonus, epsilon) -> None:
    given = Settings.for_model(MACHINE, episodes=200, lambda_max=800, epsilon=epsilon, bonus=bonus)
    learner = FastLearner(MACHINE, given, seed=2, steps=20)
    stretch = learner.advance(200)
    fine = Settings.for_model(MACHINE, episodes=200, lambda_max=800, epsilon="k^-60", bonus=bonus)
    other = FastLearner(MACHINE, fine, seed=2, steps=20)
    assert np.array_equal(policies_of(stretch)[-1], policies_of(other.advance(200))[-1])
    assert learner.time == other.time
    assert np.array_equal(values_of(learner), values_of(other))


def test_a_bonus_beside_which_rewards_vanish_is_refused() -> None:
    given = Settings.for_model(MACHINE, episodes=10, lambda_max=10**9)
    with pytest.raises(InputError, match="do not tell the rewards of state 'operating' apart"):
        FastLearner(MACHINE, given, seed=1)
    FastLearner(MACHINE, Settings.for_model(MACHINE, episodes=10, lambda_max=10**6), seed=1)
