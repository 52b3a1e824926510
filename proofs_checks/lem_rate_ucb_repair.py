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
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy

from proofs_checks.crossing import peeled
from proofs_checks.variants import changed, vanishes
from verify.claims import Claim, Domain, Kind, claim
from verify.provers.computed import Assumed, Computed
from verify.provers.proof import Proof
from verify.provers.search import Search

_SOURCE = "lem:rateUCB"
_PROOF = (Proof(), Search(examples=(60, 2000)))
_SIZES = ("S >= 1", "A >= 1", "K >= 1", "0 < d < 1")


def one_visit(truncated: bool = True) -> Computed:
    """E exp(ζ 1{τ <= c} - λ(e^ζ - 1) min(τ, c)) = 1, by integration; or with the cut-off visit forgotten."""

    def difference() -> sympy.Expr:
        rate, left, s = sympy.symbols("rate c s", positive=True)
        zeta = sympy.Symbol("zeta", real=True)
        price = rate * (sympy.exp(zeta) - 1)
        jump = sympy.integrate(rate * sympy.exp(-rate * s) * sympy.exp(zeta - price * s), (s, 0, left))
        stay = sympy.exp(-rate * left) * (sympy.exp(-price * left) if truncated else 1)
        return jump + stay - 1

    return vanishes("symbolic", ("E exp(...) - 1, for all ζ, λ > 0, c > 0", difference))


MARTINGALE = claim(
    "lem:rateUCB/martingale",
    "A visit with remaining time c multiplies exp(ζN - λ(e^ζ - 1)T) by a factor of mean 1, for every real "
    "ζ and all λ, c > 0.",
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=one_visit(),
    expected="proved",
    latex=r"\mathbb E\,e^{\zeta 1\{\tau\le c\}-\lambda(e^\zeta-1)(\tau\wedge c)} = 1",
)

VILLE = claim(
    "lem:rateUCB/ville",
    "A nonnegative martingale with mean 1 ever reaches e^y with probability at most e^(-y).",
    source=_SOURCE,
    kind=Kind.CITED,
    checks=Assumed("J. Ville, Étude critique de la notion de collectif (1939); any text on martingales"),
    expected="assumed",
    latex=r"\mathbb P(\sup_n M_n \ge e^y) \le e^{-y}",
)

EXPONENTIAL = claim(
    "lem:rateUCB/exponential",
    "e^x - 1 - x <= x²/(2(1 - x/3)) for 0 <= x < 3; the upper side of the martingale.",
    says="exp(x) - 1 - x <= x**2/(2*(1 - x/3))",
    domain=Domain.of("0 <= x < 3"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

DOWNWARD = claim(
    "lem:rateUCB/downward",
    "e^(-x) - 1 + x <= x²/2 for x >= 0, which is at most the bound of the upper side; the lower side.",
    says="exp(-x) - 1 + x <= x**2/2",
    domain=Domain.of("x >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

PEEL = claim(
    "lem:rateUCB/peel",
    "With λmax T = Lw²v², w >= 1 and 1 <= v <= 5, λ = θλmax, and ζ = 3/(10w): "
    "ζ√(L·Lw²v²) - θ ζ²/(2(1 - ζ/3)) Lw²v² >= L/4. One ζ serves a peel [T_0, 25 T_0].",
    says="L*(3*v/10 - q*w**2*v**2*((3/(10*w))**2/(2*(1 - 3/(10*w)/3)))) >= L/4",
    domain=Domain.of("1 <= v <= 5", "w >= 1", "0 < q <= 1", "L > 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:rateUCB/exponential", "lem:rateUCB/downward"),
    checks=_PROOF,
    expected="proved",
)

REPAIRED = claim(
    "lem:rateUCB/repaired",
    "With the paper's radius, the rate sets cover with probability at least 1 - δJ/K, J the least integer J "
    ">= 0 with λmax (K-1) H <= 25^J L(δ), for every policy: 2SA·J·exp(-L/4) <= δ if J <= K. So lem:rateUCB "
    "holds wherever λmax (K-1) H <= 25^K L(δ); elsewhere put J for K in L(δ).",
    says="2*S*A*J*exp(-4*log(2*S*A*K/d)/4) <= d",
    domain=Domain.of(*_SIZES, "J >= 0", "J <= K", integers="S A K J"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:rateUCB/unseen",
        "lem:rateUCB/short",
        "eq:rate-bound-1",
        "lem:rateUCB/martingale",
        "lem:rateUCB/ville",
        "lem:rateUCB/peel",
        "lem:rateUCB/radius",
    ),
    checks=(peeled(), *_PROOF),
    argued="that these are martingales whatever the policies, Ville's inequality for 2J of them for "
    "each pair, and the union",
    expected="tested",
    latex=r"\lambda_{\max}(K-1)H \le 25^K L(\delta) \implies"
    r"\mathbb P(|\lambda-\hat\lambda_k| \le \beta_k\ \text{for all}\ x,a,k) \ge 1-\delta",
)

CLAIMS = (MARTINGALE, VILLE, EXPONENTIAL, DOWNWARD, PEEL, REPAIRED)

MUTANTS: Mapping[str, Claim] = {
    "lem:rateUCB/martingale": replace(MARTINGALE, checks=(one_visit(truncated=False),)),
    "lem:rateUCB/exponential": changed(EXPONENTIAL, "exp(x) - 1 - x <= x**2/2"),
    "lem:rateUCB/downward": changed(DOWNWARD, "exp(-x) - 1 + x <= x**2/3"),
    "lem:rateUCB/peel": changed(
        PEEL, domain=Domain.of("1 <= v <= 6", "w >= 1", "0 < q <= 1", "L > 0")
    ),  # a peel of 36
    "lem:rateUCB/repaired": changed(
        REPAIRED, domain=Domain.of(*_SIZES, "J >= 0", "J <= 2*K", integers="S A K J")
    ),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
