"""The exact planner against the numeric planner, its certificate and the second opinion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.exact import Solution, solve
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.numbers import positive
from ctucbvi.numeric.certificate import certify
from ctucbvi.numeric.planner import smallest_tolerance, solve_numeric
from ctucbvi.numeric.solution import NumericSolution
from ctucbvi.second_opinion import SecondOpinion, as_fraction
from ctucbvi.second_opinion import solve as solve_second
from ctucbvi.solutions import About, Doubt, Switch, mean_value

Place = tuple[str, Fraction]  # a state and a remaining time

_SAME_SWITCH = Fraction(1, 10**6)  # of the horizon: further apart, two switches are not the same


@dataclass(frozen=True)
class Routes:
    """The planners that are compared; a test puts a wrong one in its place."""

    exact: Callable[..., Solution] = solve
    numeric: Callable[..., NumericSolution] = solve_numeric
    second: Callable[..., SecondOpinion] = solve_second


class Route(StrEnum):
    """Whose claim is tested."""

    NUMERIC = "numeric planner"
    CERTIFICATE = "certificate"
    SECOND = "second opinion"


@dataclass(frozen=True)
class Complaint:
    """Something outside its claim: who is blamed, for which value or which switch."""

    who: Route
    state: str
    t: Fraction
    error: Fraction = Fraction(0)  # of the value
    lacks: Switch | None = None

    def __str__(self) -> str:
        if self.lacks is not None:
            change = f"from {self.lacks.before[0]} to {self.lacks.after[0]}"
            return f"{self.who}: it lacks the switch of {self.state} {change} at {float(self.t):.6g}"
        proof = self.who is Route.CERTIFICATE
        found = "is outside the proved bound" if proof else f"is off by {float(self.error):.2e}"
        return f"{self.who}: V({self.state}, {float(self.t):.6g}) {found}"


@dataclass(frozen=True)
class Comparison:
    """What three planners say about one model."""

    model: CTMDP
    semantics: Semantics
    value: Enclosure  # V(initial, H) by the exact planner, the mean if that is several states
    error: Fraction  # largest |numeric - exact|
    at: Place  # where that is
    claimed: Fraction  # the tolerance that the numeric planner was given
    proved: Fraction  # what its certificate proves, at all times
    second_error: Fraction | None  # largest |second opinion - exact|; None: there is no second opinion
    stated: Fraction | None  # the second opinion's stated error
    radius: Fraction  # largest radius of the exact planner's enclosures
    switches: tuple[Switch, ...]  # by the exact planner
    switch_difference: Fraction | None  # numeric, largest; None: nothing to compare
    second_switch_difference: Fraction | None
    complaints: tuple[Complaint, ...]  # what is outside its claim
    undecided: tuple[Doubt, ...]  # values with too few exact digits, and that there is no second opinion

    def __repr__(self) -> str:
        second = "none" if self.second_error is None else f"{float(self.second_error):.1e}"
        sizes = f"fast {float(self.error):.1e}, second opinion {second}"
        return f"Comparison({self.model.name!r}, {self.semantics}: {self.verdict}; off by at most: {sizes})"

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
    asked = positive(tolerance, "tolerance")
    if not Fraction(1, 10**14) <= asked < 1:
        raise InputError(f"tolerance: {float(tolerance):g} is not between 1e-14 and 1")
    # Large values have more rounding than a small tolerance allows: claim no more than doubles can give.
    claimed = max(asked, Fraction(10 * smallest_tolerance(model)))
    solution = use.exact(model, semantics, digits=digits, truncate=truncate)
    numeric = use.numeric(model, semantics, tolerance=float(claimed), truncate=truncate)
    opinion, doubts = None, solution.imprecise
    try:
        opinion = use.second(model, semantics, digits=digits, truncate=truncate)
    except UndecidedError as error:  # the others are compared all the same
        doubts += (Doubt(About.BUDGET, str(error)),)
    certificate = certify(numeric)

    def as_claimed(state: str, t: Fraction) -> Enclosure:
        value = Fraction(numeric.value(state, t))
        return Enclosure(value - claimed, value + claimed)

    claims = {Route.NUMERIC: as_claimed, Route.CERTIFICATE: certificate.value}
    if opinion is not None:
        claims[Route.SECOND] = opinion.value
    values = {place: solution.value(*place) for place in product(model.states, comparison_times(solution))}
    worst, complaints = _measure(values, claims, (model.start[0][0], model.horizon))
    shift, _ = _match_switches(solution, numeric.switches)
    second_shift, missed = _match_switches(solution, opinion.switches) if opinion is not None else (None, [])
    complaints += [Complaint(Route.SECOND, s.state, s.time.mid, lacks=s) for s in missed[:1]]
    return Comparison(
        model=model,
        semantics=semantics,
        value=mean_value(solution),
        error=worst[Route.NUMERIC][0],
        at=worst[Route.NUMERIC][1],
        claimed=claimed,
        proved=Fraction(certificate.bound),
        second_error=None if opinion is None else worst[Route.SECOND][0],
        stated=None if opinion is None else as_fraction(opinion.stated_error),
        radius=max(value.radius for value in values.values()),
        switches=tuple(solution.switches),
        switch_difference=shift,
        second_switch_difference=second_shift,
        complaints=tuple(complaints),
        undecided=doubts,
    )


def _measure(
    values: Mapping[Place, Enclosure], claims: Mapping[Route, Callable[[str, Fraction], Enclosure]], at: Place
) -> tuple[dict[Route, tuple[Fraction, Place]], list[Complaint]]:
    """The largest error of each route and where it is, and the first place at which each claim breaks."""
    worst = {who: (Fraction(0), at) for who in claims}
    broken: dict[Route, Complaint] = {}
    for place, value in values.items():
        for who, claim in claims.items():
            found = claim(*place)
            error = abs(found.mid - value.mid)
            if error > worst[who][0]:
                worst[who] = error, place
            if not found.overlaps(value):
                broken.setdefault(who, Complaint(who, *place, error))
    return worst, list(broken.values())


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


def _match_switches(solution: Solution, theirs: Sequence[Switch]) -> tuple[Fraction | None, list[Switch]]:
    """How far apart the same switches are at most, and which switches are missing.

    Where actions are tied the others name one of them, so switches out of or into a tie have
    no counterpart.
    """
    worst: Fraction | None = None
    missed = []
    for switch in solution.switches:
        if len(switch.before) > 1 or len(switch.after) > 1:
            continue
        key = (switch.state, switch.before, switch.after)
        same = [abs(s.time.mid - switch.time.mid) for s in theirs if (s.state, s.before, s.after) == key]
        if same and min(same) <= _SAME_SWITCH * solution.model.horizon + switch.time.width:
            worst = max(worst or Fraction(0), min(same))
        else:
            missed.append(switch)
    return worst, missed
