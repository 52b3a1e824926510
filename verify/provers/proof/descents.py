"""Minima of a goal's expression, in many bits: thirds of a range, then Newton's method.

Far from a minimum the variables are moved one after the other.  Next to it they are moved together: with the
matrix of second derivatives H and the slopes g, by the solution of ``(H + small) step = g``, which squares
the distance even where the variables depend on each other, and stays where it is along a curve of minima.  A
variable that would leave its range stops at its end.  Nothing here is certain, nor has to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import arb, arb_mat

from verify.claims import Range
from verify.provers.balls import ball, fraction_near, precision, program
from verify.provers.expressions import attempt
from verify.provers.goals import Goal
from verify.provers.points import Point, at_point, samples

BITS = 512
_ROUNDS = 12  # of Newton's method
_THIRDS = 24  # of a range, one inside the other, before it
_DAMPING = Fraction(1, 2**100)  # of the largest second derivative, added along the diagonal
_STILL = Fraction(1, 2**220)  # a step that is smaller is none


def closed(r: Range, x: Fraction) -> bool:
    """Whether x is in the range or at one of its ends."""
    return (
        (r.lower is None or r.lower <= x)
        and (r.upper is None or x <= r.upper)
        and (not r.integer or x.denominator == 1)
    )


def size(goal: Goal, point: Point, bits: int = 128) -> float:
    """About the value at a point; infinite where there is none, or where a hypothesis certainly fails."""
    if any(_fails(h, point) for h in goal.known):
        return float("inf")
    value = at_point(goal.expression, point, bits)
    return float("inf") if value is None else float(value.mid())


def _fails(h: Any, point: Point) -> bool:
    gap = at_point(h.right - h.left, point)
    return gap is None or gap < 0 or (h.relation == "==" and gap > 0)


def descended(goal: Goal, start: Point, names: Iterable[str]) -> Point:
    """The minimum that a point leads to, along the variables that are named and are real."""
    point = dict(start)
    moving = [n for n in names if not goal.ranges[n].integer]
    for name in moving:
        point[name] = _bracketed(goal, point, name)
    for _ in range(_ROUNDS):
        further = _together(goal, point, moving) or _in_turn(goal, point, moving)
        if all(abs(further[n] - point[n]) <= _STILL * abs(point[n]) for n in moving):
            break
        point = further
    return point


def _bracketed(goal: Goal, point: Point, name: str) -> Fraction:
    """The least value along one variable, between the neighbours of the point: thirds, again and again."""
    r, here = goal.ranges[name], point[name]
    others = [x for x in samples(replace(r, lower_open=False, upper_open=False)) if x != here]
    low = max((x for x in others if x < here), default=here)
    high = min((x for x in others if x > here), default=here)
    for _ in range(_THIRDS):
        a, b = (low + (high - low) * t for t in (Fraction(1, 3), Fraction(2, 3)))
        left, right = (size(goal, {**point, name: x}) for x in (a, b))
        low, high = (low, b) if left <= right else (a, high)
    return min((here, (low + high) / 2), key=lambda x: size(goal, {**point, name: x}))


def _in_turn(goal: Goal, start: Point, moving: list[str]) -> Point:
    """A step along each variable: slope over second derivative, where that is positive."""
    point = dict(start)
    for name in moving:
        with precision(BITS):
            exact = {n: ball(x) for n, x in point.items()}
            found = attempt(program(goal.expression).coefficients, exact, name, 3)
            if found is None or not (found[1].is_finite() and found[2] > 0):
                continue
            further = point[name] - fraction_near(found[1] / (2 * found[2]))
        if closed(goal.ranges[name], further):
            point[name] = _rounded(further)
    return point


def _together(goal: Goal, start: Point, moving: list[str]) -> Point | None:
    """A step along all variables, if it leads down."""
    if len(moving) < 2:
        return None
    point = dict(start)
    with precision(BITS):
        step = attempt(_newton, goal, point, moving)
        while step is not None and (
            out := [n for n in step if not closed(goal.ranges[n], point[n] - step[n])]
        ):
            for n in out:  # stops at the end
                end = goal.ranges[n].lower if step[n] > 0 else goal.ranges[n].upper
                assert end is not None
                point[n] = end
            moving = [n for n in moving if n not in out]
            step = attempt(_newton, goal, point, moving)
        if step is None:
            return None
        point = {n: _rounded(x - step[n]) if n in step else x for n, x in point.items()}
        before, after = (at_point(goal.expression, p, BITS) for p in (start, point))
        return point if before is not None and after is not None and after.mid() < before.mid() else None


def _newton(goal: Goal, point: Point, moving: list[str]) -> dict[str, Fraction] | None:
    """The solution of ``(H + small) step = g``."""
    exact, run = {n: ball(x) for n, x in point.items()}, program(goal.expression).along
    own = {n: run(exact, {n: 1}, 3) for n in moving}
    if not all(c.is_finite() for cs in own.values() for c in cs):
        return None
    matrix = arb_mat(len(moving), len(moving))
    damping = max((abs(cs[2].mid()) for cs in own.values()), default=arb(0)) * ball(_DAMPING)
    for k, n in enumerate(moving):
        matrix[k, k] = (2 * own[n][2] + damping).mid()
    for (j, m), (k, n) in combinations(enumerate(moving), 2):
        mixed = (run(exact, {m: 1, n: 1}, 3)[2] - own[m][2] - own[n][2]).mid()
        matrix[j, k] = matrix[k, j] = mixed
    step = matrix.solve(arb_mat(len(moving), 1, [own[n][1].mid() for n in moving]), nonstop=True)
    found = [step[k, 0] for k in range(len(moving))]
    return (
        dict(zip(moving, map(fraction_near, found), strict=True))
        if all(x.is_finite() for x in found)
        else None
    )


def _rounded(x: Fraction) -> Fraction:
    """With no more digits than the balls have."""
    with precision(BITS):
        return fraction_near(ball(x))
