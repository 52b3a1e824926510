r"""How often the confidence sets cover, by experiment: for all episodes and all pairs at once.

The lemmas bound the probability that *some* set of *some* episode misses.  An experiment plays all
:math:`K` episodes and says whether every set, of every pair in every episode, covered; the harness bounds
the probability exactly from the number of experiments in which they did.

* **The learner**: CT-UCBVI itself on a model with two states, two actions and random jumps (its own
  adaptive data).
* **The adversary** knows the true model, may visit any pair at any time, and tries to make the sets miss:
  for at most half of the episodes it brings pairs to where their sets say something, then it keeps visiting
  the pair that is nearest to missing, and leaves a pair alone once it has missed, so that the miss stays.
  In every second episode it stays for one visit only, so that it stops right after a jump.

A radius of a quarter of its size must fail the same experiments (it is left as it is where a pair has no
data or too little time for a set to say anything, so that the failure is one of the constant).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from ctucbvi.learning import Settings
from ctucbvi.model import CTMDP
from ctucbvi.modelfile import parse_model
from verify.provers.statistical import Statistical

Floats = NDArray[np.float64]
DELTA = Fraction(1, 5)
OWN_EPISODES, WORST_EPISODES = 40, 100
_NEVER = 1e-300  # in the place of rate 0, where a jump never comes
_MODEL = """
name = "two-by-two"
horizon = "1"
initial = "left"
states = ["left", "right"]
actions = ["slow", "fast"]
transition = [
  { state = "left", action = "slow", rate = "3", reward = "17/20", to = { left = "1/2", right = "1/2" } },
  { state = "left", action = "fast", rate = "5", reward = "1", to = { left = "9/10", right = "1/10" } },
  { state = "right", action = "slow", rate = "2", reward = "2/5", to = { left = "3/10", right = "7/10" } },
  { state = "right", action = "fast", rate = "7", reward = "0", to = { left = "1/2", right = "1/2" } },
]
"""


@cache
def two_by_two() -> World:
    """The model of the experiments."""
    return World(parse_model(_MODEL, format="toml"))


@dataclass(frozen=True)
class World:
    """The true model, which the experiments know."""

    model: CTMDP

    @cached_property
    def rates(self) -> Floats:
        """λ of every pair."""
        return np.array([float(pair.rate) for pair in self.model.pairs])

    @cached_property
    def rows(self) -> Floats:
        """The rows p(·|x,a) of the pairs."""
        found = np.zeros((len(self.model.pairs), len(self.model.states)))
        for k, pair in enumerate(self.model.pairs):
            for y, p in pair.to:
                found[k, y] = float(p)
        return found

    @property
    def lambda_max(self) -> float:
        """λmax."""
        return float(self.model.max_rate)

    @property
    def horizon(self) -> float:
        """H."""
        return float(self.model.horizon)

    @property
    def size(self) -> int:
        """SA."""
        return len(self.model.states) * len(self.model.actions)

    def rate_excess(self, n_plus: Floats, time: Floats, radii: Radii) -> Floats:
        """|λ̂ - λ|/β of every pair; above 1 the set misses."""
        with np.errstate(divide="ignore", invalid="ignore"):
            estimate = np.where(n_plus > 0, np.minimum(n_plus / time, self.lambda_max), 0.0)
        found: Floats = np.abs(estimate - self.rates) / radii.rate(time)
        return found

    def jump_excess(self, n_plus: Floats, estimates: Floats, radii: Radii) -> Floats:
        """‖p̂ - p‖₁/α of every pair, the last axis of the estimates being the states."""
        found: Floats = np.abs(estimates - self.rows).sum(axis=-1) / radii.jump(n_plus)
        return found


@dataclass(frozen=True)
class Radii:
    """The radii of ``eq:beta-k`` and ``eq:alpha-k`` for a world, times ``scale`` where there are data."""

    world: World
    episodes: int
    scale: float = 1.0
    uniform: bool = False  # with n(n + 1), n = max{1, N}, in the place of HK² in α

    def rate(self, time: Floats) -> Floats:
        """β in its second form: without data |λ - 0| may be λmax = β exactly, which must not be rounded."""
        lambda_max = self.world.lambda_max
        floor = self.confidence / lambda_max
        found: Floats = np.where(
            time < floor, lambda_max, np.sqrt(lambda_max * self.confidence / np.maximum(time, floor))
        )
        return found

    @property
    def confidence(self) -> float:
        """L(δ); a smaller scale is a smaller one."""
        return 4 * log(2 * self.world.size * self.episodes / DELTA) * self.scale**2

    def jump(self, n_plus: Floats) -> Floats:
        """α."""
        n = np.maximum(1, n_plus)
        steps = n * (n + 1) if self.uniform else self.world.horizon * self.episodes**2
        states = len(self.world.model.states)
        inner = states * log(2) + np.log(self.world.size * steps / float(DELTA))
        found: Floats = np.sqrt(2 * inner / n) * np.where(n_plus > 0, self.scale, 1.0)
        return found


@dataclass(frozen=True)
class Learner:
    """One run of CT-UCBVI: whether all sets of all episodes covered."""

    world: World
    jumps: bool  # the sets of p, or those of λ
    scale: float = 1.0
    episodes: int = OWN_EPISODES

    def __call__(self, rng: np.random.Generator) -> bool:
        """Play all episodes."""
        from ctucbvi.learning.fast.learner import FastLearner  # compiled: slow to load

        model = self.world.model
        settings = Settings.for_model(model, episodes=self.episodes, delta=DELTA)
        learner = FastLearner(model, settings, seed=int(rng.integers(2**31)), steps=10)
        radii = Radii(self.world, self.episodes, self.scale)
        n_plus, time = np.zeros((2, len(model.pairs)))
        for _ in range(self.episodes):
            learner.advance(1)  # its estimates are those before the episode
            if self.jumps:
                excess = self.world.jump_excess(n_plus, learner.probabilities, radii)
            else:
                excess = self.world.rate_excess(n_plus, time, radii)
            if excess.max() > 1:
                return False
            n_plus, time = learner.n_plus.astype(float), np.array([float(t) for t in learner.time])
        return True


@dataclass(frozen=True)
class Adversary:
    """Many runs against the adversary at once: in how many all sets covered."""

    world: World
    jumps: bool
    scale: float = 1.0
    episodes: int = WORST_EPISODES
    both: bool = False  # the sets of p and those of λ together
    uniform: bool = False

    def __call__(self, rng: np.random.Generator, count: int) -> int:
        """Play all episodes of ``count`` runs."""
        radii = Radii(self.world, self.episodes, self.scale, self.uniform)
        pairs, states = self.world.rows.shape
        n_plus, time = np.zeros((2, count, pairs))
        seen = np.zeros((count, pairs, states))  # jumps to each state
        covered, runs = np.ones(count, bool), np.arange(count)
        for episode in range(self.episodes):
            excess = self._excess(n_plus, time, seen, radii)
            covered &= excess.max(axis=1) <= 1
            told = n_plus > 0 if self.jumps else time >= radii.confidence / self.world.lambda_max
            pair = self._target(excess, told, time, patient=2 * episode < self.episodes)
            more, spent = self._play(rng, self.world.rates[pair], one_visit=bool(episode % 2))
            n_plus[runs, pair] += more
            time[runs, pair] += spent
            seen[runs, pair] += rng.multinomial(more, self.world.rows[pair])
        return int(covered.sum())

    def _excess(self, n_plus: Floats, time: Floats, seen: Floats, radii: Radii) -> Floats:
        rates = self.world.rate_excess(n_plus, time, radii)
        if not (self.jumps or self.both):
            return rates
        jumps = self.world.jump_excess(n_plus, seen / np.maximum(1, n_plus)[..., None], radii)
        return np.maximum(jumps, rates) if self.both else jumps

    def _target(
        self, excess: Floats, told: NDArray[np.bool_], time: Floats, *, patient: bool
    ) -> NDArray[np.int64]:
        """The pair nearest to missing; before, if ``patient``, those whose sets say nothing yet."""
        near = np.where(excess > 1, -1.0, excess)
        if patient:
            near = np.where(told, near, 2 + 1 / (1 + time))  # the one with the least time first
        found: NDArray[np.int64] = np.where(self.world.rates > 0, near, -2.0).argmax(axis=1)
        return found

    def _play(
        self, rng: np.random.Generator, rate: Floats, *, one_visit: bool
    ) -> tuple[NDArray[np.int64], Floats]:
        """Observed jumps and time spent: all of the episode, or until the first jump."""
        horizon = self.world.horizon
        if not one_visit:
            return rng.poisson(rate * horizon), np.full(len(rate), horizon)
        holding = rng.exponential(1 / np.maximum(rate, _NEVER))
        return (holding <= horizon).astype(np.int64), np.minimum(holding, horizon)


def learner(world: World, *, jumps: bool, scale: float = 1.0) -> Statistical:
    """All sets of one kind on the data of CT-UCBVI itself, with ``scale`` times the radius."""
    trial = Learner(world, jumps, scale)
    return Statistical(trial, at_least=1 - DELTA, trials=(160, 4000), title="learner")


def adversary(world: World, *, jumps: bool, scale: float = 1.0) -> Statistical:
    """All sets of one kind against the adversary, with ``scale`` times the radius."""
    trial = Adversary(world, jumps, scale)
    return Statistical(trial, at_least=1 - DELTA, trials=(4000, 100_000), vectorised=True, title="adversary")


def both_sets(*, uniform: bool = False, scale: float = 1.0) -> Statistical:
    """All sets of both kinds against the adversary, K = 100: P(𝒢) >= 1 - 2δ, or 1 - (1 + J/K)δ with J = 1.

    The conditions of eq:G/repaired hold here: e² λmax (K-1) = 5121 <= K², and the others easily; J = 1 since
    λmax (K-1) H = 693 <= 25 L(δ) = 829.
    """
    trial = Adversary(two_by_two(), jumps=False, scale=scale, both=True, uniform=uniform)
    missed = DELTA * (1 + Fraction(1, trial.episodes) if uniform else 2)
    return Statistical(
        trial, at_least=1 - missed, trials=(4000, 100_000), vectorised=True, title="adversary, both sets"
    )
