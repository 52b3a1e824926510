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
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.model import Number, Semantics
from ctucbvi.numbers import exact
from ctucbvi.numeric.arrays import Arrays, Floats
from ctucbvi.numeric.planner import NumericSolution
from ctucbvi.numeric.residuals import adjustable_bounds, committed_bounds
from ctucbvi.policy import Policy

_SMALLEST, _LARGEST = 1e-200, 1e200  # of the model's numbers: products of three neither under- nor overflow
_UNDERFLOW = 1e-290  # more than all products that vanish can add up to


@dataclass(frozen=True)
class Certificate:
    """What is proved about ``solution``: on piece ``k`` its values are within ``bounds[k]`` of V."""

    solution: NumericSolution
    bounds: Floats  # (pieces,)

    @property
    def bound(self) -> float:
        """A proved bound on the error of every value at every remaining time."""
        return float(self.bounds.max())

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """An enclosure of V(state, t); the polynomial is evaluated exactly."""
        solution, model = self.solution, self.solution.model
        time = model.horizon if t is None else exact(t, "remaining time")
        if not 0 <= time <= model.horizon:
            raise InputError(f"remaining time {time} is outside [0, {model.horizon}]")
        k = min(int(np.searchsorted(solution.times, float(time), "right")) - 1, len(self.bounds) - 1)
        start, end = Fraction(solution.times[k]), Fraction(solution.times[k + 1])
        u = (time - start) / (end - start)
        centre = Fraction(0)
        for c in solution.coefficients[k, ::-1, model.state_index(state)]:
            centre = centre * u + Fraction(float(c))
        # The double nearest to t or H may lie beyond a piece's end by a rounding; V moves little there.
        beyond = max(-u, u - 1, Fraction(0)) * (end - start)
        radius = Fraction(float(self.bounds[k])) + beyond * _steepest(solution)
        return Enclosure(centre - radius, centre + radius)


def _steepest(solution: NumericSolution) -> Fraction:
    """More than the sum of the slopes of V and of its polynomial just beyond a piece.

    A piece is at least as long as the rounding of a time, so ``|u| <= 2``.  The piece may be as short as that
    (where a switch is at the horizon itself), and its coefficients are then as small.
    """
    model, sizes = solution.model, np.abs(solution.coefficients)
    size = model.value_scale + Fraction(float(sizes.sum(axis=1).max()))
    order = np.arange(sizes.shape[1])
    slopes = (sizes * (order * 2.0**order)[:, None]).sum(axis=1).max(axis=1) / np.diff(solution.times)
    top = max(abs(row.reward) for row in model.transitions)
    return Fraction(4 * (1 + top + size * 2 * model.max_rate + Fraction(float(slopes.max()))))


def certify(solution: NumericSolution) -> Certificate:
    """Prove how accurate ``solution`` is."""
    arrays = Arrays.of(solution.model)
    _check(solution, arrays)
    pieces, orders, states = solution.coefficients.shape
    bounds, weight = np.zeros(pieces), np.zeros(orders)
    work, fixed = np.zeros(2 * orders), solution.policy is not None
    times, value = np.ascontiguousarray(solution.times), np.ascontiguousarray(solution.coefficients)
    if solution.semantics is Semantics.COMMITTED:
        committed_bounds(
            arrays.rate, arrays.reward, arrays.terminal, arrays.first, arrays.owner, arrays.row,
            arrays.target, arrays.probability, solution.truncate, fixed, times, value,
            np.ascontiguousarray(solution.scores), solution.best, solution.capped, bounds, weight,
            np.zeros(states), work,
        )  # fmt: skip
    else:
        most = int(np.diff(arrays.first).max())
        adjustable_bounds(
            arrays.rate, arrays.reward, arrays.terminal, arrays.first, arrays.row, arrays.target,
            arrays.probability, solution.truncate, fixed, times, value, solution.best, solution.capped,
            bounds, weight, np.zeros((orders, most)), np.zeros(most), work,
        )  # fmt: skip
    # The horizon itself may lie beyond its double by a rounding, and the last piece serves there too.
    missing = abs(solution.model.horizon - Fraction(arrays.horizon))
    if missing:
        bounds[-1] += 1.001 * float(missing * _steepest(solution))
    return Certificate(solution, np.nextafter(bounds + _UNDERFLOW, np.inf))


def _check(solution: NumericSolution, arrays: Arrays) -> None:
    """Refuse what the bounds do not cover: numbers out of range, pieces that do not fit together."""
    data = [arrays.rate, arrays.reward, arrays.terminal, arrays.probability, np.array([arrays.horizon])]
    for numbers in data:
        sizes = np.abs(numbers[numbers != 0])
        if sizes.size and not (sizes.min() >= _SMALLEST and sizes.max() <= _LARGEST):
            raise InputError("certificate: the model has numbers beyond 1e±200; choose other units")
    if not (np.isfinite(solution.coefficients).all() and np.isfinite(solution.scores).all()):
        raise InputError("certificate: a coefficient is not a finite number")
    times = solution.times
    if times[0] != 0 or not (np.diff(times) > 0).all() or times[-1] != arrays.horizon:
        raise InputError("certificate: times must increase from 0 to the horizon")
    if solution.policy is not None:
        _check_policy(solution, solution.policy)
    first = arrays.first
    if not ((solution.best >= first[:-1]) & (solution.best < first[1:])).all():
        raise InputError("certificate: a hinted action is not on offer in its state")


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
