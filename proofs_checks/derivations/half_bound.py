"""From K = 101 on the main term of ``thm:CT-UCB/sharp`` is at most half of the printed one."""

from __future__ import annotations

from proofs_checks.derivations.bound import RADICAND
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.theorem import LOGARITHM, ROOTS, Choice, roots_below
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_LEVELS = "((exp(1) - 1)*(lmax*H) + 1/(exp(1/2) - 1))"
_SHARP = f"{_LEVELS}*(2*sqrt({RADICAND}) + 7/3*lmax*H*sqrt(2*L))"
_FACTOR = "log(K)/log(1 + log(K))"
_CHOICE = "delta == 1/(2*K*H)"
_CONDITIONS = ("1 <= S*A*H", "1 < K*H", "101 <= K", _CHOICE)
_HALF = f"2*{_SHARP} <= 3*((lmax*H + 1)*{_FACTOR})*{ROOTS}"
HALF = f"Imp({_CONDITIONS[0]}, Imp({_CONDITIONS[1]}, Imp({_CONDITIONS[2]}, Imp({_CHOICE}, {_HALF}))))"


def half(D: Derivation) -> Theorem:
    """2 D (2a + 7/3 b) <= 14/3 D (a + b) <= 3 (v + 1) f (a' + b')."""
    value, many = product(D, rate_bound(D), D.fact("horizon")), D.assume("101 <= K")
    jumps, rates, _ = roots_below(D, Choice(D, D.assume(_CHOICE)))
    large = D.closed(D.pointwise("log(n) >= 461/100", "n >= 101", n="K"), many, D.linear("0 < K", many))
    below = D.closed(D.pointwise("log(1 + k) > 0", "k >= 461/100", k="log(K)"), large)
    factor = D.closed(D.claim("thm:CT-UCB/half/log-factor", k="log(K)"), large, below)
    base = D.linear("0 < exp(1/2) - 1", D.pointwise("exp(1/2) > 1"))
    whole = D.closed(D.claim("thm:CT-UCB/half/factor", v="lmax*H", f=_FACTOR), value, factor, base)
    root, log = D.known("sqrt", f"2*S + 6*{LOGARITHM}"), D.known("sqrt", LOGARITHM)
    printed = D.linear(f"0 <= {ROOTS}", root, D.times(log, value))
    second = D.times(rates, value)
    sums = D.linear(f"2*sqrt({RADICAND}) + 7/3*lmax*H*sqrt(2*L) <= 7/3*{ROOTS}", jumps, second, root)
    share = D.positive("inverse-positive", "exp(1/2) - 1", base)
    growth = D.times(D.linear("0 <= exp(1) - 1", D.pointwise("exp(1) > 1")), value)
    levels = D.linear(f"0 <= {_LEVELS}", growth, share)
    return D.imply(D.linear(_HALF, D.times(sums, levels), D.times(whole, printed)), *_CONDITIONS)
