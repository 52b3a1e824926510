from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import Policy, Semantics
from ctucbvi import second_opinion as second
from ctucbvi.library import machine_repair
from ctucbvi.strategies import models, policies, times

both = st.sampled_from(list(Semantics))


def agrees(policy: Policy, semantics: Semantics, t: Fraction, evaluate=ctucbvi.evaluate) -> bool:
    opinion = second.evaluate(policy.model, policy, semantics, digits=18)
    values = evaluate(policy, semantics, digits=15)
    return all(values.value(x, t).overlaps(opinion.value(x, t)) for x in policy.model.states)


@given(model=models(max_states=3, max_load=6), semantics=both, data=st.data())
def test_evaluation_agrees_with_mpmath(model, semantics, data):
    policy = data.draw(policies(model))
    # Committed values jump at the breakpoints of the policy; doubles would blur which side is meant.
    t = data.draw(times(model))
    if t not in policy.breakpoints:
        assert agrees(policy, semantics, t)


def test_evaluation_with_the_wrong_semantics_is_caught():
    policy = Policy.of(machine_repair(), {"operating": [(0, "fast"), ("1/2", "slow")], "repair": "fast"})
    swap = {Semantics.COMMITTED: Semantics.ADJUSTABLE, Semantics.ADJUSTABLE: Semantics.COMMITTED}
    for semantics in Semantics:
        assert agrees(policy, semantics, Fraction(1))

        def wrong(policy, semantics, **options):
            return ctucbvi.evaluate(policy, swap[semantics], **options)

        assert not agrees(policy, semantics, Fraction(1), wrong)


def test_a_breakpoint_off_by_a_billionth_is_caught():
    model = machine_repair()

    def policy(at: Fraction) -> Policy:
        return Policy.of(model, {"operating": [(0, "fast"), (at, "slow")], "repair": "fast"})

    def shifted(original, semantics, **options):
        return ctucbvi.evaluate(policy(Fraction(1, 2) + Fraction(1, 10**9)), semantics, **options)

    half = policy(Fraction(1, 2))
    assert agrees(half, Semantics.COMMITTED, Fraction(1))
    assert not agrees(half, Semantics.COMMITTED, Fraction(1), shifted)


def test_the_committed_value_jumps_where_the_policy_does_and_belongs_to_the_later_piece():
    model = machine_repair()
    policy = Policy.of(model, {"operating": [(0, "slow"), ("1/4", "fast")], "repair": "slow"})
    values = ctucbvi.evaluate(policy, digits=15)
    tiny = Fraction(1, 10**12)
    before, at, after = (values.value("operating", Fraction(1, 4) + d).mid for d in (-tiny, 0, tiny))
    assert abs(at - after) < Fraction(1, 10**10)
    assert abs(at - before) > Fraction(1, 1000)
    # Adjustable values are continuous.
    smooth = ctucbvi.evaluate(policy, "adjustable", digits=15)
    left, right = (smooth.value("operating", Fraction(1, 4) + d).mid for d in (-tiny, tiny))
    assert abs(left - right) < Fraction(1, 10**10)


def test_one_action_forever_has_its_closed_form():
    # Two states, one action: v = gain t + bias part; against the optimum of the one-action model.
    model = machine_repair()
    policy = Policy.of(model, {"operating": "slow", "repair": "slow"})
    only = ctucbvi.CTMDP.of(
        "slow", horizon=1, transitions=[t for t in model.transitions if t.action == "slow"]
    )
    for semantics in Semantics:
        value = ctucbvi.evaluate(policy, semantics, digits=25).value("operating")
        assert value.overlaps(ctucbvi.solve(only, semantics, digits=25).value("operating"))
        assert value.has_digits(25)


def test_many_digits_and_bad_requests():
    policy = Policy.of(machine_repair(), {"operating": "slow", "repair": "slow"})
    assert ctucbvi.evaluate(policy, digits=200).value("repair").radius < Fraction(1, 10**200)
    with pytest.raises(ctucbvi.InputError, match="digits: 0"):
        ctucbvi.evaluate(policy, digits=0)
    with pytest.raises(ctucbvi.InputError, match="semantics"):
        ctucbvi.evaluate(policy, "other")
