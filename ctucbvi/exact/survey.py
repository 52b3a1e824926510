r"""What the margins of a step say: how long its regime is right, and what is in doubt meanwhile.

A *sign* of a margin is claimed only where it holds for the true values: the margin must exceed
``sensitivity`` times the error bound, with a *reserve* added to the bound for the damage that
this very step may do.  Where no sign can be claimed the regime may be wrong for a moment; how
negative the margin can be there, and for how long, is the damage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from flint import arb, ctx, fmpq

from ctucbvi.exact.poisson import PoissonSeries
from ctucbvi.exact.precision import hull, largest
from ctucbvi.exact.regimes import Margin, MarginKey, Regime, Step
from ctucbvi.exact.signs import Limits, Region, merge, sign_regions, simple_fall
from ctucbvi.exact.start import Opening

_NOISE_TRIALS = 6
_OPENING = fmpq(1, 16)  # part of the first step in which margins are divided by a power of x
_MOST_REGIMES = 16  # that may have been right during a doubt, for anything to be said about it


@dataclass(frozen=True)
class Survey:
    """The margins of a step, up to the point at which its regime ends."""

    cut: fmpq  # the regime is good up to here
    losers: list[Margin]  # margins that are negative from the cut on
    zeros: dict[MarginKey, list[Region]]  # unresolved regions before the cut
    damage: arb  # what they add to the error bound
    slack: tuple[arb, ...]  # by which the value read off may be wrong besides, per state

    @property
    def first_doubt(self) -> fmpq:
        """Up to here the regime is certainly the right one."""
        return min([r.lower for regions in self.zeros.values() for r in regions], default=self.cut)

    def possible_regimes(self, regime: Regime) -> list[Regime]:
        """The regimes that may be right somewhere before the cut; none if there are too many."""
        doubtful = {key for key, regions in self.zeros.items() if regions}
        doubtful |= {m.key for m in self.losers}
        best = [[b, *(i for x, i in doubtful if x == y and i is not None)] for y, b in enumerate(regime.best)]
        caps = [[c, not c] if (x, None) in doubtful else [c] for x, c in enumerate(regime.capped)]
        if prod(map(len, best)) * prod(map(len, caps)) > _MOST_REGIMES:
            return []
        return [Regime(b, c) for b in product(*best) for c in product(*caps)]

    def next_regime(self, regime: Regime) -> Regime:
        """Where a margin turned negative its rival takes over; where a cap did, it is put on or off."""
        best, capped = list(regime.best), list(regime.capped)
        lowest: dict[int, arb] = {}
        for m in self.losers:
            if m.rival is None:
                capped[m.state] = not capped[m.state]
                continue
            value = m.series(arb(self.cut)).mid()
            if m.state not in lowest or value < lowest[m.state]:
                lowest[m.state] = value
                best[m.state] = m.rival
        return Regime(tuple(best), tuple(capped))


def survey(
    step: Step, error: arb, first: Opening | None, ties: frozenset[MarginKey], check: Callable[[], None]
) -> Survey:
    """Prove the signs of all margins; ``check`` is called now and then, and may raise."""
    margins = [m for m in step.margins() if m.key not in ties]
    tied = [m for m in step.margins() if m.key in ties]
    start = _Start(margins, first, step.basis.reach)
    # The margin that is likely to fall first goes first: the others need only be looked at up to there.
    margins.sort(key=start.length)
    reserve = (1 + step.growth.start) / 2**ctx.prec  # a simple switch costs less, being of second order
    for _ in range(_NOISE_TRIALS):
        signs: dict[MarginKey, list[Region]] = {}
        cut = step.basis.reach
        for m in margins:
            check()
            signs[m.key] = start.signs(m, cut, (error + reserve) * m.sensitivity)
            cut = min([cut] + [r.lower for r in signs[m.key] if r.sign < 0])
        found = _summarise(step, margins, tied, signs, (error + reserve).upper())
        if found.damage <= reserve:
            return found
        reserve = (4 * found.damage).upper()
    # The noise outgrows the margins: keep the values, which stay proved, and claim no signs.
    whole = [Region(fmpq(0), found.cut, 0, arb(0))]
    return replace(found, zeros={m.key: whole for m in margins + tied})


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
        drop = (4 * noise + rounding * (1 + margin.sensitivity)).upper()
        regions = self._by_descartes(series, cut, noise, drop)
        if not regions:
            regions = sign_regions(series, self.end, cut, noise=noise, drop=drop, until_negative=True)
        beginning = [Region(fmpq(0), self.end, 1, noise)] if self.end > 0 else []
        return merge(beginning + regions)

    def _by_descartes(self, series: PoissonSeries, cut: fmpq, noise: arb, drop: arb) -> list[Region]:
        """The signs from Descartes' rule and two evaluations; nothing where that does not decide."""
        limits = Limits((2 * series.level(noise)).upper(), drop)
        if not limits.sign(series(arb(self.end))) > 0 or not series.stays_above(noise):
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


def _summarise(
    step: Step, margins: list[Margin], tied: list[Margin], signs: dict[MarginKey, list[Region]], noise: arb
) -> Survey:
    """Where the regime ends, which margins end it, and what the unresolved regions cost."""
    falls = {key: min([r.lower for r in rs if r.sign < 0], default=None) for key, rs in signs.items()}
    cut = min([fall for fall in falls.values() if fall is not None], default=step.basis.reach)
    losers = [m for m in margins if falls[m.key] == cut]
    zeros = {
        m.key: [replace(r, upper=min(r.upper, cut)) for r in signs[m.key] if r.sign == 0 and r.lower < cut]
        for m in margins
    }
    for m in losers:
        if m.lasting:
            _doubt_others(m, margins, zeros, cut, noise)
    bare = Survey(cut, losers, zeros, arb(0), ())
    if bare.first_doubt < cut:
        # A tie belongs to the regime; from the first doubt on it is no better than any other margin.
        for m in tied:
            size = largest(m.series.sequence) + m.series.basis.tail(m.series.growth)
            zeros[m.key] = [Region(bare.first_doubt, cut, 0, -size)]
    damage, slack = _cost(step, margins + tied, zeros)
    return replace(bare, damage=damage, slack=slack)


def _doubt_others(
    cap: Margin, margins: list[Margin], zeros: dict[MarginKey, list[Region]], cut: fmpq, noise: arb
) -> None:
    """Where the computed value overshoots its cap, other margins need to be beyond that as well.

    The value that overshoots is the only one that is off by more than the bound allows, and
    only until it is capped.
    """
    for r in [r for r in zeros[cap.key] if r.upper == cut]:
        over, between = (-r.least).max(arb(0)).upper(), hull(r.lower, cut)
        for m in margins:
            value = m.series(between)
            if m.key != cap.key and not value > m.sensitivity * (noise + over):
                earlier = [z for z in zeros[m.key] if z.upper <= r.lower]
                zeros[m.key] = merge([*earlier, Region(r.lower, cut, 0, value.lower())])


def _cost(
    step: Step, margins: list[Margin], zeros: dict[MarginKey, list[Region]]
) -> tuple[arb, tuple[arb, ...]]:
    """The damage of the unresolved regions, and by how much values read off may be wrong there."""
    clock = step.problem.clock
    damage = arb(0)
    slack = [arb(0) for _ in step.regime.best]
    for m in margins:
        for r in zeros.get(m.key, []):
            violation = (-r.least).max(arb(0)).upper()
            once = 0 if r.falling else m.lasting
            damage += violation * (once + m.harm * arb((r.upper - r.lower) / clock))
            slack[m.state] = slack[m.state].max(violation * m.shown)
    return damage.upper(), tuple(slack)
