r"""The bonus as a lump sum of the remaining time: the factor :math:`CH+1` of the regret bound disappears.

Write :math:`w(\lambda,t) = \int_0^te^{-\lambda s}ds` and hats for the estimates.  With the estimated rate in
the jump term (``eq:model-error/estimated``) one step of ``lem:optimism`` without a bonus is

.. math:: \mathcal T^{a,k}V^*_n - \mathcal T^aV^*_n = \Bigl\{r[w(\hat\lambda,t)-w(\lambda,t)]
          + \int(\hat g-g)m\Bigr\} + \int\hat g(\hat m-m),

where the braces hold two terms of opposite signs, each at most :math:`\min(t^2\beta/2, t)`, and the last term
is at most :math:`(t-w(\hat\lambda,t))\min(\alpha,2)/2`.  So what has to be made up for is at most

.. math:: B(t) = \min(t^2\beta/2,\,t) + (t-w(\hat\lambda,t))\min(\alpha,2)/2 .

A constant bonus that makes up for it is :math:`B(H)/w(\hat\lambda,H)`, and is paid at every decision, also
late in the episode, where :math:`B` is small (a smaller constant one is in
:mod:`proofs_checks.sharper_bonus`).
Add :math:`B(t)` itself to :math:`\mathcal T^{a,k}` instead.  Optimism is proved as before, and one step of
``lem:v-v-continuoustime`` costs

.. math:: \hat V - \mathcal T^a\hat V \le 2B(t) \le t^2\beta + (t-w)\alpha \le
          t\,\bigl(H\beta + (1-1/\kappa)\alpha\bigr), \qquad \kappa = \frac v{1-e^{-v}},\ v = \lambda_{\max}H,

where the printed bonus has :math:`(b+\alpha+t\beta)t \le t(CH+1)(H\beta+\alpha)`.  What it makes of the
theorem is in :mod:`proofs_checks.thm_ct_ucb_better`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from ctucbvi import CTMDP, Enclosure, ValueIteration
from ctucbvi.exact.iteration import Iterate
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.model import Transition
from proofs_checks.lem_error_model import ONE, PROOF, ZERO
from proofs_checks.perturbed import BITS, PRINTED, Estimate, Perturbed, Place, places, tempting
from proofs_checks.perturbed_values import applied, waiting
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

_ROUNDING = Fraction(1, 2**60)  # where both sides may be equal
_TWO = Fraction(2)
_LESS = Fraction(98, 100)


@dataclass(frozen=True)
class Parts:
    """Which shares of the rate part and of the jump part are taken."""

    rate: Fraction = ONE
    jump: Fraction = ONE


_WHOLE = Parts()


def lump(case: Perturbed, k: int, t: Fraction, parts: Parts) -> arb:
    """``B(t)`` of pair ``k``."""
    found = case.estimates[k]
    with precision(BITS):
        rate = to_fmpq(parts.rate * min(t**2 * found.rate_radius / 2, t))
        jump = to_fmpq(parts.jump * min(found.jump_radius, _TWO) / 2)
        return rate + jump * (to_fmpq(t) - waiting(found.rate, t))


# --- checks -----------------------------------------------------------------------------------


def made_up(parts: Parts = _WHOLE) -> Search:
    """``T^aV <= T^{a,k}V + B``, without a bonus in T^{a,k}, for ``V = V*_n``."""

    def sides(place: Place) -> tuple[arb, arb]:
        true = ValueIteration(place.case.model)[place.steps]
        return _made_up(place.case, place.pair, place.time, parts, true)

    return Search((100, 2000), given=places(kinds=PRINTED), sides=sides, title="models")


def _made_up(case: Perturbed, k: int, t: Fraction, parts: Parts, iterate: Iterate) -> tuple[arb, arb]:
    pair = case.model.pairs[k]
    with precision(BITS):
        left = _ball(applied(iterate, pair, t))
        found = _ball(applied(iterate, case.believed(k, pair.reward), t))
        return left, found + lump(case, k, t, parts) + to_fmpq(_ROUNDING)


def costs(factor: Fraction = _TWO) -> Search:
    """``T^{a,k}V̂ + B - T^aV̂`` against ``factor B``, for functions V̂ <= t that rise.

    They are iterates of the estimated model with a twentieth of the printed bonus.
    """

    def sides(place: Place) -> tuple[arb, arb]:
        bold = ValueIteration(place.case.optimistic(Fraction(1, 20)), truncate=True)[place.steps]
        return _cost(place.case, place.pair, place.time, bold, factor)

    return Search((100, 2000), given=places(kinds=PRINTED, max_steps=5), sides=sides, title="models")


def _cost(case: Perturbed, k: int, t: Fraction, bold: Iterate, factor: Fraction) -> tuple[arb, arb]:
    with precision(BITS):
        believed = _ball(applied(bold, case.believed(k, case.model.pairs[k].reward), t))
        paid = lump(case, k, t, _WHOLE)
        left = believed + paid - _ball(applied(bold, case.model.pairs[k], t))
        return left, to_fmpq(factor) * paid + to_fmpq(_ROUNDING)


def _ball(found: Enclosure) -> arb:
    return arb(to_fmpq(found.lower)).union(arb(to_fmpq(found.upper)))


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


def corners(parts: Parts = _WHOLE, relation: str = "<=") -> Computed:
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


def dear(factor: Fraction = _TWO) -> Computed:
    """``T^{a,k}V̂ + B - T^aV̂`` where it is ``2B``: a row that promises too much."""

    def cases(effort: Effort) -> Iterator[Case]:
        for horizon in (Fraction(1, 100), ONE, _TWO)[: effort.scaled(2, 3)]:
            case = unlucky(horizon, ONE / 2, lucky=True)
            bold = ValueIteration(case.optimistic(ZERO), truncate=True)[10]
            yield Case(f"H = {horizon}, λ = λ̂ = 1, α = 1/2", *_cost(case, 0, horizon, bold, factor))

    return Computed(lambda effort: Outcome(cases(effort), method="certified values"), "nothing spare")


# --- claims -----------------------------------------------------------------------------------

LUMP = claim(
    "lem:optimism/lump-sum",
    "On 𝒢, for the printed estimators, T^{a,k}V + B >= T^aV for V = V*_n, where T^{a,k} has no bonus and "
    "B(t) = min(t²β/2, t) + (t - w(λ̂,t)) min(α, 2)/2: so V* <= V̂_∞ if B(t) is added in the place of the "
    "bonus, and lem:optimism holds with ε λmax H. The two errors of the rate have opposite signs and are at "
    "most t²β/2 and at most t in size; the row's error (f - u/2)d, |d| <= e, is at most (u/2)e.",
    says="(f - u/2)*d <= u/2*e",
    domain=Domain.of("f >= 0", "f <= u", "u >= 0", "d <= e", "-d <= e", "e >= 0", reals="d"),
    source="lem:optimism",
    kind=Kind.REPAIR,
    uses=("lem:optimism/opposite", "lem:error-model/halved", "lem:optimism/value-bound", "eq:error-vi/load"),
    checks=(made_up(), corners(), *PROOF),
    argued="the sum of the errors under the integral, the induction over n, and the truncation",
    expected="tested",
    latex=r"B(t) = \min\bigl(\tfrac{t^2}2\beta, t\bigr)"
    r" + \bigl(t-\tfrac{1-e^{-\hat\lambda t}}{\hat\lambda}\bigr)\tfrac{\min(\alpha,2)}2",
)

NEEDED = claim(
    "lem:optimism/lump-sum/needed",
    "Neither part of B can be lowered by a constant factor, the other radius being 0: with 98% of both "
    "parts the step T^aV <= T^{a,k}V + B fails, on short horizons for the rate (a state that earns 1 "
    "until it is left for a worthless one, or the reverse), on every horizon for the jumps "
    "(from a state always to one that earns 1 for ever, while the estimate sends α/2 to a worthless one).",
    source="lem:optimism",
    kind=Kind.REPAIR,
    checks=corners(Parts(_LESS, _LESS), ">"),
    expected="tested",
)

STEP = claim(
    "lem:v-v-continuoustime/lump-sum",
    "With the lump sum B in the place of the bonus one step costs V̂ - T^aV̂ <= 2B(t) <= t²β + (t - w)α <= "
    "t(Hβ + (1 - 1/κ)α), κ = v/(1 - exp(-v)), v = λmax H; so V* - V^π <= Σ_m E 2B(H - t_m) + ε λmax H. V̂ "
    "rises and is at most t, so its errors are at most B; and w/t >= 1/κ, as (1 - exp(-z))/z falls. (Tested "
    "for other rising V̂ <= t than those of the iteration with B.)",
    says="t**2*be + t*(1 - x)*al <= t*(H*be + (1 - y)*al)",
    domain=Domain.of("t >= 0", "t <= H", "be >= 0", "al >= 0", "x >= 0", "y > 0", "y <= x", "x <= 1"),
    source="lem:v-v-continuoustime",
    kind=Kind.REPAIR,
    uses=("lem:optimism/lump-sum", "lem:optimism/rising", "eq:diff", "eq:rec-Vk", "eq:Vpik",
          "lem:v-v-continuoustime/recursion"),
    checks=(costs(), dear(), *PROOF),
    argued="the sum of the errors under the integral, and that the recursion sums up",
    expected="tested",
    latex=r"V^*(x_0,H)-V^{\pi_k}(x_0,H) \le \sum_{m\ge0}\mathbb E\,2B((H-t_m)^+) + \epsilon_k\lambda_{\max}H",
)  # fmt: skip

CLAIMS = (LUMP, NEEDED, STEP)

MUTANTS: Mapping[str, Claim] = {
    "lem:optimism/lump-sum": replace(LUMP, checks=(corners(Parts(jump=_LESS)),)),
    "lem:optimism/lump-sum/needed": replace(NEEDED, checks=(corners(_WHOLE, ">"),)),
    "lem:v-v-continuoustime/lump-sum": replace(STEP, checks=(dear(Fraction(19, 10)),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
