r"""``lem:CI-p``: the :math:`L_1` confidence sets of the jump probabilities.

Write :math:`\Lambda = S\ln 2 + \ln(SAHK^2/\delta)`, so that :math:`\alpha_k = \sqrt{2\Lambda/\max\{1,N\}}`.

**What fails.**  (1) With no data :math:`\|p-\hat p\|_1 = 1`, and :math:`\alpha_k \ge 1` only if
:math:`2^S SAHK^2 \ge \sqrt e\,\delta`; in the first episode no pair has data.  (2) The radius comes from
discrete time, where a pair is seen at most :math:`HK` times.  Here :math:`N` has no bound, and :math:`H`
under the logarithm carries a unit: measuring time in other units (:math:`H/c`, :math:`c\lambda`) changes
the radius and not the data. With short horizons and fast rates the sets miss, also where (1) is no problem
(:func:`~proofs_checks.checks.jumps.short_and_fast`).

**What works.**  Next states are drawn independently of holding times and of the past, so each observed jump
from a pair multiplies :math:`e^{s(N(B)-p(B)N)-s^2N/8}` by a factor of mean at most 1 (Hoeffding), whatever
the policies.  With :math:`d = \hat p - p`, :math:`\|d\|_1 = 2\max_B d(B)`, and each of the :math:`2^S-2` sets
:math:`B` costs :math:`e^{-2n(\epsilon/2)^2}`.  The union is over the values :math:`n` of :math:`N` (and over
:math:`k` no more):

* for :math:`n \le HK^2` it costs :math:`(1-2^{1-S})\delta`, and if :math:`e^2\lambda_{\max}(K-1) \le K^2`
  more jumps than :math:`HK^2` have probability at most :math:`e^{-HK^2}`: ``lem:CI-p/repaired``;
* with :math:`n(n+1)`, :math:`n = \max\{1,N\}`, in the place of :math:`HK^2` it holds everywhere, since
  :math:`\sum_n 1/(n(n+1)) = 1`: ``lem:CI-p/uniform``.  That radius is smaller than the paper's while
  :math:`n(n+1) < HK^2`.

**Weissman's inequality.**  For a set :math:`B` that supermartingale gives, with Ville's inequality,
:math:`P(N = n, d(B) \ge \epsilon/2) \le e^{n(-s\epsilon/2 + s^2/8)}`, which is :math:`e^{-n\epsilon^2/2}` at
:math:`s = 2\epsilon`.  The empty set and the whole one have :math:`d(B) = 0`, so that :math:`2^S-2` sets
remain.  Beside the proof stand exact multinomial probabilities in fractions.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.jumps import (
    best_subset,
    more_than,
    rarely_more_than,
    short_and_fast,
    weissman,
    without_data,
)
from proofs_checks.derivations import jump_cover, jump_repaired, jump_sets, run_counts
from proofs_checks.derivations.setting import ANY, POLICIES
from verify.claims import Domain, Remark, Section
from verify.provers.proof import Proof

_SIZES = ("S >= 1", "A >= 1", "K >= 1", "H > 0", "0 < d < 1")
_PAPER = "S*log(2) + log(S*A*H*K**2/d)"  # Λ

section = Section(checks=PROOF, expected="proved", setting=POLICIES, symbols={"d": "δ", "e": "ε"})

section.claim(
    "lem:CI-p",
    "P(‖p - p̂_k‖₁ <= α_k for all x, a, k) >= 1 - δ, for all S, A, K >= 1, H > 0, 0 < δ < 1 and rates in "
    "(0, λmax]. (False with S = 3, A = 1, K = 2, δ = 1/10, H = 1/480, rates 1920, where α = √(2 ln 2) >= "
    "1 without data: two jumps are seen from state 0 and lead to the same state with probability 0.195, "
    "and then ‖p - p̂‖₁ = 1 > α.)",
    uses="lem:CI-p/unseen lem:CI-p/weissman",
    checks=short_and_fast(),
    expected="refuted",
    latex=r"\mathbb P(\|p-\hat p_k\|_1 \le \alpha_k\ \text{for all}\ x,a,k) \ge 1-\delta",
    mutant=short_and_fast(Fraction(1)),  # time in units of the horizon
    finding=Remark(
        "statement",
        "The radius contains HK², a number of steps in discrete time; in continuous time it depends on the "
        "unit of time while the data do not.",
        details="For short horizons and fast rates the sets miss far more often than δ. It stands where 2^S "
        "SAHK² >= √e δ, e² λmax (K-1) <= K² and HK² >= ln(2^(S-1)/δ) (lem:CI-p/repaired), and everywhere "
        "with n(n+1), n = max{1, N⁺}, in the place of HK² (lem:CI-p/uniform). thm:CT-UCB survives: where "
        "the sets are wrong its bound is trivial.",
        repair="lem:CI-p/uniform",
    ),
)

section.step(
    "lem:CI-p/unseen",
    "If N⁺ = 0 then ‖p - p̂‖₁ = 1 <= α = √(2Λ), for all S, A, K >= 1, H > 0, 0 < δ < 1.",
    says=f"1 <= 2*({_PAPER})",
    domain=Domain.of(*_SIZES, integers="S A K"),
    checks=(Proof(), without_data()),
    expected="refuted",
    latex=r"1 \le \sqrt{2[S\ln2+\ln(SAHK^2/\delta)]}",
    mutant=without_data(region=True),
    finding=Remark(
        "proof",
        "Without data ‖p - p̂‖₁ = 1, and α < 1 (or no real number) where 2^S SAHK² < √e δ: the sets then "
        "miss in the first episode, surely.",
        details="S = 2, A = K = 1, H = 3/80, δ = 1/4: α = 0.604. Removable: the footnote on unseen pairs is "
        "right in substance, the proofs do not need the L1 bound where N⁺ = 0 (lem:error-model/unseen), so "
        "that 𝒢 may leave these pairs out.",
        repair="lem:CI-p/unseen/repaired",
    ),
)

# --- Weissman's inequality --------------------------------------------------------------------

section.repair(
    "lem:CI-p/subsets",
    "‖p̂ - p‖₁ = 2 max_B (p̂(B) - p(B)) for probability vectors, and some B attains it: termwise |d| <= 2 "
    "max(d, 0) - d (equal), the d add up to 0, and a best B are the states with d >= 0.",
    says="Abs(d) <= 2*Max(d, 0) - d",
    domain="-1 <= d <= 1",
    symbols={"d": "p̂(y) - p(y)"},
    source="lem:CI-p/weissman",
    setting=ANY,
    theorem=jump_sets.SUBSETS,
    derivation=jump_sets.subsets,
    checks=(best_subset(), *PROOF),
    latex=r"\|\hat p-p\|_1 = 2\max_B(\hat p(B)-p(B))",
    mutant=best_subset(1),
)

section.repair(
    "lem:CI-p/hoeffding",
    "ln E exp(s(X - p)) <= s²/8 for X = 1 with probability p and 0 otherwise, s >= 0 (Hoeffding's lemma).",
    says="log(1 - p + p*exp(s)) - s*p <= s**2/8",
    domain=("0 <= p <= 1", "s >= 0"),
    source="lem:CI-p/weissman",
    mutant="log(1 - p + p*exp(s)) - s*p <= s**2/9",
)

section.repair(
    "lem:CI-p/supermartingale",
    "A decision multiplies exp(s(N(B) - p(B)N) - s²N/8), N(B) the number of observed jumps into B, by a "
    "factor of mean at most 1, given all that came before, for every s >= 0 and every set B, whatever the "
    "learner does.",
    source="lem:CI-p/weissman",
    uses="lem:CI-p/hoeffding",
    setting=ANY,
    theorem=jump_sets.SUPERMARTINGALE,
    derivation=jump_sets.supermartingale,
)

section.step(
    "lem:CI-p/weissman",
    "For n >= 1 and ε > 0: the learner ever has an estimate of a row from n observed jumps with ‖p - p̂‖₁ >="
    " ε with probability at most (2^S - 2) exp(-nε²/2), whatever it does. (Independent draws are a case of "
    "it.) Each set B other than none and all costs exp(n(-sε/2 + s²/8)), s = 2ε.",
    says="(2**S - 2)*exp(n*(-(2*e)*e/2 + (2*e)**2/8)) == (2**S - 2)*exp(-n*e**2/2)",
    domain=Domain.of("S >= 1", "n >= 1", "e > 0", integers="S n"),
    uses="lem:CI-p/subsets lem:CI-p/supermartingale lem:rateUCB/frozen",
    theorem=jump_sets.WEISSMAN,
    derivation=jump_sets.weissman,
    checks=(weissman(), *PROOF),
    latex=r"\mathbb P(\|p-\hat p\|_1 \ge \epsilon) \le (2^S-2)e^{-n\epsilon^2/2}",
    mutant=weissman(Fraction(1)),
)

# --- the union over the values of N⁺ ----------------------------------------------------------

section.repair(
    "lem:CI-p/union",
    "The HK² of the radius, in the cited lemma the number of values that a count of discrete time can take, "
    "bounds no count of continuous time: with K = 2, H = 1 and one state that jumps to itself at rate 1, "
    "P(N⁺ > HK²) >= 1/300. (A reconstruction of where HK² comes from: the paper gives no proof. With "
    "probability 1 - exp(-HK²) it is a bound if e² λmax (K-1) <= K², lem:CI-p/counts.)",
    checks=more_than(),
    latex=r"\mathbb P(N^{K,+} > HK^2) > 0",
    mutant=more_than(3),
)

# --- what holds -------------------------------------------------------------------------------

section.repair(
    "lem:CI-p/unseen/repaired",
    "If 2^S SAHK² >= √e δ then ‖p - p̂‖₁ = 1 <= α whenever N⁺ = 0 in a run; with 2^S SAHK²/δ = √e (1 + z), z"
    " >= 0.",
    says="1 <= sqrt(2*log(exp(1/2)*(1 + z)))",
    domain="z >= 0",
    symbols={"z": "2^S SAHK²/(√e δ) - 1"},
    theorem=jump_repaired.UNSEEN,
    derivation=jump_repaired.unseen,
    latex=r"2^S SAHK^2 \ge \sqrt e\,\delta \implies \alpha_k \ge 1\ \text{for}\ N^+ = 0",
    mutant="1 <= sqrt(2*log(exp(2/5)*(1 + z)))",
)

section.repair(
    "lem:CI-p/union/repaired",
    "The sets of all pairs with 1, ..., HK² observed jumps cover in all K episodes with probability at least"
    " 1 - (1 - 2^(1-S)) δ: what Weissman's inequality leaves for all pairs and n = 1, ..., M with M <= HK² "
    "adds up to at most that, SA·M·(2^S - 2) e^(-Λ) + 2^(1-S) δ <= δ.",
    says=f"S*A*n*(2**S - 2)*exp(-({_PAPER})) + 2**(1 - S)*d <= d",
    domain=Domain.of(*_SIZES, "n >= 1", "n <= H*K**2", integers="S A K n"),
    symbols={"n": "M"},
    uses="lem:CI-p/weissman",
    theorem=jump_repaired.UNION,
    derivation=jump_repaired.union,
    mutant=f"S*A*K*n*(2**S - 2)*exp(-({_PAPER})) + 2**(1 - S)*d <= d",
)

section.repair(
    "lem:CI-p/counts",
    "If m >= e²u, u = λmax (K-1) H, more than m jumps are seen before one of the K episodes with probability"
    " at most e^(-m): exp(2N - (e² - 1)Σ λT), N all jumps, is a martingale, and 2m - (e² - 1)u >= m.",
    says="2*m - (exp(2) - 1)*u >= m",
    domain=("u >= 0", "m >= 0", "exp(2)*u <= m"),
    symbols={"u": "λmax (K-1) H"},
    uses="lem:rateUCB/martingale lem:rateUCB/frozen",
    setting=ANY,
    theorem=run_counts.COUNTS,
    derivation=run_counts.counts,
    checks=(rarely_more_than(8), rarely_more_than(20), *PROOF),
    mutant=Domain.of("u >= 0", "m >= 0", "exp(1)*u <= m"),
)

section.repair(
    "lem:CI-p/repaired",
    "The lemma holds with the paper's radius if 2^S SAHK² >= √e δ, e² λmax (K-1) <= K² and HK² >= "
    "ln(2^(S-1)/δ): (1 - 2^(1-S)) δ + e^(-HK²) <= δ, with HK² = (S-1) ln 2 - ln δ + y, y >= 0.",
    says="(1 - 2**(1 - S))*d + exp(-((S - 1)*log(2) - log(d) + y)) <= d",
    domain=Domain.of("S >= 1", "0 < d < 1", "y >= 0", integers="S"),
    symbols={"y": "HK² - ln(2^(S-1)/δ)"},
    uses="lem:CI-p/unseen/repaired lem:CI-p/union/repaired lem:CI-p/counts",
    theorem=jump_repaired.REPAIRED,
    derivation=jump_repaired.repaired,
    checks=(short_and_fast(Fraction(8)), *PROOF),
    mutant=Domain.of("S >= 1", "0 < d < 1", "y >= -1", integers="S"),
)

section.repair(
    "lem:CI-p/uniform",
    "With n(n+1), n = max{1, N⁺}, in the place of HK² in α the lemma holds on the whole domain: the draws "
    "n of all pairs cost at most δ/(n(n+1)) = δ/n - δ/(n+1), which adds up to δ.",
    says="S*A*(2**S - 2)*exp(-n*(2*(S*log(2) + log(S*A*n*(n + 1)/d))/n)/2) <= d/n - d/(n + 1)",
    domain=Domain.of("S >= 1", "A >= 1", "n >= 1", "0 < d < 1", integers="S A n"),
    symbols={"n": "max{1, N⁺}"},
    uses="lem:CI-p/weissman lem:CI-p/uniform-unseen",
    theorem=jump_cover.UNIFORM,
    derivation=jump_cover.uniform,
    checks=(short_and_fast(uniform=True), *PROOF),
    latex=r"\tilde\alpha_k = \sqrt{2[S\ln2+\ln(SAn(n+1)/\delta)]/n},\ n = \max\{1,N^{k,+}\}",
    mutant="S*A*(2**S - 2)*exp(-n*(2*(S*log(2) + log(S*A*n/d))/n)/2) <= d/n - d/(n + 1)",
)

section.repair(
    "lem:CI-p/uniform-unseen",
    "That radius is at least 1 without data: 2[S ln 2 + ln(2SA/δ)] >= 1.",
    says="1 <= 2*(S*log(2) + log(2*S*A/d))",
    domain=Domain.of("S >= 1", "A >= 1", "0 < d < 1", integers="S A"),
    mutant="2 <= 2*(S*log(2) + log(S*A/d))",
)
