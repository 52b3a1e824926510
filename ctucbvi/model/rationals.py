r"""Doubles as fractions: what somebody meant by 0.3333333333333333.

A double means the shortest decimal that prints as it, unless a *tolerance* :math:`\theta` is given.
Then it means the simplest fraction (the one with the smallest denominator) in :math:`[x - \theta|x|, x +
\theta|x|]`: a third is 1/3.  Zero stays 0, signs stay, and numbers that are no doubles (nor
:class:`Rounded`, which a file has written with fewer digits) are what they say.

A row of probabilities must sum to exactly 1.  If the simplest fractions do, they are taken.  If not, the
doubles are their decimals but for the largest, which becomes what is missing to 1, if that is no farther
from it than :math:`\theta` times itself; otherwise the row is refused.  So nothing moves by more than
the fraction :math:`\theta` of itself, whichever way it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ctucbvi.errors import InputError, ModelError
from ctucbvi.numbers import exact, positive, shown

_SMALLEST, _LARGEST = Fraction(1, 10**100), Fraction(1, 100)  # tolerance
_NEAR = Fraction(1, 10**9)  # a sum so near 1 was meant to be 1


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the smallest denominator in ``[low, high]``, ``0 < low <= high``."""
    # Continued fractions: whole parts agree as long as no whole number lies between the two ends.
    whole = low.numerator // low.denominator
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


class Rounded(str):
    """A decimal in a file that is somebody's rounding of a number, as a double is."""

    __slots__ = ()


def plain(cell: Any) -> Any:
    """An array's entry as a plain Python number."""
    return cell.item() if hasattr(cell, "item") else cell


class Reader:
    """Reads the numbers of arrays: floats within ``tolerance``, or as decimals if that is None."""

    def __init__(self, tolerance: Any = None, *, normalize: bool = False) -> None:
        self.tolerance = None if tolerance is None else positive(tolerance, "rationalize")
        self.normalize = normalize
        if self.tolerance is not None and not _SMALLEST <= self.tolerance <= _LARGEST:
            raise InputError(
                f"rationalize: {shown(self.tolerance)} is no tolerance; write a number up to 0.01, say 1e-12"
            )
        if normalize and self.tolerance is not None:
            raise InputError("normalize and rationalize: two ways to make rows sum to 1; choose one")

    def number(self, cell: Any, where: str) -> Fraction:
        """One number."""
        cell = plain(cell)
        found = exact(cell, where)
        if self.tolerance is None or not isinstance(cell, float | Rounded) or not found:
            return found
        size, slack = abs(found), abs(found) * self.tolerance
        near = simplest(size - slack, size + slack)
        return near if found > 0 else -near

    def row(self, cells: Mapping[str, Any], where: str) -> dict[str, Fraction]:
        """A row of probabilities, by target; one line if they cannot be made to sum to 1."""
        given = {y: exact(plain(p), f"probability of {y!r} at {where}") for y, p in cells.items()}
        total = sum(given.values(), Fraction(0))
        if self.normalize and total > 0:
            return {y: p / total for y, p in given.items()}
        if self.tolerance is not None:
            return self._nearby(cells, given, where)
        if total != 1 and abs(total - 1) < _NEAR:
            raise ModelError(
                f"{where}: probabilities sum to {float(total)!r}, not exactly 1; pass rationalize=1e-12 "
                "(a third is 1/3 then), normalize=True, or fractions"
            )
        return given

    def _nearby(
        self, cells: Mapping[str, Any], given: dict[str, Fraction], where: str
    ) -> dict[str, Fraction]:
        assert self.tolerance is not None
        near = {y: self.number(p, where) for y, p in cells.items()}
        if sum(near.values()) == 1:
            return near
        doubles = [y for y, p in cells.items() if isinstance(plain(p), float | Rounded)]
        missing = 1 - sum(given.values(), Fraction(0))
        if doubles and missing:
            most = max(doubles, key=lambda y: given[y])
            if abs(missing) > self.tolerance * given[most]:
                raise ModelError(
                    f"{where}: probabilities sum to {shown(1 - missing)}, which is farther from 1 than "
                    f"rationalize={shown(self.tolerance)} allows; correct them, or pass a larger tolerance"
                )
            given[most] += missing
        return given
