"""Ville's inequality: a nonnegative supermartingale seldom becomes large.

Stop at the first value that is at least c: with B the event that one was seen before decision n, the process
Z(n) = c B + (1 - B) M(n) has means that do not rise: where c <= M(n) it drops to c, and elsewhere it is M.
"""

from __future__ import annotations

from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_NONNEGATIVE, _FALLS = "All(n, 0 <= gM(n))", "All(n, E(gM(n + 1), n) <= gM(n))"
VILLE = (
    f"Imp(Sure({_NONNEGATIVE}), Imp(Sure({_FALLS}), Imp(0 < c, "
    "c*E(Ind(1 <= Sum(i, n, Ind(c <= gM(i))))) <= E(gM(0)))))"
)


def ville(D: Derivation) -> Theorem:
    """P(c <= M(i) for some i < n), times c, is at most E M(0)."""
    nonnegative, falls, positive = D.surely(_NONNEGATIVE), D.surely(_FALLS), D.assume("0 < c")
    before, now = "Sum(i, n, Ind(c <= gM(i)))", "c <= gM(n)"
    seen, after = f"1 <= {before}", f"1 <= {before} + Ind({now})"
    z = f"c*Ind({seen}) + (1 - Ind({seen}))*gM(n)"
    next_z = f"c*Ind({after}) + (1 - Ind({after}))*gM(n + 1)"

    def stopped(m: str) -> str:
        return f"c*Ind({seen}) + (1 - Ind({seen}))*(Ind({now})*gM(n) + (1 - Ind({now}))*{m})"

    step = D.decide(f"{next_z} <= {stopped('gM(n + 1)')}", [seen, now, after], D.whole(before))
    fall = D.decide(f"{stopped('E(gM(n + 1), n)')} <= {z}", [seen, now], D.special(falls, "n"))
    down = D.mean(D.linear(f"E({next_z}, n) <= {z}", D.mean(step, "n"), fall))
    start = D.linear("E(gM(0)) <= E(gM(0))")
    means = D.induction(
        "n", f"E({z}) <= E(gM(0))", start, lambda below: D.linear(f"E({next_z}) <= E(gM(0))", below, down)
    )
    part = D.mean(D.decide(f"c*Ind({seen}) <= {z}", [seen], D.special(nonnegative, "n"), positive))
    bound = D.linear(f"c*E(Ind({seen})) <= E(gM(0))", means, part)
    return D.imply(bound, f"Sure({_NONNEGATIVE})", f"Sure({_FALLS})", "0 < c")
