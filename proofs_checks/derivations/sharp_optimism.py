r"""Optimism with the sharp bonus: at every time it is at least what rate and jumps cost together.

The cost is linear in w(λ), and the ends of the confidence interval decide: where λ <= λ̂ and r is less than
α'/2 it is largest at λ̂, where it is not more than at the upper end.
"""

from __future__ import annotations

from proofs_checks.derivations.half_bonus import PLAIN, in_range, values_rise
from proofs_checks.derivations.iterations import STARTS, STEPS, STOPPED
from proofs_checks.derivations.model_error import radius
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROWS,
    SEEN,
    TRUE,
    chain,
    either_way,
    estimate,
    ordered,
    wait,
    wait_high,
    wait_low,
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
    decays,
    part,
)
from proofs_checks.derivations.opposite import RISING, SLOPE
from proofs_checks.derivations.optimism import limit, rate_radius, upward, waits_less
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.sharp_bonus import REACH, faster, slower
from proofs_checks.derivations.sharp_bonus import THEOREMS as SHARP_COST
from proofs_checks.derivations.values import SMALL
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LOW = "Max(glam(x, a) - gbe(x, a), 0)"
HIGH = "Min(glam(x, a) + gbe(x, a), lmax)"
"""The ends of the confidence interval of the rate."""

_EARNED = f"gbon(x, a)*{wait(HAT, 'H')}"
_SLOWER, _FASTER = (f"{one} <= {_EARNED}" for one in (slower(LOW, "H", REACH), faster(HIGH, "H", REACH)))
ENOUGH = f"All(x, All(a, And({_SLOWER}, {_FASTER})))"
"""The bonus is at least the sharp one (both sides multiplied by w(λ̂, H) > 0)."""

_SETS = (ESTIMATES, RATES, ROWS, SEEN, ENOUGH)
SHARP = chain(
    "And(V(n, x, t) <= gq(n, x, t), Vs(x, t) <= gq(l + 1, x, t) + e*lmax*t)",
    *_SETS,
    STARTS,
    STEPS,
    STOPPED,
    WITHIN,
)


def ends(D: Derivation) -> dict[str, Theorem]:
    """0 <= λ̲ <= λ̂ <= λ̄ and λ̲ <= λ <= λ̄."""
    size, near, gap = rate_radius(D), D.special(D.assume(RATES), "x", "a"), f"{HAT} - {TRUE}"
    moduli = [near, D.known("abs", gap), D.known("abs-", gap)]
    zero, true = estimate(D, RATES_LOW), D.linear(f"0 <= {TRUE}", D.fact("lmin"), D.fact("rate-low"))
    top, true_top = estimate(D, RATES_HIGH), D.fact("rate-high")
    facts = [size, zero, true, top, true_top, *moduli]
    below, above = f"{HAT} - gbe(x, a)", f"{HAT} + gbe(x, a)"

    def either(goal: str, name: str, *of: str) -> Theorem:
        return either_way(D, D.known(name, *of), goal, *facts)

    return {
        "low": D.linear(f"0 <= {LOW}", D.known("max-right", below, "0")),
        "low-hat": either(f"{LOW} <= {HAT}", "max-cases", below, "0"),
        "low-true": either(f"{LOW} <= {TRUE}", "max-cases", below, "0"),
        "hat-high": either(f"{HAT} <= {HIGH}", "min-cases", above, "lmax"),
        "true-high": either(f"{TRUE} <= {HIGH}", "min-cases", above, "lmax"),
    }


def reach_low(D: Derivation) -> Theorem:
    """ROWS ⊢ 0 <= min{α, 2}."""
    size = radius(D)
    return either_way(D, D.known("min-cases", "gal(x, a)", "2"), f"0 <= {REACH}", size)


def waits(D: Derivation) -> Theorem:
    """ESTIMATES ⊢ 0 < w(λ̂, H)."""
    left = D.linear("0 <= H - s", D.assume("s <= H"))
    less = D.linear(f"{HAT}*s <= {HAT}*H", D.times(left, estimate(D, RATES_LOW)))
    area = D.integral(decays(D, less), "s", "H")
    horizon = D.fact("horizon")
    length = D.closed(D.primitive("s", "H", "s"), D.linear("0 <= H", horizon))
    decay = D.known("exp", f"-{HAT}*H")
    some = calculus.combine(
        D.setting, D.formula(f"0 < H*exp(-{HAT}*H)"), [decay, horizon], [(D.term("H"), 1), D.term("0")]
    )
    return D.linear(f"0 < {wait(HAT, 'H')}", area, D.scaled(length, f"exp(-{HAT}*H)"), some)


def pays(D: Derivation) -> tuple[Theorem, Theorem]:
    """The sets, 0 <= t <= H ⊢ both costs at the ends are at most b w(λ̂, t)."""
    order = ends(D)
    rates = theorems.both(order["low"], order["low-hat"], order["hat-high"], reach_low(D))
    time = D.lemma("lem:optimism/sharp/time", c=LOW, q=HAT, d=HIGH, e=REACH)
    time = D.mp(time, rates, theorems.both(D.assume("0 <= t"), D.assume("t <= H")))
    enough = D.special(D.assume(ENOUGH), "x", "a")
    length = waits(D)
    whole, found = wait(HAT, "H"), []
    one, share = D.positive("inverse", whole, length), D.positive("inverse-positive", whole, length)
    for cost_of, end, asked in ((slower, LOW, _SLOWER), (faster, HIGH, _FASTER)):
        now, full = cost_of(end, "t", REACH), cost_of(end, "H", REACH)
        rises = part(D, time, f"({now})*{whole} <= ({full})*{wait(HAT)}")
        paid = D.times(part(D, enough, asked), wait_low(D, HAT))
        goal = f"({now})*{whole} <= {_EARNED}*{wait(HAT)}"
        both = D.times(D.linear(goal, rises, paid), share)
        equal = [D.scaled(one, now), D.scaled(one, f"gbon(x, a)*{wait(HAT)}")]
        found.append(D.linear(f"{now} <= gbon(x, a)*{wait(HAT)}", both, *equal))
    return found[0], found[1]


def bonus_low(D: Derivation) -> Theorem:
    """ESTIMATES, RATES, ROWS, ENOUGH ⊢ the bonus is not negative."""
    asked = part(D, D.special(D.assume(ENOUGH), "x", "a"), _FASTER)
    order, length = ends(D), waits(D)
    horizon = D.linear("0 <= H", D.fact("horizon"))
    spared = D.linear("0 <= 1 - r(x, a)", D.fact("reward-high"))
    less = theorems.cut(horizon, D.at(waits_less(D, HAT, HIGH, order["hat-high"]), t="H"))
    below = theorems.cut(horizon, D.at(_wait_high(D), t="H"))
    facts = [D.times(less, spared), D.times(below, reach_low(D))]
    earned = D.linear(f"0 <= {_EARNED}", asked, *facts)
    whole = wait(HAT, "H")
    share = D.times(earned, D.positive("inverse-positive", whole, length))
    equal = D.scaled(D.positive("inverse", whole, length), "gbon(x, a)")
    return D.all(D.linear("0 <= gbon(x, a)", share, equal), "x", "a")


def _wait_high(D: Derivation) -> Theorem:
    return wait_high(D, HAT, estimate(D, RATES_LOW))


def one_step(D: Derivation) -> Theorem:
    """The sets, SMALL, RISING, SLOPE, ORDERED, 0 <= t <= H ⊢ T^a u <= T^{a,k} v."""
    model = D.assume(ESTIMATES)
    monotone = D.mp(
        D.lemma("eq:Qa/monotone"), part(D, model, RATES_LOW), part(D, model, ROWS_LOW), D.assume(ORDERED)
    )
    monotone = part(D, monotone, f"{estimated('a', U)} <= {estimated('a', V)}")
    conditions = [D.assume(one) for one in (ESTIMATES, ROWS, SEEN, SMALL, RISING, SLOPE, "0 <= t")]
    costs = D.mp(D.lemma("lem:optimism/sharp/cost"), *conditions)
    order, paid = ends(D), pays(D)
    spared = D.linear("0 <= 1 - r(x, a)", D.fact("reward-high"))
    later = waits_less(D, HAT, HIGH, order["hat-high"])
    goal = f"{operator('a', U)} <= {estimated('a', V)}"
    over = f"{operator('a', U)} <= {PLAIN} + "

    def below(less: Theorem) -> Theorem:
        cost = D.mp(part(D, costs, f"Imp({TRUE} <= {HAT}, {over}{slower(TRUE, 't', REACH)})"), less)
        inner = [waits_less(D, TRUE, HAT, less), waits_less(D, LOW, TRUE, order["low-true"])]

        def case(sign: Theorem, waiting: Theorem) -> Theorem:
            return D.linear(goal, cost, *paid, D.times(waiting, sign), D.times(later, spared), monotone)

        half = f"{REACH}/2"
        return ordered(
            D,
            half,
            "r(x, a)",
            lambda one: case(D.linear(f"0 <= r(x, a) - {half}", one), inner[1]),
            lambda one: case(D.linear(f"0 <= {half} - r(x, a)", one), inner[0]),
        )

    def above(less: Theorem) -> Theorem:
        cost = D.mp(part(D, costs, f"Imp({HAT} <= {TRUE}, {over}{faster(TRUE, 't', REACH)})"), less)
        end = D.times(waits_less(D, TRUE, HIGH, order["true-high"]), spared)
        return D.linear(goal, cost, *paid, end, monotone)

    return ordered(D, TRUE, HAT, below, above)


def slopes(D: Derivation) -> Theorem:
    """SLOPE for V(n)."""
    return in_range(D, D.lemma("lem:optimism/sharp/slope", x="y", t="s"), "V(n, y, u) <= V(n, y, s) + u - s")


def sharp(D: Derivation) -> Theorem:
    """V*_n <= V̂_n, and V* <= V̂_{n_k} + ε λmax t, with the sharp bonus."""
    below = upward(D, one_step(D), values_rise(D), slopes(D))
    top = theorems.cut(bonus_low(D), limit(D, below, "eq:error-vi/load"))
    return D.imply(theorems.both(below, top), *_SETS, STARTS, STEPS, STOPPED, WITHIN)


THEOREMS = {**SHARP_COST, "lem:optimism/sharp": SHARP}
