"""The jump sets with the paper's radius cover, where HK² jumps are seldom exceeded.

Three events: no estimate without data misses, as its radius is at least 1; estimates from at most HK² jumps
miss with probability at most (1 - 2^(1-S))δ; and more than HK² jumps have probability at most e^(-HK²) <=
2^(1-S)δ.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.crossings import exp_equal, falls
from proofs_checks.derivations.jump_cover import (
    COUNT,
    PAIRS,
    far,
    larger_count,
    missed_number,
    rarely_far,
    without_data,
)
from proofs_checks.derivations.jump_sets import DISTANCE
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.unions import (
    all_cover,
    all_pairs,
    at_all,
    covered,
    equal,
    ever_first,
    number_below,
    one_of_sum,
    only_where,
    square_below,
    times_strictly,
    whole_cases,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

Entails = Callable[[Theorem, Theorem], Theorem]

_LAMBDA = "(S*log(2) + log(S*A*H*K**2/delta))"
_RADIUS = f"sqrt(2*{_LAMBDA}/(m + 1))"
_FEW = f"And(1 <= {COUNT}, {COUNT} <= H*K**2)"
JUMPS_COVER = f"{DISTANCE} <= al(i, x, a)"
_SEEN_COVER = f"Imp({_FEW}, {JUMPS_COVER})"
UNION = f"1 - (1 - 2**(1 - S))*delta <= E(Ind({all_cover(PAIRS.format(cover=_SEEN_COVER), 'ep(i) < K')}))"


def union(D: Derivation) -> Theorem:
    """Estimates from 1, ..., HK² jumps miss with probability at most (1 - 2^(1-S))δ."""
    within, event = "m + 1 <= H*K**2", f"Ind(m + 1 <= H*K**2)*{far(_RADIUS)}"
    rarely = ever_first(D, "m", "k", event, only_where(D, within, far(_RADIUS), _rarely(D, within)))
    rarely = D.at(rarely, k="n")
    miss = D.assume(terms.negation(D.formula(JUMPS_COVER)))
    number = D.assume(f"{COUNT} == m + 1")
    radius = D.valued(D.fact("al", n="i"), number, larger_count(D))
    large = D.linear(f"{_RADIUS} <= {DISTANCE}", miss, radius)
    few = [D.assume(f"1 <= {COUNT}"), D.assume(f"{COUNT} <= H*K**2")]
    small = D.linear(within, few[1], number)
    here = D.by_value(
        f"1 <= {event}", [theorems.cut(one, D.holds(one.says)) for one in (number, large, small)]
    )
    missed = _denied(D, few, miss, missed_number(D, few[0], here, event))
    cover, missed, bound = all_pairs(D, missed, rarely, _SEEN_COVER)
    result = D.valued(covered(D, cover, missed, bound, "ep(i) < K"), D.fact("states"), D.fact("actions"))
    return D.linear(UNION, result, _cost(D))


def _denied(D: Derivation, conditions: list[Theorem], miss: Theorem, missed: Theorem) -> Theorem:
    """From what a miss under the conditions gives: the same from the denial of Imp(conditions, cover)."""
    goal, cover = missed.says, terms.negation(miss.says)
    never = D.assume(terms.negation(goal))
    both = D.assume(terms.junction("And", *(one.says for one in conditions)))
    for one in conditions:
        missed = theorems.cut(theorems.part(both, one.says), missed)
    safe = D.cases(cover, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", never, missed), cover))
    implied = D.imply(safe, both.says)
    denial = D.assume(terms.negation(implied.says))
    return D.cases(goal, lambda yes: yes, lambda _: theorems.absurd(implied, denial, goal))


def _rarely(D: Derivation, within: str) -> Theorem:
    """Given m + 1 <= HK²: how often an estimate from m + 1 jumps is off by the radius: (2^S - 2) e^(-Λ)."""
    most = D.linear("1 <= H*K**2", D.assume(within), D.whole("m"))
    domain = ("S >= 1", "A >= 1", "w >= 1", "0 < d", "d < 1")
    values = {"S": "S", "A": "A", "w": "H*K**2", "d": "delta"}
    defined = D.closed(D.pointwise("0 < S*A*w/d", *domain, integers="S A", **values), *sizes(D), most)
    positive = D.pointwise("0 < S*log(2) + log(S*A*w/d)", *domain, integers="S A", **values)
    positive = D.closed(positive, *sizes(D), most, defined)
    whole = D.linear("0 < m + 1", D.whole("m"))
    over = D.positive("inverse-positive", "m + 1", whole)
    inside = D.linear(f"0 < 2*{_LAMBDA}*(1/(m + 1))", times_strictly(D, positive, over))
    bound = rarely_far(D, _RADIUS, inside)
    exponent = exp_equal(D, D.scaled(D.positive("inverse", "m + 1", whole), f"-{_LAMBDA}"))
    cost = D.scaled(exponent, "2**S - 2")
    return D.linear(terms.relation("<=", bound.says.parts[0], cost.says.parts[1]), bound, cost)


def _sized(D: Derivation, relation: str, *more: Theorem) -> Theorem:
    """A relation between the sizes, the horizon and d = δ."""
    domain = ("S >= 1", "A >= 1", "K >= 1", "H > 0", "0 < d", "d < 1")
    values = {"S": "S", "A": "A", "K": "K", "H": "H", "d": "delta"}
    theorem = D.pointwise(relation, *domain, integers="S A K", **values)
    return D.closed(theorem, *sizes(D), D.fact("horizon"), *more)


def _cost(D: Derivation) -> Theorem:
    """The union over all pairs and all numbers up to HK²."""
    number = "Sum(m, n, Ind(m + 1 <= H*K**2))"
    goal = f"S*A*{number}*(2**S - 2)*exp(-{_LAMBDA}) <= (1 - 2**(1 - S))*delta"
    room = _sized(D, "0 < H*K**2")
    most = D.closed(D.at(number_below(D), q="H*K**2"), D.linear("0 <= H*K**2", room))

    def some(one: Theorem) -> Theorem:
        claim = D.claim("lem:CI-p/union/repaired", S="S", A="A", K="K", H="H", d="delta", n=number)
        known = [*sizes(D), D.fact("horizon"), one, most, _sized(D, "0 < S*A*H*K**2/d")]
        return D.linear(goal, D.closed(claim, *known))

    def none(no: Theorem) -> Theorem:
        return D.by_value(goal, [equal(D, no, D.whole(number))], _sized(D, "0 <= (1 - 2**(1 - S))*d"))

    return whole_cases(D, number, none, some)


# --- all jumps --------------------------------------------------------------------------------------

DATA, FEW = "exp(1/2)*delta <= 2**S*S*A*H*K**2", "exp(2)*lmax*(K - 1) <= K**2"
TAIL = "(S - 1)*log(2) - log(delta) <= H*K**2"


def _conditions(text: str, *conditions: str) -> str:
    for condition in reversed(conditions):
        text = f"Imp({condition}, {text})"
    return text


_COVER = all_cover(PAIRS.format(cover=JUMPS_COVER), "ep(i) < K")
REPAIRED = _conditions(f"1 - delta <= E(Ind({_COVER}))", DATA, FEW, TAIL)


def repaired(D: Derivation) -> Theorem:
    """The paper's radius covers where data, few jumps and the tail are as they should."""
    data, few, tail = (D.assume(text) for text in (DATA, FEW, TAIL))
    jumps = D.linear("exp(2)*lmax*(K - 1)*H <= H*K**2", D.times(few, D.fact("horizon")))
    counts = D.mp(D.at(D.lemma("lem:CI-p/counts"), c="H*K**2"), jumps)
    union = D.lemma("lem:CI-p/union/repaired")
    room = _sized(D, "0 < H*K**2")
    both = both_hold(D, union, counts, lambda first, second: _all(D, first, second, data))
    cost = _tail(D, tail, room)
    return D.imply(D.linear(f"1 - delta <= E(Ind({_COVER}))", both, cost), DATA, FEW, TAIL)


def _tail(D: Derivation, tail: Theorem, room: Theorem) -> Theorem:
    """e^(-HK²) <= 2^(1-S) δ."""
    spare = D.linear("0 <= H*K**2 - ((S - 1)*log(2) - log(delta))", tail)
    claim = D.claim("lem:CI-p/repaired", S="S", d="delta", y="H*K**2 - ((S - 1)*log(2) - log(delta))")
    return D.closed(claim, *sizes(D), spare, room)


def both_hold(D: Derivation, first: Theorem, second: Theorem, entails: Entails) -> Theorem:
    """P(C) >= p + q - 1 from p <= P(A), q <= P(B), if A and B entail C."""
    events = [one.says.parts[1].parts[0].parts[0] for one in (first, second)]
    result = entails(*(D.assume(one) for one in events))
    goal = terms.relation(
        "<=",
        terms.sub(terms.add(*map(terms.indicator, events)), terms.ONE),
        terms.indicator(result.says),
    )
    whole, below = D.whole(terms.indicator(result.says)), [D.indicator(one)[1] for one in events]
    holds = theorems.cut(result, D.holds(result.says))
    shown = D.cases(
        events[0],
        lambda _: D.cases(
            events[1],
            lambda _: D.by_value(goal, [*map(D.holds, events), holds]),
            lambda _: D.by_value(goal, [D.fails(events[1])], whole, *below),
        ),
        lambda _: D.by_value(goal, [D.fails(events[0])], whole, *below),
    )
    mean = D.mean(shown)
    p, q = first.says.parts[0], second.says.parts[0]
    return D.linear(
        terms.relation("<=", terms.sub(terms.add(p, q), terms.ONE), mean.says.parts[1]), mean, first, second
    )


def at_decision(D: Derivation, everywhere: Theorem, *values: str) -> Theorem:
    """I < n, ep(i) < K ⊢ what holds at all such decisions, for these values."""
    where = theorems.both(D.assume("i < n"), D.assume("ep(i) < K"))
    return D.special(D.mp(D.special(everywhere, "i"), where), *values)


def everywhere(D: Derivation, here: Theorem) -> Theorem:
    """At all decisions of the episodes before K, for all pairs."""
    return at_all(D, D.all(here, "x", "a"), "ep(i) < K")


def _all(D: Derivation, seen: Theorem, counts: Theorem, data: Theorem) -> Theorem:
    """The sets cover with data and without, if there are not too many jumps."""
    one = D.at(one_of_sum(D, COUNT, "a"))
    every = one_of_sum(D, f"SumOver(a, {COUNT})", "x")
    few = D.linear(f"{COUNT} <= H*K**2", one, every, at_decision(D, counts))
    covers = at_decision(D, seen, "x", "a")

    def some(yes: Theorem) -> Theorem:
        return D.mp(covers, theorems.both(yes, few))

    def none(no: Theorem) -> Theorem:
        both = D.mp(D.lemma("lem:CI-p/unseen/repaired"), data, equal(D, no, D.whole(COUNT)))
        return D.linear(JUMPS_COVER, *(theorems.part(both, D.formula(text)) for text in _WITHOUT))

    return everywhere(D, whole_cases(D, COUNT, none, some))


_WITHOUT = f"{DISTANCE} == 1", "1 <= al(i, x, a)"
UNSEEN = f"Imp({DATA}, Imp({COUNT} == 0, And({', '.join(_WITHOUT)})))"


def unseen(D: Derivation) -> Theorem:
    """Without data the distance is 1, and the radius is at least that."""
    data, zero = D.assume(DATA), D.assume(f"{COUNT} == 0")
    radius = D.valued(D.fact("al", n="i"), zero)
    wide = D.linear("1 <= al(i, x, a)", radius, wide_without_data(D, data))
    return D.imply(theorems.both(without_data(D), wide), DATA, f"{COUNT} == 0")


def wide_without_data(D: Derivation, data: Theorem) -> Theorem:
    """1 <= √(2Λ)."""
    inside, ratio = f"2*{_LAMBDA}", "S*A*H*K**2/delta"
    defined = _sized(D, "0 < S*A*H*K**2/d")
    positive = sizes(D)[0]
    inverse = D.positive("inverse-positive", "delta", positive)
    unit = D.scaled(D.positive("inverse", "delta", positive), "exp(1/2)")
    enough = D.linear(f"exp(1/2) <= exp(S*log(2))*({ratio})", D.times(data, inverse), unit)
    power = D.scaled(D.positive("log", ratio, defined), "exp(S*log(2))")
    high = D.linear(f"exp(1/2) <= exp({_LAMBDA})", enough, power)
    large = falls(D, high, "1/2", _LAMBDA)
    square = D.mp(D.known("sqrt-square", inside), D.linear(f"0 <= {inside}", large))
    squares = D.linear(f"1 <= sqrt({inside})**2", square, large)
    return square_below(D, squares, D.known("sqrt", inside), "1", f"sqrt({inside})")
