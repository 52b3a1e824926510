r"""Value iteration is never there: where every reward is 1, V* = t, and every iterate is less.

What :math:`V_n` lacks is at least :math:`c\,q^n` at every t >= n h + c, with :math:`q =
1-e^{-\lambda_{\min}h}`: a jump within h, which has at least the probability q, leaves t - h.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import WITHIN, decays, maximum, part
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.values import BEST
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_ONES = "All(x, All(a, r(x, a) == 1))"
_SHARE = "(1 - exp(-lmin*{h}))"
_LACK = f"exp(n*log{_SHARE})"
_HALF = f"t/2*{_LACK.format(h='(t/(2*(n + 1)))')}"
_HERE = "And(0 < t, t <= H)"
UNFINISHED = (
    f"Imp({_ONES}, Imp({_HERE}, "
    f"And(Vs(x, t) == t, 0 < {_HALF}, V(n, x, t) + {_HALF} <= t, V(n, x, t) < Vs(x, t))))"
)
_VALUES = "V(n, {y}, {s})"
_WHOLE = operator("a", "({s})")


def _all_earned(D: Derivation) -> Theorem:
    """_ONES, 0 <= t <= H ⊢ V* = t: the function t solves V = G V."""
    rate = "lam(x, a)"
    time = D.primitive("s", "t", f"-(t - s)*exp(-{rate}*s)")
    ones = D.scaled(D.special(D.assume(_ONES), "x", "a"), f"Int(s, t, exp(-{rate}*s))")
    row = D.scaled(D.fact("jump-sum"), f"Int(s, t, {rate}*exp(-{rate}*s)*(t - s))")
    solves = D.largest(D.linear(f"{_WHOLE} == t", time, ones, row), "a")
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    size = D.split(
        D.known("abs-cases", "t"),
        lambda one: D.linear("Abs(t) <= H", one, start, end),
        lambda one: D.linear("Abs(t) <= H", one, start, end),
    )
    image = f"MaxOver(a, {_WHOLE})"
    both = theorems.both(D.linear(f"t == {image}", solves), size)
    for text in ("0 <= t", "t <= H"):
        both = theorems.cut(part(D, D.assume(WITHIN), text), both)
    every = D.all(D.imply(both, WITHIN), "x", "t")
    optimal = D.lemma("eq:Qa/optimality")
    own = BEST.image("gw({y}, {s})")
    unique = part(
        D,
        optimal,
        f"Imp(All(x, All(t, Imp({WITHIN}, And(gw(x, t) == {own}, Abs(gw(x, t)) <= c)))), "
        f"Imp({WITHIN}, gw(x, t) == Vs(x, t)))",
    )
    lemma = D.instantiate(D.at(unique, c="H"), "gw", "x t", "t")
    return D.mp(lemma, every, theorems.both(start, end))


_SOON = "All(y, All(s, Imp(s <= h, V(n, y, t - s) <= t - s - d)))"


def _next(D: Derivation) -> Theorem:
    """_ONES, _SOON, 0 < h <= t, 0 <= d ⊢ V(n + 1, x, t) <= t - d (1 - exp(-λmin h))."""
    rate, positive, size = "lam(x, a)", D.assume("0 < h"), D.assume("0 <= d")
    decay, goal = f"exp(-{rate}*s)", "V(n, y, t - s) <= t - s - Ind(s <= h)*d"
    bound = D.mp(
        D.lemma("lem:optimism/value-bound", x="y", t="t - s"), D.linear("0 <= t - s", D.assume("s <= t"))
    )
    ends = ("V(n, y, t - s) <= Vs(y, t - s)", "Vs(y, t - s) <= t - s")
    small = D.linear("V(n, y, t - s) <= t - s", *(part(D, bound, one) for one in ends))
    one = D.cases(
        "s <= h",
        lambda yes: D.by_value(goal, [D.holds("s <= h")], D.mp(D.special(D.assume(_SOON), "y", "s"), yes)),
        lambda _: D.by_value(goal, [D.fails("s <= h")], small),
    )
    speed = D.linear(f"0 <= {rate}", D.fact("rate"))
    kernel = D.times(speed, D.known("exp", f"-{rate}*s"))
    late = D.linear("0 <= t", positive, D.assume("h <= t"))
    slower = D.linear(f"lmin*h <= {rate}*h", D.times(D.fact("rate-low"), positive))
    facts = [
        D.integral(D.times(D.over(D.times(one, D.fact("jump-low")), "y"), kernel), "s", "t"),
        D.scaled(D.fact("jump-sum"), f"Int(s, t, {rate}*{decay}*(t - s - Ind(s <= h)*d))"),
        D.scaled(_shorter(D, decay, D.assume("h <= t")), f"{rate}*d"),
        D.scaled(D.closed(D.primitive("s", "h", f"-{decay}"), positive), "d"),
        D.times(decays(D, slower), size),
        D.closed(D.primitive("s", "t", f"-(t - s)*{decay}"), late),
        D.scaled(D.special(D.assume(_ONES), "x", "a"), f"Int(s, t, {decay})"),
    ]
    image, less = operator("a", _VALUES), "t - d*(1 - exp(-lmin*h))"
    top = maximum(D, D.linear(f"{image} <= {less}", *facts), image, f"({less})")
    return D.linear(f"V(n + 1, x, t) <= {less}", top, D.fact("V-step"))


def _lacks(D: Derivation) -> Theorem:
    """_ONES, 0 < h, 0 <= c ⊢ Imp(n h + c <= t, V(n, x, t) + c qⁿ <= t)."""
    share, lack = _SHARE.format(h="h"), _LACK.format(h="h")
    positive, least = D.assume("0 < h"), D.assume("0 <= c")
    less = D.pointwise("exp(-d) < 1", "d > 0", d="lmin*h")
    some = D.linear(f"0 < {share}", theorems.cut(product(D, D.fact("lmin"), positive), less))
    power = D.scaled(D.mp(D.known("log", share), some), f"c*{lack}")
    weight = D.times(least, D.known("exp", f"n*log{share}"))
    room = D.assume("(n + 1)*h + c <= t")
    early = D.linear("h <= t", room, D.times(D.linear("0 <= h", positive), D.whole("n")), least)
    one = D.closed(D.at(_next(D), d=f"c*{lack}"), weight, early)

    def step(before: Theorem) -> Theorem:
        in_time = D.linear("n*h + c <= t - s", room, D.assume("s <= h"))
        later = D.mp(D.special(before, "y", "t - s"), in_time)
        soon = D.linear(f"V(n, y, t - s) <= t - s - c*{lack}", later)
        image = theorems.cut(D.all(D.imply(soon, "s <= h"), "y", "s"), one)
        found = D.linear(f"V(n + 1, x, t) + c*exp((n + 1)*log{share}) <= t", image, power)
        return D.all(D.imply(found, "(n + 1)*h + c <= t"), "x", "t")

    first = D.imply(D.linear("V(0, x, t) + c <= t", D.fact("V-0"), D.assume("c <= t")), "c <= t")
    says = f"All(x, All(t, Imp(n*h + c <= t, V(n, x, t) + c*{lack} <= t)))"
    return D.special(D.induction("n", says, D.all(first, "x", "t"), step), "x", "t")


def _shorter(D: Derivation, body: str, inside: Theorem) -> Theorem:
    """∫ over [0, h] as one over [0, t], for h <= t."""
    whole = D.instantiate(D.fact("shorter"), "gf", "s", body)
    return D.mp(D.at(whole, t="h", u="t"), inside)


def unfinished(D: Derivation) -> Theorem:
    """V* = t, and V_n is less for every n."""
    here = D.assume(_HERE)
    positive, end = part(D, here, "0 < t"), part(D, here, "t <= H")
    value = theorems.cut(end, theorems.cut(D.linear("0 <= t", positive), _all_earned(D)))
    number = D.linear("0 < n + 1", D.whole("n"))
    share = product(D, positive, D.positive("inverse-positive", "n + 1", number))
    step = "t/(2*(n + 1))"
    whole = D.scaled(D.positive("inverse", "n + 1", number), "t")
    room = D.linear(f"n*({step}) + t/2 <= t", whole, share)
    lacks = D.at(_lacks(D), h=step, c="t/2")
    lacks = D.closed(lacks, D.linear(f"0 < {step}", share), D.linear("0 <= t/2", positive))
    less = D.mp(lacks, room)
    power = D.known("exp", f"n*log{_SHARE.format(h=f'({step})')}")
    weight = product(D, D.linear("0 < t/2", positive), power)
    strict = D.linear("V(n, x, t) < Vs(x, t)", less, weight, value)
    return D.imply(theorems.both(D.linear("Vs(x, t) == t", value), weight, less, strict), _ONES, _HERE)


DERIVED = {"alg:VI/infinite": (UNFINISHED, unfinished)}
