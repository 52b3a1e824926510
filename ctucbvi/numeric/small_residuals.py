"""The bounds of a solution in words: those of :mod:`ctucbvi.numeric.residuals`, in one compiled call.

What a certificate checks before it proves anything is checked here as well: where something is wrong, there
are no bounds, and the certificate finds out what it is.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.model import Semantics
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.residuals import TINY, UNIT, adjustable_bounds, committed_bounds, worst
from ctucbvi.numeric.words import SmallSolution, lent, opened, parts, small


def prove_small(solution: SmallSolution, beyond: float) -> Floats | None:
    """What is proved for each piece, with ``beyond`` for the last one; None if something is wrong."""
    kept, committed = small(solution.model), solution.semantics is Semantics.COMMITTED
    bounds = np.empty(solution.pieces)
    if kept is None or not small_bounds(
        kept.words, solution.found, committed, solution.truncate, beyond, bounds
    ):
        return None
    return bounds


@compiled()
def small_bounds(words, found, committed, truncate, beyond, bounds):
    """Fill ``bounds``; whether the solution is one at all."""
    words, found, bounds = lent(words), lent(found), lent(bounds)
    model = opened(words)
    terminal, first, horizon = model[2], model[3], model[8]
    states, pairs, pieces = first.size - 1, terminal.size, bounds.size
    times, value, score, best, cap, _, _ = parts(found, states, pairs)
    if not (1 <= pieces < times.size and times[0] == 0.0 and times[pieces] == horizon):
        return False
    fits = True
    for k in range(pieces):
        fits = fits and times[k] < times[k + 1]
        for x in range(states):
            fits = fits and first[x] <= best[k, x] < first[x + 1]
            fits = fits and _finite(value[k, x])
        for i in range(pairs):
            fits = fits and _finite(score[k, i])
    if not fits:
        return False
    value, score = value[:pieces], score[:pieces]
    shown = truncate, False, times, value, score if committed else value, best, cap
    error = 0.0
    for x in range(states):
        start = terminal[first[x]]
        for i in range(first[x], first[x + 1]):
            start = max(start, terminal[i])
            if committed:
                error = worst(error, _apart(score[0, i, 0], terminal[i]))
        if not committed:
            error = worst(error, _apart(value[0, x, 0], min(start, 0.0) if truncate else start))
    if committed:
        committed_bounds(model, shown, 0, error, bounds)
    else:
        adjustable_bounds(model, shown, 0, error, bounds)
    bounds[pieces - 1] += beyond
    for k in range(pieces):
        bounds[k] = np.nextafter(bounds[k] + TINY, np.inf)
    return True


@compiled(inline="always")
def _finite(coefficients):
    total = 0.0
    for j in range(coefficients.size):
        total += 0.0 * coefficients[j]  # not a number, if one of them is not a finite one
    return total == 0.0


@compiled(inline="always")
def _apart(given, wanted):
    return abs(given - wanted) + UNIT * (abs(given) + abs(wanted) + TINY)
