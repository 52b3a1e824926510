"""Laws of value iteration, against the fixed point that the exact planner finds another way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import ValueIteration
from ctucbvi.exact.iteration_bounds import contraction_bound, erlang_bound
from ctucbvi.strategies import corner_models, models, times
from tests.laws.planner_laws import at_most

_LAST = 3


@given(model=models(max_states=2, max_load=3, rewards="nonnegative", terminal=False), data=st.data())
def test_iterates_increase_to_the_value_with_errors_below_both_bounds(model, data):
    t = data.draw(times(model))
    best = ctucbvi.solve(model, digits=12)
    iterates = ValueIteration(model, bits=64)
    for state in model.states:
        value = best.value(state, t)
        for n in range(_LAST):
            now = iterates[n].value(state, t)
            assert at_most(now, iterates[n + 1].value(state, t))
            assert at_most(now, value)
            error = (value - now).lower
            assert error <= erlang_bound(model, n, t).upper
            assert n == 0 or error <= contraction_bound(model, n)


@given(model=models(max_states=2, max_load=3), data=st.data())
def test_the_erlang_bound_holds_for_any_rewards_and_terminal_rewards(model, data):
    t = data.draw(times(model))
    best, iterates = ctucbvi.solve(model, digits=12), ValueIteration(model, bits=64)
    for state in model.states:
        for n in (0, _LAST):
            gap = best.value(state, t) - iterates[n].value(state, t)
            bound = erlang_bound(model, n, t).upper
            assert gap.lower <= bound
            assert gap.upper >= -bound


def test_a_bound_for_one_iteration_more_is_caught():
    # The mutant: claiming after n iterations what holds after n + 1.
    # One state that jumps to itself: the Erlang bound is attained there.
    model = corner_models()["one-state"]
    best, iterates = ctucbvi.solve(model, digits=12), ValueIteration(model, bits=64)
    gaps = [(best.value("x") - iterates[n].value("x", 1)).lower for n in range(4)]
    assert all(gap <= erlang_bound(model, n, 1).upper for n, gap in enumerate(gaps))
    assert all(gap > erlang_bound(model, n + 1, 1).upper for n, gap in enumerate(gaps))
