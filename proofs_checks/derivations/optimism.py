r"""``lem:optimism``: on the confidence sets the computed value is an upper bound, up to the stopping error.

One step, for u <= v and :math:`0 \le u(y,s) \le s`:

.. math:: \mathcal T^{a,k}v - \mathcal T^au \ \ge\ b\,w(\lambda_{\max}) + r\,[w(\hat\lambda) - w(\lambda)]
          + [\hat Eu - Eu] \ \ge\ b\,w(\lambda_{\max}) - t^2\beta - t\alpha ,

and the bonus makes up for it because :math:`H\,w(\lambda_{\max},t) \ge t\,w(\lambda_{\max},H)`: w is concave
in t.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from proofs_checks.derivations.iterations import BONUS, ERROR, MONO, STARTS, STEPS, STOPPED, iterate
from proofs_checks.derivations.model_error import THEOREMS as MODEL_ERROR
from proofs_checks.derivations.model_error import radius
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROW,
    ROW_HAT,
    ROWS,
    TRUE,
    chain,
    either_way,
    estimate,
    jumps,
    modulus,
    ordered,
    rate_low,
    wait,
    wait_low,
)
from proofs_checks.derivations.operators import (
    ESTIMATES,
    MONOTONE,
    ORDERED,
    RATES_HIGH,
    RATES_LOW,
    ROWS_LOW,
    WITHIN,
    U,
    V,
    applied,
    decays,
    maximum,
    part,
)
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.values import SMALL, VALUE_BOUND
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

# --- eq:diff ------------------------------------------------------------------------------------

DIFF = chain(
    f"{operator('a', U)} + gbon(x, a)*{wait('lmax')} + r(x, a)*({wait(HAT)} - {wait(TRUE)}) + "
    f"({jumps(HAT, ROW_HAT)} - {jumps(TRUE, ROW)}) <= {estimated('a', V)}",
    ESTIMATES,
    BONUS,
    ORDERED,
    "0 <= t",
)


def waits_less(D: Derivation, low: str, high: str, less: Theorem) -> Theorem:
    """l <= m ⊢ w(m) <= w(l)."""
    longer = D.times(less, D.assume("0 <= s"))
    return D.integral(decays(D, D.linear(f"{low}*s <= {high}*s", longer)), "s", "t")


def diff(D: Derivation) -> Theorem:
    """T^{a,k}v - T^a u >= b w(λmax) + r[w(λ̂) - w(λ)] + Êu - Eu."""
    model = D.assume(ESTIMATES)
    order = D.mp(
        D.lemma("eq:Qa/monotone"), part(D, model, RATES_LOW), part(D, model, ROWS_LOW), D.assume(ORDERED)
    )
    order = part(D, order, f"{estimated('a', U)} <= {estimated('a', V)}")
    slower = waits_less(D, HAT, "lmax", estimate(D, RATES_HIGH))
    paid = D.times(slower, D.special(D.assume(BONUS), "x", "a"))
    goal = D.formula(DIFF)
    for _ in range(4):
        goal = goal.parts[1]
    return D.imply(D.linear(goal, order, paid), ESTIMATES, BONUS, ORDERED, "0 <= t")


# --- lem:optimism/reward ------------------------------------------------------------------------

_REWARDS = f"r(x, a)*{wait(HAT)} - r(x, a)*{wait(TRUE)}"
REWARD = chain(f"Abs({_REWARDS}) <= t**2/2*gbe(x, a)", ESTIMATES, RATES, "0 <= t")


def waits_apart(D: Derivation, low: str, high: str, positive: Theorem, less: Theorem) -> Theorem:
    """0 <= l <= m, 0 <= t ⊢ w(l) - w(m) <= (m - l) t²/2."""
    s0 = D.assume("0 <= s")
    gap = f"({high} - {low})*s"
    size = D.times(D.linear(f"0 <= {high} - {low}", less), s0)
    tangent = D.closed(D.pointwise("1 - exp(-d) <= d", "d >= 0", d=gap), size)
    below = D.closed(D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{low}*s"), D.times(positive, s0))
    one = D.linear(
        f"exp(-{low}*s) - exp(-{high}*s) <= {gap}",
        D.times(tangent, D.known("exp", f"-{low}*s")),
        D.times(below, size),
    )
    area = D.scaled(D.primitive("s", "t", "s**2/2"), f"{high} - {low}")
    return D.linear(f"{wait(low)} - {wait(high)} <= ({high} - {low})*t**2/2", D.integral(one, "s", "t"), area)


def waits_near(D: Derivation) -> Theorem:
    """ESTIMATES, RATES, 0 <= t ⊢ |w(λ̂) - w(λ)| <= t²β/2."""
    near = D.special(D.assume(RATES), "x", "a")
    gap = f"{HAT} - {TRUE}"
    half = D.linear("0 <= t**2/2", D.known("square", "t"))
    radii = [
        D.times(D.linear(f"{s}({gap}) <= gbe(x, a)", near, D.known(n, gap)), half)
        for n, s in (("abs", ""), ("abs-", "-"))
    ]

    def way(low: str, high: str, positive: Theorem, less: Theorem) -> Theorem:
        facts = [waits_less(D, low, high, less), waits_apart(D, low, high, positive, less)]
        return modulus(D, f"{wait(HAT)} - {wait(TRUE)}", "t**2/2*gbe(x, a)", *facts, *radii)

    low = estimate(D, RATES_LOW)
    return ordered(
        D, TRUE, HAT, lambda less: way(TRUE, HAT, rate_low(D), less), lambda less: way(HAT, TRUE, low, less)
    )


def reward(D: Derivation) -> Theorem:
    """|r w(λ̂) - r w(λ)| <= t²β/2."""
    near, change = waits_near(D), f"{wait(HAT)} - {wait(TRUE)}"
    sides = [D.known(name, change) for name in ("abs", "abs-")]
    facts = [D.times(one, D.fact("reward-low")) for one in sides]
    size = D.linear(f"0 <= Abs({change})", *sides)
    facts += [D.times(D.fact("reward-high"), size), near]
    return D.imply(modulus(D, _REWARDS, "t**2/2*gbe(x, a)", *facts), ESTIMATES, RATES, "0 <= t")


# --- lem:optimism/bonus -------------------------------------------------------------------------

PAYS = chain(f"t**2*c + t*d <= C*(H**2*c + H*d)*{wait('lmax')}", "And(0 <= c, 0 <= d)", WITHIN)


def rate_max(D: Derivation) -> Theorem:
    """0 < λmax."""
    return D.fact("lmax")


def concave(D: Derivation) -> Theorem:
    """0 <= t <= H ⊢ t(1 - exp(-λmax H)) <= H(1 - exp(-λmax t))."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    left = D.linear("0 <= H - t", end)
    rate = D.linear("0 <= lmax", rate_max(D))
    later = D.closed(D.pointwise("1 - d <= exp(-d)", "d >= 0", d="lmax*(H - t)"), D.times(left, rate))
    now = D.closed(D.pointwise("1 + d <= exp(d)", "d >= 0", d="lmax*t"), D.times(start, rate))
    decay = D.known("exp", "-lmax*t")
    facts = [D.times(D.times(later, decay), start), D.times(D.times(now, decay), left)]
    return D.linear("t*(1 - exp(-lmax*H)) <= H*(1 - exp(-lmax*t))", *facts)


def pays(D: Derivation) -> Theorem:
    """The bonus b = C(H²β + Hα) has b w(λmax, t) >= t²β + tα for t <= H."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    total = "(1 - exp(-lmax*H))"
    size = _whole_mass(D)
    area = D.primitive("s", "t", "-exp(-lmax*s)")
    quotient = f"lmax/{total}"
    least = D.linear(f"{quotient} <= C", D.fact("C"), D.known("max", quotient, "1"))
    waiting = wait_low(D, "lmax")
    # w(t) λmax = 1 - exp(-λmax t) >= (t/H)(1 - exp(-λmax H)), so that C H w(t) >= t
    horizon = D.linear("0 <= H", D.fact("horizon"))
    several = D.times(D.times(least, waiting), horizon)
    share = D.times(concave(D), D.positive("inverse-positive", total, size))
    once = D.linear(
        f"t <= C*H*{wait('lmax')}",
        several,
        share,
        D.scaled(area, f"H/{total}"),
        D.scaled(D.positive("inverse", total, size), "t"),
    )
    radii = D.assume("And(0 <= c, 0 <= d)")
    c, d = part(D, radii, "0 <= c"), part(D, radii, "0 <= d")
    square = D.linear(
        f"t**2 <= C*H**2*{wait('lmax')}", D.times(once, horizon), D.times(D.linear("t <= H", end), start)
    )
    bound = D.linear(f"t**2*c + t*d <= C*(H**2*c + H*d)*{wait('lmax')}", D.times(once, d), D.times(square, c))
    return D.imply(within(D, bound), "And(0 <= c, 0 <= d)", WITHIN)


def _whole_mass(D: Derivation) -> Theorem:
    """0 < 1 - exp(-λmax H)."""
    signs = [D.fact("horizon"), rate_max(D)]
    load = calculus.combine(D.setting, D.formula("0 < lmax*H"), signs, [(D.term("lmax"), 1), D.term("0")])
    return D.closed(D.pointwise("0 < 1 - exp(-d)", "d > 0", d="lmax*H"), load)


def within(D: Derivation, theorem: Theorem) -> Theorem:
    """Given 0 <= t <= H as one formula."""
    condition = D.assume(WITHIN)
    for text in ("0 <= t", "t <= H"):
        theorem = theorems.cut(part(D, condition, text), theorem)
    return theorem


ESTIMATED = partial(estimated, "a")
"""T^{a,k} of a pattern."""

# --- the induction ------------------------------------------------------------------------------

ENOUGH = "All(x, All(a, C*(H**2*gbe(x, a) + H*gal(x, a)) <= gbon(x, a)))"
"""The bonus is at least that of eq:bonus-k."""
_SETS = (ESTIMATES, RATES, ROWS, ENOUGH)
INDUCTION = chain("V(n, x, t) <= gq(n, x, t)", *_SETS, STARTS, STEPS, WITHIN)
OPTIMISM = chain("Vs(x, t) <= gq(l + 1, x, t) + e*exp(lmax*H)", *_SETS, STARTS, STEPS, STOPPED, WITHIN)


def rate_radius(D: Derivation) -> Theorem:
    """RATES ⊢ 0 <= β."""
    gap = f"{HAT} - {TRUE}"
    near = D.special(D.assume(RATES), "x", "a")
    return D.linear("0 <= gbe(x, a)", near, D.known("abs", gap), D.known("abs-", gap))


def factor_low(D: Derivation) -> Theorem:
    """0 <= C."""
    return D.linear("0 <= C", D.fact("C"), D.known("max-right", "lmax/(1 - exp(-lmax*H))", "1"))


def bonus_low(D: Derivation, enough: str = ENOUGH) -> Theorem:
    """RATES, ROWS, and that the bonus is enough ⊢ the bonus is not negative."""
    horizon = D.linear("0 <= H", D.fact("horizon"))
    size = D.linear(
        "0 <= H**2*gbe(x, a) + H*gal(x, a)",
        D.times(D.times(rate_radius(D), horizon), horizon),
        D.times(radius(D), horizon),
    )
    low = D.times(size, factor_low(D))
    return D.all(D.linear("0 <= gbon(x, a)", D.special(D.assume(enough), "x", "a"), low), "x", "a")


def one_step(D: Derivation) -> Theorem:
    """ESTIMATES, RATES, ROWS, ENOUGH, SMALL, ORDERED, 0 <= t <= H ⊢ T^a u <= T^{a,k} v."""
    start, model, rates, rows = (D.assume(one) for one in ("0 <= t", ESTIMATES, RATES, ROWS))
    difference = D.mp(D.lemma("eq:diff"), model, bonus_low(D), D.assume(ORDERED), start)
    earned = D.mp(D.lemma("lem:optimism/reward"), model, rates, start)
    error = D.mp(D.lemma("lem:error-model"), model, rates, rows, D.assume(SMALL), start)
    error = theorems.part(error, larger_error(D, error))
    signs = theorems.both(rate_radius(D), radius(D))
    paid = D.lemma("lem:optimism/bonus", c="gbe(x, a)", d="gal(x, a)")
    paid = D.mp(paid, signs, theorems.both(start, D.assume("t <= H")))
    bonus = D.times(D.special(D.assume(ENOUGH), "x", "a"), wait_low(D, "lmax"))
    moduli = [D.known("abs-", one.says.parts[0].parts[0]) for one in (earned, error)]
    return D.linear(
        f"{operator('a', U)} <= {estimated('a', V)}", difference, earned, error, paid, bonus, *moduli
    )


def larger_error(D: Derivation, error: Theorem) -> Term:
    """The second of the two bounds of lem:error-model, without w."""
    of = error.says.parts[0].parts[0]
    return terms.relation("<=", of, D.term("t**2/2*gbe(x, a) + t*gal(x, a)"))


def values_small(D: Derivation) -> Theorem:
    """SMALL for V(n)."""
    inside = D.assume("And(0 <= s, s <= t)")
    there = D.mp(D.lemma("lem:optimism/value-bound", x="y", t="s"), part(D, inside, "0 <= s"))
    low = part(D, there, "0 <= V(n, y, s)")
    bounds = [part(D, there, one) for one in ("V(n, y, s) <= Vs(y, s)", "Vs(y, s) <= s")]
    high = D.linear("V(n, y, s) <= s", *bounds)
    return D.all(D.imply(theorems.both(low, high), "And(0 <= s, s <= t)"), "y", "s")


def upward(
    D: Derivation,
    step: Theorem,
    *more: Theorem,
    steps: str = STEPS,
    image: Callable[[str], str] = ESTIMATED,
) -> Theorem:
    """V(n) <= gq(n), from T^a u <= T^{a,k} v, given SMALL, ORDERED, 0 <= t <= H, and more of V(n).

    ``image`` is T^{a,k} of a pattern, and ``steps`` says that gq is iterated with it.
    """
    values, hat = operator("a", "V(n, {y}, {s})"), image(iterate("n"))
    inside = D.assume("And(0 <= s, s <= t)")
    s0, s1 = part(D, inside, "0 <= s"), part(D, inside, "s <= t")
    one = applied(D, step, {"gu": ("y s", "V(n, y, s)"), "gv": ("y s", "gq(n, y, s)")})
    for known in (values_small(D), *more):
        one = theorems.cut(known, one)

    def after(before: Theorem) -> Theorem:
        below = D.mp(
            D.special(before, "y", "s"), theorems.both(s0, D.linear("s <= H", s1, D.assume("t <= H")))
        )
        order = D.all(D.imply(below, "And(0 <= s, s <= t)"), "y", "s")
        top = maximum(D, theorems.cut(order, one), values, hat)
        return D.all(D.imply(within(D, _cut(D, top, hat, steps)), WITHIN), "x", "t")

    first = D.linear("V(0, x, t) <= gq(0, x, t)", D.fact("V-0"), D.special(D.assume(STARTS), "x", "t"))
    all_n = D.induction(
        "n",
        f"All(x, All(t, Imp({WITHIN}, V(n, x, t) <= gq(n, x, t))))",
        D.all(D.imply(first, WITHIN), "x", "t"),
        after,
    )
    return D.mp(D.special(all_n, "x", "t"), D.assume(WITHIN))


def _cut(D: Derivation, top: Theorem, hat: str, steps: str) -> Theorem:
    """0 <= t ⊢ V(n + 1) <= gq(n + 1) = min{t, max_a hat}, from max_a T^aV(n) <= max_a hat; V(n + 1) <= t."""
    bounds = D.mp(D.lemma("lem:optimism/value-bound", n="n + 1"), D.assume("0 <= t"))
    small = [part(D, bounds, one) for one in ("V(n + 1, x, t) <= Vs(x, t)", "Vs(x, t) <= t")]
    facts = [top, D.fact("V-step"), D.special(D.assume(steps), "n", "x", "t"), *small]
    goal = "V(n + 1, x, t) <= gq(n + 1, x, t)"
    return either_way(D, D.known("min-cases", "t", f"MaxOver(a, {hat})"), goal, *facts)


def induction(D: Derivation) -> Theorem:
    """V*_n <= V̂_n."""
    return D.imply(upward(D, one_step(D)), *_SETS, STARTS, STEPS, WITHIN)


def limit(D: Derivation, below: Theorem, stopped: str) -> Theorem:
    """V* <= V̂_{l+1} and the stopping error, from V*_n <= V̂_n; ``stopped`` names the claim of that error."""
    iteration = [D.assume(one) for one in (ESTIMATES, BONUS, STARTS, STEPS, STOPPED, WITHIN)]
    returned = D.at(D.mp(D.lemma(stopped), *iteration), m="n")
    (above,) = [one for one in returned.says.parts if one.parts[0] is D.term("gq(n, x, t)")]
    return limit_of(D, below, theorems.part(returned, above))


def limit_of(D: Derivation, below: Theorem, above: Theorem) -> Theorem:
    """V* <= w, from V*_n <= V̂_n and V̂_n <= w."""
    says = terms.relation("<=", D.term("V(n, x, t)"), above.says.parts[1])
    top = calculus.bounded(D.linear(says, below, above), D.variable("n"))
    return D.linear(terms.relation("<=", D.term("Vs(x, t)"), top.says.parts[1]), top, D.fact("Vs"))


def optimism(D: Derivation) -> Theorem:
    """V* <= V̂_{n_k} + ε exp(λmax H)."""
    conditions = (*_SETS, STARTS, STEPS)
    below = D.mp(D.lemma("lem:optimism/induction"), *map(D.assume, (*conditions, WITHIN)))
    found = theorems.cut(bonus_low(D), limit(D, below, "eq:error-vi"))
    return D.imply(found, *conditions, STOPPED, WITHIN)


THEOREMS = {
    **MODEL_ERROR,
    "eq:Qa/monotone": MONOTONE,
    "eq:mono": MONO,
    "eq:error-vi": ERROR,
    "lem:optimism/value-bound": VALUE_BOUND,
    "eq:diff": DIFF,
    "lem:optimism/reward": REWARD,
    "lem:optimism/bonus": PAYS,
    "lem:optimism/induction": INDUCTION,
    "lem:optimism": OPTIMISM,
}
