"""What the bounds of a model with pairs that are never left say about it, and what about others."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction

import pytest

from ctucbvi import bundled_models, find_model, solve
from ctucbvi.cli import main


def report(capsys, *arguments: str) -> str:
    assert main(["constants", *arguments]) == 0
    return re.sub(r"\n  (?=\S)", " ", capsys.readouterr().out)


def facts(capsys, *arguments: str) -> dict:
    assert main(["constants", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["queue", "sis", "reachability"])
def test_the_pair_is_named_and_what_needs_no_smallest_rate_is_given(capsys, name):
    found = facts(capsys, name, "--K", "1e6")
    idle = {(row.state, row.action) for row in find_model(name).transitions if row.rate == 0}
    assert {(pair["state"], pair["action"]) for pair in found["about_the_model"]["never_left"]} == idle
    assert idle
    bounds = {v["name"]: v["value"] for v in found["upper_bound"]["versions"]}
    assert bounds["sharp"] is None
    assert all(bounds[name] is not None for name in ("optimistic", "poisson", "kl", "tilts"))


def test_the_remedy_is_the_same_problem_and_its_bounds_are_those_of_the_command_named(capsys):
    text = report(capsys, "reachability", "--K", "1e6")
    assert "goal/stay, lost/stay are never left (rate 0)" in text
    assert "delta" not in text.partition("printed, repaired")[2].partition("need lambda_min")[0]
    command = re.search(r"those of ctucbvi (constants [-\w ./]+)", text)[1].strip()
    other = facts(capsys, *shlex.split(command)[1:])
    assert other["upper_bound"]["value"] is not None

    model = find_model("reachability")
    rows = [
        row if row.rate else replace(row, rate=model.max_rate, to=((row.state, Fraction(1)),))
        for row in model.transitions
    ]
    turned = replace(model, transitions=tuple(rows))
    assert str(min(row.rate for row in turned.transitions)) == other["parameters"]["lambda_min"]
    for state in model.states:
        assert solve(turned, digits=12).value(state).overlaps(solve(model, digits=12).value(state))


def test_where_there_is_a_choice_the_remedy_is_called_another_problem(capsys):
    text = report(capsys, "queue", "--K", "1e6")
    assert "0/reject is never left (rate 0)" in text
    assert "that is another problem" in text
    assert "those of ctucbvi constants" not in text


def test_what_is_about_the_class_is_not_said_of_the_model(capsys):
    assert "a lower bound is about the class" in report(capsys, "lower-bound-tree", "--K", "1e6")
    without = report(capsys, "machine-repair", "--K", "1e6")
    assert "no lower bound" in without
    assert "about the class" not in without
    assert "never left" not in without
    sizes = report(capsys, "--S", "9", "--A", "2", "--H", "3", "--K", "1e6", "--lambda-max", "4")
    assert "about the class" not in sizes


def test_units_and_terminal_rewards_are_told(capsys):
    assert "1/14 * r + 4/7" in report(capsys, "queue", "--K", "1e6")
    assert "knows no terminal reward" in report(capsys, "reachability", "--K", "1e6")


def test_most_bundled_models_are_of_this_kind():
    assert sum(any(row.rate == 0 for row in model.transitions) for model in bundled_models().values()) == 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--sweep", "K=1..1e5:3", "--K", "7"], "--K: the sweep is over K"),
        (["--K", "7", "--sweep", "H=1..2:3", "--digits", "5"], "--digits: changes nothing in a sweep"),
        (["--K", "7", "--sweep", "H=1..2:3", "--time", "5", "--jumps", "1"], "--time, --jumps: changes"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(capsys, arguments, says):
    assert main(["constants", "machine-repair", *arguments]) == 2
    assert says in capsys.readouterr().err
