"""Every constant against a plain evaluation in mpmath, and against what must hold between them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi import bundled_model
from ctucbvi.bounds import (
    BALLS,
    CATALOGUE,
    DOUBLES,
    EXPRESSIONS,
    VERSIONS,
    Parameters,
    check,
    symbolic,
    value,
)
from ctucbvi.bounds.evaluation import decimals
from ctucbvi.exact.precision import precision
from ctucbvi.learning import DOUBLES as PLAIN_DOUBLES
from ctucbvi.learning import Settings, constants

DIGITS = 20
MODULE = {constant.name: constant for constant in CATALOGUE}


# --- the same in mpmath, one line after the other -------------------------------------------


def mp(x: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def poisson_below(mean: mpmath.mpf, count: int) -> mpmath.mpf:
    """P(Z < count)."""
    return mpmath.fsum(mpmath.exp(-mean) * mean**j / mpmath.factorial(j) for j in range(count))


def largest_poisson(mean: mpmath.mpf, count: int) -> mpmath.mpf:
    """Σ_m 1 - P(Z <= m)^count, term by term until nothing is left."""
    total, below, m = mpmath.mpf(0), mpmath.exp(-mean), 0
    while m < 2 * mean + 20 or count * (1 - below) > mpmath.mpf(10) ** -35:
        total += 1 - below**count
        m += 1
        below += mpmath.exp(-mean) * mean**m / mpmath.factorial(m)
    return total


def smallest(function: Callable[[mpmath.mpf], mpmath.mpf]) -> mpmath.mpf:
    """The minimum of a function on (0, 60] that falls and then rises, by thirds."""
    low, high = mpmath.mpf(10) ** -20, mpmath.mpf(60)
    for _ in range(120):  # the minimum is flat: this is enough for 35 digits
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if function(first) < function(second) else (first, high)
    return function(low)


def plain(p: Parameters) -> dict[str, mpmath.mpf]:
    """Every constant that makes sense for in-range parameters, written as in the paper."""
    s, a, h, k = mp(p.states), mp(p.actions), mp(p.horizon), mp(p.episodes)
    top, low = mp(p.fastest), mp(p.slowest)
    d = 1 / (2 * k * h) if p.delta is None else mp(p.delta)
    t, n = mp(p.time), mp(p.left)
    ln, sqrt, exp, e = mpmath.log, mpmath.sqrt, mpmath.exp, mpmath.e
    v = top * h
    found = {}
    c = found["C"] = max(top / (1 - exp(-v)), 1)
    length = found["L"] = 4 * ln(2 * s * a * k / d)
    beta = found["beta"] = sqrt(top * length / max(t, length / top))
    alpha = found["alpha"] = sqrt(2 * (s * ln(2) + ln(s * a * h * k**2 / d)) / max(1, n))
    found["b"] = c * (h**2 * beta + h * alpha)
    found["rho"] = 1 - exp(-v)
    found["iteration"] = exp(v)
    found["iteration-sharp"] = exp(v) - 1
    power = mp(p.epsilon.exponent)
    if p.episodes <= 50:
        total = mpmath.fsum(mpmath.mpf(j) ** -power for j in range(1, p.episodes + 1))
    elif power == 1:
        total = mpmath.harmonic(k)
    else:
        total = mpmath.zeta(power) - mpmath.zeta(power, k + 1)
    total *= exp(-v) if p.epsilon.scaled else 1
    found["accuracies"] = total
    f = ln(k) / ln(ln(k) + 1)
    found["E max"] = largest_poisson(v, p.episodes)
    found["E max-bound"] = (v + 1) * f
    found["E max-sharp"] = smallest(lambda x: (ln(k) + v * (exp(x) - 1)) / x)
    levels = found["D"] = (e - 1) * v + 1 / (sqrt(e) - 1)
    pairs = (h + 1 / low) * sqrt(s * a * k)
    found["proberror"] = 3 * pairs * (v + 1) * f
    found["proberror-sharp"] = 2 * pairs * min((v + 1) * f, levels)
    found["rateerror"] = sqrt(2 * top) * 3 * pairs * (v + 1) * f
    found["rateerror-sharp"] = sqrt(2 * top) * pairs * min((v + 1) * f, levels) * 7 / 3
    log = ln(2 * s * a * k * h)
    tail = exp(v) * total
    roots = sqrt(2 * s + 6 * log) + 4 * v * sqrt(log)
    found["printed"] = found["repaired"] = 3 * (c * h + 1) * pairs * (v + 1) * f * roots + tail + 1
    ours = sqrt(2 * s * ln(2) + 2 * ln(2 * s * a * k**3 * h**2))
    main = (c * h + 1) * pairs * levels
    main *= 2 * ours + mpmath.mpf(7) / 3 * v * sqrt(2 * 4 * ln(4 * s * a * k**2 * h))
    found["sharp"] = main + tail + 1
    found["halved"] = main / 2 + tail + 1
    own = sqrt(2 * (s * ln(2) + ln(s * a * h * k**2 / d)))
    found["delta"] = (
        3 * (c * h + 1) * pairs * (v + 1) * f * (own + v * sqrt(2 * length)) + tail + 2 * d * k * h
    )
    found["sharp-delta"] = (c * h + 1) * pairs * levels * (2 * own + 7 * v * sqrt(2 * length) / 3)
    found["sharp-delta"] += tail + 2 * d * k * h
    found["corollary"] = (16 * sqrt(2 + 16 * log) * f + 3) * v**2 * pairs * (sqrt(s) + v)
    known = (c * h / low + h + 1 / low) * sqrt(s * a * k)
    found["known-lambda-min"] = 3 * known * (v + 1) * f * roots + tail + 1
    levels_of_tree = 0
    while p.actions > 1 and 2 + (p.actions**levels_of_tree - 1) // (p.actions - 1) < p.states:
        levels_of_tree += 1
    reached = 1 - poisson_below(v, levels_of_tree)
    w = found["W"] = h * reached - levels_of_tree / top * (1 - poisson_below(v, levels_of_tree + 1))
    found["lower"] = w * sqrt(s * a * k) / (12 * sqrt(2))
    found["lower-repaired"] = w * sqrt(s * a * k) / 7
    found["lower-simple"] = (h - levels_of_tree / top) * sqrt(s * a * k) / (12 * sqrt(2))
    return found


def random_parameters(rng: random.Random) -> Parameters:
    """In-range parameters of many sizes; about half of them fit the trees of the lower bound."""
    actions = rng.randint(2, 5)
    depth = rng.randint(3 if actions == 2 else 2, 4)
    tree = 2 + (actions**depth - 1) // (actions - 1)
    fastest = Fraction(rng.randint(1, 300), rng.choice([10, 30, 100]))
    scaled = "*exp(-lambda_max*H)" if rng.random() < 0.5 else ""
    return Parameters.of(
        states=rng.choice([tree, rng.randint(1, 40)]),
        actions=actions,
        horizon=Fraction(rng.randint(20, 400), 100),
        episodes=rng.choice([rng.randint(2, 50), rng.randint(50, 10**6), 10 ** rng.randint(6, 15)]),
        fastest=fastest,
        slowest=fastest * Fraction(rng.randint(1, 100), 100),
        delta=rng.choice([None, Fraction(rng.randint(1, 99), 100)]),
        epsilon=f"k^-{rng.choice(['1/2', '1', '2/3', '3/2', '1/3', '3'])}{scaled}",
        time=rng.choice([0, Fraction(rng.randint(1, 10**5), 7)]),
        left=rng.choice([0, rng.randint(1, 10**5)]),
    )


def agreements(p: Parameters, names: list[str], slip: float = 0.0) -> dict[str, bool]:
    """Which constants have enclosures that contain the plain value (times 1 + slip) and are tight."""
    with mpmath.workdps(50):
        expected = plain(p)
    found = {}
    for name in names:
        ball = value(MODULE[name], p, DIGITS).ball
        if ball is None:
            continue
        shown, lower, upper = map(Fraction, decimals(ball, DIGITS))
        with mpmath.workdps(50):
            number = Fraction(mpmath.nstr(expected[name] * (1 + slip), 40))
        assert lower <= shown <= upper
        assert upper - lower <= abs(shown) / 10 ** (DIGITS - 1)
        found[name] = lower <= number <= upper
    return found


def test_a_hundred_random_sets_against_mpmath():
    rng, seen = random.Random(7), Counter()
    for _ in range(100):
        agree = agreements(random_parameters(rng), list(MODULE))
        assert all(agree.values()), [name for name, good in agree.items() if not good]
        seen.update(agree)
    assert set(seen) == set(MODULE)
    assert min(seen.values()) >= 8, seen


def test_a_slip_in_the_fifteenth_digit_is_noticed_everywhere():
    rng, wrong, right = random.Random(8), set(), set()
    for _ in range(30):
        for name, good in agreements(random_parameters(rng), list(MODULE), 1e-15).items():
            (right if good else wrong).add(name)
    assert wrong == set(MODULE)
    assert right == set()


def _no_waiting(p, numbers):
    return numbers.number(p.horizon)


def _other_root(p, numbers):
    return numbers.expm1(numbers.number(Fraction(1))) * numbers.number(p.load + 1)


def _plain_log(p, numbers):
    return numbers.log_of(Fraction(p.episodes)) / numbers.log(numbers.log_of(Fraction(p.episodes)) + 2)


@pytest.mark.parametrize(
    ("formula", "mutant", "caught"),
    [("waiting", _no_waiting, "printed"), ("levels", _other_root, "sharp"), ("levels", _other_root, "halved"),
     ("log_factor", _plain_log, "delta"), ("waiting", _no_waiting, "sharp-delta")],
)  # fmt: skip
def test_a_wrong_formula_is_noticed(monkeypatch, formula, mutant, caught):
    # where e^{λmax H} is large the accuracies alone fill twenty digits
    given = [p for p in sets(60) if p.load < 15 and value(MODULE[caught], p).ball is not None]
    assert len(given) > 5
    monkeypatch.setattr(f"ctucbvi.bounds.formulas.{formula}", mutant)
    assert not any(agreements(p, [caught])[caught] for p in given)


# --- one formula, three arithmetics -----------------------------------------------------------


def sets(count: int) -> list[Parameters]:
    rng = random.Random(count)
    return [random_parameters(rng) for _ in range(count)]


@pytest.mark.parametrize("p", sets(12), ids=str)
def test_doubles_are_near_the_balls(p):
    for constant in CATALOGUE:
        ball = value(constant, p).ball
        if ball is not None:
            assert constant.formula(p, DOUBLES) == pytest.approx(float(ball.mid()), rel=1e-11), constant.name


@pytest.mark.parametrize("name", [name for name in MODULE if name != "E max"])
def test_expressions_are_what_is_computed(name):
    rng = random.Random(3)
    compared = 0
    while compared < 2:
        p = replace(random_parameters(rng), episodes=rng.randint(6, 30), delta=Fraction(1, 9))
        ball = value(MODULE[name], p, DIGITS).ball
        if ball is None:
            continue
        expression = MODULE[name].expression(p)
        told = {"S": p.states, "A": p.actions, "H": p.horizon, "K": p.episodes, "lambda_max": p.fastest,
                "lambda_min": p.slowest, "delta": p.delta, "T": p.time, "N": p.left,
                "d": p.depth}  # fmt: skip
        numbers = {sympy.Symbol(k): sympy.Rational(v) for k, v in told.items() if v is not None}
        number = sympy.N(expression.subs(numbers).doit(), 25)
        assert abs(Fraction(str(number)) / Fraction(decimals(ball, 20)[0]) - 1) < Fraction(1, 10**15)
        compared += 1


def test_the_expressions_of_the_paper():
    expression = {name: str(MODULE[name].expression(sets(1)[0])) for name in ("C", "L", "alpha", "rho")}
    assert expression == {
        "C": "Max(1, lambda_max/(1 - exp(-H*lambda_max)))",
        "L": "4*log(2*A*K*S/delta)",
        "alpha": "sqrt(2*S*log(2) + 2*log(A*H*K**2*S/delta))/sqrt(Max(1, N))",
        "rho": "1 - exp(-H*lambda_max)",
    }


def test_radii_are_the_learner_s():
    model = bundled_model("machine-repair")
    settings = Settings.for_model(model, episodes=1000)
    told = constants(model, settings, PLAIN_DOUBLES)
    p = Parameters.of_model(model, episodes=1000, delta="1/20", time=3, left=5)
    assert MODULE["b"].formula(p, DOUBLES) == told.bonus(3.0, 5.0, PLAIN_DOUBLES)
    assert MODULE["C"].formula(p, DOUBLES) == told.factor
    other = replace(p, delta=Fraction(1, 10))
    assert MODULE["b"].formula(other, DOUBLES) != told.bonus(3.0, 5.0, PLAIN_DOUBLES)


def test_a_model_gives_its_own_sizes_and_rates():
    p = Parameters.of_model(bundled_model("machine-repair"), episodes=9)
    assert (p.states, p.actions, p.horizon, p.fastest, p.slowest) == (2, 2, 1, 7, 2)
    told = Parameters.of_model(bundled_model("machine-repair"), episodes=9, fastest=8, slowest=1)
    assert (told.fastest, told.slowest) == (8, 1)


# --- what holds between them --------------------------------------------------------------------

SEEDS = st.integers(0, 10**9).map(lambda seed: random_parameters(random.Random(seed)))


def relations(p: Parameters, factor: int = 1) -> list[bool]:
    """What the claims say about the order of the constants; ``factor`` spoils them."""
    with precision(320):
        found = {name: value(constant, p, 80).ball for name, constant in MODULE.items()}
        pairs = [
            ("E max", "E max-sharp"), ("E max-sharp", "E max-bound"), ("proberror-sharp", "proberror"),
            ("rateerror-sharp", "rateerror"), ("halved", "sharp"), ("lower", "lower-repaired"),
            ("lower-simple", "lower"), ("iteration-sharp", "iteration"), ("lower-repaired", "sharp"),
        ]  # fmt: skip
        return [
            bool(found[low] * factor < found[high])
            for low, high in pairs
            if found[low] is not None and found[high] is not None
        ]


@given(SEEDS)
def test_sharper_is_smaller(p):
    assert all(relations(p))


def test_spoiled_relations_are_noticed():
    assert not all(all(relations(p, factor=2)) for p in sets(5))


@given(SEEDS)
def test_the_sharp_product_is_half_of_the_printed_one(p):
    printed, _, sharp, halved, *_ = VERSIONS
    p = replace(p, episodes=p.episodes + 100)
    with precision(128):
        ours, theirs = (version.parts(p, BALLS).product for version in (sharp, printed))
        if check(sharp.conditions, p).hold:
            assert 2 * ours < theirs
        assert (halved.parts(p, BALLS).product * 2).overlaps(ours)


@given(SEEDS)
def test_parts_make_up_the_bound(p):
    for version in VERSIONS:
        if check(version.conditions, p).hold:
            with precision(128):
                parts = version.parts(p, BALLS)
                product = parts.jump_root + parts.rate_root
                for _, factor in parts.factors:
                    product *= factor
                assert (product + parts.accuracy + parts.off_event).overlaps(version.bound(p, BALLS))
                assert not (product + parts.accuracy).overlaps(version.bound(p, BALLS))


def test_the_printed_expression_has_each_factor():
    version = VERSIONS[0]
    parts = version.parts(symbolic(sets(1)[0].epsilon), EXPRESSIONS)
    assert [str(factor) for _, factor in parts.factors] == [
        "3",
        "H*Max(1, lambda_max/(1 - exp(-H*lambda_max))) + 1",
        "sqrt(A*K*S)",
        "H + 1/lambda_min",
        "H*lambda_max + 1",
        "log(K)/log(log(K) + 1)",
    ]
    assert str(parts.jump_root) == "sqrt(2*S + 6*log(2*A*H*K*S))"
    assert str(parts.rate_root) == "4*H*lambda_max*sqrt(log(2*A*H*K*S))"


def test_the_bound_of_the_paper_s_figure():
    p = Parameters.of_model(bundled_model("machine-repair"), episodes="1e7", delta="0.05")
    assert decimals(value(MODULE["printed"], p, 10).ball, 10)[0] == "1352682337"
