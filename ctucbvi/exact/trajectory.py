r"""One pass over the horizon at a fixed precision: regimes joined at certified switches.

The pass keeps exact numbers and one error bound.  At the start of each step the carried
values are exact rationals (the centres of the balls the last step ended with); the step
solves its regime in balls; what the balls are wide is added to the bound.

**Why one number is enough.**  The true values obey :math:`z' = F(t,z)` with
:math:`F` built from :math:`r - \lambda z + \lambda \sum_y p(y)\,(\cdot)`, maxima and minima.
Raising all components of :math:`z` by :math:`c` raises no component of :math:`F`, and
:math:`F_i` is non-decreasing in the other components; so two solutions never drift apart in
the sup norm: an error made once stays what it was.  A function :math:`\tilde z` that jumps by
:math:`\delta_j` and misses the equation by :math:`\rho(s)` therefore has
:math:`\|\tilde z(t) - z(t)\|_\infty \le \sum_j \delta_j + \int_0^t \|\rho(s)\|_\infty\,ds`.

**Wrong regimes are only inaccurate.**  Where a margin is negative by at most
:math:`\gamma` for a time :math:`\ell`, the residual is at most :math:`\Lambda\gamma` (committed)
or :math:`\gamma` (adjustable).  The cap of the adjustable problem is an obstacle,
:math:`v \le t`: a :math:`\tilde v` that exceeds it by :math:`\gamma` solves the problem with the
obstacle :math:`t + \gamma`, hence is off by at most :math:`\gamma` from then on; and if it is
rising through the obstacle, then :math:`\min\{\tilde v, t\}`, with which the next regime starts,
misses the equation by at most :math:`2\Lambda\gamma` only.  Hence a comparison that cannot be
decided never makes the enclosure wrong, only wider, by second-order amounts at a transversal
switch; ties need no special treatment.  Signs of margins are proved with the bound as noise, so
that what is said about the policy holds for the true values and not for the computed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import NamedTuple

from flint import arb, ctx, fmpq

from ctucbvi.exact.glance import glance
from ctucbvi.exact.outlook import Outline, Outlook
from ctucbvi.exact.poisson import Basis
from ctucbvi.exact.precision import largest, precision
from ctucbvi.exact.problem import MarginKey, Problem, Regime
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.screen import ManyScreen, Screen
from ctucbvi.exact.signs import Region
from ctucbvi.exact.start import Opening, opening
from ctucbvi.exact.survey import Survey, survey
from ctucbvi.exact.ties import Flow, Relations, TieEffort

Progress = Callable[[float], None]  # called with the part of the horizon that is done

_FIRST_STRIDE, _LONGEST_STRIDE = 64, 1024  # in units of x = Λ·time


_LONGER = 64  # times as long is the next step, where something was expected and did not happen
_CLEARLY = 1 << 16  # times what is unknown of the values
_USUAL_BITS = 1 << 14  # of precision at most, unless the digits that are asked for need more
_BALL = 120  # bytes of a ball besides its digits
_TIE_SHARE = 0.25  # of the time, which proofs of ties may use up


class BudgetError(Exception):
    """The pass was stopped: too many steps, too much memory, or the time is up."""


@dataclass
class Budget:
    """What a computation may spend."""

    seconds: float = 600.0
    steps: int = 100_000  # per pass
    max_bits: int | None = None  # of precision; by default what the digits may need
    memory: int = 2 << 30  # bytes, about, for the series of a pass
    started: float = 0.0  # by the monotonic clock; 0: when the computation begins

    def begin(self) -> Budget:
        """A copy whose clock starts now, unless it has been started before."""
        return replace(self, started=self.started or monotonic())

    def check(self, steps: int) -> None:
        """Stop the pass if it has used up what it has."""
        if steps > self.steps:
            raise BudgetError(f"{self.steps} steps are not enough")
        if self.expired:
            raise BudgetError(f"{self.seconds:g} seconds are not enough")

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return monotonic() - self.started > self.seconds

    @property
    def hurried(self) -> bool:
        """Whether so much of the time is gone that what can be left out should be."""
        return monotonic() - self.started > self.seconds * _TIE_SHARE

    def most_bits(self, start: int) -> int:
        """The precision to stop at for a computation that begins with ``start`` bits."""
        return max(_USUAL_BITS, 4 * start) if self.max_bits is None else self.max_bits


class OpenSign(NamedTuple):
    """Remaining times between which the sign of a margin is unknown."""

    lower: fmpq
    upper: fmpq
    trend: (
        int  # 1 or -1: the true margin is proved to rise or to fall there (or then to rest at 0): one change
    )


@dataclass(frozen=True)
class PassPiece:
    """One step of the pass, from remaining time ``start`` to ``end``."""

    start: fmpq
    end: fmpq
    step: RegimeStep
    error: arb  # proved bound on every carried value throughout the piece
    slack: tuple[arb, ...]  # further error of each state's value, where a margin may be negative
    unresolved: dict[MarginKey, list[OpenSign]]  # where a margin's sign is unknown
    ties: frozenset[MarginKey]  # margins that are exactly zero throughout

    def position(self, t: fmpq) -> fmpq:
        """The Poisson variable x that belongs to remaining time ``t``."""
        return (t - self.start) * self.step.problem.clock


class Pass:
    """A pass over ``[0, H]``; :attr:`pieces` is what it has done so far."""

    def __init__(
        self,
        problem: Problem,
        bits: int,
        budget: Budget,
        progress: Progress | None = None,
        begin: Opening | None = None,  # of an earlier pass: it does not depend on the precision or the pace
    ) -> None:
        self.begin = begin
        self._problem = problem
        self._bits = bits
        self._budget = budget
        self._progress = progress
        self._basis: Basis | None = None
        self._memory = 0
        self._steps = 0
        self._effort = TieEffort(hurried=lambda: budget.hurried)
        self.pieces: list[PassPiece] = []

    def run(self) -> list[PassPiece]:
        """Solve; raises :class:`BudgetError` when the budget is out."""
        with precision(self._bits):
            return self._run()

    def _run(self) -> list[PassPiece]:
        problem = self._problem
        self._check()
        begin = self.begin = self.begin or opening(problem, self._effort, self._check)
        first: Opening | None = begin
        regime, ties = begin.regime, begin.ties
        flow = Flow(problem, regime)
        relations = [*begin.relations, *(flow.margin(key) for key in ties)]
        known = Relations([*relations, *flow.caps(range(len(regime.best)))], self._effort)
        time, error = fmpq(0), arb(0)
        carried: Sequence[fmpq | arb] = problem.initial_values
        stride = fmpq(_FIRST_STRIDE)
        least = fmpq(0)  # length of the next step, where something was expected and did not happen
        outline = None if problem.small else Outline(problem)
        while time < problem.horizon:
            self._check()
            reach = min((problem.horizon - time) * problem.clock, stride)
            basis = self._basis_for(reach, first)
            self._claim_memory(len(carried))
            step = RegimeStep(problem, regime, time, carried, basis, self._check)
            outlook = Outlook(outline, step) if outline else None
            if outlook and (soon := outlook.fall(reach, self._fog(step, error))):
                basis = step.basis = self._basis_for(min(reach, max(soon, least)), first)
            self._steps += 1
            screen = None
            found = glance(step, error, first)
            if found is None:
                self._claim_memory(len(problem.menu) * (basis.terms + 1))
                screen = ManyScreen(step, outlook, error, first) if outlook else Screen(step, first)
                if first is None:
                    ties = _ties(step, known, Flow(problem, regime), screen)
                found = survey(step, error, first, ties, self._check, screen)
            elif first is None:
                ties = frozenset()
            end = time + found.cut / problem.clock
            error = (error + found.damage).upper()
            known = self._surviving(known, regime, found)
            if end > time:  # else a margin is negative from the start: the regime has never been right
                self.pieces.append(self._piece(step, found, end, error, ties, known))
            cut_regime = found.next_regime(step)  # before the series of pairs are gone
            step.forget() if screen else step.forget_all()
            if end < problem.horizon:
                balls = step.carried_at(found.cut)
                carried = [ball.mid() for ball in balls]
                error = (error + largest([ball - ball.mid() for ball in balls])).upper()
            if found.losers:
                regime = cut_regime
                known = known.with_more(Flow(problem, regime).caps(_proved_caps(found)))
                least = fmpq(0)
            elif found.cut < reach:
                least = found.cut * _LONGER
            else:
                stride = min(2 * stride, fmpq(_LONGEST_STRIDE))
            time, first = end, None
            if self._progress:
                self._progress(float(arb(time / problem.horizon)))
        return self.pieces

    def _check(self) -> None:
        self._budget.check(self._steps)

    def _claim_memory(self, balls: int) -> None:
        """Stop before a step whose balls, with those of all steps before, are too many."""
        self._memory += balls * (_BALL + self._bits // 8)
        if self._memory > self._budget.memory:
            raise BudgetError(f"{self._budget.memory >> 20} MiB of memory are not enough")

    def _basis_for(self, reach: fmpq, first: Opening | None) -> Basis:
        least = max(first.order.values(), default=0) + 8 if first else 0
        if self._basis is None or self._basis.reach != reach or first:
            self._basis = Basis(reach, self._bits, least)
        return self._basis

    @staticmethod
    def _fog(step: RegimeStep, error: arb) -> arb:
        """How far below zero a margin is, if its sensitivity is 0, where that will certainly be seen."""
        fog: arb = _CLEARLY * (error + (1 + step.growth.start) / 2**ctx.prec)
        return fog

    def _surviving(self, known: Relations, regime: Regime, found: Survey) -> Relations:
        """What holds to the end of the step, whichever of the possible regimes were right meanwhile."""
        if not known:
            return known
        regimes = found.possible_regimes(regime)
        return (
            known.surviving([Flow(self._problem, r) for r in regimes])
            if regimes
            else Relations(effort=self._effort)
        )

    def _piece(
        self,
        step: RegimeStep,
        found: Survey,
        end: fmpq,
        error: arb,
        ties: frozenset[MarginKey],
        known: Relations,
    ) -> PassPiece:
        start, clock = step.start, self._problem.clock
        flow = Flow(self._problem, step.regime)
        unresolved = {
            key: [
                OpenSign(
                    start + r.lower / clock,
                    start + r.upper / clock,
                    r.trend or _coming_to_rest(key, r, found, known, flow),
                )
                for r in regions
            ]
            for key, regions in found.zeros.items()
            # A tie that survives every possible regime stays one through the doubt.
            if regions and not (key in ties and known.implies(flow.margin(key)))
        }
        return PassPiece(start, end, step, error, found.slack, unresolved, ties)


def _proved_caps(found: Survey) -> list[int]:
    """The states that were capped at the end of the step, with the value certainly rising into the cap."""
    return [
        x
        for x, rival in found.losers
        if rival is None and all(r.falling for r in found.zeros[x, rival] if r.upper == found.cut)
    ]


def _coming_to_rest(key: MarginKey, region: Region, found: Survey, known: Relations, flow: Flow) -> int:
    """-1 if the margin is a multiple of ``t - v`` for a value v that reaches its cap in the region; else 0.

    Such a margin is never negative, falls with ``t - v``, and is 0 from then on: a tie begins, once.
    """
    if key[1] is None or region.upper != found.cut:
        return 0
    factors = [known.factor(flow.margin(key), cap) for cap in flow.below_caps(_proved_caps(found))]
    return -1 if any(factor is not None and factor < 0 for factor in factors) else 0


def _ties(step: RegimeStep, known: Relations, flow: Flow, screen: Screen) -> frozenset[MarginKey]:
    """Margins that are proved to be exactly zero for as long as the regime lasts."""
    small = (1 + step.growth.start) / 2 ** (ctx.prec // 2)  # larger ones are no ties, and cost a proof
    return frozenset(
        m.key
        for m in map(step.margin, screen.may_vanish(small))
        if m.series.is_below(small * m.sensitivity) and known.last(flow.margin(m.key), flow)
    )
