"""The march of a model of few pairs: that of :mod:`ctucbvi.numeric.marching`, in one compiled call.

With few pairs it is not sums that cost time but one order waiting for the one before, calls, and arrays whose
references are counted.  So everything is one function on the words of a model; all pairs go order by order
while it is open who leads, then V alone, and at last the pairs that fell behind, all orders at once.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.borrowing import borrowed
from ctucbvi.kernels import compiled
from ctucbvi.model import CTMDP, Semantics
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.desk import CAPPED, FREE, OPEN, MarchAim
from ctucbvi.numeric.race import leaders
from ctucbvi.numeric.rooms import TIE
from ctucbvi.numeric.steps import first_event, keep, step, while_tied
from ctucbvi.numeric.words import (
    DEGREE_OF_SMALL,
    ORDERS,
    SmallSolution,
    desk_in,
    opened,
    parts,
    small,
)

_PART = 1.0 / np.maximum(np.arange(ORDERS + 1), 1)  # a division takes as long as three orders
_FIRST_ROOM, _MORE, _MOST_ROOM = 8, 6, 300  # pieces


def solve_small(
    model: CTMDP, semantics: Semantics | str, tolerance: float, truncate: bool
) -> SmallSolution | None:
    """Solve a small model; None where something is unusual, from a wrong tolerance to many pieces."""
    kept = small(model)
    if kept is None:
        return None
    words, beside, piece, horizon, least, most = kept
    if not least <= tolerance < most:
        return None
    if semantics is not Semantics.COMMITTED or truncate:
        semantics = Semantics(semantics)
        model.plain(truncate=truncate, semantics=semantics)  # refuses what has no value
    committed, allowed, room = semantics is Semantics.COMMITTED, 0.5 * tolerance / horizon, _FIRST_ROOM
    found = np.empty(beside + room * piece)
    pieces = small_march(words, found, committed, truncate, allowed, 0)
    while pieces == 0 and (room := room * _MORE) < _MOST_ROOM:
        found, begin = more_room(words, found, beside + room * piece), room // _MORE
        pieces = small_march(words, found, committed, truncate, allowed, begin)
    if pieces <= 0:
        return None
    solution = object.__new__(SmallSolution)
    shown = {"model": model, "semantics": semantics, "truncate": truncate, "tolerance": tolerance}
    object.__setattr__(solution, "__dict__", {**shown, "found": found, "pieces": pieces})
    return solution


def more_room(words: Floats, found: Floats, size: int) -> Floats:
    """The same pieces, and where they ended, in a longer array."""
    states, pairs = words[:2].view(np.int64).tolist()
    longer = np.empty(size)
    for old, new in zip(
        parts.py_func(found, states, pairs)[:6], parts.py_func(longer, states, pairs)[:6], strict=True
    ):
        new[: len(old)] = old
    return longer


@compiled(fastmath={"contract"})
def small_march(
    words: Floats, found: Floats, committed: bool, truncate: bool, allowed: float, pieces: int
) -> int:
    """March from piece ``pieces`` to the horizon; returns how many there are.

    0: not all have room, but as many as have are there; -1: it cannot go on in doubles.
    """
    words, found = borrowed((words, found))
    model, aim = opened(words), MarchAim(committed, truncate, allowed, np.inf, TIE, DEGREE_OF_SMALL)
    first, terminal, horizon, lambda_max = model[3], model[2], model[8], model[9]
    states, pairs = first.size - 1, terminal.size
    times, value, score, best, cap, unknowns, ends = parts(found, states, pairs)
    carried, desk = unknowns[: pairs if committed else states], desk_in(words, states, pairs)
    for x in range(states if pieces == 0 else 0):
        start = terminal[first[x]]
        for i in range(first[x], first[x + 1]):
            start = max(start, terminal[i])
            if committed:
                carried[i] = terminal[i]
        if not committed:
            carried[x] = min(start, 0.0) if truncate else start
    if pieces == 0:
        times[0] = 0.0
    while times[pieces] < horizon:
        if pieces + 1 == times.size:
            return 0
        t, lead, mode = times[pieces], best[pieces], cap[pieces]
        settled = _race(model, aim, desk, carried, t, lead, mode)
        _lead(model, desk, lead, mode, settled)
        _follow(model, committed, desk, lead, mode, settled)
        whole = min(horizon - t, step(desk, aim, lambda_max))
        whole = while_tied(first, aim, desk, lambda_max, whole, lead)
        h = _event(first, aim, desk, t, whole, lead, mode)
        ended = horizon if h >= whole and t + h >= horizon * (1.0 - 1e-15) else t + h
        if not ended > t:
            return -1  # the step is below the resolution of doubles, or not a number
        _keep(aim, desk, h, value[pieces], score[pieces], carried)
        pieces += 1
        times[pieces] = ended
    for x in range(states):
        ends[x] = 0.0
        for j in range(DEGREE_OF_SMALL, -1, -1):
            ends[x] += value[pieces - 1, x, j]
    return pieces


@compiled(forceinline=True, fastmath={"contract"})
def _race(model, aim, desk, carried, t, lead, mode):
    """The orders of all pairs side by side, until everybody knows who leads; returns the first one left out.

    As in :func:`ctucbvi.numeric.race.expand`.
    """
    rate, reward, _, first, owner, row, target, probability, horizon, lambda_max, _ = model
    committed, v, c, since, racing, size = aim.committed, desk.v, desk.c, desk.since, 0, 1e-300
    for i in range(carried.size):
        size = max(size, abs(carried[i]))
    reach = 1.0 / lambda_max if lambda_max * horizon > 1.0 else horizon
    for i in range(rate.size):
        since[i], size = -1, max(size, 1e-2 * abs(reward[i]) * reach)
        if committed:
            desk.out[i] = c[i, 0] = carried[i]
    slack = aim.tie * size
    for x in range(lead.size):
        lead[x] = first[x]
        if first[x + 1] - first[x] > 1:
            desk.still[racing], racing = x, racing + 1
    if committed:
        racing, _ = leaders(desk.out, first, 0, slack, lead, since, desk.still, racing)
    unsure = 0  # caps
    for x in range(lead.size):
        mode[x], desk.cap_since[x] = FREE, 0
        v[x, 0] = carried[lead[x]] if committed else carried[x]
        if aim.truncate:
            over = v[x, 0] - t
            mode[x] = CAPPED if over > slack and committed else FREE if over < -slack else OPEN
            if over >= -slack:
                v[x, 0] = t
            unsure += mode[x] == OPEN
    j = 0
    while j == 0 or (j <= DEGREE_OF_SMALL and racing + unsure > 0):
        order = j + 1 if committed else j
        for i in range(rate.size):
            inflow = 0.0
            for e in range(np.uint64(row[i]), np.uint64(row[i + 1])):  # what may be negative costs time
                inflow += probability[e] * v[np.uint64(target[e]), j]
            slope = rate[i] * (inflow - (c[i, j] if committed else v[owner[i], j]))
            if j == 0:
                slope += reward[i]
            desk.out[i] = c[i, order] = slope * _PART[order] if committed else slope
        slack *= lambda_max * _PART[order]
        racing, _ = leaders(desk.out, first, order, 16.0 * slack, lead, since, desk.still, racing)
        line, unsure = 1.0 if j == 0 else 0.0, 0
        for x in range(lead.size):
            if mode[x] == OPEN:
                over = desk.out[lead[x]] - line
                if abs(over) > 16.0 * slack:
                    mode[x] = CAPPED if over > 0.0 else FREE
                    desk.cap_since[x] = j + 1 if committed or mode[x] == FREE else j
                unsure += mode[x] == OPEN
            rise = desk.out[lead[x]] if committed else desk.out[lead[x]] * _PART[j + 1]
            v[x, j + 1] = line if mode[x] == CAPPED else rise
        j += 1
    return j


@compiled(forceinline=True, fastmath={"contract"})
def _lead(model, desk, lead, mode, since):
    """The orders of V from ``since`` on, at least 1: those of the pairs that lead, or of a cap."""
    rate, row, target, probability, v = model[0], model[5], model[6], model[7], desk.v
    for j in range(since, ORDERS):
        for x in range(lead.size):
            i, inflow = lead[x], 0.0
            for e in range(np.uint64(row[i]), np.uint64(row[i + 1])):
                inflow += probability[e] * v[np.uint64(target[e]), j]
            rise = (rate[i] * _PART[j + 1]) * (inflow - v[x, j])  # 0 where all values are the same
            v[x, j + 1] = rise if mode[x] != CAPPED else 0.0


@compiled(forceinline=True, fastmath={"contract"})
def _follow(model, committed, desk, lead, mode, since):
    """Those of all pairs: of one that leads they are known; for the others p is read once for all orders."""
    rate, owner, row, target, probability = model[0], model[4], model[5], model[6], model[7]
    v, c, flow = desk.v, desk.c, desk.work
    for i in range(rate.size if since < ORDERS else 0):
        x = owner[i]
        if lead[x] == i and mode[x] != CAPPED:
            for j in range(since, ORDERS):
                if committed:
                    c[i, j + 1] = v[x, j + 1]
                else:
                    c[i, j] = v[x, j + 1] * (j + 1.0)
            continue
        for j in range(ORDERS):
            flow[j] = 0.0
        for e in range(np.uint64(row[i]), np.uint64(row[i + 1])):
            p, y = probability[e], np.uint64(target[e])
            for j in range(ORDERS):
                flow[j] += p * v[y, j]
        if committed:
            last = c[i, since]
            for j in range(since, ORDERS):
                c[i, j + 1] = last = (rate[i] * _PART[j + 1]) * (flow[j] - last)
        else:
            for j in range(since, ORDERS):
                c[i, j] = rate[i] * (flow[j] - v[x, j])


# The same as in a march of all models, with the fastmath of this one; the type of the desk tells them apart,
# on disk, too.
_event = compiled(forceinline=True, fastmath={"contract"})(first_event.py_func)
_keep = compiled(forceinline=True, fastmath={"contract"})(keep.py_func)
