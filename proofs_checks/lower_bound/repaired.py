r"""A proof of ``thm:lowerbound`` that allows policies to depend on time, and the constant it gives.

For every algorithm, every tree with :math:`S \ge 6` and every :math:`K \ge SA/2` the instances with
:math:`\Delta = \frac14\sqrt{SA/K}` have

.. math:: \max_j R_j \ge \tfrac17\,\mathbb E[(H-\gamma_d)^+]\sqrt{SAK}

(the paper: :math:`1/(12\sqrt2)`, less by the factor 2.42).  With :math:`n = LA = A^d`,
:math:`W = E[(H-\gamma_d)^+]`:

1. *One law.*  Everything is a mean in the reference: what is seen in instance :math:`j` has a likelihood
   :math:`\Lambda_j`, :math:`E_j X = E_0[\Lambda_j X]` (:mod:`proofs_checks.lower_bound.run`).
2. *What an episode has in store* when it enters its leaf, :math:`E[(t-\tau)^+]` with remaining time
   :math:`t`, is :math:`W` in the mean, whatever was seen before.  Half of it is earned, and :math:`\Delta` of
   it more where the pair is :math:`j`.  (That is to bias the holding times of the episode
   by :math:`(H-\gamma_d)^+/W`.)
3. *Sum.*  With :math:`T_j^k` the visits to :math:`j` before episode :math:`k` whose jump is seen and
   :math:`kl = kl(\frac12, \frac12+\Delta)`, :math:`E_0[-\ln\Lambda_j^k] = E_0[T_j^k]\,kl`; Pinsker, and
   :math:`\sum_j T_j^k \le k`, give at most :math:`W(1 + \sqrt{kl/2}\,\sqrt{nk})` of it for the pairs
   together, and :math:`\sum_{k<K}\sqrt k \le \frac23 K^{3/2}`: the paper's sum with the factor 2/3, which
   it gives away by using :math:`T_j^K` for every episode.
4. *Constants.*  :math:`n \ge 8`, :math:`S \le \frac94 L`, and :math:`K\,kl \le \frac{\ln2}4 SA` for
   :math:`K \ge SA/2`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks import lower_bound as checks
from proofs_checks.checks import lower_bound_algorithms as best
from proofs_checks.checks.common import PROOF
from proofs_checks.checks.counting import first_roots
from proofs_checks.derivations import (
    lower_bound,
    lower_constants,
    lower_measure,
    lower_readings,
    lower_tree,
    lower_values,
)
from proofs_checks.derivations.lower_setting import FULL, SETTING
from verify.claims import Domain, Section

_LEAVES = "(1/A + (1 - 1/A)*(S - 2))"
_ROOT = Domain.of("m >= 0")
_TWO_THIRDS = Fraction(2, 3)
_BRACKET = "(1 - 1/n - 2*sqrt(y*log(2)/8)/3)/4"

section = Section(
    checks=PROOF, expected="proved", setting=SETTING, symbols={"x": "Δ", "n": "LA", "rate": "λmax"}
)

section.repair(
    "thm:lowerbound/instances/repaired",
    "With self-jumps of rate λmax in the good and the bad state every rate is λmax, and optimal values "
    "are those with absorbing states: value iteration gives the good state t, the bad one 0. (u = t "
    "solves u(t) = E[t ∧ τ] + E[u((t - τ)^+)], the formula.)",
    says="(1 - exp(-rate*t))/rate + (t - (1 - exp(-rate*t))/rate) == t",
    domain=("rate > 0", "t >= 0"),
    theorem=lower_values.ENDS,
    derivation=lower_values.ends,
    checks=(checks.rates(self_jumps=True), checks.same_values(), *PROOF),
    latex=r"p(s_g|s_g,a) = p(s_b|s_b,a) = 1,\ \lambda = \lambda_{\max}",
    mutant=checks.rates(self_jumps=False),
)

section.repair(
    "thm:lowerbound/reward/repaired",
    "What is earned in K episodes, up to any decision, is in instance j at most W K/2 + Δ Q_j, with Q_j "
    "the sum of what is in store in the leaves where the pair j is decided: W q in episode k, if q is the "
    "probability that the pair j is visited when the holding times are biased by (H - γ_d)^+. In the mean "
    "an episode enters its leaf with W in store, in every instance.",
    uses="thm:lowerbound/income thm:lowerbound/store thm:lowerbound/same thm:lowerbound/divergence/repaired",
    theorem=lower_bound.REWARD,
    derivation=lower_bound.reward,
    checks=checks.reward(biased=True),
    latex=r"\mathbb E_j[(H-\gamma_d)^+1_{x_d=s_g}] "
    r"= W(\tfrac12+\Delta\,\tilde{\mathbb P}_j^k(\text{visit } j))",
    mutant=checks.reward(biased=False),
)

section.repair(
    "eq:Rj/repaired",
    "The sum over the LA pairs of the regrets R_j, of all that is ever earned in the K episodes, is at "
    "least K W Δ (LA - 1 - (2/3) √(LA kl K/2)): what is earned up to a decision is known by "
    "thm:lowerbound/reward/repaired, and what comes later vanishes (thm:lowerbound/tail).",
    uses="thm:lowerbound/optimal thm:lowerbound/reward/repaired thm:lowerbound/tail eq:sumTj/repaired",
    theorem=lower_bound.AVERAGE,
    derivation=lower_bound.average,
    checks=checks.average_regret(biased=True),
    latex=r"\frac1{LA}\sum_j R_j = KW\Delta\Bigl(1-\frac1{KLA}"
    r"\sum_{j,k}\tilde{\mathbb P}_j^k(\text{visit } j)\Bigr)",
    mutant=checks.average_regret(biased=False),
)

section.repair(
    "thm:lowerbound/divergence/repaired",
    "What was seen in the episodes before the k-th has KL(P_0, P_j) = E_0[-ln Λ_j^k] = E_0[visits to j "
    "before episode k whose jump is seen] kl(1/2, 1/2 + Δ), and E_0 Λ_j^k = 1. Induction over the "
    "decisions: a seen visit, of probability s, adds p s kl; the holding times have one law and cancel.",
    says="p*s/2*(l - log(1 + 2*x)) + p*s/2*(l - log(1 - 2*x)) + p*(1 - s)*l == "
    "p*l + p*s*(-log(1 + 2*x)/2 - log(1 - 2*x)/2)",
    domain=Domain.of("0 <= p <= 1", "0 <= s <= 1", "0 <= x < 1/2", reals="l"),
    symbols={"p": "the P_0-probability of a history", "l": "its log-ratio"},
    theorem=lower_measure.DIVERGENCE,
    derivation=lower_measure.divergence,
    checks=(checks.divergence(biased=True), *PROOF),
    latex=r"\mathrm{KL}(\tilde{\mathbb P}_0^k,\tilde{\mathbb P}_j^k) = \mathbb E_0[T_j^{k-1}]\,"
    r"\mathrm{kl}(1/2,1/2+\Delta)",
    mutant=checks.divergence(biased=True, factor=2),
)

section.repair(
    "thm:lowerbound/kl/repaired",
    "kl(1/2, 1/2 + Δ) <= 4 Δ^2 for 0 <= Δ <= 0.446 (and not at 0.447).",
    says="-log(1 + 2*x)/2 - log(1 - 2*x)/2 <= 4*x**2",
    domain="0 <= x <= 223/500",
    latex=r"\mathrm{kl}(1/2,1/2+\Delta) \le 4\Delta^2",
    mutant=Domain.of("0 <= x <= 447/1000"),
)

section.step(
    "thm:lowerbound/roots",
    "√0 + √1 + … + √(K-1) <= (2/3) K^{3/2}: the step from m = k to k + 1, (2/3) m^{3/2} + √m <= "
    "(2/3)(m + 1)^{3/2}, multiplied by 3 and squared.",
    says="4*m**3 + 12*m**2 + 9*m <= 4*(m + 1)**3",
    domain=_ROOT,
    theorem=lower_bound.ROOTS,
    derivation=lower_bound.roots,
    checks=(first_roots(), *PROOF),
    latex=r"\sum_{k=1}^{K}\sqrt{k-1} \le \tfrac23 K^{3/2}",
    mutant=first_roots(Fraction(3, 5)),
)

section.repair(
    "eq:sumTj/repaired",
    "Σ_j Q_j <= W K (1 + (2/3) √(LA kl K/2)), which for kl <= 4 Δ^2 is W K (1 + (2/3) √2 Δ √(LAK)): the "
    "sum over the episodes k < K of W (1 + √(LA kl k/2)).",
    uses="thm:lowerbound/all-found thm:lowerbound/roots",
    theorem=lower_bound.VISITS_OF_ALL,
    derivation=lower_bound.all_visits,
    checks=checks.sum_of_visits(biased=True, share=_TWO_THIRDS),
    latex=r"\frac1K\sum_{j,k}\tilde{\mathbb P}_j^k(\text{visit } j) \le "
    r"1 + \tfrac23\sqrt{\mathrm{kl}/2}\,\sqrt{LAK}",
    mutant=checks.sum_of_visits(biased=True, share=Fraction(1, 100)),
)

section.repair(
    "thm:lowerbound/maximum/repaired",
    "At the maximising Δ the paper's lower bound is W (1/(4√2)) (1 - 1/(LA))^2 √(LAK).",
    says="K*((1 - 1/n)*sqrt(n/K)/(2*sqrt(2)))*(1 - (1 + sqrt(2)*((1 - "
    "1/n)*sqrt(n/K)/(2*sqrt(2)))*sqrt(n*K))/n) == (1 - 1/n)**2*sqrt(n*K)/(4*sqrt(2))",
    domain=Domain.of("n >= 8", "K >= 1", integers="n K"),
    uses="thm:lowerbound/maximiser",
    latex=r"\max_j R_j \ge \tfrac1{4\sqrt2} W \bigl(1-\tfrac1{LA}\bigr)^2\sqrt{LAK}",
    mutant="K*((1 - 1/n)*sqrt(n/K)/(2*sqrt(2)))*(1 - 1/n)/2 == (1 - 1/n)*sqrt(n*K)/(4*sqrt(2))",
)

section.repair(
    "thm:lowerbound/constant/repaired",
    "With the square the last step still holds: (1/(4√2)) (1 - 1/(LA))^2 √(LAK) >= √(SAK)/(12√2), "
    "squared as in thm:lowerbound/constant.",
    says=f"9*(1 - 1/(1 + (A - 1)*(S - 2)))**4*{_LEAVES} >= S",
    domain=Domain.of("S >= 6", "A >= 2", integers="S A"),
    uses="thm:lowerbound/leaf-count",
    latex=r"\tfrac1{4\sqrt2}\bigl(1-\tfrac1{LA}\bigr)^2\sqrt{LAK} \ge \tfrac1{12\sqrt2}\sqrt{SAK}",
    mutant=f"9*(1 - 1/(1 + (A - 1)*(S - 2)))**4*{_LEAVES} >= 3*S",
)

section.repair(
    "thm:lowerbound/delta/repaired",
    "The maximising Δ is at most 1/4 if K >= 2LA(1 - 1/(LA))^2 (both sides squared).",
    elementary=True,
    says="(1 - 1/n)**2*n/(8*K) <= 1/16",
    domain=("n >= 8", "K >= 1", "K >= 2*n*(1 - 1/n)**2"),
    latex=r"K \ge 2LA\bigl(1-\tfrac1{LA}\bigr)^2 \implies \Delta \le \tfrac14",
    mutant=Domain.of("n >= 8", "K >= 1", "K >= 19*n*(1 - 1/n)**2/10"),
)

section.step(
    "thm:lowerbound/delta/never",
    "SA/2 is below that threshold on every admissible tree: S/2 < 2L(1 - 1/(LA))^2.",
    says=f"S/2 < 2*{_LEAVES}*(1 - 1/(1 + (A - 1)*(S - 2)))**2",
    domain=Domain.of("S >= 6", "A >= 2", integers="S A"),
    uses="thm:lowerbound/leaf-count",
    latex=r"\tfrac{SA}2 < 2LA\bigl(1-\tfrac1{LA}\bigr)^2",
    mutant=f"S/2 < {_LEAVES}*(1 - 1/(1 + (A - 1)*(S - 2)))**2/2",
)

section.step(
    "thm:lowerbound/pairs",
    "An admissible tree (S >= 6, that is A^d - 1 >= 4 (A - 1)) has LA = A^d >= 8 pairs.",
    says="A**d >= 8",
    domain=Domain.of("A >= 2", "d >= 1", "A**d - 1 >= 4*(A - 1)", integers="A d"),
    uses="assume:LB/tree",
    setting=FULL,
    theorem=lower_tree.PAIRS,
    derivation=lower_tree.admissible,
    latex=r"LA = A^d \ge 8",
    mutant="A**d >= 9",
)

section.repair(
    "thm:lowerbound/leaves/sharp",
    "L >= (4/9) S on every tree with LA = 1 + (A - 1)(S - 2) >= 8.",
    says=f"{_LEAVES} >= 4*S/9",
    domain=("A >= 2", "S >= 6", "(A - 1)*(S - 2) >= 7"),
    uses="thm:lowerbound/leaf-count",
    latex=r"L \ge \tfrac49 S",
    mutant=Domain.of("A >= 2", "S >= 6", "(A - 1)*(S - 2) >= 5"),
)

section.step(
    "thm:lowerbound/kl-chord",
    "With Δ = (1/4) √(SA/K) and K >= SA/2, K kl(1/2, 1/2 + Δ) <= SA ln(2)/4: kl = -ln(1 - x/4)/2 with "
    "x = SA/K <= 2.",
    says="-log(1 - x/4)/2 <= x*log(2)/4",
    domain="0 <= x <= 2",
    symbols={"x": "SA/K"},
    latex=r"K\,\mathrm{kl}(1/2,1/2+\Delta) \le \tfrac{\ln 2}4 SA",
    mutant=Domain.of("0 <= x <= 3"),
)

section.repair(
    "thm:lowerbound/repaired",
    "For every algorithm, every admissible tree and every K >= SA/2, an instance with Δ = (1/4) √(SA/K) "
    "has regret at least (1/7) W √(SAK). (An algorithm takes any action that is known when it decides; "
    "its own randomness is known then.) Put into eq:Rj/repaired: Δ K = √(SAK)/4, and the bracket 1 - 1/n "
    "- (2/3)√(kl K/(2n)) is at least 1 - 1/n - (2/3)√(y ln(2)/8) with n = LA >= 8, y = S/L <= 9/4.",
    says=f"{_BRACKET} >= 1/7",
    domain=("n >= 8", "1 <= y <= 9/4"),
    symbols={"y": "S/L"},
    uses="eq:Rj/repaired thm:lowerbound/kl-chord thm:lowerbound/pairs thm:lowerbound/leaves/sharp "
    "assume:LB/tree",
    setting=FULL,
    theorem=lower_constants.REPAIRED,
    derivation=lower_constants.repaired,
    checks=(best.every_algorithm(Fraction(1, 7)), *PROOF),
    latex=r"\max_j R_j \ge \tfrac17\,\mathbb E[(H-\gamma_d)^+]\sqrt{SAK}",
    mutant=best.every_algorithm(Fraction(1, 5)),
)

section.repair(
    "eq:regret-lowerbound2/repaired",
    "W >= c2 H, which holds if d < (1 - c2) λmax H, turns the bound W √(SAK)/7 of "
    "thm:lowerbound/repaired into (c2/7) H √(SAK); y = √(SAK).",
    says="c*H*y/7 <= W*y/7",
    domain=("H > 0", "0 < c < 1", "y >= 0", "W >= c*H"),
    symbols={"c": "c2", "y": "√(SAK)"},
    uses="thm:lowerbound/repaired thm:lowerbound/erlang",
    setting=FULL,
    theorem=lower_readings.HORIZON,
    derivation=lower_readings.horizon,
    checks=(best.long_horizons(Fraction(1, 7)), *PROOF),
    latex=r"\mathrm{Regret} \ge \tfrac{c_2}7 H\sqrt{SAK}",
    mutant="c*H*y/6 <= W*y/7",
)
