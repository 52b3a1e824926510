"""Storm's explicit format: what has the shape of the committed problem is that, all else is one line."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given

import ctucbvi
from ctucbvi import CTMDP, InputError, ModelError, peers
from ctucbvi.modelfile.drn import load_drn, parse_drn
from ctucbvi.strategies import models
from tests.benchmarks.random_models import random_reachability

HEAD = "@type: Markov Automaton\n@parameters\n\n@reward_models\n{rewards}\n"
HEAD += "@nr_states\n{states}\n@nr_choices\n{choices}\n@model\n"


def written(model: CTMDP) -> str:
    """A committed problem as an automaton, with its rewards and (equal) lumps: the states, then the pairs."""
    size, pairs = len(model.states), model.transitions
    lines = []
    for i, x in enumerate(model.states):
        lines.append(f"state {i} !0 [0]{' init' if x == model.initial else ''}")
        for k, row in enumerate(pairs):
            if row.state == x:
                lines += [f"\taction {row.action} [0]", f"\t\t{size + k} : 1"]
    for k, row in enumerate(pairs):
        lump = row.lump[0][1] if row.lump else 0
        lines.append(f"state {size + k} !{row.rate or 1} [{row.reward}]")
        lines.append(f"\taction 0 [{lump}]")
        jumps = row.to if row.rate else ((size + k, 1),)
        lines += [f"\t\t{y if isinstance(y, int) else model.state_index(y)} : {p}" for y, p in jumps]
    head = HEAD.format(rewards="r", states=size + len(pairs), choices=2 * len(pairs))
    return head + "\n".join(lines) + "\n"


@given(models(max_states=4, terminal=False))
def test_what_is_written_is_read_back(model):
    found = parse_drn(written(model), horizon=model.horizon)
    names = {str(model.state_index(x)): x for x in model.states}
    rows = {(names[row.state], row.action): row for row in found.transitions}
    assert names[found.initial] == model.initial
    reached = {names[x] for x in found.states}
    for row in model.transitions:
        if row.state in reached:
            back = rows.pop((row.state, row.action))
            assert (back.rate, back.reward) == (row.rate, row.reward)
            assert {names[y]: p for y, p in back.to} == (dict(row.to) if row.rate else {})
    assert not rows


@pytest.mark.parametrize("seed", range(4))
def test_the_automaton_that_storm_is_asked_about_has_the_value_of_its_model(seed):
    model = random_reachability(4, 3, seed)
    found = parse_drn(
        peers.automaton(model, "committed"), horizon=model.horizon, goal="goal", rationalize=1e-12
    )
    one, other = ctucbvi.solve(model, digits=12), ctucbvi.solve(found, digits=12)
    for x in found.states:
        mine, theirs = other.value(x).mid, one.value(model.states[int(x)]).mid
        assert abs(mine - theirs) < Fraction(1, 10**9)


TEXT = written(ctucbvi.bundled_model("machine-repair"))
CHAIN = """// Exported by storm
@type: CTMC
@value_type: rational
@parameters

@reward_models
r s
@nr_states
3
@nr_choices
3
@model
state 0 !10/21 [2, 0] init
//[s=0\t& on=false]
	action __NOLABEL__ [0, 1]
		0 : 1/7
		1 : 1/3
state 1 !1/2 [0, 0] "out of order"
//[s=1\t& on=false]
	action __NOLABEL__ [3, 1]
		2 : 1/2
state 2 !1 [0, 0] done
//[s=2\t& on=true]
	action __NOLABEL__ [0, 0]
		2 : 1
"""


def test_a_chain_has_rates_in_place_of_probabilities():
    model = parse_drn(CHAIN, horizon=2, reward="r")
    assert model.states == ("s=0&on=false", "s=1&on=false", "s=2&on=true")
    first, second, last = model.transitions
    assert (first.rate, dict(first.to)) == (
        Fraction(10, 21),
        {"s=0&on=false": Fraction(3, 10), "s=1&on=false": Fraction(7, 10)},
    )
    assert (second.reward, second.gain) == (0, Fraction(3, 2))
    assert (last.rate, last.to) == (0, ())
    assert parse_drn(CHAIN, horizon=2, goal="out of order").terminal == (0, 1)
    assert parse_drn(CHAIN, horizon=2, reward="s").transitions[0].gain == Fraction(10, 21)


def test_decimals_of_storm_are_rounded():
    text = TEXT.replace("!3 ", "!0.333333 ").replace("4 : 1", "4 : 1.0")
    assert parse_drn(text, horizon=1, rationalize="1e-5").transitions[0].rate == Fraction(1, 3)
    assert parse_drn(text, horizon=1).transitions[0].rate == Fraction(333333, 10**6)


def line_of(text: str, part: str) -> int:
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@type: Markov Automaton", "@type: MDP", "line 1: @type 'MDP' has no holding times; choose from: "),
        ("@parameters\n\n", "@parameters\np\n", "parameters have no values; instantiate them first"),
        ("@model", "@modell", "there is no line @model"),
        ("@nr_states\n6", "@nr_states\n7", "@nr_states is '7', but there are 6"),
        ("state 1 ", "state 7 ", "state 7, but state 1 is next; number them from 0"),
        (" init", "", "0 states have the label 'init'; one is needed"),
        ("state 1 !0 [0]", "state 1 !0 [0] init", "2 states have the label 'init'; one is needed; DRN has"),
        ("state 1 !0 [0]", "state 1 !0 [0, 1]", "2 rewards, but 1 reward models; write one for each"),
        ("state 1 !0 [0]", "state 1 [0]", "state 1 has no rate; write !0 where it chooses at once"),
        ("!3 ", "!-3 ", "the rate -3 is negative"),
        ("!3 ", "!x ", "'x' is not a number"),
        ("\t\t2 : 1\n", "\t\t0 : 1\n", "state 0 comes back to itself without any time"),
        ("\t\t2 : 1\n", "\t\t9 : 1\n", "action slow of state 0 jumps to state 9, which is not there"),
        ("\t\t2 : 1\n", "\t\t2 : 1\n\t\t2 : 1\n", "state 2 is a target twice; add the numbers up"),
        ("\t\t2 : 1\n", "\t\tgo to 2\n", "'go to 2' is no state, action or jump"),
        ("\t\t1 : 1\n", "\t\t1 : 1/2\n", "the probabilities of state 2 sum to 1/2, not exactly 1"),
        ("\t\t1 : 1\n", "\t\t1 : 2\n\t\t0 : -1\n", "'-1' is not positive; leave out what does not happen"),
    ],
)  # fmt: skip
def test_what_has_another_shape_is_refused_with_line_and_reason(old, new, message):
    text = TEXT.replace(old, new, 1)
    assert text != TEXT
    with pytest.raises(ModelError) as caught:
        parse_drn(text, horizon=1, where="my.drn")
    assert message in str(caught.value)
    assert str(caught.value).startswith("my.drn: ")
    assert "\n" not in str(caught.value)
    changed = line_of(text, new.strip().split("\n")[0]) if new.strip() else 0
    if "line" in str(caught.value) and changed and "@" not in new:
        assert abs(int(str(caught.value).split("line ")[1].split(":")[0]) - changed) <= 3


def test_a_deadlock_and_a_choice_in_a_waiting_state_are_refused():
    cut = (
        TEXT[: TEXT.index("state 5")]
        .replace("@nr_states\n6", "@nr_states\n6")
        .replace("@nr_choices\n8", "@nr_choices\n7")
    )
    with pytest.raises(ModelError, match="state 5 has no action: a deadlock"):
        parse_drn(cut + "state 5 !7 [0]\n", horizon=1)
    more = TEXT.replace("@nr_choices\n8", "@nr_choices\n9") + "\taction 1 [0]\n\t\t0 : 1\n"
    with pytest.raises(ModelError, match="state 5 has a rate and 2 actions; choose first, then wait"):
        parse_drn(more, horizon=1)


def test_goals_and_rewards_are_asked_for_by_name():
    with pytest.raises(InputError, match="several reward models, and none is named; choose from: r, s"):
        parse_drn(CHAIN, horizon=1)
    with pytest.raises(InputError, match="no reward model 'q'; choose from: r, s"):
        parse_drn(CHAIN, horizon=1, reward="q")
    with pytest.raises(
        InputError, match="no state has the label 'nowhere'; choose from: done, init, out of order"
    ):
        parse_drn(CHAIN, horizon=1, goal="nowhere")
    with pytest.raises(InputError, match="a goal and a reward model are two problems"):
        parse_drn(CHAIN, horizon=1, goal="done", reward="r")
    with pytest.raises(InputError, match="what is to be avoided on the way needs a goal; name one"):
        parse_drn(CHAIN, horizon=1, avoid="done", reward="r")
    with pytest.raises(InputError, match="no state has the label 'bad'"):
        parse_drn(CHAIN, horizon=1, goal="done", avoid="bad")
    instant = TEXT.replace("state 2 !3 [17/20]", "state 2 !3 [17/20] goal")
    at_goal = parse_drn(instant, horizon=1, goal="goal")
    assert [(row.action, row.rate, row.terminal) for row in at_goal.transitions if row.terminal] == [
        ("slow", 0, 1)
    ]


def test_a_reward_for_choosing_is_one():
    rewarded = parse_drn(TEXT.replace("\taction slow [0]", "\taction slow [1/2]", 1), horizon=1)
    assert [(row.action, row.choice) for row in rewarded.transitions if row.choice] == [
        ("slow", Fraction(1, 2))
    ]


def test_files_that_are_not_there_or_no_text(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_drn(tmp_path / "none.drn", horizon=1)
    (tmp_path / "bytes.drn").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        load_drn(tmp_path / "bytes.drn", horizon=1)
    (tmp_path / "mine.drn").write_text(TEXT)
    assert load_drn(tmp_path / "mine.drn", horizon=1).name == "mine"


def test_four_thousand_damaged_files_are_read_or_refused_in_one_line():
    draw, read, said = random.Random(11), 0, []
    for _ in range(4000):
        text = draw.choice((TEXT, CHAIN))
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(text))
            piece = draw.choice(
                (
                    "",
                    "\n",
                    "0",
                    "-",
                    "!",
                    " [",
                    "]",
                    ":",
                    "\x00",
                    "é",
                    "1e9999",
                    "state 0",
                    "//",
                    "\t",
                    "9" * 30,
                )
            )
            text = text[:at] + piece + text[at + draw.choice((0, 1, 1, 9)) :]
        try:
            found = parse_drn(
                text, horizon=1, reward=draw.choice((None, "r")), rationalize=draw.choice((None, "1e-5"))
            )
        except InputError as error:
            said.append(str(error))
            continue
        read += 1
        assert all(sum(p for _, p in row.to) == 1 for row in found.transitions if row.rate)
    assert 200 < read < 3000
    assert not [text for text in said if "\n" in text or len(text) > 400]
