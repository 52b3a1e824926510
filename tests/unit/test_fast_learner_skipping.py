"""Planning left out with a proof: bit for bit the eager learner, and the bound itself checked directly."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ctucbvi import CTMDP, bundled_model
from ctucbvi.learning import Settings, rescaling
from ctucbvi.learning.fast.learner import FastLearner
from tests.fast_learners import ODD, QUIET, box_violations, laid_out
from tests.histories import rounds_of

MACHINE = bundled_model("machine-repair")


def scaled(name: str) -> CTMDP:
    model = bundled_model(name)
    return model.with_rewards(*rescaling(model))


# Model, episodes, settings, cells, and the largest share of episodes that may be planned.
LONG = {
    "machine repair": (MACHINE, 120_000, {}, 100, 0.2),
    "machine repair, greedy": (MACHINE, 120_000, {"bonus": False}, 50, 0.2),
    "machine repair, sharp": (MACHINE, 120_000, {"bonus": "sharp"}, 100, 0.9),
    "odd": (ODD, 100_000, {}, 20, 0.5),
    # The sharp bonus holds actions level whose estimates still move: hardly anything can be left out.
    "odd, sharp": (ODD, 100_000, {"bonus": "sharp"}, 20, 1.01),
    "odd, greedy": (ODD, 100_000, {"bonus": False}, 20, 0.5),
    "queue": (scaled("queue"), 100_000, {}, 20, 0.1),
    "tree, greedy": (scaled("lower-bound-tree"), 100_000, {"bonus": False}, 20, 0.1),
    "quiet": (QUIET, 100_000, {}, 20, 0.99),  # where policies change all the time
}


@pytest.mark.parametrize("name", LONG)
def test_the_same_bits_as_the_eager_learner(name: str) -> None:
    model, count, options, steps, share = LONG[name]
    given = Settings.for_model(model, episodes=count, **options)
    learners = [FastLearner(model, given, seed=11, steps=steps, skip=skip) for skip in (False, True)]
    eager, skipping = (learner.advance(count) for learner in learners)
    assert (eager.starts.shape, eager.distinct.shape) == (skipping.starts.shape, skipping.distinct.shape)
    assert (eager.starts == skipping.starts).all()
    assert (eager.which == skipping.which).all()
    assert (eager.distinct == skipping.distinct).all()
    assert learners[0].time == learners[1].time
    assert (learners[0].n_plus == learners[1].n_plus).all()
    assert rounds_of(learners[0]) == rounds_of(learners[1])
    assert eager.planned == count
    assert skipping.planned < share * count  # the test is about something


def test_policies_change_without_planning() -> None:
    # Most changes happen at points that are tracked: fewer plans than policies.
    given = Settings.for_model(MACHINE, episodes=10**7)
    learner = FastLearner(MACHINE, given, seed=1)
    learner.advance(100_000)
    stretch = learner.advance(400_000)
    assert len(stretch.starts) > 5000
    assert stretch.planned < 400_000 / 8


@pytest.mark.parametrize("bonus", ["paper", "sharp"])
@pytest.mark.parametrize("model", [MACHINE, ODD, QUIET], ids=lambda m: m.name)
def test_every_estimate_in_the_box_is_within_the_bound(model: CTMDP, bonus: str) -> None:
    tried = 0
    for episodes, aim in ((300, 4), (3000, 40), (20_000, 300), (20_000, 3000)):
        found = laid_out(model, episodes, aim, bonus=bonus)
        if found is not None:
            tried += 1
            assert box_violations(found, samples=60) == []
    assert tried >= 2


def test_boxes_grow_with_what_they_are_made_for() -> None:
    widths = [laid_out(MACHINE, 20_000, aim).trust.width[:8].copy() for aim in (1, 10, 100)]
    for small, large in pairwise(widths):
        assert (small <= large).all()
        assert (small < large).any()


def test_twins_are_found_and_told_apart() -> None:
    learner = FastLearner(QUIET, Settings.for_model(QUIET, episodes=50), seed=1, steps=5)
    learner.advance(1)
    twin, glued = learner._trust.twin, learner._trust.glued
    # Before anything is known, actions with the same reward are the same; "b" of "x" has another.
    assert twin.tolist() == [0, 1, 0, 3, 3]
    assert glued.tolist() == [1, 0, 1, 1, 1]
    assert np.isin(learner.desk.policy[0], [0, 1]).all()
