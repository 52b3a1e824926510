"""Wrong bounds on purpose: the checks that the real ones pass must fail for them.

The kernels run as plain Python here, so that a line can be changed without compiling anything.
"""

from __future__ import annotations

import numpy as np
import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings
from ctucbvi.learning.fast import learner as learner_module
from ctucbvi.learning.fast.estimate_box import VALID
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.model import CTMDP
from tests.fast_learners import ODD, QUIET, TWINS, box_violations, laid_out, plain_kernels
from tests.histories import policies_of, rounds_of

MACHINE = bundled_model("machine-repair")


# Model, episodes before, episodes that the box is for, and whether with bonus.  With little data the bonus is
# so large that all values are cut off; with more, or without bonus, actions overtake each other.
BOXES = [
    (MACHINE, 3000, 60, True),
    (MACHINE, 500, 40, False),
    (ODD, 3000, 40, True),
    (QUIET, 3000, 200, True),
]
BOXES += [(MACHINE, 300_000, 3000, True), (MACHINE, 300_000, 20_000, True), (QUIET, 5000, 500, False)]


def violations(**mutation: tuple[str, str]) -> set[str]:
    """What the direct check of the bound finds on a few boxes."""
    found: set[str] = set()
    with plain_kernels(**mutation) as kernels:
        for model, episodes, aim, bonus in BOXES:
            laid = laid_out(model, episodes, aim, kernels, steps=8, bonus=bonus)
            assert laid is not None
            found.update(box_violations(laid, samples=40))
    return found


def test_the_real_bound_passes_as_plain_python() -> None:
    assert violations() == set()


WRONG_BOUNDS = {
    "half the spread of a lead": (
        "tracking",
        "if lead > lead_in_box(trust, margins, best, k, i) * SLACK + rest:",
        "if lead > lead_in_box(trust, margins, best, k, i) * 0.5:",
        "action",
    ),
    "a pair forgotten": (
        "skipping",
        "        accumulate(weights, out)\n        for k in",
        "        accumulate(weights, out)\n        out *= trust.lanes[lane, PAIR] != 0\n        for k in",
        "remainder",
    ),
    "no kinks": (
        "skipping",
        "rest = remainder[best, i] + max(0.0, excess + noise)",
        "rest = remainder[best, i]",
        "remainder",
    ),
    "a cut-off that never ends": (
        "skipping",
        "rest = max(0.0, times[i] - (top - reach) + noise)",
        "rest = 0.0",
        "remainder",
    ),
    "no products of changes": (
        "skipping",
        "out[i] += first * linear[k, i - 1] + 0.5 * first * (total[i - 1] + total[i])",
        "pass",
        "remainder",
    ),
    "the wrong derivative by the rate": (
        "skipping",
        "- decay * action_value[i - 1]",
        "- action_value[i - 1]",
        "remainder",
    ),
    "distances that do not move": (
        "skipping",
        "step, moves = new[x, i] - old[x, i], spread[x, i] * SLACK",
        "step, moves = new[x, i] - old[x, i], 0.0",
        "last",
    ),
    "the distances before taken as they are": (
        "skipping",
        "limits[LEAST] = min(limits[LEAST], low - limits[NOISE])",
        "limits[LEAST] = min(limits[LEAST], 0.5 * (low + high))",
        "least",
    ),
}


@pytest.mark.parametrize("name", WRONG_BOUNDS)
def test_a_wrong_bound_is_caught(name: str) -> None:
    module, old, new, kind = WRONG_BOUNDS[name]
    assert kind in violations(**{module: (old, new)})


# --- whole loops ------------------------------------------------------------------------------


def departs(
    monkeypatch: pytest.MonkeyPatch,
    model: CTMDP,
    begin: int,
    count: int,
    options: dict[str, object],
    **mutation,
) -> bool:
    """Whether a loop with planning left out does anything other than the eager one, from ``begin`` on."""
    given = Settings.for_model(model, episodes=10**5, **options)
    eager = FastLearner(model, given, seed=4, steps=6, skip=False)
    other = FastLearner(model, given, seed=4, steps=6)
    for learner in (eager, other):
        learner.advance(begin)
    other._trust.used[VALID] = 0  # a new box to begin with
    with plain_kernels(**mutation) as kernels:
        for _ in range(count // 20):
            wanted = eager.advance(20)
            # The generator counts modulo 2^64.
            with monkeypatch.context() as patch, np.errstate(over="ignore"):
                patch.setattr(learner_module, "run_episodes", kernels.episode_loop.run)
                found = other.advance(20)
            if rounds_of(eager) != rounds_of(other) or eager.time != other.time:
                return True
            if not np.array_equal(found.starts, wanted.starts):
                return True
            if not np.array_equal(policies_of(found), policies_of(wanted)):
                return True
    return False


def before_another_round(model: CTMDP, options: dict[str, object]) -> int:
    """An episode not long before one in which the number of iterations is another one."""
    learner = FastLearner(model, Settings.for_model(model, episodes=10**5, **options), seed=4, steps=6)
    learner.advance(2000)
    rounds = rounds_of(learner)
    while rounds_of(learner) == rounds:
        learner.advance(1)
    return learner.episodes - 100


GREEDY = {"bonus": False}
SEVERAL = [
    (MACHINE, before_another_round(MACHINE, GREEDY), GREEDY),
    (MACHINE, 3000, {}),
    (TWINS, 10, {"lambda_max": 3}),
    (QUIET, 10, {}),
    (QUIET, 20_000, {}),  # where the bonus no longer decides
]


@pytest.mark.parametrize(("model", "begin", "options"), SEVERAL)
def test_the_real_loop_passes_as_plain_python(monkeypatch, model, begin, options) -> None:
    assert not departs(monkeypatch, model, begin, 300, options)


WRONG_LOOPS = {
    "n_k forgotten": (
        "tracking",
        "if not (limits[LEAST] >= epsilon and limits[LAST] < epsilon):",
        "if False:",
    ),
    "changes forgotten": (
        "estimate_box",
        "    trust.delta[lane] = change\n",
        "    trust.delta[lane] = 0.0\n",
    ),
    "a pair forgotten": (
        "estimate_box",
        "if outside(trust.lane_of[SPEED, k], desk.rate[k] - trust.rate[k], trust):",
        "if k != 1 and outside(trust.lane_of[SPEED, k], desk.rate[k] - trust.rate[k], trust):",
    ),
    "the box forgotten": ("episode_loop", "if known[VALID] and not left_box:", "if known[VALID]:"),
    "twins forgotten": ("estimate_box", "if stay > 0.0 and trust.glued[k] == 0:", "if stay > 0.0:"),
}


@pytest.mark.parametrize("name", WRONG_LOOPS)
def test_a_wrong_loop_is_caught(monkeypatch, name: str) -> None:
    module, old, new = WRONG_LOOPS[name]
    assert any(
        departs(monkeypatch, model, begin, 600, options, **{module: (old, new)})
        for model, begin, options in SEVERAL
    )
