r"""``eq:Qa``: V* is the optimal value, and the only bounded fixed point of G.

No policy earns more: :math:`\mathcal T^\pi u \le Gu`, so its iterates are at most :math:`V_n`.  One that
maximises :math:`\mathcal T^aV^*` earns as much: its distance from :math:`V^*` shrinks by :math:`\varrho` in
every step.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import (
    RATES_LOW,
    RHO,
    ROWS_LOW,
    TRUE_MODEL,
    WITHIN,
    applied,
    part,
    true_model,
)
from proofs_checks.derivations.runs import equal
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.values import (
    BEST,
    EVALUATED,
    LIMIT,
    POLICY,
    POWER,
    Iterates,
    always,
    inside,
    next_power,
    share,
    vanishing,
    within,
)
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

_EARNS = "Sup(n, gq(n, x, t))"


def keeps_order(D: Derivation, u: str, v: str, ordered: Theorem) -> Theorem:
    """T^a u <= T^a v in the model, from eq:Qa/monotone."""
    order = D.instantiate(D.lemma("eq:Qa/monotone"), "gv", "y s", v.format(y="y", s="s"))
    order = D.instantiate(order, "gu", "y s", u.format(y="y", s="s"))
    model = true_model(D)
    low = [part(D, model, _true(text)) for text in (RATES_LOW, ROWS_LOW)]
    both = D.mp(applied(D, order, TRUE_MODEL), *low, ordered)
    return part(D, both, f"{operator('a', u)} <= {operator('a', v)}")


def _true(text: str) -> str:
    return text.replace("glam(", "lam(").replace("gp(", "p(")


# --- eq:Qa/iteration ----------------------------------------------------------------------------

ITERATION = (
    f"And(Imp({WITHIN}, And(V(n, x, t) <= V(n + 1, x, t), V(n, x, t) <= Vs(x, t), "
    f"Vs(x, t) <= V(n, x, t) + {POWER}*H)), log{RHO} < 0)"
)


def iteration(D: Derivation) -> Theorem:
    """V_n rises to V*, and is within ρⁿ H of it; log ρ < 0."""
    of, start = Iterates(D, BEST), D.assume("0 <= t")

    def step(before: Theorem) -> Theorem:
        order = keeps_order(D, "V(n, {y}, {s})", "V(n + 1, {y}, {s})", inside(D, before))
        top = BEST.lift(D, order, operator("a", "V(n, {y}, {s})"), operator("a", "V(n + 1, {y}, {s})"), "0")
        now, then = D.fact("V-step"), D.fact("V-step", n="n + 1")
        return always(D, D.linear("V(n + 1, x, t) <= V(n + 2, x, t)", top, now, then))

    first = D.linear("V(0, x, t) <= V(1, x, t)", D.fact("V-0"), D.at(of.bounds[0], n="1"))
    says = "All(x, All(t, Imp(0 <= t, V(n, x, t) <= V(n + 1, x, t))))"
    rises = D.mp(D.special(D.induction("n", says, always(D, first), step), "x", "t"), start)
    found = D.imply(within(D, theorems.both(rises, of.limits[1], of.near)), WITHIN)
    return theorems.both(found, share(D)[1])


# --- sec:simulation/evaluation ------------------------------------------------------------------

EVALUATION = (
    f"Imp({EVALUATED}, Imp({LIMIT}, Imp({WITHIN}, And(gv(x, t) == {operator('gpi(x, t)', 'gv({y}, {s})')}, "
    f"gq(n, x, t) <= gv(x, t), gv(x, t) <= gq(n, x, t) + {POWER}*H))))"
)


def evaluation(D: Derivation) -> Theorem:
    """V^π = T^π V^π, and its iterates are within ρⁿ H of it."""
    of = Iterates(D, POLICY)
    return D.imply(within(D, theorems.both(of.fixed(), of.limits[1], of.near)), EVALUATED, LIMIT, WITHIN)


# --- eq:FH-control2/bounds ----------------------------------------------------------------------

BOUNDS = f"Imp({EVALUATED}, Imp(0 <= t, And(0 <= {_EARNS}, {_EARNS} <= Vs(x, t), Vs(x, t) <= t)))"


def dominated(D: Derivation) -> Theorem:
    """EVALUATED, 0 <= t ⊢ gq(n, x, t) <= V(n, x, t)."""
    start, policy = D.assume("0 <= t"), POLICY.steps(D)

    def step(before: Theorem) -> Theorem:
        u, v = "gq(n, {y}, {s})", "V(n, {y}, {s})"
        order = D.at(keeps_order(D, u, v, inside(D, before)), a="gpi(x, t)")
        top = D.most("a", operator("a", v), "gpi(x, t)")
        return always(D, D.linear("gq(n + 1, x, t) <= V(n + 1, x, t)", order, top, policy, D.fact("V-step")))

    first = D.linear("gq(0, x, t) <= V(0, x, t)", POLICY.starts(D), D.fact("V-0"))
    says = "All(x, All(t, Imp(0 <= t, gq(n, x, t) <= V(n, x, t))))"
    return D.mp(D.special(D.induction("n", says, always(D, first), step), "x", "t"), start)


def bounds(D: Derivation) -> Theorem:
    """0 <= V^π <= V* <= t."""
    name, (low, high) = D.variable("n"), Iterates(D, POLICY).bounds
    every, above = _no_more(D), _values(D)[2]
    positive = D.linear(f"0 <= {_EARNS}", D.at(low, n="0"), calculus.supremum(high, name, D.term("0")))
    return D.imply(theorems.both(positive, calculus.bounded(every, name), above), EVALUATED, "0 <= t")


# --- eq:Qa/optimality and eq:Qa/verification ----------------------------------------------------

_BEST = BEST.image(BEST.limit)


def _solves(name: str, bound: str) -> str:
    image = BEST.image(f"{name}({{y}}, {{s}})")
    return f"All(x, All(t, Imp({WITHIN}, And({name}(x, t) == {image}, Abs({name}(x, t)) <= {bound}))))"


UNIQUE = f"Imp({_solves('gv', 'c')}, Imp({_solves('gw', 'c')}, Imp({WITHIN}, gv(x, t) == gw(x, t))))"
_ONLY = f"Imp({_solves('gw', 'c')}, Imp({WITHIN}, gw(x, t) == Vs(x, t)))"
_NO_MORE = f"Imp({EVALUATED}, Imp({WITHIN}, {_EARNS} <= Vs(x, t)))"
OPTIMALITY = (
    f"And(Imp({WITHIN}, Vs(x, t) == {_BEST}), {_ONLY}, {_NO_MORE}, "
    f"Imp({WITHIN}, Sup(n, Vo(n, x, t)) == Vs(x, t)))"
)
GREEDY = f"All(x, All(t, Imp({WITHIN}, {operator('gpi(x, t)', 'Vs({y}, {s})')} == {_BEST})))"
VERIFICATION = f"Imp({GREEDY}, Imp({EVALUATED}, Imp({WITHIN}, {_EARNS} == Vs(x, t))))"


def ahead(of: Iterates, u: str, v: str, sign: Theorem, first: Theorem, *images: Theorem) -> Theorem:
    """0 <= t <= H ⊢ u <= v + ρⁿ size, by induction; v may contain n.

    ``sign``: 0 <= size; ``first``: u <= v + size for n = 0; ``images``: that u is at most its image, and the
    image of v at most the next v.
    """
    D, size = of.D, show(sign.says.parts[1])
    here, more = theorems.both(D.assume("0 <= t"), D.assume("t <= H")), f"{POWER}*({size})"
    weight = D.times(sign, D.known("exp", f"n*log{RHO}"))
    goal = f"{u} <= {v} + {more}".format(y="x", s="t")

    def step(before: Theorem) -> Theorem:
        image = of.closer(u, v, more, D.mp(D.special(before, "x", "t"), here), weight)
        after = D.at(D.assume(goal), n="n + 1").says
        return within(D, D.linear(after, image, D.scaled(next_power(D), size), *images), "x", "t")

    says = f"All(x, All(t, Imp({WITHIN}, {goal})))"
    return D.mp(D.special(D.induction("n", says, within(D, first, "x", "t"), step), "x", "t"), here)


def _values(D: Derivation) -> list[Theorem]:
    """0 <= V_n, V_n <= V*, V* <= t."""
    values = D.mp(D.lemma("lem:optimism/value-bound"), D.assume("0 <= t"))
    return [part(D, values, one) for one in ("0 <= V(n, x, t)", "V(n, x, t) <= Vs(x, t)", "Vs(x, t) <= t")]


def unique(D: Derivation) -> Theorem:
    """Two bounded solutions of w = G w agree."""
    of, here = Iterates(D, BEST), theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    own, facts = [], []
    for name in ("gv", "gw"):
        solves = D.mp(D.special(D.assume(_solves(name, "c")), "x", "t"), here)
        image, at = BEST.image(f"{name}({{y}}, {{s}})"), f"{name}(x, t)"
        own.append(part(D, solves, f"{at} == {image}"))
        facts += [part(D, solves, f"Abs({at}) <= c"), D.known("abs", at), D.known("abs-", at)]
    sign = D.linear("0 <= 2*c", *facts)
    found = []
    for u, v in (("gv", "gw"), ("gw", "gv")):
        first = D.linear(f"{u}(x, t) <= {v}(x, t) + 2*c", *facts)
        close = ahead(of, f"{u}({{y}}, {{s}})", f"{v}({{y}}, {{s}})", sign, first, *own)
        found.append(vanishing(D, close, f"{u}(x, t)", f"{v}(x, t)", sign))
    return D.imply(within(D, equal(D, *found)), _solves("gv", "c"), _solves("gw", "c"), WITHIN)


def _only(D: Derivation, fixed: Theorem) -> Theorem:
    """A bounded solution of w = G w is V*: both are at most c + H."""
    here = D.assume(WITHIN)
    horizon = D.linear("0 <= H", D.fact("horizon"))
    solves = D.mp(D.special(D.assume(_solves("gw", "c")), "x", "t"), here)
    size = D.linear("Abs(gw(x, t)) <= c + H", part(D, solves, "Abs(gw(x, t)) <= c"), horizon)
    own = part(D, solves, f"gw(x, t) == {BEST.image('gw({y}, {s})')}")
    other = D.all(D.imply(theorems.both(own, size), WITHIN), "x", "t")
    facts = [*_values(D), D.assume("t <= H"), D.linear("0 <= c", *_sizes(D, solves)), horizon]
    goal = "Abs(Vs(x, t)) <= c + H"
    small = D.split(
        D.known("abs-cases", "Vs(x, t)"),
        lambda one: D.linear(goal, one, *facts),
        lambda one: D.linear(goal, one, *facts),
    )
    value = within(D, theorems.both(fixed, small), "x", "t")
    lemma = D.at(D.lemma("eq:Qa/optimality/unique"), c="c + H")
    same = D.mp(D.instantiate(lemma, "gv", "x t", "Vs(x, t)"), value, other, here)
    return D.imply(D.linear("gw(x, t) == Vs(x, t)", same), _solves("gw", "c"), WITHIN)


def _sizes(D: Derivation, solves: Theorem) -> list[Theorem]:
    at = "gw(x, t)"
    return [part(D, solves, f"Abs({at}) <= c"), D.known("abs", at), D.known("abs-", at)]


def _no_more(D: Derivation) -> Theorem:
    """EVALUATED, 0 <= t ⊢ gq(n, x, t) <= V*(x, t)."""
    return D.linear("gq(n, x, t) <= Vs(x, t)", dominated(D), *_values(D))


def _attained(D: Derivation, fixed: Theorem) -> Theorem:
    """GREEDY, EVALUATED, 0 <= t <= H ⊢ the policy earns V*."""
    of, here = Iterates(D, POLICY), theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    greedy = D.mp(D.special(D.assume(GREEDY), "x", "t"), here)
    end = D.linear("t <= H", D.assume("t <= H"))
    first = D.linear("Vs(x, t) <= gq(0, x, t) + H", POLICY.starts(D), end, *_values(D))
    u, v = "Vs({y}, {s})", "gq(n, {y}, {s})"
    near = ahead(of, u, v, of.horizon, first, fixed, greedy, POLICY.steps(D))
    below, name = _no_more(D), D.variable("n")
    close = D.linear(f"Vs(x, t) <= {_EARNS} + {POWER}*H", near, calculus.supremum(below, name, name))
    down = vanishing(D, close, "Vs(x, t)", _EARNS, of.horizon)
    return equal(D, calculus.bounded(below, name), down)


def optimality(D: Derivation) -> Theorem:
    """V* = G V*, the only bounded solution; no policy earns more, and one earns as much."""
    fixed = Iterates(D, BEST).fixed()
    no_more = calculus.bounded(_no_more(D), D.variable("n"))
    chosen = _attained(D, fixed)
    for symbol, params, body in (("gpi", "x t", "opt(x, t)"), ("gq", "n x t", "Vo(n, x, t)")):
        chosen = D.instantiate(chosen, symbol, params, body)
    values = theorems.both(D.all(D.fact("Vo-0"), "x", "t"), D.all(D.fact("Vo-step"), "n", "x", "t"))
    chosen = theorems.cut(values, theorems.cut(D.all(D.fact("opt"), "x", "t"), chosen))
    return theorems.both(
        D.imply(within(D, fixed), WITHIN),
        _only(D, fixed),
        D.imply(within(D, no_more), EVALUATED, WITHIN),
        D.imply(within(D, chosen), WITHIN),
    )


def verification(D: Derivation) -> Theorem:
    """A policy that maximises T^a V* earns V*."""
    solves = part(D, D.lemma("eq:Qa/optimality"), f"Imp({WITHIN}, Vs(x, t) == {_BEST})")
    fixed = D.mp(solves, theorems.both(D.assume("0 <= t"), D.assume("t <= H")))
    return D.imply(within(D, _attained(D, fixed)), GREEDY, EVALUATED, WITHIN)


DERIVED = {
    "eq:Qa/iteration": (ITERATION, iteration),
    "sec:simulation/evaluation": (EVALUATION, evaluation),
    "eq:FH-control2/bounds": (BOUNDS, bounds),
    "eq:Qa/optimality/unique": (UNIQUE, unique),
    "eq:Qa/optimality": (OPTIMALITY, optimality),
    "eq:Qa/verification": (VERIFICATION, verification),
}
