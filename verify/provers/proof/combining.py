"""The rule ``combine`` by linear programming: the goal as a sum of products of what is known.

Ranges, hypotheses, facts about the functions that occur and squares of variables are multiplied, a few at
a time; which products add up to the goal, or to the goal times some of them, is a linear program over the
monomials.  For functions that increase, F(v) - F(u) is one of the facts where v - u is seen to have a sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.expressions import length, variables_of
from verify.provers.goals import Goal, Node
from verify.provers.proof.leaves import in_range
from verify.provers.proof.linear import non_negative
from verify.provers.proof.polynomials import (
    UNIT,
    Atoms,
    Monomial,
    Sum,
    degree,
    is_polynomial,
    product_of,
    times,
)
from verify.provers.proof.state import ProofSearch, tame
from verify.provers.ranges import range_of

_LONG = 150  # operations of a goal
_PRODUCTS, _FEW = 300, 60  # for a goal, and for comparing the arguments of two functions
_FACTORS = 5  # of a product
_PAIRS = 12  # of functions that are compared
_TRIES = 30  # linear programs of one search
_KINKS = (sympy.Abs, sympy.Max, sympy.Min)
_INCREASING = {sympy.exp: "exp", sympy.log: "log", sympy.atan: "atan", sympy.sinh: "sinh", sympy.tanh: "tanh"}
_NEEDED: Monomial = ((-1, Fraction(1)),)  # the equation that excludes 0 = 0


@dataclass(frozen=True)
class Known:
    """Something that is >= 0 (> 0 if strict): how a certificate calls it, and its monomials."""

    value: Sum
    strict: bool
    word: str = ""
    root: Any = None  # of a square
    fact: Node | None = None  # with a proof of its own
    vanishes: bool = False


@dataclass(frozen=True)
class Product:
    """Some of what is known, multiplied."""

    factors: tuple[Known, ...]
    value: Sum
    cofactor: Monomial = UNIT  # of an equation
    sign: int = 1

    @property
    def strict(self) -> bool:
        """Whether it is > 0."""
        return all(k.strict for k in self.factors) and not self.vanishes

    @property
    def vanishes(self) -> bool:
        """Whether an equation makes it 0."""
        return any(k.vanishes for k in self.factors)


def by_combining(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Several hypotheses together."""
    del depth
    e = goal.expression
    if length(e) > _LONG or not (
        goal.known or e.has(*_KINKS) or (len(goal.variables) > 1 and is_polynomial(goal))
    ):
        return None
    tries = search.once(_counter, key="combine")
    if tries[0] <= 0 and goal.key not in tries:
        return None
    node: Node | None = search.once(_combined, goal, key=goal.key)
    tries[0] -= 1
    return node


def _counter() -> list[Any]:
    return [_TRIES]


def _combined(goal: Goal, compare: bool = True) -> Node | None:
    atoms = Atoms()
    f = atoms.of(goal.expression)
    if not f or any(r.lower == r.upper and r.lower is not None for r in goal.ranges.values()):
        return None
    known = [*bounds(goal, atoms), *hypotheses(goal, atoms)]
    known += [*_squares(goal, atoms), *_facts(goal, atoms)]
    if compare:
        known += _orders(goal, atoms)
    highest, most = max(degree(f), Fraction(2)), _PRODUCTS if compare else _FEW
    products = list(_products(known, highest, most))
    for multipliers in ([Product((), {UNIT: Fraction(1)})], _multipliers(known)):
        columns = [
            {**p.value, **({_NEEDED: Fraction(1)} if goal.strict and p.strict else {})} for p in products
        ]
        for m in multipliers:
            needed = {_NEEDED: Fraction(1)} if m.strict and not goal.strict else {}
            columns.append({**{k: -c for k, c in times(f, m.value).items()}, **needed})
        found = non_negative(columns, {_NEEDED: Fraction(1)})
        if found is not None:
            left = _used(multipliers, found[len(products) :])
            return _node(left, _used(products, found[: len(products)]), atoms)
    return None


def _used(products: Sequence[Product], numbers: Sequence[Fraction]) -> list[tuple[Product, Fraction]]:
    return [(p, c) for p, c in zip(products, numbers, strict=True) if c]


# ---------------------------------------------------------------- what is known


def bounds(goal: Goal, atoms: Atoms) -> Iterator[Known]:
    """The ends of the ranges."""
    for name in sorted(goal.ranges):
        r, x = goal.ranges[name], goal.symbols[name]
        if r.lower is not None and (value := atoms.of(x - sympy.Rational(r.lower))):
            yield Known(value, r.lower_open, f"lower {name}")
        if r.upper is not None and (value := atoms.of(sympy.Rational(r.upper) - x)):
            yield Known(value, r.upper_open, f"upper {name}")


def hypotheses(goal: Goal, atoms: Atoms) -> Iterator[Known]:
    """Those of the domain that are defined all over the box."""
    for index, h in enumerate(goal.given):
        if h is None or not set(variables_of(h.right - h.left)) <= set(goal.ranges):
            continue
        value = atoms.of(h.right - h.left) if tame(goal, h.right - h.left) else None
        if value:
            yield Known(value, h.relation == "<", f"hypothesis {index}", None, None, h.relation == "==")


def _squares(goal: Goal, atoms: Atoms) -> Iterator[Known]:
    """Of the variables that may be negative."""
    for name in goal.variables:
        r, x = goal.ranges[name], goal.symbols[name]
        if (r.lower is None or r.lower < 0) and (value := atoms.of(x**2)):
            yield Known(value, False, "", x)


def _fact(atoms: Atoms, goal: Goal, expression: Any, strict: bool, proof: Node) -> Iterator[Known]:
    value = atoms.of(expression)
    if value and tame(goal, expression):
        fact = {"expression": text_of(expression), "strict": strict, "proof": proof}
        yield Known(value, strict, "", None, fact)


def _facts(goal: Goal, atoms: Atoms) -> list[Known]:
    """About the functions that occur: signs, tangents, what a maximum is the largest of."""
    found: list[Known] = []
    for t in _functions(goal):
        for strict in (True, False):
            i = range_of(t, goal.ranges)
            if i is not None and i.positive(strict=strict):
                found += _fact(atoms, goal, t, strict, {"by": "range"})
                break
        u = t.args[0]
        facts: list[Any] = []
        if isinstance(t, sympy.exp) and not u.is_number:
            facts = [t - 1 - u]
        elif isinstance(t, sympy.log):
            facts = [u - 1 - t]
        elif isinstance(t, sympy.Abs):
            facts = [t - u, t + u]
        elif isinstance(t, sympy.Max | sympy.Min):
            facts = [t - a if isinstance(t, sympy.Max) else a - t for a in t.args]
        for fact in facts:
            found += _fact(atoms, goal, fact, False, {"by": "known", "of": text_of(t)})
    return found


def _functions(goal: Goal) -> list[Any]:
    """The functions in the goal and its hypotheses, in a fixed order."""
    every = [goal.expression, *(side for h in goal.known for side in (h.left, h.right))]
    kinds = (*_INCREASING, *_KINKS)
    found = {t for e in every for t in sympy.sympify(e).atoms(*kinds)}
    found |= {
        p for e in every for p in sympy.sympify(e).atoms(sympy.Pow) if not p.exp.is_Integer or p.exp < 0
    }
    return sorted(found, key=text_of)


def _orders(goal: Goal, atoms: Atoms) -> list[Known]:
    """F(v) - F(u) where v - u has a sign; log(1) and exp(0) are compared with, too."""
    found: list[Known] = []
    left = _PAIRS
    for kind, name in _INCREASING.items():
        arguments = [t.args[0] for t in _functions(goal) if isinstance(t, kind)]
        start = (
            {sympy.exp: [sympy.Integer(0)], sympy.log: [sympy.Integer(1)]}.get(kind, []) if arguments else []
        )
        for one, other in combinations([*start, *arguments], 2):
            left -= 1
            for u, v in ((one, other), (other, one)) if left > 0 else ():
                for strict in (True, False):
                    proof = shown(goal.about(v - u, strict=strict))
                    if proof is not None:
                        names = {"function": name, "larger": text_of(v), "smaller": text_of(u)}
                        node = {"by": "increasing", **names, "proof": proof}
                        found += _fact(atoms, goal, kind(v) - kind(u), strict, node)
                        break
    return found


def shown(goal: Goal) -> Node | None:
    """By its range, by a combination without functions that increase, or so without some terms."""
    return in_range(goal) or _combined(goal, compare=False) or _without_terms(goal)


def _without_terms(goal: Goal) -> Node | None:
    """Without the powers that are seen not to be negative: a combination would write them out."""
    terms = sympy.Add.make_args(goal.expression)
    seen = [(t, range_of(t, goal.ranges)) for t in terms]
    clear = [t for t, i in seen if i is not None and i.positive(strict=False) and t.has(sympy.Pow)]
    if not 0 < len(clear) < len(terms) or not tame(goal, goal.expression):
        return None
    part = sympy.Add(*clear)
    rest = goal.expression - part
    proof = _combined(goal.about(rest), compare=False)
    if proof is None:
        return None
    both = [
        {"expression": text_of(part), "proof": {"by": "range"}},
        {"expression": text_of(rest), "proof": proof},
    ]
    return {"by": "sum", "terms": both, **({"strict_term": 1} if goal.strict else {})}


# ---------------------------------------------------------------- products


def _products(known: Sequence[Known], highest: Fraction, most: int) -> Iterator[Product]:
    """Products up to a degree, those of few factors first; equations times monomials."""
    usual = [k for k in known if not k.vanishes]
    heights = [max(degree(k.value), Fraction(1)) for k in usual]
    yield Product((), {UNIT: Fraction(1)})
    count = 1
    for size in range(1, _FACTORS + 1):
        for places in _places(heights, size, highest if size > 1 else max(heights, default=highest)):
            chosen = tuple(usual[i] for i in places)
            if any(k.root is not None for k in chosen) and len({id(k) for k in chosen}) < size:
                continue
            count += 1
            if count > most:
                break
            yield Product(chosen, product_of(k.value for k in chosen))
    monomials = [UNIT, *{m for k in usual for m in k.value if m != UNIT}]
    for k in known:
        for m in monomials if k.vanishes else ():
            for sign in (1, -1):
                yield Product((k,), times(k.value, {m: Fraction(sign)}), m, sign)


def _places(
    heights: Sequence[Fraction], size: int, highest: Fraction, first: int = 0
) -> Iterator[tuple[int, ...]]:
    """The places of so many factors, in order and perhaps repeated, whose heights sum up to this at most."""
    if not size:
        yield ()
        return
    for i in range(first, len(heights)):
        if heights[i] + size - 1 <= highest:  # every factor has height 1 at least
            for rest in _places(heights, size - 1, highest - heights[i], i):
                yield (i, *rest)


def _multipliers(known: Sequence[Known]) -> list[Product]:
    one = Product((), {UNIT: Fraction(1)})
    return [one, *(Product((k,), k.value) for k in known if not k.vanishes and k.root is None)]


def _node(
    left: Sequence[tuple[Product, Fraction]], right: Sequence[tuple[Product, Fraction]], atoms: Atoms
) -> Node:
    """The certificate; a multiplier that is a number is divided by."""
    facts: list[Node] = []
    scale = Fraction(1)
    if len(left) == 1 and not left[0][0].factors:
        scale, left = left[0][1], []
    node: Node = {"by": "combine", "blocks": [_block(p, c / scale, facts, atoms) for p, c in right]}
    if left:
        node["multiplier"] = [_block(p, c, facts, atoms) for p, c in left]
    return {**node, "facts": facts} if facts else node


def _block(product: Product, c: Fraction, facts: list[Node], atoms: Atoms) -> Node:
    words, root = [], sympy.Integer(1)
    for k in product.factors:
        if k.root is not None:
            root = root * k.root
        elif k.fact is not None:
            if k.fact not in facts:
                facts.append(k.fact)
            words.append(f"fact {facts.index(k.fact)}")
        else:
            words.append(k.word)
    block: Node = {"factors": words} if words else {}
    if product.cofactor != UNIT:
        half = str(product.sign * c / 2)
        return {
            **block,
            "basis": ["1", text_of(atoms.expression(product.cofactor))],
            "gram": [["0"], [half, "0"]],
        }
    if root != 1:
        block["basis"] = [text_of(root)]
    return {**block, "gram": [[str(product.sign * c)]]}
