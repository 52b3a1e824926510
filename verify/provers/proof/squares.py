"""The rule ``combine`` by semidefinite programming: sums of squares with rational coefficients.

Looked for is  s f = Σ_k g_k · m_kᵀ Q_k m_k  with products g_k of what is known (a few at a time), lists of
monomials m_k and positive semidefinite Q_k; s is 1, or one of a few polynomials that are positive but for a
thin set.  A program in floating point finds the Q_k (``rounding``); where it does not, squares are completed
one after the other (``completing``).  Equations of the domain are 0: all of it is looked for modulo their
multiples, and what these are is found at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.goals import Goal, Node
from verify.provers.proof.completing import WORK, completed
from verify.provers.proof.polynomials import Powers, is_polynomial, powers_of
from verify.provers.proof.quotients import Modulo, monomials_up_to
from verify.provers.proof.rounding import (
    Exponents,
    Solution,
    SquareBlock,
    pivots_of,
    reduced,
    remaining,
    times,
)
from verify.provers.proof.state import ProofSearch

_DEGREE, _VARIABLES = 12, 8
_BASIS, _ROWS, _ENTRIES = 45, 330, 400_000  # sizes of a program that is tried
_PROGRAMS = 15  # in one search
_FACTORS = 3  # of a product


def by_squares(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """A polynomial in several variables."""
    del depth
    several = len(goal.variables) > 1 or (goal.variables and goal.known)
    if not several or len(goal.ranges) > _VARIABLES or not is_polynomial(goal):
        return None
    if any(r.lower == r.upper is not None for r in goal.ranges.values()):
        return None
    node: Node | None = search.once(_proved, search, goal, key=goal.key)
    return node


def _proved(search: ProofSearch, goal: Goal) -> Node | None:
    names = sorted(goal.ranges)
    symbols = [goal.symbols[name] for name in names]
    f = powers_of(goal.expression, symbols)
    if not f or max(map(sum, f)) > _DEGREE:
        return None
    left = search.once(_budget, key="programs")
    known, equations = list(_known(goal, symbols)), list(_equations(goal, symbols))
    for words, s in _multipliers(goal, f, names, known):
        for most in range(1 + min(len(known), _FACTORS)):
            target = times(f, s)
            top = max(map(sum, target))
            modulo = Modulo([h for _, h in equations], top + top % 2)
            blocks = _blocks(target, known, most, modulo)
            if left[0] <= 0 or blocks is None:
                continue
            left[0] -= 1
            found = reduced(blocks, target, modulo)
            if found is not None and (not goal.strict or any(_strict(goal, b, q) for b, q in found)):
                node = _node(found, words, symbols)
                sources = [word for word, _ in equations]
                node["blocks"] += _multiples(remaining(target, found), sources, modulo, symbols)
                return node
    squares = completed(f, search.once(_steps, key="steps"))
    if squares is None or (goal.strict and not any(set(map(sum, p)) == {0} for _, p in squares)):
        return None
    written = [{"basis": [text_of(_expression(p, symbols))], "gram": [[str(c)]]} for c, p in squares]
    return {"by": "combine", "blocks": written}


def _budget() -> list[int]:
    return [_PROGRAMS]


def _steps() -> list[int]:
    return [WORK]


def _known(goal: Goal, symbols: Sequence[Any]) -> Iterator[tuple[str, Powers]]:
    """Ends of ranges and hypotheses, as polynomials; a range with two ends is one product."""
    for name in sorted(goal.ranges):
        r, x = goal.ranges[name], goal.symbols[name]
        for word, end, sign in (("lower", r.lower, 1), ("upper", r.upper, -1)):
            if end is not None:
                yield f"{word} {name}", powers_of(sign * (x - sympy.Rational(end)), symbols) or {}
    for index, h in enumerate(goal.given):
        found = None if h is None or h.relation == "==" else powers_of(h.right - h.left, symbols)
        if found:
            yield f"hypothesis {index}", found


def _equations(goal: Goal, symbols: Sequence[Any]) -> Iterator[tuple[str, Powers]]:
    """Hypotheses with ==, as polynomials."""
    for index, h in enumerate(goal.given):
        found = powers_of(h.right - h.left, symbols) if h is not None and h.relation == "==" else None
        if found:
            yield f"hypothesis {index}", found


def _multiples(rest: Powers, words: Sequence[str], modulo: Modulo, symbols: Sequence[Any]) -> list[Node]:
    """What remains besides the sums of squares, as multiples of the equations."""
    used, blocks = modulo.of(rest)[1], list[Node]()
    for k, word in enumerate(words):
        p = {m: c for (index, m), c in used.items() if index == k}
        if p:
            basis = ["1", text_of(_expression(p, symbols))]
            blocks.append({"factors": [word], "basis": basis, "gram": [["0"], ["1/2", "0"]]})
    return blocks


def _multipliers(
    goal: Goal, f: Powers, names: Sequence[str], known: Sequence[tuple[str, Powers]]
) -> Iterator[tuple[list[Node], Powers]]:
    """Polynomials to multiply with, and how a certificate writes them."""
    n = len(names)
    units = [tuple(int(i == k) for i in range(n)) for k in range(n)]
    one = {(0,) * n: Fraction(1)}
    yield [], one
    homogeneous = len({sum(m) for m in f}) == 1
    if homogeneous and all(goal.ranges[name].lower == 0 for name in names):
        yield (
            [{"factors": [f"lower {name}"], "gram": [["1"]]} for name in names],
            {u: Fraction(1) for u in units},
        )
    squares = [{"basis": [name], "gram": [["1"]]} for name in names]
    distance = {tuple(2 * a for a in u): Fraction(1) for u in units}
    if homogeneous and not (goal.strict or any(word.startswith("h") for word, _ in known)):
        yield squares, distance
    else:
        yield [{"gram": [["1"]]}, *squares], {**one, **distance}


# ---------------------------------------------------------------- which monomials


def _blocks(
    f: Powers, known: Sequence[tuple[str, Powers]], most: int, modulo: Modulo
) -> list[SquareBlock] | None:
    """The products of at most so many factors, each with its monomials; ``None`` if there are too many."""
    n = len(next(iter(f)))
    products: list[tuple[tuple[str, ...], Powers]] = [((), {(0,) * n: Fraction(1)})]
    for size in range(1, most + 1):
        for chosen in combinations(known, size):
            g: Powers = {(0,) * n: Fraction(1)}
            for _, part in chosen:
                g = times(g, part)
            products.append((tuple(word for word, _ in chosen), g))
    signs = _symmetries([f, *(g for _, g in products), *modulo.equations], n)
    found: list[SquareBlock] = []
    for words, g in products:
        if modulo.equations:
            room = (max(map(sum, f)) + max(map(sum, f)) % 2 - max(map(sum, g))) // 2
            monomials = [m for m in monomials_up_to(room, n) if not modulo.leads(m)]
        else:
            monomials = _monomials(f, g, alone=len(products) == 1)
        classes: dict[tuple[int, ...], list[Exponents]] = {}
        for m in monomials:
            classes.setdefault(
                tuple(sum(a * b for a, b in zip(m, s, strict=True)) % 2 for s in signs), []
            ).append(m)
        found += [SquareBlock(words, g, tuple({m: Fraction(1)} for m in part)) for part in classes.values()]
    sizes = [len(block.basis) for block in found]
    if not found or max(sizes) > _BASIS:
        return None
    reached = {m for block in found for m in block.entries(modulo)}
    if len(reached) > _ROWS or not set(modulo.of(f)[0]) <= reached:
        return None
    return found if len(reached) * sum(size**2 for size in sizes) <= _ENTRIES else None


def _symmetries(polynomials: Sequence[Powers], n: int) -> list[Exponents]:
    """Changes of signs of variables that change none of the polynomials."""
    odd = {tuple(a % 2 for a in m) for p in polynomials for m in p}
    return [
        s
        for s in product((0, 1), repeat=n)
        if any(s) and not any(sum(a * b for a, b in zip(m, s, strict=True)) % 2 for m in odd)
    ]


def _monomials(f: Powers, g: Powers, *, alone: bool) -> list[Exponents]:
    """Those whose squares times g fit into f; alone, without those that nothing cancels."""
    n = len(next(iter(f)))
    low, high = (min(map(sum, f)) - min(map(sum, g)) + 1) // 2, (max(map(sum, f)) - max(map(sum, g))) // 2
    most = [(max(m[k] for m in f) - max(m[k] for m in g)) // 2 for k in range(n)]
    if any(d < 0 for d in most) and alone:
        return []
    caps = most if alone else [max(high, 0)] * n
    found = [m for m in product(*(range(d + 1) for d in caps)) if low <= sum(m) <= high]
    while alone:
        sums = {}
        for a in found:
            for b in found:
                if a != b:
                    sums[tuple(x + y for x, y in zip(a, b, strict=True))] = True
        kept = [m for m in found if (d := tuple(2 * a for a in m)) in f or d in sums]
        if len(kept) == len(found):
            break
        found = kept
    return found


# ---------------------------------------------------------------- the certificate


def _strict(goal: Goal, block: SquareBlock, gram: list[list[Fraction]]) -> bool:
    """Whether the block is positive: what the checker asks of one of them if the goal is strict."""
    number = any(set(map(sum, p)) == {0} for p in block.basis)
    return number and all(pivots_of(gram) or [0]) and all(_is_strict(goal, word) for word in block.words)


def _is_strict(goal: Goal, word: str) -> bool:
    kind, name = word.split(" ", 1)
    if kind == "hypothesis":
        h = goal.given[int(name)]
        return h is not None and h.relation == "<"
    return goal.ranges[name].lower_open if kind == "lower" else goal.ranges[name].upper_open


def _node(found: Solution, multiplier: list[Node], symbols: Sequence[Any]) -> Node:
    blocks = []
    for block, gram in found:
        if any(c for row in gram for c in row):
            basis = [text_of(_expression(p, symbols)) for p in block.basis]
            words = {"factors": list(block.words)} if block.words else {}
            blocks.append({**words, "basis": basis, "gram": [[str(c) for c in row] for row in gram]})
    return {"by": "combine", **({"multiplier": multiplier} if multiplier else {}), "blocks": blocks}


def _expression(p: Powers, symbols: Sequence[Any]) -> Any:
    return sympy.Add(
        *(
            sympy.Rational(c) * sympy.Mul(*(x**a for x, a in zip(symbols, m, strict=True)))
            for m, c in p.items()
        )
    )
