r"""Poisson series: the functions a linear regime produces, and why their signs come cheap.

Fix :math:`\Lambda > 0`.  A bounded sequence :math:`a_0, a_1, \dots` defines the function

.. math:: f(x) = \sum_{k\ge0} a_k\, e^{-x} \frac{x^k}{k!} = \mathbb E\,[a_{N}],
          \quad N \sim \mathrm{Poisson}(x), \qquad x = \Lambda s .

Three facts make this the right basis for :math:`z' = Mz + c` with a generator :math:`M`:

* differentiation in :math:`x` is the difference :math:`a_{k+1}-a_k`, so the differential
  equation turns into the recursion :math:`z_{k+1} = (I + M/\Lambda) z_k + c/\Lambda`, whose
  matrix is stochastic: no cancellation, no growth of rounding errors, whatever the rates.
  (This is a way to write down the solution of a linear system.  The decision problem is
  not uniformised: the committed problem would change.)
* :math:`f(x)` is an average of the :math:`a_k`: it lies between their least and largest,
  and if all are positive then so is :math:`f`, everywhere.  Most comparisons between
  actions end here, for the whole horizon at once.
* the tail is a Poisson tail: if :math:`|a_k| \le B + kR` for all :math:`k`, then leaving out
  the terms from :math:`m` on costs at most
  :math:`B\,T_m + R\,x\,T_{m-1}`, with
  :math:`T_m = P(N \ge m) \le \frac{x^m e^{-x}}{m!}\,\frac{m+1}{m+1-x}` for :math:`x < m+1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, lgamma, log

from flint import arb, arb_poly, fmpq

from ctucbvi.exact.precision import symmetric, to_fraction


@dataclass(frozen=True)
class Growth:
    """``|a_k| <= start + k * rate`` for every ``k``: what bounds the part that is cut off."""

    start: arb
    rate: arb

    def __add__(self, other: Growth) -> Growth:
        return Growth((self.start + other.start).upper(), (self.rate + other.rate).upper())

    def scaled(self, factor: arb) -> Growth:
        """The bound for ``factor`` times the sequence."""
        return Growth((self.start * factor).upper(), (self.rate * factor).upper())


class Basis:
    """Poisson weights for ``0 <= x <= reach``, cut off where the rest is below ``2**-bits``."""

    def __init__(self, reach: fmpq, bits: int) -> None:
        self.reach = reach
        self.terms = terms_needed(float(to_fraction(reach)), bits) + 3
        inverse = [arb(1)]
        for k in range(1, self.terms + 1):
            inverse.append(inverse[-1] / k)
        self.inverse_factorials = inverse
        # Second differences of a_0..a_terms stop at terms - 2: one tail serves all three.
        self.tail_mass = poisson_tail(reach, self.terms - 2)

    def tail(self, growth: Growth) -> arb:
        """A bound on what the cut-off costs in ``f``, in ``f'`` and in ``f''``."""
        return (4 * (growth.start + growth.rate * (2 + arb(self.reach))) * self.tail_mass).upper()

    def polynomial(self, sequence: list[arb]) -> arb_poly:
        """``Σ a_k x^k / k!``, the series without its factor ``e^-x``."""
        return arb_poly([a * w for a, w in zip(sequence, self.inverse_factorials, strict=False)])


def poisson_tail(mean: fmpq, first: int) -> arb:
    """An upper bound for ``P(N >= first)``, ``N`` Poisson with the given mean or a smaller one."""
    if mean == 0:
        return arb(0) if first > 0 else arb(1)
    if first + 1 <= mean:
        return arb(1)
    x = arb(mean)
    return (x**first * (-x).exp() / arb(first).fac() * (first + 1) / (first + 1 - x)).upper().min(arb(1))


def terms_needed(mean: float, bits: int) -> int:
    """About how many terms bring the Poisson tail below ``2**-bits`` (a guess; the tail is proved later)."""
    if mean == 0:
        return 1
    target = -bits * log(2)
    low, high = ceil(mean) + 1, ceil(mean) + 1
    while _log_weight(mean, high) > target:
        high = ceil(mean) + 2 * (high - ceil(mean))
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _log_weight(mean, middle) > target else (low, middle)
    return low


def _log_weight(mean: float, k: int) -> float:
    return k * log(mean) - mean - lgamma(k + 1) if mean > 0 else -inf


@dataclass(frozen=True)
class PoissonSeries:
    """The function with coefficients ``sequence`` in ``basis``, on ``0 <= x <= basis.reach``."""

    sequence: list[arb]
    growth: Growth
    basis: Basis

    @cached_property
    def _tail(self) -> arb:
        return symmetric(self.basis.tail(self.growth))

    @cached_property
    def _derivatives(self) -> tuple[PoissonSeries, PoissonSeries]:
        first = differences(self.sequence)
        second = differences(first)
        return PoissonSeries(first, self.growth, self.basis), PoissonSeries(second, self.growth, self.basis)

    @cached_property
    def _polynomial(self) -> arb_poly:
        return self.basis.polynomial(self.sequence)

    @cached_property
    def _hull(self) -> arb:
        """Contains 0 and every coefficient; the weights kept sum to less than 1, so every value too."""
        low = high = arb(0)
        for a in self.sequence:
            low, high = low.min(a), high.max(a)
        return low.union(high)

    def _kept(self, x: arb, weight: arb) -> arb:
        value = self._polynomial(x) * weight
        return value if x.is_exact() else value.intersection(self._hull)

    def __call__(self, x: arb) -> arb:
        """The value over the ball ``x``, with the cut-off accounted for."""
        return self._kept(x, (-x).exp()) + self._tail

    def jet(self, x: arb) -> tuple[arb, arb, arb]:
        """Enclosures of the value and of two derivatives in ``x`` over the ball ``x``."""
        first, second = self._derivatives
        weight, tail = (-x).exp(), self._tail
        return (
            self._kept(x, weight) + tail,
            first._kept(x, weight) + tail,
            second._kept(x, weight) + tail,
        )

    def least_coefficient(self) -> arb:
        """The least of the coefficients kept, rounded down."""
        least = self.sequence[0]
        for a in self.sequence:
            least = least.min(a)
        return least.lower()

    def is_above(self, noise: arb) -> bool:
        """Whether ``f > noise`` on the whole range, by the coefficients alone."""
        kept = 1 - self.basis.tail_mass
        return bool(self.least_coefficient() * kept - self.basis.tail(self.growth) > noise)

    def is_below(self, bound: arb) -> bool:
        """Whether every coefficient kept is certainly at most ``bound`` in size."""
        return all(a.abs_upper() <= bound for a in self.sequence)

    def divided_by_power(self, m: int) -> PoissonSeries:
        """``f(x) / x**m``, for a sequence whose first ``m`` members are exactly 0.

        ``Σ_{k>=m} a_k x^{k-m}/k!`` has the coefficients ``a_{j+m} j!/(j+m)!``.
        """
        if m == 0:
            return self
        ratio = self.basis.inverse_factorials[m]
        sequence = []
        for j, a in enumerate(self.sequence[m:]):
            sequence.append(a * ratio)
            ratio = ratio * (j + 1) / (j + 1 + m)
        start = (self.growth.start + m * self.growth.rate) * self.basis.inverse_factorials[m]
        growth = Growth(start.upper(), (self.growth.rate * self.basis.inverse_factorials[m]).upper())
        return PoissonSeries(sequence, growth, _Shorter(self.basis, len(sequence) - 1))


class _Shorter(Basis):
    """A basis with fewer terms than the one it is taken from."""

    def __init__(self, basis: Basis, terms: int) -> None:
        self.reach = basis.reach
        self.terms = terms
        self.inverse_factorials = basis.inverse_factorials
        self.tail_mass = poisson_tail(basis.reach, terms - 2)


def differences(sequence: list[arb]) -> list[arb]:
    """``a_{k+1} - a_k``."""
    return [b - a for a, b in zip(sequence, sequence[1:], strict=False)]
