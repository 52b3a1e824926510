r"""The regret of CT-UCBVI against what no algorithm stays below: K and A only in logarithms.

With l = ln(2SAKH) >= 4.9 and k = ln K <= l the factor :math:`16\sqrt{2+16l}\,\frac k{\ln(1+k)} + 3` of
``eq:regret-b1/repaired`` is at most :math:`37\,l^{3/2}`, as k/ln(1 + k) rises with k; what else depends on K
and A, :math:`\sqrt{SAK}`, is in the lower bound.
"""

from __future__ import annotations

from proofs_checks.derivations.corollary import CONDITIONS, LOGS, REST
from proofs_checks.derivations.longest import FACTOR
from proofs_checks.derivations.lower_readings import LONG_BOUND
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import WAIT, waits
from proofs_checks.derivations.regret import WHOLE_REGRET
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.theorem import LOGARITHM
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_SIZES = ("6 <= S", "2 <= A", "S*A <= 2*K", "0 < c")
_RATIO = f"259/c*({LOGARITHM}*sqrt({LOGARITHM}))*lmax**2*H*{WAIT}*(sqrt(S) + lmax*H)"
GAP = chain(f"{WHOLE_REGRET} <= {_RATIO}*({LONG_BOUND})", *CONDITIONS, "delta == 1/(2*K*H)", *_SIZES)


def _logarithms(D: Derivation) -> Theorem:
    """16 √(2 + 16l) f + 3 <= 37 l^{3/2}."""
    states, actions, many = (D.assume(one) for one in _SIZES[:3])
    some = D.linear("12 <= S*A", D.times(actions, D.whole("S")), states)
    six = D.linear("6 <= K", many, some)
    volume = D.linear(
        "2*S*A*K <= 2*S*A*K*H", D.times(D.linear("1 <= H", D.assume("1 < H")), D.whole("2*S*A*K"))
    )
    pairs = D.times(some, D.whole("K"))
    wide = D.linear("144 <= 2*S*A*K*H", volume, pairs, six)
    large = D.closed(D.pointwise("log(x) >= 49/10", "x >= 144", x="2*S*A*K*H"), wide)
    episodes = D.closed(D.pointwise("log(n) > 0", "n >= 6", n="K"), six)
    spare = D.linear("0 <= 2*S*A*K*H - K", volume, pairs, six)
    order = D.pointwise("log(x) <= log(x + d)", "x >= 1", "d >= 0", x="K", d="2*S*A*K*H - K")
    order = D.closed(order, D.fact("episodes"), spare, wide)
    k, d = "log(K)", f"{LOGARITHM} - log(K)"
    logs = [
        D.closed(D.pointwise("log(1 + k) > 0", "k > 0", k=one), episodes, large) for one in (k, LOGARITHM)
    ]
    rises = D.pointwise("k/log(1 + k) <= (k + d)/log(1 + k + d)", "k > 0", "d >= 0", k=k, d=d)
    rises = D.closed(rises, episodes, D.linear(f"0 <= {d}", order), large, *logs)
    bound = D.closed(D.claim("sec:result/gap/logarithm", l=LOGARITHM), large, *logs)
    least = D.times(rises, D.known("sqrt", LOGS))
    goal = f"16*sqrt({LOGS})*{FACTOR} + 3 <= 37*({LOGARITHM}*sqrt({LOGARITHM}))"
    return D.decide(goal, ["K == 1"], bound, least, six)


def gap(D: Derivation) -> Theorem:
    """sec:result/gap/regret."""
    regret = D.mp(D.lemma("eq:regret-b1/repaired"), *map(D.assume, (*CONDITIONS, "delta == 1/(2*K*H)")))
    v = product(D, rate_bound(D), D.fact("horizon"))
    sides = D.linear("0 <= sqrt(S) + lmax*H", D.known("sqrt", "S"), v)
    sign = D.times(D.times(waits(D), D.known("sqrt", "S*A*K")), sides)
    sign = D.linear(f"0 <= {REST}", D.times(sign, D.known("square", "lmax*H")))
    unit = D.positive("inverse", "c", D.assume("0 < c"))
    scaled = D.scaled(unit, f"37*({LOGARITHM}*sqrt({LOGARITHM}))*{REST}")
    shown = D.linear(
        f"{WHOLE_REGRET} <= {_RATIO}*({LONG_BOUND})", regret, D.times(_logarithms(D), sign), scaled
    )
    return D.imply(shown, *CONDITIONS, "delta == 1/(2*K*H)", *_SIZES)
