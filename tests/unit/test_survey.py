"""Signs are claimed for the true values: where the error bound could turn one, none is claimed."""

from __future__ import annotations

from flint import arb, fmpq

import ctucbvi
from ctucbvi import Semantics
from ctucbvi.exact.lumping import unlumped
from ctucbvi.exact.poisson import Basis
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.exact.problem import Problem, Regime
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.survey import survey
from ctucbvi.library import machine_repair

START, BITS = fmpq(2, 5), 128


def surveyed(shift: fmpq, error: fmpq):
    """The first regime of machine repair from t = 2/5 on, with (repair, slow) moved by ``shift``."""
    model = machine_repair()
    solution = ctucbvi.solve(model, digits=20)
    carried = [to_fmpq(solution.commitment_value(r.state, r.action, "2/5").mid) for r in model.transitions]
    carried[2] += shift
    problem = Problem.of(unlumped(model), Semantics.COMMITTED, truncate=False)
    with precision(BITS):
        reach = (problem.horizon - START) * problem.clock
        regime = Regime((1, 2), (False, False))  # fast while operating, slow under repair
        step = RegimeStep(problem, regime, START, carried, Basis(reach, BITS))
        return survey(step, arb(error), None, frozenset(), lambda: None)


def test_the_doubt_covers_every_start_that_the_error_bound_allows():
    error = fmpq(1, 10**6)
    found = surveyed(fmpq(0), error)
    assert found.losers == [(1, 3)]
    (doubt,) = found.zeros[1, 3]
    cuts = [surveyed(shift, fmpq(0)).cut for shift in (-error, fmpq(0), error)]
    assert cuts[0] < cuts[1] < cuts[2]  # a better start for the leader makes the switch later
    assert doubt.lower < cuts[0]
    assert cuts[2] < doubt.upper == found.cut


def test_without_an_error_the_doubt_is_a_point_to_the_precision():
    found = surveyed(fmpq(0), fmpq(0))
    (doubt,) = found.zeros[1, 3]
    assert doubt.upper - doubt.lower < fmpq(1, 2**80)
