"""Branch and bound: halve the box until a rule closes every part, within a budget.

A box that nothing closes is halved across the variable that contributes most to the width of the
first-order enclosure.  The half with the smaller value at its midpoint comes first: a false goal fails
there.  A box that has become very narrow is given up: f vanishes nearby, and more halving would not end.  The
box given up is the place to look for a contact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy
from flint import arb

from verify.claims import Range
from verify.provers.balls import BITS, ball, evaluate, precision, program
from verify.provers.box.leaves import Look, Work, by_range, ends, impossible, look, midpoint, radius
from verify.provers.box.rules import LONGEST, Contact, by_contact, by_slope, derivative, rearrangeable, smooth
from verify.provers.expressions import attempt, length, put, simpler_forms, variables_of
from verify.provers.goals import Goal, Node, halved

_NARROWEST = Fraction(1, 2**32)  # of the width at the start
_EVERY = 3  # levels of halving, before the dear rules are tried again


@dataclass(frozen=True)
class Hints:
    """Where the expression vanishes: along places of one variable, and at points with its gradient."""

    contacts: tuple[Contact, ...] = ()
    points: tuple[Mapping[str, Fraction], ...] = ()
    slopes: bool = False  # whether to look for monotone variables at the edge


class BranchAndBound:
    """One search; ``limit`` boxes at most, and no more than the budget of the work has left."""

    def __init__(self, goal: Goal, work: Work, limit: int, hints: Hints = Hints()) -> None:  # noqa: B008 - frozen
        self.whole = goal.ranges
        self.goal = goal
        self.work = work
        self.last = min(work.budget, work.boxes + limit)
        self.hints = hints

    def run(self) -> Node | None:
        """A proof, or None; the work then knows the box that could not be closed."""
        unbounded = any(not self.whole[name].bounded for name in variables_of(self.goal.expression))
        if unbounded or self.work.boxes >= self.last:
            return None
        return self._solve(self.goal, 0)

    def _solve(self, goal: Goal, depth: int) -> Node | None:
        if self.work.boxes >= self.last:
            self.work.worst = goal.ranges
            return None
        self.work.boxes += 1
        seen = look(goal, self.work)
        if seen.node is not None:
            return seen.node
        if seen.fails:
            self.work.suspects.append({n: midpoint(r) for n, r in goal.ranges.items() if r.bounded})
            self.work.worst = goal.ranges
            return None
        node = self._special(goal, seen, depth)
        if node is not None:
            return node
        name = self._widest(goal, seen)
        if name is None:
            self.work.worst = goal.ranges
            return None
        return self._halves(goal, name, depth + 1)

    def _special(self, goal: Goal, seen: Look, depth: int) -> Node | None:
        """The rules beyond enclosures."""
        edges = [n for n in variables_of(goal.expression) if self._sides(goal, n)]
        if not seen.defined and (node := by_range(goal)) is not None:
            return node
        if goal.given and (node := impossible(goal, self.work)) is not None:
            return node
        if depth % _EVERY:
            return None
        for contact in self.hints.contacts:
            node = by_contact(goal, contact, self._leaf)
            if node is not None:
                return node
        for point in self.hints.points:
            node = by_hessian(goal, point)
            if node is not None:
                return node
        return self._monotone(goal, edges, defined=seen.defined) if self.hints.slopes else None

    def _monotone(self, goal: Goal, edges: Sequence[str], *, defined: bool = True) -> Node | None:
        """Towards an edge where f may vanish; away from one where it cannot be enclosed."""
        for name in edges:
            sides = self._sides(goal, name) if defined else ("lower", "upper")
            node = by_slope(goal, name, self._leaf, self._face, sides)
            if node is not None:
                return node
        return None

    def _sides(self, goal: Goal, name: str) -> list[str]:
        """The sides on which the box reaches the edge of the whole."""
        r, whole = goal.ranges[name], self.whole[name]
        return [s for s, at in (("lower", r.lower == whole.lower), ("upper", r.upper == whole.upper)) if at]

    def _leaf(self, goal: Goal) -> Node | None:
        """A child that must be closed as it stands, or by one more contact."""
        node = self._plain(goal)
        if node is not None:
            return node
        # The contacts of the child at the ends of the whole box: found once, then looked up.
        whole = replace(goal, ranges={n: self.whole[n] for n in goal.ranges})
        return next((n for c in end_contacts(whole) if (n := by_contact(goal, c, self._plain))), None)

    def _plain(self, goal: Goal) -> Node | None:
        quiet = Work(1, self.work.orders)
        seen = look(goal, quiet)
        return None if seen.fails else seen.node or by_range(goal)

    def _face(self, goal: Goal) -> Node | None:
        """The goal on a face: one dimension less, closed as it stands or by its own monotonicity."""
        node = self._leaf(goal)
        if node is not None:
            return node
        edges = [n for n in variables_of(goal.expression) if self._sides(goal, n)]
        return self._monotone(goal, edges)

    def _widest(self, goal: Goal, seen: Look) -> str | None:
        """The variable to halve across, if any is still wide enough."""
        wide = [
            n
            for n in variables_of(goal.expression)
            if radius(goal.ranges[n]) > _NARROWEST * radius(self.whole[n])
        ]
        if not wide:
            return None
        if all(n in seen.widths and seen.widths[n].is_finite() for n in wide):
            best = wide[0]
            for name in wide[1:]:
                if seen.widths[name] > seen.widths[best]:
                    best = name
            return best
        return max(wide, key=lambda n: radius(goal.ranges[n]) / radius(self.whole[n]))

    def _halves(self, goal: Goal, name: str, depth: int) -> Node | None:
        r, at = goal.ranges[name], midpoint(goal.ranges[name])
        halves = [goal.on(name, half) for half in halved(r, at)]
        first = self._lower_half(halves)
        node = self._solve(halves[first], depth)
        other = None if node is None else self._solve(halves[1 - first], depth)
        if node is None or other is None:
            return None
        parts = [node, other] if first == 0 else [other, node]
        return {"by": "split", "variable": name, "at": str(at), "parts": parts}

    def _lower_half(self, halves: Sequence[Goal]) -> int:
        values = [
            value_at(h.expression, {n: midpoint(h.ranges[n]) for n in variables_of(h.expression)})
            for h in halves
        ]
        return 1 if values[1] < values[0] else 0


def value_at(expression: Any, point: Mapping[str, Fraction]) -> arb:
    """The value at an exact point."""
    return evaluate(expression, point, BITS)


# Places where an expression vanishes.


def vanishes(e: Any, ranges: Mapping[str, Range]) -> bool:
    """Whether an expression is identically 0: numbers first (cheap, refutes), then SymPy (proves)."""
    if e == 0:
        return True
    if e.has(sympy.nan, sympy.zoo, sympy.oo) or length(e) > 200:
        return False
    for k in range(1, 4):
        point = {s.name: inner_point(ranges[s.name], Fraction(k, 5)) for s in e.free_symbols}
        value = evaluate(e, point, BITS)
        if not value.is_finite() or not value.contains(0):
            return False
    return rearrangeable(e) and any(attempt(simpler, e) == 0 for simpler in simpler_forms(e))


def inner_point(r: Range, share: Fraction) -> Fraction:
    """A point of a range, 0 < share < 1 of the way from one end to the other."""
    if r.lower is not None and r.upper is not None:
        return r.lower + (r.upper - r.lower) * share
    away = share / (1 - share)
    if r.lower is not None:
        return r.lower + away
    return r.upper - 1 / away if r.upper is not None else away - 1 / away


def contacts_at(goal: Goal, name: str, at: Any) -> list[Contact]:
    """One contact for every order up to which the derivatives vanish at ``name = at``."""
    inner = tuple((n, goal.ranges[n]) for n in variables_of(goal.expression))
    return _contacts_at(sympy.sympify(goal.expression), goal.symbols[name], sympy.sympify(at), inner)


_MOST_ORDERS = 6


@lru_cache(maxsize=4096)
def _contacts_at(e: Any, symbol: Any, at: Any, ranges: tuple[tuple[str, Range], ...]) -> list[Contact]:
    found: list[Contact] = []
    for order in range(1, _MOST_ORDERS + 1):
        value = put(e, {symbol: at}) if length(e) <= LONGEST else None
        if value is None or not vanishes(value, dict(ranges)):
            break
        slope = derivative(e, symbol)
        if slope is None or slope == 0:
            break
        e = slope
        found.append(Contact(symbol.name, at, order, slope))
    return found


def end_contacts(goal: Goal) -> list[Contact]:
    """Contacts at the ends of the ranges."""
    found: list[Contact] = []
    for name in variables_of(goal.expression):
        r = goal.ranges[name]
        for end in (r.lower, r.upper):
            if end is not None and r.lower != r.upper:
                found += contacts_at(goal, name, sympy.Rational(end.numerator, end.denominator))
    return found


def by_hessian(goal: Goal, point: Mapping[str, Fraction]) -> Node | None:
    """The rule ``hessian``: at this point of the box f and its gradient vanish (the caller knows)."""
    names = variables_of(goal.expression)
    if goal.strict or not all(_closed_contains(goal.ranges[n], point[n]) for n in names) or not smooth(goal):
        return None
    rows = []
    for a in names:
        first = derivative(goal.expression, goal.symbols[a])
        seconds = [None if first is None else derivative(first, goal.symbols[b]) for b in names]
        if any(s is None for s in seconds):
            return None
        rows.append(seconds)
    if not _positive_definite(rows, goal):
        return None
    return {"by": "hessian", "at": {n: str(point[n]) for n in names}, "bits": BITS}


def _closed_contains(r: Range, number: Fraction) -> bool:
    return r.lower is not None and r.upper is not None and r.lower <= number <= r.upper


def _positive_definite(rows: Sequence[Sequence[Any]], goal: Goal) -> bool:
    """Whether every matrix of the enclosure is positive definite: all pivots are positive."""
    with precision(BITS):
        box = {n: ball(*ends(goal.ranges[n])) for n in variables_of(goal.expression)}
        m = [[program(e).run(box) for e in row] for row in rows]
        for k in range(len(m)):
            if not (m[k][k].is_finite() and m[k][k] > 0):
                return False
            for i in range(k + 1, len(m)):
                for j in range(k + 1, len(m)):
                    m[i][j] = m[i][j] - m[i][k] * m[k][j] / m[k][k]
    return True


def vanishing_point(goal: Goal, point: Mapping[str, Fraction]) -> bool:
    """Whether f and its gradient are exactly 0 at a point."""
    e = sympy.sympify(goal.expression)
    values = {goal.symbols[n]: sympy.Rational(q.numerator, q.denominator) for n, q in point.items()}
    slopes = [derivative(e, goal.symbols[n]) for n in variables_of(goal.expression)]
    found = [None if s is None else put(s, values) for s in (e, *slopes)]
    return all(value is not None and vanishes(value, {}) for value in found)
