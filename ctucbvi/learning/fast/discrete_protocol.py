r"""The baseline in discrete time (:mod:`ctucbvi.learning.fast.discrete`) by the protocol of learners.

It acts and looks at the times :math:`0, \Delta, 2\Delta, \dots` only, and so needs a world of its own, in
which a stay is a step: the action is held for :math:`\Delta`, through jumps, and the next state is the one at
the end.  Plans, draws and counts are those of the compiled learner.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ctucbvi.learning.fast.discrete import DiscreteLearner, hold, plan
from ctucbvi.learning.fast.episodes import pick
from ctucbvi.learning.statistics import Episode, Visit

if TYPE_CHECKING:
    from ctucbvi.learning import Settings
    from ctucbvi.learning.environment import Chooser
    from ctucbvi.model import CTMDP


class StepWorld:
    """Episodes of ``steps`` steps, drawn as run ``run`` of the compiled learner draws them."""

    def __init__(self, model: CTMDP, settings: Settings, *, steps: int, **given: Any) -> None:
        self._drawn = DiscreteLearner(model, settings, steps=steps, **given)
        self._pair = {(row.state, row.action): k for k, row in enumerate(model.transitions)}
        self.model, self.steps = model, steps

    def episode(self, choose: Chooser, watch: Callable[[Visit], None] | None = None) -> Episode:
        """One episode under ``choose``, asked at every step; ``watch`` is told of each."""
        process, tables, states = self._drawn._process, self._drawn.tables, self.model.states
        share, length = process.opening_share, self.model.horizon / self.steps
        x, visits = int(process.opening[pick(tables.random, share, 0, share.size)]), list[Visit]()
        for left in range(self.steps, 0, -1):
            action = choose(states[x], left * length)
            place = hold(self._pair[states[x], action], process, tables.random, tables.clock)
            y = x if place < 0 else int(process.target[place])
            visits.append(Visit(states[x], action, length, states[y]))
            if watch is not None:
                watch(visits[-1])
            x = y
        return Episode(tuple(visits))


class StepLearner:
    """The compiled learner's plans and counts, told of one step after the other."""

    def __init__(self, learner: DiscreteLearner) -> None:
        self.learner = learner
        self._pair = {(row.state, row.action): k for k, row in enumerate(learner.model.transitions)}

    def begin(self, episode: int) -> Chooser:  # noqa: ARG002 -- its plans depend on what it has seen alone
        """Plan; the policy is for whole numbers of steps to go."""
        learner = self.learner
        plan(learner._process, learner.tables)
        model, policy = learner.model, learner.tables.policy.copy()

        def choose(state: str, remaining: Fraction) -> str:
            i = round(remaining * learner.steps / model.horizon)
            return model.transitions[int(policy[model.state_index(state), i])].action

        return choose

    def observe(self, visit: Visit) -> None:
        """Count a step."""
        pair, tables = self._pair[visit.state, visit.action], self.learner.tables
        tables.visits[pair] += 1
        tables.moves[pair, self.learner.model.state_index(str(visit.to))] += 1
