"""Monomials as variables, and a monomial that is 1: polynomials in positive variables, before they are cut.

Where an equation says that a monomial M is 1, its powers make a polynomial homogeneous (``given``), in
roots of the variables if need be: with abc = 1, a + 1 becomes a + (abc)^(1/3).

Or it says what one of the variables is, c = 1/(ab), which is put in.  Then, and for any polynomial, monomials
are taken as variables as long as the degree falls: with u = xy, x^i y^j = u^i y^(j - i), up to a power of y
that all terms share.  So zeros along xy = 1 or xy = y² come to lie where variables agree, and are cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import gcd
from typing import Any

from verify.provers.goals import Goal, Node
from verify.provers.proof.changes import in_orthants
from verify.provers.proof.differences import (
    DEGREE,
    FEW,
    RANGE,
    TERMS,
    Cutting,
    Form,
    by_differences,
    by_many_differences,
    fresh,
    homogeneous,
    monomial,
    variable,
)
from verify.provers.proof.leaves import Work
from verify.provers.proof.polynomials import Powers, is_polynomial, powers_of
from verify.provers.proof.rounding import Exponents
from verify.provers.proof.state import ProofSearch

_GOALS, _LONGEST = 12, 4000  # goals of a search, and operations in the longest


def ordered(goal: Goal, *, at_length: bool = False) -> Node | None:
    """By differences, of the variables or of what hypotheses say of them; few of them, or at length."""
    rule = by_many_differences if at_length else by_differences
    search = ProofSearch((by_unit, rule, by_products), _GOALS, _LONGEST, Work(0))
    node = search.prove(goal, 1) if search.plausible(goal) else None
    if node is not None or not goal.known:
        return node
    for change in in_orthants(search, goal):
        node = search.prove(change.goal, 1)
        if node is not None:
            return change.around(node)
    return None


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
    if not p or len(p) > TERMS:
        return None
    top, whole = max(map(sum, p)), sum(unit)
    step = gcd(whole, *(top - sum(m) for m in p))
    root = whole // step  # t = M^(1/root), and x = w^root
    t = f"(({monomial(Fraction(1), unit, names)})**({Fraction(1, root)}))"
    sums = [f"{monomial(c, m, names)}*({_geometric(t, (top - sum(m)) // step)})" for m, c in p.items()]
    rest = [f"{monomial(c, m, names)}*{t}**{(top - sum(m)) // step}" for m, c in p.items()]
    high = {
        tuple(root * a + k * ((top - sum(m)) // step) for a, k in zip(m, unit, strict=True)): c
        for m, c in p.items()
    }
    low = tuple(min(m[k] for m in high) for k in range(len(names)))
    form = Form(
        tuple(fresh(goal, f"{n}_") for n in names),
        (True,) * len(names),
        {tuple(a - b for a, b in zip(m, low, strict=True)): c for m, c in high.items()},
    )
    proof = (
        Cutting(goal, FEW).shown(form, len(goal.given), 0) if max(map(sum, form.powers)) <= DEGREE else None
    )
    if proof is None:
        return None
    factor = monomial(Fraction(1), low, form.names)
    proof = {"by": "multiply", "factor": factor, "positive": RANGE, "quotient": form.text, "proof": proof}
    new = [variable(w, f"{n}**({Fraction(1, root)})", True) for w, n in zip(form.names, names, strict=True)]
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


# ---------------------------------------------------------------- monomials as variables


def by_products(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in positive variables, without one that an equation knows, in monomials of the others."""
    del depth
    positive = all(r.lower == 0 and r.lower_open for r in goal.ranges.values())
    if not positive or len(goal.ranges) < 2 or not is_polynomial(goal):
        return None
    node: Node | None = search.once(_in_products, goal, key=goal.key)
    return node


def _in_products(goal: Goal) -> Node | None:
    names = sorted(goal.ranges)
    p = powers_of(goal.expression, [goal.symbols[n] for n in names])
    if not p or len(p) > TERMS:
        return None
    units = [
        (index, *found)
        for index, h in enumerate(goal.given)
        if h is not None and h.relation == "==" and (found := _unit(goal, h.right - h.left)) is not None
    ]
    if not units:
        return _reduced(goal, names, p)
    for index, unit, sign in units:
        for k, a in enumerate(unit):
            if a == 1:
                node = _without(goal, names, p, k, unit)
                if node is not None:
                    return {**node, "hypothesis": index, "multiplier": f"({-sign})*({node['multiplier']})"}
    return None


def _without(goal: Goal, names: list[str], p: Powers, k: int, unit: Exponents) -> Node | None:
    """With x = 1/N, where M = x N is 1: x^a - N^(-a) = N^(-a) (1 + M + … + M^(a - 1)) (M - 1)."""
    others = tuple(0 if i == k else a for i, a in enumerate(unit))
    rest: dict[Exponents, Fraction] = {}
    multiplier = []
    whole = f"({monomial(Fraction(1), unit, names)})"
    for m, c in p.items():
        left = tuple(0 if i == k else a - m[k] * b for i, (a, b) in enumerate(zip(m, others, strict=True)))
        rest[left] = rest.get(left, Fraction(0)) + c
        if m[k]:
            multiplier.append(f"{_laurent(c, left, names)}*({_geometric(whole, m[k])})")
    rest = {m: c for m, c in rest.items() if c}
    proof = _reduced(goal, names, rest, always=True) if rest else RANGE
    text = " + ".join(_laurent(c, m, names) for m, c in rest.items()) or "0"
    return proof and {
        "by": "given",
        "multiplier": " + ".join(multiplier) or "0",
        "rest": text,
        "proof": proof,
    }


def _laurent(c: Fraction, m: Exponents, names: list[str]) -> str:
    """A term whose exponents may be negative."""
    return "*".join([f"({c})", *(f"{n}**({a})" for n, a in zip(names, m, strict=True) if a)])


def _reduced(goal: Goal, names: list[str], p: Powers, *, always: bool = False) -> Node | None:
    """In monomials, as long as the degree falls; then by differences."""
    used = [k for k in range(len(names)) if any(m[k] for m in p)]
    inner = {k: tuple(int(i == k) for i in range(len(names))) for k in used}
    terms: Powers = {tuple(m[k] for k in used): c for m, c in p.items()}
    while smaller := min(_steps(terms, len(used)), key=lambda step: step[0], default=None):
        degree, i, j, new = smaller
        if degree >= _degree(terms):
            break
        always, terms = True, new
        inner[used[i]] = tuple(a + b for a, b in zip(inner[used[i]], inner[used[j]], strict=True))
    if not always or len(used) < 2 or _degree(terms) > DEGREE:
        return None
    words = [fresh(goal, f"{names[k]}_") for k in used]
    new_variables = [
        variable(w, monomial(Fraction(1), inner[k], names), True) for w, k in zip(words, used, strict=True)
    ]
    low = _low(terms)
    powers: Powers = {tuple(a - b for a, b in zip(m, low, strict=True)): c for m, c in terms.items()}
    factor = _laurent(Fraction(1), low, words)
    if len(set(map(sum, powers))) > 1:
        powers, one = homogeneous(powers), fresh(goal, "one")
        words.append(one)
        new_variables.append(variable(one, "1", True))
    form = Form(tuple(words), (True,) * len(words), powers)
    proof = Cutting(goal, FEW).shown(form, len(goal.given), 0)
    if proof is None:
        return None
    proof = {"by": "multiply", "factor": factor, "positive": RANGE, "quotient": form.text, "proof": proof}
    return {
        "by": "compose",
        "variables": new_variables,
        "expression": f"{factor}*({form.text})",
        "proof": proof,
    }


def _steps(terms: Powers, n: int) -> Iterator[tuple[int, int, int, Powers]]:
    """With the product of two variables in the place of the first one: the new degree, which, the terms."""
    for i, j in permutations(range(n), 2):
        new = {(*m[:j], m[j] - m[i], *m[j + 1 :]): c for m, c in terms.items()}
        yield _degree(new), i, j, new


def _low(terms: Powers) -> Exponents:
    return tuple(map(min, zip(*terms, strict=True)))


def _degree(terms: Powers) -> int:
    return max(map(sum, terms)) - sum(_low(terms))
