r"""Solving the optimistic equation: Taylor pieces that end where the hint does, each with a proved residual.

From values at the start of a piece the Taylor coefficients of a hint follow one by one,
:math:`(k+1)\,q_{k+1} = r\,[k=0] + \lambda(m_k - q_k)`.  Their size says how long a piece may be.  It ends
where the first margin becomes negative, and the hint of the next one is read off a little later: there the
values, computed with any hint, are right to second order.  Everything up to here is a guess in the middles
of balls.  What counts is the residual of the polynomials that come out
(:class:`~ctucbvi.learning.exact.equation.Assessment`); where that is too large the piece is halved.

Ties need no decision: a margin that is 0 throughout is violated by rounding only.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import floor, log2

from flint import arb, arb_mat, arb_poly, fmpq

from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import largest, precision, symmetric
from ctucbvi.learning.exact.equation import Assessment, Draft, Equation, Hint
from ctucbvi.learning.exact.polynomials import first_negative

_GUARD = 40  # bits of the arithmetic beyond those that are asked for
_LOOKS = (8, 16, 24, 32, 48, 64)  # how far ahead a hint is looked for: 2^-n of a step
_AGREEMENTS = 8  # hints that are tried at one such distance
_SPARE = 16  # bits by which the terms that are left out are below the goal
_MOST_PIECES = 20_000


@dataclass(frozen=True)
class Piece:
    """Polynomials in the time since ``start``."""

    start: fmpq
    end: fmpq
    hint: Hint
    polys: tuple[arb_poly, ...]  # one per pair
    error: arb  # proved at the start
    residual: arb  # proved throughout: what the error grows by per unit of time

    def commitment(self, i: int, t: fmpq) -> arb:
        """A ball around the true ``Q_i(t)``."""
        since = arb(t - self.start)
        return self.polys[i](since) + symmetric(self.error + self.residual * since)


@dataclass(frozen=True)
class Trajectory:
    """The solution on [0, 1]."""

    bits: int
    pieces: tuple[Piece, ...]

    def piece(self, t: fmpq) -> Piece:
        """The piece at ``t``."""
        return self.pieces[max(bisect_right(self.pieces, t, key=lambda piece: piece.start) - 1, 0)]

    @property
    def error(self) -> arb:
        """A bound for the error of every value."""
        last = self.pieces[-1]
        return (last.error + last.residual * arb(last.end - last.start)).abs_upper()


def march(equation: Equation, bits: int, *, pieces: int = _MOST_PIECES) -> Trajectory:
    """Solve the equation with errors of about ``2**-bits``; raises if that takes too many pieces."""
    with precision(bits + _GUARD):
        return Trajectory(bits, tuple(_PieceMarch(equation, bits, pieces).run()))


class _PieceMarch:
    def __init__(self, equation: Equation, bits: int, pieces: int) -> None:
        self.equation, self.bits, self.most = equation, bits, pieces
        self.degree = max(12, 7 * bits // 16)
        self.noise = arb(2) ** -(bits + 12)  # of a margin: more than rounding makes of 0
        self.goal = arb(2) ** -bits  # for the residual
        self.finest = fmpq(1, 2 ** (bits // 2 + 8))  # the shortest piece, as a part of the longest
        self.longest = fmpq(1)  # no piece need be tried that is longer

    def run(self) -> list[Piece]:
        count, hint = len(self.equation.pairs), self.equation.opening
        values, time, error = [arb(0)] * count, fmpq(0), arb(0)
        found: list[Piece] = []
        swift = largest([pair.high for pair in self.equation.pairs])
        while time < 1:
            if len(found) >= self.most or swift > 2 * self.most:
                raise UndecidedError(
                    f"lambda-max times H is {float(swift):.3g}: the optimistic value takes more than "
                    f"{self.most} pieces"
                )
            draft, h, residual = self._piece(hint, values, 1 - time)
            hint = draft.hint
            found.append(Piece(time, time + h, hint, draft.polys, error, residual))
            balls = [poly(arb(h)) for poly in draft.polys]
            values = [ball.mid() for ball in balls]
            blur = largest([ball - middle for ball, middle in zip(balls, values, strict=True)])
            error = (error + residual * arb(h) + blur).abs_upper()
            time += h
        return found

    def _piece(self, hint: Hint, values: list[arb], left: fmpq) -> tuple[Draft, fmpq, arb]:
        """A draft, how long it is good for, and the bound of its residual."""
        draft = self._settled(hint, values, left)
        stride = self._stride(draft)
        h, least = min(stride, left, self.longest), min(stride, left) * self.finest
        while True:
            looked = Assessment(self.equation, draft, arb(h))
            residual = self._residual(looked)
            part = None if residual <= self.goal else self._first_violation(looked, h)
            if part is not None:
                h = max(h * part, min(least, h))
                residual = self._residual(Assessment(self.equation, draft, arb(h)))
            if residual <= self.goal or (h <= least and residual.is_finite()):
                if part is None:  # series of maxima reach less far than those of values
                    self.longest = 2 * h if draft.curves else fmpq(1)
                return draft, h, residual
            if h <= least:
                raise UndecidedError(f"no enclosure of the optimistic value with {self.bits} bits")
            h /= 2

    def _residual(self, looked: Assessment) -> arb:
        return looked.residual(self.goal / 16) if looked.finite else arb(0).pos_inf()

    def _first_violation(self, looked: Assessment, h: fmpq) -> fmpq | None:
        """The part of the piece after which a margin becomes negative."""
        if not looked.finite:
            return None
        found = (first_negative(margin, arb(h), self.noise) for margin in looked.margins)
        return min((part for part in found if part is not None), default=None)

    def _settled(self, hint: Hint, values: list[arb], left: fmpq) -> Draft:
        """A draft with the hint that holds from here on."""
        draft, changed = self._taylor(hint, values), False
        for look in _LOOKS:
            for _ in range(_AGREEMENTS):
                ahead = min(self._stride(draft), left, self.longest) / 2**look
                other = self._read(draft, arb(ahead))
                if other == draft.hint:
                    break
                draft, changed = self._taylor(other, values), True
            if not changed or look == _LOOKS[-1]:
                break
            if self._first_violation(Assessment(self.equation, draft, arb(ahead)), ahead) is None:
                break
        return draft

    def _read(self, draft: Draft, t: arb) -> Hint:
        """The hint at ``t``; what cannot be told apart stays as it is."""
        hint, at, equation = draft.hint, [poly(t).mid() for poly in draft.polys], self.equation
        best = tuple(
            self._highest(menu, at, held) for menu, held in zip(equation.menu, hint.best, strict=True)
        )
        values = [at[i] for i in best]
        order = self._sorted(hint.order, values)
        means = equation.means(order, values, self.noise)
        fast = [
            held if abs(mean - mine) <= self.noise else bool(mean > mine)
            for held, mean, mine in zip(hint.fast, means, at, strict=True)
        ]
        return Hint(best, order, tuple(fast))

    def _highest(self, menu: list[int], values: list[arb], held: int) -> int:
        for i in menu:
            if values[i] > values[held] + self.noise:
                held = i
        return held

    def _sorted(self, order: tuple[int, ...], values: list[arb]) -> tuple[int, ...]:
        """The states by value; neighbours that cannot be told apart stay in the order they had."""
        found = list(order)
        for end in range(len(found) - 1, 0, -1):  # bubbles: few are out of order
            for k in range(end):
                if values[found[k]] > values[found[k + 1]] + self.noise:
                    found[k], found[k + 1] = found[k + 1], found[k]
        return tuple(found)

    def _taylor(self, hint: Hint, values: list[arb]) -> Draft:
        """The Taylor polynomials of a hint."""
        equation, count = self.equation, len(values)
        curves = equation.curves(hint, self.noise)
        rows = [pair.jumps.weights(hint.order) or {} for pair in equation.pairs]
        matrix = arb_mat(
            count, equation.size, [row.get(y, arb(0)) for row in rows for y in range(equation.size)]
        )
        rates = [equation.rate(hint, i).mid() for i in range(count)]
        table = [[q] for q in values]
        for k in range(self.degree):
            state = [table[i] for i in hint.best]
            means = (matrix * arb_mat(equation.size, 1, [row[k] for row in state])).entries()
            for i, curve in curves.items():
                means[i] = curve.coefficient(state)
            gains = [pair.reward if k == 0 else arb(0) for pair in equation.pairs]
            found = [(gains[i] + rates[i] * (means[i] - table[i][k])) / (k + 1) for i in range(count)]
            for row, c in zip(table, found, strict=True):
                row.append(c.mid())
        return Draft(hint, tuple(arb_poly(row) for row in table), curves)

    def _stride(self, draft: Draft) -> fmpq:
        """How long a piece may be: until the last terms are no longer small."""
        logs = [0.0]
        for k in (self.degree - 1, self.degree):
            top = largest([poly[k] for poly in draft.polys])
            if top > 0:
                mantissa, exponent = top.mid().man_exp()
                logs.append((-self.bits - _SPARE - log2(int(mantissa)) - int(exponent)) / k)
        power = floor(16 * min(logs))
        return fmpq(2) ** (power // 16) * fmpq(16 + power % 16, 16)
