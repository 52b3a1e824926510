"""A small model that is solved again is not read again, and its answers are those of a model never seen."""

from __future__ import annotations

import gc
import random
import weakref

import pytest

from ctucbvi import CTMDP, Budget, Semantics, solve
from ctucbvi.errors import UndecidedError
from ctucbvi.exact import planner
from ctucbvi.library import machine_repair
from tests.hostile import hostile
from tests.unit.test_screen import hostile as few_pairs

Question = tuple[Semantics, int, bool]


def told(model: CTMDP, question: Question) -> object:
    """All that a solution says, down to the last bit."""
    semantics, digits, truncate = question
    try:
        found = solve(model, semantics, digits=digits, truncate=truncate, budget=Budget(steps=200))
    except UndecidedError as error:
        return str(error)
    times = [model.horizon * k / 3 for k in (1, 2, 3)]
    values = [found.value(x, t) for x in model.states for t in times]
    return found.bits, values, found.switches, found.undecided


def forgotten(model: CTMDP) -> CTMDP:
    """The same model, of which nothing is known."""
    return model.with_horizon(model.horizon)


def differences(seeds: range) -> int:
    """How often a model that was solved before is told something else of than one that was not."""
    wrong = 0
    for seed in seeds:
        rng = random.Random(f"again/{seed}")
        model = hostile(seed) if seed % 2 else few_pairs(rng)
        asked = [(s, rng.choice([4, 9, 15, 25]), rng.random() < 0.2) for s in Semantics for _ in range(2)]
        rng.shuffle(asked)
        wrong += any(told(model, one) != told(forgotten(model), one) for one in [*asked, asked[0]])
    return wrong


def test_answers_do_not_depend_on_what_was_asked_before():
    assert differences(range(30)) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(8))
def test_answers_of_many_models_do_not_depend_on_what_was_asked_before(block):
    assert differences(range(1000 + 250 * block, 1250 + 250 * block)) == 0


def test_what_is_kept_of_another_problem_is_caught(monkeypatch):
    real, kept = planner._ground, {}

    def mixed(plain, *asked):
        return kept.setdefault(id(plain), (real(plain, *asked), plain))[0]

    monkeypatch.setattr(planner, "_ground", mixed)
    assert differences(range(30)) > 0


def test_what_is_kept_does_not_keep_the_model():
    model = forgotten(machine_repair())
    solve(model)
    alive = weakref.ref(model)
    gc.disable()
    del model
    gone = alive() is None
    gc.enable()
    assert gone
