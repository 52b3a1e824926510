r"""How far a solution with kinks is from the equation, bounded with all rounding included.

Scores are polynomials and bends (:mod:`ctucbvi.numeric.kinks`).  The value that is meant in a state is the
polynomial :math:`\tilde v` and the bends of the action that is hinted at first, and from its first turn
on the score of the action that is hinted then.  As a function of :math:`u` it is :math:`\tilde v` and
a sum of powers :math:`w_{y\kappa m} (u - s_\kappa)_+^m`: the bends of the hinted action, and at a turn the
whole difference of two scores.  So the residual of pair :math:`i` is that of its polynomial, as in
:mod:`ctucbvi.numeric.residuals`, and :math:`\sum_{\kappa m} g_{\kappa m} (u - s_\kappa)_+^m` with

.. math:: g_{\kappa m} = (m+1)\,b_{i\kappa,m+1}
          + h\lambda_i\Bigl(b_{i\kappa m} - \sum_y p_i(y)\,w_{y\kappa m}\Bigr).

For :math:`u > s` the quotient :math:`(u - s)/u` increases, so :math:`(u - s)_+^m \le (1 - s)^m u^m`: what
:math:`|g_{\kappa m}|\,(1 - s_\kappa)^m` sum up to, :math:`e_{im}`, is added to the coefficient of
:math:`u^m`, and the integral is bounded as before.  Before the first kink :math:`s_0` of the piece there is
none of it: likewise :math:`(u - s)_+^m \le (1 - s)^m\,((u - s_0)_+ / (1 - s_0))^m`, whose integral is
:math:`(1 - s)^m (1 - s_0)/(m + 1)`.  So the bound holds with :math:`\max_i |\rho_{im}| + (1 - s_0) \max_i
e_{im}` as well, and the smaller one is taken.

What an action exceeds the hinted one by is bounded between the kinks that concern the state, where all its
scores are polynomials; where the bends are smaller than the lead, their size is enough.

What the bends of one kink add up to in :math:`g_{im}` are :math:`n_i` products of at most :math:`(T +
h\lambda_i) W`, where :math:`T` is the highest power and :math:`W` the largest :math:`|b_{\kappa m}|` of the
kink: no :math:`p` is above 1.  That is enough for the magnitude, so that only the sums are added up
pair by pair.  For the turn, whose scores are not small, the magnitude is that of its own terms.

Powers of differences count as products.  A polynomial that is moved to another point has an error of at most
:math:`2n` units of the same computation with absolute values, which is done beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.numbers import ROUNDING
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.kinks import Kinks, into, shift
from ctucbvi.numeric.products import ANY_ORDER
from ctucbvi.numeric.residuals import Claimed, below, committed_gaps, excess, in_words, jump
from ctucbvi.numeric.weighing import GROW, HUGE, TINY, lanes, weigh, worst


class Sheet(NamedTuple):
    """What is worked out for one piece."""

    extra: Floats  # (pairs, orders) what the residual has besides its polynomial
    tail: Floats  # (pairs, 2) the bends at the end of the piece: their sum, and the sum of their sizes
    bump: Floats  # (pairs,) no bend is larger
    turned: Integers  # (states,) 1 where one of the pairs is bent, 2 where the state turns
    lead: Integers  # (states,) the pair that is hinted so far
    first: Integers  # (pairs,) the first bend, or -1
    after: Integers  # (bends,) the next bend of the same pair
    kink: Integers  # (bends,) the kink of a bend
    g: Floats  # (pairs, orders) the residual of one kink
    adds: Integers  # (pairs,) how often something is added to it; 0 where never
    touched: Integers  # (pairs + 1,) the pairs with a residual of this kink, as a list
    moved: Floats  # (2 * most, 2, orders) scores that were moved, and their magnitudes
    work: Floats
    turn: Floats  # (orders,) what the value of the state that turns gains
    gain: Floats  # (orders,) what another one does
    power: Floats  # (orders,) of what is left of the piece after the kink


@compiled()
def bent_bounds(arrays, shown, bent, begin, error, bounds):
    """As :func:`ctucbvi.numeric.residuals.committed_bounds`, with the :class:`Kinks` in ``bent``."""
    model, claimed, kinks = Arrays(*arrays), Claimed(*shown), Kinks(*bent)
    times, value, score = claimed.times, claimed.value, claimed.score
    pieces, pairs, orders = score.shape
    states, room = value.shape[1], lanes(model.row, value.shape[1], orders)
    weight, gap, work = np.zeros(orders), np.zeros(states), np.zeros(2 * orders)
    to = into(model.row, model.target, model.probability, states)
    sheet = _sheet(model.first, states, pairs, orders, kinks)
    if begin > 0:
        _tails(kinks, begin - 1, sheet)
    for k in range(begin, pieces):
        h, q, v = times[k + 1] - times[k], score[k], value[k]
        if k > 0:
            error += jump(score[k - 1], q, sheet.tail)
        _tails(kinks, k, sheet)
        _residuals(model, to, kinks, k, h, q, v, claimed.best[k], sheet)
        if kinks.row[k] < kinks.row[k + 1]:
            apart = _bent_gaps(model, kinks, k, q, v, claimed.best[k], sheet, gap)
        else:
            problem = claimed.truncate, claimed.fixed, times[k], h
            apart = committed_gaps(problem, model.first, q, v, claimed.best[k], claimed.capped[k], gap, work)
        late = 0.0
        for kink in range(kinks.row[k], kinks.row[k + 1]):
            late = max(late, 1.0 - kinks.place[kink])
        missed = weigh(model, h, q, v, gap, room, sheet.extra, late, weight)
        for j in range(orders):
            error += weight[j] / (j + 1.0)
        error = worst(0.0, (error + missed * GROW) * GROW)
        bounds[k] = worst(0.0, (error + apart) * GROW)
    return error


@compiled(inline="always")
def _sheet(first, states, pairs, orders, kinks):
    """An empty sheet."""
    bends, most = 0, 0
    for k in range(kinks.row.size - 1):
        bends = max(bends, kinks.bent_row[kinks.row[k + 1]] - kinks.bent_row[kinks.row[k]])
    for x in range(states):
        most = max(most, first[x + 1] - first[x])
    return Sheet(
        np.zeros((pairs, orders)),
        np.zeros((pairs, 2)),
        np.zeros(pairs),
        np.zeros(states, np.int64),
        np.zeros(states, np.int64),
        np.full(pairs, -1),
        np.zeros(bends, np.int64),
        np.zeros(bends, np.int64),
        np.zeros((pairs, orders)),
        np.zeros(pairs, np.int64),
        np.zeros(pairs + 1, np.int64),
        np.zeros((max(most, 2), 2, orders)),
        np.zeros(3 * orders),
        np.zeros(orders),
        np.zeros(orders),
        np.zeros(orders),
    )


@compiled()
def _tails(kinks, piece, sheet):
    """What the bends of a piece are at its end, and how large they may be; which pair has which."""
    sheet.tail[:] = 0.0
    sheet.bump[:] = 0.0
    sheet.first[:] = -1
    low, high = kinks.row[piece], kinks.row[piece + 1]
    begin, powers = kinks.bent_row[low], kinks.bend.shape[1]
    for kink in range(high - 1, low - 1, -1):
        long = 1.0 - kinks.place[kink]
        for e in range(kinks.bent_row[kink + 1] - 1, kinks.bent_row[kink] - 1, -1):
            i, total, size = kinks.bent[e], 0.0, 0.0
            for m in range(powers - 1, -1, -1):
                total = (total + kinks.bend[e, m]) * long
                size = (size + abs(kinks.bend[e, m])) * long + TINY
            sheet.tail[i, 0] += total * long
            sheet.bump[i] += (size * long + TINY) * (1.0 + (4.0 * powers + 16.0) * ROUNDING)
            sheet.after[e - begin], sheet.kink[e - begin] = sheet.first[i], kink
            sheet.first[i] = e - begin
    for i in range(sheet.bump.size):
        if sheet.first[i] >= 0:
            sheet.bump[i] *= GROW
            sheet.tail[i, 1] = (4.0 * powers + 32.0 + (high - low)) * sheet.bump[i]


@compiled()
def _move(kinks, begin, kink, i, polynomial, sheet, out):
    """A score at ``kink``: its polynomial and the bends of earlier kinks; in ``out[1]`` the magnitude."""
    orders, at = polynomial.size, kinks.place[kink]
    moved, size, bend = out[0], out[1], sheet.work
    for j in range(orders):
        moved[j], size[j] = polynomial[j], abs(polynomial[j]) + TINY
    shift(moved, orders - 1, at)
    shift(size, orders - 1, at)
    e, top, bends = sheet.first[i], kinks.bend.shape[1] + 1, 1.0
    while e >= 0 and sheet.kink[e] < kink:
        _add_bend(kinks.bend[begin + e], top, at - kinks.place[sheet.kink[e]], moved, size, bend)
        bends += 1.0
        e = sheet.after[e]
    for j in range(orders):
        size[j] = size[j] * bends + TINY


@compiled(inline="always")
def _add_bend(coefficients, top, by, moved, size, room):
    """Add a bend that began ``by`` earlier."""
    for sign in range(2):
        room[0] = room[1] = 0.0
        for m in range(2, top + 1):
            room[m] = coefficients[m - 2] if sign == 0 else abs(coefficients[m - 2]) + TINY
        shift(room, top, by)
        for m in range(top + 1):
            if sign == 0:
                moved[m] += room[m]
            else:
                size[m] += room[m]


@compiled()
def _residuals(model, to, kinks, piece, h, q, v, best, sheet):
    """Fill ``extra``, and say which states turn or have a pair that is bent."""
    orders, owner, rate, bend = q.shape[1], model.owner, model.rate, kinks.bend
    sheet.extra[:] = 0.0
    sheet.turned[:] = 0
    sheet.lead[:] = best
    low, top = kinks.row[piece], bend.shape[1] + 1
    begin, size = kinks.bent_row[low], sheet.work[2 * orders :]
    turn, gain, power, g, extra = sheet.turn, sheet.gain, sheet.power, sheet.g, sheet.extra
    for kink in range(low, kinks.row[piece + 1]):
        a, touched, most, long = kinks.pair[kink], 0, 0.0, 1.0 - kinks.place[kink]
        x = owner[a]
        b = sheet.lead[x]
        _move(kinks, begin, kink, a, q[a], sheet, sheet.moved[0])
        _move(kinks, begin, kink, b, q[b] if sheet.turned[x] == 2 else v[x], sheet, sheet.moved[1])
        for m in range(orders):
            turn[m] = sheet.moved[0, 0, m] - sheet.moved[1, 0, m]
            size[m] = sheet.moved[0, 1, m] + sheet.moved[1, 1, m]
            power[m] = 1.0 if m == 0 else power[m - 1] * long * (1.0 + 2.0 * ROUNDING) + TINY
        sheet.lead[x], sheet.turned[x] = a, 2
        touched = _spread(to, rate, h, x, turn, (0, orders - 1), sheet, touched)
        for e in range(kinks.bent_row[kink], kinks.bent_row[kink + 1]):
            i = kinks.bent[e]
            y = owner[i]
            sheet.turned[y] = max(sheet.turned[y], 1)
            touched = _touch(i, sheet, touched)
            for m in range(2, top + 1):
                c = bend[e, m - 2]
                gain[m], most = c, worst(most, abs(c) + TINY)
                g[i, m - 1] += m * c
                g[i, m] += h * rate[i] * c
            if sheet.lead[y] == i:
                touched = _spread(to, rate, h, y, gain, (2, top), sheet, touched)
        for k in range(to.start[x], to.start[x + 1]):
            i = to.pair[k]
            unit = (4.0 * orders + 32.0 + 2.0 * sheet.adds[i]) * ROUNDING
            flow = h * ((rate[i] + TINY) * (to.probability[k] + TINY)) + TINY
            for m in range(orders):
                extra[i, m] += unit * (flow * size[m] + TINY) * power[m]
        for n in range(touched):
            i = sheet.touched[n]
            unit = (4.0 * orders + 32.0 + 2.0 * sheet.adds[i]) * ROUNDING  # a bend adds two numbers
            flow = h * (rate[i] + TINY) + TINY
            _add(sheet, i, unit * sheet.adds[i] * ((top + flow) * most + TINY))
            sheet.adds[i] = 0


@compiled(inline="always")
def _touch(i, sheet, touched):
    """Put the pair into the list, if it is not there; returns the length of the list."""
    sheet.touched[touched] = i  # if it is there, somebody else is written over this: a branch costs more
    touched += sheet.adds[i] == 0
    sheet.adds[i] += 1
    return touched


@compiled(inline="always")
def _spread(to, rate, h, y, gain, powers, sheet, touched):
    """What the value of ``y`` gains is missing in the inflow of all pairs that lead there."""
    g = sheet.g
    for k in range(np.uint64(to.start[y]), np.uint64(to.start[y + 1])):  # what may be negative costs time
        i = np.uint64(to.pair[k])
        touched = _touch(i, sheet, touched)
        factor = h * rate[i] * to.probability[k]
        for m in range(np.uint64(powers[0]), np.uint64(powers[1] + 1)):
            g[i, m] -= factor * gain[m]
    return touched


@compiled(inline="always")
def _add(sheet, i, off):
    """Add the residual of one kink, known to ``off``, to that of all; then it is 0 again."""
    extra, g, power, i = sheet.extra, sheet.g, sheet.power, np.uint64(i)
    for m in range(np.uint64(power.size)):
        total = (extra[i, m] + (abs(g[i, m]) + off) * power[m]) * GROW + TINY
        extra[i, m] = total if total < HUGE else np.inf
        g[i, m] = 0.0


@compiled(fastmath=ANY_ORDER)
def _bent_gaps(model, kinks, piece, q, v, best, sheet, gap):
    """As :func:`ctucbvi.numeric.residuals.committed_gaps`, with the kinks of the piece."""
    orders, first, largest = q.shape[1], model.first, 0.0
    d, room = sheet.work[:orders], sheet.work[orders : 2 * orders]
    words, q_words = in_words(q)
    for x in range(first.size - 1):
        b, apart, here, plain = best[x], 0.0, 0.0, sheet.turned[x] == 0 and words > 0
        for j in range(orders):
            if v[x, j] != q[b, j]:
                apart += abs(v[x, j] - q[b, j]) + ROUNDING * (abs(v[x, j]) + abs(q[b, j]))
        for i in range(first[x], first[x + 1]):
            if i != b and sheet.turned[x] < 2 and not (plain and below(q_words, words, i, b)):
                blur = 0.0
                for j in range(orders):
                    d[j] = q[i, j] - q[b, j]
                    blur += ROUNDING * (abs(q[i, j]) + abs(q[b, j]))
                here = worst(here, excess(d, orders - 1, blur + (sheet.bump[i] + sheet.bump[b]), room))
        if sheet.turned[x] == 2 or (sheet.turned[x] == 1 and here > 0.0):
            here = _between(kinks, piece, (first[x], first[x + 1]), q, b, sheet)
        gap[x] = worst(0.0, (here + apart) * GROW)
        largest = worst(largest, gap[x])
    return largest * GROW


@compiled()
def _between(kinks, piece, pairs, q, lead, sheet):
    """How far another action exceeds the hinted one, from one kink that concerns the state to the next."""
    orders, (low, high), largest, since = q.shape[1], pairs, 0.0, 0.0
    moved, d, room = sheet.moved, sheet.work[:orders], sheet.work[orders : 2 * orders]
    begin, top, parts = kinks.bent_row[kinks.row[piece]], kinks.bend.shape[1] + 1, 1.0
    for i in range(low, high):
        for j in range(orders):
            moved[i - low, 0, j], moved[i - low, 1, j] = q[i, j], abs(q[i, j]) + TINY
    for kink in range(kinks.row[piece], kinks.row[piece + 1] + 1):
        ended = kink == kinks.row[piece + 1]
        concerned = ended or low <= kinks.pair[kink] < high
        for i in range(low, high):
            e = sheet.first[i]
            while e >= 0 and not ended:
                concerned = concerned or sheet.kink[e] == kink
                e = sheet.after[e]
        if not concerned:
            continue
        long = (1.0 if ended else kinks.place[kink]) - since
        unit = parts * (4.0 * orders + 32.0) * ROUNDING
        for i in range(low, high):
            power, blur = 1.0, TINY
            for j in range(orders):
                d[j] = (moved[i - low, 0, j] - moved[lead - low, 0, j]) * power
                blur += unit * (moved[i - low, 1, j] + moved[lead - low, 1, j]) * power + TINY
                power *= long
            if i != lead:
                largest = worst(largest, excess(d, orders - 1, blur, room))
        if ended:
            break
        for i in range(low, high):
            shift(moved[i - low, 0], orders - 1, long)
            shift(moved[i - low, 1], orders - 1, long)
            e = sheet.first[i]
            while e >= 0:
                if sheet.kink[e] == kink:
                    _add_bend(kinks.bend[begin + e], top, 0.0, moved[i - low, 0], moved[i - low, 1], room)
                    parts += 1.0
                e = sheet.after[e]
        since, parts = kinks.place[kink], parts + 1.0
        lead = kinks.pair[kink] if low <= kinks.pair[kink] < high else lead
    return largest
