r"""``lem:optimism/halved``: half of the bonus, because one step costs half of what is printed.

For a function that rises from 0 and is at most t, without the bonus,

.. math:: |\mathcal T^{a,k}u - \mathcal T^au| \le \min\{t^2\beta/2,\,t\} + (t-w(\hat\lambda))\,\alpha/2 :

the rate's errors in the reward and in the holding time have opposite signs, and the jump term is halved.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.greedy_step import GREEDY, ITERATION, greedy, step_theorem
from proofs_checks.derivations.greedy_step import THEOREMS as STEP
from proofs_checks.derivations.halved_error import hat_density, seen_jumps
from proofs_checks.derivations.iterations import BONUS, LOAD, STARTS, STEPS, STOPPED, iterate
from proofs_checks.derivations.model_error import MEANS, radius
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROW,
    ROW_HAT,
    ROWS,
    SEEN,
    TRUE,
    chain,
    either_way,
    estimate,
    jumps,
    modulus,
    parts_of_time,
    wait,
    wait_high,
    wait_low,
)
from proofs_checks.derivations.operators import (
    ESTIMATES,
    ORDERED,
    RATES_HIGH,
    RATES_LOW,
    WITHIN,
    U,
    V,
    maximum,
    part,
)
from proofs_checks.derivations.opposite import RISING
from proofs_checks.derivations.opposite import THEOREMS as OPPOSITE
from proofs_checks.derivations.optimism import ESTIMATED, bonus_low, limit, rate_radius, upward
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.slopes import DERIVED as SLOPES_DERIVED
from proofs_checks.derivations.slopes import rising_step
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

PLAIN = f"r(x, a)*{wait(HAT)} + {jumps(HAT, ROW_HAT)}"
"""T^{a,k}u without the bonus."""
_APART = f"{PLAIN} - ({operator('a', U)})"
COST = f"Min(t**2/2*gbe(x, a), t) + gal(x, a)/2*(t - {wait(HAT)})"
ERROR = chain(f"Abs({_APART}) <= {COST}", ESTIMATES, RATES, ROWS, SEEN, SMALL, RISING, "0 <= t")


def with_true_row(D: Derivation, theorem: Theorem) -> Theorem:
    """The theorem for the estimated rates and the true rows, given ESTIMATES as before."""
    model = D.assume(ESTIMATES)
    row = D.linear(f"SumOver(y, {ROW}) <= 1", D.fact("jump-sum"))
    true = theorems.both(
        part(D, model, RATES_LOW),
        part(D, model, RATES_HIGH),
        D.all(D.fact("jump-low"), "x", "a", "y"),
        D.all(row, "x", "a"),
    )
    return D.mp(D.instantiate(theorem, "gp", "x a y", ROW), true)


def error(D: Derivation) -> Theorem:
    """|T^{a,k}u - T^a u| <= min{t²β/2, t} + (t - w(λ̂))α/2, without the bonus."""
    start = D.assume("0 <= t")
    rates = with_true_row(D, D.lemma("lem:optimism/opposite"))
    rates = D.mp(rates, D.assume(RATES), D.assume(SMALL), D.assume(RISING), start)
    total = f"r(x, a)*({wait(HAT)} - {wait(TRUE)}) + ({jumps(HAT, ROW)} - {jumps(TRUE, ROW)})"
    rates = part(D, rates, f"Abs({total}) <= Min(t**2/2*gbe(x, a), t)")
    change, jump = MEANS.format("t - s"), seen_jumps(D)
    rows = []
    for name in ("abs", "abs-"):
        one = D.times(D.known(name, change), hat_density(D))
        rows += [D.integral(one, "s", "t"), D.integral(jump, "s", "t")]
    time = D.scaled(parts_of_time(D, HAT), "gal(x, a)")
    facts = [rates, *rows, time, *(D.known(name, total) for name in ("abs", "abs-"))]
    bound = modulus(D, _APART, COST, *facts)
    return D.imply(bound, ESTIMATES, RATES, ROWS, SEEN, SMALL, RISING, "0 <= t")


# --- optimism -----------------------------------------------------------------------------------

ENOUGH = "All(x, All(a, C*(H**2*gbe(x, a) + H*gal(x, a))/2 <= gbon(x, a)))"
"""The bonus is at least half of that of eq:bonus-k."""
_SETS = (ESTIMATES, RATES, ROWS, SEEN, ENOUGH)
HALVED = chain(
    "And(V(n, x, t) <= gq(n, x, t), Vs(x, t) <= gq(l + 1, x, t) + e*lmax*t)",
    *_SETS,
    STARTS,
    STEPS,
    STOPPED,
    WITHIN,
)


def one_step(D: Derivation) -> Theorem:
    """The sets, SMALL, RISING, ORDERED, 0 <= t <= H ⊢ T^a u <= T^{a,k} v."""
    start, model, rates, rows = (D.assume(one) for one in ("0 <= t", ESTIMATES, RATES, ROWS))
    difference = D.mp(D.lemma("eq:diff"), model, bonus_low(D, ENOUGH), D.assume(ORDERED), start)
    conditions = [D.assume(one) for one in (SEEN, SMALL, RISING)]
    costs = D.mp(D.lemma("lem:optimism/halved/step"), model, rates, rows, *conditions, start)
    signs = [rate_radius(D), radius(D)]
    half = theorems.both(
        *(
            D.linear(f"0 <= {one}/2", sign)
            for one, sign in zip(("gbe(x, a)", "gal(x, a)"), signs, strict=True)
        )
    )
    paid = D.lemma("lem:optimism/bonus", c="gbe(x, a)/2", d="gal(x, a)/2")
    paid = D.mp(paid, half, theorems.both(start, D.assume("t <= H")))
    facts = [
        D.times(D.special(D.assume(ENOUGH), "x", "a"), wait_low(D, "lmax")),
        D.times(signs[1], wait_low(D, HAT)),
        D.known("min", "t**2/2*gbe(x, a)", "t"),
        D.known("abs-", _APART),
    ]
    return D.linear(f"{operator('a', U)} <= {estimated('a', V)}", difference, costs, paid, *facts)


def values_rise(D: Derivation) -> Theorem:
    """RISING for V(n)."""
    return in_range(D, D.lemma("lem:optimism/rising/values", m="n", x="y", t="s"), "V(n, y, s) <= V(n, y, u)")


def in_range(D: Derivation, lemma: Theorem, goal: str) -> Theorem:
    """Imp(And(0 <= s, s <= u), A) for all s <= u <= t; of A the part that is the goal."""
    condition = D.assume("And(0 <= s, s <= u, u <= t)")
    order = D.mp(lemma, theorems.both(part(D, condition, "0 <= s"), part(D, condition, "s <= u")))
    one = part(D, order, goal) if order.says.tag == "And" else D.linear(goal, order)
    return D.all(D.imply(one, "And(0 <= s, s <= u, u <= t)"), "y", "s", "u")


def halved(D: Derivation) -> Theorem:
    """V*_n <= V̂_n, and V* <= V̂_{n_k} + ε λmax t, with half of the bonus."""
    below = upward(D, one_step(D), values_rise(D))
    top = theorems.cut(bonus_low(D, ENOUGH), limit(D, below, "eq:error-vi/load"))
    return D.imply(theorems.both(below, top), *_SETS, STARTS, STEPS, STOPPED, WITHIN)


# --- the greedy action --------------------------------------------------------------------------

HALF = "(gbon(x, {a}) + (gal(x, {a}) + t*gbe(x, {a}))/2)*t"
HALF_STEP = step_theorem(HALF, RATES, ROWS, SEEN)


def iterates_rise(D: Derivation) -> Theorem:
    """RISING for V̂_{l+1}."""
    assumed = [D.assume(one) for one in ITERATION]
    bound = D.mp(D.lemma("eq:mono", x="y", t="s"), *assumed, D.assume("0 <= s"))
    positive = D.all(D.imply(part(D, bound, "0 <= gq(n, y, s)"), "0 <= s"), "y", "s")
    step = theorems.cut(positive, D.instantiate(rising_step(D), "gu", "y s", "gq(n, y, s)"))
    return iteration_rises(D, step, STEPS, ESTIMATED)


def iteration_rises(D: Derivation, step: Theorem, steps: str, image: Callable[..., str]) -> Theorem:
    """RISING for gq(l + 1), from T^{a,k}gq(n)(x, t) <= T^{a,k}gq(n)(x, u), given RISES of gq(n), t <= u."""
    condition = "And(0 <= t, t <= u)"
    now, then = image(iterate("n")), image(iterate("n"), time="u")
    ends = [f"MaxOver(a, {one})" for one in (now, then)]
    at = D.special(D.assume(steps), "n", "x")
    rows = [D.special(at, one) for one in ("t", "u")]
    least = [D.known("min", "t", ends[0]), D.known("min-right", "t", ends[0]), D.assume("t <= u")]

    def after(before: Theorem) -> Theorem:
        inner = D.mp(D.special(before, "y", "s", "v"), D.assume("And(0 <= s, s <= v)"))
        inner = D.all(D.imply(inner, "And(0 <= s, s <= v)"), "y", "s", "v")
        top = maximum(D, theorems.cut(inner, step), now, then)
        goal = "gq(n + 1, x, t) <= gq(n + 1, x, u)"
        found = either_way(D, D.known("min-cases", "u", ends[1]), goal, top, *rows, *least)
        for text in ("0 <= t", "t <= u"):
            found = theorems.cut(part(D, D.assume(condition), text), found)
        return D.all(D.imply(found, condition), "x", "t", "u")

    zeros = [D.special(D.assume(STARTS), "x", one) for one in ("t", "u")]
    first = D.all(D.imply(D.linear("gq(0, x, t) <= gq(0, x, u)", *zeros), condition), "x", "t", "u")
    says = f"All(x, All(t, All(u, Imp({condition}, gq(n, x, t) <= gq(n, x, u)))))"
    all_n = D.at(D.induction("n", says, first, after), n="l + 1")
    return in_range(D, D.special(all_n, "y", "s", "u"), "gq(l + 1, y, s) <= gq(l + 1, y, u)")


def half_cost(D: Derivation) -> Theorem:
    """ESTIMATES, BONUS, RATES, ROWS, SEEN, SMALL, RISING, 0 <= t ⊢ T^{a,k}u <= T^a u + (b + (α + tβ)/2)t."""
    conditions = [D.assume(one) for one in (ESTIMATES, RATES, ROWS, SEEN, SMALL, RISING, "0 <= t")]
    costs = D.mp(D.lemma("lem:optimism/halved/step"), *conditions)
    facts = [
        D.times(wait_high(D, HAT, estimate(D, RATES_LOW)), D.special(D.assume(BONUS), "x", "a")),
        D.times(radius(D), wait_low(D, HAT)),
        D.known("min", "t**2/2*gbe(x, a)", "t"),
        D.known("abs", _APART),
    ]
    return D.linear(f"{estimated('a', U)} <= {operator('a', U)} + {HALF.format(a='a')}", costs, *facts)


def half_step(D: Derivation) -> Theorem:
    """V̂ <= T^a V̂ + (b + (α + tβ)/2)t."""
    found = greedy(D, half_cost(D), iterates_rise(D))
    return D.imply(found, *ITERATION, RATES, ROWS, SEEN, GREEDY, WITHIN)


THEOREMS = {
    **STEP,
    **OPPOSITE,
    **{label: text for label, (text, _) in SLOPES_DERIVED.items()},
    "eq:error-vi/load": LOAD,
    "lem:optimism/halved/step": ERROR,
    "lem:optimism/halved": HALVED,
    "lem:v-v-continuoustime/halved/step": HALF_STEP,
}
