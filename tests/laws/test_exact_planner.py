"""The laws, for the exact planner; and those that need a policy to evaluate."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import Budget
from ctucbvi.exact.precision import to_fraction
from ctucbvi.strategies import models, policies, times
from tests.laws.planner_laws import PlannerLaws, at_most, both

_DIGITS = 12


def exact_planner(model, semantics):
    return ctucbvi.solve(model, semantics, digits=_DIGITS).value


class TestExactPlanner(PlannerLaws):
    planner = staticmethod(exact_planner)


@given(model=models(max_states=3, max_load=6), semantics=both, data=st.data())
def test_no_policy_is_worth_more_than_the_optimum(model, semantics, data):
    policy = data.draw(policies(model))
    t = data.draw(times(model))
    best = ctucbvi.solve(model, semantics, digits=_DIGITS)
    value = ctucbvi.evaluate(policy, semantics, digits=_DIGITS)
    for state in model.states:
        assert at_most(value.value(state, t), best.value(state, t))


@given(model=models(max_states=3, max_load=6), semantics=both)
def test_the_optimal_policy_is_worth_the_optimum(model, semantics):
    best = ctucbvi.solve(model, semantics, digits=_DIGITS)
    value = ctucbvi.evaluate(best.policy(), semantics, digits=_DIGITS)
    tolerance = max(model.value_scale, Fraction(1)) / 10**_DIGITS
    for state in model.states:
        assert abs(value.value(state).mid - best.value(state).mid) <= tolerance


@given(model=models(max_states=3, max_load=6, rewards="nonnegative", terminal=False), semantics=both)
def test_truncation_caps_the_value_and_costs_nothing_where_rewards_are_at_most_one(model, semantics):
    free = ctucbvi.solve(model, semantics, digits=_DIGITS)
    capped = ctucbvi.solve(model, semantics, digits=_DIGITS, truncate=True)
    for state in model.states:
        for t in (model.horizon / 3, model.horizon):
            assert at_most(capped.value(state, t), free.value(state, t))
            assert capped.value(state, t).lower <= t
            if all(row.reward <= 1 for row in model.transitions):
                assert capped.value(state, t).overlaps(free.value(state, t))


@given(
    model=models(max_states=3, max_load=20),
    semantics=both,
    truncate=st.booleans(),
    bits=st.sampled_from([64, 100, 200]),
)
def test_what_is_claimed_with_few_bits_is_true(model, semantics, truncate, bits):
    rough = ctucbvi.solve(model, semantics, digits=1, truncate=truncate, budget=Budget(max_bits=bits))
    sharp = ctucbvi.solve(model, semantics, digits=40, truncate=truncate)
    ends = [to_fraction(piece.end) for piece in rough.pieces]
    near = [e + d * model.horizon for e in ends for d in (-Fraction(1, 10**20), 0, Fraction(1, 10**20))]
    for state in model.states:
        for t in (t for t in [model.horizon / 3, *near] if 0 <= t <= model.horizon):
            assert rough.value(state, t).overlaps(sharp.value(state, t))
            claims = [
                set(s.actions)
                for solution in (rough, sharp)
                for s in solution.segments(state)
                if s.proved and s.start.upper < t < s.end.lower
            ]
            assert all(claim == claims[0] for claim in claims)
        for switch in (s for s in rough.switches if s.state == state):
            doubts = [s for s in sharp.segments(state) if not s.proved]
            seen = [s.time for s in sharp.switches if s.state == state]
            assert doubts or any(switch.time.overlaps(time) for time in seen)
