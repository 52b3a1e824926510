"""The rule ``combine`` by semidefinite programming: sums of squares with rational coefficients.

Looked for is  s f = Σ_k g_k · m_kᵀ Q_k m_k  with products g_k of what is known (a few at a time), lists of
monomials m_k and positive semidefinite Q_k; s is 1, or one of a few polynomials that are positive but for a
thin set.  A program in floating point finds the Q_k.  If they are definite, they are rounded to fractions
and moved back onto the equations, exactly (Peyrl and Parrilo).  If they are not (f vanishes somewhere), their
null space is read off and rounded, and m_k replaced by its combinations that vanish there too; then again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import lcm
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from verify.claims import text_of
from verify.provers.goals import Goal, Node
from verify.provers.proof.linear import solved
from verify.provers.proof.polynomials import Powers, is_polynomial, powers_of
from verify.provers.proof.semidefinite import most_definite
from verify.provers.proof.state import ProofSearch

_DEGREE, _VARIABLES = 12, 8
_BASIS, _ROWS, _ENTRIES = 45, 330, 400_000  # sizes of a program that is tried
_PROGRAMS = 15  # in one search
_FACTORS = 3  # of a product
_ROUNDS = 4  # of taking out null spaces
_DEFINITE, _SINGULAR = (
    1e-7,
    1e-4,
)  # t above which Q is taken to be definite; eigenvalues below which it is not
_SIMPLE = 64  # largest denominator in a null space
_LENGTH = 20_000  # rows times bits that the checker takes
_BITS = (6, 12, 20, 32)  # to which matrices are rounded

Exponents = tuple[int, ...]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Block:
    """A product of what is known, and the polynomials whose squares it is multiplied with."""

    words: tuple[str, ...]
    factor: Powers
    basis: tuple[Powers, ...]

    def entries(self) -> dict[Exponents, dict[tuple[int, int], Fraction]]:
        """By monomial: what each entry of the matrix (its lower half) contributes."""
        found: dict[Exponents, dict[tuple[int, int], Fraction]] = {}
        for i, p in enumerate(self.basis):
            for j, q in enumerate(self.basis[: i + 1]):
                for m, c in _times(self.factor, _times(p, q)).items():
                    found.setdefault(m, {})[i, j] = c * (1 if i == j else 2)
        return found


def _times(p: Powers, q: Powers) -> dict[Exponents, Fraction]:
    found: dict[Exponents, Fraction] = {}
    for m, c in p.items():
        for n, d in q.items():
            joined = tuple(a + b for a, b in zip(m, n, strict=True))
            found[joined] = found.get(joined, Fraction(0)) + c * d
    return {m: c for m, c in found.items() if c}


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
    known = list(_known(goal, symbols))
    for words, s in _multipliers(goal, f, names, known):
        for most in range(1 + min(len(known), _FACTORS)):
            blocks = _blocks(_times(f, s), known, most)
            if left[0] <= 0 or blocks is None:
                continue
            left[0] -= 1
            found = _reduced(blocks, _times(f, s))
            if found is not None and (not goal.strict or any(_strict(goal, b, q) for b, q in found)):
                return _node(found, words, symbols)
    return None


def _budget() -> list[int]:
    return [_PROGRAMS]


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


def _blocks(f: Powers, known: Sequence[tuple[str, Powers]], most: int) -> list[_Block] | None:
    """The products of at most so many factors, each with its monomials; ``None`` if there are too many."""
    n = len(next(iter(f)))
    products: list[tuple[tuple[str, ...], Powers]] = [((), {(0,) * n: Fraction(1)})]
    for size in range(1, most + 1):
        for chosen in combinations(known, size):
            g: Powers = {(0,) * n: Fraction(1)}
            for _, part in chosen:
                g = _times(g, part)
            products.append((tuple(word for word, _ in chosen), g))
    signs = _symmetries([f, *(g for _, g in products)], n)
    found: list[_Block] = []
    for words, g in products:
        monomials = _monomials(f, g, alone=len(products) == 1)
        classes: dict[tuple[int, ...], list[Exponents]] = {}
        for m in monomials:
            classes.setdefault(
                tuple(sum(a * b for a, b in zip(m, s, strict=True)) % 2 for s in signs), []
            ).append(m)
        found += [_Block(words, g, tuple({m: Fraction(1)} for m in part)) for part in classes.values()]
    reached = {m for block in found for m in block.entries()}
    sizes = [len(block.basis) for block in found]
    if not found or max(sizes) > _BASIS or len(reached) > _ROWS or not set(f) <= reached:
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


# ---------------------------------------------------------------- from floating point to fractions

Solution = list[tuple[_Block, list[list[Fraction]]]]


def _reduced(blocks: list[_Block], f: Powers) -> Solution | None:
    """Solve, and take out null spaces until the solution is definite."""
    for _ in range(_ROUNDS):
        every = [block.entries() for block in blocks]
        rows = sorted({m for entries in every for m in entries})
        if not set(f) <= set(rows):
            return None
        arrays = [_array(entries, rows, len(b.basis)) for entries, b in zip(every, blocks, strict=True)]
        scale = max(abs(c) for c in f.values())
        right = np.array([float(f.get(m, Fraction(0)) / scale) for m in rows])
        found = most_definite(arrays, right)
        if found is None or found[0] < -1e-6:
            return None
        t, matrices = found
        if t > _DEFINITE:
            exact = _rounded(every, rows, f, [float(scale) * q for q in matrices])
            return None if exact is None else list(zip(blocks, exact, strict=True))
        smaller = [_without_null(b, q) for b, q in zip(blocks, matrices, strict=True)]
        if all(a is b for a, b in zip(smaller, blocks, strict=True)):
            return None
        blocks = [b for b in smaller if b.basis]
        if not blocks:
            return None
    return None


def _array(
    entries: Mapping[Exponents, Mapping[tuple[int, int], Fraction]], rows: list[Exponents], n: int
) -> Floats:
    found = np.zeros((len(rows), n, n))
    for k, m in enumerate(rows):
        for (i, j), c in entries.get(m, {}).items():
            found[k, i, j] += float(c) / 2
            found[k, j, i] += float(c) / 2
    return found


def _without_null(block: _Block, q: Floats) -> _Block:
    """With the combinations of its polynomials that a null vector of the matrix excludes taken out."""
    values, vectors = np.linalg.eigh(q)
    null = vectors[:, values < _SINGULAR * max(1.0, float(values[-1]))].T
    if not len(null):
        return block
    reduced, pivots = _echelon(null)
    exact = [[Fraction(float(c)).limit_denominator(_SIMPLE) for c in row] for row in reduced]
    if any(
        abs(float(a) - b) > 1e-3
        for row, seen in zip(exact, reduced, strict=True)
        for a, b in zip(row, seen, strict=True)
    ):
        return block
    basis = []
    for j in range(len(block.basis)):
        if j not in pivots:
            p = dict(block.basis[j])
            for i, at in enumerate(pivots):
                for m, c in block.basis[at].items():
                    p[m] = p.get(m, Fraction(0)) - exact[i][j] * c
            basis.append({m: c for m, c in p.items() if c})
    return replace(block, basis=tuple(basis))


def _echelon(rows: Floats) -> tuple[Floats, list[int]]:
    """Reduced, with the largest entries as pivots."""
    m, pivots = rows.copy(), list[int]()
    for i in range(len(m)):
        at = int(np.argmax(np.abs(m[i])))
        m[i] /= m[i, at]
        pivots.append(at)
        for k in range(len(m)):
            if k != i:
                m[k] -= m[k, at] * m[i]
    return m, pivots


def _rounded(
    every: Sequence[Mapping[Exponents, Mapping[tuple[int, int], Fraction]]],
    rows: list[Exponents],
    f: Powers,
    matrices: Sequence[Floats],
) -> list[list[list[Fraction]]] | None:
    """Fractions near the matrices that solve the equations and are positive semidefinite."""
    places = [(b, i, j) for b, q in enumerate(matrices) for i in range(len(q)) for j in range(i + 1)]
    index = {place: k for k, place in enumerate(places)}
    equations = [
        {index[b, i, j]: c for b, entries in enumerate(every) for (i, j), c in entries.get(m, {}).items()}
        for m in rows
    ]
    gram = [[_dot(a, b) for b in equations] for a in equations]
    for bits in _BITS:
        x = [Fraction(round(float(matrices[b][i, j]) * 2**bits), 2**bits) for b, i, j in places]
        missing = [
            f.get(m, Fraction(0)) - sum((c * x[k] for k, c in e.items()), Fraction(0))
            for m, e in zip(rows, equations, strict=True)
        ]
        y = solved(gram, missing)
        if y is None:
            return None
        for weight, e in zip(y, equations, strict=True):
            for k, c in e.items():
                x[k] += weight * c
        found = [
            [[x[index[b, i, j]] for j in range(i + 1)] for i in range(len(q))] for b, q in enumerate(matrices)
        ]
        if all(_short(q) and _pivots(q) is not None for q in found):
            return found
    return None


def _short(lower: Sequence[Sequence[Fraction]]) -> bool:
    """Whether the checker will look at the matrix."""
    scale = lcm(*(c.denominator for row in lower for c in row))
    longest = max(abs(int(c * scale)).bit_length() for row in lower for c in row)
    return len(lower) * longest <= _LENGTH


def _dot(a: Mapping[int, Fraction], b: Mapping[int, Fraction]) -> Fraction:
    return sum((c * b[k] for k, c in a.items() if k in b), Fraction(0))


def _pivots(lower: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Of elimination, if the matrix is positive semidefinite."""
    n = len(lower)
    m = [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    for k in range(n):
        if m[k][k] < 0 or (m[k][k] == 0 and any(m[k][k:])):
            return None
        for i in range(k + 1, n) if m[k][k] else ():
            ratio = m[i][k] / m[k][k]
            for j in range(k + 1, n):
                m[i][j] -= ratio * m[k][j]
    return [m[k][k] for k in range(n)]


# ---------------------------------------------------------------- the certificate


def _strict(goal: Goal, block: _Block, gram: list[list[Fraction]]) -> bool:
    """Whether the block is positive: what the checker asks of one of them if the goal is strict."""
    number = any(set(map(sum, p)) == {0} for p in block.basis)
    return number and all(_pivots(gram) or [0]) and all(_is_strict(goal, word) for word in block.words)


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
