r"""A proof of ``lem:rateUCB`` that works, with the paper's radius, for every policy.

A visit with remaining time :math:`c` ends after :math:`\tau\wedge c`, with an observed jump if
:math:`\tau\le c`, and for every :math:`\zeta` and :math:`c`

.. math:: E\,e^{\zeta 1\{\tau\le c\} - \lambda(e^\zeta-1)(\tau\wedge c)} = 1 .

So :math:`M = e^{\zeta N - \lambda(e^\zeta-1)T}` is a martingale over the visits of the pair, whatever the
policies are, and :math:`P(\sup M \ge e^y) \le e^{-y}` (Ville).  With
:math:`u = \lambda_{\max}T = Lw^2v^2`, :math:`w \ge 1`, :math:`1 \le v \le 5`, and
:math:`\zeta = \tfrac{3}{10w}`, a miss :math:`N - \lambda T > \sqrt{Lu}` has

.. math:: \ln M \ge \zeta\sqrt{Lu} - (e^\zeta-1-\zeta)u
          \ge L\left(\tfrac{3}{10}v - \tfrac1{20}v^2\right) \ge L/4,

the last because :math:`(v-1)(5-v) \ge 0`.  So one :math:`\zeta` serves all :math:`T` of a peel
:math:`[T_0, 25T_0]`, at the price :math:`e^{-L/4}` that the paper pays for a single :math:`T`; the lower
side likewise.  :math:`J` peels cover :math:`[L/\lambda_{\max}, (K-1)H]` if
:math:`\lambda_{\max}(K-1)H \le 25^J L`, and together, for all pairs, they cost
:math:`2SAJe^{-L/4} = \delta J/K`.  So the paper's radius is right wherever
:math:`\lambda_{\max}(K-1)H \le 25^K L(\delta)`.

Beside the proof stand exact crossing probabilities (:mod:`proofs_checks.checks.crossing`).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.crossing import covered, peeled
from proofs_checks.checks.rates import one_visit
from proofs_checks.derivations import crossings, rate_sets, supermartingales
from proofs_checks.derivations.setting import ANY, POLICIES
from verify.claims import Domain, Section

_SIZES = ("S >= 1", "A >= 1", "K >= 1", "0 < d < 1")

section = Section(
    checks=PROOF, expected="proved", setting=ANY, symbols={"d": "δ", "L": "L(δ)", "q": "λ/λmax"}
)

section.repair(
    "lem:rateUCB/martingale",
    "A decision multiplies exp(ζN - λ(e^ζ - 1)T) by a factor of mean 1, given all that came before, for "
    "every real ζ, whatever the learner does; with remaining time c it is exp(ζ1{τ <= c} - λ(e^ζ - 1)(τ∧c)).",
    theorem=rate_sets.MARTINGALE,
    derivation=rate_sets.martingale,
    checks=one_visit(),
    latex=r"\mathbb E\,e^{\zeta 1\{\tau\le c\}-\lambda(e^\zeta-1)(\tau\wedge c)} = 1",
    mutant=one_visit(truncated=False),
)

section.repair(
    "lem:rateUCB/ville",
    "A nonnegative supermartingale reaches c > 0 before decision n with probability at most E M_0/c, for "
    "every n (J. Ville, Étude critique de la notion de collectif, 1939).",
    theorem=supermartingales.VILLE,
    derivation=supermartingales.ville,
    latex=r"\mathbb P(\max_{i<n} M_i \ge c) \le \mathbb E M_0/c",
)

section.repair(
    "lem:rateUCB/frozen",
    "If each decision multiplies exp(Z) by a factor of mean at most 1, and Z is 0 at first, then Z as it was"
    " when the episode began is ever seen to be at least c with probability at most e^(-c), for every real "
    "c.",
    uses="lem:rateUCB/ville",
    theorem=crossings.FROZEN,
    derivation=crossings.frozen,
    latex=r"\mathbb P(\max_{i<n} Z_{k(i)} \ge c) \le e^{-c}",
)

section.repair(
    "lem:rateUCB/exponential",
    "e^x - 1 - x <= x²/(2(1 - x/3)) for 0 <= x < 3; the upper side of the martingale.",
    says="exp(x) - 1 - x <= x**2/(2*(1 - x/3))",
    domain="0 <= x < 3",
    mutant="exp(x) - 1 - x <= x**2/2",
)

section.repair(
    "lem:rateUCB/downward",
    "e^(-x) - 1 + x <= x²/2 for x >= 0, which is at most the bound of the upper side; the lower side.",
    says="exp(-x) - 1 + x <= x**2/2",
    domain="x >= 0",
    mutant="exp(-x) - 1 + x <= x**2/3",
)

section.repair(
    "lem:rateUCB/peel",
    "With λmax T = Lw²v², w >= 1 and 1 <= v <= 5, λ = θλmax, and ζ = 3/(10w): "
    "ζ√(L·Lw²v²) - θ ζ²/(2(1 - ζ/3)) Lw²v² >= L/4. One ζ serves a peel [T_0, 25 T_0].",
    says="L*(3*v/10 - q*w**2*v**2*((3/(10*w))**2/(2*(1 - 3/(10*w)/3)))) >= L/4",
    domain=("1 <= v <= 5", "w >= 1", "0 <= q <= 1", "L > 0"),
    uses="lem:rateUCB/exponential lem:rateUCB/downward",
    mutant=Domain.of("1 <= v <= 6", "w >= 1", "0 <= q <= 1", "L > 0"),  # a peel of 36
)

section.repair(
    "lem:rateUCB/repaired",
    "With the paper's radius, the rate sets of all pairs cover in all K episodes with probability at least 1"
    " - δJ/K, for every integer J >= 0 with λmax (K-1) H <= 25^J L(δ), for every policy: 2SA·J·exp(-L/4) <= "
    "δ if J <= K. So lem:rateUCB holds wherever λmax (K-1) H <= 25^K L(δ).",
    says="2*S*A*J*exp(-4*log(2*S*A*K/d)/4) <= d",
    domain=Domain.of(*_SIZES, "J >= 0", "J <= K", integers="S A K J"),
    uses="lem:rateUCB/martingale lem:rateUCB/frozen lem:rateUCB/exponential lem:rateUCB/downward "
    "lem:rateUCB/peel lem:rateUCB/radius",
    setting=POLICIES,
    theorem=rate_sets.REPAIRED,
    derivation=rate_sets.repaired,
    checks=(peeled(), *PROOF),
    latex=r"\lambda_{\max}(K-1)H \le 25^K L(\delta) \implies"
    r"\mathbb P(|\lambda-\hat\lambda_k| \le \beta_k\ \text{for all}\ x,a,k) \ge 1-\delta",
    mutant=Domain.of(*_SIZES, "J >= 0", "J <= 2*K", integers="S A K J"),
)

section.repair(
    "lem:rateUCB/crossing",
    "In examples, the probability that the jumps of a pair ever leave the confidence set of its rate, "
    "looked at continuously from T = L(δ)/λmax to (K-1)H, is at most δ/(SA), with the paper's L(δ).",
    checks=covered(),
    expected="tested",
    latex=r"\mathbb P(\exists u \in [L, U]: |N_u - \theta u| > \sqrt{Lu}) \le \delta/(SA)",
    mutant=covered(Fraction(1, 4)),  # a quarter of the radius
)

section.repair(
    "lem:rateUCB/crossing-peeled",
    "In the same examples that probability is at most 2J exp(-L(δ)/4), J the least integer J >= 0 with "
    "λmax (K-1) H <= L(δ)·25^J: the bound that the repaired proof of lem:rateUCB gives.",
    checks=peeled(),
    expected="tested",
    latex=r"\mathbb P(\exists u \in [L, U]: |N_u - \theta u| > \sqrt{Lu}) \le 2J e^{-L(\delta)/4}",
    mutant=peeled(Fraction(3, 4)),
)
