"""Margins that are said to be clear are positive, and what was said of doubles is true of them."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

import ctucbvi
from ctucbvi import CTMDP, Semantics, Transition
from ctucbvi.exact import regimes
from ctucbvi.exact.lumping import unlumped
from ctucbvi.exact.outlook import Outline, Outlook
from ctucbvi.exact.poisson import Basis, Growth, PoissonSeries
from ctucbvi.exact.precision import precision
from ctucbvi.exact.problem import Problem, Regime
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.screen import ManyScreen, Screen
from ctucbvi.exact.start import opening
from ctucbvi.exact.ties import TieEffort

BITS = 110
both = pytest.mark.parametrize("semantics", list(Semantics))


def hostile(rng: random.Random) -> CTMDP:
    """Few states, ties, rates of very different sizes, rewards that cancel, one target or many."""
    names = [f"s{i}" for i in range(rng.randint(1, 5))]
    scale = Fraction(10) ** rng.choice([-12, -3, 0, 0, 0, 4])
    rows = []
    for x in names:
        for a in range(rng.randint(1, 4)):
            rate = Fraction(rng.randint(0, 12), 4) * Fraction(10) ** rng.choice([-5, 0, 0, 0, 1])
            targets = rng.sample(names, rng.randint(1, len(names)))
            counts = [rng.randint(1, 5) for _ in targets]
            to = {y: Fraction(c, sum(counts)) for y, c in zip(targets, counts, strict=True)} if rate else {}
            rows.append(Transition.of(x, f"a{a}", rate=rate, reward=rng.randint(-3, 3) * scale, to=to))
    ends = {x: rng.randint(-2, 2) * scale for x in names} if rng.random() < 0.5 else {}
    return CTMDP.of("hostile", horizon=rng.choice([1, "1/50", 7]), transitions=rows, terminal=ends)


def random_step(rng: random.Random, semantics: Semantics) -> RegimeStep:
    """A step of a regime that need not be the right one, from values that need not be right either."""
    model = hostile(rng)
    problem = Problem.of(unlumped(model), semantics, truncate=False, pace=rng.choice([1, 2]))
    regime = Regime(tuple(rng.choice(menu) for menu in problem.menu), (False,) * len(problem.menu))
    size = len(problem.rates if problem.committed else problem.menu)
    near = Fraction(10) ** rng.choice([-15, -6, 0])
    carried = [fmpq(rng.randint(-9, 9)) * fmpq(near.numerator, near.denominator) + 1 for _ in range(size)]
    for x, menu in enumerate(problem.menu):  # the leader leads, or there is nothing to be cleared
        if problem.committed:
            carried[regime.best[x]] = max(carried[i] for i in menu) + rng.choice([0, 1]) * fmpq(1, 10**9)
    reach = problem.horizon * problem.clock * rng.choice([fmpq(1), fmpq(1, 9), fmpq(1, 10**7)])
    return RegimeStep(problem, regime, fmpq(0), carried, Basis(min(reach, fmpq(64)), BITS))


def close_step(rng: random.Random, semantics: Semantics) -> RegimeStep:
    """The same, short, from values that differ by so little that doubles of them are equal."""
    step = random_step(rng, semantics)
    near, problem = fmpq(1, 10 ** rng.choice([15, 20, 25])), step.problem
    carried = [1 + near * rng.randint(-99, 99) for _ in step.carried]
    for x, menu in enumerate(problem.menu if problem.committed else ()):
        carried[step.regime.best[x]] = max(carried[i] for i in menu) + near * rng.randint(0, 9)
    basis = Basis(min(step.basis.reach, near * rng.choice([1, 100, 10**4])), BITS)
    return RegimeStep(problem, step.regime, fmpq(0), carried, basis)


def led_by_the_best(step: RegimeStep) -> RegimeStep:
    """The same with the regime that is right at the start."""
    best = list(step.regime.best)
    for x, menu in enumerate(step.problem.menu):
        behind = {i: float(step.lead((x, i))) for i in menu if i != best[x]}
        best[x] = min([*behind, best[x]], key=lambda i, behind=behind: behind.get(i, 0.0))
    regime = Regime(tuple(best), step.regime.capped)
    return RegimeStep(step.problem, regime, step.start, step.carried, step.basis)


def outlook_of(step: RegimeStep) -> Outlook:
    """The margins of the step in doubles."""
    return Outlook(Outline(step.problem), step)


def false_claims(step: RegimeStep, found: Screen) -> int:
    """How many of the clear margins are below what was promised, at some point of a grid."""
    wrong = 0
    for key in found.clear:
        margin = step.margin(key)
        least = margin.sensitivity * found.noise
        points = [step.basis.reach * fmpq(k, 24) for k in range(25)] + [step.basis.reach / 10**6]
        wrong += any(margin.series(arb(x)) < least for x in points)
    return wrong


def screened(semantics: Semantics, seeds: range, draw=random_step) -> tuple[int, int]:
    """How many margins were cleared on random steps, and how many of them wrongly."""
    cleared = wrong = 0
    for seed in seeds:
        with precision(BITS):
            step = draw(random.Random(f"{seed} {semantics}"), semantics)
            for found in (Screen(step), ManyScreen(step, outlook_of(step), arb(0))):
                cleared += len(found.clear)
                wrong += false_claims(step, found)
    return cleared, wrong


@both
@pytest.mark.parametrize("draw", [random_step, close_step])
def test_what_is_clear_is_positive(semantics, draw):
    cleared, wrong = screened(semantics, range(80), draw)
    assert cleared > 100
    assert wrong == 0


def _rising(self, terms, real=Outlook.margins):
    return real(self, terms) + 1e-3 * np.arange(terms)[:, None]


@pytest.mark.parametrize(
    "mutant",
    [
        # a margin that rises too fast, and one of which only the beginning is looked at
        lambda patch: patch.setattr(Outlook, "margins", _rising),
        lambda patch: patch.setattr(np, "minimum", lambda below, zero: np.zeros_like(below)),
    ],
)
def test_a_screen_that_is_wrong_is_caught(mutant, monkeypatch):
    mutant(monkeypatch)
    assert screened(Semantics.COMMITTED, range(80))[1] > 0


def errors_of_doubles(semantics: Semantics, seeds: range) -> list[tuple[float, float, float]]:
    """Of each coefficient how far it is from the true one, and the two parts of the bound for that."""
    found = []
    for seed in seeds:
        with precision(BITS):
            draw = close_step if seed % 2 else random_step
            step = draw(random.Random(f"near {seed} {semantics}"), semantics)
            outlook, terms = outlook_of(step), step.basis.terms + 1
            columns = zip(outlook.keys, outlook.margins(terms).T, *outlook.doubts(terms), strict=True)
            for key, column, start, more in columns:
                for k, (a, b) in enumerate(zip(step.margin(key).series.sequence, column, strict=True)):
                    found.append((float(abs(a - arb(float(b))).upper()), start, k * more))
    return found


@both
def test_doubles_are_as_near_as_they_are_said_to_be(semantics):
    found = errors_of_doubles(semantics, range(100))
    ratios = [error / (start + more) for error, start, more in found]
    assert max(ratios) < 1
    assert max(ratios) > 1e-4  # the bound is no wall: a mistake in the fourth digit of it would be seen
    # and neither part of it may be left out
    assert any(error > start for error, start, _ in found)
    assert any(error > more for error, _, more in found)


@both
def test_a_step_is_guessed_to_end_soon_after_the_first_fall(semantics):
    falls = 0
    for seed in range(120):
        with precision(BITS):
            draw = close_step if seed % 2 else random_step
            step = led_by_the_best(draw(random.Random(f"fall {seed} {semantics}"), semantics))
            if not all(step.lead(key) > 0 for key in step.keys):
                continue
            reach, series = step.basis.reach, [step.margin(key).series for key in step.keys]
            point = outlook_of(step).fall(reach, arb(0))
            if point is None:
                assert all(f(arb(reach)) > -1e-12 * (1 + f.growth.start) for f in series)
            else:
                falls += 1
                assert any(f(arb(point)) < 0 for f in series)
                assert all(f(arb(point / 2)) > -1e-12 * arb(point) * (1 + f.growth.start) for f in series)
    assert falls > 10


@both
def test_the_first_step_is_screened_with_what_vanishes(semantics):
    cleared = 0
    for seed in range(40):
        problem = Problem.of(unlumped(hostile(random.Random(seed))), semantics, truncate=False)
        first = opening(problem, TieEffort())
        with precision(BITS):
            reach = min(problem.horizon * problem.clock, fmpq(64))
            basis = Basis(reach, BITS, max(first.order.values(), default=0) + 8)
            step = RegimeStep(problem, first.regime, fmpq(0), problem.initial_values, basis)
            for found in (Screen(step, first), ManyScreen(step, outlook_of(step), arb(0), first)):
                cleared += len(found.clear)
                assert not found.clear & first.ties
                for key in found.clear:
                    margin, order = step.margin(key), first.order.get(key, 0)
                    for k in (fmpq(1, 10**3), fmpq(1, 16), fmpq(1, 2), fmpq(1)):
                        value = margin.series(arb(reach * k))
                        assert value > 0
                        promised = margin.sensitivity * found.noise * (16 * arb(k)).min(arb(1)) ** order
                        assert value > promised
    assert cleared > 50


def test_more_noise_than_was_foreseen_is_not_covered():
    with precision(BITS):
        screens = (Screen(random_step(random.Random(seed), Semantics.COMMITTED)) for seed in range(50))
        found = next(s for s in screens if s.clear)
        assert found.covers(arb(found.noise) / 2, fmpq(0))
        assert not found.covers(arb(found.noise) * 2, fmpq(0))


@both
def test_balls_and_doubles_screen_the_same_solutions(semantics, monkeypatch):
    models = [hostile(random.Random(f"same {seed}")) for seed in range(12)]
    ours = [ctucbvi.solve(m, semantics, digits=12) for m in models]
    monkeypatch.setattr(regimes.Problem, "small", False)
    for model, found in zip(models, ours, strict=True):
        other = ctucbvi.solve(model, semantics, digits=12)
        for state in model.states:
            assert other.value(state).overlaps(found.value(state))
            assert [s.actions for s in other.segments(state)] == [s.actions for s in found.segments(state)]


def test_coefficients_of_unknown_sign_may_change_it_each():
    # + ? ? -: with signs + - + - there may be three zeros, and two positive values say nothing.
    with precision(BITS):
        basis = Basis(fmpq(10), BITS)
        unknown = arb(0, 1)
        sequence = [arb(5), unknown, unknown, unknown, arb(1)] + [arb(-1)] * (basis.terms - 4)
        series = PoissonSeries(sequence, Growth(arb(5), arb(0)), basis)
        assert not series.stays_above(arb(0))
        assert PoissonSeries([arb(5), unknown, *sequence[5:]], series.growth, basis).stays_above(arb(0))
