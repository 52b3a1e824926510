"""Plans of the compiled optimistic learner from given statistics, and boxes of sets around them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from math import expm1
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ctucbvi.learning import Settings, Statistics
from ctucbvi.learning.fast import set_box, set_tangents
from ctucbvi.learning.fast.estimate_box import LANES_USED, NOISE, add_lane
from ctucbvi.learning.fast.optimistic import OptimisticLearner, set_constants
from ctucbvi.learning.fast.optimistic_march import march
from ctucbvi.learning.fast.optimistic_sets import GridSets, jump_reach, rate_interval
from ctucbvi.learning.fast.set_certificate import error_of_table
from ctucbvi.model import CTMDP, Transition

_ROUNDED = 1 - 1e-5  # differences of doubles are rounded, and must not leave the box by that


@dataclass
class GridPlan:
    """A plan on a grid; what a lockstep asks of the learner that made it."""

    steps: int
    scene: Any
    constants: Any
    sets: GridSets
    room: Any

    def table(self, sets: GridSets | None = None) -> np.ndarray:
        march(self.scene, self.constants, self.sets if sets is None else sets, self.room)
        return self.room.table.copy()


def grid_plan(statistics: Statistics, settings: Settings, steps: int) -> tuple[GridPlan, OptimisticLearner]:
    """The plan, and a learner whose room it has."""
    model = _everywhere(statistics.model)
    learner = OptimisticLearner(model, settings, seed=0, steps=steps)
    scene, constants = learner.scene, set_constants(model, settings, steps)
    jumps = np.array([n for row in statistics.jumps for n in row], np.int64)
    for k, n in enumerate(statistics.n_plus):
        _set_of(k, n, float(statistics.time[k]), learner, jumps)
    plan = GridPlan(steps, scene, constants, learner.sets, learner.room)
    plan.table()
    return plan, learner


def _set_of(k: int, n_plus: int, time: float, learner: OptimisticLearner, jumps: np.ndarray) -> None:
    """The set of a pair; what :func:`renew` does after so many ticks, here after any time."""
    sets, scene, constants = learner.sets, learner.scene, learner.constants
    tilts, log_rates, log_jumps, divergence, _, _ = constants
    sets.low[k], sets.high[k] = rate_interval(scene.numbers, tilts, log_rates, n_plus, time)
    sets.reach[k] = sets.shift[k] = jump_reach(len(scene.first) - 1, log_jumps, divergence, n_plus)
    mine = slice(scene.row[k], scene.row[k + 1])
    sets.chance[mine] = jumps[mine] / max(1, n_plus)
    if divergence and n_plus > 0:
        sets.several[k] = (jumps[mine] > 0).sum() > 1
        sets.shift[k] = -expm1(-sets.reach[k])


def _everywhere(model: CTMDP) -> CTMDP:
    """The same with jumps to all states, so that there is a place for every count."""
    to = {y: Fraction(1, len(model.states)) for y in model.states}
    rows = [
        Transition.of(row.state, row.action, rate=row.rate, reward=row.reward, to=to)
        for row in model.transitions
    ]
    return CTMDP.of(model.name, horizon=model.horizon, transitions=rows, states=list(model.states))


def level_sets(draw: Random, jumps: str) -> tuple[Statistics, Settings]:
    """Statistics with which states and actions are worth nearly the same."""
    states, small = [f"s{i}" for i in range(4)], Fraction(1, 10 ** draw.randint(2, 5))
    rows = []
    for x in states:
        for a in "ab":
            reward = Fraction(1, 2) + small * draw.randint(0, 9)
            rows.append(Transition.of(x, a, rate=draw.randint(1, 3), reward=reward, to={x: 1}))
    model = CTMDP.of("level", horizon=1, transitions=rows, states=states)
    settings = Settings.for_model(
        model, episodes=100, delta="1/2", lambda_max=4, bonus="optimistic", jumps=jumps,
        rates=draw.choice(("paper", "poisson")),
    )  # fmt: skip
    counts = [tuple(draw.choice((0, 100, 1000, 10**4)) for _ in states) for _ in rows]
    times = [draw.choice((Fraction(20), Fraction(sum(row), draw.randint(1, 3)) + 1)) for row in counts]
    return Statistics(model, 0, tuple(times), tuple(counts), tuple(map(sum, counts))), settings


# --- boxes ------------------------------------------------------------------------------------


def lay_out(learner: OptimisticLearner, plan: GridPlan, draw: Random) -> None:
    """A box of any shape: some lanes, widths from tiny to large."""
    trust, scene, sets = learner._trust, plan.scene, plan.sets
    set_box.remember_sets(sets, trust)
    set_box.mark_equal_sets(scene, sets, trust)
    trust.lane_of[:], trust.lane_of_chance[:], trust.used[LANES_USED] = -1, -1, 0
    trust.limits[NOISE] = set_tangents.set_noise(scene, plan.constants)
    scale, kinds = 10 ** draw.uniform(-7, -1), draw.choices((True, False), k=3)
    for k in range(len(scene.reward)):
        if trust.glued[k] or draw.random() < 0.3:
            continue
        for kind in (set_box.LOW, set_box.HIGH):
            if kinds[0]:
                width = scale / float(scene.numbers.horizon) * draw.choice((0.1, 1.0, 3.0))
                trust.lane_of[kind, k] = add_lane(trust, kind, k, -1, width)
        if sets.shift[k] >= 0 and kinds[1]:
            width = min(1.0, scale * draw.choice((0.1, 1.0, 3.0)))
            trust.lane_of[set_box.SHIFT, k] = add_lane(trust, set_box.SHIFT, k, -1, width)
        if sets.shift[k] >= 0 and kinds[2]:
            for e in range(scene.row[k], scene.row[k + 1]):
                width = min(1.0, scale * draw.choice((0.1, 1.0, 3.0)))
                trust.lane_of_chance[e] = add_lane(trust, set_box.CHANCE, k, e, width)


def moved(learner: OptimisticLearner, plan: GridPlan, draw: Random) -> GridSets:
    """Sets in the box, often in a corner; ``trust.delta`` says where."""
    trust, sets = learner._trust, GridSets(*(array.copy() for array in plan.sets))
    top = float(learner.settings.lambda_max)

    def step(lane: int) -> float:
        part = draw.choice((-1.0, 1.0, draw.uniform(-1, 1)))
        return 0.0 if lane < 0 else part * _ROUNDED * float(trust.width[lane])

    for k in range(len(plan.scene.reward)):
        low, high = (sets.low[k], sets.high[k])
        sets.low[k] = min(max(low + step(trust.lane_of[set_box.LOW, k]), 0.0), top)
        sets.high[k] = min(max(high + step(trust.lane_of[set_box.HIGH, k]), 0.0), top)
        if sets.high[k] < sets.low[k]:
            sets.low[k], sets.high[k] = low, high
        if sets.shift[k] >= 0:
            shift = sets.shift[k] + step(trust.lane_of[set_box.SHIFT, k])
            sets.shift[k] = min(max(shift, 0.0), 1.0)
            _move_row(plan, trust, sets, k, draw)
    trust.delta[:] = 0.0
    assert not any(
        set_box.sets_moved_too_far(k, plan.scene.row, sets, trust) for k in range(len(plan.scene.reward))
    )
    return sets


def _move_row(plan: GridPlan, trust: Any, sets: GridSets, k: int, draw: Random) -> None:
    """Move mass between two targets; what is given to one is taken from the other."""
    places = range(plan.scene.row[k], plan.scene.row[k + 1])
    if len(places) < 2 or trust.lane_of_chance[places[0]] < 0:
        return
    one, other = draw.sample(places, 2)
    widths = (trust.width[trust.lane_of_chance[e]] for e in (one, other))
    mass = min(*widths, sets.chance[one], 1 - sets.chance[other]) * draw.choice((1.0, draw.random()))
    sets.chance[one] -= mass * _ROUNDED
    sets.chance[other] += mass * _ROUNDED


def violations(seed: int, draws: int, estimates: Any, box: Any = set_tangents) -> list[str]:
    """What sets in a random box do that derivatives and remainders do not allow."""
    draw = Random(seed)
    statistics, settings = estimates(draw, jumps="l1")
    plan, learner = grid_plan(statistics, replace(settings, lambda_min=None), draw.choice((3, 8)))
    lay_out(learner, plan, draw)
    states = _followed(learner, plan, box)
    found, trust = [], learner._trust
    lanes, noise = trust.used[LANES_USED], trust.limits[NOISE]
    leads, slopes = trust.leads, trust.slopes[:, :lanes]
    for _ in range(draws):
        table = plan.table(moved(learner, plan, draw))
        held = leads[:, 0] + slopes @ trust.delta[:lanes] > leads[:, 1]
        for i, (q, tangents, rest, guards) in enumerate(states, 1):
            if not held[:guards].all():
                break  # nothing is said about what follows
            off = np.abs(table[:, i] - q - tangents @ trust.delta[:lanes])
            if not (off <= rest + noise).all():
                found.append(f"seed {seed}: point {i}: off by {off.max():.3g}, allowed {rest.max():.3g}")
                break
    return found


def _followed(learner: OptimisticLearner, plan: GridPlan, box: Any) -> list[tuple[Any, Any, Any, int]]:
    """Q, G and R at the grid points, as far as they say anything, and how many guards they rest on."""
    trust, margins, parts = learner._trust, learner._margins, (plan.scene, plan.constants, plan.sets)
    lanes, found = trust.used[LANES_USED], []
    margins.q[0], margins.rest[0], margins.tangents[0] = 0.0, 0.0, 0.0
    trust.used[set_box.GUARDS_USED] = 0
    for _ in range(plan.steps):
        for _ in range(plan.constants.parts):
            if not box.follow_cell_part(*parts, trust, margins):
                return found
        state = margins.q[0].copy(), margins.tangents[0, :, :lanes].copy(), margins.rest[0].copy()
        found.append((*state, int(trust.used[set_box.GUARDS_USED])))
    return found


def box_with(old: str, new: str) -> ModuleType:
    """The module of tangents with one place of its source changed, not compiled."""
    source = Path(set_tangents.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1, (source.count(old), old)
    source = source.replace("from ctucbvi.kernels import compiled\n", "").replace(old, new)
    module = ModuleType("changed_set_tangents")
    module.__dict__["compiled"] = lambda **_: lambda function: function
    sys.modules[module.__name__] = module
    exec(compile(source, "changed_set_tangents", "exec"), module.__dict__)
    return module


def as_leader(plan: GridPlan) -> Any:
    """What a lockstep is given."""
    error = error_of_table(plan.scene, plan.sets, plan.room.table)
    return SimpleNamespace(
        steps=plan.steps, sets=plan.sets, room=plan.room, certified_error=lambda: float(error)
    )
