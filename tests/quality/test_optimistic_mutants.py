"""Optimistic planners that are wrong on purpose: what the tests of the true one check finds each of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from flint import arb

from ctucbvi.learning import PairSet, Sets
from ctucbvi.learning.exact import optimistic
from ctucbvi.learning.exact.jump_sets import WithinDistance, WithinDivergence
from ctucbvi.learning.exact.optimistic import optimistic_plan
from tests.optimistic_worlds import refuted, seen_sets
from tests.plain_optimistic import solve_plainly

SEEDS = range(40)


def shrunk(monkeypatch):
    """Sets of 90 %."""
    true = Sets.pair

    def pair(self, rate, time, n):
        found = true(self, rate, time, n)
        middle, part = (found.low + found.high) / 2, arb("0.9")
        radius = None if found.radius is None else found.radius * part
        return PairSet(middle + (found.low - middle) * part, middle + (found.high - middle) * part, radius)

    monkeypatch.setattr(Sets, "pair", pair)


def wrong_end(monkeypatch):
    """The smallest rate where the largest belongs."""
    true = optimistic.PairCandidates
    monkeypatch.setattr(
        optimistic,
        "PairCandidates",
        lambda state, reward, low, high, jumps: true(state, reward, high, low, jumps),
    )


def second_best(monkeypatch):
    """Mass goes to the second best state."""
    for kind in (WithinDistance, WithinDivergence):
        true = kind.weights

        def weights(self, order, true=true):
            return true(self, (*order[:-2], order[-1], order[-2]))

        monkeypatch.setattr(kind, "weights", weights)


def twice_the_mass(monkeypatch):
    """α where α/2 belongs."""
    true = optimistic.jump_set

    def jump_set(settings, centre, radius):
        found = true(settings, centre, radius)
        return replace(found, radius=2 * radius) if isinstance(found, WithinDistance) else found

    monkeypatch.setattr(optimistic, "jump_set", jump_set)


@pytest.mark.parametrize("mutant", [shrunk, wrong_end, second_best], ids=lambda f: f.__name__)
@pytest.mark.parametrize("jumps", ["l1", "kl"])
def test_a_planner_that_is_too_low_is_not_optimistic(mutant, jumps, monkeypatch):
    mutant(monkeypatch)
    assert any(refuted(seed, jumps) for seed in SEEDS)


@pytest.mark.parametrize("mutant", [shrunk, wrong_end, second_best, twice_the_mass], ids=lambda f: f.__name__)
def test_a_planner_of_another_equation_differs_from_the_plain_solution(mutant, monkeypatch):
    mutant(monkeypatch)
    statistics, settings = seen_sets(Random(3), "l1")
    plan, horizon = optimistic_plan(statistics, settings), statistics.model.horizon
    plain = solve_plainly(statistics, settings)
    assert any(abs(float(plan.commitment(k, horizon).mid()) - q) > 1e-3 for k, q in enumerate(plain))
