"""``prop:rateerror``, repaired: times are seen by jumps, but for pairs with far more jumps than time.

A pair is *odd* at decision n if Nf >= 2 max(lmax Tf, L).  Where it is not, β is at most √(lmax L) √(2 lmax)
/√max(1, Nf), and ``prop:proberror/sharp`` applies; an odd one costs at most lmax.  What a learner sees is
frozen during an episode, an episode has 1 + lmax H decisions in the mean whatever is frozen, and oddity has
probability e^{-(2 ln 2 - 1) L} (Ville), so that no second moments are needed.
"""

from __future__ import annotations

from proofs_checks.derivations.counting import WEIGHT, exchanged
from proofs_checks.derivations.longest import FACTOR
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED, LONG, TIMES, WAIT, both_levels, waits
from proofs_checks.derivations.rate_peels import sized, sizes
from proofs_checks.derivations.rate_sets import crossing
from proofs_checks.derivations.roots import over_pairs, pairs
from proofs_checks.derivations.run_counts import spent_in_pair
from proofs_checks.derivations.runs import ACTIVE, equal, product, remaining, settled
from proofs_checks.derivations.tail_series import BELOW
from proofs_checks.derivations.unions import ever_below, ever_over, one_of_first, square_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

ODD = "2*Max(lmax*Tf({n}, x, a), L) <= Nf({n}, x, a)"
SOME = "SumOver(x, SumOver(a, Ind(" + ODD + ")))"
EVER = "Ind(1 <= Sum(i, n, Ind(" + ODD.format(n="i") + ")))"
RARE = "exp(-(2*log(2) - 1)*L)"
_ANY = f"Ind(1 <= Sum(i, n, {SOME.format(n='i')}))"
EVENT = f"And(E({EVER}) <= {RARE}, E({_ANY}) <= S*A*{RARE}, S*A*{RARE} <= delta/(2*K))"
_W = WEIGHT.format(n="n")
RATE_ROOTS = "sqrt(lmax*L)*sqrt(2*lmax)"
SPOT = ODD.format(n="n").replace("x, a", "X(n), act(n)")
PATHWISE = f"be(n, X(n), act(n)) <= {RATE_ROOTS}*{_W} + lmax*Ind({SPOT})"
LOST = f"E(Sum(n, m, {ACTIVE}*rem(n)*(lmax*Ind({SPOT}))))"
COMPLEMENT = f"{LOST} <= lmax*H*(1 + lmax*H)*delta/2"
RATES = f"E(Sum(n, m, {ACTIVE}*rem(n)*be(n, X(n), act(n))))"
RATE_BOUND = f"7/3*{RATE_ROOTS}*{WAIT}*sqrt(S*A*K)*"
REPAIRED = f"And({RATES} <= {RATE_BOUND}({LONG}), Imp({BELOW}, {RATES} <= {RATE_BOUND}{LEVELED}))"


def level(D: Derivation) -> Theorem:
    """2 <= L."""
    return D.linear("2 <= L", sized(D, "2 <= 4*log(2*S*A*K/d)", sized(D, "0 < 2*S*A*K/d")), D.fact("L"))


def rare(D: Derivation) -> Theorem:
    """prop:rateerror/event."""
    most = "Max(lmax*Tf(i, x, a), L)"
    odd = D.assume(ODD.format(n="i"))
    time = D.at(spent_in_pair(D)[0], n="i")
    two = D.pointwise("log(2) > 1/2")
    more = D.times(D.linear(f"0 <= Nf(i, x, a) - 2*{most}", odd), D.linear("0 <= log(2)", two))
    rate = D.times(D.fact("rate-high"), time)
    tops = [D.known(name, "lmax*Tf(i, x, a)", "L") for name in ("max", "max-right")]
    slack = D.times(D.linear(f"0 <= {most} - L", tops[1]), D.linear("0 <= 2*log(2) - 1", two))
    base = D.positive("log", "2", D.linear("0 < 2"))
    large = "(2*log(2) - 1)*L <= log(2)*Nf(i, x, a) - lam(x, a)*(exp(log(2)) - 1)*Tf(i, x, a)"
    seen = D.linear(large, more, rate, slack, tops[0], D.scaled(base, "lam(x, a)*Tf(i, x, a)"))
    shown = D.cases(
        odd.says,
        lambda _: D.by_value(
            f"Ind({ODD.format(n='i')}) <= Ind({large})",
            [theorems.cut(seen, D.holds(large))],
            D.indicator(odd.says)[1],
        ),
        lambda _: D.by_value(
            f"Ind({ODD.format(n='i')}) <= Ind({large})", [D.fails(odd.says)], D.whole(f"Ind({large})")
        ),
    )
    crossed = D.at(crossing(D), d="log(2)", c="(2*log(2) - 1)*L")
    one = D.linear(f"E({EVER}) <= {RARE}", D.mean(ever_below(D, shown)), crossed)
    odd_one = f"Ind({ODD.format(n='i')})"
    union = ever_over(D, "x", f"SumOver(a, {odd_one})", ever_over(D, "a", odd_one, one))
    whole = D.linear(
        f"E(Ind(1 <= Sum(i, n, {SOME.format(n='i')}))) <= S*A*{RARE}", union, D.scaled(pairs(D), RARE)
    )
    return theorems.both(one, whole, small(D))


def small(D: Derivation) -> Theorem:
    """S A e^{-(2 ln 2 - 1) L} <= δ/(2 K)."""
    facts = (
        D.linear("1 <= S*A", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some")),
        *sizes(D),
    )
    claim = D.claim("prop:rateerror/event", n="S*A", K="K", d="delta")
    bound = D.closed(claim, *facts, sized(D, "0 < 2*S*A*K/d"), sized(D, "0 < 2*K"))
    return D.by_value(f"S*A*{RARE} <= delta/(2*K)", [D.fact("L")], bound)


def kept(D: Derivation, *names: str) -> list[Theorem]:
    """What the learner sees of a pair stays, given jump(n) == 1."""
    goes_on = D.assume("jump(n) == 1")
    return [
        D.by_value(f"{name}(n + 1, x, a) == {name}(n, x, a)", [D.fact(f"{name}-step"), goes_on])
        for name in names
    ]


def odd_ones(D: Derivation, lemma: str, most: str, what: str = "1") -> Theorem:
    """E Σ Ind(ep < K) what SOME(n) <= most δ/2, by the lemma about what stays during an episode."""
    goes_on, weight = D.assume("jump(n) == 1"), f"{ACTIVE}*{SOME.format(n='n')}"
    odd, after = f"Ind({ODD.format(n='n')})", f"Ind({ODD.format(n='n + 1')})"
    same = over_pairs(D, D.by_value(f"{after} == {odd}", kept(D, "Nf", "Tf")))
    stays = D.by_value(
        f"Ind(ep(n + 1) + 1 <= K)*{SOME.format(n='n + 1')} == {weight}",
        [same, D.mp(D.fact("stays-ep"), goes_on)],
    )
    few = D.instantiate(D.lemma(lemma), "gM", "n", weight)
    stays = theorems.sure(D.all(D.imply(stays, "jump(n) == 1"), "n"))
    few = D.mp(few, theorems.sure(D.all(D.whole(weight), "n")), stays)
    ever = EVER.replace("Sum(i, n", "Sum(i, m")
    first = D.at(one_of_first(D, f"Ind({ODD.format(n='i')})"), i="n", n="m")
    events = [ODD.format(n="n"), f"1 <= Sum(i, m, Ind({ODD.format(n='i')}))"]
    seen = D.times(D.decide(f"{odd} <= {ever}", events, first), D.whole(f"{ACTIVE}*new(n)"))
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "1")
    each = D.times(D.mp(each, D.all(D.linear("0 <= 1"), "k")), D.whole(ever))
    rarely = D.at(theorems.part(D.lemma("prop:rateerror/event"), D.formula(f"E({EVER}) <= {RARE}")), n="m")
    bound = D.linear(
        f"E(Sum(n, m, {ACTIVE}*new(n)*{odd})) <= K*{RARE}",
        D.mean(D.sum(seen, "n", "m")),
        D.mean(each),
        D.times(rarely, D.whole("K")),
    )
    turned = exchanged(D, f"{ACTIVE}*new(n)*{odd}")
    total = over_pairs(D, bound)
    turned = D.mean(turned)
    little = theorems.part(D.lemma("prop:rateerror/event"), D.formula(f"S*A*{RARE} <= delta/(2*K)"))
    unit = D.scaled(D.positive("inverse", "K", D.linear("0 < K", D.fact("episodes"))), "delta")
    started = D.linear(
        f"E(Sum(n, m, {ACTIVE}*new(n)*{SOME.format(n='n')})) <= delta/2",
        total,
        turned,
        D.scaled(pairs(D), f"K*{RARE}"),
        D.times(little, D.whole("K")),
        unit,
    )
    factor = D.linear(f"0 <= {most}", product(D, rate_bound(D), D.fact("horizon")))
    return D.linear(f"E(Sum(n, m, {what}*{weight})) <= {most}*delta/2", few, D.times(started, factor))


def one_is_odd(D: Derivation) -> Theorem:
    """Ind(the pair of decision n is odd) <= SOME(n)."""
    here = f"Ind(X(n) == x)*Ind(act(n) == a)*Ind({ODD.format(n='n')})"
    odd = D.decide(
        f"{here} <= Ind({ODD.format(n='n')})",
        ["X(n) == x", "act(n) == a"],
        D.whole(f"Ind({ODD.format(n='n')})"),
    )
    return over_pairs(D, odd)


def complement(D: Derivation) -> Theorem:
    """prop:rateerror/complement."""
    spot, (low, high) = one_is_odd(D), remaining(D)
    some = D.times(high, D.whole(f"{ACTIVE}*{SOME.format(n='n')}"))
    one = D.linear(
        f"{ACTIVE}*rem(n)*Ind({SPOT}) <= H*{ACTIVE}*{SOME.format(n='n')}",
        D.times(D.times(spot, low), D.whole(ACTIVE)),
        some,
    )
    mean = D.sum(D.mean(D.times(one, rate_bound(D))), "n", "m")
    few = odd_ones(D, "prop:rateerror/decisions", "(1 + lmax*H)")
    most = D.times(D.times(few, D.fact("horizon")), rate_bound(D))
    return D.linear(COMPLEMENT, mean, most)


def seen_by_jumps(D: Derivation) -> Theorem:
    """prop:rateerror/pathwise."""
    rate, positive = rate_bound(D), D.linear("0 < L", level(D))
    time, unit = "Tf(n, x, a)", D.positive("inverse", "lmax", rate)
    most = f"Max({time}, L/lmax)"
    tops = [D.times(D.known(name, time, "L/lmax"), rate) for name in ("max", "max-right")]
    enough = D.linear(f"L <= lmax*{most}", tops[1], D.scaled(unit, "L"))
    short = product(D, positive, D.positive("inverse-positive", "lmax", rate))
    some = D.linear(f"0 < {most}", short, D.known("max-right", time, "L/lmax"))
    goal = f"be(n, x, a) <= {RATE_ROOTS}/sqrt(Max(1, Nf(n, x, a))) + lmax*Ind({ODD.format(n='n')})"
    ratio = f"lmax*L/{most}"
    inside = product(D, rate, positive, D.positive("inverse-positive", most, some))
    count = "Max(1, Nf(n, x, a))"

    def odd(_: Theorem) -> Theorem:
        square = D.positive("sqrt-square", ratio, D.linear(f"0 <= {ratio}", inside))
        inverse = D.times(enough, D.positive("inverse-positive", most, some))
        below = D.linear(f"L/{most} <= lmax", inverse, D.scaled(D.positive("inverse", most, some), "lmax"))
        squares = D.linear(f"sqrt({ratio})**2 <= lmax**2", square, D.times(below, rate))
        root = square_below(D, squares, D.linear("0 <= lmax", rate), f"sqrt({ratio})", "lmax")
        signs = (D.known("sqrt", "lmax*L"), D.known("sqrt", "2*lmax"))
        rest = D.times(D.times(D.linear(f"0 <= 1/sqrt({count})", _weight(D)), signs[0]), signs[1])
        return D.by_value(goal, [D.fact("be"), D.holds(ODD.format(n="n"))], root, rest)

    def even(no: Theorem) -> Theorem:
        cap = f"Max(lmax*{time}, L)"
        caps = D.known("max-cases", f"lmax*{time}", "L")

        def high(one: Theorem) -> Theorem:
            return D.linear(f"{cap} <= lmax*{most}", one, tops[0], enough)

        few = D.linear(f"Nf(n, x, a) <= 2*lmax*{most}", no, D.split(caps, high, high))

        def both(one: Theorem) -> Theorem:
            return D.linear(f"{count} <= 2*lmax*{most}", one, few, enough, level(D))

        small_count = D.split(D.known("max-cases", "1", "Nf(n, x, a)"), both, both)
        path = D.claim("prop:rateerror/pathwise", M=most, r="lmax", n=count)
        path = settled(D, path, some, rate, D.known("max", "1", "Nf(n, x, a)"), small_count)
        product_ = D.pointwise("sqrt(x/y) == sqrt(x)/sqrt(y)", "x > 0", "y > 0", x="lmax*L", y=most)
        product_ = settled(D, product_, some, product(D, rate, positive), inside)
        signed = D.times(path, D.known("sqrt", "lmax*L"))
        return D.by_value(goal, [D.fact("be"), D.fails(ODD.format(n="n"))], product_, signed)

    each = D.cases(ODD.format(n="n"), odd, even)
    return D.at(each, x="X(n)", a="act(n)")


def _weight(D: Derivation) -> Theorem:
    count = "Max(1, Nf(n, x, a))"
    root = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=count), D.known("max", "1", "Nf(n, x, a)"))
    return D.positive("inverse-positive", f"sqrt({count})", root)


def factor_at_least(D: Derivation) -> Theorem:
    """1 <= ln K/ln(ln K + 1), read as 1 for K = 1."""

    def case(assumed: Theorem) -> Theorem:
        if assumed.says is D.formula("K <= 1"):
            return D.by_value(f"1 <= {FACTOR}", [equal(D, assumed, D.fact("episodes"))])
        k = D.closed(D.pointwise("log(n) > 0", "n >= 2", n="K"), assumed)
        below = settled(D, D.claim("thm:CT-UCB/log-factor", k="log(K)"), k, D.linear("0 < 1 + log(K)", k))
        h = D.closed(D.pointwise("log(1 + k) > 0", "k > 0", k="log(K)"), k)
        divided = D.times(below, D.positive("inverse-positive", "log(1 + log(K))", h))
        return D.decide(
            f"1 <= {FACTOR}", ["K == 1"], divided, D.positive("inverse", "log(1 + log(K))", h), assumed
        )

    return D.split(D.known("discrete", "K", "1"), case, case)


def long_enough(D: Derivation) -> Theorem:
    """v <= LONG."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    more = D.times(factor_at_least(D), D.linear("0 <= lmax*H + 1", value))
    return D.linear(f"lmax*H <= {LONG}", more)


def leveled_enough(D: Derivation) -> Theorem:
    """v <= LEVELED, given BELOW."""
    return D.mp(D.lemma("eq:term1-3/levels/mean"), D.assume(BELOW))


def enough(D: Derivation) -> Theorem:
    """H (v + 1) <= (H + 1/lmin) q, given v <= q."""
    horizon, least = D.fact("horizon"), D.fact("lmin")
    value, inverse = product(D, rate_bound(D), horizon), D.positive("inverse-positive", "lmin", least)
    slow = D.times(
        D.linear("lmin <= lmax", D.fact("rate-low"), D.fact("rate-high")), product(D, horizon, inverse)
    )
    slow = D.linear("H <= 1/lmin*(lmax*H)", slow, D.scaled(D.positive("inverse", "lmin", least), "H"))
    claim = D.claim("thm:CT-UCB/whole/enough", H="H", w="1/lmin", v="lmax*H", D="q")
    return D.closed(claim, horizon, inverse, value, slow, D.assume("lmax*H <= q"))


def roots_sign(D: Derivation) -> Theorem:
    """0 <= √(λmax L) √(2λmax)."""
    return D.times(D.known("sqrt", "lmax*L"), D.known("sqrt", "2*lmax"))


def large_roots(D: Derivation) -> Theorem:
    """2 λmax <= √(λmax L) √(2λmax)."""
    rate, positive = rate_bound(D), D.linear("0 < L", level(D))
    first = D.positive("sqrt-square", "lmax*L", D.linear("0 <= lmax*L", product(D, rate, positive)))
    second = D.positive("sqrt-square", "2*lmax", D.linear("0 <= 2*lmax", rate))
    roots = D.linear(
        f"({RATE_ROOTS})**2 == 2*lmax**2*L", D.scaled(first, "sqrt(2*lmax)**2"), D.scaled(second, "lmax*L")
    )
    squares = D.linear(f"(2*lmax)**2 <= ({RATE_ROOTS})**2", roots, D.times(D.times(level(D), rate), rate))
    return square_below(D, squares, roots_sign(D), "2*lmax", RATE_ROOTS)


def large_pairs(D: Derivation) -> Theorem:
    """1 <= √(SAK)."""
    some = D.linear("1 <= S*A", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some"))
    large = D.linear("1 <= S*A*K", D.times(some, D.whole("K")), D.fact("episodes"))
    return settled(D, D.pointwise("sqrt(n) >= 1", "n >= 1", n="S*A*K"), large)


def rate_errors(D: Derivation) -> Theorem:
    """prop:rateerror/repaired."""
    low, _ = remaining(D)
    one = D.times(D.times(D.lemma("prop:rateerror/pathwise"), low), D.whole(ACTIVE))
    split = D.sum(D.mean(one), "n", "m")
    rate, value = rate_bound(D), product(D, rate_bound(D), D.fact("horizon"))
    roots, sign, pairs_root = large_roots(D), roots_sign(D), large_pairs(D)
    less = theorems.part(D.fact("delta"), D.formula("delta < 1"))
    decisions = D.linear("0 <= H*(lmax*H + 1)", D.times(value, D.fact("horizon")), D.fact("horizon"))
    lost = D.linear(
        f"lmax*H*(1 + lmax*H)*delta/2 <= 1/3*{RATE_ROOTS}*(H*(lmax*H + 1))",
        D.times(roots, decisions),
        D.times(D.times(less, decisions), rate),
        D.times(decisions, rate),
    )
    q_sign = D.linear(f"0 <= {WAIT}*q", enough(D), decisions)
    wide = D.times(pairs_root, q_sign)
    bound = D.linear(
        f"lmax*H*(1 + lmax*H)*delta/2 <= 1/3*{RATE_ROOTS}*{WAIT}*sqrt(S*A*K)*q",
        lost,
        D.times(enough(D), sign),
        D.times(wide, sign),
    )

    def total(factor: str, jumps: Theorem, above: Theorem) -> Theorem:
        small_part = theorems.cut(above, D.at(bound, q=factor))
        return D.linear(
            f"{RATES} <= {RATE_BOUND}({factor})",
            split,
            D.times(jumps, sign),
            D.lemma("prop:rateerror/complement"),
            small_part,
        )

    plain, chosen = both_levels(D, D.lemma("prop:proberror/sharp"), f"{TIMES} <= 2*{WAIT}*sqrt(S*A*K)*")
    leveled = total(LEVELED, chosen, leveled_enough(D))
    return theorems.both(total(LONG, plain, long_enough(D)), D.imply(leveled, BELOW))


PRINTED = f"{RATES} <= {RATE_ROOTS}*(3*{WAIT}*sqrt(S*A*K)*({LONG}))"


def printed(D: Derivation) -> Theorem:
    """prop:rateerror, with 3 for 7/3."""
    bound = theorems.part(D.lemma("prop:rateerror/repaired"), D.formula(f"{RATES} <= {RATE_BOUND}({LONG})"))
    sign = D.linear(f"0 <= {LONG}", long_enough(D), product(D, rate_bound(D), D.fact("horizon")))
    for text in ("S*A*K", "lmax*L", "2*lmax"):
        sign = D.times(sign, D.known("sqrt", text))
    return D.linear(PRINTED, bound, D.times(sign, waits(D)))
