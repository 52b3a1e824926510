r"""``thm:CT-UCB`` for a learner with a smaller bonus: half of the printed one, and a lump sum.

With ``lem:v-v-continuoustime/halved`` all terms of ``eq:r2`` are halved, with
``lem:v-v-continuoustime/lump-sum`` a decision with remaining time :math:`u` costs at most
:math:`u(\alpha + H\beta)` instead of :math:`(CH+1)u(\alpha + H\beta)`.  With :math:`X = \sqrt{SAK}
(H+1/\lambda_{\min})D`, :math:`a = \sqrt{2S\ln2+2\ln(2SAK^3H^2)}`, :math:`L = 4\ln(4SAK^2H)`, :math:`v =
\lambda_{\max}H` the main terms are

.. math:: \tfrac12(CH+1)\,X\,\bigl(2a + \tfrac73v\sqrt{2L}\bigr) \qquad\text{and}\qquad
          X\,\bigl(2a + \tfrac73v\sqrt{2L}\bigr) .

Smaller bounds are trivial for fewer episodes: both are at least :math:`2aX \ge
2\sqrt{2\ln2}\,S\sqrt{AK}H(v+1)` (and :math:`CH+1 \ge 2`), which exceeds :math:`KH` for :math:`K \le
\frac{11}2S^2A(v+1)^2`; and for :math:`K \le 40`, since :math:`2aX \ge 2\sqrt{2\ln(4K)}\sqrt K H` if
:math:`KH \ge 1`.  From there on the confidence sets are right as before: for :math:`SAH \ge 1` because
:math:`22\lambda_{\max} \le K`, for :math:`SAH < 1` by ``thm:CT-UCB/whole/event``.

**The corollary** loses one power of :math:`\lambda_{\max}H`: for :math:`\lambda_{\max}, H > 1` and
:math:`\epsilon_k = k^{-\alpha}/(\lambda_{\max}H)` the regret is
:math:`\tilde O\bigl(\lambda_{\max}H(H+1/\lambda_{\min})\sqrt{SAK}[\sqrt S+\lambda_{\max}H]\bigr)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flint import arb

from proofs_checks.corollary import sizes_of_the_corollary
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.proof import Proof
from verify.provers.search import Search

_BITS = 128
_SOURCE = "thm:CT-UCB"
_PROOF = (Proof(), Search(examples=(60, 2000)))

FEW = claim(
    "thm:CT-UCB/lump-sum/few-episodes",
    "If K <= 11/2 S²A(v + 1)² then KH <= 2√(2 ln 2) S√(AK) H(v + 1); with q = √K, a = √A.",
    says="q**2*H <= 2*sqrt(2*log(2))*S*a*q*H*(v + 1)",
    domain=Domain.of(
        "q >= 1", "H > 0", "S >= 1", "a >= 1", "v > 0", "q <= sqrt(11/2)*S*a*(v + 1)", integers="S"
    ),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

FEW_ANY = claim(
    "thm:CT-UCB/lump-sum/few-episodes/any",
    "If K <= 40 then K <= 8 ln(4K), so that KH <= 2√(2 ln(4K))√K H.",
    says="log(4*K) >= K/8",
    domain=Domain.of("1 <= K <= 40"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=(Proof(), Search(examples=(60, 2000))),
    expected="proved",
)

FAST = claim(
    "thm:CT-UCB/lump-sum/rate-and-episodes",
    "22 vSA <= 11/2 S²A(v + 1)². (SAH >= 1 gives λmax = v/H <= vSA, so that 22 λmax <= K for many episodes.)",
    says="22*v*S*A <= 11/2*S**2*A*(v + 1)**2",
    domain=Domain.of("S >= 1", "A >= 1", "v > 0", integers="S A"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

JUMPS = claim(
    "thm:CT-UCB/lump-sum/jumps",
    "e² λmax(K - 1) <= K² for many episodes, where λmax = qK with q <= 1/22.",
    says="exp(2)*(q*K)*(K - 1) <= K**2",
    domain=Domain.of("0 < q <= 1/22", "K >= 1", integers="K"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses="thm:CT-UCB/lump-sum/rate-and-episodes",
    checks=_PROOF,
    expected="proved",
)

TAIL = claim(
    "thm:CT-UCB/lump-sum/tail",
    "HK² >= ln(2^(S-1)/δ) for many episodes (K >= 11/2 S), δ = 1/(2KH), y = KH > 1/2.",
    says="(S - 1)*log(2) + log(2*y) <= K*y",
    domain=Domain.of("S >= 1", "y > 1/2", "K >= 1", "11/2*S <= K", integers="S K"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

_COMMON = (
    "eq:FH-control2/bounds", "thm:CT-UCB/bonus-factor", "thm:CT-UCB/lump-sum/few-episodes",
    "thm:CT-UCB/lump-sum/few-episodes/any", "thm:CT-UCB/first-root", "thm:CT-UCB/peels", "thm:CT-UCB/no-data",
    "thm:CT-UCB/lump-sum/jumps", "thm:CT-UCB/lump-sum/tail", "thm:CT-UCB/delta/repaired", "eq:r1/repaired",
    "thm:CT-UCB/whole/enough", "eq:r2/indicator", "thm:CT-UCB/whole/event", "prop:proberror/sharp",
    "prop:rateerror/repaired",
)  # fmt: skip
_CASES = (
    "the cases (KH <= 1, few episodes, SAH >= 1 or not), and in the last the split at 𝒢 and the sums over "
    "episodes and decisions"
)

HALVED = claim(
    "thm:CT-UCB/halved",
    "With half of the bonus, δ = 1/(2KH) and KH > 1/2 the regret is at most half of the main term of "
    "thm:CT-UCB/sharp, and Σ ε_k λmax H + 1: a decision with remaining time u <= H costs (b/2 + α/2 + "
    "uβ/2)u, b = C(H²β + Hα).",
    says="(C*(H**2*be + H*al)/2 + al/2 + u*be/2)*u <= ((C*H + 1)*al*u + (C*H**2 + H)*be*u)/2",
    domain=Domain.of("C >= 1", "H > 0", "al >= 0", "be >= 0", "u >= 0", "u <= H"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(*_COMMON, "lem:v-v-continuoustime/halved", "thm:CT-UCB/sharp"),
    checks=_PROOF,
    argued=_CASES,
    expected="assumed",
    latex=r"\mathrm{Regret} \le \tfrac12(CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D"
    r"\Bigl(2a+\tfrac73\lambda_{\max}H\sqrt{2L}\Bigr)+\sum_k\epsilon_k\lambda_{\max}H+1",
)

LUMP = claim(
    "thm:CT-UCB/lump-sum",
    "With the lump sum of lem:optimism/lump-sum in the place of the bonus, δ = 1/(2KH) and KH > 1/2, the "
    "regret is at most √(SAK)(H + 1/λmin) D (2a + (7/3) λmax H √(2L)) + Σ ε_k λmax H + 1, D, a and L as in "
    "thm:CT-UCB/sharp: a decision with remaining time u costs at most u(α + Hβ), so with X = "
    "(H + 1/λmin)√(SAK)D the two propositions add up to this.",
    says="a*(2*X) + H*sqrt(r*L)*(7/3*sqrt(2*r)*X) == X*(2*a + 7/3*r*H*sqrt(2*L))",
    domain=Domain.of("H > 0", "X > 0", "a > 0", "r > 0", "L > 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(*_COMMON, "lem:v-v-continuoustime/lump-sum"),
    checks=_PROOF,
    argued=_CASES,
    expected="assumed",
    latex=r"\mathrm{Regret} \le \sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D"
    r"\Bigl(2\sqrt{2S\ln2+2\ln(2SAK^3H^2)}+\tfrac{14\sqrt2}3\lambda_{\max}H\sqrt{\ln(4SAK^2H)}\Bigr)"
    r"+\sum_k\epsilon_k\lambda_{\max}H+1",
)


# --- the corollary ----------------------------------------------------------------------------


def orders(factor: int = 8) -> Search:
    """The bound of thm:CT-UCB/lump-sum with Σ ε_k λmax H = 2√K against the order with its constants."""

    def sides(example: Any) -> tuple[arb, arb]:
        horizon, most, least, (states, actions, episodes) = example
        with precision(_BITS):
            h, r, m = (arb(rational(x)) for x in (horizon, most, most * least))
            v, size = r * h, arb(states * actions * episodes).sqrt()
            logarithm = (2 * size * size * h).log()
            first = (2 * states * arb(2).log() + 2 * (2 * size * size * (episodes * h) ** 2).log()).sqrt()
            second = (8 * (4 * size * size * episodes * h).log()).sqrt()
            levels = (arb(1).exp() - 1) * v + 1 / (arb(1).exp().sqrt() - 1)
            left = size * (h + 1 / m) * levels * (2 * first + 7 * v * second / 3)
            order = v * (h + 1 / m) * size * (arb(states).sqrt() + v)
            right = (factor * (2 + 16 * logarithm).sqrt() + 3) * order
            return left + 2 * arb(episodes).sqrt() + 1, right

    return Search((150, 2000), sizes_of_the_corollary(), sides, title="both bounds")


ORDER = claim(
    "eq:regret-b1/lump-sum",
    "For λmax, H > 1 and ε_k = k^(-α)/(λmax H), α >= 1/2, the bound of thm:CT-UCB/lump-sum is at most (8√(2 "
    "+ 16l) + 3) λmax H (H + 1/λmin)√(SAK)(√S + λmax H), l = ln(2SAKH): one power of λmax H less than in "
    "eq:regret-b1. With D <= 327/100 v, v = λmax H > 1, and a + b <= B = √(2 + 16l)(√S + v), a and b the two "
    "roots: D(2a + (7/3)b) <= 8vB.",
    says="D*(2*a + 7/3*b) <= 8*v*B",
    domain=Domain.of("v > 1", "D > 0", "D <= 327/100*v", "a >= 0", "b >= 0", "a + b <= B"),
    source="eq:regret-b1",
    kind=Kind.REPAIR,
    uses=("thm:CT-UCB/lump-sum", "eq:regret-b1/root", "eq:regret-b1/epsilon", "eq:regret-b1/power",
          "thm:CT-UCB/jump-constant/repaired", "thm:CT-UCB/rate-constant/repaired"),
    checks=(orders(), *_PROOF),
    argued="that D <= 327/100 v, and that the factors multiply to the order, the accuracies and the last "
    "term included",
    expected="tested",
    latex=r"\mathrm{Regret} = \tilde O\Bigl(\lambda_{\max}H\Bigl(H+\frac1{\lambda_{\min}}\Bigr)"
    r"\sqrt{SAK}\,[\sqrt S+\lambda_{\max}H]\Bigr)",
)  # fmt: skip

CLAIMS = (FEW, FEW_ANY, FAST, JUMPS, TAIL, HALVED, LUMP, ORDER)

MUTANTS: Mapping[str, Claim] = {
    "thm:CT-UCB/lump-sum/few-episodes": changed(FEW, "q**2*H <= 2*S*a*q*H*(v + 1)"),
    "thm:CT-UCB/lump-sum/few-episodes/any": changed(FEW_ANY, domain=Domain.of("1 <= K <= 42")),
    "thm:CT-UCB/lump-sum/rate-and-episodes": changed(FAST, "23*v*S*A <= 11/2*S**2*A*(v + 1)**2"),
    "thm:CT-UCB/lump-sum/jumps": changed(JUMPS, domain=Domain.of("0 < q <= 1/2", "K >= 1", integers="K")),
    "thm:CT-UCB/lump-sum/tail": changed(
        TAIL, domain=Domain.of("S >= 1", "y > 1/2", "K >= 1", "S <= 11/2*K", integers="S K")
    ),
    "thm:CT-UCB/halved": changed(
        HALVED, "(C*(H**2*be + H*al)/2 + al + u*be)*u <= ((C*H + 1)*al*u + (C*H**2 + H)*be*u)/2"
    ),
    "thm:CT-UCB/lump-sum": changed(
        LUMP, "a*(2*X) + H*sqrt(r*L)*(7/3*sqrt(2*r)*X) == X*(2*a + 2*r*H*sqrt(2*L))"
    ),
    "eq:regret-b1/lump-sum": replace(ORDER, checks=(orders(1),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
