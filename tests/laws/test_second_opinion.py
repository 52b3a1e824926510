"""The laws, for the mpmath second opinion: it must be a planner in its own right."""

from __future__ import annotations

from tests.laws.planner_laws import PlannerLaws
from tests.opinions import second_opinion


class TestSecondOpinion(PlannerLaws):
    planner = staticmethod(lambda model, semantics: second_opinion(model, semantics, digits=12))
