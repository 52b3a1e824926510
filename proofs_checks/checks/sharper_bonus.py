"""Where the smallest constant bonus is needed, and that it is enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ctucbvi import CTMDP, Enclosure, ValueIteration, algorithm2, solve
from ctucbvi.exact.precision import BALLS, enclosure, precision, to_fmpq
from ctucbvi.learning.sharp import sharp_bonus
from ctucbvi.model import Transition
from proofs_checks.checks import optimism
from proofs_checks.checks.common import remembered
from proofs_checks.checks.episode import one_step
from proofs_checks.checks.model_error import HALF, ONE, ZERO
from proofs_checks.checks.perturbed import BITS, PRINTED, Estimate, Perturbed, Place, places
from proofs_checks.checks.perturbed_values import applied, ball, waiting
from verify.claims import Effort
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

_TWO = Fraction(2)
_ROUND = 2**40  # bonuses are rounded up to multiples of 1/_ROUND
_STATES = ("x", "good", "bad")


@dataclass(frozen=True)
class Sharp(Perturbed):
    """A perturbed model whose bonus is the sharp one."""

    def bonus(self, k: int, share: Fraction = ONE) -> Fraction:
        """The sharp bonus of pair ``k``, rounded up, or a share of it."""
        found, reward = self.estimates[k], self.model.pairs[k].reward
        low, high = self.ends(k)
        with precision(BITS):
            rate, below, above, reach, gain, horizon = (
                BALLS.number(x)
                for x in (found.rate, low, high, min(found.jump_radius, _TWO), reward, self.model.horizon)
            )
            ball = sharp_bonus(
                rate, low=below, high=above, reach=reach, reward=gain, horizon=horizon, numbers=BALLS
            )
        return share * Fraction(ceil(enclosure(ball).upper * _ROUND), _ROUND)

    def ends(self, k: int) -> tuple[Fraction, Fraction]:
        """The confidence interval of the rate."""
        found = self.estimates[k]
        return max(found.rate - found.rate_radius, ZERO), min(found.rate + found.rate_radius, self.lambda_max)


def sharpened(case: Perturbed) -> Sharp:
    """The same model and estimates."""
    return Sharp(case.model, case.lambda_max, case.estimates)


def sharp_places(kinds: tuple[str, ...] = PRINTED, max_steps: int = 3) -> SearchStrategy[Place]:
    """Places in perturbed models whose bonus is sharp."""
    return places(kinds=kinds, max_steps=max_steps).map(
        lambda place: replace(place, case=sharpened(place.case))
    )


def slopes(share: Fraction = ONE) -> Search:
    """``V*_n(x,t) - V*_n(x,6t/7)`` against a share of ``t/7``."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, Fraction]:
        iterate, t = ValueIteration(place.case.model)[place.steps], place.time
        return iterate.value(place.state, t) - iterate.value(place.state, t * Fraction(6, 7)), share * t / 7

    return Search((60, 2000), given=places(), sides=sides, title="iterates")


def _lost(place: Place) -> arb:
    """``T^a V*_n - T^{a,k} V*_n``, without the bonus."""
    case, k, t = place.case, place.pair, place.time
    iterate, pair = ValueIteration(case.model)[place.steps], case.model.pairs[k]
    return ball(applied(iterate, pair, t) - applied(iterate, case.believed(k, pair.reward), t))


def _costs(case: Sharp, k: int, t: Fraction, low: Fraction, high: Fraction) -> arb:
    """The larger of the costs of rate and jumps for the rates ``low <= λ̂ <= high``."""
    hat, reach = case.estimates[k].rate, min(case.estimates[k].jump_radius, _TWO) / 2
    with precision(BITS):
        here, slower, faster = waiting(hat, t), waiting(low, t), waiting(high, t)
        r, moved, whole = (arb(to_fmpq(x)) for x in (case.model.pairs[k].reward, reach, t))
        above = r * (slower - here) + moved * (whole - slower)
        return above.max((1 - r) * (here - faster) + moved * (whole - here))


def cost(share: Fraction = ONE) -> Search:
    """What rate and jumps cost for ``V*_n``, against a share of the bound with the true rate."""

    @remembered
    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = sharpened(place.case), place.pair, place.time
        true, hat = case.model.pairs[k].rate, case.estimates[k].rate
        bound = _costs(case, k, t, min(true, hat), max(true, hat))
        with precision(BITS):
            return _lost(place), to_fmpq(share) * bound + arb(2) ** -60

    return Search((200, 3000), given=places(kinds=PRINTED) | _doubtful(), sides=sides, title="models")


@st.composite
def _doubtful(draw: DrawFn) -> Place:
    """One of the doubts, which are made when one is drawn."""
    return draw(st.sampled_from(doubts(Effort())))


def quotients(forward: bool = True) -> Search:
    """The cost at the ends of the interval over ``w(λ̂)``, at 6/7 of a time against the time itself."""

    @remembered
    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = sharpened(place.case), place.pair, place.time
        with precision(BITS):
            early, late = (
                _costs(case, k, u, *case.ends(k)) / waiting(case.estimates[k].rate, u)
                for u in (t * Fraction(6, 7), t)[:: 1 if forward else -1]
            )
            return early, late + arb(2) ** -60

    return Search((200, 3000), given=places(kinds=PRINTED), sides=sides, title="bonuses")


def sizes(share: Fraction = HALF) -> Search:
    """The sharp bonus against a share of the printed one."""

    @remembered
    def sides(place: Place) -> tuple[Fraction, Fraction]:
        right = place.case.bonus(place.pair, share) + Fraction(1, _ROUND)
        return sharpened(place.case).bonus(place.pair), right

    return Search((200, 3000), given=places(kinds=PRINTED), sides=sides, title="bonuses")


def iterates(share: Fraction = ONE) -> Search:
    """``V*_n <= V̂_n`` with a share of the sharp bonus."""
    return replace(optimism.iterates(share, PRINTED), given=sharp_places())


def values(share: Fraction = ONE) -> Search:
    """``V* <= V̂ + ε λmax H`` with a share of the sharp bonus; ε is 1/10 to 1/1000 of the horizon."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, arb]:
        epsilon = place.case.model.horizon / 10**place.steps
        return _compared(place.case, share, epsilon, place.state, place.time)

    return Search((40, 1500), given=sharp_places(), sides=sides, title="values")


def _compared(
    case: Perturbed, share: Fraction, epsilon: Fraction, state: str, t: Fraction
) -> tuple[Enclosure, arb]:
    best = solve(case.model, digits=12, resolve_policy=False, at=[(state, t)]).value(state, t)
    bold = algorithm2(case.optimistic(share), epsilon).value.value(state, t)
    with precision(BITS):
        return best, ball(bold) + to_fmpq(epsilon * case.load)


def doubted(horizon: Fraction, beta: Fraction, alpha: Fraction, reward: Fraction, up: bool) -> Perturbed:
    """A state that is left at rate 1, for one that earns 1 for ever or for a worthless one.

    ``up``: the rate is overestimated, and the jumps to the good state, a share α/2, are overlooked.  Else it
    is underestimated, and of the jumps, which all lead to the good state, a share α/2 seems lost.
    """
    mixed = (ZERO, alpha / 2, 1 - alpha / 2)
    row, guess = (mixed, (ZERO, ZERO, ONE)) if up else ((ZERO, ONE, ZERO), (ZERO, *mixed[:0:-1]))
    rows = (
        Transition("x", "a", ONE, reward, tuple((y, p) for y, p in zip(_STATES, row, strict=True) if p)),
        Transition("good", "a", ONE, ONE, (("good", ONE),)),
        Transition("bad", "a", ONE, ZERO, (("bad", ONE),)),
    )
    known = (Estimate(ONE, (ZERO, ONE, ZERO), ZERO, ZERO), Estimate(ONE, (ZERO, ZERO, ONE), ZERO, ZERO))
    seen = Estimate(ONE + beta if up else ONE - beta, guess, beta, alpha)
    model = CTMDP("doubted", _STATES, ("a",), horizon, "x", rows, (ZERO,) * 3)
    return Perturbed(model, max(ONE, seen.rate), (seen, *known))


def doubts(effort: Effort) -> list[Place]:
    """:func:`doubted` models with rewards for which the bonus is attained, at the whole horizon."""
    found = []
    for horizon in (Fraction(1, 100), Fraction(1), Fraction(3), Fraction(1, 10))[: effort.scaled(2, 4)]:
        for beta, alpha, earned in (
            (Fraction(1, 100), ZERO, ONE),
            (ONE, ONE, ONE),
            (HALF, ONE, Fraction(3, 4)),
            (HALF, _TWO, ONE),
        ):
            for up in (True, False):
                case = doubted(horizon, beta, alpha, earned if up else 1 - earned, up)
                found.append(Place(sharpened(case), 0, horizon, 3))
    return found


def corners(share: Fraction = ONE, relation: str = "<=", epsilon: Fraction = Fraction(1, 10**6)) -> Computed:
    """Optimism in the places of :func:`doubts`, where the bonus is just enough, on long horizons too."""

    def case_of(place: Place) -> Case:
        case, horizon = place.case, place.time
        seen, reward = case.estimates[0], case.model.pairs[0].reward
        radii = f"λ = 1, λ̂ = {seen.rate}, β = {seen.rate_radius}, α = {seen.jump_radius}"
        left, right = _compared(case, share, epsilon * horizon**2, "x", horizon)
        return Case(f"H = {horizon}, r = {reward}, {radii}", left, right, relation)

    return Computed(
        lambda effort: Outcome(map(case_of, doubts(effort)), method="certified values"), "three states"
    )


def steps(bonus: Fraction = ONE) -> Search:
    """``V̂ - T^a V̂ <= (bonus b + (α + tβ)/2) t`` for the best actions, with the sharp bonus."""
    return replace(one_step(ONE, bonus, HALF, PRINTED), given=sharp_places(max_steps=6))
