r"""The one-pass planner in double precision: Taylor steps that end at switches.

Remaining time runs from 0 to :math:`H` once.  At the start of a step the best action of each
state is the one whose Taylor coefficients are lexicographically largest: coefficient
:math:`j+1` needs only the largest coefficients of order :math:`j`,

.. math:: \text{committed: } (j+1)\,q_{j+1} = [j{=}0]\,r
          + \lambda\bigl(\textstyle\sum_y p(y)\,v_j(y) - q_j\bigr), \qquad v_j = q_j[\text{best}],
.. math:: \text{adjustable: } h_j = [j{=}0]\,r
          + \lambda\bigl(\textstyle\sum_y p(y)\,v_j(y) - v_j\bigr), \qquad (j+1)\,v_{j+1} = h_j[\text{best}],

so actions that tie (all of them do at time 0, and two at every switch) need no special case.
The degree is fixed and the step :math:`h` such that the first term left out stays below the
error allowed per unit of time.  Errors add up and do not grow, the system being
non-expansive, so the tolerance is one on the true error.  If the best action changes inside
the step, the step ends there (:func:`ctucbvi.numeric.polynomials.first_zero`), and so does a
step in which the truncation :math:`\min\{t,\cdot\}` begins or ends to bind.

The cost of a step is degree × non-zeros of p, and what counts is how often p comes from memory.  Only the
actions that are still in the race have to go order by order (:func:`expand`); the others follow afterwards,
all their orders in one pass over p (:func:`follow`).  No step allocates or calls Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH, added, every, load_from, where
from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Arrays, Floats, Goals, Integers, Words
from ctucbvi.numeric.polynomials import first_zero
from ctucbvi.numeric.products import ANY_ORDER, any_full, products

FREE, CAPPED, OPEN = 0, 1, 2
FEW = 96  # pairs: with so few, calls, not sums, cost time
LANES = WIDTH  # orders that are summed up side by side
_SHORT = 8.0  # mean holding times of the fastest pair, of a step with ties


class MarchAim(NamedTuple):
    """What is solved, and how carefully."""

    committed: bool
    truncate: bool
    allowed: float  # error per unit of time
    longest: float  # step
    tie: float  # values that are closer than this part of the largest one are compared by their slopes
    degree: int


class Room(NamedTuple):
    """Where the pieces go."""

    times: Floats  # (pieces + 1,)
    value: Floats  # (pieces, states, degree + 1): coefficients of V in u = (t − start) / length
    score: Floats  # (pieces, pairs, degree + 1): those of q (committed) or h (adjustable)
    best: Integers  # (pieces, states)
    cap: Integers  # (pieces, states)
    carried: Floats  # the unknowns at the end of the last piece that is filled
    space: Floats  # for a desk, degree + LANES for each state and pair; if it is empty, a march makes its own


class StepSheet(NamedTuple):
    """What a step works on: Taylor coefficients in time, up to one order more than is kept."""

    v: Floats  # (states, width) of V; the orders from which others follow come in LANES
    c: Floats  # (pairs, width) of q or h
    by_order: Floats  # (width, states) of V, order by order
    out: Floats  # (pairs,) those of q or h of one order
    since: Integers  # (pairs,) the order at which a pair fell behind, or -1
    have: Integers  # (pairs,) how many orders of c are there
    racing: Integers  # (pairs,) the pairs that go order by order
    still: Integers  # (states,) the states in which the race goes on
    awake: Integers  # (states,) those whose pairs are among the racing, and those that are settled:
    settled: Words  # (states,) their one pair leads, and its row of p is here
    ends: Words  # (states + 1,) where these rows begin and end
    goal: Goals  # (non-zeros,) their targets
    share: Floats  # (non-zeros,) their probabilities
    pace: Floats  # (states,) their rates
    cap_since: Integers  # (states,) the order at which a cap was decided
    part: Floats  # (width,) 1 / j: a division takes as long as three orders
    power: Floats  # (width,) of the longest step
    work: Floats
    full: Integers  # (pairs,) where the full rows that are behind begin; empty where no row is full
    flow: Floats  # (pairs, LANES · n) what flows into them


@compiled(forceinline=True)
def leaders(score, first, order, slack, lead, since, still, count):
    """Compare the coefficients of order ``order``: who stays in the race, and who leads.

    ``since[i]`` is the order at which pair ``i`` fell behind, or -1 while it has not.  ``still`` lists the
    states, ``count`` of them, with more than one action left in the race; returns how many are left, and
    whether anybody fell behind.
    """
    left, fell = 0, False
    for n in range(count):
        x = still[n]
        best, racing = -1, False
        for i in range(first[x], first[x + 1]):
            if since[i] < 0 and (best < 0 or score[i] > score[best]):
                best = i
        lead[x] = best
        for i in range(first[x], first[x + 1]):
            if since[i] < 0 and i != best:
                if score[best] - score[i] > slack:
                    since[i], fell = order, True
                else:
                    racing = True
        if racing:
            still[left], left = x, left + 1
    return left, fell


@compiled()
def march(
    arrays: tuple[Any, ...],
    how: tuple[Any, ...],
    where: tuple[Any, ...],
    horizon: float,
    pieces: int,
    stop: int,
    forced: Integers,
) -> int:
    """Go on from piece ``pieces`` until the horizon, until there are ``stop``, or until a step is too short.

    ``forced`` names the pair to use in each state; empty, the best ones are found.  Returns the number of
    pieces that are filled.  The targets of each row must increase.  :class:`Arrays`, :class:`MarchAim` and
    :class:`Room` come as plain tuples: a caller that is not compiled pays a microsecond for each one with
    names, a lot beside a small model.
    """
    model, aim, room = Arrays(*arrays), MarchAim(*how), Room(*where)
    lambda_max = 0.0
    for i in range(model.rate.size):
        lambda_max = max(lambda_max, model.rate[i])
    times, desk = room.times, empty_desk(model.row, model.first.size - 1, aim.degree, room.space)
    while pieces < stop and times[pieces] < horizon:
        t = times[pieces]
        best, cap = room.best[pieces], room.cap[pieces]
        expand(model, aim, desk, room.carried, t, horizon, lambda_max, forced, best, cap)
        follow(model, aim, desk)
        whole = min(horizon - t, aim.longest, step(desk, aim, lambda_max))
        if forced.size == 0:
            whole = while_tied(model.first, aim, desk, lambda_max, whole, best)
        h = first_event(model.first, aim, desk, t, whole, best, cap)
        ended = horizon if h >= whole and t + h >= horizon * (1.0 - 1e-15) else t + h
        if not ended > t:
            break  # the step is below the resolution of doubles, or not a number
        keep(aim, desk, h, room.value[pieces], room.score[pieces], room.carried)
        pieces += 1
        times[pieces] = ended
    return pieces


@compiled(forceinline=True)
def empty_desk(row, states, degree, space):
    """An empty one, in ``space`` if there is any; what a step before has left there is written over."""
    pairs, lanes = row.size - 1, (degree + LANES) // LANES * LANES
    width, full = max(degree + 2, lanes), pairs if any_full(row, states) else 0
    room, part = space if space.size > 0 else np.zeros((states + pairs) * width), np.empty(width)
    for j in range(width):
        part[j] = 1.0 / max(j, 1)
    return StepSheet(
        room[: states * width].reshape((states, width)),
        room[states * width : (states + pairs) * width].reshape((pairs, width)),
        np.empty((width, states)),
        np.empty(pairs),
        np.empty(pairs, np.int64),
        np.empty(pairs, np.int64),
        np.empty(pairs, np.int64),
        np.empty(states, np.int64),
        np.empty(states, np.int64),
        np.empty(states, np.uint64),
        np.zeros(states + 1, np.uint64),
        np.empty(row[pairs], np.uint32),
        np.empty(row[pairs]),
        np.empty(states),
        np.empty(states, np.int64),
        part,
        np.empty(width),
        np.empty(4 * width),
        np.empty(full, np.int64),
        np.empty((full, lanes)),
    )


@compiled(forceinline=True, fastmath=ANY_ORDER)  # a call would count the references of its arrays
def expand(model, aim, desk, carried, t, horizon, lambda_max, forced, lead, mode):
    """Coefficients up to ``degree + 1`` of V and of the pairs that lead, which are found on the way."""
    committed, first, pairs, states = aim.committed, model.first, model.rate.size, model.first.size - 1
    v, c, out, since, have, still = desk.v, desk.c, desk.out, desk.since, desk.have, desk.still
    row, target, probability, rate, owner = (
        model.row,
        model.target,
        model.probability,
        model.rate,
        model.owner,
    )
    size = 1e-300
    for i in range(carried.size):
        size = max(size, abs(carried[i]))
    reach = 1.0 / lambda_max if lambda_max * horizon > 1.0 else horizon
    for i in range(pairs):
        since[i], have[i] = -1, 0
        size = max(size, 1e-2 * abs(model.reward[i]) * reach)
    slack = aim.tie * size
    racing, now = 0, desk.by_order[0]
    for x in range(states):
        lead[x] = first[x] if forced.size == 0 else forced[x]
        if forced.size == 0 and first[x + 1] - first[x] > 1:
            still[racing], racing = x, racing + 1
    if committed:
        for i in range(pairs):
            c[i, 0], have[i] = carried[i], 1
        racing, _ = leaders(carried, first, 0, slack, lead, since, still, racing)
    for x in range(states):
        mode[x], desk.cap_since[x] = FREE, 0
        now[x] = carried[lead[x]] if committed else carried[x]
        if aim.truncate:
            over = now[x] - t
            mode[x] = CAPPED if over > slack and committed else FREE if over < -slack else OPEN
            if over >= -slack:
                now[x] = t
    for x in range(states):
        desk.awake[x] = x
    count, awake, settled, fell = 0, states, 0, True
    for j in range(aim.degree + 1):
        now, after = desk.by_order[j], desk.by_order[j + 1]
        if fell:
            count, awake, settled = _sort_out(model, aim.truncate, desk, lead, forced, awake, settled)
        order, part = j + 1 if committed else j, 1.0 / (j + 1.0)
        _settle(model.reward, desk, lead, settled, j, part)
        for a in range(count):
            i = desk.racing[a]
            begin, end, inflow = row[i], row[i + 1], 0.0
            if _all_between(target, begin, end):
                of_row, of_targets = probability[begin:end], now[target[begin] :]
                for k in range(of_row.size):
                    inflow += of_row[k] * of_targets[k]
            else:
                for e in range(np.uint64(begin), np.uint64(end)):  # what may be negative costs time
                    inflow += probability[e] * now[np.uint64(target[e])]
            own = c[i, j] if committed else now[owner[i]]
            slope = rate[i] * (inflow - own)
            if j == 0:
                slope += model.reward[i]
            out[i] = c[i, order] = slope * part if committed else slope
            have[i] = order + 1
        slack *= lambda_max / (j + 1.0) if committed or j == 0 else lambda_max / j
        racing, fell = leaders(out, first, order, 16.0 * slack, lead, since, still, racing)
        line = 1.0 if j == 0 else 0.0
        for n in range(awake):
            x = desk.awake[n]
            if mode[x] == OPEN:
                over = out[lead[x]] - line
                if abs(over) > 16.0 * slack:
                    mode[x] = CAPPED if over > 0.0 else FREE
                    desk.cap_since[x] = j + 1 if committed or mode[x] == FREE else j
            step = out[lead[x]] if committed else out[lead[x]] * part
            after[x] = line if mode[x] == CAPPED else step
    for n in range(awake):
        x = desk.awake[n]
        for j in range(aim.degree + 2):
            v[x, j] = desk.by_order[j, x]
    last = aim.degree + 1 if committed else aim.degree
    for n in range(settled):
        x = desk.settled[n]
        i = lead[x]
        if committed and have[i] == 1:
            for j in range(aim.degree + 2):
                v[x, j] = c[i, j] = desk.by_order[j, x]
        else:
            for j in range(aim.degree + 2):
                v[x, j] = desk.by_order[j, x]
            for j in range(have[i], last + 1):
                c[i, j] = v[x, j] if committed else v[x, j + 1] * (j + 1.0)
        have[i] = last + 1


@compiled(inline="always")
def _all_between(target, begin, end):
    """Whether a row is long and leads to all states between its first target and its last one."""
    return end - begin > LANES and target[end - 1] - target[begin] == end - begin - 1


@compiled(forceinline=True)
def _sort_out(model, truncate, desk, lead, forced, awake, settled):
    """List the pairs in the race, or those that a policy names, and their states; the others are settled.

    Where one pair is left and nothing caps it, its orders are those of V, and what they need is put side by
    side.  Returns how many pairs in the race, states that are awake and states that are settled there are.
    """
    first, row, target, probability = model.first, model.row, model.target, model.probability
    runners, left, size = 0, 0, desk.ends[settled]
    for n in range(awake):
        x, before = desk.awake[n], runners
        if forced.size > 0:
            desk.racing[runners], runners = lead[x], runners + 1
        for i in range(first[x], first[x + 1] if forced.size == 0 else 0):
            if desk.since[i] < 0:
                desk.racing[runners], runners = i, runners + 1
        begin, end = row[lead[x]], row[lead[x] + 1]
        if truncate or runners > before + 1 or _all_between(target, begin, end):
            desk.awake[left], left = x, left + 1
            continue
        runners = before
        for e in range(np.uint64(begin), np.uint64(end)):
            desk.goal[size], desk.share[size] = target[e], probability[e]
            size += np.uint64(1)
        desk.settled[settled], desk.pace[settled] = x, model.rate[lead[x]]
        settled += 1
        desk.ends[settled] = size
    return runners, left, settled


@compiled(forceinline=True, fastmath=ANY_ORDER)
def _settle(reward, desk, lead, settled, j, part):
    """Order ``j + 1`` of V in the states that are settled."""
    now, after = desk.by_order[j], desk.by_order[j + 1]
    states, ends, goal, share, pace = desk.settled, desk.ends, desk.goal, desk.share, desk.pace
    for n in range(settled):
        x, inflow = states[n], 0.0
        for e in range(ends[n], ends[n + 1]):
            inflow += share[e] * now[goal[e]]
        after[x] = pace[n] * (inflow - now[x]) * part
    for n in range(settled if j == 0 else 0):
        after[states[n]] += reward[lead[states[n]]]


@compiled(forceinline=True, fastmath={"contract"})
def follow(model, aim, desk):
    """The orders that are missing of the pairs that fell behind: eight at a time, p is read once for them."""
    v, flow, width, row = desk.v, desk.work, aim.degree + 1, model.row
    c, have, part, committed = desk.c, desk.have, desk.part, aim.committed
    rate, reward, owner = model.rate, model.reward, model.owner
    last, states, full = width if committed else aim.degree, model.first.size - 1, 0
    for i in range(rate.size):
        if have[i] > last:
            continue
        begin, end = row[i], row[i + 1]
        if desk.full.size > 0 and end - begin == states:
            desk.full[full], full = begin, full + 1
            continue
        for j in range(width):
            flow[j] = 0.0
        for e in range(np.uint64(begin), np.uint64(end)):
            p, of_y = model.probability[e], v[np.uint64(model.target[e])]
            for j in range(width):
                flow[j] += p * of_y[j]
        _orders(c[i], v[owner[i]], part, committed, rate[i], reward[i], have[i], last, flow)
    if full > 0:
        products(model.probability, desk.full, full, desk.by_order[: desk.flow.shape[1]], desk.flow)
        full = 0
        for i in range(model.rate.size):
            if have[i] <= last and row[i + 1] - row[i] == states:
                flow, full = desk.flow[full], full + 1
                _orders(c[i], v[owner[i]], part, committed, rate[i], reward[i], have[i], last, flow)


@compiled(forceinline=True, fastmath={"contract"})
def _orders(c, of_v, part, committed, rate, gain, have, last, flow):
    """The orders of a pair from ``have`` on, from what flows in."""
    before = c[have - 1]
    for j in range(have, last + 1):
        if committed:
            slope = flow[j - 1] - before
            before = rate * slope + gain if j == 1 else (rate * part[j]) * slope
        else:
            before = rate * (flow[j] - of_v[j]) + (gain if j == 0 else 0.0)
        c[j] = before  # and is not read again, which would take time


@compiled(inline="always")
def step(desk, aim, lambda_max):
    """The step at which the first term left out is as large as is allowed per unit of time."""
    source = desk.c if aim.committed else desk.v
    rest, degree = 0.0, aim.degree
    for i in range(source.shape[0]):
        here = abs(source[i, degree + 1]), abs(source[i, degree]) * lambda_max / (degree + 1.0)
        rest = max(rest, here[0], 0.1 * here[1])
    return (aim.allowed / rest) ** (1.0 / degree) if rest > 0.0 else 1e300


@compiled(inline="always")
def while_tied(first, aim, desk, lambda_max, whole, lead):
    """A step that is shorter, if in ``whole`` a pair comes to lead by too much in orders that are tied.

    Where values have settled, all pairs are tied and steps are long, and rounding grows like e^λt.
    """
    if lambda_max * whole <= _SHORT:
        return whole
    most = 0.0
    for x in range(first.size - 1):
        for i in range(first[x], first[x + 1]):
            tied, over = desk.since[i] if desk.since[i] >= 0 else aim.degree + 1, 0.0
            for j in range(tied - 1, -1, -1):
                over = over * whole + max(desk.c[i, j] - desk.c[lead[x], j], 0.0)
            most = max(most, over)
    return whole if most * (lambda_max if aim.committed else 1.0) <= aim.allowed else _SHORT / lambda_max


@compiled(forceinline=True)
def keep(aim, desk, h, value, score, carried):
    """Write down the coefficients in u = time / h, and the unknowns where the step ends."""
    orders, power, powers = aim.degree + 1, 1.0, desk.work
    for j in range(orders):
        powers[j] = power
        power *= h
    for x in range(value.shape[0]):
        for j in range(orders):
            value[x, j] = desk.v[x, j] * powers[j]
    for i in range(score.shape[0]):
        for j in range(orders):
            score[i, j] = desk.c[i, j] * powers[j]
    source = score if aim.committed else value
    for i in range(carried.size):
        total = 0.0
        for j in range(orders - 1, -1, -1):
            total += source[i, j]
        carried[i] = total


@compiled(forceinline=True, fastmath=ANY_ORDER)
def first_event(first, aim, desk, t, whole, lead, mode):
    """Where the step ends: at ``whole``, where another action takes over, or a cap begins or ends to bind."""
    degree, v, c, h = aim.degree, desk.v, desk.c, whole
    d, rest, power = desk.work[: degree + 1], desk.work[degree + 1 :], desk.power
    words = (degree + 1) // WIDTH if (degree + 1) % WIDTH == 0 else 0
    power[0] = 1.0
    for j in range(degree):
        power[j + 1] = power[j] * whole
    for x in range(first.size - 1):
        b = lead[x]
        for i in range(first[x], first[x + 1]):
            if i == b or desk.since[i] < 0:
                continue
            m = desk.since[i]
            if words > 0 and _ahead(c, power, words, b, i) + (c[b, m] - c[i, m]) * power[m] > 0.0:
                continue
            ours, theirs, low = c[b], c[i], (c[b, m] - c[i, m]) * power[m]
            for j in range(m + 1, degree + 1):
                low += min(ours[j] - theirs[j], 0.0) * power[j]
            if low > 0.0:
                continue
            for j in range(m, degree + 1):
                d[j - m] = c[b, j] - c[i, j]
            h = _sooner(d, degree - m, h, whole, rest)
        if aim.truncate and mode[x] != OPEN:
            m = desk.cap_since[x]
            for j in range(m, degree + 1):
                line = t if j == 0 else 1.0 if j == 1 else 0.0
                if mode[x] == FREE:
                    d[j - m] = line - v[x, j]
                elif aim.committed:
                    d[j - m] = c[b, j] - line
                else:
                    d[j - m] = c[b, j] - (1.0 if j == 0 else 0.0)
            h = _sooner(d, degree - m, h, whole, rest)
    return h


@compiled(forceinline=True, fastmath=ANY_ORDER)
def _ahead(c, power, words, b, i):
    """What speaks against pair ``b`` being ahead of pair ``i``: the orders of which it has less, together."""
    total, width = every(0.0), c.shape[1]
    for n in range(words):
        apart = load_from(c, b * width + n * WIDTH) - load_from(c, i * width + n * WIDTH)
        total = total + where(apart > every(0.0), every(0.0), apart) * load_from(power, n * WIDTH)
    return added(total)


@compiled(inline="always")  # with the fastmath of who looks for events
def _sooner(d, n, h, whole, rest):
    """The first zero of ``Σ d_k s^k`` if it is before ``h``, else ``h``; a step has some length."""
    power = 1.0
    for k in range(1, n + 1):
        power *= h
        d[k] *= power
    u = first_zero(d, n, rest)
    return max(h * u, 1e-13 * whole) if u < 1.0 else h
