r"""Elementary sums of ``prop:proberror`` and ``thm:lowerbound``, computed as they stand.

What the proofs get by induction, :math:`\sum_k z_k/\sqrt{\max\{1,Z_{k-1}\}} \le 3\sqrt{Z_n}`,
:math:`\sum_{i\le n}\sqrt{N_i} \le \sqrt{n\sum_i N_i}` and :math:`\sum_{k\le K}\sqrt{k-1} \le
\frac23K^{3/2}`, is compared here for many sequences, as a whole and not one step of the induction.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from hypothesis import strategies

from proofs_checks.checks.common import scaled
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case
from verify.provers.search import Search

_BITS = 128
# The pair of the m-th decision, episode by episode, and whether its jump was seen.
Visits = list[tuple[int, bool]]


def one_step(pairs: int = 3, constant: int = 3) -> Search:
    """The sum of ``eq:CS3`` for one m over random episodes; the counts of other m are left out."""

    def sides(visits: Visits) -> tuple[arb, arb]:
        counts = [0] * pairs
        with precision(_BITS):
            total = arb(0)
            for pair, seen in visits:
                if seen:
                    total += 1 / arb(max(1, counts[pair])).sqrt()
                    counts[pair] += 1
            return total, constant * (pairs * arb(sum(counts))).sqrt()

    episode = strategies.tuples(strategies.integers(0, pairs - 1), strategies.booleans())
    return Search((150, 2000), strategies.lists(episode, min_size=1, max_size=40), sides, title="episodes")


def all_steps(pairs: int = 3, constant: int = 3) -> Search:
    """The sum of ``eq:CS4`` over all m, path by path, against ``constant``·√(SAK)·J_M."""

    def sides(paths: list[list[int]]) -> tuple[arb, arb]:
        counts = [0] * pairs
        with precision(_BITS):
            total = arb(0)
            for path in paths:  # the pairs whose jumps were seen in an episode
                total += sum((1 / arb(max(1, counts[pair])).sqrt() for pair in path), arb(0))
                for pair in path:
                    counts[pair] += 1
            return total, constant * arb(pairs * len(paths)).sqrt() * max(map(len, paths))

    path = strategies.lists(strategies.integers(0, pairs - 1), max_size=6)
    return Search((150, 2000), strategies.lists(path, min_size=1, max_size=20), sides, title="paths")


def increments(constant: Fraction | None = None) -> Search:
    """Σ z_k/√max(1, Z_{k-1}) against (1 + √2)√Z_n, or ``constant``·√Z_n, for increments in [0, max(1, Z)]."""

    def sides(shares: list[Fraction]) -> tuple[arb, arb]:
        sum_so_far = Fraction(0)
        with precision(_BITS):
            total = arb(0)
            for share in shares:
                z = share * max(Fraction(1), sum_so_far)
                total += arb(rational(z)) / arb(rational(max(Fraction(1), sum_so_far))).sqrt()
                sum_so_far += z
            factor = 1 + arb(2).sqrt() if constant is None else arb(rational(constant))
            # With the increment 1 as often as possible the two sides may be equal.
            return total, factor * arb(rational(sum_so_far)).sqrt() + arb(2) ** -40

    shares = strategies.lists(strategies.fractions(0, 1, max_denominator=8), min_size=1, max_size=12)
    return Search((150, 2000), shares, sides, title="increments")


def sums_of_roots(less: int = 0) -> Search:
    """Σ √N against √((n - ``less``) Σ N), for n counts."""

    def sides(counts: list[int]) -> tuple[arb, arb]:
        with precision(_BITS):
            left = sum((arb(n).sqrt() for n in counts), arb(0))
            return left, (arb(len(counts) - less) * sum(counts)).sqrt() + arb(2) ** -40  # equal if all are

    counts = strategies.lists(strategies.integers(0, 50), min_size=1, max_size=12)
    return Search((150, 2000), counts, sides, title="counts")


def longest(less: int = 0) -> Search:
    """Σ_m √#{l : J^l > m} against √K max_l J^l, for random numbers of jumps."""

    def sides(jumps: list[int]) -> tuple[arb, arb]:
        top = max(jumps)
        with precision(_BITS):
            left = sum((arb(sum(j > m for j in jumps)).sqrt() for m in range(top)), arb(0))
            return left, arb(len(jumps)).sqrt() * (top - less)

    jumps = strategies.lists(strategies.integers(0, 12), min_size=2, max_size=20)
    return Search((150, 2000), jumps, sides, title="numbers of jumps")


@scaled("sums", "partial sums in balls")
def first_roots(effort: Effort, factor: Fraction = Fraction(2, 3)) -> list[Case]:
    """``√0 + … + √(K-1)`` against ``factor K^{3/2}``, for every K up to a few hundred."""
    found, total = [], arb(0)
    for k in range(1, effort.scaled(200, 5000) + 1):
        with precision(_BITS):
            total += arb(k - 1).sqrt()
            found.append(Case(f"K={k}", total, rational(factor) * arb(k).sqrt() ** 3))
    return found


@scaled("sums", "partial sums in balls")
def late(effort: Effort, factor: Fraction = Fraction(2)) -> list[Case]:
    """Σ z/√max(1, Z), Z as it was when the episode began, against q + ``factor``·√Z_n.

    Episodes with q increments 1, or now and then none, as many as one likes.
    """
    found = []
    for q, rest in ((1, 1), (2, 1), (3, 2), (5, 3)):
        total, z = arb(0), 0
        for k in range(effort.scaled(60, 1000)):
            with precision(_BITS):
                here = q if k % rest == 0 else 0
                total += here / arb(max(1, z)).sqrt()
                z += here
                found.append(Case(f"q={q}, {k + 1} episodes", total, q + rational(factor) * arb(z).sqrt()))
    return found
