r"""A bonus that is as small as optimism allows: ``bonus="sharp"`` of the learners.

With :math:`w(\lambda) = \int_0^te^{-\lambda s}ds`, :math:`g = \lambda e^{-\lambda s}`,
:math:`m = \sum_yp(y)V^*_n(y,\cdot)` and hats for the estimates, the step of ``eq:diff`` is

.. math:: \mathcal T^{a,k}\hat V_n - \mathcal T^aV^*_n \ge b\,w(\hat\lambda)
          + \Bigl\{r\,[w(\hat\lambda)-w(\lambda)] + \int_0^t(\hat g-g)(s)\,m(t-s)\,ds\Bigr\}
          + \int_0^t\hat g(s)\,(\hat m-m)(t-s)\,ds .

**The rate.**  :math:`K(s) = e^{-\lambda s}-e^{-\hat\lambda s}` has :math:`K' = \hat g-g`, so that the
integral in braces is :math:`\int_0^tK(s)\,m'(t-s)\,ds`, and :math:`0 \le m' \le 1`: a value rises by at most
what can be earned in the time that is added.  If :math:`\hat\lambda \ge \lambda` then :math:`K \ge 0` and the
braces are at least :math:`-r\,[w(\lambda)-w(\hat\lambda)]`; otherwise :math:`\int_0^tK =
-[w(\hat\lambda)-w(\lambda)]` and they are at least :math:`-(1-r)[w(\hat\lambda)-w(\lambda)]`.  On
:math:`\mathcal G`, :math:`\lambda` lies between the ends :math:`\underline\lambda` and :math:`\bar\lambda` of
its confidence interval.

**The jumps** cost at most :math:`\frac{\alpha'}2\int_0^t\hat g(s)(t-s)ds =
\frac{\alpha'}2(t-w(\hat\lambda))`, :math:`\alpha' = \min\{\alpha,2\}` (``eq:error2/halved``), and nothing
where the pair was never left.

So the bonus need only be, for every :math:`t`, the cost divided by :math:`w(\hat\lambda)`; the quotients
increase in :math:`t`, and :math:`t = H` gives the bonus of :mod:`ctucbvi.learning.sharp`.  It is attained:
for a state that is left for good, or for the better, no share of it is spare, whatever the horizon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from flint import arb

from ctucbvi import Enclosure, ValueIteration, algorithm2, solve
from ctucbvi.exact.precision import BALLS, enclosure, precision, to_fmpq
from ctucbvi.learning.sharp import sharp_bonus
from proofs_checks import lem_optimism, lem_v_v
from proofs_checks.lem_error_model import HALF, ONE, PROOF, ZERO
from proofs_checks.perturbed import BITS, PRINTED, Perturbed, Place, places, tempting
from proofs_checks.perturbed_values import applied, waiting
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim, increasing
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_SOURCE = "lem:optimism"
_TWO = Fraction(2)
_ROUND = 2**40  # bonuses are rounded up to multiples of 1/_ROUND


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
        return max(found.rate - found.rate_radius, ZERO), min(found.rate + found.rate_radius, self.fastest)


def sharpened(case: Perturbed) -> Sharp:
    """The same model and estimates."""
    return Sharp(case.model, case.fastest, case.estimates)


def sharp_places(kinds: tuple[str, ...] = PRINTED, max_steps: int = 3) -> SearchStrategy[Place]:
    """Places in perturbed models whose bonus is sharp."""
    return places(kinds=kinds, max_steps=max_steps).map(
        lambda place: replace(place, case=sharpened(place.case))
    )


def _ball(found: Enclosure) -> arb:
    return arb(to_fmpq(found.lower)).union(arb(to_fmpq(found.upper)))


def slopes(share: Fraction = ONE) -> Search:
    """``V*_n(x,t) - V*_n(x,6t/7)`` against a share of ``t/7``."""

    def sides(place: Place) -> tuple[Enclosure, Fraction]:
        iterate, t = ValueIteration(place.case.model)[place.steps], place.time
        return iterate.value(place.state, t) - iterate.value(place.state, t * Fraction(6, 7)), share * t / 7

    return Search((60, 2000), given=places(), sides=sides, title="iterates")


def rate_cost(share: Fraction = ONE) -> Search:
    """What the rate costs for ``V*_n``, against a share of the larger of its two bounds."""

    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = sharpened(place.case), place.pair, place.time
        pair, hat = case.model.pairs[k], case.estimates[k].rate
        iterate, (low, high) = ValueIteration(case.model)[place.steps], case.ends(k)
        lost = applied(iterate, pair, t) - applied(iterate, replace(pair, rate=hat), t)
        with precision(BITS):
            here, reward = waiting(hat, t), arb(to_fmpq(pair.reward))
            above, below = reward * (waiting(low, t) - here), (1 - reward) * (here - waiting(high, t))
            return _ball(lost), to_fmpq(share) * above.max(below) + arb(2) ** -60

    return Search((200, 3000), given=places(kinds=PRINTED), sides=sides, title="models")


def jump_cost(share: Fraction = ONE) -> Search:
    """What the jumps cost for ``V*_n``, against a share of ``min(α, 2)(t - w(λ̂))/2``."""

    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = place.case, place.pair, place.time
        found = case.estimates[k]
        iterate, true = ValueIteration(case.model)[place.steps], replace(case.model.pairs[k], reward=ZERO)
        error = applied(iterate, case.believed(k), t) - applied(iterate, replace(true, rate=found.rate), t)
        with precision(BITS):
            spent = to_fmpq(t) - waiting(found.rate, t)
            reach = to_fmpq(share * min(found.jump_radius, _TWO) / 2)
            return abs(_ball(error)), reach * spent + arb(2) ** -60

    return Search((200, 3000), given=places(kinds=PRINTED), sides=sides, title="models")


def sizes(share: Fraction = HALF) -> Search:
    """The sharp bonus against a share of the printed one."""

    def sides(place: Place) -> tuple[Fraction, Fraction]:
        right = place.case.bonus(place.pair, share) + Fraction(1, _ROUND)
        return sharpened(place.case).bonus(place.pair), right

    return Search((200, 3000), given=places(kinds=PRINTED), sides=sides, title="bonuses")


def iterates(share: Fraction = ONE) -> Search:
    """``V*_n <= V̂_n`` with a share of the sharp bonus."""
    return replace(lem_optimism.iterates(share, PRINTED), given=sharp_places())


def values(share: Fraction = ONE) -> Search:
    """``V* <= V̂ + ε λmax H`` with a share of the sharp bonus; ε is 1/10 to 1/1000 of the horizon."""

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
        return best, _ball(bold) + to_fmpq(epsilon * case.load)


def corners(share: Fraction = ONE, epsilon: Fraction = Fraction(1, 10**6)) -> Computed:
    """Optimism on :func:`tempting` models, where the bonus is just enough, on long horizons too."""

    def cases(effort: Effort) -> Iterator[Case]:
        for horizon in (Fraction(1, 100), Fraction(1), Fraction(3), Fraction(1, 10))[: effort.scaled(3, 4)]:
            for beta in (Fraction(1, 100), Fraction(1, 2), Fraction(1)):
                for up in (True, False):
                    case = sharpened(tempting(horizon, ONE, beta, up))
                    left, right = _compared(case, share, epsilon * horizon**2, "x", horizon)
                    name = f"H = {horizon}, λ = 1, λ̂ = {case.estimates[0].rate}, β = {beta}"
                    yield Case(name, left, right)

    return Computed(lambda effort: Outcome(cases(effort), method="certified values"), "two states")


def steps(bonus: Fraction = ONE) -> Search:
    """``V̂ - T^a V̂ <= (bonus b + (α + tβ)/2) t`` for the best actions, with the sharp bonus."""
    return replace(lem_v_v.one_step(ONE, bonus, HALF, PRINTED), given=sharp_places(max_steps=6))


SLOPE = claim(
    "lem:optimism/sharp/slope",
    "V*_n(x,t+h) <= V*_n(x,t) + h: T^a u(x,t) = r w(t) + ∫_0^t λ exp(-λs) u(t-s) ds has the slope r "
    "exp(-λt) + ∫_0^t λ exp(-λs) u'(t-s) ds, which is at most r e + (1 - e) <= 1, e = exp(-λt), if u rises "
    "from 0 by at most 1 per unit of time; the maximum keeps it.",
    says="r*exp(-l*t) + (1 - exp(-l*t)) <= 1",
    domain=Domain.of("l >= 0", "t >= 0", "0 <= r <= 1"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses="lem:optimism/rising",
    checks=(slopes(), *PROOF),
    argued="the induction over n, and that the maximum keeps the slope",
    expected="tested",
)

RATE = claim(
    "lem:optimism/sharp/rate",
    "r[w(λ̂) - w(λ)] + Σ p ∫(ĝ - g) V*_n ds >= -max{r[w(λ̲) - w(λ̂)], (1-r)[w(λ̂) - w(λ̄)]} for every λ in "
    "[λ̲, λ̄]. With d = w(λ̂) - w(λ) and i the integral, i = ∫ K m' has the sign of K, opposite to that of d, "
    "and |i| <= |d| as 0 <= m' <= 1. Here: where λ̂ < λ, r d + i >= -(1-r) d.",
    says="r*d + i >= -(1 - r)*d",
    domain=Domain.of("0 <= r <= 1", "d >= 0", "i >= -d", reals="i"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:optimism/sharp/slope", "lem:optimism/rising", "lem:optimism/opposite/kernel", "eq:diff"),
    checks=(rate_cost(), *PROOF),
    argued="the integration by parts; where λ̂ >= λ, i >= 0; and that w decreases, so that the ends decide",
    expected="tested",
)

JUMP = claim(
    "lem:optimism/sharp/jump",
    "|∫ ĝ(m̂ - m)(t-s) ds| <= (t - w(λ̂)) min(α, 2)/2 for the printed estimators: eq:error2/halved with ĝ in "
    "the place of g, ‖p̂ - p‖₁ = d <= α and d <= 2, x = t - w(λ̂); where the pair was never left ĝ = 0.",
    says="x*d/2 <= x*Min(al, 2)/2",
    domain=Domain.of("x >= 0", "d >= 0", "al >= 0", "d <= al", "d <= 2"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("eq:error2/halved", "lem:error-model/jump-integral/value", "eq:rate-est/unseen"),
    checks=(jump_cost(), *PROOF),
    argued="the bound under the integral",
    expected="tested",
)

TIME = claim(
    "lem:optimism/sharp/time",
    "w(λ,t)/w(μ,t) increases in t for λ <= μ: its derivative has the sign of exp(-λt) w(μ,t) - exp(-μt) "
    "w(λ,t), and times exp((λ+μ)t)/t that is E(μt) - E(λt) with E(x) = (exp(x) - 1)/x, which increases. So "
    "w(λ̲)/w(λ̂) - 1, 1 - w(λ̄)/w(λ̂) and t/w(λ̂) - 1 (λ̲ = 0) are largest at t = H.",
    says=increasing("(exp(x) - 1)/x", "x", Domain.of("x > 0")),
    domain=Domain.of("x > 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)

SIZE = claim(
    "lem:optimism/sharp/size",
    "The sharp bonus is at most half of eq:bonus-k: w(λ̲) - w(λ̂) and w(λ̂) - w(λ̄) are at most H²β/2 "
    "(lem:optimism/reward), r and 1 - r at most 1, min(α, 2) <= α, and x = 1/w(λ̂) <= C.",
    says="h**2*be/2*x + al/2*(h*x - 1) <= C*(h**2*be + h*al)/2",
    domain=Domain.of("h > 0", "be >= 0", "al >= 0", "C >= 1", "x >= 0", "x <= C"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:optimism/reward", "eq:diff"),
    checks=(sizes(), *PROOF),
    expected="proved",
)

WHOLE = claim(
    "lem:optimism/sharp",
    "lem:optimism holds with the sharp bonus and ε λmax H for ε exp(λmax H), for the printed estimators: b "
    "w(λ̂,t) is at least what rate and jumps cost, for every t <= H. No share of it is spare: for a state "
    "that earns 1 until it is left for a worthless one, or nothing until it is left for one that earns 1, "
    "99 % of it are too little, on every horizon.",
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:optimism/sharp/rate",
        "lem:optimism/sharp/jump",
        "lem:optimism/sharp/time",
        "lem:optimism/value-bound",
        "eq:diff",
        "eq:error-vi/load",
    ),
    checks=(iterates(), values(), corners()),
    expected="tested",
)

REGRET = claim(
    "lem:v-v-continuoustime/sharp",
    "With the sharp bonus b the regret of an episode is at most Σ_m E[(b + (α + uβ)/2)u] + ε λmax H, u = (H "
    "- t_m)⁺, for the printed estimators: lem:v-v-continuoustime/halved asks nothing of the bonus but "
    "optimism. As b is at most half of the printed one, so is the bound.",
    source="lem:v-v-continuoustime",
    kind=Kind.REPAIR,
    uses=("lem:optimism/sharp", "lem:optimism/sharp/size", "lem:v-v-continuoustime/halved"),
    checks=steps(),
    expected="tested",
)

CLAIMS = (SLOPE, RATE, JUMP, TIME, SIZE, WHOLE, REGRET)

_ALMOST = Fraction(99, 100)

MUTANTS: Mapping[str, Claim] = {
    "lem:optimism/sharp/slope": replace(SLOPE, checks=(slopes(HALF),)),
    "lem:optimism/sharp/rate": replace(RATE, checks=(rate_cost(HALF),)),
    "lem:optimism/sharp/jump": replace(JUMP, checks=(jump_cost(HALF),)),
    "lem:optimism/sharp/time": replace(TIME, says=increasing("(exp(x) - 1)/x**2", "x", TIME.domain)),
    "lem:optimism/sharp/size": changed(SIZE, "h**2*be/2*x + al/2*(h*x - 1) <= C*(h**2*be + h*al)/3"),
    "lem:optimism/sharp": replace(WHOLE, checks=(corners(_ALMOST),)),
    "lem:v-v-continuoustime/sharp": replace(REGRET, checks=(steps(ZERO),)),
}
