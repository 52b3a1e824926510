"""What is said at a glance is true of the series in balls, and a glance that is wrong is caught."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, fmpq

import ctucbvi
from ctucbvi import CTMDP, Semantics, Transition
from ctucbvi.exact import glance, start, trajectory
from ctucbvi.exact.glance import glance as glanced
from ctucbvi.exact.lumping import lump, unlumped
from ctucbvi.exact.motion import Motion
from ctucbvi.exact.poisson import Basis
from ctucbvi.exact.precision import precision
from ctucbvi.exact.problem import InDoubles, Problem
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.start import Opening, opening
from ctucbvi.exact.survey import Survey
from ctucbvi.library import machine_repair
from tests.unit.test_screen import BITS, both, hostile, random_step

FINE = 150  # bits of the series that a glance is compared with


def fine(step: RegimeStep) -> RegimeStep:
    """The same step, with series of many bits."""
    return RegimeStep(step.problem, step.regime, step.start, step.carried, Basis(step.basis.reach, FINE))


def false_claims(step: RegimeStep, found: Survey, noise: arb) -> int:
    """How many of the claims of a survey are certainly wrong, at the points of a grid and at the switch."""
    wrong, cut = 0, found.cut
    with precision(FINE):
        series = fine(step)
        for key in step.keys:
            margin = series.margin(key)
            least = margin.sensitivity * noise
            brackets = found.zeros.get(key, [])
            end = brackets[0].lower if brackets else cut
            points = [end * fmpq(k, 20) for k in range(1, 21)] + [end / 10**6, end * fmpq(999, 1000)]
            wrong += any(margin.series(arb(x)) < least for x in points)
            for region in brackets:
                wrong += bool(margin.series(arb(region.upper)) > -least)
                wrong += bool(margin.series(arb(region.lower)) < least)
                wrong += not region.upper == cut < step.basis.reach
                wrong += bool(margin.series(arb(cut)) < region.least)
        if found.losers:
            carry = series.commitment if step.problem.committed else series.value
            wrong += not all(ball.overlaps(carry(i)(arb(cut))) for i, ball in enumerate(step.carried_at(cut)))
            wrong += sum(float(ball.rad()) > 1e-25 * (1 + abs(float(ball))) for ball in step.carried_at(cut))
    return wrong


def first_step(rng: random.Random, semantics: Semantics) -> tuple[RegimeStep, Opening]:
    """The first step of a random model."""
    problem = Problem.of(unlumped(hostile(rng)), semantics, truncate=False, pace=rng.choice([1, 2]))
    first = opening(problem)
    reach = min(problem.horizon * problem.clock, fmpq(30)) * rng.choice([fmpq(1), fmpq(1, 3)])
    return RegimeStep(problem, first.regime, fmpq(0), problem.initial_values, Basis(reach, BITS)), first


def looked_at(semantics: Semantics, seeds: range) -> Counter[str]:
    """How many random steps were calm, fell or were not simple, and how many claims about them were wrong."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(f"glance {seed} {semantics}")
        with precision(BITS):
            error, first = arb(10) ** rng.choice([-30, -20, -14, -9]), None
            if seed % 2:
                step = random_step(rng, semantics)
            else:
                (step, first), error = first_step(rng, semantics), arb(0)
            found = glanced(step, error, first)
        seen["not simple" if found is None else "falls" if found.losers else "calm"] += 1
        if found is not None:
            seen["wrong"] += false_claims(step, found, error)
    return seen


@both
def test_what_is_seen_at_a_glance_is_true(semantics):
    seen = looked_at(semantics, range(160))
    assert seen["calm"] > 20
    assert seen["falls"] > 3
    assert seen["wrong"] == 0


@both
@pytest.mark.thorough
def test_what_is_seen_at_thousands_of_glances_is_true(semantics):
    assert looked_at(semantics, range(160, 8000))["wrong"] == 0


def _larger_matrix(self, pairs, place, real=InDoubles.matrix):
    return real(self, pairs, place) * 0.9


def _no_doubt(self, share, real=glance._Sketch.ends):
    return [abs(end) for end in real(self, share)]


def _hasty(self, step, noise, first):
    """Only the beginning of the margins is looked at."""
    self.low = self.margins.clip(min=0)
    self.leads = [1.0] * len(self.keys)
    return True


def _beside(self, values, x, real=Motion.moved):
    return [ball * (1 + arb(n + 1) / 10**14) for n, ball in enumerate(real(self, values, x))]


MUTANTS = [
    lambda patch: patch.setattr(InDoubles, "matrix", _larger_matrix),
    lambda patch: patch.setattr(glance._Sketch, "ends", _no_doubt),
    lambda patch: patch.setattr(glance._Sketch, "prepare", _hasty),
    lambda patch: patch.setattr(Motion, "moved", _beside),
    lambda patch: patch.setattr(
        RegimeStep, "lead", lambda self, key, real=RegimeStep.lead: abs(real(self, key)) + arb(1)
    ),
]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_glance_that_is_wrong_is_caught(mutant, monkeypatch):
    mutant(monkeypatch)
    chunks = [(semantics, range(k, k + 20)) for k in range(0, 200, 20) for semantics in Semantics]
    assert any(looked_at(semantics, seeds)["wrong"] for semantics, seeds in chunks)


@both
def test_doubles_are_as_near_as_they_are_said_to_be(semantics):
    ratios = []
    for seed in range(60):
        with precision(BITS):
            step = random_step(random.Random(f"near {seed} {semantics}"), semantics)
            found = glance._Sketch.of(step, None) if step.keys else None
        if found is None:
            continue
        with precision(FINE):
            series = fine(step)
            for n, key in enumerate(found.keys):
                true = series.margin(key).series.sequence
                column = found.margins[:, n].tolist()
                ratios += [
                    float(abs(a - arb(b))) / found.doubt[n] for a, b in zip(true, column, strict=False)
                ]
    assert max(ratios) < 1
    assert max(ratios) > 1e-4  # the bound is no wall: a mistake in the fourth digit of it would be seen


@both
def test_a_glance_changes_nothing_but_the_time(semantics, monkeypatch):
    models = [hostile(random.Random(f"same {seed}")) for seed in range(25)]
    quick = [ctucbvi.solve(m, semantics, digits=20) for m in models]
    monkeypatch.setattr(trajectory, "glance", lambda *_: None)
    for one, model in zip(quick, models, strict=True):
        other = ctucbvi.solve(model, semantics, digits=20)
        assert [(s.state, s.before, s.after) for s in one.switches] == [
            (s.state, s.before, s.after) for s in other.switches
        ]
        assert all(a.time.overlaps(b.time) for a, b in zip(one.switches, other.switches, strict=True))
        for state in model.states:
            assert one.value(state).overlaps(other.value(state))
            assert [s.actions for s in one.segments(state)] == [s.actions for s in other.segments(state)]


@both
def test_the_first_regime_seen_in_doubles_is_the_one_that_rationals_tell(semantics):
    seen = 0
    for seed in range(300):
        problem = Problem.of(lump(hostile(random.Random(f"seen {seed}"))), semantics, truncate=False)
        found, raced = start._seen(problem, lambda: None), start._raced(problem, None, lambda: None)
        if found is not None:
            seen += 1
            assert replace(raced, relations=()) == replace(found, relations=())
    assert seen > 100


def test_actions_that_differ_by_less_than_doubles_tell_are_left_to_rationals():
    tiny = Fraction(1, 10**30)
    rows = [Transition.of("x", a, rate=1, reward=r, to={"x": 1}) for a, r in (("a", 1), ("b", 1 + tiny))]
    model = CTMDP.of("near", horizon=1, transitions=rows)
    for semantics in Semantics:
        problem = Problem.of(unlumped(model), semantics, truncate=False)
        assert start._seen(problem, lambda: None) is None
        assert opening(problem).regime.best == (1,)
        assert ctucbvi.solve(model, semantics).segments("x")[0].actions == ("b",)


def test_a_point_is_the_same_by_the_exponential_and_by_the_series():
    for seed in range(40):
        with precision(BITS):
            step = random_step(random.Random(f"point {seed}"), list(Semantics)[seed % 2])
            x = step.basis.reach * fmpq(2, 3)
            moved = step.motion.moved(step.carried, x)
            assert all(abs(entry) < 4 for entry in step.motion.generator.entries())
            weights = step.basis.weights(x)
            for state, best in enumerate(step.regime.best):
                by_series = sum((a * w for a, w in zip(step.states[state], weights, strict=True)), step._tail)
                assert by_series.overlaps(moved[best if step.problem.committed else state])
                assert step.value_at(state, x).overlaps(by_series)


@both
@pytest.mark.parametrize("exponent", [-150, -30, 30, 400])
def test_rewards_of_any_size_are_scaled(semantics, exponent):
    plain = ctucbvi.solve(machine_repair(), semantics, digits=20)
    scale = Fraction(10) ** exponent
    scaled = ctucbvi.solve(machine_repair().with_rewards(scale), semantics, digits=20)
    assert scaled.undecided == ()
    assert scaled.bits == plain.bits
    for state in plain.model.states:
        one, other = plain.value(state), scaled.value(state)
        assert other.overlaps(ctucbvi.Enclosure(one.lower * scale, one.upper * scale))
