r"""CT-UCBVI in double precision: the whole loop compiled, on the paper's grid.

:class:`FastLearner` runs ``alg: CTUCB`` literally (see :mod:`ctucbvi.learning.fast.episodes`): in every
episode the estimates, the bonus, modified value iteration down to :math:`\epsilon_k` and the policy
``eq:pi-k`` at the grid points :math:`t_i = iH/N`.  When a state is entered, the action of the grid point
nearest to the remaining time is taken; at :math:`t_0`, where all actions are worth nothing, it is that of
:math:`t_1`.  So the order in which actions are listed matters only where two have the same value.  With
``skip`` planning is left out where its result is proved beforehand (:mod:`ctucbvi.learning.fast.skipping`):
the same policies and draws, bit for bit.  With the accuracy 0 there is nothing to iterate: every plan is the
fixed point (:mod:`ctucbvi.learning.fast.fixed_point`), and none is left out.

What a run does depends on the model, the settings, the grid, the initial distribution, ``seed`` and
``run``, and on nothing else: ``advance(a)`` and ``advance(b)`` do what ``advance(a + b)`` does, in this
process or, through :meth:`~FastLearner.snapshot`, in another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.learning import DOUBLES, Episode, Settings, constants
from ctucbvi.learning.fast import episodes as kernels
from ctucbvi.learning.fast.compiled import CompiledLearner, PlayedEpisodes
from ctucbvi.learning.fast.episode_loop import run as run_episodes
from ctucbvi.learning.fast.fixed_point import forget, make_cell_room, plan_to_the_end, run_to_the_end
from ctucbvi.learning.fast.lazy_loops import plan_again, run_lazily
from ctucbvi.learning.fast.preparation import (
    make_desk,
    make_log,
    make_margins,
    make_memory,
    make_scene,
    make_trust,
)
from ctucbvi.learning.fast.replanning import EVERY_EPISODE, make_growth_rule, make_last_plan
from ctucbvi.numbers import shown
from ctucbvi.numeric.arrays import Floats, Integers

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

__all__ = ["FastLearner", "GridLearner", "PlayedEpisodes"]

# Filled anew whenever it is needed, so that a snapshot does without it.
_ROOM = {"desk_action_values", "desk_inflow"}


class GridLearner(CompiledLearner):
    """A learner whose policies live on a grid, and who counts jumps and time as CT-UCBVI does.

    ``record`` keeps the episodes, for :attr:`PlayedEpisodes.history`.
    """

    def __init__(self, model: CTMDP, settings: Settings, *, steps: int, record: bool, **given: Any) -> None:
        super().__init__(model, settings, steps=steps, **given)
        self.record = record
        self.scene = make_scene(model, settings, steps, self.initial)
        self._memory = make_memory(self.scene, self.seed, self.run)
        self._clock = self._memory.clock
        # With these it plans lazily; without, before every episode.
        self._growth = make_growth_rule(model, settings, self._tick) if settings.replan else None
        self._last = make_last_plan(len(model.transitions))

    def _named(self, **parts: Any) -> dict[str, Any]:
        """The arrays of ``parts`` by name; with those that say when to plan again."""
        if self._growth is not None:
            parts["last"] = self._last
        return {f"{part}_{name}": a for part, arrays in parts.items() for name, a in arrays._asdict().items()}

    def advance(self, episodes: int) -> PlayedEpisodes:
        """Play this many further episodes."""
        if not self.record:
            return super().advance(episodes)
        played, visits = self.recorded(episodes)
        return replace(played, history=tuple(self._episodes(visits)))

    def recorded(self, episodes: int) -> tuple[PlayedEpisodes, Integers]:
        """Play this many further episodes, and return their visits, ``(visits, 3)``.

        A visit is a pair, a holding time in ticks and the place of its target, or -1 where it was cut off,
        which is how every episode ends.
        """
        self._check(episodes)
        room = 16 * episodes
        while True:  # should the room for visits not do: once more, with more
            before = self.snapshot()
            log = make_log(len(self.model.states), self.steps, room)
            played, log = self._advance(episodes, log)
            needed = int(log.used[kernels.VISITS])
            if needed <= room:
                return played, log.visits[:needed]
            self.restore(before)
            room = needed

    def _episodes(self, visits: Integers) -> Iterator[Episode]:
        rows, tick = self.model.transitions, self._tick
        jumps: list[tuple[str, str, Fraction | float, str]] = []
        for pair, ticks, place in visits.tolist():
            state, action = rows[pair].state, rows[pair].action
            if place < 0:
                yield Episode.of(self.model, jumps, (state, action))
                jumps = []
            else:
                target = self.model.states[self.scene.target[place]]
                jumps.append((state, action, ticks * tick, target))

    @property
    def _tick(self) -> Fraction:
        return Fraction(float(self.scene.numbers.tick))

    @property
    def n_plus(self) -> Integers:
        """N⁺ after the last episode, one per pair."""
        n_plus: Integers = self._memory.counts[kernels.N_PLUS].copy()
        return n_plus

    @property
    def time(self) -> tuple[Fraction, ...]:
        """T after the last episode, one per pair, exactly."""
        tick, counts = self._tick, self._memory.counts.tolist()
        rest = self.model.horizon % tick
        return tuple(
            n * tick + c * rest for n, c in zip(counts[kernels.TICKS], counts[kernels.CUT], strict=True)
        )


class FastLearner(GridLearner):
    """A run of CT-UCBVI in doubles.

    ``steps`` is the number of cells of the grid.  With the default of 100 the optimal policy, read off at
    grid points, loses less than 1.8e-7 in value on machine repair (0.18 in regret per million episodes).
    On its ``desk`` are the estimates and the policy of the last episode, or lazily of the last plan.
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
        settings.require_bonus()
        super().__init__(model, settings, steps=steps, record=record, **given)
        _check_bonus(model, settings)
        self.skip = skip
        self._cells = make_cell_room(self.scene) if settings.epsilon.zero else None
        self.desk = make_desk(self.scene, deep=skip and not settings.replan and self._cells is None)
        self._trust = make_trust(self.scene)
        self._margins = make_margins(self.desk)

    def _play(self, log: kernels.Log, count: int) -> int:
        parts = self.scene, self._memory, self.desk
        if self._cells is not None:
            growth, lazily = self._growth or EVERY_EPISODE, self._growth is not None
            return int(run_to_the_end(*parts, *self._cells, self._last, growth, log, count, lazily))
        if self._growth is not None:
            return int(run_lazily(*parts, self._last, self._growth, log, count))
        return int(run_episodes(*parts, self._trust, self._margins, log, count, self.skip))

    def restore(self, snapshot: bytes) -> None:
        """Go on from where ``snapshot`` was taken, of a learner that was given the same."""
        super().restore(snapshot)
        if self._cells is not None:
            forget(*self._cells)

    def plan(self, episode: int) -> None:
        """Plan ``episode`` from the present data; the policy is on the desk."""
        parts = self.scene, self._memory, self.desk
        if self._cells is not None:
            plan_to_the_end(*parts, *self._cells)
        else:
            plan_again(*parts, episode)

    def _state(self) -> dict[str, Any]:
        named = self._named(memory=self._memory, desk=self.desk, trust=self._trust)
        return {name: array for name, array in named.items() if name not in _ROOM}

    @property
    def probabilities(self) -> Floats:
        r""":math:`\hat p` in the last episode, ``(pairs, states)``."""
        scene, found = self.scene, np.zeros((len(self.model.transitions), len(self.model.states)))
        pair = np.repeat(np.arange(len(found)), np.diff(scene.row))
        found[pair, scene.target] = self.desk.chance
        return found


def _check_bonus(model: CTMDP, settings: Settings) -> None:
    """Refuse a bonus so large that rewards vanish beside it: the first action listed would be taken."""
    if settings.bonus != "paper":
        return
    radii = constants(model, settings, DOUBLES)
    bonus = radii.bonus(0.0, 0.0, DOUBLES)
    for x in model.states:
        rewards = {float(row.reward) for row in model.transitions if row.state == x}
        if len({reward + bonus for reward in rewards}) < len(rewards):
            raise InputError(
                f"lambda-max: {shown(settings.lambda_max)} makes a bonus of {bonus:.3g}, beside which "
                f"doubles do not tell the rewards of state {x!r} apart; write a smaller bound, or take "
                "--bonus sharp"
            )
