"""For tests of ``replan``: plain learners that plan lazily, and histories to compare them on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from ctucbvi import bundled_model
from ctucbvi.learning import Settings
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, TICKS, choose
from ctucbvi.learning.fast.optimistic import OptimisticLearner, compiled_learner
from ctucbvi.learning.fast.optimistic_march import march
from ctucbvi.learning.fast.optimistic_sets import renew
from ctucbvi.learning.fast.replanning import make_growth_rule
from ctucbvi.model import CTMDP, Transition
from tests.fast_learners import ODD
from tests.histories import policies_of, rounds_of
from tests.plain_learner import PlainLearner

MACHINE = bundled_model("machine-repair")
row = Transition.of
# Fast jumps, so that the rates are soon known; a pair that is never left; a horizon that no double has.
BUSY = CTMDP.of(
    "busy",
    horizon="4/3",
    transitions=[
        row("x", "a", rate=30, reward="1/2", to={"y": "9/10", "z": "1/10"}),
        row("x", "b", rate=10, reward="1/4", to={"x": "1/3", "y": "2/3"}),
        row("y", "a", rate=12, reward="4/5", to={"x": 1}),
        row("y", "b", rate=20, reward="3/5", to={"x": "1/2", "y": "1/2"}),
        row("z", "a", rate=0, reward="9/10"),
        row("z", "b", rate=8, reward="1/3", to={"x": 1}),
    ],
)
# Nothing ever jumps: a pair has T = kH, and meets every factor exactly.
STILL = CTMDP.of("still", horizon="4/3", transitions=[row("z", a, rate=0, reward="1/2") for a in "ab"])
SETS = [{"bonus": "optimistic", "rates": r, "jumps": j} for r in ("paper", "poisson") for j in ("l1", "kl")]
PLAIN = [{}, {"bonus": "none"}, *SETS]  # what there are plain learners for
EVERY = [*PLAIN, {"bonus": "sharp"}]
MODELS = {"machine": MACHINE, "odd": ODD, "busy": BUSY, "still": STILL}


def told(model: CTMDP, replan: Any, episodes: int = 400, **options: Any) -> Settings:
    """Settings under which a model without jumps has a λmax, too."""
    options.setdefault("lambda_max", max(model.max_rate, Fraction(100)) if model is STILL else None)
    return Settings.for_model(model, episodes=episodes, replan=replan, **options)


class PlainOptimist(PlainLearner):
    """Plays and decides plainly; its plan is that of the compiled kernels, from its own statistics."""

    def __init__(self, model: CTMDP, given: Settings, seed: int, run: int, steps: int) -> None:
        super().__init__(model, given, seed, run, steps)
        self.lent = OptimisticLearner(model, given, seed=0, steps=steps, skip=False)

    def plan(self) -> tuple[np.ndarray, int]:
        lent, seen, rest = self.lent, self.statistics, self.model.horizon % self.tick
        counts, jumps = np.zeros((4, len(seen.n_plus)), np.int64), []
        for k, pair in enumerate(self.model.pairs):
            counts[TICKS, k] = (seen.time[k] - self.cut[k] * rest) / self.tick
            counts[CUT, k], counts[N_PLUS, k] = self.cut[k], seen.n_plus[k]
            jumps += [seen.jumps[k][y] for y, _ in pair.to] if pair.rate else []
        pairs = np.arange(len(seen.n_plus))
        renew(pairs, lent.scene, lent.constants, counts, np.array(jumps, np.int64), lent.sets)
        march(lent.scene, lent.constants, lent.sets, lent.room)
        choose(lent.scene.first, lent.room.table, lent.policy)
        return lent.policy.copy(), 0


def plain_learner(model: CTMDP, given: Settings, steps: int) -> PlainLearner:
    """The plain learner of the settings; seed 5, run 2."""
    kind = PlainOptimist if given.bonus == "optimistic" else PlainLearner
    return kind(model, given, 5, 2, steps)


def departures(model: CTMDP, given: Settings, count: int, steps: int = 8) -> Iterator[str]:
    """Where the compiled learner does something else than the plain one."""
    learner = compiled_learner(model, given, seed=5, run=2, steps=steps)
    plain = plain_learner(model, given, steps)
    for k in range(1, count + 1):
        played = learner.advance(1)
        policy, rounds = plain.episode()
        if bool(played.planned) != (plain.known.episodes + 1 == k):
            yield f"episode {k}: planned by one of them"
        if rounds_of(learner) != rounds:
            yield f"episode {k}: another number of iterations"
        if not (policies_of(played)[0] == policy).all():
            yield f"episode {k}: another policy"
        if (learner.time, tuple(learner.n_plus)) != (plain.statistics.time, plain.statistics.n_plus):
            yield f"episode {k}: other draws"
            return


def wrong_decisions(has_grown: Callable[..., bool], horizon: Any, count: int) -> tuple[list[str], int]:
    """Where times near the factor, or at it, are not compared exactly; and how many were at it."""
    model, draw, wrong, equal = MACHINE.with_horizon(horizon), Random(1), [], 0
    for _ in range(count):
        replan = Fraction(draw.randint(1, 200), draw.choice((1, 3, 100, 999_983)))
        given = told(model, replan, episodes=10 ** draw.randint(1, 9), bonus="optimistic")
        learner = compiled_learner(model, given, seed=1, steps=1)
        growth = make_growth_rule(model, given, learner._tick)._replace(least_time=0.0)
        factor, most = 1 + replan, 2**61 // (1 + int(replan)) // (1 + replan.denominator)
        ticks, cut = draw.randint(1, max(1, most >> draw.randint(0, 40))), draw.randint(0, 10**3)
        before = [ticks * factor.denominator, cut * factor.denominator, 10**7]
        now = [ticks * factor.numerator + draw.choice((-1, 0, 0, 1)), cut * factor.numerator, 10**7]
        now[1] += draw.choice((0, 0, 1, 2))
        rest = model.horizon % learner._tick / learner._tick
        true, goal = now[0] + now[1] * rest, factor * (before[0] + before[1] * rest)
        arrays = [np.array(column, np.int64).reshape(-1, 1) for column in ([*now, 0], before)]
        equal += true == goal
        if has_grown(0, learner.scene.numbers, growth, *arrays) != (true > goal):
            wrong.append(f"{replan}: {before} to {now}")
    return wrong, equal
