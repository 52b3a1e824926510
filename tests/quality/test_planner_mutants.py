"""Planners that are wrong on purpose: the checks that pass for the real one must fail for them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import pytest
from flint import arb, fmpq
from hypothesis import settings

import ctucbvi
from ctucbvi import Enclosure, Semantics
from ctucbvi import second_opinion as second
from ctucbvi.exact import poisson, regimes, signs, survey
from ctucbvi.library import machine_repair
from tests.laws.planner_laws import PlannerLaws
from tests.laws.test_exact_planner import exact_planner
from tests.opinions import random_model, second_opinion

MODELS = [machine_repair(), *(random_model(seed) for seed in (3, 8, 11))]


def agrees_with_second_opinion(solve=ctucbvi.solve) -> bool:
    """The comparison that the tests of the planner make."""
    for model in MODELS:
        for semantics in Semantics:
            value = second_opinion(model, semantics, digits=18)
            solution = solve(model, semantics, digits=15)
            for state in model.states:
                for t in (model.horizon / 3, model.horizon):
                    if not solution.value(state, t).overlaps(value(state, t)):
                        return False
    return True


def switches_agree(solution) -> bool:
    """The comparison of switching times with the second opinion."""
    opinion = second.solve(solution.model, solution.semantics, digits=30)
    return len(opinion.switches) == len(solution.switches) and all(
        any(
            theirs.state == s.state
            and abs(theirs.time.mid - s.time.mid) <= s.time.width + Fraction(1, 10**20)
            for theirs in opinion.switches
        )
        for s in solution.switches
    )


def test_the_real_planner_passes():
    assert agrees_with_second_opinion()
    for semantics in Semantics:
        assert switches_agree(ctucbvi.solve(machine_repair(), semantics, digits=25))


def test_a_wrong_weight_is_caught(monkeypatch):
    sequences = regimes.RegimeStep._state_sequences

    def heavier(self, initial):
        found = sequences(self, initial)
        factor = 1 + arb(2) ** -60
        return [[row[0], *(a * factor for a in row[1:])] for row in found]

    monkeypatch.setattr(regimes.RegimeStep, "_state_sequences", heavier)
    assert not agrees_with_second_opinion()


def test_a_rate_that_is_off_by_one_part_in_a_trillion_is_caught():
    def wrong(model, semantics, **options):
        rows = tuple(replace(r, rate=r.rate * (1 + Fraction(1, 10**12))) for r in model.transitions)
        return ctucbvi.solve(replace(model, transitions=rows), semantics, **options)

    assert not agrees_with_second_opinion(wrong)


@pytest.mark.parametrize("shift", [Fraction(1, 10**12), -Fraction(1, 10**12)])
def test_a_switch_misplaced_by_a_trillionth_is_caught(shift):
    solution = ctucbvi.solve(machine_repair(), digits=25)
    moved = [replace(s, time=s.time + shift) for s in solution.switches]
    solution.__dict__["switches"] = moved
    assert not switches_agree(solution)


def test_a_regime_that_is_never_left_is_caught(monkeypatch):
    monkeypatch.setattr(survey.Survey, "next_regime", lambda self, step: step.regime)
    # The margins stay negative, so that the pass either never advances or loses its digits.
    budget = ctucbvi.Budget(seconds=2, steps=50)
    with pytest.raises(ctucbvi.UndecidedError):
        ctucbvi.solve(machine_repair(), digits=15, budget=budget)


def test_a_switch_that_is_not_looked_for_is_caught(monkeypatch):
    def blind(step, margins, tied, signs, noise):
        calm = tuple(arb(0) for _ in step.regime.best)
        return survey.Survey(step.basis.reach, [], {}, arb(0), calm)

    monkeypatch.setattr(survey, "_summarise", blind)
    assert not agrees_with_second_opinion()


def test_a_forgotten_tail_is_caught(monkeypatch):
    monkeypatch.setattr(poisson, "terms_needed", lambda mean, bits: ceil(mean) + 4)
    monkeypatch.setattr(poisson.Basis, "tail", lambda self, growth: arb(0))
    assert not agrees_with_second_opinion()


def test_an_honest_tail_makes_up_for_too_few_terms(monkeypatch):
    # The same cut-off with its tail accounted for is merely wide: it must not be wrong.
    monkeypatch.setattr(poisson, "terms_needed", lambda mean, bits: ceil(mean) + 4)
    budget = ctucbvi.Budget(max_bits=200)
    for model in MODELS:
        value = ctucbvi.solve(model, digits=5, budget=budget).value(model.initial)
        assert value.overlaps(second_opinion(model, Semantics.COMMITTED)(model.initial, model.horizon))


def test_mixed_up_semantics_are_caught():
    def other(model, semantics, **options):
        flipped = {Semantics.COMMITTED: Semantics.ADJUSTABLE, Semantics.ADJUSTABLE: Semantics.COMMITTED}
        return ctucbvi.solve(model, flipped[semantics], **options)

    assert not agrees_with_second_opinion(other)


def test_an_enclosure_rounded_the_wrong_way_is_caught():
    def inward(self: Enclosure, digits: int) -> tuple[str, str]:
        scale = 10**digits
        return str(Fraction(ceil(self.lower * scale), scale)), str(Fraction(floor(self.upper * scale), scale))

    def outward(self: Enclosure, digits: int) -> tuple[str, str]:
        return self.decimals(digits)[1:]

    def contains(rounding) -> bool:
        for model in MODELS:
            value = ctucbvi.solve(model, digits=12).value(model.initial)
            lower, upper = (Fraction(end) for end in rounding(value, 12))
            if not lower <= value.lower <= value.upper <= upper:
                return False
        return True

    assert contains(outward)
    assert not contains(inward)


def test_balls_without_their_radius_are_caught(monkeypatch):
    # A planner that forgets what rounding costs: its enclosures are points, and points miss.
    monkeypatch.setattr(ctucbvi.exact.solution, "enclosure", lambda ball: _point_of(ball))
    solution = ctucbvi.solve(machine_repair(), digits=15)
    value = second_opinion(machine_repair(), Semantics.COMMITTED, digits=60)
    assert any(not value(x, Fraction(1)).contains(solution.value(x).mid) for x in solution.model.states)


def _point_of(ball):
    from ctucbvi.exact.precision import point, to_fraction

    middle = to_fraction(point(ball))
    return Enclosure(middle, middle)


def _paying(model, change):
    """The model with other lumps."""
    rows = [
        ctucbvi.Transition.of(
            r.state, r.action, rate=r.rate, reward=r.reward, to=dict(r.to),
            lump={y: change(r, y, c) for y, c in r.lump},
        )
        for r in model.transitions
    ]  # fmt: skip
    return replace(model, transitions=tuple(rows))


WRONG = {
    "terminal reward forgotten": (
        lambda m, s: exact_planner(replace(m, terminal=(Fraction(0),) * len(m.states)), s),
        "test_at_time_zero_the_value_is_the_terminal_reward",
    ),
    "time shifted by a cell": (
        lambda m, s: (lambda v: lambda x, t: v(x, max(t - m.horizon / 1000, Fraction(0))))(
            exact_planner(m, s)
        ),
        "test_a_constant_added_to_the_rewards_adds_its_time",
    ),
    "first action only": (
        lambda m, s: exact_planner(
            replace(
                m,
                transitions=tuple(
                    r for i, r in enumerate(m.transitions) if i == 0 or m.transitions[i - 1].state != r.state
                ),
            ),
            s,
        ),
        "test_names_do_not_matter",
    ),
    "committed computed as adjustable and the other way round": (
        lambda m, s: exact_planner(m, next(o for o in Semantics if o is not s)),
        "test_freedom_to_adjust_does_not_hurt",
    ),
    "rates in other units than rewards": (
        lambda m, s: exact_planner(
            replace(m, transitions=tuple(replace(r, rate=r.rate / (1 + m.horizon)) for r in m.transitions)), s
        ),
        "test_scaling_time_changes_nothing",
    ),
    "lumps forgotten": (
        lambda m, s: exact_planner(_paying(m, lambda row, y, c: Fraction(0)), s),
        "test_lumps_that_telescope_are_a_potential",
    ),
    "lumps earned whatever the probability": (
        lambda m, s: exact_planner(_paying(m, lambda row, y, c: c / dict(row.to)[y]), s),
        "test_lumps_that_telescope_are_a_potential",
    ),
    "lumps earned once per unit of time": (
        lambda m, s: exact_planner(_paying(m, lambda row, y, c: c / row.rate), s),
        "test_a_lump_at_the_only_jump_is_earned_if_it_comes_in_time",
    ),
    "costs maximised": (
        lambda m, s: exact_planner(replace(m, objective="max"), s),
        "test_the_least_cost_is_minus_the_largest_of_the_negated_rewards",
    ),
    "costs with the wrong sign": (
        lambda m, s: (lambda v: lambda x, t: v(x, t) if m.objective == "max" else -v(x, t))(
            exact_planner(m, s)
        ),
        "test_a_lump_at_the_only_jump_is_earned_if_it_comes_in_time",
    ),
    "zero": (
        lambda m, s: lambda x, t: Enclosure(Fraction(0), Fraction(0)),
        "test_the_time_of_an_exponential_stay_is_exact",
    ),
    "everything": (
        lambda m, s: lambda x, t: Enclosure(Fraction(-(10**9)), Fraction(10**9)),
        "test_the_time_of_an_exponential_stay_is_exact",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_laws_catch_a_wrong_planner(name, monkeypatch):
    planner, law = WRONG[name]

    class Laws(PlannerLaws):
        pass

    Laws.planner = staticmethod(planner)
    if hasattr(getattr(Laws, law), "hypothesis"):
        # Finding one failure is enough here; Hypothesis offers no public way to say so for one call.
        quick = settings.get_profile("mutants")
        monkeypatch.setattr(getattr(Laws, law), "_hypothesis_internal_use_settings", quick)
    with pytest.raises(AssertionError):
        getattr(Laws(), law)()


def test_a_sign_search_that_ignores_noise_is_caught():
    # f = 1e-9 on [0, 1] with noise 1e-6: no sign may be claimed.
    class Small:
        def __call__(self, x):
            return arb("1e-9") + 0 * x

        def slope(self, x):
            return 0 * x

        curvature = slope

    regions = signs.sign_regions(Small(), fmpq(0), fmpq(1), noise=arb("1e-6"))
    assert [r.sign for r in regions] == [0]
    assert [r.sign for r in signs.sign_regions(Small(), fmpq(0), fmpq(1))] == [1]
