"""Markov automata of any shape: the committed problem has the value of the automaton's own equation."""

from __future__ import annotations

import random
import sys
from fractions import Fraction as Q
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, ModelError
from ctucbvi.modelfile import automata, drn

Row = dict[int, Q]
Automaton = list[tuple[Q, Q, list[tuple[Q, Row]]]]  # of a state: rate, reward, lump and row of its actions


def law(chance: random.Random, targets: list[int]) -> Row:
    chosen = chance.sample(targets, chance.randint(1, min(3, len(targets))))
    parts = [chance.randint(1, 3) for _ in chosen]
    return {y: Q(p, sum(parts)) for y, p in zip(chosen, parts, strict=True)}


def drawn(seed: int, again: bool = False) -> Automaton:
    """Choices lead to later choices or to waiting, waiting to anything; all of them may earn something.

    With ``again`` choices may also lead back to where they are made, but not for sure.
    """
    chance = random.Random(seed)
    choosing, size = chance.randint(2, 4), chance.randint(5, 8)
    found: Automaton = []
    for x in range(choosing):
        count = chance.randint(1, 3) if x else 2
        later = list(range(x + 1, size)) + [x] * again
        ways = [(Q(chance.randint(-2, 2), 2), law(chance, later)) for _ in range(count)]
        ways = [(lump, row if row != {x: 1} else {x: Q(2, 5), size - 1: Q(3, 5)}) for lump, row in ways]
        found.append((Q(0), Q(0), ways))
    for _ in range(choosing, size):
        rate, reward = Q(chance.randint(1, 6), chance.randint(1, 3)), Q(chance.randint(0, 4), 4)
        found.append((rate, reward, [(Q(chance.randint(-1, 2), 4), law(chance, list(range(size))))]))
    return found


def written(automaton: Automaton, labels: dict[int, str]) -> str:
    """In Storm's format; the first state is the initial one."""
    count = sum(len(choices) for _, _, choices in automaton)
    lines = ["@type: Markov Automaton", "@parameters", "", "@reward_models", "r"]
    lines += ["@nr_states", str(len(automaton)), "@nr_choices", str(count), "@model"]
    for x, (rate, reward, choices) in enumerate(automaton):
        lines.append(f"state {x} !{rate} [{reward}] {labels.get(x, '') if x else 'init'}".rstrip())
        for k, (lump, row) in enumerate(choices):
            lines += [f"\taction a{k} [{lump}]", *(f"\t\t{y} : {p}" for y, p in row.items())]
    return "\n".join(lines) + "\n"


def integrated(automaton: Automaton, over: dict[int, float]) -> float:
    """The value at the horizon 1 by Runge and Kutta's method, from the equation of the automaton itself.

    A state that waits has V' = r + λ(lump + Σ p V - V); one that chooses the best of lump + Σ p V, at once.
    """

    def mean(values: np.ndarray, choice: tuple[Q, Row]) -> float:
        return float(choice[0]) + sum(float(p) * values[y] for y, p in choice[1].items())

    def filled(waiting: np.ndarray) -> np.ndarray:
        values = waiting.copy()
        for x in reversed(range(len(automaton))):  # a choice leads to later states, or back to its own
            if x in over:
                values[x] = over[x]
            elif not automaton[x][0]:
                values[x] = 0.0
                ways = [(mean(values, choice), float(choice[1].get(x, 0))) for choice in automaton[x][2]]
                for _ in range(60 if any(back for _, back in ways) else 1):
                    values[x] = max(other + back * values[x] for other, back in ways)
        return values

    def slope(waiting: np.ndarray) -> np.ndarray:
        values, found = filled(waiting), np.zeros(len(automaton))
        for x, (rate, reward, choices) in enumerate(automaton):
            if rate and x not in over:
                found[x] = float(reward) + float(rate) * (mean(values, choices[0]) - values[x])
        return found

    values, steps = np.zeros(len(automaton)), 200
    for _ in range(steps):
        a = slope(values)
        b = slope(values + a / (2 * steps))
        c = slope(values + b / (2 * steps))
        d = slope(values + c / steps)
        values = values + (a + 2 * b + 2 * c + d) / (6 * steps)
    return float(filled(values)[0])


def read(text: str, *refusals: str, **options: str) -> CTMDP | None:
    """The model; nothing if it is refused for one of these reasons."""
    try:
        return drn.parse_drn(text, horizon=1, **options)
    except ModelError as error:
        if not any(reason in str(error) for reason in refusals):
            raise
        return None


def difference(seed: int, again: bool = False) -> float:
    """Between the model's value at the initial state and that of the automaton's equation."""
    automaton = drawn(seed, again)
    model = drn.parse_drn(written(automaton, {}), horizon=1, reward="r")
    return abs(float(ctucbvi.solve(model, digits=6).value(model.initial).mid) - integrated(automaton, {}))


def test_rewards_of_random_automata():
    assert max(difference(seed) for seed in range(60)) < 2e-5
    known = [drawn(seed) for seed in range(60)]
    assert len({tuple(len(choices) for rate, _, choices in one if not rate) for one in known}) > 15


def test_choosing_again():
    assert max(difference(seed, again=True) for seed in range(8)) < 2e-5
    text = written(
        [(Q(0), Q(0), [(Q(1), {0: Q(1)}), (Q(0), {1: Q(1)})]), (Q(1), Q(0), [(Q(0), {0: Q(1)})])], {}
    )
    with pytest.raises(ModelError, match="state 0 comes back to itself without any time"):
        drn.parse_drn(text, horizon=1)


@pytest.mark.thorough
def test_choosing_again_in_many_automata():
    assert max(difference(seed, again=True) for seed in range(8, 400)) < 2e-5


def difference_at_goal(seed: int) -> float | None:
    """The same for reaching a goal before what is to be avoided; None where it cannot be reached."""
    automaton = [(rate, Q(0), [(Q(0), row) for _, row in choices]) for rate, _, choices in drawn(seed)]
    good, bad = len(automaton) - 1, len(automaton) - 2
    text = written(automaton, {good: "goal", bad: "bad"})
    model = read(text, "can be reached", goal="goal", avoid="bad")
    if model is None:
        return None
    found = ctucbvi.solve(model, digits=6).value(model.initial)
    return abs(float(found.mid) - integrated(automaton, {good: 1.0, bad: 0.0}))


def test_until_a_goal_that_may_be_reached_at_once():
    found = [gap for seed in range(50) if (gap := difference_at_goal(seed)) is not None]
    assert max(found) < 2e-5
    assert len(found) > 30


GAPS = {
    "the wait goes on elsewhere": (
        "flow[m] = flow.get(m, Fraction(0)) +",
        "flow[min(chances)] = flow.get(min(chances), Fraction(0)) +",
    ),
    "no lumps on the way": ("earned + row[w] * (c + q * lump)", "earned + row[w] * c"),
    "one way on after a choice": ("in product(*after)", "in [[ways[0] for ways in after]]"),
    "rewards of all that may be": ("chances[m] * wait[1]", "wait[1]"),
    "lumps at the pace of one": ("chances[m] * pace * earned", "chances[m] * rate * earned"),
    "choices that follow earn nothing": ("p * plan[2] for p, plan", "0 * plan[2] for p, plan"),
    "a choice earns nothing": ("choice=earned,", "choice=Fraction(0),"),
    "choosing again earns once": ("row.items()}, earned / leaves", "row.items()}, earned"),
    "coming back is lost": ("{y: p / leaves for", "{min(row): _ONE for"),
    "no goal at once": ("terminal=there if there else None", "terminal=None"),
}  # fmt: skip


@pytest.mark.parametrize("gap", GAPS)
def test_a_gap_in_the_reductions_is_seen(gap):
    text = Path(automata.__file__).read_text()
    assert text.count(GAPS[gap][0]) == 1
    broken = ModuleType("broken")
    with patch.dict(sys.modules, {"broken": broken}):  # dataclasses look their module up
        exec(text.replace(*GAPS[gap]), broken.__dict__)
    with patch.object(drn, "Translation", broken.Translation):
        gaps = difference_at_goal if "goal" in gap else difference
        told = {"again": True} if "again" in gap or "back" in gap else {}
        assert any((gaps(seed, **told) or 0) > 1e-3 for seed in range(80))


def test_more_ways_than_can_be_listed_are_refused():
    either = {1: Q(1, 2), 2: Q(1, 2)}
    wide: Automaton = [(Q(0), Q(0), [(Q(0), either)] * 2)]
    wide += [(Q(0), Q(0), [(Q(0), {3: Q(1)})] * 40) for _ in range(2)]
    wide += [(Q(1), Q(0), [(Q(0), {0: Q(1)})])]
    with pytest.raises(ModelError, match="more than 1000 ways to choose at one moment; decide less"):
        drn.parse_drn(written(wide, {}), horizon=1)


def immediate(*rows: Row, lump: Q = Q(0)) -> Automaton:
    """A state that waits, states that lead on at once as the rows say, and the one that they lead to."""
    waits: Automaton = [(Q(1), Q(0), [(Q(0), {1: Q(1)})])]
    ends: Automaton = [(Q(2), Q(1), [(Q(0), {0: Q(1)})])]
    return waits + [(Q(0), Q(0), [(lump, row)]) for row in rows] + ends


def begun_at(first: int, automaton: Automaton) -> str:
    """The file of the automaton with another initial state."""
    text = written(automaton, {}).replace(" init", "")
    return text.replace(
        f"state {first} !{automaton[first][0]} [0]", f"state {first} !{automaton[first][0]} [0] init"
    )


def test_thousands_of_states_in_a_row_take_no_time():
    size = 3000
    row = immediate(*({i + 1: Q(1)} for i in range(1, size)), {size + 1: Q(1)}, lump=Q(1, 8))
    model = drn.parse_drn(written(row, {}), horizon=1, reward="r")
    assert model.states == ("0", str(size + 1))
    assert model.transitions[0].to == ((str(size + 1), Q(1)),)
    assert model.transitions[0].lump == ((str(size + 1), Q(size, 8)),)
    chosen = drn.parse_drn(begun_at(1, row), horizon=1, reward="r")
    assert [(row.action, row.choice) for row in chosen.transitions if row.state == "1"] == [
        ("a0", Q(size, 8))
    ]


def test_ways_that_meet_again_are_not_followed_one_by_one():
    """2^60 ways, and three times as many states."""
    rows: list[Row] = []
    for i in range(1, 181, 3):
        rows += [{i + 1: Q(1, 3), i + 2: Q(2, 3)}, {i + 3: Q(1)}, {i + 3: Q(1)}]
    meshed = immediate(*rows, lump=Q(1))
    model = drn.parse_drn(written(meshed, {}), horizon=1, reward="r")
    assert model.transitions[0].to == (("181", Q(1)),)
    assert model.transitions[0].lump == (("181", Q(120)),)
    chosen = drn.parse_drn(begun_at(1, meshed), horizon=1, reward="r")
    assert [(row.action, row.choice) for row in chosen.transitions if row.state == "1"] == [("a0", Q(120))]


def test_a_long_way_back_is_a_cycle():
    size = 3000
    back = immediate(*({i + 1: Q(1)} for i in range(1, size)), {2: Q(1, 2), size + 1: Q(1, 2)})
    for first in (0, 1):
        with pytest.raises(ModelError, match="state 2 comes back to itself without any time; let time pass"):
            drn.parse_drn(begun_at(first, back), horizon=1)
