"""Checks of what the builders are given: the value, or one line that says what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctucbvi.errors import InputError
from ctucbvi.numbers import exact

if TYPE_CHECKING:
    from fractions import Fraction

    from ctucbvi.model import Number


def count(value: int, least: int, what: str) -> int:
    """Return ``value`` if it is a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{what}: {value!r} is not a whole number of at least {least}; write one")
    return value


def positive(value: Number, what: str) -> Fraction:
    """Return ``value`` exactly if it is above 0."""
    number = exact(value, what)
    if number <= 0:
        raise InputError(f"{what}: {number} is not positive; write a number above 0")
    return number


def at_least_zero(value: Number, what: str) -> Fraction:
    """Return ``value`` exactly if it is not negative."""
    number = exact(value, what)
    if number < 0:
        raise InputError(f"{what}: {number} is negative; write 0 or more")
    return number
