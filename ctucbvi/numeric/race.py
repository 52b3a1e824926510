r"""Taylor coefficients of a step, and the race in which the best actions are found on the way.

At the start of a step the best action of each state is the one whose Taylor coefficients are
lexicographically largest: coefficient :math:`j+1` needs only the largest coefficients of order :math:`j`,

.. math:: \text{committed: } (j+1)\,q_{j+1} = [j{=}0]\,r
          + \lambda\bigl(\textstyle\sum_y p(y)\,v_j(y) - q_j\bigr), \qquad v_j = q_j[\text{best}],
.. math:: \text{adjustable: } h_j = [j{=}0]\,r
          + \lambda\bigl(\textstyle\sum_y p(y)\,v_j(y) - v_j\bigr), \qquad (j+1)\,v_{j+1} = h_j[\text{best}],

so actions that tie (all of them do at time 0, and two at every switch) need no special case.

The cost of a step is degree × non-zeros of p, and what counts is how often p comes from memory.  Only the
actions that are still in the race have to go order by order (:func:`expand`); the others follow afterwards,
all their orders in one pass over p (:func:`follow`).
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.numeric.desk import CAPPED, FREE, LANES, OPEN
from ctucbvi.numeric.products import ANY_ORDER, products


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
