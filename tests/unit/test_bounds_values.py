"""Every constant against a plain evaluation in mpmath, and against what must hold between them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb

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
    optimistic,
    symbolic,
    value,
)
from ctucbvi.bounds.catalogue import KEPT_PLANS
from ctucbvi.bounds.evaluation import decimals
from ctucbvi.bounds.versions import versions_of
from ctucbvi.exact.precision import precision
from ctucbvi.learning import DOUBLES as PLAIN_DOUBLES
from ctucbvi.learning import Settings, constants
from ctucbvi.learning.settings import Schedule
from tests.plain_bounds import mp, plain, rooted_tails

DIGITS = 20
MODULE = {constant.name: constant for constant in (*CATALOGUE, *KEPT_PLANS)}


def random_parameters(rng: random.Random) -> Parameters:
    """In-range parameters of many sizes; about two thirds of them fit the trees of a lower bound."""
    actions = rng.randint(2, 5)
    depth = rng.randint(3 if actions == 2 else 2, 4)
    tree = 2 + (actions**depth - 1) // (actions - 1)
    lambda_max = Fraction(rng.randint(1, 300), rng.choice([10, 30, 100]))
    scaled = "*exp(-lambda_max*H)" if rng.random() < 0.5 else ""
    return Parameters.of(
        states=rng.choice([tree, tree + 2, rng.randint(1, 40)]),
        actions=actions,
        horizon=Fraction(rng.randint(20, 400), 100),
        episodes=rng.choice([rng.randint(2, 50), rng.randint(50, 10**6), 10 ** rng.randint(6, 15)]),
        lambda_max=lambda_max,
        lambda_min=lambda_max * Fraction(rng.randint(1, 100), 100),
        delta=rng.choice([None, Fraction(rng.randint(1, 99), 100)]),
        epsilon=f"k^-{rng.choice(['1/2', '1', '2/3', '3/2', '1/3', '3'])}{scaled}",
        time=rng.choice([0, Fraction(rng.randint(1, 10**5), 7)]),
        n_plus=rng.choice([0, rng.randint(1, 10**5)]),
        replan=rng.choice([None, Fraction(rng.randint(0, 300), 100)]),
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


def _largest_mean(p, numbers):
    return numbers.mean_maximum(p)


def _one_less(p, numbers):
    return numbers.number(p.load - 1)


def _plain_log(p, numbers):
    return numbers.log_of(Fraction(p.episodes)) / numbers.log(numbers.log_of(Fraction(p.episodes)) + 2)


@pytest.mark.parametrize(
    ("formula", "mutant", "caught"),
    [("waiting", _no_waiting, "printed"), ("levels", _largest_mean, "sharp"),
     ("levels", _largest_mean, "halved"), ("waiting", _no_waiting, "lump-sum"),
     ("iteration_factor_load", _one_less, "lump-sum"), ("iteration_factor_load", _one_less, "sharp"),
     ("levels", _largest_mean, "sharp-bonus"), ("waiting", _no_waiting, "known-rate"),
     ("iteration_factor_load", _one_less, "sharp-lazy"), ("waiting", _no_waiting, "known-rate-lazy"),
     ("log_factor", _plain_log, "delta"), ("waiting", _no_waiting, "sharp-delta"),
     ("root_of_pairs", _no_waiting, "lower-turns"), ("waiting", _no_waiting, "corollary-lump")],
)  # fmt: skip
def test_a_wrong_formula_is_noticed(monkeypatch, formula, mutant, caught):
    # where e^{λmax H} is large the accuracies alone fill twenty digits
    given = [p for p in sets(60) if p.load < 15 and value(MODULE[caught], p).ball is not None]
    assert len(given) > 5
    monkeypatch.setattr(f"ctucbvi.bounds.formulas.{formula}", mutant)
    assert not any(agreements(p, [caught])[caught] for p in given)


def with_plans_kept() -> list[Parameters]:
    etas = ("0", "1/100", "1/3", "1", "7")
    return [replace(p, replan=Fraction(etas[i % 5])) for i, p in enumerate(sets(25)) if p.load < 15]


def test_plans_that_are_kept():
    names = [constant.name for constant in KEPT_PLANS]
    found = [agreements(p, names) for p in with_plans_kept()]
    assert {name for one in found for name in one} == set(names)
    assert all(holds for one in found for holds in one.values())


@pytest.mark.parametrize("lost", ["the factor", "the logarithm", "the plans"])
def test_a_wrong_factor_of_plans_is_noticed(monkeypatch, lost):
    given = [p for p in with_plans_kept() if p.replan]
    if lost == "the factor":
        one = Fraction(1)
        monkeypatch.setattr("ctucbvi.bounds.optimistic.kept", lambda p, n: ("sqrt(1 + eta)", n.number(one)))
    if lost == "the logarithm":  # of the last terms alone
        level = optimistic._level
        monkeypatch.setattr(
            "ctucbvi.bounds.optimistic._level", lambda p, n: level(p, n) / n.number(1 + (p.replan or 0))
        )
    if lost == "the plans":
        given = [replace(p, replan=2 * p.replan) for p in given]
        expected = plain
        monkeypatch.setattr(
            "tests.unit.test_bounds_values.plain", lambda p: expected(replace(p, replan=p.replan / 2))
        )
    names = ["poisson-lazy", *([] if lost == "the logarithm" else ["sharp-lazy", "known-rate-lazy"])]
    found = [agreements(p, names) for p in given]
    assert {name for one in found for name in one} == set(names)
    assert not any(holds for one in found for holds in one.values())


def test_accuracies_of_plans_that_are_kept():
    p = replace(next(p for p in with_plans_kept() if p.load < 4), replan=Fraction(1), episodes=50)
    for name, factor in (("sharp", p.load), ("sharp-bonus", 1)):
        for exponent in (1, 2):
            eager, lazy = (
                next(version for version in versions_of(p) if version.name == which)
                for which in (name, f"{name}-lazy")
            )
            at = replace(p, epsilon=Schedule(Fraction(exponent)))
            with precision(128):
                total = BALLS.accuracies(at) * BALLS.number(Fraction(factor))
                assert eager.parts(at, BALLS).accuracy.overlaps(total)
                assert lazy.parts(at, BALLS).accuracy.overlaps(total * 2**exponent)


def test_a_learner_that_plans_before_every_episode_knows_no_eta():
    p = sets(1)[0]
    for constant in CATALOGUE:
        assert str(value(constant, p).ball) == str(value(constant, replace(p, replan=Fraction(1))).ball)


@pytest.mark.parametrize(("n", "states"), [(1, 1), (1, 2), (5, 4), (10**30, 3), (7, 10**5), (2**4096, 50)])
def test_binomial_coefficients(n, states):
    with precision(128):
        found = BALLS.log_binomial(Fraction(n), states)
        exact = BALLS.log_of(Fraction(comb(n + states - 1, states - 1)))
        assert found.overlaps(exact)
        assert found.rad() < 1e-30 * (1 + abs(exact))
        assert not BALLS.log_binomial(Fraction(n + 1), states + 1).overlaps(exact)


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


@pytest.mark.parametrize("data", [{"time": 0, "n_plus": 0}, {"time": 5, "n_plus": 0},
                                  {"time": 0, "n_plus": 3}, {"time": 1000, "n_plus": 4000}])  # fmt: skip
def test_another_bonus_and_other_data_are_noticed(monkeypatch, data):
    p = Parameters.of_model(bundled_model("machine-repair"), episodes=100, delta="1/20", **data)
    assert agreements(p, ["b-sharp"])["b-sharp"]
    monkeypatch.setattr(
        "ctucbvi.bounds.formulas._estimate", lambda p, numbers: numbers.number(p.lambda_max / 2)
    )
    assert not agreements(p, ["b-sharp"])["b-sharp"]


# An infinite sum is not added up by SymPy: D stands for its value.
@pytest.mark.parametrize("name", [name for name in MODULE if name not in ("E max", "D")])
def test_expressions_are_what_is_computed(name):
    rng = random.Random(3)
    compared = 0
    while compared < 2:
        p = replace(random_parameters(rng), episodes=rng.randint(6, 30), delta=Fraction(1, 9))
        # The ends of the confidence interval are not 0; an eta is for those that keep their plans.
        p = replace(p, time=Fraction(10**4), n_plus=7919, replan=Fraction(1, 7))
        ball = value(MODULE[name], p, DIGITS).ball
        if ball is None:
            continue
        with mpmath.workdps(40):
            levels = sympy.Float(str(rooted_tails(mp(p.load))), 35)
        expression = MODULE[name].expression(p).subs(MODULE["D"].expression(p), levels)
        expression = expression.replace(sympy.Function("phi"), lambda z: (1 - sympy.exp(-z)) / z)
        told = {"S": p.states, "A": p.actions, "H": p.horizon, "K": p.episodes, "lambda_max": p.lambda_max,
                "lambda_min": p.lambda_min, "delta": p.delta, "T": p.time, "N": p.n_plus, "eta": p.replan,
                "d": {"lower-turns": p.depth_with_turns, "lower-every-size": p.depth_of_any_size}.get(
                    name, p.depth)}  # fmt: skip
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
    p = Parameters.of_model(model, episodes=1000, delta="1/20", time=3, n_plus=5)
    assert MODULE["b"].formula(p, DOUBLES) == told.bonus(3.0, 5.0, PLAIN_DOUBLES)
    assert MODULE["C"].formula(p, DOUBLES) == told.factor
    other = replace(p, delta=Fraction(1, 10))
    assert MODULE["b"].formula(other, DOUBLES) != told.bonus(3.0, 5.0, PLAIN_DOUBLES)


def test_a_model_gives_its_own_sizes_and_rates():
    p = Parameters.of_model(bundled_model("machine-repair"), episodes=9)
    assert (p.states, p.actions, p.horizon, p.lambda_max, p.lambda_min) == (2, 2, 1, 7, 2)
    told = Parameters.of_model(bundled_model("machine-repair"), episodes=9, lambda_max=8, lambda_min=1)
    assert (told.lambda_max, told.lambda_min) == (8, 1)


# --- what holds between them --------------------------------------------------------------------

SEEDS = st.integers(0, 10**9).map(lambda seed: random_parameters(random.Random(seed)))


def relations(p: Parameters, factor: int = 1) -> list[bool]:
    """What the claims say about the order of the constants; ``factor`` spoils them."""
    with precision(320):
        found = {name: value(constant, p, 80).ball for name, constant in MODULE.items()}
        pairs = [
            ("E max", "E max-sharp"), ("E max-sharp", "E max-bound"), ("proberror-sharp", "proberror"),
            ("rateerror-sharp", "rateerror"), ("lump-sum", "halved"), ("halved", "sharp"),
            ("lump-sum", "known-rate"), ("known-rate", "sharp"),
            ("lower", "lower-repaired"), ("lower-simple", "lower"), ("iteration-sharp", "iteration"),
            ("iteration-load", "iteration-sharp"), ("lower-every-K", "lump-sum"), ("D", "D-leading"),
            ("lower-every-size", "lump-sum"), ("D", "D-bound"), ("b-sharp", "b"),
            ("corollary-lump", "corollary"),
        ]  # fmt: skip
        bonuses = ("sharp", "halved", "lump-sum", "sharp-bonus", "known-rate")
        pairs += [(name, f"{name}-lazy") for name in bonuses if p.replan]
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
def test_the_bonus_that_is_proved_is_half_of_the_printed_one_at_most(p):
    with precision(128):
        assert 2 * value(MODULE["b-sharp"], p).ball < value(MODULE["b"], p).ball


@given(SEEDS)
def test_the_lower_bounds_agree_where_both_hold(p):
    every, repaired = (value(MODULE[name], p).ball for name in ("lower-every-K", "lower-repaired"))
    if repaired is not None:
        assert every.overlaps(repaired)
    elif every is not None:  # fewer episodes: what is left is smaller
        with precision(128):
            root = BALLS.number(Fraction(p.states * p.actions * p.episodes)).sqrt()
            assert every < value(MODULE["W"], p).ball * root / 7


@given(SEEDS)
def test_the_lower_bound_for_every_size_is_beside_that_of_full_trees(p):
    full, any_size = (value(MODULE[name], p).ball for name in ("lower-every-K", "lower-every-size"))
    assert (any_size is None) == (p.states < 6)
    if full is not None:
        with precision(128):
            assert p.depth_of_any_size == p.depth
            assert (full * 7).overlaps(any_size * 11)


@pytest.mark.parametrize("actions", range(2, 6))
def test_every_number_of_states_has_levels_of_its_own(actions):
    """d grows by one where the next level can have as many nodes as the last."""
    p = sets(1)[0]
    found = [replace(p, states=s, actions=actions).depth_of_any_size for s in range(4, 200)]
    first = [2 + sum(actions**k for k in range(d - 1)) + actions ** (d - 2) for d in range(2, 9)]
    assert found == [sum(start <= s for start in first) + 1 for s in range(4, 200)]
    assert replace(p, states=3, actions=actions).depth_of_any_size is None
    assert replace(p, states=9, actions=1).depth_of_any_size is None


@given(SEEDS)
def test_the_sharp_product_is_half_of_the_printed_one(p):
    printed, _, sharp, halved, lump, *_ = VERSIONS
    p = replace(p, episodes=p.episodes + 100)
    with precision(128):
        ours, theirs = (version.parts(p, BALLS).product for version in (sharp, printed))
        if check(sharp.conditions, p).hold:
            assert 2 * ours < theirs
        assert (halved.parts(p, BALLS).product * 2).overlaps(ours)
        factor = MODULE["C"].formula(p, BALLS) * BALLS.number(p.horizon) + 1
        assert (lump.parts(p, BALLS).product * factor).overlaps(ours)


@given(SEEDS)
def test_parts_make_up_the_bound(p):
    for version in VERSIONS:
        if check(version.conditions, p).hold:
            with precision(512):
                parts = version.parts(p, BALLS)
                product = parts.jump_root + parts.rate_root
                for _, factor in parts.factors:
                    product *= factor
                beside = parts.accuracy + (0 if parts.lower_order is None else parts.lower_order)
                assert (product + beside + parts.off_event).overlaps(version.bound(p, BALLS))
                assert not (product + beside).overlaps(version.bound(p, BALLS))
                if parts.lower_order is not None:
                    assert not (product + parts.off_event).overlaps(version.bound(p, BALLS))


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


def test_the_sharp_expression_has_each_factor():
    p = symbolic(sets(1)[0].epsilon, own_delta=False)
    sharp, lump = (
        next(version for version in VERSIONS if version.name == name) for name in ("sharp", "lump-sum")
    )
    parts = lump.parts(p, EXPRESSIONS)
    assert [str(factor) for _, factor in parts.factors] == [
        "sqrt(A*K*S)",
        "H + 1/lambda_min",
        "Sum(sqrt(lowergamma(m + 1, H*lambda_max)/gamma(m + 1)), (m, 0, oo))",
    ]
    assert str(parts.jump_root) == "2*sqrt(2*S*log(2) + 2*log(2*A*H**2*K**3*S))"
    assert str(parts.rate_root) == "14*sqrt(2)*H*lambda_max*sqrt(log(4*A*H*K**2*S))/3"
    assert sharp.parts(p, EXPRESSIONS).factors[1:] == parts.factors


def test_the_bound_of_the_paper_s_figure():
    p = Parameters.of_model(bundled_model("machine-repair"), episodes="1e7", delta="0.05")
    assert decimals(value(MODULE["printed"], p, 10).ball, 10)[0] == "1352682337"
