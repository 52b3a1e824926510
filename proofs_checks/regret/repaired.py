r"""``thm:CT-UCB`` with every step in place, for :math:`SAH \ge 1`.

Domain: :math:`SAH \ge 1`, any :math:`K \ge 1`, any :math:`0 < \lambda_{\min} \le \lambda_{\max}`;
:math:`\delta = 1/(2KH)`.  Write :math:`v = \lambda_{\max}H`.

* :math:`KH \le 1/2` (then :math:`\delta` is not admissible): the regret is at most :math:`KH < 1`.
* *Few episodes*, :math:`K \le 22S^2A(v+1)^2`: the bound exceeds :math:`KH`, which no regret does.  For
  :math:`CH + 1 \ge 2`, :math:`(H+1/\lambda_{\min})D \ge H(v+1)` and the first root is at least
  :math:`\sqrt{2S\ln2}`, so the bound is at least :math:`4\sqrt{2\ln2}\,S\sqrt{AK}H(v+1)`.
* *Many episodes*: the conditions of ``eq:G/repaired`` hold, so :math:`P(\mathcal G^c) \le 2\delta`; then
  ``eq:r1``, ``eq:r2`` and the propositions give the bound.

So the conditions under which the confidence sets are right (:math:`\lambda_{\max}` not exponential in
:math:`K`, not faster than :math:`K`, ...) disappear: where one fails the bound is trivial.

For :math:`SAH < 1`, and for the constants that the bound really has, see
:mod:`proofs_checks.regret.every_horizon`.  With those, from :math:`K = 101` on, the main term is less than
half of the printed one (``thm:CT-UCB/half``).
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import bound, half_bound
from proofs_checks.derivations import theorem as derived
from proofs_checks.derivations.setting import ANY, LEARNS, PAPER
from verify.claims import Domain, Section

section = Section(checks=PROOF, expected="proved", setting=PAPER, symbols={"v": "λmax H", "k": "ln K"})

# --- short horizons and few episodes: the bound is trivial ------------------------------------

section.repair(
    "thm:CT-UCB/bonus-factor",
    "CH + 1 >= 2, since CH >= v/(1 - exp(-v)) >= 1 with v = λmax H.",
    says="v/(1 - exp(-v)) >= 1",
    domain="v > 0",
    mutant="v/(1 - exp(-v)) >= 11/10",
)

section.repair(
    "thm:CT-UCB/log-factor",
    "ln K/ln(ln K + 1) >= 1 for K >= 2; with k = ln K.",
    says="log(1 + k) <= k",
    domain="k > 0",
    mutant="log(1 + k) <= 9/10*k",
)

section.repair(
    "thm:CT-UCB/first-root",
    "2S ln 2 + 2 ln(2SAK³H²) >= 2S ln 2 for x = SAH >= 1 and y = KH > 1/2: 2SAK³H² = 2xyK². (The printed "
    "radicand is larger still.)",
    says="2*(S*log(2) + log(2*x*y*K**2)) >= 2*S*log(2)",
    domain=Domain.of("S >= 1", "x >= 1", "y > 1/2", "K >= 1", integers="S K"),
    symbols={"x": "SAH", "y": "KH"},
    uses="thm:CT-UCB/jump-constant/repaired",
    mutant=Domain.of("S >= 1", "x >= 1/10", "y > 1/2", "K >= 1", integers="S K"),
)

# --- many episodes: the confidence sets are right ---------------------------------------------

section.repair(
    "thm:CT-UCB/rate-and-episodes",
    "88 vSA <= 22 S²A(v + 1)². (SAH >= 1 gives λmax = v/H <= vSA, so that 88 λmax <= K for many episodes.)",
    says="88*v*S*A <= 22*S**2*A*(v + 1)**2",
    domain=Domain.of("S >= 1", "A >= 1", "v > 0", integers="S A"),
    mutant="89*v*S*A <= 22*S**2*A*(v + 1)**2",
)

section.repair(
    "thm:CT-UCB/peels",
    "K(K - 1) <= 25^K. (For many episodes v <= K, so that λmax(K - 1)H = v(K - 1) <= 25^K L(δ).)",
    says="K*(K - 1) <= 25**K",
    domain=Domain.of("K >= 1", integers="K"),
    uses="thm:CT-UCB/rate-and-episodes thm:CT-UCB/L/repaired",
    mutant="K*(K - 1) <= 6/5**K",
)

section.repair(
    "thm:CT-UCB/no-data",
    "2^S SAHK² >= √e δ for δ = 1/(2KH), x = SAH >= 1, y = KH > 1/2: 2^S·2xyK² >= √e.",
    says="2**S*2*x*y*K**2 >= exp(1/2)",
    domain=Domain.of("S >= 1", "x >= 1", "y > 1/2", "K >= 1", integers="S K"),
    symbols={"x": "SAH", "y": "KH"},
    mutant=Domain.of("S >= 1", "x > 0", "y > 0", "K >= 1", integers="S K"),
)

section.repair(
    "thm:CT-UCB/tail",
    "HK² >= ln(2^(S-1)/δ) for many episodes (K >= 22S), δ = 1/(2KH), y = KH > 1/2.",
    says="(S - 1)*log(2) + log(2*y) <= K*y",
    domain=Domain.of("S >= 1", "y > 1/2", "K >= 1", "22*S <= K", integers="S K"),
    symbols={"y": "KH"},
    mutant=Domain.of("S >= 1", "y > 1/2", "K >= 1", "S <= 22*K", integers="S K"),
)

# --- the theorem ------------------------------------------------------------------------------

section.repair(
    "thm:CT-UCB/main/any-learner",
    "Let a learner be as in eq:r2/any-learner, for the event that the estimates were right whenever an "
    "episode began, let P(𝒢^c) <= q, and a² = 2S ln 2 + 2 ln(SAHK²/δ) >= 0. Then the regret is at most ((H "
    "+ 1/λmin)c + w)√(SAK) D (2a + (7/3) λmax H √(2L)) + e Σ ε_k λmax H + qKH, with D = (λmax H + 1) ln "
    "K/ln(ln K + 1), or D = Σ_m √P(Z > m), Z Poisson of mean λmax H (any D that is at least all partial "
    "sums: g in the formula): eq:r1/any-learner, and eq:r2/any-learner with the two propositions.",
    uses="eq:r1/any-learner eq:r2/any-learner prop:proberror/sharp prop:proberror/seen "
    "prop:rateerror/repaired prop:rateerror/seen",
    setting=LEARNS,
    theorem=bound.ANY_CORE,
    derivation=bound.any_core,
    checks=(),
)

section.repair(
    "thm:CT-UCB/main",
    "Let P(𝒢^c) <= q, and a² = 2S ln 2 + 2 ln(SAHK²/δ) >= 0. Then the regret is at most (CH + 1)√(SAK)"
    "(H + 1/λmin)D(2a + (7/3) λmax H √(2L)) + Σ ε_k λmax H + qKH, with D = (λmax H + 1) ln K/ln(ln K + 1), "
    "or D = Σ_m √P(Z > m), Z Poisson of mean λmax H (any D that is at least all partial sums: g in the "
    "formula): eq:r1, and eq:r2 with the two propositions.",
    uses="thm:CT-UCB/main/any-learner lem:v-v-continuoustime/learner",
    theorem=bound.CORE,
    derivation=bound.core,
    checks=(),
)

section.repair(
    "thm:CT-UCB/long",
    "For SAH >= 1, every K >= 1 (ln K/ln(ln K + 1) read as 1 for K = 1) and 0 < λmin <= λmax, CT-UCBVI with "
    "δ = 1/(2KH) (any δ if KH <= 1/2) satisfies eq:regret-bound as printed. The two sums contribute 3c X a1 "
    "and 3c X a2 with c = CH + 1, X = (H + 1/λmin)√(SAK)(λmax H + 1) ln K/ln(ln K + 1), and a1, a2 are at "
    "most the printed constants b1, b2.",
    says="3*c*X*a1 + 3*c*X*a2 <= 3*c*X*(b1 + b2)",
    domain=("c >= 2", "X > 0", "a1 >= 0", "a2 >= 0", "a1 <= b1", "a2 <= b2"),
    uses="thm:CT-UCB/main eq:G/repaired eq:FH-control2/bounds prop:rateerror/episodes "
    "eq:regret-bound/real/repaired thm:CT-UCB/bonus-factor thm:CT-UCB/log-factor "
    "thm:CT-UCB/first-root thm:CT-UCB/jump-constant/region thm:CT-UCB/jump-constant/repaired "
    "thm:CT-UCB/rate-constant/region thm:CT-UCB/peels thm:CT-UCB/tail "
    "thm:CT-UCB/whole/few-episodes",
    theorem=derived.LONG_HORIZON,
    derivation=derived.long_horizon,
    latex=r"SAH \ge 1 \implies \text{eq:regret-bound as printed, with}\ \delta = 1/(2KH)",
    mutant="3*c*X*a1 + 3*c*X*a2 <= 2*c*X*(b1 + b2)",
)

section.repair(
    "thm:CT-UCB/half/log-factor",
    "ln K/ln(ln K + 1) >= 2.673 for K >= 101; with k = ln K >= 4.61.",
    says="k/log(1 + k) >= 2673/1000",
    domain="k >= 461/100",
    mutant=Domain.of("k >= 4"),
)

section.repair(
    "thm:CT-UCB/half/factor",
    "2·(7/3)D <= 3(v + 1)f with D = (e - 1)v + 1/(√e - 1), for v > 0 and f >= 2.673.",
    says="2*(7/3*((exp(1) - 1)*v + 1/(exp(1/2) - 1))) <= 3*(v + 1)*f",
    domain=("v > 0", "f >= 2673/1000"),
    mutant=Domain.of("v > 0", "f >= 2"),
)

section.repair(
    "thm:CT-UCB/half",
    "For SAH >= 1, KH > 1, δ = 1/(2KH) and from K = 101 on the main term of thm:CT-UCB/sharp, with D = (e "
    "- 1)v + 1/(√e - 1) in it, is at most half of the printed one: without the common factor (CH + 1)√(SAK)"
    "(H + 1/λmin), 2D(2a + (7/3)b) <= 3g(a' + b') with g = (v + 1) ln K/ln(ln K + 1), v = λmax H, a and b "
    "the two roots and a' >= a, b' >= b the printed ones, as (14/3)D <= 3g.",
    uses="thm:CT-UCB/half/factor thm:CT-UCB/half/log-factor thm:CT-UCB/jump-constant/repaired "
    "thm:CT-UCB/jump-constant/region thm:CT-UCB/rate-constant/region thm:CT-UCB/first-root "
    "eq:regret-bound/real/repaired",
    setting=ANY,
    theorem=half_bound.HALF,
    derivation=half_bound.half,
)
