"""The regret of K episodes: split at the event that the estimates are right, and paid along the path.

The event is used decision by decision: whether the estimates of decision n are right is known at n.  The
whole event 𝒢 looks into the future, and must not stand inside a conditional mean.  ``gok`` is any event that
is known at a decision: what the regret bound needs of a learner is supposed where it happens.
"""

from __future__ import annotations

from proofs_checks.derivations.episode import (
    ANY,
    FROZEN,
    GOOD,
    HAPPENS,
    LOST,
    PI,
    WEIGHT,
    at_decision,
    by_event,
    learner,
    own_bounds,
    supposed,
)
from proofs_checks.derivations.estimates import radii
from proofs_checks.derivations.longest import active_decisions
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.runs import ACTIVE, RATE, by_jump, observed, put, remaining, start
from proofs_checks.derivations.so_far import likely
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

GAP = "(Vs(X(n), H) - Vpi(n, X(n), H))"
HERE = "(Vs(X(n), rem(n)) - Vpi(n, X(n), rem(n)))"
REGRET = "Sum(n, {m}, E(" + f"{ACTIVE}*new(n)*{GAP}" + "))"
WHOLE_REGRET = f"Sup(m, {REGRET.format(m='m')})"  # of all decisions of the K episodes


def weighed(weight: str) -> str:
    """The regret of the first m decisions, weighed; weight is a pattern of n, the regret one of m."""
    return "Sum(n, {m}, E(" + f"{weight.format(n='n')}*new(n)*{GAP}" + "))"


ON_EVENT = weighed(WEIGHT)
EVENT = (
    "All(i, Imp(And(i < {m}, ep(i) < K), " + GOOD.format(n="i").replace("{", "{{").replace("}", "}}") + "))"
)
GOOD_WEIGHT = f"Ind(ep({{n}}) + 1 <= K)*Ind({GOOD})"
GOOD_REGRET = weighed(GOOD_WEIGHT)
_SPLIT = f"{REGRET.format(m='m')} <= {GOOD_REGRET.format(m='m')} + q*K*H"
SPLIT = f"Imp(1 - q <= E(Ind({EVENT.format(m='m')})), {_SPLIT})"
_ALL = "All(i, Imp(And(i < m, ep(i) < K), gok(i) == 1))"
OFTEN = f"1 - q <= E(Ind({_ALL}))"
SPLIT_ANY = chain(f"{REGRET.format(m='m')} <= {ON_EVENT.format(m='m')} + q*K*H", FROZEN[0], OFTEN)

JUMP_SUM = "E(Sum(n, {m}, " + f"{ACTIVE}*rem(n)*al(n, X(n), act(n))" + "))"
RATE_SUM = "E(Sum(n, {m}, " + f"{ACTIVE}*rem(n)*be(n, X(n), act(n))" + "))"
JUMP_SEEN, RATE_SEEN = (one.replace("rem(n)", "jump(n)") for one in (JUMP_SUM, RATE_SUM))
LOAD = "Sum(k, K, eps(k))*lmax*H"
_SEEN = f"(1 - exp(-{RATE}*rem(n)))"  # the probability that a jump ends the sojourn


def share(factor: str, seen: str = "0", plan: str = "n") -> str:
    """(α + Hβ)(cu + wp), with the radii of a plan."""
    pair = f"{plan}, X(n), act(n)"
    return f"(({factor})*rem(n) + ({seen})*{_SEEN})*(al({pair}) + H*be({pair}))"


def above(value: str, accuracy: str) -> str:
    """The value is above V*, but for the accuracy."""
    return f"Vs(X(n), rem(n)) <= {at_decision(value)} + {accuracy}*lmax*H"


def optimist(value: str, cost: str, accuracy: str, event: str) -> tuple[str, str, str, str]:
    """What is supposed of a learner's value, for the regret: it is above V*, and what a step costs."""
    optimism = f"Sure(All(n, Imp({event}, {above(value, accuracy)})))"
    return (*learner(value, cost, event), optimism)


_COST, _ACCURACY = share("c", "w"), "e*eps(ep(n))"


def any_optimist(event: str) -> tuple[str, str, str, str]:
    """The same of any learner, whose accuracies are at most e times those of alg:VI."""
    return optimist(ANY, _COST, _ACCURACY, event)


OPTIMIST = any_optimist(HAPPENS)
SIZES = ("0 <= c", "0 <= w", "0 <= e")
COLLECTED = f"c*{JUMP_SUM} + c*H*{RATE_SUM} + w*{JUMP_SEEN} + w*H*{RATE_SEEN}"


def bounded(collected: str, regret: str, load: str) -> str:
    """eq:r2, from a bound of what is collected."""
    return f"Imp(All(m, {collected.format(m='m')} <= v), {regret.format(m='m')} <= v + {load})"


R2 = chain(bounded(COLLECTED, ON_EVENT, f"e*{LOAD}"), *FROZEN, *OPTIMIST, *SIZES)


def begins(D: Derivation, text: str) -> Theorem:
    """new(n) u(X(n), rem(n)) == new(n) u(X(n), H), for a pattern u."""

    def at(n: str, t: str) -> str:
        return text.format(n=n, x=f"X({n})", t=t)

    def goal(n: str) -> str:
        return f"new({n})*{at(n, f'rem({n})')} == new({n})*{at(n, 'H')}"

    def there(n: str, time: Theorem) -> Theorem:
        """u(X, H) == u(X, rem): both are v."""
        here = at(n, f"rem({n})")
        both = D.closed(D.at(put(D, time, D.assume(f"{here} == v"), f"rem({n})", "H"), v=here))
        return D.linear(goal(n), D.scaled(both, f"new({n})"))

    def case(values: list[Theorem], stays: bool) -> Theorem:
        if stays:
            return D.by_value(goal("n + 1"), [D.fact("new"), values[0]])
        return there("n + 1", next(v for v in values if v.says is D.formula("rem(n + 1) == H")))

    return D.induction("n", goal("n"), there("0", start(D, "rem(0) == H")), lambda _: by_jump(D, case))


# --- eq:r1 ----------------------------------------------------------------------------------------


def event_so(D: Derivation) -> Theorem:
    """n < m ⊢ Ind(ep(n) < K) (1 - gok(n)) <= Ind(ep(n) < K) (1 - Ind(the event at all decisions))."""
    active = "ep(n) + 1 <= K"
    goal = f"{ACTIVE}*(1 - gok(n)) <= {ACTIVE}*(1 - Ind({_ALL}))"

    def covered(yes: Theorem, always: Theorem) -> Theorem:
        now = theorems.both(D.assume("n < m"), D.linear("ep(n) < K", yes))
        return D.by_value(goal, [D.holds(_ALL), D.mp(D.special(always, "n"), now)])

    return D.cases(
        active,
        lambda yes: D.cases(
            _ALL,
            lambda always: covered(yes, always),
            lambda _: D.by_value(goal, [D.fails(_ALL)], D.times(D.whole("gok(n)"), D.whole(ACTIVE))),
        ),
        lambda _: D.by_value(goal, [D.fails(active)]),
    )


def split_any(D: Derivation) -> Theorem:
    """eq:r1/any-learner."""
    (low, _, own), horizon = own_bounds(D), D.fact("horizon")
    few = D.linear(f"{HERE} <= H", low, own, remaining(D)[1])
    missed = D.times(few, D.linear("0 <= 1 - gok(n)", supposed(D, FROZEN[0])))
    missed = D.times(D.times(missed, D.whole("new(n)")), D.whole(ACTIVE))
    goal = f"{ACTIVE}*new(n)*{GAP} <= {WEIGHT.format(n='n')}*new(n)*{GAP} + H*new(n)*{ACTIVE}*(1 - gok(n))"
    paid = D.sum(D.mean(D.linear(goal, missed, *gaps(D, f"{ACTIVE}*(1 - gok(n))"))), "n", "m")
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "1")
    each = D.mp(each, D.all(D.linear("0 <= 1"), "k"))
    sign = D.linear(f"0 <= 1 - Ind({_ALL})", D.indicator(_ALL)[1])
    total = D.linear(
        f"Sum(n, m, new(n)*{ACTIVE}*(1 - gok(n))) <= K*(1 - Ind({_ALL}))",
        D.sum(D.times(event_so(D), D.whole("new(n)")), "n", "m"),
        D.times(each, sign),
    )
    rare = D.times(D.times(D.assume(OFTEN), D.whole("K")), horizon)
    goal = f"{REGRET.format(m='m')} <= {ON_EVENT.format(m='m')} + q*K*H"
    return D.imply(D.linear(goal, paid, D.times(D.mean(total), horizon), rare), FROZEN[0], OFTEN)


def split(D: Derivation) -> Theorem:
    """eq:r1."""
    event, good = f"1 - q <= E(Ind({EVENT.format(m='m')}))", GOOD.format(n="n")
    whole = applied(D, D.lemma("eq:r1/any-learner"), {"gok": ("n", f"Ind({good})")})
    right = D.special(D.assume(EVENT.format(m="m")), "i")
    inside = D.assume("And(i < m, ep(i) < K)")
    here = theorems.cut(D.mp(right, inside), D.holds(GOOD.format(n="i")))
    every = likely(D, D.assume(event), D.all(D.imply(here, inside.says), "i"))
    return D.imply(D.mp(whole, theorems.sure(D.all(D.indicator(good)[1], "n")), every), event)


# --- eq:r2 ----------------------------------------------------------------------------------------


def lost_and_loaded(D: Derivation) -> Theorem:
    """FROZEN, OPTIMIST ⊢ ON_EVENT(m) <= LOST(m) + e Σ ε lmax H."""
    weight, size = WEIGHT.format(n="n"), D.assume(SIZES[2])
    error = D.times(D.times(D.fact("horizon"), rate_bound(D)), D.fact("accuracy", k="ep(n)"))
    error = D.times(error, size)
    lost = f"({at_decision(ANY)} - {PI.format(n='n')})"
    goal, optimism = f"gok(n)*{HERE} <= gok(n)*{lost} + {_ACCURACY}*lmax*H", supposed(D, OPTIMIST[3])
    one = by_event(
        D, lambda value, happens: D.by_value(goal, [value], D.mp(optimism, value) if happens else error)
    )
    one = D.times(D.times(one, D.whole("new(n)")), D.whole(ACTIVE))
    load = f"{ACTIVE}*new(n)*{_ACCURACY}*lmax*H"
    one = D.linear(f"{weight}*new(n)*{GAP} <= {weight}*new(n)*{lost} + {load}", one, *gaps(D, weight))
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "eps(k)")
    each = D.mp(each, D.all(D.linear("0 <= eps(k)", D.fact("accuracy")), "k"))
    value = D.times(D.times(D.times(D.mean(each), rate_bound(D)), D.fact("horizon")), size)
    goal = f"{ON_EVENT.format(m='m')} <= {LOST.format(m='m')} + e*{LOAD}"
    return D.linear(goal, D.sum(D.mean(one), "n", "m"), value)


def collected(D: Derivation) -> Theorem:
    """FROZEN, 0 <= c, 0 <= w ⊢ PAID(m) <= COLLECTED(m), for that cost."""
    low, _ = remaining(D)
    seen = observed(D)
    chance = D.linear(f"0 <= {_SEEN}", seen, D.mean(D.whole("jump(n)"), "n"))
    signs = [D.times(one, D.assume(size)) for one, size in zip((low, chance), SIZES[:2], strict=True)]
    jumps, rates = (D.at(one, x="X(n)", a="act(n)") for one in radii(D))
    sizes = [D.times(r, one) for one in signs for r in (jumps, D.times(rates, D.fact("horizon")))]
    inside = by_event(D, lambda value, _: D.by_value(f"gok(n)*{_COST} <= {_COST}", [value], *sizes))
    weight = f"{ACTIVE}*w*(al(n, X(n), act(n)) + H*be(n, X(n), act(n)))"
    mean = D.linear(
        f"E({WEIGHT.format(n='n')}*{_COST}) <= E({_COST.replace(_SEEN, 'jump(n)')}*{ACTIVE})",
        D.mean(D.times(inside, D.whole(ACTIVE))),
        D.mean(D.scaled(seen, weight)),
    )
    return D.sum(mean, "n", "m")


def gaps(D: Derivation, weight: str) -> list[Theorem]:
    """V* and V^π at the first decision of an episode are those at (x0, H), weighed."""
    return [D.scaled(begins(D, one), weight) for one in ("Vs({x}, {t})", "Vpi({n}, {x}, {t})")]


def rising(D: Derivation) -> Theorem:
    """The weighed regret of m decisions is at most that of m + i."""
    _, most, _ = own_bounds(D)
    weight, regret = WEIGHT.format(n="n"), ON_EVENT
    some = D.times(D.linear(f"0 <= {HERE}", most), D.whole(f"{weight}*new(n)"))
    step = D.mean(D.linear(f"0 <= {weight}*new(n)*{GAP}", some, *gaps(D, weight)))

    def claim(i: str) -> str:
        return f"{regret.format(m='m')} <= {regret.format(m=f'm + {i}')}"

    return D.induction(
        "i",
        claim("i"),
        D.linear(claim("0")),
        lambda below: D.linear(claim("(i + 1)"), below, D.at(step, n="m + i")),
    )


def vanishes(D: Derivation, bounded: Theorem) -> Theorem:
    """u <= v, from u <= v + H P(ep(m + i) < K) for all i: the mean number of decisions is finite."""
    u = terms.sub(bounded.says.parts[1], D.term("H*E(Ind(ep(m + i) + 1 <= K))"))
    left = terms.sub(bounded.says.parts[0], u)
    actives = "Sum(n, m, E(" + ACTIVE + ")) + Sum(i, {k}, E(Ind(ep(m + i) + 1 <= K))) == Sum(n, m + {k}, E("
    actives += ACTIVE + "))"
    shifted = D.induction(
        "k",
        actives.format(k="k"),
        D.linear(actives.format(k="0")),
        lambda below: D.linear(actives.format(k="(k + 1)"), below),
    )
    sign = D.sum(D.mean(D.whole(ACTIVE)), "n", "m")
    few = D.at(active_decisions(D), m="m + k")
    number = D.linear("Sum(i, k, E(Ind(ep(m + i) + 1 <= K))) <= (1 + lmax*H)*K", shifted, sign, few)
    goal = terms.relation("<=", terms.mul(D.term("k"), left), D.term("H*(1 + lmax*H)*K"))
    many = D.linear(goal, D.sum(bounded, "i", "k"), D.times(number, D.fact("horizon")))
    return D.linear(terms.relation("<=", bounded.says.parts[0], u), D.archimedes(many, "k"))


def paid(D: Derivation) -> Theorem:
    """The remainder H P(ep(m) < K) vanishes, for the mean number of decisions is finite."""
    every = f"All(m, {COLLECTED.format(m='m')} <= v)"
    limited = D.special(D.assume(every), "m")
    here, most = ON_EVENT.format(m="m"), f"v + e*{LOAD}"
    summed = D.instantiate(D.lemma("eq:r2/sum/any-learner"), "gM", "n", _COST)
    summed = D.mp(summed, *map(D.assume, (*FROZEN, *OPTIMIST[:3])))
    at = D.linear(
        f"{here} <= {most} + H*E(Ind(ep(m) + 1 <= K))", lost_and_loaded(D), summed, collected(D), limited
    )
    late = D.linear(f"{here} <= {most} + H*E(Ind(ep(m + i) + 1 <= K))", D.at(at, m="m + i"), rising(D))
    return D.imply(vanishes(D, late), *FROZEN, *OPTIMIST, *SIZES, every)


# --- eq:r2/indicator ------------------------------------------------------------------------------

_ON_EVENT = f"E(Ind({EVENT.format(m='m')})*{ACTIVE}*E(gx(n), n)) <= E(gx(n))"
INDICATOR = f"Imp(Sure(All(n, 0 <= gx(n))), Imp(n < m, {_ON_EVENT}))"


def event_at(D: Derivation) -> Theorem:
    """n < m ⊢ Ind(ep(n) < K) Ind(EVENT(m)) <= Ind(ep(n) < K) Ind(GOOD(n)), which is known at n."""
    good, event, active = GOOD.format(n="n"), EVENT.format(m="m"), "ep(n) + 1 <= K"
    goal = f"{ACTIVE}*Ind({event}) <= {ACTIVE}*Ind({good})"

    def inside(yes: Theorem, covered: Theorem) -> Theorem:
        here = D.mp(D.special(covered, "n"), theorems.both(D.assume("n < m"), D.linear("ep(n) < K", yes)))
        return D.by_value(goal, [D.holds(event), theorems.cut(here, D.holds(good))])

    def outside(_: Theorem) -> Theorem:
        return D.by_value(goal, [D.fails(event)], D.times(D.whole(f"Ind({good})"), D.whole(ACTIVE)))

    return D.cases(
        active,
        lambda yes: D.cases(event, lambda covered: inside(yes, covered), outside),
        lambda _: D.by_value(goal, [D.fails(active)]),
    )


def indicator(D: Derivation) -> Theorem:
    """E(1_𝒢 E(X, n)) <= E(X): 𝒢 is inside the event that the estimates of decision n are right."""
    positive = D.special(D.surely("All(n, 0 <= gx(n))"), "n")
    sign = D.mean(positive, "n")
    first = D.mean(D.times(event_at(D), sign))
    good = GOOD.format(n="n")
    most = D.decide(f"Ind({good})*{ACTIVE}*gx(n) <= gx(n)", [good, "ep(n) + 1 <= K"], positive)
    return D.imply(D.linear(_ON_EVENT, first, D.mean(most)), "Sure(All(n, 0 <= gx(n)))", "n < m")
