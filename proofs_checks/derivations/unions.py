"""Unions of events, as indicators of sums of whole numbers: 1 <= Σ u says that one of the u is at least 1.

``ever(u)`` is the indicator that u >= 1 at some decision i < n.  Its mean is at most the sum of the means, over a
finite sort or over peels, and what never happens gives that all confidence sets cover.
"""

from __future__ import annotations

from collections.abc import Callable

from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation, Text
from verify.kernel.calculus import Operator
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

OTHER = 900  # the number of a variable that no text uses


def ever(u: str) -> str:
    """Whether u >= 1 at some decision i < n."""
    return f"Ind(1 <= Sum(i, n, {u}))"


Build = Callable[[Theorem], Theorem]


def either(D: Derivation, theorem: Theorem, first: Text, build: Build, other: Build) -> Theorem:  # noqa: N803
    """The same conclusion from both parts of an Or; ``build`` is for the first."""
    left = theorem.says.parts[0] is D.formula(first)
    return D.split(theorem, *((build, other) if left else (other, build)))


def order(D: Derivation, u: Text, v: Text, low: Build, high: Build) -> Theorem:  # noqa: N803
    """The same conclusion from u <= v and from v + 1 <= u, of whole numbers."""
    first = terms.relation("<=", D.term(u), D.term(v))
    return either(D, D.known("discrete", u, v), first, low, high)


def whole_cases(D: Derivation, u: Text, none: Build, some: Build) -> Theorem:  # noqa: N803
    """The same conclusion from u <= 0 and from 1 <= u, of a whole number."""
    return order(D, u, terms.ZERO, none, some)


def _some(u: Term) -> Term:
    return terms.relation("<=", terms.ONE, u)


def _compare(D: Derivation, total: Theorem) -> Theorem:  # noqa: N803
    """From u <= v (or ==): Ind(1 <= u) <= Ind(1 <= v)."""
    events = [_some(side) for side in total.says.parts]
    return D.decide(terms.relation("<=", *map(terms.indicator, events)), events, total)


def ever_below(D: Derivation, below: Theorem) -> Theorem:  # noqa: N803
    """From u <= v at each decision i: ever(u) <= ever(v)."""
    return _compare(D, D.sum(below, "i", "n"))


def one_of_sum(D: Derivation, u: Text, name: str) -> Theorem:  # noqa: N803
    """u <= SumOver(name, u), u a whole number."""
    body, x = D.term(u), D.variable(name)
    other = D.variable(f"{x.sort}_{OTHER}")
    here = terms.substitute(body, {x: other})
    picked = terms.relation("==", other, x)
    goal = terms.relation("<=", terms.mul(terms.indicator(picked), here), here)
    each = D.decide(goal, [picked], D.whole(here))
    return D.over(each, str(other.parts[0]))


def one_of_first(D: Derivation, u: Text) -> Theorem:  # noqa: N803
    """i < n ⊢ u <= Sum(i, n, u), u a whole number."""
    body, i = D.term(u), D.variable("i")
    k = D.variable(f"Nat_{OTHER}")
    n = D.variable("n")

    def says(m: Term) -> Term:
        total = Operator("Sum", k, m).around(terms.substitute(body, {i: k}))
        return terms.relation("<=", body, total)

    def claim(m: Term) -> Term:
        return terms.implication(terms.relation("<", i, m), says(m))

    none = D.assume("i < 0")
    start = D.imply(D.absurd(D.linear("0 < 0", none, D.whole("i")), says(terms.ZERO)), "i < 0")

    def step(before: Theorem) -> Theorem:
        after = terms.add(n, terms.ONE)
        goal, last = says(after), terms.substitute(body, {i: n})
        past = goal.parts[1]
        low = D.assume("i < n + 1")

        def earlier(less: Theorem) -> Theorem:
            got = D.mp(before, D.linear("i < n", less))
            return D.linear(goal, got, D.whole(last))

        def at_end(more: Theorem) -> Theorem:
            def same(most: Theorem) -> Theorem:
                is_last = D.mp(D.known("antisymmetric", "i", "n"), theorems.both(most, more))
                value = D.linear(terms.relation("<=", last, past), D.whole(terms.sub(past, last)))
                back = D.linear("n == i", is_last)
                template = terms.relation("<=", terms.substitute(body, {i: k}), past)
                return D.rewrite(back, value, f"Nat_{OTHER}", template)

            return order(D, "i", "n", same, lambda beyond: D.absurd(D.linear("0 < 0", low, beyond), goal))

        return D.imply(order(D, "n", "i", at_end, earlier), "i < n + 1")

    return D.mp(D.induction("n", claim(n), start, step), D.assume("i < n"))


def union_of_two(D: Derivation, p: Text, q: Text) -> Theorem:  # noqa: N803
    """Ind(1 <= p + q) <= Ind(1 <= p) + Ind(1 <= q), of whole numbers."""
    p, q = D.term(p), D.term(q)
    parts = [terms.indicator(_some(t)) for t in (p, q)]
    event = _some(terms.add(p, q))
    goal = terms.relation("<=", terms.indicator(event), terms.add(*parts))
    signs = [D.whole(t) for t in parts]

    def has(t: Term) -> Theorem:
        return D.decide(goal, [event, _some(t)], D.assume(_some(t)), *signs)

    return whole_cases(
        D,
        p,
        lambda no_p: whole_cases(
            D,
            q,
            lambda no_q: D.decide(goal, [event], no_p, no_q, *signs),
            lambda _: has(q),
        ),
        lambda _: has(p),
    )


def union_over(D: Derivation, name: str, u: Text) -> Theorem:  # noqa: N803
    """Ind(1 <= SumOver(name, u)) <= SumOver(name, Ind(1 <= u)), of whole numbers."""
    body, x = D.term(u), D.variable(name)
    around = Operator("SumOver", x).around
    event = terms.indicator(_some(body))
    total, each = around(body), around(event)
    none = D.assume(terms.relation("<=", each, terms.ZERO))
    never = D.linear(terms.relation("<=", event, terms.ZERO), one_of_sum(D, event, name), none)
    empty = whole_cases(
        D,
        body,
        lambda low: low,
        lambda high: D.by_value(terms.relation("<=", body, terms.ZERO), [D.holds(_some(body))], never),
    )
    goal = terms.relation("<=", terms.indicator(_some(total)), each)
    return whole_cases(
        D,
        each,
        lambda _: D.decide(goal, [_some(total)], D.over(empty, name), D.whole(each)),
        lambda some: D.decide(goal, [_some(total)], some),
    )


def union_first(D: Derivation, name: str, number: str, u: Text) -> Theorem:  # noqa: N803
    """Ind(1 <= Sum(name, number, u)) <= Sum(name, number, Ind(1 <= u)); the number is a variable."""
    body, j, k = D.term(u), D.variable(name), D.variable(number)
    around = Operator("Sum", j, k).around
    total, each = around(body), around(terms.indicator(_some(body)))
    goal = terms.relation("<=", terms.indicator(_some(total)), each)
    last = terms.substitute(body, {j: k})
    after = terms.substitute(goal, {k: terms.add(k, terms.ONE)})
    start = D.linear(terms.substitute(goal, {k: terms.ZERO}))
    return D.induction(
        number, goal, start, lambda before: D.linear(after, before, union_of_two(D, total, last))
    )


def ever_over(D: Derivation, name: str, u: Text, bound: Theorem) -> Theorem:  # noqa: N803
    """From E(ever(u)) <= v: E(ever(SumOver(name, u))) <= SumOver(name, v)."""
    inner, time = Operator("SumOver", D.variable(name)), Operator("Sum", D.variable("i"), D.term("n"))
    order = D.exchange(time, inner, u)
    union = union_over(D, name, time.around(D.term(u)))
    return _added(D, order, union, D.over(bound, name))


def ever_first(D: Derivation, name: str, number: str, u: Text, bound: Theorem) -> Theorem:  # noqa: N803
    """From E(ever(u)) <= v: E(ever(Sum(name, number, u))) <= Sum(name, number, v)."""
    inner = Operator("Sum", D.variable(name), D.term(number))
    time = Operator("Sum", D.variable("i"), D.term("n"))
    order = D.exchange(time, inner, u)
    union = union_first(D, name, number, time.around(D.term(u)))
    return _added(D, order, union, D.sum(bound, name, number))


def _added(D: Derivation, order: Theorem, union: Theorem, bounds: Theorem) -> Theorem:  # noqa: N803
    first = D.mean(_compare(D, order))
    goal = terms.relation("<=", first.says.parts[0], bounds.says.parts[1])
    return D.linear(goal, first, D.mean(union), bounds)


def ever_both(D: Derivation, u: Text, v: Text, first: Theorem, second: Theorem) -> Theorem:  # noqa: N803
    """From E(ever(u)) <= c and E(ever(v)) <= d: E(ever(u + v)) <= c + d."""
    time = Operator("Sum", D.variable("i"), D.term("n"))
    union = D.mean(union_of_two(D, time.around(D.term(u)), time.around(D.term(v))))
    goal = terms.relation("<=", union.says.parts[0], terms.add(first.says.parts[1], second.says.parts[1]))
    return D.linear(goal, union, first, second)
