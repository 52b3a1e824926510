"""The model: valid by construction, exact in every number, and one clear line otherwise."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi.errors import InputError, ModelError
from ctucbvi.library import machine_repair
from ctucbvi.model import CTMDP, Semantics, Transition
from ctucbvi.numbers import exact
from ctucbvi.strategies import models

A = Transition.of("x", "a", rate=1, reward=1, to={"y": 1})
B = Transition.of("y", "a", rate=0, reward=0)


def build(**changes) -> CTMDP:
    return CTMDP.of("m", **{"horizon": 1, "transitions": [A, B], **changes})


# --- numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_number", "meant"),
    [
        ("17/20", Fraction(17, 20)),
        ("0.85", Fraction(17, 20)),
        (" -.5 ", Fraction(-1, 2)),
        ("1e-6", Fraction(1, 10**6)),
        ("2.E3", Fraction(2000)),
        (3, Fraction(3)),
        (0.85, Fraction(17, 20)),
        (1e-7, Fraction(1, 10**7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Fraction(2, 6), Fraction(1, 3)),
    ],
)
def test_numbers_are_what_they_say(given_number, meant: Fraction) -> None:
    assert exact(given_number, "here") == meant


def test_a_float_is_its_shortest_decimal_and_not_the_double() -> None:
    assert exact(0.85, "here") != Fraction(0.85)  # the mutant


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_within_its_own_rounding(number: float) -> None:
    assert float(exact(number, "here")) == number


@pytest.mark.parametrize(
    "bad",
    [
        *(True, None, [1], "abc", "", "1/0", "1/-2", "0x10", "1_000", "٣", "nan", float("nan"), float("inf")),
        *(1j, "1e1001", "9" * 2001, "1" * 40 + "x", Decimal("inf"), "1+1", "__import__('os')"),
    ],
)
def test_what_is_no_number_is_refused_in_one_line(bad) -> None:
    with pytest.raises(ModelError, match=r"^here: ") as caught:
        exact(bad, "here")
    assert str(caught.value).isprintable()


# --- building ------------------------------------------------------------------------------


def test_names_default_to_the_order_of_appearance() -> None:
    model = build()
    assert (model.states, model.actions, model.initial) == (("x", "y"), ("a",), "x")
    assert model.terminal == (0, 0)


def test_transitions_are_sorted_so_that_equal_models_are_equal() -> None:
    one = CTMDP.of("m", horizon=1, states=("x", "y"), transitions=[A, B])
    two = CTMDP.of("m", horizon="1.0", states=("x", "y"), transitions=[B, A])
    assert one == two
    assert hash(one) == hash(two)
    assert len({one, two}) == 1


def test_source_and_purpose_do_not_matter_for_equality() -> None:
    assert build(source="a book", shows="something") == build()


@pytest.mark.parametrize(
    "changes",
    [
        {"horizon": 2},
        {"initial": "y"},
        {"terminal": {"x": 1}},
        {"transitions": [replace(A, rate=Fraction(2)), B]},
    ],
)
def test_everything_else_does(changes) -> None:
    assert build(**changes) != build()


def test_a_model_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        build().horizon = Fraction(2)


def test_zero_probabilities_are_dropped() -> None:
    assert Transition.of("x", "a", rate=1, reward=0, to={"x": 0, "y": 1}).to == (("y", Fraction(1)),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 0}, "horizon: 0 is not positive; write a number above 0"),
        ({"horizon": "-1/2"}, "horizon: -1/2 is not positive; write a number above 0"),
        ({"horizon": "soon"}, "horizon: 'soon' is not a number; write for example"),
        ({"initial": "z"}, "initial: 'z' is not a state; choose from: x, y"),
        ({"terminal": {"z": 1}}, "terminal: 'z' is not a state; choose from: x, y"),
        ({"terminal": {"x": "?"}}, "terminal reward of 'x': '?' is not a number"),
        ({"transitions": []}, "states: none given; a model needs at least one state"),
        ({"transitions": [A, A, B]}, "transition of state 'x', action 'a': given twice; keep one"),
        ({"transitions": [A]}, "transition of state 'x', action 'a': jumps to 'y', which is not a state"),
        ({"transitions": [A, B], "states": ("x", "y", "z")}, "state 'z' has no actions; add a transition"),
        ({"states": ("x", "x", "y")}, "states: 'x' is listed twice; names must differ"),
        ({"states": ("x", "y", "")}, "states: entry 3 is ''; write a non-empty printable name"),
        ({"actions": ("b",)}, "transition of state 'x', action 'a': 'a' is not an action; choose from: b"),
        ({"actions": ()}, "actions: none given; a model needs at least one action"),
        ({"states": ("y",)}, "transition of state 'x', action 'a': 'x' is not a state; choose from: y"),
        (
            {"transitions": [replace(A, rate=Fraction(-1)), B]},
            "transition of state 'x', action 'a': rate -1 is negative; write 0 or more",
        ),
        (
            {"transitions": [replace(A, to=(("y", Fraction(2)), ("x", Fraction(-1)))), B]},
            "transition of state 'x', action 'a': probability of 'x' is -1; write a number from 0 to 1",
        ),
        (
            {"transitions": [replace(A, to=(("y", Fraction(9, 10)),)), B]},
            "transition of state 'x', action 'a': probabilities sum to 9/10, not exactly 1",
        ),
        (
            {"transitions": [replace(A, to=()), B]},
            "transition of state 'x', action 'a': probabilities sum to 0, not exactly 1",
        ),
        (
            {"transitions": [replace(A, to=(("y", Fraction(1, 2)), ("y", Fraction(1, 2)))), B]},
            "transition of state 'x', action 'a': a target state is listed twice; add the probabilities up",
        ),
    ],
)
def test_bad_models_get_one_line(changes, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        build(**changes)
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()


def test_a_wrong_target_is_told_the_names_like_it() -> None:
    states = tuple(f"state-{letter * 5}" for letter in "abcdefghijk")
    rows = [Transition.of(x, "a", rate=0, reward=0) for x in states[1:]]
    wrong = Transition.of(states[0], "a", rate=1, reward=0, to={"state-kkkk": 1})
    with pytest.raises(ModelError, match=r"jumps to 'state-kkkk', which is not a state; .*: state-kkkkk, "):
        CTMDP.of("m", horizon=1, transitions=[wrong, *rows])


def test_terminal_rewards_of_many_states_are_looked_up_once() -> None:
    rows = [Transition.of(f"s{i}", "a", rate=0, reward=0) for i in range(60_000)]
    began = process_time()
    CTMDP.of("m", horizon=1, transitions=rows, terminal={row.state: 1 for row in rows})
    assert process_time() - began < 4


def test_terminal_needs_one_entry_per_state() -> None:
    with pytest.raises(ModelError, match="terminal: give one reward per state"):
        replace(build(), terminal=(Fraction(0),))


# --- arrays --------------------------------------------------------------------------------

RATES = [[3.0, 5.0], [2.0, 7.0]]
REWARDS = [[0.85, 1.0], [0.4, 0.0]]
JUMPS = [[[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]]
NAMES = {"states": ("operating", "repair"), "actions": ("slow", "fast")}


def test_arrays_give_the_same_model() -> None:
    model = CTMDP.from_arrays(RATES, REWARDS, JUMPS, horizon=1, name="machine-repair", **NAMES)
    assert model == machine_repair()  # 0.85 and 0.4 are decimals, not doubles
    assert CTMDP.from_arrays(np.array(RATES), np.array(REWARDS), np.array(JUMPS), horizon=1).states == (
        "s0",
        "s1",
    )


def test_arrays_with_fewer_actions_and_terminal_rewards() -> None:
    model = CTMDP.from_arrays(
        RATES,
        REWARDS,
        JUMPS,
        horizon="1/2",
        terminal=[0.1, 2],
        available=[[True, False], [True, True]],
        initial=1,
    )
    assert model.actions_of("s0") == ("a0",)
    assert model.terminal == (Fraction(1, 10), 2)
    assert model.initial == "s1"


def test_rows_of_doubles_are_normalised_only_on_request() -> None:
    ones, thirds = np.ones((3, 1)), np.full((3, 1, 3), 1 / 3)
    with pytest.raises(
        ModelError, match=r"'s0', action 'a0': .* not exactly 1; pass rationalize=1e-12 .*, normalize=True"
    ):
        CTMDP.from_arrays(ones, ones, thirds, horizon=1)
    with pytest.raises(ModelError, match="probabilities sum to 3, not exactly 1"):
        CTMDP.from_arrays(ones, ones, np.ones((3, 1, 3)), horizon=1)
    model = CTMDP.from_arrays(ones, ones, thirds, horizon=1, normalize=True)
    assert all(p == Fraction(1, 3) for t in model.transitions for _, p in t.to)
    assert CTMDP.from_arrays(ones, ones, np.ones((3, 1, 3)), horizon=1, normalize=True) == model
    texts = np.full((3, 1, 3), "1/3")
    assert CTMDP.from_arrays(ones, ones, texts, horizon=1) == model


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rewards": [[1, 2]]}, r"^arrays: rates \(2, 2\), rewards \(1, 2\), .* need \(S, A\)"),
        ({"probabilities": [[1, 0], [0, 1]]}, r"^arrays: .* probabilities \(2, 2\); need"),
        ({"rates": [1, 2]}, r"^arrays: rates \(2,\)"),
        ({"states": ("one",)}, "^arrays: 2 states and 2 actions, but other numbers of names"),
        ({"actions": ("one",)}, "^arrays: 2 states and 2 actions, but other numbers of names"),
        ({"initial": 2}, "^initial: 2 is not the index of a state; write 0 to 1"),
        ({"initial": -1}, "^initial: -1 is not the index of a state; write 0 to 1"),
        ({"initial": np.int64(2)}, "^initial: 2 is not the index of a state; write 0 to 1"),
        ({"rates": [[1, 1], [1]]}, "^rates: its rows have different lengths; write as many entries in each"),
        ({"probabilities": [[[1, 0], [0]], [[1, 0], [0, 1]]]}, "^probabilities: its rows have different"),
        ({"lumps": [[1, 1], [1]]}, "^lumps: its rows have different lengths"),
        ({"choice": [[1, 1], [1]]}, "^choice: its rows have different lengths"),
        ({"available": [[1, 1], [1]]}, "^available: its rows have different lengths"),
        ({"terminal": [1, [1]]}, "^terminal: its rows have different lengths"),
        ({"initial": [1, [1]]}, "^initial: its rows have different lengths"),
        ({"available": [True]}, r"^arrays: available must have shape \(2, 2\)"),
        ({"terminal": [1]}, r"^arrays: available must have shape .*, terminal \(2,\)"),
        ({"available": [[False, False], [True, True]]}, "^state 's0' has no actions"),
        ({"rates": [[-1, 1], [1, 1]]}, "rate -1 is negative; write 0 or more"),
        ({"rates": [[np.nan, 1], [1, 1]]}, "rate: nan is not finite; write a finite number"),
        ({"rewards": [[np.inf, 1], [1, 1]]}, "reward: inf is not finite; write a finite number"),
    ],
)
def test_bad_arrays_get_one_line(changes, message: str) -> None:
    arguments = {"rates": RATES, "rewards": REWARDS, "probabilities": JUMPS, "horizon": 1, **changes}
    with pytest.raises(ModelError, match=message) as caught:
        CTMDP.from_arrays(**arguments)
    assert str(caught.value).isprintable()


def test_an_index_of_numpy_is_an_index() -> None:
    told = {"rates": RATES, "rewards": REWARDS, "probabilities": JUMPS, "horizon": 1}
    assert CTMDP.from_arrays(**told, initial=np.int64(1)) == CTMDP.from_arrays(**told, initial=1)


# --- questions and variants ----------------------------------------------------------------


def test_pairs_are_the_transitions_by_index() -> None:
    model = machine_repair()
    assert [(p.state, p.action, p.rate, p.to) for p in model.pairs] == [
        (0, 0, 3, ((1, 1),)),
        (0, 1, 5, ((1, 1),)),
        (1, 0, 2, ((0, 1),)),
        (1, 1, 7, ((0, 1),)),
    ]
    assert model.max_rate == 7
    assert model.state_index("repair") == 1
    assert model.actions_of("repair") == ("slow", "fast")
    with pytest.raises(
        InputError, match="state 'idle' is not in model 'machine-repair'; choose from: operating, re"
    ):
        model.state_index("idle")


def test_with_horizon() -> None:
    model = machine_repair().with_horizon("5/2")
    assert model.horizon == Fraction(5, 2)
    assert model.with_horizon(1) == machine_repair()
    with pytest.raises(ModelError, match="horizon: 0 is not positive"):
        model.with_horizon(0)


@given(models(), st.fractions(-3, 3, max_denominator=20), st.fractions(-3, 3, max_denominator=20))
def test_with_rewards_is_affine(model: CTMDP, scale: Fraction, shift: Fraction) -> None:
    changed = model.with_rewards(scale, shift)
    assert [t.reward for t in changed.transitions] == [scale * t.reward + shift for t in model.transitions]
    assert changed.terminal == tuple(scale * g for g in model.terminal)
    assert [(t.rate, t.to) for t in changed.transitions] == [(t.rate, t.to) for t in model.transitions]
    if scale:
        assert changed.with_rewards(1 / scale, -shift / scale) == model


def test_the_affine_check_catches_a_shifted_terminal_reward() -> None:
    """The mutant: the shift applied to the terminal reward as well, which cannot be undone so."""
    model = build(terminal={"x": 1})
    changed = model.with_rewards(2, 3)
    wrong = replace(changed, terminal=tuple(g + 3 for g in changed.terminal))
    assert changed.with_rewards("1/2", "-3/2") == model
    assert wrong.with_rewards("1/2", "-3/2") != model


@given(models())
def test_the_value_scale_bounds_what_can_be_earned(model: CTMDP) -> None:
    for row in model.transitions:
        for g in model.terminal:
            assert abs(row.reward) * model.horizon + abs(g) <= model.value_scale


@given(models())
def test_equal_models_have_equal_hashes(model: CTMDP) -> None:
    again = replace(model, transitions=tuple(reversed(model.transitions)))
    assert again == model
    assert hash(again) == hash(model)


def test_semantics() -> None:
    assert Semantics("committed") is Semantics.COMMITTED
    assert Semantics("adjustable") is Semantics.ADJUSTABLE
    assert f"{Semantics.COMMITTED}" == "committed"
    for bad in ("Committed", "", None, 1):
        with pytest.raises(InputError, match=r"is unknown; write 'committed' or 'adjustable'$"):
            Semantics(bad)
