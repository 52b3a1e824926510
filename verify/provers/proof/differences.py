"""Successive differences: a polynomial on an orthant, cut along x = y until no coefficient is negative.

Where all variables are >= 0, a polynomial without negative coefficients is >= 0.  Otherwise two of them are
compared (the rule ``signs``): where x >= y, x = y + u with u >= 0 (``compose``), and the polynomial in u
and y has fewer negative coefficients, or can be cut again.  Zeros where variables agree, the usual ones of
symmetric inequalities, come to lie on the faces.  So do zeros at x = 1: a polynomial is made homogeneous
first, by a variable that stands for the number 1.  Quotients are cleared of their denominators, if these
have a sign.

A monomial at a corner of all exponents decides the sign far out: if it is negative, the goal fails there,
and the search ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import sympy

from verify.claims import Range, text_of
from verify.provers.expressions import attempt, paid, written_out
from verify.provers.goals import Goal, Node, halved
from verify.provers.proof.algebra import times
from verify.provers.proof.polynomials import Powers, is_polynomial, powers_of
from verify.provers.proof.state import ProofSearch
from verify.provers.ranges import range_of

TERMS, DEGREE, _VARIABLES = 400, 30, 5  # of a polynomial
FEW, _CUTS = 12, 300  # in one proof: all orders of three variables, or what else it takes
_DEPTH = 14  # one after the other
_WORK = 300_000  # terms that are written out
_SIDES = 3  # variables without any end, each of which is split at 0
_WRITTEN = 20_000  # terms of a sum of quotients over one denominator

RANGE: Node = {"by": "range"}


@dataclass(frozen=True)
class Form:
    """A polynomial in variables that are >= 0, > 0 if ``positive``."""

    names: tuple[str, ...]
    positive: tuple[bool, ...]
    powers: Powers

    @property
    def text(self) -> str:
        """The polynomial in words of the language of claims."""
        return " + ".join(monomial(c, m, self.names) for m, c in self.powers.items()) or "0"

    def sure(self, strict: bool) -> bool:
        """Whether no coefficient is negative, and if strict the sum is positive."""
        if any(c < 0 for c in self.powers.values()):
            return False
        return not strict or any(
            all(p or not a for p, a in zip(self.positive, m, strict=True)) for m in self.powers
        )


def monomial(c: Fraction, m: Sequence[int], names: Sequence[str]) -> str:
    """One term, in words of the language of claims."""
    factors = [f"{n}**{a}" if a > 1 else n for n, a in zip(names, m, strict=True) if a]
    return "*".join([f"({c})", *factors])


def by_differences(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in several variables that have a sign, or a sum of quotients of such: a few cuts."""
    return _tried(search, goal, depth, 0, FEW)


def by_many_differences(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """The same with many cuts, and on all orthants."""
    return _tried(search, goal, depth, _SIDES, _CUTS)


def _tried(search: ProofSearch, goal: Goal, depth: int, sides: int, cuts: int) -> Node | None:
    if len(goal.variables) < 2:
        return None
    if is_polynomial(goal):
        node: Node | None = search.once(_on_orthants, goal, sides, cuts, key=(goal.key, cuts))
        return node
    over = search.once(_over_one, goal, key=goal.key) if depth >= 1 else None
    return over and times(search, goal, depth - 1, *over)


def _over_one(goal: Goal) -> tuple[Any, Any] | None:
    """One positive factor, and a polynomial, whose product the expression is."""
    e = sympy.sympify(goal.expression)
    if not e.is_rational_function(*e.free_symbols) or written_out(e) > _WRITTEN:
        return None
    if not paid(1 + written_out(e) // 8, ("over one", e)):
        return None
    above, below = sympy.fraction(attempt(sympy.together, e) or e)
    for factor in sympy.Mul.make_args(below):
        base = factor.base if factor.is_Pow else factor
        i = range_of(base, goal.ranges)
        if i is None or not (i.positive(strict=True) or (-i).positive(strict=True)):
            return None
        if not i.positive(strict=True) and (not factor.is_Pow or factor.exp % 2):
            above, below = -above, -below
    polynomial = attempt(sympy.expand, above)
    return None if polynomial is None or below == 1 else (1 / below, polynomial)


def _on_orthants(goal: Goal, sides: int, cuts: int) -> Node | None:
    """On both sides of 0 in the variables that have no end."""
    names = goal.variables
    wide = next((n for n in names if goal.ranges[n].lower is None and goal.ranges[n].upper is None), None)
    if wide is None:
        return _on_orthant(goal, cuts)
    parts = []
    for half in halved(goal.ranges[wide], Fraction(0)) if sides else ():
        part = _on_orthants(goal.on(wide, half), sides - 1, cuts)
        if part is None:
            return None
        parts.append(part)
    return {"by": "split", "variable": wide, "at": "0", "parts": parts} if parts else None


def _on_orthant(goal: Goal, cuts: int) -> Node | None:
    """From the ends of the ranges on, homogeneous."""
    names = goal.variables
    symbols = [goal.symbols[n] for n in names]
    old, new, ends = dict[Any, Any](), list[Node](), list[str]()
    for n in names:
        r, x = goal.ranges[n], goal.symbols[n]
        if r.lower == 0:
            ends.append(n)
            continue
        end, side = (r.upper, -1) if r.lower is None else (r.lower, 1)
        assert end is not None
        ends.append(fresh(goal, f"{n}_"))
        old[x] = sympy.Rational(end) + side * x  # the new variable has the place of the old one
        new.append(variable(ends[-1], text_of(side * (x - sympy.Rational(end))), _is_open(r)))
    p = powers_of(sympy.sympify(goal.expression).xreplace(old), symbols)
    if not p or len(p) > TERMS or max(map(sum, p)) > DEGREE:
        return None
    positive = [_is_open(goal.ranges[n]) for n in names]
    if len(set(map(sum, p))) > 1:
        p, one = homogeneous(p), fresh(goal, "one")
        ends.append(one)
        positive.append(True)
        new.append(variable(one, "1", True))
    if len(ends) > _VARIABLES:
        return None
    form = Form(tuple(ends), tuple(positive), p)
    proof = Cutting(goal, cuts).shown(form, len(goal.given), 0)
    if proof is None:
        return None
    if not new:  # the sign is seen once it is written out
        return {"by": "rewrite", "expression": form.text, "proof": proof} if proof is RANGE else proof
    return {"by": "compose", "variables": new, "expression": form.text, "proof": proof}


def fresh(goal: Goal, name: str) -> str:
    """A name like this one that the goal does not have."""
    while name in goal.symbols or name in goal.ranges:
        name += "_"
    return name


def _is_open(r: Range) -> bool:
    return r.upper_open if r.lower is None else r.lower_open


def said(index: int, rest: str = "0") -> Node:
    """What a hypothesis says, plus something that intervals see not to be negative."""
    return {
        "by": "given",
        "hypothesis": index,
        "multiplier": "1",
        "positive": RANGE,
        "rest": rest,
        "proof": RANGE,
    }


def variable(name: str, inner: str, positive: bool) -> Node:
    """A new variable >= 0 or > 0, as ``compose`` writes it."""
    return {"variable": name, "inner": inner, "range": [f"{name} {'>' if positive else '>='} 0"]}


def homogeneous(p: Powers) -> Powers:
    """With one more variable, and all terms of one degree."""
    top = max(map(sum, p))
    return {(*m, top - sum(m)): c for m, c in p.items()}


# ---------------------------------------------------------------- cuts


class Cutting:
    """One search for cuts."""

    def __init__(self, goal: Goal, cuts: int) -> None:
        self.strict, self.taken = goal.strict, {*goal.symbols, *goal.ranges}
        self.cuts, self.work = cuts, _WORK

    def shown(self, form: Form, index: int, depth: int) -> Node | None:
        """A proof; ``index`` is the number of the next hypothesis."""
        if form.sure(self.strict):
            return RANGE
        self.cuts -= 1
        n = len(form.names)
        if self.cuts < 0 or depth > _DEPTH or self.work < 0 or _negative_corner(form.powers, n):
            return None
        best = None
        for i, j in combinations(range(n), 2):
            sides = _added(form.powers, i, j), _added(form.powers, j, i)
            self.work -= sum(map(len, sides))
            score = sum(sum(c < 0 for c in p.values()) / len(p) for p in sides)
            if best is None or score < best[0]:
                best = score, i, j, sides
        return None if best is None else self._cut(form, index, depth, *best[1:])

    def _cut(
        self, form: Form, index: int, depth: int, i: int, j: int, sides: tuple[Powers, Powers]
    ) -> Node | None:
        new = f"u{depth + 1}"
        while new in self.taken:
            new += "_"
        parts = []
        for large, small, p in ((j, i, sides[1]), (i, j, sides[0])):
            names, positive = list(form.names), list(form.positive)
            gap = f"{names[large]} - {names[small]}"
            names[large], positive[large] = new, False
            part = Form(tuple(names), tuple(positive), p)
            proof = self.shown(part, index + 1, depth + 1)
            if proof is None:
                return None
            node = {**variable(new, gap, False), "lower": said(index)}
            parts.append({"by": "compose", **node, "expression": part.text, "proof": proof})
        return {"by": "signs", "expression": f"{form.names[j]} - {form.names[i]}", "parts": parts}


def _added(p: Powers, i: int, j: int) -> Powers:
    """With the sum of both variables in the place of the first."""
    found: dict[tuple[int, ...], Fraction] = {}
    for m, c in p.items():
        for t in range(m[i] + 1):
            at = list(m)
            at[i], at[j] = m[i] - t, m[j] + t
            key = tuple(at)
            found[key] = found.get(key, Fraction(0)) + c * comb(m[i], t)
    return {m: c for m, c in found.items() if c}


def _negative_corner(p: Powers, n: int) -> bool:
    """Whether a monomial that is alone the largest in some direction has a negative coefficient."""
    for direction in _directions(n):
        heights = {m: sum(a * b for a, b in zip(m, direction, strict=True)) for m in p}
        top = max(heights.values())
        highest = [m for m, h in heights.items() if h == top]
        if len(highest) == 1 and p[highest[0]] < 0:
            return True
    return False


def _directions(n: int) -> Iterator[tuple[int, ...]]:
    """Axes and diagonals, and next to them."""
    for d in product((-1, 0, 1), repeat=n):
        if any(d):
            yield tuple(16 * a + k for k, a in enumerate(d))
