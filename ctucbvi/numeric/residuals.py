r"""How far a piecewise polynomial is from the equation, bounded with all rounding included.

All rounding is included as :mod:`ctucbvi.numeric.weighing` has it.

On a piece of length :math:`h` all functions are polynomials in :math:`u \in [0,1]`.  With the
residual :math:`\rho_i(u) = \sum_j \rho_{ij} u^j` of equation :math:`i`,

.. math:: \int \|\rho\|_\infty\,dt \;\le\; h \sum_j \frac{1}{j+1}\,\max_i |\rho_{ij}| .

The maximum over actions is replaced by a *hint*, one action for each state and piece; how much
another action exceeds it is bounded by Bernstein coefficients, of halves of halves where it comes near, and
added to the residual, so a wrong hint makes the bound larger and never wrong.  That a value is capped at the
remaining time is a hint too, and one that the problem without truncation does not know.  With a fixed policy
(``fixed``) the action is the policy's, there is no maximum, and other actions do not matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH, added, every, first_number, load, magnitude, where
from ctucbvi.kernels import compiled
from ctucbvi.numbers import ROUNDING
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.polynomials import FEW_ORDERS, HALVINGS, bernstein, falls, highest
from ctucbvi.numeric.products import ANY_ORDER
from ctucbvi.numeric.weighing import (
    GROW,
    HUGE,
    TINY,
    from_the_middle,
    inflows,
    lanes,
    look,
    weigh,
    worst,
)


class Claimed(NamedTuple):
    """The solution that is looked at: which problem it is said to solve, its pieces, and its hints."""

    truncate: bool
    fixed: bool
    times: Floats  # (pieces + 1,)
    value: Floats  # (pieces, states, orders): coefficients of Ṽ or ṽ
    score: Floats  # (pieces, pairs, orders): those of q̃ (committed only)
    best: Integers  # (pieces, states)
    capped: Integers  # (pieces, states)


@compiled(fastmath=ANY_ORDER)
def excess(d, n, blur, work):
    """An upper bound for the positive part of ``Σ d_k u^k`` on [0, 1], each ``d_k`` known to ``blur``."""
    total, size = d[0], TINY + abs(d[0])
    for k in range(1, n + 1):
        total += max(d[k], 0.0)
        size += abs(d[k])
    slack = blur + (4.0 * n + 20.0) * ROUNDING * size
    if not (size < HUGE and slack < HUGE):
        return float("inf")
    if total <= slack:  # Bernstein coefficients would hardly say more
        return max(total + slack, 0.0) * GROW
    if n > 2 * FEW_ORDERS and falls(d, n, work):  # up to (n + 2) ROUNDING / 2 of size; no bound is smaller
        return max(d[0] + slack, 0.0) * GROW
    bernstein(d, n, work)
    top = work[0]
    for k in range(1, n + 1):
        top = max(top, work[k])
    if top > max(work[0], work[n], slack):  # two that nearly touch, perhaps
        top = min(top, highest(work, n, slack) + HALVINGS * n * ROUNDING * size)
    return max(top + slack, 0.0) * GROW


@compiled()
def committed_bounds(arrays, shown, begin, error, bounds):
    """Fill ``bounds[k]`` with a proved bound on |V − Ṽ| on piece ``k``, from piece ``begin`` on.

    The coefficients of Ṽ must be those of q̃ for the hinted action, or of t where the hint is "capped"; what
    they differ by counts.  ``error`` bounds |Q − q̃| where piece ``begin`` begins; returned is the bound where
    the last one ends.  :class:`Arrays` and :class:`Claimed` come as plain tuples: a caller that is not
    compiled pays a microsecond for each one with names.
    """
    model, claimed = Arrays(*arrays), Claimed(*shown)
    times, value, score = claimed.times, claimed.value, claimed.score
    first = model.first
    pieces, _, orders = score.shape
    weight, gap, work = np.zeros(orders), np.zeros(value.shape[1]), np.zeros(2 * orders)
    room, no_bends = lanes(model.row, value.shape[1], orders), np.zeros((0, 2))
    for k in range(begin, pieces):
        h = times[k + 1] - times[k]
        if k > 0:
            error += jump(score[k - 1], score[k], no_bends)
        q = score[k]
        problem = claimed.truncate, claimed.fixed, times[k], h
        apart = committed_gaps(problem, first, q, value[k], claimed.best[k], claimed.capped[k], gap, work)
        missed = weigh(model, h, q, value[k], gap, room, no_bends, 1.0, weight)
        for j in range(orders):
            error += weight[j] / (j + 1.0)
        error = worst(0.0, (error + missed * GROW) * GROW)
        bounds[k] = worst(0.0, (error + apart) * GROW)
    return error


@compiled()
def jump(before, after, bends):
    """How much q̃ (or ṽ) jumps between two pieces; ``bends``: their sums where the first ends, and sizes."""
    count, orders = before.shape
    largest = 0.0
    for i in range(count):
        total = size = 0.0
        for j in range(orders - 1, -1, -1):
            total += before[i, j]
            size += abs(total)  # an addition is off by half a unit of its result
        if bends.size > 0:
            total += bends[i, 0]
            size += abs(total) + bends[i, 1]
        largest = worst(largest, abs(after[i, 0] - total) + ROUNDING * (size + abs(after[i, 0] - total)))
    return largest * GROW


@compiled(fastmath=ANY_ORDER)
def committed_gaps(problem, first, q, v, best, capped, gap, work):
    """How far Ṽ is from min{t, max_a q̃} in each state; returns the worst of all states.

    The difference between Ṽ and the hinted polynomial is counted, and what the hint misses.  On a piece with
    one coefficient t is its ``start`` and no more, so that its slope counts, too: min{t, q} is at most
    start + h, and below the start by no more than q is.
    """
    truncate, fixed, start, h = problem  # whole tuples of arrays would have their references counted
    orders = q.shape[1]
    n, d, room = orders - 1, work[:orders], work[orders:]
    (words, q_words), largest = in_words(q), 0.0
    for x in range(first.size - 1):
        b = best[x]
        is_capped = truncate and capped[x] == 1
        here, apart = 0.0, h if is_capped and orders == 1 else 0.0
        for j in range(orders):
            line = start if j == 0 else h if j == 1 else 0.0
            meant = line if is_capped else q[b, j]
            if v[x, j] != meant or (is_capped and j == 1):
                apart += abs(v[x, j] - meant) + ROUNDING * (abs(v[x, j]) + abs(meant))
        if not (is_capped or fixed):
            for i in range(first[x], first[x + 1]):
                if i != b and not (words > 0 and below(q_words, words, i, b)):
                    blur = 0.0
                    for j in range(orders):
                        d[j] = q[i, j] - q[b, j]
                        blur += ROUNDING * (abs(q[i, j]) + abs(q[b, j]))
                    here = worst(here, excess(d, n, blur, room))
        if truncate:
            blur = ROUNDING * (abs(start) + 2.0 * abs(h))
            for j in range(orders):
                line = start if j == 0 else h if j == 1 else 0.0
                d[j] = line - q[b, j] if is_capped else q[b, j] - line
                blur += ROUNDING * (abs(q[b, j]) + abs(line))
            here = worst(here, excess(d, n, blur, room))
        gap[x] = worst(0.0, (here + apart) * GROW)
        largest = worst(largest, gap[x])
    return largest * GROW


@compiled(inline="always")
def in_words(q):
    """How many words the orders of a row are, and all of these; none, if orders do not come in eights."""
    words = q.shape[1] // WIDTH if q.shape[1] % WIDTH == 0 else 0
    return words, q[: q.shape[0] if words > 0 else 0].reshape((-1, WIDTH))


@compiled(forceinline=True, fastmath=ANY_ORDER)
def below(q, words, i, b):
    """Whether :func:`excess` finds nothing in q̃_i − q̃_b, and at its first look: both are ``words`` long.

    All that it adds up and allows for is added up at once; n + 2 roundings of that are less than what it
    allows for in the sum.
    """
    first = load(q, words * i) - load(q, words * b)
    total, allowed = every(0.0), every((4.0 * words * WIDTH + 16.0) * ROUNDING)
    for n in range(words):
        ours, theirs = load(q, words * i + n), load(q, words * b + n)
        apart = ours - theirs
        total = total + where(apart > every(0.0), apart, every(0.0)) + allowed * magnitude(apart)
        total = total + every(ROUNDING) * (magnitude(ours) + magnitude(theirs))
    return min(first_number(first), 0.0) + (added(total) + TINY) <= 0.0


@compiled()
def adjustable_bounds(arrays, shown, begin, error, bounds):
    """Fill ``bounds[k]`` with a proved bound on |V − Ṽ| on piece ``k`` of the adjustable problem.

    Where the hint is "capped" t is meant instead of ṽ, and the difference counts.  ``begin``, ``error`` and
    what is returned are as in :func:`committed_bounds`.
    """
    model, claimed = Arrays(*arrays), Claimed(*shown)
    pieces, states, orders = claimed.value.shape
    first, truncate = model.first, claimed.truncate
    most = np.diff(first).max()
    slopes, blurs = np.zeros((most, orders)), np.zeros(most)
    lane, no_bends = lanes(model.row, states, orders), np.zeros((0, 2))
    weight, work = np.zeros(orders), np.zeros(2 * orders)
    n, d, room = orders - 1, work[:orders], work[orders:]
    for k in range(begin, pieces):
        t, h = claimed.times[k], claimed.times[k + 1] - claimed.times[k]
        if k > 0:
            error += jump(claimed.value[k - 1], claimed.value[k], no_bends)
        v = claimed.value[k]
        look(model, v, lane)
        lasting = missed = 0.0
        weight[:] = 0.0
        for x in range(states):
            b = claimed.best[k, x]
            is_capped = truncate and claimed.capped[k, x] == 1
            _slopes(model, lane, v, x, slopes, blurs)
            here = 0.0
            if is_capped:
                # v = t needs a slope of at least 1 from some action; the hinted one will do.
                for j in range(orders):
                    d[j] = (1.0 if j == 0 else 0.0) - slopes[b - first[x], j]
                here = excess(d, n, blurs[b - first[x]] + ROUNDING, room)
                lasting = worst(lasting, abs(v[x, 0] - t) + ROUNDING * (abs(v[x, 0]) + abs(t)))
            elif not claimed.fixed:
                for i in range(first[x], first[x + 1]):
                    if i != b:
                        for j in range(orders):
                            d[j] = slopes[i - first[x], j] - slopes[b - first[x], j]
                        here = worst(here, excess(d, n, blurs[i - first[x]] + blurs[b - first[x]], room))
            if truncate and not is_capped:
                blur = ROUNDING * (abs(t) + abs(h))
                for j in range(orders):
                    line = t if j == 0 else h if j == 1 else 0.0
                    d[j] = v[x, j] - line
                    blur += ROUNDING * (abs(v[x, j]) + abs(line))
                lasting = worst(lasting, excess(d, n, blur, room))
            missed = worst(missed, h * (here + TINY) + TINY)
            for j in range(orders):
                rise = (j + 1.0) * v[x, j + 1] if j + 1 < orders else 0.0
                wanted = (1.0 if j == 0 else 0.0) if is_capped else slopes[b - first[x], j]
                off = abs(rise - h * wanted) + 8.0 * ROUNDING * (abs(rise) + h * abs(wanted) + TINY)
                weight[j] = worst(weight[j], off + h * (0.0 if is_capped else blurs[b - first[x]]))
        for j in range(orders):
            error += weight[j] / (j + 1.0)
        error = worst(0.0, (error + missed * GROW + lasting) * GROW)
        bounds[k] = error * GROW
    return error


@compiled()
def _slopes(model, room, v, x, slopes, blurs):
    """Coefficients of r + λ Σ p(y) (v(y) − v) for the actions of ``x``, and a bound on all their rounding."""
    orders, first, row, flow, size = slopes.shape[1], model.first, model.row, room.flow, room.size
    for i in range(first[x], first[x + 1]):
        at = i - first[x]
        if room.place[i] >= 0:
            from_the_middle(room.flows[room.place[i]], room.middle, room.spread, v[x], flow, size)
        else:
            inflows(model.target, model.probability, row[i], row[i + 1], v, v[x], flow, size)
        blurs[at] = 0.0
        for j in range(orders):
            gain = model.reward[i] if j == 0 else 0.0
            slopes[at, j] = gain + model.rate[i] * flow[j]
            most = abs(gain) + (model.rate[i] + TINY) * size[j] + TINY
            blurs[at] += (row[i + 1] - row[i] + 12.0) * ROUNDING * most
