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

The cost of a step is degree × non-zeros of p.  No step allocates or calls Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.polynomials import first_zero

FREE, CAPPED, OPEN = 0, 1, 2


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
    value: Floats  # (pieces, degree + 2, states): coefficients of V in u = (t − start) / length
    score: Floats  # (pieces, degree + 2, pairs): those of q (committed) or h (adjustable)
    best: Integers  # (pieces, states)
    cap: Integers  # (pieces, states)
    carried: Floats  # the unknowns at the end of the last piece that is filled


@compiled(inline="always")
def leaders(
    score: Floats,
    first: Integers,
    order: int,
    slack: float,
    lead: Integers,
    since: Integers,
    forced: Integers,
) -> bool:
    """Compare the coefficients of order ``order``: who stays in the race, and who leads.

    ``since[i]`` is the order at which pair ``i`` fell behind, or -1 while it has not.  Where a
    policy is given (``forced`` is not empty) there is nothing to compare.  Returns whether any
    state has more than one action left in the race.
    """
    if forced.size > 0:
        lead[:] = forced
        return False
    racing = False
    for x in range(first.size - 1):
        best = -1
        for i in range(first[x], first[x + 1]):
            if since[i] < 0 and (best < 0 or score[i] > score[best]):
                best = i
        lead[x] = best
        for i in range(first[x], first[x + 1]):
            if since[i] < 0 and i != best:
                if score[best] - score[i] > slack:
                    since[i] = order
                else:
                    racing = True
    return racing


@compiled(inline="always")
def derivative_terms(model: Arrays, v: Floats, own: Floats, out: Floats) -> None:
    """λ(Σ p v − own) for every pair."""
    for i in range(model.rate.size):
        inflow = 0.0
        for k in range(model.row[i], model.row[i + 1]):
            inflow += model.probability[k] * v[model.target[k]]
        out[i] = model.rate[i] * (inflow - own[i])


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
    pieces that are filled.  :class:`Arrays`, :class:`MarchAim` and :class:`Room` come as plain tuples: a
    caller that is not compiled pays a microsecond for each one with names, a lot beside a small model.
    """
    model, aim, room = Arrays(*arrays), MarchAim(*how), Room(*where)
    lambda_max = 0.0
    for i in range(model.rate.size):
        lambda_max = max(lambda_max, model.rate[i])
    committed, degree, times, carried = aim.committed, aim.degree, room.times, room.carried
    work, own = np.empty(4 * (degree + 2)), np.empty(model.rate.size)
    since, cap_since = np.empty(model.rate.size, np.int64), np.empty(model.first.size - 1, np.int64)
    while pieces < stop and times[pieces] < horizon:
        t = times[pieces]
        v, c = room.value[pieces], room.score[pieces]
        _expand(model, aim, room, pieces, horizon, lambda_max, forced, own, since, cap_since)
        h = min(horizon - t, aim.longest, _step(v, c, committed, degree, lambda_max, aim.allowed))
        _scale(v, h)
        _scale(c, h)
        u = _first_event(model.first, aim, room, pieces, h, since, cap_since, work)
        if u < 1.0:
            u = max(u, 1e-13)
            _scale(v, u)
            _scale(c, u)
            h *= u
        ended = horizon if u >= 1.0 and t + h >= horizon * (1.0 - 1e-15) else t + h
        if not ended > t:
            break  # the step is below the resolution of doubles, or not a number
        source = c if committed else v
        for i in range(carried.size):
            total = 0.0
            for j in range(degree, -1, -1):
                total += source[j, i]
            carried[i] = total
        pieces += 1
        times[pieces] = ended
    return pieces


@compiled(forceinline=True)  # a call would count the references of every array in its tuples
def _expand(model, aim, room, piece, horizon, lambda_max, forced, own, since, cap_since):
    """Taylor coefficients in time up to ``degree + 1``, with the best actions found on the way."""
    committed, first, pairs, t = aim.committed, model.first, model.rate.size, room.times[piece]
    v, c, lead, mode = room.value[piece], room.score[piece], room.best[piece], room.cap[piece]
    carried, size = room.carried, 1e-300
    for i in range(carried.size):
        size = max(size, abs(carried[i]))
    reach = 1.0 / lambda_max if lambda_max * horizon > 1.0 else horizon
    for i in range(pairs):
        since[i] = -1
        size = max(size, 1e-2 * abs(model.reward[i]) * reach)
    slack = aim.tie * size
    states = first.size - 1
    racing = True
    if committed:
        c[0, :] = carried
        racing = leaders(c[0], first, 0, slack, lead, since, forced)
    for x in range(states):
        mode[x] = FREE
        cap_since[x] = 0
        if committed:
            v[0, x] = c[0, lead[x]]
        else:
            v[0, x] = carried[x]
        if aim.truncate:
            over = v[0, x] - t
            mode[x] = CAPPED if over > slack and committed else FREE if over < -slack else OPEN
            if over >= -slack:
                v[0, x] = t
    for j in range(aim.degree + 1):
        if committed:
            own[:] = c[j]
        else:
            for i in range(pairs):
                own[i] = v[j, model.owner[i]]
        out = c[j + 1] if committed else c[j]
        derivative_terms(model, v[j], own, out)
        if j == 0:
            for i in range(pairs):
                out[i] += model.reward[i]
        if committed:
            for i in range(pairs):
                out[i] /= j + 1.0
        slack = (
            slack * lambda_max / (j + 1.0)
            if committed
            else (slack * lambda_max if j == 0 else slack * lambda_max / j)
        )
        if racing:
            racing = leaders(out, first, j + 1 if committed else j, 16.0 * slack, lead, since, forced)
        line = 1.0 if j == 0 else 0.0
        for x in range(states):
            if mode[x] == OPEN:
                over = out[lead[x]] - line
                if abs(over) > 16.0 * slack:
                    mode[x] = CAPPED if over > 0.0 else FREE
                    cap_since[x] = j + 1 if committed or mode[x] == FREE else j
            step = out[lead[x]] if committed else out[lead[x]] / (j + 1.0)
            v[j + 1, x] = line if mode[x] == CAPPED else step


@compiled(inline="always")
def _step(v, c, committed, degree, lambda_max, allowed):
    """The step at which the first term left out is as large as is allowed per unit of time."""
    source = c if committed else v
    rest = 0.0
    for i in range(source.shape[1]):
        here = abs(source[degree + 1, i]), abs(source[degree, i]) * lambda_max / (degree + 1.0)
        rest = max(rest, here[0], 0.1 * here[1])
    return (allowed / rest) ** (1.0 / degree) if rest > 0.0 else 1e300


@compiled(inline="always")
def _scale(a, h):
    """From coefficients in time to coefficients in u = time / h."""
    power = 1.0
    for j in range(1, a.shape[0]):
        power *= h
        for i in range(a.shape[1]):
            a[j, i] *= power


@compiled(forceinline=True)
def _first_event(first, aim, room, piece, h, since, cap_since, work):
    """The first u at which another action takes over or a cap begins or ends to bind; 2 if none."""
    found, degree, t = 2.0, aim.degree, room.times[piece]
    v, c, lead, mode = room.value[piece], room.score[piece], room.best[piece], room.cap[piece]
    d, rest = work[: degree + 1], work[degree + 1 :]
    for x in range(first.size - 1):
        b = lead[x]
        for i in range(first[x], first[x + 1]):
            if i == b or since[i] < 0:
                continue
            m = since[i]
            low = c[m, b] - c[m, i]
            for j in range(m + 1, degree + 1):
                low += min(c[j, b] - c[j, i], 0.0)
            if low > 0.0:
                continue
            for j in range(m, degree + 1):
                d[j - m] = c[j, b] - c[j, i]
            found = min(found, first_zero(d, degree - m, rest))
        if aim.truncate and mode[x] != OPEN:
            m = cap_since[x]
            for j in range(m, degree + 1):
                line = t if j == 0 else h if j == 1 else 0.0
                if mode[x] == FREE:
                    d[j - m] = line - v[j, x]
                elif aim.committed:
                    d[j - m] = c[j, b] - line
                else:
                    d[j - m] = c[j, b] - (1.0 if j == 0 else 0.0)
            found = min(found, first_zero(d, degree - m, rest))
    return found
