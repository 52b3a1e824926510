r"""CT-UCBVI (``alg: CTUCB``) with certified numbers: the reference for every other learner.

At the start of episode :math:`k` the estimates :math:`\hat p_k, \hat\lambda_k` are exact fractions.  The
bonus :math:`b^k` and the accuracy :math:`\epsilon_k` are roots and logarithms, hence balls.

**The bonus is rounded down** to a rational :math:`\tilde b \le b^k \le \tilde b + \eta` and the iteration of
``alg:VI`` runs in the model with :math:`r + \tilde b`.  What that costs is known: by induction
:math:`\tilde V_n \le \hat V_n \le \tilde V_n + \eta t` and likewise for :math:`\mathcal T^{a,k}`, because
:math:`\eta E[t\wedge\tau] + E[\eta(t-\tau)^+] = \eta t`, and truncation preserves it.

**Stopping.**  :math:`\|\hat V_n - \hat V_{n-1}\|` is within :math:`\eta H` of the same norm in the rounded
model.  It is compared with :math:`\epsilon_k` until the two are told apart, with more bits if need be.
An accuracy can be met exactly (:math:`\epsilon_1 = 1 = \|\hat V_1\|` on a horizon of 1): where
:math:`\epsilon_k` is rational, :math:`\|\tilde V_1\| \ge \epsilon_k` is decided exactly, and implies the
same of :math:`\hat V_1 \ge \tilde V_1`.

**The policy** ``eq:pi-k`` is the action with the largest :math:`\mathcal T^{a,k}\hat V_{n_k}(x,t)`
(:mod:`ctucbvi.learning.exact.plan`).  Pairs are tied by their data if they have the same reward, bonus,
rate and row, where states whose value is the truncation :math:`t` need not be told apart.

The optimistic learner plans by :mod:`ctucbvi.learning.exact.optimistic` instead.  Either may do so lazily
(:mod:`ctucbvi.learning.exact.replanning`): then the plan of an episode may be that of an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import arb, fmpq

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.iteration import Breakpoint, Iterate, ValueIteration, commit, improve
from ctucbvi.exact.piecewise import TooCoarseError
from ctucbvi.exact.precision import BALLS, enclosure, precision, symmetric, to_fmpq
from ctucbvi.learning import Constants, Episode, Statistics, constants
from ctucbvi.learning.estimated import estimated_model
from ctucbvi.learning.exact.optimistic import optimistic_plan
from ctucbvi.learning.exact.plan import CertifiedPlan
from ctucbvi.learning.exact.replanning import due
from ctucbvi.learning.sharp import bonus_of
from ctucbvi.numbers import exact
from ctucbvi.solutions import About, Doubt

if TYPE_CHECKING:
    from ctucbvi.learning import Environment, Settings
    from ctucbvi.model import CTMDP, Number

_MOST_ITERATIONS = 10_000


@dataclass(frozen=True)
class ExactPlan(CertifiedPlan):
    """What a learner with a bonus computes at the start of an episode, certified."""

    radii: Constants[arb]
    bonus: tuple[Enclosure, ...]  # b^k, one per pair
    excess: Fraction  # η
    epsilon: Enclosure  # ε_k
    estimated: CTMDP  # λ̂, p̂ and r + b̃
    iterate: Iterate  # Ṽ_n
    distance: Enclosure  # of ‖V̂_n − V̂_{n−1}‖, proved below ε_k

    @property
    def iterations(self) -> int:
        """The number n_k of iterations."""
        return self.iterate.n

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """An enclosure of V̂(state, t); ``t`` is the remaining time (default: the horizon)."""
        time = self.estimated.horizon if t is None else exact(t, "remaining time")
        found = self.iterate.value(state, time)
        top = max(time, Fraction(0))  # the truncation
        return Enclosure(min(found.lower, top), min(found.upper + self.excess * time, top))

    def commitment(self, pair: int, t: Fraction) -> arb:
        r"""A ball around :math:`\mathcal T^{a,k}\hat V_{n_k}(x,t)` for a pair of the model."""
        with precision(self.iterate.bits):
            at = to_fmpq(t)
            i = self.iterate.index(at)
            noise = arb(to_fmpq(self.excess * t)) + (self.iterate.slack if i else arb(0))
            found: arb = self._commitments[pair][i](at - self.iterate.joints[i]) + symmetric(noise)
            return found

    @cached_property
    def switches(self) -> tuple[Breakpoint, ...]:
        """The switches of the policy in increasing remaining time, each proved at both ends of a bracket."""
        raw = improve(self.iterate, truncate=False)
        states = self.statistics.model.states
        return tuple(self._certified(change) for change in raw.breakpoints if change.state in states)

    def _certified(self, change: Breakpoint) -> Breakpoint:
        """The bracket of a change, widened until it holds for the true bonus, too."""
        row = {(r.state, r.action): k for k, r in enumerate(self.statistics.model.transitions)}
        before, after = row[change.state, change.before], row[change.state, change.after]
        low, high, step = change.lower, change.upper, self.estimated.horizon / 2 ** (self.bits + 32)
        while low >= 0 and high <= self.estimated.horizon:
            if (
                self.commitment(before, low) > self.commitment(after, low)
                and self.commitment(before, high) < self.commitment(after, high)
            ):  # fmt: skip
                return replace(change, lower=low, upper=high, certified=True)
            low, high, step = low - step, high + step, 2 * step
        return replace(change, certified=False)

    @cached_property
    def _commitments(self) -> list[list[ExpPoly]]:
        r""":math:`\mathcal T^a \tilde V_n` of every pair on every piece of the iterate."""
        source, found = self.iterate, []
        with precision(source.bits):
            for pair in self.estimated.pairs:
                first: fmpq | arb = fmpq(0)
                pieces = []
                for i, (a, b) in enumerate(pairwise(source.joints)):
                    ahead = ExpPoly.zero()
                    for y, p in pair.to:
                        ahead += source.bodies[y][i] * p
                    pieces.append(commit(pair, ahead, first))
                    first = pieces[-1](b - a)
                found.append(pieces)
        return found

    def _data(self, pair: int) -> tuple[object, ...]:
        """All that the value of a pair depends on; saturated states have one value and need no names."""
        here = self.estimated.pairs[pair]
        known = sum((p for y, p in here.to if self._saturated[y]), Fraction(0))
        rest = tuple((y, p) for y, p in here.to if not self._saturated[y])
        reward = self.statistics.model.transitions[pair].reward
        return (reward, self._bonus_data(pair), here.rate, known, rest)

    @cached_property
    def _saturated(self) -> list[bool]:
        r"""Of which states :math:`\hat V_n(y,t) = t` is plain for all :math:`n \ge 1` and :math:`t \le H`.

        That is where :math:`(r+b)(1-e^{-\lambda t})/\lambda \ge t` for some action; the quotient of the two
        sides decreases, so :math:`t = H` decides.
        """
        found = [False] * len(self.estimated.states)
        with precision(self.bits + 64):
            for pair in self.estimated.pairs:
                product = pair.rate * self.estimated.horizon
                ball = BALLS.number(product)
                needed = ball / -BALLS.expm1(-ball) if product else BALLS.number(Fraction(1))
                found[pair.state] |= bool(BALLS.number(pair.reward) >= needed)
        return found

    def _bonus_data(self, pair: int) -> tuple[Fraction | None, int]:
        """What the bonus of a pair depends on: pairs with equal data have equal bonuses."""
        time, n_plus = self.statistics.time[pair], self.statistics.n_plus[pair]
        with precision(self.bits + 64):
            floored = bool(arb(to_fmpq(time)) < self.radii.floor)
        if self.settings.bonus == "none":
            return (None, 1)
        # The sharp bonus tells no jump from one, and depends on reward and rate, which are compared anyway.
        return (None if floored else time, n_plus if self.settings.bonus == "sharp" else max(1, n_plus))


class _MoreBitsError(Exception):
    """Something is undecided at this precision."""


def make_plan(
    statistics: Statistics, settings: Settings, *, bits: int = 64, max_bits: int = 512
) -> ExactPlan:
    """Estimates, bonus and modified value iteration for the next episode.

    As many bits more than asked for as a small ε_k needs to be seen at all.
    """
    work, small = bits, _smallness(settings, statistics.episodes + 1, statistics.model.horizon)
    while work <= max_bits:
        try:
            return _plan(statistics, settings, work + small)
        except (_MoreBitsError, TooCoarseError):
            work *= 2
    raise UndecidedError(
        f"episode {statistics.episodes + 1}: a distance cannot be told from its epsilon with "
        f"{max_bits + small} bits"
    )


def _smallness(settings: Settings, k: int, horizon: Fraction) -> int:
    """About -log2 of ε_k, beyond the 32 bits that every precision has room for."""
    with precision(64):
        least = accuracy(settings, k, horizon).lower
    if least <= 0:
        raise InputError(f"epsilon: it is beyond all precision in episode {k}; choose a larger one")
    return int(max(least.denominator.bit_length() - least.numerator.bit_length() - 32, 0))


def _plan(statistics: Statistics, settings: Settings, bits: int) -> ExactPlan:
    model, k = statistics.model, statistics.episodes + 1
    with precision(bits + 64):
        radii = constants(model, settings, BALLS)
        bonus = tuple(_bonus(statistics, settings, radii, k) for k in range(len(statistics.n_plus)))
        epsilon = accuracy(settings, k, model.horizon)
    lower = [_rounded_down(b.lower, bits + 32) for b in bonus]
    excess = max(b.upper - low for b, low in zip(bonus, lower, strict=True))
    estimated = estimated_model(statistics, settings, lower)
    iterates = ValueIteration(estimated, truncate=True, bits=bits)
    for n in range(1, _MOST_ITERATIONS):
        distance = _decided(iterates, n, epsilon, excess)
        if distance.upper < epsilon.lower:
            return ExactPlan(
                statistics, settings, bits, radii, bonus, excess, epsilon, estimated, iterates[n], distance
            )
    raise UndecidedError(f"episode {k}: no end within {_MOST_ITERATIONS} iterations")


def _bonus(statistics: Statistics, settings: Settings, radii: Constants[arb], pair: int) -> Enclosure:
    number = BALLS.number
    found = bonus_of(
        settings,
        radii,
        rate=number(statistics.rate(pair, settings)),
        reward=number(statistics.model.transitions[pair].reward),
        time=number(statistics.time[pair]),
        n_plus=number(Fraction(statistics.n_plus[pair])),
        numbers=BALLS,
    )
    return enclosure(found)


def accuracy(settings: Settings, k: int, horizon: Fraction) -> Enclosure:
    """ε_k, as a point where it is rational; divided by λmax H for the sharp learner."""
    rational, divisor = settings.epsilon.rational(k), settings.tightening(horizon)
    if rational is not None:
        return Enclosure(rational / divisor, rational / divisor)
    found = settings.epsilon.at(k, settings.lambda_max * horizon, BALLS)
    return enclosure(found if divisor == 1 else found / BALLS.number(divisor))


def _rounded_down(number: Fraction, bits: int) -> Fraction:
    # Not below 0, and 0 exactly for the greedy learner; the ball of a true bonus is far above 0.
    return max(Fraction((number.numerator << bits) // number.denominator, 1 << bits), Fraction(0))


def _decided(iterates: ValueIteration, n: int, epsilon: Enclosure, excess: Fraction) -> Enclosure:
    """An enclosure of the norm in question on one side of ε_k."""
    blur = excess * iterates.model.horizon
    exactly = epsilon.width == 0 and (n == 1 or excess == 0)
    for tolerance in (epsilon.lower / 8, epsilon.lower / 2**iterates.bits):
        found = iterates[n].distance(iterates[n - 1], tolerance)
        found = Enclosure(max(found.lower - blur, Fraction(0)), found.upper + blur)
        if found.upper < epsilon.lower or found.lower >= epsilon.upper:
            return found
        if exactly and iterates[n].reaches(iterates[n - 1], epsilon.lower):
            return Enclosure(epsilon.lower, found.upper)
    raise _MoreBitsError


class ExactLearner:
    """A certified learner: replays episodes (:meth:`observe`) or drives them (:meth:`run`)."""

    def __init__(self, model: CTMDP, settings: Settings, *, bits: int = 64, max_bits: int = 512) -> None:
        settings.check(model)
        settings.require_end()
        self.model, self.settings = model, settings
        self.statistics = Statistics.empty(model)
        self.undecided: dict[int, list[Doubt]] = {}  # by episode; the first of the actions was taken
        self._bits, self._max_bits = bits, max_bits
        self._known = self.statistics  # what the plan in force is made from
        self._plan: CertifiedPlan | None = None

    @property
    def episode(self) -> int:
        """The number of the episode that is due."""
        return self.statistics.episodes + 1

    def plan(self) -> CertifiedPlan:
        """The plan of the episode that is due."""
        if self.episode > self.settings.episodes:
            raise InputError(
                f"episode {self.episode} is beyond the {self.settings.episodes} that the radii are for; set "
                "more episodes"
            )
        if self._plan is None:
            self._plan = self._made(self._bits)
        return self._plan

    def _made(self, bits: int) -> CertifiedPlan:
        if self.settings.bonus == "optimistic":
            return optimistic_plan(self._known, self.settings, bits=bits)
        return make_plan(self._known, self.settings, bits=bits, max_bits=self._max_bits)

    def best(self, state: str, remaining: Fraction) -> tuple[tuple[str, ...], bool]:
        """The actions that may be best in the episode that is due, in order; whether they are proved so."""
        pairs, proved = self.plan().best(state, remaining)
        bits = 2 * self._bits
        while not proved and bits <= self._max_bits:
            if self.plan().bits < bits:
                self._plan = self._made(bits)
                pairs, proved = self.plan().best(state, remaining)
            bits *= 2
        return tuple(self.model.transitions[k].action for k in pairs), proved

    def choose(self, state: str, remaining: Fraction) -> str:
        """The action of the policy of the episode that is due."""
        names, proved = self.best(state, remaining)
        if not proved:
            why, point = f"with {self._max_bits} bits", Enclosure(remaining, remaining)
            doubt = Doubt(About.ACTIONS, why, state, names, point)
            self.undecided.setdefault(self.episode, []).append(doubt)
        return names[0]

    def observe(self, episode: Episode) -> None:
        """Take an episode into account, whoever chose its actions."""
        self.statistics = self.statistics.after(episode)
        if due(self._known, self.statistics, self.settings, max_bits=self._max_bits):
            self._known, self._plan = self.statistics, None

    def run(self, world: Environment, episodes: int | None = None) -> Iterator[tuple[CertifiedPlan, Episode]]:
        """Drive ``world``: the plan and the episode of one episode after the other."""
        count = self.settings.episodes - self.statistics.episodes if episodes is None else episodes
        return self.replay(world.episode(self.choose) for _ in range(count))

    def replay(self, episodes: Iterable[Episode]) -> Iterator[tuple[CertifiedPlan, Episode]]:
        """Follow a recorded history: the plan at the start of each episode, and the episode."""
        for episode in episodes:
            plan = self.plan()
            self.observe(episode)
            yield plan, episode
