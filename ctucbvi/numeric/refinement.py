"""Solve, certify, refine: a numeric solution whose certificate shows the accuracy that was asked for.

A march controls the first Taylor term that it leaves out and takes actions that are closer than a few
roundings for tied.  Mostly that is enough.  Where the certificate says that it was not (a term that vanishes
by chance, rewards that differ by less than the ties), the march is repeated with a smaller tolerance, shorter
steps and narrower ties.  What doubles cannot give is not there afterwards either: the best certificate found
is returned, and its bound says what it proves.

Where only values at some remaining times are asked for, march and proof go along together, part by part, and
nothing else is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ctucbvi.errors import UndecidedError
from ctucbvi.model import Semantics
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.certificate import Certificate, ProofInParts, certify
from ctucbvi.numeric.planner import smallest_tolerance, solve_numeric, walk
from ctucbvi.numeric.rooms import Care
from ctucbvi.numeric.solution import ExcerptNotes, NumericSolution, Wanted
from ctucbvi.solutions import About, Doubt

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP, Number

_SHARE = 0.6  # of the time, for the march; the rest is for its certificate
_USUAL = Care()
_ATTEMPTS = (
    (1.0, _USUAL),
    (1 / 16, Care(reach=8, tie=3e-16, bends=False)),
    (1 / 256, Care(reach=3, tie=1e-16, bends=False)),
)


def solve_certified(
    model: CTMDP,
    semantics: Semantics | str = Semantics.COMMITTED,
    *,
    tolerance: float = 1e-9,
    truncate: bool = False,
    budget: NumericBudget | None = None,
    at: Iterable[Number] | None = None,
) -> Certificate:
    """A certificate whose bound is at most ``tolerance``, or the best that was found, with a doubt in it.

    With remaining times in ``at``, only the policy and the values there (and at the horizon) are kept, in
    little memory.  The bound is the same, and as well proved: for every value at every remaining time.

    Raises :class:`ctucbvi.UndecidedError` if the budget does not suffice for any; ``known`` is then the
    certificate of what was reached, for a shorter horizon.
    """
    limits, best = budget or NO_HURRY, None
    times = None if at is None else tuple(at)
    for share, care in _ATTEMPTS:
        goal = max(tolerance * share, smallest_tolerance(model)) if best else tolerance
        problem = Wanted(Semantics(semantics), truncate, goal)
        try:
            if times is None:
                found = _one_after_the_other(model, problem, care, limits)
            else:
                found = _side_by_side(model, problem, care, limits, times)
        except UndecidedError:
            if best is None:
                raise
            break
        best = found if best is None or found.bound < best.bound else best
        if best.bound <= tolerance:
            break
    assert best is not None
    if best.bound <= tolerance:
        return best
    short = f"every value is proved up to {best.bound:.1e}, not to {tolerance:.1e}"
    return replace(best, undecided=(Doubt(About.VALUE, short),))


def _one_after_the_other(model: CTMDP, problem: Wanted, care: Care, limits: NumericBudget) -> Certificate:
    """A solution with all its pieces, and then its certificate."""
    semantics, truncate, goal = problem
    if limits is NO_HURRY and care is _USUAL:
        return certify(solve_numeric(model, semantics, tolerance=goal, truncate=truncate))
    march = replace(limits, share=_SHARE)
    try:
        found = solve_numeric(model, semantics, tolerance=goal, truncate=truncate, care=care, budget=march)
    except UndecidedError as error:
        raise UndecidedError(str(error), _of_part(error.known, str(error), limits)) from None
    return certify(found, budget=limits)


def _side_by_side(
    model: CTMDP, problem: Wanted, care: Care, limits: NumericBudget, times: tuple[Number, ...]
) -> Certificate:
    """The pieces are proved and read as they come, and forgotten."""
    notes = ExcerptNotes(model, problem, times, limits)
    proof = ProofInParts(Arrays.in_order(model), problem.semantics, problem.truncate)
    _, reached, stopped = walk(model, problem, care, limits, (proof, notes))
    found = Certificate(notes.excerpt(reached), proof.bounds(reached))
    if stopped:
        why = str(stopped)
        raise UndecidedError(why, replace(found, undecided=(Doubt(About.BUDGET, why),)))
    return found


def _of_part(part: NumericSolution | None, why: str, limits: NumericBudget) -> Certificate | None:
    """The certificate of a solution that came so far, if it takes at most a second longer."""
    if part is None:
        return None
    try:
        found = certify(part, budget=replace(limits, seconds=limits.seconds + 1))
    except UndecidedError:
        return None
    return replace(found, undecided=(Doubt(About.BUDGET, why),))
