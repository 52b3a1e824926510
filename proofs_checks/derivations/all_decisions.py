"""The event 𝒢 at all decisions of the first K episodes, not only before the n-th.

What holds at all of them before decision n, but not at all, has ep(n) < K: and the means of these indicators
add up to the mean number of decisions, at most (1 + λmax H)K. So the difference of the probabilities is 0.
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import by_jump
from proofs_checks.derivations.event import LONGER, PEELS
from proofs_checks.derivations.jump_cover import PAIRS, UNIFORM_COVER
from proofs_checks.derivations.jump_repaired import DATA, FEW, JUMPS_COVER, TAIL
from proofs_checks.derivations.longest import active_decisions
from proofs_checks.derivations.rate_sets import RATES_COVER
from proofs_checks.derivations.unions import OTHER, equal, order
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem


def _whole(jumps: str) -> str:
    """𝒢 itself."""
    return f"All(i, Imp(ep(i) < K, {PAIRS.format(cover=f'And({RATES_COVER}, {jumps})')}))"


_GOOD = f"1 - 2*delta <= E(Ind({_whole(JUMPS_COVER)}))"
_UNIFORM = f"1 - (1 + k/K)*delta <= E(Ind({_whole(UNIFORM_COVER)}))"
WHOLE = f"And(Imp({PEELS}, Imp({DATA}, Imp({FEW}, Imp({TAIL}, {_GOOD})))), Imp({LONGER}, {_UNIFORM}))"


def whole(D: Derivation) -> Theorem:
    """P(𝒢^c) <= 2δ with the paper's radii where both lemmas hold, and <= (1 + J/K)δ with n(n + 1)."""
    paper, longer = [D.assume(text) for text in (PEELS, DATA, FEW, TAIL)], D.assume(LONGER)
    good = always(D, D.mp(D.lemma("eq:G/repaired"), *paper))
    uniform = always(D, D.mp(D.lemma("eq:G/uniform"), longer))
    return theorems.both(D.imply(good, PEELS, DATA, FEW, TAIL), D.imply(uniform, LONGER))


def always(D: Derivation, bounded: Theorem) -> Theorem:
    """From p <= P(F(i) at all i < n with ep(i) < K), for all n: the same at all i."""
    p, probability = bounded.says.parts
    before = probability.parts[0].parts[0]
    every = _late(D, before)
    seen = D.mean(_seen(D, before, every))
    goal = terms.relation("<=", p, seen.says.parts[1])
    many = D.sum(D.linear(goal, bounded, seen), "n", "l")
    left = terms.sub(p, terms.sub(seen.says.parts[1], D.term("E(Ind(ep(n) + 1 <= K))")))
    few = D.at(active_decisions(D), m="l")
    limit = terms.relation("<=", terms.mul(D.term("l"), left), few.says.parts[1])
    vanishes = D.archimedes(D.linear(limit, many, few), "l")
    return D.linear(terms.relation("<=", p, terms.sub(p, left)), vanishes)


def _late(D: Derivation, before: Term) -> Theorem:
    """All(i, ...) before decision n, K <= ep(n) ⊢ the same at all decisions of the first K episodes."""
    late, in_time = D.assume("K <= ep(n)"), D.assume("ep(i) < K")
    first = order(
        D,
        "n",
        "i",
        lambda after: D.absurd(D.linear("0 < 0", late, in_time, D.mp(_episodes_rise(D), after)), "i < n"),
        lambda earlier: D.linear("i < n", earlier),
    )
    here = D.mp(D.special(D.assume(before), "i"), theorems.both(first, in_time))
    return D.all(D.imply(here, "ep(i) < K"), "i")


def _seen(D: Derivation, before: Term, every: Theorem) -> Theorem:
    """Before decision n, but not at all: only if decision n is in the first K episodes."""
    active, event = "ep(n) + 1 <= K", terms.indicator(every.says)
    goal = terms.relation("<=", terms.indicator(before), terms.add(event, D.term(f"Ind({active})")))
    signs = D.whole(event), D.whole(f"Ind({active})"), D.indicator(before)[1]
    holds = theorems.cut(every, D.holds(every.says))
    return order(
        D,
        "K",
        "ep(n)",
        lambda _: D.cases(
            before,
            lambda _: D.by_value(goal, [D.holds(before), holds], signs[1]),
            lambda _: D.by_value(goal, [D.fails(before)], *signs),
        ),
        lambda _: D.by_value(goal, [D.holds(active)], *signs),
    )


def _episodes_rise(D: Derivation) -> Theorem:
    """Imp(n <= i, ep(n) <= ep(i))."""
    step = D.at(by_jump(D, lambda equations: D.by_value("ep(n) <= ep(n + 1)", equations)), n="i")
    other = f"Nat_{OTHER}"

    def same(low: Theorem, high: Theorem, last: str) -> Theorem:
        """Where n is the last: from n <= last and last <= n."""
        here = D.linear(f"ep({last}) <= ep({last})")
        return D.rewrite(equal(D, high, low), here, other, f"ep({other}) <= ep({last})")

    start = same(D.assume("n <= 0"), D.whole("n"), "0")

    def next_one(before: Theorem) -> Theorem:
        late = D.assume("n <= i + 1")
        goal = "ep(n) <= ep(i + 1)"
        found = order(
            D,
            "n",
            "i",
            lambda early: D.linear(goal, D.mp(before, early), step),
            lambda last: same(late, last, "i + 1"),
        )
        return D.imply(found, "n <= i + 1")

    return D.induction("i", "Imp(n <= i, ep(n) <= ep(i))", D.imply(start, "n <= 0"), next_one)
