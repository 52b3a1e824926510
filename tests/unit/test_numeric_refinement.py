"""The fast planner on hostile models: it reaches what was asked, or says that it does not, in time."""

from __future__ import annotations

import random
import time
from fractions import Fraction

import pytest

import ctucbvi
from ctucbvi import CTMDP, InputError, Semantics, Transition, UndecidedError
from ctucbvi.library import machine_repair
from ctucbvi.numeric import NumericBudget, certify, solve_certified, solve_numeric
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.rooms import Care

T = Transition.of
both = pytest.mark.parametrize("semantics", list(Semantics))


def nearly_tied() -> CTMDP:
    """Rewards that differ by 1e-15 to 1e-8, on a long horizon: the best action matters by 1e-10 per time."""
    return CTMDP.of(
        "nearly-tied",
        horizon=100,
        terminal={"s0": "-7/10", "s1": "1/5"},
        transitions=[
            T("s0", "a0", rate="38/5", reward="0.88000000000000002", to={"s1": "1e-6", "s0": "0.999999"}),
            T("s0", "a1", rate="18/5", reward="0.88000000000000005", to={"s1": "1/2", "s0": "1/2"}),
            T("s0", "a2", rate="33/5", reward="0.880000000000005", to={"s0": "3/5", "s1": "2/5"}),
            T("s1", "a0", rate=2, reward="0.87999999", to={"s1": "4/9", "s0": "5/9"}),
            T("s1", "a1", rate="17/10", reward="0.8800000003", to={"s0": 1}),
            T("s1", "a2", rate=2, reward="0.88000000002", to={"s0": 1}),
        ],
    )


def stiff() -> CTMDP:
    """Ten million mean holding times."""
    return CTMDP.of(
        "stiff",
        horizon=1000,
        transitions=[
            T("x", "a", rate=10**4, reward=1, to={"y": 1}),
            T("x", "b", rate=1, reward="3/4", to={"y": 1}),
            T("y", "a", rate=1, reward=0, to={"x": 1}),
            T("y", "b", rate=10**4, reward="-1/2", to={"x": "1/2", "y": "1/2"}),
        ],
    )


def error_at_the_end(proof) -> Fraction:
    solution = proof.solution
    truth = ctucbvi.solve(solution.model, solution.semantics, digits=18, resolve_policy=False)
    return max(abs(proof.value(x).mid - truth.value(x).mid) for x in solution.model.states)


@both
def test_actions_that_nearly_tie_do_not_cost_the_tolerance(semantics):
    model = nearly_tied()
    for tolerance in (1e-8, 1e-10, 2e-12):
        proof = certify(solve_numeric(model, semantics, tolerance=tolerance))
        assert error_at_the_end(proof) <= tolerance
        assert error_at_the_end(proof) <= proof.bound
    assert solve_certified(model, semantics, tolerance=1e-11).bound <= 1e-11
    # What doubles cannot show is not claimed.
    best = solve_certified(model, semantics, tolerance=1e-12)
    assert error_at_the_end(best) <= 1e-12 < best.bound < 1e-10


def test_wide_ties_are_what_costs_it_and_the_certificate_shows_that():
    careless = Care(tie=1e-14)
    proof = certify(solve_numeric(nearly_tied(), "adjustable", tolerance=2e-12, care=careless))
    assert 1e-9 < error_at_the_end(proof) <= proof.bound


@both
def test_a_bad_first_attempt_is_refined(semantics, monkeypatch):
    from ctucbvi.numeric import refinement

    first = (1e5, Care(tie=1e-9))
    monkeypatch.setattr(refinement, "_ATTEMPTS", (first, *refinement._ATTEMPTS))
    seen = []
    monkeypatch.setattr(refinement, "certify", lambda *a, **k: seen.append(certify(*a, **k)) or seen[-1])
    # The first attempt is made with the tolerance itself, and only the ties of it are too wide.
    proof = solve_certified(nearly_tied(), semantics, tolerance=1e-11)
    assert proof.bound <= 1e-11 < seen[0].bound
    assert len(seen) >= 2


@both
@pytest.mark.parametrize(
    ("reward", "duration", "truncate"),
    [
        *((reward, 1, False) for reward in (1e15, 1e-20, 1e250, 1e-250)),
        *((1, duration, False) for duration in (1e150, 1e-150, 1e-280)),
        # Truncated, the rounding is that of the remaining time.
        *((scale, scale, True) for scale in (1e15, 1e-20, 1e150, 1e-150)),
        *((scale * 1e10, scale, True) for scale in (1, 1e100)),
    ],
)
def test_any_scale_has_its_digits(semantics, truncate, reward, duration):
    plain, r, d = machine_repair(), Fraction(reward), Fraction(duration)
    rows = [
        T(t.state, t.action, rate=t.rate / d, reward=t.reward * r / d, to=dict(t.to))
        for t in plain.transitions
    ]
    model = CTMDP.of("scaled", horizon=d, transitions=rows, states=plain.states)
    proof = solve_certified(model, semantics, tolerance=1e-10 * float(r), truncate=truncate)
    assert proof.bound <= 1e-10 * float(r)
    truth = ctucbvi.solve(model, semantics, digits=15, truncate=truncate, resolve_policy=False)
    for x in model.states:
        assert proof.value(x).overlaps(truth.value(x))


def test_numbers_that_doubles_do_not_have_are_one_line():
    for rate, reward, horizon in (("1e400", 1, 1), (1, "1e400", 1), (1, 1, "1e-400"), (1, 1, "1e400")):
        model = CTMDP.of(
            "edge", horizon=horizon, transitions=[T("x", "a", rate=rate, reward=reward, to={"x": 1})]
        )
        with pytest.raises(InputError, match="doubles; use --engine exact"):
            solve_numeric(model)


def test_time_and_memory_are_limited():
    began = time.monotonic()
    with pytest.raises(
        UndecidedError, match=r"remaining time .* of 1e\+03 is reached, and the rest is not finish"
    ):
        solve_certified(stiff(), tolerance=1e-6, budget=NumericBudget(seconds=0.5))
    with pytest.raises(UndecidedError, match=r"needs about .* GB, and 0\.1 are allowed"):
        solve_certified(stiff(), tolerance=1e-6, budget=NumericBudget(gigabytes=0.1))
    assert time.monotonic() - began < 10
    quick = solve_numeric(machine_repair())
    with pytest.raises(UndecidedError, match=r"the certificate of \d+ pieces is not finished"):
        certify(quick, budget=NumericBudget(seconds=-1))


def hostile(seed: int) -> CTMDP:
    """Units, rates and rewards of any size; numbers that nearly agree; horizons of up to a thousand jumps."""
    draw = random.Random(seed)
    states = [f"s{i}" for i in range(draw.randint(1, 3))]
    span = draw.choice([0, 0, 10, 150, 320])
    duration = Fraction(10) ** draw.randint(-span, span)
    money = Fraction(10) ** draw.randint(-span, span)
    load = draw.choice([Fraction(1, 10**9), Fraction(1, 3), Fraction(5), Fraction(60), Fraction(1000)])

    def number(low: int) -> Fraction:
        base = Fraction(draw.randint(low, 20), 10)
        return base * draw.choice(
            [1, 1, 1, 1 + Fraction(1, 10**15), Fraction(1, 10**9), Fraction(1, 10**200)]
        )

    rows = []
    for x in states:
        for a in range(draw.randint(1, 3)):
            counts = [draw.randint(0, 2) for _ in states]
            counts[draw.randrange(len(states))] += draw.choice([1, 1, 10**12])
            row = {y: Fraction(c, sum(counts)) for y, c in zip(states, counts, strict=True)}
            rate = number(0) * load / duration / 2
            rows.append(T(x, f"a{a}", rate=rate, reward=number(-20) * money / duration, to=row))
    ends = {x: number(-10) * money for x in states} if draw.random() < 0.5 else None
    return CTMDP.of(f"hostile-{seed}", horizon=duration, transitions=rows, terminal=ends)


def check_hostile(seed: int) -> str:
    """Solve it; what is proved must be true, and anything else is one line."""
    model, semantics, truncate = hostile(seed), list(Semantics)[seed % 2], seed % 3 == 0
    budget = NumericBudget(seconds=1, gigabytes=0.2)
    try:
        least = smallest_tolerance(model)
        proof = solve_certified(
            model, semantics, tolerance=least * 10.0 ** (seed % 7), truncate=truncate, budget=budget
        )
    except InputError:
        return "refused"
    except UndecidedError:
        return "undecided"
    if not proof.bound < float("inf"):
        return "infinite"
    try:
        truth = ctucbvi.solve(
            model,
            semantics,
            digits=12,
            truncate=truncate,
            resolve_policy=False,
            budget=ctucbvi.Budget(seconds=1),
        )
    except UndecidedError:
        return "no truth"
    for x in model.states:
        for t in (0, model.horizon / 3, model.horizon):
            assert proof.value(x, t).overlaps(truth.value(x, t)), (seed, x, t)
    return "proved" if Fraction(proof.bound) * 10**6 < model.value_scale else "loose"


def test_hostile_models():
    found = [check_hostile(seed) for seed in range(150)]
    assert found.count("proved") > 75, {kind: found.count(kind) for kind in set(found)}


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(6))
def test_thousands_of_hostile_models(chunk):
    for seed in range(1000 + chunk, 4000, 6):
        check_hostile(seed)
