"""Counting along a run: whole numbers, pigeon-holes, and jumps sorted by their number within the episode."""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.roots import over_pairs
from proofs_checks.derivations.runs import by_jump, decided, equal, maximum, settled
from proofs_checks.derivations.unions import square_below
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem

_HERE = "Ind(X({i}) == x)*Ind(act({i}) == a)"
_OWN = f"Ind(ep({{i}}) + 1 <= K)*{_HERE}*jump({{i}})*Ind(pos({{i}}) == l)"
COUNT = "Sum(i, {n}, " + _OWN.format(i="i") + ")"  # jumps of the pair that are the l-th of their episode
LEVEL = "Sum(i, {n}, Ind(ep(i) + 1 <= K)*jump(i)*Ind(pos(i) == l))"  # episodes with more than l jumps
WEIGHT = "1/sqrt(Max(1, Nf({n}, X({n}), act({n}))))"


PIGEON_HOLE = (
    "Imp(All(n, gz(n) <= 1), Sum(i, n, gz(i)/sqrt(Max(1, Sum(k, i, gz(k))))) <= 2*sqrt(Sum(i, n, gz(i))))"
)


def steps_of_order(D: Derivation) -> Theorem:
    """Ind(l <= k) == Ind(k == l) + Ind(l + 1 <= k), for whole numbers."""
    goal, events = "Ind(l <= k) == Ind(k == l) + Ind(l + 1 <= k)", ["l <= k", "l + 1 <= k", "k == l"]

    def case(assumed: Theorem) -> Theorem:
        if assumed.says is not D.formula("k <= l"):
            return D.decide(goal, events, assumed)

        def other(below: Theorem) -> Theorem:
            if below.says is not D.formula("l <= k"):
                return D.decide(goal, events, below)
            both = equal(D, assumed, below)
            return decided(
                D, goal, [D.holds("l <= k"), D.closed(D.holds("k == l"), both)], ["l + 1 <= k"], both
            )

        return D.split(D.known("discrete", "l", "k"), other, other)

    return D.split(D.known("discrete", "k", "l"), case, case)


def one_of(D: Derivation) -> Theorem:
    """Sum(l, m, Ind(k == l)) == Ind(k + 1 <= m)."""
    goal = "Sum(l, {m}, Ind(k == l)) == Ind(k + 1 <= {m})"
    first = D.decide(goal.format(m="0"), ["k + 1 <= 0"], D.whole("k"))
    order = D.at(steps_of_order(D), l="k", k="m")
    return D.induction(
        "m", goal.format(m="m"), first, lambda below: D.linear(goal.format(m="m + 1"), below, order)
    )


def pigeon_hole(D: Derivation) -> Theorem:
    """Increments 0 and 1: Σ z/√max(1, Z) <= 2√Z, by way of Ind(Z == 1) + 2√(Z - 1)."""
    bound = "Ind({k} == 1) + 2*sqrt({k} - 1)"
    grow = _grow(D, bound)
    z, total = D.special(D.assume("All(n, gz(n) <= 1)"), "n"), "Sum(i, n, gz(i))"
    left = "Sum(i, {n}, gz(i)/sqrt(Max(1, Sum(k, i, gz(k)))))"

    def claim(n: str) -> str:
        return f"{left.format(n=n)} <= {bound.format(k=f'Sum(i, {n}, gz(i))')}"

    def step(below: Theorem) -> Theorem:
        def case(assumed: Theorem) -> Theorem:
            if assumed.says is D.formula("gz(n) <= 0"):
                return D.by_value(claim("n + 1"), [equal(D, assumed, D.whole("gz(n)"))], below)
            return D.by_value(claim("n + 1"), [equal(D, z, assumed)], below, D.at(grow, k=total))

        return D.split(D.known("discrete", "gz(n)", "0"), case, case)

    sharp = D.induction("n", claim("n"), D.linear(claim("0")), step)
    return D.imply(
        D.linear(f"{left.format(n='n')} <= 2*sqrt({total})", sharp, D.at(_root(D, bound), k=total)),
        "All(n, gz(n) <= 1)",
    )


def _small(D: Derivation, goal: str, large: Callable[[Theorem], Theorem]) -> Theorem:
    """A goal about k at 0 and at 1 by value, and from 2 on."""

    def case(assumed: Theorem) -> Theorem:
        if assumed.says is D.formula("k <= 0"):
            return D.by_value(goal, [equal(D, assumed, D.whole("k"))])

        def more(second: Theorem) -> Theorem:
            if second.says is D.formula("k <= 1"):
                return D.by_value(goal, [equal(D, second, assumed)])
            return large(second)

        return D.split(D.known("discrete", "k", "1"), more, more)

    return D.split(D.known("discrete", "k", "0"), case, case)


def _grow(D: Derivation, bound: str) -> Theorem:
    goal = f"{bound.format(k='k')} + 1/sqrt(Max(1, k)) <= {bound.format(k='(k + 1)')}"

    def large(two: Theorem) -> Theorem:
        most = maximum(D, "1", "k", two)
        step = settled(D, D.claim("prop:proberror/pigeon-hole/sharp", n="k"), two)
        return decided(D, goal, [most], ["k == 1", "k + 1 == 1"], step, two)

    return _small(D, goal, large)


def _root(D: Derivation, bound: str) -> Theorem:
    goal = f"{bound.format(k='k')} <= 2*sqrt(k)"

    def large(two: Theorem) -> Theorem:
        step = settled(D, D.pointwise("sqrt(n - 1) <= sqrt(n)", "n >= 2", n="k"), two)
        return D.decide(goal, ["k == 1"], step, two)

    return _small(D, goal, large)


# --- jumps by their number within the episode ---------------------------------------------------


def seen_before(D: Derivation) -> Theorem:
    """Ind(pos(n) <= l) COUNT(n) <= Nf(n, x, a): earlier l-th jumps are of earlier episodes."""
    count = COUNT.format(n="n")
    one = D.decide(
        f"{_OWN.format(i='n')} <= {_HERE.format(i='n')}*jump(n)",
        ["ep(n) + 1 <= K", "pos(n) == l"],
        D.whole(f"{_HERE.format(i='n')}*jump(n)"),
    )
    total = D.induction(
        "n",
        f"{count} <= N(n, x, a)",
        D.linear(f"{COUNT.format(n='0')} <= N(0, x, a)", D.fact("N-0")),
        lambda below: D.linear(f"{COUNT.format(n='n + 1')} <= N(n + 1, x, a)", below, one, D.fact("N-step")),
    )
    first = D.decide(f"Ind(pos(0) <= l)*{COUNT.format(n='0')} <= Nf(0, x, a)", [], D.whole("Nf(0, x, a)"))
    goal = f"Ind(pos(n + 1) <= l)*{COUNT.format(n='n + 1')} <= Nf(n + 1, x, a)"
    after = D.at(total, n="n + 1")

    def step(below: Theorem) -> Theorem:
        return by_jump(
            D,
            lambda values, stays: decided(
                D,
                goal,
                [D.fact("pos-step"), D.fact("Nf-step"), *values],
                ["pos(n) + 1 <= l", "pos(n) <= l", "pos(n) == l"] if stays else ["0 <= l"],
                below,
                after,
                D.whole("l"),
                D.whole("Nf(n, x, a)"),
            ),
        )

    return D.induction("n", f"Ind(pos(n) <= l)*{count} <= Nf(n, x, a)", first, step)


def early(D: Derivation) -> Theorem:
    """pos(n) <= n."""
    return D.induction(
        "n",
        "pos(n) <= n",
        D.linear("pos(0) <= 0", D.fact("pos-0")),
        lambda below: by_jump(
            D,
            lambda values, _: D.by_value(
                "pos(n + 1) <= n + 1", [D.fact("pos-step"), *values], below, D.whole("n")
            ),
        ),
    )


def sorted_jumps(D: Derivation) -> Theorem:
    """Σ over n < m of jump/√max(1, Nf) is at most 2 Σ over l < m and pairs of √COUNT(m)."""
    own = D.term(_OWN.format(i="n"))
    hole = D.instantiate(D.lemma("prop:proberror/pigeon-hole/sharp"), "gz", "n", own)
    events = ["ep(n) + 1 <= K", "X(n) == x", "act(n) == a", "pos(n) == l"]
    small = D.all(D.decide(f"{_OWN.format(i='n')} <= 1", events, D.fact("jump")), "n")
    hole = D.at(D.mp(hole, small), n="m")
    inverse = "1/sqrt(Max(1, {u}))"
    here, count = inverse.format(u="Nf(n, x, a)"), inverse.format(u=COUNT.format(n="n"))
    goal = f"Ind(pos(n) == l)*{here} <= Ind(pos(n) == l)*{count}"

    def at_level(same: Theorem) -> Theorem:
        before = D.valued(seen_before(D), D.closed(D.holds("pos(n) <= l"), same))
        mine, all_of_it = f"Max(1, {COUNT.format(n='n')})", "Max(1, Nf(n, x, a))"
        facts = (D.known("max", "1", "Nf(n, x, a)"), D.known("max-right", "1", "Nf(n, x, a)"), before)
        fewer = D.split(
            D.known("max-cases", "1", COUNT.format(n="n")),
            lambda one: D.linear(f"{mine} <= {all_of_it}", one, *facts),
            lambda two: D.linear(f"{mine} <= {all_of_it}", two, *facts),
        )
        less = D.claim("eq:CS3", M=mine, d=f"{all_of_it} - {mine}")
        less = settled(
            D, less, fewer, D.known("max", "1", COUNT.format(n="n")), D.known("max", "1", "Nf(n, x, a)")
        )
        return D.by_value(goal, [D.holds("pos(n) == l")], less)

    smaller = D.cases("pos(n) == l", at_level, lambda _: D.by_value(goal, [D.fails("pos(n) == l")]))
    weight = D.whole("Ind(ep(n) + 1 <= K)*Ind(X(n) == x)*Ind(act(n) == a)*jump(n)")
    pair = D.sum(D.times(smaller, weight), "n", "m")
    return D.linear(f"Sum(n, m, {_OWN.format(i='n')}*{here}) <= 2*sqrt({COUNT.format(n='m')})", pair, hole)


def exchanged(D: Derivation, body: str) -> Theorem:
    """SumOver(x, SumOver(a, Sum(n, m, body))) == Sum(n, m, SumOver(x, SumOver(a, body)))."""
    run = Operator("Sum", D.variable("n"), D.term("m"))
    state, action = Operator("SumOver", D.variable("x")), Operator("SumOver", D.variable("a"))
    inner = D.exchange(action, run, body)
    outer = D.exchange(state, run, action.around(D.term(body)))
    left = D.over(inner, "x")
    u, v = left.says.parts[0], outer.says.parts[1]
    return D.linear(terms.relation("==", u, v), left, outer)


def at_level(D: Derivation) -> Theorem:
    """Σ over n < m of jump Ind(pos == l)/√max(1, Nf) <= 2 √(S A LEVEL(m))."""
    one = over_pairs(D, sorted_jumps(D))
    weighed = exchanged(D, f"{_OWN.format(i='n')}/sqrt(Max(1, Nf(n, x, a)))")
    counted = exchanged(D, _OWN.format(i="n"))
    roots = D.instantiate(D.lemma("prop:proberror/cauchy-schwarz"), "gbe", "x a", COUNT.format(n="m"))
    roots = D.mp(roots, D.all(D.whole(COUNT.format(n="m")), "x", "a"))
    roots = D.valued(roots, counted)
    left = f"Sum(n, m, Ind(ep(n) + 1 <= K)*jump(n)*Ind(pos(n) == l)*{WEIGHT.format(n='n')})"
    return D.linear(f"{left} <= 2*sqrt(S*A*{LEVEL.format(n='m')})", one, weighed, roots)


def all_levels(D: Derivation) -> Theorem:
    """Σ over n < m of jump/√max(1, Nf) <= 2 √(S A) Σ over l < m of √LEVEL(m)."""
    body = f"Ind(ep(n) + 1 <= K)*jump(n)*{WEIGHT.format(n='n')}"
    total = D.sum(at_level(D), "l", "m")
    run, level = Operator("Sum", D.variable("n"), D.term("m")), Operator("Sum", D.variable("l"), D.term("m"))
    turned = D.exchange(level, run, f"{body}*Ind(pos(n) == l)")
    below = D.split(
        D.known("discrete", "m", "n"),
        lambda one: _next(D, one),
        lambda one: _next(D, one),
    )
    inside = D.closed(D.holds("pos(n) + 1 <= m"), D.linear("pos(n) + 1 <= m", below, early(D)))
    one = D.linear("1 == Sum(l, m, Ind(pos(n) == l))", D.at(one_of(D), k="pos(n)"), inside)
    same = D.sum(D.scaled(one, body), "n", "m")
    product = D.pointwise("sqrt(x*y) == sqrt(x)*sqrt(y)", "x >= 0", "y >= 0", x="S*A", y=LEVEL.format(n="m"))
    level_of = LEVEL.format(n="m")
    product = settled(D, product, D.whole("S*A"), D.whole(level_of), D.whole(f"S*A*{level_of}"))
    product = D.sum(product, "l", "m")
    return D.linear(
        f"Sum(n, m, {body}) <= 2*sqrt(S*A)*Sum(l, m, sqrt({level_of}))", total, turned, same, product
    )


def _next(D: Derivation, one: Theorem) -> Theorem:
    """n + 1 <= m, given n < m, in both cases of their order."""
    goal = D.formula("n + 1 <= m")
    return one if one.says is goal else D.by_value(goal, [], one, D.assume("n < m"))


# --- other forms of the pigeon-hole sum ---------------------------------------------------------

_SUMS = "Sum(i, {n}, {z}(i)/sqrt(Max(1, Sum(k, i, {z}(k)))))"
PIGEON_HOLE_PRINTED = f"Imp(All(n, gz(n) <= 1), {_SUMS.format(n='n', z='gz')} <= 3*sqrt(Sum(i, n, gz(i))))"
_SIZES = "All(n, And(0 <= gx(n), gx(n) <= Max(1, Sum(i, n, gx(i)))))"
PIGEON_HOLE_GENERAL = f"Imp({_SIZES}, {_SUMS.format(n='n', z='gx')} <= (1 + sqrt(2))*sqrt(Sum(i, n, gx(i))))"


def pigeon_hole_printed(D: Derivation) -> Theorem:
    """The same with 3 for 2."""
    small, total = "All(n, gz(n) <= 1)", "Sum(i, n, gz(i))"
    sharp = D.mp(D.lemma("prop:proberror/pigeon-hole/sharp"), D.assume(small))
    goal = f"{_SUMS.format(n='n', z='gz')} <= 3*sqrt({total})"
    return D.imply(D.linear(goal, sharp, D.known("sqrt", total)), small)


def pigeon_hole_general(D: Derivation) -> Theorem:
    """z = (√(Z + z) - √Z)(√(Z + z) + √Z), and the second factor is at most (1 + √2) √W."""
    sizes = D.special(D.assume(_SIZES), "n")
    now, most, total = "gx(n)", "Max(1, Sum(i, n, gx(i)))", "Sum(i, n, gx(i))"
    low, high = (theorems.part(sizes, D.formula(t)) for t in (f"0 <= {now}", f"{now} <= {most}"))
    sign = D.induction(
        "n",
        f"0 <= {total}",
        D.linear("0 <= Sum(i, 0, gx(i))"),
        lambda below: D.linear("0 <= Sum(i, n + 1, gx(i))", below, low),
    )
    one, more = D.known("max", "1", total), D.known("max-right", "1", total)
    before, after, width = f"sqrt({total})", f"sqrt({total} + {now})", f"sqrt({most})"
    squares = {
        text: D.positive("sqrt-square", text, D.linear(f"0 <= {text}", sign, low, one))
        for text in (total, f"{total} + {now}", most)
    }
    two = D.positive("sqrt-square", "2", D.linear("0 <= 2"))
    wide = D.linear(
        f"{after}**2 <= (sqrt(2)*{width})**2",
        squares[f"{total} + {now}"],
        squares[most],
        D.scaled(two, f"{width}**2"),
        high,
        more,
    )
    first = square_below(
        D, wide, D.times(D.known("sqrt", most), D.known("sqrt", "2")), after, f"sqrt(2)*{width}"
    )
    second = D.linear(f"{before}**2 <= {width}**2", squares[total], squares[most], more)
    second = square_below(D, second, D.known("sqrt", most), before, width)
    grown = D.linear(f"{before}**2 <= {after}**2", squares[total], squares[f"{total} + {now}"], low)
    grown = square_below(D, grown, D.known("sqrt", f"{total} + {now}"), before, after)
    factor = D.linear(f"0 <= {after} - {before}", grown)
    product = D.times(D.linear(f"{after} + {before} <= (1 + sqrt(2))*{width}", first, second), factor)
    whole = D.linear(
        f"{now} <= (1 + sqrt(2))*{width}*({after} - {before})",
        product,
        squares[total],
        squares[f"{total} + {now}"],
    )
    root = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=most), D.linear(f"0 < {most}", one))
    unit = D.scaled(D.positive("inverse", width, root), f"(1 + sqrt(2))*({after} - {before})")
    step = D.linear(
        f"{now}/{width} <= (1 + sqrt(2))*({after} - {before})",
        D.times(whole, D.positive("inverse-positive", width, root)),
        unit,
    )

    def claim(n: str) -> str:
        return f"{_SUMS.format(n=n, z='gx')} <= (1 + sqrt(2))*sqrt(Sum(i, {n}, gx(i)))"

    shown = D.induction(
        "n", claim("n"), D.linear(claim("0")), lambda below: D.linear(claim("n + 1"), below, step)
    )
    return D.imply(shown, _SIZES)
