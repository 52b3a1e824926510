r"""The policy of a march, as computed: when each state turns to which pair.

Best actions stand piece by piece, one for each state.  Most stay what they were, so that a list of the turns
is short where the pieces are many.  Turns are found part by part: a part of the pieces, with the last piece
of the part before in front of it, has all that its own turns depend on.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ctucbvi.enclosure import Enclosure
from ctucbvi.model import CTMDP
from ctucbvi.numeric.arrays import Floats, Integers
from ctucbvi.numeric.kinks import Kinks
from ctucbvi.solutions import Segment


class Turns(NamedTuple):
    """The best pairs of each state in increasing time; each differs from the one before."""

    row: Integers  # (states + 1,) where those of a state begin
    when: Floats  # 0 for the first of each state
    pair: Integers

    def at(self, x: int, t: float) -> int:
        """The pair that is best in state ``x`` at ``t``; at a turn, the one that is best from there on."""
        low, high = int(self.row[x]), int(self.row[x + 1])
        return int(self.pair[low + max(0, int(np.searchsorted(self.when[low:high], t, "right")) - 1)])

    def segments(self, model: CTMDP, end: float) -> list[list[Segment]]:
        """The same as segments up to ``end``, state by state; nothing proves them."""
        when, pair, row = self.when.tolist(), self.pair.tolist(), self.row.tolist()
        points = {t: Enclosure(exactly, exactly) for t in {*when, end} for exactly in (Fraction(t),)}
        actions = {i: (model.action_of(i),) for i in set(pair)}
        ends = [*(points[t] for t in when[1:]), points[end]]
        for last in row[1:]:
            ends[last - 1] = points[end]
        found = [
            Segment(points[t], after, actions[i], False) for t, after, i in zip(when, ends, pair, strict=True)
        ]
        return [found[low:high] for low, high in pairwise(row)]


class TurnList:
    """Turns while they are found."""

    def __init__(self, owner: Integers) -> None:
        self._owner, self._found = owner, list[tuple[Integers, Floats, Integers]]()

    def add(self, times: Floats, best: Integers, kinks: Kinks | None, begin: int) -> None:
        """Go on with the pieces from ``begin`` on: 0 at first, 1 if the piece before them comes again."""
        other = np.empty(best.shape, bool)
        other[0] = begin == 0
        np.not_equal(best[1:], best[:-1], out=other[1:])
        if kinks is not None:  # a state that has turned inside a piece may turn back at its end
            within = np.repeat(np.arange(len(best)), np.diff(kinks.row))
            inner = within < len(best) - 1
            other[within[inner] + 1, self._owner[kinks.pair[inner]]] = True
        piece, state = np.nonzero(other)
        when, pair = times[piece], best[piece, state]
        if kinks is not None:
            new = within >= begin
            within, turned, ends = within[new], kinks.pair[new], times[within[new] + 1]
            place = np.minimum(times[within] + kinks.place[new] * (ends - times[within]), ends)
            order = np.argsort(np.append(piece, within), kind="stable")
            state = np.append(state, self._owner[turned])[order]
            when, pair = np.append(when, place)[order], np.append(pair, turned)[order]
        self._found.append((state, when, pair))

    def turns(self) -> Turns:
        """All of them: of several at the same time the last, and none to the pair that is best already."""
        state, when, pair = (np.concatenate(column) for column in zip(*self._found, strict=True))
        order = np.argsort(state, kind="stable")
        state, when, pair = state[order], when[order], pair[order]
        last = np.append((np.diff(state) > 0) | (np.diff(when) > 0), True)
        state, when, pair = state[last], when[last], pair[last]
        fresh = np.append(True, (np.diff(state) > 0) | (np.diff(pair) != 0))
        state, when, pair = state[fresh], when[fresh], pair[fresh]
        return Turns(np.searchsorted(state, np.arange(state[-1] + 2)), when, pair)
