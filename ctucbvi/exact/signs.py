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

A piece that yields to neither is halved.  ``noise`` is a bound on how far :math:`f` may be
from the function that is really meant: a sign counts only if :math:`|f| >` ``noise``.
Where :math:`|f|` stays within the noise (two actions that are equal, or touch) halving
cannot help, and the region is returned with sign 0: *unresolved*, which is never
the same as "no".  A budget bounds the number of pieces, so that no function makes the
search endless.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from flint import arb, ctx, fmpq

from ctucbvi.exact.precision import hull, point, precision

_NEWTON_STEPS = 100
_COARSE_BITS = 64  # enough to see most signs; what it cannot see is looked at again


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


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch ``[lower, upper]`` on which ``f`` has a proved sign, or (sign 0) none."""

    lower: fmpq
    upper: fmpq
    sign: int  # +1: f > noise throughout; -1: f < -noise throughout; 0: unresolved
    least: arb  # a lower bound for f on the region
    falling: bool = False  # whether f' < -2 * noise is proved: then the function that is meant falls too


def sign_regions(
    f: Smooth,
    lower: fmpq,
    upper: fmpq,
    *,
    noise: arb | None = None,
    drop: arb | None = None,
    budget: int = 1000,
    until_negative: bool = False,
) -> list[Region]:
    """Consecutive regions that cover ``[lower, upper]``; neighbours differ in sign.

    With ``until_negative`` the search ends with the first negative region.  ``drop``, where
    given, is how far below zero ``f`` must be to count as negative (at least the noise).
    """
    floor = arb(0) if noise is None else noise.upper()
    limits = Limits(floor, floor if drop is None else drop.upper().max(floor))
    finest = (upper - lower) / 2**ctx.prec
    regions: list[Region] = []
    stack = [(lower, upper)]
    while stack:
        a, b = stack.pop()
        budget -= 1
        found = _classify(f, a, b, limits, give_up=budget < 0 or b - a <= finest)
        if found:
            regions += found
            if until_negative and found[-1].sign < 0:
                break
        else:
            middle = (a + b) / 2
            stack += [(middle, b), (a, middle)]
    return merge(regions)


def merge(regions: list[Region]) -> list[Region]:
    """Join neighbours of equal sign."""
    joined: list[Region] = []
    for region in regions:
        if joined and joined[-1].sign == region.sign:
            last = joined.pop()
            falling = last.falling and region.falling
            least = last.least.min(region.least)
            region = Region(last.lower, region.upper, last.sign, least, falling)
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
        return _monotone(f, a, b, limits, slope)
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


def _monotone(f: Smooth, a: fmpq, b: fmpq, limits: Limits, slope: arb) -> list[Region]:
    """Regions of a piece on which ``f'`` has one sign: at most one change, and where it is."""
    at_a, at_b = f(arb(a)), f(arb(b))
    sign_a, sign_b = limits.sign(at_a), limits.sign(at_b)
    least, falling = at_a.lower().min(at_b.lower()), bool(slope < -2 * limits.noise)
    if sign_a == sign_b:
        return [Region(a, b, sign_a, least, falling)]
    root = a if sign_a == 0 else b if sign_b == 0 else _newton(f, a, b, rising=bool(slope > 0))
    left, right = _bracket(f, root, a, b, (sign_a, sign_b), limits)
    between = f(arb(left)).lower().min(f(arb(right)).lower())
    pieces = [
        Region(a, left, sign_a, least, falling),
        Region(left, right, 0, between, falling),
        Region(right, b, sign_b, least, falling),
    ]
    return [piece for piece in pieces if piece.lower < piece.upper]


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
        Region(left, right, 0, value, True),
        Region(right, right, -1, value, True),
    ]


def _newton(f: Smooth, a: fmpq, b: fmpq, *, rising: bool) -> fmpq:
    """A point near a root of ``f`` in ``[a, b]``, where it changes sign: a guess that needs no proof."""
    low, high, x = a, b, (a + b) / 2
    bits, full, slope = min(_COARSE_BITS, ctx.prec), ctx.prec, arb(0)
    for _ in range(_NEWTON_STEPS):
        with precision(bits):
            value = f(arb(x))
            stuck = value.contains(0)
            if not stuck:
                if bits <= _COARSE_BITS or slope.contains(0):
                    slope = f.slope(arb(x))  # near the root a coarse slope serves for fine steps too
                target = x if slope.contains(0) else point(arb(x) - value / slope.mid())
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
            distance = max(distance, point((2 * (blur + limit) / slope.abs_lower()).upper()))
        ends.append(_settled(f, root, end, sign, distance, limits))
    return ends[0], ends[1]


def _settled(f: Smooth, root: fmpq, end: fmpq, sign: int, distance: fmpq, limits: Limits) -> fmpq:
    """A point towards ``end``, about ``distance`` or more from ``root``, at which the sign is proved."""
    if sign == 0:
        return end
    while distance < abs(end - root):
        x = point(arb(root + distance if end > root else root - distance))
        if (x - root) * (end - x) > 0 and limits.sign(f(arb(x))) == sign:
            return x
        distance *= 2
    return end
