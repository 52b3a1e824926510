"""One shape for every planner's answer, and doubts as data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

import ctucbvi
from ctucbvi import Budget, Doubt, Enclosure, Semantics, UndecidedError, second_opinion
from ctucbvi.library import machine_repair, maintenance, queue
from ctucbvi.numeric import NumericBudget, solve_certified
from ctucbvi.solutions import About, Answer, document, switches_of, values_at
from tests.hostile import contact

PLANNERS = {
    "exact": lambda model, semantics: ctucbvi.solve(model, semantics, digits=15),
    "numeric": lambda model, semantics: solve_certified(model, semantics, tolerance=1e-9),
    "second": lambda model, semantics: second_opinion.solve(model, semantics, digits=15),
}
planners = pytest.mark.parametrize("planner", PLANNERS)
both = pytest.mark.parametrize("semantics", list(Semantics))


def in_shape(answer: Answer) -> bool:
    """Segments from 0 to the horizon without a gap, with a switch wherever two of them meet."""
    horizon = answer.model.horizon
    for state in answer.model.states:
        line = answer.segments(state)
        if line[0].start != Enclosure(Fraction(0), Fraction(0)) or abs(line[-1].end.mid - horizon) > 1e-12:
            return False
        if any(a.end != b.start for a, b in pairwise(line)):
            return False
        met = [(a.actions, b.actions, b.start) for a, b in pairwise(line)]
        if met != [(s.before, s.after, s.time) for s in answer.switches if s.state == state]:
            return False
    return all(a.time.mid <= b.time.mid for a, b in pairwise(answer.switches))


@planners
@both
@pytest.mark.parametrize("model", [machine_repair(), maintenance(), queue()], ids=lambda model: model.name)
def test_every_planner_answers_in_the_same_shape(planner, semantics, model):
    answer, exact = PLANNERS[planner](model, semantics), ctucbvi.solve(model, semantics, digits=20)
    assert (answer.model, answer.semantics, answer.undecided) == (model, semantics, ())
    assert in_shape(answer)
    assert [(s.state, s.before, s.after) for s in answer.switches] == [
        (s.state, s.before, s.after) for s in exact.switches
    ]
    for state in model.states:
        assert answer.value(state).overlaps(exact.value(state))
        assert answer.value(state, model.horizon / 3).overlaps(exact.value(state, model.horizon / 3))


def test_a_segment_that_is_lost_is_noticed():
    answer = PLANNERS["second"](machine_repair(), Semantics.COMMITTED)
    assert in_shape(answer)
    del answer.switches[0]
    assert not in_shape(answer)


def shown(answer, points, engine, digits=9):
    return document(answer, values_at(answer, points), engine=engine, digits=digits, seconds=0.0)


def keys(entry: object) -> object:
    """The names in a document, without what they stand for."""
    if isinstance(entry, dict):
        return {name: keys(part) for name, part in entry.items()}
    return [keys(part) for part in entry] if isinstance(entry, list) else None


@both
def test_the_documents_have_the_same_fields(semantics):
    model = machine_repair()
    points = [("operating", Fraction(1)), ("repair", Fraction(1, 3))]
    shapes = [keys(shown(plan(model, semantics), points, engine=name)) for name, plan in PLANNERS.items()]
    assert shapes[0] == shapes[1] == shapes[2]


def test_what_is_not_proved_says_so():
    model, points = machine_repair(), [("operating", Fraction(1))]
    exact, numeric = (
        shown(PLANNERS[name](model, "committed"), points, engine=name) for name in ("exact", "numeric")
    )
    assert (exact["times"], numeric["times"]) == ("certified", "not certified")
    assert all(s["proved"] is True for line in exact["policy"].values() for s in line)
    assert all(s["proved"] is False for line in numeric["policy"].values() for s in line)
    assert [s["lower"] is None for s in (*exact["switches"], *numeric["switches"])] == [False] * 2 + [
        True
    ] * 2
    assert exact["bound"] is None
    assert 0 < numeric["bound"] < 1e-9


# --- doubts --------------------------------------------------------------------------------


def test_a_doubt_is_data_and_a_sentence():
    time = Enclosure(Fraction(1, 3), Fraction(1, 2))
    assert str(Doubt(About.BUDGET, "5 steps are not enough")) == "5 steps are not enough"
    value = Doubt(
        About.VALUE, "has fewer than 9 digits", "x", between=Enclosure(Fraction(1, 3), Fraction(1, 3))
    )
    assert str(value) == "V(x, 1/3) has fewer than 9 digits"
    apart = Doubt(About.ACTIONS, "at 64 bits", "x", ("a", "b"), time)
    assert str(apart) == "x: a, b cannot be told apart for t in [0.333333, 0.500000] at 64 bits"
    late = Doubt(
        About.SWITCH, "has fewer than 9 digits", "x", ("a", "b"), Enclosure(Fraction(1, 2), Fraction(1, 2))
    )
    assert str(late) == "x: the switch near t = 0.500000 has fewer than 9 digits"


def test_actions_that_cannot_be_told_apart_are_a_doubt_with_its_place():
    solution = ctucbvi.solve(contact(2), digits=15)
    (doubt,) = solution.undecided
    (segment,) = [s for s in solution.segments("x") if not s.proved]
    assert (doubt.what, doubt.state, doubt.actions) == (About.ACTIONS, "x", segment.actions)
    assert doubt.between == Enclosure(segment.start.mid, segment.end.mid)
    told = shown(solution, [("x", Fraction(1))], engine="exact", digits=15)
    assert told["undecided"] == [str(doubt)]
    (data,) = told["doubts"]
    assert {name: data[name] for name in ("what", "state", "actions", "why")} == {
        "what": "actions",
        "state": "x",
        "actions": ["a", "b"],
        "why": doubt.why,
    }
    assert abs(Fraction(data["from"]) - doubt.between.lower) < Fraction(1, 10**14)


def test_a_budget_that_is_out_is_a_doubt_of_either_planner():
    model = machine_repair()
    with pytest.raises(UndecidedError) as caught:
        ctucbvi.solve(model, digits=15, budget=Budget(steps=1))
    stopped, *rest = caught.value.known.undecided
    assert (stopped.what, stopped.state) == (About.BUDGET, None)
    assert {(d.what, d.state) for d in rest} >= {(About.VALUE, state) for state in model.states}
    told: list[str] = []
    busy = replace(
        model.with_horizon(10**6),
        transitions=tuple(replace(r, rate=r.rate * 10**6) for r in model.transitions),
    )
    with pytest.raises(UndecidedError) as caught:
        solve_certified(busy, tolerance=1e-2, budget=NumericBudget(seconds=0.2, tell=told.append))
    assert "to keep all of the march" in told[0]
    (stopped,) = caught.value.known.undecided
    assert stopped == Doubt(About.BUDGET, str(caught.value))


def test_a_tolerance_that_is_missed_is_a_doubt():
    far = machine_repair().with_rewards(scale=10**6)
    certificate = solve_certified(far, tolerance=1.1e-8)
    assert certificate.bound > 1.1e-8
    (doubt,) = certificate.undecided
    assert (doubt.what, doubt.state) == (About.VALUE, None)
    assert solve_certified(far, tolerance=1e-3).undecided == ()


def test_switches_are_sorted_by_time_and_then_by_state():
    a, b = (PLANNERS["numeric"](machine_repair(), "committed").segments(x) for x in ("operating", "repair"))
    assert [s.state for s in switches_of([("operating", a), ("repair", b)])] == ["repair", "operating"]
    assert [s.state for s in switches_of([("one", a), ("two", a)])] == ["one", "two"]
