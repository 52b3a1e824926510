"""Doubles as fractions: rows sum to 1, a third is 1/3, and nothing moves farther than allowed."""

from __future__ import annotations

import random
from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctucbvi
from ctucbvi import CTMDP, InputError, ModelError
from ctucbvi.model.rationals import Reader, Rounded, simplest
from ctucbvi.numbers import exact

TOLERANCE = Fraction(1, 10**12)


def brute(low: Fraction, high: Fraction) -> Fraction:
    """The smallest denominator by trying them all."""
    denominator = 1
    while True:
        top = -(-low.numerator * denominator // low.denominator)
        if Fraction(top, denominator) <= high:
            return Fraction(top, denominator)
        denominator += 1


@given(st.fractions(Fraction(1, 50), 9, max_denominator=300), st.fractions(0, 1, max_denominator=300))
def test_the_simplest_fraction_is_the_one_found_by_trying_all(low, width):
    assert simplest(low, low + width / 100) == brute(low, low + width / 100)


def test_two_thousand_simplest_fractions():
    draw = random.Random(1)
    for _ in range(2000):
        low = Fraction(draw.randint(1, 999), draw.randint(1, 999))
        high = low + Fraction(1, draw.randint(1, 10**4))
        assert simplest(low, high) == brute(low, high)


@given(st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=1000))
def test_a_fraction_of_small_denominator_is_found_again(number):
    assert Reader(TOLERANCE).number(float(number), "here") == number


def test_the_example_of_a_third():
    jumps, ones = np.full((3, 1, 3), 1 / 3), np.ones((3, 1))
    with pytest.raises(
        ModelError, match=r"sum to 0\.9999999999999999, not exactly 1; pass rationalize=1e-12"
    ):
        CTMDP.from_arrays(ones, ones, jumps, horizon=1)
    model = CTMDP.from_arrays(ones / 3, ones, jumps, horizon=1, rationalize=1e-12)
    assert {p for row in model.transitions for _, p in row.to} == {Fraction(1, 3)}
    assert {row.rate for row in model.transitions} == {Fraction(1, 3)}
    two = CTMDP.from_arrays(
        [[1.0], [1.0]], [[0.5], [0.0]], [[[1 / 3, 2 / 3]], [[1.0, 0.0]]], horizon=1, rationalize=1e-12
    )
    assert two.transitions[0].to == (("s0", Fraction(1, 3)), ("s1", Fraction(2, 3)))


def rows(count: int, seed: int):
    """Rows of doubles that were meant to sum to 1: of small fractions, and of anything."""
    draw = random.Random(seed)
    for i in range(count):
        size = draw.randint(1, 12)
        if i % 2:
            counts = [draw.choice((0, 0, 1, 1, 2, 3, 7, 50)) for _ in range(size)]
            counts[draw.randrange(size)] += 1
            yield [Fraction(c, sum(counts)) for c in counts], [c / sum(counts) for c in counts]
        else:
            weights = [draw.random() ** draw.choice((1, 5, 20)) for _ in range(size)]
            total = sum(weights)
            yield None, [w / total for w in weights]


def moved_too_far(given: list[float], found: list[Fraction], tolerance: Fraction) -> bool:
    numbers = zip((exact(p, "p") for p in given), found, strict=True)
    return any(abs(p - q) > tolerance * p for p, q in numbers)


def test_six_thousand_rows_sum_to_one_and_stay_where_they_are():
    reader, small = Reader(TOLERANCE), 0
    for meant, given_row in rows(6000, 7):
        cells = dict(zip(map(str, range(len(given_row))), given_row, strict=True))
        found = list(reader.row(cells, "row").values())
        assert sum(found) == 1
        assert not moved_too_far(given_row, found, TOLERANCE)
        assert [p > 0 for p in found] == [p > 0 for p in given_row]
        if meant is not None:
            assert found == meant
            small += 1
        decimals = lcm(*(exact(p, "p").denominator for p in given_row))
        assert max(p.denominator for p in found) <= decimals  # nothing grows without need
    assert small == 3000


def test_a_reader_that_takes_any_nearby_fraction_is_caught():
    """The mutant: the nearest fraction with a denominator up to 1000, as one might do it."""
    wrong = 0
    for _, given_row in rows(400, 8):
        found = [exact(p, "p").limit_denominator(1000) for p in given_row]
        wrong += sum(found) != 1 or moved_too_far(given_row, found, TOLERANCE)
    assert wrong > 150


@pytest.mark.parametrize("off", [1e-9, -1e-9, 0.1, -0.5, 3.0])
def test_a_row_that_is_no_distribution_is_refused(off):
    with pytest.raises(
        ModelError, match=r"^state 'x', action 'a': probabilities sum to .* than rationalize=1/10"
    ):
        Reader(TOLERANCE).row({"x": 0.5, "y": 0.5 + off}, "state 'x', action 'a'")


def test_what_is_exact_stays_what_it_is():
    reader = Reader("0.01")
    for number in ("333/1000", Fraction(333, 1000), 333, "0.333"):
        assert reader.number(number, "here") == exact(number, "here")
    assert reader.number(Rounded("0.333"), "here") == Fraction(1, 3)
    assert reader.number(np.float32(1 / 3), "here") == Fraction(1, 3)
    assert reader.number(0.0, "here") == 0
    assert reader.number(-0.333, "here") == -Fraction(1, 3)
    row = reader.row({"x": Fraction(1, 3), "y": 0.6667}, "row")  # only what is rounded moves
    assert row == {"x": Fraction(1, 3), "y": Fraction(2, 3)}
    with pytest.raises(ModelError, match="sum to"):
        CTMDP.from_arrays([["1"]], [["0"]], [[["0.999"]]], horizon=1, rationalize=0.01)


@pytest.mark.parametrize("bad", [0, -1, 0.5, "1e-101", "x", float("nan"), True, None, []])
def test_what_is_no_tolerance_is_one_line(bad):
    if bad is None:
        assert Reader(None).tolerance is None
        return
    with pytest.raises(InputError, match=r"^rationalize: ") as caught:
        Reader(bad)
    assert "\n" not in str(caught.value)


def test_the_longest_decimals_and_the_smallest_tolerance_are_read():
    golden = "0." + str(Fraction(5**500).numerator)[:300]
    found = Reader("1e-100").number(Rounded(golden), "here")
    assert abs(found - Fraction(golden)) <= Fraction(golden) / 10**100
    assert found.denominator < 10**52


def test_one_way_of_making_rows_sum_to_one_is_enough():
    with pytest.raises(InputError, match="choose one"):
        Reader(TOLERANCE, normalize=True)


def test_values_move_as_little_as_the_numbers():
    """A bound for people: with every number moved by a share θ, V moves by about θ(1 + 2λH) of its scale."""
    draw = random.Random(3)
    for _ in range(10):
        rates = [[draw.random() * 5, draw.random() * 5] for _ in range(2)]
        rewards = [[draw.random(), draw.random()] for _ in range(2)]
        split = [[draw.random(), draw.random()] for _ in range(2)]
        jumps = [[[p, 1 - p] for p in line] for line in split]
        as_given = CTMDP.from_arrays(rates, rewards, jumps, horizon=1, normalize=True)
        moved = CTMDP.from_arrays(rates, rewards, jumps, horizon=1, rationalize="1e-6")
        assert as_given != moved
        bound = 4 * Fraction(1, 10**6) * (1 + 2 * moved.max_rate) * moved.value_scale
        for state in moved.states:
            gap = ctucbvi.solve(moved, digits=12).value(state) - ctucbvi.solve(as_given, digits=12).value(
                state
            )
            assert abs(gap.mid) <= bound
