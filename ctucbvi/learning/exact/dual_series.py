r"""The maximiser over a kl set as a power series: a guess, for others to judge.

Let :math:`u_y = V_y - \max V`, :math:`x_y = \nu - u_y` (with :math:`\nu` less :math:`\max V`, too),
:math:`\mu = e^{-c}G` with the geometric mean :math:`G` of :math:`x`, :math:`M = \nu - \mu`, :math:`\tilde
p_y = \mu\hat p_y/x_y` and :math:`z_y = x_y'/x_y`.  Then :math:`\mu' = \mu\sum_v\hat p_v z_v` and
:math:`\tilde p_y' = \tilde p_y(\sum_v \hat p_v z_v - z_y)`.  At the edge :math:`\nu = 0`.  Otherwise
:math:`\sum\tilde p_y = 1` throughout, so that :math:`\sum_v \hat p_v z_v = \sum_v\tilde p_v z_v`, and with
:math:`w_y = \tilde p_y(1 - \tilde p_y/\hat p_y)`

.. math:: \nu' \sum_y w_y = \sum_y w_y u_y', \qquad M' = \sum_y \tilde p_y u_y',

the last one since the maximiser may be held fixed in the derivative of a maximum.  So every coefficient
follows from those before it by sums of products, in the middles of balls.

**Layers.** States that tie with the best one at the start separate from it later.  If :math:`\nu` is tiny
beside the other differences (few jumps elsewhere, and a generous :math:`c`) the maximiser then changes
within a tiny time, beyond which no series reaches.  Such states are *merged* with the best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from flint import arb

from ctucbvi.exact.precision import largest
from ctucbvi.learning.exact.jump_sets import falling_root

Row = list[arb]  # the coefficients of a series
_LAYER = 10  # so many units of the logarithm below the other differences ν is tiny


class DualSeries:
    """ν, the maximum and the maximiser, coefficient by coefficient; values are less the best one."""

    def __init__(
        self, mass: dict[int, arb], radius: arb, below: dict[int, arb], *, seen: bool, noise: arb
    ) -> None:
        """``below`` are the differences at the start, ``seen`` says whether the best state has mass."""
        self._mass = {y: p.mid() for y, p in mass.items()}
        self.merged: set[int] = set()  # states that count as the best one
        self.edge = False
        nu = self._begin(radius.mid(), below, seen, noise)
        start = {y: arb(0) if y in self.merged else u.mid() for y, u in below.items()}
        self.nu: Row = [nu]
        self.x: dict[int, Row] = {y: [(nu - u).mid()] for y, u in start.items()}
        self.z: dict[int, Row] = {y: [] for y in below}
        logs = sum((p * self.x[y][0].log() for y, p in self._mass.items()), -radius.mid())
        self.maximum: Row = [(nu - logs.exp()).mid()]
        self.p: dict[int, Row] = {y: [(logs.exp() * p / self.x[y][0]).mid()] for y, p in self._mass.items()}
        self._slopes: dict[int, Row] = {y: [] for y in below}  # u'
        self._weights: dict[int, Row] = {y: [] for y in below}  # w
        self._rise: Row = []  # ν'
        self._common: Row = []  # Σ p̂ z

    def _begin(self, c: arb, below: dict[int, arb], seen: bool, noise: arb) -> arb:
        """ν at the start, also where a guess of the best state was wrong."""
        top = arb(0)
        for u in below.values():
            top = top.max(u)
        away = {y: top - u for y, u in below.items()}
        if not seen and all(u < 0 for u in below.values()) and log_ratio(away, self._mass).mid() <= c:
            self.edge = True
            return arb(0)

        def excess(log_nu: arb) -> arb:
            return log_ratio({y: log_nu.exp() + x for y, x in away.items()}, self._mass) - c

        scale = largest(list(away.values())).log().mid()
        log_nu = falling_root(excess, scale - 1, scale)
        tied = {y for y, u in below.items() if abs(u) <= noise}
        if tied and top <= noise and log_nu < scale - _LAYER:
            self.merged, top = tied, arb(0)
            away = {y: arb(0) if y in tied else -u for y, u in below.items()}
            log_nu = falling_root(excess, log_nu - 1, log_nu)
        return (top + log_nu.exp()).mid()

    def extend(self, below: dict[int, arb]) -> arb:
        """The next coefficient of the maximum, from those of the differences."""
        n = len(self.nu)
        for y, u in below.items():
            self._slopes[y].append(arb(0) if y in self.merged else n * u.mid())
        self._rise.append(arb(0) if self.edge else self._next_rise())
        self.nu.append((self._rise[-1] / n).mid())
        for y, x in self.x.items():
            slope = self._rise[-1] - self._slopes[y][-1]
            self.z[y].append(((slope - dot(x[1:], self.z[y])) / x[0]).mid())
            x.append((slope / n).mid())
        if self.edge:
            self._common.append(sum((p * self.z[y][-1] for y, p in self._mass.items()), arb(0)).mid())
            gain = dot(self.maximum, self._common)
        else:
            self._common.append(sum((dot(p, self.z[y]) for y, p in self.p.items()), arb(0)).mid())
            gain = sum((dot(p, self._slopes[y]) for y, p in self.p.items()), arb(0))
        for y, p in self.p.items():
            p.append((dot(p, [a - b for a, b in zip(self._common, self.z[y], strict=True)]) / n).mid())
        self.maximum.append((gain / n).mid())
        return self.maximum[-1]

    def _next_rise(self) -> arb:
        for y, p in self.p.items():
            self._weights[y].append((p[-1] - dot(p, p) / self._mass[y]).mid())
        total = [sum(row, arb(0)) for row in zip(*self._weights.values(), strict=True)]
        driven = sum((dot(w, self._slopes[y]) for y, w in self._weights.items()), arb(0))
        return ((driven - dot(total[1:], self._rise)) / total[0]).mid()


def log_ratio(x: dict[int, arb], mass: dict[int, arb]) -> arb:
    """The logarithm of the geometric over the harmonic mean of ``x``."""
    logs, inverses = arb(0), arb(0)
    for y, p in mass.items():
        logs += p * x[y].log()
        inverses += p / x[y]
    return logs + inverses.log()


def dot(one: Sequence[arb], other: Sequence[arb]) -> arb:
    """The last coefficient of a product: the first of ``one`` with the last of ``other``, and so on."""
    return sum(map(mul, one, reversed(other)), arb(0))
