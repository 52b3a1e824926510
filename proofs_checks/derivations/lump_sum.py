r"""The bonus as a lump sum of the remaining time: optimism, and what one greedy step costs.

B(t) is what the estimates cost in one step, and not more, so that
:math:`\mathcal T^aV \le \mathcal T^{a,k}V + B`; and the greedy action costs
:math:`\hat V - \mathcal T^a\hat V \le 2B`.
"""

from __future__ import annotations

from proofs_checks.derivations.half_bonus import THEOREMS as HALF
from proofs_checks.derivations.half_bonus import values_rise
from proofs_checks.derivations.iterations import STARTS, STOPPED, iterate
from proofs_checks.derivations.lump_iteration import (
    STEPS,
    best,
    keeps_order,
    load,
    lump,
    lumped,
    mono,
    rises,
)
from proofs_checks.derivations.model_error import radius
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROWS,
    SEEN,
    chain,
    estimate,
    wait,
    wait_high,
)
from proofs_checks.derivations.operators import (
    ESTIMATES,
    ORDERED,
    RATES_HIGH,
    RATES_LOW,
    ROWS_LOW,
    WITHIN,
    U,
    V,
    applied,
    part,
)
from proofs_checks.derivations.opposite import RISING
from proofs_checks.derivations.optimism import (
    concave,
    limit_of,
    rate_max,
    rate_radius,
    upward,
    values_small,
    waits_less,
    within,
)
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.sharp_bonus import REACH, reach
from proofs_checks.derivations.values import SMALL
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_SETS = (ESTIMATES, RATES, ROWS, SEEN)
_VALUES = "V(n, {y}, {s})"
OPTIMISM = chain(
    f"And({operator('a', _VALUES)} <= {lumped(_VALUES)}, V(n, x, t) <= gq(n, x, t), "
    "Vs(x, t) <= gq(l + 1, x, t) + e*lmax*t)",
    *_SETS,
    STARTS,
    STEPS,
    STOPPED,
    WITHIN,
)


def error(D: Derivation) -> Theorem:
    """The sets, SMALL, RISING, 0 <= t ⊢ |T^{a,k}u - T^a u| <= B."""
    lemma = D.instantiate(D.lemma("lem:optimism/halved/step"), "gal", "x a", REACH)
    conditions = [D.assume(one) for one in (SEEN, SMALL, RISING, "0 <= t")]
    return D.mp(lemma, D.assume(ESTIMATES), D.assume(RATES), reach(D), *conditions)


def covered(D: Derivation) -> Theorem:
    """The sets, SMALL, RISING, 0 <= t ⊢ T^a u <= T^{a,k}u + B."""
    near = error(D)
    return D.linear(f"{operator('a', U)} <= {lumped(U)}", near, D.known("abs-", near.says.parts[0].parts[0]))


def one_step(D: Derivation) -> Theorem:
    """The sets, SMALL, RISING, ORDERED, 0 <= t ⊢ T^a u <= T^{a,k}v + B."""
    model = D.assume(ESTIMATES)
    order = D.mp(
        D.lemma("eq:Qa/monotone"), part(D, model, RATES_LOW), part(D, model, ROWS_LOW), D.assume(ORDERED)
    )
    order = part(D, order, f"{estimated('a', U)} <= {estimated('a', V)}")
    return D.linear(f"{operator('a', U)} <= {lumped(V)}", covered(D), order)


def optimism(D: Derivation) -> Theorem:
    """T^aV*_n <= T^{a,k}V*_n + B, V*_n <= V̂_n, and V* <= V̂_{n_k} + ε λmax t."""
    rise = values_rise(D)
    below = upward(D, one_step(D), rise, steps=STEPS, image=lumped)
    top = limit_of(D, below, D.at(load(D), m="n"))
    step = applied(D, covered(D), {"gu": ("y s", "V(n, y, s)")})
    step = within(D, theorems.cut(rise, theorems.cut(values_small(D), step)))
    return D.imply(theorems.both(step, below, top), *_SETS, STARTS, STEPS, STOPPED, WITHIN)


# --- the greedy action --------------------------------------------------------------------------


def _greedy(text: str) -> str:
    """What is said of the action a, of gpi(x, t)."""
    return text.replace("(x, a", "(x, gpi(x, t)")


_RETURNED = iterate("l + 1")
GREEDY = f"All(x, All(t, Imp({WITHIN}, {_greedy(lumped(_RETURNED))} == {best(_RETURNED)})))"
_LEAST = "(1 - exp(-lmax*H))/(lmax*H)"
_PARTS = (
    f"gq(l + 1, x, t) <= {operator('a', _RETURNED)} + 2*({lump()})",
    f"2*({lump()}) <= t**2*gbe(x, a) + (t - {wait(HAT)})*gal(x, a)",
    f"2*({lump()}) <= t*(H*gbe(x, a) + (1 - {_LEAST})*gal(x, a))",
)
STEP = chain(f"And({', '.join(map(_greedy, _PARTS))})", *_SETS, STARTS, STEPS, GREEDY, WITHIN)


def _sizes(D: Derivation) -> tuple[Theorem, Theorem]:
    """2B <= t²β + (t - w)α <= t(Hβ + (1 - 1/κ)α), given 0 <= t <= H."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    rest = D.linear(f"0 <= t - {wait(HAT)}", wait_high(D, HAT, estimate(D, RATES_LOW)))
    jumps = D.times(D.known("min", "gal(x, a)", "2"), rest)
    first = D.linear(_PARTS[1], D.known("min", "t**2/2*gbe(x, a)", "t"), jumps)
    load_signs = [D.fact("horizon"), rate_max(D)]
    full = calculus.combine(
        D.setting, D.formula("0 < lmax*H"), load_signs, [(D.term("lmax"), 1), D.term("0")]
    )
    shorter = waits_less(D, HAT, "lmax", estimate(D, RATES_HIGH))
    horizon = D.times(shorter, D.linear("0 <= lmax*H", full))
    area = D.scaled(D.primitive("s", "t", "-exp(-lmax*s)"), "H")
    many = D.linear(f"t*(1 - exp(-lmax*H)) <= lmax*H*{wait(HAT)}", concave(D), area, horizon)
    share = D.times(many, D.positive("inverse-positive", "lmax*H", full))
    equal = D.scaled(D.positive("inverse", "lmax*H", full), wait(HAT))
    stays = D.times(D.linear(f"t*{_LEAST} <= {wait(HAT)}", share, equal), radius(D))
    rate = D.times(D.times(end, start), rate_radius(D))
    return first, D.linear(_PARTS[2], first, stays, rate)


def _recursion(D: Derivation, bounds: Theorem) -> Theorem:
    """V̂ <= max_a (T^{a,k}V̂ + B)."""
    before, now = iterate("l"), _RETURNED
    inside = D.mp(D.special(D.at(bounds, n="l"), "y", "s"), D.assume("0 <= s"))
    below = part(D, inside, "gq(l, y, s) <= gq(l + 1, y, s)")
    order = keeps_order(D, before, now, below)
    step = D.special(D.assume(STEPS), "l", "x", "t")
    goal = f"gq(l + 1, x, t) <= {best(now)}"
    return D.linear(goal, order, step, D.known("min-right", "t", best(before)))


def step(D: Derivation) -> Theorem:
    """V̂ <= T^aV̂ + 2B for the greedy action, and how large 2B is."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    near = applied(D, error(D), {"gu": ("y s", "gq(l + 1, y, s)")})
    inside = D.assume("And(0 <= s, s <= t)")
    bounds = mono(D)
    there = D.mp(D.special(D.at(bounds, n="l + 1"), "y", "s"), part(D, inside, "0 <= s"))
    texts = ("0 <= gq(l + 1, y, s)", "gq(l + 1, y, s) <= s")
    small = theorems.both(*(part(D, there, one) for one in texts))
    small = D.all(D.imply(small, "And(0 <= s, s <= t)"), "y", "s")
    near = theorems.cut(rises(D, bounds), theorems.cut(small, near))
    over = D.known("abs", near.says.parts[0].parts[0])
    cost = D.linear(f"{lumped(_RETURNED)} <= {operator('a', _RETURNED)} + 2*({lump()})", near, over)
    cost, *sizes = (D.at(one, a="gpi(x, t)") for one in (cost, *_sizes(D)))
    equal = D.mp(D.special(D.assume(GREEDY), "x", "t"), theorems.both(start, end))
    goal = terms.relation("<=", D.term("gq(l + 1, x, t)"), cost.says.parts[1])
    top = D.linear(goal, _recursion(D, bounds), equal, cost)
    return D.imply(within(D, theorems.both(top, *sizes)), *_SETS, STARTS, STEPS, GREEDY, WITHIN)


THEOREMS = {**HALF, "lem:optimism/lump-sum": OPTIMISM, "lem:v-v-continuoustime/lump-sum/step": STEP}
