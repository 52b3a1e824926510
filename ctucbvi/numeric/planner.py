r"""The fast planner: values and policies in double precision, readable at any remaining time, or at some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf
from typing import overload

import numpy as np

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.budget import NumericBudget
from ctucbvi.numeric.rooms import NOBODY, Care, March, Taker
from ctucbvi.numeric.small import solve_small
from ctucbvi.numeric.solution import Excerpt, ExcerptNotes, NumericSolution, Wanted
from ctucbvi.policy import Policy


@overload
def solve_numeric(
    model: CTMDP,
    semantics: Semantics | str = ...,
    *,
    tolerance: float = ...,
    truncate: bool = ...,
    care: Care | None = ...,
    budget: NumericBudget | None = ...,
    at: None = None,
) -> NumericSolution: ...


@overload
def solve_numeric(
    model: CTMDP,
    semantics: Semantics | str = ...,
    *,
    tolerance: float = ...,
    truncate: bool = ...,
    care: Care | None = ...,
    budget: NumericBudget | None = ...,
    at: Iterable[Number],
) -> Excerpt: ...


def solve_numeric(
    model: CTMDP,
    semantics: Semantics | str = Semantics.COMMITTED,
    *,
    tolerance: float = 1e-9,
    truncate: bool = False,
    care: Care | None = None,
    budget: NumericBudget | None = None,
    at: Iterable[Number] | None = None,
) -> NumericSolution | Excerpt:
    """Solve ``model`` with an error of about ``tolerance`` in every value.

    How large it is ``certify`` proves; ``solve_certified`` takes more ``care`` until it is small enough.
    With remaining times in ``at``, only the policy and the values there (and at the horizon) are kept, in
    little memory.  Such an answer cannot be certified afterwards; ``solve_certified`` has ``at``, too.
    When the budget is out, what is ``known`` is the solution for the remaining time that was reached.
    """
    if at is None and care is None and budget is None:
        quick = solve_small(model, semantics, tolerance, truncate)
        if quick is not None:
            return quick
    problem = Wanted(Semantics(semantics), truncate, tolerance)
    notes = None if at is None else ExcerptNotes(model, problem, at, budget)
    run, model, stopped = walk(model, problem, care, budget, (notes,) if notes else ())
    if notes is None:
        found: NumericSolution | Excerpt = run.solution(model, problem)
    else:
        found = notes.excerpt(model)
    if stopped:
        raise UndecidedError(str(stopped), found)
    return found


def walk(
    model: CTMDP,
    problem: Wanted,
    care: Care | None,
    budget: NumericBudget | None,
    takers: Sequence[Taker],
) -> tuple[March, CTMDP, UndecidedError | None]:
    """March to the horizon; where the budget is out before it, the model ends where the march did."""
    _check_tolerance(problem.tolerance, model)
    model.plain(truncate=problem.truncate, semantics=problem.semantics)  # refuses what has no value
    arrays, committed = Arrays.in_order(model), problem.semantics is Semantics.COMMITTED
    run = March(arrays, committed, problem.truncate, problem.tolerance, care, budget, takers)
    stopped = None
    try:
        run.go(run.whole, NOBODY)
    except UndecidedError as error:
        if not 0 < run.reached < inf:
            raise
        run.whole, stopped = run.reached, error
        model = model.with_horizon(Fraction(run.reached))
    run.finish()
    return run, model, stopped


def evaluate_numeric(
    policy: Policy, semantics: Semantics | str = Semantics.COMMITTED, *, tolerance: float = 1e-9
) -> NumericSolution:
    """The value of ``policy`` with an error of about ``tolerance``; ``certify`` proves how much it is.

    A policy's breakpoints are rounded to doubles; a policy whose breakpoints are doubles is
    evaluated as it is, and certificates are given for such policies only.
    """
    semantics, model = Semantics(semantics), policy.model
    _check_tolerance(tolerance, model)
    model.plain(semantics=semantics)
    run = March(Arrays.in_order(model), semantics is Semantics.COMMITTED, False, tolerance)
    pair = {(row.state, row.action): i for i, row in enumerate(model.transitions)}
    starts = (Fraction(0), *policy.breakpoints)
    ends = [*(float(t) for t in starts[1:]), run.whole]
    for start, end in zip(starts, ends, strict=True):
        actions = [pair[x, policy.action(x, start)] for x in model.states]
        run.go(end, np.array(actions, np.int64))
    return run.solution(model, Wanted(semantics, False, tolerance), policy)


def smallest_tolerance(model: CTMDP) -> float:
    """What doubles can give: some rounding errors of the largest value that the model may have."""
    return Arrays.of(model).tolerances[0]


def _check_tolerance(tolerance: float, model: CTMDP) -> None:
    least, most = Arrays.of(model).tolerances
    if not least <= tolerance < most:
        raise InputError(
            f"tolerance: {tolerance} is out of reach of double precision for values of this size; "
            f"ask for at least {least:.1e} and less than {most:.0e}"
        )
