r"""Rows of p that lead to every state, times several orders at once.

One such row is read for one order as fast as it comes from memory, and the arithmetic waits.  Two rows and
four orders at a time are eight sums that need six numbers, so that it no longer does.  Numbers of an order
lie side by side here, unlike elsewhere; they are summed up in any order, which the bound on sums of :math:`n`
products, :math:`\gamma_n \sum |p|\,|v|`, does not mind.
"""

from __future__ import annotations

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats, Integers

ANY_ORDER = {"reassoc", "contract", "nsz"}  # of a sum; what is not a number stays none


@compiled()
def any_full(row: Integers, states: int) -> bool:
    """Whether a row leads to every state, and there are so many of them that it matters."""
    found = False
    for i in range(row.size - 1 if states > 16 else 0):
        found = found or row[i + 1] - row[i] == states
    return found


@compiled(fastmath=ANY_ORDER)
def products(probability: Floats, begin: Integers, count: int, v: Floats, flow: Floats) -> None:
    """``flow[n, j] = Σ_y p(y) v[j, y]`` for full rows that begin at ``begin[n]``; orders come in fours."""
    states = v.shape[1]
    for n in range(0, count, 2):
        m = min(n + 1, count - 1)  # the last one may be done twice
        p, q = probability[begin[n] : begin[n] + states], probability[begin[m] : begin[m] + states]
        for j in range(0, v.shape[0], 4):
            v0, v1, v2, v3 = v[j], v[j + 1], v[j + 2], v[j + 3]
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
            for y in range(states):
                a, b = p[y], q[y]
                a0 += a * v0[y]
                a1 += a * v1[y]
                a2 += a * v2[y]
                a3 += a * v3[y]
                b0 += b * v0[y]
                b1 += b * v1[y]
                b2 += b * v2[y]
                b3 += b * v3[y]
            flow[n, j], flow[n, j + 1], flow[n, j + 2], flow[n, j + 3] = a0, a1, a2, a3
            flow[m, j], flow[m, j + 1], flow[m, j + 2], flow[m, j + 3] = b0, b1, b2, b3
