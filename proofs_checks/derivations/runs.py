"""Facts about a run that many derivations use: the two cases of a decision, remaining times, means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation, Text
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

ACTIVE = "Ind(ep(n) + 1 <= K)"  # the episode of decision n is one of the first K
RATE = "lam(X(n), act(n))"
_STAYS = ("stays-rem", "stays-ep")
_ENDS = ("ends-spent", "ends-rem", "ends-ep")


def start(D: Derivation, name: str) -> Theorem:
    """One of the equations of the first decision."""
    return theorems.part(D.fact("start"), D.formula(name))


def decided(
    D: Derivation,
    goal: Text,
    equations: Sequence[Theorem],
    conditions: Sequence[Text],
    *premises: Theorem,
) -> Theorem:
    """``D.decide`` with equations that hold beforehand."""
    says = D.formula(goal)

    def go(rest: Sequence[Text], values: list[Theorem], known: list[Theorem]) -> Theorem:
        if not rest:
            return D.by_value(says, values, *premises, *known)
        a, *others = rest
        return D.cases(
            a,
            lambda yes: go(others, [*values, D.holds(a)], [*known, yes]),
            lambda no: go(others, [*values, D.fails(a)], [*known, no]),
        )

    return go(conditions, list(equations), [])


def equal(D: Derivation, low: Theorem, high: Theorem) -> Theorem:
    """u == v from u <= v and v <= u."""
    u, v = low.says.parts
    return D.mp(D.known("antisymmetric", u, v), theorems.both(low, high))


def either(D: Derivation, one: Theorem, text: Text) -> Theorem:
    """A or B, from one of them: its indicator is 1."""
    whole = D.formula(text)
    (other,) = [part for part in whole.parts if part is not one.says]
    unit = theorems.cut(one, D.holds(one.says))
    more = D.scaled(unit, terms.sub(terms.ONE, terms.indicator(other)))

    def never(_: Theorem) -> Theorem:
        return D.absurd(D.linear("1 <= 0", D.fails(whole), unit, more), whole)

    return D.cases(whole, lambda yes: yes, never)


def put(D: Derivation, equation: Theorem, theorem: Theorem, old: Text, new: Text) -> Theorem:
    """The theorem with one side of an equation (in either order, of any sort) in the place of the other."""
    u, v = D.term(old), D.term(new)
    hole = D.variable(f"{u.sort}_999998")
    template = terms.changed(theorem.says, lambda t: hole if t is u else None, lambda _: False)
    if equation.says.parts[0] is u:
        return theorems.rewrite(equation, theorem, hole, template)
    says = terms.substitute(template, {hole: v})
    same = theorems.discharge(says, D.assume(says))
    return D.mp(theorems.rewrite(equation, same, hole, terms.implication(template, says)), theorem)


def settled(D: Derivation, theorem: Theorem, *facts: Theorem) -> Theorem:
    """``D.closed``, and roots are positive where the facts say so of their radicands."""
    theorem = D.closed(theorem, *facts)
    for g in sorted(theorem.given, key=show):
        if g.tag == "<" and g.parts[0] is terms.ZERO and g.parts[1].tag == "sqrt":
            root = D.pointwise("sqrt(x) > 0", "x > 0", x=g.parts[1].parts[0])
            theorem = theorems.cut(D.closed(root, *facts), theorem)
    return D.closed(theorem, *facts)


def product(D: Derivation, first: Theorem, *others: Theorem) -> Theorem:
    """0 < u v … from 0 < u, 0 < v, and so on."""
    for other in others:
        u, v = first.says.parts[1], other.says.parts[1]
        goal = terms.relation("<", terms.ZERO, terms.mul(u, v))
        first = calculus.combine(D.setting, goal, [first, other], [(v, 1), terms.ZERO])
    return first


def maximum(D: Derivation, u: str, v: str, *facts: Theorem) -> Theorem:
    """Max(u, v) == v, for u <= v by the facts."""
    goal = f"Max({u}, {v}) <= {v}"
    high = D.split(
        D.known("max-cases", u, v),
        lambda one: D.linear(goal, one, *facts),
        lambda two: D.linear(goal, two, *facts),
    )
    return equal(D, high, D.known("max-right", u, v))


def by_jump(
    D: Derivation,
    build: Callable[[list[Theorem], bool], Theorem],
    at: str = "n",
    stays: Sequence[str] = (),
) -> Theorem:
    """The same conclusion where a jump ends decision n, and where the horizon does.

    ``build`` gets the equations of the case; ``stays`` are further facts of the first case.
    """
    jump = f"jump({at})"
    zero = D.formula(f"{jump} <= 0")

    def case(assumed: Theorem) -> Theorem:
        if assumed.says is zero:
            value, names = equal(D, assumed, D.whole(jump)), list(_ENDS)
        else:
            value = equal(D, D.fact("jump", n=at), assumed)
            names = [*_STAYS, *stays]
        facts = [D.mp(D.fact(name, n=at), value) for name in names]
        return build([value, *facts], assumed.says is not zero)

    return D.split(D.known("discrete", jump, "0"), case, case)


def remaining(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 < rem(n) and rem(n) <= H."""
    low = D.linear("0 < rem(n)", D.fact("spent-low"), D.fact("spent-high"))
    first = D.linear("rem(0) <= H", start(D, "rem(0) == H"))

    def step(below: Theorem) -> Theorem:
        facts = (below, D.fact("spent-low"))
        return by_jump(D, lambda values, _: D.by_value("rem(n + 1) <= H", values, *facts))

    return low, D.induction("n", "rem(n) <= H", first, step)


def law(D: Derivation, body: str) -> Theorem:
    """The law of one decision for a function of the time s that was spent, which is known at n."""
    one = D.instantiate(D.fact("law"), "glaw", "n s y", body)
    return D.valued(one, D.fact("jump-sum", x="X(n)", a="act(n)"))


def observed(D: Derivation) -> Theorem:
    """E(jump(n), n) == 1 - exp(-lam rem)."""
    low, _ = remaining(D)
    whole = D.closed(D.primitive("s", "rem(n)", f"-exp(-{RATE}*s)"), low)
    return D.linear(f"E(jump(n), n) == 1 - exp(-{RATE}*rem(n))", law(D, "1"), whole)
