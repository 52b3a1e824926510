r"""A proof of accuracy for a numeric solution, whoever made it.

**The bound.**  Write the committed problem as :math:`Q' = F(Q)`,
:math:`F_i(Q) = r_i - \lambda_i Q_i + \lambda_i \sum_y p_i(y)\,\min\{t, \max_a Q_{ya}\}` (without the
minimum where there is no truncation), :math:`Q(0) = g`.  Let :math:`\tilde q` be continuous and
piecewise smooth with residual :math:`\rho = \tilde q' - F(\tilde q)`, and let
:math:`m(t) = \max_i (\tilde q_i - Q_i)`, attained at :math:`i`.  Maximum and minimum are
non-expansive and the row sums of :math:`p` are at most 1, so

.. math:: m' \le \rho_i - \lambda_i m + \lambda_i \sum_y p_i(y)\, m \le |\rho_i|
          \quad\text{where } m \ge 0,

and likewise from below: :math:`\|\tilde q(t) - Q(t)\|_\infty \le \|\tilde q(0) - g\|_\infty +
\int_0^t \|\rho\|_\infty`.  Jumps of :math:`\tilde q` add their size.  There is no factor
:math:`e^{\lambda H}`.  For the adjustable problem the same holds with
:math:`F_x(v) = \max_a [r - \lambda v_x + \lambda \sum_y p(y) v_y]`; its truncation is an obstacle,
and exceeding it counts like a jump.

The residual is bounded in :mod:`ctucbvi.numeric.residuals`, in doubles and with every rounding
accounted for.  Nothing else about the solution is used: not how it was computed, nor its
tolerance.  *Which* problem it is said to solve, semantics and truncation, is part of what is proved.

The polynomials reach from 0 to the double nearest to :math:`H`.  If :math:`H` lies beyond it, the last
values serve for the rest, and :math:`|V'| \le 1 + \max|r| + 2\lambda_{\max}\max|V|` says what that costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import ClassVar

import numpy as np

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.model.rows import different
from ctucbvi.numbers import ROUNDING, shown
from ctucbvi.numeric.arrays import Arrays, Floats, while_it_lives
from ctucbvi.numeric.bent_residuals import bent_bounds
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.polynomials import MOST_ORDERS
from ctucbvi.numeric.residuals import adjustable_bounds, committed_bounds
from ctucbvi.numeric.small_residuals import prove_small
from ctucbvi.numeric.solution import Excerpt, NumericSolution, Pieces
from ctucbvi.numeric.weighing import TINY, finite
from ctucbvi.numeric.words import SmallSolution
from ctucbvi.policy import Policy
from ctucbvi.solutions import Doubt, Segment, Switch, Value
from ctucbvi.views import Viewed

_TOGETHER = 1 << 22  # numbers that are gone through between two looks at the clock


@dataclass(frozen=True, repr=False)
class Certificate(Viewed):
    """What is proved about ``solution``: on piece ``k`` its values are within ``bounds[k]`` of V."""

    solution: NumericSolution | Excerpt  # an excerpt has all its pieces proved, and some of them kept
    bounds: Floats  # (pieces,)
    undecided: tuple[Doubt, ...] = ()  # what was asked for and is not proved
    times_proved: ClassVar[bool] = False

    @property
    def model(self) -> CTMDP:
        """The model it is about."""
        return self.solution.model

    @property
    def semantics(self) -> Semantics:
        """The problem it is about."""
        return self.solution.semantics

    @property
    def optimal(self) -> bool:
        """Whether the values are the optimal ones, and not those of a given policy."""
        return self.solution.optimal

    @property
    def switches(self) -> list[Switch]:
        """Where the best actions change, as computed: the values are certified, the times are not."""
        return self.solution.switches

    def segments(self, state: str) -> list[Segment]:
        """The best actions of ``state``, as computed."""
        return self.solution.segments(state)

    @property
    def bound(self) -> float:
        """A proved bound on the error of every value at every remaining time."""
        return float(self.bounds.max())

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """An enclosure of V(state, t); the polynomial is evaluated exactly."""
        solution, model = self.solution, self.solution.model
        if t is None and type(solution) is SmallSolution and solution.unseen and _reaches(model):
            last, radius = solution.last(model.state_index(state)), self._radius(-1, model.horizon)
            return model.objective.turned(_around(last, radius))
        return self._around_state(state, *self._place(t))

    def values(self, points: Sequence[tuple[str, Fraction]]) -> list[Value]:
        """The same for many states and remaining times; each time is looked for once."""
        places = {id(t): self._place(t) for t in different([t for _, t in points])}
        return [(state, t, self._around_state(state, *places[id(t)])) for state, t in points]

    def _place(self, t: Number | None) -> tuple[int, Fraction, Fraction]:
        """The piece, the position in it, and the bound on the error there."""
        time, times = self.model.remaining(t), self.solution.times
        k = min(int(np.searchsorted(times, float(time), "right")) - 1, len(self.bounds) - 1)
        if Fraction(times[k]) > time:
            k -= 1  # the double nearest to t is a breakpoint just after t
        radius, start, end = self._radius(k, time), *map(Fraction, times[k : k + 2].tolist())
        return k, min((time - start) / (end - start), Fraction(1)), Fraction(radius)

    def _around_state(self, state: str, piece: int, u: Fraction, radius: Fraction) -> Enclosure:
        model = self.model
        coefficients, bends = self.solution.parts(piece, u, model.state_index(state))
        centre = _exactly(coefficients, u)
        for place, bend in bends:
            if (past := u - Fraction(place)) > 0:
                centre += past**2 * _exactly(bend, past)
        return model.objective.turned(Enclosure(centre - radius, centre + radius))

    def _radius(self, piece: int, time: Fraction) -> float:
        radius: float = self.bounds.item(piece)
        if not radius < inf:
            raise InputError(
                f"certificate: nothing is proved at remaining time {shown(time)} in double precision; "
                "use --engine exact, or other units"
            )
        return radius


def _exactly(coefficients: list[float], u: Fraction) -> Fraction:
    """The polynomial at ``u``, over one common denominator: doubles are whole numbers over a power of two."""
    ratios = [c.as_integer_ratio() for c in coefficients]
    common = max(denominator for _, denominator in ratios)
    top, bottom, total, power = u.numerator, u.denominator, 0, 1
    for numerator, denominator in reversed(ratios):
        total = total * top + numerator * (common // denominator) * power
        power *= bottom
    return Fraction(total * bottom, common * power)


def _around(coefficients: list[float], radius: float) -> Enclosure:
    """The same at 1, and so much on either side."""
    ratios = [c.as_integer_ratio() for c in coefficients]
    apart, common = radius.as_integer_ratio()
    most = max(max([bottom for _, bottom in ratios]), common)
    total, apart = sum([top * (most // bottom) for top, bottom in ratios]), apart * (most // common)
    return Enclosure(Fraction(total - apart, most), Fraction(total + apart, most))


@while_it_lives
def _reaches(model: CTMDP) -> bool:
    """Whether the horizon is not before its double, where the last piece ends."""
    return model.horizon >= Fraction(float(model.horizon))


class ProofInParts:
    """Bounds for the pieces of a solution, proved part by part; it takes what a march hands over, too."""

    def __init__(self, arrays: Arrays, semantics: Semantics, truncate: bool, *, fixed: bool = False) -> None:
        self._arrays, self._truncate, self._fixed = arrays, truncate, fixed
        self._committed = semantics is Semantics.COMMITTED
        self.begin()

    def begin(self) -> None:
        """Nothing is proved yet."""
        self._bounds, self._error = list[Floats](), 0.0

    def take(self, part: Pieces) -> None:
        """Go on with the next pieces; the piece before them is looked at for the jump."""
        if not (finite(part.value.ravel()) and finite(part.score.ravel())):
            raise InputError("certificate: a coefficient is not a finite number")
        if not self._bounds:
            self._error = self._start(part)
        bounds, score = np.zeros(len(part.best)), part.score if self._committed else part.value
        claimed = (self._truncate, self._fixed, part.times, part.value, score, part.best, part.capped)
        model = tuple(self._arrays)
        if part.kinks is not None:
            kinks = tuple(map(np.ascontiguousarray, part.kinks))
            self._error = float(bent_bounds(model, claimed, kinks, part.begin, self._error, bounds))
        else:
            kernel = committed_bounds if self._committed else adjustable_bounds
            self._error = float(kernel(model, claimed, part.begin, self._error, bounds))
        self._bounds.append(bounds[part.begin :])

    def _start(self, part: Pieces) -> float:
        """A bound on the error at remaining time 0."""
        arrays = self._arrays
        if self._committed:
            given, wanted = part.score[0, :, 0], arrays.terminal
        else:
            given, wanted = part.value[0, :, 0], arrays.start(truncate=self._truncate)
        with np.errstate(over="ignore"):
            off = np.abs(given - wanted) + ROUNDING * (np.abs(given) + np.abs(wanted) + TINY)
        return float(off.max())

    def bounds(self, model: CTMDP) -> Floats:
        """What is proved for each piece of a solution for ``model``, which ends at its horizon."""
        bounds = np.concatenate(self._bounds)
        bounds[-1] += _beyond(model)
        return np.nextafter(bounds + TINY, np.inf)


def certify(solution: NumericSolution, *, budget: NumericBudget | None = None) -> Certificate:
    """Prove how accurate ``solution`` is."""
    if not isinstance(solution, NumericSolution):
        raise InputError(
            "certificate: all pieces are needed, and not all were kept; use solve_certified(at=)"
        )
    if solution.truncate or solution.semantics is not Semantics.COMMITTED:
        solution.model.plain(truncate=solution.truncate, semantics=solution.semantics)  # or refuses it
    if budget is None and type(solution) is SmallSolution and solution.unseen:
        quick = prove_small(solution, _beyond(solution.model))
        if quick is not None:
            return Certificate(solution, quick)
    arrays = Arrays.in_order(solution.model)
    _check(solution, arrays)
    fixed = solution.policy is not None
    proof = ProofInParts(arrays, solution.semantics, solution.truncate, fixed=fixed)
    for low, high in _chunks(solution, budget or NO_HURRY):
        proof.take(_part(solution, low, high))
    return Certificate(solution, proof.bounds(solution.model))


def _chunks(solution: NumericSolution, budget: NumericBudget) -> Iterator[tuple[int, int]]:
    """Pieces ``low`` to ``high``, a few at a time."""
    pieces = len(solution.best)
    together = max(1, _TOGETHER // max(1, solution.coefficients[0].size + solution.scores[0].size))
    for low in range(0, pieces, together):
        budget.check(lambda: f"the certificate of {pieces} pieces")
        yield low, min(low + together, pieces)


def _part(s: NumericSolution, low: int, high: int) -> Pieces:
    """The pieces from ``low`` to ``high``, and the one before."""
    since, kept = max(low - 1, 0), np.ascontiguousarray
    part = slice(since, high)
    value = kept(s.coefficients[part].transpose(0, 2, 1))  # no copy of what the planner made
    score = kept(s.scores[part].transpose(0, 2, 1))
    kinks = None if s.kinks is None else s.kinks._replace(row=s.kinks.row[since : high + 1])
    times, best, capped = kept(s.times[since : high + 1]), kept(s.best[part]), kept(s.capped[part])
    return Pieces(times, value, score, best, capped, kinks, low - since, high == len(s.best))


@while_it_lives
def _beyond(model: CTMDP) -> float:
    """What it costs that the last values serve at the horizon, which may lie beyond its double."""
    off = model.horizon - Fraction(float(model.horizon))
    steepest = 1 + model.max_reward + 2 * model.max_rate * model.value_scale  # V does not rise faster
    try:
        return nextafter(float(off * steepest), inf) if off > 0 else 0.0
    except OverflowError:
        return inf


def _check(solution: NumericSolution, arrays: Arrays) -> None:
    """Refuse what is no solution at all: shapes, numbers that are none, pieces that do not fit together."""
    pieces, states, pairs = len(solution.times) - 1, arrays.states, len(arrays.rate)
    orders = solution.coefficients.shape[1] if solution.coefficients.ndim == 3 else 0
    if not 1 <= orders <= MOST_ORDERS:
        raise InputError(f"certificate: a piece needs 1 to {MOST_ORDERS} coefficients, not {orders}")
    shapes = solution.coefficients.shape, solution.scores.shape, solution.best.shape, solution.capped.shape
    if shapes != ((pieces, orders, states), (pieces, orders, pairs), (pieces, states), (pieces, states)):
        raise InputError(f"certificate: arrays of shapes {shapes} do not fit the model, or each other")
    times = solution.times
    if not np.isfinite(times).all():
        raise InputError("certificate: a time is not a finite number")
    if times[0] != 0 or not (np.diff(times) > 0).all() or times[-1] != arrays.horizon:
        found = f"certificate: times must increase from 0 to the horizon {arrays.horizon:g}"
        raise InputError(f"{found}, and these go from {times[0]:g} to {times[-1]:g}")
    if not ((solution.best >= arrays.first[:-1]) & (solution.best < arrays.first[1:])).all():
        raise InputError("certificate: a hinted action is not on offer in its state")
    if solution.policy is not None:
        _check_policy(solution, solution.policy)
    if solution.kinks is not None:
        if solution.truncate or solution.policy or solution.semantics is not Semantics.COMMITTED:
            raise InputError("certificate: kinks belong to the committed problem without truncation")
        solution.kinks.check(pieces, orders, pairs)


def _check_policy(solution: NumericSolution, policy: Policy) -> None:
    """The hints must be the policy, exactly: on every piece, from one breakpoint to the next."""
    breaks = {Fraction(float(t)) for t in policy.breakpoints}
    if breaks != set(policy.breakpoints):
        raise InputError("certificate: a breakpoint of the policy is not a double; round it first")
    ends = [Fraction(float(t)) for t in solution.times]
    if not breaks <= set(ends) or solution.truncate:
        raise InputError("certificate: the pieces do not fit the breakpoints of the policy")
    rows = solution.model.transitions
    for k, start in enumerate(ends[:-1]):
        for x, state in enumerate(solution.model.states):
            if rows[int(solution.best[k, x])].action != policy.action(state, start):
                raise InputError(f"certificate: piece {k} does not follow the policy in state {state!r}")
