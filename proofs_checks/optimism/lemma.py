r"""``lem:optimism``: on :math:`\mathcal G` the computed value is an upper bound, up to the stopping error.

By induction :math:`V^*_n \le \hat V_n`.  With :math:`w(\lambda) = \int_0^t e^{-\lambda s}ds` and hats for the
estimates,

.. math:: \mathcal T^{a,k}\hat V_n - \mathcal T^aV^*_n \ \ge\
          b\,w(\lambda_{\max}) + r\,[w(\hat\lambda) - w(\lambda)] + [\hat E V^*_n - E V^*_n]
          \ \ge\ b\,w(\lambda_{\max}) - t^2\beta - t\alpha,

which is at least 0 if :math:`b \ge (t^2\beta + t\alpha)/w(\lambda_{\max})` for every :math:`t \le H`; the
right side increases in :math:`t`.  At :math:`t = 0` it is 0/0 and means its limit :math:`\alpha`.  The steps
are formulas, proved for all values; how they fit together (the integrals, the induction, the limit) is
derived, and the conclusions are tested besides on models with the estimates on the boundary.

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

from fractions import Fraction

from proofs_checks.checks import lump_sum
from proofs_checks.checks.common import PROOF, WAIT
from proofs_checks.checks.lump_sum import Parts, made_up
from proofs_checks.checks.model_error import HALF, ONE
from proofs_checks.checks.optimism import corners, difference, iterates, rate_errors, rises, values
from proofs_checks.checks.perturbed import PRINTED
from proofs_checks.checks.setting import bounded
from proofs_checks.checks.value_iteration import increasing_iterates
from proofs_checks.derivations import by_parts, half_bonus, opposite, optimism
from proofs_checks.derivations.iterations import MONO, mono
from proofs_checks.derivations.setting import ANY, PAPER
from proofs_checks.derivations.slopes import RISING, VALUES_RISE, rising, values_rise
from proofs_checks.derivations.values import IN_TIME, VALUE_BOUND, in_time, value_bound
from verify.claims import Domain, Remark, Section, decreasing, increasing

_TIMES = Domain.of("l >= 0", "t >= 0")
_RADII = ("t >= 0", "be >= 0", "al >= 0")
_SUPREMUM = Domain.of("l > 0", *_RADII)
_TENTH = Fraction(1, 10)
_LESS = Fraction(49, 100)  # of the bonus: too little on short horizons

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"l": "λ", "al": "α", "be": "β"})

section.step(
    "eq:mono",
    "0 <= V̂_n <= V̂_{n+1} <= t, which is at most H: V̂_1 >= 0 = V̂_0; if V̂_{n-1} <= V̂_n then a = max "
    "T^{a,k}V̂_{n-1} <= b = max T^{a,k}V̂_n, and u = min{t,a} is at most min{t,b}, that is at most t and at "
    "most b. For every estimated model whose rates, rows and bonus are not negative.",
    says="u <= s*t + (1 - s)*b",
    domain=Domain.of("0 <= s <= 1", "u <= t", "u <= a", "a <= b", reals="u t a b"),
    symbols={"s": "any weight in [0, 1]"},
    uses="eq:Qa/monotone",
    theorem=MONO,
    derivation=mono,
    checks=(increasing_iterates(truncate=True), *PROOF),
    latex=r"H \ge \hat V^k_{n+1}(x,t) \ge \hat V^k_n(x,t)",
    mutant=increasing_iterates(truncate=True, steps=-1),
)

section.step(
    "lem:optimism/display",
    "V*_{n+1}(x,t) = sup_a {r(x,a) + E V*_n(Y,(t-τ)⁺)}, as displayed: for one state, one action and n = 0 "
    "the two sides are r(1 - exp(-λt))/λ and r.",
    says=f"r*{WAIT} == r",
    domain=("l > 0", "t >= 0", "0 <= r <= 1"),
    expected="refuted",
    latex=r"V^*_{n+1}(x,t) = \sup_a\{r(x,a) + \mathbb E[V^*_n(Y,(t-\tau)^+)]\}",
    mutant=f"r*{WAIT} == r*(1/l - exp(-l*t)/l)",  # the true form: not refuted
    finding=Remark(
        "erratum",
        "The factor E[t ∧ τ] of the reward is missing in the first display of the proof: at t = 0 the left "
        "side is 0 and the right side r.",
        details="Nothing rests on it; eq:diff has the right form.",
        repair="lem:optimism/display/repaired",
    ),
)

section.repair(
    "lem:optimism/display/repaired",
    "With the factor E[t ∧ τ] that eq:Qa has: E[t ∧ τ] = t exp(-λt) + ∫_0^t s λ exp(-λs) ds = (1 - "
    "exp(-λt))/λ.",
    says=f"t*exp(-l*t) + (1 - exp(-l*t)*(1 + l*t))/l == {WAIT}",
    domain=("l > 0", "t >= 0"),
    mutant=f"t*exp(-l*t) + (1 - exp(-l*t))/l == {WAIT}",
)

section.step(
    "eq:diff",
    "T^{a,k}V̂_n - T^aV*_n >= b w(λmax) + r[w(λ̂) - w(λ)] + ÊV*_n - EV*_n, if V*_n <= V̂_n, b >= 0 and λ̂ "
    "<= λmax: Ê is monotone (p̂ >= 0), and w(λ) = ∫exp(-λs)ds = (1 - exp(-λt))/λ does not increase in λ. "
    "For any u <= v in the place of V*_n, V̂_n.",
    says=decreasing(WAIT, "l", _TIMES),
    domain=_TIMES,
    source="lem:optimism",
    uses="eq:Qa/monotone",
    checks=(difference(), *PROOF),
    theorem=optimism.DIFF,
    derivation=optimism.diff,
    mutant=difference(_TENTH),
)

section.step(
    "lem:optimism/reward",
    "w(λ) + λt²/2 does not decrease in λ >= 0, w(λ) = (1 - exp(-λt))/λ: w falls by at most t²/2 times the "
    "change of λ (and does not rise, eq:diff), so that r w moves by at most t²β/2 for 0 <= r <= 1.",
    says=increasing(f"{WAIT} + l*t**2/2", "l", _TIMES),
    domain=_TIMES,
    theorem=optimism.REWARD,
    derivation=optimism.reward,
    latex=r"\bigl|r\int_0^te^{-\hat\lambda s}ds - r\int_0^te^{-\lambda s}ds\bigr| \le \tfrac{t^2}2\beta",
    mutant=increasing(f"{WAIT} + l*t**2/3", "l", _TIMES),
)

section.step(
    "lem:optimism/value-bound/iterates",
    "0 <= V*_n <= t for all n: so the V*_n have a limit V*, which is bounded.",
    theorem=IN_TIME,
    derivation=in_time,
    checks=(),
)

section.step(
    "lem:optimism/value-bound",
    "0 <= V*_n <= V* <= t for all n: if u(y,t) <= t then T^a u(x,t) <= r w + (t - w) <= t for 0 <= r <= 1, "
    "w = (1 - exp(-λt))/λ; and V*_n increases to V*.",
    uses="lem:optimism/value-bound/iterates",
    says=f"r*{WAIT} + (t - {WAIT}) <= t",
    domain=("l >= 0", "t >= 0", "0 <= r <= 1"),
    theorem=VALUE_BOUND,
    derivation=value_bound,
    checks=(bounded(), *PROOF),
    mutant=f"r*{WAIT} + (t - {WAIT}/2) <= t",
)

section.step(
    "lem:optimism/sufficient",
    "If b >= (t²β + tα)/w with w = w(λmax) > 0 then b w >= t²β + tα.",
    elementary=True,
    says="t**2*be + t*al <= b*w",
    domain=("w > 0", "b >= 0", *_RADII, "(t**2*be + t*al)/w <= b"),
    symbols={"w": "w(λmax)"},
    uses="eq:diff lem:optimism/reward lem:optimism/value-bound lem:error-model",
    mutant="t**2*be + 2*t*al <= b*w",
)

section.step(
    "eq:b-sup",
    "(t²β + tα)/∫_0^t exp(-λmax s) ds does not decrease in t >= 0, for all α, β >= 0 and λmax > 0; so the "
    "supremum over [0, H] is its value at H.",
    says=increasing("l*(t**2*be + t*al)/(1 - exp(-l*t))", "t", _SUPREMUM),
    domain=_SUPREMUM,
    symbols={"l": "λmax"},
    source="lem:optimism",
    mutant=increasing("l*(t*be + al)/(1 - exp(-l*t))", "t", _SUPREMUM),
)

section.step(
    "lem:optimism/bonus",
    "The bonus is enough at every time: b w(λmax,t) >= t²β + tα for b = C(H²β + Hα) and t <= H, as eq:b-sup "
    "says; C = m = max(k, 1) >= k = λmax/(1 - exp(-λmax H)), and k x, x = H²β + Hα, is the supremum. (The "
    "maximum with 1 is not needed.)",
    says="k*x <= m*x",
    domain=("k > 0", "x >= 0", "m >= 1", "k <= m"),
    theorem=optimism.PAYS,
    derivation=optimism.pays,
    mutant=Domain.of("k > 0", "x >= 0", "m >= 1"),
    finding=Remark(
        "constant",
        "Half of the bonus suffices: the rate's errors in the reward and in the holding time have opposite "
        "signs, and the jump term is half of what is printed; for a pair that was never left α is not "
        "needed.",
        details="On short horizons half of the β part is also necessary; of CHα only (κ - 1)α/2 is, κ = "
        "λ̂H/(1 - exp(-λ̂H)) (lem:optimism/sharp). The maximum with 1 in C is not needed for optimism.",
        repair="lem:optimism/halved",
    ),
)

section.step(
    "lem:optimism/induction",
    "On 𝒢, V*_n <= V̂_n on [0,H] for all n: equal for n = 0, and if it holds for n then T^{a,k}V̂_n - "
    "T^aV*_n >= b w(λmax) - t²β - tα >= 0 by eq:diff; truncation by t >= T^aV*_n keeps it. For rates in "
    "[0,λmax], rows p̂ >= 0 with sum at most 1, and any bonus b >= C(H²β + Hα).",
    uses="eq:diff lem:error-model lem:optimism/bonus lem:optimism/reward lem:optimism/value-bound",
    checks=iterates(ONE),
    theorem=optimism.INDUCTION,
    derivation=optimism.induction,
    mutant=iterates(_TENTH),
)

section.claim(
    "lem:optimism",
    "On 𝒢, V*(x,t) <= V̂_{n_k}(x,t) + ε exp(λmax H) for all x and t <= H, if the iterate before V̂_{n_k} is "
    "within ε of it on [0,H]: V*_n <= V̂_n <= V̂_{n_k} + ε exp(λmax H) for every n, and V* is the supremum "
    "of V*_n, the committed value. For rates in [0,λmax], rows p̂ >= 0 with sum at most 1, and any bonus b "
    ">= C(H²β + Hα).",
    uses="lem:optimism/induction eq:error-vi lem:optimism/value-bound/iterates",
    checks=(values(ONE), corners(ONE)),
    theorem=optimism.OPTIMISM,
    derivation=optimism.optimism,
    latex=r"V^*(x,t) \le \hat V^k_{n_k}(x,t) + \epsilon_k e^{\lambda_{\max}H}",
    mutant=corners(_TENTH),
    finding=Remark(
        "constant",
        "Stands as printed, for the committed value V*.",
        details="Half of the bonus does, and ε λmax H for ε exp(λmax H).",
        repair="lem:optimism/halved",
    ),
)

# --- half of the bonus ------------------------------------------------------------------------

section.repair(
    "lem:optimism/rising/values",
    "V*_n does not decrease in t.",
    uses="lem:optimism/value-bound",
    theorem=VALUES_RISE,
    derivation=values_rise,
)

section.repair(
    "lem:optimism/rising",
    "V*_n and V̂_n do not decrease in t: T^a u(x,t) = r E[t ∧ τ] + E u(Y,(t-τ)⁺), and for each value s of τ "
    "both t ∧ s and, if u rises from 0, u(Y,(t-s)⁺) rise in t; the minimum with t and the maximum keep it.",
    uses="eq:empirical-P/probability/repaired eq:mono lem:optimism/rising/values",
    setting=PAPER,
    theorem=RISING,
    derivation=rising,
    checks=rises(),
    mutant=rises(forward=False),
)

section.repair(
    "lem:optimism/opposite/kernel",
    "exp(-λs) does not increase in λ, for every s >= 0: the sign of the kernel exp(-λs) - exp(-λ̂s) is "
    "that of λ̂ - λ.",
    elementary=True,
    says=decreasing("exp(-l*s)", "l", Domain.of("l >= 0", "s >= 0")),
    domain=("l >= 0", "s >= 0"),
    mutant=decreasing("l*exp(-l*s)", "l", Domain.of("l >= 0", "s >= 0")),
)

section.repair(
    "lem:optimism/opposite/by-parts",
    "∫_0^t g(s) f(t-s) ds <= ∫_0^t h(s) f(t-s) ds, if ∫_0^s g <= ∫_0^s h for all s <= t, f rises from f(0) "
    ">= 0, and |h - g| is bounded: by parts the difference is ∫_0^s (h - g) at s = t times f(0), and its "
    "integral against df(t-s). Derived without Stieltjes integrals, as the limit of sums over n equal "
    "pieces of [0,t].",
    theorem=by_parts.BY_PARTS,
    derivation=by_parts.by_parts,
)

section.repair(
    "lem:optimism/opposite",
    "The errors of the rate have opposite signs: where 0 <= u(y,s) <= s and u does not decrease, as V*_n and "
    "V̂_n (lem:optimism/rising), Σ p̂ ∫(ĝ - g) u(y,t-s) ds = Σ p̂ ∫(exp(-λs) - exp(-λ̂s)) du(y,t-s) has the "
    "sign of λ̂ - λ, and w(λ̂) - w(λ) the other one. So the two together are at most min(t²β/2, t) in size: "
    "|r[w(λ̂) - w(λ)] + Σ p̂ ∫(ĝ - g) u ds| <= min(t²β/2, t).",
    uses="eq:error1 lem:optimism/opposite/by-parts lem:optimism/reward",
    checks=rate_errors(HALF),
    theorem=opposite.OPPOSITE,
    derivation=opposite.opposite,
    mutant=rate_errors(Fraction(1, 4)),
)

section.repair(
    "lem:optimism/halved/step",
    "On 𝒢, without the bonus, |T^{a,k}u - T^au| <= min(t²β/2, t) + (t - w(λ̂))α/2 for u as in "
    "lem:optimism/opposite and rows p̂ that are probabilities wherever λ̂ > 0: with the estimated rate in "
    "the jump term, ĝm̂ - gm = (ĝ - g)m + ĝ(m̂ - m).",
    uses="eq:error2/halved lem:optimism/opposite",
    checks=(made_up(), lump_sum.corners()),
    theorem=half_bonus.ERROR,
    derivation=half_bonus.error,
    mutant=lump_sum.corners(Parts(jump=Fraction(98, 100))),
)

section.repair(
    "lem:optimism/halved",
    "lem:optimism holds with half of the bonus of eq:bonus-k and ε λmax t <= ε λmax H for ε exp(λmax H), if "
    "p̂ is a probability wherever λ̂ > 0, as the printed estimators are: the rate costs at most t²β/2 and "
    "the jumps at most (t - w(λ̂))α/2 <= tα/2 (nothing where the pair was never left), so b w(λmax) >= "
    "t²β/2 + tα/2 suffices. (Half of the β part is also necessary, on short horizons; of the α part less "
    "will do, lem:optimism/sharp.)",
    uses="eq:diff eq:error-vi/load lem:optimism/bonus lem:optimism/halved/step lem:optimism/rising/values "
    "lem:optimism/value-bound lem:optimism/value-bound/iterates",
    checks=(iterates(HALF, PRINTED), values(HALF, PRINTED, load=True), corners(HALF)),
    theorem=half_bonus.HALVED,
    derivation=half_bonus.halved,
    mutant=corners(_LESS),
)
