"""``thm:CT-UCB`` as printed, wherever its bound is real: few episodes, and the constants for many."""

from __future__ import annotations

from proofs_checks.derivations.bound import RADICAND, main_term, paid_by, trivial
from proofs_checks.derivations.every_horizon import LongRun, pair_number
from proofs_checks.derivations.longest import FACTOR
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import WAIT, waits
from proofs_checks.derivations.rates import factor_at_least, level
from proofs_checks.derivations.regret import REGRET, WHOLE_REGRET
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.tail_series import ONE, at_one
from proofs_checks.derivations.theorem import (
    CHOICE,
    LOGARITHM,
    PRINTED,
    ROOTS,
    WIDE,
    Choice,
    accuracies,
    bonus_factor,
    few_episodes,
    nonnegative,
    positive_product,
)
from proofs_checks.derivations.unions import square_below
from verify.kernel import calculus
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

REPAIRED = f"Imp(1 <= 2*S*A*K*H, Imp({CHOICE}, {WHOLE_REGRET} <= {PRINTED}))"
_K = "log(K)"
_QUOTIENT = f"{_K}/log({_K} + 1)"


def long_logarithm(D: Derivation) -> Theorem:
    """1 < K H ⊢ ln 2 <= ln(2SAKH)."""
    volume = D.linear("2 <= 2*S*A*K*H", D.times(D.assume("1 < K*H"), D.whole("S*A")), pair_number(D))
    more = D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x="2", d="2*S*A*K*H - 2")
    return D.closed(more, volume, positive_product(D)["2*S*A*K*H"])


def first_episodes(D: Derivation, few: Theorem) -> Theorem:
    """K <= 3547 ⊢ K H <= 3 (CH + 1) WIDE ROOTS."""
    claim = D.closed(
        D.claim("thm:CT-UCB/whole/few-episodes/any", K="K"),
        D.fact("episodes"),
        few,
        D.whole("K"),
        D.linear("0 <= 2 + 6*log(2)", D.pointwise("log(2) >= 0")),
    )
    horizon, least = D.fact("horizon"), D.fact("lmin")
    value, some = product(D, rate_bound(D), horizon), pair_number(D)
    rates = settled(D, D.claim("thm:CT-UCB/whole/rates", v="lmax*H"), value)
    inverse = D.positive("inverse-positive", "lmin", least)
    slow = D.times(
        D.linear("lmin <= lmax", D.fact("rate-low"), D.fact("rate-high")),
        product(D, inverse, D.positive("inverse-positive", "lmax", rate_bound(D))),
    )
    slow = D.linear(
        "1/lmax <= 1/lmin",
        slow,
        D.scaled(D.positive("inverse", "lmin", least), "1/lmax"),
        D.scaled(D.positive("inverse", "lmax", rate_bound(D)), "1/lmin"),
    )
    up = D.linear("0 <= lmax*H + 1", value)
    wait = D.linear(
        f"4*H <= {WAIT}*(lmax*H + 1)",
        D.times(rates, horizon),
        D.times(slow, up),
        D.scaled(D.positive("inverse", "H", horizon), "1/lmax"),
        D.scaled(D.positive("inverse", "lmax", rate_bound(D)), "H"),
        D.scaled(D.positive("inverse", "H", horizon), "H*lmax/lmax"),
    )
    more = D.times(D.times(factor_at_least(D), D.times(up, waits(D))), D.known("sqrt", "S*A*K"))
    wide = D.linear(f"4*H*sqrt(S*A*K) <= {WIDE}", D.times(wait, D.known("sqrt", "S*A*K")), more)
    target = f"(2*S + 6*{LOGARITHM})"
    size = "(2 + 6*log(2))"
    log_two = D.pointwise("log(2) >= 0")
    base = D.linear(f"{size} <= {target}", long_logarithm(D), D.fact("states-some"))
    roots = D.pointwise("sqrt(x) <= sqrt(x + d)", "x >= 0", "d >= 0", x=size, d=f"{target} - {size}")
    roots = D.closed(
        roots, D.linear(f"0 <= {size}", log_two), base, D.linear(f"0 <= {target}", base, log_two)
    )
    second = D.times(D.known("sqrt", LOGARITHM), value)
    below = D.linear(f"sqrt({size}) <= {ROOTS}", roots, second)
    count = D.pointwise("sqrt(x) <= sqrt(x + d)", "x >= 0", "d >= 0", x="K", d="S*A*K - K")
    pairs = D.linear("0 <= S*A*K - K", D.times(some, D.whole("K")))
    count = D.closed(count, D.whole("K"), pairs, D.whole("S*A*K"))
    sign = D.linear(f"0 <= {ROOTS}", below, D.known("sqrt", size))
    return D.linear(
        f"K*H <= 3*(C*H + 1)*{WIDE}*{ROOTS}",
        D.times(claim, horizon),
        D.times(D.times(count, D.known("sqrt", size)), horizon),
        D.times(wide, D.known("sqrt", size)),
        D.times(below, nonnegative(D)),
        D.times(D.linear("0 <= C*H + 1 - 2", bonus_factor(D)), D.times(sign, nonnegative(D))),
    )


def large_logarithm(D: Derivation, late: Theorem) -> Theorem:
    """8.17 <= ln K, for K >= 3548."""
    more = D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x="3548", d="K - 3548")
    more = D.closed(more, late, D.linear("0 < K", late))
    return D.linear(f"817/100 <= {_K}", more, D.pointwise("log(3548) >= 817/100"))


def printed_is_larger(D: Derivation, run: LongRun, late: Theorem) -> tuple[Theorem, Theorem]:
    """K >= 3548 ⊢ 2 (e - 1) √RADICAND <= 3 f √(2S + 6l), and 7/3 (e - 1) √(2L) <= 12 f √l."""
    k = large_logarithm(D, late)
    positive = D.linear(f"0 < {_K}", k)
    grown = D.closed(D.pointwise("log(1 + k) > 0", "k > 0", k=_K), positive)
    base = D.pointwise("E - 1 > 0")
    size, target = "(2 + 6*log(2))", f"(2*S + 6*{LOGARITHM})"
    log_two = D.pointwise("log(2) > 0")
    low = long_logarithm(D)
    least = D.linear(f"{size} <= {target}", low, D.fact("states-some"))
    some = D.linear(f"0 < {size}", log_two)
    inverse, unit = D.positive("inverse-positive", size, some), D.positive("inverse", size, some)
    stretch = f"(1 + 2*{_K}/{size})"
    inside = D.linear(f"0 <= {stretch}", product(D, positive, inverse))
    factor = settled(
        D,
        D.claim("thm:CT-UCB/whole/first-factor", k=_K),
        k,
        positive,
        grown,
        some,
        inside,
        D.linear(f"0 < 1 + {_K}", positive),
    )
    root = settled(
        D,
        D.claim("thm:CT-UCB/whole/first-root", S="S", n="S*A", K="K", y="K*H"),
        D.fact("states-some"),
        run.some,
        D.fact("episodes"),
        run.long,
        *positive_product(D).values(),
        D.linear("0 < K", late),
    )
    below = D.linear(f"{RADICAND} <= {target} + 2*{_K}", run.exact, root)
    wide = D.times(D.linear(f"0 <= {target} - {size}", least), product(D, positive, inverse))
    roots = [
        D.positive("sqrt-square", RADICAND, run.positive),
        D.positive("sqrt-square", target, D.linear(f"0 <= {target}", least, some)),
        D.positive("sqrt-square", stretch, inside),
    ]
    squares = D.linear(
        f"sqrt({RADICAND})**2 <= (sqrt({stretch})*sqrt({target}))**2",
        roots[0],
        D.scaled(roots[1], f"sqrt({stretch})**2"),
        D.scaled(roots[2], target),
        below,
        wide,
        D.scaled(unit, f"2*{_K}"),
    )
    sign = D.times(D.known("sqrt", stretch), D.known("sqrt", target))
    first = square_below(D, squares, sign, f"sqrt({RADICAND})", f"sqrt({stretch})*sqrt({target})")
    first = D.linear(
        f"2*(exp(1) - 1)*sqrt({RADICAND}) <= 3*{_QUOTIENT}*sqrt({target})",
        D.times(first, D.linear("0 <= exp(1) - 1", base)),
        D.times(factor, D.known("sqrt", target)),
    )
    return first, second_root(D, run, k, low)


def second_root(D: Derivation, run: LongRun, k: Theorem, low: Theorem) -> Theorem:
    """7/3 (e - 1) √(2L) <= 12 f √l."""
    positive = D.linear(f"0 < {_K}", k)
    grown = D.closed(D.pointwise("log(1 + k) > 0", "k > 0", k=_K), positive)
    log_two = D.pointwise("log(2) > 0")
    unit_two, inverse_two = (
        D.positive("inverse", "log(2)", log_two),
        D.positive("inverse-positive", "log(2)", log_two),
    )
    stretch = f"(2 + {_K}/log(2))"
    inside = D.linear(f"0 <= {stretch}", product(D, positive, inverse_two))
    claim = D.claim("thm:CT-UCB/whole/second-factor", k=_K)
    claim = settled(D, claim, k, inside, D.linear(f"0 < 1 + {_K}", positive), log_two)
    divided = D.times(claim, D.positive("inverse-positive", f"log(1 + {_K})", grown))
    one = D.positive("inverse", f"log(1 + {_K})", grown)
    factor = D.linear(
        f"7*sqrt(2)/18*(exp(1) - 1)*sqrt({stretch}) <= {_QUOTIENT}",
        divided,
        D.scaled(one, f"7*sqrt(2)/18*(exp(1) - 1)*sqrt({stretch})"),
    )
    exact = D.rewrite(run.choice.inverse, D.fact("L"), "t", "L == 4*log(2*S*A*K*t)")
    parts = D.pointwise("log(2*x*y) == log(2) + log(x) + log(y)", "x > 0", "y > 0", x="2*S*A*K*H", y="K")
    volume, number = positive_product(D)["2*S*A*K*H"], D.linear("0 < K", D.fact("episodes"))
    parts = D.closed(parts, volume, number, D.linear("0 < 4*S*A*K**2*H", product(D, volume, number)))
    ratio = D.times(D.linear(f"0 <= {LOGARITHM} - log(2)", low), product(D, positive, inverse_two))
    below = D.linear(
        f"2*L <= 8*{stretch}*{LOGARITHM}",
        exact,
        parts,
        low,
        ratio,
        D.scaled(unit_two, _K),
    )
    real = D.linear(f"0 <= {LOGARITHM}", low, log_two)
    roots = [
        D.positive("sqrt-square", "2*L", D.linear("0 <= 2*L", level(D))),
        D.positive("sqrt-square", LOGARITHM, real),
        D.positive("sqrt-square", stretch, inside),
    ]
    two = D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    target = f"2*sqrt(2)*sqrt({stretch})*sqrt({LOGARITHM})"
    squares = D.linear(
        f"sqrt(2*L)**2 <= ({target})**2",
        roots[0],
        below,
        D.scaled(two, f"4*sqrt({stretch})**2*sqrt({LOGARITHM})**2"),
        D.scaled(roots[2], f"8*sqrt({LOGARITHM})**2"),
        D.scaled(roots[1], f"8*{stretch}"),
    )
    sign = D.times(D.times(D.known("sqrt", LOGARITHM), D.known("sqrt", stretch)), D.known("sqrt", "2"))
    root = square_below(D, squares, D.linear(f"0 <= {target}", sign), "sqrt(2*L)", target)
    base = D.pointwise("E - 1 > 0")
    return D.linear(
        f"7/3*(exp(1) - 1)*sqrt(2*L) <= 12*{_QUOTIENT}*sqrt({LOGARITHM})",
        D.times(root, D.linear("0 <= exp(1) - 1", base)),
        D.times(factor, D.known("sqrt", LOGARITHM)),
    )


def repaired(D: Derivation) -> Theorem:
    """thm:CT-UCB/repaired."""
    goal = f"{REGRET.format(m='m')} <= {PRINTED}"
    one_of_all = calculus.supremum(trivial(D), D.variable("m"), D.variable("m"))
    paid, total = accuracies(D)
    error = D.times(total, D.known("exp", "lmax*H"))
    value = product(D, rate_bound(D), D.fact("horizon"))
    roots = D.linear(
        f"0 <= {ROOTS}", D.known("sqrt", f"2*S + 6*{LOGARITHM}"), D.times(D.known("sqrt", LOGARITHM), value)
    )
    factor = D.linear("0 <= C*H + 1", bonus_factor(D))
    main = D.times(D.times(roots, nonnegative(D)), factor)

    def chosen(which: Theorem) -> Theorem:
        if which.says is D.formula("K*H <= 1/2"):
            return D.by_value(goal, [], which, D.assume("1 < K*H"))
        run = LongRun(D, Choice(D, which))

        def later(late: Theorem) -> Theorem:
            if late.says is D.formula("K <= 3547"):
                paid_first = D.mp(D.lemma("thm:CT-UCB/whole/few-episodes/any"), D.assume("1 < K*H"), late)
                return D.linear(goal, trivial(D), paid_first, error)
            bound = D.mp(D.lemma("thm:CT-UCB/sharp", g=ONE), at_one(D), which)
            return D.linear(goal, one_of_all, bound, larger(D, run, late, factor), paid)

        return D.split(D.known("discrete", "K", "3547"), later, later)

    def long(_: Theorem) -> Theorem:
        def wide(yes: Theorem) -> Theorem:
            return D.linear(goal, one_of_all, D.mp(D.lemma("thm:CT-UCB/long"), yes, D.assume(CHOICE)))

        return D.cases("1 <= S*A*H", wide, lambda _: D.split(D.assume(CHOICE), chosen, chosen))

    def short(one: Theorem) -> Theorem:
        return D.linear(goal, trivial(D), one, main, error)

    return D.imply(D.bounded(D.cases("K*H <= 1", short, long), "m"), "1 <= 2*S*A*K*H", CHOICE)


def larger(D: Derivation, run: LongRun, late: Theorem, factor: Theorem) -> Theorem:
    """The main term of CT-UCBVI at s = 1 is at most the printed main term, for K >= 3548."""
    first, second = printed_is_larger(D, run, late)
    wide = D.times(waits(D), D.known("sqrt", "S*A*K"))
    scale = D.times(wide, factor)
    up = D.linear("0 <= lmax*H + 1", run.value)
    half = D.linear("0 < exp(1/2) - 1", D.pointwise("exp(1/2) > 1"))
    leveled = settled(D, D.claim("thm:CT-UCB/whole/levels", v="lmax*H"), run.value, half)
    sums = f"2*sqrt({RADICAND}) + 7/3*lmax*H*sqrt(2*L)"
    sign = D.linear(f"0 <= {sums}", D.known("sqrt", RADICAND), D.times(D.known("sqrt", "2*L"), run.value))
    quotient = D.decide(f"{FACTOR} == {_QUOTIENT}", ["K == 1"], late)
    total = D.linear(f"(exp(1) - 1)*({sums}) <= 3*{_QUOTIENT}*{ROOTS}", first, D.times(second, run.value))
    left = D.times(D.times(leveled, sign), scale)
    right = D.times(D.times(total, up), scale)
    goal = f"{main_term(paid_by('C*H + 1'), ONE)} <= 3*(C*H + 1)*{WIDE}*{ROOTS}"
    same = D.scaled(quotient, f"3*(C*H + 1)*{WAIT}*sqrt(S*A*K)*(lmax*H + 1)*{ROOTS}")
    return D.linear(goal, left, right, same)


# --- few episodes -----------------------------------------------------------------------------------

_PAID = f"K*H <= 3*(C*H + 1)*{WIDE}*{ROOTS}"
FEW_EPISODES = f"Imp(1 <= 2*S*A*K*H, Imp(K <= 72*S**2*A*(lmax*H + 1)**2, {_PAID}))"
FIRST_EPISODES = f"Imp(1 < K*H, Imp(K <= 3547, {_PAID}))"


def few_theorem(D: Derivation) -> Theorem:
    """thm:CT-UCB/whole/few-episodes."""
    large, few = "1 <= 2*S*A*K*H", "K <= 72*S**2*A*(lmax*H + 1)**2"
    return D.imply(few_episodes(D, D.assume(large)), large, few)


def first_theorem(D: Derivation) -> Theorem:
    """thm:CT-UCB/whole/few-episodes/any."""
    return D.imply(first_episodes(D, D.assume("K <= 3547")), "1 < K*H", "K <= 3547")
