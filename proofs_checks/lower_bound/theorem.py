r"""``thm:lowerbound`` as printed: its instances, the steps of its proof, and its constants.

The proof hides a pair :math:`j` among the :math:`n = LA = A^d` pairs of a leaf and an action of a tree
with :math:`S = 2 + (A^d-1)/(A-1)` states; :math:`W = E[(H-\gamma_d)^+]`, and a history is what an
algorithm sees. Two steps of it fail. The reward of an episode is no product, because the action taken in
a leaf may depend on the remaining time; and the :math:`\Delta` that it picks is above :math:`1/4` for
:math:`K` near :math:`SA/2`, on every tree. :mod:`proofs_checks.lower_bound.repaired` has a proof of the
same statement.

``x`` stands for :math:`\Delta` and ``n`` for :math:`LA`. A chain runs on after :math:`H`, with the policy
at remaining time 0, as in the paper's definition of :math:`a_n = \pi(x_n, (H-t_n)^+)`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks import lower_bound as checks
from proofs_checks.checks import lower_bound_algorithms as best
from proofs_checks.checks.common import PROOF, SEARCH
from proofs_checks.derivations import (
    lower_bound,
    lower_erlang,
    lower_printed,
    lower_readings,
    lower_tree,
    lower_values,
)
from proofs_checks.derivations.lower_setting import FULL, SETTING
from verify.claims import Domain, Remark, Section
from verify.provers.proof import Proof

_STATES = "2 + (A**d - 1)/(A - 1)"
_DELTA = "(1 - 1/n)*sqrt(n/K)/(2*sqrt(2))"
_TREE_DELTA = "(1 - 1/A**d)*sqrt(A**d/K)/(2*sqrt(2))"
_BOUND = "K*({0})*(1 - (1 + sqrt(2)*({0})*sqrt(n*K))/n)"
_COIN = "-log(1 + 2*{0})/2 - log(1 - 2*{0})/2"  # kl(1/2, 1/2 + Δ)
_LEAVES = "(1/A + (1 - 1/A)*(S - 2))"
_TREES = Domain.of("A >= 2", "d >= 1", "K >= 1", f"{_STATES} >= 6", f"K >= A*({_STATES})/2", integers="A d K")
_SIZES = Domain.of("S >= 6", "A >= 2", integers="S A")
_PAIRS = Domain.of("n >= 8", "K >= 9*n/8", integers="n K")  # LA >= 8, and K >= SA/2 as S <= 9L/4
_POINT = Domain.of("rho > 0", "u > 0", "v > 0", "0 <= z <= 1")


# One outcome's share of the data-processing inequality: ``Σ_{outcomes} P_j(...)`` of it is the claim.
_POINTWISE = "rho*log(rho) >= rho*(z*log(u) + (1 - z)*log(v)) + rho - (z*u + (1 - z)*v)"

section = Section(
    checks=PROOF,
    expected="proved",
    setting=SETTING,
    symbols={"x": "Δ", "n": "LA", "rho": "ρ", "rate": "λmax"},
)

section.repair(
    "assume:LB/levels",
    "A tree with d levels that is full above its L leaves (every node there but the root is the child of one "
    "node, by one action) has A^i nodes at depth i < d - 1, so S is L, 1 + A + … + A^(d-2) and the number of "
    "states below the leaves.",
    theorem=lower_tree.LEVELS,
    derivation=lower_tree.levels,
)

section.step(
    "assume:LB/tree",
    "The full A-ary tree with d levels has A^i nodes at depth i, (A^d - 1)/(A - 1) = S - 2 in all (S - 4 "
    "with two more states below the leaves), and A^d pairs of a leaf and an action: one level has 1 node, "
    "and a root with A trees of d levels has 1 + A (A^d - 1)/(A - 1). (Every node but the leaves has A "
    "children.)",
    says="(A**(d + 1) - 1)/(A - 1) == 1 + A*((A**d - 1)/(A - 1))",
    domain=Domain.of("A >= 2", "d >= 1", integers="A d"),
    uses="assume:LB/levels",
    setting=FULL,
    theorem=lower_tree.TREE,
    derivation=lower_tree.tree,
    checks=(checks.nodes(), *PROOF),
    latex=r"\sum_{i=0}^{d-1} A^i = \frac{A^d-1}{A-1} = S - 2",
    mutant=checks.nodes(1),
)

section.step(
    "thm:lowerbound/instances",
    "The instances belong to the class also if self-jumps are excluded, as the definition of the rates "
    "q does: the rate at which the good and the bad state are left, absorbing as they are, lies in "
    "[λmin, λmax] with λmin > 0. (If self-jumps are allowed they do: thm:lowerbound/instances/repaired.)",
    checks=checks.rates(self_jumps=False),
    expected="refuted",
    latex=r"\mathcal M_j \in \mathcal C",
    mutant=checks.rates(self_jumps=True),
    finding=Remark(
        "erratum",
        "Either self-jumps are allowed, and the absorbing states are in the class as states that jump to "
        "themselves at rate λmax, with the same values.",
        details="Or they are excluded, as eq:M has it; then a state with a rate of at least λmin > 0 is "
        "left. Two good states that take turns, and two bad ones, do instead: S = 4 + (A^d - 1)/(A - 1) and "
        "the constant 1/8.",
        repair="thm:lowerbound/no-self-jumps",
    ),
)

section.step(
    "thm:lowerbound/optimal",
    "The optimal value of instance j is W (1/2 + Δ): an episode earns what remains after the jump from "
    "the leaf, if that is good, which has probability at most 1/2 + Δ; the actions that lead to the pair "
    "j earn that much. (V* is the limit of value iteration in the instance.)",
    theorem=lower_bound.OPTIMAL,
    derivation=lower_values.optimal,
    checks=checks.optimal(),
    latex=r"V^*(x_0,H) = \mathbb E[(H-\gamma_d)^+]\,(1/2+\Delta)",
    mutant=checks.optimal(Fraction(2)),
)

section.step(
    "thm:lowerbound/erlang-value",
    "E(t - γ_h)^+ = t P(N >= h) - (h/λ) P(N >= h+1), N Poisson(λt). With z = λt, p = P(N >= h), w = "
    "P(N = h) the closed form e_h satisfies e_{h+1}' + λ e_{h+1} = λ e_h, e_h' = P(N >= h), e_h(0) = "
    "0 and e_0 = t, as does the expectation; the formula is this equation.",
    says="(p - w) + z*(p - w) - (h + 1)*(p - w - w*z/(h + 1)) == z*p - h*(p - w)",
    domain=Domain.of("h >= 0", "z >= 0", "0 <= p <= 1", "0 <= w <= 1", integers="h"),
    symbols={"z": "λt", "p": "P(N >= h)", "w": "P(N = h)"},
    theorem=lower_erlang.ERLANG_VALUE,
    derivation=lower_erlang.erlang_value,
    checks=(checks.erlang(), *PROOF),
    latex=r"\mathbb E[(t-\gamma_h)^+] = t\,P(N\ge h) - \tfrac h\lambda P(N\ge h+1)",
    mutant=checks.erlang(shift=1),
)

section.step(
    "thm:lowerbound/reward",
    "In instance j the expected reward of an episode is W P(x_d = s_g) = W (1/2 + Δ P(pair j is "
    "visited)), for every policy.",
    uses="thm:lowerbound/erlang-value",
    checks=checks.reward(biased=False),
    expected="refuted",
    latex=r"\mathbb E_j[(H-\gamma_d)^+ 1_{x_d=s_g}] = "
    r"\mathbb E[(H-\gamma_d)^+]\,\mathbb E_j[1_{x_d=s_g}]",
    mutant=checks.reward(biased=True),
    finding=Remark(
        "proof",
        "A policy may look at the remaining time, so the reward (H - γ_d)^+ and the choice of the pair are "
        "not independent.",
        details="A = 3, d = 2, λ = 1, H = 2: taking pair j only if the leaf is entered by time 1 earns W/2 "
        "+ Δ (e^-1 + e^-2) = W/2 + 0.503 Δ, and the printed product is W/2 + Δ 4 e^-2 (1 - e^-1) = W/2 + "
        "0.342 Δ.",
        repair="thm:lowerbound/reward/repaired",
    ),
)

section.step(
    "eq:Rj",
    "The average over j of the regret R_j of an algorithm is K W Δ (1 - Σ_j E_j T_j/(K L A)), T_j the "
    "number of episodes that visit pair j.",
    uses="thm:lowerbound/optimal thm:lowerbound/reward",
    checks=checks.average_regret(biased=False),
    expected="refuted",
    latex=r"\frac1{LA}\sum_j R_j = KW\Delta\Bigl(1-\frac1{KLA}\sum_j \mathbb E_j T_j\Bigr)",
    mutant=checks.average_regret(biased=True),
    finding=Remark(
        "proof",
        "Rests on the product, and overstates the regret of algorithms that use the remaining "
        "time (A = 3, d = 2, two episodes: by 0.00066).",
        repair="eq:Rj/repaired",
    ),
)

section.step(
    "thm:lowerbound/data-processing",
    "kl(E_0 Z, E_j Z) <= KL(P_0, P_j) for Z in [0, 1], the log-likelihood bounded (as that of finitely "
    "many seen jumps is). With ρ = dP_0/dP_j, u = E_0 Z/E_j Z and v = (1 - E_0 Z)/(1 - E_j Z), "
    "integrating the formula at z = Z over P_j gives it, since E_j[u Z + v (1 - Z)] = 1.",
    says=_POINTWISE,
    domain=_POINT,
    theorem=lower_printed.DATA_PROCESSING,
    derivation=lower_printed.data_processing,
    checks=(checks.processed(), *PROOF),  # the box prover would only repeat the proof
    latex=r"\mathrm{kl}(\mathbb E_0 Z, \mathbb E_j Z) \le \mathrm{KL}(\mathbb P_0,\mathbb P_j)",
    mutant=checks.processed(Fraction(1, 2)),
)

section.step(
    "thm:lowerbound/pinsker",
    "Pinsker's inequality for two coins: 2 (p - q)^2 <= kl(p, q).",
    says="2*(p - q)**2 <= p*log(p/q) + (1 - p)*log((1 - p)/(1 - q))",
    domain=("0 < p < 1", "0 < q < 1"),
    latex=r"2(p-q)^2 \le \mathrm{kl}(p,q)",
    mutant="21*(p - q)**2/10 <= p*log(p/q) + (1 - p)*log((1 - p)/(1 - q))",
)

section.step(
    "thm:lowerbound/divergence",
    "KL(P_0, P_j) = E_0[T_j] kl(1/2, 1/2 + Δ) for chains that run on after H. By induction over "
    "episodes: a history with P_0-probability p, log-ratio l and a visit to j with conditional "
    "probability s adds p s kl.",
    says="p*s/2*(l - log(1 + 2*x)) + p*s/2*(l - log(1 - 2*x)) + p*(1 - s)*l == "
    "p*l + p*s*(-log(1 + 2*x)/2 - log(1 - 2*x)/2)",
    domain=Domain.of("0 <= p <= 1", "0 <= s <= 1", "0 <= x < 1/2", reals="l"),
    symbols={"p": "the P_0-probability of a history", "l": "its log-ratio"},
    theorem=lower_printed.RUN_ON,
    derivation=lower_printed.run_on,
    checks=(checks.divergence(biased=False), *PROOF),
    latex=r"\mathrm{KL}(\mathbb P_0,\mathbb P_j) = \mathbb E_0[T_j]\,\mathrm{kl}(1/2,1/2+\Delta)",
    mutant=checks.divergence(biased=False, factor=2),
)

section.step(
    "thm:lowerbound/divergence/observed",
    "The same equality for the laws of what is seen in [0, H], T_j counting the visits in [0, H].",
    checks=checks.observed_divergence(all_visits=True),
    expected="refuted",
    latex=r"\mathrm{KL}(\mathbb P_0,\mathbb P_j) = \mathbb E_0[T_j]\,\mathrm{kl}(1/2,1/2+\Delta)",
    mutant=checks.observed_divergence(all_visits=False),
    finding=Remark(
        "erratum",
        "If T_j counts visits in [0, H] and the data end at H, equality fails, since a visit "
        "need not be left before H; the inequality that the proof needs holds, and equality does for "
        "chains that run on.",
        repair="thm:lowerbound/divergence/repaired",
    ),
)

section.step(
    "thm:lowerbound/kl",
    "kl(1/2, 1/2 + Δ) <= 4 Δ^2 for 0 <= Δ <= 1/4.",
    says=f"{_COIN.format('x')} <= 4*x**2",
    domain="0 <= x <= 1/4",
    latex=r"\mathrm{kl}(1/2,1/2+\Delta) \le 4\Delta^2",
    mutant=Domain.of("0 <= x <= 9/20"),
)

section.step(
    "thm:lowerbound/visits",
    "E_j T_j/K <= E_0 T_j/K + √2 Δ √(E_0 T_j) for Δ <= 1/4: with Z = T_j/K in [0, 1], its means in (0, 1), "
    "and the divergence KL(P_0, P_j) = E_0(-l) = u kl(1/2, 1/2 + Δ), u = E_0 T_j "
    "(thm:lowerbound/divergence), E_j Z <= E_0 Z + √2 Δ √u by data processing, Pinsker and kl(1/2, 1/2 + "
    "Δ) <= 4Δ².",
    uses="thm:lowerbound/data-processing thm:lowerbound/pinsker thm:lowerbound/kl",
    theorem=lower_printed.VISITED,
    derivation=lower_printed.visited,
    latex=r"\tfrac1K\mathbb E_jT_j \le \tfrac1K\mathbb E_0T_j + \sqrt2\,\Delta\sqrt{\mathbb E_0T_j}",
)

section.step(
    "eq:sumTj",
    "(1/K) Σ_j E_j T_j <= 1 + √2 Δ √(LAK) for Δ <= 1/4, T_j the number of times that pair j is decided in "
    "the K episodes, up to any decision, and E_j the mean for what is seen in them in instance j. (Its "
    "last step, Cauchy–Schwarz: with y = E_0 T_j and c = √(K/(LA)), the sum over j of the formula is Σ_j "
    "√(E_0 T_j) <= √(LAK), as Σ_j E_0 T_j <= K.)",
    says="sqrt(y) <= y/(2*c) + c/2",
    domain=("y >= 0", "c > 0"),
    symbols={"y": "E_0 T_j", "c": "√(K/(LA))"},
    uses="thm:lowerbound/divergence/repaired thm:lowerbound/kl thm:lowerbound/seen",
    theorem=lower_printed.OWN_VISITS,
    derivation=lower_printed.own_visits,
    checks=(checks.sum_of_visits(biased=False), *PROOF),
    latex=r"\frac1K\sum_j \mathbb E_j T_j \le 1 + \sqrt2\,\Delta\sqrt{LAK}",
    mutant="sqrt(y) <= y/(2*c) + c/3",
)

section.step(
    "thm:lowerbound/maximiser",
    "K Δ (1 - (1 + √2 Δ √(LAK))/(LA)) is largest at Δ = (1/(2√2)) (1 - 1/(LA)) √(LA/K).",
    says=f"{_BOUND.format('x')} <= {_BOUND.format(_DELTA)}",
    domain=("x >= 0", "n >= 8", "K >= 1"),
    latex=r"\Delta = \tfrac1{2\sqrt2}\bigl(1-\tfrac1{LA}\bigr)\sqrt{LA/K}",
    mutant=f"{_BOUND.format('x')} <= {_BOUND.format('sqrt(n/K)/(2*sqrt(2))')}",
)

section.step(
    "thm:lowerbound/maximum",
    "At that Δ the lower bound is W (1/(4√2)) (1 - 1/(LA)) √(LAK), for K >= 9LA/8 >= SA/2.",
    says=f"{_BOUND.format(_DELTA)} == (1 - 1/n)*sqrt(n*K)/(4*sqrt(2))",
    domain=_PAIRS,
    uses="thm:lowerbound/maximiser",
    expected="refuted",
    latex=r"\max_j R_j \ge \tfrac1{4\sqrt2} W \bigl(1-\tfrac1{LA}\bigr)\sqrt{LAK}",
    mutant=f"{_BOUND.format(_DELTA)} == (1 - 1/n)**2*sqrt(n*K)/(4*sqrt(2))",
    finding=Remark(
        "constant",
        "At the printed Δ the bound has the square of 1 - 1/(LA).",
        details="The displayed inequality for max_j R_j holds all the same, for every K >= SA/2, with Δ = "
        "(3/10)√(LA/K) and the repaired sum of visits.",
        repair="thm:lowerbound/maximum/stands",
    ),
)

section.step(
    "thm:lowerbound/delta",
    "That Δ is at most 1/4 for every admissible tree (S >= 6) and every K >= SA/2.",
    says=f"{_TREE_DELTA} <= 1/4",
    domain=_TREES,
    symbols={"d": "the number of levels"},
    checks=(Proof(), checks.largest_gap(repaired=False)),
    expected="refuted",
    latex=r"\tfrac1{2\sqrt2}\bigl(1-\tfrac1{LA}\bigr)\sqrt{LA/K} \le 1/4",
    mutant=checks.largest_gap(repaired=True),
    finding=Remark(
        "proof",
        "Δ <= 1/4 needs K >= 2LA(1 - 1/(LA))^2, which exceeds SA/2 on every admissible tree.",
        details="A = 3, d = 2, S = 6, K = 9 = SA/2: Δ = 0.314.",
        repair="thm:lowerbound/delta/repaired",
    ),
)

section.step(
    "thm:lowerbound/kl-at-delta",
    "At that Δ, for trees of two levels (L = A, S = A + 3) and K >= SA/2, kl(1/2, 1/2 + Δ) <= 4 Δ^2 "
    "all the same (4 Δ^2 = (1 - 1/A^2)^2 A^2/(2K)).",
    says="-log(1 - (1 - 1/A**2)**2*A**2/(2*K))/2 <= (1 - 1/A**2)**2*A**2/(2*K)",
    domain=Domain.of("A >= 3", "K >= 9", "K >= A*(A + 3)/2", integers="A K"),
    checks=SEARCH,
    expected="refuted",
    latex=r"\mathrm{kl}(1/2,1/2+\Delta) \le 4\Delta^2",
    mutant=Domain.of("A >= 3", "K >= 9", "K >= 7*A*(A + 3)/10", integers="A K"),
    finding=Remark(
        "proof",
        "For wide trees it is not only the bound 1/4 that fails but the inequality it serves: "
        "A = 14, d = 2, S = 17, K = 119 = SA/2 gives Δ = 0.451 and kl = 0.844 > 0.815 = 4 Δ^2 (kl <= 4 Δ^2 "
        "ends at Δ = 0.446).",
        repair="thm:lowerbound/repaired",
    ),
)

section.step(
    "thm:lowerbound/leaves",
    "L = 1/A + (1 - 1/A)(S - 2) is at least S/4 for S >= 6, A >= 2.",
    says=f"{_LEAVES} >= S/4",
    domain=_SIZES,
    uses="assume:LB/tree thm:lowerbound/leaf-count",
    latex=r"L = \tfrac1A + (1-\tfrac1A)(S-2) \ge S/4",
    mutant=f"{_LEAVES} >= S/2",
)

section.step(
    "thm:lowerbound/leaf-count",
    "The number of leaves, A^(d-1), is 1/A + (1 - 1/A)(S - 2).",
    says="1/A + (1 - 1/A)*((A**d - 1)/(A - 1)) == A**(d - 1)",
    domain=Domain.of("A >= 2", "d >= 1", integers="A d"),
    latex=r"L = A^{d-1} = \tfrac1A + (1-\tfrac1A)(S-2)",
    mutant="1/A + (1 - 1/A)*((A**d - 1)/(A - 1)) == A**d",
)

section.step(
    "thm:lowerbound/constant",
    "(1/(4√2)) (1 - 1/(LA)) √(LAK) >= √(SAK)/(12√2); both sides divided by √(AK)/(12√2) and squared, "
    "with LA = 1 + (A - 1)(S - 2).",
    says=f"9*(1 - 1/(1 + (A - 1)*(S - 2)))**2*{_LEAVES} >= S",
    domain=_SIZES,
    uses="thm:lowerbound/leaf-count",
    latex=r"\tfrac1{4\sqrt2}\bigl(1-\tfrac1{LA}\bigr)\sqrt{LAK} \ge \tfrac1{12\sqrt2}\sqrt{SAK}",
    mutant=f"9*(1 - 1/(1 + (A - 1)*(S - 2)))**2*{_LEAVES} >= 3*S",
)

section.step(
    "thm:lowerbound/erlang",
    "E(t - γ_h)^+ >= t - h/λmax for all h and t; so W >= H - d/λmax >= c2 H if d < (1 - c2) λmax H; the "
    "formula is the last step.",
    says="H - d/rate >= c*H",
    domain=("H > 0", "d >= 1", "rate > 0", "0 < c < 1", "d < (1 - c)*rate*H"),
    symbols={"c": "c2"},
    theorem=lower_readings.ERLANG,
    derivation=lower_readings.erlang,
    checks=(checks.long_enough(), *PROOF),
    latex=r"\mathbb E[(H-\gamma_d)^+] \ge c_2 H",
    mutant=checks.long_enough(Fraction(6, 5)),
)

section.claim(
    "thm:lowerbound",
    "For every algorithm, randomised ones included, and every K >= SA/2 there is an instance in the "
    "class (its absorbing states written with self-jumps) with regret at least W √(SAK)/(12√2). The "
    "printed proof fails; the repaired one gives 1/7, and the formula is 1/(12√2) <= 1/7.",
    says="1/(12*sqrt(2)) <= 1/7",
    uses="thm:lowerbound/repaired",
    setting=FULL,
    theorem=lower_readings.PRINTED,
    derivation=lower_readings.printed,
    checks=(best.every_algorithm(Fraction(1, 16)), *PROOF),
    latex=r"\mathrm{Regret} \ge \tfrac1{12\sqrt2}\,\mathbb E[(H-\gamma_d)^+]\sqrt{SAK}",
    mutant="1/(4*sqrt(2)) <= 1/7",
    finding=Remark(
        "proof",
        "The statement stands, with the constant 1/7 for 1/(12√2) = 1/16.97, and for every K >= 1 with "
        "min{√(SAK), √2 K} in the place of √(SAK) (thm:lowerbound/every-K). For every S >= 6, as the paper "
        "says it could be, it stands with the constant 1/11 (thm:lowerbound/every-size).",
        details="The printed proof does not do: the reward of an episode is no product where a policy looks "
        "at the time (thm:lowerbound/reward), and its Δ exceeds 1/4 for K near SA/2 on every tree "
        "(thm:lowerbound/delta). The repair biases the holding times of one episode.",
        repair="thm:lowerbound/repaired",
    ),
)

section.claim(
    "eq:regret-lowerbound2",
    "W >= c2 H, which holds if d < (1 - c2) λmax H, turns the bound W √(SAK)/(12√2) of thm:lowerbound "
    "into (c2/(12√2)) H √(SAK); y = √(SAK).",
    says="c*H*y/(12*sqrt(2)) <= W*y/(12*sqrt(2))",
    domain=("H > 0", "0 < c < 1", "y >= 0", "W >= c*H"),
    symbols={"c": "c2", "y": "√(SAK)"},
    uses="thm:lowerbound thm:lowerbound/erlang",
    setting=FULL,
    theorem=lower_readings.PRINTED_HORIZON,
    derivation=lower_readings.printed_horizon,
    checks=(best.long_horizons(Fraction(1, 16)), *PROOF),
    latex=r"\mathrm{Regret} \ge \tfrac{c_2}{12\sqrt2}\,H\sqrt{SAK}",
    mutant="c*H*y/(11*sqrt(2)) <= W*y/(12*sqrt(2))",
)
