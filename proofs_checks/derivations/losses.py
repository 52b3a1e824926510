r"""``lem:v-v-continuoustime`` and its variants: V* - V^π is paid along the path, up to the stopping error.

Optimism gives :math:`V^* \le \hat V + \epsilon\lambda_{\max}t` (or :math:`\epsilon e^{\lambda_{\max}H}`), one
greedy step :math:`\hat V \le \mathcal T^\pi\hat V + c`, and the costs are summed along the path.
"""

from __future__ import annotations

from proofs_checks.derivations import half_bonus, lump_sum, optimism, sharp_optimism
from proofs_checks.derivations.greedy_step import GREEDY, PRINTED
from proofs_checks.derivations.half_bonus import HALF
from proofs_checks.derivations.iterations import STARTS, STEPS, STOPPED
from proofs_checks.derivations.lump_iteration import STEPS as LUMP_STEPS
from proofs_checks.derivations.lump_iteration import lump, lump_low, mono
from proofs_checks.derivations.model_error import radius
from proofs_checks.derivations.nearby import HAT, RATES, ROWS, SEEN, chain, wait_low
from proofs_checks.derivations.operators import ESTIMATES, WITHIN, applied, part
from proofs_checks.derivations.optimism import rate_radius
from proofs_checks.derivations.path_costs import BEST, PAID, POLICY, everywhere, path
from proofs_checks.derivations.path_costs import THEOREMS as SUMMED
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def loss_theorem(cost: str, error: str, *conditions: str) -> str:
    """V* <= V^π + the cost of a path + the stopping error."""
    return chain(f"Vs(x, t) <= gv(x, t) + {PAID} + {error}", *conditions, POLICY, path(cost), WITHIN)


_COMMON = (ESTIMATES, RATES, ROWS)
_SETS = {
    "printed": (*_COMMON, optimism.ENOUGH, STARTS, STEPS, STOPPED, GREEDY),
    "halved": (*_COMMON, SEEN, half_bonus.ENOUGH, STARTS, STEPS, STOPPED, GREEDY),
    "sharp": (*_COMMON, SEEN, sharp_optimism.ENOUGH, STARTS, STEPS, STOPPED, GREEDY),
    "lump": (*_COMMON, SEEN, STARTS, LUMP_STEPS, STOPPED, lump_sum.GREEDY),
}
_COST = {
    "printed": PRINTED.format(a=BEST),
    "halved": HALF.format(a=BEST),
    "sharp": HALF.format(a=BEST),
    "lump": f"2*({lump()})".replace("(x, a", f"(x, {BEST}"),
}
LOSS = loss_theorem(_COST["printed"], "e*exp(lmax*H)", *_SETS["printed"])
HALVED_LOSS = loss_theorem(_COST["halved"], "e*lmax*t", *_SETS["halved"])
SHARP_LOSS = loss_theorem(_COST["sharp"], "e*lmax*t", *_SETS["sharp"])
LUMP_LOSS = loss_theorem(_COST["lump"], "e*lmax*t", *_SETS["lump"])


def _paid(
    D: Derivation, cost: str, step: Theorem, small: Theorem, costs: Theorem, most: str, sign: Theorem
) -> Theorem:
    """POLICY, path, 0 <= t <= H ⊢ V̂ <= V^π + the cost of the path.

    Given 0 <= t <= H: ``step`` is V̂ <= T^π V̂ + c, ``small`` V̂ <= t, ``costs`` 0 <= c <= most t; 0 <= most.
    """
    lemma = D.at(D.lemma("lem:v-v-continuoustime/summed"), q=most)
    lemma = applied(D, lemma, {"gu": ("x t", "gq(l + 1, x, t)"), "gw": ("x t", cost)})
    loses, bounded = everywhere(D, theorems.both(small, step)), everywhere(D, costs)
    return D.mp(lemma, loses, D.assume(POLICY), D.assume(path(cost)), bounded, sign, D.assume(WITHIN))


def _lost(D: Derivation, below: Theorem, paid: Theorem) -> Theorem:
    """V* <= V^π + the cost + the error, from V* <= V̂ + the error and V̂ <= V^π + the cost."""
    hat = D.term("gq(l + 1, x, t)")
    more = terms.sub(below.says.parts[1], hat)
    goal = terms.relation("<=", D.term("Vs(x, t)"), terms.add(paid.says.parts[1], more))
    return D.linear(goal, below, paid)


def _constant(D: Derivation, kind: str, optimistic: str, one_step: str, bonus: Theorem) -> Theorem:
    """The variants with a bonus that is paid along the holding time."""
    conditions = _SETS[kind]
    start, end, sets = D.assume("0 <= t"), D.assume("t <= H"), {one: D.assume(one) for one in conditions}
    horizon = theorems.both(start, end)
    seen = [sets[SEEN]] if SEEN in sets else []
    model, rates, rows, starts, steps = (sets[one] for one in (ESTIMATES, RATES, ROWS, STARTS, STEPS))
    step = D.mp(D.lemma(one_step), model, bonus, starts, steps, rates, rows, *seen, sets[GREEDY], horizon)
    order = D.mp(D.lemma("eq:mono", n="l + 1"), model, bonus, starts, steps, start)
    small = part(D, order, "gq(l + 1, x, t) <= t")
    every = "gbon(x, a) + gal(x, a) + H*gbe(x, a)"
    size = [D.special(bonus, "x", "a"), radius(D), rate_radius(D)]
    longer = D.times(end, size[2])
    signs = [D.times(one, start) for one in size]
    share = D.linear(f"0 <= {every}", *size, D.times(size[2], D.linear("0 <= H", D.fact("horizon"))))
    most = f"MaxOver(x, MaxOver(a, {every}))"
    tops = [D.most("a", every, "a"), D.most("x", f"MaxOver(a, {every})", "x")]
    cost = _COST[kind]
    facts = [*signs, *(D.times(one, start) for one in signs), D.times(longer, start)]
    facts += [D.times(D.linear(f"{every} <= {most}", *tops), start)]
    here = [D.at(one, a=BEST) for one in facts]
    both = theorems.both(D.linear(f"0 <= {cost}", *here), D.linear(f"{cost} <= ({most})*t", *here))
    positive = D.linear(f"0 <= {most}", share, *tops)
    paid = _paid(D, cost, step, small, both, most, positive)
    below = D.mp(D.lemma(optimistic), *(sets[one] for one in conditions if one != GREEDY), D.assume(WITHIN))
    return D.imply(_lost(D, _upper(D, below), paid), *conditions, POLICY, path(cost), WITHIN)


def _upper(D: Derivation, theorem: Theorem) -> Theorem:
    """What is said of V*."""
    if theorem.says.tag != "And":
        return theorem
    (one,) = [part for part in theorem.says.parts if part.parts[0] is D.term("Vs(x, t)")]
    return theorems.part(theorem, one)


def loss(D: Derivation) -> Theorem:
    """V* <= V^π + Σ E(b + α + uβ)u + ε exp(λmax H)."""
    return _constant(D, "printed", "lem:optimism", "lem:v-v-continuoustime/step", optimism.bonus_low(D))


def halved_loss(D: Derivation) -> Theorem:
    """V* <= V^π + Σ E(b + (α + uβ)/2)u + ε λmax t, with half of the bonus."""
    bonus = optimism.bonus_low(D, half_bonus.ENOUGH)
    return _constant(D, "halved", "lem:optimism/halved", "lem:v-v-continuoustime/halved/step", bonus)


def sharp_loss(D: Derivation) -> Theorem:
    """The same with the sharp bonus."""
    bonus = sharp_optimism.bonus_low(D)
    return _constant(D, "sharp", "lem:optimism/sharp", "lem:v-v-continuoustime/halved/step", bonus)


def lump_loss(D: Derivation) -> Theorem:
    """V* <= V^π + Σ E 2B(u) + ε λmax t, with the lump sum."""
    conditions, cost = _SETS["lump"], _COST["lump"]
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    sets = {one: D.assume(one) for one in conditions}
    known = [sets[one] for one in (ESTIMATES, RATES, ROWS, SEEN, STARTS, LUMP_STEPS)]
    steps = D.mp(
        D.lemma("lem:v-v-continuoustime/lump-sum/step"),
        *known,
        sets[lump_sum.GREEDY],
        theorems.both(start, end),
    )
    (step,) = [one for one in steps.says.parts if one.parts[0] is D.term("gq(l + 1, x, t)")]
    bounds = D.mp(D.special(D.at(mono(D), n="l + 1"), "x", "t"), start)
    reach = D.times(D.known("min-right", "gal(x, a)", "2"), start)
    waits = D.times(wait_low(D, HAT), sharp_optimism.reach_low(D))
    facts = [lump_low(D), D.known("min-right", "t**2/2*gbe(x, a)", "t"), reach, waits]
    here = [D.at(one, a=BEST) for one in facts]
    costs = theorems.both(D.linear(f"0 <= {cost}", *here), D.linear(f"{cost} <= 4*t", *here))
    small = part(D, bounds, "gq(l + 1, x, t) <= t")
    paid = _paid(D, cost, theorems.part(steps, step), small, costs, "4", D.linear("0 <= 4"))
    below = D.mp(D.lemma("lem:optimism/lump-sum"), *known, sets[STOPPED], D.assume(WITHIN))
    return D.imply(_lost(D, _upper(D, below), paid), *conditions, POLICY, path(cost), WITHIN)


THEOREMS = {
    **SUMMED,
    **sharp_optimism.THEOREMS,
    **lump_sum.THEOREMS,
    "lem:v-v-continuoustime": LOSS,
    "lem:v-v-continuoustime/halved": HALVED_LOSS,
    "lem:v-v-continuoustime/sharp": SHARP_LOSS,
    "lem:v-v-continuoustime/lump-sum": LUMP_LOSS,
}
