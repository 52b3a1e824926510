r"""The event 𝒢 of ``eq:G``.

:math:`P(\mathcal G^c) \le 2\delta` adds up ``lem:rateUCB`` and ``lem:CI-p``, and fails where the second
does, for short horizons and fast rates.  With the repaired lemmas it holds.

The lemmas are derived for the decisions before the n-th, for every n, which is what the regret needs;
``eq:G/all-decisions`` lets n go to infinity.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.coverage import both_sets
from proofs_checks.checks.jumps import short_and_fast
from proofs_checks.derivations import all_decisions, event
from proofs_checks.derivations.setting import POLICIES
from verify.claims import Domain, Remark, Section

section = Section(checks=PROOF, expected="proved", setting=POLICIES, symbols={"d": "δ"})

section.claim(
    "eq:G",
    "P(𝒢^c) <= 2δ, for all S, A, K >= 1, H > 0, 0 < δ < 1 and 0 < λmax. (False where lem:CI-p is: S = 3, A = "
    "1, K = 2, δ = 1/10, H = 1/480, rates 1920, where the sets of pairs without data are right, have P(𝒢^c) "
    ">= 0.279 > 1/5. Without data the sets may miss, too; that defect can be removed, see lem:CI-p/unseen.)",
    uses="lem:rateUCB lem:CI-p",
    checks=short_and_fast(sets=2),
    expected="refuted",
    latex=r"\mathbb P(\mathcal G^c) \le 2\delta",
    mutant=short_and_fast(Fraction(1), sets=2),  # a longer horizon: not refuted
    finding=Remark(
        "statement",
        "P(𝒢^c) <= 2δ fails with lem:CI-p, for short horizons and fast rates.",
        details="It stands under the conditions of eq:G/repaired, and everywhere, up to (1 + J/K)δ, with "
        "another radius (eq:G/uniform).",
        repair="eq:G/uniform",
    ),
)

section.repair(
    "eq:G/repaired",
    "P(𝒢^c) <= 2δ if λmax (K-1) H <= 25^K L(δ), 2^S SAHK² >= √e δ, e² λmax (K-1) <= K² and HK² >= "
    "ln(2^(S-1)/δ). (If 𝒢 leaves out pairs without data, which lem:error-model/unseen allows, the second is "
    "needed only for α to be a real number.)",
    uses="lem:rateUCB/repaired lem:CI-p/repaired",
    theorem=event.EVENT_REPAIRED,
    derivation=event.event_repaired,
    checks=both_sets(),
    latex=r"\mathbb P(\mathcal G^c) \le 2\delta",
    mutant=both_sets(scale=0.25),
)

section.repair(
    "eq:G/uniform",
    "P(𝒢^c) <= (1 + J/K) δ on the whole domain if HK² in α is replaced by n(n+1), n = max{1, N⁺}, with J "
    "the least integer J >= 0 such that λmax (K-1) H <= 25^J L(δ); this is at most 2δ if J <= K.",
    says="d*J/K + d <= 2*d",
    domain=Domain.of("0 < d < 1", "K >= 1", "J >= 0", "J <= K", integers="J K"),
    uses="lem:rateUCB/repaired lem:CI-p/uniform",
    theorem=event.EVENT_UNIFORM,
    derivation=event.event_uniform,
    checks=(both_sets(uniform=True), *PROOF),
    latex=r"\mathbb P(\mathcal G^c) \le (1+J/K)\delta",
    mutant=both_sets(uniform=True, scale=0.25),
)

section.repair(
    "eq:G/all-decisions",
    "Both bounds hold for 𝒢 itself, at all decisions of the K episodes, since they hold for the decisions "
    "before the n-th, for every n, and the mean number of decisions is at most (1 + λmax H)K.",
    uses="eq:G/repaired eq:G/uniform prop:rateerror/decisions prop:rateerror/episodes",
    theorem=all_decisions.WHOLE,
    derivation=all_decisions.whole,
)
