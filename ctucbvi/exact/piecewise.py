r"""One piece of a piecewise function: what is known of an exponential polynomial on an interval.

The formula :math:`f(t) = \sum_\mu P_\mu(t)\,e^{-\mu t}` is a poor way to bound :math:`f` over
an interval: its terms are large and cancel, and interval arithmetic does not see that.
Its Taylor expansion about the centre :math:`m` of the interval does not have this fault:
its coefficients :math:`c_k = f^{(k)}(m)/k!` are found from the formula once, at a point,
where cancellation costs bits and nothing else.

**The remainder.**  :math:`f` is entire.  On the circle :math:`|h| = \sigma` about :math:`m`
it is at most :math:`M = \sum_\mu e^{-\mu m} e^{|\mu|\sigma} \sum_j |p_j|\,\sigma^j`, where
:math:`P_\mu(m+h) = \sum_j p_j h^j`; so :math:`|c_k| \le M\sigma^{-k}` (Cauchy), and for
:math:`|h| \le \varrho = q\sigma`, :math:`q < 1`, the terms from :math:`N` on contribute to
:math:`f, f', f''` at most

.. math:: M\,\frac{q^N}{1-q}, \qquad \frac M\varrho\,\frac{(N+1)\,q^N}{(1-q)^2}, \qquad
          \frac M{\varrho^2}\,\frac{(N+1)(N+2)\,q^N}{(1-q)^3} .

A function that vanishes at :math:`m` to order :math:`k` can be divided by :math:`h^k`: the
quotient has the same sign for :math:`h > 0` and no zero that a search would have to approach.

On this rest the signs and extremes of a function on an interval, and the choice of the
larger (or smaller) of several functions with a bound for what undecided choices cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil, log2
from typing import TYPE_CHECKING

from flint import arb, arb_poly, ctx, fmpq, fmpq_poly

from ctucbvi.exact.precision import hull, largest, precision, symmetric
from ctucbvi.exact.signs import Region, Smooth, merge, sign_regions

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctucbvi.exact.exppoly import ExpPoly

Poly = fmpq_poly | arb_poly
Terms = tuple[tuple[fmpq, Poly], ...]  # (μ, P_μ)

_REACH = 2  # a chart spans at most _REACH / max|μ|: beyond that its Taylor terms cancel, too
_ATTEMPTS = 12  # how often the precision is raised for exact coefficients that cancel


@dataclass(frozen=True)
class Expansion:
    """The Taylor polynomial of a function about ``centre``, with proved remainders, on ``[lower, upper]``."""

    lower: fmpq
    upper: fmpq
    centre: fmpq
    radius: arb  # ϱ: valid for |t - centre| <= ϱ, a little more than the interval needs
    polys: tuple[arb_poly, arb_poly, arb_poly]  # c_0, ..., c_{N-1}, and the first two derivatives
    length: int  # N
    bound: arb  # M
    sigma: arb  # σ > ϱ; |c_k| <= M / σ^k for k >= N

    @cached_property
    def _rests(self) -> tuple[arb, arb, arb]:
        if self.bound == 0:
            return arb(0), arb(0), arb(0)
        n, q = self.length, self.radius / self.sigma
        tail = self.bound * q**n / (1 - q)
        first = tail * (n + 1) / (1 - q) / self.radius
        return symmetric(tail), symmetric(first), symmetric(first * (n + 2) / (1 - q) / self.radius)

    def _derivative(self, k: int, x: arb) -> arb:
        h = x - self.centre
        if h.abs_upper() <= self.radius or self.bound == 0:
            return self.polys[k](h) + self._rests[k]
        return arb(0, arb.pos_inf())  # the remainders do not hold there: nothing is known

    def __call__(self, x: arb) -> arb:
        """An enclosure of the value at every point of the ball ``x``."""
        return self._derivative(0, x)

    def slope(self, x: arb) -> arb:
        """An enclosure of the derivative at every point of the ball ``x``."""
        return self._derivative(1, x)

    def curvature(self, x: arb) -> arb:
        """An enclosure of the second derivative at every point of the ball ``x``."""
        return self._derivative(2, x)

    @cached_property
    def magnitude(self) -> arb:
        """``Σ |c_k| ϱ^k`` plus the remainder: a bound for ``|f|`` on the interval."""
        return (_absolute(self.polys[0])(self.radius) + self._rests[0]).abs_upper()

    @cached_property
    def blur(self) -> arb:
        """A bound for the radius of the enclosure of ``f``, anywhere on the interval."""
        radii = arb_poly([c.rad() for c in self.polys[0].coeffs()])
        return (radii(self.radius) + self._rests[0]).abs_upper()

    def deflated(self, order: int) -> Expansion:
        """``f(t) / (t - centre)**order`` where the first ``order`` coefficients are known to be 0."""
        quotient, scaled = self.polys[0].right_shift(order), self.bound / self.sigma**order
        return replace(self, polys=_levels(quotient), length=self.length - order, bound=scaled)


def expand(terms: Terms, lower: fmpq, upper: fmpq, centre: fmpq | None = None) -> Expansion:
    """The expansion of ``Σ P_μ(t) e^{-μt}`` on ``[lower, upper]``, to the current precision.

    Exact coefficients are rounded as finely as their cancellation demands.
    """
    middle = (lower + upper) / 2 if centre is None else centre
    exact = all(isinstance(p, fmpq_poly) for _, p in terms)
    goal = work = ctx.prec
    # A ball around an interval is rounded outwards: its radius by up to 2**-29 of itself, its
    # centre by 2**-goal.  The expansion has to hold there, too.
    half = max(upper - middle, middle - lower)
    radius = arb(half * fmpq(1025, 1024) + max(abs(lower), abs(upper)) / 2 ** (goal - 4)).upper()
    for _ in range(_ATTEMPTS):
        with precision(work + 16):
            found = _expansion(terms, lower, upper, middle, radius)
        missing = _log2(found.blur) + goal - _log2(found.magnitude)
        if not exact or not terms or missing <= 0:
            break
        work += missing + 8 if missing < goal - 8 else work  # nothing left of it: no telling how much is lost
    return found


def _expansion(terms: Terms, lower: fmpq, upper: fmpq, centre: fmpq, radius: arb) -> Expansion:
    moved = [(mu, arb_poly(p)(arb_poly([centre, 1]))) for mu, p in terms]
    steepest = max([abs(mu) for mu, _ in terms], default=fmpq(0))
    degree = max((p.degree() for _, p in moved), default=0)
    if steepest == 0:
        poly = sum((p for _, p in moved), arb_poly())
        return Expansion(lower, upper, centre, radius, _levels(poly), degree + 1, arb(0), 2 * radius)
    length, ratio = _length(float((arb(steepest) * radius).mid()), max(degree, 0), ctx.prec)
    sigma = (radius * ratio).upper()
    poly, bound = arb_poly(), arb(0)
    for mu, p in moved:
        weight = (-mu * arb(centre)).exp()
        poly += (p * _exponential(mu, length, ctx.prec)).truncate(length) * weight
        bound += _absolute(p)(sigma) * (abs(mu) * sigma).exp() * weight
    return Expansion(lower, upper, centre, radius, _levels(poly), length, bound.upper(), sigma)


def _length(x: float, degree: int, bits: int) -> tuple[int, int]:
    """How many terms, and which ``σ/ϱ``, make the remainder small (a guess; the bound is proved later)."""
    x = max(x, 2.0**-200)
    length = degree + 4
    while True:
        ratio = max(2, ceil(min(length / x, 2.0**100)))
        if (length - degree) * log2(ratio) >= bits + 1.45 * x * ratio:
            return length, ratio
        length += max(2, length // 12)


@lru_cache(maxsize=512)
def _exponential(mu: fmpq, length: int, bits: int) -> arb_poly:
    """The Taylor polynomial of ``e^{-μh}``; ``bits`` is part of the key since it decides the rounding."""
    with precision(bits):
        coefficients = [arb(1)]
        for k in range(1, length):
            coefficients.append(coefficients[-1] * -mu / k)
        return arb_poly(coefficients)


def _levels(poly: arb_poly) -> tuple[arb_poly, arb_poly, arb_poly]:
    # Formed here, at the precision of the expansion, and not where they are used: a search for
    # signs looks at a function with few bits first.
    first = poly.derivative()
    return poly, first, first.derivative()


def _absolute(poly: arb_poly) -> arb_poly:
    return arb_poly([c.abs_upper() for c in poly.coeffs()])


def _log2(size: arb) -> int:
    """About ``log2(size)``; very small for 0."""
    mantissa, exponent = size.abs_upper().man_exp()
    return int(mantissa).bit_length() + int(exponent) if mantissa != 0 else -(10**6)


def charts(terms: Terms, lower: fmpq, upper: fmpq) -> list[Expansion]:
    """Expansions on consecutive intervals that cover ``[lower, upper]``."""
    ends = cuts(terms, lower, upper)
    return [expand(terms, a, b) for a, b in pairwise(ends)]


def cuts(terms: Terms, lower: fmpq, upper: fmpq) -> list[fmpq]:
    """``lower = t_0 < ... < t_k = upper``, so close that Taylor terms on a chart do not cancel badly."""
    steepest = max([abs(mu) for mu, _ in terms], default=fmpq(0))
    count = max(1, int(((upper - lower) * steepest / _REACH).ceil()))
    return [lower + (upper - lower) * i / count for i in range(count + 1)]


def signs(terms: Terms, lower: fmpq, upper: fmpq, *, order: int = 0) -> list[Region]:
    """Regions of proved sign of ``Σ P_μ(t) e^{-μt}`` on ``[lower, upper]``.

    ``order`` says that the function is known to vanish to that order at ``lower``; if it is
    positive, the regions speak of ``lower < t``.
    """
    regions: list[Region] = []
    ends = cuts(terms, lower, upper)
    for a, b in pairwise(ends):
        at_zero = order > 0 and a == lower
        f = expand(terms, a, b, centre=a).deflated(order) if at_zero else expand(terms, a, b)
        regions += sign_regions(f, a, b)
    return merge(regions)


def extremes(f: Smooth, lower: fmpq, upper: fmpq) -> tuple[arb, arb]:
    """Two balls such that all values of ``f`` on ``[lower, upper]`` lie in their hull."""
    reach = arb(0, arb((upper - lower) / 2).upper())
    centre, bent = arb((lower + upper) / 2), f.curvature(hull(lower, upper))
    slope = f.slope(centre) + bent * reach
    if slope > 0 or slope < 0:  # monotone: the extremes are at the ends
        return f(arb(lower)), f(arb(upper))
    square = (reach * reach).nonnegative_part()
    values = f(centre) + f.slope(centre) * reach + bent * square / 2
    return values, values


def supremum(
    f: Smooth,
    lower: fmpq,
    upper: fmpq,
    *,
    tolerance: arb,
    measure: Callable[[arb], arb] = arb.__abs__,
    floor: arb | None = None,
    budget: int = 4000,
) -> arb:
    """An enclosure of ``max(floor, sup measure(f))`` on ``[lower, upper]``; ``measure`` is ``abs`` or none.

    It is about ``tolerance`` wide unless the budget or the precision ends the search first.
    """
    best = arb(0).neg_inf() if floor is None else floor.lower()
    proved = best if floor is None else floor.upper()  # bounds all stretches that are settled
    stack = [(lower, upper)]
    while stack:
        a, b = stack.pop()
        budget -= 1
        one, other = extremes(f, a, b)
        top = measure(one).upper().max(measure(other).upper())
        samples = [measure(f(arb(x))) for x in (a, (a + b) / 2, b)]
        for value in samples:
            best = best.max(value.lower())
        blur = 4 * largest([value.rad() for value in samples])  # no search gets closer than that
        if top <= best + tolerance + blur or budget < 0:
            proved = proved.max(top)
        else:
            middle = (a + b) / 2
            stack += [(middle, b), (a, middle)]
    return best.lower().union(proved.max(best).upper())


class TooCoarseError(ArithmeticError):
    """The precision cannot tell two branches apart near ``t = 0``, where the choice must be exact."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A branch on offer on one piece, in the variable ``t - a`` of the piece that starts at ``a``."""

    branch: str
    function: ExpPoly


@dataclass(frozen=True, slots=True)
class Held:
    """The branch chosen for ``lower <= t <= upper``; right up to ``cost``."""

    lower: fmpq
    upper: fmpq
    origin: fmpq  # the function is in the variable t - origin
    chosen: Candidate
    undecided_until: fmpq  # the choice is undecided from ``lower`` to here
    cost: arb  # by how much the choice may miss the best branch


def best_of(offer: list[Candidate], cap: Candidate | None, a: fmpq, b: fmpq, *, exact: bool) -> list[Held]:
    """``max`` of the offer on ``[a, b]``, then ``min`` with the cap, as consecutive stretches."""
    stretches = [Held(a, b, a, offer[0], a, arb(0))]
    rounds = [(c, 1) for c in offer[1:]] + ([(cap, -1)] if cap is not None else [])
    for challenger, sense in rounds:
        parts = [part for s in stretches for part in _contest(s, challenger, sense)]
        if exact and parts[0].undecided_until > a:
            raise TooCoarseError
        stretches = _joined(parts, exact=exact)
    return stretches


def _contest(held: Held, challenger: Candidate, sense: int) -> list[Held]:
    """Who wins where on a stretch: the challenger where ``sense * (challenger - held) > 0``."""
    lead = (challenger.function - held.chosen.function) * sense
    low, high = held.lower - held.origin, held.upper - held.origin
    if lead.is_zero:
        return [held]
    if all(arb(c).contains(0) for _, _, c in lead.coefficients()):  # the precision sees no difference
        cost = held.cost + largest([chart.magnitude for chart in charts(lead.terms, low, high)])
        return [replace(held, cost=cost, undecided_until=held.upper)]
    order = (lead.vanishing_order_at(low) or 0) if lead.is_exact and low == 0 else 0
    regions = signs(lead.terms, low, high, order=order)
    parts: list[Held] = []
    pending, cost = low, arb(0)  # an undecided region joins the decided one after it
    for region in regions:
        if region.sign == 0:
            chart = expand(lead.terms, region.lower, region.upper)
            cost = largest([*extremes(chart, region.lower, region.upper)])
            if region is not regions[-1]:
                continue
        winner = challenger if region.sign > 0 else held.chosen
        if region.sign == 0 and parts:
            winner = parts[-1].chosen  # nothing comes after it: it joins what came before
        until = held.origin + (region.upper if region.sign == 0 else region.lower)
        if pending == low:
            until = max(until, min(held.undecided_until, held.origin + region.upper))
        ends = held.origin + pending, held.origin + region.upper
        parts.append(Held(*ends, held.origin, winner, until, (held.cost + cost).upper()))
        pending, cost = region.upper, arb(0)
    return parts


def _joined(parts: list[Held], *, exact: bool) -> list[Held]:
    """Join neighbours with one choice; on the exact piece only across a point that is decided."""
    out = parts[:1]
    for part in parts[1:]:
        last = out[-1]
        if last.chosen is part.chosen and not (exact and part.undecided_until > part.lower):
            out[-1] = replace(last, upper=part.upper, cost=last.cost.max(part.cost).upper())
        else:
            out.append(part)
    return out
