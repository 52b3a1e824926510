r"""``thm:CT-UCB`` with half of the bonus and with a lump sum, and the corollary of the second.

All that is left are the factors of thm:CT-UCB/any-learner: (CH + 1)/2 and 1.  In the corollary, with
:math:`v = \lambda_{\max}H > 1`, :math:`D \le \frac{327}{100}v`, and
:math:`2a + \frac73b \le \frac73(a+b) \le \frac73\sqrt{2+16l}\,(\sqrt S+v)`.
"""

from __future__ import annotations

from proofs_checks.derivations.bound import RADICAND, main_term, paid_by
from proofs_checks.derivations.corollary import LOGS, Large, powers, room
from proofs_checks.derivations.every_horizon import pair_number, sharp_theorem
from proofs_checks.derivations.learners import for_learner
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.probabilities import WAIT, waits
from proofs_checks.derivations.regret import LOAD, WHOLE_REGRET
from proofs_checks.derivations.tail_series import ONE, at_one
from proofs_checks.derivations.theorem import Choice, bonus_factor, roots_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

HALVED = sharp_theorem(paid_by("(C*H + 1)/2"))
LUMP = sharp_theorem(paid_by("1"))


def halved(D: Derivation, learner: str) -> Theorem:
    """thm:CT-UCB/halved, for a learner with half of the bonus, or less."""
    one = for_learner(D, "thm:CT-UCB/any-learner", learner, "(C*H + 1)/2")
    return D.mp(one, D.linear("1 <= (C*H + 1)/2", bonus_factor(D)), D.linear("0 <= 0"), D.linear("0 <= 1"))


def lump(D: Derivation) -> Theorem:
    """thm:CT-UCB/lump-sum."""
    one = for_learner(D, "thm:CT-UCB/any-learner", "thm:CT-UCB/lump-sum/learner", "1")
    return D.mp(one, D.linear("1 <= 1"), D.linear("0 <= 0"), D.linear("0 <= 1"))


# --- the corollary --------------------------------------------------------------------------------

_POWERS = "All(k, eps(k) == exp(-u*log(k + 1))/(lmax*H))"
_CONDITIONS = ("1 < lmax", "1 < H", "1/2 <= u", _POWERS, "delta == 1/(2*K*H)")
_BOUND = f"{main_term(paid_by('1'), ONE)} + {LOAD} + 1"
_ORDER = f"(8*sqrt({LOGS}) + 3)*lmax*H*{WAIT}*sqrt(S*A*K)*(sqrt(S) + lmax*H)"
COROLLARY = chain(f"And({_BOUND} <= {_ORDER}, {WHOLE_REGRET} <= {_ORDER})", *_CONDITIONS)


def narrow(D: Derivation, large: Large) -> Theorem:
    """D (2a + 7/3 v√(2L)) <= 8 v √(2 + 16l) (√S + v)."""
    horizon = D.fact("horizon")
    pairs = D.linear("1 <= S*A*H", D.times(pair_number(D), horizon), large.horizon)
    long = D.linear("1 < K*H", D.times(D.fact("episodes"), horizon), large.horizon)
    roots = roots_below(D, Choice(D, D.assume("delta == 1/(2*K*H)")))
    jumps, rates, _ = (D.closed(one, pairs, long) for one in roots)
    a, b, whole = f"sqrt({RADICAND})", "lmax*H*sqrt(2*L)", f"sqrt({LOGS})*(sqrt(S) + lmax*H)"
    both = D.linear(f"{a} + {b} <= {whole}", jumps, D.times(rates, large.value), large.roots())
    base = D.linear("0 < exp(1/2) - 1", D.pointwise("exp(1/2) > 1"))
    levels = D.pointwise("(E - 1)*v + 1/(exp(1/2) - 1) <= 327/100*v", "v > 1", v="lmax*H")
    levels = D.closed(levels, large.v, base)
    growth = D.times(D.linear("0 <= exp(1) - 1", D.pointwise("exp(1) > 1")), large.value)
    some = D.linear(f"0 < {ONE}", growth, D.positive("inverse-positive", "exp(1/2) - 1", base))
    claim = D.claim("eq:regret-b1/lump-sum", D=ONE, a=a, b=b, B=whole, v="lmax*H")
    root = D.times(D.known("sqrt", "2*L"), large.value)
    return D.closed(claim, large.v, some, levels, D.known("sqrt", RADICAND), root, both)


def corollary(D: Derivation) -> Theorem:
    """eq:regret-b1/lump-sum."""
    large = Large(D)
    main = D.times(D.times(narrow(D, large), D.known("sqrt", "S*A*K")), waits(D))
    unit = D.scaled(D.positive("inverse", "lmax*H", large.value), "exp(-u*log(k + 1))")
    each = D.scaled(D.special(D.assume(_POWERS), "k"), "lmax*H")
    each = D.sum(D.linear("eps(k)*lmax*H == exp(-u*log(k + 1))", each, unit), "k", "K")
    order = D.linear(
        f"{_BOUND} <= {_ORDER}",
        main,
        each,
        powers(D),
        room(D, large, ("lmax*H", large.v), (WAIT, large.wait)),
    )
    regret = D.mp(D.lemma("thm:CT-UCB/lump-sum", g=ONE), at_one(D), D.assume(_CONDITIONS[-1]))
    return D.imply(theorems.both(order, D.linear(f"{WHOLE_REGRET} <= {_ORDER}", order, regret)), *_CONDITIONS)
