"""More changes of variables, for goals that nothing else proves: what hypotheses imply, shares, squares.

* *Implied ends.*  0 < x and x < y say that y > 0: the same variables again, with the ranges that follow.
* *Shares.*  0 <= x <= y and y > 0: the share w = x/y is between 0 and 1, and the triangle becomes a box.
* *Squares.*  f depends on a variable by its square only: w = x**2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import Range
from verify.provers.expressions import variables_of
from verify.provers.goals import Goal, mentions
from verify.provers.proof.changes import Change, Kind, cones, scalings, symbol_of, turns
from verify.provers.proof.combining import shown
from verify.provers.proof.state import ProofSearch
from verify.provers.ranges import range_of


def _implied(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Ends of ranges that follow from hypotheses: 0 from below, the ends of other ranges from above."""
    del search
    if not any(len(variables_of(h.right - h.left)) > 1 for h in goal.known):
        return
    found = {f"{n}_": _narrower(goal, n) for n in goal.ranges}
    box = {n: found[f"{n}_"] for n in goal.ranges}
    if box != goal.ranges and range_of(goal.expression, box, finite=True) is not None:
        inner = {f"{n}_": goal.symbols[n] for n in goal.ranges}
        yield Change(inner, {x: symbol_of(new) for new, x in inner.items()}, ranges=found)


def _narrower(goal: Goal, name: str) -> Range:
    """The range of a variable, with the ends that it lacks."""
    x, r = goal.symbols[name], goal.ranges[name]
    highs = sorted({o.upper for o in goal.ranges.values() if o.upper is not None})
    ends = [(Fraction(0), 1)] if r.lower is None or r.lower < 0 else []
    ends += [(end, -1) for end in highs] if r.upper is None else []
    done: set[int] = set()
    for end, side in ends:
        for strict in (True, False) if side not in done else ():
            if shown(goal.about(side * (x - sympy.Rational(end)), strict=strict)) is not None:
                r = r.narrowed((">" if side > 0 else "<") + ("" if strict else "="), end)
                done.add(side)
                break
    return r


def _shares(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """A positive variable and one that is between 0 and it."""
    del search
    symbols = goal.symbols
    for h in goal.known:
        gap = sympy.sympify(h.right - h.left)
        for y in sorted(gap.free_symbols, key=str) if h.relation != "==" else ():
            c = sympy.diff(gap, y)
            x = sympy.expand(y - gap / c) if c.is_positive and not c.free_symbols else y
            if not x.is_Symbol or y == x or not _within(goal.ranges[x.name], goal.ranges[y.name]):
                continue
            new = f"{x.name}_"
            inner = {f"{n}_": symbols[n] for n in goal.ranges} | {new: x / y}
            old = {symbols[n]: symbol_of(f"{n}_") for n in goal.ranges}
            low = goal.ranges[x.name]
            part = Range(Fraction(0), Fraction(1), low.lower == 0 and low.lower_open, h.relation == "<")
            yield Change(inner, {**old, x: old[x] * old[y]}, ranges={new: part}, used=(h,))


def _within(x: Range, y: Range) -> bool:
    """Whether x is not negative, and y positive."""
    if x.lower is None or x.lower < 0 or y.lower is None:
        return False
    return y.lower > 0 or (y.lower == 0 and y.lower_open)


def _squares(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Variables that occur as squares only."""
    del search
    e = sympy.sympify(goal.expression)
    for n in goal.variables:
        x, w = goal.symbols[n], symbol_of(f"{n}_")
        powers = {p: w ** (p.exp / 2) for p in e.atoms(sympy.Pow) if p.base == x and p.exp.is_even}
        plain = e.xreplace(powers)
        if powers and not plain.has(x) and not any(mentions(h, n) for h in goal.known):
            others: dict[Any, Any] = {goal.symbols[m]: symbol_of(f"{m}_") for m in goal.ranges if m != n}
            inner = {new.name: y for y, new in others.items()} | {w.name: x**2}
            yield Change(inner, {e: plain.xreplace(others), **others})


KINDS: tuple[Kind, ...] = (turns, _implied, _shares, cones, scalings, _squares)
