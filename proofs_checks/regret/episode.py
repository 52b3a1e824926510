r"""``lem:v-v-continuoustime``: the regret of one episode is at most bonus and radii along its path.

With :math:`a = \pi^k(x,t)` the best action for :math:`\hat V = \hat V_{n_k}`,

.. math:: \hat V(x,t) \le \mathcal T^{a,k}\hat V(x,t), \qquad V^\pi(x,t) = \mathcal T^aV^\pi(x,t), \qquad
          \hat V - V^\pi \le (b + \alpha + t\beta)\,t + E[(\hat V - V^\pi)(Y, (t-\tau)^+)],

and the last line is used again at the next state.  After :math:`m` steps the remainder is at most
:math:`E(H-t_m)^+ \le H\,P(N \ge m)`, :math:`N` Poisson with mean :math:`\mu = \lambda_{\max}H`, because
:math:`\hat V - V^\pi \le \hat V \le t`; and :math:`P(N \ge m) \le \mu^m/m!`.

In one step :math:`V^\pi` cancels (``eq:Vpik``): what has to be tested is
:math:`\hat V(x,t) - \mathcal T^a\hat V(x,t) \le (b+\alpha+t\beta)\,t` for the best actions :math:`a`, and
that is exact.  The whole lemma is tested as well, with the first terms of its sum.

As in ``lem:optimism``, half of :math:`\beta` and of :math:`\alpha` suffices.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF, WAIT
from proofs_checks.checks.episode import episodes, mistakes, one_step, own_equation, recursion, remainders
from proofs_checks.checks.model_error import HALF, ONE
from proofs_checks.checks.perturbed import PRINTED
from proofs_checks.checks.perturbed_values import Shares
from proofs_checks.derivations import (
    comparisons,
    greedy_step,
    half_bonus,
    learners,
    losses,
    path_costs,
)
from proofs_checks.derivations.earnings import VPIK, mean_of_episode
from proofs_checks.derivations.setting import ANY, PAPER, POLICIES
from verify.claims import Domain, Remark, Section, increasing

_HAT, _TRUE = "(1 - exp(-m*h))/m", "(1 - exp(-l*h))/l"
_NONE = Fraction(0)

section = Section(
    checks=PROOF,
    expected="proved",
    setting=ANY,
    symbols={"l": "λ", "al": "α", "be": "β", "h": "H", "mu": "μ"},
)

section.step(
    "eq:rec-Vk",
    "V̂_n(x,t) <= max_a T^{a,k}V̂_n(x,t) for n >= 1, every state and t >= 0, because V̂_n = min{t, max_a "
    "T^{a,k}V̂_{n-1}}, V̂_{n-1} <= V̂_n and T^{a,k} is monotone; a = π^k(x,t) attains the maximum for n = "
    "n_k.",
    source="lem:v-v-continuoustime",
    uses="eq:Qa/monotone eq:mono",
    checks=recursion(),
    theorem=greedy_step.REC,
    derivation=greedy_step.rec,
    latex=r"\hat V_{n_k}(x,H) \le \sup_a(\mathcal T^{a,k}\hat V_{n_k})(x,H)",
    mutant=recursion(2),
)

section.step(
    "eq:Vpik",
    "V^π(x,t) = T^a V^π(x,t) with a = π(x,t), for policies of state and remaining time, and V^π is the mean "
    "of what an episode earns: what the next m sojourns of an episode earn in the mean when a decision is "
    "made is the m-th iterate of T^π at its state and its remaining time, and V^π there up to ρᵐH. "
    "(Followed forward in time the expected reward along the path agrees with the right side up to 10^-12.)",
    source="lem:v-v-continuoustime",
    uses="sec:simulation/evaluation eq:FH-control2/bounds",
    setting=POLICIES,
    theorem=VPIK,
    derivation=mean_of_episode,
    checks=own_equation(),
    latex=r"V^{\pi}(x,H) = r\int_0^He^{-\lambda s}ds + \mathbb E[V^{\pi}(x_1,(H-\tau_0)^+)]",
    mutant=own_equation(forget=True),
)

section.step(
    "eq:reward-disc/equality",
    "(r + b) w(λ̂) - r w(λ) = r |w(λ̂) - w(λ)| + b w(λ̂), with w(λ) = (1 - exp(-λH))/λ, as printed.",
    says=f"(r + b)*{_HAT} - r*{_TRUE} == r*Abs({_HAT} - {_TRUE}) + b*{_HAT}",
    domain=("0 <= r <= 1", "b >= 0", "l >= 0", "m >= 0", "h > 0"),
    symbols={"m": "λ̂"},
    expected="refuted",
    mutant=Domain.of(
        "0 <= r <= 1", "b >= 0", "l >= 0", "m >= 0", "h > 0", "m <= l"
    ),  # where λ̂ <= λ the equality is true: must not be refuted
    finding=Remark(
        "erratum",
        "The first equality of eq:reward-disc is an inequality where r > 0 and λ̂ > λ: the left side has "
        "w(λ̂) - w(λ) < 0 without bars.",
        details="The next line needs <= only. (In the same display λ(x,a) stands for λ(x_0,a_0).)",
        repair="eq:reward-disc/equality/repaired",
    ),
)

section.repair(
    "eq:reward-disc/equality/repaired",
    "With <= in place of =: r d <= r e for e = |d| >= d, d = w(λ̂) - w(λ). Equality holds where r = 0 or "
    "λ̂ <= λ.",
    elementary=True,
    says="r*d <= r*e",
    domain=Domain.of("0 <= r <= 1", "d <= e", reals="d e"),
    mutant="r*d <= r*e/2",
)

section.step(
    "lem:v-v-continuoustime/lipschitz",
    "w(λ) = ∫_0^t exp(-λs) ds has w(λ) + λt²/2 increasing in λ >= 0: it falls by at most t²/2 times the "
    "change of λ (and does not rise, eq:diff).",
    says=increasing(f"{WAIT} + l*t**2/2", "l", Domain.of("l >= 0", "t >= 0")),
    domain=("l >= 0", "t >= 0"),
    uses="eq:diff",
    mutant=increasing(f"{WAIT} + l*t**2/3", "l", Domain.of("l >= 0", "t >= 0")),
)

section.step(
    "eq:reward-disc",
    "(r + b) w(λ̂) - r w(λ) <= t²β/2 + bt, w(λ) = ∫_0^t exp(-λs) ds, for every t >= 0, so for t = H, if "
    "|λ̂ - λ| <= β and b >= 0: r |w(λ̂) - w(λ)| <= t²β/2 by the Lipschitz bound, 0 <= r <= 1, and w(λ̂) <= t.",
    source="lem:v-v-continuoustime",
    uses="lem:optimism/reward",
    theorem=comparisons.REWARD_STEP,
    derivation=comparisons.reward_step,
    latex=r"(r+b)\int_0^He^{-\hat\lambda s}ds - r\int_0^He^{-\lambda s}ds \le \tfrac{H^2}2\beta + bH",
)

section.step(
    "lem:v-v-continuoustime/step",
    "On 𝒢, V̂ <= T^aV̂ + (b + α + tβ)t at every state and t <= H, a = π(x,t) the action that is best for V̂ "
    "and T^{a,k}: the reward costs at most t²β/2 + tb (eq:reward-disc) and the error of the operator on V̂ "
    "<= t is at most t²β/2 + tα (lem:error-model). So V̂ - V^π <= (b + α + tβ)t + E[(V̂ - V^π)(Y,(t-τ)⁺)], "
    "by eq:Vpik.",
    uses="eq:mono eq:rec-Vk lem:error-model lem:optimism/reward",
    checks=one_step(ONE, ONE, ONE),
    theorem=greedy_step.STEP,
    derivation=greedy_step.step,
    mutant=one_step(ONE, _NONE, ONE),
)

section.step(
    "lem:v-v-continuoustime/learner",
    "V̂, which CT-UCBVI returns, is at most t and stays within an episode; and where its estimates are right "
    "at a decision with remaining time u, V* <= V̂ + ε λmax H there, and V̂ <= T^aV̂ + (CH + 1)(α + Hβ)u: "
    "lem:optimism with the error of eq:error-vi/load, and lem:v-v-continuoustime/step with b = C(H²β + Hα). "
    "This is all that the regret bound needs of a learner (eq:r2/any-learner).",
    uses="lem:v-v-continuoustime/step lem:optimism/induction eq:error-vi/load eq:empirical-P/model "
    "alg:VI/stops lem:optimism/value-bound/iterates",
    setting=PAPER,
    theorem=learners.PAPER,
    derivation=learners.paper,
    checks=(),
)

section.step(
    "lem:v-v-continuoustime/recursion",
    "The same recursion in the run of the learner, where its estimates are right at a decision (which is "
    "known when it is made): V̂ - V^π there is at most the conditional mean of what the next m decisions "
    "of the episode cost, and H times the probability that it has more than m; and these probabilities "
    "add up to at most 1 + λmax H, so that the remainder vanishes. (It is at most Hμ^m/m!, μ = λmax H, "
    "and from m >= 2μ on each step at least halves that: μ/(m + 1) <= 1/2.)",
    says="mu/(m + 1) <= 1/2",
    domain=Domain.of("mu >= 0", "m >= 0", "m >= 2*mu", integers="m"),
    uses="lem:v-v-continuoustime/step lem:v-v-continuoustime/learner sec:simulation/evaluation "
    "eq:FH-control2/bounds eq:empirical-P/model",
    setting=PAPER,
    theorem=learners.RECURSION,
    derivation=learners.recursion,
    checks=(remainders(), *PROOF),
    mutant=remainders(1),
)

section.step(
    "lem:v-v-continuoustime/summed",
    "The recursion sums up, for any cost 0 <= c(x,t) <= qt of a decision: if V̂ <= t and V̂ <= T^aV̂ + c on "
    "[0,H], a = π(x,t), then V̂ - V^π <= Σ_m E c(x_m,(H-t_m)⁺) = sup_m r_m, r_0 = 0, r_{m+1}(x,t) = c(x,t) "
    "+ E r_m(Y,(t-τ)⁺) the mean cost of the first m + 1 decisions. With d = V̂ - V^π and U = t + λmax t²/2, "
    "md <= m r_m + U for every m: (m + 1)d <= t + m(c + E d) <= t + mc + E(m r_m + U), and t + E U <= U.",
    theorem=path_costs.SUMMED,
    derivation=path_costs.summed,
)

section.claim(
    "lem:v-v-continuoustime",
    "On 𝒢, V*(x,t) - V^π(x,t) <= Σ_m E[(b + α + (t-t_m)⁺β)(t-t_m)⁺] + ε exp(λmax H) for all x and t <= H, "
    "so for t = H: V* - V̂ <= ε exp(λmax H) by lem:optimism, and V̂ - V^π is at most the sum, the limit of "
    "r_{m+1} = c + E r_m (lem:v-v-continuoustime/summed). For V^π any V >= 0 with V = T^πV (eq:Vpik), π "
    "greedy for V̂.",
    uses="eq:mono lem:optimism lem:v-v-continuoustime/step lem:v-v-continuoustime/summed",
    checks=(episodes(Shares()), mistakes(Shares())),
    theorem=losses.LOSS,
    derivation=losses.loss,
    latex=r"V^*(x_0,H)-V^{\pi_k}(x_0,H) \le"
    r" \sum_{m\ge0}\mathbb E\bigl([b^k+\alpha_k+(H-t_m)^+\beta_k](H-t_m)^+\bigr)"
    r" + \epsilon_ke^{\lambda_{\max}H}",
    mutant=mistakes(Shares(_NONE, _NONE, _NONE)),
    finding=Remark(
        "constant",
        "Stands as printed, and is twice too large: bonus, α and β can all be halved, and with them the "
        "bound of thm:CT-UCB (thm:CT-UCB/halved); ε exp(λmax H) can be ε λmax H.",
        details="With the bonus as a lump sum of the remaining time the factor CH + 1 disappears "
        "(thm:CT-UCB/lump-sum).",
        repair="lem:v-v-continuoustime/halved",
    ),
)

section.repair(
    "lem:v-v-continuoustime/halved/step",
    "On 𝒢, V̂ <= T^aV̂ + (b + (α + tβ)/2)t for the greedy a and any bonus b >= 0, if p̂ is a probability "
    "wherever λ̂ > 0, as the printed estimators are: of the two errors of the rate one is at most 0 (V̂ "
    "does not decrease in t) and the other at most t²β/2, and the jumps cost at most (t - w(λ̂))α/2 <= tα/2.",
    uses="eq:mono eq:rec-Vk lem:optimism/halved/step",
    checks=one_step(HALF, HALF, HALF, PRINTED),
    theorem=half_bonus.HALF_STEP,
    derivation=half_bonus.half_step,
    mutant=one_step(HALF, _NONE, HALF, PRINTED),
)

section.repair(
    "lem:v-v-continuoustime/halved",
    "With half of the bonus the lemma holds with α/2, β/2 and ε λmax t <= ε λmax H, if p̂ is a probability "
    "wherever λ̂ > 0, as the printed estimators are: V* - V^π <= Σ_m E[(b + (α + uβ)/2)u] + ε λmax t, u = "
    "(t-t_m)⁺, b at least half of eq:bonus-k. So the whole sum is half of the printed one.",
    uses="eq:mono lem:optimism/halved lem:v-v-continuoustime/halved/step lem:v-v-continuoustime/summed",
    theorem=losses.HALVED_LOSS,
    derivation=losses.halved_loss,
    checks=(
        one_step(HALF, HALF, HALF, PRINTED),
        episodes(Shares(HALF, HALF, HALF, load=True), PRINTED),
        mistakes(Shares(HALF, HALF, HALF, load=True)),
    ),
    mutant=one_step(HALF, _NONE, HALF, PRINTED),
)
