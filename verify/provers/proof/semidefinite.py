"""A small semidefinite program in floating point: matrices with linear equations, as definite as possible.

    max t   such that   Σ_b A_b(Q_b) = f,   Q_b - t I positive semidefinite

by a primal-dual interior-point method with the direction of Helmberg, Kojima and Monteiro.  With X = Q - t I
the dual is min fᵀy, S = A*(y) >= 0, trace S = 1.  Both have inner points, so the iterates behave: t > 0 means
a definite solution, t near 0 one on the boundary, with the null space of every solution, and t < 0 none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from verify.provers.meter import spend

_STEPS = 60
_SPEED = 15_000  # multiplications for a unit of the meter
_CLOSE = 1e-9  # relative residual of the equations
_GAP = 1e-11  # of the complementarity, relative

Floats = NDArray[np.float64]
Solved = tuple[float, list[Floats]]


def most_definite(blocks: Sequence[Floats], f: Floats) -> Solved | None:
    """The number t and the matrices Q_b; ``blocks`` are arrays of equations, rows and columns."""
    best: Solved | None = None
    with np.errstate(all="ignore"), contextlib.suppress(np.linalg.LinAlgError):
        # where the matrices become singular, rounding ends the iteration: what was reached before counts
        for found in _iterates([np.asarray(a, dtype=float) for a in blocks], np.asarray(f, dtype=float)):
            best = found if best is None or found[0] > best[0] else best
    return best


def _iterates(blocks: list[Floats], f: Floats) -> Iterator[Solved]:
    """Those that solve the equations."""
    traces = sum((np.trace(a, axis1=1, axis2=2) for a in blocks), np.zeros(len(f)))
    sizes = [a.shape[1] for a in blocks]
    n = sum(sizes)
    start = 10.0 * (1 + float(np.abs(f).max()))
    xs, ss = [start * np.eye(k) for k in sizes], [np.eye(k) / n for k in sizes]
    t, y = -start, np.zeros(len(f))
    price = 200 + (sum(len(f) * k**2 * (len(f) + 2 * k) for k in sizes) + len(f) ** 3 // 3) // _SPEED
    for _ in range(_STEPS):
        spend(price)
        primal = f - sum((_applied(a, x) for a, x in zip(blocks, xs, strict=True)), t * traces)
        dual = [np.tensordot(y, a, axes=1) - s for a, s in zip(blocks, ss, strict=True)]
        mu = sum(float(np.sum(x * s)) for x, s in zip(xs, ss, strict=True)) / n
        near = float(np.abs(primal).max()) < _CLOSE * (1 + float(np.abs(f).max()))
        if not np.isfinite(mu):
            return
        if near:
            yield t, [x + t * np.eye(len(x)) for x in xs]
        if near and (mu < _GAP * start or t > 1e-3):
            return
        inverses = [np.linalg.inv(s) for s in ss]
        matrix, right = np.zeros((len(f), len(f))), primal.copy()
        sigma = 0.15
        for a, x, d, inverse in zip(blocks, xs, dual, inverses, strict=True):
            moved = x @ a @ inverse
            matrix += moved.reshape(len(f), -1) @ a.reshape(len(f), -1).T
            right -= _applied(a, sigma * mu * inverse - x - x @ d @ inverse)
        matrix += 1e-14 * np.trace(matrix) / len(f) * np.eye(len(f))
        # moving y by -dy moves S by -A*(dy), so that X grows by X A*(dy) S^-1
        both = np.linalg.solve(matrix, np.column_stack([right, traces]))
        missing = 1 - float(traces @ y)
        dt = (float(traces @ both[:, 0]) + missing) / float(traces @ both[:, 1])
        dy = both[:, 0] - dt * both[:, 1]
        dss = [d - np.tensordot(dy, a, axes=1) for a, d in zip(blocks, dual, strict=True)]
        dxs = [
            _symmetric(sigma * mu * inverse - x - x @ ds @ inverse)
            for x, ds, inverse in zip(xs, dss, inverses, strict=True)
        ]
        up, down = _step(xs, dxs), _step(ss, dss)
        xs = [x + up * dx for x, dx in zip(xs, dxs, strict=True)]
        ss = [_symmetric(s + down * ds) for s, ds in zip(ss, dss, strict=True)]
        t, y = t + up * dt, y - down * dy


def _applied(a: Floats, x: Floats) -> Floats:
    return np.tensordot(a, x, axes=([1, 2], [0, 1]))


def _symmetric(m: Floats) -> Floats:
    return (m + m.T) / 2


def _step(xs: Sequence[Floats], dxs: Sequence[Floats]) -> float:
    """How far one may go and stay definite."""
    longest = 1.0
    for x, dx in zip(xs, dxs, strict=True):
        root = np.linalg.inv(np.linalg.cholesky(x))
        least = float(np.linalg.eigvalsh(root @ dx @ root.T)[0])
        if least < 0:
            longest = min(longest, -0.95 / least)
    return longest
