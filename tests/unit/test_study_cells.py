"""What the grid costs and how many cells are enough; which code it is."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import ctucbvi
from ctucbvi import CTMDP, InputError, Transition, bundled_model, solve, sources
from ctucbvi.learning import Environment, Settings, never_left, rescaling
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.study import Study, StudyResult, cells, contestant, enough_cells, grid_loss, run_study
from ctucbvi.study.plan import RunPlace


def study_of(name: str, episodes: int, steps: int = 100, learner: str = "ct-ucbvi") -> Study:
    model = bundled_model(name)
    model = model.with_rewards(*rescaling(model))
    return Study(model, Settings.for_model(model, episodes=episodes), 7, (contestant(learner, steps),))


def loss(study: Study) -> Fraction:
    found = grid_loss(study, study.contestants[0])
    assert found is not None
    return found


# A reward that switches at 1/2 and a state that is entered at any time: the grid has to find the switch.
SWITCH = CTMDP.of(
    "switch",
    horizon=1,
    transitions=[
        Transition.of("x", "a", rate=3, reward="1/2", to={"y": 1}),
        Transition.of("y", "quick", rate=40, reward=1, to={"z": 1}),
        Transition.of("y", "slow", rate="1/10", reward="3/10", to={"z": 1}),
        Transition.of("z", "a", rate="1/10", reward=0, to={"x": 1}),
    ],
)


@pytest.mark.parametrize("name", ["machine-repair", "maintenance", "queue"])
def test_the_loss_of_a_finer_grid_is_smaller_and_never_negative(name):
    losses = [loss(study_of(name, 1000, steps)) for steps in (5, 50, 500)]
    assert losses[0] > losses[1] > losses[2] >= 0
    assert loss(study_of("maintenance", 1000)) < Fraction(1, 20_000)


def test_the_loss_is_that_of_a_policy_of_the_exact_side():
    study = study_of("machine-repair", 1000, 20)
    best = solve(study.model, digits=15).policy()
    points = [Fraction(2 * i - 1, 40) for i in range(1, 21)]
    rules = {
        x: [(Fraction(0), best.action(x, Fraction(1, 20)))]
        + [(t, best.action(x, t + Fraction(1, 40))) for t in points[1:]]
        for x in study.model.states
    }
    read_off = ctucbvi.evaluate(ctucbvi.Policy.of(study.model, rules), digits=15).value("operating")
    gap = solve(study.model, digits=15).value("operating").mid - read_off.mid
    assert float(loss(study)) == pytest.approx(float(gap), abs=1e-11)


def test_a_learner_in_discrete_time_has_no_grid():
    study = study_of("machine-repair", 100, learner="ucbvi@7")
    assert grid_loss(study, study.contestants[0]) is None
    assert enough_cells(study, study.contestants[0]) == 7


def test_more_cells_where_they_are_needed(monkeypatch):
    study = study_of("maintenance", 10**6)
    each = study.contestants[0]
    assert enough_cells(study, each) == 100
    monkeypatch.setattr(cells, "SHARE", Fraction(1, 10**5))
    fine = enough_cells(study, each)
    assert 100 < fine <= cells.MOST
    assert fine == enough_cells(replace(study, seed=8), each)  # not a matter of the seed
    monkeypatch.setattr(cells, "SHARE", Fraction(0))
    assert enough_cells(study, each) == cells.MOST


def test_where_nothing_is_lost_the_fewest_cells_do(monkeypatch):
    monkeypatch.setattr(cells, "SHARE", Fraction(0))
    study = study_of("lower-bound-tree", 1000)  # the optimal policy does not depend on time
    assert enough_cells(study, study.contestants[0]) == cells.FEWEST


@pytest.mark.parametrize("name", ["machine-repair", "maintenance", "queue", "sis"])
def test_by_default_the_grid_costs_less_than_a_hundredth_of_the_regret(name):
    study = study_of(name, 3000)
    steps = enough_cells(study, study.contestants[0])
    study = replace(study, contestants=(contestant("ct-ucbvi", steps),))
    (learner,) = StudyResult.of(run_study(study, 1)).to_json()["learners"]
    assert 0 <= learner["grid_share"] < 0.01
    assert learner["grid_loss_per_episode"] >= float(loss(study))


# --- names and bonuses ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "bonus"), [("ct-ucbvi", "paper"), ("sharp", "sharp"), ("greedy", "none")])
@pytest.mark.parametrize("told", ["paper", "sharp", "none"])
def test_what_a_learner_is_called_says_which_bonus_it_has(name, bonus, told):
    model = bundled_model("machine-repair")
    settings = Settings.for_model(model, episodes=50, bonus=told)
    made = contestant(name, 10).make(RunPlace(model, settings, 1, 0, (("operating", Fraction(1)),)), 10, None)
    assert made.settings.bonus == bonus


# --- pairs that are never left ----------------------------------------------------------------


def test_pairs_of_rate_0_are_named_where_they_keep_their_bonus():
    study = study_of("queue", 1000)
    (pair,) = StudyResult.of(run_study(study, 1)).to_json()["never_left"]
    assert (pair["state"], pair["action"]) == ("0", "reject")
    for bonus in ("sharp", "none"):
        assert never_left(study.model, replace(study.settings, bonus=bonus), ["0"]) == ()
    assert StudyResult.of(run_study(study_of("queue", 50, learner="sharp"), 1)).to_json()["never_left"] == []
    assert StudyResult.of(run_study(study_of("machine-repair", 50), 1)).to_json()["never_left"] == []


def test_pairs_that_are_out_of_reach_are_not():
    rows = [
        Transition.of("x", "a", rate=1, reward="1/2", to={"x": 1}),
        Transition.of("y", "a", rate=0, reward=0),
    ]
    model = CTMDP.of("apart", horizon=1, transitions=rows)
    settings = Settings.for_model(model, episodes=50)
    assert never_left(model, settings, ["x"]) == ()
    assert [pair.state for pair in never_left(model, settings, ["x", "y"])] == ["y"]


def test_the_bonus_that_is_kept_is_a_lower_bound_of_the_bonus():
    from ctucbvi.learning.fast.learner import FastLearner

    study = study_of("queue", 10**4)
    learner = FastLearner(study.model, study.settings, seed=1, steps=10)
    learner.advance(10**4)
    (pair,) = never_left(study.model, study.settings, ["0"])
    k = [(row.state, row.action) for row in study.model.transitions].index(("0", "reject"))
    bonus = learner.desk.gain[k] - float(study.model.transitions[k].reward)
    assert pair.bonus <= bonus < 1.2 * pair.bonus  # after thousands of visits


# --- accuracies -------------------------------------------------------------------------------


def test_an_accuracy_below_doubles_ends_where_nothing_can_be_told_from_0():
    settings = Settings.for_model(SWITCH, episodes=50, bonus="none", epsilon="k^-1/2*exp(-lambda_max*H)")
    learner = LocatedLearner(SWITCH, replace(settings, lambda_max=Fraction(800)))
    learner.n_plus, learner.time = [5] * 4, [1.0] * 4
    learner.jumps = [[0, 5, 0], [0, 0, 5], [0, 0, 5], [5, 0, 0]]
    plan = learner.plan()
    assert plan.epsilon == plan.distances[-1][0] == 0.0
    assert plan.distances[-2][0] > 0


def test_the_exact_learner_has_the_bits_that_a_small_accuracy_needs():
    model = bundled_model("machine-repair")
    settings = Settings.for_model(model, episodes=9, epsilon="k^-1/2*exp(-lambda_max*H)", lambda_max=800)
    learner = ExactLearner(model, settings)
    plans = [plan for plan, _ in learner.run(Environment(model, seed=1), 3)]
    assert all(plan.distance.upper < plan.epsilon.lower < Fraction(1, 2**1150) for plan in plans)
    plain = ExactLearner(model, Settings.for_model(model, episodes=9)).plan()
    assert plain.bits == 64  # no more than before where it is not needed


# --- which code -------------------------------------------------------------------------------


def test_a_study_of_other_code_is_refused(tmp_path, monkeypatch):
    study, package = study_of("machine-repair", 30, 5), tmp_path / "ctucbvi"
    run_study(study, 1, folder=tmp_path / "kept")
    shutil.copytree(Path(ctucbvi.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("ctucbvi.study.plan.digest", lambda: sources.digest_of(package))
    run_study(study, 1, folder=tmp_path / "kept")  # the same code in another place
    for changed in ("abreast.py", "learning/fast/sweeps.py", "exact/planner.py"):
        text = (package / changed).read_text(encoding="utf-8")
        (package / changed).write_text(f"{text}\n# changed\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"code is .* there and '.*' here"):
            run_study(study, 1, folder=tmp_path / "kept")
        (package / changed).write_text(text, encoding="utf-8")
