r"""A step that runs over switches: they are taken one after the other, each with what it bends.

The mathematics is that of :mod:`ctucbvi.numeric.kinks`, here with time itself instead of :math:`u`.  When a
switch is taken, the first power left out says how fast the residual grows; the step then ends where that
would be more than is allowed, and switches beyond do not concern it any more.  A switch that cannot be taken,
because there is no room for it, ends the step as it does in :mod:`ctucbvi.numeric.marching`.

Most pairs that a switch reaches are far away and hardly bent.  What would be missing in the residual of such
a pair is added up over the switches of the step, and as long as it is little, the pair is left as it is.

Bends move later switches.  For every state a lower bound of its best action's lead is kept
(:attr:`Bench.margin`); only where the bends may have used it up are the polynomials looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.desk import MarchAim, Room, empty_desk
from ctucbvi.numeric.kinks import TOP, into, shift
from ctucbvi.numeric.polynomials import first_zero
from ctucbvi.numeric.products import ANY_ORDER
from ctucbvi.numeric.race import expand, follow
from ctucbvi.numeric.steps import keep, step, while_tied

MOST_KINKS = 4096  # in a piece
_MOST_TURNS = 3  # of a state in a piece: more would be rounding
_LONGER = 2.0  # times the step before, or the mean one: no step is tried that will be cut short
_FEW = 1.0 / 4.0  # of the error allowed: what is smaller is not followed up
_LEFT_OUT = 0.5  # of the error allowed: the residual of a pair, of kinks that do not bend it
_TRIES = 4  # to find where a step has to end
_AT_MOST = 4.0  # times the error allowed, at the end of the step


class Bends(NamedTuple):
    """Where kinks and bends go: the arrays of :class:`ctucbvi.numeric.kinks.Kinks`, longer than filled."""

    row: Integers
    place: Floats
    pair: Integers
    bent_row: Integers
    bent: Integers
    bend: Floats


def most_bends(pairs: int) -> int:
    """The bends that a piece may have."""
    return 4 * pairs + 4096


class Bench(NamedTuple):
    """What is known while a step goes from switch to switch."""

    lead: Integers  # (states,) the best pair so far
    when: Floats  # (states,) the next switch that is foreseen
    whom: Integers  # (states,) the pair that it is to
    margin: Floats  # (states,) no other action comes closer; at most 0 where one may
    waiting: Integers  # (states,) those with a switch to come, as a list
    seen: Integers  # (states,) 1 if in that list
    turns: Integers  # (states,) how often each has switched
    gain: Floats  # (pairs, TOP + 1) the bends of the kink at hand
    touched: Integers  # (pairs,) the pairs with such bends, as a list
    mark: Integers  # (pairs,) 1 if in that list
    rest: Floats  # (pairs,) the residual at the end of the step, of kinks that do not bend the pair
    last: Integers  # (pairs,) the last bend of this step, or -1
    before: Integers  # (most bends,) the bend before a bend, of the same pair
    kink: Integers  # (most bends,) the kink of a bend
    ours: Floats  # (4 * orders,)
    theirs: Floats  # (4 * orders,)
    source: Floats  # (TOP + 1,)


@compiled(forceinline=True)
def bench(states, pairs, orders, most):
    """An empty bench."""
    return Bench(
        np.empty(states, np.int64),
        np.empty(states),
        np.empty(states, np.int64),
        np.empty(states),
        np.empty(states, np.int64),
        np.empty(states, np.int64),
        np.empty(states, np.int64),
        np.zeros((pairs, TOP + 1)),
        np.empty(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs),
        np.full(pairs, -1),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(4 * orders),
        np.empty(4 * orders),
        np.empty(TOP + 1),
    )


@compiled()
def march_over(arrays, how, where, bent, horizon, gone, pieces, stop):
    """As :func:`ctucbvi.numeric.marching.march`, with steps that run over switches.

    ``gone`` pieces were there before the first one in ``where``.  It also stops where ``bent``, the
    :class:`Bends`, may have too little room for one more piece.
    """
    model, aim, room, bends = Arrays(*arrays), MarchAim(*how), Room(*where), Bends(*bent)
    states, pairs, most = model.first.size - 1, model.rate.size, 4 * model.rate.size + 4096
    to, nobody = into(model.row, model.target, model.probability, states), np.empty(0, np.int64)
    desk, known = (
        empty_desk(model.row, states, aim.degree, room.space),
        bench(states, pairs, aim.degree + 1, most),
    )
    times = room.times
    while pieces < stop and times[pieces] < horizon:
        kinks = bends.row[pieces]
        if bends.place.size - kinks <= MOST_KINKS or bends.bent.size - bends.bent_row[kinks] < most:
            break
        t, best, cap = times[pieces], room.best[pieces], room.cap[pieces]
        expand(model, aim, desk, room.carried, t, horizon, model.lambda_max, nobody, best, cap)
        follow(model, aim, desk)
        whole = min(horizon - t, aim.longest, step(desk, aim, model.lambda_max))
        whole = while_tied(model.first, aim, desk, model.lambda_max, whole, best)
        if pieces > 0:
            whole = min(whole, _LONGER * max(t - times[pieces - 1], t / (gone + pieces)))
        h = _run_over(model, to, aim, desk, known, bends, pieces, whole, best)
        ended = horizon if h >= whole and t + h >= horizon * (1.0 - 1e-15) else t + h
        if not ended > t:
            break
        keep(aim, desk, h, room.value[pieces], room.score[pieces], room.carried)
        _finish(bends, pieces, h, room.carried)
        pieces += 1
        times[pieces] = ended
    return pieces


@compiled()
def _run_over(model, to, aim, desk, known, bends, piece, whole, best):
    """Take the switches of a step of at most ``whole``; returns where it ends.  Bends are in time so far."""
    kinks, ended, waiting = bends.row[piece], whole, 0
    low = bends.bent_row[kinks]
    for i in range(known.rest.size):
        known.rest[i] = 0.0
    for x in range(known.lead.size):
        known.lead[x], known.seen[x], known.turns[x] = best[x], 0, 0
    _foresee(model.first, aim.degree, desk, known, whole)
    for x in range(known.lead.size):
        if known.when[x] < whole:
            known.waiting[waiting], known.seen[x] = x, 1
            waiting += 1
    while True:
        x, at = -1, ended
        for n in range(waiting):
            y = known.waiting[n]
            if known.when[y] < at:
                x, at = y, known.when[y]
        if x < 0:
            break
        count = kinks - bends.row[piece]
        known.turns[x] += 1
        full = count == MOST_KINKS or known.turns[x] > _MOST_TURNS
        if full or not _bend(model, to, aim, desk, known, bends, (kinks, low), x, at, ended):
            ended = max(at, 1e-13 * whole)
            break
        ended = _settle(model, aim, known, bends, (kinks, low), at, ended)
        kinks += 1
        known.margin[x] = 0.0
        for n in range(bends.bent_row[kinks - 1] - 1, bends.bent_row[kinks]):
            y = x if n < bends.bent_row[kinks - 1] else model.owner[bends.bent[n]]
            if known.margin[y] <= 0.0:
                _look_again(model.first, aim, desk, known, bends, low, y, at, ended)
                if known.when[y] < ended and not known.seen[y]:
                    known.waiting[waiting], known.seen[y] = y, 1
                    waiting += 1
    for n in range(low, bends.bent_row[kinks]):
        known.last[bends.bent[n]] = -1
    bends.row[piece + 1] = kinks
    return ended


@compiled(fastmath=ANY_ORDER)
def _foresee(first, degree, desk, known, whole):
    """The first switch of each state without bends, and how close the other actions come."""
    c, power, d, rest = desk.c, desk.power, desk.work[: degree + 1], desk.work[degree + 1 :]
    power[0] = 1.0
    for j in range(degree):
        power[j + 1] = power[j] * whole
    for x in range(first.size - 1):
        b, margin = known.lead[x], np.inf
        known.when[x], known.whom[x] = np.inf, b
        for i in range(first[x], first[x + 1]):
            if i == b or desk.since[i] < 0:
                continue
            m = desk.since[i]
            low = (c[b, m] - c[i, m]) * power[m]
            for j in range(m + 1, degree + 1):
                low += min(c[b, j] - c[i, j], 0.0) * power[j]
            margin = min(margin, low if m == 0 else 0.0)
            if low > 0.0:
                continue
            for j in range(m, degree + 1):
                d[j - m] = (c[b, j] - c[i, j]) * power[j - m]
            u = first_zero(d, degree - m, rest)
            if u < 1.0 and u * whole < known.when[x]:
                known.when[x], known.whom[x] = u * whole, i
        known.margin[x] = margin


@compiled()
def _local(desk, known, bends, low, i, at, out):
    """The score of pair ``i`` in powers of time after ``at``, bends so far included."""
    n, source = out.size - 1, known.source
    for j in range(n + 1):
        out[j] = desk.c[i, j]
    shift(out, n, at)
    e = known.last[i]
    while e >= 0:
        source[0] = source[1] = 0.0
        for m in range(2, TOP + 1):
            source[m] = bends.bend[low + e, m - 2]
        shift(source, TOP, at - bends.place[known.kink[e]])
        for m in range(TOP + 1):
            out[m] += source[m]
        e = known.before[e]


@compiled()
def _bend(model, to, aim, desk, known, bends, where, x, at, ended):
    """Take the switch of ``x``: write down the kink and its bends, unless there is no room for them."""
    (kink, low), orders, rate, owner = where, aim.degree + 1, model.rate, model.owner
    a, b, gain = known.whom[x], known.lead[x], known.gain
    ours, theirs = known.ours[:orders], known.theirs[:orders]
    _local(desk, known, bends, low, a, at, ours)
    _local(desk, known, bends, low, b, at, theirs)
    known.lead[x], count, long, power = a, 0, ended - at, 1.0
    for m in range(1, TOP):
        power *= long
        for n in range(count):
            i = known.touched[n]
            gain[i, m + 1] -= rate[i] * gain[i, m] / (m + 1.0)
        sources = count
        for n in range(-1, sources):
            y, w = x, ours[m] - theirs[m]
            if n >= 0:
                i = known.touched[n]
                y, w = owner[i], gain[i, m]
                if known.lead[y] != i or model.lambda_max * abs(w) * power < _FEW * aim.allowed:
                    continue
            for k in range(to.start[y], to.start[y + 1]):
                i = to.pair[k]
                slope = rate[i] * to.probability[k] * w
                if known.mark[i] == 0:
                    left_out = known.rest[i] + abs(slope) * power
                    if left_out < _LEFT_OUT * aim.allowed:
                        known.rest[i] = left_out
                        continue
                    known.mark[i], known.touched[count] = 1, i
                    count += 1
                gain[i, m + 1] += slope / (m + 1.0)
    begin = bends.bent_row[kink]
    fits = begin + count - low <= known.before.size
    for n in range(count):
        i = known.touched[n]
        if fits:
            e = begin + n
            bends.bent[e] = i
            for m in range(2, TOP + 1):
                bends.bend[e, m - 2] = gain[i, m]
            known.before[e - low], known.last[i], known.kink[e - low] = known.last[i], e - low, kink
        gain[i, :] = 0.0
        known.mark[i] = 0
    if fits:
        bends.place[kink], bends.pair[kink], bends.bent_row[kink + 1] = at, a, begin + count
    else:
        known.lead[x] = b
    return fits


@compiled()
def _settle(model, aim, known, bends, where, at, ended):
    """Where the step may end after this kink; margins shrink by what it bends."""
    (kink, low), long, most = where, ended - at, _AT_MOST * aim.allowed
    for e in range(bends.bent_row[kink], bends.bent_row[kink + 1]):
        i, size = bends.bent[e], 0.0
        for m in range(TOP, 1, -1):
            size = (size + abs(bends.bend[e, m - 2])) * long
        known.margin[model.owner[i]] -= size * long
        for _ in range(_TRIES):
            grown = model.rate[i] * _left(known, bends, low, i, ended)
            if grown <= most:
                break
            ended = at + (ended - at) * (most / grown) ** (1.0 / TOP)  # of earlier kinks less goes: try again
    return ended


@compiled(inline="always")
def _left(known, bends, low, i, ended):
    """The last power of all bends of a pair at ``ended``: what the next one would follow from."""
    total, e = 0.0, known.last[i]
    while e >= 0:
        total += abs(bends.bend[low + e, TOP - 2]) * (ended - bends.place[known.kink[e]]) ** TOP
        e = known.before[e]
    return total


@compiled()
def _look_again(first, aim, desk, known, bends, low, x, at, ended):
    """The next switch of ``x`` after ``at``, bends included."""
    orders, b, long = aim.degree + 1, known.lead[x], ended - at
    ours, theirs, rest = known.ours[:orders], known.theirs[:orders], known.theirs[orders:]
    known.when[x], known.margin[x] = np.inf, np.inf
    _local(desk, known, bends, low, b, at, ours)
    tied = 16.0 * aim.tie * abs(ours[0])
    for i in range(first[x], first[x + 1]):
        if i == b:
            continue
        _local(desk, known, bends, low, i, at, theirs)
        power = 1.0
        for j in range(orders):
            theirs[j] = (ours[j] - theirs[j]) * power
            power *= long
        m, u, least = 0, 2.0, theirs[0]
        for j in range(1, orders):
            least += min(theirs[j], 0.0)
        known.margin[x] = min(known.margin[x], least)
        if theirs[0] < -tied:
            u = 0.0  # it has overtaken already
        elif theirs[0] <= tied:
            m = 1
        if least <= 0.0 and u > 1.0 and theirs[m] > 0.0:
            u = first_zero(theirs[m:], orders - 1 - m, rest)
        if u < 1.0 and at + u * long < known.when[x]:
            known.when[x], known.whom[x] = at + u * long, i


@compiled()
def _finish(bends, piece, h, carried):
    """From time to u = time / h; the unknowns at the end of the step get their bends."""
    for kink in range(bends.row[piece], bends.row[piece + 1]):
        bends.place[kink] = min(bends.place[kink] / h, 1.0)
        for e in range(bends.bent_row[kink], bends.bent_row[kink + 1]):
            power, total = h, 0.0
            for m in range(2, TOP + 1):
                power *= h
                bends.bend[e, m - 2] *= power
            for m in range(TOP, 1, -1):
                total = (total + bends.bend[e, m - 2]) * (1.0 - bends.place[kink])
            carried[bends.bent[e]] += total * (1.0 - bends.place[kink])
