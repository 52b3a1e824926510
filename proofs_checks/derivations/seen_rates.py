r"""``prop:rateerror`` where a jump is seen, in the place of the remaining time.

As there, :math:`\beta \le \sqrt{\lambda_{\max}L}\sqrt{2\lambda_{\max}}/\sqrt{\max\{1,N\}} +
\lambda_{\max}1_{odd}`, and a jump is seen with probability at most :math:`\min\{1, \lambda_{\max}u\}`.  So
odd pairs cost at most :math:`\lambda_{\max}\min\{1,v\}(1+v)\delta/2`, and :math:`\min\{1,v\}(1+v) \le D`:
with y = s/2, :math:`D \ge v(1+y) + 1/(e^y-1)` and :math:`y + 1/(e^y-1) \ge 1`.
"""

from __future__ import annotations

from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED, LONG, SEEN, both_levels
from proofs_checks.derivations.rates import (
    LOST,
    RATE_ROOTS,
    RATES,
    SOME,
    SPOT,
    factor_at_least,
    large_pairs,
    large_roots,
    odd_ones,
    one_is_odd,
    roots_sign,
)
from proofs_checks.derivations.runs import ACTIVE, RATE, observed, product, remaining
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

SEEN_RATES = RATES.replace("rem(n)", "jump(n)")
SEEN_BOUND = f"{SEEN_RATES} <= 7/3*{RATE_ROOTS}*sqrt(S*A*K)*"
SEEN_ERRORS = f"And({SEEN_BOUND}({LONG}), Imp(0 < h, {SEEN_BOUND}{LEVELED}))"
_ODD = LOST.replace("rem(n)", "jump(n)")
_V = "lmax*H"
_COST = f"(1 + {_V})*delta/2"


def _surely(D: Derivation) -> Theorem:
    """Odd pairs cost at most λmax (1 + v) δ/2, as a decision sees at most one jump."""
    jumps = D.times(D.fact("jump"), D.whole(f"{ACTIVE}*Ind({SPOT})"))
    some = D.times(one_is_odd(D), D.whole(ACTIVE))
    one = D.linear(f"{ACTIVE}*jump(n)*Ind({SPOT}) <= {ACTIVE}*{SOME.format(n='n')}", jumps, some)
    mean = D.sum(D.mean(D.times(one, rate_bound(D))), "n", "m")
    return D.linear(f"{_ODD} <= lmax*{_COST}", mean, D.times(odd_ones(D), rate_bound(D)))


def _rarely(D: Derivation) -> Theorem:
    """And at most v times that, as it sees one with probability at most λmax u."""
    low, _ = remaining(D)
    short = D.times(D.fact("rate", x="X(n)", a="act(n)"), low)
    few = D.closed(D.pointwise("1 - exp(-x) <= x", "x >= 0", x=f"{RATE}*rem(n)"), short)
    slow = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), low)
    one = D.linear("E(jump(n), n) <= lmax*rem(n)", observed(D), few, slow)
    one = D.times(D.times(one, D.whole(f"{ACTIVE}*Ind({SPOT})")), rate_bound(D))
    mean = D.sum(D.mean(one), "n", "m")
    return D.linear(
        f"{_ODD} <= lmax*({_V})*{_COST}",
        mean,
        D.times(D.lemma("prop:rateerror/complement"), rate_bound(D)),
    )


def _leveled(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 < h ⊢ 1 + v <= D for 1 <= v, and v (1 + v) <= D for v <= 1, D = LEVELED."""
    positive, value = D.assume("0 < h"), product(D, rate_bound(D), D.fact("horizon"))
    half = D.linear("0 < h/2", positive)
    base = D.linear("0 < exp(h/2) - 1", D.closed(D.pointwise("exp(y) > 1", "y > 0", y="h/2"), half))
    rest = D.positive("inverse-positive", "exp(h/2) - 1", base)
    grows = D.closed(D.pointwise("(exp(h) - 1)/h >= 1 + h/2", "h > 0", h="h"), positive)
    least = D.closed(D.pointwise("y + 1/(exp(y) - 1) >= 1", "y > 0", y="h/2"), half, base)
    levels = D.times(grows, value)
    large, small = D.assume(f"1 <= {_V}"), D.assume(f"{_V} <= 1")
    return (
        D.linear(f"1 + {_V} <= {LEVELED}", levels, least, D.times(large, half)),
        D.linear(
            f"{_V}*(1 + {_V}) <= {LEVELED}",
            levels,
            D.times(least, value),
            D.times(small, rest),
            D.times(small, value),
        ),
    )


def _long(D: Derivation) -> tuple[Theorem, Theorem]:
    """The same for LONG."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    wide = D.times(factor_at_least(D), D.linear(f"0 <= 1 + {_V}", value))
    small = D.times(D.assume(f"{_V} <= 1"), D.linear(f"0 <= 1 + {_V}", value))
    return D.linear(f"1 + {_V} <= {LONG}", wide), D.linear(f"{_V}*(1 + {_V}) <= {LONG}", wide, small)


def seen_rate_errors(D: Derivation) -> Theorem:
    """prop:rateerror/seen."""
    one = D.times(D.times(D.lemma("prop:rateerror/pathwise"), D.whole("jump(n)")), D.whole(ACTIVE))
    split, sign, rate = D.sum(D.mean(one), "n", "m"), roots_sign(D), rate_bound(D)
    value = product(D, rate, D.fact("horizon"))
    less = D.linear("0 <= 1 - delta", theorems.part(D.fact("delta"), D.formula("delta < 1")))

    def total(levels: str, jumps: Theorem, enough: tuple[Theorem, Theorem]) -> Theorem:
        def case(odd: Theorem, weight: str, size: Theorem) -> Theorem:
            small = D.linear(f"0 <= {weight}*(1 + {_V})", D.times(value, value), value)
            sure = D.times(D.times(less, small), rate)
            wide = D.times(large_pairs(D), D.linear(f"0 <= {levels}", size, small))
            spread = D.times(D.linear(f"{weight}*(1 + {_V}) <= sqrt(S*A*K)*({levels})", size, wide), sign)
            whole = D.times(large_roots(D), small)
            return D.linear(
                f"{SEEN_BOUND}({levels})", split, D.times(jumps, sign), odd, sure, spread, whole,
                D.times(small, rate),
            )  # fmt: skip

        return D.split(
            D.known("total", "1", _V),
            lambda _: case(_surely(D), "1", enough[0]),
            lambda _: case(_rarely(D), f"({_V})", enough[1]),
        )

    plain, chosen = both_levels(D, D.lemma("prop:proberror/seen"), f"E({SEEN}) <= 2*sqrt(S*A*K)*")
    leveled = total(LEVELED, chosen, _leveled(D))
    return theorems.both(total(LONG, plain, _long(D)), D.imply(leveled, "0 < h"))
