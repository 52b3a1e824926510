from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import CTMDP, Policy, Semantics, Transition
from ctucbvi.library import bundled_models, machine_repair
from ctucbvi.numeric import certify, evaluate_numeric, solve_numeric
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.polynomials import bernstein, first_zero
from ctucbvi.numeric.residuals import excess
from ctucbvi.strategies import corner_models, models
from tests.opinions import random_model

T = Transition.of
both = pytest.mark.parametrize("semantics", list(Semantics))


def true_error(solution) -> Fraction:
    """The largest error at a fine set of times, with exact arithmetic at each."""
    model = solution.model
    exact = ctucbvi.solve(model, solution.semantics, digits=18, truncate=solution.truncate)
    times = [model.horizon * Fraction(k, 16) for k in range(17)]
    times += [t for t in map(Fraction, solution.times) if t <= model.horizon]
    proof = certify(solution)
    return max(abs(proof.value(x, t).mid - exact.value(x, t).mid) for x in model.states for t in times)


ALL = {
    **bundled_models(),
    **corner_models(),
    **{f"random-{seed}": random_model(seed) for seed in range(12)},
}


@both
@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_the_true_error_is_below_the_tolerance_and_below_the_proved_bound(name, semantics, truncate):
    for wanted in (1e-5, 1e-10):
        tolerance = max(wanted, 10 * smallest_tolerance(ALL[name]))
        solution = solve_numeric(ALL[name], semantics, tolerance=tolerance, truncate=truncate)
        error, proof = true_error(solution), certify(solution)
        scale = max(float(ALL[name].value_scale), 1.0)
        assert error <= tolerance + 1e-14 * scale
        assert error <= proof.bound
        assert proof.bound <= 4 * tolerance + 1e-11 * scale


@given(
    model=models(max_states=4, max_load=30),
    semantics=st.sampled_from(list(Semantics)),
    truncate=st.booleans(),
    tolerance=st.sampled_from([1e-4, 1e-8, 1e-12]),
)
def test_the_proved_bound_holds_for_drawn_models(model, semantics, truncate, tolerance):
    tolerance = max(tolerance, 10 * smallest_tolerance(model))
    solution = solve_numeric(model, semantics, tolerance=tolerance, truncate=truncate)
    proof = certify(solution)
    exact = ctucbvi.solve(model, semantics, digits=18, truncate=truncate)
    for state in model.states:
        for k in range(6):
            t = model.horizon * Fraction(k, 5)
            assert proof.value(state, t).overlaps(exact.value(state, t))
            assert abs(Fraction(solution.value(state, t)) - proof.value(state, t).mid) < 1e-12 * max(
                1, model.value_scale
            )


@both
def test_switches_are_located(semantics):
    solution = solve_numeric(machine_repair(), semantics, tolerance=1e-12)
    exact = ctucbvi.solve(machine_repair(), semantics, digits=20)
    assert len(solution.switches) == len(exact.switches) == 2
    for found, switch in zip(solution.switches, exact.switches, strict=True):
        assert (found.state, found.before, found.after) == (switch.state, switch.before, switch.after)
        assert abs(found.time.mid - switch.time.mid) < 1e-10
    for state in exact.model.states:
        for t in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
            (segment,) = [s for s in exact.segments(state) if s.start.upper < t < s.end.lower]
            assert solution.action(state, t) == segment.actions[0]


def damaged(solution) -> dict[str, object]:
    """Solutions that are wrong in one way each; the hints and polynomials stay consistent where they can."""
    model = solution.model
    fewer = CTMDP.of(
        "fewer",
        horizon=model.horizon,
        states=model.states,
        actions=model.actions,
        transitions=[t for t in model.transitions if (t.state, t.action) != ("operating", "slow")],
    )
    without = solve_numeric(fewer, solution.semantics, tolerance=1e-10)
    position = {(t.state, t.action): i for i, t in enumerate(model.transitions)}
    back = [position[t.state, t.action] for t in fewer.transitions]
    scores = np.full((*without.scores.shape[:2], len(model.transitions)), 0.0)
    scores[:, :, back] = without.scores
    dropped = replace(
        without, model=model, scores=scores, best=np.array(back)[without.best], capped=without.capped
    )
    rounded = replace(
        solution,
        coefficients=solution.coefficients.astype(np.float32).astype(float),
        scores=solution.scores.astype(np.float32).astype(float),
    )
    stuck = replace(solution, best=np.repeat(solution.best[:1], len(solution.best), axis=0))
    never = Policy.of(model, {"operating": "fast", "repair": "slow"})
    missed = replace(evaluate_numeric(never, solution.semantics, tolerance=1e-10), policy=None)
    other = next(s for s in Semantics if s is not solution.semantics)
    mixed = solve_numeric(model, other, tolerance=1e-10)
    return {
        # Rows of p sum to 1, so a constant added to everything leaves no residual: only the start,
        # or the jump between two pieces, gives it away.
        "shifted from the start": _shifted(solution, 0),
        "shifted from the third piece on": _shifted(solution, 2),
        "an action dropped": dropped,
        "single precision": rounded,
        "a hint that misses the switches": stuck,
        "no switch at all": missed,
        "values of the other semantics": replace(
            solution,
            coefficients=_resampled(mixed, solution),
            scores=_resampled(mixed, solution, scores=True),
        ),
        "off by one cell": replace(
            solution,
            coefficients=np.roll(solution.coefficients, 1, axis=0),
            scores=np.roll(solution.scores, 1, axis=0),
        ),
    }


def _shifted(solution, first: int):
    """A thousandth added to every value and score, from piece ``first`` on."""
    values, scores = solution.coefficients.copy(), solution.scores.copy()
    values[first:, 0] += 1e-3
    if solution.semantics is Semantics.COMMITTED:
        scores[first:, 0] += 1e-3
    return replace(solution, coefficients=values, scores=scores)


def _resampled(source, like, *, scores: bool = False):
    """Constant pieces with the values of ``source`` at the starts of the pieces of ``like``."""
    shape = like.scores.shape if scores else like.coefficients.shape
    out = np.zeros(shape)
    for k, t in enumerate(like.times[:-1]):
        values = [source.value(x, Fraction(float(t))) for x in source.model.states]
        out[k, 0] = (
            [values[source.model.states.index(r.state)] for r in source.model.transitions]
            if scores
            else values
        )
    return out


@both
@pytest.mark.parametrize(
    "name",
    [
        "shifted from the start",
        "shifted from the third piece on",
        "an action dropped",
        "single precision",
        "a hint that misses the switches",
        "no switch at all",
        "values of the other semantics",
        "off by one cell",
    ],
)
def test_a_damaged_solution_gets_a_certificate_no_better_than_its_error(name, semantics):
    solution = solve_numeric(machine_repair(), semantics, tolerance=1e-10)
    mutant = damaged(solution)[name]
    proof = certify(mutant)
    assert true_error(mutant) <= proof.bound
    assert proof.bound > 20 * certify(solution).bound  # the damage shows


def test_truncation_forgotten_shows_in_the_certificate():
    model = machine_repair().with_rewards(scale=3)
    for semantics in Semantics:
        forgotten = replace(solve_numeric(model, semantics, tolerance=1e-10), truncate=True)
        assert true_error(forgotten) <= certify(forgotten).bound
        assert certify(forgotten).bound > 0.01


def test_certificates_refuse_what_they_do_not_cover():
    solution = solve_numeric(machine_repair())
    broken = solution.coefficients.copy()
    broken[0, 0, 0] = np.nan
    with pytest.raises(ctucbvi.InputError, match="not a finite number"):
        certify(replace(solution, coefficients=broken))
    with pytest.raises(ctucbvi.InputError, match="times must increase"):
        certify(replace(solution, times=solution.times[::-1].copy()))
    with pytest.raises(ctucbvi.InputError, match="not on offer"):
        certify(replace(solution, best=solution.best + 2))
    with pytest.raises(ctucbvi.InputError, match="do not fit the model"):
        certify(replace(solution, scores=solution.scores[:, :, :1]))
    with pytest.raises(ctucbvi.InputError, match="1 to 64 coefficients"):
        certify(replace(solution, coefficients=np.zeros((len(solution.best), 65, 2))))
    with pytest.raises(ctucbvi.InputError, match="tolerance: 0 is out of reach"):
        solve_numeric(machine_repair(), tolerance=0)
    large = machine_repair().with_rewards(scale=10**9)
    with pytest.raises(ctucbvi.InputError, match=r"ask for at least 1\.0e-05"):
        solve_numeric(large, tolerance=1e-9)
    assert true_error(solve_numeric(large, tolerance=1e-4)) <= 1e-4
    with pytest.raises(ctucbvi.InputError, match="outside"):
        solution.value("repair", 2)
    with pytest.raises(ctucbvi.InputError, match="outside"):
        certify(solution).value("repair", 2)


@given(st.lists(st.fractions(-1, 2, max_denominator=50), max_size=5), st.sampled_from([1.0, 0.5]))
def test_the_first_zero_is_the_first(roots, lead):
    d = np.array([lead])
    for root in roots:
        d = np.convolve(d, [-float(root), 1.0])
    if d[0] < 0:
        d = -d
    if abs(d[0]) < 1e-9:
        return
    found = first_zero(d, len(d) - 1, np.empty(4 * len(d)))
    # A root of even multiplicity touches without crossing: it may be found or not.
    crossing = sorted({r for r in roots if 0 < r <= 1 and roots.count(r) % 2})
    if crossing:
        m = roots.count(crossing[0])  # doubles know a root of multiplicity m to eps^(1/m) only
        assert found <= float(crossing[0]) + (1e-6 if m == 1 else 4 * 2.0 ** (-52 / m))
    if found <= 1:
        assert min(abs(found - float(r)) for r in roots) < 1e-3


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=10))
def test_excess_is_an_upper_bound(coefficients):
    d = np.array(coefficients)
    n = len(d) - 1
    bound = excess(d, n, 0.0, np.empty(len(d)))
    values = np.polyval(d[::-1], np.arange(65) / 64)
    assert all(value <= bound for value in values if value > 1e-9)
    b = np.empty(len(d))
    bernstein(d, n, b)
    assert b[0] == pytest.approx(d[0])
    assert b[-1] == pytest.approx(d.sum(), abs=1e-9)


def test_a_bound_without_the_other_actions_would_be_wrong():
    # The mutant: trusting the hint.  With the gap left out the dropped action would go unnoticed.
    solution = solve_numeric(machine_repair(), tolerance=1e-10)
    mutant = damaged(solution)["an action dropped"]
    slow = [
        i for i, t in enumerate(mutant.model.transitions) if t.action == "slow" and t.state == "operating"
    ]
    blind = mutant.scores.copy()
    blind[:, :, slow] = -100.0
    trusting = replace(mutant, scores=blind)
    # A made-up q̃ for the missing action does not help either: its residual is as large as it is false.
    assert certify(trusting).bound > true_error(mutant)


def test_a_value_that_reaches_the_cut_off_at_the_very_end_is_certified_all_the_same():
    # The last piece is as short as the planner can tell times apart, and no double is the horizon.
    reward = Fraction(8 / 3 / (1 - math.exp(-8 / 3)) * (1 - 3e-10))
    model = CTMDP.of(
        "touching",
        horizon="4/3",
        transitions=[
            Transition.of("x", "a", rate=2, reward=reward, to={"end": 1}),
            Transition.of("end", "a", rate=0, reward=0),
        ],
    )
    solution = solve_numeric(model, truncate=True, tolerance=1e-9)
    assert 0 < solution.times[-1] - solution.times[-2] < 1e-9
    assert true_error(solution) <= certify(solution).bound < 1e-9
    best = ctucbvi.solve(model, truncate=True, digits=20).value("x")
    assert certify(solution).value("x").overlaps(best)
