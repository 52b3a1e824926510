r"""Episodes under a given policy, drawn by compiled code: what a policy earns, by experiment.

The policy is an action for each state and grid point, held for the remaining times nearest to it
and committed on entering a state: an episode asks for an action, holds it for an exponential
time with rate :math:`\lambda(x,a)`, earns :math:`r(x,a)` meanwhile, jumps, and asks again, until the
remaining time is used up.  This shares nothing with any evaluation of the policy but the model.

:class:`Sample` keeps count, mean and variance of what the episodes earned.  An episode earns at
least 0 and at most :math:`H` if rewards are in [0, 1], so by the empirical Bernstein inequality
(Maurer and Pontil), with probability at least :math:`1-\alpha` the expectation is within

.. math:: \sqrt{\frac{2 s^2 \ln(4/\alpha)}{n}} + \frac{7 (b-a) \ln(4/\alpha)}{3(n-1)}

of the mean of :math:`n` episodes, :math:`s^2` being their variance and :math:`[a,b]` the range.  It holds for
every :math:`n \ge 2` and needs no normality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numba import njit

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP
from ctucbvi.numeric.arrays import Arrays, Integers


@dataclass(frozen=True)
class Sample:
    """What ``episodes`` independent episodes earned."""

    episodes: int
    mean: float
    variance: float  # unbiased
    low: float  # no episode earns less
    high: float  # no episode earns more

    def radius(self, alpha: float) -> float:
        """The expectation is within this of :attr:`mean`, with probability at least ``1 - alpha``."""
        wide = log(4.0 / alpha)
        spread = sqrt(2.0 * self.variance * wide / self.episodes)
        return spread + 7.0 * (self.high - self.low) * wide / (3.0 * (self.episodes - 1))


def simulate(model: CTMDP, policy: Integers, *, episodes: int, seed: int) -> Sample:
    """Draw ``episodes`` episodes of ``policy``, ``(states, steps + 1)`` rows of ``model.transitions``."""
    if episodes < 2:
        raise InputError(f"episodes: {episodes} cannot show a spread; draw at least 2")
    a = Arrays.of(model)
    total, squares = _episodes(
        a.rate, a.reward, a.terminal, a.row, a.target, np.asarray(a.probability), a.horizon,
        np.ascontiguousarray(policy), model.state_index(model.initial), episodes,
        np.random.default_rng(seed),
    )  # fmt: skip
    low = a.horizon * min(float(a.reward.min()), 0.0) + float(a.terminal.min())
    high = a.horizon * max(float(a.reward.max()), 0.0) + float(a.terminal.max())
    mean = total / episodes
    return Sample(episodes, mean, (squares - total * mean) / (episodes - 1), low, high)


def grid_policy(model: CTMDP, steps: int, rules: Mapping[str, Mapping[int, str]]) -> Integers:
    """A policy on the grid from ``{state: {first grid point: action}}``, ``(states, steps + 1)``."""
    pair = {(row.state, row.action): i for i, row in enumerate(model.transitions)}
    policy = np.empty((len(model.states), steps + 1), np.int64)
    for x, state in enumerate(model.states):
        for start, action in sorted(rules[state].items()):
            policy[x, start:] = pair[state, action]
    return policy


@njit
def _episodes(rate, reward, terminal, row, target, probability, horizon, policy, initial, episodes, draw):
    """The sum and the sum of squares of what ``episodes`` episodes earn."""
    steps = policy.shape[1] - 1
    total = squares = 0.0
    for _ in range(episodes):
        x, left, earned = initial, horizon, 0.0
        while left > 0.0:
            pair = policy[x, min(int(left / horizon * steps + 0.5), steps)]
            stay = draw.standard_exponential() / rate[pair] if rate[pair] > 0.0 else np.inf
            if stay >= left:
                earned += reward[pair] * left
                break
            earned += reward[pair] * stay
            left -= stay
            aim = draw.random()
            e = row[pair]
            while e < row[pair + 1] - 1 and aim >= probability[e]:
                aim -= probability[e]
                e += 1
            x = target[e]
        earned += terminal[x]
        total += earned
        squares += earned * earned
    return total, squares
