r"""What wrong rows cost, in the mean: H √(2SAKv) a + SA H √g(1) E J, with a² = g(1 + Kv/(SA)).

On every path a pair pays at most :math:`2\sqrt{H\,g(N)\,Z} + \sqrt{g(1)}HJ` (:mod:`optimistic_jumps`), and
:math:`2\sqrt{g(N)Z} \le cZ + g(N)/c` for every c > 0, where g(N), N >= 1, is at most its tangent at the
mean of 1 + N, which is at most M = 1 + Kv/(SA) over the pairs.
"""

from __future__ import annotations

from proofs_checks.derivations.counting import exchanged
from proofs_checks.derivations.earnings import sojourn
from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.jump_cover import uniform_radius
from proofs_checks.derivations.longest import rises
from proofs_checks.derivations.optimistic_jumps import (
    LEFT,
    OWN,
    PAIR,
    SEEN,
    Lag,
    first_radius,
    inside,
    level,
    levels_rise,
    positive_level,
    rises_to,
)
from proofs_checks.derivations.optimistic_run import area
from proofs_checks.derivations.optimistic_run import seen as time_left
from proofs_checks.derivations.optimistic_times import REMAINING, TIME, Counted, root_ratio
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.roots import over_pairs, pairs
from proofs_checks.derivations.runs import ACTIVE, RATE, observed, product, remaining, settled
from proofs_checks.derivations.unions import order
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_N, _KNOWN = "Max(1, Nf(n, x, a))", "Nf(n, x, a)"
_ALL = f"Max(1, {SEEN.format(n='m')})"
MEAN = "(1 + K*lmax*H/(S*A))"
ROOT, FIRST = f"sqrt({level(MEAN)})", f"sqrt({level('1')})"
_RADIUS = uniform_radius(_N)
PAID = (
    "E(Sum(n, m, " + f"{ACTIVE}*{uniform_radius('Max(1, Nf(n, X(n), act(n)))')}*jump(n)*(rem(n) - spent(n))))"
)
ROWS = f"{PAID} <= sqrt(2)*H*sqrt(S*A*K*lmax*H)*{ROOT} + S*A*H*{FIRST}*E(top(m))"


# --- one pair, on every path ------------------------------------------------------------------------


def _lags(D: Derivation, lag: Lag) -> Theorem:
    """n < m ⊢ max{Z(n + 1) - H top(m), 0} <= H max{1, Nf(n)}."""
    before = D.assume("n < m")
    soon = D.mp(D.at(rises_to(D, "top({n})", rises(D)[0]), n="n + 1"), _next(D, before))
    late = f"{LEFT.format(n='n + 1')} - H*top(m)"
    horizon = D.fact("horizon")
    tops = [D.times(D.known(name, "1", _KNOWN), horizon) for name in ("max", "max-right")]
    facts = [lag.longest(), D.times(soon, horizon), *tops, horizon]
    return D.split(
        D.known("max-cases", late, "0"), *[lambda one: D.linear(f"Max({late}, 0) <= H*{_N}", one, *facts)] * 2
    )


def _next(D: Derivation, before: Theorem) -> Theorem:
    """n + 1 <= m, from n < m."""
    return order(
        D, "m", "n", lambda no: D.absurd(D.linear("0 < 0", no, before), "n + 1 <= m"), lambda yes: yes
    )


def _counts_rise(D: Derivation, lag: Lag) -> Theorem:
    """n < m, ep(n) < K ⊢ max{1, Nf(n)} <= max{1, SEEN(m)}."""
    step = D.linear(
        f"{SEEN.format(n='n')} <= {SEEN.format(n='(n + 1)')}", D.whole(f"{ACTIVE}*{PAIR}*jump(n)")
    )
    rise = D.mp(rises_to(D, SEEN, step), D.linear("n <= m", D.assume("n < m")))
    active = D.assume("ep(n) + 1 <= K")
    known = D.valued(lag.seen(), theorems.cut(active, D.holds(active.says)))
    tops = [D.known(name, "1", SEEN.format(n="m")) for name in ("max", "max-right")]
    return D.split(
        D.known("max-cases", "1", _KNOWN),
        *[lambda one: D.linear(f"{_N} <= {_ALL}", one, known, rise, *tops)] * 2,
    )


def pair_pays(D: Derivation) -> Theorem:
    """Σ over n < m of a pair's radius × what is left <= √g(1) H top(m) + 2 √H √g(SEEN) √Z(m)."""
    lag, some = Lag(D), D.known("max", "1", _KNOWN)
    width = f"sqrt(H)*sqrt({level(_ALL)})"
    signs = [D.known("sqrt", one) for one in ("H", level(_ALL))]
    wide, positive = D.times(signs[1], signs[0]), positive_level(D, _N, some)
    late = f"{LEFT.format(n='n + 1')} - H*top(m)"
    radius, behind = _RADIUS, f"sqrt(Max({late}, 0))"
    root = settled(
        D,
        D.pointwise("sqrt(x/y) == sqrt(x)/sqrt(y)", "x > 0", "y > 0", x=level(_N), y=_N),
        *(
            positive,
            D.linear(f"0 < {_N}", some),
            product(D, positive, D.positive("inverse-positive", _N, D.linear(f"0 < {_N}", some))),
        ),
    )
    ratio = root_ratio(
        D,
        f"Max({late}, 0)",
        "H",
        _N,
        _lags(D, lag),
        D.known("max-right", late, "0"),
        D.fact("horizon"),
        D.linear(f"0 < {_N}", some),
    )
    grown = levels_rise(D, _N, _ALL, some, _counts_rise(D, lag))
    pays = D.linear(
        f"{radius}*{behind} <= {width}",
        *(D.times(ratio, D.known("sqrt", level(_N))), D.scaled(root, behind), D.times(grown, signs[0])),
    )
    first = first_radius(D, _N, some)
    price = f"{ACTIVE}*{radius}"
    active = "ep(n) + 1 <= K"
    low = D.known("sqrt", f"{level(_N)}/{_N}")
    high = D.decide(f"{price} <= {FIRST}", [active], first, D.known("sqrt", level("1")))
    behind_all = D.cases(
        active,
        lambda _: D.by_value(f"{price}*{behind} <= {width}", [D.holds(active)], pays),
        lambda _: D.by_value(f"{price}*{behind} <= {width}", [D.fails(active)], wide),
    )
    prices = theorems.both(lag.sign, D.times(low, D.whole(ACTIVE)), high, behind_all)
    hole = D.at(D.lemma("prop:proberror/pigeon-hole/late"), q="H*top(m)", v=FIRST, w=width)
    hole = D.instantiate(D.instantiate(hole, "gx", "n", OWN.format(n="n")), "gy", "n", price)
    top = D.times(D.whole("top(m)"), D.fact("horizon"))
    return D.mp(hole, top, D.known("sqrt", level("1")), wide, D.all(D.imply(prices, "n < m"), "n"))


# --- means over the run -----------------------------------------------------------------------------


def jumps_seen(D: Derivation) -> Theorem:
    """E Σ over the first K episodes of the jumps <= λmax K H."""
    low, _ = remaining(D)
    whole = D.closed(D.primitive("s", "rem(n)", f"-exp(-{RATE}*s)"), low)
    wait = D.integral(D.known("exp", f"-{RATE}*s"), "s", "rem(n)")
    faster = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), wait)
    one = D.linear(
        "E(jump(n), n) <= lmax*E(spent(n), n)", observed(D), whole, faster, D.scaled(sojourn(D), "lmax")
    )
    few = D.times(D.mean(Counted(D, TIME).of_all()), rate_bound(D))
    each = D.sum(D.mean(D.times(one, D.whole(ACTIVE))), "n", "m")
    return D.linear(f"E(Sum(n, m, {ACTIVE}*jump(n))) <= lmax*K*H", each, few)


def time_after_jumps(D: Derivation) -> Theorem:
    """E Σ over the first K episodes of what is left after the jumps <= λmax K H²/2."""
    low, _ = remaining(D)
    left = D.linear("0 <= rem(n) - s", D.assume("s <= rem(n)"))
    wait = D.integral(D.times(left, D.known("exp", f"-{RATE}*s")), "s", "rem(n)")
    whole = D.closed(D.primitive("s", "rem(n)", f"-(rem(n) - s)*exp(-{RATE}*s)"), low)
    faster = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), wait)
    after = "jump(n)*(rem(n) - spent(n))"
    goal = f"E({after}, n) <= lmax*E({REMAINING.counted.format(n='n')}, n)"
    one = D.linear(goal, time_left(D), whole, faster, D.scaled(area(D), "lmax"))
    few = D.times(D.mean(Counted(D, REMAINING).of_all()), rate_bound(D))
    each = D.sum(D.mean(D.times(one, D.whole(ACTIVE))), "n", "m")
    return D.linear(f"E(Sum(n, m, {ACTIVE}*{after})) <= lmax*K*H**2/2", each, few)


# --- all pairs --------------------------------------------------------------------------------------


_SLOPE, _COUNT, _LEFT = "(1/e + 1/(e + 1))", SEEN.format(n="m"), LEFT.format(n="m")
_LARGE, _SHARE = "1 <= e", "S*A*e == S*A + K*lmax*H"  # e is M


def _slope(D: Derivation) -> Theorem:
    """1 <= e ⊢ 0 <= 1/e + 1/(e + 1)."""
    large = D.assume(_LARGE)
    parts = (D.positive("inverse-positive", one, D.linear(f"0 < {one}", large)) for one in ("e", "e + 1"))
    return D.linear(f"0 <= {_SLOPE}", *parts)


def _tangent(D: Derivation) -> Theorem:
    """0 < c, 1 <= e ⊢ 2 √Z √g(N) <= c Z + (g(e) + 2(1 + SEEN - e)(1/e + 1/(e + 1)))/c, N = max{1, SEEN}."""
    some, large, positive = D.known("max", "1", _COUNT), D.assume(_LARGE), D.assume("0 < c")
    below = D.claim("lem:CI-p/uniform/tangent", S="S", A="A", n=_ALL, M="e", d="delta")
    defined = inside(D, _ALL, some), inside(D, "e", large)
    below = D.closed(below, *sizes(D), some, large, *defined)
    more = D.split(
        D.known("max-cases", "1", _COUNT),
        *[lambda one: D.linear(f"{_ALL} <= 1 + {_COUNT}", one, D.whole(_COUNT))] * 2,
    )
    line = f"({level('e')} + 2*(1 + {_COUNT} - e)*{_SLOPE})"
    g = D.linear(f"{level(_ALL)} <= {line}", below, D.times(more, _slope(D)))
    x, y = f"sqrt({_LEFT})", f"sqrt({level(_ALL)})"
    both = D.closed(D.pointwise("2*x*y <= c*x**2 + y**2/c", "c > 0", x=x, y=y, c="c"), positive)
    signs = D.sum(Lag(D).sign, "n", "m"), D.linear(f"0 <= {level(_ALL)}", positive_level(D, _ALL, some))
    squares = [
        D.scaled(D.positive("sqrt-square", text, sign), by)
        for text, sign, by in zip((_LEFT, level(_ALL)), signs, ("c", "1/c"), strict=True)
    ]
    last = D.times(g, D.positive("inverse-positive", "c", positive))
    return D.linear(f"2*{x}*{y} <= c*{_LEFT} + {line}/c", both, *squares, last)


def all_pay(D: Derivation) -> Theorem:
    """0 < c, e is M ⊢ PAID <= √H (c λmax K H²/2 + SA g(e)/c) + SA H √g(1) E top(m)."""
    root, pair = D.known("sqrt", "H"), pair_pays(D)
    line = f"({level('e')} + 2*(1 + {_COUNT} - e)*{_SLOPE})"
    bound = D.term(f"{FIRST}*H*top(m) + sqrt(H)*(c*{_LEFT} + {line}/c)")
    pair = D.linear(terms.relation("<=", pair.says.parts[0], bound), pair, D.times(_tangent(D), root))
    after, paid = f"{ACTIVE}*jump(n)*(rem(n) - spent(n))", PAID.removeprefix("E(").removesuffix(")")
    fixed = f"({level('e')} + 2*(1 - e)*{_SLOPE})/c"
    facts = [
        exchanged(D, f"{OWN.format(n='n')}*{_RADIUS}"),
        D.scaled(exchanged(D, OWN.format(n="n")), "sqrt(H)*c"),
        D.scaled(exchanged(D, f"{ACTIVE}*{PAIR}*jump(n)"), f"2*sqrt(H)*{_SLOPE}/c"),
        D.scaled(pairs(D), f"{FIRST}*H*top(m) + sqrt(H)*{fixed}"),
    ]
    seen, left = f"Sum(n, m, {ACTIVE}*jump(n))", f"Sum(n, m, {after})"
    more = f"sqrt(H)*(c*{left} + S*A*{fixed} + 2*{_SLOPE}/c*{seen})"
    path = D.mean(D.linear(f"{paid} <= S*A*{FIRST}*H*top(m) + {more}", over_pairs(D, pair), *facts))
    positive = D.assume("0 < c")
    steep = D.times(D.times(_slope(D), D.positive("inverse-positive", "c", positive)), root)
    return D.linear(
        f"{PAID} <= sqrt(H)*(c*(lmax*K*H**2/2) + S*A*{level('e')}/c) + S*A*{FIRST}*H*E(top(m))",
        path,
        D.times(D.times(time_after_jumps(D), root), positive),
        D.times(jumps_seen(D), steep),
        D.scaled(D.assume(_SHARE), f"2*sqrt(H)*{_SLOPE}/c"),
    )


def rows(D: Derivation) -> Theorem:
    """ROWS: the best c is √(SA) a/√(λmax K H²/2)."""
    number, rate = D.linear("0 < S*A", pair_number(D)), rate_bound(D)
    horizon, episodes = D.fact("horizon"), D.linear("0 < K", D.fact("episodes"))
    time = D.linear("0 < lmax*K*H**2/2", product(D, rate, episodes, horizon, horizon))
    large = D.assume(_LARGE)
    high = product(D, number, positive_level(D, "e", large))
    mass, price = "(lmax*K*H**2/2)", f"(S*A*{level('e')})"
    p, q = f"sqrt{mass}", f"sqrt{price}"
    roots = [
        settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=x), y) for x, y in ((mass, time), (price, high))
    ]
    best = settled(D, D.pointwise("q/p > 0", "p > 0", "q > 0", p=p, q=q), *roots)
    found = D.closed(D.at(all_pay(D), c=f"{q}/{p}"), best)
    squares = [
        D.scaled(D.positive("sqrt-square", x, D.linear(f"0 <= {x}", y)), by)
        for x, y, by in ((mass, time, f"sqrt(H)*{q}/{p}"), (price, high, f"sqrt(H)*{p}/{q}"))
    ]
    same = settled(D, D.pointwise("q*p**2/p + q**2*p/q == 2*p*q", "p > 0", "q > 0", p=p, q=q), *roots)
    root = "sqrt({})".format(level("e"))
    shape = D.pointwise(
        "2*sqrt(H)*sqrt(r*K*H**2/2)*sqrt(n*g) == sqrt(2)*H*sqrt(n*K*r*H)*sqrt(g)",
        *("H > 0", "K > 0", "r > 0", "n > 0", "g > 0"),
        H="H",
        K="K",
        r="lmax",
        n="S*A",
        g=level("e"),
    )
    shape = settled(
        D,
        shape,
        horizon,
        episodes,
        rate,
        number,
        positive_level(D, "e", large),
        time,
        high,
        product(D, number, episodes, rate, horizon),
    )
    goal = f"{PAID} <= sqrt(2)*H*sqrt(S*A*K*lmax*H)*{root} + S*A*H*{FIRST}*E(top(m))"
    found = D.linear(goal, found, *squares, D.scaled(same, "sqrt(H)"), shape)
    unit = D.scaled(D.positive("inverse", "S*A", number), "K*lmax*H")
    share = D.linear(f"S*A*{MEAN} == S*A + K*lmax*H", unit)
    return theorems.cut(share, theorems.cut(mean_large(D), D.at(found, e=MEAN)))


def mean_large(D: Derivation) -> Theorem:
    """1 <= M."""
    number = D.linear("0 < S*A", pair_number(D))
    share = product(D, D.linear("0 < K", D.fact("episodes")), rate_bound(D), D.fact("horizon"))
    return D.linear(f"1 <= {MEAN}", product(D, share, D.positive("inverse-positive", "S*A", number)))
