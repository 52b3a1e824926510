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
from verify.kernel.language import show
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


def one_step(D: Derivation, state: str, action: str, at: str = "n") -> Theorem:  # noqa: N803
    """What one action gives is at most the next iterate."""
    most = D.linear(f"{_inner(D)} <= V(n + 1, z, b, x, t)", D.most("a", _inner(D), "a"), D.fact("V-step"))
    told = D.linear(terms.relation("<=", terms.add(D.term(f"Ind(x == good)*{_WAIT}"), backup(D).says.parts[1]), D.term("V(n + 1, z, b, x, t)")), most, backup(D))
    return D.at(told, x=state, a=action, n=at)


def lower_bad(D: Derivation) -> Theorem:  # noqa: N803
    """All(t, Imp(0 <= t, 0 <= V(n, z, b, bad, t)))."""
    flat = [D.fact("bad"), off(D, D.fact("two"))]
    start = D.all(D.imply(D.linear("0 <= V(0, z, b, bad, t)", D.fact("V-0", x="bad")), "0 <= t"), "t")

    def step(below: Theorem) -> Theorem:
        inner = D.mp(D.special(below, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
        up = D.linear("0 <= V(n + 1, z, b, bad, t)", weighed(D, inner), put(D, put(D, one_step(D, "bad", "b"), *flat), *flat))
        return D.all(D.imply(up, "0 <= t"), "t")

    return D.induction("n", "All(t, Imp(0 <= t, 0 <= V(n, z, b, bad, t)))", start, step)


_SHORT = "And(0 <= t, t <= v)"


def lower_good(D: Derivation) -> Theorem:  # noqa: N803
    """All(t, Imp(0 <= t <= v, n t <= (n + q) V(n, z, b, good, t)))."""
    a = f"All(t, Imp({_SHORT}, n*t <= {_Q}*V(n, z, b, good, t)))"
    low, short = (theorems.part(D.assume(_SHORT), D.formula(f)) for f in ("0 <= t", "t <= v"))
    none = D.linear("0 <= (1 + rate*v)*V(0, z, b, good, t)", D.scaled(D.fact("V-0", x="good"), "1 + rate*v"))
    rate = D.fact("rate")

    def step(below: Theorem) -> Theorem:
        inner = D.mp(D.special(below, "t - s"), theorems.both(D.linear("0 <= t - s", D.assume("s <= t")), D.linear("t - s <= v", short, D.assume("0 <= s"))))
        later = weighed(D, inner)
        up = put(D, put(D, one_step(D, "good", "b"), D.fact("good")), D.fact("good"))
        q = D.linear(f"0 <= {_Q}", D.times(D.linear("0 <= rate", rate), D.linear("0 <= v", low, short)), D.whole("n"))
        given = D.closed(first_wait(D), low)
        total = D.linear(
            f"n*t + (1 + rate*v)*{_WAIT} <= {_Q}*V(n + 1, z, b, good, t)", D.times(up, q), later, D.scaled(given, "n")
        )
        wait = D.times(_enough(D, low, short), D.linear("0 <= 1 + rate*v", _span(D, low, short)))
        more = D.times(total, D.linear(f"0 <= {_Q} + 1", q))
        product = D.linear(f"{_Q}*(n + 1)*t <= {_Q}*({_Q} + 1)*V(n + 1, z, b, good, t)", more, wait)
        positive = D.linear(f"0 < {_Q}", _span(D, low, short), D.whole("n"))
        each = D.times(product, D.linear(f"0 <= 1/{_Q}", D.positive("inverse-positive", _Q, positive)))
        unit = D.positive("inverse", _Q, positive)
        up = D.linear(
            f"(n + 1)*t <= ({_Q} + 1)*V(n + 1, z, b, good, t)", each,
            D.scaled(unit, "(n + 1)*t"), D.scaled(unit, f"({_Q} + 1)*V(n + 1, z, b, good, t)"),
        )  # fmt: skip
        return D.all(D.imply(up, _SHORT), "t")

    return D.induction("n", a, D.all(D.imply(none, _SHORT), "t"), step)


def _span(D: Derivation, low: Theorem, short: Theorem) -> Theorem:  # noqa: N803
    """0 <= rate v."""
    return D.times(D.linear("0 <= v", low, short), D.linear("0 <= rate", D.fact("rate")))


def _enough(D: Derivation, low: Theorem, short: Theorem) -> Theorem:  # noqa: N803
    """T <= (n + q + 1) E(t ∧ τ)."""
    rate = D.linear("0 <= rate", D.fact("rate"))
    wait = D.integral(D.linear("0 <= exp(-rate*s)", D.known("exp", "-rate*s")), "s", "t")
    value = D.closed(D.primitive("s", "t", "-exp(-rate*s)"), low)
    known = D.closed(D.pointwise("(1 - exp(-x))*(1 + x) >= x", "x >= 0", x="rate*t"), D.times(low, rate))
    part = D.linear(f"rate*t <= rate*(1 + rate*t)*{_WAIT}", known, value, D.scaled(value, "rate*t"))
    each = D.times(part, D.linear("0 <= 1/rate", D.positive("inverse-positive", "rate", D.fact("rate"))))
    unit = D.positive("inverse", "rate", D.fact("rate"))
    first = D.linear(f"t <= (1 + rate*t)*{_WAIT}", each, D.scaled(unit, "t"), D.scaled(unit, f"(1 + rate*t)*{_WAIT}"))
    longer = D.times(D.times(D.linear("0 <= v - t", short), rate), wait)
    return D.linear(f"t <= ({_Q} + 1)*{_WAIT}", first, longer, wait, D.times(wait, D.whole("n")))


def ends(D: Derivation) -> Theorem:  # noqa: N803
    """The good state is worth t, the bad one nothing."""
    time = D.assume("0 <= t")
    flat = [D.fact("good"), D.fact("bad"), off(D, D.fact("two"))]
    above = upper(D)
    tops = [put(D, put(D, D.mp(D.special(above, state, "t"), time), *flat), *flat) for state in ("good", "bad")]
    best, worst = (_value(D, top, state, "t") for top, state in zip(tops, ("good", "bad"), strict=True))
    low = D.mp(D.special(D.at(lower_good(D), v="t"), "t"), theorems.both(time, D.linear("t <= t")))
    good = _limit(D, low, best[1], "t", "good", "t", "(1 + rate*t)")
    zero = D.linear("0 <= Vs(z, b, bad, t)", D.fact("V-0", x="bad"), D.at(worst[1], n="0"))
    says = [("t", "good", best[0], good), ("0", "bad", worst[0], zero)]
    equal = [
        D.mp(D.known("antisymmetric", f"Vs(z, b, {state}, t)", value), theorems.both(up, down))
        for value, state, up, down in says
    ]
    return D.imply(theorems.both(*equal), "0 <= t")


def _value(D: Derivation, top: Theorem, state: str, time: str) -> tuple[Theorem, Theorem]:  # noqa: N803
    """Vs <= what all iterates are at most, and V(n) <= Vs."""
    n = D.variable("n")
    fact = D.fact("Vs", x=state, t=time)
    above = calculus.bounded(top, n)
    below = calculus.supremum(top, n, n)
    v = f"Vs(z, b, {state}, {time})"
    high = D.linear(terms.relation("<=", D.term(v), top.says.parts[1]), above, fact)
    return high, D.linear(f"V(n, z, b, {state}, {time}) <= {v}", below, fact)


def _limit(D: Derivation, low: Theorem, below: Theorem, worth: str, state: str, time: str, q: str) -> Theorem:  # noqa: N803
    """Worth <= Vs, from n worth <= (n + q) V(...) for all n."""
    v = f"Vs(z, b, {state}, {time})"
    rate = D.linear("0 <= rate", D.fact("rate"))
    long = D.assume("0 <= t") if time == "t" else D.linear("0 <= H", D.fact("horizon"))
    sign = D.linear(f"0 <= n + {q}", D.whole("n"), D.times(long, rate))
    small = D.linear(f"n*({worth} - {v}) <= {q}*{v}", low, D.times(below, sign))
    return D.linear(f"{worth} <= {v}", calculus.archimedes(small, D.variable("n")))


def optimal(D: Derivation) -> Theorem:  # noqa: N803
    """The root is worth (1/2 + D) er(d, H)."""
    leaf = D.assume("ht(z) == 1")
    long = D.linear("0 <= H", D.fact("horizon"))
    rooted = [D.fact("root"), on(D, D.fact("levels")), off(D, _inner_node(D, "root", D.linear("1 <= ht(root)", D.fact("root"), D.fact("levels"))))]
    top = put(D, put(D, D.mp(D.special(upper(D), "root", "H"), long), *rooted), *rooted)
    worth, v = "er(d, H)*(1/2 + D)", "Vs(z, b, root, H)"
    high, below = _value(D, top, "root", "H")
    low = _path(D, leaf)
    reached = D.at(below, n="n + d")
    down = _limit(D, low, reached, worth, "root", "H", "(1 + rate*H)")
    return D.imply(D.mp(D.known("antisymmetric", v, worth), theorems.both(high, down)), "ht(z) == 1")


def _inner_node(D: Derivation, state: str, high: Theorem) -> Theorem:  # noqa: N803
    """Not(x == good) where x has levels below it."""
    return denied(
        D,
        f"{state} == good",
        lambda e: (D.linear("1 <= 0", put(D, D.fact("good"), towards(D, e, "good")), high), D.linear("0 < 1")),
    )


def _path(D: Derivation, leaf: Theorem) -> Theorem:  # noqa: N803
    """n (1/2 + D) er(d, H) <= (n + q) V(n + d, z, b, root, H)."""
    worth = "n*(1/2 + D)*er({h}, t) <= " + _Q + "*V(n + {h}, z, b, anc(z, {h}), t)"
    a = f"Imp(h + 1 <= d, All(t, Imp({_SHORT}, {worth.format(h='h + 1')})))"
    low, short = (theorems.part(D.assume(_SHORT), D.formula(f)) for f in ("0 <= t", "t <= v"))
    inside = theorems.both(D.linear("0 <= t - s", D.assume("s <= t")), D.linear("t - s <= v", short, D.assume("0 <= s")))
    q = D.linear(f"0 <= {_Q}", _span(D, low, short), D.whole("n"))
    start = D.imply(D.all(D.imply(_at_leaf(D, leaf, inside, q), _SHORT), "t"), "1 <= d")

    def step(below: Theorem) -> Theorem:
        far = D.assume("h + 2 <= d")
        way = when(D, D.fact("anc", h="h + 1"), leaf, D.linear("1 <= h + 1", D.whole("h")), far)
        height, down = (theorems.part(way, f) for f in sorted(way.says.parts, key=lambda f: "child" in show(f)))
        inner = weighed(D, D.mp(D.special(when(D, below, far), "t - s"), inside))
        high = D.linear("2 <= ht(anc(z, h + 2))", height, D.whole("h"))
        values = [*_height_values(D, "anc(z, h + 2)", high), off(D, _inner_node(D, "anc(z, h + 2)", D.linear("1 <= ht(anc(z, h + 2))", high))), towards(D, down, "child(anc(z, h + 2), via(z, h + 1))")]
        up = put(D, one_step(D, "anc(z, h + 2)", "via(z, h + 1)", "n + h + 1"), *values)
        unfold = D.scaled(D.fact("er-step", h="h + 1"), "n*(1/2 + D)")
        says = worth.format(h="h + 2")
        return D.imply(D.all(D.imply(D.linear(says, D.times(up, q), inner, unfold), _SHORT), "t"), "h + 2 <= d")

    return _at_root(D, D.at(D.induction("h", a, start, step), v="H"), leaf)


def _at_root(D: Derivation, path: Theorem, leaf: Theorem) -> Theorem:  # noqa: N803
    """The way up ends at the root."""
    goal = "n*(1/2 + D)*er(d, H) <= (n + 1 + rate*H)*V(n + d, z, b, root, H)"
    long = D.linear("0 <= H", D.fact("horizon"))
    last = D.assume("h + 1 == d")
    here = D.mp(D.special(when(D, path, last), "H"), theorems.both(long, D.linear("H <= H")))
    high = when(D, _climbs(D, leaf), last)
    top = when(D, D.at(D.fact("top"), x="anc(z, h + 1)"), D.linear("d <= ht(anc(z, h + 1))", high, last))
    found = by_value(D, goal, [D.linear("d == h + 1", last), towards(D, top, "root")], here)
    start = D.imply(D._impossible(D.formula(goal), [D.assume("1 <= 0")]), "0 == d", "1 <= 0")
    some = D.induction(
        "h", f"Imp(h == d, Imp(1 <= h, {goal}))", start, lambda _: D.imply(found, "h + 1 == d", "1 <= h + 1")
    )
    return D.mp(D.at(some, h="d"), D.linear("d == d"), D.fact("levels"))


def _climbs(D: Derivation, leaf: Theorem) -> Theorem:  # noqa: N803
    """Imp(h + 1 <= d, ht(anc(z, h + 1)) == h + 1)."""
    first = put(D, leaf, towards(D, when(D, D.fact("anc-1"), leaf), "z"))

    def step(_: Theorem) -> Theorem:
        far = D.assume("h + 2 <= d")
        way = when(D, D.fact("anc", h="h + 1"), leaf, D.linear("1 <= h + 1", D.whole("h")), far)
        return D.imply(theorems.part(way, D.formula("ht(anc(z, h + 2)) == h + 2")), "h + 2 <= d")

    a = "Imp(h + 1 <= d, ht(anc(z, h + 1)) == h + 1)"
    return D.induction("h", a, D.imply(first, "1 <= d"), step)


def _at_leaf(D: Derivation, leaf: Theorem, inside: Theorem, q: Theorem) -> Theorem:  # noqa: N803
    """The same for z itself."""
    there = when(D, D.fact("anc-1"), leaf)
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    good = weighed(D, D.mp(D.special(lower_good(D), "t - s"), inside))
    bad = weighed(D, D.mp(D.special(lower_bad(D), "t - s"), theorems.part(inside, D.formula("0 <= t - s"))))
    values = [
        *(settle(D, f"Ind({a}) == {v}", [a], leaf) for a, v in (("2 <= ht(z)", 0), ("ht(z) == 1", 1), ("ht(z) == 0", 0))),
        off(D, _inner_node(D, "z", D.linear("1 <= ht(z)", leaf))),
    ]
    up = D.times(put(D, one_step(D, "z", "b"), *values), q)
    chances = D.linear("0 <= 1/2 + D", low), D.times(D.linear("0 <= 1/2 - D", high), q)
    shares = D.times(good, chances[0]), D.times(bad, chances[1])
    unfold = D.scaled(unfolded(D), "n*(1/2 + D)")
    says = f"n*(1/2 + D)*er(1, t) <= {_Q}*V(n + 1, z, b, {{0}}, t)"
    found = D.linear(says.format("z"), up, *shares, unfold)
    return by_value(D, says.format("anc(z, 1)"), [towards(D, there, "anc(z, 1)")], found)


def _height_values(D: Derivation, state: str, high: Theorem) -> list[Theorem]:  # noqa: N803
    return [
        settle(D, f"Ind({a.format(state)}) == {v}", [a.format(state)], high)
        for a, v in (("2 <= ht({0})", 1), ("ht({0}) == 1", 0), ("ht({0}) == 0", 0))
    ]
