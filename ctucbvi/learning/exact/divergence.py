r"""The largest mean over a kl set, along a piece on which the values are polynomials.

**At a point.** With the geometric and harmonic means :math:`G, H` of :math:`x = \nu - V` under :math:`\hat
p`, and :math:`f(\nu) = \ln G - \ln H`, which falls, the dual of the maximum is

.. math:: m = \min_{\nu \ge \max V} g(\nu), \qquad g(\nu) = \nu - e^{-c}G, \qquad g' = 1 - e^{f(\nu)-c}.

Every :math:`\nu \ge \max V` bounds :math:`m` from above.  From below: :math:`\tilde p = e^{-c}G\,\hat p/x`
has :math:`\mathrm{KL}(\hat p\|\tilde p) = c` and total mass :math:`e^{f-c}`; if that is at most 1 the rest
goes to the best state, otherwise :math:`H\hat p/x`, which has :math:`\mathrm{KL} = f > c`, is mixed with
:math:`\hat p`.  Together

.. math:: g(\nu) - (c-f)^+(\nu-\max V) - \frac{(f-c)^+}c(\max V - \hat p\cdot V) \le m \le g(\nu),

so that an approximate :math:`\nu` is enough for a proof.  If the best state was never seen, the minimiser
may be :math:`\nu = \max V` (*the edge*); otherwise :math:`f(\nu) = c`.

**Along a piece** polynomials :math:`\nu, \mu, z_y, \tilde p_y` are guessed
(:mod:`ctucbvi.learning.exact.dual_series`).  How far :math:`\mu` is from :math:`e^{-c}G` follows from two
residuals, which are polynomials: :math:`E = \ln G - c - \ln\mu` has

.. math:: E' = \sum_y \hat p_y\frac{x_y'}{x_y} - \frac{\mu'}\mu
             = \sum_y \hat p_y\frac{x_y' - x_yz_y}{x_y} - \frac{\mu' - \mu\sum_y\hat p_yz_y}\mu,

and :math:`f - c = E + \ln S`, :math:`S = \sum_y \hat p_y\mu/x_y = \sum_y\tilde p_y +
\sum_y(\hat p_y\mu - \tilde p_yx_y)/x_y`.

Differences :math:`V - \max V` that all vanish at the start of the piece, to some order :math:`k` (at
remaining time 0, say), are divided by :math:`t^k`: :math:`f` does not notice the factor, and :math:`g` is
homogeneous.  What is not quite 0 there counts as 0, and merged states as the best one, as :math:`m` moves by
no more than the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, arb_poly

from ctucbvi.exact.precision import largest
from ctucbvi.learning.exact.dual_series import DualSeries
from ctucbvi.learning.exact.jump_sets import WithinDivergence
from ctucbvi.learning.exact.polynomials import least, lowest, size


@dataclass(frozen=True)
class Inflow:
    """The largest mean along a piece: ``poly`` up to ``gap``, which is small while no margin is negative."""

    poly: arb_poly  # in the time since the start of the piece
    gap: arb  # infinite where nothing is known
    margins: tuple[arb_poly, ...] = ()


class MeanCurve:
    """A kl maximum along a piece: first its Taylor coefficients, then what is proved about them."""

    def __init__(self, jumps: WithinDivergence, best: int, noise: arb) -> None:
        self._mass, self._radius = jumps.mass, jumps.radius
        self._best, self._noise = best, noise
        self._order = 0  # k
        self._guess: DualSeries | None = None  # once a difference is known that is not 0

    def coefficient(self, values: Sequence[Sequence[arb]]) -> arb:
        """The next coefficient of the maximum, from those of all values up to the same one."""
        best = values[self._best]
        below = {y: (values[y][-1] - best[-1]).mid() for y in self._mass}
        if self._guess is not None:
            return best[-1] + self._guess.extend(below)
        if all(abs(u) <= self._noise for u in below.values()):
            return best[-1]
        self._order, seen = len(best) - 1, self._best in self._mass
        self._guess = DualSeries(self._mass, self._radius, below, seen=seen, noise=self._noise)
        return best[-1] + self._guess.maximum[0]

    def enclosed(self, values: Sequence[arb_poly], h: arb) -> Inflow:
        """The maximum of polynomials on a piece of length ``h``."""
        best = values[self._best]
        below = {y: values[y] - best for y in self._mass}
        if self._guess is None:
            return Inflow(best, largest([size(u, h) for u in below.values()]))
        first, merged = self._order, self._guess.merged
        rest = largest([size(u if y in merged else u.truncate(first), h) for y, u in below.items()])
        divided = {y: arb_poly() if y in merged else u.right_shift(first) for y, u in below.items()}
        found = self._judged(self._guess, divided, h)
        gap = (rest + h**first * found.gap).abs_upper()
        return Inflow(best + found.poly.left_shift(first), gap, found.margins)

    def _judged(self, guess: DualSeries, below: dict[int, arb_poly], h: arb) -> Inflow:
        """The maximum less the best value, after division."""
        nu, maximum = arb_poly(guess.nu), arb_poly(guess.maximum)
        x, mu = {y: nu - u for y, u in below.items()}, nu - maximum
        floors, mu_floor = {y: least(row, h) for y, row in x.items()}, least(mu, h)
        if not all(floor > 0 for floor in (mu_floor, *floors.values())):
            return Inflow(maximum, arb(0).pos_inf())
        off = self._error_of_mu(guess, x, mu, floors, mu_floor, h)
        gap = size(mu, h) * (off.exp() - 1)
        total, loose = arb_poly(), arb(0)
        for y, p in self._mass.items():
            mine = arb_poly(guess.p[y])
            total += mine
            loose += size(mu * p - mine * x[y], h) / floors[y]
        spread = 2 * largest([size(u, h) for u in below.values()]) / self._radius  # 2: the best may not be
        if guess.edge:
            missing = 1 - total
            over = loose - lowest(missing, h, self._noise)  # S ≤ 1 + over, and ln(1 + s) ≤ s
            return Inflow(maximum, gap + (off + over) * spread, (missing,))
        loose += size(total - 1, h)
        if not loose < 1:
            return Inflow(maximum, arb(0).pos_inf())
        gap += (off + loose / (1 - loose)) * (size(nu, h) + spread)
        if self._best in self._mass:
            return Inflow(maximum, gap)
        return Inflow(maximum, gap - lowest(nu, h, self._noise), (nu,))

    def _error_of_mu(
        self,
        guess: DualSeries,
        x: dict[int, arb_poly],
        mu: arb_poly,
        floors: dict[int, arb],
        mu_floor: arb,
        h: arb,
    ) -> arb:
        """A bound for :math:`|E|` on the piece."""
        start, slope, common = -self._radius - mu[0].log(), arb(0), arb_poly()
        for y, p in self._mass.items():
            z = arb_poly(guess.z[y])
            start += p * x[y][0].log()
            slope += p * size(x[y].derivative() - x[y] * z, h) / floors[y]
            common += z * p
        slope += size(mu.derivative() - mu * common, h) / mu_floor
        return (abs(start) + slope * h).abs_upper()
