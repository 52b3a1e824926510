r"""A second opinion on a model's value: mpmath only, and no mathematics shared with what it checks.

**Taylor series.**  The value solves a differential equation in remaining time,

.. math:: \text{committed: } Q(x,a)' = r - \lambda Q + \lambda \sum_y p(y) V(y),\quad
          V = \max_a\,[c(x,a) + Q],\quad Q(x,a,0) = g(x,a),
.. math:: \text{adjustable: } v(x)' = \max_a D(x,a),\quad
          D = r - \lambda v(x) + \lambda \sum_y p(y)\, v(y),\quad v(x,0) = \max_a g(x,a).

The second has no reward :math:`c` for choosing.
With truncation :math:`V = \min\{t, \max_a[c + Q]\}` in the first, and the second becomes the
obstacle problem :math:`v \le t`: where :math:`v = t`, the slope is
:math:`\min\{1, \max_a D\}`; at the start :math:`v(0) = \min\{0, g\}`.  Lumps :math:`\varrho(y)`
stand where they are earned, :math:`\lambda\sum_y p(y)(\varrho(y) + V(y))`; where costs are minimised
:math:`\max_a` is :math:`\min_a`; :math:`c` is paid where an action is chosen, :math:`g(x,a)` where all ends.
None of it is reduced to anything else here, as it is for the planners.

A step :math:`t = t_0 + hu,\ 0 \le u \le 1`, has :math:`\lambda_{\max} h \le 1`.  A *regime*
says which action is maximal in each state and where the cap :math:`t` binds.  Just after
:math:`t_0` it is the one whose Taylor coefficients are lexicographically largest (the
smaller of that and the cap).  Coefficient :math:`k+1` needs the maximum of coefficient
:math:`k` only, so regime and coefficients grow together, order by order, also where all
actions tie, as they do under commitment at :math:`t = 0`.  The step ends where a competitor
overtakes: a polynomial :math:`f` (competitor minus maximiser) becomes positive.  Powers of
:math:`u` at which both tie are divided out, and
:math:`f(m) + |f'(m)|\rho + \max|f''|\rho^2/2 \le 0` clears the interval
:math:`m \pm \rho` as a whole, so two close crossings do not hide between sample points.  Where actions touch
that clears little; all the :math:`f^{(k)}(m)/k!` clear intervals as long as a share of the distance to where
they touch, and a few bisections for each digit are enough.

**Error.**  Both equations are non-expansive in the sup norm: local errors add up and are
never amplified.  :attr:`SecondOpinion.stated_error` sums, over the steps, the tail of the
series (:math:`(k+1)|z_{k+1}| \le 2\lambda_{\max}h|z_k|`), the tolerance at which two
actions pass for tied, and an estimate of rounding.  This is careful floating-point
arithmetic, *not a proof*: rounding is estimated, not bounded.

**Quadrature.**  :func:`bellman` integrates the definition of :math:`G`, without differential
equations; the committed value must reproduce itself under it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import count, groupby, pairwise, zip_longest
from math import ceil, lgamma, log, log10
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from mpmath import mp
from mpmath.ctx_mp import MPContext

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError, PolicyError, UndecidedError
from ctucbvi.model import CTMDP, Number, Objective, Semantics
from ctucbvi.numbers import exact
from ctucbvi.solutions import Doubt, Segment, Switch, computed_segments, switches_of
from ctucbvi.views import Viewed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctucbvi.policy import Policy

Real: TypeAlias = Any  # an mpf; mpmath ships no types
Series: TypeAlias = list[Real]  # Taylor coefficients in u, lowest order first
Groups: TypeAlias = list[list[int]]  # per state, the pairs that may be used

_SEARCH_BUDGET = 2_000  # intervals looked at for one crossing
_PLAIN = 64  # of them by the second derivative alone, which is quick


@dataclass(frozen=True)
class TaylorPiece:
    """One Taylor step: values, actions and cap of every state from ``start`` on."""

    start: Real
    step: Real  # h: the series run in u = (t - start) / h
    series: tuple[Series, ...]  # V, one per state
    active: tuple[int, ...]  # the maximising pair of each state
    capped: tuple[bool, ...]  # whether V = t binds


@dataclass(frozen=True, repr=False)
class SecondOpinion(Viewed):
    """The value and the maximising action of every state on ``[0, H]``."""

    model: CTMDP
    semantics: Semantics
    stated_error: Real  # an estimate for the values, see the module's text
    pieces: tuple[TaylorPiece, ...]
    context: Any  # the private mpmath context that the numbers were computed in
    bound: ClassVar[None] = None  # the error is estimated
    times_proved: ClassVar[bool] = False
    undecided: ClassVar[tuple[Doubt, ...]] = ()  # what cannot be told apart is an error

    def value(self, state: str, t: Number | Real | None = None) -> Enclosure:
        """The value of ``state`` at remaining time ``t`` (default: the horizon), up to the stated error."""
        found = as_fraction(self.estimate(state, self.model.horizon if t is None else t))
        error = as_fraction(self.stated_error)
        return Enclosure(found - error, found + error)

    def segments(self, state: str) -> list[Segment]:
        """The maximising actions of ``state``, in increasing remaining time."""
        x, rows = self.model.state_index(state), self.model.transitions
        runs = (next(run) for _, run in groupby(self.pieces, key=lambda piece: piece.active[x]))
        starts = [(as_fraction(first.start), rows[first.active[x]].action) for first in runs]
        return computed_segments(starts, self.model.horizon)

    @cached_property
    def switches(self) -> list[Switch]:
        """Where they change, in increasing remaining time."""
        return switches_of((state, self.segments(state)) for state in self.model.states)

    def estimate(self, state: str, t: Number | Real) -> Real:
        """Return the value of ``state`` at remaining time ``t``, an mpf with all its digits."""
        x, time = self.model.state_index(state), _time(self.context, self.model, t)
        piece = self._piece(time)
        return _public(self.context.polyval(piece.series[x][::-1], (time - piece.start) / piece.step))

    def action(self, state: str, t: Number | Real) -> str:
        """Return the maximising action; at a switch, the one that is maximal just after it."""
        x, time = self.model.state_index(state), _time(self.context, self.model, t)
        return self.model.transitions[self._piece(time).active[x]].action

    def _piece(self, time: Real) -> TaylorPiece:
        return self.pieces[bisect_right(self.pieces, time, key=lambda piece: piece.start) - 1]


def solve(
    model: CTMDP, semantics: Semantics = Semantics.COMMITTED, *, digits: int = 20, truncate: bool = False
) -> SecondOpinion:
    """Compute the optimal value by Taylor steps, to ``digits`` digits of ``model.value_scale``."""
    if truncate and model.objective is Objective.MIN:
        raise InputError(f"model {model.name!r} minimises costs, and truncation caps rewards; leave it out")
    _refuse_choices(model, semantics)
    system = _System.of(model, Semantics(semantics), digits, truncate)
    everything = [[i for i, p in enumerate(model.pairs) if p.state == x] for x in range(len(model.states))]
    return _march(system, [(system.context.zero, everything)], search=True)


def evaluate(
    model: CTMDP, policy: Policy, semantics: Semantics = Semantics.COMMITTED, *, digits: int = 20
) -> SecondOpinion:
    """Compute the value of a fixed policy; committed, ``V`` jumps where it changes (``Q`` does not)."""
    if policy.model != model:
        raise PolicyError(f"policy: it belongs to model {policy.model.name!r}; give one for {model.name!r}")
    _refuse_choices(model, semantics)
    system = _System.of(model, Semantics(semantics), digits, truncate=False)
    index = {(t.state, t.action): i for i, t in enumerate(model.transitions)}
    phases = [
        (_real(system.context, start), [[index[x, policy.action(x, start)]] for x in model.states])
        for start in (exact(0, "start"), *policy.breakpoints)
    ]
    return _march(system, phases, search=False)


def _refuse_choices(model: CTMDP, semantics: Semantics) -> None:
    if Semantics(semantics) is Semantics.ADJUSTABLE and any(row.choice for row in model.transitions):
        raise InputError(
            f"model {model.name!r} has rewards for choosing, and adjustable actions are chosen all the time"
        )


def bellman(
    model: CTMDP,
    value: Callable[[str, Real], Real],
    state: str,
    t: Number | Real,
    *,
    digits: int = 20,
    breakpoints: Iterable[Number | Real] = (),
) -> Real:
    """Compute ``(G V)(state, t)``, ``V = value``, by Gauss–Legendre quadrature of its definition.

    Without the ``breakpoints``, where ``V`` has kinks, quadrature loses most of its digits.
    """
    ctx = _context(digits, digits + 10)
    time, x = _time(ctx, model, t), model.state_index(state)
    cuts = [c for c in sorted(_real(ctx, b) for b in breakpoints) if 0 < c < time]
    candidates = []
    for line in (t for t in model.transitions if t.state == state):
        ends = model.terminal[x] if line.terminal is None else line.terminal
        rate, reward, start = (_real(ctx, n) for n in (line.rate, line.reward, ends))
        paid = dict(line.lump)
        row = [(y, _real(ctx, p), _real(ctx, paid.get(y, 0))) for y, p in line.to]

        def density(s: Real, rate: Real = rate, row: list[tuple[str, Real, Real]] = row) -> Real:
            inside = min(max(s, ctx.zero), time)  # a node may leave the interval by one rounding
            later = ctx.fsum(p * (lump + _real(ctx, value(y, inside))) for y, p, lump in row)
            return rate * ctx.exp(-rate * (time - s)) * later

        running = reward * (-ctx.expm1(-rate * time) / rate if rate else time)
        jump = _integral(ctx, density, [ctx.zero, *cuts, time], rate) if rate and time else ctx.zero
        chosen = _real(ctx, line.choice)
        candidates.append(chosen + running + jump + ctx.exp(-rate * time) * start)
    return _public(max(candidates) if model.objective is Objective.MAX else min(candidates))


def as_fraction(number: Real) -> Fraction:
    """The exact rational value of an mpf."""
    sign, mantissa, exponent, _ = number._mpf_
    size = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -size if sign else size


def _integral(ctx: Any, density: Callable[[Real], Real], ends: Sequence[Real], rate: Real) -> Real:
    """Integrate over ``[ends[0], ends[-1]]``, split at ``ends`` and into pieces of ``2 / rate``."""
    nodes = [ends[0]]
    for a, b in pairwise(ends):
        parts = max(1, int(ctx.ceil((b - a) * rate / 2)))
        nodes += [a + (b - a) * j / parts for j in range(1, parts)] + [b]
    return ctx.quad(density, nodes, method="gauss-legendre")


def _context(digits: int, working: int) -> Any:
    context = MPContext()  # private: mpmath's global precision stays as the caller left it
    if not isinstance(digits, int) or digits < 1:
        raise InputError(f"digits: {digits!r} is not a count of digits; write a whole number from 1 on")
    context.dps = working
    return context


def _real(ctx: Any, number: Number | Real) -> Real:
    """Convert to an mpf of ``ctx``; an mpf keeps all its digits."""
    if hasattr(number, "_mpf_"):
        return ctx.make_mpf(number._mpf_)
    fraction = exact(number, "number")
    return ctx.mpf(fraction.numerator) / fraction.denominator


def _time(ctx: Any, model: CTMDP, t: Number | Real) -> Real:
    time = _real(ctx, t)
    if not 0 <= time <= _real(ctx, model.horizon):
        raise InputError(f"remaining time {t} is outside [0, {model.horizon}]")
    return time


def _public(number: Real) -> Real:
    """Hand out as an mpf of mpmath's own context, without rounding to the precision set there."""
    return mp.make_mpf(number._mpf_)


@dataclass(frozen=True)
class _System:
    """A model in floating point, with the order, step and tolerance chosen for it."""

    model: CTMDP
    committed: bool
    truncate: bool
    context: Any
    rows: list[tuple[int, Real, Real, list[tuple[int, Real]]]]  # per pair: x, r + λ Σ p ϱ, λ, (y, λ p(y))
    paid: list[tuple[Real, Real]]  # per pair: for choosing it, and at the end
    horizon: Real
    step: Real
    order: int
    tolerance: Real  # coefficients that differ by less pass for tied
    rounding: Real  # estimate for one step

    @classmethod
    def of(cls, model: CTMDP, semantics: Semantics, digits: int, truncate: bool) -> _System:
        _context(digits, 15)  # refuses a bad number of digits before it is used
        steps = max(1, ceil(model.max_rate * model.horizon))  # λmax h ≤ 1
        aim = digits + 6 + log10(steps)
        # the smallest order n with (2 λmax h)^n / n! ≤ 2^n / n! below 10^-aim
        order = next(n for n in count(4) if n * log10(2) - lgamma(n + 1) / log(10) < -aim)
        guard = 3 + ceil(log10(steps * order))
        ctx = _context(digits, digits + guard + 10)
        real = partial(_real, ctx)
        horizon, scale = real(model.horizon), real(max(model.value_scale, model.horizon * truncate) or 1)
        rows, earned = [], []
        for t in model.transitions:
            ends = model.terminal[model.state_index(t.state)] if t.terminal is None else t.terminal
            earned.append((real(t.choice), real(ends)))
            weights = [(model.state_index(y), real(t.rate * q)) for y, q in t.to]
            paid = sum((w * real(dict(t.lump).get(model.states[y], 0)) for y, w in weights), ctx.zero)
            rows.append((model.state_index(t.state), real(t.reward) + paid, real(t.rate), weights))
        tolerance = scale * ctx.mpf(10) ** -(digits + guard)
        rounding = scale * ctx.eps * 100 * (order + len(model.states))
        kind = (semantics is Semantics.COMMITTED, truncate)
        return cls(model, *kind, ctx, rows, earned, horizon, horizon / steps, order, tolerance, rounding)

    def drift(self, i: int, k: int, values: Sequence[Series], own: Series) -> Real:
        """Coefficient ``k`` of ``r - λ own + λ Σ p V`` for pair ``i``."""
        _, reward, rate, weights = self.rows[i]
        total = sum((w * values[y][k] for y, w in weights), -rate * own[k])
        return total + reward if k == 0 else total


@dataclass
class _Beginning:
    """The regime just after a point in time, while it is being decided order by order."""

    tied: list[list[int]]  # per state, the pairs that are maximal so far
    capped: list[bool | None]  # per state, whether the cap binds; None: equal so far
    cap: tuple[Real, Real]  # coefficients 0 and 1 of the cap; the others are 0
    tolerance: Real
    best_of: Callable[[Iterable[Real]], Real]  # max, or min of costs

    def choose(self, x: int, k: int, candidates: Sequence[Series]) -> Real:
        """Narrow the regime of state ``x`` by order ``k``; the coefficient of the capped maximum."""
        tied = self.tied[x]
        best = self.best_of(candidates[i][k] for i in tied)
        if len(tied) > 1:
            self.tied[x] = [i for i in tied if abs(candidates[i][k] - best) <= self.tolerance]
        if self.capped[x] is False:
            return best
        limit = self.cap[k] if k < 2 else 0 * best
        if self.capped[x] is None and abs(best - limit) > self.tolerance:
            self.capped[x] = bool(best > limit)
        return limit if self.capped[x] else min(best, limit)


def _expand(
    system: _System, start: Real, h: Real, z: Sequence[Real], allowed: Groups, last: Sequence[int]
) -> tuple[TaylorPiece, list[Series], list[Series]]:
    """Build the step from ``start``, where the unknowns are ``z``; ``last`` were the actions before.

    Returns the piece, the series of the unknowns (Q per pair, or v per state) and of the
    candidates among which the regime chooses (c + Q, or h D, per pair).
    """
    xs, pairs = range(len(allowed)), range(len(system.rows))
    touching = [system.truncate and (system.committed or z[x] >= start - system.tolerance) for x in xs]
    cap = (start, h) if system.committed else (h, 0 * h)
    best_of = max if system.model.objective is Objective.MAX else min
    capped: list[bool | None] = [None if touch else False for touch in touching]
    germ = _Beginning(list(allowed), capped, cap, system.tolerance, best_of)
    values: list[Series] = [[] if system.committed else [z[x]] for x in xs]
    candidates: list[Series] = [[system.paid[i][0] + z[i]] if system.committed else [] for i in pairs]
    held: list[Series] = [[z[i]] if system.committed else [] for i in pairs]  # Q: what was chosen is paid
    for k in range(system.order + 1):
        if system.committed:
            for x in xs:
                values[x].append(germ.choose(x, k, candidates))
            for i in pairs:
                held[i].append(system.drift(i, k, values, held[i]) * h / (k + 1))
                candidates[i].append(held[i][-1])
        else:
            for i in pairs:
                candidates[i].append(system.drift(i, k, values, values[system.rows[i][0]]) * h)
            for x in xs:
                values[x].append(germ.choose(x, k, candidates) / (k + 1))
    # Among actions that tie in every coefficient the one in use stays: no spurious switches.
    active = tuple(last[x] if last and last[x] in germ.tied[x] else germ.tied[x][0] for x in xs)
    piece = TaylorPiece(start, h, tuple(values), active, tuple(bool(c) for c in germ.capped))
    return piece, held if system.committed else values, candidates


def _events(
    system: _System, piece: TaylorPiece, candidates: Sequence[Series], allowed: Groups
) -> list[Series]:
    """List what stays at or below 0 in a regime: competitor minus maximiser, value minus cap.

    Of costs it is the minimiser minus its competitor.
    """

    def minus(a: Series, b: Series) -> Series:
        return [p - q for p, q in zip_longest(a, b, fillvalue=system.context.zero)]

    events, line = [], [piece.start, piece.step]
    for x, i in enumerate(piece.active):
        best = candidates[i]
        rivals = [(candidates[j], best) for j in allowed[x] if j != i]
        events += [minus(a, b) if system.model.objective is Objective.MAX else minus(b, a) for a, b in rivals]
        if system.truncate and piece.capped[x]:
            events.append(minus(line if system.committed else [piece.step], best))
        elif system.truncate:
            events.append(minus(best if system.committed else piece.series[x], line))
    return events


def _march(system: _System, phases: Sequence[tuple[Real, Groups]], *, search: bool) -> SecondOpinion:
    """Step from 0 to the horizon; ``phases`` lists from when on which pairs may be used."""
    model, ctx, pieces = system.model, system.context, list[TaylorPiece]()
    error, z = ctx.zero, [g for _, g in system.paid]
    if not system.committed:
        best_of = max if model.objective is Objective.MAX else min
        ends = [
            [g for (y, *_), g in zip(system.rows, z, strict=True) if y == x] for x in range(len(model.states))
        ]
        z = [min(best_of(g), ctx.zero) if system.truncate else best_of(g) for g in ends]
    ends = [start for start, _ in phases[1:]] + [system.horizon]
    budget = 4 * int(system.horizon / system.step) + 4 * len(phases) + 200 * len(model.pairs)
    for (t, allowed), end in zip(phases, ends, strict=True):
        while t < end:
            if len(pieces) >= budget:
                raise _undecided(system, t, f"there is no end after {budget} steps; ask for more digits")
            parts = max(1, int(ctx.ceil((end - t) / system.step - 1e-9)))
            h, u = (end - t) / parts, ctx.one
            last = pieces[-1].active if pieces else ()
            piece, unknowns, candidates = _expand(system, t, h, z, allowed, last)
            for event in _events(system, piece, candidates, allowed) if search else ():
                found = _first_positive(event, u, system.tolerance, ctx)
                if found is None:
                    raise _undecided(system, t, "two actions stay too close; ask for other digits")
                u = found
            pieces.append(piece)
            z = [ctx.polyval(series[::-1], u) for series in unknowns]
            tail = max(abs(series[-1]) for series in unknowns)
            error += tail + system.rounding + (system.order + 2) * system.tolerance * search
            t = end if parts == 1 and u == 1 else t + u * h
    semantics = Semantics.COMMITTED if system.committed else Semantics.ADJUSTABLE
    return SecondOpinion(model, semantics, _public(error), tuple(pieces), ctx)


def _undecided(system: _System, t: Real, why: str) -> UndecidedError:
    """That there is no second opinion, where, and why."""
    where = system.context.nstr(t, 6)
    return UndecidedError(f"second opinion on {system.model.name!r} at remaining time {where}: {why}")


def _first_positive(f: Series, upto: Real, tolerance: Real, ctx: Any) -> Real | None:
    """Find where the polynomial ``f`` exceeds 0 (by more than ``tolerance``), or ``upto``; None: unknown."""
    leading = next((k for k, c in enumerate(f) if abs(c) > tolerance), None)
    if leading is None:
        return upto  # tied all along
    if f[leading] > 0:  # chosen within tolerance but overtaken at once: go as far as that is harmless
        halvings = (ctx.ldexp(upto, -j) for j in range(ctx.prec))
        return next((u for u in halvings if ctx.polyval(f[::-1], u) <= 4 * tolerance), upto)
    curvature = sum(k * (k - 1) * abs(c) for k, c in enumerate(f[leading:]))
    g = f[leading:][::-1]  # f = u^leading g up to tolerance: the tie at u = 0 is divided out
    todo = [(ctx.zero, upto)]
    for looked in range(_SEARCH_BUDGET):
        if not todo:
            return upto
        a, b = todo.pop()
        m, rho = (a + b) / 2, (b - a) / 2
        here, slope = ctx.polyval(g, m, derivative=True)
        change, turn = (abs(slope) + curvature * rho / 2) * rho, curvature * rho
        if looked >= _PLAIN and here + change > tolerance and abs(slope) < turn:
            change, turn = _near(g, m, rho)
        if here + change <= tolerance:
            continue
        if abs(slope) >= turn:  # monotone here, and at most tolerance at a
            if ctx.polyval(g, b) > tolerance:
                return _root(g, a, b, ctx)
        elif here > tolerance:
            todo.append((a, m))
        elif ctx.ldexp(rho, ctx.prec // 2) > 1:
            todo += [(m, b), (a, m)]
    return None


def _near(g: Series, m: Real, rho: Real) -> tuple[Real, Real]:
    """By how much ``g`` and its slope change at most within ``rho`` of ``m``, by Taylor's formula there."""
    moved = list(g)  # highest order first
    for level in range(len(moved) - 1, 0, -1):
        for k in range(1, level + 1):
            moved[k] += m * moved[k - 1]
    change, turn = 0 * m, 0 * m
    for k, c in zip(range(len(moved) - 1, 0, -1), moved, strict=False):
        change, turn = (change + abs(c)) * rho, turn * rho + k * abs(c) * (k > 1)
    return change, turn


def _root(g: Series, a: Real, b: Real, ctx: Any) -> Real:
    """Find the zero of ``g``, increasing on ``[a, b]``: Newton, bisecting where that leaves the bracket."""
    x = (a + b) / 2
    for _ in range(2 * ctx.prec):
        here, slope = ctx.polyval(g, x, derivative=True)
        a, b = (a, x) if here > 0 else (x, b)
        newton = x - here / slope if slope else a - 1
        x, before = (newton if a <= newton <= b else (a + b) / 2), x
        if abs(x - before) <= 2 * ctx.eps * b:
            break
    return x
