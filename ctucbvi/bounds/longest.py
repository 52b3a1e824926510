r"""The expected maximum of :math:`K` independent Poisson variables, exactly (``eq:term1-3``).

With :math:`q_m = P(Z > m)` for :math:`Z` Poisson of mean :math:`v`,

.. math:: E\max_{k\le K} Z_k = \sum_{m\ge0} \bigl(1 - (1-q_m)^K\bigr) .

**From the far end.**  Let :math:`M > v` and :math:`r = v/(M+2) < 1`.  Since :math:`P(Z = j+1) = \frac v{j+1}
P(Z = j)`, the tails beyond :math:`M` fall at least as fast as :math:`r^i`, so

.. math:: q_M \in P(Z = M+1)\,\Bigl[1, \frac1{1-r}\Bigr], \qquad
          0 \le \sum_{m\ge M}\bigl(1-(1-q_m)^K\bigr) \le \frac{K q_M}{1-r} .

From there :math:`q_{m-1} = q_m + P(Z = m)` goes down to smaller :math:`m`: only positive numbers are
added, nothing cancels.

**The near end.**  The terms increase towards 1 as :math:`m` falls.  As soon as :math:`(1-q_m)^K` is
negligible, each of the :math:`m` terms that are left lies between :math:`1 - (1-q_m)^K` and 1.  What is
summed in between has a width of order :math:`\sqrt v`, whatever :math:`K` is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from flint import arb, ctx

from ctucbvi.exact.precision import precision, to_fmpq

LARGEST_MEAN = 10**8  # beyond it the sum has too many terms


def expected_maximum(mean: Fraction, count: int) -> arb:
    """``E max`` of ``count >= 1`` independent Poisson variables of the given ``mean > 0``."""
    return _expected_maximum(mean, count, ctx.prec)


@lru_cache(maxsize=4096)
def _expected_maximum(mean: Fraction, count: int, bits: int) -> arb:
    work = bits + 40 + 2 * int(mean + 2).bit_length() + count.bit_length()
    with precision(work):
        v, small = arb(to_fmpq(mean)), arb(2) ** (-bits - 10)
        m = _far(mean, count, bits)
        weight = ((m + 1) * v.log() - v - arb(m + 2).lgamma()).exp()  # P(Z = m + 1)
        ratio = v / (m + 2)
        tail = weight * (1 / (1 - ratio)).union(arb(1))
        total = (count * tail / (1 - ratio)).union(arb(0))
        while m > 0:
            weight *= (m + 1) / v
            tail += weight
            m -= 1
            power = (count * (-tail).log1p()).exp() if tail < 1 else arb(0).union((1 - tail).upper())
            total += 1 - power
            if power < small and m * power < small:
                return total + m - (m * power).union(arb(0))
        return total


def _far(mean: Fraction, count: int, bits: int) -> int:
    """An M beyond which the terms are below ``2^-bits``, by Chernoff's bound; any M > mean is valid."""
    logarithm = bits + 20 + count.bit_length() + int(mean + 2).bit_length()
    # P(Z >= v + x) <= exp(-x²/(2v + x)); x = L + √(2vL) gives x²/(2v + x) >= L.
    return int(mean) + 1 + logarithm + isqrt(2 * (int(mean) + 1) * logarithm) + 1
