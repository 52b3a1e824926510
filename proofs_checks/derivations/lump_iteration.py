r"""The iteration with a lump sum in the place of the bonus.

:math:`B(t) = \min\{t^2\beta/2,\,t\} + (t-w(\hat\lambda,t))\min\{\alpha,2\}/2` is added to every action, where
a constant bonus would be paid along the holding time.  It is not negative and rises, so the iterates are
between 0 and t, rise with n and with t, and after the iteration has stopped move by at most
:math:`\epsilon\lambda_{\max}t`: the lump sums cancel in every difference.
"""

from __future__ import annotations

from proofs_checks.derivations.half_bonus import iteration_rises
from proofs_checks.derivations.halved_error import hat_density
from proofs_checks.derivations.iterations import FINISHED, STARTS, STOPPED, finished, iterate, shrinking
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROW_HAT,
    ROWS,
    chain,
    density,
    estimate,
    inside,
    wait,
    wait_high,
    wait_low,
)
from proofs_checks.derivations.operators import (
    ESTIMATES,
    RATES_HIGH,
    RATES_LOW,
    RHO,
    ROWS_LOW,
    WITHIN,
    applied,
    conditional,
    maximum,
    minimum,
    modulus,
    moved,
    part,
)
from proofs_checks.derivations.opposite import hat_row, least
from proofs_checks.derivations.optimism import ESTIMATED, rate_radius, within
from proofs_checks.derivations.sharp_bonus import REACH
from proofs_checks.derivations.sharp_optimism import reach_low
from proofs_checks.derivations.slopes import rising_step, shorter
from proofs_checks.derivations.values import POWER
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def lump(time: str = "t") -> str:
    """B at a remaining time."""
    return f"Min({time}**2/2*gbe(x, a), {time}) + {REACH}/2*({time} - {wait(HAT, time)})"


def lumped(values: str, time: str = "t") -> str:
    """T^{a,k}u + B, without another bonus."""
    at = values.format(y="y", s=f"{time} - s")
    jumps = f"Int(s, {time}, {density(HAT)}*SumOver(y, {ROW_HAT}*{at}))"
    return f"r(x, a)*{wait(HAT, time)} + {jumps} + {lump(time)}"


def best(values: str) -> str:
    """The largest of them."""
    return f"MaxOver(a, {lumped(values)})"


STEPS = f"All(n, All(x, All(t, gq(n + 1, x, t) == Min(t, {best(iterate('n'))}))))"
ITERATION = (ESTIMATES, RATES, ROWS, STARTS, STEPS)


def always(D: Derivation, theorem: Theorem) -> Theorem:
    """All(x, All(t, Imp(0 <= t, A)))."""
    return D.all(D.imply(theorem, "0 <= t"), "x", "t")


def lump_low(D: Derivation) -> Theorem:
    """ESTIMATES, RATES, ROWS, 0 <= t ⊢ 0 <= B."""
    return _lump_low(D, rate_radius(D), reach_low(D))


def _lump_low(D: Derivation, rates: Theorem, reach: Theorem) -> Theorem:
    """The same from 0 <= β and 0 <= min{α, 2}."""
    half = D.times(rates, D.linear("0 <= t**2/2", D.known("square", "t")))
    rate = least(D, "0", D.linear("0 <= t**2/2*gbe(x, a)", half), D.assume("0 <= t"))
    rest = D.linear(f"0 <= t - {wait(HAT)}", wait_high(D, HAT, estimate(D, RATES_LOW)))
    return D.linear(f"0 <= {lump()}", rate, D.times(rest, reach))


def _nonnegative(D: Derivation) -> Theorem:
    """All(x, All(t, Imp(0 <= t, 0 <= gq(n, x, t))))."""
    start, image = D.assume("0 <= t"), lumped(iterate("n"))
    now = D.special(D.assume(STEPS), "n", "x", "t")

    def step(before: Theorem) -> Theorem:
        value = D.mp(D.special(before, "y", "t - s"), inside(D)[0])
        jump = D.integral(D.times(D.over(D.times(value, hat_row(D)), "y"), hat_density(D)), "s", "t")
        earned = D.times(D.fact("reward-low"), wait_low(D, HAT))
        low = D.linear(f"0 <= {best(iterate('n'))}", jump, earned, lump_low(D), D.most("a", image, "a"))
        top = least(D, "0", start, low)
        return always(D, D.linear("0 <= gq(n + 1, x, t)", top, now))

    first = D.linear("0 <= gq(0, x, t)", D.special(D.assume(STARTS), "x", "t"))
    return D.induction("n", "All(x, All(t, Imp(0 <= t, 0 <= gq(n, x, t))))", always(D, first), step)


def keeps_order(D: Derivation, u: str, v: str, below: Theorem) -> Theorem:
    """u <= v on [0, t], given 0 <= s <= t ⊢ max_a (T^{a,k}u + B) <= max_a (T^{a,k}v + B)."""
    model = D.assume(ESTIMATES)
    bodies = {"gu": ("y s", u.format(y="y", s="s")), "gv": ("y s", v.format(y="y", s="s"))}
    order = D.mp(
        applied(D, D.lemma("eq:Qa/monotone"), bodies),
        part(D, model, RATES_LOW),
        part(D, model, ROWS_LOW),
        conditional(D, below, "y", "s"),
    )
    one = part(D, order, f"{ESTIMATED(u)} <= {ESTIMATED(v)}")
    return maximum(D, D.linear(f"{lumped(u)} <= {lumped(v)}", one), lumped(u), lumped(v))


def mono(D: Derivation) -> Theorem:
    """The iteration ⊢ 0 <= gq(n) <= gq(n + 1), gq(n) <= t, for all x and t."""
    start, steps = D.assume("0 <= t"), D.assume(STEPS)
    positive = D.mp(D.special(_nonnegative(D), "x", "t"), start)
    now, later = (D.special(steps, n, "x", "t") for n in ("n", "n + 1"))
    u, v = iterate("n"), iterate("n + 1")

    def step(before: Theorem) -> Theorem:
        below = D.mp(D.special(before, "y", "s"), D.assume("0 <= s"))
        order = minimum(D, keeps_order(D, u, v, below), "t", best(u), best(v))
        return always(D, D.linear("gq(n + 1, x, t) <= gq(n + 2, x, t)", order, now, later))

    first = D.linear(
        "gq(0, x, t) <= gq(1, x, t)", D.special(D.assume(STARTS), "x", "t"), D.at(positive, n="1")
    )
    says = "All(x, All(t, Imp(0 <= t, gq(n, x, t) <= gq(n + 1, x, t))))"
    rises = D.mp(D.special(D.induction("n", says, always(D, first), step), "x", "t"), start)
    below = D.linear("gq(n, x, t) <= t", rises, now, D.known("min", "t", best(u)))
    return always(D, theorems.both(positive, rises, below))


# --- it rises -----------------------------------------------------------------------------------


def _lump_rises(D: Derivation) -> Theorem:
    """ESTIMATES, RATES, ROWS, 0 <= t, t <= u ⊢ B(t) <= B(u)."""
    start, later = D.assume("0 <= t"), D.assume("t <= u")
    squares = D.times(D.linear("0 <= u - t", later), D.linear("0 <= u + t", start, later))
    halves = D.times(D.linear("t**2/2 <= u**2/2", squares), rate_radius(D))
    sides = "t**2/2*gbe(x, a)", "t"
    low, high = D.known("min", *sides), D.known("min-right", *sides)
    both = (
        D.linear(f"Min({sides[0]}, t) <= u**2/2*gbe(x, a)", low, halves),
        D.linear(f"Min({sides[0]}, t) <= u", high, later),
    )
    rate = least(D, f"Min({sides[0]}, t)", *both)
    decay = f"exp(-{HAT}*s)"
    small = D.closed(
        D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{HAT}*s"),
        D.times(estimate(D, RATES_LOW), D.assume("0 <= s")),
    )
    _, one = D.indicator("s <= t")
    rest = D.integral(D.times(small, D.linear("0 <= 1 - Ind(s <= t)", one)), "s", "u")
    lengths = [shorter(D, decay), shorter(D, "1"), D.primitive("s", "t", "s")]
    lengths.append(theorems.cut(D.linear("0 <= u", start, later), D.primitive("s", "u", "s")))
    time = D.linear(f"t - {wait(HAT)} <= u - {wait(HAT, 'u')}", rest, *lengths)
    return D.linear(f"{lump()} <= {lump('u')}", rate, D.times(time, reach_low(D)))


def rises(D: Derivation, bounds: Theorem) -> Theorem:
    """The iteration ⊢ RISING for gq(l + 1), with the bounds of ``mono``."""
    bound = D.mp(D.special(bounds, "y", "s"), D.assume("0 <= s"))
    positive = D.all(D.imply(part(D, bound, "0 <= gq(n, y, s)"), "0 <= s"), "y", "s")
    plain = D.instantiate(rising_step(D), "gbon", "x a", "0")
    plain = theorems.cut(D.all(D.linear("0 <= 0"), "x", "a"), plain)
    plain = theorems.cut(positive, D.instantiate(plain, "gu", "y s", "gq(n, y, s)"))
    values = iterate("n")
    step = D.linear(f"{lumped(values)} <= {lumped(values, time='u')}", plain, _lump_rises(D))
    return iteration_rises(D, step, STEPS, lumped)


# --- after it has stopped -----------------------------------------------------------------------


def _movement(D: Derivation, u: str, v: str, far: str, near: Theorem, size: Theorem) -> Theorem:
    """T^{a,k}u <= T^{a,k}v + ∫ λ̂ exp(-λ̂s) far(t - s) ds; near and size given 0 <= s <= t."""
    bodies = {"gf": ("s", far), "gu": ("y s", u.format(y="y", s="s")), "gv": ("y s", v.format(y="y", s="s"))}
    return D.closed(applied(D, moved(D), bodies), conditional(D, near, "y", "s"), conditional(D, size, "s"))


def _stopped(D: Derivation, state: str, time: str, horizon: Theorem) -> list[Theorem]:
    difference = f"gq(l + 1, {state}, {time}) - gq(l, {state}, {time})"
    there = D.mp(D.special(D.assume(STOPPED), state, time), horizon)
    return [there, D.known("abs", difference), D.known("abs-", difference)]


def load(D: Derivation) -> Theorem:
    """The iteration, STOPPED, 0 <= t <= H ⊢ gq(m) <= gq(l + 1) + e λmax t."""
    start, end, s0, s1 = (D.assume(text) for text in ("0 <= t", "t <= H", "0 <= s", "s <= t"))
    low, high = estimate(D, RATES_LOW), estimate(D, RATES_HIGH)
    size = D.linear("0 <= e", *_stopped(D, "x", "t", theorems.both(start, end)))
    load_size = D.times(D.linear("0 <= lmax", low, high), size)
    there = theorems.both(s0, D.linear("s <= H", s0, s1, end))
    time = D.scaled(D.primitive("s", "t", f"-(t - s)*exp(-{HAT}*s)"), "e*lmax")
    quick = D.times(high, D.times(wait_low(D, HAT), size))
    near = D.linear("gq(l + 1, y, s) <= gq(l, y, s) + e", *_stopped(D, "y", "s", there))
    once = _movement(D, iterate("l + 1"), iterate("l"), "e", near, size)
    steps, whole, more = D.assume(STEPS), D.times(load_size, start), "e*lmax*t"

    def step(before: Theorem) -> Theorem:
        near_m = D.mp(D.special(before, "y", "s"), there)
        later = _movement(D, iterate("m"), iterate("l + 1"), "e*lmax*s", near_m, D.times(load_size, s0))
        u, v = iterate("m"), iterate("l")
        one = D.linear(f"{lumped(u)} <= {lumped(v)} + {more}", once, later, time, quick)
        top = maximum(D, one, lumped(u), lumped(v), more)
        cutting = minimum(D, top, "t", best(u), best(v), whole, more=more)
        now, then = D.special(steps, "m", "x", "t"), D.special(steps, "l", "x", "t")
        found = D.linear(f"gq(m + 1, x, t) <= gq(l + 1, x, t) + {more}", cutting, now, then)
        return D.all(D.imply(within(D, found), WITHIN), "x", "t")

    positive = D.mp(D.special(D.at(_nonnegative(D), n="l + 1"), "x", "t"), start)
    zero = D.special(D.assume(STARTS), "x", "t")
    first = D.linear(f"gq(0, x, t) <= gq(l + 1, x, t) + {more}", zero, positive, whole)
    goal = f"All(x, All(t, Imp({WITHIN}, gq(m, x, t) <= gq(l + 1, x, t) + {more})))"
    start_m = D.all(D.imply(within(D, first), WITHIN), "x", "t")
    return D.mp(D.special(D.induction("m", goal, start_m, step), "x", "t"), D.assume(WITHIN))


# --- it stops -----------------------------------------------------------------------------------

_RADII = "All(x, All(a, And(0 <= gal(x, a), 0 <= gbe(x, a))))"
STOPS = chain(FINISHED, ESTIMATES, _RADII, STARTS, STEPS)


def _first(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= gq(1) <= t: a lump sum is not negative."""
    start, radii, zeros = D.assume("0 <= t"), D.special(D.assume(_RADII), "x", "a"), iterate("0")
    jumps, rates = (part(D, radii, f"0 <= {one}(x, a)") for one in ("gal", "gbe"))
    paid = _lump_low(D, rates, least(D, "0", jumps, D.linear("0 <= 2")))
    earned = D.times(D.fact("reward-low"), wait_low(D, HAT))
    none = D.over(D.scaled(D.special(D.assume(STARTS), "y", "t - s"), ROW_HAT), "y")
    after = D.integral(D.scaled(none, density(HAT)), "s", "t")
    low = D.linear(f"0 <= {best(zeros)}", earned, paid, after, D.most("a", lumped(zeros), "a"))
    step = D.special(D.assume(STEPS), "0", "x", "t")
    below = D.linear("gq(1, x, t) <= t", step, D.known("min", "t", best(zeros)))
    return D.linear("0 <= gq(1, x, t)", step, least(D, "0", start, low)), below


def stops(D: Derivation) -> Theorem:
    """Changes of at most ρⁿ H: the lump sums cancel, and T^{a,k} contracts."""
    later, before, more = "n + 2", "n + 1", f"{RHO}*{POWER}*H"
    now, then = (D.special(D.assume(STEPS), n, "x", "t") for n in ("n", "n + 1"))
    values = {later: iterate("n + 1"), before: iterate("n")}
    bodies = {"gu": ("y s", "gq(n + 1, y, s)"), "gv": ("y s", "gq(n, y, s)")}

    def step(close: Theorem) -> Theorem:
        lemma = applied(D, D.at(D.lemma("lem:optimism/contraction"), w=f"{POWER}*H"), bodies)
        near = D.mp(lemma, D.assume(ESTIMATES), close, D.assume(WITHIN))
        facts = [near, *(D.known(name, near.says.parts[0].parts[0]) for name in ("abs", "abs-"))]
        size, ways = D.linear(f"0 <= {more}", *facts), []
        for n, m in ((later, before), (before, later)):
            u, v = values[n], values[m]
            top = D.linear(f"{lumped(u)} <= {lumped(v)} + {more}", *facts)
            top = maximum(D, top, lumped(u), lumped(v), more)
            top = minimum(D, top, "t", best(u), best(v), size, more=more)
            ways.append(D.linear(f"gq({n}, x, t) <= gq({m}, x, t) + {more}", top, now, then))
        return modulus(D, *ways)

    return D.imply(finished(D, shrinking(D, *_first(D), step)), ESTIMATES, _RADII, STARTS, STEPS)
