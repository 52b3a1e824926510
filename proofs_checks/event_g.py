r"""The event 𝒢 of ``eq:G`` and the estimates it is about.

:math:`P(\mathcal G^c) \le 2\delta` adds up ``lem:rateUCB`` and ``lem:CI-p``, and fails where the second
does, for short horizons and fast rates.  With the repaired lemmas it holds.

A row of :math:`\hat p_k` adds up to :math:`N/\max\{1,N\}`: 1, or 0 for a pair that was never left.  The
proofs of ``lem:error-model`` and of the contraction write :math:`\sum_y \hat p_k = 1`; they need, and
have, at most 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Any

from proofs_checks.coverage import both_sets
from proofs_checks.lem_ci_p import short_and_fast
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Kind, claim
from verify.provers.proof import Proof
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.learning import Statistics

_BITS = 128
_PROOF = (Proof(), Search(examples=(60, 2000)))


EVENT = claim(
    "eq:G",
    "P(𝒢^c) <= 2δ, for all S, A, K >= 1, H > 0, 0 < δ < 1 and 0 < λmax. (False where lem:CI-p is: S = 3, A = "
    "1, K = 2, δ = 1/10, H = 1/480, rates 1920, where the sets of pairs without data are right, have P(𝒢^c) "
    ">= 0.279 > 1/5. Without data the sets may miss, too; that defect can be removed, see lem:CI-p/unseen.)",
    source="eq:G",
    uses=("lem:rateUCB", "lem:CI-p"),
    checks=short_and_fast(sets=2),
    expected="refuted",
    latex=r"\mathbb P(\mathcal G^c) \le 2\delta",
)

EVENT_REPAIRED = claim(
    "eq:G/repaired",
    "P(𝒢^c) <= 2δ if λmax (K-1) H <= 25^K L(δ), 2^S SAHK² >= √e δ, e² λmax (K-1) <= K² and HK² >= "
    "ln(2^(S-1)/δ). (If 𝒢 leaves out pairs without data, which lem:error-model/unseen allows, the second is "
    "needed only for α to be a real number.)",
    says="d + d <= 2*d",
    domain=Domain.of("0 < d < 1"),
    source="eq:G",
    kind=Kind.REPAIR,
    uses=("lem:rateUCB/repaired", "lem:CI-p/repaired"),
    checks=(both_sets(), *_PROOF),
    argued="that the probability of a union is at most the sum",
    expected="supported",
    latex=r"\mathbb P(\mathcal G^c) \le 2\delta",
)

EVENT_UNIFORM = claim(
    "eq:G/uniform",
    "P(𝒢^c) <= (1 + J/K) δ on the whole domain if HK² in α is replaced by n(n+1), n = max{1, N}, with J "
    "the least integer J >= 0 such that λmax (K-1) H <= 25^J L(δ); this is at most 2δ if J <= K.",
    says="d*J/K + d <= 2*d",
    domain=Domain.of("0 < d < 1", "K >= 1", "J >= 0", "J <= K", integers="J K"),
    source="eq:G",
    kind=Kind.REPAIR,
    uses=("lem:rateUCB/repaired", "lem:CI-p/uniform"),
    checks=(both_sets(uniform=True), *_PROOF),
    argued="that the probability of a union is at most the sum",
    expected="supported",
    latex=r"\mathbb P(\mathcal G^c) \le (1+J/K)\delta",
)

PROBABILITY = claim(
    "eq:empirical-P/probability",
    "Σ_y p̂_k(y|x,a) = 1 wherever the proofs use it (eq:model-error, the contraction), for every N >= 0.",
    says="N/Max(1, N) == 1",
    domain=Domain.of("N >= 0", integers="N"),
    source="eq:empirical-P",
    checks=(Proof(), Search(examples=(60, 2000))),
    expected="refuted",
    latex=r"\sum_y \hat p_k(y|x,a) = 1",
)

PROBABILITY_REPAIRED = claim(
    "eq:empirical-P/probability/repaired",
    "Σ_y p̂_k(y|x,a) = N/max{1, N} is at most 1 for every N >= 0.",
    says="N <= Max(1, N)",
    domain=Domain.of("N >= 0", integers="N"),
    source="eq:empirical-P",
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
    latex=r"\sum_y \hat p_k(y|x,a) \le 1",
)


# --- unseen pairs -----------------------------------------------------------------------------


def _histories() -> Any:
    """Statistics after up to four episodes of a random model, drawn from a seed, all actions in turn."""
    from hypothesis import strategies as st

    from ctucbvi.learning import Environment, Statistics
    from ctucbvi.strategies import models

    @st.composite
    def histories(draw: Any) -> Statistics:
        model = draw(models())
        world = Environment(model, seed=draw(st.integers(0, 2**16)))
        found = Statistics.empty(model)
        offered: dict[str, list[str]] = {
            x: [r.action for r in model.transitions if r.state == x] for x in model.states
        }
        turns = count()

        def rotating(state: str, remaining: Fraction) -> str:
            del remaining
            return offered[state][next(turns) % len(offered[state])]

        for _ in range(draw(st.integers(0, 4))):
            found = found.after(world.episode(rotating))
        return found

    return histories()


def _unseen(offset: int = 0) -> Any:
    """λ̂ and all p̂ of pairs without observed jumps, added up, against ``offset``."""

    def sides(found: Statistics) -> tuple[Fraction, Fraction]:
        from ctucbvi.learning import Settings

        settings = Settings(1, max(found.model.max_rate, Fraction(1)))
        total = Fraction(0)
        for pair, left in enumerate(found.left):
            if left == 0:
                total += found.rate(pair, settings) + sum(found.probability(pair))
        return total, Fraction(offset)

    return sides


def unseen(offset: int = 0) -> Search:
    """The exact learner's estimates of pairs that were never seen, or seen and never left."""
    return Search(given=_histories(), sides=_unseen(offset), relation="==", examples=(100, 2000))


UNSEEN = claim(
    "eq:rate-est/unseen",
    "A pair that was never seen has p̂ = 0 by eq:empirical-P and λ̂ = 0 by convention (0/0); one that was "
    "seen and never left has T > 0, N = 0 and the same estimates by the formulas: min{0/T, λmax} + "
    "0/max{1, 0} = 0.",
    says="Min(N/T, m) + N/Max(1, N) == 0",
    domain=Domain.of("0 <= N <= 0", "T > 0", "m > 0", integers="N"),
    source="eq:rate-est",
    checks=(unseen(), Proof()),
    expected="proved",
    latex=r"N^{k,+}(x,a) = 0 \implies \hat p_k(\cdot|x,a) = 0,\ \hat\lambda_k(x,a) = 0",
)

TRUNCATED = claim(
    "eq:Nkplus/truncated",
    "A visit that H cuts off is not counted in N: with the abused notation τ_n = H - t_n the next jump is at "
    "t_{n+1} = t_n + τ_n > H. (It is at H, so that the indicator of t_{n+1} <= H counts the visit.)",
    says="t + (H - t) > H",
    domain=Domain.of("t >= 0", "t < H", "H > 0"),
    source="eq:Nkplus",
    kind=Kind.STEP,
    checks=(Proof(), Search(examples=(60, 2000))),
    expected="refuted",
    latex=r"\tau_n = H-t_n \implies t_{n+1} > H",
)

TRUNCATED_REPAIRED = claim(
    "eq:Nkplus/truncated/repaired",
    "With the whole holding time τ > H - t in t_{n+1} (and min{τ, H - t} in T only) the visit is not "
    "counted; τ = H - t + d.",
    says="t + (H - t + d) > H",
    domain=Domain.of("t >= 0", "t < H", "H > 0", "d > 0"),
    source="eq:Nkplus",
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

CLAIMS = (EVENT, EVENT_REPAIRED, EVENT_UNIFORM, PROBABILITY, PROBABILITY_REPAIRED, UNSEEN, TRUNCATED,
          TRUNCATED_REPAIRED)  # fmt: skip

MUTANTS: Mapping[str, Claim] = {
    "eq:G": replace(EVENT, checks=(short_and_fast(Fraction(1), sets=2),)),  # a longer horizon: not refuted
    "eq:G/repaired": changed(EVENT_REPAIRED, "d + 2*d <= 2*d"),
    "eq:G/uniform": replace(EVENT_UNIFORM, checks=(both_sets(uniform=True, scale=0.25),)),
    "eq:empirical-P/probability": changed(
        PROBABILITY, domain=Domain.of("N >= 1", integers="N")
    ),  # pairs that were left: true
    "eq:empirical-P/probability/repaired": changed(PROBABILITY_REPAIRED, "N <= Max(1, N - 1)"),
    "eq:Nkplus/truncated": changed(TRUNCATED, "t + (H - t) >= H"),  # it is at H
    "eq:Nkplus/truncated/repaired": changed(
        TRUNCATED_REPAIRED, domain=Domain.of("t >= 0", "t < H", "H > 0", "d >= 0")
    ),
    "eq:rate-est/unseen": replace(UNSEEN, checks=(unseen(1),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:G": {
        "breaks": "statement",
        "summary": "P(𝒢^c) <= 2δ fails with lem:CI-p, for short horizons and fast rates. It stands under the "
        "conditions of eq:G/repaired, and everywhere, up to (1 + J/K)δ, with another radius (eq:G/uniform).",
        "repair": "eq:G/uniform",
    },
    "eq:Nkplus/truncated": {
        "breaks": "notation",
        "summary": "With the notation 'slightly abused' for a visit that H cuts off, τ_n = H - t_n, the next "
        "jump would be at H and N would count the visit, whose next state is not seen. τ must stay whole in "
        "t_{n+1} and be cut off in T only.",
        "repair": "eq:Nkplus/truncated/repaired",
    },
    "eq:empirical-P/probability": {
        "breaks": "notation",
        "summary": "Σ p̂ = 0 for pairs that were never left, among them all pairs in the first episode; "
        "the proofs that write Σ p̂ = 1 need only Σ p̂ <= 1, which holds. Harmless.",
        "repair": "eq:empirical-P/probability/repaired",
    },
}
