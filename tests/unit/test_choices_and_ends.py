"""What an action earns when it is chosen, and at the end if it is held then."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import CTMDP, InputError, ModelError, Policy, Semantics, Transition, ValueIteration, discounted
from ctucbvi import second_opinion as second
from ctucbvi.crosscheck import Routes, compare, random_models, smallest_failure
from ctucbvi.exact.iteration_bounds import erlang_bound
from ctucbvi.learning.settings import Settings
from ctucbvi.modelfile import dump_model, parse_model
from ctucbvi.numeric import certify, evaluate_numeric, grid_iteration, solve_numeric
from ctucbvi.numeric.files import read_certificate, save_certificate
from ctucbvi.peers import PeerUnsuitableError, extrapolated, goals
from ctucbvi.strategies import models, times
from tests.opinions import random_model

COMMITTED, ADJUSTABLE = Semantics.COMMITTED, Semantics.ADJUSTABLE
drawn = models(max_states=3, max_load=6, lumps=True, choices=True, ends=True, objectives=("max", "min"))
last_only = models(max_states=3, max_load=6, lumps=True, ends=True, objectives=("max", "min"))


def one_state(rate: object, *rows: dict[str, object], horizon: object = 2) -> CTMDP:
    """A state that jumps back to itself, with one action for each of the rows."""
    to = {"x": 1} if rate else None
    acts = [Transition.of("x", f"a{i}", rate=rate, to=to, **row) for i, row in enumerate(rows)]
    return CTMDP.of("one", horizon=horizon, transitions=acts)


# --- against closed forms ---------------------------------------------------------------------


def test_every_jump_is_a_choice_anew():
    """From n(t) jumps, Poisson with mean λt, there are 1 + n(t) choices: V = c(1 + λt) + rt + g."""
    model = one_state("3/2", {"reward": "1/5", "choice": "-1/3", "terminal": "1/7"})
    for t in (Q(1, 9), Q(2)):
        wanted = -Q(1, 3) * (1 + Q(3, 2) * t) + t / 5 + Q(1, 7)
        assert ctucbvi.solve(model).value("x", t).contains(wanted)
        assert certify(solve_numeric(model)).value("x", t).contains(wanted)
        assert second.solve(model).value("x", t).contains(wanted)


def test_what_is_held_for_ever_pays_once():
    rows = {"reward": 1, "choice": -1}, {"reward": "1/4", "terminal": "1/8"}
    solution = ctucbvi.solve(one_state(0, *rows), digits=20)
    assert solution.value("x", "1/2").contains(Q(1, 4))  # t/4 + 1/8, and t - 1 from t = 3/2 on
    assert solution.value("x").contains(Q(1))
    assert [s.time.contains(Q(3, 2)) for s in solution.switches] == [True]
    assert solution.value("x", 0).contains(Q(1, 8))  # the limit, where nothing is chosen any more


@settings(max_examples=8)
@given(model=drawn, data=st.data())
def test_a_policy_pays_for_choices_what_lumps_at_the_jumps_to_its_states_would(model, data):
    """Under one action per state, to choose it is to enter the state: an expanded model without choices."""
    chosen = {x: data.draw(st.sampled_from(model.actions_of(x))) for x in model.states}
    rows = {row.state: row for row in model.transitions if row.action == chosen[row.state]}
    expanded = []
    for row in rows.values():
        paid = dict(row.lump)
        lumps = {y: paid.get(y, Q(0)) + rows[y].choice for y, _ in row.to} if row.rate else {}
        kept = tuple((y, c) for y, c in lumps.items() if c)
        expanded.append(replace(row, lump=kept, choice=Q(0), terminal=None))
    ends = tuple(
        model.terminal[i] if rows[x].terminal is None else rows[x].terminal
        for i, x in enumerate(model.states)
    )
    without = replace(model, transitions=tuple(expanded), terminal=ends)
    t = data.draw(times(model))
    mine = ctucbvi.evaluate(Policy.of(model, chosen), digits=12)
    fast = evaluate_numeric(Policy.of(model, chosen))
    theirs = ctucbvi.solve(without, digits=12)  # there is nothing to decide in it
    for x in model.states:
        wanted = theirs.value(x, t) + rows[x].choice
        assert mine.value(x, t).overlaps(wanted)
        assert abs(fast.value(x, t) - float(wanted.mid)) < 1e-6 * (1 + float(model.value_scale))
        assert second.evaluate(model, Policy.of(model, chosen), digits=12).value(x, t).overlaps(wanted)


@settings(max_examples=8)
@given(model=last_only, truncate=st.booleans())
def test_the_adjustable_problem_ends_with_the_best_of_each_state(model, truncate):
    truncate = truncate and model.objective == "max"
    best = max if model.objective == "max" else min
    found: dict[str, list[Q]] = {}
    for row in model.transitions:
        end = model.terminal[model.state_index(row.state)] if row.terminal is None else row.terminal
        found.setdefault(row.state, []).append(end)
    ends = tuple(best(found[x]) for x in model.states)
    rows = tuple(replace(row, terminal=None) for row in model.transitions)
    plain = replace(model, transitions=rows, terminal=ends)
    one, other = (ctucbvi.solve(m, ADJUSTABLE, digits=12, truncate=truncate) for m in (model, plain))
    opinion = second.solve(model, ADJUSTABLE, digits=12, truncate=truncate)
    proof = certify(solve_numeric(model, ADJUSTABLE, truncate=truncate))
    for x in model.states:
        for known in (one, opinion, proof):
            assert known.value(x).overlaps(other.value(x))
    if not truncate:  # what is best is the same policy, under which the last choice is free as well
        assert all(
            ctucbvi.evaluate(one.policy(), ADJUSTABLE).value(x).overlaps(one.value(x)) for x in model.states
        )


# --- planners against each other --------------------------------------------------------------


def richer(seed: int) -> CTMDP:
    """A random model of small fractions with all that a transition may have."""
    draw, model = random.Random(seed), random_model(seed)
    rows = tuple(
        replace(
            row,
            lump=tuple((y, Q(n, 6)) for y, _ in row.to if row.rate and (n := draw.randint(-2, 2))),
            choice=Q(draw.randint(-3, 3), 5),
            terminal=None if draw.random() < 0.4 else Q(draw.randint(-3, 3), 4),
        )
        for row in model.transitions
    )
    return replace(model, transitions=rows, objective=("max", "min")[seed % 2])


@pytest.mark.parametrize("chunk", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(1, 100))])
def test_two_thousand_random_models_agree_with_the_second_opinion_which_reduces_nothing(chunk):
    for seed in range(20 * chunk, 20 * chunk + (20 if chunk else 6)):
        model, semantics = richer(seed), list(Semantics)[seed // 2 % 2]
        if semantics is ADJUSTABLE:
            model = replace(model, transitions=tuple(replace(r, choice=Q(0)) for r in model.transitions))
        truncate = model.objective == "max" and seed % 3 == 0
        solution = ctucbvi.solve(model, semantics, digits=12, resolve_policy=False, truncate=truncate)
        opinion = second.solve(model, semantics, digits=15, truncate=truncate)
        proof = certify(solve_numeric(model, semantics, truncate=truncate))
        for x in model.states:
            assert solution.value(x).overlaps(opinion.value(x)), seed
            assert solution.value(x).overlaps(proof.value(x)), seed
            assert abs(solution.value(x).mid) <= model.value_scale


@settings(max_examples=6)
@given(model=drawn)
def test_the_best_policy_is_worth_the_value_and_quadrature_reproduces_it(model):
    solution = ctucbvi.solve(model, digits=12)
    worth = ctucbvi.evaluate(solution.policy(), digits=12)
    turned = model.objective.turned
    slack = (
        2 * sum((s.time.width for s in solution.switches), Q(0)) * (1 + model.max_rate) * model.value_scale
    )
    for x in model.states:
        assert turned(worth.value(x)).upper + slack >= turned(solution.value(x)).lower


def test_quadrature_of_the_definition_pays_them_too():
    model = richer(4)
    opinion = second.solve(model, digits=15)
    cuts = [s.time.mid for s in opinion.switches]
    for x in model.states:
        again = second.bellman(model, opinion.estimate, x, model.horizon, digits=12, breakpoints=cuts)
        assert abs(again - opinion.estimate(x, model.horizon)) < 1e-10


@settings(max_examples=4)
@given(model=models(max_states=2, max_load=3, choices=True, ends=True), data=st.data())
def test_value_iteration_comes_as_near_as_it_says_and_the_grid_as_it_should(model, data):
    t = data.draw(times(model))
    solution, iterate = ctucbvi.solve(model, digits=10), ValueIteration(model, bits=64)[3]
    grid = grid_iteration(model, steps=512, epsilon="1e-9", truncate=False)
    for x in model.states:
        value, off = solution.value(x, t), erlang_bound(model, 3, t).upper
        near = iterate.value(x, t)
        assert near.lower - off <= value.upper
        assert value.lower <= near.upper + off
        steep = float(model.max_reward + 2 * model.max_rate * model.value_scale) * float(model.horizon)
        assert abs(grid.value(x, t) - float(value.mid)) <= 1e-6 + 0.02 * steep


# --- mutants ----------------------------------------------------------------------------------


def _starts(model: CTMDP) -> list[Q]:
    return [pair.start for pair in model.pairs]


MUTANTS = {
    "λc is forgotten": lambda m, row, start: {"reward": row.reward, "terminal": start},
    "c is counted at jumps": lambda m, row, start: {"reward": row.gain, "terminal": start - row.choice},
    "c is counted once only": lambda m, row, start: {
        "reward": row.gain - row.rate * row.choice, "terminal": start
    },
    "the state's terminal reward counts": lambda m, row, start: {
        "reward": row.gain, "terminal": row.choice + m.terminal[m.state_index(row.state)]
    },
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_planner_that_reduces_otherwise_disagrees(mutant):
    def wrong(model: CTMDP, *args: object, **options: object):
        rows = tuple(
            replace(row, choice=Q(0), **MUTANTS[mutant](model, row, start))
            for row, start in zip(model.transitions, _starts(model), strict=True)
        )
        return ctucbvi.solve(replace(model, transitions=rows), *args, **options)

    model = replace(richer(1), objective="max")
    model = replace(model, transitions=tuple(replace(row, lump=()) for row in model.transitions))
    assert compare(model).agrees
    found = compare(model, routes=Routes(exact=wrong))
    assert {complaint.who for complaint in found.complaints} >= {"second opinion", "certificate"}


def test_a_failing_model_is_made_smaller_but_keeps_what_makes_it_fail():
    def fails(model: CTMDP) -> bool:
        return any(row.choice for row in model.transitions) and len(model.start) > 1

    big = next(model for model in random_models(8, 5, ends=True, choices=True) if fails(model))
    small = smallest_failure(fails, big)
    assert fails(small)
    assert len(small.states) == len(small.start) == 2
    assert sum(bool(row.choice) for row in small.transitions) == 1
    assert all(row.terminal is None for row in small.transitions)
    assert not any(model.pays_choices for model in random_models(8, 5))


# --- ways in and out --------------------------------------------------------------------------

everything = models(lumps=True, choices=True, ends=True, starts=True, objectives=("max", "min"))


@settings(max_examples=15)
@given(everything)
def test_files_frames_and_lists_give_the_model_back(model):
    for form in ("toml", "json"):
        assert parse_model(dump_model(model, format=form), format=form) == model
    flat = model.sparse
    numbers = {
        key: None if part is None else part.fractions()
        for key, part in (("lumps", flat.lump), ("choice", flat.choice), ("pair_terminal", flat.terminal))
    }
    start = dict(model.start)
    lazy = CTMDP.from_sparse(
        (flat.state, flat.action),
        flat.rate.fractions(),
        flat.reward.fractions(),
        ([i for i, row in enumerate(model.transitions) for _ in row.to], flat.target),
        flat.probability.fractions() if len(flat.target) else [],
        horizon=model.horizon,
        terminal=list(model.terminal),
        initial=[start.get(x, 0) for x in model.states],
        states=model.states,
        actions=model.actions,
        name=model.name,
        objective=model.objective,
        **numbers,
    )
    known = (model.value_scale, model.max_start, model.pays_choices, model.pays_at_end, model.ends)
    assert (lazy.value_scale, lazy.max_start, lazy.pays_choices, lazy.pays_at_end, lazy.ends) == known
    assert lazy.plain() == model.plain()
    assert (lazy, lazy.digest) == (model, model.digest)


def test_a_frame_has_them(tmp_path):
    pytest.importorskip("pandas")
    model = richer(3)
    told = {
        "states": model.states,
        "actions": model.actions,
        "objective": model.objective,
        "name": model.name,
    }
    ends = dict(zip(model.states, model.terminal, strict=True))
    frame = model.to_frame()
    assert CTMDP.from_frame(frame, horizon=model.horizon, terminal=ends, **told) == model
    bare = frame.drop(columns=["choice", "terminal", "lump"])
    without = tuple(replace(row, choice=Q(0), terminal=None, lump=()) for row in model.transitions)
    assert CTMDP.from_frame(bare, horizon=model.horizon, terminal=ends, **told) == replace(
        model, transitions=without
    )
    with pytest.raises(ModelError, match=r"choice .* is not that of row"):
        CTMDP.from_frame(frame.assign(choice=range(len(frame))), horizon=1)


def test_arrays_and_generators_have_them():
    told = {"choice": [["1/2", 0]], "pair_terminal": [[0, -1]], "horizon": 1}
    model = CTMDP.from_arrays([[1, 2]], [[0, 1]], [[[1], [1]]], **told)
    assert [(row.choice, row.terminal) for row in model.transitions] == [(Q(1, 2), None), (Q(0), Q(-1))]
    other = CTMDP.from_generator({"a": [[-1, 1], [1, -1]]}, [[0], [1]], horizon=1, choice=[[1], [2]])
    assert [row.choice for row in other.transitions] == [1, 2]
    with pytest.raises(ModelError, match=r"arrays: choice \(1,\); need \(1, 2\)"):
        CTMDP.from_arrays([[1, 2]], [[0, 1]], [[[1], [1]]], horizon=1, choice=[1])


def test_a_digest_knows_them_and_a_terminal_reward_that_is_the_states_own_is_none():
    model = one_state(1, {"reward": 1})
    row = model.transitions[0]
    same = replace(model, transitions=(replace(row, terminal=Q(0)),))
    assert same == model
    others = [replace(model, transitions=(replace(row, **{k: Q(1)}),)) for k in ("choice", "terminal")]
    assert len({m.digest for m in (model, *others)}) == 3
    assert "choice" not in repr(model)
    assert "choice=Fraction(1, 1)" in repr(others[0])
    assert "at the end" in others[1]._repr_html_()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('choice = "x"', "transition 1 (state 'x', action 'a'): choice: 'x' is not a number"),
        (
            "choice = true",
            "transition 1 (state 'x', action 'a'): choice: a number is needed, not true or false",
        ),
        ('terminal = { x = "1" }', "(state 'x', action 'a'): terminal: a number is needed, not a table"),
        ('choise = "1"', "transition 1: unknown key 'choise'; did you mean 'choice'?"),
    ],
)
def test_mistakes_in_files(line, message):
    head = 'name = "m"\nhorizon = "1"\ninitial = "x"\nstates = ["x"]\nactions = ["a"]\n[[transition]]\n'
    text = head + f'state = "x"\naction = "a"\nrate = "0"\nreward = "1"\n{line}\n'
    with pytest.raises(InputError) as caught:
        parse_model(text, where="m.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- where they have no place, and where they have --------------------------------------------


def test_the_adjustable_problem_has_no_rewards_for_choosing(tmp_path):
    model = one_state(1, {"reward": 1, "choice": "-1/2"})
    policy, file = Policy.of(model, {"x": "a0"}), tmp_path / "c.json"
    save_certificate(certify(solve_numeric(model)), str(file))
    claim = (
        file.read_text()
        .replace('"committed"', '"adjustable"')
        .replace('"scores": [[[', '"scores": [], "s": [[[')
    )
    tried = [
        lambda: ctucbvi.solve(model, ADJUSTABLE),
        lambda: solve_numeric(model, ADJUSTABLE),
        lambda: second.solve(model, ADJUSTABLE),
        lambda: second.evaluate(model, policy, ADJUSTABLE),
        lambda: ctucbvi.evaluate(policy, ADJUSTABLE),
        lambda: evaluate_numeric(policy, ADJUSTABLE),
        lambda: read_certificate(claim, model),
        lambda: certify(replace(solve_numeric(model), semantics=ADJUSTABLE)),
        lambda: model.plain(semantics="adjustable"),
    ]
    for attempt in tried:
        with pytest.raises(InputError, match="has rewards for choosing"):
            attempt()


def test_learners_and_storm_refuse_them_with_the_reason():
    told = {"episodes": 3, "delta": "1/10"}
    for row in ({"choice": "-1/2"}, {"choice": "-1/2", "terminal": "1/2"}):  # the plain form ends with 0
        with pytest.raises(InputError, match="has rewards for choosing an action, and the learner knows"):
            Settings.for_model(one_state(1, {"reward": 1, **row}), **told)
    with pytest.raises(InputError, match="has a terminal reward"):
        Settings.for_model(one_state(1, {"reward": 1, "terminal": 1}), **told)
    for row, why in (({"choice": 1}, "for choosing it"), ({"terminal": 1}, "at the end if it is held")):
        with pytest.raises(
            PeerUnsuitableError, match=f"a reward {why}; a reachability problem rewards states"
        ):
            goals(one_state(1, {"reward": 0, **row}))


def test_backward_induction_begins_with_the_best_end():
    """What quantecon is asked, computed here: Euler's method for the adjustable problem."""
    import numpy as np

    from ctucbvi.peers import discretised

    def induct(model: CTMDP, steps: int):
        rewards, rows, states, _ = discretised(model, steps)
        value = np.array([float(g) for g in model.ends])
        for _ in range(steps):
            ahead = rewards + rows @ value
            value = np.array([ahead[states == x].max() for x in range(len(model.states))])
        return value

    model = replace(richer(2), objective="max")
    model = replace(model, transitions=tuple(replace(row, choice=Q(0)) for row in model.transitions))
    values, error = extrapolated(model.plain(), 1e-4, induct)
    for x, found in zip(model.states, values, strict=True):
        assert abs(found - float(ctucbvi.solve(model, ADJUSTABLE).value(x).mid)) <= 2 * error


def test_discount_and_other_units():
    """c + g e^{-βt} for what is held for ever; the state that ends it all has neither."""
    model = one_state(0, {"reward": 0, "choice": 3, "terminal": 2}, horizon=1)
    found = ctucbvi.solve(discounted(model, "1/2"), digits=12).value("x")
    assert abs(float(found.mid) - (3 + 2 * 2.718281828459045**-0.5)) < 1e-9
    twice = ctucbvi.solve(model.with_rewards(2, 1), digits=12).value("x")
    assert twice.contains(Q(2 * 5 + 1))


def test_gymnasium_pays_them():
    pytest.importorskip("gymnasium")
    from ctucbvi.environments import Episodes

    env = Episodes(one_state(0, {"reward": "1/2", "choice": 3, "terminal": "1/4"}))
    env.reset(seed=0)
    assert env.step(0)[1:3] == (3 + 1 + 0.25, True)
