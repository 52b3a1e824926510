"""The study that is kept in docs/: its beginning is what the same runs give again."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from ctucbvi import bundled_model, solve
from ctucbvi.learning import Settings
from ctucbvi.study import Study, contestant
from ctucbvi.study.bound import regret_bound
from ctucbvi.study.evaluation import Evaluator
from ctucbvi.study.plan import RunPlace
from tests.histories import lengths_of

KEPT = Path(__file__).parents[2] / "docs" / "study"
EPISODES, FEW = 314, 45  # checkpoints


def beginning(kept, model, learner, episodes):
    """The mean regret of its first episodes, from runs that are made again."""
    settings = Settings.from_json(kept["settings"])
    entry = next(one for one in kept["learners"] if one["name"] == learner)
    cells = entry["steps"]
    study = Study(model, settings, kept["seed"], (contestant(learner, cells),))
    optimum, start = float(solve(model).value(model.initial).mid), model.state_index(model.initial)
    evaluator, total = Evaluator(model, cells), 0.0
    for run in range(kept["runs"]):
        place = RunPlace(model, settings, kept["seed"], run, study.initial)
        stretch = study.contestants[0].make(place, cells, None).advance(episodes)
        values = evaluator.values(stretch.distinct)[:, start][stretch.which]
        total += float(((optimum - values) * lengths_of(stretch)).sum())
    shown = dict(zip(kept["checkpoints"], entry["mean"], strict=True))
    return total / kept["runs"], shown[episodes]


def test_the_beginning_of_the_kept_study_can_be_had_again():
    kept = json.loads((KEPT / "machine-repair.json").read_text())
    again, shown = beginning(kept, bundled_model("machine-repair"), "ct-ucbvi", EPISODES)
    assert again == pytest.approx(shown, rel=1e-9)


LEARNERS = ("ct-ucbvi", "sharp", "optimistic", "optimistic-kl", "optimistic-poisson", "optimistic-poisson-kl")


@pytest.mark.parametrize(
    ("name", "rescaled"),
    [("machine-repair", ()), ("maintenance", ("1/16", "3/8")), ("queue", ("1/14", "4/7"))],
)
def test_the_studies_of_all_learners_are_of_full_size_and_can_be_had_again(name, rescaled):
    kept = json.loads((KEPT / f"learners-{name}.json").read_text())
    assert (kept["settings"]["episodes"], kept["runs"]) == (10**7, 30)
    assert {one["name"] for one in kept["learners"]} == set(LEARNERS)
    model = bundled_model(name)
    model = model.with_rewards(*rescaled) if rescaled else model
    for learner in LEARNERS[:2] + LEARNERS[-2:]:  # some of them: the others are made of the same parts
        again, shown = beginning(kept, model, learner, FEW)
        assert again == pytest.approx(shown, rel=1e-9)
    bound = regret_bound(model, Settings.from_json(kept["settings"]), kept["checkpoints"]).values
    assert kept["bound"] == pytest.approx(bound, rel=1e-9)


def test_it_is_of_full_size_and_took_less_than_an_hour():
    kept = json.loads((KEPT / "machine-repair.json").read_text())
    assert (kept["settings"]["episodes"], kept["runs"]) == (10**7, 30)
    assert Fraction(kept["settings"]["delta"]) == Fraction(1, 20)
    assert kept["cost"]["seconds"] < 3600
    assert kept["learners"][0]["mean"][-1] == pytest.approx(17521, abs=1)
