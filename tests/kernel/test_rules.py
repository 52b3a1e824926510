"""Every rule, evaluated: no conclusion is false where what it is given is true."""

from __future__ import annotations

from random import Random

import pytest

from tests.kernel.applications import RULES, Prover, refuted, search
from tests.kernel.boundedness import huge

VACUOUS = {"absurd"}  # what it is given contradicts itself
CASES = 120


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_makes_no_falsehood(rule):
    held, found = search(rule, 0, CASES, 10 * CASES)
    assert not found
    assert held == CASES or rule in VACUOUS


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_makes_no_falsehood_often(rule):
    held, found = search(rule, 1, 5_000, 50_000)
    assert not found
    assert held == 5_000 or rule in VACUOUS


def prove(seed: int, steps: int) -> tuple[int, str]:
    """Random rules on random theorems, each conclusion evaluated: how many held, and the first that is false."""
    rng = Random(f"prover {seed}")
    prover, held = Prover(rng), 0
    for _ in range(steps):
        theorem = prover.step(rng.choice(sorted(RULES)))
        if theorem is None:
            continue
        found = refuted(theorem, rng, worlds=1)
        if found:
            return held, found
        held += found == ""
        if len(prover.pool) > 60:
            prover.pool = rng.sample(prover.pool, 30)
    return held, ""


def test_a_random_prover_proves_nothing_false():
    held, found = prove(0, 1_500)
    assert not found
    assert held > 500


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_random_prover_proves_nothing_false_for_long(seed):
    held, found = prove(seed, 20_000)
    assert not found
    assert held > 5_000


def test_what_is_called_tame_is_bounded():
    results = [huge(seed) for seed in range(1_200)]
    assert not [r for r in results if r]
    assert results.count("") > 900


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_what_is_called_tame_is_bounded_often():
    assert not [r for seed in range(10_000, 60_000) if (r := huge(seed))]
