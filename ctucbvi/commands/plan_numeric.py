"""``ctucbvi plan --engine numeric``: the fast planner, with enclosures from its certificate."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import floor, log10
from time import monotonic
from typing import Any

from ctucbvi import CTMDP, Doubt, Enclosure, UndecidedError
from ctucbvi.numeric import Certificate, NumericBudget, solve_certified
from ctucbvi.numeric.ahead import compile_ahead
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.files import save_certificate
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.words import SMALL
from ctucbvi.solutions import About, Value, document
from verify.progress import ProgressLine, note_if_slow

__all__ = ["plan", "save_certificate"]

_TIME_DIGITS = 6  # of the remaining time that was reached when time was out


def plan(
    model: CTMDP,
    semantics: str,
    points: list[tuple[str, Any]],
    time: tuple[float, float],
    options: argparse.Namespace,
) -> tuple[dict[str, Any], Certificate]:
    """Solve in the ``time``, since when and how long; certify, refine, and describe the result."""
    asked, stopped = points or [(state, model.horizon) for state in model.states], list[Doubt]()
    try:
        certificate, values, seconds = _solve(model, semantics, asked, time, options)
    except UndecidedError as error:
        if error.known is None:
            raise
        certificate, seconds = error.known, options.seconds
        last = Fraction(certificate.solution.times[-2])  # where the last piece begins, which is always kept
        reached = max(_short(certificate.model.horizon), last)
        some = dict.fromkeys(x for x, _ in asked)
        asked = [(x, t) for x, t in asked if t <= reached] or [(x, reached) for x in some]
        values = certificate.values(asked)
        shorter = "what is printed is for remaining times up to there"
        stopped = [replace(doubt, why=f"{doubt.why}; {shorter}") for doubt in certificate.undecided]
    with note_if_slow(f"ctucbvi: {len(asked)} values are found, and written in digits"):
        missing = _missing(values, options.digits, model)
        certificate = replace(certificate, undecided=(*stopped, *missing))
        shown = document(
            certificate,
            values,
            engine="numeric",
            digits=options.digits,
            seconds=seconds,
            enclosures=not options.no_certificate,
            states=[state for state, _ in points] or None,
        )
    return shown, certificate


def compiled(model: CTMDP, semantics: str, *, truncate: bool) -> float:
    """Have what a plan needs compiled; the seconds that this took, which are none of those given.

    To load what is compiled already is not compiling it.
    """
    bends = len(Arrays.of(model).rate) > SMALL and semantics == "committed" and not truncate
    began = monotonic()
    with note_if_slow("ctucbvi: compiling the fast planner; this is done once"):
        return monotonic() - began if compile_ahead(semantics, bends=bends) else 0.0


def _missing(values: list[Value], digits: int, model: CTMDP) -> Iterator[Doubt]:
    """The values with fewer digits than were asked for."""
    for state, t, value in values:
        if value.radius > _needed(value, digits, model):
            why = f"has fewer than {digits} digits in double precision, where the error is up to "
            why += f"{float(value.radius):.1e}; use --engine exact"
            yield Doubt(About.VALUE, why, state, between=Enclosure(t, t))


def _solve(
    model: CTMDP,
    semantics: str,
    asked: list[tuple[str, Any]],
    time: tuple[float, float],
    options: argparse.Namespace,
) -> tuple[Certificate, list[Value], float]:
    """A certificate that shows the digits at the points asked for, as far as doubles and budget allow.

    With the values there, and the seconds that it took.
    """
    (began, seconds), begun = time, monotonic()
    everything = options.certificate or options.plot  # a file and a picture are about all remaining times
    times = None if everything else sorted({t for _, t in asked})
    with ProgressLine(f"{model.name}, {semantics}") as progress:
        budget = NumericBudget(seconds, began=began, progress=progress, tell=_tell)
        least = smallest_tolerance(model)

        def within(tolerance: float) -> Certificate:
            goal, capped = max(tolerance, least), options.truncate
            return solve_certified(model, semantics, tolerance=goal, truncate=capped, budget=budget, at=times)

        best = within(0.5 * 10.0**-options.digits * Arrays.of(model).scale)
        progress.tell(f"digits of {len(asked)} values")
        values = best.values(asked)
        needed = float(min(_hoped(value, options.digits, model) for _, _, value in values))
        if needed < best.bound:
            with suppress(UndecidedError):
                again = within(needed)
                if again.bound < best.bound:
                    best, values = again, again.values(asked)
    return best, values, monotonic() - begun


def _tell(text: str) -> None:
    """Say beforehand that memory will probably not suffice for all remaining times."""
    why = "--certificate and --plot are about all remaining times"
    print(f"ctucbvi: {text.partition(';')[0]}; {why}", file=sys.stderr)


def _needed(value: Enclosure, digits: int, model: CTMDP) -> Fraction:
    """The error with which ``digits`` digits are certain: half a unit of the last one.

    A number that may be 0 has no digits; it is known well if it is known as well as the largest value may be.
    """
    if value.lower <= 0 <= value.upper:
        return max(model.value_scale * Fraction(1, 2 * 10**digits), Fraction(1, 10**270))
    size = abs(value.mid)
    return _half_a_unit(floor(log10(size.numerator) - log10(size.denominator)) + 1 - digits)


@cache
def _half_a_unit(exponent: int) -> Fraction:
    unit: Fraction = Fraction(10) ** exponent
    return unit / 2


def _hoped(value: Enclosure, digits: int, model: CTMDP) -> Fraction:
    """The error to try for: a small number that may be 0 is perhaps just small."""
    if value.lower <= 0 <= value.upper and value.mid:
        return abs(value.mid) * Fraction(1, 10**digits)
    return _needed(value, digits, model)


def _short(t: Fraction) -> Fraction:
    """A number of few digits just below."""
    unit: Fraction = Fraction(10) ** (floor(log10(t)) + 1 - _TIME_DIGITS)
    return t // unit * unit
