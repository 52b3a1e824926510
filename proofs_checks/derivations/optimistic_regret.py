"""The regret of the optimistic learner, whatever its sets: what is paid where they are right, and q K H.

V* <= V̂ where the sets are right, V̂ - V^π is paid along the run, and the part that is still to be paid
after m decisions vanishes, for the mean number of decisions is finite.  Where they are not right an episode
costs H.
"""

from __future__ import annotations

from proofs_checks.derivations.episode import own_bounds
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.optimistic_run import (
    HAT,
    PAID,
    PI,
    RIGHT,
    WEIGHT,
    by_sets,
    model_below,
    small,
)
from proofs_checks.derivations.regret import GAP, HERE, REGRET, gaps, rising, vanishes, weighed
from proofs_checks.derivations.runs import ACTIVE, remaining
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

GOOD_REGRET = weighed(WEIGHT)
EVENT = "All(i, Imp(And(i < {m}, ep(i) < K), gok(i) == 1))"
_OFTEN = f"1 - q <= E(Ind({EVENT.format(m='m')}))"
_AT_MOST = f"All(m, {PAID.format(m='m')} <= v)"
CORE = chain(f"{REGRET.format(m='m')} <= v + q*K*H", *RIGHT, _AT_MOST, _OFTEN)


def lost(D: Derivation) -> Theorem:
    """GOOD_REGRET(m) <= LOST(m)."""
    goal = f"gok(n)*{HERE} <= gok(n)*({HAT.format(n='n')} - {PI.format(n='n')})"
    one = by_sets(
        D, lambda value, well: D.by_value(goal, [value], *([model_below(D, value)] if well else []))
    )
    one = D.times(D.times(one, D.whole("new(n)")), D.whole(ACTIVE))
    weight = WEIGHT.format(n="n")
    hat = f"{weight}*new(n)*({HAT.format(n='n')} - {PI.format(n='n')})"
    one = D.linear(f"{weight}*new(n)*{GAP} <= {hat}", one, *gaps(D, weight))
    return D.sum(D.mean(one), "n", "m")


def event_at(D: Derivation) -> Theorem:
    """n < m ⊢ Ind(ep(n) < K) (1 - gok(n)) <= Ind(ep(n) < K) (1 - Ind(EVENT(m)))."""
    event, active = EVENT.format(m="m"), "ep(n) + 1 <= K"
    goal = f"{ACTIVE}*(1 - gok(n)) <= {ACTIVE}*(1 - Ind({event}))"

    def covered(yes: Theorem, all_right: Theorem) -> Theorem:
        now = theorems.both(D.assume("n < m"), D.linear("ep(n) < K", yes))
        return D.by_value(goal, [D.holds(event), D.mp(D.special(all_right, "n"), now)])

    return D.cases(
        active,
        lambda yes: D.cases(
            event,
            lambda all_right: covered(yes, all_right),
            lambda _: D.by_value(goal, [D.fails(event)], D.times(D.whole("gok(n)"), D.whole(ACTIVE))),
        ),
        lambda _: D.by_value(goal, [D.fails(active)]),
    )


def missed(D: Derivation) -> Theorem:
    """REGRET(m) <= GOOD_REGRET(m) + q K H."""
    low, _, own = own_bounds(D)
    event, horizon = EVENT.format(m="m"), D.fact("horizon")
    few = D.linear(f"{HERE} <= H", low, own, remaining(D)[1])
    wrong = D.times(few, D.linear("0 <= 1 - gok(n)", small(D)))
    wrong = D.times(D.times(wrong, D.whole("new(n)")), D.whole(ACTIVE))
    goal = f"{ACTIVE}*new(n)*{GAP} <= {WEIGHT.format(n='n')}*new(n)*{GAP} + H*new(n)*{ACTIVE}*(1 - gok(n))"
    paid = D.sum(D.mean(D.linear(goal, wrong, *gaps(D, f"{ACTIVE}*(1 - gok(n))"))), "n", "m")
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "1")
    each = D.mp(each, D.all(D.linear("0 <= 1"), "k"))
    sign = D.linear(f"0 <= 1 - Ind({event})", D.indicator(event)[1])
    total = D.linear(
        f"Sum(n, m, new(n)*{ACTIVE}*(1 - gok(n))) <= K*(1 - Ind({event}))",
        D.sum(D.times(event_at(D), D.whole("new(n)")), "n", "m"),
        D.times(each, sign),
    )
    rare = D.times(D.times(D.assume(_OFTEN), D.whole("K")), horizon)
    goal = f"{REGRET.format(m='m')} <= {GOOD_REGRET.format(m='m')} + q*K*H"
    return D.linear(goal, paid, D.times(D.mean(total), horizon), rare)


def core(D: Derivation) -> Theorem:
    """REGRET(m) <= v + q K H, if at most v is paid."""
    along = D.mp(D.lemma("lem:v-v-continuoustime/equation"), *map(D.assume, RIGHT))
    bounded = D.special(D.assume(_AT_MOST), "m")
    now = D.linear(f"{GOOD_REGRET.format(m='m')} <= v + H*E(Ind(ep(m) + 1 <= K))", lost(D), along, bounded)
    late = D.linear(
        f"{GOOD_REGRET.format(m='m')} <= v + H*E(Ind(ep(m + i) + 1 <= K))",
        D.at(now, m="m + i"),
        rising(D, WEIGHT),
    )
    found = D.linear(f"{REGRET.format(m='m')} <= v + q*K*H", missed(D), vanishes(D, late))
    return D.imply(found, *RIGHT, _AT_MOST, _OFTEN)
