from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from ctucbvi import CTMDP, Enclosure, InputError, Transition
from ctucbvi.learning import Settings
from ctucbvi.library import machine_repair
from ctucbvi.study import Curve, RunState, regret_bound, student_quantile
from ctucbvi.study.evaluation import UNITS

KS = (1, 2, 5, 10)


def point(number: str) -> Enclosure:
    return Enclosure(Fraction(number), Fraction(number))


def curve(earned: list[list[Fraction]], **options) -> Curve:
    runs = [RunState(curve=tuple(int(e / UNITS) for e in row)) for row in earned]
    given = {
        "optimal": point("1/2"),
        "losses": (Fraction(0), Fraction(1, 2)),
        "error": Fraction(0),
        **options,
    }
    return Curve.of("someone", KS, runs, **given)


def test_mean_and_standard_error_of_hand_made_runs():
    quarter = [Fraction(k, 4) for k in KS]
    found = curve([quarter, [Fraction(0)] * 4, [Fraction(k, 2) for k in KS]])
    assert found.mean == tuple(Fraction(k, 4) for k in KS)
    expected = [float(np.std([0, k / 4, k / 2], ddof=1)) / math.sqrt(3) for k in KS]
    assert found.standard_error == pytest.approx(expected, rel=1e-15)
    assert found.band is not None
    assert found.band[-1] == (0.0, 5.0)  # wider than what is possible
    many = curve([[Fraction(k, 4) + Fraction(i, 100) for k in KS] for i in range(-3, 4)])
    times, error = stats.t.ppf(1 - 0.05 / 4 / 2, 6), math.sqrt(28 / 6 / 7) / 100
    assert many.band is not None
    assert many.band[-1] == pytest.approx((2.5 - times * error, 2.5 + times * error), rel=1e-9)


def test_one_run_has_no_spread():
    found = curve([[Fraction(k, 4) for k in KS]])
    assert (found.variance, found.standard_error, found.band, found.guaranteed) == (None,) * 4


def test_the_guaranteed_band_stays_in_the_range_and_counts_the_error():
    runs = [[Fraction(k, 4) + Fraction(i, 1000) for k in KS] for i in range(400)]
    bare = curve(runs).guaranteed
    blurred = curve(runs, error=Fraction(1, 100)).guaranteed
    assert bare is not None
    assert blurred is not None
    for k, (low, high), (lower, higher) in zip(KS, bare, blurred, strict=True):
        assert 0 <= lower <= low < high <= higher <= k / 2
    assert bare[0][0] - blurred[0][0] == pytest.approx(0.01)


def covered(confidence: Fraction, times: float = 1.0) -> float:
    """How often the band of 10 runs of a random walk contains its expectation at all checkpoints."""
    draw, hits, studies = np.random.default_rng(0), 0, 400
    for _ in range(studies):
        steps = draw.uniform(0, 0.5, (10, KS[-1])).cumsum(axis=1)[:, np.array(KS) - 1]
        found = curve([[Fraction(float(e)) for e in row] for row in steps], confidence=confidence)
        assert found.band is not None
        hits += all(
            (low + high) / 2 - times * (high - low) / 2
            <= k / 4
            <= (low + high) / 2 + times * (high - low) / 2
            for k, (low, high) in zip(KS, found.band, strict=True)
        )
    return hits / studies


def test_the_band_holds_at_all_checkpoints_together():
    confidence = Fraction(9, 10)
    assert covered(confidence) >= 0.9
    pointwise = student_quantile(0.1, 9) / student_quantile(0.1 / len(KS), 9)
    assert covered(confidence, pointwise) < 0.85  # a band for each checkpoint on its own does not do


@pytest.mark.parametrize(
    ("share", "freedom"), [(0.05, 1), (0.05, 29), (0.05 / 200, 29), (1e-9, 3), (0.5, 1000)]
)
def test_quantiles_are_those_of_scipy(share, freedom):
    assert student_quantile(share, freedom) == pytest.approx(stats.t.isf(share / 2, freedom), rel=1e-9)


def test_a_bad_confidence_is_refused():
    with pytest.raises(InputError, match="confidence"):
        curve([[Fraction(0)] * 4], confidence=Fraction(1))


# --- the bound of the theorem ----------------------------------------------------------------


def theorem(model: CTMDP, settings: Settings, episodes: int, lambda_min: float) -> float:
    """eq:regret-bound once more, in mpmath and in one line after the other."""
    with mpmath.workdps(30):
        s, a, k = len(model.states), len(model.actions), mpmath.mpf(episodes)
        h, top = mpmath.mpf(float(model.horizon)), mpmath.mpf(float(settings.lambda_max))
        c = max(top / (1 - mpmath.exp(-top * h)), 1)
        power = -mpmath.mpf(settings.epsilon.exponent.numerator) / settings.epsilon.exponent.denominator
        total = mpmath.fsum(mpmath.mpf(j) ** power for j in range(1, episodes + 1))
        if settings.epsilon.scaled:
            total *= mpmath.exp(-top * h)
        log = mpmath.log(2 * s * a * k * h)
        first = 3 * (c * h + 1) * mpmath.sqrt(s * a * k) * (h + 1 / mpmath.mpf(lambda_min)) * (top * h + 1)
        first *= mpmath.log(k) / mpmath.log(mpmath.log(k) + 1)
        first *= mpmath.sqrt(2 * s + 6 * log) + 4 * top * h * mpmath.sqrt(log)
        return float(first + total * mpmath.exp(top * h) + 1)


@pytest.mark.parametrize("epsilon", ["1/sqrt(k)", "k^-2/3*exp(-lambda_max*H)"])
def test_the_bound_is_that_of_the_theorem(epsilon):
    model = machine_repair()
    settings = Settings.for_model(model, episodes=1000, epsilon=epsilon)
    found = regret_bound(model, settings, (2, 10, 1000))
    assert found.missing == ""
    expected = [theorem(model, settings, k, 2.0) for k in (2, 10, 1000)]
    assert found.values == pytest.approx(expected, rel=1e-12)
    assert found.values != pytest.approx([theorem(model, settings, k, 3.0) for k in (2, 10, 1000)], rel=1e-3)


def test_where_the_bound_is_not_defined_it_says_why():
    model = machine_repair()
    settings = Settings.for_model(model, episodes=1000)
    found = regret_bound(model, settings, (1, 2))
    assert found.values[0] is None
    assert found.values[1] is not None
    assert "K = 1" in found.missing
    both = {"bonus": "sharp", "lambda_min": Fraction(2)}
    for changed, why in (({"bonus": False}, "bonus"), (both, "lambda_min")):
        assert why in regret_bound(model, replace(settings, **changed), (2,)).missing
    rows = [
        Transition.of("x", "a", rate=1, reward=1, to={"y": 1}),
        Transition.of("y", "a", rate=0, reward=0),
    ]
    trap = CTMDP.of("trap", horizon=1, transitions=rows)
    found = regret_bound(trap, Settings.for_model(trap, episodes=9), (2, 3))
    assert (found.values, "rate 0" in found.missing) == ((None, None), True)
    short = model.with_horizon("1/100")
    assert "negative" in regret_bound(short, settings, (2,)).missing
    assert "K H > 1/2" in regret_bound(short, replace(settings, bonus="sharp"), (50,)).missing


def test_a_bound_beyond_doubles_is_missing():
    model = machine_repair().with_horizon(1000)
    found = regret_bound(model, Settings.for_model(model, episodes=9), (9,))
    assert (found.values, "double precision" in found.missing) == ((None,), True)
