"""The event that the data gave right estimates, or sets, whenever an episode began, up to a decision.

It is known at the decision, stays while the episode goes on, and is as likely as that they are right at all
decisions.  Where it happens those of every plan that was made are right, of the last one and of older ones.
``good`` is a pattern of the decision n.
"""

from __future__ import annotations

from proofs_checks.derivations.episode import GOOD, good_stays
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.runs import by_jump, start
from proofs_checks.derivations.unions import one_of_first, order, rises_to
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def _wrong(good: str, k: str) -> str:
    """Whether an episode begins at decision k, and the data give wrong estimates: a whole number."""
    return f"new({k})*Ind(Ind({good.format(n=k)}) <= 0)"


def always(good: str, n: str = "n") -> str:
    """That the data gave right ones whenever an episode began, up to decision n."""
    return f"Sum(k, {n} + 1, {_wrong(good, 'k')}) <= 0"


def of_plan(D: Derivation, good: str) -> Theorem:
    """always(n) ⊢ good(pl(n))."""
    plan, before = good.format(n="pl(n)"), D.linear("pl(n) < n + 1", D.fact("planned"))
    one = D.at(one_of_first(D, _wrong(good, "k"), "k", "m"), k="pl(n)", m="n + 1")
    few = D.linear(f"{_wrong(good, 'pl(n)')} <= 0", theorems.cut(before, one), D.assume(always(good)))
    few = D.valued(few, D.fact("planned-new"))
    return D.cases(plan, lambda yes: yes, lambda _: D.absurd(D.valued(few, D.fails(plan)), plan))


def of_episode(D: Derivation) -> Theorem:
    """always(n) ⊢ GOOD(n): the estimates of a decision are those of the first one of its episode."""

    def says(n: str) -> str:
        return f"Imp({always(GOOD, n)}, {GOOD.format(n=n)})"

    def fresh(n: str, begins: Theorem) -> Theorem:
        """The same where an episode begins at decision n."""
        goal, total = GOOD.format(n=n), f"Sum(k, {n}, {_wrong(GOOD, 'k')})"
        few = D.linear(f"{_wrong(GOOD, n)} <= 0", D.assume(always(GOOD, n)), D.whole(total))
        few = D.valued(few, begins)
        return D.imply(
            D.cases(goal, lambda yes: yes, lambda _: D.absurd(D.valued(few, D.fails(goal)), goal)),
            always(GOOD, n),
        )

    def step(before: Theorem) -> Theorem:
        def case(values: list[Theorem], stays: bool) -> Theorem:
            if not stays:
                return fresh("n + 1", D.by_value("new(n + 1) == 1", [D.fact("new"), values[0]]))
            after, now = GOOD.format(n="n + 1"), GOOD.format(n="n")
            more = D.whole(_wrong(GOOD, "n + 1"))
            good = D.mp(before, D.linear(always(GOOD), D.assume(always(GOOD, "n + 1")), more))
            same = D.valued(theorems.cut(values[0], good_stays(D)), theorems.cut(good, D.holds(now)))
            found = D.cases(
                after, lambda yes: yes, lambda _: D.absurd(D.linear("1 <= 0", same, D.fails(after)), after)
            )
            return D.imply(found, always(GOOD, "n + 1"))

        return by_jump(D, case)

    found = D.induction("n", says("n"), fresh("0", start(D, "new(0) == 1")), step)
    return D.mp(found, D.assume(always(GOOD)))


def so_far(D: Derivation, theorem: Theorem, good: str) -> Theorem:
    """A theorem about any event that is frozen within an episode, for this one."""
    now = always(good)
    theorem = applied(D, theorem, {"gok": ("n", f"Ind({now})")})
    stays = D.by_value(
        f"Ind({always(good, '(n + 1)')}) == Ind({now})", [D.fact("new"), D.assume("jump(n) == 1")]
    )
    for fact in (D.indicator(now)[1], D.imply(stays, "jump(n) == 1")):
        theorem = theorems.cut(theorems.sure(D.all(fact, "n")), theorem)
    return theorem


def where(D: Derivation, event: str, found: Theorem) -> Theorem:
    """Sure(All(n, Imp(Ind(event) == 1, A))), from event ⊢ A."""
    one = D.assume(f"Ind({event}) == 1")
    right = D.cases(
        event, lambda _: found, lambda _: D.absurd(D.linear("0 < 0", D.fails(event), one), found.says)
    )
    return theorems.sure(D.all(D.imply(right, one.says), "n"))


# --- how likely it is -------------------------------------------------------------------------------


def likely(D: Derivation, event: Theorem, entailed: Theorem) -> Theorem:
    """1 - q <= P(B), from 1 - q <= P(A) and A ⊢ B."""
    p, probability = event.says.parts
    sure, goal = probability.parts[0].parts[0], terms.indicator(entailed.says)
    less = terms.relation("<=", terms.indicator(sure), goal)
    same = D.cases(
        sure,
        lambda _: D.by_value(less, [D.holds(sure), theorems.cut(entailed, D.holds(entailed.says))]),
        lambda _: D.by_value(less, [D.fails(sure)], D.whole(goal)),
    )
    mean = D.mean(same)
    return D.linear(terms.relation("<=", p, mean.says.parts[1]), event, mean)


def _up_to(D: Derivation, good: str, right: Theorem) -> Theorem:
    """always(i), given i < m and ep(i) < K, from good(k) at all decisions k of the first K episodes."""
    soon, late, before = D.assume("i < m"), D.assume("ep(i) < K"), D.assume("k < i + 1")
    step = by_jump(D, lambda case, _: D.by_value("ep(n) <= ep(n + 1)", case))
    rises = D.at(rises_to(D, "ep({n})", step), n="k", m="i")
    none = f"{_wrong(good, 'k')} <= 0"

    def earlier(less: Theorem) -> Theorem:
        there = D.linear("k < m", less, soon), D.linear("ep(k) < K", D.mp(rises, less), late)
        known = D.mp(right, theorems.both(*there))
        return D.by_value(none, [theorems.cut(known, D.holds(known.says))])

    one = order(D, "k", "i", earlier, lambda more: D.absurd(D.linear("0 < 0", more, before), none))
    return D.sum(one, "k", "i + 1")


def often(D: Derivation, event: Theorem, good: str) -> Theorem:
    """1 - q <= P(Ind(always) == 1 at all decisions), from the same for good."""
    sure = event.says.parts[1].parts[0].parts[0]
    there = _up_to(D, good, D.special(D.assume(sure), "k"))
    there = theorems.cut(there, D.holds(always(good, "i")))
    inside = D.assume("And(i < m, ep(i) < K)")
    for one in inside.says.parts:
        there = theorems.cut(theorems.part(inside, one), there)
    return likely(D, event, D.all(D.imply(there, inside.says), "i"))
