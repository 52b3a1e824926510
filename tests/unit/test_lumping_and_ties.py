from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq

import ctucbvi
from ctucbvi import CTMDP, Semantics, Transition
from ctucbvi.exact.lumping import lump, unlumped
from ctucbvi.exact.problem import Problem, Regime
from ctucbvi.exact.start import opening
from ctucbvi.exact.ties import Flow, Relations
from ctucbvi.library import lower_bound_tree, machine_repair
from ctucbvi.strategies import corner_models

T = Transition.of
both = pytest.mark.parametrize("semantics", list(Semantics))


def test_the_leaves_of_a_tree_are_one_state_but_for_the_special_one():
    model = lower_bound_tree(3, 3, "1/8", 5, rate=1, horizon=2)
    assert len(model.states) == 15
    assert lump(model).size < 9
    assert unlumped(model).size == 15


def test_states_that_differ_in_one_probability_are_kept_apart():
    rows = [
        T("x", "a", rate=1, reward=1, to={"z": "1/2", "w": "1/2"}),
        T("y", "a", rate=1, reward=1, to={"z": "501/1000", "w": "499/1000"}),
        T("z", "a", rate=0, reward=1),
        T("w", "a", rate=0, reward=0),
    ]
    assert lump(CTMDP.of("near", horizon=1, transitions=rows)).size == 4
    rows[1] = T("y", "b", rate=1, reward=1, to={"w": "1/2", "z": "1/2"})
    assert lump(CTMDP.of("same", horizon=1, transitions=rows)).size == 3


def test_a_self_loop_is_not_a_stay_for_the_committed_problem():
    # x jumps to itself at rate 1, y never jumps: equal values, but different decision epochs.
    rows = [T("x", "a", rate=1, reward=1, to={"x": 1}), T("y", "a", rate=0, reward=1)]
    assert lump(CTMDP.of("loop", horizon=1, transitions=rows)).size == 2


def test_where_an_action_would_jump_does_not_matter_if_it_never_does():
    rows = [
        T("x", "wait", rate=0, reward=1, to={"x": 1}),
        T("x", "pause", rate=0, reward=1, to={"y": 1}),
        T("x", "go", rate=1, reward=2, to={"y": 1}),
        T("y", "a", rate=2, reward="-1/2", to={"x": "1/2", "y": "1/2"}),
    ]
    model = CTMDP.of("never", horizon=9, transitions=rows)
    assert len(lump(model).pairs) == 3
    (switch,) = ctucbvi.solve(model, digits=12).switches
    assert set(switch.after) == {"wait", "pause"}


@both
def test_lumping_changes_no_value(semantics):
    model = lower_bound_tree(2, 3, "1/8", 3, rate=2, horizon=2)
    policy = ctucbvi.solve(model, semantics, digits=20)
    value = ctucbvi.evaluate(policy.policy(), semantics, digits=20)  # not lumped
    for state in model.states:
        assert value.value(state).overlaps(policy.value(state))


def test_the_first_regime_is_the_one_just_after_time_zero():
    model = machine_repair()
    for semantics in Semantics:
        problem = Problem.of(lump(model), semantics, truncate=False)
        best = opening(problem).regime.best
        names = [model.actions[problem.quotient.pairs[i].action] for i in best]
        assert names == ["fast", "slow"]  # the larger reward rate, in both states
    touching = Problem.of(lump(corner_models()["touching-at-zero"]), Semantics.COMMITTED, truncate=False)
    assert sorted(opening(touching).order.values()) == [2]  # equal in value and slope


def test_the_first_regime_sees_the_cap():
    model = machine_repair().with_rewards(scale=2)
    problem = Problem.of(lump(model), Semantics.COMMITTED, truncate=True)
    assert opening(problem).regime.capped == (True, False)


def _late_tie() -> CTMDP:
    """State z earns nothing whatever it does, at two speeds; x and y switch meanwhile."""
    return CTMDP.of(
        "late",
        horizon=2,
        transitions=[
            T("x", "a", rate=1, reward=1, to={"y": 1}),
            T("x", "b", rate=4, reward="6/5", to={"y": 1}),
            T("y", "a", rate=2, reward="1/10", to={"x": 1}),
            T("y", "b", rate=1, reward="1/2", to={"z": 1}),
            T("z", "a", rate=1, reward=0, to={"z": 1}),
            T("z", "b", rate=2, reward=0, to={"z": 1}),
        ],
    )


@both
def test_a_tie_survives_switches_elsewhere(semantics):
    solution = ctucbvi.solve(_late_tie(), semantics, digits=30)
    assert solution.switches
    (segment,) = solution.segments("z")
    assert (segment.actions, segment.proved) == (("a", "b"), True)
    assert solution.undecided == ()


@both
def test_a_tie_lasts_beyond_the_first_stride(semantics):
    rows = [
        T("x", "a", rate=50, reward=0, to={"y": 1}),
        T("x", "b", rate=90, reward=0, to={"y": 1}),
        T("y", "a", rate=0, reward=0),
    ]
    solution = ctucbvi.solve(CTMDP.of("long", horizon=20, transitions=rows), semantics, digits=10)
    assert len(solution.pieces) > 1
    (segment,) = solution.segments("x")
    assert (segment.actions, segment.proved) == (("a", "b"), True)


def test_a_tie_that_ends_with_a_regime_is_not_carried_on():
    # While y waits, jumping to y or to w is the same; after y's switch it is not.
    model = CTMDP.of(
        "ends",
        horizon=3,
        transitions=[
            T("x", "a", rate=1, reward=0, to={"y": 1}),
            T("x", "b", rate=1, reward=0, to={"w": 1}),
            T("y", "wait", rate=0, reward="1/2"),
            T("y", "invest", rate=2, reward=0, to={"rich": 1}),
            T("w", "wait", rate=0, reward="1/2"),
            T("rich", "wait", rate=0, reward=1),
        ],
    )
    solution = ctucbvi.solve(model, digits=20)
    switch = next(s for s in solution.switches if s.state == "y")
    first, *_, last = solution.segments("x")
    assert (first.actions, first.proved) == (("a", "b"), True)
    assert (last.actions, last.proved) == (("a",), True)
    assert first.end.lower <= switch.time.upper


def test_relations_are_closed_under_the_flow_or_refused():
    problem = Problem.of(unlumped(_late_tie()), Semantics.COMMITTED, truncate=False)
    flow = Flow(problem, Regime((0, 2, 4), (False, False, False)))
    tie = flow.margin((2, 5))
    assert Relations([tie]).last(tie, flow)
    other = flow.margin((0, 1))
    assert not Relations([other]).last(other, flow)
    assert Relations([tie, other]).implies({i: 3 * c for i, c in tie.items()})
    assert not Relations([tie]).implies(other)
    assert Relations().last({}, flow)
    assert other == {0: fmpq(1), 1: fmpq(-1)}


def test_a_wrong_tie_would_be_seen_in_the_values():
    # The mutant: a tie declared between actions of different worth would make these overlap.
    solution = ctucbvi.solve(_late_tie(), digits=20)
    a, b = (solution.commitment_value("x", action, 2) for action in "ab")
    assert not a.overlaps(b)
    tied = [solution.commitment_value("z", action, 2) for action in "ab"]
    assert tied[0].overlaps(tied[1])
    assert abs(tied[0].mid) < Fraction(1, 10**20)


def _tie_that_begins_at_a_cap() -> CTMDP:
    """In x both actions rise alike as soon as the value of y is capped, and ``b`` rises faster before."""
    return CTMDP.of(
        "resting",
        horizon=1,
        terminal={"y": "-1/4"},
        transitions=[
            T("x", "a", rate=5, reward=2, to={"x": "1/2", "y": "1/2"}),
            T("x", "b", rate="1/2", reward=2, to={"y": 1}),
            T("y", "go", rate=0, reward=2),
        ],
    )


def test_a_tie_that_begins_where_a_value_reaches_its_cap_begins_once(monkeypatch):
    model = _tie_that_begins_at_a_cap()
    solution = ctucbvi.solve(model, "adjustable", digits=20, truncate=True)
    assert solution.undecided == ()
    (switch,) = solution.switches
    assert (switch.before, switch.after) == (("b",), ("a", "b"))
    assert switch.time.contains(Fraction(1, 4))  # -1/4 + 2t = t
    assert [s.proved for s in solution.segments("x")] == [True, True]
    # The mutant: nothing is known of the margin on the way into the cap.
    monkeypatch.setattr(Relations, "factor", lambda *_: None)
    assert ctucbvi.solve(model, "adjustable", digits=20, truncate=True).undecided != ()


def test_multiples_are_those_that_are_known_to_be():
    known = Relations([{0: fmpq(1), 1: fmpq(-1)}])
    assert known.factor({0: fmpq(3), 2: fmpq(-3)}, {1: fmpq(-1), 2: fmpq(1)}) == -3
    assert known.factor({0: fmpq(3), 2: fmpq(-2)}, {1: fmpq(-1), 2: fmpq(1)}) is None
    assert known.factor({2: fmpq(1)}, {0: fmpq(1), 1: fmpq(-1)}) is None
    assert known.factor({3: fmpq(1)}, {2: fmpq(1)}) is None
