"""What the compiled learner plays on its grid, against the certified policy of the same history."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ctucbvi import bundled_model
from ctucbvi.crosscheck.lockstep import Lockstep, Step
from ctucbvi.learning import Environment, Settings
from ctucbvi.numeric.learner import FastLearner

MACHINE = bundled_model("machine-repair")


def departures(step: Step) -> list[Fraction]:
    """How far from a certified switch (or 0) a recorded action is not that of the exact policy.

    At 0 all actions are worth nothing, and the grid takes the first one up to its second point.
    """
    remaining, found = MACHINE.horizon, []
    for visit in step.drawn.visits:
        if step.plan.action(visit.state, remaining) != visit.action:
            places = [Fraction(0), *(s.lower for s in step.plan.switches if s.state == visit.state)]
            found.append(min(abs(remaining - t) for t in places))
        remaining -= visit.holding
    return found


@pytest.mark.parametrize(("cells", "departs"), [(100, True), (2000, False)])
def test_the_compiled_learner_departs_from_the_exact_policy_within_a_cell_of_a_switch(cells, departs):
    settings = Settings.for_model(MACHINE, episodes=40)
    drawn = FastLearner(MACHINE, settings, seed=1, steps=cells, record=True).advance(40).history
    found = list(Lockstep(MACHINE, settings).replay(drawn))
    assert [d for step in found for d in step.unexplained] == []
    away = [gap for step in found for gap in departures(step)]
    assert len(away) == sum(step.departures for step in found)
    assert bool(away) == departs
    assert all(gap < Fraction(1, cells) for gap in away)


def test_another_policy_departs_far_from_the_switches():
    settings, world = Settings.for_model(MACHINE, episodes=40), Environment(MACHINE, seed=1)
    drawn = [world.episode(lambda x, t: "slow") for _ in range(5)]
    away = [gap for step in Lockstep(MACHINE, settings).replay(drawn) for gap in departures(step)]
    assert any(gap > Fraction(1, 100) for gap in away)
