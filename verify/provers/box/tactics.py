"""What is tried around branch and bound: each tactic turns a goal into easier ones, by one rule.

The order is from cheap to dear.  A goal that fails at one of a few sample points is dropped at once, so
that false subgoals (a slope without a sign) cost little.  How deep tactics nest, how many goals are
looked at and how many boxes are used are all bounded by counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

import sympy

from verify.claims import Hypothesis, Range, text_of
from verify.provers.balls import BITS, evaluate
from verify.provers.box.leaves import Work, by_range, impossible
from verify.provers.box.places import places, simple_points
from verify.provers.box.rewriting import cleared, distributed, logarithms, removable
from verify.provers.box.rules import Contact, by_contact, by_slope, neat, rearrangeable, without
from verify.provers.box.search import (
    BranchAndBound,
    Hints,
    contacts_at,
    end_contacts,
    inner_point,
    vanishes,
    vanishing_point,
)
from verify.provers.expressions import attempt, put, variables_of
from verify.provers.goals import Goal, Node, halved
from verify.provers.points import holds_at
from verify.provers.ranges import range_of
from verify.provers.sturm import sturm

_QUICK = 64  # boxes of a first try
_MORE = 400  # of a second one, with what is known about zeros
_NEVER = 99  # deeper than anything
_GOALS = 300  # goals looked at
_CASES = (0, 1, 2, 4, 16, 64)  # how many integers are taken one by one before a tail is tried
_MOST_CASES = 300
_PROBES = 48


@dataclass
class Prover:
    """One proof attempt."""

    work: Work
    goals: int = 0
    failed: dict[Any, int] = field(default_factory=dict)  # goals that were tried, and how deep

    def solve(self, goal: Goal, deepest: int = 4) -> Node | None:
        """Short proofs first; what is left of the budget then goes into one search of the whole box."""
        for depth in range(deepest + 1):
            node = self.prove(goal, depth)
            if node is not None:
                return node
        if any(goal.ranges[n].integer or not goal.ranges[n].bounded for n in variables_of(goal.expression)):
            return None
        return self._bounded(goal, self.work.budget)

    def prove(self, goal: Goal, depth: int) -> Node | None:
        """A proof of the goal with at most ``depth`` nested tactics."""
        key = goal.key
        before = self.failed.get(key, -1)
        if self.goals >= _GOALS or self.work.spent or before >= depth:
            return None
        self.goals += 1
        node, fails = self._first(goal) if before < 0 else (None, False)
        if node is None and not fails:
            node = self._deeper(goal, depth)
        if node is None:
            self.failed[key] = _NEVER if fails else max(depth, self.failed.get(key, -1))
        return node

    def _first(self, goal: Goal) -> tuple[Node | None, bool]:
        """What needs no other tactic; and whether the goal certainly fails."""
        node = by_range(goal)
        if node is None and goal.given:
            node = impossible(goal, self.work)
        if node is not None or self._integer(goal) is not None:
            return node, False
        node = self._exact(goal)
        if node is not None:
            return node, False
        if self._implausible(goal):
            return None, True
        return BranchAndBound(goal, self.work, _QUICK).run(), False

    def _integer(self, goal: Goal) -> str | None:
        return next((n for n in variables_of(goal.expression) if goal.ranges[n].integer), None)

    def _deeper(self, goal: Goal, depth: int) -> Node | None:
        """The tactics, with one level less for what they leave to show."""
        name = self._integer(goal)
        if name is not None:
            return self._cases(goal, name, depth)
        if depth <= 0:
            return None
        for tactic in (self._rearranged, self._contact, self._monotone, self._from_given):
            node = tactic(goal, depth - 1)
            if node is not None:
                return node
        if not all(goal.ranges[n].bounded for n in variables_of(goal.expression)):
            return self._logarithm(goal, depth - 1) or self._tail(goal, depth - 1)
        return (self._bounded(goal, _MORE) if depth == 2 else None) or self._logarithm(goal, depth - 1)

    def _exact(self, goal: Goal) -> Node | None:
        """Polynomials in one variable, and numbers."""
        if not variables_of(goal.expression):
            value = evaluate(goal.expression, {}, 512)
            if not goal.strict and value.contains(0) and vanishes(goal.expression, {}):
                return {"by": "rewrite", "expression": "0", "proof": {"by": "range"}}
            return None
        return sturm(goal)

    def _implausible(self, goal: Goal) -> bool:
        """Whether the goal certainly fails at a sample point, which is kept."""
        for point in probes(goal):
            value = evaluate(goal.expression, point, BITS)
            if not value.is_finite() or not (value <= 0 if goal.strict else value < 0):
                continue
            if all(holds_at(h, point) for h in goal.given):
                self.work.suspects.append(point)
                return True
        return False

    def _rearranged(self, goal: Goal, depth: int) -> Node | None:
        """Positive factors and denominators cleared, removable singularities removed, maxima outermost."""
        for rule in (cleared, removable, distributed):
            for child, wrap in rule(goal):
                proof = self.prove(child, depth)
                if proof is not None:
                    return wrap(proof)
        return None

    def _contact(self, goal: Goal, depth: int) -> Node | None:
        for contact in [*end_contacts(goal), *self._inner_contacts(goal)]:
            node = by_contact(goal, contact, lambda child: self.prove(child, depth))
            if node is not None:
                return node
        return None

    def _inner_contacts(self, goal: Goal) -> list[Contact]:
        """Contacts at other variables, at roots of the slope and at simple numbers near the worst box."""
        found: list[Contact] = []
        for name in variables_of(goal.expression):
            for at in places(goal, name, self.work.worst):
                found += contacts_at(goal, name, at)
        return found

    def _monotone(self, goal: Goal, depth: int) -> Node | None:
        def below(child: Goal) -> Node | None:
            return self.prove(child, depth)

        for name in variables_of(goal.expression):
            start = len(self.work.suspects)
            node = by_slope(goal, name, below, below)
            del self.work.suspects[start:]  # where a slope fails says nothing about the goal
            if node is not None:
                return node
        return None

    def _bounded(self, goal: Goal, limit: int) -> Node | None:
        """Branch and bound with all that is known about where the expression vanishes."""
        for _ in range(3):  # a search that fails shows where to look for the next contact
            points = [p for p in simple_points(goal, self.work.worst) if vanishing_point(goal, p)]
            contacts = (*end_contacts(goal), *self._inner_contacts(goal))
            before = self.work.boxes
            node = BranchAndBound(goal, self.work, limit, Hints(contacts, tuple(points), slopes=True)).run()
            if node is not None or self.work.spent or self.work.boxes >= before + limit:
                return node
        return None

    def _tail(self, goal: Goal, depth: int) -> Node | None:
        """An unbounded range: split off a tail, and look at it through the reciprocal."""
        for name in variables_of(goal.expression):
            r = goal.ranges[name]
            if r.upper is not None:
                continue
            if (node := self._reciprocal(goal, name, depth)) is not None:
                return node
            start = r.lower if r.lower is not None else Fraction(0)
            for at in (
                max(Fraction(1), start + 1),
                max(Fraction(8), 2 * start),
                max(Fraction(64), 4 * start),
            ):
                near, far = (goal.on(name, half) for half in halved(r, at))
                tail = self.prove(far, depth)
                head = None if tail is None else self.prove(near, depth)
                if head is not None:
                    return {"by": "split", "variable": name, "at": str(at), "parts": [head, tail]}
        return None

    def _reciprocal(self, goal: Goal, name: str, depth: int) -> Node | None:
        r, symbol = goal.ranges[name], goal.symbols[name]
        if r.lower is None or r.lower <= 0 or not rearrangeable(goal.expression):
            return None
        turned = Range(Fraction(0), 1 / r.lower, True, r.lower_open)
        over = put(goal.expression, {symbol: 1 / symbol})
        for power in range(4) if over is not None else ():
            e = neat(over * symbol**power)
            proof = self.prove(without(goal, name).on(name, turned).about(e), depth)
            if proof is not None:
                node = {"by": "reciprocal", "variable": name, "power": power}
                return {**node, "expression": text_of(e), "proof": proof}
        return None

    def _logarithm(self, goal: Goal, depth: int) -> Node | None:
        for child, wrap in logarithms(goal):
            proof = self.prove(child, depth)
            if proof is not None:
                return wrap(proof)
        return None

    def _from_given(self, goal: Goal, depth: int) -> Node | None:
        """The rule ``given``: f = multiplier*(right - left) + rest, by polynomial division."""
        for index, h in enumerate(goal.given):
            gap = sympy.sympify(h.right - h.left)
            divided = divide(sympy.sympify(goal.expression), gap)
            if divided is None:
                continue
            multiplier, rest = divided
            values = range_of(multiplier, goal.ranges)
            if values is None or values.singular:  # an infinite multiple of 0 is not 0
                continue
            positive = None if h.relation == "==" else self.prove(goal.about(multiplier, strict=False), depth)
            if h.relation != "==" and positive is None:
                continue
            proof = self.prove(goal.about(rest), depth)
            if proof is not None:
                node = {"by": "given", "hypothesis": index, "multiplier": text_of(multiplier)}
                more = {} if positive is None else {"positive": positive}
                return {**node, **more, "rest": text_of(rest), "proof": proof}
        return None

    def _cases(self, goal: Goal, name: str, depth: int) -> Node | None:
        """Integers one by one, and the rest of them as a real variable."""
        r = whole_range(goal.ranges[name])
        if r.lower is None:
            return None
        first = int(r.lower)
        parts: list[Node] = []
        for wanted in _counts(r, depth):
            while len(parts) < wanted:
                part = self._case(goal, name, first + len(parts), depth)
                if part is None:
                    return None
                parts.append(part)
            node = {"by": "cases", "variable": name, "parts": parts}
            if r.upper is not None and first + len(parts) > r.upper:
                return {**node, "tail": None}
            if (tail := self._real_tail(goal, name, first + len(parts), r, depth)) is not None:
                return {**node, "tail": tail}
        return None

    def _case(self, goal: Goal, name: str, value: int, depth: int) -> Node | None:
        start = len(self.work.suspects)
        case = with_value(goal, name, value)
        node = None if case is None else self.prove(case, depth)
        for point in self.work.suspects[start:]:
            point[name] = Fraction(value)
        if node is None and not variables_of(goal.expression)[1:]:
            self.work.suspects.append({name: Fraction(value)})
        return node

    def _real_tail(self, goal: Goal, name: str, start: int, r: Range, depth: int) -> Node | None:
        """As a real variable: the symbol changes too, since SymPy simplifies with what it knows of it."""
        real = Range(Fraction(start), r.upper, False, r.upper is None)
        symbol = sympy.Symbol(name, real=True, **({"positive": True} if start > 0 else {}))
        mark = len(self.work.suspects)
        budget, left = self.work.budget, self.work.budget - self.work.boxes
        self.work.budget -= left - left // 8  # so that many tails can be tried
        tail = with_symbol(goal, name, symbol)
        node = None if tail is None else self.prove(tail.on(name, real), depth)
        self.work.budget = budget
        del self.work.suspects[mark:]  # a point between two integers refutes nothing
        return node


def whole_range(r: Range) -> Range:
    """The same integers, between closed integer ends."""
    lower = (
        None
        if r.lower is None
        else Fraction(-((-r.lower) // 1) + (r.lower_open and r.lower.denominator == 1))
    )
    upper = None if r.upper is None else Fraction(r.upper // 1 - (r.upper_open and r.upper.denominator == 1))
    return Range(lower, upper, lower is None, upper is None, integer=True)


def _counts(r: Range, depth: int) -> list[int]:
    """How many integers to take one by one: all of them if they are few, the longer lists when deeper."""
    first = [c for c in _CASES if depth >= 2 or c <= 2]
    if r.lower is None or r.upper is None:
        return first
    count = max(0, int(r.upper - r.lower) + 1)
    return [c for c in first if c < count] + ([count] if count <= _MOST_CASES else [])


def with_value(goal: Goal, name: str, value: int) -> Goal | None:
    """A variable replaced by a number, where that gives a goal."""
    return _substituted(goal, name, sympy.Integer(value), {n: r for n, r in goal.ranges.items() if n != name})


def with_symbol(goal: Goal, name: str, symbol: Any) -> Goal | None:
    """A variable replaced by one with other assumptions."""
    changed = _substituted(goal, name, symbol, goal.ranges)
    return None if changed is None else replace(changed, symbols={**goal.symbols, name: symbol})


def _substituted(goal: Goal, name: str, value: Any, ranges: Mapping[str, Range]) -> Goal | None:
    at = {goal.symbols[name]: value}
    expression = put(goal.expression, at)
    given = [(put(h.left, at), h.relation, put(h.right, at)) for h in goal.given]
    if expression is None or any(left is None or right is None for left, _, right in given):
        return None
    return replace(
        goal, expression=expression, ranges=ranges, given=tuple(Hypothesis(*parts) for parts in given)
    )


def probes(goal: Goal) -> Iterator[dict[str, Fraction]]:
    """Some points of the box, the same ones every time."""
    shares = [
        Fraction(1, 2),
        Fraction(1, 64),
        Fraction(63, 64),
        Fraction(1, 5),
        Fraction(4, 5),
        Fraction(1, 4096),
    ]
    names = variables_of(goal.expression)
    if len(names) > 3:
        shares = shares[:2]
    for chosen in islice(product(shares, repeat=len(names)), _PROBES):
        yield {n: inner_point(goal.ranges[n], s) for n, s in zip(names, chosen, strict=True)}


def divide(e: Any, by: Any) -> tuple[Any, Any] | None:
    """Quotient and remainder where both are polynomials in a variable of the divisor."""
    if not rearrangeable(e + by):
        return None
    for symbol in sorted(by.free_symbols, key=str):
        if e.is_polynomial(symbol) and by.is_polynomial(symbol) and e.has(symbol):
            divided = attempt(sympy.div, e, by, symbol)
            if divided is not None and divided[0] != 0:
                return divided[0], divided[1]
    return None
