r"""The fixed point: V* and the optimal policy with guaranteed digits.

One pass at a given precision (:mod:`ctucbvi.exact.trajectory`) gives proved enclosures of
every value and, where signs could be proved, the policy.  :func:`solve` chooses the
precision, looks at what came out, and raises it until the digits that were asked for are
there and the policy is resolved; ties that two further rounds do not separate are reported as
ties.  Digits count against the value itself, also where it nearly cancels; a value that three
further rounds do not tell from 0 is reported as one of unknown digits (0 is proved where the graph
tells it: :mod:`ctucbvi.exact.certain`).  Everything has a budget, and what it did not suffice for is a doubt.

What does not depend on the digits (the lumped problem, its numbers, the first regime) is kept with a small
model, which is quicker solved than read: to solve it again does not read it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil, gcd, log2

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.exact.lumping import lump
from ctucbvi.exact.problem import Problem
from ctucbvi.exact.solution import Solution
from ctucbvi.exact.start import AT_ONCE, Opening
from ctucbvi.exact.trajectory import Budget, BudgetError, Pass, Progress
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.model.kept import while_it_lives
from ctucbvi.solutions import About, Doubt

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
    solution that is rough, or has only wide enclosures, where the pass did not come; None if it did not
    begin.  Everything counts, from the first look at the model on.

    The digits hold for every state at the horizon and for the points ``at``; elsewhere the
    error has the same bound in absolute terms.  ``resolve_policy=False`` stops as soon as
    the values are there.  ``truncate=True`` caps values at the remaining time,
    ``V = min{t, max_a Q}``, as the learner's planner does.
    """
    semantics = Semantics(semantics)
    spending = (budget or Budget()).begin()
    points: list[tuple[str, Number]] = [(x, model.horizon) for x in model.states]
    points += at
    plain = model.plain(truncate=truncate, semantics=semantics)
    try:
        ground = _ground(plain, semantics, truncate, lambda: spending.check(0))
    except BudgetError as error:
        raise UndecidedError(_why(error, model)) from None
    quotient, begin = ground.quotient, ground.begin
    bits, pace = starting_bits(model, digits), 1
    most_bits = spending.most_bits(bits)
    rounds_for_policy = _EXTRA_ROUNDS if resolve_policy else 0
    rounds_for_zeros = ZERO_ROUNDS
    best: Solution | None = None
    while True:
        run = Pass(ground.problem(pace), bits, spending, progress, begin)
        try:
            run.run()
        except BudgetError as error:
            known = best or Solution(model, semantics, digits, bits, quotient, run.pieces, (), truncate)
            return _stopped(known, points, error, complete=best is not None)
        begin = run.begin
        ground.keep(begin)
        best = Solution(model, semantics, digits, bits, quotient, run.pieces, (), truncate)
        missing = best.missing_digits(points)
        doubts = best.policy_doubts if resolve_policy else ()
        if not missing and (not doubts or rounds_for_policy == 0):
            return best.with_doubts(doubts) if doubts else best
        hopeless = missing and rounds_for_zeros == 0 and all(best.perhaps_zero(*p) for p in missing)
        if pace == 2 and (hopeless or 2 * bits > most_bits or spending.expired):
            return best.with_doubts((*missing.values(), *doubts))
        if pace == 1:
            pace = 2  # it may be the form of the series and not the precision
            continue
        rounds_for_policy -= 0 if missing else 1
        rounds_for_zeros -= 1 if rounds_for_zeros else 0
        bits *= 2


class _Ground:
    """What all passes have in common, whatever their precision."""

    def __init__(self, plain: CTMDP, semantics: Semantics, truncate: bool, check: Callable[[], None]) -> None:
        self.quotient = lump(plain, check)
        self.begin: Opening | None = None
        self._told = semantics, truncate
        self._problems: dict[int, Problem] = {}

    def problem(self, pace: int) -> Problem:
        """The problem whose clock is so much quicker than the largest rate."""
        found = self._problems.get(pace)
        if found is None:
            found = self._problems[pace] = Problem.of(self.quotient, *self._told, pace)
        return found

    def keep(self, begin: Opening | None) -> None:
        """The first regime, if no effort was spent on it: answers do not depend on what was asked before."""
        if begin and not (begin.open or begin.ties) and max(begin.order.values(), default=0) <= AT_ONCE:
            self.begin = begin

    def again(self) -> _Ground:
        """The same for other digits: numbers of the precision of before are not kept."""
        for problem in self._problems.values():
            problem.forget()
        return self


@while_it_lives
def _kept(plain: CTMDP) -> dict[tuple[Semantics, bool], _Ground]:  # noqa: ARG001 -- it is the key
    return {}


def _ground(plain: CTMDP, semantics: Semantics, truncate: bool, check: Callable[[], None]) -> _Ground:
    kept = _kept(plain)
    known = kept.get((semantics, truncate))
    if known is not None:
        return known.again()
    ground = _Ground(plain, semantics, truncate, check)
    if ground.problem(1).small:
        kept[semantics, truncate] = ground
    return ground


def starting_bits(model: CTMDP, digits: int) -> int:
    """The precision to begin with: the digits, and what a pass of this length may lose."""
    if not 1 <= digits <= 10_000:
        raise InputError(f"digits: {digits} is not between 1 and 10000")
    (a, b), (c, d) = model.max_rate.as_integer_ratio(), model.horizon.as_integer_ratio()
    common = gcd(a * c, b * d)  # of the load; to multiply fractions takes longer than all of this
    length = max(1, (a * c // common).bit_length() - (b * d // common).bit_length() + 1)
    return ceil(digits * log2(10)) + _GUARD_BITS + 2 * length


def _stopped(
    known: Solution, points: list[tuple[str, Number]], error: BudgetError, *, complete: bool
) -> Solution:
    """What is known when the budget is out; raised, and not returned, where no pass came to its end.

    Then all actions are open beyond the remaining time that was reached, and nobody is told so state by
    state: there may be many, and time is over.
    """
    missing = known.missing_digits(points) if known.pieces else {}  # without any all is missing
    doubts = (Doubt(About.BUDGET, str(error)), *missing.values())
    if not complete:
        raise UndecidedError(_why(error, known.model), known.with_doubts(doubts)) from None
    return known.with_doubts((*doubts, *known.policy_doubts))


def _why(error: BudgetError, model: CTMDP) -> str:
    return f"undecided: {error} for model {model.name!r}; raise the budget"
