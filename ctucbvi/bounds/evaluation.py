"""Values with guaranteed digits, and how they are written down.

A formula is evaluated in balls of growing precision until the digits that were asked for are
there.  What is printed as lower and upper end contains the number; very large and very small numbers
are written with a power of ten.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import TYPE_CHECKING, Any

from flint import arb

from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import enclosure, precision

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure

_BITS_PER_DIGIT = 3.33
_MOST_BITS = 1 << 17
_LARGEST_EXPONENT = 1 << 40  # of two; the exponent itself of a larger number would fill lines
_PLAIN = (-6, 24)  # powers of ten between which numbers are written without one


def certified(compute: Callable[[], arb], digits: int) -> arb | None:
    """A ball with that many digits, or None if the number is too large or too small to be written."""
    wanted = int(_BITS_PER_DIGIT * digits) + 8
    bits = wanted + 32
    while bits <= _MOST_BITS:
        with precision(bits):
            found = compute()
        if found.is_finite() and (found.is_exact() or found.rel_accuracy_bits() >= wanted):
            return found if _can_be_written(found) else None
        if not found.is_finite() and bits > 4 * wanted + 1024:
            return None
        bits *= 2
    raise UndecidedError(f"{digits} digits are not reached with {_MOST_BITS} bits")


def _can_be_written(ball: arb) -> bool:
    mantissa, exponent = ball.mid().man_exp()
    return mantissa == 0 or abs(int(exponent)) < _LARGEST_EXPONENT


def decimals(ball: arb, digits: int) -> tuple[str, str, str]:
    """``(value, lower, upper)`` as decimal strings that keep the promise of the ball."""
    power = _power_of_ten(ball)
    plain = _PLAIN[0] <= power <= _PLAIN[1]
    with precision(int(_BITS_PER_DIGIT * digits) + 96):  # the ends are rounded to the precision of the moment
        found: Enclosure = enclosure(ball if plain else ball / arb(10) ** power)
    value, lower, upper = found.decimals(digits)
    ending = "" if plain else f"e{power:+d}"
    return value + ending, lower + ending, upper + ending


def _power_of_ten(ball: arb) -> int:
    middle = abs(ball.mid())
    if middle == 0:
        return 0
    with precision(128):
        return floor(float((middle.log() / arb(10).log()).mid()))


def as_json(ball: arb | None, digits: int) -> dict[str, Any]:
    """The value and its ends, or three times null."""
    texts = (None, None, None) if ball is None else decimals(ball, digits)
    return dict(zip(("value", "lower", "upper"), texts, strict=True))
