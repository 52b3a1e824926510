"""Goals: the probability to reach them in time, in files and in Python, as for Markov automata."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, InputError, ModelError, Transition, dump_model, parse_model, reaching
from ctucbvi.modelfile.drn import parse_drn

TOML = """
name = "race"
horizon = "2"
initial = "on"
states = ["on", "there", "pit"]
actions = ["slow", "fast"]
goal = "there"
avoid = ["pit"]

[[transition]]
state = "on"
action = "slow"
rate = "1"
reward = "0"
to = { there = "1" }

[[transition]]
state = "on"
action = "fast"
rate = "3"
reward = "0"
to = { there = "1/2", pit = "1/2" }

[[transition]]
state = "pit"
action = "fast"
rate = "100"
reward = "0"
to = { there = "1" }
"""
ROWS = [
    Transition.of("on", "slow", rate=1, reward=0, to={"there": 1}),
    Transition.of("on", "fast", rate=3, reward=0, to={"there": "1/2", "pit": "1/2"}),
    Transition.of("pit", "fast", rate=100, reward=0, to={"there": 1}),
]
ASKED = {"goal": "there", "avoid": ["pit"]}
NAMES = {"states": ("on", "there", "pit"), "actions": ("slow", "fast")}
DRN = """@type: Markov Automaton
@nr_states
5
@nr_choices
6
@model
state 0 !0 init
    action slow
        1 : 1
    action fast
        2 : 1
state 1 !1
    action 0
        3 : 1
state 2 !3
    action 0
        3 : 1/2
        4 : 1/2
state 3 !1 there
    action 0
        3 : 1
state 4 !100 pit
    action 0
        3 : 1
"""


def test_the_value_is_the_probability() -> None:
    found = ctucbvi.solve(parse_model(TOML), digits=12)
    assert float(found.value("on").mid) == pytest.approx(1 - exp(-2), abs=1e-12)
    assert float(found.value("on", "1/4").mid) == pytest.approx((1 - exp(-3 / 4)) / 2, abs=1e-12)
    assert found.value("there").contains(1)
    assert found.value("pit").mid == 0


def test_a_file_says_what_an_automaton_with_labels_says() -> None:
    theirs = parse_drn(DRN, horizon=2, goal="there", avoid="pit")
    ours = ctucbvi.solve(parse_model(TOML), digits=20).value("on")
    assert ours.overlaps(ctucbvi.solve(theirs, digits=20).value(theirs.initial))


def test_all_doors_lead_to_the_same_model() -> None:
    model = parse_model(TOML)
    assert parse_model(dump_model(model)) == model
    assert CTMDP.of("race", horizon=2, transitions=ROWS, **NAMES, **ASKED) == model
    rows = [*ROWS, Transition.of("there", "slow", rate=0, reward=0)]
    whole = CTMDP.of("race", horizon=2, transitions=rows, **NAMES)
    assert reaching(whole, **ASKED) == model
    rates, nothing = np.array([[1, 3], [0, 0], [0, 100]]), np.zeros((3, 2))
    jumps = np.zeros((3, 2, 3))
    jumps[0, 0, 1], jumps[0, 1, 1:], jumps[2, 1, 1] = 1, 0.5, 1
    offered = rates > 0
    offered[1, 0] = True
    more = {"horizon": 2, "name": "race", **NAMES, **ASKED}
    assert CTMDP.from_arrays(rates, nothing, jumps, available=offered, **more) == model
    lists = {"jumps": ([0, 1, 1, 3], [1, 1, 2, 1]), "probabilities": [1, 0.5, 0.5, 1]}
    pairs = ([0, 0, 1, 2], [0, 1, 0, 1])
    assert CTMDP.from_sparse(pairs, rates=[1, 3, 0, 100], rewards=[0] * 4, **lists, **more) == model


def test_a_discount_is_an_option_too() -> None:
    row = Transition.of("on", "keep", rate=0, reward=1)
    plain = CTMDP.of("m", horizon=3, transitions=[row])
    told = CTMDP.of("m", horizon=3, transitions=[row], discount="1/10")
    assert told == ctucbvi.discounted(plain, "1/10")
    named = {"states": ["on"], "actions": ["keep"], "horizon": 3, "name": "m", "discount": "1/10"}
    assert CTMDP.from_arrays([[0]], [[1]], [[[0]]], **named) == told
    assert CTMDP.from_sparse(([0], [0]), [0], [1], ([], []), [], **named) == told


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('goal = "there"', "", "goal: what is to be avoided on the way needs one; name at least one state"),
        ('goal = "there"\navoid = ["pit"]', "goal = []", "goal: the list is empty; name at least one state"),
        ('"there"\n', '"ther"\n', "goal: 'ther' is not a state; choose from: on, there, pit"),
        ('["pit"]', '["there"]', "avoid: 'there' is a goal; name it once"),
        ('["pit"]', '["pit"]\ndiscount = 1', "discount: a goal asks for a probability"),
        ('["pit"]', '["pit"]\nterminal = { on = 1 }', "goal: a reward in state 'on'"),
        ('reward = "0"', 'reward = "1"', "goal: a reward in state 'on'"),
        ('goal = "there"', "goal = 3", "goal: a text is needed, not a number"),
        ('avoid = ["pit"]', 'until = "there"', "unknown key 'until'; write goal = "),
        ('rate = "3"', 'rate = "3"\ngoal = true', "transition 2: unknown key 'goal'; move it out"),
        ('rate = "3"', 'rate = "3"\nimmediate = true', "transition 2: unknown key 'immediate'; what"),
        ('rate = "3"', "rate = inf", "transition 2 (state 'on', action 'fast'): rate: inf is not finite"),
    ],
)
def test_what_makes_no_sense_is_one_line_with_the_reason(before: str, after: str, message: str) -> None:
    assert before in TOML
    with pytest.raises(InputError) as caught:
        parse_model(TOML.replace(before, after, 1), where="race.toml")
    assert str(caught.value).startswith(f"race.toml: {message}")
    assert "\n" not in str(caught.value)


def test_immediate_choices_are_told_where_they_can_be_written() -> None:
    for text in (TOML.replace('"3"', '"inf"'), TOML.replace('"3"', '"3"\nimmediate = true')):
        with pytest.raises(InputError, match=r"Markov automaton: write one \(.drn, .prism, .jani\), and let"):
            parse_model(text)


def test_a_probability_is_not_discounted_in_python_either() -> None:
    with pytest.raises(ModelError, match="discount: a goal asks for a probability"):
        CTMDP.of("race", horizon=2, transitions=ROWS, discount=1, **NAMES, **ASKED)
