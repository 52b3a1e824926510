"""From matrices in floating point to sums of squares with rational coefficients.

Given products g_k and lists of polynomials m_k, looked for are positive semidefinite Q_k with
Σ_k g_k · m_kᵀ Q_k m_k = f, modulo the equations of the domain.  If those of the program are definite, they
are rounded to fractions and moved back onto the equations between coefficients, exactly (Peyrl, Parrilo).  If
they are not (f vanishes somewhere), their null space is read off and rounded, and m_k replaced by its
combinations that vanish there too; then again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from verify.provers.meter import spend
from verify.provers.proof.linear import solved
from verify.provers.proof.polynomials import Powers
from verify.provers.proof.quotients import Modulo
from verify.provers.proof.semidefinite import most_definite

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
class SquareBlock:
    """A product of what is known, and the polynomials whose squares it is multiplied with."""

    words: tuple[str, ...]
    factor: Powers
    basis: tuple[Powers, ...]

    def entries(self, modulo: Modulo) -> dict[Exponents, dict[tuple[int, int], Fraction]]:
        """By monomial: what each entry of the matrix (its lower half) contributes."""
        found: dict[Exponents, dict[tuple[int, int], Fraction]] = {}
        for i, p in enumerate(self.basis):
            for j, q in enumerate(self.basis[: i + 1]):
                for m, c in modulo.of(times(self.factor, times(p, q)))[0].items():
                    found.setdefault(m, {})[i, j] = c * (1 if i == j else 2)
        return found

    def value(self, gram: Sequence[Sequence[Fraction]]) -> dict[Exponents, Fraction]:
        """The product that it is with this matrix."""
        total: dict[Exponents, Fraction] = {}
        for i, row in enumerate(gram):
            for j, c in enumerate(row):
                for m, d in times(self.basis[i], self.basis[j]).items() if c else ():
                    total[m] = total.get(m, Fraction(0)) + d * (c if i == j else 2 * c)
        return times(self.factor, total)


def times(p: Powers, q: Powers) -> dict[Exponents, Fraction]:
    """The product of two polynomials."""
    spend(5 + 4 * len(p) * len(q))
    found: dict[Exponents, Fraction] = {}
    for m, c in p.items():
        for n, d in q.items():
            joined = tuple(a + b for a, b in zip(m, n, strict=True))
            found[joined] = found.get(joined, Fraction(0)) + c * d
    return {m: c for m, c in found.items() if c}


Solution = list[tuple[SquareBlock, list[list[Fraction]]]]


def reduced(blocks: list[SquareBlock], f: Powers, modulo: Modulo) -> Solution | None:
    """Solve, and take out null spaces until the solution is definite."""
    f = modulo.of(f)[0]
    for _ in range(_ROUNDS if f else 0):
        every = [block.entries(modulo) for block in blocks]
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


def remaining(f: Powers, found: Solution) -> dict[Exponents, Fraction]:
    """What a solution leaves of f: nothing, but for multiples of equations."""
    rest = dict(f)
    for block, gram in found:
        for m, c in block.value(gram).items():
            rest[m] = rest.get(m, Fraction(0)) - c
    return {m: c for m, c in rest.items() if c}


def _array(
    entries: Mapping[Exponents, Mapping[tuple[int, int], Fraction]], rows: list[Exponents], n: int
) -> Floats:
    found = np.zeros((len(rows), n, n))
    for k, m in enumerate(rows):
        for (i, j), c in entries.get(m, {}).items():
            found[k, i, j] += float(c) / 2
            found[k, j, i] += float(c) / 2
    return found


def _without_null(block: SquareBlock, q: Floats) -> SquareBlock:
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
        if all(_short(q) and pivots_of(q) is not None for q in found):
            return found
    return None


def _short(lower: Sequence[Sequence[Fraction]]) -> bool:
    """Whether the checker will look at the matrix."""
    scale = lcm(*(c.denominator for row in lower for c in row))
    longest = max(abs(int(c * scale)).bit_length() for row in lower for c in row)
    return len(lower) * longest <= _LENGTH


def _dot(a: Mapping[int, Fraction], b: Mapping[int, Fraction]) -> Fraction:
    return sum((c * b[k] for k, c in a.items() if k in b), Fraction(0))


def pivots_of(lower: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
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
