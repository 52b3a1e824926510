from __future__ import annotations

import json
from fractions import Fraction

import pytest

from ctucbvi.cli import main
from ctucbvi.commands import learn
from tests.cli.test_plan import refused, run


def learned(capsys, *arguments: str) -> dict:
    status, out, _ = run(capsys, "learn", *arguments, "--json")
    assert status == 0
    return json.loads(out)


def test_lockstep_reports_every_episode(capsys):
    found = learned(capsys, "machine-repair", "--episodes", "8", "--seed", "3", "--lockstep")
    assert found["settings"]["lambda_max"] == "7"
    assert [row["episode"] for row in found["episodes"]] == list(range(1, 9))
    summary = found["summary"]
    assert summary["unexplained"] == summary["undecided_actions"] == 0
    assert 0 < summary["largest_error"] < 1e-8
    assert summary["event"] == summary["optimism"] == {"held": 8, "failed": 0, "undecided": 0}
    for row in found["episodes"]:
        assert Fraction(row["value"]["lower"]) <= 1 <= Fraction(row["value"]["upper"])
        assert all(s["certified"] and {"t", "lower", "upper"} < set(s) for s in row["switches"])
        assert (row["undecided"], row["doubts"]) == ([], [])
        assert row["differences"] == []


def test_the_exact_learner_alone_is_the_one_of_lockstep(capsys):
    both = learned(capsys, "machine-repair", "--episodes", "6", "--lockstep")
    alone = learned(capsys, "machine-repair", "--episodes", "6")
    assert alone["summary"]["unexplained"] is None
    for one, other in zip(alone["episodes"], both["episodes"], strict=True):
        assert one == {k: other[k] for k in one}


def test_a_history_is_saved_and_replayed(capsys, tmp_path):
    file = str(tmp_path / "history.jsonl")
    first = learned(capsys, "machine-repair", "--episodes", "5", "--save", file, "--delta", "1/100")
    again = learned(capsys, "--replay", file)
    assert again["settings"] == first["settings"]
    assert again["episodes"] == first["episodes"]
    beside = learned(capsys, "machine-repair", "--replay", file, "--lockstep")
    assert [row["departures"] for row in beside["episodes"]] == [0] * 5
    assert "another model" in refused(capsys, "learn", "queue", "--replay", file)
    assert "settings of the history" in refused(capsys, "learn", "--replay", file, "--delta", "1/2")


def test_an_interrupted_history_is_kept(capsys, tmp_path, monkeypatch):
    played = learn._rows

    def interrupted(*given):
        rows = played(*given)
        yield next(rows)
        yield next(rows)
        raise KeyboardInterrupt

    file = str(tmp_path / "history.jsonl")
    monkeypatch.setattr(learn, "_rows", interrupted)
    assert main(["learn", "machine-repair", "--episodes", "9", "--save", file]) == 130
    assert capsys.readouterr().err.splitlines()[0].startswith("ctucbvi: the finished episodes are in ")
    monkeypatch.undo()
    assert main(["learn", "--replay", file]) == 0
    assert "2 episodes" in capsys.readouterr().out


def test_a_history_with_the_actions_swapped_departs(capsys, tmp_path):
    file, swapped = tmp_path / "history.jsonl", tmp_path / "swapped.jsonl"
    learned(capsys, "machine-repair", "--episodes", "2", "--save", str(file))
    head, *lines = file.read_text().splitlines()
    other = {"fast": "slow", "slow": "fast"}
    rows = [[other.get(word, word) for word in line.split('"')] for line in lines]
    swapped.write_text("\n".join([head, *('"'.join(row) for row in rows), ""]))
    status, out, err = run(capsys, "learn", "--replay", str(swapped), "--lockstep")
    assert (status, err) == (1, "ctucbvi: the history departs from the exact learner\n")
    assert "departure operating@1: history slow, exact fast, gap 0.15" in out
    status, out, _ = run(capsys, "learn", "--replay", str(swapped), "--lockstep", "--json")
    found = json.loads(out)
    departures = [d for row in found["episodes"] for d in row["differences"]]
    assert found["summary"]["unexplained"] == found["summary"]["departures"] == len(departures) > 0
    assert {d["kind"] for d in departures} == {"departure"}


def test_text_and_options(capsys):
    options = ["--episodes", "3", "--no-bonus", "--initial", "operating=1/2", "--initial", "repair=1/2"]
    status, out, _ = run(capsys, "learn", "machine-repair", *options, "--lockstep", "--lambda-min", "2")
    assert status == 0
    assert "0 unexplained" in out
    assert "optimism (eq:optimism): held in 3" in out
    found = learned(capsys, "queue", "--episodes", "2", "--rescale=1/14,4/7", "--epsilon", "k^-2/3")
    assert found["settings"]["epsilon"] == "k^-2/3"


def test_an_unexplained_difference_is_status_1(capsys, monkeypatch):
    from ctucbvi.learning.fast.located import LocatedLearner

    right = LocatedLearner.bonus
    monkeypatch.setattr(LocatedLearner, "bonus", lambda self, pair: right(self, pair) + 1e-3)
    status, out, err = run(capsys, "learn", "machine-repair", "--episodes", "2", "--lockstep")
    assert status == 1
    assert "UNEXPLAINED" in out
    assert "disagree" in err


def test_a_wrong_count_is_valid_json_and_status_1(capsys, monkeypatch):
    from ctucbvi.learning.fast.located import LocatedLearner

    right = LocatedLearner.observe

    def observe(self, episode):
        right(self, episode)
        self.n_plus[0] += 1

    monkeypatch.setattr(LocatedLearner, "observe", observe)
    status, out, _ = run(capsys, "learn", "machine-repair", "--episodes", "2", "--lockstep", "--json")
    assert status == 1
    assert "Infinity" not in out
    second = json.loads(out)["episodes"][1]["differences"]
    assert [d["where"] for d in second if d["gap"] is None] == ["operating/slow N"]
    assert "operating/slow N" in run(capsys, "learn", "machine-repair", "--episodes", "2", "--lockstep")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "MODEL is missing"),
        (["queue"], "--rescale=1/14,4/7"),
        (["queue", "--rescale", "2"], "write two numbers"),
        (["queue", "--rescale=-1,0"], "must be positive"),
        (["reachability"], "terminal reward"),
        (["machine-repair", "--episodes", "0"], "episodes"),
        (["machine-repair", "--delta", "2"], "delta"),
        (["machine-repair", "--epsilon", "k"], "epsilon"),
        (["machine-repair", "--lambda-max", "3"], "lambda-max"),
        (["machine-repair", "--initial", "operating"], "STATE=P"),
        (["machine-repair", "--initial", "operating=1/2"], "add up to 1/2"),
        (["--replay", "no-such-file"], "cannot be read"),
        (["machine-repair", "--save", "no/such/folder/file"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, message):
    assert message in refused(capsys, "learn", *arguments)


def test_the_compiled_learner_can_lead(capsys):
    found = learned(
        capsys, "machine-repair", "--episodes", "12", "--seed", "1", "--lockstep", "--compiled", "50"
    )
    assert found["summary"]["unexplained"] == 0
    assert all(d["kind"] == "action" for row in found["episodes"] for d in row["differences"])
    assert "with --lockstep" in refused(capsys, "learn", "machine-repair", "--compiled", "50")
    assert "--compiled 0" in refused(capsys, "learn", "machine-repair", "--lockstep", "--compiled", "0")
