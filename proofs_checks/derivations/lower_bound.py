r"""The lower bound: some instance has regret at least W √(SAK)/7.

The sum over the pairs of the regrets of their instances is at least D W (n K - K - (2/3) √(n kl/2)
K^{3/2}), n = LA.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_cases import by_value, off, on, settle
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_reward import EARNED
from proofs_checks.derivations.lower_run import not_negative
from proofs_checks.derivations.lower_setting import PAIR
from proofs_checks.derivations.lower_tail import IN_ALL
from proofs_checks.derivations.lower_tree import count_of_pairs
from proofs_checks.derivations.lower_visits import product, root_positive
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem

_PAID = "Ind(ep(i) == k)*Ind(ht(X(i)) == 1)*er(1, rem(i))*exp(l(i, z, b))"
_LEAF = "Ind(ep(i) + 1 <= K)*Ind(ht(X(i)) == 1)*er(1, rem(i))*exp(l(i, z, b))"
_MINE = PAIR.format(n="i")
_FOUND = f"Sum(i, n, E({_LEAF}*{_MINE}))"
REWARD = f"Imp(ht(z) == 1, {EARNED} <= er(d, H)*K/2 + D*{_FOUND})"
ROOTS = "Sum(i, n, sqrt(i)) <= 2*n*sqrt(n)/3"
_ROOT = f"sqrt(L*A*{COIN}/2)"
VISITS_OF_ALL = f"SumOver(z, SumOver(b, Ind(ht(z) == 1)*{_FOUND})) <= er(d, H)*(K + {_ROOT}*2*K*sqrt(K)/3)"
REGRET = f"(K*Vs(z, b, root, H) - {IN_ALL})"
OPTIMAL = "Imp(ht(z) == 1, Vs(z, b, root, H) == er(d, H)*(1/2 + D))"
AVERAGE = f"er(d, H)*D*K*(L*A - 1 - {_ROOT}*2*sqrt(K)/3) <= SumOver(z, SumOver(b, Ind(ht(z) == 1)*{REGRET}))"


def roots(D: Derivation) -> Theorem:
    """√0 + … + √(n-1) <= (2/3) n^{3/2}."""
    low, high = "sqrt(n)*(2*n + 3)", "2*(n + 1)*sqrt(n + 1)"
    squares = [
        D.positive("sqrt-square", "n", D.whole("n")),
        D.positive("sqrt-square", "n + 1", D.linear("0 <= n + 1", D.whole("n"))),
    ]
    cubes = D.closed(D.claim("thm:lowerbound/roots", m="n"), D.whole("n"))
    below = D.linear(
        f"({low})**2 <= ({high})**2",
        cubes,
        D.scaled(squares[0], "(2*n + 3)**2"),
        D.scaled(squares[1], "4*(n + 1)**2"),
    )
    signs = [D.linear("0 <= 2*n + 3", D.whole("n")), D.linear("0 < 2*(n + 1)", D.whole("n"))]
    first = D.times(D.known("sqrt", "n"), signs[0])
    second = product(D, signs[1], root_positive(D, D.linear("0 < n + 1", D.whole("n"))))
    step = by_squares(D, first, second, below)
    return D.induction(
        "n",
        ROOTS,
        D.linear("0 <= 0"),
        lambda rest: D.linear("Sum(i, n, sqrt(i)) + sqrt(n) <= 2*(n + 1)*sqrt(n + 1)/3", rest, step),
    )


def by_squares(D: Derivation, low: Theorem, high: Theorem, squares: Theorem) -> Theorem:
    """U <= v from 0 <= u, 0 < v and u² <= v²."""
    u, v = low.says.parts[1], high.says.parts[1]
    goal = terms.relation("<=", u, v)

    def wrong(more: Theorem) -> Theorem:
        gap = D.linear(terms.relation("<", terms.ZERO, terms.sub(u, v)), more)
        both_ = D.linear(terms.relation("<", terms.ZERO, terms.add(u, v)), low, high)
        above = D.linear(terms.negation(squares.says), product(D, gap, both_))
        return theorems.absurd(squares, above, goal)

    return theorems.cases(goal, D.assume(goal), wrong(D.assume(terms.negation(goal))))


def episodes(D: Derivation) -> Theorem:
    """Ind(ep(i) + 1 <= K) as a sum over the episodes."""
    a = "Sum(k, m, Ind(ep(i) == k)) == Ind(ep(i) + 1 <= m)"
    start = settle(D, "0 == Ind(ep(i) + 1 <= 0)", ["ep(i) + 1 <= 0"], D.whole("ep(i)"))
    step = settle(
        D, "Ind(ep(i) + 1 <= m) + Ind(ep(i) == m) == Ind(ep(i) + 1 <= m + 1)",
        ["ep(i) == m", "ep(i) + 1 <= m", "ep(i) + 1 <= m + 1"],
    )  # fmt: skip
    after = "Sum(k, m, Ind(ep(i) == k)) + Ind(ep(i) == m) == Ind(ep(i) + 1 <= m + 1)"
    return D.at(D.induction("m", a, start, lambda below: D.linear(after, below, step)), m="K")


def by_episode(D: Derivation, what: str) -> Theorem:
    """Σ_i E(Ind(ep(i) < K) u) == Σ_k Σ_i E(Ind(ep(i) == k) u)."""
    parts = D.sum(D.mean(D.scaled(episodes(D), what)), "i", "n")
    i, k = (Operator("Sum", D.variable(v), D.term(end)) for v, end in (("i", "n"), ("k", "K")))
    swapped = D.exchange(i, k, f"E(Ind(ep(i) == k)*{what})")
    return D.linear(
        f"Sum(i, n, E(Ind(ep(i) + 1 <= K)*{what})) == Sum(k, K, Sum(i, n, E(Ind(ep(i) == k)*{what})))",
        parts,
        swapped,
    )


def reward(D: Derivation) -> Theorem:
    """Half of what could be earned, and D of what is found."""
    leaf = D.assume("ht(z) == 1")
    earned = D.mp(D.lemma("thm:lowerbound/income"), leaf)
    what = "Ind(ht(X(i)) == 1)*er(1, rem(i))*exp(l(i, z, b))"
    each = D.sum(_episode(D, leaf), "k", "K")
    return D.imply(
        D.linear(f"{EARNED} <= er(d, H)*K/2 + D*{_FOUND}", earned, by_episode(D, what), each), "ht(z) == 1"
    )


def _episode(D: Derivation, leaf: Theorem) -> Theorem:
    """An episode has er(d, H) in store, in every instance."""
    leaves = D.instantiate(D.lemma("thm:lowerbound/store"), "gM", "n", "exp(lk(n, k, z, b))")
    positive = D.linear("0 <= exp(lk(n, k, z, b))", D.known("exp", "lk(n, k, z, b)"))
    later = off(D, D.linear("k < ep(n) + 1", D.assume("k <= ep(n)")))
    still = by_value(D, "exp(lk(n + 1, k, z, b)) == exp(lk(n, k, z, b))", [D.fact("lk-step"), later])
    facts = positive, D.imply(still, "k <= ep(n)")
    paid = D.mp(leaves, *(theorems.sure(D.all(fact, "n")) for fact in facts))
    part = settle(D, "Ind(k <= ep(n))*exp(lk(n, k, z, b)) <= exp(lk(n, k, z, b))", ["k <= ep(n)"], positive)
    mass = theorems.part(
        D.mp(D.lemma("thm:lowerbound/divergence/repaired"), leaf), D.formula("E(exp(lk(n, k, z, b))) == 1")
    )
    same = D.scaled(D.mp(D.lemma("thm:lowerbound/same"), leaf), "er(1, rem(n))")
    most = D.times(D.linear("E(Ind(k <= ep(n))*exp(lk(n, k, z, b))) <= 1", D.mean(part), mass), store(D))
    return D.linear(
        f"Sum(i, n, E({_PAID})) <= er(d, H)", D.sum(D.mean(D.at(same, n="i")), "i", "n"), paid, most
    )


def store(D: Derivation) -> Theorem:
    """0 <= er(d, H)."""
    return D.mp(D.special(D.at(not_negative(D), h="d"), "H"), D.linear("0 <= H", D.fact("horizon")))


def all_visits(D: Derivation) -> Theorem:
    """What is found by all instances together, in all episodes."""
    leaf, what = "Ind(ht(z) == 1)", f"Ind(ht(X(i)) == 1)*er(1, rem(i))*exp(l(i, z, b))*{_MINE}"
    split = D.over(D.over(D.scaled(by_episode(D, what), leaf), "b"), "z")
    k, b, z = (
        Operator("Sum", D.variable("k"), D.term("K")),
        *(Operator("SumOver", D.variable(v)) for v in "bz"),
    )
    body = f"Sum(i, n, E(Ind(ep(i) == k)*{what}))"
    inner = D.over(D.scaled(D.exchange(b, k, body), leaf), "z")
    outer = D.exchange(z, k, f"{leaf}*SumOver(b, {body})")
    each = D.sum(D.lemma("thm:lowerbound/all-found"), "k", "K")
    factor = D.times(D.known("sqrt", f"L*A*{COIN}/2"), store(D))
    total = D.times(D.at(D.lemma("thm:lowerbound/roots"), n="K"), factor)
    return D.linear(VISITS_OF_ALL, split, inner, outer, each, total)


def average(D: Derivation) -> Theorem:
    """The sum over the pairs of the regrets of their instances."""
    by_then = f"(K*Vs(z, b, root, H) - {EARNED})"
    each = _of_leaves(
        D,
        f"D*(er(d, H)*K - {_FOUND})",
        by_then,
        lambda yes: (
            D.scaled(D.mp(D.lemma("thm:lowerbound/optimal"), yes), "K"),
            D.mp(D.lemma("thm:lowerbound/reward/repaired"), yes),
        ),
    )
    late = _of_leaves(
        D,
        f"n*{by_then}",
        f"n*{REGRET} + K*H*(K + rate*K*H)",
        lambda yes: (D.mp(D.lemma("thm:lowerbound/tail"), yes),),
    )
    gap = D.linear("0 <= D", theorems.part(D.fact("gap"), D.formula("0 < D")))
    found = D.times(D.lemma("eq:sumTj/repaired"), gap)
    pairs = count_of_pairs(D)
    bound, regrets = D.formula(AVERAGE).parts
    n = D.term("n")
    by_n = D.linear(
        terms.relation("<=", bound, D.term(_over(by_then))), each, found, D.scaled(pairs, "er(d, H)*D*K")
    )
    rest = D.term("L*A*K*H*(K + rate*K*H)")
    small = D.linear(
        terms.relation("<=", terms.mul(n, terms.sub(bound, regrets)), rest),
        D.times(by_n, D.whole("n")),
        late,
        D.scaled(pairs, "K*H*(K + rate*K*H)"),
    )
    return D.linear(AVERAGE, calculus.archimedes(small, n))


def _over(what: str) -> str:
    return f"SumOver(z, SumOver(b, Ind(ht(z) == 1)*{what}))"


def _of_leaves(
    D: Derivation,
    u: str,
    v: str,
    facts: Callable[[Theorem], tuple[Theorem, ...]],
) -> Theorem:
    """Σ u <= Σ v over the pairs, from facts about a leaf z."""
    goal = f"Ind(ht(z) == 1)*({u}) <= Ind(ht(z) == 1)*({v})"
    each = D.cases(
        "ht(z) == 1",
        lambda yes: by_value(D, goal, [on(D, yes)], *facts(yes)),
        lambda no: by_value(D, goal, [off(D, no)]),
    )
    return D.over(D.over(each, "b"), "z")
