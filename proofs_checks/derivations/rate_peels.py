"""The rate sets, peel by peel: one ζ serves all times T with 25^m L <= λmax T <= 25^(m+1) L.

A miss |N/T - λ| > β = √(λmax L/T) there has ±ζN - λ(e^(±ζ) - 1)T >= L/4 for one of the signs, with ζ =
3/(10·5^m).
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import rises
from proofs_checks.derivations.unions import either, equal, square_below, times_strictly
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def exponent(sign: str, i: str = "i", f: str = "f", z: str = "d") -> str:
    """ζN - λ(e^ζ - 1)T at decision i, for ζ of that sign."""
    return f"({sign}{z}*N{f}({i}, x, a) - lam(x, a)*(exp({sign}{z}) - 1)*T{f}({i}, x, a))"


JUMPS, TIME = "Nf(i, x, a)", "Tf(i, x, a)"
_SCALE = "exp(m*log(5))"  # w: the peel is λmax T in [w² L, 25 w² L]
ZETA = "(3/10*exp(-m*log(5)))"
UP, DOWN = (f"L/4 <= {exponent(sign, z=ZETA)}" for sign in ("", "-"))


def sizes(D: Derivation) -> list[Theorem]:
    """What is known of S, A, K and δ."""
    failure = D.fact("delta")
    parts = [theorems.part(failure, D.formula(text)) for text in ("0 < delta", "delta < 1")]
    return [*parts, *(D.fact(name) for name in ("states-some", "actions-some", "episodes"))]


def sized(D: Derivation, relation: str, *more: Theorem) -> Theorem:
    """A relation between S, A, K and d = δ."""
    domain = ("S >= 1", "A >= 1", "K >= 1", "0 < d", "d < 1")
    theorem = D.pointwise(relation, *domain, integers="S A K", S="S", A="A", K="K", d="delta")
    return D.closed(theorem, *sizes(D), *more)


def sized_claim(D: Derivation, theorem: Theorem) -> Theorem:
    """A claim about S, A, K and δ, without what is known of them."""
    return D.closed(theorem, *sizes(D), sized(D, "0 < 2*S*A*K/d"), sized(D, "0 < 2*S*A*K"))


class RateSigns:
    """What is positive, and the equations x (1/x) = 1 that follow."""

    def __init__(self, D: Derivation) -> None:
        self.D = D
        self.rate = D.fact("rate")
        self.top = D.fact("lmax")
        self.level = self._level()

    def _level(self) -> Theorem:
        positive = sized(self.D, "0 < 2*S*A*K/d")
        return self.D.linear("0 < L", sized(self.D, "0 < log(2*S*A*K/d)", positive), self.D.fact("L"))

    def one(self, text: str, sign: Theorem, factor: str) -> Theorem:
        """Text (1/text) factor == factor."""
        return self.D.scaled(self.D.positive("inverse", text, sign), factor)


def peel_seen(D: Derivation, signs: RateSigns) -> Theorem:
    """A miss in peel m is seen by one of its two martingales."""
    low, high = D.assume(f"{_SCALE}**2*L <= lmax*{TIME}"), D.assume(f"lmax*{TIME} <= 25*{_SCALE}**2*L")
    square = D.linear(f"0 < {_SCALE}**2", D.known("exp", "2*m*log(5)"))
    level = times_strictly(D, signs.level, square)
    time = _divided(D, D.linear(f"0 < lmax*{TIME}", level, low), signs.top, TIME)
    part = _RatePeel(D, signs, time)
    reached = _exponent_in_peel(D, part, low, high)
    distance = "lh(i, x, a) - lam(x, a)"
    either_way = f"1 <= Ind({UP}) + Ind({DOWN})"
    seen = [D.whole(f"Ind({event})") for event in (UP, DOWN)]
    missed = D.assume(f"be(i, x, a) < Abs({distance})")

    def above(is_up: Theorem) -> Theorem:
        up = _above(D, part, reached, D.linear(f"be(i, x, a) < {distance}", missed, is_up))
        return D.by_value(either_way, [theorems.cut(up, D.holds(up.says))], *seen)

    def below(is_down: Theorem) -> Theorem:
        down = _below(D, part, reached, D.linear(f"be(i, x, a) < -({distance})", missed, is_down))
        return D.by_value(either_way, [theorems.cut(down, D.holds(down.says))], *seen)

    return either(D, D.known("abs-cases", distance), f"Abs({distance}) == {distance}", above, below)


def _divided(D: Derivation, product: Theorem, sign: Theorem, text: str) -> Theorem:
    """0 < text from 0 < c text and 0 < c."""
    goal = f"0 < {text}"
    return D.cases(
        goal,
        lambda yes: yes,
        lambda no: D.absurd(D.linear("0 < 0", D.times(no, sign), product), goal),
    )


class _RatePeel:
    """What holds within a peel: its ζ, and g = √(λmax T L) <= β T."""

    def __init__(self, D: Derivation, signs: RateSigns, time: Theorem) -> None:
        self.signs, self.time = signs, time
        self.root = f"sqrt(lmax*{TIME}*(1/L))"
        self.radius = f"L*{self.root}"
        inverse = D.positive("inverse-positive", "L", signs.level)
        inside = times_strictly(D, times_strictly(D, time, signs.top), inverse)
        self.square = D.mp(
            D.known("sqrt-square", f"lmax*{TIME}*(1/L)"), D.linear(f"0 <= lmax*{TIME}*(1/L)", inside)
        )
        self.above = _radius(D, self)
        grows = D.linear("0 <= m*log(5)", D.times(D.pointwise("0 < log(5)"), D.whole("m")))
        self.scale = D.linear(f"1 <= {_SCALE}", D.pointwise("1 + x <= exp(x)", x="m*log(5)"), grows)
        self.small = D.linear("exp(-m*log(5)) <= 1", rises(D, D.linear("-m*log(5) <= 0", grows)))
        self.zeta = D.linear(f"0 < {ZETA}", D.known("exp", "-m*log(5)"))


def _radius(D: Derivation, part: _RatePeel) -> Theorem:
    """√(λmax T L) <= β T, if L <= λmax T."""
    signs, enough = part.signs, D.assume(f"L <= lmax*{TIME}")
    inverse = D.positive("inverse-positive", "lmax", signs.top)
    unit = signs.one("lmax", signs.top, TIME)
    short = D.linear(f"L*(1/lmax) <= {TIME}", D.times(enough, inverse), unit)
    longest = f"Max({TIME}, L*(1/lmax))"
    cases = D.known("max-cases", TIME, "L*(1/lmax)")
    at_most = either(
        D,
        cases,
        f"{longest} == {TIME}",
        lambda same: D.linear(f"{longest} <= {TIME}", same),
        lambda other: D.linear(f"{longest} <= {TIME}", other, short),
    )
    is_time = equal(D, at_most, D.known("max", TIME, "L*(1/lmax)"))
    radius = D.valued(D.fact("be", n="i"), is_time)
    inside = times_strictly(
        D, times_strictly(D, signs.level, signs.top), D.positive("inverse-positive", TIME, part.time)
    )
    ratio = f"lmax*L*(1/{TIME})"
    square = D.mp(D.known("sqrt-square", ratio), D.linear(f"0 <= {ratio}", inside))
    beta = f"sqrt({ratio})*{TIME}"
    left = D.linear(
        f"({part.radius})**2 == lmax*L*{TIME}",
        D.scaled(part.square, "L**2"),
        signs.one("L", signs.level, f"lmax*L*{TIME}"),
    )
    right = D.linear(
        f"({beta})**2 == lmax*L*{TIME}",
        D.scaled(square, f"{TIME}**2"),
        signs.one(TIME, part.time, f"lmax*L*{TIME}"),
    )
    squares = D.linear(f"({part.radius})**2 <= ({beta})**2", left, right)
    sign = D.times(D.known("sqrt", ratio), D.linear(f"0 <= {TIME}", part.time))
    below = square_below(D, squares, D.linear(f"0 <= {beta}", sign), part.radius, beta)
    return D.by_value(f"{part.radius} <= be(i, x, a)*{TIME}", [radius], below)


_QUADRATIC = f"({ZETA}**2/(2*(1 - {ZETA}/3)))"


def _exponent_in_peel(D: Derivation, part: _RatePeel, low: Theorem, high: Theorem) -> Theorem:
    """L/4 <= ζ g - λ T ζ²/(2(1 - ζ/3)): ``lem:rateUCB/peel`` at v = g/(L w)."""
    signs, v, down = part.signs, f"({part.root}*exp(-m*log(5)))", "exp(-2*m*log(5))"
    inverse = times_strictly(
        D, D.positive("inverse-positive", "L", signs.level), D.known("exp", "-2*m*log(5)")
    )
    unit = D.positive("inverse", "L", signs.level)
    square = D.linear(f"{v}**2 == lmax*{TIME}*(1/L)*{down}", D.scaled(part.square, down))
    positive = D.times(D.known("sqrt", f"lmax*{TIME}*(1/L)"), D.known("exp", "-m*log(5)"))
    least = square_below(D, D.linear(f"1 <= {v}**2", D.times(low, inverse), unit, square), positive, "1", v)
    five = D.linear(f"{v}**2 <= 25", D.times(high, inverse), unit, square)
    most = square_below(D, five, D.linear("0 <= 5"), v, "5")
    share, over = "lam(x, a)*(1/lmax)", D.positive("inverse-positive", "lmax", signs.top)
    shares = [
        D.times(signs.rate, over),
        D.linear(
            f"{share} <= 1", D.times(D.fact("rate-high"), over), D.positive("inverse", "lmax", signs.top)
        ),
    ]
    width = D.linear(f"0 < 2*(1 - {ZETA}/3)", part.small)
    tenfold = D.linear(f"0 < 10*{_SCALE}", D.known("exp", "m*log(5)"))
    peel = D.claim("lem:rateUCB/peel", L="L", v=v, w=_SCALE, q=share)
    peel = D.closed(peel, signs.level, least, most, part.scale, *shares, width, tenfold)
    time = f"lam(x, a)*{TIME}*{_QUADRATIC}"
    same = D.linear(
        f"L*{share}*{part.root}**2*{_QUADRATIC} == {time}",
        D.scaled(part.square, f"L*{share}*{_QUADRATIC}"),
        signs.one("L", signs.level, f"lmax*(1/lmax)*{time}"),
        signs.one("lmax", signs.top, time),
    )
    return D.linear(f"L/4 <= {ZETA}*{part.radius} - {time}", peel, same)


def _above(D: Derivation, part: _RatePeel, exponent: Theorem, miss: Theorem) -> Theorem:
    """N > λT + βT, where the estimate is too large."""
    ratio = f"{JUMPS}*(1/{TIME})"
    estimate = D.linear(f"lh(i, x, a) <= {ratio}", D.fact("lh", n="i"), D.known("min", ratio, "lmax"))
    more = times_strictly(D, D.linear(f"be(i, x, a) + lam(x, a) < {ratio}", miss, estimate), part.time)
    unit = part.signs.one(TIME, part.time, JUMPS)
    count = D.linear(f"{part.radius} + lam(x, a)*{TIME} < {JUMPS}", more, unit, part.above)
    grows = _closed(D, D.claim("lem:rateUCB/exponential", x=ZETA), part)
    curved = D.times(grows, D.times(part.signs.rate, part.time))
    return D.linear(UP, exponent, times_strictly(D, count, part.zeta), curved)


def _below(D: Derivation, part: _RatePeel, exponent: Theorem, miss: Theorem) -> Theorem:
    """N < λT - βT, where the estimate is too small: then it was not cut off at λmax."""
    ratio = f"{JUMPS}*(1/{TIME})"
    estimate, cut = D.fact("lh", n="i"), f"Min({ratio}, lmax)"

    def uncut(value: Theorem) -> Theorem:
        less = D.linear(f"be(i, x, a) + {ratio} < lam(x, a)", miss, estimate, value)
        unit = part.signs.one(TIME, part.time, JUMPS)
        count = D.linear(
            f"{JUMPS} + {part.radius} < lam(x, a)*{TIME}",
            times_strictly(D, less, part.time),
            unit,
            part.above,
        )
        falls = _closed(D, D.claim("lem:rateUCB/downward", x=ZETA), part)
        wider = _closed(D, D.pointwise("x**2/2 <= x**2/(2*(1 - x/3))", "0 <= x", "x < 3", x=ZETA), part)
        curve = D.linear(f"exp(-{ZETA}) - 1 + {ZETA} <= {_QUADRATIC}", falls, wider)
        curved = D.times(curve, D.times(part.signs.rate, part.time))
        return D.linear(DOWN, exponent, times_strictly(D, count, part.zeta), curved)

    def at_top(value: Theorem) -> Theorem:
        sign = D.by_value(
            "0 <= be(i, x, a)", [D.fact("be", n="i")], D.known("sqrt", "lmax*L/Max(Tf(i, x, a), L/lmax)")
        )
        return D.absurd(D.linear("0 < 0", miss, estimate, value, sign, D.fact("rate-high")), DOWN)

    return either(D, D.known("min-cases", ratio, "lmax"), f"{cut} == {ratio}", uncut, at_top)


def _closed(D: Derivation, theorem: Theorem, part: _RatePeel) -> Theorem:
    width = D.linear(f"0 < 2*(1 - {ZETA}/3)", part.small)
    return D.closed(theorem, part.zeta, D.linear(f"{ZETA} < 3", part.small), width)


def long_enough(D: Derivation, signs: RateSigns, time: Theorem) -> Theorem:
    """L < λmax T where the set misses: for shorter times its radius is λmax."""
    ratio, miss = f"{JUMPS}*(1/{TIME})", D.assume("be(i, x, a) < Abs(lh(i, x, a) - lam(x, a))")
    goal, short = f"L < lmax*{TIME}", D.assume(f"lmax*{TIME} <= L")
    over, unit = D.positive("inverse-positive", "lmax", signs.top), signs.one("lmax", signs.top, TIME)
    longest = f"Max({TIME}, L*(1/lmax))"
    low = D.linear(f"{TIME} <= L*(1/lmax)", D.times(short, over), unit)
    high = either(
        D,
        D.known("max-cases", TIME, "L*(1/lmax)"),
        f"{longest} == {TIME}",
        lambda same: D.linear(f"{longest} <= L*(1/lmax)", same, low),
        lambda same: D.linear(f"{longest} <= L*(1/lmax)", same),
    )
    radius = D.valued(D.fact("be", n="i"), equal(D, high, D.known("max-right", TIME, "L*(1/lmax)")))
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
        f"0 < {TIME}",
        lambda yes: D.linear(
            f"0 <= {ratio}", D.times(D.positive("inverse-positive", TIME, yes), D.whole(JUMPS))
        ),
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


def in_peels(D: Derivation) -> Theorem:
    """L < λmax T <= 25^k L is in one of the peels m < k."""
    above = f"L < lmax*{TIME}"
    within = "Ind({above})*Ind(lmax*{time} <= exp(2*({k})*log(5))*L)"
    peel = f"Ind(exp(2*{{m}}*log(5))*L <= lmax*{TIME})*Ind(lmax*{TIME} <= 25*exp(2*{{m}}*log(5))*L)"

    def says(k: str) -> str:
        return f"{within.format(above=above, time=TIME, k=k)} <= Sum(m, {k}, {peel.format(m='m')})"

    five = D.pointwise("exp(2*log(5)) == 25")
    grown = "exp(2*(k + 1)*log(5))"
    power = D.linear(f"{grown}*L == 25*exp(2*k*log(5))*L", D.scaled(five, "exp(2*k*log(5))*L"))
    ends = [f"lmax*{TIME} <= L", f"lmax*{TIME} <= exp(2*k*log(5))*L", f"lmax*{TIME} <= {grown}*L"]
    new = [f"exp(2*k*log(5))*L <= lmax*{TIME}", f"lmax*{TIME} <= 25*exp(2*k*log(5))*L"]
    start = D.decide(says("0"), [f"lmax*{TIME} <= L"])
    return D.induction(
        "k", says("k"), start, lambda before: D.decide(says("k + 1"), [*ends, *new], before, power)
    )
