r"""``thm:CT-UCB`` for a learner with a smaller bonus: half of the printed one, and a lump sum.

With ``lem:v-v-continuoustime/halved/step`` all terms of ``eq:r2`` are halved, with
``lem:v-v-continuoustime/lump-sum/step`` a decision with remaining time :math:`u` costs at most
:math:`u(\alpha + H\beta)` instead of :math:`(CH+1)u(\alpha + H\beta)`.  That is all that
``thm:CT-UCB/any-learner`` asks for, :math:`c = \frac12(CH+1) \ge 1` and :math:`c = 1`.  With
:math:`X = \sqrt{SAK}(H+1/\lambda_{\min})D`, :math:`a = \sqrt{2S\ln2+2\ln(2SAK^3H^2)}`,
:math:`L = 4\ln(4SAK^2H)`, :math:`v = \lambda_{\max}H` the main terms are

.. math:: \tfrac12(CH+1)\,X\,\bigl(2a + \tfrac73v\sqrt{2L}\bigr) \qquad\text{and}\qquad
          X\,\bigl(2a + \tfrac73v\sqrt{2L}\bigr) .

Smaller bounds are trivial for fewer episodes: for :math:`c \ge 1` the main term is at least :math:`2aX \ge
2\sqrt{2\ln2}\,S\sqrt{AK}H(v+1)`, which exceeds :math:`KH` for :math:`K \le
\frac{11}2S^2A(v+1)^2`; and for :math:`K \le 40`, since :math:`2aX \ge 2\sqrt{2\ln(4K)}\sqrt K H` if
:math:`KH \ge 1`.  From there on the confidence sets are right as before: for :math:`SAH \ge 1` because
:math:`22\lambda_{\max} \le K`, for :math:`SAH < 1` by ``thm:CT-UCB/whole/event``.

**The corollary** loses one power of :math:`\lambda_{\max}H`: for :math:`\lambda_{\max}, H > 1` and
:math:`\epsilon_k = k^{-\alpha}/(\lambda_{\max}H)` the regret is
:math:`\tilde O\bigl(\lambda_{\max}H(H+1/\lambda_{\min})\sqrt{SAK}[\sqrt S+\lambda_{\max}H]\bigr)`.
"""

from __future__ import annotations

from functools import partial

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.theorem import lump_sum_orders
from proofs_checks.derivations import estimates, every_horizon, learners, lump_iteration
from proofs_checks.derivations import smaller_bonus as derived
from proofs_checks.derivations.setting import ANY, HALVED, LUMP, POLICIES, POSITIVE
from proofs_checks.derivations.setting_learners import SHARPENED
from verify.claims import Domain, Section

section = Section(
    checks=PROOF,
    expected="proved",
    setting=POSITIVE,
    symbols={"v": "λmax H", "al": "α", "be": "β", "r": "λmax"},
)

section.repair(
    "eq:empirical-P/model",
    "The estimates of every learner are those of a model: 0 <= λ̂ <= λmax, p̂ >= 0 and Σ_y p̂(y) <= 1, and "
    "Σ_y p̂(y) = 1 wherever λ̂ > 0, in every run.",
    uses="eq:rate-est/unseen",
    setting=POLICIES,
    theorem=estimates.MODEL,
    derivation=estimates.model,
    checks=(),
)

section.repair(
    "alg:VI/stops/lump-sum",
    "The iteration stops with the lump sum in the place of the bonus as well, for all estimates and radii "
    "α, β >= 0: ‖V_{n+1} - V_n‖ <= ρⁿH, ρ = 1 - exp(-λmax H), and this is at most ε as soon as n >= "
    "ln(H/ε)/(-ln ρ), for every ε > 0. The lump sums cancel in the differences, and T^{a,k} contracts.",
    uses="lem:optimism/contraction",
    setting=ANY,
    theorem=lump_iteration.STOPS,
    derivation=lump_iteration.stops,
    checks=(),
)

section.repair(
    "thm:CT-UCB/lump-sum/few-episodes",
    "If K <= 11/2 S²A(v + 1)² then KH <= 2√(2 ln 2) S√(AK) H(v + 1), with q = √K, a = √A; for δ = 1/(2KH) "
    "and KH > 1 this is at most 2√(SAK)(H + 1/λmin) D √(2S ln 2 + 2 ln(2SAK³H²)), with D = Σ_m √P(Z > m), Z "
    "Poisson of mean v = λmax H (any D that is at least all partial sums: g in the formula).",
    says="q**2*H <= 2*sqrt(2*log(2))*S*a*q*H*(v + 1)",
    domain=Domain.of(
        "q >= 1", "H > 0", "S >= 1", "a >= 1", "v > 0", "q <= sqrt(11/2)*S*a*(v + 1)", integers="S"
    ),
    symbols={"q": "√K", "a": "√A"},
    uses="thm:CT-UCB/whole/enough eq:term1-3/levels/mean",
    theorem=every_horizon.FEW,
    derivation=every_horizon.few_are_paid,
    mutant="q**2*H <= 2*S*a*q*H*(v + 1)",
)

section.repair(
    "thm:CT-UCB/lump-sum/few-episodes/any",
    "If K <= 40 then K <= 8 ln(4K), so that KH <= 2√(2 ln(4K))√K H; for δ = 1/(2KH) and KH > 1 this is at "
    "most 2√(SAK)(H + 1/λmin) D √(2S ln 2 + 2 ln(2SAK³H²)), with D = Σ_m √P(Z > m), Z Poisson of mean λmax H "
    "(any D that is at least all partial sums: g in the formula).",
    says="log(4*K) >= K/8",
    domain="1 <= K <= 40",
    uses="thm:CT-UCB/whole/enough eq:term1-3/levels/mean",
    theorem=every_horizon.FORTY,
    derivation=every_horizon.forty_are_paid,
    mutant=Domain.of("1 <= K <= 42"),
)

section.repair(
    "thm:CT-UCB/lump-sum/rate-and-episodes",
    "22 vSA <= 11/2 S²A(v + 1)². (SAH >= 1 gives λmax = v/H <= vSA, so that 22 λmax <= K for many episodes.)",
    says="22*v*S*A <= 11/2*S**2*A*(v + 1)**2",
    domain=Domain.of("S >= 1", "A >= 1", "v > 0", integers="S A"),
    mutant="23*v*S*A <= 11/2*S**2*A*(v + 1)**2",
)

section.repair(
    "thm:CT-UCB/lump-sum/jumps",
    "e² λmax(K - 1) <= K² for many episodes, where λmax = qK with q <= 1/22.",
    says="exp(2)*(q*K)*(K - 1) <= K**2",
    domain=Domain.of("0 < q <= 1/22", "K >= 1", integers="K"),
    symbols={"q": "λmax/K"},
    uses="thm:CT-UCB/lump-sum/rate-and-episodes",
    mutant=Domain.of("0 < q <= 1/2", "K >= 1", integers="K"),
)

section.repair(
    "thm:CT-UCB/lump-sum/tail",
    "HK² >= ln(2^(S-1)/δ) for many episodes (K >= 11/2 S), δ = 1/(2KH), y = KH > 1/2.",
    says="(S - 1)*log(2) + log(2*y) <= K*y",
    domain=Domain.of("S >= 1", "y > 1/2", "K >= 1", "11/2*S <= K", integers="S K"),
    symbols={"y": "KH"},
    mutant=Domain.of("S >= 1", "y > 1/2", "K >= 1", "S <= 11/2*K", integers="S K"),
)

section.repair(
    "thm:CT-UCB/halved/learner",
    "With half of the bonus V̂ is at most t and stays within an episode; and where the estimates are right "
    "at a decision with remaining time u, V* <= V̂ + ε λmax H there, and V̂ <= T^aV̂ + ½(CH + 1)(α + Hβ)u: "
    "it is a learner as in thm:CT-UCB/any-learner, with c = ½(CH + 1).",
    uses="lem:v-v-continuoustime/halved/step lem:optimism/halved eq:empirical-P/model alg:VI/stops",
    setting=HALVED,
    theorem=learners.HALVED,
    derivation=learners.halved,
    checks=(),
)

section.repair(
    "thm:CT-UCB/halved",
    "With half of the bonus, δ = 1/(2KH) and KH > 1/2 the regret is at most half of the main term of "
    "thm:CT-UCB/sharp, and Σ ε_k λmax H + 1: a decision with remaining time u <= H costs (b/2 + α/2 + "
    "uβ/2)u, b = C(H²β + Hα).",
    says="(C*(H**2*be + H*al)/2 + al/2 + u*be/2)*u <= ((C*H + 1)*al*u + (C*H**2 + H)*be*u)/2",
    domain=("C >= 1", "H > 0", "al >= 0", "be >= 0", "u >= 0", "u <= H"),
    uses="thm:CT-UCB/any-learner thm:CT-UCB/halved/learner thm:CT-UCB/bonus-factor",
    setting=HALVED,
    theorem=derived.HALVED,
    derivation=partial(derived.halved, learner="thm:CT-UCB/halved/learner"),
    latex=r"\mathrm{Regret} \le \tfrac12(CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D"
    r"\Bigl(2a+\tfrac73\lambda_{\max}H\sqrt{2L}\Bigr)+\sum_k\epsilon_k\lambda_{\max}H+1",
    mutant="(C*(H**2*be + H*al)/2 + al + u*be)*u <= ((C*H + 1)*al*u + (C*H**2 + H)*be*u)/2",
)

section.repair(
    "thm:CT-UCB/sharp-bonus/learner",
    "With the bonus of lem:optimism/sharp, the smallest one that is constant in time, V̂ is at most t and "
    "stays within an episode; and where the estimates are right at a decision with remaining time u, V* <= "
    "V̂ + ε λmax H there, and V̂ <= T^aV̂ + ½(CH + 1)(α + Hβ)u, as the bonus is at most half of "
    "eq:bonus-k: it is a learner as in thm:CT-UCB/any-learner, with c = ½(CH + 1).",
    uses="lem:v-v-continuoustime/halved/step lem:optimism/sharp lem:optimism/sharp/exact "
    "eq:empirical-P/model alg:VI/stops",
    setting=SHARPENED,
    theorem=learners.HALVED,
    derivation=learners.sharp,
    checks=(),
)

section.repair(
    "thm:CT-UCB/sharp-bonus",
    "With the sharp bonus, δ = 1/(2KH) and KH > 1/2 the regret is at most the bound of thm:CT-UCB/halved, "
    "with the accuracies at which its iteration stops: these are ε_k/(λmax H), so that Σ ε_k is what they "
    "cost.",
    uses="thm:CT-UCB/any-learner thm:CT-UCB/sharp-bonus/learner thm:CT-UCB/bonus-factor",
    setting=SHARPENED,
    theorem=derived.HALVED,
    derivation=partial(derived.halved, learner="thm:CT-UCB/sharp-bonus/learner"),
    latex=r"\mathrm{Regret} \le \tfrac12(CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D"
    r"\Bigl(2a+\tfrac73\lambda_{\max}H\sqrt{2L}\Bigr)+\sum_k\epsilon_k+1",
    checks=(),
)

section.repair(
    "thm:CT-UCB/lump-sum/learner",
    "With the lump sum of lem:optimism/lump-sum in the place of the bonus V̂ is at most t and stays within "
    "an episode; and where the estimates are right at a decision with remaining time u, V* <= V̂ + ε λmax "
    "H there, and V̂ <= T^aV̂ + (α + Hβ)u: it is a learner as in thm:CT-UCB/any-learner, with c = 1.",
    uses="lem:v-v-continuoustime/lump-sum/step lem:optimism/lump-sum eq:empirical-P/model "
    "alg:VI/stops/lump-sum",
    setting=LUMP,
    theorem=learners.LUMP,
    derivation=learners.lump,
    checks=(),
)

section.repair(
    "thm:CT-UCB/lump-sum",
    "With the lump sum of lem:optimism/lump-sum in the place of the bonus, δ = 1/(2KH) and KH > 1/2, the "
    "regret is at most √(SAK)(H + 1/λmin) D (2a + (7/3) λmax H √(2L)) + Σ ε_k λmax H + 1, D, a and L as in "
    "thm:CT-UCB/sharp: a decision with remaining time u costs at most u(α + Hβ), so with X = "
    "(H + 1/λmin)√(SAK)D the two propositions add up to this.",
    says="a*(2*X) + H*sqrt(r*L)*(7/3*sqrt(2*r)*X) == X*(2*a + 7/3*r*H*sqrt(2*L))",
    domain=("H > 0", "X > 0", "a > 0", "r > 0", "L > 0"),
    uses="thm:CT-UCB/any-learner thm:CT-UCB/lump-sum/learner",
    setting=LUMP,
    theorem=derived.LUMP,
    derivation=derived.lump,
    latex=r"\mathrm{Regret} \le \sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D"
    r"\Bigl(2\sqrt{2S\ln2+2\ln(2SAK^3H^2)}+\tfrac{14\sqrt2}3\lambda_{\max}H\sqrt{\ln(4SAK^2H)}\Bigr)"
    r"+\sum_k\epsilon_k\lambda_{\max}H+1",
    mutant="a*(2*X) + H*sqrt(r*L)*(7/3*sqrt(2*r)*X) == X*(2*a + 2*r*H*sqrt(2*L))",
)

# --- the corollary ----------------------------------------------------------------------------

section.repair(
    "eq:regret-b1/lump-sum",
    "For λmax, H > 1, ε_k = k^(-α)/(λmax H), α >= 1/2, and δ = 1/(2KH) the bound of thm:CT-UCB/lump-sum, and "
    "so the regret, is at most (8√(2 + 16l) + 3) λmax H (H + 1/λmin)√(SAK)(√S + λmax H), l = ln(2SAKH): one "
    "power of λmax H less than in eq:regret-b1. With D <= 327/100 v, v = λmax H > 1, and a + b <= B = √(2 + "
    "16l)(√S + v), a and b the two roots: D(2a + (7/3)b) <= 8vB.",
    says="D*(2*a + 7/3*b) <= 8*v*B",
    domain=("v > 1", "D > 0", "D <= 327/100*v", "a >= 0", "b >= 0", "a + b <= B"),
    uses="thm:CT-UCB/lump-sum eq:term1-3/levels/poisson eq:regret-b1/epsilon eq:regret-bound/real/repaired "
    "thm:CT-UCB/first-root thm:CT-UCB/jump-constant/region thm:CT-UCB/jump-constant/repaired "
    "thm:CT-UCB/rate-constant/region",
    setting=LUMP,
    theorem=derived.COROLLARY,
    derivation=derived.corollary,
    checks=(lump_sum_orders(), *PROOF),
    latex=r"\mathrm{Regret} = \tilde O\Bigl(\lambda_{\max}H\Bigl(H+\frac1{\lambda_{\min}}\Bigr)"
    r"\sqrt{SAK}\,[\sqrt S+\lambda_{\max}H]\Bigr)",
    mutant=lump_sum_orders(1),
)
