"""Small steps of the printed proofs: maxima of times, and the reward of one decision."""

from __future__ import annotations

from proofs_checks.derivations.estimates import times_known
from proofs_checks.derivations.nearby import HAT, RATES, TRUE, chain, either_way, estimate, wait, wait_high
from proofs_checks.derivations.operators import ESTIMATES, RATES_LOW
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.rate_peels import sized, sizes
from proofs_checks.derivations.runs import settled
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_TIME, _LEAST = "Tf(n, x, a)", "Max(Tf(n, x, a), 1/lmax)"
_MOST = "Max(Tf(n, x, a), L/lmax)"
RATE = f"Max(lam(x, a)*{_TIME}, 1) <= lmax*{_LEAST}"
LEVEL = f"1/sqrt({_MOST}) <= 1/sqrt({_LEAST})"
_PAID = f"(r(x, a) + gbon(x, a))*{wait(HAT)} - r(x, a)*{wait(TRUE)} <= t**2/2*gbe(x, a) + gbon(x, a)*t"
REWARD_STEP = chain(_PAID, ESTIMATES, RATES, "0 <= gbon(x, a)", "0 <= t")


def rate(D: Derivation) -> Theorem:
    """max{λT, 1} <= λmax max{T, 1/λmax}."""
    top = rate_bound(D)
    parts = [D.times(D.known(name, _TIME, "1/lmax"), top) for name in ("max", "max-right")]
    larger = D.times(D.fact("rate-high"), times_known(D))
    facts = [*parts, larger, D.positive("inverse", "lmax", top)]
    return either_way(D, D.known("max-cases", f"lam(x, a)*{_TIME}", "1"), RATE, *facts)


def level(D: Derivation) -> Theorem:
    """1/√max{T, L/λmax} <= 1/√max{T, 1/λmax}, as L > 1."""
    share = D.positive("inverse-positive", "lmax", rate_bound(D))
    one = D.claim("thm:CT-UCB/L/repaired", S="S", A="A", K="K", d="delta")
    one = D.closed(one, *sizes(D), sized(D, "0 < 2*S*A*K/d"))
    more = D.times(D.linear("0 <= L - 1", one, D.fact("L")), share)
    parts = [D.known(name, _TIME, "L/lmax") for name in ("max", "max-right")]
    gap = either_way(D, D.known("max-cases", _TIME, "1/lmax"), f"0 <= {_MOST} - {_LEAST}", *parts, more)
    low = D.linear(f"0 < {_LEAST}", D.known("max-right", _TIME, "1/lmax"), share)
    root = D.pointwise("1/sqrt(u + v) <= 1/sqrt(u)", "u > 0", "v >= 0", u=_LEAST, v=f"{_MOST} - {_LEAST}")
    return settled(D, root, low, gap, D.linear(f"0 < {_MOST}", low, gap))


def reward_step(D: Derivation) -> Theorem:
    """(r + b) w(λ̂) - r w(λ) <= t²β/2 + bt."""
    conditions = [D.assume(one) for one in (ESTIMATES, RATES, "0 <= t")]
    near = D.mp(D.lemma("lem:optimism/reward"), *conditions)
    change = f"r(x, a)*{wait(HAT)} - r(x, a)*{wait(TRUE)}"
    longest = D.times(wait_high(D, HAT, estimate(D, RATES_LOW)), D.assume("0 <= gbon(x, a)"))
    return D.imply(
        D.linear(_PAID, near, D.known("abs", change), longest), ESTIMATES, RATES, "0 <= gbon(x, a)", "0 <= t"
    )
