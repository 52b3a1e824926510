"""How close an inequality is to failing at a point, as one number that a search can descend.

The slack of ``left <= right`` is ``(right - left)/(|left| + |right|)``: between -1 and 1, negative where the
relation fails, free of scale.  With a side that is 0 this would say no more than the sign, so ``0 <= f`` is
first read as ``(negative terms of f) <= (positive terms)``.  Values are computed in balls, with more bits
until the sign is clear, so that neither cancellation nor e^{large} sends the search astray; what is not
defined has no slack (nan).

It only guides: whatever it leads to is confirmed by :mod:`verify.provers.witness`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy
from flint import arb

from verify.claims import Domain, Range, Relation
from verify.provers.balls import Program, UnknownFunctionError, ball, precision, program
from verify.provers.meter import spend
from verify.provers.sampling import Sampler, into
from verify.provers.witness import Point

_BITS = (64, 512, 4096)
_LARGEST = 1e300  # every slack is a finite number
_SMALLEST = Fraction(1, 10**12)  # step, relative
_GROWTH, _CUT = 2, 4  # of a step that helped, and of one that did not


@dataclass(frozen=True)
class Gauge:
    """The slack of a relation over a domain; see the module's first lines.

    ``pair`` names two variables that must not meet: the slack is then per relative distance, which
    turns two values of one function into a slope.  ``absolute`` makes the slack the plain difference.
    """

    left: Any
    right: Any
    relation: str
    domain: Domain
    pair: tuple[str, str] | None = None
    absolute: bool = False
    _last: dict[int, tuple[Point, tuple[arb, arb]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )  # by bits: the last point, and both sides there

    @staticmethod
    def of(relation: Relation, domain: Domain, pair: tuple[str, str] | None = None) -> Gauge:
        """The gauge of a relation, a side that is 0 filled by the other's terms."""
        left, right = sympy.sympify(relation.left), sympy.sympify(relation.right)
        if left.is_zero or right.is_zero:
            terms = sympy.Add.make_args(right - left)
            minus = [t for t in terms if t.could_extract_minus_sign()]
            if 0 < len(minus) < len(terms):
                left = -sympy.Add(*minus)
                right = sympy.Add(*(t for t in terms if t not in minus))
        return Gauge(left, right, relation.relation, domain, pair)

    @cached_property
    def scaled(self) -> bool:
        """Whether both sides say something, so that their ratio does."""
        return not (self.absolute or self.left.is_zero or self.right.is_zero)

    @cached_property
    def _programs(self) -> tuple[Program, Program] | None:
        """Of both sides; none where a function has no enclosure."""
        try:
            return program(self.left), program(self.right)
        except UnknownFunctionError:
            return None

    def balls(self, point: Point, bits: int) -> tuple[arb, arb]:
        """Both sides."""
        with precision(bits):
            programs = self._programs
            if programs is None:
                return arb.nan(), arb.nan()
            where, found = self._last.get(bits, (None, None))
            if found is not None and where == point:
                for one in programs:
                    spend(one.price)
                return found
            exact = {name: ball(value) for name, value in point.items()}
            left, right = (one.run(exact) for one in programs)
        self._last[bits] = dict(point), (left, right)
        return left, right

    def slack(self, point: Point) -> float:
        """The slack; nan where it is not known."""
        found = math.nan  # 0 where balls cannot tell the sides apart
        for bits in _BITS:
            left, right = self.balls(point, bits)
            with precision(bits):
                gap, size = right - left, abs(left) + abs(right)
                value = gap / size if self.scaled and not size.is_zero() else gap
            if value.is_finite():
                found = float(value) if value > 0 or value < 0 else 0.0
                if found or value.is_zero():
                    break
        found = (-abs(found) if self.relation == "==" else found) / self._distance(point)
        return found if math.isnan(found) else min(max(found, -_LARGEST), _LARGEST) + 0.0

    def _distance(self, point: Point) -> float:
        if self.pair is None:
            return 1.0
        first, second = (point[name] for name in self.pair)
        apart = abs(first - second) / ((abs(first) + abs(second)) or 1)
        return max(float(apart), 1e-300)

    def sampler(self) -> Sampler:
        """Points of the domain, with the numbers of the formula as landmarks."""
        return Sampler.of(self.domain, self.left, self.right)


Slack = Callable[[Point], float]  # inf outside the domain


def descended(slack: Slack, start: Point, domain: Domain, rounds: int) -> tuple[dict[str, Fraction], float]:
    """A compass search from ``start``: each variable up and down by its own step, larger after success.

    The steps of a variable are in proportion to its size, and to its distance from the ends of its
    range, so that the search can follow a valley towards 0 or towards infinity; after each round it
    tries the same move once more (Hooke and Jeeves), which follows a valley that runs askew.
    """
    point, best = dict(start), slack(start)
    step = dict.fromkeys(point, Fraction(1, 4))
    for _ in range(rounds):
        if max(step.values(), default=Fraction(0)) < _SMALLEST:
            break
        before = point
        for name in point:
            point, best, moved = _along(slack, point, best, name, step[name], domain)
            step[name] = min(step[name] * _GROWTH, Fraction(1, 2)) if moved else step[name] / _CUT
        further = {name: _rounded(2 * x - before[name], domain.ranges[name]) for name, x in point.items()}
        if further != point and (found := slack(further)) < best:
            point, best = further, found
    return point, best


def _along(
    slack: Slack,
    point: dict[str, Fraction],
    best: float,
    name: str,
    step: Fraction,
    domain: Domain,
) -> tuple[dict[str, Fraction], float, bool]:
    r = domain.ranges[name]
    size = step * _reach(r, point[name])
    size = max(size, Fraction(1)) if r.integer else size
    for sign in (1, -1):
        value = _rounded(into(r, point[name] + sign * size), r)
        moved = {**point, name: value}
        if value in r and value != point[name] and (found := slack(moved)) < best:
            return moved, found, True
    return point, best, False


def _reach(r: Range, value: Fraction) -> Fraction:
    """How far it makes sense to move: as far as the nearest end, or the size of the value."""
    ends = [abs(value - end) for end in (r.lower, r.upper) if end is not None]
    near = min((d for d in ends if d), default=Fraction(0))
    return near or (abs(value) if value else Fraction(1))


def _rounded(value: Fraction, r: Range) -> Fraction:
    """About 53 bits of it: a search has no use for more, and fractions grow."""
    if value.denominator.bit_length() <= 80 and value.numerator.bit_length() <= 80:
        return value
    shift = 53 + value.denominator.bit_length() - value.numerator.bit_length()
    near = Fraction(round(value * Fraction(2) ** shift)) / Fraction(2) ** shift
    return near if near in r else value
