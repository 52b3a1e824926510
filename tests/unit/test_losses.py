"""The chain from the regret to the bound: its sums, recomputed plainly, and its inequalities, run by run."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctucbvi import InputError
from ctucbvi.learning import DOUBLES, Settings, Statistics, jump_distance
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.library import machine_repair
from ctucbvi.losses import Chain, LinkKind, Tally, chain, draw, links, tally_runs
from ctucbvi.losses import tally as places
from ctucbvi.model import CTMDP, Transition
from ctucbvi.strategies import models
from ctucbvi.study import Study, contestant, run_study
from proofs_checks.checks.perturbed import positive
from tests.histories import statistics_of, values_of

MACHINE = machine_repair()
row = Transition.of
# Action sets that differ, a self-loop, jumps to several states, a horizon that no double has.
THIRDS = CTMDP.of(
    "thirds",
    horizon="4/3",
    transitions=[
        row("x", "a", rate=3, reward="1/2", to={"y": "9/10", "z": "1/10"}),
        row("x", "b", rate="1/2", reward="1/4", to={"x": "1/3", "y": "1/3", "z": "1/3"}),
        row("y", "b", rate=5, reward="4/5", to={"x": 1}),
        row("z", "a", rate="1/4", reward=1, to={"x": "1/2", "z": "1/2"}),
    ],
)
STEPS = 20


def study_of(model: CTMDP, episodes: int, seed: int = 3, steps: int = STEPS, **options) -> Study:
    given_settings = Settings.for_model(model, episodes=episodes, **options)
    return Study(model, given_settings, seed, (contestant("ct-ucbvi", steps),))


def tallied(study: Study, count: int) -> tuple[Tally, tuple]:
    """The sums of the first ``count`` episodes, and these episodes as exact histories."""
    options = {"seed": study.seed, "steps": STEPS, "initial": dict(study.initial)}
    learner = FastLearner(study.model, study.settings, **options)
    recording = FastLearner(study.model, study.settings, record=True, **options)
    tally = Tally(study, study.contestants[0])
    tally.see(learner.recorded(count)[1])
    return tally, recording.advance(count).history


def plainly(study: Study, episodes, *, late: bool = False, all_jumps: bool = False) -> dict[int, mpmath.mpf]:
    """The sums of the table in the module's text, from fractions, at 40 digits.

    Mutants: with ``late`` the statistics are those after the episode, with ``all_jumps`` a jump that was cut
    off counts as observed.
    """
    model, told = study.model, study.settings
    sums = dict.fromkeys(range(places.VALUE), mpmath.mpf(0))
    seen, own = Statistics.empty(model), {}
    pair = {(r.state, r.action): k for k, r in enumerate(model.transitions)}
    lambda_min = min(r.rate for r in model.transitions)
    for episode in episodes:
        before, seen = seen, seen.after(episode)
        used, u = (seen if late else before), model.horizon
        for m, visit in enumerate(episode.visits):
            k = pair[visit.state, visit.action]
            number = {n: _mp(v) for n, v in _numbers(model, told, used, k).items()}
            root, time, rest = number["left"] ** -0.5, number["time"], _mp(u)
            rate, true = number["rate"], _mp(model.transitions[k].rate)
            sums[places.PAID] += number["bonus"] * (-mpmath.expm1(-rate * rest) / rate if rate else rest)
            sums[places.BONUS] += number["bonus"] * rest
            sums[places.ALPHA] += number["alpha"] * rest
            sums[places.BETA] += number["beta"] * rest**2
            sums[places.JUMP] += rest * root
            sums[places.RATE] += rest * time**-0.5
            sums[places.SLOW] -= mpmath.expm1(-_mp(lambda_min) * rest) * root
            sums[places.TRUE] -= mpmath.expm1(-true * rest) * root
            if visit.to is not None or all_jumps:
                sums[places.SEEN] += root
                sums[places.OWN] += mpmath.mpf(max(1, own.get((m, k), 0))) ** -0.5
                own[m, k] = own.get((m, k), 0) + 1
            u -= visit.holding
    return sums


def _mp(value) -> mpmath.mpf:
    return (
        mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpmath.mpf(value)
    )


def _numbers(
    model: CTMDP, told: Settings, used: Statistics, k: int
) -> dict[str, mpmath.mpf | Fraction | int]:
    """Radii and bonus by the formulas of the paper."""
    pairs, episodes = len(model.states) * len(model.actions), told.episodes
    confidence = 4 * mpmath.log(_mp(2 * pairs * episodes / told.delta))
    bracket = len(model.states) * mpmath.log(2) + mpmath.log(
        _mp(pairs * model.horizon * episodes**2 / told.delta)
    )
    lambda_max, horizon = _mp(told.lambda_max), _mp(model.horizon)
    left, time = max(1, used.n_plus[k]), max(_mp(used.time[k]), confidence / lambda_max)
    beta, alpha = mpmath.sqrt(lambda_max * confidence / time), mpmath.sqrt(2 * bracket / left)
    stretch = max(lambda_max / -mpmath.expm1(-lambda_max * horizon), 1)
    bonus = stretch * (horizon**2 * beta + horizon * alpha)
    return {
        "left": left,
        "time": time,
        "rate": used.rate(k, told),
        "alpha": alpha,
        "beta": beta,
        "bonus": bonus,
    }


@pytest.mark.parametrize("model", [MACHINE, THIRDS], ids=lambda m: m.name)
def test_the_tally_is_what_a_plain_recomputation_finds(model):
    study = study_of(model, 60)
    tally, episodes = tallied(study, 60)
    with mpmath.workdps(40):
        right = plainly(study, episodes)
        late = plainly(study, episodes, late=True)
        cut = plainly(study, episodes, all_jumps=True)
    for place, value in right.items():
        assert tally.sums.total[place] == pytest.approx(float(value), rel=1e-12)
    # Statistics of the wrong moment are noticed, and so is a jump that was not observed.
    assert abs(tally.sums.total[places.JUMP] / float(late[places.JUMP]) - 1) > 1e-3
    assert abs(tally.sums.total[places.SEEN] / float(cut[places.SEEN]) - 1) > 1e-3


def test_counts_are_those_of_the_history():
    tally, episodes = tallied(study_of(THIRDS, 300), 300)
    lengths = [sum(v.to is not None for v in episode.visits) for episode in episodes]
    assert tally.sums.clock[places.EPISODE] == 300
    assert tally.sums.clock[places.VISITS] == sum(len(e.visits) for e in episodes)
    assert links.most_jumps(tally.sums) == max(lengths)
    by_number = [sum(n > m for n in lengths) for m in range(len(tally.sums.own))]
    assert tally.sums.own.sum(axis=1).tolist() == by_number
    assert tally.sums.own.sum(axis=0).tolist() == list(statistics_of(THIRDS, episodes).n_plus)


@pytest.mark.parametrize("shrink", [1.0, 1e-2, 1e-4])
def test_episodes_outside_the_radii_are_counted(shrink):
    # The radii of the paper are so large that nothing ever leaves them; with smaller ones it does.
    study = study_of(THIRDS, 100)
    options = {"steps": STEPS, "initial": dict(study.initial)}
    tally = Tally(study, study.contestants[0])
    numbers = tally._scene.numbers
    rate, jump = numbers.rate_constant * shrink, numbers.jump_constant * shrink
    smaller = numbers._replace(rate_constant=rate, jump_constant=jump)
    tally._scene = tally._scene._replace(numbers=smaller)
    tally.see(FastLearner(THIRDS, study.settings, seed=study.seed, **options).recorded(100)[1])
    full = links.constants(THIRDS, study.settings, DOUBLES)
    radii = replace(
        full, rate_constant=full.rate_constant * shrink, jump_constant=full.jump_constant * shrink
    )
    seen, outside = Statistics.empty(THIRDS), 0
    for episode in tallied(study, 100)[1]:
        outside += any(
            abs(seen.rate(k, study.settings) - r.rate) > radii.rate_radius(float(seen.time[k]), DOUBLES)
            or jump_distance(THIRDS, k, seen.probability(k))
            > radii.jump_radius(float(seen.n_plus[k]), DOUBLES)
            for k, r in enumerate(THIRDS.transitions)
        )
        seen = seen.after(episode)
    assert tally.sums.clock[places.OUTSIDE] == outside
    assert (outside > 0) == (shrink < 1)


def test_values_are_those_that_the_learner_plans_with():
    study = study_of(THIRDS, 40)
    learner = FastLearner(THIRDS, study.settings, seed=study.seed, steps=STEPS, skip=False)
    total = 0.0
    for _ in range(40):
        learner.advance(1)
        total += values_of(learner)[0, -1]
    assert tallied(study, 40)[0].sums.total[places.VALUE] == pytest.approx(total, rel=1e-13)


def test_how_the_work_is_cut_up_makes_no_difference():
    study = study_of(MACHINE, 400)
    (whole,) = tally_runs(study, 1)
    (parts,) = tally_runs(study, 1, block=123)
    (played,) = run_study(study, 1).runs["ct-ucbvi"]
    assert all(map(np.array_equal, whole.sums, parts.sums))
    assert whole.state.earned == parts.state.earned == played.earned
    assert whole.state.snapshot == played.snapshot  # recording changed nothing


def test_an_interrupted_tally_goes_on_where_it_was(tmp_path):
    study = study_of(MACHINE, 400)

    def stop(found: int, done: int, wanted: int) -> None:
        if done >= 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tally_runs(study, 2, block=100, folder=tmp_path, progress=stop)
    seen = []
    again = tally_runs(study, 2, block=100, folder=tmp_path, progress=lambda *parts: seen.append(parts))
    assert seen[0] == (300, 300, 800)
    for one, other in zip(again, tally_runs(study, 2), strict=True):
        assert all(map(np.array_equal, one.sums, other.sums))
        assert one.state.snapshot == other.state.snapshot


def test_shards_of_a_regret_study_are_not_taken_for_tallies(tmp_path):
    study = study_of(MACHINE, 100)
    run_study(study, 1, folder=tmp_path)
    tally_runs(study, 1, folder=tmp_path)  # beside them, not from them
    (regret,), (tally,) = (list(tmp_path.glob(f"{name}/run-*")) for name in ("ct-ucbvi", "ct-ucbvi.losses"))
    tally.write_bytes(regret.read_bytes())
    with pytest.raises(InputError, match="kind is 'regret' there and 'losses' here"):
        tally_runs(study, 1, folder=tmp_path)


@st.composite
def small_studies(draw) -> Study:
    model = positive(draw(models(max_states=3, max_actions=2, rewards="unit", terminal=False, max_load=4)))
    rows = tuple(replace(r, rate=r.rate * model.horizon) for r in model.transitions)
    model = replace(model, horizon=Fraction(1), transitions=rows)  # the horizon is the unit of time
    return study_of(model, 150, seed=draw(st.integers(0, 999)), steps=8)


@settings(max_examples=60)
@given(small_studies())
def test_what_holds_on_every_path_holds_on_every_run(study):
    runs = tally_runs(study, 2)
    found = chain(study, runs)
    assert found.broken() == ()
    assert {link.kind for link in found.links} == set(LinkKind)
    # The same check with a pigeon-hole constant that is too small: sums of at least two jumps exceed it.
    spoiled = chain(study, runs, pigeon=0.3)
    if all(links.most_jumps(run.sums) > 0 for run in runs):
        assert "pigeon-hole" in [link.name for link in spoiled.broken()]


def test_a_sum_that_was_spoiled_breaks_its_link():
    study = study_of(MACHINE, 300)
    (run,) = tally_runs(study, 1)
    for place, name in [
        (places.RATE, "horizon for remaining time"), (places.SLOW, "chance for remaining time"),
        (places.TRUE, "own rate for λmin"), (places.OWN, "m-th jumps alone"),
    ]:  # fmt: skip
        total = run.sums.total.copy()
        total[place] *= 0.5
        broken = chain(study, [replace(run, sums=run.sums._replace(total=total))]).broken()
        assert name in [link.name for link in broken]


@pytest.fixture(scope="module")
def machine_chain() -> Chain:
    study = study_of(MACHINE, 2000, delta="1/4000")
    return chain(study, tally_runs(study, 3))


def test_factors_lead_from_the_regret_to_the_bound(machine_chain):
    product = np.prod(machine_chain.factors)
    assert product == pytest.approx(machine_chain.links[-1].mean / machine_chain.links[0].mean)
    bound = links.regret_bound(MACHINE, machine_chain.study.settings, [2000]).values[0]
    assert machine_chain.links[-1].mean == bound
    assert machine_chain.links[-1].mean - machine_chain.links[-2].mean == pytest.approx(
        machine_chain.stopping + machine_chain.outside
    )
    assert machine_chain.outside == pytest.approx(1)
    vv = next(link for link in machine_chain.links if link.label == "lem:v-v-continuoustime")
    assert sum(vv.parts.values()) == pytest.approx(vv.mean)
    assert all(a.mean < b.mean for a, b in pairwise(machine_chain.links) if b.kind is not LinkKind.MEAN)


def test_a_factor_below_one_is_reported_as_it_is(machine_chain):
    names = [link.name for link in machine_chain.links]
    at = names.index("observed for likely jumps")
    before, link = machine_chain.links[at - 1], machine_chain.links[at]
    lower = replace(link, values=tuple(v / 2 for v in before.values))
    changed = replace(machine_chain, links=(*machine_chain.links[:at], lower, *machine_chain.links[at + 1 :]))
    entry = changed.to_json()["links"][at]
    assert (entry["factor"], entry["held_in_runs"]) == (0.5, 0)
    assert changed.broken() == ()  # in expectation only


def test_the_picture_has_the_same_bytes_each_time(machine_chain, tmp_path):
    document = machine_chain.to_json()
    for name in ("one.svg", "two.svg"):
        draw(document, str(tmp_path / name))
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    with pytest.raises(InputError, match="missing' does not exist"):
        draw(document, str(tmp_path / "missing" / "one.svg"))


@pytest.mark.parametrize(
    ("episodes", "options", "reason"),
    [(1, {}, "K = 1"), (50, {"lambda_min": 2}, "lambda_min"), (50, {"bonus": False}, "bonus")],
)
def test_what_has_no_bound_is_refused(episodes, options, reason):
    with pytest.raises(InputError, match=reason):
        links.Sizes.of(study_of(MACHINE, episodes, **options))


def test_counts_are_refused_if_they_are_none():
    with pytest.raises(InputError, match="runs"):
        tally_runs(study_of(MACHINE, 10), 0)


def test_the_kept_table_is_that_of_the_kept_document():
    folder = Path(__file__).parents[2] / "docs" / "study"
    kept = json.loads((folder / "losses.json").read_text())
    _, _, section = (folder / "README.md").read_text(encoding="utf-8").partition("## Where the bound is lost")
    cells = [[c.strip() for c in line.split("|")] for line in section.splitlines() if line.startswith("|")][
        2:
    ]
    assert len(cells) == len(kept["links"])
    for (_, _, _, value, factor, _), link in zip(cells, kept["links"], strict=True):
        assert float(value) == pytest.approx(link["value"], rel=5e-3)
        assert factor == "" or float(factor) == pytest.approx(link["factor"], rel=5e-3)
    bound = links.regret_bound(MACHINE, Settings.from_json(kept["settings"]), [10**7]).values[0]
    assert kept["links"][-1]["value"] == pytest.approx(bound, rel=1e-9)
