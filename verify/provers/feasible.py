"""A point of a domain with hypotheses, looked for by descent: where there is one, no claim on it is vacuous.

What the hypotheses lack at a point is made smaller, one coordinate at a time, from a few starts; what is
found in floating point is confirmed in balls.  Equations are tried with small numbers.  It is the same every
time, and finding none says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product
from math import inf, isfinite
from random import Random
from typing import Any

import sympy

from verify.claims import Hypothesis, Range
from verify.provers.expressions import attempt, put
from verify.provers.points import Point, holds_at, points, samples

_STARTS, _MOVES = 8, 400
_SIMPLE = [Fraction(*q) for q in ((1, 1), (0, 1), (2, 1), (1, 2), (-1, 1), (1, 3), (-2, 1), (4, 1))]
_SIMPLE_POINTS, _CLOSE = 20_000, 1e-9
_MARGIN = 1e-3  # by which a hypothesis is to hold, so that rounding does not break it


def somewhere(ranges: Mapping[str, Range], given: tuple[Hypothesis, ...]) -> Point | None:
    """An exact point that satisfies the hypotheses: a claim on this domain speaks of something."""
    return next(iter(points(dict(ranges), given)), None) or point_of(ranges, given)


def _float(function: Any, arguments: list[float]) -> float:
    return float(function(*arguments))


def point_of(ranges: Mapping[str, Range], given: tuple[Hypothesis, ...]) -> Point | None:
    """A point of the box where all hypotheses certainly hold, or ``None``."""
    names, rng = sorted(ranges), Random(0)
    values = {name: samples(ranges[name]) for name in names}
    if not all(values.values()):
        return None
    if any(h.relation == "==" for h in given):
        return next(simple_points(ranges, given), None)
    order, gaps = _gaps(given)

    def lack(at: Mapping[str, Fraction]) -> float:
        total = 0.0
        for gap in gaps:
            value = attempt(_float, gap, [float(at[n]) for n in order])
            if value is None or not isfinite(value):
                return inf
            total += max(0.0, _MARGIN - value)
        return total

    for _ in range(_STARTS):
        at = {name: rng.choice(values[name]) for name in names}
        best = lack(at)
        for _ in range(_MOVES):
            if best == 0:
                break
            name = rng.choice(names)
            step = Fraction(rng.gauss(0, 1) * 4.0 ** rng.randint(-4, 3)).limit_denominator(1000)
            moved = {**at, name: at[name] + step if rng.random() < 0.8 else rng.choice(values[name])}
            if moved[name] in ranges[name] and (found := lack(moved)) <= best:
                at, best = moved, found
        if best == 0 and all(holds_at(h, at) for h in given):
            return at
    return None


def _gaps(given: tuple[Hypothesis, ...]) -> tuple[list[str], list[Any]]:
    """The variables of the hypotheses, and right - left of each as a function of these."""
    symbols = {s.name: s for h in given for s in sympy.sympify(h.right - h.left).free_symbols}
    order = sorted(symbols)
    return order, [
        attempt(sympy.lambdify, [symbols[n] for n in order], h.right - h.left, "math") for h in given
    ]


def simple_points(ranges: Mapping[str, Range], given: tuple[Hypothesis, ...]) -> Iterator[Point]:
    """Points with small numbers for all variables, where there are equations: no descent ends on these."""
    if not any(h.relation == "==" for h in given):
        return
    order, gaps = _gaps(given)
    names = [*order, *(n for n in ranges if n not in order)]
    choices = [[x for x in _SIMPLE if x in ranges[n]] for n in names]
    for chosen in islice(product(*choices), _SIMPLE_POINTS):
        numbers = [float(x) for x in chosen[: len(order)]]
        values = [attempt(_float, gap, numbers) for gap in gaps]
        if any(
            v is None or not v > -_CLOSE or (h.relation == "==" and not v < _CLOSE)
            for v, h in zip(values, given, strict=True)
        ):
            continue
        at = dict(zip(names, chosen, strict=True))
        if all(_holds(h, at) for h in given):
            yield at


def _holds(h: Hypothesis, at: Point) -> bool:
    """Whether a hypothesis holds: in fractions if it can be, where balls only say that 1/3 + 2/3 may be 1."""
    gap = sympy.sympify(h.right - h.left)
    value = put(gap, {s: sympy.Rational(at[s.name]) for s in gap.free_symbols})
    if value is None or not value.is_Rational:
        return holds_at(h, at)
    return bool(value == 0 if h.relation == "==" else value > 0 if h.relation == "<" else value >= 0)
