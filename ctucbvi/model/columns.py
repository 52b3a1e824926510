r"""Columns of numbers: a million of them without a fraction, and every one exact.

A fraction in Python costs a microsecond and a hundred bytes.  Here a number is a whole number over a whole
number, or a double that means the shortest decimal that prints as it (:mod:`ctucbvi.numbers`).

**To doubles.**  Whole numbers up to :math:`2^{53}` are doubles, and the quotient of two of them is rounded
once: it is the double nearest to the fraction.  A double is the one nearest to its own decimal.

**Rows sum to 1,** exactly, and that is decided in whole numbers: :math:`\sum_k a_k/b_k = 1` if every
:math:`b_k` divides the largest, :math:`b`, and :math:`\sum_k a_k\,b/b_k = b`.  A double :math:`p` means
:math:`n/10^{15}`, with a whole :math:`n \le 10^{15}`, if that rounds to :math:`p`: two decimals of at most 15
digits never round to the same double.  What is not of this kind is added up in fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctucbvi.errors import ModelError
from ctucbvi.model.rationals import Reader
from ctucbvi.numbers import exact

Indices = NDArray[np.int64]
Order = Indices | None  # the places of those that come first, second, ...; None: they are in order
_EXACT = 2**53  # whole numbers up to here are doubles
_DECIMAL = 10**15
_ROOM = 2**62  # sums below this do not overflow


def array_of(given: Any, what: str) -> NDArray[Any]:
    """What somebody gives, as an array; lists of lists that are none are refused."""
    try:
        return np.asarray(given)
    except ValueError:
        raise ModelError(f"{what}: its rows have different lengths; write as many entries in each") from None


def order_of(keys: Indices) -> Order:
    """The order of increasing keys; equal ones stay as they are."""
    return None if (keys[1:] >= keys[:-1]).all() else np.argsort(keys, kind="stable")


def in_order(cells: NDArray[Any], order: Order) -> NDArray[Any]:
    """The cells in this order, as an array that nobody else has."""
    found: NDArray[Any] = cells.copy() if order is None else cells[order]
    return found


@dataclass(frozen=True, eq=False)
class Column:
    """Many numbers, exactly."""

    top: NDArray[Any]  # whole numbers; doubles, if there is no bottom
    bottom: NDArray[Any] | None  # positive whole numbers

    @classmethod
    def of(cls, numbers: Sequence[Fraction]) -> Column:
        """Fractions as a column."""
        return cls(whole([n.numerator for n in numbers]), whole([n.denominator for n in numbers]))

    def __len__(self) -> int:
        return len(self.top)

    def __getitem__(self, which: Any) -> Column:
        return Column(self.top[which], None if self.bottom is None else self.bottom[which])

    def sorted(self, order: Order) -> Column:
        """The same in this order, in arrays of its own."""
        return Column(
            in_order(self.top, order), None if self.bottom is None else in_order(self.bottom, order)
        )

    def __neg__(self) -> Column:
        return Column(-self.top, self.bottom)

    @cached_property
    def doubles(self) -> NDArray[np.float64]:
        """The nearest doubles; an ``OverflowError`` where a number is too large for one."""
        if self.bottom is None:
            return np.asarray(self.top, np.float64)
        if _small(self.top) and _small(self.bottom):
            return np.asarray(self.top / self.bottom, np.float64)
        return np.array([a / b for a, b in zip(self.top.tolist(), self.bottom.tolist(), strict=True)])

    def fractions(self) -> list[Fraction]:
        """All of them; equal ones that follow each other are one object."""
        if self.bottom is None:
            known = {x: exact(x, "number") for x in set(self.top.tolist())}
            return [known[x] for x in self.top.tolist()]
        cells = list(zip(self.top.tolist(), self.bottom.tolist(), strict=True))
        ratios = {cell: Fraction(*cell) for cell in set(cells)}
        return [ratios[cell] for cell in cells]

    def largest(self) -> Fraction:
        """The largest in size: rounding keeps the order, so it is among those with the largest double."""
        try:
            size = np.abs(self.doubles)
        except OverflowError:  # no double is as large
            return max(map(abs, self.fractions()))
        return max(abs(n) for n in self[np.flatnonzero(size == size.max())].fractions())


def whole(numbers: list[int]) -> NDArray[Any]:
    """Whole numbers as an array, of 64 bits if they fit."""
    most = max(map(abs, numbers), default=0)
    return np.array(numbers, np.int64 if most < _ROOM else object)


def _small(numbers: NDArray[Any]) -> bool:
    return numbers.dtype != object and (not numbers.size or bool(np.abs(numbers).max() <= _EXACT))


def column(given: Any, reader: Reader, what: str, places: Callable[[int], str]) -> Column:
    """The column that somebody means: numbers, or a pair of whole numerators and denominators.

    ``places(i)`` says where number ``i`` is.
    """
    if isinstance(given, tuple) and len(given) == 2 and all(array_of(p, what).ndim == 1 for p in given):
        top, bottom = (_integers(part, what) for part in given)
        if top.shape != bottom.shape:
            raise ModelError(f"{what}: {len(top)} numerators and {len(bottom)} denominators; give one each")
        if (bottom <= 0).any():
            wrong = int(np.flatnonzero(bottom <= 0)[0])
            raise ModelError(f"{what} of {places(wrong)}: denominator {bottom[wrong]}; write one above 0")
        return Column(top, bottom)
    cells = array_of(given, what)
    if cells.ndim != 1:
        raise ModelError(f"{what}: an array of shape {cells.shape}; give a list of numbers")
    if cells.dtype.kind in "iu":
        return Column(_integers(cells, what), np.ones(len(cells), np.int64))
    if cells.dtype.kind == "f":
        cells = cells.astype(np.float64, copy=False)
        if not np.isfinite(cells).all():
            wrong = int(np.flatnonzero(~np.isfinite(cells))[0])
            raise ModelError(
                f"{what} of {places(wrong)}: {cells[wrong]} is not finite; write a finite number"
            )
        if reader.tolerance is None:
            return Column(cells, None)
    return Column.of([reader.number(n, f"{what} of {places(i)}") for i, n in enumerate(cells.tolist())])


def _integers(given: Any, what: str) -> NDArray[Any]:
    cells = array_of(given, what)
    if cells.dtype.kind in "iu":
        return cells.astype(np.int64, copy=False) if cells.dtype != np.uint64 else whole(cells.tolist())
    if cells.dtype == object and all(type(n) is int for n in cells.tolist()):
        return whole(cells.tolist())
    raise ModelError(f"{what}: numerators and denominators are whole numbers, not {cells.dtype}")


def alike(bottom: NDArray[Any]) -> bool:
    """Whether all denominators are the same."""
    return bool((bottom == bottom[:1]).all())


def fit_sums(chance: Column, row: Indices) -> bool:
    """Whether the sums of rows have 64 bits."""
    longest = int(np.diff(row).max()) if len(row) > 1 else 0
    return chance.top.dtype != object and (not chance.top.size or int(chance.top.max()) * longest < _ROOM)


def sums_to_one(chance: Column, row: Indices, filled: Indices) -> NDArray[np.bool_]:
    """Which of the ``filled`` rows sum to 1; False also where that is not easily seen."""
    if not filled.size:
        return np.zeros(0, bool)
    starts, counts = row[filled], np.diff(row)[filled]
    if chance.bottom is None:
        top = np.rint(chance.top * float(_DECIMAL))
        plain = (top <= _DECIMAL) & (top / float(_DECIMAL) == chance.top)
        seen = np.logical_and.reduceat(plain, starts) & (counts < _ROOM // _DECIMAL)
        sums = np.add.reduceat(np.where(plain, top, 0).astype(np.int64), starts)
        return np.asarray(seen & (sums == _DECIMAL), bool)
    top, bottom = chance.top, chance.bottom
    if not (_small(top) and _small(bottom)):
        return np.zeros(len(filled), bool)
    largest = np.repeat(np.maximum.reduceat(bottom, starts), counts)
    times = 1 if (bottom == largest).all() else largest // bottom
    divides = (times * bottom == largest) & (top <= bottom)
    seen = np.logical_and.reduceat(divides, starts) & (largest[starts] < _ROOM // counts)
    terms = np.where(divides, top, 0) * times
    return np.asarray(seen & (np.add.reduceat(terms, starts) == largest[starts]), bool)
