r"""A learner without bonus and without value iteration: the value of the best model in the confidence sets.

For every pair the learner has a set of rates and rows, the same during an episode, and plays, in every
state and at every remaining time, the action with the largest :math:`\hat Q`, where

.. math:: \hat Q'(x,a,t) = r(x,a) + \max\{\tilde\lambda\,(\tilde p\,\hat V(\cdot,t) - \hat Q(x,a,t))\},\qquad
          \hat V = \max_a\hat Q,\qquad \hat Q(\cdot,0) = 0,

the maximum over the set.  Whatever the sets are (:mod:`proofs_checks.derivations.setting_optimistic`):

* :math:`0 \le \hat Q \le t`, without truncation, and :math:`V^* \le \hat V` where the model is in the sets.
  There is nothing to tune, and there are no accuracies :math:`\epsilon_k`.
* A decision with t left costs at most :math:`\hat Q - \mathcal T^a\hat V = \int_0^te^{-\lambda
  s}[(\tilde\lambda - \lambda)(\tilde p\hat V - \hat Q) + \lambda(\tilde p - p)\hat V](t-s)\,ds`.
  :math:`\int_0^te^{-\lambda s}ds` is the mean time spent, :math:`\int_0^t\lambda e^{-\lambda s}(t-s)\,ds`
  the mean time left after a jump that is seen: rates are paid on time, rows on observed jumps.  Nothing is
  divided by :math:`\lambda_{\min}`, and a rate may be 0.
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import optimistic_regret as regret
from proofs_checks.derivations import optimistic_run as run
from proofs_checks.derivations import optimistic_slopes as slopes
from proofs_checks.derivations import optimistic_values as values
from proofs_checks.derivations.setting_optimistic import EQUATION
from verify.claims import Domain, Section

section = Section(checks=PROOF, expected="proved", setting=EQUATION)

section.repair(
    "lem:optimism/equation/bounds",
    "0 <= Q̂(x,a,t) <= t on [0, H], whatever the sets of rates in [0, λmax] and rows: if Q̂ <= t + w "
    "everywhere, then Q̂ <= t + (1 - e^(-λmax t)) w, and that contracts; likewise for 0 <= Q̂. (c = λmax.)",
    says="t + (1 - exp(-c*t))*w <= t + (1 - exp(-c*H))*w",
    domain=("c > 0", "t >= 0", "t <= H", "w >= 0"),
    theorem=values.BOUNDS,
    derivation=values.bounds,
    mutant="t + (1 - exp(-c*t))*w <= t + (1 - exp(-c*H))*w/2",
)

section.repair(
    "lem:optimism/equation",
    "If the model is no better than the maximum, λ(pV̂ - Q̂) <= max{λ̃(p̃V̂ - Q̂)} on [0, H] (as it is "
    "where it is in the sets), then T^aV̂ <= Q̂ and V* <= V̂ there: optimism, without any bonus.",
    uses="lem:optimism/equation/bounds lem:optimism/value-bound/iterates",
    theorem=values.OPTIMISM,
    derivation=values.optimism,
    latex=r"\lambda(p\hat V-\hat Q) \le \max\tilde\lambda(\tilde p\hat V-\hat Q) \implies "
    r"\mathcal T^a\hat V \le \hat Q,\ V^* \le \hat V",
)

section.repair(
    "lem:optimism/equation/rises",
    "Q̂ rises by at most 1 per unit of time: Q̂(t) <= Q̂(t + h) <= Q̂(t) + h for 0 <= t <= t + h <= H. "
    "Q̂(· + h) solves the same equation from Q̂(h) in [0, h] on, and with z = e^(-λmax t), zh + (1 - z)(h "
    "+ w) <= h + w.",
    says="z*h + (1 - z)*(h + w) <= h + w",
    domain=("0 <= z <= 1", "h >= 0", "w >= 0"),
    uses="lem:optimism/equation/bounds",
    theorem=slopes.RISES,
    derivation=slopes.rises,
    latex=r"\hat Q(t) \le \hat Q(t+h) \le \hat Q(t)+h",
    mutant="z*h + (1 - z)*(h + w) <= h",
)

section.repair(
    "lem:optimism/equation/slopes",
    "0 <= r + max{λ̃(p̃V̂ - Q̂)} <= 1: the slopes of Q̂. So λ̃|p̃V̂ - Q̂| <= 1, a fast rate meets small "
    "differences. For the maximum moves by at most λmax s within time s, (r + max) h <= h + λmax h²/2 for "
    "every h <= t.",
    uses="lem:optimism/equation/bounds lem:optimism/equation/rises",
    theorem=slopes.SLOPES,
    derivation=slopes.slopes,
    latex=r"0 \le \hat Q' \le 1,\quad \tilde\lambda\,|\tilde p\hat V-\hat Q| \le 1",
)

section.repair(
    "lem:v-v-continuoustime/equation/step",
    "What a decision with t left costs: Q̂ - T^aV̂ <= π w(λ,t) + σ ∫_0^t e^(-λs)(t - s) ds + α (t - "
    "w(λ,t)), where w(λ,t) = ∫_0^t e^(-λs) ds, if on [0, H] the model is no better than the maximum, a "
    "wrong rate gains at most (λ̃ - λ)(p̃V̂ - Q̂)(t) <= π + σt and a wrong row at most (p̃ - p)V̂(t) <= "
    "αt. For λ̃(y - q) - λ(z - q) = (λ̃ - λ)(y - q) + λ(y - z), with y = p̃V̂, z = pV̂, q = Q̂.",
    says="r*(y - q) - l*(z - q) == (r - l)*(y - q) + l*(y - z)",
    domain=Domain.of("l >= 0", "r >= 0", reals="y z q"),
    symbols={"l": "λ", "r": "λ̃"},
    theorem=values.STEP,
    derivation=values.step_cost,
    latex=r"\hat Q-\mathcal T^a\hat V = \int_0^te^{-\lambda s}[(\tilde\lambda-\lambda)(\tilde p\hat V-\hat Q)"
    r"+\lambda(\tilde p-p)\hat V](t-s)\,ds",
    mutant="r*(y - q) - l*(z - q) == (r - l)*(z - q) + l*(y - z)",
)

section.repair(
    "lem:v-v-continuoustime/equation",
    "Along the run: over the first m decisions, Σ E(V̂ - V^π) at the beginnings of the first K episodes "
    "whose sets are right is at most the sum of E(πτ + σ(uτ - τ²/2) + α 1{jump}(u - τ)) over their "
    "decisions, and H P(the K episodes are not over). u is the time left at a decision, τ the time spent, "
    "and whether the sets are right is known at a decision and stays during the episode.",
    uses="eq:r2/sum/any-learner lem:v-v-continuoustime/equation/step lem:optimism/equation/bounds",
    theorem=run.TELESCOPED,
    derivation=run.telescoped,
    latex=r"\sum\mathbb E(\hat V-V^\pi) \le \sum\mathbb E\bigl(\pi\tau+\sigma(u\tau-\tfrac12\tau^2)"
    r"+\alpha 1_{jump}(u-\tau)\bigr) + H\,\mathbb P(\cdot)",
)

section.repair(
    "thm:CT-UCB/equation",
    "The core, for every choice of sets: if the expected payments Σ E(πτ + σ(uτ - τ²/2) + α 1{jump}(u - "
    "τ)) over the decisions of the first K episodes where the sets are right are at most v, and the sets "
    "are right at all of them with probability at least 1 - q, then the regret is at most v + qKH.",
    uses="eq:r1/any-learner lem:v-v-continuoustime/equation lem:optimism/equation eq:FH-control2/bounds "
    "prop:rateerror/episodes prop:rateerror/decisions",
    theorem=regret.CORE,
    derivation=regret.core,
    latex=r"Regret \le \sum\mathbb E\bigl(\pi\tau+\sigma(u\tau-\tfrac12\tau^2)"
    r"+\alpha 1_{jump}(u-\tau)\bigr) + q\,KH",
)
