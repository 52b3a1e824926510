"""Models that Storm builds from PRISM's language; skipped where stormpy is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec

import pytest

import ctucbvi
from ctucbvi import InputError, peers, prism
from ctucbvi.prism import load_prism

SERVER = """ma
const int N;
const double mu = 1/3;
module server
  s : [0..N] init 0;
  on : [0..2] init 0;
  [slow] on=0 & s<N -> (on'=1);
  [fast] on=0 & s<N -> (on'=2);
  <> on=1 -> mu : (s'=s+1)&(on'=0);
  <> on=2 -> 2*mu : (s'=s+1)&(on'=0) + mu : (s'=0)&(on'=0);
  <> s=N -> 1 : true;
endmodule
label "done" = s=N;
rewards "cost"
  on=1 : 1;
  on=2 : 2.5;
endrewards
"""
CHAIN = """ctmc
module m
  s : [0..3] init 0;
  [up] s<3 -> 1/3 : (s'=s+1) + 1/7 : (s'=0);
endmodule
rewards "r"
  s=0 : 2;
  [up] s=1 : 3;
endrewards
"""


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "server.ma"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def storm():
    if find_spec("stormpy") is None:
        pytest.skip("stormpy is not installed")


@pytest.mark.usefixtures("storm")
def test_an_automaton_is_built_exactly(file):
    model = load_prism(file(SERVER), constants="N=2", horizon=3, goal="done")
    assert model.states == ("s=0&on=0", "s=1&on=0", "s=2&on=0")
    assert [row.rate for row in model.transitions] == [Fraction(1, 3), 1, Fraction(1, 3), 1, 0]
    assert dict(model.transitions[1].to) == {"s=0&on=0": Fraction(1, 3), "s=1&on=0": Fraction(2, 3)}
    costs = load_prism(file(SERVER), constants="N=2", horizon=3, reward="cost", objective="min")
    assert [row.reward for row in costs.transitions] == [1, Fraction(5, 2), 1, Fraction(5, 2), 0]
    assert ctucbvi.solve(costs).segments("s=0&on=0")[0].actions == ("slow",)


@pytest.mark.usefixtures("storm")
@pytest.mark.parametrize("objective", ["max", "min"])
def test_storm_agrees_about_what_it_built_whichever_way_it_is_optimised(file, objective):
    model = load_prism(file(SERVER), constants="N=2", horizon=3, goal="done", objective=objective)
    opinion = peers.third_opinion(model, "committed", peer="stormpy", epsilon=1e-6)
    exact = ctucbvi.solve(model, digits=12)
    assert max(abs(float(exact.value(x).mid) - opinion.values[x]) for x in model.states) <= 2e-6
    other = ctucbvi.solve(replace(model, objective="min" if objective == "max" else "max"))
    assert abs(other.value(model.initial).mid - exact.value(model.initial).mid) > Fraction(1, 100)


@pytest.mark.usefixtures("storm")
def test_a_chain_earns_what_storm_says(file):
    path = file(CHAIN, "chain.sm")
    model = load_prism(path, horizon=3)
    assert model.transitions[1].lump  # the reward of a jump
    asked = (
        "import stormpy, json, sys\n"
        "p = stormpy.parse_prism_program(sys.argv[1], prism_compatibility=True)\n"
        "m = stormpy.build_model(p, options=stormpy.BuilderOptions(build_full=True))\n"
        "q = stormpy.parse_properties('R{\"r\"}=? [C<=3]', p)[0]\n"
        "print(json.dumps(stormpy.model_checking(m, q).get_value(m.initial_states[0])))\n"
    )
    run = subprocess.run([sys.executable, "-c", asked, str(path)], capture_output=True, text=True, check=True)
    theirs = json.loads(run.stdout.splitlines()[-1])
    assert abs(float(ctucbvi.solve(model).value("s=0").mid) - theirs) < 1e-5


@pytest.mark.usefixtures("storm")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("const int N;", "const int N; const int M;"), None),
        (("[slow] on=0 & s<N -> (on'=1)", "[slow] on=0 & s<N -> (s'=s)"), "comes back to itself without any"),
        (("ma\n", "mdp\n"), ""),
        (("module server", "modul server"), "Storm does not build it: "),
    ],
)  # fmt: skip
def test_other_shapes_are_refused_with_the_reason(file, change, message):
    path = file(SERVER.replace(*change))
    if message is None:
        assert load_prism(path, constants="N=2,M=1", horizon=1, goal="done")
        return
    with pytest.raises(InputError) as caught:
        load_prism(path, constants="N=2", horizon=1, goal="done")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("storm")
@pytest.mark.parametrize(
    "change",
    [
        ("(on'=2)", "1/2 : (on'=2) + 1/2 : (on'=1)"),  # chance before the holding time
        ("[slow] on=0 & s<N ->", "[skip] on=0 & s=0 -> (s'=1);\n  [slow] on=0 & s<N & s>0 ->"),  # in a row
    ],
)
@pytest.mark.parametrize("objective", ["max", "min"])
def test_storm_agrees_about_what_happens_at_once(file, change, objective):
    path = file(SERVER.replace(*change))
    model = load_prism(path, constants="N=2", horizon=1, goal="done", objective=objective)
    asked = (
        "import stormpy, json, sys\n"
        "p = stormpy.parse_prism_program(sys.argv[1], prism_compatibility=True)\n"
        "p, _ = stormpy.instantiate_constants(p, 'N=2')\n"
        "q = stormpy.parse_properties(sys.argv[2], p)\n"
        "m = stormpy.build_model(p, q)\n"
        "print(json.dumps(stormpy.model_checking(m, q[0]).get_value(m.initial_states[0])))\n"
    )
    asked_for = f'P{objective}=? [F<=1 "done"]'
    command = [sys.executable, "-c", asked, str(path), asked_for]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs = json.loads(run.stdout.splitlines()[-1])
    assert abs(float(ctucbvi.solve(model).value(model.initial).mid) - theirs) < 1e-4


@pytest.mark.usefixtures("storm")
@pytest.mark.parametrize(
    ("formula", "same"),
    [
        ('Pmax=? [F<=3 "done"]', {"horizon": 3, "goal": "done"}),
        ('Pmin=? [F<7/2 "done"]', {"horizon": "7/2", "goal": "done", "objective": "min"}),
        ('Pmax=? [!"home" | on=1 U<=3 s=N]', {"horizon": 3, "goal": "done", "avoid": "back"}),
    ],
)
def test_a_property_says_goal_horizon_and_objective(file, formula, same):
    more = 'label "home" = s=0 & on!=1;\nlabel "back" = s=0 & on!=1;\n'
    path = file(SERVER.replace("init 0;", "init 1;", 1) + more)
    asked = load_prism(path, constants="N=2", property=formula)
    told = load_prism(path, constants="N=2", **same)
    assert (asked.horizon, asked.objective) == (told.horizon, told.objective)
    values = [ctucbvi.solve(m, digits=12).value(m.initial).mid for m in (asked, told)]
    assert abs(values[0] - values[1]) < Fraction(1, 10**11)
    assert 0 < values[0] < 1


@pytest.mark.usefixtures("storm")
@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("Unknown", "no property 'Unknown' in the file; choose from: there is none"),
        ('Pmax=? [F "done"]', "not a probability within a time"),
        ('P>=1 [F<=1 "done"]', "not a probability within a time"),
        ('Pmax=? [F[1,2] "done"]', "not a probability within a time"),
        ('R{"cost"}max=? [C<=3]', "not a probability within a time"),
        ("Pmax=? [F<=1 s=7]", "no state that can be reached is a goal"),
        ('multi(Pmax=? [F<=1 "done"], Pmin=? [F<=2 "done"])', "not a probability within a time"),
        ('"done"', "not a probability within a time"),
        ('Pmax=? [F<=1 "done"]; Pmin=? [F<=1 "done"]', "2 properties at once, and one is asked; write one"),
        ("", "0 properties at once, and one is asked; write one"),
        ("Pmax=? [F<=1", "Storm does not build it: "),
    ],
)
def test_a_property_that_cannot_be_asked_is_one_line(file, formula, message):
    with pytest.raises(InputError) as caught:
        load_prism(file(SERVER), constants="N=2", property=formula)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not any(word in str(caught.value) for word in ("asked-", "Attribute", "unpack"))  # not theirs


@pytest.mark.usefixtures("storm")
def test_a_goal_behind_what_is_to_be_avoided_is_refused_in_the_words_of_the_property(file):
    text = """ma
module m
  s : [0..2] init 0;
  <> s=0 -> 2 : (s'=1);
  <> s=1 -> 3 : (s'=2) + 1 : (s'=0);
  <> s=2 -> 1 : (s'=0);
endmodule
label "g" = s=2;
label "b" = s=1;
"""
    formula = 'Pmax=? [!"b" U<=2.5 "g"]'
    with pytest.raises(InputError) as caught:
        load_prism(file(text), property=formula)
    assert str(caught.value).endswith(
        f"server.ma: no state that can be reached is a goal of {formula}: it is 0; ask for another"
    )


def test_what_a_property_says_is_not_said_twice(file):
    with pytest.raises(InputError, match="the property says the horizon; leave one of them out"):
        load_prism(file(SERVER), property='Pmax=? [F<=1 "done"]', horizon=1)


@pytest.mark.usefixtures("storm")
def test_constants_that_are_missing_are_one_line(file):
    with pytest.raises(InputError, match=r"Storm does not build it: .*constants"):
        load_prism(file(SERVER), horizon=1)


def test_without_storm_it_is_one_line(file, monkeypatch):
    monkeypatch.setattr(prism, "find_spec", lambda name: None)
    with pytest.raises(
        InputError, match=r"stormpy is not installed, and reads it; pip install 'ctucbvi\[peers\]'"
    ):
        load_prism(file(SERVER), horizon=1)
    with pytest.raises(InputError, match="no such file"):
        load_prism("nowhere.ma", horizon=1)
