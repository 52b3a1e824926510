"""Models of few pairs, solved and proved in one call each: what is proved is the same, bit by bit."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from ctucbvi import InputError, Semantics, Transition
from ctucbvi.library import machine_repair
from ctucbvi.model import CTMDP
from ctucbvi.numeric import certify, solve_certified, solve_numeric
from ctucbvi.numeric.desk import MarchAim
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.rooms import TIE, Care
from ctucbvi.numeric.small_residuals import prove_small
from ctucbvi.numeric.steps import while_tied
from ctucbvi.numeric.words import SMALL, SmallSolution
from tests.benchmarks.random_models import random_reachability
from tests.unit.test_numeric_thousand import draw_model

SHOWN = ("times", "coefficients", "scores", "best", "capped")


def quick(
    model: CTMDP, semantics: Semantics = Semantics.COMMITTED, *, truncate: bool = False
) -> SmallSolution:
    """The solution in words."""
    tolerance = max(1e-9, smallest_tolerance(model))
    solution = solve_numeric(model, semantics, tolerance=tolerance, truncate=truncate)
    assert type(solution) is SmallSolution
    assert solution.unseen
    return solution


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize("truncate", [False, True])
def test_what_is_proved_of_words_is_what_is_proved_of_arrays(semantics, truncate):
    for seed in range(60):
        model = draw_model(seed)
        solution = quick(model, semantics, truncate=truncate)
        proof, values = certify(solution), [solution.value(x) for x in model.states]
        assert solution.unseen
        ends = [proof.value(x) for x in model.states]
        shown = replace(solution, times=solution.times)
        again = certify(shown)
        assert not shown.unseen
        assert (proof.bounds == again.bounds).all(), seed
        assert values == [shown.value(x) for x in model.states]
        assert ends == [again.value(x) for x in model.states]


def test_the_march_is_that_of_all_models():
    for seed in range(60):
        model = draw_model(seed)
        usual = solve_numeric(model, tolerance=max(1e-9, smallest_tolerance(model)), care=Care())
        assert type(usual) is not SmallSolution
        solution = quick(model)
        for name in SHOWN:
            one, other = getattr(solution, name), getattr(usual, name)
            assert one.shape == other.shape
            assert np.allclose(one, other, rtol=1e-9, atol=1e-12 * max(1.0, float(model.value_scale)))


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize(("states", "actions"), [(2, 4), (3, 5), (5, 8), (3, 40)])
def test_where_values_have_settled_the_first_march_will_do(states, actions, semantics):
    """All actions are tied there; with steps as long as their last orders allow, half of these miss it."""
    for seed in range(12):
        model = random_reachability(states, actions, seed, horizon=40)
        assert certify(solve_numeric(model, semantics, tolerance=1e-9)).bound <= 1e-9, seed


def test_a_step_is_shorter_where_a_tie_that_is_none_would_matter():
    first, lead, since = np.array([0, 2]), np.array([0]), np.array([-1, -1])
    aim = MarchAim(True, False, 1e-12, np.inf, TIE, 18)

    def length(whole: float, apart: float, order: int) -> float:
        c = np.zeros((2, 20))
        c[1, order] = apart
        desk = SimpleNamespace(c=c, since=since)
        return float(while_tied.py_func(first, aim, desk, 2.0, whole, lead))

    assert length(4.0, 1e-6, 0) == 4.0  # 8 mean holding times
    assert length(6.0, 0.0, 0) == length(6.0, -1e-6, 18) == 6.0  # the same action twice; one that is behind
    assert length(6.0, 2e-13, 0) == 6.0
    assert length(6.0, 2e-13, 1) == length(6.0, 1e-25, 18) == 4.0
    since[1] = 1  # it fell behind, which is looked at elsewhere
    assert length(6.0, 2e-13, 1) == 6.0
    assert length(6.0, 1e-12, 0) == 4.0


@pytest.mark.parametrize("horizon", ["1/3", "2/3", "1", "1/10", "3/10"])  # above, below and at their doubles
def test_the_end_is_the_end_whatever_its_double(horizon):
    model = machine_repair().with_horizon(horizon)
    proof = certify(quick(model))
    for x in model.states:
        ours = proof.value(x)
        assert ours == proof.value(x, model.horizon) == certify(replace(proof.solution)).value(x)


def test_words_that_are_no_solution_are_refused():
    model = machine_repair()
    pieces = quick(model).pieces
    for name, at, wrong, message in (
        ("times", 1, 0.0, "times must increase"),
        ("times", pieces, 0.9, "times must increase"),
        ("times", 0, -1.0, "times must increase"),
        ("best", (0, 0), 3, "not on offer"),
        ("best", (pieces - 1, 1), -1, "not on offer"),
        ("coefficients", (1, 2, 0), np.nan, "not a finite number"),
        ("scores", (pieces - 1, 3, 3), np.inf, "not a finite number"),
    ):
        solution = quick(model)
        words = copy.copy(solution)
        getattr(words, name)[at] = wrong  # in the words, which are shared
        assert solution.unseen
        assert prove_small(solution, 0.0) is None
        with pytest.raises(InputError, match=message):
            certify(solution)


def test_wrong_numbers_in_the_words_make_the_bound_larger():
    model = machine_repair()
    honest = certify(quick(model)).bound
    for name in ("coefficients", "scores"):
        solution = quick(model)
        getattr(copy.copy(solution), name)[1, 1, 0] += 1e-3
        assert solution.unseen
        assert certify(solution).bound > 1e-4 > 1e5 * honest
    # Everywhere half too much: all rows sum to 1, so that only the start tells.
    solution = quick(model)
    for name in ("coefficients", "scores"):
        getattr(copy.copy(solution), name)[:, 0, :] += 0.5
    assert certify(solution).bound >= 0.5
    # Hints are not believed: the other action throughout.
    solution = quick(model)
    hints = copy.copy(solution).best
    hints[:, 0] = 1 - hints[:, 0]
    assert certify(solution).bound > 1e-4


def test_what_was_seen_is_proved_as_it_was_shown():
    solution = quick(machine_repair())
    object.__setattr__(solution, "coefficients", solution.coefficients + 1)
    assert certify(solution).bound > 0.5


def test_a_solution_in_words_is_a_solution():
    solution = quick(machine_repair())
    assert repr(solution).startswith("NumericSolution('machine-repair', committed: V(operating, 1) ≈")
    again = pickle.loads(pickle.dumps(solution))
    assert certify(again).bound == certify(solution).bound
    assert again.switches == solution.switches
    assert not replace(solution, tolerance=1.0).unseen
    assert solve_certified(machine_repair()).solution.value("repair") == solution.value("repair")


def test_what_is_too_large_or_takes_many_pieces_is_solved_as_before():
    rows = [Transition.of("s", f"a{i}", rate=1, reward=i, to={"s": 1}) for i in range(SMALL + 1)]
    assert type(solve_numeric(CTMDP.of("wide", horizon=1, transitions=rows))) is not SmallSolution
    fast = [Transition.of("s", "a", rate=10**13, reward=1, to={"s": 1})]
    assert type(solve_numeric(CTMDP.of("fast", horizon="1e-13", transitions=fast))) is not SmallSolution
    long = machine_repair().with_horizon(40)
    assert type(solve_numeric(long, tolerance=1e-9)) is SmallSolution
    longer = machine_repair().with_horizon(4000)
    found = solve_numeric(longer, tolerance=1e-9)
    assert type(found) is not SmallSolution
    assert certify(found).bound < Fraction(1, 10**8)
