"""Is it CT-UCBVI?  Right learners pass, of wrong ones the first difference is the cause."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from ctucbvi import CTMDP, InputError, Transition, bundled_model
from ctucbvi.learning import Environment, Episode, Report, Settings, WholeEpisodes
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.lockstep import Checker
from ctucbvi.learning.settings import JUMPS, RATES
from tests.own_learners import (
    LogarithmHalved,
    RadiusHalved,
    RadiusNotDoubled,
    Reporting,
    ReportingSets,
    StaleCounts,
    ValuesTruncatedTwice,
    WorstAction,
)

MACHINE = bundled_model("machine-repair")


def told(**settings) -> Settings:
    return Settings.for_model(MACHINE, episodes=100, **settings)


def checked(learner, settings: Settings, episodes: int, **options) -> list:
    checker = Checker(MACHINE, settings, **options)
    return list(checker.play(learner, Environment(MACHINE, seed=2), episodes))


@pytest.mark.parametrize("settings", [{}, {"bonus": "none"}, {"bonus": "sharp"}])
def test_a_right_learner_passes_with_all_it_says(settings):
    given = told(**settings)
    found = checked(Reporting(LocatedLearner(MACHINE, given)), given, 5)
    assert [d for step in found for d in step.differences] == []
    for step in found:
        kinds = {"plan": 1, "estimate": 4 * 7, "bonus": 4, "iterations": 1, "value": 4}
        assert step.compared == {**kinds, "action": len(step.drawn.visits)}


@pytest.mark.parametrize("settings", [{"bonus": "optimistic"}, {"bonus": "none", "replan": "1/2"}])
def test_the_exact_learner_passes_whatever_it_is(settings):
    given = told(**settings)
    found = checked(WholeEpisodes(ExactLearner(MACHINE, given)), given, 4)
    assert [d for step in found for d in step.differences] == []
    assert all(step.compared == {"action": len(step.drawn.visits)} for step in found)


@pytest.mark.parametrize(
    ("wrong", "episode", "kind", "where"),
    [
        (RadiusHalved, 1, "bonus", "operating/slow"),
        (WorstAction, 1, "action", "operating@1"),
        (StaleCounts, 2, "estimate", "operating/fast time"),
    ],
)
def test_the_first_difference_of_a_wrong_learner_is_its_mistake(wrong, episode, kind, where):
    found = checked(Reporting(wrong(MACHINE, told())), told(), 3)
    first = next(d for step in found for d in step.unexplained)
    assert (first.episode, first.kind, first.where) == (episode, kind, where)
    if kind == "bonus":
        assert first.gap == pytest.approx(float(first.exact) / 2)


SETS = [{"rates": rates, "jumps": jumps} for rates in RATES for jumps in JUMPS]


def in_the_end(settings: Settings, wrong=ReportingSets) -> list:
    """The optimistic learner after some episodes of both actions, when its sets are not everything."""
    learner, checker = wrong(ExactLearner(MACHINE, settings)), Checker(MACHINE, settings)
    for episode in MIXED:
        learner.learner.observe(episode)
        checker.exact.observe(episode)
    said = Report.of(MACHINE, learner.report())
    return [checker.check(Environment(MACHINE, seed=2).episode(learner.learner.choose), said)]


def mixed() -> list[Episode]:
    """Forty episodes in which all four pairs are seen."""
    world, random = Environment(MACHINE, seed=7), Random(7)
    return [world.episode(lambda x, t: random.choice(["slow", "fast"])) for _ in range(40)]


MIXED = mixed()


@pytest.mark.parametrize("sets", SETS, ids=lambda s: "-".join(s.values()))
def test_a_right_optimistic_learner_passes_with_its_sets(sets):
    given = told(bonus="optimistic", delta="1/2", **sets)
    from_the_start = checked(ReportingSets(ExactLearner(MACHINE, given)), given, 1)
    for step in (*from_the_start, *in_the_end(given)):
        assert step.differences == ()
        assert step.compared == {"set": 4 * 3, "value": 2, "action": len(step.drawn.visits)}


@pytest.mark.parametrize(
    ("wrong", "kind", "where", "sets"),
    [
        *((LogarithmHalved, "set", "operating/slow low", sets) for sets in SETS),
        *((RadiusNotDoubled, "set", "operating/slow radius", sets) for sets in SETS),
        (ValuesTruncatedTwice, "value", "operating@1", SETS[0]),
    ],
)
def test_the_first_difference_of_a_wrong_optimistic_learner_is_its_mistake(wrong, kind, where, sets):
    found = in_the_end(told(bonus="optimistic", delta="1/2", **sets), wrong)
    first = found[0].unexplained[0]
    assert (first.kind, first.where) == (kind, where)
    assert first.gap == pytest.approx(abs(float(first.fast) - float(first.exact)), rel=1e-6)


@pytest.mark.parametrize(
    ("jumps", "seen", "radius", "right"),
    [
        ("l1", False, None, True),
        ("l1", False, 2, True),
        ("l1", False, 17, True),
        ("l1", False, 1.9, False),
        ("l1", True, None, False),
        ("kl", False, None, True),
        ("kl", False, 2, False),
        ("kl", True, None, False),
    ],
)
def test_a_set_of_all_vectors_is_compared_as_what_it_holds(jumps, seen, radius, right):
    given = told(bonus="optimistic", delta="1/2", jumps=jumps)
    checker = Checker(MACHINE, given)
    for episode in MIXED if seen else []:
        checker.exact.observe(episode)
    pair = {"state": "operating", "action": "slow", "radius": radius}
    said = Report.of(MACHINE, {"pairs": [pair]})
    found = checker.check(MIXED[0], said)
    assert found.compared["set"] == 1
    assert [d.kind for d in found.differences].count("set") == (0 if right else 1)


def test_small_units_are_no_excuse():
    """With a rate of 1e-12 per unit of time every rate is small; a wrong one is a difference all the same."""
    tiny, long = Fraction(1, 10**12), 10**12
    slow = CTMDP.of(
        "slow",
        horizon=long,
        transitions=[Transition.of("here", "go", rate=tiny, reward=1, to={"here": 1})],
    )
    checker = Checker(slow, Settings.for_model(slow, episodes=10))
    one = Episode.of(slow, [("here", "go", Fraction(long, 2), "here")], ("here", "go"))
    checker.check(one, Report())
    right = {"state": "here", "action": "go", "rate": 1e-12, "time": 1e12}
    assert checker.check(one, Report.of(slow, {"pairs": [right]})).differences == ()
    wrong = Report.of(slow, {"pairs": [right | {"rate": 2e-12, "time": 2e12 + 1}]})
    assert [d.where for d in checker.check(one, wrong).unexplained] == ["here/go rate"]


def test_a_wrong_learner_is_found_by_its_actions_alone():
    """Stale counts, nothing reported: what it does is enough, later."""
    found = checked(WholeEpisodes(StaleCounts(MACHINE, told())), told(), 12)
    assert {d.kind for step in found for d in step.unexplained} == {"action"}


def twins() -> CTMDP:
    """Two actions that are the same."""
    rows = [Transition.of("here", name, rate=2, reward="1/2", to={"there": 1}) for name in ("one", "two")]
    back = Transition.of("there", "one", rate=1, reward=0, to={"here": 1})
    return CTMDP.of("twins", horizon=1, transitions=[*rows, back])


class SecondOfTwins:
    def begin(self, episode):
        return None

    def act(self, state, remaining):
        return "two" if state == "here" else "one"

    def observe(self, visit):
        self.seen = visit


def test_a_tie_explains_another_action():
    model = twins()
    checker = Checker(model, Settings.for_model(model, episodes=10))
    (first,) = checker.play(SecondOfTwins(), Environment(model, seed=1), 1)
    assert first.unexplained == ()
    assert {(d.kind, d.why, d.explained) for d in first.differences} == {("action", "a tie", True)}


def test_what_stays_undecided_explains_and_what_is_decided_does_not(monkeypatch):
    learner = SecondOfTwins()
    learner.act = lambda state, remaining: "slow"
    monkeypatch.setattr(ExactLearner, "best", lambda self, state, t: (("fast", "slow"), False))
    (first,) = checked(learner, told(), 1)
    assert {(d.why, d.explained) for d in first.differences} == {("undecided", True)}
    monkeypatch.setattr(ExactLearner, "best", lambda self, state, t: (("fast",), True))
    (first,) = checked(learner, told(), 1)
    assert all(not d.explained for d in first.differences)


def test_the_tolerance_is_what_may_be_lost_and_no_more():
    learner = Reporting(LocatedLearner(MACHINE, told()))
    right = learner.report
    off = 1e-4

    def report():
        found = right()
        found["pairs"][0]["bonus"] += off
        return {"pairs": found["pairs"]}

    learner.report = report
    (step,) = checked(learner, told(), 1, tolerance=Fraction(1, 10**6))
    ((kind, gap),) = [(d.kind, d.gap) for d in step.unexplained]
    assert (kind, gap) == ("bonus", pytest.approx(off, rel=1e-6))
    learner.learner, learner.report = LocatedLearner(MACHINE, told()), report
    assert checked(learner, told(), 1, tolerance=Fraction(1, 1000))[0].differences == ()


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ([], "is not an object"),
        ({"pair": []}, "'pair' is unknown"),
        ({"planned": 1}, "is not true or false"),
        ({"iterations": True}, "is not a whole number"),
        ({"pairs": {}}, "is not a list"),
        ({"pairs": [{"state": "operating", "action": "none"}]}, "has no 'none'"),
        ({"pairs": [{"state": "operating", "action": "slow", "rate": float("nan")}]}, "not finite"),
        ({"pairs": [{"state": "operating", "action": "slow", "rate": "1e400"}]}, "beyond 1e"),
        ({"pairs": [{"state": "operating", "action": "slow", "jumps": {"moon": 1}}]}, "'moon' is unknown"),
        ({"values": [["operating", 2, 1]]}, "not within the horizon"),
        ({"values": [["moon", 1, 1]]}, "write \\[state, remaining time, value\\]"),
    ],
)
def test_a_report_that_is_none_is_refused(report, message):
    with pytest.raises(InputError, match=message):
        Report.of(MACHINE, report)


@pytest.mark.parametrize(("answer", "message"), [("fly", "it offers 'slow', 'fast'"), (7, "7 is no action")])
def test_an_action_that_the_state_does_not_offer_is_refused(answer, message):
    learner = SecondOfTwins()
    learner.act = lambda state, remaining: answer
    with pytest.raises(InputError, match=message):
        checked(learner, told(), 1)


def test_begin_answers_a_policy_or_there_is_act():
    learner = SecondOfTwins()
    learner.act = None
    with pytest.raises(InputError, match="there is no act"):
        checked(learner, told(), 1)
    learner.begin = lambda episode: "slow"
    with pytest.raises(InputError, match="return a function"):
        checked(learner, told(), 1)
