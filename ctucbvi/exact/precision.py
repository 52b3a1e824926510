"""Balls, and the precision they are computed with.

Working precision is global in FLINT; :func:`precision` sets it for a block and puts it
back, so that no function leaves a trace of itself in the numbers of the next one.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq

from ctucbvi.enclosure import Enclosure

_DOUBLINGS = 5000  # with more of them 2^n is not formed


class precision:  # noqa: N801 -- reads as a word; a generator would take longer than what it guards
    """Compute with ``bits`` bits inside the block, and with what was set before after it."""

    __slots__ = ("_before", "_bits")

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        self._before = ctx.prec
        ctx.prec = self._bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before


def to_fmpq(number: Fraction | int) -> fmpq:
    """The same rational, as FLINT writes it."""
    return fmpq(*number.as_integer_ratio())


def to_fraction(number: fmpq) -> Fraction:
    """The same rational, as Python writes it."""
    return Fraction(int(number.p), int(number.q))


def point(ball: arb) -> fmpq:
    """The exact rational value of the centre of ``ball``."""
    mantissa, exponent = ball.mid().man_exp()
    power = int(exponent)
    return fmpq(mantissa) * 2**power if power >= 0 else fmpq(mantissa, 2**-power)


def enclosure(ball: arb) -> Enclosure:
    """The interval of ``ball``, with exact rational ends."""
    return Enclosure(to_fraction(point(ball.lower())), to_fraction(point(ball.upper())))


def hull(lower: fmpq, upper: fmpq) -> arb:
    """A ball that contains ``[lower, upper]``."""
    return arb(lower).union(arb(upper))


def symmetric(bound: arb) -> arb:
    """The ball ``0 ± bound``, for a bound that may be a ball itself."""
    return arb(0, bound.abs_upper())


def largest(balls: list[arb]) -> arb:
    """An upper bound for the absolute value of every ball in the list; 0 for an empty list."""
    worst = arb(0)
    for ball in balls:
        worst = worst.max(ball.abs_upper())
    return worst.upper()


class Balls:
    """The arithmetic of balls, at the precision of the moment."""

    def number(self, value: Fraction) -> arb:
        """A ball around the rational ``value``."""
        return arb(to_fmpq(value))

    def sqrt(self, x: arb) -> arb:
        """The square root."""
        return x.sqrt()

    def log(self, x: arb) -> arb:
        """The natural logarithm."""
        return x.log()

    def log_of(self, value: Fraction, doublings: int = 0) -> arb:
        """``ln(2^doublings value)``; in one piece if that is possible, so that nothing cancels near 1."""
        if doublings < _DOUBLINGS:
            return arb(to_fmpq(value * 2**doublings)).log()
        return arb(to_fmpq(value)).log() + doublings * arb.const_log2()

    def exp(self, x: arb) -> arb:
        """The exponential."""
        return x.exp()

    def expm1(self, x: arb) -> arb:
        """``exp(x) - 1``."""
        return x.expm1()

    def maximum(self, x: arb, y: arb) -> arb:
        """The larger one."""
        return x.max(y)

    def waiting(self, z: arb) -> arb:
        r""":math:`(1-e^{-z})/z`, and 1 at 0, for :math:`z \ge 0`: decreasing, so that the ends tell."""
        ends = [-(-x).expm1() / x if x > 0 else arb(1) for x in (z.lower(), z.upper())]
        return ends[0].union(ends[1])


BALLS = Balls()
