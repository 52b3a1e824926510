r"""What the lower bound says in each reading: self-jumps or none, every K, one instance for all K or not.

**Every** :math:`K`. For :math:`K < SA/2` take :math:`\Delta = \sqrt2/4`: then :math:`kl = \frac{\ln2}2`
and :math:`K/n \le \frac98`, so the bracket of :mod:`proofs_checks.lower_bound.repaired` is what it is at
:math:`K = SA/2`, and :math:`\max_j R_j \ge \frac{\sqrt2}7WK`.

**The printed maximum.** :math:`\Delta = \frac3{10}\sqrt{n/K}` has :math:`\frac Kn kl = -\frac x2\ln(1 -
\frac9{25x})` with :math:`x = K/n > \frac12`, at most :math:`-\frac14\ln\frac7{25}`, and gives the
displayed :math:`\frac1{4\sqrt2}(1-\frac1n)W\sqrt{nK}`, although the printed :math:`\Delta` does not.

**No self-jumps.** Two good states that take turns, and two bad ones, in the place of the absorbing ones
change no value. :math:`S = 4 + (A^d-1)/(A-1)`, :math:`S \le \frac{11}4L`, and the proof gives the
constant 1/8.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks import lower_bound_algorithms as best
from proofs_checks.checks.common import PROOF, REFUTATION, SEARCH
from proofs_checks.checks.lower_bound import turns
from proofs_checks.derivations import gap, lower_constants, lower_readings
from proofs_checks.derivations.lower_setting import FULL, SETTING
from proofs_checks.derivations.setting import PAPER
from verify.claims import Domain, Remark, Section
from verify.provers.computed import Assumed

_LEAVES = "(1/A + (1 - 1/A)*(S - 4))"  # of the tree below the good and the bad states
_FULL = "(A**d - 1)/(A - 1)"

section = Section(checks=PROOF, expected="proved", setting=SETTING, symbols={"n": "LA", "rate": "λmax"})

section.step(
    "assume:LB/children",
    "In the full A-ary tree with d levels each node has exactly A children: counting the children, "
    "which are all nodes but the root, A times the number of nodes is that number less 1.",
    says=f"A*({_FULL}) == {_FULL} - 1",
    domain=Domain.of("A >= 2", "d >= 1", integers="A d"),
    checks=REFUTATION,
    expected="refuted",
    mutant=f"A*((A**(d - 1) - 1)/(A - 1)) == {_FULL} - 1",  # the nodes that are no leaves: true
    finding=Remark(
        "erratum",
        "Every node but the leaves has A children; a finite tree in which every node has one does not exist.",
        details="The number of nodes, (A^d - 1)/(A - 1), is right.",
        repair="assume:LB/tree",
    ),
)

section.cited(
    "thm:lowerbound/ucb1",
    "UCB1 with n arms, rewards in [0, 1] and gap g has regret at most 8 (n - 1) ln K/g + (1 + π²/3)(n "
    "- 1) g.",
    source="P. Auer, N. Cesa-Bianchi and P. Fischer, Finite-time analysis of the multiarmed bandit "
    "problem, 2002",
    checks=Assumed("Theorem 1 of Auer, Cesa-Bianchi and Fischer (2002)"),
    expected="assumed",
)

section.step(
    "thm:lowerbound/one-instance",
    "One instance of the proof serves all K >= SA/2 (the printed order: there is an instance such "
    "that, for all K). Instance A = 3, d = 2, λ = 1, H = 2, Δ = 1/4: the lower bound, W = 4 e^{-2}, "
    "against the upper bound of UCB1 over the nine pairs (rewards divided by H, g = W Δ/H).",
    says="4*exp(-2)*sqrt(18*K)/(12*sqrt(2)) <= 2*(64*log(K)/(exp(-2)/2) + (1 + pi**2/3)*4*exp(-2))",
    domain=Domain.of("K >= 9", integers="K"),
    uses="thm:lowerbound/ucb1",
    checks=SEARCH,
    expected="refuted",
    latex=r"\exists\,\mathcal M\ \forall K \ge SA/2:\ \mathrm{Regret}(\mathcal M, K) \ge c\sqrt{K}",
    mutant=Domain.of("9 <= K <= 10**9", integers="K"),
    finding=Remark(
        "erratum",
        "The instance depends on K through Δ.",
        details="On a fixed instance of the proof UCB1 has logarithmic regret, below the bound for K = "
        "5·10^11; read: for every K there is an instance.",
        repair="thm:lowerbound/repaired",
    ),
)

section.repair(
    "thm:lowerbound/every-K",
    "For every algorithm, every admissible tree and every K >= 1 some instance has regret at least (1/7) "
    "W min{√(SAK), √2 K}, the one with Δ = min{√(SA/K), √2}/4. For K < SA/2: kl = ln(2)/2, x = K/(LA) <= "
    "S/(2L) <= 9/8, and Δ K times the bracket of eq:Rj/repaired is at least (√2/7) K.",
    says="(1 - 1/n - 2*sqrt(x*log(2)/4)/3)/4 >= 1/7",
    domain=("n >= 8", "0 <= x <= 9/8"),
    symbols={"x": "K/(LA)"},
    uses="thm:lowerbound/repaired eq:Rj/repaired thm:lowerbound/pairs thm:lowerbound/leaves/sharp "
    "assume:LB/tree",
    setting=FULL,
    theorem=lower_readings.EVERY_K,
    derivation=lower_readings.every_k,
    checks=(best.few_episodes(Fraction(1, 7)), *PROOF),
    latex=r"\max_j R_j \ge \tfrac17\,\mathbb E[(H-\gamma_d)^+]\min\{\sqrt{SAK},\sqrt2K\}",
    mutant="(1 - 1/n - 2*sqrt(x*log(2)/4)/3)/4 >= 1/6",
)

section.repair(
    "thm:lowerbound/maximum/kl",
    "With Δ = (3/10) √(LA/K) and x = K/(LA) >= 1/2 (K >= SA/2, S >= L), (K/(LA)) kl(1/2, 1/2 + Δ) = "
    "-(x/2) ln(1 - 9/(25x)) is at most -ln(7/25)/4.",
    says="-x*log(1 - 9/(25*x))/2 <= -log(7/25)/4",
    domain="x >= 1/2",
    symbols={"x": "K/(LA)"},
    mutant="-x*log(1 - 9/(25*x))/2 <= -log(7/25)/5",
)

section.repair(
    "thm:lowerbound/maximum/stands",
    "The displayed inequality max_j R_j >= W (1/(4√2)) (1 - 1/(LA)) √(LAK) holds for every K >= SA/2, "
    "with Δ = (3/10) √(LA/K) in eq:Rj/repaired: n = LA.",
    says="3/10*(1 - 1/n - 2/3*sqrt(-log(7/25)/8)) >= (1 - 1/n)/(4*sqrt(2))",
    domain="n >= 8",
    uses="thm:lowerbound/maximum/kl thm:lowerbound/pairs eq:Rj/repaired",
    setting=FULL,
    theorem=lower_readings.STANDS,
    derivation=lower_readings.stands,
    checks=(best.three_tenths(Fraction(1)), *PROOF),
    latex=r"\max_j R_j \ge \tfrac1{4\sqrt2} W \bigl(1-\tfrac1{LA}\bigr)\sqrt{LAK}",
    mutant=best.three_tenths(Fraction(2)),
)

section.repair(
    "thm:lowerbound/turns",
    "Two good states that take turns at rate λmax in the place of the absorbing one, and two bad ones, "
    "are in the class without self-jumps, and no value changes: each good state is worth t, since u = t "
    "solves u(t) = E[t ∧ τ] + E[u((t - τ)^+)] (the formula), each bad one 0, and the root W (1/2 + Δ).",
    says="(1 - exp(-rate*t))/rate + (t - (1 - exp(-rate*t))/rate) == t",
    domain=("rate > 0", "t >= 0"),
    uses="thm:lowerbound/instances/repaired thm:lowerbound/optimal",
    theorem=lower_readings.TURNS,
    derivation=lower_readings.turns,
    checks=(turns(), *PROOF),
    mutant=turns(Fraction(1, 2)),
)

section.repair(
    "thm:lowerbound/turns/leaves",
    "With S = 4 + (A^d - 1)/(A - 1) >= 8 and A >= 3 there are L = 1/A + (1 - 1/A)(S - 4) >= (4/11) S leaves.",
    says=f"{_LEAVES} >= 4*S/11",
    domain=("A >= 3", "S >= 8"),
    latex=r"L \ge \tfrac4{11} S",
    mutant=Domain.of("A >= 2", "S >= 8"),
)

section.repair(
    "thm:lowerbound/turns/binary",
    "For A = 2, S = 4 + 2^d - 1 is at least 11 (d >= 3, as S >= 8), and L = 1/2 + (S - 4)/2 >= (4/11) S.",
    elementary=True,
    says="1/2 + (S - 4)/2 >= 4*S/11",
    domain="S >= 11",
    latex=r"L \ge \tfrac4{11} S",
    mutant=Domain.of("S >= 10"),
)

section.repair(
    "thm:lowerbound/no-self-jumps",
    "Without self-jumps, for A >= 2 and S = 4 + (A^d - 1)/(A - 1) >= 8, every algorithm and every K >= "
    "SA/2, some instance of the class has regret at least (1/8) W √(SAK). The proof of "
    "thm:lowerbound/repaired, with y = S/L <= 11/4.",
    says="(1 - 1/n - 2*sqrt(y*log(2)/8)/3)/4 >= 1/8",
    domain=("n >= 8", "1 <= y <= 11/4"),
    symbols={"y": "S/L"},
    uses="eq:Rj/repaired thm:lowerbound/kl-chord thm:lowerbound/pairs "
    "thm:lowerbound/turns/leaves thm:lowerbound/turns/binary assume:LB/tree",
    setting=FULL,
    theorem=lower_constants.NO_SELF_JUMPS,
    derivation=lower_constants.no_self_jumps,
    checks=(best.every_algorithm(Fraction(1, 8), more=2), *PROOF),
    latex=r"\max_j R_j \ge \tfrac18\,\mathbb E[(H-\gamma_d)^+]\sqrt{SAK}",
    mutant=best.every_algorithm(Fraction(1, 5), more=2),
)

# --- the two bounds together --------------------------------------------------------------------

section.step(
    "sec:result/gap/logarithm",
    "16√(2 + 16l) l/ln(1 + l) + 3 <= 37 l^{3/2} for l = ln(2SAKH) >= 4.9.",
    says="16*sqrt(2 + 16*l)*(l/log(1 + l)) + 3 <= 37*(l*sqrt(l))",
    domain="l >= 49/10",
    mutant="16*sqrt(2 + 16*l)*(l/log(1 + l)) + 3 <= 36*(l*sqrt(l))",
)

section.repair(
    "sec:result/gap/regret",
    "For λmax, H > 1, ε_k = k^(-α) exp(-λmax H), α >= 1/2, δ = 1/(2KH), S >= 6, A >= 2 and K >= SA/2, the "
    "regret of CT-UCBVI is at most (c2/7) H √(SAK) times (259/c2) l^{3/2} λmax² H (H + 1/λmin)(√S + λmax H), "
    "l = ln(2SAKH): eq:regret-b1/repaired, with ln K/ln(ln K + 1) <= l/ln(1 + l).",
    uses="eq:regret-b1/repaired sec:result/gap/logarithm",
    setting=PAPER,
    theorem=gap.GAP,
    derivation=gap.gap,
    latex=r"\mathrm{Regret}(\text{CT-UCBVI}) \le \tfrac{259}{c_2}\ln^{3/2}(2SAKH)\,\lambda_{\max}^2"
    r"H\Bigl(H+\frac1{\lambda_{\min}}\Bigr)(\sqrt S+\lambda_{\max}H)\cdot\tfrac{c_2}7H\sqrt{SAK}",
)

section.claim(
    "sec:result/gap",
    "Upper and lower bound have the same dependence on K and A, up to logarithms. For λmax, H > 1, an "
    "admissible tree with d < (1 - c2) λmax H and K >= SA/2, every algorithm has regret at least (c2/7) H q "
    "on some instance, q = √(SAK), and that of CT-UCBVI is at most x λmax² H² (H + 1/λmin) q (√S + λmax H) "
    "on each, x <= 37 y, y = ln^{3/2}(2SAKH): the ratio of the two bounds is at most (259/c2) y λmax² H (H "
    "+ 1/λmin)(√S + λmax H), in which K and A stand in y only. (It has the factor √S where √S exceeds λmax "
    "H, so that the upper bound is linear in S.)",
    says="x*r**2*H**2*(H + 1/m)*q*(sqrt(S) + r*H) <= (259/c*y*r**2*H*(H + 1/m)*(sqrt(S) + r*H))*(c*H*q/7)",
    domain=("r > 1", "H > 1", "m > 0", "S >= 6", "0 < c < 1", "q >= 0", "x >= 0", "y >= 0", "x <= 37*y"),
    symbols={"r": "λmax", "m": "λmin", "c": "c2"},
    uses="sec:result/gap/regret eq:regret-lowerbound2/repaired",
    mutant="x*r**2*H**2*(H + 1/m)*q*(sqrt(S) + r*H) <= (258/c*y*r**2*H*(H + 1/m)*(sqrt(S) + r*H))*(c*H*q/7)",
)
