r"""The residuals of all pairs on a piece, bounded with all rounding included.

A bound is computed in doubles, next to the magnitude :math:`m` of everything that was added
up: a sum of :math:`n` products of rounded data has an error of at most
:math:`(n + 8)\,u\,m` to first order, :math:`u = 2^{-53}` (:data:`~ctucbvi.numbers.UNIT`), and twice that to
all orders as long as :math:`n < 2^{40}`: :data:`~ctucbvi.numbers.ROUNDING` is :math:`2u`.  Divisions and
multiplications by the step count as products.  The data (rates, rewards, probabilities) are the doubles
nearest to the model's numbers and are counted among the factors.  So the residual of one order, with a row of
:math:`n` jumps, has the data (3 roundings of a product :math:`h\lambda p`), the differences, products and
sums of the row (:math:`n + 1`), the sum with the reward, the products with :math:`\lambda` and :math:`h`, the
last difference and the sum with the bound: fewer than :math:`n + 12`, and :math:`n + 16` are counted.  Rows
of :math:`p` sum to 1 exactly, so
:math:`\lambda(\sum_y p(y)\,v(y) - q) = \lambda \sum_y p(y)\,(v(y) - q)`: rounding is then of the size of the
differences, not of the values.  For rows that lead everywhere all differences are taken from one number
:math:`c`, the middle of the values: :math:`\sum_y p(y)\,(v(y) - c) - (q - c)` is the same, its magnitude is
at most :math:`\max_y |v(y) - c| + |q - c|`, and the sums are those of :mod:`ctucbvi.numeric.products`.

**Underflow.**  A product, and a number of the model, may lose up to :math:`\eta = 2^{-1074}` more than
:math:`2^{-53}` of itself.  So :data:`TINY` is added to each number of the model and to each product that goes
into a magnitude: ``ROUNDING * TINY`` is more than :math:`10^{27}\eta`, and a magnitude of at least ``TINY``
times ``ROUNDING`` does not itself underflow.  Sums and differences lose nothing.

**Overflow.**  What is not a number below :data:`HUGE` counts as infinite (:func:`worst`): a NaN compares as
false and must not be lost in a maximum.

**Orders abreast.**  Where orders come in eights, as the planner has them, they are words
(:mod:`ctucbvi.abreast`), and one after the other they are gone through for all pairs.  What is computed for
an order is the same, and in the same order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH, every, load, magnitude, moved_up, store, where
from ctucbvi.kernels import compiled
from ctucbvi.numbers import ROUNDING
from ctucbvi.numeric.arrays import Floats, Integers
from ctucbvi.numeric.polynomials import MOST_ORDERS
from ctucbvi.numeric.products import ANY_ORDER, any_full, products

TINY = 1e-280
HUGE = 1e300
_NEXT = np.arange(1.0, MOST_ORDERS + 1.0).reshape(-1, WIDTH)  # j + 1
_BEGINS = np.where(_NEXT == 1.0, 1.0, 0.0)  # 1 where j is 0
GROW = 1.0 + 2.0**-40  # covers the rounding in adding up some hundred positive bounds


@compiled(forceinline=True)
def worst(a, b):
    """The larger of two bounds; infinite where ``b`` is not a number."""
    if not b < HUGE:
        return float("inf")
    return b if b > a else a


@compiled(forceinline=True, fastmath=ANY_ORDER)
def finite(numbers):
    """Whether all of them are numbers, and none is infinite."""
    total = 0.0
    for n in range(numbers.size):
        total += 0.0 * numbers[n]  # not a number, if one of them is not a finite one
    return total == 0.0


class Lanes(NamedTuple):
    """What is worked out for the pairs of one piece."""

    flow: Floats  # (orders,) Σ p(y) (v(y) − own) of one pair
    size: Floats  # (orders,) the magnitude of what is added up
    off: Floats  # (orders,) its residual
    total: Floats  # (orders,) the sum of all residuals
    plain: Floats  # (orders,) the largest of their polynomials
    bent: Floats  # (orders,) the largest of what they have besides
    apart: Integers  # (states,) those with a gap, as a list
    begin: Integers  # (pairs,) where the full rows begin; empty where no row is full
    place: Integers  # (pairs,) their places in that list, or -1
    middle: Floats  # (orders,) c
    spread: Floats  # (orders,) max |v − c|
    by_order: Floats  # (orders in fours, states) v − c
    flows: Floats  # (full rows, orders in fours) Σ p(y) (v(y) − c)


@compiled(inline="always")
def lanes(row, states, orders):
    """Room for all that."""
    full, fours = row.size - 1 if any_full(row, states) else 0, (orders + 3) // 4 * 4
    return Lanes(
        np.zeros(orders),
        np.zeros(orders),
        np.zeros(orders),
        np.zeros(orders),
        np.zeros(orders),
        np.zeros(orders),
        np.zeros(states, np.int64),
        np.zeros(full, np.int64),
        np.full(row.size - 1, -1),
        np.zeros(orders),
        np.zeros(orders),
        np.zeros((fours, states if full else 0)),
        np.zeros((full, fours)),
    )


@compiled()
def look(model, value, room):
    """Take the coefficients of Ṽ on a piece; what flows into pairs with a full row is computed at once."""
    (states, orders), count, row = value.shape, 0, model.row
    if room.begin.size == 0:
        return
    for i in range(row.size - 1):
        if row[i + 1] - row[i] == states:
            room.begin[count], room.place[i] = row[i], count
            count += 1
    for j in range(orders):
        low = high = value[0, j]
        for x in range(states):
            low, high = min(low, value[x, j]), max(high, value[x, j])
        middle, spread = 0.5 * low + 0.5 * high, 0.0
        for x in range(states):
            room.by_order[j, x] = value[x, j] - middle
            spread = max(spread, abs(room.by_order[j, x]))
        room.middle[j], room.spread[j] = middle, spread
    products(model.probability, room.begin, count, room.by_order, room.flows)


@compiled()
def inflows(target, probability, begin, end, v, own, flow, size):
    """Σ p(y) (v(y) − own) order by order, and the magnitude of what is added up."""
    for j in range(own.size):
        flow[j], size[j] = 0.0, TINY
    for e in range(np.uint64(begin), np.uint64(end)):  # an index that may be negative costs time
        p, y = probability[e], np.uint64(target[e])
        more = p + TINY
        for j in range(np.uint64(own.size)):
            apart = v[y, j] - own[j]
            flow[j] += p * apart
            size[j] += more * abs(apart)


@compiled()
def from_the_middle(of_row, middle, spread, own, flow, size):
    """The same for a full row, from Σ p(y) (v(y) − c)."""
    for j in range(own.size):
        mine = own[j] - middle[j]
        flow[j], size[j] = of_row[j] - mine, spread[j] + abs(mine) + TINY


@compiled(forceinline=True)
def weigh(model, h, q, value, gap, room, extra, late, weight):
    """The largest residual of each order into ``weight``; returns what the gaps add to it.

    ``extra`` is what the residual of each pair has besides its polynomial, on the last part ``late`` of the
    piece only; it may be empty.
    """
    look(model, value, room)
    for j in range(weight.size):
        weight[j] = room.total[j] = room.plain[j] = room.bent[j] = 0.0
    if q.shape[1] % WIDTH == 0:
        abreast(model, h, q, value, room, extra, weight)
    else:
        one_by_one(model, h, q, value, room, extra, weight)
    for j in range(weight.size):
        largest = weight[j]
        if extra.size > 0:
            largest = min(largest, (room.plain[j] + late * room.bent[j]) * GROW)
        weight[j] = worst(largest, largest if room.total[j] < HUGE else np.inf)  # a maximum may lose a NaN
    return _from_gaps(model, h, gap, room)


@compiled()
def one_by_one(model, h, q, value, room, extra, weight):
    """The largest and the sum of the residuals of each order, pair by pair."""
    rate, reward, row = model.rate, model.reward, model.row
    pairs, orders = q.shape
    flow, size, off, place = room.flow, room.size, room.off, room.place
    for i in range(pairs):
        own = q[i]
        if place[i] >= 0:
            from_the_middle(room.flows[place[i]], room.middle, room.spread, own, flow, size)
        else:
            inflows(model.target, model.probability, row[i], row[i + 1], value, own, flow, size)
        lam, unit = rate[i], (row[i + 1] - row[i] + 16.0) * ROUNDING
        for j in range(orders):
            gain = reward[i] if j == 0 else 0.0
            slope = gain + lam * flow[j]
            most = abs(gain) + (lam + TINY) * size[j] + TINY
            rise = (j + 1.0) * own[j + 1] if j + 1 < orders else 0.0
            off[j] = abs(rise - h * slope) + unit * (abs(rise) + h * most + TINY)
        for j in range(orders if extra.size > 0 else 0):
            room.plain[j], room.bent[j] = max(room.plain[j], off[j]), max(room.bent[j], extra[i, j])
            off[j] += extra[i, j]
        for j in range(orders):
            weight[j] = max(weight[j], off[j])
            room.total[j] += off[j]


@compiled()
def abreast(model, h, q, value, room, extra, weight):
    """The same, eight orders at a time; every number is the same one."""
    row, target, probability, place = model.row, model.target, model.probability, room.place
    words = q.shape[1] // WIDTH
    q_words, v_words = q.reshape((-1, WIDTH)), value.reshape((-1, WIDTH))
    more, flows = extra.reshape((-1, WIDTH)), room.flows.reshape((-1, WIDTH))
    middle, spread = room.middle.reshape((-1, WIDTH)), room.spread.reshape((-1, WIDTH))
    zero, tiny, step = every(0.0), every(TINY), every(h)
    for n in range(words):
        largest = total = plain = bent = zero
        order, begins = load(_NEXT, n), load(_BEGINS, n)
        for i in range(model.rate.size):
            own, after = load(q_words, words * i + n), zero
            if n + 1 < words:
                after = load(q_words, words * i + n + 1)
            if place[i] >= 0:
                mine = own - load(middle, n)
                flow = load(flows, words * place[i] + n) - mine
                size = load(spread, n) + magnitude(mine) + tiny
            else:
                flow, size = zero, tiny
                for e in range(np.uint64(row[i]), np.uint64(row[i + 1])):
                    apart = load(v_words, words * target[e] + n) - own
                    flow = flow + every(probability[e]) * apart
                    size = size + every(probability[e] + TINY) * magnitude(apart)
            gain, unit = every(model.reward[i]) * begins, every((row[i + 1] - row[i] + 16.0) * ROUNDING)
            slope = gain + every(model.rate[i]) * flow
            most = magnitude(gain) + every(model.rate[i] + TINY) * size + tiny
            rise = order * moved_up(own, after)
            off = magnitude(rise - step * slope) + unit * (magnitude(rise) + step * most + tiny)
            if more.size > 0:
                bend = load(more, words * i + n)
                plain, bent = where(off > plain, off, plain), where(bend > bent, bend, bent)
                off = off + bend
            largest, total = where(off > largest, off, largest), total + off
        for numbers, word in ((weight, largest), (room.total, total), (room.plain, plain), (room.bent, bent)):
            store(numbers.reshape((-1, WIDTH)), n, word)


@compiled()
def _from_gaps(model, h, gap, room):
    """What the gaps of the values that flow in add to the residuals, at most."""
    row, missed, gaps = model.row, 0.0, 0
    for x in range(gap.size):
        if gap[x] != 0.0:
            room.apart[gaps], gaps = x, gaps + 1
    for i in range(model.rate.size):
        reach = TINY
        if room.place[i] >= 0:
            for n in range(gaps):
                reach += (model.probability[row[i] + room.apart[n]] + TINY) * gap[room.apart[n]]
        elif gaps > 0:
            for e in range(row[i], row[i + 1]):
                reach += (model.probability[e] + TINY) * gap[model.target[e]]
        reach *= 1.0 + (row[i + 1] - row[i] + 8.0) * ROUNDING
        missed = worst(missed, h * ((model.rate[i] + TINY) * reach + TINY) + TINY)
    return missed
