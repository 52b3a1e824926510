"""Learners and bounds of a model with a discount: the state that ends an episode is one like the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_plan import run

MODEL = """
name = "shop"
horizon = 2
initial = { on = "1/3", off = "2/3" }
discount = "1/5"
states = ["on", "off"]
actions = ["a", "b"]
transition = [
    { state = "on", action = "a", rate = 2, reward = 1, to = { off = 1 } },
    { state = "on", action = "b", rate = 1, reward = "1/2", to = { off = 1 } },
    { state = "off", action = "a", rate = 0, reward = "1/4" },
]
"""


@pytest.fixture
def shop(tmp_path: Path) -> str:
    (tmp_path / "shop.toml").write_text(MODEL)
    return str(tmp_path / "shop.toml")


def test_the_learner_of_the_paper_has_its_bound(capsys, shop):
    status, out, err = run(
        capsys, "regret", shop, "--episodes", "200", "--runs", "2", "--workers", "1", "--json"
    )
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["never_left"] == []
    assert all(bound > 0 for bound in found["bound"][1:])  # it has none for one episode
    assert "never jumps" not in out


def test_losses_are_counted(capsys, shop):
    status, out, err = run(
        capsys, "losses", shop, "--episodes", "100", "--runs", "1", "--workers", "1", "--json"
    )
    assert (status, err) == (0, "")
    rows = json.loads(out)["links"]
    assert rows[-1]["label"] == "eq:regret-bound"
    assert all(row["held_in_runs"] == 1 for row in rows if row["kind"] == "on every path")


def test_rates_of_the_bounds_are_those_of_the_model_and_the_discount(capsys, shop):
    status, out, _ = run(capsys, "constants", shop, "--K", "1000", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["about_the_model"]["never_left"] == []
    bounds = {version["name"]: version["value"] for version in found["upper_bound"]["versions"]}
    assert all(bounds[name] is not None for name in ("repaired", "sharp", "halved", "optimistic"))
    _, sizes, _ = run(
        capsys, "constants", "--S", "3", "--A", "2", "--H", "2", "--K", "1000", "--lambda-max", "11/5",
        "--lambda-min", "1/5", "--json",
    )  # fmt: skip
    assert found["upper_bound"]["value"] == json.loads(sizes)["upper_bound"]["value"]
