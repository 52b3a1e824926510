"""Branch and bound: halve the box until a rule closes every part, within a budget.

A box that nothing closes is halved across the variable that contributes most to the width of the
first-order enclosure.  The half with the smaller value at its midpoint comes first: a false goal fails
there.  A box that has become very narrow is given up: f vanishes nearby, and more halving would not end.

No enclosure shows f >= 0 on a box where f vanishes.  There f is compared with its zero set: by a contact, by
its slope towards the edge of the whole box, or, at a single point, by a positive definite matrix of second
derivatives (``hessian``).  The box given up is the place to look for the next contact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

import sympy

from verify.claims import Range, text_of
from verify.provers.balls import BITS, ball, evaluate, precision, program
from verify.provers.expressions import length, put, unwieldy
from verify.provers.goals import Goal, Node, halved
from verify.provers.proof.calculus import Contact, contacts, critical, followed, touched, touching
from verify.provers.proof.leaves import (
    Shown,
    Work,
    closed,
    ends,
    impossible,
    in_range,
    look,
    midpoint,
    radius,
)
from verify.provers.proof.rewriting import neat
from verify.provers.proof.state import ProofSearch, smooth

_NARROWEST = Fraction(1, 2**32)  # of the width at the start
_EVERY = 3  # levels of halving, before the dear rules are tried again
_QUICK, _MORE = 64, 400  # boxes of a first try, and of one with what is known about zeros
_SHORT = 80  # operations times variables that one box may have for its price
_TRIES = 3  # a try that fails shows where to look for the next contact


def by_boxes(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A few boxes the first time, more of them when the search is deeper."""
    if not goal.bounded:
        return None
    node: Node | None = search.once(BranchAndBound(goal, search.work, _QUICK).run, key=goal.key)
    if node is None and depth == 2 and not unwieldy(goal.expression):
        node = exhausted(search, goal, _MORE)
    return node


def exhausted(search: ProofSearch, goal: Goal, limit: int) -> Node | None:
    """Branch and bound with all that is known about where the expression vanishes."""
    for _ in range(_TRIES):
        before = search.work.boxes
        node = BranchAndBound(goal, search.work, limit, search).run()
        if node is not None or search.work.spent or search.work.boxes >= before + limit:
            return node
    return None


class BranchAndBound:
    """One search of a box, of ``limit`` boxes at most, and no more than the budget of the work has left.

    Only where a search for proofs stands behind it are zeros looked for.
    """

    def __init__(self, goal: Goal, work: Work, limit: int, search: ProofSearch | None = None) -> None:
        self.whole = goal.ranges
        self.goal = goal
        self.work = work
        self.last = min(work.budget, work.boxes + limit)
        self.search = search
        self.contacts = [] if search is None else [*end_contacts(search, goal), *self._inner_contacts(search)]
        self.points = [] if search is None else self._vanishing_points(search)

    def run(self) -> Node | None:
        """A proof, or None; the work then knows the box that could not be closed."""
        if not self.goal.bounded or self.work.boxes >= self.last:
            return None
        return self._solve(self.goal, 0)

    def _solve(self, goal: Goal, depth: int) -> Node | None:
        if self.work.boxes >= self.last:
            self.work.worst = goal.ranges
            return None
        self.work.boxes += effort(goal)
        seen = look(goal)
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

    def _special(self, goal: Goal, seen: Shown, depth: int) -> Node | None:
        """The rules beyond enclosures."""
        if not seen.defined and (node := in_range(goal)) is not None:
            return node
        if goal.known and (node := impossible(goal)) is not None:
            return node
        if self.search is None or depth % _EVERY:
            return None
        for contact in self.contacts:
            if (node := touched(goal, contact, self._leaf)) is not None:
                return node
        for point in self.points:
            if (node := self._hessian(goal, point, self.search)) is not None:
                return node
        return self._monotone(goal, self.search, defined=seen.defined)

    # ------------------------------------------------------------ where the expression vanishes

    def _monotone(self, goal: Goal, search: ProofSearch, *, defined: bool = True) -> Node | None:
        """Towards an edge where f may vanish; away from one where it cannot be enclosed."""
        for name in goal.variables:
            r, whole = goal.ranges[name], self.whole[name]
            edges = [
                lower for lower, at in ((True, r.lower == whole.lower), (False, r.upper == whole.upper)) if at
            ]
            slope = search.derivative(goal.expression, self._on_whole(goal), name) if edges else None
            if slope is None or r.lower == r.upper:
                continue
            along = goal.leaving(name)
            for lower in edges if defined else (True, False):
                way = along.about(slope if lower else -slope, strict=False)
                node = None
                if self._leaf(way) is not None:
                    node = followed(along, way, name, lower, self._face, self._leaf)
                if node is not None:
                    return node
        return None

    def _on_whole(self, goal: Goal) -> Goal:
        """For what is found out once, not on every box again."""
        return replace(goal, given=(), ranges={n: self.whole[n] for n in goal.ranges})

    def _leaf(self, goal: Goal) -> Node | None:
        """A child that must be closed as it stands, in its neat form, or by one more contact."""
        node = closed(goal)
        form = neat(sympy.sympify(goal.expression))
        if node is None and form != goal.expression and (proof := closed(goal.about(form))) is not None:
            return {"by": "rewrite", "expression": text_of(form), "proof": proof}
        if node is not None or self.search is None:
            return node
        found = (touched(goal, c, closed) for c in end_contacts(self.search, self._on_whole(goal)))
        return next((node for node in found if node is not None), None)

    def _face(self, goal: Goal) -> Node | None:
        """The goal on a face: one dimension less, closed as it stands or by its own monotonicity."""
        node = self._leaf(goal)
        return self._monotone(goal, self.search) if node is None and self.search is not None else node

    def _inner_contacts(self, search: ProofSearch) -> list[Contact]:
        """Contacts at other variables, at roots of the slope and at simple numbers near the worst box."""
        found: list[Contact] = []
        goal, worst = self.goal, self.work.worst or {}
        for name in goal.variables:
            near = simple_numbers(worst[name]) if name in worst and worst[name].bounded else []
            r = goal.ranges[name]
            places = [
                *touching(search, goal, name),
                *critical(search, goal, name),
                *map(sympy.Rational, near),
            ]
            for at in dict.fromkeys(places):
                if at not in (r.lower, r.upper):
                    found += contacts(search, goal, name, at)
        return found

    def _vanishing_points(self, search: ProofSearch) -> list[Mapping[str, Fraction]]:
        """Points with simple coordinates near the worst box, where f and its gradient are exactly 0."""
        goal, names, worst = self.goal, self.goal.variables, self.work.worst or {}
        if len(names) < 2 or not all(n in worst and worst[n].bounded for n in names):
            return []
        slopes = [search.derivative(goal.expression, goal, n) for n in names]
        choices = [
            [q for q in simple_numbers(worst[n]) if _closed_contains(goal.ranges[n], q)] for n in names
        ]
        found: list[Mapping[str, Fraction]] = []
        for chosen in islice(product(*choices), 16):
            at = {goal.symbols[n]: sympy.Rational(q) for n, q in zip(names, chosen, strict=True)}
            values = [None if e is None else put(e, at) for e in (goal.expression, *slopes)]
            nowhere = replace(goal, ranges={}, given=())
            if all(value is not None and search.vanishes(value, nowhere) for value in values):
                found.append(dict(zip(names, chosen, strict=True)))
        return found

    def _hessian(self, goal: Goal, point: Mapping[str, Fraction], search: ProofSearch) -> Node | None:
        """The rule ``hessian``, at a point where f and its gradient vanish."""
        names = goal.variables
        if goal.strict or not all(_closed_contains(goal.ranges[n], point[n]) for n in names):
            return None
        whole, rows = self._on_whole(goal), []
        for a in names:
            slope = search.derivative(goal.expression, whole, a)
            rows.append([None if slope is None else search.derivative(slope, whole, b) for b in names])
        if any(e is None for row in rows for e in row) or not all(
            smooth(goal.expression, goal, n) for n in names
        ):
            return None
        if not _positive_definite(rows, goal):
            return None
        return {"by": "hessian", "at": {n: str(point[n]) for n in names}, "bits": BITS}

    # ------------------------------------------------------------ halving

    def _widest(self, goal: Goal, seen: Shown) -> str | None:
        """The variable to halve across, if any is still wide enough."""
        wide = [n for n in goal.variables if radius(goal.ranges[n]) > _NARROWEST * radius(self.whole[n])]
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
        at = midpoint(goal.ranges[name])
        halves = [goal.on(name, half) for half in halved(goal.ranges[name], at)]
        values = [evaluate(h.expression, {n: midpoint(h.ranges[n]) for n in h.variables}) for h in halves]
        first = 1 if values[1] < values[0] else 0
        node = self._solve(halves[first], depth)
        other = None if node is None else self._solve(halves[1 - first], depth)
        if node is None or other is None:
            return None
        parts = [node, other] if first == 0 else [other, node]
        return {"by": "split", "variable": name, "at": str(at), "parts": parts}


def effort(goal: Goal) -> int:
    """How many boxes one box counts for: a long formula in many variables takes longer to enclose."""
    return 1 + len(goal.variables) * length(goal.expression) // _SHORT


def end_contacts(search: ProofSearch, goal: Goal) -> list[Contact]:
    """Contacts at the ends of the ranges."""
    found: list[Contact] = search.once(_end_contacts, search, goal, key=goal.key)
    return found


def _end_contacts(search: ProofSearch, goal: Goal) -> list[Contact]:
    found: list[Contact] = []
    for name in goal.variables:
        r = goal.ranges[name]
        for end in (r.lower, r.upper):
            if end is not None and r.lower != r.upper:
                found += contacts(search, goal, name, sympy.Rational(end))
    return found


def simple_numbers(r: Range) -> list[Fraction]:
    """The simplest rational in or next to a narrow range, if it is simple at all."""
    middle = midpoint(r)
    tried = [middle.limit_denominator(n) for n in (1, 4, 16, 64)]
    return list(dict.fromkeys(q for q in tried if abs(q - middle) <= 4 * radius(r)))


def _closed_contains(r: Range, number: Fraction) -> bool:
    return r.lower is not None and r.upper is not None and r.lower <= number <= r.upper


def _positive_definite(rows: Sequence[Sequence[Any]], goal: Goal) -> bool:
    """Whether every matrix of the enclosure is positive definite: all pivots are positive."""
    with precision(BITS):
        box = {n: ball(*ends(goal.ranges[n])) for n in goal.variables}
        m = [[program(e).run(box) for e in row] for row in rows]
        for k in range(len(m)):
            if not (m[k][k].is_finite() and m[k][k] > 0):
                return False
            for i in range(k + 1, len(m)):
                for j in range(k + 1, len(m)):
                    m[i][j] = m[i][j] - m[i][k] * m[k][j] / m[k][k]
    return True
