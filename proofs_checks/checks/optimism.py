"""Computed values against optimal ones, with the estimates on the boundary of their sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from flint import arb

from ctucbvi import Enclosure, ValueIteration, algorithm2, solve
from ctucbvi.exact.precision import precision, to_fmpq
from proofs_checks.checks.common import remembered, scaled
from proofs_checks.checks.model_error import ONE
from proofs_checks.checks.perturbed import BITS, EVERY, Perturbed, Place, places, tempting
from proofs_checks.checks.perturbed_values import applied, ball, waiting
from verify.claims import Effort
from verify.provers.computed import Case
from verify.provers.search import Search


def iterates(share: Fraction, kinds: tuple[str, ...] = EVERY) -> Search:
    """``V*_n(x,t) <= V̂_n(x,t)`` on models, with a share of the bonus."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, Enclosure]:
        true = ValueIteration(place.case.model)[place.steps]
        bold = ValueIteration(place.case.optimistic(share), truncate=True)[place.steps]
        return true.value(place.state, place.time), bold.value(place.state, place.time)

    return Search((300, 2000), given=places(kinds=kinds), sides=sides, title="iterates")


def values(share: Fraction, kinds: tuple[str, ...] = EVERY, *, load: bool = False) -> Search:
    """``V*(x,t) <= V̂(x,t) + ε exp(λmax H)`` on models; ε is 1/10, 1/100 or 1/1000 of the horizon.

    ``load``: with ε λmax H in the place of ε exp(λmax H).
    """

    @remembered
    def sides(place: Place) -> tuple[Enclosure, arb]:
        case, t = place.case, place.time
        return _compared(case, share, case.model.horizon / 10**place.steps, place.state, t, load)

    return Search((40, 1500), given=places(kinds=kinds), sides=sides, title="values")


def _compared(
    case: Perturbed, share: Fraction, epsilon: Fraction, state: str, t: Fraction, load: bool = False
) -> tuple[Enclosure, arb]:
    best = solve(case.model, digits=12, resolve_policy=False, at=[(state, t)]).value(state, t)
    bold = algorithm2(case.optimistic(share), epsilon).value.value(state, t)
    with precision(BITS):
        return best, ball(bold) + to_fmpq(epsilon) * (to_fmpq(case.load) if load else case.growth())


def difference(short: Fraction = ONE) -> Search:
    """The lower bound of eq:diff on models, with ``V*_n`` and ``V̂_n``; ``short`` scales λmax in it."""

    @remembered
    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = place.case, place.pair, place.time
        pair, found = case.model.pairs[k], case.estimates[k]
        true = ValueIteration(case.model)[place.steps]
        bold = ValueIteration(case.optimistic(), truncate=True)[place.steps]
        gain = applied(bold, case.believed(k, pair.reward + case.bonus(k)), t) - applied(true, pair, t)
        moves = applied(true, case.believed(k), t) - applied(true, replace(pair, reward=Fraction(0)), t)
        with precision(BITS):
            bonus = to_fmpq(case.bonus(k)) * waiting(case.lambda_max * short, t)
            kept = to_fmpq(pair.reward) * (waiting(found.rate, t) - waiting(pair.rate, t))
            return bonus + kept + ball(moves), ball(gain)

    return Search((40, 1500), given=places(max_steps=2), sides=sides, title="models")


def rate_errors(part: Fraction) -> Search:
    """Both errors of the rate together, for ``V*_n``, against ``part t²β``."""

    @remembered
    def sides(place: Place) -> tuple[arb, Fraction]:
        case, k, t = place.case, place.pair, place.time
        pair, found = case.model.pairs[k], case.estimates[k]
        true, believed = ValueIteration(case.model)[place.steps], case.believed(k, case.model.pairs[k].reward)
        error = applied(true, believed, t) - applied(true, replace(believed, rate=pair.rate), t)
        with precision(BITS):
            return abs(ball(error)), part * t**2 * found.rate_radius

    return Search((60, 2000), given=places(), sides=sides, title="models")


def rises(forward: bool = True) -> Search:
    """``V*_n`` and ``V̂_n`` at 6/7 of a time against the time itself (or the other way round)."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, Enclosure]:
        bold = ValueIteration(place.case.optimistic(Fraction(1, 20)), truncate=True)
        iterate = (ValueIteration(place.case.model) if place.pair % 2 else bold)[place.steps]
        times = (place.time * Fraction(6, 7), place.time)
        early, late = (iterate.value(place.state, t) for t in (times if forward else times[::-1]))
        return early, late

    return Search((60, 2000), given=places(), sides=sides, title="iterates")


@scaled("short horizons", "certified values")
def corners(effort: Effort, share: Fraction, epsilon: Fraction = Fraction(1, 10**6)) -> Iterator[Case]:
    """``lem:optimism`` on :func:`tempting` models: on short horizons no share of the bonus is spare."""
    for horizon in (Fraction(1, 100), Fraction(1), Fraction(1, 10))[: effort.scaled(2, 3)]:
        for beta in (Fraction(1, 100), Fraction(1, 2), Fraction(1)):
            for up in (True, False):
                case = tempting(horizon, ONE, beta, up)
                left, right = _compared(case, share, epsilon * horizon**2, "x", horizon)
                name = f"H = {horizon}, λ = 1, λ̂ = {case.estimates[0].rate}, β = {beta}"
                yield Case(name, left, right)
