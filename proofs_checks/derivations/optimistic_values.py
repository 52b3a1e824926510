r"""The solution of the optimistic equation: between 0 and t, and optimistic.

With c = λmax the equation is :math:`\hat Q(t) = \int_0^te^{-cs}[r + \tilde\lambda\,\tilde p\hat V +
(c-\tilde\lambda)\hat Q](t-s)\,ds`, which keeps order and contracts: :math:`\hat Q \le t + w` on [0, H] gives
:math:`\hat Q \le t + \varrho w`.  With c = λ, where the model is no better than the maximum,

.. math:: \hat Q(t) \ge \int_0^te^{-\lambda s}[r + \lambda\,p\hat V](t-s)\,ds = \mathcal T^a\hat V(t) ,

so that :math:`V_n \le \hat V` for all iterates of the model.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import chain, conditional, parts_of_time
from proofs_checks.derivations.operators import RHO, maximum, part
from proofs_checks.derivations.optimism import limit_of
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.setting_optimistic import GAIN, WITHIN
from proofs_checks.derivations.values import POWER, next_power, rate, vanishing
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_HERE, _LATER = "Qh(k, x, a, t)", "Qh(k, x, a, t - s)"


def inside(D: Derivation) -> Theorem:
    """0 <= s <= t <= H ⊢ And(0 <= t - s, t - s <= H)."""
    s0, s1, end = (D.assume(one) for one in ("0 <= s", "s <= t", "t <= H"))
    return theorems.both(D.linear("0 <= t - s", s1), D.linear("t - s <= H", s0, end))


def mild(D: Derivation, c: str) -> Theorem:
    """0 <= t <= H ⊢ Q(t) == ∫ e^{-cs}(r + ham + c Q)(t - s) ds, at decision k."""
    whole = D.fact("Qh-step", n="k", t="0", h="t", c=c)
    whole = D.mp(whole, theorems.both(D.linear("0 <= 0"), D.assume("0 <= t"), D.assume("t <= H")))
    zero = D.scaled(D.fact("Qh-0", n="k"), f"exp(-{c}*t)")
    earned = f"r(x, a) + ham(k, x, a, t - s) + {c}*{_LATER}"
    return D.linear(f"{_HERE} == Int(s, t, exp(-{c}*s)*({earned}))", whole, zero)


def shorter(D: Derivation) -> Theorem:
    """t <= H ⊢ 1 - exp(-λmax t) <= ρ."""
    left = D.times(D.linear("0 <= H - t", D.assume("t <= H")), rate(D))
    below = theorems.cut(left, D.pointwise("exp(-d) <= 1", "d >= 0", d="lmax*(H - t)"))
    return D.linear(f"1 - exp(-lmax*t) <= {RHO}", D.times(below, D.known("exp", "-lmax*t")))


def everywhere(text: str, condition: str = WITHIN) -> str:
    """For all pairs and times."""
    return f"All(x, All(a, All(t, Imp({condition}, {text}))))"


def contracted(
    D: Derivation,
    says: tuple[str, str],
    size: str,
    sign: Theorem,
    first: Theorem,
    step: Theorem,
    condition: str = WITHIN,
) -> Theorem:
    """u <= v where the condition holds, for says = (u, v).

    ``sign`` is 0 <= size, ``first`` u <= v + size; ``step`` is u <= v + ρ w, given 0 <= w and u <= v + w
    everywhere.
    """
    u, v = says
    names, more = ("x", "a", "t"), f"{size}*{POWER}"
    text = f"{u} <= {v} + {more}"
    after = theorems.cut(D.times(sign, D.known("exp", f"n*log{RHO}")), D.at(step, w=more))
    after = D.linear(D.at(D.assume(text), n="n + 1").says, after, D.scaled(next_power(D), size))
    start = conditional(D, D.linear(D.at(D.assume(text), n="0").says, first), condition, *names)
    found = D.induction(
        "n", everywhere(text, condition), start, lambda _: conditional(D, after, condition, *names)
    )
    here = theorems.both(*(D.assume(one) for one in D.formula(condition).parts))
    return vanishing(D, D.mp(D.special(found, *names), here), u, v, sign)


# --- 0 <= Q <= t --------------------------------------------------------------------------------


def averaged(D: Derivation, value: Theorem, here: Theorem) -> list[Theorem]:
    """λ̃ p̃V + (λmax - λ̃)Q <= λmax u at t - s, from V(y) <= u and Q <= u (or -V, -Q), as terms of a sum."""
    low, high, least, most = (
        D.fact(name, n="k", **({"t": "t - s"} if name[0] == "l" else {}))
        for name in ("lt-low", "lt-high", "rlo-low", "rhi-high")
    )
    there, top = "lt(k, x, a, t - s)", value.says.parts[1]
    jumps = D.over(D.times(value, D.fact("pt-low", n="k", t="t - s")), "y")
    return [
        D.times(jumps, D.linear(f"0 <= {there}", low, least)),
        D.scaled(D.fact("pt-sum", n="k", t="t - s"), terms.mul(D.term(there), top)),
        D.times(here, D.linear(f"0 <= lmax - {there}", high, most)),
        D.mp(D.fact("attained", n="k", t="t - s"), inside(D)),
    ]


def _closer(D: Derivation, sign: str, top: str) -> Theorem:
    """0 <= t <= H, 0 <= w, ± Q <= top + w everywhere ⊢ ± Q <= top + ρ w; + with top = t, - with 0."""
    near = D.assume(everywhere(f"{sign}{_HERE} <= {top} + w"))
    most, later = ("0", "0") if sign else ("1", "(t - s)")
    here, there = (D.mp(D.special(near, one, "a", "t - s"), inside(D)) for one in "xy")
    defined, at = D.fact("Vq", n="k", x="y", t="t - s"), "Qh(k, y, a, t - s)"
    value = D.most("a", at, "a") if sign else calculus.least(there, D.variable("a"))
    value = D.linear(f"{sign}Vq(k, y, t - s) <= {later} + w", value, there, defined)
    reward = D.fact("reward-low" if sign else "reward-high")
    earned = f"r(x, a) + ham(k, x, a, t - s) + lmax*{_LATER}"
    one = D.linear(f"{sign}({earned}) <= {most} + lmax*({later} + w)", reward, *averaged(D, value, here))
    areas = [
        D.integral(D.times(one, D.known("exp", "-lmax*s")), "s", "t"),
        D.primitive("s", "t", "-(t - s)*exp(-lmax*s)"),
        D.scaled(D.primitive("s", "t", "-exp(-lmax*s)"), "w"),
        D.times(shorter(D), D.assume("0 <= w")),
    ]
    return D.linear(f"{sign}{_HERE} <= {top} + {RHO}*w", mild(D, "lmax"), *areas)


BOUNDS = f"Imp({WITHIN}, And(0 <= Qh(n, x, a, t), Qh(n, x, a, t) <= t))"


def bounds(D: Derivation) -> Theorem:
    """0 <= Q <= t on [0, H]."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    size = D.mp(D.fact("Qh-size", n="k"), theorems.both(start, end))
    moduli = [D.known(one, _HERE) for one in ("abs", "abs-")]
    sign = D.at(D.linear("0 <= cap(k)", size, *moduli), t="0")
    sign = D.closed(sign, D.linear("0 <= 0"), D.fact("horizon"))
    found = []
    for way, top in (("-", "0"), ("", "t")):
        first = D.linear(f"{way}{_HERE} <= {top} + cap(k)", size, *moduli, start)
        found.append(contracted(D, (f"{way}{_HERE}", top), "cap(k)", sign, first, _closer(D, way, top)))
    both = theorems.both(D.linear(f"0 <= {_HERE}", found[0]), found[1])
    return D.at(conditional(D, both, WITHIN), k="n")


# --- optimism, and the cost of a step -------------------------------------------------------------

_TRUE = "(SumOver(y, p(x, a, y)*Vq({n}, y, t)) - Qh({n}, x, a, t))"
BELOW = f"lam(x, a)*{_TRUE} <= ham({{n}}, x, a, t)"
PRICED = (
    f"(lt({{n}}, x, a, t) - lam(x, a))*{GAIN.replace('(n,', '({n},').replace('{u}', 't').replace('{t}', 't')}"
)
PRICED += " <= gpay({n}, x, a) + gsl({n}, x, a)*t"
NEAR = "SumOver(y, (pt({n}, x, a, y, t) - p(x, a, y))*Vq({n}, y, t)) <= au({n}, x, a)*t"
HOLDS = everywhere(f"And({BELOW}, {PRICED}, {NEAR})")
"""What is used of the sets of a decision: the model is no better than the maximum, and what is gained with a
wrong rate, or a wrong row, has a price."""

_OWN = operator("a", "Vq({{n}}, {y}, {s})")
OPTIMISM = chain(f"And({_OWN} <= Qh({{n}}, x, a, t), Vs(x, t) <= Vq({{n}}, x, t))", everywhere(BELOW), WITHIN)
COST = (
    "gpay({n}, x, a)*Int(s, t, exp(-lam(x, a)*s)) + gsl({n}, x, a)*Int(s, t, exp(-lam(x, a)*s)*(t - s)) + "
    "au({n}, x, a)*(t - Int(s, t, exp(-lam(x, a)*s)))"
)
STEP = chain(f"Qh({{n}}, x, a, t) <= {_OWN} + {COST}", HOLDS, WITHIN)


def optimism(D: Derivation) -> Theorem:
    """T^aV <= Q, and V* <= V, where the model is no better than the maximum."""
    below, rate_of = D.assume(everywhere(BELOW).format(n="k")), "lam(x, a)"
    here = D.mp(D.special(below, "x", "a", "t - s"), inside(D))
    one = D.integral(D.times(here, D.known("exp", f"-{rate_of}*s")), "s", "t")
    own = _OWN.format(n="k")
    step = D.linear(f"{own} <= {_HERE}", one, mild(D, rate_of))
    start, defined = theorems.both(D.assume("0 <= t"), D.assume("t <= H")), D.fact("Vq", n="k")
    sign = part(D, D.mp(D.lemma("lem:optimism/equation/bounds", n="k"), start), f"0 <= {_HERE}")
    first = D.linear("V(0, x, t) <= Vq(k, x, t)", D.fact("V-0"), sign, D.most("a", _HERE, "a"), defined)

    def after(before: Theorem) -> Theorem:
        there = D.mp(D.special(before, "y", "t - s"), inside(D))
        jumps = D.times(D.over(D.times(there, D.fact("jump-low")), "y"), D.fact("rate"))
        rises = D.integral(D.times(jumps, D.known("exp", f"-{rate_of}*s")), "s", "t")
        values = operator("a", "V(n, {y}, {s})")
        top = maximum(D, D.linear(f"{values} <= {_HERE}", rises, step), values, _HERE)
        found = D.linear("V(n + 1, x, t) <= Vq(k, x, t)", top, D.fact("V-step"), defined)
        return conditional(D, found, WITHIN, "x", "t")

    says = f"All(x, All(t, Imp({WITHIN}, V(n, x, t) <= Vq(k, x, t))))"
    every = D.induction("n", says, conditional(D, first, WITHIN, "x", "t"), after)
    every = D.mp(D.special(every, "x", "t"), start)
    best = limit_of(D, every, D.linear("Vq(k, x, t) <= Vq(k, x, t)"))
    return D.at(D.imply(conditional(D, theorems.both(step, best), WITHIN), below.says), k="n")


def step_cost(D: Derivation) -> Theorem:
    """Q <= T^aV + what wrong rates and rows cost."""
    holds, rate_of = D.assume(HOLDS.format(n="k")), "lam(x, a)"
    here = D.mp(D.special(holds, "x", "a", "t - s"), inside(D))
    priced, near = (
        theorems.part(here, D.at(D.assume(one.format(n="k")), t="t - s").says) for one in (PRICED, NEAR)
    )
    attained = D.mp(D.fact("attained", n="k", t="t - s"), inside(D))
    values = "SumOver(y, p(x, a, y)*Vq(k, y, t - s))"
    one = D.linear(
        f"ham(k, x, a, t - s) + {rate_of}*{_LATER} <= {rate_of}*{values} + gpay(k, x, a) + "
        f"gsl(k, x, a)*(t - s) + {rate_of}*au(k, x, a)*(t - s)",
        *(attained, priced, D.times(near, D.fact("rate"))),
    )
    whole = D.integral(D.times(one, D.known("exp", f"-{rate_of}*s")), "s", "t")
    time = D.scaled(parts_of_time(D, rate_of), "au(k, x, a)")
    goal = f"{_HERE} <= {_OWN.format(n='k')} + {COST.format(n='k')}"
    found = D.linear(goal, whole, mild(D, rate_of), time)
    return D.at(D.imply(conditional(D, found, WITHIN), holds.says), k="n")


OPTIMISM, STEP = OPTIMISM.format(n="n"), STEP.format(n="n")
DERIVED = {
    "lem:optimism/equation/bounds": (BOUNDS, bounds),
    "lem:optimism/equation": (OPTIMISM, optimism),
    "lem:v-v-continuoustime/equation/step": (STEP, step_cost),
}
