"""What a study proves beside its figures: each part of the evaluation's error, rounding, losses, the bands.

Each check here computes what it looks at once more, from what it means and with other arithmetic; that they
notice constants that are slightly wrong is shown in ``quality/test_study_constants.py``.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from fractions import Fraction
from random import Random

import mpmath
import numpy as np
import pytest

from ctucbvi import CTMDP, Enclosure, Semantics, Transition
from ctucbvi.learning import DOUBLES, Settings, never_left
from ctucbvi.library import machine_repair
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.study import (
    Contestant,
    Curve,
    RunState,
    Study,
    cells,
    contestant,
    evaluation,
    optimum,
    plan,
)
from ctucbvi.study.blocks import Account
from ctucbvi.study.evaluation import UNITS, Evaluator, PolicyFlow, exact_units

UNIT = Fraction(1, 2**53)
MACHINE = machine_repair()


# --- the proved error of a value --------------------------------------------------------------


def interpreted(function):
    """Compiled code as plain Python, for other numbers than doubles."""
    return getattr(function, "py_func", function)


def chain(states: int, reward: str = "0") -> CTMDP:
    """From each state to the next one, at the same rate; only the last one ends with something."""
    rows = [
        Transition.of(f"s{i}", "a", rate=1, reward=reward, to={f"s{(i + 1) % states}": 1})
        for i in range(states)
    ]
    return CTMDP.of("chain", horizon=1, transitions=rows, terminal={f"s{states - 1}": 1})


def carried(model: CTMDP, length: str) -> list[mpmath.mpf]:
    """One stretch of that length, in units of 1/Λ, by the evaluation's own series, without rounding."""
    rows, clock = model.transitions, model.max_rate
    place = {row.state: k for k, row in enumerate(rows)}  # one action in each state

    def numbers(values) -> np.ndarray:
        return np.array([mpmath.mpf(v.numerator) / v.denominator for v in values], object)

    jumps = [(place[y], p) for row in rows for y, p in row.to]
    flow = PolicyFlow(
        numbers(row.rate / clock for row in rows), numbers(row.reward / clock for row in rows),
        numbers(model.terminal), np.arange(len(rows)), np.cumsum([0, *(len(row.to) for row in rows)]),
        np.array([y for y, _ in jumps]), np.array([y for y, _ in jumps]), numbers(p for _, p in jumps),
        1.0, False,
    )  # fmt: skip
    q, z, new = numbers(model.terminal), numbers(model.terminal), numbers(model.terminal)
    interpreted(evaluation._stretch)(flow, mpmath.mpf(length), q, z, new)
    return list(q)


def followed(model: CTMDP, length: str) -> list[mpmath.mpf]:
    """The same by the exponential of a matrix: q' = Aq + r."""
    rows, clock = model.transitions, model.max_rate
    place, size = {row.state: k for k, row in enumerate(rows)}, len(rows)
    matrix = mpmath.zeros(size + 1)
    for k, row in enumerate(rows):
        matrix[k, k] -= mpmath.mpf((row.rate / clock).numerator) / (row.rate / clock).denominator
        matrix[k, size] = mpmath.mpf((row.reward / clock).numerator) / (row.reward / clock).denominator
        for y, p in row.to:
            share = row.rate / clock * p
            matrix[k, place[y]] += mpmath.mpf(share.numerator) / share.denominator
    end = mpmath.matrix([*(mpmath.mpf(g.numerator) / g.denominator for g in model.terminal), 1])
    return list(mpmath.expm(matrix * mpmath.mpf(length), method="taylor") * end)[:size]


def check_the_cut_off() -> None:
    """The first part of the proof: a series that ends costs at most 2^-57 (Z + ρ)."""
    with mpmath.workdps(60):
        for model in (chain(2), chain(2, "1/3"), chain(3), chain(5, "-2")):
            for length in ("1", "0.99", "0.5", "0.03", "1e-9"):
                top = max(abs(row.reward) for row in model.transitions)
                allowed = Fraction(1, 2**57) * (model.horizon * top + 1 + top / model.max_rate)
                pairs = zip(carried(model, length), followed(model, length), strict=True)
                assert all(abs(mine - true) <= mpmath.mpf(float(allowed)) for mine, true in pairs)


def check_the_number_of_terms() -> None:
    """No series is longer than the proof takes it to be: each term looks one state further."""
    with mpmath.workdps(60):
        seen = sum(value > 0 for value in carried(chain(60), "1")) - 1
    assert 0 < seen <= evaluation._TERMS


def plain_bound(model: CTMDP, steps: int) -> Fraction:
    """The sum of the module's text, not doubled, in fractions."""
    rows = model.transitions
    clock, horizon = max(model.max_rate, 1 / model.horizon), model.horizon
    top = max(abs(row.reward) for row in rows)
    ends = [g if row.terminal is None else row.terminal for row in rows for g in [_ending(model, row.state)]]
    most = horizon * top + max(map(abs, ends))
    n, rho = evaluation._TERMS, top / clock
    size, load = most + n * rho, clock * horizon
    entries = max(len(row.to) if row.rate else 0 for row in rows)
    recursion = load * 4 * (entries + 10) * UNIT * size
    lengths = 18 * UNIT * load * size
    stretches = steps + 1 + load + 1
    adding = stretches * (2 * n + 6) * UNIT * size
    cut_off = stretches * (most + rho) / 2**57
    return recursion + lengths + adding + cut_off


def _ending(model: CTMDP, state: str) -> Fraction:
    return model.terminal[model.state_index(state)]


def random_model(draw: Random) -> CTMDP:
    """Rates, rewards and ends of all sizes; up to five targets."""
    states = [f"s{i}" for i in range(draw.randint(1, 5))]
    rows = []
    for x in states:
        for a in "ab"[: draw.randint(1, 2)]:
            counts = [draw.randint(0, 3) for _ in states]
            counts[draw.randrange(len(states))] += 1
            to = {y: Fraction(n, sum(counts)) for y, n in zip(states, counts, strict=True) if n}
            rate = Fraction(draw.randint(1, 99), draw.choice((1, 10, 1000)))
            reward = Fraction(draw.randint(-9, 9), draw.choice((1, 7, 100)))
            rows.append(Transition.of(x, a, rate=rate, reward=reward, to=to))
    ends = {x: Fraction(draw.randint(-5, 5), draw.choice((1, 10))) for x in states}
    horizon = draw.choice(("1/100", "1/3", 1, 4, 50))
    return CTMDP.of("random", horizon=horizon, transitions=rows, states=states, terminal=ends)


def check_the_sum_of_the_errors() -> None:
    """The bound is twice what its parts come to, in fractions: no less, and no more but for rounding."""
    draw = Random(5)
    for _ in range(200):
        model, steps = random_model(draw), draw.choice((1, 2, 10, 300))
        found, parts = Fraction(Evaluator(model, steps).bound), 2 * plain_bound(model, steps)
        assert parts * (1 - Fraction(1, 10**12)) <= found <= parts * (1 + Fraction(1, 10**12))
    # Where nothing is earned, products that underflow are all there is.
    still = CTMDP.of("still", horizon=1, transitions=[Transition.of("x", "a", rate=1, reward=0, to={"x": 1})])
    assert 2.0**-1074 * 10**9 <= Evaluator(still, 4).bound <= 1e-280


def check_the_clock() -> None:
    """Λ, in whose units the evaluation counts, is at least every rate as it is, and hardly more."""
    for seed in range(50):
        model = random_model(Random(seed))
        flow = Evaluator(model, 8)._flow
        rates = Arrays.of(model).rate
        clocks = [rate / share for rate, share in zip(rates, flow.share, strict=True)]
        least = max(model.max_rate, 1 / model.horizon)
        assert all(least <= Fraction(clock) * (1 + 2 * UNIT) <= least * (1 + 8 * UNIT) for clock in clocks)
        assert flow.share.max() <= 1.0


# --- whole numbers ----------------------------------------------------------------------------


def check_rounding_to_units() -> None:
    """Every value is off by half a unit at most, of either sign; an exact one not at all."""
    draw = np.random.default_rng(1)
    values = draw.normal(size=2000) * 2.0 ** draw.integers(-60, 4, 2000)
    values = np.concatenate([values, -values, [0.0, 2.0**-61, 2.0**-60, -(2.0**-60), 1.75 * 2.0**-60]])
    for value, units in zip(values.tolist(), exact_units(values), strict=True):
        assert isinstance(units, int)
        assert abs(Fraction(value) - units * UNITS) <= UNITS / 2
    assert Curve.of("x", (1,), [], optimal=exactly(0), losses=(Fraction(0), Fraction(1)), error=Fraction(0)
    ).error >= UNITS / 2  # fmt: skip


class Earning:
    """Episodes that are judged by what they earn."""

    def __init__(self, earned: list[Fraction]) -> None:
        self.earned, self.first, self.last, self.planned = tuple(earned), 1, len(earned), 0
        self.starts, self.which = np.array([1]), np.array([0])


def check_rounding_of_what_is_earned() -> None:
    study = a_study(contestant("greedy", 4), episodes=200)  # each of which is a checkpoint
    draw = Random(3)
    earned = [Fraction(draw.randint(-(10**6), 10**6), draw.randint(1, 10**6)) for _ in range(200)]
    account = Account(study, study.contestants[0], RunState())
    account.add(Earning(earned))
    for before, after, true in zip((0, *account.curve), account.curve, earned, strict=False):
        assert abs((after - before) * UNITS - true) <= UNITS / 2


# --- what the regret of an episode can be -----------------------------------------------------


def exactly(number: object) -> Enclosure:
    return Enclosure(Fraction(number), Fraction(number))


def a_study(*contestants: Contestant, episodes: int = 100, **given: object) -> Study:
    settings = Settings.for_model(MACHINE, episodes=episodes)
    return Study(MACHINE, settings, 3, contestants or (contestant("greedy", 10),), **given)


ASKED = replace(contestant("greedy", 10), name="asked", asked=True)
SAMPLED = contestant("ucbvi@5")
POLICY = contestant("greedy", 10)
KINDS = (ASKED, SAMPLED, POLICY)


def check_possible_losses() -> None:
    """However wide the enclosures of the values are: each regret that they leave possible is within."""
    wide = {
        (Semantics.COMMITTED, 1): Enclosure(Fraction(5, 10), Fraction(7, 10)),  # V*
        (Semantics.ADJUSTABLE, 1): Enclosure(Fraction(8, 10), Fraction(9, 10)),
        (Semantics.COMMITTED, -1): Enclosure(Fraction(-4, 10), Fraction(-2, 10)),  # minus the worst value
        (Semantics.ADJUSTABLE, -1): Enclosure(Fraction(-3, 10), Fraction(-1, 10)),
    }

    def values(model: CTMDP, semantics: Semantics, states: tuple[str, ...]) -> tuple[Enclosure, ...]:
        turned = -1 if model.transitions[0].reward < 0 else 1
        return (wide[semantics, turned],) * len(states)

    rewards = [row.reward for row in MACHINE.transitions]
    ranges = {
        ASKED: (min(rewards) * MACHINE.horizon, max(rewards) * MACHINE.horizon),
        SAMPLED: (Fraction(1, 10), Fraction(9, 10)),
        POLICY: (Fraction(2, 10), None),  # at most V*, whatever that is
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimum, "_values", values)
        for kind, (worst, best) in ranges.items():
            low, high = optimum.possible_losses(a_study(kind), kind)
            regrets = [
                v - w
                for v in (Fraction(5, 10), Fraction(7, 10))
                for w in (worst, v if best is None else best)
            ]
            assert (low, high) == (min(regrets), max(regrets))


def check_mixing_of_values() -> None:
    """Over several initial states ends are mixed with ends; and doubles may lose what is proved."""
    ends = {"operating": (Fraction(1, 4), Fraction(3, 4)), "repair": (Fraction(1, 3), Fraction(2, 3))}
    initial = (("operating", Fraction(1, 4)), ("repair", Fraction(3, 4)))
    study = a_study(initial=initial)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            optimum, "_values", lambda model, semantics, states: [Enclosure(*ends[x]) for x in states]
        )
        mixed = optimum.optimal_value(study)
    for end in (0, 1):
        wanted = sum(p * ends[x][end] for x, p in initial)
        assert (mixed.lower, mixed.upper)[end] == wanted
    each, alone = study.contestants[0], a_study()
    bound = Fraction(Evaluator(MACHINE, each.steps).bound)
    assert optimum.value_error(alone, each) == bound
    # Two products and a sum are three roundings, of values up to the scale.
    assert bound + 3 * UNIT * MACHINE.value_scale <= optimum.value_error(study, each) <= bound + UNITS * 2**12


def check_the_loss_of_the_grid() -> None:
    """At most: from the largest V* that is possible and the least value of the policy, and never negative."""
    study = a_study()
    for value, wanted in ((Fraction(2, 5), Fraction(31, 100)), (Fraction(1), Fraction(0))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cells, "optimal_value", lambda study: Enclosure(Fraction(1, 2), Fraction(7, 10)))
            patch.setattr(cells, "value_error", lambda study, one: Fraction(1, 100))
            patch.setattr(cells, "_best_values", lambda model, steps, value=value: [float(value)] * 2)
            found = cells.grid_loss(study, POLICY)
            assert float(found) == pytest.approx(float(wanted), abs=1e-15)


def check_who_keeps_a_bonus() -> None:
    """Of pairs of rate 0: those whose reward and bonus together are at least 1, the most that there is."""
    horizon, delta = Fraction(1, 8), Fraction(9, 10)
    bracket = math.log(2**1 * 1 * 4 * float(horizon) / float(delta))  # eq:alpha-k, with K = S = 1, A = 4
    kept = float(horizon) * 2 / (1 - math.exp(-2 * float(horizon))) * math.sqrt(2 * bracket)
    assert 0.1 < 1 - kept < 0.9
    rewards = {"more": "1", "enough": Fraction(1 - kept + 1e-9), "less": Fraction(1 - kept - 1e-9)}
    rows = [Transition.of("x", a, rate=0, reward=reward) for a, reward in rewards.items()]
    rows.append(Transition.of("x", "leave", rate=2, reward=1, to={"x": 1}))
    model = CTMDP.of("kept", horizon=horizon, transitions=rows)
    settings = Settings.for_model(model, episodes=1, delta=delta)
    found = never_left(model, settings, ["x"])
    assert [pair.action for pair in found] == ["more", "enough"]
    assert [pair.bonus for pair in found] == pytest.approx([kept, kept])


def check_logarithms_of_large_numbers() -> None:
    """Also where the number itself would not fit."""
    with mpmath.workdps(40):
        for value in (Fraction(3, 7), Fraction(10**400), Fraction(1, 10**400), Fraction(7**500, 10**900)):
            for doublings in (0, 1, 900, 4999, 5000, 10**6):
                number = mpmath.log(value.numerator) - mpmath.log(value.denominator)
                wanted = number + doublings * mpmath.log(2)
                assert DOUBLES.log_of(value, doublings) == pytest.approx(float(wanted), rel=1e-12)


# --- the bands --------------------------------------------------------------------------------

KS = (1, 3, 10)


def one_sided(sample: list[Fraction], delta: float) -> float:
    """Maurer and Pontil, theorem 4: with 1 - δ the mean of X in [0, 1] is at most the sample's plus this."""
    n = len(sample)
    # The sum over i < j of (x_i - x_j)^2, over n(n - 1), as they write it.
    variance = (n * sum(x * x for x in sample) - sum(sample) ** 2) / (n * (n - 1))
    return math.sqrt(2 * variance * math.log(2 / delta) / n) + 7 * math.log(2 / delta) / (3 * (n - 1))


def random_curve(draw: Random, runs: int, **given: object) -> Curve:
    low, high = Fraction(draw.randint(-3, 0), 4), Fraction(draw.randint(1, 5), 3)
    middle = (low + high) / 2
    paths = [[middle + Fraction(draw.randint(-50, 50), 10**4) for _ in range(KS[-1])] for _ in range(runs)]
    regrets = tuple(tuple(sum(path[:k], Fraction(0)) for k in KS) for path in paths)
    confidence = Fraction(draw.choice((50, 90, 95, 99)), 100)
    return replace(Curve("x", KS, regrets, (low, high), Fraction(0), confidence), **given)


def check_the_guaranteed_band() -> None:
    """The union of one-sided bounds, two for each checkpoint, of the regret as a part of its range."""
    draw = Random(7)
    for _ in range(8):
        curve = random_curve(draw, draw.randint(300, 600))
        (low, high), delta = curve.losses, float(1 - curve.confidence) / (2 * len(KS))
        for i, k in enumerate(KS):
            sample = [(run[i] - k * low) / (k * (high - low)) for run in curve.regrets]
            wide = float(k * (high - low)) * one_sided(sample, delta)
            assert curve.guaranteed[i] == pytest.approx(
                (max(float(curve.mean[i]) - wide, k * low), min(float(curve.mean[i]) + wide, k * high)),
                rel=1e-12,
            )


def check_the_band_of_student() -> None:
    from scipy import stats

    draw = Random(8)
    for _ in range(12):
        curve = random_curve(draw, draw.randint(2, 12), losses=(Fraction(-99), Fraction(99)))
        level = 1 - float(1 - curve.confidence) / len(KS)
        for i, ends in enumerate(curve.band):
            column = [float(run[i]) for run in curve.regrets]
            wanted = stats.t.interval(level, len(column) - 1, np.mean(column), stats.sem(column))
            assert ends == pytest.approx(wanted, rel=1e-9)


def check_the_error_of_a_curve() -> None:
    """The regret after k episodes is off by k times: the value's error, half a unit, and that of V*."""
    given = {"losses": (Fraction(0), Fraction(1)), "error": Fraction(1, 1000)}
    runs = [RunState(curve=(0, 0, 0))] * 2
    curve = Curve.of("x", KS, runs, optimal=Enclosure(Fraction(1, 4), Fraction(3, 4)), **given)
    assert curve.error == Fraction(1, 1000) + UNITS / 2 + Fraction(1, 4)
    assert curve.regrets == ((Fraction(1, 2), Fraction(3, 2), Fraction(5)),) * 2
    for plain, blurred in (
        (random_curve(Random(1), 500), random_curve(Random(1), 500, error=Fraction(1, 100))),
        (random_curve(Random(2), 700), random_curve(Random(2), 700, error=Fraction(1, 300))),
    ):
        for which in ("band", "guaranteed"):
            for k, (a, b), (c, d) in zip(KS, getattr(plain, which), getattr(blurred, which), strict=True):
                more, (low, high) = float(k * blurred.error), plain.losses
                assert (c, d) == pytest.approx((max(a - more, k * low), min(b + more, k * high)), rel=1e-9)


# --- which study it is ------------------------------------------------------------------------


def check_what_a_study_is() -> None:
    """Whatever results depend on makes another study; what is only said about them does not."""
    base = a_study()
    mine = base.contestants[0]
    first = base.identity(mine)
    optimistic = base.settings.with_bonus("optimistic")
    settings = [
        replace(optimistic if one.name in ("rates", "jumps") else base.settings, **{one.name: other})
        for one in fields(Settings)
        for other in [changed_setting(one.name, base.settings)]
    ]
    others = [
        (replace(base, model=MACHINE.with_horizon(2)), mine),
        (replace(base, model=MACHINE.with_rewards("1/2")), mine),
        *((replace(base, settings=one), mine) for one in settings),
        (replace(base, seed=4), mine),
        (replace(base, initial=(("repair", Fraction(1)),)), mine),
        *(
            (replace(base, initial=(("operating", Fraction(n, 4)), ("repair", Fraction(4 - n, 4)))), mine)
            for n in (1, 2)
        ),
        (base, replace(mine, name="other")),
        (base, replace(mine, steps=11)),
        (base, replace(mine, sampled=True)),
        (base, replace(mine, options=(("learner_sha256", "1"),))),
    ]
    found = [study.identity(one) for study, one in others]
    for what in ("digest", "versions"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plan, what, lambda what=what: "other" if what == "digest" else (("python", "2.7"),))
            found.append(base.identity(mine))
    texts = [plan.described(one) for one in (first, *found)]
    assert len(set(texts)) == len(texts)
    assert (
        plan.described(replace(base, model=replace(MACHINE, source="elsewhere")).identity(mine)) == texts[0]
    )


def changed_setting(name: str, settings: Settings) -> object:
    """Another value of a setting; a setting that is new has none yet."""
    others = {
        "episodes": 101, "delta": Fraction(1, 7), "lambda_max": Fraction(8), "lambda_min": Fraction(1),
        "bonus": "sharp", "replan": Fraction(1, 3), "rates": "poisson", "jumps": "kl",
    }  # fmt: skip
    return replace(settings.epsilon, exponent=Fraction(1, 3)) if name == "epsilon" else others[name]


CHECKS = {
    name.removeprefix("check_"): check for name, check in list(globals().items()) if name[:6] == "check_"
}


@pytest.mark.parametrize("name", CHECKS)
def test_it_is_what_is_said(name):
    CHECKS[name]()
