r"""The iteration of ``eq:Qa``: increasing, convergent, and what it counts.

:math:`V_{n+1} = G V_n` increases from :math:`V_0 = 0` because :math:`G` is monotone, and :math:`V^* - V_n`
is what is earned after the n-th jump: at most :math:`\mathbb E(t - \Gamma_n)^+`, with :math:`\Gamma_n` the
time of the n-th jump at the rate :math:`\lambda_{\max}`. The paper's :math:`\varrho^n`, :math:`\varrho = 1
- e^{-\lambda_{\max}H}`, is far larger (:mod:`proofs_checks.algorithm.iteration`).

The model that counts its jumps (a state is a state and the number of jumps that still count) has the value
:math:`V_n` exactly. Its policies know that number. Those of the paper know only the state and the remaining
time, and where the best actions with one and with two jumps to go differ, no such policy is best for both.
By hand: in each of three states, that lead to both others alike, :math:`a` earns 1 and is left at rate 10,
:math:`b` earns 1/2 and is left at rate 1/1000. With time 1/2 and one jump to go :math:`b` earns 0.2499 and
:math:`a` 0.0993; with two to go :math:`a` and then :math:`b` earn at least 0.299, :math:`b` at most 0.2503.
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.value_iteration import (
    convergent_iterates,
    counted,
    increasing_iterates,
    one_action_for,
)
from proofs_checks.derivations import earnings, optimality
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Section

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"rho": "ρ"})

section.claim(
    "eq:Qa/iteration",
    "V*_n increases to V*, uniformly: it increases because T^a is monotone and V*_1 >= 0 = V*_0; and V* <= "
    "V*_n + ρⁿH on [0,H], where ln ρ < 0: if the distance c of V*_n is at most b = ρⁿH, that of V*_{n+1}, d "
    "<= ρc, is at most ρb = ρⁿ⁺¹H, which tends to 0.",
    says="d <= rho*b",
    domain=Domain.of("0 < rho < 1", "b >= 0", "c >= 0", "d <= rho*c", "c <= b", reals="d"),
    uses="eq:Qa/monotone lem:optimism/value-bound/iterates",
    theorem=optimality.ITERATION,
    derivation=optimality.iteration,
    checks=(increasing_iterates(truncate=False), convergent_iterates(), *PROOF),
    latex=r"V^*_{n+1} \ge V^*_n, \quad \|V^*_n - V^*\|_\infty \to 0",
    mutant=convergent_iterates(sooner=1),
)

section.claim(
    "eq:Qa/first-n",
    "V*_n(x,t) is the largest expected reward up to the n-th transition or the end, the value of a modified "
    "problem whose policies may count the transitions: no learner, whatever its actions depend on, earns "
    "more in n sojourns of an episode, and a policy that takes what maximises T^a V*_j with j + 1 of them to "
    "go earns it. (Maps of (x,t) alone do not: eq:Qa/first-n/maps.)",
    theorem=earnings.FIRST_N,
    derivation=earnings.first_n,
    checks=counted(),
    mutant=counted(levels_more=1),
)

section.repair(
    "eq:Qa/first-n/maps",
    "Among the policies of the paper, maps of (x,t), there is none for the modified problem in general. In "
    "each of three states a fast action (reward 1, rate 10) and a slow one (1/2, 1/1000), n = 3: at "
    "remaining time 1/2 the slow one is best with one transition left (0.2499 against 0.0993) and the fast "
    "one with two (0.299 against 0.2503), so that one action for both lacks at least 1/25. (A state may be "
    "entered with one and with two left at the same remaining times, whatever is played.)",
    checks=one_action_for((1, 2)),
    mutant=one_action_for((2, 2)),  # one number of transitions
)
