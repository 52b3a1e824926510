"""The rule ``bernstein`` as steps in Coq: the polynomials in whole numbers, the box, and where it is cut.

The coefficients in the basis of Bernstein are not written: Coq computes them (``Boxes.v``).  A variable x
whose ends and cuts have the common denominator D stands as X = D x, so that all of them are whole, and a
polynomial f as K f with whole coefficients in X.  What is cut in the certificate is t in [0, 1], with
x = a + (b-a) t on a range and x = a ± t/(1-t) on a half-line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import Any

from verify.coq.sequents import Lines, Node, Sequent, absurd, at_numbers, block, empty_goal, field
from verify.coq.text import NotExportedError, variable_name
from verify.recheck.bernstein import polynomial
from verify.recheck.intervals import INF, Interval
from verify.recheck.series import Box
from verify.recheck.terms import Term

_MOST = 20_000  # parts of a box

Leaf = str  # "" for the goal, "-k" or "+k" for a hypothesis that fails


@dataclass(frozen=True)
class _Cut:
    """A range cut at a point; the parts as x grows."""

    name: str
    at: Fraction
    below: _Cut | Leaf
    above: _Cut | Leaf

    def cuts(self) -> Iterator[_Cut]:
        """All of them: the outermost first."""
        yield self
        for part in (self.below, self.above):
            if isinstance(part, _Cut):
                yield from part.cuts()


def bernstein(node: Node, goal: Sequent) -> Lines:
    """The box in parts, and on each the sign of the goal or of a hypothesis that fails."""
    lines, goal, _ = at_numbers(goal)
    entries = field(node, "halves")
    if not isinstance(entries, list) or len(entries) > _MOST:
        raise NotExportedError("a box in too many parts, or in none")
    leaves = list(dict.fromkeys(entry for entry in entries if entry not in goal.box))
    targets = [_target(leaf, goal) for leaf in leaves]
    names = sorted(frozenset[str]().union(*(one.f.names for one in targets)))
    if any(entry in goal.box and entry not in names for entry in entries):
        raise NotExportedError("a cut of a range that no polynomial is about")
    if any(x.low == -INF and x.high == INF for x in (goal.box[n] for n in names)):
        raise NotExportedError("a polynomial on a range without ends")
    walk = _walk(
        iter(entries), {n: goal.box[n] for n in names}, dict.fromkeys(names, (Fraction(0), Fraction(1)))
    )
    cuts = [*walk.cuts()] if isinstance(walk, _Cut) else []
    scale = {n: _denominator(n, goal.box[n], cuts) for n in names}
    signs = [_whole(one.f, names, scale) for one in targets]
    polynomials = "; ".join(
        f"({str(one.strict).lower()}, {text})" for one, (_, text) in zip(targets, signs, strict=True)
    )
    points = "; ".join(f"{scale[n]} * {variable_name(n)}".removeprefix("1 * ") for n in names)
    lines += [
        f"on_parts {len(names)}%nat [{polynomials}]%Z",
        f"  [{'; '.join(_side(goal.box[n], scale[n]) for n in names)}] [{points}]",
        f"  ({_written(walk, names, scale, leaves)}).",
    ]
    for leaf, target, (factor, _) in zip(leaves, targets, signs, strict=True):
        here = [f"apply (scaled{target.mode} _ ({factor}) _ Sign); [lra | written; balance]."]
        lines += block(absurd(target, here) if leaf else here)
    return lines


def _target(leaf: Any, goal: Sequent) -> Sequent:
    """What has a sign there."""
    if leaf == "":
        return goal
    if not isinstance(leaf, str) or leaf[:1] not in ("+", "-") or not leaf[1:].isdigit():
        raise NotExportedError(f"{leaf!r}, which is neither a variable nor what shows a box")
    return empty_goal(goal, int(leaf[1:]), "-" if leaf[0] == "+" else "+")


def _walk(entries: Iterator[Any], box: Box, parts: Mapping[str, tuple[Fraction, Fraction]]) -> _Cut | Leaf:
    """The parts of the box, read in the order of a walk."""
    entry = next(entries, None)
    if entry is None:
        raise NotExportedError("a box that is not cut to the end")
    if entry not in box:
        return str(entry)
    low, high = parts[entry]
    middle = (low + high) / 2
    first = _walk(entries, box, {**parts, entry: (low, middle)})
    second = _walk(entries, box, {**parts, entry: (middle, high)})
    x = box[entry]
    if x.low > -INF:
        at = x.low + (x.high - x.low) * middle if x.bounded else x.low + middle / (1 - middle)
        return _Cut(entry, Fraction(at), first, second)
    return _Cut(entry, Fraction(x.high - middle / (1 - middle)), second, first)


def _denominator(name: str, x: Interval, cuts: Sequence[_Cut]) -> int:
    ends = [Fraction(end) for end in (x.low, x.high) if abs(end) < INF]
    return lcm(*(at.denominator for at in (*ends, *(cut.at for cut in cuts if cut.name == name))))


def _side(x: Interval, scale: int) -> str:
    low, high = (f"({Fraction(end) * scale})" if abs(end) < INF else "" for end in (x.low, x.high))
    low_open, high_open = str(x.low_open).lower(), str(x.high_open).lower()
    if low and high:
        return f"Within {low} {high} {low_open} {high_open}"
    return f"Above {low} {low_open}" if low else f"Below {high} {high_open}"


def _whole(f: Term, names: list[str], scale: Mapping[str, int]) -> tuple[int, str]:
    """K, and K f with whole coefficients in the scaled variables, as nested lists."""
    sizes = [Fraction(1, scale[n]) for n in names]
    terms = {
        m: c * prod((s**e for s, e in zip(sizes, m, strict=True)), start=Fraction(1))
        for m, c in polynomial(f, names).items()
    }
    factor = lcm(*(c.denominator for c in terms.values())) if terms else 1
    degrees = [max((m[k] for m in terms), default=0) for k in range(len(names))]
    whole = {m: int(terms.get(m, Fraction(0)) * factor) for m in product(*(range(d + 1) for d in degrees))}

    def nested(start: tuple[int, ...]) -> str:
        if len(start) == len(names):
            return str(whole[start])
        return f"[{'; '.join(nested((*start, e)) for e in range(degrees[len(start)] + 1))}]"

    return factor, nested(())


def _written(walk: _Cut | Leaf, names: list[str], scale: Mapping[str, int], leaves: list[Leaf]) -> str:
    if not isinstance(walk, _Cut):
        return f"Here {leaves.index(walk)}"
    parts = " ".join(f"({_written(part, names, scale, leaves)})" for part in (walk.below, walk.above))
    return f"Cut {names.index(walk.name)} ({walk.at * scale[walk.name]}) {parts}"
