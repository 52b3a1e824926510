"""The sets of the optimistic learner: the computations behind the claims, each against an independent one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, prod

import numpy as np
import pytest
from flint import arb

from proofs_checks.checks import succession, tilts
from proofs_checks.checks.tilts import TiltCase, dyadic
from verify.claims import Effort
from verify.provers.statistical import lower_bound, upper_bound


def _simulated(case: TiltCase, runs: int, seed: int) -> int:
    """In how many paths the process leaves the set, looked at around each arrival and at the end."""
    rng, level, end = np.random.default_rng(seed), float(case.level()), float(case.end)
    left = 0
    for _ in range(runs):
        arrivals = np.cumsum(rng.exponential(1, int(2 * end) + 60))
        arrivals = arrivals[arrivals < end]
        after = np.arange(1, len(arrivals) + 1)
        times = np.concatenate([arrivals, arrivals, [end]])
        counts = np.concatenate([after, after - 1, [len(arrivals)]])
        left += any(
            (zeta * counts - level > (exp(zeta) - 1) * times).any()
            or ((1 - exp(-zeta)) * times > zeta * counts + level).any()
            for zeta in map(float, case.tilts)
        )
    return left


@pytest.mark.parametrize("case", [tilts.EXAMPLES[0], TiltCase(dyadic(3), Fraction(1, 2), Fraction(60))])
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(1, 2)])
def test_the_probability_of_leaving_agrees_with_simulation(case: TiltCase, factor: Fraction) -> None:
    changed = TiltCase(case.tilts, case.share, case.end, factor)
    exact, runs, error = tilts.leaves(changed), 3000, Fraction(1, 10**5)
    left = _simulated(changed, runs, 7)
    assert exact.rad() < arb("1e-12")
    assert float(lower_bound(runs, left, error)) <= float(exact) <= float(upper_bound(runs, left, error))


def test_one_tilt_is_sharp_and_the_union_over_tilts_is_needed() -> None:
    one, many = tilts.EXAMPLES[1], tilts.EXAMPLES[3]
    assert 0.9 < float(tilts.leaves(one)) / float(one.share) < 1
    assert tilts.leaves(many) < float(many.share)
    assert tilts.leaves(TiltCase(many.tilts, many.share, many.end, union=False)) > 2 * float(many.share)


def test_paths_are_counted_as_one_by_one() -> None:
    row = (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))

    def misses(counts: tuple[int, ...]) -> bool:
        return counts[2] == 0 and sum(counts) >= 3

    ever = Fraction(0)
    for path in product(range(3), repeat=5):
        counts = [tuple(path[:n].count(y) for y in range(3)) for n in range(1, 6)]
        if any(map(misses, counts)):
            ever += prod((row[y] for y in path), start=Fraction(1))
    assert succession.ever_missed(row, 5, misses) == ever == Fraction(1, 8)


@pytest.mark.parametrize(("states", "jumps"), [(1, 5), (2, 0), (2, 7), (5, 13)])
def test_the_price_is_a_binomial_coefficient(states: int, jumps: int) -> None:
    """Σ ln((S + l)/(l + 1)) over l < N is ln C(N + S - 1, S - 1): the products are equal."""
    ratios = (Fraction(states + j, j + 1) for j in range(jumps))
    assert prod(ratios, start=Fraction(1)) == comb(jumps + states - 1, states - 1)


def test_sets_of_tilts_contain_the_quotient() -> None:
    for jumps in (0, 1, 10, 1000):
        low, high = tilts.interval(8, arb(3), jumps, arb(7))
        assert low <= arb(jumps) / 7 <= high


@pytest.mark.parametrize("check", [tilts.wide(), tilts.dear(), tilts.best_tilt(), succession.least_radius()])
def test_bounds_are_nearly_attained(check) -> None:
    """So that a smaller constant is refuted."""
    shares = [float(case.left) / float(case.right) for case in check.function(Effort()).cases]
    assert 0.9 < max(shares) <= 1
