r"""The optimal values of the instances.

The good state is worth t: after n steps value iteration gives it at least t n/(n + q) for t <= v, q = 1 + rate v.
The bad one is worth 0, and the root (1/2 + D) er(d, H): no node of height h is worth more than (1/2 + D) er(h, t), and
the nodes on the way to z are worth that.
"""

from __future__ import annotations

from proofs_checks.derivations.lower_bound import OPTIMAL
from proofs_checks.derivations.lower_cases import by_value, denied, off, on, put, settle, towards, when
from proofs_checks.derivations.lower_run import not_negative
from proofs_checks.derivations.lower_setting import SETTING
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_DENSITY = "rate*exp(-rate*s)"
_CHANCE = "D*Ind(x == z)*Ind(a == b)"
_WORTH = "(Ind(1 <= ht({0}))*er(ht({0}), {1})*(1/2 + D) + Ind({0} == good)*({1}))"
_WAIT = "Int(s, t, exp(-rate*s))"
_LATER = "Int(s, t, rate*exp(-rate*s)*V(n, z, b, {0}, t - s))"
_Q = "(n + 1 + rate*v)"
ENDS = "Imp(0 <= t, And(Vs(z, b, good, t) == t, Vs(z, b, bad, t) == 0))"


def backup(D: Derivation) -> Theorem:  # noqa: N803
    """One step of value iteration, for one action, with the jumps of the tree put in."""
    p = D.scaled(D.fact("p", c=_CHANCE), "V(n, z, b, y, t - s)")
    return D.integral(D.scaled(D.over(p, "y"), _DENSITY), "s", "t")


def _inner(D: Derivation) -> str:  # noqa: N803
    return (
        f"Ind(x == good)*{_WAIT} + Int(s, t, {_DENSITY}*SumOver(y, p({_CHANCE}, x, a, y)*V(n, z, b, y, t - s)))"
    )


def weighed(D: Derivation, theorem: Theorem) -> Theorem:  # noqa: N803
    """Times the density, integrated over the holding time."""
    exp = D.linear("0 <= exp(-rate*s)", D.known("exp", "-rate*s"))
    weight = D.times(D.linear("0 <= rate", D.fact("rate")), exp)
    return D.integral(D.times(theorem, weight), "s", "t")


def upper(D: Derivation) -> Theorem:  # noqa: N803
    """All(x, All(t, Imp(0 <= t, V(n, z, b, x, t) <= worth)))."""
    a = f"All(x, All(t, Imp(0 <= t, V(n, z, b, x, t) <= {_WORTH.format('x', 't')})))"
    zero = D.linear(f"V(0, z, b, x, t) <= {_WORTH.format('x', 't')}", D.fact("V-0"), _worth_positive(D))

    def step(below: Theorem) -> Theorem:
        def from_(state: str) -> Theorem:
            inner = D.mp(D.special(below, state, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
            return weighed(D, inner)

        each = _cases(D, from_)
        most = calculus.least(each, D.variable("a"))
        up = D.linear(f"V(n + 1, z, b, x, t) <= {_WORTH.format('x', 't')}", D.fact("V-step"), most)
        return D.all(D.imply(up, "0 <= t"), "x", "t")

    return D.induction("n", a, D.all(D.imply(zero, "0 <= t"), "x", "t"), step)


def _cases(D: Derivation, from_) -> Theorem:  # type: ignore[no-untyped-def]  # noqa: N803, ANN001
    """No action is worth more: given what the states after the jump are worth."""
    goal = f"{_inner(D)} <= {_WORTH.format('x', 't')}"
    back = backup(D)
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    flat = [D.fact("good"), D.fact("bad"), off(D, D.fact("two"))]
    good, bad = (put(D, put(D, from_(state), *flat), *flat) for state in ("good", "bad"))
    one = unfolded(D)
    time = D.closed(first_wait(D))

    def above(high_: Theorem) -> Theorem:
        down = when(D, D.fact("child"), high_)
        some = D.linear("1 <= ht(child(x, a))", down, high_)
        apart = denied(D, "child(x, a) == good", lambda e: _clash(D, down, e, "child(x, a)", high_))
        child = put(D, from_("child(x, a)"), on(D, some), off(D, apart))
        unfold = put(D, D.fact("er-step", h="ht(child(x, a))"), down)
        mine = denied(D, "x == good", lambda e: (D.linear("1 <= 0", put(D, D.fact("good"), towards(D, e, "good")), high_), D.linear("0 < 1")))
        values = [on(D, high_), on(D, D.linear("1 <= ht(x)", high_)), off(D, mine), *_heights(D, high_)]
        return by_value(D, goal, values, back, child, D.scaled(unfold, "1/2 + D"))

    def leaf(here: Theorem) -> Theorem:
        mine = denied(D, "x == good", lambda e: (D.linear("1 <= 0", put(D, D.fact("good"), towards(D, e, "good")), here), D.linear("0 < 1")))
        chance = "(1/2 + D*Ind(x == z)*Ind(a == b))"
        other = "(1/2 - D*Ind(x == z)*Ind(a == b))"
        signs = [settle(D, f"0 <= {c}", ["x == z", "a == b"], low, high) for c in (chance, other)]
        less = settle(D, f"{chance} <= 1/2 + D", ["x == z", "a == b"], low)
        stored = D.mp(D.special(D.at(not_negative(D), h="1"), "t"), D.assume("0 <= t"))
        values = [on(D, here), on(D, D.linear("1 <= ht(x)", here)), off(D, mine), *_heights(D, here), here]
        return by_value(
            D, goal, values, back, D.times(good, signs[0]), D.times(bad, signs[1]), D.times(less, stored), D.scaled(one, chance)
        )

    def ends(zero: Theorem) -> Theorem:
        def which(e: Theorem) -> Theorem:
            name = "good" if e.says is D.formula("x == good") else "bad"
            way = towards(D, e, "x")
            other = [] if name == "good" else flat[2:]
            return by_value(D, goal, [way, *flat[:2], *flat[2:]], put(D, put(D, back, way), *flat), good if name == "good" else bad, time)

        return D.split(when(D, D.fact("below"), zero), which, which)

    def low_case(e: Theorem) -> Theorem:
        return D.split(D.known("discrete", "ht(x)", "0"), small, small)

    def small(e: Theorem) -> Theorem:
        if e.says is D.formula("ht(x) <= 0"):
            return ends(D.mp(D.known("antisymmetric", "ht(x)", "0"), theorems.both(e, D.whole("ht(x)"))))
        return D.split(D.known("discrete", "ht(x)", "1"), lambda f: node(e, f), lambda f: node(e, f))

    def node(e: Theorem, f: Theorem) -> Theorem:
        if f.says is D.formula("ht(x) <= 1"):
            return leaf(D.mp(D.known("antisymmetric", "ht(x)", "1"), theorems.both(f, e)))
        return above(D.linear("2 <= ht(x)", f))

    return D.split(D.known("discrete", "ht(x)", "0"), small, small)


def _clash(D: Derivation, down: Theorem, e: Theorem, old: str, high: Theorem) -> tuple[Theorem, Theorem]:  # noqa: N803
    """What is equal to the good state has height 0."""
    return D.linear("1 <= 0", put(D, down, towards(D, e, old)), D.fact("good"), high), D.linear("0 < 1")


def _heights(D: Derivation, here: Theorem) -> list[Theorem]:  # noqa: N803
    found = []
    for a in ("2 <= ht(x)", "ht(x) == 1", "ht(x) == 0"):
        for value in (0, 1):
            try:
                found.append(settle(D, f"Ind({a}) == {value}", [a], here))
                break
            except theorems.KernelError:
                continue
    return found


def unfolded(D: Derivation) -> Theorem:  # noqa: N803
    """er(1, t) as an integral."""
    inner = D.scaled(D.fact("er-0", t="t - s"), _DENSITY)
    says = f"er(1, t) == Int(s, t, {_DENSITY}*(t - s))"
    return D.linear(says, D.fact("er-step", h="0"), D.integral(inner, "s", "t"))


def first_wait(D: Derivation) -> Theorem:  # noqa: N803
    """E(t ∧ τ) + E(t - τ)^+ = t, given 0 <= t."""
    return D.linear(
        f"{_WAIT} + Int(s, t, {_DENSITY}*(t - s)) == t", D.primitive("s", "t", "s*exp(-rate*s)"), D.scaled(D.primitive("s", "t", "-exp(-rate*s)"), "t")
    )


def _worth_positive(D: Derivation) -> Theorem:  # noqa: N803
    """0 <= worth, for 0 <= t."""
    time = D.assume("0 <= t")
    stored = D.mp(D.special(D.at(not_negative(D), h="ht(x)"), "t"), time)
    gap = theorems.part(D.fact("gap"), D.formula("0 < D"))
    some = D.times(stored, D.linear("0 <= 1/2 + D", gap))
    return settle(D, f"0 <= {_WORTH.format('x', 't')}", ["1 <= ht(x)", "x == good"], some, time)
