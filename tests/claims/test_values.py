"""Values of perturbed models: the estimates, and the computations behind the claims, against other ones."""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from hypothesis import given, settings

from ctucbvi import CTMDP, Policy, Transition, ValueIteration, evaluate
from ctucbvi.exact.precision import enclosure, precision, to_fmpq
from proofs_checks.checks.perturbed import (
    Looked,
    Perturbed,
    Place,
    full_row,
    looks,
    mistaken,
    perturbed,
    places,
)
from proofs_checks.checks.perturbed_values import (
    applied,
    forward_value,
    greedy_policy,
    largest,
    lump_sum,
    pairs_of,
    waiting,
)

ONE = Fraction(1)


def _circle(rate: Fraction, reward: Fraction = ONE) -> CTMDP:
    rows = (Transition("x", "a", rate, reward, (("x", ONE),)),)
    return CTMDP("circle", ("x",), ("a",), Fraction(2), "x", rows, (Fraction(0),))


@given(perturbed())
@settings(max_examples=60)
def test_estimates_lie_in_the_confidence_set(case: Perturbed) -> None:
    size, boundary = len(case.model.states), 0
    for pair, found in zip(case.model.pairs, case.estimates, strict=True):
        row = full_row(pair, size)
        distance = sum((abs(q - p) for q, p in zip(found.row, row, strict=True)), Fraction(0))
        assert 0 < pair.rate <= case.lambda_max
        assert 0 <= found.rate <= case.lambda_max
        assert 0 <= pair.reward <= 1
        assert abs(found.rate - pair.rate) <= found.rate_radius
        assert distance <= found.jump_radius
        assert min(found.row) >= 0
        assert sum(found.row) <= 1
        boundary += abs(found.rate - pair.rate) == found.rate_radius or found.rate in (0, case.lambda_max)
    assert boundary == len(case.estimates)
    assert case.constant >= max(case.lambda_max, 1 / case.model.horizon, ONE)


@given(looks())
@settings(max_examples=60)
def test_functions_are_between_0_and_t(example: Looked) -> None:
    horizon = example.place.case.model.horizon
    for f in example.functions:
        for share in (Fraction(0), Fraction(1, 7), Fraction(1, 2), ONE):
            with precision(128):
                value = f(to_fmpq(horizon * share))
                assert not value < 0
                assert not value > arb(to_fmpq(horizon * share))


@given(places())
@settings(max_examples=30)
def test_applied_operator_is_the_next_iterate(place: Place) -> None:
    iteration = ValueIteration(place.case.model)
    pairs = [place.case.model.pairs[k] for k in pairs_of(place.case.model, place.state)]
    found = largest([applied(iteration[place.steps], pair, place.time) for pair in pairs])
    assert found.overlaps(iteration[place.steps + 1].value(place.state, place.time))
    assert found.width < Fraction(1, 10**12)


def test_forward_value_of_a_chain_in_closed_form() -> None:
    """One state that earns 1 and is left for good: V = ∫ exp(-λs) ds; and a circle earns t."""
    model = mistaken(Fraction(3), ONE).model
    policy = Policy.of(model, {"x": "good", "y": "good"})
    assert enclosure(forward_value(policy, "x", ONE)).overlaps(enclosure(waiting(Fraction(3), ONE)))
    circle = _circle(Fraction(5))
    assert enclosure(forward_value(Policy.of(circle, {"x": "a"}), "x", Fraction(2))).contains(2)


def test_lump_sum_of_a_circle_in_closed_form() -> None:
    """With cost u at remaining time u: H after one decision, and E(H - τ)⁺ = H - w more after two."""
    policy = Policy.of(_circle(Fraction(3)), {"x": "a"})
    costs = [[Fraction(0), ONE]]
    assert lump_sum(policy, costs, "x", 1).contains(2)
    with precision(128):
        two = enclosure(4 - waiting(Fraction(3), Fraction(2)))
    assert lump_sum(policy, costs, "x", 2).overlaps(two)
    many = lump_sum(policy, costs, "x", 40)  # all together: H + λH²/2
    assert 8 - Fraction(1, 10**12) < many.upper < 8 + Fraction(1, 10**12)


def test_lump_sum_follows_the_policy_over_its_switch() -> None:
    model = mistaken(ONE, ONE).model
    policy = Policy.of(model, {"x": [(0, "good"), ("1/2", "safe")], "y": "good"})
    costs = [[Fraction(2)], [Fraction(1)], [Fraction(0)]]
    assert lump_sum(policy, costs, "x", 1).contains(1)  # at H the safe action is taken
    with precision(128):  # then a jump back before 1/2 costs 1 again, a later one 2
        early = 1 - arb("-0.5").exp()
        expected = 1 + early + 2 * (1 - arb(-1).exp() - early)
    assert lump_sum(policy, costs, "x", 2).overlaps(enclosure(expected))


def test_greedy_policy_of_the_true_values_is_optimal() -> None:
    model = mistaken(ONE, ONE).model
    iterate = ValueIteration(model)[12]
    policy, missed = greedy_policy(iterate, model)
    value = evaluate(policy, digits=12).value("x")
    assert missed < Fraction(1, 10**12)
    assert abs(value.mid - iterate.value("x", ONE).mid) < Fraction(1, 10**8)
