"""The certified planner of the optimistic equation: enclosures, ties, switches, and hostile estimates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from flint import arb, arb_poly, fmpq
from hypothesis import given

from ctucbvi import CTMDP, Transition, bundled_model, solve
from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import BALLS, enclosure, precision
from ctucbvi.learning import Environment, Settings, Statistics, rescaling
from ctucbvi.learning.exact import marching
from ctucbvi.learning.exact.equation import Equation, Hint, PairCandidates
from ctucbvi.learning.exact.jump_sets import AllVectors, WithinDistance
from ctucbvi.learning.exact.marching import march
from ctucbvi.learning.exact.optimistic import optimistic_plan
from ctucbvi.learning.exact.polynomials import bernstein, first_negative, least, lowest, size
from ctucbvi.strategies import models
from tests.hostile_estimates import hostile_estimates
from tests.optimistic_worlds import refuted
from tests.plain_optimistic import solve_plainly

KINDS = [(rates, jumps) for rates in ("paper", "poisson") for jumps in ("l1", "kl")]
BUNDLED = ["machine-repair", "lower-bound-tree", "maintenance", "queue", "sis"]


def learnt(name, episodes, **sets):
    """A bundled model, and what somebody who acts at random has seen of it."""
    model = bundled_model(name)
    model = model.with_rewards(*rescaling(model)) if name in ("queue", "maintenance", "sis") else model
    settings = Settings.for_model(model, episodes=1000, bonus="optimistic", **sets)
    world, draw, seen = Environment(model, seed=1), Random(1), Statistics.empty(model)
    for _ in range(episodes):
        seen = seen.after(world.episode(lambda x, _: draw.choice(model.actions_of(x))))
    return seen, settings


def check_plan(plan):
    """What holds of every plan, whatever the estimates."""
    model, horizon = plan.model, plan.model.horizon
    top = max(row.reward for row in model.transitions)
    assert plan.trajectory.error < arb(2) ** -50
    assert plan.trajectory.pieces[0].start == 0
    assert plan.trajectory.pieces[-1].end == 1
    for x in model.states:
        last = Fraction(0)
        for part in (Fraction(0), Fraction(1, 7), Fraction(2, 3), Fraction(1)):
            t = horizon * part
            value = plan.value(x, t)
            assert value.width <= horizon / 2**40
            assert 0 <= value.lower <= top * t + horizon / 2**40
            assert value.upper >= last  # rewards are not negative: values do not fall
            last = value.lower
            pairs, _ = plan.best(x, t)
            assert all(model.transitions[k].state == x for k in pairs)
        line = plan.segments(x)
        assert line[0].start.lower == 0
        assert line[-1].end.upper == horizon
        assert all(a.end == b.start for a, b in pairwise(line))
    for change in plan.switches:
        assert 0 <= change.lower <= change.upper <= horizon
        row = {(r.state, r.action): k for k, r in enumerate(model.transitions)}
        before, after = row[change.state, change.before], row[change.state, change.after]
        assert plan.commitment(before, change.lower) > plan.commitment(after, change.lower)
        assert plan.commitment(before, change.upper) < plan.commitment(after, change.upper)


# --- polynomials --------------------------------------------------------------------------------


def test_bernstein_coefficients_of_a_parabola():
    with precision(64):
        row = bernstein(arb_poly([1, -4, 4]), arb(1)).entries()  # (1 - 2t)²
        assert [float(b) for b in row] == [1.0, -1.0, 1.0]
        assert least(arb_poly([1, -4, 4]), arb(1)) == -1
        assert -1e-6 < lowest(arb_poly([1, -4, 4]), arb(1), arb(1e-6)) <= 0
        assert lowest(arb_poly([2, -4, 4]), arb(1), arb(1e-6)) == 0
        assert float(lowest(arb_poly([0, -4, 4]), arb(1), arb(1e-6))) == pytest.approx(-1, abs=1e-5)
        assert size(arb_poly([1, -4, 4]), arb(2)) == 25


@pytest.mark.parametrize(
    ("coefficients", "expected"),
    [
        ([1, -2], 0.5),
        ([1, 2], None),
        ([-1, 2], 0.0),
        ([1, -4, 4], None),
        ([0, 1, -2], 0.5),
        ([0, -1, 2], 0.0),
    ],
)
def test_where_a_polynomial_becomes_negative(coefficients, expected):
    with precision(64):
        found = first_negative(arb_poly(coefficients), arb(1), arb(2) ** -40)
    if expected is None:
        assert found is None
    else:
        assert float(int(found.p) / int(found.q)) == pytest.approx(expected, abs=1e-6)


# --- the equation -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_enclosures_against_a_plain_ode_solve(seed):
    statistics, settings = hostile_estimates(Random(seed), jumps="l1")
    plan, horizon = optimistic_plan(statistics, settings), statistics.model.horizon
    plain = solve_plainly(statistics, settings)
    for k, q in enumerate(plain):
        assert float(plan.commitment(k, horizon).mid()) == pytest.approx(q, abs=3e-8 * float(horizon))


@pytest.mark.parametrize("seed", [1, 3, 4, 5, 8, 12, 13, 14, 16, 19])
def test_enclosures_of_kl_sets_against_a_plain_ode_solve(seed):
    statistics, settings = hostile_estimates(Random(seed), jumps="kl")
    if len(statistics.n_plus) > 6 or settings.lambda_max * statistics.model.horizon > 20:
        pytest.skip("the plain solution takes minutes")
    plan, horizon = optimistic_plan(statistics, settings), statistics.model.horizon
    plain = solve_plainly(statistics, settings, 1e-8)
    for k, q in enumerate(plain):
        assert float(plan.commitment(k, horizon).mid()) == pytest.approx(q, abs=1e-6 * float(horizon))


@given(models(max_states=3, max_actions=2, rewards="unit", terminal=False))
def test_sets_of_one_point_give_the_planner_of_the_model(model):
    plain = solve(model, digits=12)
    with precision(128):
        horizon = BALLS.number(model.horizon)
        pairs = []
        for pair in model.pairs:
            law = dict(pair.to)
            centre = tuple(law.get(y, Fraction(0)) for y in range(len(model.states)))
            rate = BALLS.number(pair.rate) * horizon
            jumps = WithinDistance(centre, arb(0)) if pair.to else AllVectors()
            pairs.append(PairCandidates(pair.state, BALLS.number(pair.reward), rate, rate, jumps))
    found = march(Equation(len(model.states), tuple(pairs)), 64)
    with precision(104):
        for x, state in enumerate(model.states):
            for part in (fmpq(1, 3), fmpq(1)):
                piece = found.piece(part)
                mine = [piece.commitment(k, part) for k, pair in enumerate(model.pairs) if pair.state == x]
                best = enclosure(mine[0] if len(mine) == 1 else mine[0].max(mine[1]))
                t = Fraction(int(part.p), int(part.q)) * model.horizon
                true = plain.value(state, t)
                assert best.lower * model.horizon <= true.upper
                assert true.lower <= best.upper * model.horizon


@pytest.mark.parametrize(("rates", "jumps"), KINDS)
@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_models(name, rates, jumps):
    statistics, settings = learnt(name, 12, rates=rates, jumps=jumps)
    check_plan(optimistic_plan(statistics, settings, bits=48 if jumps == "kl" else 64))


@pytest.mark.parametrize("jumps", ["l1", "kl"])
def test_more_bits_give_narrower_enclosures_of_the_same_numbers(jumps):
    statistics, settings = learnt("maintenance", 40, jumps=jumps, rates="poisson")
    coarse, fine = (optimistic_plan(statistics, settings, bits=bits) for bits in (40, 90))
    for k in range(len(statistics.n_plus)):
        for t in (Fraction(1, 3), statistics.model.horizon):
            with precision(200):
                one, other = (enclosure(plan.commitment(k, t)) for plan in (coarse, fine))
            assert one.lower <= other.lower <= other.upper <= one.upper
            assert other.width < one.width / 2**40


def test_one_state_is_worth_its_reward():
    row = Transition.of("x", "a", rate=3, reward="1/2", to={"x": 1})
    model = CTMDP.of("alone", horizon=2, transitions=[row])
    seen = Statistics(model, 0, (Fraction(5),), ((17,),), (17,))
    for rates, jumps in KINDS:
        settings = Settings.for_model(model, episodes=9, bonus="optimistic", rates=rates, jumps=jumps)
        plan = optimistic_plan(seen, settings)
        assert plan.value("x").contains(Fraction(1))
        assert plan.value("x").width < Fraction(1, 10**17)


def test_nothing_seen_and_a_reward_of_one_is_worth_all_the_time():
    rows = [
        Transition.of("x", "a", rate=3, reward=1, to={"y": 1}),
        Transition.of("x", "b", rate=3, reward=1, to={"x": 1}),
        Transition.of("y", "a", rate=3, reward=0, to={"x": 1}),
    ]
    model = CTMDP.of("empty", horizon=1, transitions=rows)
    settings = Settings.for_model(model, episodes=9, bonus="optimistic")
    plan = optimistic_plan(Statistics.empty(model), settings)
    assert plan.value("x").upper == 1
    assert plan.best("x", Fraction(1, 2)) == ((0, 1), True)  # tied, and known to be
    assert [s.actions for s in plan.segments("x")] == [("a", "b")]
    # In y: Q' = λmax (t - Q), so Q(1) = 1 - (1 - e^{-3})/3.
    assert float(plan.value("y").mid) == pytest.approx(0.6832623561226213)


def test_a_huge_bound_on_the_rates_is_refused_in_one_line():
    statistics, _ = learnt("machine-repair", 3)
    settings = Settings.for_model(statistics.model, episodes=9, lambda_max=10**9, bonus="optimistic")
    with pytest.raises(UndecidedError, match="more than 20000 pieces"):
        optimistic_plan(statistics, settings)


@pytest.mark.parametrize("jumps", ["l1", "kl"])
@pytest.mark.parametrize("spoiled", ["stubborn", "backwards", "slow"])
def test_a_wrong_hint_makes_the_bound_larger_and_never_wrong(spoiled, jumps, monkeypatch):
    statistics, settings = learnt("maintenance", 30, jumps=jumps, rates="poisson")
    truth = optimistic_plan(statistics, settings)
    read = marching._PieceMarch._read

    def spoil(self, draft, t):
        hint = draft.hint if spoiled == "stubborn" else read(self, draft, t)
        if spoiled == "backwards":
            return Hint(hint.best, hint.order[::-1], hint.fast)
        return replace(hint, fast=tuple(False for _ in hint.fast)) if spoiled == "slow" else hint

    monkeypatch.setattr(marching._PieceMarch, "_read", spoil)
    monkeypatch.setattr(marching, "first_negative", lambda *_: None)
    monkeypatch.setattr(marching._PieceMarch, "finest", fmpq(1), raising=False)
    monkeypatch.setattr(marching._PieceMarch, "__setattr__", _without_finest)
    found = optimistic_plan(statistics, settings, bits=30)
    assert found.trajectory.error > 2 * truth.trajectory.error
    for k in range(len(statistics.n_plus)):
        assert found.commitment(k, statistics.model.horizon).overlaps(
            truth.commitment(k, statistics.model.horizon)
        )


def _without_finest(self, name, value):
    """Pieces stay as long as they are, however large their residuals."""
    object.__setattr__(self, name, fmpq(1) if name == "finest" else value)


# --- optimism -----------------------------------------------------------------------------------


@pytest.mark.parametrize("jumps", ["l1", "kl"])
def test_no_model_in_the_sets_is_worth_more(jumps):
    assert not [seed for seed in range(60) if refuted(seed, jumps)]


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("jumps", ["l1", "kl"])
def test_no_model_in_the_sets_is_worth_more_thoroughly(jumps, part):
    assert not [seed for seed in range(1000 + 150 * part, 1150 + 150 * part) if refuted(seed, jumps)]


# --- attacks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(4))
def test_hostile_estimates(part):
    for seed in range(50 * part, 50 * part + 50):
        statistics, settings = hostile_estimates(Random(seed), jumps="l1")
        check_plan(optimistic_plan(statistics, settings))


@pytest.mark.parametrize("part", range(4))
def test_hostile_estimates_of_kl_sets(part):
    for seed in range(12 * part, 12 * part + 12):
        statistics, settings = hostile_estimates(Random(seed), jumps="kl")
        check_plan(optimistic_plan(statistics, settings, bits=56))


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(20))
def test_hostile_estimates_thoroughly(part):
    for seed in range(1000 + 50 * part, 1050 + 50 * part):
        statistics, settings = hostile_estimates(Random(seed))
        check_plan(optimistic_plan(statistics, settings))
