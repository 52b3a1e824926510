r"""``thm:CT-UCB`` as printed: what its bound and its proof need of the parameters.

The proof splits the regret at the event 𝒢 (``eq:r1``), takes :math:`\delta = 1/(2KH)`, collects bonus and
radii (``eq:r2``), and puts in the two propositions.  With this :math:`\delta`

.. math:: \sqrt{2[S\ln2+\ln(SAHK^2/\delta)]} = \sqrt{2S\ln 2 + 2\ln(2SAK^3H^2)}, \qquad
          L(\delta) = 4\ln(4SAK^2H),

and the printed :math:`\sqrt{2S+6\ln(2SAKH)}` and :math:`4\lambda_{\max}H\sqrt{\ln(2SAKH)}` are larger
exactly if :math:`4S^2A^2H \ge (2/e)^S` and :math:`SAH \ge 1`.  The second implies the first.  For short
horizons the choice of :math:`\delta`, the claim :math:`L(\delta) > 1`, both constants and at last the
right-hand side itself (for :math:`2SAKH < 1`) fail, one after the other.  What holds is in
:mod:`proofs_checks.thm_ct_ucb_repaired` and :mod:`proofs_checks.thm_ct_ucb_whole`; that :math:`\delta`
belongs to the statement is in :mod:`proofs_checks.thm_ct_ucb_delta`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from flint import arb

from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

_BITS = 128
_SOURCE = "thm:CT-UCB"
_PROOF = (Proof(), Search(examples=(60, 2000)))
_REFUTED = (Search(examples=(60, 2000)), Proof())
_SIZES = ("S >= 1", "A >= 1", "K >= 1", "H > 0")
_WHOLE = Domain.of(*_SIZES, integers="S A K")


# --- are the right-hand sides numbers? --------------------------------------------------------

BONUS = claim(
    "eq:bonus-k/real",
    "The radicand S ln 2 + ln(SAHK²/δ) of α and of the bonus is nonnegative for all S, A, K >= 1, H > 0 and "
    "δ in (0, 1). (λmax L(δ)/max(T, L(δ)/λmax) is positive always, as L(δ) > 4 ln 2.)",
    says="S*log(2) + log(S*A*H*K**2/d) >= 0",
    domain=Domain.of(*_SIZES, "0 < d < 1", integers="S A K"),
    source="eq:bonus-k",
    checks=_REFUTED,
    expected="refuted",
)

BONUS_REPAIRED = claim(
    "eq:bonus-k/real/repaired",
    "It is nonnegative if δ <= 2^S SAHK².",
    says="S*log(2) + log(S*A*H*K**2/d) >= 0",
    domain=Domain.of(*_SIZES, "0 < d < 1", "d <= 2**S*S*A*H*K**2", integers="S A K"),
    source="eq:bonus-k",
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

REAL = claim(
    "eq:regret-bound/real",
    "The radicand ln(2SAKH) in the right-hand side of eq:regret-bound is nonnegative for all S, A, K >= 1 "
    "and H > 0. (For K = 1 there is also the factor 0/0 of eq:term1-3/K=1.)",
    says="log(2*S*A*K*H) >= 0",
    domain=_WHOLE,
    source="eq:regret-bound",
    uses="eq:term1-3/K=1",
    checks=_REFUTED,
    expected="refuted",
)

REAL_REPAIRED = claim(
    "eq:regret-bound/real/repaired",
    "The radicand ln(2SAKH) is nonnegative if 2SAKH = x >= 1. (ln K/ln(ln K + 1) is read as 1 for K = 1.)",
    says="log(x) >= 0",
    domain=Domain.of("x >= 1"),
    source="eq:regret-bound",
    kind=Kind.REPAIR,
    uses="eq:term1-3/K=1/repaired",
    checks=_PROOF,
    expected="proved",
)


# --- the split at 𝒢, and the choice of δ --------------------------------------------------------

SPLIT = claim(
    "eq:r1",
    "With P(𝒢^c) = q <= 2δ and K episodes that cost at most D <= H each, q K D <= 2δKH.",
    says="q*K*D <= 2*d*K*H",
    domain=Domain.of(
        "0 <= q <= 1", "K >= 1", "D >= 0", "D <= H", "H > 0", "0 < d < 1", "q <= 2*d", integers="K"
    ),
    source="eq:r1",
    uses=("eq:G", "eq:FH-control2/bounds"),
    checks=_PROOF,
    argued="the split of the expectation at 𝒢",
    expected="assumed",
)

SPLIT_REPAIRED = replace(
    SPLIT, label="eq:r1/repaired", kind=Kind.REPAIR, uses=("eq:G/repaired", "eq:FH-control2/bounds")
)

DELTA = claim(
    "thm:CT-UCB/delta",
    "δ = 1/(2KH) is below 1, as the algorithm and the lemmas require, for every K >= 1 and H > 0.",
    says="1/(2*K*H) < 1",
    domain=Domain.of("K >= 1", "H > 0", integers="K"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=_REFUTED,
    expected="refuted",
)

DELTA_REPAIRED = claim(
    "thm:CT-UCB/delta/repaired",
    "δ = 1/(2KH) is below 1 if y = KH > 1/2.",
    says="1/(2*y) < 1",
    domain=Domain.of("y > 1/2"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

CONFIDENCE = claim(
    "thm:CT-UCB/L",
    "L(δ) = 4 ln(4SAK²H) > 1 for δ = 1/(2KH), for all S, A, K >= 1 and H > 0.",
    says="4*log(4*S*A*K**2*H) > 1",
    domain=_WHOLE,
    source=_SOURCE,
    kind=Kind.STEP,
    checks=_REFUTED,
    expected="refuted",
)

CONFIDENCE_REPAIRED = claim(
    "thm:CT-UCB/L/repaired",
    "L(δ) = 4 ln(2SAK/δ) > 1 for every admissible δ, 0 < δ < 1; in particular for δ = 1/(2KH) if KH > 1/2.",
    says="4*log(2*S*A*K/d) > 1",
    domain=Domain.of("S >= 1", "A >= 1", "K >= 1", "0 < d < 1", integers="S A K"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)


# --- collecting the constants -----------------------------------------------------------------

COLLECTED = claim(
    "eq:r2",
    "With b = C(H²β + Hα) and remaining time u <= H what lem:v-v-continuoustime adds for one decision, (b "
    "+ α + uβ)u, is at most (CH + 1)αu + (CH² + H)βu.",
    says="(C*(H**2*be + H*al) + al + u*be)*u <= (C*H + 1)*al*u + (C*H**2 + H)*be*u",
    domain=Domain.of("C >= 1", "H > 0", "al >= 0", "be >= 0", "u >= 0", "u <= H"),
    source="eq:r2",
    uses=("lem:v-v-continuoustime", "eq:r2/indicator"),
    checks=_PROOF,
    argued="the expectation, and the sums over episodes and decisions",
    expected="assumed",
)

INDICATOR = claim(
    "eq:r2/indicator",
    "E[1_𝒢 E(X_k | past)] <= E X_k, X_k >= 0 what lem:v-v-continuoustime adds up in episode k: an indicator "
    "g is at most 1. The lemma holds on 𝒢_k, the part of 𝒢 about the estimates of episode k, which the past "
    "decides, and 𝒢 is contained in 𝒢_k. ('Conditional on 𝒢' is no change of the law: 𝒢 looks into the "
    "future.)",
    says="g*x <= x",
    domain=Domain.of("0 <= g <= 1", "x >= 0"),
    source="eq:r2",
    kind=Kind.STEP,
    checks=_PROOF,
    argued="the tower rule, with 𝒢 contained in 𝒢_k, which is measurable with respect to the past",
    expected="assumed",
    latex=r"\mathbb E[1_{\mathcal G}\,\mathbb E(X_k\mid\mathcal H_{k-1})] \le \mathbb E X_k",
)

_JUMP = "2*(S*log(2) + log(2*S*A*H**2*K**3)) <= 2*S + 6*log(2*S*A*K*H)"
_ADMISSIBLE = Domain.of(*_SIZES, "2*K*H > 1", integers="S A K")

JUMP = claim(
    "thm:CT-UCB/jump-constant",
    "√(2[S ln 2 + ln(SAHK²/δ)]) <= √(2S + 6 ln(2SAKH)) for δ = 1/(2KH) < 1; the radicands are compared.",
    says=_JUMP,
    domain=_ADMISSIBLE,
    source=_SOURCE,
    kind=Kind.STEP,
    uses="thm:CT-UCB/delta",
    checks=_REFUTED,
    expected="refuted",
)

JUMP_REGION = claim(
    "thm:CT-UCB/jump-constant/region",
    "The radicands differ by 2(S(1 - ln 2) + ln(4S²A²H)): the printed one is the larger exactly if 4S²A²H "
    ">= (2/e)^S.",
    says="2*S + 6*log(2*S*A*K*H) - 2*(S*log(2) + log(2*S*A*H**2*K**3)) "
    "== 2*(S*(1 - log(2)) + log(4*S**2*A**2*H))",
    domain=_WHOLE,
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

JUMP_REPAIRED = claim(
    "thm:CT-UCB/jump-constant/repaired",
    "The inequality holds if SAH = x >= 1: S(1 - ln 2) + ln(4SAx) >= 0.",
    says="S*(1 - log(2)) + log(4*S*A*x) >= 0",
    domain=Domain.of("S >= 1", "A >= 1", "x >= 1", integers="S A"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses="thm:CT-UCB/jump-constant/region",
    checks=_PROOF,
    expected="proved",
)


def larger_root(horizon: Fraction = Fraction(1, 5)) -> Computed:
    """Both radicands for S = A = 2 and K = 3, where 2KH > 1."""

    def compute(effort: Effort) -> Outcome:
        del effort
        with precision(_BITS):
            left, right = 8 * arb(rational(144 * horizon)).log(), 16 * arb(rational(24 * horizon)).log()
        again = f"from math import log; print(8*log(4*2*2*3**2*{horizon}) > 16*log(2*2*2*3*{horizon}))"
        return Outcome([Case(f"S = A = 2, K = 3, H = {horizon}", left, right, line=again)])

    return Computed(compute, "one instance")


RATE = claim(
    "thm:CT-UCB/rate-constant",
    "(CH² + H)√(λmax L)√(2λmax) <= (CH + 1) 4λmax H √ln(2SAKH) for δ = 1/(2KH) < 1. Divided by (CH + 1)λmax "
    "H: √(2L) <= 4√ln(2SAKH); the radicands are compared. (S = A = 2, K = 3, H = 1/5: 26.9 > 25.1.)",
    says="8*log(4*S*A*K**2*H) <= 16*log(2*S*A*K*H)",
    domain=_ADMISSIBLE,
    source=_SOURCE,
    kind=Kind.STEP,
    uses="thm:CT-UCB/delta",
    checks=larger_root(),
    expected="refuted",
)

RATE_REGION = claim(
    "thm:CT-UCB/rate-constant/region",
    "16 ln(2Kx) - 8 ln(4K²x) = 8 ln x: the printed constant is the larger exactly if x = SAH >= 1.",
    says="16*log(2*K*x) - 8*log(4*K**2*x) == 8*log(x)",
    domain=Domain.of("x > 0", "K >= 1", integers="K"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

RATE_REPAIRED = claim(
    "thm:CT-UCB/rate-constant/repaired",
    "The inequality holds if SAH >= 1: then L = L(δ) <= 8l with l = ln(2SAKH).",
    says="(C*H**2 + H)*sqrt(r*L)*sqrt(2*r) <= (C*H + 1)*4*r*H*sqrt(l)",
    domain=Domain.of("C >= 1", "H > 0", "r > 0", "L > 0", "l > 0", "L <= 8*l"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses="thm:CT-UCB/rate-constant/region",
    checks=_PROOF,
    expected="proved",
)


# --- the theorem as printed -------------------------------------------------------------------


def defined(horizon: Fraction = Fraction(1, 8)) -> Computed:
    """The radicand ln(2SAKH) of the bound, for S = A = 1 and K = 2."""

    def compute(effort: Effort) -> Outcome:
        del effort
        with precision(_BITS):
            radicand = arb(rational(4 * horizon)).log()
        again = f"from math import log; print(log(2*1*1*2*{horizon}) < 0)"
        text = f"S = A = 1, K = 2, H = {horizon}: ln(2SAKH)"
        return Outcome([Case(text, radicand, 0, ">=", line=again)])

    return Computed(compute, "one instance")


THEOREM = claim(
    "thm:CT-UCB",
    "For all S, A, K >= 1, H > 0 and 0 < λmin <= λmax the right-hand side of eq:regret-bound is a real "
    "number and bounds the worst-case regret of CT-UCBVI (with δ = 1/(2KH), which the statement does not "
    "say; for other δ see thm:CT-UCB/any-delta). S = A = 1, K = 2, H = 1/8: the bound contains √ln(1/2).",
    source=_SOURCE,
    uses=(
        "eq:regret-bound/real", "eq:r1", "thm:CT-UCB/delta", "thm:CT-UCB/L", "eq:r2", "prop:proberror",
        "prop:rateerror", "thm:CT-UCB/jump-constant", "thm:CT-UCB/rate-constant",
    ),
    checks=defined(),
    expected="refuted",
    latex=r"\sup_{\mathcal M}\mathrm{Regret} \le 3(CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)"
    r"(\lambda_{\max}H+1)"
    r"\frac{\ln K}{\ln(\ln K+1)}\bigl(\sqrt{2S+6\ln(2SAKH)}+4\lambda_{\max}H\sqrt{\ln(2SAKH)}\bigr)"
    r"+\sum_k\epsilon_k e^{\lambda_{\max}H}+1",
)  # fmt: skip

CLAIMS = (
    BONUS, BONUS_REPAIRED, REAL, REAL_REPAIRED, SPLIT, SPLIT_REPAIRED, DELTA, DELTA_REPAIRED,
    CONFIDENCE, CONFIDENCE_REPAIRED, COLLECTED, JUMP, JUMP_REGION, JUMP_REPAIRED, RATE,
    RATE_REGION, RATE_REPAIRED, INDICATOR, THEOREM,
)  # fmt: skip

_LONG = Domain.of(*_SIZES, "H >= 1", integers="S A K")

MUTANTS: Mapping[str, Claim] = {
    # for refuted claims: a domain on which they hold
    "eq:bonus-k/real": changed(BONUS, domain=Domain.of(*_SIZES, "H >= 1", "0 < d < 1", integers="S A K")),
    "eq:regret-bound/real": changed(REAL, domain=_LONG),
    "thm:CT-UCB/delta": changed(DELTA, domain=Domain.of("K >= 1", "H > 1/2", integers="K")),
    "thm:CT-UCB/L": changed(CONFIDENCE, domain=_LONG),
    "thm:CT-UCB/jump-constant": changed(JUMP, domain=_LONG),
    "thm:CT-UCB/rate-constant": replace(RATE, checks=(larger_root(Fraction(1)),)),
    "thm:CT-UCB": replace(THEOREM, checks=(defined(Fraction(1)),)),
    # for the others: something spoiled
    "eq:bonus-k/real/repaired": changed(
        BONUS_REPAIRED, domain=Domain.of(*_SIZES, "0 < d < 1", integers="S A K")
    ),
    "eq:regret-bound/real/repaired": changed(REAL_REPAIRED, domain=Domain.of("x >= 1/2")),
    "eq:r1": changed(SPLIT, "q*K*D <= d*K*H"),
    "eq:r1/repaired": changed(SPLIT_REPAIRED, "q*K*D <= 2*d*H"),
    "thm:CT-UCB/delta/repaired": changed(DELTA_REPAIRED, domain=Domain.of("y > 1/3")),
    "thm:CT-UCB/L/repaired": changed(CONFIDENCE_REPAIRED, "4*log(2*S*A*K/d) > 3"),
    "eq:r2": changed(COLLECTED, "(C*(H**2*be + H*al) + al + u*be)*u <= (C*H + 1)*al*u + C*H**2*be*u"),
    "eq:r2/indicator": changed(INDICATOR, domain=Domain.of("0 <= g <= 2", "x >= 0")),
    "thm:CT-UCB/jump-constant/region": changed(
        JUMP_REGION,
        "2*S + 6*log(2*S*A*K*H) - 2*(S*log(2) + log(2*S*A*H**2*K**3)) == 2*(S*(1 - log(2)) + "
        "log(2*S**2*A**2*H))",
    ),
    "thm:CT-UCB/jump-constant/repaired": changed(
        JUMP_REPAIRED, domain=Domain.of("S >= 1", "A >= 1", "x >= 1/10", integers="S A")
    ),
    "thm:CT-UCB/rate-constant/region": changed(RATE_REGION, "16*log(2*K*x) - 8*log(4*K**2*x) == 8*log(2*x)"),
    "thm:CT-UCB/rate-constant/repaired": changed(
        RATE_REPAIRED, domain=Domain.of("C >= 1", "H > 0", "r > 0", "L > 0", "l > 0")
    ),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "thm:CT-UCB": {
        "breaks": "statement",
        "summary": "The bound is no real number for 2SAKH < 1 and 0/0 for K = 1, and the statement does not "
        "name δ, without which it is false (thm:CT-UCB/any-delta). With δ = 1/(2KH) the bound holds as "
        "printed wherever it is a real number, 2SAKH >= 1, by a repaired proof; the printed proof reaches "
        "its constants only for SAH >= 1. It is also loose: from K = 101 on the same algorithm has less than "
        "half of it (thm:CT-UCB/sharp, thm:CT-UCB/half), with half of the bonus a quarter "
        "(thm:CT-UCB/halved), and with the bonus as a lump sum the factor CH + 1 disappears "
        "(thm:CT-UCB/lump-sum).",
        "repair": "thm:CT-UCB/repaired",
    },
    "eq:regret-bound/real": {
        "breaks": "statement",
        "summary": "ln(2SAKH) under the root is negative for horizons shorter than 1/(2SAK).",
        "repair": "eq:regret-bound/real/repaired",
    },
    "eq:bonus-k/real": {
        "breaks": "statement",
        "summary": "The algorithm is not defined for short horizons: the radicand of α is negative for 2^S "
        "SAHK² < δ.",
        "repair": "eq:bonus-k/real/repaired",
    },
    "thm:CT-UCB/delta": {
        "breaks": "proof",
        "summary": "δ = 1/(2KH) is no admissible parameter for KH <= 1/2. The regret is then at most KH <= "
        "1/2.",
        "repair": "thm:CT-UCB/delta/repaired",
    },
    "thm:CT-UCB/L": {
        "breaks": "proof",
        "summary": "L(δ) = 4 ln(4SAK²H) > 1 fails for short horizons; it holds wherever δ = 1/(2KH) is "
        "admissible.",
        "repair": "thm:CT-UCB/L/repaired",
    },
    "thm:CT-UCB/jump-constant": {
        "breaks": "constant",
        "summary": "√(2S + 6 ln(2SAKH)) comes out exactly if 4S²A²H >= (2/e)^S; for shorter horizons the "
        "constant is √(2S ln 2 + 2 ln(2SAK³H²)).",
        "repair": "thm:CT-UCB/jump-constant/repaired",
    },
    "thm:CT-UCB/rate-constant": {
        "breaks": "constant",
        "summary": "4λmax H √ln(2SAKH) comes out exactly if SAH >= 1; for shorter horizons the constant is "
        "2√2 λmax H √ln(4SAK²H). The bound is saved there by its other factors (thm:CT-UCB/repaired).",
        "repair": "thm:CT-UCB/rate-constant/repaired",
    },
}
