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
from ctucbvi.exact.problem import MarginKey, Regime
from ctucbvi.exact.regimes import Margin, RegimeStep
from ctucbvi.exact.screen import OPENING, Screen
from ctucbvi.exact.signs import Limits, Region, merge, sign_regions, simple_fall
from ctucbvi.exact.start import Opening

_NOISE_TRIALS = 6
_SHORT_OPENING = fmpq(1, 1024)  # the same where some margin has no sign: what it may do grows with x
_MOST_REGIMES = 16  # that may have been right during a doubt, for anything to be said about it


@dataclass(frozen=True)
class Survey:
    """The margins of a step, up to the point at which its regime ends."""

    cut: fmpq  # the regime is good up to here
    losers: list[MarginKey]  # margins that are negative from the cut on
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
        doubtful |= set(self.losers)
        best = [[b, *(i for x, i in doubtful if x == y and i is not None)] for y, b in enumerate(regime.best)]
        caps = [[c, not c] if (x, None) in doubtful else [c] for x, c in enumerate(regime.capped)]
        if prod(map(len, best)) * prod(map(len, caps)) > _MOST_REGIMES:
            return []
        return [Regime(b, c) for b in product(*best) for c in product(*caps)]

    def next_regime(self, step: RegimeStep) -> Regime:
        """Where a margin turned negative its rival takes over; where a cap did, it is put on or off."""
        best, capped = list(step.regime.best), list(step.regime.capped)
        rivals: dict[int, list[int]] = {}
        for x, rival in self.losers:
            if rival is None:
                capped[x] = not capped[x]
            else:
                rivals.setdefault(x, []).append(rival)
        for x, some in rivals.items():
            best[x] = some[0]
            lowest = None
            for rival in some if len(some) > 1 else ():
                value = step.margin((x, rival)).series(arb(self.cut)).mid()
                if lowest is None or value < lowest:
                    best[x], lowest = rival, value
        return Regime(tuple(best), tuple(capped))


def survey(
    step: RegimeStep,
    error: arb,
    first: Opening | None,
    ties: frozenset[MarginKey],
    check: Callable[[], None],
    screen: Screen | None = None,
) -> Survey:
    """Prove the signs of all margins; ``check`` is called now and then, and may raise.

    Margins that the screen has cleared are positive, as long as the error is not too large for that.
    """
    clear = screen.clear if screen else frozenset()
    found, noise, end = _surveyed(step, error, first, ties, clear, check)
    if screen and not screen.covers(noise, end):
        found, _, _ = _surveyed(step, error, first, ties, frozenset(), check)
    return found


def _surveyed(
    step: RegimeStep,
    error: arb,
    first: Opening | None,
    ties: frozenset[MarginKey],
    clear: frozenset[MarginKey],
    check: Callable[[], None],
) -> tuple[Survey, arb, fmpq]:
    """The survey, the noise beyond which its signs hold, and from where on there is any."""
    margins = [step.margin(key) for key in step.keys if key not in ties and key not in clear]
    tied = [key for key in step.keys if key in ties]
    start = _Start(step, margins, first, check)
    # The margin that is likely to fall first goes first: the others need only be looked at up to there.
    margins.sort(key=start.length)
    reserve = (1 + step.growth.start) / 2**ctx.prec  # a simple switch costs less, being of second order
    for _ in range(_NOISE_TRIALS):
        noise = (error + reserve).upper()
        found = _summarise(step, margins, tied, start.all_signs(margins, noise), noise)
        if found.damage <= reserve:
            return found, noise, start.end
        reserve = (4 * found.damage).upper()
    # The damage outgrows what was set aside for it: the regime and its cost stay as they were found,
    # and signs are claimed anew, beyond all of the damage.
    noise = (error + found.damage).upper()
    return _claimed_again(found, start, margins, tied, noise), noise, start.end


def _claimed_again(
    found: Survey, start: _Start, margins: list[Margin], tied: list[MarginKey], noise: arb
) -> Survey:
    """The same survey with no sign claimed but those that hold beyond ``noise``."""
    zeros = {}
    for m in margins:
        regions = start.signs(m, found.cut, noise * m.sensitivity)
        doubtful = [replace(r, sign=0, trend=0) for r in regions if r.sign <= 0]
        if regions[-1].upper < found.cut:
            doubtful.append(Region(regions[-1].upper, found.cut, 0, arb(0)))
        zeros[m.key] = doubtful
    for m in margins:
        if m.lasting and m.key in found.losers:
            _doubt_others(m, margins, zeros, found.cut, noise)
    doubt = min([r.lower for regions in zeros.values() for r in regions], default=found.cut)
    if doubt < found.cut:
        zeros.update({key: [Region(doubt, found.cut, 0, arb(0))] for key in tied})
    return replace(found, zeros=zeros)


class _Start:
    """How margins begin, and their signs from there.

    At remaining time 0 margins vanish to an order that is known exactly.  Divided by that
    power of x they are positive from the very beginning, up to some point at least; up to
    there the regime is exactly right, the computed values are the true ones, and there is no
    noise.  In later steps margins begin away from zero, and that point is the start.  A margin
    that is still *open* (a tie, perhaps, that was too long to prove) has no sign, but it vanishes to
    a higher order than the others, and so does what it may do to them.
    """

    def __init__(
        self, step: RegimeStep, margins: list[Margin], first: Opening | None, check: Callable[[], None]
    ) -> None:
        self._reach, self._clock = step.basis.reach, arb(step.problem.clock)
        self._check = check
        self._reduced: dict[MarginKey, tuple[int, PoissonSeries]] = {}
        self._open: frozenset[MarginKey] = frozenset()
        self.end = fmpq(0)  # where the exact beginning ends
        if first is None:
            return
        for m in margins:
            order = first.order.get(m.key, 0)
            self._reduced[m.key] = order, m.series.divided_by_power(order)
        self._open = first.open
        self.end = self._reach * (_SHORT_OPENING if self._open else OPENING)
        for m in margins:
            if m.key not in self._open:
                self.end = self._positive_until(m, self._blur(m, margins))

    def _positive_until(self, margin: Margin, noise: arb) -> fmpq:
        """Up to where, at most to the end, a margin divided by its power of x stays above the noise."""
        _, series = self._reduced[margin.key]
        if _positive_up_to(series, self.end, noise):
            return self.end
        regions = sign_regions(series, fmpq(0), self.end, noise=noise, until_negative=True, check=self._check)
        return min([self.end] + [r.lower for r in regions if r.sign <= 0])

    def _blur(self, margin: Margin, margins: list[Margin]) -> arb:
        """What the open margins may do to another one up to the end, divided by its power of x.

        An open margin is at most ``B x^n`` in size, so that the values are off by at most
        ``B (lasting x^n + harm/Λ x^(n+1)/(n+1))`` at x.
        """
        total, end, clock = arb(0), arb(self.end), self._clock
        for m in margins:
            if m.key not in self._open:
                continue
            order, series = self._reduced[m.key]
            excess = order - self._reduced[margin.key][0]
            if excess < 0:
                return arb(0).pos_inf()
            size = largest(series.sequence) + series.basis.tail(series.growth)
            total += size * (m.lasting + m.harm / clock * end / (order + 1)) * end**excess
        return (total * margin.sensitivity).upper()

    def length(self, margin: Margin) -> int:
        """A guess of how long the margin stays positive."""
        order, series = self._reduced.get(margin.key, (0, margin.series))
        return order + series.positive_start()

    def all_signs(self, margins: list[Margin], noise: arb) -> dict[MarginKey, list[Region]]:
        """The signs of all margins, each up to where one of those before it is negative."""
        signs, cut = {}, self._reach
        for m in margins:
            self._check()
            signs[m.key] = self.signs(m, cut, noise * m.sensitivity)
            cut = min([cut] + [r.lower for r in signs[m.key] if r.sign < 0])
        return signs

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
        begin = fmpq(0) if margin.key in self._open else self.end
        regions = self._by_descartes(series, begin, cut, noise, drop)
        if not regions:
            regions = sign_regions(
                series, begin, cut, noise=noise, drop=drop, until_negative=True, check=self._check
            )
        beginning = [Region(fmpq(0), begin, 1, noise)] if begin > 0 else []
        return merge(beginning + regions)

    @staticmethod
    def _by_descartes(series: PoissonSeries, begin: fmpq, cut: fmpq, noise: arb, drop: arb) -> list[Region]:
        """The signs from Descartes' rule and two evaluations; nothing where that does not decide."""
        limits = Limits((2 * series.level(noise)).upper(), drop)
        if not limits.sign(series(arb(begin))) > 0 or not series.stays_above(noise):
            return []
        sign = limits.sign(series(arb(cut)))
        if sign > 0:
            return [Region(begin, cut, 1, limits.noise)]
        return simple_fall(series, begin, cut, limits) if sign < 0 else []

    def _clearly_positive(self, margin: Margin, noise: arb) -> bool:
        """Whether the coefficients alone show the margin to be above the noise."""
        order, series = self._reduced.get(margin.key, (0, margin.series))
        if order == 0:
            return series.is_above(noise)
        return (
            margin.key not in self._open and self.end > 0 and series.is_above(noise / arb(self.end) ** order)
        )


def _positive_up_to(series: PoissonSeries, end: fmpq, noise: arb) -> bool:
    """Whether Descartes' rule and the values at both ends show that the series is above the noise."""
    level = 2 * series.level(noise)
    return series.stays_above(noise) and series.sequence[0] > level and series(arb(end)) > level


def _summarise(
    step: RegimeStep,
    margins: list[Margin],
    tied: list[MarginKey],
    signs: dict[MarginKey, list[Region]],
    noise: arb,
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
    bare = Survey(cut, [m.key for m in losers], zeros, arb(0), ())
    if bare.first_doubt < cut:
        # A tie belongs to the regime; from the first doubt on it is no better than any other margin.
        doubtful = [step.margin(key) for key in tied]
        margins = margins + doubtful
        for m in doubtful:
            size = largest(m.series.sequence) + m.series.basis.tail(m.series.growth)
            zeros[m.key] = [Region(bare.first_doubt, cut, 0, -size)]
    damage, slack = _cost(step, margins, zeros)
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
    step: RegimeStep, margins: list[Margin], zeros: dict[MarginKey, list[Region]]
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
