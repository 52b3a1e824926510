"""The rule ``bernstein``: a polynomial in several variables whose coefficients in that basis have one sign.

The mathematics is in ``docs/proofs.md``.  The boxes are found in floating point, halved across the variable
along which the coefficients differ most; what was found is then computed once more in whole numbers.  A value
at a corner is a coefficient, so a false goal is noticed early; one that touches 0 inside runs out of boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verify.claims import Range
from verify.provers.goals import Goal, Node, halved
from verify.provers.meter import spend
from verify.provers.points import at_point, holds_at
from verify.provers.proof.polynomials import Powers, is_polynomial, powers_of
from verify.provers.proof.state import ProofSearch

_CELLS = 5000  # coefficients of one polynomial
_BOXES, _MORE = 160, 3000  # of a first try, and of one when all else has failed
_WORK = 4_000_000  # coefficients in all boxes
_BOX = 200  # what a box costs, besides its coefficients
_NOISE = 1e-11  # of the largest coefficient: what is so small may be 0, and is decided in whole numbers
_STEPS = [Fraction(0), Fraction(1, 2**24), Fraction(1, 2**10)]  # from a corner towards the others
_TWO_SIDED = 3  # variables without any end, each of which is split at 0

Array = NDArray[Any]
Place = tuple[tuple[Fraction, Fraction], ...]  # the sides of a box within [0, 1]^n
Ends = tuple[tuple[bool, bool], ...]  # of each variable: whether its ends belong to the box


@dataclass(frozen=True)
class _Sought:
    """A polynomial that is to have a sign, and the entry of the certificate that says so."""

    entry: str
    strict: bool
    powers: Powers

    def tensor(self, ranges: Sequence[Range]) -> Array:
        """Its coefficients in the basis, up to a positive factor, as whole numbers."""
        degrees = [max((m[k] for m in self.powers), default=0) for k in range(len(ranges))]
        scale = lcm(*(c.denominator for c in self.powers.values()))
        found = np.full([d + 1 for d in degrees], 0, dtype=object)
        for m, c in self.powers.items():
            found[m] = int(c * scale)
        for k, r in enumerate(ranges):
            if degrees[k]:
                found = _along(_to_bernstein(degrees[k], r), found, k)
        return found


def _along(matrix: Array, a: Array, axis: int) -> Array:
    return np.moveaxis(np.tensordot(matrix, a, axes=(1, axis)), 0, axis)


def _to_bernstein(d: int, r: Range) -> Array:
    """From coefficients of powers to those of the basis: a shift to the end, a stretch, a change of basis."""
    start, step = r.lower, Fraction(1)
    if r.lower is None:
        start, step = r.upper, Fraction(-1)
    elif r.upper is not None:
        step = r.upper - r.lower
    assert start is not None
    size = range(d + 1)
    shift = [[comb(n, j) * start ** (n - j) * step**j if j <= n else Fraction(0) for n in size] for j in size]
    basis = [[Fraction(comb(i, j) if r.bounded else i == j) / comb(d, j) for j in size] for i in size]
    rows = [[sum((basis[i][j] * shift[j][n] for j in size), Fraction(0)) for n in size] for i in size]
    scale = lcm(*(c.denominator for row in rows for c in row))
    return np.array([[int(c * scale) for c in row] for row in rows], dtype=object)


def _halving(d: int) -> tuple[Array, Array]:
    """To the coefficients on either half, times 2^d."""
    lower = np.array([[comb(i, j) * 2 ** (d - i) for j in range(d + 1)] for i in range(d + 1)], dtype=object)
    return lower, lower[::-1, ::-1]


def _has_sign(a: Array, strict: bool, ends: Ends, noise: float = 0.0) -> bool:
    """Whether no coefficient is negative; if strict, one at each corner that counts is positive."""
    least = a.min()
    if least < -noise or least > noise or not strict:
        return bool(least >= -noise)
    choices = [
        [at for at, counts in ((slice(0, 1), lower), (slice(d - 1, d), upper)) if counts] or [slice(None)]
        for d, (lower, upper) in zip(a.shape, ends, strict=True)
    ]
    return all(a[corner].max() > noise for corner in product(*choices))


def _half(ends: Ends, k: int, upper: int) -> Ends:
    return (*ends[:k], (True, ends[k][1]) if upper else (ends[k][0], True), *ends[k + 1 :])


class _Box:
    """What shows a part of the box, or the variable across which it is halved."""

    entry: str
    halves: tuple[_Box, ...] = ()

    def walk(self) -> Iterator[str]:
        """The entries of a certificate: the lower half before the upper one."""
        stack = [self]
        while stack:
            box = stack.pop()
            yield box.entry
            stack += reversed(box.halves)


class _Halving:
    """One walk through the boxes, in floating point to find them or in whole numbers to confirm them."""

    def __init__(self, sought: Sequence[_Sought], names: Sequence[str], ranges: Sequence[Range]) -> None:
        self.sought, self.names = sought, names
        self.whole = [s.tensor(ranges) for s in sought]
        self.ends: Ends = tuple(
            (r.lower is not None and not r.lower_open, r.upper is not None and not r.upper_open)
            for r in ranges
        )
        self.cells = sum(a.size for a in self.whole)

    def found(self, most: int, fails: Callable[[Place], bool]) -> list[str] | None:
        """The entries of a certificate, or ``None``; told of a corner where the goal fails, it stops."""
        everything: Place = ((Fraction(0), Fraction(1)),) * len(self.names)
        root, boxes = _Box(), 0
        stack = [(root, [_scaled(a) for a in self.whole], self.ends, everything)]
        while stack:
            box, arrays, ends, place = stack.pop()
            boxes += 1
            spend(_BOX + self.cells)
            if boxes > most or boxes * self.cells > _WORK:
                return None
            shown = self._shown(arrays, ends, _NOISE)
            if shown is not None:
                box.entry = shown
                continue
            corners = [_corners(a) for a in arrays]
            lowest = np.unravel_index(corners[0].argmin(), corners[0].shape)
            allowed = all(a[lowest] <= _NOISE for a in corners[1:])  # no hypothesis fails there
            if allowed and corners[0][lowest] < -_NOISE and fails(_towards(place, lowest)):
                return None
            k = _steepest(arrays)
            if k is None:
                return None
            box.entry, box.halves = self.names[k], (_Box(), _Box())
            low, high = place[k]
            parts = []
            for upper in (0, 1):
                halves = [_along(_floating(a.shape[k] - 1)[upper], a, k) for a in arrays]
                side = ((low + high) / 2, high) if upper else (low, (low + high) / 2)
                parts.append(
                    (box.halves[upper], halves, _half(ends, k, upper), (*place[:k], side, *place[k + 1 :]))
                )
            # A false goal fails in the half with the smaller coefficients, which is looked at first.
            stack += sorted(parts, key=lambda part: -float(part[1][0].min()))
        entries = list(root.walk())
        return entries if self._confirmed(entries) else None

    def _shown(self, arrays: Sequence[Array], ends: Ends, noise: float) -> str | None:
        for s, a in zip(self.sought, arrays, strict=True):
            if _has_sign(a, s.strict, ends, noise):
                return s.entry
        return None

    def _confirmed(self, entries: Sequence[str]) -> bool:
        """The same walk in whole numbers."""
        stack = [(self.whole, self.ends)]
        for entry in entries:
            arrays, ends = stack.pop()
            if entry in self.names:
                k = self.names.index(entry)
                for upper in (1, 0):
                    halves = [_along(_halving(a.shape[k] - 1)[upper], a, k) for a in arrays]
                    stack.append((halves, _half(ends, k, upper)))
                continue
            at = next(i for i, s in enumerate(self.sought) if s.entry == entry)
            if not _has_sign(arrays[at], self.sought[at].strict, ends):
                return False
        return True


def _towards(place: Place, corner: Sequence[Any]) -> Place:
    """The sides of a box, each from the corner on."""
    return tuple((side[at], side[1 - at]) for side, at in zip(place, map(int, corner), strict=True))


def _scaled(a: Array) -> Array:
    """In floating point, at most 1 in size."""
    largest = max(1, *(abs(c) for c in a.flat))
    return np.array([float(Fraction(c, largest)) for c in a.flat]).reshape(a.shape)


def _floating(d: int) -> tuple[Array, Array]:
    lower, upper = _halving(d)
    return lower.astype(float) / 2.0**d, upper.astype(float) / 2.0**d


def _corners(a: Array) -> Array:
    """The values at the corners, with two places for each variable."""
    for k in range(a.ndim):
        a = a.take([0, a.shape[k] - 1], axis=k)
    return a


def _steepest(arrays: Sequence[Array]) -> int | None:
    """The variable along which the coefficients differ most."""
    steps = [
        max(float(np.abs(np.diff(a, axis=k)).max()) if a.shape[k] > 1 else 0.0 for a in arrays)
        for k in range(arrays[0].ndim)
    ]
    best = int(np.argmax(steps))
    return best if steps[best] > 0 else None


def by_bernstein(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in several variables, or with hypotheses, on a few boxes."""
    del depth
    return _tried(search, goal, _BOXES)


def by_more_bernstein(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The same on many boxes."""
    del depth
    return _tried(search, goal, _MORE)


def _tried(search: ProofSearch, goal: Goal, boxes: int) -> Node | None:
    if (len(goal.variables) < 2 and not goal.known) or not is_polynomial(goal):
        return None
    node: Node | None = search.once(_bernstein, search, goal, boxes, _TWO_SIDED, key=(goal.key, boxes))
    return node


def _bernstein(search: ProofSearch, goal: Goal, boxes: int, splits: int) -> Node | None:
    sought = _sought(goal)
    names = sorted({name for _, used in sought for name in used})
    ranges = [goal.ranges[name] for name in names]
    wide = next((n for n, r in zip(names, ranges, strict=True) if r.lower is None and r.upper is None), None)
    if wide is not None:
        return _in_two(search, goal, wide, boxes, splits)
    symbols = [goal.symbols[name] for name in names]
    written = [_Sought(entry, strict, powers_of(e, symbols) or {}) for (entry, strict, e), _ in sought]
    if not names or any(r.lower == r.upper for r in ranges) or not all(s.powers for s in written):
        return None
    if any(prod(max(m[k] for m in s.powers) + 1 for k in range(len(names))) > _CELLS for s in written):
        return None
    entries = _Halving(written, names, ranges).found(boxes, lambda place: _fails(search, goal, names, place))
    return None if entries is None else {"by": "bernstein", "halves": entries}


def _fails(search: ProofSearch, goal: Goal, names: Sequence[str], place: Place) -> bool:
    """Whether the goal certainly fails at a corner of a box, or next to it."""
    for step in _STEPS:
        at = {
            name: _within(goal.ranges[name], a + (b - a) * step)
            for name, (a, b) in zip(names, place, strict=True)
        }
        value = at_point(goal.expression, {n: x for n, x in at.items() if x is not None})
        if None in at.values() or value is None or not value < 0:
            continue
        point = {n: x for n, x in at.items() if x is not None}
        if all(x in goal.ranges[n] for n, x in point.items()) and all(holds_at(h, point) for h in goal.known):
            search.work.suspects.append(point)
            search.refuted.add(goal.key)
            return True
    return False


def _within(r: Range, t: Fraction) -> Fraction | None:
    """The number of a range that t in [0, 1] stands for."""
    if r.lower is not None and r.upper is not None:
        return r.lower + (r.upper - r.lower) * t
    if t == 1:
        return None
    return r.lower + t / (1 - t) if r.lower is not None else (r.upper or Fraction(0)) - t / (1 - t)


def _in_two(search: ProofSearch, goal: Goal, name: str, boxes: int, splits: int) -> Node | None:
    """On both sides of 0."""
    parts: list[Node] = []
    for half in halved(goal.ranges[name], Fraction(0)) if splits else ():
        part = _bernstein(search, goal.on(name, half), boxes, splits - 1)
        if part is None:
            return None
        parts.append({**part, "goal": goal.on(name, half)})
    return {"by": "split", "variable": name, "at": "0", "parts": parts} if parts else None


def _sought(goal: Goal) -> list[tuple[tuple[str, bool, Any], Iterable[str]]]:
    """What would show a box: the goal, or a polynomial hypothesis that fails; with the variables it has."""
    found: list[tuple[str, bool, Any]] = [("", goal.strict, goal.expression)]
    for index, h in enumerate(goal.given):
        if h is not None:
            gap, strict = h.left - h.right, h.relation != "<"
            found.append((f"-{index}", strict, gap))
            if h.relation == "==":
                found.append((f"+{index}", strict, -gap))
    with_names: list[tuple[tuple[str, bool, Any], Iterable[str]]] = []
    for entry, strict, e in found:
        part = goal.about(e)
        if is_polynomial(part) and set(part.variables) <= set(goal.ranges):
            with_names.append(((entry, strict, e), part.variables))
    return with_names
