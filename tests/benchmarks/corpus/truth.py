r"""Is the corpus right about itself?  Numerically, in mpmath, sharing no code with the prover.

A formula is compiled to Python twice: over doubles, to look for where an inequality is tightest, and over
mpmath with 120 digits and more, to judge.  The *gap* of ``left <= right`` is

.. math:: \frac{\text{right} - \text{left}}{1 + |\text{left}| + |\text{right}|}.

Points are drawn from the ranges (uniformly, near the ends, and over many magnitudes); hypotheses are met by
drawing again, equations among them by solving for some of the variables.  A true entry is *contradicted* by a
point of its domain with a negative gap (or a gap of 0, where the inequality is strict); a false one has a
witness, at which it must fail.  That no point is found proves nothing: what makes an entry true is its
source.

``python -m tests.benchmarks.corpus.truth [LABEL]`` looks long, and downhill from the tightest points.
"""

from __future__ import annotations

import ast
import contextlib
import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from mpmath import mp

from tests.benchmarks.corpus.entries import Entry, chosen
from verify.progress import ProgressLine
from verify.streams import writing

Point = dict[str, Any]
Formula = Callable[[Mapping[str, Any]], Any]

_DIGITS = (120, 1_000, 6_000)  # tried in turn where a gap may be 0: exp(-10**4) needs the last
_CLEAR = 1e-6  # of a gap that doubles see well enough
_TRIES = 100  # draws for each point that is wanted
_EQUATIONS = (
    4  # of so many points that are wanted one is tried where equations have to be solved, which is slow
)
_NO_VALUE = (ArithmeticError, ValueError, TypeError, OverflowError)
_FUNCTIONS = ("exp", "log", "sqrt", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf")
_OPPOSITE = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=="}
_fraction = cache(Fraction)
_DOUBLES: dict[str, Any] = {
    **{name: getattr(math, name) for name in _FUNCTIONS},
    "loggamma": math.lgamma,
    "abs": abs,
    "max": max,
    "min": min,
    "pi": math.pi,
    "E": math.e,
    "number": cache(lambda text: float(Fraction(text))),
}
_DIGITAL: dict[str, Any] = {
    **{name: getattr(mp, name) for name in _FUNCTIONS},
    "loggamma": mp.loggamma,
    "abs": abs,
    "max": max,
    "min": min,
    "pi": mp.pi,
    "E": mp.e,
    "number": lambda text: mp.mpf(_fraction(text).numerator) / _fraction(text).denominator,
}


class _Numbers(ast.NodeTransformer):
    """Every number becomes ``number('its text')``: exact, whatever the arithmetic."""

    def __init__(self, source: str) -> None:
        self._source = source

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        text = ast.get_source_segment(self._source, node) or repr(node.value)
        call = ast.Call(ast.Name("number", ast.Load()), [ast.Constant(text)], [])
        return ast.copy_location(call, node)


def _compiled(tree: ast.expr, source: str, names: Mapping[str, Any]) -> Formula:
    body = ast.fix_missing_locations(ast.Expression(_Numbers(source).visit(tree)))
    code = compile(body, "<corpus>", "eval")
    space = {"__builtins__": {}, **names}
    return lambda point: eval(code, space, dict(point))


@dataclass(frozen=True)
class Comparison:
    """``left relation right``, in doubles and in digits."""

    text: str
    relation: str
    exact: tuple[Formula, Formula]
    rough: tuple[Formula, Formula]
    names: frozenset[str]

    @staticmethod
    def all_of(text: str) -> list[Comparison]:
        """Those of a chain."""
        tree = ast.parse(text, mode="eval").body
        assert isinstance(tree, ast.Compare), text
        terms, found = [tree.left, *tree.comparators], []
        for left, op, right in zip(terms, tree.ops, terms[1:], strict=False):
            sides = [ast.get_source_segment(text, side) or "" for side in (left, right)]
            made = [
                tuple(_compiled(ast.parse(s, mode="eval").body, s, space) for s in sides)
                for space in (_DIGITAL, _DOUBLES)
            ]
            names = {n.id for s in (left, right) for n in ast.walk(s) if isinstance(n, ast.Name)}
            known = names - set(_DOUBLES)
            relation = _OPPOSITE[type(op)]
            found.append(
                Comparison(" ".join((sides[0], relation, sides[1])), relation, *made, frozenset(known))
            )
        return found

    def gap(self, point: Point, *, rough: bool = False) -> Any:
        """How far the relation is from failing, negative where it fails; an error where it has no value."""
        left, right = (side(point) for side in (self.rough if rough else self.exact))
        if isinstance(left, complex | mp.mpc) or isinstance(right, complex | mp.mpc):
            raise ValueError("not real")
        difference = (right - left) / (1 + abs(left) + abs(right))
        if difference != difference:
            raise ValueError("no number")
        if self.relation == "==":
            return -abs(difference)
        return difference if self.relation in ("<=", "<") else -difference

    @property
    def strict(self) -> bool:
        """Whether equality is excluded."""
        return self.relation in ("<", ">")

    def holds(self, point: Point) -> bool:
        """Whether it holds, to within the digits; a strict one is looked at closely where it is tight."""
        solved = any(isinstance(value, mp.mpf) for value in point.values())
        for digits in _DIGITS:
            with mp.workdps(digits):
                gap = self.gap({name: _digital(value) for name, value in point.items()})
                if abs(gap) > mp.mpf(10) ** (-3 * digits // 4):
                    return bool(gap > 0)
            if not self.strict or solved:
                break
        return not self.strict


class Region:
    """The points of an entry's domain."""

    def __init__(self, entry: Entry) -> None:
        self._given = [part for text in entry.domain for part in Comparison.all_of(text)]
        self.claim = Comparison.all_of(entry.says)[0]
        self.names = sorted(self.claim.names.union(entry.reals.split(), *(h.names for h in self._given)))
        self._equations = [h for h in self._given if h.relation == "=="]
        self._ends: dict[str, list[float]] = {name: [-math.inf, math.inf] for name in self.names}
        for h in self._given:
            self._narrow(h)

    def _narrow(self, h: Comparison) -> None:
        """A comparison that is linear in its only variable is an end of the range of that."""
        if len(h.names) != 1:
            return
        (name,) = h.names
        at = [h.rough[1]({name: x}) - h.rough[0]({name: x}) for x in (1.0, 2.0, 4.0)]
        slope = at[1] - at[0]
        if slope == 0 or abs(at[2] - at[1] - 2 * slope) > 1e-9:
            return
        root = 1.0 - at[0] / slope
        upper = (slope < 0) == (h.relation in ("<=", "<"))
        if h.relation == "==":
            self._ends[name] = [root, root]
        elif upper:
            self._ends[name][1] = min(self._ends[name][1], root)
        else:
            self._ends[name][0] = max(self._ends[name][0], root)

    def has(self, point: Point) -> bool:
        """Whether the point satisfies every condition, judged in digits."""
        try:
            return all(h.holds(point) for h in self._given)
        except _NO_VALUE:
            return False

    def _roughly(self, point: Point) -> bool:
        try:
            gaps = [h.gap(point, rough=True) for h in self._given if h.relation != "=="]
        except _NO_VALUE:
            return False
        return all(gap >= 0 for gap in gaps)

    def draw(self, rng: random.Random) -> Point | None:
        """A point, or nothing if the draw misses the domain."""
        point: Point = {name: _number(self._ends[name], rng) for name in self.names}
        if self._equations:
            return self._solved(point, rng)
        return point if self._roughly(point) else None

    def _solved(self, point: Point, rng: random.Random) -> Point | None:
        """The point moved in some variables so that the equations hold."""
        free = [name for name in self.names if any(name in h.names for h in self._equations)]
        moved = rng.sample(free, len(self._equations))
        rest = {name: mp.mpf(value) for name, value in point.items() if name not in moved}

        def residues(*values: Any) -> Any:
            at = {**rest, **dict(zip(moved, values, strict=True))}
            found = [h.exact[1](at) - h.exact[0](at) for h in self._equations]
            return found if len(found) > 1 else found[0]  # the method for one is much faster

        try:
            found = [point[name] for name in moved]
            for digits in (15, _DIGITS[0]):
                with mp.workdps(digits):
                    root = mp.findroot(residues, found if len(found) > 1 else found[0], maxsteps=20)
                    found = list(root) if isinstance(root, mp.matrix) else [root]
        except (*_NO_VALUE, ZeroDivisionError):
            return None
        whole = {**rest, **dict(zip(moved, found, strict=True))}
        return whole if not any(isinstance(v, mp.mpc) for v in found) and self.has(whole) else None

    def points(self, count: int, rng: random.Random) -> Iterator[Point]:
        """So many points of the domain, or fewer if it is hard to meet."""
        found = 0
        for _ in range(count // _EQUATIONS if self._equations else count * _TRIES):
            if found == count:
                return
            if (point := self.draw(rng)) is not None:
                found += 1
                yield point

    def downhill(self, start: Point, rng: random.Random, steps: int) -> Point:
        """From a point to one where the claim is tighter, by random steps that shrink."""
        best, value = start, self._tightness(start)
        size = 1.0
        for _ in range(steps):
            if self._equations:
                near = {n: float(v) + rng.gauss(0, 1) * size * (0.1 + abs(float(v))) for n, v in best.items()}
                moved = self._solved(near, rng)
            else:
                changed = rng.sample(self.names, rng.randint(1, len(self.names)))
                moved = {
                    n: v + (rng.gauss(0, size) * (0.1 + abs(v)) if n in changed else 0)
                    for n, v in best.items()
                }
                moved = moved if self._roughly(moved) else None
            tight = math.inf if moved is None else self._tightness(moved)
            if moved is not None and tight < value:
                best, value = moved, tight
            else:
                size = max(size * 0.97, 1e-9)
        return best

    def _tightness(self, point: Point) -> float:
        with contextlib.suppress(*_NO_VALUE):
            return float(self.claim.gap(point, rough=not self._equations))
        return math.inf


def _digital(value: Any) -> Any:
    """The number, to the digits that are set."""
    exact = value if isinstance(value, Fraction | mp.mpf) else Fraction(value)
    return exact if isinstance(exact, mp.mpf) else mp.mpf(exact.numerator) / exact.denominator


def _number(ends: Sequence[float], rng: random.Random) -> float:
    low, high = ends
    if low == high:
        return low
    if math.isfinite(low) and math.isfinite(high):
        at = rng.choice((rng.random(), rng.random() ** 6, 1 - rng.random() ** 6))
        return min(max(low + (high - low) * at, low), high)
    size = rng.choice((rng.expovariate(1), 10 ** rng.uniform(-4, 4), rng.uniform(0, 5)))
    if math.isfinite(low):
        return low + size
    return high - size if math.isfinite(high) else size * rng.choice((-1, 1))


def contradiction(entry: Entry, count: int, seed: int = 0, steps: int = 0) -> str | None:
    """What speaks against the entry: a point that contradicts it, a bad witness, no point at all."""
    with mp.workdps(_DIGITS[0]):
        region, rng = Region(entry), random.Random(f"{entry.label} {seed}")
        if not entry.truth:
            return _not_refuted(entry, region)
        points = list(region.points(count, rng))
        if not points:
            return "no point of the domain was found"
        if steps:
            points.sort(key=region._tightness)
            points += [region.downhill(point, rng, steps) for point in points[:5]]
        return next((f"fails at {_shown(point)}" for point in points if _fails(region, point)), None)


def _fails(region: Region, point: Point) -> bool:
    with contextlib.suppress(*_NO_VALUE):
        if region._tightness(point) > _CLEAR:
            return False
        return region.has(point) and not region.claim.holds(point)
    return False  # no value: where a formula has none, it says nothing


def _not_refuted(entry: Entry, region: Region) -> str | None:
    point = dict(entry.witness)
    if set(point) != set(region.names):
        return f"the witness names {', '.join(sorted(point))}, the entry {', '.join(region.names)}"
    if not region.has(point):
        return "the witness is not in the domain"
    return "holds at its witness" if region.claim.holds(point) else None


def _shown(point: Point) -> str:
    return ", ".join(f"{name} = {mp.nstr(_digital(value), 20)}" for name, value in point.items())


@writing("python -m tests.benchmarks.corpus.truth")
def main() -> int:
    """Look long at every entry, or at those that the only argument names; status 1 if one is contradicted."""
    bad, entries = 0, chosen(label=sys.argv[1] if len(sys.argv) > 1 else None)
    with ProgressLine("truth") as progress:
        for number, entry in enumerate(entries):
            progress(number / len(entries))
            if (why := contradiction(entry, 600, seed=1, steps=400)) is not None:
                bad += 1
                print(f"{entry.label}: {entry.says}: {why}", flush=True)
    print(f"{bad} of {len(entries)} entries are contradicted")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
