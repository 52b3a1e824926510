"""Cases that once went wrong, or were built to go wrong: each ends with a true answer."""

from __future__ import annotations

from fractions import Fraction
from time import monotonic

import pytest

import ctucbvi
from ctucbvi import CTMDP, Budget, Policy, Semantics, Transition, UndecidedError
from ctucbvi.exact.precision import to_fraction
from tests.opinions import second_opinion

T = Transition.of


def _tie_until_a_switch_elsewhere() -> CTMDP:
    return CTMDP.of(
        "ends",
        horizon=4,
        transitions=[
            T("x", "P", rate=1, reward=0, to={"y": 1}),
            T("x", "Q", rate=1, reward=0, to={"z": 1}),
            T("y", "a", rate=0, reward=1),
            T("y", "b", rate=1, reward=0, to={"w": 1}),
            T("z", "a", rate=0, reward=1),
            T("w", "a", rate=0, reward=3),
        ],
    )


@pytest.mark.parametrize("semantics", list(Semantics))
def test_a_tie_ends_no_later_than_the_switch_that_breaks_it(semantics):
    sharp = ctucbvi.solve(_tie_until_a_switch_elsewhere(), semantics, digits=40)
    truth = next(s for s in sharp.switches if s.state == "y").time
    for digits in (5, 15):
        solution = ctucbvi.solve(_tie_until_a_switch_elsewhere(), semantics, digits=digits)
        switch = next(s for s in solution.switches if s.state == "x")
        assert (switch.before, switch.after) == (("P", "Q"), ("P",))
        assert switch.time.lower <= truth.lower
        assert switch.time.upper >= truth.upper
        tie = solution.segments("x")[0]
        assert (tie.actions, tie.proved) == (("P", "Q"), True)
        assert tie.end.lower <= truth.lower


def test_a_cap_that_may_have_been_left_is_not_taken_for_granted():
    # x sits at its cap but for a dip of 1e-22: far below what 64 bits can see.
    dip, rate = Fraction(2**11, 2**86), Fraction(1, 10**6)
    lift = 80 * dip / rate
    model = CTMDP.of(
        "dip",
        horizon=300,
        transitions=[
            T("x", "a", rate=rate, reward=1 + rate + dip, to={"i": "1/2", "j": "1/2"}),
            T("i", "a", rate="1/10", reward="9/10", to={"o": 1}),
            T("j", "a", rate=1, reward=0, to={"o": 1}),
            T("o", "a", rate=0, reward=2),
            T("z", "A", rate="1/2", reward=0, to={"x": 1}),
            T("z", "B", rate="1/2", reward=0, to={"o": 1}),
        ],
        terminal={"i": -1 - lift, "j": -1 + lift, "z": -1},
    )
    blurred = ctucbvi.solve(model, "adjustable", truncate=True, digits=1, budget=Budget(max_bits=64))
    sharp = ctucbvi.solve(model, "adjustable", truncate=True, digits=20)
    assert sharp.segments("z")[-1].actions == ("B",)
    assert not any(s.proved and "A" in s.actions and s.end.lower > 1 for s in blurred.segments("z"))


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (
            CTMDP.of(
                "rise",
                horizon=3,
                transitions=[
                    T("x", "a", rate=1, reward=3, to={"y": 1}),
                    T("y", "a", rate=0, reward="1/2"),
                ],
                terminal={"x": -1, "y": "-1/3"},
            ),
            {},
        ),
        (
            CTMDP.of(
                "graze",
                horizon=3,
                transitions=[T("x", "a", rate=0, reward=1 + Fraction(1, 10**16))],
                terminal={"x": -Fraction(1, 10**16)},
            ),
            {"digits": 3, "budget": Budget(max_bits=64)},
        ),
    ],
    ids=lambda case: case.name if isinstance(case, CTMDP) else "",
)
def test_a_truncated_value_does_not_exceed_its_cap_just_before_it_binds(model, options):
    solution = ctucbvi.solve(model, "adjustable", truncate=True, **options)
    for piece in solution.pieces:
        for k in range(10, 60):
            t = to_fraction(piece.end) - Fraction(1, 2**k) ** 3
            if t > 0:
                assert solution.value("x", t).lower <= t


@pytest.mark.parametrize(("semantics", "horizon"), [("adjustable", 15), ("committed", 200)])
def test_alternating_coefficients_do_not_cost_the_answer(semantics, horizon):
    model = CTMDP.of(
        "alternate",
        horizon=horizon,
        transitions=[
            T("x", "fast", rate=1, reward=0, to={"y": 1}),
            T("x", "slow", rate="1/2", reward=0, to={"y": 1}),
            T("y", "a", rate=1, reward=0, to={"x": 1}),
        ],
        terminal={"y": 1},
    )
    solution = ctucbvi.solve(model, semantics, digits=10)
    assert solution.undecided == ()
    opinion = second_opinion(model, Semantics(semantics), digits=15)
    assert solution.value("x").overlaps(opinion("x", Fraction(horizon)))
    assert solution.value("x").has_digits(10)


@pytest.mark.parametrize(("length", "horizon"), [(30, "1"), (6, "1e-6")])
def test_contact_of_high_order_at_time_zero(length, horizon):
    rows = [T("s", "a", rate=1, reward=0, to={"u0": 1}), T("s", "b", rate=1, reward=0, to={"w0": 1})]
    for k in range(length):
        rows += [T(f"{c}{k}", "a", rate=1, reward=0, to={f"{c}{k + 1}": 1}) for c in "uw"]
    rows += [T(f"u{length}", "a", rate=0, reward=1), T(f"w{length}", "a", rate=0, reward=2)]
    solution = ctucbvi.solve(CTMDP.of("chain", horizon=horizon, transitions=rows), digits=3)
    (segment,) = solution.segments("s")
    assert (segment.actions, segment.proved) == (("b",), True)


def test_states_that_switch_at_the_same_moment():
    rows = []
    for k in (1, 2, 3):  # three copies with rewards in proportion: equal switching times, not lumpable
        rows += [
            T(f"x{k}", "now", rate=0, reward=k),
            T(f"x{k}", "invest", rate=1, reward=0, to={f"y{k}": 1}),
            T(f"y{k}", "now", rate=0, reward=3 * k),
        ]
    solution = ctucbvi.solve(CTMDP.of("together", horizon=4, transitions=rows), digits=20)
    assert solution.undecided == ()
    times = [s.time for s in solution.switches]
    assert len(times) == 3
    assert all(one.overlaps(other) for one in times for other in times)


def test_a_switch_very_early_beside_a_margin_that_vanishes_at_first():
    early = Fraction(1, 10**170)  # the square of which is no double
    rows = [
        T("x", "a", rate=1, reward=0, to={"o": 1}, terminal=1 + early),
        T("x", "b", rate="1/2", reward=1, to={"o": 1}, terminal=1),
        T("y", "a", rate=1, reward=0, to={"p": 1}),  # equal to b but for order 2 in time
        T("y", "b", rate=1, reward=0, to={"q": 1}),
        T("p", "a", rate=1, reward=0, to={"v": 1}),
        T("q", "a", rate=1, reward=0, to={"w": 1}),
        T("v", "a", rate=0, reward=1),
        T("w", "a", rate=0, reward=2),
        T("o", "a", rate=0, reward=0),
    ]
    solution = ctucbvi.solve(CTMDP.of("early", horizon=1, transitions=rows), digits=200)
    (switch,) = solution.switches
    assert (switch.state, switch.after, solution.undecided) == ("x", ("b",), ())
    assert 0 < switch.time.lower <= switch.time.upper < early


def test_extreme_numbers_are_answered_or_refused_in_words():
    quick = Budget(seconds=0.3)
    fast = CTMDP.of("fast", horizon=1, transitions=[T("x", "a", rate="1e400", reward=1, to={"x": 1})])
    with pytest.raises(UndecidedError):
        ctucbvi.solve(fast, digits=3, budget=quick)
    long = CTMDP.of("long", horizon="1e400", transitions=[T("x", "a", rate=0, reward="1e-300")])
    assert ctucbvi.solve(long, digits=3).value("x").contains(Fraction(10**100))


def test_the_budget_of_time_is_kept():
    rows = [T("x", "a", rate=10**6, reward=1, to={"y": 1}), T("y", "a", rate=1, reward=0, to={"x": 1})]
    model = CTMDP.of("slow", horizon=10**3, transitions=rows)
    began = monotonic()
    with pytest.raises(UndecidedError, match="seconds are not enough"):
        ctucbvi.solve(model, digits=30, budget=Budget(seconds=0.5))
    assert monotonic() - began < 5
    policy = Policy.of(model, {"x": "a", "y": "a"})
    with pytest.raises(UndecidedError, match="not enough"):
        ctucbvi.evaluate(policy, budget=Budget(seconds=0.5))
