r"""What the theorems of the optimistic learner share: the core at their sets, and what its rows cost.

The core asks for three things of the event that the sets are right: that it is one (0 or 1), that it stays
while the episode goes on, and that it gives ``HOLDS``, the prices of wrong rates and rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.optimistic_row_sets import RowSets
from proofs_checks.derivations.regret import WHOLE_REGRET
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

PAIR = "n, X(n), act(n)"
LONGEST = "(log(K) + lmax*H*(exp(h) - 1))/h"
MAIN = "sqrt(2)*H*sqrt(S*A*K*lmax*H)"


def whole_regret(bound: str) -> str:
    """The regret of all decisions of the K episodes, for every δ, and for δ = 1/(2K)."""
    chosen = f"Imp(delta == 1/(2*K), {WHOLE_REGRET} <= {bound} + H)"
    return f"Imp(0 < h, And({WHOLE_REGRET} <= {bound} + 2*delta*K*H, {chosen}))"


def concluded(D: Derivation, each: Theorem, bound: str) -> Theorem:
    """The same, from 0 < h ⊢ REGRET(m) <= bound + 2 δ K H."""
    found = D.bounded(each, "m")
    unit = D.scaled(D.positive("inverse", "2*K", D.linear("0 < 2*K", D.fact("episodes"))), "H")
    chosen = D.linear("2*delta*K*H == H", D.scaled(D.assume("delta == 1/(2*K)"), "2*K*H"), unit)
    last = D.imply(D.linear(f"{WHOLE_REGRET} <= {bound} + H", found, chosen), "delta == 1/(2*K)")
    return D.imply(theorems.both(found, last), "0 < h")


def core(
    D: Derivation, good: str, prices: Mapping[str, tuple[str, str]], stays: Theorem, holds: Theorem
) -> Theorem:
    """thm:CT-UCB/equation for sets that are right where ``good`` holds: the three conditions on them are met.

    ``stays`` is Ind(good(n + 1)) == Ind(good(n)), given jump(n) == 1; ``holds`` is HOLDS, given good(n).
    """
    now = good.format(n="n")
    whole = applied(D, D.lemma("thm:CT-UCB/equation"), {**prices, "gok": ("n", f"Ind({now})")})
    one = D.assume(f"Ind({now}) == 1")
    right = D.cases(
        now, lambda _: holds, lambda _: D.absurd(D.linear("0 < 0", D.fails(now), one), holds.says)
    )
    facts = D.indicator(now)[1], D.imply(stays, "jump(n) == 1"), D.imply(right, one.says)
    return D.mp(whole, *(theorems.sure(D.all(fact, "n")) for fact in facts))


def often(D: Derivation, event: Theorem, good: str) -> Theorem:
    """1 - q <= P(Ind(good) == 1 at all decisions), from the same for good."""
    p, probability = event.says.parts
    sure = probability.parts[0].parts[0]
    right = D.special(D.assume(sure), "i")
    inside = right.says.parts[0]
    there = theorems.cut(D.mp(right, D.assume(inside)), D.holds(good.format(n="i")))
    every = D.all(D.imply(there, inside), "i")
    goal = terms.relation("<=", terms.indicator(sure), terms.indicator(every.says))
    same = D.cases(
        sure,
        lambda _: D.by_value(goal, [D.holds(sure), theorems.cut(every, D.holds(every.says))]),
        lambda _: D.by_value(goal, [D.fails(sure)], D.whole(terms.indicator(every.says))),
    )
    mean = D.mean(same)
    return D.linear(terms.relation("<=", p, mean.says.parts[1]), event, mean)


def same_truth(D: Derivation, now: str, after: str, carried: Callable[[str, Theorem], Theorem]) -> Theorem:
    """Ind(after) == Ind(now), where each gives the other: carried("n + 1", now) is after, and so on."""
    goal = f"Ind({after}) == Ind({now})"

    def no(bad: Theorem) -> Theorem:
        return D.cases(
            after,
            lambda good: theorems.absurd(carried("n", good), bad, D.formula(goal)),
            lambda _: D.by_value(goal, [D.fails(now), D.fails(after)]),
        )

    return D.cases(
        now,
        lambda good: D.by_value(goal, [D.holds(now), theorems.cut(carried("n + 1", good), D.holds(after))]),
        no,
    )


def row_price(D: Derivation, rows: RowSets) -> tuple[Theorem, Theorem]:
    """0 <= √(g(N)/N) jump (rem - spent), and α is at most that radius, weighed with that."""
    left = D.times(D.linear("0 <= rem(n) - spent(n)", D.fact("spent-high")), D.whole("jump(n)"))
    less = D.at(rows.radius(D), x="X(n)", a="act(n)")
    sign = D.known("sqrt", less.says.parts[1].parts[0])
    return D.times(sign, left), D.times(less, left)


def rows_paid(D: Derivation, rows: RowSets) -> Theorem:
    """0 < h ⊢ E Σ √(g(N)/N) jump (rem - spent) <= MAIN a + SA H a1 (ln K + v(e^h - 1))/h."""
    longest = D.mp(D.lemma("eq:term1-3/tilted"), D.assume("0 < h"))
    first = D.times(D.known("sqrt", rows.level.at("1")), D.fact("horizon"))
    longest = D.times(D.times(longest, first), D.whole("S*A"))
    paid = rows.paid(D)
    goal = D.term(f"{MAIN}*{rows.level.root} + S*A*H*{rows.level.first}*{LONGEST}")
    return D.linear(terms.relation("<=", paid.says.parts[0], goal), paid, longest)
