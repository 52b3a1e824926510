"""The study that is kept in docs/: its beginning is what the same runs give again."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from ctucbvi import bundled_model, solve
from ctucbvi.learning import Settings
from ctucbvi.study import Study, contestant
from ctucbvi.study.evaluation import Evaluator
from ctucbvi.study.plan import RunPlace
from tests.histories import lengths_of

KEPT = Path(__file__).parents[2] / "docs" / "study"
EPISODES = 314  # a checkpoint


def test_the_beginning_of_the_kept_study_can_be_had_again():
    kept = json.loads((KEPT / "machine-repair.json").read_text())
    model = bundled_model("machine-repair")
    settings = Settings.from_json(kept["settings"])
    study = Study(model, settings, kept["seed"], (contestant("ct-ucbvi", 100),))
    optimum, start = float(solve(model).value("operating").mid), model.state_index("operating")
    evaluator, total = Evaluator(model, 100), 0.0
    for run in range(kept["runs"]):
        place = RunPlace(model, settings, kept["seed"], run, study.initial)
        stretch = study.contestants[0].make(place, 100, None).advance(EPISODES)
        values = evaluator.values(stretch.distinct)[:, start][stretch.which]
        total += float(((optimum - values) * lengths_of(stretch)).sum())
    shown = dict(zip(kept["checkpoints"], kept["learners"][0]["mean"], strict=True))
    assert total / kept["runs"] == pytest.approx(shown[EPISODES], rel=1e-9)


def test_it_is_of_full_size_and_took_less_than_an_hour():
    kept = json.loads((KEPT / "machine-repair.json").read_text())
    assert (kept["settings"]["episodes"], kept["runs"]) == (10**7, 30)
    assert Fraction(kept["settings"]["delta"]) == Fraction(1, 20)
    assert kept["cost"]["seconds"] < 3600
    assert kept["learners"][0]["mean"][-1] == pytest.approx(17521, abs=1)
