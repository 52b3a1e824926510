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

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from flint import fmpq, fmpz

from ctucbvi.exact.lumping import watched
from ctucbvi.exact.problem import MarginKey, Problem, Regime
from ctucbvi.exact.ties import ONE, TIME, Functional, TieEffort

_ZERO = fmpq(0)
_NEEDED = 2  # rounds that are made whatever they cost: without them no order is known
AT_ONCE = _NEEDED - 1  # the order of what these rounds tell


@dataclass(frozen=True)
class Opening:
    """The first regime, and how its margins begin."""

    regime: Regime
    order: dict[MarginKey, int]  # the first so many coefficients are exactly 0
    ties: frozenset[MarginKey]  # margins that are exactly 0 as long as the regime lasts
    open: frozenset[MarginKey]  # margins with no sign yet, for which the effort did not suffice
    relations: tuple[Functional, ...]  # what else is exactly 0: see ctucbvi.exact.ties


def opening(
    problem: Problem, effort: TieEffort | None = None, check: Callable[[], None] = lambda: None
) -> Opening:
    """Find the first regime of ``problem`` and the exact order of contact of its rivals.

    ``check`` is called now and then, and may raise.
    """
    return _seen(problem, check) or _raced(problem, effort, check)


def _seen(problem: Problem, check: Callable[[], None]) -> Opening | None:
    """The same where doubles tell it: actions start exactly alike, and then differ by more than rounding."""
    numbers, pairs = problem.doubles, problem.quotient.pairs
    if problem.truncate or not numbers.usable:
        return None
    menu, order = problem.menu, dict[MarginKey, int]()
    tops = [] if problem.committed else list(problem.quotient.terminal)
    if problem.committed:
        menu = []
        for x, some in enumerate(problem.menu):
            top = pairs[some[0]].start
            others = [i for i in some if pairs[i].start is not top]  # mostly none
            if any(pairs[i].start != top for i in others):
                top = max(pairs[i].start for i in some)
                order.update({(x, i): 0 for i in some if pairs[i].start != top})
                some = [i for i in some if pairs[i].start == top]
            menu.append(some)
            tops.append(top)
    try:
        values = [n / d for n, d in [top.as_integer_ratio() for top in tops]]
    except OverflowError:
        return None
    best = []
    for x, some in enumerate(watched(menu, check)):
        seen = sorted([(*numbers.slope(i, values), i) for i in some], reverse=True) if len(some) > 1 else []
        for slope, doubt, i in seen[1:]:
            if not seen[0][0] - slope > seen[0][1] + doubt:
                return None
            order[x, i] = int(problem.committed)
        best.append(seen[0][2] if seen else some[0])
    return Opening(Regime(tuple(best), (False,) * len(menu)), order, frozenset(), frozenset(), ())


def _raced(problem: Problem, effort: TieEffort | None, check: Callable[[], None]) -> Opening:
    """The same, however long actions stay alike."""
    effort = effort or TieEffort()
    race = _Race(problem, effort, check)
    dimension = len(problem.rates if problem.committed else problem.menu) + 2
    while race.open and race.round <= dimension and (race.round < _NEEDED or not effort.over):
        race.advance()
    return race.result(proved=race.round > dimension)


class _Race:
    """The coefficients round by round, with the actions still in the race."""

    def __init__(self, problem: Problem, effort: TieEffort, check: Callable[[], None]) -> None:
        self.problem = problem
        self.effort = effort
        self._check = check
        self.round = 0
        self._edges = sum(map(len, problem.jumps)) + len(problem.jumps)
        self.in_race = [list(menu) for menu in problem.menu]
        self.cap_open = [problem.truncate] * len(problem.menu)
        self.capped = [False] * len(problem.menu)
        self.order: dict[MarginKey, int] = {}
        self.values: list[list[fmpq]] = []  # the coefficients of the values of all states, round by round
        self.q = list(problem.initial_values)  # of pairs, right for those in the race; adjustable: of states
        if not problem.committed:
            self.values.append(self.q)
            if problem.truncate:
                for x, value in enumerate(self.q):
                    if value < 0:
                        self._settle_cap(x, False, 0)
        self._compare()

    @property
    def open(self) -> bool:
        """Whether some state still has more than one action, or an open cap."""
        return any(len(rivals) > 1 for rivals in self.in_race) or any(self.cap_open)

    def advance(self) -> None:
        """Form the next coefficients and compare them."""
        clock = self.problem.clock
        if self.problem.committed:
            for i, slope in self._slopes(self.q).items():
                self.q[i] += slope / clock
        else:
            self.values.append([v + top / clock for v, top in zip(self.values[-1], self.top, strict=True)])
        self.round += 1
        self._compare()

    def _slopes(self, own: list[fmpq]) -> dict[int, fmpq]:
        """The slope r − λ·own + λ Σ p v of every pair in the race (the reward enters every coefficient)."""
        values = self.values[-1]
        if self.round >= _NEEDED:
            self.effort.spend(self._edges, max(own, key=lambda c: c.q.bit_length()))
        rows = watched(self.in_race, self._check)
        return {i: self._slope(i, own[i], values) for rivals in rows for i in rivals}

    def _slope(self, pair: int, own: fmpq, values: list[fmpq]) -> fmpq:
        problem = self.problem
        inflow = sum([p * values[y] for y, p in problem.jumps[pair] if values[y]], _ZERO)
        return problem.rewards[pair] + problem.rates[pair] * (inflow - own)

    def _compare(self) -> None:
        """Drop the actions that fall behind, then compare the leader with the cap."""
        problem = self.problem
        scores: list[fmpq] | dict[int, fmpq] = self.q
        if not problem.committed:
            values = self.values[-1]
            scores = self._slopes([values[x] for x in problem.states])
        cap = self.round / problem.clock if problem.committed else fmpq(1)
        self.top = []
        for x, rivals in enumerate(watched(self.in_race, self._check)):
            best = scores[rivals[0]]
            if len(rivals) > 1:
                best = max([scores[i] for i in rivals])
                kept = [i for i in rivals if scores[i] == best]
                self.order.update({(x, i): self.round for i in rivals if i not in kept})
                self.in_race[x] = kept
            if self.cap_open[x] and best != cap:
                late = 0 if problem.committed or best > cap else 1  # t − v lags one order behind 1 − h
                self._settle_cap(x, best > cap, self.round + late)
            self.top.append(cap if self.capped[x] else best)
        if problem.committed:
            self.values.append(self.top)

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
        for i, sequence in enumerate(self._history()):
            step = sequence[1] - sequence[0]
            if all(b - a == step for a, b in pairwise(sequence)):
                found.append({i: fmpq(1), ONE: -sequence[0], TIME: -step * self.problem.clock})
            first = twins.setdefault(tuple((c.p, c.q) for c in sequence), i)
            if first != i:
                found.append({i: fmpq(1), first: fmpq(-1)})
        return tuple(found)

    def _history(self) -> list[list[fmpq]]:
        """The coefficients of everything that is carried, those of pairs that have lost the race included."""
        if not self.problem.committed:
            return [list(sequence) for sequence in zip(*self.values, strict=True)]
        found = []
        for i, q in enumerate(self.problem.initial_values):
            sequence = [q]
            for values in self.values[:-1]:
                q += self._slope(i, q, values) / self.problem.clock
                sequence.append(q)
            found.append(sequence)
        return found
