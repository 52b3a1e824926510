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

from math import log as logarithm
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.kernels import compiled
from ctucbvi.learning import Settings
from ctucbvi.learning.fast import episodes as kernels
from ctucbvi.learning.fast.compiled import CompiledLearner
from ctucbvi.learning.fast.episodes import (
    EPISODE,
    JUMPS,
    PLANNED,
    Choices,
    Log,
    Words,
    full,
    note,
    pick,
    uniform,
)
from ctucbvi.learning.fast.preparation import generator, openings, shares
from ctucbvi.numeric.arrays import Arrays, Floats, Integers

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP


class Process(NamedTuple):
    """What does not change: the true model, the length of a step and the constant of the bonus."""

    first: Integers  # (states + 1,) the pairs of each state
    row: Integers  # (pairs + 1,) where the targets of each pair begin
    target: Integers  # (non-zeros,)
    share: Floats  # (non-zeros,) cumulative jump probabilities
    rate: Floats  # (pairs,)
    reward: Floats  # (pairs,)
    held: Integers  # (non-zeros,) the pair at the target with the same action
    opening: Integers  # initial states
    opening_share: Floats  # their cumulative probabilities
    cell: float  # Δ
    bonus: float  # 7HL


class Tables(NamedTuple):
    """What has been seen, what is computed from it, and where the learner stands."""

    visits: Integers  # (pairs,) n
    moves: Integers  # (pairs, states) where a step ended
    values: Floats  # (steps + 1, states) V
    bounds: Floats  # (steps + 1, pairs) Q
    policy: Choices  # (states, steps + 1)
    random: Words  # (4,)
    clock: Integers  # as in `episodes.Memory`


class DiscreteLearner(CompiledLearner):
    """UCBVI on the model discretised upfront into ``steps`` steps per horizon.

    ``policy[x, i]`` is for ``i`` steps to go and held until ``i - 1`` steps are to go.  With
    ``settings.bonus`` off there is no bonus.  What it has seen and its last policy are in its ``tables``.
    """

    def __init__(self, model: CTMDP, settings: Settings, *, steps: int = 10, **given: Any) -> None:
        settings.require_bonus()
        if settings.replan:
            raise InputError("replan: the learner in discrete time plans before every episode; leave it out")
        super().__init__(model, settings, steps=steps, **given)
        a, pairs, states = Arrays.of(model), len(model.transitions), len(model.states)
        log_term = logarithm(5 * states * len(model.actions) * settings.episodes * steps / settings.delta)
        bonus = 7 * a.horizon * log_term if settings.bonus != "none" else 0.0
        self._process = Process(
            a.first, a.row, a.target, shares(model), a.rate, a.reward, held_pairs(model),
            *openings(model, self.initial), a.horizon / steps, bonus,
        )  # fmt: skip
        times = np.linspace(0.0, a.horizon, steps + 1)
        self.tables = Tables(
            visits=np.zeros(pairs, np.int64),
            moves=np.zeros((pairs, states), np.int64),
            values=np.zeros((steps + 1, states)),
            bounds=np.repeat(times[:, None], pairs, axis=1),
            policy=np.tile(a.first[:-1, None].astype(np.int32), (1, steps + 1)),
            random=generator(self.seed, self.run),
            clock=np.zeros(kernels.CLOCK, np.int64),
        )
        self._clock = self.tables.clock

    def _play(self, log: Log, count: int) -> int:
        return int(run_discrete(self._process, self.tables, log, count))

    def _state(self) -> dict[str, Any]:
        return {name: array for name, array in self.tables._asdict().items() if name != "values"}


def held_pairs(model: CTMDP) -> Integers:
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


@compiled(forceinline=True)
def plan(process: Process, tables: Tables) -> bool:
    """Backward induction; returns whether the policy is another one than before."""
    first, reward, cell, bonus = process.first, process.reward, process.cell, process.bonus
    visits, moves, values, bounds, policy, _, _ = tables
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


@compiled(forceinline=True)
def hold(k: int, process: Process, random: Words, clock: Integers) -> int:
    """One step of the process from pair ``k``, the action held; returns the place of the last jump or -1."""
    row, rate, share, held = process.row, process.rate, process.share, process.held
    left, last = process.cell, -1
    while rate[k] > 0.0:
        left -= -logarithm(uniform(random)) / rate[k]
        if left < 0.0:
            break
        last = pick(random, share, row[k], row[k + 1])
        clock[JUMPS] += 1
        k = held[last]
    return last


@compiled()
def run_discrete(process: Process, tables: Tables, log: Log, count: int) -> int:
    """Up to ``count`` episodes, fewer when the log is full; returns how many."""
    visits, moves, values, _, policy, random, clock = tables
    opening, opening_share, target = process.opening, process.opening_share, process.target
    for done in range(count):
        if full(log):
            return done
        episode = clock[EPISODE] + 1
        changed = plan(process, tables)
        if changed or log.used[kernels.STARTS] == 0:
            note(log, policy, episode)
        x = opening[pick(random, opening_share, 0, opening.size)]
        for i in range(values.shape[0] - 1, 0, -1):
            k = policy[x, i]
            place = hold(k, process, random, clock)
            if place >= 0:
                x = target[place]
            visits[k] += 1
            moves[k, x] += 1
        clock[EPISODE] = episode
        clock[PLANNED] += 1
    return count
