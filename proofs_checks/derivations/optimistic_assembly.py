r"""What the theorems of the optimistic learner share: the core at their sets, and what its rows cost.

The core asks for three things of the event that the sets are right: that it is one (0 or 1), that it stays
while the episode goes on, and that it gives ``HOLDS``, the prices of wrong rates and rows.  The sets of a
decision are those of its plan, which was made when some episode began; that event is that the data gave right
sets whenever an episode began.  Prices are by the data of the plan, and these by those of the decision.
"""

from __future__ import annotations

from collections.abc import Mapping

from proofs_checks.derivations.nearby import either_way
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.optimistic_jumps import known_rise, rises_to
from proofs_checks.derivations.optimistic_row_sets import RowSets
from proofs_checks.derivations.optimistic_rows import HERE
from proofs_checks.derivations.optimistic_run import small
from proofs_checks.derivations.regret import WHOLE_REGRET
from proofs_checks.derivations.runs import by_jump
from proofs_checks.derivations.setting_optimistic import LARGER, MORE
from proofs_checks.derivations.unions import one_of_first, order
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


def eager(D: Derivation, label: str) -> Theorem:
    """The theorem of the learner that plans before every episode: that of the claim, with η = 0."""
    return D.valued(D.lemma(label), D.fact("eager-eta"))


Prices = Mapping[str, tuple[str, str]]

# --- whether the sets are right ---------------------------------------------------------------------


def _wrong(good: str, k: str) -> str:
    """Whether an episode begins at decision k, and the data give wrong sets: a whole number."""
    return f"new({k})*Ind(Ind({good.format(n=k)}) <= 0)"


def always(good: str, n: str = "n") -> str:
    """That the data gave right sets whenever an episode began, up to decision n."""
    return f"Sum(k, {n} + 1, {_wrong(good, 'k')}) <= 0"


def _right(D: Derivation, good: str) -> Theorem:
    """always(n) ⊢ good(pl(n))."""
    plan, before = good.format(n="pl(n)"), D.linear("pl(n) < n + 1", D.fact("planned"))
    one = D.at(one_of_first(D, _wrong(good, "k"), "k", "m"), k="pl(n)", m="n + 1")
    few = D.linear(f"{_wrong(good, 'pl(n)')} <= 0", theorems.cut(before, one), D.assume(always(good)))
    few = D.valued(few, D.fact("planned-new"))
    return D.cases(plan, lambda yes: yes, lambda _: D.absurd(D.valued(few, D.fails(plan)), plan))


def core(D: Derivation, good: str, prices: Prices, holds: Theorem, paid: Theorem) -> Theorem:
    """thm:CT-UCB/equation for sets that are right where ``good`` holds: the three conditions on them are met.

    ``holds`` is HOLDS at decision n, given good(pl(n)); ``paid`` says what is paid where ``gok`` is 1,
    whatever it is.
    """
    now, most = always(good), paid.says.parts[1]
    whole = applied(D, D.lemma("thm:CT-UCB/equation", v=most), prices)
    while whole.says.parts[0].tag == "Sure":  # the three conditions
        whole = D.mp(whole, D.assume(whole.says.parts[0]))
    whole = applied(D, D.mp(whole, D.all(paid, "m")), {"gok": ("n", f"Ind({now})")})
    one = D.assume(f"Ind({now}) == 1")
    right = D.cases(
        now,
        lambda _: theorems.cut(_right(D, good), holds),
        lambda _: D.absurd(D.linear("0 < 0", D.fails(now), one), holds.says),
    )
    stays = D.by_value(
        f"Ind({always(good, '(n + 1)')}) == Ind({now})", [D.fact("new"), D.assume("jump(n) == 1")]
    )
    for fact in (D.indicator(now)[1], D.imply(stays, "jump(n) == 1"), D.imply(right, one.says)):
        whole = theorems.cut(theorems.sure(D.all(fact, "n")), whole)
    return whole


def where_right(D: Derivation, less: Theorem, sign: Theorem) -> Theorem:
    """gok(n) u <= v, from u <= v and 0 <= v."""
    u, v = less.says.parts
    some = D.whole("gok(n)")
    goal = terms.relation("<=", terms.mul(D.term("gok(n)"), u), v)
    return D.linear(goal, D.times(less, some), D.times(small(D), sign))


def _so_far(D: Derivation, good: str, right: Theorem) -> Theorem:
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
    p, probability = event.says.parts
    sure = probability.parts[0].parts[0]
    right = D.special(D.assume(sure), "k")
    there = _so_far(D, good, right)
    there = theorems.cut(there, D.holds(always(good, "i")))
    inside = D.assume("And(i < m, ep(i) < K)")
    for one in inside.says.parts:
        there = theorems.cut(theorems.part(inside, one), there)
    every = D.all(D.imply(there, inside.says), "i")
    goal = terms.relation("<=", terms.indicator(sure), terms.indicator(every.says))
    same = D.cases(
        sure,
        lambda _: D.by_value(goal, [D.holds(sure), theorems.cut(every, D.holds(every.says))]),
        lambda _: D.by_value(goal, [D.fails(sure)], D.whole(terms.indicator(every.says))),
    )
    mean = D.mean(same)
    return D.linear(terms.relation("<=", p, mean.says.parts[1]), event, mean)


# --- what rows cost ---------------------------------------------------------------------------------


def _rows(D: Derivation, rows: RowSets, what: str) -> Theorem:
    """The radii by the jumps of a plan are at most others, by those of the decision; and what these cost."""
    both = D.mp(D.at(rows.paid(D), c=MORE), D.linear(f"1 <= {MORE}", D.fact("eta")))
    (says,) = (one for one in both.says.parts if one.tag == what)
    return theorems.part(both, says)


def _later_radius(D: Derivation, rows: RowSets) -> Theorem:
    """α is at most the radius by the jumps of the decision."""
    now, facts = "Max(1, Nf(n, x, a))", [D.known(one, "1", "Nf(pl(n), x, a)") for one in ("max", "max-right")]
    then = [D.known(one, "1", "Nf(n, x, a)") for one in ("max", "max-right")]
    known = D.mp(D.at(known_rise(D), n="pl(n)", m="n"), D.fact("planned"))
    more = either_way(D, D.known("max-cases", "1", "Nf(pl(n), x, a)"), f"{LARGER} <= {now}", known, *then)
    some = D.times(facts[0], D.linear(f"0 <= {MORE}", D.fact("eta")))
    kept = D.fact("kept-N"), some, D.fact("eta")
    few = either_way(D, D.known("max-cases", "1", "Nf(n, x, a)"), f"{now} <= {MORE}*{LARGER}", *kept)
    lags = D.mp(D.special(_rows(D, rows, "All"), LARGER, now), theorems.both(facts[0], more, few))
    goal = terms.relation("<=", D.term("au(n, x, a)"), lags.says.parts[1])
    return D.linear(goal, rows.radius(D), lags)


def row_price(D: Derivation, rows: RowSets) -> tuple[Theorem, Theorem]:
    """0 <= R jump (rem - spent), and α is at most that radius R, weighed with that."""
    left = D.times(D.linear("0 <= rem(n) - spent(n)", D.fact("spent-high")), D.whole("jump(n)"))
    less = D.at(_later_radius(D, rows), x="X(n)", a="act(n)")
    sign = D.known("sqrt", less.says.parts[1].parts[0])
    return D.times(sign, left), D.times(less, left)


def rows_paid(D: Derivation, rows: RowSets) -> Theorem:
    """0 < h ⊢ E Σ R jump (rem - spent) <= MAIN √(1 + η) a + SA H a1 (ln K + v(e^h - 1))/h."""
    longest = D.mp(D.lemma("eq:term1-3/tilted"), D.assume("0 < h"))
    first = D.times(D.known("sqrt", rows.level.at("1")), D.fact("horizon"))
    longest = D.times(D.times(longest, first), D.whole("S*A"))
    paid = _rows(D, rows, "<=")
    goal = D.term(f"{MAIN}*{rows.level.root(MORE)} + S*A*H*{rows.level.first}*{LONGEST}")
    return D.linear(terms.relation("<=", paid.says.parts[0], goal), paid, longest)


def row_radius(rows: RowSets) -> str:
    """R, at the pair of the decision."""
    return rows.level.kept(HERE, MORE)
