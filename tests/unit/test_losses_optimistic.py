"""The chain to the bound of the optimistic learner: its sums, recomputed plainly, and its inequalities."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from ctucbvi import InputError, bundled_model
from ctucbvi.learning import DOUBLES, Settings, Statistics, confidence_sets, jump_distance, rescaling
from ctucbvi.learning.fast.optimistic import OptimisticLearner
from ctucbvi.losses import (
    Chain,
    LinkKind,
    OptimisticSizes,
    OptimisticTally,
    draw,
    optimistic_chain,
    tally_runs,
)
from ctucbvi.losses import optimistic_tally as places
from ctucbvi.model import CTMDP
from ctucbvi.study import Study, contestant, name_of, regret_bound, run_study
from tests.histories import statistics_of
from tests.unit.test_losses import MACHINE, THIRDS

STEPS = 12
BOTH = pytest.mark.parametrize("rates", ["paper", "poisson"])


def scaled(name: str) -> CTMDP:
    model = bundled_model(name)
    return model.with_rewards(*rescaling(model))


def study_of(model: CTMDP, episodes: int, rates: str, *, seed: int = 3, **options) -> Study:
    told = Settings.for_model(model, episodes=episodes, bonus="optimistic", rates=rates, **options)
    return Study(model, told, seed, (contestant(name_of(told), STEPS),))


def learner_of(study: Study, **options) -> OptimisticLearner:
    return OptimisticLearner(study.model, study.settings, seed=study.seed, steps=STEPS, **options)


def tallied(study: Study, count: int) -> tuple[OptimisticTally, tuple]:
    """The sums of the first ``count`` episodes, and these episodes as exact histories."""
    tally = OptimisticTally(study, study.contestants[0])
    tally.see(learner_of(study).recorded(count)[1])
    return tally, learner_of(study, record=True).advance(count).history


# --- sums -------------------------------------------------------------------------------------


def plainly(study: Study, episodes, *, late: bool = False, all_jumps: bool = False) -> dict[int, float]:
    """The sums of the table in the module's text, from the sets of the exact side.

    Mutants: with ``late`` the prices are those after the episode, with ``all_jumps`` rows are paid at the
    beginning of what was cut off, too.
    """
    model, told = study.model, study.settings
    sets, seen = confidence_sets(model, told, DOUBLES), Statistics.empty(model)
    pair = {(r.state, r.action): k for k, r in enumerate(model.transitions)}
    most, horizon = float(told.lambda_max), float(model.horizon)
    sums = dict.fromkeys((places.RATES, places.ROWS, places.ROOT, places.LOG), 0.0)
    for episode in episodes:
        before, seen = seen, seen.after(episode)
        used, u = (seen if late else before), model.horizon
        for visit in episode.visits:
            k, tau, start = pair[visit.state, visit.action], float(visit.holding), float(u)
            n, time = used.n_plus[k], float(used.time[k])
            here = sets.pair(float(used.rate(k, told)), time, n)
            area, end = start * tau - tau**2 / 2, float(u - visit.holding)
            if told.rates == "paper":
                sums[places.RATES] += (here.high - here.low) * area
                share, flat = max(most / sets.log_rates * time, 1.0), 0.0
            else:
                sums[places.RATES] += price(here.high - here.low, sets.log_rates, time, end, start)
                share, flat = max(most / (3 * sets.log_rates) * time, 1.0), horizon
            if visit.to is not None or all_jumps:
                sums[places.ROWS] += sets.jump_radius(max(1, n)) * (end if visit.to else start)
            sums[places.ROOT] += (flat * tau + area) / share**0.5
            sums[places.LOG] += area / share
            u -= visit.holding
    return sums


def price(width: float, level: float, time: float, low: float, high: float) -> float:
    """∫ min{width t, 3√(lt/T) + 3lt/T} dt, by quadrature."""
    if time == 0:
        return width * (high**2 - low**2) / 2

    def least(t):
        return min(width * t, 3 * mpmath.sqrt(level * t / time) + 3 * level * t / time)

    cuts = [low, high]
    if width * time > 3 * level:
        kink = 9 * level * time / (width * time - 3 * level) ** 2
        cuts = [low, kink, high] if low < kink < high else cuts
    return float(mpmath.quad(least, cuts))


@BOTH
@pytest.mark.parametrize("model", [MACHINE, THIRDS], ids=lambda m: m.name)
def test_the_tally_is_what_a_plain_recomputation_finds(model, rates):
    study = study_of(model, 40, rates)
    tally, episodes = tallied(study, 40)
    right, late = plainly(study, episodes), plainly(study, episodes, late=True)
    for place, value in right.items():
        assert tally.sums.total[place] == pytest.approx(value, rel=1e-9)
    # Prices of the wrong moment are noticed, and so is a row that is paid without a jump.
    assert tally.sums.total[places.ROWS] > 1.01 * late[places.ROWS]
    assert plainly(study, episodes, all_jumps=True)[places.ROWS] > 1.1 * right[places.ROWS]


def test_a_price_by_tails_has_a_kink_inside_a_visit():
    """Else the plain recomputation compares one of the two prices only."""
    cost = places._cost
    assert cost(7.0, 0.8, 1.0) < min(3.5, 3 * (0.8**0.5 * 2 / 3 + 0.4))
    assert cost(7.0, 0.8, 1.0) == pytest.approx(price(7, 8, 10, 0, 1), rel=1e-12)
    assert cost(7.0, np.inf, 1.0) == 3.5


def test_counts_are_those_of_the_history():
    tally, episodes = tallied(study_of(THIRDS, 300, "poisson"), 300)
    sums, seen = tally.sums, statistics_of(THIRDS, episodes)
    assert sums.clock[places.EPISODE] == 300
    assert sums.clock[places.VISITS] == sum(len(e.visits) for e in episodes)
    assert sums.clock[places.LONGEST] == max(sum(v.to is not None for v in e.visits) for e in episodes)
    assert sums.counts[places.N_PLUS].tolist() == list(seen.n_plus)
    assert sums.own[places.TIME] == pytest.approx([float(t) for t in seen.time], rel=1e-12)
    assert sums.own[places.AREA].sum() == pytest.approx(300 * float(THIRDS.horizon) ** 2 / 2, rel=1e-12)
    left = sum(
        sum(float(w.holding) for w in e.visits[i + 1 :]) for e in episodes for i in range(len(e.visits))
    )
    assert sums.own[places.LEFT].sum() == pytest.approx(left, rel=1e-12)


@BOTH
@pytest.mark.parametrize("shrink", [1.0, 1e-2, 1e-4])
def test_episodes_with_a_set_that_misses_the_model_are_counted(shrink, rates):
    study = study_of(THIRDS, 100, rates)
    tally, sets = (
        OptimisticTally(study, study.contestants[0]),
        confidence_sets(THIRDS, study.settings, DOUBLES),
    )
    smaller = {"log_rates": sets.log_rates * shrink, "log_jumps": sets.log_jumps * shrink}
    tally._constants, sets = tally._constants._replace(**smaller), replace(sets, **smaller)
    tally.see(learner_of(study).recorded(100)[1])
    seen, outside = Statistics.empty(THIRDS), 0
    for episode in tallied(study, 100)[1]:
        missed = False
        for k, truth in enumerate(THIRDS.transitions):
            here = sets.pair(float(seen.rate(k, study.settings)), float(seen.time[k]), seen.n_plus[k])
            missed |= not here.low <= truth.rate <= here.high
            missed |= here.radius is not None and jump_distance(THIRDS, k, seen.probability(k)) > here.radius
        outside, seen = outside + missed, seen.after(episode)
    assert tally.sums.clock[places.OUTSIDE] == outside
    assert (outside > 0) == (shrink < 1)


@BOTH
def test_values_are_those_that_the_learner_plans_with(rates):
    study = study_of(THIRDS, 40, rates)
    learner, total = learner_of(study, skip=False), 0.0
    for _ in range(40):
        learner.advance(1)
        total += learner.room.table[:2, -1].max()  # of the pairs of x
    assert tallied(study, 40)[0].sums.total[places.VALUE] == pytest.approx(total, rel=1e-13)


def test_how_the_work_is_cut_up_makes_no_difference(tmp_path):
    study = study_of(MACHINE, 400, "poisson")

    def stop(found: int, done: int, wanted: int) -> None:
        if done >= 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tally_runs(study, 2, block=100, folder=tmp_path, progress=stop)
    again = tally_runs(study, 2, block=100, folder=tmp_path)
    (played,) = run_study(study, 2).runs.values()
    for one, other, alone in zip(again, tally_runs(study, 2), played, strict=True):
        assert all(map(np.array_equal, one.sums, other.sums))
        assert one.state.snapshot == other.state.snapshot == alone.snapshot  # looking on changed nothing


# --- the chain --------------------------------------------------------------------------------


def broken_parts(study: Study, run) -> list[tuple[str, str]]:
    """What holds on every path holds for rates and for rows alone: where it did not, in one run."""
    links, found = optimistic_chain(study, [run]).links[2:-1], []
    for before, link in pairwise(links):
        for kind in ("rates", "rows"):
            left, right = (
                sum(v for name, v in one.parts.items() if name.startswith(kind)) for one in (before, link)
            )
            if link.kind is LinkKind.PATH and left > right * (1 + 1e-9):
                found.append((link.name, kind))
    return found


@BOTH
@pytest.mark.parametrize("name", ["machine-repair", "maintenance", "queue"])
def test_what_holds_on_every_path_holds_on_every_run(name, rates):
    for episodes, seed in ((1, 0), (30, 1), (600, 2), (600, 3)):
        study = study_of(scaled(name), episodes, rates, seed=seed, delta=Fraction(1, 2 * episodes))
        runs = tally_runs(study, 3)
        found = optimistic_chain(study, runs)
        assert found.broken() == ()
        assert [broken_parts(study, run) for run in runs] == [[]] * 3
        assert {link.kind for link in found.links} == set(LinkKind)
        assert sum(found.left_radii) == 0
        for link in found.links[2:-1]:
            assert link.mean == pytest.approx(sum(link.parts.values()))


@pytest.fixture(scope="module", params=["paper", "poisson"])
def machine_chain(request) -> tuple[Chain, tuple]:
    study = study_of(MACHINE, 3000, request.param, delta="1/6000")
    runs = tally_runs(study, 2)
    return optimistic_chain(study, runs), runs


def test_factors_lead_from_the_regret_to_the_bound(machine_chain):
    found, _ = machine_chain
    settings = found.study.settings
    assert np.prod(found.factors) == pytest.approx(found.links[-1].mean / found.links[0].mean)
    (bound,) = regret_bound(MACHINE, settings, [3000]).values  # the theorem's δ is the one played with
    assert found.links[-1].mean == pytest.approx(bound, rel=1e-12)
    apart = found.links[-1].mean - found.links[-2].mean
    assert found.outside == pytest.approx(1)
    if settings.rates == "paper":
        assert apart == pytest.approx(found.outside, rel=1e-6)
    else:  # a number of tilts that is not whole
        assert found.outside < apart < 0.01 * bound
    assert all(a.mean <= b.mean * (1 + 1e-9) for a, b in pairwise(found.links) if b.kind is not LinkKind.MEAN)


def test_another_delta_has_its_own_bound():
    study = study_of(MACHINE, 500, "paper", delta="1/20")
    found = optimistic_chain(study, tally_runs(study, 1))
    assert found.outside == pytest.approx(50)
    assert found.links[-1].mean - found.links[-2].mean == pytest.approx(50)


def test_a_price_that_is_too_low_is_caught(machine_chain, monkeypatch):
    found, runs = machine_chain
    study, right = found.study, OptimisticSizes.of(found.study)
    level = OptimisticSizes.level
    assert broken_parts(study, runs[0]) == []
    with monkeypatch.context() as patch:  # β in place of 2β
        half = right.rates._replace(root_weight=right.rates.root_weight / 2)
        patch.setattr(OptimisticSizes, "of", lambda study: replace(right, rates=half))
        assert [link.name for link in optimistic_chain(study, runs).broken()] == ["prices for widths"]
    with monkeypatch.context() as patch:
        patch.setattr(OptimisticSizes, "root_price", right.root_price / 4)
        assert ("pigeon-hole", "rates") in broken_parts(study, runs[0])
    with monkeypatch.context() as patch:  # a quarter of α
        patch.setattr(OptimisticSizes, "level", lambda self, n: level(self, n) / 16)
        assert ("pigeon-hole", "rows") in broken_parts(study, runs[0])
    with monkeypatch.context() as patch:  # a, of which M is the only argument that is no whole number
        patch.setattr(
            OptimisticSizes, "level", lambda self, n: level(self, n) / (1 + 8 * isinstance(n, float))
        )
        assert broken_parts(study, runs[0]) == [("tangent", "rows")]


@pytest.mark.parametrize(
    ("array", "place", "factor", "broken"),
    [
        ("total", places.ROOT, 0.3, ("prices for widths", "rates")),
        ("own", places.AREA, 0.1, ("pigeon-hole", "rates")),
        ("own", places.LEFT, 0.1, ("pigeon-hole", "rows")),
        ("own", places.AREA, 4.0, ("Cauchy-Schwarz", "rates")),
    ],
)
def test_a_sum_that_was_spoiled_breaks_its_link(machine_chain, array, place, factor, broken):
    found, (run, _) = machine_chain
    spoiled = getattr(run.sums, array).copy()
    spoiled[place] *= factor
    changed = replace(run, sums=run.sums._replace(**{array: spoiled}))
    if array == "own" and place == places.AREA and found.study.settings.rates == "poisson":
        spoiled[places.TIME] *= factor  # both are counted together there
    assert broken in broken_parts(found.study, changed)


def test_the_picture_has_the_same_bytes_each_time(machine_chain, tmp_path):
    document = machine_chain[0].to_json()
    assert "largest_crowd" not in document
    assert document["apart"] == {"outside": pytest.approx(1)}
    for name in ("one.svg", "two.svg"):
        draw(document, str(tmp_path / name))
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize(
    ("options", "reason"), [({"lambda_min": 2}, "lambda_min"), ({"jumps": "kl"}, "kl is not drawn")]
)
def test_what_has_no_theorem_is_refused(options, reason):
    with pytest.raises(InputError, match=reason):
        OptimisticSizes.of(study_of(MACHINE, 50, "paper", **options))
