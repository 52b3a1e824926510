r"""How often the confidence sets cover, by experiment: for all episodes and all pairs at once.

The lemmas bound the probability that *some* set of *some* episode misses.  An experiment plays all
:math:`K` episodes and says whether every set, of every pair in every episode, covered; the harness bounds
the probability exactly from the number of experiments in which they did.

* **The learner**: CT-UCBVI itself on a model with two states, two actions and random jumps (its own
  adaptive data).
* **The adversary** knows the true model and tries to make the sets miss: it first brings every pair to
  where its set says something, then keeps visiting the pair that is nearest to missing, and leaves a pair
  alone once it has missed, so that the miss stays.  In every second episode it stays for one visit only,
  so that it stops right after a jump.

A radius of a quarter of its size must fail the same experiments (it is left as it is where a pair has no
data or too little time for a set to say anything, so that the failure is one of the constant).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from verify.claims import Claim, Kind, claim
from verify.provers.statistical import Statistical

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

Floats = NDArray[np.float64]

DELTA = Fraction(1, 5)
RATES, CHANCES = (3.0, 5.0, 2.0, 7.0), (0.5, 0.9, 0.3, 0.5)  # λ and p(first state), of the four pairs
FASTEST, HORIZON = 7.0, 1.0
STATES = ACTIONS = 2

MODEL = """
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
def model() -> CTMDP:
    """The model of the learner; its rates and jumps are :data:`RATES` and :data:`CHANCES`."""
    from ctucbvi.modelfile import parse_model

    return parse_model(MODEL, format="toml")


@dataclass(frozen=True)
class Radii:
    """The radii of ``eq:beta-k`` and ``eq:alpha-k`` for these sizes, times ``scale`` where there are data."""

    episodes: int
    scale: float = 1.0
    uniform: bool = False  # with n(n + 1), n = max{1, N}, in the place of HK² in α

    def rate(self, time: Floats) -> Floats:
        """β in its second form: without data |λ - 0| may be λmax = β exactly, which must not be rounded."""
        floor = self.confidence / FASTEST
        found: Floats = np.where(
            time < floor, FASTEST, np.sqrt(FASTEST * self.confidence / np.maximum(time, floor))
        )
        return found

    @property
    def confidence(self) -> float:
        """L(δ); a smaller scale is a smaller one."""
        return 4 * log(2 * STATES * ACTIONS * self.episodes / DELTA) * self.scale**2

    def jump(self, left: Floats) -> Floats:
        """α."""
        n = np.maximum(1, left)
        steps = n * (n + 1) if self.uniform else HORIZON * self.episodes**2
        inner = STATES * log(2) + np.log(STATES * ACTIONS * steps / float(DELTA))
        found: Floats = np.sqrt(2 * inner / n) * np.where(left > 0, self.scale, 1.0)
        return found


def rate_excess(left: Floats, time: Floats, radii: Radii) -> Floats:
    """|λ̂ - λ|/β of every pair; above 1 the set misses."""
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.where(left > 0, np.minimum(left / time, FASTEST), 0.0)
    found: Floats = np.abs(estimate - np.array(RATES)) / radii.rate(time)
    return found


def jump_excess(left: Floats, first: Floats, radii: Radii) -> Floats:
    """‖p̂ - p‖₁/α of every pair; ``first`` counts the jumps to the first state."""
    distance = 2 * np.abs(first / np.maximum(1, left) - np.array(CHANCES))
    found: Floats = np.where(left > 0, distance, 1.0) / radii.jump(left)
    return found


@dataclass(frozen=True)
class Learner:
    """One run of CT-UCBVI: whether all sets of all episodes covered."""

    jumps: bool  # the sets of p, or those of λ
    scale: float = 1.0
    episodes: int = 40

    def __call__(self, rng: np.random.Generator) -> bool:
        """Play all episodes."""
        from ctucbvi.learning import Settings
        from ctucbvi.numeric.learner import FastLearner

        settings = Settings.for_model(model(), episodes=self.episodes, delta=DELTA)
        learner = FastLearner(model(), settings, seed=int(rng.integers(2**31)), steps=10)
        radii, left, time = Radii(self.episodes, self.scale), np.zeros(4), np.zeros(4)
        for _ in range(self.episodes):
            learner.advance(1)  # its estimates are those before the episode
            if self.jumps:
                excess = jump_excess(left, learner.probabilities[:, 0] * np.maximum(1, left), radii)
            else:
                excess = rate_excess(left, time, radii)
            if excess.max() > 1:
                return False
            left, time = learner.left.astype(float), np.array([float(t) for t in learner.time])
        return True


@dataclass(frozen=True)
class Adversary:
    """Many runs against the adversary at once: in how many all sets covered."""

    jumps: bool
    scale: float = 1.0
    episodes: int = 100
    both: bool = False  # the sets of p and those of λ together
    uniform: bool = False

    def __call__(self, rng: np.random.Generator, count: int) -> int:
        """Play all episodes of ``count`` runs."""
        radii = Radii(self.episodes, self.scale, self.uniform)
        left, time, first = np.zeros((3, count, 4))
        covered, runs = np.ones(count, bool), np.arange(count)
        for episode in range(self.episodes):
            excess = jump_excess(left, first, radii) if self.jumps else rate_excess(left, time, radii)
            if self.both:
                excess = np.maximum(jump_excess(left, first, radii), rate_excess(left, time, radii))
            covered &= excess.max(axis=1) <= 1
            told = left > 0 if self.jumps else time >= radii.confidence / FASTEST
            pair = self._target(excess, told)
            more, spent = self._play(rng, np.array(RATES)[pair], one_visit=bool(episode % 2))
            left[runs, pair] += more
            time[runs, pair] += spent
            first[runs, pair] += rng.binomial(more, np.array(CHANCES)[pair])
        return int(covered.sum())

    def _target(self, excess: Floats, told: NDArray[np.bool_]) -> NDArray[np.int64]:
        """A pair whose set says nothing yet, else the one nearest to missing among those that have not."""
        wish = np.where(told, np.where(excess > 1, -1.0, excess), 2.0)
        found: NDArray[np.int64] = wish.argmax(axis=1)
        return found

    def _play(
        self, rng: np.random.Generator, rate: Floats, *, one_visit: bool
    ) -> tuple[NDArray[np.int64], Floats]:
        """Observed jumps and time spent: all of the episode, or until the first jump."""
        if not one_visit:
            return rng.poisson(rate * HORIZON), np.full(len(rate), HORIZON)
        holding = rng.exponential(1 / rate)
        return (holding <= HORIZON).astype(np.int64), np.minimum(holding, HORIZON)


def _learner(*, jumps: bool, scale: float = 1.0) -> Statistical:
    return Statistical(Learner(jumps, scale), at_least=1 - DELTA, trials=(160, 4000), title="learner")


def _adversary(*, jumps: bool, scale: float = 1.0) -> Statistical:
    trial = Adversary(jumps, scale)
    return Statistical(trial, at_least=1 - DELTA, trials=(4000, 100_000), vectorised=True, title="adversary")


def both_sets(*, uniform: bool = False, scale: float = 1.0) -> Statistical:
    """All sets of both kinds against the adversary, K = 100: P(𝒢) >= 1 - 2δ, or 1 - (1 + J/K)δ with J = 1.

    The conditions of eq:G/repaired hold here: e² λmax (K-1) = 5121 <= K², and the others easily; J = 1 since
    λmax (K-1) H = 693 <= 25 L(δ) = 829.
    """
    trial = Adversary(jumps=False, scale=scale, both=True, uniform=uniform)
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


_OWN, _WORST = (
    "CT-UCBVI itself, K = 40",
    "a policy that pursues the pair nearest to missing and leaves it alone once it has missed, K = 100",
)

CLAIMS = (
    _claim("lem:rateUCB/coverage-learner", "rate sets", "lem:rateUCB", _learner(jumps=False), _OWN),
    _claim("lem:rateUCB/coverage-adversary", "rate sets", "lem:rateUCB", _adversary(jumps=False), _WORST),
    _claim("lem:CI-p/coverage-learner", "jump sets", "lem:CI-p", _learner(jumps=True), _OWN),
    _claim("lem:CI-p/coverage-adversary", "jump sets", "lem:CI-p", _adversary(jumps=True), _WORST),
)


def _shrunken(original: Claim) -> Claim:
    """The same experiment with a quarter of the radius."""
    (check,) = original.checks
    assert isinstance(check, Statistical)
    trial: Any = check.trial
    return replace(original, checks=(replace(check, trial=replace(trial, scale=0.25)),))


MUTANTS: Mapping[str, Claim] = {one.label: _shrunken(one) for one in CLAIMS}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
