"""``ctucbvi study``: a configuration is what it is by itself, and a mistake in the file is one line."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from ctucbvi import InputError, bundled_model, save_model
from ctucbvi.cli import main
from ctucbvi.commands.study_file import KEYS, Configuration, read_study
from ctucbvi.study import driver
from ctucbvi.study.blocks import work
from tests.cli.test_plan import refused, run
from tests.cli.test_regret import OWN

GRID = """\
runs = 2
seed = 3
steps = 10
episodes = [40, 60]

[[grid]]
model = "machine-repair"
learner = ["ct-ucbvi", "mine.py"]

[[grid]]
model = "mine.toml"  # a file beside this one
horizon = ["1", "3/2"]
bonus = "none"
initial = { operating = "1/2", repair = "1/2" }
episodes = 50
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / "grid.toml").write_text(GRID)
    (folder / "mine.py").write_text(OWN)
    save_model(bundled_model("machine-repair"), folder / "mine.toml")
    return folder


@pytest.fixture(scope="module")
def whole(home) -> dict[str, str]:
    """Never interrupted: the result of each configuration, by its folder."""
    assert (
        main(["study", str(home / "grid.toml"), "--workers", "1", "--out", str(home / "whole"), "--json"])
        == 0
    )
    return results(home / "whole")


def results(folder: Path) -> dict[str, str]:
    return {file.parent.name: file.read_text() for file in folder.glob("*/result.json")}


def test_every_configuration_is_the_study_that_regret_makes(home, whole, tmp_path):
    alone = tmp_path / "alone.json"
    shared = [
        "--runs",
        "2",
        "--seed",
        "3",
        "--steps",
        "10",
        "--workers",
        "1",
        "--json",
        "--result",
        str(alone),
    ]
    mixed = ["--initial", "operating=1/2", "--initial", "repair=1/2"]
    for told in (
        ["machine-repair", "--episodes", "40"],
        ["machine-repair", "--episodes", "60"],
        [str(home / "mine.toml"), "--episodes", "50", "--bonus", "none", *mixed],
    ):
        assert main(["regret", *told, *shared]) == 0
        assert alone.read_text() in whole.values()
    assert len(whole) == 6


def test_the_table_the_json_and_the_csv_say_the_same(home, whole, capsys, tmp_path):
    command = ["study", str(home / "grid.toml"), "--workers", "1", "--out", str(home / "whole")]
    status, out, err = run(capsys, *command, "--csv", str(tmp_path / "table.csv"))
    assert (status, err) == (0, "")
    document = json.loads(run(capsys, *command, "--json")[1])
    assert (
        document["cost"]["episodes_found"]
        == document["cost"]["episodes"]
        == 2 * (40 + 60 + 40 + 60 + 50 + 50)
    )
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    lines = out.splitlines()
    assert lines[0].split()[:3] == ["episodes", "model", "learner"]
    assert "6 configurations; runs 2, seed 3, steps 10" in out
    for line, row, one in zip(lines[1:], rows, document["configurations"], strict=False):
        mean = one["result"]["learners"][0]["mean"][-1]
        assert float(row["regret"]) == one["regret"] == mean
        assert f"{mean:.6g}" in line
        assert whole[one["folder"]] == (home / "whole" / one["folder"] / "result.json").read_text()
    assert [row["learner"] for row in rows] == [
        "ct-ucbvi",
        "mine.py",
        "ct-ucbvi",
        "mine.py",
        "greedy",
        "greedy",
    ]
    assert [one["bound"] is None for one in document["configurations"]][:2] == [False, True]


def test_interrupted_it_goes_on_and_ends_with_the_same_bytes(home, whole, capsys, tmp_path, monkeypatch):
    command = [
        "study",
        str(home / "grid.toml"),
        "--workers",
        "1",
        "--block",
        "25",
        "--out",
        str(tmp_path / "out"),
    ]
    blocks = 0

    def failing(task):
        nonlocal blocks
        blocks += 1
        if blocks in (4, 13):
            raise KeyboardInterrupt
        return work(task)

    monkeypatch.setattr(driver, "work", failing)
    for _ in range(2):
        status, _, err = run(capsys, *command)
        assert status == 130
        assert "the same command goes on" in err
    status, out, _ = run(capsys, *command, "--json")
    assert status == 0
    assert json.loads(out)["cost"]["episodes_found"] > 0
    assert results(tmp_path / "out") == whole


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs = 2", "run = 2", "line 1: unknown key 'run'; did you mean runs"),
        ("runs = 2", "runs = [", "line 2, column 1: not TOML"),
        ("runs = 2", "runs = true", "line 1: runs: True is neither"),
        ("runs = 2", "runs = 2.5", "line 1: runs: 2.5 is not a whole number"),
        ("runs = 2", "runs = 0", "runs: 0"),
        ("runs = 2", "runs = 0", "line 1: runs: 0 is not a whole number from 1"),
        ("steps = 10", "replan = -1", "line 3: replan: -1 is not 0 or a positive fraction"),
        ("[40, 60]", "[]", "line 4: episodes: the list is empty"),
        ("[40, 60]", '["40"]', "line 4: episodes: 40 is not a whole number"),
        ("episodes = [40, 60]", "", "line 6: the key 'episodes' is missing"),
        ('"mine.toml"', '"nowhere.toml"', "line 10: nowhere.toml: no such file"),
        ('"mine.toml"', '"mahcine-repair"', "did you mean 'machine-repair'"),
        ('["1", "3/2"]', '["1", "0"]', "line 10: horizon"),
        ('["1", "3/2"]', '["1", "1/1"]', "line 10: a configuration of "),
        ('"mine.py"', '"shrp"', "line 6: learner 'shrp' is unknown"),
        ('"mine.py"', '"other.py"', "other.py: cannot be read"),
        ('bonus = "none"', 'bonus = "nnone"', "line 10: bonus: 'nnone' is unknown"),
        ('bonus = "none"', 'bonus = "none"\nlearner = "sharp"', "line 13: bonus: the learner says that"),
        ("initial = {", "initial = 3 # {", "line 14: initial: write a table"),
        ("initial = {", 'parameters = { capacity = 3 }\ninitial = {', "is no bundled one, and has none"),
        ('learner = ["ct-ucbvi", "mine.py"]', "parameters = { size = 1 }", "has no 'size'; it has none"),
        ('model = "machine-repair"', 'model = "queue"', "line 6: model 'queue': rewards from "),
        ('learner = ["ct-ucbvi", "mine.py"]', "parameters = 1", "line 8: parameters: write a table"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_one_line_with_its_place(home, capsys, old, new, message):
    file = home / "wrong.toml"
    assert old in GRID
    file.write_text(GRID.replace(old, new, 1))
    assert message in refused(capsys, "study", str(file), "--workers", "1")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["runs = 0"], "line 3: runs: 0 is not a whole number from 1"),
        (["runs = 1", "replan = -1"], "line 4: replan: -1 is not 0 or a positive"),
        (["delta = 2"], "line 3: delta: 2"),
        (["lambda-max = -1"], "line 3: lambda-max: -1"),
        (["horizon = 0"], "line 3: horizon: 0 is not positive"),
        (["learner = 'nowhere.py'"], "line 3: "),
        (["runs = 1", "initial = { on = 1 }"], "line 4: state 'on' is not in model 'machine-repair'"),
        (
            ["rescale = '2'"],
            'line 3: rescale 2: write two numbers, for example rescale = "1/20,3/5", or auto',
        ),
        (["rescale = '-1,0'"], "line 3: rescale -1,0: the factor must be positive"),
    ],
)
def test_a_file_without_grids_is_told_the_line_of_the_key(capsys, tmp_path, lines, message):
    file = tmp_path / "one.toml"
    file.write_text("\n".join(["episodes = 5", "model = 'machine-repair'", *lines]))
    found = refused(capsys, "study", str(file), "--workers", "1")
    assert f"one.toml: {message}" in found
    assert "--rescale" not in found


def test_rewards_are_rescaled_in_the_words_of_who_asks(capsys, tmp_path):
    file = tmp_path / "one.toml"
    file.write_text("runs = 1\nepisodes = 5\nmodel = 'queue'\nparameters = { capacity = 0 }\n")
    assert "one.toml: line 4: capacity: 0" in refused(capsys, "study", str(file))
    file.write_text("runs = 1\nepisodes = 5\nsteps = 10\nmodel = 'queue'\n")
    found = refused(capsys, "study", str(file))
    assert "line 4: model 'queue': rewards from" in found
    assert 'rescale them with rescale = "1/14,4/7" (' in found
    file.write_text(file.read_text() + "rescale = 'auto'\n")
    status, out, _ = run(capsys, "study", str(file), "--workers", "1")
    assert status == 0
    assert "\n1 configuration; " in out
    told = ["regret", "queue", "--runs", "1", "--episodes", "5", "--steps", "10", "--workers", "1"]
    alone = [
        run(capsys, *told, by)[1].split("episodes in")[0] for by in ("--rescale=auto", "--rescale=1/14,4/7")
    ]
    assert alone[0] == alone[1]
    assert "a regret of 1 is one of 14 in the model's own" in alone[0]


def test_a_file_that_is_not_there(capsys, tmp_path):
    (tmp_path / "one.toml").write_text("episodes = 5\n[grid]\nruns = 1\n")
    assert "write [[grid]]" in refused(capsys, "study", str(tmp_path / "one.toml"))
    assert "nowhere.toml: cannot be read" in refused(capsys, "study", str(tmp_path / "nowhere.toml"))
    assert "--csv" in refused(capsys, "study", "x.toml", "--csv", str(tmp_path / "no" / "x.csv"))


def read_or_refused(file: Path) -> list[Configuration] | str:
    try:
        return read_study(str(file))
    except InputError as error:
        return str(error)


def test_whatever_the_file_says_it_is_read_or_refused_with_its_place(tmp_path):
    """Thousands of files that somebody has spoilt: tokens left out, doubled, swapped and invented."""
    draw, file, read = random.Random(1), tmp_path / "grid.toml", 0
    tokens = [token for token in GRID.replace("\n", " \n ").split(" ") if token]
    for _ in range(3000):
        some = list(tokens)
        for _ in range(draw.randint(1, 3)):
            at, deed = draw.randrange(len(some)), draw.randrange(4)
            odd = draw.choice([*KEYS, "[[grid]]", "[", "{", "=", "1e3", "nan", '"x"', "true", "[[1]]", "\n"])
            some[at : at + 1] = [[], [some[at]] * 2, [some[draw.randrange(len(some))]], [odd]][deed]
        file.write_text(" ".join(some))
        found = read_or_refused(file)
        read += isinstance(found, list)
        if isinstance(found, str):
            assert found.startswith(f"{file}: line ")
            assert "\n" not in found
        else:
            assert all(set(one.told) >= {"model", "episodes"} for one in found)
    assert 100 < read < 2900
