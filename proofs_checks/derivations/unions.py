"""Unions of events, as indicators of sums of whole numbers: 1 <= Σ u says that one of the u is at least 1.

``ever(u)`` is the indicator that u >= 1 at some decision i < n. Its mean is at most the sum of the means,
over a finite sort or over peels, and what never happens gives that all confidence sets cover.
"""

from __future__ import annotations

from collections.abc import Callable

from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation, Text
from verify.kernel.calculus import Operator
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

OTHER = 900  # the number of a variable that no text uses


def ever(u: str) -> str:
    """Whether u >= 1 at some decision i < n."""
    return f"Ind(1 <= Sum(i, n, {u}))"


Build = Callable[[Theorem], Theorem]


def either(D: Derivation, theorem: Theorem, first: Text, build: Build, other: Build) -> Theorem:
    """The same conclusion from both parts of an Or; ``build`` is for the first."""
    left = theorem.says.parts[0] is D.formula(first)
    return D.split(theorem, *((build, other) if left else (other, build)))


def order(D: Derivation, u: Text, v: Text, low: Build, high: Build) -> Theorem:
    """The same conclusion from u <= v and from v + 1 <= u, of whole numbers."""
    first = terms.relation("<=", D.term(u), D.term(v))
    return either(D, D.known("discrete", u, v), first, low, high)


def whole_cases(D: Derivation, u: Text, none: Build, some: Build) -> Theorem:
    """The same conclusion from u <= 0 and from 1 <= u, of a whole number."""
    return order(D, u, terms.ZERO, none, some)


def _some(u: Term) -> Term:
    return terms.relation("<=", terms.ONE, u)


def _compare(D: Derivation, total: Theorem) -> Theorem:
    """From u <= v (or ==): Ind(1 <= u) <= Ind(1 <= v)."""
    events = [_some(side) for side in total.says.parts]
    return D.decide(terms.relation("<=", *map(terms.indicator, events)), events, total)


def ever_below(D: Derivation, below: Theorem) -> Theorem:
    """From u <= v at each decision i: ever(u) <= ever(v)."""
    return _compare(D, D.sum(below, "i", "n"))


def one_of_sum(D: Derivation, u: Text, name: str) -> Theorem:
    """U <= SumOver(name, u), u a whole number."""
    sort, other = D.variable(name).sort, f"{D.variable(name).sort}_{OTHER}"
    here, picked = f"gsome{sort}({other})", f"{other} == {name}"
    each = D.over(D.decide(f"Ind({picked})*{here} <= {here}", [picked], D.whole(here)), other)
    return D.instantiate(each, f"gsome{sort}", name, u)


def one_of_first(D: Derivation, u: Text, name: str = "i", number: str = "n") -> Theorem:
    """I < n ⊢ u <= Sum(i, n, u), u a whole number; other variables may stand for i and n."""
    goal = "gz(i) <= Sum(l, {n}, gz(l))"
    none = D.linear("0 < 0", D.assume("i < 0"), D.whole("i"))
    start = D.imply(D.absurd(none, goal.format(n="0")), "i < 0")

    def step(before: Theorem) -> Theorem:
        after, low = goal.format(n="n + 1"), D.assume("i < n + 1")

        def earlier(less: Theorem) -> Theorem:
            return D.linear(after, D.mp(before, D.linear("i < n", less)), D.whole("gz(n)"))

        def last(more: Theorem) -> Theorem:
            return order(
                D,
                "i",
                "n",
                lambda most: D.rewrite(
                    equal(D, more, most),
                    D.linear("gz(n) <= Sum(l, n + 1, gz(l))", D.whole("Sum(l, n, gz(l))")),
                    f"Nat_{OTHER}",
                    f"gz(Nat_{OTHER}) <= Sum(l, n + 1, gz(l))",
                ),
                lambda beyond: D.absurd(D.linear("0 < 0", low, beyond), after),
            )

        return D.imply(order(D, "n", "i", last, earlier), "i < n + 1")

    shown = D.mp(D.induction("n", f"Imp(i < n, {goal.format(n='n')})", start, step), D.assume("i < n"))
    return D.instantiate(D.at(shown, i=name, n=number), "gz", name, u)


def equal(D: Derivation, low: Theorem, high: Theorem) -> Theorem:
    """U == v from u <= v and v <= u."""
    return D.mp(D.known("antisymmetric", *low.says.parts), theorems.both(low, high))


def rises_to(D: Derivation, text: str, step: Theorem) -> Theorem:
    """Imp(n <= m, f(n) <= f(m)), from f(n) <= f(n + 1); f is a pattern of n."""
    goal = text.format(n="n") + " <= " + text.format(n="{m}")
    later = D.at(step, n="m")

    def same(low: Theorem, high: Theorem, last: str) -> Theorem:
        at = text.format(n=last)
        here = D.linear(f"{at} <= {at}")
        return D.rewrite(equal(D, high, low), here, "Nat_900", f"{text.format(n='Nat_900')} <= {at}")

    def after(before: Theorem) -> Theorem:
        late = D.assume("n <= m + 1")
        found = order(
            D,
            "n",
            "m",
            lambda early: D.linear(goal.format(m="m + 1"), D.mp(before, early), later),
            lambda last: same(late, last, "m + 1"),
        )
        return D.imply(found, "n <= m + 1")

    first = D.imply(same(D.assume("n <= 0"), D.whole("n"), "0"), "n <= 0")
    return D.induction("m", f"Imp(n <= m, {goal.format(m='m')})", first, after)


def _union_of_two(D: Derivation) -> Theorem:
    goal, event = "Ind(1 <= gone + gtwo) <= Ind(1 <= gone) + Ind(1 <= gtwo)", "1 <= gone + gtwo"
    signs = [D.whole(f"Ind(1 <= {name})") for name in ("gone", "gtwo")]

    def has(some: Theorem) -> Theorem:
        return D.decide(goal, [event], *signs, D.holds(some.says))

    def none(no: Theorem) -> Theorem:
        return whole_cases(D, "gtwo", lambda neither: D.decide(goal, [event], no, neither, *signs), has)

    return whole_cases(D, "gone", none, has)


def union_of_two(D: Derivation, p: Text, q: Text) -> Theorem:
    """Ind(1 <= p + q) <= Ind(1 <= p) + Ind(1 <= q), of whole numbers."""
    return D.instantiate(D.instantiate(_union_of_two(D), "gone", "", p), "gtwo", "", q)


def union_over(D: Derivation, name: str, u: Text) -> Theorem:
    """Ind(1 <= SumOver(name, u)) <= SumOver(name, Ind(1 <= u)), of whole numbers."""
    symbol = f"gsome{D.variable(name).sort}"
    body = f"{symbol}({name})"
    event, total = f"Ind(1 <= {body})", f"SumOver({name}, {body})"
    each = f"SumOver({name}, {event})"
    never = D.linear(f"{event} <= 0", one_of_sum(D, event, name), D.assume(f"{each} <= 0"))
    empty = whole_cases(
        D,
        body,
        lambda low: low,
        lambda _: D.by_value(f"{body} <= 0", [D.holds(f"1 <= {body}")], never),
    )
    goal, some = f"Ind(1 <= {total}) <= {each}", f"1 <= {total}"
    shown = whole_cases(
        D,
        each,
        lambda _: D.decide(goal, [some], D.over(empty, name), D.whole(each)),
        lambda one: D.decide(goal, [some], one),
    )
    return D.instantiate(shown, symbol, name, u)


def union_first(D: Derivation, name: str, number: str, u: Text) -> Theorem:
    """Ind(1 <= Sum(name, number, u)) <= Sum(name, number, Ind(1 <= u)); the number is a variable."""
    goal = f"Ind(1 <= Sum({name}, {{k}}, gsomeNat({name}))) <= Sum({name}, {{k}}, Ind(1 <= gsomeNat({name})))"
    last = union_of_two(D, f"Sum({name}, {number}, gsomeNat({name}))", f"gsomeNat({number})")
    start, after = D.linear(goal.format(k="0")), goal.format(k=f"{number} + 1")
    shown = D.induction(number, goal.format(k=number), start, lambda before: D.linear(after, before, last))
    return D.instantiate(shown, "gsomeNat", name, u)


def ever_over(D: Derivation, name: str, u: Text, bound: Theorem) -> Theorem:
    """From E(ever(u)) <= v: E(ever(SumOver(name, u))) <= SumOver(name, v)."""
    symbol = f"gever{D.variable(name).sort}"
    body = f"{symbol}(i, {name})"
    swapped = D.exchange(
        Operator("Sum", D.variable("i"), D.term("n")), Operator("SumOver", D.variable(name)), body
    )
    union = union_over(D, name, f"Sum(i, n, {body})")
    return _added(D, swapped, union, D.over(bound, name), (symbol, name, u))


def ever_first(D: Derivation, name: str, number: str, u: Text, bound: Theorem) -> Theorem:
    """From E(ever(u)) <= v: E(ever(Sum(name, number, u))) <= Sum(name, number, v)."""
    body = f"geverNat(i, {name})"
    inner = Operator("Sum", D.variable(name), D.term(number))
    swapped = D.exchange(Operator("Sum", D.variable("i"), D.term("n")), inner, body)
    union = union_first(D, name, number, f"Sum(i, n, {body})")
    return _added(D, swapped, union, D.sum(bound, name, number), ("geverNat", name, u))


def _added(
    D: Derivation,
    swapped: Theorem,
    union: Theorem,
    bounds: Theorem,
    given: tuple[str, str, Text],
) -> Theorem:
    first, added = D.mean(_compare(D, swapped)), D.mean(union)
    symbol, name, u = given
    shown = D.linear(terms.relation("<=", first.says.parts[0], added.says.parts[1]), first, added)
    shown = D.instantiate(shown, symbol, f"i {name}", u)
    return D.linear(terms.relation("<=", shown.says.parts[0], bounds.says.parts[1]), shown, bounds)


def ever_both(D: Derivation, u: Text, v: Text, first: Theorem, second: Theorem) -> Theorem:
    """From E(ever(u)) <= c and E(ever(v)) <= d: E(ever(u + v)) <= c + d."""
    time = Operator("Sum", D.variable("i"), D.term("n"))
    union = D.mean(union_of_two(D, time.around(D.term(u)), time.around(D.term(v))))
    goal = terms.relation("<=", union.says.parts[0], terms.add(first.says.parts[1], second.says.parts[1]))
    return D.linear(goal, union, first, second)


UNION = (
    "Imp(All(k, All(x, All(a, E(Ind(1 <= gmiss(k, x, a))) <= delta/(S*A*K)))), "
    "E(Ind(1 <= Sum(k, K, SumOver(x, SumOver(a, gmiss(k, x, a)))))) <= delta)"
)


def union_of_sets(D: Derivation) -> Theorem:
    """SAK events of probability at most δ/(SAK): one of them happens with probability at most δ."""
    one = "gmiss(k, x, a)"
    each = D.special(D.assume(D.formula(UNION).parts[0]), "k", "x", "a")
    for name in ("a", "x"):
        union = D.mean(union_over(D, name, one))
        one, each = f"SumOver({name}, {one})", _below(D, union, D.over(each, name))
    union = D.at(D.mean(union_first(D, "k", "m", one)), m="K")
    total = D.valued(_below(D, union, D.sum(each, "k", "K")), D.fact("states"), D.fact("actions"))
    failure = D.fact("delta")
    known = [theorems.part(failure, D.formula(text)) for text in ("0 < delta", "delta < 1")]
    known += [D.fact(name) for name in ("states-some", "actions-some", "episodes")]
    values = {"S": "S", "A": "A", "K": "K", "d": "delta"}
    positive = D.pointwise("0 < S*A*K", "S >= 1", "A >= 1", "K >= 1", integers="S A K", S="S", A="A", K="K")
    added = D.closed(D.claim("lem:rateUCB/union", **values), *known, D.closed(positive, *known))
    return D.imply(D.linear(D.formula(UNION).parts[1], total, added), D.formula(UNION).parts[0])


def _below(D: Derivation, union: Theorem, bound: Theorem) -> Theorem:
    return D.linear(terms.relation("<=", union.says.parts[0], bound.says.parts[1]), union, bound)


# --- what never happens -----------------------------------------------------------------------------


def all_cover(cover: str, *conditions: str) -> str:
    """That the sets cover at all decisions i < n where the conditions hold."""
    return f"All(i, Imp({_where(*conditions)}, {cover}))"


def _where(*conditions: str) -> str:
    return f"And({', '.join(('i < n', *conditions))})" if conditions else "i < n"


def covered(D: Derivation, cover: str, missed: Theorem, bound: Theorem, *conditions: str) -> Theorem:
    """P(the sets cover at all i < n where the conditions hold) >= 1 - w, from E(ever(v)) <= w.

    ``missed`` says 1 <= v where the conditions hold, and the sets do not cover.
    """
    v = missed.says.parts[1]
    total = Operator("Sum", D.variable("i"), D.term("n")).around(v)
    never, text = D.assume(terms.negation(_some(total))), D.formula(cover)
    small = D.linear(terms.relation("<", v, terms.ONE), one_of_first(D, v), never)
    safe = D.cases(text, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", small, missed), text))
    everywhere = at_all(D, safe, *conditions)
    event = terms.indicator(everywhere.says)
    goal = terms.relation("<=", terms.sub(terms.ONE, terms.indicator(_some(total))), event)
    shown = D.cases(
        _some(total),
        lambda _: D.by_value(goal, [D.holds(_some(total))], D.whole(event)),
        lambda _: D.by_value(
            goal, [D.fails(_some(total)), theorems.cut(everywhere, D.holds(everywhere.says))]
        ),
    )
    mean = D.mean(shown)
    most = terms.sub(terms.ONE, bound.says.parts[1])
    return D.linear(terms.relation("<=", most, mean.says.parts[1]), mean, bound)


def at_all(D: Derivation, here: Theorem, *conditions: str) -> Theorem:
    """What holds at decision i < n under the conditions: at all of them."""
    where = D.assume(_where(*conditions))
    for part in ("i < n", *conditions) if conditions else ():
        here = theorems.cut(theorems.part(where, D.formula(part)), here)
    return D.all(D.imply(here, where.says), "i")


def all_pairs(D: Derivation, missed: Theorem, bound: Theorem, cover: str) -> tuple[str, Theorem, Theorem]:
    """The same for all pairs at once: the cover, what a miss gives, and how rarely."""
    for name in ("a", "x"):
        bound = ever_over(D, name, missed.says.parts[1], bound)
        missed = _one_misses(D, missed, cover, name)
        cover = f"All({name}, {cover})"
    return cover, missed, bound


def _one_misses(D: Derivation, missed: Theorem, cover: str, name: str) -> Theorem:
    """If not all cover, one misses, and the sum of what that gives is at least 1."""
    one, text = missed.says.parts[1], D.formula(cover)
    goal = _some(Operator("SumOver", D.variable(name)).around(one))
    never = D.assume(terms.negation(goal))
    small = D.linear(terms.relation("<", one, terms.ONE), one_of_sum(D, one, name), never)
    safe = D.cases(text, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", small, missed), text))
    each = D.all(safe, name)
    denial = D.assume(terms.negation(each.says))
    return D.cases(goal, lambda yes: yes, lambda _: theorems.absurd(each, denial, goal))


def only_where(D: Derivation, condition: str, u: str, bound: Theorem) -> Theorem:
    """From C ⊢ E(ever(u)) <= w: E(ever(Ind(C) u)) <= Ind(C) w, C not random."""
    where = f"Ind({condition})"
    most = terms.mul(D.term(where), bound.says.parts[1])
    goal = terms.relation("<=", D.term(f"E({ever(f'{where}*{u}')})"), most)
    return D.cases(
        condition,
        lambda _: D.by_value(goal, [D.holds(condition)], bound),
        lambda _: D.by_value(goal, [D.fails(condition)]),
    )


# --- orders -----------------------------------------------------------------------------------------


def square_below(D: Derivation, squares: Theorem, sign: Theorem, p: Text, q: Text) -> Theorem:
    """P <= q from p**2 <= q**2 and 0 <= q."""
    p, q = D.term(p), D.term(q)
    goal, above = terms.relation("<=", p, q), D.assume(terms.relation("<", q, p))
    both = D.linear(terms.relation("<", terms.ZERO, terms.add(p, q)), above, sign)
    larger = terms.relation("<", terms.power(q, 2), terms.power(p, 2))
    product = calculus.combine(D.setting, larger, [above, both], [(terms.add(p, q), 1), terms.ZERO])
    return D.cases(goal, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", product, squares), goal))


def times_strictly(D: Derivation, theorem: Theorem, sign: Theorem) -> Theorem:
    """U < v multiplied by a term that a theorem ``0 < c`` shows to be positive."""
    u, v = theorem.says.parts
    c = sign.says.parts[1]
    goal = terms.relation("<", terms.mul(c, u), terms.mul(c, v))
    return calculus.combine(D.setting, goal, [theorem, sign], [(c, 1), terms.ZERO])


def cancelled(D: Derivation, goal: Text, sign: Theorem, *facts: Theorem) -> Theorem:
    """The goal u <= v from 0 < c and facts of which c u <= c v is a combination."""
    says = D.formula(goal)
    return D.cases(
        says,
        lambda yes: yes,
        lambda no: D.absurd(D.linear("0 < 0", times_strictly(D, no, sign), *facts), says),
    )


def root(D: Derivation, inside: Text, positive: Theorem) -> tuple[Theorem, Theorem]:
    """√u² == u and 0 < √u, from 0 < u."""
    u = D.term(inside)
    square = D.mp(D.known("sqrt-square", u), D.linear(terms.relation("<=", terms.ZERO, u), positive))
    goal, sign = terms.relation("<", terms.ZERO, terms.function("sqrt", u)), D.known("sqrt", u)
    return square, D.cases(
        goal,
        lambda yes: yes,
        lambda no: D.absurd(D.linear("0 < 0", D.times(no, sign), square, positive), goal),
    )


def number_below(D: Derivation) -> Theorem:
    """0 <= q ⊢ Σ_{m < n} Ind(m + 1 <= q) <= q."""
    total = "Sum(m, {n}, Ind(m + 1 <= q))"
    few = D.induction(
        "n",
        f"{total.format(n='n')} <= n",
        D.linear("0 <= 0"),
        lambda before: D.linear(f"{total.format(n='n + 1')} <= n + 1", before, D.indicator("n + 1 <= q")[1]),
    )
    return D.induction(
        "n",
        f"{total.format(n='n')} <= q",
        D.assume("0 <= q"),
        lambda before: D.decide(f"{total.format(n='n + 1')} <= q", ["n + 1 <= q"], before, few),
    )
