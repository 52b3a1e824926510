"""Learners that plan lazily: against plain ones, interrupted, exact and compiled in lockstep."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from ctucbvi import InputError
from ctucbvi.bounds import Parameters, arithmetics
from ctucbvi.bounds.versions import LAZY
from ctucbvi.errors import UndecidedError
from ctucbvi.learning import DOUBLES, Environment, Settings, Statistics, constants
from ctucbvi.learning.exact import replanning as exact_rule
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast.discrete import DiscreteLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.fast.optimistic import compiled_learner
from ctucbvi.learning.fast.replanning import has_grown
from ctucbvi.learning.lockstep import Lockstep
from ctucbvi.learning.replanning import unknown_time
from ctucbvi.study import RunState, Study, StudyResult, contestant, document_text, run_study
from ctucbvi.study.blocks import Block, work
from ctucbvi.study.bound import regret_bound
from ctucbvi.study.learners import settings_of
from tests.histories import policies_of
from tests.lazy_learners import (
    BUSY,
    EVERY,
    MACHINE,
    MODELS,
    PLAIN,
    SETS,
    STILL,
    departures,
    told,
    wrong_decisions,
)
from tests.plain_learner import plainly_due
from tests.random_learners import random_model


def name(options: object) -> str:
    return "-".join(options.values()) or "paper" if isinstance(options, dict) else str(options)


# --- settings ---------------------------------------------------------------------------------


def test_settings_say_replan_only_if_it_is_not_zero():
    plain, lazy = told(MACHINE, 0), told(MACHINE, "1/100")
    assert "replan" not in plain.to_json()
    assert plain == Settings.for_model(MACHINE, episodes=400)
    assert lazy.to_json()["replan"] == "1/100"
    assert Settings.from_json(lazy.to_json()) == lazy != plain == Settings.from_json(plain.to_json())
    assert (
        lazy.with_bonus("sharp").replan == lazy.with_bonus("optimistic", "poisson").replan == Fraction(1, 100)
    )


@pytest.mark.parametrize("wrong", [-1, "-1/100", "x", "1/1000001", 10**6 + 1, True, None])
def test_other_factors_are_refused(wrong):
    with pytest.raises(InputError, match="replan"):
        told(MACHINE, wrong)


def test_what_cannot_be_lazy_says_so():
    with pytest.raises(InputError, match="discrete time plans before every episode"):
        DiscreteLearner(MACHINE, told(MACHINE, 1), seed=1)
    fine = MACHINE.with_horizon(Fraction(1, 3**18))
    given = told(fine, Fraction(1, 999983), episodes=400, bonus="optimistic")
    with pytest.raises(InputError, match="simpler fractions"):
        compiled_learner(fine, given, seed=1)


# --- the rule ---------------------------------------------------------------------------------


def test_the_time_up_to_which_rates_are_unknown():
    paper, tails = told(MACHINE, 1, bonus="optimistic"), told(MACHINE, 1, bonus="optimistic", rates="poisson")
    assert unknown_time(MACHINE, paper, DOUBLES) == constants(MACHINE, paper, DOUBLES).floor
    level = np.log(2 * 2 * 2 * 8 * 20)  # J = 2 + ⌈11/2⌉ for K(1 + λmax H) = 400 (1 + 4) = 2000
    assert unknown_time(MACHINE, tails, DOUBLES) == pytest.approx(3 * level / float(MACHINE.max_rate))


@pytest.mark.parametrize("horizon", [1, "4/3", "7/9"])
def test_compiled_decisions_are_exact_also_where_times_are_equal(horizon):
    wrong, equal = wrong_decisions(has_grown, horizon, 400)
    assert wrong == []
    assert equal > 50


def counts(draw: Random, seen: Statistics) -> Statistics:
    """Statistics with more of everything, often by a factor that is met exactly."""
    factors = [draw.choice((Fraction(1), Fraction(11, 10), Fraction(12, 10))) for _ in seen.time]
    time = tuple(f * t for f, t in zip(factors, seen.time, strict=True))
    n_plus = tuple(int(f * n) for f, n in zip(factors, seen.n_plus, strict=True))
    return replace(seen, episodes=seen.episodes + draw.randint(0, 2), time=time, n_plus=n_plus)


@pytest.mark.parametrize("options", EVERY, ids=name)
def test_the_exact_rule_is_the_plain_one(options):
    draw, answers = Random(7), []
    for _ in range(200):
        given = told(BUSY, "1/10", **options)
        floor = unknown_time(BUSY, given, DOUBLES)
        time = tuple(Fraction(draw.choice((0.0, 0.5, 0.95, 1.0, 30.0)) * floor) for _ in BUSY.pairs)
        n_plus = tuple(draw.choice((0, 1, 2, 10, 100)) for _ in time)
        before = Statistics(BUSY, 30, time, Statistics.empty(BUSY).jumps, n_plus)
        now = counts(draw, before)
        answers.append(exact_rule.due(before, now, given))
        assert answers[-1] == plainly_due(before, now, given)
    assert 20 < sum(answers) < 180


def test_a_comparison_that_cannot_be_decided_is_not_taken_as_false():
    given = told(MACHINE, "1/10", bonus="optimistic")
    floor = Fraction(unknown_time(MACHINE, given, DOUBLES))  # within 1e-15 of the truth
    empty = Statistics.empty(MACHINE)
    now = replace(empty, episodes=1, time=(floor * Fraction(11, 10), *empty.time[1:]))
    with pytest.raises(UndecidedError, match="plan again"):
        exact_rule.due(empty, now, given, max_bits=32)
    assert exact_rule.due(empty, now, given) == plainly_due(empty, now, given)


# --- against plain learners -------------------------------------------------------------------


@pytest.mark.parametrize("replan", ["1/50", "1/10", "3/2"])
@pytest.mark.parametrize("options", PLAIN, ids=name)
@pytest.mark.parametrize("model", MODELS)
def test_the_same_plans_policies_and_draws_as_a_plain_learner(model, options, replan):
    given = told(MODELS[model], replan, **options)
    assert list(departures(MODELS[model], given, 60)) == []


@pytest.mark.parametrize("bonus", ["paper", "sharp", "none"])
def test_a_factor_that_every_episode_exceeds_is_planning_before_every_episode(bonus):
    tiny, never = told(BUSY, Fraction(1, 10**6), bonus=bonus), told(BUSY, 0, bonus=bonus)
    lazy, eager = (compiled_learner(BUSY, g, seed=3, steps=9) for g in (tiny, never))
    one, other = lazy.advance(300), eager.advance(300)
    assert one.planned == 300
    assert (one.starts == other.starts).all()
    assert (policies_of(one) == policies_of(other)).all()
    assert lazy.time == eager.time


@pytest.mark.parametrize("options", EVERY, ids=name)
def test_a_large_factor_makes_few_plans(options):
    eager, some, few = (
        compiled_learner(MACHINE, told(MACHINE, r, 5000, **options), seed=3, steps=9, skip=False)
        .advance(5000)
        .planned
        for r in (0, "1/10", 1)
    )
    assert eager == 5000 > 5 * some > 10 * few > 20


# --- stopping and going on --------------------------------------------------------------------


@pytest.mark.parametrize("options", EVERY, ids=name)
def test_a_run_that_was_stopped_goes_on_as_if_it_was_not(options):
    given = told(BUSY, "1/10", **options)
    whole = compiled_learner(BUSY, given, seed=3, steps=9)
    played = whole.advance(400)
    policies, planned, learner = [], 0, compiled_learner(BUSY, given, seed=3, steps=9)
    for part in (1, 1, 3, 100, 95, 200):
        stretch = learner.advance(part)
        planned += stretch.planned
        lengths = np.diff(np.append(stretch.starts, stretch.last + 1))
        policies += [p for p, n in zip(policies_of(stretch), lengths, strict=True) for _ in range(n)]
        snapshot = learner.snapshot()
        learner = compiled_learner(BUSY, given, seed=3, steps=9)
        learner.restore(snapshot)
    lengths = np.diff(np.append(played.starts, 401))
    assert (np.repeat(policies_of(played), lengths, axis=0) == policies).all()
    assert planned == played.planned < 400
    assert learner.snapshot() == whole.snapshot()


def test_a_snapshot_is_of_one_factor():
    one, other = (compiled_learner(BUSY, told(BUSY, r), seed=3, steps=9) for r in ("1/10", "1/11"))
    with pytest.raises(InputError, match="another learner"):
        other.restore(one.snapshot())


# --- in lockstep ------------------------------------------------------------------------------


QUICK = [(1, options) for options in EVERY if options not in SETS[1:3]]
TRIED = [(seed, options) for seed in (1, 3, 6) for options in EVERY]


@pytest.mark.parametrize(
    ("seed", "options"),
    [pytest.param(*one, marks=() if one in QUICK else pytest.mark.thorough) for one in TRIED],
    ids=name,
)
def test_exact_and_compiled_learners_in_lockstep_on_random_models(seed, options):
    draw = Random(seed)
    model = random_model(draw, distinct=True)
    given = told(model, draw.choice(("1/2", 1)), episodes=12, delta="1/2", **options)
    leader = compiled_learner(model, given, seed=seed, steps=40, record=True)
    steps = list(Lockstep(model, given).follow(leader, 12))
    assert [d for step in steps for d in step.unexplained] == []
    made = {step.plan.episode for step in steps}
    assert 1 < len(made) < 12
    assert [step.episode for step in steps] == list(range(1, 13))


@pytest.mark.parametrize("bonus", ["paper", "sharp", "none"])
def test_exact_and_located_learners_in_lockstep(bonus):
    given = told(BUSY, "1/4", episodes=12, bonus=bonus)
    steps = list(Lockstep(BUSY, given).run(Environment(BUSY, seed=2), 12))
    assert [d for step in steps for d in step.differences] == []
    assert 1 < len({step.plan.episode for step in steps}) < 12


class Hasty(LocatedLearner):
    """Plans before every episode, whatever it was told."""

    def due(self):
        return True, super().due()[1]


def test_lockstep_lists_a_plan_that_was_not_due():
    given = told(BUSY, "1/4", episodes=12)
    steps = list(Lockstep(BUSY, given, fast=Hasty).run(Environment(BUSY, seed=2), 12))
    kinds = {d.kind for step in steps for d in step.unexplained}
    assert kinds == {"plan", "error"}  # where the plans differ nothing bounds the values' difference
    lazy, eager = (told(BUSY, eta, 12, bonus="optimistic") for eta in (1, 0))
    leader = compiled_learner(BUSY, eager, seed=1, steps=20, record=True, skip=False)
    found = [d.kind for step in Lockstep(BUSY, lazy).follow(leader, 12) for d in step.unexplained]
    assert "plan" in found
    assert "set" in found


@pytest.mark.parametrize("options", [{}, SETS[1]], ids=name)
def test_the_exact_learner_keeps_its_plan_until_the_plain_rule_says_so(options):
    given = told(BUSY, "1/5", episodes=25, **options)
    leader = compiled_learner(BUSY, given, seed=4, steps=30, record=True)
    history = leader.advance(25).history
    learner, seen, known = ExactLearner(BUSY, given), Statistics.empty(BUSY), None
    for k, episode in enumerate(history, 1):
        if known is None or plainly_due(known, seen, given):
            known = seen
        assert learner.episode == k
        assert learner.plan().statistics == known
        learner.observe(episode)
        seen = seen.after(episode)
    assert learner.statistics == seen
    with pytest.raises(InputError, match="beyond the 25"):
        learner.plan()
    late = ExactLearner(
        BUSY, replace(given, episodes=26)
    )  # nobody asks for its plans: it knows when they were
    for episode in history:
        late.observe(episode)
    known = known if not plainly_due(known, seen, given) else seen
    assert late.plan().statistics == known


# --- studies ----------------------------------------------------------------------------------


def study(replan: object, names: tuple[str, ...]) -> Study:
    given = Settings.for_model(MACHINE, episodes=3000, replan=replan)
    return Study(MACHINE, given, 1, tuple(contestant(n, 20) for n in names))


NAMES = ("ct-ucbvi", "sharp", "greedy", "optimistic", "optimistic-poisson-kl", "ucbvi@20")


def test_a_study_that_is_interrupted_ends_the_same(tmp_path):
    lazy = study("1/10", NAMES)
    whole = run_study(lazy, 1)
    for each in NAMES[:3]:  # some are begun, and stop in the middle of what a plan is kept for
        half = work(Block(lazy, each, 0, RunState(), 1234)).state
        assert work(Block(lazy, each, 0, half, 3000)).state.curve == whole.runs[each][0].curve
    parts = run_study(lazy, 1, folder=tmp_path, block=777)
    assert document_text(StudyResult.of(parts).to_json()) == document_text(StudyResult.of(whole).to_json())
    with pytest.raises(InputError, match="replan"):
        run_study(study("1/11", NAMES), 1, folder=tmp_path)


def test_all_contestants_are_lazy_but_the_one_in_discrete_time():
    eager, lazy = run_study(study(0, NAMES), 1).runs, run_study(study("1/10", NAMES), 1).runs
    for each in NAMES[:-1]:
        assert settings_of(each, study("1/10", NAMES).settings).replan == Fraction(1, 10)
        assert lazy[each][0].planned < 500
    assert lazy["ucbvi@20"][0].curve == eager["ucbvi@20"][0].curve
    assert lazy["ucbvi@20"][0].planned == 3000


@pytest.mark.parametrize("rates", ["paper", "poisson"])
@pytest.mark.parametrize("jumps", ["l1", "kl"])
def test_the_bound_of_an_optimistic_learner_is_that_of_its_lazy_theorem(rates, jumps):
    options = {"bonus": "optimistic", "rates": rates, "jumps": jumps}
    name = "-".join(part for part in (jumps, rates) if part not in ("l1", "paper")) or "optimistic"
    (version,) = (one for one in LAZY if one.name == f"{name}-lazy")
    p = Parameters.of_model(MACHINE, episodes=400, replan="21/100")
    eager, lazy = (regret_bound(MACHINE, told(MACHINE, r, **options), [400]).values[0] for r in (0, "21/100"))
    assert lazy == pytest.approx(version.bound(p, arithmetics.DOUBLES))
    assert eager < lazy < 1.21 * eager


@pytest.mark.parametrize(
    ("name", "options"),
    [("sharp", {}), ("sharp-bonus", {"bonus": "sharp"}), ("known-rate", {"lambda_min": "3/2"})],
)
def test_the_bound_of_a_learner_with_a_bonus_is_that_of_its_lazy_theorem(name, options):
    (version,) = (one for one in LAZY if one.name == f"{name}-lazy")
    least = options.get("lambda_min")
    p = Parameters.of_model(MACHINE, episodes=400, replan="21/100", lambda_min=least)
    lazy = regret_bound(MACHINE, told(MACHINE, "21/100", **options), [400]).values[0]
    assert lazy == pytest.approx(version.bound(p, arithmetics.DOUBLES), rel=1e-12)
    again = regret_bound(MACHINE, told(MACHINE, "1/100", **options), [400]).values[0]
    assert 0.9 * lazy < again < lazy
    if name != "sharp":  # of the eager CT-UCBVI the printed bound is shown
        eager = regret_bound(MACHINE, told(MACHINE, 0, **options), [400]).values[0]
        assert again == pytest.approx(eager * 1.01**0.5, rel=1e-2)
        assert lazy == pytest.approx(1.1 * eager, rel=1e-2)


def test_there_is_no_bound_for_the_sharp_bonus_with_a_known_least_rate():
    found = regret_bound(MACHINE, told(MACHINE, "1/100", bonus="sharp", lambda_min=2), [400])
    assert found.values == (None,)
    assert "lambda_min" in found.missing


def test_a_pair_that_is_never_left_meets_the_factor_and_does_not_exceed_it():
    learner = compiled_learner(STILL, told(STILL, "1/10", bonus="none"), seed=1, steps=2)
    expected = [1]
    for k in range(2, 60):  # episode k begins with T = (k - 1)H
        if 10 * k > 11 * expected[-1] or 10 * (k - 1) > 11 * (expected[-1] - 1):
            expected.append(k)
    assert [k for k in range(1, 60) if learner.advance(1).planned] == expected
    assert 12 not in expected  # 11 horizons are 11/10 of 10, not more
