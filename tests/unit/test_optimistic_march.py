"""Frozen means: the march of the optimistic learner has the bits of the one that searches every mean."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from ctucbvi.learning import Settings
from ctucbvi.learning.fast import optimistic_march
from ctucbvi.learning.fast.episodes import choose
from ctucbvi.learning.fast.optimistic import OptimisticLearner
from ctucbvi.model import CTMDP, Transition
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
    for model in (random_model(draw), many_states(draw)):
        settings = Settings.for_model(
            model, episodes=1000, bonus="optimistic", jumps=draw.choice(("l1", "l1", "kl")), lambda_max=20
        )
        found = OptimisticLearner(model, settings, seed=seed, steps=draw.randint(3, 30))
        for episodes in (1, 10, 300):
            found.advance(episodes)
            yield found
    yield overtaking(draw)


def overtaking(draw: Random) -> OptimisticLearner:
    """Sets that are almost the model, in which a state that is best is overtaken, or met, by another."""
    states = [f"s{i}" for i in range(draw.choice((4, 9, 20)))]
    hare, tortoise, nothing, *others = draw.sample(states, len(states))
    rows = [Transition.of(x, "a", rate=0, reward=r) for x, r in ((tortoise, "3/5"), (nothing, 0))]
    rows.append(Transition.of(hare, "a", rate=3, reward=1, to={nothing: 1}))
    if draw.random() < 0.5:
        rows.append(Transition.of(hare, "b", rate=0, reward="3/5"))
    for x in others:  # where no row leads to both, nobody but the best state tells that one meets the other
        p = Fraction(draw.randint(1, 2), 3)
        to = {draw.choice((hare, tortoise)): p, nothing: 1 - p}
        rows.append(Transition.of(x, "a", rate=1, reward=Fraction(draw.randint(0, 4), 10), to=to))
    model = CTMDP.of("race", horizon=3, transitions=rows, states=states)
    settings = Settings.for_model(model, episodes=1000, bonus="optimistic", lambda_max=3)
    found = OptimisticLearner(model, settings, seed=0, steps=draw.randint(10, 30))
    for k, known in enumerate(model.transitions):
        found.sets.low[k] = found.sets.high[k] = float(known.rate)
        found.sets.shift[k] = draw.choice((0.0, 0.25, 0.7)) if known.rate else -1.0
        found.sets.chance[found.scene.row[k] : found.scene.row[k + 1]] = [float(p) for _, p in known.to]
    return found


def many_states(draw: Random) -> CTMDP:
    """States of one word, of two and of more; most rows are short, and some kinds of rows are missing."""
    states, rows = [f"s{i}" for i in range(draw.choice((7, 8, 9, 16, 17, 26, 26)))], []
    longest, fine = draw.choice((1, 2, 2, 5)), draw.choice((4, 97))
    for x in states:
        for action in "abc"[: draw.randint(1, 3)]:
            counts = {y: draw.randint(1, 3) for y in draw.sample(states, draw.randint(1, longest))}
            to = {y: Fraction(n, sum(counts.values())) for y, n in counts.items()}
            rate, reward = draw.choice((0, 1, 3)), Fraction(draw.randint(0, fine), fine)
            rows.append(Transition.of(x, action, rate=rate, reward=reward, to=to if rate else {}))
    return CTMDP.of("many", horizon=draw.choice((1, 3)), transitions=rows, states=states)


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


def differences(seed: int, march: Any = optimistic_march, marches: int = MARCHES) -> int:
    """How many of the tables, of the policies, and of what is said of their changes, are others."""
    draw, wrong = Random(seed), 0
    for found in plans(seed):
        kept, first = [array.copy() for array in found.sets], found.scene.first
        policy, lead, room = (
            found.policy.copy(),
            found.policy.copy(),
            march.make_march_room(found.scene, found.constants),
        )
        for _ in range(marches):
            before = room.leads.copy()
            moved = march.march_words(found.scene, found.constants, found.sets, room)
            march.write_table(room)
            straight = straight_table(found.scene, found.constants, found.sets)
            wrong += room.table.tobytes() != straight.tobytes()
            wrong += choose(first, straight, policy) != march.hand_out(first, room, lead)
            wrong += policy.tobytes() != lead.tobytes()
            wrong += moved != bool((room.leads != before).any())
            disturb(found, draw)
        for array, before in zip(found.sets, kept, strict=True):
            array[:] = before
    return wrong


@pytest.mark.parametrize("part", range(2))
def test_the_bits_of_the_straight_march(part):
    assert sum(differences(seed) for seed in range(12 * part, 12 * part + 12)) == 0  # some 4500 tables


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
    "a tie that is broken": ("| (upper > lower) |", "|"),
    "a tie that is turned round": ("| (upper > lower) | (lower > upper)", "| (upper > lower)"),
    "another best state": ("wrong = load(ahead, 0) > top - one", "wrong = top > top"),
    "a best state of the second word": ("wrong | (load(ahead, 1) > top - other)", "wrong"),
    "a best state of the third word": ("wrong | (load(ahead, b) > top - load(values, b))", "wrong"),
    "a best state before it": ("_LEAST if x < best else 0.0", "0.0"),
    "an order that changes": ("wrong = wrong | (upper <= lower)", "wrong = wrong"),
    "what was computed too early stays": ("                continue\n            one", "            one"),
    "a target that is not better": ("y if values[y] > values[worst] else worst", "y"),
    "a third target": ("or end - begin > 2:", "or end - begin > 3:"),
    "the next better one": ("((below, y), (y, above))", "((below, y),)"),
    "all is moved": ("elif worst >= 0:", "else:"),
    "a search that begins where it ended": ("            if again:\n                continue\n", ""),
    "a search that is left out": ("search(again and not second,", "search(again,"),
    "what is frozen of another plan": ("again = second or disordered(", "again = disordered("),
    "the best value of before": ("top = max(top, values[x])", "pass"),
    "a word of rows to one target": ("width.append(min(2, ", "width.append(min(1, "),
    "the first of equal actions": ("where(new > value, action, lead)", "where(value <= new, action, lead)"),
    "a lead that changes": ("differs = where(", "where("),
    "parts in one place": ("scratch + n // 3 % 2 * 3 * count", "scratch"),
    "values of the words before": (
        "                one, other = load(values, 0), load(values, 1)\n            if third",
        "            if third",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mean_that_is_frozen_too_long_is_found_out(name):
    with plain_kernels(("optimistic_march",), optimistic_march=MUTANTS[name]) as plain:
        assert any(differences(seed, plain.optimistic_march, marches=3) for seed in range(30))
