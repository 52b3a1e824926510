"""Exact points of a box, and what an expression is worth there.

A goal that certainly fails at a point needs no proof attempt.  The points are the same ones every time: ends,
next to ends, inside and far out, also where variables agree, since many inequalities are tight there.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Any

from flint import arb

from verify.claims import Hypothesis, Range
from verify.provers import balls
from verify.provers.expressions import attempt
from verify.provers.meter import spend, unmetered

Point = dict[str, Fraction]

POINTS = 32  # exact points a goal is tried at
_DRAWN = 20  # what one of them costs
_FAR = [Fraction(1, 1024), Fraction(1, 16), Fraction(1, 3), *map(Fraction, (1, 2, 5, 17, 100, 4096))]
_INNER = [Fraction(*p) for p in ((1, 2), (1, 3), (2, 3), (1, 7), (6, 7), (1, 64), (63, 64))]
_SMALL = Fraction(1, 2**20)


def at_point(expression: Any, point: Mapping[str, Fraction], bits: int = 128) -> arb | None:
    """The value at an exact point as a ball, or ``None`` where it cannot be told."""
    value = attempt(balls.evaluate, expression, point, bits)
    return value if value is not None and value.is_finite() else None


def slope_at(expression: Any, point: Mapping[str, Fraction], name: str, bits: int = 128) -> arb | None:
    """The derivative in one variable at an exact point, by power series in balls."""
    with balls.precision(bits):
        exact = {n: balls.ball(x) for n, x in point.items()}
        found = attempt(lambda: balls.program(expression).coefficients(exact, name, 2)[1])
    return found if found is not None and found.is_finite() else None


def samples(r: Range) -> list[Fraction]:
    """Exact points of a range: ends, next to ends, inside, far out."""
    if r.lower is not None and r.upper is not None:
        width = r.upper - r.lower
        found = [r.lower, r.upper, r.lower + _SMALL * width, r.upper - _SMALL * width]
        found += [r.lower + t * width for t in _INNER]
    elif r.lower is not None:
        found = [r.lower, *(r.lower + t for t in _FAR)]
    elif r.upper is not None:
        found = [r.upper, *(r.upper - t for t in _FAR)]
    else:
        found = [Fraction(0), *_FAR, *(-t for t in _FAR)]
    return [x for x in (map(_floor, found) if r.integer else found) if x in r]


def _floor(x: Fraction) -> Fraction:
    return Fraction(x.numerator // x.denominator)


def holds_at(h: Hypothesis, point: Mapping[str, Fraction]) -> bool:
    """Whether a hypothesis certainly holds at a point."""
    gap = at_point(h.right - h.left, point)
    if gap is None:
        return False
    return bool(gap == 0 if h.relation == "==" else gap > 0 if h.relation == "<" else gap >= 0)


def points(ranges: Mapping[str, Range], given: tuple[Hypothesis, ...]) -> list[Point]:
    """Exact points of a box that satisfy the hypotheses; the same ones every time."""
    spend(_DRAWN * POINTS * (1 + len(given)))
    with unmetered():
        return [dict(point) for point in _points(tuple(sorted(ranges.items())), given)]


@lru_cache(maxsize=1024)
def _points(box: tuple[tuple[str, Range], ...], given: tuple[Hypothesis, ...]) -> list[Point]:
    ranges = dict(box)
    names = list(ranges)
    values = {name: samples(ranges[name]) for name in names}
    if any(not v for v in values.values()):
        return []
    if len(names) == 1 and not given:
        return [{names[0]: x} for x in values[names[0]]]
    rng = Random(len(names))
    found: list[Point] = []
    for trial in range(POINTS if not given else 8 * POINTS):
        point = {name: rng.choice(values[name]) for name in names}
        if trial % 4 == 0 and names:  # also where variables agree: many inequalities are tight there
            shared = point[names[0]]
            point = {name: shared if shared in ranges[name] else point[name] for name in names}
        if point not in found and all(holds_at(h, point) for h in given):
            found.append(point)
        if len(found) == POINTS:
            break
    return found
