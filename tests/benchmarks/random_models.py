"""The models that peers are compared on, and with which sizes grow: random ones, and a queue."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Transition

if TYPE_CHECKING:
    from ctucbvi.model import Number


def random_reachability(states: int, actions: int, seed: int, horizon: Number = 1) -> CTMDP:
    """Build the problem of reaching the last state, which is absorbing and has terminal reward 1.

    Rates are multiples of 1/4 from 1 to 5.  A row is made of integer counts: half of the
    rows are sparse (up to three targets), the others may reach every state.
    """
    if states < 2 or actions < 1:
        raise InputError(f"{states} states and {actions} actions; write at least 2 and 1")
    rng = random.Random(f"reachability {states} {actions} {seed}")
    names = [f"s{i}" for i in range(states - 1)] + ["goal"]
    rows = [Transition.of("goal", "a0", rate=0, reward=0)]
    for x in names[:-1]:
        for a in range(actions):
            targets = rng.sample(names, min(3, states)) if rng.random() < 0.5 else names
            counts = [rng.randint(1, 9) for _ in targets]
            row = {y: Fraction(c, sum(counts)) for y, c in zip(targets, counts, strict=True)}
            rows.append(Transition.of(x, f"a{a}", rate=Fraction(rng.randint(4, 20), 4), reward=0, to=row))
    return CTMDP.of(
        f"reachability-{states}-{actions}-{seed}",
        horizon=horizon,
        transitions=rows,
        states=names,
        actions=[f"a{a}" for a in range(actions)],
        initial="s0",
        terminal={"goal": 1},
    )


def random_switching(states: int, targets: int, *, actions: int = 3, seed: int = 1) -> CTMDP:
    """Rewards and rates at random, so that every state switches at a time of its own."""
    draw, names, rows = random.Random(seed), [f"s{i}" for i in range(states)], []
    for x in names:
        for a in range(actions):
            to = draw.sample(names, targets)
            counts = [draw.randint(1, 9) for _ in to]
            rate, reward = Fraction(draw.randint(4, 20), 4), Fraction(draw.randint(0, 100), 100)
            jumps = {y: Fraction(k, sum(counts)) for y, k in zip(to, counts, strict=True)}
            rows.append(Transition.of(x, f"a{a}", rate=rate, reward=reward, to=jumps))
    return CTMDP.of(f"switching-{states}", horizon=1, transitions=rows, states=names)


def speed_queue(capacity: int, speeds: int = 5) -> CTMDP:
    """A queue with ``capacity + 1`` states and five service speeds, faster ones dearer."""
    rows = []
    for n in range(capacity + 1):
        for k in range(speeds if n else 1):
            inflow, outflow = Fraction(2) * (n < capacity), Fraction(k + 1) * (n > 0)
            total = inflow + outflow
            to = {str(n + 1): inflow / total, str(n - 1): outflow / total}
            reward = -Fraction(n, 10) - Fraction(k * k, 8)
            kept = {y: p for y, p in to.items() if p}
            rows.append(Transition.of(str(n), f"speed-{k + 1}", rate=total, reward=reward, to=kept))
    return CTMDP.of(f"queue-{capacity}", horizon=4, transitions=rows)
