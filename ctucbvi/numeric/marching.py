r"""The one-pass planner in double precision: Taylor steps that end at switches.

Remaining time runs from 0 to :math:`H` once.  A step begins with the race in which best actions and Taylor
coefficients are found (:mod:`ctucbvi.numeric.race`), ends where what is left out would be too much or where
something happens (:mod:`ctucbvi.numeric.steps`), and leaves a piece behind (:mod:`ctucbvi.numeric.desk`).
Errors add up and do not grow, the system being non-expansive, so the tolerance is one on the true error.  No
step allocates or calls Python.
"""

from __future__ import annotations

from typing import Any

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Arrays, Integers
from ctucbvi.numeric.desk import MarchAim, Room, empty_desk
from ctucbvi.numeric.race import expand, follow
from ctucbvi.numeric.steps import first_event, keep, step, while_tied


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
