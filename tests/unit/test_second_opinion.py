"""The second opinion, checked against closed forms, scipy and its own two routes."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.integrate import solve_ivp

import ctucbvi
from ctucbvi import second_opinion
from ctucbvi.errors import InputError, PolicyError, UndecidedError
from ctucbvi.library import machine_repair
from ctucbvi.model import CTMDP, Semantics, Transition
from ctucbvi.policy import Policy
from ctucbvi.second_opinion import bellman, evaluate, solve
from tests.hostile import contact

COMMITTED, ADJUSTABLE = Semantics.COMMITTED, Semantics.ADJUSTABLE


def random_model(seed: int, states: int = 3, actions: int = 2, terminal: bool = False) -> CTMDP:
    rng = random.Random(seed)
    xs = [f"s{i}" for i in range(states)]
    rows = []
    for x in xs:
        for a in range(actions):
            counts = [rng.randint(0, 3) for _ in xs]
            counts[rng.randrange(states)] += 1
            rows.append(
                Transition.of(
                    x,
                    f"a{a}",
                    rate=Fraction(rng.randint(1, 10), 2),
                    reward=Fraction(rng.randint(-2, 8), 4),
                    to={y: Fraction(c, sum(counts)) for y, c in zip(xs, counts, strict=True)},
                )
            )
    g = {x: Fraction(rng.randint(-2, 2), 2) for x in xs} if terminal else {}
    return CTMDP.of(f"random-{seed}", horizon=1, transitions=rows, states=xs, terminal=g)


def restricted(model: CTMDP, state: str, action: str) -> CTMDP:
    """The model in which ``state`` offers ``action`` only."""
    rows = tuple(t for t in model.transitions if t.state != state or t.action == action)
    return replace(model, transitions=rows)


def scipy_values(
    model: CTMDP, semantics: Semantics, *, truncate: bool = False, weight: float = 1.0
) -> np.ndarray:
    """The values at the horizon by DOP853; ``weight`` other than 1 is a mutant of the equation."""
    owner = np.array([p.state for p in model.pairs])
    lam = np.array([float(p.rate) for p in model.pairs])
    reward = np.array([float(p.reward) for p in model.pairs])
    jump = np.zeros((len(lam), len(model.states)))
    for i, p in enumerate(model.pairs):
        for y, q in p.to:
            jump[i, y] = weight * float(q)

    def best(numbers: np.ndarray) -> np.ndarray:
        return np.array([numbers[owner == x].max() for x in range(len(model.states))])

    def slope(t: float, z: np.ndarray) -> np.ndarray:
        if semantics is COMMITTED:
            v = np.minimum(t, best(z)) if truncate else best(z)
            return reward - lam * z + lam * (jump @ v)
        return best(reward - lam * z[owner] + lam * (jump @ z))

    g = np.array([float(g) for g in model.terminal])
    start = g[owner] if semantics is COMMITTED else g
    h = float(model.horizon)
    run = solve_ivp(slope, (0, h), start, method="DOP853", rtol=1e-11, atol=1e-12, max_step=h / 50)
    assert run.success
    end = run.y[:, -1]
    if semantics is COMMITTED:
        return np.minimum(h, best(end)) if truncate else best(end)
    return end


def at_horizon(opinion: second_opinion.SecondOpinion) -> np.ndarray:
    model = opinion.model
    return np.array([float(opinion.estimate(x, model.horizon)) for x in model.states])


def kinks(opinion: second_opinion.SecondOpinion) -> list[mpf]:
    """The times inside (0, H) at which an action or the cap changes."""
    steps = pairwise(opinion.pieces)
    return [b.start for a, b in steps if (a.active, a.capped) != (b.active, b.capped)]


def agree(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.max(np.abs(a - b)) < 1e-8)


def difference(a: mpf, b: mpf) -> mpf:
    with mp.workdps(60):
        return abs(a - b)


def test_machine_repair_has_two_values() -> None:
    model = machine_repair()
    committed, adjustable = solve(model), solve(model, ADJUSTABLE)
    assert abs(committed.estimate("operating", 1) - 0.64106) < 5e-6
    assert abs(adjustable.estimate("operating", 1) - 0.64485) < 5e-6
    assert [(s.state, s.before, s.after) for s in committed.switches] == [
        ("repair", ("slow",), ("fast",)),
        ("operating", ("fast",), ("slow",)),
    ]
    for s in committed.switches:
        assert (committed.action(s.state, s.time.mid - Fraction(1, 10**9)),) == s.before
        assert (committed.action(s.state, s.time.mid + Fraction(1, 10**9)),) == s.after


def test_a_switch_is_where_both_actions_are_worth_the_same() -> None:
    model, opinion = machine_repair(), solve(machine_repair())
    for switch in opinion.switches:
        state, time, (before,), (after,) = switch.state, switch.time.mid, switch.before, switch.after
        one, other, mutant = (
            bellman(restricted(model, state, a), opinion.estimate, state, t, breakpoints=kinks(opinion))
            for a, t in ((before, time), (after, time), (after, time + Fraction(1, 10**12)))
        )
        assert difference(one, other) < mpf("1e-20")
        assert difference(one, mutant) > mpf("1e-20")


@pytest.mark.parametrize("t", ["1/10", "61/100", 1])
def test_committed_value_is_its_own_bellman_image(t: str | int) -> None:
    model, opinion, mutant = machine_repair(), solve(machine_repair()), solve(machine_repair(), ADJUSTABLE)
    for x in model.states:
        image = bellman(model, opinion.estimate, x, t, digits=16, breakpoints=kinks(opinion))
        assert difference(image, opinion.estimate(x, t)) < mpf("1e-16")
    image = bellman(model, mutant.estimate, "operating", 1, digits=16, breakpoints=kinks(mutant))
    assert difference(image, mutant.estimate("operating", 1)) > mpf("1e-4")


@pytest.mark.parametrize("semantics", list(Semantics))
@pytest.mark.parametrize("seed", range(4))
def test_scipy_agrees_and_catches_mutants(seed: int, semantics: Semantics) -> None:
    model = random_model(seed, terminal=seed % 2 == 1)
    ours = at_horizon(solve(model, semantics, digits=14))
    assert agree(ours, scipy_values(model, semantics))
    assert not agree(ours, scipy_values(model, semantics, weight=0.999))


def test_the_same_comparison_tells_the_semantics_apart() -> None:
    model = machine_repair()
    for semantics, other in ((COMMITTED, ADJUSTABLE), (ADJUSTABLE, COMMITTED)):
        ours = at_horizon(solve(model, semantics))
        assert agree(ours, scipy_values(model, semantics))
        assert not agree(ours, scipy_values(model, other))


def test_committed_truncation() -> None:
    binding = 0
    for seed in range(3):
        model = random_model(seed)
        opinion = solve(model, digits=15, truncate=True)
        assert agree(at_horizon(opinion), scipy_values(model, COMMITTED, truncate=True))
        binding += not agree(at_horizon(opinion), at_horizon(solve(model, digits=15)))  # the mutant: no cap
        for x in model.states:
            image = bellman(model, opinion.estimate, x, 1, digits=15, breakpoints=kinks(opinion))
            assert difference(min(image, mpf(1)), opinion.estimate(x, 1)) < mpf("1e-15")
    assert binding >= 2


def projected_euler(model: CTMDP, steps: int) -> np.ndarray:
    """The obstacle problem v ≤ t by explicit Euler steps, each followed by the projection."""
    v = np.array([min(0.0, float(g)) for g in model.terminal])
    h = float(model.horizon) / steps
    rows = [(p.state, float(p.reward), float(p.rate), [(y, float(q)) for y, q in p.to]) for p in model.pairs]
    for n in range(1, steps + 1):
        slope = np.full(len(v), -np.inf)
        for x, r, lam, to in rows:
            slope[x] = max(slope[x], r + lam * (sum(q * v[y] for y, q in to) - v[x]))
        v = np.minimum(n * h, v + h * slope)
    return v


def test_adjustable_truncation_is_the_obstacle_problem() -> None:
    binding = 0
    for seed in range(3):
        model = random_model(seed)
        ours = at_horizon(solve(model, ADJUSTABLE, digits=12, truncate=True))
        coarse, fine = projected_euler(model, 500), projected_euler(model, 1000)
        allowed = 2 * np.max(np.abs(coarse - fine)) + 1e-5
        assert np.max(np.abs(ours - fine)) < allowed
        free = at_horizon(solve(model, ADJUSTABLE, digits=12))  # the mutant: no obstacle
        cut_afterwards = np.minimum(1.0, free)  # another: truncated at the end only
        binding += np.max(np.abs(free - fine)) > allowed and np.max(np.abs(cut_afterwards - fine)) > allowed
    assert binding >= 1


def test_a_cap_that_binds_and_lets_go() -> None:
    stay = {"s": 1}
    model = CTMDP.of(
        "cap",
        horizon=2,
        transitions=[
            Transition.of("s", "a", rate=2, reward=2, to={"end": 1}),
            Transition.of("end", "a", rate=0, reward=0),
        ],
    )
    # Q = 1 - e^{-2t} exceeds t until the root of t = 1 - e^{-2t}, about 0.79681.
    opinion = solve(model, truncate=True)
    assert opinion.estimate("s", "1/2") == mpf("0.5")
    assert len(kinks(opinion)) == 1
    root = kinks(opinion)[0]
    assert abs(float(root) + expm1(-2 * float(root))) < 1e-15
    assert float(opinion.estimate("s", 2)) == pytest.approx(-expm1(-4), abs=1e-15)
    # Adjustable, the obstacle lets go as soon as the slope 2 - 2v falls below 1: at t = 1/2.
    obstacle = solve(model, ADJUSTABLE, truncate=True)
    assert [float(b) for b in kinks(obstacle)] == pytest.approx([0.5], abs=1e-15)
    assert float(obstacle.estimate("s", 2)) == pytest.approx(1 - 0.5 * exp(-3), abs=1e-15)
    # Reward 1 for ever: value and cap coincide all along and nothing happens.
    line = CTMDP.of("line", horizon=2, transitions=[Transition.of("s", "a", rate=1, reward=1, to=stay)])
    for semantics in Semantics:
        assert difference(solve(line, semantics, truncate=True).estimate("s", 2), mpf(2)) < mpf("1e-20")


def test_reachability_in_closed_form() -> None:
    model = CTMDP.of(
        "erlang",
        horizon="3/2",
        transitions=[
            Transition.of("a", "go", rate=3, reward=0, to={"b": 1}),
            Transition.of("b", "go", rate=3, reward=0, to={"goal": 1}),
            Transition.of("goal", "stay", rate=0, reward=0),
        ],
        terminal={"goal": 1},
    )
    for semantics in Semantics:
        opinion = solve(model, semantics, digits=30)
        with mp.workdps(40):
            erlang = 1 - mp.exp(mpf("-4.5")) * mpf("5.5")
            assert abs(opinion.estimate("a", "3/2") - erlang) <= opinion.stated_error
            assert abs(opinion.estimate("b", "3/2") - erlang) > opinion.stated_error
        assert opinion.estimate("goal", "3/2") == 1


def test_all_rates_zero() -> None:
    model = CTMDP.of(
        "still",
        horizon=2,
        transitions=[Transition.of("s", a, rate=0, reward=r) for a, r in (("low", "1/3"), ("high", "3/2"))],
        terminal={"s": "1/4"},
    )
    for semantics in Semantics:
        opinion = solve(model, semantics)
        assert difference(opinion.estimate("s", 2), mpf("3.25")) <= opinion.stated_error
        assert opinion.action("s", 0) == "high"
        assert opinion.switches == []
    assert difference(bellman(model, opinion.estimate, "s", 2), mpf("3.25")) < mpf("1e-20")
    assert difference(solve(model, truncate=True).estimate("s", 2), mpf(2)) < mpf("1e-20")


def test_equal_actions_neither_switch_nor_hang() -> None:
    model = machine_repair()
    twins = [replace(t, action=t.action + "-twin") for t in model.transitions]
    doubled = CTMDP.of("doubled", horizon=1, transitions=[*model.transitions, *twins])
    for semantics in Semantics:
        one, two = solve(model, semantics), solve(doubled, semantics)
        assert difference(one.estimate("repair", 1), two.estimate("repair", 1)) <= 2 * one.stated_error
        assert [s.state for s in two.switches] == [s.state for s in one.switches]


@pytest.mark.parametrize("semantics", list(Semantics))
@pytest.mark.parametrize("truncate", [False, True])
def test_stated_error_covers_the_difference_of_two_precisions(semantics: Semantics, truncate: bool) -> None:
    for seed in range(2):
        model = random_model(seed, terminal=True)
        low, high = (solve(model, semantics, digits=d, truncate=truncate) for d in (15, 30))
        assert 0 < high.stated_error < low.stated_error < mpf("1e-15") * float(model.value_scale)
        for x in model.states:
            for t in ("1/7", "1/2", 1):
                with mp.workdps(40):
                    gap = abs(low.estimate(x, t) - high.estimate(x, t))
                    assert gap <= low.stated_error + high.stated_error


def test_stated_error_notices_a_short_series() -> None:
    model = machine_repair()
    system = second_opinion._System.of(model, COMMITTED, 20, False)
    groups = [[0, 1], [2, 3]]
    best = solve(model, digits=30)
    for order in (6, 9):
        short = second_opinion._march(replace(system, order=order), [(mpf(0), groups)], search=True)
        error = max(difference(short.estimate(x, 1), best.estimate(x, 1)) for x in model.states)
        assert error <= short.stated_error
        assert error > solve(model).stated_error  # a statement that leaves out the tail is caught


def test_policy_value_by_quadrature_and_at_its_jump() -> None:
    model = machine_repair()
    policy = Policy.of(model, {"operating": [(0, "slow"), ("1/3", "fast")], "repair": "fast"})
    opinion = evaluate(model, policy)
    for t in ("1/4", "1/3", "9/10"):
        chosen = restricted(model, "operating", policy.action("operating", t))
        image = bellman(chosen, opinion.estimate, "operating", t, breakpoints=["1/3"])
        value = opinion.estimate("operating", t)
        assert difference(image, value) < mpf("1e-20")
        wrong = restricted(model, "operating", "fast" if t == "1/4" else "slow")  # the mutant
        image = bellman(wrong, opinion.estimate, "operating", t, breakpoints=["1/3"])
        assert difference(image, value) > mpf("1e-6")
    jump = difference(
        opinion.estimate("operating", mpf(1) / 3 - mpf("1e-13")), opinion.estimate("operating", "1/3")
    )
    smooth = evaluate(model, policy, ADJUSTABLE)
    slide = difference(
        smooth.estimate("operating", mpf(1) / 3 - mpf("1e-13")), smooth.estimate("operating", "1/3")
    )
    assert slide < mpf("1e-12") < jump


def test_policy_values_of_both_semantics_against_scipy() -> None:
    model = random_model(5)
    constant = dict.fromkeys(model.states, "a1")
    only = model
    for x in model.states:
        only = restricted(only, x, "a1")
    for semantics in Semantics:  # a policy that never changes is worth the same in both
        ours = at_horizon(evaluate(model, Policy.of(model, constant), semantics))
        assert agree(ours, scipy_values(only, semantics))
        assert not agree(ours, scipy_values(only, semantics, weight=0.999))


@pytest.mark.parametrize("semantics", list(Semantics))
def test_the_optimal_policy_attains_the_value_of_its_own_semantics(semantics: Semantics) -> None:
    model = machine_repair()
    best = solve(model, semantics)
    rules = {x: [(0, best.action(x, 0))] for x in model.states}
    for s in best.switches:
        rules[s.state].append((Fraction(round(s.time.mid * 10**10), 10**10), s.after[0]))
    policy = Policy.of(model, rules)
    own = evaluate(model, policy, semantics).estimate("operating", 1)
    other = ADJUSTABLE if semantics is COMMITTED else COMMITTED
    assert mpf("-1e-20") < best.estimate("operating", 1) - own < mpf("1e-9")
    assert solve(model, other).estimate("operating", 1) - evaluate(model, policy, other).estimate(
        "operating", 1
    ) > mpf("1e-5")


@settings(derandomize=True, deadline=None, max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    scale=st.fractions(Fraction(1, 4), 4, max_denominator=9),
    shift=st.fractions(-2, 2, max_denominator=9),
    semantics=st.sampled_from(list(Semantics)),
)
def test_rewards_rescale(seed: int, scale: Fraction, shift: Fraction, semantics: Semantics) -> None:
    model = random_model(seed, states=2, terminal=True)
    moved = model.with_rewards(scale, shift)
    one, two = solve(model, semantics, digits=15), solve(moved, semantics, digits=15)
    for x in model.states:
        with mp.workdps(40):
            c, d = (mpf(f.numerator) / f.denominator for f in (scale, shift))
            predicted = c * one.estimate(x, 1) + d
            bound = c * one.stated_error + two.stated_error
            assert abs(two.estimate(x, 1) - predicted) <= bound
            assert abs(two.estimate(x, 1) - predicted - mpf("1e-12")) > bound


def series(*roots_then_sign: float) -> list[mpf]:
    *roots, sign = roots_then_sign
    return [mpf(float(c)) for c in (sign * np.polynomial.polynomial.polyfromroots(roots))]


def test_crossings_are_not_missed_between_sample_points() -> None:
    first = second_opinion._first_positive
    bump = series(0.51, 0.5101, -1.0)  # positive only between two close roots
    assert abs(first(bump, mp.one, mpf("1e-14"), mp) - 0.51) < 1e-9
    samples = [sum(c * mpf(k) ** n / 8**n for n, c in enumerate(bump)) for k in range(9)]
    assert max(samples) < 0  # the mutant, sampling, sees nothing
    touching = series(0.51, 0.51, -1.0)
    assert first(touching, mp.one, mpf("1e-14"), mp) == 1
    tie_at_start = series(0.0, 0.0, 0.25, 1.0)  # u²(u - 1/4)
    assert abs(first(tie_at_start, mp.one, mpf("1e-14"), mp) - 0.25) < 1e-14
    assert first([mpf("1e-16"), mpf("-1e-15")], mp.one, mpf("1e-14"), mp) == 1  # tied all along
    overtaken = first([mpf("1e-15"), mpf(1)], mp.one, mpf("1e-14"), mp)
    assert 0 < overtaken < 1e-13


def polynomial(draw: random.Random) -> tuple[list[Fraction], Fraction]:
    """One that is negative at 0 and no coefficient above 1, and where on [0, 1] it first exceeds 0, or 1."""
    powers: dict[Fraction, int] = {}
    for power in draw.sample((1, 2, 2, 3, 4, 6), draw.randrange(1, 4)):
        root = Fraction(draw.randrange(1, 2 ** draw.choice((3, 20))), 2**20) + draw.choice(
            (0, Fraction(1, 2))
        )
        powers[root] = powers.get(root, 0) + power
    coefficients = [Fraction(-1)]
    for root, power in powers.items():
        for _ in range(power):  # times 1 - u / root
            moved = [Fraction(0), *(-c / root for c in coefficients)]
            coefficients = [a + b for a, b in zip([*coefficients, Fraction(0)], moved, strict=True)]
    size = max(map(abs, coefficients))
    crossings = [root for root, power in powers.items() if power % 2 and root < 1]
    return [c / size for c in coefficients], min(crossings, default=Fraction(1))


def wrong_crossings(seeds: range) -> list[int]:
    """The polynomials of these seeds of which the search says something that is not so."""
    found, ctx = [], second_opinion._context(30, 60)
    tolerance, little = Fraction(1, 10**40), [Fraction(1, 10**k) for k in range(3, 50)]
    for seed in seeds:
        f, first = polynomial(random.Random(f"crossing/{seed}"))

        def at(u: Fraction, f: list[Fraction] = f) -> Fraction:
            return sum((c * u**k for k, c in enumerate(f)), Fraction(0))

        rounded = [second_opinion._real(ctx, c) for c in f]
        u = second_opinion._first_positive(rounded, ctx.one, second_opinion._real(ctx, tolerance), ctx)
        end = None if u is None else second_opinion.as_fraction(u)
        # Before it the polynomial is no more than what passes for 0, and just after it positive.
        late = end is not None and end > first and max(map(at, (end, (first + end) / 2))) > 10 * tolerance
        early = end is not None and end < 1 and all(at(end + small) <= 0 for small in little)
        found += [seed] if end is None or late or early else []
    return found


def test_crossings_of_a_hundred_polynomials_that_touch_and_cross() -> None:
    assert wrong_crossings(range(100)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(10))
def test_crossings_of_thousands_of_polynomials_that_touch_and_cross(block: int) -> None:
    assert wrong_crossings(range(1000 * (block + 1), 1000 * (block + 2))) == []


@pytest.mark.parametrize("wrong", [lambda *_: (0, 0), lambda *_: (mpf(10) ** 9, mpf(10) ** 9)])
def test_a_search_that_misses_or_never_ends_is_caught(monkeypatch: pytest.MonkeyPatch, wrong) -> None:
    monkeypatch.setattr(second_opinion, "_PLAIN", 0)
    assert wrong_crossings(range(15)) == []
    monkeypatch.setattr(second_opinion, "_near", wrong)
    assert wrong_crossings(range(15))


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
def test_actions_that_touch_are_decided(order: int) -> None:
    for model in (contact(order), contact(order).with_horizon(8)) if order == 4 else (contact(order),):
        exact = ctucbvi.solve(model, digits=20, resolve_policy=False)
        opinion = solve(model, digits=20)
        for k in range(1, 9):
            t = model.horizon * k / 8
            assert all(exact.value(x, t).overlaps(opinion.value(x, t)) for x in model.states)
        assert len([s for s in opinion.switches if s.state == "x"]) == order % 2


def test_no_search_and_no_march_is_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinion, "_SEARCH_BUDGET", 2)
    with pytest.raises(
        UndecidedError, match=r"^second opinion on 'machine-repair' at remaining time 0.0: .* too close"
    ):
        solve(machine_repair())
    monkeypatch.setattr(second_opinion, "_first_positive", lambda *_: mpf("1e-6"))
    with pytest.raises(UndecidedError, match="no end after"):
        solve(machine_repair(), digits=2)


def test_global_precision_is_left_alone() -> None:
    before = mp.prec
    opinion = solve(machine_repair(), digits=40)
    opinion.estimate("repair", "1/2")
    bellman(machine_repair(), lambda _x, t: t, "repair", 1, digits=25)
    assert mp.prec == before
    assert isinstance(opinion.estimate("repair", 1), mpf)


def test_errors_say_what_is_wrong() -> None:
    model = machine_repair()
    with pytest.raises(InputError, match="digits: 0"):
        solve(model, digits=0)
    with pytest.raises(InputError, match="semantics 'both' is unknown"):
        solve(model, "both")
    with pytest.raises(InputError, match="remaining time 2 is outside"):
        solve(model).estimate("operating", 2)
    with pytest.raises(InputError, match="state 'broken' is not in model"):
        solve(model).estimate("broken", 1)
    policy = Policy.of(random_model(1), {f"s{i}": "a0" for i in range(3)})
    with pytest.raises(PolicyError, match="belongs to model 'random-1'"):
        evaluate(model, policy)
