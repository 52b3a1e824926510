"""Runs of the optimistic learner that are played together: each has the bits that it has alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from ctucbvi import bundled_model
from ctucbvi.abreast import WIDTH
from ctucbvi.learning import Settings, rescaling
from ctucbvi.learning.fast import march_abreast, together
from ctucbvi.learning.fast.episodes import choose
from ctucbvi.learning.fast.optimistic import OptimisticLearner
from ctucbvi.learning.fast.together import FEW, Together
from ctucbvi.model import CTMDP, Transition
from ctucbvi.study import RunState, Study, contestant, driver, run_study
from ctucbvi.study.blocks import Block, work, work_together
from tests.fast_learners import plain_kernels
from tests.straight_march import straight_table
from tests.unit.test_optimistic_march import disturb

_RATES = (0, 0, "1/3", 1, 1, 2, 3)
_REWARDS = (0, "1/4", "1/2", "1/2", "3/4", 1)


def short_rows(draw: Random) -> CTMDP:
    """A model whose rows have two targets at most; rewards are round, so that values tie."""
    states, rows = [f"s{i}" for i in range(draw.randint(1, 5))], []
    for x in states:
        for action in "abc"[: draw.randint(1, 3)]:
            rate = Fraction(draw.choice(_RATES))
            ahead = draw.sample(states, min(len(states), draw.randint(1, 2)))
            counts = [draw.randint(1, 3) for _ in ahead]
            to = {y: Fraction(n, sum(counts)) for y, n in zip(ahead, counts, strict=True)}
            rows.append(
                Transition.of(x, action, rate=rate, reward=draw.choice(_REWARDS), to=to if rate else {})
            )
    return CTMDP.of("short", horizon=draw.choice(("1/10", 1, 3)), transitions=rows, states=states)


def learners(seed: int, number: int = WIDTH) -> list[OptimisticLearner]:
    draw = Random(seed)
    model = short_rows(draw)
    settings = Settings.for_model(
        model, episodes=1000, bonus="optimistic", lambda_max=draw.choice((3, 20)),
        rates=draw.choice(("paper", "poisson")), delta=draw.choice(("1/20", "1/2")),
    )  # fmt: skip
    given = {"steps": draw.randint(3, 30), "skip": draw.random() < 0.7}
    return [OptimisticLearner(model, settings, seed=seed, run=run, **given) for run in range(number)]


# --- one march --------------------------------------------------------------------------------


def differences(seed: int, march: SimpleNamespace | None = None, marches: int = 10) -> int:
    """How many of the plans that are made abreast have other tables or policies than alone."""
    march, draw, wrong = march or march_abreast, Random(seed), 0
    every = learners(seed)
    for each in every:
        each.advance(draw.choice((1, 10, 100)))
    scene, constants = every[0].scene, every[0].constants
    room = march_abreast.make_abreast_room(scene)
    for _ in range(marches):
        for r, each in enumerate(every):
            if draw.random() < 0.8:
                disturb(each, draw)
                march.take_sets(r, scene.row, each.sets, room.terms)
                table = straight_table(scene, constants, each.sets)
                each.room.table[:] = table
        march.march_abreast(scene, constants, room)
        tables = room.table.reshape(len(scene.times), -1, WIDTH)
        for r, each in enumerate(every):
            if room.terms[:, r].any():
                policy = each.policy.copy()
                choose(scene.first, each.room.table, each.policy)
                march.take_policy(r, room.leads, policy)
                wrong += tables[:, :, r].T.tobytes() != each.room.table.tobytes()
                wrong += policy.tobytes() != each.policy.tobytes()
    return wrong


def test_the_bits_of_the_straight_march():
    assert sum(differences(seed) for seed in range(25)) == 0  # some 2000 tables


@pytest.mark.thorough
def test_the_bits_of_the_straight_march_thoroughly():
    assert sum(differences(seed, marches=40) for seed in range(1000, 1500)) == 0


MUTANTS = {
    "the better one is emptied first": ("worse = one <= other", "worse = one > other"),
    "what one target leaves is not taken from the other": ("(shift - first > second)", "(shift > second)"),
    "the best state is emptied": ("where(is_one, shift > q, where(is_other, shift > p, none))", "none"),
    "nothing is left, and nobody notices": ("mean = where(none, top, mean)", "mean = mean"),
    "a target that is not better": ("q * where(other > left, other, left)", "q * other"),
    "the last best state": ("best = where(value > top,", "best = where(top <= value,"),
    "two runs are mixed up": ("terms[t + SHIFT, r] = sets.low[k]", "terms[t + SHIFT, r ^ 1] = sets.low[k]"),
    "the last best action": ("lead = where(mine > value,", "lead = where(value <= mine,"),
    "the policy of the next run": ("np.int32(leads[x * points + i, r])", "np.int32(leads[i, r - 1])"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_march_that_is_wrong_is_found_out(name):
    with plain_kernels(("march_abreast",), march_abreast=MUTANTS[name]) as plain:
        assert any(differences(seed, plain.march_abreast, marches=2) for seed in range(25))


# --- whole runs -------------------------------------------------------------------------------


def differing(every: list[OptimisticLearner], others: list[OptimisticLearner], play: Callable) -> list[str]:
    """What is not the same of learners that play alone and of those that play together."""
    found = []
    for count in (1, 70, 150):
        for r, (alone, played) in enumerate(zip(every, play(others, count), strict=True)):
            mine = alone.advance(count)
            for name in ("first", "last", "planned", "jumps", "starts", "which", "distinct"):
                if not np.array_equal(getattr(mine, name), getattr(played, name)):
                    found.append(f"run {r}: {name}")
            here, there = alone._state(), others[r]._state()
            found += [f"run {r}: {name}" for name in here if here[name].tobytes() != there[name].tobytes()]
    return found


def attack(seed: int) -> Iterator[str]:
    """Runs that begin at different episodes, and now and then a log that has to grow."""
    number = Random(seed).randint(FEW, WIDTH)
    every, others = learners(seed, number), learners(seed, number)
    for r, both in enumerate(zip(every, others, strict=True)):
        for each in both:
            each.advance(1 + 7 * (r * seed % 5))
    if Together.suits(others):
        playing = Together(others)
        yield from differing(every, others, lambda _, count: playing.advance(count))


def test_runs_have_the_bits_that_they_have_alone(monkeypatch):
    monkeypatch.setattr(together, "_POLICIES", 1)  # a log begins with room for 16
    assert [wrong for seed in range(12) for wrong in attack(seed)] == []


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_runs_have_the_bits_that_they_have_alone_thoroughly(part, monkeypatch):
    monkeypatch.setattr(together, "_POLICIES", 1)
    seeds = range(100 + 300 * part, 400 + 300 * part)
    assert [wrong for seed in seeds for wrong in attack(seed)] == []


RUN_MUTANTS = {
    "two runs share their draws": ("visited[r], random[r], clock[r]", "visited[r], random[0], clock[r]"),
    "a policy is taken from another run": ("take_policy(r, leads, policy)", "take_policy(0, leads, policy)"),
    "a policy of before an own plan": (
        "elif moved[0, r] or not abreast[r]:",
        "elif moved[0, r]:",
    ),
    "sets of another run": ("row, sets_of(r, every_sets)", "row, sets_of(0, every_sets)"),
    "the table of another plan": ("runs.table[r] = tables[:, :, r].T", "runs.table[r] = tables[:, :, 0].T"),
    "no episode is spared": ("if not asks[r]:", "if False:"),
}  # fmt: skip


def mixed_up(seed: int, module: SimpleNamespace) -> bool:
    """Whether three runs are not what they are alone; eager ones forget their policies in between."""
    every, others = learners(seed, FEW), learners(seed, FEW)
    playing, found = module.Together(others), []
    for count in (40, 60, 1):
        for alone, played in zip(every, playing.advance(count), strict=True):
            mine = alone.advance(count)
            found += [mine.planned != played.planned, mine.starts.tolist() != played.starts.tolist()]
        found += [
            one._state()[part].tobytes() != other._state()[part].tobytes()
            for one, other in zip(every, others, strict=True)
            for part in ("memory_counts", "memory_clock", "policy", "table")
        ]
        for each in others:
            if not each.skip:
                each.policy[:] = each.scene.first[:-1, None]
    return any(found)


@pytest.mark.parametrize("name", RUN_MUTANTS)
def test_runs_that_are_mixed_up_are_found_out(name):
    with plain_kernels(("together",), together=RUN_MUTANTS[name]) as plain:
        assert any(mixed_up(seed, plain.together) for seed in range(20))


def test_runs_are_not_mixed_up():
    assert not any(mixed_up(seed, together) for seed in range(20))


def test_learners_that_cannot_play_together_do_not():
    model = queue_study(10).model
    settings = Settings.for_model(model, episodes=100, bonus="optimistic")

    def suits(settings: Settings, number: int = 4, **given) -> bool:
        runs = range(number)
        return Together.suits([OptimisticLearner(model, settings, seed=1, run=run, **given) for run in runs])

    assert suits(settings)
    assert not suits(settings, FEW - 1)
    assert not suits(settings, WIDTH + 1)
    assert not suits(settings, record=True)
    assert not suits(replace(settings, replan=Fraction(1, 10)))
    assert not suits(Settings.for_model(model, episodes=100, bonus="optimistic", jumps="kl"))
    assert not Together.suits([*learners(3, 3), *learners(4, 1)])  # another model
    full = [Transition.of(x, "a", rate=1, reward=0, to=dict.fromkeys("xyz", Fraction(1, 3))) for x in "xyz"]
    full = CTMDP.of("full", horizon=1, transitions=full, states=list("xyz"))
    settings = Settings.for_model(full, episodes=100, bonus="optimistic")
    assert not Together.suits([OptimisticLearner(full, settings, seed=1, run=run) for run in range(4)])


# --- studies ----------------------------------------------------------------------------------


def queue_study(episodes: int) -> Study:
    model = bundled_model("queue").with_rewards(*rescaling(bundled_model("queue")))
    return Study(model, Settings.for_model(model, episodes=episodes), 1, (contestant("optimistic", 20),))


def test_a_study_hands_out_runs_together_and_has_the_bits_of_runs_alone(monkeypatch, tmp_path):
    study, sizes = queue_study(400), []

    def counted(tasks):
        sizes.append(len(tasks))
        return work_together(tasks)

    monkeypatch.setattr(driver, "work_together", counted)
    run_study(study, 10, block=150)
    assert not sizes  # too short to be worth it
    monkeypatch.setattr(driver, "_REPAID", 4000)
    found = run_study(study, 10, block=150, folder=tmp_path).runs["optimistic"]
    assert sizes[0] == WIDTH
    for run, state in enumerate(found):
        alone = work(Block(study, "optimistic", run, RunState(), 400)).state
        assert (state.earned, state.curve, state.planned) == (alone.earned, alone.curve, alone.planned)


def test_runs_at_different_places_end_at_the_same():
    study = queue_study(300)
    begun = [work(Block(study, "optimistic", run, RunState(), 40 * run + 1)).state for run in range(5)]
    tasks = tuple(Block(study, "optimistic", run, state, 300) for run, state in enumerate(begun))
    for run, done in enumerate(work_together(tasks)):
        alone = work(Block(study, "optimistic", run, RunState(), 300)).state
        assert (done.run, done.state.episode) == (run, 300)
        assert (done.state.earned, done.state.curve) == (alone.earned, alone.curve)


def test_every_idle_worker_gets_a_share():
    study = queue_study(10**6)
    chains = driver._Chains(driver.Assignment(study, 10, None), 100, None)
    queue = driver._Queue((chains, key) for key in chains.open())
    handed = []
    for idle in (3, 2, 1):
        queue.submit(lambda work, task, _: handed.append(len(task)), idle)
    assert handed == [4, 3, 3]
    assert not queue
