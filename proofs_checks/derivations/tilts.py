r"""Rate sets from exponential tilts: for all times at once, and no unit of time under a logarithm.

For each tilt ζ_m, m < J, exp(±ζN - λ(e^{±ζ} - 1)T) is a martingale (``lem:rateUCB/martingale``), so all of

    ζN - l <= (e^ζ - 1)λT,    (1 - e^{-ζ})λT <= ζN + l,    l = ln(2SAJ/δ),

hold for ever with probability at least 1 - δ.  How wide the sets are: :mod:`~.tilt_widths`.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.rate_peels import exponent, sizes
from proofs_checks.derivations.rate_sets import crossing
from proofs_checks.derivations.unions import (
    Build,
    all_cover,
    all_pairs,
    covered,
    ever_both,
    ever_first,
    one_of_first,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def zeta(m: str) -> str:
    """The tilt 2^(1-m)."""
    return f"(2*2**(-{m}))"


ZETA = zeta("m")
LEVEL = "log(2*S*A*k/delta)"
_SEEN = ("Nf(i, x, a)", "Tf(i, x, a)", LEVEL)  # N, T and l


def sides(u: str, v: str, data: tuple[str, str, str], tilt: str = ZETA) -> tuple[str, str]:
    """That u is not too small at tilt m for the data, N and T with level l, and v not too large."""
    jumps, time, level = data
    low = f"{tilt}*{jumps} - {level} <= (exp({tilt}) - 1)*{u}*{time}"
    return low, f"(1 - exp(-{tilt}))*{v}*{time} <= {tilt}*{jumps} + {level}"


def all_tilts(says: str, k: str = "k") -> str:
    """The same for all tilts m < k."""
    return f"All(m, Imp(m < {k}, {says}))"


Step = Callable[[Theorem, Theorem], Theorem]


def tilt_by_tilt(D: Derivation, each: str, says: Callable[[str], str], first: Build, step: Step) -> Theorem:
    """Imp(1 <= k, Imp(each at all tilts m < k, says(k))).

    ``first`` gives says(1) from what holds at tilt 0, ``step`` says(k + 2) from says(k + 1) and from what
    holds at tilt k + 1.
    """

    def last(k: str, m: str) -> Theorem:
        return D.mp(D.special(D.assume(all_tilts(each, k)), m), D.linear(f"{m} < {k}"))

    def climb(before: Theorem) -> Theorem:
        k, after = "(k + 1)", "(k + 2)"
        among = D.linear(f"m < {after}", D.assume(f"m < {k}"))
        earlier = D.mp(D.special(D.assume(all_tilts(each, after)), "m"), among)
        earlier = D.all(D.imply(earlier, f"m < {k}"), "m")
        return D.imply(step(D.mp(before, earlier), last(after, "k + 1")), all_tilts(each, after))

    start = D.imply(first(last("1", "0")), all_tilts(each, "1"))
    every = D.induction("k", f"Imp({all_tilts(each, '(k + 1)')}, {says('(k + 1)')})", start, climb)
    none = D.absurd(D.linear("0 < 0", D.assume("1 <= 0")), f"Imp({all_tilts(each, '0')}, {says('0')})")
    goal = f"Imp(1 <= k, Imp({all_tilts(each)}, {says('k')}))"
    return D.induction("k", goal, D.imply(none, "1 <= 0"), lambda _: D.imply(every, "1 <= k + 1"))


# --- the event --------------------------------------------------------------------------------------

_SIDES = sides("lam(x, a)", "lam(x, a)", _SEEN, "gtilt(m)")
_SIGNS = ("", "-")
_REACHED = [f"{LEVEL} <= {exponent(sign, z='gtilt(m)')}" for sign in _SIGNS]
_COVER = all_tilts(f"And({', '.join(_SIDES)})")
TILTS = f"Imp(1 <= k, 1 - delta <= E(Ind({all_cover(f'All(x, All(a, {_COVER}))')})))"


def tilts(D: Derivation) -> Theorem:
    """The rates of all pairs are in their sets, at every decision, with probability at least 1 - δ."""
    some = D.assume("1 <= k")
    first, second = (f"Ind({reached})" for reached in _REACHED)
    one = D.at(crossing(D), c=LEVEL)
    both = ever_both(D, first, second, *(D.at(one, d=f"{sign}gtilt(m)") for sign in _SIGNS))
    rarely = ever_first(D, "m", "k", f"{first} + {second}", both)
    cover, missed, bound = all_pairs(D, _missed(D, first, second), rarely, _COVER)
    result = D.valued(covered(D, cover, missed, bound), D.fact("states"), D.fact("actions"))
    cost = D.claim("lem:rateUCB/tilts", S="S", A="A", J="k", d="delta")
    return D.imply(D.linear(D.formula(TILTS).parts[1], result, leveled(D, cost, some)), "1 <= k")


def leveled(D: Derivation, theorem: Theorem, some: Theorem) -> Theorem:
    """A relation between S, A, J = k and δ, without what is known of them."""
    domain = ("S >= 1", "A >= 1", "J >= 1", "0 < d", "d < 1")
    values = {"S": "S", "A": "A", "J": "k", "d": "delta"}
    ratio = D.pointwise("0 < 2*S*A*J/d", *domain, integers="S A J", **values)
    return D.closed(theorem, *sizes(D), some, D.closed(ratio, *sizes(D), some))


def _missed(D: Derivation, first: str, second: str) -> Theorem:
    """Where the rate is outside the set, one of the martingales is at least e^l."""
    event = f"{first} + {second}"
    total = f"1 <= Sum(m, k, {event})"
    never = D.assume(terms.negation(D.formula(total)))
    small = D.linear(f"{event} < 1", one_of_first(D, event, "m", "k"), never)
    signs = (D.whole(first), D.whole(second))
    parts = [D.decide(side, [reached], small, *signs) for side, reached in zip(_SIDES, _REACHED, strict=True)]
    safe = D.all(D.imply(theorems.both(*parts), "m < k"), "m")
    denial = D.assume(terms.negation(safe.says))
    return D.cases(total, lambda yes: yes, lambda _: theorems.absurd(safe, denial, D.formula(total)))
