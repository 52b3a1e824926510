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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctucbvi.model import CTMDP
from verify.claims import Claim, Kind, claim
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
    from ctucbvi.modelfile import parse_model

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
    def fastest(self) -> float:
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

    def rate_excess(self, left: Floats, time: Floats, radii: Radii) -> Floats:
        """|λ̂ - λ|/β of every pair; above 1 the set misses."""
        with np.errstate(divide="ignore", invalid="ignore"):
            estimate = np.where(left > 0, np.minimum(left / time, self.fastest), 0.0)
        found: Floats = np.abs(estimate - self.rates) / radii.rate(time)
        return found

    def jump_excess(self, left: Floats, estimates: Floats, radii: Radii) -> Floats:
        """‖p̂ - p‖₁/α of every pair, the last axis of the estimates being the states."""
        found: Floats = np.abs(estimates - self.rows).sum(axis=-1) / radii.jump(left)
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
        fastest = self.world.fastest
        floor = self.confidence / fastest
        found: Floats = np.where(
            time < floor, fastest, np.sqrt(fastest * self.confidence / np.maximum(time, floor))
        )
        return found

    @property
    def confidence(self) -> float:
        """L(δ); a smaller scale is a smaller one."""
        return 4 * log(2 * self.world.size * self.episodes / DELTA) * self.scale**2

    def jump(self, left: Floats) -> Floats:
        """α."""
        n = np.maximum(1, left)
        steps = n * (n + 1) if self.uniform else self.world.horizon * self.episodes**2
        states = len(self.world.model.states)
        inner = states * log(2) + np.log(self.world.size * steps / float(DELTA))
        found: Floats = np.sqrt(2 * inner / n) * np.where(left > 0, self.scale, 1.0)
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
        from ctucbvi.learning import Settings
        from ctucbvi.learning.fast.learner import FastLearner

        model = self.world.model
        settings = Settings.for_model(model, episodes=self.episodes, delta=DELTA)
        learner = FastLearner(model, settings, seed=int(rng.integers(2**31)), steps=10)
        radii = Radii(self.world, self.episodes, self.scale)
        left, time = np.zeros((2, len(model.pairs)))
        for _ in range(self.episodes):
            learner.advance(1)  # its estimates are those before the episode
            if self.jumps:
                excess = self.world.jump_excess(left, learner.probabilities, radii)
            else:
                excess = self.world.rate_excess(left, time, radii)
            if excess.max() > 1:
                return False
            left, time = learner.left.astype(float), np.array([float(t) for t in learner.time])
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
        left, time = np.zeros((2, count, pairs))
        seen = np.zeros((count, pairs, states))  # jumps to each state
        covered, runs = np.ones(count, bool), np.arange(count)
        for episode in range(self.episodes):
            excess = self._excess(left, time, seen, radii)
            covered &= excess.max(axis=1) <= 1
            told = left > 0 if self.jumps else time >= radii.confidence / self.world.fastest
            pair = self._target(excess, told, time, patient=2 * episode < self.episodes)
            more, spent = self._play(rng, self.world.rates[pair], one_visit=bool(episode % 2))
            left[runs, pair] += more
            time[runs, pair] += spent
            seen[runs, pair] += rng.multinomial(more, self.world.rows[pair])
        return int(covered.sum())

    def _excess(self, left: Floats, time: Floats, seen: Floats, radii: Radii) -> Floats:
        rates = self.world.rate_excess(left, time, radii)
        if not (self.jumps or self.both):
            return rates
        jumps = self.world.jump_excess(left, seen / np.maximum(1, left)[..., None], radii)
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


def learner(world: World, *, jumps: bool, trials: tuple[int, int] = (160, 4000)) -> Statistical:
    """All sets of one kind on the data of CT-UCBVI itself."""
    return Statistical(Learner(world, jumps), at_least=1 - DELTA, trials=trials, title="learner")


def adversary(world: World, *, jumps: bool, trials: tuple[int, int] = (4000, 100_000)) -> Statistical:
    """All sets of one kind against the adversary."""
    trial = Adversary(world, jumps)
    return Statistical(trial, at_least=1 - DELTA, trials=trials, vectorised=True, title="adversary")


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


_SETTING = "two states, two actions, rates 3, 5, 2, 7, random jumps, H = 1, δ = 1/5"


def _claim(label: str, sets: str, source: str, check: Statistical, who: str) -> Claim:
    return claim(
        label,
        f"P(the {sets} of all pairs cover in all episodes) >= 1 - δ for the data of {who} ({_SETTING}).",
        source=source,
        kind=Kind.STEP,
        checks=check,
        expected="supported",
        latex=r"\mathbb P(\text{all sets cover}) \ge 1-\delta",
    )


_OWN = f"CT-UCBVI itself, K = {OWN_EPISODES}"
_WORST = (
    "a policy that pursues the pair nearest to missing and leaves it alone once it has missed, "
    f"K = {WORST_EPISODES}"
)

CLAIMS = (
    _claim(
        "lem:rateUCB/coverage-learner", "rate sets", "lem:rateUCB", learner(two_by_two(), jumps=False), _OWN
    ),
    _claim(
        "lem:rateUCB/coverage-adversary",
        "rate sets",
        "lem:rateUCB",
        adversary(two_by_two(), jumps=False),
        _WORST,
    ),
    _claim("lem:CI-p/coverage-learner", "jump sets", "lem:CI-p", learner(two_by_two(), jumps=True), _OWN),
    _claim(
        "lem:CI-p/coverage-adversary", "jump sets", "lem:CI-p", adversary(two_by_two(), jumps=True), _WORST
    ),
)


def shrunken(original: Claim) -> Claim:
    """The same experiment with a quarter of the radius."""
    (check,) = original.checks
    assert isinstance(check, Statistical)
    trial: Any = check.trial
    return replace(original, checks=(replace(check, trial=replace(trial, scale=0.25)),))


MUTANTS: Mapping[str, Claim] = {one.label: shrunken(one) for one in CLAIMS}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
