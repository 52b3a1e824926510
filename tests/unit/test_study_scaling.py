"""The simulation behind the scaling of studies: cases by hand, bounds that hold, and a mutant of each."""

from __future__ import annotations

from random import Random

import pytest

from tests.benchmarks.bench_cluster import Costs, bounds, most_workers, simulated

NOTHING = Costs(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("chains", "workers", "costs", "seconds"),
    [
        ([[1.0]] * 30, 20, NOTHING, 2.0),
        ([[1.0] * 10] * 30, 20, NOTHING, 15.0),  # side by side: 300 blocks, 20 at a time
        ([[1.0] * 10] * 30, 1000, NOTHING, 10.0),  # the longest run
        ([[1.0, 1.0]], 1, Costs(0.25, 0.5, 1.0), 2 * (1 + 0.25 + 0.5 + 1.0)),
        ([[1.0]] * 4, 4, Costs(0.5, 0.0, 0.0), 4 * 0.5 + 1.0),  # handed out one after the other
        ([[1.0]] * 4, 4, Costs(0.0, 0.5, 0.0), 4 * 0.5 + 1.0),
        ([[1.0], [1.0], [2.0]], 2, NOTHING, 2.0),  # the long one first
        ([[1.0] * 3, *[[1.0]] * 5], 2, NOTHING, 5.0),  # its next blocks after the first ones of all
        ([[1.0] * 3, *[[1.0, 1.0]] * 3], 2, NOTHING, 5.0),  # but before the next ones of others
    ],
)
def test_by_hand(chains, workers, costs, seconds):
    assert simulated(chains, workers, costs, [sum(chain) for chain in chains]) == pytest.approx(seconds)


def test_in_the_order_of_the_file_a_long_run_may_be_left_over():
    assert simulated([[1.0], [1.0], [2.0]], 2, NOTHING) == pytest.approx(3.0)


def test_no_bound_is_beaten_and_nobody_waits_without_need():
    draw, tight = Random(1), 0
    for _ in range(1000):
        chains = [
            [draw.uniform(0.1, 2) for _ in range(draw.randint(1, 5))] for _ in range(draw.randint(1, 12))
        ]
        workers = draw.randint(1, 8)
        costs = Costs(*(draw.choice([0.0, 0.05, 0.3]) for _ in range(3)))
        seconds, limits = simulated(chains, workers, costs), bounds(chains, workers, costs)
        assert seconds >= max(limits.values()) - 1e-9
        tight += seconds <= 1.01 * max(limits.values())
        free, plain = simulated(chains, workers, NOTHING), bounds(chains, workers, NOTHING)
        assert free <= plain["the work itself"] + plain["the longest run"] + 1e-9
    assert tight > 100  # a bound that is never near would say nothing


def test_the_largest_number_of_workers_is_where_the_efficiency_falls():
    chains, costs = [[1.0] * 4] * 300, Costs(0.001, 0.0005, 0.002)
    most, total = most_workers(chains, costs, [1.0] * 300), 1200.0
    assert total / (most * simulated(chains, most, costs)) >= 0.8
    beyond = most + max(1, most // 100) + 1
    assert total / (beyond * simulated(chains, beyond, costs)) < 0.8
    assert 300 <= most <= 375  # 300 runs, and 300 / 0.8
