r"""The solution of the optimistic equation rises, by at most 1 per unit of time: :math:`0 \le \hat Q' \le 1`.

:math:`\hat Q(\cdot + h)` solves the same equation from :math:`\hat Q(h)`, between 0 and h, on: the set does
not depend on time, so what is best at one time is a candidate at another, and :math:`\hat Q(t+h) \le \hat
Q(t) + h + w` everywhere gives the same with :math:`\varrho w`; likewise :math:`\hat Q(t) \le \hat Q(t+h) +
w`.  So the maximum moves by at most λmax s within time s, and as :math:`\hat Q(t) - \hat Q(t-h)`, between 0
and h, is the integral of r + max, the slope r + max is within λmax h/2 of [0, 1], for every h.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import conditional
from proofs_checks.derivations.operators import RHO, maximum, part
from proofs_checks.derivations.optimistic_sets import gains
from proofs_checks.derivations.optimistic_values import contracted, everywhere, mild, shorter
from proofs_checks.derivations.setting_optimistic import GAIN, WITHIN
from proofs_checks.derivations.values import rate
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

_MOVES = "And(0 <= t, 0 <= h, t + h <= H)"
_NOW, _THEN = "Qh(k, x, a, t)", "Qh(k, x, a, t + h)"
RISES = f"Imp({_MOVES}, And(Qh(n, x, a, t) <= Qh(n, x, a, t + h), Qh(n, x, a, t + h) <= Qh(n, x, a, t) + h))"
_HAM, _GAIN = "ham(n, x, a, t)", GAIN.format(u="t", t="t")
SLOPES = f"Imp({WITHIN}, And(0 <= r(x, a) + {_HAM}, r(x, a) + {_HAM} <= 1, lt(n, x, a, t)*Abs({_GAIN}) <= 1))"


def _inside(D: Derivation, time: str, *facts: Theorem) -> Theorem:
    """And(0 <= time, time <= H), from the facts."""
    return theorems.both(D.linear(f"0 <= {time}", *facts), D.linear(f"{time} <= H", *facts))


def _compared(D: Derivation, at: str, other: str, u: str, near: Theorem, *facts: Theorem) -> list[Theorem]:
    """ham(at) - ham(other) + λmax (Q(at) - Q(other)) <= λmax u, as terms of a sum.

    ``near`` is Q(at) <= Q(other) + u for all pairs, and at and other are in [0, H] by the facts.
    """
    best, own = f"lt(k, x, a, {at})", "Qh(k, {y}, a, {t})"
    low, high = D.fact("lt-low", n="k", t=at), D.fact("lt-high", n="k", t=at)
    sign = D.linear(f"0 <= {best}", low, D.fact("rlo-low", n="k"))
    rest = D.linear(f"0 <= lmax - {best}", high, D.fact("rhi-high", n="k"))
    there = maximum(D, D.at(near, x="y"), own.format(y="y", t=at), own.format(y="y", t=other), u)
    values = [D.fact("Vq", n="k", x="y", t=one) for one in (at, other)]
    there = D.linear(f"Vq(k, y, {at}) <= Vq(k, y, {other}) + {u}", there, *values)
    rows = D.over(D.times(there, D.fact("pt-low", n="k", t=at)), "y")
    now, then = _inside(D, at, *facts), _inside(D, other, *facts)
    return [
        D.times(rows, sign),
        D.scaled(D.fact("pt-sum", n="k", t=at), f"{best}*({u})"),
        D.times(near, rest),
        D.mp(D.fact("candidates", n="k", u=at, t=other), theorems.both(then, now)),
        D.mp(D.fact("attained", n="k", t=at), now),
    ]


def _closer(D: Derivation, up: bool) -> Theorem:
    """_MOVES, 0 <= w, u <= v + w everywhere ⊢ u <= v + ρ w: Q(t + h) <= Q(t) + h, or Q(t) <= Q(t + h)."""
    u, v, more = (_THEN, _NOW, "h") if up else (_NOW, _THEN, "0")
    facts = [D.assume(one) for one in ("0 <= s", "s <= t", "0 <= h", "t + h <= H")]
    near = D.special(D.assume(everywhere(f"{u} <= {v} + {more} + w", _MOVES)), "x", "a", "t - s")
    near = D.mp(
        near, theorems.both(D.linear("0 <= t - s", *facts), facts[2], D.linear("t - s + h <= H", *facts))
    )
    at, other = ("t + h - s", "t - s") if up else ("t - s", "t + h - s")
    moved = _compared(D, at, other, f"{more} + w", near, *facts)
    earned = "ham(k, x, a, {t}) + lmax*Qh(k, x, a, {t})"
    one = D.linear(f"{earned.format(t=at)} <= {earned.format(t=other)} + lmax*({more} + w)", *moved)
    start, end = D.assume("0 <= t"), D.assume("t + h <= H")
    later = D.mp(
        D.fact("Qh-step", n="k", t="h", h="t", c="lmax"),
        theorems.both(D.assume("0 <= h"), start, D.linear("h + t <= H", end)),
    )
    short = D.linear("t <= H", end, D.assume("0 <= h"))
    first = D.mp(
        D.lemma("lem:optimism/equation/bounds", n="k", t="h"),
        theorems.both(D.assume("0 <= h"), D.linear("h <= H", start, end)),
    )
    begins = part(D, first, "Qh(k, x, a, h) <= h" if up else "0 <= Qh(k, x, a, h)")
    areas = [
        D.integral(D.times(one, D.known("exp", "-lmax*s")), "s", "t"),
        D.scaled(D.primitive("s", "t", "-exp(-lmax*s)"), f"{more} + w"),
        D.times(theorems.cut(short, shorter(D)), D.assume("0 <= w")),
        D.times(begins, D.known("exp", "-lmax*t")),
    ]
    return D.linear(f"{u} <= {v} + {more} + {RHO}*w", later, theorems.cut(short, mild(D, "lmax")), *areas)


def rises(D: Derivation) -> Theorem:
    """Q(t) <= Q(t + h) <= Q(t) + h."""
    start, step, end = (D.assume(one) for one in ("0 <= t", "0 <= h", "t + h <= H"))
    facts = []
    for time in ("t", "t + h"):
        both = D.lemma("lem:optimism/equation/bounds", n="k", t=time)
        both = D.mp(both, _inside(D, time, start, step, end))
        facts += [theorems.part(both, one) for one in both.says.parts]
    horizon = D.linear("0 <= H", D.fact("horizon"))
    found = []
    for up, u, v, more in ((False, _NOW, _THEN, "0"), (True, _THEN, _NOW, "h")):
        first = D.linear(f"{u} <= {v} + {more} + H", *facts, start, step, end)
        found.append(contracted(D, (u, f"{v} + {more}"), "H", horizon, first, _closer(D, up), _MOVES))
    return D.at(conditional(D, theorems.both(*found), _MOVES), k="n")


# --- the slope --------------------------------------------------------------------------------------

_SLOPE = "(r(x, a) + ham(k, x, a, t))"


def _rise(D: Derivation, step: str, *facts: Theorem) -> tuple[Theorem, Theorem]:
    """Q(t - step) <= Q(t) and Q(t) <= Q(t - step) + step."""
    before = f"t - {step}"
    both = D.lemma("lem:optimism/equation/rises", n="k", t=before, h=step)
    texts = f"0 <= {before}", f"0 <= {step}", "t <= H"
    both = D.mp(both, theorems.both(*(D.linear(one, *facts) for one in texts)))
    now, then = "Qh(k, x, a, t)", f"Qh(k, x, a, {before})"
    return part(D, both, f"{then} <= {now}"), part(D, both, f"{now} <= {then} + {step}")


def _nearly(D: Derivation, up: bool) -> Theorem:
    """0 <= h <= t <= H ⊢ (r + ham - 1) h <= λmax h²/2, or -(r + ham) h <= λmax h²/2."""
    facts = [D.assume(one) for one in ("0 <= s", "s <= h", "h <= t", "t <= H")]
    low, high = _rise(D, "s", *facts)
    at, other, u = ("t", "t - s", "s") if up else ("t - s", "t", "0")
    moved = _compared(
        D, at, other, u, high if up else D.linear("Qh(k, x, a, t - s) <= Qh(k, x, a, t) + 0", low), *facts
    )
    sides = [D.times(one, D.linear("0 <= lmax", rate(D))) for one in (low, high)]
    one = D.linear(f"ham(k, x, a, {at}) <= ham(k, x, a, {other}) + lmax*s", *moved, *sides)
    outer = [D.assume(one) for one in ("0 <= h", "h <= t", "t <= H")]
    whole = D.mp(
        D.fact("Qh-step", n="k", t="t - h", c="0"),
        theorems.both(D.linear("0 <= t - h", *outer), outer[0], D.linear("t <= H", *outer)),
    )
    areas = [D.integral(one, "s", "h"), D.primitive("s", "h", "s"), D.primitive("s", "h", "s**2/2")]
    areas = [
        areas[0],
        D.scaled(areas[1], "r(x, a)"),
        D.scaled(areas[1], "ham(k, x, a, t)"),
        D.scaled(areas[2], "lmax"),
    ]
    goal = f"({_SLOPE} - 1)*h <= lmax*h**2/2" if up else f"-{_SLOPE}*h <= lmax*h**2/2"
    return D.linear(goal, whole, *areas, *_rise(D, "h", *outer))


def _vanishes(D: Derivation, u: str, nearly: Theorem, bound: Theorem, positive: Theorem) -> Theorem:
    """u <= 0, from u h <= λmax h²/2 for 0 <= h <= t, -u <= bound, and 0 < t."""
    number, step = D.linear("0 < n + 1", D.whole("n")), "t/(n + 1)"
    unit, over = D.positive("inverse", "n + 1", number), D.positive("inverse-positive", "n + 1", number)
    share = D.linear(f"0 <= {step}", D.times(positive, over))
    part_of = D.linear(f"{step} <= t", D.scaled(unit, "t"), D.times(share, D.whole("n")))
    many = D.times(D.times(D.closed(D.at(nearly, h=step), share, part_of), number), number)
    units = [
        D.scaled(unit, f"({u})*t*(n + 1)"),
        D.scaled(unit, "lmax*t**2/2"),
        D.scaled(unit, "lmax*t**2/2*(n + 1)*(1/(n + 1))"),
    ]
    most = D.times(bound, D.linear("0 <= t", positive))
    last = D.term(f"lmax*t**2/2 + ({show(bound.says.parts[1])})*t")
    every = D.linear(terms.relation("<=", D.term(f"n*(({u})*t)"), last), many, *units, most)
    none = D.times(D.archimedes(every, "n"), D.positive("inverse-positive", "t", positive))
    return D.linear(f"{u} <= 0", none, D.scaled(D.positive("inverse", "t", positive), u))


def slopes(D: Derivation) -> Theorem:
    """0 <= r + ham <= 1, and λ̃ |p̃V - Q| <= 1."""
    start, end, gain = D.assume("0 <= t"), D.assume("t <= H"), _GAIN.replace("(n,", "(k,")
    up, down = (D.at(one, n="k") for one in gains(D))
    best, attained = "lt(k, x, a, t)", D.mp(D.fact("attained", n="k"), theorems.both(start, end))
    low = D.linear(f"0 <= {best}", D.fact("lt-low", n="k"), D.fact("rlo-low", n="k"))
    high = D.times(D.linear(f"{best} <= lmax", D.fact("lt-high", n="k"), D.fact("rhi-high", n="k")), start)
    sizes = [
        D.linear(f"{sign}ham(k, x, a, t) <= lmax*t", attained, D.times(one, low), high)
        for sign, one in (("", up), ("-", down))
    ]
    rewards = D.fact("reward-low"), D.fact("reward-high")
    texts = f"{_SLOPE} - 1", f"-{_SLOPE}"
    bounds = [
        D.linear(f"-({texts[0]}) <= 1 + lmax*t", sizes[1], *rewards),
        D.linear(f"-({texts[1]}) <= 1 + lmax*t", sizes[0], *rewards),
    ]
    still = D.linear("0 <= lmax", rate(D))

    def at_most(u: str, most: Theorem, up: bool) -> Theorem:
        """u <= 0: at t = 0 there is no gain."""
        return D.cases(
            "0 < t",
            lambda yes: _vanishes(D, u, _nearly(D, up), most, yes),
            lambda no: D.linear(f"{u} <= 0", D.times(D.linear("t <= 0", no), still), *sizes, *rewards),
        )

    found = [at_most(texts[0], bounds[0], True), at_most(texts[1], bounds[1], False)]
    either = D.known("abs-cases", gain)
    slow = D.split(
        either,
        *[lambda one: D.linear(f"{best}*Abs({gain}) <= 1", D.scaled(one, best), attained, *found, *rewards)]
        * 2,
    )
    both = theorems.both(D.linear(f"0 <= {_SLOPE}", found[1]), D.linear(f"{_SLOPE} <= 1", found[0]), slow)
    return D.at(conditional(D, both, WITHIN), k="n")
