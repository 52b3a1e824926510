"""The rule ``bernstein``: the sign of a polynomial on a box, from its coefficients in another basis.

With t in [0, 1], the polynomials B_i(t) = binom(d, i) t^i (1-t)^(d-i) are >= 0 and have the sum 1, so that
f = Σ b_i B_i lies between the smallest and the largest b_i; in several variables likewise with products.  A
range [a, b] is x = a + (b-a) t.  On a half-line, x = a ± t/(1-t), it is (1-t)^d f that is written in this
basis: the same sign, for t < 1.  Halving a range makes sums of coefficients those of both halves.

*Strict.*  Let no b_i be negative.  At a point of the box, B_i > 0 for all i with i_k = 0 (d_k) wherever the t
of the k-th variable is 0 (1).  So f > 0 as soon as, for each choice of an end that belongs to the range of
each variable, one of these b_i is positive; a range without its ends leaves i_k free.

All numbers are integers: a coefficient may be multiplied by any positive number, the same for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, lcm, prod

from verify.recheck.algebra import Algebra
from verify.recheck.goals import Child, Node, Obligation, field, where
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.putting import divides
from verify.recheck.terms import Term, number, put
from verify.recheck.work import work

_CELLS = 20_000  # coefficients of a polynomial in this basis
_WORK = 60_000_000  # multiplications for all boxes together
_HIGHEST = 60  # degree in a variable
_DEEPEST = 100  # halvings of one box: each makes the numbers longer by the degree

Matrix = list[list[int]]


def polynomial(f: Term, names: Sequence[str]) -> dict[tuple[int, ...], Fraction]:
    """Its coefficients by exponents; a complaint if it is none in these variables over the rationals."""
    algebra = Algebra({})
    found: dict[tuple[int, ...], Fraction] = {}
    for monomial, c in algebra.of(f).items():
        powers = {algebra.atoms[atom].term.name: q for atom, q in monomial}
        whole = all(name in names and q.denominator == 1 and q > 0 for name, q in powers.items())
        key = tuple(int(powers.get(name, 0)) for name in names)
        if not whole or len(powers) < len(monomial) or key in found:
            raise UnknownError(f"{f} is no polynomial in {', '.join(names)} with rational coefficients")
        found[key] = c
    return found


@dataclass(frozen=True)
class _Tensor:
    """Coefficients in a flat list, the last variable fastest; the degree in each variable."""

    cells: list[int]
    degrees: tuple[int, ...]

    def turned(self, axis: int, matrix: Matrix) -> _Tensor:
        """With a matrix applied along one variable."""
        n = self.degrees[axis] + 1
        step = prod(d + 1 for d in self.degrees[axis + 1 :])
        rows = [[(j, m) for j, m in enumerate(row) if m] for row in matrix]
        work(len(self.cells) * n // 4)
        cells = [0] * len(self.cells)
        for block in range(0, len(cells), n * step):
            for start in range(block, block + step):
                fibre = self.cells[start : start + n * step : step]
                cells[start : start + n * step : step] = [sum(m * fibre[j] for j, m in row) for row in rows]
        return _Tensor(cells, self.degrees)

    def has_sign(self, sign: int, strict: bool, closed: Sequence[tuple[bool, bool]]) -> bool:
        """Whether sign * f is >= 0 (> 0) on the box, whose ends are closed or not."""
        low = min(sign * c for c in self.cells)
        if low < 0 or low > 0 or not strict:
            return low >= 0
        ends = [
            [range(end, end + 1) for end, counts in ((0, lower), (d, upper)) if counts] or [range(d + 1)]
            for d, (lower, upper) in zip(self.degrees, closed, strict=True)
        ]
        return all(any(self._at(i) for i in product(*corner)) for corner in product(*ends))

    def _at(self, index: Sequence[int]) -> int:
        place = 0
        for i, d in zip(index, self.degrees, strict=True):
            place = place * (d + 1) + i
        return self.cells[place]


def _whole(rows: list[list[Fraction]]) -> Matrix:
    """Multiplied by a positive number, so that there are no denominators."""
    scale = lcm(*(c.denominator for row in rows for c in row))
    return [[int(c * scale) for c in row] for row in rows]


def _to_bernstein(d: int, x: Interval) -> Matrix:
    """From coefficients of powers to those of the basis on a range."""
    if x.bounded:
        start, step = Fraction(x.low), Fraction(x.high - x.low)
    elif x.low > -INF or x.high < INF:
        start, step = (Fraction(x.low), Fraction(1)) if x.low > -INF else (Fraction(x.high), Fraction(-1))
    else:
        raise UnknownError("a range without ends has to be split")
    # x^n = Σ_j binom(n, j) start^(n-j) step^j t^j, and t^j (on a half-line (t/(1-t))^j) in the basis
    shift = [
        [comb(n, j) * start ** (n - j) * step**j if j <= n else Fraction(0) for n in range(d + 1)]
        for j in range(d + 1)
    ]
    rows = []
    for i in range(d + 1):
        basis = [Fraction(comb(i, j) if x.bounded else i == j) / comb(d, j) for j in range(d + 1)]
        rows.append(
            [sum((b * shift[j][n] for j, b in enumerate(basis) if b), Fraction(0)) for n in range(d + 1)]
        )
    return _whole(rows)


def _tensor(f: Term, box: dict[str, Interval]) -> _Tensor:
    """A polynomial on a box."""
    names = list(box)
    terms = polynomial(f, names)
    degrees = tuple(max((m[k] for m in terms), default=0) for k in range(len(names)))
    if prod(d + 1 for d in degrees) > _CELLS or max(degrees, default=0) > _HIGHEST:
        raise UnknownError("a polynomial has too many coefficients in the basis of Bernstein")
    scale = lcm(*(c.denominator for c in terms.values())) if terms else 1
    found = _Tensor([0] * prod(d + 1 for d in degrees), degrees)
    for m, c in terms.items():
        place = 0
        for i, d in zip(m, degrees, strict=True):
            place = place * (d + 1) + i
        found.cells[place] = int(c * scale)
    for k, x in enumerate(box.values()):
        found = found.turned(k, _to_bernstein(degrees[k], x)) if degrees[k] else found
    return found


def _halving(d: int) -> tuple[Matrix, Matrix]:
    """To the coefficients on the lower and the upper half, times 2^d."""
    lower = [[comb(i, j) << (d - i) for j in range(d + 1)] for i in range(d + 1)]
    return lower, [row[::-1] for row in reversed(lower)]


def _leaves(entries: Sequence[object], names: Sequence[str]) -> set[tuple[str, int]]:
    """What the boxes use: the goal, or a side of a hypothesis."""
    return {_leaf(entry) for entry in entries if entry not in names}


def _leaf(entry: object) -> tuple[str, int]:
    if entry == "":
        return "", -1
    if not (isinstance(entry, str) and entry[:1] in ("+", "-") and entry[1:].isdigit() and len(entry) < 6):
        raise UnknownError(f"{entry!r} is neither a variable nor what shows a box")
    return entry[0], int(entry[1:])


def _closed(x: Interval) -> tuple[bool, bool]:
    """Whether t = 0 and t = 1 belong to the range; a half-line begins with t = 0 at its only end."""
    lower, upper = x.low > -INF and not x.low_open, x.high < INF and not x.high_open
    return (lower, upper) if x.low > -INF else (upper, lower)


def by_bernstein(node: Node, goal: Obligation) -> list[Child]:
    """Halve the box as the entries say, in the order of a walk; each part shows the goal or is empty."""
    entries = field(node, "halves")
    if not isinstance(entries, list):
        raise UnknownError("'halves' is not a list")
    single = {name: number(x.low) for name, x in goal.box.items() if x.single}
    wanted = {leaf: _polynomial_of(leaf, goal) for leaf in _leaves(entries, list(goal.box))}
    used = frozenset[str]().union(*(f.names for f, _, _ in wanted.values())) - set(single)
    if used - set(goal.box):
        raise UnknownError("not a variable of the box")
    box = {name: goal.box[name] for name in sorted(used)}
    if not all(divides(f, single, box) for f, _, _ in wanted.values()):
        raise UnknownError("a part may be undefined")
    tensors = {leaf: _tensor(put(f, single), box) for leaf, (f, _, _) in wanted.items()}
    cells = sum(len(t.cells) * (max(t.degrees, default=0) + 1) for t in tensors.values())
    if cells * len(entries) > _WORK:
        raise UnknownError("too many boxes")
    closed = [_closed(x) for x in box.values()]
    stack = [(tensors, closed, 0)]
    for entry in entries:
        if not stack:
            raise UnknownError("more entries than boxes")
        tensors, closed, depth = stack.pop()
        if entry in box:
            if depth == _DEEPEST:
                raise UnknownError(f"a box is halved more than {_DEEPEST} times")
            halves = _both_halves(tensors, closed, list(box).index(str(entry)))
            stack += [(*half, depth + 1) for half in reversed(halves)]
            continue
        _, sign, strict = wanted[_leaf(entry)]
        if not tensors[_leaf(entry)].has_sign(sign, strict, closed):
            raise UnknownError(f"a part of the box is not shown{where(goal)}")
    if stack:
        raise UnknownError("the entries end before the boxes do")
    return []


_Part = tuple[dict[tuple[str, int], _Tensor], list[tuple[bool, bool]]]


def _both_halves(
    tensors: dict[tuple[str, int], _Tensor], closed: list[tuple[bool, bool]], k: int
) -> list[_Part]:
    found: list[_Part] = []
    for upper in (0, 1):
        half = {leaf: t.turned(k, _halving(t.degrees[k])[upper]) for leaf, t in tensors.items()}
        ends = (True, closed[k][1]) if upper else (closed[k][0], True)
        found.append((half, [*closed[:k], ends, *closed[k + 1 :]]))
    return found


def _polynomial_of(leaf: tuple[str, int], goal: Obligation) -> tuple[Term, int, bool]:
    """What has to have which sign, and whether strictly."""
    side, index = leaf
    if not side:
        return goal.f, 1, goal.strict
    h = goal.given[index] if index < len(goal.given) else None
    if h is None or (side == "+" and h[1] != "=="):
        raise UnknownError(f"hypothesis {index} does not exist here, or does not fail on this side")
    return h[0], 1 if side == "+" else -1, h[1] != "<"
