r"""The exact and the fast learner side by side on the same draws, compared at every step.

The fast side is :class:`~ctucbvi.learning.fast.located.LocatedLearner`: doubles throughout, switches located.
Before each episode:

* **Estimates.**  The counts are equal, so :math:`\hat p` is.  :math:`T` and :math:`\hat\lambda` differ by
  what adding up doubles can cost, no more.
* **Bonus.**  Within its rounding errors of the exact side's enclosure.
* **Values.**  The polynomials of the fast side are *proved* to be close to the iterates of the exact side's
  model: their residual is bounded in that model, with its exact :math:`\hat p, \hat\lambda` and rewards,
  so that all of the fast side's roundings are inside the bound.  With the rounding :math:`\eta t` of the
  exact side's own bonus this is the *proved error* :math:`e`.  Each enclosure of a fast value must meet
  that of the exact one, and :math:`e` must be small.
* **Iterations.**  :math:`n_k` may differ only where :math:`\|V_n - V_{n-1}\|` as the fast side has it is
  within :math:`2e` of :math:`\epsilon_k`.

In each state that is entered both sides choose.  The choices may differ only where the exact values of
the two actions are within :math:`2e` of each other, that is, where the remaining time is within the proved
error of a switch.  The exact side's choice is then taken.

:meth:`Lockstep.follow` puts the compiled learner of the studies in the lead instead, which plans on a grid
of remaining times (:class:`~ctucbvi.learning.fast.learner.FastLearner`).  Its counts and times must be equal
to the exact ones, and its actions those of the exact policy except within a cell of a certified switch (half
a cell for the nearest grid point, or a whole one next to 0, where the action is that of the first cell's end,
and what the error of the grid moves the switch by).  The values on the grid have no proved error, so they
are not compared.

Every difference is listed, explained or not.  Beside them stand, per episode, whether the event
:math:`\mathcal G` and ``eq:optimism`` held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

from ctucbvi.exact import solve
from ctucbvi.exact.precision import enclosure, precision
from ctucbvi.learning.estimated import layer, layered
from ctucbvi.learning.exact.learner import ExactLearner, ExactPlan
from ctucbvi.learning.exact.verdicts import Verdict, confident, optimistic
from ctucbvi.learning.fast.located import LocatedLearner, LocatedPlan
from ctucbvi.numeric.certificate import Certificate, certify

if TYPE_CHECKING:
    from ctucbvi.learning import Environment, Episode, Settings
    from ctucbvi.learning.fast.learner import FastLearner
    from ctucbvi.learning.statistics import Statistics
    from ctucbvi.model import CTMDP

_UNIT = Fraction(1, 2**53)
_ROUNDINGS = 64  # more than the bonus needs, each at most a unit of its last place
_LARGEST_ERROR = Fraction(1, 10**6)  # of the horizon: a proof of less would explain too much
_TIMES = 2  # remaining times at which values are compared, per state


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that the two sides do not agree on."""

    episode: int
    kind: str  # "estimate", "bonus", "error", "iterations", "value" or "action"
    where: str
    fast: str
    exact: str
    gap: float  # how far apart, in the units of what is compared
    allowed: float  # how far apart they may be
    explained: bool


@dataclass(frozen=True, slots=True)
class LockstepEpisode:
    """One episode."""

    plan: ExactPlan  # of the exact side
    drawn: Episode
    error: float  # the proved error of the fast side
    confident: Verdict  # the event 𝒢
    optimistic: Verdict  # eq:optimism
    departures: int  # actions of a recorded episode that are not those of the exact policy
    differences: tuple[Difference, ...]

    @property
    def episode(self) -> int:
        """Its number."""
        return self.plan.episode

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """The differences that nothing excuses."""
        return tuple(d for d in self.differences if not d.explained)


class Lockstep:
    """Both learners; :meth:`run` drives them, :meth:`replay` follows a recorded history."""

    def __init__(
        self,
        model: CTMDP,
        settings: Settings,
        *,
        fast: Callable[[CTMDP, Settings], LocatedLearner] = LocatedLearner,
    ) -> None:
        self.model, self.settings = model, settings
        self.exact, self.fast = ExactLearner(model, settings), fast(model, settings)
        self.optimum = solve(model, digits=12)

    def run(self, world: Environment, episodes: int) -> Iterator[LockstepEpisode]:
        """Drive ``world`` with the exact side's choices."""
        for _ in range(episodes):
            round_ = _Round(self)
            episode = world.episode(round_.choose)
            yield self._finish(round_, episode, departures=0)

    def replay(self, episodes: Iterable[Episode]) -> Iterator[LockstepEpisode]:
        """Follow recorded episodes; the choices are compared where the record enters a state."""
        for episode in episodes:
            round_, remaining, departures = _Round(self), self.model.horizon, 0
            for visit in episode.visits:
                departures += round_.choose(visit.state, remaining) != visit.action
                remaining -= visit.holding
            yield self._finish(round_, episode, departures)

    def follow(self, leader: FastLearner, episodes: int) -> Iterator[LockstepEpisode]:
        """Let the compiled learner play (it must record) and compare what it did and what it has counted."""
        cell = self.model.horizon / leader.steps
        for _ in range(episodes):
            (step,) = self.replay(leader.advance(1).history)
            found = [
                *_away(step, self.model.horizon, cell),
                *_miscounted(step, leader, self.exact.statistics),
            ]
            yield replace(step, differences=(*step.differences, *found))

    def _finish(self, round_: _Round, episode: Episode, departures: int) -> LockstepEpisode:
        plan = round_.plan
        step = LockstepEpisode(
            plan,
            episode,
            float(round_.error),
            confident(plan),
            optimistic(plan, self.optimum),
            departures,
            tuple(round_.differences),
        )
        self.exact.observe(episode)
        self.fast.observe(episode)
        return step


class _Round:
    """The comparison of one episode."""

    def __init__(self, pair: Lockstep) -> None:
        self.exact, self.fast = pair.exact, pair.fast
        self.plan, self.quick = pair.exact.plan(), pair.fast.plan()
        self.differences: list[Difference] = []
        self._estimates()
        self._bonuses()
        horizon = pair.model.horizon
        # Two different models need no proof that their values are close.
        self.certificate = None if self.differences else proof(self.plan, self.quick)
        bound = inf if self.certificate is None else self.certificate.bound
        self.error = _proved(bound) + self.plan.excess * horizon
        self._iterations()
        if self.certificate is not None:
            self._values(self.certificate)
        if self.error > _LARGEST_ERROR * horizon:
            self._note("error", "all values", "", "", self.error, _LARGEST_ERROR * horizon)

    def choose(self, state: str, remaining: Fraction) -> str:
        """The exact side's choice, compared with the fast side's."""
        chosen, other = self.exact.choose(state, remaining), self.fast.choose(state, remaining)
        if chosen != other:
            gap = self._lead(state, chosen, other, remaining)
            stopped_alike = self.plan.iterations == self.quick.iterations
            allowed = 2 * self.error + self._rounding() if stopped_alike else _proved(inf)
            where = f"{state}@{float(remaining):.17g}"
            self._note("action", where, other, chosen, gap, allowed, explained=gap <= allowed)
        return chosen

    def _lead(self, state: str, chosen: str, other: str, t: Fraction) -> Fraction:
        """By how much the exact values of two actions differ, at most."""
        plan = self.exact.plan()
        row = {(r.state, r.action): k for k, r in enumerate(plan.statistics.model.transitions)}
        with precision(plan.bits + 64):
            one, two = (plan.commitment(row[state, a], t) for a in (chosen, other))
            found = enclosure(one - two)
        return max(abs(found.lower), abs(found.upper))

    def _rounding(self) -> Fraction:
        """What the rounding of a remaining time to a double can change in a value."""
        model = self.plan.estimated
        steepest = max(abs(row.reward) for row in model.transitions) + 2 * model.max_rate * model.horizon
        return 16 * _UNIT * model.horizon * steepest

    def _estimates(self) -> None:
        seen, fast = self.plan.statistics, self.fast
        for k, row in enumerate(seen.model.transitions):
            where = f"{row.state}/{row.action}"
            counts = (fast.n_plus[k], tuple(fast.jumps[k])), (seen.n_plus[k], seen.jumps[k])
            if counts[0] != counts[1]:
                self._note("estimate", f"{where} N", str(counts[0]), str(counts[1]))
            relative = fast.time_error(k)
            self._compare("estimate", f"{where} T", fast.time[k], seen.time[k], seen.time[k] * relative)
            rate = seen.rate(k, fast.settings)
            allowed = rate * (2 * relative + 4 * _UNIT)
            self._compare("estimate", f"{where} rate", self.quick.rates[k], rate, allowed)

    def _bonuses(self) -> None:
        log = Fraction(max(self.fast.radii.jump_constant, 1e-300))  # a logarithm near 0 is rounded coarsely
        for k, row in enumerate(self.plan.statistics.model.transitions):
            true = self.plan.bonus[k]
            rounding = _ROUNDINGS * _UNIT * (1 + 1 / log)
            allowed = true.upper * (self.fast.time_error(k) + rounding) + true.radius
            if self.plan.settings.bonus == "sharp":
                allowed = self._sharp_error(3 * self.fast.time_error(k) + rounding) + true.radius
            self._compare("bonus", f"{row.state}/{row.action}", self.quick.bonus[k], true.mid, allowed)

    def _sharp_error(self, relative: Fraction) -> Fraction:
        r"""The error of the sharp bonus if those of the rate and of both radii are at most ``relative``.

        The arguments :math:`z \le v = \lambda_{\max}H` of :math:`\varphi` are off by :math:`2ve`, and
        :math:`\ln\varphi(z)` by half of that, as :math:`|\varphi'| \le \varphi/2`; quotients are at most
        :math:`1/\varphi(v) \le 1 + v`.  So the part of the rate is off by at most :math:`2v(1+v)e`, that of
        the jumps by :math:`(1+v)e + v(1+v)e`, and the larger of two sums by no more than one of them: less
        than :math:`4(1+v)^2e`.
        """
        load = self.plan.settings.lambda_max * self.plan.statistics.model.horizon
        return 4 * (1 + load) ** 2 * relative

    def _iterations(self) -> None:
        mine, other = self.plan.iterations, self.quick.iterations
        if mine == other:
            return
        low, high = self.quick.distances[min(mine, other) - 1]
        blur = 2 * self.error
        near, far = Fraction(low) - blur, Fraction(high) + blur
        touching = near <= self.plan.epsilon.upper and self.plan.epsilon.lower <= far
        gap = abs(Fraction((low + high) / 2) - self.plan.epsilon.mid)
        self._note(
            "iterations", f"n = {min(mine, other)}", str(other), str(mine), gap, blur, explained=touching
        )

    def _values(self, certificate: Certificate) -> None:
        plan, levels = self.plan, self.quick.levels
        if plan.iterations > levels:
            return  # the fast side stopped long before, which is listed already
        places = range(*layer(plan.estimated, levels, plan.iterations).indices(10**9))
        for place, state in zip(places, plan.estimated.states, strict=True):
            name = certificate.solution.model.states[place]
            for i in range(1, _TIMES + 1):
                t = plan.estimated.horizon * i / _TIMES
                fast, true = certificate.value(name, t), plan.value(state, t)
                if not fast.overlaps(true):
                    gap = abs(fast.mid - true.mid)
                    where = f"{state}@{float(t):.6g}"
                    self._note("value", where, repr(float(fast.mid)), repr(float(true.mid)), gap, fast.radius)

    def _compare(self, kind: str, where: str, fast: float, true: Fraction, allowed: Fraction) -> None:
        gap = abs(Fraction(fast) - true)
        if gap > allowed:
            self._note(kind, where, repr(fast), repr(float(true)), gap, allowed)

    def _note(
        self,
        kind: str,
        where: str,
        fast: str,
        true: str,
        gap: Fraction | float = inf,
        allowed: Fraction | float = 0.0,
        *,
        explained: bool = False,
    ) -> None:
        self.differences.append(
            Difference(self.plan.episode, kind, where, fast, true, float(gap), float(allowed), explained)
        )


def _away(step: LockstepEpisode, horizon: Fraction, cell: Fraction) -> Iterator[Difference]:
    """The recorded actions that are not those of the exact policy, and how far from a switch they are."""
    remaining = horizon
    for visit in step.drawn.visits:
        chosen = step.plan.action(visit.state, remaining)
        if chosen != visit.action:
            places = [s.lower for s in step.plan.switches if s.state == visit.state]
            gap = min((float(abs(remaining - t)) for t in places), default=inf)
            where = f"{visit.state}@{float(remaining):.17g}"
            yield Difference(
                step.episode, "action", where, visit.action, str(chosen), gap, float(cell), gap < cell
            )
        remaining -= visit.holding


def _miscounted(step: LockstepEpisode, leader: FastLearner, exact: Statistics) -> Iterator[Difference]:
    """T and N⁺ after the episode, pair by pair, where they are not equal."""
    for k, row in enumerate(exact.model.transitions):
        pairs = (("T", leader.time[k], exact.time[k]), ("N", int(leader.n_plus[k]), exact.n_plus[k]))
        for name, mine, true in pairs:
            if mine != true:
                where = f"{row.state}/{row.action} {name}"
                yield Difference(step.episode, "estimate", where, str(mine), str(true), inf, 0.0, False)


def proof(plan: ExactPlan, quick: LocatedPlan) -> Certificate:
    """A proof of how close the fast side's polynomials are to the iterates of the exact side's model."""
    return certify(replace(quick.solution, model=layered(plan.estimated, quick.levels)))


def _proved(bound: float) -> Fraction:
    return Fraction(10**9) if bound == inf else Fraction(bound)
