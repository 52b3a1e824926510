from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from mpmath import mp

import ctucbvi
from ctucbvi import CTMDP, Budget, Semantics, Transition, UndecidedError
from ctucbvi import second_opinion as second
from ctucbvi.library import lower_bound_tree, machine_repair, machine_repair_raw
from ctucbvi.second_opinion import as_fraction
from ctucbvi.solutions import About
from ctucbvi.strategies import corner_models
from tests.opinions import plain_ode, random_model, second_opinion

both = pytest.mark.parametrize("semantics", list(Semantics))
T = Transition.of


@both
def test_machine_repair_to_forty_digits(semantics):
    model = machine_repair()
    solution = ctucbvi.solve(model, semantics, digits=40)
    opinion = second_opinion(model, semantics, digits=45)
    assert solution.undecided == ()
    for state in model.states:
        value = solution.value(state)
        assert value.radius < Fraction(1, 10**41)
        assert value.overlaps(opinion(state, Fraction(1)))
    start = {"committed": "0.64106", "adjustable": "0.64485"}[semantics]
    assert abs(solution.value("operating").mid - Fraction(start)) < Fraction(1, 10**5)


@both
def test_machine_repair_switches_to_forty_digits(semantics):
    model = machine_repair()
    solution = ctucbvi.solve(model, semantics, digits=40)
    opinion = second.solve(model, semantics, digits=45)
    expected = {theirs.state: theirs for theirs in opinion.switches}
    assert len(solution.switches) == len(expected) == 2
    for switch in solution.switches:
        theirs = expected[switch.state]
        assert (switch.before, switch.after) == (theirs.before, theirs.after)
        assert switch.time.width < Fraction(1, 10**40)
        assert abs(switch.time.mid - theirs.time.mid) < Fraction(1, 10**40)


def test_the_two_semantics_differ_in_the_third_decimal():
    model = machine_repair()
    committed, adjustable = (ctucbvi.solve(model, s, digits=10).value("operating") for s in Semantics)
    gap = adjustable - committed
    assert Fraction("0.0037") < gap.lower <= gap.upper < Fraction("0.0039")


@both
def test_affine_rescaling_gives_back_the_policy(semantics):
    unit, raw = (ctucbvi.solve(m, semantics, digits=30) for m in (machine_repair(), machine_repair_raw()))
    assert len(unit.switches) == len(raw.switches) == 2
    for one, other in zip(unit.switches, raw.switches, strict=True):
        assert (one.state, one.before, one.after) == (other.state, other.before, other.after)
        assert one.time.overlaps(other.time)
    # raw = 20 unit - 12, and the horizon is 1.
    for state in unit.model.states:
        v, w = unit.value(state), raw.value(state)
        assert w.overlaps(ctucbvi.Enclosure(20 * v.lower - 12, 20 * v.upper - 12))


@pytest.mark.parametrize(
    "chunk", [*range(3), *(pytest.param(k, marks=pytest.mark.thorough) for k in range(3, 8))]
)
def test_two_hundred_random_models_agree_with_mpmath_and_a_plain_ode_solve(chunk):
    for seed in range(25 * chunk, 25 * chunk + 25):
        model = random_model(seed)
        semantics = list(Semantics)[seed % 2]
        truncate = seed % 5 == 0
        solution = ctucbvi.solve(model, semantics, digits=15, truncate=truncate)
        opinion = second_opinion(model, semantics, digits=18, truncate=truncate)
        assert solution.undecided == (), model.name
        for state in model.states:
            assert solution.value(state).overlaps(opinion(state, model.horizon)), model.name
            assert solution.value(state, "1/3").overlaps(opinion(state, Fraction(1, 3))), model.name
        if not (truncate and semantics is Semantics.ADJUSTABLE):
            values = plain_ode(model, semantics, truncate)
            for state, plain in zip(model.states, values, strict=True):
                assert abs(float(solution.value(state).mid) - plain) < 1e-6, model.name


@both
@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("name", sorted(corner_models()))
def test_corners_agree_with_mpmath(name, semantics, truncate):
    model = corner_models()[name]
    solution = ctucbvi.solve(model, semantics, digits=15, truncate=truncate)
    opinion = second_opinion(model, semantics, digits=18, truncate=truncate)
    for state in model.states:
        for t in (model.horizon / 7, model.horizon):
            assert solution.value(state, t).overlaps(opinion(state, t))
    assert solution.undecided == ()


@both
def test_the_value_function_reproduces_itself_under_the_defining_integrals(semantics):
    model = machine_repair()
    solution = ctucbvi.solve(model, semantics, digits=25)
    kinks = [switch.time.mid for switch in solution.switches]

    def value(state, t):
        # A double is far from enough for the point, so the point is handed over exactly.
        mid = solution.value(state, min(max(as_fraction(t), Fraction(0)), model.horizon)).mid
        return mp.mpf(mid.numerator) / mid.denominator

    with mp.workdps(30):
        again = as_fraction(second.bellman(model, value, "operating", 1, digits=20, breakpoints=kinks))
    difference = abs(again - solution.value("operating").mid)
    # V = G V for the committed problem; the adjustable value is not a fixed point of G.
    assert (difference < Fraction(1, 10**18)) == (semantics is Semantics.COMMITTED)


def test_committed_value_is_the_best_commitment():
    model = machine_repair()
    solution = ctucbvi.solve(model, digits=20)
    for t in ("0.3", "0.6", "0.9"):
        for state in model.states:
            best = max((solution.commitment_value(state, a, t) for a in model.actions), key=lambda e: e.mid)
            assert best.overlaps(solution.value(state, t))
            segment = next(s for s in solution.segments(state) if s.start.mid <= Fraction(t) <= s.end.mid)
            (action,) = segment.actions
            (other,) = set(model.actions) - {action}
            # By so much that no rounding can hide which of the two is meant.
            lead = solution.commitment_value(state, action, t) - solution.commitment_value(state, other, t)
            assert lead.lower > Fraction(1, 10**6)


@both
def test_equal_actions_are_a_proved_tie_for_ever(semantics):
    model = CTMDP.of(
        "equal",
        horizon=2,
        transitions=[
            T("x", "a", rate=1, reward=1, to={"y": 1}),
            T("x", "b", rate=1, reward=1, to={"y": 1}),
            T("y", "a", rate=2, reward="1/2", to={"x": 1}),
            T("y", "b", rate=9, reward=0, to={"x": 1}),
        ],
    )
    solution = ctucbvi.solve(model, semantics, digits=30)
    (segment,) = solution.segments("x")
    assert (segment.actions, segment.proved) == (("a", "b"), True)
    assert solution.switches
    assert solution.undecided == ()


def test_a_tie_that_lumping_does_not_see_is_proved_before_the_first_switch():
    # Both actions of x lead to rewards of zero for ever, at different speeds.
    model = CTMDP.of(
        "zero",
        horizon=1,
        transitions=[
            T("x", "a", rate=1, reward=0, to={"y": 1}),
            T("x", "b", rate=3, reward=0, to={"y": 1}),
            T("y", "a", rate=0, reward=0),
        ],
    )
    (segment,) = ctucbvi.solve(model, digits=10).segments("x")
    assert (segment.actions, segment.proved) == (("a", "b"), True)


def test_values_that_touch_at_zero_to_second_order_are_told_apart():
    solution = ctucbvi.solve(corner_models()["touching-at-zero"], digits=20)
    (segment,) = solution.segments("x")
    assert segment.actions == ("b",)  # the slower action keeps the reward longer
    assert segment.proved


def _almost_touching(reward: Fraction) -> CTMDP:
    """Action b gains early and late on a; near one reward rate the two values touch in between."""
    return CTMDP.of(
        "touching",
        horizon=4,
        transitions=[
            T("x", "a", rate=1, reward=1, to={"z": 1}),
            T("x", "b", rate=2, reward=reward, to={"y": 1}),
            T("y", "a", rate="1/2", reward=1, to={"z": 1}),
            T("z", "a", rate=0, reward=0),
        ],
    )


def _switches(reward: Fraction) -> int:
    return len(ctucbvi.solve(_almost_touching(reward), digits=8).switches)


def test_touching_values_end_with_an_honest_answer():
    # b's lead over a grows with its reward.  Bisect for the reward at which the number of switches
    # changes: there the two values touch.  Whatever is claimed there must be true.
    low, high = Fraction(1, 10), Fraction(1)
    counts = {_switches(low), _switches(high)}
    assert len(counts) == 2
    few = _switches(low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _switches(middle) == few else (low, middle)
    solution = ctucbvi.solve(_almost_touching(low), digits=8)
    opinion = second_opinion(_almost_touching(low), Semantics.COMMITTED, digits=15)
    assert solution.value("x").overlaps(opinion("x", Fraction(4)))
    for segment in solution.segments("x"):
        if segment.proved and len(segment.actions) == 1:
            middle = (segment.start.upper + segment.end.lower) / 2
            other = next(a for a in ("a", "b") if a not in segment.actions)
            best = solution.commitment_value("x", segment.actions[0], middle)
            assert best.lower > solution.commitment_value("x", other, middle).upper


@both
def test_rates_of_zero_everywhere(semantics):
    model = corner_models()["all-rates-zero"]
    solution = ctucbvi.solve(model, semantics, digits=30)
    assert solution.value("x").contains(Fraction(13, 2))  # 3 · 2 + 1/2
    assert solution.value("y").contains(2)  # 3 · (−1) + 5


def _two_states(rate: int) -> CTMDP:
    return CTMDP.of(
        "stiff",
        horizon=1,
        transitions=[
            T("x", "a", rate=1, reward=1, to={"y": 1}),
            T("y", "a", rate=rate, reward=0, to={"x": 1}),
        ],
    )


@both
@pytest.mark.parametrize("rate", [10, 10**4])
def test_fifty_digits_of_a_stiff_model_against_its_closed_form(rate, semantics):
    value = ctucbvi.solve(_two_states(rate), semantics, digits=50).value("x")
    assert value.has_digits(50)
    with mp.workdps(70):
        # v = (b t + (1 - e^{-(1+b)t})/(1+b)) / (1+b) at t = 1
        total = mp.mpf(1 + rate)
        truth = as_fraction((rate + (1 - mp.exp(-total)) / total) / total)
    assert value.lower - Fraction(1, 10**65) <= truth <= value.upper + Fraction(1, 10**65)


def test_a_budget_of_time_ends_in_undecided():
    with pytest.raises(UndecidedError, match=r"undecided: .* seconds are not enough"):
        ctucbvi.solve(_two_states(10**7), digits=50, budget=Budget(seconds=0.05))


def test_a_budget_of_precision_gives_valid_values_and_the_reason():
    # Two actions that differ by 10^-40 in reward cannot be told apart with few bits and few rounds.
    near = Fraction(1) + Fraction(1, 10**90)
    model = CTMDP.of(
        "close",
        horizon=1,
        transitions=[
            T("x", "a", rate=1, reward=1, to={"y": 1}),
            T("x", "b", rate=2, reward=2, to={"y": 1}),
            T("y", "a", rate=5, reward=0, to={"x": 1}),
            T("y", "b", rate=5, reward=near - 1, to={"x": 1}),
            T("y", "c", rate=1, reward="1/20", to={"x": 1}),
        ],
    )
    short = ctucbvi.solve(model, digits=5, budget=Budget(max_bits=150))
    full = ctucbvi.solve(model, digits=5)
    for state in model.states:
        assert short.value(state).overlaps(full.value(state))
    assert {(d.what, d.state) for d in short.undecided} == {(About.ACTIONS, "y")}
    assert any({"a", "b"} <= set(d.actions) for d in short.undecided)
    assert full.undecided == ()


def test_lower_bound_trees_have_the_value_of_the_theorem():
    # E[(H - γ_d)^+] (1/2 + Δ), γ_d Erlang(d, rate): by mpmath quadrature.
    for width, depth, bias, pair in [(2, 3, "1/8", 3), (3, 2, "1/4", 1), (2, 1, "1/3", 2)]:
        model = lower_bound_tree(width, depth, bias, pair, rate=2, horizon=2)
        solution = ctucbvi.solve(model, digits=25)
        with mp.workdps(40):
            mean = mp.quad(
                lambda s, d=depth: (2 - s) * 2**d * s ** (d - 1) * mp.exp(-2 * s) / mp.factorial(d - 1),
                [0, 1, 2],
            )
            truth = as_fraction(
                mean * (mp.mpf(1) / 2 + mp.mpf(Fraction(bias).numerator) / Fraction(bias).denominator)
            )
        value = solution.value(model.initial)
        assert abs(value.mid - truth) < Fraction(1, 10**24)


def test_bad_requests_are_refused_in_one_line():
    model = machine_repair()
    with pytest.raises(ctucbvi.InputError, match="digits: 0 is not between"):
        ctucbvi.solve(model, digits=0)
    with pytest.raises(ctucbvi.InputError, match="semantics 'both' is unknown"):
        ctucbvi.solve(model, "both")
    solution = ctucbvi.solve(model, digits=5)
    with pytest.raises(ctucbvi.InputError, match="remaining time 2 is outside"):
        solution.value("operating", 2)
    with pytest.raises(ctucbvi.InputError, match="state 'broken' is not in model"):
        solution.value("broken")
    with pytest.raises(ctucbvi.InputError, match="does not offer 'wait'"):
        solution.commitment_value("repair", "wait")
    with pytest.raises(ctucbvi.InputError, match="belong to the committed semantics"):
        ctucbvi.solve(model, "adjustable", digits=5).commitment_value("repair", "slow")


@both
def test_truncation_binds_where_rewards_exceed_one(semantics):
    model = replace(machine_repair().with_rewards(scale=3))
    capped = ctucbvi.solve(model, semantics, digits=20, truncate=True)
    opinion = second_opinion(model, semantics, digits=25, truncate=True)
    assert capped.value("operating", "1/10").contains(Fraction(1, 10))
    for state in model.states:
        for t in (Fraction(1, 4), Fraction(1)):
            assert capped.value(state, t).overlaps(opinion(state, t))
    assert (
        ctucbvi.solve(model, semantics, digits=20).value("operating").lower > capped.value("operating").upper
    )
