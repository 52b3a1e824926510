r"""The compiled learner of the studies, which plans on a grid, against the exact side.

**A learner with a bonus**: what it counted, and its actions (:func:`away`).

**The optimistic learner** solves :math:`Q' = F(Q)` by steps :math:`Q_{i+1} = \Phi(Q_i)` of the third-order
method of Shu and Osher, :math:`\Phi(Q) = \frac13Q + \frac23E(\frac34Q + \frac14E(E(Q)))` with :math:`E(Q) =
Q + \Delta F(Q)`.  As :math:`\Delta\lambda_{\max} \le 1`, :math:`E` and with it :math:`\Phi` do not increase
differences, so its table is off by no more than what its steps miss when they start from the truth, added
up:

.. math:: \|\tilde Q_i - Q(t_i)\| \le \sum_{j<i}\|\Phi(Q(t_j)) - Q(t_{j+1})\| + \text{rounding}.

The right side is computed from the exact side's values, the left side is proved by them.  Its largest value
:math:`e` is the proved error of the table; the certificate that the fast side makes of its table by itself
(:mod:`ctucbvi.learning.fast.set_certificate`) must not be smaller.  The sets agree up to rounding.  An
action must be within :math:`2e` of the best one at the grid point where it is read off: the nearest, or
:math:`t_1` in the place of :math:`t_0`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from flint import arb, fmpq

from ctucbvi.exact.precision import enclosure, precision
from ctucbvi.learning.exact.optimistic import OptimisticPlan
from ctucbvi.learning.lockstep.records import Difference, Differences

if TYPE_CHECKING:
    from ctucbvi.learning.lockstep.records import LockstepEpisode
    from ctucbvi.learning.statistics import Statistics

_BITS = 96  # of the steps that are made from the exact values
_ROUNDING = Fraction(1, 2**44)  # of doubles, relative to what is added up


class GridLeader(Protocol):
    """What is asked of a compiled learner."""

    steps: int  # cells of its grid
    sets: Any  # of the optimistic one: low, high and reach (α/2 or c, negative for all vectors) of each pair
    room: Any  # its table, (pairs, steps + 1) values

    @property
    def time(self) -> Sequence[Fraction]:
        """T of each pair."""

    @property
    def n_plus(self) -> Sequence[int]:
        """N⁺ of each pair."""

    def advance(self, episodes: int) -> Any:
        """Play, and return what was played and how often it planned."""

    def certified_error(self) -> float:
        """Of the optimistic one: plan with the present sets, and bound the error of the table."""


# --- all learners -----------------------------------------------------------------------------


def away(step: LockstepEpisode, horizon: Fraction, cell: Fraction) -> Iterator[Difference]:
    """The recorded actions that are not those of the exact policy, and how far from a switch they are."""
    remaining = horizon
    for visit in step.drawn.visits:
        chosen = step.plan.action(visit.state, remaining)
        if chosen != visit.action:
            places = [s.lower for s in step.plan.switches if s.state == visit.state]
            gap = min((float(abs(remaining - t)) for t in places), default=inf)
            where = f"{visit.state}@{float(remaining):.17g}"
            yield Difference(
                step.episode, "action", where, visit.action, str(chosen), gap, float(cell), gap < cell
            )
        remaining -= visit.holding


def planned_apart(step: LockstepEpisode, planned: int) -> Iterator[Difference]:
    """Whether only one of two lazy learners planned this episode."""
    exactly = step.plan.episode == step.episode
    if step.plan.settings.replan and bool(planned) != exactly:
        said = {True: "made", False: "kept"}
        yield Difference(
            step.episode, "plan", "all pairs", said[bool(planned)], said[exactly], inf, 0.0, False
        )


def miscounted(step: LockstepEpisode, leader: GridLeader, exact: Statistics) -> Iterator[Difference]:
    """T and N⁺ after the episode, pair by pair, where they are not equal."""
    for k, row in enumerate(exact.model.transitions):
        pairs = (("T", leader.time[k], exact.time[k]), ("N", int(leader.n_plus[k]), exact.n_plus[k]))
        for name, mine, true in pairs:
            if mine != true:
                where = f"{row.state}/{row.action} {name}"
                yield Difference(step.episode, "estimate", where, str(mine), str(true), inf, 0.0, False)


# --- the optimistic learner -------------------------------------------------------------------


class SetComparison:
    """One plan of the optimistic learner on a grid against the exact one."""

    def __init__(self, plan: OptimisticPlan, leader: GridLeader, episode: int | None = None) -> None:
        self._plan, self._leader = plan, leader
        self._horizon = plan.model.horizon
        self.differences = Differences(plan.episode if episode is None else episode)
        certified = leader.certified_error()  # which plans, should that have been left out
        self._sets()
        self.error = self._values()
        if self.error > Fraction(certified):
            self.differences.note("certificate", "table", repr(certified), repr(float(self.error)))

    def _sets(self) -> None:
        """The ends of the rates and the radii of the jumps, where they differ by more than rounding."""
        mine, seen = self._leader.sets, self._plan.statistics
        for k, row in enumerate(self._plan.model.transitions):
            here, where = self._plan.sets[k], f"{row.state}/{row.action}"
            seen_rate = seen.n_plus[k] / seen.time[k] if seen.time[k] else Fraction(0)
            blur = _ROUNDING * (self._plan.settings.lambda_max + seen_rate)
            self.differences.compare("set", f"{where} low", float(mine.low[k]), enclosure(here.low).mid, blur)
            self.differences.compare(
                "set", f"{where} high", float(mine.high[k]), enclosure(here.high).mid, blur
            )
            reach = float(mine.reach[k])
            if here.radius is None or (self._plan.settings.jumps == "l1" and here.radius >= 2):
                if reach >= 0:
                    self.differences.note("set", f"{where} jumps", repr(reach), "all")
                continue
            true = enclosure(here.radius / (2 if self._plan.settings.jumps == "l1" else 1)).mid
            self.differences.compare("set", f"{where} jumps", reach, true, true * _ROUNDING)

    def _values(self) -> Fraction:
        """The proved error of the table; it is a difference where the steps do not account for it."""
        steps, pairs = self._leader.steps, len(self._plan.sets)
        worst, missed = Fraction(0), Fraction(0)
        blur = _ROUNDING * self._horizon * (1 + self._plan.settings.lambda_max * self._horizon)
        with precision(_BITS):
            before = self._at(0)
            for i in range(1, steps + 1):
                after = self._at(i)
                made = self._made(before, fmpq(1, steps))
                step = max((enclosure(abs(a - b)).upper for a, b in zip(made, after, strict=True)))
                missed += step * self._horizon
                for k in range(pairs):
                    true = enclosure(after[k])
                    mine = Fraction(float(self._leader.room.table[k, i]))
                    gap = max(abs(mine - end * self._horizon) for end in (true.lower, true.upper))
                    if gap > missed + blur and gap > worst:
                        self.differences.note(
                            "value", f"{self._name(k)}@{i}/{steps}", repr(float(mine)),
                            repr(float(true.mid * self._horizon)), gap, missed + blur,
                        )  # fmt: skip
                    worst = max(worst, gap)
                before = after
        return worst

    def _at(self, i: int) -> list[arb]:
        """The exact values at a grid point, in units of the horizon."""
        t, trajectory = fmpq(i, self._leader.steps), self._plan.trajectory
        piece = trajectory.piece(t)
        return [piece.commitment(k, t) for k in range(len(self._plan.sets))]

    def _made(self, q: list[arb], cell: fmpq) -> list[arb]:
        """What the steps of the method make of ``q`` in a cell."""
        load = self._plan.settings.lambda_max * self._horizon
        parts = max(1, -(-load.numerator // (load.denominator * self._leader.steps)))
        delta = cell / parts
        for _ in range(parts):
            first = self._euler(q, delta)
            second = [(3 * a + b) / 4 for a, b in zip(q, self._euler(first, delta), strict=True)]
            q = [(a + 2 * b) / 3 for a, b in zip(q, self._euler(second, delta), strict=True)]
        return q

    def _euler(self, q: list[arb], delta: fmpq) -> list[arb]:
        return [a + delta * b for a, b in zip(q, self._plan.equation.slopes(q), strict=True)]

    def _name(self, pair: int) -> str:
        row = self._plan.model.transitions[pair]
        return f"{row.state}/{row.action}"

    def actions(self, step: LockstepEpisode) -> None:
        """The recorded actions that are not those of the exact policy, and by how much they are worse."""
        row = {(r.state, r.action): k for k, r in enumerate(self._plan.model.transitions)}
        remaining, cell = self._horizon, self._horizon / self._leader.steps
        for visit in step.drawn.visits:
            chosen = self._plan.action(visit.state, remaining)
            if chosen != visit.action:
                read = max(round(remaining / cell), 1) * cell
                gap = self._behind(row[visit.state, visit.action], read)
                allowed = 2 * self.error
                where = f"{visit.state}@{float(remaining):.17g}"
                self.differences.note(
                    "action", where, visit.action, chosen, gap, allowed, explained=gap <= allowed
                )
            remaining -= visit.holding

    def _behind(self, pair: int, t: Fraction) -> Fraction:
        """By how much a pair is worse than the best one of its state, at most."""
        x = self._plan.model.pairs[pair].state
        with precision(_BITS):
            mine = self._plan.commitment(pair, t)
            rivals = [self._plan.commitment(k, t) for k in self._plan.equation.menu[x]]
            return max(enclosure(rival - mine).upper for rival in rivals)


def compare_with_grid(step: LockstepEpisode, leader: GridLeader) -> SetComparison | None:
    """The comparison of an episode of the optimistic learner; there is none for the others."""
    if not isinstance(step.plan, OptimisticPlan):
        return None
    found = SetComparison(step.plan, leader, step.episode)
    found.actions(step)
    return found
