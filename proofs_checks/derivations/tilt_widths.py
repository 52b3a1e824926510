r"""How wide the rate sets of the tilts ζ_m = 2^(1-m) are, m < k, and what that costs.

If u satisfies ζN - l <= (e^ζ - 1)uT and v satisfies (1 - e^{-ζ})vT <= ζN + l, then N disappears:

    (1 - e^{-ζ})(v - u)T <= (1 - e^{-ζ})(e^ζ - 1)uT + 2l,

and with w² = l/(uT) the best tilt makes of it v - u <= 3(w + w²)u = 3(√(ul/T) + l/T): for ζ <= 1 and
ζ(2 + ζ)/4 <= w <= ζ(1 + ζ), and for ζ = 2 <= w,

    (1 - e^{-ζ})(e^ζ - 1) + 2w² <= 3(1 - e^{-ζ})(w + w²).

With e^ζ - 1 <= P = ζ + ζ²/2 + ζ³/4 and ζ <= (1 - e^{-ζ})R, R = 1 + ζ/2 + ζ²/12, it is enough that
ζP + 2Rw² <= 3ζ(w + w²), a difference that is concave in w and not negative at both ends.
"""

from __future__ import annotations

from proofs_checks.derivations.run_counts import before_last, spent_in_pair
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.tilts import LEVEL, ZETA, all_tilts, leveled, sides, tilt_by_tilt, zeta
from proofs_checks.derivations.unions import cancelled, equal, root, square_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

# --- the best tilt ----------------------------------------------------------------------------------

_P, _R = "({x} + {x}**2/2 + {x}**3/4)", "(1 + {x}/2 + {x}**2/12)"
_ENDS = "{x}*(2 + {x})/4", "{x}*(1 + {x})"
_GAIN = "3*(w + w**2)"


def _share(tilt: str) -> str:
    return f"(1 - exp(-{tilt}))"


def _least(k: str) -> str:
    """The least w that the last of k tilts, 4/2^k, serves."""
    return f"(2*exp(-{k}*log(2)) + 4*exp(-2*{k}*log(2)))"


def _at_tilt(s: str = "s", w: str = "w") -> str:
    return f"{_share(ZETA)}*{s} <= {_share(ZETA)}*(exp({ZETA}) - 1) + 2*{w}**2"


def _reached(k: str) -> str:
    return f"Imp({_least(k)} <= w, s <= {_GAIN})"


BEST = f"Imp(1 <= k, Imp({all_tilts(_at_tilt())}, {_reached('k')}))"


def best(D: Derivation) -> Theorem:
    """What is at most e^ζ - 1 + 2w²/(1 - e^{-ζ}) for all tilts is at most 3(w + w²), w not too small."""
    half, quarter = D.pointwise("exp(-log(2)) == 1/2"), D.pointwise("exp(-2*log(2)) == 1/4")

    def first(bound: Theorem) -> Theorem:
        low = D.assume(f"{_least('1')} <= w")
        two = D.pointwise(f"{_share('2')}*(exp(2) - 1) + 2*w**2 <= {_share('2')}*{_GAIN}", "w >= 2", w="w")
        two = D.closed(two, D.linear("2 <= w", low, half, quarter))
        return D.imply(cancelled(D, f"s <= {_GAIN}", D.pointwise(f"0 < {_share('2')}"), bound, two), low.says)

    def step(before: Theorem, bound: Theorem) -> Theorem:
        low, tilt = D.assume(f"{_least('(k + 2)')} <= w"), zeta("(k + 1)")
        halves = [D.scaled(half, "exp(-(k + 1)*log(2))"), D.scaled(quarter, "exp(-2*(k + 1)*log(2))")]
        small = D.closed(D.pointwise("exp(-x*log(2)) <= 1", "x >= 0", x="k"), D.whole("k"))
        known = [
            D.linear(f"0 < {tilt}", D.known("exp", "-(k + 1)*log(2)")),
            D.linear(f"{tilt} <= 1", small, D.scaled(half, "2*exp(-k*log(2))")),
            D.linear(f"{_ENDS[0].format(x=tilt)} <= w", low, *halves),
        ]

        def served(no: Theorem) -> Theorem:
            high = D.linear(f"w <= {_ENDS[1].format(x=tilt)}", no)
            one = D.closed(D.at(_one_tilt(D), t=tilt), *known, high)
            share = D.closed(D.pointwise("0 < 1 - exp(-x)", "x > 0", x=tilt), *known)
            return cancelled(D, f"s <= {_GAIN}", share, bound, one)

        return D.imply(D.cases(f"{_least('(k + 1)')} <= w", lambda yes: D.mp(before, yes), served), low.says)

    return tilt_by_tilt(D, _at_tilt(), _reached, first, step)


def _one_tilt(D: Derivation) -> Theorem:
    """0 < t <= 1, t(2 + t)/4 <= w <= t(1 + t) ⊢ (1 - e^{-t})(e^t - 1) + 2w² <= 3(1 - e^{-t})(w + w²)."""
    positive, small = D.assume("0 < t"), D.assume("t <= 1")

    def known(relation: str) -> Theorem:
        return D.closed(D.pointwise(relation.format(x="x"), "x > 0", "x <= 1", x="t"), positive, small)

    p, r, share = _P.format(x="t"), _R.format(x="t"), _share("t")
    at_ends = [known(f"{{x}}*{_P} <= 3*{{x}}*({w}) - (2*{_R} - 3*{{x}})*({w})**2") for w in _ENDS]
    curve = D.at(
        _between(D), d=f"t*{p}", e=f"2*{r} - 3*t", c="3*t", q=_ENDS[0].format(x="t"), h=_ENDS[1].format(x="t")
    )
    poly = D.closed(curve, *at_ends, known(f"0 <= 2*{_R} - 3*{{x}}"), known(f"{_ENDS[0]} < {_ENDS[1]}"))
    room = f"({_GAIN} - {p})"
    size = D.times(D.known("square", "w"), known(f"0 < {_R}"))
    spare = cancelled(D, f"0 <= {room}", positive, poly, size)
    steeper = D.times(known(f"{{x}} <= (1 - exp(-{{x}}))*{_R}"), spare)
    enough = cancelled(D, f"2*w**2 <= {share}*{room}", known(f"0 < {_R}"), steeper, poly)
    rise = D.times(known(f"exp({{x}}) - 1 <= {_P}"), known("0 < 1 - exp(-{x})"))
    return D.linear(f"{share}*(exp(t) - 1) + 2*w**2 <= {share}*{_GAIN}", enough, rise)


def _between(D: Derivation) -> Theorem:
    """d <= cw - ew² at w = q and w = h, 0 <= e, q < h ⊢ the same in between."""
    low, high = D.assume("q <= w"), D.assume("w <= h")
    left, right = D.linear("0 <= w - q", low), D.linear("0 <= h - w", high)
    apart = D.linear("0 < h - q", D.assume("q < h"))
    at_ends = [D.times(D.assume(f"d <= c*{w} - e*{w}**2"), sign) for w, sign in (("q", right), ("h", left))]
    bend = D.times(D.times(D.times(left, right), D.assume("0 <= e")), apart)
    return cancelled(D, "d <= c*w - e*w**2", apart, *at_ends, bend)


# --- the width of the set ---------------------------------------------------------------------------

_DATA = ("q", "h", "c")  # N, T and l


def in_set(u: str, v: str) -> str:
    """That u is at least the lower end of the set, and v at most the upper one."""
    return all_tilts(f"And({', '.join(sides(u, v, _DATA))})")


def _few(u: str) -> str:
    """That the tilts are enough for the rate u: uT <= 4^(k-2) l."""
    return f"16*{u}*h <= 2**(2*k)*c"


def width(u: str) -> str:
    """3(√(ul/T) + l/T)."""
    return f"3*(sqrt({u}*c/h) + c/h)"


_SIGNS = ("1 <= k", "0 < c", "0 < h")
_WIDE = f"And({', '.join((*_SIGNS, '0 <= u', _few('u')))})"
WIDTH = f"Imp({_WIDE}, Imp({in_set('u', 'v')}, v - u <= {width('u')}))"


def widths(D: Derivation) -> Theorem:
    """v - u <= 3(√(ul/T) + l/T) for a lower end u and an upper end v."""
    goal = f"v - u <= {width('u')}"

    def none(low: Theorem) -> Theorem:
        share = D.times(D.pointwise("2/3 <= 1 - exp(-2)"), _part(D, "0 < c"))
        apart = D.valued(_apart(D, "0"), equal(D, low, _part(D, "0 <= u")))
        below = cancelled(D, "v*h <= 3*c", D.pointwise("0 < 1 - exp(-2)"), apart, share)
        short = D.times(below, D.positive("inverse-positive", "h", _part(D, "0 < h")))
        unit = D.scaled(D.positive("inverse", "h", _part(D, "0 < h")), "v")
        return D.linear(goal, short, unit, _part(D, "0 <= u"), D.known("sqrt", "u*c/h"))

    shown = D.cases("u <= 0", none, lambda some: _wide(D, D.linear("0 < u", some), goal))
    return D.imply(shown, _WIDE, in_set("u", "v"))


def _part(D: Derivation, text: str) -> Theorem:
    return theorems.part(D.assume(_WIDE), D.formula(text))


def _apart(D: Derivation, m: str) -> Theorem:
    """(1 - e^{-ζ})(v - u)T <= (1 - e^{-ζ})(e^ζ - 1)uT + 2l at tilt m < k."""
    both = D.mp(D.special(D.assume(in_set("u", "v")), m), D.linear(f"{m} < k", *_below(D, m)))
    tilt = zeta(m)
    low, high = (theorems.part(both, D.formula(text)) for text in sides("u", "v", _DATA, tilt))
    return D.linear(f"{_share(tilt)}*(v - u)*h <= {_share(tilt)}*(exp({tilt}) - 1)*u*h + 2*c", low, high)


def _below(D: Derivation, m: str) -> list[Theorem]:
    return [_part(D, "1 <= k")] if m == "0" else [D.assume(f"{m} < k")]


def _wide(D: Derivation, positive: Theorem, goal: str) -> Theorem:
    """The same where 0 < u: the best tilt, with w² = l/(uT)."""
    time = _part(D, "0 < h")
    one_u, one_h = D.positive("inverse", "u", positive), D.positive("inverse", "h", time)
    over = product(
        D, D.positive("inverse-positive", "u", positive), D.positive("inverse-positive", "h", time)
    )
    ratio, far = "c*(1/u)*(1/h)", "(v - u)*(1/u)"
    square, sign = root(D, ratio, product(D, over, _part(D, "0 < c")))
    w, share = f"sqrt({ratio})", _share(ZETA)
    each = D.linear(
        _at_tilt(far, w),
        D.times(_apart(D, "m"), over),
        D.scaled(one_h, f"{share}*{far}"),
        D.scaled(one_h, f"{share}*(exp({ZETA}) - 1)*u*(1/u)"),
        D.scaled(one_u, f"{share}*(exp({ZETA}) - 1)"),
        square,
    )
    small = D.closed(D.pointwise("exp(-x*log(2)) <= 1/2", "x >= 1", x="k"), _part(D, "1 <= k"))
    power, last = D.known("exp", "-k*log(2)"), "4*exp(-k*log(2))"
    enough = D.linear(
        f"({last})**2 <= {w}**2",
        D.times(_part(D, _few("u")), product(D, over, D.known("exp", "-2*k*log(2)"))),
        D.scaled(one_h, "16*exp(-2*k*log(2))*u*(1/u)"),
        D.scaled(one_u, "16*exp(-2*k*log(2))"),
        square,
    )
    least = D.linear(f"{_least('k')} <= {w}", square_below(D, enough, sign, last, w), D.times(small, power))
    every = D.all(D.imply(each, "m < k"), "m")
    best_of = D.mp(D.at(D.lemma("lem:rateUCB/tilts/best"), s=far, w=w), _part(D, "1 <= k"), every, least)
    return D.linear(
        goal,
        D.times(best_of, positive),
        D.scaled(one_u, "v - u"),
        D.scaled(square, "u"),
        D.scaled(one_u, "c*(1/h)"),
        _joined(D, positive, square, w),
    )


def _joined(D: Derivation, positive: Theorem, square: Theorem, w: str) -> Theorem:
    """U w <= √(ul/T)."""
    inside, over = "u*c*(1/h)", D.positive("inverse-positive", "h", _part(D, "0 < h"))
    again, sign = root(D, inside, product(D, positive, _part(D, "0 < c"), over))
    squares = D.linear(
        f"(u*{w})**2 <= sqrt({inside})**2",
        D.scaled(square, "u**2"),
        D.scaled(D.positive("inverse", "u", positive), inside),
        again,
    )
    return square_below(D, squares, sign, f"u*{w}", f"sqrt({inside})")


# --- what it costs ----------------------------------------------------------------------------------

_CONDITIONS = (*_SIGNS, "0 <= u", "0 <= v", _few("u"), _few("v"), "Abs(d) <= e", "v*Abs(d) <= 1")
_DEAR = f"And({', '.join(_CONDITIONS)})"
_PRICE = "3*(sqrt(c*e/h) + c*e/h)"
COST = f"Imp({_DEAR}, Imp({in_set('u', 'u')}, Imp({in_set('v', 'v')}, Abs((v - u)*d) <= {_PRICE})))"


def costs(D: Derivation) -> Theorem:
    """How much another rate v of the set in the place of u changes ud."""
    known = D.assume(_DEAR)
    by_text = {text: theorems.part(known, D.formula(text)) for text in _CONDITIONS}
    size = D.linear("0 <= Abs(d)", D.known("abs", "d"), D.known("abs-", "d"))
    less = D.cases(
        "u <= v",
        lambda yes: _one_side(D, "u", "v", yes, [size, D.times(yes, size)], by_text),
        lambda no: _one_side(D, "v", "u", D.linear("v <= u", no), [size], by_text),
    )
    return D.imply(less, _DEAR, in_set("u", "u"), in_set("v", "v"))


def _one_side(
    D: Derivation, low: str, high: str, order: Theorem, facts: list[Theorem], known: dict[str, Theorem]
) -> Theorem:
    """The cost where low <= high."""
    ends = []
    for rate, place in ((low, 0), (high, 1)):
        both = D.mp(D.special(D.assume(in_set(rate, rate)), "m"), D.assume("m < k"))
        ends.append(theorems.part(both, D.formula(sides(rate, rate, _DATA)[place])))
    inside = D.all(D.imply(theorems.both(*ends), "m < k"), "m")
    conditions = (*_SIGNS, f"0 <= {low}", _few(low))
    apart = D.mp(
        D.at(D.lemma("lem:rateUCB/tilts/width"), u=low, v=high),
        theorems.both(*(known[text] for text in conditions)),
        inside,
    )
    size = facts[0]
    over = product(D, known["0 < c"], D.positive("inverse-positive", "h", known["0 < h"]))
    share = D.linear(f"{low}*Abs(d) <= 1", known["v*Abs(d) <= 1"], *facts)
    most = D.linear(f"Abs(d)*{low}*Abs(d) <= e", D.times(share, size), known["Abs(d) <= e"])
    first, second = f"sqrt({low}*c/h)", "sqrt(c*e/h)"
    inner = D.linear(f"0 <= {low}*c/h", D.times(known[f"0 <= {low}"], over))
    outer = D.linear("0 <= c*e/h", D.times(D.linear("0 <= e", size, known["Abs(d) <= e"]), over))
    squares = D.linear(
        f"(Abs(d)*{first})**2 <= {second}**2",
        D.scaled(D.mp(D.known("sqrt-square", f"{low}*c/h"), inner), "Abs(d)**2"),
        D.mp(D.known("sqrt-square", "c*e/h"), outer),
        D.times(most, over),
    )
    smaller = square_below(D, squares, D.known("sqrt", "c*e/h"), f"Abs(d)*{first}", second)
    paid = [D.times(apart, size), smaller, D.times(known["Abs(d) <= e"], over)]
    gap = D.linear(f"0 <= {high} - {low}", order)
    turns = [D.times(D.known(name, "d"), gap) for name in ("abs", "abs-")]
    goal = f"Abs((v - u)*d) <= {_PRICE}"
    return D.split(
        D.known("abs-cases", "(v - u)*d"),
        *[lambda value: D.linear(goal, value, *paid, *turns)] * 2,
    )


# --- how many tilts are enough ----------------------------------------------------------------------

_ENOUGH = ("2 <= k", "16*K*lmax*H <= 2**(2*k)")
_MANY = f"And({', '.join(_ENOUGH)})"
ENOUGH = f"Imp({_MANY}, Imp(ep(i) < K, 16*lmax*Tf(i, x, a) <= 2**(2*k)*{LEVEL}))"


def enough(D: Derivation) -> Theorem:
    """With 4^k >= 16 K λmax H the tilts serve all rates and all times of the first K episodes."""
    two, many = (theorems.part(D.assume(_MANY), D.formula(text)) for text in _ENOUGH)
    domain = ("S >= 1", "A >= 1", "J >= 2", "0 < d", "d < 1")
    level = D.pointwise("1 <= log(2*S*A*J/d)", *domain, integers="S A J", S="S", A="A", J="k", d="delta")
    level = leveled(D, level, two)
    time = D.linear(
        "Tf(i, x, a) <= K*H",
        D.at(spent_in_pair(D)[1], n="i"),
        D.times(before_last(D), D.fact("horizon")),
        D.fact("horizon"),
    )
    longest = D.times(time, D.fact("lmax"))
    more = D.times(level, D.known("exp", "2*k*log(2)"))
    return D.imply(D.linear(D.formula(ENOUGH).parts[1].parts[1], longest, many, more), _MANY, "ep(i) < K")
