r"""The remark about a known :math:`\lambda_{\min}`: the regret of the learner whose rates are at least that.

Its payment in thm:CT-UCB/any-learner is :math:`H + 1/\lambda_{\min} + CH/\lambda_{\min}`, where CT-UCBVI has
:math:`(CH+1)(H+1/\lambda_{\min})`.  For :math:`v = \lambda_{\max}H > 1` it is at most
:math:`\frac73CH/\lambda_{\min} \le \frac{56}{15}v/\lambda_{\min}`, and all else is as in
eq:regret-b1/lump-sum: :math:`D(2a + \frac73b) \le 8v\sqrt{2+16l}\,(\sqrt S+v)`.
"""

from __future__ import annotations

from proofs_checks.derivations.bound import main_term, paid_by
from proofs_checks.derivations.corollary import CONDITIONS, LOGS, POWERS, Large, powers, room
from proofs_checks.derivations.every_horizon import sharp_theorem
from proofs_checks.derivations.learners import SEEN, for_learner
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.optimism import factor_low
from proofs_checks.derivations.regret import LOAD, WHOLE_REGRET
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.smaller_bonus import narrow
from proofs_checks.derivations.tail_series import ONE, at_one
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_PAYMENT = paid_by("1", SEEN)
SHARP = sharp_theorem(_PAYMENT)
_CHOICE = "delta == 1/(2*K*H)"
_REST = "lmax**2*H**2/lmin*sqrt(S*A*K)*(sqrt(S) + lmax*H)"
_ORDER = f"(30*sqrt({LOGS}) + 3)*{_REST}"
ORDER = chain(f"{WHOLE_REGRET} <= {_ORDER}", *CONDITIONS, _CHOICE)


def sharp(D: Derivation) -> Theorem:
    """remark:lambda-min/regret."""
    one = for_learner(D, "thm:CT-UCB/any-learner", "remark:lambda-min/learner", "1", SEEN)
    return D.mp(one, D.linear("1 <= 1"), _seen(D), D.linear("0 <= 1"))


def _seen(D: Derivation) -> Theorem:
    """0 <= CH/λmin."""
    inverse = D.positive("inverse-positive", "lmin", D.fact("lmin"))
    return D.linear(f"0 <= {SEEN}", D.times(D.times(factor_low(D), D.fact("horizon")), inverse))


class _Known:
    """What λmax, H > 1 gives for the payment."""

    def __init__(self, D: Derivation) -> None:
        self.D, self.large, self.least = D, Large(D), D.fact("lmin")
        self.inverse = D.positive("inverse-positive", "lmin", self.least)
        self.unit = D.positive("inverse", "lmin", self.least)
        self.slow = D.linear("lmin <= lmax", D.fact("rate-low"), D.fact("rate-high"))

    def payment(self) -> Theorem:
        """H + 1/λmin + CH/λmin <= 56/15 v/λmin."""
        D, large, horizon, ratio = self.D, self.large, self.D.fact("horizon"), "lmax/(1 - exp(-lmax*H))"
        decay = D.closed(D.pointwise("exp(-v) < 1", "v > 0", v="lmax*H"), large.value)
        factor = D.claim("remark:lambda-min/factor", w="lmin*H", v="lmax*H")
        slow, size = D.times(self.slow, horizon), product(D, self.least, horizon)
        factor = D.closed(factor, size, large.value, slow, D.linear("0 < 1 - exp(-lmax*H)", decay))
        most, one = (
            D.times(D.linear(f"{u} <= C", D.fact("C"), D.known(name, ratio, "1")), horizon)
            for u, name in ((ratio, "max"), ("1", "max-right"))
        )
        wide = D.linear("lmin*H + 1 <= 4/3*(C*H)", factor, most)
        some = D.linear("1 <= C*H", one, large.horizon)
        paid = D.closed(
            D.claim("remark:lambda-min/order", c="C*H", m="lmin", H="H"), some, self.least, horizon, wide
        )
        return D.linear(f"{_PAYMENT} <= 56/15*lmax*H/lmin", paid, D.times(large.share(), self.inverse))

    def room(self) -> Theorem:
        """2√K + 1 <= 3 v²/λmin √(SAK)(√S + v)."""
        D, large = self.D, self.large
        more = D.linear("1 <= lmax/lmin", D.times(self.slow, self.inverse), self.unit)
        wide = D.times(D.times(more, large.value), D.fact("horizon"))
        long = D.linear("1 <= lmax*H*H", D.times(large.horizon, large.value), large.v)
        return room(D, large, ("lmax**2*H**2/lmin", D.linear("1 <= lmax**2*H**2/lmin", wide, long)))


def order(D: Derivation) -> Theorem:
    """remark:lambda-min/order."""
    known = _Known(D)
    large, pairs, seen = known.large, D.known("sqrt", "S*A*K"), _seen(D)
    sides = D.linear("0 <= sqrt(S) + lmax*H", D.known("sqrt", "S"), large.value)
    rest = D.times(D.times(D.times(sides, D.known("sqrt", LOGS)), pairs), large.value)
    sign = D.linear(f"0 <= {_PAYMENT}", D.fact("horizon"), known.inverse, seen)
    paid = D.times(D.times(narrow(D, large), pairs), sign)
    more = D.times(
        known.payment(), D.linear(f"0 <= 8*lmax*H*sqrt(S*A*K)*sqrt({LOGS})*(sqrt(S) + lmax*H)", rest)
    )
    slack = D.times(D.times(rest, large.value), known.inverse)
    little = D.closed(D.pointwise("v*exp(-v) <= 1", "v > 0", v="lmax*H"), large.value)
    each = D.times(little, D.known("exp", "-u*log(k + 1)"))
    each = D.linear(
        "eps(k)*lmax*H <= exp(-u*log(k + 1))", each, D.scaled(D.special(D.assume(POWERS), "k"), "lmax*H")
    )
    bound = f"{main_term(_PAYMENT, ONE)} + {LOAD} + 1"
    found = D.linear(
        f"{bound} <= {_ORDER}", paid, more, slack, D.sum(each, "k", "K"), powers(D), known.room()
    )
    regret = D.mp(D.lemma("remark:lambda-min/regret", g=ONE), at_one(D), D.assume(_CHOICE))
    return D.imply(D.linear(f"{WHOLE_REGRET} <= {_ORDER}", found, regret), *CONDITIONS, _CHOICE)
