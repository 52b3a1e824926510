r"""Regimes: the linear systems between two switches, for both semantics.

A *regime* says which action is best in each state, and in which states the truncation
:math:`\min\{t,\cdot\}` is active ("capped").  While a regime lasts the value solves a linear
system with constant coefficients, and everything we need is a Poisson series
(:mod:`ctucbvi.exact.poisson`) in :math:`x = \Lambda s`, :math:`s` the time since the regime
began:

* the value :math:`v_x`: with best action :math:`b`, rate :math:`\lambda`, reward :math:`r`,

  .. math:: v_x^{k+1} = \Bigl(1-\tfrac{\lambda}{\Lambda}\Bigr) v_x^k
            + \tfrac{\lambda}{\Lambda} \sum_y p(y)\, v_y^k + \tfrac{r}{\Lambda},
            \qquad\text{capped: } v_x^{k+1} = v_x^k + \tfrac1\Lambda ;

* committed: the same recursion for :math:`q_{x,a}`, the value of committing to :math:`a`,
  driven by the :math:`v^k`;
* adjustable: :math:`h_{x,a}^k = r - \lambda v_x^k + \lambda\sum_y p(y) v_y^k`, the slope
  that :math:`a` would give.

A regime is the right one as long as its *margins* are non-negative:

============  ====================================  =====================================
margin        committed                             adjustable
============  ====================================  =====================================
other action  :math:`q_{x,b} - q_{x,a}`             :math:`h_{x,b} - h_{x,a}`
not capped    :math:`t - q_{x,b}`                   :math:`t - v_x`
capped        :math:`q_{x,b} - t`                   :math:`h_{x,b} - 1`
============  ====================================  =====================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from flint import arb, arb_mat, fmpq

from ctucbvi.exact.lumping import Quotient
from ctucbvi.exact.poisson import Basis, Growth, PoissonSeries
from ctucbvi.exact.precision import largest, precision, to_fmpq
from ctucbvi.model import Semantics

_DENSE_STATES = 64  # up to here a matrix is quicker than lists, however many of its entries are 0
_DENSITY = 8  # above, lists are quicker if fewer than one entry in so many is not 0
_CELLS = 1 << 16  # products between two looks at the clock


@dataclass(frozen=True, eq=False)
class Problem:
    """A lumped model with everything the recursions need, in FLINT's rationals."""

    quotient: Quotient
    semantics: Semantics
    truncate: bool
    horizon: fmpq
    clock: fmpq  # Λ ≥ every rate, positive
    rates: list[fmpq]  # one per pair
    rewards: list[fmpq]
    jumps: list[list[tuple[int, fmpq]]]
    states: list[int]  # the state of each pair
    menu: list[list[int]]  # the pairs of each state
    _inflow: dict[int, list[dict[int, arb]]] = field(default_factory=dict)  # by precision

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
            horizon=to_fmpq(quotient.model.horizon),
            clock=to_fmpq(pace * quotient.model.max_rate or 1 / quotient.model.horizon),
            rates=[to_fmpq(p.rate) for p in pairs],
            rewards=[to_fmpq(p.reward) for p in pairs],
            jumps=[[(y, to_fmpq(q)) for y, q in p.to] for p in pairs],
            states=[p.state for p in pairs],
            menu=menu,
        )

    @property
    def committed(self) -> bool:
        """Whether the action is held until the next jump."""
        return self.semantics is Semantics.COMMITTED

    @cached_property
    def sparse(self) -> bool:
        """Whether most jumps have probability 0, and there are many."""
        size, jumps = len(self.menu), sum(map(len, self.jumps))
        return size > _DENSE_STATES and jumps * _DENSITY < size * len(self.jumps)

    def inflow(self, bits: int) -> list[dict[int, arb]]:
        """What flows into each pair from the values of the states and from its reward (entry ``size``).

        Committed: λp/Λ and r/Λ, the terms of the recursion; adjustable: the slope itself.
        """
        if bits in self._inflow:
            return self._inflow[bits]
        size = len(self.menu)
        unit = self.clock if self.committed else fmpq(1)
        weights: list[dict[int, fmpq]] = []
        for i, (rate, x) in enumerate(zip(self.rates, self.states, strict=True)):
            row: dict[int, fmpq] = {size: self.rewards[i] / unit}
            for y, p in self.jumps[i]:
                row[y] = row.get(y, fmpq(0)) + rate * p / unit
            if not self.committed:
                row[x] = row.get(x, fmpq(0)) - rate
            weights.append(row)
        with precision(bits):
            return self._inflow.setdefault(bits, [{y: arb(w) for y, w in row.items()} for row in weights])

    def initial_values(self) -> list[fmpq]:
        """What is carried along, at remaining time 0: one number per pair, or one per state."""
        if self.committed:
            return [to_fmpq(pair.start) for pair in self.quotient.pairs]
        g = [to_fmpq(value) for value in self.quotient.terminal]
        return [min(fmpq(0), value) if self.truncate else value for value in g]


@dataclass(frozen=True)
class Regime:
    """Which pair is best in each state, and where the truncation is active."""

    best: tuple[int, ...]
    capped: tuple[bool, ...]


MarginKey = tuple[int, int | None]  # (state, rival pair or None for the cap)


@dataclass(frozen=True)
class Margin:
    """A function that must not be negative for the regime to be the right one."""

    state: int
    rival: int | None  # the other pair; None for the cap
    series: PoissonSeries
    sensitivity: arb  # how much the margin moves if every carried value moves by 1
    harm: arb  # error per unit of violation, for each unit of time that it lasts
    lasting: int = 0  # error per unit of violation, once, unless the margin falls throughout
    shown: int = 0  # 1 if the value read off the regime is wrong by the violation itself

    @property
    def key(self) -> MarginKey:
        """Which margin this is."""
        return self.state, self.rival


class RegimeStep:
    """The solution of one regime from ``start`` on, as Poisson series on ``basis``."""

    def __init__(
        self,
        problem: Problem,
        regime: Regime,
        start: fmpq,
        carried: list[fmpq],
        basis: Basis,
        check: Callable[[], None] = lambda: None,  # called now and then, and may raise
    ) -> None:
        self._check = check
        self.problem = problem
        self.regime = regime
        self.start = start
        self.basis = basis
        self._carried = [arb(c) for c in carried]
        initial = self._initial_states()
        self._states = self._state_sequences(initial)
        steepest = max([abs(r) for r in problem.rewards] + [fmpq(1)] * problem.truncate)
        self.growth = Growth(
            largest([*initial, *self._carried, arb(start) * problem.truncate]),
            (arb(steepest) / arb(problem.clock)).upper(),
        )
        self._pairs = self._pair_sequences()

    def _initial_states(self) -> list[arb]:
        """The value of each state at the start of the step."""
        best, capped = self.regime.best, self.regime.capped
        return [
            arb(self.start) if capped[x] else self._carried[best[x] if self.problem.committed else x]
            for x in range(len(best))
        ]

    def _state_sequences(self, initial: list[arb]) -> list[list[arb]]:
        """The sequences v_x, all states at once, by the stochastic recursion."""
        problem = self.problem
        rows: list[dict[int, fmpq]] = []
        gain = []
        for x, (pair, capped) in enumerate(zip(self.regime.best, self.regime.capped, strict=True)):
            share = fmpq(0) if capped else problem.rates[pair] / problem.clock
            row = {x: 1 - share}
            for y, p in problem.jumps[pair]:
                row[y] = row.get(y, fmpq(0)) + share * p
            rows.append(row)
            gain.append(arb((fmpq(1) if capped else problem.rewards[pair]) / problem.clock))
        weights = [{y: arb(w) for y, w in row.items()} for row in rows]
        columns = self._sparse_columns if problem.sparse else self._dense_columns
        return [list(row) for row in zip(*columns(weights, gain, initial), strict=True)]

    def _dense_columns(
        self, weights: list[dict[int, arb]], gain: list[arb], initial: list[arb]
    ) -> list[list[arb]]:
        size = len(initial)
        step = _matrix(weights, size)
        offset, column = arb_mat(size, 1, gain), arb_mat(size, 1, initial)
        columns, often = [initial], 1 + _CELLS // (size * size)
        for k in range(self.basis.terms):
            if k % often == 0:
                self._check()
            column = step * column + offset
            columns.append(column.entries())
        return columns

    def _sparse_columns(
        self, weights: list[dict[int, arb]], gain: list[arb], initial: list[arb]
    ) -> list[list[arb]]:
        columns = [initial]
        rows = [list(row.items()) for row in weights]
        for _ in range(self.basis.terms):
            self._check()
            column = columns[-1]
            columns.append(
                [sum((w * column[y] for y, w in row), c) for row, c in zip(rows, gain, strict=True)]
            )
        return columns

    def _pair_sequences(self) -> list[list[arb]]:
        """The sequences q_{x,a} (committed) or h_{x,a} (adjustable) of every pair."""
        problem = self.problem
        # A committed pair that is in use has the value of its state.
        found: dict[int, list[arb]] = {}
        if problem.committed:
            in_use = zip(self.regime.best, self.regime.capped, self._states, strict=True)
            found = {pair: sequence for pair, capped, sequence in in_use if not capped}
        others = [i for i in range(len(problem.rates)) if i not in found]
        for i, row in zip(others, self._inflows(others), strict=True):
            found[i] = self._committed_sequence(i, row) if problem.committed else row
        return [found[i] for i in range(len(found))]

    def _inflows(self, pairs: list[int]) -> list[list[arb]]:
        """What flows into ``pairs``, coefficient by coefficient."""
        problem, size, terms = self.problem, len(self._states), self.basis.terms + 1
        weights = problem.inflow(self.basis.bits)
        if problem.sparse:
            return [self._sparse_inflow(weights[i], size) for i in pairs]
        right = arb_mat(size + 1, terms, [a for row in self._states for a in row] + [arb(1)] * terms)
        some = 1 + 4 * _CELLS // ((size + 1) * terms)
        found: list[list[arb]] = []
        for k in range(0, len(pairs), some):
            self._check()
            left = _matrix([weights[i] for i in pairs[k : k + some]], size + 1)
            found += (left * right).tolist()
        return found

    def _sparse_inflow(self, weights: dict[int, arb], size: int) -> list[arb]:
        self._check()
        reward = weights[size]
        jumps = [(w, self._states[y]) for y, w in weights.items() if y != size]
        return [sum((w * v[k] for w, v in jumps), reward) for k in range(self.basis.terms + 1)]

    def _committed_sequence(self, pair: int, inflow: list[arb]) -> list[arb]:
        keep = arb(1 - self.problem.rates[pair] / self.problem.clock)
        q = self._carried[pair]
        sequence = [q]
        for gain in inflow[:-1]:
            q = keep * q + gain
            sequence.append(q)
        return sequence

    def value(self, state: int) -> PoissonSeries:
        """v_x over the step."""
        return PoissonSeries(self._states[state], self.growth, self.basis)

    def commitment(self, pair: int) -> PoissonSeries:
        """q_{x,a} over the step (committed semantics)."""
        return PoissonSeries(self._pairs[pair], self.growth, self.basis)

    def carried_at(self, x: fmpq) -> list[arb]:
        """The carried values at ``x``: of every pair, or of every state."""
        series = self._pairs if self.problem.committed else self._states
        power, powers = arb(1), []
        position = arb(x)
        for w in self.basis.inverse_factorials:
            powers.append(power * w)
            power = power * position
        row = arb_mat(1, len(powers), powers)
        table = arb_mat(len(series), len(powers), [a for sequence in series for a in sequence])
        tail = arb(0, self.basis.tail(self.growth))
        weight = (-position).exp()
        return [a * weight + tail for a in (table * row.transpose()).entries()]

    def margins(self) -> list[Margin]:
        """Everything that has to stay non-negative, state by state."""
        found = []
        for x, best in enumerate(self.regime.best):
            found += [self._rivalry(x, best, i) for i in self.problem.menu[x] if i != best]
            if self.problem.truncate:
                found.append(self._cap_margin(x, best))
        return found

    def _rivalry(self, x: int, best: int, rival: int) -> Margin:
        problem = self.problem
        sequence = [a - b for a, b in zip(self._pairs[best], self._pairs[rival], strict=True)]
        if problem.committed:
            return Margin(x, rival, self._series(sequence, arb(2)), arb(2), arb(problem.clock), shown=1)
        sensitivity = 2 * arb(problem.rates[best] + problem.rates[rival])
        spread = abs(problem.rewards[best]) + abs(problem.rewards[rival])
        growth = self.growth.scaled(sensitivity) + Growth(arb(spread), arb(0))
        return Margin(x, rival, PoissonSeries(sequence, growth, self.basis), sensitivity, arb(1))

    def _cap_margin(self, x: int, best: int) -> Margin:
        problem = self.problem
        sequence, capped = self._pairs[best], self.regime.capped[x]
        clock = arb(problem.clock)
        cap = [arb(self.start) + k / clock for k in range(self.basis.terms + 1)]
        if not problem.committed:
            if capped:
                sensitivity = 2 * arb(problem.rates[best])
                growth = self.growth.scaled(sensitivity) + Growth(1 + abs(arb(problem.rewards[best])), arb(0))
                slopes = PoissonSeries([a - 1 for a in sequence], growth, self.basis)
                return Margin(x, None, slopes, sensitivity, arb(1))
            below = [b - a for a, b in zip(self._states[x], cap, strict=True)]
            return Margin(
                x, None, self._series(below, arb(2)), arb(1), 2 * arb(problem.clock), lasting=1, shown=1
            )
        difference = [a - b if capped else b - a for a, b in zip(sequence, cap, strict=True)]
        return Margin(x, None, self._series(difference, arb(2)), arb(1), arb(problem.clock), shown=1)

    def _series(self, sequence: list[arb], factor: arb) -> PoissonSeries:
        return PoissonSeries(sequence, self.growth.scaled(factor), self.basis)


def _matrix(rows: list[dict[int, arb]], columns: int) -> arb_mat:
    entries = [arb(0)] * (len(rows) * columns)
    for i, row in enumerate(rows):
        for j, weight in row.items():
            entries[i * columns + j] = weight
    return arb_mat(len(rows), columns, entries)
