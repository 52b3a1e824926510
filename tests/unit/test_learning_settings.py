"""Settings, accuracies, radii and history files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi import CTMDP, InputError, Transition, bundled_model
from ctucbvi.learning import (
    DOUBLES,
    Environment,
    Episode,
    History,
    HistoryWriter,
    Report,
    Schedule,
    Settings,
    constants,
    load_history,
    rescaling,
)
from tests.histories import save_history

MACHINE = bundled_model("machine-repair")
PAPER = Settings.for_model(MACHINE, episodes=300)


@pytest.mark.parametrize(
    "text", ["1/sqrt(k)", "k^-2/3", "k^-1/2*exp(-lambda_max*H)", "k^-0.75*exp(-lambda_max*H)"]
)
def test_schedules_are_read_and_written(text):
    schedule = Schedule.parse(text)
    assert Schedule.parse(str(schedule)) == schedule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/sqrt(k)", 5**-0.5),
        ("k^-1/2", 5**-0.5),
        ("k^-2/3", 5 ** (-2 / 3)),
        ("k^-1/2*exp(-lambda_max*H)", 5**-0.5 * math.exp(-7)),
    ],
)
def test_accuracies(text, expected):
    assert Schedule.parse(text).at(5, Fraction(7), DOUBLES) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("text", ["", "1/k", "k^-0", "k^--1", "k^-x", "k^-1*exp(-H)"])
def test_other_schedules_are_refused(text):
    with pytest.raises(InputError):
        Schedule.parse(text)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"episodes": 0}, "episodes"),
        ({"episodes": True}, "episodes"),
        ({"delta": 1}, "delta"),
        ({"delta": 0}, "delta"),
        ({"lambda_max": 0}, "lambda-max"),
        ({"lambda_max": 6}, "below the rate 7"),
        ({"lambda_min": 0}, "lambda-min"),
        ({"lambda_min": 3}, "above the rate 2"),
        ({"lambda_min": 8}, "lambda-min"),
    ],
)
def test_settings_are_checked(wrong, message):
    with pytest.raises(InputError, match=message):
        Settings.for_model(MACHINE, **{"episodes": 10, **wrong})


def test_the_largest_rate_is_the_models_unless_given():
    assert PAPER.lambda_max == 7
    assert PAPER.delta == Fraction(1, 20)
    assert Settings.for_model(MACHINE, episodes=1, lambda_max=9).lambda_max == 9


@pytest.mark.parametrize("name", ["machine-repair-raw", "queue", "maintenance", "sis"])
def test_rewards_outside_the_unit_interval_are_refused_with_the_remedy(name):
    model = bundled_model(name)
    with pytest.raises(InputError) as refusal:
        Settings.for_model(model, episodes=10)
    scale, shift = rescaling(model)
    assert f"--rescale={scale},{shift}" in str(refusal.value)
    Settings.for_model(model.with_rewards(scale, shift), episodes=10)


def test_constant_rewards_can_be_rescaled():
    row = Transition.of("x", "a", rate=1, reward=5, to={"x": 1})
    model = CTMDP.of("constant", horizon=1, transitions=[row])
    Settings.for_model(model.with_rewards(*rescaling(model)), episodes=1)


def test_a_terminal_reward_is_refused():
    with pytest.raises(InputError, match="terminal reward"):
        Settings.for_model(bundled_model("reachability"), episodes=10)


def test_a_radius_that_would_be_imaginary_is_refused():
    with pytest.raises(InputError, match="eq:alpha-k"):
        Settings.for_model(MACHINE.with_horizon("1/1000000"), episodes=1)


def test_the_radii_of_the_paper():
    """Every formula written out once more, for S = A = 2, K = 300, δ = 1/20, λmax = 7, H = 1."""
    c = constants(MACHINE, PAPER, DOUBLES)
    confidence = 4 * math.log(2 * 4 * 300 * 20)
    jump = 2 * (2 * math.log(2) + math.log(4 * 300**2 * 20))
    assert c.rate_radius(0.0, DOUBLES) == pytest.approx(7)  # the case T < L/λmax
    assert c.rate_radius(100.0, DOUBLES) == pytest.approx(math.sqrt(7 * confidence / 100))
    assert c.jump_radius(0.0, DOUBLES) == pytest.approx(math.sqrt(jump))
    assert c.jump_radius(9.0, DOUBLES) == pytest.approx(math.sqrt(jump / 9))
    stretch = 7 / (1 - math.exp(-7))
    assert c.bonus(100.0, 9.0, DOUBLES) == pytest.approx(
        stretch * (math.sqrt(7 * confidence / 100) + math.sqrt(jump / 9))
    )


def test_powers_of_the_horizon_in_the_bonus():
    """H = 3 tells H² from H; λmax/(1 − e^{-λmax H}) below 1 is raised to 1."""
    row = Transition.of("x", "a", rate="1/10", reward=1, to={"x": 1})
    model = CTMDP.of("one", horizon=3, transitions=[row])
    c = constants(model, Settings.for_model(model, episodes=50), DOUBLES)
    factor = 0.1 / (1 - math.exp(-0.3))
    assert factor < 1
    assert c.factor == 1
    assert c.bonus(2000.0, 4.0, DOUBLES) == pytest.approx(
        9 * c.rate_radius(2000.0, DOUBLES) + 3 * c.jump_radius(4.0, DOUBLES)
    )
    assert c.jump_radius(1.0, DOUBLES) == pytest.approx(
        math.sqrt(2 * (math.log(2) + math.log(3 * 50**2 * 20)))
    )


def test_the_greedy_learner_has_no_bonus():
    greedy = Settings.for_model(MACHINE, episodes=300, bonus=False)
    assert constants(MACHINE, greedy, DOUBLES).bonus(0.0, 0.0, DOUBLES) == 0


@given(st.fractions("1/100", "99/100"), st.booleans(), st.sampled_from([None, Fraction(1), Fraction(2)]))
def test_settings_survive_json(delta, bonus, lambda_min):
    settings = Settings(12, Fraction(7, 3), delta, Schedule(Fraction(2, 3), bonus), lambda_min, bonus)
    assert Settings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


@pytest.mark.parametrize("document", [None, {}, {**PAPER.to_json(), "epsilon": None}])
def test_broken_settings_are_refused(document):
    with pytest.raises(InputError):
        Settings.from_json(document)


def history() -> History:
    world = Environment(MACHINE, seed=4)
    drawn = tuple(world.episode(lambda x, t: "fast") for _ in range(6))
    by_hand = Episode.of(MACHINE, [("operating", "slow", Fraction(1, 3), "repair")], ("repair", "slow"))
    at_the_end = Episode.of(MACHINE, [("operating", "slow", Fraction(1), "repair")], None)
    return History(MACHINE, PAPER, {"seed": 4}, (*drawn, by_hand, at_the_end))


def test_histories_survive_a_file(tmp_path):
    save_history(tmp_path / "h.jsonl", history())
    loaded, whole = load_history(tmp_path / "h.jsonl"), history()
    assert loaded == replace(whole, reports=(Report(),) * len(whole.episodes))  # nobody reported anything


def test_a_history_is_on_disk_as_it_comes_and_a_torn_line_is_left_out(tmp_path):
    path, whole = tmp_path / "h.jsonl", history()
    with HistoryWriter(path, MACHINE, PAPER) as out:
        for i, episode in enumerate(whole.episodes, 1):
            out.write(episode)
            assert load_history(path).episodes == whole.episodes[:i]
    data = path.read_bytes()
    path.write_bytes(data[:-3])
    assert load_history(path).episodes == whole.episodes[:-1]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda lines: ["{}", *lines[1:]], "line 1"),
        (lambda lines: [lines[0], lines[2]], "lines are missing"),
        (lambda lines: [lines[0], "{"], "not JSON"),
        (lambda lines: [lines[0], '{"episode":1,"visits":[]}'], "line 2"),
        (lambda lines: [lines[0], lines[1].replace("0x1.", "0x1.fp+9")], "line 2"),
        (lambda lines: [lines[0], '{"episode":1,"visits":[["operating","gone"]]}'], "gone"),
    ],
)
def test_broken_histories_are_refused_with_their_line(tmp_path, broken, message):
    path = tmp_path / "h.jsonl"
    save_history(path, history())
    path.write_text("".join(line + "\n" for line in broken(path.read_text().splitlines())))
    with pytest.raises(InputError, match=message) as refusal:
        load_history(path)
    assert "\n" not in str(refusal.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_history(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be written"):
        HistoryWriter(tmp_path / "no" / "such", MACHINE, PAPER)
