r"""``thm:CT-UCB`` as printed: what its bound and its proof need of the parameters.

The proof splits the regret at the event 𝒢 (``eq:r1``), takes :math:`\delta = 1/(2KH)`, collects bonus and
radii (``eq:r2``), and puts in the two propositions.  With this :math:`\delta`

.. math:: \sqrt{2[S\ln2+\ln(SAHK^2/\delta)]} = \sqrt{2S\ln 2 + 2\ln(2SAK^3H^2)}, \qquad
          L(\delta) = 4\ln(4SAK^2H),

and the printed :math:`\sqrt{2S+6\ln(2SAKH)}` and :math:`4\lambda_{\max}H\sqrt{\ln(2SAKH)}` are larger
exactly if :math:`4S^2A^2H \ge (2/e)^S` and :math:`SAH \ge 1`.  The second implies the first.  For short
horizons the choice of :math:`\delta`, the claim :math:`L(\delta) > 1`, both constants and at last the
right-hand side itself (for :math:`2SAKH < 1`) fail, one after the other.  What holds is in
:mod:`proofs_checks.regret.repaired` and :mod:`proofs_checks.regret.every_horizon`; that :math:`\delta`
belongs to the statement is in :mod:`proofs_checks.regret.any_delta`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF, REFUTATION
from proofs_checks.checks.rate_errors import given_all_episodes
from proofs_checks.checks.theorem import defined, larger_root
from proofs_checks.derivations import episode as run_losses
from proofs_checks.derivations import learners, regret
from proofs_checks.derivations import theorem as derived
from proofs_checks.derivations.setting import PAPER, POLICIES
from verify.claims import Domain, Remark, Section
from verify.provers.search import Search

_SIZES = ("S >= 1", "A >= 1", "K >= 1", "H > 0")
_WHOLE = Domain.of(*_SIZES, integers="S A K")
_JUMP = "2*(S*log(2) + log(2*S*A*H**2*K**3)) <= 2*S + 6*log(2*S*A*K*H)"
_ADMISSIBLE = Domain.of(*_SIZES, "2*K*H > 1", integers="S A K")
_LONG = Domain.of(*_SIZES, "H >= 1", integers="S A K")

section = Section(
    checks=PROOF,
    expected="proved",
    setting=POLICIES,
    symbols={"d": "δ", "al": "α", "be": "β", "r": "λmax", "L": "L(δ)"},
)

section.claim(
    "eq:regret-bound/real",
    "The radicand ln(2SAKH) in the right-hand side of eq:regret-bound is nonnegative for all S, A, K >= 1 "
    "and H > 0. (For K = 1 there is also the factor 0/0 of eq:term1-3/K=1.)",
    says="log(2*S*A*K*H) >= 0",
    domain=_WHOLE,
    uses="eq:term1-3/K=1",
    checks=REFUTATION,
    expected="refuted",
    mutant=_LONG,
    finding=Remark(
        "erratum",
        "ln(2SAKH) under the root is negative for horizons shorter than 1/(2SAK).",
        repair="eq:regret-bound/real/repaired",
    ),
)

section.repair(
    "eq:regret-bound/real/repaired",
    "The radicand ln(2SAKH) is nonnegative if 2SAKH = x >= 1. (ln K/ln(ln K + 1) is read as 1 for K = 1.)",
    elementary=True,
    says="log(x) >= 0",
    domain="x >= 1",
    symbols={"x": "2SAKH"},
    uses="eq:term1-3/K=1/repaired",
    mutant=Domain.of("x >= 1/2"),
)

# --- the split at 𝒢, and the choice of δ ------------------------------------------------------

section.repair(
    "eq:r1/any-learner",
    "Let an event be given for each decision. If it happens at all decisions considered of the first K "
    "episodes with probability at least 1 - q, the regret of K episodes is at most its part from the "
    "episodes at whose first decision it happens, and q K H.",
    uses="eq:FH-control2/bounds prop:rateerror/episodes",
    theorem=regret.SPLIT_ANY,
    derivation=regret.split_any,
    checks=(),
)

section.claim(
    "eq:r1",
    "If 𝒢, as far as the decisions considered, has probability at least 1 - q, the regret of K episodes "
    "is at most its part from the episodes whose estimates are right, and q K H: an episode costs at most"
    " D <= H. With P(𝒢^c) = q <= 2δ, q K D <= 2δKH.",
    says="q*K*D <= 2*d*K*H",
    domain=Domain.of(
        "0 <= q <= 1", "K >= 1", "D >= 0", "D <= H", "H > 0", "0 < d < 1", "q <= 2*d", integers="K"
    ),
    symbols={"q": "P(𝒢^c)"},
    uses="eq:r1/any-learner",
    theorem=regret.SPLIT,
    derivation=regret.split,
    mutant="q*K*D <= d*K*H",
)

section.repair(
    "eq:r1/repaired",
    "Where eq:G/repaired holds, the regret of K episodes is at most its part from the episodes whose "
    "estimates are right, and 2δKH.",
    uses="eq:r1 eq:G/repaired",
    theorem=derived.SPLIT,
    derivation=derived.split,
    checks=(),
)

section.step(
    "thm:CT-UCB/delta",
    "δ = 1/(2KH) is below 1, as the algorithm and the lemmas require, for every K >= 1 and H > 0.",
    says="1/(2*K*H) < 1",
    domain=Domain.of("K >= 1", "H > 0", integers="K"),
    checks=REFUTATION,
    expected="refuted",
    mutant=Domain.of("K >= 1", "H > 1/2", integers="K"),
    finding=Remark(
        "erratum",
        "δ = 1/(2KH) is no admissible parameter for KH <= 1/2.",
        details="The regret is then at most KH <= 1/2.",
        repair="thm:CT-UCB/delta/repaired",
    ),
)

section.repair(
    "thm:CT-UCB/delta/repaired",
    "δ = 1/(2KH) is below 1 if y = KH > 1/2.",
    elementary=True,
    says="1/(2*y) < 1",
    domain="y > 1/2",
    symbols={"y": "KH"},
    mutant=Domain.of("y > 1/3"),
)

section.step(
    "thm:CT-UCB/L",
    "L(δ) = 4 ln(4SAK²H) > 1 for δ = 1/(2KH), for all S, A, K >= 1 and H > 0.",
    says="4*log(4*S*A*K**2*H) > 1",
    domain=_WHOLE,
    checks=REFUTATION,
    expected="refuted",
    mutant=_LONG,
    finding=Remark(
        "erratum",
        "L(δ) = 4 ln(4SAK²H) > 1 fails for short horizons; it holds wherever δ = 1/(2KH) is admissible.",
        repair="thm:CT-UCB/L/repaired",
    ),
)

section.repair(
    "thm:CT-UCB/L/repaired",
    "L(δ) = 4 ln(2SAK/δ) > 1 for every admissible δ, 0 < δ < 1; in particular for δ = 1/(2KH) if KH > 1/2.",
    says="4*log(2*S*A*K/d) > 1",
    domain=Domain.of("S >= 1", "A >= 1", "K >= 1", "0 < d < 1", integers="S A K"),
    mutant="4*log(2*S*A*K/d) > 3",
)

# --- collecting the constants -----------------------------------------------------------------

section.repair(
    "eq:r2/sum/any-learner",
    "A learner plays one policy π per episode, and has for each a value V̂ <= t that stays within it; "
    "where an event that is known at a decision and stays within its episode happens (that the estimates "
    "are right), V̂ <= T^aV̂ + c there, c what the decision costs. Then what the first m decisions of the "
    "episodes lose, V̂ - V^π at first decisions where it happens, is in the mean at most what decisions "
    "cost where it happens, and H times the probability that fewer than K episodes are over: V̂ - V^π <= c "
    "+ E[(V̂ - V^π)(Y,(u - τ)⁺)] telescopes.",
    uses="sec:simulation/evaluation eq:FH-control2/bounds",
    theorem=run_losses.TELESCOPED,
    derivation=run_losses.telescoped,
    checks=(),
)

section.step(
    "eq:r2/sum",
    "What the first m decisions of the episodes lose, V̂ - V^π at first decisions where the estimates are "
    "right, is in the mean at most what decisions with right estimates cost, (b + α + uβ)u, and H times the "
    "probability that fewer than K episodes are over: lem:v-v-continuoustime/step telescopes.",
    uses="eq:r2/sum/any-learner lem:v-v-continuoustime/step lem:v-v-continuoustime/learner "
    "eq:empirical-P/model",
    setting=PAPER,
    theorem=learners.TELESCOPED,
    derivation=learners.telescoped,
    checks=(),
)

section.repair(
    "eq:r2/any-learner",
    "Let V̂ and an event be as in eq:r2/sum/any-learner, where it happens V* <= V̂ + eε λmax H, and let a "
    "decision with remaining time u, at which a jump is seen with probability p, cost at most (α + Hβ)(cu + "
    "wp), c, w, e >= 0. Then the part of the regret from episodes where the event happens is at most every "
    "bound, whatever the number of decisions, of E Σ_k Σ_m (α + Hβ)(c(H - t_m)⁺ + w 1{t_{m+1} <= H}), and e "
    "Σ_k ε_k λmax H: the remainder of eq:r2/sum/any-learner vanishes, as K episodes have K(1 + λmax H) "
    "decisions in the mean.",
    uses="eq:r2/sum/any-learner eq:FH-control2/bounds prop:rateerror/decisions prop:rateerror/episodes",
    theorem=regret.R2,
    derivation=regret.paid,
    checks=(),
)

section.claim(
    "eq:r2",
    "The part of the regret from episodes whose estimates are right is at most every bound, whatever the "
    "number of decisions, of (CH + 1) E Σ_k Σ_m α(H - t_m)⁺ + (CH² + H) E Σ_k Σ_m β(H - t_m)⁺, and Σ_k "
    "ε_k λmax H: with b = C(H²β + Hα) and remaining time u <= H what lem:v-v-continuoustime adds for one "
    "decision, (b + α + uβ)u, is at most (CH + 1)αu + (CH² + H)βu, and the remainder of eq:r2/sum "
    "vanishes, as K episodes have K(1 + λmax H) decisions in the mean.",
    says="(C*(H**2*be + H*al) + al + u*be)*u <= (C*H + 1)*al*u + (C*H**2 + H)*be*u",
    domain=("C >= 1", "H > 0", "al >= 0", "be >= 0", "u >= 0", "u <= H"),
    uses="eq:r2/any-learner lem:v-v-continuoustime/learner",
    setting=PAPER,
    theorem=learners.R2,
    derivation=learners.r2,
    finding=Remark(
        "proof",
        "The printed proof takes conditional means given the whole event 𝒢, which looks into the future: "
        "given 𝒢 the jumps have another law (eq:r2/conditional).",
        details="What is known at a decision of 𝒢, that the estimates of its episode are right, is enough: "
        "lem:v-v-continuoustime is used there, and 𝒢 is contained in it.",
        repair="eq:r2/indicator",
    ),
    mutant="(C*(H**2*be + H*al) + al + u*be)*u <= (C*H + 1)*al*u + C*H**2*be*u",
)

section.step(
    "thm:CT-UCB/jump-constant",
    "√(2[S ln 2 + ln(SAHK²/δ)]) <= √(2S + 6 ln(2SAKH)) for δ = 1/(2KH) < 1; the radicands are compared.",
    says=_JUMP,
    domain=_ADMISSIBLE,
    uses="thm:CT-UCB/delta",
    checks=REFUTATION,
    expected="refuted",
    mutant=_LONG,
    finding=Remark(
        "constant",
        "√(2S + 6 ln(2SAKH)) comes out exactly if 4S²A²H >= (2/e)^S; for shorter horizons the "
        "constant is √(2S ln 2 + 2 ln(2SAK³H²)).",
        repair="thm:CT-UCB/jump-constant/repaired",
    ),
)

section.repair(
    "thm:CT-UCB/jump-constant/region",
    "The radicands differ by 2(S(1 - ln 2) + ln(4S²A²H)): the printed one is the larger exactly if 4S²A²H "
    ">= (2/e)^S.",
    says="2*S + 6*log(2*S*A*K*H) - 2*(S*log(2) + log(2*S*A*H**2*K**3)) "
    "== 2*(S*(1 - log(2)) + log(4*S**2*A**2*H))",
    domain=_WHOLE,
    mutant="2*S + 6*log(2*S*A*K*H) - 2*(S*log(2) + log(2*S*A*H**2*K**3)) == 2*(S*(1 - log(2)) + "
    "log(2*S**2*A**2*H))",
)

section.repair(
    "thm:CT-UCB/jump-constant/repaired",
    "The inequality holds if SAH = x >= 1: S(1 - ln 2) + ln(4SAx) >= 0.",
    says="S*(1 - log(2)) + log(4*S*A*x) >= 0",
    domain=Domain.of("S >= 1", "A >= 1", "x >= 1", integers="S A"),
    symbols={"x": "SAH"},
    uses="thm:CT-UCB/jump-constant/region",
    mutant=Domain.of("S >= 1", "A >= 1", "x >= 1/10", integers="S A"),
)

section.step(
    "thm:CT-UCB/rate-constant",
    "(CH² + H)√(λmax L)√(2λmax) <= (CH + 1) 4λmax H √ln(2SAKH) for δ = 1/(2KH) < 1. Divided by (CH + 1)λmax "
    "H: √(2L) <= 4√ln(2SAKH); the radicands are compared. (S = A = 2, K = 3, H = 1/5: 26.9 > 25.1.)",
    says="8*log(4*S*A*K**2*H) <= 16*log(2*S*A*K*H)",
    domain=_ADMISSIBLE,
    uses="thm:CT-UCB/delta",
    checks=(Search(), larger_root()),
    expected="refuted",
    mutant=larger_root(Fraction(1)),
    finding=Remark(
        "constant",
        "4λmax H √ln(2SAKH) comes out exactly if SAH >= 1; for shorter horizons the constant is 2√2 λmax H "
        "√ln(4SAK²H).",
        details="The bound is saved there by its other factors (thm:CT-UCB/repaired).",
        repair="thm:CT-UCB/rate-constant/repaired",
    ),
)

section.repair(
    "thm:CT-UCB/rate-constant/region",
    "16 ln(2Kx) - 8 ln(4K²x) = 8 ln x: the printed constant is the larger exactly if x = SAH >= 1.",
    says="16*log(2*K*x) - 8*log(4*K**2*x) == 8*log(x)",
    domain=Domain.of("x > 0", "K >= 1", integers="K"),
    symbols={"x": "SAH"},
    mutant="16*log(2*K*x) - 8*log(4*K**2*x) == 8*log(2*x)",
)

section.repair(
    "thm:CT-UCB/rate-constant/repaired",
    "The inequality holds if SAH >= 1: then L(δ) = 4 ln(4K²x) <= 8 ln(2Kx), x = SAH.",
    says="(C*H**2 + H)*sqrt(r*(4*log(4*K**2*x)))*sqrt(2*r) <= (C*H + 1)*4*r*H*sqrt(log(2*K*x))",
    domain=Domain.of("C >= 1", "H > 0", "r > 0", "K >= 1", "x >= 1", integers="K"),
    symbols={"x": "SAH"},
    uses="thm:CT-UCB/rate-constant/region",
    mutant=Domain.of("C >= 1", "H > 0", "r > 0", "K >= 1", "x >= 3/4", integers="K"),
)

section.step(
    "eq:r2/conditional",
    "Given the past and 𝒢 a step has the law of the model, as lem:v-v-continuoustime and the display before "
    "eq:r2 have it, 'conditional on 𝒢' and with E[·|H_{k-1}]: P(τ_0 > H | 𝒢) = exp(-λH) in episode 1. (S = A "
    "= 1, the state jumps to itself: CT-UCBVI has no choice. K = 2, H = 1, λ = λmax = 12, δ = 1/(2KH). If "
    "episode 1 has no jump, λ̂_2 = 0 and β_2 = √(λmax L) = 11.53 < λ: not on 𝒢. So the left side is 0.)",
    checks=given_all_episodes(),
    expected="refuted",
    latex=r"\mathbb P(\tau_0 > H\mid\mathcal G) = e^{-\lambda H}",
    mutant=given_all_episodes(1),  # 𝒢_1, which is known when episode 1 begins: must not be refuted
    finding=Remark(
        "proof",
        "𝒢 is about the estimates of all episodes, the future ones too: given 𝒢 holding times are not "
        "exponential, and the means of lem:v-v-continuoustime are not those of the model.",
        details="The lemma needs 𝒢_k, the part of 𝒢 about episode k, which H_{k-1} decides; 1_𝒢 <= 1_{𝒢_k} "
        "gives eq:r2.",
        repair="eq:r2/indicator",
    ),
)

section.step(
    "eq:r2/indicator",
    "E[1_𝒢 E(X | past)] <= E X for X >= 0, the past what is known at a decision of the first K episodes: "
    "lem:v-v-continuoustime holds on 𝒢_k, the part of 𝒢 about the estimates of that decision, which the "
    "past decides, and 𝒢 is contained in 𝒢_k; an indicator g is at most 1. ('Conditional on 𝒢' is no "
    "change of the law: 𝒢 looks into the future.)",
    says="g*x <= x",
    domain=("0 <= g <= 1", "x >= 0"),
    symbols={"g": "1_𝒢", "x": "X_k"},
    theorem=regret.INDICATOR,
    derivation=regret.indicator,
    latex=r"\mathbb E[1_{\mathcal G}\,\mathbb E(X_k\mid\mathcal H_{k-1})] \le \mathbb E X_k",
    mutant=Domain.of("0 <= g <= 2", "x >= 0"),
)

# --- the theorem as printed -------------------------------------------------------------------

section.claim(
    "thm:CT-UCB",
    "For all S, A, K >= 1, H > 0 and 0 < λmin <= λmax the right-hand side of eq:regret-bound is a real "
    "number and bounds the worst-case regret of CT-UCBVI (with δ = 1/(2KH), which the statement does not "
    "say; for other δ see thm:CT-UCB/any-delta). S = A = 1, K = 2, H = 1/8: the bound contains √ln(1/2).",
    uses="eq:regret-bound/real eq:r1 thm:CT-UCB/delta thm:CT-UCB/L eq:r2 prop:proberror prop:rateerror "
    "thm:CT-UCB/jump-constant thm:CT-UCB/rate-constant",
    checks=defined(),
    expected="refuted",
    latex=r"\sup_{\mathcal M}\mathrm{Regret} \le 3(CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)"
    r"(\lambda_{\max}H+1)"
    r"\frac{\ln K}{\ln(\ln K+1)}\bigl(\sqrt{2S+6\ln(2SAKH)}+4\lambda_{\max}H\sqrt{\ln(2SAKH)}\bigr)"
    r"+\sum_k\epsilon_k e^{\lambda_{\max}H}+1",
    mutant=defined(Fraction(1)),
    finding=Remark(
        "erratum",
        "Its δ and its domain are not stated; otherwise it stands: with δ = 1/(2KH) the bound holds as "
        "printed wherever it is a real number, 2SAKH >= 1, the factor 0/0 of K = 1 read as 1.",
        details="For other δ it is false (thm:CT-UCB/any-delta). The proof is a repaired one; the printed "
        "proof reaches its constants only for SAH >= 1. The bound is also loose: from K = 101 on the same "
        "algorithm has less than half of it (thm:CT-UCB/sharp, thm:CT-UCB/half), with half of the bonus a "
        "quarter (thm:CT-UCB/halved), and with the bonus as a lump sum the factor CH + 1 disappears "
        "(thm:CT-UCB/lump-sum).",
        repair="thm:CT-UCB/repaired",
    ),
)
