"""The fast learner against a plain one, against exact statistics, and interrupted in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor, sqrt

import mpmath
import numpy as np
import pytest

from ctucbvi import bundled_model, solve
from ctucbvi.errors import InputError
from ctucbvi.learning import DOUBLES, Settings, constants
from ctucbvi.learning.fast import preparation
from ctucbvi.learning.fast.compiled import PlayedEpisodes
from ctucbvi.learning.fast.episodes import cell_of, cell_weights, pick, uniform
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.preparation import generator
from ctucbvi.model import CTMDP, Transition
from ctucbvi.numeric.grid import grid_iteration
from ctucbvi.study.evaluation import Evaluator
from tests.fast_learners import ODD
from tests.histories import lengths_of, policies_of, rounds_of, statistics_of, values_of
from tests.plain_learner import PlainLearner, Words

row = Transition.of
MACHINE = bundled_model("machine-repair")


def settings(model: CTMDP, episodes: int = 400, **options: object) -> Settings:
    return Settings.for_model(model, episodes=episodes, **options)


# --- against a plain learner -------------------------------------------------------------------


def policies(stretch: PlayedEpisodes) -> Iterator[np.ndarray]:
    """The policy of every episode."""
    for place, length in zip(stretch.which, lengths_of(stretch), strict=True):
        yield from [stretch.distinct[place]] * int(length)


CASES = {
    "machine repair": (MACHINE, {}, None),
    "odd": (ODD, {}, None),
    "greedy": (ODD, {"bonus": False}, None),
    "known lambda_min": (MACHINE, {"lambda_min": 1}, None),
    "other accuracies": (ODD, {"epsilon": "k^-2/3*exp(-lambda_max*H)"}, None),
    "drawn start": (ODD, {}, {"x": Fraction(1, 4), "z": Fraction(3, 4)}),
    "coarse": (MACHINE.with_horizon(20), {}, None),  # z above 1
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_as_a_plain_learner(name: str) -> None:
    model, options, initial = CASES[name]
    given, steps, count = settings(model, **options), 12, 60 if name == "coarse" else 120
    learner = FastLearner(model, given, seed=5, run=2, steps=steps, initial=initial)
    plain = PlainLearner(model, given, 5, 2, steps, initial)
    for k in range(count):
        (found,) = policies(learner.advance(1))
        policy, n = plain.episode()
        assert (found == policy).all(), f"policy of episode {k + 1}"
        assert rounds_of(learner) == n
    assert learner.time == plain.statistics.time
    assert tuple(learner.n_plus) == plain.statistics.n_plus


def test_the_plain_learner_notices_other_draws() -> None:
    given = settings(ODD)
    learner, plain = FastLearner(ODD, given, seed=5, run=1, steps=12), PlainLearner(ODD, given, 5, 2, 12)
    learner.advance(20)
    for _ in range(20):
        plain.episode()
    assert learner.time != plain.statistics.time


# --- statistics -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [MACHINE, ODD], ids=lambda m: m.name)
def test_statistics_are_those_of_the_recorded_episodes_exactly(model: CTMDP) -> None:
    learner = FastLearner(model, settings(model), seed=1, record=True, steps=20)
    history = (*learner.advance(150).history, *learner.advance(50).history)
    assert len(history) == 200
    assert sum(1 for e in history for v in e.visits if v.to) == int(learner.n_plus.sum())
    exact = statistics_of(model, history)
    assert learner.time == exact.time
    assert tuple(learner.n_plus) == exact.n_plus
    before = statistics_of(model, history[:-1])  # the estimates are those of the last episode's start
    assert learner.desk.rate == pytest.approx(
        [float(r) for r in before.rates(learner.settings)], rel=4e-16, abs=0
    )
    rows = [[float(p) for p in before.probability(k)] for k in range(len(model.transitions))]
    assert (learner.probabilities == rows).all()
    radii = constants(model, learner.settings, DOUBLES)
    gains = [
        float(r.reward) + radii.bonus(float(t), float(n), DOUBLES)
        for r, t, n in zip(model.transitions, before.time, before.n_plus, strict=True)
    ]
    assert learner.desk.gain == pytest.approx(gains, rel=1e-15, abs=0)


def test_recording_changes_nothing_and_makes_room_when_it_must() -> None:
    busy = CTMDP.of(
        "busy",
        horizon=1,
        transitions=[
            row("x", "a", rate=60, reward=0, to={"x": 1}),
            row("x", "b", rate=50, reward=1, to={"x": 1}),
        ],
    )
    quiet = FastLearner(busy, settings(busy), seed=3, steps=10)
    loud = FastLearner(busy, settings(busy), seed=3, steps=10, record=True)
    one, other = quiet.advance(30), loud.advance(30)
    assert sum(len(e.visits) for e in other.history) > 16 * 30
    assert (one.starts == other.starts).all()
    assert (policies_of(one) == policies_of(other)).all()
    assert quiet.time == loud.time
    assert loud.episodes == 30


def test_values_are_those_of_the_grid_iteration_on_the_estimated_model() -> None:
    learner = FastLearner(MACHINE, settings(MACHINE, 5000), seed=2, skip=False, steps=50)
    learner.advance(5000)
    estimated = CTMDP.from_arrays(
        learner.desk.rate.reshape(2, 2),
        learner.desk.gain.reshape(2, 2),
        learner.probabilities.reshape(2, 2, 2),
        horizon=1,
    )
    found = grid_iteration(estimated, steps=50, epsilon=Fraction(1 / sqrt(5000)))
    assert found.iterations == rounds_of(learner)
    assert values_of(learner) == pytest.approx(found.values, rel=1e-13)
    assert (found.policy == learner.desk.policy).mean() > 0.99


def test_what_the_default_grid_costs() -> None:
    best = float(solve(MACHINE, digits=12).value("operating").mid)
    lost = []
    for steps in (100, 200):
        policy = grid_iteration(MACHINE, steps=steps, epsilon=1e-9, truncate=False).policy
        lost.append(best - Evaluator(MACHINE, steps).values(policy[None])[0, 0])
    assert 0 < lost[1] < lost[0] < 1.8e-7


# --- draws ------------------------------------------------------------------------------------


def test_the_generator_is_xoshiro() -> None:
    state, plain = generator(9, 4), Words(9, 4)
    assert [uniform(state) for _ in range(1000)] == [plain.uniform() for _ in range(1000)]
    # The first outputs from the state (1, 2, 3, 4), as published with the generator.
    plain.s = [1, 2, 3, 4]
    assert [plain.word() for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_picks_follow_the_shares() -> None:
    state, plain = generator(1, 0), Words(1, 0)
    weights = [Fraction(k, 21) for k in range(1, 7)]
    share = np.cumsum([float(p) for p in weights])
    share[-1] = 1.0
    found = [pick(state, share, 0, 6) for _ in range(5000)]
    assert found == [plain.pick(weights) for _ in range(5000)]
    assert pick(state, share, 3, 4) == 3


@pytest.mark.parametrize("model", [MACHINE, ODD], ids=lambda m: m.name)
def test_the_cell_of_a_remaining_time_is_exact(model: CTMDP) -> None:
    steps = 7
    reach = FastLearner(model, settings(model), seed=0, steps=steps).scene.reach
    tick = preparation._tick(model.horizon, 400)
    near = [int(b) + d for b in reach for d in (-1, 0, 1)]
    for elapsed in [0, *near, int(reach[0])]:
        if 0 <= elapsed <= reach[0]:
            remaining = (model.horizon - elapsed * tick) * steps / model.horizon
            assert cell_of(reach, elapsed) == floor(remaining + Fraction(1, 2))


def test_rates_are_found_in_the_long_run() -> None:
    learner = FastLearner(ODD, settings(ODD, 30_000), seed=8, steps=10)
    learner.advance(30_000)
    true = np.array([float(r.rate) for r in ODD.transitions])
    seen = learner.n_plus > 0
    # N jumps in a time T are Poisson with mean λT: five standard deviations.
    time = np.array([float(t) for t in learner.time])
    assert (np.abs(learner.n_plus - true * time) <= 5 * np.sqrt(true * time) + 1e-9).all()
    assert seen.sum() >= 4


@pytest.mark.parametrize("z", [0.0, 1e-300, 1e-9, 1e-3, 0.07, 0.1249, 0.125, 0.5, 0.999, 1.0, 1.5, 8.0, 40.0])
def test_weights_of_a_cell_to_sixteen_roundings(z: float) -> None:
    with mpmath.workdps(700):
        decay = mpmath.exp(-mpmath.mpf(z))
        phi = (1 - decay) / z if z else mpmath.mpf(1)
        truth = [decay, phi, phi - decay, 1 - phi]
        for found, wanted in zip(cell_weights(z), truth, strict=True):
            assert abs(found - wanted) <= 16 * 2**-53 * wanted


# --- stretches, snapshots ---------------------------------------------------------------------


def same(one: PlayedEpisodes, other: list[PlayedEpisodes]) -> bool:
    """Whether consecutive stretches say what one says."""
    joined = [p.tobytes() for part in other for p in policies(part)]
    return joined == [p.tobytes() for p in policies(one)] and one.planned == sum(s.planned for s in other)


@pytest.mark.parametrize("skip", [True, False])
def test_interrupting_changes_nothing(skip: bool) -> None:
    options = {"seed": 4, "run": 1, "steps": 15, "skip": skip}
    whole = FastLearner(MACHINE, settings(MACHINE, 4000), **options)
    stretch = whole.advance(3000)
    learner, parts = FastLearner(MACHINE, settings(MACHINE, 4000), **options), []
    for count in (1, 2, 700, 297, 1500, 500):
        parts.append(learner.advance(count))
        snapshot = learner.snapshot()
        assert snapshot == learner.snapshot()
        learner.advance(17)  # what the first one does after the snapshot is of no consequence
        learner = FastLearner(MACHINE, settings(MACHINE, 4000), **options)
        learner.restore(snapshot)
    assert same(stretch, parts)
    assert learner.snapshot() == whole.snapshot()


def test_runs_and_seeds_differ() -> None:
    found = set()
    for seed, run in ((0, 0), (0, 1), (1, 0)):
        learner = FastLearner(MACHINE, settings(MACHINE), seed=seed, run=run, steps=5)
        learner.advance(10)
        found.add(learner.time)
    assert len(found) == 3


def test_a_stretch_lists_changes_only_and_every_policy_once() -> None:
    learner = FastLearner(ODD, settings(ODD, 3000), seed=6, steps=10)
    learner.advance(500)
    stretch = learner.advance(2000)
    assert (stretch.first, stretch.last, stretch.starts[0]) == (501, 2500, 501)
    assert (np.diff(stretch.starts) > 0).all()
    assert (np.diff(stretch.which) != 0).all()
    assert len({p.tobytes() for p in stretch.distinct}) == len(stretch.distinct)
    assert lengths_of(stretch).sum() == 2000
    assert (policies_of(stretch)[-1] == learner.desk.policy).all()
    assert sorted(set(stretch.which.tolist())) == list(range(len(stretch.distinct)))


def test_a_log_that_fills_up_is_enlarged(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = FastLearner(ODD, settings(ODD, 3000), seed=6, steps=10).advance(1500)
    monkeypatch.setattr(preparation, "_ROOM", 3)
    narrow = FastLearner(ODD, settings(ODD, 3000), seed=6, steps=10).advance(1500)
    assert len(wide.distinct) > 32
    assert (wide.starts == narrow.starts).all()
    assert (wide.which == narrow.which).all()
    assert (wide.distinct == narrow.distinct).all()


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed: -1 is not a whole number of at least 0"),
        ({"run": 1.5}, "run: 1.5 is not a whole number"),
        ({"steps": 0}, "steps: 0 is not a whole number of at least 1"),
        ({"initial": {"operating": "1/2"}}, "add up to 1/2"),
    ],
)
def test_bad_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        FastLearner(MACHINE, settings(MACHINE), **{"seed": 1, **options})


def test_no_more_episodes_than_the_radii_are_for() -> None:
    learner = FastLearner(MACHINE, settings(MACHINE, 10), seed=1, steps=5)
    learner.advance(8)
    with pytest.raises(InputError, match="8 and 3 more are beyond the K = 10"):
        learner.advance(3)
    with pytest.raises(InputError, match="episodes: 0 is not"):
        learner.advance(0)
    assert learner.advance(2).last == 10


def test_rewards_outside_the_unit_interval_are_refused() -> None:
    raw = bundled_model("machine-repair-raw")
    with pytest.raises(InputError, match="rescale"):
        FastLearner(raw, Settings(episodes=10, lambda_max=Fraction(7)), seed=1)


def test_snapshots_of_others_are_refused() -> None:
    given = settings(MACHINE)
    snapshot = FastLearner(MACHINE, given, seed=1, steps=5).snapshot()
    for options in ({"seed": 2, "steps": 5}, {"seed": 1, "steps": 6}, {"seed": 1, "steps": 5, "run": 1}):
        with pytest.raises(InputError, match="it is of another learner"):
            FastLearner(MACHINE, given, **options).restore(snapshot)
    for broken in (b"", b"no snapshot", snapshot[:-40]):
        with pytest.raises(InputError, match="it cannot be read"):
            FastLearner(MACHINE, given, seed=1, steps=5).restore(broken)
