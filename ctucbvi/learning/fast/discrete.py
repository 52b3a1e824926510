r"""The approach that the paper argues against: discretise time first, then learn in discrete time.

With a step :math:`\Delta = H/N` the learner looks at the state at the times :math:`0, \Delta, 2\Delta, \dots`
only, and what it chooses is held for a whole step, through jumps that it does not see
(``eq:FH-control-discrete``).  What it learns is the chain of a step, :math:`P(y|x,a)`, by UCBVI with the
bonus of Chernoff and Hoeffding (Azar, Osband and Munos 2017): :math:`K` episodes of :math:`N` steps with
stationary transitions.  After :math:`n(x,a)` visits, with :math:`i` steps to go,

.. math:: I^k_i(x,a) = r(x,a)\Delta + \frac{7HL}{\sqrt{n(x,a)}} + \sum_y \hat P(y|x,a) V^k_{i-1}(y), \qquad
          L = \ln\frac{5SAKN}{\delta},

.. math:: V^k_i(x) = \max_a Q^k_i(x,a), \qquad Q^k_i = \min\{Q^{k-1}_i,\ i\Delta,\ I^k_i\}, \qquad V^k_0 = 0,

:math:`I = \infty` for a pair never visited.  Rewards of a step are at most :math:`\Delta`, so the range of
values is :math:`H`, and :math:`i\Delta` what is left of it.  The action maximises :math:`I`, which is not cut
off, as that of the paper's own algorithm does (``eq:pi-k``); a cut-off would make ties of what the bonus
tells apart.

The process itself runs in continuous time, and what a policy is worth is a matter of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from ctucbvi.errors import InputError
from ctucbvi.learning import Settings
from ctucbvi.learning.fast import episodes as kernels
from ctucbvi.learning.fast.compiled import CompiledLearner
from ctucbvi.learning.fast.episodes import (
    DISTINCT,
    EPISODE,
    JUMPS,
    PLANNED,
    STARTS,
    Choices,
    Words,
    note,
    pick,
    uniform,
)
from ctucbvi.learning.fast.preparation import generator, openings, shares
from ctucbvi.numeric.arrays import Arrays, Floats, Integers

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP, Number


class DiscreteLearner(CompiledLearner):
    """UCBVI on the model discretised upfront into ``steps`` steps per horizon.

    ``policy[x, i]`` is for ``i`` steps to go and held until ``i - 1`` steps are to go.  With
    ``settings.bonus`` off there is no bonus.
    """

    def __init__(
        self,
        model: CTMDP,
        settings: Settings,
        *,
        seed: int,
        run: int = 0,
        steps: int = 10,
        initial: Mapping[str, Number] | None = None,
    ) -> None:
        super().__init__(model, settings, seed=seed, run=run, steps=steps, initial=initial)
        arrays, pairs, states = Arrays.of(model), len(model.transitions), len(model.states)
        self._arrays, self._held = arrays, _held(model)
        self._share = shares(model)
        self._opening, self._opening_share = openings(model, self.initial)
        steps_in_all = settings.episodes * steps
        log_term = log(5 * states * len(model.actions) * steps_in_all / settings.delta)
        self._bonus = 7 * arrays.horizon * log_term if settings.bonus != "none" else 0.0
        self._visits, self._moves = np.zeros(pairs, np.int64), np.zeros((pairs, states), np.int64)
        times = np.linspace(0.0, arrays.horizon, steps + 1)
        self._values, self._bounds = np.zeros((steps + 1, states)), np.repeat(times[:, None], pairs, axis=1)
        self._policy = np.tile(arrays.first[:-1, None].astype(np.int32), (1, steps + 1))
        self._random, self._ticks = generator(seed, run), np.zeros(kernels.CLOCK, np.int64)

    def _play(self, log: kernels.Log, count: int) -> int:
        a = self._arrays
        done = run_discrete(
            a.first, a.row, a.target, self._share, a.rate, a.reward, self._held, self._opening,
            self._opening_share, a.horizon / self.steps, self._bonus, self._visits, self._moves, self._values,
            self._bounds, self._policy, self._random, self._ticks, *log[:4], log.used, count,
        )  # fmt: skip
        return int(done)

    @property
    def _clock(self) -> Integers:
        return self._ticks

    def _state(self) -> dict[str, Any]:
        return {
            "visits": self._visits,
            "moves": self._moves,
            "bounds": self._bounds,
            "policy": self._policy,
            "random": self._random,
            "clock": self._ticks,
        }

    @property
    def policy(self) -> Choices:
        """The policy of the last episode, ``(states, steps + 1)`` rows of ``model.transitions``."""
        return self._policy.copy()

    @property
    def visits(self) -> Integers:
        """How often each pair was in force at a grid point."""
        return self._visits.copy()


def _held(model: CTMDP) -> Integers:
    """For every place of a target, the pair there with the same action; it must exist."""
    pair = {(row.state, row.action): k for k, row in enumerate(model.transitions)}
    held = []
    for row in model.transitions:
        for y, _ in row.to if row.rate else ():
            if (y, row.action) not in pair:
                raise InputError(
                    f"model {model.name!r}: state {y!r} does not offer {row.action!r}, which is held through "
                    f"a jump from {row.state!r}; leave out learners in discrete time"
                )
            held.append(pair[y, row.action])
    return np.array(held, np.int64)


@njit(cache=True)
def plan(
    first: Integers,
    reward: Floats,
    cell: float,
    bonus: float,
    visits: Integers,
    moves: Integers,
    values: Floats,
    bounds: Floats,
    policy: Choices,
) -> bool:
    """Backward induction; returns whether the policy is another one than before."""
    changed = False
    for i in range(1, values.shape[0]):
        for x in range(first.size - 1):
            lead, top, most = first[x], -1.0, 0.0
            for k in range(first[x], first[x + 1]):
                index = np.inf
                if visits[k] > 0:
                    ahead = 0.0
                    for y in range(moves.shape[1]):
                        ahead += moves[k, y] * values[i - 1, y]
                    index = reward[k] * cell + bonus / sqrt(visits[k]) + ahead / visits[k]
                    bounds[i, k] = min(bounds[i, k], index)
                most = max(most, bounds[i, k])
                if index > top:
                    lead, top = k, index
            values[i, x] = most
            changed |= policy[x, i] != lead
            policy[x, i] = lead
    return changed


@njit(cache=True)
def hold(
    k: int,
    cell: float,
    row: Integers,
    share: Floats,
    rate: Floats,
    held: Integers,
    random: Words,
    clock: Integers,
) -> int:
    """One step of the process from pair ``k``, the action held; returns the place of the last jump or -1."""
    left, last = cell, -1
    while rate[k] > 0.0:
        left -= -log(uniform(random)) / rate[k]
        if left < 0.0:
            break
        last = pick(random, share, row[k], row[k + 1])
        clock[JUMPS] += 1
        k = held[last]
    return last


@njit(cache=True)
def run_discrete(
    first: Integers,
    row: Integers,
    target: Integers,
    share: Floats,
    rate: Floats,
    reward: Floats,
    held: Integers,
    opening: Integers,
    opening_share: Floats,
    cell: float,
    bonus: float,
    visits: Integers,
    moves: Integers,
    values: Floats,
    bounds: Floats,
    policy: Choices,
    random: Words,
    clock: Integers,
    starts: Integers,
    which: Choices,
    distinct: Choices,
    table: Choices,
    used: Integers,
    count: int,
) -> int:
    """Up to ``count`` episodes, fewer when the log is full; returns how many."""
    for done in range(count):
        if used[STARTS] == starts.size or used[DISTINCT] == distinct.shape[0]:
            return done
        episode = clock[EPISODE] + 1
        changed = plan(first, reward, cell, bonus, visits, moves, values, bounds, policy)
        if changed or used[STARTS] == 0:
            note(starts, which, distinct, table, used, policy, episode)
        x = opening[pick(random, opening_share, 0, opening.size)]
        for i in range(values.shape[0] - 1, 0, -1):
            k = policy[x, i]
            place = hold(k, cell, row, share, rate, held, random, clock)
            if place >= 0:
                x = target[place]
            visits[k] += 1
            moves[k, x] += 1
        clock[EPISODE] = episode
        clock[PLANNED] += 1
    return count
