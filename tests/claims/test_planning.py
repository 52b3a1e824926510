"""Setting and planning: the computations behind the claims, each against an independent one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp

import pytest
from hypothesis import given, settings

from ctucbvi import evaluate, solve
from ctucbvi.learning import Settings
from ctucbvi.learning.estimated import layered
from ctucbvi.model import CTMDP
from ctucbvi.study import regret_bound
from proofs_checks import SOURCE
from proofs_checks.checks import (
    contraction,
    discretization,
    hjb,
    optimality,
    policies,
    setting,
    simulation,
    value_iteration,
)
from proofs_checks.checks.common import vanishes
from verify.claims import Check, Effort, Verdict
from verify.running.engine import run_claim
from verify.running.loading import load_claims


def _verdict(label: str, check: Check) -> Verdict:
    return run_claim(replace(load_claims(SOURCE)[label], checks=(check,)), Effort()).verdict


# --- the hand-made example ---------------------------------------------------------------------


def test_two_speeds_has_the_values_that_the_text_derives() -> None:
    model = hjb.two_speeds()
    fixed, free = solve(model, digits=12), solve(model, "adjustable", digits=12)
    assert float(fixed.value("x", 1).mid) == pytest.approx((1 - exp(-2)) / 2, abs=1e-11)
    assert float(fixed.value("x", 2).mid) == pytest.approx(1 - exp(-1), abs=1e-11)
    assert float(free.value("x", 2).mid) == pytest.approx(1 - 2 / 3 * 3**0.25 * exp(-1), abs=1e-11)


def test_slope_of_the_value_agrees_with_a_difference_quotient() -> None:
    solution, step = solve(hjb.two_speeds(), digits=30), Fraction(1, 10**8)
    slope, top = hjb.slopes(solution, "x", Fraction(1))
    ahead, behind = (solution.value("x", 1 + sign * step).mid for sign in (1, -1))
    assert float((ahead - behind) / (2 * step)) == pytest.approx(float(slope.mid), abs=1e-12)
    assert float(slope.mid) == pytest.approx(exp(-2), abs=1e-12)
    assert float(top.mid) == pytest.approx(1 / 4 + exp(-2) / 4, abs=1e-12)


def test_both_values_differ_on_the_paper_example_and_agree_with_one_action() -> None:
    assert hjb.differ(optimality.paper_example())
    assert not hjb.differ(hjb.one_speed())


def test_policy_of_the_hjb_equation_takes_the_slow_action_and_loses() -> None:
    policy = solve(hjb.two_speeds(), "adjustable").policy()
    assert policy.action("x", 1) == "b"  # though a earns more when held
    assert float(evaluate(policy).value("x", 1).mid) == pytest.approx(1 - exp(-1 / 2), abs=1e-9)


def test_both_clocks_agree_when_the_whole_horizon_remains() -> None:
    policy = policies.early_bird()
    printed, meant = (policies.value_by_clock(policy, "x", Fraction(1), printed=p) for p in (True, False))
    assert printed.overlaps(meant)
    early = policies.value_by_clock(policy, "x", Fraction(2, 5), printed=True)
    assert float(early.mid) == pytest.approx(2 / 5, abs=1e-12)


def test_number_of_transitions_left_decides_the_action() -> None:
    counting = solve(layered(value_iteration.three_states(), 2), digits=12)
    for left, best, other in ((1, "b", "a"), (2, "a", "b")):
        value = {action: counting.commitment_value(f"1.{left}", action, "1/2") for action in "ab"}
        assert value[best].lower > value[other].upper


# --- models, grids, bounds ---------------------------------------------------------------------


@settings(max_examples=60)
@given(setting.class_models())
def test_drawn_models_are_of_the_class(model: CTMDP) -> None:
    assert all(row.rate > 0 and 0 <= row.reward <= 1 for row in model.transitions)
    assert all(sum(p for _, p in row.to) == 1 for row in model.transitions)
    assert len(model.transitions) == len(model.states) * len(model.actions)
    assert not any(model.terminal)


def test_grid_value_is_the_recursion_in_doubles() -> None:
    model, steps = optimality.paper_example(), 200
    rows = [(0.85, 3, 1), (1.0, 5, 1), (0.4, 2, 0), (0.0, 7, 0)]
    values = [0.0, 0.0]
    for _ in range(steps):
        new = [r / steps + (1 - m / steps) * values[1 - y] + m / steps * values[y] for r, m, y in rows]
        values = [max(new[:2]), max(new[2:])]
    assert float(discretization.best_on_grid(model, steps)) == pytest.approx(values[0], abs=1e-12)


def test_bound_of_the_figure_is_the_one_that_studies_draw() -> None:
    model = optimality.paper_example()
    episodes = [2, 1000, 10**5]
    drawn = regret_bound(model, Settings.for_model(model, episodes=10**5), episodes).values
    for k, value in zip(episodes, drawn, strict=True):
        assert value is not None
        ball = simulation.bound_at(k)
        assert float(ball.lower()) * (1 - 1e-9) <= value <= float(ball.upper()) * (1 + 1e-9)


def test_printed_loop_reads_what_it_has_not_computed() -> None:
    assert value_iteration.undefined_reads(looks_back=False, rounds=1) == 2
    assert value_iteration.undefined_reads(looks_back=True, rounds=50) == 0


# --- checks that stand beside a proof can fail, too --------------------------------------------


@pytest.mark.parametrize(
    ("label", "check"),
    [
        ("eq:FH-control2/bounds", setting.bounded(excess=Fraction(1, 10**4))),
        ("eq:error-vi", contraction.stopped_error(share=Fraction(1, 10**4))),
        ("sec:episodicRL/banach/repaired", setting.limits(shift=-1)),
        ("sec:simulation/evaluation", simulation.iterated(sooner=1)),
        ("sec:simulation/stopping", simulation.stopped(share=Fraction(1, 10**3))),
        ("remark:integral/grid", policies.nearly_greedy(share=Fraction(1, 10**3))),
        ("eq:FH-control-discrete/error", discretization.sampled_policy(Fraction(1, 20))),
        ("eq:Qa/iteration", value_iteration.increasing_iterates(truncate=False, steps=-1)),
    ],
)
def test_check_beside_a_proof_catches_a_wrong_variant(label: str, check: Check) -> None:
    assert _verdict(label, check) is Verdict.REFUTED


def test_identity_that_fails_is_refuted_and_not_just_unproved() -> None:
    wrong = vanishes("t = 2t", ("t = 2t", lambda: setting.TIME))
    assert _verdict("sec:episodicRL/joint-law", wrong) is Verdict.REFUTED


def test_an_identity_that_holds_at_the_sampled_point_only_is_not_proved() -> None:
    unsettled = vanishes("one point", ("t = 2", lambda: setting.TIME - 2))  # 2 is the first sample
    assert _verdict("sec:episodicRL/joint-law", unsettled) is Verdict.TESTED
