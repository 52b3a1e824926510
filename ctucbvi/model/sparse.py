"""A model as flat arrays: pairs of state and action, and the jumps of each.

Transitions are made of them when somebody asks for one (:attr:`ctucbvi.model.CTMDP.transitions`); all that
could be wrong with them is looked for before, in the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ctucbvi.errors import ModelError
from ctucbvi.model.columns import (
    Column,
    Heading,
    Indices,
    alike,
    array_of,
    column,
    fit_sums,
    in_order,
    order_of,
    sums_to_one,
)
from ctucbvi.model.rationals import Reader
from ctucbvi.model.rows import Pair, Transition
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from ctucbvi.model.ctmdp import CTMDP

_SHORT = 8  # a row of so many jumps


@dataclass(frozen=True, eq=False)
class Sparse:
    """State–action pairs sorted by state, then action; jumps sorted by pair."""

    state: Indices  # (pairs,)
    action: Indices  # (pairs,)
    rate: Column  # (pairs,)
    reward: Column  # (pairs,)
    row: Indices  # (pairs + 1,) where the jumps of a pair begin
    target: Indices  # (jumps,)
    probability: Column  # (jumps,), positive
    lump: Column | None = None  # (jumps,); None if all are 0
    choice: Column | None = None  # (pairs,); None if all are 0
    terminal: Column | None = None  # (pairs,); None if all are those of the states

    @classmethod
    def of(cls, model: CTMDP) -> Sparse:
        """The arrays of a model whose transitions are there."""
        states = {x: i for i, x in enumerate(model.states)}
        actions = {a: i for i, a in enumerate(model.actions)}
        rows = model.transitions
        jumps = [jump for row in rows for jump in row.to]
        lump = None
        if any(row.lump for row in rows):
            paid = [(row.to, dict(row.lump)) for row in rows]
            lump = Column.of([lumps.get(y, Fraction(0)) for to, lumps in paid for y, _ in to])
        choice = Column.of([row.choice for row in rows]) if any(row.choice for row in rows) else None
        ends = None
        if any(row.terminal is not None for row in rows):
            own = [
                model.terminal[states[row.state]] if row.terminal is None else row.terminal for row in rows
            ]
            ends = Column.of(own)
        return cls(
            np.array([states[row.state] for row in rows], np.int64),
            np.array([actions[row.action] for row in rows], np.int64),
            Column.of([row.rate for row in rows]),
            Column.of([row.reward for row in rows]),
            np.cumsum([0, *(len(row.to) for row in rows)], dtype=np.int64),
            np.array([states[y] for y, _ in jumps], np.int64),
            Column.of([p for _, p in jumps]),
            lump,
            choice,
            ends,
        )

    def with_ends(self, terminal: Sequence[Fraction]) -> Sparse:
        """The same; no ``terminal`` if it says what those of the states do."""
        if self.terminal is None:
            return self
        ends = zip(self.state.tolist(), self.terminal.fractions(), strict=True)
        return self if any(g != terminal[x] for x, g in ends) else replace(self, terminal=None)

    def transitions(
        self, states: Sequence[str], actions: Sequence[str], terminal: Sequence[Fraction]
    ) -> tuple[Transition, ...]:
        """The same as transitions, one by one; ``terminal`` are the rewards of the states."""
        targets, chances = [states[y] for y in self.target.tolist()], self.probability.fractions()
        lumps = self.lump.fractions() if self.lump is not None else []
        pairs = zip(
            self.state.tolist(), self.action.tolist(), self.rate.fractions(), self.reward.fractions(),
            self.row[:-1].tolist(), self.row[1:].tolist(), strict=True,
        )  # fmt: skip
        found = []
        for x, a, rate, reward, low, high in pairs:
            to = tuple(zip(targets[low:high], chances[low:high], strict=True))
            earned = tuple((y, c) for y, c in zip(targets[low:high], lumps[low:high], strict=False) if c)
            found.append(Transition(states[x], actions[a], rate, reward, to, earned))
        if self.choice is not None:
            found = [replace(row, choice=c) for row, c in zip(found, self.choice.fractions(), strict=True)]
        if self.terminal is not None:
            known = zip(found, self.terminal.fractions(), self.state.tolist(), strict=True)
            found = [replace(row, terminal=None if g == terminal[x] else g) for row, g, x in known]
        return tuple(found)

    def pairs(self, terminal: Sequence[Fraction]) -> tuple[Pair, ...]:
        """The same as pairs, one by one, where nothing is earned at jumps or for choices."""
        jumps = list(zip(self.target.tolist(), self.probability.fractions(), strict=True))
        state, ends = self.state.tolist(), self.terminal
        row = self.row.tolist()
        return tuple(
            map(
                Pair,
                state,
                self.action.tolist(),
                self.rate.fractions(),
                self.reward.fractions(),
                [tuple(jumps[low:high]) for low, high in pairwise(row)],
                [terminal[x] for x in state] if ends is None else ends.fractions(),
            )
        )


# --- what somebody gives ----------------------------------------------------------------------


def two_lists(given: Any, what: str, names: tuple[str, str]) -> tuple[Indices, Indices]:
    """Two lists of indices of the same length."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ModelError(f"{what}: give two lists of indices, of {names[0]}s and of {names[1]}s")
    found = []
    for cells, name in zip((array_of(part, what) for part in given), names, strict=True):
        if cells.ndim != 1 or (cells.dtype.kind not in "iu" and cells.size):
            kind = f"{cells.dtype} of shape {cells.shape}"
            raise ModelError(f"{what}: the {name}s are {kind}; give a list of indices")
        found.append(cells.astype(np.int64, copy=False) if cells.size else np.zeros(0, np.int64))
        if (found[-1] < 0).any():
            raise ModelError(f"{what}: {found[-1].min()} is not the index of a {name}; write 0 or more")
    if len(found[0]) != len(found[1]):
        sizes = f"{len(found[0])} {names[0]}s and {len(found[1])} {names[1]}s"
        raise ModelError(f"{what}: {sizes}; give one each")
    return found[0], found[1]


def _below(cells: Indices, size: int, what: str, name: str) -> Indices:
    """Indices below ``size``."""
    if cells.size and cells.max() >= size:
        raise ModelError(f"{what}: {cells.max()} is not the index of a {name}; write 0 to {size - 1}")
    return cells


class SparseReader:
    """Arrays that somebody gives, checked and put into order."""

    def __init__(self, pairs: Any, jumps: Any, states: Sequence[str], actions: Sequence[str]) -> None:
        self.states, self.actions = states, actions
        state, action = two_lists(pairs, "pairs", ("state", "action"))
        _below(state, len(states), "pairs", "state")
        _below(action, len(actions), "pairs", "action")
        key = state * len(actions) + action
        self.place = order_of(key)  # of each pair, as given
        self.state, self.action, key = (in_order(cells, self.place) for cells in (state, action, key))
        again = np.flatnonzero(key[1:] == key[:-1])
        if again.size:
            raise ModelError(f"transition of {self.where(int(again[0]))}: given twice; keep one")
        idle = np.flatnonzero(np.bincount(self.state, minlength=len(states)) == 0)
        if idle.size:
            absent = f"state {states[int(idle[0])]!r} has no actions"
            raise ModelError(f"{absent}; add a transition for it (rate 0 if it is absorbing)")
        start, self.target = two_lists(jumps, "jumps", ("pair", "target"))
        _below(start, len(state), "jumps", "pair")
        _below(self.target, len(states), "jumps", "state")
        self.moved = np.arange(len(key))
        if self.place is not None:
            self.moved[self.place] = np.arange(len(key))
            start = self.moved[start]
        self.start = start  # the pair of each jump, in order

    def where(self, pair: int) -> str:
        """A pair, for a message."""
        x, a = self.states[int(self.state[pair])], self.actions[int(self.action[pair])]
        return f"state {x!r}, action {a!r}"

    def read(self, numbers: tuple[Any, Any, Any, Any], at_ends: tuple[Any, Any], reader: Reader) -> Sparse:
        """The arrays with their numbers: rates, rewards, probabilities, lumps or None.

        ``at_ends``: what is earned for choosing the pairs and at the end, or None.
        """
        rate = self._of_pairs(numbers[0], reader, "rate")
        reward = self._of_pairs(numbers[1], reader, "reward")
        below = np.flatnonzero(rate.top < 0)
        if below.size:
            value = shown(rate[below[:1]].fractions()[0])
            where = f"transition of {self.where(int(below[0]))}"
            raise ModelError(f"{where}: rate {value} is negative; write 0 or more")
        chance = self._chances(numbers[2], reader)
        lump = None if numbers[3] is None else self._of_jumps(numbers[3], reader, "lump")
        order = order_of(self.start)
        if not chance.top.all():
            order = np.arange(len(self.start)) if order is None else order
            order = order[chance.top[order] != 0]
        self.start, self.target = in_order(self.start, order), in_order(self.target, order)
        row = np.append(0, np.cumsum(np.bincount(self.start, minlength=len(self.state))))
        chance = chance.sorted(order)
        self._check_targets(chance, int(np.diff(row).max(initial=0)))
        chance = self._rows(chance, row, reader, rate)
        lump = None if lump is None else self._lumps(lump.sorted(order), rate)
        choice, ends = (
            None if given is None else self._of_pairs(given, reader, what)
            for given, what in zip(at_ends, ("choice", "terminal"), strict=True)
        )
        choice = choice if choice is not None and choice.top.any() else None
        return Sparse(self.state, self.action, rate, reward, row, self.target, chance, lump, choice, ends)

    def _of_pairs(self, given: Any, reader: Reader, what: str) -> Column:
        heading = Heading(what, "pair", len(self.state), lambda i: self.where(int(self.moved[i])))
        return column(given, reader, heading).sorted(self.place)

    def _of_jumps(self, given: Any, reader: Reader, what: str) -> Column:
        return column(given, reader, Heading(what, "jump", len(self.start), self._jump))

    def _jump(self, k: int) -> str:
        return f"{self.states[int(self.target[k])]!r} at {self.where(int(self.start[k]))}"

    def _chances(self, given: Any, reader: Reader) -> Column:
        """Probabilities as they are given: what a reader makes of them depends on the whole row."""
        if reader.tolerance is not None and not isinstance(given, tuple):
            cells = array_of(given, "probability")
            if cells.dtype == object and any(isinstance(p, float) for p in cells.ravel().tolist()):
                raise ModelError(
                    "probability: floats beside fractions are not rationalized; give floats only"
                )
        return self._of_jumps(given, Reader(), "probability")

    def _check_targets(self, chance: Column, longest: int) -> None:
        below = np.flatnonzero(chance.top < 0)
        if below.size:
            value, jump = shown(chance[below[:1]].fractions()[0]), self._jump(int(below[0]))
            raise ModelError(f"probability of {jump} is {value}; write a number from 0 to 1")
        key = self.start * len(self.states) + self.target
        if longest <= _SHORT and not any((key[k:] == key[:-k]).any() for k in range(1, longest)):
            return  # which is seen faster than by sorting
        key.sort()
        again = key[1:][key[1:] == key[:-1]]
        if again.size:
            pair, y = divmod(int(again[0]), len(self.states))
            what = f"jumps to {self.states[y]!r} twice; add the probabilities up"
            raise ModelError(f"transition of {self.where(pair)}: {what}")

    def _lumps(self, lump: Column, rate: Column) -> Column | None:
        paid = np.flatnonzero(lump.top != 0)
        still = paid[rate.top[self.start[paid]] == 0]
        if still.size:
            where = f"transition of {self.where(int(self.start[still[0]]))}"
            raise ModelError(f"{where}: a lump at a jump, but the rate is 0; leave one of them out")
        return lump if paid.size else None

    def _rows(self, chance: Column, row: Indices, reader: Reader, rate: Column) -> Column:
        """Rows that sum to 1: as they are, or as the reader makes them."""
        counts = np.diff(row)
        empty = np.flatnonzero((counts == 0) & (rate.top != 0))
        if empty.size:
            self._refuse(int(empty[0]), Fraction(0))
        filled = np.flatnonzero(counts)
        weights = chance.bottom is not None and alike(chance.bottom) and fit_sums(chance, row)
        if reader.normalize and weights and filled.size:
            return Column(chance.top, np.repeat(np.add.reduceat(chance.top, row[filled]), counts[filled]))
        if reader.normalize or (reader.tolerance is not None and chance.bottom is None):
            return self._row_by_row(filled, chance, row, reader)
        self._row_by_row(filled[~sums_to_one(chance, row, filled)], chance, row, reader)
        return chance

    def _row_by_row(self, which: Indices, chance: Column, row: Indices, reader: Reader) -> Column:
        """The rows as the reader takes them; one line about the first that does not sum to 1."""
        found: list[Fraction] = []
        for i in which.tolist():
            here = slice(int(row[i]), int(row[i + 1]))
            cells = chance.top[here].tolist() if chance.bottom is None else chance[here].fractions()
            names = [self.states[y] for y in self.target[here].tolist()]
            read = reader.row(dict(zip(names, cells, strict=True)), self.where(i))
            total = sum(read.values(), Fraction(0))
            if total != 1:
                self._refuse(i, total)
            found += read.values()
        return Column.of(found)

    def _refuse(self, pair: int, total: Fraction) -> NoReturn:
        what = f"probabilities sum to {shown(total)}, not exactly 1; correct one of them"
        raise ModelError(f"transition of {self.where(pair)}: {what}")
