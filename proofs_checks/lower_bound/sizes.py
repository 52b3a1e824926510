r"""The lower bound for every :math:`S \ge 6` and :math:`A \ge 2`: trees whose last level is partly filled.

The paper asks for :math:`S = 2 + (A^d-1)/(A-1)` and says that this can be relaxed. Let :math:`f_k = 1 + A +
\dots + A^{k-1}`, and :math:`d` be the largest number with :math:`S - 2 \ge f_{d-1} + A^{d-2}` (the paper's
:math:`d` where there is one). The tree is full down to its :math:`A^{d-2}` nodes of height 2, and has
:math:`L = \min\{A^{d-1}, S - 2 - f_{d-1}\}` leaves, all on one level: leaf :math:`i` is a child of node
:math:`i \bmod A^{d-2}`, and where a node has fewer than :math:`A` children, several of its actions lead to
one of them. If states are left over, then :math:`L = A^{d-1}`; nothing leads to these. An episode still takes
:math:`d` jumps to the good or the bad state, whatever is chosen, so that only the number of pairs changes:
nothing before the constants (:mod:`proofs_checks.lower_bound.repaired`) asks for a full last level.

As :math:`f_{d-1} \le 2A^{d-2} - 1`, :math:`S \le 3L + 1`. So :math:`S \le \frac72L` and :math:`LA \ge 4` for
:math:`S \ge 6`, and the proof gives the constant 1/11, still above :math:`1/(12\sqrt2)`. (:math:`S = 7`,
:math:`A = 2` is the worst case.)
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks import lower_bound_sizes as checks
from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import lower_constants, lower_readings, lower_tree
from proofs_checks.derivations.lower_setting import SIZES
from verify.claims import Remark, Section

section = Section(checks=PROOF, expected="proved", setting=SIZES, symbols={"n": "LA", "rate": "λmax"})

section.claim(
    "assume:LB/relaxed",
    "The assumption on S can be relaxed to S >= 6: a tree with d levels, full above its L leaves, A^(d-2) = "
    "P <= L <= AP, where states are left over only if L = AP, and fewer than L, has S <= 3L + 1 states, and "
    "2 + f + P <= S < 2 + f + 2AP, f = 1 + A + … + P. (Every S >= 4 lies in one of these intervals, and has "
    "such a tree, with that d.) The formula is f <= 2P - 1.",
    says="(A*P - 1)/(A - 1) <= 2*P - 1",
    domain=("A >= 2", "P >= 1"),
    symbols={"P": "A^(d-2)"},
    uses="assume:LB/levels",
    theorem=lower_tree.SIZE,
    derivation=lower_tree.sizes,
    checks=(checks.sizes(), *PROOF),
    latex=r"S \le 3L + 1",
    mutant="(A*P - 1)/(A - 1) <= 2*P - 2",
)

section.repair(
    "assume:LB/sparse",
    "The assumption leaves out most numbers of states: after S = 2 + (A^d - 1)/(A - 1) the next one that it "
    "allows is larger by P = A^d (for A = 2: 9, 17, 33, ..., and not 6, 7, 8 nor 10).",
    says="2 + (A*P - 1)/(A - 1) - (2 + (P - 1)/(A - 1)) == P",
    domain=("A >= 2", "P >= 1"),
    symbols={"P": "A^d"},
    elementary=True,
    mutant="2 + (A*P - 1)/(A - 1) - (2 + (P - 1)/(A - 1)) == P - 1",
    finding=Remark(
        "remark",
        "The lower bound is stated for few numbers of states only, and that the assumption can be relaxed "
        "is said with a citation for discrete time.",
        details="It can: for every S >= 6 with the constant 1/11 (thm:lowerbound/every-size).",
        repair="thm:lowerbound/every-size",
    ),
)

section.repair(
    "thm:lowerbound/every-size",
    "For every algorithm, all S >= 6 and A >= 2 and every K >= SA/2, an instance on the tree of "
    "assume:LB/relaxed with Δ = (1/4) √(SA/K) has regret at least (1/11) W √(SAK), W = E(H - γ_d)^+ with its "
    "d. The proof of thm:lowerbound/repaired, with n = LA >= 4 and y = S/L <= 7/2.",
    says="(1 - 1/n - 2*sqrt(y*log(2)/8)/3)/4 >= 1/11",
    domain=("n >= 4", "1 <= y <= 7/2"),
    symbols={"y": "S/L"},
    uses="eq:Rj/repaired thm:lowerbound/kl-chord assume:LB/relaxed",
    theorem=lower_constants.EVERY_SIZE,
    derivation=lower_constants.every_size,
    checks=(checks.every_algorithm(Fraction(1, 11)), *PROOF),
    latex=r"\max_j R_j \ge \tfrac1{11}\,\mathbb E[(H-\gamma_d)^+]\sqrt{SAK}",
    mutant=checks.every_algorithm(Fraction(1, 4)),
)

section.repair(
    "thm:lowerbound/every-size/every-K",
    "For every algorithm, all S >= 6 and A >= 2 and every K >= 1 some instance has regret at least (1/11) W "
    "min{√(SAK), √2 K}, the one with Δ = min{√(SA/K), √2}/4: thm:lowerbound/every-K, with n = LA >= 4 and x "
    "= K/(LA) <= S/(2L) <= 7/4.",
    says="(1 - 1/n - 2*sqrt(x*log(2)/4)/3)/4 >= 1/11",
    domain=("n >= 4", "0 <= x <= 7/4"),
    symbols={"x": "K/(LA)"},
    uses="thm:lowerbound/every-size eq:Rj/repaired assume:LB/relaxed",
    theorem=lower_readings.EVERY_SIZE_AND_K,
    derivation=lower_readings.every_size_and_k,
    latex=r"\max_j R_j \ge \tfrac1{11}\,\mathbb E[(H-\gamma_d)^+]\min\{\sqrt{SAK},\sqrt2K\}",
    mutant="(1 - 1/n - 2*sqrt(x*log(2)/4)/3)/4 >= 1/10",
)

section.repair(
    "eq:regret-lowerbound2/every-size",
    "W >= c2 H, which holds if d < (1 - c2) λmax H, turns the bound of thm:lowerbound/every-size into "
    "(c2/11) H √(SAK); y = √(SAK).",
    says="c*H*y/11 <= W*y/11",
    domain=("H > 0", "0 < c < 1", "y >= 0", "W >= c*H"),
    symbols={"c": "c2", "y": "√(SAK)"},
    uses="thm:lowerbound/every-size thm:lowerbound/erlang",
    theorem=lower_readings.HORIZON_OF_ANY_SIZE,
    derivation=lower_readings.horizon_of_any_size,
    latex=r"\mathrm{Regret} \ge \tfrac{c_2}{11} H\sqrt{SAK}",
    mutant="c*H*y/10 <= W*y/11",
)
