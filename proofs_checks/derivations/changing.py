r"""Policies whose action may change at any time: the HJB equation describes the best of them.

The value of such a policy, :math:`w(x,t+h) - w(x,t) = \int_0^h[r-\lambda w+\lambda\sum pw]ds` with its
actions, satisfies the HJB equation as an inequality, so it stays below the solution v.  If its actions
maximise the right side for v, then v satisfies its equation, which has one bounded solution: in the norm
:math:`\sup|w|e^{-et}`, with :math:`e\varrho = 2\lambda_{\max}`, the integral contracts by
:math:`\varrho`.
"""

from __future__ import annotations

from proofs_checks.derivations.comparison import earning, largest_rate, ordered, speed
from proofs_checks.derivations.euler import (
    BOUNDED,
    ERROR,
    FOLLOWS,
    SOLVES,
    STARTS,
    crude_steps,
    everywhere,
    policy_step,
    room,
)
from proofs_checks.derivations.operators import RHO, WITHIN, modulus
from proofs_checks.derivations.runs import equal, product
from proofs_checks.derivations.values import POWER, next_power, share, vanishing, within
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_FOLLOWS, _STARTS, _BOUNDED = (one.replace("gu(", "gw(") for one in (FOLLOWS, STARTS, BOUNDED))
_GREEDY = f"All(x, All(t, Imp({WITHIN}, {earning('gu({y}, t)', 'gpi(x, t)')} == {speed('gu({y}, t)')})))"
_CONDITIONS = (SOLVES, STARTS, BOUNDED, _FOLLOWS, _STARTS, _BOUNDED, WITHIN)
CHANGING = f"And(gw(x, t) <= gu(x, t), Imp({_GREEDY}, gw(x, t) == gu(x, t)))"
for _one in reversed(_CONDITIONS):
    CHANGING = f"Imp({_one}, {CHANGING})"


def _sizes(D: Derivation, name: str, state: str, time: str, inside: Theorem) -> list[Theorem]:
    """-c <= w <= c."""
    bound = D.assume(BOUNDED.replace("gu(", f"{name}("))
    at = f"{name}({state}, {time})"
    there = D.mp(D.special(bound, state, time), inside)
    return [D.linear(f"{k}{at} <= c", there, D.known(one, at)) for one, k in (("abs", ""), ("abs-", "-"))]


def _no_more(D: Derivation) -> Theorem:
    """0 <= t <= H ⊢ w(x, t) <= v(x, t)."""
    start, end = D.assume("0 <= q"), D.assume("q <= H")
    times = [D.assume(one) for one in ("0 <= t", "0 <= h", "t + h <= q")]
    short = D.linear("t + h <= H", *times, end)
    policy = D.instantiate(policy_step(D), "gu", "x t", "gw(x, t)")
    below = everywhere(D, D.closed(policy, short))
    above = everywhere(D, D.closed(crude_steps(D)[1], short))
    starts = [D.special(D.assume(one), "x") for one in (STARTS, _STARTS)]
    begins = D.all(D.linear("gw(x, 0) <= gu(x, 0) + 0", *starts), "x")
    facts = [one for name in ("gw", "gu") for one in _sizes(D, name, "x", "q", theorems.both(start, end))]
    ways = [D.linear(f"{u}(x, q) <= {v}(x, q) + 2*c", *facts) for u, v in (("gw", "gu"), ("gu", "gw"))]
    size = D.all(modulus(D, *ways), "x")
    largest = D.linear("0 <= lmax", largest_rate(D))
    error = D.times(D.linear("0 <= 1 + 2*lmax*c", D.times(room(D), largest)), largest)
    found = D.at(ordered(D), w=ERROR, c="2*c", d="0")
    found = D.instantiate(D.instantiate(found, "gw", "x t", "gu(x, t)"), "gv", "x t", "gw(x, t)")
    for fact in (below, above, begins, size, error):
        found = theorems.cut(fact, found)
    return D.at(D.linear("gw(x, q) <= gu(x, q)", found), q="t")


def _from_zero(D: Derivation, name: str) -> Theorem:
    """0 <= t <= H ⊢ the value is the integral of what its actions earn."""
    equation = SOLVES if name == "gu" else _FOLLOWS
    times = theorems.both(D.linear("0 <= 0"), D.assume("0 <= t"), D.linear("0 + t <= H", D.assume("t <= H")))
    piece = D.mp(D.special(D.assume(equation), "x", "0", "t"), times)
    zero = D.special(D.assume(STARTS.replace("gu(", f"{name}(")), "x")
    if name == "gw":
        return D.linear(f"gw(x, t) == Int(s, t, {earning('gw({y}, s)', 'gpi(x, s)')})", piece, zero)
    inside = theorems.both(D.assume("0 <= s"), D.linear("s <= H", D.assume("s <= t"), D.assume("t <= H")))
    greedy = D.mp(D.special(D.assume(_GREEDY), "x", "s"), inside)
    same = D.integral(greedy, "s", "t")
    return D.linear(f"gu(x, t) == Int(s, t, {earning('gu({y}, s)', 'gpi(x, s)')})", piece, zero, same)


_CLOSE = f"All(x, All(t, Imp({WITHIN}, Abs(gw(x, t) - gu(x, t)) <= d*exp(e*t))))"
_TILT = f"e*{RHO} == 2*lmax"


def _closer(D: Derivation) -> Theorem:
    """_CLOSE, _TILT, 0 <= d, 0 <= t <= H ⊢ |w - v| <= d ρ exp(e t)."""
    s0, s1, size = (D.assume(one) for one in ("0 <= s", "s <= t", "0 <= d"))
    inside = theorems.both(s0, D.linear("s <= H", s1, D.assume("t <= H")))
    rate = D.fact("rate")
    weight = D.times(size, D.known("exp", "e*s"))
    most = D.times(D.fact("rate-high"), weight)
    row = D.scaled(D.fact("jump-sum"), "lam(x, a)*d*exp(e*s)")
    area = D.scaled(D.primitive("s", "t", "exp(e*s)"), f"d*{RHO}")
    tilt = D.scaled(D.assume(_TILT), "d*Int(s, t, exp(e*s))")
    low = D.times(D.linear(f"0 <= {RHO}", share(D)[0]), size)
    values, ways = [_from_zero(D, name) for name in ("gw", "gu")], []
    for u, v in (("gw", "gu"), ("gu", "gw")):
        near = {}
        for y in "xy":
            there = D.mp(D.special(D.assume(_CLOSE), y, "s"), inside)
            signs = [D.known(one, f"gw({y}, s) - gu({y}, s)") for one in ("abs", "abs-")]
            near[y] = [
                D.linear(f"{p}({y}, s) <= {q}({y}, s) + d*exp(e*s)", there, *signs)
                for p, q in ((u, v), (v, u))
            ]
        jumps = D.times(D.over(D.times(near["y"][0], D.fact("jump-low")), "y"), rate)
        u_s, v_s = (earning(f"{one}({{y}}, s)") for one in (u, v))
        one = D.linear(f"{u_s} <= {v_s} + 2*lmax*d*exp(e*s)", D.times(near["x"][1], rate), jumps, row, most)
        whole = D.integral(D.at(one, a="gpi(x, s)"), "s", "t")
        ways.append(D.linear(f"{u}(x, t) <= {v}(x, t) + d*{RHO}*exp(e*t)", *values, whole, area, tilt, low))
    return modulus(D, *ways)


def _same(D: Derivation) -> Theorem:
    """_GREEDY, 0 <= t <= H ⊢ w(x, t) == v(x, t)."""
    here = theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    grown = theorems.cut(
        D.times(D.assume("0 <= t"), D.assume("0 < e")), D.pointwise("1 <= exp(u)", "u >= 0", u="e*t")
    )
    facts = [one for name in ("gw", "gu") for one in _sizes(D, name, "x", "t", here)]
    facts.append(D.times(grown, D.linear("0 <= 2*c", room(D))))
    ways = [
        D.linear(f"{u}(x, t) <= {v}(x, t) + 2*c*exp(e*t)", *facts) for u, v in (("gw", "gu"), ("gu", "gw"))
    ]
    first = within(D, modulus(D, *ways), "x", "t")
    sign = D.times(D.linear("0 <= 2*c", room(D)), D.known("exp", f"n*log{RHO}"))
    step = theorems.cut(sign, D.at(_closer(D), d=f"2*c*{POWER}"))
    bound = f"Abs(gw(x, t) - gu(x, t)) <= 2*c*{POWER}*exp(e*t)"
    power = D.scaled(next_power(D), "2*c*exp(e*t)")
    after = within(D, D.linear(D.at(D.assume(bound), n="n + 1").says, step, power), "x", "t")
    found = D.induction("n", f"All(x, All(t, Imp({WITHIN}, {bound})))", first, lambda _: after)
    near = D.mp(D.special(found, "x", "t"), here)
    size = D.times(D.linear("0 <= 2*c", room(D)), D.known("exp", "e*t"))
    signs = [D.known(one, "gw(x, t) - gu(x, t)") for one in ("abs", "abs-")]
    sides = []
    for u, v in (("gw(x, t)", "gu(x, t)"), ("gu(x, t)", "gw(x, t)")):
        close = D.linear(f"{u} <= {v} + 2*c*{POWER}*exp(e*t)", near, *signs)
        sides.append(vanishing(D, close, u, v, size))
    same = D.at(equal(D, *sides), e=f"2*lmax/{RHO}")
    positive, _ = share(D)
    unit = D.scaled(D.positive("inverse", RHO, positive), "2*lmax")
    tilt = D.linear(f"(2*lmax/{RHO})*{RHO} == 2*lmax", unit)
    return theorems.cut(tilt, theorems.cut(_tilt_sign(D, positive), same))


def _tilt_sign(D: Derivation, positive: Theorem) -> Theorem:
    inverse = D.positive("inverse-positive", RHO, positive)
    return product(D, D.linear("0 < 2*lmax", largest_rate(D)), inverse)


def changing(D: Derivation) -> Theorem:
    """W <= v for every policy, and w == v for one that maximises the right side."""
    both = theorems.both(_no_more(D), D.imply(_same(D), _GREEDY))
    return D.imply(within(D, both), *_CONDITIONS)


DERIVED = {"eq:hjb-pde/repaired": (CHANGING, changing)}
