r"""The optimistic learner's plan, certified: the value of the best model in the confidence sets.

The sets of :mod:`ctucbvi.learning.sets` are balls here.  The equation

.. math:: \hat Q'(x,a,t) = r(x,a) + \max_{(\tilde\lambda,\tilde p)}
              \tilde\lambda\,(\tilde p\cdot\hat V(\cdot,t) - \hat Q(x,a,t)), \qquad
          \hat V = \max_a \hat Q, \qquad \hat Q(\cdot,0) = 0

is solved by polynomials with a proved residual, which is that of every equation whose sets are in the balls
(:mod:`ctucbvi.learning.exact.marching`).  On the event that the true model is in the sets it is among the
candidates, and the equation is monotone: :math:`V^* \le \hat V`.  Nothing is truncated, as :math:`0 \le \hat
V \le t` by itself, and nothing iterated.

Which pairs are tied by their data is said in :mod:`ctucbvi.learning.exact.alike`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import arb, fmpq

from ctucbvi.enclosure import Enclosure
from ctucbvi.exact.iteration import Breakpoint
from ctucbvi.exact.precision import BALLS, enclosure, precision, to_fmpq, to_fraction
from ctucbvi.learning import PairSet, Sets, confidence_sets
from ctucbvi.learning.exact.alike import Key, Likeness
from ctucbvi.learning.exact.equation import Equation, PairCandidates
from ctucbvi.learning.exact.jump_sets import AllVectors, JumpSet, WithinDistance, WithinDivergence
from ctucbvi.learning.exact.marching import Trajectory, march
from ctucbvi.learning.exact.plan import CertifiedPlan
from ctucbvi.learning.exact.ranking import Stretch, always_best, ranking
from ctucbvi.numbers import exact
from ctucbvi.solutions import Segment

if TYPE_CHECKING:
    from ctucbvi.learning import Settings, Statistics
    from ctucbvi.model import CTMDP, Number


@dataclass(frozen=True)
class OptimisticPlan(CertifiedPlan):
    """The sets at the start of an episode, and the value of the best model in them."""

    known: Sets[arb]  # what the data do not change
    sets: tuple[PairSet[arb], ...]  # one per pair
    equation: Equation  # in units of the horizon
    trajectory: Trajectory

    @property
    def iterations(self) -> None:
        """Nothing is iterated."""
        return None

    @property
    def model(self) -> CTMDP:
        """The true model, of which the plan knows the names and the rewards."""
        return self.statistics.model

    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """An enclosure of V̂(state, t); ``t`` is the remaining time (default: the horizon)."""
        time = self.model.horizon if t is None else exact(t, "remaining time")
        x = self.model.state_index(state)
        found = arb(0)
        with precision(self.bits + 64):
            for k, pair in enumerate(self.model.pairs):
                if pair.state == x:
                    found = found.max(self.commitment(k, time))
            ends = enclosure(found)
        return Enclosure(min(max(ends.lower, Fraction(0)), time), max(min(ends.upper, time), Fraction(0)))

    def commitment(self, pair: int, t: Fraction) -> arb:
        r"""A ball around :math:`\hat Q(x,a,t)` for a pair of the model."""
        with precision(self.bits + 64):
            at = to_fmpq(t / self.model.horizon)
            return self.trajectory.piece(at).commitment(pair, at) * to_fmpq(self.model.horizon)

    def segments(self, state: str) -> list[Segment]:
        """The policy of ``state`` in increasing remaining time; what is not proved says so."""
        found = []
        for s in self._stretches(state):
            first = min(s.pairs)
            pairs = sorted(s.pairs | {k for k in self._pairs(state) if self._alike(first, k)})
            actions = tuple(self.model.transitions[k].action for k in pairs)
            proved = all(self._alike(first, k) for k in pairs)
            found.append(Segment(self._moment(s.start), self._moment(s.end), actions, proved))
        return found

    @cached_property
    def switches(self) -> tuple[Breakpoint, ...]:
        """The switches of the policy in increasing remaining time."""
        found = [change for state in self.model.states for change in self._changes(state)]
        return tuple(sorted(found, key=lambda change: change.lower))

    def _changes(self, state: str) -> list[Breakpoint]:
        line = self._stretches(state)
        decided = [i for i, s in enumerate(line) if len(s.pairs) == 1]
        found = []
        for i, j in pairwise(decided):
            before, after = (min(line[k].pairs) for k in (i, j))
            if self._alike(before, after):
                continue
            open_ = line[i + 1 : j]
            one, other = (self.model.transitions[k].action for k in (before, after))
            low, high = self._moment(line[i].end).lower, self._moment(line[j].start).lower
            found.append(Breakpoint(state, low, high, one, other, all(s.crossing for s in open_)))
        return found

    def _stretches(self, state: str) -> list[Stretch]:
        return ranking(self.trajectory, self._pairs(state), self._alike)

    def _pairs(self, state: str) -> list[int]:
        return [k for k, row in enumerate(self.model.transitions) if row.state == state]

    def _moment(self, part: fmpq) -> Enclosure:
        time = to_fraction(part) * self.model.horizon
        return Enclosure(time, time)

    def _alike(self, one: int, other: int) -> bool:
        return self._keys[one] == self._keys[other]

    def _data(self, pair: int) -> Key:
        return self._keys[pair]

    @cached_property
    def _keys(self) -> list[Key]:
        states = [pair.state for pair in self.model.pairs]
        likeness = Likeness(
            self.statistics,
            self.settings,
            self.known,
            self.sets,
            lambda: always_best(self.trajectory, states),
        )
        return likeness.keys


def optimistic_plan(statistics: Statistics, settings: Settings, *, bits: int = 64) -> OptimisticPlan:
    """The sets and the optimistic value for the next episode, with errors of about ``2**-bits``."""
    model = statistics.model
    with precision(bits + 64):
        known = confidence_sets(model, settings, BALLS)
        found = tuple(
            known.pair(
                BALLS.number(statistics.rate(k, settings)),
                BALLS.number(statistics.time[k]),
                statistics.n_plus[k],
            )
            for k in range(len(model.transitions))
        )
        horizon = BALLS.number(model.horizon)
        pairs = [
            PairCandidates(
                pair.state,
                BALLS.number(pair.reward),
                here.low * horizon,
                here.high * horizon,
                jump_set(settings, statistics.probability(k), here.radius),
            )
            for k, (pair, here) in enumerate(zip(model.pairs, found, strict=True))
        ]
    equation = Equation(len(model.states), tuple(pairs))
    return OptimisticPlan(statistics, settings, bits, known, found, equation, march(equation, bits))


def jump_set(settings: Settings, centre: tuple[Fraction, ...], radius: arb | None) -> JumpSet:
    """The jumps of a pair."""
    if radius is None:
        return AllVectors()
    return WithinDivergence(centre, radius) if settings.jumps == "kl" else WithinDistance(centre, radius)
