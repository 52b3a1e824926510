"""The march of a model of few pairs, which is the march of all models, in one compiled call."""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.model import CTMDP, Semantics
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.marching import march
from ctucbvi.numeric.rooms import TIE
from ctucbvi.numeric.words import DEGREE_OF_SMALL, SmallSolution, lent, opened, parts, small, words_for

_FIRST_ROOM, _MORE, _MOST_ROOM = 8, 6, 300  # pieces


def solve_small(
    model: CTMDP, semantics: Semantics | str, tolerance: float, truncate: bool
) -> SmallSolution | None:
    """Solve a small model; None where something is unusual, from a wrong tolerance to many pieces."""
    kept = small(model)
    if kept is None or not kept.least <= tolerance < kept.most:
        return None
    if semantics is not Semantics.COMMITTED or truncate:
        semantics = Semantics(semantics)
        model.plain(truncate=truncate, semantics=semantics)  # refuses what has no value
    committed, allowed = semantics is Semantics.COMMITTED, 0.5 * tolerance / kept.horizon
    room, pieces = _FIRST_ROOM, 0
    while pieces == 0 and room < _MOST_ROOM:
        found = np.empty(words_for(room, kept.states, kept.pairs))
        pieces = small_march(kept.words, kept.space, found, committed, truncate, allowed)
        room *= _MORE
    if pieces == 0:
        return None
    solution = object.__new__(SmallSolution)
    solution.__dict__.update(
        model=model, semantics=semantics, truncate=truncate, tolerance=tolerance, found=found, pieces=pieces
    )
    return solution


@compiled()
def small_march(
    words: Floats, space: Floats, found: Floats, committed: bool, truncate: bool, allowed: float
) -> int:
    """March to the horizon; returns how many pieces there are, or 0 if not all have room."""
    words, space, found = lent(words), lent(space), lent(found)
    model = opened(words)
    first, terminal, horizon = model[3], model[2], model[8]
    states, pairs = first.size - 1, terminal.size
    times, value, score, best, cap, unknowns, ends = parts(found, states, pairs)
    times[0] = 0.0
    for x in range(states):
        start = terminal[first[x]]
        for i in range(first[x], first[x + 1]):
            start = max(start, terminal[i])
            if committed:
                unknowns[i] = terminal[i]
        if not committed:
            unknowns[x] = min(start, 0.0) if truncate else start
    room = times, value, score, best, cap, unknowns[: pairs if committed else states], space
    aim = committed, truncate, allowed, np.inf, TIE, DEGREE_OF_SMALL
    pieces: int = march(model, aim, room, horizon, 0, times.size - 1, np.empty(0, np.int64))
    if times[pieces] < horizon:
        return 0
    for x in range(states):
        ends[x] = 0.0
        for j in range(DEGREE_OF_SMALL, -1, -1):
            ends[x] += value[pieces - 1, x, j]
    return pieces
