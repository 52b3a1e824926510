r"""The remark that a known :math:`\lambda_{\min}` improves the order in :math:`H`.

With :math:`\hat\lambda \ge \lambda_{\min}` the bonus is collected over :math:`\int_0^u e^{-\hat\lambda s}ds
\le (1-e^{-\lambda_{\min}u})/\lambda_{\min}` instead of :math:`u`, and the factor :math:`H +
1/\lambda_{\min}` of its term becomes :math:`1/\lambda_{\min}`.  The remark is silent about the terms
without the bonus, :math:`\alpha u` and :math:`\beta u^2`, which no integral shortens.  They keep the old
factor, but do no harm: :math:`CH \ge v/(1-e^{-v})`, :math:`v = \lambda_{\max}H`, is at least
:math:`\frac34(v+1)`, so

.. math:: H + \frac1{\lambda_{\min}} \le \frac43\frac{CH}{\lambda_{\min}}, \qquad
          \frac{CH}{\lambda_{\min}} + H + \frac1{\lambda_{\min}} \le \frac73\frac{CH}{\lambda_{\min}},

and :math:`CH \le \frac85v` gives the order.  (The estimate projected onto :math:`[\lambda_{\min},
\lambda_{\max}]` is no farther from the rate, so the event :math:`\mathcal G` is the same.)
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import greedy_step, known_rate, learners
from proofs_checks.derivations.setting import POSITIVE, RAISED
from verify.claims import Domain, Remark, Section, decreasing

_RATES = Domain.of("r > 0", "u >= 0")

section = Section(
    checks=PROOF, expected="proved", symbols={"v": "λmax H", "w": "λmin H", "c": "CH", "m": "λmin"}
)

section.claim(
    "remark:lambda-min/integral",
    "∫_0^u exp(-λ̂s) ds = (1 - exp(-λ̂u))/λ̂ does not increase in λ̂ > 0, so for λ̂ >= λmin it is at most "
    "(1 - exp(-λmin u))/λmin, for every u >= 0.",
    says=decreasing("(1 - exp(-r*u))/r", "r", _RATES),
    domain=_RATES,
    symbols={"r": "λ̂"},
    latex=r"\int_0^u e^{-\hat\lambda s}ds \le \frac{1-e^{-\lambda_{\min}u}}{\lambda_{\min}}",
    mutant=decreasing("1 - exp(-r*u)", "r", _RATES),
)

section.step(
    "remark:lambda-min/factor",
    "λmin H + 1 <= 4/3 CH, with w = λmin H <= v = λmax H and CH >= v/(1 - exp(-v)): the terms without bonus "
    "cost no more than 4/3 of the one with it.",
    says="w + 1 <= 4/3*v/(1 - exp(-v))",
    domain=("w > 0", "v > 0", "w <= v"),
    mutant="w + 1 <= 5/4*v/(1 - exp(-v))",
)

section.step(
    "remark:lambda-min/unseen",
    "With λ̂ >= λmin also for a pair without data, where p̂ = 0, the footnote on unseen pairs (λ̂ = 0) does "
    "not apply and the L1 bound is needed: 1 <= α, that is 1 <= 2(S ln 2 + ln(2SAH²K³)) for δ = 1/(2KH). "
    "True for H > 1. (α must not be halved here: the row is empty although λ̂ > 0.)",
    says="1 <= 2*(S*log(2) + log(2*S*A*H**2*K**3))",
    domain=Domain.of("S >= 1", "A >= 1", "K >= 1", "H > 1", integers="S A K"),
    mutant=Domain.of("S >= 1", "A >= 1", "K >= 1", "H > 0", integers="S A K"),
)

section.step(
    "remark:lambda-min/step",
    "On 𝒢, for estimates λ̂ >= λmin, V̂ <= T^aV̂ + b(1 - exp(-λmin t))/λmin + (α + tβ)t at every state and t <= "
    "H, a the action that is best for V̂ and T^{a,k}: lem:v-v-continuoustime/step with ∫ exp(-λ̂s) ds <= "
    "(1 - exp(-λmin t))/λmin in the place of t, which is all that the remark shortens.",
    uses="eq:mono eq:rec-Vk lem:error-model lem:optimism/reward",
    setting=POSITIVE,
    theorem=greedy_step.RAISED_STEP,
    derivation=greedy_step.raised_step,
    checks=(),
)

section.step(
    "remark:lambda-min/learner",
    "CT-UCBVI with λ̂ truncated to [λmin, λmax], which is no farther from λ, is a learner as in "
    "thm:CT-UCB/any-learner with c = 1 and w = CH/λmin: a decision is paid b(1 - exp(-λmin u))/λmin, and 1 - "
    "exp(-λmin u) is at most the probability that a jump is seen.",
    uses="remark:lambda-min/step lem:optimism/induction eq:error-vi/load eq:empirical-P/model "
    "prop:proberror/conditional alg:VI/stops lem:optimism/value-bound/iterates",
    setting=RAISED,
    theorem=learners.RAISED,
    derivation=learners.with_known_rate,
    checks=(),
)

section.repair(
    "remark:lambda-min/regret",
    "For all KH > 1/2 and δ = 1/(2KH) its regret is at most (H + 1/λmin + CH/λmin)√(SAK) D (2a + (7/3) λmax "
    "H √(2L)) + Σ ε_k λmax H + 1, D, a and L as in thm:CT-UCB/sharp, where CT-UCBVI has the factor (CH + 1)"
    "(H + 1/λmin).",
    uses="thm:CT-UCB/any-learner remark:lambda-min/learner",
    setting=RAISED,
    theorem=known_rate.SHARP,
    derivation=known_rate.sharp,
    checks=(),
)

section.claim(
    "remark:lambda-min/order",
    "For λmax, H > 1 and λ̂ truncated to [λmin, λmax] the order is λmax²H²/λmin √(SAK)(√S + λmax H): with ε_k "
    "= k^(-α) exp(-λmax H), α >= 1/2, δ = 1/(2KH) and l = ln(2SAKH) the regret is at most (30√(2 + 16l) + 3) "
    "times that, as c/λmin + H + 1/λmin <= 7/3 c/λmin for c = CH <= 8/5 λmax H.",
    says="c/m + (H + 1/m) <= 7/3*c/m",
    domain=("c >= 1", "m > 0", "H > 0", "m*H + 1 <= 4/3*c"),
    uses="remark:lambda-min/regret eq:term1-3/levels/poisson remark:lambda-min/factor eq:regret-b1/bonus "
    "eq:regret-b1/epsilon eq:regret-b1/lump-sum eq:regret-bound/real/repaired thm:CT-UCB/first-root "
    "thm:CT-UCB/jump-constant/region thm:CT-UCB/jump-constant/repaired thm:CT-UCB/rate-constant/region",
    setting=RAISED,
    theorem=known_rate.ORDER,
    derivation=known_rate.order,
    latex=r"\tilde O\Bigl(\frac{\lambda_{\max}^2H^2}{\lambda_{\min}}\sqrt{SAK}"
    r"\,[\sqrt S+\lambda_{\max}H]\Bigr)",
    mutant="c/m + (H + 1/m) <= 2*c/m",
    finding=Remark(
        "remark",
        "The order is right.",
        details="Two things are not said: the terms without the bonus keep the factor H + 1/λmin (harmless, "
        "remark:lambda-min/factor), and an unseen pair then has λ̂ > 0 with an empty row, so that the L1 "
        "bound is needed without data (it holds for H > 1, remark:lambda-min/unseen).",
    ),
)
