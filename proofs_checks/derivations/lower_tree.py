"""The tree of the lower bound: how many nodes, leaves and pairs it has."""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_cases import by_value, denied, off, on, put, settle, towards, when
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem, absurd, both, part

_LEVEL = "SumOver(x, Ind(ht(x) + i == d))"
_ABOVE = f"Imp(i + 2 <= d, {_LEVEL} == pw(i))"
_STATES = "Imp(i + 1 == d, S == low + L + Sum(m, i, pw(m)))"
_GEOMETRIC = "(A - 1)*Sum(m, i, pw(m)) == pw(i) - 1"
LEVELS = f"And({_ABOVE}, {_STATES}, {_GEOMETRIC})"
_NODES = "S == low + Sum(i, d, pw(i))"
TREE = (
    f"And(Imp(i + 1 <= d, {_LEVEL} == pw(i)), {_NODES}, (A - 1)*Sum(i, d, pw(i)) == pw(d) - 1, L*A == pw(d))"
)
PAIRS = "Imp(low + 4 <= S, 8 <= L*A)"
_LEAST, _MOST = "2 + Sum(m, i + 1, pw(m)) + pw(i) <= S", "S <= 1 + Sum(m, i + 2, pw(m)) + pw(i + 1)"
SIZE = f"And(Imp(i + 2 == d, And({_LEAST}, {_MOST})), S <= 3*L + 1)"


# --- above the leaves ---------------------------------------------------------------------------


def levels(D: Derivation) -> Theorem:
    """Above the leaves the level that is i below the root has A^i nodes."""
    level = _level(D)
    return both(level, _states(D, level), _geometric(D))


def _level(D: Derivation) -> Theorem:
    """The i-th level below the root has A^i nodes."""
    start = D.imply(_first(D), "2 <= d")

    def step(below: Theorem) -> Theorem:
        far = D.assume("i + 3 <= d")

        def parent(yes: Theorem) -> Theorem:
            high = D.linear("2 <= ht(y)", yes, far), D.linear("ht(y) + 1 <= d", yes, D.whole("i"))
            return when(D, D.fact("parent"), *high)

        return D.imply(_below(D, when(D, below, far), far, parent), "i + 3 <= d")

    return D.induction("i", _ABOVE, start, step)


def _first(D: Derivation) -> Theorem:
    """The first level has one node."""
    return D.linear("SumOver(x, Ind(ht(x) == d)) == pw(0)", D.over(_root(D), "x"), D.fact("pw-0"))


def _below(D: Derivation, level: Theorem, far: Theorem, parent: Callable[[Theorem], Theorem]) -> Theorem:
    """The next level, from one with A^i nodes."""
    says = "SumOver(x, Ind(ht(x) + i + 1 == d)) == pw(i + 1)"
    return D.linear(says, _children(D, far, parent), D.scaled(level, "A"), D.fact("pw-step"))


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


def _children(D: Derivation, far: Theorem, parent: Callable[[Theorem], Theorem]) -> Theorem:
    """Σ_x Ind(ht(x) + i + 1 == d) == A Σ_x Ind(ht(x) + i == d), where each y there has one parent."""
    mine = "Ind(ht(y) + i + 1 == d)"
    parents = "SumOver(x, SumOver(a, Ind(2 <= ht(x))*Ind(child(x, a) == y)))"
    goal = f"{mine} == {mine}*{parents}"

    def level(yes: Theorem) -> Theorem:
        return by_value(D, goal, [on(D, yes), parent(yes)])

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
    """All nodes, level by level, the leaves, and the states below them."""
    above, count = "SumOver(x, Ind(d + 1 <= ht(x) + i))", "Sum(m, i, pw(m))"
    a = f"Imp(i + 1 <= d, {above} == {count})"
    none = denied(D, "d + 1 <= ht(x)", lambda e: _too_high(D, e))
    start = D.imply(D.over(by_value(D, "Ind(d + 1 <= ht(x)) == 0", [off(D, none)]), "x"), "1 <= d")
    split = settle(
        D,
        "Ind(d + 1 <= ht(x) + i + 1) == Ind(d + 1 <= ht(x) + i) + Ind(ht(x) + i == d)",
        ["d + 1 <= ht(x) + i + 1", "d + 1 <= ht(x) + i", "ht(x) + i == d"],
    )

    def step(below: Theorem) -> Theorem:
        far = D.assume("i + 2 <= d")
        parts = [D.over(split, "x"), when(D, below, far), when(D, level, far)]
        says = f"SumOver(x, Ind(d <= ht(x) + i)) == {count} + pw(i)"
        return D.imply(D.linear(says, *parts), "i + 2 <= d")

    last = D.assume("i + 1 == d")
    conditions = ["d + 1 <= ht(x) + i", "ht(x) == 1", "ht(x) == 0"]
    kinds = settle(D, "1 == Ind(d + 1 <= ht(x) + i) + Ind(ht(x) == 1) + Ind(ht(x) == 0)", conditions, last)
    nodes = when(D, D.induction("i", a, start, step), last)
    facts = (D.fact(name) for name in ("states", "low", "leaves"))
    return D.imply(D.linear(f"S == low + L + {count}", nodes, D.over(kinds, "x"), *facts), "i + 1 == d")


def _too_high(D: Derivation, high: Theorem) -> tuple[Theorem, Theorem]:
    """Nothing is above the root."""
    top = when(D, D.fact("top"), D.linear("d <= ht(x)", high))
    root = put(D.fact("root"), towards(D, top, "root"))
    return D.linear("1 <= 0", root, high), D.linear("0 < 1")


def _geometric(D: Derivation) -> Theorem:
    """(A - 1)(1 + A + … + A^(i-1)) = A^i - 1."""
    start = D.linear("0 == pw(0) - 1", D.fact("pw-0"))
    more = "(A - 1)*(Sum(m, i, pw(m)) + pw(i)) == pw(i + 1) - 1"
    return D.induction("i", _GEOMETRIC, start, lambda below: D.linear(more, below, D.fact("pw-step")))


def _with_levels(D: Derivation, goal: str, found: Theorem, k: int, enough: Theorem) -> Theorem:
    """The goal, from the goal given i + k == d, for d >= k."""
    for j in reversed(range(k)):
        few = by_value(D, goal, [], D.assume(f"{j} == d"), enough)
        start, after = D.imply(few, f"{j} == d"), D.imply(found, f"i + {j + 1} == d")
        every = _first_or_next(D, f"Imp(i + {j} == d, {goal})", start, after)
        found = D.mp(every, D.assume(f"i + {j} == d"))
    return D.mp(D.at(D.imply(found, "i == d"), i="d"), D.linear("d == d"))


def _first_or_next(D: Derivation, says: str, start: Theorem, after: Theorem) -> Theorem:
    """What is true of 0 and of every i + 1."""
    return D.induction("i", says, start, lambda _: after)


# --- a full last level --------------------------------------------------------------------------


def tree(D: Derivation) -> Theorem:
    """The leaves are a full level too, and all nodes are all states but those below the leaves."""
    lemma = D.lemma("assume:LB/levels")
    above, states, geometric = (part(lemma, D.formula(f)) for f in (_ABOVE, _STATES, _GEOMETRIC))
    last = D.assume("i + 1 == d")
    lowest = _last(D, above)
    leaf = settle(D, "Ind(ht(x) == 1) == Ind(ht(x) + i == d)", ["ht(x) == 1", "ht(x) + i == d"], last)
    leaves = D.linear("L == pw(i)", D.over(leaf, "x"), when(D, lowest, last), D.fact("leaves"))
    deepest = D.linear("d == i + 1", last)
    found = (
        by_value(D, _NODES, [deepest], leaves, when(D, states, last)),
        by_value(D, "L*A == pw(d)", [deepest], D.scaled(leaves, "A"), D.fact("pw-step")),
    )
    nodes, pairs = (
        _with_levels(D, goal, theorem, 1, D.fact("levels"))
        for goal, theorem in zip((_NODES, "L*A == pw(d)"), found, strict=True)
    )
    return both(_every_level(D, above, lowest), nodes, D.at(geometric, i="d"), pairs)


def _last(D: Derivation, above: Theorem) -> Theorem:
    """The last level has A^(d-1) nodes."""
    far = D.assume("i + 2 == d")

    def parent(yes: Theorem) -> Theorem:
        leaf = D.linear("ht(y) == 1", yes, far)
        return when(D, D.fact("full"), leaf, D.linear("2 <= d", far, D.whole("i")))

    found = D.imply(_below(D, when(D, above, far), far, parent), "i + 2 == d")
    return _first_or_next(D, f"Imp(i + 1 == d, {_LEVEL} == pw(i))", D.imply(_first(D), "1 == d"), found)


def _every_level(D: Derivation, above: Theorem, lowest: Theorem) -> Theorem:
    """A^i nodes on every level."""
    within = D.assume("i + 1 <= d")

    def case(e: Theorem) -> Theorem:
        if e.says is D.formula("i + 2 <= d"):
            return D.mp(above, e)
        return D.mp(lowest, D.mp(D.known("antisymmetric", "i + 1", "d"), both(within, e)))

    return D.imply(D.split(D.known("discrete", "d", "i + 1"), case, case), "i + 1 <= d")


def count_of_pairs(D: Derivation) -> Theorem:
    """There are LA pairs of a leaf and an action."""
    actions = D.scaled(D.fact("actions"), "SumOver(z, Ind(ht(z) == 1))")
    says = "SumOver(z, SumOver(b, Ind(ht(z) == 1))) == L*A"
    return D.linear(says, D.scaled(D.fact("leaves"), "A"), actions)


def some_pairs(D: Derivation) -> Theorem:
    """0 < LA."""
    some = (
        D.linear("0 <= L - 1", D.fact("leaf"), D.fact("leaves")),
        D.linear("0 <= A", D.fact("choice")),
    )
    return D.linear("0 < L*A", D.times(*some), D.fact("choice"))


def power_positive(D: Derivation) -> Theorem:
    """1 <= A^i."""

    def step(below: Theorem) -> Theorem:
        more = D.times(D.fact("choice"), D.whole("pw(i)"))
        return D.linear("1 <= pw(i + 1)", more, below, D.fact("pw-step"))

    return D.induction("i", "1 <= pw(i)", D.linear("1 <= pw(0)", D.fact("pw-0")), step)


def admissible(D: Derivation) -> Theorem:
    """Four nodes or more: three levels, or two with three actions or more; so eight pairs or more."""
    tree_ = D.lemma("assume:LB/tree")
    states, nodes, count = (
        part(tree_, D.formula(f)) for f in (_NODES, "(A - 1)*Sum(i, d, pw(i)) == pw(d) - 1", "L*A == pw(d)")
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
        return D.linear("8 <= L*A", by_level if e.says is shallow.says else deep, count)

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


# --- every number of states ---------------------------------------------------------------------


def sizes(D: Derivation) -> Theorem:
    """The number of states says how many levels there are, and how few leaves there can be."""
    far = D.assume("i + 2 == d")
    lemma = D.lemma("assume:LB/levels")
    count, geometric = (D.at(part(lemma, D.formula(f)), i="i + 1") for f in (_STATES, _GEOMETRIC))
    states, nodes = when(D, count, far), _upper_nodes(D, geometric)
    wide, narrow = when(D, D.fact("wide"), far), when(D, D.fact("narrow", i="i + 1"), far)
    some, double = D.at(power_positive(D), i="i + 1"), D.times(D.fact("choice"), D.whole("pw(i)"))
    least = D.linear(_LEAST, states, wide, _good_and_bad(D))

    def case(e: Theorem) -> Theorem:
        if e.says is D.formula("low <= 2"):
            facts = [e, wide, narrow, some]
        else:
            idle = when(D, D.fact("idle", i="i + 1"), e, far)
            facts = [part(idle, D.formula(f)) for f in ("L == pw(i + 1)", "low <= L + 1")]
        many, few = (D.linear(goal, states, nodes, *facts, *more) for goal, more in (
            (_MOST, []), ("S <= 3*L + 1", [double, D.fact("pw-step")]),
        ))  # fmt: skip
        return both(many, few)

    found = D.split(D.known("discrete", "low", "2"), case, case)
    many, few = (part(found, D.formula(f)) for f in (_MOST, "S <= 3*L + 1"))
    known = D.imply(both(least, many), "i + 2 == d")
    return both(known, _with_levels(D, "S <= 3*L + 1", few, 2, D.fact("deep")))


def _upper_nodes(D: Derivation, geometric: Theorem) -> Theorem:
    """There are at most 2 A^i - 1 nodes above the leaves, the formula of the claim."""
    total = "Sum(m, i + 1, pw(m))"
    less = D.linear("0 < A - 1", D.fact("choice"))
    claim = D.closed(
        D.claim("assume:LB/relaxed", A="A", P="pw(i)"), D.fact("choice"), power_positive(D), less
    )
    unit = D.positive("inverse", "A - 1", less)
    powers = D.scaled(D.fact("pw-step"), "1/(A - 1)")
    equal = D.linear(
        f"{total} == (A*pw(i) - 1)/(A - 1)", D.scaled(geometric, "1/(A - 1)"), D.scaled(unit, total), powers
    )
    return D.linear(f"{total} <= 2*pw(i) - 1", claim, equal)


def _good_and_bad(D: Derivation) -> Theorem:
    """Two states or more are below the leaves."""
    goal = "Ind(x == good) + Ind(x == bad) <= Ind(ht(x) == 0)"

    def good(yes: Theorem) -> Theorem:
        low = put(D.fact("good"), towards(D, yes, "good"))
        other = put(D.fact("two"), towards(D, yes, "good"))
        return by_value(D, goal, [on(D, low), on(D, yes), off(D, other)])

    def other(no: Theorem) -> Theorem:
        def bad(yes: Theorem) -> Theorem:
            low = put(D.fact("bad"), towards(D, yes, "bad"))
            return by_value(D, goal, [on(D, low), on(D, yes), off(D, no)])

        def neither(none: Theorem) -> Theorem:
            return by_value(D, goal, [off(D, no), off(D, none)], D.whole("Ind(ht(x) == 0)"))

        return D.cases("x == bad", bad, neither)

    each = D.over(D.cases("x == good", good, other), "x")
    return D.linear("2 <= low", each, D.fact("low"))
