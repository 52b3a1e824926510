"""The event 𝒢: all confidence sets cover, at all decisions of all episodes.

The probability that two events both hold is at least the sum of theirs less 1.
"""

from __future__ import annotations

from proofs_checks.derivations.jump_cover import PAIRS, UNIFORM_COVER
from proofs_checks.derivations.jump_repaired import (
    DATA,
    FEW,
    JUMPS_COVER,
    TAIL,
    at_decision,
    both_hold,
    everywhere,
)
from proofs_checks.derivations.rate_sets import RATES_COVER
from proofs_checks.derivations.unions import all_cover
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def good_event(jumps: str) -> str:
    """𝒢, for all decisions i < n of the episodes before K."""
    return all_cover(PAIRS.format(cover=f"And({RATES_COVER}, {jumps})"), "ep(i) < K")


PEELS = "lmax*(K - 1)*H <= 25**K*L"
GOOD = f"1 - 2*delta <= E(Ind({good_event(JUMPS_COVER)}))"
EVENT_REPAIRED = f"Imp({PEELS}, Imp({DATA}, Imp({FEW}, Imp({TAIL}, {GOOD}))))"
LONGER = "lmax*(K - 1)*H <= 25**k*L"
EVENT_UNIFORM = f"Imp({LONGER}, 1 - (1 + k/K)*delta <= E(Ind({good_event(UNIFORM_COVER)})))"


def event_repaired(D: Derivation) -> Theorem:
    """P(𝒢^c) <= 2δ with the paper's radii, where both lemmas hold."""
    rates = D.mp(D.at(D.lemma("lem:rateUCB/repaired"), k="K"), D.assume(PEELS))
    jumps = D.mp(D.lemma("lem:CI-p/repaired"), *(D.assume(text) for text in (DATA, FEW, TAIL)))
    unit = D.scaled(D.positive("inverse", "K", D.linear("0 < K", D.fact("episodes"))), "delta")
    return D.imply(D.linear(GOOD, _both(D, rates, jumps), unit), PEELS, DATA, FEW, TAIL)


def event_uniform(D: Derivation) -> Theorem:
    """P(𝒢^c) <= (1 + J/K)δ with n(n + 1) in the radius of the jump sets."""
    rates = D.mp(D.lemma("lem:rateUCB/repaired"), D.assume(LONGER))
    both = _both(D, rates, D.lemma("lem:CI-p/uniform"))
    return D.imply(D.linear(D.formula(EVENT_UNIFORM).parts[1], both), LONGER)


def _both(D: Derivation, rates: Theorem, jumps: Theorem) -> Theorem:
    def entails(*events: Theorem) -> Theorem:
        return everywhere(D, theorems.both(*(at_decision(D, one, "x", "a") for one in events)))

    return both_hold(D, rates, jumps, entails)
