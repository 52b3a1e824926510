"""What the compiled learner plays on its grid, against the certified policy of the same history."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.lockstep import Lockstep

MACHINE = bundled_model("machine-repair")
SETTINGS = Settings.for_model(MACHINE, episodes=40)


class Late(FastLearner):
    """Keeps its counts from the episode before."""

    @property
    def time(self):
        found, self.last = getattr(self, "last", super().time), super().time
        return found


class Pretending:
    """A learner that says its grid is finer than it is."""

    def __init__(self, leader, steps):
        self._leader, self.steps = leader, steps

    def __getattr__(self, name):
        return getattr(self._leader, name)


def differences(kind, cells, episodes=40):
    leader = kind(MACHINE, SETTINGS, seed=1, steps=cells, record=True)
    return [d for step in Lockstep(MACHINE, SETTINGS).follow(leader, episodes) for d in step.differences]


@pytest.mark.parametrize(("cells", "departs"), [(20, True), (2000, False)])
def test_the_compiled_learner_departs_from_the_exact_policy_within_a_cell_of_a_switch_only(cells, departs):
    found = differences(FastLearner, cells)
    assert [d for d in found if not d.explained] == []
    assert bool(found) == departs
    assert all(d.kind == "action" and d.gap < Fraction(1, cells) for d in found)


def test_counts_that_are_not_those_of_the_history_are_unexplained():
    found = differences(Late, 100, 4)
    assert {d.kind for d in found if not d.explained} == {"estimate"}


def test_a_policy_of_a_coarser_grid_departs_too_far_from_the_switches():
    leader = FastLearner(MACHINE, SETTINGS, seed=1, steps=5, record=True)
    pretending = [
        d
        for step in Lockstep(MACHINE, SETTINGS).follow(Pretending(leader, 100), 40)
        for d in step.differences
    ]
    assert any(d.kind == "action" and not d.explained for d in pretending)
