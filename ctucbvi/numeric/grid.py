r"""Modified value iteration (``alg:VI``) on a uniform grid of remaining times, in double precision.

On :math:`t_i = iH/N` the algorithm is taken literally:

.. math:: V_0 = 0, \qquad V_{n+1}(x,t_i) = \min\{t_i, \max_a \mathcal T^a V_n(x,t_i)\}
          \quad\text{until}\quad \max_{x,i} |V_n - V_{n-1}| < \epsilon ,

and the policy (``eq:pi-k``) is :math:`\arg\max_a \mathcal T^a V_n(x,t_i)` with the :math:`V_n` that is
returned.  The action of :math:`t_i` holds for the remaining times that are nearest to it, on
:math:`[t_i - h/2, t_i + h/2)`.  Of actions with the same value the first in the model's order is taken; where
at :math:`t_0 = 0` all have the same, which tells nothing, the action of :math:`t_1` is taken.

**The integral** of ``eq:Tak`` is discretised by a product rule: the exponential is integrated
exactly on every cell, only :math:`u = \sum_y p(y) V_n(y,\cdot)` is approximated.  The exponential
then factors out of all older cells, and with :math:`h = H/N`, :math:`z = \lambda h`,

.. math:: \mathcal T^a V(t_{i+1}) = e^{-z}\,\mathcal T^a V(t_i) + r\,h\,\varphi + \alpha\,u(t_i)
          + \beta\,u(t_{i+1}), \qquad \mathcal T^a V(0) = g, \qquad \varphi = \frac{1 - e^{-z}}{z},

so that one iteration costs N times the number of non-zero jump probabilities.  ``linear``
interpolates :math:`u` between the two ends of a cell, ``left`` takes the value at the end with
less remaining time:

.. math:: \text{linear: } \alpha = \int_0^h \lambda e^{-\lambda s} \tfrac sh\,ds = \varphi - e^{-z}, \quad
          \beta = 1 - \varphi; \qquad \text{left: } \alpha = 1 - e^{-z}, \quad \beta = 0 .

The weights are not negative and those of :math:`t_i` add up to :math:`1 - e^{-\lambda t_i} < 1`:
the discretised operator is a contraction like the true one, and the iteration ends.  Its limit
is off by :math:`O(h^2)` (linear, as the kinks of V fill only finitely many cells) or :math:`O(h)`
(left).  Nothing about that error is proved here; see :mod:`ctucbvi.numeric.certificate` for
proved ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ulp

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.kernels import compiled
from ctucbvi.model import CTMDP, Number
from ctucbvi.numbers import count, positive
from ctucbvi.numeric.arrays import Arrays, Floats, Integers

RULES = ("linear", "left")
_SERIES_TERMS = 20  # of β at z < 1: the first one left out is below 1e-19 of the sum


@dataclass(frozen=True)
class GridSolution:
    """What the algorithm returns: V_n and its policy at the grid points."""

    model: CTMDP
    times: Floats  # (N + 1,) the doubles nearest to iH/N
    values: Floats  # (states, N + 1) V_n of the model's plain form
    policy: Integers  # (states, N + 1) rows of model.transitions
    iterations: int  # n
    distance: float  # max |V_n − V_{n−1}| on the grid, below ε

    def value(self, state: str, t: Number | None = None) -> float:
        """V_n(state, t), linear between grid points; ``t`` is the remaining time (default: the horizon)."""
        x = self.model.state_index(state)
        found = float(np.interp(float(self.model.remaining(t)), self.times, self.values[x]))
        return self.model.objective.turned(found)

    def action(self, state: str, t: Number | None = None) -> str:
        """The action of the grid point nearest to ``t``, of the larger one half-way."""
        middles = (self.times[1:] + self.times[:-1]) / 2
        i = int(np.searchsorted(middles, float(self.model.remaining(t)), "right"))
        pair = int(self.policy[self.model.state_index(state), i])
        return self.model.transitions[pair].action


def grid_iteration(
    model: CTMDP,
    *,
    steps: int,
    epsilon: Number,
    truncate: bool = True,
    rule: str = "linear",
    most_iterations: int = 10_000,
) -> GridSolution:
    """Run the paper's modified value iteration on a grid of ``steps`` cells."""
    goal = _checked(steps, epsilon, rule, most_iterations)
    model.plain(truncate=truncate)  # refuses what cannot be truncated
    arrays = Arrays.of(model)
    cell = weights(arrays.rate, arrays.reward, arrays.horizon / steps, rule)
    times = grid_times(model.horizon, steps)
    new, old = np.zeros((2, steps + 1, len(model.states)))  # by time, then state: the order of the sweep
    best, carried = np.zeros(new.shape, np.int64), np.empty((2, len(arrays.rate)))

    def improve(source: Floats, out: Floats) -> float:
        return float(
            sweep(
                cell, arrays.terminal, arrays.first, arrays.row, arrays.target, arrays.probability,
                times, truncate, source, out, best, carried,
            )
        )  # fmt: skip

    distance, n = np.inf, 0
    while not distance < goal:
        if n == most_iterations:
            raise InputError(
                f"grid iteration of {model.name!r}: the distance is {distance:.3g} after {n} iterations, "
                f"not below epsilon = {goal}; allow more with most_iterations"
            )
        new, old = old, new
        distance, n = improve(old, new), n + 1
    if not np.isfinite(new).all():
        raise InputError(f"grid iteration of {model.name!r}: a value overflows; choose other units")
    improve(new, old)  # for the policy: T^a V_n; the old iterate is no longer needed
    alike = arrays.terminal[best[1]] == arrays.terminal[best[0]]
    best[0] = np.where(alike, best[1], best[0])
    columns = np.ascontiguousarray
    return GridSolution(model, times, columns(new.T), columns(best.T), n, distance)


@lru_cache(maxsize=16)
def grid_times(horizon: Fraction, steps: int) -> Floats:
    """The doubles nearest to ``i H / steps``, so that exact times find their grid point; read-only."""
    above, below = horizon.numerator, steps * horizon.denominator
    times = np.array([i * above / below for i in range(steps + 1)])
    times.setflags(write=False)
    return times


@np.errstate(over="ignore")  # what overflows is found at the end of the iteration
def weights(rate: Floats, reward: Floats, step: float, rule: str) -> Floats:
    """The numbers of the recursion, ``(4, pairs)``: e^{-z}, r h φ, α and β."""
    z = rate * step
    decay, jumps = np.exp(-z), -np.expm1(-z)
    small = z < 1
    safe = np.where(z > 0, z, 1.0)
    phi = np.where(z > 0, jumps / safe, 1.0)
    if rule == "left":
        return np.array([decay, reward * step * phi, jumps, np.zeros_like(z)])
    # 1 − φ cancels for small z, where its series Σ (−1)^{k+1} z^k / (k+1)! does not; φ − e^{-z} likewise.
    series = np.zeros_like(z)
    for k in range(_SERIES_TERMS, 0, -1):
        series = np.where(small, z, 0.0) / (k + 1) * (1.0 - series)
    beta = np.where(small, series, 1.0 - phi)
    alpha = np.where(small, jumps - series, phi - decay)
    return np.array([decay, reward * step * phi, alpha, beta])


@compiled()
def sweep(
    cell: Floats,
    terminal: Floats,
    first: Integers,
    row: Integers,
    target: Integers,
    probability: Floats,
    times: Floats,
    truncate: bool,
    old: Floats,
    new: Floats,
    best: Integers,
    carried: Floats,
) -> float:
    """One iteration: fill ``new`` and ``best`` from ``old``; returns max |new − old|.

    ``old[i, x]`` is V_n(x, t_i).  ``carried`` has room for T^a V and u at the grid point before.
    """
    decay, gain, alpha, beta = cell[0], cell[1], cell[2], cell[3]
    action_value, inflow = carried[0], carried[1]
    distance = 0.0
    for i in range(times.size):
        for x in range(first.size - 1):
            lead = first[x]
            for k in range(first[x], first[x + 1]):
                ahead = 0.0
                for e in range(row[k], row[k + 1]):
                    ahead += probability[e] * old[i, target[e]]
                if i == 0:
                    action_value[k] = terminal[k]
                else:
                    action_value[k] = (
                        decay[k] * action_value[k] + gain[k] + alpha[k] * inflow[k] + beta[k] * ahead
                    )
                inflow[k] = ahead
                if action_value[k] > action_value[lead]:
                    lead = k
            best[i, x] = lead
            top = action_value[lead]
            new[i, x] = min(times[i], top) if truncate else top
            distance = max(distance, abs(new[i, x] - old[i, x]))
    return distance


def _checked(steps: int, epsilon: Number, rule: str, most_iterations: int) -> float:
    """Epsilon as a double, if all is well."""
    for what, number in (("steps", steps), ("most_iterations", most_iterations)):
        count(number, what)
    goal = max(float(positive(epsilon, "epsilon")), ulp(0.0))  # where it is no double, only 0 is below it
    if rule not in RULES:
        raise InputError(f"rule: {rule!r} is unknown; write 'linear' or 'left'")
    return goal
