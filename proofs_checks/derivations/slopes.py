r"""Values rise with the remaining time, by at most 1 per unit of it.

Let t <= u.  Under the integral up to u a jump at s <= t leaves t - s <= u - s, and a later one leaves nothing
of t: with :math:`1_{s\le t}` the indicator,

.. math:: 1_{s\le t}\,v(y,t-s) \le v(y,u-s) \le 1_{s\le t}\,(v(y,t-s) + u - t) + 1_{s>t}\,(u-s)

for a v that rises from 0 by at most 1 per unit; multiply by :math:`\lambda e^{-\lambda s}p(y)`, sum and
integrate.
"""

from __future__ import annotations

from proofs_checks.derivations.estimates import LEARNED_MODEL, learned_model
from proofs_checks.derivations.iterations import BONUS
from proofs_checks.derivations.operators import (
    ESTIMATES,
    RATES_LOW,
    ROWS_LOW,
    TRUE_MODEL,
    U,
    applied,
    maximum,
    part,
    true_model,
)
from proofs_checks.derivations.setting import estimated, learned, operator
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_LATER = "And(0 <= t, t <= u)"
_INSIDE = "And(0 <= s, s <= v)"
POSITIVE = "All(y, All(s, Imp(0 <= s, 0 <= gu(y, s))))"
RISES = f"All(y, All(s, All(v, Imp({_INSIDE}, gu(y, s) <= gu(y, v)))))"
_KERNEL = "{l}*exp(-{l}*s)"


def shorter(D: Derivation, body: str) -> Theorem:
    """t <= u ⊢ the integral up to t as one up to u."""
    whole = D.instantiate(D.fact("shorter"), "gf", "s", body)
    return D.mp(whole, D.assume("t <= u"))


def waits_longer(D: Derivation, rate: str) -> Theorem:
    """t <= u ⊢ ∫ exp(-λs) ds over [0, t] is at most that over [0, u]."""
    decay = D.known("exp", f"-{rate}*s")
    _, one = D.indicator("s <= t")
    longer = D.integral(D.times(one, decay), "s", "u")
    goal = f"Int(s, t, exp(-{rate}*s)) <= Int(s, u, exp(-{rate}*s))"
    return D.linear(goal, longer, shorter(D, f"exp(-{rate}*s)"))


def by_cases(D: Derivation, goal: str, yes: Theorem, no: Theorem) -> Theorem:
    """A goal with Ind(s <= t), from what holds if s <= t and what else."""
    return D.cases(
        "s <= t",
        lambda _: D.by_value(goal, [D.holds("s <= t")], yes),
        lambda _: D.by_value(goal, [D.fails("s <= t")], no),
    )


def rising_step(D: Derivation) -> Theorem:
    """ESTIMATES, BONUS, POSITIVE, RISES, t <= u ⊢ T^a v(x, t) <= T^a v(x, u)."""
    model, rate = D.assume(ESTIMATES), "glam(x, a)"
    low = D.special(part(D, model, RATES_LOW), "x", "a")
    row = D.special(part(D, model, ROWS_LOW), "x", "a", "y")
    end, later, early = (D.assume(text) for text in ("s <= u", "t <= u", "s <= t"))
    order = theorems.both(D.linear("0 <= t - s", early), D.linear("t - s <= u - s", later))
    rises = D.mp(D.special(D.assume(RISES), "y", "t - s", "u - s"), order)
    positive = D.mp(D.special(D.assume(POSITIVE), "y", "u - s"), D.linear("0 <= u - s", end))
    one = by_cases(D, "Ind(s <= t)*gu(y, t - s) <= gu(y, u - s)", rises, positive)
    kernel = D.times(low, D.known("exp", f"-{rate}*s"))
    jumps = D.integral(D.times(D.over(D.times(one, row), "y"), kernel), "s", "u")
    inner = f"{_KERNEL.format(l=rate)}*SumOver(y, gp(x, a, y)*gu(y, t - s))"
    reward = D.linear("0 <= r(x, a) + gbon(x, a)", D.fact("reward-low"), D.special(D.assume(BONUS), "x", "a"))
    earned = D.times(waits_longer(D, rate), reward)
    goal = f"{estimated('a', U)} <= {estimated('a', U, time='u')}"
    return D.linear(goal, jumps, shorter(D, inner), earned)


def _all_later(D: Derivation, theorem: Theorem) -> Theorem:
    condition = D.assume(_LATER)
    for text in ("0 <= t", "t <= u"):
        theorem = theorems.cut(part(D, condition, text), theorem)
    return D.all(D.imply(theorem, _LATER), "x", "t", "u")


def _rising(text: str) -> str:
    return f"All(x, All(t, All(u, Imp({_LATER}, {text.format(s='t')} <= {text.format(s='u')}))))"


# --- lem:optimism/rising ------------------------------------------------------------------------

VALUES_RISE = f"Imp({_LATER}, V(m, x, t) <= V(m, x, u))"
RISING = f"Imp({_LATER}, And(V(m, x, t) <= V(m, x, u), Vh(n, m, x, t) <= Vh(n, m, x, u)))"


def _inner(D: Derivation, before: Theorem) -> Theorem:
    """The induction hypothesis in the variables of RISES."""
    one = D.mp(D.special(before, "y", "s", "v"), D.assume(_INSIDE))
    return D.all(D.imply(one, _INSIDE), "y", "s", "v")


def values_rise(D: Derivation) -> Theorem:
    """V_m does not decrease in t."""
    no_bonus = D.all(D.linear("0 <= 0"), "x", "a")
    step = theorems.cut(true_model(D), applied(D, rising_step(D), TRUE_MODEL))
    step = D.instantiate(theorems.cut(no_bonus, step), "gu", "y s", "V(m, y, s)")
    bound = D.mp(D.lemma("lem:optimism/value-bound", n="m", x="y", t="s"), D.assume("0 <= s"))
    positive = D.all(D.imply(part(D, bound, "0 <= V(m, y, s)"), "0 <= s"), "y", "s")
    step = theorems.cut(positive, step)
    values = "V(m, {y}, {s})"

    def next_one(before: Theorem) -> Theorem:
        one = theorems.cut(_inner(D, before), step)
        top = maximum(D, one, operator("a", values), operator("a", values, time="u"))
        now, then = D.fact("V-step", n="m"), D.fact("V-step", n="m", t="u")
        return _all_later(D, D.linear("V(m + 1, x, t) <= V(m + 1, x, u)", top, now, then))

    first = D.linear("V(0, x, t) <= V(0, x, u)", D.fact("V-0"), D.fact("V-0", t="u"))
    found = D.induction("m", _rising("V(m, x, {s})"), _all_later(D, first), next_one)
    return D.special(found, "x", "t", "u")


def _learned_rise(D: Derivation) -> Theorem:
    """All x, t <= u: Vh(n, m, x, t) <= Vh(n, m, x, u)."""
    model, bonus = learned_model(D)
    step = applied(D, rising_step(D), LEARNED_MODEL)
    step = D.instantiate(theorems.cut(bonus, theorems.cut(model, step)), "gu", "y s", "Vh(n, m, y, s)")
    values, later = "Vh(n, m, {y}, {s})", D.assume("t <= u")
    sides = learned("a", values), learned("a", values, time="u")
    tops = [f"MaxOver(a, {one})" for one in sides]
    positive = _learned_positive(D)
    step = theorems.cut(positive, step)

    def next_one(before: Theorem) -> Theorem:
        top = maximum(D, theorems.cut(_inner(D, before), step), *sides)
        now, then = D.fact("Vh-step"), D.fact("Vh-step", t="u")
        low, high = D.known("min", "t", tops[0]), D.known("min-right", "t", tops[0])
        goal, facts = "Vh(n, m + 1, x, t) <= Vh(n, m + 1, x, u)", [top, now, then, low, high, later]
        least = D.split(
            D.known("min-cases", "u", tops[1]),
            lambda one: D.linear(goal, one, *facts),
            lambda one: D.linear(goal, one, *facts),
        )
        return _all_later(D, least)

    first = D.linear("Vh(n, 0, x, t) <= Vh(n, 0, x, u)", D.fact("Vh-0"), D.fact("Vh-0", t="u"))
    return D.induction("m", _rising("Vh(n, m, x, {s})"), _all_later(D, first), next_one)


def _learned_positive(D: Derivation) -> Theorem:
    """All(y, All(s, Imp(0 <= s, 0 <= Vh(n, m, y, s)))), from eq:mono."""
    one = mono_of_learner(D)
    one = D.mp(D.at(one, x="y", t="s"), D.assume("0 <= s"))
    return D.all(D.imply(part(D, one, "0 <= Vh(n, m, y, s)"), "0 <= s"), "y", "s")


def mono_of_learner(D: Derivation) -> Theorem:
    """Imp(0 <= t, And(0 <= Vh(n, m), Vh(n, m) <= Vh(n, m + 1), Vh(n, m) <= t)), from eq:mono."""
    model, bonus = learned_model(D)
    lemma = applied(D, D.at(D.lemma("eq:mono"), n="m"), {**LEARNED_MODEL, "gq": ("m x t", "Vh(n, m, x, t)")})
    starts, steps = D.all(D.fact("Vh-0"), "x", "t"), D.all(D.fact("Vh-step"), "m", "x", "t")
    return D.mp(lemma, model, bonus, starts, steps)


def rising(D: Derivation) -> Theorem:
    """V_m and V̂_m do not decrease in t."""
    both = D.lemma("lem:optimism/rising/values"), D.special(_learned_rise(D), "x", "t", "u")
    return D.imply(theorems.both(*(D.mp(one, D.assume(_LATER)) for one in both)), _LATER)


# --- lem:optimism/sharp/slope -------------------------------------------------------------------

SLOPE = f"Imp({_LATER}, V(n, x, u) <= V(n, x, t) + u - t)"
_SLOW = f"All(y, All(s, All(v, Imp({_INSIDE}, gu(y, v) <= gu(y, s) + v - s))))"
_SMALL = "All(y, All(s, Imp(0 <= s, gu(y, s) <= s)))"


def slope_step(D: Derivation) -> Theorem:
    """_SLOW, _SMALL, 0 <= t, t <= u ⊢ T^a v(x, u) <= T^a v(x, t) + u - t."""
    rate = "lam(x, a)"
    end, later, early, start = (D.assume(text) for text in ("s <= u", "t <= u", "s <= t", "0 <= t"))
    order = theorems.both(D.linear("0 <= t - s", early), D.linear("t - s <= u - s", later))
    slow = D.mp(D.special(D.assume(_SLOW), "y", "t - s", "u - s"), order)
    small = D.mp(D.special(D.assume(_SMALL), "y", "u - s"), D.linear("0 <= u - s", end))
    rest = "Ind(s <= t)*(u - t) + (1 - Ind(s <= t))*(u - s)"
    one = by_cases(D, f"gu(y, u - s) <= Ind(s <= t)*gu(y, t - s) + {rest}", slow, small)
    row = D.over(D.times(one, D.fact("jump-low")), "y")
    at = "SumOver(y, p(x, a, y)*gu(y, {} - s))"
    whole = D.scaled(D.fact("jump-sum"), rest)
    jumps = D.linear(f"{at.format('u')} <= Ind(s <= t)*{at.format('t')} + {rest}", row, whole)
    positive = D.linear(f"0 <= {rate}", D.fact("rate"))
    decay = f"exp(-{rate}*s)"
    moved = D.integral(D.times(jumps, D.times(positive, D.known("exp", f"-{rate}*s"))), "s", "u")
    cuts = [
        shorter(D, f"{rate}*{decay}*{at.format('t')}"),
        D.scaled(shorter(D, decay), f"{rate}*t"),
        D.scaled(shorter(D, f"s*{decay}"), rate),
    ]
    areas = [D.primitive("s", "t", f"-(t - s)*{decay}"), D.primitive("s", "u", f"-(u - s)*{decay}")]
    areas[1] = theorems.cut(D.linear("0 <= u", start, later), areas[1])
    less = D.times(waits_longer(D, rate), D.linear("0 <= 1 - r(x, a)", D.fact("reward-high")))
    goal = f"{operator('a', U, time='u')} <= {operator('a', U)} + u - t"
    return D.linear(goal, moved, *cuts, *areas, less)


def slope(D: Derivation) -> Theorem:
    """V_n(x, u) <= V_n(x, t) + u - t."""
    step = D.instantiate(slope_step(D), "gu", "y s", "V(n, y, s)")
    bound = D.mp(D.lemma("lem:optimism/value-bound", x="y", t="s"), D.assume("0 <= s"))
    small = [part(D, bound, one) for one in ("V(n, y, s) <= Vs(y, s)", "Vs(y, s) <= s")]
    small_one = D.all(D.imply(D.linear("V(n, y, s) <= s", *small), "0 <= s"), "y", "s")
    step = theorems.cut(small_one, step)
    values = "V(n, {y}, {s})"

    def next_one(before: Theorem) -> Theorem:
        one = theorems.cut(_inner(D, before), step)
        top = maximum(D, one, operator("a", values, time="u"), operator("a", values), "u - t")
        now, then = D.fact("V-step"), D.fact("V-step", t="u")
        return _all_later(D, D.linear("V(n + 1, x, u) <= V(n + 1, x, t) + u - t", top, now, then))

    first = D.linear(
        "V(0, x, u) <= V(0, x, t) + u - t", D.fact("V-0"), D.fact("V-0", t="u"), D.assume("t <= u")
    )
    says = f"All(x, All(t, All(u, Imp({_LATER}, V(n, x, u) <= V(n, x, t) + u - t))))"
    found = D.induction("n", says, _all_later(D, first), next_one)
    return D.special(found, "x", "t", "u")


DERIVED = {
    "lem:optimism/rising/values": (VALUES_RISE, values_rise),
    "lem:optimism/rising": (RISING, rising),
    "lem:optimism/sharp/slope": (SLOPE, slope),
}
