r"""The regime at remaining time 0, decided in exact rational arithmetic.

At :math:`t = 0` an action is worth what it starts from, mostly :math:`g(x)` for all actions of a state, so
the best one is the one that is best *immediately after*: the first coefficient in which two Poisson series
differ decides, as the first differing Taylor coefficient would.  All data are rational at
:math:`t=0`, hence so are all coefficients, and the comparison is exact.  The coefficients of
order :math:`k+1` need only the maximal ones of order :math:`k`, so no action has to be
guessed: keep, for each state, the set of actions that are still maximal, and shrink it.

Two series that agree in more coefficients than the linear system has dimensions agree for
ever (Cayley–Hamilton): such actions are *exactly* tied for as long as the first regime
lasts, and this is a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from flint import fmpq, fmpq_mat, fmpz

from ctucbvi.exact.problem import MarginKey, Problem, Regime
from ctucbvi.exact.ties import ONE, TIME, Functional, TieEffort

_DENSE = 400_000  # entries of the matrix of jumps, above which it is not formed
_NEEDED = 2  # rounds that are made whatever they cost: without them no order is known


@dataclass(frozen=True)
class Opening:
    """The first regime, and how its margins begin."""

    regime: Regime
    order: dict[MarginKey, int]  # the first so many coefficients are exactly 0
    ties: frozenset[MarginKey]  # margins that are exactly 0 as long as the regime lasts
    open: frozenset[MarginKey]  # margins with no sign yet, for which the effort did not suffice
    relations: tuple[Functional, ...]  # what else is exactly 0: see ctucbvi.exact.ties


def opening(problem: Problem, effort: TieEffort | None = None) -> Opening:
    """Find the first regime of ``problem`` and the exact order of contact of its rivals."""
    effort = effort or TieEffort()
    race = _Race(problem, effort)
    dimension = len(problem.rates if problem.committed else problem.menu) + 2
    while race.open and race.round <= dimension and (race.round < _NEEDED or not effort.over):
        race.advance()
    return race.result(proved=race.round > dimension)


class _Race:
    """The coefficients round by round, with the actions still in the race."""

    def __init__(self, problem: Problem, effort: TieEffort) -> None:
        self.problem = problem
        self.effort = effort
        self.round = 0
        self._edges = sum(len(jumps) + 1 for jumps in problem.jumps)
        self._jumps = _matrix(problem)
        self.in_race = [list(menu) for menu in problem.menu]
        self.cap_open = [problem.truncate] * len(problem.menu)
        self.capped = [False] * len(problem.menu)
        self.order: dict[MarginKey, int] = {}
        self.history: list[list[fmpq]] = []  # the carried coefficients, round by round
        carried = problem.initial_values()
        if problem.committed:
            self.q, self.v = carried, [fmpq(0)] * len(problem.menu)
        else:
            self.v = carried
            if problem.truncate:
                for x, value in enumerate(self.v):
                    if value < 0:
                        self._settle_cap(x, False, 0)
        self._compare()

    @property
    def open(self) -> bool:
        """Whether some state still has more than one action, or an open cap."""
        return any(len(rivals) > 1 for rivals in self.in_race) or any(self.cap_open)

    def advance(self) -> None:
        """Form the next coefficients and compare them."""
        if self.problem.committed:
            self.q = [q + (h / self.problem.clock) for q, h in zip(self.q, self._slopes(self.q), strict=True)]
        else:
            self.v = [v + top / self.problem.clock for v, top in zip(self.v, self.top, strict=True)]
        self.round += 1
        self._compare()

    def _slopes(self, own: list[fmpq]) -> list[fmpq]:
        """The slope r − λ·own + λ Σ p v for every pair (the reward enters every coefficient)."""
        problem = self.problem
        self.effort.spend(self._edges, max(own, key=lambda c: c.q.bit_length()))
        return [
            reward + rate * (value - q)
            for reward, rate, value, q in zip(
                problem.rewards, problem.rates, self._after_jump(), own, strict=True
            )
        ]

    def _after_jump(self) -> list[fmpq]:
        """Σ p v for every pair."""
        if self._jumps is not None:
            # One fraction is reduced per row, and not one per jump.
            return (self._jumps * fmpq_mat(len(self.v), 1, self.v)).entries()
        return [sum((p * self.v[y] for y, p in jumps), fmpq(0)) for jumps in self.problem.jumps]

    def _compare(self) -> None:
        """Drop the actions that fall behind, then compare the leader with the cap."""
        problem = self.problem
        scores = self.q if problem.committed else self._slopes([self.v[x] for x in problem.states])
        cap = self.round / problem.clock if problem.committed else fmpq(1)
        self.top = []
        for x, rivals in enumerate(self.in_race):
            best = max(scores[i] for i in rivals)
            for i in rivals:
                if scores[i] < best:
                    self.order[x, i] = self.round
            self.in_race[x] = [i for i in rivals if scores[i] == best]
            if self.cap_open[x] and best != cap:
                late = 0 if problem.committed or best > cap else 1  # t − v lags one order behind 1 − h
                self._settle_cap(x, best > cap, self.round + late)
            self.top.append(cap if self.capped[x] else best)
        self.history.append(self.q if problem.committed else self.v)
        if problem.committed:
            self.v = self.top

    def _settle_cap(self, x: int, capped: bool, order: int) -> None:
        self.cap_open[x], self.capped[x] = False, capped
        self.order[x, None] = order

    def result(self, *, proved: bool) -> Opening:
        """The regime, with the margins that never opened either proved ties or merely long zeros."""
        best = tuple(rivals[0] for rivals in self.in_race)
        still: set[MarginKey] = {(x, i) for x, rivals in enumerate(self.in_race) for i in rivals[1:]}
        still |= {(x, None) for x, is_open in enumerate(self.cap_open) if is_open}
        order = dict(self.order)
        order.update({key: self.round + 1 for key in still if not proved})
        ties = frozenset(still if proved else ())
        relations = self._relations() if proved else ()
        unsettled = frozenset(() if proved else still)
        return Opening(Regime(best, tuple(self.capped)), order, ties, unsettled, relations)

    def _relations(self) -> tuple[Functional, ...]:
        """Carried values that are affine in time, and those that equal another, for this regime."""
        found: list[Functional] = []
        twins: dict[tuple[tuple[fmpz, fmpz], ...], int] = {}
        for i, sequence in enumerate(zip(*self.history, strict=True)):
            step = sequence[1] - sequence[0]
            if all(b - a == step for a, b in pairwise(sequence)):
                found.append({i: fmpq(1), ONE: -sequence[0], TIME: -step * self.problem.clock})
            first = twins.setdefault(tuple((c.p, c.q) for c in sequence), i)
            if first != i:
                found.append({i: fmpq(1), first: fmpq(-1)})
        return tuple(found)


def _matrix(problem: Problem) -> fmpq_mat | None:
    """The probabilities of all pairs as a matrix, unless it would be large."""
    rows, columns = len(problem.jumps), len(problem.menu)
    if rows * columns > _DENSE:
        return None
    entries = [fmpq(0)] * (rows * columns)
    for i, jumps in enumerate(problem.jumps):
        for y, p in jumps:
            entries[i * columns + y] += p
    return fmpq_mat(rows, columns, entries)
