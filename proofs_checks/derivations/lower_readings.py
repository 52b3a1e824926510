"""The lower bound for every K, with the printed maximum and constant, and for long horizons."""

from __future__ import annotations

from proofs_checks.derivations.lower_bound import store
from proofs_checks.derivations.lower_cases import put
from proofs_checks.derivations.lower_constants import (
    ANY_SIZE,
    LARGEST,
    USUAL,
    Sizes,
    admissible,
    average,
    coin_log,
    largest,
    leaves,
    leaves_of_any,
    log_of_product,
    log_positive,
    more_states,
    scale,
)
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_tree import some_pairs
from proofs_checks.derivations.lower_values import first_wait, weighed
from proofs_checks.derivations.lower_visits import product, root_positive
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_ANY_GAP = "D == Min(sqrt(S*A/K), sqrt(2))/4"
_ANY = f"And(low == 2, 6 <= S, {_ANY_GAP})"
EVERY_K = f"Imp({_ANY}, er(d, H)*Min(sqrt(S*A*K), sqrt(2)*K)/7 <= {LARGEST})"
_ANY_SIZE = f"And(6 <= S, {_ANY_GAP})"
EVERY_SIZE_AND_K = f"Imp({_ANY_SIZE}, er(d, H)*Min(sqrt(S*A*K), sqrt(2)*K)/11 <= {LARGEST})"
_STANDS = "And(low == 2, 6 <= S, S*A <= 2*K, D == 3*sqrt(L*A/K)/10)"
STANDS = f"Imp({_STANDS}, er(d, H)*(1 - 1/(L*A))*sqrt(L*A*K)/(4*sqrt(2)) <= {LARGEST})"
PRINTED = f"Imp({USUAL}, er(d, H)*sqrt(S*A*K)/(12*sqrt(2)) <= {LARGEST})"
_LONG = "And(0 < c, c < 1, d < (1 - c)*rate*H)"
ERLANG = f"And(Imp(0 <= t, t - h/rate <= er(h, t)), Imp({_LONG}, c*H <= er(d, H)))"
LONG_BOUND = "c*H*sqrt(S*A*K)/7"
HORIZON = f"Imp({USUAL}, Imp({_LONG}, {LONG_BOUND} <= {LARGEST}))"
HORIZON_OF_ANY_SIZE = f"Imp({ANY_SIZE}, Imp({_LONG}, c*H*sqrt(S*A*K)/11 <= {LARGEST}))"
PRINTED_HORIZON = f"Imp({USUAL}, Imp({_LONG}, c*H*sqrt(S*A*K)/(12*sqrt(2)) <= {LARGEST}))"


_WORTH = "And(Vs(z, b, x, t) == gd(x)*t, Vs(z, b, root, H) == er(d, H)*(1/2 + D))"
_OTHER = "And(0 <= t, ht(x) == 0, Not(mate(x) == x), ht(z) == 1)"
TURNS = f"Imp({_OTHER}, {_WORTH})"


def turns(D: Derivation) -> Theorem:
    """States that take turns are worth what absorbing ones are."""
    time, low, leaf = (
        theorems.part(D.assume(_OTHER), D.formula(f)) for f in ("0 <= t", "ht(x) == 0", "ht(z) == 1")
    )
    ends = D.mp(D.lemma("thm:lowerbound/instances/repaired"), theorems.both(time, low))
    return D.imply(theorems.both(ends, D.mp(D.lemma("thm:lowerbound/optimal"), leaf)), _OTHER)


def erlang(D: Derivation) -> Theorem:
    """E(t - γ_h)^+ >= t - h/rate."""
    rate = D.fact("rate")
    unit = D.positive("inverse", "rate", rate)
    part = D.linear("0 <= 1/rate", D.positive("inverse-positive", "rate", rate))
    a = "All(t, Imp(0 <= t, t - h/rate <= er(h, t)))"
    start = D.all(D.imply(D.linear("t <= er(0, t)", D.fact("er-0")), "0 <= t"), "t")
    value = D.primitive("s", "t", "-exp(-rate*s)")
    gone = D.linear("0 <= exp(-rate*t)", D.known("exp", "-rate*t"))

    def step(below: Theorem) -> Theorem:
        inner = D.mp(D.special(below, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
        later = weighed(D, inner)
        rest = D.times(D.times(gone, part), D.linear("0 <= h + 1", D.whole("h")))
        up = D.linear(
            "t - (h + 1)/rate <= er(h + 1, t)", later, D.fact("er-step"), first_wait(D), rest,
            D.scaled(value, "1/rate"), D.scaled(value, "h/rate"), unit,
            D.scaled(unit, "Int(s, t, exp(-rate*s))"),
        )  # fmt: skip
        return D.all(D.imply(up, "0 <= t"), "t")

    whole = D.special(D.induction("h", a, start, step), "t")
    long = D.assume(_LONG)
    far = theorems.part(long, D.formula("d < (1 - c)*rate*H"))
    here = D.mp(D.at(whole, h="d", t="H"), D.linear("0 <= H", D.fact("horizon")))
    shorter = D.times(D.linear("d <= (1 - c)*rate*H", far), part)
    end = D.linear("c*H <= er(d, H)", here, shorter, D.scaled(unit, "(1 - c)*H"))
    return theorems.both(whole, D.imply(end, _LONG))


def printed(D: Derivation) -> Theorem:
    """With the constant of the paper, which is smaller."""
    sharp = D.mp(D.lemma("thm:lowerbound/repaired"), D.assume(USUAL))
    less = D.closed(
        D.claim("thm:lowerbound"), D.linear("0 < 12*sqrt(2)", root_positive(D, D.linear("0 < 2")))
    )
    worth = D.times(D.known("sqrt", "S*A*K"), store(D))
    says = f"er(d, H)*sqrt(S*A*K)/(12*sqrt(2)) <= {LARGEST}"
    return D.imply(D.linear(says, D.times(less, worth), sharp), USUAL)


def horizon(D: Derivation) -> Theorem:
    """For horizons that are long enough for the tree."""
    return _long(D, USUAL, "thm:lowerbound/repaired", LONG_BOUND, D.linear("0 <= 1/7"))


def horizon_of_any_size(D: Derivation) -> Theorem:
    """The same for every number of states."""
    says = "c*H*sqrt(S*A*K)/11"
    return _long(D, ANY_SIZE, "thm:lowerbound/every-size", says, D.linear("0 <= 1/11"))


def printed_horizon(D: Derivation) -> Theorem:
    """The same with the printed constant."""
    twelve = D.linear("0 < 12*sqrt(2)", root_positive(D, D.linear("0 < 2")))
    positive = D.linear("0 <= 1/(12*sqrt(2))", D.positive("inverse-positive", "12*sqrt(2)", twelve))
    return _long(D, USUAL, "thm:lowerbound", "c*H*sqrt(S*A*K)/(12*sqrt(2))", positive)


def _long(D: Derivation, given: str, label: str, says: str, constant: Theorem) -> Theorem:
    """C H in the place of W."""
    bound = D.mp(D.lemma(label), D.assume(given))
    (end,) = [f for f in D.lemma("thm:lowerbound/erlang").says.parts if f.parts[0] is D.formula(_LONG)]
    long = D.mp(theorems.part(D.lemma("thm:lowerbound/erlang"), end), D.assume(_LONG))
    more = D.times(D.times(long, D.known("sqrt", "S*A*K")), constant)
    return D.imply(D.linear(f"{says} <= {LARGEST}", more, bound), given, _LONG)


def every_k(D: Derivation) -> Theorem:
    """For every K, with D = min{√(SA/K), √2}/4."""
    return _every_k(D, _ANY, "thm:lowerbound/repaired", "thm:lowerbound/every-K", 7, leaves)


def every_size_and_k(D: Derivation) -> Theorem:
    """The same for every number of states."""
    labels = "thm:lowerbound/every-size", "thm:lowerbound/every-size/every-K"
    return _every_k(D, _ANY_SIZE, *labels, 11, leaves_of_any)


def _every_k(D: Derivation, conditions: str, usual: str, label: str, of: int, sizes: Sizes) -> Theorem:
    """For many episodes the usual bound, for few the formula of the label."""
    given = D.assume(conditions)
    gap = theorems.part(given, D.formula(_ANY_GAP))
    rest = [theorems.part(given, f) for f in given.says.parts if f is not gap.says]
    episodes = D.linear("0 < K", D.fact("episodes"))
    size = D.linear("0 < S*A", more_states(D), some_pairs(D))
    part = D.positive("inverse-positive", "K", episodes)
    unit = D.scaled(D.positive("inverse", "K", episodes), "S*A")
    ratio = D.linear("0 <= S*A/K", product(D, size, part))
    root, two = D.positive("sqrt-square", "S*A/K", ratio), D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    r, signs = "sqrt(S*A/K)", [D.known("sqrt", "S*A/K"), D.known("sqrt", "2")]
    short, other = D.known("min", r, "sqrt(2)"), D.known("min-right", r, "sqrt(2)")
    least = [D.times(D.known(name, "sqrt(S*A*K)", "sqrt(2)*K"), store(D)) for name in ("min", "min-right")]
    goal = f"er(d, H)*Min(sqrt(S*A*K), sqrt(2)*K)/{of} <= {LARGEST}"

    def case(e: Theorem) -> Theorem:
        if e.says.parts[1] is D.term(r):
            below = D.linear(f"{r} <= sqrt(2)", e, other)
            squares = D.linear("S*A/K <= 2", D.times(below, signs[0]), D.times(below, signs[1]), root, two)
            many = D.linear("S*A <= 2*K", D.times(squares, D.whole("K")), unit)
            all_ = theorems.both(*rest, many, D.linear("D == sqrt(S*A/K)/4", gap, e))
            return D.linear(goal, D.mp(D.lemma(usual), all_), least[0])
        below = D.linear(f"sqrt(2) <= {r}", e, short)
        squares = D.linear("2 <= S*A/K", D.times(below, signs[0]), D.times(below, signs[1]), root, two)
        few = D.linear("2*K <= S*A", D.times(squares, D.whole("K")), unit)
        largest_ = D.linear("D == sqrt(2)/4", gap, e)
        return D.linear(goal, _few(D, few, largest_, label, of, sizes(D, given)), least[1])

    either = D.known("min-cases", r, "sqrt(2)")
    return D.imply(D.split(either, case, case), conditions)


def _few(
    D: Derivation,
    few: Theorem,
    gap: Theorem,
    label: str,
    of: int,
    sizes: tuple[Theorem, Theorem, str],
) -> Theorem:
    """Few episodes: D = √2/4, and kl is log(2)/2."""
    many, wide, top = sizes
    pairs, episodes = some_pairs(D), D.linear("0 < K", D.fact("episodes"))
    unit, share = D.positive("inverse", "L*A", pairs), D.positive("inverse-positive", "L*A", pairs)
    two = D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    square = D.linear("1 - 4*D**2 == 1/2", two, D.scaled(gap, "4*D"), D.scaled(gap, "sqrt(2)"))
    half = log_of_product(D, D.linear("0 < 1/2"), D.linear("0 < 2"))
    coin = D.linear(f"{COIN} == log(2)/2", put(coin_log(D), square), half)
    x, inside = "(K/(L*A))", "(K/(L*A))*log(2)/4"
    positive = D.linear(f"0 < {inside}", product(D, product(D, episodes, share), log_positive(D)))
    less = D.linear(
        f"L*A*{COIN}*K/2 <= (L*A)**2*({inside})",
        D.scaled(coin, "L*A*K/2"), D.scaled(unit, "L*A*K*log(2)/4"),
    )  # fmt: skip
    most = D.times(D.linear(f"2*K <= {top}*L*A", few, wide), D.linear("0 <= 1/(L*A)", share))
    bracket = D.closed(
        D.claim(label, n="L*A", x=x), many, pairs, positive,
        D.linear(f"{x} <= {top}/2", most, unit), D.linear(f"0 <= {x}", product(D, episodes, share)),
    )  # fmt: skip
    says = f"er(d, H)*sqrt(2)*K/{of}"
    enough = D.linear(f"L*A*{says} <= er(d, H)*D*K*L*A*4/{of}", D.scaled(gap, f"4*er(d, H)*K*L*A/{of}"))
    return largest(D, says, enough, average(D, inside, positive, less, bracket, f"4/{of}"))


def stands(D: Derivation) -> Theorem:
    """The printed maximum, with D = (3/10) √(LA/K)."""
    given = D.assume(_STANDS)
    long, gap = (theorems.part(given, D.formula(f)) for f in ("S*A <= 2*K", "D == 3*sqrt(L*A/K)/10"))
    *_, many = admissible(D, given)
    pairs, episodes = some_pairs(D), D.linear("0 < K", D.fact("episodes"))
    coin, positive = _stands_coin(D, long, gap, pairs, episodes)
    inside = "(-log(7/25)/8)"
    bracket = D.closed(
        D.claim("thm:lowerbound/maximum/stands", n="L*A"),
        many,
        pairs,
        positive,
        D.linear("0 < 4*sqrt(2)", root_positive(D, D.linear("0 < 2"))),
        D.linear("0 < 7/25"),
    )
    share = "(1 - 1/(L*A))/(4*sqrt(2))*10/3"
    bound = average(
        D, inside, positive, coin, D.linear(f"{share} <= 1 - 1/(L*A) - 2*sqrt({inside})/3", bracket), share
    )
    says = "er(d, H)*(1 - 1/(L*A))*sqrt(L*A*K)/(4*sqrt(2))"
    part = "L*A*er(d, H)*(1 - 1/(L*A))/(4*sqrt(2))"
    enough = D.linear(
        f"L*A*{says} <= er(d, H)*D*K*L*A*{share}",
        D.scaled(scale(D, "L*A", pairs, episodes), part), D.scaled(gap, f"{part}*K*10/3"),
    )  # fmt: skip
    return D.imply(largest(D, says, enough, bound), _STANDS)


def _stands_coin(
    D: Derivation,
    long: Theorem,
    gap: Theorem,
    pairs: Theorem,
    episodes: Theorem,
) -> tuple[Theorem, Theorem]:
    """N kl K/2 <= n² (-log(7/25)/8), and 0 < -log(7/25)/8."""
    share, time = (D.positive("inverse-positive", u, sign) for u, sign in (("L*A", pairs), ("K", episodes)))
    x, unit = "(K/(L*A))", D.positive("inverse", "L*A", pairs)
    some = product(D, episodes, share)
    half = D.times(D.linear("L*A <= 2*K", more_states(D), long), D.linear("0 <= 1/(L*A)", share))
    half = D.linear(f"1/2 <= {x}", half, unit)
    ratio = D.linear("0 <= L*A/K", product(D, pairs, time))
    root = D.positive("sqrt-square", "L*A/K", ratio)
    square = D.linear("25*D**2 == 9*L*A/K/4", root, D.scaled(gap, "25*D"), D.scaled(gap, "15*sqrt(L*A/K)/2"))
    under = D.linear(f"1 - 9/(25*{x}) == 1 - 4*D**2", square)
    low_d = D.linear("0 < 1 - 4*D**2", product(D, *(D.linear(f"0 < 1 {s} 2*D", *_gap(D)) for s in "+-")))
    claim = D.claim("thm:lowerbound/maximum/kl", x=x)
    facts = [
        half,
        D.linear(f"0 < 25*{x}", some),
        D.linear(f"0 < 1 - 9/(25*{x})", low_d, under),
        D.linear("0 < 7/25"),
    ]
    kl = put(D.closed(claim, *facts), under)
    each = D.linear(f"{COIN}*{x} <= -log(7/25)/4", kl, D.scaled(coin_log(D), f"{x}/2"))
    total = D.times(each, product(D, pairs, pairs))
    less = D.linear(f"L*A*{COIN}*K/2 <= (L*A)**2*(-log(7/25)/8)", total, D.scaled(unit, f"L*A*K*{COIN}"))
    log = D.closed(
        D.pointwise("-log(x) > 0", "0 < x < 1", x="7/25"), D.linear("0 < 7/25"), D.linear("7/25 < 1")
    )
    return less, D.linear("0 < (-log(7/25)/8)", log)


def _gap(D: Derivation) -> list[Theorem]:
    return [theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2")]
