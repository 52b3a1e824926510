r"""``thm:CT-UCB/optimistic/poisson/lazy``: rates within Poisson tails, which cost H √(SAK), without √v.

Two rates of the set of the tilts that meet :math:`|d| \le \min\{t, 1/\tilde\lambda\}`, as the slopes of the
solution are in [0, 1], have a price of at most :math:`3(\sqrt{lt/T} + lt/T)` (``lem:rateUCB/tilts/cost``),
and of :math:`\lambda_{\max}t` always.  With :math:`2\sqrt{Ht} \le H + t` and :math:`e =
\lambda_{\max}/(3l)`

.. math:: (\tilde\lambda-\lambda)d \le \sqrt{\frac{3\lambda_{\max}}{4H}}\,\frac{H+t}{\sqrt{\max\{eT,1\}}}
          + \frac{\lambda_{\max}t}{\max\{eT,1\}} ,

where T is the time of the plan.  With that of the decision it is so for :math:`(1+\eta)l` in the place of l,
and paid on time: the first part costs :math:`3\sqrt3\,H\sqrt{SAK(1+\eta)l}` and a little more, the second has
a logarithm.
"""

from __future__ import annotations

from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.jump_cover import PAIRS
from proofs_checks.derivations.jump_repaired import both_hold
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
from proofs_checks.derivations.optimistic_sets import RATE_IN, below, gains, here
from proofs_checks.derivations.optimistic_times import BOTH, REMAINING, Counted
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.regret import REGRET
from proofs_checks.derivations.run_counts import before_last, spent_in_pair
from proofs_checks.derivations.runs import ACTIVE, equal, maximum, product, settled
from proofs_checks.derivations.setting_optimistic import GAIN, TILT_LEVEL, WITHIN, in_tilts
from proofs_checks.derivations.setting_plans import MORE
from proofs_checks.derivations.so_far import often
from proofs_checks.derivations.tilts import ZETA, leveled, sides
from proofs_checks.derivations.unions import at_all, root
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_L, _T = TILT_LEVEL, "Tf(pl(n), x, a)"
_MORE = f"({MORE}*{_L})"
_TILTS = in_tilts("lam(x, a)", "lam(x, a)").replace("(pl(n),", "({n},")
_SHARE = f"lmax/(3*{_L})*{_T}"
_SCALE = f"lmax/(3*{_MORE})*Tf(n, x, a)"


def _prices(share: str) -> tuple[str, str]:
    """The two parts of the price of a wrong rate."""
    slow = f"Max({share}, 1)"
    return f"(sqrt(3)/2*sqrt(lmax/H)/sqrt({slow}))", f"(lmax/{slow})"


_SLOW = f"Max({_SHARE}, 1)"
_FIRST, _SECOND = _prices(_SHARE)
_LATER = _prices(_SCALE)
PRICES = {"gpay": ("n x a", f"{_LATER[0]}*H"), "gsl": ("n x a", " + ".join(_LATER))}


_FIRST_K = "ep({n}) + 1 <= K"


def good(rows: RowSets) -> str:
    """That the sets of all pairs are right in the first K episodes, a pattern of the decision n."""
    return PAIRS.format(cover=f"And({_FIRST_K}, {_TILTS}, {rows.cover})")


def _log(level: str) -> str:
    """3l(1 + ln(1 + Kv/(6lSA)))."""
    return f"3*{level}*(1 + log(1 + K*lmax*H/(6*{level})/(S*A)))"


def bound(rows: RowSets, more: str = MORE) -> str:
    """What is paid at most, where plans are kept for so many times the data, or are not kept."""
    level, own = rows.level, times(_L, more)
    main = f"{MAIN}*{level.root(more)} + 3*sqrt(3)*H*sqrt(S*A*K*{own})"
    rest = f"lmax*H/2 + 3*sqrt(3)/4*sqrt(lmax*H) + {_log(own)}"
    return f"{main} + S*A*H*({level.first}*{LONGEST} + {rest})"


def theorem(rows: RowSets, more: str = MORE) -> str:
    """thm:CT-UCB/optimistic/poisson/lazy with these rows, or thm:CT-UCB/optimistic/poisson."""
    return whole_regret(bound(rows, more))


def _few(D: Derivation) -> tuple[Theorem, Theorem]:
    """1 <= nt, and 0 < l."""
    few = D.linear("1 <= nt", theorems.part(D.fact("nt"), D.formula("2 <= nt")))
    domain = ("S >= 1", "A >= 1", "J >= 1", "0 < d", "d < 1")
    level = D.pointwise("0 < log(2*S*A*J/d)", *domain, integers="S A J", S="S", A="A", J="k", d="delta")
    return few, theorems.cut(few, D.at(leveled(D, level, D.assume("1 <= k")), k="nt"))


# --- the price of a wrong rate ----------------------------------------------------------------------


def _ends(D: Derivation, tilts: Theorem) -> tuple[Theorem, Theorem]:
    """RATE_IN, and that the ends satisfy the inequalities, from those of the model's rate."""
    least = theorems.part(D.fact("llow"), D.formula("llow <= lam(x, a)"))
    both = D.mp(D.fact("rates", w="lam(x, a)"), theorems.both(least, D.fact("rate-high"), tilts))
    rates = theorems.both(*(theorems.part(both, one) for one in D.formula(RATE_IN).parts))
    return rates, part(D, both, in_tilts("rlo(n, x, a)", "rhi(n, x, a)"))


def _of_best(D: Derivation, ends: Theorem) -> Theorem:
    """The rate of the best model satisfies the inequalities, as the ends do."""
    time = D.at(spent_in_pair(D)[0], n="pl(n)")
    at = D.mp(D.special(ends, "m"), D.assume("m < nt"))
    power = D.linear(f"0 <= {ZETA}", D.known("exp", "-m*log(2)"))
    signs = [
        D.closed(D.pointwise(one, "z >= 0", z=ZETA), power) for one in ("0 <= exp(z) - 1", "0 <= 1 - exp(-z)")
    ]
    moved = [
        D.times(D.times(D.fact(one), time), sign)
        for one, sign in zip(("lt-low", "lt-high"), signs, strict=True)
    ]
    known = [theorems.part(at, one) for one in at.says.parts]
    parts = [D.linear(one, *known, *moved) for one in D.formula(_tilt("pl(n)", "lt(n, x, a, t)")).parts]
    return D.all(D.imply(theorems.both(*parts), "m < nt"), "m")


def _narrow(D: Derivation, tilts: Theorem, ends: Theorem, late: Theorem, long: Theorem) -> Theorem:
    """0 <= t <= H ⊢ (λ̃ - λ)(p̃V - Q) <= 3(√(lt/T) + lt/T), from 0 < T and ep(pl(n)) < K."""
    few, level = _few(D)
    enough = D.mp(D.at(D.lemma("lem:rateUCB/tilts/enough"), k="nt", i="pl(n)"), D.fact("nt"), late)
    rate, gain = "lt(n, x, a, t)", GAIN.format(u="t", t="t")
    low = D.linear(f"0 <= {rate}", D.fact("lt-low"), D.fact("rlo-low"))
    high = D.linear(f"{rate} <= lmax", D.fact("lt-high"), D.fact("rhi-high"))
    rates = [
        D.linear(f"16*{one}*{_T} <= 2**(2*nt)*{_L}", enough, D.times(most, long))
        for one, most in (("lam(x, a)", D.fact("rate-high")), (rate, high))
    ]
    up, down = gains(D)
    size = either_way(D, D.known("abs-cases", gain), f"Abs({gain}) <= t", up, down)
    slope = part(D, D.mp(D.lemma("lem:optimism/equation/slopes"), here(D)), f"{rate}*Abs({gain}) <= 1")
    values = {
        "k": "nt",
        "c": _L,
        "h": _T,
        "q": "Nf(pl(n), x, a)",
        "u": "lam(x, a)",
        "v": rate,
        "d": gain,
        "e": "t",
    }
    cost = D.at(D.lemma("lem:rateUCB/tilts/cost"), **values)
    conditions = theorems.both(few, level, long, D.fact("rate"), low, *rates, size, slope)
    cost = D.mp(cost, conditions, tilts, _of_best(D, ends))
    return D.linear(
        terms.relation("<=", D.term(f"({rate} - lam(x, a))*{gain}"), cost.says.parts[1]),
        *(cost, D.known("abs", f"({rate} - lam(x, a))*{gain}")),
    )


def _planned_price(D: Derivation, tilts: Theorem, late: Theorem) -> Theorem:
    """0 <= t <= H ⊢ (λ̃ - λ)(p̃V - Q) <= the price by the time of the plan."""
    rates, ends = _ends(D, tilts)
    gain, share = GAIN.format(u="t", t="t"), _SHARE
    rate, start, horizon, level = rate_bound(D), D.assume("0 <= t"), D.fact("horizon"), _few(D)[1]
    goal = f"(lt(n, x, a, t) - lam(x, a))*{gain} <= {_FIRST}*H + ({_FIRST} + {_SECOND})*t"
    slow = product(D, rate, D.positive("inverse-positive", f"3*{_L}", D.linear(f"0 < 3*{_L}", level)))

    def short(few: Theorem) -> Theorem:
        """Where the rates of the set differ by λmax at most."""
        width = D.linear("rhi(n, x, a) - rlo(n, x, a) <= lmax", D.fact("rhi-high"), D.fact("rlo-low"))
        wide = D.mp(D.lemma("eq:error1/equation"), rates, here(D))
        signs = D.times(first_sign(D), horizon), D.times(first_sign(D), start)
        return D.by_value(goal, [maximum(D, share, "1", few)], wide, D.times(width, start), *signs)

    def long(more: Theorem) -> Theorem:
        """Where they are near, as much time was spent."""
        most = either_way(D, D.known("max-cases", share, "1"), f"{_SLOW} <= {share}", more)
        most = equal(D, most, D.known("max", share, "1"))
        none = D.linear("0 < 0", D.times(D.assume(f"{_T} <= 0"), slow), more)
        time = D.cases(f"0 < {_T}", lambda yes: yes, lambda _: D.absurd(none, f"0 < {_T}"))
        values = {"l": _L, "T": _T, "r": "lmax"}
        facts = [level, time, rate, horizon, start, product(D, slow, time)]
        facts += [product(D, level, D.positive("inverse-positive", _T, time))]
        facts += [D.times(facts[-1], start), product(D, rate, D.positive("inverse-positive", "H", horizon))]
        root = D.pointwise(
            "3*sqrt(l*t/T) <= sqrt(3)/2*sqrt(r/H)/sqrt(r/(3*l)*T)*(t + H)",
            *("l > 0", "t >= 0", "T > 0", "r > 0", "H > 0"),
            **values,
            t="t",
            H="H",
        )
        rest = D.pointwise("r/(r/(3*l)*T) == 3*l/T", "l > 0", "T > 0", "r > 0", **values)
        facts += [D.linear(f"0 < 3*{_L}", level)]
        facts = [settled(D, root, *facts), D.scaled(settled(D, rest, *facts), "t")]
        return D.by_value(goal, [most], _narrow(D, tilts, ends, late, time), *facts)

    return D.cases(f"{share} <= 1", short, long)


def first_sign(D: Derivation, share: str = _SHARE) -> Theorem:
    """0 <= the first part of the price."""
    slow = f"Max({share}, 1)"
    wide = D.linear(f"0 < {slow}", D.known("max-right", share, "1"))
    over = D.positive("inverse-positive", f"sqrt({slow})", root(D, slow, wide)[1])
    return D.times(D.linear(f"0 <= 1/sqrt({slow})", over), _factor(D))


def _factor(D: Derivation) -> Theorem:
    """0 <= (√3/2)√(λmax/H)."""
    return D.times(D.known("sqrt", "lmax/H"), D.linear("0 <= sqrt(3)/2", D.known("sqrt", "3")))


def _less(D: Derivation) -> Theorem:
    """max{λmax T/(3(1 + η)l), 1} is at most the same of the plan, without η."""
    rate, level, wide = rate_bound(D), _few(D)[1], _level(D)
    least, scale = f"3*{_L}/lmax", f"lmax/(3*{_L})"
    units = [D.positive("inverse", *one) for one in ((_L, level), (_MORE, wide), ("lmax", rate))]
    one = D.linear(f"{scale}*({least}) == 1", D.scaled(units[2], f"{_L}/{_L}"), units[0])
    tops = [D.known(name, _SHARE, "1") for name in ("max", "max-right")]
    most = f"Max({_T}, {least})"
    whole = D.split(
        D.known("max-cases", _T, least),
        *[lambda case: D.linear(f"{scale}*{most} <= {_SLOW}", D.scaled(case, scale), one, *tops)] * 2,
    )
    kept = D.times(D.times(D.fact("kept-T"), D.positive("inverse-positive", _MORE, wide)), rate)
    same = D.scaled(units[0], f"lmax/{_MORE}*{MORE}*{most}"), D.scaled(units[1], f"lmax/{_L}*{most}")
    facts = [kept, *same, whole, tops[1]]
    return either_way(D, D.known("max-cases", _SCALE, "1"), f"Max({_SCALE}, 1) <= {_SLOW}", *facts)


def priced(D: Derivation, tilts: Theorem, late: Theorem) -> Theorem:
    """0 <= t <= H ⊢ (λ̃ - λ)(p̃V - Q) <= gpay + gsl t: the plan's price is at most that of the decision."""
    less, wide = _less(D), D.known("max-right", _SCALE, "1")
    slow, start = f"Max({_SCALE}, 1)", D.assume("0 <= t")
    facts = [D.linear(f"0 <= {_SLOW} - {slow}", less), wide]
    facts += [D.linear(f"0 < {one}", less, wide) for one in (slow, _SLOW)]
    first, second = (
        settled(D, D.pointwise(says, "x >= 1", "d >= 0", x=slow, d=f"{_SLOW} - {slow}"), *facts)
        for says in ("1/sqrt(x + d) <= 1/sqrt(x)", "1/(x + d) <= 1/x")
    )
    first, second = D.times(first, _factor(D)), D.times(second, rate_bound(D))
    parts = D.times(first, D.fact("horizon")), D.times(first, start), D.times(second, start)
    found = _planned_price(D, tilts, late)
    most = f"{_LATER[0]}*H + ({' + '.join(_LATER)})*t"
    return D.linear(terms.relation("<=", found.says.parts[0], D.term(most)), found, *parts)


# --- the event --------------------------------------------------------------------------------------


def _holds(D: Derivation, rows: RowSets) -> Theorem:
    """good(pl(n)) ⊢ HOLDS(n)."""
    near = D.special(D.assume(good(rows).format(n="pl(n)")), "x", "a")
    first, tilts, cover = (part(D, near, one.format(n="pl(n)")) for one in (_FIRST_K, _TILTS, rows.cover))
    late, row = D.linear("ep(pl(n)) < K", first), rows.planned(D, cover)
    found = theorems.both(below(D, _ends(D, tilts)[0], row), rows.priced(D, row), priced(D, tilts, late))
    return conditional(D, found, WITHIN, "x", "a", "t")


def _tilt(n: str, rate: str = "lam(x, a)") -> str:
    """The inequalities of one tilt."""
    data = (f"Nf({n}, x, a)", f"Tf({n}, x, a)", _L)
    return f"And({', '.join(sides(rate, rate, data))})"


def _event(D: Derivation, rows: RowSets) -> Theorem:
    """1 - 2δ <= P(the sets are right at all decisions of the first K episodes)."""
    rates = D.instantiate(D.lemma("lem:rateUCB/tilts", k="nt"), "gtilt", "m", ZETA)

    def entails(tilts: Theorem, cover: Theorem) -> Theorem:
        inside = D.special(D.mp(D.special(tilts, "i"), D.assume("i < n")), "x", "a")
        right = theorems.both(before_last(D), inside, rows.everywhere(D, cover))
        return at_all(D, D.all(right, "x", "a"), "ep(i) < K")

    both = both_hold(D, D.mp(rates, _few(D)[0]), rows.event(D), entails)
    return often(D, D.at(both, n="m"), good(rows))


# --- what is paid -----------------------------------------------------------------------------------

_E = f"lmax/(3*{_MORE})"
_PAID = [one.replace("x, a", "X(n), act(n)") for one in _LATER]


def _level(D: Derivation) -> Theorem:
    """0 < (1 + η)l."""
    return product(D, D.linear(f"0 < {MORE}", D.fact("eta")), _few(D)[1])


def _slow(D: Derivation) -> Theorem:
    """0 < λmax/(3(1 + η)l)."""
    third = D.linear(f"0 < 3*{_MORE}", _level(D))
    return product(D, rate_bound(D), D.positive("inverse-positive", f"3*{_MORE}", third))


def _first_paid(D: Derivation) -> Theorem:
    """What the first part of the price costs: 3√3 H √(SAK(1 + η)l) + (3√3/4) SA H √v."""
    rate, level, horizon, slow = rate_bound(D), _level(D), D.fact("horizon"), _slow(D)
    number, episodes = D.linear("0 < S*A", pair_number(D)), D.linear("0 < K", D.fact("episodes"))
    root = D.mp(D.at(D.lemma("prop:rateerror/times"), e=_E), slow)
    scale = D.times(D.known("sqrt", "lmax/H"), D.linear("0 <= sqrt(3)/2", D.known("sqrt", "3")))
    root = D.times(D.mean(part(D, root, BOTH.says(_E))), scale)
    main = D.pointwise(
        "sqrt(3)/2*sqrt(r/H)*(2*sqrt(2*H/(r/(3*l)))*sqrt(n*K*(3*H**2/2))) == 3*sqrt(3)*H*sqrt(n*K*l)",
        *("l > 0", "r > 0", "H > 0", "n > 0", "K > 0"),
        l=_MORE,
        r="lmax",
        H="H",
        n="S*A",
        K="K",
    )
    rest = "sqrt(3)/2*sqrt(r/H)*(3*H**2/2) == 3*sqrt(3)/4*H*sqrt(r*H)"
    shapes = [main, D.pointwise(rest, "r > 0", "H > 0", r="lmax", H="H")]
    facts = [
        *(rate, level, horizon, number, episodes, slow, D.linear(f"0 < 3*{_MORE}", level)),
        product(D, rate, horizon),
        product(D, rate, D.positive("inverse-positive", "H", horizon)),
        product(D, number, episodes, level),
        product(D, horizon, D.positive("inverse-positive", _E, slow)),
        product(D, number, episodes, horizon, horizon),
    ]
    main, small = (settled(D, one, *facts) for one in shapes)
    most = f"3*sqrt(3)*H*sqrt(S*A*K*{_MORE}) + S*A*H*(3*sqrt(3)/4*sqrt(lmax*H))"
    goal = f"Sum(n, m, E({ACTIVE}*{_PAID[0]}*{BOTH.counted.format(n='n')})) <= {most}"
    return D.linear(goal, root, main, D.scaled(small, "S*A"))


def _second_paid(D: Derivation) -> Theorem:
    """What the second part of the price costs: SA H (v/2 + 3l(1 + ln(1 + Kv/(6lSA)))), (1 + η)l for l."""
    rate, horizon = rate_bound(D), D.fact("horizon")
    log = D.times(D.mean(D.mp(D.at(D.lemma("prop:rateerror/times/log"), e=_E), _slow(D))), rate)
    unit = D.scaled(D.positive("inverse", "H", horizon), f"H*{_E}*K/(2*S*A)")
    inner = f"1 + {_E}*K*(H**2/2)/(H*S*A) == 1 + K*lmax*H/(6*{_MORE})/(S*A)"
    log = D.valued(log, D.linear(inner, unit))
    one, most = D.positive("inverse", "lmax", rate), f"S*A*H*(lmax*H/2 + {_log(_MORE)})"
    units = [D.scaled(one, f"3*{_MORE}*H*S*A"), D.scaled(one, f"H*S*A*({_log(_MORE)} - 3*{_MORE})")]
    goal = f"Sum(n, m, E({ACTIVE}*{_PAID[1]}*{REMAINING.counted.format(n='n')})) <= {most}"
    return D.linear(goal, log, *units)


def paid(D: Derivation, rows: RowSets) -> Theorem:
    """0 < h ⊢ what is paid <= bound, where the sets are right."""
    positive, less = row_price(D, rows)
    pair, wide, slow = {"x": "X(n)", "a": "act(n)"}, D.known("max-right", _SCALE, "1"), f"Max({_SCALE}, 1)"
    over = D.positive("inverse-positive", slow, D.linear(f"0 < {slow}", wide))
    first, second = D.at(first_sign(D, _SCALE), **pair), D.at(D.times(over, rate_bound(D)), **pair)
    timed = " + ".join(
        f"{price}*{clock.counted.format(n='n')}"
        for price, clock in zip(_PAID, (BOTH, REMAINING), strict=True)
    )
    left = "jump(n)*(rem(n) - spent(n))"
    cost, most = f"{timed} + au({PAIR})*{left}", f"{timed} + {row_radius(rows)}*{left}"
    signs = D.times(Counted(D, BOTH).sign, first), D.times(Counted(D, REMAINING).sign, second), positive
    one = where_right(D, D.linear(f"{cost} <= {most}", less), D.linear(f"0 <= {most}", *signs))
    each = D.sum(D.mean(D.times(one, D.whole(ACTIVE))), "n", "m")
    goal = f"Sum(n, m, E({ACTIVE}*gok(n)*({cost}))) <= {bound(rows)}"
    return D.linear(goal, each, _first_paid(D), _second_paid(D), rows_paid(D, rows))


def poisson(D: Derivation, rows: RowSets) -> Theorem:
    """thm:CT-UCB/optimistic/poisson/lazy with these rows."""
    most = bound(rows)
    whole = core(D, good(rows), PRICES, _holds(D, rows), paid(D, rows))
    found = D.mp(D.at(whole, q="2*delta"), _event(D, rows))
    return concluded(D, D.linear(f"{REGRET.format(m='m')} <= {most} + 2*delta*K*H", found), most)
