"""Reading numbers exactly, and refusing those that cannot be meant; what doubles lose of them.

``"17/20"``, ``"0.85"``, ``"1e-6"``, ``3`` and ``Fraction(17, 20)`` are what they say.  A
Python float means the shortest decimal that prints as it, so that ``0.85`` is 17/20 and
not the nearest double.  Strings are parsed, never evaluated, and a number whose exact
form would fill the memory (``1e999999999``) is refused before it is formed.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational

from ctucbvi.errors import InputError, ModelError

#: What rounding to the nearest double may cost, relatively: a result is off by at most ``UNIT`` of itself.
UNIT = 2.0**-53
#: What each of many roundings may cost: :math:`(1 + u)^n - 1 \le nu/(1 - nu) \le 2nu`, :math:`u` = ``UNIT``,
#: as long as :math:`n \le 2^{52}`.  So ``n * ROUNDING`` is enough where ``n * UNIT`` is so to first order.
ROUNDING = 2.0 * UNIT

_NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?)", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(inf|infinity|s?nan)", re.IGNORECASE)
_LONGEST = 2000  # characters of a literal
_LARGEST_EXPONENT = 1000


def exact(number: object, where: str) -> Fraction:
    """``number`` as an exact fraction; ``where`` opens the message if it is not one."""
    if type(number) is Fraction and type(number.numerator) is type(number.denominator) is int:
        return number
    if isinstance(number, bool):
        raise ModelError(f"{where}: {number} is not a number; write 1 or 0")
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, float):
        return _parse(repr(float(number)), where)
    if isinstance(number, Decimal | str):
        return _parse(str(number), where)
    kind = type(number).__name__
    raise ModelError(f'{where}: a number is needed, not {kind}; write for example "17/20" or "0.85"')


def _parse(text: str, where: str) -> Fraction:
    literal = text.strip()
    if _NOT_FINITE.fullmatch(literal):
        raise ModelError(f"{where}: {literal} is not finite; write a finite number")
    found = _fraction(literal) if len(literal) <= _LONGEST else None
    if found is not None:
        return found
    match = _NUMBER.fullmatch(literal) if len(literal) <= _LONGEST else None
    if match is None:
        short = literal if len(literal) <= 40 else literal[:37] + "..."
        raise ModelError(f'{where}: {short!r} is not a number; write for example "17/20" or "0.85"')
    if abs(int(match["exponent"] or 0)) > _LARGEST_EXPONENT:
        raise ModelError(
            f"{where}: {literal!r} has an exponent beyond {_LARGEST_EXPONENT}; choose another unit of time"
        )
    raise ModelError(f'{where}: {literal!r} divides by zero; write for example "17/20"')


@lru_cache(maxsize=1 << 14)  # the numbers of a model are often the same ones
def _fraction(literal: str) -> Fraction | None:
    """The number that a literal says, if it is one of bearable size."""
    match = _NUMBER.fullmatch(literal)
    if match is None or abs(int(match["exponent"] or 0)) > _LARGEST_EXPONENT:
        return None
    try:
        return Fraction(literal)
    except ZeroDivisionError:
        return None


def count(number: object, what: str, least: int = 1, most: int | None = None) -> int:
    """``number`` if it is a whole number in the range; ``what`` opens the message if it is not."""
    if (
        isinstance(number, bool)
        or not isinstance(number, int)
        or not least <= number <= (number if most is None else most)
    ):
        wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{what}: {number!r} is not a whole number {wanted}; write one")
    return number


def positive(number: object, what: str) -> Fraction:
    """``number`` exactly if it is above 0."""
    found = exact(number, what)
    if found <= 0:
        raise InputError(f"{what}: {found} is not positive; write a number above 0")
    return found


def at_least_zero(number: object, what: str) -> Fraction:
    """``number`` exactly if it is not negative."""
    found = exact(number, what)
    if found < 0:
        raise InputError(f"{what}: {found} is negative; write 0 or more")
    return found


def shown(number: Fraction) -> str:
    """``number`` for a message: exactly if that is short, else roughly."""
    if max(abs(number.numerator), number.denominator) < 10**20:
        return str(number)
    digits = len(f"{abs(number.numerator):x}") - len(f"{number.denominator:x}")
    return f"about {float(number):.6g}" if abs(digits) < 200 else "a number of extreme size"
