r"""Sets of probability vectors, and the largest mean :math:`m(V) = \max \tilde p\cdot V` over one of them.

:math:`m` is monotone, :math:`m(V + c) = m(V) + c` and :math:`m(cV) = c\,m(V)` for :math:`c \ge 0`; so it
moves by no more than :math:`V` does.

* **All vectors** (no jump seen): :math:`m` is the largest value.
* **l1**: mass :math:`\alpha/2` (at most what there is) goes to the best state, from the worst ones first.
  The maximiser depends on the order of the states alone.
* **kl**: :math:`\mathrm{KL}(\hat p\|\tilde p) \le c`.  Where :math:`\hat p` and the best state make two
  states at most, the maximiser depends on the best state alone: what the other one keeps of its :math:`s`
  is the root :math:`x < s` of :math:`s\ln(s/x) + (1-s)\ln((1-s)/(1-x)) = c`, whose left side falls in
  :math:`x`.  Otherwise it varies with the values (:mod:`ctucbvi.learning.exact.divergence`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from flint import arb, ctx

from ctucbvi.exact.precision import BALLS

Order = tuple[int, ...]  # states, the worst first
_ROUNDS = 200  # of a search for a number


class JumpSet(Protocol):
    """A convex set of probability vectors."""

    @property
    def ordered(self) -> bool:
        """Whether the order of all states matters, not only which is the best."""

    def weights(self, order: Order) -> dict[int, arb] | None:
        """The maximiser, where the order of the values decides it; else None."""


@dataclass(frozen=True)
class AllVectors:
    """Every probability vector."""

    ordered = False

    def weights(self, order: Order) -> dict[int, arb]:
        """All mass to the best state."""
        return {order[-1]: arb(1)}


@dataclass(frozen=True)
class WithinDistance:
    """The vectors within ``radius`` of ``centre`` in l1."""

    centre: tuple[Fraction, ...]
    radius: arb
    ordered = True

    def weights(self, order: Order) -> dict[int, arb]:
        """Half of the radius is moved to the best state."""
        best = order[-1]
        mass = {y: BALLS.number(p) for y, p in enumerate(self.centre) if p}
        moved = left = (self.radius / 2).min(BALLS.number(1 - self.centre[best]))
        for y in order[:-1]:
            if y in mass:
                taken = mass[y].min(left)
                mass[y] -= taken
                left -= taken
        mass[best] = mass.get(best, arb(0)) + moved
        return {y: p for y, p in mass.items() if not p.is_zero()}


@dataclass(frozen=True)
class WithinDivergence:
    """The vectors of which ``centre`` has a divergence of at most ``radius``, which is positive."""

    centre: tuple[Fraction, ...]
    radius: arb
    ordered = False

    @cached_property
    def mass(self) -> dict[int, arb]:
        """The centre, where it is positive."""
        return {y: BALLS.number(p) for y, p in enumerate(self.centre) if p}

    def weights(self, order: Order) -> dict[int, arb] | None:
        """The maximiser if at most two states matter."""
        best = order[-1]
        others = [y for y in self.mass if y != best]
        if not others:
            return {best: arb(1)}
        if len(others) > 1:
            return None
        kept = self._kept[others[0]]
        return {best: 1 - kept, others[0]: kept}

    @cached_property
    def _kept(self) -> dict[int, arb]:
        """What each state keeps if the rest of the mass goes to one other that is better."""
        return {y: self._left_of(self.centre[y]) for y in self.mass}

    def _left_of(self, share: Fraction) -> arb:
        if share == 1:
            return (-self.radius).exp()
        s, rest = BALLS.number(share), BALLS.number(1 - share)

        def excess(log_x: arb) -> arb:
            return s * (s.log() - log_x) + rest * (rest / (1 - log_x.exp())).log() - self.radius

        guess = falling_root(excess, (s.log() - self.radius / s).mid(), s.log().mid())
        for k in range(ctx.prec):
            reach = arb(2) ** (k + 4 - ctx.prec)
            if excess(guess - reach) > 0 and excess(guess + reach) < 0:
                return (guess - reach).exp().union((guess + reach).exp())
        return arb(0).union(s)  # right, and too wide to be of use


def falling_root(f: Callable[[arb], arb], low: arb, high: arb) -> arb:
    """About where ``f``, which falls, is 0: regula falsi in the middles of balls, a guess.

    ``low < high`` are where to look first.
    """
    step, f_low, f_high = high - low, f(low).mid(), f(high).mid()
    for _ in range(_ROUNDS):
        if f_low < 0:
            high, f_high, low = low, f_low, (low - step).mid()
            f_low = f(low).mid()
        elif f_high > 0:
            low, f_low, high = high, f_high, (high + step).mid()
            f_high = f(high).mid()
        else:
            break
        step = 2 * step
    best, side = low, 0
    for _ in range(_ROUNDS):
        if not (f_low >= 0 >= f_high) or f_low == f_high:
            break
        best = ((low * f_high - high * f_low) / (f_high - f_low)).mid()
        value = f(best).mid()
        if value == 0 or high - low <= abs(best) * arb(2) ** (6 - ctx.prec):
            break
        if value > 0:  # the end that stays counts half, so that it moves next time
            low, f_low, f_high = best, value, f_high / 2 if side > 0 else f_high
        else:
            high, f_high, f_low = best, value, f_low / 2 if side < 0 else f_low
        side = 1 if value > 0 else -1
    return best
