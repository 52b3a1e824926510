"""The arrays that the compiled loops work on: made once per learner, never inside a loop."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.learning import DOUBLES, Settings, constants
from ctucbvi.learning.fast import episodes as kernels
from ctucbvi.learning.fast import estimate_box
from ctucbvi.learning.fast.sweeps import TOGETHER
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.numeric.grid import grid_times

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

_CLOCK_BITS = 62  # K horizons in ticks stay below 2^62
_FINEST = 40  # bits of a horizon in ticks, at most
_MOST_DEPTH, _MOST_NUMBERS = 64, 1 << 22  # iterates that are kept, and their size
_ROOM = 1 << 12  # policies and starts that a log begins with
_FIRST_AIM = 16  # episodes that the first box is made for


def make_scene(model: CTMDP, settings: Settings, steps: int, opening: dict[str, Fraction]) -> kernels.Scene:
    """The true model, the grid and the constants of the radii."""
    arrays = Arrays.of(model)
    tick = _tick(model.horizon, settings.episodes)
    with np.errstate(divide="ignore"):
        mean_ticks = float(1 / tick) / arrays.rate
    states, chances = openings(model, opening)
    return kernels.Scene(
        first=arrays.first,
        row=arrays.row,
        target=arrays.target,
        share=shares(model),
        mean_ticks=mean_ticks,
        reward=arrays.reward,
        opening=states,
        opening_share=chances,
        reach=_reach(model.horizon, steps, tick),
        times=grid_times(model.horizon, steps).copy(),
        numbers=_numbers(model, settings, steps, tick),
    )


def shares(model: CTMDP) -> Floats:
    """The cumulative jump probabilities of every pair, added up exactly: the last of a row is 1."""
    rows = [accumulate(p for _, p in pair.to) for pair in model.pairs if pair.rate]
    return np.array([float(p) for row in rows for p in row])


def openings(model: CTMDP, opening: dict[str, Fraction]) -> tuple[Integers, Floats]:
    """The initial states and their cumulative probabilities."""
    states = np.array([model.state_index(x) for x in opening], np.int64)
    return states, np.array([float(p) for p in accumulate(opening.values())])


def _tick(horizon: Fraction, episodes: int) -> Fraction:
    """The power of two of which a horizon has many, but ``episodes`` horizons not too many."""
    bits = min(_FINEST, _CLOCK_BITS - episodes.bit_length())
    return Fraction(2) ** (math.frexp(horizon)[1] - bits)


def _reach(horizon: Fraction, steps: int, tick: Fraction) -> Integers:
    """How many ticks may have passed where t_i, or a later point of the grid, is nearest to what remains."""
    cells = [Fraction(steps), *(steps - i + Fraction(1, 2) for i in range(1, steps + 1))]
    return np.array([horizon * left / steps // tick for left in cells], np.int64)


def _numbers(model: CTMDP, settings: Settings, steps: int, tick: Fraction) -> kernels.Scalars:
    radii, load = constants(model, settings, DOUBLES), settings.lambda_max * model.horizon
    accuracy = settings.epsilon.scale(load, DOUBLES) / float(settings.tightening(model.horizon))
    return kernels.Scalars(
        tick=float(tick),
        rest=float(model.horizon % tick),
        cell=float(model.horizon) / steps,
        horizon=radii.horizon,
        lambda_max=float(settings.lambda_max),
        lambda_min=float(settings.lambda_min or 0),
        factor=radii.factor,
        rate_constant=radii.rate_constant,
        floor=radii.floor,
        jump_constant=radii.jump_constant,
        exponent=float(settings.epsilon.exponent),
        scale=accuracy,
        sharp=float(settings.bonus == "sharp"),
    )


def make_memory(scene: kernels.Scene, seed: int, run: int) -> kernels.Memory:
    """The memory before the first episode."""
    pairs, clock = len(scene.reward), np.zeros(kernels.CLOCK, np.int64)
    clock[kernels.VISITED], clock[kernels.AIM] = pairs, _FIRST_AIM
    return kernels.Memory(
        counts=np.zeros((4, pairs), np.int64),
        jumps=np.zeros(len(scene.target), np.int64),
        visited=np.arange(pairs),  # so that the first episode finds all estimates
        random=generator(seed, run),
        clock=clock,
    )


def make_desk(scene: kernels.Scene, *, deep: bool) -> kernels.Desk:
    """Room for planning; ``deep``: for more than two iterates, so that leads can be followed through them."""
    pairs, states, points = len(scene.reward), len(scene.first) - 1, len(scene.times)
    padded = -(-pairs // TOGETHER) * TOGETHER
    depth = max(2, min(_MOST_DEPTH, _MOST_NUMBERS // (pairs * points))) if deep else 2
    return kernels.Desk(
        rate=np.zeros(pairs),
        rate_radius=np.zeros(pairs),
        jump_radius=np.zeros(pairs),
        gain=np.zeros(pairs),
        chance=np.zeros(len(scene.target)),
        weights=np.zeros((4, padded)),
        values=np.zeros((depth, states, points)),
        action_values=np.zeros((depth, padded, points)),
        inflow=np.zeros(points),
        policy=np.tile(scene.first[:-1, None].astype(np.int32), (1, points)),
    )


def make_trust(scene: kernels.Scene) -> estimate_box.Trust:
    """Room for what is remembered of a plan; nothing is, yet."""
    pairs, places = len(scene.reward), len(scene.target)
    lanes, tracked = estimate_box.LANES, estimate_box.TRACKED
    return estimate_box.Trust(
        rate=np.zeros(pairs),
        gain=np.zeros(pairs),
        chance=np.zeros(places),
        twin=np.zeros(pairs, np.int64),
        glued=np.zeros(pairs, np.int64),
        seen=np.zeros((2, pairs), np.int64),
        limits=np.zeros(estimate_box.LIMITS),
        used=np.zeros(estimate_box.USED, np.int64),
        lanes=np.zeros((lanes, estimate_box.LANE), np.int64),
        lane_of=np.zeros((2, pairs), np.int64),
        lane_of_chance=np.zeros(places, np.int64),
        width=np.zeros(lanes),
        delta=np.zeros(lanes),
        spots=np.zeros((tracked, estimate_box.SPOT), np.int64),
        leads=np.zeros((tracked, 2)),
        slopes=np.zeros((tracked, lanes)),
    )


def make_margins(desk: kernels.Desk) -> estimate_box.Margins:
    """Room for asking how far a plan can be trusted."""
    (_, states, points), padded, lanes = desk.values.shape, desk.weights.shape[1], estimate_box.LANES
    return estimate_box.Margins(
        tangents=np.zeros((lanes, padded, points)),
        value_tangents=np.zeros((lanes, states, points)),
        linear=np.zeros((padded, points)),
        remainder=np.zeros((padded, points)),
        value_bound=np.zeros((states, points)),
        value_remainder=np.zeros((states, points)),
        value_spread=np.zeros((states, points)),
        follows=np.zeros((padded, points)),
        calm=np.zeros((4, padded)),
        inflow=np.zeros((2, points)),
    )


def generator(seed: int, run: int) -> kernels.Words:
    """The state of the random generator of a run."""
    return np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(4, np.uint64).astype(np.uint64)


def make_log(states: int, steps: int, visits: int = 0) -> kernels.Log:
    """An empty log, with room for so many visits."""
    points = steps + 1
    room = max(16, min(_ROOM, (1 << 22) // (states * points)))
    return kernels.Log(
        starts=np.zeros(_ROOM, np.int64),
        which=np.zeros(_ROOM, np.int32),
        distinct=np.zeros((room, states, points), np.int32),
        table=np.full(2 * room, -1, np.int32),
        visits=np.zeros((visits, 3), np.int64),
        used=np.zeros(3, np.int64),
    )


def larger(log: kernels.Log) -> kernels.Log:
    """The same log with twice the room where it is full."""
    starts, distinct, _ = (int(n) for n in log.used)
    if starts == len(log.starts):
        log = log._replace(starts=_doubled(log.starts), which=_doubled(log.which))
    if distinct == len(log.distinct):
        log = log._replace(distinct=_doubled(log.distinct), table=np.full(2 * log.table.size, -1, np.int32))
        kernels.rehash(log.distinct, log.table, distinct)
    return log


def _doubled(array: Any) -> Any:
    return np.concatenate([array, np.zeros_like(array)])
