"""The sharp bonus: the same in all arithmetics, never more than half of the paper's, optimistic, tight."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi import InputError, algorithm2, bundled_model, solve
from ctucbvi.exact.precision import BALLS, enclosure, precision
from ctucbvi.learning import DOUBLES, Environment, Settings, constants, load_history
from ctucbvi.learning.exact.learner import ExactLearner, accuracy
from ctucbvi.learning.exact.verdicts import confident, optimistic
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.history import History
from ctucbvi.learning.lockstep import Lockstep
from ctucbvi.learning.sharp import bonus_of, sharp_bonus
from ctucbvi.study import Study, contestant, run_study
from proofs_checks import SOURCE
from proofs_checks.checks import sharper_bonus
from tests.fast_learners import ODD
from tests.histories import save_history, statistics_of
from verify.claims import Effort
from verify.running.engine import run_claim
from verify.running.loading import load_claims

MACHINE = bundled_model("machine-repair")


def sharp(model=MACHINE, episodes: int = 200, **options) -> Settings:
    return Settings.for_model(model, episodes=episodes, bonus="sharp", **options)


def plainly(told: Settings, horizon, *, rate, reward, time, n_plus) -> mpmath.mpf:
    """The bonus as a supremum over rates and remaining times, by quadrature on a grid of them."""
    radii = constants(MACHINE, told, DOUBLES)
    beta, alpha = radii.rate_radius(time, DOUBLES), min(radii.jump_radius(n_plus, DOUBLES), 2.0)
    low, high = max(rate - beta, 0.0), min(rate + beta, float(told.lambda_max))

    def wait(speed, t):
        return mpmath.quad(lambda s: mpmath.exp(-speed * s), [0, t])

    costs = []
    for i in range(1, 9):
        t = horizon * i / 8
        here = wait(rate, t)
        # Every rate in the interval, not its ends alone.
        rates = [low + (high - low) * j / 12 for j in range(13)] + [rate]
        lost = [
            reward * (wait(true, t) - here) + alpha / 2 * (t - wait(true, t))
            if true <= rate
            else (1 - reward) * (here - wait(true, t)) + alpha / 2 * (t - here)
            for true in rates
        ]
        costs.append(max(lost) / here)
    assert costs == sorted(costs)  # t = H decides
    return costs[-1]


@given(
    st.fractions(0, 7, max_denominator=50),
    st.fractions(0, 1, max_denominator=20),
    st.fractions(Fraction(1, 100), 10**4, max_denominator=100),
    st.integers(1, 10**5),
)
def test_all_arithmetics_agree_with_the_definition(rate, reward, time, n_plus):
    told = sharp()
    given_ = {"rate": rate, "reward": reward, "time": time, "n_plus": Fraction(n_plus)}
    radii = constants(MACHINE, told, DOUBLES)
    plain = {name: float(value) for name, value in given_.items()}
    double = bonus_of(told, radii, **plain, numbers=DOUBLES)
    with precision(128):
        balls = {name: BALLS.number(value) for name, value in given_.items()}
        ball = enclosure(bonus_of(told, constants(MACHINE, told, BALLS), **balls, numbers=BALLS))
    assert ball.width < Fraction(1, 10**20)
    assert double == pytest.approx(float(ball.mid), rel=1e-9, abs=1e-13)
    assert double == pytest.approx(float(plainly(told, 1, **plain)), rel=1e-9, abs=1e-12)
    assert -1e-15 <= double <= radii.bonus(plain["time"], plain["n_plus"], DOUBLES) / 2


def test_a_pair_never_left_gets_less_than_would_raise_its_reward_to_one():
    for reward in (0.0, 0.25, 1.0):
        found = bonus_of(
            sharp(),
            constants(MACHINE, sharp(), DOUBLES),
            rate=0.0,
            reward=reward,
            time=0.0,
            n_plus=0.0,
            numbers=DOUBLES,
        )
        assert found == pytest.approx((1 - reward) * (1 - (1 - np.exp(-7)) / 7))


def test_a_pair_stayed_at_for_long_and_never_left_gets_less_still():
    radii = constants(MACHINE, sharp(), DOUBLES)
    found = bonus_of(sharp(), radii, rate=0.0, reward=0.25, time=1e3, n_plus=0.0, numbers=DOUBLES)
    speed = radii.rate_radius(1e3, DOUBLES)
    assert speed < 7
    assert found == pytest.approx(0.75 * (1 - (1 - np.exp(-speed)) / speed))


def test_a_row_that_is_missing_costs_what_two_does():
    # With a known λmin a pair that was never left has the rate λmin and no row: p̂ = 0.
    told = sharp(lambda_min=2)
    data = {"rate": 2.0, "reward": 0.25, "time": 0.0, "n_plus": 0.0, "numbers": DOUBLES}
    found, here, fast = bonus_of(told, constants(MACHINE, told, DOUBLES), **data), *map(waited, (2.0, 7.0))
    assert found == pytest.approx(0.75 * (1 - fast / here) + (1 / here - 1))


def waited(z: float) -> float:
    return (1 - np.exp(-z)) / z


def test_rate_and_jumps_together_cost_less_than_one_by_one():
    # λ = 1, λ̂ = 2, a worthless state for half of the jumps, or all of them as it seems.
    told = {"rate": 2.0, "low": 1.0, "high": 2.0, "reach": 1.0, "reward": 1.0, "horizon": 1.0}
    here, slow = waited(2.0), waited(1.0)
    needed = (slow - here) / here + (1 - slow) / (2 * here)
    assert sharp_bonus(**told, numbers=DOUBLES) == pytest.approx(needed)
    one_by_one = slow / here - 1 + (1 / here - 1) / 2
    assert needed / one_by_one == pytest.approx(0.793, abs=1e-3)


# --- optimism, by the check that refutes smaller ones -------------------------------------------


@pytest.mark.thorough  # the claim lem:optimism/sharp and its mutant run in every profile
def test_optimism_holds_on_random_models_and_a_quarter_of_the_bonus_is_refuted():
    for share, verdict in ((Fraction(1), "tested"), (Fraction(1, 4), "refuted")):
        some = replace(sharper_bonus.iterates(share), examples=(150, 150))
        assert (
            run_claim(replace(load_claims(SOURCE)["lem:optimism/sharp"], checks=(some,)), Effort()).verdict
            == verdict
        )


@pytest.mark.parametrize("up", [True, False])
def test_the_bonus_is_attained_where_rate_and_jumps_err_together(up):
    one, alpha = Fraction(1), Fraction(1)
    case = sharper_bonus.sharpened(
        sharper_bonus.doubted(one, Fraction(1, 2), alpha, Fraction(3, 4) if up else Fraction(1, 4), up)
    )
    best = solve(case.model, digits=12, at=[("x", 1)]).value("x", 1)
    enough, less = (
        algorithm2(case.optimistic(share), Fraction(1, 10**6)).value.value("x", 1)
        for share in (one, Fraction(99, 100))
    )
    assert best.lower <= enough.upper + Fraction(1, 10**5)
    assert best.lower > less.upper + Fraction(1, 10**5)


def test_the_certified_learner_is_optimistic_up_to_epsilon_itself():
    told = sharp(episodes=25)
    learner, optimum = ExactLearner(MACHINE, told), solve(MACHINE, digits=12)
    for k, (plan, _) in enumerate(learner.run(Environment(MACHINE, seed=5)), 1):
        assert confident(plan)
        assert optimistic(plan, optimum)
        assert plan.epsilon.mid == pytest.approx(1 / (7 * k**0.5))
    # The verdict itself can fail: nobody is optimistic about a model in which more can be earned.
    richer = solve(MACHINE.with_rewards(2), digits=12)
    assert optimistic(plan, richer) is False


def check_the_stopping_rule() -> None:
    """At ε_k/(λmax H): all that is left of the iteration moves values by ε_k (``eq:error-vi/load``)."""
    for horizon, lambda_max in ((Fraction(1), 7), (Fraction(3), 7), (Fraction(1, 4), 11)):
        model = MACHINE.with_horizon(horizon)
        told, load = sharp(model, episodes=100, lambda_max=lambda_max), lambda_max * horizon
        assert accuracy(told, 4, horizon).mid == Fraction(1, 2) / load
        assert accuracy(replace(told, bonus="paper"), 4, horizon).mid == Fraction(1, 2)
        scaled = replace(told, epsilon=replace(told.epsilon, scaled=True))
        assert float(accuracy(scaled, 1, horizon).mid) == pytest.approx(np.exp(-float(load)) / float(load))
        # In hours instead of minutes it is the same.
        slow = replace(told, lambda_max=told.lambda_max / 60)
        assert slow.tightening(horizon * 60) == told.tightening(horizon)
        exact, located, world = (
            ExactLearner(model, told),
            LocatedLearner(model, told),
            Environment(model, seed=5),
        )
        for k, (plan, episode) in enumerate(exact.run(world, 3), 1):
            for accurate in (plan.epsilon.mid, located.plan().epsilon):
                assert float(accurate) * float(load) == pytest.approx(k**-0.5)
            located.observe(episode)
        compiled = FastLearner(model, told, seed=1, steps=10)
        assert compiled.scene.numbers.scale * float(load) == pytest.approx(1)


def test_the_stopping_rule_is_epsilon_over_the_load():
    check_the_stopping_rule()


# --- one bonus in all learners ------------------------------------------------------------------


@pytest.mark.parametrize("model", [MACHINE, ODD], ids=lambda m: m.name)
def test_the_compiled_learner_has_the_same_gains(model):
    learner = FastLearner(model, sharp(model), seed=1, record=True, steps=20)
    history = learner.advance(150).history
    before = statistics_of(model, history[:-1])
    radii, told = constants(model, learner.settings, DOUBLES), learner.settings
    gains = [
        float(r.reward)
        + bonus_of(
            told, radii, rate=float(before.rate(k, told)), reward=float(r.reward), time=float(before.time[k]),
            n_plus=float(before.n_plus[k]), numbers=DOUBLES,
        )
        for k, r in enumerate(model.transitions)
    ]  # fmt: skip
    assert learner.desk.gain == pytest.approx(gains, rel=1e-13)
    paper = FastLearner(model, replace(told, bonus="paper"), seed=1, steps=20)
    paper.advance(150)
    assert (paper.desk.gain > learner.desk.gain).all()


@pytest.mark.parametrize("model", [MACHINE, ODD], ids=lambda m: m.name)
def test_exact_and_located_learner_agree_in_lockstep(model):
    both = Lockstep(model, sharp(model, episodes=30))
    for step in both.run(Environment(model, seed=2), 30):
        assert all(d.explained for d in step.differences)


def test_lockstep_notices_a_bonus_that_is_slightly_wrong(monkeypatch):
    right = LocatedLearner.bonus
    monkeypatch.setattr(LocatedLearner, "bonus", lambda self, pair: right(self, pair) * (1 + 1e-9))
    steps = list(Lockstep(MACHINE, sharp(episodes=3)).run(Environment(MACHINE, seed=2), 3))
    assert any(d.kind == "bonus" and not d.explained for step in steps for d in step.differences)


def test_it_learns_faster_in_the_same_study():
    settings = Settings.for_model(MACHINE, episodes=20_000)
    study = Study(MACHINE, settings, 1, (contestant("ct-ucbvi", 50), contestant("sharp", 50)))
    runs = run_study(study, 2).runs
    assert all(s.earned > p.earned for s, p in zip(runs["sharp"], runs["ct-ucbvi"], strict=True))


# --- by name ------------------------------------------------------------------------------------


def test_settings_know_the_bonus_by_name_and_read_old_documents(tmp_path):
    old = {"paper": True, "none": False, "sharp": "sharp"}
    for name, written in old.items():
        told = Settings.for_model(MACHINE, episodes=5, bonus=name)
        assert told.to_json()["bonus"] == written
        assert Settings.from_json(told.to_json()) == told
        save_history(tmp_path / "history.jsonl", History(MACHINE, told, {}, ()))
        assert load_history(tmp_path / "history.jsonl").settings == told
    assert Settings.for_model(MACHINE, episodes=5, bonus=True) == Settings.for_model(MACHINE, episodes=5)
    assert replace(told, bonus=False).bonus == "none"
    with pytest.raises(InputError, match="bonus: 'large' is unknown; write paper, sharp, none"):
        Settings.for_model(MACHINE, episodes=5, bonus="large")


def test_a_known_slowest_rate_bounds_the_interval():
    radii = constants(MACHINE, sharp(lambda_min=2), DOUBLES)
    data = {"rate": 3.0, "reward": 1.0, "time": 10.0, "n_plus": 30.0, "numbers": DOUBLES}
    assert bonus_of(sharp(lambda_min=2), radii, **data) < bonus_of(sharp(), radii, **data)
