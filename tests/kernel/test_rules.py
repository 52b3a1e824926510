"""Every rule, evaluated: no conclusion is false where what it is given is true."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import arb, fmpq
from numpy.polynomial.legendre import leggauss

from tests.kernel.applications import RULES, Prover, refuted, search
from tests.kernel.boundedness import huge
from tests.kernel.texts import SETTING
from tests.kernel.worlds import World, quadrature
from verify.kernel import calculus
from verify.kernel.language import show

VACUOUS = {"absurd"}  # what it is given contradicts itself
CASES = 80


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
    """Random rules on random theorems, all evaluated: how many held, and the first that is false."""
    rng = Random(f"prover {seed}")
    prover, held = Prover(rng), 0
    for _ in range(steps):
        theorem = prover.step(rng.choice(sorted(RULES)))
        if theorem is None:
            continue
        found = refuted(theorem, rng, worlds=1, exact=True)
        if found:
            return held, found
        held += found == ""
        if len(prover.pool) > 60:
            prover.pool = rng.sample(prover.pool, 30)
    return held, ""


def test_a_random_prover_proves_nothing_false():
    held, found = prove(0, 900)
    assert not found
    assert held > 400


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_random_prover_proves_nothing_false_for_long(seed):
    held, found = prove(seed, 20_000)
    assert not found
    assert held > 5_000


def test_what_is_called_tame_is_bounded():
    results = [huge(seed) for seed in range(900)]
    assert not [r for r in results if r]
    assert results.count("") > 700


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_what_is_called_tame_is_bounded_often():
    assert not [r for seed in range(10_000, 60_000) if (r := huge(seed))]


@pytest.mark.parametrize(
    "whole", ["exp(-2*s)", "s*exp(-s)", "exp(s*s/2) - s", "(1 + s)**2*exp(-s*c)", "exp(exp(-s))*s"]
)
def test_primitives_of_exponentials(whole):
    """Balls do not know Int exactly; nine nodes on each cell are near enough to see a wrong slope."""
    nodes = quadrature([Fraction(x).limit_denominator(10_000) for x in (leggauss(9)[0] + 1) / 2])
    place = World(Random(3), SETTING.symbols, SETTING.variables, {"State": 2, "Action": 2}, 2, nodes)
    theorem = calculus.primitive(SETTING, SETTING.variable("s"), SETTING.term("t"), SETTING.term(whole))
    for t in (fmpq(0), fmpq(1, 2), fmpq(3, 2)):
        left, right = (place.value(show(side), {"t": t}, place.outcomes[0]) for side in theorem.says.parts)
        assert abs(float(arb(left) - arb(right))) < 1e-6
