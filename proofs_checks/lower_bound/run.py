r"""The run of an algorithm in the reference instance, and what it says about the instances.

The repaired proof needs no law but that of the reference. A jump from leaf z by action b that is seen is
more likely in instance :math:`j = (z, b)` by the factor :math:`1 \pm 2\Delta`; with :math:`\Lambda_j(n)`
the product of these factors for what was seen before decision :math:`n`, :math:`E_j X` is
:math:`E_0[\Lambda_j(n) X]` for every :math:`X` that is known at decision :math:`n`. :math:`\Lambda_j^k`
has the factors of the episodes before the k-th only (episodes are counted from 0).

An episode that is in a node of height :math:`h` with remaining time :math:`t` has :math:`E(t-\gamma_h)^+`
*in store*.
"""

from __future__ import annotations

from proofs_checks.derivations import lower_measure, lower_reward, lower_run, lower_tail, lower_visits
from proofs_checks.derivations.lower_setting import SETTING
from verify.claims import Section

section = Section(expected="proved", setting=SETTING)

section.repair(
    "thm:lowerbound/likelihood",
    "Under Λ_j P_0 the law of a step is that of instance j: its mean stays 1, and the mean of any "
    "function of a holding time and the jump that ends it is the one with probability 1/2 + Δ for the "
    "good jump from the pair j.",
    theorem=lower_measure.LIKELIHOOD,
    derivation=lower_measure.likelihood,
    latex=r"\mathbb E_0[\Lambda_j(n+1)\,g(\tau_n, x_{n+1})\mid\mathcal F_n] = \Lambda_j(n)\int_0^{t}"
    r"\lambda e^{-\lambda s}\sum_y p_j(y)\,g(s,y)\,ds",
)

section.repair(
    "thm:lowerbound/seen",
    "In k episodes at most k jumps from leaves are seen, whatever the algorithm does: Σ_j T_j^k <= k.",
    theorem=lower_run.VISITS,
    derivation=lower_run.visits,
    latex=r"\sum_j T_j^k \le k",
)

section.repair(
    "thm:lowerbound/store",
    "Let M >= 0 be known at every decision and not change from episode k on. Then the mean of M times "
    "what episode k has in store when a leaf is entered is at most W times that of M, W = E(H - γ_d)^+: "
    "what is in store does not change in the mean on the way to the leaf.",
    theorem=lower_run.LEAVES,
    derivation=lower_run.leaves,
    latex=r"\mathbb E_0[M\,e_1(t_{\text{leaf}})] \le W\,\mathbb E_0[M]",
)

section.repair(
    "thm:lowerbound/same",
    "In a leaf of episode k, before it is left, Λ_j = Λ_j^k: the episode has shown nothing yet.",
    theorem=lower_reward.SAME,
    derivation=lower_reward.same,
    latex=r"\Lambda_j(n) = \Lambda_j^k(n)",
)

section.repair(
    "thm:lowerbound/income",
    "What is earned in K episodes, up to any decision, is in instance j at most the sum over the leaves "
    "that are entered of what is in store there, times 1/2 + Δ for the pair j and 1/2 for the others.",
    uses="thm:lowerbound/likelihood",
    theorem=lower_reward.INCOME,
    derivation=lower_reward.income,
)

section.repair(
    "thm:lowerbound/tail",
    "All that is earned in K episodes is, in instance j, at most what is earned up to decision n and K H "
    "(K + λ K H)/n: K episodes take K (1 + λH) decisions in the mean.",
    uses="thm:lowerbound/likelihood",
    theorem=lower_tail.TAIL,
    derivation=lower_tail.tail,
)

section.repair(
    "thm:lowerbound/found",
    "For every c > 0, what episode k has in store in a leaf where it decides the pair j exceeds in "
    "instance j its mean in the reference by at most W (c/2 + E_0[T_j^k] kl/(4c)): Pinsker's inequality "
    "for Λ_j^k, from the pointwise 3 (1 - x)² <= (2 + 4x)(x - 1 - ln x).",
    uses="thm:lowerbound/same thm:lowerbound/store thm:lowerbound/divergence/repaired",
    theorem=lower_visits.FOUND,
    derivation=lower_visits.found,
)

section.repair(
    "thm:lowerbound/all-found",
    "Summed over the LA pairs, what episode k has in store where it decides the pair j is in the "
    "instances j at most W (1 + √(LA kl k/2)): in the reference the pairs share W, and the best c is √(kl "
    "k/(2LA)).",
    uses="thm:lowerbound/found thm:lowerbound/store thm:lowerbound/seen",
    theorem=lower_visits.ALL_FOUND,
    derivation=lower_visits.all_found,
    latex=r"\sum_j \mathbb E_j[e_1\,1\{j\}] \le W\bigl(1 + \sqrt{LA\,\mathrm{kl}\,k/2}\bigr)",
)
