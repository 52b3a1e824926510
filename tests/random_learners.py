"""For tests of the fast learner: random models and settings, hostile ones among them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from ctucbvi.learning import Settings
from ctucbvi.model import CTMDP, Transition

_RATES = (0, 0, "1/100", "1/3", 1, 1, 2, 3, 7, 20)
_REWARDS = (0, "1/4", "1/2", "1/2", "3/4", 1)


def random_model(draw: Random, *, distinct: bool = False) -> CTMDP:
    """A model with rewards in [0, 1]; ``distinct``: no two rewards of a state are equal, so nothing ties."""
    states = [f"s{i}" for i in range(draw.randint(1, 4))]
    rows = []
    for x in states:
        actions = draw.sample("abcd", draw.randint(1, 4))
        rewards = [Fraction(n, 97) for n in draw.sample(range(98), len(actions))]
        for action, reward in zip(sorted(actions), rewards, strict=True):
            rate = Fraction(draw.choice(_RATES)) if not distinct else Fraction(draw.randint(1, 60), 7)
            counts = [draw.choice((0, 0, 1, 1, 2, 5)) for _ in states]
            counts[draw.randrange(len(states))] += 1
            to = {y: Fraction(n, sum(counts)) for y, n in zip(states, counts, strict=True) if n}
            earned = reward if distinct else draw.choice(_REWARDS)
            rows.append(Transition.of(x, action, rate=rate, reward=earned, to=to if rate else {}))
    horizon = draw.choice(("1/10", "4/3", 1, 1, 3))
    return CTMDP.of("random", horizon=horizon, transitions=rows, states=states)


def random_settings(draw: Random, model: CTMDP, episodes: int) -> Settings:
    """Settings for ``model``: every bonus, several accuracies, bounds on the rates that are not tight."""
    lambda_max = max(model.max_rate, Fraction(1)) * draw.choice((1, 1, 2))
    lambda_min = min(row.rate for row in model.transitions)
    epsilons = ("1/sqrt(k)", "1/sqrt(k)", "k^-1/3", "k^-1", "k^-1/2*exp(-lambda_max*H)")
    return Settings.for_model(
        model,
        episodes=draw.choice((1, 1, 100)) * episodes,
        delta=draw.choice(("1/20", "1/2", "1/100000")),
        epsilon=draw.choice(epsilons),
        lambda_max=lambda_max,
        lambda_min=lambda_min if lambda_min and draw.random() < 0.3 else None,
        bonus=draw.choice(("paper", "sharp", "sharp", "none")),
    )


def reordered(model: CTMDP, draw: Random) -> CTMDP:
    """The same model with the actions of every state listed in another order."""
    rows = []
    for x in model.states:
        mine = [row for row in model.transitions if row.state == x]
        rows += draw.sample(mine, len(mine))
    actions = draw.sample(model.actions, len(model.actions))
    return CTMDP(
        model.name, model.states, tuple(actions), model.horizon, model.initial, tuple(rows), model.terminal
    )
