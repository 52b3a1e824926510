r"""The optimal values of the instances.

The good state is worth t: after n steps value iteration gives it at least t n/(n + q) for t <= v, q = 1 +
rate v. The bad one is worth 0, and the root (1/2 + D) er(d, H): no node of height h is worth more than
(1/2 + D) er(h, t), and the nodes on the way to z are worth that.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_cases import Way, by_value, on, put, settle, towards, when
from proofs_checks.derivations.lower_reward import unpaid
from proofs_checks.derivations.lower_run import by_height, heights, mate, not_negative
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

_DENSITY = "rate*exp(-rate*s)"
_CHANCE = "D*Ind(x == z)*Ind(a == b)"
_WORTH = "(Ind(1 <= ht({0}))*er(ht({0}), {1})*(1/2 + D) + gd({0})*({1}))"
_WAIT = "Int(s, t, exp(-rate*s))"
_INNER = f"gd(x)*{_WAIT} + Int(s, t, {_DENSITY}*SumOver(y, p({_CHANCE}, x, a, y)*V(n, z, b, y, t - s)))"
_Q = "(n + 1 + rate*v)"
_SHORT = "And(0 <= t, t <= v)"
ENDS = "Imp(And(0 <= t, ht(x) == 0), Vs(z, b, x, t) == gd(x)*t)"


def backup(D: Derivation) -> Theorem:
    """One step of value iteration, for one action, with the jumps of the tree put in."""
    p = D.scaled(D.fact("p", c=_CHANCE), "V(n, z, b, y, t - s)")
    return D.integral(D.scaled(D.over(p, "y"), _DENSITY), "s", "t")


def weighed(D: Derivation, theorem: Theorem) -> Theorem:
    """Times the density, integrated over the holding time."""
    exp = D.linear("0 <= exp(-rate*s)", D.known("exp", "-rate*s"))
    weight = D.times(D.linear("0 <= rate", D.fact("rate")), exp)
    return D.integral(D.times(theorem, weight), "s", "t")


# --- at most ------------------------------------------------------------------------------------


def upper(D: Derivation) -> Theorem:
    """All(x, All(t, Imp(0 <= t, V(n, z, b, x, t) <= worth)))."""
    a = f"All(x, All(t, Imp(0 <= t, V(n, z, b, x, t) <= {_WORTH.format('x', 't')})))"
    zero = D.linear(f"V(0, z, b, x, t) <= {_WORTH.format('x', 't')}", D.fact("V-0"), _worth_positive(D))

    def step(below: Theorem) -> Theorem:
        def after(state: str) -> Theorem:
            inner = D.mp(D.special(below, state, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
            return weighed(D, inner)

        most = calculus.least(_no_more(D, after), D.variable("a"))
        up = D.linear(f"V(n + 1, z, b, x, t) <= {_WORTH.format('x', 't')}", D.fact("V-step"), most)
        return D.all(D.imply(up, "0 <= t"), "x", "t")

    return D.induction("n", a, D.all(D.imply(zero, "0 <= t"), "x", "t"), step)


def _no_more(D: Derivation, after: Callable[[str], Theorem]) -> Theorem:
    """No action is worth more, given what the states after the jump are worth."""
    goal, back = f"{_INNER} <= {_WORTH.format('x', 't')}", backup(D)

    def above(high: Theorem) -> Theorem:
        down = when(D, D.fact("child"), high)
        some = D.linear("1 <= ht(child(x, a))", down, high)
        child = put(after("child(x, a)"), on(D, some), unpaid(D, "child(x, a)", some))
        unfold = put(D.fact("er-step", h="ht(child(x, a))"), down)
        values = [unpaid(D, "x", D.linear("1 <= ht(x)", high)), *heights(D, high, "x")]
        return by_value(D, goal, values, back, child, D.scaled(unfold, "1/2 + D"))

    def ends(zero: Theorem) -> Theorem:
        there = [mate(D, zero, f, "x") for f in ("ht(mate(x)) == 0", "gd(mate(x)) == gd(x)")]
        time = D.scaled(first_wait(D), "gd(x)")
        return by_value(D, goal, heights(D, zero, "x"), back, put(after("mate(x)"), *there), time)

    return by_height(D, "x", above, lambda here: _leaf(D, goal, back, after, here), ends)


def _leaf(D: Derivation, goal: str, back: Theorem, after: Callable[[str], Theorem], here: Theorem) -> Theorem:
    """In a leaf the good jump has probability at most 1/2 + D."""
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    flat = [D.fact(name) for name in ("good", "bad", "gd-good", "gd-bad")]
    good, bad = (put(after(state), *flat) for state in ("good", "bad"))
    good_chance, bad_chance = (f"(1/2 {sign} D*Ind(x == z)*Ind(a == b))" for sign in "+-")
    signs = [settle(D, f"0 <= {c}", ["x == z", "a == b"], low, high) for c in (good_chance, bad_chance)]
    less = settle(D, f"{good_chance} <= 1/2 + D", ["x == z", "a == b"], low)
    stored = D.mp(D.special(D.at(not_negative(D), h="1"), "t"), D.assume("0 <= t"))
    values = [unpaid(D, "x", D.linear("1 <= ht(x)", here)), *heights(D, here, "x"), here]
    return by_value(
        D, goal, values, back, D.times(good, signs[0]), D.times(bad, signs[1]),
        D.times(less, stored), D.scaled(unfolded(D), good_chance),
    )  # fmt: skip


def unfolded(D: Derivation) -> Theorem:
    """er(1, t) as an integral."""
    inner = D.scaled(D.fact("er-0", t="t - s"), _DENSITY)
    says = f"er(1, t) == Int(s, t, {_DENSITY}*(t - s))"
    return D.linear(says, D.fact("er-step", h="0"), D.integral(inner, "s", "t"))


def first_wait(D: Derivation) -> Theorem:
    """E(t ∧ τ) + E(t - τ)^+ = t, given 0 <= t."""
    primitives = D.primitive("s", "t", "s*exp(-rate*s)"), D.primitive("s", "t", "-exp(-rate*s)")
    says = f"{_WAIT} + Int(s, t, {_DENSITY}*(t - s)) == t"
    return D.linear(says, primitives[0], D.scaled(primitives[1], "t"))


def _worth_positive(D: Derivation) -> Theorem:
    """0 <= worth, for 0 <= t."""
    time = D.assume("0 <= t")
    stored = D.mp(D.special(D.at(not_negative(D), h="ht(x)"), "t"), time)
    gap = theorems.part(D.fact("gap"), D.formula("0 < D"))
    some = D.times(stored, D.linear("0 <= 1/2 + D", gap))
    paid = D.times(time, D.whole("gd(x)"))
    return settle(D, f"0 <= {_WORTH.format('x', 't')}", ["1 <= ht(x)"], some, paid)


# --- at least -----------------------------------------------------------------------------------


def one_step(D: Derivation, state: str, action: str, at: str = "n") -> Theorem:
    """What one action gives is at most the next iterate."""
    back = backup(D)
    told = terms.add(D.term(f"gd(x)*{_WAIT}"), back.says.parts[1])
    most = D.linear(
        terms.relation("<=", told, D.term("V(n + 1, z, b, x, t)")),
        D.most("a", _INNER, "a"),
        D.fact("V-step"),
        back,
    )
    return D.at(most, x=state, a=action, n=at)


def below_leaves(D: Derivation) -> Theorem:
    """The next iterate of a state below the leaves."""
    zero = D.assume("ht(x) == 0")
    return put(one_step(D, "x", "b"), *heights(D, zero, "x"))


def lower_ends(D: Derivation) -> Theorem:
    """All(x, All(t, Imp(ht(x) == 0, Imp(0 <= t <= v, n gd(x) t <= (n + q) V(n, z, b, x, t)))))."""
    says = f"n*gd(x)*t <= {_Q}*V(n, z, b, x, t)"
    a = f"All(x, All(t, Imp(ht(x) == 0, Imp({_SHORT}, {says}))))"
    low, short = (theorems.part(D.assume(_SHORT), D.formula(f)) for f in ("0 <= t", "t <= v"))
    zero = D.assume("ht(x) == 0")
    none = D.linear("0 <= (1 + rate*v)*V(0, z, b, x, t)", D.scaled(D.fact("V-0"), "1 + rate*v"))

    def step(below: Theorem) -> Theorem:
        inside = theorems.both(
            D.linear("0 <= t - s", D.assume("s <= t")), D.linear("t - s <= v", short, D.assume("0 <= s"))
        )
        there = [mate(D, zero, f, "x") for f in ("ht(mate(x)) == 0", "gd(mate(x)) == gd(x)")]
        later = put(weighed(D, D.mp(D.special(below, "mate(x)", "t - s"), there[0], inside)), there[1])
        q = D.linear(f"0 <= {_Q}", _span(D, low, short), D.whole("n"))
        time = D.scaled(D.closed(first_wait(D), low), "n*gd(x)")
        total = D.linear(
            f"gd(x)*(n*t + (1 + rate*v)*{_WAIT}) <= {_Q}*V(n + 1, z, b, x, t)",
            D.times(below_leaves(D), q),
            later,
            time,
        )
        return D.all(D.imply(_next(D, total, low, short), "ht(x) == 0", _SHORT), "x", "t")

    return D.induction("n", a, D.all(D.imply(none, "ht(x) == 0", _SHORT), "x", "t"), step)


def _next(D: Derivation, total: Theorem, low: Theorem, short: Theorem) -> Theorem:
    """(n + 1) gd t <= (n + 1 + q) V from gd (n t + q E(t ∧ τ)) <= (n + q) V."""
    span, value = _span(D, low, short), "V(n + 1, z, b, x, t)"
    positive = D.linear(f"0 < {_Q}", span, D.whole("n"))
    wait = D.times(D.times(_enough(D, low, short), D.linear("0 <= 1 + rate*v", span)), D.whole("gd(x)"))
    more = D.times(total, D.linear(f"0 <= {_Q} + 1", positive))
    product = D.linear(f"{_Q}*(n + 1)*gd(x)*t <= {_Q}*({_Q} + 1)*{value}", more, wait)
    each = D.times(product, D.linear(f"0 <= 1/{_Q}", D.positive("inverse-positive", _Q, positive)))
    unit = D.positive("inverse", _Q, positive)
    return D.linear(
        f"(n + 1)*gd(x)*t <= ({_Q} + 1)*{value}", each,
        D.scaled(unit, "(n + 1)*gd(x)*t"), D.scaled(unit, f"({_Q} + 1)*{value}"),
    )  # fmt: skip


def _span(D: Derivation, low: Theorem, short: Theorem) -> Theorem:
    """0 <= rate v."""
    return D.times(D.linear("0 <= v", low, short), D.linear("0 <= rate", D.fact("rate")))


def _enough(D: Derivation, low: Theorem, short: Theorem) -> Theorem:
    """T <= (n + q + 1) E(t ∧ τ)."""
    rate = D.linear("0 <= rate", D.fact("rate"))
    wait = D.integral(D.linear("0 <= exp(-rate*s)", D.known("exp", "-rate*s")), "s", "t")
    value = D.closed(D.primitive("s", "t", "-exp(-rate*s)"), low)
    known = D.closed(D.pointwise("(1 - exp(-x))*(1 + x) >= x", "x >= 0", x="rate*t"), D.times(low, rate))
    part = D.linear(f"rate*t <= rate*(1 + rate*t)*{_WAIT}", known, value, D.scaled(value, "rate*t"))
    each = D.times(part, D.linear("0 <= 1/rate", D.positive("inverse-positive", "rate", D.fact("rate"))))
    unit = D.positive("inverse", "rate", D.fact("rate"))
    first = D.linear(
        f"t <= (1 + rate*t)*{_WAIT}", each, D.scaled(unit, "t"), D.scaled(unit, f"(1 + rate*t)*{_WAIT}")
    )
    longer = D.times(D.times(D.linear("0 <= v - t", short), rate), wait)
    return D.linear(f"t <= ({_Q} + 1)*{_WAIT}", first, longer, wait, D.times(wait, D.whole("n")))


def ends(D: Derivation) -> Theorem:
    """A good state is worth t, a bad one nothing."""
    given = "And(0 <= t, ht(x) == 0)"
    time, zero = (theorems.part(D.assume(given), D.formula(f)) for f in ("0 <= t", "ht(x) == 0"))
    node = theorems.cut(zero, settle(D, "Ind(1 <= ht(x)) == 0", ["1 <= ht(x)"], D.assume("ht(x) == 0")))
    top = put(D.mp(D.special(upper(D), "x", "t"), time), node)
    high, below = _value(D, top, "x", "t")
    low = D.mp(D.special(D.at(lower_ends(D), v="t"), "x", "t"), zero, theorems.both(time, D.linear("t <= t")))
    down = _limit(D, low, below, "gd(x)*t", "x", "t", time)
    equal = D.mp(D.known("antisymmetric", "Vs(z, b, x, t)", "gd(x)*t"), theorems.both(high, down))
    return D.imply(equal, given)


def _value(D: Derivation, top: Theorem, state: str, time: str) -> tuple[Theorem, Theorem]:
    """Vs <= what all iterates are at most, and V(n) <= Vs."""
    n = D.variable("n")
    fact = D.fact("Vs", x=state, t=time)
    above = calculus.bounded(top, n)
    below = calculus.supremum(top, n, n)
    v = f"Vs(z, b, {state}, {time})"
    high = D.linear(terms.relation("<=", D.term(v), top.says.parts[1]), above, fact)
    return high, D.linear(f"V(n, z, b, {state}, {time}) <= {v}", below, fact)


def _limit(
    D: Derivation,
    low: Theorem,
    below: Theorem,
    worth: str,
    state: str,
    time: str,
    long: Theorem,
) -> Theorem:
    """Worth <= Vs, from n worth <= (n + q) V(...) for all n."""
    v, q = f"Vs(z, b, {state}, {time})", f"(1 + rate*{time})"
    sign = D.linear(f"0 <= n + {q}", D.whole("n"), D.times(long, D.linear("0 <= rate", D.fact("rate"))))
    small = D.linear(f"n*({worth} - {v}) <= {q}*{v}", low, D.times(below, sign))
    return D.linear(f"{worth} <= {v}", calculus.archimedes(small, D.variable("n")))


def optimal(D: Derivation) -> Theorem:
    """The root is worth (1/2 + D) er(d, H)."""
    leaf = D.assume("ht(z) == 1")
    long = D.linear("0 <= H", D.fact("horizon"))
    high = D.linear("1 <= ht(root)", D.fact("root"), D.fact("levels"))
    rooted = [on(D, high), D.fact("root"), unpaid(D, "root", high)]
    top = put(D.mp(D.special(upper(D), "root", "H"), long), *rooted)
    worth, v = "er(d, H)*(1/2 + D)", "Vs(z, b, root, H)"
    high, below = _value(D, top, "root", "H")
    low = _path(D, leaf)
    reached = D.at(below, n="n + d")
    down = _limit(D, low, reached, worth, "root", "H", long)
    return D.imply(D.mp(D.known("antisymmetric", v, worth), theorems.both(high, down)), "ht(z) == 1")


def _path(D: Derivation, leaf: Theorem) -> Theorem:
    """N (1/2 + D) er(d, H) <= (n + q) V(n + d, z, b, root, H)."""
    worth = "n*(1/2 + D)*er({h}, t) <= " + _Q + "*V(n + {h}, z, b, anc(z, {h}), t)"
    a = f"Imp(h + 1 <= d, All(t, Imp({_SHORT}, {worth.format(h='h + 1')})))"
    low, short = (theorems.part(D.assume(_SHORT), D.formula(f)) for f in ("0 <= t", "t <= v"))
    inside = theorems.both(
        D.linear("0 <= t - s", D.assume("s <= t")), D.linear("t - s <= v", short, D.assume("0 <= s"))
    )
    q = D.linear(f"0 <= {_Q}", _span(D, low, short), D.whole("n"))
    start = D.imply(D.all(D.imply(_at_leaf(D, leaf, inside, q), _SHORT), "t"), "1 <= d")

    def step(below: Theorem) -> Theorem:
        far = D.assume("h + 2 <= d")
        way = when(D, D.fact("anc", h="h + 1"), leaf, D.linear("1 <= h + 1", D.whole("h")), far)
        height, down = (
            theorems.part(way, f) for f in sorted(way.says.parts, key=lambda f: "child" in show(f))
        )
        inner = weighed(D, D.mp(D.special(when(D, below, far), "t - s"), inside))
        high = D.linear("2 <= ht(anc(z, h + 2))", height, D.whole("h"))
        node = D.linear("1 <= ht(anc(z, h + 2))", high)
        values: list[Theorem | Way] = [
            *heights(D, high, "anc(z, h + 2)"),
            unpaid(D, "anc(z, h + 2)", node),
            towards(D, down, "child(anc(z, h + 2), via(z, h + 1))"),
        ]
        up = put(one_step(D, "anc(z, h + 2)", "via(z, h + 1)", "n + h + 1"), *values)
        unfold = D.scaled(D.fact("er-step", h="h + 1"), "n*(1/2 + D)")
        says = worth.format(h="h + 2")
        return D.imply(
            D.all(D.imply(D.linear(says, D.times(up, q), inner, unfold), _SHORT), "t"), "h + 2 <= d"
        )

    return _at_root(D, D.at(D.induction("h", a, start, step), v="H"), leaf)


def _at_root(D: Derivation, path: Theorem, leaf: Theorem) -> Theorem:
    """The way up ends at the root."""
    goal = "n*(1/2 + D)*er(d, H) <= (n + 1 + rate*H)*V(n + d, z, b, root, H)"
    long = D.linear("0 <= H", D.fact("horizon"))
    last = D.assume("h + 1 == d")
    here = D.mp(D.special(when(D, path, last), "H"), theorems.both(long, D.linear("H <= H")))
    high = when(D, _climbs(D, leaf), last)
    top = when(D, D.at(D.fact("top"), x="anc(z, h + 1)"), D.linear("d <= ht(anc(z, h + 1))", high, last))
    found = by_value(D, goal, [D.linear("d == h + 1", last), towards(D, top, "root")], here)
    start = D.imply(by_value(D, goal, [], D.assume("1 <= 0")), "0 == d", "1 <= 0")
    some = D.induction(
        "h", f"Imp(h == d, Imp(1 <= h, {goal}))", start, lambda _: D.imply(found, "h + 1 == d", "1 <= h + 1")
    )
    return D.mp(D.at(some, h="d"), D.linear("d == d"), D.fact("levels"))


def _climbs(D: Derivation, leaf: Theorem) -> Theorem:
    """Imp(h + 1 <= d, ht(anc(z, h + 1)) == h + 1)."""
    first = put(leaf, towards(D, when(D, D.fact("anc-1"), leaf), "z"))

    def step(_: Theorem) -> Theorem:
        far = D.assume("h + 2 <= d")
        way = when(D, D.fact("anc", h="h + 1"), leaf, D.linear("1 <= h + 1", D.whole("h")), far)
        return D.imply(theorems.part(way, D.formula("ht(anc(z, h + 2)) == h + 2")), "h + 2 <= d")

    a = "Imp(h + 1 <= d, ht(anc(z, h + 1)) == h + 1)"
    return D.induction("h", a, D.imply(first, "1 <= d"), step)


def _at_leaf(D: Derivation, leaf: Theorem, inside: Theorem, q: Theorem) -> Theorem:
    """The same for z itself."""
    there = when(D, D.fact("anc-1"), leaf)
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    ends_ = lower_ends(D)
    good, bad = (
        put(
            weighed(D, D.mp(D.special(ends_, state, "t - s"), D.fact(state), inside)),
            D.fact(f"gd-{state}"),
        )
        for state in ("good", "bad")
    )
    values = [*heights(D, leaf, "z"), unpaid(D, "z", D.linear("1 <= ht(z)", leaf))]
    up = D.times(put(one_step(D, "z", "b"), *values), q)
    chances = D.linear("0 <= 1/2 + D", low), D.linear("0 <= 1/2 - D", high)
    shares = D.times(good, chances[0]), D.times(bad, chances[1])
    unfold = D.scaled(unfolded(D), "n*(1/2 + D)")
    says = f"n*(1/2 + D)*er(1, t) <= {_Q}*V(n + 1, z, b, {{0}}, t)"
    found = D.linear(says.format("z"), up, *shares, unfold)
    return by_value(D, says.format("anc(z, 1)"), [towards(D, there, "anc(z, 1)")], found)
