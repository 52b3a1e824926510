"""Value iteration against quadrature of the defining integrals, its error bounds, and Algorithm 2."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import mpmath
import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.integrals.quadrature import gauss_legendre

from ctucbvi.errors import InputError
from ctucbvi.exact import iteration, piecewise
from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.iteration import Iterate, ValueIteration, algorithm2
from ctucbvi.exact.iteration_bounds import (
    contraction_bound,
    contraction_factor,
    erlang_bound,
    erlang_function,
    poisson_at_least,
)
from ctucbvi.exact.planner import UndecidedError
from ctucbvi.exact.precision import precision
from ctucbvi.model import CTMDP, Transition
from ctucbvi.strategies import models

row = Transition.of
MACHINE = CTMDP.of(
    "machine-repair",
    horizon=1,
    transitions=[
        row("operating", "slow", rate=3, reward="17/20", to={"repair": 1}),
        row("operating", "fast", rate=5, reward=1, to={"repair": 1}),
        row("repair", "slow", rate=2, reward="2/5", to={"operating": 1}),
        row("repair", "fast", rate=7, reward=0, to={"operating": 1}),
    ],
)
# Negative rewards, terminal rewards, a rate of 0, a self-loop, three actions in one state.
MIXED = CTMDP.of(
    "mixed",
    horizon="3/2",
    transitions=[
        row("x", "a", rate=2, reward=-1, to={"y": "1/2", "z": "1/2"}),
        row("x", "b", rate="1/2", reward="1/4", to={"x": "1/3", "y": "2/3"}),
        row("x", "c", rate=0, reward="1/2"),
        row("y", "a", rate=4, reward="3/2", to={"x": 1}),
        row("y", "b", rate=1, reward=1, to={"z": 1}),
        row("z", "a", rate=0, reward="-1/3"),
    ],
    terminal={"x": "1/5", "y": "-1/2", "z": 1},
)
NEARLY_EQUAL = CTMDP.of(
    "nearly-equal",
    horizon=1,
    transitions=[
        row("x", "a", rate=1, reward="17/20", to={"y": 1}),
        row("x", "b", rate=5, reward=1, to={"y": 1}),
        row("y", "a", rate="1.000000001", reward="1/2", to={"x": 1}),
    ],
)
FINE = Fraction(1, 10**12)


@pytest.fixture(scope="module")
def machine() -> ValueIteration:
    return ValueIteration(MACHINE, bits=64)


def mpf(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


@cache
def nodes() -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Gauss–Legendre on [0, 1]: exact to 25 digits for what is smooth and changes as slowly as here."""
    points, weights = gauss_legendre(24, 30)
    with mpmath.workdps(30):
        return [
            ((1 + mpmath.mpf(str(z))) / 2, mpmath.mpf(str(w)) / 2)
            for z, w in zip(points, weights, strict=True)
        ]


def bellman(model: CTMDP, x: int, t: mpmath.mpf, u, kinks, *, cap: bool) -> mpmath.mpf:
    """``max_a T^a u`` at one point by quadrature; ``kinks`` only help to split the range."""
    ends = [mpmath.mpf(0), *(k for k in sorted(kinks) if 0 < k < t), t]
    grid = [(a + (b - a) * z, (b - a) * w) for a, b in pairwise(ends) for z, w in nodes()]
    best = mpmath.mpf("-inf")
    for pair in (pair for pair in model.pairs if pair.state == x):
        lam, decay = mpf(pair.rate), mpmath.exp(-mpf(pair.rate) * t)
        value = mpf(pair.reward) * (-mpmath.expm1(-lam * t) / lam if lam else t) + decay * mpf(
            model.terminal[x]
        )
        for y, p in pair.to if u is not None else ():
            value += mpf(p) * sum(w * lam * mpmath.exp(-lam * (t - s)) * u(y, s) for s, w in grid)
        best = max(best, value)
    return min(t, best) if cap else best


def times_of(v: Iterate, previous: Iterate) -> list[Fraction]:
    """A few times, and points close to every new joint on both sides."""
    joints = [Fraction(int(b.p), int(b.q)) for b in v.joints if b not in previous.joints]
    spread = [v.model.horizon * k / 3 for k in range(4)]
    return sorted([*spread, *(b + side * FINE / 2 for b in joints for side in (1, -1))])


def worst_residual(v: Iterate, previous: Iterate, *, cap: bool = False) -> float:
    """The largest ``|V_n - max_a T^a V_{n-1}|`` at those times, the right side by quadrature."""
    kinks = [mpf(Fraction(int(b.p), int(b.q))) for b in previous.joints[1:-1]]

    def u(y: int, s: mpmath.mpf) -> mpmath.mpf:
        at = min(max(Fraction(*map(int, mpmath.libmp.to_rational(s._mpf_))), Fraction(0)), v.model.horizon)
        return mpf(previous.value(v.model.states[y], at).mid)

    worst = mpmath.mpf(0)
    with mpmath.workdps(25):
        for t in times_of(v, previous):
            for x, state in enumerate(v.model.states):
                mine = mpf(v.value(state, t).mid)
                worst = max(worst, abs(mine - bellman(v.model, x, mpf(t), u, kinks, cap=cap)))
    return float(worst)


def test_the_first_iterate_by_hand(machine: ValueIteration) -> None:
    first = machine[1]
    for t in (Fraction(1, 10), Fraction(1, 3), Fraction(1)):
        for state, offers in (("operating", ((3, "17/20"), (5, 1))), ("repair", ((2, "2/5"), (7, 0)))):
            with mpmath.workdps(30):
                values = [mpf(Fraction(r)) * (1 - mpmath.exp(-lam * mpf(t))) / lam for lam, r in offers]
                assert abs(mpf(first.value(state, t).mid) - max(values)) < 1e-25
    (switch,) = first.breakpoints
    assert (switch.state, switch.before, switch.after, switch.certified) == (
        "operating",
        "fast",
        "slow",
        True,
    )
    assert switch.upper - switch.lower < Fraction(1, 2**64)
    with mpmath.workdps(30):  # the root of (1 - e^{-5t})/5 = 17/60 (1 - e^{-3t})
        root = mpmath.findroot(
            lambda t: (1 - mpmath.exp(-5 * t)) / 5 - mpf(Fraction(17, 60)) * (1 - mpmath.exp(-3 * t)), 0.18
        )
        assert abs(mpf(switch.lower) - root) < 1e-25
    head = first.pieces("operating")[0]
    assert head.branch == "fast"
    assert head.function == ExpPoly.waiting(5)


def test_three_iterates_against_nested_quadrature(machine: ValueIteration) -> None:
    """A second implementation from scratch: V_3 as a double integral."""
    kinks = {n: [mpf(b.lower) for b in machine[n].breakpoints] for n in (1, 2)}

    def value(n: int, x: int, t: mpmath.mpf) -> mpmath.mpf:
        below = [k for m in range(1, n) for k in kinks[m]]
        before = (lambda y, s: value(n - 1, y, s)) if n > 1 else None
        return bellman(MACHINE, x, t, before, below, cap=False)

    for n, x, time in ((1, 0, "1/7"), (1, 1, "1"), (2, 0, "1/4"), (2, 1, "1"), (3, 0, "4/5")):
        mine = machine[n].value(MACHINE.states[x], time).mid
        assert abs(float(mine) - float(value(n, x, mpf(Fraction(time))))) < 1e-12


@pytest.mark.parametrize("n", [2, 4])
def test_iterates_satisfy_their_definition(machine: ValueIteration, n: int) -> None:
    assert worst_residual(machine[n], machine[n - 1]) < 1e-17


@pytest.mark.parametrize("cap", [False, True])
def test_a_model_with_every_feature(cap: bool) -> None:
    iterates = ValueIteration(MIXED, truncate=cap, bits=64)
    assert worst_residual(iterates[1], iterates[0], cap=cap) < 1e-17
    assert worst_residual(iterates[3], iterates[2], cap=cap) < 1e-17
    branches = {piece.branch for x in MIXED.states for piece in iterates[3].pieces(x)}
    assert (iteration.TRUNCATED in branches) == cap


@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(models(max_states=3, max_actions=3, max_load=4), st.booleans())
def test_random_models_satisfy_the_definition(model: CTMDP, cap: bool) -> None:
    model = model.with_horizon(min(model.horizon, Fraction(10)))
    iterates = ValueIteration(model, truncate=cap, bits=64)
    scale = float(model.value_scale or 1)
    assert worst_residual(iterates[2], iterates[1], cap=cap) <= 1e-17 * max(scale, 1)
    assert all(b.certified for b in iterates[2].breakpoints)


def moved(v: Iterate, by: Fraction) -> Iterate:
    """The iterate with its last joint misplaced: the piece after it is used too early or too late."""
    step = fmpq(by.numerator, by.denominator)
    with precision(v.bits):
        bodies = tuple((*f[:-1], f[-1].shift(step)) for f in v.bodies)
    return replace(v, joints=(*v.joints[:-2], v.joints[-2] + step, v.joints[-1]), bodies=bodies)


@pytest.mark.parametrize("side", [1, -1])
def test_a_misplaced_joint_is_noticed(machine: ValueIteration, side: int) -> None:
    v, previous = machine[2], machine[1]
    assert worst_residual(v, previous) < 1e-17
    assert worst_residual(moved(v, side * FINE), previous) > 1e-14


def test_a_wrong_kernel_weight_is_noticed(monkeypatch) -> None:
    honest = ExpPoly.convolve
    monkeypatch.setattr(ExpPoly, "convolve", lambda f, lam: honest(f, lam) * Fraction(10**9 + 1, 10**9))
    iterates = ValueIteration(MACHINE, bits=64)
    assert worst_residual(iterates[2], iterates[1]) > 1e-12


def test_a_wrong_choice_is_noticed(monkeypatch) -> None:
    honest = piecewise.signs
    turned = {1: -1, -1: 1, 0: 0}
    monkeypatch.setattr(
        piecewise, "signs", lambda *a, **k: [replace(r, sign=turned[r.sign]) for r in honest(*a, **k)]
    )
    iterates = ValueIteration(MACHINE, bits=64)
    assert worst_residual(iterates[1], iterates[0]) > 1e-3


def test_iterates_increase_and_their_pieces_join(machine: ValueIteration) -> None:
    for n in range(6):
        for state in MACHINE.states:
            for k in range(9):
                t = Fraction(k, 8)
                assert machine[n].value(state, t).lower <= machine[n + 1].value(state, t).upper
            for left, right in pairwise(machine[n].pieces(state)):
                with precision(machine[n].bits):
                    gap = left.function(left.upper - left.lower) - right.function(0)
                    assert gap.abs_upper() <= 2 * machine[n].slack + gap.rad()
    assert machine[4].value("repair", "1/2").width <= 4 * machine[4].error + Fraction(1, 2**64)


def test_the_first_piece_is_exact_and_the_error_small(machine: ValueIteration) -> None:
    for n in (1, 5, 9):
        for state in MACHINE.states:
            assert machine[n].pieces(state)[0].function.is_exact
        assert 0 < machine[n].error < Fraction(1, 2**64)
    assert ValueIteration(MACHINE.with_horizon("1/10"), bits=64)[5].error == 0


def test_errors_stay_below_both_bounds(machine: ValueIteration) -> None:
    """V_22 stands for V*: their distance is far below what is compared."""
    late = machine[22]
    assert erlang_bound(MACHINE, 22, 1).upper < Fraction(1, 10**6)
    first = machine[1].distance(machine[0])
    for n in (1, 3, 6, 12):
        for t in (Fraction(1, 4), Fraction(1, 2), Fraction(1)):
            bound = erlang_bound(MACHINE, n, t).upper
            for state in MACHINE.states:
                error = abs(late.value(state, t).mid - machine[n].value(state, t).mid)
                assert 0 < error <= bound
        assert late.distance(machine[n]).lower <= contraction_bound(MACHINE, n, first)
        assert erlang_bound(MACHINE, n, 1).upper < contraction_bound(MACHINE, n, first)
    # A bound with the wrong number of jumps would be violated.
    shift = [
        abs(late.value(s, t).mid - machine[3].value(s, t).mid) > erlang_bound(MACHINE, 7, t).upper
        for s in MACHINE.states
        for t in (Fraction(1, 4), Fraction(1, 2), Fraction(1))
    ]
    assert any(shift)


def test_bounds_in_closed_form() -> None:
    rate = Fraction(7)
    assert poisson_at_least(rate, 0) == ExpPoly.constant(1)
    assert poisson_at_least(rate, 1) == ExpPoly.constant(1) - ExpPoly.monomial(1, 0, 7)
    for n in (1, 2, 5):  # E[(t - Γ)^+] is the integral of P(Γ < s)
        assert erlang_function(MACHINE, n) == poisson_at_least(rate, n).integral()
    still = CTMDP.of("still", horizon=2, transitions=[row("x", "a", rate=0, reward=3)])
    assert erlang_bound(still, 0, 2).contains(6)
    assert erlang_bound(still, 1, 2).upper == 0
    assert contraction_factor(still).upper == 0
    assert contraction_bound(still, 1) == 0
    factor = contraction_factor(MACHINE)
    assert factor.lower < Fraction("0.9990881180344454837919") < factor.upper
    assert factor.width < Fraction(1, 2**60)


def test_distance_is_the_largest_difference() -> None:
    """λ = 0 everywhere: V_1 = r t, and nothing changes after it."""
    still = CTMDP.of(
        "still",
        horizon=2,
        transitions=[
            row("x", "a", rate=0, reward=1),
            row("x", "b", rate=0, reward="2/3"),
            row("y", "a", rate=0, reward=-3),
        ],
    )
    iterates = ValueIteration(still)
    assert iterates[1].distance(iterates[0]).contains(6)
    assert iterates[2].distance(iterates[1]).upper == 0
    assert iterates[1].pieces("x")[0].function == ExpPoly.monomial(1, 1)
    stopped = algorithm2(still, 6)  # the first distance equals ε, which is not below it
    assert stopped.iterations == 2
    assert stopped.distances[0].lower == 6


def test_truncation_is_active_when_rewards_exceed_one() -> None:
    double = MACHINE.with_rewards(2)
    cut, free = ValueIteration(double, truncate=True, bits=64), ValueIteration(double, bits=64)
    assert cut[5].value("operating", 1).contains(1)
    assert free[5].value("operating", 1).lower > 1
    assert cut[5].pieces("operating")[-1].branch == iteration.TRUNCATED
    assert worst_residual(cut[2], cut[1], cap=True) < 1e-17
    assert worst_residual(free[2], cut[1], cap=True) > 1e-3
    same = ValueIteration(MACHINE, truncate=True, bits=64)[4]  # rewards of at most 1 never reach t
    assert all(piece.branch != iteration.TRUNCATED for x in MACHINE.states for piece in same.pieces(x))
    bump = [
        b for b in ValueIteration(MIXED, truncate=True, bits=64)[2].breakpoints if "t" in (b.before, b.after)
    ]
    assert bump
    assert all(b.certified for b in bump)


def test_algorithm_two_stops_where_it_should(machine: ValueIteration) -> None:
    stopped = algorithm2(MACHINE, "1/100")
    assert stopped.iterations == 7
    assert stopped.distance.upper < Fraction(1, 100)
    assert all(d.lower >= Fraction(1, 100) for d in stopped.distances[:-1])
    assert len(stopped.distances) == stopped.iterations
    assert stopped.value.n == 7
    assert stopped.value.value("operating", 1).overlaps(machine[7].value("operating", 1))


def test_algorithm_two_says_when_it_cannot_decide() -> None:
    """‖V_1 - V_0‖ = 1 - e^{-1} is given to 700 bits, more than the precision allows."""
    one = CTMDP.of("one", horizon=1, transitions=[row("x", "a", rate=1, reward=1, to={"x": 1})])
    with mpmath.workprec(700):
        close = Fraction(*map(int, mpmath.libmp.to_rational((1 - mpmath.exp(-1))._mpf_))) + Fraction(
            1, 2**690
        )
    with pytest.raises(UndecidedError, match="cannot be told from"):
        algorithm2(one, close, max_bits=600)
    assert algorithm2(one, close, max_bits=4000).iterations == 1
    with pytest.raises(UndecidedError, match="no end within 2"):
        algorithm2(MACHINE, "1e-6", max_iterations=2)
    with pytest.raises(InputError, match="not positive"):
        algorithm2(one, 0)


def test_exact_ties_are_ties() -> None:
    twins = [row("x", name, rate=3, reward="17/20", to={"y": 1}) for name in ("a", "b", "c")]
    tied = CTMDP.of(
        "tied",
        horizon=1,
        transitions=[
            *twins,
            row("x", "d", rate=5, reward=1, to={"y": 1}),
            row("y", "a", rate=2, reward="2/5", to={"x": 1}),
            row("y", "b", rate=2, reward="2/5", to={"x": 1}),
        ],
    )
    plain = replace(tied, transitions=tuple(t for t in tied.transitions if t.action in "ad"))
    v, w = ValueIteration(tied, bits=64)[5], ValueIteration(plain, bits=64)[5]
    assert v.distance(w).upper < Fraction(1, 2**50)
    assert v.error < Fraction(1, 2**64)
    assert len(v.joints) == len(w.joints)


def test_nearly_equal_rates_raise_the_precision() -> None:
    plain, near = ValueIteration(MACHINE, bits=64), ValueIteration(NEARLY_EQUAL, bits=64)
    assert near[9].error < Fraction(1, 2**63)
    assert near[1].bits == near[9].bits
    assert near[9].bits > plain[9].bits
    assert worst_residual(near[2], near[1]) < 1e-17
    with pytest.raises(UndecidedError, match="allow more with max_bits"):
        ValueIteration(NEARLY_EQUAL, bits=64, max_bits=200)[9]


def test_sympy(machine: ValueIteration) -> None:
    t = sympy.Symbol("t")
    whole = machine[2].sympy("operating", t, digits=20)
    assert whole.args[0][0] == sympy.Rational(2, 5) - sympy.exp(-2 * t) / 3 - sympy.exp(-5 * t) / 15
    for time in ("1/10", "1/4", "9/10"):
        shown = whole.subs(t, sympy.Rational(time)).evalf(20)
        assert abs(float(shown) - float(machine[2].value("operating", time).mid)) < 1e-15
    assert machine[0].sympy("repair") == 0


def test_clear_errors(machine: ValueIteration) -> None:
    with pytest.raises(InputError, match="outside"):
        machine[1].value("operating", 2)
    with pytest.raises(InputError, match="iteration: -1 is not a whole number of at least 0"):
        _ = machine[-1]
