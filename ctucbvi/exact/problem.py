r"""A lumped model in the numbers that the recursions need: FLINT's rationals, and rows of balls.

A *pair* is an action in a state.  The carried values, one per pair (committed) or per state
(adjustable), are what the pass over the horizon knows at a moment; see :mod:`ctucbvi.exact.regimes`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from ctucbvi.exact.lumping import Quotient
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.model import Semantics

Doubles = NDArray[np.float64]

_DENSE_STATES = 64  # up to here a matrix is quicker than lists, however many of its entries are 0
_DENSITY = 8  # above, lists are quicker if fewer than one entry in so many is not 0
_LARGE = 1e200  # beyond which doubles might overflow
_LEAST = 1e-250  # beside which underflow is nothing
_REGIMES = 8  # the matrices of which are kept
_FEW = 12  # pairs, the margins of which are all computed in balls


class Row(NamedTuple):
    """The numbers of a pair in balls: of a step of its recursion, or of the slope that it gives."""

    keep: arb  # 1 − λ/Λ; of a slope 0
    jumps: list[tuple[int, arb]]  # λp(y)/Λ for every target y; of a slope λp(y), and −λ for the state itself
    gain: arb  # r/Λ; of a slope r


@dataclass(frozen=True, eq=False)
class Problem:
    """A lumped model with everything the recursions need, in FLINT's rationals."""

    quotient: Quotient
    semantics: Semantics
    truncate: bool
    horizon: fmpq
    clock: fmpq  # Λ ≥ every rate, positive
    states: list[int]  # the state of each pair
    menu: list[list[int]]  # the pairs of each state
    _rows: dict[tuple[int, int], Row] = field(default_factory=dict)  # by precision and pair, when needed
    _slopes: dict[tuple[int, int], Row] = field(default_factory=dict)
    _moves: dict[int, tuple[fmpq, list[tuple[int, fmpq]], fmpq]] = field(default_factory=dict)

    @classmethod
    def of(cls, quotient: Quotient, semantics: Semantics, truncate: bool, pace: int = 1) -> Problem:
        """Compile ``quotient`` for one of the two semantics.

        Λ is ``pace`` times the largest rate.  With pace 1 series are shortest; with pace 2 the
        recursion has no negative eigenvalues, hence no alternating coefficients, whose signs
        say nothing about the function.
        """
        pairs = quotient.pairs
        menu: list[list[int]] = [[] for _ in range(quotient.size)]
        for i, pair in enumerate(pairs):
            menu[pair.state].append(i)
        return cls(
            quotient=quotient,
            semantics=semantics,
            truncate=truncate,
            horizon=to_fmpq(quotient.horizon),
            clock=to_fmpq(quotient.max_rate) * pace or 1 / to_fmpq(quotient.horizon),
            states=[p.state for p in pairs],
            menu=menu,
        )

    @cached_property
    def rates(self) -> list[fmpq]:
        """One per pair."""
        return [to_fmpq(pair.rate) for pair in self.quotient.pairs]

    @cached_property
    def rewards(self) -> list[fmpq]:
        """One per pair."""
        return [to_fmpq(pair.reward) for pair in self.quotient.pairs]

    @cached_property
    def jumps(self) -> list[list[tuple[int, fmpq]]]:
        """The targets of each pair, with their probabilities."""
        return [[(y, to_fmpq(p)) for y, p in pair.to] for pair in self.quotient.pairs]

    @cached_property
    def committed(self) -> bool:
        """Whether the action is held until the next jump."""
        return self.semantics is Semantics.COMMITTED

    @cached_property
    def small(self) -> bool:
        """Whether there are few pairs."""
        return len(self.states) <= _FEW

    @cached_property
    def sparse(self) -> bool:
        """Whether most jumps have probability 0, and there are many."""
        size, jumps = len(self.menu), sum(map(len, self.jumps))
        return size > _DENSE_STATES and jumps * _DENSITY < size * len(self.jumps)

    def row(self, pair: int, bits: int) -> Row:
        """The row of the recursion of ``pair``, with ``bits`` bits."""
        found = self._rows.get((bits, pair))
        if found is None:
            with precision(bits):
                share = self.rates[pair] / self.clock
                jumps = [(y, arb(share * p)) for y, p in self.jumps[pair]]
                found = Row(arb(1 - share), jumps, arb(self.rewards[pair] / self.clock))
            self._rows[bits, pair] = found
        return found

    def slope(self, pair: int, bits: int) -> Row:
        """The row of the slope r − λv + λ Σ p v that ``pair`` gives, in the place of a recursion's."""
        found = self._slopes.get((bits, pair))
        if found is None:
            rate, own = self.rates[pair], self.states[pair]
            weights = {own: -rate}
            for y, p in self.jumps[pair]:
                weights[y] = weights.get(y, fmpq(0)) + rate * p
            with precision(bits):
                found = Row(arb(0), [(y, arb(w)) for y, w in weights.items()], arb(self.rewards[pair]))
            self._slopes[bits, pair] = found
        return found

    def forget(self) -> None:
        """Drop the rows in balls, which can be made again."""
        self._rows.clear()
        self._slopes.clear()

    @cached_property
    def doubles(self) -> InDoubles:
        """The same numbers in doubles."""
        return InDoubles(self)

    @cached_property
    def by_rate(self) -> list[list[int]]:
        """The pairs, those of equal rates together."""
        groups: dict[tuple[int, int], list[int]] = {}
        for i, rate in enumerate(self.rates):
            groups.setdefault((int(rate.p), int(rate.q)), []).append(i)
        return list(groups.values())

    @cached_property
    def steepest(self) -> fmpq:
        """No value changes faster than this."""
        return max([abs(r) for r in self.rewards] + [fmpq(1)] * self.truncate)

    @cached_property
    def unit(self) -> fmpq:
        """A power of two about as large as what is earned in a unit of x, in which a matrix counts that."""
        rewards = [abs(pair.reward) for pair in self.quotient.pairs if pair.reward]
        top, bottom = max(rewards, default=Fraction(0)).as_integer_ratio()
        bits = top.bit_length() - bottom.bit_length() - self.clock.p.bit_length() + self.clock.q.bit_length()
        return fmpq(1 << max(bits, 0), 1 << max(-bits, 0)) if top else fmpq(1)

    def move(self, pair: int) -> tuple[fmpq, list[tuple[int, fmpq]], fmpq]:
        """Of ``pair``, per unit of x: λ/Λ, λp(y)/Λ for every target y, and r/Λ in units."""
        found = self._moves.get(pair)
        if found is None:
            numbers = self.quotient.pairs[pair]
            share = to_fmpq(numbers.rate) / self.clock
            jumps = [(y, share * to_fmpq(p)) for y, p in numbers.to]
            gain = to_fmpq(numbers.reward) / (self.clock * self.unit) if numbers.reward else fmpq(0)
            found = self._moves[pair] = share, jumps, gain
        return found

    @cached_property
    def initial_values(self) -> tuple[fmpq, ...]:
        """What is carried along, at remaining time 0: one number per pair, or one per state."""
        if self.committed:
            known, found = {}, []  # mostly all actions of a state start from the same number
            for pair in self.quotient.pairs:
                key = id(pair.start)
                if key not in known:
                    known[key] = to_fmpq(pair.start)
                found.append(known[key])
            return tuple(found)
        g = [to_fmpq(value) for value in self.quotient.terminal]
        return tuple([min(fmpq(0), value) if self.truncate else value for value in g])


class InDoubles:
    """The numbers of a problem in doubles, each right to a few units in the last place."""

    def __init__(self, problem: Problem) -> None:
        try:
            self.usable = self._read(problem)
        except OverflowError:
            self.usable = False

    def _read(self, problem: Problem) -> bool:
        pairs, clock = problem.quotient.pairs, int(problem.clock.p) / int(problem.clock.q)
        if not 1 / _LARGE < clock < _LARGE:
            return False
        self.state = problem.states
        self.rate = [n / d for n, d in [p.rate.as_integer_ratio() for p in pairs]]
        self.reward = [n / d for n, d in [p.reward.as_integer_ratio() for p in pairs]]
        if any(p.reward and abs(r) < _LEAST for p, r in zip(pairs, self.reward, strict=True)):
            return False  # it may have lost digits, and in a unit of the clock be large nevertheless
        self.jumps = [
            [(y, rate * (q.numerator / q.denominator)) for y, q in p.to]
            for p, rate in zip(pairs, self.rate, strict=True)
        ]
        self.clock = clock
        self.drift = max(map(abs, self.reward)) / clock
        self._powers: dict[tuple[int, ...], list[Doubles]] = {}
        return True

    def slope(self, pair: int, values: list[float]) -> tuple[float, float]:
        """The slope r − λv + λ Σ p v that ``pair`` gives, and how far rounding may have moved it."""
        own, rate = values[self.state[pair]], self.rate[pair]
        total, size = self.reward[pair] - rate * own, abs(self.reward[pair]) + rate * abs(own)
        for y, w in self.jumps[pair]:
            total += w * values[y]
            size += w * abs(values[y])
        return total, (size + _LEAST) * (len(self.jumps[pair]) + 8) * 2.0**-51

    def powers(self, best: tuple[int, ...], *, committed: bool) -> list[Doubles]:
        """The recursion of what is carried while the pairs ``best`` are, P, and P^2, P^4, ...

        As many as somebody has added; those of the last regimes are kept.
        """
        found = self._powers.get(best)
        if found is None:
            if len(self._powers) >= _REGIMES:
                self._powers.clear()
            everything = range(len(self.state))
            found = [self.matrix(everything, best) if committed else self.matrix(best, range(len(best)))]
            self._powers[best] = found
        return found

    def matrix(self, pairs: Sequence[int], place: Sequence[int]) -> Doubles:
        """The recursion of rows of values with a 1 at the end: a column for each of ``pairs``.

        The value of state y stands in the place ``place[y]``.
        """
        size, clock = len(pairs) + 1, self.clock
        entries = [0.0] * (size * size)
        entries[-1] = 1.0
        places, rate, jumps, reward = [y * size for y in place], self.rate, self.jumps, self.reward
        for n, pair in enumerate(pairs):
            entries[n * size + n] = 1 - rate[pair] / clock
            for y, w in jumps[pair]:
                entries[places[y] + n] += w / clock
            entries[n - size] = reward[pair] / clock
        return np.frombuffer(array("d", entries)).reshape(size, size)  # quicker than of a list

    def slopes(self, leaders: list[int], rivals: list[int]) -> Doubles:
        """The columns that make, of values and a 1, by how much ``leaders`` rise faster than ``rivals``."""
        size = len(set(self.state)) + 1
        rows = []
        for leader, rival in zip(leaders, rivals, strict=True):
            row = [0.0] * size
            for sign, pair in ((1, leader), (-1, rival)):
                row[self.state[pair]] -= sign * self.rate[pair]
                for y, w in self.jumps[pair]:
                    row[y] += sign * w
                row[-1] += sign * self.reward[pair]
            rows.append(row)
        return np.array(rows).T


@dataclass(frozen=True)
class Regime:
    """Which pair is best in each state, and where the truncation is active."""

    best: tuple[int, ...]
    capped: tuple[bool, ...]


MarginKey = tuple[int, int | None]  # (state, rival pair or None for the cap)
