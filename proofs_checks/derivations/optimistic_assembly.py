r"""What the theorems of the optimistic learner share: the core at their sets, and what its rows cost.

The core asks for three things of the event that the sets are right: that it is one (0 or 1), that it stays
while the episode goes on, and that it gives ``HOLDS``, the prices of wrong rates and rows.  The sets of a
decision are those of its plan, which was made when some episode began; that event is that the data gave right
sets whenever an episode began.  Prices are by the data of the plan, and these by those of the decision.
"""

from __future__ import annotations

from collections.abc import Mapping

from proofs_checks.derivations.episode import FROZEN, supposed
from proofs_checks.derivations.nearby import either_way
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.optimistic_jumps import known_rise
from proofs_checks.derivations.optimistic_row_sets import RowSets
from proofs_checks.derivations.optimistic_rows import HERE
from proofs_checks.derivations.regret import WHOLE_REGRET
from proofs_checks.derivations.setting_optimistic import LARGER
from proofs_checks.derivations.setting_plans import MORE
from proofs_checks.derivations.so_far import always, of_plan, so_far, where
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


def core(D: Derivation, good: str, prices: Prices, holds: Theorem, paid: Theorem) -> Theorem:
    """thm:CT-UCB/equation for sets that are right where ``good`` holds: the three conditions on them are met.

    ``holds`` is HOLDS at decision n, given good(pl(n)); ``paid`` says what is paid where ``gok`` is 1,
    whatever it is.
    """
    whole = applied(D, D.lemma("thm:CT-UCB/equation", v=paid.says.parts[1]), prices)
    while whole.says.parts[0].tag == "Sure":  # the three conditions
        whole = D.mp(whole, D.assume(whole.says.parts[0]))
    whole = so_far(D, D.mp(whole, D.all(paid, "m")), good)
    return theorems.cut(where(D, always(good), theorems.cut(of_plan(D, good), holds)), whole)


def where_right(D: Derivation, less: Theorem, sign: Theorem) -> Theorem:
    """gok(n) u <= v, from u <= v and 0 <= v."""
    u, v = less.says.parts
    some = D.whole("gok(n)")
    goal = terms.relation("<=", terms.mul(D.term("gok(n)"), u), v)
    return D.linear(goal, D.times(less, some), D.times(supposed(D, FROZEN[0]), sign))


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
