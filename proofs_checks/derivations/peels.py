"""``lem:CI-p/peeled``: the jump sets, peel by peel.

With σ = 1 + 2/w a peel is the numbers N of jumps with σ^{2l} <= N <= σ^{2l+2}.  An estimate from N jumps that
misses by √2 w/√N or more has, for some set B of states and ζ = 4√2 w y/σ^l, y = 1/(1 + σ),

    ζ (M(B) - p(B) N) - ζ² N/8 >= 4 w² (yx - y²x²) >= 4 w² σ y² = w² - 4y² >= w² - 1,   x = √N/σ^l in [1, σ].
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import rises
from proofs_checks.derivations.jump_sets import (
    COUNT,
    DISTANCE,
    SeenRow,
    _only_if,
    chance,
    crossing,
    exponent,
)
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.unions import (
    ever,
    ever_below,
    ever_first,
    ever_over,
    number_below,
    square_below,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_Y = "(1/(2 + 2/w))"
_LOG = "log(1 + 2/w)"
_BASE = f"exp(l*{_LOG})"
_ZETA = f"(4*sqrt(2)*w*{_Y}*exp(-l*{_LOG}))"
MISS = f"Ind(1 <= {COUNT})*Ind({COUNT} <= c)*Ind(2*w**2 <= {COUNT}*{DISTANCE}**2)"
PEELED = f"Imp(0 < w, Imp(1 <= c, E({ever(MISS)}) <= 2**S*(1 + (w + 1)*log(c)/4)*exp(1 - w**2)))"


def large_exponent(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 < w, e^{lL} <= t <= (1 + 2/w) e^{lL}, √2 w t/2 <= v ⊢ w² - 1 <= ζ v - ζ² t²/8."""
    positive = D.assume("0 < w")
    inverse, unit_w = D.positive("inverse-positive", "w", positive), D.positive("inverse", "w", positive)
    low, high = D.assume(f"{_BASE} <= t"), D.assume(f"t <= (1 + 2/w)*{_BASE}")
    enough = D.assume("sqrt(2)*w*t/2 <= v")
    whole = D.linear("0 < 2 + 2/w", inverse)
    y_sign, unit = D.positive("inverse-positive", "2 + 2/w", whole), D.positive("inverse", "2 + 2/w", whole)
    down = D.known("exp", f"-l*{_LOG}")
    x = f"t*exp(-l*{_LOG})"
    first, last = D.linear(f"1 <= {x}", D.times(low, down)), D.linear(f"{x} <= 1 + 2/w", D.times(high, down))
    between = D.times(D.linear(f"0 <= {x} - 1", first), D.linear(f"0 <= 1 + 2/w - ({x})", last))
    weight = D.linear(f"0 <= 4*w**2*{_Y}**2", D.known("square", f"2*w*{_Y}"))
    peel = D.times(D.linear(f"0 <= ({x})*(2 + 2/w) - ({x})**2 - (1 + 2/w)", between), weight)
    two = D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    zeta = product(D, D.pointwise("sqrt(2) > 0"), positive, y_sign, down)
    zeta = D.linear(f"0 <= {_ZETA}", zeta)
    gain = D.times(enough, zeta)
    half = D.linear(f"2*{_Y}*(w + 1) == w", D.scaled(unit, "w"), D.scaled(unit_w, f"2*{_Y}"))
    small = D.linear(f"{_Y} <= 1/2", unit, product(D, y_sign, inverse))
    least = D.linear(f"4*{_Y}**2 <= 1", D.times(small, y_sign), small)
    facts = [
        gain,
        peel,
        least,
        D.scaled(two, f"2*w**2*{_Y}*({x})"),
        D.scaled(two, f"2*w**2*{_Y}**2*({x})**2"),
        D.scaled(unit, f"4*w**2*{_Y}*({x})"),
        D.scaled(unit_w, f"8*w*{_Y}**2"),
        D.scaled(half, f"2*{_Y}*(w + 1)"),
        D.scaled(half, "w"),
    ]
    return D.linear(f"w**2 - 1 <= {_ZETA}*v - ({_ZETA})**2*t**2/8", *facts), zeta


LARGE = f"Ind(w**2 - 1 <= {exponent(z=_ZETA)})"
_IN = f"2*l*{_LOG} <= log({COUNT})"
_PAST = f"2*(l + 1)*{_LOG} <= log({COUNT})"
_SOON = f"2*l*{_LOG} <= log(c)"
_HITS = f"Ind({_SOON})*SumOver(B, {LARGE})"


def missed_in_peel(D: Derivation) -> tuple[Theorem, Theorem]:
    """A miss whose number of jumps is in peel l ⊢ 1 <= SumOver(B, LARGE)."""
    positive, some = D.assume("0 < w"), D.assume(f"1 <= {COUNT}")
    far, low, high = (
        D.assume(f"2*w**2 <= {COUNT}*{DISTANCE}**2"),
        D.assume(_IN),
        D.assume(f"log({COUNT}) < 2*(l + 1)*{_LOG}"),
    )
    number = D.linear(f"0 < {COUNT}", some)
    itself, root = D.positive("log", COUNT, number), f"sqrt({COUNT})"
    square = D.positive("sqrt-square", COUNT, D.linear(f"0 <= {COUNT}", number))
    sigma = D.linear("0 < 1 + 2/w", D.positive("inverse-positive", "w", positive))
    base = D.positive("log", "1 + 2/w", sigma)
    first = D.linear(f"({_BASE})**2 <= {root}**2", rises(D, low), itself, square)
    first = square_below(D, first, D.known("sqrt", COUNT), _BASE, root)
    up = D.linear(f"exp(2*{_LOG}) == (1 + 2/w)**2", D.scaled(base, f"exp({_LOG})"), D.scaled(base, "1 + 2/w"))
    above = rises(D, D.linear(f"log({COUNT}) <= 2*(l + 1)*{_LOG}", high))
    end = f"(1 + 2/w)*{_BASE}"
    last = D.linear(f"{root}**2 <= ({end})**2", above, itself, square, D.scaled(up, f"exp(2*l*{_LOG})"))
    last = square_below(D, last, D.times(D.known("exp", f"l*{_LOG}"), sigma), root, end)
    two = D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    distance = D.over(_size(D), "y")
    wide = D.linear(
        f"(sqrt(2)*w)**2 <= ({root}*{DISTANCE})**2",
        far,
        D.scaled(two, "w**2"),
        D.scaled(square, f"{DISTANCE}**2"),
    )
    wide = square_below(D, wide, D.times(distance, D.known("sqrt", COUNT)), "sqrt(2)*w", f"{root}*{DISTANCE}")
    estimate, event = SeenRow(D, number), D.assume(SeenRow.event)
    excess = f"(SumOver(y, inB(B, y)*Mf(i, x, a, y)) - {chance()}*{COUNT})"
    half = D.linear(
        f"{COUNT}*{DISTANCE}/2 == {excess}",
        D.scaled(event, f"{COUNT}/2"),
        D.scaled(estimate.inside, COUNT),
        D.scaled(estimate.unit, "SumOver(y, inB(B, y)*Mf(i, x, a, y))"),
    )
    enough = D.linear(
        f"sqrt(2)*w*{root}/2 <= {excess}",
        D.times(wide, D.known("sqrt", COUNT)),
        half,
        D.scaled(square, f"{DISTANCE}/2"),
    )
    exponent_of, zeta = large_exponent(D)
    reached = D.closed(D.at(exponent_of, t=root, v=excess), first, last, enough)
    reached = D.linear(f"w**2 - 1 <= {exponent(z=_ZETA)}", reached, D.scaled(square, f"({_ZETA})**2/8"))
    return estimate.one_set(D, (reached,), LARGE), zeta


def _size(D: Derivation) -> Theorem:
    """0 <= |p̂ - p|."""
    gap = "ph(i, x, a, y) - p(x, a, y)"
    facts = (D.known("abs", gap), D.known("abs-", gap))
    return D.linear(f"0 <= Abs({gap})", *facts)


def some_peel(D: Derivation) -> Theorem:
    """1 - Ind(2 k L <= ln N) <= Σ over l < k of Ind(N is in peel l)."""
    inside = f"Ind({_IN})*(1 - Ind({_PAST}))"

    def claim(k: str) -> str:
        return f"1 - Ind(2*{k}*{_LOG} <= log({COUNT})) <= Sum(l, {k}, {inside})"

    now, after = f"2*k*{_LOG} <= log({COUNT})", f"2*(k + 1)*{_LOG} <= log({COUNT})"
    first = D.decide(claim("0"), [f"0 <= log({COUNT})"], D.assume(f"0 <= log({COUNT})"))
    return D.induction("k", claim("k"), first, lambda below: D.decide(claim("(k + 1)"), [now, after], below))


def peeled(D: Derivation) -> Theorem:
    """How often an estimate from at most c jumps misses, whatever the policies."""
    room = D.assume("1 <= c")
    some, few = f"1 <= {COUNT}", f"{COUNT} <= c"
    far = f"2*w**2 <= {COUNT}*{DISTANCE}**2"
    number = D.linear(f"0 < {COUNT}", D.assume(some))
    spare = D.linear(f"0 <= c - {COUNT}", D.assume(few))
    less = D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x=COUNT, d=f"c - {COUNT}")
    less = D.closed(less, number, spare, D.linear("0 < c", room))
    hit, zeta = missed_in_peel(D)
    in_peel, past = D.assume(_IN), D.formula(_PAST)
    soon = D.linear(_SOON, in_peel, less)
    goal = f"Ind({_IN})*(1 - Ind({_PAST})) <= {_HITS}"
    whole = D.whole(_HITS)
    each = D.cases(
        _IN,
        lambda _: D.cases(
            past,
            lambda _: D.by_value(goal, [D.holds(past)], whole),
            lambda _: D.by_value(
                goal, [D.holds(_IN), D.fails(past), theorems.cut(soon, D.holds(_SOON))], hit
            ),
        ),
        lambda _: D.by_value(goal, [D.fails(_IN)], whole),
    )
    late = D.assume(f"log(c) < 2*k*{_LOG}")
    gone = D.closed(
        D.fails(f"2*k*{_LOG} <= log({COUNT})"), D.linear(f"log({COUNT}) < 2*k*{_LOG}", less, late)
    )
    real = settled(D, D.pointwise("log(x) >= 0", "x >= 1", x=COUNT), D.assume(some))
    found = D.valued(D.closed(some_peel(D), real), gone)
    total = f"Sum(l, k, {_HITS})"
    here = D.linear(f"1 <= {total}", found, D.sum(each, "l", "k"))
    result = f"{MISS} <= {total}"
    missed = _if_all(D, [some, few, far], result, here, D.whole(total))
    rarely = D.closed(D.at(crossing(D), d=_ZETA, c="w**2 - 1"), zeta)
    sets = ever_over(D, "B", LARGE, rarely)
    sets = _only_if(D, [_SOON], f"SumOver(B, {LARGE})", sets)
    union = ever_first(D, "l", "k", _HITS, sets)
    bound = D.linear(
        f"E({ever(MISS)}) <= 2**S*exp(1 - w**2)*Sum(l, k, Ind({_SOON}))",
        D.mean(ever_below(D, missed)),
        union,
        D.scaled(D.fact("subsets"), f"exp(1 - w**2)*Sum(l, k, Ind({_SOON}))"),
    )
    final = f"E({ever(MISS)}) <= 2**S*(1 + (w + 1)*log(c)/4)*exp(1 - w**2)"
    power = D.times(D.known("exp", "S*log(2)"), D.known("exp", "1 - w**2"))
    shown = D.linear(final, bound, D.times(peels(D), power))
    return D.imply(_without(D, shown, final), "0 < w", "1 <= c")


def _if_all(D: Derivation, events: list[str], goal: str, holds: Theorem, whole: Theorem) -> Theorem:
    """A goal with a product of indicators on its left, from what holds if all do."""

    def go(rest: list[str], values: list[Theorem]) -> Theorem:
        if not rest:
            return D.by_value(goal, values, holds)
        return D.cases(
            rest[0],
            lambda _: go(rest[1:], [*values, D.holds(rest[0])]),
            lambda _: D.by_value(goal, [D.fails(rest[0])], whole),
        )

    return go(events, [])


def growth(D: Derivation) -> Theorem:
    """0 < L, L = ln(1 + 2/w)."""
    inverse = D.positive("inverse-positive", "w", D.assume("0 < w"))
    return D.closed(D.pointwise("log(1 + x) > 0", "x > 0", x="2/w"), D.linear("0 < 2/w", inverse))


def peels(D: Derivation) -> Theorem:
    """Σ over l < k of Ind(2 l L <= ln c) <= 1 + (w + 1) ln c/4."""
    grows, room = growth(D), D.assume("1 <= c")
    real = settled(D, D.pointwise("log(x) >= 0", "x >= 1", x="c"), room)
    q = f"log(c)/(2*{_LOG})"
    inverse = D.positive("inverse-positive", f"2*{_LOG}", D.linear(f"0 < 2*{_LOG}", grows))
    unit = D.scaled(D.positive("inverse", f"2*{_LOG}", D.linear(f"0 < 2*{_LOG}", grows)), "l")
    reach = D.linear(f"l + 1 <= {q} + 1", D.times(D.assume(_SOON), inverse), unit)
    goal = f"Ind({_SOON}) <= Ind(l + 1 <= {q} + 1)"
    one = D.cases(
        _SOON,
        lambda _: D.by_value(goal, [D.holds(_SOON), theorems.cut(reach, D.holds(reach.says))]),
        lambda _: D.by_value(goal, [D.fails(_SOON)], D.whole(f"Ind(l + 1 <= {q} + 1)")),
    )
    ratio = D.times(inverse, real)
    count = D.closed(D.at(number_below(D), n="k", q=f"{q} + 1"), D.linear(f"0 <= {q} + 1", ratio))
    few = settled(
        D,
        D.claim("lem:CI-p/peel/number", w="w"),
        D.assume("0 < w"),
        D.linear(f"0 < 2*{_LOG}", grows),
        _sigma(D),
    )
    return D.linear(
        f"Sum(l, k, Ind({_SOON})) <= 1 + (w + 1)*log(c)/4", D.sum(one, "l", "k"), count, D.times(few, real)
    )


def _sigma(D: Derivation) -> Theorem:
    return D.linear("0 < 1 + 2/w", D.positive("inverse-positive", "w", D.assume("0 < w")))


def _without(D: Derivation, shown: Theorem, goal: str) -> Theorem:
    """The goal, shown given ln c < 2 k L: some k is so large."""
    late, final = D.formula(f"log(c) < 2*k*{_LOG}"), D.formula(goal)
    denial = D.assume(terms.negation(final))
    never = D.cases(
        late,
        lambda _: theorems.absurd(shown, denial, terms.negation(late)),
        lambda no: no,
    )
    bounded = D.archimedes(D.linear(f"k*(2*{_LOG}) <= log(c)", never), "k")
    return D.cases(final, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", bounded, growth(D)), final))
