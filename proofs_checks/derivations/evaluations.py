r"""When the evaluation of a policy stops, and how fast iterations converge.

**Faster than any linear rate**: for every θ > 0 and κ = λmax/(λmax + θ), :math:`V^* - V_n \le
\kappa^n He^{\theta t}`, since :math:`\int_0^t\lambda e^{-\lambda s}e^{\theta(t-s)}ds \le
e^{\theta t}\lambda/(\lambda+\theta)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs_checks.derivations.iterations import (
    ITERATION,
    LOADED,
    STARTS,
    STEPS,
    STOPPED,
    carried,
    iterate,
    load_sign,
    of_iteration,
)
from proofs_checks.derivations.operators import (
    ESTIMATES,
    RATES_HIGH,
    TRUE_MODEL,
    WITHIN,
    U,
    V,
    applied,
    best,
    conditional,
    maximum,
    minimum,
    moved,
    part,
    true_model,
)
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.setting import estimated, operator
from proofs_checks.derivations.values import BEST, EVALUATED, POLICY, Iterates, within
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

# --- sec:simulation/stopping --------------------------------------------------------------------

_VALUE = "Sup(m, gq(m, x, t))"
STOPPING = (
    f"Imp({EVALUATED}, Imp({STOPPED}, Imp({WITHIN}, And(gq(l, x, t) <= {_VALUE}, "
    f"{_VALUE} <= gq(l, x, t) + e*(1 + lmax*t), {_VALUE} <= gq(l, x, t) + e*exp(lmax*H)))))"
)


def stopping(D: Derivation) -> Theorem:
    """V^π <= gq(l) + e (1 + λmax t) <= gq(l) + e exp(λmax H)."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    more, name = "e*lmax*t", D.variable("m")
    low, high = (D.at(one, n="m") for one in Iterates(D, POLICY).bounds)
    one = D.at(theorems.cut(true_model(D), applied(D, carried(D), TRUE_MODEL)), a="gpi(x, t)")
    now, then = (D.at(POLICY.steps(D), n=n) for n in ("m", "l"))
    next_one = within(D, D.linear(f"gq(m + 1, x, t) <= gq(l + 1, x, t) + {more}", one, now, then), "x", "t")
    size, load_size = load_sign(D)
    first = D.linear(
        f"gq(0, x, t) <= gq(l + 1, x, t) + {more}",
        POLICY.starts(D),
        D.at(low, m="l + 1"),
        D.times(load_size, start),
    )
    found = D.induction("m", LOADED, within(D, first, "x", "t"), lambda _: next_one)
    here = theorems.both(start, end)
    all_m = D.mp(D.special(found, "x", "t"), here)
    apart = D.mp(D.special(D.assume(STOPPED), "x", "t"), here)
    near = D.known("abs", "gq(l + 1, x, t) - gq(l, x, t)")
    value = D.linear("gq(m, x, t) <= gq(l, x, t) + e*(1 + lmax*t)", all_m, apart, near)
    above = calculus.bounded(value, name)
    rate = D.linear("0 <= lmax", D.fact("lmax"))
    slope = D.pointwise("1 + u <= exp(u)", u="lmax*H")
    facts = [D.times(slope, size), D.times(D.times(end, rate), size)]
    final = D.linear(f"{_VALUE} <= gq(l, x, t) + e*exp(lmax*H)", above, *facts)
    both = theorems.both(calculus.supremum(high, name, D.term("l")), above, final)
    return D.imply(within(D, both), EVALUATED, STOPPED, WITHIN)


# --- alg:VI/linear-rate/repaired ----------------------------------------------------------------

_KAPPA = "(lmax/(lmax + q))"
_POWER = f"exp(n*log{_KAPPA})"
_ERROR = f"{_POWER}*H*exp(q*t)"
_NEXT = _ERROR.replace("n*", "(n + 1)*")
_TRUNCATED = of_iteration(f"Imp({WITHIN}, Sup(m, gq(m, x, t)) <= gq(n, x, t) + {_ERROR})")
FASTER = f"Imp(0 < q, And(Imp({WITHIN}, Vs(x, t) <= V(n, x, t) + {_ERROR}), {_TRUNCATED}))"


def tilted(D: Derivation) -> Theorem:
    """ESTIMATES, 0 < q, 0 <= t ⊢ λ̂ ∫ exp(-λ̂s) exp(q (t - s)) ds <= κ exp(q t)."""
    model, rate = D.assume(ESTIMATES), "glam(x, a)"
    high = D.special(part(D, model, RATES_HIGH), "x", "a")
    tilt = D.assume("0 < q")
    inner = f"exp(-{rate}*s + q*(t - s))"
    area = D.primitive("s", "t", f"-exp(q*t - ({rate} + q)*s)")
    size = D.integral(D.known("exp", f"-{rate}*s + q*(t - s)"), "s", "t")
    slower = D.times(D.times(D.linear(f"0 <= lmax - {rate}", high), tilt), size)
    largest = D.fact("lmax")
    ends = D.times(
        D.linear(f"({rate} + q)*Int(s, t, {inner}) <= exp(q*t)", area, D.known("exp", f"-{rate}*t")), largest
    )
    both = D.linear(f"(lmax + q)*{rate}*Int(s, t, {inner}) <= lmax*exp(q*t)", slower, ends)
    total = D.linear("0 < lmax + q", largest, tilt)
    one = D.scaled(D.positive("inverse", "lmax + q", total), f"{rate}*Int(s, t, {inner})")
    share = D.times(both, D.positive("inverse-positive", "lmax + q", total))
    return D.linear(f"{rate}*Int(s, t, {inner}) <= {_KAPPA}*exp(q*t)", share, one)


_NEAR = "All(y, All(s, Imp(And(0 <= s, s <= t), gu(y, s) <= gv(y, s) + c*exp(q*s))))"


def spread(D: Derivation) -> Theorem:
    """ESTIMATES, _NEAR, 0 <= c, 0 < q, 0 <= t ⊢ T^a u <= T^a v + c κ exp(q t)."""
    sign = D.assume("0 <= c")
    size = conditional(D, D.times(sign, D.known("exp", "q*s")), "s")
    step = theorems.cut(size, D.instantiate(moved(D), "gf", "s", "c*exp(q*s)"))
    return D.linear(
        f"{estimated('a', U)} <= {estimated('a', V)} + c*{_KAPPA}*exp(q*t)", step, D.times(tilted(D), sign)
    )


@dataclass(frozen=True)
class Approximations:
    """Iterates: the pattern, what is known of them, what an inequality for every action is for the next."""

    pattern: str
    starts: Theorem
    steps: Theorem
    low: Theorem
    high: Theorem
    lift: Callable[[Theorem, Theorem], Theorem]  # of T^a, and that what is added is not negative

    def at(self, n: str) -> str:
        """The iterate n at x and t."""
        return self.pattern.format(y="x", s="t").replace("(n,", f"({n},")


def _close(D: Derivation, of: Approximations) -> Theorem:
    """0 < q, 0 <= t <= H ⊢ every iterate is at most the n-th and κⁿ H exp(q t)."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    s0, s1 = D.assume("0 <= s"), D.assume("s <= t")
    tilt, horizon = D.assume("0 < q"), D.linear("0 <= H", D.fact("horizon"))
    largest = D.fact("lmax")
    share = product(
        D, largest, D.positive("inverse-positive", "lmax + q", D.linear("0 < lmax + q", largest, tilt))
    )
    log = D.scaled(D.mp(D.known("log", _KAPPA), share), f"{_POWER}*H*exp(q*t)")
    weight = D.times(horizon, D.known("exp", f"n*log{_KAPPA}"))
    error = D.times(weight, D.known("exp", "q*t"))
    grown = theorems.cut(D.times(start, tilt), D.pointwise("1 <= exp(u)", "u >= 0", u="q*t"))

    def text(n: str, m: str) -> str:
        return f"{of.at(m)} <= {of.at(n)} + {_ERROR.replace('n*', f'({n})*')}"

    def step(before: Theorem) -> Theorem:
        inside = theorems.both(s0, D.linear("s <= H", s0, s1, end))
        near = D.mp(D.special(before, "m", "y", "s"), inside)
        other = of.pattern.replace("(n,", "(m,")
        one = D.at(spread(D), c=f"{_POWER}*H")
        one = D.instantiate(one, "gv", "y s", of.pattern.format(y="y", s="s"))
        one = D.instantiate(one, "gu", "y s", other.format(y="y", s="s"))
        one = theorems.cut(weight, theorems.cut(conditional(D, near, "y", "s"), one))
        after = D.at(error, n="n + 1")
        raised = f"{estimated('a', other)} <= {estimated('a', of.pattern)} + {_NEXT}"
        lifted = of.lift(D.linear(raised, one, log), after)
        later = D.linear(text("n + 1", "m + 1"), lifted, of.steps, D.at(of.steps, n="m"))
        first = D.linear(text("n + 1", "0"), of.starts, D.at(of.low, n="n + 1"), after)
        every = D.induction("m", text("n + 1", "m"), first, lambda _: later)
        return D.all(within(D, every, "x", "t"), "m")

    begin = D.linear(text("0", "m"), D.at(of.high, n="m"), of.starts, end, D.times(grown, horizon))
    says = f"All(m, All(x, All(t, Imp({WITHIN}, {text('n', 'm')}))))"
    found = D.induction("n", says, D.all(within(D, begin, "x", "t"), "m"), step)
    return D.mp(D.special(found, "m", "x", "t"), theorems.both(start, end))


def faster(D: Derivation) -> Theorem:
    """The errors of V_n and of the truncated iterates are at most κⁿ H exp(q t), for every q > 0."""
    of, name, start = Iterates(D, BEST), D.variable("m"), D.assume("0 <= t")

    def largest(theorem: Theorem, _: Theorem) -> Theorem:
        one = theorems.cut(true_model(D), applied(D, theorem, TRUE_MODEL))
        u, v = (operator("a", f"V({n}, {{y}}, {{s}})") for n in ("m", "n"))
        return maximum(D, one, u, v, _NEXT)

    def least(theorem: Theorem, sign: Theorem) -> Theorem:
        u, v = iterate("m"), iterate("n")
        top = maximum(D, theorem, estimated("a", u), estimated("a", v), _NEXT)
        return minimum(D, top, "t", best(u), best(v), sign, more=_NEXT)

    values = Approximations(BEST.iterate, BEST.starts(D), BEST.steps(D), *of.bounds, largest)
    above = calculus.bounded(_close(D, values), name)
    model = D.linear(f"Vs(x, t) <= V(n, x, t) + {_ERROR}", above, D.fact("Vs"))
    facts = D.mp(D.lemma("eq:mono"), *map(D.assume, ITERATION), start)
    low, high = (part(D, facts, one) for one in ("0 <= gq(n, x, t)", "gq(n, x, t) <= t"))
    starts, steps = D.special(D.assume(STARTS), "x", "t"), D.special(D.assume(STEPS), "n", "x", "t")
    cut = calculus.bounded(_close(D, Approximations(iterate("n"), starts, steps, low, high, least)), name)
    both = theorems.both(
        D.imply(within(D, model), WITHIN), D.imply(D.imply(within(D, cut), WITHIN), *ITERATION)
    )
    return D.imply(both, "0 < q")


DERIVED = {
    "sec:simulation/stopping": (STOPPING, stopping),
    "alg:VI/linear-rate/repaired": (FASTER, faster),
}
