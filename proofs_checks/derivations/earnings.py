r"""``eq:Vpik``: V^π is the mean of what an episode earns.

``earn(n, m)`` is what the sojourns n, ..., n + m - 1 earn, as far as they belong to the episode of decision
n.  Its mean when decision n is made is the m-th iterate of :math:`\mathcal T^\pi`, at the state and the
remaining time of that decision: by induction over m, with the law of the first sojourn and the tower for what
comes after it.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.operators import RHO, WITHIN, applied, part
from proofs_checks.derivations.runs import RATE, by_jump, law, observed, remaining
from proofs_checks.derivations.setting import operator
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

_VALUE, _REST = "Vp(n, m, X(n), rem(n))", "Vpi(n, X(n), rem(n))"
_EARNED = "E(earn(n, m), n)"
_POWER = f"exp(m*log{RHO})"
_OWN = operator("pol(n, x, t)", "Vpi(n, {y}, {s})")
VPIK = (
    f"And({_EARNED} == {_VALUE}, {_EARNED} <= {_REST}, {_REST} <= {_EARNED} + {_POWER}*H, "
    f"Imp({WITHIN}, Vpi(n, x, t) == {_OWN}))"
)


def same(D: Derivation, equal: Theorem, name: str, text: str) -> Theorem:
    """F(u) == F(v) for u == v of a finite sort; F is the text, its argument the variable of that name."""
    u, f = equal.says.parts[0], D.term(text)
    whole = terms.substitute(f, {D.variable(name): u})
    return theorems.rewrite(equal, D.linear(_equation(whole, whole)), D.variable(name), _equation(whole, f))


def _equation(u: Term, v: Term) -> Term:
    return terms.relation("==", u, v)


def frozen_values(D: Derivation) -> Theorem:
    """jump(n) == 1 ⊢ All(x, All(t, Vp(n + 1, m, x, t) == Vp(n, m, x, t))): the policy stays."""
    first = D.linear("Vp(n + 1, 0, x, t) == Vp(n, 0, x, t)", D.fact("Vp-0", n="n + 1"), D.fact("Vp-0"))
    policy = D.mp(D.fact("frozen-pol"), D.assume("jump(n) == 1"))
    rate = "lam(x, a)"

    def step(before: Theorem) -> Theorem:
        jumps = D.over(D.scaled(D.special(before, "y", "t - s"), "p(x, a, y)"), "y")
        whole = D.at(D.integral(D.scaled(jumps, f"{rate}*exp(-{rate}*s)"), "s", "t"), a="pol(n, x, t)")
        action = same(D, policy, "b", operator("b", "Vp(n + 1, m, {y}, {s})"))
        now, then = D.fact("Vp-step"), D.fact("Vp-step", n="n + 1")
        goal = "Vp(n + 1, m + 1, x, t) == Vp(n, m + 1, x, t)"
        return D.all(D.linear(goal, then, action, whole, now), "x", "t")

    says = "All(x, All(t, Vp(n + 1, m, x, t) == Vp(n, m, x, t)))"
    return D.induction("m", says, D.all(first, "x", "t"), step)


def sojourn(D: Derivation) -> Theorem:
    """E(spent(n), n) == ∫ exp(-λs) ds over [0, rem(n)]."""
    low, _ = remaining(D)
    split = by_jump(
        D, lambda values, _: D.by_value("spent(n) == jump(n)*spent(n) + (1 - jump(n))*rem(n)", values)
    )
    area = D.closed(D.primitive("s", "rem(n)", f"-s*exp(-{RATE}*s)"), low)
    ends = D.scaled(observed(D), "rem(n)")
    return D.linear(
        f"E(spent(n), n) == Int(s, rem(n), exp(-{RATE}*s))", D.mean(split, "n"), law(D, "s"), area, ends
    )


def next_value(D: Derivation, after: str, moved: str, frozen: Theorem | None = None) -> Theorem:
    """E(jump(n)*after, n) == E(jump(n)*moved, n): after a jump rem(n) - spent(n) remains.

    ``frozen``: after == moved at that time, given jump(n) == 1.
    """
    goal = f"jump(n)*{after} == jump(n)*{moved}"

    def build(values: list[Theorem], jumps: bool) -> Theorem:
        facts = [theorems.cut(values[0], frozen)] if jumps and frozen is not None else []
        return D.by_value(goal, values, *facts)

    return D.mean(by_jump(D, build), "n")


def _by_sojourns(D: Derivation, says: str, step: Callable[[Theorem], Theorem], value: str) -> Theorem:
    """What is said of E(earn(n, m), n) for every n, by induction over m; ``value`` is 0 for m = 0."""
    first = D.linear(
        D.at(D.assume(says), m="0").says,
        D.mean(D.fact("earn-0"), "n"),
        D.fact(value, x="X(n)", t="rem(n)"),
    )
    whole = f"Sure(All(n, {says}))"

    def later(before: Theorem) -> Theorem:
        return theorems.sure(D.all(step(D.special(theorems.unsure(before), "n + 1")), "n"))

    found = D.induction("m", whole, theorems.sure(D.all(first, "n")), later)
    return D.special(theorems.unsure(found), "n")


def earned(D: Derivation) -> Theorem:
    """E(earn(n, m), n) == Vp(n, m, X(n), rem(n))."""
    frozen = D.special(frozen_values(D), "X(n + 1)", "rem(n) - spent(n)")
    after, moved = "Vp(n + 1, m, X(n + 1), rem(n + 1))", "Vp(n, m, X(n + 1), rem(n) - spent(n))"
    facts = [
        next_value(D, after, moved, frozen),
        D.instantiate(D.fact("law"), "glaw", "n s y", "Vp(n, m, y, rem(n) - s)"),
        D.scaled(sojourn(D), "r(X(n), act(n))"),
        same(D, D.fact("acts"), "b", operator("b", "Vp(n, m, {y}, {s})", "X(n)", "rem(n)")),
        D.fact("Vp-step", x="X(n)", t="rem(n)"),
        D.mean(D.fact("earn-step"), "n"),
    ]

    def step(before: Theorem) -> Theorem:
        rest = D.mean(D.scaled(before, "jump(n)"), "n")
        return D.linear("E(earn(n, m + 1), n) == Vp(n, m + 1, X(n), rem(n))", rest, *facts)

    return _by_sojourns(D, f"{_EARNED} == {_VALUE}", step, "Vp-0")


def mean_of_episode(D: Derivation) -> Theorem:
    """What the first m sojourns earn in the mean: the iterates of T^π, and V^π up to ρᵐ H."""
    bodies = {
        "gpi": ("x t", "pol(n, x, t)"),
        "gq": ("m x t", "Vp(n, m, x, t)"),
        "gv": ("x t", "Vpi(n, x, t)"),
    }
    lemma = applied(D, D.at(D.lemma("sec:simulation/evaluation"), n="m"), bodies)
    starts = theorems.both(D.all(D.fact("Vp-0"), "x", "t"), D.all(D.fact("Vp-step"), "m", "x", "t"))
    lemma = D.mp(lemma, starts, D.all(D.fact("Vpi"), "x", "t"))
    low, high = remaining(D)
    here = D.mp(D.at(lemma, x="X(n)", t="rem(n)"), theorems.both(D.linear("0 <= rem(n)", low), high))
    mean = earned(D)
    below = part(D, here, f"{_VALUE} <= {_REST}")
    above = part(D, here, f"{_REST} <= {_VALUE} + {_POWER}*H")
    own = part(D, D.mp(lemma, D.assume(WITHIN)), f"Vpi(n, x, t) == {_OWN}")
    return theorems.both(
        mean,
        D.linear(f"{_EARNED} <= {_REST}", mean, below),
        D.linear(f"{_REST} <= {_EARNED} + {_POWER}*H", mean, above),
        D.imply(own, WITHIN),
    )


# --- eq:FH-control/clock/repaired ---------------------------------------------------------------

CLOCK = (
    f"Imp(And(X(n) == x, rem(n) == t), And({_EARNED} <= Vpi(n, x, t), "
    f"Vpi(n, x, t) <= {_EARNED} + {_POWER}*H, "
    f"Vpi(n, x, t) == {_OWN}))"
)


def clock(D: Derivation) -> Theorem:
    """The mean of what is earned from x with t remaining, where actions are read off at what remains."""
    whole, here = D.lemma("eq:Vpik"), D.assume("And(X(n) == x, rem(n) == t)")
    low, high = remaining(D)
    time = part(D, here, "rem(n) == t")
    within = theorems.both(D.linear("0 <= t", time, low), D.linear("t <= H", time, high))
    own = D.mp(part(D, whole, f"Imp({WITHIN}, Vpi(n, x, t) == {_OWN})"), within)
    state = same(D, part(D, here, "X(n) == x"), "y", "Vpi(n, y, t)")
    found = []
    for text in (f"{_EARNED} <= {{}}", f"{{}} <= {_EARNED} + {_POWER}*H"):
        there = D.valued(part(D, whole, text.format(_REST)), time)
        found.append(D.linear(text.format("Vpi(n, x, t)"), there, state))
    return D.imply(theorems.both(*found, own), "And(X(n) == x, rem(n) == t)")


# --- eq:Qa/first-n ---------------------------------------------------------------------

_COUNTS = (
    "And(All(x, All(t, gq(0, x, t) == 0)), "
    f"All(n, All(x, All(t, gq(n + 1, x, t) == {operator('gpc(n, x, t)', 'gq(n, {y}, {s})')}))))"
)
_IMAGE = f"MaxOver(a, {operator('a', 'V(n, {y}, {s})')})"
_GREEDY = f"All(n, All(x, All(t, {operator('gpc(n, x, t)', 'V(n, {y}, {s})')} == {_IMAGE})))"
FIRST_N = f"And({_EARNED} <= V(m, X(n), rem(n)), Imp({_GREEDY}, Imp({_COUNTS}, gq(n, x, t) == V(n, x, t))))"


def _no_more(D: Derivation) -> Theorem:
    """E(earn(n, m), n) <= V(m, X(n), rem(n)), whatever the actions depend on."""
    after, moved = "V(m, X(n + 1), rem(n + 1))", "V(m, X(n + 1), rem(n) - spent(n))"
    image = operator("a", "V(m, {y}, {s})", "X(n)", "rem(n)")
    facts = [
        next_value(D, after, moved),
        D.instantiate(D.fact("law"), "glaw", "n s y", "V(m, y, rem(n) - s)"),
        D.scaled(sojourn(D), "r(X(n), act(n))"),
        D.most("a", image, "act(n)"),
        D.fact("V-step", n="m", x="X(n)", t="rem(n)"),
        D.mean(D.fact("earn-step"), "n"),
    ]

    def step(before: Theorem) -> Theorem:
        rest = D.mean(D.times(before, D.whole("jump(n)")), "n")
        return D.linear("E(earn(n, m + 1), n) <= V(m + 1, X(n), rem(n))", rest, *facts)

    return _by_sojourns(D, f"{_EARNED} <= V(m, X(n), rem(n))", step, "V-0")


def _counted(D: Derivation) -> Theorem:
    """The policy that takes, with n + 1 jumps to go, what maximises T^a V_n, earns V_n."""
    counts, rate = D.assume(_COUNTS), "lam(x, a)"
    starts, steps = (theorems.part(counts, one) for one in D.formula(_COUNTS).parts)
    if D.formula("All(x, All(t, gq(0, x, t) == 0))") is not starts.says:
        starts, steps = steps, starts
    greedy = D.special(D.assume(_GREEDY), "n", "x", "t")

    def step(before: Theorem) -> Theorem:
        jumps = D.over(D.scaled(D.special(before, "y", "t - s"), "p(x, a, y)"), "y")
        whole = D.at(D.integral(D.scaled(jumps, f"{rate}*exp(-{rate}*s)"), "s", "t"), a="gpc(n, x, t)")
        now = D.special(steps, "n", "x", "t")
        equal = D.linear("gq(n + 1, x, t) == V(n + 1, x, t)", whole, now, greedy, D.fact("V-step"))
        return D.all(equal, "x", "t")

    first = D.linear("gq(0, x, t) == V(0, x, t)", D.special(starts, "x", "t"), D.fact("V-0"))
    says = "All(x, All(t, gq(n, x, t) == V(n, x, t)))"
    found = D.special(D.induction("n", says, D.all(first, "x", "t"), step), "x", "t")
    return D.imply(found, _GREEDY, _COUNTS)


def first_n(D: Derivation) -> Theorem:
    """No learner earns more than V_m in m sojourns of an episode, and a policy that counts jumps earns it."""
    return theorems.both(_no_more(D), _counted(D))


DERIVED = {
    "eq:Vpik": (VPIK, mean_of_episode),
    "eq:FH-control/clock/repaired": (CLOCK, clock),
    "eq:Qa/first-n": (FIRST_N, first_n),
}
