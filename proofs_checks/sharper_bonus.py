r"""The smallest bonus (constant in time) that the proof of optimism gives: ``bonus="sharp"`` of the learners.

With :math:`w(\lambda) = \int_0^te^{-\lambda s}ds`, :math:`F = 1-e^{-\lambda s}` and hats for the estimates,
the step of ``eq:diff`` is, after integration by parts,

.. math:: \mathcal T^{a,k}\hat V_n - \mathcal T^aV^*_n \ge b\,w(\hat\lambda) - \Bigl\{r\,[w(\lambda)
          - w(\hat\lambda)] + \int_0^t\sum_y(Fp - \hat F\hat p)(s,y)\,\partial_tV^*_n(y,t-s)\,ds\Bigr\},

and :math:`0 \le \partial_tV^*_n \le 1`: a value rises by at most what can be earned in the time that is
added.

**The cost.**  :math:`(Fp-\hat F\hat p)^+ \le \min(F,\hat F)(p-\hat p)^+ + (F-\hat F)^+p`, and
:math:`\sum_y(p-\hat p)^+ \le \alpha'/2`, :math:`\alpha' = \min\{\alpha,2\}`.  (A pair that was never left has
an empty row, with the sum 1, but :math:`\hat F = 0`; where a known :math:`\lambda_{\min}` makes
:math:`\hat F > 0`, :math:`\alpha' = 2`.)  As :math:`\int_0^tF = t-w(\lambda)`, the braces are at most

.. math:: r\,[w(\lambda)-w(\hat\lambda)] + \frac{\alpha'}2\,(t-w(\lambda)) \quad(\lambda\le\hat\lambda),
          \qquad (1-r)[w(\hat\lambda)-w(\lambda)] + \frac{\alpha'}2\,(t-w(\hat\lambda))
          \quad(\lambda\ge\hat\lambda).

**The ends.**  On :math:`\mathcal G`, :math:`\lambda` lies between the ends :math:`\underline\lambda` and
:math:`\bar\lambda` of its confidence interval.  Both costs are linear in :math:`w(\lambda)`: the first is
largest at :math:`\underline\lambda` or, where :math:`r < \alpha'/2`, at :math:`\hat\lambda`, and there it is
not more than the second, which is largest at :math:`\bar\lambda`.

So the bonus need only be, for every :math:`t`, the larger of the two costs at the ends divided by
:math:`w(\hat\lambda)`.  The quotients increase in :math:`t`, and :math:`t = H` gives the bonus of
:mod:`ctucbvi.learning.sharp`.

**It is attained**: if :math:`\lambda = \underline\lambda`, the jumps go to a state that earns 1 with
probability :math:`\alpha'/2`, else and by the estimate always to a worthless one; or if :math:`\lambda =
\bar\lambda`, all jumps go to a state that earns 1, and by the estimate all but :math:`\alpha'/2`
(:func:`doubted`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from flint import arb
from hypothesis import strategies as st

from ctucbvi import CTMDP, Enclosure, ValueIteration, algorithm2, solve
from ctucbvi.exact.precision import BALLS, enclosure, precision, to_fmpq
from ctucbvi.learning.sharp import sharp_bonus
from ctucbvi.model import Transition
from proofs_checks import lem_optimism, lem_v_v
from proofs_checks.lem_error_model import HALF, ONE, PROOF, ZERO
from proofs_checks.perturbed import BITS, PRINTED, Estimate, Perturbed, Place, places
from proofs_checks.perturbed_values import applied, waiting
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_SOURCE = "lem:optimism"
_TWO = Fraction(2)
_ALMOST = Fraction(99, 100)
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


def _lost(place: Place) -> arb:
    """``T^a V*_n - T^{a,k} V*_n``, without the bonus."""
    case, k, t = place.case, place.pair, place.time
    iterate, pair = ValueIteration(case.model)[place.steps], case.model.pairs[k]
    return _ball(applied(iterate, pair, t) - applied(iterate, case.believed(k, pair.reward), t))


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

    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = sharpened(place.case), place.pair, place.time
        true, hat = case.model.pairs[k].rate, case.estimates[k].rate
        bound = _costs(case, k, t, min(true, hat), max(true, hat))
        with precision(BITS):
            return _lost(place), to_fmpq(share) * bound + arb(2) ** -60

    given = places(kinds=PRINTED) | st.deferred(lambda: st.sampled_from(doubts(Effort())))
    return Search((200, 3000), given=given, sides=sides, title="models")


def quotients(forward: bool = True) -> Search:
    """The cost at the ends of the interval over ``w(λ̂)``, at 6/7 of a time against the time itself."""

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

COST = claim(
    "lem:optimism/sharp/cost",
    "T^a V*_n - T^{a,k} V*_n without the bonus is at most r[w(λ) - w(λ̂)] + (t - w(λ))α'/2 where λ <= λ̂, and "
    "(1-r)[w(λ̂) - w(λ)] + (t - w(λ̂))α'/2 where λ >= λ̂, for the printed estimators; α' = min(α, 2). By parts "
    "it is r[w(λ) - w(λ̂)] + ∫ Σ_y (Fp - Gp̂) V*_n' ds with F = 1 - exp(-λs), G = 1 - exp(-λ̂s) and 0 <= V*_n' "
    "<= 1. Here, for one y and q = p̂: Fp - Gq <= F(p - q) where F <= G; otherwise Fp - Gq = G(p - q) + (F - "
    "G)p. The positive parts of p - q add up to α'/2 at most (or G = 0), and ∫F = t - w(λ).",
    says="F*p - G*q <= F*(p - q)",
    domain=Domain.of("F >= 0", "G >= F", "p >= 0", "q >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:optimism/sharp/slope", "lem:optimism/rising", "eq:diff", "eq:error2/halved",
        "lem:error-model/jump-integral/value", "eq:rate-est/unseen",
    ),
    checks=(cost(), *PROOF),
    argued="the integration by parts, the case F > G, the sums over y and the integral",
    expected="tested",
)  # fmt: skip

ENDS = claim(
    "lem:optimism/sharp/ends",
    "The ends of the confidence interval decide. For λ in [λ̲, λ̂], w(λ) = w(λ̂) + sd with d = w(λ̲) - w(λ̂) and "
    "0 <= s <= 1; with c = t - w(λ̂) and a = α'/2 the cost rsd + a(c - sd) is at most the larger, m, of those "
    "at the ends: it is linear in s, for s = 1 it is the cost at λ̲, and for s = 0 it is ac, not more than "
    "the cost at λ̄. (For λ in [λ̂, λ̄] the cost decreases in w(λ), so λ̄ decides.)",
    says="r*s*d + a*(c - s*d) <= m",
    domain=Domain.of(
        "0 <= r <= 1", "a >= 0", "d >= 0", "c >= d", "0 <= s <= 1", "m >= r*d + a*(c - d)", "m >= a*c"
    ),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)

TIME = claim(
    "lem:optimism/sharp/time",
    "The costs at λ̲ and λ̄ divided by w(λ̂,t) increase in t, so that t = H decides: costs and w(λ̂) are "
    "integrals from 0 to t, and the quotients of the integrands, r(exp((λ̂-λ̲)s) - 1) + (exp(λ̂s) - "
    "exp((λ̂-λ̲)s))α'/2 and (1-r)(1 - exp((λ̂-λ̄)s)) + (exp(λ̂s) - 1)α'/2, increase. Here the derivative of the "
    "first, m = λ̂, d = λ̂ - λ̲, x = exp(ms), y = exp(ds), a = α'/2; the second has increasing terms only.",
    says="r*d*y + a*(m*x - d*y) >= 0",
    domain=Domain.of("r >= 0", "a >= 0", "d >= 0", "m >= d", "y >= 0", "x >= y"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=(quotients(), *PROOF),
    argued="that a quotient of integrals increases if that of the integrands does",
    expected="tested",
)

SIZE = claim(
    "lem:optimism/sharp/size",
    "The sharp bonus is at most half of eq:bonus-k: w(λ̲) - w(λ̂) and w(λ̂) - w(λ̄) are at most H²β/2 "
    "(lem:optimism/reward), r and 1 - r at most 1, H - w(λ̲) <= H - w(λ̂), min(α, 2) <= α, and x = 1/w(λ̂) <= "
    "C.",
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
    "w(λ̂,t) is at least what rate and jumps cost together, for every t <= H. It is the smallest bonus "
    "(constant in time) that this argument gives.",
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:optimism/sharp/cost",
        "lem:optimism/sharp/ends",
        "lem:optimism/sharp/time",
        "lem:optimism/value-bound",
        "eq:diff",
        "eq:error-vi/load",
    ),
    checks=(iterates(), values(), corners()),
    expected="tested",
)

NEEDED = claim(
    "lem:optimism/sharp/needed",
    "The sharp bonus is attained: 99 % of it are too little for a state that is left at the rate λ̲ for one "
    "that earns 1, with probability α/2, and otherwise, or always as it seems, for a worthless one; and for "
    "a state that is left at the rate λ̄ always for the good one, and as it seems with probability 1 - α/2 (H "
    "from 1/100 to 3, β from 1/100 to 1, α from 0 to 2; rewards 1 and 3/4 in the first case, 0 and 1/4 in "
    "the second).",
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=corners(_ALMOST, ">"),
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

CLAIMS = (SLOPE, COST, ENDS, TIME, SIZE, WHOLE, NEEDED, REGRET)

MUTANTS: Mapping[str, Claim] = {
    "lem:optimism/sharp/slope": replace(SLOPE, checks=(slopes(HALF),)),
    "lem:optimism/sharp/cost": replace(COST, checks=(cost(_ALMOST),)),
    # λ̲ alone does not decide: wrong where r < a.
    "lem:optimism/sharp/ends": changed(ENDS, "r*s*d + a*(c - s*d) <= r*d + a*(c - d)"),
    "lem:optimism/sharp/time": replace(TIME, checks=(quotients(forward=False),)),
    "lem:optimism/sharp/size": changed(SIZE, "h**2*be/2*x + al/2*(h*x - 1) <= C*(h**2*be + h*al)/3"),
    "lem:optimism/sharp": replace(WHOLE, checks=(corners(_ALMOST),)),
    "lem:optimism/sharp/needed": replace(NEEDED, checks=(corners(ONE, ">"),)),
    "lem:v-v-continuoustime/sharp": replace(REGRET, checks=(steps(ZERO),)),
}
