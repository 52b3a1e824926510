"""Values that the graph alone tells: against policies one by one, and against what is solved."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

import ctucbvi
from ctucbvi import CTMDP, Budget, Policy, UndecidedError
from ctucbvi.exact import certain
from ctucbvi.exact.lumping import lump, unlumped
from ctucbvi.model import Semantics

T = ctucbvi.Transition.of
RATES = (0, 1, 2, Fraction(7, 2), 5)


def rows_of(draw: random.Random, states: list[str], pays: bool = False) -> list[ctucbvi.Transition]:
    """One to three actions a state, few targets each, so that much is not reached."""
    rows = []
    for x in states:
        for a in range(draw.randint(1, 3)):
            to = draw.sample(states, draw.randint(1, min(2, len(states))))
            weights = [draw.randint(1, 3) for _ in to]
            law = {y: Fraction(w, sum(weights)) for y, w in zip(to, weights, strict=True)}
            more = {"reward": draw.choice([0, 0, 0, 0, 1, -1]) if pays else 0}
            if pays and draw.random() < 0.2:
                more["terminal"] = draw.choice([0, 1, -1])
            rows.append(T(x, f"a{a}", rate=draw.choice(RATES), to=law, **more))
    return rows


def reaching(seed: int, objective: str) -> CTMDP:
    """A probability to reach a goal, sometimes without meeting some state before."""
    draw = random.Random(seed)
    states = [f"s{i}" for i in range(draw.randint(2, 6))]
    goal, other = draw.sample(states, 2)
    asked = {"goal": goal, "avoid": other} if draw.random() < 0.3 else {"goal": goal}
    horizon = draw.choice([1, 3])
    name = f"reaching-{seed}"
    return CTMDP.of(name, horizon=horizon, transitions=rows_of(draw, states), objective=objective, **asked)


def paying(seed: int) -> CTMDP:
    """Gains and losses, ends that depend on the action, and much that is 0."""
    draw = random.Random(seed)
    states = [f"s{i}" for i in range(draw.randint(2, 5))]
    ends = {x: draw.choice([0, 0, 1, -1]) for x in states} if draw.random() < 0.5 else {}
    rows = rows_of(draw, states, pays=True)
    objective = draw.choice(["max", "min"])
    return CTMDP.of(f"paying-{seed}", horizon=2, transitions=rows, terminal=ends, objective=objective)


def never(model: CTMDP) -> list[set[str]]:
    """For every choice of one action a state: the states from which the goal is not reached."""
    menus = [[row for row in model.transitions if row.state == x] for x in model.states]
    goal = {x for x, g in zip(model.states, model.terminal, strict=True) if g}
    found = []
    for rows in product(*menus):
        after = {row.state: {y for y, _ in row.to} if row.rate else set() for row in rows}
        reached = {x: {x} for x in model.states}
        for _ in model.states:
            reached = {x: some.union(*(after[y] for y in some)) for x, some in reached.items()}
        found.append({x for x, some in reached.items() if not some & goal})
    return found


def told(model: CTMDP, semantics: Semantics, **more: object) -> dict[str, Fraction]:
    """What the module says, by state, in the model's own sign."""
    quotient = lump(model.plain(semantics=semantics))
    known = certain.certain_values(quotient, semantics, **more)
    classes = zip(model.states, quotient.class_of, strict=True)
    return {x: model.objective.turned(known[c]) for x, c in classes if c in known}


def wrong(seeds: range) -> Iterator[tuple[int, str]]:
    """Models in which the graph tells other zeros or ones than policies do."""
    for seed in seeds:
        for objective in ("max", "min"):
            model = reaching(seed, objective)
            each = never(model)
            zeros = set.union(*each) if objective == "min" else set.intersection(*each)
            ones = {x for x, g in zip(model.states, model.terminal, strict=True) if g}
            truth = {**dict.fromkeys(zeros, 0), **dict.fromkeys(ones, 1)}
            for semantics in Semantics:
                if told(model, semantics) != truth:
                    yield seed, objective


def test_zeros_and_ones_are_those_of_all_policies():
    assert not list(wrong(range(600)))


@pytest.mark.thorough
def test_zeros_and_ones_of_thousands_of_models():
    assert not list(wrong(range(600, 20_000)))


def without_rates(pairs, size):
    """A mutant: jumps of rate 0 count."""
    return [[i for i, pair in enumerate(pairs) for y, _ in pair.to if y == x] for x in range(size)]


_fallen = certain._fallen
MUTANTS = {
    "one bad choice is enough": ("_fallen", lambda *given: _fallen(*given[:4], any)),
    "one good choice is enough": ("_fallen", lambda *given: _fallen(*given[:4], all)),
    "only one step is looked at": (
        "_fallen",
        lambda pairs, size, into, bad, which: _fallen(pairs, size, [[] for _ in into], bad, which),
    ),
    "jumps that never come": ("_into", without_rates),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name, monkeypatch):
    monkeypatch.setattr(certain, *MUTANTS[name])
    assert next(wrong(range(600)), None)


@pytest.mark.parametrize("semantics", Semantics)
def test_least_probabilities_that_are_0_are_proved_to_be_0(semantics):
    seen = 0
    for seed in range(60):
        model = reaching(seed, "min")
        zeros = set.union(*never(model))
        solution = ctucbvi.solve(model, semantics, digits=12)
        for x in zeros:
            for t in (0, Fraction(1, 3), model.horizon):
                value = solution.value(x, t)
                assert value.lower == value.upper == 0, (seed, x, t)
            seen += 1
        assert all(solution.value(x).lower > 0 for x in model.states if x not in zeros)
        assert not [d for d in solution.undecided if d.state in zeros]
    assert seen > 90


def contradicted(seeds: range) -> Iterator[int]:
    """Models with gains and losses in which a solution excludes what the graph tells."""
    budget = Budget(seconds=5)
    for seed in seeds:
        model = paying(seed)
        for semantics in Semantics:
            known = told(model, semantics)
            try:
                solution = ctucbvi.solve(model, semantics, digits=6, resolve_policy=False, budget=budget)
            except UndecidedError:
                continue
            solution.__dict__["certain"] = {}  # what is computed, and not what the graph tells
            for x, value in known.items():
                if not all(solution.value(x, t).contains(value) for t in (0, Fraction(1, 7), 2)):
                    yield seed


def test_what_is_told_of_gains_and_losses_is_what_is_solved():
    assert not list(contradicted(range(80)))
    assert sum(bool(told(paying(seed), Semantics.COMMITTED)) for seed in range(80)) > 40


@pytest.mark.thorough
def test_gains_and_losses_of_thousands_of_models():
    assert not list(contradicted(range(80, 3000)))


def test_a_bound_from_one_side_is_not_enough(monkeypatch):
    """A mutant: nobody asks whether more may be earned."""
    monkeypatch.setattr(
        certain,
        "_fallen",
        lambda *given: [False] * given[1] if any(p.reward > 0 for p in given[0]) else _fallen(*given),
    )
    assert next(contradicted(range(80)), None) is not None


def test_a_policy_is_told_what_it_does_and_not_what_could_be_done():
    rows = [
        T("x", "stay", rate=1, reward=0, to={"x": 1}),
        T("x", "go", rate=1, reward=0, to={"y": 1}),
        T("y", "a", rate=1, reward=0, to={"y": 1}),
    ]
    model = CTMDP.of("stay", horizon=1, transitions=rows, goal="y", objective="min")
    for semantics in Semantics:
        assert ctucbvi.solve(model, semantics).value("x").upper == 0
        going = ctucbvi.evaluate(Policy.of(model, {"x": [(0, "stay"), ("1/2", "go")], "y": "a"}), semantics)
        assert going.value("x").lower > Fraction(1, 5)
        staying = ctucbvi.evaluate(Policy.of(model, {"x": "stay", "y": "a"}), semantics)
        assert staying.value("x").lower == staying.value("x").upper == 0
        assert staying.value("y").lower == staying.value("y").upper == 1


def test_truncation_caps_what_would_be_constant():
    row = T("x", "a", rate=1, reward=0, to={"x": 1})
    model = CTMDP.of("capped", horizon=1, transitions=[row], terminal={"x": 1})
    quotient = unlumped(model)
    assert certain.certain_values(quotient, Semantics.COMMITTED) == {0: 1}
    assert certain.certain_values(quotient, Semantics.COMMITTED, truncate=True) == {}
    assert ctucbvi.solve(model, truncate=True).value("x", "1/3").contains(Fraction(1, 3))
