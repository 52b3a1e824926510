"""Rules with derivatives: slopes from an end, minima that touch zero; see ``docs/proofs.md``.

Followed along one variable, a differentiable function is at least its value (or limit) at an end where
its slope points away from it, and at least 0 if it touches 0 with its slope, somewhere in the range, and
its second derivative is not negative.  Poles and kinks inside the range are excluded by intervals: 1/x falls
on either side of 0 and yet is not above its value at 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.expressions import attempt, length
from verify.provers.goals import Goal, Node, halved
from verify.provers.points import Point, at_point
from verify.provers.proof.algebra import factorisations
from verify.provers.proof.state import (
    ProofSearch,
    Prove,
    algebra,
    differentiated,
    fat,
    inside,
    limit_of,
    loose,
    proper,
    smooth,
    tame,
    value_at,
)
from verify.provers.ranges import opened

_BIG, _SMALL = 640, 50  # operations: a longer slope is not followed, or not factored to find its zeros
_SIMPLE = [Fraction(x) for x in ("0", "1", "1/2", "-1", "2", "3", "4", "1/3", "1/4")]  # frequent minima
_ORDERS = 6  # of a contact


def by_monotone(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Start at an end of a variable's range, where the goal holds, and follow the sign of the slope."""
    if depth < 1:
        return None
    options = []
    for name in goal.variables:
        if not fat(goal, [name]):
            continue
        along = goal.leaving(name)
        slope = search.derivative(goal.expression, along, name)
        if slope is None or slope == 0 or length(slope) > _BIG:
            continue
        for lower in (True, False):
            way = along.about(slope if lower else -slope, strict=False)
            if search.plausible(way):
                end = goal.ranges[name].lower if lower else goal.ranges[name].upper
                options.append((end is None, length(goal.expression), name, not lower, along, way))

    def below(child: Goal) -> Node | None:
        return search.prove(child, depth - 1)

    def on_way(child: Goal) -> Node | None:
        node = below(child)
        return as_written(child, node) if goal.expression.has(sympy.erf) else node

    for _, _, name, upper, along, way in sorted(options, key=lambda option: option[:4]):
        node = followed(along, way, name, not upper, below, on_way, search)
        if node is not None:
            return node
    return None


def as_written(goal: Goal, node: Node | None) -> Node | None:
    """An interval of the slope as it is written here, where roots of numbers cancel already."""
    if node is None or node["by"] != "range":
        return node
    return {"by": "rewrite", "expression": text_of(goal.expression), "proof": node}


def followed(
    goal: Goal,
    way: Goal,
    name: str,
    lower: bool,
    at_end: Prove,
    on_way: Prove,
    limits: ProofSearch | None = None,
) -> Node | None:
    """The rule ``monotone`` from one end, its slope being ``way``; towards a limit only in a search."""
    if not (smooth(goal.expression, goal, name) and smooth(way.expression, goal, name)):
        return None
    value = value_at(goal, name, lower)
    if value is None and limits is not None:
        value, way = limit_of(limits, goal, name, lower), replace(way, given=())
    if value is None:
        return None
    rest = {n: r for n, r in goal.ranges.items() if n != name}
    r = goal.ranges[name]
    may_move = goal.strict and (r.lower is None or r.lower_open if lower else r.upper is None or r.upper_open)
    for strict_by in ("end", "slope") if may_move else ("end",):
        end_strict = goal.strict and strict_by == "end"
        end = at_end(replace(goal, expression=value, strict=end_strict, ranges=rest))
        if end is None:
            continue
        slope = on_way(replace(way, strict=goal.strict and strict_by == "slope"))
        if slope is None:
            continue
        return {
            "by": "monotone",
            "variable": name,
            "from": "lower" if lower else "upper",
            "value": text_of(value),
            "end": end,
            "slope": slope,
            **({"strict_by": strict_by} if goal.strict else {}),
        }
    return None


def by_concave(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Between two ends at which the goal holds, it bends downward."""
    if depth < 1:
        return None
    for name in goal.variables:
        r, along = goal.ranges[name], goal.leaving(name)
        values = [value_at(along, name, lower) for lower in (True, False)] if r.bounded else [None]
        slope = (
            search.derivative(goal.expression, along, name)
            if None not in values and fat(goal, [name])
            else None
        )
        curve = None if slope is None else search.derivative(slope, along, name)
        if curve is None or length(curve) > _BIG or not all(smooth(e, along, name) for e in (slope, curve)):
            continue
        loosened = goal.strict and (r.lower_open or r.upper_open)
        bend = search.prove(along.about(-curve, strict=loosened), depth - 1)
        node: Node = {"by": "concave", "variable": name, **({"strict_by": "curve"} if loosened else {})}
        rest = replace(along, ranges={n: other for n, other in goal.ranges.items() if n != name})
        for key, value, is_open in zip(("lower", "upper"), values, (r.lower_open, r.upper_open), strict=True):
            strict = goal.strict and not (loosened and is_open)
            end = None if bend is None else search.prove(rest.about(value, strict=strict), depth - 1)
            if end is None:
                break
            node[key] = end
        else:
            return {**node, "curve": bend}
    return None


@dataclass(frozen=True)
class Contact:
    """A place ``variable = at`` where the expression and its derivatives below the last one vanish."""

    variable: str
    at: Any  # SymPy, in the other variables
    derivatives: tuple[Any, ...]  # the expression first

    @property
    def order(self) -> int:
        """Of the last derivative."""
        return len(self.derivatives) - 1

    def sign(self, goal: Goal) -> int:
        """σ of the rule ``contact``, or 0 if it does not apply to the goal's box."""
        r = goal.ranges[self.variable]
        lower, upper = self.at == r.lower, self.at == r.upper
        excluded = (lower and r.lower_open) or (upper and r.upper_open)
        if goal.strict and not excluded:
            return 0
        sign = 1 if self.order % 2 == 0 or lower else -1 if upper else 0
        return sign if sign and inside(self.at, goal, self.variable, strictly=False) else 0


def contacts(search: ProofSearch, goal: Goal, name: str, at: Any) -> Iterator[Contact]:
    """One for every order up to which the derivatives vanish at ``name = at``."""
    along, symbol = goal.leaving(name), goal.symbols[name]
    found = [goal.expression]
    while len(found) <= _ORDERS and length(found[-1]) <= _BIG:
        value = attempt(found[-1].xreplace, {symbol: at})
        if value is None or not search.vanishes(value, along):
            return
        slope = search.derivative(found[-1], along, name)
        if slope is None:
            return
        found.append(slope)
        yield Contact(name, at, tuple(found))


def touched(goal: Goal, contact: Contact, prove: Prove) -> Node | None:
    """The rule ``contact``, if it applies to this box and ``prove`` shows the sign of the derivative."""
    name = contact.variable
    along, sign = goal.leaving(name), contact.sign(goal)
    if sign == 0:
        return None
    ends = not inside(contact.at, along, name, strictly=True)
    if not all(smooth(e, along, name, ends=ends) for e in contact.derivatives):
        return None
    proof = prove(along.about(sign * contact.derivatives[-1]))
    if proof is None:
        return None
    return {
        "by": "contact",
        "variable": name,
        "at": text_of(contact.at),
        "order": contact.order,
        "proof": proof,
    }


def by_contact(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The expression touches zero inside the range, and a derivative of even order is not negative."""
    if depth < 1 or goal.strict:
        return None
    for name in goal.variables:
        for at in touching(search, goal, name) if fat(goal, [name]) else ():
            node = _touched_at(search, goal, name, at, depth)
            if node is not None:
                return node
    return None


def _touched_at(search: ProofSearch, goal: Goal, name: str, at: Any, depth: int) -> Node | None:
    for contact in contacts(search, goal, name, at):
        if contact.order % 2:
            continue
        # A derivative that is negative somewhere settles it: those of higher order cannot help.
        if not search.plausible(goal.leaving(name).about(contact.derivatives[-1])):
            return None
        node = touched(goal, contact, lambda child: search.prove(child, depth - 1))
        if node is not None or contact.order == 4:
            return node
    return None


def by_minimum(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The value at a critical point, and what is above it, which touches zero there."""
    if depth < 1:
        return None
    for name in goal.variables if fat(goal) else []:
        for at in critical(search, goal, name):
            value = goal.expression.xreplace({goal.symbols[name]: at})
            above = goal.leaving(name).about(goal.expression - value, strict=False)
            if search.vanishes(value, goal.leaving(name)):
                node = None if goal.strict else _touched_at(search, goal, name, at, depth)
                if node is not None:
                    return node
                continue
            if not search.plausible(above) or not (loose(goal) or tame(goal, value, above.expression)):
                continue
            least = search.prove(goal.leaving(name).about(value), depth - 1)
            rise = None if least is None else _touched_at(search, above, name, at, depth)
            if rise is not None:
                parts = [
                    {"expression": text_of(value), "proof": least},
                    {"expression": text_of(above.expression), "proof": rise},
                ]
                return {"by": "sum", "terms": parts, **({"strict_term": 0} if goal.strict else {})}
    return None


def critical(search: ProofSearch, goal: Goal, name: str) -> list[Any]:
    """Where the slope along a variable vanishes, inside its range."""
    found: list[Any] = search.once(_critical, goal, name, key=(goal.key, name))
    return found


def _critical(goal: Goal, name: str) -> list[Any]:
    symbol = goal.symbols[name]
    slope = differentiated(sympy.sympify(goal.expression), symbol)
    if slope is None or not slope.has(symbol):
        return []
    found = []
    small = length(slope) <= _SMALL
    for factor in [slope, *(f for factors in (factorisations(slope) if small else []) for f in factors)]:
        at = attempt(solved, factor, symbol)
        if at is not None and proper(at) and at not in found and inside(at, goal, name, strictly=False):
            found.append(at)
    return found


def solved(e: Any, symbol: Any) -> Any:
    """The solution of ``e = 0`` where the symbol occurs once, by inverting one operation after another."""
    value = sympy.Integer(0)
    while e != symbol:
        inner = [a for a in e.args if a.has(symbol)]
        if len(inner) != 1:
            return None
        if e.is_Add:
            value = value - (e - inner[0])
        elif e.is_Mul:
            value = value / (e / inner[0])
        elif isinstance(e, sympy.exp):
            value = sympy.log(value)
        elif isinstance(e, sympy.log):
            value = sympy.exp(value)
        elif e.is_Pow and inner[0] == e.base:
            value = value ** (1 / e.exp)
        else:
            return None
        e = inner[0]
    simple = algebra(sympy.simplify, value) if length(value) <= 20 else None
    return value if simple is None else simple


def touching(search: ProofSearch, goal: Goal, name: str) -> list[Any]:
    """Where along a variable the expression may touch zero: another variable, or a simple number."""
    found: list[Any] = search.once(_touching, search, goal, name, key=(goal.key, name))
    return found


def _touching(search: ProofSearch, goal: Goal, name: str) -> list[Any]:
    r, symbol = goal.ranges[name], goal.symbols[name]
    candidates: list[Any] = [sympy.Rational(x) for x in _SIMPLE if x in opened(r)]
    others = [goal.symbols[other] for other in goal.variables if other != name]
    candidates += [other for other in others if inside(other, goal, name, strictly=False)]
    found = []
    sample = search.points(goal)[:1]
    for at in candidates:
        if any(_away(goal.expression, {**point, name: _number(at, point)}) for point in sample):
            continue
        value = attempt(goal.expression.xreplace, {symbol: at})
        if value is not None and search.vanishes(value, goal.leaving(name)):
            found.append(at)
    return found


def _number(at: Any, point: Point) -> Fraction:
    return point[at.name] if at.is_Symbol else Fraction(int(at.p), int(at.q))


def _away(expression: Any, point: Point) -> bool:
    """Whether the expression is certainly not zero at a point: cheaper than to ask SymPy."""
    value = at_point(expression, point)
    return value is not None and not value.contains(0)


def by_split(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The expression touches zero at a number: prove the goal on either side of it."""
    if depth < 2:
        return None
    for name in goal.variables:
        for at in touching(search, goal, name) if fat(goal, [name]) else []:
            if not at.is_Rational:
                continue
            cut, r = Fraction(int(at.p), int(at.q)), goal.ranges[name]
            parts = []
            for half in halved(r, cut):
                part = search.prove(goal.on(name, half), depth - 1)
                if part is None:
                    break
                parts.append(part)
            if len(parts) == 2:
                return {"by": "split", "variable": name, "at": str(cut), "parts": parts}
    return None
