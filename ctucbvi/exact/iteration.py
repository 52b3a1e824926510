r"""Value iteration for the committed problem, exactly, and the paper's algorithm literally.

.. math:: V_0 = 0, \qquad V_{n+1} = \max_a \mathcal T^a V_n, \qquad\text{or with truncation}\quad
          V_{n+1} = \min\{t, \max_a \mathcal T^a V_n\}

(``eq:Qa`` and ``eq:m-VI`` of the paper).

Each :math:`V_n(x,\cdot)` is an exponential polynomial between finitely many breakpoints.  On a
piece that starts at :math:`b`, with :math:`s = t - b` and :math:`Q = \mathcal T^a V_n(x,\cdot)`,

.. math:: Q(b+s) = e^{-\lambda s} Q(b) + r\!\int_0^s\! e^{-\lambda u}du
          + \int_0^s \lambda e^{-\lambda u} \textstyle\sum_y p(y)\,V_n(y, b+s-u)\,du .

**What is computed** is a function :math:`\tilde V_n` given by exact choices: rational joints,
and between two joints one action (or the truncation) per state.  Its coefficients are exact
rationals on the first piece and balls around the exact ones after it.

**Its error.**  Where the sign of the difference of two actions is proved, the choice is right.
Breakpoints are transcendental; each lies in a tiny bracket that is left undecided, the joint
is the lower end of the bracket, and the choice there is wrong by at most the size of that
difference.  :math:`\mathcal T^a`, :math:`\max` and :math:`\min\{t,\cdot\}` are non-expansive in
the sup norm, so :math:`\|\tilde V_{n+1} - V_{n+1}\| \le \varepsilon_n + \text{(what the choices cost)}`.
On the first piece nothing is undecided, and :math:`\mathcal T^a` looks only at shorter times:
there :math:`\tilde V_n = V_n` exactly.

Cancellation among the terms costs bits, more in each iteration.  Once the error and the radii
of the balls exceed what was asked for, the iteration starts again with twice the precision.

**When to stop.**  The paper's algorithm (``alg:VI``) stops when
:math:`\|V_n - V_{n-1}\|_\infty < \epsilon`.  The norm is known as a proved enclosure, which is
narrowed until it lies on one side of :math:`\epsilon`; a norm that equals :math:`\epsilon` stays
undecided and is reported so.  How far :math:`V_n` is from the fixed point is the subject of
:mod:`ctucbvi.exact.iteration_bounds`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import UndecidedError
from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.piecewise import Candidate, Held, TooCoarseError, best_of, charts, supremum
from ctucbvi.exact.precision import enclosure, largest, precision, symmetric, to_fmpq, to_fraction
from ctucbvi.model import Objective
from ctucbvi.numbers import count, positive

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP, Number, Pair

TRUNCATED = "t"  # the name of the branch V = t


@dataclass(frozen=True, slots=True)
class IteratePiece:
    """One piece of an iterate: ``function`` in the variable ``t - lower``, for ``lower <= t <= upper``."""

    lower: Fraction
    upper: Fraction
    function: ExpPoly
    branch: str | None  # the action, TRUNCATED where V = t, None for V_0


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """The best branch of ``state`` changes in ``[lower, upper]``.

    ``certified``: for the exact iterate ``before`` is proved better than ``after`` at ``lower``
    and worse at ``upper``.  Otherwise the change is one of the computed function only.
    """

    state: str
    lower: Fraction
    upper: Fraction
    before: str
    after: str
    certified: bool


@dataclass(frozen=True)
class Iterate:
    """The function ``V_n``, known up to :attr:`error`."""

    model: CTMDP
    n: int
    joints: tuple[fmpq, ...]  # 0 = b_0 < ... < b_m = H, common to all states
    bodies: tuple[tuple[ExpPoly, ...], ...]  # [state][piece], in the variable t - b_i
    branches: tuple[tuple[str | None, ...], ...]  # [state][piece]
    breakpoints: tuple[Breakpoint, ...]
    slack: arb  # sup |Ṽ_n - V_n|; 0 on the first piece
    bits: int  # the precision it was computed with

    def __repr__(self) -> str:
        pieces = len(self.joints) - 1
        return f"Iterate({self.model.name!r}, V_{self.n}: {pieces} piece{'s' if pieces != 1 else ''})"

    @cached_property
    def error(self) -> Fraction:
        """A bound for ``sup |Ṽ_n - V_n|`` and the uncertainty of the coefficients together."""
        with precision(self.bits):
            return enclosure(self.slack + self._blur).upper

    @cached_property
    def _blur(self) -> arb:
        radii = [
            chart.blur
            for bodies in self.bodies
            for f, (a, b) in zip(bodies, pairwise(self.joints), strict=True)
            if not f.is_exact
            for chart in charts(f.terms, fmpq(0), b - a)
        ]
        return largest(radii)

    def pieces(self, state: str) -> list[IteratePiece]:
        """The pieces of ``V_n(state, ·)``; those before the first joint have exact coefficients."""
        x = self.model.state_index(state)
        return [
            IteratePiece(to_fraction(a), to_fraction(b), f, branch)
            for (a, b), f, branch in zip(pairwise(self.joints), self.bodies[x], self.branches[x], strict=True)
        ]

    def value(self, state: str, t: Number) -> Enclosure:
        """An enclosure of ``V_n(state, t)``."""
        x, time = self.model.state_index(state), self.model.remaining(t)
        with precision(self.bits):
            at = to_fmpq(time)
            i = self.index(at)
            if i == 0:  # known exactly
                return self.bodies[x][0].at(at).enclosure(self.bits)
            return enclosure(self.bodies[x][i](at - self.joints[i]) + symmetric(self.slack))

    def index(self, t: fmpq) -> int:
        """The piece that ``t`` belongs to; a joint belongs to the piece before it."""
        return max(bisect_left(self.joints, t) - 1, 0)

    def of(self, model: CTMDP) -> Iterate:
        """The same iterate for ``model``, whose plain form it is of."""
        if model is self.model:
            return self
        with precision(self.bits):
            turned = tuple(tuple(-f for f in line) for line in self.bodies)
        bodies = self.bodies if model.objective is Objective.MAX else turned
        return replace(self, model=model, bodies=bodies)

    def distance(self, other: Iterate, tolerance: Fraction = Fraction(1, 2**30)) -> Enclosure:
        """An enclosure of ``sup |V_n - V_m|`` over all states and times, ``other`` being ``V_m``."""
        with precision(max(self.bits, other.bits)):
            found, fine = arb(0), arb(to_fmpq(tolerance))
            for a, b in pairwise(sorted({*self.joints, *other.joints})):
                i, j = self.index(b), other.index(b)
                for mine, theirs in zip(self.bodies, other.bodies, strict=True):
                    f = mine[i].shift(a - self.joints[i]) - theirs[j].shift(a - other.joints[j])
                    for chart in charts(f.terms, fmpq(0), b - a):
                        found = supremum(chart, chart.lower, chart.upper, tolerance=fine, floor=found)
            whole = enclosure(found + symmetric(self.slack + other.slack))
        return Enclosure(max(whole.lower, Fraction(0)), whole.upper)

    def reaches(self, other: Iterate, goal: Fraction) -> bool:
        """Whether ``|V_n - V_m| >= goal``, exactly, for some state at the end of the exact pieces."""
        end, level = min(self.joints[1], other.joints[1]), ExpPoly.constant(goal)
        differences = [f[0] - g[0] for f, g in zip(self.bodies, other.bodies, strict=True)]
        return any((d * side - level).at(end).sign() >= 0 for d in differences for side in (1, -1))

    def expression(self, piece: IteratePiece, symbol: Any, digits: int = 15) -> Any:
        """One piece in SymPy, as a function of the remaining time; exact if its coefficients are."""
        with precision(self.bits):
            return piece.function.shift(-piece.lower).to_sympy(symbol, digits)

    def sympy(self, state: str, symbol: Any = None, digits: int = 15) -> Any:
        """``V_n(state, ·)`` in SymPy: exact on the first piece, ``digits`` digits on the others."""
        import sympy  # slow to load, and few ask for expressions

        t = sympy.Symbol("t", nonnegative=True) if symbol is None else symbol
        parts = []
        for piece in self.pieces(state):
            end = sympy.Rational(piece.upper.numerator, piece.upper.denominator)
            last = piece.upper == self.model.horizon
            parts.append((self.expression(piece, t, digits), t <= (end if last else end.evalf(digits))))
        return parts[0][0] if len(parts) == 1 else sympy.Piecewise(*parts)


@dataclass
class ValueIteration:
    """The iterates ``V_0, V_1, ...`` of a model, computed when asked for: ``ValueIteration(model)[n]``.

    Their :attr:`Iterate.error` is at most ``2**-bits`` times ``model.value_scale``; the working
    precision is raised up to ``max_bits`` for that.
    """

    model: CTMDP
    truncate: bool = False
    bits: int = 128
    max_bits: int = 1 << 15
    _work: int = field(default=0, init=False)
    _known: list[Iterate] = field(default_factory=list, init=False)

    def __repr__(self) -> str:
        truncated = ", truncated" if self.truncate else ""
        return f"ValueIteration({self.model.name!r}{truncated}, {self.bits} bits)"

    def __getitem__(self, n: int) -> Iterate:
        count(n, "iteration", 0)
        self.model.plain(truncate=self.truncate)  # refuses what cannot be truncated
        if not self._known:
            self._restart(2 * self.bits + 64)
        tolerance = (self.model.value_scale or 1) / 2**self.bits
        while len(self._known) <= n:
            try:
                following = improve(self._known[-1], truncate=self.truncate)
            except TooCoarseError:
                self._restart(2 * self._work)
                continue
            if following.error <= tolerance:
                self._known.append(following)
            else:
                self._restart(2 * self._work)
        return self._known[n].of(self.model)

    def refine(self) -> None:
        """Ask for twice as many bits from now on; iterates handed out before stay valid."""
        self.bits *= 2
        self._restart(max(self._work, 2 * self.bits + 64))

    def _restart(self, work: int) -> None:
        if work > self.max_bits:
            raise UndecidedError(
                f"value iteration of {self.model.name!r}: {self.max_bits} bits do not bring the error "
                f"below 2**-{self.bits}; allow more with max_bits"
            )
        self._work = work
        self._known = [start(self.model.plain(), work)]


def start(model: CTMDP, bits: int) -> Iterate:
    """``V_0 = 0``."""
    count = len(model.states)
    return Iterate(
        model,
        0,
        (fmpq(0), to_fmpq(model.horizon)),
        ((ExpPoly.zero(),),) * count,
        ((None,),) * count,
        (),
        arb(0),
        bits,
    )


def commit(pair: Pair, ahead: ExpPoly, first: fmpq | arb) -> ExpPoly:
    """The value of an action on one piece: ``first`` at its start, ``ahead`` after the jump."""
    stay = ExpPoly.monomial(first, 0, to_fmpq(pair.rate)) + ExpPoly.waiting(to_fmpq(pair.rate)) * pair.reward
    return stay + ahead.convolve(to_fmpq(pair.rate))


def improve(previous: Iterate, *, truncate: bool) -> Iterate:
    """``V_{n+1}`` from ``V_n``."""
    model = previous.model
    with precision(previous.bits):
        first: list[fmpq | arb] = [to_fmpq(pair.start) for pair in model.pairs]
        columns: list[list[list[Candidate]]] = [[] for _ in model.states]  # [state][piece][branch]
        chosen: list[list[Held]] = [[] for _ in model.states]
        for i, (a, b) in enumerate(pairwise(previous.joints)):
            offers: list[list[Candidate]] = [[] for _ in model.states]
            for k, pair in enumerate(model.pairs):
                ahead = ExpPoly.zero()
                for y, p in pair.to:
                    ahead += previous.bodies[y][i] * p
                q = commit(pair, ahead, first[k])
                first[k] = q(b - a)
                offers[pair.state].append(Candidate(model.actions[pair.action], q))
            cap = Candidate(TRUNCATED, ExpPoly.of({0: [a, 1]})) if truncate else None
            for x, offer in enumerate(offers):
                chosen[x] += best_of(offer, cap, a, b, exact=i == 0)
                columns[x].append(offer if cap is None else [*offer, cap])
        return _assemble(previous, chosen, columns)


def _assemble(previous: Iterate, chosen: list[list[Held]], columns: list[list[list[Candidate]]]) -> Iterate:
    """Put all states on common joints and add up what the choices cost."""
    joints = sorted({z for stretches in chosen for s in stretches for z in (s.lower, s.upper)})
    bodies: list[tuple[ExpPoly, ...]] = []
    branches: list[tuple[str | None, ...]] = []
    for stretches in chosen:
        parts = [
            (s.chosen.function.shift(z - s.origin), s.chosen.branch)
            for s in stretches
            for z in joints[bisect_left(joints, s.lower) : bisect_left(joints, s.upper)]
        ]
        bodies.append(tuple(f for f, _ in parts))
        branches.append(tuple(branch for _, branch in parts))
    cost = largest([s.cost for stretches in chosen for s in stretches])
    changes = [
        _breakpoint(previous, x, columns[x], left, right)
        for x, stretches in enumerate(chosen)
        for left, right in pairwise(stretches)
        if left.chosen.branch != right.chosen.branch
    ]
    return Iterate(
        previous.model,
        previous.n + 1,
        tuple(joints),
        tuple(bodies),
        tuple(branches),
        tuple(sorted(changes, key=lambda c: (c.lower, c.state))),
        (previous.slack + cost).upper(),
        previous.bits,
    )


def _breakpoint(
    previous: Iterate, x: int, column: list[list[Candidate]], left: Held, right: Held
) -> Breakpoint:
    """Widen the bracket of a change until it holds for the exact iterate, too."""
    before, after = left.chosen.branch, right.chosen.branch
    low, high, certified = right.lower, right.undecided_until, False
    step = previous.joints[-1] / 2 ** (previous.bits - 8)

    def lead(t: fmpq) -> arb:
        """``T^before V - T^after V`` at ``t`` (for a change to or from the truncation: what keeps it)."""
        i = previous.index(t)
        by_name = {c.branch: c.function for c in column[i]}
        difference = (by_name[before] - by_name[after])(t - previous.joints[i])
        sense = -1 if TRUNCATED in (before, after) else 1
        return sense * difference + symmetric(2 * previous.slack if i else arb(0))

    while low >= 0 and high <= previous.joints[-1] and not certified:
        certified = bool(lead(low) > 0) and bool(lead(high) < 0)
        if not certified:
            low, high, step = low - step, high + step, 2 * step
    if not certified:
        low, high = right.lower, right.undecided_until
    return Breakpoint(previous.model.states[x], to_fraction(low), to_fraction(high), before, after, certified)


@dataclass(frozen=True)
class Stopped:
    """What Algorithm 2 returns, and how it came to stop."""

    iterations: int
    value: Iterate
    distance: Enclosure  # of ‖V_n − V_{n−1}‖, proved below ε
    distances: tuple[Enclosure, ...]  # those of all iterations; all but the last proved to be at least ε

    def __repr__(self) -> str:
        return f"Stopped(after {self.iterations} iterations, {self.value!r}, distance {self.distance!r})"


def algorithm2(
    model: CTMDP,
    epsilon: Number,
    *,
    truncate: bool = True,
    bits: int = 64,
    max_bits: int = 1 << 11,
    max_iterations: int = 1000,
) -> Stopped:
    """The paper's modified value iteration (``alg:VI``): iterate until ``‖V_n − V_{n−1}‖ < ε``."""
    goal = positive(epsilon, "epsilon")
    iterates = ValueIteration(model, truncate=truncate, bits=bits, max_bits=max_bits)
    distances: list[Enclosure] = []
    for n in range(1, max_iterations + 1):
        distances.append(_decided(iterates, n, goal))
        if distances[-1].upper < goal:
            return Stopped(n, iterates[n], distances[-1], tuple(distances))
    raise UndecidedError(
        f"algorithm 2: no end within {max_iterations} iterations; allow more with max_iterations"
    )


def _decided(iterates: ValueIteration, n: int, goal: Fraction) -> Enclosure:
    """An enclosure of ``‖V_n − V_{n−1}‖`` on one side of ``goal``."""
    tolerance = goal / 8
    while True:
        found = iterates[n].distance(iterates[n - 1], tolerance)
        if found.upper < goal or found.lower >= goal:
            return found
        if iterates[n].reaches(iterates[n - 1], goal):
            return Enclosure(goal, found.upper)
        if tolerance > goal / 2**iterates.bits:
            tolerance = goal / 2**iterates.bits
            continue
        try:
            iterates.refine()
        except UndecidedError:
            raise UndecidedError(
                f"algorithm 2: iteration {n}: the distance {float(found.mid):.6g} cannot be told from "
                f"epsilon = {goal} with {iterates.max_bits} bits"
            ) from None
