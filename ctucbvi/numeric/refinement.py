"""Solve, certify, refine: a numeric solution whose certificate shows the accuracy that was asked for.

A march controls the first Taylor term that it leaves out and takes actions that are closer than a few
roundings for tied.  Mostly that is enough.  Where the certificate says that it was not (a term that vanishes
by chance, rewards that differ by less than the ties), the march is repeated with a smaller tolerance, shorter
steps and narrower ties.  What doubles cannot give is not there afterwards either: the best certificate found
is returned, and its bound says what it proves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctucbvi.errors import UndecidedError
from ctucbvi.model import Semantics
from ctucbvi.numeric.budget import NO_HURRY, NumericBudget
from ctucbvi.numeric.certificate import Certificate, certify
from ctucbvi.numeric.planner import Care, NumericSolution, smallest_tolerance, solve_numeric
from ctucbvi.solutions import About, Doubt

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

_SHARE = 0.6  # of the time, for the march; the rest is for its certificate
_ATTEMPTS = (
    (1.0, Care()),
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
) -> Certificate:
    """A certificate whose bound is at most ``tolerance``, or the best that was found, with a doubt in it.

    Raises :class:`ctucbvi.UndecidedError` if the budget does not suffice for any; ``known`` is then the
    certificate of what was reached, for a shorter horizon.
    """
    limits, best = budget or NO_HURRY, None
    march = replace(limits, share=_SHARE)
    for share, care in _ATTEMPTS:
        goal = max(tolerance * share, smallest_tolerance(model)) if best else tolerance
        try:
            found = certify(
                solve_numeric(model, semantics, tolerance=goal, truncate=truncate, care=care, budget=march),
                budget=limits,
            )
        except UndecidedError as error:
            if best is None:
                raise UndecidedError(str(error), _of_part(error.known, str(error), limits)) from None
            break
        best = found if best is None or found.bound < best.bound else best
        if best.bound <= tolerance:
            break
    assert best is not None
    if best.bound <= tolerance:
        return best
    short = f"every value is proved up to {best.bound:.1e}, not to {tolerance:.1e}"
    return replace(best, undecided=(Doubt(About.VALUE, short),))


def _of_part(part: NumericSolution | None, why: str, limits: NumericBudget) -> Certificate | None:
    """The certificate of a solution that came so far, if it takes at most a second longer."""
    if part is None:
        return None
    try:
        found = certify(part, budget=replace(limits, seconds=limits.seconds + 1))
    except UndecidedError:
        return None
    return replace(found, undecided=(Doubt(About.BUDGET, why),))
