r"""A linear system at one point, by the exponential of its matrix: for small ones quicker than a series.

While a regime lasts the carried values, or the values of all states, obey :math:`z' = Gz` in
:math:`x = \Lambda s` once a constant is put at the end of :math:`z`, which the rewards multiply.
The constant is :attr:`Problem.unit`, so that no entry of :math:`G` is much larger than 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, arb_mat, fmpq

from ctucbvi.exact.problem import Problem

_NOTHING = arb(0)


class Motion:
    """The system of ``pairs``, a row each; the value of state y is the component ``place[y]``.

    Without rewards nothing is ``constant``, and its row may be left out.
    """

    def __init__(
        self, problem: Problem, pairs: Sequence[int], place: Sequence[int], *, constant: bool = True
    ) -> None:
        size = len(pairs) + constant
        entries = [_NOTHING] * (size * size)
        for n, i in enumerate(pairs):
            (share, jumps, gain), at = problem.move(i), n * size
            entries[at + n] = arb(-share)
            for y, p in jumps:
                spot, weight = at + place[y], arb(p)
                entries[spot] = weight if entries[spot] is _NOTHING else entries[spot] + weight
            if constant:
                entries[at + size - 1] = arb(gain)
        self.generator = arb_mat(size, size, entries)
        self._constant = [arb(problem.unit)] if constant else []

    def column(self, values: list[arb]) -> arb_mat:
        """``values`` with the constant at their end."""
        return arb_mat(self.generator.nrows(), 1, values + self._constant)

    def moved(self, values: list[arb], x: fmpq) -> list[arb]:
        """The solution at ``x`` that is ``values`` at 0."""
        found: list[arb] = ((self.generator * arb(x)).exp() * self.column(values)).entries()
        return found[: len(values)]
