r"""What wrong rows cost, in the mean: H √(2SAKv) a + SA H √g(1) E J, for radii √(g(N)/N).

g > 0 is any function of whole numbers N >= 1 that rises, with g(N) <= N g(1), and lies below a line that
rises and is a² at M = 1 + Kv/(SA).  On every path a pair pays at most :math:`2\sqrt{H\,g(N)\,Z} +
\sqrt{g(1)}HJ` (:mod:`optimistic_jumps`), and :math:`2\sqrt{g(N)Z} \le cZ + g(N)/c` for every c > 0, where
g(N) is at most the line, and the mean of 1 + N over the pairs at most M.
"""

from __future__ import annotations

from proofs_checks.derivations.counting import exchanged
from proofs_checks.derivations.earnings import sojourn
from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.longest import rises
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.optimistic_jumps import LEFT, OWN, PAIR, SEEN, Lag
from proofs_checks.derivations.optimistic_run import area
from proofs_checks.derivations.optimistic_run import seen as time_left
from proofs_checks.derivations.optimistic_times import REMAINING, TIME, Counted, root_below, root_ratio
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.roots import over_pairs, pairs
from proofs_checks.derivations.runs import ACTIVE, RATE, observed, product, remaining, settled
from proofs_checks.derivations.unions import order, rises_to
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_N, _KNOWN = "Max(1, Nf(n, x, a))", "Nf(n, x, a)"
_ALL = f"Max(1, {SEEN.format(n='m')})"
MEAN = "(1 + K*lmax*H/(S*A))"


def level(n: str) -> str:
    """g(n)."""
    return f"glevel({n})"


def radius(n: str) -> str:
    """√(g(n)/n)."""
    return f"sqrt({level(n)}/{n})"


RISES, FALLS, BELOW = (
    "All(m, Imp(n <= m, glevel(n) <= glevel(m)))",
    "glevel(n) <= n*glevel(1)",
    f"glevel(n) <= v + w*(n - {MEAN})",
)
SHAPE = f"All(n, Imp(1 <= n, And(0 < glevel(n), {RISES}, {FALLS}, {BELOW})))"
"""What is asked of g; v is a²."""


def paid(radius: str) -> str:
    """What rows with this radius cost, in the mean, at the pairs of the first K episodes."""
    return f"E(Sum(n, m, {ACTIVE}*{radius}*jump(n)*(rem(n) - spent(n))))"


def bound(root: str, first: str) -> str:
    """What they cost at most; root is a, first a1."""
    return f"sqrt(2)*H*sqrt(S*A*K*lmax*H)*{root} + S*A*H*{first}*E(top(m))"


HERE = "Max(1, Nf(n, X(n), act(n)))"
PAID, _FIRST = paid(radius(HERE)), f"sqrt({level('1')})"
FALLING = chain(f"{PAID} <= {bound('sqrt(v)', _FIRST)}", "0 <= w", SHAPE)


def of(D: Derivation, says: str, n: str, some: Theorem) -> Theorem:
    """One of the properties of g, at a whole number n >= 1."""
    here = D.mp(D.special(D.assume(SHAPE), n), some)
    return theorems.part(here, D.at(D.assume(says), n=n).says)


def _positive(D: Derivation, n: str, some: Theorem) -> Theorem:
    return of(D, "0 < glevel(n)", n, some)


def _first_radius(D: Derivation, n: str, some: Theorem) -> Theorem:
    """√(g(n)/n) <= √g(1)."""
    positive = D.linear(f"0 < {n}", some)
    over = D.positive("inverse-positive", n, positive)
    unit = D.scaled(D.positive("inverse", n, positive), level("1"))
    below = D.linear(f"{level(n)}/{n} <= {level('1')}", D.times(of(D, FALLS, n, some), over), unit)
    sign = D.times(D.linear(f"0 <= {level(n)}", _positive(D, n, some)), over)
    return root_below(D, f"{level(n)}/{n}", level("1"), below, sign)


def _levels_rise(D: Derivation, n: str, m: str, some: Theorem, more: Theorem) -> Theorem:
    """√g(n) <= √g(m), from n <= m."""
    below = D.mp(D.special(of(D, RISES, n, some), m), more)
    return root_below(D, level(n), level(m), below, D.linear(f"0 <= {level(n)}", _positive(D, n, some)))


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
    wide, positive = D.times(signs[1], signs[0]), _positive(D, _N, some)
    late = f"{LEFT.format(n='n + 1')} - H*top(m)"
    own, behind = radius(_N), f"sqrt(Max({late}, 0))"
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
    grown = _levels_rise(D, _N, _ALL, some, _counts_rise(D, lag))
    pays = D.linear(
        f"{own}*{behind} <= {width}",
        *(D.times(ratio, D.known("sqrt", level(_N))), D.scaled(root, behind), D.times(grown, signs[0])),
    )
    first = _first_radius(D, _N, some)
    price = f"{ACTIVE}*{own}"
    active = "ep(n) + 1 <= K"
    low = D.known("sqrt", f"{level(_N)}/{_N}")
    high = D.decide(f"{price} <= {_FIRST}", [active], first, D.known("sqrt", level("1")))
    behind_all = D.cases(
        active,
        lambda _: D.by_value(f"{price}*{behind} <= {width}", [D.holds(active)], pays),
        lambda _: D.by_value(f"{price}*{behind} <= {width}", [D.fails(active)], wide),
    )
    prices = theorems.both(lag.sign, D.times(low, D.whole(ACTIVE)), high, behind_all)
    hole = D.at(D.lemma("prop:proberror/pigeon-hole/late"), q="H*top(m)", v=_FIRST, w=width)
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


_COUNT, _LEFT = SEEN.format(n="m"), LEFT.format(n="m")
_LINE = f"(v + w*(1 + {_COUNT} - {MEAN}))"


def _tangent(D: Derivation) -> Theorem:
    """0 < c ⊢ 2 √Z √g(N) <= c Z + (v + w(1 + SEEN - M))/c, N = max{1, SEEN}."""
    some, positive = D.known("max", "1", _COUNT), D.assume("0 < c")
    more = D.split(
        D.known("max-cases", "1", _COUNT),
        *[lambda one: D.linear(f"{_ALL} <= 1 + {_COUNT}", one, D.whole(_COUNT))] * 2,
    )
    g = D.linear(f"{level(_ALL)} <= {_LINE}", of(D, BELOW, _ALL, some), D.times(more, D.assume("0 <= w")))
    x, y = f"sqrt({_LEFT})", f"sqrt({level(_ALL)})"
    both = D.closed(D.pointwise("2*x*y <= c*x**2 + y**2/c", "c > 0", x=x, y=y, c="c"), positive)
    signs = D.sum(Lag(D).sign, "n", "m"), D.linear(f"0 <= {level(_ALL)}", _positive(D, _ALL, some))
    squares = [
        D.scaled(D.positive("sqrt-square", text, sign), by)
        for text, sign, by in zip((_LEFT, level(_ALL)), signs, ("c", "1/c"), strict=True)
    ]
    last = D.times(g, D.positive("inverse-positive", "c", positive))
    return D.linear(f"2*{x}*{y} <= c*{_LEFT} + {_LINE}/c", both, *squares, last)


def all_pay(D: Derivation) -> Theorem:
    """0 < c ⊢ PAID <= √H (c λmax K H²/2 + SA v/c) + SA H √g(1) E top(m)."""
    root, pair = D.known("sqrt", "H"), pair_pays(D)
    most = D.term(f"{_FIRST}*H*top(m) + sqrt(H)*(c*{_LEFT} + {_LINE}/c)")
    pair = D.linear(terms.relation("<=", pair.says.parts[0], most), pair, D.times(_tangent(D), root))
    after, total = f"{ACTIVE}*jump(n)*(rem(n) - spent(n))", PAID.removeprefix("E(").removesuffix(")")
    fixed = f"(v + w*(1 - {MEAN}))/c"
    facts = [
        exchanged(D, f"{OWN.format(n='n')}*{radius(_N)}"),
        D.scaled(exchanged(D, OWN.format(n="n")), "sqrt(H)*c"),
        D.scaled(exchanged(D, f"{ACTIVE}*{PAIR}*jump(n)"), "sqrt(H)*w/c"),
        D.scaled(pairs(D), f"{_FIRST}*H*top(m) + sqrt(H)*{fixed}"),
    ]
    seen, left = f"Sum(n, m, {ACTIVE}*jump(n))", f"Sum(n, m, {after})"
    more = f"sqrt(H)*(c*{left} + S*A*{fixed} + w/c*{seen})"
    path = D.mean(D.linear(f"{total} <= S*A*{_FIRST}*H*top(m) + {more}", over_pairs(D, pair), *facts))
    positive = D.assume("0 < c")
    steep = D.times(D.times(D.assume("0 <= w"), D.positive("inverse-positive", "c", positive)), root)
    share = D.scaled(D.positive("inverse", "S*A", D.linear("0 < S*A", pair_number(D))), "K*lmax*H")
    return D.linear(
        f"{PAID} <= sqrt(H)*(c*(lmax*K*H**2/2) + S*A*v/c) + S*A*{_FIRST}*H*E(top(m))",
        path,
        D.times(D.times(time_after_jumps(D), root), positive),
        D.times(jumps_seen(D), steep),
        D.scaled(share, "sqrt(H)*w/c"),
    )


def mean_large(D: Derivation) -> Theorem:
    """1 <= M."""
    number = D.linear("0 < S*A", pair_number(D))
    share = product(D, D.linear("0 < K", D.fact("episodes")), rate_bound(D), D.fact("horizon"))
    return D.linear(f"1 <= {MEAN}", product(D, share, D.positive("inverse-positive", "S*A", number)))


def falling(D: Derivation) -> Theorem:
    """FALLING: the best c is √(SA) a/√(λmax K H²/2)."""
    number, rate = D.linear("0 < S*A", pair_number(D)), rate_bound(D)
    horizon, episodes = D.fact("horizon"), D.linear("0 < K", D.fact("episodes"))
    time = D.linear("0 < lmax*K*H**2/2", product(D, rate, episodes, horizon, horizon))
    one, steep = D.linear("1 <= 1"), D.assume("0 <= w")
    early = D.times(mean_large(D), steep)
    square = D.linear("0 < v", _positive(D, "1", one), of(D, BELOW, "1", one), early)
    high = product(D, number, square)
    mass, price = "(lmax*K*H**2/2)", "(S*A*v)"
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
    shape = D.pointwise(
        "2*sqrt(H)*sqrt(r*K*H**2/2)*sqrt(n*g) == sqrt(2)*H*sqrt(n*K*r*H)*sqrt(g)",
        *("H > 0", "K > 0", "r > 0", "n > 0", "g > 0"),
        H="H",
        K="K",
        r="lmax",
        n="S*A",
        g="v",
    )
    wide = product(D, number, episodes, rate, horizon)
    shape = settled(D, shape, horizon, episodes, rate, number, square, time, high, wide)
    goal = D.formula(FALLING).parts[1].parts[1]
    found = D.linear(goal, found, *squares, D.scaled(same, "sqrt(H)"), shape)
    return D.imply(found, "0 <= w", SHAPE)
