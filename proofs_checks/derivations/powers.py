r"""What n steps of an estimated model do to two functions: they contract by P(Poisson(λmax t) >= n).

``tail(n, t)`` is this probability.  It rises in t, so that by parts a smaller rate than λmax makes the
integral over the next jump smaller; and a Poisson number that is at least n needs n times of at most H each.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import (
    ESTIMATES,
    RATES_HIGH,
    RATES_LOW,
    RHO,
    WITHIN,
    applied,
    best,
    conditional,
    decays,
    maximum,
    modulus,
    moved,
    part,
)
from proofs_checks.derivations.setting import estimated
from proofs_checks.derivations.slopes import by_cases, shorter
from proofs_checks.derivations.values import POWER, next_power, rate, within
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_STEPS = "All(n, All(x, All(t, {q}(n + 1, x, t) == {image})))"
_FIRST, _SECOND = (_STEPS.format(q=q, image=best(f"{q}(n, {{y}}, {{s}})")) for q in ("gq", "gr"))
_CLOSE = f"All(x, All(t, Imp({WITHIN}, Abs(gq(0, x, t) - gr(0, x, t)) <= w)))"
POWERS = (
    f"And(Imp({ESTIMATES}, Imp({_FIRST}, Imp({_SECOND}, Imp({_CLOSE}, Imp({WITHIN}, "
    f"Abs(gq(n, x, t) - gr(n, x, t)) <= w*tail(n, t)))))), Imp({WITHIN}, tail(n, t) <= {POWER}))"
)
_KERNEL = "lmax*exp(-lmax*s)"


def _kernel(D: Derivation) -> Theorem:
    return D.times(D.linear("0 <= lmax", rate(D)), D.known("exp", "-lmax*s"))


# --- the tail: not negative, rising, and at most ρⁿ ---------------------------------------------

_LATER = "And(0 <= t, t <= u)"
_REGULAR = f"All(t, All(u, Imp({_LATER}, And(0 <= tail(n, t), tail(n, t) <= tail(n, u)))))"


def regular(D: Derivation) -> Theorem:
    """0 <= tail(n, t) <= tail(n, u) for 0 <= t <= u."""
    late, end, early = (D.assume(one) for one in ("t <= u", "s <= u", "s <= t"))

    def step(before: Theorem) -> Theorem:
        order = theorems.both(D.linear("0 <= t - s", early), D.linear("t - s <= u - s", late))
        rises = D.mp(D.special(before, "t - s", "u - s"), order)
        same = theorems.both(D.linear("0 <= u - s", end), D.linear("u - s <= u - s"))
        positive = part(D, D.mp(D.special(before, "u - s", "u - s"), same), "0 <= tail(n, u - s)")
        up = part(D, rises, "tail(n, t - s) <= tail(n, u - s)")
        one = by_cases(D, "Ind(s <= t)*tail(n, t - s) <= tail(n, u - s)", up, positive)
        longer = D.integral(D.times(one, _kernel(D)), "s", "u")
        now, then = D.fact("tail-step"), D.fact("tail-step", t="u")
        cut = shorter(D, f"{_KERNEL}*tail(n, t - s)")
        grows = D.linear("tail(n + 1, t) <= tail(n + 1, u)", now, then, longer, cut)
        low = D.integral(D.times(part(D, rises, "0 <= tail(n, t - s)"), _kernel(D)), "s", "t")
        low = theorems.cut(D.linear("0 <= 0"), low)
        return _for_later(D, D.linear("0 <= tail(n + 1, t)", now, low), grows)

    zero, zero_then = D.fact("tail-0"), D.fact("tail-0", t="u")
    first = _for_later(
        D, D.linear("0 <= tail(0, t)", zero), D.linear("tail(0, t) <= tail(0, u)", zero, zero_then)
    )
    return D.induction("n", _REGULAR, first, step)


def _for_later(D: Derivation, *theorems_: Theorem) -> Theorem:
    both = theorems.both(*theorems_)
    for text in ("0 <= t", "t <= u"):
        both = theorems.cut(part(D, D.assume(_LATER), text), both)
    return D.all(D.imply(both, _LATER), "t", "u")


def _small(D: Derivation) -> Theorem:
    """All t: tail(n, t) <= ρⁿ on [0, H]."""
    end, s0, s1 = (D.assume(one) for one in ("t <= H", "0 <= s", "s <= t"))
    inside = theorems.both(D.linear("0 <= t - s", s1), D.linear("t - s <= H", s0, end))
    near = D.mp(D.special(D.assume(f"All(t, Imp({WITHIN}, tail(n, t) <= d))"), "t - s"), inside)
    whole = D.integral(D.times(near, _kernel(D)), "s", "t")
    whole_mass = D.linear(f"lmax*Int(s, t, exp(-lmax*s)) <= {RHO}", mass(D, "lmax", "t"), _later(D))
    one = D.linear(
        f"tail(n + 1, t) <= d*{RHO}", D.fact("tail-step"), whole, D.times(whole_mass, D.assume("0 <= d"))
    )
    one = theorems.cut(D.linear(f"0 <= {POWER}", D.known("exp", f"n*log{RHO}")), D.at(one, d=POWER))
    after = within(D, D.linear(f"tail(n + 1, t) <= exp((n + 1)*log{RHO})", one, next_power(D)), "t")
    first = within(D, D.linear("tail(0, t) <= 1", D.fact("tail-0")), "t")
    return D.induction("n", f"All(t, Imp({WITHIN}, tail(n, t) <= {POWER}))", first, lambda _: after)


def mass(D: Derivation, speed: str, end: str) -> Theorem:
    """λ ∫ exp(-λs) ds == 1 - exp(-λ end)."""
    return D.primitive("u", end, f"-exp(-{speed}*u)")


def _later(D: Derivation) -> Theorem:
    """t <= H ⊢ exp(-λmax H) <= exp(-λmax t)."""
    return decays(
        D, D.linear("lmax*t <= lmax*H", D.times(D.assume("t <= H"), D.linear("0 <= lmax", rate(D))))
    )


# --- lem:optimism/contraction-superlinear -------------------------------------------------------


def slower(D: Derivation, slow: str, low: Theorem, high: Theorem) -> Theorem:
    """0 <= t ⊢ λ ∫ exp(-λs) tail(n, t - s) ds <= tail(n + 1, t), from 0 <= λ and λ <= lmax, λ = ``slow``."""
    rates = {slow: low, "lmax": D.linear("0 <= lmax", rate(D))}
    start, s0 = D.assume("0 <= t"), D.assume("0 <= s")
    sizes, masses = [], []
    for speed, sign in rates.items():
        small = theorems.cut(D.times(sign, s0), D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{speed}*s"))
        sizes += [D.times(small, sign), D.times(sign, D.known("exp", f"-{speed}*s"))]
        masses.append(mass(D, speed, "s"))
    densities = [f"{speed}*exp(-{speed}*s)" for speed in rates]
    most, difference = f"{slow} + lmax", f"{densities[1]} - {densities[0]}"
    goal = f"Abs({difference}) <= {most}"
    near = D.split(
        D.known("abs-cases", difference),
        lambda one: D.linear(goal, one, *sizes, *rates.values()),
        lambda one: D.linear(goal, one, *sizes, *rates.values()),
    )
    sooner = decays(D, D.linear(f"{slow}*s <= lmax*s", D.times(high, s0)))
    integrals = [f"Int(u, s, {one.replace('*s', '*u')})" for one in densities]
    below = D.linear(f"{integrals[0]} <= {integrals[1]}", *masses, sooner)
    rises_on = regular(D)
    condition = D.assume("And(0 <= s, s <= u, u <= t)")
    order = theorems.both(part(D, condition, "0 <= s"), part(D, condition, "s <= u"))
    rises = part(D, D.mp(D.special(rises_on, "s", "u"), order), "tail(n, s) <= tail(n, u)")
    at_zero = part(D, D.mp(D.special(rises_on, "0", "0"), D.linear("0 <= 0")), "0 <= tail(n, 0)")
    parts = D.at(D.lemma("lem:optimism/opposite/by-parts"), c=most)
    bodies = {"gg": ("s", densities[0]), "gh": ("s", densities[1]), "gf": ("s", "tail(n, s)")}
    found = D.mp(
        applied(D, parts, bodies),
        start,
        *(conditional(D, D.mp(D.imply(one, "s <= t"), D.assume("s <= t")), "s") for one in (near, below)),
        D.all(D.imply(rises, "And(0 <= s, s <= u, u <= t)"), "s", "u"),
        at_zero,
    )
    goal = f"{slow}*Int(s, t, exp(-{slow}*s)*tail(n, t - s)) <= tail(n + 1, t)"
    return D.linear(goal, found, D.fact("tail-step"))


_WITHIN_TAIL = f"All(x, All(t, Imp({WITHIN}, Abs(gq(n, x, t) - gr(n, x, t)) <= w*tail(n, t))))"


def powers(D: Derivation) -> Theorem:
    """|gq(n) - gr(n)| <= w tail(n, t), and tail(n, t) <= ρⁿ."""
    start, end, s0, s1 = (D.assume(one) for one in ("0 <= t", "t <= H", "0 <= s", "s <= t"))
    here = theorems.both(start, end)
    close = D.mp(D.special(D.assume(_CLOSE), "x", "t"), here)
    signs = [D.known(one, "gq(0, x, t) - gr(0, x, t)") for one in ("abs", "abs-")]
    size = D.linear("0 <= w", close, *signs)
    inside = theorems.both(s0, D.linear("s <= H", s0, s1, end))
    near = D.mp(D.special(D.assume(_WITHIN_TAIL), "y", "s"), inside)
    apart = [D.known(one, "gq(n, y, s) - gr(n, y, s)") for one in ("abs", "abs-")]
    tail = D.mp(D.special(regular(D), "s", "s"), theorems.both(s0, D.linear("s <= s")))
    far = D.times(part(D, tail, "0 <= tail(n, s)"), size)
    rates = (D.special(part(D, D.assume(ESTIMATES), one), "x", "a") for one in (RATES_LOW, RATES_HIGH))
    wait = D.times(slower(D, "glam(x, a)", *rates), size)
    ways = []
    for u, v in (("gq", "gr"), ("gr", "gq")):
        bodies = {"gf": ("s", "w*tail(n, s)"), "gu": ("y s", f"{u}(n, y, s)"), "gv": ("y s", f"{v}(n, y, s)")}
        one = D.linear(f"{u}(n, y, s) <= {v}(n, y, s) + w*tail(n, s)", near, *apart)
        step = D.closed(applied(D, moved(D), bodies), conditional(D, one, "y", "s"), conditional(D, far, "s"))
        left, right = (estimated("a", f"{q}(n, {{y}}, {{s}})") for q in (u, v))
        one = D.linear(f"{left} <= {right} + w*tail(n + 1, t)", step, wait)
        top = maximum(D, one, left, right, "w*tail(n + 1, t)")
        nexts = [D.special(D.assume(text), "n", "x", "t") for text in (_FIRST, _SECOND)]
        ways.append(D.linear(f"{u}(n + 1, x, t) <= {v}(n + 1, x, t) + w*tail(n + 1, t)", top, *nexts))
    after = within(D, modulus(D, *ways), "x", "t")
    begin = within(
        D,
        D.linear("Abs(gq(0, x, t) - gr(0, x, t)) <= w*tail(0, t)", close, D.scaled(D.fact("tail-0"), "w")),
        "x",
        "t",
    )
    found = D.special(D.induction("n", _WITHIN_TAIL, begin, lambda _: after), "x", "t")
    return theorems.both(D.imply(found, ESTIMATES, _FIRST, _SECOND, _CLOSE), D.special(_small(D), "t"))


DERIVED = {"lem:optimism/contraction-superlinear": (POWERS, powers)}
