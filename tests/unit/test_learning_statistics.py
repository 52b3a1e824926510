"""Statistics and estimators against a history computed by hand, and laws on random histories."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi import CTMDP, InputError, Transition, bundled_model
from ctucbvi.learning import Environment, Episode, Settings, Statistics, Visit, jump_distance
from tests.histories import statistics_of

# Three states; "b" offers one action only.
MODEL = CTMDP.of(
    "three",
    horizon=2,
    initial="a",
    transitions=[
        Transition.of("a", "left", rate=1, reward=0, to={"b": "1/2", "c": "1/2"}),
        Transition.of("a", "right", rate=2, reward="1/2", to={"c": 1}),
        Transition.of("b", "left", rate=3, reward=1, to={"a": 1}),
        Transition.of("c", "left", rate=0, reward=0),
        Transition.of("c", "right", rate=1, reward=0, to={"a": "1/3", "c": "2/3"}),
    ],
)
SETTINGS = Settings.for_model(MODEL, episodes=10)

# Episode 1: a for 1/2, b for 1/4, a for 1/4, c for 1/2 (a self-jump), c for the last 1/2, cut off.
# Episode 2: a for the whole horizon: nothing is observed.
# Episode 3: a for 1/8 under the other action, then c to the end under "left".
HISTORY = [
    Episode.of(
        MODEL,
        [
            ("a", "left", Fraction(1, 2), "b"),
            ("b", "left", 0.25, "a"),
            ("a", "left", 0.25, "c"),
            ("c", "right", 0.5, "c"),
        ],
        ("c", "right"),
    ),
    Episode.of(MODEL, [], ("a", "left")),
    Episode.of(MODEL, [("a", "right", 0.125, "c")], ("c", "left")),
]


def test_the_history_computed_by_hand():
    found = statistics_of(MODEL, HISTORY)
    assert found.episodes == 3
    #                       (a,left)   (a,right)  (b,left)  (c,left)    (c,right)
    assert found.time == (Fraction(11, 4), Fraction(1, 8), Fraction(1, 4), Fraction(15, 8), Fraction(1))
    assert found.n_plus == (2, 1, 1, 0, 1)
    assert found.jumps == ((0, 1, 1), (0, 0, 1), (1, 0, 0), (0, 0, 0), (0, 0, 1))
    assert [found.probability(k) for k in range(5)] == [
        (0, Fraction(1, 2), Fraction(1, 2)),
        (0, 0, 1),
        (1, 0, 0),
        (0, 0, 0),  # seen, never left
        (0, 0, 1),
    ]
    # 2/(11/4), 1/(1/8) = 8 cut down to λmax = 3, 1/(1/4) = 4 likewise, nothing, 1/1
    assert found.rates(SETTINGS) == (Fraction(8, 11), 3, 3, 0, 1)


def test_before_the_first_episode_everything_is_zero():
    found = Statistics.empty(MODEL)
    assert found.rates(SETTINGS) == (0,) * 5
    assert {p for k in range(5) for p in found.probability(k)} == {Fraction(0)}


def test_a_known_smallest_rate_raises_every_estimate():
    slow = CTMDP.of("m", horizon=2, transitions=[replace(MODEL.transitions[0], to=(("a", Fraction(1)),))])
    known = Settings.for_model(slow, episodes=10, lambda_min="1/2")
    assert Statistics.empty(slow).rates(known) == (Fraction(1, 2),)
    assert statistics_of(slow, [Episode.of(slow, [("a", "left", Fraction(1), "a")], ("a", "left"))]).rates(
        known
    ) == (Fraction(1, 2),)
    with pytest.raises(InputError, match="lambda-min"):
        Settings.for_model(MODEL, episodes=10, lambda_min="1/2")  # it has a rate 0


def test_jumps_that_took_no_time_are_as_fast_as_allowed():
    found = statistics_of(MODEL, [Episode.of(MODEL, [("a", "right", 0.0, "c")], ("c", "left"))])
    assert found.rates(SETTINGS)[1] == SETTINGS.lambda_max


def test_a_jump_exactly_at_the_horizon_is_observed():
    episode = Episode.of(MODEL, [("a", "right", 2.0, "c")], None)
    assert statistics_of(MODEL, [episode]).n_plus == (0, 1, 0, 0, 0)


def test_the_distance_of_jump_probabilities():
    assert jump_distance(MODEL, 0, (Fraction(0), Fraction(1), Fraction(0))) == 1
    assert jump_distance(MODEL, 0, (Fraction(0), Fraction(0), Fraction(0))) == 1
    assert jump_distance(MODEL, 4, (Fraction(1, 3), Fraction(0), Fraction(2, 3))) == 0


@pytest.mark.parametrize(
    ("visits", "message"),
    [
        ((), "no visits"),
        ((Visit("b", "right", Fraction(2), None),), "no 'right' in state 'b'"),
        ((Visit("a", "left", Fraction(1), None),), "add up to 1, not to the horizon 2"),
        ((Visit("a", "left", Fraction(3), "b"), Visit("b", "left", Fraction(-1), None)), "negative"),
        (
            (Visit("a", "left", Fraction(1), "b"), Visit("c", "left", Fraction(1), None)),
            "the next visit is at 'c'",
        ),
        (
            (Visit("a", "left", Fraction(1), None), Visit("c", "left", Fraction(1), None)),
            "the next visit is at 'c'",
        ),
        ((Visit("a", "left", Fraction(2), "z"),), "not a state"),
    ],
)
def test_what_is_no_episode_is_refused(visits, message):
    with pytest.raises(InputError, match=message):
        Episode(visits).check(MODEL)


def statistics_law(summed: Statistics, episodes: list[Episode]) -> None:
    """All time is spent somewhere; all visits but the last of an episode are observed jumps."""
    model = summed.model
    assert sum(summed.time) == len(episodes) * model.horizon
    assert sum(summed.n_plus) == sum(len(e.visits) for e in episodes) - sum(
        e.visits[-1].to is None for e in episodes
    )
    assert all(sum(row) == n for row, n in zip(summed.jumps, summed.n_plus, strict=True))


def simulated(seed: int, count: int) -> list[Episode]:
    world = Environment(MODEL, seed=seed, initial={"a": "1/2", "c": "1/2"})
    pick = [0]

    def choose(state: str, remaining: Fraction) -> str:
        pick[0] += 1
        return MODEL.actions_of(state)[pick[0] % len(MODEL.actions_of(state))]

    return [world.episode(choose) for _ in range(count)]


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_totals_of_simulated_histories(seed, count):
    episodes = simulated(seed, count)
    statistics_law(statistics_of(MODEL, episodes), episodes)


def test_the_law_of_totals_can_fail():
    episodes = simulated(3, 4)
    right = statistics_of(MODEL, episodes)
    counted = replace(right, n_plus=(right.n_plus[0] + 1, *right.n_plus[1:]))  # the truncated visit counted
    shorter = replace(right, time=(right.time[0] - Fraction(1, 100), *right.time[1:]))  # its time left out
    for mutant in (counted, shorter):
        with pytest.raises(AssertionError):
            statistics_law(mutant, episodes)


def test_the_environment_repeats_itself_and_follows_the_model():
    assert simulated(5, 30) == simulated(5, 30)
    assert simulated(5, 30) != simulated(6, 30)
    found = statistics_of(MODEL, simulated(1, 2000))
    for k, row in enumerate(MODEL.transitions):
        if row.rate:  # six standard errors, for a seed that was not looked for
            assert abs(float(found.n_plus[k] / found.time[k] / row.rate) - 1) < 6 / found.n_plus[k] ** 0.5
            assert jump_distance(MODEL, k, found.probability(k)) < 9 / found.n_plus[k] ** 0.5


def test_initial_distributions():
    machine = bundled_model("machine-repair")
    starts = [
        Environment(machine, seed=s, initial={"operating": "1/4", "repair": "3/4"})
        .episode(lambda x, t: "fast")
        .visits[0]
        .state
        for s in range(400)
    ]
    assert abs(starts.count("repair") / 400 - 0.75) < 0.15
    for wrong in ({"operating": "1/2"}, {"nowhere": 1}, {"operating": 2, "repair": -1}):
        with pytest.raises(InputError):
            Environment(machine, seed=1, initial=wrong)
