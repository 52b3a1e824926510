"""The lower bound for every K, with the printed maximum and constant, and for long horizons."""

from __future__ import annotations

from proofs_checks.derivations.lower_bound import store
from proofs_checks.derivations.lower_cases import put
from proofs_checks.derivations.lower_constants import (
    LARGEST,
    USUAL,
    average,
    coin_log,
    eight,
    largest,
    leaves,
    log_of_product,
    log_positive,
    more_states,
    scale,
)
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_values import first_wait, weighed
from proofs_checks.derivations.lower_visits import product, root_positive
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_ANY_GAP = "D == Min(sqrt(S*A/K), sqrt(2))/4"
_ANY = f"And(low == 2, 6 <= S, {_ANY_GAP})"
EVERY_K = f"Imp({_ANY}, er(d, H)*Min(sqrt(S*A*K), sqrt(2)*K)/7 <= {LARGEST})"
_STANDS = "And(low == 2, 6 <= S, S*A <= 2*K, D == 3*sqrt(pw(d)/K)/10)"
STANDS = f"Imp({_STANDS}, er(d, H)*(1 - 1/pw(d))*sqrt(pw(d)*K)/(4*sqrt(2)) <= {LARGEST})"
PRINTED = f"Imp({USUAL}, er(d, H)*sqrt(S*A*K)/(12*sqrt(2)) <= {LARGEST})"
_LONG = "And(0 < c, c < 1, d < (1 - c)*rate*H)"
ERLANG = f"And(Imp(0 <= t, t - h/rate <= er(h, t)), Imp({_LONG}, c*H <= er(d, H)))"
LONG_BOUND = "c*H*sqrt(S*A*K)/7"
HORIZON = f"Imp({USUAL}, Imp({_LONG}, {LONG_BOUND} <= {LARGEST}))"
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
    return _long(D, "thm:lowerbound/repaired", LONG_BOUND, D.linear("0 <= 1/7"))


def printed_horizon(D: Derivation) -> Theorem:
    """The same with the printed constant."""
    twelve = D.linear("0 < 12*sqrt(2)", root_positive(D, D.linear("0 < 2")))
    positive = D.linear("0 <= 1/(12*sqrt(2))", D.positive("inverse-positive", "12*sqrt(2)", twelve))
    return _long(D, "thm:lowerbound", "c*H*sqrt(S*A*K)/(12*sqrt(2))", positive)


def _long(D: Derivation, label: str, says: str, constant: Theorem) -> Theorem:
    """C H in the place of W."""
    bound = D.mp(D.lemma(label), D.assume(USUAL))
    (end,) = [f for f in D.lemma("thm:lowerbound/erlang").says.parts if f.parts[0] is D.formula(_LONG)]
    long = D.mp(theorems.part(D.lemma("thm:lowerbound/erlang"), end), D.assume(_LONG))
    more = D.times(D.times(long, D.known("sqrt", "S*A*K")), constant)
    return D.imply(D.linear(f"{says} <= {LARGEST}", more, bound), USUAL, _LONG)


def every_k(D: Derivation) -> Theorem:
    """For every K, with D = min{√(SA/K), √2}/4."""
    given = D.assume(_ANY)
    low, large, gap = (
        theorems.part(given, f) for f in (D.formula("low == 2"), D.formula("6 <= S"), D.formula(_ANY_GAP))
    )
    episodes = D.linear("0 < K", D.fact("episodes"))
    size = product(D, D.linear("0 < S", large), D.linear("0 < A", D.fact("choice")))
    part = D.positive("inverse-positive", "K", episodes)
    unit = D.scaled(D.positive("inverse", "K", episodes), "S*A")
    ratio = D.linear("0 <= S*A/K", product(D, size, part))
    root, two = D.positive("sqrt-square", "S*A/K", ratio), D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    r, signs = "sqrt(S*A/K)", [D.known("sqrt", "S*A/K"), D.known("sqrt", "2")]
    short, other = D.known("min", r, "sqrt(2)"), D.known("min-right", r, "sqrt(2)")
    least = [D.times(D.known(name, "sqrt(S*A*K)", "sqrt(2)*K"), store(D)) for name in ("min", "min-right")]
    goal = f"er(d, H)*Min(sqrt(S*A*K), sqrt(2)*K)/7 <= {LARGEST}"

    def case(e: Theorem) -> Theorem:
        if e.says.parts[1] is D.term(r):
            below = D.linear(f"{r} <= sqrt(2)", e, other)
            squares = D.linear("S*A/K <= 2", D.times(below, signs[0]), D.times(below, signs[1]), root, two)
            many = D.linear("S*A <= 2*K", D.times(squares, D.whole("K")), unit)
            usual = [low, large, many, D.linear("D == sqrt(S*A/K)/4", gap, e)]
            return D.linear(goal, D.mp(D.lemma("thm:lowerbound/repaired"), theorems.both(*usual)), least[0])
        below = D.linear(f"sqrt(2) <= {r}", e, short)
        squares = D.linear("2 <= S*A/K", D.times(below, signs[0]), D.times(below, signs[1]), root, two)
        few = D.linear("2*K <= S*A", D.times(squares, D.whole("K")), unit)
        return D.linear(goal, _few(D, low, large, few, D.linear("D == sqrt(2)/4", gap, e)), least[1])

    either = D.known("min-cases", r, "sqrt(2)")
    return D.imply(D.split(either, case, case), _ANY)


def _few(D: Derivation, low: Theorem, large: Theorem, few: Theorem, gap: Theorem) -> Theorem:
    """Few episodes: D = √2/4, and kl is log(2)/2."""
    many = eight(D, low, large)
    wide, _ = leaves(D, low, large, many)
    pairs, episodes = D.linear("0 < pw(d)", many), D.linear("0 < K", D.fact("episodes"))
    unit, share = D.positive("inverse", "pw(d)", pairs), D.positive("inverse-positive", "pw(d)", pairs)
    two = D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    square = D.linear("1 - 4*D**2 == 1/2", two, D.scaled(gap, "4*D"), D.scaled(gap, "sqrt(2)"))
    half = log_of_product(D, D.linear("0 < 1/2"), D.linear("0 < 2"))
    coin = D.linear(f"{COIN} == log(2)/2", put(coin_log(D), square), half)
    x, inside = "(K/pw(d))", "(K/pw(d))*log(2)/4"
    positive = D.linear(f"0 < {inside}", product(D, product(D, episodes, share), log_positive(D)))
    less = D.linear(
        f"pw(d)*{COIN}*K/2 <= pw(d)**2*({inside})",
        D.scaled(coin, "pw(d)*K/2"), D.scaled(unit, "pw(d)*K*log(2)/4"),
    )  # fmt: skip
    top = D.times(D.linear("8*K <= 9*pw(d)", few, wide), D.linear("0 <= 1/pw(d)", share))
    bracket = D.closed(
        D.claim("thm:lowerbound/every-K", n="pw(d)", x=x), many, pairs, positive,
        D.linear(f"{x} <= 9/8", top, unit), D.linear(f"0 <= {x}", product(D, episodes, share)),
    )  # fmt: skip
    says = "er(d, H)*sqrt(2)*K/7"
    enough = D.linear(f"pw(d)*{says} <= er(d, H)*D*K*pw(d)*4/7", D.scaled(gap, "4*er(d, H)*K*pw(d)/7"))
    return largest(D, says, enough, average(D, inside, positive, less, bracket, "4/7"))


def stands(D: Derivation) -> Theorem:
    """The printed maximum, with D = (3/10) √(LA/K)."""
    given = D.assume(_STANDS)
    low, large, long, gap = (
        theorems.part(given, D.formula(f))
        for f in ("low == 2", "6 <= S", "S*A <= 2*K", "D == 3*sqrt(pw(d)/K)/10")
    )
    many = eight(D, low, large)
    pairs, episodes = D.linear("0 < pw(d)", many), D.linear("0 < K", D.fact("episodes"))
    coin, positive = _stands_coin(D, low, long, gap, pairs, episodes)
    inside = "(-log(7/25)/8)"
    bracket = D.closed(
        D.claim("thm:lowerbound/maximum/stands", n="pw(d)"),
        many,
        pairs,
        positive,
        D.linear("0 < 4*sqrt(2)", root_positive(D, D.linear("0 < 2"))),
        D.linear("0 < 7/25"),
    )
    share = "(1 - 1/pw(d))/(4*sqrt(2))*10/3"
    bound = average(
        D, inside, positive, coin, D.linear(f"{share} <= 1 - 1/pw(d) - 2*sqrt({inside})/3", bracket), share
    )
    says = "er(d, H)*(1 - 1/pw(d))*sqrt(pw(d)*K)/(4*sqrt(2))"
    part = "pw(d)*er(d, H)*(1 - 1/pw(d))/(4*sqrt(2))"
    enough = D.linear(
        f"pw(d)*{says} <= er(d, H)*D*K*pw(d)*{share}",
        D.scaled(scale(D, "pw(d)", pairs, episodes), part), D.scaled(gap, f"{part}*K*10/3"),
    )  # fmt: skip
    return D.imply(largest(D, says, enough, bound), _STANDS)


def _stands_coin(
    D: Derivation,
    low: Theorem,
    long: Theorem,
    gap: Theorem,
    pairs: Theorem,
    episodes: Theorem,
) -> tuple[Theorem, Theorem]:
    """N kl K/2 <= n² (-log(7/25)/8), and 0 < -log(7/25)/8."""
    share, time = (D.positive("inverse-positive", u, sign) for u, sign in (("pw(d)", pairs), ("K", episodes)))
    x, unit = "(K/pw(d))", D.positive("inverse", "pw(d)", pairs)
    some = product(D, episodes, share)
    half = D.times(D.linear("pw(d) <= 2*K", more_states(D, low), long), D.linear("0 <= 1/pw(d)", share))
    half = D.linear(f"1/2 <= {x}", half, unit)
    ratio = D.linear("0 <= pw(d)/K", product(D, pairs, time))
    root = D.positive("sqrt-square", "pw(d)/K", ratio)
    square = D.linear(
        "25*D**2 == 9*pw(d)/K/4", root, D.scaled(gap, "25*D"), D.scaled(gap, "15*sqrt(pw(d)/K)/2")
    )
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
    less = D.linear(f"pw(d)*{COIN}*K/2 <= pw(d)**2*(-log(7/25)/8)", total, D.scaled(unit, f"pw(d)*K*{COIN}"))
    log = D.closed(
        D.pointwise("-log(x) > 0", "0 < x < 1", x="7/25"), D.linear("0 < 7/25"), D.linear("7/25 < 1")
    )
    return less, D.linear("0 < (-log(7/25)/8)", log)


def _gap(D: Derivation) -> list[Theorem]:
    return [theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2")]
