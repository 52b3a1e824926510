r"""What the grid costs, and how many cells are enough.

A learner that plans on a grid of :math:`N` cells and knew the model would play the policy :math:`\pi_N` of
value iteration on the grid (:mod:`ctucbvi.numeric.grid`).  Its loss :math:`\ell_N = V^* - V^{\pi_N}` per
episode is certified from above, by the enclosure of :math:`V^*` and the evaluation of :math:`\pi_N` with its
proved error; the best policy on the grid loses no more.  This part of the regret, :math:`K\ell_N` in
:math:`K` episodes, is the grid's, not the learner's, and no learning removes it.

**Enough cells.**  The number of cells is the first of 100, 200, 400, ... with :math:`K\ell_N \le \hat
R/100`, where :math:`\hat R` is what regret may be expected: that of a pilot of :math:`k = \min\{1000,
K/10\}` episodes on 100 cells, with a seed of its own, times :math:`\sqrt{K/k}`.  Regret that grows like a
square root, or faster at first, as it does, is at least that.  Where :math:`\ell_N` is no more than the
error it is known with, or 1,600 cells are reached, there is no point in more.  The choice depends on model,
initial states and settings, not on the seed.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt

from ctucbvi.model import CTMDP
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.grid import grid_iteration
from ctucbvi.study.blocks import Block, work
from ctucbvi.study.evaluation import UNITS, Evaluator
from ctucbvi.study.optimum import optimal_value, value_error
from ctucbvi.study.plan import Contestant, Study
from ctucbvi.study.shards import RunState

FEWEST, MOST = 100, 1600
SHARE = Fraction(1, 100)  # of the regret that the grid may cost
_PILOT = 1000  # episodes
_ACCURACY = Fraction(1, 10**10)  # with which π_N is planned, of the scale of values
_ROUNDS = 10**6


def grid_loss(study: Study, contestant: Contestant) -> Fraction | None:
    """At most what the best policy on the grid of ``contestant`` loses per episode; None: it has no grid."""
    if contestant.sampled or contestant.asked:
        return None
    values, model = _best_values(study.model, contestant.steps), study.model
    value = sum((p * Fraction(float(values[model.state_index(x)])) for x, p in study.initial), Fraction(0))
    return max(optimal_value(study).upper - value + value_error(study, contestant), Fraction(0))


def enough_cells(study: Study, contestant: Contestant) -> int:
    """How many cells ``contestant`` needs in ``study``; see the module's text."""
    if contestant.sampled:
        return contestant.steps
    cells, allowed = FEWEST, SHARE * _expected_regret(study, contestant) / study.settings.episodes
    while cells < MOST:
        gridded = replace(contestant, steps=cells)
        loss, noise = (
            grid_loss(study, gridded),
            2 * (value_error(study, gridded) + optimal_value(study).width),
        )
        if loss is None or loss <= max(allowed, noise):
            break
        cells *= 2
    return cells


def _expected_regret(study: Study, contestant: Contestant) -> Fraction:
    episodes = study.settings.episodes
    count = max(1, min(_PILOT, episodes // 10))
    pilot = replace(study, seed=0, contestants=(replace(contestant, steps=FEWEST),))
    earned = work(Block(pilot, contestant.name, 0, RunState(), count)).state.earned * UNITS
    regret = max(count * optimal_value(study).mid - earned, Fraction(0))
    return regret * Fraction(sqrt(episodes / count))


@lru_cache(maxsize=64)
def _best_values(model: CTMDP, steps: int) -> Floats:
    """What π_N is worth at H in each state, within the proved error."""
    accuracy = _ACCURACY * model.value_scale or _ACCURACY
    policy = grid_iteration(
        model, steps=steps, epsilon=accuracy, truncate=False, most_iterations=_ROUNDS
    ).policy
    values: Floats = Evaluator(model, steps).values(policy[None])[0]
    return values
