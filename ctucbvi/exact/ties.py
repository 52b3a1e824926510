r"""Ties that are proved: linear relations which the true solution obeys exactly.

While a regime lasts the carried values obey :math:`z' = Az + b + ct` with rational
:math:`A, b, c`.  A *relation* is an affine functional :math:`f = w\cdot z + w_0 + w_1 t` that
vanishes; along the regime its derivative is again such a functional,

.. math:: f' = (wA)\cdot z + w\cdot b + w_1 + (w\cdot c)\,t ,

so :math:`f` stays zero if it and all its derivatives lie in the span of functionals that are
known to vanish when the regime begins.  Known are: the relations of the regime before (at
first, those of :mod:`ctucbvi.exact.start`), as far as they survive every regime that may have
been right around the switch, and, adjustable, :math:`v_x = t` for a state that has certainly
reached its cap.  Everything is linear algebra over the rationals, and no ball
is involved; hence two actions that this proves tied are equal, not merely close.

The rationals grow with every derivative, so that a proof may cost more than the solution; an
:class:`TieEffort` bounds it.  A proof that is given up proves nothing: the tie is then reported as a
stretch on which two actions could not be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flint import fmpq

from ctucbvi.exact.problem import MarginKey, Problem, Regime

Functional = dict[int, fmpq]  # index of a carried value, or ONE or TIME -> coefficient
ONE, TIME = -1, -2

_WORK = 20_000_000  # multiplications of small rationals that proofs may take in one pass
_WORD = 256  # bits of a rational with which it begins to cost more than the overhead


class TieEffort:
    """The work that proofs of ties may take, in multiplications of small rationals."""

    def __init__(self, work: int = _WORK, hurried: Callable[[], bool] = lambda: False) -> None:
        self._left = work
        self._hurried = hurried  # whether time runs short

    def spend(self, terms: int, size: fmpq) -> None:
        """Count ``terms`` operations on rationals like ``size``."""
        self._left -= terms * (1 + (size.p.bit_length() + size.q.bit_length()) // _WORD)

    @property
    def over(self) -> bool:
        """Whether it is time to give up."""
        return self._left < 0 or self._hurried()


class Flow:
    """The differential equation of one regime, acting on functionals."""

    def __init__(self, problem: Problem, regime: Regime) -> None:
        self._problem = problem
        self._regime = regime

    def margin(self, key: MarginKey) -> Functional:
        """The functional whose vanishing makes the margin ``key`` a tie."""
        (x, rival), problem = key, self._problem
        best = self._regime.best[x]
        if problem.committed:
            other = {TIME: fmpq(1)} if rival is None else {rival: fmpq(1)}
            return _combine([(fmpq(1), {best: fmpq(1)}), (fmpq(-1), other)])
        if rival is not None:
            return _combine([(fmpq(1), self._slope(best, x)), (fmpq(-1), self._slope(rival, x))])
        if self._regime.capped[x]:
            return _combine([(fmpq(1), self._slope(best, x)), (fmpq(-1), {ONE: fmpq(1)})])
        return {x: fmpq(1), TIME: fmpq(-1)}

    def caps(self, states: Iterable[int]) -> list[Functional]:
        """The relation v = t of those of ``states`` that are capped, in the adjustable problem."""
        return self._from_caps(x for x in states if self._regime.capped[x])

    def below_caps(self, states: Iterable[int]) -> list[Functional]:
        """The functional v - t, never positive, of those of ``states`` that are not capped; adjustable."""
        return self._from_caps(x for x in states if not self._regime.capped[x])

    def _from_caps(self, states: Iterable[int]) -> list[Functional]:
        return [] if self._problem.committed else [{x: fmpq(1), TIME: fmpq(-1)} for x in states]

    def derivative(self, functional: Functional) -> Functional:
        """The functional that is the time derivative of ``functional``."""
        parts = []
        for index, weight in functional.items():
            if index >= 0:
                parts.append((weight, self._change(index)))
            elif index == TIME:
                parts.append((weight, {ONE: fmpq(1)}))
        return _combine(parts)

    def _change(self, index: int) -> Functional:
        """The right-hand side of the equation of one carried value."""
        if self._problem.committed:
            return self._slope(index, index)
        if self._regime.capped[index]:
            return {ONE: fmpq(1)}
        return self._slope(self._regime.best[index], index)

    def _slope(self, pair: int, own: int) -> Functional:
        """The slope r − λ·own + λ Σ p V as a functional."""
        problem, regime = self._problem, self._regime
        rate = problem.rates[pair]
        parts = [(problem.rewards[pair], {ONE: fmpq(1)}), (-rate, {own: fmpq(1)})]
        for y, p in problem.jumps[pair]:
            at = y if not problem.committed else TIME if regime.capped[y] else regime.best[y]
            parts.append((rate * p, {at: fmpq(1)}))
        return _combine(parts)


class Relations:
    """Functionals that vanish on the true solution at some moment."""

    def __init__(self, functionals: Iterable[Functional] = (), effort: TieEffort | None = None) -> None:
        self._effort = effort or TieEffort()
        self._basis: dict[int, Functional] = {}  # by leading (least) index, in echelon form
        self._given: list[Functional] = []
        for functional in functionals:
            self._add(functional)

    def __bool__(self) -> bool:
        return bool(self._basis)

    def _add(self, functional: Functional) -> None:
        # Coefficients of zero are dropped, so that "vanishes identically" is "empty".
        if given := {i: c for i, c in functional.items() if c != 0}:
            self._given.append(given)
        if rest := self._reduce(given):
            lead = min(rest)
            self._basis[lead] = {i: c / rest[lead] for i, c in rest.items()}

    def _reduce(self, functional: Functional) -> Functional:
        rest = dict(functional)
        while leads := [i for i in rest if i in self._basis]:
            lead = min(leads)
            self._effort.spend(len(self._basis[lead]), rest[lead])
            rest = _combine([(fmpq(1), rest), (-rest[lead], self._basis[lead])])
        return rest

    def implies(self, functional: Functional) -> bool:
        """Whether ``functional`` is in the span of the known ones."""
        return not self._reduce(functional)

    def factor(self, functional: Functional, other: Functional) -> fmpq | None:
        """The number c for which ``functional`` is c times ``other`` by what is known; or None."""
        one, two = self._reduce(functional), self._reduce(other)
        if not two or one.keys() != two.keys():
            return None
        factors = {(c.p, c.q): c for c in (one[i] / two[i] for i in two)}
        return next(iter(factors.values())) if len(factors) == 1 else None

    def last(self, functional: Functional, flow: Flow) -> bool:
        """Whether ``functional`` vanishes as long as the regime of ``flow`` lasts."""
        orbit = Relations(effort=self._effort)
        while functional:
            if self._effort.over or not self.implies(functional):
                return False
            if orbit.implies(functional):
                return True
            orbit._add(functional)
            functional = flow.derivative(functional)
        return True

    def surviving(self, flows: list[Flow]) -> Relations:
        """Those that hold as long as the regime is one of ``flows``, in whatever order they come."""
        kept = self
        while True:
            lasting = [f for f in kept._given if all(kept.last(f, flow) for flow in flows)]
            if len(lasting) == len(kept._given):
                return kept
            kept = Relations(lasting, self._effort)

    def with_more(self, functionals: Iterable[Functional]) -> Relations:
        """These relations and others."""
        return Relations([*self._given, *functionals], self._effort)


def _combine(parts: Iterable[tuple[fmpq, Functional]]) -> Functional:
    total: Functional = {}
    for weight, functional in parts:
        for index, coefficient in functional.items():
            total[index] = total.get(index, fmpq(0)) + weight * coefficient
    return {index: c for index, c in total.items() if c != 0}
