r"""Enclosures: intervals with rational ends that provably contain a real number.

Every certified result of the package is an :class:`Enclosure`.  Its ends are exact
fractions, so nothing is lost between the arithmetic that found them and the caller.

Decimal output keeps the promise: with :math:`k` digits after the point the printed
lower end is :math:`\lfloor 10^k\,\text{lower}\rfloor` and the printed upper end
:math:`\lceil 10^k\,\text{upper}\rceil`, so that the printed interval contains the
enclosure, and with it the number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The interval ``[lower, upper]``, known to contain one particular real number."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"empty enclosure: lower {self.lower} exceeds upper {self.upper}")

    @property
    def mid(self) -> Fraction:
        """The centre of the interval."""
        return (self.lower + self.upper) / 2

    @property
    def radius(self) -> Fraction:
        """Half the width: the proved error of :attr:`mid`."""
        return (self.upper - self.lower) / 2

    @property
    def width(self) -> Fraction:
        """Upper end minus lower end."""
        return self.upper - self.lower

    def contains(self, number: Fraction | int) -> bool:
        """Whether ``number`` lies in the interval."""
        return self.lower <= number <= self.upper

    def overlaps(self, other: Enclosure) -> bool:
        """Whether the two intervals share a point (they must, if they enclose one number)."""
        return self.lower <= other.upper and other.lower <= self.upper

    def __add__(self, shift: Fraction | int) -> Enclosure:
        return Enclosure(self.lower + shift, self.upper + shift)

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.upper, -self.lower)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.lower - other.upper, self.upper - other.lower)

    def has_digits(self, digits: int, scale: Fraction) -> bool:
        """Whether :attr:`mid` has ``digits`` significant digits.

        The error must be at most ``10**-digits`` of the number's size.  A number below
        ``scale * 10**-10`` (zero, above all, which has no significant digits) is measured
        against ``scale * 10**-10`` instead.
        """
        tolerance = Fraction(1, 10**digits)
        smallest = max(min(abs(self.lower), abs(self.upper)), scale / 10**10)
        return self.radius <= tolerance * smallest

    def decimals(self, digits: int) -> tuple[str, str, str]:
        """``(value, lower, upper)`` as decimal strings, ``lower <= value <= upper``.

        ``value`` is the centre rounded to ``digits`` significant digits; the ends carry two
        digits more, are rounded outwards, and make room for the rounding of ``value``.
        """
        places = _places(self.mid, digits)
        value, fine = round(self.mid * 10**places), 10 ** (places + 2)
        return (
            _scaled_string(value, places),
            _scaled_string(min(floor(self.lower * fine), 100 * value), places + 2),
            _scaled_string(max(ceil(self.upper * fine), 100 * value), places + 2),
        )


def _places(number: Fraction, digits: int) -> int:
    """How many digits after the point show ``digits`` significant digits of ``number``."""
    if number == 0:
        return digits
    number = abs(number)
    # floor(log10) from the lengths of numerator and denominator, then corrected exactly.
    exponent = len(str(number.numerator)) - len(str(number.denominator))
    if number < Fraction(10) ** exponent:
        exponent -= 1
    return max(digits - 1 - exponent, 0)


def _scaled_string(scaled: int, places: int) -> str:
    """The decimal string of ``scaled / 10**places``, exactly."""
    sign = "-" if scaled < 0 else ""
    text = str(abs(scaled)).rjust(places + 1, "0")
    return sign + (f"{text[:-places]}.{text[-places:]}" if places else text)


def decimal_string(number: Fraction, places: int) -> str:
    """``number`` rounded to the nearest multiple of ``10**-places``."""
    return _scaled_string(round(number * 10**places), places)
