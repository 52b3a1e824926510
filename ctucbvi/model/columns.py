r"""Columns of numbers: a million of them without a fraction, and every one exact.

A fraction in Python costs a microsecond and a hundred bytes.  Here a number is a whole number over a whole
number, or a double that means the shortest decimal that prints as it (:mod:`ctucbvi.numbers`).

**To doubles.**  Whole numbers up to :math:`2^{53}` are doubles, and the quotient of two of them is rounded
once: it is the double nearest to the fraction.  A double is the one nearest to its own decimal.

**Rows sum to 1,** exactly, and that is decided in whole numbers: :math:`\sum_k a_k/b_k = 1` if every
:math:`b_k` divides the largest, :math:`b`, and :math:`\sum_k a_k\,b/b_k = b`.  A double :math:`p` means
:math:`n/10^{15}`, with a whole :math:`n \le 10^{15}`, if that rounds to :math:`p`: two decimals of at most 15
digits never round to the same double.  What is not of this kind is added up in fractions.

**Whole numbers** have 64 bits if all of a column are below :math:`2^{62}` in size, else they are Python's:
the smallest number of 64 bits is its own negative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctucbvi.errors import ModelError
from ctucbvi.model.rationals import Reader
from ctucbvi.numbers import exact

Indices = NDArray[np.int64]
Order = Indices | None  # the places of those that come first, second, ...; None: they are in order
_EXACT = 2**53  # whole numbers up to here are doubles
_DECIMAL = 10**15
_WIDTH = 8  # bytes of a double
_ROOM = 2**62  # sums below this do not overflow, nor do negatives


class Heading(NamedTuple):
    """What a column is of."""

    what: str  # "rate"
    each: str  # "pair"
    size: int  # how many
    place: Callable[[int], str]  # where the i-th is


def array_of(given: Any, what: str) -> NDArray[Any]:
    """What somebody gives, as an array; lists of lists that are none are refused."""
    try:
        found = np.asarray(given)
        if found.dtype.kind == "f" and not isinstance(given, np.ndarray) and (abs(found) >= _EXACT).any():
            return np.asarray(given, object)  # NumPy may have made doubles of whole numbers
        return found
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

    top: NDArray[Any]  # whole numbers, see above; doubles, if there is no bottom
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
    """Whole numbers as an array, of 64 bits if there is room."""
    most = max(map(abs, numbers), default=0)
    return np.array(numbers, np.int64 if most < _ROOM else object)


def _with_room(numbers: NDArray[Any]) -> NDArray[Any]:
    """The same as an array of whole numbers that nothing overflows."""
    room = not numbers.size or (int(numbers.min()) > -_ROOM and int(numbers.max()) < _ROOM)
    return numbers.astype(np.int64 if room else object, copy=False)


def _small(numbers: NDArray[Any]) -> bool:
    return numbers.dtype != object and (
        not numbers.size or bool(numbers.min() >= -_EXACT and numbers.max() <= _EXACT)
    )


def column(given: Any, reader: Reader, heading: Heading) -> Column:
    """The column that somebody means: numbers, or a pair of whole numerators and denominators."""
    what = heading.what
    if isinstance(given, tuple) and len(given) == 2:
        top, bottom = (array_of(part, what) for part in given)
        if top.ndim == bottom.ndim == 1:
            return _ratios(top, bottom, heading)
    cells = array_of(given, what)
    if cells.ndim != 1:
        raise ModelError(f"{what}: an array of shape {cells.shape}; give a list of numbers")
    _check_size(len(cells), heading)
    if cells.dtype.kind in "iu":
        return Column(_with_room(cells), np.ones(len(cells), np.int64))
    if cells.dtype.kind == "f" and cells.dtype.itemsize <= _WIDTH:
        cells = cells.astype(np.float64, copy=False)
        if not np.isfinite(cells).all():
            wrong = int(np.flatnonzero(~np.isfinite(cells))[0])
            raise ModelError(
                f"{what} of {heading.place(wrong)}: {cells[wrong]} is not finite; write a finite number"
            )
        if reader.tolerance is None:
            return Column(cells, None)
    if cells.dtype.kind in "mM":  # which Python may take for whole numbers
        raise ModelError(f"{what}: {cells.dtype} are times; give a list of numbers")
    numbered = enumerate(cells.tolist())
    return Column.of([reader.number(n, f"{what} of {heading.place(i)}") for i, n in numbered])


def _ratios(top: NDArray[Any], bottom: NDArray[Any], heading: Heading) -> Column:
    """Whole numbers over whole numbers."""
    what = heading.what
    if top.shape != bottom.shape:
        raise ModelError(f"{what}: {len(top)} numerators and {len(bottom)} denominators; give one each")
    _check_size(len(top), heading)
    top, bottom = _integers(top, what), _integers(bottom, what)
    if (bottom <= 0).any():
        wrong = int(np.flatnonzero(bottom <= 0)[0])
        raise ModelError(f"{what} of {heading.place(wrong)}: denominator {bottom[wrong]}; write one above 0")
    return Column(top, bottom)


def _check_size(size: int, heading: Heading) -> None:
    if size != heading.size:
        one = f"{size} numbers for {heading.size} {heading.each}s"
        raise ModelError(f"{heading.what}: {one}; give one each")


def _integers(cells: NDArray[Any], what: str) -> NDArray[Any]:
    if cells.dtype.kind in "iu":
        return _with_room(cells)
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
        top = np.rint(np.minimum(chance.top, 2) * float(_DECIMAL))  # a huge one would overflow
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
