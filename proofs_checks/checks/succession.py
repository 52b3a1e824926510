"""Exact laws of counts of jumps, path by path: how often the sets of the jump probabilities ever miss.

The jumps of a pair that are seen are independent draws from its row, whatever the learner does and whenever
it looks. So the probability that a set misses after some number of draws bounds what any learner can do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb, factorial, prod

from flint import arb

from proofs_checks.checks.common import scaled
from proofs_checks.checks.crossing import OrderError
from proofs_checks.checks.jumps import compositions
from proofs_checks.checks.tilts import dyadic
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

Counts = tuple[int, ...]
_BITS = 128
_ROWS = tuple(tuple(Fraction(n, sum(row)) for n in row) for row in ((1, 1), (1, 9), (1, 2, 3)))


def ever_missed(row: tuple[Fraction, ...], draws: int, misses: Callable[[Counts], bool]) -> Fraction:
    """The probability that the counts miss after 1, 2, ... or so many draws, exactly."""
    inside, gone = {(0,) * len(row): Fraction(1)}, Fraction(0)
    for _ in range(draws):
        moved: dict[Counts, Fraction] = {}
        for counts, chance in inside.items():
            for y, p in enumerate(row):
                after = (*counts[:y], counts[y] + 1, *counts[y + 1 :])
                moved[after] = moved.get(after, Fraction(0)) + p * chance
        out = {counts for counts in moved if misses(counts)}
        gone += sum((moved[counts] for counts in out), Fraction(0))
        inside = {counts: chance for counts, chance in moved.items() if counts not in out}
    return gone


def _examples(effort: Effort) -> Iterator[tuple[str, tuple[Fraction, ...], int, Fraction]]:
    """Rows, numbers of draws, and shares of δ."""
    for row in _ROWS:
        for share in (Fraction(1, 2), Fraction(1, 10)):
            draws = effort.scaled(60, 400) if len(row) == 2 else effort.scaled(20, 60)
            yield f"p = ({', '.join(map(str, row))}), n <= {draws}, δ/(SA) = {share}", row, draws, share


def _ratio(row: tuple[Fraction, ...], counts: Counts) -> Fraction:
    """exp(N KL(p̂‖p)), a fraction."""
    total = sum(counts)
    return prod(((c / (total * p)) ** c for c, p in zip(counts, row, strict=True)), start=Fraction(1))


@scaled("all paths", "counts of independent draws, in fractions")
def divergences(effort: Effort, *, price: bool = True) -> Iterator[Case]:
    """P(N KL is ever above ln(SA/δ) + ln C(N+S-1, S-1)) against δ/(SA); or without the price of all N."""
    for text, row, draws, share in _examples(effort):

        def misses(counts: Counts, row: tuple[Fraction, ...] = row, share: Fraction = share) -> bool:
            ways = comb(sum(counts) + len(row) - 1, len(row) - 1) if price else 1
            return share * _ratio(row, counts) > ways

        yield Case(text, ever_missed(row, draws, misses), share)


@scaled("all paths", "counts of independent draws, in fractions and balls")
def pinsker_balls(effort: Effort, *, price: bool = True) -> Iterator[Case]:
    """The same for ‖p̂ - p‖₁ > √(2b/N), b the bound on N KL."""
    for text, row, draws, share in _examples(effort):

        def misses(counts: Counts, row: tuple[Fraction, ...] = row, share: Fraction = share) -> bool:
            ways = comb(sum(counts) + len(row) - 1, len(row) - 1) if price else 1
            with precision(_BITS):
                level = 2 * arb(rational(ways / share)).log()
            return _exceeds(_distance(row, counts) ** 2 / sum(counts), level)

        yield Case(text, ever_missed(row, draws, misses), share)


@scaled("all paths", "counts of independent draws, in fractions and balls")
def far_off(effort: Effort, factor: Fraction = Fraction(1)) -> Iterator[Case]:
    """P(‖p̂ - p‖₁ is ever above 2(l/(ζN) + ζ/8) for one of the tilts) against δ/(SA); ``factor``: of l."""
    coin, longest = (Fraction(1, 2), Fraction(1, 2)), effort.scaled(300, 1000)
    for row, draws in ((coin, longest), (_ROWS[2], effort.scaled(20, 60))):
        for tilts in ((Fraction(1, 2),), dyadic(6, Fraction(4))):
            share, size = Fraction(1, 10), len(row)
            with precision(_BITS):
                level = arb(rational(factor)) * arb(rational(2**size * len(tilts) / share)).log()

            def misses(
                counts: Counts,
                row: tuple[Fraction, ...] = row,
                level: arb = level,
                tilts: tuple[Fraction, ...] = tilts,
            ) -> bool:
                total, half = sum(counts), _distance(row, counts) / 2
                return any(_exceeds(z * half - z**2 / 8 * total, level) for z in tilts)

            text = f"p = ({', '.join(map(str, row))}), n <= {draws}, tilts {', '.join(map(str, tilts))}"
            yield Case(text, ever_missed(row, draws, misses), share)


def _exceeds(exact: Fraction, level: arb) -> bool:
    with precision(_BITS):
        number = arb(rational(exact))
    if not (number > level or number < level):
        raise OrderError(f"{exact} and {level} cannot be told apart with {_BITS} bits")
    return bool(number > level)


def _distance(row: tuple[Fraction, ...], counts: Counts) -> Fraction:
    """N ‖p̂ - p‖₁."""
    total = sum(counts)
    return sum((abs(c - total * p) for c, p in zip(counts, row, strict=True)), Fraction(0))


@scaled("exact", "all counts, in fractions")
def multinomial(effort: Effort, factor: int = 1) -> Iterator[Case]:
    """``factor``·N!/Π M(y)! against Π (N/M(y))^M(y), for all counts of three states."""
    for total in range(1, effort.scaled(8, 20) + 1):
        for counts in compositions(total, 3):
            ways = factorial(total) // prod(map(factorial, counts))
            power = prod((Fraction(total, c) ** c for c in counts if c), start=Fraction(1))
            yield Case(f"M = {counts}", factor * ways, power)


@scaled("exact", "the mean, in fractions")
def laplace_factor(effort: Effort, spare: int = 0) -> Iterator[Case]:
    """The mean of (M(y) + 1)/((N + S - ``spare``) p(y)) against 1, for all counts of three states."""
    for row in (_ROWS[2], (Fraction(1, 2), Fraction(1, 2), Fraction(0))):
        for total in range(effort.scaled(6, 15) + 1):
            for counts in compositions(total, 3):
                factors = (
                    p * (c + 1) / ((total + 3 - spare) * p) for p, c in zip(row, counts, strict=True) if p
                )
                yield Case(f"p = ({', '.join(map(str, row))}), M = {counts}", sum(factors), 1)


@scaled("radius", "the least over the tilts, in balls")
def least_radius(effort: Effort, constant: Fraction = Fraction(3, 2)) -> Iterator[Case]:
    """The least of 2 and 2(q/ζ + ζ/8) over k tilts 4/2^m against max(``constant``·√q, 3/2^k), q = l/N."""
    for number in (1, 3, 10):
        for step in range(effort.scaled(60, 600)):
            q = 4 * Fraction(4, 5) ** step
            found = min(Fraction(2), *(2 * (q / z + z / 8) for z in dyadic(number, Fraction(4))))
            with precision(_BITS):
                bound = (arb(rational(constant)) * arb(rational(q)).sqrt()).max(
                    arb(rational(Fraction(3, 2**number)))
                )
            yield Case(f"{number} tilts, l/N = {float(q):.6g}", found, bound)
