"""``ctucbvi learn --check``: histories from anywhere."""

from __future__ import annotations

import json

import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Environment, HistoryWriter, Settings
from ctucbvi.learning.exact.learner import ExactLearner
from tests.cli.test_plan import refused, run

MACHINE = bundled_model("machine-repair")
FIRST = '{"episode": 1, "visits": [["operating", "fast"]]'
TASK = ("machine-repair", "--episodes", "3")


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    file = tmp_path_factory.mktemp("histories") / "history.jsonl"
    settings = Settings.for_model(MACHINE, episodes=3)
    with HistoryWriter(file, MACHINE, settings) as out:
        for _, episode in ExactLearner(MACHINE, settings).run(Environment(MACHINE, seed=4)):
            out.write(episode)
    return file


def test_a_right_history_passes_with_and_without_its_first_line(capsys, history, tmp_path):
    status, out, err = run(capsys, "learn", "--check", str(history))
    assert (status, err) == (0, "")
    assert "0 differences, 0 unexplained" in out
    bare = tmp_path / "bare.jsonl"
    bare.write_text("\n".join(history.read_text().splitlines()[1:]))  # and no newline at the end
    status, out, _ = run(capsys, "learn", *TASK, "--check", str(bare), "--json")
    found = json.loads(out)
    assert status == 0
    assert found["summary"]["episodes"] == 3
    assert found["summary"]["compared"] == {"action": found["summary"]["visits"]}
    assert found["first"] is None


def test_the_first_difference_is_named_and_status_1(capsys, tmp_path):
    file = tmp_path / "mine.jsonl"
    said = '"pairs": [{"state": "operating", "action": "slow", "n_plus": 0, "time": 0, "bonus": 1}]'
    file.write_text(f'{FIRST}, {said}}}\n{{"episode": 2, "visits": [["operating", "slow"]], "values": []}}\n')
    status, out, err = run(capsys, "learn", *TASK, "--check", str(file))
    assert status == 1
    assert "not what the exact learner does" in err
    assert "compared: 2 estimates, 1 bonuses, 2 actions" in out
    assert "first difference: episode 1: bonus operating/slow: yours 1, exact " in out
    found = json.loads(run(capsys, "learn", *TASK, "--check", str(file), "--json")[1])
    assert (found["first"]["kind"], found["first"]["yours"]) == ("bonus", "1")
    loose = run(capsys, "learn", *TASK, "--check", str(file), "--tolerance", "1000")
    assert loose[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no episodes"),
        ("rubbish\n" + FIRST + "}\n", "line 1 is not JSON"),
        ("[" * 100_000 + "\n" + FIRST + "}\n", "line 1 is not JSON"),
        ("[1]\n", "line 1: not an episode"),
        (FIRST + "}\n" + FIRST + "}\n", "line 2: episode 1 where 2 was due"),
        (FIRST + ', "bonus": 1}\n', "line 1: report: 'bonus' is unknown"),
        ('{"episode": 1, "visits": [["operating", "fly"]]}\n', "has no 'fly'"),
        (
            '{"episode": 1, "visits": [["operating", "fast", 2.5, "repair"], ["repair", "slow"]]}\n',
            "beyond H",
        ),
        (
            '{"episode": 1, "visits": [["operating", "fast", NaN, "repair"], ["repair", "slow"]]}\n',
            "not finite",
        ),
        ('{"episode": 1, "visits": [["operating", "fast", "0x1p9999", "repair"]]}\n', "is not a double"),
        ('{"episode": 1, "visits": [["operating", "fast", true, "repair"]]}\n', "write 1 or 0"),
        ('{"episode": 1, "visits": []}\n', "not an episode"),
        (FIRST + ', "pairs": [{"state": ["operating"], "action": "slow"}]}\n', "line 1: pairs: "),
        (FIRST + "}\n" + FIRST.replace("1", "2", 1), "line 2 is not JSON"),
        (FIRST.replace("1", "true", 1) + "}\n", "episode True where 1 was due"),
        ('{"format": "ctucbvi-history-1"}\n', "leave out the others"),
    ],
)
def test_a_hostile_file_is_one_line(capsys, tmp_path, text, message):
    file = tmp_path / "mine.jsonl"
    file.write_text(text)
    assert message in refused(capsys, "learn", *TASK, "--check", str(file))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "nowhere"], "cannot be read"),
        (["--check", "FILE"], "name the MODEL"),
        (["machine-repair", "--check", "FILE"], "--episodes: missing"),
        ([*TASK, "--check", "FILE", "--lockstep"], "--lockstep: not with --check"),
        ([*TASK, "--check", "FILE", "--replay", "x"], "--replay: not with --check"),
        ([*TASK, "--check", "FILE", "--tolerance", "-1"], "is negative"),
        (["machine-repair", "--episodes", "1", "--check", "FILE"], "beyond the 1"),
        (["machine-repair", "--tolerance", "1"], "--tolerance: with --check"),
        (["--check", "HISTORY", "--delta", "1/2"], "leave out the others"),
        (["queue", "--check", "HISTORY"], "another model"),
    ],
)
def test_bad_options_are_one_line(capsys, tmp_path, history, arguments, message):
    file = tmp_path / "mine.jsonl"
    file.write_text(FIRST + "}\n" + FIRST.replace("1", "2", 1) + "}\n")
    places = {"FILE": str(file), "HISTORY": str(history)}
    assert message in refused(capsys, "learn", *(places.get(word, word) for word in arguments))


def test_the_optimistic_learner_has_no_bonus(capsys, tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text(FIRST + ', "pairs": [{"state": "operating", "action": "slow", "bonus": 1}]}\n')
    arguments = (*TASK, "--bonus", "optimistic", "--check", str(file))
    assert "has no bonus" in refused(capsys, "learn", *arguments)


def test_a_learner_in_a_file_plays_and_is_compared(capsys, tmp_path):
    file = tmp_path / "mine.py"
    lines = ("def begin(self, episode):", "    return lambda state, remaining: 'fast'")
    told = (
        "def __init__(self, task):",
        "    self.k = task.settings.episodes",
        "def observe(self, visit): ...",
    )
    file.write_text("\n    ".join(["class Learner:", *told, *lines]))
    status, out, _ = run(capsys, "learn", *TASK, "--check", str(file), "--json")
    found = json.loads(out)
    assert status == 1
    assert found["summary"]["episodes"] == 3
    assert (found["first"]["episode"], found["first"]["kind"], found["first"]["yours"]) == (
        1,
        "action",
        "fast",
    )
    file.write_text(file.read_text().replace("'fast'", "'fly'"))
    message = refused(capsys, "learn", *TASK, "--check", str(file))
    assert "mine.py: line 6: learner: 'fly' is no action of state 'operating'" in message
