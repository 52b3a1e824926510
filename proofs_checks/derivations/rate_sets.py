"""The confidence sets of the rates: martingales, peels, and the union.

Z = ζ N - λ(e^ζ - 1) T makes exp(Z) a martingale (``lem:rateUCB/martingale``), for every ζ. At a decision
where λmax T is in [25^m L, 25^(m+1) L] a miss has Z >= L/4 for ζ = ±3/(10·5^m).
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import by_jump, frozen_at
from proofs_checks.derivations.rate_peels import (
    DOWN,
    TIME,
    UP,
    ZETA,
    RateSigns,
    exponent,
    in_peels,
    long_enough,
    peel_seen,
    sized,
    sized_claim,
)
from proofs_checks.derivations.run_counts import before_last, spent_in_pair
from proofs_checks.derivations.unions import all_pairs, covered, ever_both, ever_first
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RATE = "lam(X(n), act(n))"
MARTINGALE = f"E(exp(d*jump(n) - {_RATE}*(exp(d) - 1)*spent(n)), n) == 1"


def martingale(D: Derivation) -> Theorem:
    """One decision multiplies by a factor of mean 1: it ends with a jump, or at the horizon."""
    drift = f"{_RATE}*(exp(d) - 1)"
    goal = (
        f"exp(d*jump(n) - {drift}*spent(n)) "
        f"== jump(n)*exp(d - {drift}*spent(n)) + (1 - jump(n))*exp(-{drift}*rem(n))"
    )
    parts = D.mean(by_jump(D, lambda equations: D.by_value(goal, equations)), "n")
    total, law = D.fact("jump-sum", x="X(n)", a="act(n)"), D.fact("law")
    horizon = D.linear("0 <= rem(n)", D.fact("spent-low"), D.fact("spent-high"))
    weighed = D.valued(D.instantiate(law, "glaw", "n s y", f"exp(d - {drift}*s)"), total)
    plain = D.valued(D.instantiate(law, "glaw", "n s y", "1"), total)
    fast, slow = (
        D.closed(D.primitive("s", "rem(n)", f"-exp(-{_RATE}*{factor}*s)"), horizon)
        for factor in ("exp(d)", "1")
    )
    survives = D.scaled(
        D.linear(f"E(jump(n), n) == 1 - exp(-{_RATE}*rem(n))", plain, slow), f"exp(-{drift}*rem(n))"
    )
    return D.linear(MARTINGALE, parts, weighed, fast, survives)


def crossing(D: Derivation) -> Theorem:
    """How often the learner sees c <= Z, for one pair and one ζ."""
    here = "Ind(X(n) == x)*Ind(act(n) == a)"
    step = f"{here}*(d*jump(n) - lam(x, a)*(exp(d) - 1)*spent(n))"
    moved = f"E(exp({step}), n) <= 1"
    at_pair, one = D.assume("X(n) == x"), D.lemma("lem:rateUCB/martingale")

    def same(acted: Theorem) -> Theorem:
        plain = D.rewrite(at_pair, one, "z", MARTINGALE.replace("X(n)", "z"))
        plain = D.rewrite(acted, plain, "b", MARTINGALE.replace("X(n)", "x").replace("act(n)", "b"))
        return D.by_value(moved, [D.holds("X(n) == x"), D.holds("act(n) == a")], plain)

    falls = D.cases(
        "X(n) == x",
        lambda _: D.cases("act(n) == a", same, lambda _: D.by_value(moved, [D.fails("act(n) == a")])),
        lambda _: D.by_value(moved, [D.fails("X(n) == x")]),
    )
    steps = [D.fact("N-step"), D.fact("T-step")]
    after, before = exponent("", "n + 1", ""), exponent("", "n", "")
    moves = D.mean(D.by_value(f"exp({after} - {before}) == exp({step})", steps), "n")
    falls = D.linear(f"E(exp({after} - {before}), n) <= 1", moves, falls)
    starts = [
        D.by_value(f"{exponent('', '0', f)} == 0", [D.fact(f"N{f}-0"), D.fact(f"T{f}-0")]) for f in ("", "f")
    ]
    kept = [D.fact(f"{name}f-step") for name in "NT"]
    frozen = D.by_value(
        f"{exponent('', 'n + 1')} == jump(n)*{exponent('', 'n')} + (1 - jump(n))*{after}", kept
    )
    return frozen_at(D, (before, exponent("", "n")), falls, theorems.both(*starts), frozen)


RATES_COVER = "Abs(lh(i, x, a) - lam(x, a)) <= be(i, x, a)"
REPAIRED = (
    "Imp(lmax*(K - 1)*H <= 25**k*L, "
    f"1 - delta*k/K <= E(Ind(All(i, Imp(And(i < n, ep(i) < K), All(x, All(a, {RATES_COVER})))))))"
)


def repaired(D: Derivation) -> Theorem:
    """The rate sets of all pairs cover in all episodes with probability at least 1 - δk/K."""
    cover, missed, bound = all_pairs(D, _missed(D), _rarely(D), RATES_COVER)
    counted = D.valued(covered(D, cover, missed, bound, "ep(i) < K"), D.fact("states"), D.fact("actions"))
    claim = D.claim("lem:rateUCB/radius", S="S", A="A", K="K", d="delta")
    level = D.by_value("exp(-L/4) == delta/(2*S*A*K)", [D.fact("L")], sized_claim(D, claim))
    pairs = D.scaled(sized(D, "2*S*A*(d/(2*S*A*K)) == d/K", sized(D, "0 < 2*S*A*K")), "k")
    total = D.linear("2*k*S*A*exp(-L/4) == delta*k/K", D.scaled(level, "2*k*S*A"), pairs)
    within = D.formula(REPAIRED).parts[0]
    return D.imply(D.linear(D.formula(REPAIRED).parts[1], counted, total), within)


def _missed(D: Derivation) -> Theorem:
    """Where the set misses, one of the martingales of the peels m < k is at least exp(L/4)."""
    signs = RateSigns(D)
    low, high = (D.at(theorem, n="i") for theorem in spent_in_pair(D))
    long = long_enough(D, signs, low)
    event = f"Ind({UP}) + Ind({DOWN})"
    start, end = f"exp(2*m*log(5))*L <= lmax*{TIME}", f"lmax*{TIME} <= 25*exp(2*m*log(5))*L"
    peel = theorems.cut(D.linear(f"L <= lmax*{TIME}", long), peel_seen(D, signs))
    goal, signs_of = f"Ind({start})*Ind({end}) <= {event}", [D.whole(f"Ind({text})") for text in (UP, DOWN)]
    one = D.cases(
        start,
        lambda _: D.cases(
            end,
            lambda _: D.by_value(goal, [D.holds(start), D.holds(end)], peel),
            lambda _: D.by_value(goal, [D.fails(end)], *signs_of),
        ),
        lambda _: D.by_value(goal, [D.fails(start)], *signs_of),
    )
    short = _before(D, signs, high)
    inside = D.by_value(
        f"1 <= Sum(m, k, Ind({start})*Ind({end}))",
        [],
        D.valued(
            in_peels(D),
            theorems.cut(long, D.fails(f"lmax*{TIME} <= L")),
            theorems.cut(short, D.holds(short.says)),
        ),
    )
    return D.linear(f"1 <= Sum(m, k, {event})", D.sum(one, "m", "k"), inside)


def _before(D: Derivation, signs: RateSigns, high: Theorem) -> Theorem:
    """λmax T <= 25^k L in the episodes before the last."""
    within, before = D.assume("lmax*(K - 1)*H <= 25**k*L"), before_last(D)
    total = D.times(D.times(before, D.fact("horizon")), signs.top)
    power = D.valued(within, D.pointwise("log(25) == 2*log(5)"))
    return D.linear(f"lmax*{TIME} <= exp(2*k*log(5))*L", D.times(high, signs.top), total, power)


def _rarely(D: Derivation) -> Theorem:
    """For one pair the martingales of k peels are seen to be large with probability at most 2k exp(-L/4)."""
    one = D.at(crossing(D), c="L/4")
    up, down = (D.at(one, d=f"{sign}{ZETA}") for sign in ("", "-"))
    first, second = f"Ind({UP})", f"Ind({DOWN})"
    both = ever_both(D, first, second, up, down)
    return ever_first(D, "m", "k", f"{first} + {second}", both)
