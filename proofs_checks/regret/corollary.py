r"""The corollary of ``thm:CT-UCB`` (``eq:regret-b1``) with explicit constants.

For :math:`\lambda_{\max}, H > 1`, :math:`v = \lambda_{\max}H > 1`, :math:`C = \lambda_{\max}/(1-e^{-v})`, so
:math:`CH \le \frac85 v`, :math:`3(CH+1)(v+1) \le 16v^2`, and with :math:`l = \ln(2SAKH)`

.. math:: \sqrt{2S+6l} + 4v\sqrt l \le \sqrt{2+16l}\,(\sqrt S + v) .

So the main term of ``eq:regret-bound`` is at most :math:`16\sqrt{2+16l}\,\frac{\ln K}{\ln(\ln K+1)}` times
:math:`v^2(H+1/\lambda_{\min})\sqrt{SAK}(\sqrt S+v)`; the accuracies add :math:`\sum_{k\le K} k^{-\alpha}
\le 2\sqrt K`. Since :math:`H > 1` the domain :math:`2SAKH \ge 1` of ``thm:CT-UCB/repaired`` is no
restriction.  With the bonus as a lump sum one power of :math:`v` less remains (``eq:regret-b1/lump-sum``).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.theorem import accuracies, orders
from proofs_checks.derivations import corollary as derived
from proofs_checks.derivations.setting import ANY, PAPER, POSITIVE
from verify.claims import Domain, Remark, Section

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"v": "λmax H", "l": "ln(2SAKH)"})

section.step(
    "eq:regret-b1/bonus",
    "CH <= 8/5 v for v = λmax H > 1 (and λmax > 1, so that the maximum with 1 in C is not needed).",
    says="v/(1 - exp(-v)) <= 8/5*v",
    domain="v > 1",
    mutant=Domain.of("v > 1/2"),
)

section.step(
    "eq:regret-b1/root",
    "√(2S + 6l) <= √(2 + 16l)√S for l = ln(2SAKH) > 0, squared.",
    says="2*S + 6*l <= (2 + 16*l)*S",
    domain=Domain.of("S >= 1", "l > 0", integers="S"),
    mutant="2*S + 6*l <= (1 + 16*l)*S",
)

section.step(
    "eq:regret-b1/power",
    "ε_k exp(λmax H) = k^(-α) <= k^(-1/2) for α = 1/2 + y, y >= 0.",
    elementary=True,
    says="k**(-1/2 - y) <= k**(-1/2)",
    domain=Domain.of("k >= 1", "y >= 0", integers="k"),
    mutant=Domain.of("k >= 1", "y >= -1/4", integers="k"),
)

section.step(
    "eq:regret-b1/epsilon",
    "Σ_{k<=K} k^(-α) <= 2√K for α >= 1/2; by induction from k to k + 1, starting with 0.",
    says="2*sqrt(k) + 1/sqrt(k + 1) <= 2*sqrt(k + 1)",
    domain=Domain.of("k >= 0", integers="k"),
    theorem=derived.ACCURACIES,
    derivation=derived.accuracies,
    checks=(accuracies(), *PROOF),
    latex=r"\sum_{k\le K}\epsilon_k e^{\lambda_{\max}H} \le 2\sqrt K",
    mutant=accuracies(Fraction(3, 2)),
)

COROLLARY = section.claim(
    "eq:regret-b1",
    "For λmax, H > 1 and ε_k = k^(-α) exp(-λmax H), α >= 1/2, the bound of thm:CT-UCB is at most (16√(2 + "
    "16l) f + 3) λmax²H²(H + 1/λmin)√(SAK)(√S + λmax H), l = ln(2SAKH), f = ln K/ln(ln K + 1): with the "
    "bracket b <= B = √(2 + 16l)(√S + v) and CH = cv, 3(cv + 1)(v + 1)b <= 16v²B.",
    says="3*(c*v + 1)*(v + 1)*b <= 16*v**2*B",
    domain=("v > 1", "0 < c <= 8/5", "b > 0", "b <= B"),
    symbols={"c": "CH/v"},
    uses="eq:regret-b1/bonus eq:regret-b1/epsilon eq:regret-bound/real/repaired thm:CT-UCB/log-factor",
    setting=POSITIVE,
    theorem=derived.BOUND,
    derivation=derived.bound,
    checks=(orders(), *PROOF),
    latex=r"\sup_{\mathcal M}\mathrm{Regret} = \tilde O\Bigl(\lambda_{\max}^2H^2"
    r"\Bigl(H+\frac1{\lambda_{\min}}\Bigr)"
    r"\sqrt{SAK}\,[\sqrt S+\lambda_{\max}H]\Bigr)",
    mutant="3*(c*v + 1)*(v + 1)*b <= 8*v**2*B",
    finding=Remark(
        "proof",
        "The corollary rests on thm:CT-UCB and stands as printed, with δ = 1/(2KH): for H > 1 the repaired "
        "theorem applies.",
        details="ε_k = k^(-α)/(λmax H) does for k^(-α) exp(-λmax H), and with the bonus as a lump sum the "
        "order has one power of λmax H less (eq:regret-b1/lump-sum).",
        repair="eq:regret-b1/repaired",
    ),
)

section.repair(
    "eq:regret-b1/repaired",
    "For λmax, H > 1, ε_k = k^(-α) exp(-λmax H), α >= 1/2, and δ = 1/(2KH) the regret of CT-UCBVI is at most "
    "(16√(2 + 16l) f + 3) λmax²H²(H + 1/λmin)√(SAK)(√S + λmax H), l = ln(2SAKH), f = ln K/ln(ln K + 1) (1 "
    "for K = 1): H > 1 implies 2SAKH >= 1. (By thm:CT-UCB/sharp ε_k = k^(-α)/(λmax H) does as well.)",
    uses="thm:CT-UCB/repaired eq:regret-b1 eq:regret-bound/real/repaired",
    setting=PAPER,
    theorem=derived.REPAIRED,
    derivation=derived.repaired,
    checks=orders(),
    latex=COROLLARY.latex,
    mutant=orders(1),
)
