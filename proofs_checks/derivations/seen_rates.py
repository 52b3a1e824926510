r"""``prop:rateerror`` where a jump is seen, in the place of the remaining time.

As there, :math:`\beta \le \sqrt{\lambda_{\max}L}\sqrt{2\lambda_{\max}}/\sqrt{\max\{1,N\}} +
\lambda_{\max}1_{odd}`.  An episode has v jumps in the mean at most, whatever is frozen, so that odd pairs
cost at most :math:`\lambda_{\max}v\delta/2`, and v <= D.
"""

from __future__ import annotations

from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED, LONG, SEEN, both_levels
from proofs_checks.derivations.rates import (
    LOST,
    RATE_ROOTS,
    RATES,
    large_pairs,
    large_roots,
    leveled_enough,
    long_enough,
    odd_ones,
    one_is_odd,
    roots_sign,
)
from proofs_checks.derivations.runs import ACTIVE, product
from proofs_checks.derivations.tail_series import BELOW
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

SEEN_RATES = RATES.replace("rem(n)", "jump(n)")
SEEN_BOUND = f"{SEEN_RATES} <= 7/3*{RATE_ROOTS}*sqrt(S*A*K)*"
SEEN_ERRORS = f"And({SEEN_BOUND}({LONG}), Imp({BELOW}, {SEEN_BOUND}{LEVELED}))"
_ODD = LOST.replace("rem(n)", "jump(n)")
_V = "lmax*H"


def _odd(D: Derivation) -> Theorem:
    """Jumps at odd pairs cost at most λmax v δ/2."""
    some = D.times(one_is_odd(D), D.whole(f"{ACTIVE}*jump(n)"))
    mean = D.sum(D.mean(D.times(some, rate_bound(D))), "n", "m")
    few = odd_ones(D, "prop:rateerror/jumps", _V, "jump(n)")
    return D.linear(f"{_ODD} <= lmax*({_V})*delta/2", mean, D.times(few, rate_bound(D)))


def seen_rate_errors(D: Derivation) -> Theorem:
    """prop:rateerror/seen."""
    one = D.times(D.times(D.lemma("prop:rateerror/pathwise"), D.whole("jump(n)")), D.whole(ACTIVE))
    split, sign, rate = D.sum(D.mean(one), "n", "m"), roots_sign(D), rate_bound(D)
    value = product(D, rate, D.fact("horizon"))
    less = D.linear("0 <= 1 - delta", theorems.part(D.fact("delta"), D.formula("delta < 1")))
    odd, sure = _odd(D), D.times(D.times(less, value), rate)
    whole, small = D.times(large_roots(D), value), D.times(value, rate)

    def total(levels: str, jumps: Theorem, enough: Theorem) -> Theorem:
        wide = D.times(large_pairs(D), D.linear(f"0 <= {levels}", enough, value))
        spread = D.times(D.linear(f"{_V} <= sqrt(S*A*K)*({levels})", enough, wide), sign)
        facts = (D.times(jumps, sign), odd, sure, spread, whole, small)
        return D.linear(f"{SEEN_BOUND}({levels})", split, *facts)

    plain, chosen = both_levels(D, D.lemma("prop:proberror/seen"), f"E({SEEN}) <= 2*sqrt(S*A*K)*")
    leveled = total(LEVELED, chosen, leveled_enough(D))
    return theorems.both(total(LONG, plain, long_enough(D)), D.imply(leveled, BELOW))
