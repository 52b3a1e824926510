"""Successive differences: a polynomial on an orthant, cut along x = y until no coefficient is negative.

Where all variables are >= 0, a polynomial without negative coefficients is >= 0.  Otherwise two of them are
compared (the rule ``signs``): where x >= y, x = y + u with u >= 0 (``compose``), and the polynomial in u
and y has fewer negative coefficients, or can be cut again.  Zeros where variables agree, the usual ones of
symmetric inequalities, come to lie on the faces.  So do zeros at x = 1: a polynomial is made homogeneous
first, by a variable that stands for the number 1.  Quotients are cleared of their denominators, if these
have a sign.

Where an equation says that a monomial M is 1, its powers make a polynomial homogeneous (``given``), in
roots of the variables if need be: with abc = 1, a + 1 becomes a + (abc)^(1/3).

A monomial at a corner of all exponents decides the sign far out: if it is negative, the goal fails there,
and the search ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import comb, gcd
from typing import Any

import sympy

from verify.claims import Range, text_of
from verify.provers.expressions import attempt, paid, written_out
from verify.provers.goals import Goal, Node, halved
from verify.provers.proof.algebra import times
from verify.provers.proof.changes import in_orthants
from verify.provers.proof.leaves import Work
from verify.provers.proof.polynomials import Powers, is_polynomial, powers_of
from verify.provers.proof.state import ProofSearch
from verify.provers.ranges import range_of

_TERMS, _DEGREE, _VARIABLES = 400, 30, 5  # of a polynomial
_FEW, _CUTS = 12, 300  # in one proof: all orders of three variables, or what else it takes
_DEPTH = 14  # one after the other
_WORK = 300_000  # terms that are written out
_SIDES = 3  # variables without any end, each of which is split at 0
_WRITTEN = 20_000  # terms of a sum of quotients over one denominator

_GOALS, _LONGEST = 12, 4000  # goals of a search, and operations in the longest

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
        return " + ".join(_monomial(c, m, self.names) for m, c in self.powers.items()) or "0"

    def sure(self, strict: bool) -> bool:
        """Whether no coefficient is negative, and if strict the sum is positive."""
        if any(c < 0 for c in self.powers.values()):
            return False
        return not strict or any(
            all(p or not a for p, a in zip(self.positive, m, strict=True)) for m in self.powers
        )


def _monomial(c: Fraction, m: Sequence[int], names: Sequence[str]) -> str:
    factors = [f"{n}**{a}" if a > 1 else n for n, a in zip(names, m, strict=True) if a]
    return "*".join([f"({c})", *factors])


def ordered(goal: Goal, *, at_length: bool = False) -> Node | None:
    """By differences, of the variables or of what hypotheses say of them; few of them, or at length."""
    rule = by_many_differences if at_length else by_differences
    search = ProofSearch((by_unit, rule), _GOALS, _LONGEST, Work(0))
    node = search.prove(goal, 1) if search.plausible(goal) else None
    if node is not None or not goal.known:
        return node
    for change in in_orthants(search, goal):
        node = search.prove(change.goal, 1)
        if node is not None:
            return change.around(node)
    return None


def by_differences(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in several variables that have a sign, or a sum of quotients of such: a few cuts."""
    return _tried(search, goal, depth, 0, _FEW)


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
        ends.append(_fresh(goal, f"{n}_"))
        old[x] = sympy.Rational(end) + side * x  # the new variable has the place of the old one
        new.append(_variable(ends[-1], text_of(side * (x - sympy.Rational(end))), _is_open(r)))
    p = powers_of(sympy.sympify(goal.expression).xreplace(old), symbols)
    if not p or len(p) > _TERMS or max(map(sum, p)) > _DEGREE:
        return None
    positive = [_is_open(goal.ranges[n]) for n in names]
    if len(set(map(sum, p))) > 1:
        p, one = _homogeneous(p), _fresh(goal, "one")
        ends.append(one)
        positive.append(True)
        new.append(_variable(one, "1", True))
    if len(ends) > _VARIABLES:
        return None
    form = Form(tuple(ends), tuple(positive), p)
    proof = Cutting(goal, cuts).shown(form, len(goal.given), 0)
    if proof is None:
        return None
    if not new:  # the sign is seen once it is written out
        return {"by": "rewrite", "expression": form.text, "proof": proof} if proof is RANGE else proof
    return {"by": "compose", "variables": new, "expression": form.text, "proof": proof}


def _fresh(goal: Goal, name: str) -> str:
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


def _variable(name: str, inner: str, positive: bool) -> Node:
    return {"variable": name, "inner": inner, "range": [f"{name} {'>' if positive else '>='} 0"]}


def _homogeneous(p: Powers) -> Powers:
    top = max(map(sum, p))
    return {(*m, top - sum(m)): c for m, c in p.items()}


# ---------------------------------------------------------------- a monomial that is 1


def by_unit(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in positive variables of which a monomial is 1."""
    del depth
    positive = all(r.lower is not None and r.lower >= 0 and r.lower_open for r in goal.ranges.values())
    if not goal.known or not positive or not is_polynomial(goal):
        return None
    for index, h in enumerate(goal.given):
        unit = None if h is None or h.relation != "==" else _unit(goal, h.right - h.left)
        if unit is not None:
            node: Node | None = search.once(_with_unit, goal, index, *unit, key=(goal.key, index))
            return node
    return None


def _unit(goal: Goal, gap: Any) -> tuple[tuple[int, ...], int] | None:
    """The exponents of M, and s, if the gap is s (1 - M)."""
    names = sorted(goal.ranges)
    p = powers_of(gap, [goal.symbols[n] for n in names])
    if not p or len(p) != 2 or sorted(p.values()) != [-1, 1] or (0,) * len(names) not in p:
        return None
    ((m, c),) = ((m, c) for m, c in p.items() if any(m))
    return m, -int(c)


def _with_unit(goal: Goal, index: int, unit: tuple[int, ...], sign: int) -> Node | None:
    """Each term times a power of M, all of one degree; then in roots of the variables."""
    names = sorted(goal.ranges)
    p = powers_of(goal.expression, [goal.symbols[n] for n in names])
    if not p or len(p) > _TERMS:
        return None
    top, whole = max(map(sum, p)), sum(unit)
    step = gcd(whole, *(top - sum(m) for m in p))
    root = whole // step  # t = M^(1/root), and x = w^root
    t = f"(({_monomial(Fraction(1), unit, names)})**({Fraction(1, root)}))"
    sums = [f"{_monomial(c, m, names)}*({_geometric(t, (top - sum(m)) // step)})" for m, c in p.items()]
    rest = [f"{_monomial(c, m, names)}*{t}**{(top - sum(m)) // step}" for m, c in p.items()]
    high = {
        tuple(root * a + k * ((top - sum(m)) // step) for a, k in zip(m, unit, strict=True)): c
        for m, c in p.items()
    }
    low = tuple(min(m[k] for m in high) for k in range(len(names)))
    form = Form(
        tuple(_fresh(goal, f"{n}_") for n in names),
        (True,) * len(names),
        {tuple(a - b for a, b in zip(m, low, strict=True)): c for m, c in high.items()},
    )
    proof = (
        Cutting(goal, _FEW).shown(form, len(goal.given), 0) if max(map(sum, form.powers)) <= _DEGREE else None
    )
    if proof is None:
        return None
    factor = _monomial(Fraction(1), low, form.names)
    proof = {"by": "multiply", "factor": factor, "positive": RANGE, "quotient": form.text, "proof": proof}
    new = [_variable(w, f"{n}**({Fraction(1, root)})", True) for w, n in zip(form.names, names, strict=True)]
    inner = replace(form, powers=high).text
    return {
        "by": "given",
        "hypothesis": index,
        "multiplier": f"({sign})*({' + '.join(sums)})/({_geometric(t, root)})",
        "rest": " + ".join(rest),
        "proof": {"by": "compose", "variables": new, "expression": inner, "proof": proof},
    }


def _geometric(t: str, n: int) -> str:
    """(1 - t^n)/(1 - t)."""
    return " + ".join(f"{t}**{k}" for k in range(n)) or "0"


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
            variable = {**_variable(new, gap, False), "lower": said(index)}
            parts.append({"by": "compose", **variable, "expression": part.text, "proof": proof})
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
