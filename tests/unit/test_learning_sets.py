"""The confidence sets of the optimistic learner, and the settings that ask for them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from ctucbvi import InputError, bundled_model
from ctucbvi.exact.precision import BALLS, enclosure, precision
from ctucbvi.learning import DOUBLES, Environment, Schedule, Settings, Statistics, confidence_sets
from ctucbvi.learning.sets import tilt_count
from tests.hostile_estimates import hostile_estimates
from tests.plain_optimistic import jump_radius, rate_interval

MACHINE = bundled_model("machine-repair")
KINDS = [(rates, jumps) for rates in ("paper", "poisson") for jumps in ("l1", "kl")]


def asked_for(rates="paper", jumps="l1", **further):
    return Settings.for_model(
        MACHINE, **{"episodes": 300, "bonus": "optimistic", "rates": rates, "jumps": jumps, **further}
    )


@pytest.mark.parametrize("seed", range(60))
def test_sets_are_what_their_formulas_say(seed):
    statistics, settings = hostile_estimates(Random(seed))
    doubles = confidence_sets(statistics.model, settings, DOUBLES)
    with precision(128):
        balls = confidence_sets(statistics.model, settings, BALLS)
        for k, n in enumerate(statistics.n_plus):
            rate, time = statistics.rate(k, settings), statistics.time[k]
            plain = (*rate_interval(statistics, settings, k), jump_radius(statistics, settings, k))
            quick = doubles.pair(float(rate), float(time), n)
            exact = balls.pair(BALLS.number(rate), BALLS.number(time), n)
            close = 1e-11 * float(settings.lambda_max)  # of differences that may cancel
            for found in (quick, exact):
                radius = math.inf if found.radius is None else float(found.radius)
                assert float(found.low) == pytest.approx(plain[0], rel=1e-11, abs=close)
                assert float(found.high) == pytest.approx(plain[1], rel=1e-11, abs=close)
                assert radius == pytest.approx(plain[2], rel=1e-11)
            ends = [enclosure(end) for end in (exact.low, exact.high)]
            assert settings.lambda_max * Fraction(1, 10**30) + settings.lambda_max >= ends[1].upper
            assert (settings.lambda_min or 0) <= ends[0].upper
            assert ends[0].lower <= ends[1].upper


@pytest.mark.parametrize(("rates", "jumps"), KINDS)
def test_before_the_first_visit_everything_is_possible(rates, jumps):
    found = confidence_sets(MACHINE, asked_for(rates, jumps), DOUBLES).pair(0.0, 0.0, 0)
    assert (found.low, found.high, found.radius) == (0.0, 7.0, None)


def test_a_known_least_rate_raises_the_lower_end():
    for rates in ("paper", "poisson"):
        known = confidence_sets(MACHINE, asked_for(rates, lambda_min=2), DOUBLES)
        assert known.pair(2.0, 0.5, 0).low == 2.0
        assert known.pair(2.0, 1000.0, 2000).low <= 2.0 <= known.pair(2.0, 1000.0, 2000).high


def test_an_empty_poisson_set_is_its_lower_end():
    known = confidence_sets(MACHINE, asked_for("poisson"), DOUBLES)
    tight = replace(known, log_rates=-1000.0)  # a negative confidence: nothing is left
    found = tight.pair(3.0, 100.0, 300)
    assert found.low == found.high


def test_poisson_sets_are_inside_those_of_the_paper_when_time_is_long():
    wide, narrow = (confidence_sets(MACHINE, asked_for(rates), DOUBLES) for rates in ("paper", "poisson"))
    for rate in (0.01, 1.0, 3.0):
        one, other = (sets.pair(rate, 1000.0, int(1000 * rate)) for sets in (wide, narrow))
        assert one.low <= other.low <= rate <= other.high < one.high


@pytest.mark.parametrize("episodes", [1, 2, 300, 10**6, 10**12])
def test_the_number_of_tilts_has_no_unit_of_time(episodes):
    settings = asked_for("poisson", episodes=episodes)
    count, scale = tilt_count(MACHINE, settings), episodes * 8
    m = 2 * (count - 2)  # the least m or one more
    assert 2**m >= scale
    assert 2 ** (m - 2) < scale
    slow = MACHINE.with_horizon(MACHINE.horizon)
    assert tilt_count(slow, settings) == count


@pytest.mark.parametrize(("rates", "jumps"), KINDS)
def test_settings_go_to_json_and_back(rates, jumps):
    settings = asked_for(rates, jumps, delta="1/7", lambda_min=2)
    document = settings.to_json()
    assert (document["bonus"], document["rates"], document["jumps"]) == ("optimistic", rates, jumps)
    assert Settings.from_json(document) == settings


def test_settings_of_other_learners_do_not_speak_of_sets():
    assert not {"rates", "jumps"} & set(Settings.for_model(MACHINE, episodes=1, bonus="sharp").to_json())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bonus": "paper", "jumps": None}, "rates: sets are for --bonus optimistic"),
        ({"bonus": "none", "rates": None}, "jumps: sets are for --bonus optimistic"),
        ({"rates": "normal"}, "rates: 'normal' is unknown; write paper or poisson"),
        ({"jumps": "l2"}, "jumps: 'l2' is unknown; write l1 or kl"),
        ({"epsilon": "k^-1"}, "epsilon: the optimistic learner iterates nothing"),
    ],
)
def test_what_means_nothing_is_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        asked_for(**wrong)


def test_another_way_of_being_optimistic_keeps_what_it_understands():
    paper = Settings.for_model(MACHINE, episodes=10, epsilon="k^-1", delta="1/9")
    optimistic = paper.with_bonus("optimistic")
    assert optimistic == Settings.for_model(MACHINE, episodes=10, delta="1/9", bonus="optimistic")
    assert asked_for("poisson", "kl").with_bonus("sharp") == Settings.for_model(
        MACHINE, episodes=300, bonus="sharp"
    )
    assert paper.with_bonus("paper").epsilon == Schedule(Fraction(1))


def test_a_short_horizon_is_no_trouble():
    """The paper's α is the root of a negative number there; the uniform one has no unit of time."""
    short = MACHINE.with_horizon("1/1000000")
    settings = Settings.for_model(short, episodes=1, bonus="optimistic")
    assert confidence_sets(short, settings, DOUBLES).jump_radius(5) == pytest.approx(
        math.sqrt(2 * (2 * math.log(2) + math.log(4 * 30 * 20)) / 5)
    )


@pytest.mark.parametrize(("rates", "jumps"), KINDS)
def test_sets_of_a_run_hold_the_truth(rates, jumps):
    settings, seen = asked_for(rates, jumps), Statistics.empty(MACHINE)
    world, draw = Environment(MACHINE, seed=5), Random(5)
    known = confidence_sets(MACHINE, settings, DOUBLES)
    for _ in range(100):
        seen = seen.after(world.episode(lambda x, _: draw.choice(MACHINE.actions_of(x))))
        for k, row in enumerate(MACHINE.transitions):
            low, high = known.rates(float(seen.rate(k, settings)), float(seen.time[k]), seen.n_plus[k])
            assert low <= row.rate <= high
