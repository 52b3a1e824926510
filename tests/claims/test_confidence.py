"""The confidence sets: the computations behind the claims, each against an independent one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from ctucbvi.learning import Settings, Statistics
from ctucbvi.learning.fast.episodes import CUT, TICKS
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.used_sets import Player, SideBySide
from proofs_checks import suites
from proofs_checks.checks import coverage, crossing, jumps, rates
from proofs_checks.checks.set_formulas import deviation, seen_pairs
from verify.provers.examples import run_examples
from verify.provers.statistical import lower_bound, upper_bound


def _simulated(setting: crossing.CrossingCase, runs: int, seed: int) -> int:
    """In how many paths the process leaves the set, looked at before and after each arrival."""
    rng = np.random.default_rng(seed)
    confidence, share, end = float(setting.confidence()), float(setting.share), float(setting.end)
    missed = 0
    for _ in range(runs):
        arrivals = np.cumsum(rng.exponential(1 / share, int(3 * share * end) + 60))
        arrivals = arrivals[arrivals < end]
        after = np.arange(1, len(arrivals) + 1)
        times = np.concatenate([arrivals, arrivals, [end, confidence]])
        counts = np.concatenate([after, after - 1, [len(arrivals), (arrivals < confidence).sum()]])
        seen = times >= confidence
        missed += bool((np.abs(counts - share * times) > np.sqrt(confidence * times))[seen].any())
    return missed


@pytest.mark.parametrize("factor", [Fraction(4), Fraction(2), Fraction(1)])
@pytest.mark.parametrize("share", [Fraction(1), Fraction(1, 4)])
def test_crossing_probability_agrees_with_simulation(factor: Fraction, share: Fraction) -> None:
    setting = crossing.CrossingCase(1, 1, 2, Fraction(9, 10), Fraction(50), share, factor)
    exact, runs, error = crossing.crossing(setting), 3000, Fraction(1, 10**5)
    missed = _simulated(setting, runs, 5)
    assert float(lower_bound(runs, missed, error)) <= float(exact) <= float(upper_bound(runs, missed, error))


def test_crossing_error_is_small_and_short_times_never_cross() -> None:
    found = crossing.crossing(crossing.EXAMPLES[3])
    assert found.rad() < arb("1e-12")
    assert crossing.crossing(crossing.CrossingCase(reach=Fraction(1))) == 0


def test_peels_are_the_least_that_reach_the_end() -> None:
    for reach in (1, 100, 1000, 10**6):
        setting = crossing.CrossingCase(1, 1, 2, Fraction(9, 10), Fraction(reach))
        count = setting.peels()
        start = float(setting.confidence())
        assert start * 25**count >= setting.end
        assert count == 0 or start * 25 ** (count - 1) < setting.end


@pytest.mark.parametrize("time", [Fraction(1, 2), Fraction(3, 2), Fraction(9, 4)])
def test_count_law_agrees_with_simulation(time: Fraction) -> None:
    """Three visits with rate 1 and H = 1: the law of N for T near a value between the multiples of H."""
    law = rates.count_law(3, Fraction(1), Fraction(1), time)
    assert sum(law.values()) == 1
    holding = np.random.default_rng(1).exponential(1.0, (400_000, 3))
    total, count = np.minimum(holding, 1).sum(1), (holding <= 1).sum(1)
    near = count[np.abs(total - float(time)) < 0.02]
    for j, p in law.items():
        assert abs((near == j).mean() - float(p)) < 5 * np.sqrt(0.25 / len(near)) + 0.02


def test_exact_distances_are_a_law() -> None:
    found = jumps.distances((Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), 5)
    assert sum(found.values()) == 1
    assert jumps.distances((Fraction(1, 2), Fraction(1, 2)), 2) == {
        Fraction(0): Fraction(1, 2),
        1: Fraction(1, 2),
    }


def test_weights_of_the_visits_add_up() -> None:
    total = sum((jumps.visits(Fraction(4), n) for n in range(60)), arb(0))
    assert abs(total - 1) < 1e-12


def test_fast_learner_reports_the_estimates_that_its_data_give() -> None:
    """What the coverage experiment pairs: p̂ of an episode, and N and T before it."""
    model = coverage.two_by_two().model
    settings = Settings.for_model(model, episodes=15, delta=coverage.DELTA)
    learner = FastLearner(model, settings, seed=3, steps=10)
    history = FastLearner(model, settings, seed=3, steps=10, record=True).advance(15).history
    found, left, time = Statistics.empty(model), (0,) * 4, (Fraction(0),) * 4
    for episode in history:
        learner.advance(1)
        assert (found.n_plus, found.time) == (left, time)
        exact = [[float(q) for q in found.probability(pair)] for pair in range(4)]
        np.testing.assert_allclose(learner.probabilities, exact, atol=1e-12)
        found, left, time = found.after(episode), tuple(learner.n_plus.tolist()), learner.time


@pytest.mark.parametrize("kind", [coverage.BOTH, coverage.UNIFORM, coverage.POISSON, coverage.KL], ids=repr)
def test_no_data_is_covered_exactly(kind: coverage.SetKind) -> None:
    """A pair with the largest rate and no data has |λ - λ̂| = β; rounding must not make a miss of it."""
    world = coverage.two_by_two()
    look = coverage.SetLook(world, kind)
    for episodes in range(1, 100):
        data = SideBySide(world.model, kind.settings(world.model, episodes), 1)
        excess, told = look.excess(data.used, *data.data)
        assert excess.max() <= 1 + 1e-12
        assert not told.any()


@pytest.mark.parametrize("name", ["machine-repair", "queue", "sis", "two-by-two"])
def test_data_laid_into_the_learner_s_arrays_give_the_learner_s_sets(name: str) -> None:
    """An adversary that does what the learner did sees the sets that the learner used, bit for bit."""
    model = coverage.two_by_two().model if name == "two-by-two" else suites._subject(name, None).model
    pairs, targets = coverage.World(model).places
    for kind in (coverage.BOTH, coverage.UNIFORM, coverage.POISSON):
        settings = kind.settings(model, 12)
        player, data = Player(model, settings, 7), SideBySide(model, settings, 1)
        for _ in range(12):
            used = data.used
            before, cut = player.learner._memory.counts.copy(), player.learner._memory.jumps.copy()
            player.learner.advance(1)
            for mine, theirs in zip(vars(used).values(), vars(player.used).values(), strict=True):
                np.testing.assert_array_equal(np.ravel(mine), theirs)
            more, seen = player.learner._memory.counts - before, player.learner._memory.jumps - cut
            for k in range(len(model.pairs)):
                only = np.where(pairs == k, seen, 0)[None]
                data.add(np.array([k]), more[TICKS, k : k + 1], more[CUT, k : k + 1], only)
        np.testing.assert_array_equal(data.data[0][0], player.data[0])
    assert len(targets) == len(pairs)


@pytest.mark.parametrize("kind", [coverage.RATES, coverage.JUMPS, coverage.POISSON, coverage.KL], ids=repr)
def test_smaller_sets_cover_less(kind: coverage.SetKind) -> None:
    world = coverage.two_by_two()
    counts = [
        coverage.Adversary(coverage.SetLook(world, kind, scale))(np.random.default_rng(3), 300)
        for scale in (1, 0.5, 0.35, 0.2)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < 0.8 * 300 < counts[0]


@pytest.mark.parametrize("block", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(1, 10))])
def test_numbers_of_sets_are_those_of_their_formulas(block: int) -> None:
    """Whatever the model, the settings and the data: kernels, doubles and balls agree to the last bits."""
    worst: list[arb] = []
    run_examples(seen_pairs(), lambda seen: worst.append(deviation(seen)), seed=block, examples=400)
    assert len(worst) >= 390
    assert all(far < 1e-14 for far in worst)
