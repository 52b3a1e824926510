"""Discrete-time UCBVI on a model discretised upfront: its draws, its plans, and going on after a stop."""

from __future__ import annotations

from math import inf, log, sqrt

import numpy as np
import pytest
from scipy.linalg import expm

from ctucbvi import CTMDP, bundled_model
from ctucbvi.errors import InputError
from ctucbvi.learning import Settings
from ctucbvi.learning.fast.discrete import DiscreteLearner
from tests.fast_learners import ODD
from tests.histories import lengths_of, policies_of

MACHINE = bundled_model("machine-repair")


def learner(model: CTMDP = MACHINE, episodes: int = 20_000, **options: object) -> DiscreteLearner:
    bonus = options.pop("bonus", True)
    given = Settings.for_model(model, episodes=episodes, bonus=bonus)
    return DiscreteLearner(model, given, **{"seed": 3, "steps": 5, **options})


def step_chain(action: int, cell: float) -> np.ndarray:
    """The chain of a step of machine repair: both states take the same action, jumps included."""
    out = [float(MACHINE.transitions[2 * x + action].rate) for x in range(2)]
    return expm(cell * np.array([[-out[0], out[0]], [out[1], -out[1]]]))


@pytest.mark.parametrize("steps", [2, 10])
def test_steps_follow_the_process_with_the_action_held(steps: int) -> None:
    found = learner(steps=steps)
    found.advance(20_000)
    for k in range(4):
        p, n = step_chain(k % 2, 1 / steps)[k // 2], found.tables.visits[k]
        assert n > 1000
        assert abs(found.tables.moves[k, 0] - n * p[0]) <= 5 * sqrt(n * p[0] * p[1])
        # A chain that could jump only once per step is told apart.
        once = np.exp(-float(MACHINE.transitions[k].rate) / steps)
        wrong = once if k < 2 else 1 - once
        if steps == 2:
            assert abs(found.tables.moves[k, 0] - n * wrong) > 5 * sqrt(n * wrong * (1 - wrong))


@pytest.mark.parametrize("bonus", [True, False])
def test_plans_are_those_of_the_formulas(bonus: bool) -> None:
    found, steps = learner(bonus=bonus), 5
    factor = 7 * log(5 * 2 * 2 * 20_000 * steps / 0.05) if bonus else 0.0
    best = np.repeat((np.arange(steps + 1) / steps)[:, None], 4, axis=1)  # Q of the episode before
    for _ in range(300):
        visits, moves = found.tables.visits.copy(), found.tables.moves.copy()
        found.advance(1)
        values = np.zeros(2)
        for i in range(1, steps + 1):
            index = [
                float(row.reward) / steps + factor / sqrt(n) + moves[k] @ values / n
                if (n := visits[k])
                else inf
                for k, row in enumerate(MACHINE.transitions)
            ]
            best[i] = np.minimum(best[i], index)
            values = np.array([max(best[i, :2]), max(best[i, 2:])])
            for x in range(2):
                mine = index[2 * x : 2 * x + 2]
                chosen = found.tables.policy[x, i]
                assert mine[chosen - 2 * x] == pytest.approx(max(mine), rel=1e-12)


def test_interrupting_changes_nothing() -> None:
    whole = learner(run=1)
    stretch = whole.advance(600)
    part = learner(run=1)
    first = part.advance(250)
    snapshot, part = part.snapshot(), learner(run=1)
    part.restore(snapshot)
    second = part.advance(350)
    assert part.snapshot() == whole.snapshot()
    played = [p.tobytes() for s in (first, second) for p in np.repeat(policies_of(s), lengths_of(s), axis=0)]
    assert played == [p.tobytes() for p in np.repeat(policies_of(stretch), lengths_of(stretch), axis=0)]
    assert stretch.planned == 600


def test_an_action_that_cannot_be_held_is_refused() -> None:
    with pytest.raises(InputError, match="'y' does not offer 'a', which is held through a jump from 'x'"):
        learner(ODD)


def test_a_snapshot_of_another_kind_of_learner_is_refused() -> None:
    from ctucbvi.learning.fast.learner import FastLearner

    given = Settings.for_model(MACHINE, episodes=20_000)
    snapshot = FastLearner(MACHINE, given, seed=3, steps=5).snapshot()
    with pytest.raises(InputError, match="another learner"):
        DiscreteLearner(MACHINE, given, seed=3, steps=5).restore(snapshot)
