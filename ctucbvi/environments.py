r"""A model as an environment of Gymnasium, for learners and simulations of one's own.

An observation is the state's index and the remaining time; ``step`` takes the index of an action, holds
it until the next jump or the end, and returns what was earned meanwhile: what choosing it earns,
:math:`r\,\min(\tau, t)`, the lump of the jump if there was one, the terminal reward at the end (the action's
own, if it has one).  Costs count with a minus sign, since
Gymnasium maximises.  ``info`` has what a learner of continuous time must see: ``holding_time``,
``jumped``, and ``action_mask``, as not all states offer all actions.

This is the committed problem; the expected sum of rewards of a policy is its value (its cost with a
minus sign).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Numbers

try:
    import gymnasium
except ImportError:  # an extra, for those who want environments
    raise InputError("gymnasium is not installed; pip install 'ctucbvi[gymnasium]'") from None


class Episodes(gymnasium.Env[dict[str, Any], Any]):
    """Episodes of ``model``, each of the length of its horizon."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 -- Gymnasium's own declaration

    def __init__(self, model: CTMDP) -> None:
        self.model = model
        self._rows = {(row.state, row.action): row for row in model.transitions}
        self._horizon = float(model.horizon)
        self.action_space = gymnasium.spaces.Discrete(len(model.actions))
        self.observation_space = gymnasium.spaces.Dict(
            {
                "state": gymnasium.spaces.Discrete(len(model.states)),
                "remaining": gymnasium.spaces.Box(0.0, self._horizon, (1,), np.float64),
            }
        )
        self._state, self._remaining = model.start[0][0], 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode where the model does, or in ``options={"state": name, "remaining": t}``."""
        super().reset(seed=seed)
        told = options or {}
        start = self.model.start
        begin = told["state"] if "state" in told else start[0][0] if len(start) == 1 else self._drawn(start)
        self._state = self.model.states[self.model.state_index(begin)]
        self._remaining = float(self.model.remaining(told.get("remaining")))
        return self._observation(), self._info(0.0, False)

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Hold ``action`` until the next jump or the end."""
        if not self._remaining > 0:
            raise InputError("step: the episode is over; call reset")
        name = self.model.actions[int(action)] if 0 <= int(action) < len(self.model.actions) else None
        row = self._rows.get((self._state, str(name)))
        if row is None:
            offered = ", ".join(self.model.actions_of(self._state))
            raise InputError(f"state {self._state!r} does not offer action {action}; choose from: {offered}")
        holding = self.np_random.exponential(1 / float(row.rate)) if row.rate else np.inf
        jumped = bool(holding < self._remaining)
        spent = holding if jumped else self._remaining
        earned = float(row.choice) + float(row.reward) * spent
        if jumped:
            target = self._drawn(row.to)
            earned += float(dict(row.lump).get(target, 0))
            self._state, self._remaining = target, self._remaining - spent
        else:
            self._remaining = 0.0
            ends = self.model.terminal[self.model.state_index(self._state)]
            earned += float(ends if row.terminal is None else row.terminal)
        reward = float(self.model.objective.turned(float(earned)))
        return self._observation(), reward, not jumped, False, self._info(float(spent), jumped)

    def _drawn(self, law: Numbers) -> str:
        """One of these states, by chance."""
        return law[self.np_random.choice(len(law), p=[float(p) for _, p in law])][0]

    def _observation(self) -> dict[str, Any]:
        return {"state": self.model.state_index(self._state), "remaining": np.array([self._remaining])}

    def _info(self, spent: float, jumped: bool) -> dict[str, Any]:
        offered = self.model.actions_of(self._state)
        mask = np.array([a in offered for a in self.model.actions], np.int8)
        return {"holding_time": spent, "jumped": jumped, "action_mask": mask}
