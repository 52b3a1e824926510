r"""What a policy loses is at most what its decisions cost, summed along its path.

Let c(x, t) be what a decision costs and P the mean over the next one, :math:`Pu = \sum_y\int\lambda
e^{-\lambda s}p(y)\,u(y,t-s)\,ds` for the action of the policy.  :math:`r_m = \sum_{j<m}P^jc` is the mean cost
of the first m decisions, so that :math:`r_{m+1} = c + Pr_m`.  From :math:`\hat V \le \mathcal T^\pi\hat V
+ c` and :math:`V^\pi = \mathcal T^\pi V^\pi` the difference :math:`\delta = \hat V - V^\pi \le t` has
:math:`\delta \le c + P\delta`, and with :math:`U = t + \lambda_{\max}t^2/2`, which has :math:`t + PU \le U`,

.. math:: (m+1)\,\delta \le t + m\,(c + P\delta) \le t + m\,c + P(m\,r_m + U) \le m\,r_{m+1} + U .

So :math:`m(\delta - \sup_jr_j) \le U` for every m.  Nothing is said of how fast the remainders vanish.
"""

from __future__ import annotations

from proofs_checks.derivations.greedy_step import THEOREMS as STEP
from proofs_checks.derivations.nearby import (
    TRUE,
    chain,
    density,
    density_low,
    inside,
    parts_of_time,
    rate_low,
)
from proofs_checks.derivations.operators import WITHIN, part
from proofs_checks.derivations.optimism import rate_max, within
from proofs_checks.derivations.setting import operator
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

BEST = "gpi(x, t)"
_RATE, _ROW = f"lam(x, {BEST})", f"p(x, {BEST}, y)"


def _after(values: str) -> str:
    """P of a pattern."""
    at = values.format(y="y", s="t - s")
    return f"Int(s, t, {density(_RATE)}*SumOver(y, {_ROW}*{at}))"


def _everywhere(text: str) -> str:
    return f"All(x, All(t, Imp({WITHIN}, {text})))"


POLICY = _everywhere(f"And(0 <= gv(x, t), gv(x, t) == {operator(BEST, 'gv({y}, {s})')})")
"""gv is the value of the policy gpi."""


def path(cost: str) -> str:
    """gr(m) is the mean cost of the first m decisions, for the cost of a decision in x with t left."""
    step = f"gr(m + 1, x, t) == {cost} + {_after('gr(m, {y}, {s})')}"
    return f"And(All(x, All(t, gr(0, x, t) == 0)), All(m, All(x, All(t, {step}))))"


COSTS = _everywhere("And(0 <= gw(x, t), gw(x, t) <= q*t)")
LOSES = _everywhere(f"And(gu(x, t) <= t, gu(x, t) <= {operator(BEST, 'gu({y}, {s})')} + gw(x, t))")
PATH = path("gw(x, t)")
PAID = "Sup(m, gr(m, x, t))"
SUMMED = chain(f"gu(x, t) <= gv(x, t) + {PAID}", LOSES, POLICY, PATH, COSTS, "0 <= q", WITHIN)
_U = "({t} + lmax*({t})**2/2)"


def everywhere(D: Derivation, theorem: Theorem) -> Theorem:
    """All(x, All(t, Imp(0 <= t <= H, A)))."""
    return D.all(D.imply(within(D, theorem), WITHIN), "x", "t")


def _here(D: Derivation, text: str) -> list[Theorem]:
    """The parts of what holds everywhere, at x and t."""
    both = D.mp(D.special(D.assume(text), "x", "t"), theorems.both(D.assume("0 <= t"), D.assume("t <= H")))
    return [theorems.part(both, one) for one in both.says.parts]


def room(D: Derivation) -> Theorem:
    """0 <= t ⊢ t + PU <= U."""
    left = D.times(inside(D)[0], D.known("exp", f"-{TRUE}*s"))
    size = D.times(D.integral(left, "s", "t"), D.linear(f"0 <= lmax - {TRUE}", D.fact("rate-high")))
    squares = D.scaled(D.primitive("s", "t", f"-(t - s)**2/2*exp(-{TRUE}*s)"), "lmax")
    goal = f"t + Int(s, t, {density(TRUE)}*{_U.format(t='t - s')}) <= {_U.format(t='t')}"
    return D.at(D.linear(goal, size, squares, parts_of_time(D, TRUE)), a=BEST)


def averaged(D: Derivation, theorem: Theorem) -> Theorem:
    """u(y, t - s) <= v(y, t - s), given 0 <= s <= t ⊢ Pu <= Pv."""
    low = D.at(D.fact("jump-low"), a=BEST)
    g = D.at(density_low(D, TRUE, rate_low(D)), a=BEST)
    return D.integral(D.times(D.over(D.times(theorem, low), "y"), g), "s", "t")


def next_one(D: Derivation, before: Theorem) -> Theorem:
    """All(x, All(t, Imp(0 <= t <= H, A))) at y and t - s."""
    low, high = inside(D)
    return D.mp(
        D.special(before, "y", "t - s"), theorems.both(low, D.linear("t - s <= H", high, D.assume("t <= H")))
    )


def _mass(D: Derivation, factor: str) -> Theorem:
    """P of a function of time alone."""
    return D.scaled(D.at(D.fact("jump-sum"), a=BEST), factor)


def bounded_costs(D: Derivation) -> Theorem:
    """PATH, COSTS, 0 <= q ⊢ All(x, All(t, Imp(0 <= t <= H, And(0 <= gr(m), gr(m) <= q U))))."""
    size = D.assume("0 <= q")
    zero, steps = (theorems.part(D.assume(PATH), one) for one in _both(D))
    costs = _here(D, COSTS)
    top = D.times(_u_low(D), size)
    largest = f"q*{_U.format(t='t')}"
    first = theorems.both(
        D.linear("0 <= gr(0, x, t)", D.special(zero, "x", "t")),
        D.linear(f"gr(0, x, t) <= {largest}", D.special(zero, "x", "t"), top),
    )
    now, wide = D.special(steps, "m", "x", "t"), D.times(room(D), size)
    of_time = _mass(D, f"q*Int(s, t, {density(_RATE)}*{_U.format(t='t - s')})")

    def step(before: Theorem) -> Theorem:
        both = next_one(D, before)
        low, high = (
            averaged(D, theorems.part(both, one)) for one in _ordered(D, both, "0 <= gr(m, y, t - s)")
        )
        found = theorems.both(
            D.linear("0 <= gr(m + 1, x, t)", now, low, *costs),
            D.linear(f"gr(m + 1, x, t) <= {largest}", now, high, wide, of_time, *costs),
        )
        return everywhere(D, found)

    says = _everywhere(f"And(0 <= gr(m, x, t), gr(m, x, t) <= {largest})")
    return D.induction("m", says, everywhere(D, first), step)


def _both(D: Derivation) -> tuple[Term, Term]:
    """The two parts of PATH, the start first."""
    start = D.formula("All(x, All(t, gr(0, x, t) == 0))")
    (steps,) = [one for one in D.formula(PATH).parts if one is not start]
    return start, steps


def _ordered(D: Derivation, both: Theorem, first: str) -> list[Term]:
    return sorted(both.says.parts, key=lambda one: one is not D.formula(first))


def _u_low(D: Derivation) -> Theorem:
    """0 <= t ⊢ 0 <= U."""
    square = D.times(D.known("square", "t"), D.linear("0 <= lmax/2", rate_max(D)))
    return D.linear(f"0 <= {_U.format(t='t')}", D.assume("0 <= t"), square)


def summed(D: Derivation) -> Theorem:
    """V̂ <= V^π + sup_m r_m, from V̂ <= T^π V̂ + c."""
    bounds = bounded_costs(D)
    _, steps = _both(D)
    now = D.special(theorems.part(D.assume(PATH), steps), "m", "x", "t")
    loses, policy = _here(D, LOSES), _here(D, POLICY)
    whole = D.whole("m")
    scaled = [
        D.times(one, whole) if one.says.tag == "<=" else D.scaled(one, "m") for one in (*loses, *policy)
    ]
    here = D.mp(
        D.special(D.at(bounds, m="m + 1"), "x", "t"), theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    )
    positive = part(D, here, "0 <= gr(m + 1, x, t)")
    delta, top = "(gu(x, t) - gv(x, t))", _U.format(t="t")
    of_time = _mass(D, f"Int(s, t, {density(_RATE)}*{_U.format(t='t - s')})")

    def step(before: Theorem) -> Theorem:
        later = averaged(D, next_one(D, before))
        facts = [later, room(D), of_time, D.scaled(now, "m"), positive, *loses, *policy, *scaled]
        return everywhere(D, D.linear(f"(m + 1)*{delta} <= (m + 1)*gr(m + 1, x, t) + {top}", *facts))

    says = _everywhere(f"m*{delta} <= m*gr(m, x, t) + {top}")
    first = D.linear(f"0*{delta} <= 0*gr(0, x, t) + {top}", _u_low(D))
    inside_h = theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    many = D.mp(D.special(D.induction("m", says, everywhere(D, first), step), "x", "t"), inside_h)
    high = D.mp(D.special(bounds, "x", "t"), inside_h)
    high = part(D, high, f"gr(m, x, t) <= q*{top}")
    name = D.variable("m")
    most = D.times(calculus.supremum(high, name, name), whole)
    vanishing = calculus.archimedes(D.linear(f"m*({delta} - {PAID}) <= {top}", many, most), name)
    return D.imply(
        within(D, D.linear(f"gu(x, t) <= gv(x, t) + {PAID}", vanishing)),
        LOSES,
        POLICY,
        PATH,
        COSTS,
        "0 <= q",
        WITHIN,
    )


THEOREMS = {**STEP, "lem:v-v-continuoustime/summed": SUMMED}
