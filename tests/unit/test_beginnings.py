"""Several initial states: what an episode is worth is the mean, everywhere."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import CTMDP, InputError, ModelError, Semantics
from ctucbvi import second_opinion as second
from ctucbvi.cli import main
from ctucbvi.crosscheck import compare
from ctucbvi.learning import Environment, Settings, initial_distribution
from ctucbvi.library import machine_repair
from ctucbvi.modelfile import dump_model, parse_model, save_model
from ctucbvi.numeric import certify, solve_numeric
from ctucbvi.strategies import models, times
from ctucbvi.study import Study
from ctucbvi.study.learners import contestant

HALF = replace(machine_repair(), initial=(("operating", Q(1, 4)), ("repair", Q(3, 4))))


@settings(max_examples=15)
@given(
    model=models(max_states=3, max_load=4, starts=True),
    semantics=st.sampled_from(list(Semantics)),
    data=st.data(),
)
def test_the_mean_is_that_of_all_planners(model, semantics, data):
    t = data.draw(times(model))
    solution, fast = ctucbvi.solve(model, semantics, digits=12), solve_numeric(model, semantics)
    wanted = sum(p * solution.value(x, t).mid for x, p in model.start)
    assert sum(p for _, p in model.start) == 1
    proof, opinion = certify(fast), second.solve(model, semantics, digits=12)
    for answer in (solution, proof, opinion):
        assert abs(answer.mean(t).mid - wanted) <= answer.mean(t).radius + solution.mean(t).radius
    assert abs(fast.mean(t) - float(wanted)) <= float(proof.mean(t).radius) + 1e-12 * (1 + abs(float(wanted)))
    assert all(map(repr, (solution, fast, proof, opinion)))


def test_a_mean_of_the_wrong_states_is_seen():
    solution = ctucbvi.solve(HALF)
    wrong = (solution.value("operating").mid + solution.value("repair").mid) / 2  # the mutant: all alike
    assert not solution.mean().contains(wrong)
    assert compare(HALF).value.overlaps(solution.mean())


def test_a_distribution_in_its_normal_form():
    told = {"horizon": 1, "transitions": HALF.transitions}
    one = CTMDP.of("m", initial={"repair": "3/4", "operating": Q(1, 4)}, **told)
    assert one.initial == HALF.initial  # in the order of the states
    sure = CTMDP.of("m", initial={"repair": 1, "operating": 0}, **told)
    assert (sure.initial, sure.start, sure.initial_state) == ("repair", (("repair", Q(1)),), "repair")
    with pytest.raises(InputError, match="begins in 2 states by chance, and one is needed"):
        _ = one.initial_state
    assert HALF.digest != machine_repair().digest
    for form in ("toml", "json"):
        assert parse_model(dump_model(HALF, format=form), format=form) == HALF
    assert 'initial = { operating = "1/4", repair = "3/4" }' in dump_model(HALF)


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        ({"operating": "1/2"}, "initial probabilities sum to 1/2, not exactly 1; correct one of them"),
        ({"operating": "3/2", "repair": "-1/2"}, "initial probability of 'repair' is -1/2"),
        ({"operating": "1/2", "off": "1/2"}, "initial: 'off' is not a state"),
        ({"operating": "x"}, "initial probability of 'operating': 'x' is not a number"),
        ({}, "initial probabilities sum to 0"),
        ((("repair", Q(1, 2)), ("repair", Q(1, 2))), "initial probabilities name a state twice"),
        ((("repair", 1),), "initial: its numbers are not all fractions"),
    ],
)
def test_what_is_no_distribution_is_refused_in_one_line(initial, message):
    with pytest.raises(ModelError) as caught:
        CTMDP.of("m", horizon=1, transitions=HALF.transitions, initial=initial)
    assert message in str(caught.value)


def test_files_name_the_place():
    text = dump_model(HALF)
    for wrong, message in (
        ('repair = "1/4"', "m.toml: initial probabilities sum to 1/2"),
        ('repare = "3/4"', "m.toml: initial: 'repare' is not one of the states; did you mean 'repair'?"),
        ('repair = "x"', "m.toml: initial: number of 'repair'"),
    ):
        with pytest.raises(ModelError) as caught:
            parse_model(text.replace('repair = "3/4"', wrong), where="m.toml")
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize("engine", ["exact", "numeric"])
def test_plan_prints_the_mean_with_its_enclosure(tmp_path, capsys, engine):
    save_model(HALF, tmp_path / "half.toml")
    assert main(["plan", str(tmp_path / "half.toml"), "--json", "--engine", engine, "--digits", "8"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = ctucbvi.solve(HALF).mean()
    assert found["initial"] == {"operating": "1/4", "repair": "3/4"}
    assert Q(found["mean"]["lower"]) <= wanted.lower <= wanted.upper <= Q(found["mean"]["upper"])
    assert main(["plan", str(tmp_path / "half.toml"), "--digits", "8"]) == 0
    line = f"operating: 1/4, repair: 3/4  1               {wanted.decimals(8)[0]}"
    assert line in capsys.readouterr().out
    assert main(["plan", "machine-repair", "--json"]) == 0
    assert not {"mean", "initial"} & json.loads(capsys.readouterr().out).keys()


def test_learners_begin_where_the_model_does():
    assert initial_distribution(HALF, None) == {"operating": Q(1, 4), "repair": Q(3, 4)}
    world = Environment(HALF, seed=3)
    begun = [world.episode(lambda x, t: "slow").visits[0].state for _ in range(400)]
    # Hoeffding: 400 draws are off by more than 0.12 with a probability below 2 exp(-2 * 400 * 0.12^2) < 3e-5.
    assert abs(begun.count("operating") / 400 - 0.25) < 0.12
    study = Study(HALF, Settings.for_model(HALF, episodes=3), 1, (contestant("ct-ucbvi"),))
    assert study.initial == HALF.start


def test_gymnasium_draws_from_it():
    pytest.importorskip("gymnasium")
    from ctucbvi.environments import Episodes

    env = Episodes(HALF)
    begun = [int(env.reset(seed=9 if i == 0 else None)[0]["state"]) for i in range(400)]
    assert abs(begun.count(0) / 400 - 0.25) < 0.12
    assert env.reset(options={"state": "operating"})[0]["state"] == 0
