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

The cost of a step is degree × non-zeros of p.  Nothing in here allocates or calls Python.
"""

from __future__ import annotations

from numba import njit

from ctucbvi.numeric.arrays import Floats, Integers
from ctucbvi.numeric.polynomials import first_zero

FREE, CAPPED, OPEN = 0, 1, 2


@njit(cache=True, inline="always")
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


@njit(cache=True, inline="always")
def derivative_terms(
    rate: Floats, row: Integers, target: Integers, probability: Floats, v: Floats, own: Floats, out: Floats
) -> None:
    """λ(Σ p v − own) for every pair."""
    for i in range(rate.size):
        inflow = 0.0
        for k in range(row[i], row[i + 1]):
            inflow += probability[k] * v[target[k]]
        out[i] = rate[i] * (inflow - own[i])


@njit(cache=True)
def march(
    rate: Floats,
    reward: Floats,
    first: Integers,
    owner: Integers,
    row: Integers,
    target: Integers,
    probability: Floats,
    horizon: float,
    committed: bool,
    truncate: bool,
    allowed: float,
    longest: float,
    tie: float,
    degree: int,
    times: Floats,
    pieces: int,
    stop: int,
    value: Floats,
    score: Floats,
    best: Integers,
    cap: Integers,
    carried: Floats,
    work: Floats,
    own: Floats,
    since: Integers,
    cap_since: Integers,
    forced: Integers,
) -> int:
    """Go on from piece ``pieces`` until the horizon, until there are ``stop``, or until a step is too short.

    ``value[k, j, x]``: coefficients of V in u = (t − times[k]) / (times[k+1] − times[k]), and
    ``score[k, j, i]`` those of q (committed) or h (adjustable); ``carried`` is the state at
    ``times[pieces]``.  No step is longer than ``longest``.  Values that are closer than ``tie`` of the
    largest one are compared by their slopes.  ``forced`` names the pair to use in each state; empty, the best
    ones are found.  Returns the number of pieces that are filled.
    """
    fastest = 0.0
    for i in range(rate.size):
        fastest = max(fastest, rate[i])
    while pieces < stop and times[pieces] < horizon:
        t = times[pieces]
        v, c, lead, mode = value[pieces], score[pieces], best[pieces], cap[pieces]
        _expand(
            rate, reward, first, owner, row, target, probability, committed, truncate, degree,
            t, horizon, fastest, tie, v, c, lead, mode, carried, own, since, cap_since, forced,
        )  # fmt: skip
        h = min(horizon - t, longest, _step(v, c, committed, degree, fastest, allowed))
        _scale(v, h)
        _scale(c, h)
        u = _first_event(first, committed, truncate, degree, t, h, v, c, lead, mode, since, cap_since, work)
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


@njit(cache=True)
def _expand(
    rate, reward, first, owner, row, target, probability, committed, truncate, degree,
    t, horizon, fastest, tie, v, c, lead, mode, carried, own, since, cap_since, forced,
):  # fmt: skip
    """Taylor coefficients in time up to ``degree + 1``, with the best actions found on the way."""
    size = 1e-300
    for i in range(carried.size):
        size = max(size, abs(carried[i]))
    for i in range(rate.size):
        since[i] = -1
        size = max(size, 1e-2 * abs(reward[i]) * (1.0 / fastest if fastest * horizon > 1.0 else horizon))
    slack = tie * size
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
        if truncate:
            over = v[0, x] - t
            mode[x] = CAPPED if over > slack and committed else FREE if over < -slack else OPEN
            if over >= -slack:
                v[0, x] = t
    for j in range(degree + 1):
        if committed:
            own[:] = c[j]
        else:
            for i in range(rate.size):
                own[i] = v[j, owner[i]]
        out = c[j + 1] if committed else c[j]
        derivative_terms(rate, row, target, probability, v[j], own, out)
        if j == 0:
            for i in range(rate.size):
                out[i] += reward[i]
        if committed:
            for i in range(rate.size):
                out[i] /= j + 1.0
        slack = (
            slack * fastest / (j + 1.0) if committed else (slack * fastest if j == 0 else slack * fastest / j)
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


@njit(cache=True, inline="always")
def _step(v, c, committed, degree, fastest, allowed):
    """The step at which the first term left out is as large as is allowed per unit of time."""
    source = c if committed else v
    rest = 0.0
    for i in range(source.shape[1]):
        here = abs(source[degree + 1, i]), abs(source[degree, i]) * fastest / (degree + 1.0)
        rest = max(rest, here[0], 0.1 * here[1])
    return (allowed / rest) ** (1.0 / degree) if rest > 0.0 else 1e300


@njit(cache=True, inline="always")
def _scale(a, h):
    """From coefficients in time to coefficients in u = time / h."""
    power = 1.0
    for j in range(1, a.shape[0]):
        power *= h
        for i in range(a.shape[1]):
            a[j, i] *= power


@njit(cache=True)
def _first_event(first, committed, truncate, degree, t, h, v, c, lead, mode, since, cap_since, work):
    """The first u at which another action takes over or a cap begins or ends to bind; 2 if none."""
    found = 2.0
    d, room = work[: degree + 1], work[degree + 1 :]
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
            found = min(found, first_zero(d, degree - m, room))
        if truncate and mode[x] != OPEN:
            m = cap_since[x]
            for j in range(m, degree + 1):
                line = t if j == 0 else h if j == 1 else 0.0
                if mode[x] == FREE:
                    d[j - m] = line - v[j, x]
                elif committed:
                    d[j - m] = c[j, b] - line
                else:
                    d[j - m] = c[j, b] - (1.0 if j == 0 else 0.0)
            found = min(found, first_zero(d, degree - m, room))
    return found
