"""What a learner is: what it is told, and what it answers.

========================== =================================================================================
``begin(episode)``         an episode begins, number 1, 2, ...; the answer is the policy that is played in it,
                           a function of a state and a remaining time, or None: then ``act`` is asked
``act(state, remaining)``  a state is entered: the answer is the action that is held until it is left
``observe(visit)``         a stay is over (:class:`~ctucbvi.learning.statistics.Visit`): state, action,
                           holding time and next state; None for that: the horizon cut it off
``report()``               optional, after ``begin``: what it has computed (:mod:`ctucbvi.learning.reports`)
========================== =================================================================================

Times are exact fractions, ``float(remaining)`` makes them doubles.  A learner is made with a
:class:`LearningTask`: all that ``alg: CTUCB`` is given, and neither rates nor jump probabilities.

:class:`WholeEpisodes` makes such a learner of one that is told of whole episodes, as the exact and the
located CT-UCBVI are: with a bonus, without one (greedy) or optimistic.  Those of the studies are
:mod:`ctucbvi.learning.fast.grid_protocol`, the baselines in discrete time
:mod:`ctucbvi.learning.fast.discrete_protocol`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from ctucbvi.errors import InputError
from ctucbvi.learning.environment import Chooser
from ctucbvi.learning.reports import brief
from ctucbvi.learning.statistics import Episode, Visit

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP


@dataclass(frozen=True)
class LearningTask:
    """What a learner is told before the first episode."""

    states: tuple[str, ...]
    actions: Mapping[str, tuple[str, ...]]  # what each state offers, in order
    rewards: Mapping[tuple[str, str], Fraction]  # per unit of time, of (state, action)
    horizon: Fraction
    settings: Settings  # K, δ, ε_k, λmax, ...
    all_actions: tuple[str, ...]  # A of them in the radii, whatever a state offers
    seed: int = 0  # for what the learner draws itself
    steps: int = 100  # cells of the grid at whose points a study asks for a policy

    @classmethod
    def of(cls, model: CTMDP, settings: Settings, seed: int = 0, steps: int = 100) -> LearningTask:
        """What may be known about ``model``."""
        actions = {x: model.actions_of(x) for x in model.states}
        rewards = {(row.state, row.action): row.reward for row in model.transitions}
        return cls(model.states, actions, rewards, model.horizon, settings, model.actions, seed, steps)


class OnlineLearner(Protocol):
    """See the module's text; ``act`` and ``report`` may be missing."""

    def begin(self, episode: int) -> Chooser | None:
        """The policy of an episode, or None."""

    def observe(self, visit: Visit) -> None:
        """Take a stay into account."""


class EpisodeWorld(Protocol):
    """Where episodes are played, one after the other."""

    def episode(self, choose: Chooser, watch: Callable[[Visit], None] | None = None) -> Episode:
        """One episode under ``choose``, asked on entering a state; ``watch`` is told of each stay."""


class LearnsFromEpisodes(Protocol):
    """A learner that is told of whole episodes."""

    model: CTMDP

    def choose(self, state: str, remaining: Fraction) -> str:
        """The action of the policy of the episode that is due."""

    def observe(self, episode: Episode) -> None:
        """Take an episode into account."""


class WholeEpisodes:
    """A learner of the protocol that passes whole episodes on to ``learner``."""

    def __init__(self, learner: LearnsFromEpisodes) -> None:
        self.learner, self._visits = learner, list[Visit]()

    def begin(self, episode: int) -> Chooser:  # noqa: ARG002 -- it counts for itself
        """The policy of the episode that is due."""
        self._pass_on()
        return self.learner.choose

    def observe(self, visit: Visit) -> None:
        """Keep a stay; an episode is passed on when it is cut off, or the next one begins."""
        self._visits.append(visit)
        if visit.to is None:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._visits:
            self.learner.observe(Episode(tuple(self._visits)))
            self._visits = []


class AnswerError(InputError):
    """An answer that is none; ``who`` gave it."""

    def __init__(self, message: str, who: Any) -> None:
        super().__init__(message)
        self.who = who


def offered(model: CTMDP, choose: Callable[[str, Fraction], Any]) -> Chooser:
    """``choose``, refusing answers that are not actions of the state."""

    def asked(state: str, remaining: Fraction) -> str:
        action, names = choose(state, remaining), model.actions_of(state)
        if not isinstance(action, str) or action not in names:
            wanted = ", ".join(map(repr, names))
            said = f"learner: {brief(action)} is no action of state {state!r}; it offers {wanted}"
            raise AnswerError(said, choose)
        return str(action)

    return asked


def chooser(model: CTMDP, learner: Any, policy: Any) -> Chooser:
    """What to ask in an episode for which ``begin`` has answered ``policy``."""
    who = learner.begin
    if policy is None:
        policy = getattr(learner, "act", None)
        if policy is None:
            raise AnswerError("learner: begin answered None and there is no act; return a policy", who)
    if not callable(policy):
        said = f"learner: begin answered {brief(policy)}; return a function of (state, remaining), or None"
        raise AnswerError(said, who)
    return offered(model, policy)
