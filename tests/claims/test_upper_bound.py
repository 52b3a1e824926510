"""The upper bound: what the repaired theorem rests on, and exact numbers against plain ones."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from proofs_checks import SOURCE
from proofs_checks.checks import adaptive_counts, jumps, lump_sum, number_of_jumps, probabilities
from verify.running.loading import load_claims


def poisson(mean: float, n: int) -> float:
    return math.exp(n * math.log(mean) - mean - math.lgamma(n + 1))


@pytest.mark.parametrize("mean", [Fraction(1, 4), Fraction(2), Fraction(7)])
def test_exact_sums_agree_with_plain_ones(mean: Fraction) -> None:
    weights = [poisson(float(mean), n) for n in range(200)]
    below = [math.fsum(weights[: n + 1]) for n in range(60)]
    tails = [math.fsum(weights[n + 1 :]) for n in range(60)]
    assert float(number_of_jumps.roots(mean)) == pytest.approx(sum(map(math.sqrt, tails)), rel=1e-9)
    assert float(number_of_jumps.largest(mean, 10)) == pytest.approx(sum(1 - b**10 for b in below), rel=1e-9)
    plain = sum(w / math.sqrt(max(1, n)) for n, w in enumerate(weights))
    assert float(probabilities.inverse_root(mean)) == pytest.approx(plain, rel=1e-9)


def test_the_repaired_theorem_rests_on_no_refuted_claim() -> None:
    claims = load_claims(SOURCE)
    below = claims.closure(["thm:CT-UCB/repaired", "thm:CT-UCB/lump-sum", "eq:regret-b1/repaired"])
    assert [label for label in below if not claims[label].expects("quick").holds] == []
    assert {
        "prop:rateerror/event",
        "prop:proberror/pigeon-hole/sharp",
        "thm:CT-UCB/whole/few-episodes",
    } <= set(below)


def test_the_laws_of_a_learner_that_adapts_agree_with_plain_ones() -> None:
    plan = adaptive_counts.Plan((Fraction(1), Fraction(1, 2)), Fraction(2), 3, 2, fewest=False)
    rest = [part for part in adaptive_counts.parts(plan) if part.played >= plan.trial]
    laws = [[poisson(float(rate) * 6, n) for n in range(80)] for rate in plan.rates]
    below = [math.fsum(laws[1][: n + 1]) for n in range(80)]
    first = math.fsum(p * b for p, b in zip(laws[0], below, strict=True))  # the first of equal ones
    assert float(sum(rest[0].law)) == pytest.approx(first, rel=1e-9)
    assert float(sum(part.law[4] for part in rest if part.played == 3)) == pytest.approx(
        laws[0][4] * below[4] + laws[1][4] * math.fsum(laws[0][:4]), rel=1e-9
    )


def test_the_coin_leaves_its_set_as_often_as_paths_do() -> None:
    level, steps = Fraction(3, 2), 9
    left = sum(
        any(sum(path[:m]) ** 2 > 2 * m * level for m in range(1, steps + 1))
        for path in product((-1, 1), repeat=steps)
    )
    assert float(jumps.crossed(level, steps)) == pytest.approx(left / 2**steps, rel=1e-12)


def test_a_lump_sum_rises_from_nothing() -> None:
    case = lump_sum.unlucky(Fraction(1), Fraction(1, 2))
    parts = lump_sum.Parts()
    found = [float(lump_sum.lump(case, 0, Fraction(i, 8), parts)) for i in range(9)]
    assert found[0] == 0
    assert found == sorted(found)
    assert found[8] == pytest.approx(math.exp(-1) / 4)
