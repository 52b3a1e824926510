r"""Which pair of a state is best when, proved: the signs of differences of polynomials beyond their errors.

On a piece one pair is held to be best.  Where its lead over another one is proved to exceed the errors of
both, the other one is out; where nothing is proved, both stay.  On the first piece lead and errors are
divided by the remaining time, as both vanish with it.  Stretches on which the same pairs are left are
joined.  Between two on which one pair each is left, a short one on which both are is a *switch* if the lead
is proved to fall there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from flint import arb, arb_poly, fmpq

from ctucbvi.exact.precision import precision
from ctucbvi.exact.signs import Region, sign_regions
from ctucbvi.learning.exact.marching import Piece, Trajectory


@dataclass(frozen=True)
class Stretch:
    """From ``start`` to ``end`` the best pair is one of ``pairs``."""

    start: fmpq
    end: fmpq
    pairs: frozenset[int]
    crossing: bool  # whether leads that are open are proved to rise or fall throughout


@dataclass(frozen=True)
class _Lead:
    """A polynomial as a smooth function."""

    poly: arb_poly

    def __call__(self, x: arb) -> arb:
        return self.poly(x)

    def slope(self, x: arb) -> arb:
        return self._first(x)

    def curvature(self, x: arb) -> arb:
        return self._first.derivative()(x)

    def derivative(self) -> _Lead:
        return _Lead(self._first)

    @cached_property
    def _first(self) -> arb_poly:
        return self.poly.derivative()


def ranking(trajectory: Trajectory, pairs: Sequence[int], tied: Callable[[int, int], bool]) -> list[Stretch]:
    """Which of ``pairs``, those of one state, may be best when; of tied ones the held one is named."""
    found: list[Stretch] = []
    with precision(trajectory.bits + 40):
        for piece in trajectory.pieces:
            held = next(i for i in piece.hint.best if i in pairs)
            rivals = [i for i in pairs if i != held and not tied(held, i)]
            found += _on_piece(piece, held, rivals)
    return _joined(found)


def always_best(trajectory: Trajectory, states: Sequence[int]) -> int | None:
    """The state whose value is proved the largest at all times; ``states`` are those of the pairs."""
    best = trajectory.pieces[0].hint.order[-1]
    with precision(trajectory.bits + 40):
        for piece in trajectory.pieces:
            held = piece.hint.best[best]
            rivals = [i for i, x in enumerate(states) if x != best]
            if any(region.sign <= 0 for i in rivals for region in _signs(piece, held, i)):
                return None
    return best


def _on_piece(piece: Piece, held: int, rivals: Sequence[int]) -> list[Stretch]:
    signs = {i: _signs(piece, held, i) for i in rivals}
    ends = sorted({piece.end, piece.start, *(piece.start + r.upper for line in signs.values() for r in line)})
    found = []
    for a, b in pairwise(ends):
        middle = (a + b) / 2 - piece.start
        here = {i: next(r for r in line if r.lower <= middle <= r.upper) for i, line in signs.items()}
        better = [i for i, r in here.items() if r.sign < 0]
        open_ = [i for i, r in here.items() if r.sign == 0]
        left = frozenset(better + open_) if better else frozenset([held, *open_])
        found.append(Stretch(a, b, left, all(here[i].trend for i in open_)))
    return found


def _signs(piece: Piece, held: int, rival: int) -> list[Region]:
    lead, length = piece.polys[held] - piece.polys[rival], piece.end - piece.start
    if piece.start == 0:
        lead, noise = lead.right_shift(1), 2 * piece.residual
    else:
        noise = 2 * (piece.error + piece.residual * arb(length))
    return sign_regions(_Lead(lead), fmpq(0), length, noise=noise)


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    found: list[Stretch] = []
    for s in stretches:
        if found and found[-1].pairs == s.pairs:
            last = found[-1]
            found[-1] = replace(last, end=s.end, crossing=last.crossing and s.crossing)
        else:
            found.append(s)
    return found
