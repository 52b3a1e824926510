r"""``lem:optimism``: on :math:`\mathcal G` the computed value is an upper bound, up to the stopping error.

By induction :math:`V^*_n \le \hat V_n`.  With :math:`w(\lambda) = \int_0^t e^{-\lambda s}ds` and hats for the
estimates,

.. math:: \mathcal T^{a,k}\hat V_n - \mathcal T^aV^*_n \ \ge\
          b\,w(\lambda_{\max}) + r\,[w(\hat\lambda) - w(\lambda)] + [\hat E V^*_n - E V^*_n]
          \ \ge\ b\,w(\lambda_{\max}) - t^2\beta - t\alpha,

which is at least 0 if :math:`b \ge (t^2\beta + t\alpha)/w(\lambda_{\max})` for every :math:`t \le H`; the
right side increases in :math:`t`.  At :math:`t = 0` it is 0/0 and means its limit :math:`\alpha`.  The steps
are formulas, proved for all values; how they fit together (the induction, the limits) is in the words of
the claims, not in the formulas, so the conclusions are tested besides on models with the estimates on the
boundary.

**Twice too much.**  The two errors of the rate have opposite signs.  :math:`V^*_n` does not decrease in
:math:`t`, and neither does :math:`m = \sum_y\hat p(y)V^*_n(y,\cdot)`, so that with
:math:`g = \lambda e^{-\lambda s}`

.. math:: \int_0^t(\hat g-g)(s)\,m(t-s)\,ds
          = \int_0^t \bigl(e^{-\lambda(t-u)} - e^{-\hat\lambda(t-u)}\bigr)\,dm(u)

has the sign of :math:`\hat\lambda - \lambda`, and :math:`w(\hat\lambda) - w(\lambda)` has the other one:
their sum is at least :math:`-t^2\beta/2`.  With ``eq:error2/halved`` half of the bonus suffices, and the
maximum with 1 in ``eq:bonus-k`` serves no purpose here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from flint import arb

from ctucbvi import Enclosure, ValueIteration, algorithm2, solve
from ctucbvi.exact.precision import precision, to_fmpq
from proofs_checks.lem_error_model import HALF, ONE, PROOF, WAIT
from proofs_checks.perturbed import BITS, EVERY, PRINTED, Perturbed, Place, places, tempting
from proofs_checks.perturbed_values import applied, waiting
from proofs_checks.setting import bounded
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim, decreasing, increasing
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

_SOURCE = "lem:optimism"
_TIMES = Domain.of("l >= 0", "t >= 0")
_RADII = ("t >= 0", "b >= 0", "al >= 0")


def iterates(share: Fraction, kinds: tuple[str, ...] = EVERY) -> Search:
    """``V*_n(x,t) <= V̂_n(x,t)`` on models, with a share of the bonus."""

    def sides(place: Place) -> tuple[Enclosure, Enclosure]:
        true = ValueIteration(place.case.model)[place.steps]
        bold = ValueIteration(place.case.optimistic(share), truncate=True)[place.steps]
        return true.value(place.state, place.time), bold.value(place.state, place.time)

    return Search((300, 2000), given=places(kinds=kinds), sides=sides, title="iterates")


def values(share: Fraction, kinds: tuple[str, ...] = EVERY, *, load: bool = False) -> Search:
    """``V*(x,t) <= V̂(x,t) + ε exp(λmax H)`` on models; ε is 1/10, 1/100 or 1/1000 of the horizon.

    ``load``: with ε λmax H in the place of ε exp(λmax H).
    """

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
        found = arb(to_fmpq(bold.lower)).union(arb(to_fmpq(bold.upper)))
        return best, found + to_fmpq(epsilon) * (to_fmpq(case.load) if load else case.growth())


def difference(short: Fraction = ONE) -> Search:
    """The lower bound of eq:diff on models, with ``V*_n`` and ``V̂_n``; ``short`` scales λmax in it."""

    def sides(place: Place) -> tuple[arb, arb]:
        case, k, t = place.case, place.pair, place.time
        pair, found = case.model.pairs[k], case.estimates[k]
        true = ValueIteration(case.model)[place.steps]
        bold = ValueIteration(case.optimistic(), truncate=True)[place.steps]
        gain = applied(bold, case.believed(k, pair.reward + case.bonus(k)), t) - applied(true, pair, t)
        moves = applied(true, case.believed(k), t) - applied(true, replace(pair, reward=Fraction(0)), t)
        with precision(BITS):
            bonus = to_fmpq(case.bonus(k)) * waiting(case.fastest * short, t)
            kept = to_fmpq(pair.reward) * (waiting(found.rate, t) - waiting(pair.rate, t))
            return bonus + kept + _ball(moves), _ball(gain)

    return Search((40, 1500), given=places(max_steps=2), sides=sides, title="models")


def rate_errors(part: Fraction) -> Search:
    """Both errors of the rate together, for ``V*_n``, against ``part t²β``."""

    def sides(place: Place) -> tuple[arb, Fraction]:
        case, k, t = place.case, place.pair, place.time
        pair, found = case.model.pairs[k], case.estimates[k]
        true, believed = ValueIteration(case.model)[place.steps], case.believed(k, case.model.pairs[k].reward)
        error = applied(true, believed, t) - applied(true, replace(believed, rate=pair.rate), t)
        with precision(BITS):
            return abs(_ball(error)), part * t**2 * found.rate_radius

    return Search((60, 2000), given=places(), sides=sides, title="models")


def rises(forward: bool = True) -> Search:
    """``V*_n`` and ``V̂_n`` at 6/7 of a time against the time itself (or the other way round)."""

    def sides(place: Place) -> tuple[Enclosure, Enclosure]:
        bold = ValueIteration(place.case.optimistic(Fraction(1, 20)), truncate=True)
        iterate = (ValueIteration(place.case.model) if place.pair % 2 else bold)[place.steps]
        times = (place.time * Fraction(6, 7), place.time)
        early, late = (iterate.value(place.state, t) for t in (times if forward else times[::-1]))
        return early, late

    return Search((60, 2000), given=places(), sides=sides, title="iterates")


def _ball(found: Enclosure) -> arb:
    return arb(to_fmpq(found.lower)).union(arb(to_fmpq(found.upper)))


def corners(share: Fraction, epsilon: Fraction = Fraction(1, 10**6)) -> Computed:
    """``lem:optimism`` on :func:`tempting` models: on short horizons no share of the bonus is spare."""

    def cases(effort: Effort) -> Iterator[Case]:
        for horizon in (Fraction(1, 100), Fraction(1), Fraction(1, 10))[: effort.scaled(2, 3)]:
            for beta in (Fraction(1, 100), Fraction(1, 2), Fraction(1)):
                for up in (True, False):
                    case = tempting(horizon, ONE, beta, up)
                    left, right = _compared(case, share, epsilon * horizon**2, "x", horizon)
                    name = f"H = {horizon}, λ = 1, λ̂ = {case.estimates[0].rate}, β = {beta}"
                    yield Case(name, left, right)

    return Computed(lambda effort: Outcome(cases(effort), method="certified values"), "short horizons")


DISPLAY = claim(
    "lem:optimism/display",
    "V*_{n+1}(x,t) = sup_a {r(x,a) + E V*_n(Y,(t-τ)⁺)}, as displayed: for one state, one action and n = 0 "
    "the two sides are r(1 - exp(-λt))/λ and r.",
    says=f"r*{WAIT} == r",
    domain=Domain.of("l > 0", "t >= 0", "0 <= r <= 1"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=PROOF,
    expected="refuted",
    latex=r"V^*_{n+1}(x,t) = \sup_a\{r(x,a) + \mathbb E[V^*_n(Y,(t-\tau)^+)]\}",
)

DISPLAY_REPAIRED = claim(
    "lem:optimism/display/repaired",
    "With the factor E[t ∧ τ] that eq:Qa has: E[t ∧ τ] = t exp(-λt) + ∫_0^t s λ exp(-λs) ds = (1 - "
    "exp(-λt))/λ.",
    says=f"t*exp(-l*t) + (1 - exp(-l*t)*(1 + l*t))/l == {WAIT}",
    domain=Domain.of("l > 0", "t >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)

DIFFERENCE = claim(
    "eq:diff",
    "T^{a,k}V̂_n - T^aV*_n >= b w(λmax) + r[w(λ̂) - w(λ)] + ÊV*_n - EV*_n, if V*_n <= V̂_n, b >= 0 and λ̂ "
    "<= λmax: Ê is monotone (p̂ >= 0), and w(λ) = (1 - exp(-λt))/λ does not increase in λ.",
    says=decreasing(WAIT, "l", _TIMES),
    domain=_TIMES,
    source=_SOURCE,
    kind=Kind.STEP,
    uses="eq:Qa/monotone",
    checks=(difference(), *PROOF),
    argued="that Ê is monotone",
    expected="tested",
)

REWARD = claim(
    "lem:optimism/reward",
    "w(λ) + λt²/2 does not decrease in λ >= 0, w(λ) = (1 - exp(-λt))/λ: w falls by at most t²/2 times the "
    "change of λ (and does not rise, eq:diff), so that r w moves by at most t²β/2 for 0 <= r <= 1.",
    says=increasing(f"{WAIT} + l*t**2/2", "l", _TIMES),
    domain=_TIMES,
    source=_SOURCE,
    kind=Kind.STEP,
    uses="eq:diff",
    checks=PROOF,
    expected="proved",
    latex=r"\bigl|r\int_0^te^{-\hat\lambda s}ds - r\int_0^te^{-\lambda s}ds\bigr| \le \tfrac{t^2}2\beta",
)

VALUE_BOUND = claim(
    "lem:optimism/value-bound",
    "0 <= V*_n <= V* <= t for all n: if u(y,t) <= t then T^a u(x,t) <= r w + (t - w) <= t for 0 <= r <= 1, "
    "w = (1 - exp(-λt))/λ; and V*_n increases to V*.",
    says=f"r*{WAIT} + (t - {WAIT}) <= t",
    domain=Domain.of("l >= 0", "t >= 0", "0 <= r <= 1"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("eq:Qa/iteration", "lem:error-model/jump-integral/value"),
    checks=(bounded(), *PROOF),
    argued="the induction over n and the limit",
    expected="tested",
)

SUFFICIENT = claim(
    "lem:optimism/sufficient",
    "If b >= (t²β + tα)/w with w = w(λmax) > 0 then b w >= t²β + tα.",
    says="t**2*b + t*al <= c*w",
    domain=Domain.of("w > 0", "c >= 0", *_RADII, "(t**2*b + t*al)/w <= c"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("eq:diff", "lem:optimism/reward", "lem:optimism/value-bound", "lem:error-model"),
    checks=PROOF,
    expected="proved",
)

B_SUP = claim(
    "eq:b-sup",
    "(t²β + tα)/∫_0^t exp(-λmax s) ds does not decrease in t >= 0, for all α, β >= 0 and λmax > 0; so the "
    "supremum over [0, H] is its value at H.",
    says=increasing("c*(t**2*b + t*al)/(1 - exp(-c*t))", "t", Domain.of("c > 0", *_RADII)),
    domain=Domain.of("c > 0", *_RADII),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=PROOF,
    expected="proved",
)

BONUS = claim(
    "lem:optimism/bonus",
    "The bonus satisfies eq:b-sup: b = m x with m = max(k, 1) >= k, k = λmax/(1 - exp(-λmax H)), x = H²β + "
    "Hα, and the supremum is k x. (The maximum with 1 is not needed.)",
    says="k*x <= m*x",
    domain=Domain.of("k > 0", "x >= 0", "m >= 1", "k <= m"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("eq:b-sup", "eq:bonus-k/real/repaired"),
    checks=PROOF,
    expected="proved",
)

INDUCTION = claim(
    "lem:optimism/induction",
    "On 𝒢, V*_n <= V̂_n for all n: equal for n = 0, and if it holds for n then T^{a,k}V̂_n - T^aV*_n >= x "
    "+ y - t²β - tα with x = b w(λmax) >= t²β + tα and y >= 0 what eq:diff leaves out.",
    says="x + y - t**2*b - t*al >= 0",
    domain=Domain.of(*_RADII, "x >= t**2*b + t*al", "y >= 0"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("lem:optimism/sufficient", "lem:optimism/bonus"),
    checks=(iterates(ONE), *PROOF),
    argued="the induction over n, and that truncation by t >= T^aV*_n keeps the inequality",
    expected="tested",
)

WHOLE = claim(
    "lem:optimism",
    "On 𝒢, V*(x,t) <= V̂_{n_k}(x,t) + ε exp(λmax H) for all x and t <= H: V* <= u = V̂_∞ by the induction, "
    "and u <= V̂_{n_k} + ε exp(λmax H). V* is the committed value.",
    says="v <= vn + e",
    domain=Domain.of("v >= 0", "vn >= 0", "u >= 0", "e >= 0", "v <= u", "u - vn <= e"),
    source=_SOURCE,
    uses=("lem:optimism/induction", "eq:Qa/iteration", "eq:mono", "eq:error-vi"),
    checks=(values(ONE), corners(ONE), *PROOF),
    argued="that V* and V̂_∞ are the limits of V*_n and V̂_n",
    expected="tested",
    latex=r"V^*(x,t) \le \hat V^k_{n_k}(x,t) + \epsilon_k e^{\lambda_{\max}H}",
)

# --- half of the bonus -----------------------------------------------------------------------

RISING = claim(
    "lem:optimism/rising",
    "V*_n and V̂_n do not decrease in t: T^a u(x,t) = r E[t ∧ τ] + E u(Y,(t-τ)⁺), and for each value s of τ "
    "both t ∧ s and, if u rises from 0, u(Y,(t-s)⁺) rise in t; the minimum with t and the maximum keep it.",
    says="Min(t, s) <= Min(t + h, s)",
    domain=Domain.of("s >= 0", "t >= 0", "h >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=(rises(), *PROOF),
    argued="the induction over n, and that the expectation, the minimum and the maximum rise, too",
    expected="tested",
)

OPPOSITE = claim(
    "lem:optimism/opposite",
    "The errors of the rate have opposite signs: where u rises from 0, ∫(ĝ - g) u(t-s) ds = ∫(exp(-λs) - "
    "exp(-λ̂s)) du(t-s) has the sign of λ̂ - λ, and w(λ̂) - w(λ) the other one. So for V*_n and 0 <= r <= 1 "
    "the two together are at most t²β/2 in size: |r[w(λ̂) - w(λ)] + Σ p̂ ∫(ĝ - g) V*_n ds| <= t²β/2.",
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:optimism/rising", "lem:optimism/reward", "eq:error1", "lem:optimism/opposite/kernel"),
    checks=rate_errors(HALF),
    expected="tested",
)

KERNEL = claim(
    "lem:optimism/opposite/kernel",
    "exp(-λs) does not increase in λ, for every s >= 0: the sign of the kernel exp(-λs) - exp(-λ̂s) is "
    "that of λ̂ - λ.",
    says=decreasing("exp(-l*s)", "l", Domain.of("l >= 0", "s >= 0")),
    domain=Domain.of("l >= 0", "s >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)

HALVED = claim(
    "lem:optimism/halved",
    "lem:optimism holds with half of the bonus of eq:bonus-k and ε λmax H for ε exp(λmax H), for the printed "
    "estimators: with the estimated rate in the jump term, ĝm̂ - gm = (ĝ - g)m + ĝ(m̂ - m), the rate costs "
    "at most t²β/2 and the jumps at most (t - w(λ̂))α/2 <= tα/2 (nothing where the pair was never left), so "
    "b w(λmax) >= t²β/2 + tα/2 suffices. Half of the β part is also necessary, on short horizons; of the α "
    "part less will do (lem:optimism/sharp).",
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:optimism/opposite",
        "lem:error-model/halved",
        "lem:optimism/value-bound",
        "eq:diff",
        "eq:b-sup",
        "eq:error-vi/load",
    ),
    checks=(iterates(HALF, PRINTED), values(HALF, PRINTED, load=True), corners(HALF)),
    expected="tested",
)

CLAIMS = (
    DISPLAY, DISPLAY_REPAIRED, DIFFERENCE, REWARD, VALUE_BOUND, SUFFICIENT, B_SUP, BONUS, INDUCTION, WHOLE,
    RISING, KERNEL, OPPOSITE, HALVED,
)  # fmt: skip

_TENTH = Fraction(1, 10)
_LESS = Fraction(49, 100)  # of the bonus: too little on short horizons

MUTANTS: Mapping[str, Claim] = {
    "lem:optimism/display": changed(
        DISPLAY, f"r*{WAIT} == r*(1/l - exp(-l*t)/l)"
    ),  # the true form: not refuted
    "lem:optimism/display/repaired": changed(DISPLAY_REPAIRED, f"t*exp(-l*t) + (1 - exp(-l*t))/l == {WAIT}"),
    "eq:diff": replace(DIFFERENCE, checks=(difference(_TENTH),)),
    "lem:optimism/reward": replace(REWARD, says=increasing(f"{WAIT} + l*t**2/3", "l", _TIMES)),
    "lem:optimism/value-bound": changed(VALUE_BOUND, f"r*{WAIT} + (t - {WAIT}/2) <= t"),
    "lem:optimism/sufficient": changed(SUFFICIENT, "t**2*b + 2*t*al <= c*w"),
    "eq:b-sup": replace(B_SUP, says=increasing("c*(t*b + al)/(1 - exp(-c*t))", "t", B_SUP.domain)),
    "lem:optimism/bonus": changed(BONUS, domain=Domain.of("k > 0", "x >= 0", "m >= 1")),
    "lem:optimism/induction": replace(INDUCTION, checks=(iterates(_TENTH),)),
    "lem:optimism": replace(WHOLE, checks=(corners(_TENTH),)),
    "lem:optimism/rising": replace(RISING, checks=(rises(forward=False),)),
    "lem:optimism/opposite": replace(OPPOSITE, checks=(rate_errors(Fraction(1, 4)),)),
    "lem:optimism/opposite/kernel": replace(KERNEL, says=decreasing("l*exp(-l*s)", "l", KERNEL.domain)),
    "lem:optimism/halved": replace(HALVED, checks=(corners(_LESS),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "lem:optimism/display": {
        "breaks": "notation",
        "summary": "The factor E[t ∧ τ] of the reward is missing in the first display of the proof: at t = "
        "0 the left side is 0 and the right side r. Nothing rests on it; eq:diff has the right form.",
        "repair": "lem:optimism/display/repaired",
    },
    "lem:optimism/bonus": {
        "breaks": "constant",
        "summary": "Half of the bonus suffices: the rate's errors in the reward and in the holding time "
        "have opposite signs, and the jump term is half of what is printed; for a pair that was never left "
        "α is not needed. On short horizons half of the β part is also necessary; of CHα only "
        "(κ - 1)α/2 is, κ = λ̂H/(1 - exp(-λ̂H)) (lem:optimism/sharp). The maximum with 1 in C is not needed "
        "for optimism.",
        "repair": "lem:optimism/halved",
    },
    "lem:optimism": {
        "breaks": "constant",
        "summary": "Stands as printed, for the committed value V*. Half of the bonus does, and ε λmax H for "
        "ε exp(λmax H).",
        "repair": "lem:optimism/halved",
    },
}
