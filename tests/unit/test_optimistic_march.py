"""Frozen means: the march of the optimistic learner has the bits of the one that searches every mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import numpy as np
import pytest

from ctucbvi.learning import Settings
from ctucbvi.learning.fast import optimistic_march
from ctucbvi.learning.fast.optimistic import OptimisticLearner
from tests.fast_learners import ODD, plain_kernels
from tests.grid_sets import grid_plan, level_sets
from tests.hostile_estimates import hostile_estimates
from tests.optimistic_worlds import seen_sets
from tests.random_learners import random_model
from tests.straight_march import StraightLearner, straight_table

MARCHES = 20  # sets of a plan, made worse one after the other


def plans(seed: int) -> Iterator[OptimisticLearner]:
    """Learners with sets of all kinds: rows that lead everywhere, short rows, and no data at all."""
    draw = Random(seed)
    for estimates in (hostile_estimates, level_sets, seen_sets):
        statistics, settings = estimates(draw, jumps=draw.choice(("l1", "l1", "kl")))
        if settings.lambda_max * statistics.model.horizon < 100:
            yield grid_plan(statistics, settings, draw.choice((3, 8)))[1]
    model = random_model(draw)
    settings = Settings.for_model(
        model, episodes=1000, bonus="optimistic", jumps=draw.choice(("l1", "l1", "kl")), lambda_max=20
    )
    found = OptimisticLearner(model, settings, seed=seed, steps=draw.randint(3, 30))
    for episodes in (1, 10, 300):
        found.advance(episodes)
        yield found


def disturb(found: OptimisticLearner, draw: Random) -> None:
    """Other sets: wider or narrower, of round numbers now and then, so that ties occur."""
    sets = found.sets
    for k in range(len(sets.low)):
        if sets.shift[k] >= 0 and not sets.several[k]:
            sets.shift[k] = draw.choice((0.0, 0.125, 0.5, draw.random(), sets.shift[k]))
        if draw.random() < 0.3:
            sets.low[k] = sets.low[draw.randrange(len(sets.low))]
            sets.high[k] = max(sets.low[k], sets.high[k])
        begin, end = found.scene.row[k], found.scene.row[k + 1]
        if draw.random() < 0.3 and end > begin + 1 and sets.shift[k] >= 0 and not sets.several[k]:
            mass = np.array([draw.choice((0, 1, 1, 2, draw.random())) for _ in range(begin, end)])
            if mass.sum() > 0:
                sets.chance[begin:end] = mass / mass.sum()


def differences(seed: int, march: Callable = optimistic_march.march, marches: int = MARCHES) -> int:
    """How many of the tables have other bits."""
    draw, wrong = Random(seed), 0
    for found in plans(seed):
        kept = [array.copy() for array in found.sets]
        for _ in range(marches):
            march(found.scene, found.constants, found.sets, found.room)
            straight = straight_table(found.scene, found.constants, found.sets)
            wrong += found.room.table.tobytes() != straight.tobytes()
            disturb(found, draw)
        for array, before in zip(found.sets, kept, strict=True):
            array[:] = before
    return wrong


@pytest.mark.parametrize("part", range(2))
def test_the_bits_of_the_straight_march(part):
    assert sum(differences(seed) for seed in range(12 * part, 12 * part + 12)) == 0  # some 3000 tables


def test_a_whole_run_has_the_bits_of_the_straight_one():
    settings = Settings.for_model(ODD, episodes=2000, bonus="optimistic")
    one, other = (
        kind(ODD, settings, seed=1, steps=20, skip=False) for kind in (OptimisticLearner, StraightLearner)
    )
    assert one.advance(2000).starts.tolist() == other.advance(2000).starts.tolist()
    assert one._memory.counts.tobytes() == other._memory.counts.tobytes()


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_the_bits_of_the_straight_march_thoroughly(part):
    seeds = range(1000 + 250 * part, 1250 + 250 * part)
    assert sum(differences(seed, marches=100) for seed in seeds) == 0


MUTANTS = {
    "a tie that is broken": ("& ((lower == upper) == (tied[j] != 0))", ""),
    "another best state": ("same &= values[x] <= top", "same &= True"),
    "an order that changes": ("same &= (lower <= upper) &", "same &="),
    "nothing is compared": ("compared, slowly = freeze(", "_, slowly = freeze("),
    "a target that is not better": ("y if values[y] > values[worst] else worst", "y"),
    "a third target": ("if sets.several[k] or end - begin > 2:", "if sets.several[k]:"),
    "the next better one": ("((below, y), (y, above))", "((below, y),)"),
    "all is moved": ("    if worst == values.size - 1:\n        return top\n", ""),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mean_that_is_frozen_too_long_is_found_out(name):
    with plain_kernels(("optimistic_march",), optimistic_march=MUTANTS[name]) as plain:
        march = plain.optimistic_march.march
        assert any(differences(seed, march, marches=3) for seed in range(30))
