r"""The iterates of the model, of all actions and of one policy: between 0 and t, and close to their limits.

Two maps: :math:`G = \max_a \mathcal T^a`, whose iterates are :math:`V_n` with the limit :math:`V^*`, and
:math:`\mathcal T^\pi` of any policy, whose iterates are ``gq`` and whose limit is called ``gv``.  No theorem
about integrals of limits is needed: the distance of an iterate from the limit is at most
:math:`\varrho^nH`, everywhere at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from proofs_checks.derivations.operators import (
    RHO,
    TRUE_MODEL,
    WITHIN,
    U,
    after_jump,
    applied,
    maximum,
    part,
    shifted,
    true_model,
)
from proofs_checks.derivations.runs import equal, product
from proofs_checks.derivations.setting import operator
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation, Text
from verify.kernel.theorems import Theorem

POWER = "exp(n*log(1 - exp(-lmax*H)))"
"""ρ to the power n."""

POLICY_STARTS = "All(x, All(t, gq(0, x, t) == 0))"
POLICY_STEPS = f"All(n, All(x, All(t, gq(n + 1, x, t) == {operator('gpi(x, t)', 'gq(n, {y}, {s})')})))"
EVALUATED = f"And({POLICY_STARTS}, {POLICY_STEPS})"
"""gq are the iterates of a policy gpi, any function of state and remaining time."""
LIMIT = "All(x, All(t, gv(x, t) == Sup(n, gq(n, x, t))))"


@dataclass(frozen=True)
class Map:
    """G or T^π: its text, what an inequality for every action is for it, its iterates and their limit."""

    image: Callable[[str], str]
    lift: Callable[[Derivation, Theorem, str, str, str], Theorem]
    iterate: str  # a pattern of y and s, with n free
    limit: str
    starts: Callable[[Derivation], Theorem]
    steps: Callable[[Derivation], Theorem]
    reaches: Callable[[Derivation], Theorem]

    def at(self, pattern: str) -> str:
        """At x and t."""
        return pattern.format(y="x", s="t")


def _chosen(D: Derivation, theorem: Theorem, *_: str) -> Theorem:
    return D.at(theorem, a="gpi(x, t)")


BEST = Map(
    image=lambda values: f"MaxOver(a, {operator('a', values)})",
    lift=maximum,
    iterate="V(n, {y}, {s})",
    limit="Vs({y}, {s})",
    starts=lambda D: D.fact("V-0"),
    steps=lambda D: D.fact("V-step"),
    reaches=lambda D: D.fact("Vs"),
)
POLICY = Map(
    image=lambda values: operator("gpi(x, t)", values),
    lift=_chosen,
    iterate="gq(n, {y}, {s})",
    limit="gv({y}, {s})",
    starts=lambda D: D.special(part(D, D.assume(EVALUATED), POLICY_STARTS), "x", "t"),
    steps=lambda D: D.special(part(D, D.assume(EVALUATED), POLICY_STEPS), "n", "x", "t"),
    reaches=lambda D: D.special(D.assume(LIMIT), "x", "t"),
)

# --- one step keeps 0 <= u <= t ------------------------------------------------------------------

SMALL = "All(y, All(s, Imp(And(0 <= s, s <= t), And(0 <= gu(y, s), gu(y, s) <= s))))"


def small_step(D: Derivation) -> tuple[Theorem, Theorem]:
    """SMALL, 0 <= t ⊢ 0 <= T^a u, and T^a u <= t."""
    rate, row = "lam(x, a)", D.fact("jump-low")
    small = after_jump(D, D.assume(SMALL))
    positive = D.linear(f"0 <= {rate}", D.fact("rate"))
    kernel = D.times(positive, D.known("exp", f"-{rate}*s"))
    below, above = (
        D.integral(D.times(D.over(D.times(part(D, small, one), row), "y"), kernel), "s", "t")
        for one in ("0 <= gu(y, t - s)", "gu(y, t - s) <= t - s")
    )
    wait = D.integral(D.known("exp", f"-{rate}*s"), "s", "t")
    earned, less = (D.times(D.fact(one), wait) for one in ("reward-low", "reward-high"))
    time = D.primitive("s", "t", f"-(t - s)*exp(-{rate}*s)")
    jumps = D.scaled(D.fact("jump-sum"), f"Int(s, t, {rate}*exp(-{rate}*s)*(t - s))")
    lower = D.linear(f"0 <= {operator('a', U)}", below, earned)
    upper = D.linear(f"{operator('a', U)} <= t", above, less, time, jumps)
    return lower, upper


def inside(D: Derivation, before: Theorem) -> Theorem:
    """All(x, All(t, Imp(0 <= t, A))) as All(y, All(s, Imp(0 <= s <= t, A)))."""
    one = D.mp(D.special(before, "y", "s"), part(D, D.assume("And(0 <= s, s <= t)"), "0 <= s"))
    return D.all(D.imply(one, "And(0 <= s, s <= t)"), "y", "s")


def always(D: Derivation, theorem: Theorem) -> Theorem:
    """For all x and t >= 0."""
    return D.all(D.imply(theorem, "0 <= t"), "x", "t")


def between(D: Derivation, u: Text, v: Text, *facts: Theorem) -> Theorem:
    """u <= v by ``linear``."""
    return D.linear(terms.relation("<=", D.term(u), D.term(v)), *facts)


def within(D: Derivation, theorem: Theorem, *names: str) -> Theorem:
    """0 <= t, t <= H as one condition; and, with names, for all of them."""
    condition = D.assume(WITHIN)
    for text in ("0 <= t", "t <= H"):
        theorem = theorems.cut(part(D, condition, text), theorem)
    return D.all(D.imply(theorem, WITHIN), *names) if names else theorem


def rate(D: Derivation) -> Theorem:
    """0 < λmax."""
    return D.fact("lmax")


def share(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 < ρ, and log(ρ) < 0."""
    load = product(D, rate(D), D.fact("horizon"))
    decay = theorems.cut(load, D.pointwise("exp(-d) < 1", "d > 0", d="lmax*H"))
    low = D.linear(f"0 < {RHO}", decay)
    below = D.pointwise("1 + log(q) <= q", "q > 0", q=RHO)
    size = D.known("exp", "-lmax*H")
    return low, D.linear(f"log{RHO} < 0", theorems.cut(low, below), size)


def next_power(D: Derivation) -> Theorem:
    """ρ to the power n + 1 == ρ times that to the power n."""
    low, _ = share(D)
    return D.scaled(D.mp(D.known("log", RHO), low), POWER)


def vanishing(D: Derivation, theorem: Theorem, left: str, right: str, sign: Theorem) -> Theorem:
    """left <= right + ρⁿ size for all n, sign: 0 <= size; so left <= right.

    With c = -log ρ, n c ρⁿ <= 1, so n c (left - right) <= size for all n.
    """
    _, negative = share(D)
    log = f"log{RHO}"
    positive = D.linear(f"0 < -{log}", negative)
    steps = D.times(D.linear(f"0 <= -{log}", positive), D.whole("n"))
    peak = theorems.cut(steps, D.pointwise("u*exp(-u) <= 1", "u >= 0", u=f"-n*{log}"))
    ahead = D.term(f"n*(-{log}*(({left}) - ({right})))")
    goal = terms.relation("<=", ahead, sign.says.parts[1])
    many = D.linear(goal, D.times(theorem, steps), D.times(peak, sign))
    none = calculus.archimedes(many, D.variable("n"))
    inverse = D.positive("inverse-positive", f"-{log}", positive)
    one = D.scaled(D.positive("inverse", f"-{log}", positive), f"({left}) - ({right})")
    return D.linear(f"{left} <= {right}", D.times(none, inverse), one)


# --- the iterates of a map ----------------------------------------------------------------------


class Iterates:
    """What is derived of the iterates of a map, each theorem once."""

    def __init__(self, D: Derivation, of: Map) -> None:
        self.D, self.of = D, of
        self.iterate, self.limit = of.at(of.iterate), of.at(of.limit)
        self.image = of.image(of.limit)
        self.horizon = D.linear("0 <= H", D.fact("horizon"))
        self.sign = D.times(self.horizon, D.known("exp", f"n*log{RHO}"))  # of ρⁿ H

    def number(self, n: str, of: str = "") -> str:
        """The iterate of another number."""
        return (of or self.iterate).replace("(n,", f"({n},")

    @cached_property
    def bounds(self) -> tuple[Theorem, Theorem]:
        """0 <= t ⊢ 0 <= iterate, and iterate <= t."""
        D, of, iterate = self.D, self.of, self.iterate
        start, zero, now = D.assume("0 <= t"), of.starts(D), of.steps(D)
        first, after = self.number("0"), self.number("n + 1")

        def both(low: Theorem, high: Theorem) -> Theorem:
            return always(D, theorems.both(low, high))

        def step(before: Theorem) -> Theorem:
            values = of.iterate.format(y="y", s="s")
            sides = [D.instantiate(one, "gu", "y s", values) for one in small_step(D)]
            lower, upper = (theorems.cut(inside(D, before), one) for one in sides)
            image = operator("a", of.iterate)
            low, high = of.lift(D, lower, "0", image, "0"), of.lift(D, upper, image, "t", "0")
            return both(between(D, "0", after, low, now), between(D, after, "t", high, now))

        begin = both(between(D, "0", first, zero), between(D, first, "t", zero, start))
        says = f"All(x, All(t, Imp(0 <= t, And(0 <= {iterate}, {iterate} <= t))))"
        found = D.mp(D.special(D.induction("n", says, begin, step), "x", "t"), start)
        return part(D, found, f"0 <= {iterate}"), part(D, found, f"{iterate} <= t")

    @cached_property
    def limits(self) -> tuple[Theorem, Theorem, Theorem]:
        """0 <= t ⊢ 0 <= limit, iterate <= limit, and limit <= t."""
        D, (low, high) = self.D, self.bounds
        name, limit = D.variable("n"), self.of.reaches(D)
        below = between(D, self.iterate, self.limit, calculus.supremum(high, name, name), limit)
        above = between(D, self.limit, "t", calculus.bounded(high, name), limit)
        return between(D, "0", self.limit, D.at(low, n="0"), D.at(below, n="0")), below, above

    @cached_property
    def _shifted(self) -> Theorem:
        return theorems.cut(true_model(self.D), applied(self.D, shifted(self.D), TRUE_MODEL))

    def closer(self, u: str, v: str, w: str, near: Theorem, sign: Theorem) -> Theorem:
        """0 <= t <= H ⊢ image of u <= image of v + ρ w, if u <= v + w on [0, H]; v is not made of gu."""
        D = self.D
        step = D.at(self._shifted, w=w)
        bodies = {"gv": ("y s", v.format(y="y", s="s")), "gu": ("y s", u.format(y="y", s="s"))}
        step = theorems.cut(sign, theorems.cut(within(D, near, "x", "t"), applied(D, step, bodies)))
        return self.of.lift(D, step, operator("a", u), operator("a", v), f"{RHO}*({w})")

    @cached_property
    def near(self) -> Theorem:
        """0 <= t <= H ⊢ limit <= iterate + ρⁿ H.

        All iterates are: q(m) <= q(n) + ρⁿ H by induction over n; for the next n the first of them is, as it
        is 0, and every later one by contraction.
        """
        D, of = self.D, self.of
        start, end, starts, steps = D.assume("0 <= t"), D.assume("t <= H"), of.starts(D), of.steps(D)
        low, high = self.bounds
        other, more = self.number("m"), f"{POWER}*H"

        def text(n: str, m: str) -> str:
            return f"{self.number(m)} <= {self.number(n)} + {more.replace('n*', f'({n})*')}"

        def step(before: Theorem) -> Theorem:
            here = D.mp(D.special(before, "m", "x", "t"), theorems.both(start, end))
            image = self.closer(self.number("m", of.iterate), of.iterate, more, here, self.sign)
            power = D.scaled(next_power(D), "H")
            later = D.linear(text("n + 1", "m + 1"), image, steps, D.at(steps, n="m"), power)
            first = D.linear(text("n + 1", "0"), starts, D.at(low, n="n + 1"), D.at(self.sign, n="n + 1"))
            every = D.induction("m", text("n + 1", "m"), first, lambda _: later)
            return D.all(within(D, every, "x", "t"), "m")

        begin = D.linear(text("0", "m"), D.at(high, n="m"), starts, end)
        says = f"All(m, All(x, All(t, Imp({WITHIN}, {other} <= {self.iterate} + {more}))))"
        found = D.induction("n", says, D.all(within(D, begin, "x", "t"), "m"), step)
        here = D.mp(D.special(found, "m", "x", "t"), theorems.both(start, end))
        top = calculus.bounded(here, D.variable("m"))
        return D.linear(f"{self.limit} <= {self.iterate} + {more}", top, of.reaches(D))

    def fixed(self) -> Theorem:
        """0 <= t <= H ⊢ limit == image of the limit."""
        D = self.D
        return equal(D, self._up(), self._down())

    def _up(self) -> Theorem:
        """Limit <= image: every iterate is, as it is the image of one that is at most the limit."""
        D, of = self.D, self.of
        positive, below, above = self.limits
        inner = inside(D, always(D, theorems.both(positive, above)))
        lower = D.instantiate(small_step(D)[0], "gu", "y s", of.limit.format(y="y", s="s"))
        low = of.lift(D, theorems.cut(inner, lower), "0", operator("a", of.limit), "0")
        first = between(D, self.number("0"), self.image, low, of.starts(D))
        rises = self.closer(
            of.iterate,
            of.limit,
            "0",
            between(D, self.iterate, f"{self.limit} + 0", below),
            D.linear("0 <= 0"),
        )
        later = between(D, self.number("n + 1"), self.image, rises, of.steps(D))
        every = D.induction("n", f"{self.iterate} <= {self.image}", first, lambda _: later)
        return between(D, self.limit, self.image, calculus.bounded(every, D.variable("n")), of.reaches(D))

    def _down(self) -> Theorem:
        """Image <= limit: it is at most the next iterate and ρ times the distance, for every iterate."""
        D, of = self.D, self.of
        more = f"{POWER}*H"
        apart = self.closer(of.limit, of.iterate, more, self.near, self.sign)
        less = D.times(D.linear(f"{RHO} <= 1", D.known("exp", "-lmax*H")), self.sign)
        below = D.at(self.limits[1], n="n + 1")
        close = between(D, self.image, f"{self.limit} + {more}", apart, of.steps(D), below, less)
        return vanishing(D, close, self.image, self.limit, self.horizon)


# --- lem:optimism/value-bound -------------------------------------------------------------------

IN_TIME = "Imp(0 <= t, And(0 <= V(n, x, t), V(n, x, t) <= t))"
VALUE_BOUND = "Imp(0 <= t, And(0 <= V(n, x, t), V(n, x, t) <= Vs(x, t), Vs(x, t) <= t))"


def in_time(D: Derivation) -> Theorem:
    """0 <= V_n <= t."""
    return D.imply(theorems.both(*Iterates(D, BEST).bounds), "0 <= t")


def value_bound(D: Derivation) -> Theorem:
    """0 <= V_n <= V* <= t."""
    of = Iterates(D, BEST)
    return D.imply(theorems.both(of.bounds[0], *of.limits[1:]), "0 <= t")


DERIVED = {
    "lem:optimism/value-bound/iterates": (IN_TIME, in_time),
    "lem:optimism/value-bound": (VALUE_BOUND, value_bound),
}
