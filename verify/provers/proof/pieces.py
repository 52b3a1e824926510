"""A function of one variable, cut where its slope changes its sign: it is monotone on each piece.

The signs of the slope are met at points, and their changes bracketed.  On a piece between two of them the
function is above its value (or limit) at one end, by the rule ``monotone``; its slope is the next goal, and
may be cut in turn.  The short brackets are left to boxes.  So a maximum between two zeros at the ends, one of
them perhaps at infinity, or with an infinite slope, is no obstacle.  What is met numerically is only a
suggestion where to cut: every piece is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy

from verify.claims import Range
from verify.provers.expressions import length, put
from verify.provers.goals import Goal, Node, halved
from verify.provers.points import at_point
from verify.provers.proof.boxes import BranchAndBound, exhausted, simple_numbers
from verify.provers.proof.calculus import as_written, contacts, followed, touched
from verify.provers.proof.leaves import closed
from verify.provers.proof.state import ProofSearch, fat, value_at

_BIG = 320  # operations of a slope
_CUTS = 4  # changes of its sign
_HALVINGS = (4, 8, 14)  # of a bracket, before it is tried again
_FEW, _BOXES = 24, 60  # of one goal, without and with what is known about its zeros
_TINY = (4, 7, 11, 16, 24)  # binary places next to an end
_PARTS = 16  # of a bounded range


def by_pieces(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Cut where the slope changes its sign, and follow the slope on each piece."""
    if depth < 1 or len(goal.variables) != 1 or goal.known or not fat(goal):
        return None
    (name,) = goal.variables
    slope = search.derivative(goal.expression, goal, name)
    if slope is None or slope == 0 or length(slope) > _BIG:
        return None
    signs = [(x, s) for x in _places(goal.ranges[name]) if (s := _sign(slope, name, x))]
    changes = [(a, b) for a, b in pairwise(signs) if a[1] != b[1]]
    if not signs or len(changes) > _CUTS:
        return None
    brackets: list[tuple[Fraction, Fraction, Node | None]] = []
    for (low, sign), (high, _) in changes:
        bracket = _bracket(search, goal, slope, (low, high, sign))
        if bracket is None:
            return None
        brackets.append(bracket)
    return _assembled(search, goal, slope, signs[0][1], brackets, depth)


def _assembled(
    search: ProofSearch,
    goal: Goal,
    slope: Any,
    sign: int,
    brackets: list[tuple[Fraction, Fraction, Node | None]],
    depth: int,
) -> Node | None:
    """The pieces from left to right, the first with this sign of the slope."""
    (name,) = goal.variables
    if not brackets:
        return _followed(search, goal, slope, sign, depth)
    (low, high, middle), *others = brackets
    first, rest = (goal.on(name, half) for half in halved(goal.ranges[name], low))
    left = _followed(search, first, slope, sign, depth)
    if left is None:
        return None
    if middle is not None:
        rest = goal.on(name, halved(goal.ranges[name], high)[1])
    right = _assembled(search, rest, slope, -sign, others, depth)
    if right is None:
        return None
    if middle is not None:
        right = {"by": "split", "variable": name, "at": str(high), "parts": [middle, right]}
    return {"by": "split", "variable": name, "at": str(low), "parts": [left, right]}


def _followed(search: ProofSearch, goal: Goal, slope: Any, sign: int, depth: int) -> Node | None:
    (name,) = goal.variables
    way = goal.about(sign * slope, strict=False)
    if not (search.plausible(goal) and search.plausible(way)):
        return None

    def at_end(child: Goal) -> Node | None:
        return search.prove(child, 0)

    def on_way(child: Goal) -> Node | None:
        return as_written(child, search.prove(child, depth - 1))

    if value_at(goal, name, sign > 0) is None and search.prove(way, depth - 1) is None:
        return None  # a limit is dearer than the slope
    return followed(goal, way, name, sign > 0, at_end, on_way, search)


def _bracket(
    search: ProofSearch, goal: Goal, slope: Any, found: tuple[Fraction, Fraction, int]
) -> tuple[Fraction, Fraction, Node | None] | None:
    """A short interval around a zero of the slope, and a proof of the goal on it; or the zero itself."""
    (name,) = goal.variables
    low, high, sign = found
    done = 0
    for halvings in _HALVINGS:
        for _ in range(halvings - done):
            middle = _simplest((low + high) / 2, (high - low) / 8)
            here = _sign(slope, name, middle)
            if here == 0:
                value = put(slope, {goal.symbols[name]: sympy.Rational(middle)})
                exact = value is not None and search.vanishes(value, replace(goal, ranges={}))
                return (middle, middle, None) if exact else None
            low, high = (middle, high) if here == sign else (low, middle)
        done = halvings
        part = goal.on(name, Range(low, high))
        for at in simple_numbers(part.ranges[name]):
            value = put(slope, {goal.symbols[name]: sympy.Rational(at)})
            if low < at < high and value is not None and search.vanishes(value, replace(goal, ranges={})):
                return at, at, None
        node = closed(part)
        if node is not None:
            return low, high, node
    return None


def _simplest(x: Fraction, slack: Fraction) -> Fraction:
    """A number with few digits near x."""
    bits = 1
    while Fraction(1, 2**bits) > slack:
        bits += 1
    return Fraction(round(x * 2**bits), 2**bits)


def _sign(e: Any, name: str, x: Fraction) -> int:
    value = at_point(e, {name: x})
    return 0 if value is None else 1 if value > 0 else -1 if value < 0 else 0


def _places(r: Range) -> list[Fraction]:
    """Points inside a range, dense next to its ends and far out."""
    return sorted(x for x in set(_inner(r)) if x in r and x not in (r.lower, r.upper))


def _inner(r: Range) -> Iterator[Fraction]:
    if r.lower is not None and r.upper is not None:
        width = r.upper - r.lower
        yield from (r.lower + width * Fraction(k, _PARTS) for k in range(1, _PARTS))
        yield from (r.lower + width / 2**k for k in _TINY)
        yield from (r.upper - width / 2**k for k in _TINY)
        return
    ends = [r.lower, r.upper]
    start = next((end for end in ends if end is not None), Fraction(0))
    steps = [Fraction(1, 2**k) for k in _TINY] + [Fraction(n, 4) for n in range(1, 13)]
    steps += [Fraction(2) ** k for k in (2, 3, 4, 5, 6, 8, 10)]
    yield start
    yield from (start + s for s in steps)
    yield from (start - s for s in steps)


def by_end_contact(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Several derivatives at once, if they vanish at an end of the range: the last one that does, first."""
    if depth < 1 or len(goal.variables) != 1 or goal.known or not fat(goal):
        return None
    (name,) = goal.variables
    r = goal.ranges[name]
    for end in (r.lower, r.upper):
        found = [] if end is None else list(contacts(search, goal, name, sympy.Rational(end)))
        for contact in reversed(found[1:]):
            sign = contact.sign(goal)
            if sign and search.plausible(goal.about(sign * contact.derivatives[-1])):
                node = touched(goal, contact, lambda child: search.prove(child, depth - 1))
                if node is not None:
                    return node
                break
    return None


def by_few_boxes(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A bounded goal in one variable: a few boxes, and, with depth left, what is known about its zeros."""
    if len(goal.variables) != 1 or not goal.bounded or search.work.spent:
        return None
    node: Node | None = search.once(BranchAndBound(goal, search.work, _FEW).run, key=goal.key)
    if node is None and depth >= 1:
        node = search.once(exhausted, search, goal, _BOXES, key=goal.key)
    return node
