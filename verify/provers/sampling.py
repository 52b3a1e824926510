"""Points of a domain, exact and built rather than filtered.

A violated inequality is violated somewhere in particular: at an end of a range or very near it, far out, at
a small fraction, at a number that occurs in the formula, where two variables agree, on the boundary of a
hypothesis.  A :class:`Sampler` draws each coordinate by one of these ways, from choices of small integers
that the caller supplies (Hypothesis, or a seeded generator), so one point is one sequence of choices.

A hypothesis that is affine in a variable, ``a v + b >= 0`` with a, b in the variables drawn before v, narrows
the range that v is drawn from; an equation fixes v.  Only what is affine in none of its variables is left to
chance, and the point may then lie outside the domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, NamedTuple

import sympy

from verify.claims import Domain, Hypothesis, Range
from verify.provers.balls import evaluate
from verify.provers.witness import Point, exact_value, rational_value, sound

Choose = Callable[[int], int]  # choose(n) is one of 0, ..., n-1
Way = Callable[[Range, Choose], Fraction]  # to draw a coordinate

_FINE = 1 << 30
_FAR = 300  # the largest power of ten drawn
_AFFINE_OPERATIONS = 200


class _Linear(NamedTuple):
    """A hypothesis without a point."""

    gap: Any  # right - left
    names: tuple[str, ...]  # all its variables
    slopes: Mapping[str, Fraction] | None  # in each of them, if it is linear with rational slopes
    constant: Fraction | None  # the gap at 0, if it is rational by sums, products and powers alone


@dataclass(frozen=True)
class Sampler:
    """Draws points of ``domain``; ``landmarks`` are numbers worth trying (those in the formula)."""

    domain: Domain
    landmarks: tuple[Fraction, ...] = ()
    _seen: dict[int, _Linear] = field(default_factory=dict, init=False, compare=False, repr=False)

    @staticmethod
    def of(domain: Domain, *expressions: Any) -> Sampler:
        """With the rational numbers of the expressions (of either sign), and 0 and ±1, as landmarks."""
        atoms = {a for e in expressions for a in sympy.sympify(e).atoms(sympy.Rational)}
        numbers = {Fraction(int(sign * a.p), int(a.q)) for a in atoms for sign in (1, -1)}
        numbers |= {Fraction(k) for k in (-1, 0, 1)}
        return Sampler(domain, tuple(sorted(numbers, key=lambda n: (n.denominator, abs(n), n))))

    @cached_property
    def _affine(self) -> list[tuple[Hypothesis, dict[str, tuple[Any, Any]]]]:
        """For each hypothesis, the variables v with ``right - left = a v + b``."""
        return [(h, _affine_in(h.right - h.left, self.domain)) for h in self.domain.given]

    def point(self, choose: Choose) -> dict[str, Fraction]:
        """One point; in every range, and satisfying the affine hypotheses if the choices allow it."""
        names = self._order(choose)
        point: dict[str, Fraction] = {}
        for name in names:
            part = self.narrowed(name, point)
            point[name] = self._coordinate(part, point, choose)
        return {name: point[name] for name in self.domain.ranges}

    def corners(self, limit: int) -> Iterator[dict[str, Fraction]]:
        """Points whose coordinates are closed ends of ranges, or landmarks; so many at most."""
        values = []
        for name, r in self.domain.ranges.items():
            ends = [end for end in (r.lower, r.upper) if end is not None]
            inside = [number for number in dict.fromkeys([*ends, *self.landmarks]) if number in r]
            values.append([(name, number) for number in inside])
        for chosen in islice(product(*values), limit):
            yield self.fitted(dict(chosen), [])

    def _order(self, choose: Choose) -> list[str]:
        """Fixed variables last; otherwise any rotation, so that each is once the one that must fit."""
        names = list(self.domain.ranges)
        turn = choose(len(names)) if len(names) > 1 else 0
        names = names[turn:] + names[:turn]
        fixed = []
        for h, affine in self._affine:
            if h.relation == "==":
                fixed += [n for n in names if n in affine and n not in fixed][-1:]
        return [n for n in names if n not in fixed] + fixed

    def narrowed(self, name: str, point: Point) -> Range:
        """The range of a variable, given those already drawn; its own range if nothing would be left."""
        whole = self.domain.ranges[name]
        part = whole
        for h, affine in self._affine:
            if name not in affine:
                continue
            linear = self._linear(h, affine)
            if all(other == name or other in point for other in linear.names):
                a, b = (_number(side, point) for side in affine[name])
                part = part if a is None or b is None else _solved(part, a, h.relation, b)
            else:  # what is still to be drawn can help by so much at most
                for relation, a, b in self._reach(h.relation, linear, name, point):
                    part = _solved(part, a, relation, b)
        return whole if part.empty else part

    def _linear(self, h: Hypothesis, affine: Mapping[str, tuple[Any, Any]]) -> _Linear:
        """What does not depend on the point; found once."""
        found = self._seen.get(id(h))
        if found is None:
            gap = sympy.sympify(h.right - h.left)
            both = sympy.sympify(h.left).free_symbols | sympy.sympify(h.right).free_symbols
            slopes = {n: a for n, (a, _) in affine.items()}
            whole = len(slopes) >= len(gap.free_symbols) and all(a.is_Rational for a in slopes.values())
            known = {n: Fraction(int(a.p), int(a.q)) for n, a in slopes.items()} if whole else None
            constant = rational_value(gap, dict.fromkeys(self.domain.ranges, Fraction(0)))
            found = self._seen[id(h)] = _Linear(gap, tuple(s.name for s in both), known, constant)
        return found

    def _reach(
        self, relation: str, linear: _Linear, name: str, point: Point
    ) -> Iterator[tuple[str, Fraction, Fraction]]:
        """``a v + b`` with b as large as the other variables can make it, for a linear hypothesis."""
        if linear.slopes is None:
            return
        constant = linear.constant
        if constant is None:
            constant = _number(linear.gap, dict.fromkeys(self.domain.ranges, Fraction(0)))
        for sign in (1, -1) if relation == "==" else (1,):
            total = None if constant is None else sign * constant
            for other, slope in linear.slopes.items():
                if other != name and total is not None:
                    most = _most(sign * slope, self.domain.ranges[other], point.get(other))
                    total = None if most is None else total + most
            if total is not None:
                yield "<=", sign * linear.slopes[name], total

    def fitted(self, point: dict[str, Fraction], kept: list[str]) -> dict[str, Fraction]:
        """The point with each broken equation solved for a variable other than those kept."""
        for h, affine in self._affine:
            free = [name for name in affine if name not in kept]
            if h.relation == "==" and free:
                a, b = (_number(side, point) for side in affine[free[-1]])
                if a and b is not None:
                    point = {**point, free[-1]: -b / a}
                    kept = [*kept, free[-1]]
        return point

    def _coordinate(self, r: Range, point: Point, choose: Choose) -> Fraction:
        if r.lower is not None and r.lower == r.upper:
            return r.lower
        ways: tuple[Way, ...] = (
            _uniform,
            _uniform,
            _near_end,
            _moderate,
            _far,
            _at_end,
            _small,
            _small,
            self._landmark,
        )
        extra = (*ways, self._copied(point), self._copied(point)) if point else ways
        value = extra[choose(len(extra))](r, choose)
        return into(r, value)

    def _landmark(self, r: Range, choose: Choose) -> Fraction:
        del r
        number = self.landmarks[choose(len(self.landmarks))] if self.landmarks else Fraction(0)
        return number + (0, 1, -1)[choose(3)] * _tiny(choose)

    def _copied(self, point: Point) -> Way:
        """The value of another variable, or close to it, or its negative or reciprocal."""
        others = list(point.values())

        def copied(r: Range, choose: Choose) -> Fraction:
            del r
            value = others[choose(len(others))]
            way = choose(8)
            if way < 4:
                return value
            if way == 6:
                return -value
            if way == 7:
                return 1 / value if value else value
            step = (abs(value) or Fraction(1)) * _tiny(choose)
            return value + step if way == 4 else value - step

        return copied


def _solved(r: Range, a: Fraction, relation: str, b: Fraction) -> Range:
    """The part of the range where ``0 relation a v + b``."""
    if a == 0:
        return r
    turned = relation if relation == "==" else relation.replace("<", ">" if a > 0 else "<")
    return r.narrowed(turned, -b / a)


def _most(slope: Fraction, r: Range, value: Fraction | None) -> Fraction | None:
    """The largest value of ``slope * v``; ``None`` if there is none."""
    end = value if value is not None else r.upper if slope > 0 else r.lower
    return None if end is None else slope * end


def _affine_in(gap: Any, domain: Domain) -> dict[str, tuple[Any, Any]]:
    gap = sympy.sympify(gap)
    if gap.count_ops() > _AFFINE_OPERATIONS:
        return {}
    found = {}
    for name, symbol in domain.symbols.items():
        if symbol in gap.free_symbols:
            slope = sympy.expand(sympy.diff(gap, symbol))
            if symbol not in slope.free_symbols and not slope.has(sympy.Derivative):
                found[name] = (slope, gap.subs(symbol, 0))
    return found


def _number(expression: Any, point: Point) -> Fraction | None:
    """The value: exact if it is rational, else close."""
    number = rational_value(expression, point)
    if number is not None:
        return number
    value = exact_value(expression, point)
    if value is not None and value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    ball = evaluate(expression, point, 64)
    middle = float(ball) if sound(ball) else math.nan
    return Fraction(middle) if math.isfinite(middle) else None


def into(r: Range, value: Fraction) -> Fraction:
    """The value if it is in the range, else one inside near the end it missed (if there is one)."""
    if r.integer:
        value = Fraction(round(value))
    if value in r:
        return value
    below = r.lower is not None and value <= r.lower
    end = r.lower if below else r.upper
    if end is None:
        return value
    if r.integer:  # the first whole number inside
        return Fraction(math.floor(end) + 1 if below else math.ceil(end) - 1) if end not in r else end
    step = _size(r) / 10**6
    return end if end in r else end + step if below else end - step


def _size(r: Range) -> Fraction:
    """The width of a bounded range; 1 for another."""
    return r.upper - r.lower if r.lower is not None and r.upper is not None else Fraction(1)


def _exponent(choose: Choose) -> int:
    """Mostly small, sometimes as far as numbers are drawn at all."""
    return choose((4, 20, 20, _FAR + 1)[choose(4)])


def _tiny(choose: Choose) -> Fraction:
    return Fraction(1 + choose(9), 10 ** (1 + _exponent(choose)))


def _from_end(r: Range, step: Fraction, choose: Choose) -> Fraction:
    """A step from an end into the range; from 0 if there is no end."""
    if r.lower is not None and (r.upper is None or choose(2) == 0):
        return r.lower + step
    if r.upper is not None:
        return r.upper - step
    return step if choose(2) == 0 else -step


def _uniform(r: Range, choose: Choose) -> Fraction:
    if r.lower is None or r.upper is None:
        return _moderate(r, choose)
    return r.lower + _size(r) * Fraction(1 + choose(_FINE - 1), _FINE)


def _moderate(r: Range, choose: Choose) -> Fraction:
    if r.lower is not None and r.upper is not None:
        return r.lower + _size(r) * Fraction(1 + choose(99), 100)
    return _from_end(r, Fraction(1 + choose(99), 10) * Fraction(10) ** (choose(7) - 3), choose)


def _near_end(r: Range, choose: Choose) -> Fraction:
    return _from_end(r, _size(r) * _tiny(choose), choose)


def _far(r: Range, choose: Choose) -> Fraction:
    if r.lower is not None and r.upper is not None:
        return _near_end(r, choose)
    size = Fraction((1 + choose(9)) * 10 ** _exponent(choose))
    if r.lower is None and (r.upper is not None or choose(2) == 0):
        return (r.upper or 0) - size
    return (r.lower or 0) + size


def _at_end(r: Range, choose: Choose) -> Fraction:
    closed = [end for end in (r.lower, r.upper) if end is not None and end in r]
    return closed[choose(len(closed))] if closed else _near_end(r, choose)


def _small(r: Range, choose: Choose) -> Fraction:
    """A fraction with a small denominator."""
    below = 1 if r.integer else 1 + choose(12)
    first = None if r.lower is None else math.ceil(r.lower * below)
    last = None if r.upper is None else math.floor(r.upper * below)
    if first is not None and last is not None and first > last:
        return _uniform(r, choose)
    if first is None:
        first = -20 if last is None else last - 40
    last = first + 40 if last is None else last
    return Fraction(first + choose(min(last - first, 1000) + 1), below)
