r"""The Kullback-Leibler sets of the jump probabilities: a bet by Laplace's rule of succession.

W begins with 1, and each jump of the pair to y that is seen multiplies it by (M(y) + 1)/((N + S) p(y)), the
chance that Laplace's rule gives y over the true one: a factor of mean at most 1, given what came before (what
has probability 0 does not count).  At any time

    ln W = Σ_y ln M(y)! - Σ_y M(y) ln p(y) - Σ_{l<N} ln(S + l) >= N KL(p̂‖p) - ln C(N + S - 1, S - 1),

since Σ_y f(M(y)) >= f(N) for f(m) = ln m! - m ln m: a jump changes the left side by -g(M(y)) and the right
side by -g(N), g(m) = m ln(1 + 1/m), which rises.  ln C(N + S - 1, S - 1) = Σ_{l<N} ln((S + l)/(l + 1)).
"""

from __future__ import annotations

from functools import partial

from proofs_checks.derivations.count_functions import HERE, NEW, begins, keeps, moves, of_counts
from proofs_checks.derivations.crossings import by_jump, exp_equal, frozen_at
from proofs_checks.derivations.jump_sets import jumps_seen
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.unions import (
    all_cover,
    all_pairs,
    covered,
    equal,
    ever,
    ever_both,
    ever_over,
    one_of_sum,
    only_where,
    whole_cases,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

# --- the bet ----------------------------------------------------------------------------------------


def _odds(x: str, a: str, y: str) -> str:
    """ln((M(y) + 1)/((N + S) p(y))) at decision n."""
    return f"(log(M(n, {x}, {a}, {y}) + 1) - log(p({x}, {a}, {y})) - log(N(n, {x}, {a}) + S))"


BET = f"E(exp(jump(n)*{_odds('X(n)', 'act(n)', 'X(n + 1)')}), n) <= 1"


def bet(D: Derivation) -> Theorem:
    """A jump that is seen multiplies W by a factor of mean at most 1."""
    odds, here = _odds("X(n)", "act(n)", "X(n + 1)"), _odds("X(n)", "act(n)", "y")
    goal = f"exp(jump(n)*{odds}) == 1 - jump(n) + jump(n)*exp({odds})"
    parts = D.mean(by_jump(D, lambda equations: D.by_value(goal, equations[:1])), "n")
    law, total = D.fact("law"), D.fact("jump-sum", x="X(n)", a="act(n)")
    weighed = D.instantiate(D.instantiate(law, "glaw", "n s y", "gJ(n, y)"), "gJ", "n y", f"exp({here})")
    plain = D.valued(D.instantiate(law, "glaw", "n s y", "1"), total)
    often = D.linear("0 <= E(jump(n), n)", D.mean(D.whole("jump(n)"), "n"))
    fair = D.times(D.at(_fair(D), x="X(n)", a="act(n)"), often)
    factor = f"SumOver(y, p(X(n), act(n), y)*exp({here}))"
    return D.linear(BET, parts, weighed, D.scaled(plain, factor), fair)


def _fair(D: Derivation) -> Theorem:
    """Σ_y p(y) (M(y) + 1)/((N + S) p(y)) <= 1."""
    p, seen, all_seen = "p(x, a, y)", "(M(n, x, a, y) + 1)", "(N(n, x, a) + S)"
    one = f"{p}*exp(-log({p})) <= 1"
    share = D.cases(
        f"0 < {p}",
        lambda yes: D.linear(one, D.scaled(D.positive("log", p, yes), f"exp(-log({p}))")),
        lambda no: D.by_value(one, [equal(D, no, D.fact("jump-low"))]),
    )
    is_seen = D.positive("log", seen, D.linear(f"0 < {seen}", D.whole("M(n, x, a, y)")))
    some = D.linear(f"0 < {all_seen}", D.whole("N(n, x, a)"), D.fact("states-some"))
    whole = D.positive("log", all_seen, some)
    each = D.linear(
        f"{p}*exp({_odds('x', 'a', 'y')}) <= {seen}*exp(-log({all_seen}))",
        D.times(share, D.known("exp", f"log({seen}) - log({all_seen})")),
        D.scaled(is_seen, f"exp(-log({all_seen}))"),
    )
    counted = D.linear(f"SumOver(y, {seen}) == {all_seen}", jumps_seen(D)[0], D.fact("states"))
    return D.linear(
        f"SumOver(y, {p}*exp({_odds('x', 'a', 'y')})) <= 1",
        D.over(each, "y"),
        D.scaled(counted, f"exp(-log({all_seen}))"),
        D.scaled(whole, f"exp(-log({all_seen}))"),
    )


# --- the wealth -------------------------------------------------------------------------------------


def wealth(n: str, f: str = "f") -> str:
    """ln W at decision n."""
    seen = f"M{f}({n}, x, a, y)"
    each = f"Sum(m, {seen}, log(m + 1)) - {seen}*log(p(x, a, y))"
    return f"(SumOver(y, {each}) - Sum(m, N{f}({n}, x, a), log(m + S)))"


def crossing(D: Derivation) -> Theorem:
    """How often the learner sees c <= ln W, for one pair."""
    counts = partial(of_counts, D, "Sum(m, l, log(m + 1)) - l*log(p(x, a, y))", "Sum(m, l, log(m + S))")
    one, odds = D.lemma("lem:CI-p/kl/bet"), _odds("x", "a", "X(n + 1)")
    moved = f"E(exp({HERE}*{odds}), n) <= 1"

    def same(acted: Theorem) -> Theorem:
        plain = D.rewrite(D.assume("X(n) == x"), one, "z", BET.replace("X(n)", "z"))
        plain = D.rewrite(acted, plain, "b", BET.replace("X(n)", "x").replace("act(n)", "b"))
        return D.by_value(moved, [D.holds("X(n) == x"), D.holds("act(n) == a")], plain)

    falls = D.cases(
        "X(n) == x",
        lambda _: D.cases("act(n) == a", same, lambda _: D.by_value(moved, [D.fails("act(n) == a")])),
        lambda _: D.by_value(moved, [D.fails("X(n) == x")]),
    )
    after, before = wealth("n + 1", ""), wealth("n", "")
    step = D.linear(f"{after} - {before} == {HERE}*{odds}", *counts(moves))
    falls = D.linear(f"E(exp({after} - {before}), n) <= 1", D.mean(exp_equal(D, step), "n"), falls)
    starts = [D.linear(f"{wealth('0', f)} == 0", *counts(partial(begins, f=f))) for f in ("", "f")]
    kept = D.linear(f"{wealth('n + 1')} == jump(n)*{wealth('n')} + (1 - jump(n))*{after}", *counts(keeps))
    return frozen_at(D, (before, wealth("n")), falls, theorems.both(*starts), kept)


# --- the multinomial coefficient --------------------------------------------------------------------


def _curve(count: str) -> str:
    """f(m) = ln m! - m ln m."""
    return f"(Sum(m, {count}, log(m + 1)) - {count}*log({count}))"


def _entropy(n: str, f: str) -> str:
    return f"{_curve(f'N{f}({n}, x, a)')} <= SumOver(y, {_curve(f'M{f}({n}, x, a, y)')})"


ENTROPY = _entropy("n", "f")


def entropy(D: Derivation) -> Theorem:
    """N!/Π M(y)! <= Π (N/M(y))^M(y), of the counts when the episode began."""
    counts = partial(of_counts, D, _curve("l"), _curve("l"))
    few = D.linear("M(n, x, a, y) <= N(n, x, a)", one_of_sum(D, "M(n, x, a, y)", "y"), jumps_seen(D)[0])
    slower = D.over(D.times(_rises(D, "M(n, x, a, y)", "N(n, x, a)", few), D.whole(NEW["M"])), "y")
    step = counts(moves)
    whole = D.induction(
        "n",
        _entropy("n", ""),
        D.linear(_entropy("0", ""), *counts(partial(begins, f=""))),
        lambda before: D.linear(_entropy("n + 1", ""), before, *step, slower),
    )
    stays = D.linear("0 <= 1 - jump(n)", D.fact("jump"))
    return D.induction(
        "n",
        ENTROPY,
        D.linear(_entropy("0", "f"), *counts(partial(begins, f="f"))),
        lambda before: D.linear(
            _entropy("n + 1", "f"),
            D.times(before, D.whole("jump(n)")),
            D.times(D.at(whole, n="n + 1"), stays),
            *counts(keeps),
        ),
    )


def _rises(D: Derivation, m: str, n: str, few: Theorem) -> Theorem:
    """g(m) <= g(n) for g(m) = m ln(1 + 1/m) and whole numbers m <= n."""

    def g(count: str) -> str:
        return f"{count}*(log({count} + 1) - log({count}))"

    def apart(count: str, some: Theorem) -> Theorem:
        one = D.pointwise("log(1 + 1/x) == log(x + 1) - log(x)", "x >= 1", x=count)
        over = D.positive("inverse-positive", count, D.linear(f"0 < {count}", some))
        return D.scaled(D.closed(one, some, over), count)

    goal = f"{g(m)} <= {g(n)}"

    def seen(some: Theorem) -> Theorem:
        more = D.linear(f"1 <= {n}", some, few)
        over = [
            D.positive("inverse-positive", x, D.linear(f"0 < {x}", one)) for x, one in ((m, some), (n, more))
        ]
        rise = D.claim("lem:CI-p/kl/rises", a=m, b=f"{n} - {m}")
        return D.linear(goal, D.closed(rise, some, few, more, *over), apart(m, some), apart(n, more))

    def none(no: Theorem) -> Theorem:
        zero = equal(D, no, D.whole(m))
        rise = D.pointwise("0 <= x*(log(x + 1) - log(x))", "x >= 1", x=n)
        return whole_cases(
            D,
            n,
            lambda empty: D.by_value(goal, [zero, equal(D, empty, D.whole(n))]),
            lambda some: D.by_value(goal, [zero], D.closed(rise, some)),
        )

    return whole_cases(D, m, none, seen)


# --- jumps of probability 0 -------------------------------------------------------------------------

IMPOSSIBLE = f"Imp(p(x, a, y) <= 0, E({ever('Mf(i, x, a, y)')}) <= 0)"


def impossible(D: Derivation) -> Theorem:
    """A jump of probability 0 is never seen."""
    never = D.assume("p(x, a, y) <= 0")
    new = _never_new(D, equal(D, never, D.fact("jump-low")))
    step, kept = D.mean(D.fact("M-step")), D.fact("Mf-step")
    whole = D.induction(
        "n",
        "E(M(n, x, a, y)) == 0",
        D.linear("E(M(0, x, a, y)) == 0", D.mean(D.fact("M-0"))),
        lambda before: D.linear("E(M(n + 1, x, a, y)) == 0", before, step, D.mean(new)),
    )
    stays = D.linear("0 <= 1 - jump(n)", D.fact("jump"))
    most = D.linear(
        "Mf(n + 1, x, a, y) <= Mf(n, x, a, y) + M(n + 1, x, a, y)",
        kept,
        D.times(D.whole("M(n + 1, x, a, y)"), D.whole("jump(n)")),
        D.times(D.whole("Mf(n, x, a, y)"), stays),
    )
    seen = D.induction(
        "n",
        "E(Mf(n, x, a, y)) <= 0",
        D.linear("E(Mf(0, x, a, y)) <= 0", D.mean(D.fact("Mf-0"))),
        lambda before: D.linear("E(Mf(n + 1, x, a, y)) <= 0", before, D.mean(most), D.at(whole, n="n + 1")),
    )
    total = "Sum(i, n, Mf(i, x, a, y))"
    often = D.mean(D.decide(f"Ind(1 <= {total}) <= {total}", [f"1 <= {total}"], D.whole(total)))
    return D.imply(
        D.linear(f"E({ever('Mf(i, x, a, y)')}) <= 0", often, D.sum(D.at(seen, n="i"), "i", "n")), never.says
    )


def _never_new(D: Derivation, zero: Theorem) -> Theorem:
    """p(x, a, y) == 0 ⊢ no decision adds to M(y), in the mean."""
    here = "Ind(X(n) == x)*Ind(act(n) == a)"
    chance = f"{here}*p(X(n), act(n), y)"

    def same(acted: Theorem) -> Theorem:
        plain = D.rewrite(acted, zero, "b", "p(x, b, y) == 0")
        plain = D.rewrite(D.assume("X(n) == x"), plain, "z", "p(z, act(n), y) == 0")
        return D.linear(f"{chance} == 0", D.scaled(plain, here))

    none = D.cases(
        "X(n) == x",
        lambda _: D.cases(
            "act(n) == a", same, lambda _: D.by_value(f"{chance} == 0", [D.fails("act(n) == a")])
        ),
        lambda _: D.by_value(f"{chance} == 0", [D.fails("X(n) == x")]),
    )
    law = D.instantiate(D.fact("law"), "glaw", "n s z", f"{here}*Ind(z == y)")
    rate = "lam(X(n), act(n))"
    return D.linear(f"E({NEW['M']}, n) == 0", law, D.scaled(none, f"{rate}*Int(s, rem(n), exp(-{rate}*s))"))


# --- the sets cover ---------------------------------------------------------------------------------

LEVEL = "log(S*A/delta)"
PENALTY = "Sum(l, Nf(i, x, a), log((S + l)/(l + 1)))"


def divergence(p: str = "p(x, a, y)") -> str:
    """N KL(p̂‖p)."""
    return f"SumOver(y, Mf(i, x, a, y)*log(Mf(i, x, a, y)/(Nf(i, x, a)*{p})))"


def possible(p: str = "p(x, a, y)") -> str:
    """That only jumps that p allows were seen."""
    return f"All(y, Imp(1 <= Mf(i, x, a, y), 0 < {p}))"


DIVERGENCE = divergence()


COVER = f"And({DIVERGENCE} <= {LEVEL} + {PENALTY}, {possible()})"
KL = f"1 - delta <= E(Ind({all_cover(f'All(x, All(a, {COVER}))')}))"


def kl(D: Derivation) -> Theorem:
    """The sets of all pairs cover, at every decision, with probability at least 1 - δ."""
    rich, strange = f"Ind({LEVEL} <= {wealth('i')})", "Ind(p(x, a, y) <= 0)*Mf(i, x, a, y)"
    never = D.mp(D.lemma("lem:CI-p/kl/impossible"), D.assume("p(x, a, y) <= 0"))
    never = ever_over(D, "y", strange, only_where(D, "p(x, a, y) <= 0", "Mf(i, x, a, y)", never))
    rarely = ever_both(D, rich, f"SumOver(y, {strange})", D.at(crossing(D), c=LEVEL), never)
    cover, missed, bound = all_pairs(D, _missed(D, rich, strange), rarely, COVER)
    result = D.valued(covered(D, cover, missed, bound), D.fact("states"), D.fact("actions"))
    cost = D.claim("lem:CI-p/kl", S="S", A="A", d="delta")
    domain = ("S >= 1", "A >= 1", "0 < d", "d < 1")
    ratio = D.pointwise("0 < S*A/d", *domain, integers="S A", S="S", A="A", d="delta")
    return D.linear(KL, result, D.closed(cost, *sizes(D), D.closed(ratio, *sizes(D))))


def _missed(D: Derivation, rich: str, strange: str) -> Theorem:
    """Where p is outside the set, W is at least SA/δ, or a jump of probability 0 was seen."""
    total = f"1 <= {rich} + SumOver(y, {strange})"
    never = D.assume(terms.negation(D.formula(total)))
    signs = [D.whole(rich), D.whole(f"SumOver(y, {strange})")]
    count = "Mf(i, x, a, y)"
    small = D.linear(f"{strange} < 1", one_of_sum(D, strange, "y"), never, *signs)
    allowed = D.decide("0 < p(x, a, y)", ["p(x, a, y) <= 0"], small, D.assume(f"1 <= {count}"))
    poor = D.decide(f"{wealth('i')} <= {LEVEL}", [D.term(rich).parts[0]], never, *signs)
    costs = D.pointwise("log((S + l)/(l + 1)) == log(l + S) - log(l + 1)", "S >= 1", "l >= 0", S="S", l="l")
    room = D.pointwise("0 < (S + l)/(l + 1)", "S >= 1", "l >= 0", S="S", l="l")
    costs = D.closed(
        costs, D.fact("states-some"), D.whole("l"), D.closed(room, D.fact("states-some"), D.whole("l"))
    )
    enough = D.linear(
        f"{DIVERGENCE} <= {LEVEL} + {PENALTY}",
        poor,
        _divergence(D, allowed),
        D.at(D.lemma("lem:CI-p/kl/entropy"), n="i"),
        D.sum(costs, "l", "Nf(i, x, a)"),
    )
    safe = theorems.both(enough, D.all(D.imply(allowed, f"1 <= {count}"), "y"))
    denial = D.assume(terms.negation(safe.says))
    return D.cases(total, lambda yes: yes, lambda _: theorems.absurd(safe, denial, D.formula(total)))


def _divergence(D: Derivation, allowed: Theorem) -> Theorem:
    """N KL == Σ M(y) ln M(y) - Σ M(y) ln p(y) - N ln N."""
    seen, everything, p = "Mf(i, x, a, y)", "Nf(i, x, a)", "p(x, a, y)"
    goal = f"{seen}*log({seen}/({everything}*{p})) == {seen}*(log({seen}) - log({everything}) - log({p}))"
    counted = D.at(jumps_seen(D)[1], n="i")

    def some(yes: Theorem) -> Theorem:
        whole = D.linear(f"1 <= {everything}", yes, one_of_sum(D, seen, "y"), counted)
        values = {"m": seen, "n": everything, "p": p}
        split = D.pointwise("log(m/(n*p)) == log(m) - log(n) - log(p)", "m >= 1", "n >= 1", "p > 0", **values)
        room = [
            D.pointwise(f"0 < {text}", "m >= 1", "n >= 1", "p > 0", **values) for text in ("n*p", "m/(n*p)")
        ]
        facts = (yes, whole, allowed)
        first = D.closed(room[0], *facts)
        return D.scaled(D.closed(split, *facts, first, D.closed(room[1], *facts, first)), seen)

    each = whole_cases(D, seen, lambda no: D.by_value(goal, [equal(D, no, D.whole(seen))]), some)
    return D.linear(
        f"{DIVERGENCE} == SumOver(y, {seen}*log({seen}) - {seen}*log({p})) - {everything}*log({everything})",
        D.over(each, "y"),
        D.scaled(counted, f"log({everything})"),
    )
