"""The largest of several Poisson variables, in balls."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from flint import arb

from proofs_checks.checks.common import scaled
from proofs_checks.checks.poisson import weight
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

_BITS = 128


@scaled("episodes")
def quiet(effort: Effort, seen: int = 0) -> list[Case]:
    """The sum over k for K episodes in each of which ``seen`` jumps are observed, against K."""
    found = []
    for episodes in range(1, effort.scaled(10, 100)):
        with precision(_BITS):
            total = sum((1 / arb(max(1, seen * k)).sqrt() for k in range(episodes)), arb(0))
        found.append(Case(f"K = {episodes}", total, arb(episodes), ">="))
    return found


def largest(mean: Fraction, count: int) -> arb:
    """The mean of the largest of independent Poisson variables: Σ_m 1 - P(Z <= m)^K, and what is left out.

    ``1 - (1 - q)^K <= Kq``, and beyond twice the mean the tails q fall faster than by halves.
    """
    with precision(_BITS):
        exact = arb(rational(mean))
        below, total, m = weight(exact, 0), arb(0), 0
        while m < 2 * mean + 4 or not (1 - below) * count < arb(2) ** -60:
            total += 1 - below**count
            m += 1
            below += weight(exact, m)
        return total + (2 * count * (1 - below)).union(arb(0))


@scaled("exact means")
def longest_of(effort: Effort, factor: Fraction = Fraction(1)) -> list[Case]:
    """E max of K Poisson(v) variables, exactly, against the bound (times ``factor``)."""
    counts = (2, 3, 10, 100, 10**6)
    return [_longest_case(v, k, factor) for v in _means(effort) for k in counts]


def _means(effort: Effort) -> list[Fraction]:
    return [Fraction(n, 10) for n in range(1, effort.scaled(41, 401), 13)]


def _longest_case(mean: Fraction, count: int, factor: Fraction) -> Case:
    with precision(_BITS):
        k = arb(count).log()
        bound = arb(rational(factor * (mean + 1))) * k / (1 + k).log()
    return Case(f"K = {count}, v = {mean}", largest(mean, count), bound)


@scaled("exact means", "binomial laws in balls")
def mean_roots(effort: Effort, factor: Fraction = Fraction(1)) -> list[Case]:
    """E √#{l : Z^l > m} for K independent Poisson variables against √(K P(Z > m)), times ``factor``."""
    found = []
    for mean, count, m in product(_means(effort), (1, 2, 10), (0, 1, 4)):
        with precision(_BITS):
            exact = arb(rational(mean))
            p = 1 - sum((weight(exact, j) for j in range(m + 1)), arb(0))
            law = (comb(count, j) * p**j * (1 - p) ** (count - j) for j in range(count + 1))
            left = sum((q * arb(j).sqrt() for j, q in enumerate(law)), arb(0))
            right = rational(factor) * (count * p).sqrt()
        found.append(Case(f"K = {count}, v = {mean}, m = {m}", left, right))
    return found


def roots(mean: Fraction) -> arb:
    """Σ_m √P(Z > m) for Z Poisson: a finite sum, and a geometric series for the rest."""
    with precision(_BITS):
        exact = arb(rational(mean))
        below, total, m = weight(exact, 0), arb(0), 0
        while m < 4 * mean + 4 or not 1 - below < arb(2) ** -80:
            total += (1 - below).nonnegative_part().sqrt()
            m += 1
            below += weight(exact, m)
        return total + (2 * (1 - below).nonnegative_part().sqrt()).union(
            arb(0)
        )  # each tail < 1/4 of the one before


@scaled("exact sums")
def levels(effort: Effort, constant: Fraction = Fraction(1)) -> list[Case]:
    """Σ_m √P(Z > m), exactly, against (e - 1)v + ``constant``/(√e - 1)."""
    found = []
    for mean in [Fraction(1, 100), Fraction(1, 4), *_means(effort)]:
        with precision(_BITS):
            e = arb(1).exp()
            bound = (e - 1) * arb(rational(mean)) + arb(rational(constant)) / (e.sqrt() - 1)
        found.append(Case(f"v = {mean}", roots(mean), bound))
    return found


@scaled("exact sums")
def leading(effort: Effort, less: Fraction = Fraction(0)) -> list[Case]:
    """Σ_m √P(Z > m), exactly, against v + (2 - ``less``)√v + 1/4 - ``less``/4."""
    found = []
    for mean in [Fraction(1, 100), Fraction(1, 4), Fraction(25), *_means(effort)]:
        with precision(_BITS):
            v = arb(rational(mean))
            bound = v + rational(2 - less) * v.sqrt() + rational((1 - less) / 4)
        found.append(Case(f"v = {mean}", roots(mean), bound))
    return found
