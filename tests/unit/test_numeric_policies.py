from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import Policy, Semantics
from ctucbvi.library import machine_repair
from ctucbvi.numeric import certify, evaluate_numeric, solve_numeric
from ctucbvi.strategies import models, policies


def with_double_breakpoints(policy: Policy) -> Policy:
    rules = tuple(tuple((Fraction(float(t)), a) for t, a in rule) for rule in policy.rules)
    return Policy(policy.model, rules)


@given(model=models(max_states=3, max_load=10), semantics=st.sampled_from(list(Semantics)), data=st.data())
def test_the_proved_bound_holds_for_the_value_of_a_policy(model, semantics, data):
    policy = with_double_breakpoints(data.draw(policies(model)))
    proof = certify(evaluate_numeric(policy, semantics, tolerance=1e-8))
    exact = ctucbvi.evaluate(policy, semantics, digits=16)
    assert proof.bound <= 1e-7 * max(1, float(model.value_scale))
    for state in model.states:
        for t in (Fraction(0), model.horizon * Fraction(3, 7), model.horizon):
            assert proof.value(state, t).overlaps(exact.value(state, t))


def test_the_loss_of_a_policy_is_proved():
    model = machine_repair()
    policy = Policy.of(model, {"operating": [(0, "fast"), ("1/2", "slow")], "repair": "fast"})
    for semantics in Semantics:
        worth = certify(evaluate_numeric(policy, semantics)).value("operating")
        best = certify(solve_numeric(model, semantics)).value("operating")
        exact = ctucbvi.solve(model, semantics).value("operating") - ctucbvi.evaluate(
            policy, semantics
        ).value("operating")
        loss = best - worth
        assert 0 < loss.lower <= exact.mid <= loss.upper < 0.1


def test_a_policy_that_is_not_followed_is_refused():
    model = machine_repair()
    policy = Policy.of(model, {"operating": [(0, "fast"), ("1/2", "slow")], "repair": "fast"})
    other = Policy.of(model, {"operating": [(0, "slow"), ("1/2", "fast")], "repair": "fast"})
    solution = evaluate_numeric(policy)
    with pytest.raises(ctucbvi.InputError, match="does not follow the policy in state 'operating'"):
        certify(replace(solution, policy=other))
    third = Policy.of(model, {"operating": [(0, "fast"), ("1/3", "slow")], "repair": "fast"})
    with pytest.raises(ctucbvi.InputError, match="not a double"):
        certify(evaluate_numeric(third))
    quarter = Policy.of(model, {"operating": [(0, "fast"), ("1/4", "slow")], "repair": "fast"})
    with pytest.raises(ctucbvi.InputError, match="do not fit the breakpoints"):
        certify(replace(solution, policy=quarter))
    # Taken for optimal, the same polynomials get an honest and large bound.
    assert certify(replace(solution, policy=None)).bound > 1e-3
