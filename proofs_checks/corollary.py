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

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BITS = 128
_SOURCE = "eq:regret-b1"
_PROOF = (Proof(), Search(examples=(60, 2000)))

BONUS = claim(
    "eq:regret-b1/bonus",
    "CH <= 8/5 v for v = λmax H > 1 (and λmax > 1, so that the maximum with 1 in C is not needed).",
    says="v/(1 - exp(-v)) <= 8/5*v",
    domain=Domain.of("v > 1"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=_PROOF,
    expected="proved",
)

ROOT = claim(
    "eq:regret-b1/root",
    "√(2S + 6l) <= √(2 + 16l)√S for l = ln(2SAKH) > 0, squared.",
    says="2*S + 6*l <= (2 + 16*l)*S",
    domain=Domain.of("S >= 1", "l > 0", integers="S"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=_PROOF,
    expected="proved",
)

POWER = claim(
    "eq:regret-b1/power",
    "ε_k exp(λmax H) = k^(-α) <= k^(-1/2) for α = 1/2 + y, y >= 0.",
    says="k**(-1/2 - y) <= k**(-1/2)",
    domain=Domain.of("k >= 1", "y >= 0", integers="k"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=_PROOF,
    expected="proved",
)


def accuracies(factor: Fraction = Fraction(2)) -> Computed:
    """Σ_{k<=K} k^(-α) against ``factor``·√K, for α = 1/2 and 3/4."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for power in (Fraction(1, 2), Fraction(3, 4)):
            total = arb(0)
            with precision(_BITS):
                for k in range(1, effort.scaled(100, 5000) + 1):
                    total += arb(k) ** arb(rational(-power))
                    cases.append(Case(f"α = {power}, K = {k}", total, rational(factor) * arb(k).sqrt()))
        return Outcome(cases, method="partial sums in balls of 128 bits")

    return Computed(compute, "partial sums")


EPSILON = claim(
    "eq:regret-b1/epsilon",
    "Σ_{k<=K} k^(-α) <= 2√K for α >= 1/2; by induction from k to k + 1, starting with 0.",
    says="2*sqrt(k) + 1/sqrt(k + 1) <= 2*sqrt(k + 1)",
    domain=Domain.of("k >= 0", integers="k"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses="eq:regret-b1/power",
    checks=(accuracies(), *_PROOF),
    argued="the induction over k",
    expected="tested",
    latex=r"\sum_{k\le K}\epsilon_k e^{\lambda_{\max}H} \le 2\sqrt K",
)


def sizes_of_the_corollary() -> SearchStrategy[Any]:
    """H > 1, λmax > 1, λmin/λmax, and (S, A, K)."""
    from hypothesis import strategies as st

    above = st.fractions(Fraction(101, 100), 50, max_denominator=100)
    share = st.fractions(Fraction(1, 100), 1, max_denominator=100)
    sizes = st.tuples(st.integers(1, 30), st.integers(1, 9), st.integers(1, 10**6))
    return st.tuples(above, above, share, sizes)


def orders(factor: int = 16) -> Search:
    """eq:regret-bound with Σ ε_k exp(λmax H) = 2√K against the order with its constants."""

    def sides(example: Any) -> tuple[arb, arb]:
        horizon, most, least, (states, actions, episodes) = example
        with precision(_BITS):
            h, r, m = (arb(rational(x)) for x in (horizon, most, most * least))
            v, k, size = r * h, arb(episodes).log(), arb(states * actions * episodes).sqrt()
            logarithm = (2 * size * size * h).log()
            f = k / (1 + k).log() if episodes > 1 else arb(1)
            bracket = (2 * states + 6 * logarithm).sqrt() + 4 * v * logarithm.sqrt()
            left = 3 * (v / (1 - (-v).exp()) + 1) * size * (h + 1 / m) * (v + 1) * f * bracket
            order = v * v * (h + 1 / m) * size * (arb(states).sqrt() + v)
            right = (factor * (2 + 16 * logarithm).sqrt() * f + 3) * order
            return left + 2 * arb(episodes).sqrt() + 1, right

    return Search((150, 2000), sizes_of_the_corollary(), sides, title="both bounds")


ORDER = claim(
    "eq:regret-b1",
    "For λmax, H > 1 and ε_k = k^(-α) exp(-λmax H), α >= 1/2, the bound of thm:CT-UCB is at most (16√(2 + "
    "16l) f + 3) λmax²H²(H + 1/λmin)√(SAK)(√S + λmax H), l = ln(2SAKH), f = ln K/ln(ln K + 1): with the "
    "bracket b <= B = √(2 + 16l)(√S + v) and CH = cv, 3(cv + 1)(v + 1)b <= 16v²B.",
    says="3*(c*v + 1)*(v + 1)*b <= 16*v**2*B",
    domain=Domain.of("v > 1", "0 < c <= 8/5", "b > 0", "b <= B"),
    source=_SOURCE,
    uses=("thm:CT-UCB", "eq:regret-b1/bonus", "eq:regret-b1/root", "eq:regret-b1/epsilon"),
    checks=(orders(), *_PROOF),
    argued="that the factors multiply to the order, the accuracies and the last term included",
    expected="tested",
    latex=r"\sup_{\mathcal M}\mathrm{Regret} = \tilde O\Bigl(\lambda_{\max}^2H^2"
    r"\Bigl(H+\frac1{\lambda_{\min}}\Bigr)"
    r"\sqrt{SAK}\,[\sqrt S+\lambda_{\max}H]\Bigr)",
)

REPAIRED = replace(
    ORDER,
    label="eq:regret-b1/repaired",
    statement=ORDER.statement + " With δ = 1/(2KH); H > 1 implies 2SAKH >= 1. By eq:error-vi/load ε_k = "
    "k^(-α)/(λmax H) does as well.",
    kind=Kind.REPAIR,
    uses=("thm:CT-UCB/repaired", "eq:error-vi/load", *ORDER.uses[1:]),
)

CLAIMS = (BONUS, ROOT, POWER, EPSILON, ORDER, REPAIRED)

MUTANTS: Mapping[str, Claim] = {
    "eq:regret-b1/bonus": changed(BONUS, domain=Domain.of("v > 1/2")),
    "eq:regret-b1/root": changed(ROOT, "2*S + 6*l <= (1 + 16*l)*S"),
    "eq:regret-b1/power": changed(POWER, domain=Domain.of("k >= 1", "y >= -1/4", integers="k")),
    "eq:regret-b1/epsilon": replace(EPSILON, checks=(accuracies(Fraction(3, 2)),)),
    "eq:regret-b1": changed(ORDER, "3*(c*v + 1)*(v + 1)*b <= 8*v**2*B"),
    "eq:regret-b1/repaired": replace(REPAIRED, checks=(orders(1),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:regret-b1": {
        "breaks": "proof",
        "summary": "The corollary rests on thm:CT-UCB and stands as printed, with δ = 1/(2KH): for H > 1 the "
        "repaired theorem applies. ε_k = k^(-α)/(λmax H) does for k^(-α) exp(-λmax H), and with the bonus as "
        "a lump sum the order has one power of λmax H less (eq:regret-b1/lump-sum).",
        "repair": "eq:regret-b1/repaired",
    },
}
