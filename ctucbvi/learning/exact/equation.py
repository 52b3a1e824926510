r"""The optimistic equation, and how far a piecewise polynomial is from solving it.

.. math:: Q_i' = r_i + G_i(m_i(V) - Q_i), \qquad G(x) = \max\{\bar\lambda x, \underline\lambda x\}, \qquad
          V(y,\cdot) = \max_{i \text{ at } y} Q_i, \qquad Q(0) = 0,

one :math:`Q_i` per pair, :math:`[\underline\lambda, \bar\lambda]` its rates and :math:`m_i` the largest
mean over its jumps (:mod:`ctucbvi.learning.exact.jump_sets`).  Time is in units of the horizon, so that it
ends at 1.

**The equation is non-expansive.** Let :math:`\tilde q` be piecewise smooth with residual :math:`\rho =
\tilde q' - F(\tilde q)`, and let :math:`M(t) = \max_i(\tilde q_i - Q_i) \ge 0` be attained at :math:`i`.
Then :math:`\tilde V \le V + M`, so :math:`m_i(\tilde V) \le m_i(V) + M`, so :math:`m_i(\tilde V) - \tilde
q_i \le m_i(V) - Q_i`, and :math:`M' \le \rho_i` as :math:`G` does not fall.  The same from below: errors add
up, :math:`\|\tilde q - Q\|(t) \le \sum\text{jumps} + \int_0^t\|\rho\|`, and never grow.

**A hint** says which pair is best in each state, how the states are ordered, and at which end of its interval
each rate is.  It makes the right side a linear function of polynomials.  A hint that is wrong makes
the residual larger and nothing worse: with

* :math:`w`, by how much another pair exceeds the one that is said to be best: :math:`V` is off by that;
* :math:`d`, by how much the order is violated: raised until it is in order, :math:`V` moves by :math:`d` at
  most, so that the mean of the maximiser for this order is within :math:`d` of the maximum;
* :math:`x_i`, by how much :math:`m_i - \tilde q_i` is on the wrong side of 0;

the residual is that of the hint and at most :math:`\bar\lambda_i(w + d + \text{gap}_i) +
(\bar\lambda_i-\underline\lambda_i)x_i` more.  Each is the violation of a *margin*, a polynomial that should
not be negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from typing import NamedTuple

from flint import arb, arb_poly, ctx

from ctucbvi.exact.precision import largest
from ctucbvi.learning.exact.divergence import Inflow, MeanCurve
from ctucbvi.learning.exact.jump_sets import JumpSet, Order, WithinDivergence
from ctucbvi.learning.exact.polynomials import lowest, size

_ROUNDED = 16  # bits that a few operations may cost


@dataclass(frozen=True)
class PairCandidates:
    """What a pair may be: its reward, its rates and its jumps."""

    state: int
    reward: arb
    low: arb  # in units of one over the horizon
    high: arb
    jumps: JumpSet

    @property
    def fixed(self) -> bool:
        """Whether the rate is certainly one number."""
        return bool(self.low == self.high)


@dataclass(frozen=True)
class Hint:
    """Which of all linear equations holds."""

    best: tuple[int, ...]  # the pair of each state
    order: Order  # of the states, the worst first
    fast: tuple[bool, ...]  # whether the rate of a pair is at its upper end


@dataclass(frozen=True)
class Equation:
    """One right side; ``pairs`` of all states."""

    size: int  # how many states
    pairs: tuple[PairCandidates, ...]

    @cached_property
    def menu(self) -> list[list[int]]:
        """The pairs of each state."""
        found: list[list[int]] = [[] for _ in range(self.size)]
        for i, pair in enumerate(self.pairs):
            found[pair.state].append(i)
        return found

    @cached_property
    def ordered(self) -> bool:
        """Whether the order of all states matters, not only which is the best."""
        return any(pair.jumps.ordered for pair in self.pairs)

    @cached_property
    def opening(self) -> Hint:
        """What holds at first, as far as rewards tell."""
        rewards = [float(pair.reward) for pair in self.pairs]
        best = [max(menu, key=lambda i: rewards[i]) for menu in self.menu]
        order = sorted(range(self.size), key=lambda y: rewards[best[y]])
        return Hint(tuple(best), tuple(order), (True,) * len(self.pairs))

    def curves(self, hint: Hint, noise: arb) -> dict[int, MeanCurve]:
        """Those of the pairs whose maximiser varies with the values."""
        return {
            i: MeanCurve(pair.jumps, hint.order[-1], noise)
            for i, pair in enumerate(self.pairs)
            if isinstance(pair.jumps, WithinDivergence) and pair.jumps.weights(hint.order) is None
        }

    def means(self, order: Order, values: Sequence[arb], noise: arb) -> list[arb]:
        """The largest means of numbers in this order, in the middles of balls."""
        found = []
        for pair in self.pairs:
            weights = pair.jumps.weights(order)
            if weights is not None:
                found.append(sum((values[y] * p for y, p in weights.items()), arb(0)).mid())
            else:
                assert isinstance(pair.jumps, WithinDivergence)  # all others have weights
                found.append(MeanCurve(pair.jumps, order[-1], noise).coefficient([[v] for v in values]).mid())
        return found

    def slopes(self, q: Sequence[arb]) -> list[arb]:
        """The right side at a point, in the middles of balls."""
        at = [value.mid() for value in q]
        values = [reduce(arb.max, (at[i] for i in menu)) for menu in self.menu]
        order = tuple(sorted(range(self.size), key=lambda y: float(values[y])))
        noise = largest(values) * arb(2) ** (_ROUNDED - ctx.prec)  # values so close are equal
        ahead = [mean - mine for mean, mine in zip(self.means(order, values, noise), at, strict=True)]
        return [
            (pair.reward + (pair.low * x).max(pair.high * x)).mid()
            for pair, x in zip(self.pairs, ahead, strict=True)
        ]

    def rate(self, hint: Hint, i: int) -> arb:
        """The rate of a pair."""
        return self.pairs[i].high if hint.fast[i] else self.pairs[i].low


class Draft(NamedTuple):
    """A guess of the solution on a piece."""

    hint: Hint
    polys: tuple[arb_poly, ...]  # one per pair, in the time since the start of the piece
    curves: dict[int, MeanCurve]  # of the pairs whose maximiser varies


class Assessment:
    """What a draft misses the equation by on a piece of length ``h``."""

    def __init__(self, equation: Equation, draft: Draft, h: arb) -> None:
        hint, polys, curves = draft
        self._equation, self._hint, self._polys, self._h = equation, hint, polys, h
        values = [polys[i] for i in hint.best]
        self._inflows = [self._inflow(i, values, curves) for i in range(len(polys))]
        self._actions = [
            polys[best] - polys[i]
            for best, menu in zip(hint.best, equation.menu, strict=True)
            for i in menu
            if i != best
        ]
        self._steps = [values[b] - values[a] for a, b in self._comparisons()]
        self._ahead = [flow.poly - q for flow, q in zip(self._inflows, polys, strict=True)]

    def _inflow(self, i: int, values: list[arb_poly], curves: dict[int, MeanCurve]) -> Inflow:
        if i in curves:
            return curves[i].enclosed(values, self._h)
        total = arb_poly()
        for y, p in (self._equation.pairs[i].jumps.weights(self._hint.order) or {}).items():
            total += values[y] * p
        return Inflow(total, arb(0))

    def _comparisons(self) -> list[tuple[int, int]]:
        """The pairs of states whose order matters, the worse one first."""
        order = self._hint.order
        return list(pairwise(order)) if self._equation.ordered else [(y, order[-1]) for y in order[:-1]]

    @property
    def finite(self) -> bool:
        """Whether there is a bound at all."""
        return all(flow.gap.is_finite() for flow in self._inflows)

    @cached_property
    def margins(self) -> list[arb_poly]:
        """All that should not be negative."""
        ends = [x if fast else -x for x, fast in zip(self._ahead, self._hint.fast, strict=True)]
        free = [x for x, pair in zip(ends, self._equation.pairs, strict=True) if not pair.fixed]
        return [*self._actions, *self._steps, *free, *(m for flow in self._inflows for m in flow.margins)]

    def residual(self, small: arb) -> arb:
        """A bound for the residual of all pairs on the piece; ``small`` violations need not be sharp."""
        violations = [-lowest(margin, self._h, small) for margin in self._steps]
        wrong = largest(violations) if not self._equation.ordered else sum(violations, arb(0))
        wrong += largest([lowest(margin, self._h, small) for margin in self._actions])
        return largest([self._miss(i, wrong, small) for i in range(len(self._polys))])

    def _miss(self, i: int, wrong: arb, small: arb) -> arb:
        pair, ahead = self._equation.pairs[i], self._ahead[i]
        rate = self._equation.rate(self._hint, i)
        own = size(self._polys[i].derivative() - arb_poly([pair.reward]) - ahead * rate, self._h)
        found = own + pair.high * (wrong + self._inflows[i].gap)
        if not pair.fixed:
            margin = ahead if self._hint.fast[i] else -ahead
            found -= (pair.high - pair.low) * lowest(margin, self._h, small)
        return found
