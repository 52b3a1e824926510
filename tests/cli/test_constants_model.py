"""What the bounds of a model with pairs that are never left say about it, and what about others."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction

import pytest

from ctucbvi import bundled_models, find_model, save_model, solve
from ctucbvi.cli import main
from ctucbvi.library import machine_repair


def report(capsys, *arguments: str) -> str:
    assert main(["constants", *arguments]) == 0
    return re.sub(r"\n  (?=\S)", " ", capsys.readouterr().out)


def facts(capsys, *arguments: str) -> dict:
    assert main(["constants", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["queue", "sis", "maintenance"])
def test_the_pair_is_named_and_what_needs_no_smallest_rate_is_given(capsys, name):
    found = facts(capsys, name, "--K", "1e6")
    idle = {(row.state, row.action) for row in find_model(name).transitions if row.rate == 0}
    assert {(pair["state"], pair["action"]) for pair in found["about_the_model"]["never_left"]} == idle
    assert idle
    bounds = {v["name"]: v["value"] for v in found["upper_bound"]["versions"]}
    assert bounds["sharp"] is None
    assert all(bounds[name] is not None for name in ("optimistic", "poisson", "kl", "tilts"))


def test_the_remedy_is_the_same_problem_and_its_bounds_are_those_of_the_command_named(capsys, tmp_path):
    model = replace(find_model("reachability"), terminal=(Fraction(0),) * 4)
    save_model(model, tmp_path / "mine.toml")
    told = ["--K", "1e6", "--epsilon", "k^-1"]
    text = report(capsys, str(tmp_path / "mine.toml"), *told)
    assert "goal/stay, lost/stay are never left (rate 0)" in text
    assert "delta" not in text.partition("printed, repaired")[2].partition("need lambda_min")[0]
    command = re.search(r"those of ctucbvi (constants [-\w ./^']+)", text)[1].strip()
    other = facts(capsys, *shlex.split(command)[1:])
    assert other["upper_bound"]["value"] is not None
    assert other["parameters"]["epsilon"] == "k^-1"

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


def test_units_are_told(capsys):
    assert "1/14 * r + 4/7" in report(capsys, "queue", "--K", "1e6")


# --- models of which no bound of the regret is ------------------------------------------------

_REPAIR = machine_repair()
_LUMPS = replace(
    _REPAIR, transitions=tuple(replace(row, lump=((row.to[0][0], row.rate),)) for row in _REPAIR.transitions)
)
_END = replace(_REPAIR, terminal=(Fraction(0), Fraction(1)))


def _numbers(document: object) -> set[str]:
    """Every number as text that the document has, wherever it is."""
    if isinstance(document, dict):
        return set().union(*map(_numbers, document.values()))
    if isinstance(document, list):
        return set().union(*map(_numbers, document))
    return {document} if isinstance(document, str) and re.fullmatch(r"[-\d.e+]+", document) else set()


@pytest.mark.parametrize(
    ("model", "needs", "says"),
    [
        (_LUMPS, "no lumps at jumps", "operating/slow, operating/fast, repair/slow, repair/fast earn lumps"),
        (_END, "no terminal reward", "it has a terminal reward, and the paper knows none"),
    ],
)
def test_a_bound_that_is_not_about_the_model_is_not_printed(capsys, tmp_path, model, needs, says):
    file = str(tmp_path / "mine.toml")
    save_model(model, file)
    plain, mine = (facts(capsys, name, "--K", "1e7", "--replan", "1/10") for name in ("machine-repair", file))
    upper = [plain["upper_bound"], *plain["upper_bound"]["versions"]]
    bounds = {version["value"] for version in upper} - {None}
    assert len(bounds) > 10
    assert not bounds & _numbers(mine)
    for version in (mine["upper_bound"], *mine["upper_bound"]["versions"]):
        assert {"condition": needs, "holds": False} in version["conditions"]
        assert version["factors"] is version["trivial"] is version["vacuous_until"] is None
    radii = [{c["name"]: c["value"] for c in found["constants"]}["alpha"] for found in (plain, mine)]
    assert radii[0] == radii[1] is not None

    text = report(capsys, file, "--K", "1e7")
    assert says in text
    assert "in its factors" not in text
    assert "below K H" not in text
    assert main(["constants", file, "--sweep", "K=1..1e5:3"]) == 2
    assert f"every bound of the regret needs {needs}" in capsys.readouterr().err


@pytest.mark.parametrize(("scale", "shift", "units"), [(-1, 1, ["1", "1"]), (-14, 2, ["1/14", "1/7"])])
def test_bounds_of_costs_say_what_they_are_about(capsys, tmp_path, scale, shift, units):
    """The bounds are those of a model of rewards, rescaled as it is said; so is the learner's model."""
    costs = replace(_REPAIR.with_rewards(scale, shift), objective="min")
    save_model(costs, tmp_path / "mine.toml")
    arguments = ("--K", "1e7")
    found = facts(capsys, str(tmp_path / "mine.toml"), *arguments)
    assert found["about_the_model"]["rescaling"] == units
    assert found["upper_bound"] == facts(capsys, "machine-repair", *arguments)["upper_bound"]
    rewards = [row.reward for row in costs.plain().with_rewards(*map(Fraction, units)).transitions]
    assert 0 <= min(rewards) <= max(rewards) <= 1
    text = report(capsys, str(tmp_path / "mine.toml"), *arguments)
    assert f"--rescale={','.join(units)}" in text
    assert "excess cost" in text


def test_sweeps_say_what_they_are_about(capsys):
    text = report(capsys, "queue", "--sweep", "K=1..1e5:3")
    assert "0/reject is never left (rate 0)" in text
    assert "1/14 * r + 4/7" in text
    assert facts(capsys, "queue", "--sweep", "K=1..1e5:3")["about_the_model"]["never_left"]


def test_most_bundled_models_are_of_this_kind():
    assert sum(any(row.rate == 0 for row in model.transitions) for model in bundled_models().values()) == 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--sweep", "K=1..1e5:3", "--K", "7"], "--K: the sweep is over it"),
        (["--K", "7", "--sweep", "delta=1/9..1/2:3", "--delta", "1/5"], "--delta: the sweep is over it"),
        (["--K", "7", "--sweep", "H=1..2:3", "--digits", "5"], "--digits: changes nothing in a sweep"),
        (["--K", "7", "--sweep", "H=1..2:3", "--time", "5", "--jumps", "1"], "--time, --jumps: changes"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(capsys, arguments, says):
    assert main(["constants", "machine-repair", *arguments]) == 2
    assert says in capsys.readouterr().err
