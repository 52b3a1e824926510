"""From which number of episodes on a bound says more than the trivial one; sweeps."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from flint import arb

from ctucbvi import InputError, bundled_model
from ctucbvi.bounds import (
    BALLS,
    VERSIONS,
    Parameters,
    SweepRange,
    Threshold,
    check,
    formulas,
    optimistic,
    sweep,
    threshold,
)
from ctucbvi.bounds.parts import BoundParts
from ctucbvi.bounds.rows import KL, TILTS, UNIFORM
from ctucbvi.bounds.thresholds import excess, first
from ctucbvi.bounds.versions import LAZY, Version, root_growths
from ctucbvi.exact.precision import precision

BY_NAME = {version.name: version for version in VERSIONS}
KEPT = {version.name: version for version in LAZY}
REPAIR = Parameters.of_model(bundled_model("machine-repair"), episodes=10**7, delta="1/20")
SMALL = Parameters.of(states=1, actions=1, horizon=1, episodes=1, lambda_max=1, lambda_min=1, delta="1/20")


SETS = ("optimistic", "poisson", "kl", "kl-poisson", "tilts", "tilts-poisson")  # of the optimistic learner


def doubles(name: str, p: Parameters, k: np.ndarray) -> np.ndarray:
    """The versions once more, plainly, for many K at once."""
    if name.removesuffix("-delta") in SETS:
        return plainly_optimistic(name, p, k, float(p.delta) if "delta" in name else 1 / (2 * k))
    s, a, h, top, low = (float(x) for x in (p.states, p.actions, p.horizon, p.lambda_max, p.lambda_min))
    v, delta = top * h, float(p.delta) if "delta" in name else 1 / (2 * k * h)
    c = max(top / (1 - np.exp(-v)), 1)
    pairs = (c * h + 1) * np.sqrt(s * a * k) * (h + 1 / low)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(k == 1, 1, np.log(k) / np.log1p(np.log(k)))
    law = [np.exp(-v) * v**m / math.factorial(m) for m in range(60)]
    level = sum(np.sqrt(sum(law[m + 1 :])) for m in range(59))
    jump = np.sqrt(2 * (s * np.log(2) + np.log(s * a * h * k**2 / delta)))
    rate = v * np.sqrt(2 * 4 * np.log(2 * s * a * k / delta))
    log = np.log(2 * s * a * k * h)
    main = {
        "printed": 3 * (v + 1) * factor * (np.sqrt(2 * s + 6 * log) + 4 * v * np.sqrt(log)),
        "repaired": 3 * (v + 1) * factor * (np.sqrt(2 * s + 6 * log) + 4 * v * np.sqrt(log)),
        "sharp": level * (2 * jump + 7 / 3 * rate),
        "halved": level * (2 * jump + 7 / 3 * rate) / 2,
        "lump-sum": level * (2 * jump + 7 / 3 * rate) / (c * h + 1),
        "sharp-bonus": level * (2 * jump + 7 / 3 * rate) / 2,
        "known-rate": level * (2 * jump + 7 / 3 * rate) * (1 + c * h / (1 + low * h)) / (c * h + 1),
        "delta": 3 * (v + 1) * factor * (jump + rate),
        "sharp-delta": level * (2 * jump + 7 / 3 * rate),
    }[name]
    iteration = np.exp(v) if name in ("printed", "repaired", "delta") else 1 if name == "sharp-bonus" else v
    return pairs * main + iteration * np.cumsum(k**-0.5) + 2 * delta * k * h


def plainly_optimistic(name: str, p: Parameters, k: np.ndarray, delta: np.ndarray | float) -> np.ndarray:
    s, a, h, v = (float(x) for x in (p.states, p.actions, p.horizon, p.load))
    mean = 1 + k * v / (s * a)
    kind, number = name.partition("-")[0], 3 + np.log2(k * (1 + v)) / 2
    if kind == "kl":
        ways = sum(np.log1p(mean / j) for j in range(1, p.states))
        jump, one = np.sqrt(2 * np.log(s * a / delta) + 2 * ways), np.sqrt(2 * np.log(s**2 * a / delta))
    elif kind == "tilts":
        level = s * np.log(2) + np.log(s * a * number / delta)
        jump, one = 1.5 * np.sqrt(level + 0.25), 1.5 * np.sqrt(level + 0.25 / (k * (1 + v)))
    else:
        jump = np.sqrt(2 * s * np.log(2) + 2 * np.log(s * a * mean * (mean + 1) / delta))
        one = np.sqrt(2 * s * np.log(2) + 2 * np.log(2 * s * a / delta))
    tilts = np.linspace(1e-3, 20, 20_000)
    most = np.array([np.min((np.log(x) + v * np.expm1(tilts)) / tilts) for x in k[:: max(1, len(k) // 500)]])
    most = np.interp(np.log(k), np.log(k[:: max(1, len(k) // 500)]), most)
    if "poisson" in name:
        level = np.log(2 * s * a * number / delta)
        main = np.sqrt(2 * s * a * k * v) * jump + np.sqrt(27 * s * a * k * level)
        rest = v / 2 + np.sqrt(27 * v) / 4 + 3 * level * (1 + np.log1p(k * v / (6 * level * s * a)))
    else:
        main = np.sqrt(2 * s * a * k * v) * (jump + 4 * np.sqrt(np.log(2 * s * a * k / delta)))
        rest = v
    return h * main + s * a * h * (one * most + rest) + 2 * delta * k * h


@pytest.mark.parametrize(
    ("name", "rate"),
    [pytest.param("printed", "1/2", marks=pytest.mark.thorough),
     pytest.param("delta", "1/2", marks=pytest.mark.thorough), ("sharp", "1/2"),
     ("sharp", "1"), ("halved", "1/2"), ("halved", "1"), ("lump-sum", "1/2"), ("lump-sum", "1"),
     ("sharp-bonus", "1/2"), ("known-rate", "1/2"), ("sharp-delta", "1/2"), ("sharp-delta", "1"),
     ("optimistic", "1"), ("optimistic-delta", "8"),
     ("poisson", "9"), ("poisson-delta", "9"), ("kl", "2"), ("kl-delta", "9"), ("kl-poisson", "9"),
     ("kl-poisson-delta", "12"), ("tilts", "2"), ("tilts-delta", "9"), ("tilts-poisson", "9"),
     ("tilts-poisson-delta", "12")],
)  # fmt: skip
def test_thresholds_by_brute_force(name, rate):
    p = replace(SMALL, lambda_max=Fraction(rate), lambda_min=Fraction(rate))
    p = replace(p, states=3 if name.startswith("kl") else 1)  # one state has one row
    found = threshold(BY_NAME[name], p).episodes
    k = np.arange(1, found + 300_000, dtype=float)
    below = doubles(name, p, k) < k
    assert np.flatnonzero(~below)[-1] + 2 == found  # one more than the last K at which it is not below
    assert found > 1_000


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
@pytest.mark.parametrize(
    "p",
    [
        REPAIR,
        replace(REPAIR, lambda_max=Fraction(100)),
        replace(REPAIR, horizon=Fraction(1, 4)),
        replace(REPAIR, states=50, actions=20, lambda_min=Fraction(1, 100)),
        Parameters.of(states=3, actions=2, horizon=1, episodes=1, lambda_max=300, lambda_min=1, delta="1/9"),
    ],
    ids=str,
)
def test_the_certificate_of_a_threshold(version, p):
    found = threshold(version, p).episodes
    assert excess(version, p, found - 1) > 0
    assert excess(version, p, found) < 0
    with precision(2 * found.bit_length() + 64):
        assert version.growth(replace(p, episodes=found), BALLS) < 0
        quotients = []
        for k in (found, found + 1, 2 * found, found**2):
            quotients.append(version.bound(replace(p, episodes=k), BALLS) / k)
        assert all(later < earlier for earlier, later in itertools.pairwise(quotients))


@pytest.mark.parametrize("version", LAZY, ids=lambda version: version.name)
@pytest.mark.parametrize("eta", ["0", "1/100", "3"])
def test_the_certificate_of_a_threshold_with_plans_kept(version, eta):
    test_the_certificate_of_a_threshold(version, replace(REPAIR, replan=Fraction(eta)))


def test_machine_repair_with_plans_kept():
    found = {name: threshold(KEPT[f"{name}-lazy"], replace(REPAIR, replan=Fraction(1, 100))) for name in SETS}
    assert {name: one.episodes for name, one in found.items()} == {
        "optimistic": 46272, "poisson": 13335, "kl": 40714, "kl-poisson": 10770, "tilts": 38474,
        "tilts-poisson": 10004,
    }  # fmt: skip
    for name in SETS:  # no factor
        kept = threshold(KEPT[f"{name}-lazy"], replace(REPAIR, replan=Fraction(0)))
        assert kept == threshold(BY_NAME[name], REPAIR)
    assert threshold(KEPT["optimistic-lazy"], REPAIR).reason == "needs eta >= 0 is given"


def test_machine_repair():
    found = {name: threshold(version, REPAIR).episodes for name, version in BY_NAME.items()}
    assert found == {
        "printed": 598775012164, "repaired": 598775012164, "sharp": 5507148639, "halved": 1293499685,
        "lump-sum": 70381732, "sharp-bonus": 1292596275, "known-rate": 882772621,
        "delta": 401426176006, "sharp-delta": 3939549329,
        "optimistic": 45784, "optimistic-delta": 38290, "poisson": 13201, "poisson-delta": 10271,
        "kl": 40285, "kl-delta": 31919, "kl-poisson": 10662, "kl-poisson-delta": 7531,
        "tilts": 38073, "tilts-delta": 28659, "tilts-poisson": 9907, "tilts-poisson-delta": 6559,
    }  # fmt: skip


def test_the_lower_order_falls_where_the_growth_says_so():
    for name in (f"{sets}{ending}" for sets in SETS for ending in ("", "-delta")):
        for lambda_max in (Fraction(1, 10**6), Fraction(7), Fraction(10**6)):
            p = replace(REPAIR, lambda_max=lambda_max, delta=Fraction(1, 20))
            starts = first(lambda k, p=p, name=name: falls(name, replace(p, episodes=k)), 2, 10**40)
            assert starts is not None
            sizes = [lower_order(name, replace(p, episodes=starts * 3**i)) for i in range(30)]
            assert all(bool(b < a) for a, b in itertools.pairwise(sizes))


def falls(name: str, p: Parameters) -> bool:
    with precision(128):
        return bool(BY_NAME[name].growth(p, BALLS) < 0)


def lower_order(name: str, p: Parameters):
    with precision(256):
        return BY_NAME[name].parts(p, BALLS).lower_order / p.episodes


@pytest.mark.parametrize("name", list(BY_NAME))
def test_growth_bounds_the_growth(name):
    """A finite difference of ln(product/K) over ln K, against the bound of its derivative."""
    version = BY_NAME[name]

    def slopes(spoil: Fraction) -> list[bool]:
        held = []
        for k in (1000, 10**5, 10**9, 10**15):
            p, q = (replace(REPAIR, episodes=x) for x in (k, k + k // 100))
            with precision(128):
                start, end = (version.parts(x, BALLS).product / x.episodes for x in (p, q))
                slope = (end / start).log() / BALLS.log_of(Fraction(q.episodes, p.episodes))
                held.append(bool(slope < version.growth(p, BALLS) - BALLS.number(spoil)))
        return held

    assert all(slopes(Fraction(0)))
    assert not any(slopes(Fraction(1, 5)))


def level(p: Parameters) -> arb:
    """l, from the number of tilts that stands for the learner's."""
    tilts = 3 + BALLS.log_of(p.episodes * (1 + p.load)) / (2 * BALLS.log_of(Fraction(2)))
    return BALLS.log_of(2 * p.states * p.actions / p.delta) + tilts.log()


def spread(p: Parameters) -> arb:
    """1 + ln(1 + Kv/(6lSA))."""
    return 1 + (1 + BALLS.number(p.episodes * p.load / (6 * p.states * p.actions)) / level(p)).log()


# What grows with K in the bounds, and by how much it is said to, at most.
GROWING = {
    "rates": (
        lambda p: (4 * BALLS.log_of(2 * p.states * p.actions * p.episodes / p.delta)).sqrt(),
        lambda p, c: optimistic.rate_growth(p, BALLS, c),
    ),
    "tilts": (lambda p: level(p).sqrt(), lambda p, c: optimistic.tilt_growths(p, BALLS, c)[0]),
    "steps": (lambda p: level(p) * spread(p), lambda p, c: optimistic.tilt_growths(p, BALLS, c)[1]),
    "jump radii": (
        lambda p: BALLS.log_of(p.states * p.actions * p.episodes**2 / p.delta, p.states).sqrt(),
        lambda p, c: root_growths(replace(p, delta=None) if c else p, BALLS)[0],
    ),
    "rate radii": (
        lambda p: BALLS.log_of(2 * p.states * p.actions * p.episodes / p.delta).sqrt(),
        lambda p, c: root_growths(replace(p, delta=None) if c else p, BALLS)[1],
    ),
    "jumps at most": (
        lambda p: formulas.mean_maximum_sharp(p, BALLS),
        lambda p, c: 1 / BALLS.log_of(Fraction(p.episodes)),
    ),
    **{
        f"{name}, {what}": (
            lambda p, rows=rows, size=size: getattr(rows, size)(p, BALLS).sqrt(),
            lambda p, c, rows=rows, growth=growth: getattr(rows, growth)(p, BALLS, c),
        )
        for name, rows in (("uniform", UNIFORM), ("kl", KL), ("tilted", TILTS))
        for what, size, growth in (("mean", "square", "growth"), ("first", "first", "first_growth"))
    },
}


def growths_too_small(which: str, seeds: range) -> int:
    """How often ``which`` grows faster, from one K to a larger one, than is said at either."""
    size, growth = GROWING[which]
    found = 0
    for seed in seeds:
        draw = Random(seed)
        moving = seed % 2
        k = draw.choice((2, 3, 4, 7, 20, 100, 10**4, 10**8))
        load = Fraction(draw.choice((1, 3, 7)), 1) * Fraction(10) ** draw.randint(-4, 7)
        delta = Fraction(draw.choice((99, 50, 5, 1)), 100) ** draw.choice((1, 1, 3))
        sizes = {"states": draw.choice((1, 1, 2, 5, 40)), "actions": draw.choice((1, 1, 3))}
        p, q = (
            Parameters.of(
                **sizes, horizon=1, episodes=x, lambda_max=load, lambda_min=load,
                delta=Fraction(1, 2 * x) if moving else delta,
            )
            for x in (k, k + max(1, k // 100))
        )  # fmt: skip
        with precision(128):
            slope = (size(q) / size(p)).log() / BALLS.log_of(Fraction(q.episodes, p.episodes))
            said = growth(p, moving).max(growth(q, moving))
            assert slope.is_finite()
            found += bool(slope > said)  # for certain
    return found


@pytest.mark.parametrize("which", list(GROWING))
def test_growth_bounds_the_growth_of_each_part(which):
    assert growths_too_small(which, range(300)) == 0


def test_kullback_leibler_rows_of_many_states_where_few_jumps_are_seen():
    """The first bound of the growth is above 1/2 there, the second is not."""
    p = Parameters.of(states=1000, actions=2, horizon=1, episodes=1, lambda_max="1/100", delta="1/20")
    found = threshold(BY_NAME["kl"], p).episodes
    assert excess(BY_NAME["kl"], p, found - 1) > 0 > excess(BY_NAME["kl"], p, found)
    at = replace(p, episodes=found, delta=Fraction(1, 2 * found))
    with precision(128):
        assert KL.square(at, BALLS) < 2 * p.states
        assert KL.growth(at, BALLS, 1) < BALLS.number(Fraction(1, 2))


def artificial(constant: int, accuracy: int = 0) -> Version:
    """``B(K) = constant √K + accuracy``: below K from the square of a solution on."""

    def parts(p: Parameters, numbers: object) -> BoundParts[object]:
        del numbers
        zero = BALLS.number(Fraction(0))
        root = BALLS.number(Fraction(p.episodes)).sqrt() * constant
        return BoundParts((), root, zero, BALLS.number(Fraction(accuracy)), zero)

    return Version("artificial", "", "", parts, lambda p, numbers: BALLS.number(Fraction(-1, 2)), ())


@pytest.mark.parametrize(
    ("constant", "accuracy"), [(2, 1), (3, 5), (10, 0), (100, 7), (1000, 1), (1, 1), (0, 1)]
)
def test_an_artificial_bound(constant, accuracy):
    k = np.arange(1, 3 * 10**6, dtype=float)
    above = np.flatnonzero(constant * np.sqrt(k) + accuracy >= k)
    expected = int(above[-1]) + 2 if len(above) else 1
    assert threshold(artificial(constant, accuracy), SMALL).episodes == expected  # 10√100 is not below 100


def test_a_bound_that_is_below_before_its_growth_is_known():
    late = Version(
        "late", "", "", artificial(1, 1).parts,
        lambda p, numbers: BALLS.number(Fraction(-1, 2) if p.episodes >= 50 else Fraction(1)), (),
    )  # fmt: skip
    assert threshold(late, SMALL).episodes == threshold(artificial(1, 1), SMALL).episodes == 3
    never = replace(late, growth=lambda p, numbers: BALLS.number(Fraction(1)))
    assert "grow more slowly" in threshold(never, SMALL).reason
    far = replace(late, growth=lambda p, numbers: BALLS.number(Fraction(5000 - p.episodes)))
    assert "undecided below K = 5001" in threshold(far, SMALL).reason


def test_why_there_is_none():
    assert threshold(BY_NAME["printed"], replace(REPAIR, lambda_min=None)) == Threshold(
        None, "needs 0 < lambda_min <= lambda_max"
    )
    assert "lambda_max H" in threshold(BY_NAME["sharp"], replace(REPAIR, lambda_max=Fraction(10**9))).reason
    assert "delta >= 1/2" in threshold(BY_NAME["delta"], replace(REPAIR, delta=Fraction(1, 2))).reason
    assert (
        "thousand digits" in threshold(BY_NAME["printed"], replace(REPAIR, lambda_max=Fraction(5000))).reason
    )
    assert threshold(BY_NAME["printed"], replace(REPAIR, lambda_max=Fraction(10**40))).episodes is None


def test_the_first_of_a_condition():
    for start in (2, 3, 17, 99, 100):
        assert first(lambda k, start=start: k >= start, 2, 100) == start
    assert first(lambda k: False, 2, 100) is None


# --- sweeps -----------------------------------------------------------------------------------


def test_a_range_is_read():
    found = SweepRange.parse("K=1..1e14")
    assert (found.parameter, found.values[0], found.values[-1]) == ("K", 1, 10**14)
    assert all(value.denominator == 1 for value in found.values)
    assert list(found.values) == sorted(set(found.values))
    fine = SweepRange.parse("H=1/10..10:5").values
    assert (fine[0], fine[-1], len(fine)) == (Fraction(1, 10), 10, 5)
    assert float(fine[2]) == pytest.approx(1)
    assert SweepRange.parse("lambda-max=1..8:4").parameter == "lambda_max"


@pytest.mark.parametrize(
    "text", ["K", "K=1", "K=5..1", "K=0..5", "x=1..2", "K=1..9:1", "K=1..9:1e9", "K=a..b", "K=1..9:x"]
)
def test_a_bad_range_is_refused(text):
    with pytest.raises(InputError):
        SweepRange.parse(text)


@pytest.mark.parametrize(
    "text",
    ["K=1..1e14:12", "S=1..100:9", "A=1..50:9", "H=1/10..3:9", "lambda_max=2..20:9", "lambda_min=1/100..7:9",
     "delta=1/100..1:9"],
)  # fmt: skip
def test_a_sweep_has_the_values_of_the_versions(text):
    found = sweep(REPAIR, SweepRange.parse(text))
    for i, value in enumerate(found.range.values):
        at = REPAIR.at(found.range.parameter, value)
        assert found.bounds["trivial"][i] == float(at.episodes * at.horizon)
        for version in VERSIONS:
            shown = found.bounds[version.name][i]
            assert (shown is not None) == check(version.conditions, at).hold
            if shown is not None:
                with precision(100):
                    assert shown == pytest.approx(float(version.bound(at, BALLS).mid()), rel=1e-13)


def test_what_is_beyond_doubles_is_missing():
    found = sweep(REPAIR, SweepRange.parse("H=1..1000:3"))
    assert found.bounds["printed"][-1] is None
    assert found.bounds["printed"][0] is not None
