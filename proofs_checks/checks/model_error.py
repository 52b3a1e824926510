"""The error of the operator of an estimated model."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from ctucbvi import Enclosure, ExpPoly
from ctucbvi.exact.precision import precision, to_fmpq
from proofs_checks.checks.perturbed import BITS, EVERY, Looked, full_row, looks
from proofs_checks.checks.perturbed_values import expected, waiting
from verify.provers.search import Search

HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)
_ROUNDING = fmpq(1, 2**90)  # of balls with 128 bits, where both sides may be equal


def operator_error(
    rate_part: Fraction, jump_part: Fraction, kinds: tuple[str, ...] = EVERY, *, waited: bool = False
) -> Search:
    """The exact error of the operator against ``rate_part t²β + jump_part tα``.

    ``waited``: with ``t - w(λ̂)`` in the place of ``t`` beside α.
    """

    def sides(example: Looked) -> tuple[arb, arb]:
        place = example.place
        found, pair, t = place.case.estimates[place.pair], place.case.model.pairs[place.pair], place.time
        row = full_row(pair, len(place.case.model.states))
        with precision(BITS):
            error = expected(found.rate, found.row, example.functions, t) - expected(
                pair.rate, row, example.functions, t
            )
            left = to_fmpq(t) - waiting(found.rate, t) if waited else arb(to_fmpq(t))
            bound = (
                to_fmpq(rate_part * t**2 * found.rate_radius) + to_fmpq(jump_part * found.jump_radius) * left
            )
            return abs(error), bound + (_ROUNDING if waited else 0)

    return Search((250, 4000), given=looks(kinds=kinds), sides=sides, title="models")


def row_error(share: Fraction, kinds: tuple[str, ...]) -> Search:
    """``|Σ f (p̂ - p)|`` at one time against ``share u ‖p̂ - p‖₁``, for functions with ``f <= u``."""

    def sides(example: Looked) -> tuple[Enclosure, Fraction]:
        place = example.place
        size, u = len(place.case.model.states), place.time
        row = full_row(place.case.model.pairs[place.pair], size)
        moves = [q - p for q, p in zip(place.case.estimates[place.pair].row, row, strict=True)]
        moved = sum((f * d for f, d in zip(example.functions, moves, strict=True)), ExpPoly.zero()).at(u)
        found = moved.enclosure(2 * BITS)  # exact where rational; tells e^(-100) from 0
        return found if moved.sign() >= 0 else -found, share * u * sum((abs(d) for d in moves), ZERO)

    return Search((250, 4000), given=looks(kinds=kinds), sides=sides, title="rows")
