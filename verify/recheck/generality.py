"""Two rules that change what a goal is about: the signs of an expression, and a variable for an expression.

``signs``.  Let g be defined on all of the box.  At each point g >= 0 or g <= 0, so the goal may be shown
once with either hypothesis added; there Abs(g) is g or -g, and of two arguments of Max or Min that differ by
g the one that loses can be left out.  Where g = 0 both parts apply.  Where f is a limit, it
is one of values at points of which each lies on one of the sides.

``compose``.  If f(x) = F(x, g(x)) and the values of g lie in W, then F >= 0 for all x and w in W is enough.
W is what intervals say of g, or a range that the certificate names and whose ends it proves.

Both ask more of a point than the goal before (a hypothesis; a limit in more directions), so f has to be
defined at every point wherever that could matter: with hypotheses or integers, and if the goal is strict.
F has to be defined for all w in W in any case, at inner points x: (w - x)/(w - g) is 1 wherever it is
defined if g is another way to write x, and not at w = g.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from verify.recheck.goals import Child, Node, Obligation, field
from verify.recheck.identities import KINKS, require_same
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import domain_of, read
from verify.recheck.series import range_of
from verify.recheck.terms import Term, mapped, number, rebuilt

_LONG = 2000  # parts of an expression whose sign is asked


def by_signs(node: Node, goal: Obligation) -> list[Child]:
    """The goal where the expression is >= 0, and where it is <= 0."""
    g, parts = read(field(node, "expression"), goal.box), field(node, "parts")
    if not isinstance(parts, list) or len(parts) != 2:
        raise UnknownError("'parts' are not two: for >= 0 and for <= 0")
    if g.size > _LONG:
        raise UnknownError("the expression is too long")
    range_of(g, goal.box)  # raises where it may be undefined
    children: list[Child] = []
    held = goal.thin or goal.strict
    for k, side in enumerate((g, -g)):
        here = replace(goal, f=decided(goal.f, side), given=(*goal.given, (side, "<=")), held=held)
        children.append((f"parts[{k}]", parts[k], here))
    return children


def decided(f: Term, g: Term) -> Term:
    """With the kinks that g >= 0 decides taken out."""

    def change(e: Term) -> Term:
        if e.op not in KINKS:
            return e
        if e.op == "Abs":
            (u,) = e.args
            return u if u == g else -u if -u == g else e
        larger = e.op == "Max"
        gone = {(b if larger else a) for a in e.args for b in e.args if a != b and a - b == g}
        kept = tuple(a for a in e.args if a not in gone)
        return rebuilt(e, kept) if kept else e

    return mapped(f, change)


def by_compose(node: Node, goal: Obligation) -> list[Child]:
    """The goal with a new variable in the place of an expression."""
    name, inner = field(node, "variable"), read(field(node, "inner"), goal.box)
    known = goal.f.names.union(goal.box, *(h[0].names for h in goal.given if h is not None))
    if not isinstance(name, str) or not name.isidentifier() or name in known:
        raise UnknownError(f"{name!r} is not the name of a new variable")
    outer = read(field(node, "expression"), {*goal.box, name})
    require_same(goal.f, _put(outer, name, inner), goal.box, "the composition")
    box = goal.box if goal.thin or goal.strict or _defined(inner, goal) else _inside(goal)
    values = range_of(inner, box)  # raises where it may be undefined
    stated = _stated(node.get("range", []), name)
    stated = stated if "range" in node else values
    # Putting g in may cancel a divisor that is 0 there: F has to be defined at every (x, g(x)) that counts.
    range_of(outer, {**(goal.box if goal.thin or goal.strict else _inside(goal)), name: stated})
    children = list(_ends(node, inner, stated, values, goal))
    new = replace(goal, f=outer, box={**goal.box, name: stated}, held=goal.thin or goal.strict)
    return [*children, ("proof", field(node, "proof"), new)]


def _put(outer: Term, name: str, inner: Term) -> Term:
    return mapped(outer, lambda e: inner if e.name == name else e)


def _defined(f: Term, goal: Obligation) -> bool:
    try:
        range_of(f, goal.box)
    except UnknownError:
        return False
    return True


def _inside(goal: Obligation) -> dict[str, Interval]:
    return {n: x.inner() for n, x in goal.box.items()}


def _stated(texts: Any, name: str) -> Interval:
    if not isinstance(texts, list):
        raise UnknownError("'range' is not a list of comparisons")
    ranges, given = domain_of(texts, {name})
    if given:
        raise UnknownError("'range' holds more than comparisons of the new variable with numbers")
    return ranges[name]


def _ends(node: Node, inner: Term, stated: Interval, values: Interval, goal: Obligation) -> Iterator[Child]:
    """The proofs that the values respect the stated ends, where intervals do not show it."""
    if values.within(stated):
        return
    aside = replace(goal, held=True)  # the values have to respect them at every single point
    if stated.low != -INF:
        yield "lower", field(node, "lower"), aside.about(inner - number(stated.low), stated.low_open)
    if stated.high != INF:
        yield "upper", field(node, "upper"), aside.about(number(stated.high) - inner, stated.high_open)
