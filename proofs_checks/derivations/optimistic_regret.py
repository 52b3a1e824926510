"""The regret of the optimistic learner, whatever its sets: what is paid where they are right, and q K H.

V* <= V̂ where the sets are right, V̂ - V^π is paid along the run, and the part that is still to be paid
after m decisions vanishes, for the mean number of decisions is finite.  Where they are not right an episode
costs H.
"""

from __future__ import annotations

from proofs_checks.derivations.episode import WEIGHT, by_event
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.optimistic_run import HAT, PAID, PI, RIGHT, model_below
from proofs_checks.derivations.regret import GAP, HERE, OFTEN, ON_EVENT, REGRET, gaps, rising, vanishes
from proofs_checks.derivations.runs import ACTIVE
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_AT_MOST = f"All(m, {PAID.format(m='m')} <= v)"
CORE = chain(f"{REGRET.format(m='m')} <= v + q*K*H", *RIGHT, _AT_MOST, OFTEN)


def lost(D: Derivation) -> Theorem:
    """ON_EVENT(m) <= LOST(m)."""
    goal = f"gok(n)*{HERE} <= gok(n)*({HAT.format(n='n')} - {PI.format(n='n')})"
    one = by_event(
        D, lambda value, well: D.by_value(goal, [value], *([model_below(D, value)] if well else []))
    )
    one = D.times(D.times(one, D.whole("new(n)")), D.whole(ACTIVE))
    weight = WEIGHT.format(n="n")
    hat = f"{weight}*new(n)*({HAT.format(n='n')} - {PI.format(n='n')})"
    one = D.linear(f"{weight}*new(n)*{GAP} <= {hat}", one, *gaps(D, weight))
    return D.sum(D.mean(one), "n", "m")


def core(D: Derivation) -> Theorem:
    """REGRET(m) <= v + q K H, if at most v is paid."""
    along = D.mp(D.lemma("lem:v-v-continuoustime/equation"), *map(D.assume, RIGHT))
    bounded, missed = D.special(D.assume(_AT_MOST), "m"), D.lemma("eq:r1/any-learner")
    missed = D.mp(missed, D.assume(RIGHT[0]), D.assume(OFTEN))
    now = D.linear(f"{ON_EVENT.format(m='m')} <= v + H*E(Ind(ep(m) + 1 <= K))", lost(D), along, bounded)
    late = D.linear(
        f"{ON_EVENT.format(m='m')} <= v + H*E(Ind(ep(m + i) + 1 <= K))",
        D.at(now, m="m + i"),
        rising(D),
    )
    found = D.linear(f"{REGRET.format(m='m')} <= v + q*K*H", missed, vanishes(D, late))
    return D.imply(found, *RIGHT, _AT_MOST, OFTEN)
