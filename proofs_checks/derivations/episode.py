"""``lem:v-v-continuoustime``: what an episode loses is paid along its path.

At decision n let Δ(n) = V̂ - V^π at the state and the remaining time, for the value and the policy of the episode.  Where
the estimates are within their sets at decision n (which is known at n, and frozen during the episode),

    Δ(n) <= (b + α + rem β) rem + E(jump(n) Δ(n + 1), n),

and the sum telescopes over the decisions of all episodes.
"""

from __future__ import annotations

from proofs_checks.derivations.estimates import LEARNED_MODEL, learned_model
from proofs_checks.derivations.estimates import THEOREMS as ESTIMATED
from proofs_checks.derivations.greedy_step import THEOREMS as GREEDY_STEP
from proofs_checks.derivations.iterations import DERIVED as ITERATIONS
from proofs_checks.derivations.iterations import STOPPED
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.optimality import DERIVED as OPTIMALITY
from proofs_checks.derivations.potentials import first_ones
from proofs_checks.derivations.rates import THEOREMS as RATES
from proofs_checks.derivations.runs import ACTIVE, RATE, by_jump, law, remaining, start
from proofs_checks.derivations.setting import operator
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

RATES_IN = "All(x, All(a, Abs(lh({n}, x, a) - lam(x, a)) <= be({n}, x, a)))"
ROWS_IN = "All(x, All(a, SumOver(y, Abs(ph({n}, x, a, y) - p(x, a, y))) <= al({n}, x, a)))"
GOOD = f"And({RATES_IN}, {ROWS_IN})"
HAT, PI = "Vh({n}, nk({n}) + 1, X({n}), rem({n}))", "Vpi({n}, X({n}), rem({n}))"
_PAIR = "X(n), act(n)"
COST = f"(bo(n, {_PAIR}) + al(n, {_PAIR}) + rem(n)*be(n, {_PAIR}))*rem(n)"
THEOREMS = {**RATES, **ESTIMATED, **GREEDY_STEP, **{k: text for k, (text, _) in (*ITERATIONS.items(), *OPTIMALITY.items())}}

_LEARNER = {
    **{name: (params, body.replace("(n,", "(k,")) for name, (params, body) in LEARNED_MODEL.items()},
    "gal": ("x a", "al(k, x, a)"),
    "gbe": ("x a", "be(k, x, a)"),
    "gq": ("n x t", "Vh(k, n, x, t)"),
    "gpi": ("x t", "pol(k, x, t)"),
}


def of_learner(D: Derivation, theorem: Theorem) -> Theorem:  # noqa: N803
    """A theorem about generic estimates, for those of decision n."""
    return D.at(applied(D, theorem, _LEARNER), k="n")


def sets(D: Derivation) -> tuple[Theorem, ...]:  # noqa: N803
    """ESTIMATES, BONUS, STARTS, STEPS of the learner; RATES and ROWS, given GOOD."""
    good = D.assume(GOOD.format(n="n"))
    rates, rows = (theorems.part(good, D.formula(t.format(n="n"))) for t in (RATES_IN, ROWS_IN))
    starts = D.all(D.fact("Vh-0"), "x", "t")
    steps = D.all(D.fact("Vh-step"), "m", "x", "t")
    return (*learned_model(D), starts, steps, rates, rows)


def greedy_loses(D: Derivation) -> Theorem:  # noqa: N803
    """GOOD, 0 <= t <= H ⊢ V̂ <= T^a V̂ + (b + α + t β) t, for the action of the policy."""
    step = of_learner(D, D.at(D.lemma("lem:v-v-continuoustime/step"), l="Nat_7"))
    step = D.at(step, Nat_7="nk(n)")
    greedy = D.all(D.fact("greedy"), "x", "t")
    within = theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    return D.mp(step, *sets(D), greedy, within)


def acted(D: Derivation, theorem: Theorem) -> Theorem:  # noqa: N803
    """The theorem with act(n) in the place of pol(n, X(n), rem(n))."""
    equation, old, new = D.fact("acts"), D.term("pol(n, X(n), rem(n))"), D.term("act(n)")
    hole = D.variable("Action_999999")
    template = terms.changed(theorem.says, lambda t: hole if t is old else None, lambda _: False)
    if equation.says.parts[0] is old:
        return theorems.rewrite(equation, theorem, hole, template)
    says = terms.substitute(template, {hole: new})
    same = theorems.discharge(says, D.assume(says))
    turned = theorems.rewrite(equation, same, hole, terms.implication(template, says))
    return D.mp(turned, theorem)


def loses(D: Derivation) -> Theorem:  # noqa: N803
    """GOOD ⊢ V̂(n) - V^π(n) <= cost + E(jump(n) (V̂ - V^π)(n, X(n + 1), rem(n) - spent(n)), n)."""
    low, high = remaining(D)
    bounds = [D.linear("0 <= rem(n)", low), high]
    paid = D.closed(acted(D, D.at(greedy_loses(D), x="X(n)", t="rem(n)")), *bounds)
    value = acted(D, own_equation(D, bounds))
    later = [D.instantiate(D.fact("law"), "glaw", "n s y", body.format(s="rem(n) - s")) for body in (_HAT_AT, _PI_AT)]
    after = [body.format(s="rem(n) - spent(n)").replace(", y,", ", X(n + 1),") for body in (_HAT_AT, _PI_AT)]
    goal = f"{HAT.format(n='n')} - {PI.format(n='n')} <= {COST} + E(jump(n)*({after[0]} - {after[1]}), n)"
    return D.linear(goal, paid, value, *later)


_HAT_AT, _PI_AT = "Vh(n, nk(n) + 1, y, {s})", "Vpi(n, y, {s})"
EVALUATED_BY = {"gq": ("n x t", "Vp(k, n, x, t)"), "gpi": ("x t", "pol(k, x, t)"), "gv": ("x t", "Vpi(k, x, t)")}


def evaluated(D: Derivation) -> Theorem:  # noqa: N803
    """Vp(n, m, …) are the iterates of the policy of decision n."""
    return theorems.both(D.all(D.fact("Vp-0"), "x", "t"), D.all(D.fact("Vp-step"), "m", "x", "t"))


VPIK = f"Imp(And(0 <= t, t <= H), Vpi(n, x, t) == {operator('pol(n, x, t)', 'Vpi(n, {y}, {s})')})"


def policy_equation(D: Derivation) -> Theorem:  # noqa: N803
    """eq:Vpik."""
    one = D.at(applied(D, D.at(D.lemma("sec:simulation/evaluation"), n="0"), EVALUATED_BY), k="n")
    within = D.assume("And(0 <= t, t <= H)")
    one = D.mp(one, evaluated(D), D.all(D.fact("Vpi"), "x", "t"), within)
    says = D.formula(VPIK).parts[1]
    return theorems.discharge(within.says, theorems.part(one, says))


def own_equation(D: Derivation, bounds: list[Theorem]) -> Theorem:  # noqa: N803
    """V^π(n) at the state and the remaining time."""
    return D.mp(D.lemma("eq:Vpik", x="X(n)", t="rem(n)"), theorems.both(*bounds))


THEOREMS["eq:Vpik"] = VPIK
