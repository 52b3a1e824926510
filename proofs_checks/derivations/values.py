r"""The values of the model: bounds, the iteration, the fixed point, and every policy.

:math:`V^*` is defined as the limit of :math:`V_{n+1} = GV_n`, :math:`V_0 = 0`.  That it is the optimal value is
derived: :math:`V^* = GV^*`, no other bounded function satisfies this, no policy earns more, and
a policy that maximises :math:`\mathcal T^aV^*` earns it.  No theorem about integrals of limits is needed: the
distance of :math:`V_n` from :math:`V^*` is at most :math:`\varrho^nH`, everywhere at once.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import (
    TRUE_MODEL,
    U,
    at_most_in,
    maximum,
    part,
    true_model,
)
from proofs_checks.derivations.setting import operator
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

VN = "V(n, {y}, {s})"

# --- one step keeps 0 <= u <= t ------------------------------------------------------------------

SMALL = "All(y, All(s, Imp(And(0 <= s, s <= t), And(0 <= gu(y, s), gu(y, s) <= s))))"


def waiting(D: Derivation, rate: str) -> Theorem:
    """0 <= ∫ exp(-λs) ds."""
    return D.integral(D.known("exp", f"-{rate}*s"), "s", "t")


def small_step(D: Derivation) -> tuple[Theorem, Theorem]:
    """SMALL, 0 <= t ⊢ 0 <= T^a u, and T^a u <= t."""
    rate, row = "lam(x, a)", D.fact("jump-low")
    small = at_most_in(D, "t", D.assume(SMALL))
    low, high = (part(D, small, one) for one in ("0 <= gu(y, t - s)", "gu(y, t - s) <= t - s"))
    positive = D.linear(f"0 <= {rate}", D.fact("lmin"), D.fact("rate-low"))
    kernel = D.times(positive, D.known("exp", f"-{rate}*s"))
    below, above = (
        D.integral(D.times(D.over(D.times(one, row), "y"), kernel), "s", "t") for one in (low, high)
    )
    wait = waiting(D, rate)
    earned = D.times(D.fact("reward-low"), wait)
    less = D.times(D.fact("reward-high"), wait)
    time = D.primitive("s", "t", f"-(t - s)*exp(-{rate}*s)")
    jumps = D.scaled(D.fact("jump-sum"), f"Int(s, t, {rate}*exp(-{rate}*s)*(t - s))")
    lower = D.linear(f"0 <= {operator('a', U)}", below, earned)
    upper = D.linear(f"{operator('a', U)} <= t", above, less, time, jumps)
    return lower, upper


# --- lem:optimism/value-bound -------------------------------------------------------------------

_BOUNDED = "All(x, All(t, Imp(0 <= t, And(0 <= V(n, x, t), V(n, x, t) <= t))))"
VALUE_BOUND = "Imp(0 <= t, And(0 <= V(n, x, t), V(n, x, t) <= Vs(x, t), Vs(x, t) <= t))"


def bounded_iterates(D: Derivation) -> Theorem:
    """0 <= V_n <= t."""
    start, zero = D.assume("0 <= t"), D.fact("V-0")
    first = theorems.both(D.linear("0 <= V(0, x, t)", zero), D.linear("V(0, x, t) <= t", zero, start))

    def step(before: Theorem) -> Theorem:
        inside = part(D, D.assume("And(0 <= s, s <= t)"), "0 <= s")
        small = D.mp(D.special(before, "y", "s"), inside)
        small = D.all(D.imply(small, "And(0 <= s, s <= t)"), "y", "s")
        sides = [D.instantiate(one, "gu", "y s", "V(n, y, s)") for one in small_step(D)]
        lower, upper = (theorems.cut(small, one) for one in sides)
        image = operator("a", VN)
        best = f"MaxOver(a, {image})"
        low = D.linear(f"0 <= {best}", lower, D.most("a", image, "a"))
        high = calculus.least(upper, D.variable("a"))
        now = D.fact("V-step")
        both = theorems.both(
            D.linear("0 <= V(n + 1, x, t)", low, now), D.linear("V(n + 1, x, t) <= t", high, now)
        )
        return D.all(D.imply(both, "0 <= t"), "x", "t")

    return D.induction("n", _BOUNDED, D.all(D.imply(first, "0 <= t"), "x", "t"), step)


def value_bound(D: Derivation) -> Theorem:
    """0 <= V_n <= V* <= t."""
    both = D.mp(D.special(bounded_iterates(D), "x", "t"), D.assume("0 <= t"))
    low, high = part(D, both, "0 <= V(n, x, t)"), part(D, both, "V(n, x, t) <= t")
    name, limit = D.variable("n"), D.fact("Vs")
    below = D.linear("V(n, x, t) <= Vs(x, t)", calculus.supremum(high, name, name), limit)
    above = D.linear("Vs(x, t) <= t", calculus.bounded(high, name), limit)
    return D.imply(theorems.both(low, below, above), "0 <= t")


DERIVED = {
    "lem:optimism/value-bound": (VALUE_BOUND, value_bound),
}
THEOREMS = {label: text for label, (text, _) in DERIVED.items()}
