"""``--replan ETA`` in the commands about learning."""

from __future__ import annotations

import pytest

from tests.cli.test_bonus import REGRET, document
from tests.cli.test_plan import refused, run

LEARN = ["learn", "machine-repair", "--episodes", "12", "--replan", "1/3"]


@pytest.mark.parametrize("told", [[], ["--bonus", "optimistic", "--compiled", "30"], ["--compiled", "30"]])
def test_learn_lazily_in_lockstep(capsys, told):
    found = document(capsys, *LEARN, "--lockstep", *told)
    assert found["settings"]["replan"] == "1/3"
    assert found["summary"]["unexplained"] == 0
    assert [row["episode"] for row in found["episodes"]] == list(range(1, 13))
    planned = [row["planned"] for row in found["episodes"]]
    assert planned == sorted(planned)
    assert all(p <= k for k, p in enumerate(planned, 1))
    assert 1 < len(set(planned)) == found["summary"]["plans"] < 12


def test_a_lazy_history_is_replayed_lazily(capsys, tmp_path):
    file = str(tmp_path / "history.jsonl")
    found = document(capsys, *LEARN, "--save", file)
    again = document(capsys, "learn", "--replay", file, "--lockstep")
    for one, other in zip(found["episodes"], again["episodes"], strict=True):
        assert (one["planned"], one["value"]) == (other["planned"], other["value"])
    assert "leave out the others" in refused(capsys, "learn", "--replay", file, "--replan", "1/2")
    status, out, _ = run(capsys, "learn", "--replay", file)
    assert status == 0
    assert f"plans: {found['summary']['plans']} (replan 1/3)" in out


def test_a_study_of_lazy_learners(capsys):
    found = document(capsys, *REGRET, "--bonus", "optimistic", "--replan", "1/10", "--baselines", "sharp")
    assert found["settings"]["replan"] == "1/10"
    assert found["cost"]["episodes_planned"] < found["cost"]["episodes"] / 4
    assert all(found["bound"])
    paper = document(capsys, *REGRET, "--replan", "1/10")
    assert all(paper["bound"])  # of thm:CT-UCB/sharp/lazy
    assert paper["bound_missing"] is None
    without, zero = (document(capsys, *REGRET, *told) for told in ([], ["--replan", "0"]))
    for each in (without, zero):
        del each["cost"]
    assert without == zero


@pytest.mark.parametrize("command", ["learn", "regret", "losses"])
@pytest.mark.parametrize("wrong", ["-1", "x", "1/0", "nan", "1/9999999", ""])
def test_other_factors_are_refused_in_one_line(capsys, command, wrong):
    line = refused(capsys, command, "machine-repair", "--episodes", "9", f"--replan={wrong}")
    assert "replan" in line


def test_a_negative_factor_may_be_written_apart(capsys):
    assert "replan: -1" in refused(capsys, "learn", "machine-repair", "--replan", "-1")


@pytest.mark.parametrize("told", [[], ["--bonus", "optimistic"]])
def test_losses_are_those_of_the_learner_that_plans_before_every_episode(capsys, told):
    line = refused(capsys, "losses", "machine-repair", "--episodes", "9", "--replan", "1/10", *told)
    assert "plans before every episode" in line
