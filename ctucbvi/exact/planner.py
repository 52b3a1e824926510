r"""The fixed point: V* and the optimal policy with guaranteed digits.

One pass at a given precision (:mod:`ctucbvi.exact.trajectory`) gives proved enclosures of
every value and, where signs could be proved, the policy.  :func:`solve` chooses the
precision, looks at what came out, and raises it until the digits that were asked for are
there and the policy is resolved; ties that two further rounds do not separate are reported as
ties.  Digits count against the value itself, also where it nearly cancels; a value that three
further rounds do not tell from 0 is reported as one of unknown digits (0 is proved only where no
reward can be reached).  Everything has a budget, and what it did not suffice for is said in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import ceil, log2

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.exact.lumping import lump
from ctucbvi.exact.regimes import Problem
from ctucbvi.exact.solution import Solution, Values
from ctucbvi.exact.start import Opening
from ctucbvi.exact.trajectory import Budget, BudgetError, Pass, Progress
from ctucbvi.model import CTMDP, Number, Semantics

_GUARD_BITS = 64  # rounding, and the digits of values that are small beside the scale
_EXTRA_ROUNDS = 2  # raises of precision spent on telling actions apart
ZERO_ROUNDS = 3  # raises of precision spent on telling a value from 0


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

    What is missing in the end is listed in :attr:`Solution.undecided`.  If the budget did not
    suffice for one pass over the horizon, :class:`UndecidedError` is raised, and its ``known`` is a
    solution that is rough, or has only wide enclosures, where the pass did not come.

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
    most_bits = spending.most_bits(bits)
    rounds_for_policy = _EXTRA_ROUNDS if resolve_policy else 0
    rounds_for_zeros = ZERO_ROUNDS
    best: Solution | None = None
    begin: Opening | None = None
    while True:
        run = Pass(Problem.of(quotient, semantics, truncate, pace), bits, spending, progress, begin)
        try:
            run.run()
        except BudgetError as error:
            known = best or Solution(model, semantics, digits, bits, quotient, run.pieces, (), truncate)
            return _stopped(known, points, error, complete=best is not None)
        begin = run.begin
        best = Solution(model, semantics, digits, bits, quotient, run.pieces, (), truncate)
        missing = missing_digits(best, points)
        doubts = _doubts(best) if resolve_policy else []
        if not missing and (not doubts or rounds_for_policy == 0):
            return replace(best, undecided=tuple(doubts))
        hopeless = missing and rounds_for_zeros == 0 and all(perhaps_zero(best, *p) for p in missing)
        if pace == 2 and (hopeless or 2 * bits > most_bits or spending.expired):
            return replace(best, undecided=(*missing.values(), *doubts))
        if pace == 1:
            pace = 2  # it may be the form of the series and not the precision
            continue
        rounds_for_policy -= 0 if missing else 1
        rounds_for_zeros -= 1 if rounds_for_zeros else 0
        bits *= 2


def starting_bits(model: CTMDP, digits: int) -> int:
    """The precision to begin with: the digits, and what a pass of this length may lose."""
    if not 1 <= digits <= 10_000:
        raise InputError(f"digits: {digits} is not between 1 and 10000")
    load = model.max_rate * model.horizon
    length = max(1, load.numerator.bit_length() - load.denominator.bit_length() + 1)
    return ceil(digits * log2(10)) + _GUARD_BITS + 2 * length


def missing_digits(values: Values, points: Iterable[tuple[str, Number]]) -> dict[tuple[str, Number], str]:
    """The points at which ``values`` has fewer digits than were asked for, each with that in words."""
    found = {}
    for state, t in points:
        value = values.value(state, t)
        if not value.has_digits(values.digits):
            short = f"V({state}, {t}) has fewer than {values.digits} digits at {values.bits} bits"
            zero = f": not told from 0, at most {value.bound()} in size" if value.straddles_zero else ""
            found[state, t] = short + zero
    return found


def perhaps_zero(values: Values, state: str, t: Number) -> bool:
    """Whether a value is 0 for all that is known, and everything else about it is known."""
    value = values.value(state, t)
    return value.straddles_zero and value.width * 10**values.digits <= values.model.value_scale


def imprecise(values: Values) -> list[str]:
    """The values at the horizon with too few digits, in words, but for those that may be 0 and are tiny.

    For comparisons, in which an error counts against the scale of the model.
    """
    missing = missing_digits(values, [(state, values.model.horizon) for state in values.model.states])
    return [reason for point, reason in missing.items() if not perhaps_zero(values, *point)]


def _doubts(solution: Solution) -> list[str]:
    reasons = [
        f"{state}: {', '.join(s.actions)} cannot be told apart for t in "
        f"[{s.start.decimals(6)[0]}, {s.end.decimals(6)[0]}] at {solution.bits} bits"
        for state, s in solution.doubts
    ]
    reasons += [
        f"{s.state}: the switch near t = {s.time.decimals(6)[0]} has fewer than {solution.digits} digits"
        for s in solution.vague_switches
    ]
    return reasons


def _stopped(
    known: Solution, points: list[tuple[str, Number]], error: BudgetError, *, complete: bool
) -> Solution:
    """What is known when the budget is out; raised, and not returned, where no pass came to its end."""
    reasons = (str(error), *missing_digits(known, points).values(), *_doubts(known))
    known = replace(known, undecided=reasons)
    if not complete:
        message = f"undecided: {error} for model {known.model.name!r}; raise the budget"
        raise UndecidedError(message, known) from None
    return known
