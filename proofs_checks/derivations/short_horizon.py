"""The event 𝒢 for short horizons: the jump sets peel by peel, seldom many jumps, and the rate sets."""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.derivations.crossings import exp_equal
from proofs_checks.derivations.jump_cover import PAIRS, without_data
from proofs_checks.derivations.jump_repaired import (
    DATA,
    JUMPS_COVER,
    _denied,
    at_decision,
    both_hold,
    everywhere,
    wide_without_data,
)
from proofs_checks.derivations.jump_sets import COUNT, DISTANCE
from proofs_checks.derivations.peels import MISS
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.regret import EVENT
from proofs_checks.derivations.run_counts import TOTAL
from proofs_checks.derivations.runs import equal, maximum, product, settled
from proofs_checks.derivations.theorem import Choice, many, peels, positive_product, with_data
from proofs_checks.derivations.unions import (
    all_cover,
    all_pairs,
    covered,
    one_of_sum,
    square_below,
    times_strictly,
    whole_cases,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LAMBDA = "(S*log(2) + log(S*A*H*K**2/delta))"
_PEELS = f"(1 + (sqrt({LAMBDA}) + 1)*log(c)/4)"
LOST = f"S*A*2**S*{_PEELS}*exp(1 - {LAMBDA})"
_SEEN_COVER = f"Imp(And(1 <= {COUNT}, {COUNT} <= c), {JUMPS_COVER})"
_MANY = "exp(2)*lmax*(K - 1)*H <= c"
COVER = all_cover(PAIRS.format(cover=JUMPS_COVER), "ep(i) < K")
CONDITIONS = (f"0 < {LAMBDA}", "1 <= c", DATA, _MANY)
PEELED_SETS = f"1 - {LOST} - exp(-c) <= E(Ind({COVER}))"
for _one in reversed(CONDITIONS):
    PEELED_SETS = f"Imp({_one}, {PEELED_SETS})"


def off(D: Derivation) -> Theorem:
    """α < ‖p̂ - p‖₁, 1 <= N <= c ⊢ 1 <= MISS, with w = √Λ."""
    positive, some, few = D.assume(f"0 < {LAMBDA}"), D.assume(f"1 <= {COUNT}"), D.assume(f"{COUNT} <= c")
    miss = D.assume(terms.negation(D.formula(JUMPS_COVER)))
    ratio = f"2*{LAMBDA}/{COUNT}"
    radius = D.valued(D.fact("al", n="i"), maximum(D, "1", COUNT, some))
    number = D.linear(f"0 < {COUNT}", some)
    inverse, unit = D.positive("inverse-positive", COUNT, number), D.positive("inverse", COUNT, number)
    inside = D.linear(f"0 <= {ratio}", product(D, positive, inverse))
    square = D.positive("sqrt-square", ratio, inside)
    root = D.known("sqrt", ratio)
    wide = D.linear(f"0 <= {DISTANCE} - sqrt({ratio})", miss, radius)
    both = D.times(wide, D.linear(f"0 <= {DISTANCE} + sqrt({ratio})", wide, root))
    far = D.linear(
        f"2*{LAMBDA} <= {COUNT}*{DISTANCE}**2",
        D.times(D.linear(f"{ratio} <= {DISTANCE}**2", both, square), number),
        D.scaled(unit, f"2*{LAMBDA}"),
    )
    width = D.positive("sqrt-square", LAMBDA, D.linear(f"0 <= {LAMBDA}", positive))
    far = D.linear(f"2*sqrt({LAMBDA})**2 <= {COUNT}*{DISTANCE}**2", far, width)
    event = miss_text()
    here = D.by_value(f"1 <= {event}", [theorems.cut(one, D.holds(one.says)) for one in (some, few, far)])
    return _denied(D, [some, few], miss, here)


def miss_text() -> str:
    """MISS with w = √Λ."""
    return MISS.replace("w**2", f"sqrt({LAMBDA})**2")


def peeled_sets(D: Derivation) -> Theorem:
    """P(the jump sets cover) >= 1 - SA 2^S J e^(1-Λ) - e^(-c)."""
    positive, room = D.assume(f"0 < {LAMBDA}"), D.assume("1 <= c")
    root = f"sqrt({LAMBDA})"
    width = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=LAMBDA), positive)
    rarely = D.mp(D.at(D.lemma("lem:CI-p/peeled"), w=root), width, room)
    square = D.positive("sqrt-square", LAMBDA, D.linear(f"0 <= {LAMBDA}", positive))
    cover, missed, bound = all_pairs(D, off(D), rarely, _SEEN_COVER)
    seen = D.valued(covered(D, cover, missed, bound, "ep(i) < K"), D.fact("states"), D.fact("actions"))
    power = exp_equal(D, D.linear(f"S*log(2) + 1 - {root}**2 == S*log(2) + 1 - {LAMBDA}", square))
    seen = D.linear(
        terms.relation("<=", D.term(f"1 - {LOST}"), seen.says.parts[1]),
        seen,
        D.scaled(power, f"S*A*{_PEELS}"),
    )
    counts = D.mp(D.lemma("lem:CI-p/counts"), D.assume(_MANY))
    data = D.assume(DATA)

    def entails(first: Theorem, second: Theorem) -> Theorem:
        one, every = one_of_sum(D, COUNT, "a"), one_of_sum(D, f"SumOver(a, {COUNT})", "x")
        few = D.linear(f"{COUNT} <= c", one, every, at_decision(D, second))
        covers = at_decision(D, first, "x", "a")

        def none(no: Theorem) -> Theorem:
            zero = equal(D, no, D.whole(COUNT))
            radius = D.valued(D.fact("al", n="i"), zero)
            return D.linear(
                JUMPS_COVER, theorems.cut(zero, without_data(D)), radius, wide_without_data(D, data)
            )

        return everywhere(D, whole_cases(D, COUNT, none, lambda yes: D.mp(covers, theorems.both(yes, few))))

    return D.imply(both_hold(D, seen, counts, entails), *CONDITIONS)


# --- few peels ------------------------------------------------------------------------------------

_SHORT = ("S*A*H <= 1", "1 < K*H", "40 <= K", "11/2*S**2*A*(lmax*H + 1)**2 < K", "delta == 1/(2*K*H)")
SHORT_EVENT = f"1 - 1/(K*H) <= E(Ind({EVENT.format(m='n')}))"
for _one in reversed(_SHORT):
    SHORT_EVENT = f"Imp({_one}, {SHORT_EVENT})"
_S, _R = "sqrt(K)", "sqrt(sqrt(K))"


class Fourth:
    """r = K^(1/4) and s = r², for K >= 40."""

    def __init__(self, D: Derivation) -> None:
        self.D = D
        episodes = D.assume("40 <= K")
        self.square = D.positive("sqrt-square", "K", D.whole("K"))
        self.root = D.positive("sqrt-square", _S, D.known("sqrt", "K"))
        self.s = square_below(
            D, D.linear(f"(25/4)**2 <= {_S}**2", self.square, episodes), D.known("sqrt", "K"), "25/4", _S
        )
        self.r = square_below(
            D, D.linear(f"(5/2)**2 <= {_R}**2", self.root, self.s), D.known("sqrt", _S), "5/2", _R
        )
        fourth = D.linear(f"{_R}**4 == K", D.scaled(self.root, f"{_R}**2 + {_S}"), self.square)
        self.fourth = fourth
        eighth = D.linear(f"{_R}**8 == K**2", D.scaled(fourth, f"{_R}**4 + K"))
        sixth = D.linear(f"{_S}**6 == K**3", D.scaled(self.square, f"{_S}**4 + {_S}**2*K + K**2"))
        self.eight = self._logarithm("log(8*x**8) == log(8) + 8*log(x)", _R, self.r, eighth, "8")
        self.two = self._logarithm("log(2*x**6) == log(2) + 6*log(x)", _S, self.s, sixth, "2")

    def _logarithm(self, text: str, root: str, large: Theorem, power: Theorem, number: str) -> Theorem:
        D = self.D
        positive = D.linear(f"0 < {root}", large)
        k = "8" if number == "8" else "6"
        inside = D.linear(f"0 < {number}*{root}**{k}", product(D, *[positive] * int(k)))
        plain = settled(D, D.pointwise(text, "x > 0", x=root), positive, inside)
        return D.rewrite(power, plain, "t", f"log({number}*t) == log({number}) + {k}*log({root})")


def radicand(D: Derivation, choice: Choice, fourth: Fourth) -> tuple[Theorem, Theorem]:
    """0 < Λ, and √Λ <= 8/5 K^(1/4)."""
    short, long = D.assume("S*A*H <= 1"), D.assume("1 < K*H")
    some = D.linear("1 <= S*A", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some"))
    low = D.linear("H <= 1", D.times(some, D.fact("horizon")), short)
    inside = D.claim("thm:CT-UCB/whole/radicand/short", n="S*A", K="K", h="H")
    inside = D.closed(inside, some, D.fact("episodes"), D.fact("horizon"), short, low)
    exact = D.rewrite(
        choice.inverse, D.linear(f"{LAMBDA} == {LAMBDA}"), "t", f"{LAMBDA} == S*log(2) + log(S*A*H*K**2*t)"
    )
    text = "2*S*A*K**3*H**2"
    above = positive_product(D)["2*S*A*H**2*K**3"]
    less = D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x=text, d=f"2*K**3 - {text}")
    cube = product(D, *[D.linear("0 < K", D.fact("episodes"))] * 3)
    less = D.closed(less, above, D.linear(f"0 <= 2*K**3 - {text}", inside), D.linear("0 < 2*K**3", cube))
    states = few_states(D, fourth)
    root = D.closed(D.claim("thm:CT-UCB/whole/radicand", s=_S), fourth.s, D.linear(f"0 < {_S}", fourth.s))
    log_two = D.pointwise("log(2) > 0")
    most = D.linear(f"{LAMBDA} <= 5/2*{_S}", exact, less, fourth.two, root, D.times(states, log_two))
    square = D.times(long, D.linear("0 <= K*H", long))
    big = D.linear("1 <= K*H*(K*H)", square, long)
    volume = D.times(D.times(big, D.whole("S*A*K")), D.linear("0 <= 2"))
    pairs = D.linear("1 <= S*A*K", D.times(some, D.whole("K")), D.fact("episodes"))
    large = D.linear(f"2 <= {text}", volume, pairs)
    real = settled(D, D.pointwise("log(x) >= 0", "x >= 1", x=text), D.linear(f"1 <= {text}", large))
    positive = D.linear(
        f"0 < {LAMBDA}",
        exact,
        real,
        D.times(log_two, D.whole("S")),
        D.times(D.fact("states-some"), log_two),
        log_two,
    )
    squares = D.linear(
        f"sqrt({LAMBDA})**2 <= (8/5*{_R})**2",
        D.positive("sqrt-square", LAMBDA, D.linear(f"0 <= {LAMBDA}", positive)),
        fourth.root,
        most,
        fourth.s,
    )
    width = D.linear(f"0 <= 8/5*{_R}", D.known("sqrt", _S))
    return positive, square_below(D, squares, width, f"sqrt({LAMBDA})", f"8/5*{_R}")


def few_states(D: Derivation, fourth: Fourth) -> Theorem:
    """S <= 3/7 √K."""
    more = D.assume("11/2*S**2*A*(lmax*H + 1)**2 < K")
    value = product(D, rate_bound(D), D.fact("horizon"))
    whole = D.linear("1 <= (lmax*H + 1)**2", D.known("square", "lmax*H"), value)
    actions = D.times(D.fact("actions-some"), D.whole("S**2"))
    speed = D.times(whole, D.whole("S**2*A"))
    squares = D.linear(f"S**2 <= (3/7*{_S})**2", more, actions, speed, fourth.square, D.whole("K"))
    return square_below(D, squares, D.linear(f"0 <= 3/7*{_S}", D.known("sqrt", "K")), "S", f"3/7*{_S}")


def short_event(D: Derivation) -> Theorem:
    """thm:CT-UCB/whole/event."""
    choice, fourth = Choice(D, D.assume("delta == 1/(2*K*H)")), Fourth(D)
    long, episodes = D.assume("1 < K*H"), D.fact("episodes")
    _, rate, _, some = many(D, Fraction(11, 2))
    rates = D.mp(D.at(D.lemma("lem:rateUCB/repaired"), k="K"), peels(D, rate))
    positive, width = radicand(D, choice, fourth)
    area = D.linear(
        "1 <= S*A*H*K**2",
        D.times(D.times(long, D.whole("S*A")), D.whole("K")),
        D.times(some, D.whole("K")),
        episodes,
    )
    c = "8*K**2"
    room = D.linear(f"1 <= {c}", D.times(episodes, D.whole("K")), episodes)
    jumps = D.claim("thm:CT-UCB/whole/jumps", v="lmax*H", K="K")
    value = product(D, rate_bound(D), D.fact("horizon"))
    jumps = D.closed(jumps, value, rate, episodes)
    count = D.linear(_MANY.replace("<= c", f"<= {c}"), jumps, D.times(value, D.known("exp", "2")))
    cover = D.mp(D.at(D.lemma("lem:CI-p/peeled/sets"), c=c), positive, room, with_data(D, area), count)

    def entails(*events: Theorem) -> Theorem:
        return everywhere(D, theorems.both(*(at_decision(D, one, "x", "a") for one in events)))

    both = both_hold(D, rates, cover, entails)
    unit = D.scaled(D.positive("inverse", "K", D.linear("0 < K", episodes)), "delta")
    lost = little(D, choice, fourth, width)
    twice = D.linear("2*delta == 1/(K*H)", choice.chosen)
    return D.imply(
        D.linear(f"1 - 1/(K*H) <= E(Ind({EVENT.format(m='n')}))", both, unit, lost, twice), *_SHORT
    )


def little(D: Derivation, choice: Choice, fourth: Fourth, width: Theorem) -> Theorem:
    """LOST + e^(-8K²) <= δ."""
    lost, rest = LOST.replace("log(c)", "log(8*K**2)"), "exp(-8*K**2)"
    peels_text = _PEELS.replace("log(c)", "log(8*K**2)")
    long, episodes = D.assume("1 < K*H"), D.fact("episodes")
    some = D.linear("1 <= S*A", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some"))
    low = D.linear(
        "K*H <= K",
        D.times(D.linear("H <= 1", D.times(some, D.fact("horizon")), D.assume("S*A*H <= 1")), D.whole("K")),
    )
    cost = D.closed(D.claim("thm:CT-UCB/whole/cost", r=_R), fourth.r, D.linear(f"0 < {_R}", fourth.r))
    real = D.linear(
        f"0 <= log(8) + 8*log({_R})",
        D.pointwise("log(8) > 0"),
        settled(D, D.pointwise("log(x) >= 0", "x >= 1", x=_R), fourth.r),
    )
    wider = D.times(width, real)
    number = D.linear(
        f"{peels_text} <= 1 + (8/5*{_R} + 1)*(log(8) + 8*log({_R}))/4",
        wider,
        D.scaled(fourth.eight, f"(sqrt({LAMBDA}) + 1)/4"),
    )
    budget = D.linear(
        f"exp(1)*{peels_text} + 1/100 <= K", D.times(number, D.known("exp", "1")), cost, fourth.fourth
    )
    tiny = D.closed(D.claim("thm:CT-UCB/whole/rest", K="K"), episodes)
    ratio = "S*A*H*K**2/delta"
    defined = product(
        D,
        *(D.linear(f"0 < {n}", D.fact(f)) for n, f in (("S", "states-some"), ("A", "actions-some"))),
        D.fact("horizon"),
        *[D.linear("0 < K", episodes)] * 2,
        D.positive("inverse-positive", "delta", sizes(D)[0]),
    )
    whole = D.scaled(D.positive("log", ratio, defined), f"exp(1 - log({ratio}))")
    whole = D.linear(
        f"exp(1) == 2*S*A*K**3*H**2*exp(1 - log({ratio}))",
        whole,
        D.scaled(choice.inverse, f"S*A*H*K**2*exp(1 - log({ratio}))"),
    )
    factor = "2*K**3*H**2"
    paid = D.linear(f"{factor}*({lost}) == exp(1)*{peels_text}", D.scaled(whole, peels_text))
    y = D.linear("0 < K*H", long)
    spare = D.times(D.linear("0 <= K - 1/100", episodes), D.linear("0 <= K*H - 1", long))
    late = D.times(D.times(D.times(low, D.linear("0 <= K*H", y)), D.whole("2*K")), D.known("exp", "-8*K**2"))
    tinier = D.times(tiny, D.linear("0 <= K*H", y))
    late = D.linear(f"{factor}*{rest} <= 2*K**3*H*{rest}", late)
    total = D.linear(
        f"{factor}*({lost} + {rest}) <= {factor}*delta",
        budget,
        paid,
        spare,
        late,
        tinier,
        D.scaled(choice.weight, "K**2*H"),
    )
    scale = D.linear(
        f"0 < {factor}", product(D, *[D.linear("0 < K", episodes)] * 3, D.fact("horizon"), D.fact("horizon"))
    )
    goal = f"{lost} + {rest} <= delta"
    return D.cases(
        goal,
        lambda yes: yes,
        lambda no: D.absurd(D.linear("0 < 0", times_strictly(D, no, scale), total), goal),
    )


# --- seldom many jumps ------------------------------------------------------------------------------

SELDOM = f"Imp(lmax*H <= K, 1 - exp(-8*K**2) <= E(Ind({all_cover(f'{TOTAL} <= 8*K**2', 'ep(i) < K')})))"


def seldom(D: Derivation) -> Theorem:
    """thm:CT-UCB/whole/jumps."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    jumps = D.closed(
        D.claim("thm:CT-UCB/whole/jumps", v="lmax*H", K="K"),
        value,
        D.assume("lmax*H <= K"),
        D.fact("episodes"),
    )
    count = D.linear(_MANY.replace("<= c", "<= 8*K**2"), jumps, D.times(value, D.known("exp", "2")))
    return D.imply(D.mp(D.at(D.lemma("lem:CI-p/counts"), c="8*K**2"), count), "lmax*H <= K")
