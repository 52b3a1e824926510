"""Rows of p that lead to every state, which planner and proof sum up on a way of their own.

A state that nobody reaches changes no value, and makes the same rows rows like all others: what is proved on
the one way is held against what is proved of better solutions on the other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from random import Random

import numpy as np
import pytest

from ctucbvi import CTMDP
from ctucbvi.numeric import Certificate, certify, solve_numeric
from ctucbvi.numeric.planner import smallest_tolerance
from tests.benchmarks.qvbs import Family, bitcoin, dpm, jobs, stream


def full(seed: int, unreached: int) -> CTMDP:
    """A model in which nearly every row leads everywhere, and so many more states that nobody reaches."""
    draw = Random(seed)
    states, actions, size = draw.randint(17, 22), draw.randint(1, 3), 10 ** draw.randint(0, 4)
    pairs = [(x, a) for x in range(states) for a in range(actions)]
    rates = [draw.randint(0, 9) if draw.random() < 0.9 else 40 for _ in pairs]
    rewards = [size * draw.randint(-9, 9) for _ in pairs]
    terminal = [draw.randint(-size, size) for _ in range(states)]
    to = [range(states) if draw.random() < 0.9 else [draw.randrange(states)] for _ in pairs]
    jumps = [(i, y, draw.randint(1, 99)) for i, targets in enumerate(to) for y in targets]
    pairs += [(states + n, 0) for n in range(unreached)]
    pair, target, weight = (np.array(column) for column in zip(*moves(unreached, jumps, pairs), strict=True))
    return CTMDP.from_sparse(
        tuple(np.array(pairs).T),
        [*rates, *[1] * unreached],
        [*rewards, *[0] * unreached],
        (pair, target),
        weight,
        normalize=True,
        horizon="0.5",
        terminal=[*terminal, *[0] * unreached],
        name=f"full-{seed}",
    )


def moves(
    unreached: int, jumps: list[tuple[int, int, int]], pairs: list[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """The jumps, and those of the states that nobody reaches, to themselves."""
    return [*jumps, *[(len(pairs) - n, pairs[-n][0], 1) for n in range(unreached, 0, -1)]]


def hold(proof: Certificate, better: Certificate, seed: int) -> None:
    """What is proved overlaps what is proved of a better solution, in all states and at several times."""
    model = proof.model
    for x in model.states:
        for t in (0, model.horizon / 7, model.horizon / 2, model.horizon):
            assert proof.value(x, t).overlaps(better.value(x, t)), (seed, x, t)


def attack(seeds: Iterable[int]) -> None:
    """Solutions, and solutions with a wrong number in them, of models with full rows."""
    for seed in seeds:
        draw, model, other = Random(~seed), full(seed, 0), full(seed, 1)
        semantics, least = draw.choice(("committed", "adjustable")), 10 * smallest_tolerance(model)
        solution = solve_numeric(model, semantics, tolerance=max(10.0 ** -draw.randint(2, 11), least))
        better = certify(solve_numeric(other, semantics, tolerance=least))
        proof = certify(solution)
        hold(proof, better, seed)
        assert proof.bound <= 100 * solution.tolerance + 1e-12 * float(model.value_scale), seed
        scores, values = solution.scores.copy(), solution.coefficients.copy()
        wrong = scores if semantics == "committed" else values
        at = tuple(draw.randrange(n) for n in wrong.shape)
        wrong[at] += 10.0 ** -draw.randint(0, 9)
        hold(certify(dataclasses.replace(solution, scores=scores, coefficients=values)), better, seed)


def test_what_is_proved_of_full_rows_holds():
    attack([*range(12), 507, 1134])  # in the last two actions nearly touch


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(10))
def test_what_is_proved_of_full_rows_holds_for_thousands_of_models(chunk):
    attack(range(100 + 200 * chunk, 300 + 200 * chunk))


@pytest.mark.parametrize(
    ("family", "states"),
    [(jobs(5, 2), 117), (stream(10), 176), (bitcoin(20, 6), 189), (dpm(2, 2), 261)],
    ids=lambda found: getattr(found, "name", found),
)
def test_the_families_of_the_benchmarks_have_as_many_states_as_the_published_ones(
    family: Family, states: int
):
    assert dataclasses.replace(family, goal=lambda _: False).drn()[1] == states
