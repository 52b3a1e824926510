"""Learning where no model is known: from anything that can be reset and stepped.

An environment has ``reset()``, which answers the first state, and ``step(action)``, which holds the action
until the next jump and answers ``(holding time, next state)``; None for the next state, or a holding time
beyond what is left (infinite, where no jump comes), is the end.  One of Gymnasium will do: its observation is
the state, or has it under ``"state"``, its ``info`` has the ``"holding_time"`` and may say ``"jumped":
False`` at the end.  States are names, or places in the list of states; actions are told by name, or by place
if there is an ``action_space``.

**The end** of an episode is the horizon and nothing else.  Who says before it that an episode is over
(``terminated`` or ``truncated``, no jump, no next state) is refused: for how long the last state would have
been held cannot be known.  A state where all is over is a state of the model like any other, with rewards 0
and infinite holding times.  A holding time that ends within :math:`2^{-20}H` of the horizon counts as one
until it, as doubles that are added up do not meet it.

What is known beforehand, :func:`known_parts`, is a model without rates: learners get names, rewards and the
horizon from it.  It never leaves a state, and nothing but a learner should be asked about it.

The regret needs the optimum of the true model: where that is known, :meth:`Learned.regret` is
:math:`kV^*(x_0,H)` minus what was earned in :math:`k` episodes: right in the mean, with the draws' noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.learning.protocol import EpisodeWorld, OnlineLearner, chooser
from ctucbvi.learning.reports import brief, real
from ctucbvi.learning.statistics import Episode, Visit
from ctucbvi.model import CTMDP, Transition
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from ctucbvi.learning.environment import Chooser
    from ctucbvi.model import Number

_MOST_STAYS = 10**6  # in an episode
_MISSED = Fraction(1, 2**20)  # of the horizon, by doubles that are added up


def known_parts(name: str, rewards: Mapping[tuple[str, str], Number], horizon: Number) -> CTMDP:
    """States, actions, rewards per unit of time and the horizon, as a model whose rates are not known (0)."""
    rows = [Transition.of(x, a, rate=0, reward=reward) for (x, a), reward in rewards.items()]
    return CTMDP.of(name, horizon=horizon, transitions=rows)


class OutsideWorld:
    """Episodes of an environment that is not ours; ``model`` has its names and the horizon."""

    def __init__(self, environment: Any, model: CTMDP) -> None:
        self.environment, self.model = environment, model
        self._places = hasattr(environment, "action_space")

    def episode(self, choose: Chooser, watch: Callable[[Visit], None] | None = None) -> Episode:
        """One episode under ``choose``, asked on entering a state; ``watch`` is told of each stay."""
        answer = self.environment.reset()
        state = self._state(answer[0] if isinstance(answer, tuple) else answer)
        remaining, visits = self.model.horizon, list[Visit]()
        while True:
            action = choose(state, remaining)
            holding, target, over = self._step(action)
            if over:
                self._check_end(over, holding, remaining)
            ended = over != "" or holding > remaining
            if len(visits) == _MOST_STAYS:
                raise InputError(
                    f"environment: {_MOST_STAYS} stays before the horizon of {shown(self.model.horizon)}; "
                    "answer holding times in its unit of time"
                )
            visits.append(Visit(state, action, remaining if ended else holding, None if ended else target))
            if watch is not None:
                watch(visits[-1])
            if target is None or ended:
                break
            remaining, state = remaining - holding, target
        found = Episode(tuple(visits))
        found.check(self.model)
        return found

    def _step(self, action: str) -> tuple[Fraction, str | None, str]:
        """Holding time, next state, and how it says that there is no more; "" if it does not."""
        answer = self.environment.step(self.model.actions.index(action) if self._places else action)
        if not isinstance(answer, tuple | list) or len(answer) not in (2, 5):
            raise InputError(
                f"step: {brief(answer)}; answer (holding time, next state), or as Gymnasium does"
            )
        if len(answer) == 5:
            holding, target, over = self._of_gymnasium(answer)
        else:
            holding, target = answer
            over = "has no next state" if target is None else ""
            holding = self.model.horizon if over and holding is None else holding
        if isinstance(holding, float) and holding == inf:
            return self.model.horizon, None, over or "goes on"
        time = real(holding, "step: holding time")
        if time < 0:
            raise InputError(f"step: a holding time of {float(time):.6g}; answer 0 or more")
        return time, None if target is None else self._state(target), over

    def _of_gymnasium(self, answer: Sequence[Any]) -> tuple[Any, Any, str]:
        observed, _, terminated, truncated, info = answer
        if not isinstance(info, Mapping):
            raise InputError(f"step: info is {brief(info)}; answer a dictionary with the holding_time")
        said = {"terminated": terminated, "truncated": truncated, "jumped": info.get("jumped", True)}
        for what, answered in said.items():
            if not isinstance(answered, bool | np.bool_):
                raise InputError(f"step: {what} is {brief(answered)}; answer true or false")
        over = "terminated" if terminated else "was truncated" if truncated else ""
        return info.get("holding_time"), observed, over if said["jumped"] or over else "did not jump"

    def _check_end(self, over: str, holding: Fraction, remaining: Fraction) -> None:
        """Refuse an end that is not the horizon."""
        if holding < remaining - self.model.horizon * _MISSED:
            raise InputError(
                f"step: it {over} after {float(holding):.6g}, with {float(remaining - holding):.6g} of the "
                "horizon left; go on there in a state of rewards 0, with an infinite holding time"
            )

    def _state(self, answer: Any) -> str:
        found = answer.get("state", answer) if isinstance(answer, Mapping) else answer
        if isinstance(found, str) and found in self.model.states:
            return str(found)
        if not isinstance(found, str | bool) and hasattr(found, "__index__"):
            place = int(found.__index__())
            if 0 <= place < len(self.model.states):
                return self.model.states[place]
        wanted = ", ".join(self.model.states)
        raise InputError(f"environment: {brief(answer)} is no state; answer one of {wanted}")


@dataclass(frozen=True)
class Learned:
    """What came of learning."""

    episodes: tuple[Episode, ...]
    earned: tuple[Fraction, ...]  # in each episode

    def regret(self, optimum: Enclosure) -> Enclosure:
        """The regret, if the optimal value is ``optimum``; see the module's text."""
        count, total = len(self.earned), sum(self.earned, Fraction(0))
        return Enclosure(count * optimum.lower - total, count * optimum.upper - total)


def learn(learner: OnlineLearner, world: EpisodeWorld, model: CTMDP, episodes: int) -> Learned:
    """Let ``learner`` play in ``world``; ``model`` has the names and rewards, and may have more."""
    rewards = {(row.state, row.action): row.reward for row in model.transitions}
    played, earned = list[Episode](), list[Fraction]()
    for number in range(1, episodes + 1):
        choose = chooser(model, learner, learner.begin(number))
        played.append(world.episode(choose, learner.observe))
        earned.append(sum((rewards[v.state, v.action] * v.holding for v in played[-1].visits), Fraction(0)))
    return Learned(tuple(played), tuple(earned))
