"""The set a claim is made for: a range for every variable, and hypotheses between them.

A domain is written as comparisons: ``Domain.of("x >= 0", "0 < rate <= 5", "x <= rate", integers="n")``.
A comparison of one variable with numbers is a range; any other is a hypothesis.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from verify.claims.formulas import (
    CONSTANTS,
    RELATIONS,
    ClaimError,
    brief,
    expression,
    names_in,
    text_of,
    tree_of,
)
from verify.recheck.letters import foreign, normal

_MIRROR = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "=="}


@dataclass(frozen=True)
class Range:
    """An interval; ``None`` is an infinite end, which is always open."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_open: bool = True
    upper_open: bool = True
    integer: bool = False

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return self.lower is not None and self.upper is not None

    @property
    def empty(self) -> bool:
        """Whether nothing is in it (an integer range without integers counts as empty too)."""
        if self.lower is None or self.upper is None:
            return False
        if self.integer:
            first = math.floor(self.lower) + 1 if self.lower_open else math.ceil(self.lower)
            last = math.ceil(self.upper) - 1 if self.upper_open else math.floor(self.upper)
            return first > last
        return self.lower > self.upper or (self.lower == self.upper and (self.lower_open or self.upper_open))

    def __contains__(self, number: Fraction) -> bool:
        above, below = number.numerator, number.denominator  # a product of integers is quicker than fractions
        if self.integer and below != 1:
            return False
        if (low := self.lower) is not None:
            gap = above * low.denominator - low.numerator * below
            if gap < 0 or (self.lower_open and not gap):
                return False
        if (high := self.upper) is not None:
            gap = high.numerator * below - above * high.denominator
            if gap < 0 or (self.upper_open and not gap):
                return False
        return True

    def within(self, other: Range) -> bool:
        """Whether every point of this range is in ``other``."""
        low = other.lower is None or (
            self.lower is not None and (self.lower, self.lower_open) >= (other.lower, other.lower_open)
        )
        high = other.upper is None or (
            self.upper is not None and (-self.upper, self.upper_open) >= (-other.upper, other.upper_open)
        )
        return low and high and (self.integer or not other.integer)

    def narrowed(self, relation: str, bound: Fraction) -> Range:
        """The part of it where ``variable relation bound`` holds."""
        new, strict = self, relation in ("<", ">")
        above = relation in (">=", ">", "==")
        if above and (new.lower is None or (bound, strict) > (new.lower, new.lower_open)):
            new = replace(new, lower=bound, lower_open=strict)
        below = relation in ("<=", "<", "==")
        if below and (new.upper is None or (-bound, strict) > (-new.upper, new.upper_open)):
            new = replace(new, upper=bound, upper_open=strict)
        return new

    def text(self, name: str) -> str:
        """The range as a comparison of ``name``."""
        low = "" if self.lower is None else f"{self.lower} {'<' if self.lower_open else '<='} "
        high = "" if self.upper is None else f" {'<' if self.upper_open else '<='} {self.upper}"
        return f"{low}{name}{high}"


@dataclass(frozen=True)
class Hypothesis:
    """``left relation right``, with relation one of <=, <, ==."""

    left: Any
    relation: str
    right: Any
    written: str = field(default="", compare=False)  # by the author of the claim

    def text(self) -> str:
        """As it is written in a domain."""
        return self.written or f"{text_of(self.left)} {self.relation} {text_of(self.right)}"


@dataclass(frozen=True)
class Domain:
    """Ranges by name, and hypotheses."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    given: tuple[Hypothesis, ...] = ()

    @staticmethod
    def of(*comparisons: str, integers: str | Iterable[str] = (), reals: str | Iterable[str] = ()) -> Domain:
        """Read a domain; ``integers`` and ``reals`` name variables ("n m" or a sequence)."""
        whole = _names(integers)
        trees = [(text, tree_of(text)) for text in comparisons]
        names = sorted(set().union(whole, _names(reals), *(names_in(tree) for _, tree in trees)))
        for name in names:
            if not name.isidentifier():
                raise ClaimError(f"domain: {name!r} is not a name; write one like 'x' or 'rate'")
            if not normal(name):
                raise ClaimError(f"domain: {name!r}: {foreign(name)}")
            if name in CONSTANTS:
                raise ClaimError(f"domain: {name!r} is a constant; choose another name for the variable")
        ranges = {name: Range(integer=name in whole) for name in names}
        pairs = [pair for text, tree in trees for pair in _pairs(text, tree)]
        rest = []
        for left, relation, right, text in pairs:
            if isinstance(left, ast.Name) and not names_in(right):
                ranges[left.id] = ranges[left.id].narrowed(relation, _number(right, text))
            elif isinstance(right, ast.Name) and not names_in(left):
                ranges[right.id] = ranges[right.id].narrowed(_MIRROR[relation], _number(left, text))
            else:
                rest.append((left, relation, right, text))
        for name, r in ranges.items():
            if r.empty:
                raise ClaimError(f"domain: nothing satisfies {r.text(name)!r}")
        domain = Domain(ranges)
        return replace(domain, given=tuple(domain._hypothesis(*pair) for pair in rest))

    def _hypothesis(self, left: ast.expr, relation: str, right: ast.expr, text: str) -> Hypothesis:
        if relation in (">=", ">"):
            left, relation, right = right, _MIRROR[relation], left
        sides = [expression(side, self.symbols, text) for side in (left, right)]
        words = [" ".join(str(ast.get_source_segment(text.strip(), side)).split()) for side in (left, right)]
        return Hypothesis(sides[0], relation, sides[1], f"{words[0]} {relation} {words[1]}")

    def read(self, node: str | ast.expr, text: str) -> Any:
        """The SymPy expression of a formula over the domain, if no part of it is undefined throughout."""
        tree = tree_of(node) if isinstance(node, str) else node
        for part in ast.walk(tree):  # before SymPy cancels log(x - 2) - log(x - 2) on [0, 1]
            match part:
                case ast.Call(func=ast.Name(id="log" | "ln" | "sqrt" as name), args=[inside]):
                    largest = self._largest(expression(inside, self.symbols, text))
                    if largest is not None and (largest < 0 or (name != "sqrt" and largest == 0)):
                        where = f"formula {brief(text)!r}: {brief(ast.unparse(part))!r}"
                        raise ClaimError(f"{where} is not a real number (anywhere on the domain)")
        return expression(tree, self.symbols, text)

    def _largest(self, linear: Any) -> Fraction | None:
        """The least upper bound of a linear expression over the ranges; ``None`` if unknown or infinite."""
        total = Fraction(0)
        for term, factor in linear.as_coefficients_dict().items():
            r = self.ranges.get(term.name) if term.is_Symbol else None
            end = Fraction(1) if term == 1 else None if r is None else r.upper if factor > 0 else r.lower
            if end is None:
                return None
            total += Fraction(int(factor.p), int(factor.q)) * end
        return total

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """The SymPy symbol of each variable, with what its range says about it."""
        return {name: sympy.Symbol(name, **_assumptions(r)) for name, r in self.ranges.items()}

    def contains(self, point: Mapping[str, Fraction]) -> bool:
        """Whether the point is in every range (hypotheses are not looked at)."""
        return all(point[name] in r for name, r in self.ranges.items())

    def texts(self) -> list[str]:
        """The comparisons, enough to read the domain back (with :attr:`integers`)."""
        ranges = [
            r.text(name) for name, r in self.ranges.items() if r.lower is not None or r.upper is not None
        ]
        return [*ranges, *(h.text() for h in self.given)]

    def data(self) -> dict[str, list[str]]:
        """For the checker: the comparisons, and the variables that are integers or have no range."""
        free = [name for name in self.reals if self.ranges[name].text(name) == name]
        return {"conditions": self.texts(), "integers": self.integers, "reals": free}

    @property
    def integers(self) -> list[str]:
        """The variables that are integers."""
        return [name for name, r in self.ranges.items() if r.integer]

    @property
    def reals(self) -> list[str]:
        """The variables that are not."""
        return [name for name, r in self.ranges.items() if not r.integer]

    def __str__(self) -> str:
        whole = [f"{name} integer" for name in self.integers]
        return ", ".join([*self.texts(), *whole]) or "every real number"


def _assumptions(r: Range) -> dict[str, bool]:
    facts: dict[str, bool] = {"integer": True} if r.integer else {"real": True}
    if r.lower is not None and (r.lower > 0 or (r.lower == 0 and r.lower_open)):
        facts["positive"] = True
    elif r.lower == 0:
        facts["nonnegative"] = True
    if r.upper is not None and (r.upper < 0 or (r.upper == 0 and r.upper_open)):
        facts["negative"] = True
    elif r.upper == 0:
        facts["nonpositive"] = True
    return facts


def _names(names: str | Iterable[str]) -> set[str]:
    return set(names.replace(",", " ").split() if isinstance(names, str) else names)


def _pairs(text: str, tree: ast.expr) -> list[tuple[ast.expr, str, ast.expr, str]]:
    if not isinstance(tree, ast.Compare):
        raise ClaimError(f"domain {text!r}: write a comparison, for example 'x >= 0'")
    terms = [tree.left, *tree.comparators]
    found = []
    for left, op, right in zip(terms, tree.ops, terms[1:], strict=False):
        if type(op) not in RELATIONS:
            raise ClaimError(f"domain {text!r}: compare with <=, <, >=, > or ==")
        if not names_in(left) and not names_in(right):
            raise ClaimError(f"domain {text!r}: compares numbers; name a variable, for example 'x >= 0'")
        found.append((left, RELATIONS[type(op)], right, text))
    return found


def _number(node: ast.expr, text: str) -> Fraction:
    value = expression(node, {}, text)
    if not value.is_Rational:
        raise ClaimError(
            f"domain {text!r}: {ast.unparse(node)!r} is not a rational number; write one like 1/3"
        )
    return Fraction(int(value.p), int(value.q))
