"""Balls, and the precision they are computed with.

Working precision is global in FLINT; :func:`precision` sets it for a block and puts it
back, so that no function leaves a trace of itself in the numbers of the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

from ctucbvi.enclosure import Enclosure


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with ``bits`` bits inside the block, and with what was set before after it."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def to_fmpq(number: Fraction | int) -> fmpq:
    """The same rational, as FLINT writes it."""
    return fmpq(number.numerator, number.denominator)


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
