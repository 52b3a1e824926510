"""The jump sets of a pair, peel by peel: one supermartingale serves all numbers N in [σ^(2m), σ^(2m+2)].

With radius √(2Λ/N), Λ = w, a miss at N = x²σ^(2m) jumps, 1 <= x <= σ = 1 + 2/√Λ, has ζ(N(B) - p(B)N) - ζ²N/8
>= Λ(4x/(1+σ) - 4x²/(1+σ)²) >= Λ - 1 for a set B, with ζ = 4√2/(1+σ) √Λ σ^(-m).
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import falls
from proofs_checks.derivations.jump_sets import COUNT, DISTANCE, Estimate, crossing, exponent
from proofs_checks.derivations.unions import (
    all_cover,
    covered,
    ever_first,
    ever_over,
    number_below,
    only_where,
    root,
    square_below,
    times_strictly,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_ROOT = "sqrt(w)"
_SIGMA = f"(1 + 2/{_ROOT})"
_LOG = f"log({_SIGMA})"
_OVER = f"(1/(2 + 2/{_ROOT}))"  # 1/(1 + σ)
_DOWN = f"exp(-m*{_LOG})"  # σ^(-m)
_ZETA = f"(4*sqrt(2)*{_OVER}*{_ROOT}*{_DOWN})"
_X = f"(sqrt({COUNT})*{_DOWN})"
_RADIUS = f"sqrt(2*w/{COUNT})"
_LARGE = f"w - 1 <= {exponent(z=_ZETA)}"
_COVER = all_cover(f"{DISTANCE} <= {_RADIUS}", f"1 <= {COUNT}", f"{COUNT} <= c")
_BOUND = f"1 - 2**S*(1 + ({_ROOT} + 1)*log(c)/4)*exp(1 - w) <= E(Ind({_COVER}))"
PEELED = f"Imp(0 < w, Imp(1 <= c, {_BOUND}))"


def _edge(m: str) -> str:
    """σ^(2m), where peel m begins."""
    return f"exp(2*({m})*{_LOG})"


def peeled(D: Derivation) -> Theorem:
    """The sets of a pair with radius √(2Λ/N) cover for N <= c with probability at least 1 - 2^S J e^(1-Λ)."""
    peel, most = _Peel(D), D.assume("1 <= c")
    event = f"Ind({_edge('m')} <= c)*SumOver(B, Ind({_LARGE}))"
    rarely = ever_first(D, "m", "k", event, _rarely(D, peel))
    missed = _missed(D, peel, event)
    result = covered(D, f"{DISTANCE} <= {_RADIUS}", missed, rarely, f"1 <= {COUNT}", f"{COUNT} <= c")
    cost = D.times(D.times(_number(D, peel, most), D.known("exp", "1 - w")), D.known("exp", "S*log(2)"))
    far = D.linear(_BOUND, result, cost)
    return D.imply(_far_enough(D, peel, far), "0 < w", "1 <= c")


class _Peel:
    """σ, its logarithm and √Λ."""

    def __init__(self, D: Derivation) -> None:
        self.level = D.assume("0 < w")
        self.square, self.root = root(D, "w", self.level)
        inverse = D.positive("inverse-positive", _ROOT, self.root)
        self.sigma = D.linear(f"0 < {_SIGMA}", inverse)
        self.wide = D.linear(f"0 < 2 + 2/{_ROOT}", inverse)
        self.over = D.positive("inverse-positive", f"2 + 2/{_ROOT}", self.wide)
        logarithm = D.pointwise("0 < log(1 + 2/w)", "w > 0", w=_ROOT)
        self.log = D.closed(logarithm, self.root, self.sigma)
        self.power = D.positive("log", _SIGMA, self.sigma)
        self.two = D.linear("sqrt(2)**2 == 2", D.mp(D.known("sqrt-square", "2"), D.linear("0 <= 2")))
        small = times_strictly(D, times_strictly(D, self.over, self.root), D.known("exp", f"-m*{_LOG}"))
        two = root(D, "2", D.linear("0 < 2"))[1]
        self.zeta = D.linear(f"0 < {_ZETA}", times_strictly(D, small, two))


# --- how often --------------------------------------------------------------------------------------


def _rarely(D: Derivation, peel: _Peel) -> Theorem:
    """Peel m is paid for by 2^S supermartingales, if it begins below c."""
    one = D.closed(D.at(crossing(D), d=_ZETA, c="w - 1"), D.linear(f"0 <= {_ZETA}", peel.zeta))
    sets = D.valued(ever_over(D, "B", f"Ind({_LARGE})", one), D.fact("subsets"))
    return only_where(D, f"{_edge('m')} <= c", f"SumOver(B, Ind({_LARGE}))", sets)


def _number(D: Derivation, peel: _Peel, most: Theorem) -> Theorem:
    """At most 1 + (√Λ + 1) ln c/4 peels begin below c."""
    event, room = f"{_edge('m')} <= c", f"log(c)*(1/(2*{_LOG}))"
    positive = D.linear("0 < c", most)
    log = D.closed(D.pointwise("0 <= log(x)", "x >= 1", x="c"), most, positive)
    over = D.positive("inverse-positive", f"2*{_LOG}", D.linear(f"0 < 2*{_LOG}", peel.log))
    within = D.linear(f"{_edge('m')} <= exp(log(c))", D.assume(event), D.positive("log", "c", positive))
    steps = falls(D, within, f"2*m*{_LOG}", "log(c)")
    unit = D.scaled(D.positive("inverse", f"2*{_LOG}", D.linear(f"0 < 2*{_LOG}", peel.log)), "m")
    few = D.linear(f"m + 1 <= {room} + 1", D.times(steps, over), unit)
    goal, whole = f"Ind({event}) <= Ind(m + 1 <= {room} + 1)", D.whole(f"Ind(m + 1 <= {room} + 1)")
    one = D.cases(
        event,
        lambda _: D.by_value(goal, [D.holds(event), theorems.cut(few, D.holds(few.says))]),
        lambda _: D.by_value(goal, [D.fails(event)], whole),
    )
    sign = D.linear(f"0 <= {room} + 1", D.times(log, over))
    total = D.closed(D.at(number_below(D), q=f"{room} + 1", n="k"), sign)
    claim = D.closed(
        D.claim("lem:CI-p/peel/number", w=_ROOT),
        peel.root,
        peel.sigma,
        D.linear(f"0 < 2*{_LOG}", peel.log),
    )
    peels = D.times(claim, log)
    goal = f"Sum(m, k, Ind({event})) <= 1 + ({_ROOT} + 1)*log(c)/4"
    return D.linear(goal, D.sum(one, "m", "k"), total, peels)


def _far_enough(D: Derivation, peel: _Peel, bound: Theorem) -> Theorem:
    """The bound, which holds for every k with c < σ^(2k): there is one, as 1 + 2k ln σ <= σ^(2k)."""
    denied = D.assume(terms.negation(bound.says))
    goal = f"k*(2*{_LOG}) <= c - 1"
    grows = D.pointwise("1 + x <= exp(x)", x=f"2*k*{_LOG}")
    short = D.cases(
        f"c < {_edge('k')}",
        lambda _: theorems.absurd(bound, denied, D.formula(goal)),
        lambda no: D.linear(goal, grows, no),
    )
    flat = D.archimedes(short, "k")
    return D.cases(
        bound.says, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", flat, peel.log), bound.says)
    )


# --- a miss -----------------------------------------------------------------------------------------


def _missed(D: Derivation, peel: _Peel, event: str) -> Theorem:
    """A miss after 1, ..., c jumps is in one of the peels m < k, if c < σ^(2k)."""
    some, few = D.assume(f"1 <= {COUNT}"), D.assume(f"{COUNT} <= c")
    start, end = f"{_edge('m')} <= {COUNT}", f"{_edge('m + 1')} <= {COUNT}"
    here = _reached(D, peel, some)
    below = D.linear(f"{_edge('m')} <= c", D.assume(start), few)
    goal, whole = f"Ind({start})*(1 - Ind({end})) <= {event}", D.whole(event)
    one = D.cases(
        start,
        lambda _: D.cases(
            end,
            lambda _: D.by_value(goal, [D.holds(end)], whole),
            lambda _: D.by_value(
                goal, [D.holds(start), D.fails(end), theorems.cut(below, D.holds(below.says))], here
            ),
        ),
        lambda _: D.by_value(goal, [D.fails(start)], whole),
    )
    last = D.linear(f"{COUNT} < {_edge('k')}", few, D.assume(f"c < {_edge('k')}"))
    inside = D.valued(
        _peels(D),
        theorems.cut(some, D.holds(some.says)),
        theorems.cut(last, D.fails(f"{_edge('k')} <= {COUNT}")),
    )
    return D.linear(f"1 <= Sum(m, k, {event})", D.sum(one, "m", "k"), inside)


def _peels(D: Derivation) -> Theorem:
    """A number between 1 and σ^(2k) is in one of the peels m < k."""

    def says(k: str) -> str:
        peel = f"Ind({_edge('m')} <= gone)*(1 - Ind({_edge('m + 1')} <= gone))"
        return f"Ind(1 <= gone)*(1 - Ind({_edge(k)} <= gone)) <= Sum(m, {k}, {peel})"

    events = ["1 <= gone", f"{_edge('k')} <= gone", f"{_edge('k + 1')} <= gone"]
    shown = D.induction(
        "k", says("k"), D.linear(says("0")), lambda before: D.decide(says("k + 1"), events, before)
    )
    return D.instantiate(shown, "gone", "", COUNT)


def _reached(D: Derivation, peel: _Peel, some: Theorem) -> Theorem:
    """In peel m the supermartingale of a set reaches exp(Λ - 1)."""
    count = D.linear(f"0 < {COUNT}", some)
    estimate = Estimate(D, count)
    number, positive = root(D, COUNT, count)
    excess = D.linear(
        f"{_RADIUS}/2 <= SumOver(y, inB(B, y)*ph(i, x, a, y)) - SumOver(y, inB(B, y)*p(x, a, y))",
        D.assume(f"{_RADIUS} < {DISTANCE}"),
        D.assume(Estimate.event),
    )
    inside = D.times(excess, times_strictly(D, peel.zeta, count))
    jumps = [
        D.scaled(estimate.inside, f"{_ZETA}*{COUNT}"),
        D.scaled(estimate.unit, f"{_ZETA}*SumOver(y, inB(B, y)*Mf(i, x, a, y))"),
    ]
    down = D.known("exp", f"-m*{_LOG}")
    wide = D.times(
        _wide(D, peel, estimate, number), times_strictly(D, down, D.linear(f"0 < 4*{_OVER}", peel.over))
    )
    squares = [
        D.scaled(peel.two, f"2*{_OVER}**2*w*{_DOWN}**2*{COUNT}"),
        D.scaled(peel.square, f"2*sqrt(2)**2*{_OVER}**2*{_DOWN}**2*{COUNT}"),
        D.scaled(number, f"4*{_OVER}**2*w*{_DOWN}**2"),
    ]
    quadratic = D.times(_in_peel(D, peel, number, positive), peel.level)
    edge = D.closed(D.claim("lem:CI-p/peel/exponent", w=_ROOT), peel.root, peel.wide)
    last = D.scaled(peel.square, f"4*{_SIGMA}*{_OVER}**2 - 1")
    reached = D.linear(_LARGE, inside, *jumps, wide, *squares, quadratic, edge, last)
    return estimate.one_set(D, [reached], f"Ind({_LARGE})")


def _wide(D: Derivation, peel: _Peel, estimate: Estimate, number: Theorem) -> Theorem:
    """Λ √N <= √(2Λ) N r/2 for the radius r: both are √(Λ² N)."""
    over = D.positive("inverse-positive", COUNT, estimate.count)
    inside = D.linear(f"0 <= 2*w*(1/{COUNT})", times_strictly(D, over, peel.level))
    radius = D.mp(D.known("sqrt-square", f"2*w*(1/{COUNT})"), inside)
    left, right = f"w*sqrt({COUNT})", f"sqrt(2)*{_ROOT}*{COUNT}*{_RADIUS}/2"
    squares = D.linear(
        f"({left})**2 <= ({right})**2",
        D.scaled(number, "w**2"),
        D.scaled(peel.two, f"{_ROOT}**2*{COUNT}**2*{_RADIUS}**2/4"),
        D.scaled(peel.square, f"{COUNT}**2*{_RADIUS}**2/2"),
        D.scaled(radius, f"w*{COUNT}**2/2"),
        D.scaled(estimate.unit, f"w**2*{COUNT}"),
    )
    two = root(D, "2", D.linear("0 < 2"))[1]
    scale = times_strictly(D, times_strictly(D, peel.root, two), estimate.count)
    sign = D.times(D.known("sqrt", f"2*w*(1/{COUNT})"), scale)
    return square_below(D, squares, D.linear(f"0 <= {right}", sign), left, right)


def _in_peel(D: Derivation, peel: _Peel, number: Theorem, positive: Theorem) -> Theorem:
    """``lem:CI-p/peel`` at x = √N σ^(-m), which is between 1 and σ."""
    down = D.known("exp", f"-2*m*{_LOG}")
    square = D.scaled(number, f"{_DOWN}**2")
    low = D.linear(f"1 <= {_X}**2", D.times(D.assume(f"{_edge('m')} <= {COUNT}"), down), square)
    sigma = [D.scaled(peel.power, f"exp({_LOG})"), D.scaled(peel.power, _SIGMA)]
    below = D.linear(f"{COUNT} <= {_edge('m + 1')}", D.assume(f"{COUNT} < {_edge('m + 1')}"))
    high = D.linear(f"{_X}**2 <= {_SIGMA}**2", D.times(below, down), square, *sigma)
    sign = D.times(positive, D.known("exp", f"-m*{_LOG}"))
    least = square_below(D, low, sign, "1", _X)
    most = square_below(D, high, D.linear(f"0 <= {_SIGMA}", peel.sigma), _X, _SIGMA)
    claim = D.claim("lem:CI-p/peel", x=_X, d=f"{_SIGMA} - {_X}")
    return D.closed(claim, least, D.linear(f"0 <= {_SIGMA} - {_X}", most), peel.wide)
