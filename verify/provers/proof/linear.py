"""Non-negative solutions of linear equations over the rationals: found in floating point, confirmed exactly.

min |Ax - b| over x >= 0 is solved by the active set method of Lawson and Hanson.  Its columns with x > 0 are
linearly independent, so where the minimum is 0 they determine x, which is then solved for in fractions.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from verify.provers.meter import spend

_STEPS = 400  # changes of the active set
_ZERO, _NEAR, _RIDGE = 1e-9, 1e-6, 1e-11

Column = Mapping[Any, Fraction]  # by row
Floats = NDArray[np.float64]


def non_negative(columns: Sequence[Column], target: Column) -> list[Fraction] | None:
    """Numbers x >= 0 with Σ x_j column_j = target; ``None`` if none were found."""
    rows: dict[Hashable, int] = {}
    for column in (target, *columns):
        for row in column:
            rows.setdefault(row, len(rows))
    a, b = np.zeros((len(rows), len(columns))), np.zeros(len(rows))
    for j, column in enumerate(columns):
        for row, c in column.items():
            a[rows[row], j] = float(c)
    for row, c in target.items():
        b[rows[row]] = float(c)
    spend(100 + 2 * a.size)
    scales = np.linalg.norm(a, axis=0)
    scales[scales == 0] = 1.0
    support = _active(a / scales, b)
    return None if support is None else _exactly(columns, target, support)


def _active(a: Floats, b: Floats) -> list[int] | None:
    """The columns that a non-negative solution uses."""
    n = a.shape[1]
    gram, right = a.T @ a, a.T @ b
    x, passive = np.zeros(n), np.zeros(n, dtype=bool)
    for _ in range(_STEPS):
        if np.linalg.norm(a @ x - b) < _NEAR * (1 + np.linalg.norm(b)):
            return [int(j) for j in np.flatnonzero(passive & (x > _ZERO))]
        slope = np.where(passive, -np.inf, right - gram @ x)
        best = int(np.argmax(slope))
        if slope[best] < _ZERO * 1e-2:
            return None
        passive[best] = True
        while True:
            used = np.flatnonzero(passive)
            # Of unit columns; the exact solution decides, so that the ridge only has to find the support.
            z = np.linalg.solve(gram[np.ix_(used, used)] + _RIDGE * np.eye(len(used)), right[used])
            if z.min() > 0:
                x[:] = 0
                x[used] = z
                break
            below = used[z <= 0]
            ratio = x[below] / np.maximum(x[below] - z[z <= 0], 1e-300)
            x[used] += ratio.min() * (z - x[used])
            dropped = below[ratio <= ratio.min()]
            x[dropped] = 0
            passive[dropped] = False
            if not passive.any():
                return None
    return None


def _exactly(columns: Sequence[Column], target: Column, support: Sequence[int]) -> list[Fraction] | None:
    """The solution with these columns in fractions, if there is one and it is not negative."""
    rows = list(dict.fromkeys(row for j in support for row in columns[j]))
    if any(row not in rows for row in target):
        return None
    found = solved(
        [[columns[j].get(row, Fraction(0)) for j in support] for row in rows],
        [target.get(row, Fraction(0)) for row in rows],
    )
    if found is None or any(x < 0 for x in found):
        return None
    x = [Fraction(0)] * len(columns)
    for j, value in zip(support, found, strict=True):
        x[j] = value
    return x


def solved(a: Sequence[Sequence[Fraction]], b: Sequence[Fraction]) -> list[Fraction] | None:
    """The x with ax = b, free variables 0; ``None`` if there is none."""
    n = len(a[0]) if a else 0
    entries = [_fmpq(c) for row, right in zip(a, b, strict=True) for c in (*row, right)]
    reduced, rank = fmpq_mat(len(a), n + 1, entries).rref()
    x = [Fraction(0)] * n
    for i in range(rank):
        lead = next(j for j in range(n + 1) if reduced[i, j] != 0)
        if lead == n:
            return None
        x[lead] = Fraction(int(reduced[i, n].p), int(reduced[i, n].q))
    return x


def _fmpq(c: Fraction) -> fmpq:
    return fmpq(c.numerator, c.denominator)
