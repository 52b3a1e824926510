r"""Pieces that run over switches: what a switch changes is small, and kept apart from the polynomials.

Where the best action of a state changes inside a piece, every value has a kink.  With the position
:math:`u \in [0,1]` within the piece, a score is the polynomial :math:`P_i` that it would be without the
switches, and a few *bends*,

.. math:: \tilde q_i(u) = P_i(u) + \sum_\kappa \sum_{m \ge 2} b_{i\kappa m}\,(u - s_\kappa)_+^m .

At kink :math:`\kappa` one state turns to another action, whose score overtakes by
:math:`d(u) = \sum_m d_m (u - s_\kappa)^m`.  What follows from that has a Taylor series of its own
(:math:`h` is the length of the piece, :math:`w_m` the coefficients of what the value of a target gains:
:math:`d_m` in the state that turns, the bend of its best action elsewhere),

.. math:: (m+1)\,b_{m+1} = h\lambda\bigl(\textstyle\sum_y p(y)\,w_m(y) - b_m\bigr),

and it starts at few pairs: those that lead to the state at :math:`m = 2`, those that lead to a state in which
one of them is best at :math:`m = 3`, and so on.  In a sparse model that is hundreds of times less work than
a new piece.  The powers end at :data:`TOP`; what is left out decides how long a piece may be
(:mod:`ctucbvi.numeric.bending`), and is proved to be small (:mod:`ctucbvi.numeric.bent_residuals`).

Kinks are hints like best actions.  They belong to the committed problem without truncation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats, Integers

POWERS = 4  # of a bend that the planner makes: 2, 3, 4, 5
TOP = POWERS + 1


class Kinks(NamedTuple):
    """The kinks of a solution, piece by piece in increasing time, and what each of them bends."""

    row: Integers  # (pieces + 1,) where the kinks of each piece begin
    place: Floats  # (kinks,) u within the piece
    pair: Integers  # (kinks,) from here on it is hinted to be best in its state
    bent_row: Integers  # (kinks + 1,) where the bends of each kink begin
    bent: Integers  # (bends,) the pair that is bent
    bend: Floats  # (bends, powers): coefficients of (u − place)^m for m = 2, 3, …

    @classmethod
    def none(cls, pieces: int) -> Kinks:
        """No kinks at all."""
        nobody = np.zeros(0, np.int64)
        return cls(
            np.zeros(pieces + 1, np.int64),
            np.zeros(0),
            nobody,
            np.zeros(1, np.int64),
            nobody,
            np.zeros((0, POWERS)),
        )

    def only(self, piece: int) -> Kinks:
        """Those of one piece, as if there were no other."""
        low, high = int(self.row[piece]), int(self.row[piece + 1])
        begin, end = int(self.bent_row[low]), int(self.bent_row[high])
        return Kinks(
            np.array([0, high - low]),
            self.place[low:high].copy(),
            self.pair[low:high].copy(),
            self.bent_row[low : high + 1] - begin,
            self.bent[begin:end].copy(),
            self.bend[begin:end].copy(),
        )

    def turned(self, piece: int, u: float | Fraction, state: int, owner: Integers) -> int:
        """The pair that ``state`` has turned to at ``u``; -1 while it still has the one it began with."""
        low, high = self.row[piece], self.row[piece + 1]
        turns = low + np.flatnonzero(owner[self.pair[low:high]] == state)
        past = [int(self.pair[k]) for k in turns if float(self.place[k]) <= u]
        return past[-1] if past else -1

    def bends(self, piece: int, pair: int) -> list[tuple[float, list[float]]]:
        """The bends of ``pair`` on a piece: place, and coefficients from the second power on."""
        low, high = self.row[piece], self.row[piece + 1]
        begin, end = self.bent_row[low], self.bent_row[high]
        found = np.flatnonzero(self.bent[begin:end] == pair) + begin
        kinks = np.searchsorted(self.bent_row, found, "right") - 1
        return [(float(self.place[k]), self.bend[e].tolist()) for k, e in zip(kinks, found, strict=True)]

    def check(self, pieces: int, orders: int, pairs: int) -> None:
        """Refuse what cannot be kinks: indices out of range, places out of order, numbers that are none."""
        kinks, bends = len(self.place), len(self.bent)
        fits = (
            self.row.shape == (pieces + 1,)
            and self.pair.shape == (kinks,)
            and self.bent_row.shape == (kinks + 1,)
            and self.bend.ndim == 2
            and len(self.bend) == bends
            and (not kinks or 1 <= self.bend.shape[1] <= orders - 2)
        )
        if not fits:
            raise InputError("certificate: the kinks do not fit the pieces, or each other")
        for rows, count in ((self.row, kinks), (self.bent_row, bends)):
            if rows[0] != 0 or rows[-1] != count or (np.diff(rows) < 0).any():
                raise InputError("certificate: the kinks do not belong to the pieces in order")
        piece = np.repeat(np.arange(pieces), np.diff(self.row))
        inside = (self.place >= 0) & (self.place <= 1)
        if not inside.all() or ((np.diff(self.place) < 0) & (np.diff(piece) == 0)).any():
            raise InputError("certificate: the places of the kinks of a piece must increase from 0 to 1")
        for index in (self.pair, self.bent):
            if index.size and not (index.min() >= 0 and index.max() < pairs):
                raise InputError("certificate: a kink is about a pair that the model does not have")
        if not np.isfinite(self.bend).all():
            raise InputError("certificate: a bend is not a finite number")


class Into(NamedTuple):
    """The rows of p by target: which pairs lead to a state."""

    start: Integers  # (states + 1,)
    pair: Integers
    probability: Floats


@compiled()
def into(row, target, probability, states):
    """The same jumps by target, each with the pair that it starts from."""
    start = np.zeros(states + 1, np.int64)
    for k in range(target.size):
        start[target[k] + 1] += 1
    for y in range(states):
        start[y + 1] += start[y]
    place, pair, chance = start.copy(), np.empty(target.size, np.int64), np.empty(target.size)
    for i in range(row.size - 1):
        for k in range(row[i], row[i + 1]):
            at = place[target[k]]
            pair[at], chance[at] = i, probability[k]
            place[target[k]] += 1
    return Into(start, pair, chance)


@compiled(inline="always")
def shift(d, n, by):
    """``Σ_{k<=n} d_k s^k`` in powers of ``s − by``, in place; of non-negative numbers nothing cancels."""
    for level in range(n):
        for k in range(n - 1, level - 1, -1):
            d[k] += by * d[k + 1]
