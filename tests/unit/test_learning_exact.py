"""The certified learner: its plans against other routes, its ties, its verdicts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from ctucbvi import CTMDP, InputError, Transition, bundled_model, solve
from ctucbvi.learning import DOUBLES, Environment, Episode, Schedule, Settings, Statistics, constants
from ctucbvi.learning.estimated import estimated_model, layer, layered
from ctucbvi.learning.exact.learner import ExactLearner, ExactPlan, make_plan
from ctucbvi.learning.exact.verdicts import confident, optimistic, rate_confidence
from ctucbvi.solutions import About
from tests.histories import statistics_of

MACHINE = bundled_model("machine-repair")
GREEDY = Settings.for_model(MACHINE, episodes=100, bonus=False)


def history(count: int, seed: int = 3) -> list[Episode]:
    """Episodes of the machine under a policy that tries everything."""
    world, turn = Environment(MACHINE, seed=seed), [0]

    def choose(state: str, remaining: Fraction) -> str:
        turn[0] += 1
        return MACHINE.actions[turn[0] // 2 % 2]

    return [world.episode(choose) for _ in range(count)]


def plan_after(count: int, settings: Settings) -> ExactPlan:
    return make_plan(statistics_of(MACHINE, history(count)), settings)


@pytest.mark.parametrize("count", [0, 5, 60])
def test_the_bonus_encloses_the_doubles(count):
    settings = Settings.for_model(MACHINE, episodes=100)
    plan, c = plan_after(count, settings), constants(MACHINE, settings, DOUBLES)
    for k, bonus in enumerate(plan.bonus):
        double = c.bonus(float(plan.statistics.time[k]), float(plan.statistics.n_plus[k]), DOUBLES)
        assert float(bonus.mid) == pytest.approx(double, rel=1e-13)
        assert bonus.width < Fraction(1, 2**64)


def test_an_accuracy_that_is_met_exactly_does_not_stop_the_iteration():
    """At k = 1: the first iterate is t, its norm is 1 = ε_1, and the rule says below."""
    plan = make_plan(Statistics.empty(MACHINE), Settings.for_model(MACHINE, episodes=100))
    assert plan.epsilon.lower == plan.epsilon.upper == 1
    assert plan.iterations == 2


def route_of_layers(plan: ExactPlan) -> CTMDP:
    return layered(plan.estimated, plan.iterations + 1)


def check_against_layers(plan: ExactPlan) -> None:
    """Values and best actions equal those of the layered model, solved by the planner for fixed points."""
    model = route_of_layers(plan)
    solution = solve(model, digits=12, truncate=True)
    top = layer(plan.estimated, plan.iterations + 1, plan.iterations + 1).start
    below = layer(plan.estimated, plan.iterations + 1, plan.iterations).start
    for x, state in enumerate(MACHINE.states):
        for t in (Fraction(1, 7), Fraction(1, 2), Fraction(1)):
            assert plan.value(state, t).overlaps(solution.value(model.states[below + x], t))
            scores = {
                a: solution.commitment_value(model.states[top + x], a, t).mid
                for a in MACHINE.actions_of(state)
            }
            assert plan.action(state, t) == max(scores, key=scores.__getitem__)


@pytest.mark.parametrize("count", [40, 60])
def test_iterates_are_the_levels_of_one_model(count):
    plan = plan_after(count, GREEDY)
    assert plan.iterations > 2
    check_against_layers(plan)


def test_the_check_against_layers_can_fail():
    plan = plan_after(40, GREEDY)
    other = replace(plan, iterate=plan_after(41, GREEDY).iterate)
    with pytest.raises(AssertionError):
        check_against_layers(other)


def test_a_known_smallest_rate_leads_nowhere_from_unseen_pairs():
    known = Settings.for_model(MACHINE, episodes=100, lambda_min=2, bonus=False)
    plan = make_plan(statistics_of(MACHINE, history(1)), known)
    assert min(pair.rate for pair in plan.estimated.pairs[:4]) >= 2
    empty = make_plan(Statistics.empty(MACHINE), known)
    # One action of reward 1 and rate 2, then nothing: (1 − e^{-2t})/2 after any number of iterations.
    assert float(empty.value("operating").mid) == pytest.approx((1 - 2.718281828459045**-2) / 2)


def test_a_state_called_nowhere_is_no_trouble():
    row = Transition.of("(nowhere)", "a", rate=1, reward=1, to={"(nowhere)": 1})
    model = CTMDP.of("odd", horizon=1, transitions=[row])
    settings = Settings.for_model(model, episodes=5, lambda_min=1)
    assert estimated_model(Statistics.empty(model), settings, [Fraction(0)]).states[1] == "((nowhere))"
    assert ExactLearner(model, settings).choose("(nowhere)", Fraction(1)) == "a"


def test_switches_are_proved_on_both_sides():
    plan = plan_after(40, Settings.for_model(MACHINE, episodes=100))
    assert plan.switches
    for change in plan.switches:
        assert change.certified
        assert change.upper - change.lower < Fraction(1, 10**9)
        assert plan.action(change.state, change.lower) == change.before
        assert plan.action(change.state, change.upper) == change.after


def twins() -> CTMDP:
    """Two equal actions that lead to states with equal values, listed in an unusual order."""
    rows = [
        Transition.of("x", "b", rate=1, reward="1/2", to={"y": 1}),
        Transition.of("x", "a", rate=1, reward="1/2", to={"z": 1}),
        *(Transition.of(s, "b", rate=1, reward=1, to={s: 1}) for s in ("y", "z")),
    ]
    return CTMDP.of("twins", horizon=1, transitions=rows, actions=["a", "b"])


def test_ties_are_proved_and_the_first_action_is_taken():
    model = twins()
    learner = ExactLearner(model, Settings.for_model(model, episodes=5))
    assert learner.plan().best("x", Fraction(1, 2)) == ((0, 1), True)
    assert learner.choose("x", Fraction(1, 2)) == "a"
    assert learner.undecided == {}
    seen = statistics_of(
        model,
        [
            Episode.of(model, [("x", "a", Fraction(1, 4), "z")], ("z", "b")),
            Episode.of(model, [("x", "b", Fraction(1, 4), "y")], ("y", "b")),
        ],
    )
    assert make_plan(seen, Settings.for_model(model, episodes=5)).best("x", Fraction(1, 2)) == ((0, 1), True)


def test_equal_values_for_no_reason_that_is_seen_are_undecided():
    """Without bonus y and z are not saturated: their values are equal, and only numbers say so."""
    rows = twins().transitions
    lower = tuple(replace(r, reward=Fraction(1, 2)) for r in rows)
    model = replace(twins(), transitions=lower)
    learner = ExactLearner(model, Settings.for_model(model, episodes=5, bonus=False), max_bits=128)
    for action, target in (("a", "z"), ("b", "y")):
        jumps = [("x", action, Fraction(1, 4), target), (target, "b", Fraction(1, 4), target)]
        learner.observe(Episode.of(model, jumps, (target, "b")))
    assert learner.choose("x", Fraction(1, 2)) == "a"
    ((doubt,),) = learner.undecided.values()
    assert (doubt.what, doubt.state, doubt.actions) == (About.ACTIONS, "x", ("a", "b"))
    assert str(doubt) == "x: a, b cannot be told apart for t in [0.500000, 0.500000] with 128 bits"
    assert list(learner.undecided) == [learner.plan().episode] == [3]


def test_running_and_replaying_agree():
    settings = Settings.for_model(MACHINE, episodes=12)
    ran = list(ExactLearner(MACHINE, settings).run(Environment(MACHINE, seed=9)))
    again = list(ExactLearner(MACHINE, settings).replay(episode for _, episode in ran))
    assert [p.value("repair", Fraction(1, 3)) for p, _ in ran] == [
        p.value("repair", Fraction(1, 3)) for p, _ in again
    ]
    for plan, episode in again:
        remaining = MACHINE.horizon
        for visit in episode.visits:
            assert plan.action(visit.state, remaining) == visit.action
            remaining -= visit.holding


def test_no_more_episodes_than_the_radii_are_for():
    learner = ExactLearner(MACHINE, Settings.for_model(MACHINE, episodes=1))
    learner.observe(history(1)[0])
    with pytest.raises(InputError, match="beyond the 1"):
        learner.plan()


@pytest.mark.parametrize(
    ("schedule", "k", "expected"),
    [
        (Schedule(), 9, Fraction(1, 3)),
        (Schedule(), 10, None),
        (Schedule(Fraction(2, 3)), 8, Fraction(1, 4)),
        (Schedule(Fraction(1)), 7, Fraction(1, 7)),
        (Schedule(Fraction(1, 2), True), 9, None),
    ],
)
def test_rational_accuracies(schedule, k, expected):
    assert schedule.rational(k) == expected


def with_data(episodes: int, time: Fraction, left: int) -> Statistics:
    """Every pair of the machine was held for ``time`` and left ``left`` times, always to the right state."""
    jumps = tuple(
        tuple(left if y == row.to[0][0] else 0 for y in MACHINE.states) for row in MACHINE.transitions
    )
    return Statistics(MACHINE, episodes, (time,) * 4, jumps, (left,) * 4)


def test_the_event():
    settings = Settings.for_model(MACHINE, episodes=1000)
    start = make_plan(Statistics.empty(MACHINE), settings)
    assert confident(start) is True
    # |7 − 0| ≤ β = λmax = 7 holds with equality, which balls alone would not tell.
    assert rate_confidence(start, 3) is True
    assert confident(make_plan(with_data(999, Fraction(20), 90), settings)) is True  # λ̂ = 9/2, β about 4
    assert confident(make_plan(with_data(999, Fraction(10**4), 10**3), settings)) is False  # λ̂ = 1/10


def test_the_event_notices_wrong_jumps():
    settings = Settings.for_model(MACHINE, episodes=1000)
    right = with_data(999, Fraction(20), 90)
    assert confident(make_plan(right, settings)) is True
    turned = replace(right, jumps=tuple(row[::-1] for row in right.jumps))
    assert confident(make_plan(turned, settings)) is False


def test_optimism():
    optimum = solve(MACHINE, digits=12)
    sharp = "k^-1*exp(-lambda_max*H)"  # so that the error term is 1/k
    seen = with_data(999, Fraction(10**4), 0)  # never left: a state's own best reward for ever
    greedy = make_plan(seen, Settings.for_model(MACHINE, episodes=1000, epsilon=sharp, bonus=False))
    assert greedy.value("repair").upper < optimum.value("repair").lower - Fraction(1, 100)
    assert optimistic(greedy, optimum) is False
    brave = make_plan(seen, Settings.for_model(MACHINE, episodes=1000, epsilon=sharp))
    assert optimistic(brave, optimum) is True
    assert optimistic(brave, optimum, budget=0) is None
    assert (
        optimistic(make_plan(seen, Settings.for_model(MACHINE, episodes=1000, bonus=False)), optimum) is True
    )
