"""Points next to where an expression all but touches zero: there a claim that is false by very little fails.

``f - 10^-20`` at a contact of f, or f with a slope that is wrong by as much, is negative only within 10^-10,
or 10^-20, of it.  So the smallest values met are followed to a minimum (by thirds of a range, then Newton's
method, along one variable after the other and in many bits), and the neighbourhood of each is looked at on
all scales; so are the places where a kink turns, or a square is 0.  Only what is certainly negative is handed
on, and whoever receives it confirms it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

import sympy
from flint import arb

from verify.provers.balls import ball, precision, program
from verify.provers.expressions import attempt, length
from verify.provers.goals import Goal
from verify.provers.points import Point, at_point, holds_at, samples
from verify.provers.proof.boxes import simple_numbers

_BITS = 512
_PLACES = 8  # of the smallest values
_TRIED = 400  # points among which these are looked for
_FIRST = 12  # integers
_SHORT = 40  # operations of what is solved for its variable
_ROUNDS = 12  # of Newton's method
_THIRDS = 24  # of a range, one inside the other, before it
_SCALES = [Fraction(1, 10**k) for k in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30, 36, 42, 50)]
_COMMON = [Fraction(x) for x in ("0", "1", "1/2", "-1", "2")]


def below_zero(
    goal: Goal, suspects: Iterable[Mapping[str, Fraction]], worst: Mapping[str, Any]
) -> Iterator[Point]:
    """Points of the box that satisfy the hypotheses and at which the expression is certainly negative."""
    return _negative(goal, _places(goal, suspects, worst))


def at_turns(goal: Goal) -> Iterator[Point]:
    """The same next to where a kink turns or a square is 0: a bump there escapes every other point."""
    if next(_turns(goal), None) is not None:
        yield from _negative(goal, _places(goal, (), {}))


def _negative(goal: Goal, places: Iterable[Point]) -> Iterator[Point]:
    for place in places:
        for point in (place, *_around(goal, place)):
            value = at_point(goal.expression, point, _BITS)
            wrong = value is not None and (value < 0 or (goal.strict and value <= 0))
            if wrong and all(holds_at(h, point) for h in goal.known):
                yield point
                break


def _places(goal: Goal, suspects: Iterable[Mapping[str, Fraction]], worst: Mapping[str, Any]) -> list[Point]:
    """The points with the smallest values, and the minima they lead to."""
    names, choices = list(goal.ranges), []
    for name in names:
        r = goal.ranges[name]
        near = simple_numbers(worst[name]) if name in worst and worst[name].bounded else []
        ends = [end for end in (r.lower, r.upper) if end is not None]
        ends += [Fraction(k) for k in range(_FIRST)] if r.integer else []
        choices.append([x for x in dict.fromkeys([*near, *ends, *_COMMON, *samples(r)]) if _closed(r, x)])
    found = [dict(zip(names, at, strict=True)) for at in islice(product(*choices), _TRIED)]
    found += [{**found[0], **s} for s in suspects] if found else []
    ranked = sorted(found, key=lambda point: _size(goal, point))
    best = [p for p in ranked if _size(goal, p) < float("inf")][:_PLACES]
    led = [q for p in best[: _PLACES // 2] if (q := _descended(goal, p)) is not None]
    for name, x in islice(_turns(goal), _PLACES) if best else ():
        there = min(({**p, name: x} for p in ranked[:_TRIED]), key=lambda point: _size(goal, point))
        led += [there, _descended(goal, there, but=name) or there]
    return best + led


def _turns(goal: Goal) -> Iterator[tuple[str, Fraction]]:
    """Where what is in a kink or an even power, and has one variable, is 0: a bump is seen only there."""
    e = sympy.sympify(goal.expression)
    inner = {a.args[0] for a in e.atoms(sympy.Abs)}
    inner |= {p.base for p in e.atoms(sympy.Pow) if p.exp.is_Integer and p.exp > 0 and p.exp % 2 == 0}
    inner |= {a for kink in e.atoms(sympy.Max, sympy.Min) for a in kink.args}
    for u in sorted((u for u in inner if len(u.free_symbols) == 1 and not u.is_Symbol), key=str):
        symbol = next(iter(u.free_symbols))
        line = attempt(sympy.Poly, u, symbol) if length(u) <= _SHORT else None
        if line is None or line.degree() != 1 or not all(c.is_Rational for c in line.all_coeffs()):
            continue
        a, b = (Fraction(int(c.p), int(c.q)) for c in line.all_coeffs())
        if symbol.name in goal.ranges and _closed(goal.ranges[symbol.name], -b / a):
            yield symbol.name, -b / a


def _closed(r: Any, x: Fraction) -> bool:
    return (
        (r.lower is None or r.lower <= x)
        and (r.upper is None or x <= r.upper)
        and (not r.integer or x.denominator == 1)
    )


def _size(goal: Goal, point: Point) -> float:
    value = at_point(goal.expression, point)
    return float("inf") if value is None else float(value.mid())


def _descended(goal: Goal, start: Point, but: str = "") -> Point | None:
    """Newton's method for the zeros of the slopes, along one variable after the other (but for one)."""
    point = dict(start)
    moving = [n for n in goal.variables if not goal.ranges[n].integer and n != but]
    for name in moving:
        point[name] = _bracketed(goal, point, name)
    for _ in range(_ROUNDS):
        for name in moving:
            step = attempt(_newton, goal.expression, point, name)
            if step is not None and _closed(goal.ranges[name], point[name] - step):
                point[name] -= step
    return point if point != start else None


def _bracketed(goal: Goal, point: Point, name: str) -> Fraction:
    """The least value along one variable, between the neighbours of the point: thirds, again and again."""
    r, here = goal.ranges[name], point[name]
    others = [x for x in samples(replace(r, lower_open=False, upper_open=False)) if x != here]
    low = max((x for x in others if x < here), default=here)
    high = min((x for x in others if x > here), default=here)
    for _ in range(_THIRDS):
        a, b = (_fraction_near(low + (high - low) * t) for t in (Fraction(1, 3), Fraction(2, 3)))
        left, right = (_size(goal, {**point, name: x}) for x in (a, b))
        low, high = (low, b) if left <= right else (a, high)
    return min((here, _fraction_near((low + high) / 2)), key=lambda x: _size(goal, {**point, name: x}))


def _fraction_near(x: Fraction) -> Fraction:
    return Fraction(round(x * 2**64), 2**64)


def _newton(expression: Any, point: Point, name: str) -> Fraction | None:
    """The step along one variable: slope over second derivative, where that is positive."""
    with precision(_BITS):
        exact = {n: ball(x) for n, x in point.items()}
        _, slope, bend = program(expression).coefficients(exact, name, 3)
        if not (slope.is_finite() and bend > 0):
            return None
        return _fraction((slope / (2 * bend)).mid())


def _fraction(x: arb) -> Fraction:
    mantissa, exponent = x.man_exp()
    value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return Fraction(round(value * 2**200), 2**200)  # no more digits than the scales ask for


def _around(goal: Goal, place: Point) -> Iterator[Point]:
    """At all scales, along each variable, and along all of them together."""
    directions = [{n: Fraction(s)} for n in goal.variables for s in (1, -1)]
    if len(goal.variables) > 1:
        directions += [{n: Fraction(s) for n in goal.variables} for s in (1, -1)]
    for scale in _SCALES:
        for way in directions:
            point = {n: x + scale * way.get(n, 0) * max(abs(x), Fraction(1)) for n, x in place.items()}
            if all(point[n] in r for n, r in goal.ranges.items()):
                yield point
