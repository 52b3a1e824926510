r"""The estimates of the learner and the radii around them: what is counted, and whether all are numbers.

A row of :math:`\hat p_k` adds up to :math:`N^+/\max\{1,N^+\}`: 1, or 0 for a pair that was never left.  The
proofs of ``lem:error-model`` and of the contraction write :math:`\sum_y \hat p_k = 1`; they need, and
have, at most 1.
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF, PROVER, REFUTATION
from proofs_checks.checks.estimates import unseen
from proofs_checks.checks.rates import two_forms
from proofs_checks.derivations import chains, estimates
from proofs_checks.derivations.setting import PAPER, POLICIES
from verify.claims import Domain, Remark, Section

_SIZES = ("S >= 1", "A >= 1", "K >= 1", "H > 0")

section = Section(checks=PROOF, expected="proved", setting=PAPER, symbols={"N": "N⁺", "m": "λmax", "d": "δ"})

section.step(
    "eq:Nkplus/truncated",
    "A visit that H cuts off is not counted in N⁺: t_{n+1} is the time of the jump, with the whole holding "
    "time τ > H - t, which is beyond H; τ = H - t + d. (The text says that it abuses the notation where it "
    "writes τ_n = H - t_n for what is seen of it: this is for T alone, and put into t_{n+1} it would count "
    "the visit.)",
    elementary=True,
    says="t + (H - t + d) > H",
    domain=("t >= 0", "t < H", "H > 0", "d > 0"),
    symbols={"d": "τ - (H - t)"},
    mutant=Domain.of("t >= 0", "t < H", "H > 0", "d >= 0"),
)

section.claim(
    "eq:empirical-P/probability",
    "Σ_y p̂_k(y|x,a) = 1 for every pair that was left, N⁺ >= 1. (For the others it is 0, and so is λ̂_k, as "
    "the footnote says; where the proofs write Σ p̂ = 1 for all pairs they need "
    "eq:empirical-P/probability/repaired.)",
    elementary=True,
    says="N/Max(1, N) == 1",
    domain=Domain.of("N >= 1", integers="N"),
    latex=r"\sum_y \hat p_k(y|x,a) = 1",
    mutant=Domain.of("N >= 0", integers="N"),
)

section.repair(
    "eq:empirical-P/probability/repaired",
    "Σ_y p̂_k(y|x,a) = N⁺/max{1, N⁺} is at most 1 for every N⁺ >= 0, in every run; p̂_k >= 0, 0 <= λ̂_k <= "
    "λmax and b_k >= 0: the estimates are those of a model.",
    says="N <= Max(1, N)",
    domain=Domain.of("N >= 0", integers="N"),
    theorem=estimates.ESTIMATED,
    derivation=estimates.estimated_model,
    latex=r"\sum_y \hat p_k(y|x,a) \le 1",
    mutant="N <= Max(1, N - 1)",
)

section.claim(
    "eq:rate-est/unseen",
    "A pair that was never seen has p̂ = 0 by eq:empirical-P and λ̂ = 0 by convention (0/0); one that was "
    "seen and never left has T > 0, N⁺ = 0 and the same estimates by the formulas: min{0/T, λmax} + "
    "0/max{1, 0} = 0.",
    elementary=True,
    says="Min(N/T, m) + N/Max(1, N) == 0",
    domain=Domain.of("0 <= N <= 0", "T > 0", "m > 0", integers="N"),
    setting=POLICIES,
    theorem=chains.UNSEEN,
    derivation=chains.unseen,
    checks=(unseen(), PROVER),
    latex=r"N^{k,+}(x,a) = 0 \implies \hat p_k(\cdot|x,a) = 0,\ \hat\lambda_k(x,a) = 0",
    mutant=unseen(1),
)

section.claim(
    "eq:beta-k",
    "sqrt(λmax L/max{T, L/λmax}) is λmax for T < L/λmax and sqrt(λmax L/T) otherwise, for every T >= 0, "
    "λmax > 0 and L > 0 (L(δ) > 4 ln 2 always).",
    checks=two_forms(),
    latex=r"\sqrt{\lambda_{\max}L/\max\{T, L/\lambda_{\max}\}} = \lambda_{\max}\ (T < L/\lambda_{\max}),"
    r"\ \sqrt{\lambda_{\max}L/T}\ (\text{otherwise})",
    mutant=two_forms(1),
)

section.claim(
    "eq:bonus-k/real",
    "The radicand S ln 2 + ln(SAHK²/δ) of α and of the bonus is nonnegative for all S, A, K >= 1, H > 0 and "
    "δ in (0, 1). (λmax L(δ)/max(T, L(δ)/λmax) is positive always, as L(δ) > 4 ln 2.)",
    says="S*log(2) + log(S*A*H*K**2/d) >= 0",
    domain=Domain.of(*_SIZES, "0 < d < 1", integers="S A K"),
    checks=REFUTATION,
    expected="refuted",
    mutant=Domain.of(*_SIZES, "H >= 1", "0 < d < 1", integers="S A K"),
    finding=Remark(
        "statement",
        "The algorithm is not defined for short horizons: the radicand of α is negative for 2^S SAHK² < δ.",
        repair="eq:bonus-k/real/repaired",
    ),
)

section.repair(
    "eq:bonus-k/real/repaired",
    "It is nonnegative if δ <= 2^S SAHK².",
    elementary=True,
    says="S*log(2) + log(S*A*H*K**2/d) >= 0",
    domain=Domain.of(*_SIZES, "0 < d < 1", "d <= 2**S*S*A*H*K**2", integers="S A K"),
    mutant=Domain.of(*_SIZES, "0 < d < 1", integers="S A K"),
)
