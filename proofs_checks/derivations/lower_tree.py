"""The tree of the lower bound: how many nodes, leaves and pairs it has."""

from __future__ import annotations

from proofs_checks.derivations.lower_cases import by_value, denied, off, on, put, settle, towards, when
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem, absurd, both, part

_LEVEL = "SumOver(x, Ind(ht(x) + i == d))"
_LEVELS = f"Imp(i + 1 <= d, {_LEVEL} == pw(i))"
TREE = (
    f"And({_LEVELS}, S == low + Sum(i, d, pw(i)), (A - 1)*Sum(i, d, pw(i)) == pw(d) - 1, "
    "SumOver(z, SumOver(b, Ind(ht(z) == 1))) == pw(d))"
)
PAIRS = "Imp(low + 4 <= S, 8 <= pw(d))"


def tree(D: Derivation) -> Theorem:
    """The level that is i below the root has A^i nodes, and these are all but the good and the bad state."""
    level = _level(D)
    return both(level, _states(D, level), _geometric(D), _pairs(D, level))


def _level(D: Derivation) -> Theorem:
    """The i-th level below the root has A^i nodes."""
    first = D.over(_root(D), "x")
    start = D.imply(D.linear("SumOver(x, Ind(ht(x) == d)) == pw(0)", first, D.fact("pw-0")), "1 <= d")

    def step(below: Theorem) -> Theorem:
        far = D.assume("i + 2 <= d")
        known = when(D, below, far)
        more = D.scaled(known, "A")
        says = "SumOver(x, Ind(ht(x) + i + 1 == d)) == pw(i + 1)"
        return D.imply(D.linear(says, _children(D, far), more, D.fact("pw-step")), "i + 2 <= d")

    return D.induction("i", _LEVELS, start, step)


def _root(D: Derivation) -> Theorem:
    """Ind(ht(x) == d) == Ind(x == root)."""
    goal = "Ind(ht(x) == d) == Ind(x == root)"

    def here(yes: Theorem) -> Theorem:
        high = put(D.fact("root"), towards(D, yes, "root"))
        return by_value(D, goal, [on(D, high), on(D, yes)])

    def elsewhere(no: Theorem) -> Theorem:
        low = denied(D, "ht(x) == d", lambda e: (when(D, D.fact("top"), D.linear("d <= ht(x)", e)), no))
        return by_value(D, goal, [off(D, low), off(D, no)])

    return D.cases("x == root", here, elsewhere)


def _children(D: Derivation, far: Theorem) -> Theorem:
    """Σ_x Ind(ht(x) + i + 1 == d) == A Σ_x Ind(ht(x) + i == d), for i + 2 <= d."""
    mine = "Ind(ht(y) + i + 1 == d)"
    parents = "SumOver(x, SumOver(a, Ind(2 <= ht(x))*Ind(child(x, a) == y)))"
    goal = f"{mine} == {mine}*{parents}"

    def level(yes: Theorem) -> Theorem:
        one = when(
            D,
            D.fact("parent"),
            yes,
            far,
            D.linear("1 <= ht(y)", yes, far),
            D.linear("ht(y) + 1 <= d", yes, D.whole("i")),
        )
        return by_value(D, goal, [on(D, yes), one])

    one = D.over(D.cases("ht(y) + i + 1 == d", level, lambda no: by_value(D, goal, [off(D, no)])), "y")
    x, y, a = (Operator("SumOver", D.variable(name)) for name in "xya")
    body = f"{mine}*Ind(2 <= ht(x))*Ind(child(x, a) == y)"
    outer = D.exchange(y, x, f"SumOver(a, {body})")
    inner = D.over(D.scaled(D.exchange(y, a, f"{mine}*Ind(child(x, a) == y)"), "Ind(2 <= ht(x))"), "x")
    goal = "Ind(2 <= ht(x))*Ind(ht(child(x, a)) + i + 1 == d) == Ind(ht(x) + i == d)"
    down = D.cases(
        "2 <= ht(x)",
        lambda yes: settle(
            D,
            goal,
            ["ht(child(x, a)) + i + 1 == d", "ht(x) + i == d"],
            when(D, D.fact("child"), yes),
            equations=[on(D, yes)],
        ),
        lambda no: settle(D, goal, ["ht(x) + i == d"], no, far, equations=[off(D, no)]),
    )
    each = D.valued(D.over(D.over(down, "a"), "x"), D.fact("actions"))
    return D.linear(f"SumOver(x, Ind(ht(x) + i + 1 == d)) == A*{_LEVEL}", one, outer, inner, each)


def _states(D: Derivation, level: Theorem) -> Theorem:
    """All nodes, level by level, and the two states below them."""
    above, count = "SumOver(x, Ind(d + 1 <= ht(x) + i))", "Sum(m, i, pw(m))"
    a = f"Imp(i <= d, {above} == {count})"
    none = denied(D, "d + 1 <= ht(x)", lambda e: _too_high(D, e))
    start = D.imply(D.over(by_value(D, "Ind(d + 1 <= ht(x)) == 0", [off(D, none)]), "x"), "0 <= d")
    split = settle(
        D,
        "Ind(d + 1 <= ht(x) + i + 1) == Ind(d + 1 <= ht(x) + i) + Ind(ht(x) + i == d)",
        ["d + 1 <= ht(x) + i + 1", "d + 1 <= ht(x) + i", "ht(x) + i == d"],
    )

    def step(below: Theorem) -> Theorem:
        far = D.assume("i + 1 <= d")
        parts = [D.over(split, "x"), when(D, below, far), when(D, level, far)]
        says = f"SumOver(x, Ind(d <= ht(x) + i)) == {count} + pw(i)"
        return D.imply(D.linear(says, *parts), "i + 1 <= d")

    kinds = settle(D, "1 == Ind(1 <= ht(x)) + Ind(ht(x) == 0)", ["1 <= ht(x)", "ht(x) == 0"])
    nodes = when(D, D.at(D.induction("i", a, start, step), i="d"))
    return D.linear("S == low + Sum(i, d, pw(i))", nodes, D.over(kinds, "x"), D.fact("states"), D.fact("low"))


def _too_high(D: Derivation, high: Theorem) -> tuple[Theorem, Theorem]:
    """Nothing is above the root."""
    top = when(D, D.fact("top"), D.linear("d <= ht(x)", high))
    root = put(D.fact("root"), towards(D, top, "root"))
    return D.linear("1 <= 0", root, high), D.linear("0 < 1")


def _geometric(D: Derivation) -> Theorem:
    """(A - 1)(1 + A + … + A^(d-1)) = A^d - 1."""
    a = "(A - 1)*Sum(m, i, pw(m)) == pw(i) - 1"
    start = D.linear("0 == pw(0) - 1", D.fact("pw-0"))
    whole = D.induction(
        "i",
        a,
        start,
        lambda below: D.linear(
            "(A - 1)*(Sum(m, i, pw(m)) + pw(i)) == pw(i + 1) - 1", below, D.fact("pw-step")
        ),
    )
    return D.at(whole, i="d")


def _pairs(D: Derivation, level: Theorem) -> Theorem:
    """The last level has A^(d-1) leaves, each with A actions."""
    pairs = "SumOver(z, SumOver(b, Ind(ht(z) == 1))) == pw(d)"
    last = D.assume("i + 1 == d")
    leaf = settle(D, "Ind(ht(x) == 1) == Ind(ht(x) + i == d)", ["ht(x) == 1", "ht(x) + i == d"], last)
    leaves = D.linear("SumOver(x, Ind(ht(x) == 1)) == pw(i)", D.over(leaf, "x"), when(D, level, last))
    each = D.scaled(leaves, "A")
    power = put(D.fact("pw-step"), last)
    actions = D.scaled(D.fact("actions"), "SumOver(x, Ind(ht(x) == 1))")
    found = D.linear(pairs, each, power, actions)
    start = D.imply(by_value(D, pairs, [], D.assume("1 <= 0")), "0 == d", "1 <= 0")
    some = D.induction(
        "i", f"Imp(i == d, Imp(1 <= i, {pairs}))", start, lambda _: D.imply(found, "i + 1 == d", "1 <= i + 1")
    )
    return D.mp(D.at(some, i="d"), D.linear("d == d"), D.fact("levels"))


def power_positive(D: Derivation) -> Theorem:
    """1 <= A^i."""

    def step(below: Theorem) -> Theorem:
        more = D.times(D.fact("choice"), D.whole("pw(i)"))
        return D.linear("1 <= pw(i + 1)", more, below, D.fact("pw-step"))

    return D.induction("i", "1 <= pw(i)", D.linear("1 <= pw(0)", D.fact("pw-0")), step)


def admissible(D: Derivation) -> Theorem:
    """Four nodes or more: three levels, or two with three actions or more; so eight pairs or more."""
    tree_ = D.lemma("assume:LB/tree")
    states, nodes = (
        part(tree_, D.formula(f))
        for f in ("S == low + Sum(i, d, pw(i))", "(A - 1)*Sum(i, d, pw(i)) == pw(d) - 1")
    )
    some, large = D.fact("choice"), D.assume("low + 4 <= S")
    four = D.linear("0 <= Sum(i, d, pw(i)) - 4", states, large)
    wide = D.linear("4*(A - 1) <= pw(d) - 1", D.times(four, D.linear("0 <= A - 1", some)), nodes)

    low_levels = [
        D.imply(case, f"d == {k}") for k, case in ((1, _one_level(D, wide)), (2, _two_levels(D, wide)))
    ]
    shallow = D.assume("d <= 2")
    by_level = D.cases(
        "d == 1",
        lambda e: D.mp(low_levels[0], e),
        lambda no: D.mp(low_levels[1], _second(D, no, shallow)),
    )
    deep = when(D, D.at(_three_levels(D), i="d"), D.assume("3 <= d"))

    def case(e: Theorem) -> Theorem:
        return by_level if e.says is shallow.says else deep

    return D.imply(D.split(D.known("discrete", "d", "2"), case, case), "low + 4 <= S")


def _second(D: Derivation, not_one: Theorem, shallow: Theorem) -> Theorem:
    """D == 2, from 1 <= d <= 2 and d not 1."""

    def other(e: Theorem) -> Theorem:
        if e.says is not D.formula("d <= 1"):
            return D.mp(D.known("antisymmetric", "d", "2"), both(shallow, e))
        one = D.mp(D.known("antisymmetric", "d", "1"), both(e, D.fact("levels")))
        return absurd(one, not_one, D.formula("d == 2"))

    return D.split(D.known("discrete", "d", "1"), other, other)


def _one_level(D: Derivation, wide: Theorem) -> Theorem:
    """One level has one node only."""
    one = D.assume("d == 1")
    first = D.scaled(D.fact("pw-0"), "A")
    power = put(D.linear("pw(1) == A", D.fact("pw-step", i="0"), first), D.linear("1 == d", one))
    return D.linear("8 <= pw(d)", wide, power, D.fact("choice"))


def _two_levels(D: Derivation, wide: Theorem) -> Theorem:
    """Two levels with three actions or more have nine pairs or more."""
    two, some = D.assume("d == 2"), D.fact("choice")
    first = D.scaled(D.fact("pw-0"), "A")
    one = D.scaled(D.linear("pw(1) == A", D.fact("pw-step", i="0"), first), "A")
    square = put(D.linear("pw(2) == A**2", D.fact("pw-step", i="1"), one), D.linear("2 == d", two))

    def more(e: Theorem) -> Theorem:
        if e.says is D.formula("A <= 2"):
            equal = D.mp(D.known("antisymmetric", "A", "2"), both(e, some))
            return by_value(D, "8 <= pw(d)", [], put(wide, equal), put(square, equal))
        at_least = D.times(D.linear("0 <= A - 3", e), D.linear("0 <= A + 3", e))
        return D.linear("8 <= pw(d)", at_least, square)

    return D.split(D.known("discrete", "A", "2"), more, more)


def _three_levels(D: Derivation) -> Theorem:
    """Imp(3 <= i, 8 <= pw(i))."""
    some = D.fact("choice")

    def double(at: str) -> Theorem:
        return D.linear(
            f"2*pw({at}) <= pw({at} + 1)", D.times(some, D.whole(f"pw({at})")), D.fact("pw-step", i=at)
        )

    third = D.linear("8 <= pw(3)", double("2"), double("1"), double("0"), D.fact("pw-0"))

    def step(below: Theorem) -> Theorem:
        far = D.assume("3 <= i + 1")

        def case(e: Theorem) -> Theorem:
            if e.says is D.formula("3 <= i"):
                return D.linear("8 <= pw(i + 1)", D.mp(below, e), double("i"))
            two = D.mp(D.known("antisymmetric", "i", "2"), both(e, D.linear("2 <= i", far)))
            return by_value(D, "8 <= pw(i + 1)", [two], third)

        return D.imply(D.split(D.known("discrete", "i", "2"), case, case), "3 <= i + 1")

    start = D.imply(by_value(D, "8 <= pw(0)", [], D.assume("3 <= 0")), "3 <= 0")
    return D.induction("i", "Imp(3 <= i, 8 <= pw(i))", start, step)
