"""The study with the sharp bonus that is kept in docs/: its beginning is what the same runs give again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings
from ctucbvi.study import Study, StudyResult, contestant
from ctucbvi.study.blocks import Account
from ctucbvi.study.driver import StudyRuns
from ctucbvi.study.plan import RunPlace
from ctucbvi.study.shards import RunState

KEPT = Path(__file__).parents[2] / "docs" / "study"
EPISODES = 314  # a checkpoint


@pytest.fixture(scope="module")
def kept() -> dict:
    return json.loads((KEPT / "sharp.json").read_text())


def test_the_beginning_of_the_kept_study_can_be_had_again(kept):
    model, settings = bundled_model("machine-repair"), Settings.from_json(kept["settings"])
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


def test_the_sharp_bonus_has_a_fraction_of_the_regret(kept):
    paper, sharp = (learner["mean"][-1] for learner in kept["learners"])
    assert [learner["name"] for learner in kept["learners"]] == ["ct-ucbvi", "sharp"]
    text = (KEPT / "README.md").read_text(encoding="utf-8")
    assert f"{paper:.0f}" in text
    assert f"{sharp:.0f}" in text
    assert paper > 5 * sharp
