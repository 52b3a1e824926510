"""The studies of several learners that are kept in docs: their beginning is what the same runs give again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings, rescaling
from ctucbvi.study import Study, StudyResult, contestant
from ctucbvi.study.blocks import Account
from ctucbvi.study.driver import StudyRuns
from ctucbvi.study.plan import RunPlace
from ctucbvi.study.shards import RunState

KEPT = Path(__file__).parents[2] / "docs" / "study"
EPISODES = 314  # a checkpoint


@pytest.fixture(scope="module", params=["sharp", "queue"])
def kept(request) -> dict:
    return json.loads((KEPT / f"{request.param}.json").read_text())


def test_the_beginning_of_the_kept_study_can_be_had_again(kept):
    model, settings = bundled_model(kept["model"]), Settings.from_json(kept["settings"])
    if kept["model"] == "queue":  # whose rewards are not in [0, 1]
        model = model.with_rewards(*rescaling(model))
    learners = tuple(contestant(learner["name"], learner["steps"]) for learner in kept["learners"])
    study = Study(model, settings, kept["seed"], learners)
    passed = [k for k in kept["checkpoints"] if k <= EPISODES]
    runs = {}
    for each in learners:
        states = []
        for run in range(kept["runs"]):
            account = Account(study, each, RunState())
            place = RunPlace(model, settings, kept["seed"], run, study.initial)
            account.add(each.make(place, each.steps, None).advance(EPISODES))
            full = account.curve + account.curve[-1:] * (len(study.checkpoints) - len(account.curve))
            states.append(RunState(EPISODES, account.earned, tuple(full)))
        runs[each.name] = tuple(states)
    curves = StudyResult.of(StudyRuns(study, runs, 0)).curves
    for learner, curve in zip(kept["learners"], curves, strict=True):
        found = [float(m) for m in curve.mean[: len(passed)]]
        assert found == pytest.approx(learner["mean"][: len(passed)], rel=1e-8)


def test_the_page_says_what_was_found(kept):
    text = (KEPT / "README.md").read_text(encoding="utf-8")
    finals = {learner["name"]: learner["mean"][-1] for learner in kept["learners"]}
    digits = ".1f" if kept["model"] == "queue" else ".0f"
    assert all(f"{mean:{digits}}" in text for mean in finals.values())
    assert finals["ct-ucbvi"] > 5 * finals["sharp"]
    assert finals["sharp"] > 20 * finals.get("optimistic", 0)
