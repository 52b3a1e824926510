"""Policies: half-open pieces, merged neighbours, clear refusals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi.errors import InputError, PolicyError
from ctucbvi.library import machine_repair
from ctucbvi.policy import Policy
from ctucbvi.strategies import models, policies, times

MODEL = machine_repair()


def test_pieces_are_half_open() -> None:
    policy = Policy.of(MODEL, {"operating": [(0, "fast"), ("1/3", "slow")], "repair": "fast"})
    third = Fraction(1, 3)
    assert policy.action("operating", 0) == "fast"
    assert policy.action("operating", third - Fraction(1, 10**30)) == "fast"
    assert policy.action("operating", third) == "slow"
    assert policy.action("operating", 1) == "slow"
    assert policy.action("repair", "0.5") == "fast"
    assert policy.breakpoints == (third,)


def test_equal_neighbours_are_merged() -> None:
    pieces = [(0, "slow"), ("1/4", "slow"), ("1/2", "fast"), ("3/4", "fast")]
    policy = Policy.of(MODEL, {"operating": pieces, "repair": "slow"})
    assert policy == Policy.of(MODEL, {"repair": "slow", "operating": [(0, "slow"), ("0.5", "fast")]})
    assert policy.breakpoints == (Fraction(1, 2),)
    same = Policy.of(MODEL, {"repair": "slow", "operating": [(0, "slow"), ("1/2", "fast")]})
    assert hash(policy) == hash(same)


def test_breakpoints_of_all_states_are_sorted_and_distinct() -> None:
    policy = Policy.of(
        MODEL,
        {
            "operating": [(0, "slow"), ("1/2", "fast"), ("3/4", "slow")],
            "repair": [(0, "fast"), ("1/4", "slow"), ("1/2", "fast")],
        },
    )
    assert policy.breakpoints == (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


def scanned(policy: Policy, state: str, t: Fraction, *, closed_left: bool = True) -> str:
    """The action by a scan over the pieces; ``closed_left=False`` is the mutant."""
    rule = policy.rules[policy.model.states.index(state)]
    return [a for start, a in rule if start < t or (start == t and (closed_left or t == 0))][-1]


@given(st.data())
def test_action_agrees_with_a_scan(data: st.DataObject) -> None:
    model = data.draw(models())
    policy = data.draw(policies(model))
    for t in {data.draw(times(model)), *policy.breakpoints}:
        for state in model.states:
            assert policy.action(state, t) == scanned(policy, state, t)


def test_the_scan_tells_the_conventions_apart() -> None:
    policy = Policy.of(MODEL, {"operating": [(0, "fast"), ("1/3", "slow")], "repair": "fast"})
    third = Fraction(1, 3)
    assert policy.action("operating", third) != scanned(policy, "operating", third, closed_left=False)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("turbo", "policy of state 'operating': 'turbo' is not on offer; choose from: slow, fast"),
        ([], "policy of state 'operating': the first piece must start at remaining time 0"),
        ([("1/2", "slow")], "policy of state 'operating': the first piece must start at remaining time 0"),
        ([(0, "slow"), (0, "fast")], "policy of state 'operating': times must increase, but 0 follows 0"),
        ([(0, "slow"), ("1/2", "fast"), ("1/4", "slow")], "times must increase, but 1/4 follows 1/2"),
        ([(0, "slow"), (1, "fast")], "policy of state 'operating': time 1 is not below the horizon 1"),
        ([(0, "slow"), ("x", "fast")], "policy of state 'operating': time: 'x' is not a number"),
        ([(-1, "slow")], "policy of state 'operating': the first piece must start at remaining time 0"),
    ],
)
def test_bad_rules_are_refused(rule, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Policy.of(MODEL, {"operating": rule, "repair": "slow"})
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_states_must_match() -> None:
    with pytest.raises(PolicyError, match="no action for state 'repair'; give one for every state"):
        Policy.of(MODEL, {"operating": "slow"})
    with pytest.raises(InputError, match="state 'idle' is not in model 'machine-repair'; choose from: op"):
        Policy.of(MODEL, {"operating": "slow", "repair": "slow", "idle": "slow"})


def test_times_outside_the_horizon_are_refused() -> None:
    policy = Policy.of(MODEL, {"operating": "slow", "repair": "slow"})
    for t in (-1, "1.0000001", Fraction(2)):
        with pytest.raises(InputError, match=r"^remaining time .* is outside \[0, 1\]"):
            policy.action("repair", t)
    with pytest.raises(InputError, match="state 'idle' is not in model"):
        policy.action("idle", 0)
