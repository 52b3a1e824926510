"""Ranges and simplest fractions compute in integers: the same as fractions, on random and awkward numbers."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from verify.claims import Range
from verify.provers import simplest
from verify.provers.simplest import simplest_between
from verify.running.parallel import Task, _Waiting


def _number(rng: random.Random) -> Fraction:
    bits, below = rng.choice((1, 3, 10, 40, 200)), rng.choice((1, 3, 10, 40, 200))
    return Fraction(rng.randint(-(2**bits), 2**bits), rng.randint(1, 2**below))


def _inside(r: Range, x: Fraction | int) -> bool:
    """The definition, in fractions."""
    low = r.lower is None or x > r.lower or (x == r.lower and not r.lower_open)
    high = r.upper is None or x < r.upper or (x == r.upper and not r.upper_open)
    return low and high and not (r.integer and Fraction(x).denominator != 1)


def _by_fractions(low: Fraction, high: Fraction) -> Fraction:
    """The first fraction of [low, high], 0 < low, by the continued fractions of the ends."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / _by_fractions(1 / (high - whole), 1 / (low - whole))


def _compared(count: int) -> None:
    rng = random.Random(count)
    for _ in range(count):
        ends = [rng.choice((None, _number(rng), Fraction(rng.randint(-3, 3)))) for _ in range(2)]
        opened = [end is None or rng.random() < 0.5 for end in ends]
        r = Range(*ends, *opened, integer=rng.random() < 0.5)
        for x in (_number(rng), rng.randint(-3, 3), *(end for end in ends if end is not None)):
            assert (x in r) == _inside(r, x), (x, r)
        low = abs(_number(rng)) + Fraction(1, 2 ** rng.randint(0, 99))
        high = low + rng.choice((abs(_number(rng)), Fraction(1, 10**9), Fraction(0), low / 2**60))
        assert simplest_between(low, high) == simplest_between(high, low) == _by_fractions(low, high)
        assert simplest_between(-high, -low) == -_by_fractions(low, high)


def test_integers_and_fractions_agree():
    _compared(2_000)


@pytest.mark.thorough
def test_integers_and_fractions_agree_on_many():
    _compared(100_000)


def test_a_closed_end_taken_for_an_open_one_is_found(monkeypatch):
    monkeypatch.setattr(Range, "__contains__", lambda r, x: _inside(r, x) and x != r.lower)
    with pytest.raises(AssertionError):
        _compared(200)


def test_a_simplest_fraction_that_is_not_is_found(monkeypatch):
    monkeypatch.setitem(globals(), "simplest_between", lambda low, high: simplest.Fraction(low + high, 2))
    with pytest.raises(AssertionError):
        _compared(20)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("number", [0, 1, 2, 5, 20])
def test_every_task_is_given_once(workers, number):
    tasks = [Task(str(k), "", "") for k in range(number)]
    waiting, rng, given = _Waiting(tasks, workers), random.Random(number), []
    while waiting:
        given.append(waiting.next(rng.randrange(workers)))
    assert sorted(given, key=tasks.index) == tasks


def test_a_worker_stays_in_its_stretch_and_then_helps_at_the_end_of_another():
    tasks = [Task(str(k), "", "") for k in range(6)]
    waiting = _Waiting(tasks, 2)
    assert [waiting.next(1).label for _ in range(4)] == ["3", "4", "5", "2"]
    assert [waiting.next(0).label for _ in range(2)] == ["0", "1"]
    assert not waiting
