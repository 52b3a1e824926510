r"""An optimal policy, what an episode earns, and what an integral over a shorter time is."""

from __future__ import annotations

from verify.kernel.language import Fact
from verify.kernel.terms import Symbol

_HELD = (
    "r(x, {a})*Int(s, t, exp(-lam(x, {a})*s)) + "
    "Int(s, t, lam(x, {a})*exp(-lam(x, {a})*s)*SumOver(y, p(x, {a}, y)*{u}(y, t - s)))"
)

SYMBOLS = [
    Symbol("opt", ("State", "Real"), "Action"),
    Symbol("Vo", ("Nat", "State", "Real"), "Real"),
    Symbol("gpc", ("Nat", "State", "Real"), "Action", "any", True),
    Symbol("earn", ("Nat", "Nat"), "Real", "_1 + _2"),
    Symbol("hops", ("Nat", "Nat"), "Nat", "_1 + _2"),
    Symbol("tail", ("Nat", "Real"), "Real"),
]

FACTS = {
    "opt": Fact(
        f"Imp(And(0 <= t, t <= H), {_HELD.format(a='opt(x, t)', u='Vs')} == "
        f"MaxOver(a, {_HELD.format(a='a', u='Vs')}))",
        "the first action, in some order, that maximises T^a V* at (x, t)",
        "existence",
    ),
    "Vo-0": Fact("Vo(0, x, t) == 0", "the value of that policy, by iteration"),
    "Vo-step": Fact(
        f"Vo(n + 1, x, t) == {_HELD.format(a='opt(x, t)', u='Vo').replace('Vo(', 'Vo(n, ')}", "likewise"
    ),
    "earn-0": Fact("earn(n, 0) == 0", "nothing is earned in no sojourn"),
    "earn-step": Fact(
        "earn(n, m + 1) == r(X(n), act(n))*spent(n) + jump(n)*earn(n + 1, m)",
        "what the sojourns n, n + 1, ..., n + m earn, as far as they belong to the episode of decision n",
    ),
    "hops-0": Fact("hops(n, 0) == 0", "no sojourn, no jump"),
    "hops-step": Fact(
        "hops(n, m + 1) == jump(n)*(1 + hops(n + 1, m))",
        "the jumps that end the sojourns n, n + 1, ..., n + m, as far as the episode of decision n goes",
    ),
    "tail-0": Fact("tail(0, t) == 1", "a Poisson number is at least 0"),
    "tail-step": Fact(
        "tail(n + 1, t) == Int(s, t, lmax*exp(-lmax*s)*tail(n, t - s))",
        "P(Poisson(λmax t) >= n + 1): n + 1 exponential times of rate λmax add up to at most t",
    ),
    "shorter": Fact(
        "Imp(t <= u, Int(s, t, gf(s)) == Int(s, u, Ind(s <= t)*gf(s)))",
        "an integral over [0, t] is that of the integrand times the indicator of [0, t] (additivity over "
        "intervals: Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 6.12)",
        "law",
    ),
}
