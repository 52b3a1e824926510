"""Points next to where an expression all but touches zero: there a claim that is false by very little fails.

``f - 10^-20`` at a contact of f, or f with a slope that is wrong by as much, is negative only within 10^-10,
or 10^-20, of it.  So the smallest values met are followed to a minimum (:mod:`descents`), also on the edges
of the hypotheses (:mod:`edges`), and the neighbourhood of each is looked at on all scales; so are simple
numbers next to it, and the places where a kink turns, or a square is 0.  Only what is certainly negative is
handed on, and whoever receives it confirms it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice, product
from math import inf, prod
from random import Random
from types import MappingProxyType
from typing import Any

import sympy

from verify.claims import Domain, Range, Relation
from verify.provers.expressions import length
from verify.provers.goals import Goal
from verify.provers.points import Point, at_point, holds_at, samples
from verify.provers.proof.boxes import simple_numbers
from verify.provers.proof.descents import BITS, closed, descended, size
from verify.provers.proof.edges import edges, solved_for
from verify.provers.simplest import simplest_between
from verify.provers.witness import violated

_PLACES = 8  # of the smallest values
_TRIED = 400  # points among which these are looked for
_FIXED = 16  # values of one variable, for which the others are looked for
_FIRST = 12  # integers
_SHORT = 40  # operations of what is solved for its variable
_SCALES = [Fraction(1, 10**k) for k in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30, 36, 42, 50)]
_NEAR = Fraction(1, 10**6)
_COMMON = [Fraction(x) for x in ("0", "1", "1/2", "-1", "2")]


def below_zero(
    goal: Goal, suspects: Iterable[Mapping[str, Fraction]], worst: Mapping[str, Any]
) -> Iterator[Point]:
    """Points of the box that satisfy the hypotheses and at which the expression is certainly negative."""
    yield from _negative(goal, _places(goal, _turns(goal), suspects, worst))
    for edge in edges(goal):
        above = (edge.lifted(place) for place in _places(edge.goal, _turns(edge.goal), (), worst))
        within = (p for p in above if p is not None and all(closed(r, p[n]) for n, r in goal.ranges.items()))
        yield from _negative(goal, within)
    yield from _negative(goal, _places(goal, _stops(goal)))


def at_turns(goal: Goal) -> Iterator[Point]:
    """The same next to where a kink turns or a square is 0: a bump there escapes every other point."""
    turns = list(_turns(goal))
    if turns:
        yield from _negative(goal, _places(goal, turns))


def _negative(goal: Goal, places: Iterable[Point]) -> Iterator[Point]:
    domain = Domain(goal.ranges, goal.known)
    stated = Relation(sympy.Integer(0), "<" if goal.strict else "<=", goal.expression)
    for place in places:
        value = at_point(goal.expression, place, BITS)
        if not (value is not None and value > 0) and violated(stated, domain, place):
            yield place
            continue
        for point in _around(goal, place):
            value = at_point(goal.expression, point, BITS)
            wrong = value is not None and (value < 0 or (goal.strict and value <= 0))
            if wrong and all(holds_at(h, point) for h in goal.known):
                yield point
                break


def _places(
    goal: Goal,
    fixed: Iterable[tuple[str, Fraction]],
    suspects: Iterable[Mapping[str, Fraction]] = (),
    worst: Mapping[str, Any] = MappingProxyType({}),
) -> list[Point]:
    """The points with the smallest values, and the minima they lead to; also where a variable is fixed."""
    names, choices = list(goal.ranges), []
    for name in names:
        r = goal.ranges[name]
        near = simple_numbers(worst[name]) if name in worst and worst[name].bounded else []
        ends = [end for end in (r.lower, r.upper) if end is not None]
        ends += [Fraction(k) for k in range(_FIRST)] if r.integer else []
        choices.append([x for x in dict.fromkeys([*near, *ends, *_COMMON, *samples(r)]) if closed(r, x)])
    found = list(_tried(names, choices))
    found += [{**found[0], **s} for s in suspects] if found else []
    ranked = sorted(found, key=lambda point: size(goal, point))
    best = [p for p in ranked if size(goal, p) < inf][:_PLACES]
    led = [descended(goal, p, goal.variables) for p in best[: _PLACES // 2]]
    for name, x in islice(fixed, _FIXED) if best else ():
        there = min(({**p, name: x} for p in ranked[:_TRIED]), key=lambda point: size(goal, point))
        led += [there, descended(goal, there, [n for n in goal.variables if n != name])]
        led += [descended(goal, there, [n]) for n in goal.variables if n != name and len(goal.variables) > 2]
    return list(
        {tuple(p.values()): p for p in (*best, *led, *(_simple(goal, place) for place in led))}.values()
    )


def _tried(names: list[str], choices: list[list[Fraction]]) -> Iterator[Point]:
    """All combinations, or as many drawn from them: also where variables agree."""
    if prod(map(len, choices)) <= _TRIED:
        yield from (dict(zip(names, at, strict=True)) for at in product(*choices))
        return
    rng = Random(0)
    for k in range(_TRIED):
        point = {n: rng.choice(c) for n, c in zip(names, choices, strict=True)}
        same = point[names[k % len(names)]]
        yield {n: same if k % 4 == 0 and same in c else point[n] for n, c in zip(names, choices, strict=True)}


def _simple(goal: Goal, place: Point) -> Point:
    """Simple numbers next to a point: contacts of high order are met in no other way."""
    near = {n: _NEAR * _unit(goal.ranges[n], x) for n, x in place.items()}
    return {n: simplest_between(x - near[n], x + near[n]) for n, x in place.items()}


def _unit(r: Range, x: Fraction) -> Fraction:
    """What a step is measured by: the size of the number or of its range."""
    width = r.upper - r.lower if r.lower is not None and r.upper is not None else Fraction(1)
    return max(abs(x), min(width, Fraction(1)))


def _turns(goal: Goal) -> Iterator[tuple[str, Fraction]]:
    """Where what is in a kink or an even power, and has one variable, is 0: a bump is seen only there."""
    e = sympy.sympify(goal.expression)
    inner = {a.args[0] for a in e.atoms(sympy.Abs)}
    inner |= {p.base for p in e.atoms(sympy.Pow) if p.exp.is_Integer and p.exp > 0 and p.exp % 2 == 0}
    inner |= {a for kink in e.atoms(sympy.Max, sympy.Min) for a in kink.args}
    for u in sorted((u for u in inner if len(u.free_symbols) == 1 and not u.is_Symbol), key=str):
        symbol = next(iter(u.free_symbols))
        for zero in solved_for(u, symbol) if length(u) <= _SHORT else ():
            x = Fraction(int(zero.p), int(zero.q)) if zero.is_Rational else None
            if x is not None and symbol.name in goal.ranges and closed(goal.ranges[symbol.name], x):
                yield symbol.name, x


def _stops(goal: Goal) -> Iterator[tuple[str, Fraction]]:
    """Ends of ranges, and small numbers: where a curve of contact meets them it has a point that is exact."""
    for name in goal.variables:
        r = goal.ranges[name]
        ends = [end for end in (r.lower, r.upper) if end is not None]
        yield from ((name, x) for x in dict.fromkeys([*ends, *_COMMON]) if x in r)


def _around(goal: Goal, place: Point) -> Iterator[Point]:
    """At all scales, along each variable, and along all of them together."""
    directions = [{n: Fraction(s)} for n in goal.variables for s in (1, -1)]
    if len(goal.variables) > 1:
        directions += [{n: Fraction(s) for n in goal.variables} for s in (1, -1)]
    for scale in _SCALES:
        for way in directions:
            point = {n: x + scale * way.get(n, 0) * _unit(goal.ranges[n], x) for n, x in place.items()}
            if all(point[n] in r for n, r in goal.ranges.items()):
                yield point
