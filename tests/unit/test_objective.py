"""Costs to be minimised: the least cost is minus the largest value of the negated rewards, everywhere."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import CTMDP, InputError, ModelError, Objective, Policy, Semantics, Transition, ValueIteration
from ctucbvi import second_opinion as second
from ctucbvi.crosscheck import check_values, compare, crosscheck
from ctucbvi.exact.iteration import algorithm2
from ctucbvi.learning.settings import Settings
from ctucbvi.library import machine_repair
from ctucbvi.numeric import certify, evaluate_numeric, grid_iteration, solve_certified, solve_numeric
from ctucbvi.numeric.files import read_certificate, save_certificate
from ctucbvi.strategies import models, policies, times
from tests.opinions import random_model

drawn = models(max_states=3, max_load=6, lumps=True)


def costs_of(model: CTMDP) -> CTMDP:
    """The same problem, told in costs."""
    return replace(model.with_rewards(-1), objective=Objective.MIN)


COSTS = costs_of(machine_repair())


@settings(max_examples=25)
@given(model=drawn, semantics=st.sampled_from(list(Semantics)), data=st.data())
def test_values_policies_and_switches_of_costs_are_those_of_rewards(model, semantics, data):
    costs, t = costs_of(model), data.draw(times(model))
    one, other = (ctucbvi.solve(m, semantics, digits=12) for m in (model, costs))
    assert other.model is costs
    for x in model.states:
        assert (other.value(x, t).lower, other.value(x, t).upper) == (
            -one.value(x, t).upper,
            -one.value(x, t).lower,
        )
        assert other.segments(x) == one.segments(x)
    assert other.switches == one.switches
    policy = data.draw(policies(model))
    rules = dict(zip(model.states, policy.rules, strict=True))
    mine = ctucbvi.evaluate(policy, semantics, digits=12)
    theirs = ctucbvi.evaluate(Policy.of(costs, rules), semantics, digits=12)
    fast = evaluate_numeric(Policy.of(costs, rules), semantics)
    for x in model.states:
        assert theirs.value(x, t).overlaps(-mine.value(x, t))
        # What no planner can do: be cheaper than the least cost.
        assert theirs.value(x, t).upper >= other.value(x, t).lower
        scale = 1 + float(costs.value_scale)
        if t not in policy.breakpoints:
            assert abs(fast.value(x, t) - float(theirs.value(x, t).mid)) < 1e-6 * scale


@settings(max_examples=20)
@given(model=drawn, semantics=st.sampled_from(list(Semantics)))
def test_three_planners_agree_about_costs(model, semantics):
    found = compare(costs_of(model), semantics, digits=12)
    assert not found.complaints


def with_lumps_and_costs(seed: int) -> CTMDP:
    """A random model of small fractions, with lumps of either sign, every other one of costs."""
    draw, model = random.Random(seed), random_model(seed)
    rows = tuple(
        replace(r, lump=tuple((y, Fraction(n, 6)) for y, _ in r.to if r.rate and (n := draw.randint(-3, 3))))
        for r in model.transitions
    )
    return replace(model, transitions=rows, objective=("max", "min")[seed % 2])


@pytest.mark.parametrize("chunk", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(1, 100))])
def test_two_thousand_random_models_agree_with_the_second_opinion_which_reduces_nothing(chunk):
    for seed in range(20 * chunk, 20 * chunk + 20):
        model, semantics = with_lumps_and_costs(seed), list(Semantics)[seed // 2 % 2]
        solution = ctucbvi.solve(model, semantics, digits=12, resolve_policy=False)
        opinion = second.solve(model, semantics, digits=15)
        fast = solve_numeric(model, semantics)
        proof = certify(fast)
        for x in model.states:
            assert solution.value(x).overlaps(opinion.value(x)), seed
            assert solution.value(x).overlaps(proof.value(x)), seed


@settings(max_examples=10)
@given(model=models(max_states=2, max_load=3, lumps=True), data=st.data())
def test_value_iteration_and_the_grid_know_costs(model, data):
    t, costs = data.draw(times(model)), costs_of(model)
    one, other = ValueIteration(model, bits=64)[2], ValueIteration(costs, bits=64)[2]
    for x in model.states:
        assert other.value(x, t).overlaps(-one.value(x, t))
    grids = [grid_iteration(m, steps=8, epsilon="1e-3", truncate=False) for m in (model, costs)]
    for x in model.states:
        assert grids[1].value(x, t) == -grids[0].value(x, t)
        assert grids[1].action(x, t) == grids[0].action(x, t)


def test_commitment_values_and_losses_of_costs():
    solution = ctucbvi.solve(COSTS, digits=15)
    best = ctucbvi.solve(machine_repair(), digits=15)
    for action in ("slow", "fast"):
        assert solution.commitment_value("repair", action).overlaps(-best.commitment_value("repair", action))
    for semantics in Semantics:
        value = ctucbvi.solve(COSTS, semantics, digits=15).value("operating", "1/2").mid
        good, bad = (
            check_values(COSTS, [("operating", "1/2", value, a)], semantics=semantics)
            for a in ("fast", "slow")
        )
        if semantics is Semantics.COMMITTED:  # fast is optimal up to 0.625
            assert good.within
            assert not bad.within
        assert {bad.rows[0].loss == 0, good.rows[0].loss == 0} == {True, False}
    (check,) = crosscheck(lambda model: solve_numeric(model), [COSTS])
    assert check.within
    (check,) = crosscheck(lambda model: lambda x, t: -solve_numeric(model).value(x, t), [COSTS])  # the mutant
    assert not check.within


def test_quadrature_reproduces_the_least_cost():
    opinion = second.solve(COSTS, digits=20)
    cuts = [s.time.mid for s in opinion.switches]
    once = second.bellman(COSTS, opinion.estimate, "operating", 1, digits=20, breakpoints=cuts)
    assert abs(once - opinion.estimate("operating", 1)) < 1e-18


@pytest.mark.parametrize(
    "call",
    [
        lambda: ctucbvi.solve(COSTS, truncate=True),
        lambda: solve_numeric(COSTS, truncate=True),
        lambda: solve_certified(COSTS, truncate=True),
        lambda: second.solve(COSTS, truncate=True),
        lambda: ValueIteration(COSTS, truncate=True)[1],
        lambda: algorithm2(COSTS, "1/10"),
        lambda: grid_iteration(COSTS, steps=4, epsilon=1),
    ],
)
def test_costs_are_not_truncated(call):
    with pytest.raises(InputError, match="minimises costs, and truncation caps rewards") as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_learner_maximises():
    with pytest.raises(
        InputError, match=r"minimises costs, and the learner maximises .* pass model.plain\(\)"
    ):
        Settings.for_model(COSTS, episodes=10)
    assert Settings.for_model(COSTS.plain().with_rewards(1, 0), episodes=10)


@pytest.mark.parametrize("bad", ["least", "", "MIN", None, 1, "x" * 100])
def test_what_is_no_objective_is_one_line(bad):
    with pytest.raises(ModelError, match=r"^objective: .* is unknown; write 'max' or 'min'") as caught:
        replace(machine_repair(), objective=bad)
    assert len(str(caught.value)) < 100


def test_the_objective_is_part_of_the_model():
    assert replace(COSTS, objective="max") != COSTS
    assert COSTS.plain() == machine_repair()
    assert machine_repair().plain() is not None
    assert "objective" not in ctucbvi.dump_model(machine_repair())
    for kind in ("toml", "json"):
        assert ctucbvi.parse_model(ctucbvi.dump_model(COSTS, format=kind), format=kind) == COSTS


# --- certificates --------------------------------------------------------------------------


def text_of(model: CTMDP, semantics: str, tmp_path) -> str:
    path = tmp_path / "certificate.json"
    save_certificate(solve_certified(model, semantics), str(path))
    return path.read_text()


@pytest.mark.parametrize("semantics", ["committed", "adjustable"])
def test_a_certificate_names_its_objective_and_is_for_no_other(semantics, tmp_path):
    text = text_of(COSTS, semantics, tmp_path)
    document = json.loads(text)
    assert document["objective"] == "min"
    solution, claimed = read_certificate(text, COSTS)
    assert certify(solution).bound <= claimed
    exact = ctucbvi.solve(COSTS, semantics, digits=15)
    last = document["values"][-1]
    assert (
        abs(sum(order[0] for order in last) - float(exact.value("operating").mid)) < 1e-8
    )  # the cost itself
    rewards = replace(COSTS, objective=Objective.MAX)
    with pytest.raises(InputError, match="objective: 'min', but model 'machine-repair' asks for 'max'"):
        read_certificate(text, rewards)
    for lie in ("max", None, 1, ["min"], "MIN", "min ", ""):
        with pytest.raises(InputError, match=r"^objective: ") as caught:
            read_certificate(json.dumps({**document, "objective": lie}), COSTS)
        assert "\n" not in str(caught.value)
    document.pop("objective")  # a file from before there were costs is for rewards
    with pytest.raises(InputError, match="objective: 'max', but"):
        read_certificate(json.dumps(document), COSTS)
    # With the name changed it is read, and proves nothing that is not true of the other problem.
    other, _ = read_certificate(json.dumps({**document, "objective": "max"}), rewards)
    gap = abs(
        exact.value("operating").mid - ctucbvi.solve(rewards, semantics, digits=15).value("operating").mid
    )
    assert certify(other).bound >= gap > Fraction(1, 100)
    with pytest.raises(InputError, match="truncation caps rewards"):
        read_certificate(json.dumps({**document, "objective": "min", "truncate": True}), COSTS)


def test_two_thousand_damaged_certificates_of_costs_prove_nothing_false(tmp_path):
    draw, problems = random.Random(5), []
    for semantics in Semantics:
        for model in (COSTS, costs_of(ctucbvi.bundled_model("reachability"))):
            best = ctucbvi.solve(model, semantics, digits=15)
            truth = {x: best.value(x) for x in model.states}
            problems.append((model, truth, json.loads(text_of(model, str(semantics), tmp_path))))
    accepted, close, said = 0, 0, []
    for _ in range(2000):
        model, truth, document = draw.choice(problems)
        damaged = json.loads(json.dumps(document))
        for _ in range(draw.randint(1, 2)):
            damage(damaged, draw)
        try:
            solution, _ = read_certificate(json.dumps(damaged), model)
            proof = certify(solution)
            values = {x: proof.value(x) for x in model.states}
        except InputError as error:
            said.append(str(error))
            continue
        accepted += 1
        close += proof.bound < 0.1
        if str(solution.semantics) == document["semantics"]:
            assert all(values[x].overlaps(truth[x]) for x in model.states)
    assert not [text for text in said if "\n" in text]
    assert accepted > 400
    assert close > 100


def damage(document: dict, draw: random.Random) -> None:
    """Change one thing: a number, a hint, a sign, a piece, a name."""
    key = draw.choice(["values", "scores", "best", "times", "objective", "semantics", "sign", "piece"])
    if key in ("values", "scores") and document[key]:
        row = draw.choice(draw.choice(document[key]))
        row[draw.randrange(len(row))] += draw.choice((1e-12, -1e-6, 0.01, -1.0))
    elif key == "best":
        row = draw.choice(document["best"])
        row[draw.randrange(len(row))] = draw.randint(-1, 8)
    elif key == "times":
        document["times"][draw.randrange(len(document["times"]))] += draw.choice((1e-9, -0.1))
    elif key == "objective":
        document["objective"] = draw.choice(("max", "MIN", None))
    elif key == "semantics":
        document["semantics"] = draw.choice(("committed", "adjustable"))
    elif key == "sign":
        for name in ("values", "scores"):
            document[name] = [[[-n for n in row] for row in piece] for piece in document[name]]
    else:
        place = draw.randrange(len(document["best"]))
        for name in ("values", "scores", "best", "capped"):
            if document[name]:
                document[name].insert(place, document[name][place])


# --- lumps ---------------------------------------------------------------------------------


@settings(max_examples=25)
@given(model=models(max_states=3, max_load=6, lumps=True, objectives=("max", "min")))
def test_a_file_gives_a_model_with_lumps_back(model):
    for kind in ("toml", "json"):
        assert ctucbvi.parse_model(ctucbvi.dump_model(model, format=kind), format=kind) == model


def test_one_lump_for_all_targets_or_one_for_each():
    to = {"x": "1/3", "y": "2/3"}
    one = Transition.of("x", "a", rate=2, reward=1, to=to, lump="1/2")
    each = Transition.of("x", "a", rate=2, reward=1, to=to, lump={"x": "1/2", "y": "1/2"})
    assert one == each
    assert one.gain == 2
    assert Transition.of("x", "a", rate=2, reward=1, to=to, lump={"y": 3, "x": 0}).gain == 5
    assert Transition.of("x", "a", rate=0, reward=1).gain == 1


@pytest.mark.parametrize(
    ("lump", "message"),
    [
        ({"z": 1}, "'x', action 'a': a lump at the jump to 'z', where it never jumps; leave it out"),
        ("soon", "'x', action 'a': lump: 'soon' is not a number"),
        ({"y": float("inf")}, "lump at the jump to 'y': inf is not finite"),
    ],
)
def test_lumps_that_cannot_be_earned_are_one_line(lump, message):
    with pytest.raises(ModelError, match=message):
        Transition.of("x", "a", rate=2, reward=1, to={"y": 1}, lump=lump)


def test_without_jumps_there_are_no_lumps():
    with pytest.raises(ModelError, match="a lump of 2, but it never jumps"):
        Transition.of("x", "a", rate=0, reward=0, lump=2)
    still = Transition("x", "a", Fraction(0), Fraction(0), (("x", Fraction(1)),), (("x", Fraction(1)),))
    with pytest.raises(ModelError, match="a lump at a jump, but the rate is 0"):
        CTMDP.of("m", horizon=1, transitions=[still])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'lump = { repair = "1", operating = "2" }',
            "a lump at the jump to 'operating', where it never jumps",
        ),
        ('lump = { nowhere = "1" }', "lump: 'nowhere' is not one of the states"),
        ("lump = true", "lump: a number is needed, not true or false"),
        ("lump = []", "lump: a number is needed, not a list"),
        ('lump = { repair = "much" }', "lump: number of 'repair': 'much' is not a number"),
        ('lumps = "1"', "unknown key 'lumps'; did you mean 'lump'?"),
        ('objective = "min"', "unknown key 'objective'; move it out of the transition"),
    ],
)
def test_a_file_with_a_wrong_lump_is_one_line(line, message):
    text = ctucbvi.dump_model(machine_repair()).replace("[[transition]]\n", f"[[transition]]\n{line}\n", 1)
    with pytest.raises(ModelError) as caught:
        ctucbvi.parse_model(text, where="mine.toml")
    assert str(caught.value).startswith("mine.toml: transition 1")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_with_a_wrong_objective_is_one_line():
    for line, message in (('"least"', "mine.toml: objective: 'least' is unknown"), ("1", "a text is needed")):
        text = f"objective = {line}\n" + ctucbvi.dump_model(machine_repair())
        with pytest.raises(ModelError, match=message):
            ctucbvi.parse_model(text, where="mine.toml")
    twice = ctucbvi.dump_model(COSTS, format="json").replace("{", '{"objective": "max",', 1)
    with pytest.raises(ModelError, match="the key 'objective' is given twice"):
        ctucbvi.parse_model(twice, format="json")


def test_a_learner_does_not_know_what_lumps_earn():
    rows = tuple(
        replace(r, reward=Fraction(0), lump=((r.to[0][0], Fraction(1, 10)),)) for r in COSTS.transitions
    )
    model = replace(machine_repair(), transitions=rows)
    with pytest.raises(
        InputError, match=r"lumps at jumps: what they earn .* depends on rates and jumps, which"
    ):
        Settings.for_model(model, episodes=10)


def test_truncation_with_lumps_is_that_of_the_operator():
    """Operator by operator a lump is its rate, and so are the truncated iterates: by quadrature."""
    row = machine_repair().transitions[0]
    model = replace(
        machine_repair(),
        transitions=tuple(
            replace(r, lump=((r.to[0][0], Fraction(1, 4)),)) for r in machine_repair().transitions
        ),
    )
    assert model.plain().transitions[0].reward == row.reward + row.rate / 4
    iterate = ValueIteration(model, truncate=True, bits=64)
    first = iterate[1]
    # V_1 from V_0 = 0: min{t, max_a (r + λ/4)(1 - e^{-λt})/λ}, and the lump is in it.
    found = second.bellman(model, lambda x, t: 0, "operating", "1/10", digits=20)
    assert first.value("operating", "1/10").overlaps(ctucbvi.Enclosure(Fraction(1, 10), Fraction(1, 10)))
    plain = ValueIteration(model, bits=64)[1].value("operating", "1/10")
    assert abs(second.as_fraction(found) - plain.mid) < Fraction(1, 10**15)
    assert plain.mid > Fraction(1, 10)
    solution = ctucbvi.solve(model, truncate=True, digits=12)
    opinion = second.solve(model, truncate=True, digits=15)
    for x in model.states:
        assert solution.value(x).overlaps(opinion.value(x))
