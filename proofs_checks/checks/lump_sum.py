"""The bonus as a lump sum, on drawn models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from ctucbvi import CTMDP, ValueIteration
from ctucbvi.exact.iteration import Iterate
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.model import Transition
from proofs_checks.checks.common import remembered, scaled
from proofs_checks.checks.model_error import ONE, ZERO
from proofs_checks.checks.perturbed import BITS, PRINTED, Estimate, Perturbed, Place, places, tempting
from proofs_checks.checks.perturbed_values import applied, ball, waiting
from verify.claims import Effort
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

_ROUNDING = Fraction(1, 2**60)  # where both sides may be equal
_TWO = Fraction(2)


@dataclass(frozen=True)
class Parts:
    """Which shares of the rate part and of the jump part are taken."""

    rate: Fraction = ONE
    jump: Fraction = ONE


WHOLE = Parts()


def lump(case: Perturbed, k: int, t: Fraction, parts: Parts) -> arb:
    """``B(t)`` of pair ``k``."""
    found = case.estimates[k]
    with precision(BITS):
        rate = to_fmpq(parts.rate * min(t**2 * found.rate_radius / 2, t))
        jump = to_fmpq(parts.jump * min(found.jump_radius, _TWO) / 2)
        return rate + jump * (to_fmpq(t) - waiting(found.rate, t))


def made_up(parts: Parts = WHOLE) -> Search:
    """``T^aV <= T^{a,k}V + B``, without a bonus in T^{a,k}, for ``V = V*_n``."""

    @remembered
    def sides(place: Place) -> tuple[arb, arb]:
        true = ValueIteration(place.case.model)[place.steps]
        return _made_up(place.case, place.pair, place.time, parts, true)

    return Search((100, 2000), given=places(kinds=PRINTED), sides=sides, title="models")


def _made_up(case: Perturbed, k: int, t: Fraction, parts: Parts, iterate: Iterate) -> tuple[arb, arb]:
    pair = case.model.pairs[k]
    with precision(BITS):
        left = ball(applied(iterate, pair, t))
        found = ball(applied(iterate, case.believed(k, pair.reward), t))
        return left, found + lump(case, k, t, parts) + to_fmpq(_ROUNDING)


def costs(factor: Fraction = _TWO) -> Search:
    """``T^{a,k}V̂ + B - T^aV̂`` against ``factor B``, for functions V̂ <= t that rise.

    They are iterates of the estimated model with a twentieth of the printed bonus.
    """

    @remembered
    def sides(place: Place) -> tuple[arb, arb]:
        bold = ValueIteration(place.case.optimistic(Fraction(1, 20)), truncate=True)[place.steps]
        return _cost(place.case, place.pair, place.time, bold, factor)

    return Search((100, 2000), given=places(kinds=PRINTED, max_steps=5), sides=sides, title="models")


def _cost(case: Perturbed, k: int, t: Fraction, bold: Iterate, factor: Fraction) -> tuple[arb, arb]:
    with precision(BITS):
        believed = ball(applied(bold, case.believed(k, case.model.pairs[k].reward), t))
        paid = lump(case, k, t, WHOLE)
        left = believed + paid - ball(applied(bold, case.model.pairs[k], t))
        return left, to_fmpq(factor) * paid + to_fmpq(_ROUNDING)


def unlucky(horizon: Fraction, alpha: Fraction, *, lucky: bool = False) -> Perturbed:
    """From x to a state that earns 1 for ever; the estimate sends mass α/2 to one that earns nothing.

    ``lucky``: the other way round, the estimate sends all to the good state.  All rates are 1.
    """
    rate, mixed = ONE, (ZERO, 1 - alpha / 2, alpha / 2)
    row, guess = (mixed, (ZERO, ONE, ZERO)) if lucky else ((ZERO, ONE, ZERO), mixed)
    to = tuple((y, p) for y, p in zip(("x", "good", "bad"), row, strict=True) if p)
    rows = (
        Transition("x", "a", rate, ZERO, to),
        Transition("good", "a", rate, ONE, (("good", ONE),)),
        Transition("bad", "a", rate, ZERO, (("bad", ONE),)),
    )
    model = CTMDP("unlucky", ("x", "good", "bad"), ("a",), horizon, "x", rows, (ZERO,) * 3)
    known = [Estimate(rate, row, ZERO, ZERO) for row in ((ZERO, ONE, ZERO), (ZERO, ZERO, ONE))]
    return Perturbed(model, rate, (Estimate(rate, guess, ZERO, alpha), *known))


def corners(parts: Parts = WHOLE, relation: str = "<=") -> Computed:
    """One step with ``V*_10`` where nothing is spare: :func:`tempting` on short horizons, :func:`unlucky`."""

    def one(text: str, case: Perturbed) -> Case:
        sides = _made_up(case, 0, case.model.horizon, parts, ValueIteration(case.model)[10])
        return Case(text, *sides, relation)

    def cases(effort: Effort) -> Iterator[Case]:
        short = Fraction(1, 1000)
        for up in (True, False):
            yield one(f"H = {short}, λ = 1, β = 1/2, up: {up}", tempting(short, ONE, ONE / 2, up))
        for horizon in (Fraction(1, 100), ONE, _TWO)[: effort.scaled(2, 3)]:
            yield one(f"H = {horizon}, λ = λ̂ = 1, α = 1/2", unlucky(horizon, ONE / 2))

    return Computed(lambda effort: Outcome(cases(effort), method="certified values"), "nothing spare")


@scaled("nothing spare", "certified values")
def dear(effort: Effort, factor: Fraction = _TWO) -> Iterator[Case]:
    """``T^{a,k}V̂ + B - T^aV̂`` where it is ``2B``: a row that promises too much."""
    for horizon in (Fraction(1, 100), ONE, _TWO)[: effort.scaled(2, 3)]:
        case = unlucky(horizon, ONE / 2, lucky=True)
        bold = ValueIteration(case.optimistic(ZERO), truncate=True)[10]
        yield Case(f"H = {horizon}, λ = λ̂ = 1, α = 1/2", *_cost(case, 0, horizon, bold, factor))
