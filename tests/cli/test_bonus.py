"""``--bonus paper|sharp|none|optimistic`` in the commands about learning."""

from __future__ import annotations

import json

import pytest

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
    study = document(capsys, *REGRET, "--baselines", "sharp")
    both = study["learners"]
    assert [learner["name"] for learner in both] == ["ct-ucbvi", "sharp"]
    alone = document(capsys, *REGRET, "--bonus", "sharp")
    assert alone["learners"][0]["mean"] == both[1]["mean"]
    assert alone["learners"][0]["mean"] != both[0]["mean"]
    assert alone["bound_missing"] is None
    assert both[1]["mean"][-1] < alone["bound"][-1] < study["bound"][-1]


def test_losses_are_those_of_the_paper(capsys):
    line = refused(capsys, "losses", "machine-repair", "--episodes", "9", "--bonus", "sharp")
    assert "bonus of the paper" in line


def test_an_unknown_bonus_is_refused(capsys):
    assert "'large'" in refused(capsys, "learn", "machine-repair", "--bonus", "large")


@pytest.mark.parametrize("rates", ["paper", "poisson"])
@pytest.mark.parametrize("jumps", ["l1", "kl"])
def test_the_optimistic_learner_in_lockstep_with_the_compiled_one(rates, jumps, capsys):
    told = ["--bonus", "optimistic", "--rates", rates, "--jumps", jumps]
    lockstep = ["--lockstep", "--compiled", "30", "--episodes", "6"]
    found = document(capsys, "learn", "machine-repair", *told, *lockstep)
    assert (found["summary"]["differences"], found["summary"]["optimism"]["failed"]) == (0, 0)
    assert 0 < found["summary"]["largest_error"] < 1e-3


def test_the_optimistic_learner_in_lockstep_needs_the_compiled_one(capsys):
    line = refused(
        capsys, "learn", "machine-repair", "--episodes", "2", "--lockstep", "--bonus", "optimistic"
    )
    assert "--compiled" in line


def test_the_optimistic_learners_as_baselines_are_those_of_the_settings(capsys):
    names = ["optimistic", "optimistic-poisson", "optimistic-kl", "optimistic-poisson-kl"]
    both = document(capsys, *REGRET, "--steps", "20", "--baselines", *names)["learners"]
    assert [learner["name"] for learner in both] == ["ct-ucbvi", *names]
    assert len({tuple(learner["mean"]) for learner in both}) == 5
    for learner, rates, jumps in zip(
        both[1:], ("paper", "poisson") * 2, ("l1", "l1", "kl", "kl"), strict=True
    ):
        told = ["--bonus", "optimistic", "--rates", rates, "--jumps", jumps, "--steps", "20"]
        alone = document(capsys, *REGRET, *told)
        assert alone["learners"][0]["mean"] == learner["mean"]
        assert alone["bound"][0] > 0  # a theorem without conditions


def test_a_bound_is_not_claimed_for_a_learner_that_knows_lambda_min(capsys):
    told = ["--bonus", "optimistic", "--lambda-min", "2", "--steps", "20"]
    assert "knows no lambda_min" in document(capsys, *REGRET, *told)["bound_missing"]
