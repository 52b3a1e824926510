"""The bounds of a solution in words: those of :mod:`ctucbvi.numeric.residuals`, in one compiled call.

What a certificate checks before it proves anything is checked here as well: where something is wrong, there
are no bounds, and the certificate finds out what it is.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.borrowing import borrowed
from ctucbvi.kernels import compiled
from ctucbvi.model import Semantics
from ctucbvi.numbers import ROUNDING
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.residuals import adjustable_bounds, committed_bounds
from ctucbvi.numeric.weighing import TINY, finite, worst
from ctucbvi.numeric.words import SmallSolution, opened, parts, small


def prove_small(solution: SmallSolution, beyond: float) -> Floats | None:
    """What is proved for each piece, with ``beyond`` for the last one; None if something is wrong."""
    kept, bounds = small(solution.model), np.empty(solution.pieces)
    prove = small_committed if solution.semantics is Semantics.COMMITTED else small_adjustable
    if kept is None or not prove(kept.words, solution.found, solution.truncate, beyond, bounds):
        return None
    return bounds


@compiled()
def small_committed(words, found, truncate, beyond, bounds):
    """Fill ``bounds`` for the committed problem; whether the solution is one at all."""
    words, found, bounds = borrowed((words, found, bounds))
    model = opened(words)
    terminal, first = model[2], model[3]
    times, value, score, best, cap, _, _ = parts(found, first.size - 1, terminal.size)
    if not _fits(first, model[8], times, value, score, best, bounds.size):
        return False
    error = 0.0
    for i in range(terminal.size):
        error = worst(error, _apart(score[0, i, 0], terminal[i]))
    shown = truncate, False, times, value[: bounds.size], score[: bounds.size], best, cap
    committed_bounds(model, shown, 0, error, bounds)
    _finish(bounds, beyond)
    return True


@compiled()
def small_adjustable(words, found, truncate, beyond, bounds):
    """The same for the adjustable problem."""
    words, found, bounds = borrowed((words, found, bounds))
    model = opened(words)
    terminal, first = model[2], model[3]
    times, value, score, best, cap, _, _ = parts(found, first.size - 1, terminal.size)
    if not _fits(first, model[8], times, value, score, best, bounds.size):
        return False
    error = 0.0
    for x in range(first.size - 1):
        start = terminal[first[x]]
        for i in range(first[x], first[x + 1]):
            start = max(start, terminal[i])
        error = worst(error, _apart(value[0, x, 0], min(start, 0.0) if truncate else start))
    shown = truncate, False, times, value[: bounds.size], value[: bounds.size], best, cap
    adjustable_bounds(model, shown, 0, error, bounds)
    _finish(bounds, beyond)
    return True


@compiled(inline="always")
def _fits(first, horizon, times, value, score, best, pieces):
    """Whether the times increase from 0 to the horizon, hints are on offer, and coefficients are numbers."""
    fits = 1 <= pieces < times.size and times[0] == 0.0 and times[pieces] == horizon
    for k in range(pieces if fits else 0):
        fits = fits and times[k] < times[k + 1]
        for x in range(first.size - 1):
            fits = fits and first[x] <= best[k, x] < first[x + 1]
            fits = fits and finite(value[k, x])
        for i in range(score.shape[1]):
            fits = fits and finite(score[k, i])
    return fits


@compiled(inline="always")
def _finish(bounds, beyond):
    bounds[bounds.size - 1] += beyond
    for k in range(bounds.size):
        bounds[k] = np.nextafter(bounds[k] + TINY, np.inf)


@compiled(inline="always")
def _apart(given, wanted):
    return abs(given - wanted) + ROUNDING * (abs(given) + abs(wanted) + TINY)
