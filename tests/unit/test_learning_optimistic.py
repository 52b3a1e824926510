"""The optimistic learner, certified: driven, replayed, judged, and honest about what it cannot tell."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb

from ctucbvi import CTMDP, Transition, bundled_model, solve
from ctucbvi.learning import Environment, Settings, Statistics
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.exact.optimistic import OptimisticPlan, optimistic_plan
from ctucbvi.learning.exact.verdicts import confident, optimistic, within_jumps, within_rates
from ctucbvi.solutions import About

MACHINE = bundled_model("machine-repair")
OPTIMUM = solve(MACHINE, digits=12)
KINDS = [(rates, jumps) for rates in ("paper", "poisson") for jumps in ("l1", "kl")]


def told(**further):
    return Settings.for_model(MACHINE, **{"episodes": 100, "bonus": "optimistic", **further})


def statistics(times, rows, model=MACHINE):
    return Statistics(model, 9, tuple(map(Fraction, times)), tuple(rows), tuple(map(sum, rows)))


@pytest.mark.parametrize(("rates", "jumps"), KINDS)
def test_a_run_is_optimistic_and_comes_down(rates, jumps):
    learner = ExactLearner(MACHINE, told(rates=rates, jumps=jumps))
    values = []
    for plan, episode in learner.run(Environment(MACHINE, seed=3), 60):
        assert isinstance(plan, OptimisticPlan)
        assert plan.iterations is None
        assert confident(plan) is True
        assert optimistic(plan, OPTIMUM) is True
        remaining = MACHINE.horizon
        for visit in episode.visits:
            assert visit.action == plan.action(visit.state, remaining)
            remaining -= visit.holding
        values.append(plan.value("operating"))
    assert values[0].upper == 1
    assert values[-1].upper < Fraction(95, 100)
    assert all(OPTIMUM.value("operating").lower <= value.upper for value in values)
    assert not learner.undecided


def test_a_replay_makes_the_same_plans():
    settings = told(rates="poisson", jumps="kl")
    driven = [(p, e) for p, e in ExactLearner(MACHINE, settings).run(Environment(MACHINE, seed=1), 12)]
    again = ExactLearner(MACHINE, settings).replay(e for _, e in driven)
    for (plan, _), (other, _) in zip(driven, again, strict=True):
        assert plan.statistics == other.statistics
        assert plan.value("repair") == other.value("repair")
        assert plan.switches == other.switches


def test_more_data_give_smaller_values():
    few = statistics([2, 2, 2, 2], [(0, 6), (0, 10), (4, 0), (14, 0)])
    many = statistics([200, 200, 200, 200], [(0, 600), (0, 1000), (400, 0), (1400, 0)])
    for rates, jumps in KINDS:
        settings = told(rates=rates, jumps=jumps)
        one, other = (optimistic_plan(seen, settings) for seen in (few, many))
        assert all(one.value(x).lower > other.value(x).upper for x in MACHINE.states)


# --- verdicts -----------------------------------------------------------------------------------

LIKELY = [(0, 600), (0, 1000), (400, 0), (1400, 0)]  # in 200 units of time each


def test_the_truth_outside_a_set_is_noticed():
    # operating/slow has rate 3, and is said to have been left once in 200 units of time.
    seen = statistics([200, 200, 200, 200], [(0, 1), *LIKELY[1:]])
    for rates in ("paper", "poisson"):
        plan = optimistic_plan(seen, told(rates=rates))
        assert [within_rates(plan, k) for k in range(4)] == [False, True, True, True]
        assert confident(plan) is False


def test_jumps_that_are_impossible_are_noticed():
    seen = statistics([200, 200, 200, 200], [(300, 300), *LIKELY[1:]])
    for jumps in ("l1", "kl"):
        plan = optimistic_plan(seen, told(jumps=jumps))
        assert [within_jumps(plan, k) for k in range(4)] == [False, True, True, True]
    plan = optimistic_plan(statistics([200] * 4, LIKELY), told(jumps="kl"))
    assert within_jumps(plan, 0) is True


def _halved(piece):
    """The same polynomials, smaller: a planner with a mistake."""
    return replace(piece, polys=tuple(poly * arb(0.5) for poly in piece.polys))


def test_optimism_does_not_follow_from_confidence_alone():
    """A planner whose values are too low is found out although the sets hold."""
    plan = optimistic_plan(statistics([200] * 4, LIKELY), told())
    assert confident(plan) is True
    assert optimistic(plan, OPTIMUM) is True
    pieces = tuple(map(_halved, plan.trajectory.pieces))
    assert optimistic(replace(plan, trajectory=replace(plan.trajectory, pieces=pieces)), OPTIMUM) is False


# --- ties and doubts ----------------------------------------------------------------------------


def choice_of_two(reward="1/2"):
    """A state with two actions that earn the same, beside two others."""
    rows = [
        Transition.of("x", "a", rate=1, reward=reward, to={"y": 1}),
        Transition.of("x", "b", rate=1, reward=reward, to={"y": 1}),
        Transition.of("y", "a", rate=1, reward=0, to={"x": 1}),
        Transition.of("z", "a", rate=1, reward=1, to={"x": 1}),
    ]
    return CTMDP.of("two", horizon=1, transitions=rows, states=["x", "y", "z"])


def test_pairs_with_equal_data_are_tied():
    model = choice_of_two()
    settings = Settings.for_model(model, episodes=10, bonus="optimistic")
    seen = statistics([100, 100, 50, 0], [(0, 90, 0), (0, 90, 0), (30, 0, 0), (0, 0, 0)], model)
    plan = optimistic_plan(seen, settings)
    assert plan.best("x", Fraction(1, 3)) == ((0, 1), True)
    assert [(s.actions, s.proved) for s in plan.segments("x")] == [(("a", "b"), True)]


def test_a_switch_is_bracketed_and_listed():
    seen = statistics([400] * 4, [(0, 1200), (0, 2000), (800, 0), (2800, 0)])
    plan = optimistic_plan(seen, told(rates="poisson", jumps="kl"))
    assert plan.switches
    for change in plan.switches:
        assert change.certified
        assert change.upper - change.lower < Fraction(1, 10**15)
        assert plan.action(change.state, change.lower) == change.before
        assert plan.action(change.state, change.upper) == change.after


def test_what_cannot_be_told_apart_is_said():
    """Both actions may never be left and lead to worse: worth r t each, whatever else is known of them."""
    model = choice_of_two()
    settings = Settings.for_model(model, episodes=10, delta="1/2", lambda_max=1, bonus="optimistic")
    learner = ExactLearner(model, settings, bits=48, max_bits=96)
    rows = [(0, 300, 0), (0, 400, 0), (0, 300, 0), (0, 300, 0)]
    learner.statistics = learner._known = statistics([15, 16, 15, 15], rows, model)
    assert learner.choose("x", Fraction(1, 2)) == "a"
    ((doubt,),) = learner.undecided.values()
    assert doubt.what is About.ACTIONS
    assert (doubt.state, doubt.actions) == ("x", ("a", "b"))
    plan = learner.plan()
    assert plan.bits == 96
    assert plan.value("x", "1/2").contains(Fraction(1, 4))
    assert not any(s.proved for s in plan.segments("x"))


def test_precision_is_raised_where_it_helps():
    """One jump among a hundred million leads elsewhere, and a kl set has room to ignore it: almost."""
    model = choice_of_two("1")
    settings = Settings.for_model(
        model, episodes=10, lambda_max=1, lambda_min=1, bonus="optimistic", jumps="kl"
    )  # the value is t less about 1e-33
    rows = [(10**8, 1, 0), (0, 0, 0), (1, 0, 0), (1, 0, 0)]
    learner = ExactLearner(model, settings)
    learner.statistics = learner._known = statistics([10**8, 1, 1, 1], rows, model)
    assert learner.plan().best("x", Fraction(1)) == ((0, 1), False)
    assert learner.choose("x", Fraction(1)) == "b"
    assert learner.plan().bits > 64
    assert not learner.undecided
