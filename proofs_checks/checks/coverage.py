r"""How often the confidence sets cover, by experiment: for all episodes and all pairs at once.

The lemmas bound the probability that *some* set of *some* episode misses.  An experiment plays all
:math:`K` episodes and says whether every set, of every pair in every episode, covered; the harness bounds
the probability exactly from the number of experiments in which they did.

The sets are those that the learners use: their own code makes them of the data
(:mod:`ctucbvi.learning.fast.used_sets`).  What is here knows the truth, and asks whether it is in them.

* **The learner** itself plays, on a model with two states, two actions and random jumps (its own adaptive
  data).
* **The adversary** knows the true model, may visit any pair at any time, and tries to make the sets miss:
  for at most half of the episodes it brings pairs to where their sets say something, then it keeps visiting
  the pair that is nearest to missing, and leaves a pair alone once it has missed, so that the miss stays.
  In every second episode it stays for one visit only, so that it stops right after a jump.

A set of a tenth of the size must fail the same experiments (it is left as it is where a pair has no
data or too little time for a set to say anything, so that the failure is one of the constant).  Sets that are
too small by less than what they have to spare cover nevertheless: for these, and for sets that are too large,
:mod:`proofs_checks.checks.set_formulas` compares numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ctucbvi.learning import Settings
from ctucbvi.model import CTMDP
from ctucbvi.modelfile import parse_model
from verify.provers.statistical import Statistical

if TYPE_CHECKING:
    from ctucbvi.learning.fast.used_sets import Integers, UsedSets

Floats = NDArray[np.float64]
DELTA = Fraction(1, 5)
OWN_EPISODES, WORST_EPISODES = 40, 100
_EDGE = 1 + 2.0**-40  # of a set, in units of its radius: the sets are in doubles
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
class SetKind:
    """Sets that some learner uses: those of the rates, those of the jumps, or both."""

    name: str
    rates: str | None  # of the optimistic learner; none: a learner with a bonus
    jumps: str | None
    looks: Sequence[str]  # rates, jumps

    def settings(self, model: CTMDP, episodes: int) -> Settings:
        """Those of the learner that uses them."""
        bonus = "paper" if self.rates is None else "optimistic"
        return Settings.for_model(
            model, episodes=episodes, delta=DELTA, bonus=bonus, rates=self.rates, jumps=self.jumps
        )


RATES = SetKind("rates", None, None, ("rates",))
JUMPS = SetKind("jumps", None, None, ("jumps",))
BOTH = SetKind("both sets", None, None, ("rates", "jumps"))
PAPER = SetKind("paper", "paper", "l1", ("rates",))
L1 = SetKind("l1", "paper", "l1", ("jumps",))
UNIFORM = SetKind("both sets", "paper", "l1", ("rates", "jumps"))
POISSON = SetKind("poisson", "poisson", "kl", ("rates",))
KL = SetKind("kl", "poisson", "kl", ("jumps",))


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

    @cached_property
    def places(self) -> tuple[Integers, Integers]:
        """The pairs and the targets of all jumps that there are, in the order of the learner's arrays."""
        pairs = [(k, y) for k, pair in enumerate(self.model.pairs) if pair.rate for y, _ in pair.to]
        found = np.array(pairs, np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    @property
    def lambda_max(self) -> float:
        """λmax."""
        return float(self.model.max_rate)

    @property
    def horizon(self) -> float:
        """H."""
        return float(self.model.horizon)

    def ends(self, sets: UsedSets) -> tuple[Floats, Floats]:
        """The ends of the sets of rates; infinite where they are those of all rates, up to rounding."""
        spare = (_EDGE - 1) * self.lambda_max
        low = np.where(sets.low <= spare, -np.inf, sets.low)
        return low, np.where(sets.high >= self.lambda_max - spare, np.inf, sets.high)

    def rate_excess(self, sets: UsedSets, n_plus: Floats, time: Floats) -> Floats:
        """How far λ is from N/T, in units of the way to the end of its set; above 1 the set misses.

        An end at a bound on all rates cannot be passed.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            seen = np.where(n_plus > 0, n_plus / time, 0.0)
            middle = np.clip(np.minimum(seen, self.lambda_max), sets.low, sets.high)
            low, high = self.ends(sets)
            sides = (self.rates - middle) / (high - middle), (middle - self.rates) / (middle - low)
        found: Floats = np.maximum(*(np.where(np.isnan(side), 0.0, side) for side in sides))
        return found

    def jump_excess(self, sets: UsedSets) -> Floats:
        """How far p is from p̂, in units of the radius; above 1 the set misses."""
        pairs, targets = self.places
        true = self.rows[pairs, targets]
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = (
                np.where(sets.chance > 0, sets.chance * np.log(sets.chance / true), 0.0)
                if sets.divergence
                else np.abs(sets.chance - true)
            )
        found: Floats = parts @ (pairs[:, None] == np.arange(len(self.rates))) / sets.reach
        return found


@dataclass(frozen=True)
class SetLook:
    """What is asked of the sets of an episode: which of them, and at which share of their size."""

    world: World
    kind: SetKind
    scale: float = 1.0

    def excess(self, sets: UsedSets, n_plus: Floats, time: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """How near each pair is to missing, above 1 if it does; and whether its sets say something."""
        found, told = np.zeros(sets.low.shape), np.ones(sets.low.shape, bool)
        if "rates" in self.kind.looks:
            says = np.isfinite(self.world.ends(sets)).any(axis=0)
            rates = self.world.rate_excess(sets, n_plus, time)
            found, told = np.maximum(found, rates / np.where(says, self.scale, 1.0)), told & says
        if "jumps" in self.kind.looks:
            says = n_plus > 0
            shrunk = self.scale**2 if sets.divergence else self.scale
            jumps = self.world.jump_excess(sets)
            found, told = np.maximum(found, jumps / np.where(says, shrunk, 1.0)), told & says
        return found, told


@dataclass(frozen=True)
class Learner:
    """One run of the learner: whether all its sets of all episodes covered."""

    look: SetLook
    episodes: int = OWN_EPISODES

    def __call__(self, rng: np.random.Generator) -> bool:
        """Play all episodes."""
        from ctucbvi.learning.fast.used_sets import Player  # compiled: slow to load

        model = self.look.world.model
        settings = self.look.kind.settings(model, self.episodes)
        player = Player(model, settings, int(rng.integers(2**31)))
        before = player.data
        for _ in range(self.episodes):
            player.learner.advance(1)
            excess, _ = self.look.excess(player.used, *before)
            if excess.max() > _EDGE:
                return False
            before = player.data
        return True


@dataclass(frozen=True)
class Adversary:
    """Many runs against the adversary at once: in how many all sets covered."""

    look: SetLook
    episodes: int = WORST_EPISODES

    @property
    def world(self) -> World:
        """The true model."""
        return self.look.world

    def __call__(self, rng: np.random.Generator, count: int) -> int:
        """Play all episodes of ``count`` runs."""
        from ctucbvi.learning.fast.used_sets import SideBySide  # compiled: slow to load

        settings = self.look.kind.settings(self.world.model, self.episodes)
        data = SideBySide(self.world.model, settings, count)
        covered = np.ones(count, bool)
        for episode in range(self.episodes):
            n_plus, time = data.data
            excess, told = self.look.excess(data.used, n_plus, time)
            covered &= excess.max(axis=1) <= _EDGE
            pair = self._target(excess, told, time, patient=2 * episode < self.episodes)
            data.add(pair, *self._play(rng, pair, data.ticks, data.tick, one_visit=bool(episode % 2)))
        return int(covered.sum())

    def _target(
        self, excess: Floats, told: NDArray[np.bool_], time: Floats, *, patient: bool
    ) -> NDArray[np.int64]:
        """The pair nearest to missing; before, if ``patient``, those whose sets say nothing yet."""
        near = np.where(excess > _EDGE, -1.0, excess)
        if patient:
            near = np.where(told, near, 2 + 1 / (1 + time))  # the one with the least time first
        found: NDArray[np.int64] = np.where(self.world.rates > 0, near, -2.0).argmax(axis=1)
        return found

    def _play(
        self, rng: np.random.Generator, pair: Integers, ticks: int, tick: float, *, one_visit: bool
    ) -> tuple[Integers, Integers, Integers]:
        """Time in ticks, whether it was cut off, and jumps: of a whole episode, or until the first jump."""
        rate, runs = self.world.rates[pair], len(pair)
        if one_visit:
            holding = rng.exponential(1 / np.maximum(rate, _NEVER)) / tick
            jumps = (holding <= ticks).astype(np.int64)
            spent = np.clip(np.rint(holding), 1, ticks).astype(np.int64)
        else:
            jumps, spent = rng.poisson(rate * self.world.horizon), np.full(runs, ticks)
        pairs, targets = self.world.places
        seen = rng.multinomial(jumps, self.world.rows[pair])[:, targets] * (pair[:, None] == pairs)
        return spent, np.asarray(1 - jumps if one_visit else np.ones(runs), np.int64), seen


def learner(world: World, kind: SetKind, *, scale: float = 1.0) -> Statistical:
    """All sets of one kind on the learner's own data, at ``scale`` times their size."""
    trial = Learner(SetLook(world, kind, scale))
    return Statistical(trial, at_least=1 - DELTA, trials=(340, 4000), title="learner")


def adversary(world: World, kind: SetKind, *, scale: float = 1.0) -> Statistical:
    """All sets of one kind against the adversary, at ``scale`` times their size."""
    trial = Adversary(SetLook(world, kind, scale))
    return Statistical(trial, at_least=1 - DELTA, trials=(4000, 100_000), vectorised=True, title="adversary")


def both_sets(*, uniform: bool = False, scale: float = 1.0) -> Statistical:
    """All sets of both kinds against the adversary, K = 100: P(𝒢) >= 1 - 2δ, or 1 - (1 + J/K)δ with J = 1.

    The conditions of eq:G/repaired hold here: e² λmax (K-1) = 5121 <= K², and the others easily; J = 1 since
    λmax (K-1) H = 693 <= 25 L(δ) = 829.
    """
    trial = Adversary(SetLook(two_by_two(), UNIFORM if uniform else BOTH, scale))
    missed = DELTA * (1 + Fraction(1, trial.episodes) if uniform else 2)
    return Statistical(
        trial, at_least=1 - missed, trials=(4000, 100_000), vectorised=True, title="adversary, both sets"
    )
