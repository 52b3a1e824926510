r"""Models of few pairs, and their solutions, in one array each.

Beside a small model a march is quicker than what is around it: an array that compiled code is handed costs a
tenth of a microsecond, one that is made a quarter, and there are thirty of them.  So the numbers of a small
model, and those of its solution, stand one after the other as words of eight bytes, doubles and integers, and
the arrays that a solution shows are made when somebody looks at them.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.model import CTMDP, Number
from ctucbvi.numeric.arrays import Arrays, Floats, Integers, while_it_lives
from ctucbvi.numeric.desk import FEW
from ctucbvi.numeric.solution import NumericSolution

SMALL = FEW  # pairs
DEGREE_OF_SMALL = 18
ORDERS = DEGREE_OF_SMALL + 1


class Small(NamedTuple):
    """A small model in words, and what is asked about it beforehand."""

    words: Floats  # the last ones are for the desk of a march, used again and again
    beside: int  # words that a solution has besides its pieces
    piece: int  # and of each of them
    horizon: float
    least: float  # tolerance
    most: float


@while_it_lives
def small(model: CTMDP) -> Small | None:
    """The model in words; None if it has too many pairs, or a unit of time of its own."""
    arrays = Arrays.in_order(model)
    pairs = len(arrays.rate)
    if pairs > SMALL or arrays.unit_of_time != 1:
        return None
    head = np.array([arrays.states, pairs, len(arrays.target)], np.int64)
    columns = [head, *arrays[:8], np.array(arrays[8:]), np.zeros(desk_size.py_func(arrays.states, pairs))]
    words = np.concatenate([np.ascontiguousarray(column).view(np.float64) for column in columns])
    beside, piece = sizes.py_func(arrays.states, pairs)
    return Small(words, beside, piece, arrays.horizon, *arrays.tolerances)


@compiled(inline="always")
def sizes(states, pairs):
    """How many words a solution has besides its pieces, and how many each of them has."""
    return 1 + pairs + states, 1 + 2 * states + (states + pairs) * ORDERS


@compiled(inline="always")
def opened(words):
    """The arrays of a model in words, as in :class:`Arrays`, but without names."""
    whole = words.view(np.int64)
    states, pairs, jumps = whole[0], whole[1], whole[2]
    a = 3 + 3 * pairs
    b = a + states + 1
    c = b + 2 * pairs + 1
    d = c + 2 * jumps
    return (
        words[3 : 3 + pairs],
        words[3 + pairs : 3 + 2 * pairs],
        words[3 + 2 * pairs : a],
        whole[a:b],
        whole[b : b + pairs],
        whole[b + pairs : c],
        whole[c : c + jumps],
        words[c + jumps : d],
        words[d],
        words[d + 1],
        words[d + 2],
    )


@compiled(inline="always")
def room_in(found, states, pairs):
    """For how many pieces there is room."""
    beside, piece = sizes(states, pairs)
    return (found.size - beside) // piece


@compiled(inline="always")
def parts(found, states, pairs):
    """The arrays of a solution in words: times, value, score, best, cap, unknowns (as in a room), V at H."""
    room = room_in(found, states, pairs)
    a = room + 1
    b = a + room * states * ORDERS
    c = b + room * pairs * ORDERS
    d = c + room * states
    e = d + room * states
    whole = found.view(np.int64)
    return (
        found[:a],
        found[a:b].reshape((room, states, ORDERS)),
        found[b:c].reshape((room, pairs, ORDERS)),
        whole[c:d].reshape((room, states)),
        whole[d:e].reshape((room, states)),
        found[e : e + pairs],
        found[e + pairs :],
    )


class SmallDesk(NamedTuple):
    """What a step of a small march works on, as in :class:`ctucbvi.numeric.desk.StepSheet`."""

    v: Floats  # (states, orders + 1)
    c: Floats  # (pairs, orders + 1)
    out: Floats  # (pairs,)
    power: Floats  # (orders + 1,)
    work: Floats  # (4 * (orders + 1),)
    since: Integers  # (pairs,)
    still: Integers  # (states,)
    cap_since: Integers  # (states,)


@compiled(inline="always")
def desk_size(states, pairs):
    """How many words it has."""
    return (states + pairs) * (ORDERS + 3) + 5 * (ORDERS + 1)


@compiled(inline="always")
def desk_in(words, states, pairs):
    """The one of a model in words."""
    space, width = words[words.size - desk_size(states, pairs) :], ORDERS + 1
    whole = space.view(np.int64)
    a = states * width
    b = a + pairs * width
    d = b + pairs + 5 * width
    e = d + pairs
    return SmallDesk(
        space[:a].reshape((states, width)),
        space[a:b].reshape((pairs, width)),
        space[b : b + pairs],
        space[b + pairs : b + pairs + width],
        space[b + pairs + width : d],
        whole[d:e],
        whole[e : e + states],
        whole[e + states : e + 2 * states],
    )


class SmallSolution(NumericSolution):
    """A solution in words, of which others are given the arrays that it has as a solution."""

    found: Floats
    pieces: int

    @property
    def unseen(self) -> bool:
        """Whether all is as it was made: arrays that somebody has seen may have been changed."""
        return _SHOWN.isdisjoint(self.__dict__)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.model.states), len(Arrays.of(self.model).rate)

    @cached_property
    def _parts(self) -> tuple[Floats, Floats, Floats, Integers, Integers]:
        times, value, score, best, cap = parts.py_func(self.found, *self._shape)[:5]
        return times, value, score, best, cap

    @cached_property
    def times(self) -> Floats:
        """As in :class:`NumericSolution`, and so are the others."""
        return self._parts[0][: self.pieces + 1]

    @cached_property
    def coefficients(self) -> Floats:
        """Of V."""
        return self._parts[1][: self.pieces].transpose(0, 2, 1)

    @cached_property
    def scores(self) -> Floats:
        """Of q or h."""
        return self._parts[2][: self.pieces].transpose(0, 2, 1)

    @cached_property
    def best(self) -> Integers:
        """The hints."""
        return self._parts[3][: self.pieces]

    @cached_property
    def capped(self) -> Integers:
        """The hints about caps."""
        return self._parts[4][: self.pieces]

    def last(self, x: int) -> list[float]:
        """The coefficients of V in state ``x`` on the last piece."""
        states, pairs = self._shape
        before = room_in.py_func(self.found, states, pairs) + 1
        begin = before + ((self.pieces - 1) * states + x) * ORDERS
        found: list[float] = self.found[begin : begin + ORDERS].tolist()
        return found

    def value(self, state: str, t: Number | None = None) -> float:
        """V(state, t), with ``t`` the remaining time (default: the horizon)."""
        model = self.model
        if t is not None or not self.unseen:
            return NumericSolution.value(self, state, t)
        at_the_end = self.found.item(model.state_index(state) - len(model.states))
        return model.objective.turned(at_the_end)


_SHOWN = {"_parts", "times", "coefficients", "scores", "best", "capped"}
