"""Value iteration on a grid: against direct sums, against the exact iterates, and against mutants."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi import ValueIteration, algorithm2, bundled_model, solve
from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Transition
from ctucbvi.numeric import grid
from ctucbvi.numeric.grid import GridSolution, grid_iteration
from ctucbvi.strategies import models

row = Transition.of
MACHINE = bundled_model("machine-repair")
# Rewards above 1, so that V = t for a while; negative and terminal rewards, a rate of 0, a self-loop.
GENEROUS = CTMDP.of(
    "generous",
    horizon="3/2",
    transitions=[
        row("x", "a", rate=3, reward="6/5", to={"y": "9/10", "z": "1/10"}),
        row("x", "b", rate="1/2", reward="1/4", to={"x": "1/3", "y": "2/3"}),
        row("y", "a", rate=4, reward="-1/2", to={"x": 1}),
        row("y", "b", rate=0, reward="1/5"),
        row("z", "a", rate=0, reward=2),
    ],
    terminal={"x": "1/5", "y": "-1/2"},
)


def cell_weights(z: float, rule: str) -> tuple[float, float]:
    """α and β as the integrals they are, by Gauss's rule."""
    nodes, shares = np.polynomial.legendre.leggauss(40)
    s, w = (nodes + 1) / 2, shares / 2 * z * np.exp(-z * (nodes + 1) / 2)
    return (float(w @ s), float(w @ (1 - s))) if rule == "linear" else (float(w.sum()), 0.0)


def convolution(rate: float, h: float, steps: int, rule: str) -> np.ndarray:
    """The matrix of the product rule: every time sums over all its cells anew."""
    alpha, beta = cell_weights(rate * h, rule)
    matrix = np.zeros((steps + 1, steps + 1))
    for i in range(steps + 1):
        for cell in range(i):  # s from cell * h to (cell + 1) * h
            matrix[i, i - cell - 1] += np.exp(-rate * h * cell) * alpha
            matrix[i, i - cell] += np.exp(-rate * h * cell) * beta
    return matrix


def direct(
    model: CTMDP, steps: int, epsilon: float, truncate: bool, rule: str
) -> tuple[int, np.ndarray, np.ndarray]:
    """n, V_n and T^a V_n (pairs, N + 1) by direct sums, without any recursion in time."""
    h = float(model.horizon) / steps
    t = h * np.arange(steps + 1)
    fixed, jumps = [], []
    for pair in model.pairs:
        rate = float(pair.rate)
        stay = -np.expm1(-rate * t) / rate if rate else t
        fixed.append(float(pair.reward) * stay + np.exp(-rate * t) * float(model.terminal[pair.state]))
        jumps.append((convolution(rate, h, steps, rule), pair.to))
    owner = np.array([pair.state for pair in model.pairs])

    def commit(v: np.ndarray) -> np.ndarray:
        ahead = [m @ sum((float(p) * v[y] for y, p in to), np.zeros_like(t)) for m, to in jumps]
        return np.array(fixed) + np.array(ahead)

    n, v, before = 0, np.zeros((len(model.states), steps + 1)), np.inf
    while not np.abs(v - before).max() < epsilon:
        q, before, n = commit(v), v, n + 1
        v = np.array([q[owner == x].max(axis=0) for x in range(len(model.states))])
        v = np.minimum(v, t) if truncate else v
    return n, v, commit(v)


def off_direct_sums(model: CTMDP, steps: int, epsilon: float, truncate: bool, rule: str) -> float:
    """The largest difference between recursion and direct sums, in values and in what the policy earns."""
    found = grid_iteration(model, steps=steps, epsilon=epsilon, truncate=truncate, rule=rule)
    n, v, q = direct(model, steps, epsilon, truncate, rule)
    if found.iterations != n:
        return np.inf
    owner = np.array([pair.state for pair in model.pairs])
    lost = 0.0
    for x in range(len(model.states)):
        assert set(owner[found.policy[x]]) == {x}
        chosen = np.take_along_axis(q, found.policy[x][None, :], axis=0)[0]
        lost = max(lost, float((q[owner == x].max(axis=0) - chosen).max()))
    return max(lost, float(np.abs(found.values - v).max()))


@given(models(max_states=3), st.integers(1, 12), st.booleans(), st.sampled_from(grid.RULES))
def test_recursion_equals_direct_sums(model: CTMDP, steps: int, truncate: bool, rule: str) -> None:
    allowed = 1e-12 * max(1.0, float(model.value_scale))
    assert off_direct_sums(model, steps, 1e-3, truncate, rule) <= allowed


@pytest.mark.parametrize("rule", grid.RULES)
@pytest.mark.parametrize("model", [MACHINE, GENEROUS], ids=lambda model: model.name)
def test_recursion_equals_direct_sums_on_a_finer_grid(model: CTMDP, rule: str) -> None:
    assert off_direct_sums(model, 150, 1e-6, True, rule) <= 1e-12


# --- the exact iterates ---------------------------------------------------------------------


@cache
def exact_values(model: CTMDP, truncate: bool, n: int, points: int) -> np.ndarray:
    iterate = ValueIteration(model, truncate=truncate, bits=64)[n]
    times = [model.horizon * Fraction(i, points) for i in range(points + 1)]
    return np.array([[float(iterate.value(x, t).mid) for t in times] for x in model.states])


def off_exact(model: CTMDP, steps: int, truncate: bool, rule: str = "linear", points: int = 25) -> float:
    """The largest error of V_n at ``points + 1`` times of the grid, n being what the grid says."""
    found = grid_iteration(model, steps=steps, epsilon="1/20", truncate=truncate, rule=rule)
    known = exact_values(model, truncate, found.iterations, points)
    return float(np.abs(found.values[:, :: steps // points] - known).max())


def orders(model: CTMDP, truncate: bool, rule: str) -> list[float]:
    errors = [off_exact(model, steps, truncate, rule) for steps in (100, 200, 400, 800)]
    return [float(np.log2(a / b)) for a, b in pairwise(errors)]


@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize("model", [MACHINE, GENEROUS], ids=lambda model: model.name)
def test_linear_rule_converges_at_second_order_and_left_at_first(model: CTMDP, truncate: bool) -> None:
    # Where a kink of V falls within its cell moves the constant of h², so the single orders scatter.
    found = orders(model, truncate, "linear")
    assert found == pytest.approx([2, 2, 2], abs=0.4)
    assert np.mean(found) == pytest.approx(2, abs=0.12)
    assert orders(model, truncate, "left") == pytest.approx([1, 1, 1], abs=0.1)


def test_as_many_iterations_as_the_exact_algorithm() -> None:
    exactly = algorithm2(MACHINE, "1/1000")
    found = grid_iteration(MACHINE, steps=2000, epsilon=1e-3)
    assert found.iterations == exactly.iterations
    assert found.distance == pytest.approx(float(exactly.distance.mid), rel=1e-3)


# --- the policy -----------------------------------------------------------------------------


def wrong_actions(found: GridSolution, margin: Fraction) -> int:
    """In the middle of how many cells, ``margin`` away from 0 and from switches, is the action wrong?"""
    model = found.model
    best, cells = solve(model, digits=10), len(found.times) - 1
    policy, switches = best.policy(), [s.time.mid for s in best.switches]
    middles = [model.horizon * Fraction(2 * i + 1, 2 * cells) for i in range(cells)]
    clear = [t for t in middles if all(abs(t - s) > margin for s in [0, *switches])]
    assert len(clear) > 0.9 * cells
    return sum(found.action(x, t) != policy.action(x, t) for t in clear for x in model.states)


def test_policy_is_the_exact_one_away_from_switches() -> None:
    fine = grid_iteration(MACHINE, steps=400, epsilon=1e-9)
    assert wrong_actions(fine, Fraction(1, 100)) == 0
    hasty = grid_iteration(MACHINE, steps=400, epsilon=1)  # one iteration, as if that were enough
    assert hasty.iterations == 1
    assert wrong_actions(hasty, Fraction(1, 100)) > 0


def test_action_of_a_grid_point_holds_where_it_is_nearest() -> None:
    found = grid_iteration(MACHINE, steps=30, epsilon=1e-6)
    names = [[MACHINE.transitions[k].action for k in line] for line in found.policy]
    assert all(len(set(line)) == 2 for line in names)  # else nothing below could fail
    for x, state in enumerate(MACHINE.states):
        for i, t in enumerate(found.times):
            assert found.action(state, t) == found.action(state, Fraction(i, 30)) == names[x][i]
            if i < 30:
                assert found.action(state, Fraction(i, 30) + Fraction(1, 61)) == names[x][i]
                assert found.action(state, Fraction(i, 30) + Fraction(1, 59)) == names[x][i + 1]
        assert found.action(state) == names[x][-1]
        assert names[x][0] == names[x][1]  # at 0 all actions are worth nothing


# --- corners --------------------------------------------------------------------------------


def test_rate_zero() -> None:
    still = CTMDP.of("still", horizon=3, transitions=[row("x", "a", rate=0, reward="1/2")])
    found = grid_iteration(still, steps=7, epsilon=1e-9)
    assert (found.iterations, found.distance) == (2, 0.0)
    assert found.values[0] == pytest.approx(found.times / 2, abs=1e-15)


def test_truncation_binds() -> None:
    free = grid_iteration(GENEROUS, steps=60, epsilon=1e-6, truncate=False)
    capped = grid_iteration(GENEROUS, steps=60, epsilon=1e-6)
    binds = capped.values == capped.times
    assert binds[2].all()  # z earns 2
    assert binds[0, 1:5].all()  # x earns 6/5,
    assert not binds[0, 20:].any()  # but not for long
    assert (capped.values <= capped.times).all()
    assert (free.values[2, 1:] > free.times[1:]).all()


@pytest.mark.parametrize("z", [1e-300, 1e-16, 1e-8, 1e-3, 0.3, 1 - 1e-9, 1.0, 1.001, 5.0, 40.0, 700.0])
def test_weights_to_full_precision(z: float) -> None:
    found = grid.weights(np.array([z]), np.array([1.0]), 1.0, "linear")[:, 0]
    with mpmath.workdps(700):
        decay = mpmath.exp(-mpmath.mpf(z))
        phi = (1 - decay) / z
        wanted = [float(decay), float(phi), float(phi - decay), float(1 - phi)]
    assert found == pytest.approx(wanted, rel=1e-15, abs=0)


def test_weights_by_the_plain_formula_would_be_caught() -> None:
    z = 1e-8
    phi = (1 - np.exp(-z)) / z
    with mpmath.workdps(50):
        beta = float(1 - (1 - mpmath.exp(-mpmath.mpf(z))) / z)
    assert 1 - phi != pytest.approx(beta, rel=1e-3, abs=0)


def test_value_between_grid_points_is_linear() -> None:
    found = grid_iteration(MACHINE, steps=10, epsilon=1e-6)
    left, right = found.values[0, 3:5]
    assert found.value("operating", "7/20") == pytest.approx((left + right) / 2, rel=1e-14)
    assert found.value("operating") == found.values[0, -1]


def test_an_overflow_is_reported() -> None:
    huge = CTMDP.of("huge", horizon=10, transitions=[row("x", "a", rate=0, reward=10**308)])
    with pytest.raises(InputError, match="'huge': a value overflows; choose other units"):
        grid_iteration(huge, steps=2, epsilon=1, truncate=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps: 0 is not a whole number of at least 1"),
        ({"steps": 2.5}, "steps: 2.5 is not a whole number"),
        ({"steps": True}, "steps: True is not a whole number"),
        ({"most_iterations": 0}, "most_iterations: 0 is not"),
        ({"epsilon": 0}, "epsilon: 0 is not positive"),
        ({"epsilon": -1e-3}, "epsilon: -1/1000 is not positive"),
        ({"epsilon": float("nan")}, "epsilon: nan is not finite"),
        ({"rule": "simpson"}, "rule: 'simpson' is unknown; write 'linear' or 'left'"),
        ({"most_iterations": 3}, "after 3 iterations, not below epsilon = 0.001; allow more"),
    ],
)
def test_bad_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        grid_iteration(MACHINE, **{"steps": 10, "epsilon": 1e-3, **options})


@pytest.mark.parametrize("read", [GridSolution.value, GridSolution.action])
def test_times_outside_are_refused(read: Callable[..., object]) -> None:
    found = grid_iteration(MACHINE, steps=4, epsilon=0.1)
    for t in (-1, "1.001"):
        with pytest.raises(InputError, match=r"remaining time .* is outside \[0, 1\]"):
            read(found, "operating", t)


# --- mutants --------------------------------------------------------------------------------

real_sweep, real_weights = grid.sweep, grid.weights


def one_cell_late(*arguments: object) -> float:
    """The recursion reads V_n(t_{i-1}) for V_n(t_i)."""
    *head, old, new, best, carried = arguments
    late = np.vstack([old[:1], old[:-1]])
    real_sweep(*head, late, new, best, carried)
    return float(np.abs(new - old).max())


def never_capped(*arguments: object) -> float:
    *head, _, old, new, best, carried = arguments
    return float(real_sweep(*head, False, old, new, best, carried))


def ends_confused(*arguments: object) -> np.ndarray:
    decay, gain, alpha, beta = real_weights(*arguments)
    return np.array([decay, gain, beta, alpha])


@pytest.mark.parametrize(
    ("name", "mutant"), [("sweep", one_cell_late), ("sweep", never_capped), ("weights", ends_confused)]
)
def test_mutants_are_caught(monkeypatch: pytest.MonkeyPatch, name: str, mutant: object) -> None:
    sound = [off_direct_sums(GENEROUS, 25, 1e-3, True, "linear"), off_exact(GENEROUS, 100, True)]
    monkeypatch.setattr(grid, name, mutant)
    wrong = [off_direct_sums(GENEROUS, 25, 1e-3, True, "linear"), off_exact(GENEROUS, 100, True)]
    assert sound[0] <= 1e-12 < 1e-6 < wrong[0]
    assert wrong[1] > 3 * sound[1]


def test_a_late_recursion_is_only_of_first_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "sweep", one_cell_late)
    assert max(orders(MACHINE, True, "linear")) < 1.5
