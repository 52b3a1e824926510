"""The confidence sets of the rates: martingales, peels, and the union.

Z = ζ N - λ(e^ζ - 1) T makes exp(Z) a martingale (``lem:rateUCB/martingale``), for every ζ.  At a decision where
λmax T is in [25^m L, 25^(m+1) L] a miss has Z >= L/4 for ζ = ±3/(10·5^m).
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import by_jump, frozen_at, rises
from proofs_checks.derivations.run_counts import before_last, spent_in_pair
from proofs_checks.derivations.unions import (
    all_pairs,
    covered,
    either,
    equal,
    ever_both,
    ever_first,
    square_below,
    times_strictly,
)
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RATE = "lam(X(n), act(n))"
MARTINGALE = f"E(exp(d*jump(n) - {_RATE}*(exp(d) - 1)*spent(n)), n) == 1"


def martingale(D: Derivation) -> Theorem:  # noqa: N803
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


def _exponent(sign: str, i: str = "i", f: str = "f", z: str = "d") -> str:
    return f"({sign}{z}*N{f}({i}, x, a) - lam(x, a)*(exp({sign}{z}) - 1)*T{f}({i}, x, a))"


def crossing(D: Derivation) -> Theorem:  # noqa: N803
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
    after, before = _exponent("", "n + 1", ""), _exponent("", "n", "")
    moves = D.mean(D.by_value(f"exp({after} - {before}) == exp({step})", steps), "n")
    falls = D.linear(f"E(exp({after} - {before}), n) <= 1", moves, falls)
    starts = [
        D.by_value(f"{_exponent('', '0', f)} == 0", [D.fact(f"N{f}-0"), D.fact(f"T{f}-0")]) for f in ("", "f")
    ]
    kept = [D.fact(f"{name}f-step") for name in "NT"]
    frozen = D.by_value(
        f"{_exponent('', 'n + 1')} == jump(n)*{_exponent('', 'n')} + (1 - jump(n))*{after}", kept
    )
    return frozen_at(D, (before, _exponent("", "n")), falls, theorems.both(*starts), frozen)


_N, _T = "Nf(i, x, a)", "Tf(i, x, a)"
_SCALE = "exp(m*log(5))"  # w: the peel is λmax T in [w² L, 25 w² L]
_ZETA = "(3/10*exp(-m*log(5)))"
_UP, _DOWN = (f"L/4 <= {_exponent(sign, z=_ZETA)}" for sign in ("", "-"))
RATES_COVER = "Abs(lh(i, x, a) - lam(x, a)) <= be(i, x, a)"
REPAIRED = (
    "Imp(lmax*(K - 1)*H <= 25**k*L, "
    f"1 - delta*k/K <= E(Ind(All(i, Imp(And(i < n, ep(i) < K), All(x, All(a, {RATES_COVER})))))))"
)


def sizes(D: Derivation) -> list[Theorem]:  # noqa: N803
    """What is known of S, A, K and δ."""
    failure = D.fact("delta")
    parts = [theorems.part(failure, D.formula(text)) for text in ("0 < delta", "delta < 1")]
    return [*parts, *(D.fact(name) for name in ("states-some", "actions-some", "episodes"))]


def sized(D: Derivation, relation: str, *more: Theorem) -> Theorem:  # noqa: N803
    """A relation between S, A, K and d = δ."""
    domain = ("S >= 1", "A >= 1", "K >= 1", "0 < d", "d < 1")
    theorem = D.pointwise(relation, *domain, integers="S A K", S="S", A="A", K="K", d="delta")
    return D.closed(theorem, *sizes(D), *more)


def sized_claim(D: Derivation, theorem: Theorem) -> Theorem:  # noqa: N803
    """A claim about S, A, K and δ, without what is known of them."""
    return D.closed(theorem, *sizes(D), sized(D, "0 < 2*S*A*K/d"), sized(D, "0 < 2*S*A*K"))


class _Signs:
    """What is positive, and the equations x (1/x) = 1 that follow."""

    def __init__(self, D: Derivation) -> None:  # noqa: N803
        self.D = D
        self.rate = D.linear("0 < lam(x, a)", D.fact("lmin"), D.fact("rate-low"))
        self.top = D.linear("0 < lmax", self.rate, D.fact("rate-high"))
        self.level = self._level()

    def _level(self) -> Theorem:
        positive = sized(self.D, "0 < 2*S*A*K/d")
        return self.D.linear("0 < L", sized(self.D, "0 < log(2*S*A*K/d)", positive), self.D.fact("L"))

    def one(self, text: str, sign: Theorem, factor: str) -> Theorem:
        """Text (1/text) factor == factor."""
        return self.D.scaled(self.D.positive("inverse", text, sign), factor)


def _peel(D: Derivation, signs: _Signs) -> Theorem:  # noqa: N803
    """A miss in peel m is seen by one of its two martingales."""
    low, high = D.assume(f"{_SCALE}**2*L <= lmax*{_T}"), D.assume(f"lmax*{_T} <= 25*{_SCALE}**2*L")
    square = D.linear(f"0 < {_SCALE}**2", D.known("exp", "2*m*log(5)"))
    level = times_strictly(D, signs.level, square)
    time = _divided(D, D.linear(f"0 < lmax*{_T}", level, low), signs.top, _T)
    part = _Part(D, signs, time)
    exponent = _exponent_in_peel(D, part, low, high)
    distance = "lh(i, x, a) - lam(x, a)"
    either_way = f"1 <= Ind({_UP}) + Ind({_DOWN})"
    seen = [D.whole(f"Ind({event})") for event in (_UP, _DOWN)]
    missed = D.assume(f"be(i, x, a) < Abs({distance})")

    def above(is_up: Theorem) -> Theorem:
        up = _above(D, part, exponent, D.linear(f"be(i, x, a) < {distance}", missed, is_up))
        return D.by_value(either_way, [theorems.cut(up, D.holds(up.says))], *seen)

    def below(is_down: Theorem) -> Theorem:
        down = _below(D, part, exponent, D.linear(f"be(i, x, a) < -({distance})", missed, is_down))
        return D.by_value(either_way, [theorems.cut(down, D.holds(down.says))], *seen)

    return either(D, D.known("abs-cases", distance), f"Abs({distance}) == {distance}", above, below)


def _divided(D: Derivation, product: Theorem, sign: Theorem, text: str) -> Theorem:  # noqa: N803
    """0 < text from 0 < c text and 0 < c."""
    goal = f"0 < {text}"
    return D.cases(
        goal,
        lambda yes: yes,
        lambda no: D.absurd(D.linear("0 < 0", D.times(no, sign), product), goal),
    )


class _Part:
    """What holds within a peel: its ζ, and g = √(λmax T L) <= β T."""

    def __init__(self, D: Derivation, signs: _Signs, time: Theorem) -> None:  # noqa: N803
        self.signs, self.time = signs, time
        self.root = f"sqrt(lmax*{_T}*(1/L))"
        self.radius = f"L*{self.root}"
        inverse = D.positive("inverse-positive", "L", signs.level)
        inside = times_strictly(D, times_strictly(D, time, signs.top), inverse)
        self.square = D.mp(
            D.known("sqrt-square", f"lmax*{_T}*(1/L)"), D.linear(f"0 <= lmax*{_T}*(1/L)", inside)
        )
        self.above = _radius(D, self)
        grows = D.linear("0 <= m*log(5)", D.times(D.pointwise("0 < log(5)"), D.whole("m")))
        self.scale = D.linear(f"1 <= {_SCALE}", D.pointwise("1 + x <= exp(x)", x="m*log(5)"), grows)
        self.small = D.linear("exp(-m*log(5)) <= 1", rises(D, D.linear("-m*log(5) <= 0", grows)))
        self.zeta = D.linear(f"0 < {_ZETA}", D.known("exp", "-m*log(5)"))


def _radius(D: Derivation, part: _Part) -> Theorem:  # noqa: N803
    """√(λmax T L) <= β T, if L <= λmax T."""
    signs, enough = part.signs, D.assume(f"L <= lmax*{_T}")
    inverse = D.positive("inverse-positive", "lmax", signs.top)
    unit = signs.one("lmax", signs.top, _T)
    short = D.linear(f"L*(1/lmax) <= {_T}", D.times(enough, inverse), unit)
    longest = f"Max({_T}, L*(1/lmax))"
    cases = D.known("max-cases", _T, "L*(1/lmax)")
    at_most = either(
        D,
        cases,
        f"{longest} == {_T}",
        lambda same: D.linear(f"{longest} <= {_T}", same),
        lambda other: D.linear(f"{longest} <= {_T}", other, short),
    )
    is_time = equal(D, at_most, D.known("max", _T, "L*(1/lmax)"))
    radius = D.valued(D.fact("be", n="i"), is_time)
    inside = times_strictly(
        D, times_strictly(D, signs.level, signs.top), D.positive("inverse-positive", _T, part.time)
    )
    ratio = f"lmax*L*(1/{_T})"
    square = D.mp(D.known("sqrt-square", ratio), D.linear(f"0 <= {ratio}", inside))
    beta = f"sqrt({ratio})*{_T}"
    left = D.linear(
        f"({part.radius})**2 == lmax*L*{_T}",
        D.scaled(part.square, "L**2"),
        signs.one("L", signs.level, f"lmax*L*{_T}"),
    )
    right = D.linear(
        f"({beta})**2 == lmax*L*{_T}", D.scaled(square, f"{_T}**2"), signs.one(_T, part.time, f"lmax*L*{_T}")
    )
    squares = D.linear(f"({part.radius})**2 <= ({beta})**2", left, right)
    sign = D.times(D.known("sqrt", ratio), D.linear(f"0 <= {_T}", part.time))
    below = square_below(D, squares, D.linear(f"0 <= {beta}", sign), part.radius, beta)
    return D.by_value(f"{part.radius} <= be(i, x, a)*{_T}", [radius], below)


_QUADRATIC = f"({_ZETA}**2/(2*(1 - {_ZETA}/3)))"


def _exponent_in_peel(D: Derivation, part: _Part, low: Theorem, high: Theorem) -> Theorem:  # noqa: N803
    """L/4 <= ζ g - λ T ζ²/(2(1 - ζ/3)): ``lem:rateUCB/peel`` at v = g/(L w)."""
    signs, v, down = part.signs, f"({part.root}*exp(-m*log(5)))", "exp(-2*m*log(5))"
    inverse = times_strictly(
        D, D.positive("inverse-positive", "L", signs.level), D.known("exp", "-2*m*log(5)")
    )
    unit = D.positive("inverse", "L", signs.level)
    square = D.linear(f"{v}**2 == lmax*{_T}*(1/L)*{down}", D.scaled(part.square, down))
    positive = D.times(D.known("sqrt", f"lmax*{_T}*(1/L)"), D.known("exp", "-m*log(5)"))
    least = square_below(D, D.linear(f"1 <= {v}**2", D.times(low, inverse), unit, square), positive, "1", v)
    five = D.linear(f"{v}**2 <= 25", D.times(high, inverse), unit, square)
    most = square_below(D, five, D.linear("0 <= 5"), v, "5")
    share, over = "lam(x, a)*(1/lmax)", D.positive("inverse-positive", "lmax", signs.top)
    shares = [
        times_strictly(D, signs.rate, over),
        D.linear(
            f"{share} <= 1", D.times(D.fact("rate-high"), over), D.positive("inverse", "lmax", signs.top)
        ),
    ]
    width = D.linear(f"0 < 2*(1 - {_ZETA}/3)", part.small)
    tenfold = D.linear(f"0 < 10*{_SCALE}", D.known("exp", "m*log(5)"))
    peel = D.claim("lem:rateUCB/peel", L="L", v=v, w=_SCALE, q=share)
    peel = D.closed(peel, signs.level, least, most, part.scale, *shares, width, tenfold)
    time = f"lam(x, a)*{_T}*{_QUADRATIC}"
    same = D.linear(
        f"L*{share}*{part.root}**2*{_QUADRATIC} == {time}",
        D.scaled(part.square, f"L*{share}*{_QUADRATIC}"),
        signs.one("L", signs.level, f"lmax*(1/lmax)*{time}"),
        signs.one("lmax", signs.top, time),
    )
    return D.linear(f"L/4 <= {_ZETA}*{part.radius} - {time}", peel, same)


def _above(D: Derivation, part: _Part, exponent: Theorem, miss: Theorem) -> Theorem:  # noqa: N803
    """N > λT + βT, where the estimate is too large."""
    ratio = f"{_N}*(1/{_T})"
    estimate = D.linear(f"lh(i, x, a) <= {ratio}", D.fact("lh", n="i"), D.known("min", ratio, "lmax"))
    more = times_strictly(D, D.linear(f"be(i, x, a) + lam(x, a) < {ratio}", miss, estimate), part.time)
    unit = part.signs.one(_T, part.time, _N)
    count = D.linear(f"{part.radius} + lam(x, a)*{_T} < {_N}", more, unit, part.above)
    grows = _closed(D, D.claim("lem:rateUCB/exponential", x=_ZETA), part)
    curved = D.times(grows, times_strictly(D, part.signs.rate, part.time))
    return D.linear(_UP, exponent, times_strictly(D, count, part.zeta), curved)


def _below(D: Derivation, part: _Part, exponent: Theorem, miss: Theorem) -> Theorem:  # noqa: N803
    """N < λT - βT, where the estimate is too small: then it was not cut off at λmax."""
    ratio = f"{_N}*(1/{_T})"
    estimate, cut = D.fact("lh", n="i"), f"Min({ratio}, lmax)"

    def uncut(value: Theorem) -> Theorem:
        less = D.linear(f"be(i, x, a) + {ratio} < lam(x, a)", miss, estimate, value)
        unit = part.signs.one(_T, part.time, _N)
        count = D.linear(
            f"{_N} + {part.radius} < lam(x, a)*{_T}", times_strictly(D, less, part.time), unit, part.above
        )
        falls = _closed(D, D.claim("lem:rateUCB/downward", x=_ZETA), part)
        wider = _closed(D, D.pointwise("x**2/2 <= x**2/(2*(1 - x/3))", "0 <= x", "x < 3", x=_ZETA), part)
        curve = D.linear(f"exp(-{_ZETA}) - 1 + {_ZETA} <= {_QUADRATIC}", falls, wider)
        curved = D.times(curve, times_strictly(D, part.signs.rate, part.time))
        return D.linear(_DOWN, exponent, times_strictly(D, count, part.zeta), curved)

    def at_top(value: Theorem) -> Theorem:
        sign = D.by_value(
            "0 <= be(i, x, a)", [D.fact("be", n="i")], D.known("sqrt", "lmax*L/Max(Tf(i, x, a), L/lmax)")
        )
        return D.absurd(D.linear("0 < 0", miss, estimate, value, sign, D.fact("rate-high")), _DOWN)

    return either(D, D.known("min-cases", ratio, "lmax"), f"{cut} == {ratio}", uncut, at_top)


def _closed(D: Derivation, theorem: Theorem, part: _Part) -> Theorem:  # noqa: N803
    width = D.linear(f"0 < 2*(1 - {_ZETA}/3)", part.small)
    return D.closed(theorem, part.zeta, D.linear(f"{_ZETA} < 3", part.small), width)


def _long(D: Derivation, signs: _Signs, time: Theorem) -> Theorem:  # noqa: N803
    """L < λmax T where the set misses: for shorter times its radius is λmax."""
    ratio, miss = f"{_N}*(1/{_T})", D.assume("be(i, x, a) < Abs(lh(i, x, a) - lam(x, a))")
    goal, short = f"L < lmax*{_T}", D.assume(f"lmax*{_T} <= L")
    over, unit = D.positive("inverse-positive", "lmax", signs.top), signs.one("lmax", signs.top, _T)
    longest = f"Max({_T}, L*(1/lmax))"
    low = D.linear(f"{_T} <= L*(1/lmax)", D.times(short, over), unit)
    high = either(
        D,
        D.known("max-cases", _T, "L*(1/lmax)"),
        f"{longest} == {_T}",
        lambda same: D.linear(f"{longest} <= L*(1/lmax)", same, low),
        lambda same: D.linear(f"{longest} <= L*(1/lmax)", same),
    )
    radius = D.valued(D.fact("be", n="i"), equal(D, high, D.known("max-right", _T, "L*(1/lmax)")))
    inside = "lmax**2*L*(1/L)"
    is_square = D.scaled(D.positive("inverse", "L", signs.level), "lmax**2")
    square = D.mp(
        D.known("sqrt-square", inside), D.linear(f"0 <= {inside}", is_square, D.known("square", "lmax"))
    )
    squares = D.linear(f"lmax**2 <= sqrt({inside})**2", square, is_square)
    wide = square_below(D, squares, D.known("sqrt", inside), "lmax", f"sqrt({inside})")
    wide = D.by_value("lmax <= be(i, x, a)", [radius], wide)
    estimate = D.fact("lh", n="i")
    positive = D.cases(
        f"0 < {_T}",
        lambda yes: D.linear(f"0 <= {ratio}", D.times(D.positive("inverse-positive", _T, yes), D.whole(_N))),
        lambda no: D.by_value(f"0 <= {ratio}", [equal(D, no, time)]),
    )
    least = either(
        D,
        D.known("min-cases", ratio, "lmax"),
        f"Min({ratio}, lmax) == {ratio}",
        lambda same: D.linear("0 <= lh(i, x, a)", estimate, same, positive),
        lambda same: D.linear("0 <= lh(i, x, a)", estimate, same, signs.top),
    )
    most, distance = D.known("min-right", ratio, "lmax"), "lh(i, x, a) - lam(x, a)"
    facts = (miss, wide, estimate, least, most, signs.rate, D.fact("rate-high"))
    wrong = either(
        D,
        D.known("abs-cases", distance),
        f"Abs({distance}) == {distance}",
        lambda same: D.linear("0 < 0", same, *facts),
        lambda same: D.linear("0 < 0", same, *facts),
    )
    return D.cases(goal, lambda yes: yes, lambda _: D.absurd(wrong, goal))


def _peels(D: Derivation) -> Theorem:  # noqa: N803
    """L < λmax T <= 25^k L is in one of the peels m < k."""
    above = f"L < lmax*{_T}"
    within = "Ind({above})*Ind(lmax*{time} <= exp(2*({k})*log(5))*L)"
    peel = f"Ind(exp(2*{{m}}*log(5))*L <= lmax*{_T})*Ind(lmax*{_T} <= 25*exp(2*{{m}}*log(5))*L)"

    def says(k: str) -> str:
        return f"{within.format(above=above, time=_T, k=k)} <= Sum(m, {k}, {peel.format(m='m')})"

    five = D.pointwise("exp(2*log(5)) == 25")
    grown = "exp(2*(k + 1)*log(5))"
    power = D.linear(f"{grown}*L == 25*exp(2*k*log(5))*L", D.scaled(five, "exp(2*k*log(5))*L"))
    ends = [f"lmax*{_T} <= L", f"lmax*{_T} <= exp(2*k*log(5))*L", f"lmax*{_T} <= {grown}*L"]
    new = [f"exp(2*k*log(5))*L <= lmax*{_T}", f"lmax*{_T} <= 25*exp(2*k*log(5))*L"]
    start = D.decide(says("0"), [f"lmax*{_T} <= L"])
    return D.induction(
        "k", says("k"), start, lambda before: D.decide(says("k + 1"), [*ends, *new], before, power)
    )


def repaired(D: Derivation) -> Theorem:  # noqa: N803
    """The rate sets of all pairs cover in all episodes with probability at least 1 - δk/K."""
    cover, missed, bound = all_pairs(D, _missed(D), _rarely(D), RATES_COVER)
    counted = D.valued(covered(D, cover, missed, bound, "ep(i) < K"), D.fact("states"), D.fact("actions"))
    claim = D.claim("lem:rateUCB/radius", S="S", A="A", K="K", d="delta")
    level = D.by_value("exp(-L/4) == delta/(2*S*A*K)", [D.fact("L")], sized_claim(D, claim))
    pairs = D.scaled(sized(D, "2*S*A*(d/(2*S*A*K)) == d/K", sized(D, "0 < 2*S*A*K")), "k")
    total = D.linear("2*k*S*A*exp(-L/4) == delta*k/K", D.scaled(level, "2*k*S*A"), pairs)
    within = D.formula(REPAIRED).parts[0]
    return D.imply(D.linear(D.formula(REPAIRED).parts[1], counted, total), within)


def _missed(D: Derivation) -> Theorem:  # noqa: N803
    """Where the set misses, one of the martingales of the peels m < k is at least exp(L/4)."""
    signs = _Signs(D)
    low, high = (D.at(theorem, n="i") for theorem in spent_in_pair(D))
    long = _long(D, signs, low)
    event = f"Ind({_UP}) + Ind({_DOWN})"
    start, end = f"exp(2*m*log(5))*L <= lmax*{_T}", f"lmax*{_T} <= 25*exp(2*m*log(5))*L"
    peel = theorems.cut(D.linear(f"L <= lmax*{_T}", long), _peel(D, signs))
    goal, signs_of = f"Ind({start})*Ind({end}) <= {event}", [D.whole(f"Ind({text})") for text in (_UP, _DOWN)]
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
            _peels(D),
            theorems.cut(long, D.fails(f"lmax*{_T} <= L")),
            theorems.cut(short, D.holds(short.says)),
        ),
    )
    return D.linear(f"1 <= Sum(m, k, {event})", D.sum(one, "m", "k"), inside)


def _before(D: Derivation, signs: _Signs, high: Theorem) -> Theorem:  # noqa: N803
    """λmax T <= 25^k L in the episodes before the last."""
    within, before = D.assume("lmax*(K - 1)*H <= 25**k*L"), before_last(D)
    total = D.times(D.times(before, D.fact("horizon")), signs.top)
    power = D.valued(within, D.pointwise("log(25) == 2*log(5)"))
    return D.linear(f"lmax*{_T} <= exp(2*k*log(5))*L", D.times(high, signs.top), total, power)


def _rarely(D: Derivation) -> Theorem:  # noqa: N803
    """For one pair the martingales of all peels are seen to be large with probability at most 2k exp(-L/4)."""
    one = D.at(crossing(D), c="L/4")
    up, down = (D.at(one, d=f"{sign}{_ZETA}") for sign in ("", "-"))
    events = [f"Ind({_UP})", f"Ind({_DOWN})"]
    return ever_first(D, "m", "k", " + ".join(events), ever_both(D, *events, up, down))
