r"""One step of ``lem:v-v-continuoustime``: what the greedy action costs in the true model.

With :math:`\hat V` the iterate that is returned and a the action that is best for it,

.. math:: \hat V \le \mathcal T^{a,k}\hat V \le \mathcal T^a\hat V + (b + \alpha + t\beta)\,t .
"""

from __future__ import annotations

from proofs_checks.derivations.iterations import BONUS, STARTS, STEPS, iterate, keeps_order
from proofs_checks.derivations.nearby import HAT, RATES, ROWS, chain, estimate, wait, wait_high
from proofs_checks.derivations.operators import ESTIMATES, RATES_LOW, WITHIN, U, applied, best, decays, part
from proofs_checks.derivations.optimism import THEOREMS as OPTIMISM
from proofs_checks.derivations.optimism import larger_error, within
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.values import SMALL
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

ITERATION = (ESTIMATES, BONUS, STARTS, STEPS)
_BEST = "gpi(x, t)"
_RETURNED = iterate("l + 1")
GREEDY = f"All(x, All(t, Imp({WITHIN}, {estimated(_BEST, _RETURNED)} == {best(_RETURNED)})))"
"""gpi is a best action for the iterate l + 1."""

REC = chain(f"gq(n + 1, x, t) <= {best(iterate('n + 1'))}", *ITERATION, "0 <= t")


def step_theorem(cost: str, *sets: str) -> str:
    """V̂ <= T^a V̂ + cost for the greedy action; the cost is a pattern of the action."""
    more = cost.format(a=_BEST)
    says = f"gq(l + 1, x, t) <= {operator(_BEST, _RETURNED)} + {more}"
    return chain(says, *ITERATION, *sets, GREEDY, WITHIN)


PRINTED = "(gbon(x, {a}) + gal(x, {a}) + t*gbe(x, {a}))*t"
STEP = step_theorem(PRINTED, RATES, ROWS)
AT_LEAST = "All(x, All(a, lmin <= glam(x, a)))"
SHORTER = "gbon(x, {a})*(1 - exp(-lmin*t))/lmin + (gal(x, {a}) + t*gbe(x, {a}))*t"
RAISED_STEP = step_theorem(SHORTER, RATES, ROWS, AT_LEAST)


def rec(D: Derivation) -> Theorem:
    """V̂_{n+1} <= max_a T^{a,k}V̂_{n+1}."""
    now, after = iterate("n"), iterate("n + 1")
    assumed = [D.assume(one) for one in ITERATION]
    inside = D.assume("And(0 <= s, s <= t)")
    rises = D.mp(D.lemma("eq:mono", x="y", t="s"), *assumed, part(D, inside, "0 <= s"))
    rises = part(D, rises, "gq(n, y, s) <= gq(n + 1, y, s)")
    order = keeps_order(D, now, after, D.all(D.imply(rises, "And(0 <= s, s <= t)"), "y", "s"))
    order = part(D, order, f"{best(now)} <= {best(after)}")
    step = D.special(assumed[3], "n", "x", "t")
    bound = D.linear(f"gq(n + 1, x, t) <= {best(after)}", step, order, D.known("min-right", "t", best(now)))
    return D.imply(bound, *ITERATION, "0 <= t")


def cost(D: Derivation, says: str, waits: Theorem) -> Theorem:
    """ESTIMATES, BONUS, RATES, ROWS, SMALL, 0 <= t ⊢ T^{a,k}u <= T^a u + bw + (α + tβ)t, ∫ exp(-λ̂s) <= w."""
    start, model, rates, rows = (D.assume(one) for one in ("0 <= t", ESTIMATES, RATES, ROWS))
    earned = D.mp(D.lemma("lem:optimism/reward"), model, rates, start)
    error = D.mp(D.lemma("lem:error-model"), model, rates, rows, D.assume(SMALL), start)
    error = theorems.part(error, larger_error(D, error))
    bonus = D.times(waits, D.special(D.assume(BONUS), "x", "a"))
    moduli = [D.known("abs", one.says.parts[0].parts[0]) for one in (earned, error)]
    return D.linear(
        f"{estimated('a', U)} <= {operator('a', U)} + {says.format(a='a')}", earned, error, bonus, *moduli
    )


def greedy(D: Derivation, costs: Theorem, *more: Theorem) -> Theorem:
    """V̂ <= T^a V̂ + cost for the greedy a, from T^{a,k}u <= T^a u + cost, given SMALL and more of V̂."""
    assumed = [D.assume(one) for one in ITERATION]
    inside, start = D.assume("And(0 <= s, s <= t)"), D.assume("0 <= t")
    bounds = D.mp(D.lemma("eq:mono", n="l + 1", x="y", t="s"), *assumed, part(D, inside, "0 <= s"))
    texts = ("0 <= gq(l + 1, y, s)", "gq(l + 1, y, s) <= s")
    small = theorems.both(*(part(D, bounds, one) for one in texts))
    small = D.all(D.imply(small, "And(0 <= s, s <= t)"), "y", "s")
    one = applied(D, costs, {"gu": ("y s", "gq(l + 1, y, s)")})
    for known in (small, *more):
        one = theorems.cut(known, one)
    one = D.at(one, a=_BEST)
    below = D.mp(D.lemma("eq:rec-Vk", n="l"), *assumed, start)
    equal = D.mp(D.special(D.assume(GREEDY), "x", "t"), theorems.both(start, D.assume("t <= H")))
    goal = terms.relation("<=", D.term("gq(l + 1, x, t)"), one.says.parts[1])
    return within(D, D.linear(goal, below, equal, one))


def step(D: Derivation) -> Theorem:
    """V̂ <= T^a V̂ + (b + α + tβ)t."""
    costs = cost(D, PRINTED, wait_high(D, HAT, estimate(D, RATES_LOW)))
    return D.imply(greedy(D, costs), *ITERATION, RATES, ROWS, GREEDY, WITHIN)


def raised_step(D: Derivation) -> Theorem:
    """V̂ <= T^a V̂ + b(1 - exp(-λmin t))/λmin + (α + tβ)t, for estimated rates of at least λmin."""
    least, positive = D.special(D.assume(AT_LEAST), "x", "a"), D.fact("lmin")
    sooner = D.integral(decays(D, D.times(least, D.assume("0 <= s"))), "s", "t")
    whole = D.scaled(D.primitive("s", "t", "-exp(-lmin*s)"), "1/lmin")
    unit = D.scaled(D.positive("inverse", "lmin", positive), "Int(s, t, exp(-lmin*s))")
    waits = D.linear(f"{wait(HAT)} <= (1 - exp(-lmin*t))/lmin", sooner, whole, unit)
    return D.imply(greedy(D, cost(D, SHORTER, waits)), *ITERATION, RATES, ROWS, AT_LEAST, GREEDY, WITHIN)


THEOREMS = {**OPTIMISM, "eq:rec-Vk": REC, "lem:v-v-continuoustime/step": STEP}
