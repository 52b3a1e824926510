r"""The fixed point: V* and the optimal policy with guaranteed digits.

One pass at a given precision (:mod:`ctucbvi.exact.trajectory`) gives proved enclosures of
every value and, where signs could be proved, the policy.  :func:`solve` chooses the
precision, looks at what came out, and raises it until the digits that were asked for are
there and the policy is resolved; ties that two further rounds do not separate are reported as
ties.  Everything has a budget, and what it did not suffice for is said in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil, log2

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.exact.lumping import lump
from ctucbvi.exact.regimes import Problem
from ctucbvi.exact.solution import Solution, Values
from ctucbvi.exact.trajectory import Budget, BudgetError, Pass, Progress
from ctucbvi.model import CTMDP, Number, Semantics

_GUARD_BITS = 64  # rounding, and the digits of values that are small beside the scale
_EXTRA_ROUNDS = 2  # raises of precision spent on telling actions apart


def solve(
    model: CTMDP,
    semantics: Semantics | str = Semantics.COMMITTED,
    *,
    digits: int = 15,
    truncate: bool = False,
    at: Iterable[tuple[str, Number]] = (),
    resolve_policy: bool = True,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Solve ``model`` with ``digits`` guaranteed significant digits.

    The digits hold for every state at the horizon and for the points ``at``; elsewhere the
    error has the same bound in absolute terms.  ``resolve_policy=False`` stops as soon as
    the values are there.  ``truncate=True`` caps values at the remaining time,
    ``V = min{t, max_a Q}``, as the learner's planner does.
    """
    semantics = Semantics(semantics)
    spending = (budget or Budget()).begin()
    points: list[tuple[str, Number]] = [(x, model.horizon) for x in model.states]
    points += at
    quotient = lump(model)
    bits, pace = starting_bits(model, digits), 1
    rounds_for_policy = _EXTRA_ROUNDS if resolve_policy else 0
    best: Solution | None = None
    while True:
        problem = Problem.of(quotient, semantics, truncate, pace)
        try:
            pieces = Pass(problem, bits, spending, progress).run()
        except BudgetError as error:
            return _stopped(best, model, points, error)
        best = Solution(model, semantics, digits, bits, quotient, pieces, (), truncate)
        missing = missing_digits(best, points)
        doubts = _doubts(best) if resolve_policy else []
        if not missing and (not doubts or rounds_for_policy == 0):
            return replace(best, undecided=tuple(doubts))
        if pace == 1:
            pace = 2  # it may be the form of the series and not the precision
            continue
        if 2 * bits > spending.max_bits or spending.expired:
            return replace(best, undecided=tuple(missing + doubts))
        rounds_for_policy -= 0 if missing else 1
        bits *= 2


def starting_bits(model: CTMDP, digits: int) -> int:
    """The precision to begin with: the digits, and what a pass of this length may lose."""
    if not 1 <= digits <= 10_000:
        raise InputError(f"digits: {digits} is not between 1 and 10000")
    load = model.max_rate * model.horizon
    length = max(1, load.numerator.bit_length() - load.denominator.bit_length() + 1)
    return ceil(digits * log2(10)) + _GUARD_BITS + 2 * length


def missing_digits(values: Values, points: Iterable[tuple[str, Number]]) -> list[str]:
    """The points at which ``values`` has fewer digits than were asked for, in words."""
    scale = values.model.value_scale
    return [
        f"V({state}, {t}) has fewer than {values.digits} digits at {values.bits} bits"
        for state, t in points
        if not values.value(state, t).has_digits(values.digits, scale)
    ]


def _doubts(solution: Solution) -> list[str]:
    reasons = [
        f"{state}: {', '.join(s.actions)} cannot be told apart for t in "
        f"[{s.start.decimals(6)[0]}, {s.end.decimals(6)[0]}] at {solution.bits} bits"
        for state, s in solution.doubts
    ]
    reasons += [
        f"{s.state}: the switch near t = {s.time.decimals(6)[0]} has fewer than {solution.digits} digits"
        for s in solution.switches
        if s.time.width * 10**solution.digits > s.time.upper
    ]
    return reasons


def _stopped(
    best: Solution | None, model: CTMDP, points: list[tuple[str, Number]], error: BudgetError
) -> Solution:
    if best is None:
        raise UndecidedError(f"undecided: {error} for model {model.name!r}; raise the budget") from None
    reasons = [str(error), *missing_digits(best, points), *_doubts(best)]
    return replace(best, undecided=tuple(reasons))
