r"""How likely a Poisson process ever leaves the set of the tilts, and how wide that set is, in balls.

In the time u = λT of a pair its observed jumps are a Poisson process with rate 1, whatever the learner does.
The rate is in the set while ζN - l <= (e^ζ - 1)u and (1 - e^{-ζ})u <= ζN + l for all tilts ζ: j jumps are
allowed from u = max (ζj - l)/(e^ζ - 1) on, and until u = min (ζj + l)/(1 - e^{-ζ}).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

from flint import arb

from proofs_checks.checks.common import scaled
from proofs_checks.checks.crossing import OrderError, PoissonPath, floor, in_order
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

_BITS = 128


def dyadic(number: int, first: Fraction = Fraction(2)) -> tuple[Fraction, ...]:
    """The tilts first/2^m."""
    return tuple(first / 2**m for m in range(number))


@dataclass(frozen=True)
class TiltCase:
    """Tilts, the probability that a pair may miss, and the longest time, in units of 1/λ."""

    tilts: tuple[Fraction, ...]
    share: Fraction  # δ/(SA)
    end: Fraction
    factor: Fraction = Fraction(1)  # of l
    union: bool = True  # over the tilts

    def level(self) -> arb:
        """L = ln(2J SA/δ) at the precision that is set."""
        number = len(self.tilts) if self.union else 1
        return arb(rational(self.factor)) * arb(rational(2 * number / self.share)).log()

    def __str__(self) -> str:
        kind = "" if self.union else ", without the union over the tilts"
        return (
            f"tilts {', '.join(map(str, self.tilts))}, δ/(SA) = {self.share}, λT <= {self.end}, "
            f"{self.factor}·l{kind}"
        )


def leaves(case: TiltCase) -> arb:
    """The probability that the rate is ever outside the set."""
    with precision(_BITS):
        level, end = case.level(), arb(rational(case.end))
        zetas = [arb(rational(zeta)) for zeta in case.tilts]
        high = min(floor(level / zeta) for zeta in zetas)
        found: list[tuple[arb, bool]] = []
        for is_upper, j in ((True, high + 1), (False, 0)):
            while not (time := _time(zetas, level, j, is_upper)) > end:
                if not time <= end:
                    raise OrderError
                found.append((time, is_upper))
                j += 1
        start = [arb(1)] + [arb(0)] * high
        return PoissonPath(arb(0), arb(1), 0, high, start, arb(0)).leaves(in_order(found), end)


def _time(zetas: list[arb], level: arb, j: int, is_upper: bool) -> arb:
    if is_upper:
        return reduce(arb.max, [(zeta * j - level) / (zeta.exp() - 1) for zeta in zetas])
    return reduce(arb.min, [(zeta * j + level) / (1 - (-zeta).exp()) for zeta in zetas])


EXAMPLES = (
    TiltCase(dyadic(1), Fraction(1, 20), Fraction(50)),
    TiltCase((Fraction(1, 4),), Fraction(1, 20), Fraction(600)),
    TiltCase(dyadic(4), Fraction(1, 2), Fraction(200)),
    TiltCase(dyadic(5), Fraction(1, 10), Fraction(600)),
)
LARGER = (
    TiltCase((Fraction(1, 8),), Fraction(1, 100), Fraction(4000)),
    TiltCase(dyadic(7), Fraction(1, 100), Fraction(4000)),
)


@scaled("crossing probabilities", "recursion over the counts inside the boundaries, in balls")
def outside(effort: Effort, factor: Fraction = Fraction(1), *, union: bool = True) -> Iterator[Case]:
    """The probability of ever leaving the set, with ``factor`` times l, against a pair's share of δ."""
    settings = EXAMPLES + (LARGER if effort.profile != "quick" else ())
    for case in (replace(one, factor=factor, union=union) for one in settings):
        yield Case(str(case), leaves(case), case.share)


# --- how wide the set is ----------------------------------------------------------------------------


@scaled("best tilt", "the least over the tilts, in balls")
def best_tilt(effort: Effort, constant: Fraction = Fraction(3)) -> Iterator[Case]:
    """The least e^ζ - 1 + 2w²/(1 - e^{-ζ}) over k tilts 2/2^m against ``constant``·(w + w²)."""
    for number in (1, 2, 4, 12):
        least = Fraction(2, 2**number) + Fraction(4, 4**number)
        for step in range(effort.scaled(40, 400)):
            w = least * Fraction(5, 4) ** step
            with precision(_BITS):
                found = reduce(arb.min, [_gap(arb(rational(zeta)), w) for zeta in dyadic(number)])
            yield Case(f"{number} tilts, w = {float(w):.6g}", found, constant * (w + w**2))


def _gap(zeta: arb, w: Fraction) -> arb:
    return zeta.exp() - 1 + 2 * arb(rational(w)) ** 2 / (1 - (-zeta).exp())


def interval(number: int, level: arb, jumps: int, time: arb) -> tuple[arb, arb]:
    """The set of the tilts 2/2^m, m < number, from so many jumps in this time."""
    zetas = [arb(rational(zeta)) for zeta in dyadic(number)]
    low = reduce(arb.max, [(zeta * jumps - level) / ((zeta.exp() - 1) * time) for zeta in zetas])
    high = reduce(arb.min, [(zeta * jumps + level) / ((1 - (-zeta).exp()) * time) for zeta in zetas])
    return low.max(arb(0)), high


def _intervals(effort: Effort) -> Iterator[tuple[str, arb, arb, arb, arb]]:
    """Sets of 8 tilts: what they are from, l, T, and both ends."""
    for level in (Fraction(3, 2), Fraction(4), Fraction(12)):
        for step in range(effort.scaled(30, 60)):
            jumps = (4**step // 3**step) if step else 0
            for time in (Fraction(1, 3), Fraction(20)):
                exact, lasts = arb(rational(level)), arb(rational(time))
                low, high = interval(8, exact, jumps, lasts)
                if 16 * low * lasts <= 4**8 * exact:
                    yield f"l = {level}, N = {jumps}, T = {time}", exact, lasts, low, high


@scaled("set", "both ends, in balls")
def wide(effort: Effort, constant: Fraction = Fraction(3)) -> Iterator[Case]:
    """The length of the set [u, v] against ``constant``·(√(ul/T) + l/T)."""
    with precision(_BITS):
        for text, level, time, low, high in _intervals(effort):
            bound = ((low * level / time).sqrt() + level / time) * arb(rational(constant))
            yield Case(text, high - low, bound)


@scaled("set", "both ends, in balls")
def dear(effort: Effort, constant: Fraction = Fraction(3)) -> Iterator[Case]:
    """The length of the set times the largest d allowed, against ``constant``·(√(lh/T) + lh/T)."""
    with precision(_BITS):
        for text, level, time, low, high in _intervals(effort):
            for horizon in (Fraction(1, 10), Fraction(3)):
                share = level * arb(rational(horizon)) / time
                bound = (share.sqrt() + share) * arb(rational(constant))
                for rate, name in ((low, "lower"), (high, "upper")):
                    d = arb(rational(horizon)) if not rate > 0 else arb(rational(horizon)).min(1 / rate)
                    yield Case(f"{text}, h = {horizon}, the {name} end", (high - low) * d, bound)
