"""``--bonus paper|sharp|none`` in the commands about learning."""

from __future__ import annotations

import json

from tests.cli.test_plan import refused, run

REGRET = ["regret", "machine-repair", "--episodes", "2000", "--runs", "2", "--seed", "4", "--workers", "1"]


def document(capsys, *arguments: str) -> dict:
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    return json.loads(out)


def test_learn_in_lockstep_with_the_sharp_bonus_and_replay_it(capsys, tmp_path):
    file = str(tmp_path / "history.jsonl")
    told = ["--bonus", "sharp", "--lockstep", "--save", file]
    found = document(capsys, "learn", "machine-repair", "--episodes", "8", *told)
    assert found["settings"]["bonus"] == "sharp"
    assert found["summary"]["unexplained"] == 0
    assert found["summary"]["optimism"]["failed"] == 0
    again = document(capsys, "learn", "--replay", file, "--lockstep")
    assert [row["value"] for row in again["episodes"]] == [row["value"] for row in found["episodes"]]
    assert "leave out the others" in refused(capsys, "learn", "--replay", file, "--bonus", "paper")


def test_no_bonus_is_bonus_none(capsys):
    for told in (["--no-bonus"], ["--bonus", "none"]):
        found = document(capsys, "learn", "machine-repair", "--episodes", "2", *told)
        assert found["settings"]["bonus"] is False


def test_the_sharp_learner_as_a_baseline_is_the_one_with_the_sharp_bonus(capsys):
    both = document(capsys, *REGRET, "--baselines", "sharp")["learners"]
    assert [learner["name"] for learner in both] == ["ct-ucbvi", "sharp"]
    alone = document(capsys, *REGRET, "--bonus", "sharp")
    assert alone["learners"][0]["mean"] == both[1]["mean"]
    assert alone["learners"][0]["mean"] != both[0]["mean"]
    assert "bonus of the paper" in alone["bound_missing"]


def test_losses_are_those_of_the_paper(capsys):
    line = refused(capsys, "losses", "machine-repair", "--episodes", "9", "--bonus", "sharp")
    assert "bonus of the paper" in line


def test_an_unknown_bonus_is_refused(capsys):
    assert "'large'" in refused(capsys, "learn", "machine-repair", "--bonus", "large")
