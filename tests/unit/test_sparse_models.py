"""Models from lists of pairs and jumps: equal to the same model made of transitions, without fractions."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, ModelError, Transition
from ctucbvi.model.columns import Column
from ctucbvi.modelfile import dump_model, parse_model
from ctucbvi.numeric import solve_certified
from ctucbvi.numeric.arrays import Arrays

KINDS = ("ratios", "fractions", "floats")


def drawn(seed: int, kind: str) -> CTMDP:
    """A model whose numbers can be written in the way that is asked for."""
    draw = random.Random(f"sparse {seed} {kind}")
    states, actions, rows = [f"s{i}" for i in range(draw.randint(1, 6))], ["a0", "a1", "a2"], []
    for x in states:
        for a in draw.sample(actions, draw.randint(1, 3)):
            targets = draw.sample(states, draw.randint(1, len(states)))
            rate, reward = _number(draw, kind, 0), _number(draw, kind, -9)
            to = _chances(draw, kind, targets) if rate or draw.random() < 0.5 else {}
            lump = {y: _number(draw, kind, -2) for y in to} if rate and draw.random() < 0.3 else {}
            rows.append(Transition.of(x, a, rate=rate, reward=reward, to=to, lump=lump))
    terminal = {x: _number(draw, kind, -3) for x in states}
    objective = draw.choice(["max", "min"])
    return CTMDP.of(
        "drawn", horizon=draw.randint(1, 3), transitions=rows, states=states, actions=actions,
        terminal=terminal, initial=draw.choice(states), objective=objective,
    )  # fmt: skip


def _number(draw: random.Random, kind: str, least: int) -> Fraction:
    if kind == "floats":
        return Fraction(draw.randint(1000 * least, 9000), 1000)
    size = draw.choice([10, 10**6, 2**60, 10**30]) if kind == "fractions" else draw.choice([10, 2**40])
    return Fraction(draw.randint(least * size, 9 * size), draw.randint(1, size))


def _chances(draw: random.Random, kind: str, targets: list[str]) -> dict[str, Fraction]:
    counts = [draw.randint(1, draw.choice([9, 10**4])) for _ in targets]
    whole = sum(counts)
    if kind == "floats":  # decimals of up to 15 digits
        counts = [c * (10**15 // whole) for c in counts]
        whole, counts[0] = 10**15, counts[0] + 10**15 - sum(counts)
    return {y: Fraction(c, whole) for y, c in zip(targets, counts, strict=True)}


def as_sparse(model: CTMDP, kind: str, seed: int) -> CTMDP:
    """The same model by from_sparse, its pairs in any order."""
    rows = list(model.transitions)
    random.Random(seed).shuffle(rows)
    jumps = [
        (i, model.state_index(y), p, dict(row.lump).get(y, Fraction(0)))
        for i, row in enumerate(rows)
        for y, p in row.to
    ]

    def numbers(found: list[Fraction]):
        if kind == "ratios":
            return [n.numerator for n in found], [n.denominator for n in found]
        return np.array([float(n) for n in found]) if kind == "floats" else np.array(found, object)

    return CTMDP.from_sparse(
        ([model.state_index(r.state) for r in rows], [model.actions.index(r.action) for r in rows]),
        numbers([r.rate for r in rows]),
        numbers([r.reward for r in rows]),
        ([i for i, *_ in jumps], [y for _, y, *_ in jumps]),
        numbers([p for *_, p, _ in jumps]),
        lumps=numbers([c for *_, c in jumps]),
        horizon=model.horizon,
        terminal=list(model.terminal),
        initial=model.state_index(model.initial),
        states=model.states,
        actions=model.actions,
        name=model.name,
        objective=model.objective,
    )


def attack(seeds: range) -> None:
    for seed in seeds:
        kind = KINDS[seed % 3]
        model = drawn(seed, kind)
        lazy = as_sparse(model, kind, seed)
        for ours, theirs in zip(Arrays.of(lazy), Arrays.of(model), strict=True):
            assert np.array_equal(ours, theirs), seed
        known = lazy.max_rate, lazy.max_reward, lazy.value_scale, lazy.action_of(0), lazy.is_plain
        assert lazy._is_lazy or lazy.sparse.lump is not None, seed
        assert known == (
            model.max_rate,
            model.max_reward,
            model.value_scale,
            model.action_of(0),
            model.is_plain,
        )
        assert lazy.with_horizon(5)._is_lazy or not lazy._is_lazy
        assert lazy.with_horizon(5) == model.with_horizon(5)
        assert pickle.loads(pickle.dumps(lazy)) == model
        assert lazy == model, seed
        assert (lazy.digest, hash(lazy), repr(lazy)) == (model.digest, hash(model), repr(model))
        assert lazy.plain() == model.plain()
        assert parse_model(dump_model(lazy, format="json"), format="json") == model


def test_the_same_model():
    attack(range(240))


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(5))
def test_the_same_model_thousands_of_times(chunk):
    attack(range(1000 + 900 * chunk, 1900 + 900 * chunk))


def pair(probabilities, **options) -> CTMDP:
    """One state that jumps to some others."""
    count = len(probabilities[0]) if isinstance(probabilities, tuple) else len(probabilities)
    states = max(count, 2)
    return CTMDP.from_sparse(
        (range(states), [0] * states), [1, *([0] * (states - 1))], [0] * states,
        ([0] * count, range(count)), probabilities, horizon=1, **options,
    )  # fmt: skip


def wrong_sums(seed: int):
    """Rows that miss 1 by as little as can be written, in every way to write them."""
    draw = random.Random(seed)
    whole = draw.choice([7, 10**6, 10**15, 2**53, 2**61])
    first = draw.randint(1, whole - 2)
    off = draw.choice([-1, 1])
    yield [first, whole - first + off], [whole, whole]
    yield [first, whole - first, 1], [whole, whole, 2**61]
    cut = draw.randint(1, 10**15 - 2)
    yield np.array([cut / 10**15, (10**15 - cut + off) / 10**15])
    yield np.array([0.5, 0.5, 10.0 ** -draw.randint(15, 300)])
    yield [Fraction(1, 3), Fraction(2, 3) + Fraction(off, 10**40)]


def refused(seeds: range) -> int:
    count = 0
    for seed in seeds:
        for row in wrong_sums(seed):
            with pytest.raises(ModelError, match="probabilities sum to"):
                pair(tuple(row) if isinstance(row, tuple) else row)
            count += 1
    return count


def test_a_row_that_misses_one_by_the_last_digit_is_refused():
    assert refused(range(60)) == 300


def test_a_check_of_rows_that_looks_at_doubles_is_caught(monkeypatch):
    def close(chance, row, filled):
        return np.abs(np.add.reduceat(chance.doubles, row[filled]) - 1) < 1e-9

    monkeypatch.setattr("ctucbvi.model.sparse.sums_to_one", close)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        refused(range(60))


def test_rows_that_sum_to_one_are_seen_without_fractions(monkeypatch):
    monkeypatch.setattr(
        "ctucbvi.model.sparse.SparseReader._row_by_row", lambda self, which, *rest: which.size and 1 / 0
    )
    pair(([1, 1, 1], [2, 3, 6]))
    pair([0.1, 0.2, 0.7])
    pair([0.123456789012345, 0.876543210987655])
    pair([1e-15, 0.999999999999999])
    pair([3, 2, 5], normalize=True)


def test_what_a_double_means():
    """The shortest decimal, as everywhere: and the quick way agrees with it on doubles of every kind."""
    draw = random.Random(1)
    for _ in range(3000):
        digits = draw.randint(1, 17)
        p = draw.choice([round(draw.random(), digits), draw.random() * 10.0 ** -draw.randint(0, 20)])
        top = np.rint(p * 1e15)
        if top / 1e15 == p:
            assert Fraction(repr(p)) == Fraction(int(top), 10**15)


def test_numbers_are_read_as_from_arrays():
    thirds = pair([1 / 3, 1 / 3, 1 / 3], rationalize=1e-12)
    assert [p for _, p in thirds.transitions[0].to] == [Fraction(1, 3)] * 3
    weights = pair([1 / 3, 1 / 3, 1 / 3], normalize=True)
    assert [p for _, p in weights.transitions[0].to] == [Fraction(1, 3)] * 3
    with pytest.raises(ModelError, match="pass rationalize=1e-12"):
        pair([1 / 3, 1 / 3, 1 / 3])
    dense = CTMDP.from_arrays([[3], [0.1]], [[0.85], [-1]], [[[0.2, 0.8]], [[1, 0]]], horizon=2, name="m")
    same = CTMDP.from_sparse(
        ([0, 1], [0, 0]),
        [3, 0.1],
        [0.85, -1],
        ([0, 0, 1, 1], [0, 1, 0, 1]),
        [0.2, 0.8, 1, 0],
        horizon=2,
        name="m",
    )
    assert same == dense


GOOD = {
    "pairs": ([0, 1], [0, 0]),
    "rates": [1, 0],
    "rewards": [0, 1],
    "jumps": ([0], [1]),
    "probabilities": [1],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairs": [0, 1, 2]}, "pairs: give two lists of indices"),
        ({"pairs": ([0, 1.5], [0, 0])}, "the states are float64"),
        ({"pairs": ([0, -1], [0, 0])}, "-1 is not the index of a state"),
        ({"pairs": ([0, 0], [0, 0]), "jumps": ([0], [0])}, "state 's0', action 'a0': given twice"),
        ({"pairs": ([0, 2], [0, 0])}, "state 's1' has no actions"),
        ({"pairs": ([0, [1]], [0, 0])}, "pairs: its rows have different lengths; write as many entries"),
        ({"rates": [1, [1]]}, "rate: its rows have different lengths"),
        ({"pairs": ([0, 1], [0])}, "2 states and 1 actions; give one each"),
        ({"states": ["x"]}, "1 is not the index of a state; write 0 to 0"),
        ({"rates": [1]}, "rate: 1 numbers for 2 pairs"),
        ({"rates": [-1, 0]}, "state 's0', action 'a0': rate -1 is negative"),
        ({"rates": [1, float("nan")]}, "rate of state 's1', action 'a0': nan is not finite"),
        ({"rates": ["1/0", 0]}, "rate of state 's0', action 'a0': '1/0' divides by zero"),
        ({"rates": [[1], [0]]}, "rate: an array of shape"),
        ({"rewards": ([1, 2], [1, 0])}, "reward of state 's1', action 'a0': denominator 0"),
        ({"rewards": ([1, 2.5], [1, 1])}, "whole numbers, not float64"),
        ({"rewards": ([1, 2], [1])}, "2 numerators and 1 denominators"),
        ({"jumps": ([2], [0])}, "jumps: 2 is not the index of a pair; write 0 to 1"),
        ({"jumps": ([0], [2])}, "jumps: 2 is not the index of a state; write 0 to 1"),
        ({"jumps": ([0, 0], [1, 1]), "probabilities": [0.5, 0.5]}, "jumps to 's1' twice"),
        ({"jumps": ([0, 0], [0, 1]), "probabilities": [-1, 2]}, "'s0' at state 's0', action 'a0' is -1"),
        ({"jumps": ([], []), "probabilities": []}, "state 's0', action 'a0': probabilities sum to 0"),
        ({"lumps": [1], "rates": [0, 0]}, "a lump at a jump, but the rate is 0"),
        ({"horizon": 0}, "horizon: 0 is not positive"),
        ({"initial": 2}, "initial: 2 is not the index of a state"),
        ({"colour": "red"}, "option 'colour' is unknown"),
        ({"states": ["x", "x"]}, "states: 'x' is listed twice"),
        ({"probabilities": np.array([1.0], object), "rationalize": 1e-9}, "floats beside fractions"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(change, message):
    with pytest.raises(ModelError, match=message) as caught:
        CTMDP.from_sparse(**{**GOOD, "horizon": 1, **change})
    assert "\n" not in str(caught.value)


def test_a_planner_makes_no_fractions(monkeypatch):
    model = pair([0.5, 0.5])
    monkeypatch.setattr(Column, "fractions", lambda column: [Fraction(0)] if len(column) == 1 else 1 / 0)
    monkeypatch.setattr(Column, "largest", lambda column: Fraction(float(np.abs(column.doubles).max())))
    proof = solve_certified(model, tolerance=1e-9, at=[])
    assert proof.bound < 1e-9
    assert proof.segments("s0")[0].actions == ("a0",)
    assert model._is_lazy


def test_the_exact_planner_has_its_pairs_from_the_arrays():
    """Without transitions, which take as long to make; they are the same."""
    for more in ({}, {"terminal": [0, 1]}, {"pair_terminal": [0.5, 1]}, {"objective": "min"}):
        model = pair([0.5, 0.5], **more)
        found = ctucbvi.solve(model, digits=20).value("s0")
        assert found.overlaps(solve_certified(model, at=[]).value("s0"))
        assert model._is_lazy
        pairs = model.pairs
        del model.__dict__["pairs"]
        _ = model.transitions
        assert not model._is_lazy
        assert model.pairs == pairs


NEAR = (2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**70 + 1, 1)


@pytest.mark.parametrize("number", [sign * n for n in NEAR for sign in (-1, 1)] + [-(2**63)])
def test_large_whole_numbers_are_exact_on_every_way(number):
    ways = [[number, -1], ([number, -1], [1, 1]), [number, 0.5], (np.array([number, -1], object), [1, 1])]
    if -(2**63) <= number < 2**63:
        ways += [np.array([number, -1]), (np.array([number, -1]), np.array([1, 1]))]
    elif 0 <= number < 2**64:
        ways += [np.array([number, 1], np.uint64)]
    for way in ways:
        lazy, other = (
            CTMDP.from_sparse(
                ([0, 0], [0, 1]), [1, 1], way, ([0, 1], [0, 0]), [1, 1], pair_terminal=way, horizon=1,
                objective="min",
            )
            for _ in range(2)
        )  # fmt: skip
        assert other.transitions[0].reward == other.transitions[0].terminal == number
        assert lazy.plain() == other.plain()
        assert lazy.plain().sparse.reward.doubles[0] == float(-number)
        assert lazy.max_reward == lazy.max_start == max(abs(number), 1)
    dense = CTMDP.from_arrays([[1, 1]], [[number, -1]], [[[1], [1]]], horizon=1, objective="min")
    assert dense.transitions[0].reward == number


def test_ends_that_are_those_of_the_states_are_none():
    def with_ends(ends, terminal):
        return CTMDP.from_sparse(
            ([0, 1], [0, 0]), [1, 0], [1, 1], ([0], [1]), [1], choice=[1, 0], pair_terminal=ends,
            terminal=terminal, horizon=1,
        )  # fmt: skip

    for ends in ([3, 4], [0, 0], [3, 0]):
        for terminal in ([3, 4], [0, 0]):
            lazy, other = (with_ends(ends, terminal) for _ in range(2))
            assert other.transitions
            made = CTMDP.of(
                "sparse", horizon=1, transitions=other.transitions, states=other.states,
                terminal=dict(zip(other.states, other.terminal, strict=True)),
            )  # fmt: skip
            for fact in ("pays_at_end", "ends", "max_start"):
                assert getattr(lazy, fact) == getattr(other, fact) == getattr(made, fact), (fact, ends)
            assert lazy._is_lazy or lazy.pays_choices


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (np.array([3, 1], "M8[ns]"), "are times; give a list of numbers"),
        (np.array([3, 1], "m8[ns]"), "are times; give a list of numbers"),
        (np.array([3, 1], np.clongdouble), "a number is needed, not clongdouble"),
        (np.array([10, 1], np.longdouble) ** 400, "a number is needed, not longdouble"),
        (np.broadcast_to(["1"], 10**15), "rate: 1000000000000000 numbers for 2 pairs; give one each"),
    ],
)
def test_cells_that_are_no_numbers_are_refused(numbers, message):
    with pytest.raises(ModelError, match=message):
        CTMDP.from_sparse(([0, 1], [0, 0]), numbers, [0, 0], ([0], [1]), [1], horizon=1)


@pytest.mark.filterwarnings("error")
def test_empty_lists_of_any_kind_and_huge_probabilities():
    for kind in (complex, [("a", "<i8"), ("b", "<i8")], float):
        none = np.zeros(0, kind)
        model = CTMDP.from_sparse(([0], [0]), [0], [0], (none, none), [], horizon=1)
        assert model.transitions[0].to == ()
    with pytest.raises(ModelError, match="sum to a number of extreme size, not exactly 1"):
        pair(np.array([1e300, 1.0]))
