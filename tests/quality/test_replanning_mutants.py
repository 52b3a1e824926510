"""Lazy learners that are wrong on purpose: the comparisons that the real ones pass must fail for them.

The kernels run as plain Python here, so that a line can be changed without compiling anything.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ctucbvi.learning.exact import learner as exact_learner
from ctucbvi.learning.exact import replanning as exact_rule
from ctucbvi.learning.fast import learner as learner_module
from ctucbvi.learning.fast import optimistic as optimistic_module
from ctucbvi.learning.fast.learner import GridLearner
from ctucbvi.learning.fast.optimistic import compiled_learner
from ctucbvi.learning.lockstep import Lockstep
from tests.fast_learners import LAZY, plain_kernels
from tests.lazy_learners import BUSY, MACHINE, SETS, STILL, departures, told, wrong_decisions

# Model, η, options and episodes of the comparisons.
CASES = [
    (BUSY, "1/10", {}, 40),
    (BUSY, "1/10", SETS[0], 40),
    (BUSY, "1/10", SETS[3], 40),
    (STILL, "1/10", {"bonus": "none"}, 40),
    (STILL, "1/10", SETS[0], 40),
    (STILL, "1/10", {"bonus": "none", "lambda_max": 1}, 40),  # nothing is ever known: episodes count alone
    (STILL, "1/10", {**SETS[0], "lambda_max": 1}, 40),
    (MACHINE, 1, SETS[0], 40),  # few jumps: some counts are met exactly
    (MACHINE, "1/10", {"bonus": "none"}, 40),  # takes more iterations as accuracies become smaller
]


def found(monkeypatch: pytest.MonkeyPatch, **mutation: tuple[str, str]) -> list[str]:
    """What the plain learners find in loops with a line changed."""
    lines: list[str] = []
    with (
        plain_kernels(LAZY, **mutation) as kernels,
        monkeypatch.context() as patch,
        np.errstate(over="ignore"),
    ):
        patch.setattr(learner_module, "run_lazily", kernels.lazy_loops.run_lazily)
        patch.setattr(optimistic_module, "run_optimistic_lazily", kernels.lazy_loops.run_optimistic_lazily)
        for model, replan, options, count in CASES:
            lines += departures(model, told(model, replan, **options), count, steps=4)
    return lines


def test_the_real_loops_pass_as_plain_python(monkeypatch):
    assert found(monkeypatch) == []


MUTANTS = {
    "no factor for jumps": (
        "replanning",
        "growth.then * max(1, before[N_PLUS, k])",
        "max(1, before[N_PLUS, k])",
    ),
    "jumps that meet the factor": (
        "replanning",
        "if growth.now * counts[N_PLUS, k] > growth.then",
        "if growth.now * counts[N_PLUS, k] >= growth.then",
    ),
    "jumps do not count": ("replanning", "if growth.now * counts[N_PLUS, k] >", "if 0 >"),
    "time does not count": ("replanning", "if not time > growth.least_time:", "if True:"),
    "no time is too short": ("replanning", "if not time > growth.least_time:", "if False:"),
    "the factor squared": ("replanning", "gap = time - growth.factor *", "gap = time - growth.factor**2 *"),
    "times that meet the factor": ("replanning", "+ growth.rest * cut > 0", "+ growth.rest * cut >= 0"),
    "episodes do not count": ("replanning", "(growth.iterates and", "(False and"),
    "episodes count for all": ("replanning", "(growth.iterates and", "(True and"),
    "a pair forgotten": (
        "replanning",
        "for n in range(clock[VISITED]):",
        "for n in range(1, clock[VISITED]):",
    ),
    "plan counts not saved": ("replanning", "before[j, k] = counts[j, k]", "pass"),
    "plan times not saved": ("replanning", "before[j, k] =", "before[N_PLUS, k] = counts[N_PLUS, k]  #"),
    "the plan's episode not saved": ("replanning", "planned[0] = episode", "planned[0] = max(planned[0], 1)"),
    "half of the estimates renewed": (
        "episodes",
        "for k in range(scene.reward.size):\n        estimate(",
        "for k in range(0, scene.reward.size, 2):\n        estimate(",
    ),
    "half of the sets renewed": (
        "lazy_loops",
        "renew(np.arange(scene.reward.size)",
        "renew(np.arange(0, scene.reward.size, 2)",
    ),
    "an old accuracy": ("lazy_loops", "accuracy(scene.numbers, episode)", "accuracy(scene.numbers, 1)"),
    "the policy of the plan before": (
        "lazy_loops",
        "choose(scene.first, room.table, policy)",
        "choose(scene.first, room.table, policy.copy())",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_loop_is_caught(name, monkeypatch):
    module, old, new = MUTANTS[name]
    assert found(monkeypatch, **{module: (old, new)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" + growth.rest * cut > 0", " > 0"),
        ("+ growth.rest * cut > 0", "+ growth.rest * cut >= 0"),
        ("if abs(gap) > _NEAR * time:", "if True:"),
        ("_NEAR = 2.0**-46", "_NEAR = 0.0"),
    ],
)
def test_a_decision_that_is_not_exact_is_caught(old, new):
    with plain_kernels(LAZY) as kernels, np.errstate(over="ignore"):
        assert wrong_decisions(kernels.replanning.has_grown, "7/9", 100)[0] == []
    with plain_kernels(LAZY, replanning=(old, new)) as kernels, np.errstate(over="ignore"):
        assert wrong_decisions(kernels.replanning.has_grown, "7/9", 100)[0] != []


def test_a_snapshot_without_what_the_last_plan_knew_is_caught(monkeypatch):
    def planned(stop: bool) -> list[int]:
        given = told(BUSY, "1/10", **SETS[0])
        learner = compiled_learner(BUSY, given, seed=3, steps=9)
        learner.advance(200)
        snapshot = learner.snapshot()
        if stop:
            learner = compiled_learner(BUSY, given, seed=3, steps=9)
            learner.restore(snapshot)
        return [learner.advance(1).planned for _ in range(100)]

    assert planned(True) == planned(False)
    named = GridLearner._named
    monkeypatch.setattr(
        GridLearner,
        "_named",
        lambda self, **parts: {k: v for k, v in named(self, **parts).items() if not k.startswith("last_")},
    )
    assert planned(True) != planned(False)


# --- the exact side ---------------------------------------------------------------------------


def twice_as_lazy(before, now, given, **options):
    return exact_rule.due(before, now, replace(given, replan=2 * given.replan), **options)


def first_pair_only(before, now, given, **options):
    rest = {"time": now.time[:1] + before.time[1:], "n_plus": now.n_plus[:1] + before.n_plus[1:]}
    return exact_rule.due(before, replace(now, **rest), given, **options)


def never(*_, **__):
    return False


@pytest.mark.parametrize("wrong", [twice_as_lazy, first_pair_only, never], ids=lambda f: f.__name__)
def test_lockstep_finds_an_exact_learner_with_another_rule(wrong, monkeypatch):
    given = told(BUSY, "1/10", episodes=15, bonus="optimistic")

    def plans_apart() -> set[str]:
        leader = compiled_learner(BUSY, given, seed=2, steps=20, record=True)
        return {d.kind for step in Lockstep(BUSY, given).follow(leader, 15) for d in step.unexplained}

    assert plans_apart() == set()
    monkeypatch.setattr(exact_learner, "due", wrong)
    assert "plan" in plans_apart()


def test_lockstep_finds_sets_that_are_half_renewed(monkeypatch):
    given = told(BUSY, "1/10", episodes=15, bonus="optimistic")
    module, old, new = MUTANTS["half of the sets renewed"]
    with plain_kernels(LAZY, **{module: (old, new)}) as kernels, np.errstate(over="ignore"):
        monkeypatch.setattr(
            optimistic_module, "run_optimistic_lazily", kernels.lazy_loops.run_optimistic_lazily
        )
        leader = compiled_learner(BUSY, given, seed=2, steps=20, record=True)
        kinds = {d.kind for step in Lockstep(BUSY, given).follow(leader, 15) for d in step.unexplained}
    assert "set" in kinds
