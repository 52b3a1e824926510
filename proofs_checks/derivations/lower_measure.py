r"""The instances as changes of measure: exp(l) times the reference is the law of instance (z, b).

A jump from z by b that is seen multiplies exp(l) by 1 + 2D or 1 - 2D, each with probability 1/2: its
mean stays 1, that of -l rises by kl(1/2, 1/2 + D) for every such jump.
"""

from __future__ import annotations

from proofs_checks.derivations.lower_cases import by_value, chain, off, on, put, settle, towards
from proofs_checks.derivations.lower_setting import PAIR
from verify.kernel import terms
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem, both, part

_MINE = PAIR.format(n="n")
COIN = "(-log(1 + 2*D)/2 - log(1 - 2*D)/2)"
_DENSITY = "rate*exp(-rate*s)"
_TURN = "(Ind({0} == good) - Ind({0} == bad))"
_BEFORE = "Ind(ep(n) + 1 <= k)"
_AFTER = "glaw(n, spent(n), X(n + 1))"
_INSTANCE = f"Int(s, rem(n), {_DENSITY}*SumOver(y, p(D*{_MINE}, X(n), act(n), y)*glaw(n, s, y)))"
LIKELIHOOD = (
    "Imp(ht(z) == 1, And(E(exp(l(n + 1, z, b)), n) == exp(l(n, z, b)), "
    f"E(exp(l(n + 1, z, b))*jump(n)*{_AFTER}, n) == exp(l(n, z, b))*{_INSTANCE}))"
)
DIVERGENCE = (
    f"Imp(ht(z) == 1, And(E(exp(lk(n, k, z, b))) == 1, E(-lk(n, k, z, b)) == {COIN}*E(T(n, k, z, b))))"
)


def likelihood(D: Derivation) -> Theorem:
    """The law of a step under exp(l) is that of instance (z, b)."""
    ratio = _ratio(D)
    even = D.scaled(_even(D), "2*D*exp(l(n, z, b))")
    still = D.linear("E(exp(l(n + 1, z, b)), n) == exp(l(n, z, b))", D.mean(ratio, "n"), even)
    seen = settle(
        D,
        "exp(l(n + 1, z, b))*jump(n) == "
        f"exp(l(n, z, b))*jump(n)*(1 + 2*D*{_MINE}*{_TURN.format('X(n + 1)')})",
        ["jump(n) == 0", "jump(n) == 1"],
        D.fact("jump"),
        ratio,
    )
    weighed = D.mean(D.scaled(seen, _AFTER), "n")
    plain = D.fact("law")
    turned = D.instantiate(plain, "glaw", "n s y", f"{_TURN.format('y')}*glaw(n, s, y)")
    chances = D.scaled(D.over(D.scaled(_more_likely(D), "glaw(n, s, y)"), "y"), _DENSITY)
    instance = D.integral(chances, "s", "rem(n)")
    parts = plain, D.scaled(turned, f"2*D*{_MINE}"), instance
    mean = f"E(jump(n)*{_AFTER}, n) + 2*D*{_MINE}*E(jump(n)*{_TURN.format('X(n + 1)')}*{_AFTER}, n)"
    joined = D.scaled(D.linear(f"{mean} == {_INSTANCE}", *parts), "exp(l(n, z, b))")
    return D.imply(both(still, chain(D, weighed, joined)), "ht(z) == 1")


def _more_likely(D: Derivation) -> Theorem:
    """A jump of instance (z, b), and of the reference."""
    plain, mine = (D.fact("p", c=c, x="X(n)", a="act(n)") for c in ("0", f"D*{_MINE}"))
    factor = f"(1 + 2*D*{_MINE}*{_TURN.format('y')})"
    scaled = D.scaled(plain, factor)
    goal = terms.relation("==", mine.says.parts[1], scaled.says.parts[1])

    def here(yes: Theorem) -> Theorem:
        known = [*leaf_values(D, yes), on(D, yes)]

        def good(e: Theorem) -> Theorem:
            not_bad = off(D, put(D.fact("two"), towards(D, e, "good")))
            return settle(D, goal, ["act(n) == b"], equations=[*known, on(D, e), not_bad])

        def other(no: Theorem) -> Theorem:
            return settle(D, goal, ["act(n) == b", "y == bad"], equations=[*known, off(D, no)])

        return D.cases("y == good", good, other)

    same = D.cases("X(n) == z", here, lambda no: by_value(D, goal, [off(D, no)]))
    says = f"p(D*{_MINE}, X(n), act(n), y) == p(0, X(n), act(n), y)*{factor}"
    return D.linear(says, mine, same, scaled)


def _ratio(D: Derivation) -> Theorem:
    """What a step multiplies exp(l) by."""
    low, high = (part(D.fact("gap"), D.formula(f)) for f in ("0 < D", "D < 1/2"))
    logs = [D.mp(D.known("log", f"1 {sign} 2*D"), D.linear(f"0 < 1 {sign} 2*D", low, high)) for sign in "+-"]
    shares = [D.scaled(one, "exp(l(n, z, b))") for one in logs]
    goal = f"exp(l(n + 1, z, b)) == exp(l(n, z, b))*(1 + 2*D*jump(n)*{_MINE}*{_TURN.format('X(n + 1)')})"
    step, rest = D.fact("l-step"), ["jump(n) == 0", "jump(n) == 1", "X(n) == z", "act(n) == b"]

    def good(yes: Theorem) -> Theorem:
        not_bad = off(D, put(D.fact("two"), towards(D, yes, "good")))
        return settle(D, goal, rest, D.fact("jump"), *shares, equations=[step, on(D, yes), not_bad])

    def other(no: Theorem) -> Theorem:
        return settle(
            D, goal, [*rest, "X(n + 1) == bad"], D.fact("jump"), *shares, equations=[step, off(D, no)]
        )

    return D.cases("X(n + 1) == good", good, other)


def jumps_of(D: Derivation, body: str, chance: str = "0") -> Theorem:
    """The right side of the law of a step, with the jumps of the tree put in."""
    p = D.fact("p", c=chance, x="X(n)", a="act(n)")
    return D.integral(D.scaled(D.over(D.scaled(p, body), "y"), _DENSITY), "s", "rem(n)")


def law(D: Derivation, body: str) -> Theorem:
    """E(jump(n) g(spent(n), X(n + 1)), n) for g(s, y) = body, with the jumps of the tree put in."""
    return chain(D, D.instantiate(D.fact("law"), "glaw", "n s y", body), jumps_of(D, body))


def leaf_values(D: Derivation, here: Theorem) -> list[Theorem]:
    """The indicators of heights where X(n) == z, a leaf."""
    leaf = put(D.assume("ht(z) == 1"), towards(D, here, "z"))
    return [
        settle(D, f"Ind({a}) == {v}", [a], leaf)
        for a, v in (("2 <= ht(X(n))", 0), ("ht(X(n)) == 1", 1), ("ht(X(n)) == 0", 0))
    ]


def at_leaf(D: Derivation, goal: str, *premises: Theorem) -> Theorem:
    """A goal with the factor Ind(X(n) == z), given ht(z) == 1: z is a leaf."""

    def here(yes: Theorem) -> Theorem:
        return by_value(D, goal, [on(D, yes), *leaf_values(D, yes), off(D, D.fact("two"))], *premises)

    return D.cases("X(n) == z", here, lambda no: by_value(D, goal, [off(D, no)], *premises))


def _even(D: Derivation) -> Theorem:
    """In the reference both jumps of a leaf are equally likely."""
    turn = law(D, _TURN.format("y"))
    even = at_leaf(D, f"Ind(X(n) == z)*E(jump(n)*{_TURN.format('X(n + 1)')}, n) == 0", turn)
    return D.scaled(even, "Ind(act(n) == b)")


def divergence(D: Derivation) -> Theorem:
    """E exp(lk) = 1, and the divergence is that of a coin times the jumps that were seen."""
    return D.imply(both(_mass(D), _information(D)), "ht(z) == 1")


def _mass(D: Derivation) -> Theorem:
    goal = (
        "exp(lk(n + 1, k, z, b)) == exp(lk(n, k, z, b))*"
        f"(1 + 2*D*{_BEFORE}*jump(n)*{_MINE}*{_TURN.format('X(n + 1)')})"
    )
    ratio = D.scaled(_ratio(D), "exp(lk(n, k, z, b) - l(n, z, b))")
    step = D.mean(settle(D, goal, ["ep(n) + 1 <= k"], ratio, equations=[D.fact("lk-step")]), "n")
    even = D.scaled(_even(D), f"2*D*exp(lk(n, k, z, b))*{_BEFORE}")
    same = D.mean(D.linear("E(exp(lk(n + 1, k, z, b)), n) == exp(lk(n, k, z, b))", step, even))
    start = D.mean(by_value(D, "exp(lk(0, k, z, b)) == 1", [D.fact("lk-0")]))
    return D.induction(
        "n",
        "E(exp(lk(n, k, z, b))) == 1",
        start,
        lambda below: D.linear("E(exp(lk(n + 1, k, z, b))) == 1", same, below),
    )


def _information(D: Derivation) -> Theorem:
    sizes = "Ind({0} == good)*log(1 + 2*D) + Ind({0} == bad)*log(1 - 2*D)"
    seen, any_jump = law(D, sizes.format("y")), law(D, "1")
    goal = (
        f"Ind(X(n) == z)*E(jump(n)*({sizes.format('X(n + 1)')}), n) == -{COIN}*Ind(X(n) == z)*E(jump(n), n)"
    )
    coin = at_leaf(D, goal, seen, D.scaled(any_jump, COIN))
    each = D.scaled(coin, f"Ind(act(n) == b)*{_BEFORE}")
    l_step = D.scaled(D.mean(D.fact("l-step"), "n"), _BEFORE)
    up = D.mean(D.fact("lk-step"), "n")
    count = D.scaled(D.mean(D.fact("T-step"), "n"), COIN)
    goal = (
        f"E(-lk(n + 1, k, z, b), n) + lk(n, k, z, b) == {COIN}*E(T(n + 1, k, z, b), n) - {COIN}*T(n, k, z, b)"
    )
    step = D.mean(D.linear(goal, up, l_step, each, count))
    a = f"E(-lk(n, k, z, b)) == {COIN}*E(T(n, k, z, b))"
    start = D.mean(by_value(D, f"-lk(0, k, z, b) == {COIN}*T(0, k, z, b)", [D.fact("lk-0"), D.fact("T-0")]))
    after = f"E(-lk(n + 1, k, z, b)) == {COIN}*E(T(n + 1, k, z, b))"
    return D.induction("n", a, start, lambda below: D.linear(after, step, below))
