"""What the planner of all models needs is compiled ahead: its march here, its certificate beside it.

Neither knows the other, and they take about as long.  So a process of its own proves something about a
solution that nobody has marched to, while this one marches.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import beside
from ctucbvi.library import machine_repair
from ctucbvi.model import Semantics
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.bent_residuals import bent_bounds
from ctucbvi.numeric.certificate import certify
from ctucbvi.numeric.planner import solve_numeric
from ctucbvi.numeric.residuals import adjustable_bounds, committed_bounds
from ctucbvi.numeric.rooms import Care
from ctucbvi.numeric.solution import NumericSolution


def compile_ahead(semantics: Semantics | str, *, bends: bool = False) -> bool:
    """Let march and certificate of any model be compiled; whether they had to be.

    With ``bends`` also those whose pieces run over switches, of large models.
    """
    semantics = Semantics(semantics)
    kernel = committed_bounds if semantics is Semantics.COMMITTED else adjustable_bounds
    had_to = not kernel.kept
    with beside(kernel, f"from {__name__} import prove_nothing; prove_nothing({str(semantics)!r})"):
        solution = solve_numeric(machine_repair(), semantics, care=Care())  # the way of all models
    certify(solution)
    if bends:
        had_to = had_to or not bent_bounds.kept
        certify(solve_numeric(machine_repair(), semantics, care=Care(bends=True)))
    return had_to


def prove_nothing(semantics: Semantics | str) -> float:
    """How far from the values of a model zeros are, at most."""
    model, orders = machine_repair(), 2
    arrays = Arrays.in_order(model)
    states, pairs = arrays.states, len(arrays.rate)
    zeros = NumericSolution(
        model,
        Semantics(semantics),
        truncate=False,
        tolerance=1.0,
        times=np.array([0.0, arrays.horizon]),
        coefficients=np.zeros((1, orders, states)),
        scores=np.zeros((1, orders, pairs)),
        best=arrays.first[:-1].reshape(1, states).copy(),
        capped=np.zeros((1, states), np.int64),
    )
    return certify(zeros).bound
