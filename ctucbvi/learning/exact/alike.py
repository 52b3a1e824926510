r"""Pairs that are equally good by their data, for the optimistic learner.

Pairs with the same reward and the same sets are equally good.  So are some whose sets differ:

* Let :math:`R` be the largest reward.  :math:`\hat V \le Rt`, and states are *full*, :math:`\hat V = Rt`, if
  some pair of reward :math:`R` may never be left, or may lead to full states only.  Where no state is full,
  one that is proved best at all times takes their place.
* A pair that may lead to such *leading* states only never has a use for its smallest rate.
* States whose pairs are alike have the same value and need no names: a mean over an l1 or a kl set depends
  on how many jumps led to each class of such states.  The coarsest classes that keep their promise are found
  by splitting them until nothing is left to split; functions that are constant on them solve the equation,
  whose solution is unique.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from flint import arb

from ctucbvi.exact.precision import to_fmpq

if TYPE_CHECKING:
    from ctucbvi.learning import PairSet, Sets, Settings, Statistics

Key = tuple[object, ...]
_LEADING = -1  # the class of leading states


class Likeness:
    """What the value of each pair depends on."""

    def __init__(
        self,
        statistics: Statistics,
        settings: Settings,
        known: Sets[arb],
        sets: Sequence[PairSet[arb]],
        always_best: Callable[[], int | None],
    ) -> None:
        self._seen, self._settings, self._known, self._sets = statistics, settings, known, sets
        self._model, self._always_best = statistics.model, always_best
        self._top = max(row.reward for row in self._model.transitions)

    @cached_property
    def keys(self) -> list[Key]:
        """One key per pair: pairs of a state with equal keys are equally good."""
        classes = [_LEADING if first else 0 for first in self._leading]
        while True:
            keys = [self._key(k, classes) for k in range(len(self._sets))]
            offers = [
                frozenset(keys[k] for k, pair in enumerate(self._model.pairs) if pair.state == x)
                for x in range(len(classes))
            ]
            names: dict[object, int] = {}
            finer = [
                c if c == _LEADING else names.setdefault((c, offer), len(names))
                for c, offer in zip(classes, offers, strict=True)
            ]
            if len(set(finer)) == len(set(classes)):
                return keys
            classes = finer

    def _key(self, pair: int, classes: list[int]) -> Key:
        reward, here = self._model.transitions[pair].reward, self._sets[pair]
        if reward == self._top and (here.low == 0 or self._fills(pair, self._full)):
            return (reward,)
        if self._fills(pair, self._leading):
            return (reward, self._end(pair, here.high))
        counts: dict[int, int] = {}
        for c, n in zip(classes, self._seen.jumps[pair], strict=True):
            counts[c] = counts.get(c, 0) + n
        jumps = None if self._all(pair) else tuple(sorted(item for item in counts.items() if item[1]))
        return (reward, self._end(pair, here.low), self._end(pair, here.high), jumps)

    def _end(self, pair: int, end: arb) -> object:
        """What an end of the rates depends on."""
        if end is self._known.lambda_max:
            return self._settings.lambda_max
        if end is self._known.lambda_min:
            return self._settings.lambda_min
        return (self._seen.n_plus[pair], self._seen.time[pair])

    def _all(self, pair: int) -> bool:
        """Whether the jumps of a pair may be any: of l1 sets those of radius 2 as well."""
        radius = self._sets[pair].radius
        return radius is None or (self._settings.jumps == "l1" and bool(radius >= 2))

    def _fills(self, pair: int, inside: list[bool]) -> bool:
        """Whether the jumps may all lead ``inside``."""
        if not any(inside):
            return False
        law = zip(self._seen.probability(pair), inside, strict=True)
        outside = sum((p for p, here in law if not here), Fraction(0))
        if self._all(pair) or outside == 0:
            return True
        radius = self._sets[pair].radius
        return self._settings.jumps == "l1" and radius is not None and bool(radius >= to_fmpq(2 * outside))

    @cached_property
    def _full(self) -> list[bool]:
        """The largest set of states that hold each other up."""
        full = [True] * len(self._model.states)
        while True:
            kept = [False] * len(full)
            for k, pair in enumerate(self._model.pairs):
                if pair.reward == self._top and full[pair.state]:
                    kept[pair.state] |= bool(self._sets[k].low == 0) or self._fills(k, full)
            if kept == full:
                return full
            full = kept

    @cached_property
    def _leading(self) -> list[bool]:
        """States that all have the largest value: the full ones, or one that is always best."""
        if any(self._full):
            return self._full
        best = self._always_best()
        return [x == best for x in range(len(self._model.states))]
