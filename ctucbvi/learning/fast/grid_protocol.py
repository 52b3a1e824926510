r"""The learners of the studies by the protocol: CT-UCBVI, sharp, greedy or optimistic, as the settings say.

:class:`CTUCBVI` is made with a task and knows nothing else: not the rates, nor which jumps are possible, so
that it counts jumps to every state.  Its plans are made by the compiled loops' own functions from the same
whole numbers (ticks, cut-off visits, jumps), and what was never seen adds exact zeros.  On the draws of a
study (:mod:`ctucbvi.learning.fast.guest`) it therefore plays, episode by episode, what
:class:`~ctucbvi.learning.fast.learner.FastLearner` or
:class:`~ctucbvi.learning.fast.optimistic.OptimisticLearner` plays, if the model lists targets in the order of
its states, in which they are added up here.  In other worlds a holding time counts in whole ticks, rounded
down.

A class in a file (``regret --learner``) may be derived from it: what is kept between blocks is the task, the
counts and whatever else the class has as attributes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.lazy_loops import plan_sets_again
from ctucbvi.learning.fast.optimistic import compiled_learner
from ctucbvi.model import CTMDP, Transition

if TYPE_CHECKING:
    from ctucbvi.learning.environment import Chooser
    from ctucbvi.learning.protocol import LearningTask
    from ctucbvi.learning.statistics import Visit

_MADE = "_planner"  # from the task, and so not kept


class CTUCBVI:
    """A learner of the protocol that plans before every episode, on a grid of ``task.steps`` cells."""

    def __init__(self, task: LearningTask) -> None:
        self.task = task
        self._planner = _planner(task)
        self.counts, self.jumps = self._planner._memory.counts, self._planner._memory.jumps

    def begin(self, episode: int) -> Chooser:
        """Plan; a remaining time has the action of the nearest point of the grid."""
        planner = self._planner
        memory, scene = planner._memory, planner.scene
        if self.task.settings.bonus == "optimistic":
            table = planner.policy
            plan_sets_again(scene, planner.constants, memory, planner.sets, planner.room, table)
        else:
            table = planner.desk.policy
            planner.plan(episode)
        policy, model, tick = table.copy(), planner.model, planner._tick

        def choose(state: str, remaining: Fraction) -> str:
            i = at.cell_of(scene.reach, int((model.horizon - remaining) / tick))
            return str(model.transitions[int(policy[model.state_index(state), i])].action)

        return choose

    def observe(self, visit: Visit) -> None:
        """Count a stay."""
        model = self._planner.model
        first, names = (
            int(self._planner.scene.first[model.state_index(visit.state)]),
            model.actions_of(visit.state),
        )
        k = first + names.index(visit.action)
        self.counts[at.TICKS, k] += int(visit.holding / self._planner._tick)
        if visit.to is None:
            self.counts[at.CUT, k] += 1
        else:
            self.counts[at.N_PLUS, k] += 1
            self.jumps[len(model.states) * k + model.state_index(visit.to)] += 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != _MADE}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._planner = _planner(self.task)
        memory = self._planner._memory
        memory.counts[:], memory.jumps[:] = self.counts, self.jumps
        self.counts, self.jumps = memory.counts, memory.jumps


def _planner(task: LearningTask) -> Any:
    """The compiled learner of a model that has what is known, and jumps from everywhere to everywhere."""
    anywhere = dict.fromkeys(task.states, Fraction(1, len(task.states)))
    rate = task.settings.lambda_max
    rows = [
        Transition.of(x, a, rate=rate, reward=task.rewards[x, a], to=anywhere)
        for x in task.states
        for a in task.actions[x]
    ]
    known = CTMDP.of(
        "known", horizon=task.horizon, transitions=rows, states=task.states, actions=task.all_actions
    )
    return compiled_learner(known, task.settings, seed=0, steps=task.steps, skip=False)
