r"""Optimism with the sharp bonus: at every time it is at least what rate and jumps cost together.

The cost is linear in w(λ), and the ends of the confidence interval decide: where λ <= λ̂ and r is less than
α'/2 it is largest at λ̂, where it is not more than at the upper end.
"""

from __future__ import annotations

from proofs_checks.derivations.half_bonus import PLAIN, in_range, values_rise
from proofs_checks.derivations.iterations import BONUS, STARTS, STEPS, STOPPED
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
from proofs_checks.derivations.optimism import factor_low, limit, rate_radius, upward, waits_apart, waits_less
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
    zero, true = estimate(D, RATES_LOW), D.linear(f"0 <= {TRUE}", D.fact("rate"))
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


_AT_TRUE = slower(TRUE, "t", REACH), faster(TRUE, "t", REACH)
_AT_ENDS = slower(LOW, "t", REACH), faster(HIGH, "t", REACH)
_LARGER = f"Max({_AT_ENDS[0]}, {_AT_ENDS[1]})"
ENDS = chain(
    f"And(Imp({TRUE} <= {HAT}, {_AT_TRUE[0]} <= {_LARGER}), "
    f"Imp({HAT} <= {TRUE}, {_AT_TRUE[1]} <= {_LARGER}))",
    ESTIMATES,
    RATES,
    ROWS,
    "0 <= t",
)


def ends_decide(D: Derivation) -> Theorem:
    """Whatever λ is in the confidence interval, the cost is at most the larger one at the ends."""
    order, half = ends(D), f"{REACH}/2"
    spared = D.linear("0 <= 1 - r(x, a)", D.fact("reward-high"))
    larger = [D.known(name, *_AT_ENDS) for name in ("max", "max-right")]
    later = D.times(waits_less(D, HAT, HIGH, order["hat-high"]), spared)
    less, more = D.assume(f"{TRUE} <= {HAT}"), D.assume(f"{HAT} <= {TRUE}")
    goal = f"{_AT_TRUE[0]} <= {_LARGER}"

    def case(sign: Theorem, waiting: Theorem) -> Theorem:
        return D.linear(goal, D.times(waiting, sign), later, *larger)

    below = ordered(
        D,
        half,
        "r(x, a)",
        lambda one: case(
            D.linear(f"0 <= r(x, a) - {half}", one), waits_less(D, LOW, TRUE, order["low-true"])
        ),
        lambda one: case(D.linear(f"0 <= {half} - r(x, a)", one), waits_less(D, TRUE, HAT, less)),
    )
    end = D.times(waits_less(D, TRUE, HIGH, order["true-high"]), spared)
    above = D.linear(f"{_AT_TRUE[1]} <= {_LARGER}", end, *larger)
    both = theorems.both(D.imply(below, less.says), D.imply(above, more.says))
    return D.imply(both, ESTIMATES, RATES, ROWS, "0 <= t")


_HALVED = f"C*(H**2*gbe(x, a) + H*gal(x, a))/2*{wait(HAT, 'H')}"
_PAID = slower(LOW, "H", REACH), faster(HIGH, "H", REACH)
SIZE = chain(
    f"And({_PAID[0]} <= {_HALVED}, {_PAID[1]} <= {_HALVED})",
    ESTIMATES,
    RATES,
    ROWS,
)


def size(D: Derivation) -> Theorem:
    """Both costs at the ends, at t = H, are at most half of the printed bonus, times w(λ̂, H)."""
    order, enough = ends(D), _half_of_bonus(D)
    below, above = f"{HAT} - gbe(x, a)", f"{HAT} + gbe(x, a)"
    slow = D.linear(f"{HAT} - {LOW} <= gbe(x, a)", D.known("max", below, "0"))
    fast = D.linear(f"{HIGH} - {HAT} <= gbe(x, a)", D.known("min", above, "lmax"))
    spared = D.linear("1 - r(x, a) <= 1", D.fact("reward-low"))
    found = [
        D.linear(f"{cost} <= {_HALVED}", *_end_cost(D, rates, zero, less, near, share), enough)
        for cost, rates, zero, less, near, share in (
            (_PAID[0], (LOW, HAT), order["low"], order["low-hat"], slow, D.fact("reward-high")),
            (_PAID[1], (HAT, HIGH), estimate(D, RATES_LOW), order["hat-high"], fast, spared),
        )
    ]
    return D.imply(theorems.both(*found), ESTIMATES, RATES, ROWS)


def _end_cost(
    D: Derivation,
    rates: tuple[str, str],
    zero: Theorem,
    less: Theorem,
    near: Theorem,
    share: Theorem,
) -> list[Theorem]:
    """What bounds a cost at an end, at most (w(l) - w(m)) + (H - w(l))α/2 for rates l <= m."""
    low, high = rates
    apart, order = (
        _at_end(D, waits_apart(D, low, high, zero, less)),
        _at_end(D, waits_less(D, low, high, less)),
    )
    spent = D.linear(f"0 <= H - {wait(low, 'H')}", _at_end(D, wait_high(D, low, zero)))
    whole = D.times(share, D.linear(f"0 <= {wait(low, 'H')} - {wait(high, 'H')}", order))
    square = D.linear("0 <= H**2/2", D.known("square", "H"))
    jumps = D.times(D.known("min", "gal(x, a)", "2"), spent)
    return [whole, apart, D.times(near, square), jumps, D.times(_at_end(D, wait_low(D, low)), radius(D))]


def _half_of_bonus(D: Derivation) -> Theorem:
    """H²β + Hα <= C(H²β + Hα) w(λ̂, H)."""
    horizon, radii = D.linear("0 <= H", D.fact("horizon")), (rate_radius(D), radius(D))
    bonus = D.mp(
        D.lemma("lem:optimism/bonus", c="gbe(x, a)", d="gal(x, a)", t="H"),
        theorems.both(*radii),
        theorems.both(horizon, D.linear("H <= H")),
    )
    sizes = D.times(radii[0], D.known("square", "H")), D.times(radii[1], horizon)
    scale = D.times(D.linear("0 <= H**2*gbe(x, a) + H*gal(x, a)", *sizes), factor_low(D))
    longer = D.times(_at_end(D, waits_less(D, HAT, "lmax", estimate(D, RATES_HIGH))), scale)
    return D.linear(f"H**2*gbe(x, a) + H*gal(x, a) <= 2*{_HALVED}", bonus, longer)


def _at_end(D: Derivation, one: Theorem) -> Theorem:
    """At t = H, which is not negative."""
    return theorems.cut(D.linear("0 <= H", D.fact("horizon")), D.at(one, t="H"))


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


_PRINTED = "C*(H**2*gbe(x, a) + H*gal(x, a))"
_SHARP = f"Max({_PAID[0]}, {_PAID[1]})/{wait(HAT, 'H')}"
_MOST = f"All(x, All(a, gbon(x, a) <= {_PRINTED}/2))"
EXACT = chain(
    f"And({BONUS}, {ENOUGH}, {_MOST})",
    ESTIMATES,
    RATES,
    ROWS,
    f"All(x, All(a, gbon(x, a) == {_SHARP}))",
)


def exact(D: Derivation) -> Theorem:
    """The sharp bonus itself is not negative, enough, and at most half of the printed one."""
    sets = (ESTIMATES, RATES, ROWS, f"All(x, All(a, gbon(x, a) == {_SHARP}))")
    length, whole, larger = waits(D), wait(HAT, "H"), f"Max({_PAID[0]}, {_PAID[1]})"
    bonus = D.scaled(D.special(D.assume(sets[3]), "x", "a"), whole)
    unit = D.positive("inverse", whole, length)
    earned = D.linear(f"{_EARNED} == {larger}", bonus, D.scaled(unit, larger))
    tops = [D.known(name, *_PAID) for name in ("max", "max-right")]
    both = theorems.both(
        *(D.linear(one, top, earned) for one, top in zip((_SLOWER, _FASTER), tops, strict=True))
    )
    enough = D.all(both, "x", "a")
    sizes = D.mp(D.lemma("lem:optimism/sharp/size"), *map(D.assume, sets[:3]))
    most = either_way(
        D,
        D.known("max-cases", *_PAID),
        f"{larger} <= {_HALVED}",
        *(theorems.part(sizes, one) for one in sizes.says.parts),
    )
    share = D.times(
        D.linear(f"{_EARNED} <= {_HALVED}", most, earned), D.positive("inverse-positive", whole, length)
    )
    units = [D.scaled(unit, by) for by in ("gbon(x, a)", f"{_PRINTED}/2")]
    half = D.all(D.linear(f"gbon(x, a) <= {_PRINTED}/2", share, *units), "x", "a")
    return D.imply(theorems.both(theorems.cut(enough, bonus_low(D)), enough, half), *sets)


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
