r"""When to plan again (:mod:`ctucbvi.learning.replanning`), compiled.

Let :math:`\eta = a/b` and :math:`T = (m + cs/n)\,2^{-q}` with :math:`m` ticks and :math:`c` visits cut off,
where :math:`\rho` is :math:`s/n` ticks (:mod:`ctucbvi.learning.fast.episodes`).  Then
:math:`T > (1+\eta)T^\circ` says that

.. math:: D = n\,\bigl(bm - (a+b)m^\circ\bigr) + s\,\bigl(bc - (a+b)c^\circ\bigr) > 0 .

Doubles decide unless the two sides are within :math:`2^{-46}` of each other (their errors are below
:math:`2^{-49}`).  In that case :math:`|D| < 2\cdot2^{-46}\cdot2^{62}nb \le 2^{63}`, so that whole numbers of
64 bits, which are counted modulo :math:`2^{64}`, have :math:`D` itself, whatever its terms.  Times are equal
more often than one might think: a pair that is never left has :math:`T = kH`.  So counts, and times as they
are kept (in whole ticks), are compared with those of the last plan exactly; :math:`T` is compared with
:math:`(1+\eta)T_0`, a logarithm, as rounded doubles.

Only pairs that the last episode visited can have grown.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.kernels import compiled
from ctucbvi.learning import DOUBLES, Settings
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, NEW, TICKS, VISITED, Memory, Scalars
from ctucbvi.learning.replanning import unknown_time
from ctucbvi.numbers import shown
from ctucbvi.numeric.arrays import Integers

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

_NEAR = 2.0**-46
_MOST = 1 << 46  # of nb


class GrowthRule(NamedTuple):
    """By how much a count has to grow."""

    factor: float  # 1 + η
    least_time: float  # (1 + η) T₀
    now: int  # b
    then: int  # a + b
    tick: int  # n
    rest: int  # s
    iterates: bool  # whether the number of the episode counts, too


EVERY_EPISODE = GrowthRule(1.0, 0.0, 1, 1, 1, 0, True)


class LastPlan(NamedTuple):
    """What was known when the plan in force was made."""

    counts: Integers  # (3, pairs) TICKS, CUT and N_PLUS
    episode: Integers  # (1,) which it was made for; 0: none


def make_growth_rule(model: CTMDP, settings: Settings, tick: Fraction) -> GrowthRule:
    """The numbers of the rule, for times in units of ``tick``."""
    factor, rest = 1 + settings.replan, model.horizon % tick / tick
    if rest.denominator * factor.denominator > _MOST:
        raise InputError(
            f"replan: {shown(settings.replan)} and a horizon of {shown(model.horizon)} have a denominator "
            f"beyond {_MOST}; write simpler fractions"
        )
    return GrowthRule(
        float(factor),
        float(factor) * unknown_time(model, settings, DOUBLES),
        factor.denominator,
        factor.numerator,
        rest.denominator,
        rest.numerator,
        settings.bonus != "optimistic",
    )


def make_last_plan(pairs: int) -> LastPlan:
    """Nothing has been planned."""
    return LastPlan(np.zeros((3, pairs), np.int64), np.zeros(1, np.int64))


@compiled(forceinline=True)
def has_grown(k: int, numbers: Scalars, growth: GrowthRule, counts: Integers, before: Integers) -> bool:
    """Whether pair ``k`` has grown by more than the factor since it had the counts ``before``."""
    if growth.now * counts[N_PLUS, k] > growth.then * max(1, before[N_PLUS, k]):
        return True
    time = counts[TICKS, k] * numbers.tick + counts[CUT, k] * numbers.rest
    if not time > growth.least_time:  # both rounded
        return False
    gap = time - growth.factor * (before[TICKS, k] * numbers.tick + before[CUT, k] * numbers.rest)
    if abs(gap) > _NEAR * time:
        return bool(gap > 0.0)
    ticks = growth.now * counts[TICKS, k] - growth.then * before[TICKS, k]
    cut = growth.now * counts[CUT, k] - growth.then * before[CUT, k]
    return bool(growth.tick * ticks + growth.rest * cut > 0)


@compiled(forceinline=True)
def due(episode: int, numbers: Scalars, memory: Memory, last: LastPlan, growth: GrowthRule) -> bool:
    """Whether ``episode`` is to be planned; then what is known now is what its plan knows."""
    counts, visited, clock = memory.counts, memory.visited, memory.clock
    before, planned = last.counts, last.episode
    again = planned[0] == 0 or (growth.iterates and growth.now * episode > growth.then * planned[0])
    for n in range(clock[VISITED]):
        k = visited[n]
        counts[NEW, k] = 0
        again = again or has_grown(k, numbers, growth, counts, before)
    clock[VISITED] = 0
    if again:
        planned[0] = episode
        for j in range(3):
            for k in range(counts.shape[1]):
                before[j, k] = counts[j, k]
    return again
