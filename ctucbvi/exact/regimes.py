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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul

from flint import arb, arb_mat, arb_poly, fmpq

from ctucbvi.exact.motion import Motion
from ctucbvi.exact.poisson import Basis, Growth, PoissonSeries
from ctucbvi.exact.precision import largest, precision
from ctucbvi.exact.problem import MarginKey, Problem, Regime, Row

_CELLS = 1 << 16  # products between two looks at the clock
_BRIEF = 6  # rows of a matrix up to which its exponential is quicker than a series


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
    """The solution of one regime from ``start`` on, as Poisson series on ``basis``.

    Series are computed when somebody asks; a point of a small system is found without them, by the
    exponential of its matrix.
    """

    def __init__(
        self,
        problem: Problem,
        regime: Regime,
        start: fmpq,
        carried: Sequence[fmpq | arb],
        basis: Basis,
        check: Callable[[], None] = lambda: None,  # called now and then, and may raise
    ) -> None:
        self._check = check
        self.problem = problem
        self.regime = regime
        self.start = start
        self.basis = basis
        with precision(basis.bits):
            self.carried = [arb(c) for c in carried]
        self._at: tuple[fmpq, list[arb]] | None = None  # a point, and the carried values there
        self._values: tuple[fmpq, list[arb]] | None = None  # the same for the values of the states

    @cached_property
    def growth(self) -> Growth:
        """A bound for the coefficients of all values."""
        problem = self.problem
        known = [*self.carried, arb(self.start)] if problem.truncate else self.carried
        return Growth(largest(known), (arb(problem.steepest) / arb(problem.clock)).upper())

    @cached_property
    def states(self) -> list[list[arb]]:
        """The sequences of the values of all states."""
        with precision(self.basis.bits):
            return self._state_sequences(self._initial_states())

    def _initial_states(self) -> list[arb]:
        """The value of each state at the start of the step."""
        best, capped = self.regime.best, self.regime.capped
        return [
            arb(self.start) if capped[x] else self.carried[best[x] if self.problem.committed else x]
            for x in range(len(best))
        ]

    def _state_sequences(self, initial: list[arb]) -> list[list[arb]]:
        """The sequences v_x, all states at once, by the stochastic recursion."""
        problem, bits = self.problem, self.basis.bits
        unit = Row(arb(1), [], 1 / arb(problem.clock))  # of a capped state
        rows = [
            unit if capped else problem.row(pair, bits)
            for pair, capped in zip(self.regime.best, self.regime.capped, strict=True)
        ]
        if problem.sparse:
            return [list(row) for row in zip(*self._sparse_columns(rows, initial), strict=True)]
        return self._dense_sequences(rows, initial)

    def _dense_sequences(self, rows: list[Row], initial: list[arb]) -> list[list[arb]]:
        """The recursion as a matrix, which is applied to columns with a 1 at the end, for the rewards."""
        size = len(initial) + 1
        entries = [arb(0)] * (size * size)
        for x, row in enumerate(rows):
            at = x * size
            entries[at + x] = row.keep
            for y, w in row.jumps:
                entries[at + y] = entries[at + y] + w
            entries[at + size - 1] = row.gain
        entries[-1] = arb(1)
        step, column = arb_mat(size, size, entries), arb_mat(size, 1, [*initial, arb(1)])
        columns, often = [column.entries()], 1 + _CELLS // (size * size)
        for k in range(self.basis.terms):
            if k % often == 0:
                self._check()
            column = step * column
            columns.append(column.entries())
        return [list(row) for row in zip(*columns, strict=True)][:-1]

    def _sparse_columns(self, rows: list[Row], initial: list[arb]) -> list[list[arb]]:
        columns = [initial]
        for _ in range(self.basis.terms):
            self._check()
            last, column = columns[-1], []
            for x, (keep, jumps, gain) in enumerate(rows):
                value = keep * last[x] + gain
                for y, w in jumps:
                    value += w * last[y]
                column.append(value)
            columns.append(column)
        return columns

    @cached_property
    def _polynomials(self) -> list[arb_poly]:
        return [arb_poly(sequence) for sequence in self.states]

    @cached_property
    def _pairs(self) -> dict[int, list[arb]]:
        """The sequences of pairs that are known: of a committed pair in use, that of its state."""
        if not self.problem.committed:
            return {}
        in_use = zip(self.regime.best, self.regime.capped, self.states, strict=True)
        return {pair: sequence for pair, capped, sequence in in_use if not capped}

    def pair(self, i: int) -> list[arb]:
        """The sequence q_{x,a} (committed) or h_{x,a} (adjustable) of one pair."""
        found = self._pairs.get(i)
        if found is None:
            if self.problem.committed:
                found = self._committed_sequence(self.problem.row(i, self.basis.bits), self.carried[i])
            else:
                found = self._inflow(self.problem.slope(i, self.basis.bits))
            self._pairs[i] = found
        return found

    def forget(self) -> None:
        """Drop the sequences of pairs, and what is made of those of states; both can be made again.

        Who asks from now on does so without a budget.
        """
        self._check = lambda: None
        for name in ("_polynomials", "_pairs", "_margins", "motion"):
            self.__dict__.pop(name, None)

    def forget_all(self) -> None:
        """Drop the series of states as well: of a step that was surveyed without any."""
        self.forget()
        self.__dict__.pop("states", None)

    def _inflow(self, row: Row) -> list[arb]:
        """What jumps and rewards bring, coefficient by coefficient."""
        self._check()
        total = arb_poly([row.gain] * (self.basis.terms + 1))
        for y, w in row.jumps:
            total += w * self._polynomials[y]
        found: list[arb] = total.coeffs()
        return found + [arb(0)] * (self.basis.terms + 1 - len(found))

    def _committed_sequence(self, row: Row, q: arb) -> list[arb]:
        keep, sequence = row.keep, [q]
        for gain in self._inflow(row)[:-1]:
            q = keep * q + gain
            sequence.append(q)
        return sequence

    def value(self, state: int) -> PoissonSeries:
        """v_x over the step."""
        return PoissonSeries(self.states[state], self.growth, self.basis)

    def value_at(self, state: int, x: fmpq) -> arb:
        """v_x at one point; for several states at the same point the work is done once."""
        best = self.regime.best
        if self.problem.truncate or len(best) >= _BRIEF:
            return sum(map(mul, self.states[state], self.basis.weights(x)), self._tail)
        if self._values is None or self._values[0] != x:
            constant = any(self.problem.quotient.pairs[pair].reward for pair in best)
            motion = Motion(self.problem, best, range(len(best)), constant=constant)
            self._values = x, motion.moved(self._initial_states(), x)
        return self._values[1][state]

    @cached_property
    def motion(self) -> Motion:
        """The system of all carried values; only for a problem that is not truncated."""
        best, everything = self.regime.best, range(len(self.carried))
        pairs, place = (everything, best) if self.problem.committed else (best, everything)
        return Motion(self.problem, pairs, place)

    def margin_of(self, key: MarginKey, carried: list[arb], unit: arb) -> arb:
        """The margin of a rival, given all carried values and the constant, or derivatives of these."""
        x, rival = key
        best = self.regime.best[x]
        assert rival is not None
        if self.problem.committed:
            return carried[best] - carried[rival]
        total = arb(0)
        for sign, pair in ((1, best), (-1, rival)):
            row = self.problem.slope(pair, self.basis.bits)
            fixed = row.gain * unit / self.problem.unit
            total += sign * sum((w * carried[y] for y, w in row.jumps), fixed)
        return total

    def lead(self, key: MarginKey) -> arb:
        """The margin of a rival at the start of the step."""
        return self.margin_of(key, self.carried, arb(self.problem.unit))

    def sensitivity(self, key: MarginKey) -> arb:
        """How much the margin of a rival moves at most if every carried value moves by 1."""
        x, rival = key
        assert rival is not None
        if self.problem.committed:
            return arb(2)
        return 2 * arb(self.problem.rates[self.regime.best[x]] + self.problem.rates[rival])

    def commitment(self, pair: int) -> PoissonSeries:
        """q_{x,a} over the step (committed semantics)."""
        return PoissonSeries(self.pair(pair), self.growth, self.basis)

    @cached_property
    def _tail(self) -> arb:
        return arb(0, self.basis.tail(self.growth))

    def know(self, x: fmpq, carried: list[arb]) -> None:
        """Keep the carried values at ``x``, which somebody has found."""
        self._at = x, carried

    def carried_at(self, x: fmpq) -> list[arb]:
        r"""The carried values at ``x``: of every pair, or of every state.

        With weights :math:`w_k` of x, :math:`\sum_k q_k w_k` of a committed pair is
        :math:`q_0 w_0 + \kappa q_0 \psi_0 + \sum_k g_k \psi_k`, where :math:`\kappa = 1 - \lambda/\Lambda`,
        :math:`g_k` is what jumps and rewards bring and :math:`\psi_{k-1} = \kappa\psi_k + w_k`: the
        :math:`\psi` are the same for all pairs of one rate, and no sequence of a pair is needed.
        """
        if self._at is not None and self._at[0] == x:
            return self._at[1]
        if not self.problem.truncate and len(self.carried) < _BRIEF:
            return self.motion.moved(self.carried, x)
        weights = self.basis.weights(x)
        table = arb_mat(len(self.states), len(weights), [a for row in self.states for a in row])
        values = (table * arb_mat(len(weights), 1, weights)).entries()
        if not self.problem.committed:
            return [v + self._tail for v in values]
        known = {
            pair: values[y]
            for y, (pair, capped) in enumerate(zip(self.regime.best, self.regime.capped, strict=True))
            if not capped
        }
        for group in self.problem.by_rate:
            self._check()
            known.update(self._ends([i for i in group if i not in known], weights, table))
        return [known[i] + self._tail for i in range(len(known))]

    def _ends(self, pairs: list[int], weights: list[arb], table: arb_mat) -> list[tuple[int, arb]]:
        """The values at the point with ``weights`` of pairs that have the same rate."""
        if not pairs:
            return []
        rows = [self.problem.row(i, self.basis.bits) for i in pairs]
        keep, sums = rows[0].keep, [arb(0)]
        for w in weights[:0:-1]:
            sums.append(keep * sums[-1] + w)
        sums.reverse()
        targets = {y: n for n, y in enumerate({y: 0 for row in rows for y, _ in row.jumps})}
        if len(targets) < len(self.states):
            table = arb_mat(len(targets), len(sums), [a for y in targets for a in self.states[y]])
        brought = (table * arb_mat(len(sums), 1, sums)).entries()
        if len(targets) == len(self.states):
            targets = {y: y for y in targets}
        stay, total = weights[0] + keep * sums[0], sum(sums, arb(0))
        found = []
        for i, row in zip(pairs, rows, strict=True):
            value = self.carried[i] * stay + row.gain * total
            for y, w in row.jumps:
                value += w * brought[targets[y]]
            found.append((i, value))
        return found

    @cached_property
    def keys(self) -> list[MarginKey]:
        """All margins, state by state."""
        found: list[MarginKey] = []
        for x, best in enumerate(self.regime.best):
            found += [(x, i) for i in self.problem.menu[x] if i != best]
            if self.problem.truncate:
                found.append((x, None))
        return found

    def margin(self, key: MarginKey) -> Margin:
        """One of the things that have to stay non-negative."""
        found = self._margins.get(key)
        if found is None:
            x, rival = key
            best = self.regime.best[x]
            found = self._cap_margin(x, best) if rival is None else self._rivalry(x, best, rival)
            self._margins[key] = found
        return found

    @cached_property
    def _margins(self) -> dict[MarginKey, Margin]:
        return {}

    def _rivalry(self, x: int, best: int, rival: int) -> Margin:
        problem = self.problem
        sequence = [a - b for a, b in zip(self.pair(best), self.pair(rival), strict=True)]
        if problem.committed:
            return Margin(x, rival, self._series(sequence, arb(2)), arb(2), arb(problem.clock), shown=1)
        sensitivity = self.sensitivity((x, rival))
        spread = abs(problem.rewards[best]) + abs(problem.rewards[rival])
        growth = self.growth.scaled(sensitivity) + Growth(arb(spread), arb(0))
        return Margin(x, rival, PoissonSeries(sequence, growth, self.basis), sensitivity, arb(1))

    def _cap_margin(self, x: int, best: int) -> Margin:
        problem = self.problem
        capped = self.regime.capped[x]
        clock = arb(problem.clock)
        cap = [arb(self.start) + k / clock for k in range(self.basis.terms + 1)]
        if not problem.committed:
            if capped:
                sensitivity = 2 * arb(problem.rates[best])
                growth = self.growth.scaled(sensitivity) + Growth(1 + abs(arb(problem.rewards[best])), arb(0))
                slopes = PoissonSeries([a - 1 for a in self.pair(best)], growth, self.basis)
                return Margin(x, None, slopes, sensitivity, arb(1))
            below = [b - a for a, b in zip(self.states[x], cap, strict=True)]
            return Margin(
                x, None, self._series(below, arb(2)), arb(1), 2 * arb(problem.clock), lasting=1, shown=1
            )
        difference = [a - b if capped else b - a for a, b in zip(self.pair(best), cap, strict=True)]
        return Margin(x, None, self._series(difference, arb(2)), arb(1), arb(problem.clock), shown=1)

    def _series(self, sequence: list[arb], factor: arb) -> PoissonSeries:
        return PoissonSeries(sequence, self.growth.scaled(factor), self.basis)
