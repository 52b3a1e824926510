"""Residuals eight orders at a time: the same numbers as one by one; and what is passed over is below."""

from __future__ import annotations

import inspect
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from ctucbvi import CTMDP
from ctucbvi.numeric import residuals
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.weighing import abreast, lanes, look, one_by_one
from tests.unit.test_numeric_full_rows import full

_AWKWARD = (0.0, -0.0, 1e-300, -1e-320, 1e290, -1e308, np.inf, np.nan)


def few(seed: int) -> CTMDP:
    """A model whose rows lead to one to three states."""
    draw = np.random.default_rng(seed)
    states, actions = int(draw.integers(3, 30)), int(draw.integers(1, 4))
    pairs = [(x, a) for x in range(states) for a in range(actions)]
    jumps = [
        (i, int(y))
        for i in range(len(pairs))
        for y in draw.choice(states, draw.integers(1, 4), replace=False)
    ]
    pair, target = (np.array(column) for column in zip(*jumps, strict=True))
    rates, rewards = draw.integers(0, 9, len(pairs)), draw.integers(-5, 6, len(pairs))
    weight = draw.integers(1, 9, len(jumps))
    options = {"normalize": True, "horizon": 1, "name": f"few-{seed}"}
    return CTMDP.from_sparse(tuple(np.array(pairs).T), rates, rewards, (pair, target), weight, **options)


def found(kernel, seed: int) -> tuple[bytes, ...]:
    """What a kernel makes of random pieces, some of them with numbers that are none."""
    draw = np.random.default_rng(seed)
    model = Arrays.in_order(full(seed, seed % 2) if seed % 3 == 0 else few(seed))
    orders, pairs = 8 * int(draw.integers(1, 4)), len(model.rate)
    value, score = draw.normal(size=(model.states, orders)), draw.normal(size=(pairs, orders))
    for numbers in (value, score):
        numbers *= 10.0 ** draw.integers(-12, 3, numbers.shape)
        for awkward in _AWKWARD if seed % 5 == 0 else ():
            numbers.flat[draw.integers(numbers.size)] = awkward
    extra = np.abs(draw.normal(size=(pairs, orders))) if seed % 2 else np.zeros((0, 2))
    room, weight = lanes(model.row, model.states, orders), np.zeros(orders)
    look(model, value, room)
    with np.errstate(all="ignore"):
        kernel(model, float(draw.random()), score, value, room, extra, weight)
    # A residual that is not a number shows in the sum; how a maximum takes it differs.
    known = room.total < np.inf
    return tuple(numbers[known].tobytes() for numbers in (room.total, weight, room.plain, room.bent))


def test_eight_orders_at_a_time_are_the_same_to_the_last_bit():
    assert all(found(abreast, seed) == found(one_by_one, seed) for seed in range(300))


def changed(function, old: str, new: str):
    """The function as plain Python, with another line."""
    source = inspect.getsource(function.py_func)
    assert source.count(old) == 1, old
    names = dict(vars(inspect.getmodule(function.py_func)))
    exec(source[source.index("def ") :].replace(old, new), names)
    return names[function.py_func.__name__]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("order * moved_up(own, after)", "order * own"),
        ("after = load(q_words, words * i + n + 1)", "after = zero"),
        ("load(v_words, words * target[e] + n) - own", "load(v_words, words * target[e] + n)"),
        ("every(probability[e] + TINY) * magnitude(apart)", "every(probability[e]) * apart"),
        ("load(spread, n) + magnitude(mine) + tiny", "load(spread, n) + tiny"),
        ("load(flows, words * place[i] + n) - mine", "load(flows, words * place[i] + n)"),
        ("every(model.reward[i]) * begins", "every(model.reward[i])"),
        ("magnitude(gain) + every", "gain + every"),
        ("unit * (magnitude(rise)", "unit * (rise"),
        ("off = off + bend", "off = off"),
        ("where(bend > bent, bend, bent)", "bend"),
        ("total + off", "total"),
    ],
)
def test_a_wrong_word_is_found_out(old, new):
    wrong = changed(abreast, old, new)
    assert any(found(wrong, seed) != found(one_by_one, seed) for seed in range(1, 13))


def near_touch(seed: int) -> np.ndarray:
    """Two polynomials whose difference has a first coefficient about as large as all that speaks for it."""
    draw = Random(seed)
    orders, size = 8 * draw.randint(1, 3), 10.0 ** draw.randint(-3, 3)
    q = np.array([[draw.uniform(-1, 1) * size for _ in range(orders)] for _ in range(2)])
    q[0, 1:] = q[1, 1:] + [draw.uniform(-1, 1) * 10.0 ** draw.randint(-15, 0) for _ in range(orders - 1)]
    gap = sum(max(a - b, 0.0) for a, b in zip(q[0, 1:].tolist(), q[1, 1:].tolist(), strict=True))
    q[0, 0] = q[1, 0] - gap * (1 + draw.choice((-1, 0, 1)) * 10.0 ** -draw.randint(8, 16))
    q[0, 0] -= draw.choice((0, 1, 20, 200)) * 2.0**-52 * np.abs(q).sum()
    return q


def passed_over(below, seeds: range) -> list[bool]:
    """Of the pairs that are passed over, whether the first one is nowhere above the second, in rationals."""
    found = []
    for seed in seeds:
        q = near_touch(seed)
        words = q.shape[1] // 8
        if below(q.reshape(-1, 8), words, 0, 1):
            apart = [Fraction(a) - Fraction(b) for a, b in zip(*q.tolist(), strict=True)]
            found.append(apart[0] + sum(max(d, 0) for d in apart[1:]) <= 0)
    return found


def test_what_is_passed_over_is_below():
    right = passed_over(residuals.below.py_func, range(4000))
    assert len(right) > 400
    assert all(right)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("every((4.0 * words * WIDTH + 16.0) * ROUNDING)", "every(-16.0 * ROUNDING)"),
        ("where(apart > every(0.0), apart, every(0.0))", "every(0.0)"),
        ("for n in range(words):", "for n in range(words - 1):"),
        ("min(first_number(first), 0.0)", "2.0 * min(first_number(first), 0.0)"),
    ],
)
def test_one_who_passes_over_too_much_is_found_out(old, new):
    assert not all(passed_over(changed(residuals.below, old, new), range(4000)))
