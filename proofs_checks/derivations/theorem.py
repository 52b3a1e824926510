"""``thm:CT-UCB`` with every step in place, for S A H >= 1: short horizons, few episodes, many episodes."""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.derivations.bound import RADICAND, core_theorem, paid_by, trivial
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LONG, WAIT, waits
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.rates import enough, level, long_enough
from proofs_checks.derivations.regret import EVENT, GOOD_REGRET, REGRET, WHOLE_REGRET
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.unions import square_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

PEELS = "lmax*(K - 1)*H <= 25**K*L"
DATA, FEW = "exp(1/2)*delta <= 2**S*S*A*H*K**2", "exp(2)*lmax*(K - 1) <= K**2"
TAIL = "(S - 1)*log(2) - log(delta) <= H*K**2"
COVERED = f"1 - 2*delta <= E(Ind({EVENT.format(m='n')}))"
SETS = f"Imp({PEELS}, Imp({DATA}, Imp({FEW}, Imp({TAIL}, {COVERED}))))"

_SPLIT = f"{REGRET.format(m='m')} <= {GOOD_REGRET.format(m='m')} + 2*delta*K*H"
SPLIT = f"Imp({PEELS}, Imp({DATA}, Imp({FEW}, Imp({TAIL}, {_SPLIT}))))"

LOGARITHM = "log(2*S*A*K*H)"
ROOTS = f"(sqrt(2*S + 6*{LOGARITHM}) + 4*lmax*H*sqrt({LOGARITHM}))"
WIDE = f"({WAIT}*sqrt(S*A*K)*({LONG}))"
PRINTED = f"3*(C*H + 1)*{WIDE}*{ROOTS} + Sum(k, K, eps(k))*exp(lmax*H) + 1"
CHOICE = "Or(delta == 1/(2*K*H), K*H <= 1/2)"
LONG_HORIZON = f"Imp(1 <= S*A*H, Imp({CHOICE}, {WHOLE_REGRET} <= {PRINTED}))"


def split(D: Derivation) -> Theorem:
    """eq:r1/repaired."""
    event = D.at(D.mp(D.lemma("eq:G/repaired"), *map(D.assume, (PEELS, DATA, FEW, TAIL))), n="m")
    return D.imply(D.mp(D.at(D.lemma("eq:r1"), q="2*delta"), event), PEELS, DATA, FEW, TAIL)


def bonus_factor(D: Derivation) -> Theorem:
    """2 <= C H + 1."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    below = D.linear("0 < 1 - exp(-lmax*H)", D.closed(D.pointwise("exp(-v) < 1", "v > 0", v="lmax*H"), value))
    large = settled(D, D.claim("thm:CT-UCB/bonus-factor", v="lmax*H"), value, below)
    most = D.linear(
        "lmax/(1 - exp(-lmax*H)) <= C", D.fact("C"), D.known("max", "lmax/(1 - exp(-lmax*H))", "1")
    )
    return D.linear("2 <= C*H + 1", large, D.times(most, D.fact("horizon")))


def accuracies(D: Derivation) -> tuple[Theorem, Theorem]:
    """Σ ε v <= Σ ε e^v, and 0 <= Σ ε."""
    total = D.sum(D.linear("0 <= eps(k)", D.fact("accuracy")), "k", "K")
    larger = D.pointwise("v <= exp(v)", v="lmax*H")
    return D.times(larger, total), total


def wide_enough(D: Derivation) -> Theorem:
    """H (v + 1) √(S A K) <= WIDE."""
    narrow = theorems.cut(long_enough(D), D.at(enough(D), q=LONG))
    return D.linear(f"H*(lmax*H + 1)*sqrt(S*A*K) <= {WIDE}", D.times(narrow, D.known("sqrt", "S*A*K")))


def logarithm(D: Derivation, large: Theorem) -> Theorem:
    """0 <= ln(2SAKH), from 1 <= 2SAKH."""
    return settled(D, D.claim("eq:regret-bound/real/repaired", x="2*S*A*K*H"), large)


def few_episodes(D: Derivation, large: Theorem) -> Theorem:
    """K <= 72 S²A(v + 1)² ⊢ K H <= 3 (CH + 1) WIDE ROOTS."""
    few, value = D.assume("K <= 72*S**2*A*(lmax*H + 1)**2"), product(D, rate_bound(D), D.fact("horizon"))
    root, states = "sqrt(S*A*K)", "sqrt(2*S)"
    square = D.positive("sqrt-square", "S*A*K", D.whole("S*A*K"))
    other = D.positive("sqrt-square", "2*S", D.whole("2*S"))
    bound = f"6*(lmax*H + 1)*{root}*{states}"
    squared = D.linear(
        f"({bound})**2 == 72*S**2*A*(lmax*H + 1)**2*K",
        D.scaled(square, f"36*(lmax*H + 1)**2*{states}**2"),
        D.scaled(other, "36*(lmax*H + 1)**2*S*A*K"),
    )
    sign = D.times(D.known("sqrt", "S*A*K"), D.known("sqrt", "2*S"))
    sign = D.times(sign, D.linear("0 <= lmax*H + 1", value))
    below = D.linear(f"K**2 <= ({bound})**2", squared, D.times(few, D.whole("K")))
    episodes = square_below(D, below, D.linear(f"0 <= {bound}", sign), "K", bound)
    return paid_for(D, D.times(episodes, D.fact("horizon")), large)


def paid_for(D: Derivation, enough_roots: Theorem, large: Theorem) -> Theorem:
    """K H <= 3 (CH + 1) WIDE ROOTS, from K H <= 6 H (v + 1) √(SAK) √(2S)."""
    states = "sqrt(2*S)"
    more = D.pointwise("sqrt(x) <= sqrt(x + d)", "x >= 0", "d >= 0", x="2*S", d=f"6*{LOGARITHM}")
    real = logarithm(D, large)
    more = settled(D, more, D.whole("2*S"), real)
    wide = wide_enough(D)
    positive = nonnegative(D)
    second = D.times(D.known("sqrt", LOGARITHM), product(D, rate_bound(D), D.fact("horizon")))
    roots = D.linear(f"{states} <= {ROOTS}", more, second)
    large_roots = D.times(roots, positive)
    first = D.times(wide, D.known("sqrt", "2*S"))
    twice = D.times(
        D.linear("0 <= C*H + 1 - 2", bonus_factor(D)),
        D.times(positive, D.linear(f"0 <= {ROOTS}", roots, D.known("sqrt", "2*S"))),
    )
    return D.linear(f"K*H <= 3*(C*H + 1)*{WIDE}*{ROOTS}", enough_roots, first, large_roots, twice)


def nonnegative(D: Derivation) -> Theorem:
    """0 <= WIDE."""
    value = D.linear(f"0 <= {LONG}", long_enough(D), product(D, rate_bound(D), D.fact("horizon")))
    return D.times(D.times(value, D.known("sqrt", "S*A*K")), waits(D))


# --- many episodes: the confidence sets are right ---------------------------------------------------


class Choice:
    """δ = 1/(2KH), and what follows of the logarithms."""

    def __init__(self, D: Derivation, chosen: Theorem) -> None:
        self.D, self.chosen = D, chosen
        self.inverse = D.rewrite(chosen, D.linear("1/delta == 1/delta"), "t", "1/delta == 1/t")
        self.product = D.scaled(D.positive("inverse", "delta", sizes(D)[0]), "2*K*H")

    @property
    def weight(self) -> Theorem:
        """2 δ K H == 1."""
        unit = self.D.positive("inverse", "delta", sizes(self.D)[0])
        return self.D.linear("2*delta*K*H == 1", unit, self.D.scaled(self.inverse, "delta"))

    @property
    def logarithm(self) -> Theorem:
        """-ln δ == ln(2KH)."""
        D, positive = self.D, sizes(self.D)[0]
        turned = D.pointwise("-log(x) == log(1/x)", "x > 0", x="delta")
        turned = settled(D, turned, positive, D.positive("inverse-positive", "delta", positive))
        return D.valued(turned, self.inverse)


def many(D: Derivation, number: Fraction | int) -> tuple[Theorem, ...]:
    """What number S²A(v + 1)² < K gives: number v S A <= K/4…, v <= K, number S <= K."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    more = D.assume(f"{number}*S**2*A*(lmax*H + 1)**2 < K")
    some = D.linear("1 <= S*A", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some"))
    states = D.times(D.fact("states-some"), D.whole("S*A"))  # S A <= S² A
    larger = D.times(D.fact("actions-some"), D.whole("S"))  # S <= S A
    square = D.linear("4*lmax*H <= (lmax*H + 1)**2", D.known("square", "lmax*H - 1"))
    grown = D.linear("lmax*H <= (lmax*H + 1)**2", square, value)
    whole = D.linear("1 <= (lmax*H + 1)**2", D.known("square", "lmax*H"), value)
    both = D.times(D.linear("S*A <= S**2*A", states), D.linear("0 <= (lmax*H + 1)**2", whole))
    speed = D.linear(f"{4 * number}*lmax*H*S*A < K", more, both, D.times(square, D.whole("S*A")))
    rate = D.linear(
        "lmax*H < K",
        more,
        both,
        D.times(whole, D.whole("S*A")),
        D.times(grown, D.whole("S*A")),
        D.times(some, value),
        some,
        value,
    )
    count = D.linear(f"{number}*S < K", more, both, D.times(whole, D.whole("S*A")), larger)
    return speed, rate, count, some


def peels(D: Derivation, rate: Theorem) -> Theorem:
    """K peels are enough for the rates, if v < K."""
    episodes = D.fact("episodes")
    last = D.linear("0 <= K - 1", episodes)
    power = D.closed(D.claim("thm:CT-UCB/peels", K="K"), episodes)
    positive = D.closed(D.pointwise("25**n > 0", "n >= 1", n="K"), episodes)
    return D.linear(PEELS, D.times(rate, last), power, D.times(D.linear("0 <= L - 1", level(D)), positive))


def with_data(D: Derivation, area: Theorem) -> Theorem:
    """DATA, from 1 <= S A H K²."""
    two = D.closed(D.pointwise("2**n >= 2", "n >= 1", integers="n", n="S"), D.fact("states-some"))
    high = D.times(sizes(D)[1], D.known("exp", "1/2"))
    room = D.times(two, D.linear("0 <= S*A*H*K**2", area))
    return D.linear(DATA, high, D.pointwise("exp(1/2) <= 2"), room, area)


def sets_cover(D: Derivation, choice: Choice, number: Fraction | int, tails: str) -> Theorem:
    """P(𝒢^c) <= 2δ for 1 <= S A H, 1 <= K H and number S²A(v + 1)² < K."""
    speed, rate, count, _ = many(D, number)
    episodes = D.fact("episodes")
    wide, long = D.assume("1 <= S*A*H"), D.assume("1 < K*H")
    last = D.linear("0 <= K - 1", episodes)
    area = D.linear(
        "1 <= S*A*H*K**2",
        wide,
        D.times(D.times(wide, D.whole("K")), D.whole("K")),
        D.times(episodes, D.whole("K")),
        episodes,
    )
    fast = D.linear("lmax <= lmax*H*S*A", D.times(wide, rate_bound(D)))
    speed = D.linear(f"{4 * number}*lmax <= K", fast, speed)
    square = D.times(speed, last)
    few = D.linear(
        FEW,
        D.times(square, D.known("exp", "2")),
        D.times(D.pointwise("exp(2) <= 8"), D.times(last, D.whole("K"))),
        episodes,
        D.times(episodes, D.whole("K")),
    )
    tail = D.claim(tails, S="S", y="K*H", K="K")
    tail = D.closed(tail, D.fact("states-some"), long, episodes, count)
    tail = D.linear(TAIL, tail, choice.logarithm)
    return D.at(D.mp(D.lemma("eq:G/repaired"), peels(D, rate), with_data(D, area), few, tail), n="m")


def radicand(D: Derivation, choice: Choice) -> Theorem:
    """RADICAND == 2 (S ln 2 + ln(2SAH²K³))."""
    same = D.linear(f"{RADICAND} == {RADICAND}")
    hole = f"{RADICAND} == 2*(S*log(2) + log(S*A*H*K**2*t))"
    return D.rewrite(choice.inverse, same, "t", hole)


def roots_below(D: Derivation, choice: Choice) -> tuple[Theorem, Theorem, Theorem]:
    """2 √RADICAND <= 3 √(2S + 6l), 7/3 √(2L) <= 12 √l, and 0 <= RADICAND; given 1 <= S A H."""
    wide, long = D.assume("1 <= S*A*H"), D.assume("1 < K*H")
    facts = (wide, long, D.fact("states-some"), D.fact("actions-some"), D.fact("episodes"), D.fact("horizon"))
    volume = D.linear("1 <= S*A*K*H", D.times(wide, D.whole("K")), D.fact("episodes"))
    real = logarithm(D, D.linear("1 <= 2*S*A*K*H", volume))
    exact = radicand(D, choice)
    some = positive_product(D)
    first = settled(
        D, D.claim("thm:CT-UCB/first-root", S="S", x="S*A*H", y="K*H", K="K"), *facts, some["2*S*A*H**2*K**3"]
    )
    low = D.linear(f"0 <= {RADICAND}", exact, first, D.times(D.pointwise("log(2) >= 0"), D.whole("S")))
    region = settled(
        D, D.claim("thm:CT-UCB/jump-constant/region", S="S", A="A", K="K", H="H"), *facts, *some.values()
    )
    more = settled(
        D, D.claim("thm:CT-UCB/jump-constant/repaired", S="S", A="A", x="S*A*H"), *facts, *some.values()
    )
    target = f"(2*S + 6*{LOGARITHM})"
    below = D.linear(f"{RADICAND} <= {target}", exact, region, more)
    squares = [
        D.positive("sqrt-square", RADICAND, low),
        D.positive("sqrt-square", target, D.linear(f"0 <= {target}", low, below)),
    ]
    jumps = D.linear(f"sqrt({RADICAND})**2 <= sqrt({target})**2", *squares, below)
    jumps = square_below(D, jumps, D.known("sqrt", target), f"sqrt({RADICAND})", f"sqrt({target})")
    ratio = settled(D, D.claim("thm:CT-UCB/rate-constant/region", K="K", x="S*A*H"), *facts, *some.values())
    flat = settled(D, D.pointwise("log(x) >= 0", "x >= 1", x="S*A*H"), wide)
    exact_level = D.rewrite(choice.inverse, D.fact("L"), "t", "L == 4*log(2*S*A*K*t)")
    level_below = D.linear(f"2*L <= 16*{LOGARITHM}", exact_level, ratio, flat)
    squares = [
        D.positive("sqrt-square", "2*L", D.linear("0 <= 2*L", level(D))),
        D.positive("sqrt-square", LOGARITHM, real),
    ]
    rates = D.linear(f"sqrt(2*L)**2 <= (4*sqrt({LOGARITHM}))**2", *squares, level_below)
    rates = square_below(
        D,
        rates,
        D.linear(f"0 <= 4*sqrt({LOGARITHM})", D.known("sqrt", LOGARITHM)),
        "sqrt(2*L)",
        f"4*sqrt({LOGARITHM})",
    )
    return jumps, rates, low


def positive_product(D: Derivation) -> dict[str, Theorem]:
    """What stands under logarithms is positive."""
    one = [
        D.linear(f"0 < {name}", D.fact(fact))
        for name, fact in (("S", "states-some"), ("A", "actions-some"), ("K", "episodes"))
    ]
    s, a, k, h = *one, D.fact("horizon")
    powers = {
        "2*S*A*K*H": (s, a, k, h),
        "2*S*A*H**2*K**3": (s, a, h, h, k, k, k),
        "4*S**2*A**2*H": (s, s, a, a, h),
        "4*K**2*S*A*H": (k, k, s, a, h),
    }
    found = {}
    for text, factors in powers.items():
        found[text] = D.linear(f"0 < {text}", product(D, *factors))
    return found


def long_horizon(D: Derivation) -> Theorem:
    """thm:CT-UCB/long."""
    wide, episodes = D.assume("1 <= S*A*H"), D.fact("episodes")
    volume = D.linear("1 <= 2*S*A*K*H", D.times(wide, D.whole("K")), episodes)
    goal = f"{REGRET.format(m='m')} <= {PRINTED}"
    paid, total = accuracies(D)
    error = D.times(total, D.known("exp", "lmax*H"))
    roots = D.linear(
        f"0 <= {ROOTS}",
        D.known("sqrt", f"2*S + 6*{LOGARITHM}"),
        D.times(D.known("sqrt", LOGARITHM), product(D, rate_bound(D), D.fact("horizon"))),
    )
    factor = D.linear("0 <= C*H + 1", bonus_factor(D))
    main = D.times(D.times(roots, nonnegative(D)), factor)
    value = product(D, rate_bound(D), D.fact("horizon"))

    def large(long: Theorem) -> Theorem:
        def chosen(which: Theorem) -> Theorem:
            if which.says is D.formula("K*H <= 1/2"):
                return D.by_value(goal, [], which, long)
            choice = Choice(D, which)
            jumps, rates, low = roots_below(D, choice)
            event = sets_cover(D, choice, 72, "thm:CT-UCB/tail")
            core = theorems.part(
                D.lemma("thm:CT-UCB/main"), D.formula(core_theorem(paid_by("C*H + 1"), LONG))
            )
            core = D.mp(D.at(core, q="2*delta"), low, event)
            scale = D.times(nonnegative(D), factor)
            sums = D.linear(
                f"2*sqrt({RADICAND}) + 7/3*lmax*H*sqrt(2*L) <= 3*{ROOTS}",
                jumps,
                D.times(rates, value),
                D.known("sqrt", f"2*S + 6*{LOGARITHM}"),
                D.times(D.known("sqrt", LOGARITHM), value),
            )
            return D.linear(goal, core, D.times(sums, scale), paid, choice.weight)

        few = D.formula("K <= 72*S**2*A*(lmax*H + 1)**2")
        return D.cases(
            few,
            lambda yes: D.linear(
                goal, trivial(D), D.mp(D.lemma("thm:CT-UCB/whole/few-episodes"), volume, yes), error
            ),
            lambda _: D.split(D.assume(CHOICE), chosen, chosen),
        )

    def short(one: Theorem) -> Theorem:
        return D.linear(goal, trivial(D), one, main, error)

    return D.imply(D.bounded(D.cases("K*H <= 1", short, large), "m"), "1 <= S*A*H", CHOICE)
