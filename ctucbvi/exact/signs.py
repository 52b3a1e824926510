r"""Certified signs of a smooth function: where it is positive, where negative, where unknown.

The planners need to know on which stretches of time one action is better than another,
that is, the sign of a smooth function :math:`f` on an interval.  :func:`sign_regions`
cuts the interval into consecutive regions and *proves* a sign on each, or says that it
could not.  Two arguments are used on a piece :math:`[a,b]` with centre :math:`c` and
half-width :math:`w`:

* **Taylor**: :math:`f(x) \in f(c) + f'(c)\,[-w,w] + \tfrac12 f''([a,b])\,[0,w^2]`;
* **monotony**: where :math:`f'` has one sign on the piece, the signs at its two ends
  decide, and a change of sign is one simple root, which Newton's method finds and two
  evaluations bracket.

A piece that yields to neither is halved.  Where halving goes deep there is a contact: a zero of
some order :math:`m`, or several that nearly are one.  There **the ladder** helps: if
:math:`f^{(m)}` has one sign on the piece then :math:`f^{(m-1)}` is monotone, its zero is
bracketed, :math:`f^{(m-2)}` is monotone on both sides of the bracket, and so down to :math:`f`.
Each rung costs a few evaluations, and what stays in doubt is a bracket about as wide as the
:math:`m`-th root of what is known of :math:`f`, on which :math:`f` is as small as that.

``noise`` is a bound on how far :math:`f` may be
from the function that is really meant: a sign counts only if :math:`|f| >` ``noise``.
Where :math:`|f|` stays within the noise (two actions that are equal, or touch) halving
cannot help, and the region is returned with sign 0: *unresolved*, which is never
the same as "no".  A budget bounds the number of pieces, so that no function makes the
search endless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from flint import arb, ctx, fmpq

from ctucbvi.exact.precision import hull, point, precision

_NEWTON_STEPS = 100
_SLOW = 12  # steps after which zeros close together are suspected
_COARSE_BITS = 64  # enough to see most signs; what it cannot see is looked at again
_FINE_BITS = 512  # from here on a slope of few bits would make Newton's method linear
_DEEP, _DEEPER = 6, 4  # so many halvings before the ladder is tried, and before it is tried again
_RUNGS = 10  # derivatives that the ladder may use


class Smooth(Protocol):
    """A function with enclosures of its value and its first two derivatives.

    Each is valid at every point of the ball ``x``.
    """

    def __call__(self, x: arb) -> arb:
        """An enclosure of ``f``."""
        ...

    def slope(self, x: arb) -> arb:
        """An enclosure of ``f'``."""
        ...

    def curvature(self, x: arb) -> arb:
        """An enclosure of ``f''``."""
        ...


@runtime_checkable
class Differentiable(Smooth, Protocol):
    """A smooth function that has all its derivatives."""

    def derivative(self) -> Differentiable:
        """The function ``f'``."""
        ...


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch ``[lower, upper]`` on which ``f`` has a proved sign, or (sign 0) none."""

    lower: fmpq
    upper: fmpq
    sign: int  # +1: f > noise throughout; -1: f < -noise throughout; 0: unresolved
    least: arb  # a lower bound for f on the region
    # +1 or -1: f' beyond 2 * noise is proved, so that the function that is meant rises or falls
    # too, and has one zero at most.
    trend: int = 0

    @property
    def falling(self) -> bool:
        """Whether the function that is meant falls throughout."""
        return self.trend < 0


def sign_regions(
    f: Smooth,
    lower: fmpq,
    upper: fmpq,
    *,
    noise: arb | None = None,
    drop: arb | None = None,
    budget: int = 1000,
    until_negative: bool = False,
    check: Callable[[], None] = lambda: None,
) -> list[Region]:
    """Consecutive regions that cover ``[lower, upper]``; neighbours differ in sign.

    With ``until_negative`` the search ends with the first negative region.  ``drop``, where
    given, is how far below zero ``f`` must be to count as negative (at least the noise).
    ``check`` is called once per piece, and may raise.
    """
    floor = arb(0) if noise is None else noise.upper()
    limits = Limits(floor, floor if drop is None else drop.upper().max(floor))
    finest = (upper - lower) / 2**ctx.prec
    regions: list[Region] = []
    stack = [(lower, upper, 0)]
    while stack:
        a, b, depth = stack.pop()
        budget -= 1
        check()
        found = _classify(f, a, b, limits, give_up=budget < 0 or b - a <= finest)
        if not found and depth >= _DEEP and (depth - _DEEP) % _DEEPER == 0 and isinstance(f, Differentiable):
            found = _ladder(f, a, b, limits)
        if found:
            regions += _up_to_negative(found) if until_negative else found
            if until_negative and regions[-1].sign < 0:
                break
        else:
            middle = (a + b) / 2
            stack += [(middle, b, depth + 1), (a, middle, depth + 1)]
    return merge(regions)


def _up_to_negative(regions: list[Region]) -> list[Region]:
    negative = next((i for i, r in enumerate(regions) if r.sign < 0), len(regions))
    return regions[: negative + 1]


def merge(regions: list[Region]) -> list[Region]:
    """Join neighbours of equal sign."""
    joined: list[Region] = []
    for region in regions:
        if joined and joined[-1].sign == region.sign:
            last = joined.pop()
            trend = last.trend if last.trend == region.trend else 0
            least = last.least.min(region.least)
            region = Region(last.lower, region.upper, last.sign, least, trend)
        joined.append(region)
    return joined


@dataclass(frozen=True, slots=True)
class Limits:
    """How far from zero a value must be for its sign to count."""

    noise: arb  # above it: positive
    drop: arb  # below its negative: negative

    def sign(self, value: arb) -> int:
        """+1 or -1 if ``value`` is certainly beyond the limit, else 0."""
        if value > self.noise:
            return 1
        return -1 if value < -self.drop else 0

    def hopeless(self, value: arb, blur: arb) -> bool:
        """Whether halving cannot bring a sign to light, nor a better lower bound."""
        if value.lower() >= -self.drop.max(blur) and value.upper() <= self.noise.max(blur):
            return True
        return bool(value.lower() >= -blur and value.upper() <= 8 * self.noise + blur)


def _classify(f: Smooth, a: fmpq, b: fmpq, limits: Limits, *, give_up: bool) -> list[Region]:
    """The regions of one piece; an empty list asks for it to be halved."""
    with precision(min(_COARSE_BITS, ctx.prec)):
        value, slope, blur = _taylor(f, a, b)
    if limits.hopeless(value, blur) and ctx.prec > _COARSE_BITS:
        value, slope, blur = _taylor(f, a, b)  # what looks like zero may be small
    sign = limits.sign(value)
    if sign:
        return [Region(a, b, sign, value.lower())]
    if slope > 0 or slope < 0:
        return _monotone(f, a, b, limits, rising=bool(slope > 0))
    if give_up or limits.hopeless(value, blur):
        return [Region(a, b, 0, value.lower())]
    return []


def _taylor(f: Smooth, a: fmpq, b: fmpq) -> tuple[arb, arb, arb]:
    """Enclosures of f and f' on the piece, and how sharply f is known at its centre."""
    centre = arb((a + b) / 2)
    value, slope = f(centre), f.slope(centre)
    curvature = f.curvature(hull(a, b))
    reach = arb(0, arb((b - a) / 2).upper())
    square = (reach * reach).nonnegative_part()
    blur = 8 * value.rad()
    return value + slope * reach + curvature * square / 2, slope + curvature * reach, blur


def _monotone(f: Smooth, a: fmpq, b: fmpq, limits: Limits, *, rising: bool) -> list[Region]:
    """Regions of a piece on which ``f'`` has one sign: at most one change, and where it is."""
    at_a, at_b = f(arb(a)), f(arb(b))
    sign_a, sign_b = limits.sign(at_a), limits.sign(at_b)
    least = at_a.lower().min(at_b.lower())
    if sign_a == sign_b:
        return [Region(a, b, sign_a, least, 0 if sign_a else _trend(f, a, b, limits))]
    root = a if sign_a == 0 else b if sign_b == 0 else _newton(f, a, b, rising=rising)
    left, right = _bracket(f, root, a, b, (sign_a, sign_b), limits)
    between = f(arb(left)).lower().min(f(arb(right)).lower())
    pieces = [
        Region(a, left, sign_a, least),
        Region(left, right, 0, between, _trend(f, left, right, limits)),
        Region(right, b, sign_b, least),
    ]
    return [piece for piece in pieces if piece.lower < piece.upper]


def _trend(f: Smooth, a: fmpq, b: fmpq, limits: Limits) -> int:
    """Whether the function that is meant certainly rises (1) or falls (-1) on the piece."""
    slope = f.slope(hull(a, b))
    if slope.contains(0):  # the slope at the centre loses less to cancellation
        slope = _taylor(f, a, b)[1]
    return 1 if slope > 2 * limits.noise else -1 if slope < -2 * limits.noise else 0


def _ladder(f: Differentiable, a: fmpq, b: fmpq, limits: Limits) -> list[Region]:
    """Regions of a piece on which some derivative of ``f`` has one sign; nothing where none has."""
    exact = Limits(arb(0), arb(0))
    rungs = [f]
    while not (sign := exact.sign(_taylor(rungs[-1], a, b)[0])):
        if len(rungs) > _RUNGS:
            return []
        rungs.append(rungs[-1].derivative())
    regions = [Region(a, b, sign, arb(0))]
    for k in reversed(range(len(rungs) - 1)):
        bounds, slopes = exact if k else limits, regions
        regions = []
        for r in slopes:
            if r.sign:
                regions += _monotone(rungs[k], r.lower, r.upper, bounds, rising=r.sign > 0)
            else:
                value = _small(rungs[k:], r.lower, r.upper)
                regions.append(Region(r.lower, r.upper, bounds.sign(value), value.lower()))
        regions = merge(regions)
    return regions


def _small(rungs: list[Differentiable], a: fmpq, b: fmpq) -> arb:
    """An enclosure of the first of ``rungs`` on a short piece, by Taylor with all the others."""
    centre, reach = arb((a + b) / 2), arb(0, arb((b - a) / 2).upper())
    total, power = arb(0), arb(1)
    for k, rung in enumerate(rungs[:-1]):
        total += rung(centre) * power
        power = power * reach / (k + 1)
    return total + rungs[-1](hull(a, b)) * power


def simple_fall(f: Smooth, a: fmpq, b: fmpq, limits: Limits) -> list[Region]:
    """Where ``f`` goes from positive at ``a`` to negative at ``b``, if it falls there; else nothing.

    For a function that is known to be positive between positive values.  The last region is
    the point at which ``f`` is proved negative.
    """
    left, right = _bracket(f, _newton(f, a, b, rising=False), a, b, (1, -1), limits)
    between = hull(left, right)
    if not f.slope(between) < -2 * limits.noise:
        return []
    value = f(between).lower()
    return [
        Region(a, left, 1, limits.noise),
        Region(left, right, 0, value, -1),
        Region(right, right, -1, value, -1),
    ]


def _newton(f: Smooth, a: fmpq, b: fmpq, *, rising: bool) -> fmpq:
    """A point near a root of ``f`` in ``[a, b]``, where it changes sign: a guess that needs no proof."""
    low, high, x = a, b, (a + b) / 2
    bits, full, slope = min(_COARSE_BITS, ctx.prec), ctx.prec, arb(0)
    for k in range(_NEWTON_STEPS + min(full, 1000)):
        with precision(bits):
            value = f(arb(x))
            stuck = value.contains(0)
            if not stuck:
                if bits <= _COARSE_BITS or bits >= _FINE_BITS or slope.contains(0):
                    slope = f.slope(arb(x))  # near the root a coarse slope serves for finer steps too
                target = x if slope.contains(0) else point(arb(x) - _correction(f, x, value, slope, k))
                stuck = not slope.contains(0) and abs(target - x) * 2 ** (bits - 8) <= abs(x)
        if stuck:
            if bits == full:
                break  # as near as points of this precision come
            bits = min(2 * bits, full)
            continue
        if (value > 0) == rising:
            high = x
            overshot = target <= low
        else:
            low = x
            overshot = target >= high
        if overshot and x not in (a, b):
            x = low if x == high else high  # from the other side a convex function does not overshoot
        else:
            x = target if low < target < high else point(arb((low + high) / 2))
    return x


def _correction(f: Smooth, x: fmpq, value: arb, slope: arb, steps: int) -> arb:
    """Newton's step; that of a parabola, which finds two zeros close together, where Newton's is slow."""
    if steps > _SLOW:
        slope = f.slope(arb(x)).mid()
        square = slope * slope - 2 * value.mid() * f.curvature(arb(x)).mid()
        if square > 0 and slope != 0:
            root = square.sqrt().mid()
            return 2 * value.mid() / (slope + (root if slope > 0 else -root))
    return value / slope.mid()


def _bracket(
    f: Smooth, root: fmpq, a: fmpq, b: fmpq, signs: tuple[int, int], limits: Limits
) -> tuple[fmpq, fmpq]:
    """The points nearest to ``root`` at which ``f`` is proved to have the signs of ``a`` and ``b``."""
    value, slope = f(arb(root)), f.slope(arb(root))
    blur = value.rad() + value.abs_upper()
    ends = []
    for end, sign in ((a, signs[0]), (b, signs[1])):
        distance = abs(end - root) / 2 ** (2 * ctx.prec)
        if not slope.contains(0):
            limit = limits.noise if sign > 0 else limits.drop
            guess = point((2 * (blur + limit) / slope.abs_lower()).upper())
            if distance < guess < abs(end - root) / 2 ** (ctx.prec // 2):
                distance = guess  # a simple zero; at one of higher order the slope says too much
        ends.append(_settled(f, root, end, sign, distance, limits))
    return ends[0], ends[1]


def _settled(f: Smooth, root: fmpq, end: fmpq, sign: int, distance: fmpq, limits: Limits) -> fmpq:
    """A point towards ``end``, about ``distance`` or more from ``root``, at which the sign is proved."""
    if sign == 0 or root == end:
        return end
    side = 1 if end > root else -1

    def proved(power: int) -> fmpq | None:
        x = point(arb(root + side * distance * 2**power))
        return x if (x - root) * (end - x) > 0 and limits.sign(f(arb(x))) == sign else None

    # Near a zero of high order the sign is seen only far from it: the power is found by bisection.
    most = _doublings(distance, abs(end - root))
    low, high, best = -1, 0, None
    while low < most and (best := proved(high)) is None:
        low, high = high, min(2 * high + 1, most)
    while best is not None and high - low > 1:
        middle = (low + high) // 2
        x = proved(middle)
        low, high, best = (middle, high, best) if x is None else (low, middle, x)
    return end if best is None else best


def _doublings(distance: fmpq, limit: fmpq) -> int:
    """How often ``distance`` can be doubled and stay below ``limit``; -1 if it is not below."""
    ratio = limit / distance
    return int(ratio.ceil() - 1).bit_length() - 1
