r"""``thm:CT-UCB/optimistic/lazy``: the optimistic learner with the rate sets of the paper, plans being kept.

.. math:: Regret \le \sqrt2\,H\sqrt{SAKv}\,\sqrt{1+\eta}\,(a + 2\sqrt L) + SAH\,(a_1EJ + v) + 2\delta KH ,
          \qquad v = \lambda_{\max}H .

The rates cost :math:`(\text{rhi}-\text{rlo}) \le 2\beta` times the remaining time, integrated over the time
spent, where β is by the time of the plan, at least :math:`T^+/(1+\eta)` or :math:`L/\lambda_{\max}`, so that
:math:`\beta \le \lambda_{\max}/\sqrt{\max\{\lambda_{\max}T^+/((1+\eta)L),1\}}`; the rows cost the radius
times what remains after a jump that is seen. Where v >= K the bound is above KH; elsewhere the sets of all
pairs are right with probability 1 - 2δ.  ``thm:CT-UCB/optimistic`` is the case η = 0.
"""

from __future__ import annotations

from proofs_checks.derivations.bound import trivial
from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.jump_cover import PAIRS
from proofs_checks.derivations.jump_repaired import at_decision, both_hold, everywhere
from proofs_checks.derivations.nearby import conditional, either_way
from proofs_checks.derivations.operators import part
from proofs_checks.derivations.optimistic_assembly import (
    LONGEST,
    MAIN,
    PAIR,
    concluded,
    core,
    row_price,
    row_radius,
    rows_paid,
    where_right,
    whole_regret,
)
from proofs_checks.derivations.optimistic_levels import times
from proofs_checks.derivations.optimistic_row_sets import RowSets
from proofs_checks.derivations.optimistic_sets import below, here
from proofs_checks.derivations.optimistic_times import REMAINING, Counted
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.rate_sets import RATES_COVER
from proofs_checks.derivations.rates import level
from proofs_checks.derivations.regret import REGRET
from proofs_checks.derivations.runs import ACTIVE, product, settled
from proofs_checks.derivations.setting_optimistic import WITHIN
from proofs_checks.derivations.setting_plans import MORE
from proofs_checks.derivations.so_far import often
from proofs_checks.derivations.theorem import peels
from proofs_checks.derivations.unions import square_below
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

PRICES = {"gpay": ("n x a", "0"), "gsl": ("n x a", "rhi(n, x, a) - rlo(n, x, a)")}
"""The prices of wrong rates."""

_RATES = RATES_COVER.replace("(i,", "({n},")


_L = f"({MORE}*L)"


def good(rows: RowSets) -> str:
    """That the sets of all pairs are right, a pattern of the decision n."""
    return PAIRS.format(cover=f"And({_RATES}, {rows.cover})")


def bound(rows: RowSets, more: str = MORE) -> str:
    """What is paid at most, where plans are kept for so many times the data, or are not kept."""
    level = rows.level
    rates = f"2*sqrt({times('L', more)})"
    return f"{MAIN}*({level.root(more)} + {rates}) + S*A*H*({level.first}*{LONGEST} + lmax*H)"


def theorem(rows: RowSets, more: str = MORE) -> str:
    """thm:CT-UCB/optimistic/lazy with these rows, or thm:CT-UCB/optimistic."""
    return whole_regret(bound(rows, more))


# --- the sets of the paper's rates ------------------------------------------------------------------


_ENDS = tuple(f"lh(pl(n), x, a) {sign} be(pl(n), x, a)" for sign in "-+")


def _rates_in(D: Derivation, near: Theorem) -> Theorem:
    """RATE_IN, from |λ̂ - λ| <= β."""
    gap, low, high = "lh(pl(n), x, a) - lam(x, a)", *_ENDS
    least = theorems.part(D.fact("llow"), D.formula("llow <= lam(x, a)"))
    facts = [near, *(D.known(one, gap) for one in ("abs", "abs-")), D.fact("rate-high"), least]
    first = either_way(D, D.known("max-cases", low, "llow"), f"Max({low}, llow) <= lam(x, a)", *facts)
    second = either_way(D, D.known("min-cases", high, "lmax"), f"lam(x, a) <= Min({high}, lmax)", *facts)
    cuts = D.known("min", f"Max({low}, llow)", "lmax"), D.known("max", f"Min({high}, lmax)", "rlo(n, x, a)")
    return theorems.both(
        D.linear("rlo(n, x, a) <= lam(x, a)", first, cuts[0], D.fact("rlo")),
        D.linear("lam(x, a) <= rhi(n, x, a)", second, cuts[1], D.fact("rhi")),
    )


def _holds(D: Derivation, rows: RowSets) -> Theorem:
    """good(pl(n)) ⊢ HOLDS(n)."""
    near = D.special(D.assume(good(rows).format(n="pl(n)")), "x", "a")
    rate, cover = (part(D, near, one.format(n="pl(n)")) for one in (_RATES, rows.cover))
    row = rows.planned(D, cover)
    rates = _rates_in(D, rate)
    wide = D.mp(D.lemma("eq:error1/equation"), rates, here(D))
    found = theorems.both(below(D, rates, row), rows.priced(D, row), wide)
    return conditional(D, found, WITHIN, "x", "a", "t")


# --- what is paid -----------------------------------------------------------------------------------


def _radius(D: Derivation) -> Theorem:
    """β <= λmax/√max{(λmax/((1 + η)L)) Tf, 1}: its own time, or L/λmax, is at least Tf/(1 + η)."""
    rate, large, factor = rate_bound(D), D.linear("0 < L", level(D)), D.linear(f"0 < {MORE}", D.fact("eta"))
    time, slow = "Tf(pl(n), x, a)", product(D, large, D.positive("inverse-positive", "lmax", rate))
    least, scale = D.known("max-right", time, "L/lmax"), f"lmax/{_L}*Tf(n, x, a)"
    most, share = f"Max({time}, L/lmax)", f"Max({scale}, 1)"
    wide = product(D, factor, large)
    kept = D.times(D.times(D.fact("kept-T"), D.positive("inverse-positive", _L, wide)), large)
    units = D.scaled(D.positive("inverse", _L, wide), most), D.positive("inverse", "lmax", rate)
    facts = [kept, units[0], D.scaled(units[1], f"L/{_L}*Tf(n, x, a)"), least]
    gap = f"{most} - L/lmax*{share}"
    cases = D.known("max-cases", scale, "1")
    more = D.split(cases, *[lambda one: D.linear(f"0 <= {gap}", D.scaled(one, "L/lmax"), *facts)] * 2)
    wide = D.known("max-right", scale, "1")
    root = D.pointwise(
        "sqrt(r*L/(L/r*y + d)) <= r/sqrt(y)",
        *("r > 0", "L > 0", "y >= 1", "d >= 0"),
        r="lmax",
        L="L",
        y=share,
        d=gap,
    )
    some = D.linear(f"0 < {most}", slow, least)
    inside = product(D, rate, large, D.positive("inverse-positive", most, some))
    root = settled(D, root, rate, large, wide, more, some, inside, D.linear(f"0 < {share}", wide))
    return D.linear(f"be(pl(n), x, a) <= lmax/sqrt({share})", root, D.fact("be", n="pl(n)"))


_SCALE = f"lmax/{_L}*Tf(n, x, a)"
_SHARE = f"lmax/sqrt(Max({_SCALE}, 1))"


def _width(D: Derivation) -> Theorem:
    """rhi - rlo <= 2 λmax/√max{(λmax/((1 + η)L)) Tf, 1}."""
    (low, high), radius = _ENDS, D.fact("be", n="pl(n)")
    sign = D.linear("0 <= be(pl(n), x, a)", radius, D.known("sqrt", radius.says.parts[1].parts[0]))
    below = [D.known("min", high, "lmax"), D.known("min-right", high, "lmax"), D.known("max", low, "llow")]
    facts = [*below, sign, D.fact("rlo"), D.fact("rhi"), _radius(D)]
    goal = f"rhi(n, x, a) - rlo(n, x, a) <= 2*{_SHARE}"

    def cut(one: Theorem) -> Theorem:
        return either_way(D, D.known("min-cases", f"Max({low}, llow)", "lmax"), goal, one, *facts)

    return D.split(D.known("max-cases", f"Min({high}, lmax)", "rlo(n, x, a)"), cut, cut)


def _rates_paid(D: Derivation) -> Theorem:
    """E Σ 2 λmax (u τ - τ²/2)/√max{(λmax/((1 + η)L)) Tf, 1} <= 2 MAIN √((1 + η)L) + SA H v."""
    rate, horizon, e = rate_bound(D), D.fact("horizon"), f"lmax/{_L}"
    large = product(D, D.linear(f"0 < {MORE}", D.fact("eta")), D.linear("0 < L", level(D)))
    number, episodes = D.linear("0 < S*A", pair_number(D)), D.linear("0 < K", D.fact("episodes"))
    slow = product(D, rate, D.positive("inverse-positive", _L, large))
    spent = D.mp(D.at(D.lemma("prop:rateerror/times"), e=e), slow)
    spent = D.times(D.mean(part(D, spent, REMAINING.says(e))), rate)
    shape = D.pointwise(
        "2*r*(2*sqrt(H/(r/L))*sqrt(n*K*(H**2/2))) == sqrt(2)*H*sqrt(n*K*r*H)*(2*sqrt(L))",
        *("r > 0", "L > 0", "n > 0", "K > 0", "H > 0"),
        r="lmax",
        L=_L,
        n="S*A",
        K="K",
        H="H",
    )
    wide = product(D, number, episodes, horizon, horizon), product(D, number, episodes, rate, horizon)
    over = product(D, horizon, D.positive("inverse-positive", e, slow))
    shape = settled(D, shape, rate, large, number, episodes, horizon, slow, over, *wide)
    price = f"{_SHARE.replace('x, a', 'X(n), act(n)')}*{REMAINING.counted.format(n='n')}"
    goal = f"Sum(n, m, E({ACTIVE}*(2*{price}))) <= {MAIN}*(2*sqrt{_L}) + S*A*H*(lmax*H)"
    return D.linear(goal, spent, shape)


def paid(D: Derivation, rows: RowSets) -> Theorem:
    """0 < h ⊢ what is paid <= bound, where the sets are right."""
    pair, clock = {"x": "X(n)", "a": "act(n)"}, Counted(D, REMAINING)
    time, (positive, less) = REMAINING.counted.format(n="n"), row_price(D, rows)
    price, left = _SHARE.replace("x, a", "X(n), act(n)"), "jump(n)*(rem(n) - spent(n))"
    row = f"{row_radius(rows)}*{left}"
    wide = D.at(_width(D), **pair)
    inside = D.known("max-right", _SCALE.replace("x, a", "X(n), act(n)"), "1")
    root = D.pointwise("r/sqrt(x) > 0", "r > 0", "x >= 1", r="lmax", x=inside.says.parts[1])
    root = settled(
        D,
        root,
        rate_bound(D),
        inside,
        D.linear(terms.relation("<", terms.ZERO, inside.says.parts[1]), inside),
    )
    sign = D.linear(f"0 <= 2*{price}*{time} + {row}", D.times(clock.sign, root), positive)
    cost = f"(rhi({PAIR}) - rlo({PAIR}))*{time} + au({PAIR})*{left}"
    one = where_right(
        D, D.linear(f"{cost} <= 2*{price}*{time} + {row}", D.times(wide, clock.sign), less), sign
    )
    each = D.sum(D.mean(D.times(one, D.whole(ACTIVE))), "n", "m")
    goal = f"Sum(n, m, E({ACTIVE}*gok(n)*({cost}))) <= {bound(rows)}"
    return D.linear(goal, each, _rates_paid(D), rows_paid(D, rows))


# --- the theorem ------------------------------------------------------------------------------------


def _event(D: Derivation, rows: RowSets, rate: Theorem) -> Theorem:
    """lmax H < K ⊢ 1 - 2δ <= P(the sets are right at all decisions of the first K episodes)."""
    rates = D.mp(D.lemma("lem:rateUCB/repaired", k="K"), peels(D, rate))

    def entails(near: Theorem, cover: Theorem) -> Theorem:
        return everywhere(D, theorems.both(at_decision(D, near, "x", "a"), rows.everywhere(D, cover)))

    event = often(D, D.at(both_hold(D, rates, rows.event(D), entails), n="m"), good(rows))
    unit = D.scaled(D.positive("inverse", "K", D.linear("0 < K", D.fact("episodes"))), "delta")
    return D.linear(terms.relation("<=", D.term("1 - 2*delta"), event.says.parts[1]), event, unit)


def _long(D: Derivation, rows: RowSets, core_of: Theorem, rate: Theorem) -> Theorem:
    """lmax H < K, 0 < h ⊢ REGRET(m) <= bound + 2 δ K H."""
    found = D.mp(D.at(core_of, q="2*delta"), _event(D, rows, rate))
    return D.linear(f"{REGRET.format(m='m')} <= {bound(rows)} + 2*delta*K*H", found)


def _short(D: Derivation, rows: RowSets, less: Theorem) -> Theorem:
    """K <= lmax H, 0 < h ⊢ REGRET(m) <= bound + 2 δ K H: it is at most K H."""
    horizon, positive, episodes = D.fact("horizon"), D.assume("0 < h"), D.fact("episodes")
    inner, value = "S*A*K*lmax*H", product(D, rate_bound(D), horizon)
    few = D.times(less, D.whole("S*A*K"))
    more = D.times(D.linear("0 <= S*A - 1", pair_number(D)), D.whole("K*K"))
    square = D.positive("sqrt-square", inner, D.times(D.linear("0 <= lmax*H", value), D.whole("S*A*K")))
    root = D.linear(f"K**2 <= sqrt({inner})**2", square, few, more)
    root = square_below(D, root, D.known("sqrt", inner), "K", f"sqrt({inner})")
    large = D.times(D.fact("eta"), D.linear("0 <= L", level(D)))
    large = D.linear(f"1 <= {_L}", large, level(D))
    large = settled(D, D.pointwise("sqrt(x) >= 1", "x >= 1", x=_L), large)
    two = D.pointwise("sqrt(2) >= 1")
    both = D.linear(f"1 <= 2*sqrt(2)*sqrt{_L}", D.times(two, D.known("sqrt", _L)), large)
    main = D.times(D.times(root, D.times(D.known("sqrt", _L), D.known("sqrt", "2"))), horizon)
    grows = D.closed(D.pointwise("exp(h) >= 1", "h >= 0", h="h"), positive)
    flat = settled(D, D.pointwise("log(n) >= 0", "n >= 1", n="K"), episodes)
    over = D.positive("inverse-positive", "h", positive)
    longest = D.times(
        D.linear(
            "0 <= log(K) + lmax*H*(exp(h) - 1)", flat, D.times(D.linear("0 <= exp(h) - 1", grows), value)
        ),
        over,
    )
    pays = D.times(D.times(D.times(longest, D.known("sqrt", rows.level.at("1"))), horizon), D.whole("S*A"))
    rest = [
        pays,
        D.times(D.times(value, horizon), D.whole("S*A")),
        D.times(
            D.times(
                D.times(D.known("sqrt", f"{MORE}*{rows.level.square}"), D.known("sqrt", inner)),
                D.known("sqrt", "2"),
            ),
            horizon,
        ),
        D.times(D.times(sizes(D)[0], D.whole("K")), horizon),
        D.times(D.times(both, D.whole("K")), horizon),
    ]
    return D.linear(f"{REGRET.format(m='m')} <= {bound(rows)} + 2*delta*K*H", trivial(D), main, *rest)


def optimistic(D: Derivation, rows: RowSets) -> Theorem:
    """thm:CT-UCB/optimistic/lazy with these rows."""
    whole = core(D, good(rows), PRICES, _holds(D, rows), paid(D, rows))
    each = D.cases("lmax*H < K", lambda rate: _long(D, rows, whole, rate), lambda less: _short(D, rows, less))
    return concluded(D, each, bound(rows))
