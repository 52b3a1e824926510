"""One thing wrong in a history: the check names it, or refuses the file with one line; hundreds of them."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from random import Random

import hypothesis
import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings, history, reports
from ctucbvi.learning.lockstep import checking
from tests.hostile_histories import (
    MAKERS,
    NOTHING,
    action,
    base,
    bytes_cut,
    harmless,
    holding,
    number_of_a_pair,
    rubbish_of_a_pair,
    said_about,
    scalar,
)

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


def unlike(tmp_path, task, make, seed: int):
    """What the check says if it is not what it should say, else None."""
    settings, lines = task
    case = make(Random(seed), MACHINE, deepcopy(lines))
    file = tmp_path / "mine.jsonl"
    file.write_text(case.text)
    found = said_about(MACHINE, settings, file)
    told = (seed, case.what, found, case.expected)
    if found == case.expected:
        return None
    if make is action and harmless(MACHINE, settings, case.text, case.expected):
        return told if found != NOTHING and found[0] <= case.expected[0] and found[1] == "action" else None
    if make is holding and found[1] == "action":  # a time may also move an action across a switch
        return None if case.expected == NOTHING or found[0] < case.expected[0] else told
    return told


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_what_is_wrong_is_named_or_refused(tmp_path, task, make):
    for seed in range(MANY):
        assert unlike(tmp_path, task, make, seed) is None


def nothing(*_: object, **__: object) -> None:
    """A comparison that finds nothing."""


def as_it_comes(lines):
    """Reads what breaks off as if it had not been there."""
    return lambda path, whole=False: lines(path)


MUTANTS = {
    "numbers are not compared": (checking._Findings, "near", nothing, number_of_a_pair),
    "sets are called bonuses": (checking, "_kind", lambda what: "bonus", number_of_a_pair),
    "an l1 radius is any": (checking, "_within", lambda radius: Fraction(2), number_of_a_pair),
    "units are large": (checking, "_unit", lambda plan, what: Fraction(10**9), number_of_a_pair),
    "flags are not compared": (checking._Findings, "same", nothing, scalar),
    "actions are not compared": (checking._Findings, "act", nothing, action),
    "rubbish is 0": (reports, "real", lambda number, where: Fraction(0), rubbish_of_a_pair),
    "what breaks off is left out": (history, "_lines", as_it_comes(history._lines), bytes_cut),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_check_that_looks_away_is_found_out(tmp_path, monkeypatch, mutant):
    settings = Settings.for_model(MACHINE, episodes=EPISODES, **LEARNERS["l1"])
    task = settings, base(MACHINE, settings, EPISODES, seed=5)
    holder, name, wrong, make = MUTANTS[mutant]
    monkeypatch.setattr(holder, name, wrong)
    assert any(unlike(tmp_path, task, make, seed) for seed in range(60))
