"""Independent routes to the same numbers, for comparisons: mpmath's Taylor series, scipy's solver."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
from scipy.integrate import solve_ivp

from ctucbvi import CTMDP, Semantics, Transition
from ctucbvi import second_opinion as second


def second_opinion(model: CTMDP, semantics: Semantics, digits: int = 20, truncate: bool = False):
    """``value(state, t)`` from mpmath, as an interval of its stated error."""
    return second.solve(model, semantics, digits=digits, truncate=truncate).value


def plain_ode(model: CTMDP, semantics: Semantics, truncate: bool = False) -> np.ndarray:
    """The values at the horizon by an off-the-shelf solver, without any thought about kinks."""
    pairs, count = model.pairs, len(model.states)
    state = np.array([p.state for p in pairs])
    rate = np.array([float(p.rate) for p in pairs])
    reward = np.array([float(p.reward) for p in pairs])
    jump = np.zeros((len(pairs), count))
    for i, p in enumerate(pairs):
        for y, q in p.to:
            jump[i, y] += float(q)
    g = np.array([float(v) for v in model.terminal])
    menu = [np.flatnonzero(state == x) for x in range(count)]

    def best(t: float, q: np.ndarray) -> np.ndarray:
        v = np.array([q[rows].max() for rows in menu])
        return np.minimum(v, t) if truncate else v

    def committed(t: float, q: np.ndarray) -> np.ndarray:
        return reward - rate * q + rate * (jump @ best(t, q))

    def adjustable(_: float, v: np.ndarray) -> np.ndarray:
        slopes = reward + rate * (jump @ v - v[state])
        return np.array([slopes[rows].max() for rows in menu])

    horizon = float(model.horizon)
    is_committed = semantics is Semantics.COMMITTED
    run = solve_ivp(
        committed if is_committed else adjustable,
        (0, horizon),
        g[state] if is_committed else g,
        method="DOP853",
        rtol=1e-9,
        atol=1e-10,
        max_step=horizon / 100,
    )
    return best(horizon, run.y[:, -1]) if is_committed else run.y[:, -1]


def random_model(seed: int, states: int = 4, actions: int = 3, terminal: bool = True) -> CTMDP:
    """A model of no particular shape, with rates from 0 to 8 and rewards from -1 to 2."""
    draw = random.Random(seed)
    names = [f"s{i}" for i in range(states)]
    rows = []
    for x in names:
        for a in range(actions):
            counts = [draw.randint(0, 3) for _ in names]
            counts[draw.randrange(states)] += 1
            rows.append(
                Transition.of(
                    x,
                    f"a{a}",
                    rate=Fraction(draw.randint(0, 32), 4),
                    reward=Fraction(draw.randint(-10, 20), 10),
                    to={y: Fraction(c, sum(counts)) for y, c in zip(names, counts, strict=True)},
                )
            )
    ends = {x: Fraction(draw.randint(-4, 4), 4) for x in names} if terminal else None
    return CTMDP.of(f"random-{seed}", horizon=1, transitions=rows, terminal=ends)
