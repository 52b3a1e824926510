"""Both learners, driven: on draws of their own, on a recorded history, or behind the compiled learner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from ctucbvi.errors import InputError
from ctucbvi.exact import solve
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.exact.verdicts import confident, optimistic
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.lockstep.grid import GridLeader, away, compare_with_grid, miscounted, planned_apart
from ctucbvi.learning.lockstep.located import LocatedRound
from ctucbvi.learning.lockstep.records import Differences, LockstepEpisode

if TYPE_CHECKING:
    from ctucbvi.learning import Environment, Episode, Settings
    from ctucbvi.learning.exact.plan import CertifiedPlan
    from ctucbvi.model import CTMDP


class _Round(Protocol):
    """The comparison of one episode."""

    @property
    def plan(self) -> CertifiedPlan:
        """The exact side's plan."""

    @property
    def differences(self) -> Differences:
        """What was found so far."""

    @property
    def error(self) -> Fraction:
        """The proved error of the fast side's values."""

    def choose(self, state: str, remaining: Fraction) -> str:
        """The exact side's choice, compared with the fast side's."""


class _ExactRound:
    """An episode that only the exact side plans; the compiled learner is compared when it is over."""

    def __init__(self, exact: ExactLearner) -> None:
        self._exact, self.plan = exact, exact.plan()
        self.differences, self.error = Differences(exact.episode), Fraction(0)

    def choose(self, state: str, remaining: Fraction) -> str:
        """The exact side's choice."""
        return self._exact.choose(state, remaining)


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
        self.exact = ExactLearner(model, settings)
        self.fast = None if settings.bonus == "optimistic" else fast(model, settings)
        self.optimum = solve(model, digits=12)

    def run(self, world: Environment, episodes: int) -> Iterator[LockstepEpisode]:
        """Drive ``world`` with the exact side's choices."""
        self._check_located()
        for _ in range(episodes):
            round_ = self._round()
            episode = world.episode(round_.choose)
            yield self._finish(round_, episode, departures=0)

    def replay(self, episodes: Iterable[Episode]) -> Iterator[LockstepEpisode]:
        """Follow recorded episodes; the choices are compared where the record enters a state."""
        self._check_located()
        for episode in episodes:
            yield self._replayed(episode, departures=True)

    def follow(self, leader: GridLeader, episodes: int) -> Iterator[LockstepEpisode]:
        """Let the compiled learner play (it must record) and compare what it did and what it has counted."""
        cell = self.model.horizon / leader.steps
        for _ in range(episodes):
            played = leader.advance(1)
            (episode,) = played.history
            step = self._replayed(episode)
            counts = (*planned_apart(step, played.planned), *miscounted(step, leader, self.exact.statistics))
            compared = compare_with_grid(step, leader)
            if compared is None:
                found = (*step.differences, *away(step, self.model.horizon, cell), *counts)
                yield replace(step, differences=found)
            else:
                found = (*compared.differences.found, *counts)
                yield replace(step, error=float(compared.error), differences=found)

    def _check_located(self) -> None:
        if self.fast is None:
            raise InputError(
                "bonus: the optimistic learner is compared on a grid; add --compiled CELLS, or, for a "
                "history, write --check in the place of --replay"
            )

    def _round(self) -> _Round:
        return _ExactRound(self.exact) if self.fast is None else LocatedRound(self.exact, self.fast)

    def _replayed(self, episode: Episode, *, departures: bool = False) -> LockstepEpisode:
        """Compare where the record enters a state; with ``departures``, what it did there is, too."""
        round_, remaining, departed = self._round(), self.model.horizon, 0
        for visit in episode.visits:
            departed += round_.choose(visit.state, remaining) != visit.action
            if departures:
                round_.differences.depart(self.exact, (visit.state, remaining, visit.action))
            remaining -= visit.holding
        return self._finish(round_, episode, departed)

    def _finish(self, round_: _Round, episode: Episode, departures: int) -> LockstepEpisode:
        plan = round_.plan
        step = LockstepEpisode(
            self.exact.episode,
            plan,
            episode,
            float(round_.error),
            confident(plan),
            optimistic(plan, self.optimum),
            departures,
            tuple(round_.differences.found),
        )
        self.exact.observe(episode)
        if self.fast is not None:
            self.fast.observe(episode)
        return step
