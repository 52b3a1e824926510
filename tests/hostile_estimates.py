"""What a learner may have seen, at its worst: for planners of the optimistic equation.

Pairs never left, rates of 0, sets of one point, equal rewards, radii of 2 and more, one state, long
horizons, data that are far from anything likely, and data that repeat each other.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from ctucbvi.learning import Settings, Statistics
from ctucbvi.model import CTMDP, Transition

_REWARDS = (0, 0, "1/4", "1/2", "1/2", "3/4", "17/20", 1, 1)
_LOADS = ("1/100", 1, 1, 3, 7, 20, 60)
_COUNTS = (0, 0, 1, 2, 5, 30, 400, 10**5, 10**8)


def hostile_estimates(
    draw: Random, *, jumps: str | None = None, sparse: bool = True
) -> tuple[Statistics, Settings]:
    """Statistics that need not come from any run, and settings for them."""
    model = _model(draw)
    settings = Settings.for_model(
        model,
        episodes=draw.choice((1, 10, 10**4, 10**7)),
        delta=draw.choice(("1/20", "1/2", "99/100", "1/100000")),
        lambda_max=model.max_rate * draw.choice((1, 1, 2)),
        lambda_min=draw.choice((None, None, None, model.max_rate / 8, model.max_rate)),
        bonus="optimistic",
        rates=draw.choice(("paper", "poisson")),
        jumps=jumps or draw.choice(("l1", "kl")),
    )
    rows = [_row(draw, len(model.states), sparse) for _ in model.transitions]
    times = [_time(draw, sum(row), settings) for row in rows]
    for k in range(1, len(rows)):
        if draw.random() < 0.15:  # the same data twice: a tie, if the rewards are equal, too
            rows[k], times[k] = rows[k - 1], times[k - 1]
    return Statistics(model, 0, tuple(times), tuple(rows), tuple(map(sum, rows))), settings


def _model(draw: Random) -> CTMDP:
    states = [f"s{i}" for i in range(draw.choice((1, 2, 2, 3, 3, 4, 5)))]
    actions = "abc"[: draw.randint(1, 3)]
    load, horizon = Fraction(draw.choice(_LOADS)), Fraction(draw.choice((1, 1, "1/1000", 50)))
    flat = draw.random() < 0.1  # all rewards equal
    reward = draw.choice(_REWARDS)
    rows = [
        Transition.of(x, a, rate=load / horizon, reward=reward if flat else draw.choice(_REWARDS), to={x: 1})
        for x in states
        for a in actions
    ]  # true jumps play no part: the equation does not know them
    return CTMDP.of("hostile", horizon=horizon, transitions=rows, states=states)


def _row(draw: Random, states: int, sparse: bool) -> tuple[int, ...]:
    total = draw.choice(_COUNTS)
    places = draw.sample(range(states), draw.randint(1, states) if sparse else states)
    row = [0] * states
    for y in places[1:]:
        row[y] = draw.randint(0, total) if draw.random() < 0.5 else min(1, total)
    row[places[0]] += total
    return tuple(row)


def _time(draw: Random, count: int, settings: Settings) -> Fraction:
    """Zero, as expected, far too short or far too long."""
    likely = Fraction(count + 1) / settings.lambda_max
    return likely * draw.choice((0, 1, 1, 1, 2, 10, Fraction(1, 1000), 10**6))
