"""A model in double precision: flat arrays that compiled code can walk through.

The pairs are sorted by state, so the actions of state ``x`` are the pairs from
``first[x]`` to ``first[x + 1]``; jump probabilities are stored by row, non-zero entries only.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP
from ctucbvi.model.kept import while_it_lives as while_it_lives
from ctucbvi.model.rows import different

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]  # places that are not counted from the end: what may be negative costs time
Goals = NDArray[np.uint32]


class Arrays(NamedTuple):
    """The doubles nearest to the numbers of a model's plain form, as kernels take them."""

    rate: Floats  # (pairs,)
    reward: Floats  # (pairs,)
    terminal: Floats  # (pairs,) what each starts from
    first: Integers  # (states + 1,) the pairs of each state
    owner: Integers  # (pairs,) the state of each pair
    row: Integers  # (pairs + 1,) where each row of p begins
    target: Integers  # (non-zeros,)
    probability: Floats  # (non-zeros,)
    horizon: float
    lambda_max: float  # the largest rate
    scale: float  # no value is larger, as far as doubles go

    @property
    def states(self) -> int:
        """How many there are."""
        return len(self.first) - 1

    def start(self, *, truncate: bool = False) -> Floats:
        """What the states of the adjustable problem start from: the best of their pairs, or 0 if capped."""
        best: Floats = np.maximum.reduceat(self.terminal, self.first[:-1])
        return np.minimum(best, 0.0) if truncate else best

    @classmethod
    def of(cls, model: CTMDP) -> Arrays:
        """The doubles nearest to the numbers of ``model``."""
        return _both(model)[0]

    @classmethod
    def in_order(cls, model: CTMDP) -> Arrays:
        """The same with the targets of each row in increasing order: rows of all states read straight on."""
        return _both(model)[1]

    @property
    def tolerances(self) -> tuple[float, float]:
        """What doubles can give, some rounding errors of the largest value, and what is as large as that."""
        least = max(1e-280, 1e-14 * self.scale)
        return least, max(1.0, 1e14 * least)

    @property
    def unit_of_time(self) -> float:
        """A power of two near the shortest mean holding time where that is extreme, else 1.

        Taylor coefficients in time are of size λ^j, up to j = 20, and would leave the range of doubles.
        """
        lambda_max = self.lambda_max or 1.0 / self.horizon
        if not 0 < lambda_max < inf or 1e-12 < lambda_max < 1e12:
            return 1.0
        return 2.0 ** max(min(-frexp(lambda_max)[1], 1000), -1000)

    def with_rows_in_order(self) -> Arrays:
        """The same numbers, the targets of each row in increasing order."""
        pair = np.repeat(np.arange(len(self.rate)), np.diff(self.row))
        place = pair * self.states + self.target
        if (np.diff(place) > 0).all():
            return self
        order = np.argsort(place, kind="stable")
        return self._replace(target=self.target[order], probability=self.probability[order])

    @classmethod
    def checked(cls, model: CTMDP) -> Arrays:
        """The same, made anew; an error where doubles do not suffice."""
        try:
            found = cls._rounded(model)
        except OverflowError:
            raise InputError(
                f"{model.name}: a number is too large for doubles; use --engine exact, or other units"
            ) from None
        if not found.horizon > 0:
            raise InputError(f"{model.name}: the horizon is 0 in doubles; use --engine exact, or other units")
        return found

    @classmethod
    def _rounded(cls, model: CTMDP) -> Arrays:
        plain = model.plain()
        found, states = plain.sparse, len(model.states)
        counts, rate = np.diff(found.row), found.rate.doubles
        moves = found.rate.top != 0  # a pair that never jumps may have a row all the same
        jumps = slice(None) if moves.all() else np.repeat(moves, counts)
        return cls(
            rate=rate,
            reward=found.reward.doubles,
            terminal=_starts(plain),
            first=np.searchsorted(found.state, np.arange(states + 1)),
            owner=found.state,
            row=np.append(0, np.cumsum(np.where(moves, counts, 0))),
            target=found.target[jumps],
            probability=found.probability.doubles[jumps],
            horizon=float(model.horizon),
            lambda_max=float(rate.max()),
            scale=float(min(model.value_scale, Fraction(10**308))),
        )


def _starts(plain: CTMDP) -> Floats:
    if plain.sparse.terminal is not None:
        return plain.sparse.terminal.doubles
    doubles = {id(g): float(g) for g in different(plain.terminal)}
    return np.array([doubles[id(g)] for g in plain.terminal])[plain.sparse.state]


@while_it_lives
def _both(model: CTMDP) -> tuple[Arrays, Arrays]:
    given = Arrays.checked(model)
    return given, given.with_rows_in_order()
