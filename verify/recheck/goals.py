"""What a node has to show, and the leaves of a proof: enclosures, root counting, second derivatives.

*Meaning.*  Where an expression is undefined it means its limit; where it has none, nothing is claimed.  All
functions of the language are continuous where they are defined (a power 0**0 is refused at the root).  So
a goal without hypotheses and integers may be shown on the inner points of the box only: f >= 0 passes to
the limit, and so does f >= c with c > 0, but f > 0 does not.  With hypotheses or integers the points may
be isolated, and every end that belongs to the box counts (:meth:`Obligation.boxes`).

Where a goal is put together from several (``multiply``, ``sum``, ``given``, ``logarithm``), one of them may
rest on a hypothesis that holds at an isolated point, and another be infinite there; so each is held to be
defined at every point (:attr:`Obligation.held`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from verify.recheck.identities import require_same, slope_of, without_kinks
from verify.recheck.intervals import Interval, UnknownError, point
from verify.recheck.reading import Hypothesis, rational
from verify.recheck.roots import sturm
from verify.recheck.series import Box, Series, range_of
from verify.recheck.terms import ZERO, Term, number, put

_DEPTH = 4  # times a box is halved where the certificate's own enclosure is a little sharper

Node = Mapping[str, Any]


@dataclass(frozen=True)
class Obligation:
    """``f >= 0`` (``> 0`` if strict) at every point of the box that satisfies the hypotheses."""

    f: Term
    strict: bool
    box: Box
    given: tuple[Hypothesis | None, ...] = ()  # None: not known any more
    integers: frozenset[str] = frozenset()
    held: bool = False  # f has to be defined at every point, for the sake of the goals beside it

    @property
    def thin(self) -> bool:
        """Whether the points may be isolated from each other, so that limits prove nothing."""
        return self.held or any(h is not None for h in self.given) or bool(self.integers)

    def about(self, f: Term, strict: bool | None = None) -> Obligation:
        """The same box with another expression."""
        return replace(self, f=f, strict=self.strict if strict is None else strict)

    def beside(self) -> Obligation:
        """For the parts of a goal that is put together."""
        return replace(self, held=self.thin)

    def on(self, name: str, x: Interval) -> Obligation:
        """The same goal with another range for one variable."""
        return replace(self, box={**self.box, name: x})

    def boxes(self) -> Iterator[tuple[Box, bool]]:
        """Boxes on which it is enough to show the goal, and whether only by a margin if it is strict."""
        yield self.box, False
        if not self.thin:
            yield {name: x.inner() for name, x in self.box.items()}, True

    def ground(self, name: str, x: Interval) -> Iterator[Box]:
        """Boxes on which a function has to be continuous to be followed along a variable over x."""
        yield {**self.box, name: x.hull(self.box[name]) if self.thin else x}
        if not self.thin and not self.strict:
            yield {**{n: r.inner() for n, r in self.box.items()}, name: x}


Child = tuple[str, Any, Obligation]  # the field, the node, its goal
Rule = Callable[[Node, Obligation], list[Child]]


def _taylor(f: Term, box: Box, order: int) -> Interval:
    """The enclosure of docs/proofs.md, one variable after the other; order 0 is the range."""
    if order == 0:
        return range_of(f, box)
    names = sorted(f.names)
    now = {name: point((box[name].low + box[name].high) / 2) for name in names}
    total = range_of(f, now)
    for name in names:
        centre, x = now[name], box[name]
        step = x + -centre
        at_centre = Series(now, name, 1).of(f)[1] if order == 2 else None
        now[name] = x
        highest = Series(now, name, order).of(f)[order]
        total = total + (highest * step if at_centre is None else at_centre * step + highest * step.power(2))
    return total


def shown(goal: Obligation, order: int, depth: int = _DEPTH) -> bool:
    """Whether the enclosure has the sign, on the box or on its parts."""
    bounded = all(goal.box[n].bounded for n in goal.f.names)
    for box, inner in goal.boxes():
        for way in sorted({0, order, 2 if bounded else 0}, key=lambda k: k != order):
            try:
                x = _taylor(goal.f, box, way)
            except UnknownError:
                continue
            if x.low > 0 if goal.strict and inner else x.positive(goal.strict):
                return True
    names = [n for n in goal.f.names if not goal.box[n].single]
    if depth == 0 or not bounded or not names:
        return False
    widest = max(sorted(names), key=lambda n: goal.box[n].high - goal.box[n].low)
    x = goal.box[widest]
    middle = (x.low + x.high) / 2
    return all(shown(goal.on(widest, half), order, depth - 1) for half in halves(x, middle))


def halves(x: Interval, at: Fraction) -> tuple[Interval, Interval]:
    """The two parts of a range, which share the point."""
    return replace(x, high=at, high_open=False), replace(x, low=at, low_open=False)


def by_range(node: Node, goal: Obligation) -> list[Child]:
    """The enclosure of the expression has the sign."""
    del node
    _known(goal)
    if not shown(goal, 0):
        raise UnknownError(f"{goal.f} is not seen to be {'> 0' if goal.strict else '>= 0'}{where(goal)}")
    return []


def where(goal: Obligation) -> str:
    """The box in words."""
    ranges = [
        f"{n} in {'(['[not x.low_open]}{x.low}, {x.high}{')]'[not x.high_open]}" for n, x in goal.box.items()
    ]
    return " for " + ", ".join(ranges) if ranges else ""


def _known(goal: Obligation) -> None:
    if unknown := sorted(goal.f.names - set(goal.box)):
        raise UnknownError(f"{unknown[0]!r} is not a variable of the box")


def by_taylor(node: Node, goal: Obligation) -> list[Child]:
    """Its Taylor enclosure has the sign; the box is bounded."""
    _known(goal)
    if node.get("order") not in (1, 2):
        raise UnknownError(f"order {node.get('order')!r} is not 1 or 2")
    if not all(goal.box[n].bounded for n in goal.f.names):
        raise UnknownError("the box is not bounded")
    if not shown(goal, node["order"]):
        raise UnknownError(f"{goal.f} is not seen to be {'> 0' if goal.strict else '>= 0'}{where(goal)}")
    return []


def by_sturm(node: Node, goal: Obligation) -> list[Child]:
    """A polynomial in one variable, by counting roots."""
    del node
    names = list(goal.f.names)
    if len(names) != 1 or names[0] not in goal.box:
        raise UnknownError(f"{goal.f} is not a polynomial in one variable")
    if not sturm(goal.f, names[0], goal.box[names[0]], goal.strict):
        raise UnknownError(f"{goal.f} changes its sign{where(goal)}")
    return []


def by_hessian(node: Node, goal: Obligation) -> list[Child]:
    """It touches 0 at a point and is convex."""
    if goal.strict:
        raise UnknownError("a strict goal cannot touch 0")
    names = sorted(goal.f.names)
    at = {name: rational(field(node, "at").get(name)) for name in names}
    if not names or not all(
        goal.box[n].bounded and goal.box[n].low <= at[n] <= goal.box[n].high for n in names
    ):
        raise UnknownError("the point is not in a bounded box")
    box = {n: replace(goal.box[n], low_open=False, high_open=False) for n in names}
    f = without_kinks(goal.f, box)
    here = {n: number(x) for n, x in at.items()}
    smooth = {n: Series(box, n, 2).of(f) for n in names}  # raises where f is not twice differentiable
    slopes = {n: slope_of(f, n) for n in names}
    for g in (f, *slopes.values()):
        require_same(put(g, here), ZERO, {}, "the value at the point")
    matrix = [
        [smooth[a][2] * point(2) if a == b else range_of(slope_of(slopes[a], b), box) for b in names]
        for a in names
    ]
    if not (_dominant(matrix) or _positive_pivots(matrix)):
        raise UnknownError("the matrix of second derivatives is not seen to be positive semidefinite")
    return []


def _dominant(matrix: list[list[Interval]]) -> bool:
    """Whether each diagonal entry is at least the sum of the sizes of the others in its row."""
    for i, row in enumerate(matrix):
        rest = reduce(Interval.__add__, (x.size() for j, x in enumerate(row) if j != i), point(0))
        if not (row[i] + -rest).positive(False):
            return False
    return True


def _positive_pivots(matrix: list[list[Interval]]) -> bool:
    """Gaussian elimination in intervals: all pivots positive, the last not negative."""
    rows = [list(row) for row in matrix]
    for k, pivot in enumerate(rows):
        if not pivot[k].positive(k < len(rows) - 1):
            return False
        for row in rows[k + 1 :]:
            for j in range(k + 1, len(rows)):
                row[j] = row[j] + -(row[k] * pivot[j] * pivot[k].inverse())
    return True


def field(node: Node, name: str) -> Any:
    """A field that must be there."""
    if name not in node:
        raise UnknownError(f"the field {name!r} is missing")
    return node[name]
