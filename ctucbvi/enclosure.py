r"""Enclosures: intervals with rational ends that provably contain a real number.

Every certified result of the package is an :class:`Enclosure`.  Its ends are exact
fractions, so nothing is lost between the arithmetic that found them and the caller.

Decimal output keeps the promise: with :math:`k` digits after the point the printed
lower end is :math:`\lfloor 10^k\,\text{lower}\rfloor` and the printed upper end
:math:`\lceil 10^k\,\text{upper}\rceil`, so that the printed interval contains the
enclosure, and with it the number.  The printed value stops at the last place :math:`p` that is
certain: :math:`|\text{value} - y| \le 10^{-p}` for every :math:`y` in the interval, so a digit
that is not known is not printed, and a number that cannot be told from 0 is
printed as 0 with the places that are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor, lcm, log10

_SHOWN = 20  # digits in one line


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The interval ``[lower, upper]``, known to contain one particular real number."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"empty enclosure: lower {self.lower} exceeds upper {self.upper}")

    def __repr__(self) -> str:
        if self.width == 0:
            return f"Enclosure({exact_string(self.mid)})"
        return f"Enclosure({self.decimals(_SHOWN)[0]}, radius < 1e{_above(self.radius)})"

    def _repr_latex_(self) -> str:
        if self.width == 0:
            return f"${exact_string(self.mid)}$"
        known = rf"\text{{radius}} < 10^{{{_above(self.radius)}}}"
        return f"${self.decimals(_SHOWN)[0]}$ (${known}$)"

    @property
    def mid(self) -> Fraction:
        """The centre of the interval."""
        return self.lower if self.lower is self.upper else (self.lower + self.upper) / 2

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

    def has_digits(self, digits: int) -> bool:
        """Whether :attr:`mid` has ``digits`` significant digits.

        The error must be at most ``10**-digits`` of the number's own size, whatever else it was
        computed from.  So an interval that reaches across 0 has none, and 0 itself has all.
        """
        smallest = 0 if self.straddles_zero else min(abs(self.lower), abs(self.upper))
        return bool(self.width * 10**digits <= 2 * smallest)

    @property
    def straddles_zero(self) -> bool:
        """Whether the number may be 0 and may be something else."""
        return self.lower <= 0 <= self.upper and self.lower < self.upper

    def bound(self) -> str:
        """A power of ten that the number does not exceed in size."""
        size = max(abs(self.lower), abs(self.upper))
        return f"1e{_above(size)}" if size else "0"

    def decimals(self, digits: int) -> tuple[str, str, str]:
        """``(value, lower, upper)`` as decimal strings, ``lower <= value <= upper``.

        ``value`` is the centre rounded to ``digits`` significant digits, or to as many as are
        certain: every number of the interval is within one unit of the last digit printed.  Where
        that unit exceeds 1 it is written as a power of ten, ``75e3``.  The ends carry two digits
        more, are rounded outwards, and make room for the rounding of ``value``.
        """
        common = lcm(self.lower.denominator, self.upper.denominator)  # whole numbers: fractions take longer
        low, high = (end.numerator * (common // end.denominator) for end in (self.lower, self.upper))
        places = _certain_places(low, high, common, digits)
        value, (up, down) = _centre(low, high, common, places), _powers(places + 2)
        lower, upper = low * up // (common * down), -(-high * up // (common * down))
        return (
            _scaled_string(value, places),
            _plain_string(min(lower, 100 * value), places + 2),
            _plain_string(max(upper, 100 * value), places + 2),
        )

    def place(self, digits: int) -> str:
        """Where something is, a switch say: exactly if that is known and short, else the certain digits."""
        if self.width == 0 and self.mid.denominator.bit_length() < 100:
            return exact_string(self.mid)
        return self.decimals(digits)[0]


def _certain_places(low: int, high: int, common: int, digits: int) -> int:
    """The places after the point that are asked for, or fewer if they are not certain."""
    middle = abs(low + high)
    places = max(digits - 1 - _exponent(middle, 2 * common), 0) if middle else digits
    if low < high:
        # One unit of the last place is at least the radius: no further place can be certain.
        places = min(places, -_exponent(high - low, 2 * common))
    while not _certain(low, high, common, places):
        places -= 1
    return places


def _certain(low: int, high: int, common: int, places: int) -> bool:
    value, (up, down) = _centre(low, high, common, places), _powers(places)
    return high * up <= (value + 1) * common * down and (value - 1) * common * down <= low * up


def _centre(low: int, high: int, common: int, places: int) -> int:
    """The centre of the interval in units of ``10**-places``, rounded; half a unit to even."""
    up, down = _powers(places)
    top, bottom = (low + high) * up, 2 * common * down
    whole, over = divmod(top, bottom)
    return whole + (2 * over > bottom or (2 * over == bottom and whole % 2))


def _powers(places: int) -> tuple[int, int]:
    """``10**places`` as a whole number over a whole number."""
    return (10**places, 1) if places >= 0 else (1, 10**-places)


def _above(number: Fraction) -> int:
    """The exponent of a power of ten above a positive number."""
    return _exponent(number.numerator, number.denominator) + 1


def _exponent(top: int, bottom: int) -> int:
    """The power of ten of the first digit of a positive number ``top / bottom``: floor(log10)."""
    # From the sizes in bits, then corrected exactly; the lengths in digits would take far longer.
    exponent = floor((top.bit_length() - bottom.bit_length()) * log10(2))
    up, down = _powers(-exponent)
    while top * up < bottom * down:
        exponent, up = exponent - 1, 10 * up
    while top * up >= 10 * bottom * down:
        exponent, down = exponent + 1, 10 * down
    return exponent


def _scaled_string(scaled: int, places: int) -> str:
    """The decimal string of ``scaled / 10**places``; with a power of ten where places are negative."""
    return _plain_string(scaled, places) if places >= 0 else f"{_plain_string(scaled, 0)}e{-places}"


def _plain_string(scaled: int, places: int) -> str:
    """The decimal string of ``scaled / 10**places``, exactly."""
    if places < 0:
        scaled, places = scaled * 10**-places, 0
    sign = "-" if scaled < 0 else ""
    text = str(Decimal(abs(scaled))).rjust(places + 1, "0")  # str of an int refuses long ones
    return sign + (f"{text[:-places]}.{text[-places:]}" if places else text)


def decimal_string(number: Fraction, places: int) -> str:
    """``number`` rounded to the nearest multiple of ``10**-places``."""
    return _scaled_string(round(number * 10**places), places)


def exact_string(number: Fraction) -> str:
    """``number`` exactly: a decimal where it ends, else a fraction."""
    rest, places = number.denominator, 0
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    if rest != 1 or places > 60:
        return str(number)
    text = decimal_string(number, places)
    return text.rstrip("0").rstrip(".") if "." in text else text
