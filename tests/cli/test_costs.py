"""Costs, lumps and models of Storm on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ctucbvi import Objective, save_model
from ctucbvi.cli import main
from ctucbvi.library import machine_repair
from tests.unit.test_drn import CHAIN, TEXT

COSTS = replace(machine_repair().with_rewards(-1, 1), objective=Objective.MIN, name="costs")
LUMPS = replace(
    machine_repair(),
    name="lumps",
    transitions=tuple(replace(r, lump=((r.to[0][0], r.rate),)) for r in machine_repair().transitions),
)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_model(COSTS, "costs.toml")
    save_model(LUMPS, "lumps.toml")
    (tmp_path / "chain.drn").write_text(CHAIN)
    (tmp_path / "repair.drn").write_text(TEXT)


def printed(capsys, *arguments: str, status: int = 0) -> str:
    assert main(list(arguments)) == status
    return capsys.readouterr().out


def refused(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    return message


@pytest.mark.parametrize("engine", ["exact", "certified", "numeric"])
def test_plan_prints_least_costs(engine, capsys):
    # The cost is 1 - r: what is lost of the time, 1 - 0.64105557.
    text = printed(capsys, "plan", "costs.toml", "--engine", engine, "--digits", "8")
    assert text.startswith("costs: committed, costs minimised, 8 digits")
    assert "operating  1               0.35894443" in text
    document = json.loads(
        printed(capsys, "plan", "costs.toml", "--engine", engine, "--digits", "8", "--json")
    )
    assert document["objective"] == "min"
    lower, upper = (float(document["values"][0][end]) for end in ("lower", "upper"))
    assert lower <= 0.358944430160078 <= upper
    assert [s["action"] for s in document["policy"]["operating"]] == ["fast", "slow"]


def test_both_problems_side_by_side_and_closed_forms(capsys):
    document = json.loads(printed(capsys, "plan", "costs.toml", "--semantics", "both", "--json"))
    assert float(document["gap"][0]["gap"]) == pytest.approx(-0.0037942738)  # who may adjust pays less
    text = printed(capsys, "plan", "costs.toml", "--symbolic", "1")
    assert "3/10 - 3*exp(-2*t)/10" in text  # at first slow repair is cheaper, at 3/5 per unit of time


def test_a_picture_says_cost(capsys, tmp_path):
    printed(capsys, "plan", "costs.toml", "--plot", "costs.svg")
    assert "optimal cost" in (tmp_path / "costs.svg").read_text()
    printed(capsys, "plan", "machine-repair", "--plot", "rewards.svg")
    assert "optimal value" in (tmp_path / "rewards.svg").read_text()


def test_certificates_of_costs(capsys):
    plan = ("plan", "costs.toml", "--engine", "numeric", "--certificate", "c.json")
    printed(capsys, *plan)
    text = printed(capsys, "certify", "costs.toml", "c.json")
    assert "costs minimised" in text
    assert "proved: every value is within" in text
    assert json.loads(printed(capsys, "certify", "costs.toml", "c.json", "--json"))["objective"] == "min"
    save_model(
        replace(COSTS, objective=Objective.MAX), "rewards.toml"
    )  # the same numbers, under the same name
    message = refused(capsys, "certify", "rewards.toml", "c.json")
    assert "objective: 'min', but model 'costs' asks for 'max'" in message
    printed(capsys, "plan", "rewards.toml", "--engine", "numeric", "--certificate", "r.json")
    message = refused(capsys, "certify", "costs.toml", "r.json")
    assert "objective: 'max', but model 'costs' asks for 'min'" in message


def test_planners_agree_about_costs_and_lumps(capsys, tmp_path):
    text = printed(capsys, "crosscheck", "costs.toml", "lumps.toml")
    assert "4 of 4 agree" in text
    table = "state,t,value,action\noperating,1,0.358944430160078,slow\nrepair,0,0,\n"
    (tmp_path / "mine.csv").write_text(table)
    assert "2 of 2 rows within" in printed(capsys, "crosscheck", "costs.toml", "--values", "mine.csv")
    (tmp_path / "mine.csv").write_text(table.replace("slow", "fast"))
    printed(capsys, "crosscheck", "costs.toml", "--values", "mine.csv", status=1)


def test_truncation_of_costs_is_refused(capsys):
    for engine in ("exact", "numeric"):
        message = refused(capsys, "plan", "costs.toml", "--truncate", "--engine", engine)
        assert "minimises costs, and truncation caps rewards" in message


def test_learners_take_costs_as_rewards_and_refuse_lumps(capsys, tmp_path):
    ways = (("learn",), ("regret", "--steps", "5"), ("losses",), ("learn", "--check", "one.jsonl"))
    (tmp_path / "one.jsonl").write_text('{"episode": 1, "visits": [["operating", "slow"]]}\n')
    for command, *options in ways:
        message = refused(capsys, command, "costs.toml", "--episodes", "3", *options)
        assert "minimises costs, and the learner maximises rewards in [0, 1]" in message
        assert "rescale minus the costs with --rescale=1,1" in message
        message = refused(capsys, command, "lumps.toml", "--episodes", "3", *options)
        assert "has lumps at jumps: what they earn per unit of time depends on rates and jumps" in message


def test_costs_are_learned_saved_and_checked_as_rewards_are(capsys, tmp_path):
    """The costs are 1 - r of machine-repair: rescaled, they are its rewards, and so is all that follows."""
    rescaled = ("--episodes", "3", "--rescale=1,1")
    costs = json.loads(printed(capsys, "learn", "costs.toml", *rescaled, "--save", "h.jsonl", "--json"))
    rewards = json.loads(printed(capsys, "learn", "machine-repair", "--episodes", "3", "--json"))
    assert costs["episodes"] == rewards["episodes"]
    for model in ([], ["costs.toml"]):
        assert "0 differences" in printed(capsys, "learn", *model, "--check", "h.jsonl")
    assert "another model" in refused(capsys, "learn", "queue", "--check", "h.jsonl")
    (tmp_path / "bare.jsonl").write_text("\n".join((tmp_path / "h.jsonl").read_text().splitlines()[1:]))
    assert "0 differences" in printed(capsys, "learn", "costs.toml", *rescaled, "--check", "bare.jsonl")


def test_suites_of_the_paper_refuse_lumps(capsys):
    message = refused(capsys, "verify", "contraction", "--model", "lumps.toml")
    assert "has lumps at jumps, and the paper has none" in message


def test_a_file_of_storm_becomes_a_model(capsys, tmp_path):
    text = printed(capsys, "models", "repair.drn", "--horizon", "1")
    (tmp_path / "mine.toml").write_text(text)
    found = printed(capsys, "plan", "mine.toml", "--digits", "8")
    assert "0      1               0.64105557" in found
    document = json.loads(
        printed(capsys, "models", "chain.drn", "--horizon", "2", "--goal", "done", "--json")
    )
    assert document["terminal"] == {"s=2&on=true": "1"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chain.drn",), "chain.drn: such a file has no horizon; write it as --horizon H"),
        (("repair.drn", "--horizon", "0"), "repair.drn: horizon: 0 is not positive"),
        (("chain.drn", "--horizon", "1"), "several reward models, and none is named; choose from: r, s"),
        (
            ("chain.drn", "--horizon", "1", "--constants", "N=2"),
            "--constants: an explicit model has none",
        ),
        (("chain.drn", "--property", "P"), "--property: an explicit model has none"),
        (("none.drn", "--horizon", "1"), "none.drn: cannot be read"),
        (("none.prism", "--horizon", "1"), "none.prism: no such file"),
        (("queue", "--horizon", "1"), "--horizon: for files in .drn, .prism"),
        (("--goal", "done"), "--goal: for files in .drn, .prism"),
        (
            ("chain.drn", "--horizon", "1", "--reward", "r", "--rationalize", "2"),
            "rationalize: 2 is no tolerance",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(arguments, message, capsys):
    assert message in refused(capsys, "models", *arguments)


def test_other_commands_say_how_to_make_a_model_file_of_it(capsys):
    assert "make a model file of it first: ctucbvi models FILE --horizon H" in refused(
        capsys, "plan", "chain.drn"
    )
