r"""Polynomials on [0, 1] in compiled code: the first zero, and bounds that rounding cannot break.

A polynomial :math:`\sum_k d_k u^k` of degree :math:`n` lies between the least and the largest
of its Bernstein coefficients :math:`b_j = \sum_{k\le j} \binom jk d_k / \binom nk`, the first and
last of which are its values at 0 and 1.  Halving the interval (de Casteljau) brings the
coefficients to the polynomial quadratically fast, and by the variation-diminishing property a
single change of sign among them is a single zero.
"""

from __future__ import annotations

from math import comb

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.products import ANY_ORDER

_MOST_HALVINGS = 400
_NARROW = 2.0**-40
HALVINGS = 12  # of an interval, one after the other
FEW_ORDERS = 6  # of a polynomial below another one: the higher ones are small, mostly
MOST_ORDERS = 64  # of a polynomial; Bernstein coefficients of more could lose too much to underflow
_BINOMIAL = np.array([[max(comb(n, k), 1) for k in range(MOST_ORDERS)] for n in range(MOST_ORDERS)], float)


@compiled()
def bernstein(d: Floats, n: int, b: Floats) -> None:
    """Write the Bernstein coefficients of ``Σ_{k<=n} d_k u^k`` into ``b``."""
    for k in range(n + 1):
        b[k] = d[k] / _BINOMIAL[n, k]
    for level in range(1, n + 1):
        for k in range(n, level - 1, -1):
            b[k] += b[k - 1]


@compiled()
def highest(b, n, enough):
    """The largest Bernstein coefficient, after halving where it is above ``enough`` and what is attained.

    A half has averages of averages, ``n`` deep: each addition is off by half a unit of at most max |b|, and
    averages are off by no more than what they are made of.
    """
    stack, depth = np.empty((HALVINGS + 1, n + 1)), np.zeros(HALVINGS + 1, np.int64)
    for k in range(n + 1):
        stack[0, k] = b[k]
    count, most = 1, max(b[0], b[n])
    while count > 0:
        at, high = count - 1, stack[count - 1, 0]
        for k in range(1, n + 1):
            high = max(high, stack[at, k])
        if high <= max(most, enough) or depth[at] == HALVINGS:
            most, count = max(most, high), at
            continue
        depth[at] += 1
        depth[count] = depth[at]
        for k in range(n + 1):  # the left half goes on top, the right one stays
            stack[count, k] = stack[at, 0]
            for j in range(n - k):
                stack[at, j] = 0.5 * (stack[at, j] + stack[at, j + 1])
        most, count = max(most, stack[at, 0]), count + 1
    return most


@compiled()
def first_zero(d, n, work):
    """The smallest zero in ``(0, 1]`` of a polynomial that is positive at 0; 2 if there is none.

    ``work`` has room for ``3 * (n + 1)`` numbers.
    """
    drop = end = d[0]
    slope = 0.0  # at most so large
    for k in range(1, n + 1):
        drop += min(d[k], 0.0)
        end += d[k]
        slope += k * (d[k] if k == 1 else max(d[k], 0.0))
    if drop > 0.0:
        return 2.0
    if slope < 0.0:  # it falls all the way
        return _bisect(d, n, 0.0, 1.0, _chord(d[0], end)) if end <= 0.0 else 2.0
    b, left = work[: n + 1], work[n + 1 : 2 * (n + 1)]
    if n > FEW_ORDERS and _stays_above(d, n, left, b):
        return 2.0
    bernstein(d, n, b)
    low, width = 0.0, 1.0  # b belongs to [low, low + width]
    for _ in range(_MOST_HALVINGS):
        changes, least, last = 0, b[0], b[0]
        for k in range(1, n + 1):
            least = min(least, b[k])
            if b[k] * last < 0.0:
                changes += 1
            if b[k] != 0.0:
                last = b[k]
        if least > 0.0:
            # Nothing here: go on to the interval to the right, of twice the width if it is aligned.
            low += width
            if low >= 1.0:
                return 2.0
            while width < 1.0 and low / (2.0 * width) == np.floor(low / (2.0 * width)):
                width *= 2.0
            _restrict(d, n, low, width, b)
            continue
        if (changes <= 1 and b[n] < 0.0) or width < _NARROW:
            return _bisect(d, n, low, low + width, low + _chord(b[0], b[n]) * width)
        # The left half: its coefficients are the left edge of the triangle of averages.
        for k in range(n + 1):
            left[k] = b[0]
            for j in range(n - k):
                b[j] = 0.5 * (b[j] + b[j + 1])
        for k in range(n + 1):
            b[k] = left[k]
        width *= 0.5
    return low


@compiled(forceinline=True, fastmath=ANY_ORDER)
def falls(d, n, work):
    """Whether Bernstein coefficients of a polynomial of few orders, nowhere lower, are at most ``d_0``.

    With m = ``FEW_ORDERS``, Σ_{k>m} d_k u^k is at most u^m Σ_{k>m} max{d_k, 0}.  To add that up takes n − m
    additions, a coefficient a division and m additions of what has weights of at most 1, and of 2^m in all:
    then Σ d_k u^k is nowhere above d_0 + (n + 2) 2^-53 Σ |d_k| + 2^-1068, and the caller allows for that.
    Numbers are finite, ``n`` is above m, and ``work`` has room for 2 (m + 1) of them.
    """
    few, b = work[: FEW_ORDERS + 1], work[FEW_ORDERS + 1 : 2 * (FEW_ORDERS + 1)]
    for k in range(FEW_ORDERS + 1):
        few[k] = d[k]
    for k in range(FEW_ORDERS + 1, n + 1):
        few[FEW_ORDERS] += max(d[k], 0.0)
    bernstein(few, FEW_ORDERS, b)
    top = b[1]
    for k in range(2, FEW_ORDERS + 1):
        top = max(top, b[k])
    return top <= d[0]


@compiled(forceinline=True)
def _stays_above(d, n, few, b):
    """Whether those of one that is nowhere higher are positive; rounding is as in :func:`falls`."""
    for k in range(FEW_ORDERS + 1):
        few[k] = d[k]
    for k in range(FEW_ORDERS + 1, n + 1):
        few[FEW_ORDERS] += min(d[k], 0.0)
    bernstein(few, FEW_ORDERS, b)
    least = b[0]
    for k in range(1, FEW_ORDERS + 1):
        least = min(least, b[k])
    return least > 0.0


@compiled()
def _restrict(d: Floats, n: int, low: float, width: float, b: Floats) -> None:
    """Bernstein coefficients on ``[low, low + width]``, from the monomials shifted there."""
    for k in range(n + 1):
        b[k] = d[k]
    for level in range(n):
        for k in range(n - 1, level - 1, -1):
            b[k] += low * b[k + 1]
    scale = 1.0
    binomial = 1.0
    for k in range(n + 1):
        b[k] = b[k] * scale / binomial
        scale *= width
        binomial *= (n - k) / (k + 1.0)
    for level in range(1, n + 1):
        for k in range(n, level - 1, -1):
            b[k] += b[k - 1]


@compiled(forceinline=True)
def _chord(start, end):
    """Where a line has its zero that is ``start`` at 0 and ``end`` at 1, if there is one."""
    return start / (start - end) if end < 0.0 < start else 0.5


@compiled()
def _bisect(d: Floats, n: int, low: float, high: float, x: float) -> float:
    """The zero in ``[low, high]``, where the polynomial falls: Newton steps, and halves where they leave it.

    ``x`` is a guess.  Newton's steps come from one side, so each goes a rounding further than it should: the
    other end of the interval follows when they are that short.
    """
    for _ in range(100):
        value, slope = d[n], 0.0
        for k in range(n - 1, -1, -1):
            slope = slope * x + value
            value = value * x + d[k]
        if value > 0.0:
            low, beyond = x, 2e-16 * high
        else:
            high, beyond = x, -2e-16 * high
        if high - low <= 4e-16 * high or value == 0.0:
            break
        step = x - value / slope + beyond if slope != 0.0 else low
        x = step if low < step < high else 0.5 * (low + high)
    return high
