r"""The optimistic learner in double precision: the whole loop compiled, on a grid.

:class:`OptimisticLearner` plays, in every episode, the policy of the best model in its confidence sets
(:mod:`ctucbvi.learning.fast.optimistic_march`), read off at the grid points as that of
:class:`~ctucbvi.learning.fast.learner.FastLearner` is. With ``skip`` planning is left out where its result
is proved beforehand (:mod:`ctucbvi.learning.fast.set_tangents`): the same policies and draws, bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.learning import DOUBLES, Settings, confidence_sets
from ctucbvi.learning.fast import episodes as kernels
from ctucbvi.learning.fast import estimate_box
from ctucbvi.learning.fast.lazy_loops import run_optimistic_lazily
from ctucbvi.learning.fast.learner import FastLearner, GridLearner
from ctucbvi.learning.fast.optimistic_loop import run_optimistic
from ctucbvi.learning.fast.optimistic_march import make_march_room, march
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants
from ctucbvi.learning.fast.set_box import GUARDS, SetTrust
from ctucbvi.learning.fast.set_certificate import error_of_table
from ctucbvi.learning.fast.set_tangents import SetMargins
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

_MOST_STEPS = 10**6  # of a plan: seconds
_LANES = 256  # numbers in the sets whose derivatives can be followed, at most


class OptimisticLearner(GridLearner):
    """A run of the optimistic learner in doubles; ``steps`` is the number of cells of the grid.

    After an episode ``sets`` are those that it was planned with (or could have been, if planning was left out
    with a proof), and ``room.table`` are the values of the last plan.
    """

    def __init__(
        self,
        model: CTMDP,
        settings: Settings,
        *,
        steps: int = 100,
        skip: bool = True,
        record: bool = False,
        **given: Any,
    ) -> None:
        settings.require_sets()
        super().__init__(model, settings, steps=steps, record=record, **given)
        self.skip = skip
        self.constants = set_constants(model, settings, steps)
        pairs, places, states = len(model.transitions), len(self.scene.target), len(model.states)
        self.sets = GridSets(
            low=np.zeros(pairs),
            high=np.zeros(pairs),
            reach=np.zeros(pairs),
            shift=np.zeros(pairs),
            chance=np.zeros(places),
            several=np.zeros(pairs, np.int64),
        )
        self.room = make_march_room(self.scene, self.constants)
        self.policy = np.tile(self.scene.first[:-1, None].astype(np.int32), (1, steps + 1))
        lanes = min(_LANES, 3 * pairs + places)
        self._trust = make_set_trust(pairs, places, lanes)
        self._margins = make_set_margins(pairs, states, lanes)

    def certified_error(self) -> float:
        """Plan with the present sets, and prove by how much the table is off at most."""
        march(self.scene, self.constants, self.sets, self.room)
        return float(error_of_table(self.scene, self.sets, self.room.table))

    def _play(self, log: kernels.Log, count: int) -> int:
        parts = self.scene, self.constants, self._memory, self.sets, self.room, self.policy
        if self._growth is not None:
            return int(run_optimistic_lazily(*parts, self._last, self._growth, log, count))
        return int(run_optimistic(*parts, self._trust, self._margins, log, count, self.skip))

    def _state(self) -> dict[str, Any]:
        named = self._named(memory=self._memory, sets=self.sets, trust=self._trust)
        return {**named, "policy": self.policy, "table": self.room.table}


def set_constants(model: CTMDP, settings: Settings, steps: int) -> SetConstants:
    """What the data do not change."""
    known = confidence_sets(model, settings, DOUBLES)
    load = settings.lambda_max * model.horizon
    parts = max(1, -(-load.numerator // (load.denominator * steps)))
    if parts * steps > _MOST_STEPS:
        raise InputError(
            f"lambda-max: {shown(settings.lambda_max)} takes {parts * steps} steps per plan; write a "
            "smaller bound on the rates"
        )
    return SetConstants(
        np.array(known.tilts, float).reshape(-1, 3),
        known.log_rates,
        known.log_jumps,
        known.divergence,
        parts,
        float(model.horizon / (steps * parts)),
    )


def make_set_trust(pairs: int, places: int, lanes: int) -> SetTrust:
    """Room for what is remembered of a plan; nothing is, yet."""
    return SetTrust(
        low=np.zeros(pairs),
        high=np.zeros(pairs),
        shift=np.zeros(pairs),
        chance=np.zeros(places),
        twin=np.zeros(pairs, np.int64),
        glued=np.zeros(pairs, np.int64),
        seen=np.zeros((3, pairs), np.int64),
        limits=np.zeros(estimate_box.LIMITS),
        used=np.zeros(estimate_box.USED, np.int64),
        lanes=np.zeros((lanes, estimate_box.LANE), np.int64),
        lane_of=np.zeros((3, pairs), np.int64),
        lane_of_chance=np.zeros(places, np.int64),
        width=np.zeros(lanes),
        delta=np.zeros(lanes),
        leads=np.zeros((GUARDS, 2)),
        slopes=np.zeros((GUARDS, lanes)),
    )


def make_set_margins(pairs: int, states: int, lanes: int) -> SetMargins:
    """Room for asking how far a plan can be trusted."""
    return SetMargins(
        q=np.zeros((3, pairs)),
        tangents=np.zeros((3, pairs, lanes)),
        rest=np.zeros((3, pairs)),
        linear=np.zeros(pairs),
        follows=np.zeros(states, np.int64),
        value=np.zeros(states),
        value_rest=np.zeros(states),
        value_bound=np.zeros(states),
        mean=np.zeros(lanes),
    )


def compiled_learner(model: CTMDP, settings: Settings, **given: Any) -> FastLearner | OptimisticLearner:
    """The compiled learner that the settings are for."""
    kind = OptimisticLearner if settings.bonus == "optimistic" else FastLearner
    return kind(model, settings, **given)
