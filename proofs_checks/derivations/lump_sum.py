r"""The bonus as a lump sum of the remaining time: B(t), what the estimates cost in one step, and not more.

:math:`B(t) = \min\{t^2\beta/2,\,t\} + (t-w(\hat\lambda,t))\min\{\alpha,2\}/2` is added to every action where a
constant bonus would be paid along the holding time.  Iterated like this, values are optimistic; after the
iteration has stopped it moves by at most :math:`\epsilon\lambda_{\max}t`, for the lump sums cancel in every difference.
"""

from __future__ import annotations

from proofs_checks.derivations.half_bonus import COST, PLAIN, values_rise
from proofs_checks.derivations.half_bonus import THEOREMS as HALF
from proofs_checks.derivations.halved_error import hat_density
from proofs_checks.derivations.iterations import STARTS, STOPPED, iterate
from proofs_checks.derivations.nearby import HAT, RATES, ROWS, SEEN, chain, estimate, inside, wait, wait_high, wait_low
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
    maximum,
    minimum,
    moved,
    part,
)
from proofs_checks.derivations.operators import conditional as on_the_range
from proofs_checks.derivations.opposite import RISING, hat_row, least
from proofs_checks.derivations.optimism import limit_of, rate_radius, upward, values_small, within
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.sharp_bonus import REACH, reach
from proofs_checks.derivations.sharp_optimism import reach_low
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LUMP = COST.replace("gal(x, a)", REACH)


def lumped(values: str) -> str:
    """T^{a,k}u + B, without another bonus."""
    return f"{PLAIN.replace('gu(y, t - s)', values.format(y='y', s='t - s'))} + {LUMP}"


def _cut(values: str) -> str:
    return f"Min(t, MaxOver(a, {lumped(values)}))"


STEPS = f"All(n, All(x, All(t, gq(n + 1, x, t) == {_cut(iterate('n'))})))"
_ITERATION = (ESTIMATES, RATES, ROWS, STARTS, STEPS)
_SETS = (ESTIMATES, RATES, ROWS, SEEN)
OPTIMISM = chain(
    f"And({operator('a', 'V(n, {y}, {s})')} <= {lumped('V(n, {y}, {s})')}, V(n, x, t) <= gq(n, x, t), "
    "Vs(x, t) <= gq(l + 1, x, t) + e*lmax*t)",
    *_SETS,
    STARTS,
    STEPS,
    STOPPED,
    WITHIN,
)


def error(D: Derivation) -> Theorem:  # noqa: N803
    """The sets, SMALL, RISING, 0 <= t ⊢ |T^{a,k}u - T^a u| <= B."""
    lemma = D.instantiate(D.lemma("lem:optimism/halved/step"), "gal", "x a", REACH)
    conditions = [D.assume(one) for one in (SEEN, SMALL, RISING, "0 <= t")]
    return D.mp(lemma, D.assume(ESTIMATES), D.assume(RATES), reach(D), *conditions)


def covered(D: Derivation) -> Theorem:  # noqa: N803
    """The sets, SMALL, RISING, 0 <= t ⊢ T^a u <= T^{a,k}u + B."""
    near = error(D)
    return D.linear(f"{operator('a', U)} <= {lumped(U)}", near, D.known("abs-", near.says.parts[0].parts[0]))


def one_step(D: Derivation) -> Theorem:  # noqa: N803
    """The sets, SMALL, RISING, ORDERED, 0 <= t ⊢ T^a u <= T^{a,k}v + B."""
    model = D.assume(ESTIMATES)
    order = D.mp(
        D.lemma("eq:Qa/monotone"), part(D, model, RATES_LOW), part(D, model, ROWS_LOW), D.assume(ORDERED)
    )
    order = part(D, order, f"{estimated('a', U)} <= {estimated('a', V)}")
    return D.linear(f"{operator('a', U)} <= {lumped(V)}", covered(D), order)


# --- the iteration ------------------------------------------------------------------------------


def lump_low(D: Derivation) -> Theorem:  # noqa: N803
    """ESTIMATES, RATES, ROWS, 0 <= t ⊢ 0 <= B."""
    start, size = D.assume("0 <= t"), rate_radius(D)
    half = D.linear("0 <= t**2/2*gbe(x, a)", D.times(size, D.linear("0 <= t**2/2", D.known("square", "t"))))
    rate = least(D, "0", half, start)
    rest = D.linear(f"0 <= t - {wait(HAT)}", wait_high(D, HAT, estimate(D, RATES_LOW)))
    return D.linear(f"0 <= {LUMP}", rate, D.times(rest, reach_low(D)))


def _always(D: Derivation, theorem: Theorem) -> Theorem:  # noqa: N803
    return D.all(D.imply(theorem, "0 <= t"), "x", "t")


def nonnegative(D: Derivation) -> Theorem:  # noqa: N803
    """All(x, All(t, Imp(0 <= t, 0 <= gq(n, x, t))))."""
    start, image = D.assume("0 <= t"), lumped(iterate("n"))
    now = D.special(D.assume(STEPS), "n", "x", "t")

    def step(before: Theorem) -> Theorem:
        value = D.mp(D.special(before, "y", "t - s"), inside(D)[0])
        jump = D.integral(D.times(D.over(D.times(value, hat_row(D)), "y"), hat_density(D)), "s", "t")
        earned = D.times(D.fact("reward-low"), wait_low(D, HAT))
        low = D.linear(f"0 <= MaxOver(a, {image})", jump, earned, lump_low(D), D.most("a", image, "a"))
        goal = "0 <= gq(n + 1, x, t)"
        end = D.split(
            D.known("min-cases", "t", f"MaxOver(a, {image})"),
            lambda one: D.linear(goal, one, now, low, start),
            lambda one: D.linear(goal, one, now, low, start),
        )
        return _always(D, end)

    first = D.linear("0 <= gq(0, x, t)", D.special(D.assume(STARTS), "x", "t"))
    return D.induction("n", "All(x, All(t, Imp(0 <= t, 0 <= gq(n, x, t))))", _always(D, first), step)


def _movement(D: Derivation, u: str, v: str, far: str, near: Theorem, size: Theorem) -> Theorem:  # noqa: N803
    """T^{a,k}u <= T^{a,k}v + ∫ λ̂ exp(-λ̂s) far(t - s) ds; near and size given 0 <= s <= t."""
    bodies = {"gf": ("s", far), "gu": ("y s", u.format(y="y", s="s")), "gv": ("y s", v.format(y="y", s="s"))}
    return D.closed(applied(D, moved(D), bodies), on_the_range(D, near, "y", "s"), on_the_range(D, size, "s"))


def _stopped(D: Derivation, state: str, time: str, within_horizon: Theorem) -> list[Theorem]:  # noqa: N803
    difference = f"gq(l + 1, {state}, {time}) - gq(l, {state}, {time})"
    there = D.mp(D.special(D.assume(STOPPED), state, time), within_horizon)
    return [there, D.known("abs", difference), D.known("abs-", difference)]


def load(D: Derivation) -> Theorem:  # noqa: N803
    """The iteration, STOPPED, 0 <= t <= H ⊢ gq(m) <= gq(l + 1) + e λmax t."""
    start, end, s0, s1 = (D.assume(text) for text in ("0 <= t", "t <= H", "0 <= s", "s <= t"))
    horizon, more = theorems.both(start, end), "e*lmax*t"
    low, high = estimate(D, RATES_LOW), estimate(D, RATES_HIGH)
    size = D.linear("0 <= e", *_stopped(D, "x", "t", horizon))
    load_size = D.times(D.linear("0 <= lmax", low, high), size)
    there = theorems.both(s0, D.linear("s <= H", s0, s1, end))
    time = D.scaled(D.primitive("s", "t", f"-(t - s)*exp(-{HAT}*s)"), "e*lmax")
    quick = D.times(high, D.times(wait_low(D, HAT), size))
    near = D.linear("gq(l + 1, y, s) <= gq(l, y, s) + e", *_stopped(D, "y", "s", there))
    once = _movement(D, iterate("l + 1"), iterate("l"), "e", near, size)
    steps, whole = D.assume(STEPS), D.times(load_size, start)

    def step(before: Theorem) -> Theorem:
        near_m = D.mp(D.special(before, "y", "s"), there)
        later = _movement(D, iterate("m"), iterate("l + 1"), "e*lmax*s", near_m, D.times(load_size, s0))
        u, v = lumped(iterate("m")), lumped(iterate("l"))
        one = D.linear(f"{u} <= {v} + {more}", once, later, time, quick)
        top = maximum(D, one, u, v, more)
        cutting = minimum(D, top, "t", f"MaxOver(a, {u})", f"MaxOver(a, {v})", whole, more=more)
        now, then = D.special(steps, "m", "x", "t"), D.special(steps, "l", "x", "t")
        found = D.linear(f"gq(m + 1, x, t) <= gq(l + 1, x, t) + {more}", cutting, now, then)
        return D.all(D.imply(within(D, found), WITHIN), "x", "t")

    positive = D.mp(D.special(D.at(nonnegative(D), n="l + 1"), "x", "t"), start)
    first = D.linear(
        f"gq(0, x, t) <= gq(l + 1, x, t) + {more}", D.special(D.assume(STARTS), "x", "t"), positive, whole
    )
    goal = f"All(x, All(t, Imp({WITHIN}, gq(m, x, t) <= gq(l + 1, x, t) + {more})))"
    start_m = D.all(D.imply(within(D, first), WITHIN), "x", "t")
    return D.mp(D.special(D.induction("m", goal, start_m, step), "x", "t"), D.assume(WITHIN))


def optimism(D: Derivation) -> Theorem:  # noqa: N803
    """T^aV*_n <= T^{a,k}V*_n + B, V*_n <= V̂_n, and V* <= V̂_{n_k} + ε λmax t."""
    rise = values_rise(D)
    below = upward(D, one_step(D), rise, steps=STEPS, image=lumped)
    top = limit_of(D, below, D.at(load(D), m="n"))
    return D.imply(theorems.both(step_at_values(D, rise), below, top), *_SETS, STARTS, STEPS, STOPPED, WITHIN)


def step_at_values(D: Derivation, rise: Theorem) -> Theorem:  # noqa: N803
    """The sets, 0 <= t <= H ⊢ T^a V(n) <= T^{a,k}V(n) + B."""
    one = applied(D, covered(D), {"gu": ("y s", "V(n, y, s)")})
    return within(D, theorems.cut(rise, theorems.cut(values_small(D), one)))


THEOREMS = {**HALF, "lem:optimism/lump-sum": OPTIMISM}
