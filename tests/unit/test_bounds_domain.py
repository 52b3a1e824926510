"""Outside its domain a bound has no value and names the condition that fails."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from flint import arb

from ctucbvi import CTMDP, InputError, Transition, UndecidedError
from ctucbvi.bounds import CATALOGUE, Parameters, document, value
from ctucbvi.bounds.conditions import EVENT, JUMPS, surely_less

GOOD = {
    "states": 9, "actions": 2, "horizon": 2, "episodes": 1000, "lambda_max": 3, "lambda_min": 1,
    "delta": "1/20", "epsilon": "k^-1/2*exp(-lambda_max*H)",
}  # fmt: skip
BY_NAME = {constant.name: constant for constant in CATALOGUE}

# What is changed, the constant looked at, and the condition that must be named (None: it has a value).
CASES = [
    ({}, "printed", None),
    ({"states": 0}, "printed", "S >= 1"),
    ({"states": -5}, "C", "S >= 1"),
    ({"actions": 0}, "L", "A >= 1"),
    ({"actions": -1}, "lower", "S >= 6 and A >= 2"),
    ({"episodes": 0}, "printed", "K >= 1"),
    ({"episodes": -7}, "accuracies", "K >= 1"),
    ({"episodes": 0}, "E max", "K >= 1"),
    ({"episodes": 1}, "printed", "K >= 2"),
    ({"episodes": 1}, "E max-bound", "K >= 2"),
    ({"episodes": 1}, "proberror", "K >= 2"),
    ({"episodes": 1}, "rateerror", "K >= 2"),
    ({"episodes": 1}, "repaired", None),
    ({"episodes": 2}, "printed", None),
    ({"horizon": 0}, "printed", "H > 0"),
    ({"horizon": -1}, "C", "H > 0"),
    ({"horizon": 0, "delta": None}, "L", "0 < delta < 1"),
    ({"horizon": "1/36000"}, "printed", None),  # 2SAKH = 1
    ({"horizon": "1/36001"}, "printed", "2 S A K H >= 1"),
    ({"horizon": "1/36000"}, "repaired", None),
    ({"horizon": "1/36001"}, "repaired", "2 S A K H >= 1"),
    ({"horizon": "1/2000"}, "sharp", "K H > 1/2"),  # KH = 1/2
    ({"horizon": "1/1999"}, "sharp", None),
    ({"horizon": "1/1999"}, "halved", None),
    ({"horizon": "1/2000"}, "halved", "K H > 1/2"),
    ({"horizon": "1/2", "episodes": 1}, "lump-sum", "K H > 1/2"),
    ({"horizon": "501/1000", "episodes": 1}, "sharp", None),
    ({"horizon": "1/2", "episodes": 1, "delta": None}, "alpha", "0 < delta < 1"),
    ({"lambda_max": 0}, "C", "lambda_max > 0"),
    ({"lambda_max": -3}, "iteration", "lambda_max > 0"),
    ({"lambda_max": 1, "lambda_min": 1}, "corollary", "lambda_max > 1 and H > 1"),
    ({"horizon": 1}, "corollary", "lambda_max > 1 and H > 1"),
    ({"horizon": 1}, "known-lambda-min", "lambda_max > 1 and H > 1"),
    ({}, "corollary-lump", None),
    ({"horizon": 1}, "corollary-lump", "lambda_max > 1 and H > 1"),
    ({"epsilon": "1/sqrt(k)"}, "corollary", "epsilon_k <= 1/(lambda_max H sqrt(k)) for all k"),
    ({"epsilon": "1/sqrt(k)"}, "corollary-lump", "epsilon_k <= 1/(lambda_max H sqrt(k)) for all k"),
    ({"epsilon": "k^-1/3*exp(-lambda_max*H)"}, "corollary",
     "epsilon_k <= 1/(lambda_max H sqrt(k)) for all k"),
    ({"lambda_min": 0}, "printed", "0 < lambda_min <= lambda_max"),
    ({"lambda_min": None}, "printed", "0 < lambda_min <= lambda_max"),
    ({"lambda_min": -1}, "proberror", "0 < lambda_min <= lambda_max"),
    ({"lambda_min": 4}, "rateerror", "0 < lambda_min <= lambda_max"),
    ({"lambda_min": 3}, "sharp", None),
    ({"delta": 0}, "L", "0 < delta < 1"),
    ({"delta": 1}, "alpha", "0 < delta < 1"),
    ({"delta": 2}, "b", "0 < delta < 1"),
    ({"delta": "-1/20"}, "beta", "0 < delta < 1"),
    ({"delta": 1}, "sharp-delta", "0 < delta < 1"),
    ({"delta": None}, "sharp-delta", "delta is given"),
    ({"delta": 2}, "printed", None),  # the theorem has a delta of its own
    ({"states": 1, "actions": 1, "episodes": 1, "horizon": "1/4", "delta": "1/2"}, "alpha", None),  # = δ
    ({"states": 1, "actions": 1, "episodes": 1, "horizon": "1/4", "delta": "51/100"}, "alpha",
     "2^S S A H K^2 >= delta"),
    ({"states": 1, "actions": 1, "episodes": 1, "horizon": "1/4", "delta": "51/100"}, "b",
     "2^S S A H K^2 >= delta"),
    ({"states": 1, "actions": 1, "episodes": 1, "horizon": "1/4", "delta": "1/2"}, "delta",
     "2^S S A H K^2 >= sqrt(e) delta"),
    ({"states": 100, "episodes": 2, "horizon": 1}, "delta", "H K^2 >= ln(2^(S-1)/delta)"),
    ({"lambda_max": "1e6", "episodes": 2}, "sharp-delta", "lambda_max (K-1) H <= 25^K L(delta)"),
    ({"time": -1}, "beta", "T >= 0 and N >= 0"),
    ({"n_plus": -1}, "alpha", "T >= 0 and N >= 0"),
    ({"states": 8}, "lower", "S = 2 + (A^d - 1)/(A - 1) for a whole number d"),
    ({"states": 5}, "W", "S >= 6 and A >= 2"),
    ({"actions": 1}, "lower", "S >= 6 and A >= 2"),
    ({"episodes": 9}, "lower", None),
    ({"episodes": 8}, "lower", "K >= S A/2"),
    ({"episodes": 1}, "lower-every-K", None),
    ({"episodes": 0}, "lower-every-K", "K >= 1"),
    ({"states": 8}, "lower-every-K", "S = 2 + (A^d - 1)/(A - 1) for a whole number d"),
    ({"states": 8, "episodes": 1}, "lower-every-size", None),
    ({"states": 5}, "lower-every-size", "S >= 6 and A >= 2"),
    ({"actions": 1}, "lower-every-size", "S >= 6 and A >= 2"),
    ({"states": 11}, "lower-turns", None),  # 4 + 7
    ({"states": 9}, "lower-turns", "S = 4 + (A^d - 1)/(A - 1) for a whole number d"),
    ({"states": 7}, "lower-turns", "S >= 8 and A >= 2"),  # 4 + 3
    ({"states": 11, "episodes": 10}, "lower-turns", "K >= S A/2"),
    ({"states": 11, "episodes": 11}, "lower-turns", None),
    ({"lambda_max": "3/2", "lambda_min": 1}, "lower-simple", "d < lambda_max H"),  # d = 3 = λmax H
    ({"lambda_max": "8/5", "lambda_min": 1}, "lower-simple", None),
    ({"lambda_max": 1000, "lambda_min": 1}, "halved", None),
    ({"lambda_max": 1000, "lambda_min": 1}, "sharp-delta", "e^2 lambda_max (K-1) <= K^2"),
    ({"lambda_max": "1e9"}, "E max", "lambda_max H <= 100000000"),
    ({"lambda_max": "1e9"}, "D", "lambda_max H <= 100000000"),
    ({"lambda_max": "1e9"}, "sharp", "lambda_max H <= 100000000"),
    ({"lambda_max": "1e300"}, "D-leading", None),
    ({"time": 0, "n_plus": 7}, "b-sharp", None),
    ({"time": -1}, "b-sharp", "T >= 0 and N >= 0"),
    ({"lambda_max": "1e300"}, "iteration", "between 2^-(2^40) and 2^(2^40)"),
    ({"lambda_max": "1e300"}, "accuracies", "between 2^-(2^40) and 2^(2^40)"),
    ({"lambda_max": "1e9", "horizon": 1}, "iteration", None),
]  # fmt: skip


def failing(changes: dict[str, object], name: str) -> tuple[str, ...]:
    return value(BY_NAME[name], Parameters.of(**{**GOOD, **changes})).checked.failing


@pytest.mark.parametrize(("changes", "name", "condition"), CASES, ids=str)
def test_the_failing_condition_is_named(changes, name, condition):
    p = Parameters.of(**{**GOOD, **changes})
    found = value(BY_NAME[name], p)
    if condition is None:
        assert found.checked.failing == ()
        assert found.ball.is_finite()
    else:
        assert found.ball is None
        assert condition in found.checked.failing


def test_every_condition_of_the_catalogue_is_seen_to_fail():
    seen = {condition for _, _, condition in CASES}
    assert {c.text for constant in CATALOGUE for c in constant.conditions} <= seen
    assert not any(failing({}, constant.name) for constant in CATALOGUE if constant.name != "lower-turns")


@pytest.mark.parametrize("changes", [*[c for c, _, _ in CASES][::6], CASES[-2][0]], ids=str)
def test_the_whole_document_has_no_nan_and_no_complex_number(changes):
    found = document(Parameters.of(**{**GOOD, **changes}), 8)
    json.dumps(found, allow_nan=False)
    for entry in [*found["constants"], found["upper_bound"], *found["upper_bound"]["versions"]]:
        fails = [c["condition"] for c in entry["conditions"] if not c["holds"]]
        assert (entry["value"] is None) == bool(fails)
        if entry["value"] is not None:
            assert Decimal(entry["lower"]) <= Decimal(entry["value"]) <= Decimal(entry["upper"])


def test_every_constant_of_every_case_is_a_number_or_has_a_reason():
    for changes, _, _ in CASES:
        p = Parameters.of(**{**GOOD, **changes})
        for constant in CATALOGUE:
            found = value(constant, p, 6)
            assert (found.ball is None) == bool(found.checked.failing)
            assert found.ball is None or found.ball.is_finite()


def test_an_absorbing_model_has_no_upper_bound():
    rows = [
        Transition.of("x", "a", rate=1, reward=1, to={"y": 1}),
        Transition.of("y", "a", rate=0, reward=0),
    ]
    p = Parameters.of_model(CTMDP.of("trap", horizon=1, transitions=rows), episodes=10)
    assert value(BY_NAME["printed"], p).checked.failing == ("0 < lambda_min <= lambda_max",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": "5/2"}, "S: 5/2 is not a whole number"),
        ({"episodes": "ten"}, "K: 'ten' is not a number"),
        ({"epsilon": "1/k"}, "epsilon: '1/k' is unknown"),
        ({"episodes": 2**30000}, "K: the number has more than"),
        ({"lambda_min": True}, "lambda-min: True is not a number"),
    ],
)
def test_what_is_no_number_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        Parameters.of(**{**GOOD, **changes})


def test_large_powers_are_compared_without_being_formed():
    p = Parameters.of(**{**GOOD, "states": 10**30, "delta": "1/2"})
    assert JUMPS.holds(p)
    assert all(condition.holds(p) for condition in EVENT[:3])
    assert not EVENT[3].holds(p)  # H K² is far below S ln 2


def test_conditions_hold_for_more_episodes_once_they_hold():
    for base in ({}, {"horizon": "1/10"}, {"lambda_max": 200}, {"states": 300}):
        p = Parameters.of(**{**GOOD, **base})
        for condition in EVENT:
            held = [condition.holds(p.at("K", k)) for k in range(2, 400, 3)]
            assert held == sorted(held)


def test_equal_numbers_are_undecided_and_not_false():
    with pytest.raises(UndecidedError, match="cannot be told apart"):
        surely_less(lambda: arb(2).sqrt() * arb(2).sqrt(), lambda: arb(2))
