"""The regret of K episodes: split at the event that the estimates are right, and paid along the path.

The event is used decision by decision: whether the estimates of decision n are right is known at n.  The
whole event 𝒢 looks into the future, and must not stand inside a conditional mean.
"""

from __future__ import annotations

from proofs_checks.derivations.episode import (
    COST,
    GOOD,
    HAT,
    LOST,
    PI,
    WEIGHT,
    of_learner,
    optimism_holds,
    own_bounds,
)
from proofs_checks.derivations.iterations import STARTS, STEPS, STOPPED
from proofs_checks.derivations.longest import active_decisions
from proofs_checks.derivations.nearby import RATES, ROWS
from proofs_checks.derivations.operators import ESTIMATES, WITHIN
from proofs_checks.derivations.optimism import ENOUGH, bonus_low, factor_low, limit
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.runs import ACTIVE, by_jump, put, remaining, start
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

GAP = "(Vs(x0, H) - Vpi(n, x0, H))"
HERE = "(Vs(X(n), rem(n)) - Vpi(n, X(n), rem(n)))"
REGRET = "Sum(n, {m}, E(" + f"{ACTIVE}*new(n)*{GAP}" + "))"
WHOLE_REGRET = f"Sup(m, {REGRET.format(m='m')})"  # of all decisions of the K episodes
GOOD_REGRET = "Sum(n, {m}, E(" + f"{WEIGHT.format(n='n')}*new(n)*{GAP}" + "))"
EVENT = (
    "All(i, Imp(And(i < {m}, ep(i) < K), " + GOOD.format(n="i").replace("{", "{{").replace("}", "}}") + "))"
)
_SPLIT = f"{REGRET.format(m='m')} <= {GOOD_REGRET.format(m='m')} + q*K*H"
SPLIT = f"Imp(1 - q <= E(Ind({EVENT.format(m='m')})), {_SPLIT})"

JUMP_SUM = "E(Sum(n, {m}, " + f"{ACTIVE}*rem(n)*al(n, X(n), act(n))" + "))"
RATE_SUM = "E(Sum(n, {m}, " + f"{ACTIVE}*rem(n)*be(n, X(n), act(n))" + "))"
COLLECTED = f"(C*H + 1)*{JUMP_SUM} + (C*H**2 + H)*{RATE_SUM}"
LOAD = "Sum(k, K, eps(k))*lmax*H"
R2 = f"Imp(All(m, {COLLECTED.format(m='m')} <= v), {GOOD_REGRET.format(m='m')} <= v + {LOAD})"


def begins(D: Derivation, text: str) -> Theorem:
    """new(n) u(X(n), rem(n)) == new(n) u(x0, H), for a pattern u."""

    def goal(n: str) -> str:
        here, first_one = text.format(n=n, x=f"X({n})", t=f"rem({n})"), text.format(n=n, x="x0", t="H")
        return f"new({n})*{here} == new({n})*{first_one}"

    def there(n: str, state: Theorem, time: Theorem) -> Theorem:
        """u(x0, H) == u(X, rem): both are v."""
        here = text.format(n=n, x=f"X({n})", t=f"rem({n})")
        named = put(D, state, D.assume(f"{here} == v"), f"X({n})", "x0")
        return D.closed(D.at(put(D, time, named, f"rem({n})", "H"), v=here))

    first = D.linear(
        goal("0"), D.scaled(there("0", start(D, "X(0) == x0"), start(D, "rem(0) == H")), "new(0)")
    )

    def step(_: Theorem) -> Theorem:
        def case(values: list[Theorem], stays: bool) -> Theorem:
            if stays:
                return D.by_value(goal("n + 1"), [D.fact("new"), values[0]])
            state = next(v for v in values if v.says is D.formula("X(n + 1) == x0"))
            time = next(v for v in values if v.says is D.formula("rem(n + 1) == H"))
            return D.linear(goal("n + 1"), D.scaled(there("n + 1", state, time), "new(n + 1)"))

        return by_jump(D, case)

    return D.induction("n", goal("n"), first, step)


def split(D: Derivation) -> Theorem:
    """eq:r1/repaired."""
    low, most, own = own_bounds(D)
    _, high = remaining(D)
    gap = begins(D, "Vs({x}, {t})"), begins(D, "Vpi({n}, {x}, {t})")
    few = D.linear(f"{HERE} <= H", low, own, high)
    del most
    good, event = GOOD.format(n="n"), EVENT.format(m="m")
    missed = D.decide(f"(1 - Ind({good}))*{HERE} <= (1 - Ind({good}))*H", [good], few)
    missed = D.times(D.times(missed, D.whole("new(n)")), D.whole(ACTIVE))
    rarely = D.linear(f"{ACTIVE}*(1 - Ind({good})) <= {ACTIVE}*(1 - Ind({event}))", event_at(D))
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "1")
    each = D.mp(each, D.all(D.linear("0 <= 1"), "k"))
    sign = D.linear(f"0 <= 1 - Ind({event})", D.indicator(event)[1])
    total = D.linear(
        f"Sum(n, m, new(n)*{ACTIVE}*(1 - Ind({good}))) <= K*(1 - Ind({event}))",
        D.sum(D.times(rarely, D.whole("new(n)")), "n", "m"),
        D.times(each, sign),
    )
    weights = [D.scaled(one, f"{ACTIVE}*(1 - Ind({good}))") for one in gap]
    lost = f"H*new(n)*{ACTIVE}*(1 - Ind({good}))"
    paid = D.sum(
        D.mean(
            D.linear(
                f"{ACTIVE}*new(n)*{GAP} <= {WEIGHT.format(n='n')}*new(n)*{GAP} + {lost}",
                missed,
                *weights,
            )
        ),
        "n",
        "m",
    )
    horizon = D.fact("horizon")
    bound = D.times(D.mean(total), horizon)
    rare = D.times(D.times(D.assume(f"1 - q <= E(Ind({event}))"), D.whole("K")), horizon)
    goal = f"{REGRET.format(m='m')} <= {GOOD_REGRET.format(m='m')} + q*K*H"
    return D.imply(D.linear(goal, paid, bound, rare), f"1 - q <= E(Ind({event}))")


# --- eq:r2 ----------------------------------------------------------------------------------------


def loaded(D: Derivation) -> Theorem:
    """GOOD ⊢ V*(X(n), rem(n)) <= V̂(n) + ε lmax H: lem:optimism, with the error of eq:error-vi/load."""
    conditions = (ESTIMATES, RATES, ROWS, ENOUGH, STARTS, STEPS)
    below = D.mp(D.lemma("lem:optimism/induction"), *map(D.assume, (*conditions, WITHIN)))
    found = theorems.cut(bonus_low(D), limit(D, below, "eq:error-vi/load"))
    found = D.at(D.imply(found, *conditions, STOPPED, WITHIN), l="Nat_7", e="Real_7", x="State_7", t="Real_8")
    found = D.at(of_learner(D, found), Nat_7="nk(n)", Real_7="eps(ep(n))", State_7="X(n)", Real_8="rem(n)")
    found = D.mp(found, *optimism_holds(D))
    _, high = remaining(D)
    size = D.times(D.times(high, rate_bound(D)), D.fact("accuracy", k="ep(n)"))
    return D.linear(f"Vs(X(n), rem(n)) <= {HAT.format(n='n')} + eps(ep(n))*lmax*H", found, size)


def lost_and_loaded(D: Derivation) -> Theorem:
    """GOOD_REGRET(m) <= LOST(m) + Σ ε lmax H."""
    good, weight = GOOD.format(n="n"), WEIGHT.format(n="n")
    error = D.times(D.times(D.fact("horizon"), rate_bound(D)), D.fact("accuracy", k="ep(n)"))
    goal = f"Ind({good})*{HERE} <= Ind({good})*({HAT.format(n='n')} - {PI.format(n='n')}) + eps(ep(n))*lmax*H"
    one = D.cases(
        good,
        lambda _: D.by_value(goal, [D.holds(good)], loaded(D)),
        lambda _: D.by_value(goal, [D.fails(good)], error),
    )
    one = D.times(D.times(one, D.whole("new(n)")), D.whole(ACTIVE))
    gap = [D.scaled(begins(D, text), weight) for text in ("Vs({x}, {t})", "Vpi({n}, {x}, {t})")]
    load = f"{ACTIVE}*new(n)*eps(ep(n))*lmax*H"
    one = D.linear(
        f"{weight}*new(n)*{GAP} <= {weight}*new(n)*({HAT.format(n='n')} - {PI.format(n='n')}) + {load}",
        one,
        *gap,
    )
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "eps(k)")
    each = D.mp(each, D.all(D.linear("0 <= eps(k)", D.fact("accuracy")), "k"))
    value = D.times(D.times(D.mean(each), rate_bound(D)), D.fact("horizon"))
    return D.linear(
        f"{GOOD_REGRET.format(m='m')} <= {LOST.format(m='m')} + {LOAD}", D.sum(D.mean(one), "n", "m"), value
    )


def collected(D: Derivation) -> Theorem:
    """PAID(m) <= COLLECTED(m)."""
    low, high = remaining(D)
    good, pair = GOOD.format(n="n"), "X(n), act(n)"
    bonus = D.fact("bo", x="X(n)", a="act(n)")
    radii = {}
    for name in ("al", "be"):
        fact = D.fact(name, x="X(n)", a="act(n)")
        radii[name] = D.linear(f"0 <= {name}(n, {pair})", fact, D.known("sqrt", fact.says.parts[1].parts[0]))
    more = f"(C*H + 1)*rem(n)*al(n, {pair}) + (C*H**2 + H)*rem(n)*be(n, {pair})"
    rate = D.times(D.times(high, radii["be"]), low)
    cost = D.linear(f"{COST} <= {more}", D.scaled(bonus, "rem(n)"), rate)
    factor = factor_low(D)
    horizon = D.fact("horizon")
    signs = [D.times(radii["al"], low), D.times(radii["be"], low)]
    positive = D.linear(
        f"0 <= {more}",
        *signs,
        D.times(D.times(signs[0], factor), horizon),
        D.times(D.times(D.times(signs[1], factor), horizon), horizon),
        D.times(signs[1], horizon),
    )
    inside = D.decide(f"Ind({good})*{COST} <= {more}", [good], cost, positive)
    return D.sum(D.mean(D.times(inside, D.whole(ACTIVE))), "n", "m")


def rising(D: Derivation) -> Theorem:
    """GOOD_REGRET(m) <= GOOD_REGRET(m + i)."""
    _, most, _ = own_bounds(D)
    weight = WEIGHT.format(n="n")
    gap = [D.scaled(begins(D, text), weight) for text in ("Vs({x}, {t})", "Vpi({n}, {x}, {t})")]
    some = D.times(D.linear(f"0 <= {HERE}", most), D.whole(f"{weight}*new(n)"))
    step = D.mean(D.linear(f"0 <= {weight}*new(n)*{GAP}", some, *gap))
    here = GOOD_REGRET.format(m="m")

    def claim(i: str) -> str:
        return f"{here} <= {GOOD_REGRET.format(m=f'm + {i}')}"

    return D.induction(
        "i",
        claim("i"),
        D.linear(claim("0")),
        lambda below: D.linear(claim("(i + 1)"), below, D.at(step, n="m + i")),
    )


def paid(D: Derivation) -> Theorem:
    """eq:r2: the remainder H P(ep(m) < K) vanishes, for the mean number of decisions is finite."""
    bounded = D.special(D.assume(f"All(m, {COLLECTED.format(m='m')} <= v)"), "m")
    goal = f"{GOOD_REGRET.format(m='m')} <= v + {LOAD} + H*E(Ind(ep(m) + 1 <= K))"
    at = D.linear(goal, lost_and_loaded(D), D.lemma("eq:r2/sum"), collected(D), bounded)
    here = GOOD_REGRET.format(m="m")
    late = D.linear(f"{here} <= v + {LOAD} + H*E(Ind(ep(m + i) + 1 <= K))", D.at(at, m="m + i"), rising(D))
    many = D.sum(late, "i", "k")
    sums = (
        "Sum(n, m, E("
        + ACTIVE
        + ")) + Sum(i, {k}, E(Ind(ep(m + i) + 1 <= K))) == Sum(n, m + {k}, E("
        + ACTIVE
        + "))"
    )
    shifted = D.induction(
        "k",
        sums.format(k="k"),
        D.linear(sums.format(k="0")),
        lambda below: D.linear(sums.format(k="(k + 1)"), below),
    )
    sign = D.sum(D.mean(D.whole(ACTIVE)), "n", "m")
    few = D.at(active_decisions(D), m="m + k")
    left = f"({here} - (v + {LOAD}))"
    number = D.times(
        D.linear("Sum(i, k, E(Ind(ep(m + i) + 1 <= K))) <= (1 + lmax*H)*K", shifted, sign, few),
        D.fact("horizon"),
    )
    bound = D.archimedes(D.linear(f"k*{left} <= H*(1 + lmax*H)*K", many, number), "k")
    return D.imply(D.linear(f"{here} <= v + {LOAD}", bound), f"All(m, {COLLECTED.format(m='m')} <= v)")


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
