"""The laws, for the fast planner with the errors that its certificate proves."""

from __future__ import annotations

from ctucbvi.numeric import certify, solve_numeric
from tests.laws.planner_laws import PlannerLaws


class TestNumericPlanner(PlannerLaws):
    planner = staticmethod(lambda model, semantics: certify(solve_numeric(model, semantics)).value)
