"""True models anywhere in the confidence sets of the optimistic learner, at their corners above all."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

from ctucbvi import CTMDP, Transition, solve
from ctucbvi.learning import Settings, Statistics
from ctucbvi.learning.exact.optimistic import OptimisticPlan, optimistic_plan
from tests.plain_optimistic import jump_radius, rate_interval

Planner = Callable[[Statistics, Settings], OptimisticPlan]
_PARTS = (Fraction(1, 3), Fraction(1))  # of the horizon, at which values are compared


def seen_sets(draw: Random, jumps: str) -> tuple[Statistics, Settings]:
    """Statistics of a small model on which sets are neither everything nor a point."""
    states = [f"s{i}" for i in range(draw.choice((2, 2, 3)))]
    rows = [
        Transition.of(x, a, rate=draw.randint(1, 5), reward=Fraction(draw.randint(0, 20), 20), to={x: 1})
        for x in states
        for a in "ab"
    ]
    model = CTMDP.of("seen", horizon=draw.choice((1, 2)), transitions=rows, states=states)
    settings = Settings.for_model(
        model, episodes=100, delta="1/2", lambda_max=6, bonus="optimistic", jumps=jumps,
        rates=draw.choice(("paper", "poisson")),
    )  # fmt: skip
    counts = [tuple(draw.choice((0, 3, 40, 500)) for _ in states) for _ in rows]
    times = [Fraction(sum(row), draw.randint(1, 6)) + draw.randint(1, 20) for row in counts]
    return Statistics(model, 0, tuple(times), tuple(counts), tuple(map(sum, counts))), settings


def corner(statistics: Statistics, settings: Settings, draw: Random, plan: OptimisticPlan | None) -> CTMDP:
    """A model in the sets: rates at an end, jumps where some values have their largest mean.

    With a ``plan`` these are the plan's, and so are the ends: the best model there is, up to changes in time.
    """
    model, rows = statistics.model, []
    for k, row in enumerate(model.transitions):
        low, high = rate_interval(statistics, settings, k)
        values = [draw.random() for _ in model.states]
        if plan is not None:
            values = [float(plan.value(x).mid) for x in model.states]
        p = _corner_of_jumps(statistics, settings, k, values)
        total = sum(p)
        to = {y: q / total for y, q in zip(model.states, p, strict=True) if q}
        rate = draw.choice((low, high, low + (high - low) * draw.random()))
        if plan is not None:
            mean = sum(float(q / total) * v for q, v in zip(p, values, strict=True))
            rate = high if mean > float(plan.commitment(k, model.horizon).mid()) else low
        rows.append(
            Transition.of(
                row.state, row.action, rate=Fraction(rate), reward=row.reward, to=to if rate else {}
            )
        )
    return CTMDP.of("true", horizon=model.horizon, transitions=rows, states=list(model.states))


def _corner_of_jumps(
    statistics: Statistics, settings: Settings, pair: int, values: list[float]
) -> list[Fraction]:
    n, radius = statistics.n_plus[pair], jump_radius(statistics, settings, pair)
    best = max(range(len(values)), key=lambda y: values[y])
    if n == 0:
        return [Fraction(y == best) for y in range(len(values))]
    p = [float(q) for q in statistics.probability(pair)]
    if settings.jumps == "l1":
        moved = left = min(radius / 2, 1 - p[best])
        for y in sorted(range(len(values)), key=lambda y: values[y]):
            if y != best:
                taken = min(p[y], left)
                p[y], left = p[y] - taken, left - taken
        p[best] += moved
        return [Fraction(max(q, 0.0)) for q in p]
    # Mix with the best state, or tilt, as far as the divergence allows: a search along a curve.
    tilt = lambda s: _normal(  # noqa: E731 -- one line
        [q / (1 + s * (values[best] - v)) if q else 0.0 for q, v in zip(p, values, strict=True)]
    )
    lean = lambda s: _normal([q + (s if y == best else 0.0) for y, q in enumerate(p)])  # noqa: E731
    curve = tilt if p[best] else lean
    low, high = 0.0, 1.0
    while _divergence(p, curve(high)) < radius and high < 1e30:
        high *= 4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _divergence(p, curve(middle)) < radius else (low, middle)
    return [Fraction(q) for q in curve(low)]


def _normal(p: list[float]) -> list[float]:
    total = sum(p)
    return [q / total for q in p]


def _divergence(p: list[float], q: list[float]) -> float:
    return sum(a * math.log(a / b) if b else math.inf for a, b in zip(p, q, strict=True) if a)


def refuted(seed: int, jumps: str, planner: Planner = optimistic_plan) -> bool:
    """Whether a model at a corner of the sets is worth more than the planner says."""
    draw = Random(seed)
    statistics, settings = seen_sets(draw, jumps)
    plan = planner(statistics, settings)
    for aim in (plan, None):
        true = corner(statistics, settings, draw, aim)
        optimum = solve(true, digits=10)
        for x in true.states:
            for part in _PARTS:
                t = true.horizon * part
                if optimum.value(x, t).lower > plan.value(x, t).upper + Fraction(1, 10**9):
                    return True
    return False
