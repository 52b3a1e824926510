"""Comparing planners: the real ones pass, and every wrong one is caught."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import InputError, Policy, Semantics, second_opinion
from ctucbvi.crosscheck import (
    Routes,
    answers,
    check_values,
    compare,
    comparison,
    comparison_times,
    crosscheck,
    random_models,
    smallest_failure,
)
from ctucbvi.crosscheck.comparison import Route
from ctucbvi.library import machine_repair, maintenance, reachability
from ctucbvi.numeric.planner import evaluate_numeric, solve_numeric
from ctucbvi.numeric.solution import NumericSolution
from ctucbvi.strategies import models

BOTH = pytest.mark.parametrize("semantics", list(Semantics))


def with_rewards(solve, scale):
    """A planner that is wrong by a factor."""
    return lambda model, *rest, **options: solve(model.with_rewards(scale=scale), *rest, **options)


# --- the real planners agree ---------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("model", [machine_repair(), reachability(), *random_models(3, 5)])
def test_the_planners_agree(model, semantics, truncate):
    found = compare(model, semantics, truncate=truncate)
    assert (found.agrees, found.verdict, found.complaints) == (True, "agree", ())
    assert found.error <= found.claimed
    assert found.error <= found.proved + found.radius
    assert found.second_error <= found.stated + found.radius


def test_switching_times_are_compared():
    found = compare(machine_repair())
    assert len(found.switches) == 2
    assert 0 < found.switch_difference < Fraction(1, 10**7)
    assert found.second_switch_difference < Fraction(1, 10**20)
    assert compare(ctucbvi.bundled_model("lower-bound-tree")).switch_difference is None


def test_times_have_both_ends_and_surround_every_switch():
    solution = ctucbvi.solve(machine_repair())
    times = comparison_times(solution)
    assert (times[0], times[-1]) == (0, 1)
    for switch in solution.switches:
        below = max(t for t in times if t < switch.time.mid)
        above = min(t for t in times if t > switch.time.mid)
        assert above - below <= Fraction(4, 2**30)
    with pytest.raises(InputError, match="2 or more"):
        comparison_times(solution, 1)


def test_a_tolerance_must_be_positive():
    with pytest.raises(InputError, match="not positive"):
        compare(machine_repair(), tolerance=0)


# --- wrong numeric planners: caught, and their certificate admits it ------------------------


def one_cell_late(solution: NumericSolution) -> NumericSolution:
    """Each piece holds what belongs to the one before it."""
    late = [0, *range(len(solution.best) - 1)]
    return replace(solution, coefficients=solution.coefficients[late], scores=solution.scores[late])


def missed_switch(solution: NumericSolution) -> NumericSolution:
    """After the first switch the action before it is kept for ever, and its own score is shown."""
    k = next(k for k in range(1, len(solution.best)) if (solution.best[k] != solution.best[k - 1]).any())
    x = int(np.flatnonzero(solution.best[k] != solution.best[k - 1])[0])
    best, values = solution.best.copy(), solution.coefficients.copy()
    best[k:, x] = kept = best[k - 1, x]
    values[k:, :, x] = solution.scores[k:, :, kept]
    return replace(solution, best=best, coefficients=values)


def never_switches(solution: NumericSolution) -> NumericSolution:
    """The actions that are best at remaining time 0 are kept for ever, and the result is called optimal."""
    model = solution.model
    first = {x: model.transitions[int(i)].action for x, i in zip(model.states, solution.best[0], strict=True)}
    found = evaluate_numeric(Policy.of(model, first), solution.semantics, tolerance=solution.tolerance)
    return replace(found, policy=None)


def dropped_action(solution: NumericSolution) -> NumericSolution:
    """The last action of the first state that offers several is never considered."""
    model = solution.model
    x = next(x for x in model.states if len(model.actions_of(x)) > 1)
    drop = max(i for i, row in enumerate(model.transitions) if row.state == x)
    rows = tuple(row for i, row in enumerate(model.transitions) if i != drop)
    part = solve_numeric(replace(model, transitions=rows), solution.semantics, tolerance=solution.tolerance)
    best = part.best + (part.best >= drop)
    scores = np.insert(part.scores, drop, part.scores[:, :, drop - 1], axis=2)
    return replace(part, model=model, best=best, scores=scores)


def other_semantics(solution: NumericSolution) -> NumericSolution:
    other = next(s for s in Semantics if s is not solution.semantics)
    found = solve_numeric(solution.model, other, tolerance=solution.tolerance)
    return replace(found, semantics=solution.semantics)


def single_precision(solution: NumericSolution) -> NumericSolution:
    def rounded(numbers):
        return numbers.astype(np.float32).astype(np.float64)

    return replace(solution, coefficients=rounded(solution.coefficients), scores=rounded(solution.scores))


def forgotten_truncation(solution: NumericSolution) -> NumericSolution:
    found = solve_numeric(solution.model, solution.semantics, tolerance=solution.tolerance, truncate=False)
    return replace(found, truncate=solution.truncate)


def wrong_by(mutate):
    return Routes(numeric=lambda *rest, **options: mutate(solve_numeric(*rest, **options)))


MUTANTS = [
    (one_cell_late, "committed", False),
    (one_cell_late, "adjustable", False),
    (missed_switch, "committed", False),
    (never_switches, "committed", False),
    (never_switches, "adjustable", False),
    (dropped_action, "committed", False),
    (dropped_action, "adjustable", False),
    (other_semantics, "committed", False),
    (other_semantics, "adjustable", False),
    (single_precision, "committed", False),
    (single_precision, "adjustable", False),
]
MUTANTS = [(*mutant, model) for mutant in MUTANTS for model in (machine_repair(), maintenance())]
MUTANTS += [(forgotten_truncation, semantics, True, maintenance()) for semantics in Semantics]


@pytest.mark.parametrize(
    ("mutate", "semantics", "truncate", "model"),
    MUTANTS,
    ids=[f"{mutate.__name__}-{semantics}-{model.name}" for mutate, semantics, _, model in MUTANTS],
)
def test_a_wrong_planner_is_caught_and_its_certificate_admits_it(mutate, semantics, truncate, model):
    found = compare(model, semantics, truncate=truncate, routes=wrong_by(mutate))
    assert found.verdict == "DISAGREE"
    assert found.error > found.claimed
    assert found.error <= found.proved + found.radius
    assert [c.who for c in found.complaints] == [Route.NUMERIC]


def test_forgetting_a_truncation_that_never_binds_is_no_error():
    """The rewards of machine repair stay below 1, and its values below the remaining time."""
    assert compare(machine_repair(), truncate=True, routes=wrong_by(forgotten_truncation)).agrees


# --- wrong certificates, second opinions and exact planners ---------------------------------


def test_a_certificate_that_promises_too_much_is_caught(monkeypatch):
    real = comparison.certify

    def optimistic(solution):
        found = real(solution)
        return replace(found, bounds=found.bounds * 0.01)

    monkeypatch.setattr(comparison, "certify", optimistic)
    found = compare(machine_repair())
    assert [c.who for c in found.complaints] == [Route.CERTIFICATE]
    assert str(found.complaints[0]).endswith("is outside the proved bound")


def test_a_wrong_second_opinion_is_caught():
    wrong = with_rewards(second_opinion.solve, Fraction(10**15 + 1, 10**15))
    found = compare(machine_repair(), routes=Routes(second=wrong))
    first = found.complaints[0]
    assert (first.who, first.lacks) == (Route.SECOND, None)
    assert first.error > found.stated
    assert str(first).startswith(f"second opinion: V({first.state}, ")


def test_a_second_opinion_without_switches_is_caught():
    def blind(*rest, **options):
        found = second_opinion.solve(*rest, **options)
        same = tuple(replace(piece, active=found.pieces[0].active) for piece in found.pieces)
        return replace(found, pieces=same)

    found = compare(machine_repair(), routes=Routes(second=blind))
    (complaint,) = found.complaints
    assert (complaint.who, complaint.lacks) == (
        Route.SECOND,
        ctucbvi.solve(machine_repair(), digits=20).switches[0],
    )
    assert str(complaint) == "second opinion: it lacks the switch of repair from slow to fast at 0.592313"


def test_a_wrong_exact_planner_is_caught():
    wrong = with_rewards(ctucbvi.solve, Fraction(10**12 + 1, 10**12))
    assert compare(machine_repair(), routes=Routes(exact=wrong)).verdict == "DISAGREE"


def test_missing_digits_are_undecided_not_wrong():
    def short(*rest, **options):
        return replace(ctucbvi.solve(*rest, **options), digits=200)

    found = compare(machine_repair(), routes=Routes(exact=short))
    assert (found.agrees, found.verdict, found.complaints) == (False, "undecided", ())


# --- a planner of one's own ----------------------------------------------------------------


@BOTH
def test_a_good_planner_passes_with_its_actions(semantics):
    tried = [machine_repair(), maintenance(), machine_repair().with_horizon("1/7"), *random_models(2, 1)]
    for check in crosscheck(lambda model: solve_numeric(model, semantics), tried, semantics=semantics):
        assert check.within, check.worst
        assert check.worst.action is not None


@BOTH
def test_the_values_of_the_other_problem_do_not_pass(semantics):
    (check,) = crosscheck(
        lambda model: other_semantics(solve_numeric(model, semantics)).value,
        [machine_repair()],
        semantics=semantics,
    )
    assert not check.within
    assert check.worst.error > 0.003
    assert 0 < check.worst.t <= 1


@BOTH
def test_wrong_actions_do_not_pass(semantics):
    class Stubborn:
        def __init__(self, model):
            self.value = solve_numeric(model, semantics).value

        def action(self, state, t):
            return "slow"

    (check,) = crosscheck(Stubborn, [machine_repair()], semantics=semantics)
    assert not check.within
    assert check.worst.error < 1e-9
    assert check.worst.loss > 1e-6


def test_a_value_that_is_no_number_does_not_pass():
    (check,) = crosscheck(lambda model: lambda state, t: float("nan"), [machine_repair()])
    assert not check.within
    assert (check.worst.value, check.worst.error) == (None, float("inf"))


def test_an_action_that_is_not_on_offer_is_an_error():
    with pytest.raises(InputError, match="does not offer 'medium'; choose from: slow, fast"):
        check_values(machine_repair(), [("operating", 1, "0.6", "medium")])


def test_a_reference_without_its_digits_is_undecided(monkeypatch):
    def short(*rest, **options):
        return replace(ctucbvi.solve(*rest, **options), digits=200)

    monkeypatch.setattr(answers, "solve", short)
    with pytest.raises(ctucbvi.UndecidedError, match="fewer than 200 digits"):
        check_values(machine_repair(), [("operating", 1, "0.6", None)])


# --- values --------------------------------------------------------------------------------


def test_values_are_read_exactly():
    value = ctucbvi.solve(machine_repair(), digits=40).value("operating").decimals(40)[0]
    rows = [("operating", "1", value, "slow"), ("repair", 0, 0, None)]
    assert check_values(machine_repair(), rows, tolerance="1e-39").within
    off = [("operating", "1", value[:-2], "slow"), *rows[1:]]
    assert not check_values(machine_repair(), off, tolerance="1e-39").within


def test_a_gross_value_is_reported_and_not_an_overflow():
    check = check_values(machine_repair(), [("operating", 1, "1e900", None)])
    assert not check.within
    assert 1e308 < check.worst.error < float("inf")


def test_tied_actions_are_both_right():
    model = ctucbvi.strategies.corner_models()["equal-actions"]
    for semantics in Semantics:
        value = ctucbvi.solve(model, semantics, digits=20).value("x").decimals(20)[0]
        rows = [("x", 1, value, action) for action in ("a", "b")]
        assert check_values(model, rows, semantics=semantics).within


MODEL = machine_repair()


def nothing(model):
    return lambda state, t: 0.0


@pytest.mark.parametrize(
    ("planner", "models", "more", "says"),
    [
        (None, [MODEL], {}, "None is no planner"),
        ([MODEL], nothing, {}, "something of type list is no planner"),
        (nothing, MODEL, {}, r"CTMDP is no list of models; write \[model\]"),
        (nothing, "queue", {}, "str is no list of models"),
        (nothing, ["queue"], {}, "str is no CTMDP"),
        (nothing, [MODEL], {"times": "3"}, "times: '3' is not a whole number"),
        (lambda model: 3, [MODEL], {}, "the planner gave something of type int"),
        (lambda model: lambda state, t: None, [MODEL], {}, "value: None is no number"),
        (
            lambda model: SimpleNamespace(value=nothing(model), action="fast"),
            [MODEL],
            {},
            "methods value and action",
        ),
    ],
)
def test_arguments_of_the_wrong_kind_are_an_error_of_one_line(planner, models, more, says):
    with pytest.raises(InputError, match=says) as found:
        crosscheck(planner, models, **more)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("rows", [3, [("operating", 1, 0.5)], ["operating"]])
def test_rows_of_the_wrong_kind_are_an_error_of_one_line(rows):
    with pytest.raises(InputError, match="write rows"):
        check_values(MODEL, rows)


def test_no_rows_are_an_error():
    with pytest.raises(InputError, match="no rows"):
        check_values(machine_repair(), [])


# --- small failing models ------------------------------------------------------------------


def test_random_models_depend_on_the_seed_only():
    assert random_models(4, 3) == random_models(6, 3)[:4]
    assert random_models(4, 3) != random_models(4, 4)


def test_a_failing_model_becomes_small_and_still_fails():
    def fails(model):
        return not crosscheck(
            lambda m: solve_numeric(m, "adjustable").value, [model], tolerance="1e-4", times=3
        )[0].within

    (model,) = (m for m in random_models(8, 0) if m.name == "random-0-5")
    assert fails(model)
    small = smallest_failure(fails, model)
    assert fails(small)
    assert len(small.transitions) < len(model.transitions)
    # Two problems differ only where there is a choice between two rates.
    assert len(small.states) <= 2
    assert len(small.transitions) <= 3


def test_tries_are_bounded_and_what_does_not_fail_is_never_returned():
    calls = []

    def fails(model):
        calls.append(model)
        return model.max_rate > 3

    small = smallest_failure(fails, machine_repair(), tries=7)
    assert len(calls) == 7
    assert small.max_rate > 3
    assert smallest_failure(lambda model: False, machine_repair()) == machine_repair()


@settings(max_examples=15)
@given(models(), st.booleans())
def test_simplifying_ends_at_the_simplest_model(model, keep):
    """Whatever fails always ends as one state that does nothing; whatever needs a rate keeps it."""
    small = smallest_failure(lambda m: m.max_rate > 0 or not keep, model, tries=10**4)
    if keep and model.max_rate > 0:
        assert small.max_rate > 0
    elif not keep:
        (row,) = small.transitions
        assert (row.rate, row.reward, small.terminal) == (0, 0, (0,))
        assert small.horizon <= Fraction(1, 4)
