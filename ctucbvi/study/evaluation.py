r"""What policies on a grid are worth, many at a time, in doubles with one proved error bound.

A learner's policy is an action for each state and grid point :math:`t_i = iH/N`, held for the remaining
times that are nearest to it, :math:`[t_i - h/2, t_i + h/2)`, :math:`h = H/N`.  With the action committed on
entering a state its value is :math:`V^\pi(x,t) = q_{x,\pi(x,t)}(t)`, where on a stretch of cells with the
same actions

.. math:: q_{x,a}' = r - \lambda q_{x,a} + \lambda\sum_y p(y)\,q_{y,\pi(y)}, \qquad q(0) = g .

Every :math:`q_{x,a}` is carried along, since :math:`V^\pi` jumps where the policy does.

**One stretch.**  Let :math:`\Lambda` be at least every rate and :math:`x = \Lambda\cdot` length,
cut so that :math:`x \le 1`.  With :math:`z_0 = q`, :math:`w_k = x^k/k!` and

.. math:: z_{k+1} = z_k + \tfrac{\lambda}{\Lambda}\Bigl(\sum_y p(y) z_k(y,\pi(y)) - z_k\Bigr)
          + \tfrac r\Lambda

the value at the end of the stretch is :math:`e^{-x}\sum_k w_k z_k`.  It is computed as
:math:`\sum_{k\le n} w_k z_k / \sum_{k\le n} w_k`, stopping at the first :math:`w_n \le 2^{-60}`; no
exponential is needed.

**The bound.**  Put :math:`\rho = \max|r|/\Lambda`, :math:`Z = H\max|r| + \max|g|` and
:math:`B = Z + n\rho`, so that :math:`|z_k| \le Z + k\rho \le B`, and :math:`u = 2^{-53}`.

* Cut-off: the difference is :math:`e^{-x}\sum_{k>n} w_k (z_k - \text{result})`, at most
  :math:`2^{-57}(Z+\rho)` for each stretch, since :math:`\sum_{k\ge n} w_k \le 2 w_n`.
* One step of the recursion is a sum of at most :math:`m` products of rounded data, so its error is
  at most :math:`\eta = 4(m+10)uB`.  The step does not expand errors (its weights are not negative
  and add up to at most 1), so :math:`z_k` is off by :math:`k\eta`, and as
  :math:`\sum_k w_k k \le x\sum_k w_k`, the stretch by :math:`x\eta`.
* Adding up with rounded weights costs :math:`(2n+6)uB` for each stretch, and a length that is off
  by :math:`6u` of itself :math:`18uxB`, as :math:`|dq/dx| \le 3B`.

Errors of a stretch do not grow afterwards.  The lengths :math:`x` add up to :math:`\Lambda H` and there
are at most :math:`N + 1 + \Lambda H` stretches, and one more makes up for the rounding of :math:`g`; the sum,
doubled for what is of second order, is :attr:`Evaluator.bound`.  It holds for all policies at once.

**Sampled policies.**  A learner in discrete time looks at the state at grid points only: the action
:math:`a = \pi(x, t_{i+1})` is held for a whole cell, also through jumps, so that on the cell

.. math:: q_{x,a}' = r - \lambda q_{x,a} + \lambda\sum_y p(y)\,q_{y,a}, \qquad q_{x,a}(t_i) = V^\pi(x,t_i)
          \quad\text{for every } a .

The same sums and the same bound apply.  Such a policy may be worth more than every committed one, as
it need not wait for a jump; none is worth more than the best of the adjustable problem.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctucbvi.errors import InputError
from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.discrete import held_pairs
from ctucbvi.model import CTMDP
from ctucbvi.numbers import UNIT
from ctucbvi.numeric.arrays import Arrays, Floats, Integers

_SMALL = 2.0**-60  # the last weight of a series
_TERMS = 20  # 1/20! < 2^-60, so no series with x ≤ 1 is longer
_SMALLEST, _LARGEST = 1e-200, 1e200  # of the model's numbers: no product over- or underflows
_VANISHED = 1e-290  # more than all products that underflow can add up to


class PolicyFlow(NamedTuple):
    """What the compiled evaluation knows of the model."""

    share: Floats  # (pairs,) λ/Λ
    gain: Floats  # (pairs,) r/Λ
    terminal: Floats  # (pairs,) g
    owner: Integers  # (pairs,) the state of each pair
    row: Integers  # (pairs + 1,) where the jumps of each pair begin
    target: Integers  # (jumps,) states
    source: Integers  # (jumps,) the pair whose value a jump leads to; that of a sampled policy is fixed
    probability: Floats  # (jumps,)
    cell: float  # the length of a cell in units of 1/Λ
    sampled: bool


class Evaluator:
    """Evaluates policies of ``model`` on a grid of ``steps`` cells; see the module's text.

    ``sampled``: the policy acts at grid points only (a learner in discrete time).
    """

    def __init__(self, model: CTMDP, steps: int, *, sampled: bool = False) -> None:
        self.model, self.steps, self.sampled = model, steps, sampled
        arrays = Arrays.of(model)
        _check(arrays)
        self._arrays = arrays
        # At least every rate; at least 1/H, so that the lengths x are of order 1.
        clock = float(np.nextafter(float(max(model.max_rate, 1 / model.horizon)), np.inf))
        source = held_pairs(model) if sampled else np.zeros(len(arrays.target), np.int64)
        self._flow = PolicyFlow(
            arrays.rate / clock, arrays.reward / clock, arrays.terminal, arrays.owner, arrays.row,
            arrays.target, source, arrays.probability, clock * arrays.horizon / steps, sampled,
        )  # fmt: skip
        self._work = np.empty((3, len(arrays.rate)))
        self.bound = _bound(arrays, clock, steps)

    def values(self, policies: NDArray[np.integer]) -> Floats:
        """``V^π(x, H)`` for every policy and state, ``(policies, states)``, each within :attr:`bound`.

        ``policies[j, x, i]`` is the row of ``model.transitions`` that policy ``j`` takes in state ``x`` at
        ``t_i``, as in a learner's stretch.
        """
        a, states = self._arrays, len(self.model.states)
        if policies.shape[1:] != (states, self.steps + 1):
            wanted = (states, self.steps + 1)
            raise InputError(f"policies: of shape {policies.shape}; they must have shape (any, {wanted})")
        if ((policies < a.first[:-1, None]) | (policies >= a.first[1:, None])).any():
            raise InputError("policies: an action is not on offer in its state")
        found = np.empty((len(policies), states))
        _evaluate(self._flow, np.ascontiguousarray(policies, np.int32), found, self._work)
        return found


def _bound(arrays: Arrays, clock: float, steps: int) -> float:
    """The proved error of every value: the sum of the module's text, doubled."""
    top = float(np.abs(arrays.reward).max())
    load, rho = clock * arrays.horizon, top / clock
    scale = arrays.horizon * top + float(np.abs(arrays.terminal).max())
    size = scale + _TERMS * rho
    entries = int(np.diff(arrays.row).max()) if arrays.row.size > 1 else 0
    flow = load * (4.0 * (entries + 10) + 18.0) * UNIT * size
    stretches = (steps + load + 2.0) * ((2.0 * _TERMS + 6.0) * UNIT * size + 2.0**-57 * (scale + rho))
    return 2.0 * (flow + stretches) + _VANISHED


def _check(arrays: Arrays) -> None:
    data = [arrays.rate, arrays.reward, arrays.terminal, arrays.probability, np.array([arrays.horizon])]
    for numbers in data:
        sizes = np.abs(numbers[numbers != 0])
        if sizes.size and not (sizes.min() >= _SMALLEST and sizes.max() <= _LARGEST):
            raise InputError("evaluation: the model has numbers beyond 1e±200; choose other units")


@compiled()
def _evaluate(flow: PolicyFlow, policies: NDArray[np.integer], found: Floats, work: Floats) -> None:
    """Fill ``found[j, x]``."""
    terminal, owner, target, source = flow.terminal, flow.owner, flow.target, flow.source
    cell, sampled = flow.cell, flow.sampled
    q, z, new = work[0], work[1], work[2]
    steps = policies.shape[2] - 1
    for j in range(policies.shape[0]):
        policy = policies[j]
        for p in range(q.size):
            q[p] = terminal[p]
        i = 0
        while i < steps + (not sampled):
            end = i + 1
            if sampled:
                if i > 0:
                    for p in range(q.size):
                        z[p] = q[policy[owner[p], i]]
                    for p in range(q.size):
                        q[p] = z[p]
                length = cell
            else:
                while end <= steps and _same(policy, i, end):
                    end += 1
                for e in range(target.size):
                    source[e] = policy[target[e], i]
                # The cells of the first and the last point are halves.
                length = cell * (end - i - 0.5 * (i == 0) - 0.5 * (end > steps))
            parts = int(np.ceil(length))
            for _ in range(parts):
                _stretch(flow, length / parts, q, z, new)
            i = end
        for x in range(policy.shape[0]):
            found[j, x] = q[policy[x, steps]]


@compiled(inline="always")
def _same(policy, i, k):
    """Whether the cells ``i`` and ``k`` have the same actions."""
    for x in range(policy.shape[0]):  # noqa: SIM110 -- compiled: no generators
        if policy[x, i] != policy[x, k]:
            return False
    return True


@compiled(forceinline=True)
def _stretch(flow: PolicyFlow, length: float, q: Floats, z: Floats, new: Floats) -> None:
    """Carry ``q`` over a stretch of ``length`` ≤ 1; jump ``e`` leads to the pair ``source[e]``."""
    share, gain, row, source, probability = flow.share, flow.gain, flow.row, flow.source, flow.probability
    for i in range(q.size):
        z[i] = q[i]
    weight = total = 1.0
    k = 0
    while weight > _SMALL:
        k += 1
        weight *= length / k
        total += weight
        for i in range(q.size):
            inflow = 0.0
            for e in range(row[i], row[i + 1]):
                inflow += probability[e] * z[source[e]]
            new[i] = z[i] + share[i] * (inflow - z[i]) + gain[i]
        for i in range(q.size):
            z[i] = new[i]
            q[i] += weight * new[i]
    for i in range(q.size):
        q[i] /= total


def exact_units(values: Floats) -> list[int]:
    """``values`` as whole multiples of 2^-60, each rounded by at most 2^-61: sums of them are exact."""
    return [round(v) for v in (values * 2.0**60).tolist()]


UNITS = Fraction(1, 2**60)
