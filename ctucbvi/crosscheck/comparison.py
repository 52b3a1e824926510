"""The exact planner against the numeric planner, its certificate and the second opinion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.exact import Solution, Switch, solve
from ctucbvi.exact.planner import imprecise
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.numbers import exact
from ctucbvi.numeric.certificate import Certificate, certify
from ctucbvi.numeric.planner import NumericSolution, smallest_tolerance, solve_numeric
from ctucbvi.second_opinion import SecondOpinion, as_fraction
from ctucbvi.second_opinion import solve as solve_second

_SAME_SWITCH = Fraction(1, 10**6)  # of the horizon: further apart, two switches are not the same


@dataclass(frozen=True)
class Routes:
    """The planners that are compared; a test puts a wrong one in its place."""

    exact: Callable[..., Solution] = solve
    numeric: Callable[..., NumericSolution] = solve_numeric
    second: Callable[..., SecondOpinion] = solve_second


@dataclass(frozen=True)
class Comparison:
    """What three planners say about one model."""

    model: CTMDP
    semantics: Semantics
    value: Enclosure  # V(initial, H) by the exact planner
    error: Fraction  # largest |numeric - exact|
    at: tuple[str, Fraction]  # where that is
    claimed: Fraction  # the tolerance that the numeric planner was given
    proved: Fraction  # what its certificate proves, at all times
    second_error: Fraction  # largest |second opinion - exact|
    stated: Fraction  # the second opinion's stated error
    radius: Fraction  # largest radius of the exact planner's enclosures
    switches: tuple[Switch, ...]  # by the exact planner
    switch_difference: Fraction | None  # numeric, largest; None: nothing to compare
    second_switch_difference: Fraction | None
    complaints: tuple[str, ...]  # what is outside its claim, one sentence each
    undecided: tuple[str, ...]  # values for which the exact planner has too few digits

    @property
    def agrees(self) -> bool:
        """Whether everything is inside its claim, and the exact values have their digits."""
        return not self.complaints and not self.undecided

    @property
    def verdict(self) -> str:
        """``agree``, ``DISAGREE`` or ``undecided``."""
        return "DISAGREE" if self.complaints else "undecided" if self.undecided else "agree"


def compare(
    model: CTMDP,
    semantics: Semantics | str = Semantics.COMMITTED,
    *,
    tolerance: Number = 1e-9,
    digits: int = 20,
    truncate: bool = False,
    routes: Routes | None = None,
) -> Comparison:
    """Solve ``model`` by all routes and measure the differences."""
    use, semantics = routes or Routes(), Semantics(semantics)
    if not Fraction(1, 10**14) <= positive(tolerance) < 1:
        raise InputError(f"tolerance: {float(tolerance):g} is not between 1e-14 and 1")
    # Large values have more rounding than a small tolerance allows: claim no more than doubles can give.
    claimed = max(positive(tolerance), Fraction(10 * smallest_tolerance(model)))
    solution = use.exact(model, semantics, digits=digits, truncate=truncate)
    numeric = use.numeric(model, semantics, tolerance=float(claimed), truncate=truncate)
    opinion = use.second(model, semantics, digits=digits, truncate=truncate)
    shift, _ = _match_switches(solution, [(s, Fraction(t), a, b) for s, t, a, b in numeric.switches])
    second_shift, missed = _match_switches(
        solution, [(s, as_fraction(t), a, b) for s, t, a, b in opinion.switches]
    )
    found = _measure(solution, certify(numeric), opinion, claimed)
    complaints = [f"{who}: {what}" for who, what in found.broken.items()]
    complaints += [f"second opinion: it lacks {switch}" for switch in missed[:1]]
    return Comparison(
        model=model,
        semantics=semantics,
        value=solution.value(model.initial, model.horizon),
        error=found.error,
        at=found.at,
        claimed=claimed,
        proved=found.proved,
        second_error=found.second_error,
        stated=as_fraction(opinion.stated_error),
        radius=found.radius,
        switches=tuple(solution.switches),
        switch_difference=shift,
        second_switch_difference=second_shift,
        complaints=tuple(complaints),
        undecided=tuple(imprecise(solution)),
    )


@dataclass
class _Measured:
    """The largest differences so far, and the first place at which each claim breaks."""

    at: tuple[str, Fraction]
    proved: Fraction
    error: Fraction = Fraction(0)
    second_error: Fraction = Fraction(0)
    radius: Fraction = Fraction(0)
    broken: dict[str, str] = field(default_factory=dict)


def _measure(
    solution: Solution, certificate: Certificate, opinion: SecondOpinion, claimed: Fraction
) -> _Measured:
    numeric, stated = certificate.solution, as_fraction(opinion.stated_error)
    model = numeric.model
    found = _Measured((model.initial, model.horizon), Fraction(certificate.bound))
    for state, t in product(model.states, comparison_times(solution)):
        value = solution.value(state, t)
        error = abs(Fraction(numeric.value(state, t)) - value.mid)
        second_error = abs(as_fraction(opinion.value(state, t)) - value.mid)
        if error > found.error:
            found.error, found.at = error, (state, t)
        found.radius = max(found.radius, value.radius)
        found.second_error = max(found.second_error, second_error)
        place = f"V({state}, {float(t):.6g})"
        if error > claimed + value.radius:
            found.broken.setdefault("numeric planner", f"{place} is off by {float(error):.2e}")
        if not certificate.value(state, t).overlaps(value):
            found.broken.setdefault("certificate", f"{place} is outside the proved bound")
        if second_error > stated + value.radius:
            found.broken.setdefault("second opinion", f"{place} is off by {float(second_error):.2e}")
    return found


def comparison_times(solution: Solution, count: int = 33) -> list[Fraction]:
    """Remaining times to compare at: ``count`` evenly from 0 to H, and close to every switch."""
    if count < 2:
        raise InputError(f"times: {count} is too few; write 2 or more")
    horizon, fine = solution.model.horizon, 2**30
    parts = {Fraction(k, count - 1) for k in range(count)}
    for switch in solution.switches:
        # Rounded to a grid: a fraction with the switch's many digits would only be slow.
        k = round(switch.time.mid / horizon * fine)
        parts |= {Fraction(k + step, fine) for step in (-(2**20), -1, 1, 2**20)}
    return sorted(horizon * part for part in parts if 0 <= part <= 1)


def _match_switches(
    solution: Solution, theirs: Sequence[tuple[str, Fraction, str, str]]
) -> tuple[Fraction | None, list[str]]:
    """How far apart the same switches are at most, and which switches are missing.

    Where actions are tied the others name one of them, so switches out of or into a tie have
    no counterpart.
    """
    worst: Fraction | None = None
    missed = []
    for switch in solution.switches:
        if len(switch.before) > 1 or len(switch.after) > 1:
            continue
        key = (switch.state, switch.before[0], switch.after[0])
        same = [abs(t - switch.time.mid) for s, t, a, b in theirs if (s, a, b) == key]
        if same and min(same) <= _SAME_SWITCH * solution.model.horizon + switch.time.width:
            worst = max(worst or Fraction(0), min(same))
        else:
            missed.append(f"the switch of {key[0]} from {key[1]} to {key[2]} at {float(switch.time.mid):.6g}")
    return worst, missed


def positive(tolerance: Number) -> Fraction:
    """``tolerance`` exactly, if it is above 0."""
    found = exact(tolerance, "tolerance")
    if found <= 0:
        raise InputError(f"tolerance: {float(found):g} is not positive; write for example 1e-9")
    return found
