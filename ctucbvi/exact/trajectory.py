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

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from flint import arb, ctx, fmpq

from ctucbvi.exact.poisson import Basis, PoissonSeries
from ctucbvi.exact.precision import largest, point, precision
from ctucbvi.exact.regimes import Margin, MarginKey, Problem, Regime, Step
from ctucbvi.exact.signs import Limits, Region, merge, sign_regions, simple_fall
from ctucbvi.exact.start import Opening, opening
from ctucbvi.exact.ties import Flow, Relations

Progress = Callable[[float], None]  # called with the part of the horizon that is done

_FIRST_STRIDE, _LONGEST_STRIDE = 64, 1024  # in units of x = Λ·time
_NOISE_TRIALS = 6
_OPENING = fmpq(1, 16)  # part of the first step in which margins are divided by a power of x


class BudgetError(Exception):
    """The pass was stopped: too many steps, or the time is up."""


@dataclass
class Budget:
    """What a computation may spend."""

    seconds: float = 600.0
    steps: int = 100_000  # per pass
    max_bits: int = 1 << 14
    started: float = 0.0

    def begin(self) -> Budget:
        """A copy whose clock starts now."""
        return replace(self, started=monotonic())

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


@dataclass(frozen=True)
class Piece:
    """One step of the pass, from remaining time ``start`` to ``end``."""

    start: fmpq
    end: fmpq
    step: Step
    error: arb  # proved bound on every carried value throughout the piece
    slack: tuple[arb, ...]  # further error of each state's value, where a margin may be negative
    unresolved: dict[MarginKey, list[tuple[fmpq, fmpq]]]  # times at which a margin's sign is unknown
    ties: frozenset[MarginKey]  # margins that are exactly zero throughout

    def position(self, t: fmpq) -> arb:
        """The Poisson variable x that belongs to remaining time ``t``."""
        return arb((t - self.start) * self.step.problem.clock)


@dataclass(frozen=True)
class _Survey:
    """What the margins of a step say."""

    cut: fmpq  # the regime is good up to here
    losers: list[Margin]  # margins that are negative from the cut on
    zeros: dict[MarginKey, list[Region]]  # unresolved regions before the cut
    damage: arb  # what they add to the error bound
    slack: tuple[arb, ...]

    @property
    def clean(self) -> bool:
        """Whether the true regime was this one throughout, up to one simple switch at its end."""
        doubtful = [(key, region) for key, regions in self.zeros.items() for region in regions]
        if not self.losers:
            return not doubtful
        if len(self.losers) > 1 or len(doubtful) > 1:
            return False
        return all(key == self.losers[0].key and region.falling for key, region in doubtful)


class Pass:
    """A pass over ``[0, H]``; :meth:`run` yields its pieces."""

    def __init__(self, problem: Problem, bits: int, budget: Budget, progress: Progress | None = None) -> None:
        self._problem = problem
        self._bits = bits
        self._budget = budget
        self._progress = progress
        self._bases: dict[str, Basis] = {}

    def run(self) -> list[Piece]:
        """Solve; raises :class:`BudgetError` when the budget is out."""
        with precision(self._bits):
            return self._run()

    def _run(self) -> list[Piece]:
        problem = self._problem
        begin = opening(problem)
        first: Opening | None = begin
        regime, ties = begin.regime, begin.ties
        known = Relations([*begin.relations, *(Flow(problem, regime).margin(key) for key in ties)])
        time, carried, error = fmpq(0), problem.initial_values(), arb(0)
        stride = fmpq(_FIRST_STRIDE)
        pieces: list[Piece] = []
        while time < problem.horizon:
            self._budget.check(len(pieces))
            reach = min((problem.horizon - time) * problem.clock, stride)
            step = Step(problem, regime, time, carried, self._basis(reach))
            flow = Flow(problem, regime)
            known = known.with_more(flow.caps())
            if first is None:
                ties = _ties(step, known, flow)
            survey = self._survey(step, error, first, ties)
            if ties and not survey.clean:
                # The regime may have been another one for a moment: nothing survives that.
                known, ties = Relations(), frozenset()
                survey = self._survey(step, error, first, ties)
            end = time + survey.cut / problem.clock
            error = (error + survey.damage).upper()
            pieces.append(self._piece(step, survey, end, error, ties))
            if end < problem.horizon:
                balls = step.carried_at(survey.cut)
                carried = [point(ball) for ball in balls]
                error = (error + largest([ball - ball.mid() for ball in balls])).upper()
            known = known.surviving(flow) if survey.clean else Relations()
            if survey.losers:
                regime = _next_regime(regime, survey)
            else:
                stride = min(2 * stride, fmpq(_LONGEST_STRIDE))
            time, first = end, None
            if self._progress:
                self._progress(float(arb(time / problem.horizon)))
        return pieces

    def _basis(self, reach: fmpq) -> Basis:
        key = str(reach)
        if key not in self._bases:
            self._bases = {key: Basis(reach, self._bits)}
        return self._bases[key]

    def _piece(self, step: Step, survey: _Survey, end: fmpq, error: arb, ties: frozenset[MarginKey]) -> Piece:
        start, clock = step.start, self._problem.clock
        unresolved = {
            key: [(start + r.lower / clock, start + r.upper / clock) for r in regions]
            for key, regions in survey.zeros.items()
            if regions
        }
        return Piece(start, end, step, error, survey.slack, unresolved, ties)

    def _survey(self, step: Step, error: arb, first: Opening | None, ties: frozenset[MarginKey]) -> _Survey:
        """Prove the signs of all margins, with a noise that covers the damage of this very step."""
        margins = [m for m in step.margins() if m.key not in ties]
        start = _Start(margins, first, step.basis.reach)
        # The margin that is likely to fall first goes first: the others need only be looked at up to there.
        margins.sort(key=start.length)
        reserve = (1 + step.growth.start) / 2**ctx.prec  # a simple switch costs less, being of second order
        for _ in range(_NOISE_TRIALS):
            signs: dict[MarginKey, list[Region]] = {}
            cut = step.basis.reach
            for m in margins:
                noise = (error + reserve) * m.sensitivity
                regions = start.signs(m, cut, noise)
                cut = min([cut] + [r.lower for r in regions if r.sign < 0])
                signs[m.key] = regions
            survey = _summarise(step, margins, signs)
            if survey.damage <= reserve:
                return survey
            reserve = (4 * survey.damage).upper()
        return _nothing_known(margins, survey)


class _Start:
    """How margins begin, and their signs from there.

    At remaining time 0 margins vanish to an order that is known exactly.  Divided by that
    power of x they are positive from the very beginning, up to some point at least; up to
    there the regime is exactly right, the computed values are the true ones, and there is no
    noise.  In later steps margins begin away from zero, and that point is the start.
    """

    def __init__(self, margins: list[Margin], first: Opening | None, reach: fmpq) -> None:
        self._reduced: dict[MarginKey, tuple[int, PoissonSeries]] = {}
        self.end = fmpq(0)  # where the exact beginning ends
        if first is None:
            return
        self.end = reach * _OPENING
        for m in margins:
            order = first.order.get(m.key, 0)
            series = m.series.divided_by_power(order)
            self._reduced[m.key] = order, series
            if not _positive_up_to(series, self.end):
                regions = sign_regions(series, fmpq(0), self.end, until_negative=True)
                self.end = min([self.end] + [r.lower for r in regions if r.sign <= 0])

    def length(self, margin: Margin) -> int:
        """A guess of how long the margin stays positive."""
        order, series = self._reduced.get(margin.key, (0, margin.series))
        return order + series.positive_start()

    def signs(self, margin: Margin, cut: fmpq, noise: arb) -> list[Region]:
        """The signs of one margin, up to ``cut`` or to where it is negative beyond doubt.

        "Beyond doubt" leaves room for the rounding at the end of the step, so that in the next
        regime, where the margin counts the other way round, it begins positive.
        """
        if self._clearly_positive(margin, noise):
            return [Region(fmpq(0), cut, 1, noise)]
        series = margin.series
        rounding = (1 + series.growth.start) * series.basis.terms / 2 ** (ctx.prec - 8)
        drop = 4 * noise + rounding * (1 + margin.sensitivity)
        regions = self._by_descartes(series, cut, Limits((2 * series.level(noise)).upper(), drop.upper()))
        if not regions:
            regions = sign_regions(series, self.end, cut, noise=noise, drop=drop, until_negative=True)
        beginning = [Region(fmpq(0), self.end, 1, noise)] if self.end > 0 else []
        return merge(beginning + regions)

    def _by_descartes(self, series: PoissonSeries, cut: fmpq, limits: Limits) -> list[Region]:
        """The signs from Descartes' rule and two evaluations; nothing where that does not decide."""
        if not limits.sign(series(arb(self.end))) > 0 or not series.stays_above(limits.noise / 2):
            return []
        sign = limits.sign(series(arb(cut)))
        if sign > 0:
            return [Region(self.end, cut, 1, limits.noise)]
        return simple_fall(series, self.end, cut, limits) if sign < 0 else []

    def _clearly_positive(self, margin: Margin, noise: arb) -> bool:
        """Whether the coefficients alone show the margin to be above the noise."""
        order, series = self._reduced.get(margin.key, (0, margin.series))
        if order == 0:
            return series.is_above(noise)
        return self.end > 0 and series.is_above(noise / arb(self.end) ** order)


def _positive_up_to(series: PoissonSeries, end: fmpq) -> bool:
    """Whether Descartes' rule and the values at both ends show that the series is positive."""
    level = 2 * series.level(arb(0))
    return series.stays_above(arb(0)) and series.sequence[0] > level and series(arb(end)) > level


def _ties(step: Step, known: Relations, flow: Flow) -> frozenset[MarginKey]:
    """Margins that are proved to be exactly zero for as long as the regime lasts."""
    small = (1 + step.growth.start) / 2 ** (ctx.prec // 2)  # larger ones are no ties, and cost a proof
    return frozenset(
        m.key
        for m in step.margins()
        if m.series.is_below(small * m.sensitivity) and known.last(flow.margin(m.key), flow)
    )


def _summarise(step: Step, margins: list[Margin], signs: dict[MarginKey, list[Region]]) -> _Survey:
    """Where the regime ends, which margins end it, and what the unresolved regions cost."""
    clock = step.problem.clock
    falls = {key: min([r.lower for r in rs if r.sign < 0], default=None) for key, rs in signs.items()}
    cut = min([fall for fall in falls.values() if fall is not None], default=step.basis.reach)
    losers = [m for m in margins if falls[m.key] == cut]
    zeros: dict[MarginKey, list[Region]] = {}
    damage = arb(0)
    slack = [arb(0) for _ in step.regime.best]
    for m in margins:
        before = [r for r in signs[m.key] if r.sign == 0 and r.lower < cut]
        zeros[m.key] = [replace(r, upper=min(r.upper, cut)) for r in before]
        for r in zeros[m.key]:
            violation = (-r.least).max(arb(0)).upper()
            once = 0 if r.falling else m.lasting
            damage += violation * (once + m.harm * arb((r.upper - r.lower) / clock))
            slack[m.state] = slack[m.state].max(violation * m.shown)
    return _Survey(cut, losers, zeros, damage.upper(), tuple(slack))


def _nothing_known(margins: list[Margin], survey: _Survey) -> _Survey:
    """The noise outgrows the margins: keep the values, which stay proved, and claim no signs."""
    whole = [Region(fmpq(0), survey.cut, 0, arb(0))]
    return replace(survey, zeros={m.key: whole for m in margins})


def _next_regime(regime: Regime, survey: _Survey) -> Regime:
    """Where a margin turned negative its rival takes over; where a cap did, it is put on or off."""
    best, capped = list(regime.best), list(regime.capped)
    lowest: dict[int, arb] = {}
    for m in survey.losers:
        if m.rival is None:
            capped[m.state] = not capped[m.state]
            continue
        value = m.series(arb(survey.cut)).mid()
        if m.state not in lowest or value < lowest[m.state]:
            lowest[m.state] = value
            best[m.state] = m.rival
    return Regime(tuple(best), tuple(capped))
