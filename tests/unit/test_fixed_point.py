"""Planning with the accuracy 0: the march against sweeps without end, and what it accepts."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from ctucbvi import CTMDP, InputError, Transition, bundled_model
from ctucbvi.abreast import WIDTH
from ctucbvi.learning import Settings, rescaling
from ctucbvi.learning.estimated import estimated_model
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast import fixed_point, sweeps, word_march
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.statistics import Statistics
from ctucbvi.numeric import solve_numeric
from tests.fast_learners import ODD, QUIET, TWINS, plain_kernels

MODULES = ("episodes", "replanning", "word_march", "fixed_point")


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


def tables(found: FastLearner) -> tuple[np.ndarray, np.ndarray]:
    """Q and V of the last plan, of settled states and of others."""
    (room, words), scene, points = found._cells, found.scene, len(found.scene.times)
    table, values = room.table.copy(), room.values.copy()
    by_time, of_blocks = words.table.reshape(points, -1, 2, WIDTH), words.values.reshape(points, -1)
    for n, x in enumerate(words.states):
        values[x] = of_blocks[:, n]
        for k in range(scene.first[x], scene.first[x + 1]):
            table[k] = by_time[:, *words.pair[k]]
    return table, values


def allowed(found: FastLearner) -> float:
    """2δ(1 + λmax H), and what rounding does to sweeps and march."""
    numbers = found.scene.numbers
    load, most = 1 + numbers.lambda_max * numbers.horizon, max(1.0, float(found.desk.gain.max()))
    rounding = 64 * (found.steps + 8) * 2.0**-53 * most
    return (2 * fixed_point.TOLERANCE + rounding) * numbers.horizon * load


def violations(found: FastLearner) -> list[str]:
    """Where the last plan is not the limit of the sweeps, or its policy not one of that."""
    scene, desk, pairs = found.scene, found.desk, len(found.scene.reward)
    (table, values), policy, bound = tables(found), desk.policy.copy(), allowed(found)
    n = sweeps.iterate(scene, desk, 0.0)
    limit = desk.action_values[sweeps.slot(n + 1, 2)][:pairs]
    wrong = ["table"] if (np.abs(table - limit)[:, 1:] > bound).any() else []
    wrong += ["values"] if (np.abs(values - desk.values[sweeps.slot(n, 2)])[:, 1:] > bound).any() else []
    for x in range(len(policy)):
        rivals = limit[scene.first[x] : scene.first[x + 1]]
        lost = rivals.max(axis=0) - np.take_along_axis(limit, policy[x][None], axis=0)[0]
        first = scene.first[x] + table[scene.first[x] : scene.first[x + 1], 1:].argmax(axis=0)
        wrong += ["first"] if (policy[x, 1:] != first).any() else []
        wrong += ["action"] if (lost[1:] > 2 * bound).any() or policy[x, 0] != policy[x, 1] else []
    return wrong


def not_as_from_nothing(found: FastLearner) -> list[str]:
    """What the last plan has other bits of than one that keeps nothing of those before."""
    *kept, policy = *tables(found), found.desk.policy.copy()
    fixed_point.forget(*found._cells)
    found.desk.policy[:] = 0
    changed = fixed_point.march_cells(found.scene, found.desk, *found._cells)
    wrong = [] if changed == policy.any() else ["changed"]
    names, made = ("table", "values", "policy"), (*tables(found), found.desk.policy)
    return wrong + [name for name, a, b in zip(names, (*kept, policy), made, strict=True) if (a != b).any()]


def compared(seeds: range) -> tuple[int, int, int, int]:
    """How many values of random models were cut off, and not, of settled states, and of a second word."""
    cut = free = settled = second = 0
    for seed in seeds:
        draw = Random(seed)
        model = random_model(draw, 20 if seed % 5 == 0 else 5)
        bonus = draw.choice(("sharp", "none", "paper"))
        found = learner(model, bonus, steps=draw.randint(1, 30), seed=seed)
        for episodes in (1, 3, 40, 400):
            found.advance(episodes)
            inside = tables(found)[1][:, 1:] < found.scene.times[1:]
            cut, free = cut + int((~inside).sum()), free + int(inside.sum())
            room, words = found._cells
            settled += room.settled.size * found.steps
            second += max(0, words.states.size - WIDTH) * found.steps
            assert violations(found) + not_as_from_nothing(found) == [], seed
    return cut, free, settled, second


def test_the_march_is_the_limit_of_the_sweeps_on_random_models():
    cut, free, settled, second = compared(range(250))
    assert min(cut, free, 2 * settled, 2 * second) > 10_000  # all occur


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_the_march_is_the_limit_of_the_sweeps_on_thousands_of_random_models(part):
    cut, free, settled, second = compared(range(1000 + 1000 * part, 2000 + 1000 * part))
    assert min(cut, free, 2 * settled, 2 * second) > 40_000


@pytest.mark.parametrize("model", [ODD, QUIET, TWINS, bundled_model("machine-repair")], ids=lambda m: m.name)
def test_after_many_episodes(model):
    found = learner(model, steps=50)
    for episodes in (10, 1000, 10_000):
        found.advance(episodes)
        assert violations(found) == []


def test_more_states_than_the_inverse_is_kept_for_are_iterated(monkeypatch):
    model = random_model(Random(5))
    quick = learner(model, steps=20)
    monkeypatch.setattr(word_march, "MOST_STATES", 0)
    slow = learner(model, steps=20)
    assert slow._cells[1].inverse.size == 0
    assert quick._cells[1].inverse.size > 0
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
            max(abs(tables(found)[1][i, -1] - float(true.value(x))) for i, x in enumerate(model.states))
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


# Three states in order, `end`, `down` and `fork`, and three that are not; a row of three targets among these.
MIXED = CTMDP.of(
    "mixed",
    horizon=2,
    transitions=[
        Transition.of(
            "top", "a", rate=3, reward="1/4", to=dict.fromkeys(("top", "side", "far", "down"), "1/4")
        ),
        Transition.of("far", "a", rate=1, reward=1, to={"top": "1/2", "fork": "1/2"}),
        Transition.of("side", "a", rate=2, reward="1/2", to={"top": 1}),
        Transition.of("side", "b", rate=1, reward="1/3", to={"down": "1/3", "end": "2/3"}),
        Transition.of("fork", "a", rate=3, reward="1/2", to={"down": "2/3", "end": "1/3"}),
        Transition.of("fork", "b", rate=2, reward="1/4", to={"down": 1}),
        Transition.of("down", "a", rate=2, reward=0, to={"end": 1}),
        Transition.of("down", "b", rate=4, reward="1/8", to={"end": 1}),
        Transition.of("end", "a", rate=0, reward="1/2"),
    ],
)


def test_states_in_order_are_settled_without_a_march():
    tree, queue = (bundled_model(name) for name in ("lower-bound-tree", "queue"))
    settled = {
        model.name: [model.states[x] for x in learner(model, steps=5)._cells[0].settled]
        for model in (tree, queue.with_rewards(*rescaling(queue)), MIXED, ODD)
    }
    assert settled["mixed"] == ["end", "down", "fork"]
    assert sorted(settled["lower-bound-tree"]) == sorted(tree.states)
    assert settled["queue"] == settled["odd"] == []


MUTANTS = {
    "settled values are not cut off": ("fixed_point", "value = min(best[i], times[i])", "value = best[i]"),
    "the last best action": (
        "fixed_point",
        "leads[i] = k if table[k, i] > best[i] else leads[i]",
        "leads[i] = k",
    ),
    "settled states forget": (
        "fixed_point",
        "q0, q1 = d0 * q0 + r0[i], d1 * q1 + r1[i]",
        "q0, q1 = r0[i], r1[i]",
    ),
    "weights are not looked at": ("fixed_point", "other |= then[j, k] != now[j, k]", "other |= False"),
    "nor are chances": ("fixed_point", "chance_then[e] != chance[e] or", ""),
    "nor values of targets": ("fixed_point", " or moved[target[e]] > 0", ""),
    "values never move": ("fixed_point", "moved[x] = steps", "moved[x] = 0"),
    "nothing is cut off": ("word_march", "new, old = where(best > t, t, best),", "new, old = best,"),
    "anything is accepted": ("word_march", "if not some(moved > least):", "if True:"),
    "what came in before is forgotten": ("word_march", "load(weights, w + _ALPHA) * load(inflow, s)", "0.0"),
    "what comes in now is forgotten": (
        "word_march",
        "load(weights, _WEIGHTS * u + _BETA + n) * ahead[n]",
        "0.0",
    ),
    "nothing comes from settled states": (
        "word_march",
        "earned + load(weights, w + _BETA) * came[n]",
        "earned",
    ),
    "others forget": ("word_march", "load(weights, w + _DECAY) * before + earned", "earned"),
    "the last of the best actions": (
        "word_march",
        "where(found > best, a, lead)",
        "where(found >= best, a, lead)",
    ),
    "no lead is another": ("word_march", "where(lead == load(leads, here + b), differs, one)", "differs"),
}


def found_out(plain, model: CTMDP, bonus: str, episodes: int) -> list[str]:
    """What is wrong with plans by these kernels: after others, and after an estimate is another one."""
    found, wrong = learner(model, bonus, steps=12), list[str]()
    found.advance(episodes)
    parts, draw = (found.scene, found.desk), np.random.default_rng(1)
    fixed_point.forget(*found._cells)
    found.desk.policy[:] = 0
    for _ in range(6):
        plain.fixed_point.march_cells(*parts, *found._cells)
        kept = *tables(found), found.desk.policy.copy()
        wrong += violations(found)
        fixed_point.forget(*found._cells)
        plain.fixed_point.march_cells(*parts, *found._cells)
        made = *tables(found), found.desk.policy
        wrong += ["kept"] if any((a != b).any() for a, b in zip(kept, made, strict=True)) else []
        k = draw.integers(len(found.scene.reward))
        if draw.random() < 0.5:
            found.desk.weights[1, k] *= draw.choice([0.25, 0.5, 1.5])
        else:
            row = slice(found.scene.row[k], found.scene.row[k + 1])
            found.desk.chance[row] = np.roll(found.desk.chance[row], 1)
    return wrong


CASES = [(model, bonus, 200) for model in (ODD, MIXED) for bonus in ("sharp", "none")]
CASES += [(model, "none", 1) for model in (QUIET, TWINS)]  # ties


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_march_is_found_out(name):
    module, *mutation = MUTANTS[name]
    with plain_kernels(MODULES, **{module: tuple(mutation)}) as plain:
        assert any(found_out(plain, *case) for case in CASES)


def test_the_march_as_plain_python_is_right():
    with plain_kernels(MODULES) as plain:
        assert not any(found_out(plain, *case) for case in CASES)
