r"""What a march is told, where its pieces go, and the desk at which a step works.

A piece has, for each state and pair, the coefficients of orders 0 to :math:`d` in
:math:`u = (t - \text{start}) / h`; a step works with those in time itself, up to order :math:`d + 1`, the
first one that is left out and says how long the step may be (:mod:`ctucbvi.numeric.steps`).  A desk is made
once and used by all steps: none of them allocates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH
from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats, Goals, Integers, Words
from ctucbvi.numeric.products import any_full

FREE, CAPPED, OPEN = 0, 1, 2  # V is the best score; t; or nobody knows yet
FEW = 96  # pairs: with so few, calls, not sums, cost time
LANES = WIDTH  # orders that are summed up side by side


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
