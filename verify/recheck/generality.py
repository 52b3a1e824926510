"""Two rules that change what a goal is about: the signs of an expression, and a variable for an expression.

``signs``.  Let g be defined on all of the box.  At each point g >= 0 or g <= 0, so the goal may be shown
once with either hypothesis added; there Abs(g) is g or -g, and of two arguments of Max or Min that differ by
g the one that loses can be left out.  Where g = 0 both parts apply.  Where f is a limit, it
is one of values at points of which each lies on one of the sides.

``compose``.  If f(x) = F(x, g(x)) and the values of g lie in W, then F >= 0 for all x and w in W is enough.
W is what intervals say of g, or a range that the certificate names and whose ends it proves; g may be several
expressions.  What else is true of x and w = g(x), a fact with a proof or an identity, is a new hypothesis.

Both ask more of a point than the goal before (a hypothesis; a limit in more directions), so f has to be
defined at every point wherever that could matter: with hypotheses or integers, and if the goal is strict.
F has to be defined for all w in W in any case, at inner points x: (w - x)/(w - g) is 1 wherever it is
defined if g is another way to write x, and not at w = g.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from verify.recheck.goals import Child, Node, Obligation, field
from verify.recheck.identities import require_same
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.putting import KINKS
from verify.recheck.reading import domain_of, read
from verify.recheck.series import range_of
from verify.recheck.terms import ZERO, Term, mapped, number, rebuilt

_LONG = 2000  # parts of an expression whose sign is asked
_MOST = 40  # new variables and facts about them


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
    """The goal with new variables in the places of expressions, and what is known about them."""
    parts = node.get("variables", [node])
    facts = node.get("facts", [])
    if not (isinstance(parts, list) and isinstance(facts, list) and len(parts) + len(facts) <= _MOST):
        raise UnknownError(f"'variables' and 'facts' are not lists of at most {_MOST} entries")
    new = [_new(part, goal) for part in parts]
    inner = {name: g for name, g, _, _ in new}
    if len(inner) < len(new):
        raise UnknownError("two new variables have one name")
    names = {*goal.box, *inner}
    outer = read(field(node, "expression"), names)
    require_same(goal.f, _put(outer, inner), goal.box, "the composition")
    # Putting g in may cancel a divisor that is 0 there: F has to be defined at every (x, g(x)) that counts.
    ranges = {name: stated for name, _, stated, _ in new}
    range_of(outer, {**(goal.box if goal.thin or goal.strict else _inside(goal)), **ranges})
    aside = replace(goal, held=True)  # the values have to respect what is said of them at every single point
    children: list[Child] = []
    for k, (part, (_, g, stated, values)) in enumerate(zip(parts, new, strict=True)):
        path = f"variables[{k}]." if part is not node else ""
        children += [(path + end, proof, show) for end, proof, show in _ends(part, g, stated, values, aside)]
    given = list(goal.given)
    for k, fact in enumerate(facts):
        e, relation = read(field(fact, "expression"), names), field(fact, "relation")
        range_of(e, {**goal.box, **ranges})
        children += _fact(fact, relation, f"facts[{k}]", aside.about(_put(e, inner)))
        given.append((e, relation))
    held = goal.thin or goal.strict or bool(facts)
    over = replace(goal, f=outer, box={**goal.box, **ranges}, given=tuple(given), held=held)
    return [*children, ("proof", field(node, "proof"), over)]


def _new(part: Any, goal: Obligation) -> tuple[str, Term, Interval, Interval]:
    """A new variable: its name, what it stands for, the range that is said of it, and what intervals say."""
    if not isinstance(part, Mapping):
        raise UnknownError("a variable is no object")
    name, inner = field(part, "variable"), read(field(part, "inner"), goal.box)
    known = goal.f.names.union(goal.box, *(h[0].names for h in goal.given if h is not None))
    if not isinstance(name, str) or not name.isidentifier() or name in known:
        raise UnknownError(f"{name!r} is not the name of a new variable")
    box = goal.box if goal.thin or goal.strict or _defined(inner, goal) else _inside(goal)
    values = range_of(inner, box)  # raises where it may be undefined
    return name, inner, _stated(part["range"], name) if "range" in part else values, values


def _fact(fact: Mapping[str, Any], relation: Any, path: str, goal: Obligation) -> Iterator[Child]:
    """What has to be shown for something that is said of the new variables: it is 0, or has a proof."""
    if relation == "==":
        require_same(goal.f, ZERO, goal.box, "an equation between new variables")
    elif relation in ("<", "<="):
        yield path, field(fact, "proof"), replace(goal, strict=relation == "<")
    else:
        raise UnknownError(f"{relation!r} is not <, <= or ==")


def _put(outer: Term, inner: Mapping[str, Term]) -> Term:
    return mapped(outer, lambda e: inner.get(e.name, e) if e.name else e)


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
    if stated.low != -INF:
        yield "lower", field(node, "lower"), goal.about(inner - number(stated.low), stated.low_open)
    if stated.high != INF:
        yield "upper", field(node, "upper"), goal.about(number(stated.high) - inner, stated.high_open)
