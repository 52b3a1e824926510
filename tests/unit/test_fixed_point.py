"""Planning with the accuracy 0: the march against sweeps without end, and what it accepts."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from ctucbvi import CTMDP, InputError, Transition, bundled_model
from ctucbvi.learning import Settings, rescaling
from ctucbvi.learning.estimated import estimated_model
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast import fixed_point, sweeps
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.statistics import Statistics
from ctucbvi.numeric import solve_numeric
from tests.fast_learners import ODD, QUIET, TWINS, plain_kernels

MODULES = ("episodes", "replanning", "fixed_point")


def random_model(draw: Random, most_states: int = 5) -> CTMDP:
    """A small model: rates from 0 to fast, rewards that are often equal, rows of any length."""
    states = [f"s{i}" for i in range(draw.randint(1, most_states))]
    rows = []
    for x in states:
        for a in "abc"[: draw.randint(1, 3)]:
            to = draw.sample(states, draw.randint(1, min(3, len(states))))
            rate = draw.choice((0, 0, 1, 1, 3, 10, 200))
            share = {y: Fraction(1, len(to)) for y in to} if rate else {}
            rows.append(Transition.of(x, a, rate=rate, reward=Fraction(draw.randint(0, 4), 4), to=share))
    return CTMDP.of("random", horizon=draw.choice(("1/3", 1, 2)), transitions=rows, states=states)


def learner(model: CTMDP, bonus: str = "sharp", **given) -> FastLearner:
    told = {"replan": given.pop("replan", 0), "bonus": bonus, "epsilon": given.pop("epsilon", "0")}
    rates = {"lambda_max": 1} if model.max_rate == 0 else {}
    settings = Settings.for_model(model, episodes=given.pop("of", 10**6), **told, **rates)
    return FastLearner(model, settings, seed=given.pop("seed", 3), **given)


def allowed(found: FastLearner) -> float:
    """2δ(1 + λmax H), and what rounding does to sweeps and march."""
    numbers = found.scene.numbers
    load, most = 1 + numbers.lambda_max * numbers.horizon, max(1.0, float(found.desk.gain.max()))
    rounding = 64 * (found.steps + 8) * 2.0**-53 * most
    return (2 * fixed_point.TOLERANCE + rounding) * numbers.horizon * load


def violations(found: FastLearner) -> list[str]:
    """Where the last plan is not the limit of the sweeps, or its policy not one of that."""
    scene, desk, pairs = found.scene, found.desk, len(found.scene.reward)
    table, policy, bound = desk.action_values[0][:pairs].copy(), desk.policy.copy(), allowed(found)
    values = desk.values[0].copy()
    n = sweeps.iterate(scene, desk, 0.0)
    limit = desk.action_values[sweeps.slot(n + 1, 2)][:pairs]
    wrong = ["table"] if (np.abs(table - limit)[:, 1:] > bound).any() else []
    wrong += ["values"] if (np.abs(values - desk.values[sweeps.slot(n, 2)])[:, 1:] > bound).any() else []
    for x in range(len(policy)):
        rivals = limit[scene.first[x] : scene.first[x + 1]]
        lost = rivals.max(axis=0) - np.take_along_axis(limit, policy[x][None], axis=0)[0]
        wrong += ["action"] if (lost[1:] > 2 * bound).any() or policy[x, 0] != policy[x, 1] else []
    return wrong


def compared(seeds: range) -> tuple[int, int, int]:
    """How many values of random models were cut off, and not, and were of settled states."""
    cut = free = settled = 0
    for seed in seeds:
        draw = Random(seed)
        found = learner(
            random_model(draw), draw.choice(("sharp", "none", "paper")), steps=draw.randint(1, 30), seed=seed
        )
        for episodes in (1, 3, 40, 400):
            found.advance(episodes)
            inside = found.desk.values[0][:, 1:] < found.scene.times[1:]
            cut, free = cut + int((~inside).sum()), free + int(inside.sum())
            settled += found._cells.settled.size * found.steps
            assert violations(found) == [], seed
    return cut, free, settled


def test_the_march_is_the_limit_of_the_sweeps_on_random_models():
    cut, free, settled = compared(range(250))
    assert min(cut, free, 2 * settled) > 10_000  # all occur


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_the_march_is_the_limit_of_the_sweeps_on_thousands_of_random_models(part):
    cut, free, settled = compared(range(1000 + 1000 * part, 2000 + 1000 * part))
    assert min(cut, free, 2 * settled) > 40_000


@pytest.mark.parametrize("model", [ODD, QUIET, TWINS, bundled_model("machine-repair")], ids=lambda m: m.name)
def test_after_many_episodes(model):
    found = learner(model, steps=50)
    for episodes in (10, 1000, 10_000):
        found.advance(episodes)
        assert violations(found) == []


def test_more_states_than_the_inverse_is_kept_for_are_iterated(monkeypatch):
    model = random_model(Random(5))
    quick = learner(model, steps=20)
    monkeypatch.setattr(fixed_point, "MOST_STATES", 0)
    slow = learner(model, steps=20)
    assert slow._cells.inverse.size == 0
    assert quick._cells.inverse.size > 0
    for one in (quick, slow):
        one.advance(300)
        assert violations(one) == []


def test_it_tends_to_the_fixed_point_of_the_estimated_model_with_the_square_of_a_cell():
    model = bundled_model("queue").with_rewards(*rescaling(bundled_model("queue")))
    errors = []
    for steps in (100, 200):
        found = learner(model, "none", steps=steps, of=2000, record=True)
        found._memory.counts[:], found._memory.jumps[:] = 0, 0
        seen = Statistics.empty(model)
        for episode in learner(model, "none", steps=20, of=2000, record=True).advance(200).history:
            seen = seen.after(episode)
        found._memory.counts[0] = [int(t / found._tick) for t in seen.time]
        found._memory.counts[2] = seen.n_plus
        rows = [seen.jumps[k][y] for k, pair in enumerate(model.pairs) for y, _ in pair.to if pair.rate]
        found._memory.jumps[:] = rows
        found.plan(201)
        rates = [Fraction(float(rate)) for rate in found.desk.rate]
        estimated = estimated_model(seen, found.settings, [Fraction(0)] * len(rates), rates)
        true = solve_numeric(estimated, tolerance=1e-10, truncate=True)
        errors.append(
            max(abs(found.desk.values[0][i, -1] - float(true.value(x))) for i, x in enumerate(model.states))
        )
    assert 0 < errors[1] < errors[0] / 3
    assert errors[0] < 1e-3 * float(model.horizon)


@pytest.mark.parametrize("replan", [0, "1/10"])
def test_a_run_may_be_cut_into_pieces_and_go_on_elsewhere(replan):
    whole = learner(ODD, steps=20, replan=replan).advance(900)
    first, second = (learner(ODD, steps=20, replan=replan) for _ in range(2))
    first.advance(400)
    second.restore(first.snapshot())
    rest = second.advance(500)
    assert np.array_equal(rest.distinct[rest.which[-1]], whole.distinct[whole.which[-1]])
    assert whole.planned == 900 if replan == 0 else 0 < whole.planned < 500


def test_only_compiled_learners_have_the_limit():
    settings = Settings.for_model(ODD, episodes=5, epsilon="0")
    assert Settings.from_json(settings.to_json()) == settings
    for kind in (ExactLearner, LocatedLearner):
        with pytest.raises(InputError, match="compiled learners of studies"):
            kind(ODD, settings)


# Two states in order, `down` and `end`, and three that are not; a row of three targets among these.
MIXED = CTMDP.of(
    "mixed",
    horizon=2,
    transitions=[
        Transition.of(
            "top", "a", rate=3, reward="1/4", to=dict.fromkeys(("top", "side", "far", "down"), "1/4")
        ),
        Transition.of("far", "a", rate=1, reward=1, to={"top": 1}),
        Transition.of("side", "a", rate=2, reward="1/2", to={"top": 1}),
        Transition.of("side", "b", rate=1, reward="1/3", to={"down": "1/3", "end": "2/3"}),
        Transition.of("down", "a", rate=2, reward=0, to={"end": 1}),
        Transition.of("down", "b", rate=4, reward="1/8", to={"end": 1}),
        Transition.of("end", "a", rate=0, reward="1/2"),
    ],
)


def test_states_in_order_are_settled_without_a_march():
    tree, queue = (bundled_model(name) for name in ("lower-bound-tree", "queue"))
    settled = {
        model.name: [model.states[x] for x in learner(model, steps=5)._cells.settled]
        for model in (tree, queue.with_rewards(*rescaling(queue)), MIXED, ODD)
    }
    assert settled["mixed"] == ["end", "down"]
    assert sorted(settled["lower-bound-tree"]) == sorted(tree.states)
    assert settled["queue"] == settled["odd"] == []


MUTANTS = {
    "nothing is cut off": ("change[x] = t if t < best else best", "change[x] = best"),
    "settled values are not cut off": ("= min(every[x, i], times[i])", "= every[x, i]"),
    "anything is accepted": ("if moved <= tolerance:", "if moved <= 1.0:"),
    "what came in before is forgotten": ("+ alpha[k] * inflow[k])", "+ alpha[k] * 0.0)"),
    "the last best action": ("leads[i] = k if table[k, i] > every[x, i] else leads[i]", "leads[i] = k"),
    "what comes in now is forgotten": ("found = source[k] + beta[k] * ahead", "found = source[k]"),
    "nothing comes from settled states": ("            if known[e]:", "            if False:"),
    "settled states forget": ("q0, q1 = d0 * q0 + r0[i], d1 * q1 + r1[i]", "q0, q1 = r0[i], r1[i]"),
    "only two targets": ("range(one + _TWO, row[k + _ONE])", "range(0)"),
}


def found_out(plain, model: CTMDP, bonus: str) -> list[str]:
    """What is wrong with a plan by these kernels."""
    found = learner(model, bonus, steps=12)
    found.advance(200)
    plain.fixed_point.march_cells(found.scene, found.desk, found._cells)
    return violations(found)


CASES = [(model, bonus) for model in (ODD, MIXED) for bonus in ("sharp", "none")]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_march_is_found_out(name):
    with plain_kernels(MODULES, fixed_point=MUTANTS[name]) as plain:
        assert any(found_out(plain, *case) for case in CASES)


def test_the_march_as_plain_python_is_right():
    with plain_kernels(MODULES) as plain:
        assert not any(found_out(plain, *case) for case in CASES)
