"""Poisson weights and tails in balls, against the bounds for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb

from proofs_checks.checks.common import scaled
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

BITS = 512
_MEANS = [Fraction(n, 10) for n in (1, 5, 10, 15, 25, 40, 120, 1200)]
_SHARES = [Fraction(n, 100) for n in (1, 10, 49, 98, 100, 150, 300)]  # x as a multiple of the mean


def weight(mean: arb, j: int) -> arb:
    """The Poisson probability of ``j``."""
    return (-mean).exp() * mean**j / arb(j + 1).gamma()


def outside(mean: Fraction, x: Fraction) -> arb:
    """``P(|X - mean| > x)``: one minus the finitely many weights inside."""
    with precision(BITS + 4 * ceil(mean + x)):  # the tail is above exp(-2(mean + x)), which is 3 bits each
        exact = arb(rational(mean))
        inside = range(max(0, ceil(mean - x)), floor(mean + x) + 1)
        return 1 - sum((weight(exact, j) for j in inside), arb(0))


@dataclass(frozen=True)
class Bound:
    """``factor · exp(-speed·x²/(mean + x))``; the paper's has factor 1 and speed 1/2."""

    factor: int = 1
    speed: Fraction = Fraction(1, 2)

    def at(self, mean: Fraction, x: Fraction) -> arb:
        """Its value in a ball."""
        with precision(BITS):
            return self.factor * arb(rational(-self.speed * x * x / (mean + x))).exp()

    def line(self, mean: Fraction, x: Fraction) -> str:
        """One line of Python that prints True where the exact tail exceeds it."""
        return (
            f"from mpmath import ceil, exp, factorial, floor, mp, mpf; mp.dps = 40; "
            f"m, x = mpf({mean.numerator})/{mean.denominator}, mpf({x.numerator})/{x.denominator}; "
            "print(1 - sum(exp(-m)*m**j/factorial(j) for j in range(max(0, int(ceil(m - x))), "
            f"int(floor(m + x)) + 1)) > {self.factor}*exp(-mpf({self.speed.numerator})/"
            f"{self.speed.denominator}*x*x/(m + x)))"
        )


def _points(effort: Effort) -> Iterator[tuple[Fraction, Fraction]]:
    yield Fraction(1, 2), Fraction(49, 100)
    for scale in range(1, effort.scaled(1, 12) + 1):
        yield from ((mean * scale, mean * scale * share) for mean in _MEANS for share in _SHARES)


@scaled("exact tails", "finite sums in balls")
def tails(effort: Effort, bound: Bound, least: Fraction = Fraction(0)) -> Iterator[Case]:
    """The exact tail against ``bound``, at the points with ``x >= least * mean``."""
    return (
        Case(f"mean {mean}, x = {x}", outside(mean, x), bound.at(mean, x), line=bound.line(mean, x))
        for mean, x in _points(effort)
        if x >= least * mean
    )
