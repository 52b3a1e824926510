r"""Poisson series: the functions a linear regime produces, and why their signs come cheap.

Fix :math:`\Lambda > 0`.  A bounded sequence :math:`a_0, a_1, \dots` defines the function

.. math:: f(x) = \sum_{k\ge0} a_k\, e^{-x} \frac{x^k}{k!} = \mathbb E\,[a_{N}],
          \quad N \sim \mathrm{Poisson}(x), \qquad x = \Lambda s .

Four facts make this the right basis for :math:`z' = Mz + c` with a generator :math:`M`:

* differentiation in :math:`x` is the difference :math:`a_{k+1}-a_k`, so the differential
  equation turns into the recursion :math:`z_{k+1} = (I + M/\Lambda) z_k + c/\Lambda`, whose
  matrix is stochastic: no cancellation, no growth of rounding errors, whatever the rates.
  (This is a way to write down the solution of a linear system.  The decision problem is
  not uniformised: the committed problem would change.)
* :math:`f(x)` is an average of the :math:`a_k`: it lies between their least and largest,
  and if all are positive then so is :math:`f`, everywhere.  Most comparisons between
  actions end here, for the whole horizon at once.
* Descartes' rule of signs: :math:`e^{x} f(x) = \sum a_k x^k/k!` has at most as many positive
  zeros as its coefficients have changes of sign.  With one change a single evaluation tells
  the sign of :math:`f` on a whole interval (:meth:`PoissonSeries.stays_above`).
* the tail is a Poisson tail: if :math:`|a_k| \le B + kR` for all :math:`k`, then leaving out
  the terms from :math:`m` on costs at most
  :math:`B\,T_m + R\,x\,T_{m-1}`, with
  :math:`T_m = P(N \ge m) \le \frac{x^m e^{-x}}{m!}\,\frac{m+1}{m+1-x}` for :math:`x < m+1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil, inf, lgamma, log
from operator import ne

from flint import arb, arb_poly, fmpq

from ctucbvi.exact.precision import precision, symmetric

_WIDE = arb(1) / 8  # on balls wider than this evaluation alone says little


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

    def __init__(self, reach: fmpq, bits: int, least_terms: int = 0) -> None:
        self.reach = reach
        self.bits = bits
        self._least_terms = least_terms
        self._weights: tuple[fmpq, list[arb]] | None = None

    @cached_property
    def terms(self) -> int:
        """The index of the last coefficient that is kept."""
        return max(terms_needed(int(self.reach.p) / int(self.reach.q), self.bits) + 3, self._least_terms)

    @cached_property
    def inverse_factorials(self) -> list[arb]:
        """``1/k!`` for every coefficient."""
        return inverse_factorials(self.terms, self.bits)

    @cached_property
    def tail_mass(self) -> arb:
        """What the weights that are cut off sum to at most."""
        # Second differences of a_0..a_terms stop at terms - 2: one tail serves all three.
        return poisson_tail(self.reach, self.terms - 2)

    def tail(self, growth: Growth) -> arb:
        """A bound on what the cut-off costs in ``f``, in ``f'`` and in ``f''``."""
        return (4 * (growth.start + growth.rate * (2 + arb(self.reach))) * self.tail_mass).upper()

    def weights(self, x: fmpq) -> list[arb]:
        """``e^-x x^k / k!`` for every ``k``; kept until somebody asks for another point."""
        if self._weights is None or self._weights[0] != x:
            at = arb(x)
            power, found = (-at).exp(), []
            for w in self.inverse_factorials:
                found.append(power * w)
                power = power * at
            self._weights = x, found
        return self._weights[1]

    def polynomial(self, sequence: list[arb]) -> arb_poly:
        """``Σ a_k x^k / k!``, the series without its factor ``e^-x``."""
        return arb_poly([a * w for a, w in zip(sequence, self.inverse_factorials, strict=False)])


def inverse_factorials(last: int, bits: int) -> list[arb]:
    """``1/k!`` for ``k = 0, ..., last``."""
    table = _inverse_factorials(bits)
    with precision(bits):
        while len(table) <= last:
            table.append(table[-1] / len(table))
    return table[: last + 1]


@lru_cache(maxsize=8)
def _inverse_factorials(bits: int) -> list[arb]:  # noqa: ARG001 -- one table, which grows, per precision
    return [arb(1)]


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
    def _value(self) -> arb_poly:
        """``P`` with ``f = e^-x P``."""
        with precision(self.basis.bits):  # the caller may be looking with fewer
            return self.basis.polynomial(self.sequence)

    @cached_property
    def _slope(self) -> arb_poly:
        """The same for ``f'``: ``P' - P``.

        Its coefficients are the differences ``(a_{k+1} - a_k)/k!``; the last one has no
        successor and belongs to the tail.
        """
        with precision(self.basis.bits):
            return (self._value.derivative() - self._value).truncate(len(self.sequence) - 1)

    @cached_property
    def _curvature(self) -> arb_poly:
        """The same for ``f''``."""
        with precision(self.basis.bits):
            return (self._slope.derivative() - self._slope).truncate(len(self.sequence) - 2)

    @cached_property
    def _hulls(self) -> tuple[arb, arb, arb]:
        """Contain 0 and every coefficient; the weights kept sum to less than 1, so all values too."""
        first = differences(self.sequence)
        return _hull(self.sequence), _hull(first), _hull(differences(first))

    def _read(self, polynomial: arb_poly, x: arb, order: int) -> arb:
        value = polynomial(x) * (-x).exp()
        if x.rad() > _WIDE:
            value = value.intersection(self._hulls[order])
        return value + self._tail

    def __call__(self, x: arb) -> arb:
        """The value over the ball ``x``, with the cut-off accounted for."""
        return self._read(self._value, x, 0)

    def slope(self, x: arb) -> arb:
        """The derivative over the ball ``x``."""
        return self._read(self._slope, x, 1)

    def curvature(self, x: arb) -> arb:
        """The second derivative over the ball ``x``."""
        return self._read(self._curvature, x, 2)

    def derivative(self) -> PoissonSeries:
        """``f'``, a series again: its coefficients are the differences."""
        with precision(self.basis.bits):
            start = (2 * self.growth.start + self.growth.rate).upper()
            growth = Growth(start, (2 * self.growth.rate).upper())
            return PoissonSeries(
                differences(self.sequence), growth, _Shorter(self.basis, len(self.sequence) - 2)
            )

    def level(self, noise: arb) -> arb:
        """A number such that ``Σ (a_k - level) w_k > 0`` over the kept terms implies ``f > noise``."""
        return ((noise + self.basis.tail(self.growth)) / (1 - self.basis.tail_mass)).upper()

    def is_above(self, noise: arb) -> bool:
        """Whether ``f > noise`` on the whole range, by the coefficients alone."""
        level = self.level(noise)
        return all(a > level for a in self.sequence)

    def stays_above(self, noise: arb) -> bool:
        """Whether ``f > noise`` at two points implies the same at every point between them.

        Let ``h = Σ (c_k - level) w_k`` over the kept terms, ``c_k`` being the lower end of the ball ``a_k``:
        whatever is positive about ``h`` holds for the true coefficients, and the sign of a coefficient of
        ``h`` is never in doubt.  If they change sign at most once, or at most twice and do not begin positive
        (so that a positive value of ``h`` has a zero before it), then two positive values of ``h`` have
        at most one zero between them, counted with multiplicity; being even in number there is none.
        The values of ``f`` are asked to exceed ``2 * level`` for all coefficients in the balls, which makes
        ``h`` positive there.
        """
        level = self.level(noise)
        positive = [bool(a > level) for a in self.sequence]
        changes: int = sum(map(ne, positive, positive[1:]))
        return changes <= (1 if positive[0] else 2)

    def positive_start(self) -> int:
        """How many coefficients are positive before the first that is not."""
        return next((k for k, a in enumerate(self.sequence) if not a > 0), len(self.sequence))

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
        super().__init__(basis.reach, basis.bits)
        self.terms = terms
        self.inverse_factorials = basis.inverse_factorials


def differences(sequence: list[arb]) -> list[arb]:
    """``a_{k+1} - a_k``."""
    return [b - a for a, b in pairwise(sequence)]


def _hull(sequence: list[arb]) -> arb:
    hull = arb(0)
    for a in sequence:
        hull = hull.union(a)
    return hull
