"""One thing wrong in a history: the check names it, or refuses the file with one line; hundreds of them."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import hypothesis
import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings
from tests.hostile_histories import MAKERS, NOTHING, base, harmless, said_about

MACHINE = bundled_model("machine-repair")
EPISODES = 4
MANY = hypothesis.settings().max_examples // 4  # of each kind and learner; more in the thorough profile
LEARNERS = {
    "paper": {},
    "sharp": {"bonus": "sharp"},
    "greedy": {"bonus": "none"},
    "lazy": {"bonus": "none", "replan": "1"},
    "l1": {"bonus": "optimistic", "delta": "9/10"},
    "kl": {"bonus": "optimistic", "rates": "poisson", "jumps": "kl", "delta": "9/10"},
}


@pytest.fixture(scope="module", params=LEARNERS)
def task(request):
    """Settings, and a right history of them."""
    settings = Settings.for_model(MACHINE, episodes=EPISODES, **LEARNERS[request.param])
    return settings, base(MACHINE, settings, EPISODES, seed=5)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_what_is_wrong_is_named_or_refused(tmp_path, task, make):
    settings, lines = task
    for seed in range(MANY):
        case = make(Random(seed), MACHINE, deepcopy(lines))
        file = tmp_path / "mine.jsonl"
        file.write_text(case.text)
        found = said_about(MACHINE, settings, file)
        if found == case.expected:
            continue
        told = (seed, case.what, found, case.expected)
        if make.__name__ == "action" and harmless(MACHINE, settings, case.text, case.expected):
            assert found == NOTHING or found[1] != "action" or found[0] > case.expected[0], told
        else:  # a time may also move an action across a switch
            assert make.__name__ == "holding", told
            assert found[1] == "action", told
            assert case.expected == NOTHING or found[0] < case.expected[0], told
