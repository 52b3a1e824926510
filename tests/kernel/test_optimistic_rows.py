"""The best row within a divergence: it is in the set, and no row there is better.

If KL(p̂‖p) <= m, then Σ p̂ ln(ν - V) - m <= ln(ν - Σ p V) for every ν above all V, by Jensen's inequality: the
mean of V is at most ν - exp(Σ p̂ ln(ν - V) - m), which the best row attains for one ν, or as ν falls to max V.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernel import optimistic_worlds
from tests.kernel.optimistic_worlds import best_divergent

ABOVE = np.exp(np.linspace(-30, 12, 4000))  # ν - max V


def drawn(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Sets of (y, a, x, plan) as the worlds have them, rows with states never seen, and values with ties."""
    rng = np.random.default_rng(seed)
    states, plans = 2 + seed % 3, 30
    row = rng.multinomial(6, np.ones(states) / states, (1, states, plans)) / 6
    values = rng.integers(0, 5, (states, plans)) / 4 * rng.choice([1, 1e-3], plans)
    sets = {"row": np.moveaxis(row, -1, 0), "most": 10 ** rng.uniform(-4, 0.5, (1, states, plans))}
    return {**sets, "seen": np.ones((1, states, plans), bool)}, values


def worst(seed: int) -> tuple[float, float]:
    """How far rows are beyond the set, in shares of it, and below the best mean, in shares of the spread."""
    sets, values = drawn(seed)
    got, row, most = best_divergent(sets, values), sets["row"], sets["most"]
    apart = np.where(row > 0, row * np.log(np.where(row > 0, row, 1) / np.where(row > 0, got, 1)), 0).sum(0)
    assert np.allclose(got.sum(0), 1)
    below = ((values.max(0) - values) / np.maximum(np.ptp(values, 0), 1e-12))[:, None, None]
    above = ABOVE[:, None, None, None]
    bound = above - np.exp((row[:, None] * np.log(below[:, None] + above)).sum(0) - most)  # less the largest
    return ((apart - most) / most).max(), (bound.min(0) + (got * below).sum(0)).max()


@pytest.mark.parametrize("seed", range(6))
def test_the_best_row_is_in_the_set_and_no_row_there_is_better(seed):
    outside, short = worst(seed)
    assert outside <= 0
    assert short <= 1e-4


@pytest.mark.parametrize(("factor", "place"), [(2, 0), (0.5, 1)])
def test_rows_outside_of_the_set_and_rows_that_are_not_the_best_are_seen(factor, place, monkeypatch):
    true = optimistic_worlds.nearest
    monkeypatch.setattr(
        optimistic_worlds, "nearest", lambda row, below, most: true(row, below, factor * most)
    )
    assert worst(0)[place] > 0.01
